"""Index terms contracted with arrays: the closed forms of the exact side, evaluated on data.

A tensor's slots are as in `architectures.forms.terms`, the sample always last; slots of dimension 1 are absent.
Arrays are given in the native layout ((d, m), or (m, d, t)) and are permuted here. Perturbations may carry axes in
front, units (R, rows, columns) or a block of tangents (k, R, rows, columns); the contraction runs over all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Any, TypeAlias

from resproof.architectures.activations import ACTIVATIONS, CONSTANTS
from resproof.architectures.forms.hessian_blocks import SIDES
from resproof.architectures.forms.terms import (
    ActivationValue,
    DataTensor,
    HessianTerms,
    IndexSum,
    InitialWeight,
    InverseRoot,
    InverseScale,
    LossDerivative,
    Normalised,
    Opaque,
    Perturbation,
    Secant,
    SoftmaxValue,
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
from resproof.numeric.network.series import softmax
from resproof.numeric.spectra.products import TANGENT, UNIT, Labelled, NumberSource, patterns, sum_of_terms

MOST_ENTRIES = 2 * 10**7
"""Of a derivative of the loss that is written out."""

Placed: TypeAlias = Mapping[tuple[str, int], Array]
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
    known: dict[str, Labelled] = field(default_factory=dict, init=False, repr=False, compare=False)

    def along(self, perturbations: Placed) -> Environment:
        """The same with other perturbations; what does not depend on them is known to both."""
        moved = replace(self, perturbations=perturbations)
        object.__setattr__(moved, "known", self.known)
        return moved

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
    return sum_of_terms(numbers(env), index_sum, env.front)


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


def numbers(env: Environment) -> NumberSource:
    """The floats of an environment; what does not depend on the perturbations is worked out once for it."""
    kinds = patterns(env.ops, env.sizes) | {kind: partial(_still, env, read) for kind, read in _READ.items()}
    moving = {Perturbation: partial(_perturbation, env), Secant: partial(_secant, env)}
    return NumberSource(Floats(env.ops), env.sizes, kinds | moving, partial(_symbol, env), env.known)


def _still(env: Environment, read: Callable[[Environment, Any], Array], tensor: Any) -> Labelled:
    return Labelled(read(env, tensor), ())


def _symbol(env: Environment, name: str) -> Labelled:
    if name not in env.scalars and name not in CONSTANTS:
        raise DataError(f"contract: the symbol {name} has no value; expected one in scalars")
    return Labelled(env.ops.full((), env.scalars.get(name, CONSTANTS.get(name, 0.0))), ())


def _perturbation(env: Environment, tensor: Perturbation) -> Labelled:
    array = env.perturbations.get((tensor.weight, tensor.unit))
    if array is None:
        raise DataError(f"contract: no array for {tensor.label}; expected a perturbation of {tensor.weight}")
    return Labelled(array, _FRONT[len(array.shape) - 2])


def _secant(env: Environment, tensor: Secant) -> Labelled:
    """f' on the side of 0 on which t u_1 + t^2 u_2 + ... lies for small t > 0, from above where all of it vanishes."""
    ops, derivatives = env.ops, env.activations[tensor.activation].derivatives
    first, *others = (ops.xp.sign(contract(part, env)) for part in tensor.argument)
    side = first
    for sign in others:
        side = ops.xp.where(side == 0.0, sign, side)
    above, below = (derivatives(ops, ops.full(tuple(side.shape), s * 2.0**-40), 1)[1] for s in (1, -1))
    return Labelled(ops.xp.where(side >= 0.0, above, below), tuple(env.front))


def _argument(env: Environment, argument: IndexSum) -> Array:
    return sum_of_terms(numbers(env), argument, {})


def _data(env: Environment, tensor: DataTensor) -> Array:
    return slots(env.x if tensor.name == "X" else env.y)


def _initial(env: Environment, tensor: InitialWeight) -> Array:
    found = env.initial.get(tensor.weight if tensor.unit is None else (tensor.weight, tensor.unit))
    if found is None:
        raise DataError(f"contract: no initial value of {tensor.weight}; expected one in initial")
    return found


def _activation_value(env: Environment, tensor: ActivationValue) -> Array:
    u = _argument(env, tensor.argument)
    return env.activations[tensor.activation].derivatives(env.ops, u, tensor.order)[tensor.order]


def _softmax(env: Environment, tensor: SoftmaxValue) -> Array:
    u, mask = _argument(env, tensor.argument), tensor.mask
    ones = None if mask is None else env.ops.asarray(on_slots(mask, tuple(u.shape), tensor.masked))
    return softmax(env.ops, u, tensor.slot, ones)


def _normalised(env: Environment, tensor: Normalised) -> Array:
    u, scale = _centred_and_scale(env, tensor)
    return u * scale


def _inverse_scale(env: Environment, tensor: InverseScale) -> Array:
    return _centred_and_scale(env, tensor)[1]


def _centred_and_scale(env: Environment, tensor: Normalised | InverseScale) -> tuple[Array, Array]:
    """The (centred) argument and 1 / sqrt(mean of its squares + epsilon)."""
    xp, u, slot, epsilon = env.ops.xp, _argument(env, tensor.argument), tensor.slot, tensor.epsilon
    u = u - xp.mean(u, axis=slot, keepdims=True) if tensor.centred else u
    # Squares of the entries over their size neither underflow nor overflow.
    size = env.ops.maximum(xp.max(env.ops.abs(u), axis=slot, keepdims=True), env.ops.full((), math.sqrt(epsilon)))
    size = xp.where(size > 0.0, size, 1.0 + size)
    root = env.ops.sqrt(xp.mean((u / size) ** 2, axis=slot, keepdims=True) + float(epsilon) / size / size)
    return u, 1.0 / root / size


def _inverse_root(env: Environment, tensor: InverseRoot) -> Array:
    return 1.0 / env.ops.sqrt(_argument(env, tensor.argument))


def _opaque(env: Environment, tensor: Opaque) -> Array:
    if tensor.name not in env.opaque:
        raise DataError(f"contract: no array for {tensor.name}; expected one in opaque")
    return env.opaque[tensor.name]


def _loss(env: Environment, tensor: LossDerivative) -> Array:
    return loss_derivative(env, tensor.order)


def loss_derivative(env: Environment, order: int) -> Array:
    """The k-th derivative of the per-sample loss at f = X: slots (row) * k + ([column,] sample).

    Raises:
        DataError: it has too many entries.
    """
    ops, loss, x, y = env.ops, env.loss, env.x, env.y
    if loss.reads is not None:
        return loss_derivative(replace(env, loss=loss.reads.inner, x=read_of(loss.reads, x)), order)
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


_READ: Mapping[type, Callable[[Environment, Any], Array]] = {
    DataTensor: _data,
    InitialWeight: _initial,
    LossDerivative: _loss,
    ActivationValue: _activation_value,
    SoftmaxValue: _softmax,
    Normalised: _normalised,
    InverseScale: _inverse_scale,
    InverseRoot: _inverse_root,
    Opaque: _opaque,
}
"""The array of a tensor of each kind that does not depend on the perturbations."""
