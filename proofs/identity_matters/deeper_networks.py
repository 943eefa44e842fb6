"""Identity Matters: a linear network of l + 1 layers represents all that one of l layers does (IM-0)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from resproof.architectures.catalogue import n_shortcut
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.identity_matters.documents import source
from resproof.proofs.statement import Argument, Clause, Computed, Context, Disagreement, Statement
from resproof.proofs.theory.linear_networks import (
    Shortcut,
    any_matrix,
    entries,
    identity_matrix,
    outputs,
    partly_at,
    written_out,
)
from resproof.symbolic.algebra.matrices import Matrix, eye, scale
from resproof.symbolic.algebra.rings import Plain
from resproof.symbolic.index import sizes
from resproof.symbolic.index.lift import data, unit_series
from resproof.symbolic.index.series import matrix_product, series
from resproof.symbolic.scope import Scope

_LINEAR_UNIT = ResidualUnit(n_shortcut(1))

_DEPTHS = (1, 2, 3, 4, 5)
_FORMS: dict[str, Shortcut] = {"plain": "none", "residual": "identity"}


def _plain(_: Context) -> Computed:
    """A layer between the last one, A, and the product of all others, B: at I, and at 0."""
    last, others = any_matrix("A", "k", "d"), any_matrix("B", "d", "d")
    whole = matrix_product(last, others, "d")
    found = {
        name: matrix_product(last, matrix_product(new, others, "d"), "d") == whole
        for name, new in (("new layer I", identity_matrix("d")), ("new layer 0", {}))
    }
    return Computed(found, sizes.of_terms(whole, products={"B": "l"}), r"A\, I_d\, B = A B")


_PLAIN = {"new layer I": True, "new layer 0": False}


def _residual(_: Context) -> Computed:
    """A unit between the products A and B of all later and all earlier ones: at zero, and at any weight."""
    before, after = (any_matrix(name, "d", "d") for name in "BA")
    stream = matrix_product(before, data(_LINEAR_UNIT), "d")
    whole = matrix_product(after, stream, "d")
    found = {}
    for name, opaque in (("new layer 0", ()), ("any new layer", ("W1",))):
        new = unit_series(_LINEAR_UNIT, series([stream], 0), perturbed=(), opaque=opaque)[-1]
        found[name] = matrix_product(after, new, "d") == whole
    return Computed(found, sizes.of_terms(whole, products={"A": "l", "B": "l"}), r"A\,(I + 0)\,B x = A B x")


_RESIDUAL = {"new layer 0": True, "any new layer": False}


def _fitting(_: Context) -> Computed:
    """Where a plain network has room for a layer I, by the shapes of all layers, for k != d and for k = d."""
    return Computed({n: (_places(n, "k"), _places(n, "d")) for n in _DEPTHS}, Scope.over(l=_DEPTHS))


def _places(layers: int, k: str) -> list[int]:
    """The numbers of layers before an inserted identity for which the shapes are those of l + 1 layers."""

    def shapes(count: int) -> list[tuple[str, str]]:
        return [("d", "d")] * (count - 1) + [(k, "d")]

    def inserted(place: int) -> list[tuple[str, str]]:
        before, after = shapes(layers)[:place], shapes(layers)[place:]
        side = before[-1][0] if before else "d"
        return [*before, (side, side), *after]

    return [place for place in range(layers + 1) if inserted(place) == shapes(layers + 1)]


_FITTING = {n: ([*range(n)], [*range(n + 1)]) for n in _DEPTHS}


@dataclass(frozen=True, slots=True)
class _Deeper:
    """The outputs of networks of l and of l + 1 layers with one weight matrix each, as polynomials, d = 2."""

    layers: int
    shallow: list[list[Plain]]
    deep: list[list[Plain]]

    def filled(self, place: int, new: Matrix) -> list[list[Plain]]:
        """The deep network's output with this matrix in the layer after `place` others, the rest renumbered."""
        numbers = entries(f"W{place + 1}_1", new)
        return [[_filled(plain, numbers, place) for plain in row] for row in self.deep]


