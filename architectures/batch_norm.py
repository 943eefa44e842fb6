"""Batch normalisation with fixed statistics, as in evaluation mode: an affine map with given numbers.

With the statistics of the batch itself it couples the samples, so that the loss is no mean of per-sample losses.
"""

from __future__ import annotations

import math
from typing import Any

from resproof.architectures.axes import placed
from resproof.architectures.errors import ArchitectureError
from resproof.architectures.expressions import Axis, Expression, Scalar, Weight, position, show_value
from resproof.architectures.values import values_of


def batch_norm(
    operand: Expression, axis: Axis = 0, *, mean: Any = None, variance: Any = None, epsilon: Scalar = 0
) -> Expression:
    """(operand - mean) / sqrt(variance + epsilon), with a mean and a variance for each place along `axis`.

    It is scale * operand + shift, with frozen weights of these names: the floats 1 / sqrt(variance + epsilon) and
    -mean / sqrt(variance + epsilon). Gain and offset are weights of one's own, as for `layer_norm`.

    Raises:
        ArchitectureError: no statistics, no numbers, too few of them, or a variance + epsilon that is not positive.

    >>> from resproof.architectures.expressions import Input
    >>> batch_norm(Input("d"), mean=[1, 2], variance=[4, 9]).shape
    ('d', 't')
    """
    if mean is None or variance is None:
        raise ArchitectureError(
            "BatchNorm couples the samples; expected layer_norm or rms_norm, which act on each sample alone, or fixed "
            "statistics, mean= and variance="
        )
    size = operand.shape[position("batch_norm", operand, axis)]
    means, variances = _numbers("mean", mean), _numbers("variance", variance)
    if len(means) != len(variances) or (isinstance(size, int) and len(means) != size):
        raise ArchitectureError(
            f"batch_norm: {len(means)} means and {len(variances)} variances; expected one of both for each of {size}"
        )
    least = min(variances) + epsilon
    if least <= 0:
        raise ArchitectureError(f"batch_norm: variance + epsilon is {show_value(least)}; expected more than 0")
    scale = [1 / math.sqrt(one + epsilon) for one in variances]
    shift = [-one * factor for one, factor in zip(means, scale, strict=True)]
    factors, offsets = (
        placed(Weight(size, 1, initial=numbers, name=name, trainable=False), operand, axis)
        for name, numbers in (("scale", scale), ("shift", shift))
    )
    return factors * operand + offsets


def _numbers(name: str, given: Any) -> tuple[float, ...]:
    """Numbers in a row, as floats.

    Raises:
        ArchitectureError: they are none.
    """
    try:
        found = values_of(given)
    except ArchitectureError:
        found = None
    if found is None or found.shape[1] != 1:
        raise ArchitectureError(f"batch_norm: {name} is {show_value(given)}; expected a list of finite numbers")
    return found.floats
