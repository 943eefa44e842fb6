"""One coefficient of a unit's adjoint is the same whether or not the others are computed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from resproof.architectures import catalogue
from resproof.architectures.activations import polynomial, tanh
from resproof.architectures.nodes import Expression, Input, Weight
from resproof.architectures.properties import the_input
from resproof.numeric.backend import Ops
from resproof.numeric.data import as_batch
from resproof.numeric.network.adjoint import start
from resproof.numeric.network.evaluate import forward_with_slopes
from resproof.numeric.network.reverse import adjoint
from tests.numeric.cases import make
from tests.numeric.compare import host


def gated() -> Expression:
    h, a, w = Input("d"), Weight("d"), Weight("d", "d")
    return h + a * (tanh(w) @ h)


def transposed() -> Expression:
    h, w, a = Input("d"), Weight("k", "d"), Weight("d")
    return 2 * h + (w.T + a) @ (w @ h)


UNITS: dict[str, Callable[[], Expression]] = {
    "linear": lambda: catalogue.n_shortcut(3, inner_width="k"),
    "tanh": lambda: catalogue.n_shortcut(2, tanh, tanh, tanh),
    "tied": lambda: catalogue.tied(polynomial(0, 2)),
    "gated": gated,
    "transposed": transposed,
    "normalised": catalogue.pre_norm,
    "transformer": catalogue.transformer,
}


def arguments(name: str, array_ops: Ops, order: int) -> tuple[Any, ...]:
    """A unit's program and algebra, the values and slopes on random data, and a random cotangent."""
    case = make(UNITS[name](), array_ops, units=1)
    x = array_ops.asarray(case.x)
    run = start("test", case.network, case.weights, case.direction, x, order)
    draw, shape = np.random.default_rng(5).standard_normal, as_batch(case.network.unit, x).shape
    h, cotangent = (tuple(array_ops.asarray(draw(shape)) for _ in range(order + 1)) for _ in range(2))
    values, slopes = forward_with_slopes(run.program, run.algebra, h, run.parts[0].series(0, order))
    return run.program, run.algebra, values, slopes, cotangent


@pytest.mark.parametrize("order", [0, 1, 3])
@pytest.mark.parametrize("name", UNITS)
def test_the_highest_coefficient_alone(name: str, order: int, array_ops: Ops) -> None:
    given = arguments(name, array_ops, order)
    whole, alone = adjoint(*given), adjoint(*given, highest=True)
    assert set(whole) == set(alone)
    h = the_input(given[0].root)
    for node, g in whole.items():
        same = range(order + 1) if node is h else [order]
        for k in same:
            np.testing.assert_allclose(host(alone[node][k]), host(g[k]), rtol=1e-12, atol=1e-12)
