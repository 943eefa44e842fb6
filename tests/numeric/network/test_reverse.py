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
from resproof.numeric.backend import Ops, ops
from resproof.numeric.network import arrangement, series
from resproof.numeric.network.adjoint import start
from resproof.numeric.network.evaluate import forward_with_slopes
from resproof.numeric.network.reverse import adjoint
from resproof.numeric.network.scan import Scan
from resproof.numeric.network.series import Series
from tests.numeric.cases import first_of, make
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
    run = start("test", case.network, case.weights, case.direction, x, order, scan=False).by_unit
    draw = np.random.default_rng(5).standard_normal
    h, cotangent = (tuple(array_ops.asarray(draw(x.shape)) for _ in range(order + 1)) for _ in range(2))
    values, slopes = forward_with_slopes(run.program, run.algebra, h, run.weights(0))
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


def products(call: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> int:
    """How many matrix products of coefficients a call takes."""
    count = [0]
    matmul = series._matmul  # pyright: ignore[reportPrivateUsage]

    def counted(a: Any, b: Any) -> Any:
        count[0] += 1
        return matmul(a, b)

    with monkeypatch.context() as patched:
        patched.setattr(series, "_matmul", counted)
        _ = call()
    return count[0]


def test_two_weights_of_a_scan_take_two_products_each(monkeypatch: pytest.MonkeyPatch) -> None:
    case = make(catalogue.n_shortcut(2), ops(np), units=1)
    monkeypatch.setattr(arrangement, "fastest", first_of("scan"))
    scan = start("test", case.network, case.weights, case.direction, case.x)
    assert isinstance(scan, Scan)
    weights: dict[Weight, Series] = {w: tuple(part[0] for part in parts) for w, parts in scan.parts.items()}
    values, slopes = forward_with_slopes(scan.program, scan.algebra, (scan.one, None), weights)
    given = (scan.program, scan.algebra, values, slopes, tuple(np.ones((2, 3, 3))))
    # G_0 and G_1 of W_2 h with the two coefficients of the other factor; for W_1 too no G W^T of lower order.
    assert products(lambda: adjoint(*given, highest=True), monkeypatch) == 4
    assert products(lambda: adjoint(*given), monkeypatch) == 6
