"""Elementwise functions: exact Taylor data at zero, and derivatives on arrays.

A smooth activation satisfies an autonomous equation in one bounded state s: s' = p(s) with p a polynomial
(tanh: s' = 1 - s^2; logistic: s' = s - s^2; Gaussian: phi' = -x phi). The k-th derivative is then a polynomial in
the state, P_{k+1} = P_k' p, and the same integer polynomial gives the exact value at zero and the array elsewhere.

A Taylor coefficient at zero is an exact rational times at most one named constant (log 2, 1/sqrt(2 pi)), or for a
*generic* activation the symbol of its derivative: one exact computation then covers every activation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, Protocol, TypeAlias

from resproof.architectures.errors import ArchitectureError, NotDifferentiableError
from resproof.architectures.nodes import Activation, Array, Coefficient
from resproof.architectures.values import Scalar, check_number, is_exact


class Elementary(Protocol):
    """The elementary functions of an array library, as `numeric.backend` provides them."""

    def exp(self, x: Array, /) -> Array: ...
    def tanh(self, x: Array, /) -> Array: ...
    def erfc(self, x: Array, /) -> Array: ...
    def log1p(self, x: Array, /) -> Array: ...
    def abs(self, x: Array, /) -> Array: ...
    def maximum(self, x: Array, y: Array, /) -> Array: ...
    def heaviside(self, x: Array, /) -> Array: ...


CONSTANTS: dict[str, float] = {"log(2)": math.log(2.0), "phi(0)": 1.0 / math.sqrt(2.0 * math.pi)}
"""Values of the named constants that occur in Taylor coefficients."""

Polynomial: TypeAlias = tuple[int, ...]


def _differentiate(p: Sequence[int]) -> Polynomial:
    return tuple(k * c for k, c in enumerate(p))[1:] or (0,)


def _multiply(p: Sequence[int], q: Sequence[int]) -> Polynomial:
    product = [0] * (len(p) + len(q) - 1)
    for i, a in enumerate(p):
        for j, b in enumerate(q):
            product[i + j] += a * b
    return tuple(product)


def _evaluate(p: Sequence[Any], x: Any) -> Any:
    if len(p) == 1:
        return 0 * x + p[0]
    value = p[-1] * x
    for coefficient in reversed(p[1:-1]):
        value = (value + coefficient) * x if coefficient else value * x
    return value + p[0] if p[0] else value


def _tower(flow: Polynomial, order: int) -> list[Polynomial]:
    """P_0 = s and P_{k+1} = P_k' p: the k-th derivative of a state with s' = p(s), as a polynomial in s."""
    tower: list[Polynomial] = [(0, 1)]
    for _ in range(order):
        tower.append(_multiply(_differentiate(tower[-1]), flow))
    return tower


_TANH: Polynomial = (1, 0, -1)
_LOGISTIC: Polynomial = (0, 1, -1)


def _autonomous(
    name: str, flow: Polynomial, at_zero: Fraction, state: Callable[[Elementary, Array], Array]
) -> Activation:
    def taylor(k: int) -> Coefficient:
        return Coefficient(Fraction(_evaluate(_tower(flow, k)[k], at_zero)) / math.factorial(k))

    def derivatives(ops: Elementary, x: Array, order: int) -> list[Array]:
        s = state(ops, x)
        return [_evaluate(p, s) for p in _tower(flow, order)]

    return Activation(name, taylor, derivatives)


def _logistic(ops: Elementary, x: Array) -> Array:
    # 1/(1 + e^-x) in the form that cannot overflow.
    return 0.5 * (1.0 + ops.tanh(0.5 * x))


@lru_cache(maxsize=256)
def _polynomial(name: str, coefficients: tuple[Fraction, ...]) -> Activation:
    """The polynomial; the same one for the same name and coefficients, so that it is one function in an expression."""

    def taylor(k: int) -> Coefficient:
        return Coefficient(coefficients[k] if k < len(coefficients) else Fraction(0))

    def derivatives(ops: Elementary, x: Array, order: int) -> list[Array]:
        del ops
        current, found = [float(c) for c in coefficients], list[Array]()
        for _ in range(order + 1):
            found.append(_evaluate(current, x))
            current = [k * c for k, c in enumerate(current)][1:] or [0.0]
        return found

    return Activation(name, taylor, derivatives, degree=max(len(coefficients) - 1, 0))


def polynomial(*coefficients: Scalar, name: str | None = None) -> Activation:
    """c0 + c1 t + c2 t^2 + ... with exact coefficients.

    Raises:
        ArchitectureError: for no coefficients, or one that is not exact.
    """
    for c in coefficients:
        check_number("polynomial: a coefficient", c)
    if not coefficients:
        raise ArchitectureError("polynomial: no coefficients; expected at least one")
    shown = ", ".join(str(c) for c in coefficients)
    return _polynomial(name or f"polynomial({shown})", tuple(Fraction(c) for c in coefficients))


def renamed(function: Activation, name: str) -> Activation:
    """The same function under another name, also in the symbols of a generic one's derivatives."""
    if not function.generic:
        return replace(function, name=name)
    at_zero = function.taylor(0)
    return generic(name, at_zero=at_zero.rational if at_zero.symbol is None else None)


