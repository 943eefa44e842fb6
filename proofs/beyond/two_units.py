"""Beyond the documents: two units determine the Hessian at every depth, for any unit that passes its input through (GEN-1)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

import sympy

from resproof.architectures.activations import polynomial, relu, softplus, tanh
from resproof.architectures.algebra import identity
from resproof.architectures.catalogue import (
    attention,
    biased,
    fixup,
    n_shortcut,
    pre_norm,
    rezero,
    swiglu,
    tied,
    transformer,
)
from resproof.architectures.errors import NotDifferentiableError
from resproof.architectures.forms.terms import Opaque
from resproof.architectures.losses import cross_entropy, generic_loss, squared
from resproof.architectures.nodes import Constant, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import normal
from resproof.proofs.beyond.degrees_in_input import DEGREES_IN_INPUT
from resproof.proofs.beyond.drawn_blocks import DRAWN, DRAWN_NUMBERS
from resproof.proofs.beyond.drawn_products import DRAWN_PRODUCTS
from resproof.proofs.beyond.every_unit import BY_HAND, EVERY_UNIT, EVERY_UNIT_ALONG
from resproof.proofs.beyond.given_values import DRAWN_VALUES, GIVEN_VALUES
from resproof.proofs.beyond.inverse_roots import INVERSE_ROOTS
from resproof.proofs.beyond.linear_activations import GENERIC_COEFFICIENTS, LINEAR_ACTIVATIONS
from resproof.proofs.beyond.printed_blocks import PRINTED_BLOCKS, READ_WORDS
from resproof.proofs.beyond.related_factors import RELATED_FACTORS
from resproof.proofs.routes.activations import EVERY_ACTIVATION
from resproof.proofs.routes.counted_bounds import COUNTED_BOUNDS
from resproof.proofs.routes.hessians import (
    CHANGES,
    Claim,
    agrees_with_index_route,
    explicit_entries,
    explicit_hessian,
    index_forms,
    same_forms,
    same_sum,
    size,
    unchanged,
)
from resproof.proofs.routes.predicates import property_of
from resproof.proofs.routes.running_network import observed_index_route, observed_product, on_data, on_tokens
from resproof.proofs.routes.whole_numbers import EVERY_WAY
from resproof.proofs.statement import (
    PRINTED,
    Argument,
    Citation,
    Computed,
    Condition,
    Context,
    Disagreement,
    Hypothesis,
    Induction,
)
from resproof.proofs.theory.coupled_blocks import COUPLED_BLOCKS, NORMED, SCORED
from resproof.proofs.theory.generic_units import generic_unit
from resproof.proofs.theory.regimes import loss_orders
from resproof.proofs.theory.unit_pairs import CLASSES, ONE_CLASS, TWO_UNITS, classes, classes_of_three, grouped
from resproof.symbolic.index import branches, sizes
from resproof.symbolic.index.branches import hessian_forms
from resproof.symbolic.index.expansion import expansion
from resproof.symbolic.index.lift import pair_forms, passes_through
from resproof.symbolic.index.series import Sum
from resproof.symbolic.scope import Scope
from resproof.symbolic.written.instances import Quadratic
from resproof.symbolic.written.plans import weight_offsets

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
    found = {name: (passes_through(unit), classes_of_three(unit)) for name, unit in ANY_BLOCK.items()}
    return Computed(found, sizes.of_units(ANY_BLOCK.values()))


_FLAT_BLOCKS = {"n = 3", "SwiGLU"}
_EVERY_BLOCK = {name: (True, ONE_CLASS if name in _FLAT_BLOCKS else CLASSES) for name in ANY_BLOCK}


_UNITS = (1, 2, 3, 4, 5)


def _any_branch_classes(_: Context) -> Computed:
    """The classes of blocks of one to five units with an arbitrary branch, and whether they repeat those of two."""
    two = hessian_forms(2)
    found = {}
    for units in _UNITS:
        forms = hessian_forms(units)
        same = forms == {(r, s): two[(1, 1) if r == s else (1, 2)] for r, s in forms}
        found[units] = (classes(forms) == grouped(units, lambda r, s: r == s), same)
    return Computed(found, branches.sizes(*two.values()) & Scope.over(R=_UNITS))


def _added_unit(_: Context) -> Computed:
    """What one more unit adds to the output, by degree, and to the loss, after any number of units."""
    added = branches.one_more()
    shown = r"x_{r+1} = x_r + T_1 w, \qquad L_{r+1} - L_r = \tfrac12 w^{\mathsf T} D w + w^{\mathsf T} A[x_r]"
    return Computed(added, branches.sizes(*added.before, added.first, added.second, added.loss), shown)


_ADDED = (
    "T1[i,a,u] * dw(2)[a]",
    "1/2 * T2[i,a,b,u] * dw(2)[a] * dw(2)[b] + S1[i,a,b,u] * dw(2)[a] * x[b,u]",
    "1/2 * m^-1 * g[i,u] * T2[i,a,b,u] * dw(2)[a] * dw(2)[b]"
    " + 1/2 * m^-1 * Q[i,k,u] * T1[i,a,u] * T1[k,b,u] * dw(2)[a] * dw(2)[b]"
    " + m^-1 * g[i,u] * S1[i,a,j,u] * dw(2)[a] * x[j,u] + m^-1 * Q[i,k,u] * T1[i,a,u] * dw(2)[a] * x[k,u]",
)
_LAST = _ADDED[2].rsplit(" + ", 2)


def _same_addition(found: branches.Added, claim: tuple[str, str, str]) -> None:
    free = {"i": branches.ROW, "u": branches.SAMPLE}
    names = ("output, degree one", "output, degree two", "loss")
    sums = (found.first, found.second, found.loss)
    for name, computed, claimed in zip(names, sums, claim, strict=True):
        same_sum(computed, claimed, branches.TENSORS, {} if name == "loss" else free, name=name)


ADDED_UNIT = Argument(
    "Any branch: what one more unit adds to the output and to the loss, to second order",
    "index notation",
    _added_unit,
    _ADDED,
    {
        "the earlier units do not enter": (_ADDED[0], _ADDED[1].split(" + ")[0], _LAST[0]),
        "they enter at first order": (f"{_ADDED[0]} + {_ADDED[1].split(' + ')[1]}", *_ADDED[1:]),
        "they enter the loss by its curvature alone": (*_ADDED[:2], f"{_LAST[0]} + {_LAST[2]}"),
        "they enter the loss twice": (*_ADDED[:2], f"{_ADDED[2]} + {_LAST[1]} + {_LAST[2]}"),
    },
    _same_addition,
    explanation="$x$ and $y$ are what the units before, however many, have added to the first and the second degree of the stream. "
    r"By induction $x$ is the sum over $s < r$ of $T_1 w_s$. So unit $r$ adds $\tfrac{1}{2} w_r^{\mathsf T} D w_r$ and, "
    r"linear in $x$, $w_r^{\mathsf T} A w_s$ for every $s < r$, with $D$ and A those of two units: no term names more "
    "than two units, or depends on their numbers but through $s < r$. Where units have derivatives $T_1$ of their own, "
    "$A$ names those of $r$ and $s$ alone.",
)
"""The induction step for everything that is computed for a few units: one more unit after any number of them."""

# From the formal expansion to the Hessian.

ORDERS: Mapping[str, frozenset[str]] = {
    "order one": frozenset(),
    "order two": frozenset({"T1"}),
    "order three": frozenset({"T1", "T2"}),
}
"""The derivatives of a branch that vanish, by its order."""


def _derivatives(_: Context) -> Computed:
    """After any units: the least degree of what one more adds to the output, and the derivatives in what it adds to the loss."""
    added = {order: branches.one_more(vanishing=vanishing) for order, vanishing in ORDERS.items()}
    found = {
        order: (next((k for k, part in ((1, one.first), (2, one.second)) if part), None), _named(one.loss))
        for order, one in added.items()
    }
    shown = "; ".join(f"{order}: {', '.join(sorted(names))}" for order, (_, names) in found.items())
    parts = [part for one in added.values() for part in (*one.before, one.loss)]
    return Computed(found, branches.sizes(*parts), shown)


def _named(form: Sum) -> frozenset[str]:
    """The derivatives of branch and loss in a form."""
    there = {t.label for _, factors in form for t, _ in factors if isinstance(t, Opaque)} - {"x", "y"}
    return frozenset(there | {"gQ"[order - 1] for order in loss_orders(form)})


_ALL_OF_THEM = frozenset({"T1", "T2", "S1", "g", "Q"})
_ENTERING = {
    "order one": (1, _ALL_OF_THEM),
    "order two": (2, frozenset({"T2", "g"})),
    "order three": (None, frozenset[str]()),
}

DERIVATIVES = Argument(
    "Which derivatives of branch and loss occur, and from which degree on the output moves",
    "index notation",
    _derivatives,
    _ENTERING,
    {
        "the loss's curvature at order two": {**_ENTERING, "order two": (2, frozenset({"T2", "g", "Q"}))},
        "no mixed derivative at order one": {**_ENTERING, "order one": (1, _ALL_OF_THEM - {"S1"})},
        "the output moves at first degree at order two": {**_ENTERING, "order two": (1, frozenset({"T2", "g"}))},
    },
    explanation="$T_1$ and $T_2$ are the first and second derivatives of the branch in $w$, $S_1$ the mixed one in $w$ and its "
    r"input, all at the data. At order two the output moves by $O(\lvert w\rvert^2)$, so a loss that is differentiable "
    r"there changes by $g^{\mathsf T}$ of that and $o(\lvert w\rvert^2)$: its second derivative need not exist.",
)


def smooth(units: Collection[ResidualUnit]) -> bool:
    """Whether no function in these units is evaluated at a kink at the initial point."""
    try:
        for unit in units:
            expansion(unit).require_hessian()
    except NotDifferentiableError:
        return False
    return True


_KINKED = ResidualUnit(n_shortcut(1, post=relu))
_TWICE = Condition(smooth, lambda: tuple(ANY_BLOCK.values()), lambda: (_KINKED,))

TAYLOR = Citation("taylor-peano", {"branches are twice differentiable at the data: they have no kink there": _TWICE})
SCHWARZ = Citation("schwarz", {"branches are twice differentiable at the data: they have no kink there": _TWICE})


def _slopes_at_a_kink(_: Context) -> Computed:
    """The slopes of L(w) = (x + relu(w x) - y)^2 / 2 at w = 0 from both sides, x = 1, y = 0."""
    w = sympy.Symbol("w")
    sides = (w, sympy.Integer(0))
    found = tuple(sympy.diff((1 + branch) ** 2 / 2, w).subs(w, 0) for branch in sides)
    return Computed(found, Scope.of("n=1, R=1, d=1, m=1, x=1, y=0, post = relu"))


def _powers(_: Context) -> Computed:
    """Powers of t in (L(t v) + L(-t v) - 2 L(0)) / t^2 for loss |f - x|^(3/2) and branches of order one and two."""
    t = sympy.Symbol("t", positive=True)
    found = {}
    for order in (1, 2):
        quotient = 2 * (t**order) ** sympy.Rational(3, 2) / t**2
        found[order] = sympy.simplify(t * sympy.diff(quotient, t) / quotient)
    return Computed(found, Scope.of("n=1, R=1, d=1, m=1, x=1", "n=2, R=1, d=1, m=1, x=1"))


def _bounded(found: Mapping[int, sympy.Expr], claim: Callable[[int], bool]) -> None:
    for order, power in found.items():
        if bool(power >= 0) is not claim(order):
            raise Disagreement(f"order {order}: the second difference quotient grows like t^{power} as t -> 0")


def _identity_at_the_data_alone(_: Context) -> Computed:
    """Two units h + (h - 1) + w^2, d = m = 1, x = 1, y = 0: second derivatives of the loss, and those behind a stem x + u."""
    w, v, u = sympy.symbols("w v u")

    def second(weights: tuple[sympy.Symbol, ...], first: sympy.Symbol, then: sympy.Symbol) -> sympy.Expr:
        h: sympy.Expr = 1 + u
        for one in weights:
            h = 2 * h - 1 + one**2
        return sympy.Poly(h**2 / 2, w, v, u).coeff_monomial(first * then) * (2 if first == then else 1)

    found = {
        "each its own": (second((w, v), w, w), second((w, v), v, v)),
        "one for both": second((w, w), w, w),
        "the stem's, R = 1 and 2": (second((w,), u, u), second((w, v), u, u)),
    }
    return Computed(found, Scope.of("R=1..2, d=1, p=1, m=1, x=1, y=0, F = h - 1 + w^2"))


_UNEQUAL = {"each its own": (4, 2), "one for both": 6, "the stem's, R = 1 and 2": (4, 16)}


def _more_than_its_input() -> ResidualUnit:
    h = Input("d")
    return ResidualUnit(h + (h - Constant(1, "d")) + polynomial(0, 0, 1)(Weight("d", 1)))


IDENTITY_HYPOTHESIS = Hypothesis(
    "units at $w_0$ are the identity for every input",
    passes_through,
    fails_on=_more_than_its_input(),
    holds_on=ANY_BLOCK["Fixup"],
    needed=Argument(
        "$F = h - 1 + w^2$ vanishes for $w = 0$ at $x = 1$ alone: second derivatives in the weights of two units, in one weight "
        "that both have, and in $u$ of a stem $x + u$",
        "explicit",
        _identity_at_the_data_alone,
        _UNEQUAL,
        {
            PRINTED: {"each its own": (2, 2), "one for both": 4, "the stem's, R = 1 and 2": (1, 1)},
            "the second unit's is the greater": {**_UNEQUAL, "each its own": (2, 4)},
        },
        explanation="The first unit's change is doubled by the second, $h \\mapsto 2h - 1$ at $w_0$.",
    ),
)
BRANCH_HYPOTHESIS = Hypothesis(
    "every branch is twice differentiable at the data and $w_0$, as a function of its input and its weights",
    lambda unit: smooth((unit,)),
    fails_on=_KINKED,
    holds_on=ANY_BLOCK["Fixup"],
    needed=Argument(
        "post = relu: the slopes of the loss on both sides",
        "explicit",
        _slopes_at_a_kink,
        (1, 0),
        {PRINTED: (1, 1), "none": (0, 0)},
    ),
)
LOSS_HYPOTHESIS = Hypothesis(
    r"the loss is twice differentiable at the data; from order two on once, for the expansion up to $o(\lvert w\rvert^2)$ "
    "and its Hessian",
    lambda one: one[1] >= (2 if one[0] == 1 else 1),
    fails_on=(1, 1),
    holds_on=(2, 1),
    needed=Argument(
        r"Second difference quotients for the loss $\lvert f - x\rvert^{3/2}$, differentiable once",
        "explicit",
        _powers,
        lambda order: order > 1,
        {
            PRINTED: property_of({1: sympy.Integer(0), 2: sympy.Integer(1)})(lambda order: True),
            "at order two neither": lambda order: False,
        },
        _bounded,
        explanation="At order one it grows like $t^{-1/2}$: there is no Hessian. At order two it tends to zero.",
    ),
)
"""Of pairs: the order of the branch, and how often the loss is differentiable at the data."""


def _without_sharing(_: Context) -> Computed:
    """Fixup with random inner weights of its own in each unit: the blocks are no longer the same."""
    unit = ANY_BLOCK["Fixup"]
    found = {own: classes(pair_forms(unit, squared, 3, own_initial=own)) for own in (False, True)}
    return Computed(found, sizes.of_unit(unit))


_TOEPLITZ_BLOCKS = ("n = 1", "n = 2", "biased", "tied weights", "ReZero", "Fixup")


def _small_depths(_: Context) -> Computed:
    """The exact Hessians of one to four units, d = 2 and m = 1, as {block: {R: entries}}, and the size of a unit."""
    found: dict[str, tuple[int, dict[int, Quadratic]]] = {}
    for name in _TOEPLITZ_BLOCKS:
        unit, dims = ANY_BLOCK[name], {"d": 2} if "k" not in str(ANY_BLOCK[name].weights) else {"d": 2, "k": 1}
        hessians = {units: explicit_entries(unit, squared, size(units, **dims)) for units in (1, 2, 3, 4)}
        found[name] = (weight_offsets(unit, dims)[1], hessians)
    return Computed(found, Scope.of(*(f"{name}: R=1..4, d=2, m=1" for name in found)))


Place = Callable[[int, int], str]


def assembled(found: Mapping[str, tuple[int, Mapping[int, Quadratic]]], place: Place) -> None:
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


def in_toeplitz_form(r: int, s: int) -> str:
    """D on the diagonal, A below and its transpose above."""
    return ("D", "A", "At")[(r > s) - (r < s)]


_ATTENTION = "m^-1 * t^-1 * LN(X)[j,s,u] * g[i,r,u] * dO(1)[i,a] * dV(1)[a,j]"
_MLP = "1/2 * m^-1 * LN(X)[j,s,u] * g[i,s,u] * dW2(1)[i,a] * dW1(1)[a,j]"
_BIASED = (
    "1/2 * m^-1 * X[j,u] * dW1(1)[a,j] * dW2(1)[i,a] * g[i,u] + 1/2 * m^-1 * dW2(1)[i,a] * db(1)[a] * g[i,u]"
    " + 1/2 * log(2)^2 * dW2(1)[i,a] * dW2(1)[i,b]"
)
_BIASED_CROSS = "log(2)^2 * dW2(1)[i,a] * dW2(2)[i,b]"

_PRE_NORM = "m^-1 * LN(X)[j,u] * g[i,u] * dW2(1)[i,a] * dW1(1)[a,j]"


def _trace() -> ResidualUnit:
    """A random matrix of which the diagonal alone counts."""
    h, v, a, ones = Input("d"), Weight("d", "d", initial=normal(1)), Weight(1, 1), Constant(1, "d")
    return ResidualUnit(h + (ones.T @ ((v * identity("d")) @ ones)) * (a * h))


def _explicit_blocks(_: Context) -> Computed:
    """Exact Hessians of the blocks in _TOEPLITZ_BLOCKS with two units, both losses' derivatives as symbols."""
    at, losses = size(2, 2, d=2, k=1), (squared, generic_loss)
    blocks = {**{name: ANY_BLOCK[name] for name in _TOEPLITZ_BLOCKS}, "a trace": _trace()}
    found = [explicit_hessian(unit, loss, at) for unit in blocks.values() for loss in losses]
    return Computed(found, Scope.of(*(f"{name}: R=2, d=2, k=1, m=2" for name in blocks)))


