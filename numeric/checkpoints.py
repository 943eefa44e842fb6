"""Initial values from a checkpoint: one entry of a NumPy archive, .npz, or the array of an .npy file.

Nothing in an archive is run, and no more than MOST_BYTES of an entry are unpacked. A path is looked for beside the file
that names it.
"""

from __future__ import annotations

import math
import zipfile
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy

from resproof.architectures.errors import ArchitectureError
from resproof.architectures.names import printable
from resproof.architectures.reading import open_regular, place_of
from resproof.architectures.values import Values, values_of

MOST_BYTES = 2**28
"""Of an entry: beyond, numbers kept one by one fill the memory."""
_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


def checkpoint(path: str | Path, entry: str = "") -> Values:
    """The numbers of one entry of an archive: `Weight(8, 8, initial=checkpoint("weights.npz", "W1"))`.

    Raises:
        ArchitectureError: no such file or entry, no archive of NumPy's, or entries that are no real numbers.
    """
    shown = printable(str(path))
    name = f"{shown}: {printable(entry)}" if entry else shown
    try:
        with open_regular(place_of(path)) as file:
            single = file.read(len(npy.MAGIC_PREFIX)) == npy.MAGIC_PREFIX
            _ = file.seek(0)
            found = _array(file, name) if single else _member(file, shown, entry, name)
    except OSError as error:
        raise ArchitectureError(
            f"checkpoint: {shown} cannot be read ({(error.strerror or str(error)).lower()})"
        ) from None
    except ArchitectureError:
        raise
    except Exception:  # a damaged archive fails in many ways
        raise ArchitectureError(
            f"checkpoint: {shown} is no whole archive of arrays; expected an .npz or .npy file"
        ) from None
    try:
        return values_of(found, name)
    except ArchitectureError as error:
        raise ArchitectureError(f"checkpoint: {name}: {error}") from None


def _member(file: IO[bytes], shown: str, entry: str, name: str) -> np.ndarray:
    with zipfile.ZipFile(file) as archive:
        names = [one.removesuffix(".npy") for one in archive.namelist()]
        if entry not in names:
            given = printable(entry) or "without a name"
            raise ArchitectureError(f"checkpoint: {shown} has no entry {given}; it has {', '.join(names)}")
        with archive.open(archive.namelist()[names.index(entry)]) as member:
            return _array(member, name)


def _array(file: IO[bytes], name: str) -> np.ndarray:
    """The array that a file in NumPy's format holds.

    Raises:
        ArchitectureError: a type that is no real number, no axis, or an array that is too large.
    """
    shape, by_column, kind = _HEADERS[npy.read_magic(file)](file)
    if kind.kind not in "fiu" or kind.itemsize > 8:
        raise ArchitectureError(
            f"checkpoint: {name} has entries of type {printable(kind.str)[:40]}; expected real numbers"
        )
    if not shape:
        raise ArchitectureError(f"checkpoint: {name} is a number; expected an array")
    size: Any = math.prod(shape) * kind.itemsize
    if size > MOST_BYTES:
        raise ArchitectureError(f"checkpoint: {name} has {size} bytes; expected at most {MOST_BYTES}")
    return np.frombuffer(file.read(size), kind).reshape(shape, order="F" if by_column else "C")
