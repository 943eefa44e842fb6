"""The index-notation route written out equals the explicit route, entry by entry, for every kind of block."""

from __future__ import annotations

from fractions import Fraction

import pytest

from resproof.architectures.activations import generic, sigmoid, softplus, tanh
from resproof.architectures.algebra import causal_mask, identity, layer_norm, rms_norm, shift, softmax
from resproof.architectures.catalogue import (
    attention,
    biased,
    fixup,
    n_shortcut,
    pre_norm,
    rezero,
    swiglu,
    tied,
    transformer,
)
from resproof.architectures.errors import ArchitectureError, NotDifferentiableError
from resproof.architectures.forms.terms import Opaque
from resproof.architectures.losses import cross_entropy, generic_loss, squared
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Axis, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import normal
from resproof.symbolic.index.lift import hessian_form
from resproof.symbolic.index.series import tensor, thaw
from resproof.symbolic.written.explicit import hessian_at_initial_point
from resproof.symbolic.written.instances import hessian_entries
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


def scored(mask=None, axis: Axis = 0):
    h, w = Input("d"), Weight("d", "d")
    q, k = Weight("k", "d", initial=normal(1)), Weight("k", "d", initial=normal(1))
    return h + w @ h @ softmax((k @ h).T @ (q @ h), axis=axis, mask=mask)


def rows_normalised():
    h, v, w = Input("d"), Weight("d", "d"), Weight("d", "d", initial=normal(1))
    return h + v @ layer_norm(w @ h, axis=1, epsilon=Fraction(1, 3)) + v @ rms_norm(v @ h, epsilon=4)


def nested():
    """A normalisation of softmax values, and tanh of a normalisation."""
    h, v = Input("d"), Weight("d", "d")
    return h + v @ tanh(rms_norm(softmax(h, axis=0)))


COUPLED = {
    "attention, two heads": (attention(causal=True, heads=2), (2, {"d": 2, "k": 2, "t": 3}, 1)),
    "transformer": (transformer(), (3, {"d": 2, "k": 2, "t": 2, "f": 2}, 2)),
    "pre-norm": (pre_norm(), (3, {"d": 3, "k": 2}, 2)),
    "random scores": (scored(), (2, {"d": 2, "k": 1, "t": 2}, 2)),
    "random scores, three tokens": (scored(), (2, {"d": 1, "k": 2, "t": 3}, 1)),
    "random scores, causal": (scored(causal_mask()), (2, {"d": 1, "k": 1, "t": 3}, 2)),
    "random scores along rows": (scored(causal_mask(), axis=1), (2, {"d": 1, "k": 2, "t": 3}, 1)),
    "along rows, and epsilon": (rows_normalised(), (2, {"d": 2, "t": 2}, 1)),
    "nested": (nested(), (2, {"d": 2}, 1)),
}


@pytest.mark.parametrize("name", COUPLED)
def test_both_routes_agree_on_softmax_and_normalisation(name: str) -> None:
    expression, (units, sizes, samples) = COUPLED[name]
    unit = ResidualUnit(expression)
    form = hessian_form(unit, generic_loss)
    written_out = hessian_entries(unit, generic_loss, thaw(form.diagonal), thaw(form.cross), units, sizes, samples)
    assert written_out == hessian_at_initial_point(Network(unit, units, generic_loss), sizes, samples=samples).plain()
    assert written_out


def test_a_normalisation_of_one_row_has_zero_scale() -> None:
    unit = ResidualUnit(pre_norm())
    form = hessian_form(unit, squared)
    with pytest.raises(NotDifferentiableError, match=r"LN\(X\): its argument has zero scale"):
        _ = hessian_entries(unit, squared, thaw(form.diagonal), thaw(form.cross), 1, {"d": 1, "k": 1}, 1)


def test_what_has_no_exact_entries_is_refused_by_name() -> None:
    unit = ResidualUnit(n_shortcut(1))
    anything = tensor(Opaque("u", ("d",)), (0,))
    with pytest.raises(ArchitectureError, match="u: has no exact entries"):
        _ = hessian_entries(unit, squared, anything, {}, 1, {"d": 1}, 1)
