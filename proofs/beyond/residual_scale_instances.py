"""Exact Hessians of small networks whose branches are scaled by s, and the bounds of GEN-9 on them.

B, C and A come from networks of two units at s = 1 and s = -1: with D(s) = s B + s^2 C, B and C are half the difference and
half the sum. Norms are squares of rational or enclosed numbers, their roots enclosed to 2^-60.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from resproof.architectures.activations import identity_activation, polynomial
from resproof.architectures.catalogue import n_shortcut
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.beyond.depth_instances import GENERAL, LINEAR, NONLINEAR, pair
from resproof.proofs.routes.exact_spectra import dense
from resproof.proofs.routes.predicates import at_most
from resproof.proofs.statement import Argument, Computed, Context, Disagreement
from resproof.proofs.theory.scaled_branches import scaled
from resproof.symbolic.algebra import toeplitz
from resproof.symbolic.algebra.matrices import Matrix, add, block_toeplitz, scale, transpose
from resproof.symbolic.algebra.toeplitz import Interval
from resproof.symbolic.scope import Scope
from resproof.symbolic.written.explicit import Instance

HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class Unscaled:
    """B, C and A of a unit at its data."""

    own: Matrix
    curvature: Matrix
    below: Matrix


@dataclass(frozen=True, slots=True)
class ScaledHessian:
    """The Hessian of R units with branches s F over the rationals, and what the bounds are made of."""

    name: str
    units: int
    scale: Fraction
    hessian: Matrix
    parts: Unscaled

    @property
    def at(self) -> str:
        """Which instance it is."""
        return f"{self.name}, R={self.units}, s={self.scale}"

    @property
    def difference(self) -> Matrix:
        """B + s (C - A)."""
        moved = scale(self.scale, add(self.parts.curvature, scale(-1, self.parts.below)))
        return add(self.parts.own, moved)


def unscaled(unit: ResidualUnit, data: Instance) -> Unscaled:
    """B, C and A from exact Hessians of two units with s = 1 and s = -1."""
    (plus, below), (minus, _) = (pair(scaled(unit, sign), data) for sign in (1, -1))
    return Unscaled(scale(HALF, add(plus, scale(-1, minus))), scale(HALF, add(plus, minus)), below)


_ONE = Instance([[1]], [[3]])
_NEAR = Instance([[1]], [[Fraction(3, 2)]])
_CASES: tuple[tuple[str, ResidualUnit, Instance, dict[int, tuple[Fraction, ...]]], ...] = (
    ("linear, d=1, y=3x", LINEAR, _ONE, {4: (Fraction(1), HALF, Fraction(1, 4)), 9: (Fraction(1, 3),)}),
    (
        "pre(t)=t+2t^2, post(t)=2t+t^2, d=1",
        NONLINEAR,
        _NEAR,
        {4: (Fraction(1), HALF, Fraction(1, 4)), 9: (Fraction(1, 3), Fraction(1, 9)), 16: (Fraction(1, 4000),)},
    ),
    (
        "pre(t)=t+2t^2, post(t)=2t+t^2, d=2, m=2",
        NONLINEAR,
        GENERAL,
        {3: (Fraction(1), Fraction(1, 10)), 4: (HALF,)},
    ),
)


@lru_cache(maxsize=1)
def _all() -> tuple[ScaledHessian, ...]:
    return tuple(
        ScaledHessian(name, units, s, dense(scaled(unit, s), units, data), unscaled(unit, data))
        for name, unit, data, by_depth in _CASES
        for units, scales in by_depth.items()
        for s in scales
    )


def instances(_: Context) -> Computed:
    """Exact Hessians with a scale in front of the branch, s = R^-a for a = 0, 1/2 and 1 among them."""
    return Computed(_all(), Scope.of(*(f"n=1, {one.at}" for one in _all())))


# The form in s.

Blocks = Callable[[Unscaled, Fraction], tuple[Matrix, Matrix]]
"""D(s) and A(s) from B, C and A."""


def _powers(own: int, curvature: int, below: int) -> Blocks:
    """s^own B + s^curvature C, and s^below A."""

    def blocks(one: Unscaled, s: Fraction) -> tuple[Matrix, Matrix]:
        return add(scale(s**own, one.own), scale(s**curvature, one.curvature)), scale(s**below, one.below)

    return blocks


def _assembled(found: Sequence[ScaledHessian], claim: Blocks) -> None:
    for one in found:
        if block_toeplitz(*claim(one.parts, one.scale), one.units) != one.hessian:
            raise Disagreement(f"{one.at}: the Hessian is another")


FORM_INSTANCES = Argument(
    "Exact Hessians with $s$ from 1 to 1/4000 from $B$, $C$ and $A$ of two units at $s = 1$ and $s = -1$",
    "explicit",
    instances,
    _powers(1, 2, 2),
    {
        "all of $D$ with $s^2$": _powers(2, 2, 2),
        "all of it with $s$": _powers(1, 1, 1),
        "$A$ with $s$": _powers(1, 2, 1),
        "$A$ with $s^3$, as two branches and the scale between them": _powers(1, 2, 3),
    },
    _assembled,
)


# Enclosures.


@lru_cache(maxsize=256)
def _norm(a: Matrix) -> Interval:
    return toeplitz.root(toeplitz.squared_norm(a))


@lru_cache(maxsize=64)
def _condition(hessian: Matrix) -> Interval | None:
    """None where it is infinite."""
    square = toeplitz.squared_condition(hessian)
    return None if square is None else toeplitz.root(square)


def _least(a: Matrix) -> Interval:
    return toeplitz.root(toeplitz.squared_singular_value(a, 0))


# The greatest.


@dataclass(frozen=True, slots=True)
class _BoundsOfNorm:
    """The factors of |A| from below and from above, and the power of s of |B|."""

    below: Callable[[int, Fraction], Fraction] = lambda units, s: units // 2 * s**2
    above: Callable[[int], int | Fraction] = lambda units: units - 1
    own: int = 1
    curvature: int = 1


def _between(found: Sequence[ScaledHessian], claim: _BoundsOfNorm) -> None:
    """Pass when |H_R(s)| lies between the claimed bounds on every instance.

    Raises:
        Disagreement: it does not on one of them.
    """
    for one in found:
        here, s = _norm(one.hessian), one.scale
        own, curvature, below = (_norm(a) for a in (one.parts.own, one.parts.curvature, one.parts.below))
        least = claim.below(one.units, s) * below.low
        most = s**claim.own * own.high + s**2 * (claim.curvature * curvature.high + claim.above(one.units) * below.high)
        at_most(least, here.high, f"{one.at}, |H_R(s)| from below")
        at_most(here.low, most, f"{one.at}, |H_R(s)|")


GREATEST_INSTANCES = Argument(
    r"$s^2 \lfloor R/2\rfloor \lvert A\rvert \le \lvert H_R(s)\rvert \le s \lvert B\rvert + s^2 (\lvert C\rvert + (R - 1) "
    r"\lvert A\rvert)$ on exact Hessians",
    "explicit",
    instances,
    _BoundsOfNorm(),
    {
        r"$R$ in place of $\lfloor R/2\rfloor$": _BoundsOfNorm(below=lambda units, s: units * s**2),
        "$s$ in place of $s^2$ from below": _BoundsOfNorm(below=lambda units, s: units // 2 * s),
        "half as many blocks beside $D$": _BoundsOfNorm(above=lambda units: Fraction(units - 1, 2)),
        r"$s^2 \lvert B\rvert$": _BoundsOfNorm(own=2),
        r"without $\lvert C\rvert$": _BoundsOfNorm(curvature=0),
    },
    _between,
)


def _symmetric_part(factor: Callable[[int], int]) -> Callable[[ScaledHessian], Matrix]:
    """s B + s^2 (C + factor(R) (A + A^T) / 2)."""

    def matrix(one: ScaledHessian) -> Matrix:
        w = scale(HALF, add(one.parts.below, transpose(one.parts.below)))
        square = add(one.parts.curvature, scale(factor(one.units), w))
        return add(scale(one.scale, one.parts.own), scale(one.scale**2, square))

    return matrix


def _above(found: Sequence[ScaledHessian], claim: Callable[[ScaledHessian], Matrix]) -> None:
    """Pass when the greatest eigenvalue of H_R(s) is at least that of the claimed matrix.

    Raises:
        Disagreement: it is less on one of the instances.
    """
    for one in found:
        here, claimed = (toeplitz.eigenvalue(a, len(a) - 1) for a in (one.hessian, claim(one)))
        at_most(claimed.low, here.high, f"{one.at}, from below")


ITSELF_INSTANCES = Argument(
    r"The greatest eigenvalue of $H_R(s)$ against that of $s B + s^2 (C + (R - 1) (A + A^{\mathsf T})/2)$, on exact "
    "Hessians",
    "explicit",
    instances,
    _symmetric_part(lambda units: units - 1),
    {
        "$R$ of them": _symmetric_part(lambda units: units),
        "$2 (R - 1)$ of them": _symmetric_part(lambda units: 2 * (units - 1)),
    },
    _above,
)


_LATE = ResidualUnit(n_shortcut(1, identity_activation, identity_activation, polynomial(0, 1, -2)))


def _greatest_of_late(_: Context) -> Computed:
    """Whether A is positive, and the greatest eigenvalue at R = 4 and 9, s = 1/sqrt(R)."""
    data = Instance([[1]], [[0]])
    found = {"A": unscaled(_LATE, data).below[0][0] > 0}
    for root in (2, 3):
        hessian = dense(scaled(_LATE, Fraction(1, root)), root**2, data)
        greatest = toeplitz.eigenvalue(hessian, len(hessian) - 1)
        assert greatest.low > 0 or greatest.high < 0
        found[f"R={root**2}, s=1/{root}"] = greatest.low > 0
    return Computed(found, Scope.of(*(f"n=1, post(t)=t-2t^2, d=1, m=1, x=1, y=0, {at}" for at in found if at != "A")))


_SIGNS = {"A": True, "R=4, s=1/2": False, "R=9, s=1/3": True}
LATE_INSTANCES = Argument(
    "Whether $A$ and the greatest eigenvalue are positive where $B = -4$ and $C = 1$",
    "explicit",
    _greatest_of_late,
    _SIGNS,
    {"from $R = 2$ on": dict.fromkeys(_SIGNS, True), "never": {**_SIGNS, "R=9, s=1/3": False}},
    explanation="It is $s B + s^2 (C + (R - 1) A)$, $A = 2$.",
)


# The condition number.


def _condition_from_below(
    factor: Callable[[int], int] = lambda units: units // 2, power: int = 1, own: int = 1
) -> Callable[[ScaledHessian], Interval | None]:
    """factor(R) s^power |A| / |own B + s (C - A)|; None: infinite."""

    def bound(one: ScaledHessian) -> Interval | None:
        moved = add(one.difference, scale(own - 1, one.parts.own))
        return _norm(one.parts.below).times(factor(one.units) * one.scale**power).over(_norm(moved))

    return bound


def _condition_at_least(found: Sequence[ScaledHessian], claim: Callable[[ScaledHessian], Interval | None]) -> None:
    for one in found:
        here, claimed = _condition(one.hessian), claim(one)
        if here is not None and (claimed is None or here.high < claimed.low):
            shown = "infinite" if claimed is None else f"at least {float(claimed.low):.6g}"
            raise Disagreement(f"{one.at}: cond(H_R(s)) is {float(here.high):.6g}; claimed {shown}")


CONDITION_INSTANCES = Argument(
    r"$\mathrm{cond}(H_R(s)) \ge \lfloor R/2\rfloor s \lvert A\rvert / \lvert B + s (C - A)\rvert$ on exact Hessians",
    "explicit",
    instances,
    _condition_from_below(),
    {
        r"$R$ in place of $\lfloor R/2\rfloor$": _condition_from_below(lambda units: units),
        "without $s$, as if it scaled everything alike": _condition_from_below(power=0),
        "without $B$": _condition_from_below(own=0),
    },
    _condition_at_least,
)


@dataclass(frozen=True, slots=True)
class _Perturbed:
    """e = s (|C| + count(R) |A|), and (|B| + e) / (sigma_min(B) - e)."""

    count: Callable[[int], int] = lambda units: units - 1
    curvature: int = 1


def _condition_at_most(found: Sequence[ScaledHessian], claim: _Perturbed) -> None:
    """Pass when cond(H_R(s)) is at most the bound wherever e < sigma_min(B), as it has to be somewhere.

    Raises:
        Disagreement: it is greater on an instance.
        ValueError: e is too large everywhere, so that nothing was compared.
    """
    compared = 0
    for one in found:
        below, curvature = _norm(one.parts.below).high, _norm(one.parts.curvature).high
        e = one.scale * (claim.curvature * curvature + claim.count(one.units) * below)
        least, here = _least(one.parts.own).low, _condition(one.hessian)
        if e >= least:
            continue
        compared += 1
        most = (_norm(one.parts.own).high + e) / (least - e)
        if here is None or here.low > most:
            raise Disagreement(f"{one.at}: cond(H_R(s)) is above {float(most):.6g}")
    if not compared:
        raise ValueError("e is nowhere below the least singular value of B; expected an instance where it is")


BOUNDED_INSTANCES = Argument(
    r"$\mathrm{cond}(H_R(s)) \le (\lvert B\rvert + e) / (\sigma_{\min}(B) - e)$, "
    r"$e = s (\lvert C\rvert + (R - 1) \lvert A\rvert) < \sigma_{\min}(B)$, on exact Hessians",
    "explicit",
    instances,
    _Perturbed(),
    {
        "no block beside $D$": _Perturbed(count=lambda units: 0, curvature=0),
        "one block beside $D$": _Perturbed(count=lambda units: 1, curvature=0),
    },
    _condition_at_most,
)
