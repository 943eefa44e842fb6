"""Input files: only regular ones, told apart before they are opened, so that no pipe or device is waited for.

What a user's file names by a relative path lies beside that file.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from errno import EINVAL, EISDIR
from pathlib import Path
from typing import BinaryIO

_KINDS = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)


_FOLDER: ContextVar[Path] = ContextVar("folder")


@contextmanager
def looked_for_in(folder: Path) -> Generator[None]:
    """Files with a relative path lie in this folder meanwhile."""
    token = _FOLDER.set(folder)
    try:
        yield
    finally:
        _FOLDER.reset(token)


def place_of(path: str | Path) -> Path:
    """Where a file lies that a user's file names."""
    return _FOLDER.get(Path()) / path


def kind_of(mode: int) -> str:
    """What a file that is not regular is, in words; nothing for one that is."""
    if stat.S_ISREG(mode):
        return ""
    return next((kind for is_kind, kind in _KINDS if is_kind(mode)), "a folder")


def open_regular(path: Path) -> BinaryIO:
    """The file, open for reading.

    Raises:
        OSError: it cannot be opened, or is no regular file.
    """
    _refuse(path.stat().st_mode, path)
    # Whatever takes its place meanwhile is not waited for either.
    number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    try:
        _refuse(os.fstat(number).st_mode, path)
        return os.fdopen(number, "rb")
    except BaseException:
        os.close(number)
        raise


def _refuse(mode: int, path: Path) -> None:
    kind = kind_of(mode)
    if kind == "a folder":
        raise IsADirectoryError(EISDIR, "is a directory", str(path))
    if kind:
        raise OSError(EINVAL, f"it is {kind}, not a regular file", str(path))
