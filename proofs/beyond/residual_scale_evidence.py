"""Evidence for GEN-9 on running networks of units h + s silu(W tanh(h)) on the digits: order one, B, C and A all nonzero.

B, C and A are columns of the Hessians of two running units at s = 1 and s = -1. What R running units at s = R^-a do along the
vectors of GEN-3's proof is held against R to the claimed powers of it, times norms of B, C and A: these do not depend on R,
so a wrong power is off by as much as R is greater than one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

import numpy as np

from resproof.architectures.activations import silu, tanh
from resproof.architectures.nodes import Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.spectra.toeplitz import extremes
from resproof.proofs.beyond.depth_evidence import StretchedBy, measured_blocks, running_on, stretched
from resproof.proofs.routes.hessians import Claim
from resproof.proofs.routes.running_network import observed_product, on_data
from resproof.proofs.statement import Argument, Computed, Context, Disagreement, Measurement
from resproof.symbolic.scope import Scope


def silu_unit(scale: Fraction | int) -> ResidualUnit:
    """h + s silu(W tanh(h)): silu has slope and second derivative 1/2 at zero."""
    h, w = Input("d"), Weight("d", "d", name="W1")
    return ResidualUnit(h + scale * silu(w @ tanh(h)))


@dataclass(frozen=True, slots=True)
class _PartsAsArrays:
    """B, C and A as arrays."""

    own: np.ndarray
    curvature: np.ndarray
    below: np.ndarray

    @property
    def norms(self) -> tuple[float, float, float]:
        return _norm(self.own), _norm(self.curvature), _norm(self.below)

    def at(self, scale: float) -> tuple[np.ndarray, np.ndarray]:
        """D and A with this scale."""
        return scale * self.own + scale**2 * self.curvature, scale**2 * self.below


def _norm(a: np.ndarray) -> float:
    return float(np.linalg.norm(a, 2))


def _measured_parts(components: int, context: Context) -> _PartsAsArrays:
    plus, minus = (measured_blocks(silu_unit(sign), components, context) for sign in (1, -1))
    return _PartsAsArrays((plus.diagonal - minus.diagonal) / 2, (plus.diagonal + minus.diagonal) / 2, plus.below)


# Powers of R.


@dataclass(frozen=True, slots=True)
class _Found:
    """The parts of two units, and how far R units stretch at s = R^-a, by a."""

    parts: _PartsAsArrays
    stretches: Mapping[Fraction, Sequence[StretchedBy]]


@dataclass(frozen=True, slots=True)
class PowersOfDepth:
    """The powers of R that bound the greatest from below and from above, and the condition number from below.

    The last two follow from the first, if not given: D = s B + s^2 C has the power -a, and so has the least at most.
    """

    below: Callable[[Fraction], Fraction] = lambda a: 1 - 2 * a
    greatest: Callable[[Fraction], Fraction] | None = None
    quotient: Callable[[Fraction], Fraction] | None = None

    def above(self, a: Fraction) -> Fraction:
        """The power of the greatest from above."""
        return self.greatest(a) if self.greatest else max(-a, self.below(a))

    def condition(self, a: Fraction) -> Fraction:
        """The power of the condition number."""
        return self.quotient(a) if self.quotient else self.below(a) + a


def _grows_so(found: _Found, claim: PowersOfDepth) -> tuple[Measurement, ...]:
    """Each bound over what is measured, or what is measured over the bound: at most one."""
    below, together = found.parts.norms[-1], sum(found.parts.norms)
    measured: list[Measurement] = []
    for a, by_depth in found.stretches.items():
        for one in by_depth:
            units, at = one.running.network.units, f"a={a}, {one.running.sizes}"
            most = together * units ** float(claim.above(a))
            least = below / 2 * units ** float(claim.below(a))
            quotient = below / 2 / together * units ** float(claim.condition(a))
            why = r"an inequality, $R$ even and $s \le 1$: products with the running network's Hessian, $B$, $C$ and $A$ from two units"
            measured += [
                Measurement(name, value, 1.0, at, one.running.seed, why, at_most=True)
                for name, value in (
                    (
                        r"$(\lvert H w\rvert / \lvert w\rvert) / ((\lvert B\rvert + \lvert C\rvert + \lvert A\rvert) R^{\max(-a, 1 - 2 a)})$",
                        one.constant / most,
                    ),
                    (
                        r"$\lvert A\rvert/2 \cdot R^{1 - 2 a} / (\lvert H w\rvert / \lvert w\rvert)$",
                        least / one.constant,
                    ),
                    (
                        r"$\lvert A\rvert/2 \cdot R^{1 - a} / (\lvert B\rvert + \lvert C\rvert + \lvert A\rvert)$ / quotient of stretches",
                        quotient * one.pairs[-1] / one.constant,
                    ),
                )
            ]
    return tuple(measured)


def observed_powers(components: int, depths: Sequence[int], *, deep: bool = False) -> Argument:
    """How far H_R stretches at s = 1, 1/sqrt(R) and 1/R; the depths are squares of even numbers."""

    def compute(context: Context) -> Computed:
        parts = _measured_parts(components, context)
        y = np.linalg.svd(parts.below)[2][0]
        found: dict[Fraction, list[StretchedBy]] = {}
        for units in depths:
            for a, scale in _scales(units).items():
                found.setdefault(a, []).append(stretched(running_on(silu_unit(scale), units, components, context), y))
        sizes = f"n=1, R={', '.join(map(str, depths))}, d={components}; {found[Fraction(0)][0].running.data}"
        return Computed(_Found(parts, found), Scope.of(sizes))

    return Argument(
        rf"How far $H_R$ stretches at $s = 1$, $1/\sqrt{{R}}$, $1/R$; $d = {components}$, $R$ = {', '.join(map(str, depths))}",
        "floating point",
        compute,
        PowersOfDepth(),
        {
            "$1/R$ keeps the greatest": PowersOfDepth(below=lambda a: 1 - a),
            "no scale is needed": PowersOfDepth(greatest=lambda a: -a),
            "the greatest has $s^2$ alone": PowersOfDepth(greatest=lambda a: -2 * a),
            "the condition number grows like $R^{2-a}$": PowersOfDepth(quotient=lambda a: 2 - a),
        },
        _grows_so,
        deep=deep,
    )


def _scales(units: int) -> dict[Fraction, Fraction]:
    """{a: R^-a} for a = 0, 1/2 and 1, R a square."""
    return {Fraction(0): Fraction(1), Fraction(1, 2): Fraction(1, isqrt(units)), Fraction(1): Fraction(1, units)}


# Where the condition number is bounded.

_DEPTHS = (16, 256, 4096, 65536)


def _bounded(found: tuple[_PartsAsArrays, int, str], power: Fraction) -> tuple[Measurement, ...]:
    """cond(H_R(s)) at s = c R^-power with c (|C| + |A|) half the least singular value of B, as for power = 1.

    Raises:
        Disagreement: it stays at half a power less, too, where R is greatest.
    """
    parts, seed, sizes = found
    own, curvature, below = parts.norms
    least = float(np.linalg.svd(parts.own)[1][-1])
    bound = (own + least / 2) / (least / 2)

    def at(units: int, power: Fraction) -> float:
        scale = least / 2 / (curvature + below) * units ** -float(power)
        condition = extremes(*parts.at(scale), units).condition_number
        assert condition is not None  # B is not singular
        return condition

    if at(_DEPTHS[-1], power - Fraction(1, 2)) <= bound:
        raise Disagreement(f"s = c/R^{power} is not needed: the condition number stays at half a power less, too")
    measured: list[Measurement] = []
    for units in _DEPTHS:
        why = r"an inequality: $(\lvert B\rvert + e) / (\sigma_{\min}(B) - e)$ with $e$ at most half of $\sigma_{\min}(B)$; eigenvalues from counts"
        measured.append(
            Measurement(
                r"$\mathrm{cond}(H_R(c/R))$", at(units, power), bound, f"R={units}, {sizes}", seed, why, at_most=True
            )
        )
    return tuple(measured)


def observed_condition(components: int) -> Argument:
    """The condition number at s = c/R and every R, from B, C and A of two running units."""

    def compute(context: Context) -> Computed:
        running = running_on(silu_unit(1), 2, components, context)
        found = (_measured_parts(components, context), running.seed, f"d={components}; {running.data}")
        return Computed(found, Scope.of(f"n=1, R=16..65536, d={components}; {running.data}"))

    return Argument(
        f"The condition number at $s = c/R$ stays, $d = {components}$, $R$ from 16 to 65536",
        "floating point",
        compute,
        Fraction(1),
        {r"at $c/\sqrt{R}$": Fraction(1, 2), "at $c$": Fraction(0)},
        _bounded,
    )


# The form.

_OWN = "1/128 * m^-1 * g[i,u] * tanh(X)[j,u] * tanh(X)[k,u] * dW1(1)[i,j] * dW1(1)[i,k]"
_CURVATURE = "1/8192 * m^-1 * tanh(X)[j,u] * tanh(X)[k,u] * dW1(1)[i,j] * dW1(1)[i,k]"
_BELOW = (
    "1/4096 * m^-1 * tanh(X)[j,u] * tanh(X)[k,u] * dW1(1)[i,j] * dW1(2)[i,k]"
    " + 1/4096 * m^-1 * g[k,u] * tanh'(X)[i,u] * tanh(X)[j,u] * dW1(1)[i,j] * dW1(2)[k,i]"
)

OBSERVED = (
    observed_product(
        r"$H v$ of a network of units $h + s\, \mathrm{silu}(W \tanh(h))$, $R = 1024$ and $s = 1/32$: $B$, $C$ and $A$ "
        "all nonzero",
        lambda context: on_data(silu_unit(Fraction(1, 32)), 1024, context, samples=200),
        Claim(f"{_OWN} + {_CURVATURE}", _BELOW),
        {
            "all of $D$ with $s^2$": Claim(f"{_OWN.replace('1/128', '1/4096')} + {_CURVATURE}", _BELOW),
            "$A$ with $s$": Claim(f"{_OWN} + {_CURVATURE}", _BELOW.replace("1/4096", "1/128")),
            "units do not interact": Claim(f"{_OWN} + {_CURVATURE}"),
        },
    ),
    observed_powers(3, (16, 256)),
    observed_condition(3),
    observed_powers(3, (4096,), deep=True),
    observed_powers(10, (1024,), deep=True),
)
