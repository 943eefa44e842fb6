"""Rethinking skip connections, Lemmas 2 and 3: products of singular and of nonsingular matrices (RS-L2, RS-L3).

X is m x n, V is n x p. "Singular" is said of rectangular matrices too, which leaves two readings:

    kernel reading: V u = 0 for some u != 0 (the one that the proofs use),
    rank reading:   rank V < min(n, p) (rows or columns linearly correlated, a singular value zero).

They agree for square matrices. Letters: p is a row with p u = 1, which exists for every u != 0, so that the matrices
with V u = 0 are exactly the V = Z (1 - u p), Z arbitrary; K X = 1 says that X has no kernel, X G = 1 that X has no
left kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from proofs.documents import source
from proofs.routes.predicates import matches
from proofs.statement import (
    PRINTED,
    Argument,
    Computed,
    Context,
    Counterexample,
    Hypothesis,
    Repair,
    Scope,
    Statement,
)
from symbolic.algebra.matrices import Matrix, matrix, multiply, rank
from symbolic.algebra.minors import kernel, rank_by_minors
from symbolic.algebra.noncommutative import Relations, modulo, sizes, words
from symbolic.algebra.noncommutative import product as word_product
from symbolic.algebra.noncommutative import show as show_words


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


def _smallest(violates: Callable[[Pair], bool], most: int) -> Callable[[Context], Computed]:
    """The least number of entries of X and V together for which some pair violates the printed conclusion."""

    def compute(_: Context) -> Computed:
        found = next((n for n in range(2, most + 1) if any(violates(pair) for pair in _pairs(n))), None)
        return Computed(found, Scope.of(f"all shapes with at most {most} entries, each -1, 0 or 1"))

    return compute


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


def _small_pairs(count: int = 3) -> Iterator[Pair]:
    """Rational pairs of many shapes, of all ranks."""
    for m, n, p in product(range(1, count + 1), repeat=3):
        for seed in range(4):
            x = [[(3 * i + 5 * k + 7 * seed * (i + 1)) % 5 - 2 for k in range(n)] for i in range(m)]
            v = [[(seed * (k + 2) * (j + 1) + 2 * k + j) % 4 - 1 for j in range(p)] for k in range(n)]
            yield Pair(matrix(x), matrix(v))


def _kernels(_: Context) -> Computed:
    """For each cause of singularity: whether X V shares it on every small pair that has it."""
    held: dict[str, list[bool]] = {"V has a kernel": [], "X has a kernel": [], "X has a left kernel": []}
    for pair in _small_pairs():
        whole = kernel(pair.product)
        if kernel(pair.v):
            zero = all(not any(row[0] for row in multiply(pair.product, _column(u))) for u in kernel(pair.v))
            held["V has a kernel"].append(zero and bool(whole))
        if kernel(pair.x):
            held["X has a kernel"].append(bool(whole))
        if kernel(tuple(zip(*pair.x, strict=True))):
            held["X has a left kernel"].append(bool(kernel(tuple(zip(*pair.product, strict=True)))))
    found = {name: (all(each), len(each) > 0) for name, each in held.items()}
    return Computed(found, Scope.of("m, n, p <= 3, 108 rational pairs"))


def _column(u: Sequence[object]) -> Matrix:
    return tuple((x,) for x in u)


_HELD = {"V has a kernel": (True, True), "X has a kernel": (False, True), "X has a left kernel": (True, True)}


def _tall_ranks(_: Context) -> Computed:
    """Whether X V is deficient for every small pair with a deficient V, by shape."""
    found: dict[str, set[bool]] = {"p <= m, n": set(), "m < p": set(), "n < p <= m": set()}
    for pair in (*_small_pairs(), _L2, Pair(matrix([[1], [0]]), matrix([[0, 0]]))):
        m, n, p = len(pair.x), len(pair.v), len(pair.v[0])
        if deficient(pair.v):
            name = "m < p" if m < p else "p <= m, n" if p <= n else "n < p <= m"
            found[name].add(deficient(pair.product))
    return Computed({name: all(values) for name, values in found.items()}, Scope.of("m, n, p <= 3"))


_L2 = Pair(matrix([[1, 0]]), matrix([[1, 0], [0, 0]]))
_L3 = Pair(matrix([[1, 0]]), matrix([[0], [1]]))

FITTING = Hypothesis(
    "X is m x n and V is n x p", lambda pair: len(pair.x[0]) == len(pair.v), fails_on=Pair(_L2.x, matrix([[1]]))
)


L2 = Statement(
    id="RS-L2",
    title="A product with a singular matrix is singular",
    source=source("S", "Lemma 2", "If V is singular, then their product, Y = XV, is also singular"),
    sentence="For X in R^{m x n} and V in R^{n x p}: if V is singular, then XV is singular.",
    latex=r"V \text{ singular} \implies X V \text{ singular}",
    hypotheses=(
        FITTING,
        Hypothesis("V is singular: its rank is below its smaller side", lambda pair: deficient(pair.v), fails_on=_L3),
    ),
    counterexample=Counterexample(
        instance=_L2,
        sentence="In the rank reading a singular factor on the right may give a product of full rank.",
        latex=r"\begin{pmatrix} 1 & 0 \end{pmatrix} \begin{pmatrix} 1 & 0 \\ 0 & 0 \end{pmatrix} = \begin{pmatrix} 1 & 0 \end{pmatrix}",
        routes=(
            Argument(
                "The rank of XV by elimination",
                "instance",
                _product_rank(_L2),
                (1, 1),
                {PRINTED: _is_singular, "rank 0": (0, 1)},
                matches,
            ),
            Argument(
                "The rank of XV by its minors",
                "instance",
                _product_minors(_L2),
                (1, 1),
                {PRINTED: _is_singular, "rank 0": (0, 1)},
                matches,
            ),
        ),
        searched=Argument(
            "No pair with fewer entries",
            "instance",
            _smallest(lambda pair: deficient(pair.v) and not deficient(pair.product), 6),
            6,
            {"five entries suffice": 5, "seven are needed": 7},
            matches,
            explanation="With n = 1 or p = 1 a deficient V is zero, so this is the smallest for all real entries.",
        ),
    ),
    repair=Repair(
        sentence="If V u = 0 for some u != 0, then X V u = 0, for matrices of every shape. In the rank reading the lemma "
        "holds where p <= min(m, n), in particular for square matrices. A singular X, on the left, passes on its "
        "left kernel only: [1 0][1 0]^T = 1.",
        latex=r"V u = 0,\ u \ne 0 \implies (X V)\,u = 0",
        arguments=(
            Argument(
                "The kernel of V lies in that of XV",
                "identity",
                _kills,
                _KILLS,
                {
                    "a kernel of the left factor does as well": {**_KILLS, "X u = 0": True},
                    "a left kernel of the right factor does as well": {**_KILLS, "w V = 0": True},
                    "the kernel of V is lost": {**_KILLS, "V u = 0": False},
                },
                explanation="V = Z (1 - u p) with p u = 1 are all matrices with V u = 0, as V = V - V u p for each of them. With p columns a rank "
                "below p says just that there is such a u; X V has p columns too, and m >= p rows in the rank reading. "
                "A product that is not reduced to zero is not thereby nonzero; the small pairs show that.",
            ),
            Argument(
                "Kernels of small rational pairs by elimination",
                "explicit",
                _kernels,
                _HELD,
                {
                    "a kernel of X suffices": {**_HELD, "X has a kernel": (True, True)},
                    "a left kernel of X does not suffice": {**_HELD, "X has a left kernel": (False, True)},
                },
            ),
            Argument(
                "Where the rank reading holds",
                "explicit",
                _tall_ranks,
                {"p <= m, n": True, "m < p": False, "n < p <= m": True},
                {
                    "it holds for every shape": {"p <= m, n": True, "m < p": True, "n < p <= m": True},
                    "never": {"p <= m, n": False, "m < p": False, "n < p <= m": False},
                },
                explanation="A deficient V with p <= n has a kernel, which makes XV deficient where p <= m. For n < p <= m the "
                "rank of XV is at most n < p, whatever V is.",
            ),
        ),
        for_all={"m": 1, "n": 1, "p": 1},
        adds="What singular means for a rectangular matrix: a nonzero kernel vector.",
    ),
    kind="algebra",
    errata=("Proof of Lemma 2: the vector u with V u = 0 lies in R^p, printed R^n.",),
    notes="The proof uses the kernel reading, in which the lemma holds for every shape; the counterexample takes the rank "
    "reading, a singular value zero. 'Some rows or columns are linearly correlated', taken by the letter, is true of every "
    "matrix that is not square, and gives a kernel only where it is the columns. Remark 4 applies the lemma to a singular "
    "left factor, which the lemma does not cover.",
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
            if len(pair.x) == len(pair.v) == len(pair.v[0]):
                found["full rank, square"].add(not deficient(pair.product))
    return Computed({name: values == {True} for name, values in found.items()}, Scope.of("m, n, p <= 3"))


_NO_KERNELS = {"no kernel": True, "full rank": False, "full rank, square": True}


L3 = Statement(
    id="RS-L3",
    title="A product of nonsingular matrices is nonsingular",
    source=source("S", "Lemma 3", "If X and V are non-singular, then their product, Y = XV, is also non-singular"),
    sentence="For X in R^{m x n} and V in R^{n x p}: if X and V are nonsingular, then XV is nonsingular.",
    latex=r"X, V \text{ nonsingular} \implies X V \text{ nonsingular}",
    hypotheses=(
        FITTING,
        Hypothesis(
            "X and V are nonsingular: of full rank",
            lambda pair: not deficient(pair.x) and not deficient(pair.v),
            fails_on=_L2,
        ),
    ),
    counterexample=Counterexample(
        instance=_L3,
        sentence="In the rank reading the product of two matrices of full rank may be zero.",
        latex=r"\begin{pmatrix} 1 & 0 \end{pmatrix} \begin{pmatrix} 0 \\ 1 \end{pmatrix} = 0",
        routes=(
            Argument(
                "The rank of XV by elimination",
                "instance",
                _product_rank(_L3),
                (0, 1),
                {PRINTED: lambda found: not _is_singular(found), "rank 1": (1, 1)},
                matches,
            ),
            Argument(
                "The rank of XV by its minors",
                "instance",
                _product_minors(_L3),
                (0, 1),
                {PRINTED: lambda found: not _is_singular(found), "rank 1": (1, 1)},
                matches,
            ),
        ),
        searched=Argument(
            "No pair with fewer entries",
            "instance",
            _smallest(lambda pair: not deficient(pair.x) and not deficient(pair.v) and deficient(pair.product), 4),
            4,
            {"three entries suffice": 3, "five are needed": 5},
            matches,
            explanation="With n = 1 and one of m, p equal to 1 the product of nonzero factors is nonzero, for all real entries.",
        ),
    ),
    repair=Repair(
        sentence="If X and V have no kernel, so has XV, for matrices of every shape; if X and V have no left kernel, so has XV. "
        "In the rank reading the lemma holds for square matrices; a wide X with a tall V, or a tall X with a wide V, may fail.",
        latex=r"K X = I,\ L V = I \implies (L K)(X V) = I",
        arguments=(
            Argument(
                "One-sided inverses multiply",
                "identity",
                _inverses,
                _INVERSES,
                {
                    "a wide X and a tall V too": {**_INVERSES, "right, left": (True, False)},
                    "left inverses give a right inverse": {**_INVERSES, "left, left": (True, True)},
                },
                explanation="A real matrix X has no kernel exactly when X^T X is invertible, that is when it has a left inverse K; "
                "transposed, no left kernel exactly when it has a right inverse. For square matrices both are full rank.",
            ),
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
        for_all={"m": 1, "n": 1, "p": 1},
        adds="What nonsingular means for a rectangular matrix: no nonzero kernel vector.",
    ),
    kind="algebra",
    errata=("Proof of Lemma 3: one u in R^n for X u and V u; the u of V u lies in R^p.",),
    notes="The proof uses the kernel reading, in which the lemma holds for every shape.",
)

STATEMENTS = (L2, L3)