def derivative_symbol(name: str, order: int) -> str:
    """The symbol of a derivative at zero: f(0), f'(0), f''(0), f^(3)(0), ..."""
    return f"{name}{prime(order)}(0)"


def prime(order: int) -> str:
    """The mark of a derivative: nothing, ', '' and then ^(3), ^(4), ..."""
    return "'" * order if order <= 2 else f"^({order})"


def generic(name: str, *, at_zero: Scalar | None = 0) -> Activation:
    """Any activation with this value at zero (None: any value), its derivatives at zero being symbols.

    Raises:
        ArchitectureError: the value at zero is not exact.
    """
    if at_zero is not None and not is_exact(at_zero):
        raise ArchitectureError(f"generic: at_zero is {at_zero!r}; expected an int, a Fraction or None")
    return _generic(name, None if at_zero is None else Fraction(at_zero))


@lru_cache(maxsize=256)
def _generic(name: str, at_zero: Fraction | None) -> Activation:
    def taylor(k: int) -> Coefficient:
        if k == 0 and at_zero is not None:
            return Coefficient(at_zero)
        return Coefficient(Fraction(1, math.factorial(k)), derivative_symbol(name, k))

    def derivatives(*_: object) -> list[Array]:
        raise ArchitectureError(f"{name} is a generic activation without values; expected a definite one such as tanh")

    return Activation(name, taylor, derivatives, generic=True)


def _relu_derivatives(ops: Elementary, x: Array, order: int) -> list[Array]:
    # At 0 the derivative is taken as 0, as the array libraries do; exact readings refuse the kink instead.
    return [ops.maximum(x, 0.0 * x), ops.heaviside(x)][: order + 1] + [0.0 * x] * (order - 1)


def _relu_taylor(k: int) -> Coefficient:
    if k:
        raise NotDifferentiableError("relu has no derivative at 0")
    return Coefficient(Fraction(0))


def _softplus_derivatives(ops: Elementary, x: Array, order: int) -> list[Array]:
    value = ops.maximum(x, 0.0 * x) + ops.log1p(ops.exp(-ops.abs(x)))
    return [value, *sigmoid.derivatives(ops, x, order - 1)] if order else [value]


def _softplus_taylor(k: int) -> Coefficient:
    return Coefficient(Fraction(1), "log(2)") if k == 0 else Coefficient(sigmoid.taylor(k - 1).rational / k)


def _gated(name: str, gate: Activation) -> Activation:
    """x g(x): (x g)^(k) = x g^(k) + k g^(k-1)."""

    def taylor(k: int) -> Coefficient:
        return gate.taylor(k - 1) if k else Coefficient(Fraction(0))

    def derivatives(ops: Elementary, x: Array, order: int) -> list[Array]:
        g = gate.derivatives(ops, x, order)
        return [x * g[0]] + [x * g[k] + k * g[k - 1] for k in range(1, order + 1)]

    return Activation(name, taylor, derivatives)


