"""Index terms contracted with arrays: the closed forms of the exact side, evaluated on data.

A tensor's slots are as in `architectures.forms.terms`, the sample always last; slots of dimension 1 are absent.
Arrays are given in the native layout ((d, m), or (m, d, t)) and are permuted here. Perturbations may carry axes in
front, units (R, rows, columns) or a block of tangents (k, R, rows, columns); the contraction runs over all of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import TypeAlias, assert_never

from resproof.architectures.activations import ACTIVATIONS, CONSTANTS
from resproof.architectures.forms.hessian_blocks import SIDES
from resproof.architectures.forms.terms import (
    ActivationValue,
    DataTensor,
    Delta,
    HessianTerms,
    IndexSum,
    InitialWeight,
    InverseRoot,
    InverseScale,
    LossDerivative,
    Normalised,
    Opaque,
    Pattern,
    Perturbation,
    Secant,
    SoftmaxValue,
    Tensor,
)
from resproof.architectures.losses import Loss, Readout
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Activation, Apply, nodes
from resproof.architectures.values import Values
from resproof.numeric.backend import Array, Ops, ops_of
from resproof.numeric.data import DataError, as_columns, bind, check_data, sizes_of_data, slots
from resproof.numeric.network.arithmetic import Floats
from resproof.numeric.network.parameters import Weights, sizes_of
from resproof.numeric.network.program import on_slots, pattern
from resproof.numeric.network.readout import read_of
from resproof.numeric.network.running_error import bounded_output
from resproof.numeric.network.series import softmax
from resproof.numeric.rounding import UNIT_ROUNDOFF, gamma
from resproof.numeric.spectra.products import TANGENT, UNIT, Labelled, slot_shape, sum_of_terms

MOST_ENTRIES = 2 * 10**7
"""Of a derivative of the loss that is written out."""

Placed: TypeAlias = Mapping[tuple[str, int], Array]
_Known: TypeAlias = dict[str, tuple[Array, tuple[int, ...]]]
_NOTHING: Mapping = MappingProxyType({})
_FRONT = {0: (), 1: (UNIT,), 2: (TANGENT, UNIT)}


@dataclass(frozen=True, slots=True)
class Environment:
    """What index terms are contracted with.

    x, y: (d, m) or (m, d, t). perturbations: (weight, unit) -> ([k,] [R,] rows, columns). initial: weight ->
    (rows, columns), or (weight, unit) where units differ; given: those that are known exactly. scalars: values of
    symbols such as "mid'(0)".
    """

    ops: Ops
    x: Array
    y: Array
    sizes: Mapping[str, int]
    loss: Loss
    activations: Mapping[str, Activation]
    perturbations: Placed = field(default_factory=dict)
    initial: Mapping[str | tuple[str, int], Array] = field(default_factory=dict)
    scalars: Mapping[str, float] = field(default_factory=dict)
    opaque: Mapping[str, Array] = field(default_factory=dict)
    given: Mapping[str, Values] = field(default_factory=dict)
    known: _Known = field(default_factory=dict, init=False, repr=False, compare=False)
    slopes: _Known = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def arithmetic(self) -> Floats:
        """Floating-point numbers."""
        return Floats(self.ops)

    def tensor(self, tensor: Tensor) -> tuple[Array, tuple[int, ...]]:
        """The array of a tensor and the labels of the axes in front of its slots."""
        if isinstance(tensor, Perturbation):
            return self._perturbation(tensor)
        # Of what is not linear in the perturbations, a secant slope alone depends on their direction.
        known, front = (self.slopes, self.front) if isinstance(tensor, Secant) else (self.known, {})
        key = tensor.key
        if key not in known:
            array = _tensor(self, tensor)
            shape = (*front.values(), *slot_shape(tensor.dims, self.sizes))
            known[key] = (self.ops.xp.reshape(array, shape), tuple(front))
        return known[key]

    def along(self, perturbations: Placed) -> Environment:
        """The same with other perturbations; what does not depend on them is known to both."""
        moved = replace(self, perturbations=perturbations)
        object.__setattr__(moved, "known", self.known)
        return moved

    def symbol(self, name: str) -> Labelled:
        """The value of a named constant or of a symbol in `scalars`.

        Raises:
            DataError: the symbol has no value.
        """
        if name not in self.scalars and name not in CONSTANTS:
            raise DataError(f"contract: the symbol {name} has no value; expected one in scalars")
        return Labelled(self.ops.full((), self.scalars.get(name, CONSTANTS.get(name, 0.0))), ())

    def _perturbation(self, tensor: Perturbation) -> tuple[Array, tuple[int, ...]]:
        array = self.perturbations.get((tensor.weight, tensor.unit))
        if array is None:
            raise DataError(f"contract: no array for {tensor.label}; expected a perturbation of {tensor.weight}")
        front = tuple(array.shape[:-2])
        return self.ops.xp.reshape(array, (*front, *slot_shape(tensor.dims, self.sizes))), _FRONT[len(front)]

    @property
    def front(self) -> dict[int, int]:
        """The axes in front of the perturbations, with their lengths."""
        for array in self.perturbations.values():
            return dict(zip(_FRONT[len(array.shape) - 2], map(int, array.shape[:-2]), strict=True))
        return {}


def environment(
    network: Network,
    x: Array,
    y: Array,
    *,
    sizes: Mapping[str, int] = _NOTHING,
    perturbations: Placed = _NOTHING,
    initial: Mapping[str | tuple[str, int], Array] = _NOTHING,
    scalars: Mapping[str, float] = _NOTHING,
    opaque: Mapping[str, Array] = _NOTHING,
) -> Environment:
    """The environment of a network's index terms; inner widths come from `sizes` or from the arrays.

    Raises:
        DataError: data of another shape or kind, or a dimension without a size.
    """
    x, y = check_data("contract", network.unit, x, y, network.loss)
    given = {name: array for (name, _), array in perturbations.items()}
    known = {**sizes_of_data("contract", network.unit, x), **sizes}
    inner = sizes_of(network.unit, given, known) if set(given) == set(network.unit.names.values()) else {}
    found = bind("contract", network.unit, x, {**inner, **sizes})
    read = network.loss.reads
    expressions = [network.unit.expression]
    if read is not None:
        found = with_sizes_of_head(found, read)
        initial = {**initial, **{read.called(weight): array for weight, array in read.weights.items()}}
        expressions.append(read.head.expression)
    applied = {n.activation.name: n.activation for one in expressions for n in nodes(one) if isinstance(n, Apply)}
    x, y = as_columns(network.unit, x), as_columns(network.unit, y)
    return Environment(
        ops_of(x), x, y, found, network.loss, {**ACTIVATIONS, **applied}, perturbations, initial, scalars, opaque
    )


def contract(index_sum: IndexSum, env: Environment) -> Array:
    """The array of a sum: the axes in front of the perturbations, then the free indices in their order.

    Raises:
        DataError: a symbol, a perturbation or an initial weight has no value.
    """
    return sum_of_terms(env, index_sum, env.front)


def hessian_vector(terms: HessianTerms, env: Environment, v: Weights) -> dict[str, Array]:
    """(H v)_r = D v_r + A sum_{s<r} v_s + A^T sum_{s>r} v_s for all units at once, of the shapes of v.

    v: name -> (R, rows, columns), or a block (k, R, rows, columns). The sums over units are prefix sums, so the cost
    is linear in R. Source: GEN-1.

    Raises:
        DataError: a symbol or an initial weight has no value.
    """
    ops = env.ops
    beside = {side: {name: _beside(ops, array, side) for name, array in v.items()} for side in SIDES.values()}
    total: dict[str, Array] = {name: ops.zeros(tuple(array.shape)) for name, array in v.items()}
    for block, part in terms.blocks.items():
        placed = env.along({(name, 1): array for name, array in beside[SIDES[block]].items()})
        for name, index_sum in part:
            if index_sum.terms:
                total[name] = total[name] + ops.xp.reshape(contract(index_sum, placed), tuple(v[name].shape))
    return total


def _beside(ops: Ops, array: Array, side: int) -> Array:
    """The sum of v_s over the units with side = sign(r - s); those behind from the end: no difference of large sums."""
    if not side:
        return array
    if side < 0:
        return ops.xp.flip(_beside(ops, ops.xp.flip(array, axis=-3), -side), axis=-3)
    sums = ops.cumulative_sum(array, len(array.shape) - 3)
    return ops.concatenate([ops.zeros((*array.shape[:-3], 1, *array.shape[-2:])), sums[..., :-1, :, :]], -3)


# The arrays of the tensors.


def _tensor(env: Environment, tensor: Tensor) -> Array:
    ops = env.ops
    match tensor:
        case DataTensor(name=name):
            return slots(env.x if name == "X" else env.y)
        case Delta(dims=(dimension, _)):
            n = slot_shape((dimension,), env.sizes)[0]
            return ops.asarray(pattern("identity", (n, n)))
        case Pattern(pattern=name):
            return ops.asarray(pattern(name, slot_shape(tensor.shape, env.sizes)))
        case Perturbation():
            return env.tensor(tensor)[0]
        case InitialWeight(weight=weight, unit=unit):
            return _initial(env, weight, unit)
        case LossDerivative(order=order):
            return _loss_derivative(env, order)
        case ActivationValue(activation=name, order=order, argument=argument):
            return env.activations[name].derivatives(ops, _argument(env, argument), order)[order]
        case Secant(activation=name, argument=parts):
            return _secant(env, env.activations[name], parts)
        case SoftmaxValue(argument=argument, slot=slot, mask=mask, masked=places):
            u = _argument(env, argument)
            return softmax(ops, u, slot, None if mask is None else ops.asarray(on_slots(mask, tuple(u.shape), places)))
        case Normalised(argument=argument, slot=slot, centred=centred, epsilon=epsilon):
            n, scale = _normalised(env, argument, slot, centred, epsilon)
            return n * scale
        case InverseRoot(argument=argument):
            return 1.0 / ops.sqrt(_argument(env, argument))
        case InverseScale(argument=argument, slot=slot, centred=centred, epsilon=epsilon):
            return _normalised(env, argument, slot, centred, epsilon)[1]
        case Opaque(name=name):
            if name not in env.opaque:
                raise DataError(f"contract: no array for {name}; expected one in opaque")
            return env.opaque[name]
        case _:
            assert_never(tensor)


def _argument(env: Environment, argument: IndexSum) -> Array:
    return sum_of_terms(env, argument, {})


def _secant(env: Environment, activation: Activation, parts: Sequence[IndexSum]) -> Array:
    """f' on the side of 0 on which t u_1 + t^2 u_2 + ... lies for small t > 0, from above where all of it vanishes."""
    ops = env.ops
    first, *others = (ops.xp.sign(sum_of_terms(env, part, env.front)) for part in parts)
    side = first
    for sign in others:
        side = ops.xp.where(side == 0.0, sign, side)
    above, below = (activation.derivatives(ops, ops.full(tuple(side.shape), s * 2.0**-40), 1)[1] for s in (1, -1))
    return ops.xp.where(side >= 0.0, above, below)


