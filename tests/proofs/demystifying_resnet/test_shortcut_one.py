"""Shortcut 1 against no shortcuts, by running small networks."""

import numpy as np
import pytest

from resproof.proofs.demystifying_resnet.shortcut_one import STATEMENTS
from resproof.pytest_plugin import RunOnce


def test_the_verdicts(statement_result: RunOnce) -> None:
    found = statement_result(STATEMENTS[0], "exact")
    assert (found.verdict, found.all_sizes) == ("PROVED", True)
    assert [clause.verdict for clause in found.clauses] == ["PROVED"] * 3
    assert [[other.verdict for other in clause.other_readings] for clause in found.clauses] == [
        ["REPAIRED"],
        [],
        ["OPEN"],
    ]


@pytest.mark.parametrize("after", [np.tanh, np.sin, lambda t: np.maximum(t, 0), lambda t: t])
def test_activations_after_the_addition(after: np.ufunc) -> None:
    rng = np.random.default_rng(0)
    weights, x = rng.normal(size=(5, 3, 3)), rng.normal(size=(3, 4))
    residual = plain = x
    for w in weights:
        residual, plain = after(residual + w @ residual), after((w + np.eye(3)) @ plain)
    assert np.abs(residual - plain).max() < 1e-12 * np.abs(plain).max()


def test_no_plain_network_with_relu_before_its_weights_tells_negative_inputs_apart() -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        f = np.array([1.0, -1.0])
        for w in rng.normal(size=4):
            f = w * np.maximum(f, 0)
        assert np.mean((f - [1, -1]) ** 2) / 2 >= 0.25
