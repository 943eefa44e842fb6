"""Rethinking skip connections, Remarks 4 to 6: when the gradients of plain and of residual networks are singular.

Linear networks, -dE/dW^l = Delta^l (H^{l-1})^T (RS-D3). The rank of a product is at most every inner width of it: a
path of index contractions from row to column through a dimension q shows that the rank is at most q.

Data are multiples of t = log 2 where the cost is cross-entropy: then exp(k t) = 2^k, softmax is rational, and the ranks
of multiples of t are those of rational matrices.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

from resproof.architectures.catalogue import n_shortcut, plain
from resproof.architectures.dimensions import Dimension
from resproof.architectures.forms.terms import COLUMN, ROW, Opaque
from resproof.architectures.losses import squared
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.changes import Change
from resproof.proofs.rethinking_skips.condition_of_products import CONDITION_FACTORS, LAYER_BOUNDS, POWERS
from resproof.proofs.rethinking_skips.depth_products import sum_squared
from resproof.proofs.rethinking_skips.documents import source
from resproof.proofs.rethinking_skips.error_signals import SIGNAL, weight_gradients
from resproof.proofs.rethinking_skips.growth_of_products import ORTHOGONAL
from resproof.proofs.rethinking_skips.independent_layers import ALMOST_SURE, RANDOM
from resproof.proofs.rethinking_skips.joint_families import turned
from resproof.proofs.rethinking_skips.pictures import conditions_by_layer
from resproof.proofs.rethinking_skips.plain_products import CONDITION_SENSE
from resproof.proofs.rethinking_skips.singular_products import INVERSES, KAPPA_PAIRS
from resproof.proofs.routes.certificates import certified
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
    Property,
    Repair,
    Sense,
    Statement,
)
from resproof.proofs.theory.linear_networks import minus
from resproof.symbolic.algebra.matrices import Matrix, add, determinant, eye, matrix, multiply, rank, scale, transpose
from resproof.symbolic.algebra.noncommutative import modulo, words
from resproof.symbolic.algebra.noncommutative import product as word_product
from resproof.symbolic.algebra.noncommutative import show as show_words
from resproof.symbolic.algebra.noncommutative import sizes as sizes_of_words
from resproof.symbolic.algebra.toeplitz import squared_condition
from resproof.symbolic.certificates import Element, Orthant, orthant
from resproof.symbolic.index import sizes
from resproof.symbolic.index.claims import parse, vocabulary
from resproof.symbolic.index.series import Sum, substitute
from resproof.symbolic.index.widths import inner_widths
from resproof.symbolic.scope import Scope

# Ranks from the form of the gradient, for all sizes.


def _rank_bounds(_: Context) -> Computed:
    """The inner widths of every gradient of a plain layer, a 1-shortcut and a 2-shortcut unit.

    The signal is factored as A^T E F: A the later layers and the head, C x d, E F of inner width q; the input, the
    output of the layers before, as G K of inner width r.
    """
    found, sums = dict[tuple[str, str, str], frozenset[Dimension] | None](), list[Sum]()
    for name, block in (("plain", plain), ("1-shortcut", lambda: n_shortcut(1)), ("2-shortcut", lambda: n_shortcut(2))):
        unit = ResidualUnit(block())
        known = vocabulary(unit, squared) | {
            "A": Opaque("A", ("C", "d")),
            "E": Opaque("E", ("C", "q")),
            "F": Opaque("F", ("q", "m")),
            "G": Opaque("G", ("d", "r")),
            "K": Opaque("K", ("r", "m")),
        }
        # Sums whose free indices are the slots (-1, -2) of the tensor that they replace.
        signal = parse("A[c,i] * E[c,s] * F[s,u]", known, {"i": ROW, "u": COLUMN})
        stream = parse("G[i,s] * K[s,u]", known, {"i": ROW, "u": COLUMN})
        for weight, value in weight_gradients(unit, list(unit.names.values())).items():
            through_q = substitute(value, SIGNAL, signal)
            through_r = substitute(value, known["X"], stream)
            found[name, weight, "signal"] = inner_widths(through_q)
            found[name, weight, "input"] = inner_widths(through_r)
            sums += (through_q, through_r)
    shown = r"\operatorname{rank} \Delta^l (H^{l-1})^{\mathsf T} \le \min(\operatorname{rank} \Delta^l, \operatorname{rank} H^{l-1})"
    return Computed(found, sizes.of_terms(*sums, products={"A": "L", "G": "l"}), shown)


def _widths(*names: Dimension) -> frozenset[Dimension]:
    return frozenset(names)


_RANK_BOUNDS = {
    ("plain", "W1", "signal"): _widths("C", "q", "m"),
    ("plain", "W1", "input"): _widths("m", "r"),
    ("1-shortcut", "W1", "signal"): _widths("C", "q", "m"),
    ("1-shortcut", "W1", "input"): _widths("m", "r"),
    ("2-shortcut", "W1", "signal"): _widths("d", "C", "q", "m"),
    ("2-shortcut", "W1", "input"): _widths("d", "m", "r"),
    ("2-shortcut", "W2", "signal"): _widths("C", "q", "m", "d"),
    ("2-shortcut", "W2", "input"): _widths("m", "r", "d"),
}

RANKS = Argument(
    "Inner widths of the gradient",
    "index notation",
    _rank_bounds,
    _RANK_BOUNDS,
    {
        "the shortcut leads around $q$": {**_RANK_BOUNDS, ("1-shortcut", "W1", "signal"): _widths("C", "m")},
        "the shortcut leads around $r$": {**_RANK_BOUNDS, ("1-shortcut", "W1", "input"): _widths("m")},
        "the inner layer does not see $q$": {**_RANK_BOUNDS, ("2-shortcut", "W1", "signal"): _widths("d", "C", "m")},
    },
    explanation=r"A matrix of rank $k$ is a product of inner width $k$. With $\mathrm{rank}(\Delta) = q$ or $\mathrm{rank}(H) = r$ "
    "the gradient is a product through a dimension $q$ or $r$, whatever the other factors are.",
)


# Small networks, exactly.


@dataclass(frozen=True, slots=True)
class LinearNet:
    """Layers of branches: W^l h, or h + sum_k W^{l,k} h with a shortcut; a head, the identity where it is None; N samples.

    The cost is |Y - f|^2 / 2, or cross-entropy with data t X, t = log 2.
    """

    layers: tuple[tuple[Matrix, ...], ...]
    x: Matrix
    y: Matrix
    shortcut: bool = False
    softmax: bool = False
    head: Matrix | None = None

    def maps(self) -> list[Matrix]:
        """I + sum_k W^{l,k}, or W^l."""
        sums = [add(*branches) for branches in self.layers]
        return [add(eye(len(s)), s) for s in sums] if self.shortcut else sums

    def hidden(self) -> list[Matrix]:
        """H^0, ..., H^L, in units of t where the cost is cross-entropy."""
        found = [self.x]
        for step in self.maps():
            found.append(multiply(step, found[-1]))
        return found

    def signal(self) -> Matrix:
        """Minus the derivative of the cost by the head's output."""
        output = self.hidden()[-1]
        if self.head is not None:
            output = multiply(self.head, output)
        return minus(self.y, _softmax(output) if self.softmax else output)

    def signals(self) -> list[Matrix]:
        """Delta^1, ..., Delta^L."""
        last = self.signal()
        found = [last if self.head is None else multiply(transpose(self.head), last)]
        for step in reversed(self.maps()[1:]):
            found.append(multiply(transpose(step), found[-1]))
        return found[::-1]

    def updates(self) -> list[Matrix]:
        """-dE/dW^{l,k}, the same for every branch k."""
        return [multiply(d, transpose(h)) for d, h in zip(self.signals(), self.hidden(), strict=False)]

    def with_residual(self, residual: Matrix) -> LinearNet:
        """The same layers without a head, with Y = f(X) + residual."""
        return replace(self, y=add(self.hidden()[-1], residual))


