"""A draw of random initial weights for each unit, against jax.hessian of the network written plainly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from resproof.architectures.activations import tanh
from resproof.architectures.errors import ArchitectureError
from resproof.architectures.losses import LOSSES
from resproof.architectures.nodes import Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import normal
from resproof.numeric.backend import ops
from resproof.numeric.network.parameters import initial_weights
from resproof.proofs.block.draws import spectrum_of_own_draws
from resproof.proofs.block.spectrum import NoHessianError, spectrum
from tests.proofs.eigenvalues import listed

jax = pytest.importorskip("jax")
jax.config.update("jax_enable_x64", True)
jnp = jax.numpy
flatten_util = pytest.importorskip("jax.flatten_util")

UNITS = 3
SIZES = {"d": 3, "k": 2}
DRAW = np.random.default_rng(3)
X = DRAW.standard_normal((3, 7))
Y = DRAW.dirichlet(np.ones(3), size=7).T


def _gated(*, trainable: bool = True) -> Expression:
    """Of order two: a gate at zero before a map that is drawn, whose first factor starts at zero."""
    h, a = Input("d"), Weight(1, name="a")
    return h + a * (
        Weight("d", "k", name="V", initial=normal(1), trainable=trainable) @ tanh(Weight("k", "d", name="W") @ h)
    )


def _fixup() -> Expression:
    h = Input("d")
    return h + Weight("d", "k", name="V") @ tanh(Weight("k", "d", name="W", initial=normal()) @ h)


BLOCKS: dict[str, tuple[Callable[[], Expression], Callable[[Any, Any], Any]]] = {
    "gated": (_gated, lambda h, w: h + w["a"] * (w["V"] @ jnp.tanh(w["W"] @ h))),
    "frozen": (lambda: _gated(trainable=False), lambda h, w: h + w["a"] * (w["V"] @ jnp.tanh(w["W"] @ h))),
    "fixup": (_fixup, lambda h, w: h + w["V"] @ jnp.tanh(w["W"] @ h)),
}


def _expected(name: str, loss: str, *, shared: bool) -> np.ndarray:
    unit, plain = ResidualUnit(BLOCKS[name][0]()), BLOCKS[name][1]
    weights = initial_weights(unit, UNITS, SIZES, ops(np), 0, shared=shared)

    def total(point: Any) -> Any:
        h = X
        for r in range(UNITS):
            h = plain(h, {key: point.get(key, array)[r] for key, array in weights.items()})
        if loss == "squared":
            return 0.5 * jnp.sum((h - Y) ** 2) / 7
        return jnp.sum(jax.nn.logsumexp(h, axis=0) - jnp.sum(Y * h, axis=0)) / 7

    flat, back = flatten_util.ravel_pytree({key: weights[key] for key in unit.names.values()})
    return np.linalg.eigvalsh(np.asarray(jax.jit(jax.hessian(lambda v: total(back(v))))(flat)))


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("name", BLOCKS)
def test_every_unit_has_its_own_values(name: str, loss: str) -> None:
    unit = ResidualUnit(BLOCKS[name][0]())
    found = spectrum_of_own_draws(unit, UNITS, X, Y, LOSSES[loss], sizes=SIZES)
    values = listed(found)
    own, shared = (_expected(name, loss, shared=one) for one in (False, True))
    assert np.allclose(values, own, atol=1e-12)
    assert not np.allclose(values, shared, atol=1e-3)
    assert found.stationary_order == (0 if name == "fixup" else 1)
    assert any("for each unit its own" in note for note in found.notes)
    assert (found.negative or 0) + (found.zero or 0) + (found.positive or 0) == len(own) == found.parameters


def test_one_unit_is_the_same_either_way() -> None:
    unit = ResidualUnit(_fixup())
    own, one = (f(unit, 1, X, Y, sizes=SIZES) for f in (spectrum_of_own_draws, spectrum))
    assert own.extremes is not None
    assert one.extremes is not None
    assert own.extremes.largest == pytest.approx(one.extremes.largest, rel=1e-12)
    assert (own.negative, own.zero, own.positive) == (one.negative, one.zero, one.positive)


def test_what_has_no_draws_or_too_many_parameters_is_refused() -> None:
    h = Input("d")
    with pytest.raises(ArchitectureError, match="nothing is drawn at random"):
        spectrum_of_own_draws(ResidualUnit(h + Weight("d", "d") @ h), 2, X, Y)
    with pytest.raises(ArchitectureError, match="12000 parameters with a draw for each unit; expected at most 5000"):
        spectrum_of_own_draws(ResidualUnit(_fixup()), 1000, X, Y, sizes=SIZES)
    with pytest.raises(NoHessianError, match="not the identity"):
        spectrum_of_own_draws(ResidualUnit(h + Weight("d", "d", initial=normal()) @ h), 2, X, Y)
