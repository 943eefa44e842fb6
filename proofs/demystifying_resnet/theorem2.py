"""Demystifying ResNet, Theorem 2: the loss of an n-shortcut network at zero weights.

Throughout g = x - y is the gradient of the squared loss at the initial output, M = (1/m) (X - Y) pre(X)^T, c_n =
mid'(0)^(n-1) post'(0) and c = c_2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from math import prod
from typing import TypeAlias

import numpy as np

from resproof.architectures.activations import generic, polynomial, relu
from resproof.architectures.catalogue import n_shortcut
from resproof.architectures.errors import NotDifferentiableError
from resproof.architectures.forms.notation import latex_sum
from resproof.architectures.forms.terms import COLUMN, ROW, Delta, IndexSum, Opaque, Perturbation
from resproof.architectures.losses import Loss, generic_loss, squared
from resproof.architectures.networks import Network
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.changes import Change
from resproof.proofs.demystifying_resnet.documents import source
from resproof.proofs.demystifying_resnet.few_derivatives import (
    EARLIER,
    EXPANSION,
    EXPANSION_OF_ONE,
    LEADING_OF_ONE,
    LEADING_OF_TWO,
    ORDER,
    ORDER_OF_ONE,
    ORDER_OF_TWO,
    PARTIALS_OF_ONE,
    PARTIALS_OF_TWO,
    PARTIALS_WITHIN_ONE,
    SEVERAL,
    exchanged,
    first_order_claim,
    leading_term,
)
from resproof.proofs.demystifying_resnet.germs import RoughNetwork
from resproof.proofs.demystifying_resnet.lemmas import CONSTANT_WITHOUT, INDUCTION_STEP, constant_without
from resproof.proofs.demystifying_resnet.printed_forms import COMMUTATION, FIRST_ORDER, SECOND_ORDER
from resproof.proofs.demystifying_resnet.rough_networks import PAIRS_OF_WEIGHTS, ROUGH_NETWORKS
from resproof.proofs.demystifying_resnet.sharp_hypotheses import (
    BLOCKS_OF_ONE,
    BOUNDED_AT_DATA,
    CONTINUOUS_AT_DATA,
    MIXED_AT_DATA,
    PEANO,
)
from resproof.proofs.demystifying_resnet.theorem2_at_depth import (
    AT_DEPTH,
    LINEAR,
    TANH,
    covariances,
    first_order_at,
    order_of,
    samples,
)
from resproof.proofs.routes.exact_spectra import exact_spectrum, instance_with_m
from resproof.proofs.routes.hessians import Claim, hessian_arguments, same_sum, same_sums, size
from resproof.proofs.routes.predicates import matches, property_of
from resproof.proofs.routes.running_network import (
    MOVED_LITTLE,
    Moved,
    are_eigenpairs,
    eigenpairs,
    identity_modulo,
    observed_product,
)
from resproof.proofs.statement import (
    PRINTED,
    Argument,
    Citation,
    Clause,
    Computed,
    Condition,
    Context,
    Disagreement,
    ExceptionalSet,
    Induction,
    Sense,
    Statement,
)
from resproof.proofs.theory.generic_units import DEPTHS, FLAT_AT_ZERO, MID, POST, PRE, SMOOTH, generic_unit, over_depths
from resproof.symbolic.index import sizes
from resproof.symbolic.index.claims import parse, show, vocabulary
from resproof.symbolic.index.lift import hessian_block, hessian_form, loss_series, perturbations, stationary_order
from resproof.symbolic.index.paths import along, identity_without, layer, negate
from resproof.symbolic.index.series import (
    Sum,
    differentiate,
    freeze,
    lowest_degree,
    multiply,
    scale,
    substitute,
    tensor,
    thaw,
)
from resproof.symbolic.scope import Scope
from resproof.symbolic.written.explicit import Instance, hessian_at_initial_point
from resproof.symbolic.written.explicit import loss_series as explicit_series
from resproof.symbolic.written.explicit import stationary_order as explicit_order

DEPTH = 1000


# Part 1: the order of the stationary point.


def _orders(_: Context) -> Computed:
    found = {}
    for n in DEPTHS:
        unit = generic_unit(n)
        form = hessian_form(unit, generic_loss)
        found[n] = (stationary_order(unit, generic_loss), bool(form.diagonal.terms or form.cross.terms))
    offset = ResidualUnit(n_shortcut(3, PRE, generic("mid", at_zero=None), POST))
    found["n = 3, mid(0) != 0"] = (stationary_order(offset, generic_loss), True)
    return Computed(found, over_depths(DEPTHS), r"L(w) = L(0) + o(\|w\|^{n-1})")


_SMALL = {n: (n - 1, n <= 2) for n in DEPTHS}
_ORDERS = {**_SMALL, "n = 3, mid(0) != 0": (0, True)}


def _small_orders(_: Context) -> Computed:
    found = {}
    for n, units, d, m in ((2, 1, 2, 1), (2, 3, 1, 2), (3, 2, 2, 1), (4, 2, 1, 1), (5, 1, 1, 1)):
        network = Network(generic_unit(n), units)
        order = explicit_order(network, {"d": d}, up_to=n + 1, samples=m)
        hessian = hessian_at_initial_point(network, {"d": d}, samples=m)
        found[n, f"R={units}, d={d}, m={m}"] = (order.order, bool(hessian.upper))
    return Computed(found, Scope.of(*(f"n={n}, {at}" for n, at in found)))


def _same_orders(found: Mapping[tuple[int, str], tuple[int, bool]], claim: Mapping[int, tuple[int, bool]]) -> None:
    for (n, at), order in found.items():
        if order != claim[n]:
            raise Disagreement(f"n={n}, {at}: (order, Hessian nonzero) is {order}; claimed {claim[n]}")


def _observed(n: int) -> Argument:
    """The order of a running tanh network with n layers a unit."""
    title = f"Taylor coefficients of a tanh network, $n = {n}$, $R = {DEPTH}$"
    return order_of(title, samples(TANH[n], DEPTH), n, "tanh(X)")


_FORMAL_ORDER = Induction(
    "n",
    Argument(
        "The least degree of the loss, $n = 1..6$, any loss",
        "index notation",
        _orders,
        _ORDERS,
        {
            "order $n$": {**_ORDERS, 2: (2, True), 3: (3, False)},
            "the Hessian vanishes for $n = 2$": {**_ORDERS, 2: (1, False)},
            "the Hessian survives for $n = 3$": {**_ORDERS, 3: (2, True)},
            r"$\mathrm{mid}(0) = 0$ is not needed": {**_ORDERS, "n = 3, mid(0) != 0": (2, False)},
        },
        explanation="Where all derivatives exist: (order, whether the Hessian has a term). So the order is no higher, unless $c_n M = 0$ (DR-T2.1s).",
    ),
    INDUCTION_STEP,
)
_SMALL_NETWORKS = Argument(
    "Small networks",
    "explicit",
    _small_orders,
    _SMALL,
    {
        "order $n$": {n: (n, n <= 2) for n in DEPTHS},
        "order $n - 2$": {n: (n - 2, n <= 2) for n in DEPTHS},
        "nonzero Hessian for $n = 3$": {**_SMALL, 3: (2, True)},
    },
    _same_orders,
)
PARTIAL_DERIVATIVES = Sense(
    "Hessian",
    "the matrix of the second partial derivatives at zero",
    "The elements in Hessian of an n-shortcut network is defined as",
    "Definition 5",
)


def _constant_in_each(degrees: Mapping[int, int]) -> bool:
    """Whether any so many weights of the n-shortcut unit leave one out whose vanishing makes it the identity, by n."""
    return all(
        any(identity_without(unit, name) for name in unit.names.values() if name not in named)
        for n, degree in degrees.items()
        for unit in [generic_unit(n)]
        for named in combinations(unit.names.values(), degree)
    )


_UNIQUE = Citation(
    "taylor-unique",
    {
        "a monomial of degree at most $n - 1$ leaves out a weight of every unit; where those vanish, the loss is "
        "constant": Condition(_constant_in_each, lambda: {n: n - 1 for n in (2, 3, 4)}, lambda: {2: 1, 3: 3})
    },
)
"""So the Taylor polynomial has no monomial of degree 1 to n - 1."""

T2_1 = Statement(
    id="DR-T2.1",
    title=r"Zero is a stationary point of order $n - 1$; for $n \ge 3$ the Hessian vanishes",
    subject="n_shortcut",
    source=source(
        "A",
        "Theorem 2.1",
        "if n >= 2, it is an (n-1)th-order stationary point. In particular, if n >= 3, the Hessian is a zero matrix",
        "Theorem 1.1",
    ),
    latex=r"n \ge 2:\quad L(w) = L(0) + o(\|w\|^{n-1}), \qquad n \ge 3:\quad \nabla^2 L(0) = 0",
    hypotheses=(FLAT_AT_ZERO, SMOOTH),
    uses=("DR-L3", "DR-T2S"),
    clauses=(
        Clause(
            r"$n \ge 2$, $R = 1$: $L(w) = L(0) + o(\lvert w\rvert^{n-1})$.",
            {"n": 2, "d": 1, "m": 1},
            (ORDER_OF_ONE, _FORMAL_ORDER, _SMALL_NETWORKS),
        ),
        Clause(
            r"$n \ge 2$, $R \ge 2$: $L(w) = L(0) + o(\lvert w\rvert^{n-1})$.",
            {"n": 2, "R": 2, "d": 1, "m": 1},
            (ORDER, _FORMAL_ORDER, _SMALL_NETWORKS),
            (BOUNDED_AT_DATA,),
            changes=(
                Change(
                    "it is an (n-1)th-order stationary point",
                    "pre is bounded near the data",
                    "From the second unit on pre is evaluated near the data, not at the data.",
                    kept=True,
                ),
            ),
            other_readings=(
                Clause(
                    r"$n \ge 2$, any $R$: all partial derivatives at zero of order $1, \ldots, n - 1$ exist and vanish.",
                    {"n": 2, "R": 1, "d": 1, "m": 1},
                    (CONSTANT_WITHOUT, PAIRS_OF_WEIGHTS),
                    reading=Sense(
                        "stationary point of order $n - 1$",
                        r"all partial derivatives of order $1, \ldots, n - 1$ vanish there",
                        "all the k-th order partial derivatives of the loss function are zero",
                        "proof of Theorem 2",
                    ),
                ),
                Clause(
                    r"$n \ge 2$, any $R$: where the loss has a Taylor expansion of order $n - 1$ at zero, that is constant.",
                    {"n": 2, "R": 1, "d": 1, "m": 1},
                    (CONSTANT_WITHOUT, _UNIQUE, _SMALL_NETWORKS),
                    reading=Sense(
                        "stationary point of order $n - 1$",
                        "that the loss has an expansion is supposed, not stated",
                        "Suppose function f(x) admits k-th order Taylor expansion at point x0",
                        "Definition 4",
                    ),
                ),
            ),
        ),
        Clause(
            r"$n \ge 3$: the Hessian at zero is the zero matrix.",
            {"n": 3, "R": 1, "d": 1, "m": 1},
            (CONSTANT_WITHOUT, PAIRS_OF_WEIGHTS),
            reading=PARTIAL_DERIVATIVES,
            other_readings=(
                Clause(
                    r"$n \ge 3$, any $R$, the Hessian read as that of the second-order expansion: $L(w) = L(0) + o(\lvert w\rvert^2)$.",
                    {"n": 3, "R": 1, "d": 1, "m": 1},
                    (ORDER, ROUGH_NETWORKS),
                    (BOUNDED_AT_DATA,),
                    changes=(Change("the Hessian is a zero matrix", "pre is bounded near the data", kept=True),),
                ),
            ),
        ),
    ),
    evidence=(_observed(2), _observed(3), *AT_DEPTH["DR-T2.1"]),
    notes=r"Definition 4 supposes an expansion and asks for $L(w) = L(0) + o(\lvert w\rvert^{n-1})$. The theorem is read as "
    "stating both, for Assumption 3 is there to grant the expansion, and does not (DR-A3); where it is supposed, nothing "
    "is asked of pre. The proof shows that partial derivatives vanish, "
    r"which see at most $n - 1$ weights at a time. $\lvert\mathrm{mid}(t)\rvert$, "
    r"$\lvert\mathrm{post}(t)\rvert \le K\lvert t\rvert$ near 0 is all that is used of mid and post. The order counts "
    "vanishing derivatives; it is not the optimiser's 'second-order stationary point'.",
)


# Part 1, the word "saddle".


def _leading(n: int) -> tuple[ResidualUnit, Sum]:
    """The unit and the least-degree part of the loss of two units."""
    unit = generic_unit(n)
    series = loss_series(unit, squared, 2, n)
    assert lowest_degree(series) == n
    return unit, series[n]


def leading_claim(n: int) -> str:
    """c_n (1/m) sum over both units of g^T W_n ... W_1 pre(x), for n >= 2."""
    return " + ".join(leading_term(n, unit) for unit in (1, 2))


def _leading_parts(_: Context) -> Computed:
    found = {n: _leading(n) for n in SEVERAL}
    shown = (
        r"L(w) - L(0) = c_n \sum_r \operatorname{tr}\!\left(M^{\mathsf T} W^{r,n} \cdots W^{r,1}\right) + o(\|w\|^n)"
    )
    return Computed(found, over_depths(SEVERAL), shown)


_Parts: TypeAlias = Mapping[int, tuple[ResidualUnit, Sum]]


def _odd_in(found: _Parts, claim: tuple[int, ...]) -> None:
    """Pass when changing the signs of the weights at these places of the path changes that of the leading part.

    Raises:
        Disagreement: it does not.
    """
    for n, (_, part) in found.items():
        changed = part
        for back in claim:
            changed = negate(changed, f"W{max(n - back, 1)}")
        if changed != scale(-1, part):
            raise Disagreement(f"n={n}: the leading part does not change its sign")


def _same_leading(found: _Parts, factor: Fraction) -> None:
    for n, (unit, part) in found.items():
        if part != scale(factor, parse(leading_claim(n), vocabulary(unit, squared))):
            raise Disagreement(f"n={n}: computed {show(part)}")


def _at_m(_: Context) -> Computed:
    """The leading part along W_1 = ... = W_{n-1} = I and W_n = M of the first unit, all else zero."""
    found = {}
    for n in SEVERAL:
        unit, part = _leading(n)
        identity = tensor(Delta(("d", "d")), (ROW, COLUMN))
        m_matrix = parse("m^-1 * g[i,u] * pre(X)[j,u]", vocabulary(unit, squared), {"i": ROW, "j": COLUMN})
        direction = {**{f"W{k}": identity for k in range(1, n)}, f"W{n}": m_matrix}
        only_first = along(unit, part, {name: {} for name in unit.names.values()}, number=2)
        found[n] = (unit, along(unit, only_first, direction))
    return Computed(found, over_depths(SEVERAL), r"c_n \operatorname{tr}(M^{\mathsf T} M) = c_n \|M\|_F^2")


def _squared_norm(found: _Parts, power: int) -> None:
    powers = {2: "m^-1 * g[i,u] * pre(X)[j,u] * m^-1 * g[i,v] * pre(X)[j,v]", 1: "m^-1 * g[i,u] * pre(X)[i,u]", 0: "0"}
    for n, (unit, value) in found.items():
        claim = " * ".join([*["mid'(0)"] * (n - 1), "post'(0)", powers[power]])
        same_sum(value, claim, vocabulary(unit, squared), name=f"n={n}")


def _outer_layer(_: Context) -> Computed:
    """The lowest part of W mid(u) for an arbitrary input u: with the sign of W changed, and at W = I."""
    lowest = layer(MID).lowest
    identity = tensor(Delta(("d", "d")), (ROW, COLUMN))
    found = {
        "odd in W": negate(lowest, "W") == scale(-1, lowest),
        "W = I": show(substitute(lowest, Perturbation("W", 1, ("d", "d")), identity)),
    }
    return Computed(found, sizes.of_terms(lowest), r"\sigma_{\mathrm{mid}}'(0)\, W u")


_OUTER_LAYER = {"odd in W": True, "W = I": "mid'(0) * u[i,u]"}
OUTER_LAYER = Argument(
    "Induction over the layers of a path: the lowest part of one more layer",
    "index notation",
    _outer_layer,
    _OUTER_LAYER,
    {
        "it is even in the new weight": {**_OUTER_LAYER, "odd in W": False},
        "the slope of mid does not matter": {**_OUTER_LAYER, "W = I": "u[i,u]"},
    },
    explanation="$u$ is the lowest part of the layers below, which do not contain $W$: one more layer makes the leading part odd in "
    r"$W$, and with $W = I$ multiplies it by $\mathrm{mid}'(0)$.",
)


def _values(_: Context) -> Computed:
    """The part of degree n at explicit rational weights, and with the signs of W_n changed."""
    found = {}
    for n in (3, 4):
        part = explicit_series(Network(LINEAR[n], 2), {"d": 2}, order=n, data=_SMALL_DATA, graded=True)
        monomials = {p: next(iter(v.values())) for p, v in part.plain(n).items()}
        point = {p: _weight(p) for p in range(part.parameters)}
        flipped = {p: -v if p // 4 % n == n - 1 else v for p, v in point.items()}
        found[n] = (_value(monomials, point), _value(monomials, flipped))
    return Computed(found, Scope.of(*(f"n={n}, R=2, d=2, m=1" for n in found)))


_SMALL_DATA = Instance([[1], [2]], [[0], [5]])


def _weight(parameter: int) -> Fraction:
    """An arbitrary rational value for each parameter."""
    return Fraction((7 * parameter) % 11 - 4, 3)


def _value(monomials: Mapping[tuple[int, ...], Fraction], at: Mapping[int, Fraction]) -> Fraction:
    return sum((c * prod(at[p] for p in parameters) for parameters, c in monomials.items()), Fraction(0))


def _traces(n: int) -> Fraction:
    """sum over r of g^T W^{r,n} ... W^{r,1} x for x = (1, 2), g = x - y = (1, -3), by matrix products."""
    total = Fraction(0)
    for r in range(2):
        vector = [Fraction(1), Fraction(2)]
        for place in range(n):
            first = 4 * (r * n + place)
            vector = [sum((_weight(first + 2 * j + i) * vector[j] for j in range(2)), Fraction(0)) for i in range(2)]
        total += vector[0] - 3 * vector[1]
    return total


def _values_are(found: Mapping[int, tuple[Fraction, Fraction]], claim: tuple[int, int]) -> None:
    for n, values in found.items():
        if values != (claim[0] * _traces(n), claim[1] * _traces(n)):
            raise Disagreement(f"n={n}: values {values}, sum of traces {_traces(n)}")


def _without_m(_: Context) -> Computed:
    """x = y and d = m = 1: the loss at zero, and its powers of t along (t, ..., t) with either sign of the last."""
    found = {}
    for n in SEVERAL:
        network = RoughNetwork(n, y=(1,))
        found[n] = (network.loss([]), [network.along(*(1,) * (n - 1), sign) for sign in (1, -1)])
    return Computed(found, Scope.of("n=2..6, R=1, d=m=1, x=y=1"))


def _degenerate(where: str, fails: Argument, hedge: str = "") -> ExceptionalSet:
    """The set c_n M = 0, which holds X = Y: null in Y where mid'(0), post'(0) and pre(X) are not 0, else everything."""
    return ExceptionalSet(
        rf"${where}$, a null set of $Y$ where $\mathrm{{mid}}'(0)$, $\mathrm{{post}}'(0)$ and $\mathrm{{pre}}(X)$ are not 0",
        fails,
        Induction(
            "n",
            Argument(
                r"$c_n\, \mathrm{tr}\, M^{\mathsf T} M$ is a polynomial in $Y$ that does not vanish everywhere",
                "index notation",
                _at_m,
                2,
                {"it vanishes everywhere": 0, "the trace of $M$ in place of its squared norm": 1},
                _squared_norm,
                explanation=r"For any $d$ and $m$; at $Y = X - \mathrm{pre}(X)$ it is "
                r"$c_n \lvert\mathrm{pre}(X)\, \mathrm{pre}(X)^{\mathsf T}\rvert^2 / m^2$.",
            ),
            OUTER_LAYER,
        ),
        hedge,
    )


_NO_SADDLE = Argument(
    "$X = Y$: the loss is least at zero",
    "instance",
    _without_m,
    {n: ({}, [{2 * n: Fraction(1, 2)}] * 2) for n in SEVERAL},
    {
        PRINTED: property_of({n: ({0: 1}, [{n: 1}, {n: -1}]) for n in SEVERAL})(
            lambda found: all(value for value, _ in found.values())
        ),
        "it falls along one of them": {n: ({}, [{n: 1}, {n: -1}]) for n in SEVERAL},
    },
    matches,
    explanation="A mean of squares takes values below $L(0)$ only where $L(0) > 0$; here $L(0) = 0$.",
)

T2_1S = Statement(
    id="DR-T2.1s",
    title=r"For $n \ge 2$ zero is a saddle unless $c_n M = 0$",
    subject="n_shortcut",
    source=source(
        "A", "section 2", "ResNet with shortcut length larger than 2 has the zero initial point as a high order saddle"
    ),
    sentence=r"For $n \ge 2$ the loss takes values above and below $L(0)$ in every neighbourhood of zero, unless $c_n M = 0$.",
    latex=r"c_n M \ne 0 \implies \inf_{\|w\| < \epsilon} L < L(0) < \sup_{\|w\| < \epsilon} L \quad \forall \epsilon > 0",
    for_all={"n": 2, "R": 1, "d": 1, "m": 1},
    hypotheses=(FLAT_AT_ZERO, SMOOTH),
    uses=("DR-T2S",),
    reading=_degenerate("c_n M = 0", _NO_SADDLE),
    arguments=(
        Induction(
            "n",
            Argument(
                "The part of degree $n$",
                "index notation",
                _leading_parts,
                Fraction(1),
                {"twice as large": Fraction(2), "the other sign": Fraction(-1)},
                _same_leading,
                explanation=r"For every $n$: the lowest part of a layer is $\mathrm{mid}'(0) W u$ (the induction step of DR-T2.1), "
                r"that of post is $\mathrm{post}'(0) u$, that of the loss is $g$.",
            ),
            INDUCTION_STEP,
        ),
        Induction(
            "n",
            Argument(
                "It is odd in the last weight of a path",
                "index notation",
                _leading_parts,
                (0,),
                {"even when two weights change sign": (0, 1), "even when none does": ()},
                _odd_in,
                explanation="So wherever it is not zero it takes both signs.",
            ),
            OUTER_LAYER,
        ),
        Induction(
            "n",
            Argument(
                "It vanishes only if $c_n M = 0$",
                "index notation",
                _at_m,
                2,
                {"the trace of $M$ in place of its squared norm": 1},
                _squared_norm,
                explanation=r"With $W_1 = \cdots = W_{n-1} = I$ and $W_n = M$ in one unit it equals $c_n \lvert M\rvert_F^2$.",
            ),
            OUTER_LAYER,
        ),
        LEADING_OF_ONE,
        Argument(
            r"Values at explicit weights: $c_n \sum_r\, \mathrm{tr}(M^{\mathsf T} W_n \cdots W_1)$, with both signs",
            "explicit",
            _values,
            (1, -1),
            {"the sign does not change": (1, 1), "twice as large": (2, -2)},
            _values_are,
        ),
    ),
    notes=r"$c_n M = 0$ where $\mathrm{mid}'(0) = 0$, $\mathrm{post}'(0) = 0$ or $M = 0$, such as $X = Y$. Weights of one unit "
    "suffice, where pre meets the data alone, so that nothing is asked of pre. For $n = 2$ the saddle is strict "
    "(DR-T2.2s).",
)


ANY_NETWORK = {"R": 1, "d": 1, "m": 1}
"""The least values of the sizes that parts 2 and 3 speak of; each of them fixes n."""

# Part 2: n = 2.

_C = "m^-1 * mid'(0) * post'(0)"
_ONE_UNIT = f"{_C} * g[i,u] * pre(X)[j,u] * dW2(1)[i,a] * dW1(1)[a,j]"
_TRANSPOSED_M = f"{_C} * g[j,u] * pre(X)[i,u] * dW2(1)[i,a] * dW1(1)[a,j]"
_TWO_UNITS = _ONE_UNIT.replace("dW2(1)", "dW2(2)")
_LINEAR_PART = "m^-1 * g[i,u] * X[j,u] * dW2(1)[i,a] * dW1(1)[a,j]"
_LINEAR_CROSS = _LINEAR_PART.replace("dW2(1)", "dW2(2)")

_FORM_OF_TWO = hessian_arguments(
    generic_unit(2),
    Claim(_ONE_UNIT),
    {
        "$M$ transposed": Claim(_TRANSPOSED_M),
        "twice as large": Claim(f"2 * {_ONE_UNIT}"),
        "without the slope of mid": Claim(_ONE_UNIT.replace("mid'(0) * ", "")),
        r"$X$ in place of $\mathrm{pre}(X)$": Claim(_ONE_UNIT.replace("pre(X)", "X")),
        "units interact": Claim(_ONE_UNIT, _TWO_UNITS),
        "$P$ left out": Claim(_ONE_UNIT.replace("dW1(1)[a,j]", "dW1(1)[j,a]")),
    },
    (size(1, d=1), size(2, d=2), size(3, d=2), size(2, 2, d=2), size(1, d=3)),
)


def _twice(unit: ResidualUnit) -> bool:
    """Whether the series of the loss has a second-order part, no activation having a kink where it is evaluated."""
    try:
        hessian_form(unit, generic_loss)
    except NotDifferentiableError:
        return False
    return True


def _formal(depth: int) -> Citation:
    """From the parts of the series to the derivatives of the loss, where the activations have as many as it names."""
    kinked = ResidualUnit(n_shortcut(depth, PRE, post=relu) if depth == 1 else n_shortcut(depth, PRE, relu))
    return Citation(
        "taylor-peano",
        {
            "the activations have no kink where they are evaluated": Condition(
                _twice, lambda: generic_unit(depth), lambda: kinked
            )
        },
    )


T2_2 = Statement(
    id="DR-T2.2",
    title=r"For $n = 2$ the Hessian is block diagonal with blocks $\begin{pmatrix}0 & A^{\mathsf T} \\ A & 0\end{pmatrix}$",
    subject="n_shortcut",
    source=source(
        "A",
        "Theorem 2.2, Eq. 8, 23-25",
        "if n = 2, the Hessian can be written as ... where A only depends on the training set and the activation functions",
        "Theorem 1.2, Eq. 11, 19-21",
    ),
    latex=r"H = I_R \otimes \begin{pmatrix} 0 & A^{\mathsf T} \\ A & 0 \end{pmatrix}, \qquad "
    r"A = c\,(I_d \otimes M)\, P^{\mathsf T}, \qquad M = \Sigma_{X\,\sigma_{\mathrm{pre}}(X)} - \Sigma_{Y\,\sigma_{\mathrm{pre}}(X)}",
    hypotheses=(FLAT_AT_ZERO, SMOOTH),
    uses=("DR-L3", "DR-L4", "DR-T2S", "GEN-1"),
    clauses=(
        Clause(
            "For $n = 2$ the Hessian at zero is block diagonal over units; each block is "
            r"$\begin{pmatrix}0 & A^{\mathsf T} \\ A & 0\end{pmatrix}$ with "
            r"$A = c\, \mathrm{blockdiag}(M, \ldots, M) P^{\mathsf T}$.",
            ANY_NETWORK,
            (
                PARTIALS_OF_TWO,
                constant_without((2,)),
                PAIRS_OF_WEIGHTS,
                *_FORM_OF_TWO,
                _formal(2),
                COMMUTATION,
                SECOND_ORDER,
            ),
            reading=PARTIAL_DERIVATIVES,
            other_readings=(
                Clause(
                    "$n = 2$, any $R$, the Hessian read as that of the second-order expansion: "
                    r"$L(w) = L(0) + \tfrac{1}{2} w^{\mathsf T} H w + o(\lvert w\rvert^2)$.",
                    ANY_NETWORK,
                    (LEADING_OF_TWO, ROUGH_NETWORKS, COMMUTATION),
                    (CONTINUOUS_AT_DATA,),
                ),
            ),
        ),
    ),
    evidence=(
        observed_product(
            f"$H v$ of a linear network, $R = {DEPTH}$",
            covariances(2, DEPTH),
            Claim(_LINEAR_PART),
            {"twice as large": Claim(f"2 * {_LINEAR_PART}"), "units interact": Claim(_LINEAR_PART, _LINEAR_CROSS)},
        ),
        identity_modulo(
            generic_unit(2),
            DEPTH,
            {1: "0", 2: _ONE_UNIT},
            {
                "$M$ transposed": {1: "0", 2: _TRANSPOSED_M},
                "units interact": {1: "0", 2: f"{_ONE_UNIT} + {_TWO_UNITS}"},
            },
            d=10,
            m=20,
        ),
        *AT_DEPTH["DR-T2.2"],
    ),
    notes="$g = x - y$. The squared loss enters through $g$ alone.",
)


_VECTORS = {name: Opaque(name, ("d",)) for name in "auv"}


def dyad(column: str, row: str) -> Sum:
    """The product of a column and a row among the vectors a, u, v."""
    return multiply(tensor(_VECTORS[column], (ROW,)), tensor(_VECTORS[row], (COLUMN,)))


def images(unit: ResidualUnit, loss: Loss, directions: Mapping[str, dict[str, Sum]]) -> dict[str, Sum]:
    """The gradient of the quadratic form within one unit in each weight named, along the direction that goes with it."""
    form, variables = thaw(hessian_form(unit, loss).diagonal), perturbations(unit)
    return {
        name: differentiate(along(unit, form, direction), variables[name], (ROW, COLUMN)[: len(variables[name].dims)])
        for name, direction in directions.items()
    }


def same_images(unit: ResidualUnit, loss: Loss) -> Callable[[Mapping[str, Sum], Mapping[str, str]], None]:
    """A comparison that passes when the images, by weight, are those claimed; a, u and v are any vectors."""
    return same_sums({**vocabulary(unit, loss), **_VECTORS}, {"i": ROW, "j": COLUMN})


def _pairing(_: Context) -> Computed:
    """The gradient of the quadratic form along W_1 = a v^T in W_2, and along W_2 = u a^T in W_1, any loss."""
    unit = generic_unit(2)
    found = images(unit, generic_loss, {"W2": {"W1": dyad("a", "v")}, "W1": {"W2": dyad("u", "a")}})
    shown = r"H\,(a v^{\mathsf T}, u a^{\mathsf T}) = \left(c\, a\,(M^{\mathsf T} u)^{\mathsf T},\; c\,(M v)\, a^{\mathsf T}\right)"
    return Computed(found, sizes.of_unit(unit), shown)


def _second_block(inner_width: str | None = None) -> IndexSum:
    """The block of the Hessian between W2 and W1, any loss."""
    unit = ResidualUnit(n_shortcut(2, PRE, MID, POST, inner_width))
    return hessian_block(unit, generic_loss, ("W2", 1), ("W1", 1))


def _is_square(block: IndexSum) -> bool:
    """Whether a block has the free indices of c M_ij delta_ab: all of dimension d."""
    return [dimension for _, dimension in block.free] == ["d"] * 4


_IMAGES = {
    "W2": f"{_C} * g[i,w] * pre(X)[k,w] * v[k] * a[j]",
    "W1": f"{_C} * a[i] * g[k,w] * u[k] * pre(X)[j,w]",
}

# Rational singular vectors and values: U, V from Pythagorean triples.
_U = ((Fraction(3, 5), Fraction(-4, 5)), (Fraction(4, 5), Fraction(3, 5)))
_V = ((Fraction(5, 13), Fraction(-12, 13)), (Fraction(12, 13), Fraction(5, 13)))
_SINGULAR = (Fraction(2), Fraction(1, 3))
_SLOPE = 3
"""mid'(0) of the instances, mid(t) = 3 t + t^2, so c = 3."""


