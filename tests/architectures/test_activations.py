"""Derivatives at random points against mpmath, Taylor data at zero exactly against SymPy's."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy

from resproof.architectures.activations import (
    ACTIVATIONS,
    CONSTANTS,
    activation,
    derivative_symbol,
    gelu_tanh,
    generic,
    polynomial,
    relu,
)
from resproof.architectures.errors import ArchitectureError, NotDifferentiableError
from resproof.architectures.nodes import Activation, Coefficient, reciprocal
from resproof.numeric.backend import ops

T = sympy.Symbol("t")
PLAIN: dict[str, Any] = {
    "identity": T,
    "tanh": sympy.tanh(T),
    "sigmoid": 1 / (1 + sympy.exp(-T)),
    "softplus": sympy.log(1 + sympy.exp(T)),
    "gelu": T * (1 + sympy.erf(T / sympy.sqrt(2))) / 2,
    "silu": T / (1 + sympy.exp(-T)),
    "gelu_tanh": T
    * (1 + sympy.tanh(sympy.Rational("0.7978845608028654") * (T + sympy.Rational("0.044715") * T**3)))
    / 2,
}
SMOOTH = {name: gelu_tanh if name == "gelu_tanh" else ACTIVATIONS[name] for name in PLAIN}
SYMBOLS = {"log(2)": sympy.log(2), "phi(0)": 1 / sympy.sqrt(2 * sympy.pi)}
ORDER = 7


def exact(c: Coefficient) -> sympy.Expr:
    return sympy.Rational(c.rational) * (1 if c.symbol is None else SYMBOLS[c.symbol])


def test_every_smooth_activation_is_here() -> None:
    assert set(PLAIN) - {"gelu_tanh"} == {name for name, one in ACTIVATIONS.items() if not one.kinks}


@pytest.mark.parametrize("name", PLAIN)
def test_taylor_data_at_zero_are_exact(name: str) -> None:
    for k, found in enumerate(SMOOTH[name].taylor_at_zero(ORDER)):
        expected = sympy.diff(PLAIN[name], T, k).subs(T, 0) / sympy.factorial(k)
        assert sympy.simplify(exact(found) - expected) == 0, k


def test_constants_have_their_values() -> None:
    assert set(CONSTANTS) == set(SYMBOLS)
    for name, value in CONSTANTS.items():
        assert value == float(SYMBOLS[name].evalf(30))


MP: dict[str, Callable[[Any], Any]] = {name: sympy.lambdify(T, PLAIN[name], "mpmath") for name in PLAIN}


@pytest.mark.parametrize("name", PLAIN)
def test_derivatives_on_arrays(name: str) -> None:
    x = np.concatenate([np.random.default_rng(0).uniform(-4, 4, 12), [0.0, 1e-9, -1e-9]])
    order = 5
    found = SMOOTH[name].derivatives(ops(np), x, order)
    assert len(found) == order + 1
    with mpmath.workdps(50):
        for k, values in enumerate(found):
            for point, value in zip(x, values, strict=True):
                expected = mpmath.diff(MP[name], mpmath.mpf(float(point)), k)
                # The integer polynomials in the state have coefficients up to 2^(k-1) k!.
                assert abs(value - expected) <= 64 * 2**k * mpmath.factorial(k) * np.finfo(float).eps, (k, point)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_far_out_nothing_overflows(name: str) -> None:
    with np.errstate(all="raise", under="ignore"):
        for values in ACTIVATIONS[name].derivatives(ops(np), np.array([-30.0, 30.0, -700.0, 700.0]), 3):
            assert np.isfinite(values).all()


def test_a_reciprocal_has_derivatives_off_its_pole_alone() -> None:
    x = np.array([-3.0, -0.5, 0.25, 7.0])
    for k, values in enumerate(reciprocal.derivatives(ops(np), x, 4)):
        expected = (-1.0) ** k * [1, 1, 2, 6, 24][k] / x ** (k + 1)
        assert np.all(np.abs(values - expected) <= 16 * np.finfo(float).eps * np.abs(expected))
    with pytest.raises(NotDifferentiableError, match="reciprocal has a pole at 0"):
        _ = reciprocal.taylor_at_zero(0)


class TestRelu:
    def test_values(self) -> None:
        value, slope, curvature = relu.derivatives(ops(np), np.array([-2.0, 0.0, 3.0]), 2)
        assert value.tolist() == [0, 0, 3]
        assert slope.tolist() == [0, 0, 1]
        assert curvature.tolist() == [0, 0, 0]
        assert [len(relu.derivatives(ops(np), np.ones(1), k)) for k in range(4)] == [1, 2, 3, 4]

    def test_has_a_value_and_no_derivative_at_zero(self) -> None:
        assert relu.taylor_at_zero(0) == [Coefficient(Fraction(0))]
        with pytest.raises(NotDifferentiableError, match="relu has no derivative at 0"):
            _ = relu.taylor_at_zero(1)
        with pytest.raises(NotDifferentiableError, match="relu has no derivative at 0"):
            _ = relu.taylor(1)


class TestPolynomial:
    p = polynomial(2, Fraction(-1, 3), 0, 5)

    def test_is_its_own_taylor_series(self) -> None:
        assert [self.p.taylor(k).rational for k in range(6)] == [2, Fraction(-1, 3), 0, 5, 0, 0]
        assert self.p.degree == 3

    def test_derivatives(self) -> None:
        x = np.array([-2.0, 0.5])
        value, slope, second, third, fourth = self.p.derivatives(ops(np), x, 4)
        assert value == pytest.approx(2 - x / 3 + 5 * x**3, rel=1e-15)
        assert slope == pytest.approx(-1 / 3 + 15 * x**2, rel=1e-15)
        assert second.tolist() == (30 * x).tolist()
        assert third.tolist() == [30, 30]
        assert fourth.tolist() == [0, 0]

    @pytest.mark.parametrize(
        ("coefficients", "message"),
        [
            ((0.5,), "0.5; expected an int or a Fraction"),
            ((True,), "True; expected"),
            ((), "expected at least one"),
        ],
    )
    def test_coefficients_are_exact(self, coefficients: tuple[Any, ...], message: str) -> None:
        with pytest.raises(ArchitectureError, match=message):
            _ = polynomial(*coefficients)


class TestGeneric:
    def test_symbols(self) -> None:
        f = generic("f")
        assert f.taylor_at_zero(4) == [
            Coefficient(Fraction(0)),
            Coefficient(Fraction(1), "f'(0)"),
            Coefficient(Fraction(1, 2), "f''(0)"),
            Coefficient(Fraction(1, 6), "f^(3)(0)"),
            Coefficient(Fraction(1, 24), "f^(4)(0)"),
        ]
        assert f.generic
        assert derivative_symbol("f", 0) == "f(0)"

    def test_value_at_zero(self) -> None:
        assert generic("f", at_zero=Fraction(1, 2)).taylor(0) == Coefficient(Fraction(1, 2))
        assert generic("f", at_zero=None).taylor(0) == Coefficient(Fraction(1), "f(0)")

    def test_has_no_values(self) -> None:
        with pytest.raises(ArchitectureError, match="f is a generic activation without values"):
            _ = generic("f").derivatives(ops(np), np.ones(1), 1)


@pytest.mark.parametrize("one", ACTIVATIONS.values(), ids=ACTIVATIONS)
def test_found_by_name(one: Activation) -> None:
    assert activation(one.name) is one
