"""Second derivations, slow and obvious: what the program rests on, once more by brute force.

One section a subject. Nothing here is imported by the program, and nothing here may call the function it checks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import permutations, product
from math import prod
from typing import Any

from resproof.architectures.forms.terms import Factor

# index terms


def evaluate_terms(
    terms: Any, arrays: Mapping[str, Any], sizes: Mapping[str, int], free: Mapping[int, int], symbols: Mapping[str, Any]
) -> Fraction:
    """A sum of index terms at given free indices: every summed index runs over its range, one by one."""
    total = Fraction(0)
    for (scalars, factors), coefficient in terms.items():
        value = Fraction(coefficient)
        for symbol, power in scalars:
            value *= Fraction(symbols[symbol]) ** power
        total += value * _sum_over_indices(factors, arrays, sizes, free)
    return total


def _sum_over_indices(
    factors: tuple[Factor, ...], arrays: Mapping[str, Any], sizes: Mapping[str, int], free: Mapping[int, int]
) -> Fraction:
    ranges = {i: sizes[str(t.dims[k])] for t, slots in factors for k, i in enumerate(slots) if i >= 0}
    total = Fraction(0)
    for values in product(*(range(n) for n in ranges.values())):
        at = {**free, **dict(zip(ranges, values, strict=True))}
        term = Fraction(1)
        for t, slots in factors:
            where = tuple(at[i] for i in slots)
            term *= int(where[0] == where[1]) if t.label == "delta" else arrays[t.label][where]
        total += term
    return total


# symbolic


def written_out_loss(
    block: str,
    w: Sequence[Any],
    x: Sequence[Sequence[Any]],
    y: Sequence[Sequence[Any]],
    units: int,
    sizes: Mapping[str, int],
    functions: Mapping[str, Any],
) -> Any:
    """1/(2m) ||f - y||^2 by plain loops; the weights column by column, in parameter order, initial values included.

    Works on whatever has +, - and *: SymPy expressions, fractions, hyper-dual numbers. `functions` are pre, mid, post.
    """
    d, k, m = sizes["d"], sizes.get("k", sizes["d"]), len(x[0])
    total: Any = 0
    for u in range(m):
        rest, h = list(w), [row[u] for row in x]
        for _ in range(units):
            path, rest = _written_out_path(block, rest, h, d, k, functions)
            h = [a + b for a, b in zip(h, path, strict=True)]
        total = total + sum((h[i] - y[i][u]) * (h[i] - y[i][u]) for i in range(d))
    return total * Fraction(1, 2 * m)


def _written_out_path(
    block: str, w: list[Any], h: list[Any], d: int, k: int, functions: Mapping[str, Any]
) -> tuple[list[Any], list[Any]]:
    def take(rows: int, cols: int) -> list[list[Any]]:
        flat = [w.pop(0) for _ in range(rows * cols)]
        return [[flat[j * rows + i] for j in range(cols)] for i in range(rows)]

    def times(matrix: list[list[Any]], v: list[Any]) -> list[Any]:
        return [sum(a * b for a, b in zip(row, v, strict=True)) for row in matrix]

    pre, mid, post = (functions[name] for name in ("pre", "mid", "post"))
    if block.startswith("shortcut"):
        v, n = [pre(t) for t in h], int(block.removeprefix("shortcut"))
        for layer in range(n):
            v = times(take(k if layer < n - 1 else d, d if layer == 0 else k), [mid(t) for t in v] if layer else v)
        return [post(t) for t in v], w
    if block == "biased":
        w1, b, w2 = take(d, d), take(d, 1), take(d, d)
        return times(w2, [mid(t + s[0]) for t, s in zip(times(w1, h), b, strict=True)]), w
    if block == "tied":
        w1 = take(k, d)
        return times([list(column) for column in zip(*w1, strict=True)], [mid(t) for t in times(w1, h)]), w
    if block == "rezero":
        a, w1, w2 = take(1, 1), take(k, d), take(d, k)
        return [a[0][0] * t for t in times(w2, [mid(t) for t in times(w1, h)])], w
    if block == "fixup":
        w1, w2 = take(k, d), take(d, k)
        return times(w2, [mid(t) for t in times(w1, h)]), w
    if block == "gated":
        w1, w2, w3 = take(k, d), take(k, d), take(d, k)
        return times(w3, [mid(s) * t for s, t in zip(times(w1, h), times(w2, h), strict=True)]), w
    raise ValueError(block)


def second_derivatives(loss: Any, weights: Sequence[Any], initial: Mapping[Any, Any]) -> dict[tuple[int, int], Any]:
    """The upper triangle of the Hessian of a SymPy expression, by differentiating twice."""
    return {
        (a, b): loss.diff(weights[a]).diff(weights[b]).subs(initial).expand()
        for a in range(len(weights))
        for b in range(a, len(weights))
    }


class HyperDual:
    """a + b e1 + c e2 + d e1 e2 with e1^2 = e2^2 = 0: the last coefficient is a second derivative, exactly."""

    def __init__(self, a: Any, b: Any = 0, c: Any = 0, d: Any = 0) -> None:
        self.parts = (a, b, c, d)

    def __add__(self, other: Any) -> HyperDual:
        other = other if isinstance(other, HyperDual) else HyperDual(other)
        return HyperDual(*(s + t for s, t in zip(self.parts, other.parts, strict=True)))

    __radd__ = __add__

    def __neg__(self) -> HyperDual:
        return self * -1

    def __sub__(self, other: Any) -> HyperDual:
        return self + other * -1

    def __mul__(self, other: Any) -> HyperDual:
        other = other if isinstance(other, HyperDual) else HyperDual(other)
        (a, b, c, d), (p, q, r, s) = self.parts, other.parts
        return HyperDual(a * p, a * q + b * p, a * r + c * p, a * s + b * r + c * q + d * p)

    __rmul__ = __mul__


def second_derivative_at(loss: Any, point: Sequence[Fraction], a: int, b: int) -> Fraction:
    """d^2 loss / dw_a dw_b at a rational point, `loss` being a function of a list of numbers."""
    return loss([HyperDual(value, int(i == a), int(i == b)) for i, value in enumerate(point)]).parts[3]


def hessian_of_recurrent_loss(
    unit: Any, units: int, x: Sequence[Any], y: Sequence[Any], parameters: int
) -> list[list[Fraction]]:
    """The exact Hessian at w = 0 of the mean of (f - y)^2 / 2, f = unit(... unit(x, w), w), all of them numbers."""

    def loss(w: Sequence[Any]) -> Any:
        total: Any = HyperDual(Fraction(0))
        for start, target in zip(x, y, strict=True):
            h = start
            for _ in range(units):
                h = unit(h, w)
            total = total + (h - target) * (h - target) * Fraction(1, 2 * len(x))
        return total

    point = [Fraction(0)] * parameters
    return [[second_derivative_at(loss, point, a, b) for b in range(parameters)] for a in range(parameters)]


def determinant_by_permutations(matrix: Sequence[Sequence[Any]]) -> Any:
    """The sum over all permutations of sign times product."""
    n, total = len(matrix), 0
    for p in permutations(range(n)):
        sign = (-1) ** sum(p[i] > p[j] for i in range(n) for j in range(i + 1, n))
        total += sign * prod(matrix[i][p[i]] for i in range(n))
    return total


# numeric


FractionMatrix = list[list[list[Fraction]]]
"""Entries are polynomials in t, a list of coefficients each."""


def _times(a: list[Fraction], b: list[Fraction]) -> list[Fraction]:
    product_of = [Fraction(0)] * len(a)
    for i, p in enumerate(a):
        for j, q in enumerate(b):
            if i + j < len(a):
                product_of[i + j] += p * q
    return product_of


def _plus(a: list[Fraction], b: list[Fraction]) -> list[Fraction]:
    return [p + q for p, q in zip(a, b, strict=True)]


def polynomial_matrix(constant: Any, slope: Any, order: int) -> FractionMatrix:
    """constant + t slope, entry by entry."""
    rest = [Fraction(0)] * (order + 1)
    return [
        [[Fraction(int(c)), Fraction(int(s)), *rest][: order + 1] for c, s in zip(row, slopes, strict=True)]
        for row, slopes in zip(constant, slope, strict=True)
    ]


def polynomial_product(a: FractionMatrix, b: FractionMatrix) -> FractionMatrix:
    """The matrix product, by three loops."""
    order = len(a[0][0]) - 1
    rows = []
    for row in a:
        entries = []
        for j in range(len(b[0])):
            total = [Fraction(0)] * (order + 1)
            for k, entry in enumerate(row):
                total = _plus(total, _times(entry, b[k][j]))
            entries.append(total)
        rows.append(entries)
    return rows


def polynomial_sum(a: FractionMatrix, b: FractionMatrix) -> FractionMatrix:
    """The sum."""
    return [[_plus(p, q) for p, q in zip(r, s, strict=True)] for r, s in zip(a, b, strict=True)]


def polynomial_apply(coefficients: list[Fraction], a: FractionMatrix) -> FractionMatrix:
    """sum_k c_k a^k, entry by entry."""

    def apply(entry: list[Fraction]) -> list[Fraction]:
        total, power = [Fraction(0)] * len(entry), [Fraction(1), *[Fraction(0)] * (len(entry) - 1)]
        for c in coefficients:
            total = _plus(total, [c * p for p in power])
            power = _times(power, entry)
        return total

    return [[apply(entry) for entry in row] for row in a]


def squared_loss_coefficients(f: FractionMatrix, y: Any) -> list[Fraction]:
    """1/(2m) sum (f - y)^2 as a polynomial in t."""
    samples = len(f[0])
    total = [Fraction(0)] * len(f[0][0])
    for row, targets in zip(f, y, strict=True):
        for entry, target in zip(row, targets, strict=True):
            residual = [entry[0] - int(target), *entry[1:]]
            total = _plus(total, _times(residual, residual))
    return [c / (2 * samples) for c in total]