def matrix_m() -> list[list[Fraction]]:
    """M = U diag(2, 1/3) V^T with rational rotations U and V."""

    def entry(i: int, j: int) -> Fraction:
        return sum((_U[i][k] * _SINGULAR[k] * _V[j][k] for k in range(2)), Fraction(0))

    return [[entry(i, j) for j in range(2)] for i in range(2)]


def _spectra(_: Context) -> Computed:
    unit, data = ResidualUnit(n_shortcut(2, mid=polynomial(0, _SLOPE, 1))), instance_with_m(matrix_m())
    found = {units: exact_spectrum(unit, units, data) for units in (1, 2, 3)}
    shown = r"\operatorname{eigs}(H) = \{\pm 6, \pm 1\},\quad c = 3,\quad \sigma(M) = \{2, \tfrac13\}"
    return Computed(found, Scope.of(*(f"n=2, R={units}, d=2, m=2" for units in found)), shown)


def _spectrum_claim(units: int, scale_by: int = _SLOPE, copies: int = 2, power: int = 1) -> dict[Fraction, int]:
    """+- c sigma_i(M), each R d times."""
    values = [sign * scale_by * s**power for s in _SINGULAR for sign in (-1, 1)]
    return dict(sorted((value, units * copies) for value in values))


T2_2E = Statement(
    id="DR-T2.2e",
    title=r"The eigenvalues for $n = 2$ are $\pm c \sigma_i(M)$, each $R d$ times",
    subject="n_shortcut",
    source=source(
        "A",
        "Eq. 22, 26",
        "the eigenvalues of the Hessian H at the zero initial point are multiple copies of +- sqrt(eigs(A^T A))",
        "Eq. 18, 22",
    ),
    sentence=r"With $M = \sum s_i u_i v_i^{\mathsf T}$ the eigenvectors in each unit are "
    r"$(W_1, W_2) = (a v_i^{\mathsf T}, \pm u_i a^{\mathsf T})$ for any $a$, with eigenvalue $\pm c s_i$; together "
    "$2 R d^2$ of them.",
    latex=r"\operatorname{eigs}(H) = \pm c\,\sigma_i(M), \text{ each } R d \text{ times}",
    for_all=ANY_NETWORK,
    hypotheses=(FLAT_AT_ZERO, SMOOTH),
    uses=("DR-T2.2",),
    reading=PARTIAL_DERIVATIVES,
    arguments=(
        PARTIALS_OF_TWO,
        Argument(
            r"The images of $a v^{\mathsf T}$ and $u a^{\mathsf T}$",
            "index notation",
            _pairing,
            _IMAGES,
            {
                "$M$ and its transpose exchanged": {
                    "W2": f"{_C} * g[k,w] * pre(X)[i,w] * v[k] * a[j]",
                    "W1": f"{_C} * a[i] * pre(X)[k,w] * u[k] * g[j,w]",
                },
                "outer products transposed": {
                    "W2": f"{_C} * g[j,w] * pre(X)[k,w] * v[k] * a[i]",
                    "W1": f"{_C} * a[j] * g[k,w] * u[k] * pre(X)[i,w]",
                },
            },
            same_images(generic_unit(2), generic_loss),
            explanation=r"With $M v_i = s_i u_i$ and $M^{\mathsf T} u_i = s_i v_i$ the pair "
            r"$(a v_i^{\mathsf T}, \pm u_i a^{\mathsf T})$ is mapped to $\pm c s_i$ times itself. $a$ runs through an "
            r"orthonormal basis of $\mathbb R^d$, $i$ through $d$ values, the sign through two, $r$ through $R$ units: "
            "$2 R d^2$ orthogonal eigenvectors, as many as there are parameters.",
        ),
        Citation(
            "svd",
            {r"$M$ is a real $d \times d$ matrix": Condition(_is_square, _second_block, lambda: _second_block("k"))},
        ),
        _formal(2),
        Argument(
            "Exact characteristic polynomials",
            "explicit",
            _spectra,
            {units: _spectrum_claim(units) for units in (1, 2, 3)},
            {
                "multiplicity $R$": {units: _spectrum_claim(units, copies=1) for units in (1, 2, 3)},
                "without $c$": {units: _spectrum_claim(units, scale_by=1) for units in (1, 2, 3)},
                r"the square of $\sigma_i$": {units: _spectrum_claim(units, power=2) for units in (1, 2, 3)},
                "positive only": {
                    units: {v: 2 * k for v, k in _spectrum_claim(units).items() if v > 0} for units in (1, 2, 3)
                },
            },
            explanation=r"$\mathrm{mid}(t) = 3t + t^2$, $M = U\, \mathrm{diag}(2, 1/3) V^{\mathsf T}$ with rational rotations $U$, $V$.",
        ),
    ),
    evidence=(
        Argument(
            f"Extreme eigenpairs of a tanh network, $R = {DEPTH}$",
            "floating point",
            eigenpairs(samples(TANH[2], DEPTH), np.tanh),
            1.0,
            {r"the square of $\sigma_i$": 2.0, r"the root of $\sigma_i$": 0.5, MOVED_LITTLE: Moved(1.0)},
            are_eigenpairs,
            explanation=r"$w = (a_r v^{\mathsf T}, \pm u a_r^{\mathsf T})$ in all units at once, $a_r$ random; greatest and least "
            r"$\sigma$, both signs.",
        ),
        *AT_DEPTH["DR-T2.2e"],
    ),
)


