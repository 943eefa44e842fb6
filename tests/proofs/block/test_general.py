"""The general statements on blocks of every kind, the reasons where they do not apply, and that they can fail."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from resproof.architectures import catalogue
from resproof.architectures.activations import relu, tanh
from resproof.architectures.algebra import conv2d, layer_norm
from resproof.architectures.errors import ArchitectureError
from resproof.architectures.nodes import Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import normal, ones
from resproof.proofs.block.general import (
    HypothesisError,
    Inapplicable,
    Setting,
    applicable_statements,
    general_statements,
    require_hypotheses,
)
from resproof.proofs.results import Result
from resproof.proofs.samples import data_for
from resproof.proofs.statement import Context, Statement
from resproof.proofs.verdict import run
from resproof.symbolic.index.expansion import Expansion
from resproof.symbolic.index.lift import pair_forms
from resproof.symbolic.index.series import Sum, scale

H, W = Input("d"), Weight("d", "d", name="W")


def _gated_images(first: Weight) -> Expression:
    """A gate at zero before two convolutions, a bias at zero and ReLU between them: away from its kink."""
    h, gate, bias = Input("c", "y", "x"), Weight(1, 1, 1), Weight("c", 1, 1)
    return h + gate * conv2d(relu(conv2d(h, first) + bias), Weight("c", "c", 3, 3, initial=normal(1)))


BLOCKS: dict[str, Callable[[], Expression]] = {
    "order one": lambda: catalogue.n_shortcut(1, tanh, tanh, tanh),
    "order two": lambda: catalogue.n_shortcut(2, mid=tanh),
    "order three": catalogue.swiglu,
    "numbers as dimensions": lambda: catalogue.n_shortcut(2, width=3, inner_width=2),
    "large numbers": lambda: catalogue.n_shortcut(2, width=50, inner_width=70),
    "tied": catalogue.tied,
    "fixup": catalogue.fixup,
    "attention": lambda: catalogue.attention(causal=True),
    "relu away from its kink": lambda: (lambda a, b, c: H + b @ relu(a @ H + c))(
        Weight("k", "d"), Weight("d", "k"), Weight("k", initial=ones)
    ),
    "normalised inside": lambda: (lambda v, o: H + o @ layer_norm(v @ H))(
        Weight("k", "d", initial=normal(1)), Weight("d", "k")
    ),
}


def results_of(unit: ResidualUnit, name: str, setting: Setting) -> list[Result]:
    return [run(one) for one in applicable_statements(unit, name, setting) if isinstance(one, Statement)]


@pytest.mark.parametrize("name", BLOCKS)
def test_every_statement_that_applies_goes_through(name: str) -> None:
    results = results_of(ResidualUnit(BLOCKS[name]()), name, Setting(units=5))
    verdicts = {one.id: one.verdict for one in results}
    assert verdicts.pop("GEN-3", "OBSERVED") == "OBSERVED"
    assert set(verdicts.values()) == {"PROVED"}
    assert all(one.all_sizes for one in results if one.verdict == "PROVED")
    assert len(results) == 3


def test_a_small_network_keeps_relu_away_from_padding_alone() -> None:
    unit = ResidualUnit(_gated_images(Weight("c", "c", 3, 3, initial=normal(1))))
    results = results_of(unit, "images", Setting(units=2))
    assert {one.id: (one.verdict, one.reason) for one in results} == {"GEN-1": ("PROVED", ""), "GEN-2": ("PROVED", "")}


FAILING: dict[str, tuple[Callable[[], Expression], str]] = {
    "no shortcut": (lambda: W @ H, "not the identity at its initial point"),
    "twice": (catalogue.nested, "h is added 2 times"),
    "kink": (lambda: catalogue.n_shortcut(2, mid=relu), "no Hessian at the initial point: relu"),
    "kink at every image": (
        lambda: _gated_images(Weight("c", "c", 3, 3)),
        "no Hessian at the initial point: relu",
    ),
    "scale zero": (lambda: H + W @ layer_norm(W @ H), "layer_norm(W @ h)"),
    "no weights": (lambda: H * 1, "has no weights"),
}


@pytest.mark.parametrize("name", FAILING)
def test_hypotheses_that_fail(name: str) -> None:
    build, message = FAILING[name]
    unit = ResidualUnit(build())
    with pytest.raises(HypothesisError) as error:
        require_hypotheses(unit)
    assert message in str(error.value)
    found = general_statements(unit, name)
    assert {one.id for one in found} == {"GEN-1", "GEN-2", "GEN-3", "GEN-5"}
    assert all(isinstance(one, Inapplicable) and message in one.reason for one in found)


def test_an_enormous_expression_is_refused() -> None:
    grown: Expression = H
    for _ in range(40):
        grown = grown + grown
    with pytest.raises(ArchitectureError, match="has about 10\\^12 nodes"):
        _ = general_statements(ResidualUnit(H + W @ grown), "grown")


def statement(id_: str, block: Expression) -> Statement:
    (found,) = [one for one in general_statements(ResidualUnit(block), "block", Setting(units=3)) if one.id == id_]
    assert isinstance(found, Statement)
    return found


@pytest.mark.parametrize("kind", ["D", "A"])
def test_a_wrong_form_is_noticed(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    one = statement("GEN-1", catalogue.n_shortcut(1, tanh))
    assert run(one).verdict == "PROVED"

    def wrong(exact: Expansion) -> dict[tuple[int, int], Sum]:
        forms = pair_forms(exact.unit, exact.loss)
        return {(r, s): scale(Fraction(1, 2), f) if (r == s) == (kind == "D") else f for (r, s), f in forms.items()}

    monkeypatch.setattr(Expansion, "forms", property(wrong))
    result = run(one)
    assert result.verdict == "FAILED"
    assert result.reason.startswith("The forms of the index route, written out")
    assert run(one, parts=("evidence",)).verdict == "FAILED"


def test_a_bound_that_is_too_large_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    one = statement("GEN-3", catalogue.n_shortcut(1))
    assert run(one, Context()).verdict == "OBSERVED"
    monkeypatch.setattr("resproof.proofs.block.general.np.linalg.norm", lambda *_: 1e3)
    assert run(one, Context()).verdict == "FAILED"


@pytest.mark.parametrize(("width", "samples"), [(1, 178), (4, 720), (10, 1797), (20, 1797), (70, 400)])
def test_data_fit_the_width(width: int, samples: int) -> None:
    data = data_for(ResidualUnit(catalogue.n_shortcut(2, width=width)), {})
    assert data.X.shape == data.Y.shape == (width, samples)
    assert data.name.startswith("Gaussian columns") is (width == 70)
    if width <= 10:
        np.testing.assert_array_equal(data.Y.sum(axis=0), 1.0)
    if width in {10, 20}:
        np.testing.assert_allclose(data.X @ data.X.T / samples, np.eye(width), atol=1e-9)


def test_sequences_are_successive_columns() -> None:
    unit = ResidualUnit(catalogue.attention())
    flat, tokens = data_for(ResidualUnit(catalogue.n_shortcut(2)), {"d": 5}), data_for(unit, {"d": 5, "t": 3})
    assert tokens.X.shape == (100, 5, 3)
    np.testing.assert_array_equal(tokens.X[7], flat.X[:, 21:24])
    assert tokens.name.endswith("in sequences of 3")
