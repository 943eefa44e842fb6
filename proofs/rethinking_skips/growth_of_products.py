"""Products of jointly diagonalisable layers: h^L in their eigenbasis, and how products grow with depth.

A_L = V D V^{-1} is the product of L layers, D = diag_i prod_l mu_i^l with mu_i^l = lambda_i^l for a plain layer and
1 + sum_k lambda_i^{l,k} with a shortcut; a ~ b means |a - b| / |b| -> 0 as L -> infinity (relative error).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeAlias

from resproof.architectures.nodes import Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import normal
from resproof.proofs.rethinking_skips.depth_products import (
    NearOne,
    RunningSum,
    exponential,
    growing,
    shrinking,
    stays_above,
    stays_below,
    stays_near_one,
)
from resproof.proofs.rethinking_skips.joint_families import (
    apply,
    diagonal,
    family,
    first_dominates,
    jointly_diagonalisable,
    matrix_of,
    nonsingular_weights,
    orthogonal_eigenvectors,
)
from resproof.proofs.routes.certificates import certified
from resproof.proofs.routes.predicates import at_most
from resproof.proofs.statement import Argument, Computed, Context, Disagreement, Hypothesis, Induction
from resproof.proofs.theory.linear_networks import entries, outputs
from resproof.symbolic.algebra.matrices import Matrix, inverse, matrix, multiply
from resproof.symbolic.algebra.noncommutative import Relations, Words, modulo, sizes, words
from resproof.symbolic.algebra.noncommutative import add as add_words
from resproof.symbolic.algebra.noncommutative import product as word_product
from resproof.symbolic.algebra.noncommutative import show as show_words
from resproof.symbolic.algebra.rings import Plain, Ring, flint_ring
from resproof.symbolic.certificates import Element
from resproof.symbolic.scope import Scope

# The printed hypotheses, as predicates on an exact family.

_ORDERED = family([[2, 1]], shortcut=True)
_REVERSED = family([[1, 2]], shortcut=True)

SQUARE = Hypothesis(
    "the weights are real square matrices",
    lambda one: all(len(row) == len(w) == one.width for w in one.weights for row in w),
    fails_on=replace(_ORDERED, weights=(*_ORDERED.weights, matrix_of(matrix([[2, 0, 0], [0, 1, 0]])))),
    quote="all layer weight matrices, W^l in R^{n x n}",
    where="Assumption 1",
)
JOINT = Hypothesis(
    "Assumption 1: all weight matrices have the eigenvectors $v_i$, a basis",
    jointly_diagonalisable,
    # Triangular, so that its second eigenvector is another.
    fails_on=replace(_ORDERED, weights=(matrix_of(matrix([[2, 1], [0, 1]])),)),
    quote="assumed to be jointly diagonalizable; implying the same eigenvectors {v_i}_{i=1}^n, forming a basis in R^n",
    where="Assumption 1",
)
ORTHOGONAL = Hypothesis(
    "Definition 1: the eigenvectors are orthogonal",
    orthogonal_eigenvectors,
    fails_on=replace(family([[3, 2, 1]], shortcut=True), vectors=matrix([[1, 1, 0], [0, 1, 0], [0, 0, 1]])),
    holds_on=replace(_ORDERED, vectors=matrix([[1, 1], [1, -1]])),
    quote="a set of eigenvectors (i.e. orthogonal vectors) as in Assumption 1",
    where="Definition 1",
)
NONSINGULAR = Hypothesis(
    "Corollary 1: the weight matrices are nonsingular",
    nonsingular_weights,
    fails_on=family([[2, 0]], shortcut=True),
    quote="W^l is therefore guaranteed to be a non-singular matrix at the start of training",
    where="Corollary 1",
)
DOMINANT = Hypothesis(
    r"$\lvert\lambda_1^l\rvert > \lvert\lambda_i^l\rvert$ for $i \ge 2$, in every layer",
    lambda one: one.width > 1 and all(first_dominates(path) for path in one.paths),
    fails_on=replace(_ORDERED, paths=(*_ORDERED.paths, *_REVERSED.paths)),
    quote="s.t. |lambda_1^l| > |lambda_i^l| : 2 <= i <= n",
    where="Theorems 1 to 3",
)
PRINTED_FAMILY = (SQUARE, JOINT, ORTHOGONAL, NONSINGULAR, DOMINANT)
"""What Theorems 1 to 3 suppose of the weights, whatever the kind of network."""
DOMINANT_SUMS = Hypothesis(
    "the same for the sums over the paths (appendix A3)",
    lambda one: one.width > 1 and first_dominates(one.sums),
    fails_on=family([[2, 1, 3]], shortcut=True),
    quote="|p_1^{l,k}| > |p_i^{l,k}| : 2 <= i <= n",
    where="appendix A3",
)


PLAIN = Hypothesis(
    "a linear plain network",
    lambda one: not one.shortcut and len(one.paths) == 1,
    fails_on=_ORDERED,
    quote="a linear L-layer PlainNet",
    where="Theorem 1",
)
RESIDUAL = Hypothesis(
    "a linear residual network",
    lambda one: one.shortcut and len(one.paths) == 1,
    fails_on=replace(_ORDERED, shortcut=False),
    quote="a linear L-layer ResNet",
    where="Theorem 2",
)
AGGREGATED = Hypothesis(
    "a linear ResNeXt with two paths or more",
    lambda one: one.shortcut and len(one.paths) > 1,
    fails_on=_ORDERED,
    quote="via m paths through every ResNeXt block ... a linear L-layer ResNeXt",
    where="section 3.2, Theorem 3",
)

# h^L in the common eigenbasis.

_SIMILAR: Relations = {"V' V": ""}


_SHAPES = {**dict.fromkeys(("V", "V'", "D", "P", "S"), ("d", "d")), "a": ("d", "1")}


def _layer_on(before: Words) -> tuple[dict[str, str], Scope]:
    """V D V' applied to what stands before it, with and without V' V = 1, and with a shortcut."""
    plain = word_product(words("V D V'"), before)
    residual = word_product(words("1 + V D V'"), before)
    found = {
        "plain": show_words(modulo(plain, _SIMILAR)),
        "shortcut": show_words(modulo(residual, _SIMILAR)),
        "any V'": show_words(modulo(plain, {})),
    }
    return found, sizes(_SHAPES, plain, residual)


def _first_layer(_: Context) -> Computed:
    """A layer applied to x = V a."""
    found, scope = _layer_on(words("V a"))
    return Computed(found, Scope.over(L=1) & scope, r"V D_1 V^{-1}\, V \alpha = V D_1 \alpha")


_FIRST = {"plain": "+1 V D a", "shortcut": "+1 V D a +1 V a", "any V'": "+1 V D V' V a"}

FIRST_LAYER = Argument(
    "The first layer in the eigenbasis",
    "identity",
    _first_layer,
    _FIRST,
    {
        "the eigenvalues beside $x$": {**_FIRST, "plain": "+1 D V a"},
        "whatever $V'$ is": {**_FIRST, "any V'": _FIRST["plain"]},
        "without the shortcut": {**_FIRST, "shortcut": _FIRST["plain"]},
    },
    explanation=r"$x = V \alpha$.",
)


def _one_layer_more(_: Context) -> Computed:
    """A layer applied to V P a, P being the product over the layers so far."""
    found, scope = _layer_on(words("V P a"))
    return Computed(found, scope, r"V D_{L+1} V^{-1}\, V D_L \cdots D_1 \alpha = V D_{L+1} D_L \cdots D_1 \alpha")


_ONE_MORE = {"plain": "+1 V D P a", "shortcut": "+1 V D P a +1 V P a", "any V'": "+1 V D V' V P a"}

ONE_LAYER_MORE = Argument(
    "One layer more in the eigenbasis",
    "identity",
    _one_layer_more,
    _ONE_MORE,
    {
        "the factors exchanged": {**_ONE_MORE, "plain": "+1 V P D a"},
        "whatever $V'$ is": {**_ONE_MORE, "any V'": _ONE_MORE["plain"]},
        "the shortcut counted twice": {**_ONE_MORE, "shortcut": "+1 V D P a +2 V P a"},
    },
    explanation=r"If $h^L = V P \alpha$ with a diagonal $P$ then $h^{L+1} = V (D P) \alpha$, with a shortcut $V ((1 + D) P) \alpha$. "
    "The $i$-th entry of $D P$ is the product of the eigenvalues. $D$ is the sum over the paths where there are several.",
)

IN_THE_EIGENBASIS = Induction("L", FIRST_LAYER, ONE_LAYER_MORE)
"""h^L = V D_L ... D_1 alpha."""


def _path_on(before: Words) -> tuple[str, Scope]:
    """V (S + D) V', S being the eigenvalues of the paths before."""
    found = word_product(words("V"), add_words(before, words("D")), words("V'"))
    return show_words(found), sizes(_SHAPES, found)