def _extreme_moduli(unit: ResidualUnit, units: int, data: Instance) -> tuple[Fraction, Fraction]:
    """The least and the greatest modulus of the eigenvalues."""
    moduli = [abs(value) for value in exact_spectrum(unit, units, data) or {}]
    return min(moduli), max(moduli)


def _ratios(_: Context) -> Computed:
    """Quotients of the extreme moduli of the eigenvalues at R = 1..3 for two slopes c."""
    data, found = instance_with_m(matrix_m()), {}
    for slope in (1, 3):
        unit = ResidualUnit(n_shortcut(2, mid=polynomial(0, slope, 1)))
        for units in (1, 2, 3):
            least, greatest = _extreme_moduli(unit, units, data)
            found[slope, units] = greatest / least
    sizes = [f"n=2, c={slope}, R={units}, d=2, m=2" for slope, units in found]
    return Computed(found, Scope.of(*sizes), r"\operatorname{cond}(H) = \sigma_1/\sigma_d = 6")


def _same_ratio(found: Mapping[tuple[int, int], Fraction], claim: Callable[[int, int], Fraction]) -> None:
    for (slope, units), ratio in found.items():
        if ratio != claim(slope, units):
            raise Disagreement(f"c={slope}, R={units}: cond(H) is {ratio}; claimed {claim(slope, units)}")


