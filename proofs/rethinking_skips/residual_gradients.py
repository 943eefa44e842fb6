"""Rethinking skip connections, Remarks 5 and 6: the gradients of ResNets and ResNeXts (RS-R5).

Conventions, networks and the bound by inner widths are those of `proofs.rethinking_skips.gradient_ranks`. Letters: o = 1^T is a row and e a
column with o e = 1; J is the transposed product of the later maps, A that of the earlier ones, S the last error signal, T = X^T.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import sympy

from resproof.numeric.rounding import gamma
from resproof.proofs.changes import Change
from resproof.proofs.rethinking_skips.condition_of_products import PRODUCT_BOUNDS, VARIED_INSTANCES
from resproof.proofs.rethinking_skips.documents import source
from resproof.proofs.rethinking_skips.gradient_ranks import (
    RANKS,
    LinearNet,
    deep_and_dominated,
    diagonal,
    has_nonsingular_weights,
    ill_conditioned,
    kappa_beyond,
    nudged,
    squared_frobenius,
)
from resproof.proofs.rethinking_skips.granted_equations import GRANTED_23, WEIGHTS
from resproof.proofs.rethinking_skips.hidden_gradients import HeadedNetwork, extreme_singular_values, hidden_gradients
from resproof.proofs.rethinking_skips.pictures import columns_on_lines, conditions_by_layer
from resproof.proofs.rethinking_skips.plain_products import REGULAR_SENSE
from resproof.proofs.routes.points import At, nonzero_at
from resproof.proofs.statement import (
    PRINTED,
    Argument,
    Clause,
    Computed,
    Context,
    Counterexample,
    Disagreement,
    ExceptionalSet,
    Hypothesis,
    Measurement,
    Repair,
    Statement,
)
from resproof.symbolic.algebra.matrices import Matrix, add, eye, matrix, multiply, rank, transpose
from resproof.symbolic.algebra.noncommutative import modulo, sizes, words
from resproof.symbolic.algebra.noncommutative import product as word_product
from resproof.symbolic.algebra.noncommutative import show as show_words
from resproof.symbolic.scope import Scope

# The last error signal.


def _shift(_: Context) -> Computed:
    """l(f + t 1, y) - l(f, y) for l = (1^T y) log sum_c exp(f_c) - y^T f, and its part linear in t.

    s = sum_c exp(f_c) becomes e^t s, y^T f becomes y^T f + t 1^T y; C enters nowhere.
    """
    s, t, total, inner = sympy.symbols("s t Y q", positive=True)
    after = total * sympy.log(sympy.exp(t) * s) - (inner + t * total)
    before = total * sympy.log(s) - inner
    change = sympy.expand(sympy.expand_log(after - before, force=True))
    plain_sum = sympy.expand(sympy.expand_log(total * sympy.log(sympy.exp(t) * s) - inner - before, force=True))
    shown = r"\ell(f + t 1, y) = \ell(f, y) \implies 1^{\mathsf T} \nabla_f \ell = 0"
    return Computed({"l": str(change), "l without y^T f": str(plain_sum)}, Scope(), shown)


def _projections(_: Context) -> Computed:
    """1 - e o with o e = 1: what it does to e, and o times a matrix that it has been applied to."""
    p, relation = words("1 - e o"), {"o e": ""}
    forms = {
        "(1 - e o) e": word_product(p, words("e")),
        "o (1 - e o) Z": word_product(words("o"), p, words("Z")),
        "(1 - e o) Z": word_product(p, words("Z")),
    }
    found = {name: not modulo(form, relation) for name, form in forms.items()}
    scope = sizes({"o": ("1", "C"), "e": ("C", "1"), "Z": ("C", "m")}, *forms.values())
    return Computed(found, scope, r"(I - e 1^{\mathsf T})\, e = 0, \qquad 1^{\mathsf T} e = 1")


_PROJECTIONS = {"(1 - e o) e": True, "o (1 - e o) Z": True, "(1 - e o) Z": False}

# The counterexample.


_DEPTH = 110
_SHOWN = (0, _DEPTH // 2, _DEPTH - 1)
"""Layers, from 0 on."""


def _resnets() -> tuple[LinearNet, LinearNet]:
    """A ResNet and a ResNeXt of two branches with the same maps, I + W^l = diag(-1, 2) and diag(-1, 1/2) in turn."""
    turns, one = ((-2, 1), (-2, Fraction(-1, 2))), eye(2)
    single = tuple((diagonal(*turn),) for turn in turns)
    double = tuple((diagonal(*(Fraction(v) / 2 for v in turn)),) * 2 for turn in turns)
    resnet = LinearNet(single * (_DEPTH // 2), one, one, shortcut=True, softmax=True)
    resnext = LinearNet(double * (_DEPTH // 2), one, one, shortcut=True, softmax=True)
    return resnet, resnext


_RESNETS = _resnets()
_RESNETS_SIZE = f"n=N=C=2, L={_DEPTH}, one and two branches"


def _shown_matrix(a: Matrix) -> str:
    rows = r" \\ ".join(" & ".join(map(str, row)) for row in a)
    return rf"\begin{{pmatrix}} {rows} \end{{pmatrix}}"


def _of_rank(number: int, *names: str) -> dict[str, set[int]]:
    """All matrices of these names are of this rank."""
    return {name: {number} for name in names}


def _shown_ranks(found: set[int]) -> str:
    return rf"\operatorname{{rank}} \in \{{{', '.join(map(str, sorted(found)))}\}}"


def _by_equation_23(net: LinearNet) -> Iterator[Matrix]:
    """H^l (W^{l+1} Delta^{l+1}) from Delta^L down, W^l the layer's map."""
    signal = net.signals()[-1]
    for h, w in zip(net.hidden()[-2:0:-1], net.maps()[:0:-1], strict=True):
        signal = multiply(h, multiply(w, signal))
        yield signal


