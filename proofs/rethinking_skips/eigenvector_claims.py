"""Rethinking skip connections, Definition 1 and the proof of Theorem 1: what eigenvectors have of themselves (EX-6).

W^l = V D_l V^{-1} with common eigenvectors v_i, the columns of V, and real eigenvalues lambda_i^l (Assumption 1). In
index strings B is any matrix: every symmetric matrix is B + B^T for some B.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product as product_of
from typing import Any

import sympy

from resproof.architectures.forms.terms import Opaque
from resproof.proofs.changes import Change
from resproof.proofs.rethinking_skips.depth_products import dominating, stays_dominant
from resproof.proofs.rethinking_skips.documents import source
from resproof.proofs.rethinking_skips.pictures import directions, images_of_the_circle
from resproof.proofs.routes.certificates import certified
from resproof.proofs.routes.predicates import matches, property_of
from resproof.proofs.statement import (
    PRINTED,
    Argument,
    Clause,
    Computed,
    Context,
    Counterexample,
    ExceptionalSet,
    Hypothesis,
    Induction,
    Repair,
    Statement,
)
from resproof.symbolic.algebra.matrices import Matrix, matrix, multiply, rank, transpose
from resproof.symbolic.algebra.noncommutative import Words, modulo, product, words
from resproof.symbolic.algebra.noncommutative import sizes as sizes_of_words
from resproof.symbolic.certificates import Element, Orthant, occurring, orthant, standing_for
from resproof.symbolic.index import sizes
from resproof.symbolic.index.claims import parse, show
from resproof.symbolic.scope import Scope


@dataclass(frozen=True, slots=True)
class Joint:
    """The weights, common eigenvectors, the columns of `vectors`, and each layer's eigenvalues in their order."""

    weights: tuple[Matrix, ...]
    vectors: Matrix
    eigenvalues: tuple[tuple[int, ...], ...]

    def __str__(self) -> str:
        shown = ", ".join(
            f"W^{k} = {[[str(x) for x in row] for row in w]}" for k, w in enumerate(self.weights, start=1)
        )
        return shown.replace("'", "")


_JOINT = Joint((matrix([[2, -1], [0, 1]]), matrix([[1, 1], [0, 2]])), matrix([[1, 1], [0, 1]]), ((2, 1), (1, 2)))
_SIZE = "n=2, L=2"


def _from_the_factors(_: Context) -> Computed:
    """v_1 . v_2, and the indices whose eigenvalue is strictly the greatest in modulus in every layer."""
    first, second = transpose(_JOINT.vectors)
    inner = sum((a * b for a, b in zip(first, second, strict=True)), Fraction(0))
    return Computed((inner, _dominant(_JOINT.eigenvalues)), Scope.of(_SIZE))


def _nearby(_: Context) -> Computed:
    """The indices that are dominant for some choice of eigenvalues within 1/4 of these: the corners have the extremes."""
    signs = product_of((Fraction(-1, 4), Fraction(1, 4)), repeat=4)
    tables = [((2 + a, 1 + b), (1 + c, 2 + d)) for a, b, c, d in signs]
    return Computed(frozenset().union(*map(_dominant, tables)), Scope.of(f"{_SIZE}, eigenvalues within 1/4"))


def _dominant(eigenvalues: Sequence[Sequence[Any]]) -> frozenset[int]:
    size = range(len(eigenvalues[0]))
    return frozenset(i for i in size if all(abs(row[i]) > abs(row[j]) for row in eigenvalues for j in size if j != i))


def _from_the_matrices(_: Context) -> Computed:
    """The same by SymPy's eigenvectors of each matrix, scaled to a last nonzero entry of one, without the factors."""
    pairs = [{_scaled(vector): value for value, _, (vector,) in sympy.Matrix(w).eigenvects()} for w in _JOINT.weights]
    common = sorted(set(pairs[0]) & set(pairs[1]), key=str)
    inner = sum((a * b for a, b in zip(*common, strict=True)), sympy.Integer(0))
    table = [[one[vector] for vector in common] for one in pairs]
    return Computed((Fraction(int(inner)), _dominant(table)), Scope.of(_SIZE))


def _scaled(vector: Any) -> tuple[Any, ...]:
    entries = list(vector)
    last = next(value for value in reversed(entries) if value != 0)
    return tuple(value / last for value in entries)


# The repair.