_KAPPA = _SINGULAR[0] / _SINGULAR[1]


def _degree_in_slopes(_: Context) -> Computed:
    """How the form depends on c and on R: each term has c once, its unit alone, and A = 0."""
    unit = generic_unit(2)
    form = hessian_form(unit, generic_loss)
    scalars = {dict(term.scalars).get(name) for term in form.diagonal.terms for name in ("mid'(0)", "post'(0)")}
    return Computed({"powers of the slopes": scalars, "A": form.cross.label}, sizes.of_unit(unit))


def _singular(_: Context) -> Computed:
    """M = diag(1, 0): the extreme moduli at R = 1..3."""
    data = instance_with_m([[Fraction(1), Fraction(0)], [Fraction(0), Fraction(0)]])
    found = {units: _extreme_moduli(LINEAR[2], units, data) for units in (1, 2, 3)}
    return Computed(found, Scope.of(*(f"n=2, R={units}, d=2, m=2" for units in found)))


def _no_quotient(_: Context) -> Computed:
    """x = y: the extreme moduli of a Hessian that vanishes."""
    return Computed(_extreme_moduli(LINEAR[2], 2, Instance([[1], [2]], [[1], [2]])), Scope.of("n=2, R=2, d=2, m=1"))


T2_2C = Statement(
    id="DR-T2.2c",
    title="For $n = 2$ the condition number is that of $M$, whatever the depth: infinite where $M$ is singular",
    subject="n_shortcut",
    source=source(
        "A",
        "Theorem 2.2, Eq. 9, and after it",
        "whose condition number is cond(H) = sqrt(cond((Sigma^{X pre(X)} - Sigma^{Y pre(X)})^T (Sigma^{X pre(X)} - Sigma^{Y pre(X)}))) ... Theorem 2 shows that the condition numbers of 2-shortcut networks are depth-invariant",
        "Theorem 1.2, Eq. 12",
    ),
    sentence=r"For $n = 2$ and $c M \ne 0$ the matrix $H$ of the second partial derivatives at zero has $\mathrm{cond}(H) = "
    r"\sqrt{\mathrm{cond}(M^{\mathsf T} M)} = \sigma_{\max}(M) / \sigma_{\min}(M)$ for every depth $R$, whatever $c$ is; "
    "both sides are infinite where $M$ is singular.",
    latex=r"c M \ne 0 \implies \operatorname{cond}(H) = \sqrt{\operatorname{cond}(M^{\mathsf T} M)} = \frac{\sigma_{\max}(M)}{\sigma_{\min}(M)}",
    for_all=ANY_NETWORK,
    hypotheses=(FLAT_AT_ZERO, SMOOTH),
    uses=("DR-T2.2", "DR-T2.2e", "GEN-1"),
    reading=_degenerate(
        "c M = 0",
        Argument(
            "$X = Y$: the Hessian vanishes, and has no condition number",
            "instance",
            _no_quotient,
            (Fraction(0), Fraction(0)),
            {PRINTED: lambda found: found[1] > 0, "it is the identity": (Fraction(1), Fraction(1))},
            matches,
            explanation="The least and the greatest modulus of its eigenvalues; a quotient, infinite or not, needs a greatest "
            "one that is not zero.",
        ),
    ),
    arguments=(
        PARTIALS_OF_TWO,
        Argument(
            "$H$ is proportional to $c$, and units do not interact",
            "index notation",
            _degree_in_slopes,
            {"powers of the slopes": {1}, "A": "0"},
            {
                "$H$ depends on $c$ quadratically": {"powers of the slopes": {2}, "A": "0"},
                "units interact": {"powers of the slopes": {1}, "A": "m^-1"},
            },
            explanation=r"By DR-T2.2e the moduli of the eigenvalues are $\lvert c\rvert \sigma_i(M)$ at every $R$; $c$ and $R$ cancel "
            "in the quotient of the greatest and the least.",
        ),
        Argument(
            "Quotients of exact eigenvalues",
            "explicit",
            _ratios,
            lambda slope, units: _KAPPA,
            {
                "grows with $R$": lambda slope, units: units * _KAPPA,
                "grows with $c$": lambda slope, units: slope * _KAPPA,
                "the square": lambda slope, units: _KAPPA**2,
            },
            _same_ratio,
        ),
        Argument(
            "$M$ singular: a zero eigenvalue at every $R$",
            "explicit",
            _singular,
            {units: (Fraction(0), Fraction(1)) for units in (1, 2, 3)},
            {
                "finite at $R = 1$": {
                    1: (Fraction(1), Fraction(1)),
                    2: (Fraction(0), Fraction(1)),
                    3: (Fraction(0), Fraction(1)),
                },
                "no eigenvalue but zero": {units: (Fraction(0), Fraction(0)) for units in (1, 2, 3)},
            },
        ),
        _formal(2),
    ),
    evidence=AT_DEPTH["DR-T2.2c"],
    notes=r"For $M \ne 0$ singular, always so with fewer samples than $d$, both sides are infinite at every $R$. The "
    "second-order expansion has this $H$ where pre is continuous at the data (DR-T2.2).",
)


