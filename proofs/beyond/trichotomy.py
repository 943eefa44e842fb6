"""Beyond the documents: any branch (GEN-2), any loss (GEN-5), inner widths and parallel branches (GEN-6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

from resproof.architectures.activations import identity_activation, polynomial, relu, sigmoid, tanh
from resproof.architectures.catalogue import biased, n_shortcut, resnext, tied
from resproof.architectures.dimensions import Dimension
from resproof.architectures.forms.terms import COLUMN, ROW, Opaque
from resproof.architectures.losses import cross_entropy, generic_loss, squared
from resproof.architectures.nodes import Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.beyond.depth_instances import KERNEL, LINEAR, pair
from resproof.proofs.beyond.depth_law import NULL
from resproof.proofs.beyond.side_by_side import SIDE_BY_SIDE, added_to_the_loss
from resproof.proofs.beyond.two_units import (
    ANY_BLOCK,
    BRANCH_HYPOTHESIS,
    DERIVATIVES,
    IDENTITY_HYPOTHESIS,
    LOSS_HYPOTHESIS,
    ORDERS,
)
from resproof.proofs.demystifying_resnet.theorem2 import matrix_m
from resproof.proofs.routes.exact_spectra import exact_spectrum, instance_with_m
from resproof.proofs.routes.hessians import Claim, hessian_arguments, index_forms, same_forms, same_sum, same_sums, size
from resproof.proofs.routes.hessians import Forms as Pair
from resproof.proofs.routes.rays import one_sided
from resproof.proofs.statement import (
    PRINTED,
    Argument,
    Citation,
    Clause,
    Computed,
    Condition,
    Context,
    Disagreement,
    Hypothesis,
    Indistinct,
    Induction,
    Statement,
)
from resproof.proofs.theory.generic_units import FLAT_AT_ZERO, MID, POST, PRE, generic_unit
from resproof.proofs.theory.regimes import (
    NEIGHBOURING_REGIMES,
    TRICHOTOMY,
    ByOrder,
    explicit_blocks,
    in_regime,
    index_blocks,
    nonzero_blocks,
)
from resproof.symbolic.algebra.matrices import matrix, rank, transpose
from resproof.symbolic.algebra.matrices import multiply as matrix_product
from resproof.symbolic.index import branches as any_branch
from resproof.symbolic.index import sizes
from resproof.symbolic.index.claims import parse
from resproof.symbolic.index.lift import branch_order, hessian_form, perturbations
from resproof.symbolic.index.paths import along
from resproof.symbolic.index.series import Sum, differentiate, substitute, tensor, thaw
from resproof.symbolic.scope import Scope
from resproof.symbolic.written.explicit import Instance

# GEN-2.

_D = "1/2 * m^-1 * g[i,u] * T2[i,a,b,u] * dw(1)[a] * dw(1)[b]"
_D_CURVATURE = "1/2 * m^-1 * Q[i,k,u] * T1[i,a,u] * T1[k,b,u] * dw(1)[a] * dw(1)[b]"
_A = "m^-1 * g[i,u] * S1[i,a,j,u] * T1[j,b,u] * dw(2)[a] * dw(1)[b] + m^-1 * Q[i,k,u] * T1[i,a,u] * T1[k,b,u] * dw(2)[a] * dw(1)[b]"

Forms = Mapping[str, Mapping[tuple[int, int], Sum]]


def _any_branch(_: Context) -> Computed:
    found = {order: any_branch.hessian_forms(2, vanishing) for order, vanishing in ORDERS.items()}
    shown = (
        r"A(u, v) = \mathbb E\left[g^{\mathsf T} (\partial_h \partial_w F\, u)(\partial_w F\, v) "
        r"+ (\partial_w F\, u)^{\mathsf T} Q\, (\partial_w F\, v)\right]"
    )
    return Computed(found, any_branch.sizes(*(form for forms in found.values() for form in forms.values())), shown)


def _same_branch_forms(found: Forms, claim: Mapping[str, tuple[str, str]]) -> None:
    for order, (diagonal, cross) in claim.items():
        for units, claimed in (((1, 1), diagonal), ((1, 2), cross)):
            same_sum(found[order][units], claimed, any_branch.TENSORS, name=f"{order}, units {units}")


_BRANCH_FORMS = {"order one": (f"{_D} + {_D_CURVATURE}", _A), "order two": (_D, "0"), "order three": ("0", "0")}


_OWN, _OWN_CURVATURE = (form.replace("dw(1)", "dw(2)") for form in (_D, _D_CURVATURE))
_EARLIER = "m^-1 * g[i,u] * S1[i,a,j,u] * x[j,u] * dw(2)[a] + m^-1 * Q[i,k,u] * T1[i,a,u] * x[k,u] * dw(2)[a]"
_ADDITIONS = {"order one": f"{_OWN} + {_OWN_CURVATURE} + {_EARLIER}", "order two": _OWN, "order three": "0"}


def _where_y_is_x(_: Context) -> Computed:
    """D and A for the squared loss at Y = X, where g = 0 and Q = I."""
    forms, identity = any_branch.hessian_forms(2), tensor(any_branch.TENSORS["delta"], (-1, -2))
    found = {
        name: substitute(substitute(forms[units], any_branch.TENSORS["g"], {}), any_branch.TENSORS["Q"], identity)
        for name, units in (("1/2 w^T D w", (1, 1)), ("v^T A w", (1, 2)))
    }
    return Computed(found, any_branch.sizes(*forms.values()), r"Y = X:\quad D = A = \mathbb E\,[T_1^{\mathsf T} T_1]")


_SQUARE = "m^-1 * T1[i,a,u] * T1[i,b,u]"
_AT_Y_IS_X = {
    "1/2 w^T D w": f"1/2 * {_SQUARE} * dw(1)[a] * dw(1)[b]",
    "v^T A w": f"{_SQUARE} * dw(2)[a] * dw(1)[b]",
}

NOT_IDENTICALLY_ZERO = Argument(
    "$D$ and $A$ at $Y = X$ for the squared loss, any branch",
    "index notation",
    _where_y_is_x,
    _AT_Y_IS_X,
    {
        "$A$ vanishes": {**_AT_Y_IS_X, "v^T A w": "0"},
        "$D$ vanishes": {**_AT_Y_IS_X, "1/2 w^T D w": "0"},
        "$A$ is half of $D$": {**_AT_Y_IS_X, "v^T A w": f"1/2 * {_SQUARE} * dw(2)[a] * dw(1)[b]"},
    },
    same_sums(any_branch.TENSORS),
    explanation=r"$w^{\mathsf T} A w = E \lvert T_1 w\rvert^2$ is positive for some $w$ as soon as $T_1 \ne 0$: so at order one "
    "neither $D$ nor $A$ vanishes identically as a function of the targets.",
)


def _cross_at_targets(_: Context) -> Computed:
    """A at n = 1, d = m = 1, x = 1 for the targets 0, 1 and 2."""
    found = {}
    for y in (0, 1, 2):
        found[y] = pair(LINEAR, Instance([[1]], [[y]]))[1][0][0]
    return Computed(found, Scope.of(*(f"n=1, R=2, d=1, m=1, x=1, y={y}" for y in found)), "A = 2 x^2 - x y")


AT_INSTANCES = Argument(
    "$A$ at three targets: nonzero, and zero at one of them",
    "explicit",
    _cross_at_targets,
    {0: 2, 1: 1, 2: 0},
    {"nonzero whatever the data": {0: 2, 1: 1, 2: 1}, "zero": dict.fromkeys((0, 1, 2), 0)},
)


def _regimes(_: Context) -> Computed:
    found = {name: index_blocks(unit) for name, unit in ANY_BLOCK.items()}
    return Computed(found, sizes.of_units(ANY_BLOCK.values()))


def _in_regimes(found: Mapping[str, tuple[int | None, bool, bool]], claim: ByOrder) -> None:
    for name, one in found.items():
        with suppress(Indistinct):  # at its order; other blocks tell them apart
            in_regime(one, claim, name)


def _spectra_by_depth(_: Context) -> Computed:
    """Exact spectra at R = 1, 2, 3 of units of order two; None in place of irrational ones."""
    data = instance_with_m([[Fraction(2), Fraction(1)], [Fraction(1), Fraction(2)]])
    units = {
        "n = 2": ResidualUnit(n_shortcut(2)),
        "tied weights, k = 3": ResidualUnit(tied(identity_activation)),
        "biased": ResidualUnit(biased(polynomial(0, 2, 1))),
    }
    found = {
        name: {r: exact_spectrum(unit, r, _symmetric(name, data), k=3) for r in (1, 2, 3)}
        for name, unit in units.items()
    }
    return Computed(found, Scope.of(*(f"{name}: R=1..3, d=2, m=2" for name in found)))


def _symmetric(name: str, data: Instance) -> Instance:
    """The biased unit's core [M, rbar] needs data of its own for rational eigenvalues."""
    return biased_instance() if name == "biased" else data


