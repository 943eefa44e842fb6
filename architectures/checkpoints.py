"""Initial values from a checkpoint: one entry of a NumPy archive, .npz, or the array of an .npy file.

Archives are read without NumPy, and nothing in them is run: an entry is a header in Python's notation and the numbers
themselves (NumPy's format, versions 1 to 3). A path is looked for beside the file that names it.
"""

from __future__ import annotations

import ast
import math
import struct
import zipfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from resproof.architectures.errors import ArchitectureError
from resproof.architectures.names import printable
from resproof.architectures.reading import open_regular
from resproof.architectures.values import Values, values_of

MOST_BYTES = 2**28
"""Of an entry: beyond, numbers kept one by one fill the memory."""
_CODES = {"f2": "e", "f4": "f", "f8": "d", "i1": "b", "i2": "h", "i4": "i", "i8": "q"} | {
    "u1": "B",
    "u2": "H",
    "u4": "I",
    "u8": "Q",
}
"""NumPy's names of types, and those of `struct`."""
_MAGIC = b"\x93NUMPY"
_FOLDER: ContextVar[Path | None] = ContextVar("folder", default=None)


@contextmanager
def looked_for_in(folder: Path) -> Generator[None]:
    """Checkpoints with a relative path lie in this folder meanwhile."""
    token = _FOLDER.set(folder)
    try:
        yield
    finally:
        _FOLDER.reset(token)


def checkpoint(path: str | Path, entry: str = "") -> Values:
    """The numbers of one entry of an archive: `Weight(8, 8, initial=checkpoint("weights.npz", "W1"))`.

    Raises:
        ArchitectureError: no such file or entry, no archive of NumPy's, or entries that are no real matrix.
    """
    place = (_FOLDER.get() or Path()) / path
    shown = printable(str(path))
    name = f"{shown}: {printable(entry)}" if entry else shown
    try:
        with open_regular(place) as file:
            start = file.read(len(_MAGIC))
            _ = file.seek(0)
            header, content = _whole(file) if start == _MAGIC else _member(file, shown, entry)
        nested = _nested(header, content, name)
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
        return values_of(nested, name)
    except ArchitectureError as error:
        raise ArchitectureError(f"checkpoint: {name}: {error}") from None


class _ArrayHeader(NamedTuple):
    """The type of an array's entries, its shape, and whether columns come first in the file."""

    kind: str
    shape: tuple[int, ...]
    by_column: bool


def _member(file: BinaryIO, shown: str, entry: str) -> tuple[_ArrayHeader, bytes]:
    """The array of one entry of an archive.

    Raises:
        ArchitectureError: there is no such entry.
        BadZipFile: no archive, or an entry that is no array.
    """
    with zipfile.ZipFile(file) as archive:
        names = [name.removesuffix(".npy") for name in archive.namelist()]
        if entry not in names:
            given = printable(entry) or "without a name"
            raise ArchitectureError(f"checkpoint: {shown} has no entry {given}; it has {', '.join(names)}")
        with archive.open(archive.namelist()[names.index(entry)]) as member:
            return _whole(member)


def _whole(file: Any) -> tuple[_ArrayHeader, bytes]:
    """The header and the numbers of an array in NumPy's format.

    Raises:
        BadZipFile: it is none, or larger than is taken.
    """
    if file.read(len(_MAGIC)) != _MAGIC:
        raise zipfile.BadZipFile
    major, _ = file.read(2)
    width, code = (2, "<H") if major == 1 else (4, "<I")
    (length,) = struct.unpack(code, file.read(width))
    try:
        known = ast.literal_eval(file.read(min(length, 2**16)).decode("utf-8"))
        header = _ArrayHeader(str(known["descr"]), tuple(known["shape"]), bool(known["fortran_order"]))
    except (ValueError, SyntaxError, KeyError, TypeError, UnicodeDecodeError):
        raise zipfile.BadZipFile from None
    return header, file.read(MOST_BYTES + 1)


def _nested(header: _ArrayHeader, content: bytes, name: str) -> Any:
    """The numbers as nested lists.

    Raises:
        ArchitectureError: a type that is no real number, a rank other than 1 and 2, or too few numbers for the shape.
    """
    order, kind = header.kind[:1], header.kind[1:]
    if kind not in _CODES or order not in "<>=|":
        raise ArchitectureError(
            f"checkpoint: {name} has entries of type {printable(header.kind)[:40]}; expected real numbers"
        )
    if not header.shape:
        raise ArchitectureError(f"checkpoint: {name} is a number; expected an array")
    count, size = math.prod(header.shape), int(kind[1:])
    if min(header.shape) < 1 or count * size > MOST_BYTES or len(content) < count * size:
        raise ArchitectureError(
            f"checkpoint: {name} has {len(content)} bytes for the shape {header.shape}; expected {count * size}"
        )
    numbers = struct.unpack_from(f"{'>' if order == '>' else '<'}{count}{_CODES[kind]}", content)
    steps = [
        math.prod(header.shape[:k] if header.by_column else header.shape[k + 1 :]) for k in range(len(header.shape))
    ]
    return _lists(numbers, header.shape, steps, 0)


def _lists(numbers: Sequence[Any], shape: Sequence[int], steps: Sequence[int], start: int) -> Any:
    """The array whose axis k goes on by steps[k] numbers, as nested lists."""
    if not shape:
        return numbers[start]
    return [_lists(numbers, shape[1:], steps[1:], start + k * steps[0]) for k in range(shape[0])]
