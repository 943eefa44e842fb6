"""Truncated Taylor series in one variable t, with arrays as coefficients: a = a_0 + a_1 t + ... + a_K t^K.

None is a coefficient that is zero by structure. Order 0 is the value alone, order 1 the value and its tangent; a
batch of tangents is a leading axis of a_1. The recurrences, all truncated at K:

    product            c_k = sum_{j<=k} a_j b_{k-j}
    f(u)               sum_k f^(k)(u_0)/k! (u - u_0)^k
    s = softmax(u)     s' = s (u' - <s, u'>), so k s_k = sum_{j<k} s_j ((k-j) u_{k-j} - q_{k-1-j}),  q = <s, u'>
    r = v^(-1/2)       2 k v_0 r_k = sum_{1<=j<=k} (j - 2k) v_j r_{k-j}   from 2 v r' = -v' r
    logsumexp(u)'      = <softmax(u), u'>
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from resproof.architectures.dimensions import Axes
from resproof.architectures.nodes import Activation, Einsum, Normalize, Softmax
from resproof.numeric.backend import Array, Ops
from resproof.numeric.network.arithmetic import Floats, Residues
from resproof.numeric.network.contraction import Contraction, contract, contraction, permuted

Series: TypeAlias = tuple[Array | None, ...]
Arithmetic: TypeAlias = Floats | Residues
Bilinear: TypeAlias = Callable[[Array, Array], Array]


def add(arithmetic: Arithmetic, a: Series, b: Series) -> Series:
    """The sum."""
    return tuple(y if x is None else x if y is None else arithmetic.add(x, y) for x, y in zip(a, b, strict=True))


def cauchy(arithmetic: Arithmetic, times: Bilinear, a: Series, b: Series) -> Series:
    """The product, c_k = sum_j a_j b_{k-j}, for any bilinear `times`; of constants where b or a has one coefficient."""
    return tuple(coefficient(arithmetic, times, a, b, k) for k in range(max(len(a), len(b))))


def coefficient(arithmetic: Arithmetic, times: Bilinear, a: Series, b: Series, k: int) -> Array | None:
    """The coefficient c_k of the product."""
    total: Array | None = None
    for j in range(max(0, k - len(b) + 1), min(k, len(a) - 1) + 1):
        left, right = a[j], b[k - j]
        if left is not None and right is not None:
            term = times(left, right)
            total = term if total is None else arithmetic.add(total, term)
    return total


def compose(arithmetic: Arithmetic, tower: Sequence[Any], u: Series) -> Series:
    """f(u) from tower[k] = f^(k)(u_0)/k!."""
    composed: list[Array | None] = [tower[0], *[None] * (len(u) - 1)]
    change: Series = (None, *u[1:])
    power = change
    for k in range(1, len(u)):
        for j in range(k, len(u)):
            if tower[k] is not None and power[j] is not None:
                term, present = arithmetic.multiply(tower[k], power[j]), composed[j]
                composed[j] = term if present is None else arithmetic.add(present, term)
        if k + 1 < len(u):
            power = cauchy(arithmetic, arithmetic.multiply, power, change)
    return tuple(composed)


@dataclass(frozen=True, slots=True)
class FloatSeries:
    """Series of floating-point arrays, truncated at `order`.

    With `highest`, products are for those who read their coefficient of highest order alone: the others are left out,
    as None.
    """

    ops: Ops
    order: int
    highest: bool = False

    @property
    def arithmetic(self) -> Floats:
        """The arithmetic of the coefficients."""
        return Floats(self.ops)

    def add(self, a: Series, b: Series) -> Series:
        """The sum."""
        return tuple(y if x is None else x if y is None else x + y for x, y in zip(a, b, strict=True))

    def spread(self, a: Series, shape: tuple[int, ...]) -> Series:
        """Every coefficient broadcast to the value, which may hold some of the samples only."""
        value, rank = a[0], len(shape)
        assert value is not None  # the value is an array
        full = tuple(value.shape[-rank:])
        return tuple(c if c is None else dense(self.ops, c, (*c.shape[:-rank], *full)) for c in a)

    def multiply(self, a: Series, b: Series) -> Series:
        """The elementwise product."""
        return self.product(_times, a, b)

    def matmul(self, a: Series, b: Series) -> Series:
        """The matrix product."""
        return self.product(_matmul, a, b)

    def einsum(self, node: Einsum, operands: Sequence[Series]) -> Series:
        """The contraction of two operands, or one with its axes in another order."""
        if len(operands) == 1:
            return self.permute(operands[0], node.inputs[0], node.output)
        return self.contract(contraction(node.pattern), *operands)

    def contract(self, how: Contraction, a: Series, b: Series) -> Series:
        """The contraction of two series."""
        if how.is_product:
            return self.matmul(a, b)
        return self.product(partial(contract, how, self.ops, _matmul, _times), a, b)

    def permute(self, a: Series, given: Axes, wanted: Axes) -> Series:
        """The last axes of every coefficient in another order."""
        if len(given) == 2:
            return a if given == wanted else self.transpose(a)
        return tuple(None if x is None else permuted(self.ops, x, given, wanted) for x in a)

    def product(self, times: Bilinear, a: Series, b: Series) -> Series:
        """The product by any bilinear `times` that returns new arrays."""
        if self.order == 1:
            return _first_order(times, a, b, highest=self.highest)
        if self.highest:
            return (*[None] * self.order, coefficient(self.arithmetic, times, a, b, self.order))
        return cauchy(self.arithmetic, times, a, b)

    def negative(self, a: Series) -> Series:
        """-a."""
        return tuple(None if x is None else -x for x in a)

    def transpose(self, a: Series) -> Series:
        """The transpose of every coefficient."""
        return tuple(None if x is None else self.ops.transpose(x) for x in a)

    def apply(self, activation: Activation, u: Series, shape: tuple[int, ...]) -> Series:
        """The activation of every entry."""
        del shape
        return compose(self.arithmetic, _divided(activation.derivatives(self.ops, u[0], self.order)), u)

    def apply_with_slope(self, activation: Activation, u: Series) -> tuple[Series, Series]:
        """f(u) and f'(u)."""
        derivatives = activation.derivatives(self.ops, u[0], self.order + 1)
        value = compose(self.arithmetic, _divided(derivatives[:-1]), u)
        return value, compose(self.arithmetic, _divided(derivatives[1:]), u)

    def softmax(self, node: Softmax, u: Series, mask: Series | None) -> Series:
        """Softmax along the node's axis, over the entries where the mask is positive."""
        axis = node.axis - len(node.shape)
        return softmax_series(self.ops, u, axis, None if mask is None else mask[0])[0]

    def normalize(self, node: Normalize, u: Series) -> tuple[Series, Series]:
        """The normalised series and the inverse scale r = (var u + epsilon)^(-1/2)."""
        axis, epsilon = node.axis - len(node.shape), float(node.epsilon)
        centred = tuple(_centre(self.ops, x, axis) for x in u) if node.centred else u
        variance = tuple(None if x is None else _mean(self.ops, x, axis) for x in self.multiply(centred, centred))
        start = variance[0]
        assert start is not None  # the operand's value is an array
        scale = _inverse_root((start + epsilon, *variance[1:]), self.ops)
        return self.multiply(centred, scale), scale


