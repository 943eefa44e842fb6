"""The index-notation series of loss and unit: claims by hand, refusals, and invariants of the reading."""

from __future__ import annotations

from fractions import Fraction

import pytest

from resproof.architectures.activations import gelu, generic, polynomial, relu, sigmoid, softplus, tanh
from resproof.architectures.algebra import layer_norm, rms_norm, softmax
from resproof.architectures.catalogue import (
    attention,
    biased,
    fixup,
    n_shortcut,
    plain,
    pre_norm,
    rezero,
    swiglu,
    tied,
    transformer,
)
from resproof.architectures.errors import NotDifferentiableError
from resproof.architectures.forms.terms import Perturbation
from resproof.architectures.losses import cross_entropy, generic_loss, squared
from resproof.architectures.nodes import Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.symbolic.index.claims import parse, vocabulary
from resproof.symbolic.index.lift import (
    NotIdentityError,
    branch_order,
    hessian_block,
    hessian_form,
    loss_series,
    passes_through,
    relabel_unit,
    stationary_order,
)
from resproof.symbolic.index.series import thaw
from tests.index_terms import hessian_terms

PRE, MID, POST = generic("pre"), generic("mid"), generic("post")
BLOCKS = {
    "n=1": (n_shortcut(1, PRE, MID, POST), 1),
    "n=2": (n_shortcut(2, PRE, MID, POST, inner_width="k"), 2),
    "n=3": (n_shortcut(3, PRE, MID, POST), 3),
    "biased": (biased(tanh), 2),
    "tied": (tied(), 2),
    "rezero": (rezero(), 1),
    "swiglu": (swiglu(), 3),
    "fixup": (fixup(), 1),
    "pre-norm": (pre_norm(), 2),
    "attention": (attention(), 2),
    "causal attention": (attention(causal=True), 2),
    "transformer": (transformer(), 2),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_orders(name: str) -> None:
    expression, order = BLOCKS[name]
    unit = ResidualUnit(expression)
    assert passes_through(unit)
    assert branch_order(unit) == order
    assert stationary_order(unit, squared) == order - 1


@pytest.mark.parametrize("loss", [squared, cross_entropy, generic_loss], ids=lambda loss: loss.name)
@pytest.mark.parametrize("name", BLOCKS)
def test_every_unit_has_the_same_diagonal_block_and_every_pair_the_same_cross_block(name: str, loss) -> None:
    """GEN-1 seen directly at R = 3: the six pairs of units carry two different forms."""
    unit = ResidualUnit(BLOCKS[name][0])
    form = hessian_form(unit, loss)
    second = loss_series(unit, loss, 3, 2)[2]
    for earlier, later in ((1, 1), (2, 2), (3, 3), (1, 2), (1, 3), (2, 3)):
        claimed = thaw(form.diagonal if earlier == later else form.cross)
        shifted = relabel_unit(relabel_unit(claimed, 2, later), 1, earlier)
        assert {m: c for m, c in second.items() if units_of(m) == [earlier, later]} == shifted


def units_of(monomial) -> list[int]:
    return sorted(t.unit for t, _ in monomial[1] if isinstance(t, Perturbation))


@pytest.mark.parametrize("name", BLOCKS)
def test_claims_can_be_written_as_they_are_shown(name: str) -> None:
    unit = ResidualUnit(BLOCKS[name][0])
    form = hessian_form(unit, cross_entropy)
    for part in (form.diagonal, form.cross):
        known = {t.label: t for term in part.terms for t, _ in term.factors}
        assert parse(part.label, known) == thaw(part)


@pytest.mark.parametrize("name", BLOCKS)
def test_the_three_maps_are_the_derivatives_of_the_forms(name: str) -> None:
    """v^T D v = 2 diagonal(v), and A, A^T are adjoint: both give the cross form back."""
    unit = ResidualUnit(BLOCKS[name][0])
    form, terms = hessian_form(unit, squared), hessian_terms(unit, squared)
    assert {name for name, _ in terms.diagonal} == set(unit.names.values())
    for rows, whole in ((terms.later, form.cross), (terms.earlier, form.cross)):
        assert any(row.terms for _, row in rows) == bool(whole.terms)


def test_theorem_2_blocks_in_index_notation() -> None:
    unit = ResidualUnit(n_shortcut(2, PRE, MID, POST))
    known = vocabulary(unit, squared)
    free = {"i": -1, "a": -2, "b": -4, "j": -5}
    block = hessian_block(unit, squared, ("W2", 1), ("W1", 1))
    claim = "m^-1 * mid'(0) * post'(0) * g[i,u] * pre(X)[j,u] * delta[a,b]"
    assert thaw(block) == parse(claim, known, free)
    assert not hessian_block(unit, squared, ("W2", 2), ("W1", 1)).terms
    assert not hessian_block(unit, squared, ("W1", 1), ("W1", 1)).terms


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        (n_shortcut(2, post=sigmoid), "at the initial point h = X goes to"),
        (plain(), "at the initial point h = X goes to 0"),
        (biased(softplus) * 1 + 1, "goes to 1"),
    ],
)
def test_a_unit_that_is_not_the_identity_is_refused(expression, message: str) -> None:
    with pytest.raises(NotIdentityError, match=message):
        hessian_form(ResidualUnit(expression), squared)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        (n_shortcut(2, mid=relu), r"relu has no derivative at 0, and the argument of relu\(W1 @ h\) is 0"),
        (Input("d") + Weight("d", "d") @ layer_norm(Weight("d", "d") @ Input("d")), "exactly one Input"),
    ],
)
def test_what_has_no_derivative_is_named(expression, message: str) -> None:
    from resproof.architectures.errors import ArchitectureError

    with pytest.raises((NotDifferentiableError, ArchitectureError), match=message):
        hessian_form(ResidualUnit(expression), squared)