_EQUATION_23 = "Delta by Equation 23", _by_equation_23


def _residual_ranks(_: Context) -> Computed:
    """The ranks of all error signals and updates, from the recursion, and of the signals that Equation 23 would give."""
    found = {
        kind: {rank(a) for net in _RESNETS for a in matrices(net)}
        for kind, matrices in (("Delta", LinearNet.signals), ("update", LinearNet.updates), _EQUATION_23)
    }
    last = _RESNETS[0].signal()
    guess = add(_RESNETS[0].y, tuple(tuple(-x for x in row) for row in last))
    shown = rf"P = {_shown_matrix(guess)},\quad \Delta^L = Y - P = {_shown_matrix(last)},\quad {_shown_ranks(set[int]().union(*found.values()))}"
    return Computed(found, Scope.of(_RESNETS_SIZE), shown)


def _slopes(net: LinearNet, missing: Sequence[Sequence[Any]]) -> Iterator[list[list[Any]]]:
    """-dE by the first branch of a layer and by H^l, entry by entry, forward, at three layers; `missing` is -dE/df, by samples.

    The output is affine in every single entry, so that one difference is its derivative.
    """
    output, size = net.hidden()[-1], range(2)
    for layer in _SHOWN:
        for kind in ("weight", "hidden"):
            moved = [[_moved(net, layer, kind, i, j) for j in size] for i in size]
            yield [
                [sum(missing[u][c] * (moved[i][j][c][u] - output[c][u]) for c in size for u in size) for j in size]
                for i in size
            ]


