"""Demystifying ResNet, abstract: with depth it suffices to look at the loss at zero (DR-zero).

Theorem 1's half of it, solutions with weights of order R^(-1/2), is DR-T1. Whether the loss at zero says what it is like at such
solutions is another question: at a minimum that fits the data the Hessian is a mean of squares, at zero it is not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import prod
from typing import NamedTuple

import sympy

from resproof.architectures.activations import polynomial
from resproof.architectures.forms.terms import ROW, SAMPLE, Opaque
from resproof.architectures.losses import generic_loss
from resproof.proofs.changes import Change
from resproof.proofs.demystifying_resnet.documents import source
from resproof.proofs.demystifying_resnet.given_weights import hessian_at
from resproof.proofs.demystifying_resnet.near_zero import (
    ASSEMBLED,
    BERNOULLI,
    CAUCHY,
    FORM,
    MAJORANTS,
    ONE_MORE,
    SCALE,
    SMALL_DIFFERENCES,
)
from resproof.proofs.demystifying_resnet.pictures import eigenvalues, least_outputs
from resproof.proofs.demystifying_resnet.theorem1 import APART, T1, UNIT_COLUMNS, WIDE
from resproof.proofs.pictures import Plot
from resproof.proofs.routes.certificates import Infimum, certified, infimum
from resproof.proofs.routes.hessians import same_sums
from resproof.proofs.routes.predicates import matches, property_of
from resproof.proofs.statement import (
    PRINTED,
    Argument,
    Clause,
    Computed,
    Context,
    Counterexample,
    Disagreement,
    Hypothesis,
    Repair,
    Statement,
)
from resproof.proofs.theory.generic_units import FLAT_AT_ZERO, generic_unit
from resproof.proofs.theory.linear_networks import any_matrix, half_mean_square, outputs, written_out
from resproof.symbolic.algebra.matrices import Inertia, Matrix, eye, inertia, matrix, rank, scale
from resproof.symbolic.algebra.rings import Plain
from resproof.symbolic.certificates import Element, Orthant, occurring, of_symbols, orthant, standing_for
from resproof.symbolic.index import sizes
from resproof.symbolic.index.lift import hessian_form
from resproof.symbolic.index.paths import negate
from resproof.symbolic.index.series import matrix_product, tensor, thaw, transpose
from resproof.symbolic.index.series import scale as scale_sum
from resproof.symbolic.index.widths import inner_widths
from resproof.symbolic.scope import Scope
from resproof.symbolic.written.explicit import Instance

# The family: f = 2 x at weights of norm at most R^(-1/2).


@dataclass(frozen=True, slots=True)
class _FittingFamily:
    """Linear 2-shortcut networks of R = k^2 units, W^{r,1} = a_r I, W^{r,2} = b_r I, one for each k, and their data."""

    weights: Mapping[int, Sequence[tuple[Fraction, Fraction]]]
    x: Fraction
    y: Fraction


def _telescope(k: int) -> list[tuple[Fraction, Fraction]]:
    """a_r b_r = 1/(R + r - 1): the product of the 1 + a_r b_r = (R + r)/(R + r - 1) is 2R/R."""
    units = k * k
    return [(Fraction(1, k), Fraction(k, units + r - 1)) for r in range(1, units + 1)]


_FAMILY = _FittingFamily({k: _telescope(k) for k in (1, 2, 3, 5)}, Fraction(1), Fraction(2))


def _show(one: _FittingFamily) -> str:
    sizes_run = ", ".join(str(k * k) for k in one.weights)
    return f"n = 2, d = m = 1, linear, x = {one.x}, y = {one.y}, R = {sizes_run}, w = R^(-1/2) and R^(1/2)/(R + r - 1) in unit r"


def _fits(one: _FittingFamily) -> bool:
    for weights in one.weights.values():
        value = one.x
        for a, b in weights:
            value *= 1 + a * b
        if value != one.y:
            return False
    return True


def _vanish(one: _FittingFamily) -> bool:
    return all(w * w * len(weights) <= 1 for weights in one.weights.values() for pair in weights for w in pair)


def _units(weights: Sequence[tuple[Fraction, Fraction]], d: int = 1) -> list[list[Matrix]]:
    return [[scale(a, eye(d)), scale(b, eye(d))] for a, b in weights]


def _inertias(_: Context) -> Computed:
    """The inertia of the exact Hessian at the fitting weights and at zero."""
    found = dict[int, tuple[Inertia, Inertia]]()
    for k in (1, 2, 3):
        there, at_zero = map(inertia, _hessians(_FAMILY, k))
        found[k * k] = there, at_zero
    shown = r"H(w^*) = q\,q^{\mathsf T}, \qquad H(0) = I_R \otimes \begin{pmatrix} 0 & -1 \\ -1 & 0 \end{pmatrix}"
    return Computed(found, Scope.of(*(f"n=2, R={units}, d=1, m=1" for units in found)), shown)


def _hessians(one: _FittingFamily, k: int) -> tuple[Matrix, Matrix]:
    """The exact Hessians of R = k^2 units at the fitting weights and at zero."""
    data, weights = Instance([[one.x]], [[one.y]]), one.weights[k]
    zero = [(Fraction(0), Fraction(0))] * len(weights)
    return hessian_at(_units(weights), data, "identity"), hessian_at(_units(zero), data, "identity")


def _spectra(one: _FittingFamily) -> Plot:
    return eigenvalues(*_hessians(one, 3))


def _have_inertia(found: Mapping[int, tuple[Inertia, Inertia]], claim: Callable[[int, Inertia], bool]) -> None:
    for units, (there, at_zero) in found.items():
        if at_zero != Inertia(units, 0, units) or not claim(units, there):
            raise Disagreement(f"R={units}: {there}, at zero {at_zero}")


def _curvatures(_: Context) -> Computed:
    """v^T H(w) v / |v|^2 along (b, a) and (a, -b), a and b the weights of the first unit, by derivatives of the product.

    The data are fitted, so that the output's second derivatives are multiplied by zero.
    """
    found = dict[int, tuple[Fraction, Fraction]]()
    for weights in _FAMILY.weights.values():
        (a, b), rest = weights[0], _other_units(weights)
        greatest, least = ((rest * (a * q + b * p)) ** 2 / (p * p + q * q) for p, q in ((b, a), (a, -b)))
        found[len(weights)] = greatest, least
    shown = r"H(w^*) = q\,q^{\mathsf T}: \quad H(w^*)\,v = 0 \text{ where } \langle q, v\rangle = 0"
    return Computed(found, _FAMILY_SIZES, shown)


def _other_units(weights: Sequence[tuple[Fraction, Fraction]]) -> Fraction:
    """The output without the first unit: the product of the other factors 1 + a_r b_r, and x."""
    return prod((1 + a * b for a, b in weights[1:]), start=_FAMILY.x)


_FAMILY_SIZES = Scope.of(*(f"n=2, R={k * k}, d=1, m=1" for k in _FAMILY.weights))


def _quotients(_: Context) -> Computed:
    """v^T (H(w) - H(0)) v / (|H(0)| |v|^2) along v = (1, 1) in the first unit, by derivatives of the product."""
    found, m = dict[int, Fraction](), (_FAMILY.x - _FAMILY.y) * _FAMILY.x
    for weights in _FAMILY.weights.values():
        slope = _other_units(weights) * sum(weights[0])
        found[len(weights)] = (slope * slope - 2 * m) / (2 * abs(m))
    shown = r"\frac{v^{\mathsf T}(H(w^*) - H(0))\,v}{|H(0)|\,|v|^2} = 1 + \frac{(q_a + q_b)^2}{2} \to 1"
    return Computed(found, _FAMILY_SIZES, shown)


def _least_and_greatest(
    found: Mapping[int, tuple[Fraction, Fraction]], claim: Callable[[int, Fraction, Fraction], bool]
) -> None:
    for units, (greatest, least) in found.items():
        if not claim(units, greatest, least):
            raise Disagreement(f"R={units}: along one direction {greatest}, along another {least}")


DIFFERENT = Counterexample(
    instance=_FAMILY,
    sentence="The weights fit the data exactly and go to zero like $R^{-1/2}$. $H(w)$ has one positive eigenvalue and $2R - 1$ "
    "zeros, so an infinite condition number; $H(0)$ has $R$ eigenvalues 1 and $R$ eigenvalues -1, condition number 1.",
    picture=_spectra,
    even_if=(
        Hypothesis(
            r"the Hessian at zero is nonsingular: $M = (x - y) x \ne 0$",
            lambda one: (one.x - one.y) * one.x != 0,
            fails_on=replace(_FAMILY, y=Fraction(1)),
        ),
    ),
    latex=r"1 + a_r b_r = \frac{R + r}{R + r - 1}, \qquad \prod_{r=1}^R (1 + a_r b_r) = 2, \qquad |a_r|, |b_r| \le R^{-1/2}",
    show=_show,
    routes=(
        Argument(
            "Inertia of exact Hessians",
            "explicit",
            _inertias,
            lambda units, one: one == Inertia(0, 2 * units - 1, 1),
            {
                PRINTED: property_of({1: (Inertia(1, 0, 1), Inertia(1, 0, 1))})(lambda units, one: not one.zero),
                "two positive eigenvalues": lambda units, one: one == Inertia(0, 2 * units - 2, 2),
            },
            _have_inertia,
        ),
        Argument(
            "The form along two directions",
            "instance",
            _curvatures,
            lambda units, greatest, least: (greatest, least) == (Fraction(8 * units, (units + 1) ** 2), 0),
            {
                PRINTED: property_of({1: (Fraction(1), Fraction(-1))})(lambda units, greatest, least: least != 0),
                "no curvature at all": lambda units, greatest, least: greatest == 0,
                "curvature that does not change with $R$": lambda units, greatest, least: greatest == 2,
            },
            _least_and_greatest,
            explanation=r"$H(w) \ge 0$, so that $v^{\mathsf T} H(w) v = 0$ makes $v$ an eigenvector of 0, while $H(w) \ne 0$: "
            r"in the first unit $q = \frac{2 R}{R + 1}\, (b, a)$, and $\lvert q\rvert^2 = 8 R/(R + 1)^2$.",
        ),
    ),
)

_QUOTIENTS = {units: 1 + Fraction(8 * units, (units + 1) ** 2) for units in (1, 4, 9, 25)}

AS_FAR = Argument(
    "The relative difference along one direction",
    "instance",
    _quotients,
    _QUOTIENTS,
    {
        "it tends to zero": {units: value - 1 for units, value in _QUOTIENTS.items()},
        "it does not change with $R$": dict.fromkeys(_QUOTIENTS, 1 + 2),
    },
    explanation=r"$1 + 8 R/(R + 1)^2$, which is above 1 for every $R$.",
)

# What holds at every minimum that fits.


def _negated(_: Context) -> Computed:
    """The form at zero with the sign of one weight, and of both, changed in every unit; n = 2, any loss."""
    unit = generic_unit(2)
    form = hessian_form(unit, generic_loss)
    whole, cross = thaw(form.diagonal), thaw(form.cross)
    one, both = negate(whole, "W2"), negate(negate(whole, "W1"), "W2")
    found = {"W2": one == scale_sum(-1, whole), "both": both == scale_sum(-1, whole), "units interact": bool(cross)}
    return Computed(
        found,
        sizes.of_unit(unit),
        r"(W_1, W_2) \mapsto (W_1, -W_2):\quad v^{\mathsf T} H(0)\,v \mapsto -v^{\mathsf T} H(0)\,v",
    )


_NEGATED = {"W2": True, "both": False, "units interact": False}

PAIRED = Argument(
    "At zero the form changes its sign with that of $W_2$",
    "index notation",
    _negated,
    _NEGATED,
    {"with both weights too": {**_NEGATED, "both": True}, "not with $W_2$ alone": {**_NEGATED, "W2": False}},
    explanation=r"So the least eigenvalue of $H(0)$ is minus its norm: $v^{\mathsf T} H(0) v = -\lvert H(0)\rvert$ for some unit "
    "vector $v$.",
)


def _not_flat(_: Context) -> Computed:
    """H(w) at w = (0, 1) and H(0) of x + W2 mid(W1 x), mid(t) = 1 - t^2/2, x = 1, y = 2, and H(w) where y = 3."""
    mid = polynomial(1, 0, Fraction(-1, 2))
    found = {
        (b, y): hessian_at(_units([(Fraction(0), Fraction(b))]), Instance([[1]], [[y]]), "identity", mid)
        for b, y in ((1, 2), (0, 2), (1, 3))
    }
    return Computed(found, Scope.of("n=2, R=d=m=1, x=1"))


_NOT_FLAT = {place: matrix([[first, 0], [0, 1]]) for place, first in (((1, 2), 0), ((0, 2), 0), ((1, 3), 1))}
FLAT = replace(
    FLAT_AT_ZERO,
    needed=Argument(
        r"$f = x + W_2\, \mathrm{mid}(W_1 x)$, $\mathrm{mid}(t) = 1 - t^2/2$: at $w = (0, 1)$ it fits $x = 1$, $y = 2$, and "
        r"$H(w) = H(0) \ne 0$",
        "instance",
        _not_flat,
        _NOT_FLAT,
        {
            PRINTED: property_of(dict(zip([(1, 2), (0, 2)], _hessians(_FAMILY, 1), strict=True)))(
                lambda found: found[1, 2] != found[0, 2]
            ),
            "where it does not fit as well": {**_NOT_FLAT, (1, 3): _NOT_FLAT[1, 2]},
        },
        matches,
    ),
)


def _fitted(_: Context) -> Computed:
    """The part of order two of the loss where the output moves by f1 + f2, with residual g and without."""
    first, second = (tensor(Opaque(name, ("d", "m")), (ROW, SAMPLE)) for name in ("f1", "f2"))
    residual = tensor(Opaque("g", ("d", "m")), (ROW, SAMPLE))
    found = {
        "g = 0": half_mean_square(({}, first, second))[2],
        "any g": half_mean_square((residual, first, second))[2],
    }
    return Computed(
        found, sizes.of_terms(*found.values()), r"g = 0:\quad \tfrac12 v^{\mathsf T} H v = \tfrac1{2m} |f_1|^2"
    )


_SQUARE = "1/2 * m^-1 * f1[i,u] * f1[i,u]"
_PARTS = {"g = 0": _SQUARE, "any g": f"{_SQUARE} + m^-1 * g[i,u] * f2[i,u]"}

SQUARES = Argument(
    "Where the residual vanishes the form is a mean of squares",
    "index notation",
    _fitted,
    _PARTS,
    {
        "whatever the residual is": {**_PARTS, "any g": _SQUARE},
        "the second order of the output counts": {**_PARTS, "g = 0": f"{_SQUARE} + m^-1 * f1[i,u] * f2[i,u]"},
    },
    same_sums({name: Opaque(name, ("d", "m")) for name in ("f1", "f2", "g")}),
    explanation=r"$f_1$ and $f_2$ are the parts of order one and two of the output of any network. So $H(w) \ge 0$, and with $v$ of "
    r"the last step $v^{\mathsf T} (H(w) - H(0)) v \ge \lvert H(0)\rvert$.",
)


def _widths(_: Context) -> Computed:
    """(E C)^T (E C): C takes changes of the weights to those of the map, q numbers, E takes these to the outputs."""
    jacobian = matrix_product(any_matrix("E", "o", "q"), any_matrix("C", "q", "p"), "q")
    hessian = matrix_product(transpose(jacobian), jacobian, "o")
    return Computed(inner_widths(hessian), sizes.of_terms(hessian), r"H = \tfrac1m J^{\mathsf T} J,\quad J = E\,C")


RANK = Argument(
    "The widths that $H$ runs through",
    "index notation",
    _widths,
    frozenset({"o", "q"}),
    {"the outputs alone": frozenset({"o"}), "none": frozenset[str]()},
    explanation=r"So $\mathrm{rank}\, H \le o = d m$, the number of outputs, and for linear networks, $f = W X$, also "
    r"$\mathrm{rank}\, H \le q = d^2$.",
)


def _numbers(_: Context) -> Computed:
    """2 R d^2 parameters less d^2, with R = 1 + r."""
    r, d = sympy.symbols("r d", positive=True)
    parameters = 2 * (1 + r) * d**2
    return Computed(sympy.Poly(sympy.expand(parameters - d**2), r, d), of_symbols({"R": r, "d": d}, parameters))


def _exceeds(found: sympy.Poly, claim: int) -> None:
    """Pass when the number is at least `claim` times d^2 for r, d > 0: no coefficient is negative.

    Raises:
        Disagreement: one is.
    """
    _, d = found.gens
    if [c for c in (found - sympy.Poly(claim * d**2, *found.gens)).coeffs() if c < 0]:
        raise Disagreement(f"{found.as_expr()} is not at least {claim} d^2")


COUNT = Argument(
    "$2 R d^2 - d^2$ zero eigenvalues at least",
    "inequality",
    _numbers,
    1,
    {"as many again": 2},
    _exceeds,
    explanation="At $R = 1$ it is $d^2$, half of all.",
)

_DATA = (
    Instance([[1]], [[2]]),
    Instance([[1, 0], [1, 2]], [[2, 0], [2, 4]]),
    Instance([[1], [3]], [[2], [6]]),
)
"""Data with Y = 2 X."""


def _small(_: Context) -> Computed:
    """The inertia of exact Hessians by R, d, m and the rank of X."""
    found = {
        (k * k, len(data.x), len(data.x[0]), rank(matrix(data.x))): inertia(
            hessian_at(_units(_telescope(k), len(data.x)), data, "identity")
        )
        for data in _DATA
        for k in (1, 2)
    }
    return Computed(found, Scope.of(*(f"n=2, R={units}, d={d}, m={m}" for units, d, m, _ in found)))


def _ranks(found: Mapping[tuple[int, int, int, int], Inertia], claim: Callable[[int, int], int]) -> None:
    for (units, d, m, of_x), one in found.items():
        positive = claim(d, of_x)
        if one != Inertia(0, 2 * units * d * d - positive, positive):
            raise Disagreement(f"R={units}, d={d}, m={m}: {one}")


SMALL = Argument(
    "Exact Hessians where $Y = 2 X$ is fitted",
    "explicit",
    _small,
    lambda d, rank: d * rank,
    {"rank $d^2$": lambda d, rank: d * d, "rank of $X$": lambda d, rank: rank},
    _ranks,
)

# General residual networks.


@dataclass(frozen=True, slots=True)
class _Reflected:
    """A linear 2-shortcut network's data, d = m = 1."""

    x: Fraction
    y: Fraction


