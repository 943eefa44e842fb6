"""Exact Hessians of networks of width one and two with n = 1, and the general bounds of GEN-3 on them.

Letters as in `proofs.beyond.depth_law`. Entries are rational; squares of singular values are rational too, or enclosed between
two inertia counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from resproof.architectures.activations import identity_activation, polynomial
from resproof.architectures.catalogue import n_shortcut
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.routes.exact_spectra import dense, instance_with_m
from resproof.proofs.routes.predicates import at_most
from resproof.proofs.statement import Argument, Computed, Context, Disagreement
from resproof.symbolic.algebra import toeplitz
from resproof.symbolic.algebra.matrices import Inertia, Matrix, add, block_toeplitz, inertia, matrix, scale, transpose
from resproof.symbolic.algebra.matrices import multiply as matrix_product
from resproof.symbolic.algebra.toeplitz import Interval
from resproof.symbolic.scope import Scope
from resproof.symbolic.written.explicit import Instance

LINEAR = ResidualUnit(n_shortcut(1))


@dataclass(frozen=True, slots=True)
class Exact:
    """The Hessian of a small network over the rationals, and what the bounds are made of."""

    name: str
    d: int
    units: int
    hessian: Matrix
    diagonal: Matrix
    below: Matrix
    s: Matrix
    m: Matrix
    condition: Interval | None
    """The square of the condition number; None: infinite."""


def pair(unit: ResidualUnit, data: Instance) -> tuple[Matrix, Matrix]:
    """D and A from the exact Hessian of two units."""
    two = dense(unit, 2, data)
    p = len(two) // 2
    return tuple(row[:p] for row in two[:p]), tuple(row[:p] for row in two[p:])


def _exact(name: str, unit: ResidualUnit, units: int, data: Instance) -> Exact:
    d = len(data.x)
    h = dense(unit, units, data)
    x, y = (matrix(rows) for rows in (data.x, data.y))
    mean = Fraction(1, len(x[0]))
    s, t = (scale(mean, matrix_product(one, transpose(x))) for one in (x, y))
    return Exact(
        name,
        d,
        units,
        h,
        *pair(unit, data),
        s,
        add(s, scale(-1, t)),
        toeplitz.squared_condition(h),
    )


def multiple(factor: Fraction, d: int = 2) -> Instance:
    """S = I/d and M = factor I."""
    return instance_with_m([[factor * (i == j) for j in range(d)] for i in range(d)])


NONLINEAR = ResidualUnit(n_shortcut(1, polynomial(0, 1, 2), identity_activation, polynomial(0, 2, 1)))
"""pre(t) = t + 2 t^2, post(t) = 2 t + t^2."""
GENERAL = Instance([[1, 0], [1, 2]], [[0, 1], [3, 1]])
"""d = m = 2, S invertible."""

_CASES: tuple[tuple[str, ResidualUnit, Instance, tuple[int, ...]], ...] = (
    ("d=1, T=3S", LINEAR, Instance([[1]], [[3]]), (2, 3, 4, 5, 6)),
    ("d=1, T=4S", LINEAR, Instance([[1]], [[4]]), (2, 3, 4)),
    ("d=1, T=2S", LINEAR, Instance([[1]], [[2]]), (2, 3, 4)),
    ("d=1, T=S", LINEAR, Instance([[1]], [[1]]), (2, 3)),
    ("d=2, M=I/10", LINEAR, multiple(Fraction(1, 10)), (2, 3)),
    ("d=2, M=3I/4", LINEAR, multiple(Fraction(3, 4)), (2, 3)),
    ("d=2, m=2", LINEAR, GENERAL, (2, 3, 4)),
    ("d=2, m=2, pre(t)=t+2t^2, post(t)=2t+t^2", NONLINEAR, GENERAL, (2, 3)),
)


def instances(linear: bool) -> Callable[[Context], Computed]:
    """The exact Hessians that the bounds are compared with; with `linear` only those of linear units."""

    def compute(_: Context) -> Computed:
        cases = [case for case in _CASES if case[1] is LINEAR or not linear]
        found = [_exact(name, unit, units, data) for name, unit, data, depths in cases for units in depths]
        return Computed(found, Scope.of(*(f"n=1, {one.name}, R={one.units}" for one in found)))

    return compute


Bound: TypeAlias = Callable[[Exact], "Interval | None"]
"""The square of a lower bound on the condition number; None: infinite."""


def at_least(found: Sequence[Exact], bound: Bound) -> None:
    """Pass when the square of cond(H_R) is at least the claimed square on every instance; None is infinity.

    Raises:
        Disagreement: it is less on one of them.
        ValueError: the enclosures do not decide it.
    """
    for one in found:
        claimed, at = bound(one), f"{one.name}, R={one.units}"
        if one.condition is None:
            continue
        if claimed is None or one.condition.high < claimed.low:
            shown = "infinite" if claimed is None else f"at least {float(claimed.low) ** 0.5:.6g}"
            raise Disagreement(f"{at}: cond(H_R) is {float(one.condition.high) ** 0.5:.6g}; claimed {shown}")
        if one.condition.low < claimed.high:
            raise ValueError(f"{at}: cond(H_R)^2 in {one.condition}, the bound in {claimed}")


def _general_bound(factor: Callable[[int], Fraction | int] = lambda units: units // 2, sign: int = -1) -> Bound:
    """(factor(R) |A| / |D - A|)^2."""

    def bound(one: Exact) -> Interval | None:
        top = toeplitz.squared_norm(one.below).times(factor(one.units) ** 2)
        if top.high == 0:
            return top
        return top.over(toeplitz.squared_norm(add(one.diagonal, scale(sign, one.below))))

    return bound


GENERAL_INSTANCES = Argument(
    r"$\mathrm{cond}(H_R) \ge \lfloor R/2\rfloor \lvert A\rvert / \lvert D - A\rvert$ on exact Hessians",
    "explicit",
    instances(linear=False),
    _general_bound(),
    {
        r"$R$ in place of $\lfloor R/2\rfloor$": _general_bound(lambda units: units),
        "the ceiling of $R/2$": _general_bound(lambda units: -(-units // 2)),
        "twice as large": _general_bound(lambda units: 2 * (units // 2)),
        "$D + A$ in place of $D - A$": _general_bound(sign=1),
    },
    at_least,
    explanation="Squares of singular values are rational or enclosed between two inertia counts. At $d = 1$, $T = 3S$, $R = 4$ both "
    "sides are 1: the constant cannot be improved.",
)


class _SmallValues(NamedTuple):
    """At least p share(R) singular values are at most part |D - A|."""

    share: Callable[[int], int] = lambda units: units // 2
    part: Fraction = Fraction(1)


def _small_counts(found: Sequence[Exact], claim: _SmallValues) -> None:
    """Pass when there are as many singular values as claimed, and as small.

    Raises:
        Disagreement: there are fewer.
    """
    for one in found:
        bound = claim.part**2 * toeplitz.squared_norm(add(one.diagonal, scale(-1, one.below))).high
        turned = (*one.hessian[1:], one.hessian[0])  # as many, without the symmetry
        count, claimed = toeplitz.small_singular_values(turned, bound), len(one.below) * claim.share(one.units)
        at_most(claimed, count, f"{one.name}, R={one.units}, singular values from below")


SMALL_INSTANCES = Argument(
    r"At least $p \lfloor R/2\rfloor$ singular values are at most $\lvert D - A\rvert$, on exact Hessians",
    "explicit",
    instances(linear=False),
    _SmallValues(),
    {
        "$p R$ of them": _SmallValues(lambda units: units),
        r"$p (\lfloor R/2\rfloor + 1)$ of them": _SmallValues(lambda units: units // 2 + 1),
        r"at most $\lvert D - A\rvert/2$": _SmallValues(part=Fraction(1, 2)),
    },
    _small_counts,
)


@dataclass(frozen=True, slots=True)
class _Split:
    """The inertia of H_R, that on R^R (x) N^perp, and the dimension that splits off."""

    whole: Inertia
    kept: Inertia
    lost: int


_SINGULAR = {"M = S": (0, 0), "M != 0": (1, 1), "M = 0": (1, 0)}
"""Targets y of one sample x = (1, 0), for which N is spanned by matrices with one entry."""


def _with_kernel(_: Context) -> Computed:
    """S of rank one, three targets, R = 1, 2, 3: H_R, and the same with N^perp in place of the whole space."""
    found: dict[tuple[str, int], _Split] = {}
    for name, y in _SINGULAR.items():
        data = Instance([[1], [0]], [[one] for one in y])
        diagonal, below = pair(LINEAR, data)
        places = [i for i in range(4) if any(a[i][j] or a[j][i] for a in (diagonal, below) for j in range(4))]
        inner = [
            toeplitz.restricted(one, [[int(i == j) for j in range(4)] for i in places]) for one in (diagonal, below)
        ]
        for units in (1, 2, 3):
            kept = inertia(block_toeplitz(inner[0], inner[1], units))
            found[name, units] = _Split(inertia(dense(LINEAR, units, data)), kept, units * (4 - len(places)))
    return Computed(found, Scope.of(*(f"n=1, d=2, m=1, x=(1, 0), y={_SINGULAR[name]}, R={r}" for name, r in found)))


def _splits_off(found: Mapping[tuple[str, int], _Split], lost: Callable[[str, int], int]) -> None:
    for (name, units), one in found.items():
        together = Inertia(one.kept.negative, one.kept.zero + one.lost, one.kept.positive)
        if one.whole != together or one.lost != lost(name, units):
            raise Disagreement(f"{name}, R={units}: {one}; claimed that {lost(name, units)} split off")


def _dimension(name: str) -> int:
    return 2 if name == "M = 0" else 1


KERNEL = Argument(
    r"The common kernel $N$ of $D$, $A$ and $A^{\mathsf T}$ splits off",
    "explicit",
    _with_kernel,
    lambda name, units: _dimension(name) * units,
    {
        "no zero": lambda name, units: 0,
        "the same whatever $R$": lambda name, units: _dimension(name),
        "two a unit": lambda name, units: 2 * units,
    },
    _splits_off,
    explanation=r"For $n$ in $N$ every $e_r \otimes n$ is mapped to zero, and $H_R$ is symmetric, so it maps "
    r"$\mathbb R^R \otimes N^{\perp}$ into itself. $D$, $A$ and $A^{\mathsf T}$ keep their norms on $N^{\perp}$, so all "
    r"bounds hold there with $p - \dim N$ in place of $p$.",
)


def _singular_there(found: Mapping[tuple[str, int], _Split], claim: Callable[[str, int], bool]) -> None:
    for (name, units), one in found.items():
        if bool(one.kept.zero) is not claim(name, units):
            raise Disagreement(f"{name}, R={units}: {one.kept.zero} zeros on the complement of N")


SINGULAR_S = Argument(
    "Zeros of $H_R$ on the complement of $N$ where $S$ is singular",
    "explicit",
    _with_kernel,
    lambda name, units: units >= 2 or name != "M = 0",
    {
        "none": lambda name, units: False,
        "only where $M = 0$": lambda name, units: units >= 2 and name == "M = 0",
        r"only where $M \ne 0$": lambda name, units: name != "M = 0",
    },
    _singular_there,
)
