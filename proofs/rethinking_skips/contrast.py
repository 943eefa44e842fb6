"""Rethinking skip connections: what plain and residual networks differ in, as the conclusion says it (RS-PR).

The same weights W^l = V diag(lambda^l) V^{-1} with and without shortcuts; singular by condition numbers, and by ranks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product
from typing import NamedTuple

from resproof.proofs.changes import Change
from resproof.proofs.rethinking_skips.condition_of_products import (
    DATA_FACTOR,
    DEPTH_SERIES,
    PRODUCT_BOUNDS,
    RANK_KEPT,
    RANKS_RUN,
    SCALED_INSTANCES,
)
from resproof.proofs.rethinking_skips.documents import source
from resproof.proofs.rethinking_skips.growth_of_products import PLAIN_STATES, RESIDUAL_STATES
from resproof.proofs.rethinking_skips.independent_layers import PRINTED_RANDOM, Values, drawn
from resproof.proofs.rethinking_skips.joint_families import family, turned
from resproof.proofs.rethinking_skips.pictures import with_and_without
from resproof.proofs.rethinking_skips.plain_products import (
    CONDITION,
    CONDITION_SENSE,
    FULL_DATA,
    OF_A_BATCH,
    OF_FULL_RANK,
)
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
    Repair,
    Statement,
)
from resproof.symbolic.algebra.matrices import Matrix, eye, multiply, rank, transpose
from resproof.symbolic.scope import Scope

_HALF = Fraction(1, 2)
_OPPOSED = drawn({(Fraction(3, 4), -_HALF): _HALF, (Fraction(3, 5), -_HALF): _HALF}, shortcut=True)
"""A dominant positive eigenvalue and a negative one, near -1: a shortcut drives them apart."""

_NETS = ("plain", "residual")


class LayerFactors(NamedTuple):
    """The least and the greatest factor of kappa(H^L) in a layer, over all that may be drawn; V orthogonal, X = I."""

    least: Fraction
    most: Fraction


_NEAR = Fraction(1, 40)


def _factors(_: Context) -> Computed:
    """Over the law, and over all eigenvalues near it: the corners have the extremes."""
    near = [(a + da, b + db) for a, b in _OPPOSED.law() for da, db in product((-_NEAR, _NEAR), repeat=2)]
    found = {}
    for name, start in zip(_NETS, (0, 1), strict=True):
        for where, pairs in (("", _OPPOSED.law()), (", nearby", near)):
            ratios = [abs(start + first) / abs(start + other) for first, other in pairs]
            found[name + where] = LayerFactors(min(ratios), max(ratios))
    shown = r"\bigl(\tfrac65\bigr)^L \le \kappa(H^L_{\text{plain}}) \le \bigl(\tfrac32\bigr)^L, \qquad \kappa(H^L_{\text{res}}) \ge \bigl(\tfrac{16}5\bigr)^L"
    return Computed(found, Scope.of("d=2, X=I, each layer, whatever is drawn"), shown)


_FACTORS = {
    "plain": LayerFactors(Fraction(6, 5), Fraction(3, 2)),
    "plain, nearby": LayerFactors(Fraction(23, 21), Fraction(31, 19)),
    "residual": LayerFactors(Fraction(16, 5), Fraction(7, 2)),
    "residual, nearby": LayerFactors(Fraction(3), Fraction(71, 19)),
}


@property_of(
    {"plain": LayerFactors(Fraction(2), Fraction(2)), "residual": LayerFactors(Fraction(1), Fraction(2))},
    not_of=[
        {"plain": LayerFactors(Fraction(1), Fraction(2)), "residual": LayerFactors(Fraction(1), Fraction(2))},
        {"plain": LayerFactors(Fraction(2), Fraction(2)), "residual": LayerFactors(Fraction(3, 2), Fraction(2))},
    ],
)
def _moderate(found: Mapping[str, LayerFactors]) -> bool:
    """Whether the residual network's condition number may stay where it is while the plain one's grows."""
    return found["plain"].least > 1 >= found["residual"].least


def _layers(values: Values, *, shortcut: bool) -> Matrix:
    return family([values], shortcut=shortcut, vectors=turned()).layers(1)[0]


def _products(depth: int) -> Iterator[tuple[Matrix, Matrix]]:
    """The plain and the residual product for each draw of so many layers, layer by layer."""
    layers = [[_layers(values, shortcut=shortcut) for shortcut in (False, True)] for values in _OPPOSED.law()]
    for draw in product(layers, repeat=depth):
        found = [eye(2), eye(2)]
        for pair in draw:
            found = [multiply(layer, before) for layer, before in zip(pair, found, strict=True)]
        yield found[0], found[1]


def _squared_kappa(a: Matrix) -> Fraction:
    """kappa^2 of a matrix with the orthonormal eigenvectors of `turned`: of its images of them."""
    squares = [sum(x * x for x in image) for image in transpose(multiply(a, turned()))]
    return Fraction(max(squares)) / min(squares)


_DEPTHS = (1, 2, 4, 6)


def _least_over_draws(_: Context) -> Computed:
    """The least kappa^2 over all draws, of the plain and of the residual network."""
    found = {}
    for depth in _DEPTHS:
        pairs = [(_squared_kappa(plain), _squared_kappa(residual)) for plain, residual in _products(depth)]
        found[depth] = tuple(min(each) for each in zip(*pairs, strict=True))
    return Computed(found, Scope.of(*(f"d=2, L={depth}, all draws" for depth in _DEPTHS)))


_LEAST = {depth: (Fraction(6, 5) ** (2 * depth), Fraction(16, 5) ** (2 * depth)) for depth in _DEPTHS}


@property_of(
    {1: (Fraction(1), Fraction(2)), 6: (Fraction(3), Fraction(2))},
    not_of=[{1: (Fraction(9), Fraction(2)), 6: (Fraction(0), Fraction(3))}],
)
def _stays(found: Mapping[int, tuple[Fraction, Fraction]]) -> bool:
    return found[6][1] <= found[1][1]


def _ranks_by_eigenvalues(_: Context) -> Computed:
    """How many multipliers no draw makes zero: the rank at every depth, X = I."""
    found = tuple(2 - len({i for v in _OPPOSED.law() for i in range(2) if start + v[i] == 0}) for start in (0, 1))
    return Computed(found, Scope.of("d=2, X=I, each layer, whatever is drawn"))


def _ranks_by_elimination(_: Context) -> Computed:
    found = {(rank(plain), rank(residual)) for depth in _DEPTHS for plain, residual in _products(depth)}
    (ranks,) = found
    return Computed(ranks, Scope.of(*(f"d=2, L={depth}, all draws" for depth in _DEPTHS)))


def _rank_routes() -> tuple[Argument, Argument]:
    by_eigenvalues = Argument(
        "No multiplier is zero, with a shortcut or without",
        "identity",
        _ranks_by_eigenvalues,
        (2, 2),
        {PRINTED: (1, 2), "the residual one is singular": (2, 1)},
    )
    by_elimination = replace(
        by_eigenvalues,
        title="Layers multiplied, and the ranks by elimination",
        route="instance",
        compute=_ranks_by_elimination,
    )
    return by_eigenvalues, by_elimination


# What remains of it: small weights.


def _same_weights(_: Context) -> Computed:
    """kappa^2 of both networks with W^l = V diag(1, 1/2) V^T / L in every layer, layers multiplied."""
    found = {}
    for depth in (2, 4, 8):
        values = (Fraction(1, depth), Fraction(1, 2 * depth))
        nets = (family([values], shortcut=shortcut, vectors=turned()) for shortcut in (False, True))
        found[depth] = tuple(_squared_kappa(one.product(depth)) for one in nets)
    return Computed(found, Scope.of(*(f"d=2, L={depth}" for depth in found)))


Kappas = Callable[[int], tuple[Fraction, Fraction]]


def _are_kappas(found: Mapping[int, tuple[Fraction, Fraction]], claim: Kappas) -> None:
    for depth, squares in found.items():
        if squares != tuple(value**2 for value in claim(depth)):
            raise Disagreement(
                f"L={depth}: kappa^2 is {squares[0]} and {squares[1]}; claimed the squares of {claim(depth)}"
            )


def _both(depth: int) -> tuple[Fraction, Fraction]:
    """2^L, and ((1 + 1/L)/(1 + 1/(2 L)))^L, which is below e^(1/2)."""
    return Fraction(2) ** depth, (Fraction(depth + 1) / (depth + _HALF)) ** depth


SAME_WEIGHTS = Argument(
    "The same small weights with shortcuts and without",
    "explicit",
    _same_weights,
    _both,
    {
        "the scale counts in plain networks": lambda depth: (_both(depth)[1], _both(depth)[1]),
        r"a shortcut keeps $\kappa$ at 1": lambda depth: (_both(depth)[0], Fraction(1)),
        "a shortcut changes nothing": lambda depth: (_both(depth)[0], _both(depth)[0]),
    },
    _are_kappas,
    explanation=r"$W^l = V\, \mathrm{diag}(1, \tfrac12) V^{\mathsf T} / L$: $2^L$ against less than $e^{1/2}$.",
)

_SHORTCUTS = Hypothesis(
    "a linear residual network, and the plain one with the same weights",
    lambda one: one.shortcut and one.paths == 1,
    fails_on=replace(_OPPOSED, shortcut=False),
    quote="Without skip connections ... with skip connections",
)
_SIZES = {"L": 1, "d": 2, "m": 2}
_BY_RANK = {**_SIZES, "m": 1}


PR = Statement(
    id="RS-PR",
    title="The contrast: plain networks become singular with depth, residual ones do not",
    source=source(
        "section 7",
        "Without skip connections, very deep models exhibit singularity problems that plague optimization. However, with skip connections, the singularity problem is circumnavigated",
    ),
    latex=r"L \gg 1: \quad \kappa(H^L_{\text{plain}}) \gg 1, \qquad \kappa(H^L_{\text{residual}}) \not\gg 1",
    uses=("RS-R1", "RS-R2"),
    setting=rf"A plain and a residual linear network have the same weights, which are jointly diagonalisable; {OF_A_BATCH}",
    clauses=(
        Clause(
            r"With random weights, $\lvert\lambda_1\rvert > \lvert\lambda_i\rvert$ for $i \ge 2$, $\kappa(H^L)$ becomes great in the "
            "plain network as $L$ grows and stays moderate in the residual one.",
            _SIZES,
            hypotheses=(_SHORTCUTS, *PRINTED_RANDOM),
            reading=CONDITION_SENSE,
            counterexample=Counterexample(
                instance=_OPPOSED,
                sentence=r"A shortcut makes it worse: with $\lambda_1 = \tfrac34$ or $\tfrac35$ and $\lambda_2 = -\tfrac12$ the factors of a "
                r"layer are at most $\tfrac32$ without and at least $\tfrac{16}5$ with shortcuts, whatever is drawn. So it is for all "
                r"eigenvalues near these: within $\tfrac1{40}$ the factors are at most $\tfrac{31}{19}$ and at least 3.",
                latex=r"\lambda_1 \in \{\tfrac34, \tfrac35\},\ \lambda_2 = -\tfrac12: \quad \kappa(H^L_{\text{plain}}) \le (\tfrac32)^L, \quad \kappa(H^L_{\text{residual}}) \ge (\tfrac{16}{5})^L",
                routes=(
                    Argument(
                        "The factors of a layer, over all that may be drawn",
                        "identity",
                        _factors,
                        _FACTORS,
                        {PRINTED: _moderate, "the same with shortcuts": {**_FACTORS, "residual": _FACTORS["plain"]}},
                        matches,
                        explanation=r"$\kappa(H^L) = \prod \lvert\mu_1^l / \mu_2^l\rvert$ for orthogonal $V$ and $X = I$, as $\lvert\mu_1\rvert > "
                        r"\lvert\mu_2\rvert$ in every draw, $\mu = \lambda$ or $1 + \lambda$.",
                    ),
                    Argument(
                        r"The least $\kappa$ over all draws, layers multiplied",
                        "instance",
                        _least_over_draws,
                        _LEAST,
                        {
                            PRINTED: _stays,
                            "without the squares": {
                                depth: (Fraction(6, 5) ** depth, Fraction(16, 5) ** depth) for depth in _DEPTHS
                            },
                        },
                        matches,
                    ),
                ),
                picture=with_and_without,
            ),
            repair=Repair(
                latex=r"\|W^l\|_2 \le \tfrac aL,\ |\lambda_d^l| \le q\,|\lambda_1^l|: \quad \kappa(H^L_{\text{plain}}) \ge \frac{q^{-L}}{\kappa(V)^2 \kappa(X)}, \qquad "
                r"\kappa(H^L_{\text{residual}}) \le \kappa(X) \Bigl(\frac{1 + a/L}{1 - a/L}\Bigr)^L \downarrow e^{2a}\, \kappa(X)",
                changes=(
                    Change(
                        "very deep models exhibit singularity problems",
                        r"with $\lvert\lambda_d^l\rvert \le q \lvert\lambda_1^l\rvert$ in every layer",
                        "The moduli of the eigenvalues differ by a factor that does not tend to one.",
                    ),
                    Change(
                        "the singularity problem is circumnavigated",
                        r"with $\lvert W^l\rvert_2 \le a/L$ in every layer",
                        "The weights are small, of order $1/L$.",
                    ),
                ),
                clauses=(
                    Clause(
                        r"In the plain network, with $\lvert\lambda_d^l\rvert \le q \lvert\lambda_1^l\rvert$ in every layer, $q < 1$ and $\lambda_1^l \ne 0$, "
                        r"$\kappa(H^L)$ is at least $q^{-L} / (\kappa(V)^2 \kappa(X))$, however small the weights are.",
                        _SIZES,
                        (*PLAIN_STATES, *CONDITION, SAME_WEIGHTS),
                        (FULL_DATA,),
                    ),
                    Clause(
                        r"In the residual one, with $\lvert W^l\rvert_2 \le a/L$ in every layer, $a < L$, it is at most "
                        r"$\kappa(X) ((1 + a/L)/(1 - a/L))^L$, which decreases to $e^{2a} \kappa(X)$ as $L$ grows.",
                        _SIZES,
                        (PRODUCT_BOUNDS, DATA_FACTOR, DEPTH_SERIES, SCALED_INSTANCES, SAME_WEIGHTS),
                        (OF_FULL_RANK,),
                    ),
                ),
            ),
            other_readings=(
                Clause(
                    r"By rank: for $L \gg 1$ $H^L$ is singular in the plain network and not in the residual one.",
                    _BY_RANK,
                    hypotheses=(_SHORTCUTS, *PRINTED_RANDOM),
                    counterexample=Counterexample(
                        instance=_OPPOSED,
                        sentence="The same weights: both have full rank at every depth.",
                        latex=r"\operatorname{rank} H^L_{\text{plain}} = \operatorname{rank} H^L_{\text{residual}} = 2",
                        routes=_rank_routes(),
                        picture=partial(
                            with_and_without, seen="it is finite at every depth, with shortcuts and without"
                        ),
                    ),
                    repair=Repair(
                        sentence=r"By rank plain and residual networks do not differ: where no eigenvalue $\lambda_i^l$ is zero, nor any "
                        r"$1 + \lambda_i^l$, $H^L$ has in both the rank of $X$, at every $L$.",
                        latex=r"\operatorname{rank} H^L_{\text{plain}} = \operatorname{rank} X = \operatorname{rank} H^L_{\text{residual}}",
                        arguments=(*PLAIN_STATES, *RESIDUAL_STATES, RANK_KEPT, RANKS_RUN),
                        for_all=_BY_RANK,
                        beside=True,
                    ),
                ),
            ),
        ),
    ),
    notes="Remark 1 is judged by condition numbers and Remark 2 by ranks, each in the first sense in which it holds; what the paper "
    "concludes from both takes one sense for both networks, and holds in neither without further hypotheses. The abstract has it "
    "too: 'skip connections allow DNNs to circumnavigate the singularity of latent representations'.",
)

STATEMENTS = (PR,)