def _initial(env: Environment, weight: str, unit: int | None) -> Array:
    key = weight if unit is None else (weight, unit)
    found = env.initial.get(key)
    if found is None:
        raise DataError(f"contract: no initial value of {weight}; expected one in initial")
    return found


def _normalised(
    env: Environment, argument: IndexSum, slot: int, centred: bool, epsilon: Fraction
) -> tuple[Array, Array]:
    """The (centred) argument and 1 / sqrt(mean of its squares + epsilon)."""
    xp, u = env.ops.xp, _argument(env, argument)
    u = u - xp.mean(u, axis=slot, keepdims=True) if centred else u
    # Squares of the entries over their size neither underflow nor overflow.
    size = env.ops.maximum(xp.max(env.ops.abs(u), axis=slot, keepdims=True), env.ops.full((), math.sqrt(epsilon)))
    size = xp.where(size > 0.0, size, 1.0 + size)
    root = env.ops.sqrt(xp.mean((u / size) ** 2, axis=slot, keepdims=True) + float(epsilon) / size / size)
    return u, 1.0 / root / size


def _loss_derivative(env: Environment, order: int) -> Array:
    """The k-th derivative of the per-sample loss at f = X: slots (row) * k + ([column,] sample).

    Raises:
        DataError: it has too many entries.
    """
    ops, loss, x, y = env.ops, env.loss, env.x, env.y
    if loss.reads is not None:
        return _loss_derivative(replace(env, loss=loss.reads.inner, x=read_of(loss.reads, x)), order)
    d = x.shape[-2]
    basis = [_basis(env, d, order - 1, k) for k in range(order - 1)]
    match order:
        case 1:
            found = loss.gradient(ops, x, y)
        case 2:
            found = loss.matrix(ops, x, y, _basis(env, d, 1, 0, spread=False))
        case _ if loss.quadratic:
            return ops.zeros((d,) * order + tuple(slots(x).shape[1:]))
        case _ if d ** (order - 1) * math.prod(x.shape) > MOST_ENTRIES:
            entries = d ** (order - 1) * math.prod(x.shape)
            raise DataError(
                f"contract: derivative {order} of the loss has {entries} entries; expected {MOST_ENTRIES} at most"
            )
        case _:
            found = loss.higher(ops, x, y, basis)
    full = ops.xp.broadcast_to(found, (*[d] * (order - 1), *x.shape))
    if len(x.shape) == 2:
        return full
    # (rows ..., m, row, t) to (rows ..., row, t, m)
    k = order - 1
    return ops.permute(full, (*range(k), k + 1, k + 2, k))


