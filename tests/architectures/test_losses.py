"""Values from their definitions; gradient, curvature and third derivative against the exact ones of those."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy

from resproof.architectures.errors import ArchitectureError
from resproof.architectures.losses import LOSSES, Loss, generic_loss, loss
from resproof.numeric.backend import ops

D = 3
F = sympy.symbols(f"f:{D}")
RNG = np.random.default_rng(5)
POINT, U, V = RNG.normal(size=(3, D))
TARGETS = {"squared": RNG.normal(size=D), "cross-entropy": np.array([0.2, 0.5, 1.1])}
OPS = ops(np)


def written_out(name: str, y: Any) -> Any:
    if name == "squared":
        return sum((f - sympy.Float(t, 40)) ** 2 for f, t in zip(F, y, strict=True)) / 2
    total = sum(sympy.exp(f) for f in F)
    return -sum(sympy.Float(t, 40) * (f - sympy.log(total)) for f, t in zip(F, y, strict=True))


def derivatives(name: str) -> list[np.ndarray]:
    """The value and the derivatives up to the fifth at POINT, differentiated by SymPy."""
    plain = written_out(name, TARGETS[name])
    at: dict[Any, Any] = {f: sympy.Float(p, 40) for f, p in zip(F, POINT, strict=True)}
    found = []
    for k in range(6):
        array = np.empty((D,) * k)
        for where in np.ndindex(array.shape):
            array[where] = float((sympy.diff(plain, *(F[i] for i in where)) if where else plain).evalf(30, subs=at))
        found.append(array)
    return found


def column(x: np.ndarray) -> np.ndarray:
    return x[:, None]


@pytest.mark.parametrize("one", LOSSES.values(), ids=LOSSES)
def test_derivatives(one: Loss) -> None:
    f, y, u, v = column(POINT), column(TARGETS[one.name]), column(U), column(V)
    value, gradient, hessian, *higher = derivatives(one.name)
    bound = 64 * np.finfo(float).eps
    np.testing.assert_allclose(one.value(OPS, f, y), value.reshape(1, 1), rtol=bound, atol=bound)
    np.testing.assert_allclose(one.gradient(OPS, f, y)[:, 0], gradient, rtol=bound, atol=bound)
    np.testing.assert_allclose(one.curvature(OPS, f, y, v)[:, 0], hessian @ V, rtol=bound, atol=bound)
    rows = one.matrix(OPS, f, y, np.eye(D)[:, :, None])
    np.testing.assert_allclose(rows[:, :, 0], hessian, rtol=bound, atol=bound)
    for derivative, along in zip(higher, ([u, v], [u, v, u], [v, u, v, v]), strict=True):
        expected = derivative
        for vector in along:
            expected = expected @ vector[:, 0]
        np.testing.assert_allclose(one.higher(OPS, f, y, along)[:, 0], expected, rtol=16 * bound, atol=16 * bound)


@pytest.mark.parametrize("one", LOSSES.values(), ids=LOSSES)
def test_flags_say_what_holds(one: Loss) -> None:
    _, gradient, hessian, third, *_ = derivatives(one.name)
    identity = np.array_equal(hessian, np.eye(D))
    assert one.quadratic == (identity and not third.any())
    sums = [abs(a.sum(axis=0)).max() for a in (gradient, hessian, third)]
    assert one.centred == (max(sums) < 1e-12)


@pytest.mark.parametrize("one", LOSSES.values(), ids=LOSSES)
def test_columns_and_batches_stay_apart(one: Loss) -> None:
    f, y, u, v = np.random.default_rng(1).uniform(0.1, 2, size=(4, 2, D, 5))
    for function, arguments in ((one.value, (f, y)), (one.gradient, (f, y)), (one.curvature, (f, y, v))):
        whole = function(OPS, *arguments)
        part = function(OPS, *(a[1, :, 3:4] for a in arguments))
        np.testing.assert_allclose(whole[1, :, 3:4], part, rtol=1e-15)
    whole = one.higher(OPS, f, y, [u, v, u])
    f, y, u, v = (a[0, :, :1] for a in (f, y, u, v))
    np.testing.assert_allclose(whole[0, :, :1], one.higher(OPS, f, y, [u, v, u]), rtol=1e-15)


def test_cross_entropy_does_not_overflow() -> None:
    f, y = column(np.array([1000.0, 0.0, -1000.0])), column(np.array([0.0, 1.0, 0.0]))
    with np.errstate(all="raise", under="ignore"):
        assert LOSSES["cross-entropy"].value(OPS, f, y).item() == 1000.0


def test_a_saturated_softmax_has_no_curvature() -> None:
    """p = (1, e^-1000, e^-2000): p_i (1 - p_i) would leave the rounding of 1 - p_i where nothing is."""
    f, y = column(np.array([1000.0, 0.0, -1000.0])), column(np.array([0.0, 1.0, 0.0]))
    assert not LOSSES["cross-entropy"].matrix(OPS, f, y, np.eye(3)[:, :, None]).any()


def test_the_gradient_near_its_zero_is_as_small_as_the_outputs() -> None:
    """p - y = (f_1 - f_2)/4 + O(f^2) at y = (1/2, 1/2): p alone, a float near 1/2, does not know it."""
    f, y = column(2.0**-500 * np.array([3.0, -1.0])), column(np.array([0.5, 0.5]))
    one = LOSSES["cross-entropy"]
    np.testing.assert_allclose(one.gradient(OPS, f, y).ravel(), 2.0**-500 * np.array([1.0, -1.0]), rtol=1e-14)
    assert np.all(one.subtracted(OPS, f, y) < 2.0**-496)


def test_found_by_name() -> None:
    assert {name: loss(name) for name in LOSSES} == LOSSES


def test_the_generic_loss_has_no_values() -> None:
    with pytest.raises(ArchitectureError, match="the generic loss has no values; expected squared or cross-entropy"):
        _ = generic_loss.value(OPS, column(POINT), column(POINT))