_REFLECTED = _Reflected(Fraction(1), Fraction(-1))


def _factors(_: Context) -> Computed:
    """The output of one to three units over x, as a polynomial in the products w_r = W^{r,2} W^{r,1}."""
    found = dict[int, Plain]()
    for units in (1, 2, 3):
        value = outputs(written_out((2,) * units), 1)[0][0]
        found[units] = _in_products(value)
    return Computed(found, Scope.of(*(f"n=2, R={units}, d=1" for units in found)), r"f(x) = \prod_r (1 + w_r)\,x")


def _in_products(value: Plain) -> Plain:
    total = dict[tuple[tuple[str, int], ...], Fraction]()
    for monomial, coefficient in value.items():
        powers = dict(monomial)
        if powers.pop("x_1_1", 0) != 1 or any(power != 1 for power in powers.values()):
            raise ValueError(f"the output has the monomial {monomial}; expected one factor x and no powers")
        units = sorted({name.partition("_")[0] for name in powers})
        if len(powers) != 2 * len(units):
            raise ValueError(f"the output has the monomial {monomial}; expected both weights of each unit")
        total[tuple((name, 1) for name in units)] = coefficient
    return total


def _signs(found: Mapping[int, Plain], claim: tuple[int, bool]) -> None:
    """Pass when at |w_r| = bound the least value over all signs is positive, or is not, as claimed.

    The output is linear in every w_r, so that its least value where |w_r| <= bound is at a corner.

    Raises:
        Disagreement: it is otherwise.
    """
    tenths, positive = claim
    for units, value in found.items():
        corners = list[Fraction]()
        for signs in product((-1, 1), repeat=units):
            at = {f"W{r}": Fraction(s * tenths, 10) for r, s in enumerate(signs, 1)}
            corners.append(
                sum((c * prod(at[name] for name, _ in monomial) for monomial, c in value.items()), Fraction(0))
            )
        if (min(corners) > 0) is not positive:
            raise Disagreement(f"R={units}: the least output over x is {min(corners)}")


