"""Data for any unit from the embedded digits: as many components as it is wide, as many tokens as it wants.

Width w: the first w principal components, whitened; Y is one-hot, with the digits below w only where w < 10, and zero
rows beyond the tenth. For a unit that mixes columns, successive columns are the tokens of one sample. Wider than the
digits have components of positive variance: seeded Gaussian columns with drawn labels, and named so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import prod
from typing import Any

import numpy as np

from resproof.architectures.dimensions import Dimension, factors, names
from resproof.architectures.files import inner_dimensions
from resproof.architectures.properties import the_input
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.data import width_of
from resproof.proofs.digits import COMPONENTS, table, whiten
from resproof.proofs.statement import Data

FACTOR = 2
"""The size of what the width is a product of, where nothing says more."""
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


def inner_sizes(unit: ResidualUnit, x: Any, given: Mapping[str, int]) -> dict[str, int]:
    """A size for every inner dimension: as given, what makes a product that X has, or the width."""
    h = the_input(unit.expression)
    found = dict(given)
    for dimension, size in zip(h.shape, x.shape[1:] if unit.mixes_columns else x.shape, strict=False):
        if len(factors(dimension)) > 1:
            found |= _shared_out(dimension, int(size), found)
    return {n: found.get(n, width_of(x)) for n in inner_dimensions(unit)}


def _shared_out(dimension: Dimension, size: int, known: Mapping[str, int]) -> dict[str, int]:
    """Sizes for the factors of a dimension that have none: two where that goes, and what is left for the last."""
    *unknown, last = [n for n in names(dimension) if n not in known] or [""]
    rest = size // prod(known.get(str(n), 1) if isinstance(n, str) else n for n in factors(dimension))
    found: dict[str, int] = {}
    for name in unknown:
        found[name] = FACTOR if rest % FACTOR == 0 else 1
        rest //= found[name]
    return {**found, last: max(rest, 1)} if last else found


def data_for(unit: ResidualUnit, sizes: Mapping[str, int]) -> Data:
    """X and Y that fit the unit; `sizes` may give the width and the number of tokens by their names."""
    h = the_input(unit.expression)
    found = _columns(_size(h.rows, sizes, COMPONENTS))
    if not unit.mixes_columns:
        return Data(found.x, found.y, found.name)
    axes = [_size(n, sizes, TOKENS) for n in h.shape[1:]]
    tokens = prod(axes)
    count = min(SEQUENCES, found.x.shape[1] // tokens) or 1
    x, y = (_sequences(array, count, tokens).reshape(count, -1, *axes) for array in (found.x, found.y))
    shown = f"sequences of {tokens}" if len(axes) == 1 else f"arrays of {' x '.join(map(str, axes))}"
    return Data(x, y, f"{found.name}, in {shown}")


def _size(dimension: Dimension, sizes: Mapping[str, int], default: int) -> int:
    several = factors(dimension)
    if len(several) > 1:
        return prod(_size(n, sizes, FACTOR) for n in several)
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
