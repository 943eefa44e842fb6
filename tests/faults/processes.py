"""Which processes there are, from /proc."""

from __future__ import annotations

import os
from pathlib import Path


def alive(pid: int) -> bool:
    """Whether it runs: a process that has ended and is not yet looked at does not."""
    return _stat(pid)[:1] not in ([], ["Z"], ["X"])


def children(of: int | None = None) -> set[int]:
    """The processes that run below one, this one by default, but for multiprocessing's own tracker."""
    parents = {int(entry.name): _stat(int(entry.name)) for entry in Path("/proc").iterdir() if entry.name.isdecimal()}
    found, wanted = set[int](), {os.getpid() if of is None else of}
    while more := {pid for pid, stat in parents.items() if stat and int(stat[1]) in wanted} - found:
        found |= more
        wanted = more
    return {pid for pid in found if alive(pid) and b"resource_tracker" not in _command(pid)}


def running(mark: str) -> set[int]:
    """The processes that have this in their environment."""
    found = set[int]()
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                environment = (entry / "environ").read_bytes()
            except OSError:
                continue
            if mark.encode() in environment and alive(int(entry.name)):
                found.add(int(entry.name))
    return found


def _stat(pid: int) -> list[str]:
    """State, parent and so on; nothing for one that is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