SATURATED = 16
"""exp(f) is off by |f| roundings more, and |f| < 745 where it does not vanish: so many times DERIVED cover them."""


def _loss_magnitude(env: Environment, order: int) -> Array:
    """What the rounding of g or Q is proportional to, entry by entry: moduli of what is subtracted, not the difference.

    g is f - y or 1^T y p - y. The entries of Q, -p_i p_j and p_i sum_(j != i) p_j, subtract nothing.
    """
    ops, x, y, read = env.ops, env.x, env.y, env.loss.reads
    if read is not None:
        output, error = bounded_output(read, x)
        return _read_magnitude(replace(env, loss=read.inner, x=output), order, error / (DERIVED * UNIT_ROUNDOFF))
    times = 1.0 if env.loss.quadratic else SATURATED
    return times * (ops.abs(_loss_derivative(env, 2)) if order == 2 else slots(env.loss.subtracted(ops, x, y)))


def _read_magnitude(env: Environment, order: int, size: Array) -> Array:
    """The same for a loss whose argument is off by DERIVED roundings of `size`.

    |dg| is at most that for the squared loss and, with dp_i = p_i (df_i - sum_j p_j df_j), twice its largest for the
    cross-entropy; and |d(p_i p_j)| is at most four times its largest, times p_i p_j.
    """
    plain, largest = _loss_magnitude(env, order), env.ops.max_rows(size)
    if env.loss.quadratic:
        return plain if order == 2 else plain + slots(size)
    return plain * (1.0 + 4.0 * slots(largest)) if order == 2 else plain + 2.0 * slots(largest)