def _descent(_: Context) -> Computed:
    """The quadratic form along W_1 = I, W_2 = -c M, any loss."""
    unit = generic_unit(2)
    form = thaw(hessian_form(unit, generic_loss).diagonal)
    free = {"i": ROW, "j": COLUMN}
    direction = {
        "W1": tensor(Delta(("d", "d")), (ROW, COLUMN)),
        "W2": scale(-1, parse(f"{_C} * g[i,u] * pre(X)[j,u]", vocabulary(unit, generic_loss), free)),
    }
    value = along(unit, form, direction)
    return Computed(value, sizes.of_unit(unit), r"\tfrac12 v^{\mathsf T} H v = " + latex_sum(freeze(value, {})))


def _same_value(found: Sum, claim: str) -> None:
    same_sum(found, claim, vocabulary(generic_unit(2), generic_loss))


_NORM = "m^-2 * mid'(0)^2 * post'(0)^2 * g[i,u] * pre(X)[j,u] * g[i,v] * pre(X)[j,v]"


def _inertias(_: Context) -> Computed:
    """The numbers of negative, zero and positive eigenvalues for c M regular, singular and zero."""
    zero = Fraction(0)
    linear = ResidualUnit(n_shortcut(2))
    flat = ResidualUnit(n_shortcut(2, mid=polynomial(0, 0, 1)))
    cases = {
        "M regular": (linear, matrix_m()),
        "M of rank 1": (linear, [[Fraction(1), zero], [zero, zero]]),
        "M = 0": (linear, [[zero, zero], [zero, zero]]),
        "c = 0": (flat, matrix_m()),
    }
    found = {}
    for name, (unit, m) in cases.items():
        spectrum = exact_spectrum(unit, 2, instance_with_m(m)) or {}
        signs = Counter[int]()
        for value, multiplicity in spectrum.items():
            signs[(value > 0) - (value < 0)] += multiplicity
        found[name] = (signs[-1], signs[0], signs[1])
    return Computed(found, Scope.of("n=2, R=2, d=2, m=2"))


