"""Data for any unit from the embedded digits: as many components as it is wide, as many tokens as it wants.

Width w: the first w principal components, whitened; Y is one-hot, with the digits below w only where w < 10, and zero
rows beyond the tenth. For a unit that mixes columns, successive columns are the tokens of one sample. Wider than the
digits have components of positive variance: seeded Gaussian columns with drawn labels, and named so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from architectures.expressions import Dimension
from architectures.networks import ResidualUnit
from architectures.properties import the_input
from proofs.digits import COMPONENTS, table, whiten
from proofs.parts import Data

TOKENS = 4
"""Tokens of a sample where the unit does not say."""
SEQUENCES = 100
"""The most samples of tokens: each has TOKENS columns."""
SYNTHETIC = 400
"""Samples of synthetic data."""


@dataclass(frozen=True, slots=True)
class _Columns:
    """X and Y with samples as columns, before they are cut into sequences."""

    x: Any
    y: Any
    name: str


def data_for(unit: ResidualUnit, sizes: Mapping[str, int]) -> Data:
    """X and Y that fit the unit; `sizes` may give the width and the number of tokens by their names."""
    h = the_input(unit.expression)
    found = _columns(_size(h.rows, sizes, COMPONENTS))
    if not unit.mixes_columns:
        return Data(found.x, found.y, found.name)
    tokens = _size(h.columns, sizes, TOKENS)
    count = min(SEQUENCES, found.x.shape[1] // tokens) or 1
    x, y = (_sequences(array, count, tokens) for array in (found.x, found.y))
    return Data(x, y, f"{found.name}, in sequences of {tokens}")


def _size(dimension: Dimension, sizes: Mapping[str, int], default: int) -> int:
    return sizes.get(dimension, default) if isinstance(dimension, str) else dimension


def _sequences(array: Any, count: int, tokens: int) -> Any:
    """(d, m t) as (m, d, t); columns repeat where there are too few for one sample."""
    columns = np.resize(np.arange(array.shape[1]), count * tokens)
    return np.ascontiguousarray(array[:, columns].reshape(len(array), count, tokens).transpose(1, 0, 2))


@cache
def _columns(width: int) -> _Columns:
    pixels, labels = table()
    if width < COMPONENTS:
        kept = labels < width
        x, y = whiten(pixels.T, width)[:, kept], np.eye(width)[labels[kept]].T
        which = "digit 0" if width == 1 else f"digits 0 to {width - 1}"
        return _Columns(x, y, f"scikit-learn {which}, whitened, {width} principal components")
    try:
        x = whiten(pixels.T, width)
    except ValueError:
        generator = np.random.default_rng(0)
        x, drawn = generator.standard_normal((width, SYNTHETIC)), generator.integers(width, size=SYNTHETIC)
        name = f"Gaussian columns, seed 0: the digits have fewer than {width} components"
        return _Columns(x, np.eye(width)[drawn].T, name)
    y = np.zeros((width, len(labels)))
    y[labels, np.arange(len(labels))] = 1.0
    return _Columns(x, y, f"scikit-learn digits, whitened, {width} principal components")
