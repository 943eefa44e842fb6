"""Arrays of an .npz archive, measured before anything is unpacked; nothing is ever unpickled."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from resproof.architectures.reading import open_regular
from resproof.numeric.data import DataError
from resproof.numeric.limits import in_bytes

MOST = 2**31
"""The most bytes of an array in double precision."""
_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


def read_arrays(path: Path, keys: Sequence[str]) -> list[NDArray[Any]]:
    """The arrays of these keys, in the machine's byte order.

    Raises:
        DataError: no such file, no archive, a missing key, or an array that is damaged, too large or not of numbers.
    """
    try:
        with open_regular(path) as file:
            try:
                archive = ZipFile(file)
            except Exception:  # a file that is no archive fails in many ways
                raise DataError(
                    f"{path}: is no .npz archive; expected one with the keys {' and '.join(keys)}"
                ) from None
            with archive:
                return [_array(path, archive, key, keys) for key in keys]
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({(error.strerror or str(error)).lower()})") from None


def _array(path: Path, archive: ZipFile, key: str, keys: Sequence[str]) -> NDArray[Any]:
    there = {name.removesuffix(".npy"): name for name in archive.namelist()}
    if key not in there:
        found = ", ".join(there) or "none"
        raise DataError(f"{path}: has no {key}; its keys are {found}; expected {' and '.join(keys)}")
    try:
        _measure(archive, there[key])
        with archive.open(there[key]) as member:
            array = np.asarray(npy.read_array(member, allow_pickle=False))
    except Exception as error:  # a damaged archive fails in many ways
        reason = " ".join(str(error).split()) or type(error).__name__
        raise DataError(f"{path}: {key} cannot be read ({reason}); expected an array of numbers") from None
    return array.astype(array.dtype.newbyteorder("="), order="C")


def _measure(archive: ZipFile, name: str) -> None:
    """Pass when a member is an array of numbers that is as large as it says, and not too large.

    Raises:
        ValueError: it is not.
    """
    size = archive.getinfo(name).file_size
    if size > MOST:
        raise ValueError(f"it unpacks to {in_bytes(size)}, above {in_bytes(MOST)}")
    with archive.open(name) as member:
        version = npy.read_magic(member)
        if version not in _HEADERS:
            raise ValueError(f"its format has the version {version[0]}.{version[1]}")
        shape, _, kind = _HEADERS[version](member)
        there = size - member.tell()
    if kind.hasobject:
        raise ValueError("it holds objects")
    doubles, wanted = math.prod(shape) * np.dtype(np.float64).itemsize, math.prod(shape) * kind.itemsize
    if doubles > MOST:
        raise ValueError(f"it takes {in_bytes(doubles)} in double precision, above {in_bytes(MOST)}")
    if wanted != there:
        raise ValueError(f"its shape asks for {wanted} bytes and it has {there}")
