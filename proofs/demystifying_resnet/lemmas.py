"""Demystifying ResNet, Lemmas 3 and 4: which derivatives at zero weights can be nonzero, and which agree.

Units carry generic activations: pre at the data, mid and post with value 0 and symbolic derivatives at 0. Throughout
g = x - y is the gradient of the squared loss at the initial output, M = (1/m) (X - Y) pre(X)^T, c_n =
mid'(0)^(n-1) post'(0) and c = c_2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from resproof.architectures.activations import generic, sigmoid
from resproof.architectures.catalogue import (
    n_shortcut,
    plain,
)
from resproof.architectures.forms.terms import Opaque
from resproof.architectures.losses import squared
from resproof.architectures.networks import Network
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.demystifying_resnet.documents import source
from resproof.proofs.routes.hessians import (
    explicit_entries,
    size,
)
from resproof.proofs.statement import PRINTED, Argument, Computed, Context, Disagreement, Erratum, Induction, Statement
from resproof.proofs.theory.generic_units import DEPTHS, FLAT_AT_ZERO, MID, POST, PRE, generic_unit, over_depths
from resproof.proofs.theory.unit_pairs import CLASSES, NEIGHBOURING_CLASSES, Pairs, classes, grouped
from resproof.symbolic.index import sizes
from resproof.symbolic.index.branches import ROW, SAMPLE, TENSORS, branch, hessian_forms
from resproof.symbolic.index.claims import show
from resproof.symbolic.index.lift import passes_through
from resproof.symbolic.index.paths import activation_alone, identity_without, layer
from resproof.symbolic.index.series import lowest_degree, substitute, tensor
from resproof.symbolic.scope import Scope
from resproof.symbolic.written.explicit import loss_series as explicit_series
from resproof.symbolic.written.instances import Quadratic

EVERY_SIZE = {"n": 1, "R": 1, "d": 1, "m": 1}
"""The least values of the sizes that both lemmas speak of."""

# Lemma 3: every parameter that a derivative needs sits in a complete unit.


def _identities(depths: Sequence[int]) -> Callable[[Context], Computed]:
    """Which weight's vanishing makes the unit the identity, by n; "-": none vanishes."""

    def compute(_: Context) -> Computed:
        found = {
            (n, name or "-"): identity_without(unit, name)
            for n in depths
            for unit in [generic_unit(n)]
            for name in (*unit.names.values(), None)
        }
        offset = ResidualUnit(n_shortcut(2, PRE, generic("mid", at_zero=None), POST))
        found[2, "W1, mid(0) != 0"] = identity_without(offset, "W1")
        return Computed(found, over_depths(depths), r"W^{r,l} = 0 \implies U_r(h) = h \quad\text{for all } h")

    return compute


def constant_without(depths: Sequence[int]) -> Argument:
    """A unit one of whose weights vanishes is the identity, for these n one by one."""
    claim = {
        **{(n, f"W{k}"): True for n in depths for k in range(1, n + 1)},
        **{(n, "-"): False for n in depths},
        (2, "W1, mid(0) != 0"): False,
    }
    n = depths[-1]
    return Argument(
        "A unit one of whose weights vanishes is the identity",
        "index notation",
        _identities(depths),
        claim,
        {
            "a unit is always the identity": {**claim, (n, "-"): True},
            "some weight does not matter": {**claim, (n, "W1"): False},
            r"$\mathrm{mid}(0) = 0$ is not needed": {**claim, (2, "W1, mid(0) != 0"): True},
        },
        explanation="Input and all other weights are arbitrary. If each unit had a weight matrix without any of the $w_k$, the loss "
        "would be constant in them, and so its derivative zero.",
    )


def _layer_facts(_: Context) -> Computed:
    one = layer(MID)
    found = {
        "W = 0 gives 0": one.vanishes_with_weight,
        "u = 0 gives 0": one.vanishes_with_input,
        "factors of W": {w for w, _ in one.degrees},
        "least factors of u": min(u for _, u in one.degrees),
        "lowest part": show(one.lowest),
        "post keeps the order": lowest_degree(activation_alone(POST)) == 1,
        "mid(0) != 0: u = 0 gives 0": layer(generic("mid", at_zero=None)).vanishes_with_input,
    }
    return Computed(
        found,
        sizes.of_terms(one.lowest),
        r"W\,\sigma_{\mathrm{mid}}(u) = \sigma_{\mathrm{mid}}'(0)\, W u + O(\|W\|\,\|u\|^2)",
    )


_LAYER = {
    "W = 0 gives 0": True,
    "u = 0 gives 0": True,
    "factors of W": {1},
    "least factors of u": 1,
    "lowest part": "mid'(0) * dW(1)[i,a] * u[a,u]",
    "post keeps the order": True,
    "mid(0) != 0: u = 0 gives 0": False,
}
INDUCTION_STEP = Argument(
    "Induction over the layers of a path: one layer with an arbitrary input",
    "index notation",
    _layer_facts,
    _LAYER,
    {
        "the layer is quadratic in its weight": {**_LAYER, "factors of W": {2}},
        "the order does not grow": {**_LAYER, "least factors of u": 0},
        r"$\mathrm{mid}(0) = 0$ is not needed": {**_LAYER, "mid(0) != 0: u = 0 gives 0": True},
    },
    explanation=r"$u_1 = W_1\, \mathrm{pre}(h)$ is of order 1 and $u_l = W_l\, \mathrm{mid}(u_{l-1})$ of one order more than "
    "$u_{l-1}$; post keeps the order. So the branch is of order $n$ in the weights, for every $n$, and vanishes as soon "
    "as one of them does.",
)


