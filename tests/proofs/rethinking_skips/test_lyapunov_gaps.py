"""Growth rates of random products: expansions against closed forms, quadrature of moments and samples."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import sympy

from resproof.proofs.demystifying_resnet.lyapunov import digamma_half, exponents
from resproof.proofs.rethinking_skips.joint_evidence import digamma_difference
from resproof.proofs.rethinking_skips.lyapunov_gaps import LG, _volume, residual_gap
from resproof.proofs.rethinking_skips.random_layers import gaussian_layers
from resproof.proofs.statement import Context
from resproof.proofs.verdict import run
from resproof.pytest_plugin import RunOnce

X = sympy.Symbol("x")


def test_verdict(statement_result: RunOnce) -> None:
    result = statement_result(LG, "exact")
    assert (result.verdict, result.all_sizes, result.reason) == ("PROVED", True, "")
    assert [one.verdict for one in result.clauses] == ["PROVED"] * 5


def test_measured_rates() -> None:
    result = run(LG, Context(), parts=("deep",))
    assert [step.outcome for step in result.evidence] == ["passed"] * 6
    assert all(one.value <= one.bound for one in result.measurements)


def test_numbers() -> None:
    # E log|1 + w| by the moments 1, 3, 15 of a Gaussian.
    assert sympy.expand(_volume(1, 0, X) - (-X / 2 - 3 * X**2 / 4 - 15 * X**3 / 6)) == 0


def test_in_the_plane_a_circle_of_centres_has_mean_zero() -> None:
    # log|1 + z| is harmonic and z of a rotation-invariant law, up to |z| > 1.
    assert _volume(1, 1, X) == 0


@pytest.mark.parametrize("d", [3, 4, 10])
def test_the_first_exponent_is_that_of_a_noncentral_chi(d: int) -> None:
    """|e_1 + w|^2 / x is chi-squared with d + 2 K degrees of freedom, K Poisson with mean 1/(2 x)."""
    x = 0.004
    mean, found = 1 / (2 * x), math.log(2 * x)
    for k in range(400):
        found += math.exp(k * math.log(mean) - mean - math.lgamma(k + 1)) * digamma_half(d + 2 * k)
    assert abs(found / 2 - float(_volume(1, d - 1, x))) < 40 * d**4 * x**4


@pytest.mark.parametrize(("d", "x"), [(2, 0.01), (4, 0.01), (6, 0.004)])
def test_the_gap_against_a_sample(d: int, x: float) -> None:
    size = 200_000
    w = np.random.default_rng(d).normal(scale=x**0.5, size=(size, d, d))
    r: Any = np.linalg.qr(np.eye(d) + w, mode="r")
    logs = np.log(np.abs(r[:, 0, 0])) - np.log(np.abs(r[:, -1, -1]))
    # What is linear in W has mean zero and most of the variance.
    logs = logs - (w[:, 0, 0] - w[:, -1, -1])
    error = 6 * float(np.std(logs)) / size**0.5
    assert error < 0.05 * residual_gap(d, x)
    assert abs(float(np.mean(logs)) - residual_gap(d, x)) < error


@pytest.mark.parametrize("d", range(1, 12))
def test_the_plain_gap_three_ways(d: int) -> None:
    rates = exponents(d, 0.7)
    assert abs(digamma_difference(d) / 2 - (rates[0] - rates[-1])) < 1e-13
    assert abs(digamma_difference(d + 2) / 2 - digamma_difference(d) / 2 - 1 / d) < 1e-13


def test_layers_of_one_seed_differ_by_scale_and_shortcut() -> None:
    plain = np.concatenate([*gaussian_layers(5000, 3, 7)])
    assert plain.shape == (5000, 3, 3)
    np.testing.assert_array_equal(np.concatenate([*gaussian_layers(5000, 3, 7, scale=0.25)]), plain / 4)
    np.testing.assert_array_equal(
        np.concatenate([*gaussian_layers(5000, 3, 7, scale=0.25, shortcut=True)]), np.eye(3) + plain / 4
    )
