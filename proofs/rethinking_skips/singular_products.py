"""Rethinking skip connections, Lemmas 2 and 3: products of singular and of nonsingular matrices (RS-L2, RS-L3).

X is m x n, V is n x p. "Singular" is said of rectangular matrices too, which leaves three readings:

    kernel reading:    V u = 0 for some u != 0 (the one that the proofs use),
    rank reading:      rank V < min(n, p) (rows or columns linearly correlated, a singular value zero),
    condition reading: kappa(V) >> 1 (Equation 8).

The first two agree for square matrices. Letters: p is a row with p u = 1, which exists for every u != 0, so that the
matrices with V u = 0 are exactly the V = Z (1 - u p), Z arbitrary; K X = 1 says that X has no kernel, X G = 1 that X
has no left kernel. Coordinates give E = [1 0] and J = E^T with E J = 1 where E has no more rows than columns.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise, product
from typing import Any, TypeAlias

from resproof.proofs.changes import Change
from resproof.proofs.rethinking_skips.documents import source
from resproof.proofs.rethinking_skips.pictures import flattened, lost_condition, row_and_column
from resproof.proofs.routes.certificates import certified
from resproof.proofs.routes.predicates import at_most, matches, property_of
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
    Sense,
    Statement,
)
from resproof.symbolic.algebra.matrices import Matrix, matrix, multiply, rank, transpose
from resproof.symbolic.algebra.minors import kernel, rank_by_minors
from resproof.symbolic.algebra.noncommutative import Relations, Words, modulo, sizes, words
from resproof.symbolic.algebra.noncommutative import add as add_words
from resproof.symbolic.algebra.noncommutative import product as word_product
from resproof.symbolic.algebra.noncommutative import show as show_words
from resproof.symbolic.algebra.toeplitz import squared_condition
from resproof.symbolic.certificates import Element, Orthant, orthant
from resproof.symbolic.scope import Scope


@dataclass(frozen=True, slots=True)
class Pair:
    """Matrices X and V that can be multiplied."""

    x: Matrix
    v: Matrix

    @property
    def product(self) -> Matrix:
        """X V."""
        return multiply(self.x, self.v)

    @property
    def sizes(self) -> str:
        """m, n and p."""
        return f"m={len(self.x)}, n={len(self.v)}, p={len(self.v[0])}"

    def __str__(self) -> str:
        return f"X = {_shown(self.x)}, V = {_shown(self.v)}"


def _shown(a: Matrix) -> str:
    return "[" + ", ".join("[" + ", ".join(map(str, row)) + "]" for row in a) + "]"


def deficient(a: Matrix) -> bool:
    """Singular in the rank reading: the rank is below the smaller side."""
    return rank(a) < min(len(a), len(a[0]))


def _product_rank(pair: Pair) -> Callable[[Context], Computed]:
    def compute(_: Context) -> Computed:
        found = rank(pair.product)
        return Computed((found, min(len(pair.x), len(pair.v[0]))), Scope.of(pair.sizes), f"rank XV = {found}")

    return compute


def _product_minors(pair: Pair) -> Callable[[Context], Computed]:
    """The greatest nonzero minor of the entries sum_k x_ik v_kj, written out."""

    def compute(_: Context) -> Computed:
        entries = matrix(
            [
                [sum(x * row[j] for x, row in zip(left, pair.v, strict=True)) for j in range(len(pair.v[0]))]
                for left in pair.x
            ]
        )
        return Computed((rank_by_minors(entries), min(len(entries), len(entries[0]))), Scope.of(pair.sizes))

    return compute


def _pairs(entries: int) -> Iterator[Pair]:
    """All pairs with this number of entries together, each -1, 0 or 1."""
    for m, n, p in product(range(1, entries), repeat=3):
        if m * n + n * p == entries:
            for values in product((-1, 0, 1), repeat=entries):
                flat = list(values)
                x = [flat[i * n : (i + 1) * n] for i in range(m)]
                v = [flat[m * n + i * p : m * n + (i + 1) * p] for i in range(n)]
                yield Pair(matrix(x), matrix(v))


def _rank_routes(pair: Pair, found: tuple[int, int], neighbours: Mapping[str, Any]) -> tuple[Argument, Argument]:
    """The rank of XV and the greatest one for its shape, found in two ways."""
    by_elimination = Argument(
        "The rank of $XV$ by elimination", "instance", _product_rank(pair), found, neighbours, matches
    )
    return by_elimination, replace(
        by_elimination, title="The rank of $XV$ by its minors", compute=_product_minors(pair)
    )


def _none_smaller(
    violates: Callable[[Pair], bool], least: int, neighbours: Mapping[str, int], explanation: str
) -> Argument:
    """The least number of entries of X and V together for which some pair violates the printed conclusion."""

    def compute(_: Context) -> Computed:
        found = next((n for n in range(2, least + 1) if any(violates(pair) for pair in _pairs(n))), None)
        return Computed(found, Scope.of(f"all shapes with at most {least} entries, each -1, 0 or 1"))

    return Argument(
        "No pair with fewer entries", "instance", compute, least, neighbours, matches, explanation=explanation
    )


@property_of((1, 2), not_of=[(2, 2)])
def _is_singular(found: tuple[int, int]) -> bool:
    return found[0] < found[1]


# RS-L2.

_ROW: Relations = {"p u": ""}


_RIGHT = {"X": ("m", "n"), "Z": ("n", "p"), "u": ("p", "1"), "p": ("1", "p")}
_LEFT = {"w": ("1", "m"), "q": ("m", "1"), "Z": ("m", "n"), "V": ("n", "p")}
"""Shapes where V = Z (1 - u p), and where X = (1 - q w) Z."""


def _kills(_: Context) -> Computed:
    """X V u, or w X V, for the matrices V, or X, that are known to kill u or w.

    The two forms that come out as zero are of every shape; of the other two nothing is concluded.
    """
    right, left = words("1 - u p"), words("1 - q w")
    by_right = word_product(words("X Z"), right, words("u"))
    by_left = word_product(words("w"), left, words("Z V"))
    found = {
        "V u = 0": modulo(by_right, _ROW),
        "X u = 0": modulo(word_product(words("Z"), right, words("V u")), _ROW),
        "w V = 0": modulo(word_product(words("w X"), left, words("Z")), {"w q": ""}),
        "w X = 0": modulo(by_left, {"w q": ""}),
    }
    shown = r"X\,Z\,(I - u p)\,u = " + show_words(found["V u = 0"])
    scope = sizes(_RIGHT, by_right) & sizes(_LEFT, by_left)
    return Computed({name: not value for name, value in found.items()}, scope, shown)


_KILLS = {"V u = 0": True, "X u = 0": False, "w V = 0": False, "w X = 0": True}


def _small_pairs() -> Iterator[Pair]:
    """Rational pairs of many shapes, of all ranks."""
    for m, n, p in product((1, 2, 3), repeat=3):
        for seed in range(4):
            x = [[(3 * i + 5 * k + 7 * seed * (i + 1)) % 5 - 2 for k in range(n)] for i in range(m)]
            v = [[(seed * (k + 2) * (j + 1) + 2 * k + j) % 4 - 1 for j in range(p)] for k in range(n)]
            yield Pair(matrix(x), matrix(v))


def _kernels(_: Context) -> Computed:
    """For each cause of singularity: (whether a small pair has it, whether X V shares it), over all of them."""
    found, pairs = defaultdict[str, set[tuple[bool, bool]]](set), list(_small_pairs())
    for pair in pairs:
        whole, by_v, left = kernel(pair.product), kernel(pair.v), kernel(transpose(pair.x))
        killed = [multiply(pair.product, transpose((u,))) for u in by_v]
        found["V has a kernel"].add((bool(by_v), bool(whole)))
        found["a vector in the kernel of V"] |= {(True, rank(image) == 0) for image in killed}
        found["X has a kernel"].add((bool(kernel(pair.x)), bool(whole)))
        found["X has a left kernel"].add((bool(left), bool(kernel(transpose(pair.product)))))
    largest = max(max(len(pair.x), len(pair.v), len(pair.v[0])) for pair in pairs)
    return Computed(dict(found), Scope.of(f"m, n, p <= {largest}, {len(pairs)} rational pairs"))


_EITHER = {(True, True), (False, True), (False, False)}
"""Wherever there is the cause."""
_HELD = {
    "V has a kernel": _EITHER,
    "a vector in the kernel of V": {(True, True)},
    "X has a kernel": {*_EITHER, (True, False)},
    "X has a left kernel": _EITHER,
}


# The rank reading, shape by shape.

Shape: TypeAlias = tuple[int, int, int]
_SMALL = tuple(product((1, 2, 3), repeat=3))
_EVERY_SHAPE = {"m": 1, "n": 1, "p": 1}


def _coordinate_matrices(rows: int, columns: int) -> Iterator[tuple[Matrix, int]]:
    """One 0-1 matrix for each set of coordinates that its rows may pick out, and its rank."""
    for size in range(min(rows, columns) + 1):
        for chosen in combinations(range(columns), size):
            picked = [[int(j == k) for j in range(columns)] for k in chosen]
            yield matrix([*picked, *([0] * columns for _ in range(rows - size))]), size


def _by_shape(conclusion: Callable[[Shape, int, int, int], bool]) -> Callable[[Context], Computed]:
    """For each shape, whether the conclusion holds of the ranks of X, V and XV for all coordinate matrices."""

    def compute(_: Context) -> Computed:
        found = {}
        for m, n, p in _SMALL:
            right = [(tuple(zip(*v, strict=True)), b) for v, b in _coordinate_matrices(p, n)]
            found[m, n, p] = all(
                conclusion((m, n, p), a, b, rank(multiply(x, v)))
                for x, a in _coordinate_matrices(m, n)
                for v, b in right
            )
        return Computed(found, Scope.of("m, n, p <= 3, all coordinate matrices"))

    return compute


def _where(found: Mapping[Shape, bool], claim: Callable[[int, int, int], bool]) -> None:
    for (m, n, p), holds in found.items():
        if holds is not claim(m, n, p):
            raise Disagreement(f"m={m}, n={n}, p={p}: the lemma {'holds' if holds else 'fails'} there")


def _inner_width(shapes: Mapping[str, tuple[str, str]], word: str) -> set[str]:
    """The sizes that a product goes through; its rank is at most each of them."""
    return {shapes[letter][1] for letter in word.split()[:-1]}


_L2 = Pair(matrix([[1, 0]]), matrix([[1, 0], [0, 0]]))
_L3 = Pair(matrix([[1, 0]]), matrix([[0], [1]]))

FITTING = Hypothesis(
    r"$X$ is $m \times n$ and $V$ is $n \times p$",
    lambda pair: len(pair.x[0]) == len(pair.v),
    fails_on=Pair(_L2.x, matrix([[1]])),
    quote="X in R^{m x n} and V in R^{n x p}",
    where="Lemmas 2 and 3",
)


def _deficient_sizes(_: Context) -> Computed:
    """m, p and a rank r below min(n, p), for p <= n and for n <= p, where m >= min(n, p)."""
    found = []
    for name in ("p <= n", "n <= p"):
        o = orthant("g", "r s t")
        least = o["r"] + o["g"]
        m, other = least + o["s"], least + o["t"]
        found.append((name, o, m, least if name == "p <= n" else other, o["r"]))
    return Computed(found, Scope(), r"r < \min(n, p) \le m \implies r < \min(m, p)")


def _below_both(found: Sequence[tuple[str, Orthant, Element, Element, Element]], claim: Callable[..., Element]) -> None:
    for name, space, m, p, r in found:
        for side in (m, p):
            space.above_zero(name, claim(side, r))


_THROUGH = {"X": ("m", "n"), "A": ("n", "r"), "B": ("r", "p")}
_WITNESS = {"E": ("m", "n"), "J": ("n", "m"), "F": ("m", "p"), "K": ("p", "m")}


def _inherits(_: Context) -> Computed:
    """X (A B) for V = A B through r, and X V K for X = E, V = J F."""
    through, whole = "X A B", word_product(words("E"), words("J F"), words("K"))
    found = {
        "X V goes through": _inner_width(_THROUGH, through),
        "J F goes through": _inner_width(_WITNESS, "J F"),
        "E (J F) K": show_words(modulo(whole, {"E J": "", "F K": ""})),
    }
    return Computed(found, sizes(_THROUGH, words(through)) & sizes(_WITNESS, whole), r"E\,(J F)\,K = I_m")


_INHERITS = {"X V goes through": {"n", "r"}, "J F goes through": {"m"}, "E (J F) K": "+1 1"}

INHERITS = (
    Argument(
        r"Ranks below $\min(n, p)$ stay below $\min(m, p)$ where $m \ge \min(n, p)$",
        "inequality",
        _deficient_sizes,
        lambda side, r: side - r,
        {"by more than one": lambda side, r: side - r - 1, "by a half of it": lambda side, r: side / 2 - r},
        certified(_below_both),
        explanation=r"The rank of $XV$ is at most $r = \mathrm{rank}\, V$: if $m \ge \min(n, p)$ and $r < \min(n, p)$, then "
        r"$r < \min(m, p)$.",
    ),
    Argument(
        "A product through $r$; a product of full rank through $m$",
        "identity",
        _inherits,
        _INHERITS,
        {
            "$XV$ leads around $r$": {**_INHERITS, "X V goes through": {"n"}},
            "$J F$ is of full rank": {**_INHERITS, "J F goes through": {"m", "n"}},
            "$E J F$ is singular": {**_INHERITS, "E (J F) K": "0"},
        },
        explanation=r"$V = A B$ with $A$ of $r$ columns has a rank of at most $r$, and so has $X A B$. If $m < \min(n, p)$, "
        r"coordinates give $E J = 1$ and $F K = 1$: $V = J F$ has the rank $m$, below $\min(n, p)$, and $(E V) K = 1$, so "
        r"that $E V$ has the rank $m = \min(m, p)$.",
    ),
    Argument(
        "Lemma 2 by ranks, shape by shape",
        "explicit",
        _by_shape(lambda shape, a, b, rank: b == min(shape[1:]) or rank < min(shape[0], shape[2])),
        lambda m, n, p: m >= min(n, p),
        {
            r"$p \le \min(m, n)$": lambda m, n, p: p <= min(m, n),
            "square matrices alone": lambda m, n, p: m == n == p,
            r"$m \ge n$": lambda m, n, p: m >= n,
        },
        _where,
        explanation="Coordinate matrices attain every rank that $XV$ can have with factors of given ranks.",
    ),
)

# kappa.


def _kappa_lost(_: Context) -> Computed:
    """kappa + 1/kappa = |A|_F^2/|det A| of V = diag(t, 1) and of diag(1, t) V, for every t > 0."""
    o = orthant("t")
    t = o["t"]
    return Computed({"V": (t**2 + 1) / t, "XV": (t**2 + t**2) / t**2}, Scope.of("m=n=p=2, t symbolic"))


_T = orthant("t")["t"]
_KAPPAS = {"V": _T + 1 / _T, "XV": 2 + 0 * _T}


def _undoing(t: int) -> Pair:
    return Pair(matrix([[1, 0], [0, t]]), matrix([[t, 0], [0, 1]]))


_KAPPA_L2 = _undoing(1000)


def _kappa_squares(_: Context) -> Computed:
    """kappa^2 of V and of XV from enclosed singular values, t = 1000."""
    found = {}
    for name, a in (("V", _KAPPA_L2.v), ("XV", _KAPPA_L2.product)):
        square = squared_condition(a)
        assert square is not None
        found[name] = (square.low, square.high)
    return Computed(found, Scope.of(f"{_KAPPA_L2.sizes}, t = 1000"))


@property_of({"V": (2, 3), "XV": (2, 3)}, not_of=[{"V": (2, 3), "XV": (1, 1)}])
def _still_great(found: Mapping[str, Any]) -> bool:
    return found["XV"] == found["V"]


def _condition_above(a: Matrix, bound: int) -> bool:
    square = squared_condition(a)
    return square is None or square.low >= bound**2


def _kappa_bounds(_: Context) -> Computed:
    """K (X V) with a left inverse K of X, or with a right one."""
    shapes = {"K": ("n", "m"), "X": ("m", "n"), "V": ("n", "p")}
    whole = words("K X V")
    found = {"left": show_words(modulo(whole, {"K X": ""})), "right": show_words(modulo(whole, {"X K": ""}))}
    return Computed(found, sizes(shapes, whole), r"K\,(X V) = V")


_KAPPA_RECOVERED = {"left": "+1 V", "right": "+1 K X V"}


def _kappa_pairs(_: Context) -> Computed:
    """kappa^2 of X, V and XV, enclosed, for small rational pairs without kernels."""
    aligned = Pair(matrix([[2, 0], [0, 1]]), matrix([[3, 0], [0, 1]]))
    pairs = [one for one in (*_small_pairs(), _KAPPA_L2, aligned) if not kernel(one.x) and not kernel(one.v)]
    found = [(str(one), *map(squared_condition, (one.x, one.v, one.product))) for one in pairs]
    return Computed(found, Scope.of("m, n, p <= 3"))


def _between_kappas(found: Sequence[Any], claim: tuple[Callable[..., Any], Callable[..., Any]]) -> None:
    """Pass when below(kappa_X^2, kappa_V^2) <= kappa_XV^2 <= above(kappa_X^2, kappa_V^2), up to the enclosures.

    Raises:
        Disagreement: it is not between them.
    """
    below, above = claim
    for name, x, v, xv in found:
        at_most(below(x.low, v.low, x.high), xv.high, f"{name}, kappa(XV)^2 from below")
        at_most(xv.low, above(x.high, v.high), f"{name}, kappa(XV)^2")


KAPPA_PAIRS = Argument(
    r"$\kappa(XV)$ on small rational pairs",
    "explicit",
    _kappa_pairs,
    (lambda x, v, most: v / most, lambda x, v: x * v),
    {
        r"at least $\kappa(V)$": (lambda x, v, most: v, lambda x, v: x * v),
        r"at least $\kappa(X)\,\kappa(V)$": (lambda x, v, most: x * v, lambda x, v: x * v),
        "at most the greater of both": (lambda x, v, most: v / most, max),
    },
    _between_kappas,
)

L2 = Statement(
    id="RS-L2",
    title="A product with a singular matrix is singular",
    source=source("Lemma 2", "If V is singular, then their product, Y = XV, is also singular"),
    latex=r"V \text{ singular} \implies X V \text{ singular}",
    clauses=(
        Clause(
            r"For $X$ in $\mathbb R^{m \times n}$ and $V$ in $\mathbb R^{n \times p}$: if $V$ has a nonzero kernel "
            "vector, then $XV$ has.",
            _EVERY_SHAPE,
            (
                Argument(
                    "The kernel of $V$ lies in that of $XV$",
                    "identity",
                    _kills,
                    _KILLS,
                    {
                        "a kernel of the left factor does as well": {**_KILLS, "X u = 0": True},
                        "a left kernel of the right factor does as well": {**_KILLS, "w V = 0": True},
                        "the kernel of $V$ is lost": {**_KILLS, "V u = 0": False},
                    },
                    explanation="$V = Z (1 - u p)$ with $p u = 1$ are all matrices with $V u = 0$, as $V = V - V u p$ for each of "
                    "them. A product that is not reduced to zero is not thereby nonzero; the small pairs show that.",
                ),
                Argument(
                    "Kernels of small rational pairs by elimination",
                    "explicit",
                    _kernels,
                    _HELD,
                    {
                        "a kernel of $X$ suffices": {**_HELD, "X has a kernel": _EITHER},
                        "a left kernel of $X$ does not suffice": {
                            **_HELD,
                            "X has a left kernel": {*_EITHER, (True, False)},
                        },
                    },
                ),
            ),
            reading=Sense(
                "singular",
                r"$V u = 0$ for some $u \ne 0$",
                "a vector u in R^n with ||u||_2 != 0: Vu = 0",
                "the proof of Lemma 2",
            ),
            other_readings=(
                Clause(
                    r"By ranks: if $\mathrm{rank}\, V < \min(n, p)$, then $\mathrm{rank}\, XV < \min(m, p)$.",
                    _EVERY_SHAPE,
                    hypotheses=(
                        FITTING,
                        Hypothesis(
                            "$V$ is singular: its rank is below its smaller side",
                            lambda pair: deficient(pair.v),
                            fails_on=_L3,
                            quote="V is singular",
                        ),
                    ),
                    counterexample=Counterexample(
                        instance=_L2,
                        sentence="A singular factor on the right may give a product of full rank.",
                        picture=flattened,
                        latex=r"\begin{pmatrix} 1 & 0 \end{pmatrix} \begin{pmatrix} 1 & 0 \\ 0 & 0 \end{pmatrix} = \begin{pmatrix} 1 & 0 \end{pmatrix}",
                        routes=_rank_routes(_L2, (1, 1), {PRINTED: _is_singular, "rank 0": (0, 1)}),
                        searched=_none_smaller(
                            lambda pair: deficient(pair.v) and not deficient(pair.product),
                            6,
                            {"five entries suffice": 5, "seven are needed": 7},
                            "With $n = 1$ or $p = 1$ a deficient $V$ is zero, so this is the smallest for all real entries.",
                        ),
                    ),
                    repair=Repair(
                        sentence=r"By ranks the lemma holds for all $X$ and $V$ of a shape exactly when $m \ge \min(n, p)$: for "
                        r"square matrices, and wherever $X$ is not too flat. If $m < \min(n, p)$, some $V$ of rank $m$ "
                        "gives a product of full rank.",
                        latex=r"\operatorname{rank} V < \min(n, p) \implies \operatorname{rank} X V < \min(m, p) \quad \text{for all } X, V \iff m \ge \min(n, p)",
                        arguments=INHERITS,
                        for_all=_EVERY_SHAPE,
                        changes=(
                            Change(
                                "is also singular",
                                r"exactly when $m \ge \min(n, p)$",
                                "It is said for which shapes it holds.",
                            ),
                        ),
                    ),
                ),
                Clause(
                    r"By condition numbers: if $\kappa(V) \gg 1$, then $\kappa(XV) \gg 1$.",
                    _EVERY_SHAPE,
                    hypotheses=(
                        FITTING,
                        Hypothesis(
                            r"$\kappa(V) \gg 1$",
                            lambda pair: _condition_above(pair.v, 1000),
                            fails_on=Pair(_KAPPA_L2.x, matrix([[1, 0], [0, 1]])),
                            quote="near-singularity, where at least one singular value is extremely small is sufficient",
                            where="before Equation 8",
                        ),
                    ),
                    counterexample=Counterexample(
                        instance=_KAPPA_L2,
                        sentence=r"$X$ undoes $V$: $\kappa(V) = t$ and $\kappa(XV) = 1$, for every $t$. Near this pair $\kappa(XV)$ stays near 1.",
                        picture=lambda _: lost_condition(_undoing),
                        latex=r"X = \operatorname{diag}(1, t),\ V = \operatorname{diag}(t, 1):\quad X V = t I",
                        routes=(
                            Argument(
                                r"$\kappa + 1/\kappa$ for every $t$",
                                "identity",
                                _kappa_lost,
                                _KAPPAS,
                                {PRINTED: _still_great, "$XV$ has the square": {**_KAPPAS, "XV": _KAPPAS["V"] ** 2}},
                                matches,
                            ),
                            Argument(
                                "Singular values for $t = 1000$",
                                "instance",
                                _kappa_squares,
                                {"V": (10**6, 10**6), "XV": (1, 1)},
                                {PRINTED: _still_great, "both are isometries": {"V": (1, 1), "XV": (1, 1)}},
                                matches,
                            ),
                        ),
                    ),
                    repair=Repair(
                        sentence=r"If $X$ and $V$ have no kernel, then $\kappa(XV) \ge \kappa(V)/\kappa(X)$.",
                        latex=r"\kappa(X V) \ge \kappa(V) / \kappa(X)",
                        arguments=(
                            Argument(
                                "$V$ from $XV$",
                                "identity",
                                _kappa_bounds,
                                _KAPPA_RECOVERED,
                                {"a right inverse does as well": {**_KAPPA_RECOVERED, "right": "+1 V"}},
                                explanation=r"$K$ the pseudo-inverse of $X$, $\lvert K\rvert = 1/\sigma_{\min}(X)$: "
                                r"$\sigma_{\max}(V) \le \lvert K\rvert \sigma_{\max}(XV)$ and "
                                r"$\sigma_{\min}(XV) \le \lvert X\rvert \sigma_{\min}(V)$, so that "
                                r"$\kappa(V) \le \kappa(X) \kappa(XV)$.",
                            ),
                            KAPPA_PAIRS,
                        ),
                        for_all=_EVERY_SHAPE,
                        changes=(
                            Change(
                                "is also singular",
                                r"$\kappa(XV) \ge \kappa(V)/\kappa(X)$",
                                "The condition number of $X$ enters.",
                            ),
                        ),
                    ),
                ),
            ),
        ),
    ),
    kind="algebra",
    notes="'Some rows or columns are linearly correlated', taken by the letter, is true of every matrix that is not square, "
    "and gives a kernel only where it is the columns. A singular $X$, on the left, passes on its left kernel only: "
    r"$[1,\, 0] [1,\, 0]^{\mathsf T} = 1$. Remark 4 applies the lemma to a singular left factor, which the lemma does not "
    r"cover. In the proof the vector $u$ with $V u = 0$ lies in $\mathbb R^p$, printed $\mathbb R^n$.",
)


# RS-L3.


def _inverses(_: Context) -> Computed:
    """Which one-sided inverses of X V the one-sided inverses of X and V give."""
    sides: dict[str, dict[str, str]] = {
        "left, left": {"K X": "", "L V": ""},
        "right, right": {"X G": "", "V H": ""},
        "right, left": {"X G": "", "L V": ""},
        "left, right": {"K X": "", "V H": ""},
    }
    shapes = {"X": ("m", "n"), "V": ("n", "p")} | {"K": ("n", "m"), "G": ("n", "m"), "L": ("p", "n"), "H": ("p", "n")}
    one, left, right = words("1"), words("L K X V"), words("X V H G")
    found = {
        name: (modulo(left, relations) == one, modulo(right, relations) == one) for name, relations in sides.items()
    }
    shown = r"(L K)(X V) = " + show_words(modulo(left, sides["left, left"])).removeprefix("+1 ")
    return Computed(found, sizes(shapes, left, right), shown)


_INVERSES: Mapping[str, tuple[bool, bool]] = {
    "left, left": (True, False),
    "right, right": (False, True),
    "right, left": (False, False),
    "left, right": (False, False),
}


def _no_kernels(_: Context) -> Computed:
    """Over small pairs: whether X V has no kernel, is of full rank, where the factors are so."""
    found: dict[str, set[bool]] = {"no kernel": set(), "full rank": set(), "full rank, square": set()}
    for pair in (*_small_pairs(), _L3):
        if not kernel(pair.x) and not kernel(pair.v):
            found["no kernel"].add(not kernel(pair.product))
        if not deficient(pair.x) and not deficient(pair.v):
            found["full rank"].add(not deficient(pair.product))
            if len({len(pair.x), len(pair.v), len(pair.v[0])}) == 1:
                found["full rank, square"].add(not deficient(pair.product))
    return Computed({name: values == {True} for name, values in found.items()}, Scope.of("m, n, p <= 3"))


_NO_KERNELS = {"no kernel": True, "full rank": False, "full rank, square": True}

_FLAT = {
    "E": ("m", "n"),
    "J": ("n", "m"),
    "e": ("n", "1"),
    "g": ("1", "n"),
    "B": ("p", "m"),
    "C": ("m", "p"),
    "u": ("p", "1"),
    "q": ("1", "p"),
}
_DIRECT = {"E J": "", "g e": "", "B C": "", "q u": ""}
_ZERO = {("E", "e"), ("g", "J")}


def _reduced(polynomial: Words) -> Words:
    """With the relations of coordinates and E e = 0, g J = 0."""
    kept = modulo(polynomial, _DIRECT)
    return {w: c for w, c in kept.items() if not any(pair in _ZERO for pair in pairwise(w))}


def _collapses(_: Context) -> Computed:
    """X = E and V = J M + e q with M = C (1 - u q), n > m >= p; and a product through n < min(m, p)."""
    m = word_product(words("C"), words("1 - u q"))
    v = add_words(word_product(words("J"), m), words("e q"))
    back = add_words(word_product(words("B"), words("E")), words("u g"))
    whole = word_product(words("E"), v, words("u"))
    inverse = word_product(back, v)
    found = {
        "X J": show_words(_reduced(words("E J"))),
        "left inverse times V": show_words(_reduced(inverse)),
        "X V u": show_words(_reduced(whole)),
        "q u": show_words(_reduced(words("q u"))),
        "X V goes through": _inner_width({"X": ("m", "n"), "V": ("n", "p")}, "X V"),
    }
    return Computed(found, sizes(_FLAT, whole, inverse), r"(B E + u g)\,V = I_p, \qquad E V u = 0")


_COLLAPSES = {"X J": "+1 1", "left inverse times V": "+1 1", "X V u": "0", "q u": "+1 1", "X V goes through": {"n"}}


SHAPES = (
    Argument(
        "Products of full rank, of rank at most $n$, and one with a kernel",
        "identity",
        _collapses,
        _COLLAPSES,
        {
            "$V$ is deficient": {**_COLLAPSES, "left inverse times V": "+1 1 -1 u q"},
            "$XV$ has no kernel": {**_COLLAPSES, "X V u": "+1 C u"},
            "$XV$ leads around $n$": {**_COLLAPSES, "X V goes through": {"m"}},
        },
        explanation=r"$n < \min(m, p)$: every $XV$ has a rank of at most $n$. $n > m \ge p$: coordinates give $E$, $J$, $e$, $g$ with "
        "$E J = 1$, $g e = 1$, $E e = 0$, $g J = 0$, and $B$, $C$, $u$, $q$ with $B C = 1$, $q u = 1$; $X = E$ and "
        r"$V = J C (1 - u q) + e q$ have full rank, and $X V u = 0$, $u \ne 0$. $n > p \ge m$: the transposed matrices. "
        r"What is left, $\min(m, p) \le n \le \max(m, p)$, is $m \le n \le p$ or $p \le n \le m$: both factors have right "
        "inverses, or both left ones.",
    ),
    Argument(
        "Lemma 3 by ranks, shape by shape",
        "explicit",
        _by_shape(
            lambda shape, a, b, rank: a < min(shape[:2]) or b < min(shape[1:]) or rank == min(shape[0], shape[2])
        ),
        lambda m, n, p: min(m, p) <= n <= max(m, p),
        {
            "square matrices alone": lambda m, n, p: m == n == p,
            r"$n \le \max(m, p)$": lambda m, n, p: n <= max(m, p),
            r"$n \ge \min(m, p)$": lambda m, n, p: n >= min(m, p),
        },
        _where,
    ),
)

INVERSES = Argument(
    "One-sided inverses multiply",
    "identity",
    _inverses,
    _INVERSES,
    {
        "a wide $X$ and a tall $V$ too": {**_INVERSES, "right, left": (True, False)},
        "left inverses give a right inverse": {**_INVERSES, "left, left": (True, True)},
    },
    explanation=r"A real matrix $X$ has no kernel exactly when $X^{\mathsf T} X$ is invertible, that is when it has a left inverse "
    "$K$; transposed, no left kernel exactly when it has a right inverse. For square matrices both are full rank.",
)

L3 = Statement(
    id="RS-L3",
    title="A product of nonsingular matrices is nonsingular",
    source=source("Lemma 3", "If X and V are non-singular, then their product, Y = XV, is also non-singular"),
    latex=r"X, V \text{ nonsingular} \implies X V \text{ nonsingular}",
    clauses=(
        Clause(
            r"For $X$ in $\mathbb R^{m \times n}$ and $V$ in $\mathbb R^{n \times p}$: if neither $X$ nor $V$ has a "
            "nonzero kernel vector, then $XV$ has none.",
            _EVERY_SHAPE,
            (
                INVERSES,
                Argument(
                    "Kernels of small rational pairs by elimination",
                    "explicit",
                    _no_kernels,
                    _NO_KERNELS,
                    {
                        "full rank suffices": {**_NO_KERNELS, "full rank": True},
                        "square matrices fail too": {**_NO_KERNELS, "full rank, square": False},
                    },
                ),
            ),
            reading=Sense(
                "non-singular", r"$V u = 0$ for no $u \ne 0$", "such that Xu = 0 or Vu = 0", "the proof of Lemma 3"
            ),
            other_readings=(
                Clause(
                    "By ranks: if $X$ and $V$ have full rank, then $XV$ has.",
                    _EVERY_SHAPE,
                    hypotheses=(
                        FITTING,
                        Hypothesis(
                            "$X$ and $V$ are nonsingular: of full rank",
                            lambda pair: not deficient(pair.x) and not deficient(pair.v),
                            fails_on=_L2,
                            quote="X and V are non-singular",
                        ),
                    ),
                    counterexample=Counterexample(
                        instance=_L3,
                        sentence="The product of two matrices of full rank may be zero.",
                        picture=row_and_column,
                        latex=r"\begin{pmatrix} 1 & 0 \end{pmatrix} \begin{pmatrix} 0 \\ 1 \end{pmatrix} = 0",
                        routes=_rank_routes(
                            _L3, (0, 1), {PRINTED: lambda found: not _is_singular(found), "rank 1": (1, 1)}
                        ),
                        searched=_none_smaller(
                            lambda pair: not deficient(pair.x) and not deficient(pair.v) and deficient(pair.product),
                            4,
                            {"three entries suffice": 3, "five are needed": 5},
                            "With $n = 1$ and one of $m$, $p$ equal to 1 the product of nonzero factors is nonzero, for all real entries.",
                        ),
                    ),
                    repair=Repair(
                        sentence="By ranks the lemma holds for all $X$ and $V$ of a shape exactly when "
                        r"$\min(m, p) \le n \le \max(m, p)$. If $n < \min(m, p)$ no product has full rank; if "
                        r"$n > \max(m, p)$ some has not.",
                        latex=r"X, V \text{ of full rank} \implies X V \text{ of full rank} \quad \text{for all } X, V \iff \min(m, p) \le n \le \max(m, p)",
                        arguments=(INVERSES, *SHAPES),
                        for_all=_EVERY_SHAPE,
                        changes=(
                            Change(
                                "is also non-singular",
                                r"exactly when $\min(m, p) \le n \le \max(m, p)$",
                                "It is said for which shapes it holds.",
                            ),
                        ),
                    ),
                ),
                Clause(
                    r"By condition numbers: for $X$ and $V$ without kernel $\kappa(XV) \le \kappa(X) \kappa(V)$, so that "
                    "it is moderate where both are.",
                    _EVERY_SHAPE,
                    (INVERSES, KAPPA_PAIRS),
                ),
            ),
        ),
    ),
    kind="algebra",
    notes=r"The proof has one $u$ in $\mathbb R^n$ for $X u$ and $V u$; the $u$ of $V u$ lies in $\mathbb R^p$.",
)

STATEMENTS = (L2, L3)