def biased_instance() -> Instance:
    """d = 2, m = 3 with [M, rbar] = U diag(2, 1/3) Q^T, U and Q with rational orthonormal columns."""
    u = ((Fraction(3, 5), Fraction(-4, 5)), (Fraction(4, 5), Fraction(3, 5)))
    q = ((Fraction(1, 3), Fraction(2, 3)), (Fraction(2, 3), Fraction(1, 3)), (Fraction(2, 3), Fraction(-2, 3)))
    s = (Fraction(2), Fraction(1, 3))
    core = [[sum((u[i][k] * s[k] * q[j][k] for k in range(2)), Fraction(0)) for j in range(3)] for i in range(2)]
    # With x^1 = e1, x^2 = e2, x^3 = 0 and ones below, [M, rbar] = (1/3) (X - Y) Xt^T, Xt = [X; 1 1 1]. Solving for
    # R = X - Y: 3 M_i1 = R_i1, 3 M_i2 = R_i2, 3 rbar_i = R_i1 + R_i2 + R_i3.
    x = [[Fraction(1), Fraction(0), Fraction(0)], [Fraction(0), Fraction(1), Fraction(0)]]
    residual = [[3 * row[0], 3 * row[1], 3 * (row[2] - row[0] - row[1])] for row in core]
    return Instance(x, [[x[i][j] - residual[i][j] for j in range(3)] for i in range(2)])


