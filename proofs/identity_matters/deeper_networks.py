"""Identity Matters: a linear network of l + 1 layers represents all that one of l layers does (IM-0)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from architectures.catalogue import n_shortcut
from architectures.networks import ResidualUnit
from proofs.documents import source
from proofs.statement import Argument, Computed, Context, Disagreement, Scope, Statement
from proofs.theory.linear_networks import Shortcut, any_matrix, entries, identity_matrix, outputs, written_out
from symbolic.algebra.matrices import Matrix, eye, scale
from symbolic.algebra.rings import Plain
from symbolic.index.paths import identity_without
from symbolic.index.series import matrix_product

_LINEAR_UNIT = ResidualUnit(n_shortcut(1))

_DEPTHS = (1, 2, 3, 4, 5)
_FORMS: dict[str, Shortcut] = {"plain": "none", "residual": "identity"}


def _one_more_layer(_: Context) -> Computed:
    """The new layer at I (plain form) and at 0 (residual form), and where a plain network has room for it."""
    rest = any_matrix("N", "k", "d")
    found: dict[str, object] = {
        "plain, new layer I": matrix_product(rest, identity_matrix("d"), "d") == rest,
        "plain, new layer 0": matrix_product(rest, {}, "d") == rest,
        "residual, new layer 0": identity_without(_LINEAR_UNIT, "W1"),
        "residual, any new layer": identity_without(_LINEAR_UNIT, None),
        "places, k != d": {layers: _places(layers, "k") for layers in _DEPTHS},
        "places, k = d": {layers: _places(layers, "d") for layers in _DEPTHS},
    }
    return Computed(found, Scope.of("all l, all d, k"), r"W_l \cdots W_1 = W_l \cdots W_1 \cdot I_d")


def _places(layers: int, k: str) -> list[int]:
    """The numbers of layers before an inserted identity for which the shapes are those of l + 1 layers."""

    def shapes(count: int) -> list[tuple[str, str]]:
        return [("d", "d")] * (count - 1) + [(k, "d")]

    def inserted(place: int) -> list[tuple[str, str]]:
        before, after = shapes(layers)[:place], shapes(layers)[place:]
        side = before[-1][0] if before else "d"
        return [*before, (side, side), *after]

    return [place for place in range(layers + 1) if inserted(place) == shapes(layers + 1)]


_ONE_MORE: dict[str, object] = {
    "plain, new layer I": True,
    "plain, new layer 0": False,
    "residual, new layer 0": True,
    "residual, any new layer": False,
    "places, k != d": {layers: list(range(layers)) for layers in _DEPTHS},
    "places, k = d": {layers: list(range(layers + 1)) for layers in _DEPTHS},
}


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
    total: Plain = {}
    for monomial, coefficient in plain.items():
        left = tuple((_renumbered(name, place), power) for name, power in monomial if name not in numbers)
        value = coefficient * prod((numbers[name] ** power for name, power in monomial if name in numbers))
        total[left] = total.get(left, Fraction(0)) + value
    return {monomial: coefficient for monomial, coefficient in total.items() if coefficient}


def _renumbered(name: str, place: int) -> str:
    head, _, tail = name.partition("_")
    if not head.startswith("W") or int(head[1:]) <= place:
        return name
    return f"W{int(head[1:]) - 1}_{tail}"


def _deeper(_: Context) -> Computed:
    found = {
        form: [
            _Deeper(layers, *(outputs(written_out((1,) * n, shortcut=shortcut), 2) for n in (layers, layers + 1)))
            for layers in (1, 2, 3)
        ]
        for form, shortcut in _FORMS.items()
    }
    return Computed(found, Scope.of(*(f"{form}, l={n}, d=2" for form in found for n in (1, 2, 3))))


def _same_maps(found: Mapping[str, Sequence[_Deeper]], claim: Mapping[str, int]) -> None:
    """Pass when the deep network with the multiple of I named in its new layer is the shallow one.

    Raises:
        Disagreement: it is not.
    """
    for form, networks in found.items():
        new = scale(Fraction(claim[form]), eye(2))
        for one in networks:
            for place in range(one.layers + 1):
                if one.filled(place, new) != one.shallow:
                    raise Disagreement(
                        f"{form}, l={one.layers}: the layer {place + 1} at {claim[form]} I changes the map"
                    )


M0 = Statement(
    id="IM-0",
    title="A network of l + 1 layers represents all that one of l layers does",
    source=source(
        "N",
        "Notation and Terminology",
        "there is no network that an l-layer neural network can learn which an (l+1)-layer neural network can't",
    ),
    sentence="Every map of a linear network of l layers is one of a linear network of l + 1 layers, in the plain form "
    "W_l ... W_1 (one more layer at I) and in the residual form (I + W_l) ... (I + W_1) (one more layer at 0).",
    latex=r"W_l \cdots W_1 = W_l \cdots W_1\, I, \qquad \prod_i (I + W_i) = \prod_i (I + W_i)\,(I + 0)",
    arguments=(
        Argument(
            "One layer more, and where it fits",
            "index notation",
            _one_more_layer,
            _ONE_MORE,
            {
                "after the last layer as well, k != d": {
                    **_ONE_MORE,
                    "places, k != d": {layers: list(range(layers + 1)) for layers in _DEPTHS},
                },
                "the plain form has room at 0": {**_ONE_MORE, "plain, new layer 0": True},
                "any layer does": {**_ONE_MORE, "residual, any new layer": True},
            },
            explanation="N is the product of all other layers. All layers but the last one are d x d, the last is k x d: "
            "the new layer is inserted before it, after any number of others.",
        ),
        Argument(
            "Small networks, as polynomials in the weights",
            "explicit",
            _deeper,
            {"plain": 1, "residual": 0},
            {"I in the residual form": {"plain": 1, "residual": 1}, "0 in the plain form": {"plain": 0, "residual": 0}},
            _same_maps,
        ),
    ),
    notes="Linear networks; with ReLU the note's 'strict superset' is another statement. The residual form needs k = d.",
)

STATEMENTS = (M0,)
