"""Value, gradient, jvp, vjp and hvp against JAX on a plainly written version of each block, at nonzero weights."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from resproof.architectures.losses import LOSSES
from resproof.numeric.backend import Ops, ops
from resproof.numeric.network.adjoint import gradient, hvp, jvp, outputs, start, value, vjp
from resproof.numeric.network.parameters import flatten, shapes
from tests.numeric.cases import Case, in_library, make
from tests.numeric.compare import assert_close, assert_weights_equal, host

jax = pytest.importorskip("jax")
blocks = pytest.importorskip("tests.plain_blocks")

# Nested differentiation compiles for seconds, so five blocks carry the cross-entropy; test_taylor has them all.
BOTH = ("1-shortcut", "2-shortcut", "swiglu", "causal", "transformer", "conv2d")
EVERY = blocks.BLOCKS + blocks.TENSOR_BLOCKS
GRID = [
    pytest.param(b, loss, id=f"{b.name}-{loss}") for b in EVERY for loss in (LOSSES if b.name in BOTH else ("squared",))
]


@cache
def dense(name: str, loss: str) -> tuple[float, np.ndarray, np.ndarray]:
    """Loss, gradient and Hessian by nested differentiation of the plain function."""
    block = next(b for b in EVERY if b.name == name)
    case = make(block.expression(), ops(np), loss=LOSSES[loss])
    function = blocks.plain_function(block, case.network, shapes(case.network.unit, case.sizes), case.x, case.y)
    return blocks.nested(function, flatten(case.network.unit, case.weights))


def instance(block, loss: str, array_ops: Ops) -> Case:
    return make(block.expression(), array_ops, loss=LOSSES[loss])


@pytest.mark.parametrize(("block", "loss"), GRID)
def test_value_gradient_and_hvp_equal_nested_differentiation(block, loss: str, array_ops: Ops) -> None:
    case = instance(block, loss, array_ops)
    x, y = in_library(array_ops, case.x, case.y)
    unit = case.network.unit
    expected_value, expected_gradient, hessian = dense(block.name, loss)
    v = host(flatten(unit, case.direction))
    found = host(flatten(unit, hvp(case.network, case.weights, case.direction, x, y)))
    scale = float(np.linalg.norm(hessian)) + float(np.linalg.norm(expected_gradient))
    assert_close(found, hessian @ v, case.chain, scale, float(np.linalg.norm(v)))
    slope = host(flatten(unit, gradient(case.network, case.weights, x, y)))
    assert_close(slope, expected_gradient, case.chain, 1.0 + float(np.linalg.norm(expected_gradient)))
    assert_close(value(case.network, case.weights, x, y), expected_value, case.chain, abs(expected_value))


@pytest.mark.parametrize("block", EVERY, ids=lambda b: b.name)
def test_a_block_of_tangents_is_each_tangent_alone(block, array_ops: Ops) -> None:
    case = make(block.expression(), array_ops, batch=3)
    x, y = in_library(array_ops, case.x, case.y)
    together = hvp(case.network, case.weights, case.direction, x, y)
    for k in range(3):
        alone = hvp(case.network, case.weights, {n: v[k, ...] for n, v in case.direction.items()}, x, y)
        for name, array in alone.items():
            found = host(together[name][k, ...])
            assert_close(found, array, case.chain, 1.0 + float(np.linalg.norm(host(array))))


@pytest.mark.parametrize("block", EVERY, ids=lambda b: b.name)
def test_vjp_is_the_transpose_of_jvp(block, array_ops: Ops) -> None:
    case = make(block.expression(), array_ops, units=3)
    x, c = in_library(array_ops, case.x, case.y)
    output, change = jvp(case.network, case.weights, case.direction, x)
    np.testing.assert_array_equal(host(output), host(outputs(case.network, case.weights, x)))
    back, _ = vjp(case.network, case.weights, x, c)
    left = float(np.vdot(host(c), host(change)))
    right = sum(float(np.vdot(host(back[n]), host(v))) for n, v in case.direction.items())
    norms = float(np.linalg.norm(case.y)), float(np.linalg.norm(host(change))) + 1.0
    assert_close(left, right, 4 * case.chain, *norms)


@pytest.mark.parametrize("block", EVERY, ids=lambda b: b.name)
def test_the_input_part_of_vjp(block) -> None:
    case = make(block.expression(), ops(np))
    unit, units = case.network.unit, case.network.units

    def paired(x: object) -> object:
        return (blocks.plain_columns(block, case.weights, x, units, unit.mixes_columns) * case.y).sum()

    _, found = vjp(case.network, case.weights, case.x, case.y)
    expected = np.asarray(jax.jit(jax.grad(paired))(case.x))
    assert_close(found, expected, case.chain, 1.0 + float(np.linalg.norm(expected)))


def test_a_deep_network_at_zero_is_the_identity_and_its_hvp_exact_in_depth(array_ops: Ops) -> None:
    from resproof.architectures.catalogue import n_shortcut

    case = make(n_shortcut(2), array_ops, units=300)
    zero = {name: 0.0 * array for name, array in case.weights.items()}
    x, y = in_library(array_ops, case.x, case.y)
    np.testing.assert_array_equal(host(outputs(case.network, zero, x)), case.x)
    found = hvp(case.network, zero, case.direction, x, y)
    m = (case.x - case.y) @ case.x.T / case.x.shape[1]
    first = np.einsum("rij,ik->rjk", host(case.direction["W2"]), m)
    assert_close(found["W1"], first, case.chain, float(np.linalg.norm(first)))


@pytest.mark.parametrize("units", [1, 2, 5, 9, 10])
def test_recomputing_segments_changes_nothing(units: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from resproof.architectures.catalogue import transformer

    case = make(transformer(), ops(np), units=units, batch=2)
    arguments = (case.network, case.weights, case.direction, case.x, case.y)
    expected = hvp(*arguments)
    run = start("test", *arguments[:4])
    monkeypatch.setattr("resproof.numeric.network.run.AT_WORK", 0)
    memory = 2 * run.bytes_least
    assert units == 1 or run.segment(2, memory) < units
    assert_weights_equal(hvp(*arguments, memory=memory), expected)


def test_the_order_of_the_weights_is_that_of_the_expression() -> None:
    from resproof.architectures.catalogue import n_shortcut

    case = make(n_shortcut(2), ops(np), units=2)
    assert list(gradient(case.network, case.weights, case.x, case.y)) == ["W1", "W2"]
