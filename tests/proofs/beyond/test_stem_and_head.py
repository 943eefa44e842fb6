"""GEN-11: networks with a stem and a head under cross-entropy, by jax.hessian."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

_INPUTS, _D, _CLASSES, _M, _UNITS = 2, 2, 3, 4, 4
_RANDOM = np.random.default_rng(3)
_Z = _RANDOM.standard_normal((_INPUTS, _M))
_LABELS = np.array([0, 2, 1, 2])
_STEM, _HEAD = _RANDOM.standard_normal((_D, _INPUTS)), _RANDOM.standard_normal((_CLASSES, _D))


def _order_one(w: Any, h: Any) -> Any:
    return jax.nn.silu(w[: _D * _D].reshape(_D, _D) @ jnp.tanh(h))


def _order_two(w: Any, h: Any) -> Any:
    first, second = w.reshape(2, _D, _D)
    return second @ jnp.tanh(first @ h)


def _at_start(branch: Callable[[Any, Any], Any], count: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Gradient and Hessian in units, stem and head, and how many weights the units have."""

    def loss(flat: Any) -> Any:
        own, rest = flat[: _UNITS * count].reshape(_UNITS, count), flat[_UNITS * count :]
        stem, head = rest[: _STEM.size].reshape(_STEM.shape), rest[_STEM.size :].reshape(_HEAD.shape)
        h = jax.lax.scan(lambda h, w: (h + branch(w, h), None), jnp.tanh(stem @ _Z), own)[0]
        return -jnp.mean(jax.nn.log_softmax(head @ h, axis=0)[_LABELS, jnp.arange(_M)])

    start = np.concatenate([np.zeros(_UNITS * count), _STEM.ravel(), _HEAD.ravel()])
    with jax.enable_x64(True):
        gradient, hessian = jax.jit(jax.grad(loss))(start), jax.jit(jax.hessian(loss))(start)
    return np.asarray(gradient), np.asarray(hessian), _UNITS * count


@pytest.mark.parametrize(("branch", "count"), [(_order_one, 4), (_order_two, 8)])
def test_the_border(branch: Callable[[Any, Any], Any], count: int) -> None:
    gradient, hessian, inner = _at_start(branch, count)
    border = hessian[:inner, inner:].reshape(_UNITS, count, -1)
    assert np.allclose(border, border[:1], rtol=0, atol=1e-12)
    flat = branch is _order_two
    for part in (border[..., : _STEM.size], border[..., _STEM.size :]):
        assert np.abs(part).max() < 1e-12 if flat else np.abs(part).max() > 1e-3
    assert np.abs(gradient[:inner]).max() < 1e-12 if flat else np.abs(gradient[:inner]).max() > 1e-3
    assert min(np.abs(gradient[inner:][: _STEM.size]).max(), np.abs(gradient[inner + _STEM.size :]).max()) > 1e-3


def test_the_eigenvalues_interlace() -> None:
    _, hessian, inner = _at_start(_order_one, 4)
    whole, part = np.linalg.eigvalsh(hessian), np.linalg.eigvalsh(hessian[:inner, :inner])
    extra = len(whole) - inner
    assert extra == _STEM.size + _HEAD.size
    assert all(whole[i] <= part[i] + 1e-12 for i in range(inner))
    assert all(part[i] <= whole[i + extra] + 1e-12 for i in range(inner))
    outside = np.count_nonzero((whole < part[0] - 1e-12) | (whole > part[-1] + 1e-12))
    assert 0 < outside <= 2 * extra