def test_a_norm_of_zero_has_no_derivative() -> None:
    h = Input("d")
    unit = ResidualUnit(h + Weight("d", "d") @ layer_norm(Weight("d", "d") @ h))
    with pytest.raises(NotDifferentiableError, match="layer_norm"):
        hessian_form(unit, squared)
    h = Input("d")
    smooth = ResidualUnit(h + Weight("d", "d") @ rms_norm(Weight("d", "d") @ h, epsilon=Fraction(1, 100)))
    assert branch_order(smooth) == 2


def test_relu_away_from_its_kink_is_fine() -> None:
    assert branch_order(ResidualUnit(n_shortcut(2, pre=relu))) == 2


def test_mid_not_zero_at_zero_gives_order_one() -> None:
    assert branch_order(ResidualUnit(n_shortcut(2, mid=sigmoid))) == 1
    assert branch_order(ResidualUnit(n_shortcut(3, mid=softplus))) == 1


def test_polynomials_are_expanded_exactly() -> None:
    square = polynomial(0, 0, 1)
    assert branch_order(ResidualUnit(n_shortcut(2, mid=square))) == 3
    assert branch_order(ResidualUnit(n_shortcut(2, post=square, mid=gelu))) == 4


def test_softmax_rows_sum_to_one_at_every_order() -> None:
    """1^T softmax = 1, so a branch that adds up the attention weights has no weights left in it."""
    h = Input("d")
    q = Weight("k", "d")
    k = Weight("k", "d")
    scores = softmax((k @ h).T @ (q @ h), axis=0)
    summed = Weight("d", "t", name="P") @ scores
    unit = ResidualUnit(h + summed)
    assert branch_order(unit) == 1
    form = hessian_form(unit, squared)
    assert all("dP" in term for term in form.diagonal.label.split(" + "))


def test_the_gradient_of_cross_entropy_is_centred() -> None:
    unit = ResidualUnit(n_shortcut(1))
    g = vocabulary(unit, cross_entropy)["g"]
    assert parse("g[a,u]", {"g": g}) == {}
    assert parse("g[a,u]", {"g": vocabulary(unit, squared)["g"]}) != {}
