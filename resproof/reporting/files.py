"""Output files: all of them are complete beside their places before the first is moved to its own.

Only a regular file is ever replaced, never a device, a pipe or a folder; where a link leads to one, that is replaced
and the link stays. A process that is killed among the moves leaves old files and new ones, each of them whole.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from resproof.architectures.errors import OneLine
from resproof.architectures.reading import kind_of
from resproof.proofs.interrupts import undivided


class OutputError(OneLine, OSError):
    """A file or folder cannot be written; the message is one line for the user."""


def check_writable(folder: Path, *, keep: bool = True) -> None:
    """Make `folder` if it is missing, and see whether a file can be made in it; what was made may `keep`.

    Raises:
        OutputError: it cannot.
    """
    made = [one for one in (folder, *folder.parents) if not (keep or one.exists())]
    with _told(folder, "written to", "; expected a folder to write to"):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
        for one in made:
            one.rmdir()


def check_target(path: Path) -> None:
    """See whether a file can be written to `path`, before the work for it is done.

    Raises:
        OutputError: it cannot.
    """
    check_writable(place_of(path).parent)


def write(files: Mapping[Path, str], folder: Path | None = None) -> None:
    """Write every text to its path, in this order; the old files stay as they are until all the new ones are complete.

    Meanwhile they lie in a temporary folder within `folder`, or that of the first.

    Raises:
        OutputError: one of them cannot be written.
    """
    folder = folder or place_of(next(iter(files))).parent
    places = {place_of(path): text for path, text in files.items()}
    with _told(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".resproof-", dir=folder) as beside:
            staged = {place: Path(beside, str(number)) for number, place in enumerate(places)}
            for place, file in staged.items():
                with _told(place):
                    place.parent.mkdir(parents=True, exist_ok=True)
                    _ = file.write_bytes(encoded(places[place]))
                    with suppress(OSError):
                        shutil.copymode(place, file)
            with undivided():
                for place, file in staged.items():
                    with _told(place):
                        _ = shutil.move(file, place)


def encoded(text: str) -> bytes:
    """A text as files have it; what no encoding has, as in a file name that is no text, is written as an escape."""
    return text.encode("utf-8", "backslashreplace")


def place_of(path: Path) -> Path:
    """Where a file at `path` really lies.

    Raises:
        OutputError: something is there that is no regular file.
    """
    kind = ""
    with _told(path), suppress(FileNotFoundError, NotADirectoryError):
        kind = kind_of(path.stat().st_mode)
    if kind:
        raise OutputError(f"{path}: cannot be written (it is {kind}); expected a regular file")
    return Path(os.path.realpath(path))


@contextmanager
def _told(path: Path, done: str = "written", expected: str = "") -> Generator[None]:
    """What the system says when a file cannot be written becomes one line.

    Raises:
        OutputError: it cannot.
    """
    try:
        yield
    except OutputError:
        raise
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise OutputError(f"{path}: cannot be {done} ({reason}){expected}") from None
