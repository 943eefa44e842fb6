"""Per-sample losses: derivatives in the network's output, on arrays and as exact relations.

The loss of a network is the mean over samples of sum over a sample's columns of l(f, y). Its first derivatives in
f are named g (gradient) and Q (Hessian); a loss says which tensors vanish, which are the identity and which sum to
zero, and the index-notation side needs no more than that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import factorial
from typing import Any, Protocol, TypeAlias

from resproof.architectures.errors import ArchitectureError
from resproof.architectures.stages import Stage

Array: TypeAlias = Any


class Reductions(Protocol):
    """What a loss needs of an array library beyond arithmetic."""

    def exp(self, x: Array, /) -> Array: ...
    def log(self, x: Array, /) -> Array: ...
    def expm1(self, x: Array, /) -> Array: ...
    def abs(self, x: Array, /) -> Array: ...
    def heaviside(self, x: Array, /) -> Array: ...
    def sum_rows(self, x: Array, /) -> Array: ...
    def max_rows(self, x: Array, /) -> Array: ...


@dataclass(frozen=True, slots=True)
class Loss:
    """A per-column loss l(f, y), f and y of shape (..., d, columns).

    value(ops, f, y): shape (..., 1, columns). gradient(ops, f, y): l_f. curvature(ops, f, y, v): l_ff v.
    subtracted(ops, f, y): the sum of moduli that l_f is a difference of: what its rounding is proportional to.
    matrix(ops, f, y, e): l_ff row by row, e the unit vectors along an axis in front, no entry a difference.
    higher(ops, f, y, v): l^(k)[v_1, ..., v_(k-1)], k >= 3. `quadratic`: l_ff is the identity and l_fff zero. `centred`:
    the rows of g, and of each slot of the higher derivatives, sum to zero. `reads`: what the loss sees of the stream,
    where that is not the stream itself; y has its shape then, and subtracted, matrix and higher are those of `inner`.
    """

    name: str
    value: Callable[[Reductions, Array, Array], Array] = field(repr=False)
    gradient: Callable[[Reductions, Array, Array], Array] = field(repr=False)
    subtracted: Callable[[Reductions, Array, Array], Array] = field(repr=False)
    curvature: Callable[[Reductions, Array, Array, Array], Array] = field(repr=False)
    matrix: Callable[[Reductions, Array, Array, Array], Array] = field(repr=False)
    higher: Callable[[Reductions, Array, Array, Sequence[Array]], Array] = field(repr=False)
    quadratic: bool = False
    centred: bool = False
    reads: Readout | None = None


@dataclass(frozen=True, slots=True)
class Readout:
    """What a loss sees of the stream: what a head makes of it; `inner` is the loss of that.

    `weights` are arrays by the head's own names for them, which index terms precede by `name`; `sizes` are those of its
    dimensions.
    """

    name: str
    head: Stage
    inner: Loss
    weights: Mapping[str, Array] = field(repr=False, compare=False)
    sizes: Mapping[str, int] = field(repr=False, compare=False)

    def called(self, weight: str) -> str:
        """What index terms call a weight of the head."""
        return f"{self.name}.{weight}"


def _softmax(ops: Reductions, f: Array) -> Array:
    e = ops.exp(f - ops.max_rows(f))
    return e / ops.sum_rows(e)


def _cross_entropy_value(ops: Reductions, f: Array, y: Array) -> Array:
    top = ops.max_rows(f)
    logsumexp = top + ops.log(ops.sum_rows(ops.exp(f - top)))
    return ops.sum_rows(y) * logsumexp - ops.sum_rows(y * f)


NEAR = 0.5
"""Outputs of a column that differ by less are told apart by e^f - 1: p_i - y_i may be as small as their difference."""


def _cross_entropy_gradient(ops: Reductions, f: Array, y: Array) -> Array:
    apart, near, (above, below, total) = _near_uniform(ops, f, y)
    return (1.0 - near) * (ops.sum_rows(y) * _softmax(ops, f) - y) + near * (apart + above - below) / total


def _cross_entropy_subtracted(ops: Reductions, f: Array, y: Array) -> Array:
    apart, near, (above, below, total) = _near_uniform(ops, f, y)
    plain = ops.sum_rows(y) * _softmax(ops, f) + y
    return (1.0 - near) * plain + near * (ops.abs(apart) + ops.abs(above) + ops.abs(below)) / total


def _near_uniform(ops: Reductions, f: Array, y: Array) -> tuple[Array, Array, tuple[Array, Array, Array]]:
    """With s = 1^T y and E = e^(f - max f) - 1: s - d y, where f is nearly constant, and s E, y sum E, d + sum E.

    s p - y = (s - d y + s E - y sum E) / (d + sum E), and s - d y = 0 exactly for a constant y.
    """
    total, moved = ops.sum_rows(y), f - ops.max_rows(f)
    raised = ops.expm1(moved)
    differ, near = ops.heaviside(ops.max_rows(y) + ops.max_rows(-y)), ops.heaviside(NEAR - ops.max_rows(-moved))
    rows = ops.sum_rows(1.0 + 0.0 * f)
    return differ * (total - rows * y), near, (total * raised, y * ops.sum_rows(raised), rows + ops.sum_rows(raised))


def _cross_entropy_curvature(ops: Reductions, f: Array, y: Array, v: Array) -> Array:
    # (diag p - p p^T) v, weighted by the total 1^T y of the target.
    p = _softmax(ops, f)
    return ops.sum_rows(y) * p * (v - ops.sum_rows(p * v))


def _cross_entropy_matrix(ops: Reductions, f: Array, y: Array, e: Array) -> Array:
    # -p_i p_j off the diagonal, and on it what makes the sums zero, weighted by 1^T y.
    p = _softmax(ops, f)
    apart = (e - 1.0) * ops.sum_rows(e * p) * p * ops.sum_rows(y)
    return apart - e * ops.sum_rows(apart)


def _cross_entropy_higher(ops: Reductions, f: Array, y: Array, v: Sequence[Array]) -> Array:
    """The joint cumulant of one-hot e ~ p = softmax(f) and <v_1 - E, e>, <v_2 - E, e>, ..., weighted by 1^T y.

    Over the partitions of {e, 1, 2, ...} into b blocks, (-1)^(b-1) (b-1)! prod of E[product over the block]; centred
    first, so that blocks of one vector vanish.
    """
    p = _softmax(ops, f)
    centred = [one - ops.sum_rows(p * one) for one in v]
    total = 0.0 * f
    for first, *others in _partitions(len(v)):
        if any(len(block) == 1 for block in others):
            continue
        term = p
        for k in first:
            term = term * centred[k]
        for block in others:
            product = p
            for k in block:
                product = product * centred[k]
            term = term * ops.sum_rows(product)
        total = total + (-1) ** len(others) * factorial(len(others)) * term
    return ops.sum_rows(y) * total


def _partitions(count: int) -> Iterator[list[list[int]]]:
    """The partitions of {e, 0, ..., count - 1}; e is in the first block and not listed."""
    if count == 0:
        yield [[]]
        return
    for blocks in _partitions(count - 1):
        for k in range(len(blocks)):
            yield [[*block, count - 1] if j == k else block for j, block in enumerate(blocks)]
        yield [*blocks, [count - 1]]


squared = Loss(
    "squared",
    value=lambda ops, f, y: 0.5 * ops.sum_rows((f - y) ** 2),
    gradient=lambda ops, f, y: f - y,
    subtracted=lambda ops, f, y: ops.abs(f) + ops.abs(y),
    curvature=lambda ops, f, y, v: v,
    matrix=lambda ops, f, y, e: e + 0.0 * f,
    higher=lambda ops, f, y, v: 0.0 * v[0],
    quadratic=True,
)
cross_entropy = Loss(
    "cross-entropy",
    value=_cross_entropy_value,
    gradient=_cross_entropy_gradient,
    subtracted=_cross_entropy_subtracted,
    curvature=_cross_entropy_curvature,
    matrix=_cross_entropy_matrix,
    higher=_cross_entropy_higher,
    centred=True,
)


def _no_values(*_: object) -> Array:
    raise ArchitectureError("the generic loss has no values; expected squared or cross-entropy")


generic_loss = Loss("generic", _no_values, _no_values, _no_values, _no_values, _no_values, _no_values)
"""Any differentiable per-sample loss: its derivatives g, Q, ... stay symbols."""

LOSSES: dict[str, Loss] = {loss.name: loss for loss in (squared, cross_entropy)}


def loss(name: str) -> Loss:
    """The loss of that name.

    Raises:
        ArchitectureError: for an unknown name.
    """
    if name not in LOSSES:
        raise ArchitectureError(f"loss: {name!r} is unknown; expected one of {', '.join(LOSSES)}")
    return LOSSES[name]
