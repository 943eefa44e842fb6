"""Demystifying ResNet, Lemmas 3 and 4, and GEN-1: which derivatives at zero weights can be nonzero, and which agree.

Units carry generic activations: pre at the data, mid and post with value 0 and symbolic derivatives at 0. Throughout
g = x - y is the gradient of the squared loss at the initial output, M = (1/m) (X - Y) pre(X)^T, c_n =
mid'(0)^(n-1) post'(0) and c = c_2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from architectures.activations import generic, polynomial, sigmoid, softplus, tanh
from architectures.catalogue import (
    attention,
    biased,
    fixup,
    n_shortcut,
    plain,
    pre_norm,
    rezero,
    swiglu,
    tied,
    transformer,
)
from architectures.losses import Loss, cross_entropy, generic_loss, squared
from architectures.networks import Network, ResidualUnit
from architectures.terms import Opaque
from proofs.documents import source
from proofs.routes.hessians import (
    CHANGES,
    Claim,
    ExplicitHessian,
    agrees_with_index_route,
    every_size,
    explicit_entries,
    index_forms,
    same_forms,
    size,
    unchanged,
)
from proofs.routes.running_network import observed_index_route, observed_product, on_data, on_tokens
from proofs.statement import Argument, Computed, Context, Disagreement, Scope, Statement
from proofs.theory.coupled_blocks import COUPLED_BLOCKS, NORMED, SCORED
from proofs.theory.generic_units import DEPTHS, FLAT_AT_ZERO, MID, POST, PRE, generic_unit
from proofs.theory.unit_pairs import CLASSES, ONE_CLASS, OTHER_CLASSES, Pairs, classes, grouped
from symbolic.branches import TENSORS, branch, hessian_forms
from symbolic.claims import parse, show
from symbolic.explicit import loss_series as explicit_series
from symbolic.instances import Quadratic
from symbolic.lift import pair_forms, passes_through
from symbolic.paths import activation_alone, identity_without, layer
from symbolic.series import lowest_degree, tensor

ANY_N = "all n, R, d, m"

# Lemma 3: every parameter that a derivative needs sits in a complete unit.


def _identities(_: Context) -> Computed:
    """Which weight's vanishing makes the unit the identity, for n = 1..4; "-": none vanishes."""
    found = {
        (n, name or "-"): identity_without(unit, name)
        for n in DEPTHS[:4]
        for unit in [generic_unit(n)]
        for name in (*unit.names.values(), None)
    }
    offset = ResidualUnit(n_shortcut(2, PRE, generic("mid", at_zero=None), POST))
    found[2, "W1, mid(0) != 0"] = identity_without(offset, "W1")
    return Computed(
        found, Scope.all("n = 1..4, all R, d, m"), r"W^{r,l} = 0 \implies U_r(h) = h \quad\text{for all } h"
    )


_IDENTITY_WITHOUT = {
    **{(n, f"W{k}"): True for n in DEPTHS[:4] for k in range(1, n + 1)},
    **{(n, "-"): False for n in DEPTHS[:4]},
    (2, "W1, mid(0) != 0"): False,
}


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
        found, Scope.all(ANY_N), r"W\,\sigma_{\mathrm{mid}}(u) = \sigma_{\mathrm{mid}}'(0)\, W u + O(\|W\|\,\|u\|^2)"
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
        "mid(0) = 0 is not needed": {**_LAYER, "mid(0) != 0: u = 0 gives 0": True},
    },
    explanation="u_1 = W_1 pre(h) is of order 1 and u_l = W_l mid(u_{l-1}) of one order more than u_{l-1}; post keeps "
    "the order. So the branch is of order n in the weights, for every n, and vanishes as soon as one of them does.",
)