def _first_path(_: Context) -> Computed:
    found, scope = _path_on({})
    return Computed(found, Scope.over(paths=1) & scope)


def _one_path_more(_: Context) -> Computed:
    found, scope = _path_on(words("S"))
    return Computed(found, scope, r"V (S + D) V^{-1} = V S V^{-1} + V D V^{-1}")


SUM_OF_PATHS = Induction(
    "paths",
    Argument("One path in the eigenbasis", "identity", _first_path, "+1 V D V'", {"the bases exchanged": "+1 V' D V"}),
    Argument(
        "One path more",
        "identity",
        _one_path_more,
        "+1 V D V' +1 V S V'",
        {"the paths in succession": "+1 V D V' V S V'", "the last path alone": "+1 V D V'"},
        explanation="Paths with common eigenvectors add up to one with the sums $p_i$ of their eigenvalues.",
    ),
)
"""sum_k W^{l,k} = V diag(p^l) V^{-1}."""


def stacked(depth: int, paths: int, *, shortcut: bool) -> ResidualUnit:
    """L layers written out, each h + sum_k W^{l,k} h or W^l h."""
    h: Expression = Input("d")
    for layer in range(1, depth + 1):
        total: Expression | None = h if shortcut else None
        for k in range(1, paths + 1):
            image = Weight("d", "d", initial=normal("1/d"), name=f"W{layer}_{k}") @ h
            total = image if total is None else total + image
        assert total is not None
        h = total
    return ResidualUnit(h)


