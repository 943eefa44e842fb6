"""One set of weights for all units: the spectrum against jax.hessian of the recurrent network written plainly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from resproof.architectures.activations import silu, tanh
from resproof.architectures.algebra import layer_norm, softmax
from resproof.architectures.errors import ArchitectureError
from resproof.architectures.networks import Stack
from resproof.architectures.nodes import Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import normal
from resproof.numeric.data import DataError
from resproof.proofs.block import spectrum as one_by_one
from resproof.proofs.block.shared import spectrum_of_shared_weights
from resproof.proofs.block.spectrum import NoHessianError
from resproof.proofs.statement import Context, Data
from resproof.reporting.check import of_network as of_checked
from resproof.reporting.spectrum import of_network
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


def test_what_cannot_be_had_is_refused_in_one_line() -> None:
    h = Input("d")
    with pytest.raises(NoHessianError, match="is not the identity at its initial point"):
        _ = spectrum_of_shared_weights(ResidualUnit(h + h), 2, X, Y)
    with pytest.raises(ArchitectureError, match="units is 0"):
        _ = spectrum_of_shared_weights(ResidualUnit(_layer()), 0, X, Y)
    with pytest.raises(DataError):
        _ = spectrum_of_shared_weights(ResidualUnit(_layer()), 2, X, Y[:2])


@pytest.mark.parametrize("formed", [True, False])
@pytest.mark.parametrize("name", ["layer", "curved", "given"])
def test_what_is_too_wide_has_ritz_values(name: str, formed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """By products with R D + R (R - 1)/2 (A + A^T), or of the running network with one change for all units."""
    monkeypatch.setattr(one_by_one, "DENSE", 2)
    if not formed:
        monkeypatch.setattr("resproof.numeric.spectra.weight_pairs.MOST_FORMED", 0)
    found = spectrum_of_shared_weights(ResidualUnit(PLAIN[name][0]()), 3, X, Y)
    plain = _recurrent(name, 3)
    assert found.eigenvalues is None
    assert found.extremes is not None
    assert found.ranges is not None
    assert found.extremes.largest == pytest.approx(plain[-1], rel=1e-6)
    assert found.extremes.smallest == pytest.approx(plain[0], rel=1e-6)
    assert found.ranges.largest[0] <= plain[-1] * (1 + 1e-12)
    assert plain[0] - 1e-12 <= found.ranges.smallest[1]
    assert any(("with D and A" if formed else "of the running network") in note for note in found.notes)


def _network(name: str, **given: Any) -> Stack:
    return Stack(units=[PLAIN[name][0]()] * 5, shared=True, **given)


@pytest.mark.parametrize(
    ("name", "says", "same"),
    [
        ("layer", "grows like R^2", False),
        ("curved", "grows like R^2", False),
        ("two", "is R times that of one unit", True),
        ("three", "is zero", True),
    ],
)
def test_a_network_whose_units_share_their_weights_is_checked(name: str, says: str, same: bool) -> None:
    found = of_checked(_network(name), "net", Data(X, Y, "data"), {}, ["depth-invariant"], Context())
    assert found.shared is not None
    assert found.shared.greatest == says
    assert (found.shared.condition_number == "is the same at every depth") is (name == "two")
    assert {one.id: one.verdict for one in found.statements} == {"GEN-1": "PROVED", "GEN-12": "PROVED"}
    assert found.unconfirmed == ()
    assert found.requirements[0].holds is (name == "three")
    plain = _recurrent(name, 5)
    assert found.parameters == len(plain)
    assert found.spectrum is not None
    assert np.allclose(listed(found.spectrum), plain, atol=1e-12 * max(1.0, float(np.abs(plain).max())))
    assert bool(found.depths) is not same
    for row in found.depths:
        there = _recurrent(name, row.units)
        assert row.largest == pytest.approx(there[-1], rel=1e-10)


@pytest.mark.parametrize(
    ("name", "scale", "says"),
    [
        ("curved", "1/R", "tends to that of B + (A + A^T)/2"),
        ("curved", "1/sqrt(R)", "grows like R"),
        ("curved", "1/R^2", "tends to zero"),
        ("layer", "1/R", "tends to that of (A + A^T)/2"),
        ("two", "1/R", "is the same at every depth"),
        ("two", "1/sqrt(R)", "is R^(1/2) times that of one unit"),
    ],
)
def test_a_scale_of_shared_branches(name: str, scale: str, says: str) -> None:
    found = of_checked(_network(name, scale=scale), "net", Data(X, Y, "data"), {}, ["depth-invariant"], Context())
    assert found.shared is not None
    assert found.shared.greatest == says
    assert {one.id: one.verdict for one in found.statements}["GEN-12"] == "PROVED"
    assert found.requirements[0].holds is (says == "is the same at every depth")


def test_what_sharing_cannot_be_is_refused() -> None:
    with pytest.raises(ArchitectureError, match="shared is 'yes'; expected True or False"):
        _ = Stack(units=[_layer()], shared="yes")  # pyright: ignore[reportArgumentType]
    with pytest.raises(ArchitectureError, match="share their weights; expected one or shared"):
        _ = of_network(_network("layer"), "net", None, Data(X, Y, "data"), {}, 0, "each")