def _symmetric_pairing(_: Context) -> Computed:
    """v . W w - w . W v for W = B + B^T and for W = B, in index notation."""
    known = {"B": Opaque("B", ("n", "n")), "v": Opaque("v", ("n",)), "w": Opaque("w", ("n",))}
    pairing = "v[i] * B[{0}] * w[j]"
    general = f"{pairing.format('i,j')} - w[i] * B[i,j] * v[j]"
    symmetric = f"{general} + {pairing.format('j,i')} - w[i] * B[j,i] * v[j]"
    found = {"symmetric": show(parse(symmetric, known)), "any W vanishes": not parse(general, known)}
    shown = r"(\lambda_i - \lambda_j)\, v_i^{\mathsf T} v_j = v_i^{\mathsf T} (W^{\mathsf T} - W)\, v_j = 0"
    return Computed(found, sizes.of_terms(parse(general, known)), shown)


def _orthogonal_factors(_: Context) -> Computed:
    """W - W^T for W = V D V', the transpose read backwards; V D V' V C V' with and without V' V = 1."""

    def backwards(polynomial: Words) -> Words:
        """The transpose: D is diagonal, V' stands for V^T."""
        letters = {"V": "V'", "V'": "V", "D": "D", "C": "C"}
        return {tuple(letters[x] for x in reversed(word)): c for word, c in polynomial.items()}

    w = words("V D V'")
    both, orthogonal = product(w, words("V C V'")), {"V' V": ""}
    found = {
        "W - W^T": w == backwards(w),
        "W W~ with V' V = 1": modulo(both, orthogonal) == words("V D C V'"),
        "W W~ without": both == words("V D C V'"),
    }
    shapes: dict[str, tuple[str, str]] = dict.fromkeys(("V", "V'", "D", "C"), ("n", "n"))
    return Computed(found, sizes_of_words(shapes, both), r"W = V D V^{\mathsf T} = W^{\mathsf T}")


_FACTORS = {
    "W - W^T": True,
    "W W~ with V' V = 1": True,
    "W W~ without": False,
}


def _dominance(_: Context) -> Computed:
    """Moduli of two products, the first strictly greater, and of the factors of one more layer."""
    found = dominating()
    shown = r"|\lambda_1^l| > |\lambda_i^l| \ \forall l \implies \prod_l |\lambda_1^l| > \prod_l |\lambda_i^l|"
    return Computed(found, found.sizes, shown)


def _dominant_products(_: Context) -> Computed:
    """The counterexample's product; two layers that have no dominant index, and their product, which has one."""
    first, second = _JOINT.weights
    layers = ((3, 1), (2, 3))
    found = {
        "W^2 W^1 of the counterexample": multiply(second, first),
        f"dominant in {layers[0]}, {layers[1]}": _dominant(layers),
        "dominant in their product": _dominant([[one * other for one, other in zip(*layers, strict=True)]]),
    }
    return Computed(found, Scope.of(_SIZE))


_PRODUCTS: Mapping[str, object] = {
    "W^2 W^1 of the counterexample": matrix([[2, 0], [0, 2]]),
    "dominant in (3, 1), (2, 3)": frozenset[int](),
    "dominant in their product": frozenset({0}),
}


def _small_symmetric(_: Context) -> Computed:
    """For 2 x 2 matrices with entries -2..2 and two distinct real eigenvalues: symmetric, and orthogonal eigenvectors."""
    seen = {"symmetric": set[bool](), "not symmetric": set[bool]()}
    for a, b, c, d in product_of(range(-2, 3), repeat=4):
        trace, det = a + d, a * d - b * c
        root = trace * trace - 4 * det
        if root <= 0 or int(root**0.5 + 0.5) ** 2 != root:
            continue
        r = int(root**0.5 + 0.5)
        low, high = Fraction(trace - r, 2), Fraction(trace + r, 2)
        vectors = [_kernel_vector(a - v, b, c, d - v) for v in (low, high)]
        inner = sum(p * q for p, q in zip(*vectors, strict=True))
        seen["symmetric" if b == c else "not symmetric"].add(inner == 0)
    return Computed(seen, Scope.of("n=2, entries -2..2, rational distinct eigenvalues"))


def _kernel_vector(a: Fraction, b: int, c: int, d: Fraction) -> tuple[Fraction | int, Fraction | int]:
    """A nonzero vector in the kernel of the singular matrix [[a, b], [c, d]]."""
    return (b, -a) if a or b else (d, -c) if c or d else (1, 0)