_BASES: Mapping[int, Matrix] = {
    2: matrix([[1, 1], [-1, 2]]),
    3: matrix([[1, 0, 2], [1, 1, 0], [0, 3, 1]]),
}
"""Eigenvectors that are not orthogonal."""


@dataclass(frozen=True, slots=True)
class Coordinates:
    """V^{-1} h^L of a small network, as polynomials in the eigenvalues and alpha, and the ring that they live in."""

    depth: int
    paths: int
    shortcut: bool
    width: int
    ring: Ring
    values: tuple[Any, ...]

    def eigenvalue(self, layer: int, path: int, i: int) -> Any:
        """lambda_i^{l,k}."""
        return self.ring.symbol(f"s{layer}_{path}_{i}")

    def __str__(self) -> str:
        kind = f"{self.paths} paths, " if self.paths > 1 else ""
        return f"{kind}{'shortcuts' if self.shortcut else 'plain'}, d={self.width}, L={self.depth}"


def _coordinates(depth: int, paths: int, width: int, *, shortcut: bool) -> Coordinates:
    numbers = [(layer, k) for layer in range(1, depth + 1) for k in range(1, paths + 1)]
    names = [f"s{layer}_{k}_{i}" for layer, k in numbers for i in range(1, width + 1)]
    ring = flint_ring([*names, *(f"a{i}" for i in range(1, width + 1))])
    v, back = (_lifted(one, ring) for one in (_BASES[width], inverse(_BASES[width])))
    at: dict[str, Any] = {}
    for layer, k in numbers:
        d = diagonal([ring.symbol(f"s{layer}_{k}_{i}") for i in range(1, width + 1)])
        at |= entries(f"W{layer}_{k}", multiply(multiply(v, d), back))
    x = apply(v, [ring.symbol(f"a{i}") for i in range(1, width + 1)])
    at |= {f"x_{i}_1": value for i, value in enumerate(x, 1)}
    h = [substituted(row[0], ring, at) for row in outputs(stacked(depth, paths, shortcut=shortcut), width)]
    return Coordinates(depth, paths, shortcut, width, ring, apply(back, h))


def _lifted(a: Matrix, ring: Ring) -> Matrix:
    return tuple(tuple(ring.number(x) for x in row) for row in a)


def substituted(plain: Plain, ring: Ring, at: Mapping[str, Any]) -> Any:
    """A polynomial with elements of another ring for its symbols."""
    total = ring.zero
    for monomial, coefficient in plain.items():
        term = ring.number(coefficient)
        for name, power in monomial:
            term = term * at[name] ** power
        total = total + term
    return total


def small_networks(*cases: tuple[int, int, int], shortcut: bool) -> Callable[[Context], Computed]:
    """Networks of (L, paths, d) run on symbols, and their outputs in the eigenbasis."""

    def compute(_: Context) -> Computed:
        found = [_coordinates(*case, shortcut=shortcut) for case in cases]
        return Computed(found, Scope.of(*map(str, found)))

    return compute


