"""Reading data files: an .npz archive with the keys X and Y, finite, of equal shape, at least one sample."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any
from zipfile import is_zipfile

import numpy as np

from numeric.data import DataError, check_array
from proofs.parts import Data

SAMPLES_AS_COLUMNS = (2,)
EITHER = (2, 3)
_SHAPES = {2: "(d, m)", 3: "(m, d, t)"}


@cache
def read_npz(path: Path, ranks: tuple[int, ...] = SAMPLES_AS_COLUMNS) -> Data:
    """X and Y of an archive as finite float64 arrays of equal shape; the name is the file's.

    Raises:
        DataError: no such file, no .npz, a missing key, wrong entries or shapes.
    """
    x, y = _arrays(path)
    x, y = (_checked(str(path), what, array, ranks) for what, array in (("X", x), ("Y", y)))
    if x.shape != y.shape:
        raise DataError(f"{path}: X has shape {x.shape}, Y has shape {y.shape}; expected equal shapes")
    return Data(x, y, path.name)


def _arrays(path: Path) -> tuple[Any, Any]:
    try:
        with path.open("rb") as file:
            if not is_zipfile(file):
                raise DataError(f"{path}: is no .npz archive; expected one with the keys X and Y")
        with np.load(path, allow_pickle=False) as archive:
            return _entry(path, archive, "X"), _entry(path, archive, "Y")
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({(error.strerror or str(error)).lower()})") from None


def _entry(path: Path, archive: Any, key: str) -> Any:
    if key not in archive.files:
        found = ", ".join(archive.files) or "none"
        raise DataError(f"{path}: has no {key}; its keys are {found}; expected X and Y")
    try:
        entry = archive[key]
    except Exception as error:  # a damaged archive fails in many ways
        reason = "it holds objects" if "Object arrays" in str(error) else " ".join(str(error).split())
        raise DataError(f"{path}: {key} cannot be read ({reason}); expected an array of numbers") from None
    if not isinstance(entry, np.ndarray):
        raise DataError(f"{path}: {key} is no array; expected an array of numbers")
    return entry


def _checked(name: str, what: str, array: Any, ranks: tuple[int, ...]) -> Any:
    array = check_array(name, what, array)
    if array.ndim not in ranks:
        expected = " or ".join(_SHAPES[rank] for rank in ranks)
        raise DataError(f"{name}: {what} has shape {array.shape}; expected {expected}")
    if not array.size:
        raise DataError(f"{name}: {what} has shape {array.shape}; expected at least one sample")
    return array