_SEEN = {"symmetric": {True}, "not symmetric": {False}}


def _diagonalises(joint: Joint) -> bool:
    columns = transpose(joint.vectors)
    return all(
        multiply(w, tuple((x,) for x in v)) == tuple((value * x,) for x in v)
        for w, values in zip(joint.weights, joint.eigenvalues, strict=True)
        for v, value in zip(columns, values, strict=True)
    )


_SYMMETRIC = Argument(
    "Eigenvectors of a symmetric matrix",
    "index notation",
    _symmetric_pairing,
    {"symmetric": "0", "any W vanishes": False},
    {"every $W$ does": {"symmetric": "0", "any W vanishes": True}},
    explanation=r"So eigenvectors that differ in $\lambda^l$ for some $l$ are orthogonal; among those that differ in none, an "
    "orthonormal basis may be chosen. Each layer is considered by itself, so that their number does not matter.",
)
_ORTHONORMAL = Argument(
    "Orthonormal eigenvectors make $W$ symmetric",
    "identity",
    _orthogonal_factors,
    _FACTORS,
    {
        "$W$ is not symmetric": {**_FACTORS, "W - W^T": False},
        "$V' V = 1$ is not needed for products": {**_FACTORS, "W W~ without": True},
    },
    explanation=r"$V' = V^{\mathsf T}$. The transpose of $V D V^{\mathsf T}$ is $V D V^{\mathsf T}$. Read from left to right, the "
    "words are of any size.",
)
_SMALL_SYMMETRIC = Argument(
    r"All $2 \times 2$ matrices with small entries and distinct rational eigenvalues",
    "explicit",
    _small_symmetric,
    _SEEN,
    {
        "others have orthogonal eigenvectors too": {**_SEEN, "not symmetric": {True, False}},
        "symmetric ones may lack them": {**_SEEN, "symmetric": {True, False}},
    },
)
_DOMINANCE = Argument(
    "Dominance in every layer, and in the product",
    "inequality",
    _dominance,
    lambda s, t: s * t,
    {
        "by the sum of the gaps": lambda s, t: s + t,
        "by twice the product of the gaps": lambda s, t: 2 * s * t,
        "by nothing": lambda s, t: 0 * s,
    },
    certified(stays_dominant),
    explanation="The gap after one more layer is $s t$ at least, $s > 0$ being that so far and $t > 0$ that of the layer; induction "
    "from the first layer. The other index is any of those that are not dominant.",
)
_DOMINANT_PRODUCTS = Argument(
    "Products of two layers without a dominant index",
    "instance",
    _dominant_products,
    _PRODUCTS,
    {
        "the counterexample has a dominant direction": {
            **_PRODUCTS,
            "W^2 W^1 of the counterexample": matrix([[4, 0], [0, 1]]),
        },
        "dominance in the product needs it in every layer": {
            **_PRODUCTS,
            "dominant in their product": frozenset[int](),
        },
    },
)

_NOT_ORTHOGONAL = Argument(
    "The inner product from $V$",
    "instance",
    _from_the_factors,
    lambda found: found[0] == 1,
    {
        PRINTED: property_of((Fraction(0), frozenset[int]()))(lambda found: found[0] == 0),
        "an obtuse angle": lambda found: found[0] < 0,
    },
    matches,
)
_ORTHOGONAL = Clause(
    "The common eigenvectors $v_i$ of jointly diagonalisable $W^l$ are orthogonal: read as a consequence of Assumption "
    "1; read as a hypothesis, as in RS-T1 to RS-R3, there is nothing to refute.",
    {"n": 1},
    counterexample=Counterexample(
        instance=_JOINT,
        picture=lambda one: directions(one.vectors),
        sentence=r"Two $2 \times 2$ matrices have the common eigenvectors (1, 0) and (1, 1), and no others.",
        latex=r"W^1 = \begin{pmatrix} 2 & -1 \\ 0 & 1 \end{pmatrix}, \quad W^2 = \begin{pmatrix} 1 & 1 \\ 0 & 2 \end{pmatrix}: \quad v_1^{\mathsf T} v_2 = 1",
        routes=(
            _NOT_ORTHOGONAL,
            replace(
                _NOT_ORTHOGONAL,
                title="The same from the matrices, by SymPy's eigenvectors",
                compute=_from_the_matrices,
            ),
        ),
    ),
    repair=Repair(
        sentence="Common eigenvectors can be chosen orthonormal exactly when every $W^l$ is symmetric (real eigenvalues).",
        latex=r"V^{\mathsf T} V = I \iff W^l = (W^l)^{\mathsf T} \ \forall l",
        arguments=(_SYMMETRIC, _ORTHONORMAL, _SMALL_SYMMETRIC),
        for_all={"n": 1},
        changes=(
            Change(
                "orthogonal vectors",
                "can be chosen orthonormal exactly when every $W^l$ is symmetric",
                "The weights are symmetric.",
            ),
        ),
    ),
)
# One layer by itself.


