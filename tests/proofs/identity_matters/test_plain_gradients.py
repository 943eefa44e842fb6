"""Squared gradients of many plain networks at once, against the network of the catalogue one by one."""

import numpy as np
import pytest

from resproof.architectures.catalogue import plain
from resproof.architectures.networks import Network
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.network.adjoint import gradient
from resproof.proofs.identity_matters.plain_gradients import first_gradients, random_layers


@pytest.mark.parametrize("layers", [1, 2, 5])
def test_one_by_one(layers: int) -> None:
    weights = random_layers(3, layers, 4, 1.0, 0)
    generator = np.random.default_rng(1)
    x, y = generator.normal(size=(2, 4))
    network = Network(ResidualUnit(plain()), layers)
    (name,) = network.unit.names.values()
    expected = [float(np.sum(gradient(network, {name: one}, x[:, None], y[:, None])[name][0] ** 2)) for one in weights]
    assert np.allclose(first_gradients(weights, x, y), expected, rtol=1e-12, atol=0.0)


def test_variance() -> None:
    drawn = random_layers(200, 2, 5, 0.5, 0)
    # 10^4 squares of mean 1/10 and deviation sqrt(2)/10 each.
    assert abs(float(np.mean(drawn**2)) - 0.1) < 6 * 0.1 * 2**0.5 / 100
