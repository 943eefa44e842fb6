"""Arrays of an .npz archive, measured before anything is unpacked.

An archive is a zip file of .npy files. Its members say how large they are, each array how large it should be: both have
to agree, and to stay within `MOST`. Nothing is ever unpickled, and damage of any kind is one line.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from resproof.architectures.reading import open_regular
from resproof.numeric.data import DataError
from resproof.numeric.limits import in_bytes

MOST = 2**31
"""The most bytes of an array in double precision."""
_ENCRYPTED = 0x1
_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


class _Header(NamedTuple):
    shape: tuple[int, ...]
    by_columns: bool
    kind: np.dtype[Any]


def read_arrays(path: Path, keys: Sequence[str]) -> list[NDArray[Any]]:
    """The arrays of these keys, in the machine's byte order.

    Raises:
        DataError: no such file, no archive, a missing key, or an array that is damaged, too large or not of numbers.
    """
    try:
        with open_regular(path) as file:
            return _from_archive(path, file, keys)
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({(error.strerror or str(error)).lower()})") from None


def _from_archive(path: Path, file: BinaryIO, keys: Sequence[str]) -> list[NDArray[Any]]:
    try:
        archive = ZipFile(file)
    except OSError:
        raise
    except Exception:  # a file that is no archive fails in many ways
        expected = " and ".join(keys)
        raise DataError(f"{path}: is no .npz archive; expected one with the keys {expected}") from None
    with archive:
        return [_array(path, archive, key, keys) for key in keys]


def _array(path: Path, archive: ZipFile, key: str, keys: Sequence[str]) -> NDArray[Any]:
    named = [one for one in archive.infolist() if one.filename.removesuffix(".npy") == key]
    if not named:
        found = ", ".join(one.filename.removesuffix(".npy") for one in archive.infolist()) or "none"
        raise DataError(f"{path}: has no {key}; its keys are {found}; expected {' and '.join(keys)}")
    if len(named) > 1:
        raise DataError(f"{path}: has {key} {len(named)} times; expected it once")
    try:
        return _unpacked(archive, named[0])
    except Exception as error:  # a damaged archive fails in many ways
        reason = " ".join(str(error).split()) or type(error).__name__
        raise DataError(f"{path}: {key} cannot be read ({reason}); expected an array of numbers") from None


def _unpacked(archive: ZipFile, member: ZipInfo) -> NDArray[Any]:
    """One array.

    Raises:
        ValueError: it is no such array, or too large.
    """
    if member.flag_bits & _ENCRYPTED:
        raise ValueError("it is encrypted")
    if member.compress_type not in {ZIP_STORED, ZIP_DEFLATED}:
        raise ValueError("it is packed in a way that numpy.savez does not use")
    if member.file_size > MOST:
        raise ValueError(f"it unpacks to {in_bytes(member.file_size)}, above {in_bytes(MOST)}")
    with archive.open(member) as file:
        found = _header(file)
        count = math.prod(found.shape)
        if count * np.dtype(np.float64).itemsize > MOST:
            size = in_bytes(count * np.dtype(np.float64).itemsize)
            raise ValueError(f"it takes {size} in double precision, above {in_bytes(MOST)}")
        wanted, there = count * found.kind.itemsize, member.file_size - file.tell()
        if wanted != there:
            raise ValueError(f"its shape asks for {wanted} bytes and it has {there}")
        # Read to its end, where its checksum is compared.
        content = file.read(wanted + 1)
        if len(content) != wanted:
            raise ValueError(f"its shape asks for {wanted} bytes and it has {len(content)}")
    array = np.frombuffer(content, found.kind).reshape(found.shape, order="F" if found.by_columns else "C")
    return array.astype(found.kind.newbyteorder("="), order="C")


def _header(file: Any) -> _Header:
    """The header of an .npy file.

    Raises:
        ValueError: it is none, or of an array of objects.
    """
    version = npy.read_magic(file)
    if version not in _HEADERS:
        raise ValueError(f"its format has the version {version[0]}.{version[1]}")
    found = _Header(*_HEADERS[version](file))
    if found.kind.hasobject:
        raise ValueError("it holds objects")
    return found
