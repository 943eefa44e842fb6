"""Values of any number of axes on the exact side: index notation against the written-out route, and the relations."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from resproof.architectures.activations import generic
from resproof.architectures.algebra import causal_mask, concat, conv2d, einsum, join, layer_norm, mean, softmax, split
from resproof.architectures.errors import ArchitectureError
from resproof.architectures.losses import Loss, cross_entropy, generic_loss, squared
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Constant, Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import Initial, normal, zero
from resproof.symbolic.index.expansion import expansion
from resproof.symbolic.index.lift import data, hessian_form, initial_values, passes_through, require_identity
from resproof.symbolic.index.series import thaw
from resproof.symbolic.written.explicit import hessian_at_initial_point, parameter_labels
from resproof.symbolic.written.instances import hessian_entries
from resproof.symbolic.written.reduction import second_derivatives

f = generic("f")


def heads(mask: Constant | None = None) -> Expression:
    h, o = Input("d"), Weight("d", "g", "k", name="O")
    q, k, v = (einsum("g k d, d t -> g k t", Weight("g", "k", "d", name=name), h) for name in "QKV")
    p = softmax(einsum("g k s, g k t -> g s t", k, q), axis=1, mask=mask)
    return h + einsum("d g k, g k s, g s t -> d t", o, v, p)


def separate_heads(count: int) -> Expression:
    h = Input("d")
    total: Expression = h
    for g in range(count):
        q, k, v = (Weight("k", "d", name=f"{name}{g}") for name in "QKV")
        total = total + Weight("d", "k", name=f"O{g}") @ (v @ h) @ softmax((k @ h).T @ (q @ h), axis=0)
    return total


def grouped(initial: Initial = zero) -> Expression:
    h, v = Input("d"), Weight("d", "g", "k", name="V")
    first = Weight("g", "k", "d", name="U", initial=initial)
    return h + einsum("d g k, g k t -> d t", v, f(einsum("g k d, d t -> g k t", first, h)))


def convolved() -> Expression:
    h = Input("c", "y", "x")
    return h + conv2d(f(conv2d(h, Weight("k", "c", 1, 3, name="U"))), Weight("c", "k", 3, 1, name="V"))


def pooled() -> Expression:
    h = Input("c", "y", "x")
    gate = einsum("c k, k -> c", Weight("c", "k", name="V"), _squeezed(h))
    return h + einsum("c y x, c -> c y x", h, gate)


def _squeezed(h: Expression) -> Expression:
    return f(einsum("k c, c -> k", Weight("k", "c", name="U"), mean(mean(h, "x"), "y")))


def channel_norm() -> Expression:
    h = Input("c", "y", "x")
    return h + einsum("o c, c y x -> o y x", Weight("c", "c", name="U"), layer_norm(h, "c", epsilon=1))


def halves() -> Expression:
    h, u = Input(3), Weight(2, 1, name="U")
    return h + concat(0, u @ h[2:3] + Weight(2, name="b"), (u.T @ h[0:2]) ** 2)


def split_product() -> Expression:
    h = Input("g*k")
    parts = split(Weight("g*k", "g*k", name="U") @ h, "g*k -> g k")
    return h + Weight("g*k", "g*k", name="V") @ join(f(parts), "g k -> g*k")


ONE = ({"d": 2, "g": 2, "k": 1, "t": 2, "c": 2, "y": 2, "x": 1}, 1, 1)
OTHER = ({"d": 1, "g": 1, "k": 2, "t": 2, "c": 1, "y": 2, "x": 2}, 2, 2)
BLOCKS: dict[str, Callable[[], Expression]] = {
    "heads": heads,
    "causal heads": lambda: heads(causal_mask()),
    "groups": grouped,
    "groups from random weights": lambda: grouped(normal(1)),
    "convolution": convolved,
    "pooling": pooled,
    "normalised channels": channel_norm,
    "halves": halves,
    "a split of a product": split_product,
}


@pytest.mark.parametrize("loss", [squared, cross_entropy, generic_loss], ids=lambda loss: loss.name)
@pytest.mark.parametrize("name", BLOCKS)
def test_both_routes_agree(name: str, loss: Loss) -> None:
    unit = ResidualUnit(BLOCKS[name]())
    form = hessian_form(unit, loss)
    for sizes, units, samples in (ONE, OTHER):
        written_out = hessian_entries(unit, loss, thaw(form.diagonal), thaw(form.cross), units, sizes, samples)
        explicit = hessian_at_initial_point(Network(unit, units, loss), sizes, samples=samples).plain()
        assert written_out == explicit
        assert explicit or sizes is not ONE[0]


def test_heads_in_one_array_are_a_sum_over_heads() -> None:
    sizes, together, apart = {"d": 2, "g": 2, "k": 1, "t": 2}, ResidualUnit(heads()), ResidualUnit(separate_heads(2))
    found = hessian_at_initial_point(Network(together, 2), sizes)
    expected = hessian_at_initial_point(Network(apart, 2), sizes)

    def moved(label: str) -> str:
        name, _, rest = label.partition("(")
        unit, _, places = rest.partition(")_")
        i, j, k = places.split("_")
        head, rows, columns = (j, i, k) if name == "O" else (i, j, k)
        return f"{name}{int(head) - 1}({unit})_{rows}_{columns}"

    names, wanted = parameter_labels(Network(together, 2), sizes), parameter_labels(Network(apart, 2), sizes)
    assert sorted(map(moved, names)) == sorted(wanted)
    place = [wanted.index(moved(name)) for name in names]
    entries = {tuple(sorted((place[a], place[b]))): value for (a, b), value in found.plain().items()}
    assert entries == expected.plain()


def test_the_axes_of_heads_are_spectators() -> None:
    (core,) = expansion(ResidualUnit(heads()), squared).cores.cores
    assert core.spectators == ("g", "k")
    assert {weight.name: weight.dims for weight in core.weights} == {"V": ("d",), "O": ("d",)}


IDENTITIES: dict[str, Callable[[], Expression]] = {
    "joined again": lambda: join(split(Input("g*k"), "g*k -> g k"), "g k -> g*k"),
    "joined numbers": lambda: join(split(Input(8), "8 -> 2 4"), "2 4 -> 8"),
    "a part of two": lambda: concat(0, Input(3) * 1, Constant(0, 2, "t"))[0:3],
}


@pytest.mark.parametrize("name", IDENTITIES)
def test_relations_of_what_selects_places(name: str) -> None:
    h = IDENTITIES[name]()
    unit = ResidualUnit(h)
    assert initial_values(unit)[unit.expression] == data(unit)
    assert passes_through(unit)
    require_identity(unit)


def test_split_in_the_other_order_is_no_identity() -> None:
    parts = split(Input(4), "4 -> 2 2")
    unit = ResidualUnit(join(einsum("a b t -> b a t", parts), "2 2 -> 4"))
    assert not passes_through(unit)


def test_the_reduction_of_groups_and_its_refusals() -> None:
    assert second_derivatives(ResidualUnit(grouped()))
    with pytest.raises(ArchitectureError, match="depends on all coordinates"):
        second_derivatives(ResidualUnit(split_product()))