def _dominant_in_a_layer(_: Context) -> Computed:
    """How many indices are dominant in each layer with moduli 1..4, by n and by whether the greatest modulus occurs twice."""
    found = dict[int, dict[str, set[int]]]()
    for n in (1, 2, 3, 4):
        found[n] = {"once": set(), "twice": set()}
        for row in product_of(range(1, 5), repeat=n):
            ties = row.count(max(row)) > 1
            found[n]["twice" if ties else "once"].add(len(_dominant([row])))
    return Computed(found, Scope.over(n=found))


def _counts(once: int, twice: int) -> dict[int, dict[str, set[int]]]:
    return {n: {"once": {once}, "twice": {twice} if n > 1 else set()} for n in (1, 2, 3, 4)}


def _one_index_more(_: Context) -> Computed:
    """The modulus of a dominant index, r + s > r, beside a new one that is greater or less by t: the gaps of the one dominant then."""
    o = orthant("s t", "r")
    first = o["r"] + o["s"]
    greater, less = (first + o["t"] - first, first + o["t"] - o["r"]), (first - (first - o["t"]), first - o["r"])
    return Computed((o, *greater, *less), standing_for(occurring(less[1]), {"s": "n"}))


def _stay_apart(found: tuple[Orthant, *tuple[Element, ...]], claim: Callable[[Element, Element], Element]) -> None:
    o, *gaps = found
    for gap in gaps:
        o.above_zero("the least gap", claim(o["s"], o["t"]))
        # s t/(s + t) is at most either of them.
        o.at_least_zero("the least gap", gap - claim(o["s"], o["t"]))


def _no_ties(_: Context) -> Computed:
    """lambda_i^2 - lambda_j^2 at lambda_k = k, i = j + s."""
    o = orthant("s", "j")
    difference = (o["j"] + o["s"]) ** 2 - o["j"] ** 2
    return Computed(
        (o, difference), standing_for(occurring(difference), {"j": "n"}), r"i^2 - j^2 \ge (i - j)^2 > 0 \quad (i > j)"
    )


def _at_least_this(found: tuple[Orthant, Element], claim: Callable[[Element, Element], Element]) -> None:
    o, difference = found
    o.above_zero("the claimed difference", claim(o["j"], o["s"]))
    o.at_least_zero("the difference", difference - claim(o["j"], o["s"]))


_IN_EACH_LAYER = Clause(
    r"In each layer some $\lvert\lambda_i^l\rvert$ is greater than all others; which $i$ it is may change from layer to layer.",
    {"n": 1},
    (
        Induction(
            "n",
            Argument(
                "All rows of moduli 1, ..., 4",
                "identity",
                _dominant_in_a_layer,
                _counts(1, 0),
                {"always one": _counts(1, 1), "none": _counts(0, 0)},
            ),
            Argument(
                "One eigenvalue more",
                "inequality",
                _one_index_more,
                lambda s, t: s * t / (s + t),
                {"by the sum of the gaps": lambda s, t: s + t, "by nothing": lambda s, t: 0 * s},
                certified(_stay_apart),
                explanation="$s$ is the gap of the index that was dominant and $t$ the distance of the new modulus from its own: "
                "the new index or the former one is dominant.",
            ),
        ),
    ),
    reading=ExceptionalSet(
        r"$\lvert\lambda_i^l\rvert = \lvert\lambda_j^l\rvert$ for some $i \ne j$",
        fails=Argument(
            r"$\lambda^l = (1, -1)$",
            "instance",
            lambda _: Computed(_dominant([(1, -1)]), Scope.of("n=2, L=1")),
            frozenset[int](),
            {PRINTED: frozenset({0}), "the other one": frozenset({1})},
        ),
        null=Argument(
            r"$\lambda_i^2 - \lambda_j^2$ does not vanish everywhere",
            "inequality",
            _no_ties,
            lambda j, s: s**2,
            {"four times as much": lambda j, s: 4 * s**2, "nothing": lambda j, s: 0 * s},
            certified(_at_least_this),
            explanation=r"For each of finitely many pairs of indices, at $\lambda_k = k$.",
        ),
    ),
)

