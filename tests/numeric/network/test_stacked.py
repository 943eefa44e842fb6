"""Networks of a stem, unequal units and a head, against JAX: value, gradient, H v; and against equal units in a row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from resproof.architectures.activations import tanh
from resproof.architectures.algebra import layer_norm, softmax
from resproof.architectures.errors import ArchitectureError
from resproof.architectures.losses import LOSSES, cross_entropy
from resproof.architectures.networks import Network, Stack
from resproof.architectures.nodes import Constant, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import normal
from resproof.numeric.backend import Ops, ops
from resproof.numeric.data import DataError
from resproof.numeric.network import adjoint, stacked
from resproof.numeric.network.parameters import initial_weights as equal_weights

jax = pytest.importorskip("jax")
jax.config.update("jax_enable_x64", True)
jnp = jax.numpy
nested = pytest.importorskip("tests.plain_blocks").nested

SIZES = {"p": 4, "d": 3, "k": 2, "c": 5}


@dataclass(frozen=True)
class Case:
    """A network, what it is in JAX on one sample (a matrix) or on all (columns), and its data."""

    stack: Callable[[str], Stack]
    plain: Callable[[Any, Any], Any]
    x: np.ndarray
    labels: np.ndarray
    targets: np.ndarray


def _mlp(width: str = "k") -> Any:
    h = Input("d")
    return h + Weight("d", width, name="V", initial=normal()) @ tanh(Weight(width, "d", name="U") @ h)


def _linear() -> Any:
    h = Input("d")
    return h + Weight("d", "d", name="W", initial=[[0, 1, 0], [0, 0, 1], [1, 0, 0]], trainable=False) @ h * Weight(
        "d", name="g"
    )


def _classifier(loss: str) -> Stack:
    x, h = Input("p"), Input("d")
    stem = tanh(Weight("d", "p", name="E", initial=normal()) @ x + Weight("d", name="b"))
    head = Weight("c", "d", name="C", initial=normal("1/d")) @ h + Weight(
        "c", name="o", trainable=False, initial=normal(1)
    )
    mlp = _mlp()
    return Stack(stem=stem, units=[mlp, _linear(), mlp], head=head, loss=loss)


def _plain_classifier(x: Any, w: Any) -> Any:
    h = jnp.tanh(w["stem.E"] @ x + w["stem.b"])
    h = h + w["1.V"] @ jnp.tanh(w["1.U"] @ h)
    h = h + w["2.W"] @ h * w["2.g"]
    h = h + w["3.V"] @ jnp.tanh(w["3.U"] @ h)
    return w["head.C"] @ h + w["head.o"]


def _sequences(loss: str) -> Stack:
    x, h = Input("p", "t"), Input("d", "t")
    stem = Weight("d", "p", name="E", initial=normal()) @ x
    n = layer_norm(h, epsilon=1)
    scores = (Weight("k", "d", name="K") @ n).T @ (Weight("k", "d", name="Q") @ n)
    attention = h + Weight("d", "d", name="O", initial=normal()) @ n @ softmax(scores, axis=0)
    pool = Constant(Fraction(1, 3), "t", 1)
    head = Weight("c", "d", name="C", initial=normal(), trainable=False) @ layer_norm(h, epsilon=1) @ pool
    return Stack(stem=stem, units=[attention, _mlp("f")], head=head, loss=loss)


def _norm(h: Any) -> Any:
    centred = h - h.mean(axis=0)
    return centred / jnp.sqrt((centred**2).mean(axis=0) + 1)


def _plain_sequences(x: Any, w: Any) -> Any:
    h = w["stem.E"] @ x
    n = _norm(h)
    h = h + w["1.O"] @ n @ jax.nn.softmax((w["1.K"] @ n).T @ (w["1.Q"] @ n), axis=0)
    h = h + w["2.V"] @ jnp.tanh(w["2.U"] @ h)
    return w["head.C"] @ _norm(h) @ jnp.full((3, 1), 1 / 3)


DRAW = np.random.default_rng(2)
CASES = {
    "classifier": Case(
        _classifier,
        _plain_classifier,
        DRAW.standard_normal((4, 7)),
        DRAW.integers(5, size=7),
        DRAW.standard_normal((5, 7)),
    ),
    "sequences": Case(
        _sequences,
        _plain_sequences,
        DRAW.standard_normal((6, 4, 3)),
        DRAW.integers(5, size=6),
        DRAW.standard_normal((6, 5, 1)),
    ),
}


def _function(case: Case, stack: Stack, weights: dict[str, Any], sizes: dict[str, int]) -> Callable[[Any], Any]:
    """The loss of a vector of parameters, all else fixed, by the plain function sample by sample."""
    known = stacked.shapes(stack, sizes)

    def total(vector: Any) -> Any:
        w, start = dict(weights), 0
        for key, (rows, cols) in known.items():
            w[key] = vector[start : start + rows * cols].reshape(cols, rows).T
            start += rows * cols
        columns = case.x.ndim == 2
        f = case.plain(case.x, w).T if columns else jax.vmap(lambda one: case.plain(one, w)[:, 0])(case.x)
        if stack.loss_of_outputs is cross_entropy:
            return jnp.mean(jax.nn.logsumexp(f, axis=1) - f[jnp.arange(len(f)), case.labels])
        return 0.5 * jnp.mean(jnp.sum((f - (case.targets.T if columns else case.targets[:, :, 0])) ** 2, axis=1))

    return total


GRID = [
    *(("classifier", loss, at_start) for loss in LOSSES for at_start in (True, False)),
    ("sequences", "squared", True),
    ("sequences", "cross-entropy", False),
]


@pytest.mark.parametrize(("name", "loss", "at_start"), GRID)
def test_value_gradient_and_products_equal_nested_differentiation(name: str, loss: str, at_start: bool) -> None:
    case, np_ops = CASES[name], ops(np)
    stack, sizes = case.stack(loss), {**SIZES, "t": 3, "f": 2, "m": 7}
    weights = stacked.initial_weights(stack, sizes, np_ops, 3)
    if not at_start:
        weights |= stacked.random_weights(stack, sizes, np_ops, 4, scale=0.7)
    y = case.targets if loss == "squared" else case.labels
    function, point = _function(case, stack, weights, sizes), stacked.flatten(stack, weights)
    expected, slope, hessian = nested(function, point)
    direction = stacked.random_weights(stack, sizes, np_ops, 9)
    v = stacked.flatten(stack, direction)
    assert adjoint.value(stack, weights, case.x, y) == pytest.approx(expected, rel=1e-13)
    found = adjoint.gradient(stack, weights, case.x, y)
    assert list(found) == list(stacked.shapes(stack, sizes))
    assert np.allclose(stacked.flatten(stack, found), slope, atol=1e-12)
    image = adjoint.hvp(stack, weights, direction, case.x, y)
    assert np.allclose(stacked.flatten(stack, image), hessian @ v, atol=1e-11)
    block = stacked.unflatten(stack, np.eye(len(v)), sizes)
    assert np.allclose(stacked.flatten(stack, adjoint.hvp(stack, weights, block, case.x, y)), hessian, atol=1e-11)


def test_equal_units_alone_are_the_network_that_there_was(array_ops: Ops) -> None:
    unit, sizes = ResidualUnit(_mlp()), {"d": 3, "k": 2}
    stack, network = Stack(units=[unit] * 4), Network(unit, 4)
    weights = equal_weights(unit, 4, sizes, array_ops, 1)
    placed = {f"{r + 1}.{name}": array[r, ...] for name, array in weights.items() for r in range(4)}
    x, y = (array_ops.asarray(a) for a in np.random.default_rng(0).standard_normal((2, 3, 6)))
    assert adjoint.value(stack, placed, x, y) == pytest.approx(adjoint.value(network, weights, x, y), rel=1e-14)
    mine, theirs = adjoint.gradient(stack, placed, x, y), adjoint.gradient(network, weights, x, y)
    for name, array in theirs.items():
        for r in range(4):
            assert np.allclose(array_ops.numpy(mine[f"{r + 1}.{name}"]), array_ops.numpy(array)[r], atol=1e-14)


def test_a_draw_for_each_place_or_one_for_all() -> None:
    mlp = _mlp()
    stack = Stack(units=[mlp, mlp])
    own = stacked.initial_weights(stack, SIZES, ops(np))
    shared = stacked.initial_weights(stack, SIZES, ops(np), shared=True)
    assert not np.array_equal(own["1.V"], own["2.V"])
    assert np.array_equal(shared["1.V"], shared["2.V"])


def test_weights_are_named_by_place_and_name() -> None:
    stack = _classifier("squared")
    assert list(stacked.shapes(stack, SIZES)) == ["stem.E", "stem.b", "1.U", "1.V", "2.g", "3.U", "3.V", "head.C"]
    assert len(stack.pattern) > 1
    assert len(Stack(units=[_mlp()] * 3).pattern) == 1


BAD: dict[str, tuple[Callable[[], Any], str]] = {
    "no units": (lambda: Stack(units=[]), "no units"),
    "no unit": (lambda: Stack(units=[Weight("k", "d") @ Input("d")]), "unit 1: W1 @ h of shape"),
    "no expression": (lambda: Stack(units=[3]), "unit 1 is 3, an int"),  # pyright: ignore[reportArgumentType]
    "misfit": (
        lambda: Stack(stem=Weight("e", "p") @ Input("p"), units=_mlp()),
        "stem gives the shape (e, t), and 1 takes (d, t)",
    ),
    "head": (
        lambda: Stack(units=_mlp(), head=Weight("c", "e") @ Input("e")),
        "1 gives the shape (d, t), and head takes",
    ),
    "shared": (
        lambda: Stack(stem=(tied := Weight("d", "d", name="E")) @ Input("d"), units=_mlp(), head=tied.T @ Input("d")),
        "E of shape (d, d) stands in stem and in head; expected weights of each part's own",
    ),
    "loss": (lambda: Stack(units=_mlp(), loss="hinge"), "'hinge' is unknown"),
}


@pytest.mark.parametrize(("make", "said"), BAD.values(), ids=BAD)
def test_what_is_no_network_is_refused_in_one_line(make: Callable[[], Any], said: str) -> None:
    with pytest.raises(ArchitectureError) as caught:
        make()
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_data_and_weights_that_do_not_fit_are_refused() -> None:
    case, stack = CASES["classifier"], _classifier("cross-entropy")
    weights = stacked.initial_weights(stack, SIZES, ops(np), 0)

    def refused(said: str, x: Any = case.x, y: Any = case.labels, w: Any = weights) -> None:
        with pytest.raises(DataError) as caught:
            adjoint.value(stack, w, x, y)
        assert said in str(caught.value), str(caught.value)

    refused("Y has shape (6,); expected (5, 7), that of the output, or labels of shape (7,)", y=case.labels[:6])
    refused("labels from 1 to 7; expected 0 to 4, for the output has 5 rows", y=np.arange(7) % 7 + 1)
    refused("labels that are no whole numbers", y=np.full(7, 0.5))
    refused("among the weights there is no 1.U", w={k: a for k, a in weights.items() if k != "1.U"})
    refused("among the weights there is no head.o", w={k: a for k, a in weights.items() if k != "head.o"})
    refused("there is 4.U, which is none of them", w={**weights, "4.U": weights["1.U"]})
    refused("stem.b has shape (3,); expected (rows, columns)", w={**weights, "stem.b": np.zeros(3)})
    refused("head has 4 for the dimension d; expected 3", w={**weights, "head.C": np.zeros((5, 4))})
    refused("the dimension p is 4 here and 5 elsewhere", x=np.zeros((5, 7)))
    tangents = stacked.random_weights(stack, SIZES, ops(np))
    with pytest.raises(DataError, match=r"the tangent of 1.U has shape \(1, 3\); expected \(2, 3\)"):
        adjoint.hvp(stack, weights, {**tangents, "1.U": np.zeros((1, 3))}, case.x, case.labels)


def test_labels_are_for_cross_entropy() -> None:
    case, stack = CASES["classifier"], _classifier("squared")
    weights = stacked.initial_weights(stack, SIZES, ops(np), 0)
    with pytest.raises(DataError, match=r"Y has shape \(7,\); expected \(5, 7\), that of the output$"):
        adjoint.value(stack, weights, case.x, case.labels)
