"""Products by pairs of weights against those of the running network and of the index terms, with a bound that holds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from resproof.architectures import catalogue
from resproof.architectures.activations import tanh
from resproof.architectures.algebra import conv2d, layer_norm
from resproof.architectures.losses import LOSSES, squared
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import normal
from resproof.numeric.backend import ops
from resproof.numeric.data import bind
from resproof.numeric.network.adjoint import hvp
from resproof.numeric.network.parameters import initial_weights, random_weights
from resproof.numeric.spectra.contract import hessian_vector
from resproof.numeric.spectra.cores import shape
from resproof.numeric.spectra.weight_pairs import entries_of, formed_pairs, product, product_error
from resproof.proofs.block.spectrum import initial_environment
from resproof.symbolic.index.expansion import expansion
from resproof.symbolic.index.lift import terms_of_forms

UNITS = 4


def _convolution() -> Expression:
    h, u = Input("c", "y", "x"), Weight("k", "c", 3, 3, name="U", initial=normal("1/9"))
    return h + conv2d(tanh(conv2d(h, u)), Weight("c", "k", 3, 3, name="V"))


def _several() -> Expression:
    """Two weights and a bias of order one behind a norm, and two of order two."""
    h, u, v = Input("d"), Weight("k", "d", name="U"), Weight("d", "k", name="V")
    n = layer_norm(h, epsilon=1)
    return h + Weight("d", "d", name="W") @ n + Weight("d", name="b") + v @ tanh(u @ n)


BLOCKS: dict[str, tuple[Callable[[], Expression], tuple[int, ...]]] = {
    "two layers": (lambda: catalogue.n_shortcut(2, tanh, tanh, tanh, "k"), (3, 5)),
    "fixup": (catalogue.fixup, (3, 5)),
    "several": (_several, (3, 5)),
    "attention": (catalogue.attention, (2, 3, 4)),
    "convolution": (_convolution, (2, 2, 3, 3)),
}


@pytest.mark.parametrize("of", LOSSES)
@pytest.mark.parametrize("name", BLOCKS)
def test_products_are_those_of_the_running_network(name: str, of: str) -> None:
    make, sides = BLOCKS[name]
    unit, draw = ResidualUnit(make()), np.random.default_rng(3)
    x, y = draw.standard_normal((2, *sides))
    if of == "cross-entropy":
        axis = 0 if len(sides) == 2 else 1
        y = np.abs(y) / np.abs(y).sum(axis=axis, keepdims=True)
    network = Network(unit, UNITS, LOSSES[of])
    sizes = bind("test", unit, x, {name: 2 for name in unit.dimensions if name == "k"})
    env = initial_environment(network, x, y, sizes, 0)[0]
    exact = expansion(unit, network.loss)
    pairs = formed_pairs(exact.by_pairs, env)
    assert pairs is not None
    assert entries_of(pairs, env.sizes) > 0
    v = random_weights(unit, UNITS, env.sizes, ops(np), 1)
    found, error = (one(pairs, v, env.sizes) for one in (product, product_error))
    weights = initial_weights(unit, UNITS, env.sizes, ops(np), 0, shared=True)
    running = hvp(network, weights, v, x, y)
    terms = hessian_vector(terms_of_forms(unit, exact.forms[1, 1], exact.forms[1, 2]), env, v)
    for key, array in found.items():
        size = max(1.0, float(np.abs(running[key]).max()))
        assert np.allclose(array, running[key], atol=1e-13 * size)
        assert np.all(np.abs(array - terms[key]) <= 2 * error[key])
        assert float(error[key].max()) < 1e-8 * size


def test_pairs_share_indices_that_the_whole_core_does_not() -> None:
    """The widest matrix of one weight or two is smaller than that of all that occur together."""
    exact, sizes = expansion(ResidualUnit(_convolution()), squared), {"c": 3, "k": 3, "y": 4, "x": 4}
    widest = [max(shape(core, sizes)[0] for core in cores) for cores in (exact.by_pairs, exact.cores.cores)]
    assert widest[0] < widest[1]