_AS_A_HYPOTHESIS = Clause(
    "Read as a hypothesis, as 's.t.' in Equations 9, 16 and 22 has it: an index that is dominant in every layer is dominant in the "
    "product, which may have a dominant index without it.",
    {"L": 1},
    (_DOMINANCE, _DOMINANT_PRODUCTS),
)
_ONE_DOMINATES = Clause(
    r"$\lvert\lambda_1^l\rvert > \lvert\lambda_i^l\rvert$ for every layer and every $i \ge 2$, as expected for "
    "eigenvalues: read as a consequence of Assumption 1.",
    {"L": 1, "n": 2},
    counterexample=Counterexample(
        instance=_JOINT,
        sentence="The first eigenvector is dominant in one of the two matrices and the second in the other, and so it is for all "
        "eigenvalues nearby; their product is $2 I$, which has no dominant direction at all.",
        picture=lambda one: images_of_the_circle(one.weights),
        latex=r"\lambda^1 = (2, 1),\ \lambda^2 = (1, 2): \quad W^2 W^1 = 2 I",
        routes=(
            Argument(
                "All eigenvalues within 1/4 of these",
                "instance",
                _nearby,
                frozenset[int](),
                {PRINTED: frozenset({0}), "the other one is dominant": frozenset({1})},
            ),
            Argument(
                "From the matrices, by SymPy's eigenvectors",
                "instance",
                _from_the_matrices,
                lambda found: not found[1],
                {
                    PRINTED: property_of((Fraction(1), frozenset({0})))(lambda found: len(found[1]) == 1),
                    "both are": lambda found: len(found[1]) == 2,
                },
                matches,
            ),
        ),
    ),
    repair=Repair(
        latex=r"\forall l\ \exists i_l: \quad |\lambda_{i_l}^l| > |\lambda_i^l| \quad (i \ne i_l)",
        clauses=(_IN_EACH_LAYER,),
        changes=(
            Change(
                "as expected for eigenvalues",
                "may change from layer to layer",
                "The dominant index is each layer's own, off a null set; that it is the same in all layers is a hypothesis.",
            ),
        ),
    ),
    other_readings=(_AS_A_HYPOTHESIS,),
)

EX6 = Statement(
    id="EX-6",
    title="Common eigenvectors are orthogonal, and one of them is dominant",
    source=source(
        "Definition 1, proof of Theorem 1",
        "a set of eigenvectors (i.e. orthogonal vectors) as in Assumption 1 ... |lambda_1^l| > |lambda_i^l| : 2 <= i <= n, as expected for eigenvalues",
    ),
    latex=r"v_i^{\mathsf T} v_j = 0 \ (i \ne j), \qquad |\lambda_1^l| > |\lambda_i^l| \quad (2 \le i \le n)",
    clauses=(_ORTHOGONAL, _ONE_DOMINATES),
    hypotheses=(
        Hypothesis(
            r"the $v_i$ are a basis of $\mathbb R^n$",
            lambda joint: rank(joint.vectors) == len(joint.vectors),
            fails_on=replace(_JOINT, vectors=matrix([[1, 1], [1, 1]])),
            quote="forming a basis in R^n",
            where="Assumption 1",
        ),
        Hypothesis(
            r"$W^l v_i = \lambda_i^l v_i$ for every $l$ and $i$ (Assumption 1)",
            _diagonalises,
            fails_on=replace(_JOINT, eigenvalues=((1, 2), (1, 2))),
            quote="Using Assumption 1 for layer l, we can write W^l v_i = lambda_i^l v_i",
            where="Equation 10",
        ),
    ),
    kind="algebra",
    notes="Definition 1 writes 'i.e. orthogonal vectors' of eigenvectors as in Assumption 1: here that is a claim, in RS-T1 to "
    "RS-R3 a hypothesis, which counterexamples satisfy; so with the dominant index, of which the proofs say 'as expected for eigenvalues'. Appendix A2 says the same of $V$, 'where $V$ is a unitary "
    "matrix', and uses $V^{-1} V = I$ alone, which every basis of eigenvectors satisfies.",
)

STATEMENTS = (EX6,)