_INERTIAS = {"M regular": (8, 0, 8), "M of rank 1": (4, 8, 4), "M = 0": (0, 16, 0), "c = 0": (0, 16, 0)}

_STRICT_SADDLE = Clause(
    "For $n = 2$ all first partial derivatives vanish at zero, and the matrix of the second partial derivatives has a "
    r"negative eigenvalue exactly when $c M \ne 0$.",
    ANY_NETWORK,
    (
        Argument(
            "A direction of negative curvature",
            "index notation",
            _descent,
            f"-1 * {_NORM}",
            {
                "positive curvature": _NORM,
                "the trace of $M$ in place of its squared norm": "-1 * m^-2 * mid'(0)^2 * post'(0)^2 * g[i,u] * pre(X)[i,u] "
                "* g[j,v] * pre(X)[j,v]",
                "twice as steep": f"-2 * {_NORM}",
            },
            _same_value,
            explanation=r"Along $W_1 = I$, $W_2 = -c M$ in one unit the form is $-c^2 \lvert M\rvert_F^2$. Conversely $H$ is linear "
            "in $c M$, so $c M = 0$ gives $H = 0$. The gradient vanishes: no single weight moves the loss.",
        ),
        Argument(
            "Inertia of exact Hessians",
            "explicit",
            _inertias,
            _INERTIAS,
            {
                "a singular $M$ is degenerate": {**_INERTIAS, "M of rank 1": (0, 16, 0)},
                "$c$ does not matter": {**_INERTIAS, "c = 0": (8, 0, 8)},
                "a minimum": {**_INERTIAS, "M regular": (0, 8, 8)},
            },
        ),
        PARTIALS_OF_TWO,
        constant_without((2,)),
        _formal(2),
    ),
    reading=_degenerate(
        "c M = 0",
        replace(_NO_SADDLE, title="$X = Y$: no negative curvature, as the loss is least at zero"),
        "Except for degenerate cases",
    ),
    other_readings=(
        Clause(
            r"$n = 2$, any $R$, stationary point read as in Definition 4: $L(w) = L(0) + o(\lvert w\rvert)$.",
            ANY_NETWORK,
            (ORDER_OF_TWO, ROUGH_NETWORKS),
            (BOUNDED_AT_DATA,),
        ),
    ),
)