def _first_order(times: Bilinear, a: Series, b: Series, *, highest: bool) -> Series:
    """(a_0 b_0, a_0 b_1 + a_1 b_0): `cauchy` at order 1, where most of the time goes."""
    (a0, a1), (b0, b1) = a, b
    value = None if highest or a0 is None or b0 is None else times(a0, b0)
    left = None if a0 is None or b1 is None else times(a0, b1)
    right = None if a1 is None or b0 is None else times(a1, b0)
    return value, right if left is None else left if right is None else _sum_of_new(left, right)


def _sum_of_new(a: Array, b: Array) -> Array:
    """The sum of two arrays that nobody else holds, in the first where it fits: memory costs more than the sum."""
    if a.shape != b.shape:
        return a + b
    a += b
    return a


def _times(a: Array, b: Array) -> Array:
    return a * b


def _matmul(a: Array, b: Array) -> Array:
    return a @ b


def _divided(derivatives: Sequence[Array]) -> list[Array]:
    return [f if k < 2 else f * (1.0 / math.factorial(k)) for k, f in enumerate(derivatives)]


def _mean(ops: Ops, x: Array, axis: int) -> Array:
    return ops.xp.mean(x, axis=axis, keepdims=True)


def _centre(ops: Ops, x: Array | None, axis: int) -> Array | None:
    return None if x is None else x - _mean(ops, x, axis)


def _inverse_root(v: Series, ops: Ops) -> Series:
    start = v[0]
    assert start is not None  # a variance is an array
    root: list[Array | None] = [1.0 / ops.sqrt(start)]
    for k in range(1, len(v)):
        total = _sum(
            (j - 2 * k) * (vj * r)
            for j in range(1, k + 1)
            if (vj := v[j]) is not None and (r := root[k - j]) is not None
        )
        root.append(None if total is None else total / (2 * k * start))
    return tuple(root)


def softmax_series(ops: Ops, u: Series, axis: int, mask: Array | None = None) -> tuple[Series, Series]:
    """Softmax along an axis, and q = <softmax(u), u'>, the derivative of logsumexp(u), to one order less."""
    s: list[Array | None] = [softmax(ops, u[0], axis, mask)]
    q: list[Array | None] = []
    for k in range(1, len(u)):
        # q_{k-1} = sum_j <s_j, (k-j) u_{k-j}> needs s_0 .. s_{k-1}, and s_k needs q_0 .. q_{k-1}.
        inner = _sum(
            sj * uj for j in range(k) if (sj := s[j]) is not None and (uj := _scaled(k - j, u[k - j])) is not None
        )
        q.append(None if inner is None else ops.xp.sum(inner, axis=axis, keepdims=True))
        flow = [
            sj * _minus(_scaled(k - j, u[k - j]), q[k - 1 - j])
            for j in range(k)
            if (sj := s[j]) is not None and not (u[k - j] is None and q[k - 1 - j] is None)
        ]
        total = _sum(flow)
        s.append(None if total is None else total / k)
    return tuple(s), tuple(q)


def softmax(ops: Ops, u: Array, axis: int, mask: Array | None = None) -> Array:
    """exp(u) / sum exp(u) along an axis, over the entries where the mask is positive."""
    if mask is not None:
        u = ops.xp.where(mask > 0, u, ops.full(tuple(u.shape), -math.inf))
    e = ops.exp(u - ops.xp.max(u, axis=axis, keepdims=True))
    return e / ops.xp.sum(e, axis=axis, keepdims=True)


def _scaled(factor: int, a: Array | None) -> Array | None:
    return None if a is None else factor * a


def _minus(a: Array | None, b: Array | None) -> Array:
    return a if b is None else -b if a is None else a - b


def _sum(terms: Any) -> Array | None:
    total: Array | None = None
    for term in terms:
        total = term if total is None else total + term
    return total


def dense(ops: Ops, a: Array | None, shape: tuple[int, ...]) -> Array:
    """A coefficient as an array of this shape: zeros where it is None, and broadcast where it is smaller."""
    if a is None:
        return ops.zeros(shape)
    return a if tuple(a.shape) == shape else ops.xp.broadcast_to(a, shape)
