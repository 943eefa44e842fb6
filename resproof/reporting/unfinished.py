"""OUT/.unfinished: what a report has begun and not brought to its end, and its one commit point.

    .unfinished/lock            held by the one process that writes a report here; it ends with that process
    .unfinished/FINGERPRINT/    statements that are finished (`reporting.finished`)
    .unfinished/staged/         the report's files, while they are written
    .unfinished/committed/      all of them, complete: each is now moved to its place

Renaming `staged` to `committed` is the commit point. A process that dies before it leaves the old report, one that
dies after it leaves moves that the next report in this folder makes first.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from resproof.proofs.interrupts import undivided
from resproof.reporting.files import OutputError, check_place, encoded, put, sync_folders, told, write_through

FOLDER = ".unfinished"


@contextmanager
def unfinished(out: Path) -> Generator[Unfinished]:
    """What is unfinished in a report's folder, for this process alone; what a dead one had committed is completed.

    Raises:
        OutputError: another process is writing a report there, or it cannot be written to.
    """
    with told(out):
        lock = _lock(out / FOLDER)
    try:
        found = Unfinished(out)
        with told(out), undivided():
            found.complete()
        yield found
    finally:
        with suppress(OSError):
            (out / FOLDER / "lock").unlink()
        os.close(lock)
        with suppress(OSError):
            (out / FOLDER).rmdir()


class Unfinished:
    """The folder of one process that has its lock."""

    def __init__(self, out: Path) -> None:
        self.out, self.folder = out, out / FOLDER
        self._staged, self._committed = self.folder / "staged", self.folder / "committed"

    def commit(self, files: Mapping[Path, str]) -> None:
        """Write every text to its path within the report's folder: all of them, or none.

        A file that has its text already is left as it is.

        Raises:
            OutputError: a path is taken by something that is no regular file, or the disk is full.
        """
        try:
            with told(self.out):
                for path, text in files.items():
                    self._stage(path, text)
                if self._staged.exists():
                    sync_folders([*_folders(self._staged), self.folder])
                    with undivided():
                        self._staged.rename(self._committed)
                        sync_folders([self.folder])
                        self.complete()
        finally:
            shutil.rmtree(self._staged, ignore_errors=True)

    def _stage(self, path: Path, text: str) -> None:
        place, staged = self.out / path, self._staged / path
        check_place(place)
        if place.is_file() and place.read_bytes() == encoded(text):
            return
        place.parent.mkdir(parents=True, exist_ok=True)
        staged.parent.mkdir(parents=True, exist_ok=True)
        write_through(staged, text, like=place)

    def complete(self) -> None:
        """Make the moves that are committed, and sweep what is not."""
        shutil.rmtree(self._staged, ignore_errors=True)
        if not self._committed.exists():
            return
        moved: list[Path] = []
        for path in sorted(one for one in self._committed.rglob("*") if one.is_file()):
            place = self.out / path.relative_to(self._committed)
            place.parent.mkdir(parents=True, exist_ok=True)
            put(path, place)
            moved.append(place.parent)
        sync_folders([*moved, self.out])
        shutil.rmtree(self._committed)

    def clear(self) -> None:
        """Forget the statements that were finished: the report is written."""
        for path in self.folder.iterdir():
            if path.name not in {"lock", "committed"}:
                shutil.rmtree(path, ignore_errors=True)


def _folders(top: Path) -> list[Path]:
    return [top, *(path for path in top.rglob("*") if path.is_dir())]


def _lock(folder: Path) -> int:
    """The open lock file; the lock is held until it is closed, or its process ends.

    Raises:
        OutputError: another process has it.
    """
    path = folder / "lock"
    while True:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            lock = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
        except FileNotFoundError:
            continue  # whoever had it has just tidied up
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            raise OutputError(
                f"{folder.parent}: another report is being written there; expected another folder, or its end"
            ) from None
        with suppress(FileNotFoundError):
            if os.fstat(lock).st_ino == path.stat().st_ino:
                return lock
        os.close(lock)
