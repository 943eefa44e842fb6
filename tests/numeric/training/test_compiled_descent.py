"""Compiled gradient descent on linear networks equals NumPy's: all that is told, runs that diverge, shorter vectors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from resproof.numeric.network import native_library
from resproof.numeric.training import compiled_descent
from resproof.numeric.training.covariances import covariances
from resproof.numeric.training.descent import Descent, descend
from resproof.numeric.training.networks import Group, gradients
from tests.numeric.shorter_vectors import WITHOUT, use_shorter_vectors

pytestmark = pytest.mark.skipif(native_library.compiler() is None, reason="there is no C compiler")

EVERY = (Group(0, 9), Group(1, 3), Group(2, 8), Group(3, 1), Group(6, 2), Group(2, 0))
"""Fewer runs than lanes, as many, and more."""


@pytest.fixture(autouse=True)
def _whatever_it_is_worth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled_descent, "WORTH", 0)
    monkeypatch.delenv("RESPROOF_NATIVE", raising=False)


def instance(width: int = 3, layers: int = 6, groups: tuple[Group, ...] = EVERY) -> tuple[Any, Any]:
    generator = np.random.default_rng(width)
    x, y = generator.standard_normal((2, width, 2 * width + 1))
    scale = 0.5 / width**0.5
    return scale * generator.standard_normal((layers, sum(one.runs for one in groups), width, width)), covariances(x, y)


def both(monkeypatch: pytest.MonkeyPatch, *given: Any) -> tuple[Descent, Descent]:
    """By the library, and by NumPy."""
    found = descend(*given)
    with monkeypatch.context() as patched:
        patched.setenv("RESPROOF_NATIVE", "0")
        return found, descend(*given)


def assert_near(found: Descent, expected: Descent, unit: float = 1e-11) -> None:
    assert found.epochs == expected.epochs
    assert found.snapshots.keys() == expected.snapshots.keys()
    np.testing.assert_array_equal(found.diverged, expected.diverged)
    for name in ("excess", "norms", "slopes"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=unit, err_msg=name)
    for mine, theirs in (
        (found.weights, expected.weights),
        *((found.snapshots[k], s) for k, s in expected.snapshots.items()),
    ):
        assert mine.shape == theirs.shape
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=unit * float(np.abs(theirs).max(initial=0.0)))


@pytest.mark.parametrize("width", range(1, 17))
def test_trajectories_are_numpys(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    weights, data = instance(width)
    rates = list(np.geomspace(1e-3, 1e-2, weights.shape[1]))
    assert_near(*both(monkeypatch, weights, EVERY, data, rates, 12, (0, 5, 7), (0, 3, 12, 40)))


@pytest.mark.parametrize("depth", [0, 1])
def test_one_layer(depth: int, monkeypatch: pytest.MonkeyPatch) -> None:
    weights, data = instance(5, 1, (Group(depth, 2),))
    assert_near(*both(monkeypatch, weights, (Group(depth, 2),), data, (0.1, 0.2), 9, range(10)))


@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_steps_by_hand(depth: int) -> None:
    groups = (Group(depth, 2),)
    weights, data = instance(4, 6, groups)
    found, expected = descend(weights, groups, data, (0.01, 0.02), 7), weights
    for _ in range(7):
        expected = expected - np.array([0.01, 0.02])[:, None, None] * gradients(expected, groups, data)
    np.testing.assert_allclose(found.weights, expected, atol=1e-13)


def test_runs_that_diverge_are_numpys_and_others_do_not_notice(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = (Group(0, 11), Group(2, 4))
    weights, data = instance(3, 4, groups)
    rates = [1e9 if run in {0, 3, 14} else 1.5 if run == 5 else 0.01 for run in range(15)]
    found, expected = both(monkeypatch, weights, groups, data, rates, 60, range(0, 61, 2), (1, 2, 60))
    assert_near(found, expected)
    assert found.diverged[0] == 1
    assert 1 < found.diverged[5] < 60
    alone = descend(weights[:, 4:5], (Group(0, 1),), data, rates[4:5], 60)
    np.testing.assert_array_equal(found.weights[:, 4:5], alone.weights)
    np.testing.assert_array_equal(found.weights[:, 0], weights[:, 0])


def test_all_runs_may_diverge(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = (Group(0, 2),)
    weights, data = instance(3, 4, groups)
    found, expected = both(monkeypatch, weights, groups, data, (1e9, np.finfo(float).max), 10, (0, 1), (0, 1))
    assert_near(found, expected)
    assert found.diverged.tolist() == [1, 1]
    assert np.isnan(found.excess[1:]).all()


@pytest.mark.parametrize("without", WITHOUT)
def test_with_shorter_vectors(without: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    use_shorter_vectors(without, compiled_descent.SOURCE, monkeypatch, tmp_path)
    for width in range(1, 12):
        weights, data = instance(width)
        assert_near(*both(monkeypatch, weights, EVERY, data, [0.01] * weights.shape[1], 5, (2,)))


@pytest.mark.parametrize("why", ["switched off", "not worth it"])
def test_numpy_does_the_work_otherwise(why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if why == "switched off":
        monkeypatch.setenv("RESPROOF_NATIVE", "0")
    else:
        monkeypatch.setattr(compiled_descent, "WORTH", 10**8)
    weights, data = instance()
    rates = [0.1] * weights.shape[1]
    assert compiled_descent.trajectories(weights, EVERY, data, rates, (0, 1), (), 1e6) is None