def _filled(plain: Plain, numbers: Mapping[str, Fraction], place: int) -> Plain:
    left = partly_at(plain, lambda name, power: numbers[name] ** power if name in numbers else None)
    return {tuple((_renumbered(name, place), power) for name, power in one): value for one, value in left.items()}


def _renumbered(name: str, place: int) -> str:
    head, _, tail = name.partition("_")
    if not head.startswith("W") or int(head[1:]) <= place:
        return name
    return f"W{int(head[1:]) - 1}_{tail}"


def _deeper(form: str) -> Callable[[Context], Computed]:
    def compute(_: Context) -> Computed:
        found = [
            _Deeper(layers, *(outputs(written_out((1,) * n, shortcut=_FORMS[form]), 2) for n in (layers, layers + 1)))
            for layers in (1, 2, 3)
        ]
        return Computed(found, Scope.of(*(f"{form}, l={n}, d=2" for n in (1, 2, 3))))

    return compute


def _same_maps(found: Sequence[_Deeper], claim: int) -> None:
    """Pass when the deep network with this multiple of I in its new layer is the shallow one.

    Raises:
        Disagreement: it is not.
    """
    new = scale(Fraction(claim), eye(2))
    for one in found:
        for place in range(one.layers + 1):
            if one.filled(place, new) != one.shallow:
                raise Disagreement(f"l={one.layers}: the layer {place + 1} at {claim} I changes the map")


def _small(form: str, claim: int, neighbour: str) -> Argument:
    return Argument(
        f"Small {form} networks, as polynomials in the weights",
        "explicit",
        _deeper(form),
        claim,
        {neighbour: 1 - claim},
        _same_maps,
    )


M0 = Statement(
    id="IM-0",
    title="A network of $l + 1$ layers represents all that one of $l$ layers does",
    source=source(
        "Notation and Terminology",
        "there is no network that an l-layer neural network can learn which an (l+1)-layer neural network can't",
    ),
    latex=r"W_l \cdots W_1 = W_l \cdots W_1\, I, \qquad \prod_i (I + W_i) = \prod_i (I + W_i)\,(I + 0)",
    clauses=(
        Clause(
            r"In the plain form, $W_1, \ldots, W_{l-1}$ of shape $d \times d$ and $W_l$ of shape $k \times d$, one more "
            "layer at $I$ changes nothing.",
            {"l": 1, "d": 1, "k": 1},
            (
                Argument(
                    "One layer more before the last one",
                    "index notation",
                    _plain,
                    _PLAIN,
                    {
                        "the plain form has room at 0": {**_PLAIN, "new layer 0": True},
                        "at $I$ the map changes": {**_PLAIN, "new layer I": False},
                    },
                    explanation=r"$A$ is the last layer, $k \times d$, $B$ the product of all others, $d \times d$, $I_d$ for "
                    r"$l = 1$: the new layer, $d \times d$, fits between them.",
                ),
                Argument(
                    "All places that fit, $l = 1..5$",
                    "instance",
                    _fitting,
                    _FITTING,
                    {
                        r"after the last layer as well, $k \ne d$": {
                            n: (places, places) for n, (_, places) in _FITTING.items()
                        }
                    },
                    explanation="The new layer is inserted before the last one, after any number of others; after it as well where $k = d$.",
                ),
                _small("plain", 1, "0 in the plain form"),
            ),
        ),
        Clause(
            "In the residual form one more layer at 0 changes nothing.",
            {"l": 1, "d": 1},
            (
                Argument(
                    "One unit more between any others",
                    "index notation",
                    _residual,
                    _RESIDUAL,
                    {
                        "any layer does": {**_RESIDUAL, "any new layer": True},
                        "at 0 the map changes": {**_RESIDUAL, "new layer 0": False},
                    },
                    explanation="$A$ and $B$ are the products of all units after and before the new one, of any number.",
                ),
                _small("residual", 0, "$I$ in the residual form"),
            ),
        ),
    ),
    notes="Linear networks; with ReLU the note's 'strict superset' is another statement. The residual form needs $k = d$.",
)

STATEMENTS = (M0,)