Spectra = Mapping[str, Mapping[int, "dict[Fraction, int] | None"]]


def _scales(found: Spectra, claim: Callable[[int], int]) -> None:
    """Pass when the spectrum at R is that of one unit, each multiplicity times claim(R).

    Raises:
        Disagreement: it is not.
        ValueError: an eigenvalue is irrational, so that nothing was compared.
    """
    for name, by_depth in found.items():
        for units, spectrum in by_depth.items():
            one = by_depth[1]
            if spectrum is None or one is None:
                raise ValueError(f"{name}: an eigenvalue is irrational; expected rational ones")
            if spectrum != {value: claim(units) * k for value, k in one.items()}:
                raise Disagreement(f"{name}, R={units}: {spectrum}")


def _explicit_regimes(_: Context) -> Computed:
    """Order and Hessian of small networks of each regime."""
    blocks = {
        name: ANY_BLOCK[name] for name in ("n = 1", "n = 2", "n = 3", "SwiGLU", "ReZero", "Fixup", "tied weights")
    }
    found = {name: explicit_blocks(unit, {"d": 2, "k": 1}) for name, unit in blocks.items()}
    return Computed(found, Scope.of(*(f"{name}: R=2, d=2, k=1, m=1" for name in found)))


_BY_ORDER = (
    Argument(
        "Two units with an arbitrary branch, any loss",
        "index notation",
        _any_branch,
        _BRANCH_FORMS,
        {
            "$A$ has no term with the loss's curvature": {
                **_BRANCH_FORMS,
                "order one": (f"{_D} + {_D_CURVATURE}", _A.split(" + ")[0]),
            },
            "$A$ survives at order two": {**_BRANCH_FORMS, "order two": (_D, _A)},
            "$D$ survives at order three": {**_BRANCH_FORMS, "order three": (_D, "0")},
            "$D$ has the curvature at order two": {**_BRANCH_FORMS, "order two": (f"{_D} + {_D_CURVATURE}", "0")},
        },
        _same_branch_forms,
        explanation="Every term of $A$ has one first derivative of the earlier unit's branch, so $A = 0$ when these vanish at the "
        "data.",
    ),
    Argument(
        "One more unit after any number of them, any loss",
        "index notation",
        added_to_the_loss({order: (("w",), vanishing) for order, vanishing in ORDERS.items()}),
        _ADDITIONS,
        {
            "earlier units enter at order two": {**_ADDITIONS, "order two": f"{_OWN} + {_EARLIER}"},
            "they do not enter at order one": {**_ADDITIONS, "order one": f"{_OWN} + {_OWN_CURVATURE}"},
            "it adds something at order three": {**_ADDITIONS, "order three": _OWN},
        },
        same_sums(any_branch.TENSORS),
        explanation="$x$ is what earlier units, however many, have added to the first degree; at order two and three there is none. "
        r"So the units add $\tfrac{1}{2} w_r^{\mathsf T} D w_r$ each, and $H_R = I \otimes D$.",
    ),
    Argument(
        "The catalogue's blocks, regime by regime",
        "index notation",
        _regimes,
        nonzero_blocks,
        NEIGHBOURING_REGIMES,
        _in_regimes,
    ),
    Argument(
        "Small networks of each regime",
        "explicit",
        _explicit_regimes,
        nonzero_blocks,
        NEIGHBOURING_REGIMES,
        _in_regimes,
    ),
    Argument(
        "Exact spectra at $R = 1$, 2, 3: the same eigenvalues, $R$ times",
        "explicit",
        _spectra_by_depth,
        lambda units: units,
        {
            "multiplicities do not grow": lambda units: 1,
            "multiplicities grow with the square of $R$": lambda units: units**2,
        },
        _scales,
    ),
)


