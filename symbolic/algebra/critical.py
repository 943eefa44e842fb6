"""Where polynomials vanish together, split into components, and how a polynomial loss changes along rays.

Components: a Groebner basis of the equations is split along the factors of its elements until none factors any more;
V(I, f g) = V(I, f) u V(I, g), so that the union of the components is exactly the set where all equations hold. A
component inside another one is left out. Coefficients are rational; factors are factors over the rationals.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import flint
import sympy

from resproof.symbolic.algebra.rings import Plain, as_sympy

Component: TypeAlias = tuple[sympy.Expr, ...]
"""The elements of a Groebner basis, in text order."""


def components(equations: Sequence[Plain], names: Sequence[str]) -> tuple[Component, ...]:
    """The components of the set where all equations hold, in text order; () is the whole space."""
    symbols = [sympy.Symbol(name) for name in names]
    pending = [tuple(as_sympy(plain) for plain in equations if plain)]
    found = list[Component]()
    while pending:
        factors = [_factors(p) for p in _basis(pending.pop(), symbols)]
        if any(not f for f in factors):  # a nonzero constant: no point at all
            continue
        if branching := next((f for f in factors if len(f) > 1), None):
            rest = tuple(_product(f) for f in factors)
            pending += [(*rest, one) for one in branching]
        else:
            found.append(tuple(sorted((f[0] for f in factors), key=str)))
    return tuple(sorted((one for one in set(found) if not _inside_another(one, found, symbols)), key=str))


def _basis(polynomials: Component, symbols: Sequence[sympy.Symbol]) -> list[sympy.Expr]:
    """The reduced Groebner basis of the squarefree parts."""
    squarefree = [_product(_factors(p)) for p in polynomials]
    return list(sympy.groebner(squarefree, *symbols, order="grevlex").exprs) if squarefree else []


def _product(factors: Sequence[sympy.Expr]) -> sympy.Expr:
    return sympy.Mul(*factors)


def _factors(polynomial: sympy.Expr) -> list[sympy.Expr]:
    """The distinct irreducible factors; none of a constant."""
    return [factor for factor, _ in sympy.factor_list(polynomial)[1]]


def _inside_another(one: Component, found: Sequence[Component], symbols: Sequence[sympy.Symbol]) -> bool:
    """Whether the component lies in another one: every equation of that one holds on it."""
    if not one:
        return False
    basis = sympy.groebner(one, *symbols, order="grevlex")
    return any(other != one and all(basis.contains(equation) for equation in other) for other in found)


def show(component: Component) -> str:
    """The equations as text: W1 = W2 = 0 is "W1, W2"."""
    return ", ".join(str(equation) for equation in component) or "everything"


def change_along(
    loss: Callable[[Sequence[Any]], Any], point: Sequence[Fraction], ray: Sequence[int]
) -> tuple[int, Fraction] | None:
    """Degree and coefficient of the lowest term of t -> loss(point + t ray) - loss(point); None where it is constant.

    `loss` is a polynomial and is evaluated on polynomials in t.
    """
    line = [
        flint.fmpq_poly([flint.fmpq(p.numerator, p.denominator), flint.fmpq(r)])
        for p, r in zip(point, ray, strict=True)
    ]
    coefficients = [Fraction(int(c.numerator), int(c.denominator)) for c in loss(line).coeffs()]
    return next(((k, c) for k, c in enumerate(coefficients) if k and c), None)


def least_descent(
    loss: Callable[[Sequence[Any]], Any], point: Sequence[Fraction], rays: Sequence[Sequence[int]]
) -> int | None:
    """The least degree with which the loss falls along one of the rays; None where it falls along none."""
    changes = (change_along(loss, point, ray) for ray in rays)
    return min((degree for change in changes if change for degree, c in [change] if c < 0), default=None)