def _softmax(logits: Matrix) -> Matrix:
    """Softmax of log 2 times whole numbers, column by column."""
    powers = [[Fraction(2) ** int(value) for value in column] for column in transpose(logits)]
    return transpose(tuple(tuple(e / sum(column) for e in column) for column in powers))


def diagonal(*values: int | Fraction) -> Matrix:
    """The diagonal matrix with these entries."""
    return matrix([[Fraction(v) if i == j else Fraction(0) for j in range(len(values))] for i, v in enumerate(values)])


def singular(a: Matrix) -> bool:
    """Whether the determinant of a square matrix vanishes."""
    return determinant(a) == 0


# RS-R4: the counterexample.

_DEPTH, _RATE, _GREATER = 110, Fraction(1, 10), Fraction(1001, 1000)


_COLLAPSED = LinearNet(((diagonal(_GREATER, 1),),) * _DEPTH, diagonal(1, 0), add(diagonal(_GREATER**_DEPTH, 0), eye(2)))
_COLLAPSED_SIZE = f"n=N=2, L={_DEPTH}"


_LEAST, _MODERATE = Fraction(9, 8), Fraction(9, 4)


def squared_frobenius(a: Matrix) -> Fraction:
    """|a|_F^2."""
    return sum((v * v for row in a for v in row), Fraction(0))


def kappa_beyond(a: Matrix, limit: Fraction) -> Fraction:
    """Of the sign of kappa - limit for a 2 x 2 matrix that is not zero: kappa + 1/kappa = |a|_F^2 / |det a|."""
    return squared_frobenius(a) - (limit + 1 / limit) * abs(determinant(a))


def _well_conditioned(a: Matrix, limit: Fraction = _LEAST) -> int:
    """1 if kappa < limit, else 0."""
    return int(kappa_beyond(a, limit) < 0)


def _after_a_step(net: LinearNet) -> list[Matrix]:
    """The weights of all layers, of one branch each, after a step of gradient descent."""
    return [add(w, scale(_RATE, update)) for (w,), update in zip(net.layers, net.updates(), strict=True)]


def _ranks_by_formula(_: Context) -> Computed:
    """The ranks over all layers of the error signals, the updates and the weights after a step."""
    found = {
        "Delta": {rank(a) for a in _COLLAPSED.signals()},
        _CONDITION: {_well_conditioned(a) for a in _COLLAPSED.signals()},
        "update": {rank(a) for a in _COLLAPSED.updates()},
        "weights": {rank(a) for a in _after_a_step(_COLLAPSED)},
    }
    return Computed(found, Scope.of(_COLLAPSED_SIZE))


def _cost(weights: Sequence[Matrix], hidden: Matrix, target: Matrix) -> Fraction:
    output = hidden
    for w in weights:
        output = multiply(w, output)
    return squared_frobenius(minus(target, output)) / 2


def nudged(a: Matrix, i: int, j: int, by: int) -> Matrix:
    """The matrix with one entry larger by a whole number."""
    return tuple(tuple(v + by * ((p, q) == (i, j)) for q, v in enumerate(row)) for p, row in enumerate(a))


def _by_differences(net: LinearNet, layer: int) -> tuple[Matrix, Matrix, Matrix]:
    """Delta^l, the update of W^l and W^l after a step, by central differences, exact for a cost of degree two in each entry."""
    weights, hidden = [w for (w,) in net.layers], net.hidden()
    before, w, later = hidden[layer - 1], weights[layer - 1], weights[layer:]
    signal = _descent(lambda a: _cost(later, a, net.y), hidden[layer])
    update = _descent(lambda a: _cost([a, *later], before, net.y), w)
    return signal, update, add(w, scale(_RATE, update))