GEN_2 = replace(
    TRICHOTOMY,
    id="GEN-2",  # by which the registry finds the file
    sentence="",
    setting="The order is the least degree in $w$ of the branch at the data.",
    hypotheses=(IDENTITY_HYPOTHESIS, BRANCH_HYPOTHESIS, LOSS_HYPOTHESIS),
    uses=("GEN-1",),
    clauses=(
        Clause(
            "For the squared loss and order one: $A$ is not identically zero as a function of the data, though for some "
            "branches, as $n = 1$ at $d = 1$, it vanishes at some.",
            {"d": 1, "p": 1, "m": 1},
            (NOT_IDENTICALLY_ZERO, AT_INSTANCES),
        ),
        Clause(TRICHOTOMY.sentence, {"R": 1, "d": 1, "p": 1, "m": 1}, _BY_ORDER),
        Clause(
            r"$H_R$ acts on $\mathbb R^R \otimes N^{\perp}$, $N$ the common kernel of $D$, $A$ and $A^{\mathsf T}$.",
            {"R": 1, "p": 1},
            (NULL, KERNEL),
        ),
    ),
)


# GEN-5.


def _sum_of_gradient(_: Context) -> Computed:
    """Whether E sum_i g_i vanishes for cross-entropy, with p_i = e_i / E and E = sum_k e_k, for every d."""
    known = {name: Opaque(name, ("d", "m")) for name in "ey"}
    predicted = {"g = (1^T y) p - y": "y[k,u] * e[i,u]", "g = p - y, any y": "e[i,u]"}
    weighted, targets = (
        {name: parse(one, known, {"u": -3}) for name, one in predicted.items()},
        parse("e[k,u] * y[i,u]", known, {"u": -3}),
    )
    found = {name: one == targets for name, one in weighted.items()}
    shown = r"\sum_i g_i = \frac{\sum_k y_k \sum_i e_i - \sum_k e_k \sum_i y_i}{\sum_k e_k} = 0"
    return Computed(found, sizes.of_terms(*weighted.values(), targets), shown)


_CENTRED = {"g = (1^T y) p - y": True, "g = p - y, any y": False}


def _null_images(_: Context) -> Computed:
    """H along W_2 = 1 a^T for n = 2 and cross-entropy: 1^T M = 0."""
    unit = generic_unit(2)
    form = thaw(hessian_form(unit, cross_entropy).diagonal)
    a = tensor(Opaque("a", ("d",)), (COLUMN,))
    ones_row = differentiate(along(unit, form, {"W2": a}), perturbations(unit)["W1"], (ROW, COLUMN))
    same_with_squares = differentiate(
        along(unit, thaw(hessian_form(unit, squared).diagonal), {"W2": a}), perturbations(unit)["W1"], (ROW, COLUMN)
    )
    found = {"cross-entropy": bool(ones_row), "squared": bool(same_with_squares)}
    return Computed(
        found, sizes.of_unit(unit), r"\mathbf 1^{\mathsf T} M = 0 \implies H\,(0, \mathbf 1 a^{\mathsf T}) = 0"
    )


_GRADIENTS = ((1, Fraction(2)), (2, Fraction(-3)))


def _nullities(_: Context) -> Computed:
    """Multiplicity of the eigenvalue 0 for n = 2, d = 2, cross-entropy with g = (c, -c), and the nonzero spectrum."""
    unit = ResidualUnit(n_shortcut(2))
    data = Instance([[2, 1], [5, 3]], [[1, 0], [0, 1]])
    values = {f"g_{i}_{u}": (value if i == 1 else -value) for u, value in _GRADIENTS for i in (1, 2)}
    spectra = {r: exact_spectrum(unit, r, data, loss=cross_entropy, values=values) for r in (1, 2, 3)}
    found = {r: None if s is None else s.get(Fraction(0), 0) for r, s in spectra.items()}
    return Computed(found, Scope.of(*(f"n=2, R={r}, d=2, m=2" for r in found)))