def _residual_derivatives(_: Context) -> Computed:
    """The ranks of the derivatives of the cost, softmax being SymPy's exp."""
    found = dict[str, set[int]]()
    for name, net in zip(("ResNet", "ResNeXt"), _RESNETS, strict=True):
        output, ranks = net.hidden()[-1], set[int]()
        powers = [[sympy.exp(sympy.Rational(value) * sympy.log(2)) for value in column] for column in transpose(output)]
        missing = [
            [y - e / sum(row) for y, e in zip(target, row, strict=True)]
            for target, row in zip(transpose(net.y), powers, strict=True)
        ]
        for slope in _slopes(net, missing):
            full = slope[0][0] * slope[1][1] != slope[0][1] * slope[1][0]
            ranks.add(0 if slope == [[0, 0], [0, 0]] else 1 + full)
        found[name] = ranks
    return Computed(found, Scope.of(_RESNETS_SIZE), _shown_ranks(set[int]().union(*found.values())))


def _tilted(net: LinearNet) -> LinearNet:
    """The same layers with the squared cost and Y = f(X) + diag(1, 10^-9)."""
    return replace(net, softmax=False).with_residual(diagonal(1, Fraction(1, 10**9)))


_TILTED = (_tilted(_RESNETS[0]), _tilted(_RESNETS[1]))


def _tilted_conditions(_: Context) -> Computed:
    """Whether kappa is 10^6 or more, for all error signals and updates, from the recursion."""
    found = {ill_conditioned(a) for net in _TILTED for a in (*net.signals(), *net.updates())}
    return Computed(found, Scope.of(_RESNETS_SIZE), rf"\Delta^L = Y - f(X) = {_shown_matrix(_TILTED[0].signal())}")


def _tilted_derivatives(_: Context) -> Computed:
    """The same from the derivatives of the cost, entry by entry."""
    found = set[bool]()
    for net in _TILTED:
        slopes = [matrix(slope) for slope in _slopes(net, transpose(net.signal()))]
        by_recursion = zip(net.updates(), net.signals(), strict=True)
        assert slopes == [a for k, pair in enumerate(by_recursion) if k in _SHOWN for a in pair]
        found |= set(map(ill_conditioned, slopes))
    return Computed(found, Scope.of(_RESNETS_SIZE))


def _moved(net: LinearNet, layer: int, kind: str, i: int, j: int) -> Matrix:
    """The output with one entry of the layer's first branch, or of its hidden representation, larger by one."""
    h = net.x
    for number, branches in enumerate(net.layers):
        first, *others = branches
        if kind == "weight" and number == layer:
            first = nudged(first, i, j, 1)
        h = add(h, *(multiply(w, h) for w in (first, *others)))
        if kind == "hidden" and number == layer:
            h = nudged(h, i, j, 1)
    return h


def _headed(classes: int, width: int, samples: int) -> LinearNet:
    """A ResNet of two layers with a C x d head; all numbers whole."""
    draw = random.Random(100 * classes + 10 * width + samples)

    def whole(rows: int, columns: int) -> Matrix:
        return matrix([[draw.randrange(-1, 2) for _ in range(columns)] for _ in range(rows)])

    layers = tuple((whole(width, width),) for _ in range(2))
    head, x = whole(classes, width), whole(width, samples)
    y = matrix([[int(u % classes == c) for u in range(samples)] for c in range(classes)])
    return LinearNet(layers, x, y, shortcut=True, softmax=True, head=head)


_HEADED = ((2, 2, 2), (2, 3, 4), (3, 3, 3), (3, 4, 5), (4, 4, 6), (3, 2, 4))


def _headed_ranks(_: Context) -> Computed:
    """The ranks of the hidden gradients, for C classes, width d and N samples."""
    found = {size: {rank(a) for a in _headed(*size).updates()} for size in _HEADED}
    sizes = (f"C={c}, d={d}, N={n}, L=2" for c, d, n in found)
    return Computed(found, Scope.of(*sizes))


Bound = Callable[[int, int, int], int]


def _attains(found: Mapping[tuple[int, int, int], set[int]], claim: Bound) -> None:
    for (classes, width, samples), value in found.items():
        if value != {claim(classes, width, samples)}:
            raise Disagreement(f"C={classes}, d={width}, N={samples}: the ranks are {value}")


# The squared cost, N >= n.