def _ranks_by_differences(_: Context) -> Computed:
    """The same at three layers by central differences."""
    found: dict[str, set[int]] = {"Delta": set(), _CONDITION: set(), "update": set(), "weights": set()}
    for layer in (1, _DEPTH // 2, _DEPTH):
        signal, update, after = _by_differences(_COLLAPSED, layer)
        found["Delta"].add(2 - singular(signal))
        found[_CONDITION].add(_well_conditioned(signal))
        found["update"].add((2 - singular(update)) if any(any(row) for row in update) else 0)
        found["weights"].add(2 - singular(after))
    return Computed(found, Scope.of(_COLLAPSED_SIZE))


def _descent(cost: Callable[[Matrix], Fraction], at: Matrix) -> Matrix:
    return matrix([[(cost(nudged(at, i, j, -1)) - cost(nudged(at, i, j, 1))) / 2 for j in range(2)] for i in range(2)])


_CONDITION = "kappa(Delta) < 9/8"
_TRUE_RANKS = {"Delta": {2}, _CONDITION: {1}, "update": {1}, "weights": {2}}


@property_of({"Delta": {0, 1}}, not_of=[{"Delta": {1, 2}}])
def _singular_signals(found: Mapping[str, set[int]]) -> bool:
    return all(value < 2 for value in found["Delta"])


@property_of({"weights": {0, 1}}, not_of=[{"weights": {1, 2}}])
def _singular_weights(found: Mapping[str, set[int]]) -> bool:
    return all(value < 2 for value in found["weights"])


def _rank_routes(printed: Property) -> tuple[Argument, Argument]:
    return (
        Argument(
            "Ranks from the recursion, all layers",
            "instance",
            _ranks_by_formula,
            _TRUE_RANKS,
            {PRINTED: printed, "the update is nonsingular": {**_TRUE_RANKS, "update": {2}}},
            matches,
        ),
        Argument(
            "Determinants of derivatives by central differences, three layers",
            "instance",
            _ranks_by_differences,
            _TRUE_RANKS,
            {PRINTED: printed, "the update vanishes": {**_TRUE_RANKS, "update": {0}}},
            matches,
        ),
    )


# RS-R4 by condition numbers: X = Y = I and weights diag(1/2, 1/4).

_FADING = LinearNet(((diagonal(Fraction(1, 2), Fraction(1, 4)),),) * _DEPTH, eye(2), eye(2))
_BEGIN, _SHOWN = 20, (55, 100, _DEPTH - 1)
"""Layers that are connected to a layer above, as in Equation 23."""


def _grade(a: Matrix) -> str:
    """Whether kappa of a 2 x 2 matrix is below 9/4, below 10^6, or neither."""
    if _well_conditioned(a, _MODERATE):
        return "below 9/4"
    return "great" if ill_conditioned(a) else "between"


def ill_conditioned(a: Matrix) -> bool:
    """Whether kappa of a 2 x 2 matrix is 10^6 or more."""
    return kappa_beyond(a, Fraction(10**6)) >= 0


def _grades_by_formula(_: Context) -> Computed:
    """How great kappa(Delta^l) is in the middle, ten layers and one below the top; and of the weights after a step."""
    signals = _FADING.signals()
    found = {layer: _grade(signals[layer - 1]) for layer in _SHOWN}
    return Computed((found, {_grade(w) for w in _after_a_step(_FADING)}), Scope.of(_COLLAPSED_SIZE))


def _grades_by_differences(_: Context) -> Computed:
    """The same from central differences of the cost."""
    found, grades = dict[int, str](), set[str]()
    for layer in _SHOWN:
        signal, _update, after = _by_differences(_FADING, layer)
        found[layer] = _grade(signal)
        grades.add(_grade(after))
    return Computed((found, grades), Scope.of(_COLLAPSED_SIZE))


_GRADES = ({55: "great", 100: "between", _DEPTH - 1: "below 9/4"}, {"below 9/4"})


@property_of(({55: "great"}, {"between"}), not_of=[({55: "great", 100: "between"}, {"great"})])
def _great_signals(found: tuple[Mapping[int, str], set[str]]) -> bool:
    return set(found[0].values()) == {"great"}


@property_of(({55: "between"}, {"great"}), not_of=[({55: "great"}, {"great", "between"})])
def _great_weights(found: tuple[Mapping[int, str], set[str]]) -> bool:
    return found[1] == {"great"}


def _grade_routes(printed: Property) -> tuple[Argument, Argument]:
    return (
        Argument(
            "Condition numbers from the recursion",
            "instance",
            _grades_by_formula,
            _GRADES,
            {
                PRINTED: printed,
                "moderate everywhere": ({**_GRADES[0], 55: "between"}, _GRADES[1]),
            },
            matches,
        ),
        Argument(
            "Condition numbers of derivatives by central differences",
            "instance",
            _grades_by_differences,
            _GRADES,
            {PRINTED: printed, "the weights are worse": (_GRADES[0], {"between"})},
            matches,
        ),
    )


_LATER = replace(
    CONDITION_FACTORS,
    title=r"$\kappa(\Delta^l)$ and $\kappa$ of the later layers within $\kappa(V)^2 \kappa(\Delta^L)$ of each other",
    explanation=r"$\Delta^l = (W^{l+1})^{\mathsf T} \cdots (W^L)^{\mathsf T} \Delta^L$ (RS-D3): the transposed layers have the "
    r"eigenvectors of $V^{-T}$, of the condition number of $V$, and $\Delta^L$ stands where $X$ did; $D$ are the products "
    r"over the layers behind $l$. So $\kappa(\Delta^l)$ is that of the layers behind $l$, $\kappa(H^l)$ that of those before.",
)


def _later_instances(_: Context) -> Computed:
    """kappa^2 of Delta^l and of H^l in a network of six layers with orthogonal eigenvectors, X = I, Delta^L = I."""
    layer = multiply(multiply(turned(), diagonal(2, 1)), transpose(turned()))
    net = LinearNet(((layer,),) * 6, eye(2), eye(2)).with_residual(eye(2))
    pairs = zip(net.signals(), net.hidden()[1:], strict=True)
    found = {k: tuple(squared_kappa(a) for a in pair) for k, pair in enumerate(pairs, 1)}
    return Computed(found, Scope.of("d=2, L=6, l=1..6"))


def squared_kappa(a: Matrix) -> Fraction:
    """kappa^2 where it is rational."""
    square = squared_condition(a)
    assert square is not None
    assert square.low == square.high
    return square.low


def _of_both(found: Mapping[int, tuple[Fraction, Fraction]], claim: Callable[[int], tuple[int, int]]) -> None:
    for layer, (signal, hidden) in found.items():
        if (signal, hidden) != tuple(Fraction(4) ** k for k in claim(layer)):
            raise Disagreement(f"layer {layer}: kappa^2 is {signal} for Delta, {hidden} for H")


LATER = (
    _LATER,
    Argument(
        "Six layers of rate 2",
        "explicit",
        _later_instances,
        lambda layer: (6 - layer, layer),
        {"as for $H$": lambda layer: (layer, layer), "the same everywhere": lambda layer: (6, 6)},
        _of_both,
    ),
)


# The update by condition numbers.


def _update_in_the_basis(_: Context) -> Computed:
    """V^T (V P V^T Delta) (V Q V^T X)^T V for orthogonal V."""
    update = word_product(words("V P V' S T V Q V'"))
    found = modulo(word_product(words("V'"), update, words("V")), {"V' V": "", "V V'": ""})
    shapes = {**dict.fromkeys(("V", "V'", "P", "Q"), ("d", "d")), "S": ("d", "m"), "T": ("m", "d")}
    shown = r"V^{\mathsf T}\,\Delta W^l\,V = P M Q, \qquad M = V^{\mathsf T} \Delta^L X^{\mathsf T} V"
    return Computed(show_words(found), sizes_of_words(shapes, update, products={"P": "L", "Q": "l"}), shown)


def first_entry(net: LinearNet) -> Fraction:
    """|m_11|^d / |det M| for M = Delta^L X^T, V = I."""
    m = multiply(net.signals()[-1], transpose(net.x))
    return abs(m[0][0]) ** len(m) / abs(determinant(m))


def _update_instances(_: Context) -> Computed:
    """kappa^2 of every update in networks of four layers, and what the bound is made of; V = I, or X = Y = I as well."""
    found = []
    for d, x, y in (
        (2, matrix([[1, 2], [1, -1]]), matrix([[1, 0], [3, 1]])),
        (3, matrix([[1, 0, 1], [2, 1, 0], [0, 1, 1]]), matrix([[2, 0, 1], [1, 1, 0], [0, 3, 1]])),
        (2, eye(2), eye(2)),
        (3, eye(3), eye(3)),
    ):
        rates = [Fraction(k, 8) for k in (4, 1, -1)[:d]]
        net = LinearNet(((diagonal(*rates),),) * 4, x, y)
        ratio = math.prod(abs(rates[0] / rate) for rate in rates[1:])
        squares = [squared_condition(one) for one in net.updates()]
        found.append((d, first_entry(net), ratio, squares, x == y))
    return Computed(found, Scope.of("d=2, 3, L=4, l=1..4"))


def _bounded_below(found: Sequence[Any], claim: Callable[[int, Fraction, Fraction], tuple[Fraction, int]]) -> None:
    """Pass when kappa to the second number is at least the first, and equal to it where X = Y = I.

    There Delta^L is diagonal, its entries from the second on of one modulus.

    Raises:
        Disagreement: it is certainly not.
    """
    for d, start, ratio, squares, attained in found:
        bound, power = claim(d, start, ratio)
        for one in squares:
            if one.high**power < bound**2 or (attained and one.low**power > bound**2):
                raise Disagreement(
                    f"d={d}: kappa^{power} is below {float(bound):.4g}, or greater where it should attain it"
                )


UPDATES = (
    Argument(
        "The update in the eigenbasis",
        "identity",
        _update_in_the_basis,
        "+1 P V' S T V Q",
        {"the data behind": "+1 P Q V' S T V", "without the later layers": "+1 V' S T V Q"},
        explanation=r"$P$ and $Q$ are the products over the layers above $l$ and below, $S = \Delta^L$, $T = X^{\mathsf T}$.",
    ),
    POWERS,
    Argument(
        "Updates of exact networks",
        "explicit",
        _update_instances,
        lambda d, start, ratio: (start * ratio**3, d - 1),
        {
            "its own layer counts too": lambda d, start, ratio: (start * ratio**4, d - 1),
            r"$\kappa$ itself": lambda d, start, ratio: (start * ratio**3, 1),
        },
        _bounded_below,
    ),
)


def _tuned(depth: int = _DEPTH) -> LinearNet:
    """W^l = diag(2, 1), X = I and Delta^L = diag(2^(1 - L), 1), L = 110."""
    y = add(diagonal(2**depth, 1), diagonal(Fraction(1, 2 ** (depth - 1)), 1))
    return LinearNet(((diagonal(2, 1),),) * depth, eye(2), y)


def _tuned_updates(_: Context) -> Computed:
    return Computed(set(_tuned().updates()), Scope.of(_COLLAPSED_SIZE), r"\Delta W^l = I")


NOT_TUNED = Hypothesis(
    r"$\lvert m_{11}\rvert^d / \lvert\det M\rvert$ for $M = V^{\mathsf T} \Delta^L X^{\mathsf T} V$ stays above a "
    "positive number as the depth grows",
    lambda net: first_entry(net) >= Fraction(1, 2**19),
    fails_on=_tuned(21),
    holds_on=_tuned(20),
    printed=False,
    needed=Argument(
        "Data tuned to the depth: every update is the identity",
        "instance",
        _tuned_updates,
        {eye(2)},
        {
            PRINTED: property_of({diagonal(10**6, 1)}, not_of=[{diagonal(10**6 - 1, 1)}])(
                lambda found: all(map(ill_conditioned, found))
            ),
            "twice the identity": {scale(2, eye(2))},
        },
        matches,
        explanation=r"$\kappa(H^l) = 2^l$ all the same. The (1, 1) entry of $\Delta^L X^{\mathsf T}$ is $2^{1 - L}$.",
    ),
)


def _only_updates(_: Context) -> Computed:
    """Ranks of Delta^1 and of the update of W^1 for small plain networks with given ranks of H^0 and of Delta^L."""
    found = dict[tuple[int, int], tuple[int, int]]()
    for r, q in product(range(4), repeat=2):
        x, signal = diagonal(*[int(i < r) for i in range(3)]), diagonal(*[int(i >= 3 - q) for i in range(3)])
        mixing = matrix([[1, 2, 0], [0, 1, 3], [1, 0, 1]])
        net = LinearNet(((mixing,), (mixing,)), multiply(mixing, x), signal).with_residual(signal)
        found[r, q] = (rank(net.signals()[0]), rank(net.updates()[0]))
    return Computed(found, Scope.of("n=N=3, L=2, ranks 0..3"))


def _within_ranks(found: Mapping[tuple[int, int], tuple[int, int]], claim: str) -> None:
    """Claims: "as repaired", "signal follows input", "equality" (the update attains both bounds), "the update keeps its rank".

    Raises:
        Disagreement: the ranks are not as claimed.
    """
    for (r, q), (signal, update) in found.items():
        good = {
            "as repaired": signal == q and update <= r and update <= q,
            "signal follows input": signal <= r,
            "equality": update in (r, q),
            "the update keeps its rank": update == q,
        }[claim]
        if not good:
            raise Disagreement(f"rank H = {r}, rank Delta^L = {q}: computed {(signal, update)}")


ONLY_UPDATES = Argument(
    "Plain networks with given ranks of the input and of the last signal",
    "explicit",
    _only_updates,
    "as repaired",
    {name: name for name in ("signal follows input", "equality", "the update keeps its rank")},
    _within_ranks,
)


def deep_and_dominated(net: LinearNet) -> bool:
    """Whether there are 100 layers or more, of 2 x 2 diagonal weights with the first entry the greater one."""
    weights = [w for branches in net.layers for w in branches]
    dominated = [w for w in weights if w[0][1] == w[1][0] == 0 and abs(w[0][0]) > abs(w[1][1])]
    return len(net.layers) >= 100 and dominated == weights


def has_nonsingular_weights(net: LinearNet) -> bool:
    """Whether no weight matrix is singular."""
    return not any(singular(w) for branches in net.layers for w in branches)


_DEEP_PLAIN = (
    Hypothesis(
        "$N = n$, so that the printed products are defined",
        lambda net: len(net.x) == len(net.x[0]),
        fails_on=replace(_COLLAPSED, x=matrix([[1, 0, 1], [0, 0, 0]])),
        quote="is of the form Delta^l = H(x)^l (W^{l+1} Delta^{l+1})",
        where="Definition 3",
    ),
    Hypothesis(
        r"the weights are jointly diagonalisable with $\lvert\lambda_1\rvert > \lvert\lambda_i\rvert$ in every layer, "
        r"$L \gg 1$",
        deep_and_dominated,
        fails_on=replace(_COLLAPSED, layers=_COLLAPSED.layers[:99]),
        holds_on=replace(_COLLAPSED, layers=_COLLAPSED.layers[:100]),
        quote="are assumed to be jointly diagonalizable ... L >> 1, ... s.t. |lambda_1^l| > |lambda_i^l| : 2 <= i <= n",
        where="Assumption 1, Theorem 1",
    ),
    Hypothesis(
        "the weights are nonsingular at the start (Corollary 1)",
        has_nonsingular_weights,
        fails_on=replace(_COLLAPSED, layers=((diagonal(1, 0),),)),
        quote="W^l is therefore guaranteed to be a non-singular matrix at the start of training",
        where="Corollary 1",
    ),
)
_SINGULAR_HIDDEN = Hypothesis(
    "$H^l$ is singular for every $l$ (Remark 1)",
    lambda net: all(singular(h) for h in net.hidden()),
    fails_on=replace(_COLLAPSED, x=eye(2), layers=(*_COLLAPSED.layers[:-1], (diagonal(1, 0),))),
    quote="Using Remark 1 that H(x)^l exhibits singularity",
    where="Remark 4",
)
_ILL_CONDITIONED_HIDDEN = Hypothesis(
    r"$\kappa(H^l) \gg 1$ for $l \gg 1$ (Remark 1)",
    lambda net: all(ill_conditioned(h) for h in net.hidden()[_BEGIN:]),
    # As ill as they become half-way, the others make good.
    fails_on=replace(
        _FADING, layers=(*_FADING.layers[::2], *((diagonal(Fraction(1, 4), Fraction(1, 2)),),) * (_DEPTH // 2))
    ),
    quote="Using Remark 1 that H(x)^l exhibits singularity",
    where="Remark 4",
)


def _shown_net(net: LinearNet) -> str:
    """A network of equal diagonal layers; the target with the output, where its digits would be too many."""
    (w,), rates = net.layers[0], [row[k] for k, row in enumerate(net.layers[0][0])]
    x, y = ([row[k] for k, row in enumerate(a)] for a in (net.x, net.y))
    powers = [f"({rate})^{_DEPTH}" if value else "0" for rate, value in zip(rates, x, strict=True)]
    missing = minus(net.y, net.hidden()[-1])
    output = f"f(X) + diag({missing[0][0]}, {missing[1][1]}), f(X) = diag({', '.join(powers)})"
    target = f"diag({y[0]}, {y[1]})" if len(str(y[0])) < 60 else output
    return f"{_COLLAPSED_SIZE}, W^l = diag({w[0][0]}, {w[1][1]}), X = diag({x[0]}, {x[1]}), Y = {target}, eta = {_RATE}"


_SIZES = {"L": 1, "l": 1, "d": 1, "m": 1}

# With Equation 23 granted as it is printed; and Equation 26, which weights may satisfy.


def _left_kernel(_: Context) -> Computed:
    """w Delta for Delta = H Z, Z = W^{l+1} Delta^{l+1}, and H = (1 - q w) G, the matrices that w kills, w q = 1."""
    printed = word_product(words("w"), words("1 - q w"), words("G Z"))
    right = word_product(words("w"), words("Z"))
    found = {"w H Z": show_words(modulo(printed, {"w q": ""})), "w Z": show_words(modulo(right, {"w q": ""}))}
    # H Z is defined for N = n alone.
    shapes = {"w": ("1", "d"), "q": ("d", "1"), "G": ("d", "d"), "Z": ("d", "d")}
    return Computed(found, sizes_of_words(shapes, printed), r"w H^l = 0 \implies w\, H^l (W^{l+1} \Delta^{l+1}) = 0")


_LEFT_KERNEL = {"w H Z": "0", "w Z": "+1 w Z"}


_NONSINGULAR = matrix([[1, 1, 0], [0, 2, 1], [3, 0, 1]]), matrix([[1, 2, 0], [0, 1, 3], [1, 0, 1]])


def products_of_each_rank(title: str, *, last: bool) -> Argument:
    """H (W D) with two nonsingular factors has the rank of the third, which is the first or the last one."""

    def ranks(_: Context) -> Computed:
        outer, w = _NONSINGULAR
        found = dict[int, int]()
        for r in range(4):
            third = diagonal(*[int(i < r) for i in range(3)])
            inner = multiply(w, third) if last else multiply(third, w)
            found[r] = rank(multiply(multiply(outer, inner), outer))
        return Computed(found, Scope.of("n=N=3, ranks 0..3"))

    falsehoods = {"full rank all the same": dict.fromkeys(range(4), 3)}
    return Argument(title, "explicit", ranks, {r: r for r in range(4)}, falsehoods)


_GRANTED_23 = Clause(
    r"With Equation 23 granted as it is printed, $\Delta^l = H^l (W^{l+1} \Delta^{l+1})$, which is false (RS-D3): by rank "
    r"$\Delta^l$ is singular where $H^l$ is, $N = n$.",
    {"d": 1},
    (
        Argument(
            r"A left null vector of $H^l$ is one of $\Delta^l$",
            "identity",
            _left_kernel,
            _LEFT_KERNEL,
            {
                r"without the factor $H^l$, too": {**_LEFT_KERNEL, "w Z": "0"},
                "it is lost": {**_LEFT_KERNEL, "w H Z": "+1 w G Z"},
            },
            explanation="$H = (1 - q w) G$ with $w q = 1$ are the matrices with $w H = 0$. By condition numbers nothing follows even so: "
            "Lemma 2 fails for them (RS-L2).",
        ),
        products_of_each_rank("Products with a first factor of each rank", last=False),
    ),
)


def _near_update(_: Context) -> Computed:
    """|W u|^2 for |D u| = s = sigma_min(D), |u| = 1, and |W - D| <= t |W|, with |W| = m, t and k = kappa(D) <= (1 + t) m / s."""
    o = orthant("m s", "y b z e")
    square, scope = sum_squared(o["s"], o["y"], 1 - o["e"])
    moved = o["y"] + o["b"]
    found = NearUpdate(o, square, o["m"], (o["m"] + moved) / (o["s"] + o["z"]), moved / o["m"])
    return Computed(found, scope, r"\frac{1}{\kappa(W)} \le \tau + \frac{1 + \tau}{\kappa(\Delta W)}")


class NearUpdate(NamedTuple):
    """sigma_min(W)^2 at most `square`, or at least that, |W|, kappa(Delta W) and tau."""

    space: Orthant
    square: Element
    norm: Element
    kappa: Element
    tau: Element


def _inverse_at_most(found: NearUpdate, claim: Callable[[Element, Element], Element]) -> None:
    bound = claim(found.kappa, found.tau) * found.norm
    found.space.at_least_zero("the bound", bound**2 - found.square)


def _near_updates(_: Context) -> Computed:
    """kappa(W)^2 for D = V diag(1 + t, (1 + t)/k) V^T and W - D = V diag(-t, t) V^T, t |W| = t."""
    found = {}
    for t, k in ((Fraction(1, 100), 1000), (Fraction(1, 10), 50), (Fraction(1, 2), 6)):
        w = diagonal(1, (1 + t) / k + t)
        found[t, k] = squared_kappa(multiply(multiply(turned(), w), transpose(turned())))
    return Computed(found, Scope.of("d=2, three pairs of tau and kappa"))


Bounds = Callable[[Any, Any], Any]


def is_attained(found: Mapping[tuple[Fraction, int], Fraction], claim: Bounds) -> None:
    """Pass when 1/kappa(W) is the claimed bound of kappa(Delta W) and tau.

    Raises:
        Disagreement: it is not.
    """
    for (t, k), square in found.items():
        if square * claim(k, t) ** 2 != 1:
            raise Disagreement(f"tau = {t}, kappa = {k}: kappa(W)^2 is {square}, not {1 / claim(k, t) ** 2}")


_OTHER_BOUNDS: Mapping[str, Bounds] = {
    r"$\tau$ alone": lambda k, t: t + 0 * k,
    r"$1/\kappa(\Delta W)$ alone": lambda k, t: 1 / k + 0 * t,
    "half of it": lambda k, t: (t + (1 + t) / k) / 2,
}


def _like_its_update(pair: tuple[Matrix, Matrix]) -> bool:
    """|W - Delta W| <= |W| / 50 for diagonal 2 x 2 matrices."""
    moved, whole = (max(abs(one[k][k]) for k in range(2)) for one in (minus(*pair), pair[0]))
    return 50 * moved <= whole


EQUATION_26 = Hypothesis(
    r"$\lvert W^l - \Delta W^l\rvert_2 \le \tau \lvert W^l\rvert_2$ with a small $\tau$ (Equation 26)",
    _like_its_update,
    fails_on=(_after_a_step(_FADING)[0], scale(_RATE, _FADING.updates()[0])),
    holds_on=(diagonal(1, Fraction(1, 25)), diagonal(Fraction(49, 50), Fraction(1, 50))),
    quote="W^l(t) ~ Delta W^l(t) : 1 <= t << T",
    where="Equation 26",
)

_NEAR_ITS_UPDATE = (
    Argument(
        "The least singular value moves by the norm of the difference at most",
        "inequality",
        _near_update,
        lambda k, t: t + (1 + t) / k,
        _OTHER_BOUNDS,
        certified(_inverse_at_most),
        explanation=r"$\sigma_{\min}(W) \le \sigma_{\min}(\Delta W) + \lvert W - \Delta W\rvert$, and $\kappa(\Delta W) "
        r"\sigma_{\min}(\Delta W) = \lvert\Delta W\rvert \le (1 + \tau) \lvert W\rvert$, in every dimension.",
    ),
    Argument(
        "Weights that attain it",
        "explicit",
        _near_updates,
        lambda k, t: t + (1 + t) / k,
        _OTHER_BOUNDS,
        is_attained,
    ),
)

SIGNALS_OF_R4 = Clause(
    r"Where $\kappa(H^l) \gg 1$, $\kappa(\Delta^l) \gg 1$: of the derivative of the cost by $H^l$, Equation 23 not being granted.",
    {"L": 1, "d": 1, "m": 1},
    hypotheses=(*_DEEP_PLAIN, _ILL_CONDITIONED_HIDDEN),
    reading=CONDITION_SENSE,
    counterexample=Counterexample(
        instance=_FADING,
        sentence=r"$\kappa(H^{L-1}) = 2^{L-1}$ and $\kappa(\Delta^{L-1}) < 9/4$, one layer below the top, where Equation 23 "
        r"applies. Where all $\lvert\lambda_i^l\rvert \le q < 1$, $\Delta^L = Y - H^L$ tends to $Y$. At layers in the "
        "middle both are great, as the Remark says.",
        latex=r"W^l = \operatorname{diag}(\tfrac12, \tfrac14),\ X = Y = I: \quad \kappa(H^l) = 2^l,\ \kappa(\Delta^{L-1}) \to 2",
        routes=_grade_routes(_great_signals),
        picture=lambda one: conditions_by_layer(
            one.hidden()[1:],
            one.signals(),
            "The hidden representations lose one direction, and the error gradients below the top too; at the top they are moderate.",
        ),
        show=_shown_net,
    ),
    repair=Repair(
        sentence=r"$\Delta^l = (W^{l+1})^{\mathsf T} \cdots (W^L)^{\mathsf T} \Delta^L$ contains $H^l$ through $\Delta^L$ alone: $\kappa(\Delta^l)$ "
        r"is $\max_i \prod_{k>l} \lvert\lambda_i^k\rvert / \min_i \prod_{k>l} \lvert\lambda_i^k\rvert$ up to the factors "
        r"$(\kappa(V)^2 \kappa(\Delta^L))^{\pm1}$, where $\Delta^L$ has rank $d$. "
        r"With the squared cost $\kappa(\Delta^L) \le \kappa(Y) (1 + c)/(1 - c)$ where "
        r"$\lvert Y^{-1} H^L\rvert_2 \le c < 1$.",
        latex=r"\kappa(\Delta^l) \simeq \max_i \prod_{k > l} |\lambda_i^k| \Big/ \min_i \prod_{k > l} |\lambda_i^k|",
        arguments=(*LATER, LAYER_BOUNDS, INVERSES, KAPPA_PAIRS),
        for_all={"L": 1, "d": 1, "m": 1},
        changes=(
            Change(
                "the error gradient estimate, Delta^l, is singular",
                r"$\Delta^l = (W^{l+1})^{\mathsf T} \cdots (W^L)^{\mathsf T} \Delta^L$ contains $H^l$ through $\Delta^L$ alone",
                r"What makes $\kappa(\Delta^l)$ great is the layers above $l$ and the last error signal.",
            ),
        ),
    ),
    other_readings=(
        _GRANTED_23,
        Clause(
            r"By rank: where $H^l$ is singular, $\Delta^l$ is.",
            _SIZES,
            hypotheses=(*_DEEP_PLAIN, _SINGULAR_HIDDEN),
            counterexample=Counterexample(
                instance=_COLLAPSED,
                sentence="$H^l$ has rank one at every layer, as $X$ has: with nonsingular weights there is no other way. Yet "
                "every error gradient has full rank and a condition number below 9/8.",
                latex=r"W^l = \operatorname{diag}(q, 1),\ q = \tfrac{1001}{1000},\ X = \operatorname{diag}(1, 0),\ Y = f(X) + I: \quad "
                r"\Delta^l = \operatorname{diag}(q^{L - l}, 1)",
                routes=_rank_routes(_singular_signals),
                picture=lambda one: conditions_by_layer(
                    one.hidden()[1:],
                    one.signals(),
                    "All error gradients have full rank, where every $H^l$ has rank one.",
                ),
                show=_shown_net,
            ),
            repair=Repair(
                sentence=r"The rank of $\Delta^l$ is at most that of $\Delta^L$ and of the later weights.",
                latex=r"\operatorname{rank} \Delta^l \le \operatorname{rank} \Delta^L",
                arguments=(RANKS, ONLY_UPDATES),
                for_all=_SIZES,
                changes=(
                    Change(
                        "the error gradient estimate, Delta^l, is singular",
                        r"The rank of $\Delta^l$ is at most that of $\Delta^L$ and of the later weights",
                        r"The rank is bounded by those of the last error signal and of the later weights; $\Delta^l$ contains $H^l$ through $\Delta^L$ alone.",
                    ),
                ),
            ),
        ),
    ),
)

_UPDATES_BY_CONDITION = Clause(
    "In the situation of Theorem 1 with random layers, independent and with one law, which is not printed, "
    r"$\kappa(\Delta W^l) \gg 1$ at every layer $l$: $\kappa(\Delta W^l)^{d-1} \ge \lvert m_{11}\rvert^d / \lvert\det "
    r"M\rvert \prod_{i\ge2} \prod_{k\ne l} \lvert\lambda_1^k / \lambda_i^k\rvert$, "
    r"$M = V^{\mathsf T} \Delta^L X^{\mathsf T} V$.",
    {"L": 1, "l": 1, "d": 2, "m": 1},
    (*UPDATES, *ALMOST_SURE),
    changes=(Change("Delta W^l in (24) is singular", r"$\kappa(\Delta W^l) \gg 1$ at every layer $l$"),),
    hypotheses=(ORTHOGONAL, *RANDOM, NOT_TUNED),
    reading=CONDITION_SENSE,
)

UPDATES_OF_R4 = Clause(
    r"Where $H^{l-1}$ is singular, by rank, $\Delta W^l$ is.",
    _SIZES,
    (RANKS, ONLY_UPDATES),
    other_readings=(_UPDATES_BY_CONDITION,),
)

_WEIGHTS_ALONE = Clause(
    r"$\kappa(W^l) \gg 1$ after the update, Equation 26 not being granted.",
    {"d": 1},
    hypotheses=(*_DEEP_PLAIN, _ILL_CONDITIONED_HIDDEN),
    reading=CONDITION_SENSE,
    counterexample=Counterexample(
        instance=_FADING,
        sentence="In every layer the weights after a step have a condition number of about 2.",
        latex=r"W^l = \operatorname{diag}(\tfrac12, \tfrac14),\ X = Y = I,\ \eta = \tfrac1{10}",
        routes=_grade_routes(_great_weights),
        picture=lambda one: conditions_by_layer(
            one.hidden()[1:],
            _after_a_step(one),
            "After a step the weights of every layer have a condition number of about 2, the hidden representations do not.",
            r"$\kappa(W^l)$ after the step",
        ),
        show=_shown_net,
    ),
    repair=Repair(
        sentence=r"If $\lvert(W^l)^{-1} \eta \Delta W^l\rvert_2 \le c < 1$, the condition number of the weights after the step is "
        r"at most $\kappa(W^l) (1 + c)/(1 - c)$.",
        latex=r"\kappa(W^l + \eta\,\Delta W^l) \le \kappa(W^l)\,\frac{1 + c}{1 - c}",
        arguments=(LAYER_BOUNDS, INVERSES, KAPPA_PAIRS),
        for_all={"d": 1},
        changes=(
            Change(
                "so is W^l in (26)",
                r"the condition number of the weights after the step is at most $\kappa(W^l) (1 + c)/(1 - c)$",
            ),
        ),
        beside=True,
    ),
)

_WEIGHTS_BY_RANK = Clause(
    "By rank: the weights are singular after the update.",
    {"d": 1},
    hypotheses=(*_DEEP_PLAIN, _SINGULAR_HIDDEN),
    counterexample=Counterexample(
        instance=_COLLAPSED,
        sentence="The weights after the step have full rank in every layer.",
        routes=_rank_routes(_singular_weights),
        picture=lambda one: conditions_by_layer(
            one.hidden()[1:],
            _after_a_step(one),
            "The condition number of the weights after the step: finite in every layer, where every $H^l$ has rank one.",
            r"$\kappa(W^l)$ after the step",
        ),
        show=_shown_net,
    ),
)

WEIGHTS_OF_R4 = Clause(
    r"Of the $W^l$ in Equation 26: $1/\kappa(W^l) \le \tau + (1 + \tau)/\kappa(\Delta W^l)$, so that $\kappa(W^l) \gg 1$ where "
    r"$\kappa(\Delta W^l) \gg 1$, and at least $1/\tau$ where $\Delta W^l$ is singular.",
    {"d": 1},
    _NEAR_ITS_UPDATE,
    hypotheses=(EQUATION_26,),
    reading=Sense(
        "singular: so is $W^l$ in (26)",
        r"$\kappa(W^l) \gg 1$ for a $W^l$ that is about $\Delta W^l$, as Equation 26 has it",
        "so is W^l in (26)",
        "Remark 4",
    ),
    other_readings=(_WEIGHTS_ALONE, _WEIGHTS_BY_RANK),
)

R4 = Statement(
    id="RS-R4",
    title="The gradients of deep plain networks are singular: concluded from Equation 23, which is false, and Equation 26",
    source=source(
        "Remark 4",
        "it can be concluded from (23) that the error gradient estimate, Delta^l, is singular. Subsequently, via a similar argument, Delta W^l in (24) is singular, and so is W^l in (26)",
    ),
    latex=r"H^l \text{ singular} \implies \Delta^l,\ \Delta W^l,\ W^l \text{ singular}",
    uses=("RS-D3", "RS-L2", "RS-L3", "EX-7"),
    setting="The network is a PlainNet with hidden representations $H^l$.",
    clauses=(SIGNALS_OF_R4, UPDATES_OF_R4, WEIGHTS_OF_R4),
    notes="The remark concludes from Equations 23 and 26. Weights may satisfy Equation 26, so its last clause is granted it, as both "
    "others are granted Remark 1; that weights at the start of training do not is counted in EX-7, and without it the clause fails, as "
    "another reading of it shows. Equation 23 is no condition but a false formula for $\\Delta^l$ (RS-D3): the first clause is judged of the "
    "derivative of the cost, and that the formula would give it by rank is another reading. The squared cost is "
    r"used: $M = (Y - f(X)) X^{\mathsf T}$. Where all $\lvert\lambda_i^l\rvert \le q < 1$, it tends to $Y X^{\mathsf T}$, "
    r"so that $\lvert m_{11}\rvert^d / \lvert\det M\rvert$ tends to zero only if "
    r"$(V^{\mathsf T} Y X^{\mathsf T} V)_{11} = 0$.",
)

STATEMENTS = (R4,)