def with_sizes_of_head(sizes: Mapping[str, int], read: Readout) -> dict[str, int]:
    """The sizes with those of the head's dimensions.

    Raises:
        DataError: one has another size.
    """
    found = dict(sizes)
    for dimension in read.head.dimensions:
        size = read.sizes[dimension]
        if found.setdefault(dimension, size) != size:
            raise DataError(
                f"contract: {read.name} has {size} for the dimension {dimension}; it is {found[dimension]} elsewhere"
            )
    return found


def _basis(env: Environment, d: int, count: int, position: int, *, spread: bool = True) -> Array:
    """The unit vectors along axis `position` of `count` axes in front, as perturbations of X."""
    ops = env.ops
    shape = [1] * count + ([1] if len(env.x.shape) == 3 else []) + [d, 1]
    shape[position] = d
    unit = ops.xp.reshape(ops.asarray(pattern("identity", (d, d))), tuple(shape))
    return unit + ops.zeros(tuple(env.x.shape)) if spread else unit


# Rounding.


@dataclass(frozen=True, slots=True)
class Magnitudes:
    """The moduli of what an environment holds, as a source of numbers for sums of terms."""

    env: Environment

    @property
    def arithmetic(self) -> Floats:
        """Floating-point numbers."""
        return self.env.arithmetic

    @property
    def sizes(self) -> Mapping[str, int]:
        """The size of every dimension name."""
        return self.env.sizes

    def tensor(self, tensor: Tensor) -> tuple[Array, tuple[int, ...]]:
        """The moduli of a tensor; of a value at a nonzero point the largest."""
        array, front = self.env.tensor(tensor)
        ops, modulus = self.env.ops, self.env.ops.abs(array)
        if isinstance(tensor, DataTensor | Delta | Pattern | Perturbation | InitialWeight | Opaque):
            return modulus, front
        if isinstance(tensor, LossDerivative) and tensor.order <= 2:
            return ops.xp.reshape(_loss_magnitude(self.env, tensor.order), tuple(array.shape)), front
        return ops.full(tuple(array.shape), float(ops.xp.max(modulus))), front

    def symbol(self, name: str) -> Labelled:
        """The modulus of a symbol."""
        found = self.env.symbol(name)
        return Labelled(self.env.ops.abs(found.array), found.labels)


DERIVED = 64
"""Roundings allowed to an entry of a value at a nonzero point (elementary function, softmax), besides its width."""


def contraction_bound(index_sum: IndexSum, env: Environment) -> Array:
    """A bound, entry by entry, of the rounding error of `contract(index_sum, env)`.

    gamma_N times the same contraction of moduli, N the longest chain of roundings: the lengths of a term's summed
    indices, one for each factor and scalar, one for each term. Values at nonzero points count with their largest
    modulus and DERIVED + d + t roundings (first order in the unit roundoff; elementary functions are taken to be
    accurate to a few units in the last place).

    Raises:
        DataError: a symbol, a perturbation or an initial weight has no value.
    """
    return gamma(chain_length(index_sum, env.sizes)) * sum_of_terms(Magnitudes(env), positive(index_sum), env.front)


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
    if isinstance(tensor, DataTensor | Delta | Pattern | Perturbation | InitialWeight | Opaque):
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
