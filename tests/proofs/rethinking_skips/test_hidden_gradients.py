"""Gradients of a residual network with a head, against the network without one and against difference quotients."""

import numpy as np

from resproof.architectures.catalogue import n_shortcut
from resproof.architectures.losses import cross_entropy
from resproof.architectures.networks import Network
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.network.adjoint import gradient
from resproof.proofs.rethinking_skips.hidden_gradients import HeadedNetwork, extreme_singular_values, hidden_gradients


def drawn(units: int, d: int, classes: int, m: int, seed: int = 0) -> HeadedNetwork:
    generator = np.random.default_rng(seed)
    first, second = 0.3 * generator.normal(size=(2, units, d, d))
    y = np.eye(classes)[:, generator.integers(classes, size=m)]
    return HeadedNetwork(first, second, generator.normal(size=(classes, d)), generator.normal(size=(d, m)), y)


def cost(network: HeadedNetwork) -> float:
    h = network.x
    for w1, w2 in zip(network.first, network.second, strict=True):
        h = h + w2 @ w1 @ h
    f = network.head @ h
    return float(np.mean(np.log(np.sum(np.exp(f), axis=0)) - np.sum(network.y * f, axis=0)))


def test_against_difference_quotients() -> None:
    network = drawn(3, 4, 3, 5)
    by_first, by_second = hidden_gradients(network)
    step = 1e-5
    for found, weights in ((by_first, network.first), (by_second, network.second)):
        for place in ((0, 0, 0), (1, 2, 3), (2, 3, 1)):
            kept = weights[place]
            values = []
            for move in (step, -step):
                weights[place] = kept + move
                values.append(cost(network))
            weights[place] = kept
            # Third derivatives are of order ten here: the error of the quotient is about step^2.
            assert abs((values[0] - values[1]) / (2 * step) - found[place]) < 1e-7


def test_without_a_head_it_is_the_network_of_the_catalogue() -> None:
    bare = drawn(4, 3, 3, 6, seed=1)
    network = HeadedNetwork(bare.first, bare.second, np.eye(3), bare.x, bare.y)
    expected = gradient(
        Network(ResidualUnit(n_shortcut(2)), 4, cross_entropy), {"W1": bare.first, "W2": bare.second}, bare.x, bare.y
    )
    for found, name in zip(hidden_gradients(network), ("W1", "W2"), strict=True):
        assert np.max(np.abs(found - expected[name])) <= network.rounding()


def test_extreme_singular_values() -> None:
    gradients = np.stack([np.diag([5.0, 2.0, 0.0]), np.diag([3.0, 4.0, 1.0])])
    assert extreme_singular_values(gradients, 2) == (2.0, 1.0)
    assert extreme_singular_values(gradients, 3) == (0.0, 0.0)
    assert extreme_singular_values(gradients, 1) == (4.0, 3.0)


def test_the_rounding_bound_grows_with_depth() -> None:
    bounds = [drawn(units, 4, 3, 5).rounding() for units in (1, 4, 16)]
    assert bounds == sorted(bounds)
    assert bounds[0] > 0