CONSTANT_WITHOUT = Induction("n", constant_without(DEPTHS[:4]), INDUCTION_STEP)
"""The loss is constant in any weights that leave one of the n weights of each unit at zero."""


def _patterns(_: Context) -> Computed:
    """Which layers the nonzero derivatives of small networks touch, as {unit: layers} per monomial."""
    found, highest = dict[int, list[Pattern]](), {1: 2, 2: 4, 3: 4}
    for n, order in highest.items():
        series = explicit_series(Network(generic_unit(n), 2), {"d": 1}, order=order)
        touched = {_touched(monomial, n) for part in series.parts[1:] for monomial in part}
        found[n] = sorted(touched, key=str)
    return Computed(found, Scope.of(*(f"n={n}, R=2, d=1, m=1, N<={order}" for n, order in highest.items())))


Pattern: TypeAlias = tuple[tuple[int, frozenset[int]], ...]
"""The layers that are touched, by unit."""


def _touched(monomial: tuple[int, ...], n: int) -> Pattern:
    """Parameter p of a d = 1 network is layer p mod n of unit p div n."""
    units = sorted({p // n for p in monomial})
    return tuple((r, frozenset(p % n for p in monomial if p // n == r)) for r in units)


def _every_pattern(found: Mapping[int, list[Pattern]], holds: Callable[[Pattern, int], bool]) -> None:
    for n, patterns in found.items():
        bad = next((p for p in patterns if not holds(p, n)), None)
        if bad is not None:
            raise Disagreement(f"n={n}: a nonzero derivative touches {bad}")


def _least_orders(_: Context) -> Computed:
    """The least order N of a nonzero derivative at zero, R = d = m = 1."""
    found = {
        n: next(
            k
            for k, part in enumerate(explicit_series(Network(generic_unit(n), 1), {"d": 1}, order=n).parts)
            if k and part
        )
        for n in DEPTHS[:3]
    }
    return Computed(found, Scope.of(*(f"n={n}, R=d=m=1" for n in found)))


LEMMA_3 = Statement(
    id="DR-L3",
    title="A nonzero derivative needs a complete unit",
    source=source("A", "Lemma 3", "there exists r and k_1, ..., k_n such that r_km = r and l_km = m", "Lemma 1"),
    sentence=r"If an $N$-th partial derivative of the loss at zero in parameters $w_1, \ldots, w_N$ is nonzero, then some unit has "
    "one of them in each of its $n$ weight matrices.",
    latex=r"\left.\frac{\partial^N L}{\partial w_1 \cdots \partial w_N}\right|_{0} \ne 0 \implies "
    r"\exists r\; \forall l \in \{1, \dots, n\}\; \exists k:\; w_k \in W^{r,l}",
    for_all=EVERY_SIZE,
    hypotheses=(FLAT_AT_ZERO,),
    arguments=(
        CONSTANT_WITHOUT,
        Argument(
            "The monomials that occur in the Taylor series of small networks",
            "explicit",
            _patterns,
            lambda pattern, n: any(len(layers) == n for _, layers in pattern),
            {
                "the first unit is complete": lambda pattern, n: pattern[0][0] == 0 and len(pattern[0][1]) == n,
                "two units are complete": lambda pattern, n: sum(len(layers) == n for _, layers in pattern) >= 2,
                "some unit has $n + 1$ layers": lambda pattern, n: any(len(layers) > n for _, layers in pattern),
            },
            _every_pattern,
        ),
    ),
    reading=Erratum(
        printed=r"$\partial^2 L / \partial w_1 \cdots \partial w_N$",
        read=r"$\partial^N L / \partial w_1 \cdots \partial w_N$",
        quote="are N parameters of an n-shortcut network",
        where="Lemma 3 itself: one differentiation for each",
        fails=Argument(
            "With $N$ parameters the derivative has the order $N$: the first ones that are not zero",
            "instance",
            _least_orders,
            {1: 1, 2: 2, 3: 3},
            {PRINTED: {1: 2, 2: 2, 3: 2}, "one more": {1: 2, 2: 3, 3: 4}},
        ),
    ),
)


# Lemma 4: unit numbers matter only through their order.


def _any_branch(_: Context) -> Computed:
    """The classes of equal blocks for one, two and three units whose branch is known by its derivatives alone."""
    forms = {units: hessian_forms(units) for units in _UNITS}
    scope = sizes.of_terms(*(form for one in forms.values() for form in one.values())) & Scope.over(R=_UNITS)
    return Computed({units: classes(one) for units, one in forms.items()}, scope)


_UNITS = (1, 2, 3)


def _grouped(key: Callable[[int, int], object]) -> dict[int, Pairs]:
    return {units: grouped(units, key) for units in _UNITS}


def _one_more_unit(_: Context) -> Computed:
    """What a unit adds to an arbitrary deviation of its input from the data, by degree, moved and at its initial point."""
    deviation = tensor(Opaque("x", ("d", "m")), (ROW, SAMPLE)), tensor(Opaque("y", ("d", "m")), (ROW, SAMPLE))
    added = branch(1, deviation)
    found = {"it moves": tuple(map(bool, added)), "it stays": tuple(bool(substitute(a, _MOVED, {})) for a in added)}
    return Computed(found, sizes.of_terms(*added), r"X + x \mapsto X + x + F(X + x; w), \qquad F(X + x; w_0) = 0")


_MOVED = TENSORS["dw(1)"]
_ADDED = {"it moves": (True, True), "it stays": (False, False)}


def _explicit_classes(_: Context) -> Computed:
    unit, at = generic_unit(1), size(3, d=2)
    entries, count = explicit_entries(unit, squared, at), 4
    forms: dict[tuple[int, int], Quadratic] = {(r, s): {} for r in (1, 2, 3) for s in range(r, 4)}
    for (row, column), value in entries.items():
        r, s = row // count + 1, column // count + 1
        forms[r, s][row % count, column % count] = value
    return Computed(classes(forms), Scope.of(f"n=1, {at}"))


_PASSING = {
    **{f"n = {n}": (generic_unit(n), True) for n in DEPTHS},
    "plain layer": (ResidualUnit(plain(MID)), False),
    "post(0) != 0": (ResidualUnit(n_shortcut(2, PRE, MID, generic("post", at_zero=None))), False),
    "mid(0) != 0, n = 2": (ResidualUnit(n_shortcut(2, PRE, sigmoid, POST)), True),
}
"""Units, and whether they are claimed to pass any input through."""
_PASSES = {name: passes for name, (_, passes) in _PASSING.items()}


def _passing(_: Context) -> Computed:
    found = {name: passes_through(unit) for name, (unit, _) in _PASSING.items()}
    return Computed(found, over_depths(DEPTHS), r"U_r(X + u; 0) = X + u \quad \text{for an arbitrary } u")


LEMMA_4 = Statement(
    id="DR-L4",
    title="Second derivatives depend on the units only through their order",
    subject="n_shortcut",
    source=source("A", "Lemma 4", "reordering residual units while preserving the order of units r1 and r2", "Lemma 2"),
    sentence=r"At zero, a second derivative in a parameter of unit $r_1$ and one of unit $r_2 \ge r_1$ is the same as with the "
    r"units 1 and $1 + [r_1 \ne r_2]$.",
    latex=r"\frac{\partial^2 L}{\partial w^{r_1} \partial w^{r_2}}(0) = "
    r"\frac{\partial^2 L}{\partial w^{1} \partial w^{1 + [r_1 \ne r_2]}}(0)",
    for_all=EVERY_SIZE,
    hypotheses=(FLAT_AT_ZERO,),
    uses=("DR-L3",),
    arguments=(
        Induction(
            "n",
            Argument(
                "A unit with zero weights passes an arbitrary input through",
                "index notation",
                _passing,
                _PASSES,
                {
                    "a layer without a shortcut does too": {**_PASSES, "plain layer": True},
                    r"$\mathrm{post}(0) = 0$ is not needed": {**_PASSES, "post(0) != 0": True},
                },
                explanation="So units whose weights stay at zero can be left out or moved, whatever their number.",
            ),
            INDUCTION_STEP,
        ),
        Induction(
            "R",
            Argument(
                "One, two and three units with any branch whatever: pairs with equal blocks",
                "index notation",
                _any_branch,
                _grouped(lambda r, s: r == s),
                {
                    "they depend on the distance $s - r$": _grouped(lambda r, s: s - r),
                    "they do not depend on $r$ and $s$": _grouped(lambda r, s: True),
                    "the first unit is special": _grouped(lambda r, s: (r == s, r == 1)),
                },
                explanation="The branch is any $F(h; w)$, twice differentiable, that vanishes at $w = 0$ for every $h$, as the "
                "$n$-shortcut unit's does for every $n$; any loss. The blocks $(r, s)$ fall into two classes, $r = s$ "
                "and $r < s$.",
            ),
            Argument(
                "One more unit with any branch whatever, after an arbitrary deviation",
                "index notation",
                _one_more_unit,
                _ADDED,
                {
                    "it adds something where it stays": {**_ADDED, "it stays": (False, True)},
                    "it adds nothing where it moves": {**_ADDED, "it moves": (False, False)},
                },
                explanation=r"(degree one, degree two). Of $R + 1 \ge 3$ units one is neither $r_1$ nor $r_2$; it stays at its "
                "initial point, and $R$ units are left, in the same order.",
            ),
        ),
        Argument("Three units, entry by entry", "explicit", _explicit_classes, CLASSES, NEIGHBOURING_CLASSES),
    ),
)

STATEMENTS = (LEMMA_3, LEMMA_4)
