"""Frozen weights and arrays in `check` and `spectrum`, against jax.hessian and what arrays of zeros must give."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from resproof.architectures.activations import tanh
from resproof.architectures.algebra import layer_norm
from resproof.architectures.losses import LOSSES, cross_entropy, squared
from resproof.architectures.nodes import Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import identity_initial, normal, ones, zero
from resproof.numeric.backend import ops
from resproof.numeric.data import DataError
from resproof.numeric.network.parameters import initial_weights
from resproof.proofs.block.check import check
from resproof.proofs.block.general import HypothesisError, Setting, require_hypotheses
from resproof.proofs.block.spectrum import Spectrum, spectrum
from resproof.proofs.statement import Data
from resproof.symbolic.index.expansion import expansion
from tests.proofs.eigenvalues import listed

jax = pytest.importorskip("jax")
jax.config.update("jax_enable_x64", True)
jnp = jax.numpy
flatten_util = pytest.importorskip("jax.flatten_util")

UNITS, WIDTH, INNER = 2, 3, 2
ARRAY = np.array([[0.5, -1.0, 0.25], [2.0, 0.125, -0.75]])
DRAW = np.random.default_rng(11)
X = DRAW.standard_normal((WIDTH, 6))
Y = DRAW.dirichlet(np.ones(WIDTH), size=6).T


def _frozen_outer() -> Expression:
    h = Input("d")
    return h + Weight("d", "k", name="F", initial=ARRAY.T, trainable=False) @ tanh(Weight("k", "d", name="W") @ h)


def _array_inside() -> Expression:
    h = Input("d")
    return h + Weight("d", "k", name="V") @ tanh(Weight("k", "d", name="W", initial=ARRAY) @ h)


def _frozen_gain() -> Expression:
    h = Input("d")
    n = layer_norm(h, epsilon=1) * Weight("d", name="g", initial=[1, 2, Fraction(1, 2)], trainable=False)
    return h + Weight("d", "k", name="V") @ tanh(Weight("k", "d", name="W") @ n)


def _frozen_draw() -> Expression:
    h = Input("d")
    return h + Weight("d", "k", name="V") @ tanh(Weight("k", "d", name="F", initial=normal(), trainable=False) @ h)


def _norm(h: Any) -> Any:
    centred = h - h.mean(axis=0)
    return centred / jnp.sqrt((centred**2).mean(axis=0) + 1)


BLOCKS: dict[str, tuple[Callable[[], Expression], Callable[[Any, Any], Any]]] = {
    "frozen outside": (_frozen_outer, lambda h, w: h + w["F"] @ jnp.tanh(w["W"] @ h)),
    "array inside": (_array_inside, lambda h, w: h + w["V"] @ jnp.tanh(w["W"] @ h)),
    "frozen gain": (_frozen_gain, lambda h, w: h + w["V"] @ jnp.tanh(w["W"] @ (w["g"] * _norm(h)))),
    "frozen draw": (_frozen_draw, lambda h, w: h + w["V"] @ jnp.tanh(w["F"] @ h)),
}


def _plain_eigenvalues(name: str, loss: str, weights: dict[str, Any]) -> np.ndarray:
    unit, plain = ResidualUnit(BLOCKS[name][0]()), BLOCKS[name][1]
    trained = {key: weights[key] for key in unit.names.values()}

    def total(point: Any) -> Any:
        h = X
        for r in range(UNITS):
            h = plain(h, {key: (point[key] if key in point else weights[key])[r] for key in weights})
        if loss == "squared":
            return 0.5 * jnp.sum((h - Y) ** 2) / X.shape[1]
        return jnp.sum(jax.nn.logsumexp(h, axis=0) - jnp.sum(Y * h, axis=0)) / X.shape[1]

    flat, back = flatten_util.ravel_pytree(trained)
    return np.linalg.eigvalsh(np.asarray(jax.jit(jax.hessian(lambda v: total(back(v))))(flat)))


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("name", BLOCKS)
def test_the_spectrum_is_that_of_the_parameters_alone(name: str, loss: str) -> None:
    unit = ResidualUnit(BLOCKS[name][0]())
    found = spectrum(unit, UNITS, X, Y, LOSSES[loss], sizes={"k": INNER})
    weights = initial_weights(unit, UNITS, {"d": WIDTH, "k": INNER}, ops(np), 0, shared=True)
    expected = _plain_eigenvalues(name, loss, weights)
    assert found.parameters == len(expected)
    assert np.allclose(listed(found), expected, atol=1e-12)


def _checked(block: Expression, **sizes: int) -> Any:
    return check(ResidualUnit(block), "block", Setting(squared, 3, Data(X, Y, "data"), sizes))


def test_check_proves_it_for_every_size_and_says_what_is_frozen() -> None:
    found = _checked(_frozen_outer(), k=INNER)
    assert not found.unconfirmed
    assert [(w.name, w.trainable, w.partners) for w in found.weights] == [("W", True, ("W",)), ("F", False, ())]
    verdicts = {one.id: result and result.verdict for one, result in found.statements}
    assert verdicts["GEN-1"] == verdicts["GEN-2"] == "PROVED"
    assert found.parameters == 3 * WIDTH * INNER
    assert [one.weight for one in found.alternatives] == ["W"]
    assert "F[" in found.cross.label
    assert "dF" not in found.diagonal.label + found.cross.label


def test_an_array_gives_the_sizes_of_its_dimensions() -> None:
    assert _checked(_array_inside()).sizes["k"] == INNER
    with pytest.raises(DataError, match=r"--set k=5\): the initial values of .* have 2 for k"):
        _checked(_array_inside(), k=5)
    wide = Data(np.ones((4, 6)), np.ones((4, 6)), "wide")
    with pytest.raises(DataError, match="the dimension d is 3 here and 4 elsewhere"):
        check(ResidualUnit(_array_inside()), "block", Setting(squared, 3, wide))


def test_arrays_of_zeros_ones_and_the_identity_are_what_they_are() -> None:
    h = Input("d")

    def block(outer: Any, gain: Any, square: Any) -> Expression:
        inner = Weight("d", "d", name="S", initial=square) @ (Weight("d", name="g", initial=gain) * h)
        return h + Weight("d", "d", name="V", initial=outer) @ inner

    given = block(np.zeros((3, 3)), np.ones(3), np.eye(3))
    named = block(zero, ones, identity_initial)
    for loss in (squared, cross_entropy):
        one, other = (expansion(ResidualUnit(b), loss) for b in (given, named))
        assert (one.diagonal.label, one.cross.label) == (other.diagonal.label, other.cross.label)
    require_hypotheses(ResidualUnit(given))
    with pytest.raises(HypothesisError, match="not the identity at its initial point"):
        require_hypotheses(ResidualUnit(block(np.full((3, 3), 1e-9), np.ones(3), np.eye(3))))


def test_exact_zeros_are_counted_by_the_rank_of_the_fractions_themselves() -> None:
    """E has rank one over the rationals, and full rank once its thirds are rounded: B @ A has d - 1 null rows more."""
    h = Input("d")

    def found(entries: list[list[Any]]) -> Spectrum:
        e = Weight("d", "d", name="E", initial=entries, trainable=False)
        unit = ResidualUnit(h + e @ Weight("d", "k", name="B") @ Weight("k", "d", name="A") @ h)
        return spectrum(unit, 1, np.round(4 * X), np.round(4 * Y), squared, sizes={"k": INNER})

    thirds = [[Fraction(i * j, 3 * i + 1) for j in (1, 4, 7)] for i in (1, 2, 3)]
    exact, rounded = found(thirds), found([[float(entry) for entry in row] for row in thirds])
    full = found([[2, 1, 0], [0, 1, 0], [0, 0, 3]])
    # The core maps (d) to (d) for each of k inner units: rank one leaves 2 (d - 1) k zeros.
    assert exact.zero_exact == exact.zero == 2 * (WIDTH - 1) * INNER
    assert full.zero == 0
    assert (rounded.zero_exact or 0) < 2 * (WIDTH - 1) * INNER
    assert any("rounded to floats" in note for note in exact.notes)
    assert not any("rounded to floats" in note for note in full.notes)


def test_a_unit_without_parameters_has_no_surface() -> None:
    h = Input("d")
    unit = ResidualUnit(h + Weight("d", "d", trainable=False) @ h)
    with pytest.raises(HypothesisError, match="has no trainable weights"):
        require_hypotheses(unit)


def test_a_branch_behind_a_frozen_zero_has_no_order() -> None:
    h = Input("d")
    unit = ResidualUnit(h + Weight("d", "k", trainable=False) @ tanh(Weight("k", "d") @ h))
    assert (expansion(unit).order, expansion(unit).diagonal.terms, expansion(unit).cross.terms) == (None, (), ())