def _patterns(_: Context) -> Computed:
    """Which layers the nonzero derivatives of small networks touch, as {unit: layers} per monomial."""
    found: dict[str, list[tuple[tuple[int, frozenset[int]], ...]]] = {}
    for n, units, order in ((1, 2, 2), (2, 2, 4), (3, 2, 4)):
        series = explicit_series(Network(generic_unit(n), units), {"d": 1}, order=order)
        touched = {_touched(monomial, n) for part in series.parts[1:] for monomial in part}
        found[f"n={n}, R={units}, d=1, m=1, N<={order}"] = sorted(touched, key=str)
    return Computed(found, Scope.of(*found))


def _touched(monomial: tuple[int, ...], n: int) -> tuple[tuple[int, frozenset[int]], ...]:
    """Parameter p of a d = 1 network is layer p mod n of unit p div n."""
    units = sorted({p // n for p in monomial})
    return tuple((r, frozenset(p % n for p in monomial if p // n == r)) for r in units)


Pattern = tuple[tuple[int, frozenset[int]], ...]


def _every_pattern(found: dict[str, list[Pattern]], holds: Callable[[Pattern, int], bool]) -> None:
    for at, patterns in found.items():
        n = int(at.partition(",")[0].removeprefix("n="))
        bad = next((p for p in patterns if not holds(p, n)), None)
        if bad is not None:
            raise Disagreement(f"{at}: a nonzero derivative touches {bad}")


LEMMA_3 = Statement(
    id="DR-L3",
    title="A nonzero derivative needs a complete unit",
    source=source("A", "Lemma 3", "there exists r and k_1, ..., k_n such that r_km = r and l_km = m"),
    sentence="If an N-th partial derivative of the loss at zero in parameters w_1, ..., w_N is nonzero, then some unit "
    "has one of them in each of its n weight matrices.",
    latex=r"\left.\frac{\partial^N L}{\partial w_1 \cdots \partial w_N}\right|_{0} \ne 0 \implies "
    r"\exists r\; \forall l \in \{1, \dots, n\}\; \exists k:\; w_k \in W^{r,l}",
    hypotheses=(FLAT_AT_ZERO,),
    arguments=(
        Argument(
            "A unit one of whose weights vanishes is the identity",
            "index notation",
            _identities,
            _IDENTITY_WITHOUT,
            {
                "a unit is always the identity": {**_IDENTITY_WITHOUT, (2, "-"): True},
                "only the last weight matters": {**_IDENTITY_WITHOUT, (2, "W1"): False},
                "mid(0) = 0 is not needed": {**_IDENTITY_WITHOUT, (2, "W1, mid(0) != 0"): True},
            },
            explanation="Input and all other weights are arbitrary. If each unit had a weight matrix without any of the "
            "w_k, the loss would be constant in them, and so its derivative zero.",
        ),
        INDUCTION_STEP,
        Argument(
            "The monomials that occur in the Taylor series of small networks",
            "explicit",
            _patterns,
            lambda pattern, n: any(len(layers) == n for _, layers in pattern),
            {
                "the first unit is complete": lambda pattern, n: pattern[0][0] == 0 and len(pattern[0][1]) == n,
                "two units are complete": lambda pattern, n: sum(len(layers) == n for _, layers in pattern) >= 2,
                "some unit has n + 1 layers": lambda pattern, n: any(len(layers) > n for _, layers in pattern),
            },
            _every_pattern,
        ),
    ),
    errata=("The derivative is printed as d^2 L / dw_1 ... dw_N; read d^N L.",),
)


# Lemma 4 and GEN-1: unit numbers matter only through their order.


def _index_classes(unit: ResidualUnit, loss: Loss) -> Callable[[Context], Computed]:
    return lambda _: Computed(classes(pair_forms(unit, loss, 3)), every_size(unit))


def _explicit_classes(_: Context) -> Computed:
    unit, at = generic_unit(1), size(3, d=2)
    entries, count = explicit_entries(unit, squared, at), 4
    forms: dict[tuple[int, int], Quadratic] = {(r, s): {} for r in (1, 2, 3) for s in range(r, 4)}
    for (row, column), value in entries.items():
        r, s = row // count + 1, column // count + 1
        forms[r, s][row % count, column % count] = value
    return Computed(classes(forms), Scope.of(f"n=1, {at}"))


_PASSING = {
    **{f"n = {n}": generic_unit(n) for n in DEPTHS},
    "plain layer": ResidualUnit(plain(MID)),
    "post(0) != 0": ResidualUnit(n_shortcut(2, PRE, MID, generic("post", at_zero=None))),
    "mid(0) != 0, n = 2": ResidualUnit(n_shortcut(2, PRE, sigmoid, POST)),
}


def _passing(_: Context) -> Computed:
    found = {name: passes_through(unit) for name, unit in _PASSING.items()}
    return Computed(
        found, Scope.all(f"n = 1..{DEPTHS[-1]}, all R, d, m"), r"U_r(X + u; 0) = X + u \quad \text{for an arbitrary } u"
    )


_PASSES = {
    **{f"n = {n}": True for n in DEPTHS},
    "plain layer": False,
    "post(0) != 0": False,
    "mid(0) != 0, n = 2": True,
}

LEMMA_4 = Statement(
    id="DR-L4",
    title="Second derivatives depend on the units only through their order",
    subject="n_shortcut",
    source=source("A", "Lemma 4", "reordering residual units while preserving the order of units r1 and r2"),
    sentence="At zero, a second derivative in a parameter of unit r1 and one of unit r2 >= r1 is the same as with the "
    "units 1 and 1 + [r1 != r2].",
    latex=r"\frac{\partial^2 L}{\partial w^{r_1} \partial w^{r_2}}(0) = "
    r"\frac{\partial^2 L}{\partial w^{1} \partial w^{1 + [r_1 \ne r_2]}}(0)",
    hypotheses=(FLAT_AT_ZERO,),
    uses=("DR-L3",),
    arguments=(
        Argument(
            "A unit with zero weights passes an arbitrary input through",
            "index notation",
            _passing,
            _PASSES,
            {
                "a layer without a shortcut does too": {**_PASSES, "plain layer": True},
                "post(0) = 0 is not needed": {**_PASSES, "post(0) != 0": True},
            },
            explanation="So units whose weights stay at zero can be left out or moved, whatever their number.",
        ),
        Argument(
            "Three units in index notation: pairs with equal blocks",
            "index notation",
            _index_classes(generic_unit(1), generic_loss),
            CLASSES,
            OTHER_CLASSES,
            explanation="The blocks (r, s) fall into two classes, r = s and r < s.",
        ),
        INDUCTION_STEP,
        Argument("Three units, entry by entry", "explicit", _explicit_classes, CLASSES, OTHER_CLASSES),
    ),
)


ANY_BLOCK = {
    "n = 1": generic_unit(1),
    "n = 2": generic_unit(2),
    "n = 3": generic_unit(3),
    "biased": ResidualUnit(biased(softplus)),
    "tied weights": ResidualUnit(tied(polynomial(0, 1, 1))),
    "ReZero": ResidualUnit(rezero()),
    "Fixup": ResidualUnit(fixup()),
    "SwiGLU": ResidualUnit(swiglu()),
    "pre-norm": ResidualUnit(pre_norm(tanh)),
    "attention": ResidualUnit(attention()),
    "causal attention": ResidualUnit(attention(causal=True)),
    "transformer block": ResidualUnit(transformer()),
}
"""Blocks of every kind: GEN-1 is a statement about all of them."""


def _any_block(_: Context) -> Computed:
    found = {name: (passes_through(unit), _distinct(unit)) for name, unit in ANY_BLOCK.items()}
    return Computed(found, Scope.all("all R, every dimension and m"))


def _distinct(unit: ResidualUnit) -> Pairs:
    """The classes of equal blocks of three units; where A = D = 0 there is one."""
    return classes(pair_forms(unit, generic_loss, 3))


_FLAT_BLOCKS = {"n = 3", "SwiGLU"}
_EVERY_BLOCK = {name: (True, ONE_CLASS if name in _FLAT_BLOCKS else CLASSES) for name in ANY_BLOCK}


def _any_branch_classes(_: Context) -> Computed:
    """The classes of blocks of two to five units with an arbitrary branch, and whether they repeat those of two."""
    two = hessian_forms(2)
    found = {}
    for units in (2, 3, 4, 5):
        forms = hessian_forms(units)
        same = all(form == two[(1, 1) if r == s else (1, 2)] for (r, s), form in forms.items())
        found[units] = (classes(forms) == grouped(units, lambda r, s: r == s), same)
    return Computed(found, Scope.all("every branch, R = 2..5, all d, p, m"))


def _added_unit(_: Context) -> Computed:
    """What one more unit adds to the output: the terms that name an earlier unit only through its first-order part."""
    earlier = Opaque("x", ("d", "m"))
    first, second = branch(2, (tensor(earlier, (-1, -3)), {}))
    return Computed((show(first), show(second)), Scope.all("every branch, all R, d, p, m"))


_ADDED = ("T1[i,a,u] * dw(2)[a]", "1/2 * T2[i,a,b,u] * dw(2)[a] * dw(2)[b] + S1[i,a,b,u] * dw(2)[a] * x[b,u]")


def _same_addition(found: tuple[str, str], claim: tuple[str, str]) -> None:
    known = {**TENSORS, "x": Opaque("x", ("d", "m"))}
    for computed, claimed in zip(found, claim, strict=True):
        if parse(computed, known, {"i": -1, "u": -3}) != parse(claimed, known, {"i": -1, "u": -3}):
            raise Disagreement(f"computed {computed}; claimed {claimed}")


def _without_sharing(_: Context) -> Computed:
    """Fixup with random inner weights of its own in each unit: the blocks are no longer the same."""
    unit = ANY_BLOCK["Fixup"]
    found = {own: classes(pair_forms(unit, squared, 3, own_initial=own)) for own in (False, True)}
    return Computed(found, every_size(unit))


_TOEPLITZ_BLOCKS = ("n = 1", "n = 2", "biased", "tied weights", "ReZero", "Fixup")


def _small_depths(_: Context) -> Computed:
    """The exact Hessians of one to four units, d = 2 and m = 1, as {block: {R: entries}}, and the size of a unit."""
    found: dict[str, tuple[int, dict[int, Quadratic]]] = {}
    for name in _TOEPLITZ_BLOCKS:
        unit, dims = ANY_BLOCK[name], {"d": 2} if "k" not in str(ANY_BLOCK[name].weights) else {"d": 2, "k": 1}
        hessians = {units: explicit_entries(unit, squared, size(units, **dims)) for units in (1, 2, 3, 4)}
        found[name] = (_parameters(unit, dims), hessians)
    sizes = [f"{name}: R=1..4, d=2, m=1" for name in found]
    return Computed(found, Scope.of(*sizes))


def _parameters(unit: ResidualUnit, dims: Mapping[str, int]) -> int:
    def number(dimension: str | int) -> int:
        return dimension if isinstance(dimension, int) else dims[dimension]

    return sum(number(w.shape[0]) * number(w.shape[1]) for w in unit.weights)


Place = Callable[[int, int], str]


def _assembled(found: Mapping[str, tuple[int, Mapping[int, Quadratic]]], place: Place) -> None:
    """Pass when every H_R is the one assembled from two units: place(r, s) is D, A, At or 0 for block (r, s).

    Raises:
        Disagreement: an H_R is another.
    """
    for name, (count, hessians) in found.items():
        blocks = _blocks_of_two(hessians[2], count)
        for units, entries in hessians.items():
            expected = {
                (r * count + i, s * count + j): value
                for r in range(units)
                for s in range(units)
                for (i, j), value in blocks[place(r, s)].items()
                if r * count + i <= s * count + j
            }
            if entries != expected:
                raise Disagreement(f"{name}, R={units}: the Hessian is not the one assembled from two units")


def _blocks_of_two(entries: Quadratic, count: int) -> dict[str, Quadratic]:
    """D, A (later row, earlier column) and A^T of two units, both triangles of D."""
    diagonal = {p: v for p, v in entries.items() if p[1] < count}
    transposed = {(i, j - count): v for (i, j), v in entries.items() if i < count <= j}
    return {
        "D": {**diagonal, **{(j, i): v for (i, j), v in diagonal.items()}},
        "At": transposed,
        "A": {(j, i): v for (i, j), v in transposed.items()},
        "0": {},
    }


def _toeplitz(r: int, s: int) -> str:
    return "D" if r == s else "A" if r > s else "At"


_ATTENTION = "m^-1 * t^-1 * LN(X)[j,s,u] * g[i,r,u] * dO(1)[i,a] * dV(1)[a,j]"
_MLP = "1/2 * m^-1 * LN(X)[j,s,u] * g[i,s,u] * dW2(1)[i,a] * dW1(1)[a,j]"
_BIASED = (
    "1/2 * m^-1 * X[j,u] * dW1(1)[a,j] * dW2(1)[i,a] * g[i,u] + 1/2 * m^-1 * dW2(1)[i,a] * db(1)[a] * g[i,u]"
    " + 1/2 * log(2)^2 * dW2(1)[i,a] * dW2(1)[i,b]"
)
_BIASED_CROSS = "log(2)^2 * dW2(1)[i,a] * dW2(2)[i,b]"

_PRE_NORM = "m^-1 * LN(X)[j,u] * g[i,u] * dW2(1)[i,a] * dW1(1)[a,j]"


def _explicit_blocks(_: Context) -> Computed:
    """Exact Hessians of the blocks in _TOEPLITZ_BLOCKS with two units, both losses' derivatives as symbols."""
    found = []
    for name in _TOEPLITZ_BLOCKS:
        for loss in (squared, generic_loss):
            unit, at = ANY_BLOCK[name], size(2, 2, d=2, k=1)
            found.append(ExplicitHessian(unit, loss, at, explicit_entries(unit, loss, at)))
    return Computed(found, Scope.of(*(f"{name}: R=2, d=2, k=1, m=2" for name in _TOEPLITZ_BLOCKS)))


GEN_1 = Statement(
    id="GEN-1",
    title="Two units determine the Hessian at every depth",
    source=None,
    sentence="If a unit at its initial point w_0, the same in every unit, is the identity for every input, then for "
    "every depth R the Hessian there is I (x) D + L (x) A + L^T (x) A^T with D the block of one unit, A the block "
    "between a later and an earlier unit and L the strictly lower triangular matrix of ones.",
    latex=r"H_R = I_R \otimes D + L_R \otimes A + L_R^{\mathsf T} \otimes A^{\mathsf T}",
    uses=(),
    arguments=(
        Argument(
            "Any branch: what one more unit adds to the output, to second order",
            "index notation",
            _added_unit,
            _ADDED,
            {
                "the earlier units do not enter": (_ADDED[0], _ADDED[1].split(" + ")[0]),
                "they enter at first order": (f"{_ADDED[0]} + {_ADDED[1].split(' + ')[1]}", _ADDED[1]),
            },
            _same_addition,
            explanation="x is the first-order deviation of the unit's input, sum over s < r of T1 w_s. So by induction over "
            "R the output is X + sum_r (T1 w_r + 1/2 T2 w_r w_r + S1 w_r sum_{s<r} T1 w_s), and no term names more than "
            "two units or depends on their numbers but through s < r.",
        ),
        Argument(
            "Any branch: the classes of blocks at two to five units",
            "index notation",
            _any_branch_classes,
            dict.fromkeys((2, 3, 4, 5), (True, True)),
            {"a third unit changes the blocks": {2: (True, True), **dict.fromkeys((3, 4, 5), (True, False))}},
        ),
        Argument(
            "Every block of the catalogue passes an arbitrary input through, and has two classes of blocks (one if H = 0)",
            "index notation",
            _any_block,
            _EVERY_BLOCK,
            {
                "blocks depend on the distance of the units": {
                    name: (True, grouped(3, lambda r, s: s - r)) for name in ANY_BLOCK
                },
                "attention does not pass its input through": {**_EVERY_BLOCK, "attention": (False, CLASSES)},
            },
            explanation="A second derivative sees the weights of at most two units; all other units stay at w_0, where "
            "they are the identity near the data, and drop out of the composition, whatever their number. Any loss.",
        ),
        Argument(
            "The same w_0 in every unit is needed: Fixup with random inner weights of its own in each unit",
            "index notation",
            _without_sharing,
            {False: CLASSES, True: grouped(3, lambda r, s: (r, s))},
            {
                "sharing is not needed": {False: CLASSES, True: CLASSES},
                "the diagonal blocks still agree": {
                    False: CLASSES,
                    True: grouped(3, lambda r, s: (r == s, r if r < s else 0, s if r < s else 0)),
                },
            },
        ),
        Argument(
            "The forms of the index route, written out, against exact Hessians",
            "explicit",
            _explicit_blocks,
            unchanged,
            CHANGES,
            agrees_with_index_route,
            explanation="Both routes derive D and A of the same blocks on their own; they have to agree entry by entry.",
        ),
        COUPLED_BLOCKS,
        Argument(
            "A block with a normalisation: D in index notation",
            "index notation",
            index_forms(ANY_BLOCK["pre-norm"]),
            Claim(_PRE_NORM),
            {
                "twice as large": Claim(f"2 * {_PRE_NORM}"),
                "without the normalisation": Claim(_PRE_NORM.replace("LN(X)", "X")),
            },
            same_forms,
        ),
        Argument(
            "One to four units, entry by entry",
            "explicit",
            _small_depths,
            _toeplitz,
            {
                "A and its transpose exchanged": lambda r, s: "D" if r == s else "At" if r > s else "A",
                "only adjacent units interact": lambda r, s: _toeplitz(r, s) if abs(r - s) <= 1 else "0",
                "units do not interact": lambda r, s: "D" if r == s else "0",
            },
            _assembled,
        ),
    ),
    evidence=(
        observed_product(
            "H v of a network of transformer blocks, R = 100",
            lambda context: on_tokens(ANY_BLOCK["transformer block"], 100, context, samples=16, tokens=5, k=3, f=7),
            Claim(f"{_ATTENTION} + {_MLP}"),
            {
                "attention left out": Claim(_MLP),
                "units interact": Claim(f"{_ATTENTION} + {_MLP}", _MLP.replace("dW2(1)", "dW2(2)")),
                "the token mean left out": Claim(f"{_ATTENTION.replace('t^-1 * ', '')} + {_MLP}"),
            },
        ),
        observed_product(
            "H v of a network of biased units, R = 1000: D and A both nonzero",
            lambda context: on_data(ANY_BLOCK["biased"], 1000, context, samples=200),
            Claim(_BIASED, _BIASED_CROSS),
            {"A = 0": Claim(_BIASED), "A twice as large": Claim(_BIASED, f"2 * {_BIASED_CROSS}")},
        ),
        observed_index_route(
            "H v with softmax at random scores, R = 100",
            lambda context: on_tokens(SCORED, 100, context, samples=12, tokens=4, k=3),
        ),
        observed_index_route(
            "H v with LayerNorm in front of random weights, cross-entropy, R = 100",
            lambda context: on_data(NORMED, 100, context, samples=100, loss=cross_entropy, k=7),
        ),
    ),
    notes="Needs a loss and a unit that are twice differentiable near the data and no parameters outside the units.",
)

STATEMENTS = (LEMMA_3, LEMMA_4, GEN_1)