Multiplier: TypeAlias = Callable[[Coordinates, int, int], Any]
"""By what layer l multiplies v_i."""


def multiplier(one: Coordinates, layer: int, i: int) -> Any:
    """lambda_i^l, or 1 + sum_k lambda_i^{l,k}."""
    start = ring_number(one, int(one.shortcut))
    return sum((one.eigenvalue(layer, k, i) for k in range(1, one.paths + 1)), start)


def ring_number(one: Coordinates, value: int) -> Any:
    """A number in the ring of a small network."""
    return one.ring.zero + one.ring.number(value)


def same_coordinates(found: Sequence[Coordinates], claim: Multiplier) -> None:
    """Pass when the i-th coordinate of h^L is alpha_i times the product of the multipliers.

    Raises:
        Disagreement: it is not.
    """
    for one in found:
        for i, value in enumerate(one.values, 1):
            total = one.ring.symbol(f"a{i}")
            for layer in range(1, one.depth + 1):
                total = total * claim(one, layer, i)
            if total != value:
                raise Disagreement(f"{one}: coordinate {i} of the output is another polynomial")


MULTIPLIER_NEIGHBOURS: Mapping[str, Multiplier] = {
    "one layer for all": lambda one, layer, i: multiplier(one, 1, i),
    "the first eigenvalue for all": lambda one, layer, i: multiplier(one, layer, 1),
    "one shortcut more": lambda one, layer, i: multiplier(one, layer, i) + ring_number(one, 1),
}


def run_networks(title: str, *cases: tuple[int, int, int], shortcut: bool) -> Argument:
    """Small networks run on symbols against products of multipliers."""
    return Argument(
        title,
        "explicit",
        small_networks(*cases, shortcut=shortcut),
        multiplier,
        MULTIPLIER_NEIGHBOURS,
        same_coordinates,
        explanation=r"The network itself, at $W^{l,k} = V\, \mathrm{diag}(\lambda^{l,k}) V^{-1}$ with symbolic eigenvalues, "
        r"eigenvectors that are not orthogonal, and symbolic $\alpha$.",
    )


PLAIN_STATES = (
    IN_THE_EIGENBASIS,
    run_networks("Small plain networks", (1, 1, 2), (2, 1, 2), (3, 1, 2), (2, 1, 3), shortcut=False),
)
RESIDUAL_STATES = (
    IN_THE_EIGENBASIS,
    run_networks("Small residual networks", (1, 1, 2), (2, 1, 2), (3, 1, 2), (2, 1, 3), shortcut=True),
)
AGGREGATED_STATES = (
    IN_THE_EIGENBASIS,
    SUM_OF_PATHS,
    run_networks("Small ResNeXts", (1, 2, 2), (2, 2, 2), (2, 3, 2), (1, 2, 3), shortcut=True),
)
"""h^L in the eigenbasis, for each kind of network."""


# When a product of factors below 1 tends to zero.


def _shrinking(_: Context) -> Computed:
    found = shrinking()
    return Computed(found, found.sizes, r"1 - \sum_l g_l \le \prod_l (1 - g_l) \le \frac{1}{1 + \sum_l g_l}")


def _growing(_: Context) -> Computed:
    found = growing()
    return Computed(found, found.sizes, r"\prod_l (1 + a_l) \ge 1 + \sum_l a_l")


Bound: TypeAlias = Callable[[Element], Element]


def _two_bounds(found: RunningSum, claim: tuple[Bound, Bound]) -> None:
    below, above = claim
    stays_above(found, below)
    stays_below(found, above)


def _below(s: Element) -> Element:
    """1 - sum."""
    return 1 - s


def _above(s: Element) -> Element:
    """1/(1 + sum)."""
    return 1 / (1 + s)


