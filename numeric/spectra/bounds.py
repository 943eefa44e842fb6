"""A bound of the rounding of a contraction of index terms, entry by entry.

gamma_N times the same contraction of moduli, N the longest chain of roundings: the lengths of a term's summed indices,
one for each factor and scalar, one for each term. Values at nonzero points count with their largest modulus and
DERIVED + d + t roundings (first order in the unit roundoff; elementary functions are taken to be accurate to a few
units in the last place).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TypeAlias

from resproof.architectures.forms.terms import (
    ActivationValue,
    DataTensor,
    Delta,
    IndexSum,
    InitialWeight,
    InverseScale,
    LossDerivative,
    Normalised,
    Opaque,
    Pattern,
    Perturbation,
    SoftmaxValue,
    Tensor,
)
from resproof.numeric.backend import Array
from resproof.numeric.data import slots
from resproof.numeric.network.running_error import bounded_output
from resproof.numeric.rounding import UNIT_ROUNDOFF, gamma
from resproof.numeric.spectra.contract import Environment, loss_derivative, numbers
from resproof.numeric.spectra.products import KINDS, Labelled, NumberSource, slot_shape, sum_of_terms

DERIVED = 64
"""Roundings allowed to an entry of a value at a nonzero point (elementary function, softmax), besides its width."""
SATURATED = 16
"""exp(f) is off by |f| roundings more, and |f| < 745 where it does not vanish: so many times DERIVED cover them."""

_EXACT = (DataTensor, Delta, Pattern, Perturbation, InitialWeight, Opaque)
"""What is held as it is given."""


def magnitudes(env: Environment) -> NumberSource:
    """The moduli of what an environment holds; of a value at a nonzero point the largest."""
    source, ops = numbers(env), env.ops

    def modulus(tensor: Tensor) -> Labelled:
        array, front = source.tensor(tensor)
        if isinstance(tensor, _EXACT):
            return Labelled(ops.abs(array), front)
        if isinstance(tensor, LossDerivative) and tensor.order <= 2:
            return Labelled(_loss_magnitude(env, tensor.order), front)
        return Labelled(ops.full(tuple(array.shape), float(ops.xp.max(ops.abs(array)))), front)

    def symbol(name: str) -> Labelled:
        found = source.symbol(name)
        return Labelled(ops.abs(found.array), found.labels)

    return NumberSource(source.arithmetic, env.sizes, dict.fromkeys(KINDS, modulus), symbol)


def contraction_bound(index_sum: IndexSum, env: Environment) -> Array:
    """A bound, entry by entry, of the rounding error of `contract(index_sum, env)`.

    Raises:
        DataError: a symbol, a perturbation or an initial weight has no value.
    """
    return gamma(chain_length(index_sum, env.sizes)) * sum_of_terms(magnitudes(env), positive(index_sum), env.front)


def positive(index_sum: IndexSum) -> IndexSum:
    """The sum with the moduli of its coefficients."""
    return IndexSum(index_sum.free, tuple(replace(t, coefficient=abs(t.coefficient)) for t in index_sum.terms))


def chain_length(index_sum: IndexSum, sizes: Mapping[str, int]) -> int:
    """The longest chain of roundings of a contraction."""
    return _chain(index_sum, tuple(sizes.items()))


_Sizes: TypeAlias = tuple[tuple[str, int], ...]


def _chain(index_sum: IndexSum, sizes: _Sizes) -> int:
    longest = max((_term_chain(t.factors, sizes) + len(t.scalars) + 1 for t in index_sum.terms), default=0)
    return len(index_sum.terms) + longest


def _term_chain(factors: Sequence[tuple[Tensor, tuple[int, ...]]], sizes: _Sizes) -> int:
    summed: dict[int, int] = {}
    derived = 0
    for tensor, indices in factors:
        lengths, own = _tensor_chain(tensor, sizes)
        summed.update({i: n for i, n in zip(indices, lengths, strict=True) if i >= 0})
        derived += own
    return sum(summed.values()) + len(factors) + derived


@lru_cache(maxsize=1 << 12)
def _tensor_chain(tensor: Tensor, sizes: _Sizes) -> tuple[tuple[int, ...], int]:
    """The lengths of a tensor's slots, and the roundings that its own value takes."""
    lengths = slot_shape(tensor.dims, dict(sizes))
    if isinstance(tensor, _EXACT):
        return lengths, 0
    return lengths, DERIVED + sum(lengths[:-1]) + _inner_chain(tensor, sizes)


def _inner_chain(tensor: Tensor, sizes: _Sizes) -> int:
    match tensor:
        case ActivationValue(argument=argument) | SoftmaxValue(argument=argument):
            return _chain(argument, sizes)
        case Normalised(argument=argument) | InverseScale(argument=argument):
            return _chain(argument, sizes)
        case _:
            return 0


def _loss_magnitude(env: Environment, order: int) -> Array:
    """What the rounding of g or Q is proportional to, entry by entry: moduli of what is subtracted, not the difference.

    g is f - y or 1^T y p - y. The entries of Q, -p_i p_j and p_i sum_(j != i) p_j, subtract nothing.
    """
    ops, x, y, read = env.ops, env.x, env.y, env.loss.reads
    if read is not None:
        output, error = bounded_output(read, x)
        return _read_magnitude(replace(env, loss=read.inner, x=output), order, error / (DERIVED * UNIT_ROUNDOFF))
    times = 1.0 if env.loss.quadratic else SATURATED
    return times * (ops.abs(loss_derivative(env, 2)) if order == 2 else slots(env.loss.subtracted(ops, x, y)))


def _read_magnitude(env: Environment, order: int, size: Array) -> Array:
    """The same for a loss whose argument is off by DERIVED roundings of `size`.

    |dg| is at most that for the squared loss and, with dp_i = p_i (df_i - sum_j p_j df_j), twice its largest for the
    cross-entropy; and |d(p_i p_j)| is at most four times its largest, times p_i p_j.
    """
    plain, largest = _loss_magnitude(env, order), env.ops.max_rows(size)
    if env.loss.quadratic:
        return plain if order == 2 else plain + slots(size)
    return plain * (1.0 + 4.0 * slots(largest)) if order == 2 else plain + 2.0 * slots(largest)