T2_2S = Statement(
    id="DR-T2.2s",
    title=r"For $n = 2$ zero is a strict saddle if and only if $c M \ne 0$",
    subject="n_shortcut",
    source=source("A", "Theorem 2.2", "Except for degenerate cases, it is a strict saddle point", "Theorem 1.2"),
    latex=r"\nabla L(0) = 0, \quad \lambda_{\min}(H) = -|c|\,\sigma_{\max}(M) < 0 \iff c M \ne 0",
    hypotheses=(FLAT_AT_ZERO, SMOOTH),
    uses=("DR-T2S", "DR-T2.1", "DR-T2.2", "DR-T2.2e"),
    clauses=(_STRICT_SADDLE,),
    notes="Hessian and stationary point are taken in partial derivatives, as in Definition 5 and the proof (DR-T2.2, DR-T2.1); "
    "of pre nothing is asked then.",
)


# Part 3: n = 1.

_SQUARED = "delta[i,k]"
_PART_3 = first_order_claim(_SQUARED)
_TRANSPOSED = exchanged(_PART_3.cross)
_GRADIENT = "m^-1 * post'(0) * g[i,u] * pre(X)[j,u] * dW1(1)[i,j]"
_TANH_PART_3 = Claim(
    f"1/2 * {_SQUARED} * m^-1 * tanh(X)[j,u] * tanh(X)[l,u] * dW1(1)[i,j] * dW1(1)[k,l]",
    f"{_SQUARED} * m^-1 * tanh(X)[j,u] * tanh(X)[l,u] * dW1(2)[i,j] * dW1(1)[k,l]"
    " + m^-1 * g[i,u] * tanh(X)[l,u] * dW1(2)[i,k] * dW1(1)[k,l]"
    " - m^-1 * g[i,u] * tanh(X)[k,u] * tanh(X)[k,u] * tanh(X)[l,u] * dW1(2)[i,k] * dW1(1)[k,l]",
)
"""post = tanh: post'(0) = 1, post''(0) = 0; tanh' = 1 - tanh^2."""

