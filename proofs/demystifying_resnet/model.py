"""Demystifying ResNet, the model: what the networks are, with none and with one of their shortcuts.

Products are the papers': prod_{l=1}^n W^l = W^n ... W^1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import sympy

from resproof.architectures.activations import generic, polynomial
from resproof.architectures.catalogue import n_shortcut
from resproof.architectures.forms.terms import COLUMN, ROW, SAMPLE, Delta, Opaque
from resproof.architectures.losses import squared
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Activation, Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.demystifying_resnet.documents import source
from resproof.proofs.demystifying_resnet.gradient_steps import M3, M4
from resproof.proofs.demystifying_resnet.least_squares import M6, M7
from resproof.proofs.demystifying_resnet.variance import M8
from resproof.proofs.routes.hessians import same_sum
from resproof.proofs.statement import Argument, Computed, Context, Disagreement, Induction, Statement
from resproof.proofs.theory.generic_units import DEPTHS, MID, POST, PRE, generic_unit, over_depths
from resproof.proofs.theory.linear_networks import (
    FREE,
    Linear,
    Output,
    any_matrix,
    any_value,
    identity_matrix,
    outputs,
    same_outputs,
    without_shortcuts,
    written_out,
)
from resproof.symbolic.algebra.matrices import Matrix, add, multiply
from resproof.symbolic.algebra.rings import Plain
from resproof.symbolic.index import sizes
from resproof.symbolic.index.claims import show, vocabulary
from resproof.symbolic.index.lift import data
from resproof.symbolic.index.paths import layer
from resproof.symbolic.index.series import Sum, matrix_product, tensor
from resproof.symbolic.index.series import add as add_sums
from resproof.symbolic.index.series import scale as scale_sum
from resproof.symbolic.scope import Scope
from resproof.symbolic.written.explicit import Instance
from resproof.symbolic.written.explicit import loss_series as explicit_series

LINEAR = polynomial(0, 1, name="identity")
"""The identity as an activation like any other: it is not left out of the expression."""

# DR-M1: Equation 1 without shortcuts.

_LENGTHS = ((2,), (3,), (1,), (2, 2), (3, 2), (1, 3), (2, 4, 3), (3, 3, 3, 3))
"""The numbers L_1, ..., L_R of layers of the units; unit r has the weights W^{r,1}, ..., W^{r,L_r - 1}."""


def _equation_1(lengths: Sequence[int], kept: int | None = None) -> Sum:
    """W = prod_r (prod_l W^{r,l} + S_r), every inner width a dimension of its own; S_r = 0 except for r = kept."""
    total, width = identity_matrix("d"), "d"
    for r, layers in enumerate(lengths, start=1):
        path, inner = identity_matrix(width), width
        for number in range(1, layers):
            following = f"k{r}_{number}"
            path = matrix_product(any_matrix(f"W{r}_{number}", following, inner), path, inner)
            inner = following
        unit = add_sums(path, any_matrix(f"S{r}", inner, width) if r == kept else {})
        total, width = matrix_product(unit, total, width), inner
    return total


def _factors(found: Sum) -> tuple[str, ...] | None:
    """The matrices of a plain product, the first applied first; None where it is none."""
    if len(found) != 1:
        return None
    ((scalars, factors), coefficient) = next(iter(found.items()))
    matrices = [(t, slots) for t, slots in factors if not isinstance(t, Delta)]
    after = {slots[1]: (t, slots[0]) for t, slots in matrices}
    names, at = list[str](), COLUMN
    while at in after:
        t, at = after.pop(at)
        names.append(t.label)
    whole = len(names) == len(matrices) and at == (ROW if names else COLUMN)
    return tuple(names) if whole and not scalars and coefficient == 1 else None


def _counted(sums: Mapping[Any, Sum]) -> dict[object, object]:
    """The number of layers, one more than that of the weights, and the weights in order."""
    names = {lengths: _factors(found) for lengths, found in sums.items()}
    return {lengths: None if one is None else (len(one) + 1, one) for lengths, one in names.items()}


def _plain_products(_: Context) -> Computed:
    found = _counted({lengths: _equation_1(lengths) for lengths in _LENGTHS})
    found["L = 3, 2 with S_1"] = _factors(_equation_1((3, 2), kept=1))
    found["L = 3, 2 with S_2"] = _factors(_equation_1((3, 2), kept=2))
    return Computed(found, Scope.of(*(f"R={len(one)}, L={', '.join(map(str, one))}" for one in _LENGTHS)))


def _plain_claim(
    layers: Callable[[Sequence[int]], int], step: int = 1, *, choices: Sequence[tuple[int, ...]] = _LENGTHS
) -> dict[object, object]:
    named = {lengths: [(r, n) for r, size in enumerate(lengths, 1) for n in range(1, size)] for lengths in choices}
    return {lengths: (layers(lengths), tuple(f"W{r}_{n}" for r, n in all_[::step])) for lengths, all_ in named.items()}


def _sum_of_weights(lengths: Sequence[int]) -> int:
    return sum(one - 1 for one in lengths) + 1


_NO_PRODUCT = {"L = 3, 2 with S_1": None, "L = 3, 2 with S_2": None}
_PLAIN = _plain_claim(_sum_of_weights) | _NO_PRODUCT

_ONE_UNIT = ((1,), (2,), (3,), (4,), (5,))


def _one_unit(_: Context) -> Computed:
    """One unit of L layers, L = 1..5, with S = 0."""
    found = {lengths: _equation_1(lengths) for lengths in _ONE_UNIT}
    scope = sizes.of_terms(*found.values()) & Scope.over(L=(layers for (layers,) in _ONE_UNIT))
    return Computed(_counted(found), scope)


def _one_unit_claim(layers: Callable[[Sequence[int]], int], step: int = 1) -> dict[object, object]:
    return _plain_claim(layers, step, choices=_ONE_UNIT)


def _more_layers(_: Context) -> Computed:
    """One more layer on any path."""
    longer = matrix_product(any_matrix("W", "l", "k"), any_matrix("P", "k", "d"), "k")
    return Computed(_factors(longer), sizes.of_terms(longer))


_UNITS = (1, 2, 3, 4)


def _network(units: int, kept: int | None = None) -> Sum:
    """prod_r (P_r + S_r) with any matrix P_r for the path of unit r; S_r = 0 except for r = kept."""
    total, width = identity_matrix("d"), "d"
    for r in range(1, units + 1):
        path = any_matrix(f"P{r}", f"d{r}", width)
        shortcut = any_matrix(f"S{r}", f"d{r}", width) if r == kept else {}
        total, width = matrix_product(add_sums(path, shortcut), total, width), f"d{r}"
    return total


def _plain_networks(_: Context) -> Computed:
    sums = {units: _network(units) for units in _UNITS}
    found: dict[object, object] = {units: _factors(one) for units, one in sums.items()}
    found |= {f"2 with S_{r}": _factors(_network(2, r)) for r in (1, 2)}
    return Computed(found, sizes.of_terms(*sums.values()) & Scope.over(R=_UNITS))


def _paths(step: int = 1) -> dict[object, object]:
    names = {units: tuple(f"P{r}" for r in range(1, units + 1))[::step] for units in _UNITS}
    return {**names, "2 with S_1": None, "2 with S_2": None}


def _more_units(_: Context) -> Computed:
    """One more unit with S = 0, and with any S, on any network."""
    path, network = any_matrix("P", "k", "d"), any_matrix("N", "d", "d0")
    plain = matrix_product(add_sums(path, {}), network, "d")
    kept = matrix_product(add_sums(path, any_matrix("S", "k", "d")), network, "d")
    found = {"S = 0": _factors(plain), "any S": _factors(kept)}
    return Computed(found, sizes.of_terms(plain), r"(P + 0)\,N = P\,N")


_MORE_UNITS: dict[str, tuple[str, ...] | None] = {"S = 0": ("N", "P"), "any S": None}


def _without_shortcuts(_: Context) -> Computed:
    found = [
        Output(layers, d, m, outputs(written_out(layers, shortcut="weight"), d, m))
        for layers, d, m in (((1,), 2, 2), ((2, 1), 2, 1), ((1, 2, 1), 2, 1), ((3, 2), 1, 1), ((2,), 3, 1))
    ]
    return Computed(found, Scope.of(*map(str, found)))


M1 = Statement(
    id="DR-M1",
    title="Equation 1 with all shortcuts at zero is a plain linear network",
    source=source(
        "A",
        "Eq. 1",
        "by setting all the shortcuts to zeros, the network will go back to a ... plain linear network",
        "Eq. 4",
    ),
    sentence=r"With $S_r = 0$ in every unit, Equation 1 is a plain linear network of $\sum_r (L_r - 1) + 1$ layers: the product of "
    r"its $\sum_r (L_r - 1)$ weight matrices in their order.",
    latex=r"\prod_{r=1}^{R}\Bigl(\prod_{l=1}^{L_r-1} W^{r,l} + 0\Bigr) = \prod_{k=1}^{N} V^k, \qquad N = \sum_{r=1}^{R} (L_r - 1)",
    for_all={"R": 1, "L": 1, "d": 1},
    arguments=(
        Induction(
            "L",
            Argument(
                "The matrices of one unit, in order",
                "index notation",
                _one_unit,
                _one_unit_claim(_sum_of_weights),
                {
                    "$L$ matrices": _one_unit_claim(lambda lengths: _sum_of_weights(lengths) + 1),
                    "$L - 2$ matrices": _one_unit_claim(lambda lengths: _sum_of_weights(lengths) - 1),
                    "the opposite order": _one_unit_claim(_sum_of_weights, -1),
                },
                explanation="As the paper counts, a unit of $L$ layers has $L - 1$ weight matrices. An empty product is the identity.",
            ),
            Argument(
                "One more layer on any path $P$",
                "index notation",
                _more_layers,
                ("P", "W"),
                {"the order is reversed": ("W", "P"), "no matrix more": ("P",)},
                explanation="$P$ is an arbitrary matrix, such as the product of any number of layers.",
            ),
        ),
        Induction(
            "R",
            Argument(
                "The paths of the units, in order",
                "index notation",
                _plain_networks,
                _paths(),
                {
                    "the opposite order": _paths(-1),
                    "one shortcut may stay": {**_paths(), "2 with S_1": ("P1", "P2")},
                },
                explanation="$P_r$ is any matrix, such as the product of unit $r$'s $L_r - 1$ weights: the matrices of all paths "
                r"follow each other, $\sum_r (L_r - 1)$ together. Every width is a dimension of its own, $d_x$ and $d_y$ "
                "too.",
            ),
            Argument(
                "One more unit $P + S$ on any network $N$",
                "index notation",
                _more_units,
                _MORE_UNITS,
                {
                    "a unit with $S$ is a plain layer too": {**_MORE_UNITS, "any S": ("N", "P")},
                    "the order is reversed": {**_MORE_UNITS, "S = 0": ("P", "N")},
                },
                explanation="$N$ is an arbitrary matrix, such as the product of any number of units.",
            ),
        ),
        Argument(
            "Units of different numbers of layers: the matrices of the product, in order",
            "explicit",
            _plain_products,
            _PLAIN,
            {
                r"$\sum L_r$ layers": _plain_claim(sum) | _NO_PRODUCT,
                r"$\sum (L_r - 1)$ layers": _plain_claim(lambda lengths: _sum_of_weights(lengths) - 1) | _NO_PRODUCT,
                "the opposite order": _plain_claim(_sum_of_weights, -1) | _NO_PRODUCT,
                "one shortcut may stay": {**_PLAIN, "L = 3, 2 with S_1": (4, ("W1_1", "W1_2", "W2_1"))},
            },
            explanation="A network of $N$ matrices has $N + 1$ layers.",
        ),
        Argument(
            "Small networks with shortcut weights $S_r = 0$",
            "explicit",
            _without_shortcuts,
            without_shortcuts,
            {
                "the opposite order": lambda net: without_shortcuts(net, reverse=True),
                "one matrix fewer": lambda net: without_shortcuts(net, drop=1),
                "the shortcuts stay": lambda net: multiply(net.units(), net.x),
            },
            same_outputs,
        ),
    ),
    notes=r"The shortcuts $S_r$ are $d_r \times d_{r-1}$ matrices; nothing is assumed of them but $S_r = 0$.",
)

# DR-M2: linear networks are those with identity activations.

_MIDS = {"identity": LINEAR, "2t": polynomial(0, 2), "t + 1": polynomial(1, 1)}


def _linear_unit(n: int) -> ResidualUnit:
    return ResidualUnit(n_shortcut(n, LINEAR, LINEAR, LINEAR))


def _identity_activations(_: Context) -> Computed:
    """U(h) for an arbitrary input h = X and arbitrary weights."""
    units = {f"n = {n}": _linear_unit(n) for n in DEPTHS}
    units |= {f"n = 2, mid(t) = {name}": ResidualUnit(n_shortcut(2, mid=_MIDS[name])) for name in ("2t", "t + 1")}
    found = {name: (unit, any_value(unit, data(unit))) for name, unit in units.items()}
    return Computed(found, over_depths(DEPTHS, _linear_unit), r"U(h) = \Bigl(\prod_{l=1}^n W^l + I\Bigr) h")


def _same_values(found: Mapping[str, tuple[ResidualUnit, Sum]], claim: Mapping[str, str]) -> None:
    for name, (unit, value) in found.items():
        same_sum(value, claim[name], vocabulary(unit, squared), FREE, name=name)


def _path_string(n: int, *, reverse: bool = False, transposed: bool = False) -> str:
    order = list(range(1, n + 1))[:: -1 if reverse else 1]
    names = ["j0", *[f"a{k}" for k in range(1, n)], "i"]
    slots = [f"W{w}[{names[k]},{names[k - 1]}]" for k, w in enumerate(order, start=1)]
    if transposed:
        slots[0] = f"W{order[0]}[{names[0]},{names[1]}]"
    return " * ".join(["X[j0,u]", *slots])


def _linear_claim(**options: Any) -> dict[str, str]:
    return {
        **{f"n = {n}": f"X[i,u] + {_path_string(n, **options)}" for n in DEPTHS},
        "n = 2, mid(t) = 2t": "X[i,u] + 2 * W2[i,a] * W1[a,b] * X[b,u]",
        "n = 2, mid(t) = t + 1": "X[i,u] + W2[i,a] * W1[a,b] * X[b,u] + W2[i,a]",
    }


_LINEAR = _linear_claim()


def _linear_layer(_: Context) -> Computed:
    found = {name: (layer(mid).degrees, show(layer(mid).lowest)) for name, mid in _MIDS.items()}
    return Computed(found, sizes.of_terms(layer(LINEAR).lowest), r"W\,\sigma_{\mathrm{mid}}(u) = W u")


_LAYERS = {
    "identity": (frozenset({(1, 1)}), "dW(1)[i,a] * u[a,u]"),
    "2t": (frozenset({(1, 1)}), "2 * dW(1)[i,a] * u[a,u]"),
    "t + 1": (frozenset({(1, 0), (1, 1)}), "dW(1)[i,a]"),
}


def _with_activations(_: Context) -> Computed:
    found = [
        Output(layers, d, m, outputs(written_out(layers, pre=LINEAR, mid=LINEAR, post=LINEAR), d, m))
        for layers, d, m in (((1,), 2, 2), ((2,), 2, 1), ((2, 2), 2, 1), ((3, 3), 2, 1), ((1, 1, 1), 2, 1))
    ]
    return Computed(found, Scope.of(*map(str, found)))


def _equation_2(net: Linear) -> Matrix:
    """prod_r (prod_l W^{r,l} + I) X."""
    return multiply(net.units(), net.x)


M2 = Statement(
    id="DR-M2",
    title="The $n$-shortcut linear network is the $n$-shortcut network with identity activations",
    source=source(
        "A",
        "Definitions 1 and 2",
        "n-shortcut linear networks are special cases of n-shortcut networks, where all the activation functions are identity mappings",
        "Definitions 2 and 3",
    ),
    sentence="With pre = mid = post = identity, an $n$-shortcut network is the linear map of Equation 2.",
    latex=r"\sigma_{\mathrm{pre}} = \sigma_{\mathrm{mid}} = \sigma_{\mathrm{post}} = \mathrm{id} \implies f(X) = \prod_{r=1}^{R}\Bigl(\prod_{l=1}^{n} W^{r,l} + I\Bigr) X",
    for_all={"n": 1, "R": 1, "d": 1, "m": 1},
    arguments=(
        Induction(
            "n",
            Argument(
                "A unit at arbitrary weights and an arbitrary input",
                "index notation",
                _identity_activations,
                _LINEAR,
                {
                    "the layers in the opposite order": _linear_claim(reverse=True),
                    "the first weight transposed": _linear_claim(transposed=True),
                    "without the shortcut": {**_LINEAR, "n = 3": _path_string(3)},
                    "the slope of mid does not matter": {**_LINEAR, "n = 2, mid(t) = 2t": _LINEAR["n = 2"]},
                    r"$\mathrm{mid}(0)$ does not matter": {**_LINEAR, "n = 2, mid(t) = t + 1": _LINEAR["n = 2"]},
                },
                _same_values,
                explanation="Equality of functions of the weights and the input; the input is arbitrary, so units compose, "
                "whatever their number.",
            ),
            Argument(
                "Induction over the layers of a path: one layer with an arbitrary input",
                "index notation",
                _linear_layer,
                _LAYERS,
                {
                    "the slope of mid does not matter": {**_LAYERS, "2t": _LAYERS["identity"]},
                    r"$\mathrm{mid}(0)$ does not matter": {**_LAYERS, "t + 1": _LAYERS["identity"]},
                },
                explanation="(factors of $W$, factors of $u$) of the terms that occur, and the lowest one: "
                r"$W\, \mathrm{mid}(u) = W u$ exactly.",
            ),
        ),
        Argument(
            "Small networks with identity activations written in",
            "explicit",
            _with_activations,
            _equation_2,
            {
                "without shortcuts": without_shortcuts,
                "units in the opposite order": lambda net: multiply(
                    net.product(add(net.path(r), net.one) for r in range(len(net.layers), 0, -1)), net.x
                ),
            },
            same_outputs,
        ),
    ),
)

# DR-M5: one unit.


def _branch_only(n: int, pre: Activation = PRE, mid: Activation = MID, post: Activation = POST) -> ResidualUnit:
    """post(W_n mid(... W_1 pre(h))) without the shortcut: a plain network."""
    path: Expression = pre(Input("d"))
    for number in range(1, n + 1):
        path = Weight("d", "d", name=f"W{number}") @ (mid(path) if number > 1 else path)
    return ResidualUnit(post(path))


_ANY_VALUE = (generic("pre", at_zero=None), generic("mid", at_zero=None), generic("post", at_zero=None))


def _residuals(_: Context) -> Computed:
    """The outputs with and without the shortcut, at arbitrary weights, X and Y arbitrary."""
    found: dict[object, tuple[ResidualUnit, Sum, Sum]] = {}
    for n in DEPTHS:
        for name, chosen in (("0 at 0", (PRE, MID, POST)), ("any value at 0", _ANY_VALUE)):
            unit, bare = ResidualUnit(n_shortcut(n, *chosen)), _branch_only(n, *chosen)
            found[n, name] = (unit, any_value(unit, data(unit)), any_value(bare, data(bare)))
    return Computed(found, over_depths(DEPTHS), r"Y - (X + F(X)) = (Y - X) - F(X)")


def _any_branch(_: Context) -> Computed:
    """The same where nothing is known of the branch but its output F."""
    unit = generic_unit(1)
    branch = tensor(Opaque("F", ("d", "m")), (ROW, SAMPLE))
    with_shortcut = add_sums(data(unit), branch)
    return Computed({"any branch F": (unit, with_shortcut, branch)}, sizes.of_terms(with_shortcut, branch))


def _same_residuals(found: Mapping[object, tuple[ResidualUnit, Sum, Sum]], claim: tuple[int, int]) -> None:
    """Pass when the plain network has the same residual on targets a Y + b X.

    Raises:
        Disagreement: the residuals differ.
    """
    a, b = claim
    for name, (unit, with_shortcut, without) in found.items():
        x, y = data(unit), data(unit, "Y")
        residual = add_sums(y, scale_sum(-1, with_shortcut))
        other = add_sums(scale_sum(a, y), scale_sum(b, x), scale_sum(-1, without))
        if residual != other:
            raise Disagreement(f"{name}: the residuals differ on targets {a} Y + {b} X")


_ROWS = ((Fraction(1), Fraction(2)), (Fraction(-1), Fraction(3)))
_TARGETS = ((Fraction(2), Fraction(0)), (Fraction(5), Fraction(1, 2)))

Losses: TypeAlias = Mapping[tuple[int, int], list[dict[tuple[int, ...], Plain]]]
"""The parts of the loss of degree 0, ..., n + 1, by n and d."""


def _parts(unit: ResidualUnit, targets: Sequence[Sequence[Fraction]], order: int) -> list[dict[tuple[int, ...], Plain]]:
    """The loss of one unit on the first rows of the data and these targets, by degree in the weights."""
    at = Instance(_ROWS[: len(targets)], targets)
    found = explicit_series(Network(unit, 1), {"d": len(targets)}, order=order, data=at)
    return [found.plain(k) for k in range(order + 1)]


def _skip_all(_: Context) -> Computed:
    found = {(n, d): _parts(generic_unit(n), _TARGETS[:d], n + 1) for n, d in ((1, 2), (2, 2), (3, 1), (4, 1))}
    return Computed(found, Scope.of(*(f"n={n}, R=1, d={d}, m=2" for n, d in found)))


def _same_losses(found: Losses, claim: tuple[int, int]) -> None:
    """Pass when the plain network has the same loss on targets a Y + b X, constant included.

    Raises:
        Disagreement: a coefficient differs.
    """
    a, b = claim
    for (n, d), parts in found.items():
        rows = zip(_ROWS[:d], _TARGETS[:d], strict=True)
        targets = [[a * v + b * u for u, v in zip(x, y, strict=True)] for x, y in rows]
        if _parts(_branch_only(n), targets, n + 1) != parts:
            raise Disagreement(f"n={n}, d={d}: the losses differ on targets {a} Y + {b} X")


def _cross_entropies(_: Context) -> Computed:
    """The gradients in the branch F at F = 0 of l(x + F, y) and l(F, y - x), for x = y = (1, 0)."""
    f = sympy.symbols("f1 f2")
    x = y = (1, 0)

    def loss(output: Sequence[Any], target: Sequence[Any]) -> Any:
        total = sympy.log(sum((sympy.exp(value) for value in output), sympy.Integer(0)))
        return sum(target) * total - sum(t * o for t, o in zip(target, output, strict=True))

    both = {
        "x + F against y": loss([a + b for a, b in zip(x, f, strict=True)], y),
        "F against y - x": loss(f, [b - a for a, b in zip(x, y, strict=True)]),
    }
    at = dict.fromkeys(f, 0)
    found = {
        name: tuple(sympy.cancel(sympy.diff(value, v).subs(at) * (1 + sympy.E)) for v in f)
        for name, value in both.items()
    }
    shown = r"\nabla_F\, \ell(x + F, y) = \tfrac{1}{1 + e}(-1, 1), \qquad \ell(F, y - x) \equiv 0"
    return Computed(found, Scope.of("d=2, m=1, x = y = (1, 0)"), shown)


_MINUS_X, _SKIP = (1, -1), {"x + F against y": (-1, 1), "F against y - x": (0, 0)}
_OTHER_TARGETS = {"targets $Y$": (1, 0), "targets $Y + X$": (1, 1), "targets $X - Y$": (-1, 1)}

M5 = Statement(
    id="DR-M5",
    title="One unit is a plain network trained on targets $Y - X$",
    source=source(
        "I", "section 4.2", "the shortcut will only change the distribution of the output training set from Y to Y - X"
    ),
    sentence="For $R = 1$ the residual network with data $(X, Y)$ and the plain network without its shortcut with data "
    "$(X, Y - X)$ have the same residuals, hence the same loss as a function of the weights, for any pre, mid, post and "
    "any loss of $y - f$.",
    latex=r"R = 1: \quad Y - f(X) = (Y - X) - F(X)",
    for_all={"n": 1, "d": 1, "m": 1},
    uses=("DR-M2",),
    arguments=(
        Induction(
            "n",
            Argument(
                "The residuals as functions of weights and data, $n = 1..6$",
                "index notation",
                _residuals,
                _MINUS_X,
                _OTHER_TARGETS,
                _same_residuals,
                explanation="Generic activations at arbitrary arguments. A loss that is a function of $y - f$ does not tell the two "
                "networks apart.",
            ),
            Argument(
                "Any branch $F$ whatever",
                "index notation",
                _any_branch,
                _MINUS_X,
                _OTHER_TARGETS,
                _same_residuals,
                explanation=r"$F$ is an arbitrary $d \times m$ matrix, such as the output of a path of any number of layers.",
            ),
        ),
        Argument(
            "Squared losses of small networks, coefficient by coefficient",
            "explicit",
            _skip_all,
            _MINUS_X,
            _OTHER_TARGETS,
            _same_losses,
            explanation="The loss up to degree $n + 1$ in the weights, generic activations, two rational samples.",
        ),
        Argument(
            "A loss of $y - f$ is needed: cross-entropy",
            "instance",
            _cross_entropies,
            _SKIP,
            {
                "cross-entropy does not tell them apart": {**_SKIP, "x + F against y": (0, 0)},
                "nor up to a factor": {**_SKIP, "F against y - x": (-1, 1)},
            },
            explanation="Gradients times $1 + e$. With $x = y$ the targets $y - x$ vanish and so does the plain network's loss, "
            "whatever $F$ is.",
        ),
    ),
    notes=r"The paper's loss is the squared one. With $R \ge 2$ the input of a later unit moves, and no fixed targets do this.",
)


STATEMENTS = (M1, M2, M3, M4, M5, M6, M7, M8)