def _head_products(_: Context) -> Computed:
    """M = W^T N by its factors on the columns' side, and the dimension in which these meet the rows.

    W has the rows V_a, a = 1..c, and w, N has N_a and n; with 1^T N = 0 the last one is n = -sum_a N_a.
    """
    known = {
        "V": Opaque("V", ("c", "d")),
        "N": Opaque("N", ("c", "d")),
        "w": Opaque("w", ("d",)),
        "n": Opaque("n", ("d",)),
    }
    any_n = parse("V[a,i] * N[a,j] + w[i] * n[j]", known, {"i": ROW, "j": COLUMN})
    centred = substitute(any_n, known["n"], parse("-1 * N[a,j]", known, {"j": -1}))
    found = {"1^T N = 0": _through(centred), "any N": _through(any_n)}
    return Computed(found, sizes.of_terms(any_n), r"M = \sum_{a=1}^{c} (V_a - w)\, N_a^{\mathsf T}")


def _through(product: Sum) -> set[tuple[str, tuple[Dimension, ...]]]:
    """For each term the factor with the column index, and its other dimensions: as many products as these have values."""
    return {
        (t.label, tuple(n for n, slot in zip(t.dims, slots, strict=True) if slot != COLUMN))
        for _, factors in product
        for t, slots in factors
        if COLUMN in slots
    }


_PRODUCTS = {"1^T N = 0": {("N", ("c",))}, "any N": {("N", ("c",)), ("n", ())}}


def _head_ranks(_: Context) -> Computed:
    """rank W^T N for C = 1..5 classes and d = 4, W = I and N = I but for its last row, so that 1^T N = 0."""
    found = {}
    for classes in range(1, 6):
        head = matrix([[int(i == j) for j in range(4)] for i in range(classes)])
        rows = [[int(i == j) for j in range(4)] for i in range(classes - 1)]
        rows.append([-sum(row[j] for row in rows) for j in range(4)])
        found[classes] = rank(matrix_product(transpose(head), matrix(rows)))
    return Computed(found, Scope.of(*(f"C={c}, d=4" for c in found)))


_LOSS_CLAIM = Claim("m^-1 * mid'(0) * post'(0) * g[i,u] * pre(X)[j,u] * dW2(1)[i,a] * dW1(1)[a,j]")
_WITH_CURVATURE = Claim(
    _LOSS_CLAIM.diagonal + " + 1/2 * m^-1 * Q[i,k,u] * pre(X)[j,u] * pre(X)[l,u] * dW2(1)[i,j] * dW2(1)[k,l]"
)

ONCE = Citation(
    "taylor-peano",
    {
        "the loss is differentiable once, and the output moves from degree two on": Condition(
            lambda one: one[0] >= 1 and one[1] == 2,
            lambda: (1, branch_order(generic_unit(2), at_most=2)),
            lambda: (0, 2),
        )
    },
)


def _off_the_law(part: Callable[[int, int], Fraction]) -> Fraction:
    """The squares of a parallelogram's diagonals less those of its sides, of `part` along a u + b v: 0 for a quadratic form."""
    return part(1, 1) + part(1, -1) - 2 * (part(1, 0) + part(0, 1))


def _corner_of_the_loss(_: Context) -> Computed:
    """For L(w) / t^2 at w = t v, the loss |f - x|, n = 2, d = m = 1, x = 1."""
    found = _off_the_law(lambda a, b: Fraction(abs(a * b)))
    return Computed(found, Scope.of("n=2, R=1, d=1, m=1, x=1, y=x"))


LOSS_ONCE = Hypothesis(
    "the loss is differentiable at the data",
    lambda times: times >= 1,
    fails_on=0,
    holds_on=1,
    needed=Argument(
        r"The loss $\lvert f - x\rvert$, which has a corner at the data: $\lvert W_2 W_1\rvert$ has no second-order form",
        "explicit",
        _corner_of_the_loss,
        Fraction(2),
        {PRINTED: Fraction(0)},
    ),
)
"""Of how often it is."""


def _second_order(loss: Callable[..., Fraction], first: tuple[int, ...], second: tuple[int, ...]) -> Fraction:
    """For the coefficient of t^2, t > 0."""
    return _off_the_law(lambda a, b: one_sided(loss, tuple(a * u + b * v for u, v in zip(first, second, strict=True))))


def _kinked(w1: Fraction, w2: Fraction) -> Fraction:
    """One unit with mid = ReLU, x = 1 and y = 0."""
    return Fraction(1, 2) * (1 + w2 * max(w1, Fraction(0))) ** 2