VANISHING = Argument(
    "A product of ratios tends to zero exactly when their gaps have an infinite sum",
    "inequality",
    _shrinking,
    (_below, _above),
    {
        "half the sum below": (lambda s: 1 - s / 2, _above),
        "the product is at most 1 - sum": (_below, lambda s: 1 - s),
        "the square above": (_below, lambda s: 1 / (1 + s) ** 2),
        "twice 1 - sum below": (lambda s: 2 * (1 - s), _above),
        "half of it above": (_below, lambda s: 1 / (2 * (1 + s))),
    },
    certified(_two_bounds),
    explanation=r"Ratios $\lvert\mu_i^l / \mu_1^l\rvert = 1 - g_l$, $0 \le g_l \le 1$. If $\sum g_l$ is infinite, the product is at "
    r"most $1/(1 + \mathrm{sum}) \to 0$. If it is finite and no ratio is 0, from some layer $N$ on the rest of the sum is "
    "at most 1/2, so the product stays above half of its value at $N$. Since the logarithm of a product is the sum of "
    r"the logarithms, the same holds of sum log of the ratios $\to -\infty$; a uniform gap, "
    r"$\lvert\mu_i^l\rvert \le q \lvert\mu_1^l\rvert$ with $q < 1$, gives at most $q^L$.",
)

GROWING = Argument(
    r"A product of factors $1 + a_l \ge 1$ is at least $1 + \sum a_l$",
    "inequality",
    _growing,
    lambda s: 1 + s,
    {
        "at least 1 + 2 sum": lambda s: 1 + 2 * s,
        "at least the square": lambda s: (1 + s) ** 2,
        "at least twice that": lambda s: 2 * (1 + s),
    },
    certified(stays_above),
    explanation=r"So $\lvert\prod \mu_1^l\rvert \to \infty$ when every $\lvert\mu_1^l\rvert \ge 1$ and "
    r"$\sum (\lvert\mu_1^l\rvert - 1)$ is infinite. Then $(\prod_i - 1)/\prod_1 = \prod_i/\prod_1 - 1/\prod_1 \to 0$ for "
    "each $i$ whose ratio tends to zero.",
)


def _near_one(_: Context) -> Computed:
    shown = r"\Bigl|\prod_l (1 + x_l) - 1\Bigr| \le \prod_l (1 + |x_l|) - 1 \le e^{\sum_l |x_l|} - 1"
    found = exponential()
    return Computed(found, found.sizes, shown)


NEAR_ONE = Argument(
    "A product of factors near 1",
    "inequality",
    _near_one,
    NearOne(lambda one, p: p - one),
    {
        "half of it": NearOne(lambda one, p: (p - one) / 2),
        "the product itself": NearOne(lambda one, p: p),
        "one less": NearOne(lambda one, p: p - 2 * one),
        "$1 + 2a$ at most $e^a$": NearOne(lambda one, p: p - one, factor=lambda a: 1 + 2 * a),
    },
    certified(stays_near_one),
    explanation=r"$\lvert P (1 + x) - 1\rvert \le \lvert P - 1\rvert (1 + \lvert x\rvert) + \lvert x\rvert$, and $e^a = 1 + a$ + "
    "terms that are not negative.",
)


_AT = (20, 40, 80)


def vanishing_instances(_: Context) -> Computed:
    """Products of ratios with gaps 0, 1/(l+1)^2, 1/(l+1) and 1/2, exactly, at L = 20, 40, 80."""
    gaps: Mapping[str, Callable[[int], Fraction]] = {
        "0": lambda number: Fraction(0),
        "1/(l+1)^2": lambda number: Fraction(1, (number + 1) ** 2),
        "1/(l+1)": lambda number: Fraction(1, number + 1),
        "1/2": lambda number: Fraction(1, 2),
    }
    found: dict[str, list[tuple[Fraction, Fraction]]] = {}
    for name, gap in gaps.items():
        p, s, values = Fraction(1), Fraction(0), list[tuple[Fraction, Fraction]]()
        for number in range(1, max(_AT) + 1):
            p, s = p * (1 - gap(number)), s + gap(number)
            if number in _AT:
                values.append((s, p))
        found[name] = values
    return Computed(found, Scope.of(f"L={', '.join(map(str, _AT))}"))


def _between(found: Mapping[str, list[tuple[Fraction, Fraction]]], claim: tuple[Callable[..., Any], ...]) -> None:
    below, above = claim
    for name, values in found.items():
        for s, p in values:
            at_most(below(s), p, f"gaps {name}, the product from below")
            at_most(p, above(s), f"gaps {name}, the product")


VANISHING_INSTANCES = Argument(
    "The two bounds on exact products",
    "instance",
    vanishing_instances,
    (lambda s: 1 - s, lambda s: 1 / (1 + s)),
    {
        "the product is at least 1/(1 + sum)": (lambda s: 1 / (1 + s), lambda s: 1),
        "at most 1 - sum": (lambda s: 1 - s, lambda s: 1 - s),
    },
    _between,
)