def _kept(_: Context) -> Computed:
    """K (J S) and K (J S) (T A) G, J and A being the layers above l, transposed, and those below it, transposed."""
    signal, update = words("K J S"), words("K J S T A G")
    relations = {"K J": "", "A G": ""}
    found = {"Delta": show_words(modulo(signal, relations)), "update": show_words(modulo(update, relations))}
    shapes = {**dict.fromkeys(("K", "J", "A", "G"), ("d", "d")), "S": ("d", "m"), "T": ("m", "d")}
    scope = sizes(shapes, signal, update, products={"J": "L", "A": "l"})
    return Computed(found, scope, r"K\,\Delta^l = \Delta^L, \qquad K\,\Delta W^l\,G = \Delta^L X^{\mathsf T}")


_KEPT = {"Delta": "+1 S", "update": "+1 S T"}

KEPT = Argument(
    "What nonsingular layers keep",
    "identity",
    _kept,
    _KEPT,
    {r"the update keeps $\Delta^L$": {**_KEPT, "update": "+1 S"}, "the signal is lost": {**_KEPT, "Delta": "0"}},
    explanation=r"$\Delta^l = J \Delta^L$ and $\Delta W^l = J \Delta^L X^{\mathsf T} A$ with square $J$ and $A$, so that $\Delta^l$ "
    r"has the rank of $\Delta^L$, and the update that of $\Delta^L X^{\mathsf T}$, for every number $N$ of samples. "
    r"$\lvert K\rvert = 1/\sigma_{\min}(J)$, $\lvert G\rvert = 1/\sigma_{\min}(A)$: condition numbers change by "
    r"$\kappa(J) \kappa(A)$ at most.",
)

_LAYERS = (diagonal(1, 2), matrix([[1, 1], [0, -3]]))


def _squared_net(x: Matrix, residual: Matrix) -> LinearNet:
    """A ResNet of two layers with Y = f(X) + residual."""
    return LinearNet(tuple((w,) for w in _LAYERS), x, x, shortcut=True).with_residual(residual)


_X = matrix([[1, 0, 0], [0, 1, 0]])
_SQUARED = {
    "N = n": _squared_net(eye(2), matrix([[2, 1], [0, 1]])),
    "N = 3": _squared_net(_X, matrix([[2, 1, 5], [0, 1, 7]])),
    "N = 3, one row orthogonal to X": _squared_net(_X, matrix([[2, 1, 0], [0, 0, 1]])),
    "N = 3, least squares": _squared_net(_X, matrix([[0, 0, 1], [0, 0, 2]])),
}


def _squared_ranks(_: Context) -> Computed:
    """The ranks of H^l, of Delta^l and of the updates, these from the cost itself as well."""
    found = {}
    for name, net in _SQUARED.items():
        assert net.updates() == _differences(net)
        ranks = [{rank(a) for a in matrices} for matrices in (net.hidden(), net.signals(), net.updates())]
        found[name] = tuple(value for (value,) in ranks)
    return Computed(found, Scope.of("n=2, N=2, 3, L=2"))


def _differences(net: LinearNet) -> list[Matrix]:
    """-dE/dW^l by central differences, exact for a cost of degree two in each entry."""

    def cost(at: LinearNet) -> Fraction:
        return squared_frobenius(at.signal()) / 2

    def moved(layer: int, i: int, j: int, by: int) -> LinearNet:
        layers = [*net.layers]
        layers[layer] = (nudged(layers[layer][0], i, j, by),)
        return replace(net, layers=tuple(layers))

    size = range(2)
    return [
        matrix([[(cost(moved(k, i, j, -1)) - cost(moved(k, i, j, 1))) / 2 for j in size] for i in size])
        for k in range(len(net.layers))
    ]


_SQUARED_RANKS = {
    "N = n": (2, 2, 2),
    "N = 3": (2, 2, 2),
    "N = 3, one row orthogonal to X": (2, 2, 1),
    "N = 3, least squares": (2, 1, 0),
}

