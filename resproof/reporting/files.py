"""Output files, whole or not at all: each is written beside its place and then renamed.

Only a regular file is ever replaced, never a device, a pipe or a folder; where a link leads to one, that is replaced
and the link stays. What a process that was killed has left half written is recognised by its name, and swept.
"""

from __future__ import annotations

import os
import re
import stat
import tempfile
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from resproof.architectures.errors import OneLine
from resproof.architectures.reading import kind_of

_BESIDE = re.compile(r"\.resproof-(\d+)-\d+")


class OutputError(OneLine, OSError):
    """A file or folder cannot be written; the message is one line for the user."""


def check_writable(folder: Path, *, keep: bool = True) -> None:
    """Make `folder` if it is missing, sweep it, and see whether a file can be made in it; what was made may `keep`.

    Raises:
        OutputError: it cannot.
    """
    made = [one for one in (folder, *folder.parents) if not (keep or one.exists())]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        sweep(folder)
        with tempfile.TemporaryFile(dir=folder):
            pass
        for one in made:
            one.rmdir()
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written to ({why(error)}); expected a folder to write to") from None


def check_target(path: Path) -> None:
    """See whether a file can be written to `path`, before the work for it is done.

    Raises:
        OutputError: it cannot.
    """
    check_writable(_place(path).parent)


def write(files: Mapping[Path, str]) -> None:
    """Write every text to its path; the old files stay as they are until all the new ones are complete.

    Raises:
        OutputError: one of them cannot be written.
    """
    beside: dict[Path, Path] = {}
    try:
        for path, text in files.items():
            with told(path):
                place = _place(path)
                place.parent.mkdir(parents=True, exist_ok=True)
                beside[place] = _free(place.parent)
                write_through(beside[place], text, like=place)
        for place, temporary in beside.items():
            with told(place):
                temporary.replace(place)
                sync_folders([place.parent])
    finally:
        for temporary in beside.values():
            with suppress(OSError):
                temporary.unlink()


@contextmanager
def told(path: Path) -> Generator[None]:
    """What the system says when a file cannot be written becomes one line.

    Raises:
        OutputError: it cannot.
    """
    try:
        yield
    except OutputError:
        raise
    except OSError as error:
        raise OutputError(f"{path}: cannot be written ({why(error)})") from None


def put(staged: Path, path: Path) -> None:
    """Move a complete file to its place, from another file system too.

    Raises:
        OutputError: it cannot be written.
    """
    place = _place(path)
    with told(path):
        if staged.stat().st_dev == place.parent.stat().st_dev:
            staged.replace(place)
            return
        write({place: staged.read_text(encoding="utf-8")})
        staged.unlink()


def write_through(path: Path, text: str, like: Path | None = None) -> None:
    """Write a new file as far as the disk; its permissions are those of `like`, where there is such a file."""
    number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), 0o666)
    with os.fdopen(number, "wb") as file:
        if like is not None and like.exists():
            with suppress(OSError):
                path.chmod(stat.S_IMODE(like.stat().st_mode))
        file.write(encoded(text))
        file.flush()
        os.fsync(number)


def encoded(text: str) -> bytes:
    """A text as files have it; what no encoding has, as in a file name that is no text, is written as an escape."""
    return text.encode("utf-8", "backslashreplace")


def sync_folders(folders: Iterable[Path]) -> None:
    """Bring the names of the files in these folders as far as the disk."""
    for folder in dict.fromkeys(folders):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def sweep(folder: Path) -> None:
    """Remove what processes that have died were writing here."""
    for path in folder.iterdir():
        found = _BESIDE.fullmatch(path.name)
        if found and not _alive(int(found[1])):
            with suppress(OSError):
                path.unlink()


def why(error: OSError) -> str:
    """The reason in a few words."""
    return (error.strerror or type(error).__name__).lower()


def check_place(path: Path) -> None:
    """Nothing, where a regular file is at `path` or can be.

    Raises:
        OutputError: something else is there.
    """
    _ = _place(path)


def _place(path: Path) -> Path:
    """Where a file at `path` really lies.

    Raises:
        OutputError: something is there that is no regular file.
    """
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return Path(os.path.realpath(path))
    except OSError as error:
        raise OutputError(f"{path}: cannot be written ({why(error)})") from None
    kind = kind_of(mode)
    if not kind:
        return Path(os.path.realpath(path))
    raise OutputError(f"{path}: cannot be written (it is {kind}); expected a regular file") from None


def _free(folder: Path) -> Path:
    return next(path for n in count() if not (path := folder / f".resproof-{os.getpid()}-{n}").exists())


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
