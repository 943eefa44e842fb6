"""Which processes there are, from /proc."""

from __future__ import annotations

import os
from pathlib import Path


def alive(pid: int) -> bool:
    """Whether it runs: a process that has ended and is not yet looked at does not."""
    return _read(pid, "stat").rpartition(b")")[2].split()[:1] not in ([], [b"Z"], [b"X"])


def running(mark: str) -> set[int]:
    """The processes that have this in their environment."""
    numbers = {int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal()} - {os.getpid()}
    return {pid for pid in numbers if mark.encode() in _read(pid, "environ") and alive(pid)}


def _read(pid: int, name: str) -> bytes:
    """Nothing for a process that is gone."""
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""
