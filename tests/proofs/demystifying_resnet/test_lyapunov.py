"""Growth of volumes: the special functions against SymPy, the diagonals against determinants and norms."""

import math

import numpy as np
import pytest
import sympy

from resproof.proofs.demystifying_resnet.lyapunov import (
    deviations,
    digamma_half,
    exponents,
    mean_log_diagonals,
    trigamma_half,
)


@pytest.mark.parametrize("n", range(1, 15))
def test_special_functions(n: int) -> None:
    half = sympy.Rational(n, 2)
    assert abs(digamma_half(n) - float(sympy.digamma(half))) < 1e-14 * n
    assert abs(trigamma_half(n) - float(sympy.polygamma(1, half))) < 1e-14 * n


def test_volumes_are_determinants() -> None:
    layers, d, s2, seed = 7, 4, 1.5, 3
    generator = np.random.default_rng(seed)
    product, logs = np.eye(d), 0.0
    for _ in range(layers):
        w = generator.normal(scale=math.sqrt(s2 / d), size=(d, d))
        product, logs = w @ product, logs + float(np.linalg.slogdet(w)[1])
    rates = mean_log_diagonals(layers, d, s2, seed)
    assert abs(float(np.sum(rates)) * layers - logs) < 1e-12
    # The first diagonal of R is the length of the first column of the product.
    assert abs(rates[0] * layers - math.log(float(np.linalg.norm(product[:, 0])))) < 1e-12


def test_exponents_of_numbers() -> None:
    # E log|z| of a standard Gaussian number is -(gamma + log 2)/2, its variance pi^2/8.
    assert abs(exponents(1, 1.0)[0] + (np.euler_gamma + math.log(2)) / 2) < 1e-15
    assert abs(deviations(1)[0] - math.pi / math.sqrt(8)) < 1e-15


def test_exponents_against_a_sample() -> None:
    d, size = 3, 20000
    generator = np.random.default_rng(0)
    logs = [np.log(np.sqrt(generator.chisquare(d - i, size=size) / d)) for i in range(d)]
    for i, each in enumerate(logs):
        assert abs(float(np.mean(each)) - exponents(d, 1.0)[i]) < 6 * deviations(d)[i] / math.sqrt(size)
    assert list(exponents(d, 1.0)) == sorted(exponents(d, 1.0), reverse=True)
