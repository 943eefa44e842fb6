"""The index-notation route written out equals the explicit route, entry by entry, for every elementwise block."""

from __future__ import annotations

import pytest

from architectures.activations import generic, sigmoid, softplus
from architectures.catalogue import attention, biased, fixup, n_shortcut, rezero, swiglu, tied
from architectures.errors import ArchitectureError
from architectures.expressions import Input, Weight, identity, shift, softmax
from architectures.losses import cross_entropy, generic_loss, squared
from architectures.networks import Network, ResidualUnit
from symbolic.explicit import hessian_at_initial_point
from symbolic.instances import hessian_entries
from symbolic.lift import hessian_form
from symbolic.series import thaw
from tests.symbolic.odd_blocks import odd_blocks

PRE, MID, POST = generic("pre"), generic("mid"), generic("post")


def column_mixing():
    h = Input("d")
    v, w = Weight("d", "d"), Weight("d", "d")
    return h + w @ (v @ h) @ shift(1) + w @ (v @ h)


def gate():
    h, a, row = Input("d"), Weight(1, 1), Weight(1, "d")
    return h + a * (row @ h) * h


BLOCKS = {
    "n=1": n_shortcut(1, PRE, MID, POST),
    "n=2": n_shortcut(2, PRE, MID, POST, inner_width="k"),
    "n=2, sigmoid at mid": n_shortcut(2, mid=sigmoid),
    "n=3": n_shortcut(3, PRE, MID, POST),
    "tied": tied(),
    "biased": biased(softplus),
    "swiglu": swiglu(),
    "rezero": rezero(),
    "fixup": fixup(),
    "gate": gate(),
    "columns mixed": column_mixing(),
    **odd_blocks(),
}


@pytest.mark.parametrize("loss", [squared, cross_entropy, generic_loss], ids=lambda loss: loss.name)
@pytest.mark.parametrize("name", BLOCKS)
def test_both_routes_agree_at_every_depth(name: str, loss) -> None:
    unit = ResidualUnit(BLOCKS[name])
    form = hessian_form(unit, loss)
    for units, sizes, samples in (
        (1, {"d": 2, "k": 3, "t": 2}, 1),
        (2, {"d": 2, "k": 1, "t": 3}, 2),
        (4, {"d": 1, "k": 2, "t": 2}, 1),
    ):
        written_out = hessian_entries(unit, loss, thaw(form.diagonal), thaw(form.cross), units, sizes, samples)
        explicit = hessian_at_initial_point(Network(unit, units, loss), sizes, samples=samples).plain()
        assert written_out == explicit


def test_identity_constants_leave_no_trace() -> None:
    h, w = Input("d"), Weight("d", "d")
    with_identity = ResidualUnit(h + identity("d") @ w @ h)
    without = ResidualUnit(n_shortcut(1))
    assert hessian_form(with_identity, squared) == hessian_form(without, squared)


def test_what_has_no_exact_entries_is_refused_by_name() -> None:
    unit = ResidualUnit(attention(causal=True))
    form = hessian_form(unit, squared)
    with pytest.raises(ArchitectureError, match="softmax"):
        hessian_entries(unit, squared, thaw(form.diagonal), thaw(form.cross), 1, {"d": 1, "k": 1, "t": 2}, 1)
    assert softmax(Input("d"), axis=0).shape == ("d", "t")