SQUARED_RANKS = Argument(
    r"Ranks of $H^l$, $\Delta^l$ and the updates with the squared cost",
    "explicit",
    _squared_ranks,
    _SQUARED_RANKS,
    {
        r"$\Delta^l$ and $H^l$ of full rank suffice": {**_SQUARED_RANKS, "N = 3, one row orthogonal to X": (2, 2, 2)},
        "never of full rank": {**_SQUARED_RANKS, "N = 3": (2, 2, 1)},
    },
)

SOLVED = ExceptionalSet(
    r"$\det((Y - f(X)) X^{\mathsf T}) = 0$, as at every least-squares solution",
    fails=Argument(
        "Updates at a residual that is orthogonal to the rows of $X$",
        "instance",
        lambda _: Computed({rank(a) for a in _SQUARED["N = 3, least squares"].updates()}, Scope.of("n=2, N=3, L=2")),
        {0},
        {PRINTED: {2}, "rank one": {1}},
    ),
    null=nonzero_at(
        "The determinant does not vanish everywhere",
        {"(Y - f(X)) X'": At("E E'", {"E E'": ""})},
        {"E": ("d", "m"), "E'": ("m", "d")},
        explanation="A polynomial in the weights and the data: at $X = E = [I, 0]$ and $Y = f(E) + E$, whatever the weights are, it "
        "is the determinant of $E E' = I$.",
        shown=r"X = E,\ Y = f(E) + E: \quad (Y - f(X)) X^{\mathsf T} = E E^{\mathsf T} = I",
    ),
)

# Evidence.

_UNITS, _WIDTH, _SAMPLES = 300, 16, 300


@dataclass(frozen=True, slots=True)
class _Deep:
    """The gradients of a deep residual network with a head, and how far rounding may move their singular values."""

    gradients: np.ndarray
    classes: int
    bound: float
    sizes: str
    seed: int
    chain: int


def _deep_gradients(context: Context) -> Computed:
    generator = np.random.default_rng(context.seed)
    x, y = (np.asarray(a)[:, :_SAMPLES] for a in (context.data.X, context.data.Y))
    deviation = 1.0 / (_WIDTH * _UNITS**0.5)
    first, second = generator.normal(scale=deviation, size=(2, _UNITS, _WIDTH, _WIDTH))
    lift = np.linalg.qr(generator.normal(size=(_WIDTH, len(x))))[0]
    head = generator.normal(size=(len(y), _WIDTH)) / _WIDTH**0.5
    network = HeadedNetwork(first, second, head, lift @ x, y)
    gradients = np.concatenate(hidden_gradients(network))
    sizes = f"R={_UNITS}, d={_WIDTH}, C={len(y)}, m={x.shape[1]}; {context.data.name}"
    of_values = gamma(100 * _WIDTH**2) * float(np.max(np.linalg.norm(gradients, axis=(1, 2))))
    bound = network.rounding() + of_values
    return Computed(_Deep(gradients, len(y), bound, sizes, context.seed, network.chain), Scope.of(sizes))


def _numerical_rank(found: _Deep, claim: Callable[[int], int]) -> Measurement:
    """Singular values after the claimed rank are rounding, the last one within it is not.

    Raises:
        Disagreement: a singular value within the claimed rank is below the bound.
    """
    claimed = claim(found.classes)
    kept, after = extreme_singular_values(found.gradients, claimed)
    if kept <= found.bound:
        raise Disagreement(f"singular value {claimed} is {kept:.3g}, within the rounding bound {found.bound:.3g}")
    derivation = (
        r"$2 \gamma_N \nu \lvert W_o\rvert_F (4 / \sqrt{m}) \lvert X\rvert_F \lvert W\rvert_F$, "
        rf"$\nu = \prod (1 + \lvert W_2\rvert_F \lvert W_1\rvert_F)$, $N = {found.chain}$; "
        "$100 d^2 u$ times the norm of a gradient for its singular values"
    )
    name = "greatest singular value after those of the claimed rank, over all gradients"
    return Measurement(name, after, found.bound, found.sizes, found.seed, derivation, scale=kept)


