"""Writing output files whole or not at all: each is written beside its place and then renamed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from errno import EISDIR
from pathlib import Path


class OutputError(OSError):
    """A file or folder cannot be written; the message is one line for the user."""


def check_writable(folder: Path) -> None:
    """Make `folder` if it is missing and see whether a file can be made in it.

    Raises:
        OutputError: it cannot.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written to ({_why(error)}); expected a folder to write to") from None


def check_target(path: Path) -> None:
    """See whether a file can be written to `path`, before the work for it is done.

    Raises:
        OutputError: it cannot.
    """
    if path.is_dir():
        raise OutputError(f"{path}: cannot be written (it is a folder); expected a file")
    check_writable(path.parent)


def write(files: Mapping[Path, str]) -> None:
    """Write every text to its path; the old files stay as they are until all the new ones are complete.

    Raises:
        OutputError: one of them cannot be written.
    """
    beside: dict[Path, Path] = {}
    try:
        for path, text in files.items():
            beside[path] = _beside(path)
            beside[path].write_text(text, encoding="utf-8", newline="\n")
        for path, temporary in beside.items():
            temporary.replace(path)
    except OSError as error:
        for temporary in beside.values():
            with suppress(OSError):
                temporary.unlink()
        raise OutputError(f"{error.filename2 or error.filename}: cannot be written ({_why(error)})") from None


def _beside(path: Path) -> Path:
    # Found out now, not after the others have been renamed.
    if path.is_dir():
        raise IsADirectoryError(EISDIR, "it is a folder", str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.with_name(f".{path.name}.{os.getpid()}")


def _why(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()
