"""How the Hessian is cut into cores: hand-counted spectators, labels, sides and relations of known units."""

from __future__ import annotations

import pytest

from resproof.architectures import catalogue
from resproof.architectures.activations import sigmoid, softplus, tanh
from resproof.architectures.forms.cores import Core, Decomposition
from resproof.architectures.losses import cross_entropy, squared
from resproof.architectures.nodes import Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import ones
from resproof.symbolic.index.expansion import expansion
from resproof.symbolic.index.lift import NotIdentityError
from resproof.symbolic.index.structure import (
    branch_degree,
    gradient_terms,
    is_polynomial,
    loss_part,
    offending_addend,
)


def cut(expression: Expression, units: int = 2) -> Decomposition:
    found = expansion(ResidualUnit(expression), squared)
    return found.cores if units > 1 else found.cores_of_one


def only(found: Decomposition) -> Core:
    (core,) = found.cores
    return core


def names(core: Core) -> tuple[str, ...]:
    return tuple(w.name for w in core.weights)


def test_the_two_shortcut_core_is_m_and_the_inner_width_a_spectator() -> None:
    core = only(cut(catalogue.n_shortcut(2, tanh, tanh, tanh, "k")))
    assert core.spectators == ("k",)
    assert core.sides == (("W1",), ("W2",))
    assert [w.dims for w in core.weights] == [("d",), ("d",)]
    (block,) = core.diagonal
    assert (block.row, block.column) == ("W2", "W1")
    assert block.entries.label == "m^-1 * g[i,a] * tanh(X)[k,a]"


def test_a_bias_joins_the_side_of_its_weight() -> None:
    core = only(cut(catalogue.biased(tanh)))
    assert core.sides == (("W1", "b"), ("W2",))
    assert [w.dims for w in core.weights] == [("d",), (), ("d",)]
    assert core.bounds.rows == (("m",),)  # both blocks go through g


def test_a_tied_weight_has_a_symmetric_core() -> None:
    core = only(cut(catalogue.tied()))
    assert (core.sides, core.spectators) == (None, ("k",))


@pytest.mark.parametrize("causal", [False, True])
def test_queries_and_keys_are_absent(causal: bool) -> None:
    found = cut(catalogue.attention(causal=causal))
    assert [name for name, _ in found.absent] == ["Q", "K"]
    assert names(only(found)) == ("V", "O")
    assert (("m",) in only(found).bounds.cuts[0]) is not causal  # the mean over tokens parts g from h


def test_a_transformer_has_two_cores() -> None:
    found = cut(catalogue.transformer())
    assert [names(core) for core in found.cores] == [("V", "O"), ("W1", "W2")]
    assert [core.spectators for core in found.cores] == [("d",), ("f",)]


def test_what_a_normalisation_and_a_loss_sum_to_zero() -> None:
    (v, o), _ = (core.weights for core in expansion(ResidualUnit(catalogue.transformer()), cross_entropy).cores.cores)
    assert (v.centred.diagonal, o.centred.diagonal) == ((True,), (True,))
    (v, o), _ = (core.weights for core in cut(catalogue.transformer()).cores)
    assert (v.centred.diagonal, o.centred.diagonal) == ((True,), (False,))


def test_an_index_that_reaches_the_data_is_a_label() -> None:
    h, a, w = Input("d"), Weight("d", name="a"), Weight("d", "d", name="W")
    core = only(cut(h + a * (w @ h)))
    assert (core.spectators, core.labels) == ((), ("d",))
    assert [x.dims for x in core.weights] == [(), ("d",)]


def test_two_spectators() -> None:
    h, a, b = Input("d"), Weight("k", "j", name="a"), Weight("k", "j", name="b")
    total = Weight(1, "k", initial=ones) @ (a * b) @ Weight("j", 1, initial=ones)
    core = only(cut(h + h * total))
    assert core.spectators == ("k", "j")
    assert [x.dims for x in core.weights] == [(), ()]


def test_slots_that_disagree_are_no_spectators() -> None:
    # mid(0) != 0 adds W2 W2 with the rows summed, where W1 W2 sums the columns.
    core = only(cut(catalogue.n_shortcut(2, mid=sigmoid)))
    assert (core.spectators, core.sides) == ((), None)
    assert core.cross


def test_one_unit_has_no_cross_terms() -> None:
    core = only(cut(catalogue.n_shortcut(1), units=1))
    assert not core.cross
    assert core.spectators == ("d",)
    assert only(cut(catalogue.n_shortcut(1))).cross


@pytest.mark.parametrize("depth", [3, 4])
def test_three_shortcuts_have_no_cores(depth: int) -> None:
    found = cut(catalogue.n_shortcut(depth))
    assert not found.cores
    assert len(found.absent) == depth


def test_parts_degrees_and_gradients() -> None:
    unit = ResidualUnit(catalogue.n_shortcut(3, tanh))
    assert branch_degree(unit, 4) == 3
    assert branch_degree(unit, 2) is None
    assert not loss_part(unit, squared, 2, 2).terms
    assert len(loss_part(unit, squared, 2, 3).terms) == 2
    assert not any(terms.terms for _, terms in gradient_terms(unit, squared))
    assert all(terms.terms for _, terms in gradient_terms(ResidualUnit(catalogue.n_shortcut(1)), squared))
    assert not is_polynomial(unit)
    assert is_polynomial(ResidualUnit(catalogue.n_shortcut(2)))


def test_the_addend_that_does_not_vanish_is_named() -> None:
    unit = ResidualUnit(catalogue.n_shortcut(2, post=softplus))
    with pytest.raises(NotIdentityError):
        _ = expansion(unit, squared).cores
    assert offending_addend(unit) == "softplus(W2 @ (W1 @ h)) is log(2), not 0, at the initial point"
    assert offending_addend(ResidualUnit(catalogue.n_shortcut(2))) is None
