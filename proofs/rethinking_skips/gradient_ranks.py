"""Rethinking skip connections, Remarks 4 to 6: when the gradients of plain and of residual networks are singular.

Linear networks, -dE/dW^l = Delta^l (H^{l-1})^T (RS-D3). The rank of a product is at most every inner width of it: a
path of index contractions from row to column through a dimension q shows that the rank is at most q.

Data are multiples of t = log 2 where the cost is cross-entropy: then exp(k t) = 2^k, softmax is rational, and the ranks
of multiples of t are those of rational matrices.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

from architectures.catalogue import n_shortcut, plain
from architectures.expressions import Dimension
from architectures.losses import squared
from architectures.networks import ResidualUnit
from architectures.terms import COLUMN, ROW, SAMPLE, Opaque
from proofs.documents import source
from proofs.routes.predicates import matches
from proofs.statement import (
    PRINTED,
    Argument,
    Computed,
    Context,
    Counterexample,
    Disagreement,
    Hypothesis,
    Repair,
    Scope,
    Statement,
)
from symbolic.algebra.matrices import Matrix, add, determinant, eye, matrix, multiply, rank, scale, transpose
from symbolic.index import sizes
from symbolic.index.claims import parse, vocabulary
from symbolic.index.lift import data, perturbations, unit_series
from symbolic.index.series import Sum, contract, differentiate, series, substitute, tensor
from symbolic.index.series import multiply as multiply_sums
from symbolic.index.widths import inner_widths

# Ranks from the form of the gradient, for all sizes.


def _gradients(unit: ResidualUnit) -> dict[str, Sum]:
    """-dE/dW for each weight of a unit at arbitrary weights, input X and error signal D."""
    change = unit_series(unit, series([data(unit)], 1), opaque=list(unit.names.values()))[1]
    signal = tensor(Opaque("D", ("d", "m")), (ROW, SAMPLE))
    total = contract(multiply_sums(signal, change), {ROW: "d", SAMPLE: "m"})
    return {name: differentiate(total, t, (ROW, COLUMN)) for name, t in perturbations(unit).items()}


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
        for weight, value in _gradients(unit).items():
            through_q = substitute(value, Opaque("D", ("d", "m")), signal)
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
        "the shortcut leads around q": {**_RANK_BOUNDS, ("1-shortcut", "W1", "signal"): _widths("C", "m")},
        "the shortcut leads around r": {**_RANK_BOUNDS, ("1-shortcut", "W1", "input"): _widths("m")},
        "the inner layer does not see q": {**_RANK_BOUNDS, ("2-shortcut", "W1", "signal"): _widths("d", "C", "m")},
    },
    explanation="A matrix of rank k is a product of inner width k. With rank(Delta) = q or rank(H) = r the gradient is a product "
    "through a dimension q or r, whatever the other factors are.",
)


# Small networks, exactly.


@dataclass(frozen=True, slots=True)
class LinearNet:
    """Layers of branches: h + sum_k W^{l,k} h, or W^l h without shortcut; a head (the identity), N samples.

    The cost is |Y - f|^2 / 2, or cross-entropy with data t X, t = log 2.
    """

    layers: tuple[tuple[Matrix, ...], ...]
    x: Matrix
    y: Matrix
    shortcut: bool
    softmax: bool
    head: Matrix

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
        output = multiply(self.head, self.hidden()[-1])
        if not self.softmax:
            return add(self.y, scale(Fraction(-1), output))
        return add(self.y, scale(Fraction(-1), _softmax(output)))

    def signals(self) -> list[Matrix]:
        """Delta^1, ..., Delta^L."""
        found = [multiply(transpose(self.head), self.signal())]
        for step in reversed(self.maps()[1:]):
            found.append(multiply(transpose(step), found[-1]))
        return found[::-1]

    def updates(self) -> list[Matrix]:
        """-dE/dW^{l,k}, the same for every branch k."""
        return [multiply(d, transpose(h)) for d, h in zip(self.signals(), self.hidden(), strict=False)]


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


def _collapsed() -> LinearNet:
    layers = ((diagonal(_GREATER, 1),),) * _DEPTH
    x, one = diagonal(1, 0), eye(2)
    y = add(multiply(diagonal(_GREATER**_DEPTH, 1), x), one)
    return LinearNet(layers, x, y, shortcut=False, softmax=False, head=one)


_COLLAPSED = _collapsed()
_COLLAPSED_SIZE = f"n=N=2, L={_DEPTH}"


_LEAST = Fraction(9, 8)


def _well_conditioned(a: Matrix) -> int:
    """1 if kappa < 9/8 for a 2 x 2 matrix, else 0: kappa + 1/kappa = |a|_F^2 / |det a|."""
    squares = sum((v * v for row in a for v in row), Fraction(0))
    return int(squares < (_LEAST + 1 / _LEAST) * abs(determinant(a)))


def _ranks_by_formula(_: Context) -> Computed:
    """The ranks over all layers of the error signals, the updates and the weights after a step."""
    after = [add(w, scale(_RATE, update)) for (w,), update in zip(_COLLAPSED.layers, _COLLAPSED.updates(), strict=True)]
    found = {
        "Delta": {rank(a) for a in _COLLAPSED.signals()},
        _CONDITION: {_well_conditioned(a) for a in _COLLAPSED.signals()},
        "update": {rank(a) for a in _COLLAPSED.updates()},
        "weights": {rank(a) for a in after},
    }
    return Computed(found, Scope.of(_COLLAPSED_SIZE))


def _cost(weights: Sequence[Matrix], hidden: Matrix) -> Fraction:
    output = hidden
    for w in weights:
        output = multiply(w, output)
    return (
        sum(
            ((a - b) ** 2 for r, s in zip(_COLLAPSED.y, output, strict=True) for a, b in zip(r, s, strict=True)),
            Fraction(0),
        )
        / 2
    )


def nudged(a: Matrix, i: int, j: int, by: int) -> Matrix:
    """The matrix with one entry larger by a whole number."""
    return tuple(tuple(v + by * ((p, q) == (i, j)) for q, v in enumerate(row)) for p, row in enumerate(a))


def _ranks_by_differences(_: Context) -> Computed:
    """The same at three layers by central differences, exact for a cost of degree two in each entry."""
    weights, hidden = [w for (w,) in _COLLAPSED.layers], _COLLAPSED.hidden()
    found: dict[str, set[int]] = {"Delta": set(), _CONDITION: set(), "update": set(), "weights": set()}
    for layer in (1, _DEPTH // 2, _DEPTH):
        before, w, later = hidden[layer - 1], weights[layer - 1], weights[layer:]

        def by_hidden(a: Matrix, later: Sequence[Matrix] = later) -> Fraction:
            return _cost(later, a)

        def by_weight(a: Matrix, later: Sequence[Matrix] = later, before: Matrix = before) -> Fraction:
            return _cost([a, *later], before)

        signal, update = _descent(by_hidden, hidden[layer]), _descent(by_weight, w)
        found["Delta"].add(2 - singular(signal))
        found[_CONDITION].add(_well_conditioned(signal))
        found["update"].add((2 - singular(update)) if any(any(row) for row in update) else 0)
        found["weights"].add(2 - singular(add(w, scale(_RATE, update))))
    return Computed(found, Scope.of(_COLLAPSED_SIZE))


def _descent(cost: Callable[[Matrix], Fraction], at: Matrix) -> Matrix:
    return matrix([[(cost(nudged(at, i, j, -1)) - cost(nudged(at, i, j, 1))) / 2 for j in range(2)] for i in range(2)])


_CONDITION = "kappa(Delta) < 9/8"
_TRUE_RANKS = {"Delta": {2}, _CONDITION: {1}, "update": {1}, "weights": {2}}


def _all_singular(found: Mapping[str, set[int]]) -> bool:
    return all(value < 2 for name in ("Delta", "update", "weights") for value in found[name])


def _nearly_singular(found: Mapping[str, set[int]]) -> bool:
    """Whether the error gradients are singular or at least ill-conditioned."""
    return all(value < 2 for value in found["Delta"]) or found[_CONDITION] == {0}


def _only_updates(_: Context) -> Computed:
    """Ranks of Delta^1 and of the update of W^1 for small plain networks with given ranks of H^0 and of Delta^L."""
    found = dict[tuple[int, int], tuple[int, int]]()
    for r, q in product(range(4), repeat=2):
        x, signal = diagonal(*[int(i < r) for i in range(3)]), diagonal(*[int(i >= 3 - q) for i in range(3)])
        mixing = matrix([[1, 2, 0], [0, 1, 3], [1, 0, 1]])
        x = multiply(mixing, x)
        net = LinearNet(((mixing,), (mixing,)), x, _zero(3), shortcut=False, softmax=False, head=eye(3))
        output = net.hidden()[-1]
        net = LinearNet(net.layers, x, add(output, signal), shortcut=False, softmax=False, head=eye(3))
        found[r, q] = (rank(net.signals()[0]), rank(net.updates()[0]))
    return Computed(found, Scope.of("n=N=3, L=2, ranks 0..3"))


def _zero(n: int) -> Matrix:
    return matrix([[0] * n] * n)


def _within_ranks(found: Mapping[tuple[int, int], tuple[int, int]], claim: str) -> None:
    """Claims: "as repaired", "signal follows input", "equality" (the update attains both bounds), "the update keeps its rank".

    Raises:
        Disagreement: the ranks are not as claimed.
    """
    for (r, q), (signal, update) in found.items():
        good = {
            "as repaired": signal == q and update <= min(r, q),
            "signal follows input": signal <= r,
            "equality": update == min(r, q),
            "the update keeps its rank": update == q,
        }[claim]
        if not good:
            raise Disagreement(f"rank H = {r}, rank Delta^L = {q}: computed {(signal, update)}")


R4 = Statement(
    id="RS-R4",
    title="The gradients of deep plain networks are singular",
    source=source("S", "Remark 4", "the error gradient estimate, Delta^l, is singular"),
    sentence="In a PlainNet whose hidden representations H^l are singular the error gradients Delta^l, the updates of W^l and "
    "the weights W^l are singular.",
    latex=r"H^l \text{ singular} \implies \Delta^l,\ \Delta W^l,\ W^l \text{ singular}",
    hypotheses=(
        Hypothesis(
            "N = n, so that the printed products are defined",
            lambda net: len(net.x) == len(net.x[0]),
            fails_on=replace(_COLLAPSED, x=matrix([[1, 0, 1], [0, 0, 0]])),
            printed=False,
        ),
        Hypothesis(
            "the weights are jointly diagonalisable with |lambda_1| > |lambda_i| in every layer, L >> 1",
            lambda net: (
                len(net.layers) >= 100
                and all(
                    w[0][1] == w[1][0] == 0 and abs(w[0][0]) > abs(w[1][1]) for branches in net.layers for w in branches
                )
            ),
            fails_on=replace(_COLLAPSED, layers=_COLLAPSED.layers[:10]),
        ),
        Hypothesis(
            "the weights are nonsingular at the start (Corollary 1)",
            lambda net: not any(singular(w) for branches in net.layers for w in branches),
            fails_on=replace(_COLLAPSED, layers=((diagonal(1, 0),),)),
        ),
        Hypothesis(
            "H^l is singular for every l (Remark 1)",
            lambda net: all(singular(h) for h in net.hidden()),
            fails_on=replace(_COLLAPSED, x=eye(2)),
        ),
    ),
    uses=("RS-D3", "RS-L2"),
    counterexample=Counterexample(
        instance=_COLLAPSED,
        sentence="H^l has rank one at every layer, yet every error gradient has full rank and a condition number below 9/8, and the "
        "weights after the step have full rank; only the updates are singular.",
        latex=r"W^l = \operatorname{diag}(q, 1),\ q = \tfrac{1001}{1000},\ X = \operatorname{diag}(1, 0),\ Y = f(X) + I: \quad "
        r"\Delta^l = \operatorname{diag}(q^{L - l}, 1)",
        routes=(
            Argument(
                "Ranks from the recursion, all layers",
                "instance",
                _ranks_by_formula,
                _TRUE_RANKS,
                {
                    PRINTED: _all_singular,
                    "the error gradients are nearly singular": _nearly_singular,
                    "the update is nonsingular": {**_TRUE_RANKS, "update": {2}},
                },
                matches,
            ),
            Argument(
                "Determinants of derivatives by central differences, three layers",
                "instance",
                _ranks_by_differences,
                _TRUE_RANKS,
                {PRINTED: _all_singular, "the update vanishes": {**_TRUE_RANKS, "update": {0}}},
                matches,
            ),
        ),
        show=lambda net: (
            f"{_COLLAPSED_SIZE}, W^l = diag(q, 1), q = {_GREATER}, X = diag(1, 0), Y = diag(q^{len(net.layers)}, 0) + I, eta = {_RATE}"
        ),
    ),
    repair=Repair(
        sentence="The rank of the update Delta^l (H^{l-1})^T is at most that of Delta^l and that of H^{l-1}, so a singular H^{l-1} "
        "makes it singular. Delta^l = (W^{l+1})^T ... (W^L)^T Delta^L does not contain H^l; its rank is at most that of Delta^L and "
        "of the later weights.",
        latex=r"\operatorname{rank} \Delta W^l \le \min(\operatorname{rank} \Delta^l, \operatorname{rank} H^{l-1}), \qquad \operatorname{rank} \Delta^l \le \operatorname{rank} \Delta^L",
        arguments=(
            RANKS,
            Argument(
                "Plain networks with given ranks of the input and of the last signal",
                "explicit",
                _only_updates,
                "as repaired",
                {name: name for name in ("signal follows input", "equality", "the update keeps its rank")},
                _within_ranks,
            ),
        ),
        for_all={"L": 1, "l": 1, "d": 1, "m": 1},
        adds="Only the update inherits the singularity of H^{l-1}; the error gradient and the weights do not.",
    ),
    notes="The remark rests on Equation 23, which is wrong (RS-D3), and on Lemma 2 for a left factor. The squared cost is used. "
    "Equation 26, from which the remark concludes that the weights are singular, is EX-7.",
)

STATEMENTS = (R4,)