def _jumping(*w: Fraction) -> Fraction:
    """Two units with pre(t) = 1 + [t > 1], x = 1 and y = 0."""
    h = 1 + w[1] * w[0]
    return Fraction(1, 2) * (h + w[3] * w[2] * (1 + int(h > 1))) ** 2


def _not_quadratic(
    title: str, at: str, off: int, loss: Callable[..., Fraction], *directions: tuple[int, ...]
) -> Argument:
    return Argument(
        title,
        "explicit",
        lambda _: Computed(_second_order(loss, *directions), Scope.of(at)),
        Fraction(off),
        {PRINTED: Fraction(0)},
    )


SLOPES = Hypothesis(
    "mid and post are differentiable at 0",
    lambda one: 0 not in one.mid.kinks and 0 not in one.post.kinks,
    fails_on=SimpleNamespace(mid=relu, post=sigmoid),
    holds_on=SimpleNamespace(mid=tanh, post=sigmoid),
    needed=_not_quadratic(
        r"mid = ReLU: the second-order part is $\max(w_1, 0) w_2$",
        "n=2, R=1, d=1, m=1, x=1, y=0",
        1,
        _kinked,
        (1, 1),
        (-2, 0),
    ),
)
CONTINUOUS = Hypothesis(
    "pre is continuous at the data, where there are several units",
    lambda one: one.units == 1 or {*one.jumps}.isdisjoint(one.data),
    fails_on=SimpleNamespace(units=2, jumps=(1,), data=(1,)),
    holds_on=SimpleNamespace(units=1, jumps=(1,), data=(1,)),
    needed=_not_quadratic(
        r"$\mathrm{pre}(t) = 1 + [t > 1]$: the second-order part of two units",
        "n=2, R=2, d=1, m=1, x=1, y=0",
        2,
        _jumping,
        (1, 1, 0, 0),
        (0, 0, 1, 1),
    ),
)
"""Of the number of units, where pre jumps, and the data."""

_WIDTHS = {"R": 1, "d": 1, "m": 1}
_ANY_LOSS = hessian_arguments(
    generic_unit(2),
    _LOSS_CLAIM,
    {
        "the loss's curvature enters": _WITH_CURVATURE,
        "twice as large": Claim(f"2 * {_LOSS_CLAIM.diagonal}"),
        "$M$ transposed": Claim("m^-1 * mid'(0) * post'(0) * g[j,u] * pre(X)[i,u] * dW2(1)[i,a] * dW1(1)[a,j]"),
    },
    (size(2, d=2), size(2, 2, d=1), size(1, 2, d=2)),
    loss=generic_loss,
)
_SINGULAR = (
    Argument(
        "The gradient of cross-entropy sums to zero",
        "identity",
        _sum_of_gradient,
        _CENTRED,
        {"also with $p - y$ for any $y$": {**_CENTRED, "g = p - y, any y": True}},
        explanation=r"With $p = e/E$, $E = \sum_k e_k$ and the target's total weighting $p$; multiplied by $E$.",
    ),
    Argument(
        r"$W_2 = \mathbf 1 a^{\mathsf T}$ is in the kernel",
        "index notation",
        _null_images,
        {"cross-entropy": False, "squared": True},
        {"for the squared loss too": {"cross-entropy": False, "squared": False}},
        explanation=r"$d$ vectors $a$ for each unit. $M$ is then a singular square matrix, so $M v = 0$ for some $v \ne 0$, and "
        r"$W_1 = a v^{\mathsf T}$ is in the kernel as well: $2 d$ null directions for each unit.",
    ),
    Argument(
        "Multiplicity of the eigenvalue zero",
        "explicit",
        _nullities,
        {1: 4, 2: 8, 3: 12},
        {"$R d$": {1: 2, 2: 4, 3: 6}, "$2 d$ at every depth": {1: 4, 2: 4, 3: 4}},
    ),
)
_WITH_HEAD = (
    Argument(
        r"$M = W^{\mathsf T} N$ with $\mathbf 1^{\mathsf T} N = 0$ is a sum of $c$ products of a column and a row",
        "index notation",
        _head_products,
        _PRODUCTS,
        {
            "for any $N$": {**_PRODUCTS, "any N": _PRODUCTS["1^T N = 0"]},
            r"no fewer where $\mathbf 1^{\mathsf T} N = 0$": {**_PRODUCTS, "1^T N = 0": _PRODUCTS["any N"]},
        },
        explanation=r"$N = E[g\, \mathrm{pre}(x)^{\mathsf T}]$ has a row for each class, and the gradient sums to zero over the "
        "classes.",
    ),
    Argument(
        "The rank of $M$ with a fixed head, one to five classes: the bound is attained",
        "explicit",
        _head_ranks,
        {classes: classes - 1 for classes in range(1, 6)},
        {"$C$": {c: min(c, 4) for c in range(1, 6)}, "$C - 2$": {c: max(c - 2, 0) for c in range(1, 6)}},
    ),
)