GEN_1 = replace(
    TWO_UNITS,
    id="GEN-1",  # by which resproof.proofs.contents finds the file
    for_all={"R": 1, "d": 1, "p": 1, "m": 1},
    hypotheses=(IDENTITY_HYPOTHESIS, BRANCH_HYPOTHESIS, LOSS_HYPOTHESIS),
    arguments=(
        TAYLOR,
        SCHWARZ,
        DERIVATIVES,
        Induction(
            "R",
            Argument(
                "Any branch: the classes of blocks at one to five units",
                "index notation",
                _any_branch_classes,
                dict.fromkeys(_UNITS, (True, True)),
                {
                    "a third unit changes the blocks": {
                        **dict.fromkeys((1, 2), (True, True)),
                        **dict.fromkeys((3, 4, 5), (True, False)),
                    }
                },
            ),
            ADDED_UNIT,
        ),
        Argument(
            "Every block of the catalogue passes an arbitrary input through, and has two classes of blocks (one if $H = 0$)",
            "index notation",
            _any_block,
            _EVERY_BLOCK,
            {
                "blocks depend on the distance of the units": {
                    name: (True, grouped(3, lambda r, s: s - r)) for name in ANY_BLOCK
                },
                "attention does not pass its input through": {**_EVERY_BLOCK, "attention": (False, CLASSES)},
            },
            explanation="A second derivative sees the weights of at most two units; all other units stay at $w_0$, where they are "
            "the identity near the data, and drop out of the composition, whatever their number. Any loss.",
        ),
        PRINTED_BLOCKS,
        READ_WORDS,
        GIVEN_VALUES,
        Argument(
            "The same $w_0$ in every unit is needed: Fixup with random inner weights of its own in each unit",
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
            explanation="Both routes derive $D$ and $A$ of the same blocks on their own; they have to agree entry by entry.",
        ),
        COUPLED_BLOCKS,
        DRAWN_PRODUCTS,
        RELATED_FACTORS,
        INVERSE_ROOTS,
        *DRAWN,
        LINEAR_ACTIVATIONS,
        GENERIC_COEFFICIENTS,
        Argument(
            "A block with a normalisation: $D$ in index notation",
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
            in_toeplitz_form,
            {
                "$A$ and its transpose exchanged": lambda r, s: "D" if r == s else "At" if r > s else "A",
                "only adjacent units interact": lambda r, s: in_toeplitz_form(r, s) if abs(r - s) <= 1 else "0",
                "units do not interact": lambda r, s: "D" if r == s else "0",
            },
            assembled,
        ),
    ),
    evidence=(
        observed_product(
            "$H v$ of a network of transformer blocks, $R = 100$",
            lambda context: on_tokens(ANY_BLOCK["transformer block"], 100, context, samples=16, tokens=5, k=3, f=7),
            Claim(f"{_ATTENTION} + {_MLP}"),
            {
                "attention left out": Claim(_MLP),
                "units interact": Claim(f"{_ATTENTION} + {_MLP}", _MLP.replace("dW2(1)", "dW2(2)")),
                "the token mean left out": Claim(f"{_ATTENTION.replace('t^-1 * ', '')} + {_MLP}"),
            },
        ),
        observed_product(
            "$H v$ of a network of biased units, $R = 1000$: $D$ and $A$ both nonzero",
            lambda context: on_data(ANY_BLOCK["biased"], 1000, context, samples=200),
            Claim(_BIASED, _BIASED_CROSS),
            {"$A = 0$": Claim(_BIASED), "$A$ twice as large": Claim(_BIASED, f"2 * {_BIASED_CROSS}")},
        ),
        observed_index_route(
            "$H v$ with softmax at random scores, $R = 100$",
            lambda context: on_tokens(SCORED, 100, context, samples=12, tokens=4, k=3),
        ),
        observed_index_route(
            "$H v$ with LayerNorm in front of random weights, cross-entropy, $R = 100$",
            lambda context: on_data(NORMED, 100, context, samples=100, loss=cross_entropy, k=7),
        ),
        EVERY_UNIT,
        EVERY_UNIT_ALONG,
        BY_HAND,
        DRAWN_VALUES,
        EVERY_ACTIVATION,
        DEGREES_IN_INPUT,
        EVERY_WAY,
        *DRAWN_NUMBERS,
        COUNTED_BOUNDS,
    ),
    notes="Composed with a loss, branches that are twice differentiable at one point give a loss that is, by the chain rule; "
    "its Taylor polynomial of degree two there is the composition of theirs, and twice that of degree two is the "
    "Hessian. Nothing near the data but the identity at $w_0$ is used: second derivatives need not be continuous. No "
    "parameters outside the units.",
)

STATEMENTS = (GEN_1,)