class _Positive(NamedTuple):
    """The loss at an output p > 0, and the output of one unit more, whose product W^{r,2} W^{r,1} is above -bound."""

    orthant: Orthant
    loss: Element
    longer: Callable[[Fraction], Element]


def _one_unit_more(_: Context) -> Computed:
    """p stands for the output of any number of units at x = 1."""
    o = orthant("p t")
    p = o["p"]
    loss = (_REFLECTED.y - p) ** 2 / 2
    sizes_of_p = Scope.over(n=2, d=1, m=1) & standing_for(occurring(loss), {"p": "R"})
    found = _Positive(o, loss, lambda bound: p * (1 + (o["t"] - bound)))
    return Computed(found, sizes_of_p, r"L = \tfrac12 (p + 1)^2, \quad p = \prod_r (1 + W^{r,2} W^{r,1}) > 0")


def _stays_above(found: _Positive, claim: tuple[Infimum, int]) -> None:
    """Pass when outputs stay positive while |W^{r,2} W^{r,1}| < bound, and the loss has the claimed infimum over them."""
    least, bound = claim
    found.orthant.above_zero("one unit more", found.longer(Fraction(bound)))
    infimum(found.orthant, found.loss, least)


_HALF = Infimum(Fraction(1, 2))


REFLECTED = Counterexample(
    instance=_REFLECTED,
    sentence="Weights of modulus below one keep every $1 + W^{r,2} W^{r,1}$ positive, so that no number of units takes 1 to -1: "
    "the least loss is 0, with a weight above one, and stays above 1/2 below it.",
    picture=lambda one: least_outputs(one.x, one.y),
    latex=r"|W^{r,l}| < 1 \implies f(1) = \prod_r (1 + W^{r,2} W^{r,1}) > 0 > y = -1",
    show=lambda one: f"n = 2, d = m = 1, linear, x = {one.x}, y = {one.y}",
    routes=(
        Argument(
            "The loss while all weights are below one, every $R$",
            "inequality",
            _one_unit_more,
            (_HALF, 1),
            {
                PRINTED: (Infimum(Fraction(0)), 1),
                "at least 1": (Infimum(Fraction(1)), 1),
                r"at most $\tfrac12$": (Infimum(Fraction(1, 2), side=-1), 1),
                "weights below $2$": (_HALF, 4),
            },
            certified(_stays_above),
            explanation="By induction over the units the output is positive. As printed the loss would be 0 once all weights are "
            "below one.",
        ),
        Argument(
            "The least output at weights of modulus at most $b$",
            "explicit",
            _factors,
            (9, True),
            {PRINTED: (9, False), r"nor for $\lvert W^{r,2} W^{r,1}\rvert \le 1$": (10, True)},
            _signs,
            explanation=r"$\lvert W^{r,2} W^{r,1}\rvert \le 9/10$ here. The output is linear in each of these products.",
        ),
    ),
)

