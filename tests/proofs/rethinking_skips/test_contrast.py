"""RS-PR: plain and residual networks with the same weights, against layers multiplied in floating point."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from resproof.proofs.rethinking_skips.contrast import PR
from resproof.proofs.verdict import run

(CLAUSE,) = PR.clauses


def test_the_contrast_holds_in_neither_sense() -> None:
    result = run(PR)
    (clause,) = result.clauses
    assert (result.verdict, result.all_sizes) == ("REPAIRED", True)
    assert clause.reading is not None
    assert clause.reading.kind == "sense"
    assert [other.verdict for other in clause.other_readings] == ["REFUTED"]
    assert all(step.outcome == "passed" for step in clause.everything)


def _kappas(depth: int, seed: int) -> tuple[float, float]:
    """kappa of the plain and of the residual product of one draw, with common eigenvectors from a QR factorisation."""
    assert CLAUSE.counterexample is not None
    draw, law = Random(seed), [*CLAUSE.counterexample.instance.law()]
    v = np.linalg.qr(np.random.default_rng(seed).normal(size=(2, 2)))[0]
    plain = residual = np.eye(2)
    for values in (draw.choice(law) for _ in range(depth)):
        w = v @ np.diag([float(x) for x in values]) @ v.T
        plain, residual = w @ plain, (np.eye(2) + w) @ residual
    return float(np.linalg.cond(plain)), float(np.linalg.cond(residual))


@pytest.mark.parametrize("seed", range(5))
def test_shortcuts_make_it_worse_in_every_draw(seed: int) -> None:
    for depth in (1, 5, 12):
        plain, residual = _kappas(depth, seed)
        assert 1.2**depth * (1 - 1e-9) <= plain <= 1.5**depth * (1 + 1e-9)
        assert residual >= 3.2**depth * (1 - 1e-6)


def test_small_weights_keep_the_residual_network_moderate() -> None:
    for depth in (4, 16, 40):
        w = np.diag([1.0, 0.5]) / depth
        plain, residual = (np.linalg.matrix_power(m, depth) for m in (w * depth, np.eye(2) + w))
        assert np.linalg.cond(plain) == pytest.approx(2.0**depth)
        assert np.linalg.cond(residual) <= ((1 + 1 / depth) / (1 - 1 / depth)) ** depth


def test_an_instance_that_stays_moderate_is_no_counterexample() -> None:
    assert CLAUSE.counterexample is not None
    one = CLAUSE.counterexample.instance
    for hypothesis in CLAUSE.hypotheses:
        assert hypothesis.predicate(one)
        assert not hypothesis.predicate(hypothesis.fails_on)
    broken = replace(CLAUSE, counterexample=replace(CLAUSE.counterexample, instance=replace(one, shortcut=False)))
    assert run(replace(PR, clauses=(broken,))).verdict == "FAILED"