GEN_5 = Statement(
    id="GEN-5",
    title="Any loss: for $n = 2$ only its gradient enters; cross-entropy makes the Hessian singular",
    source=None,
    latex=r"M = \frac1m \sum_\mu \nabla_f \ell(x^\mu, y^\mu)\, \sigma_{\mathrm{pre}}(x^\mu)^{\mathsf T}, \qquad "
    r"\mathbf 1^{\mathsf T} \nabla_f \ell = 0 \implies \dim \ker H \ge 2 R d",
    hypotheses=(FLAT_AT_ZERO, SLOPES, CONTINUOUS),
    uses=("DR-T2.2", "DR-T2.2e", "DR-T2S", "GEN-1", "GEN-2"),
    clauses=(
        Clause(
            "For $n = 2$ and any per-sample loss that is differentiable at the data, Theorem 2.2 holds with "
            r"$M = (1/m) \sum \nabla_f\, \mathrm{loss}(x, y)\, \mathrm{pre}(x)^{\mathsf T}$: the loss is "
            r"$L(w_0) + w^{\mathsf T} H w / 2 + o(\lvert w\rvert^2)$, whatever its second derivatives.",
            _WIDTHS,
            (*_ANY_LOSS, DERIVATIVES, ONCE),
            hypotheses=(LOSS_ONCE,),
        ),
        Clause(
            r"For softmax cross-entropy on the stream itself $\mathbf 1^{\mathsf T} M = 0$: the Hessian has at least "
            "$2 R d$ zero eigenvalues at every depth, and its nonzero spectrum does not depend on depth.",
            _WIDTHS,
            _SINGULAR,
        ),
        Clause(
            r"For softmax cross-entropy behind a fixed $C \times d$ head, $C = c + 1$, the rank of $M$ is at most $c$.",
            {"c": 1, "d": 1},
            _WITH_HEAD,
        ),
    ),
)


# GEN-6.


def branches(count: int) -> ResidualUnit:
    """h + sum_b W_b2 mid(W_b1 pre(h)): ResNeXt with `count` branches of inner width k."""
    h = Input("d")
    total: Expression = h
    for number in range(1, count + 1):
        w1, w2 = Weight("k", "d", name=f"U{number}"), Weight("d", "k", name=f"V{number}")
        total = total + w2 @ MID(w1 @ PRE(h))
    return ResidualUnit(total)


def _branch_claim(count: int, factor: str = "") -> Claim:
    terms = [
        f"{factor}m^-1 * mid'(0) * g[i,u] * pre(X)[j,u] * dV{b}(1)[i,a] * dU{b}(1)[a,j]" for b in range(1, count + 1)
    ]
    return Claim(" + ".join(terms))


_COUNTS = (1, 2, 3)


def _parallel(context: Context) -> Computed:
    """D and A for one to three parallel branches."""
    units = {count: branches(count) for count in _COUNTS}
    found = {count: index_forms(unit)(context).value for count, unit in units.items()}
    return Computed(found, sizes.of_units(units.values()) & Scope.over(K=_COUNTS))


def _same_parallel(found: Mapping[int, Pair], claim: Callable[[int], Claim]) -> None:
    for count, forms in found.items():
        same_forms(forms, claim(count))


def _first_two_meet(count: int) -> Claim:
    met = " + m^-1 * mid'(0) * g[i,u] * pre(X)[j,u] * dV1(1)[i,a] * dU2(1)[a,j]" if count > 1 else ""
    return Claim(_branch_claim(count).diagonal + met)


_PARALLEL = Argument(
    "One to three parallel branches in index notation",
    "index notation",
    _parallel,
    _branch_claim,
    {
        "branches interact": _first_two_meet,
        "averaged over branches": lambda count: _branch_claim(count, f"1/{count} * "),
        "units interact": lambda count: Claim(
            _branch_claim(count).diagonal, _branch_claim(count).diagonal.replace("dV1(1)", "dV1(2)")
        ),
    },
    _same_parallel,
)