_AT_THE_MINIMUM = Clause(
    "Read as reaching to where training would end: at a global minimum of vanishing norm, too, the condition number is small.",
    {"R": 1, "d": 1, "m": 1},
    hypotheses=(
        Hypothesis(
            "the weights are a global minimum: they fit the data",
            _fits,
            fails_on=replace(_FAMILY, y=Fraction(3)),
            quote="there exist a global minimum",
            where="section 2",
        ),
        Hypothesis(
            "they vanish: all of modulus at most $R^{-1/2}$",
            _vanish,
            fails_on=replace(_FAMILY, weights={1: [(Fraction(5, 4), Fraction(1, 2))]}),
            quote="whose weight functions for each layer have vanishing norm as the number of layers tends to infinity",
            where="section 2",
        ),
    ),
    counterexample=DIFFERENT,
    repair=Repair(
        beside=True,
        latex=r"Y = f_w(X) \implies \operatorname{rank} H(w) \le d\,m; \quad n = 2,\ \sigma_{\mathrm{mid}}(0) = "
        r"\sigma_{\mathrm{post}}(0) = 0,\ Y = f_w(X) \implies \|H(w) - H(0)\| \ge \|H(0)\|",
        arguments=(),
        clauses=(
            Clause(
                r"For $n = 2$, $\mathrm{mid}(0) = \mathrm{post}(0) = 0$ and the squared loss "
                r"$\lvert H(w) - H(0)\rvert \ge \lvert H(0)\rvert$ at every minimum $w$ that fits the data, where the "
                "network is twice differentiable.",
                {"R": 1, "d": 1, "m": 1},
                (PAIRED, SQUARES, AS_FAR, SMALL),
                (FLAT,),
            ),
            Clause(
                r"There $\mathrm{rank}\, H(w) \le d m$, for linear networks $\le d^2$, which have $2 R d^2$ "
                r"parameters. So where $H(w) \ne 0$ and there are more parameters than $d m$ outputs "
                r"$\mathrm{cond}(H(w))$ is infinite, for linear networks at every $R$.",
                {"R": 1, "d": 1},
                (SQUARES, RANK, COUNT, SMALL),
            ),
            Clause(
                "Zero does say what linear 2-shortcut networks are like on the scale $R^{-1/2}$: for "
                r"$\lvert W^{r,l}\rvert \le c R^{-1/2}$, $c < 1$, $\lvert H(w) - H(0)\rvert \le c^2/(1 - c^2)^2 "
                r"(5 \lvert X\rvert^2 + 3 \lvert X\rvert \lvert X - Y\rvert)/m$ at every $R$. Weights that fit "
                r"data with $X \ne 0$ have $c^2 \ge r/(1 + r)$, $r = \lvert Y - X\rvert/\lvert X\rvert$.",
                {"R": 1, "d": 1, "m": 1},
                (ONE_MORE, MAJORANTS, BERNOULLI, CAUCHY, FORM, ASSEMBLED, SCALE, SMALL_DIFFERENCES),
            ),
        ),
    ),
)