def _at_most_two(a: Matrix) -> bool:
    """Whether kappa <= 2 for a 2 x 2 matrix."""
    return kappa_beyond(a, Fraction(2)) <= 0


_PRINTED_RESIDUAL = (
    Hypothesis(
        r"the weights are jointly diagonalisable with $\lvert\lambda_1\rvert > \lvert\lambda_i\rvert$ in every layer and "
        r"branch, $L \gg 1$",
        lambda nets: all(map(deep_and_dominated, nets)),
        fails_on=tuple(replace(net, layers=net.layers[:10]) for net in _RESNETS),
        quote="are assumed to be jointly diagonalizable ... L >> 1, ... s.t. |lambda_1^l| > |lambda_i^l| : 2 <= i <= n",
        where="Assumption 1, Theorems 2 and 3",
    ),
    Hypothesis(
        "all weights are nonsingular (Corollary 1)",
        lambda nets: all(map(has_nonsingular_weights, nets)),
        fails_on=tuple(replace(net, layers=((diagonal(1, 0),), *net.layers[1:])) for net in _RESNETS),
        quote="Corollary 1 that W^{l+1} is non-singular",
        where="Remark 5",
    ),
    Hypothesis(
        r"$H^l$ is nonsingular for every $l$ (Remarks 2 and 3): $\kappa(H^l) \le 2$",
        lambda nets: all(_at_most_two(h) for net in nets for h in net.hidden()),
        fails_on=tuple(replace(net, x=diagonal(1, 0)) for net in _RESNETS),
        quote="Using Remark 2 that H(x)^l is non-singular",
        where="Remark 5",
    ),
    Hypothesis(
        "the blocks have identity shortcuts, one branch (Remark 5) or several (Remark 6)",
        lambda nets: all(net.shortcut for net in nets) and [len(net.layers[0]) for net in nets] == [1, 2],
        fails_on=(_RESNETS[0], replace(_RESNETS[1], shortcut=False)),
        quote="skip connections of identity mappings ... via m paths through every ResNeXt block",
        where="section 3.2",
    ),
)
_RANK_ONE = Argument(
    "Ranks from the recursion",
    "instance",
    _residual_ranks,
    _of_rank(1, "Delta", "update", _EQUATION_23[0]),
    {
        PRINTED: _of_rank(2, "Delta", "update", _EQUATION_23[0]),
        "all of them vanish": _of_rank(0, "Delta", "update", _EQUATION_23[0]),
    },
)
_ILL_CONDITIONED = Argument(
    "Condition numbers from the recursion",
    "instance",
    _tilted_conditions,
    {True},
    {PRINTED: {False}, "some are": {True, False}},
)
_SIZES = {"L": 1, "l": 1, "d": 1, "m": 1}