_FORMS_OF_ONE = (
    *hessian_arguments(
        generic_unit(1),
        _PART_3,
        {
            "$B$ twice as large": first_order_claim(_SQUARED, half="1"),
            "without the curvature of post": first_order_claim(_SQUARED, second="0 * post''(0)"),
            "pre in place of its derivative": first_order_claim(_SQUARED, slope="pre(X)[k,u]"),
            "$A$ transposed": Claim(_PART_3.diagonal, _TRANSPOSED),
            "$A = 0$": Claim(_PART_3.diagonal),
        },
        (size(1, d=1), size(2, d=2), size(3, d=2), size(2, 2, d=2), size(2, d=3)),
    ),
    *hessian_arguments(
        generic_unit(1),
        first_order_claim(),
        {
            "the squared loss's $Q = I$": first_order_claim(_SQUARED),
            "$Q$ left out of $A$": Claim(first_order_claim().diagonal, first_order_claim("0 * Q[i,k,u]").cross),
        },
        (size(2, d=2), size(2, 2, d=1)),
        loss=generic_loss,
    ),
)

T2_3 = Statement(
    id="DR-T2.3",
    title=r"For $n = 1$ the Hessian has $B$ on the diagonal, $A$ below and $A^{\mathsf T}$ above",
    subject="n_shortcut",
    source=source(
        "A",
        "Theorem 2.3, Eq. 10",
        "if n = 1, the Hessian can be written as ... where A, B only depend on the training set and the activation functions",
        "Theorem 1.3, Eq. 13",
    ),
    latex=r"B_{(ij),(kl)} = \mathbb E\left[p_j p_l\,(k_1^2\, Q_{ik} + k_2\, \delta_{ik}\, g_i)\right], \qquad "
    r"A_{(ij),(kl)} = k_1^2\, \mathbb E\left[p_j p_l\, Q_{ik} + \delta_{jk}\, p'_j\, g_i\, p_l\right]",
    hypotheses=(FLAT_AT_ZERO, SMOOTH),
    uses=("DR-L4", "DR-T2S", "GEN-1"),
    setting=BLOCKS_OF_ONE,
    clauses=(
        Clause(
            "$n = 1$, $R = 1$: the Hessian at zero is $B$.",
            {"d": 1, "m": 1},
            (PARTIALS_WITHIN_ONE, EXPANSION_OF_ONE, PEANO, PAIRS_OF_WEIGHTS, ROUGH_NETWORKS),
        ),
        Clause(
            r"$n = 1$, $R \ge 2$: the Hessian at zero is block Toeplitz, $B$ on the diagonal, $A$ below and "
            r"$A^{\mathsf T}$ above it.",
            {"R": 2, "d": 1, "m": 1},
            (
                PARTIALS_OF_ONE,
                constant_without((1,)),
                EXPANSION,
                EARLIER,
                PEANO,
                PAIRS_OF_WEIGHTS,
                ROUGH_NETWORKS,
                *_FORMS_OF_ONE,
                _formal(1),
            ),
            (MIXED_AT_DATA,),
            changes=(
                Change(
                    "the Hessian can be written as",
                    "pre is differentiable at the data",
                    "From the second unit on the mixed derivatives contain that of pre at the data.",
                    kept=True,
                ),
            ),
        ),
    ),
    evidence=(
        observed_product(
            f"$H v$ of a tanh network, $n = 1$, $R = {DEPTH}$",
            samples(TANH[1], DEPTH),
            _TANH_PART_3,
            {
                "without the slope of pre": Claim(_TANH_PART_3.diagonal, _TANH_PART_3.cross.split(" + ")[0]),
                "pre of slope one": Claim(_TANH_PART_3.diagonal, _TANH_PART_3.cross.split(" - ")[0]),
                "$B$ twice as large": Claim(_TANH_PART_3.diagonal.replace("1/2", "1"), _TANH_PART_3.cross),
                "units do not interact": Claim(_TANH_PART_3.diagonal),
            },
        ),
        identity_modulo(
            generic_unit(1),
            DEPTH,
            {1: _GRADIENT, 2: f"{_PART_3.diagonal} + {_PART_3.cross}"},
            {
                "$A$ transposed": {1: _GRADIENT, 2: f"{_PART_3.diagonal} + {_TRANSPOSED}"},
                "the gradient twice as large": {1: f"2 * {_GRADIENT}", 2: f"{_PART_3.diagonal} + {_PART_3.cross}"},
            },
            d=6,
            m=10,
        ),
        *AT_DEPTH["DR-T2.3"],
    ),
)

_LINEAR_FORMS = first_order_at()
_TRANSPOSED_RESIDUAL = first_order_at(residual="m^-1 * g[l,u] * X[i,u] * dW1(2)[i,k] * dW1(1)[k,l]")

T2_3AB = Statement(
    id="DR-T2.3ab",
    title=r"For linear $n = 1$ networks: $B = P\, \mathrm{blockdiag}(S, \ldots, S) P^{\mathsf T}$, "
    r"$A = \mathrm{blockdiag}(S - T, \ldots) P^{\mathsf T} + B$",
    subject="n_shortcut",
    source=source(
        "A", "Eq. 27-32", "To get the expressions of A and B in sigma_pre(x) = sigma_post(x) = x case", "Eq. 23-28"
    ),
    sentence=r"For $n = 1$ and identity activations $B = P\, \mathrm{blockdiag}(S, \ldots, S) P^{\mathsf T} = S \otimes I$ and "
    r"$A = \mathrm{blockdiag}(S - T, \ldots, S - T) P^{\mathsf T} + B$ with $S = \Sigma_{XX}$, $T = \Sigma_{YX}$.",
    latex=r"B = P\,(I \otimes S)\,P^{\mathsf T} = S \otimes I, \qquad A = (I \otimes (S - T))\,P^{\mathsf T} + B",
    for_all=ANY_NETWORK,
    uses=("DR-T2.3", "GEN-1"),
    arguments=(
        *hessian_arguments(
            ResidualUnit(n_shortcut(1)),
            _LINEAR_FORMS,
            {
                "$A$ without $B$": Claim(_LINEAR_FORMS.diagonal, _LINEAR_FORMS.cross.split(" + ")[1]),
                "$S - T$ transposed": _TRANSPOSED_RESIDUAL,
                "without $P$": first_order_at(residual="m^-1 * g[i,u] * X[l,u] * dW1(2)[i,k] * dW1(1)[l,k]"),
                r"$I \otimes S$": Claim(
                    "1/2 * m^-1 * X[i,u] * X[k,u] * dW1(1)[i,j] * dW1(1)[k,j]", _LINEAR_FORMS.cross
                ),
                "$B$ twice as large": first_order_at(half="1"),
            },
            (size(1, d=2), size(3, d=2), size(2, 2, d=2), size(2, d=3)),
        ),
        COMMUTATION,
        FIRST_ORDER,
    ),
    evidence=(
        observed_product(
            f"$H v$ of a linear network, $n = 1$, $R = {DEPTH}$",
            covariances(1, DEPTH),
            _LINEAR_FORMS,
            {
                "$S - T$ transposed": _TRANSPOSED_RESIDUAL,
                "units do not interact": Claim(_LINEAR_FORMS.diagonal),
            },
        ),
        *AT_DEPTH["DR-T2.3ab"],
    ),
)

STATEMENTS = (T2_1, T2_1S, T2_2, T2_2E, T2_2C, T2_2S, T2_3, T2_3AB)
