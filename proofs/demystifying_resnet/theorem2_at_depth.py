"""Evidence at great depth: networks with n = 1, 2, 3, linear and tanh, on the digits.

Linear networks run at R = 10^5 by the scan over depth, where data enter as covariances, and at R = 10^4 unit by unit on
the samples; tanh networks at R = 10^4 on 200 digits and at R = 10^3 on all of them; the Taylor coefficients modulo a
prime at R = 10^5 with generic activations. Where a dense matrix fits, the Hessian is assembled from products H e_p, a
block of unit vectors at a time, and its eigenvalues are counted.

Rounding of a dense spectrum: the assembled matrix is off by at most E entry by entry, E = gamma_N |X|_F (|X|_F +
|Y|_F)/m, where it is not zero, at most q times in a row, and LAPACK's eigenvalues are those of a matrix within
gamma_{10 p} |H| of it, so by Weyl's theorem each eigenvalue is off by at most q E + gamma_{10 p} |H|. Sources: Higham 2002, Section 3.5; Anderson et al. 1999, LAPACK
Users' Guide, Section 4.7.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from resproof.architectures.activations import tanh
from resproof.architectures.catalogue import n_shortcut
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.backend import largest_modulus
from resproof.numeric.rounding import gamma
from resproof.numeric.threads import one_thread
from resproof.proofs.demystifying_resnet.few_derivatives import leading_term, path_term
from resproof.proofs.routes.hessians import Claim
from resproof.proofs.routes.running_network import (
    MOVED_LITTLE,
    Moved,
    Running,
    Shift,
    are_eigenpairs,
    claim_and_shift,
    dense_hessian,
    eigenpairs,
    identity_modulo,
    observed_order,
    observed_product,
    on_data,
)
from resproof.proofs.statement import Argument, Computed, Context, Disagreement, Measurement
from resproof.proofs.theory.generic_units import generic_unit
from resproof.symbolic.scope import Scope

COVARIANCES, SAMPLES, ALL_DIGITS = 10**4, 10**4, 10**3
"""Units of the networks: linear, by products over depth; on 200 digits; on all digits."""

MULTIPLICITIES = (1, 2, 4)
CONDITIONS: Mapping[int, tuple[int, ...]] = {1: (1, 2, 4, 8, 16), 2: (1, 2, 4, 8)}
"""Depths whose Hessians are assembled, for each n."""

LINEAR = {n: ResidualUnit(n_shortcut(n)) for n in (1, 2, 3, 4)}
TANH = {n: ResidualUnit(n_shortcut(n, tanh, tanh, tanh)) for n in (1, 2, 3)}

Make: TypeAlias = Callable[[Context], Running]


def covariances(n: int, units: int = COVARIANCES) -> Make:
    """A linear network on all digits, by the scan over depth."""
    return lambda context: on_data(LINEAR[n], units, context)


def samples(unit: ResidualUnit, units: int = SAMPLES, count: int | None = 200) -> Make:
    """A network on the first `count` digits."""
    return lambda context: on_data(unit, units, context, samples=count)


# What is claimed.


def first_order_at(x: str = "X", bend: str = "", *, half: str = "1/2", residual: str = "") -> Claim:
    """B and A for n = 1 with post'(0) = 1, post''(0) = 0; `x` stands for pre(x), `bend` for pre'(x), for linear units neither."""
    square = f"m^-1 * {x}[j,u] * {x}[l,u] * delta[i,k]"
    residual = residual or f"m^-1 * g[i,u] * {bend}{x}[l,u] * dW1(2)[i,k] * dW1(1)[k,l]"
    return Claim(f"{half} * {square} * dW1(1)[i,j] * dW1(1)[k,l]", f"{square} * dW1(2)[i,j] * dW1(1)[k,l] + {residual}")


def _claims(n: int, x: str, bend: str) -> tuple[Claim, dict[str, Claim]]:
    """The Hessian of a network with n layers a unit whose slopes at zero are 1, and neighbouring falsehoods."""
    first = first_order_at(x, bend)
    form = f"m^-1 * g[i,u] * {x}[j,u] * dW{n}(1)[i,a] * dW1(1)[a,j]"
    crossed = f"m^-1 * g[i,u] * {x}[j,u] * dW{n}(2)[i,a] * dW1(1)[a,j]"
    return {
        1: (
            first,
            {
                "units do not interact": Claim(first.diagonal),
                "$B$ twice as large": Claim(first.diagonal.replace("1/2", "1"), first.cross),
                "without the residual's part of $A$": Claim(first.diagonal, first.cross.split(" + ")[0]),
            },
        ),
        2: (
            Claim(form),
            {
                "twice as large": Claim(f"2 * {form}"),
                "units interact": Claim(form, crossed),
                "$M$ transposed": Claim(form.replace("g[i,u]", "g[j,u]").replace(f"{x}[j,u]", f"{x}[i,u]")),
            },
        ),
        3: (Claim(), {"$M$ couples the outer weights": Claim(form), "units interact": Claim("0", crossed)}),
    }[n]


def _products(n: int) -> tuple[Argument, ...]:
    """H v against the claim at every depth and on all kinds of data."""
    linear, tangent = _claims(n, "X", ""), _claims(n, "tanh(X)", "tanh'(X)[k,u] * ")
    wide = f"$H v$, $n = {n}$, linear, $R = {COVARIANCES}$, on covariances"
    found = [observed_product(wide, covariances(n), *linear, deep=True)]
    by_unit = f"$H v$, $n = {n}$, linear, $R = {SAMPLES}$, unit by unit on 200 digits"
    found.append(observed_product(by_unit, samples(LINEAR[n]), *linear, deep=True, by_unit=True))
    found.extend(
        observed_product(
            f"$H v$, $n = {n}$, tanh, $R = {units}$, {shown}", samples(TANH[n], units, count), *tangent, deep=True
        )
        for units, count, shown in ((SAMPLES, 200, "200 digits"), (ALL_DIGITS, None, "all digits"))
    )
    return tuple(found)


def order_of(title: str, make: Make, n: int, x: str, *, deep: bool = False) -> Argument:
    """The first Taylor coefficient that does not vanish, along a random direction, n > 1, and its value; slopes 1, pre(x) = `x`."""
    part = path_term(n, x)
    neighbours: dict[str, tuple[int, str] | Moved] = {
        "one order higher": (n + 1, part),
        "twice as large": (n, f"2 * {part}"),
        "the other sign": (n, f"-1 * {part}"),
        "moved below by the least number": Moved((n, part), Shift(0.0)),  # these are sums of exact zeros
    }
    return observed_order(title, make, n, part, neighbours, deep=deep)


def _orders(n: int) -> tuple[Argument, ...]:
    return (
        order_of(f"Order {n - 1}, linear, $R = {COVARIANCES}$", covariances(n), n, "X", deep=True),
        order_of(f"Order {n - 1}, tanh, $R = {SAMPLES}$, 200 digits", samples(TANH[n]), n, "tanh(X)", deep=True),
    )


def _modulo(n: int) -> Argument:
    """The exact identity test with generic activations."""
    part = leading_term(n, 1)
    below = dict.fromkeys(range(1, n), "0")
    transposed = part.replace(f"g[a{n},u]", "g[a0,u]").replace("pre(X)[a0,u]", f"pre(X)[a{n},u]")
    neighbours = {"$M$ transposed": {**below, n: transposed}, "twice as large": {**below, n: f"2 * {part}"}}
    return identity_modulo(
        generic_unit(n), COVARIANCES, {**below, n: part}, neighbours, points=4, deep=True, d=10, m=20
    )


# Dense spectra.


class MeasuredSpectrum(NamedTuple):
    """All eigenvalues of the Hessian of one network, ascending, and how far each may be off."""

    eigenvalues: Any
    error: float


BLOCK = 100
"""Unit vectors that go through the network together."""


def spectrum(unit: ResidualUnit, units: int, context: Context) -> MeasuredSpectrum:
    """The eigenvalues of the assembled Hessian at the initial point, on all data."""
    running = on_data(unit, units, context)
    matrix = dense_hessian(running, BLOCK)
    error = int(np.max(np.count_nonzero(matrix, axis=1))) * gamma(running.chain) * running.moduli
    with one_thread():
        values = np.linalg.eigvalsh((matrix + matrix.T) / 2.0)
    return MeasuredSpectrum(values, error + gamma(10 * len(matrix)) * largest_modulus(values))


class MeasuredCondition(NamedTuple):
    """Moduli of eigenvalues: the greatest, the least that is not zero, and their quotient; and how far each is off."""

    largest: float
    smallest: float
    condition: float
    error: float

    @property
    def rounding(self) -> float:
        """How far the quotient may be off, relative."""
        return 2.0 * (self.error / self.largest + self.error / self.smallest)


@cache
def condition_numbers(
    context: Context, depths: tuple[tuple[int, tuple[int, ...]], ...] = tuple(CONDITIONS.items())
) -> dict[int, dict[int, MeasuredCondition]]:
    """{n: {R: (largest, smallest nonzero, condition)}} of the Hessians of linear networks at zero, on all data."""
    found: dict[int, dict[int, MeasuredCondition]] = {}
    for n, units in depths:
        found[n] = {}
        for r in units:
            eigenvalues, error = spectrum(LINEAR[n], r, context)
            moduli = np.abs(eigenvalues)
            nonzero = moduli[moduli > error]
            largest, smallest = float(nonzero.max()), float(nonzero.min())
            found[n][r] = MeasuredCondition(largest, smallest, largest / smallest, error)
    return found


@dataclass(frozen=True, slots=True)
class MeasuredConditions:
    """Condition numbers by depth, and what the statements compare them with."""

    series: Mapping[int, MeasuredCondition]
    reference: float
    sizes: str


def _singular_values(context: Context) -> Any:
    """Those of M = S - T, on all data."""
    x, y = (np.asarray(a) for a in (context.data.X, context.data.Y))
    return np.linalg.svd((x - y) @ x.T / x.shape[1], compute_uv=False)


def _sizes(n: int, depths: Iterable[int], context: Context) -> str:
    d, m = context.data.X.shape
    return f"n={n}, R={', '.join(map(str, depths))}, d={d}, m={m}; {context.data.name}"


def _second_order_conditions(context: Context) -> Computed:
    found, singular = condition_numbers(context)[2], _singular_values(context)
    sizes = _sizes(2, found, context)
    return Computed(MeasuredConditions(found, float(singular[0] / singular[-1]), sizes), Scope.of(sizes))


def _same_condition(found: MeasuredConditions, claim: Callable[[int, float], float] | Moved) -> Measurement:
    """The greatest distance of a condition number from claim(R, kappa(M)), relative, against that of its rounding."""
    bound = max(one.rounding for one in found.series.values())
    stated, shift = claim_and_shift(claim)
    claimed = {r: stated(r, found.reference) * (1.0 + shift.of(bound, 1.0)) for r in found.series}
    apart = max(abs(one.condition / claimed[r] - 1.0) for r, one in found.series.items())
    derivation = r"Weyl: 2 ($e$/largest + $e$/smallest), $e = q \gamma_N \lvert X\rvert_F (\lvert X\rvert_F + \lvert Y\rvert_F)/m + \gamma_{10 p} \lvert H\rvert$"
    return Measurement(
        r"$\max \lvert\mathrm{cond}(H_R)/\kappa(M) - 1\rvert$", apart, bound, found.sizes, None, derivation, scale=1.0
    )


def _first_order_conditions(context: Context) -> Computed:
    found, x = condition_numbers(context)[1], np.asarray(context.data.X)
    greatest, least = float(np.linalg.norm(x @ x.T / x.shape[1], 2)), float(_singular_values(context)[-1])
    sizes = _sizes(1, found, context)
    return Computed(MeasuredConditions(found, greatest / least, sizes), Scope.of(sizes))


def _grows(found: MeasuredConditions, power: int) -> Measurement:
    """The greatest R^power lambda_max(S) / sigma_min(S - T) / cond(H_R), R >= 2; at most 1 for the claimed power 1.

    Above this bound the condition number is not monotone: eigenvalues cross zero as R grows.
    """
    worst = max(r**power * found.reference / one.condition for r, one in found.series.items() if r >= 2)
    slack = max(one.rounding for one in found.series.values())
    derivation = "1 and the rounding of the quotient (Weyl)"
    quantity = r"$\max R^q \lambda_{\max}(S) / (\sigma_{\min}(S - T) \, \mathrm{cond}(H_R))$ for the claimed $q$"
    return Measurement(quantity, worst, 1.0 + slack, found.sizes, None, derivation, at_most=True)


def _multiplicities(context: Context) -> Computed:
    """All eigenvalues for n = 2, and those of M."""
    found = {r: spectrum(LINEAR[2], r, context) for r in MULTIPLICITIES}
    sizes = _sizes(2, found, context)
    return Computed((_singular_values(context), found, sizes), Scope.of(sizes))


def _counted(
    found: tuple[Any, Mapping[int, MeasuredSpectrum], str], claim: Callable[[int, int], tuple[int, float]] | Moved
) -> Measurement:
    """The greatest distance of a sorted eigenvalue from +- sigma_i^power, `copies` times each.

    Raises:
        Disagreement: the claimed number of eigenvalues is another.
    """
    (singular, spectra, sizes), (stated, shift) = found, claim_and_shift(claim)
    apart, bound = 0.0, max(one.error for one in spectra.values())
    for r, one in spectra.items():
        copies, power = stated(r, len(singular))
        values = singular**power + shift.of(bound, singular**power)
        claimed = np.sort(np.repeat(np.concatenate([values, -values]), copies))
        if claimed.shape != one.eigenvalues.shape:
            raise Disagreement(f"R = {r}: {len(one.eigenvalues)} eigenvalues; claimed {len(claimed)}")
        apart = max(apart, largest_modulus(one.eigenvalues - claimed))
    derivation = (
        r"Weyl: $q \gamma_N \lvert X\rvert_F (\lvert X\rvert_F + \lvert Y\rvert_F)/m + \gamma_{10 p} \lvert H\rvert$"
    )
    quantity, scale = "max |eigenvalue - claim|, sorted", float(singular[0])
    return Measurement(quantity, apart, bound, sizes, None, derivation, scale=scale)


def _floating(
    title: str, compute: Any, claim: Any, neighbours: Mapping[str, Any], compare: Any, why: str = ""
) -> Argument:
    others = neighbours if compare is _grows else {**neighbours, MOVED_LITTLE: Moved(claim)}
    return Argument(title, "floating point", compute, claim, others, compare, explanation=why, deep=True)


_POWERS = {r"the square of $\sigma_i$": 2.0, r"the root of $\sigma_i$": 0.5}

AT_DEPTH: Mapping[str, tuple[Argument, ...]] = {
    "DR-T2.1": (*_orders(2), *_orders(3), *_products(3), _modulo(3)),
    "DR-T2.2": (*_products(2), _modulo(2)),
    "DR-T2.2e": (
        _floating(
            f"Extreme eigenpairs, linear, $R = {COVARIANCES}$",
            eigenpairs(covariances(2), np.asarray, block=False),
            1.0,
            _POWERS,
            are_eigenpairs,
        ),
        _floating(
            f"Extreme eigenpairs, tanh, $R = {SAMPLES}$, 200 digits",
            eigenpairs(samples(TANH[2]), np.tanh, block=True),
            1.0,
            _POWERS,
            are_eigenpairs,
            "Both signs of the greatest and of the least singular value go through the network together.",
        ),
        _floating(
            "All eigenvalues, counted",
            _multiplicities,
            lambda r, d: (r * d, 1.0),
            {
                "$R$ times each": lambda r, d: (r, 1.0),
                "$R d^2$ times each": lambda r, d: (r * d * d, 1.0),
                r"the square of $\sigma_i$": lambda r, d: (r * d, 2.0),
            },
            _counted,
        ),
    ),
    "DR-T2.2c": (
        _floating(
            "Condition numbers of assembled Hessians, $n = 2$",
            _second_order_conditions,
            lambda r, kappa: kappa,
            {
                "the square": lambda r, kappa: kappa**2,
                "grows with $R$": lambda r, kappa: r * kappa,
                "grows with the root of $R$": lambda r, kappa: r**0.5 * kappa,
            },
            _same_condition,
        ),
    ),
    "DR-T2.3": _products(1)[2:],
    "DR-T2.3ab": _products(1)[:2],
    "DR-T2.3x": (
        _floating(
            "Condition numbers of assembled Hessians, $n = 1$",
            _first_order_conditions,
            1,
            {"quadratic growth at this constant": 2, "cubic growth at this constant": 3},
            _grows,
            r"$\mathrm{cond}(H_R) \ge R \lambda_{\max}(S) / \sigma_{\min}(S - T)$, GEN-3.",
        ),
    ),
}
"""Statement -> its evidence at great depth."""