def _multiplicities(_: Context) -> Computed:
    """Multiplicity of each eigenvalue +- c s_i at inner width k, depth R and K branches."""
    data = instance_with_m(matrix_m())
    slope = polynomial(0, 3, 1)
    found = {}
    for k, units, count in ((1, 1, 1), (3, 1, 1), (1, 2, 1), (3, 2, 1), (2, 1, 2), (1, 2, 3)):
        spectrum = exact_spectrum(ResidualUnit(resnext(count, slope)), units, data, k=k) or {}
        found[k, units, count] = {value: n for value, n in spectrum.items() if value}
    return Computed(found, Scope.of(*(f"d=2, k={k}, R={r}, K={b}, m=2" for k, r, b in found)))


def _multiplicity_is(found: Mapping[tuple[int, int, int], Mapping[Fraction, int]], claim: Callable[..., int]) -> None:
    values = {Fraction(s) for s in (6, -6, 1, -1)}
    for (k, units, count), spectrum in found.items():
        expected = dict.fromkeys(values, claim(k, units, count))
        if spectrum != expected:
            raise Disagreement(f"k={k}, R={units}, K={count}: {spectrum}; claimed {expected}")


_INNER = ResidualUnit(n_shortcut(2, PRE, MID, POST, inner_width="k"))

_MULTIPLICITIES = Argument(
    "Multiplicities of exact eigenvalues",
    "explicit",
    _multiplicities,
    lambda k, units, count: units * count * k,
    {
        "$R d$": lambda k, units, count: 2 * units,
        "$R k$ whatever the branches": lambda k, units, count: units * k,
        "$K k$ whatever the depth": lambda k, units, count: count * k,
    },
    _multiplicity_is,
    latex=r"\tfrac12 w^{\mathsf T} D\, w = \frac{c}{m} \sum_{u, i, j, a} g_{i u}\, \sigma_{\mathrm{pre}}(X)_{j u}\, (W_2)_{i a} (W_1)_{a j}",
    explanation="The summed index $a$ of the form occurs in the weights alone: it counts the inner width.",
)
_INNER_WIDTH = (
    *hessian_arguments(
        _INNER,
        _LOSS_CLAIM,
        {
            "twice as large": Claim(f"2 * {_LOSS_CLAIM.diagonal}"),
            "scaled by the inner width": Claim(f"k^-1 * {_LOSS_CLAIM.diagonal}"),
        },
        (size(2, d=2, k=3), size(2, 2, d=2, k=1), size(1, d=1, k=2)),
    ),
    _MULTIPLICITIES,
)
# The written-out forms and the reduction; the index notation is in the base of the induction.
_THREE_WRITTEN = hessian_arguments(
    branches(3),
    _branch_claim(3),
    {
        "branches interact": Claim(
            _branch_claim(3).diagonal + " + m^-1 * mid'(0) * g[i,u] * pre(X)[j,u] * dV1(1)[i,a] * dU2(1)[a,j]"
        ),
        "averaged over branches": _branch_claim(3, "1/3 * "),
    },
    (size(2, d=2, k=1), size(1, 2, d=1, k=2)),
)[1:]

GEN_6 = Statement(
    id="GEN-6",
    title="Inner width $k$: the same $M$ with multiplicity $R k$; $K$ parallel branches: $R K k$",
    source=None,
    latex=r"\operatorname{eigs}(H) = \pm c\,\sigma_i(M), \text{ each } R K k \text{ times}",
    hypotheses=(FLAT_AT_ZERO, SLOPES, CONTINUOUS, LOSS_ONCE),
    uses=("DR-T2.2", "DR-T2.2e", "GEN-1", "GEN-2"),
    setting=r"$s_1, \ldots, s_d$ are the singular values of $M$; where values $\pm c s_i$ coincide, multiplicities add up.",
    clauses=(
        Clause(
            "With inner width $k$ the Hessian of a 2-shortcut network has the same core $M$, and each eigenvalue "
            r"$\pm c s_i$ has multiplicity $R k$.",
            {"R": 1, "k": 1, "d": 1, "m": 1},
            _INNER_WIDTH,
        ),
        Clause(
            "With $K$ parallel branches of inner width $k$, as in ResNeXt, it is $R K k$: the second-order part of a sum "
            "of branches is the sum of theirs.",
            {"R": 1, "K": 1, "k": 1, "d": 1, "m": 1},
            (Induction("K", _PARALLEL, SIDE_BY_SIDE), *_THREE_WRITTEN, _MULTIPLICITIES),
        ),
    ),
)

STATEMENTS = (GEN_2, GEN_5, GEN_6)
