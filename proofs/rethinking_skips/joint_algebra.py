"""Rethinking skip connections, the algebra: blocks, hidden states in the eigenbasis, eigenvalues and products 1 + lambda."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeAlias

from resproof.architectures.nodes import Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import normal
from resproof.proofs.rethinking_skips.documents import source
from resproof.proofs.rethinking_skips.growth_of_products import PLAIN_STATES
from resproof.proofs.rethinking_skips.joint_evidence import follow_eigenbasis, near_eigenbasis
from resproof.proofs.rethinking_skips.random_matrices import expanded
from resproof.proofs.statement import Argument, Computed, Context, Disagreement, Induction, Statement
from resproof.proofs.theory.linear_networks import entry_symbol, minus, outputs, ring_of
from resproof.symbolic.algebra.matrices import Matrix, add, eye, multiply, scale
from resproof.symbolic.algebra.noncommutative import add as add_words
from resproof.symbolic.algebra.noncommutative import product as word_product
from resproof.symbolic.algebra.noncommutative import show as show_words
from resproof.symbolic.algebra.noncommutative import sizes, words
from resproof.symbolic.algebra.rings import Plain, Ring, flint_ring, show
from resproof.symbolic.certificates import standing_for
from resproof.symbolic.scope import Scope

# RS-E3: blocks.


_SHAPES = {**dict.fromkeys(("A", "B", "P", "W"), ("d", "d")), "h": ("d", "1"), "v": ("d", "1")}


def _one_path(_: Context) -> Computed:
    """(B A + 1) h."""
    found = word_product(words("B A + 1"), words("h"))
    shown = r"(W_b^l W_b^{l-1} + I)\, h = W_b^l W_b^{l-1} h + h"
    return Computed(show_words(found), Scope.over(paths=1) & sizes(_SHAPES, found), shown)


def _path_more(_: Context) -> Computed:
    """(P + B A + 1) h, P being the sum over the paths so far."""
    found = word_product(words("P + B A + 1"), words("h"))
    return Computed(show_words(found), sizes(_SHAPES, found))


def aggregated(paths: int) -> ResidualUnit:
    """h + sum_k B_k A_k h, as an expression."""
    h = Input("d")
    total: Expression = h
    for k in range(1, paths + 1):
        a, b = (Weight("d", "d", initial=normal("1/d"), name=f"{name}{k}") for name in "AB")
        total = total + b @ a @ h
    return ResidualUnit(total)


@dataclass(frozen=True, slots=True)
class Block:
    """The output of a block of so many paths, d = 2, as polynomials in weights and input."""

    paths: int
    polynomials: list[list[Plain]]
    ring: Ring

    def matrix(self, name: str, columns: int = 2) -> Matrix:
        """The symbols of a matrix."""
        return tuple(tuple(self.ring.symbol(entry_symbol(name, i, j)) for j in range(columns)) for i in (0, 1))


def _blocks(_: Context) -> Computed:
    found = []
    for paths in (1, 2, 3):
        polynomials = outputs(aggregated(paths), 2)
        weights = [f"{n}{k}" for n in "AB" for k in range(1, paths + 1)]
        names = [entry_symbol(w, i, j) for w in weights for i in (0, 1) for j in (0, 1)]
        found.append(Block(paths, polynomials, ring_of(polynomials, *names)))
    return Computed(found, Scope.of(*(f"d=2, {one.paths} paths" for one in found)))


Formula: TypeAlias = Callable[[Block], Matrix]


def _block_matrix(one: Block, *, identities: int = 1, reverse: bool = False) -> Matrix:
    total = scale(one.ring.number(identities), tuple(tuple(one.ring.number(x) for x in row) for row in eye(2)))
    for k in range(1, one.paths + 1):
        a, b = one.matrix(f"A{k}"), one.matrix(f"B{k}")
        total = add(total, multiply(a, b) if reverse else multiply(b, a))
    return total


def _same_blocks(found: Sequence[Block], claim: Formula) -> None:
    for one in found:
        h = multiply(claim(one), one.matrix("x", 1))
        if [[one.ring.plain(value) for value in row] for row in h] != one.polynomials:
            raise Disagreement(f"{one.paths} paths: the output of the block is another polynomial")


E3 = Statement(
    id="RS-E3",
    title="Block factorisations of ResNet and ResNeXt",
    source=source(
        "Eq. 2-5",
        "given the identity matrix I, factorizing (2) results in h(x)^l = (W_b^l W_b^{l-1} + I) h(x)^{l-2}",
    ),
    sentence="A residual block is $h^l = (W_b^l W_b^{l-1} + I) h^{l-2}$, a ResNeXt block of $m$ paths is "
    r"$h^l = (\sum_k W_b^{l,k} W_b^{l-1,k} + I) h^{l-2}$.",
    for_all={"d": 1, "paths": 1},
    latex=r"h^l = \Bigl(\sum_{k=1}^m W_b^{l,k} W_b^{l-1,k} + I\Bigr)\, h^{l-2}",
    arguments=(
        Induction(
            "paths",
            Argument(
                "The factor $I$ comes out, for one path",
                "identity",
                _one_path,
                "+1 B A h +1 h",
                {"the layers exchanged": "+1 A B h +1 h", "without the shortcut": "+1 B A h"},
            ),
            Argument(
                "One path more",
                "identity",
                _path_more,
                "+1 B A h +1 P h +1 h",
                {"an identity for every path": "+1 B A h +1 P h +2 h", "the last path alone": "+1 B A h +1 h"},
                explanation="$P$ is the sum over the paths so far.",
            ),
        ),
        Argument(
            "Blocks run on symbols",
            "explicit",
            _blocks,
            _block_matrix,
            {
                "without $I$": lambda one: _block_matrix(one, identities=0),
                "an identity for every path": lambda one: (
                    _block_matrix(one, identities=one.paths) if one.paths > 1 else _block_matrix(one, identities=2)
                ),
                "the layers exchanged": lambda one: _block_matrix(one, reverse=True),
            },
            _same_blocks,
        ),
    ),
)

# RS-E12: the hidden state in the eigenbasis.

E12 = Statement(
    id="RS-E12",
    title="The hidden state in the common eigenbasis",
    source=source(
        "Eq. 12, 42, appendix A2",
        "Putting (7) and (10) into (11) and considering Assumption 1, we have ... h(x)^L = sum_{i=1}^n alpha_i v_i prod_{l=1}^L lambda_i^l",
    ),
    sentence=r"For jointly diagonalisable weights and $x = \sum_i \alpha_i v_i$ the plain network's output is "
    r"$h^L = \sum_i \alpha_i v_i \prod_l \lambda_i^l$.",
    latex=r"h^L = W^L \cdots W^1 x = \sum_{i=1}^n \alpha_i v_i \prod_{l=1}^L \lambda_i^l",
    for_all={"L": 1, "d": 1},
    arguments=PLAIN_STATES,
    evidence=(
        Argument(
            "A plain network on the digits, $L = 1000$",
            "floating point",
            follow_eigenbasis(1000),
            0.0,
            {"one per cent more": 0.01, "one layer less": None},
            near_eigenbasis,
        ),
    ),
    notes=r"Eigenvectors in $\mathbb R^n$ that form a basis have real eigenvalues. Appendix A2 takes $V$ as unitary; "
    "$V^{-1} V = I$ is all that is used, so any basis of eigenvectors does.",
)

# RS-L1: eigenvalues of W + c I.


def _shifted(_: Context) -> Computed:
    """(W + c) v - (lambda + c) v."""
    left, right = word_product(words("W + c"), words("v")), word_product(words("lam + c"), words("v"))
    moved = add_words(left, {w: -c for w, c in right.items()})
    # The numbers are multiples of the identity.
    scope = sizes({**_SHAPES, "c": ("d", "d"), "lam": ("d", "d")}, left, right)
    return Computed(show_words(moved), scope, r"(W + c I) v - (\lambda + c) v = W v - \lambda v")


def _shifted_pencil(_: Context) -> Computed:
    """det(lambda - W), and det(t - W - c I) as a function of t, d = 2, 3, as polynomials."""
    found = {}
    for d in (2, 3):
        ring = flint_ring(["lam", "c", *(f"w{i}{j}" for i in range(d) for j in range(d))])
        lam, c = ring.symbols(["lam", "c"])
        one = tuple(tuple(ring.number(x) for x in row) for row in eye(d))
        w = tuple(tuple(ring.symbol(f"w{i}{j}") for j in range(d)) for i in range(d))
        moved = add(w, scale(c, one))

        def pencil(t: Any, of: Matrix = moved, one: Matrix = one, ring: Ring = ring) -> Any:
            return expanded(minus(scale(t, one), of), ring)

        found[d] = (pencil(lam, w), pencil, lam, c)
    return Computed(found, Scope.of(*(f"d={d}" for d in found)))


def _same_pencil(
    found: Mapping[int, tuple[Any, Callable[[Any], Any], Any, Any]], claim: Callable[[Any, Any], Any]
) -> None:
    for d, (before, pencil, lam, c) in found.items():
        if pencil(claim(lam, c)) != before:
            raise Disagreement(f"d={d}: the eigenvalue lambda of W gives another of W + c I")


L1 = Statement(
    id="RS-L1",
    title="Lemma 1: eigenvalues of $W + c I$",
    source=source("Lemma 1", "it can be shown that (W + cI)v = (lambda + c)v for a scalar c"),
    sentence=r"If $W v = \lambda v$, then $(W + c I) v = (\lambda + c) v$ for every scalar $c$.",
    for_all={"d": 1},
    latex=r"W v = \lambda v \implies (W + c I)\, v = (\lambda + c)\, v",
    arguments=(
        Argument(
            r"The difference of both sides is $W v - \lambda v$",
            "identity",
            _shifted,
            "+1 W v -1 lam v",
            {"$c v$ is left over": "+1 W v +1 c v -1 lam v", r"$\lambda v$ is not needed": "+1 W v"},
            explanation=r"So it is zero exactly when $v$ is an eigenvector of $W$ with the eigenvalue $\lambda$.",
        ),
        Argument(
            "Characteristic polynomials",
            "explicit",
            _shifted_pencil,
            lambda lam, c: lam + c,
            {
                r"$\lambda - c$": lambda lam, c: lam - c,
                r"$\lambda c$": lambda lam, c: lam * c,
                r"$\lambda$": lambda lam, c: lam,
            },
            _same_pencil,
        ),
    ),
    kind="algebra",
)

# RS-A1: a product as a sum of elementary symmetric polynomials.


def _next_coefficient(_: Context) -> Computed:
    """(... + e_{k-1} u + e_k u t + e_{k+1} u t^2 ...)(1 + lambda t) with u = t^(k-1): the coefficient of u t."""
    ring = flint_ring(["e0", "e1", "e2", "u", "t", "lam"])
    low, middle, high, u, t, lam = ring.symbols(ring.names)
    whole = (low * u + middle * u * t + high * u * t * t) * (ring.one + lam * t)
    found: Plain = {}
    for monomial, c in ring.plain(whole).items():
        powers = dict(monomial)
        if (powers.get("u"), powers.get("t")) == (1, 1):
            found[tuple(one for one in monomial if one[0] not in {"u", "t"})] = c
    scope = standing_for((name for monomial in found for name, _ in monomial), {"e1": "L"})
    return Computed(show(found), scope, r"e_k^{(L+1)} = e_k^{(L)} + \lambda^{L+1} e_{k-1}^{(L)}")


def _products_expanded(_: Context) -> Computed:
    found = {}
    for depth in range(1, 6):
        ring = flint_ring([f"s{number}" for number in range(1, depth + 1)])
        total = ring.one
        for s in ring.symbols(ring.names):
            total = total * (ring.one + s)
        found[depth] = (ring, total)
    return Computed(found, Scope.over(L=found))


def _symmetric(ring: Ring, orders: Sequence[int]) -> Any:
    """The sum of the elementary symmetric polynomials of these orders, over subsets."""
    total = ring.zero
    for order in orders:
        for chosen in combinations(ring.names, order):
            term = ring.one
            for s in ring.symbols(chosen):
                term = term * s
            total = total + term
    return total


def _same_expansion(found: Mapping[int, tuple[Ring, Any]], claim: Callable[[int], Sequence[int]]) -> None:
    for depth, (ring, total) in found.items():
        if total != _symmetric(ring, claim(depth)):
            raise Disagreement(f"L={depth}: the product is another sum of symmetric polynomials")


A1 = Statement(
    id="RS-A1",
    title="Axiom 1: a product as a sum of elementary symmetric polynomials",
    source=source(
        "Axiom 1",
        "For sequential products of a sum of variable and constant, we can write prod_{l=1}^L (lambda^l + 1) = 1 + sum_{l=1}^L lambda^l + ... + prod_{l=1}^L lambda^l",
    ),
    sentence=r"$\prod_l (1 + \lambda^l) = 1 + \sum_l \lambda^l + \cdots + \prod_l \lambda^l$: the sum of all elementary symmetric "
    r"polynomials of the $\lambda^l$.",
    for_all={"L": 1},
    latex=r"\prod_{l=1}^L (1 + \lambda^l) = \sum_{k=0}^L e_k(\lambda^1, \dots, \lambda^L)",
    arguments=(
        Induction(
            "L",
            Argument(
                "Products written out against sums over subsets",
                "identity",
                _products_expanded,
                lambda depth: range(depth + 1),
                {
                    "without the middle terms": lambda depth: sorted({0, 1, depth}),
                    "without 1": lambda depth: range(1, depth + 1),
                    "without the last product": lambda depth: range(depth),
                },
                _same_expansion,
            ),
            Argument(
                "One factor more",
                "identity",
                _next_coefficient,
                "e0*lam + e1",
                {
                    "without the product": "e1",
                    "$e_{k+1}$ in place of $e_{k-1}$": "e1 + e2*lam",
                    "the opposite sign": "-e0*lam + e1",
                },
                explanation="$e_0$, $e_1$, $e_2$ stand for $e_{k-1}$, $e_k$, $e_{k+1}$ of $L$ factors, any $k$. The subsets of $k$ "
                "of the numbers $1..L+1$ are those without $L + 1$ and those with it: the same recurrence.",
            ),
        ),
    ),
    kind="algebra",
    notes="An identity rather than an axiom. The middle terms are called inconsequential; Theorems 2 and 3 carry them along in dots.",
)
