"""The numbers of the figures about great depth, measured on the first components of the data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resproof.numeric.spectra.toeplitz import extremes
from resproof.proofs.block.dense_hessians import (
    PARAMETERS,
    BoundedDepthPoint,
    DenseSpectrum,
    dense_spectrum,
    eigenvalues,
    first_components,
    lower_bound,
    parameters,
    resolution,
    rounded,
    two_blocks,
)
from resproof.proofs.statement import Context

DEPTHS = (*(k * 10**e for e in range(6) for k in (1, 3)), 10**6)


@dataclass(frozen=True, slots=True)
class DeepConditionNumbers:
    """Condition numbers from the blocks of the Hessian, up to great depths."""

    n: int
    points: tuple[BoundedDepthPoint, ...]
    width: int


def deep_condition_numbers(context: Context) -> tuple[DeepConditionNumbers, ...]:
    """Condition numbers for n = 1 and n = 2, up to great depths."""
    x, y = first_components(context)
    return tuple(_curve(n, x, y) for n in (1, 2))


def _curve(n: int, x: Any, y: Any) -> DeepConditionNumbers:
    """Condition numbers at DEPTHS from the blocks of two units, with GEN-3's lower bound for n = 1."""
    diagonal, below = two_blocks(n, x, y)
    points = tuple(
        BoundedDepthPoint(
            units=units,
            value=_condition_number(diagonal, below, units),
            bound=lower_bound(diagonal, below, units, x, y) if n == 1 else None,
        )
        for units in DEPTHS
    )
    return DeepConditionNumbers(n=n, width=int(x.shape[0]), points=points)


def _condition_number(diagonal: NDArray[np.float64], below: NDArray[np.float64], units: int) -> float | None:
    try:
        found = extremes(diagonal, below, units).condition_number
    except np.linalg.LinAlgError:
        return None
    return None if found is None or math.isinf(found) else rounded(found)


GROWTH_UNITS = (1, 2, 4, 8, 16)


@dataclass(frozen=True, slots=True)
class SpectrumGrowth:
    """The spectra of several depths, the norm |D - A|, and for each depth the share of moduli up to it."""

    width: int
    edge: float
    shares: tuple[float, ...]
    spectra: tuple[DenseSpectrum, ...]


def spectrum_growth(context: Context) -> SpectrumGrowth | None:
    """The spectra for n = 1 at GROWTH_UNITS; None where they are all zero."""
    x, y = first_components(context)
    diagonal, below = two_blocks(1, x, y)
    edge = float(np.linalg.norm(diagonal - below, 2))
    depths = [units for units in GROWTH_UNITS if parameters(1, units, x) <= PARAMETERS]
    values = [eigenvalues(1, units, x, y) for units in depths]
    if not any(each.any() for each in values):
        return None
    shares = tuple(rounded(float(np.mean(np.abs(each) <= edge + resolution(each)))) for each in values)
    spectra = tuple(dense_spectrum(1, units, each) for units, each in zip(depths, values, strict=True))
    return SpectrumGrowth(width=int(x.shape[0]), edge=rounded(edge), shares=shares, spectra=spectra)
