"""One set of weights for all units: the spectrum against jax.hessian of the recurrent network written plainly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from architectures.activations import silu, tanh
from architectures.errors import ArchitectureError
from architectures.expressions import Expression, Input, Weight, layer_norm, normal, softmax
from architectures.networks import ResidualUnit
from architectures.stacks import Stack
from numeric.data import DataError
from proofs.block import spectrum as one_by_one
from proofs.block.shared import spectrum_of_shared_weights
from proofs.block.spectrum import NoHessianError
from proofs.statement import Data
from reports.spectrum import of_network
from tests.proofs.eigenvalues import listed

jax = pytest.importorskip("jax")
jax.config.update("jax_enable_x64", True)
jnp = jax.numpy

DRAW = np.random.default_rng(5)
X, Y = DRAW.standard_normal((2, 3, 7))
DEPTHS = (1, 2, 5)
FIXED = [[1, -2, 0], [3, 1, 1], [0, 1, -1]]


def _layer() -> Expression:
    h = Input("d")
    return h + Weight("d", "d", name="W") @ tanh(h)


def _curved() -> Expression:
    h = Input("d")
    return h + silu(Weight("d", "d", name="W") @ h)


def _two() -> Expression:
    h = Input("d")
    return h + Weight("d", "d", name="V") @ tanh(Weight("d", "d", name="W") @ h)


def _twice() -> Expression:
    """One weight in two places of the unit."""
    h, w = Input("d"), Weight("d", "d", name="W")
    return h + w @ tanh(w @ h + h)


def _given() -> Expression:
    h = Input("d")
    return h + Weight("d", "d", name="V") @ tanh(Weight("d", "d", name="W", initial=FIXED) @ h)


def _three() -> Expression:
    h = Input("d")
    return h + Weight("d", "d", name="U") @ tanh(Weight("d", "d", name="V") @ tanh(Weight("d", "d", name="W") @ h))


PLAIN: dict[str, tuple[Any, dict[str, Any], Any]] = {
    "layer": (_layer, {"W": 0}, lambda h, w: h + w["W"] @ jnp.tanh(h)),
    "curved": (_curved, {"W": 0}, lambda h, w: h + jax.nn.silu(w["W"] @ h)),
    "two": (_two, {"V": 0, "W": 0}, lambda h, w: h + w["V"] @ jnp.tanh(w["W"] @ h)),
    "twice": (_twice, {"W": 0}, lambda h, w: h + w["W"] @ jnp.tanh(w["W"] @ h + h)),
    "given": (_given, {"V": 0, "W": FIXED}, lambda h, w: h + w["V"] @ jnp.tanh(w["W"] @ h)),
    "three": (_three, {"U": 0, "V": 0, "W": 0}, lambda h, w: h + w["U"] @ jnp.tanh(w["V"] @ jnp.tanh(w["W"] @ h))),
}


def _recurrent(name: str, units: int) -> np.ndarray:
    _, starts, block = PLAIN[name]
    start = np.concatenate([np.broadcast_to(np.asarray(one, float), (3, 3)).ravel() for one in starts.values()])

    def loss(vector: Any) -> Any:
        w = dict(zip(starts, vector.reshape(-1, 3, 3), strict=True))
        h = jnp.asarray(X)
        for _ in range(units):
            h = block(h, w)
        return 0.5 * jnp.sum((h - Y) ** 2) / 7

    return np.linalg.eigvalsh(np.asarray(jax.hessian(loss)(start)))


@pytest.mark.parametrize("units", DEPTHS)
@pytest.mark.parametrize("name", PLAIN)
def test_the_spectrum_is_that_of_the_recurrent_network(name: str, units: int) -> None:
    found = spectrum_of_shared_weights(ResidualUnit(PLAIN[name][0]()), units, X, Y)
    plain = _recurrent(name, units)
    assert (found.units, found.parameters) == (units, len(plain))
    assert np.allclose(listed(found), plain, atol=1e-12 * max(1.0, float(np.abs(plain).max())))


def test_at_order_two_depth_is_a_factor() -> None:
    one, many = (listed(spectrum_of_shared_weights(ResidualUnit(_two()), units, X, Y)) for units in (1, 1000))
    assert np.allclose(many, 1000 * one, rtol=1e-12)


def test_a_pattern_shares_weights_place_by_place() -> None:
    stack = Stack(units=[_layer(), _curved()] * 2)
    found = of_network(stack, "net", None, Data(X, Y, "data"), {}, 0, "shared")

    def loss(vector: Any) -> Any:
        w, v = vector.reshape(2, 3, 3)
        h = jnp.asarray(X)
        for _ in range(2):
            h = h + w @ jnp.tanh(h)
            h = h + jax.nn.silu(v @ h)
        return 0.5 * jnp.sum((h - Y) ** 2) / 7

    assert np.allclose(listed(found), np.linalg.eigvalsh(np.asarray(jax.hessian(loss)(np.zeros(18)))), atol=1e-12)
    assert any("share their weights" in note for note in found.notes)


def test_tokens_and_draws() -> None:
    h = Input("d", "t")
    n = layer_norm(h, epsilon=1)
    scores = (Weight("d", "d", name="K") @ n).T @ n
    unit = ResidualUnit(
        h + Weight("d", "d", name="O") @ Weight("d", "d", name="V", initial=normal(1)) @ n @ softmax(scores, axis=0)
    )
    x, y = DRAW.standard_normal((2, 4, 3, 2))
    found = spectrum_of_shared_weights(unit, 3, x, y)
    assert found.parameters == 27
    assert found.extremes is not None
    assert found.extremes.smallest < 0.0 < found.extremes.largest


def test_what_cannot_be_had_is_refused_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    h = Input("d")
    with pytest.raises(NoHessianError, match="is not the identity at its initial point"):
        _ = spectrum_of_shared_weights(ResidualUnit(h + h), 2, X, Y)
    with pytest.raises(ArchitectureError, match="units is 0"):
        _ = spectrum_of_shared_weights(ResidualUnit(_layer()), 0, X, Y)
    with pytest.raises(DataError):
        _ = spectrum_of_shared_weights(ResidualUnit(_layer()), 2, X, Y[:2])
    monkeypatch.setattr(one_by_one, "DENSE", 2)
    with pytest.raises(ArchitectureError, match="W make a core of 9 x 9; expected 2 at most"):
        _ = spectrum_of_shared_weights(ResidualUnit(_layer()), 2, X, Y)
