"""Demystifying ResNet, section 4.1: the variance of the output over random weights, against depth.

Weights are independent with entries N(0, s^2/d); q is what one unit adds: E |U(h)|^2 = (1 + q) |h|^2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import reduce
from itertools import product
from typing import Any, NamedTuple, TypeAlias

import sympy

from resproof.architectures.activations import identity_activation, relu
from resproof.architectures.catalogue import n_shortcut, plain
from resproof.architectures.forms.terms import ROW, SAMPLE, InitialWeight, Opaque
from resproof.architectures.losses import squared
from resproof.architectures.nodes import Activation
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.changes import Change
from resproof.proofs.demystifying_resnet.descent import near_variance, simulated_variance, unit_moments
from resproof.proofs.demystifying_resnet.documents import source
from resproof.proofs.demystifying_resnet.lemmas import INDUCTION_STEP
from resproof.proofs.demystifying_resnet.pictures import growth_of_squares
from resproof.proofs.routes.certificates import certified
from resproof.proofs.routes.hessians import same_sum
from resproof.proofs.routes.predicates import at_most, matches, property_of
from resproof.proofs.statement import (
    PRINTED,
    Argument,
    Clause,
    Computed,
    Context,
    Counterexample,
    Disagreement,
    Hypothesis,
    Induction,
    Statement,
    equal,
)
from resproof.proofs.theory.generic_units import DEPTHS, MID, PRE, generic_unit, over_depths
from resproof.proofs.theory.linear_networks import FREE, any_value, outputs, ring_of, written_out
from resproof.symbolic.algebra.rings import Plain
from resproof.symbolic.certificates import NotCertified, Orthant, of_symbols, orthant
from resproof.symbolic.index import sizes
from resproof.symbolic.index.claims import show, vocabulary
from resproof.symbolic.index.lift import data, passes_through
from resproof.symbolic.index.moments import expectation, gaussian_moment
from resproof.symbolic.index.series import Sum, add, contract, symbol, tensor
from resproof.symbolic.index.series import multiply as multiply_sums
from resproof.symbolic.index.series import scale as scale_sum
from resproof.symbolic.index.series import size as count
from resproof.symbolic.scope import Scope

# DR-M8: the variance of the output.

_VARIANCE = multiply_sums(symbol("s", 2), count("d", -1))
"""The variance s^2/d of an entry: s^2 = 1 for Xavier's initialisation, 2 for MSRA's."""


def _over_weights(unit: ResidualUnit, summand: Sum) -> Sum:
    """The expectation over every weight of a unit."""
    for name in unit.names.values():
        summand = expectation(summand, InitialWeight(name, None, ("d", "d")), _VARIANCE)
    return summand


def _squared_norm(value: Sum) -> Sum:
    """|value|^2 of every sample."""
    return contract(multiply_sums(value, value), {ROW: "d"})


Moments: TypeAlias = Mapping[int, Mapping[str, Sum]]


def _moments(mid: Activation, depths: Sequence[int]) -> Callable[[Context], Computed]:
    """E U(h), E |U(h)|^2 and, for n <= 3, E |U(h)|^4 for an arbitrary h = X, for these shortcut depths."""

    def compute(_: Context) -> Computed:
        found, scopes = dict[int, dict[str, Sum]](), list[Scope]()
        for n in depths:
            unit = ResidualUnit(n_shortcut(n, mid=mid))
            value = any_value(unit, data(unit))
            norm = _squared_norm(value)
            found[n] = {"mean": _over_weights(unit, value), "square": _over_weights(unit, norm)}
            if n <= 3:
                found[n]["fourth"] = _over_weights(unit, multiply_sums(norm, norm))
            scopes.append(sizes.of_terms(value, norm) & Scope.over(n=n))
        shown = r"\mathbb E\,\|U(h)\|^2 = (1 + s^{2n})\,\|h\|^2, \qquad \mathbb E\,U(h) = h"
        return Computed(found, reduce(Scope.__or__, scopes), shown)

    return compute


_NORM, _NORM_SQUARED = "X[a,u] * X[a,u]", "X[a,u] * X[a,u] * X[b,u] * X[b,u]"


def _moment_claim(n: int, *, power: int = 2, d_power: int = 0, cross: int = 4) -> dict[str, str]:
    """E U = h, E |U|^2 = (1 + q) |h|^2, E |U|^4 = (1 + 2q + 4q/d + q^2 (1 + 2/d)^n) |h|^4, with q = s^(2n)."""
    q = f"s^{power * n} * d^{d_power}"
    claim = {"mean": "X[i,u]", "square": f"{_NORM} + {q} * {_NORM}"}
    if n <= 3:
        terms = [_NORM_SQUARED, f"2 * s^{2 * n} * {_NORM_SQUARED}", f"{cross} * s^{2 * n} * d^-1 * {_NORM_SQUARED}"]
        for k, binomial in enumerate({1: (1, 1), 2: (1, 2, 1), 3: (1, 3, 3, 1)}[n]):
            terms.append(f"{binomial * 2**k} * s^{4 * n} * d^{-k} * {_NORM_SQUARED}")
        claim["fourth"] = " + ".join(terms)
    return claim


def _same_moments(found: Moments, claim: Callable[[int], Mapping[str, str]]) -> None:
    for n, moments in found.items():
        known = vocabulary(ResidualUnit(n_shortcut(n, PRE)), squared)
        for name, moment in moments.items():
            same_sum(moment, claim(n)[name], known, FREE, name=f"n={n}, {name}")


def _layer_moments(_: Context) -> Computed:
    """One layer on an arbitrary input u = X, its inner product with an arbitrary h, and ReLU on either side of zero."""
    unit, h = ResidualUnit(plain()), tensor(Opaque("h", ("d", "m")), (ROW, SAMPLE))
    value = any_value(unit, data(unit))
    t = sympy.Symbol("t", positive=True)
    square, pairing = _squared_norm(value), contract(multiply_sums(h, value), {ROW: "d"})
    found = {
        "E |W u|^2": show(_over_weights(unit, square)),
        "E <h, W u>": show(_over_weights(unit, pairing)),
        "relu(t)^2 + relu(-t)^2": str(sympy.Max(0, t) ** 2 + sympy.Max(0, -t) ** 2),
    }
    shown = r"\mathbb E\,\|W u\|^2 = s^2 \|u\|^2, \qquad \mathbb E\,\mathrm{relu}(z)^2 = \tfrac12\, \mathbb E\, z^2"
    return Computed(found, sizes.of_terms(square) & sizes.of_terms(pairing), shown)


_LAYER_MOMENTS = {
    "E |W u|^2": "s^2 * X[a,u] * X[a,u]",
    "E <h, W u>": "0",
    "relu(t)^2 + relu(-t)^2": "t**2",
}


_Q, _UNITS = sympy.Symbol("q", positive=True), sympy.Symbol("R", integer=True, nonnegative=True)


def _growth(_: Context) -> Computed:
    """The law (1 + q)^R at R = 0 and from R to R + 1, and (1 + q)(1 + R q) - (1 + (R + 1) q) by powers of q and R."""
    law, following = (1 + _Q) ** _UNITS, (1 + _Q) ** (_UNITS + 1)
    bound, next_bound = 1 + _UNITS * _Q, 1 + (_UNITS + 1) * _Q
    step = sympy.Poly((1 + _Q) * bound - next_bound, _Q, _UNITS)
    found = {
        "no unit": law.subs(_UNITS, 0),
        "one more unit": sympy.powsimp(following / law),
        "step": {tuple(powers): int(c) for powers, c in step.terms() if c},
    }
    scope = of_symbols({"R": _UNITS}, law, following) & of_symbols({"R": _UNITS}, bound, next_bound)
    return Computed(found, scope, r"\mathbb E\,\|f(x)\|^2 = (1 + q)^R\,\|x\|^2, \qquad (1 + q)^R - 1 \ge R\,q")


_GROWTH = {"no unit": sympy.Integer(1), "one more unit": 1 + _Q, "step": {(2, 1): 1}}


def _at_zero(_: Context) -> Computed:
    found: dict[object, bool] = {n: passes_through(generic_unit(n)) for n in DEPTHS}
    found["plain layer"] = passes_through(ResidualUnit(plain(MID)))
    return Computed(found, over_depths(DEPTHS), r"w = 0: \quad h_r = x \text{ for every } r")


_AT_ZERO: dict[object, bool] = {**dict.fromkeys(DEPTHS, True), "plain layer": False}


def _small_at_zero(_: Context) -> Computed:
    """What is left of the outputs of small linear networks without the monomials that have a weight."""
    found = {}
    for n, units, d in ((1, 1, 2), (1, 3, 2), (2, 2, 2), (3, 2, 1)):
        rows = outputs(written_out((n,) * units), d)
        found[n, units, d] = [[without_weights(plain) for plain in row] for row in rows]
    return Computed(found, Scope.of(*(f"n={n}, R={units}, d={d}, m=1" for n, units, d in found)))


def without_weights(plain: Plain) -> Plain:
    """A polynomial at weights zero."""
    return {m: c for m, c in plain.items() if not any(name.startswith("W") for name, _ in m)}


def _same_multiple(found: Mapping[tuple[int, int, int], list[list[Plain]]], factor: Fraction) -> None:
    """Pass when every output is the input times this factor.

    Raises:
        Disagreement: one is not.
    """
    for (n, units, d), rows in found.items():
        for i, row in enumerate(rows, start=1):
            if row != [{((f"x_{i}_1", 1),): factor} if factor else {}]:
                raise Disagreement(f"n={n}, R={units}, d={d}: the output {i} at zero weights is {row}")


_SCALES = {"Xavier": 1, "MSRA": 2}


def _exact_variances(_: Context) -> Computed:
    """E |f(x)|^2 over Gaussian weights of small linear networks, as polynomials in x."""
    found = {}
    for n, units, d in ((1, 1, 2), (1, 3, 2), (2, 1, 2), (2, 2, 2), (3, 1, 2), (1, 2, 3), (2, 3, 1), (3, 3, 1)):
        polynomials = outputs(written_out((n,) * units), d)
        for name, s2 in _SCALES.items():
            found[n, units, d, name] = _gaussian_square(polynomials, Fraction(s2, d))
    at = [f"n={n}, R={units}, d={d}" for n, units, d, name in found if name == "Xavier"]
    return Computed(found, Scope.of(*at))


def _gaussian_square(polynomials: list[list[Plain]], variance: Fraction, power: int = 1) -> Plain:
    """E (sum_i f_i^2)^power, the symbols W... being independent and N(0, variance)."""
    ring, total = ring_of(polynomials), dict[Any, Fraction]()
    square = sum((ring.element(f) ** 2 for row in polynomials for f in row), ring.zero)
    for monomial, coefficient in ring.plain(square**power).items():
        for name, power in monomial:
            if name.startswith("W"):
                coefficient *= gaussian_moment(power) * variance ** (power // 2)
        kept = tuple((name, power) for name, power in monomial if not name.startswith("W"))
        total[kept] = total.get(kept, Fraction(0)) + coefficient
    return {monomial: value for monomial, value in total.items() if value}


def _unit_moments(_: Context) -> Computed:
    """E |U(x)|^2 and E |U(x)|^4 of a unit with two layers, linear, and with ReLU between them, by d and s^2.

    Both are even in each hidden value, whose sign does not depend on its modulus: ReLU puts each at 0 with probability 1/2.
    """
    found = dict[tuple[int, int, bool], list[Plain]]()
    for d, s2, halved in product((1, 2), (1, 2), (False, True)):
        rows, silent = outputs(written_out((2,)), d), list(product((False, True), repeat=d)) if halved else [()]
        masked = [[[_without_rows(f, one) for f in row] for row in rows] for one in silent]
        found[d, s2, halved] = [_mean_of([_gaussian_square(one, Fraction(s2, d), k) for one in masked]) for k in (1, 2)]
    return Computed(found, Scope.of(*(f"n=2, R=1, d={d}, s^2={s2}" for d, s2, _ in found)))


def _without_rows(plain: Plain, silent: tuple[bool, ...]) -> Plain:
    """A polynomial with these rows of the first layer at zero."""
    gone = tuple(f"W1_1[{row}," for row, off in enumerate(silent, 1) if off)
    return {m: c for m, c in plain.items() if not any(name.startswith(gone) for name, _ in m)}


def _mean_of(polynomials: list[Plain]) -> Plain:
    total = Counter[Any]()
    for one in polynomials:
        total.update(one)
    return {m: Fraction(1, len(polynomials)) * c for m, c in total.items()}


UnitMoments: TypeAlias = Callable[..., tuple[float, float]]
"""(s^2, d, halved) -> E |U(x)|^2 / |x|^2 - 1 and E |U(x)|^4 / |x|^4, exact where they are dyadic."""


def _are_unit_moments(found: Mapping[tuple[int, int, bool], list[Plain]], claim: UnitMoments) -> None:
    for (d, s2, halved), (second, fourth) in found.items():
        q, value = claim(s2, d, halved=halved)
        square = {((f"x_{i}_1", 2),): 1 + q for i in range(1, d + 1)}
        mixed = {((f"x_{i}_1", 2), (f"x_{j}_1", 2)): 2 * value for j in range(1, d + 1) for i in range(1, j)}
        if second != square or fourth != {((f"x_{i}_1", 4),): value for i in range(1, d + 1)} | mixed:
            raise Disagreement(f"d={d}, s^2={s2}: E |U|^2 and E |U|^4 are not {1 + q} |x|^2 and {value} |x|^4")


def _without_the_direction(s2: int, d: int, *, halved: bool) -> tuple[float, float]:
    q, fourth = unit_moments(s2, d, halved=halved)
    return q, fourth - 4 * q / d


UNIT_MOMENTS = Argument(
    "Second and fourth moments of one unit with two layers",
    "explicit",
    _unit_moments,
    unit_moments,
    {
        "ReLU changes nothing": lambda s2, d, halved: unit_moments(s2, d, halved=False),
        "the fourth is the square of the second": lambda s2, d, halved: (
            unit_moments(s2, d, halved=halved)[0],
            (1 + unit_moments(s2, d, halved=halved)[0]) ** 2,
        ),
        "the branch is orthogonal to its input": _without_the_direction,
    },
    _are_unit_moments,
    explanation="So much may the mean over random networks be off.",
)

Growth: TypeAlias = Callable[[int, int, int], Fraction]
"""(n, R, s^2) -> E |f(x)|^2 / |x|^2."""


def _grow(n: int, units: int, s2: int) -> Fraction:
    """(1 + s^(2n))^R."""
    return (1 + Fraction(s2) ** n) ** units


def _grow_by_relu(n: int, units: int, s2: int) -> Fraction:
    """(1 + s^(2n) 2^-(n-1))^R."""
    return (1 + Fraction(s2) ** n / 2 ** (n - 1)) ** units


def _same_variances(found: Mapping[tuple[int, int, int, str], Plain], claim: Growth) -> None:
    for (n, units, d, name), square in found.items():
        value = claim(n, units, _SCALES[name])
        if square != {((f"x_{i}_1", 2),): value for i in range(1, d + 1)}:
            raise Disagreement(f"n={n}, R={units}, d={d}, {name}: E|f(x)|^2 is not {value} |x|^2")


def _relu_variances(_: Context) -> Computed:
    """E |f(x)|^2 / |x|^2 of small networks with ReLU at mid over all weights +-1, so that s^2 = d."""
    found = {}
    for n, units, d, x in (
        (2, 1, 1, (3,)),
        (2, 3, 1, (3,)),
        (3, 2, 1, (-2,)),
        (4, 2, 1, (1,)),
        (2, 1, 2, (3, -1)),
        (3, 1, 2, (1, 2)),
    ):
        found[n, units, d] = _mean(_after_signs(n, units, d, x), _square) / sum(map(_square, x))
    return Computed(found, Scope.of(*(f"n={n}, R={units}, d={d}, weights +-1" for n, units, d in found)))


def _square(v: int) -> int:
    return v * v


def _after_signs(
    n: int, units: int, d: int, x: tuple[int, ...], *, scale: int = 1, at_pre: bool = False
) -> Mapping[tuple[int, ...], int]:
    """How many choices of all weights among +-scale lead to each output, with ReLU at mid, and at pre too."""
    weights = list(product(product((-scale, scale), repeat=d), repeat=d))
    paths = list(product(weights, repeat=n))
    states = {x: 1}
    for _ in range(units):
        found = Counter[tuple[int, ...]]()
        for h, ways in states.items():
            for path in paths:
                u = h
                for number, w in enumerate(path):
                    u = tuple(max(v, 0) for v in u) if number or at_pre else u
                    u = tuple(sum(a * b for a, b in zip(row, u, strict=True)) for row in w)
                moved = tuple(a + b for a, b in zip(h, u, strict=True))
                found.update({moved: ways})
        states = found
    return states


def _mean(states: Mapping[tuple[int, ...], int], value: Callable[[int], int]) -> Fraction:
    """The mean of sum_i value(h_i) over all ways."""
    total = sum(ways * sum(map(value, h)) for h, ways in states.items())
    return Fraction(total, sum(states.values()))


def _same_growth(found: Mapping[tuple[int, int, int], Fraction], claim: Growth) -> None:
    for (n, units, d), mean in found.items():
        if mean != claim(n, units, d):
            raise Disagreement(f"n={n}, R={units}, d={d}: computed {mean}; claimed {claim(n, units, d)}")


_SIMULATED = {"constant": 0.0, "$s^n$ in place of $s^{2n}$": 0.5, "twice the share of a unit": 2.0}

MOMENTS = Argument(
    "Moments of one unit on an arbitrary input",
    "index notation",
    _moments(identity_activation, DEPTHS),
    _moment_claim,
    {
        "$s^n$ in place of $s^{2n}$": lambda n: _moment_claim(n, power=1),
        "divided by the width": lambda n: _moment_claim(n, d_power=-1),
        "without the covariance of branch and input": lambda n: _moment_claim(n, cross=0),
    },
    _same_moments,
    explanation="By Isserlis' theorem over every weight; the width cancels. The weights of a unit are independent of its "
    "input, so the factors multiply over units. The fourth moment gives the error of the "
    "simulation.",
)

LAYER_MOMENTS = Argument(
    "Induction over the layers of a path, with and without ReLU",
    "index notation",
    _layer_moments,
    _LAYER_MOMENTS,
    {
        "the width does not cancel": {**_LAYER_MOMENTS, "E |W u|^2": "d * s^2 * X[a,u] * X[a,u]"},
        "branch and input are correlated": {**_LAYER_MOMENTS, "E <h, W u>": "s^2 * X[a,u] * h[a,u]"},
        "ReLU keeps the square": {**_LAYER_MOMENTS, "relu(t)^2 + relu(-t)^2": "2*t**2"},
    },
    explanation="$u$ may be any random vector independent of $W$. An entry $z$ of $W u$ has a symmetric distribution, so "
    r"$E\, \mathrm{relu}(z)^2 = E (\mathrm{relu}(z)^2 + \mathrm{relu}(-z)^2) / 2 = E z^2 / 2$: $n$ layers give $s^{2n}$, "
    "and $n - 1$ ReLUs $2^{-(n-1)}$. The last $W$ makes branch and input uncorrelated and the mean of the branch zero.",
)

GROWTH = Argument(
    "The factors multiply, and their product has no bound",
    "inequality",
    _growth,
    _GROWTH,
    {
        "the step is zero": {**_GROWTH, "step": {}},
        "linear in $q$": {**_GROWTH, "step": {(1, 1): 1}},
        "the variance is linear in $R$": {**_GROWTH, "one more unit": 1 + _Q / (1 + _UNITS * _Q)},
    },
    explanation=r"The weights of a unit are independent of its input, so $E \lvert f\rvert^2$ is $\lvert x\rvert^2$ without units and "
    r"$1 + q$ times as large with one more. $(1 + q)^R \ge 1 + R q$ by induction: the step leaves $R q^2 \ge 0$. For "
    "fixed $s > 0$ and $n$, $R q$ exceeds every bound.",
)

# ReLU at pre: p = relu(h), P = E |relu(h)|^2, and a branch b that is as likely as -b.


def _moments_at_pre(_: Context) -> Computed:
    """E U(h), E |U(h)|^2 and the mean square of an entry of the branch, for any pre and an arbitrary h = X."""
    found, scopes = dict[int, dict[str, Sum]](), list[Scope]()
    for n in DEPTHS:
        unit = ResidualUnit(n_shortcut(n, PRE))
        value = any_value(unit, data(unit))
        branch = add(value, scale_sum(-1, data(unit)))
        found[n] = {
            "mean": _over_weights(unit, value),
            "square": _over_weights(unit, _squared_norm(value)),
            "entry": _over_weights(unit, multiply_sums(branch, branch)),
        }
        scopes.append(sizes.of_terms(value, branch) & Scope.over(n=n))
    return Computed(
        found, reduce(Scope.__or__, scopes), r"\mathbb E\,b_i^2 = \frac{s^{2n}}{d}\,\|\sigma_{\mathrm{pre}}(h)\|^2"
    )


_P = "pre(X)[a,u] * pre(X)[a,u]"


def _at_pre_claim(n: int, *, width: int = -1, norm: str = _P) -> dict[str, str]:
    return {
        "mean": "X[i,u]",
        "square": f"{_NORM} + s^{2 * n} * {norm}",
        "entry": f"s^{2 * n} * d^{width} * {norm}",
    }


def _layer_entry(_: Context) -> Computed:
    """The mean square of an entry of W u for an arbitrary u = X."""
    unit = ResidualUnit(plain())
    value = any_value(unit, data(unit))
    square = multiply_sums(value, value)
    return Computed(show(_over_weights(unit, square)), sizes.of_terms(square))


AT_PRE = Argument(
    "Moments of one unit with any pre",
    "index notation",
    _moments_at_pre,
    _at_pre_claim,
    {
        "the branch sees $h$": lambda n: _at_pre_claim(n, norm=_NORM),
        "an entry does not depend on the width": lambda n: _at_pre_claim(n, width=0),
    },
    _same_moments,
    explanation="The last $W$ makes every entry of the branch as likely as its negative, and gives all of them the same mean square.",
)

LAYER_ENTRY = Argument(
    "An entry of one more layer with an arbitrary input",
    "index notation",
    _layer_entry,
    "d^-1 * s^2 * X[a,u] * X[a,u]",
    {"the width does not enter": "s^2 * X[a,u] * X[a,u]", "one entry of the input": "d^-1 * s^2 * X[i,u] * X[i,u]"},
)


Order: TypeAlias = tuple[int, int, int]
"""The signs of t - b, t and t + b."""


class Gains(NamedTuple):
    """What +-b, b >= 0, adds to relu(t)^2 in the mean, with b^2, by the order of t and b."""

    space: Orthant
    of: Mapping[Order, tuple[Any, Any]]


def _gains(_: Context) -> Computed:
    """t = b + c; b = t + c; t = -u and b = u + c; t = -(b + c): an order of t and b is written in two variables >= 0."""
    o = orthant(nonnegative="t b c u")
    t, b, c, u = (o[name] for name in "tbcu")
    found = {}
    for at, change in ((b + c, b), (t, t + c), (-u, u + c), (-b - c, b)):
        ends = at - change, at, at + change
        below, middle, above = (max(_sign(o, one), 0) * one for one in ends)
        order = tuple(_sign(o, one) for one in ends)
        found[order] = (below**2 + above**2) / 2 - middle**2, change**2
    return Computed(Gains(o, found), Scope())


def _sign(o: Orthant, value: Any) -> int:
    """Of what is at least zero, or at most zero, on all of the orthant.

    Raises:
        ValueError: it is neither.
    """
    for sign in (1, -1):
        with suppress(NotCertified):
            o.at_least_zero("the sign", sign * value)
            return sign
    raise ValueError(f"{value} is not of one sign; expected an order of t and b")


def _gain_at_least(found: Gains, claim: Mapping[Order, Fraction]) -> None:
    """Pass when these are the orders, and the gain is at least these shares of b^2."""
    equal(set(found.of), set(claim))
    for order, (gain, square) in found.of.items():
        found.space.at_least_zero("the gain", gain - square * claim[order].numerator / claim[order].denominator)


_ABOVE, _FIRST, _SECOND, _BELOW = (1, 1, 1), (-1, 1, 1), (-1, -1, 1), (-1, -1, -1)
_SHARES = {_ABOVE: Fraction(1), _FIRST: Fraction(1, 2), _SECOND: Fraction(0), _BELOW: Fraction(0)}

GAINS = Argument(
    r"What a symmetric change adds to $\mathrm{relu}(t)^2$ in the mean",
    "inequality",
    _gains,
    _SHARES,
    {
        r"$\tfrac{51}{100} b^2$ for $t \ge 0$": {**_SHARES, _FIRST: Fraction(51, 100)},
        r"$\tfrac{101}{100} b^2$ for $t \ge b$": {**_SHARES, _ABOVE: Fraction(101, 100)},
        r"$\tfrac{1}{100} b^2$ for $-b \le t \le 0$": {**_SHARES, _SECOND: Fraction(1, 100)},
        r"$\tfrac{1}{100} b^2$ for $t \le -b$": {**_SHARES, _BELOW: Fraction(1, 100)},
    },
    certified(_gain_at_least),
    explanation=r"$(\mathrm{relu}(t + b)^2 + \mathrm{relu}(t - b)^2)/2 - \mathrm{relu}(t)^2$ is at least $b^2/2$ where $t \ge 0$, and "
    r"at least 0: so it is in each of the orders $t \ge b$, $b \ge t \ge 0$, $0 \ge t \ge -b$, $t \le -b$.",
)


class GrowthOfHalf(NamedTuple):
    """q, d, P and N = E |relu(-h)|^2 of the input, the greatest lower bound on P after one unit, and E |U(h)|^2."""

    space: Orthant
    positive: Any
    whole: Any


class GrowthFactors(NamedTuple):
    """By what P grows at least with one unit, and E |h|^2 at most, as functions of q and d."""

    least: Callable[[Any, Any], Any]
    greatest: Callable[[Any, Any], Any]


def _one_unit_at_pre(_: Context) -> Computed:
    """1 + k coordinates of h, of d = 1 + k + l, are not negative; each gains at least q P/(2d)."""
    o = orthant("q P", "N k l")
    q, p = o["q"], o["P"]
    d = 1 + o["k"] + o["l"]
    grown = GrowthOfHalf(o, p + (1 + o["k"]) * q * p / (2 * d), p + o["N"] + q * p)
    return Computed(grown, Scope())


def _grows_within(found: GrowthOfHalf, claim: GrowthFactors) -> None:
    """Pass when P times the one factor is at most what it becomes, and P + N times the other at least."""
    o = found.space
    q, d, p = o["q"], 1 + o["k"] + o["l"], o["P"]
    o.at_least_zero("from below", found.positive - claim.least(q, d) * p)
    o.at_least_zero("from above", claim.greatest(q, d) * (p + o["N"]) - found.whole)


_FACTORS = GrowthFactors(lambda q, d: 1 + q / (2 * d), lambda q, d: 1 + q)
_FALSE_FACTORS = {
    "twice the gain": _FACTORS._replace(least=lambda q, d: 1 + q / d),
    "a gain whatever the width": _FACTORS._replace(least=lambda q, d: 1 + q / 2),
    "half the growth": _FACTORS._replace(greatest=lambda q, d: 1 + q / 2),
    "no growth": _FACTORS._replace(greatest=lambda q, d: 1 + 0 * q),
}

ONE_UNIT_AT_PRE = Argument(
    r"What one unit with ReLU at pre does to $P = E \lvert\mathrm{relu}(h)\rvert^2$ and to $E \lvert h\rvert^2$",
    "inequality",
    _one_unit_at_pre,
    _FACTORS,
    {
        **_FALSE_FACTORS,
        "a hundredth more of the gain": _FACTORS._replace(least=lambda q, d: 1 + 101 * q / (200 * d)),
        "a hundredth less of the growth": _FACTORS._replace(greatest=lambda q, d: 1 + 99 * q / 100),
    },
    certified(_grows_within),
    explanation=r"Where $\mathrm{relu}(h) \ne 0$ some coordinate is positive; $E \lvert U(h)\rvert^2 = E \lvert h\rvert^2 + q P$ and "
    r"$P \le E \lvert h\rvert^2$.",
)

_SIGNS_AT_PRE = (
    (1, 1, 1, (1,), 10),
    (1, 3, 1, (1,), 2),
    (2, 2, 1, (3,), 1),
    (3, 1, 1, (2,), 2),
    (1, 1, 2, (1, -100), 10),
    (2, 1, 2, (1, -2), 1),
    (1, 2, 2, (2, 1), 1),
)
"""n, R, d, x and the size a of the weights +-a, so that s^2 = d a^2."""


class Halves(NamedTuple):
    """q = s^(2n) 2^-(n-1), R, d, and E |relu(.)|^2 and E |.|^2 of input and output."""

    q: Fraction
    units: int
    d: int
    before: tuple[Fraction, Fraction]
    after: tuple[Fraction, Fraction]


def _halves_at_pre(_: Context) -> Computed:
    """Networks with ReLU at pre and mid over all weights +-a."""

    def both(states: Mapping[tuple[int, ...], int]) -> tuple[Fraction, Fraction]:
        return _mean(states, lambda v: max(v, 0) ** 2), _mean(states, _square)

    found = {}
    for n, units, d, x, a in _SIGNS_AT_PRE:
        after = _after_signs(n, units, d, x, scale=a, at_pre=True)
        q = Fraction(d * a * a) ** n / 2 ** (n - 1)
        found[f"n={n}, R={units}, d={d}, x={x}, weights +-{a}"] = Halves(q, units, d, both({x: 1}), both(after))
    return Computed(found, Scope.of(*found))


def _powers_within(found: Mapping[str, Halves], claim: GrowthFactors) -> None:
    for at, one in found.items():
        least, greatest = (factor(one.q, one.d) ** one.units for factor in claim)
        at_most(least * one.before[0], one.after[0], f"{at}, the growth from below")
        at_most(one.after[1], greatest * one.before[1], f"{at}, the growth")


def _parts(_: Context) -> Computed:
    """relu(z) - relu(-z) - z on either side of zero."""
    t = sympy.Symbol("t", positive=True)
    return Computed({sign: sympy.Max(0, sign * t) - sympy.Max(0, -sign * t) - sign * t for sign in (1, -1)}, Scope())


CENTRED = Argument(
    "Samples whose sum is zero, not all zero, have a positive coordinate",
    "identity",
    _parts,
    {1: sympy.Integer(0), -1: sympy.Integer(0)},
    {r"$\mathrm{relu}(-z) = 0$": {1: sympy.Integer(0), -1: sympy.Symbol("t", positive=True)}},
    explanation=r"Summed over the samples, $\mathrm{relu}(x)$ and $\mathrm{relu}(-x)$ are equal; if one is zero, so is the other, and "
    "$x$.",
)

_NEGATIVE = (-1,)
"""An input of width one."""


def _stays(_: Context) -> Computed:
    """E |f(x)|^2 - |x|^2 for x = -1 and R = 1..3, n = 2, ReLU at pre and mid, weights +-1."""
    found = [_mean(_after_signs(2, units, 1, _NEGATIVE, at_pre=True), _square) - 1 for units in range(1, 4)]
    return Computed(tuple(found), Scope.of("n=2, R=1..3, d=1, x=-1, weights +-1"))


def _adds_nothing(_: Context) -> Computed:
    """What one unit adds in the mean, q relu(x)^2, at x = -1."""
    return Computed(Fraction(int(sympy.Max(0, _NEGATIVE[0]) ** 2)), Scope.of("n=2, d=1, x=-1"))


_WITHOUT_POSITIVE = Argument(
    r"The variance over all weights $\pm1$",
    "explicit",
    _stays,
    (Fraction(0),) * 3,
    {PRINTED: property_of(tuple(map(Fraction, range(3))))(lambda found: found[0] < found[1] < found[2])},
    matches,
)

_EVERY_INPUT = Clause(
    "With ReLU at pre the variance exceeds every bound with depth for every single input.",
    {"n": 1, "R": 1, "d": 1},
    counterexample=Counterexample(
        instance=_NEGATIVE,
        even_if=(Hypothesis(r"$x \ne 0$", any, fails_on=(0,), holds_on=(0, -1)),),
        sentence="Where no coordinate of $x$ is positive, all branches are zero whatever the weights: $f(x) = x$ at every depth.",
        show=lambda x: f"d = 1, x = {x[0]}",
        picture=lambda x: growth_of_squares(
            lambda at, units: _mean(_after_signs(2, units, 1, at, at_pre=True), _square), x
        ),
        routes=(
            _WITHOUT_POSITIVE,
            Argument(
                r"The share $\mathrm{relu}(x)^2$ of a unit",
                "instance",
                _adds_nothing,
                Fraction(0),
                {PRINTED: property_of(Fraction(1))(lambda share: share > 0)},
                matches,
            ),
        ),
    ),
)

RELU_AT_PRE = Clause(
    r"With ReLU at pre and $q = s^{2n}$, or with ReLU at mid too and $q = s^{2n} 2^{-(n-1)}$, $(1 + q/(2d))^R \lvert\mathrm{relu}(x)\rvert^2 \le E "
    r"\lvert\mathrm{relu}(f(x))\rvert^2 \le E \lvert f(x)\rvert^2 \le (1 + q)^R \lvert x\rvert^2$ and $E f(x) = x$: "
    "summed over the samples, the variance exceeds every bound with depth.",
    {"n": 1, "R": 1, "d": 1},
    (
        Induction("n", AT_PRE, LAYER_ENTRY),
        LAYER_MOMENTS,
        GAINS,
        ONE_UNIT_AT_PRE,
        GROWTH,
        CENTRED,
        Argument(
            r"ReLU at pre and mid, all weights $\pm a$",
            "explicit",
            _halves_at_pre,
            _FACTORS,
            _FALSE_FACTORS,
            _powers_within,
        ),
    ),
    hypotheses=(
        Hypothesis(
            "some sample has a positive coordinate",
            lambda samples: any(c > 0 for sample in samples for c in sample),
            fails_on=(_NEGATIVE, (0,)),
            printed=False,
            needed=_WITHOUT_POSITIVE,
            holds_on=(_NEGATIVE, (*_NEGATIVE, 1)),
        ),
    ),
    changes=(
        Change(
            "the output variance of the entire network",
            "summed over the samples, the variance",
            "With ReLU at pre a single input passes every unit unchanged where none of its coordinates is positive.",
        ),
    ),
    other_readings=(_EVERY_INPUT,),
)

M8 = Statement(
    id="DR-M8",
    title="Variance of the output against depth at Xavier and MSRA weights",
    source=source(
        "A",
        "section 4.1",
        "the output variance of the entire network will actually explode as the network becomes deeper",
    ),
    latex=r"\mathbb E\,\|f(x) - x\|^2 = \bigl((1 + q)^R - 1\bigr)\,\|x\|^2 \ge R\,q\,\|x\|^2, \qquad q = s^{2n} \text{ or } s^{2n} 2^{-(n-1)}",
    uses=("DR-M2",),
    setting="The weights have independent entries $N(0, s^2/d)$, with Xavier $s^2 = 1$ and MSRA $s^2 = 2$.",
    clauses=(
        Clause(
            "A linear $n$-shortcut network has $E f(x) = x$ and "
            r"$E \lvert f(x)\rvert^2 = (1 + s^{2n})^R \lvert x\rvert^2$; the variance exceeds every bound with depth for "
            r"$x \ne 0$.",
            {"n": 1, "R": 1, "d": 1},
            (
                Induction("n", MOMENTS, LAYER_MOMENTS),
                GROWTH,
                Argument(
                    "Gaussian expectations of small networks, monomial by monomial",
                    "explicit",
                    _exact_variances,
                    _grow,
                    {
                        "$s^n$ in place of $s^{2n}$": lambda n, units, s2: (
                            (1 + Fraction(s2)) ** units if n > 1 else (1 + Fraction(s2, 2)) ** units
                        ),
                        "linear in $R$": lambda n, units, s2: 1 + units * Fraction(s2) ** n,
                        "without the shortcut": lambda n, units, s2: Fraction(s2) ** (n * units),
                        "constant": lambda n, units, s2: Fraction(1),
                    },
                    _same_variances,
                ),
            ),
        ),
        Clause(
            "With ReLU at mid $s^{2n} 2^{-(n-1)}$ takes the place of $s^{2n}$.",
            {"n": 1, "R": 1, "d": 1},
            (
                Induction(
                    "n",
                    Argument(
                        "Moments of one unit of one layer",
                        "index notation",
                        _moments(relu, (1,)),
                        _moment_claim,
                        {
                            "divided by the width": lambda n: _moment_claim(n, d_power=-1),
                            "$s$ in place of $s^2$": lambda n: _moment_claim(n, power=1),
                        },
                        _same_moments,
                        explanation="With one layer there is no mid: $q = s^2$.",
                    ),
                    LAYER_MOMENTS,
                ),
                GROWTH,
                Argument(
                    r"ReLU at mid, all weights $\pm1$",
                    "explicit",
                    _relu_variances,
                    _grow_by_relu,
                    {
                        "the linear law": _grow,
                        "one half too many": lambda n, units, s2: (1 + Fraction(s2) ** n / 2**n) ** units,
                    },
                    _same_growth,
                    explanation=r"The law needs centred, symmetric and independent entries of variance $s^2/d$ only; over $\pm1$ the "
                    "mean is a finite sum.",
                ),
                UNIT_MOMENTS,
            ),
        ),
        RELU_AT_PRE,
        Clause(
            "At zero weights every unit's output is $x$.",
            {"n": 1, "R": 1, "d": 1, "m": 1},
            (
                Induction(
                    "n",
                    Argument(
                        "At zero weights a unit passes any input through",
                        "index notation",
                        _at_zero,
                        _AT_ZERO,
                        {"a layer without a shortcut too": {**_AT_ZERO, "plain layer": True}},
                        explanation=r"Any pre, and $\mathrm{mid}(0) = \mathrm{post}(0) = 0$: the output of every unit is $x$, "
                        "whatever is averaged over.",
                    ),
                    INDUCTION_STEP,
                ),
                Argument(
                    "Outputs of small networks at zero weights",
                    "explicit",
                    _small_at_zero,
                    Fraction(1),
                    {"zero": Fraction(0), "twice the input": Fraction(2)},
                    _same_multiple,
                ),
            ),
        ),
    ),
    evidence=(
        Argument(
            "Random linear networks, $n = 2$, MSRA",
            "floating point",
            simulated_variance(None, s2=2),
            1.0,
            _SIMULATED,
            near_variance,
        ),
        Argument(
            "Random networks with ReLU at mid, $n = 2$, MSRA",
            "floating point",
            simulated_variance(relu, s2=2),
            1.0,
            _SIMULATED,
            near_variance,
        ),
    ),
    notes="The paper argues in words; this is the law behind them for the networks it analyses, without batch normalisation. "
    "Variance is over the weights, the input being fixed. MSRA: linear $1 + 2^n$ a unit, ReLU 3 a unit for every $n$; "
    "Xavier: linear 2 a unit, ReLU $1 + 2^{-(n-1)}$. Of its samples the section says 'where the input data are whitened', not in "
    "this sentence: whitened samples are centred, and if they are not all zero one has a positive coordinate.",
)