R5 = Statement(
    id="RS-R5",
    title="The gradients of ResNets and ResNeXts are nonsingular",
    source=source(
        "Remarks 5 and 6",
        "it follows from Lemma 3 and (23) that the error gradient, Delta^l, is non-singular. Likewise, from (24) and (26), weights updates and weights are both non-singular",
    ),
    latex=r"H^l,\ W^{l} \text{ nonsingular} \implies \Delta^l,\ \Delta W^l,\ W^l \text{ nonsingular}",
    uses=("RS-D3", "RS-L3"),
    setting="The network is a ResNet or ResNeXt with hidden representations $H^l$.",
    clauses=(
        Clause(
            r"Moderate $\kappa(H^l)$ and $\kappa(W^l)$ make $\kappa(\Delta^l)$ and $\kappa(\Delta W^l)$ moderate. No "
            "training cost is named: read for every cost $E$.",
            {**_SIZES, "C": 1},
            hypotheses=_PRINTED_RESIDUAL,
            reading=REGULAR_SENSE,
            counterexample=Counterexample(
                instance=_RESNETS,
                sentence="With softmax cross-entropy on two classes every error gradient and every update has rank one, in a "
                "ResNet and in a ResNeXt with the same maps: the columns of $Y - P$ sum to zero. So it is for all "
                "weights and data, in either sense of the word.",
                latex=r"I + W^l = \operatorname{diag}(-1, 2),\ \operatorname{diag}(-1, \tfrac12),\ \ldots,\ X = \log 2 \cdot I,\ Y = I: \quad "
                r"\Delta^L = \tfrac13 \begin{pmatrix} 1 & -1 \\ -1 & 1 \end{pmatrix}",
                routes=(
                    _RANK_ONE,
                    replace(
                        _RANK_ONE,
                        title="Determinants of the derivatives of the cost, entry by entry",
                        compute=_residual_derivatives,
                        claim=_of_rank(1, "ResNet", "ResNeXt"),
                        neighbours={
                            PRINTED: _of_rank(2, "ResNet", "ResNeXt"),
                            "all of them vanish": _of_rank(0, "ResNet", "ResNeXt"),
                        },
                    ),
                ),
                picture=lambda nets: columns_on_lines(
                    nets[0].signals(),
                    "The two columns of an error gradient lie on one line through zero, in the ResNet: rank one.",
                ),
                show=lambda nets: (
                    f"{_RESNETS_SIZE}; W^l = diag(-2, 1), diag(-2, -1/2) in turn, or two branches of half of it; X = log 2 I, Y = I, "
                    "cross-entropy"
                ),
            ),
            repair=Repair(
                latex=r"\operatorname{rank} \Delta W^l \le \operatorname{rank} \Delta^L \le C - 1, \qquad "
                r"\kappa(\Delta W^l) \le \kappa(\Delta^L X^{\mathsf T}) \prod_{k \ne l} \frac{1 + w_k}{1 - w_k}",
                arguments=(),
                clauses=(
                    Clause(
                        "With softmax cross-entropy on $C$ classes no hidden gradient has a rank above $C - 1$.",
                        {**_SIZES, "C": 1},
                        (
                            RANKS,
                            Argument(
                                "Cross-entropy does not change when all logits are shifted",
                                "identity",
                                _shift,
                                {"l": "0", "l without y^T f": "Y*t"},
                                {
                                    r"without the term $y^{\mathsf T} f$ neither": {"l": "0", "l without y^T f": "0"},
                                    "it grows with the shift": {"l": "Y*t", "l without y^T f": "Y*t"},
                                },
                                explanation=r"The derivative along the vector of ones vanishes: $\mathbf 1^{\mathsf T} (Y - P) = 0$, for targets of any sum.",
                            ),
                            Argument(
                                r"A matrix with $\mathbf 1^{\mathsf T} \Delta = 0$ is a product through a singular $C \times C$ matrix",
                                "identity",
                                _projections,
                                _PROJECTIONS,
                                {
                                    "the projection is nonsingular": {**_PROJECTIONS, "(1 - e o) e": False},
                                    "it kills every matrix": {**_PROJECTIONS, "(1 - e o) Z": True},
                                },
                                explanation=r"$o = \mathbf 1^{\mathsf T}$, $o e = 1$. From $o \Delta = 0$ follows "
                                r"$\Delta = (1 - e o) \Delta$, and $1 - e o$ maps $e$ to zero, so its rank is at most "
                                "$C - 1$; the hidden gradients are products with it.",
                            ),
                            Argument(
                                "Residual networks with a head, exactly",
                                "explicit",
                                _headed_ranks,
                                lambda classes, width, samples: min(classes - 1, width, samples),
                                {
                                    "the smaller of $C$, $d$ and $N$": min,
                                    "full rank": lambda classes, width, samples: width,
                                    "$C - 2$": lambda classes, width, samples: min(classes - 2, width, samples),
                                },
                                _attains,
                                explanation="The bound $C - 1$ is attained.",
                            ),
                        ),
                    ),
                    Clause(
                        r"$\Delta^l$ has the rank of $\Delta^L$ and the update that of $\Delta^L X^{\mathsf T}$, where "
                        r"the maps are nonsingular; where $\lvert W^k\rvert_2 \le w_k < 1$, condition numbers change by a "
                        r"factor of at most $\prod (1 + w_k)/(1 - w_k)$ over the other layers.",
                        _SIZES,
                        (KEPT, PRODUCT_BOUNDS, VARIED_INSTANCES, SQUARED_RANKS),
                    ),
                ),
                changes=(
                    Change(
                        "the error gradient, Delta^l, is non-singular",
                        r"$\Delta^l$ has the rank of $\Delta^L$",
                        r"It depends on the cost, through $\Delta^L$ and $\Delta^L X^{\mathsf T}$: where these are nonsingular, or well conditioned, and the maps are, so are the gradients. With softmax cross-entropy on $C \le d$ classes no update is nonsingular.",
                    ),
                    Change(
                        "weights updates",
                        r"the update that of $\Delta^L X^{\mathsf T}$",
                    ),
                ),
            ),
            other_readings=(
                GRANTED_23,
                Clause(
                    "The same for the squared cost alone.",
                    _SIZES,
                    hypotheses=_PRINTED_RESIDUAL,
                    counterexample=Counterexample(
                        instance=_TILTED,
                        sentence=r"The same layers and $X = I$, with $Y = f(X) + \mathrm{diag}(1, 10^{-9})$: "
                        r"$\Delta^L = \mathrm{diag}(1, 10^{-9})$, and every error gradient and every update has a "
                        "condition number above $10^6$.",
                        latex=r"Y = f(X) + \operatorname{diag}(1, 10^{-9}): \quad \kappa(\Delta^L) = 10^9",
                        routes=(
                            _ILL_CONDITIONED,
                            replace(
                                _ILL_CONDITIONED,
                                title="Condition numbers of the derivatives of the cost, entry by entry",
                                compute=_tilted_derivatives,
                            ),
                        ),
                        picture=lambda nets: conditions_by_layer(
                            nets[0].hidden()[1:],
                            nets[0].signals(),
                            "The hidden representations of the ResNet are well conditioned, its error gradients are not.",
                        ),
                        show=lambda nets: (
                            f"{_RESNETS_SIZE}; the same layers, X = I, Y = f(X) + diag(1, 10^-9), squared cost"
                        ),
                    ),
                ),
                Clause(
                    r"By rank, for the squared cost and $N \ge n$ samples, where $X$ and the maps $I + W^l$ have full "
                    r"rank: so have $\Delta^l$ and $\Delta W^l$.",
                    _SIZES,
                    (KEPT, SQUARED_RANKS),
                    reading=SOLVED,
                ),
            ),
        ),
        WEIGHTS,
    ),
    evidence=(
        Argument(
            "Singular values of 600 hidden gradients of a deep residual network",
            "floating point",
            _deep_gradients,
            lambda classes: classes - 1,
            {
                PRINTED: lambda classes: _WIDTH,
                r"$\mathrm{rank}\, C$": lambda classes: classes,
                r"$\mathrm{rank}\, C - 2$": lambda classes: classes - 2,
            },
            _numerical_rank,
            explanation="2-shortcut linear units of width 16 with a head on the ten digits, cross-entropy.",
            deep=True,
        ),
    ),
    notes="The networks are linear, as in the paper; units with activations have Jacobians that differ between samples, so "
    "that the bound holds for their last layer only. The text names no cost, and softmax nowhere: that accuracies of "
    "classification are reported suggests cross-entropy, which is therefore an assumption. With $N > n$ samples "
    r"$\Delta^l$ and $H^{l-1}$ may have full rank while the update has not (Lemma 3 by ranks). Equation 26 is granted the last clause, as "
    "in RS-R4: where weights are about the updates of the counterexample, their "
    r"$\kappa$ is great.",
)

STATEMENTS = (R5,)