def _normal_cdf_derivatives(ops: Elementary, x: Array, order: int) -> list[Array]:
    # Phi^(k+1) = q_k(x) phi(x) with q_0 = 1 and q_{k+1} = q_k' - x q_k.
    density = CONSTANTS["phi(0)"] * ops.exp(-0.5 * x * x)
    q: Polynomial = (1,)
    # Not (1 + erf) / 2, of which nothing is left where it is small.
    found = [0.5 * ops.erfc(-math.sqrt(0.5) * x)]
    for _ in range(order):
        found.append(_evaluate(q, x) * density)
        q = _gauss_step(q)
    return found


def _gauss_step(q: Polynomial) -> Polynomial:
    derivative, shifted = _differentiate(q), (0, *(-c for c in q))
    return tuple(a + b for a, b in zip((*derivative, *[0] * len(shifted)), shifted, strict=False))


def _normal_cdf_taylor(k: int) -> Coefficient:
    if k == 0:
        return Coefficient(Fraction(1, 2))
    q: Polynomial = (1,)
    for _ in range(k - 1):
        q = _gauss_step(q)
    return Coefficient(Fraction(q[0], math.factorial(k)), "phi(0)") if q[0] else Coefficient(Fraction(0))


identity_activation = _polynomial("identity", (Fraction(0), Fraction(1)))
tanh = _autonomous("tanh", _TANH, Fraction(0), lambda ops, x: ops.tanh(x))
sigmoid = _autonomous("sigmoid", _LOGISTIC, Fraction(1, 2), _logistic)
relu = Activation("relu", _relu_taylor, _relu_derivatives, kinks=(Fraction(0),))
softplus = Activation("softplus", _softplus_taylor, _softplus_derivatives)
gelu = _gated("gelu", Activation("Phi", _normal_cdf_taylor, _normal_cdf_derivatives))
silu = _gated("silu", sigmoid)

_ROOT_2_OVER_PI, _CUBIC = Fraction("0.7978845608028654"), Fraction("0.044715")


def _tanh_series(point: Any, u: Sequence[Any], order: int) -> list[Any]:
    """The Taylor coefficients of tanh(u_0 + u_1 s + ...), of value `point`: k t_k = sum_j j u_j (1 - t^2)_(k - j)."""
    t, rest = [point], [1 - point * point]
    for k in range(1, order + 1):
        t.append(sum(j * u[j] * rest[k - j] for j in range(1, min(k, len(u) - 1) + 1)) / k)
        rest.append(-sum(t[j] * t[k - j] for j in range(k + 1)))
    return t


def _tanh_gate_taylor(k: int) -> Coefficient:
    """Of (1 + tanh(c (x + a x^3))) / 2 at zero."""
    u = (Fraction(0), _ROOT_2_OVER_PI, Fraction(0), _ROOT_2_OVER_PI * _CUBIC)
    return Coefficient((int(k == 0) + _tanh_series(Fraction(0), u, k)[k]) / 2)


def _tanh_gate_derivatives(ops: Elementary, x: Array, order: int) -> list[Array]:
    c, a = float(_ROOT_2_OVER_PI), float(_CUBIC)
    u = (c * (x + a * x * x * x), c * (1.0 + 3.0 * a * x * x), 3.0 * c * a * x, c * a + 0.0 * x)
    t = _tanh_series(ops.tanh(u[0]), u, order)
    return [0.5 * (1.0 + t[0]), *(0.5 * math.factorial(k) * t[k] for k in range(1, order + 1))]


gelu_tanh = _gated("gelu_tanh", Activation("tanh_gate", _tanh_gate_taylor, _tanh_gate_derivatives))
"""x (1 + tanh(c (x + a x^3))) / 2 with c = 0.7978845608028654 and a = 0.044715, which is near gelu.

Source: Hendrycks and Gimpel 2016, Gaussian error linear units, Section 2; c is sqrt(2 / pi) as floats have it.
"""

ACTIVATIONS: dict[str, Activation] = {
    a.name: a for a in (identity_activation, tanh, sigmoid, relu, softplus, gelu, silu)
}
"""The activations that are known by name."""


def activation(name: str) -> Activation:
    """The activation of that name.

    Raises:
        ArchitectureError: for an unknown name.
    """
    if name not in ACTIVATIONS:
        raise ArchitectureError(f"activation: {name!r} is unknown; expected one of {', '.join(ACTIVATIONS)}")
    return ACTIVATIONS[name]
