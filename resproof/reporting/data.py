"""Reading data files: an .npz archive with the keys X and Y, finite, of equal shape, at least one sample."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from resproof.architectures.losses import Loss
from resproof.architectures.names import printable
from resproof.architectures.nodes import MOST_AXES
from resproof.architectures.properties import the_input
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.data import DataError, check_array, check_targets
from resproof.proofs.statement import Data
from resproof.reporting.npz import read_arrays

SAMPLES_AS_COLUMNS = (2,)
EITHER = (2, 3)
_SHAPES = {2: "(d, m)", 3: "(m, d, t)"}


@cache
def remembered(path: Path) -> Data:
    """What `read_npz` reads, once in a process: what a context loads has to stay as it is."""
    return read_npz(path)


def read_npz(path: Path, ranks: tuple[int, ...] = SAMPLES_AS_COLUMNS, *, labels: bool = False) -> Data:
    """X and Y of an archive as finite float64 arrays of equal shape; the name is the file's.

    Where `labels` may be given, Y may have an axis less, and is not looked at further.

    Raises:
        DataError: no such file, no .npz, a missing key, wrong entries or shapes.
    """
    x, y = read_arrays(path, ("X", "Y"))
    x = _checked(str(path), "X", x, ranks)
    if y.ndim == x.ndim - 1:
        if not labels:
            raise DataError(
                f"{path}: Y has shape {y.shape}, as labels have; expected targets of X's shape, {x.shape}, for the "
                "squared loss: make them one-hot"
            )
        return Data(x, check_array(str(path), "Y", y), printable(path.name))
    y = _checked(str(path), "Y", y, ranks)
    if x.shape != y.shape:
        raise DataError(f"{path}: X has shape {x.shape}, Y has shape {y.shape}; expected equal shapes")
    return Data(x, y, printable(path.name))


def read_for(path: Path, unit: ResidualUnit, loss: Loss) -> Data:
    """X and Y of an archive for a unit and a loss, labels as one-hot columns.

    Raises:
        DataError: what `read_npz` refuses, or data that do not fit the unit or the loss.
    """
    axes = len(the_input(unit.expression).shape)
    found = read_npz(path, EITHER if axes == 2 else (axes + 1,), labels=True)
    x, y = check_targets(str(path), unit, loss, found.X, found.Y)
    return Data(x, y, found.name)


def read_pair(path: Path) -> Data:
    """X and Y of an archive as finite float64 arrays, whatever the shape of Y: labels, or targets of a head's shape.

    Raises:
        DataError: no such file, no .npz, a missing key, or wrong entries.
    """
    x, y = read_arrays(path, ("X", "Y"))
    return Data(
        _checked(str(path), "X", x, range(2, MOST_AXES + 2)), check_array(str(path), "Y", y), printable(path.name)
    )


def _checked(name: str, what: str, array: Any, ranks: Sequence[int]) -> Any:
    array = check_array(name, what, array)
    if array.ndim not in ranks:
        expected = " or ".join(_SHAPES.get(rank, f"{rank} axes, the samples' first") for rank in ranks)
        raise DataError(f"{name}: {what} has shape {array.shape}; expected {expected}")
    if not array.size:
        raise DataError(f"{name}: {what} has shape {array.shape}; expected at least one sample")
    return array