ZERO = Statement(
    id="DR-zero",
    title="Whether with many layers it suffices to look at the loss at zero",
    source=source(
        "A",
        "abstract; section 2",
        "as the number of layers tends to infinity, it suffices to only look at the loss function at the zero initial point ... "
        "For very deep (general) ResNet, it suffices to initialize the weights at zero and search locally: in other words, there "
        "exist a global minimum whose weight functions for each layer have vanishing norm as the number of layers tends to infinity",
    ),
    latex=r"\max_{r,l} \|W^{r,l}\| \to 0 \quad (R \to \infty)",
    uses=("DR-T1", "DR-T2.2", "DR-T2.2c", "IM-1", "GEN-1"),
    clauses=(
        Clause(
            "For very deep (general) ResNet there exists a global minimum whose weights for each layer have vanishing norm.",
            {"R": 1, "d": 1, "m": 1},
            hypotheses=(
                Hypothesis(
                    r"$X \ne 0$",
                    lambda one: one.x != 0,
                    fails_on=replace(_REFLECTED, x=Fraction(0)),
                    quote="for every 1 <= mu <= m, |x^mu|_2 = 1",
                    where="Assumption 1",
                ),
            ),
            counterexample=REFLECTED,
            at={"n": 2},
            repair=Repair(
                latex=r"f_w(X) = Y, \quad \|W^{r,l}\|_F = O(R^{-1/2})",
                arguments=(),
                setting=r"The data satisfy Assumptions 1 and 2, so that $m \le d_y \le d$.",
                clauses=(
                    Clause(
                        r"For every $R$ some network of $R$ units of Equation 3 fits the data, with $\lvert W\rvert_F$ of order "
                        "$R^{-1/2}$.",
                        {"R": 1, "d": 3, "m": 1},
                        T1.arguments,
                        hypotheses=(UNIT_COLUMNS, APART, WIDE),
                    ),
                ),
                changes=(
                    Change(
                        "For very deep (general) ResNet",
                        "For every $R$ some network of $R$ units of Equation 3",
                        "It holds of the networks that Theorem 1 is about, those of Equation 3, under its assumptions on the data: "
                        r"of any number of units, $R \ge m/d$ being no condition where $m \le d$.",
                    ),
                ),
            ),
        ),
        Clause(
            "It is possible that from zero the weights are not far from the initial point throughout the training process, where "
            "the condition number is small.",
            {"R": 1, "d": 1, "m": 1},
            unsettled="Theorem 1 says that such weights exist, not that training stays near zero or reaches them, and 'it is possible' "
            "names no data and no rate; at zero itself the gradient vanishes (DR-T2.1)",
            other_readings=(_AT_THE_MINIMUM,),
        ),
    ),
    notes="The first clause is section 2's, the second the conclusion drawn after Theorem 1: 'it is possible that ... the "
    "weights are not far from the initial point throughout the training process, where the condition number is small'. "
    "How far that region reaches is not printed; that the minima lie in it is a reading of ours, and stands beside. "
    "The paper's own quotient with the 10th percentile is infinite there as well for linear networks, where "
    r"$H(w) \ne 0$: at least half of the eigenvalues vanish. For linear networks the first clause needs $\det T > 0$ "
    "where $S > 0$ (IM-1 for $n = 1$).",
)

STATEMENTS = (ZERO,)
