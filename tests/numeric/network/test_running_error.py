"""The running error analysis: changes of the size of a rounding move the product by less than the bound says."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from resproof.architectures.losses import Loss, cross_entropy, squared
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.backend import ops
from resproof.numeric.network.adjoint import hvp
from resproof.numeric.network.parameters import initial_weights
from resproof.numeric.network.running_error import bounded_product
from resproof.numeric.rounding import UNIT_ROUNDOFF
from tests.numeric.cases import Case, make
from tests.plain_blocks import BLOCKS, TENSOR_BLOCKS, Block

OPS = ops(np)


def distribution(y: np.ndarray) -> np.ndarray:
    return np.abs(y) / np.abs(y).sum(axis=0 if y.ndim == 2 else 1, keepdims=True)


def a_case(block: Block, loss: Loss) -> tuple[Case, np.ndarray]:
    case = make(block.expression(), OPS, units=3, loss=loss)
    return case, case.y if loss is squared else distribution(case.y)


@pytest.mark.parametrize("loss", [squared, cross_entropy], ids=lambda loss: loss.name)
@pytest.mark.parametrize("block", BLOCKS + TENSOR_BLOCKS, ids=lambda block: block.name)
def test_the_product_is_that_of_hvp_and_its_bound_is_small(block: Block, loss: Loss) -> None:
    case, y = a_case(block, loss)
    start = initial_weights(case.network.unit, 3, case.sizes, OPS, 5)
    for weights in (start, case.weights):
        product, error = bounded_product(case.network, weights, case.direction, case.x, y)
        for name, array in hvp(case.network, weights, case.direction, case.x, y).items():
            assert product[name].shape == error[name].shape == array.shape
            assert np.all(np.abs(product[name] - array) <= 2 * error[name])
            # Far from the start a bound for the worst case may be poor: errors of large scores are exponentiated.
            if weights is start:
                assert float(np.linalg.norm(error[name])) <= 1e-9 * (1.0 + float(np.linalg.norm(array)))


@pytest.mark.parametrize("block", BLOCKS + TENSOR_BLOCKS, ids=lambda block: block.name)
def test_roundings_of_what_is_given_move_the_product_by_less(block: Block) -> None:
    """Each number is known to L u |v|: relative changes of L u in data, weights and direction stay below the bound."""
    (case, y), generator, large = a_case(block, squared), np.random.default_rng(3), 2.0**16

    def rounded(array: np.ndarray) -> np.ndarray:
        return array * (1 + large * UNIT_ROUNDOFF * generator.choice([-1.0, 1.0], size=array.shape))

    product, error = bounded_product(case.network, case.weights, case.direction, case.x, y)
    weights, direction = ({n: rounded(a) for n, a in w.items()} for w in (case.weights, case.direction))
    moved = hvp(case.network, weights, direction, rounded(case.x), rounded(y))
    for name, array in product.items():
        assert np.all(np.abs(moved[name] - array) <= large * error[name])


def test_a_product_of_two_exact_numbers() -> None:
    """One unit h + w1 w2 h at d = m = 1: (H v)_1 = w2 x (2 w1 w2 x + 2 x - y) v2 + ..., entry by entry over Q."""
    h = Input(1)
    unit = ResidualUnit(h + Weight(1, 1, name="b") @ (Weight(1, 1, name="a") @ h))
    a, b, da, db, x, y = (Fraction(k, 7) for k in (3, 5, -2, 4, 9, 1))
    # L = 1/2 (x + a b x - y)^2: L_a = b x r, so (H v)_a = b x dr + x r db with dr = x (a db + b da).
    a, b, da, db, x, y = (Fraction(float(q)) for q in (a, b, da, db, x, y))
    r, dr = x + a * b * x - y, x * (a * db + b * da)
    expected = {"a": b * x * dr + x * r * db, "b": a * x * dr + x * r * da}

    def array(q: Fraction) -> np.ndarray:
        return np.array([[[float(q)]]])

    found = bounded_product(
        Network(unit, 1),
        {"a": array(a), "b": array(b)},
        {"a": array(da), "b": array(db)},
        array(x)[0],
        array(y)[0],
    )
    for name, exact in expected.items():
        off = abs(Fraction(float(found.product[name][0, 0, 0])) - exact)
        assert off <= Fraction(float(found.error[name][0, 0, 0])) <= Fraction(1, 10**12) * abs(exact)
