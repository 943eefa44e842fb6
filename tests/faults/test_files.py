"""Files are written whole or not at all, in their own places, and only over regular files."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from resproof.proofs.interrupts import Interrupted, stoppable
from resproof.reporting.files import OutputError, check_target, check_writable, write


def contents(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


@contextmanager
def small_disk(folder: Path) -> Generator[None]:
    """A file system of 64 kB."""
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("a small file system takes a privilege that is not here")
    try:
        yield
    finally:
        subprocess.run(["umount", folder], check=True)


def test_links_and_permissions_stay(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "file").write_text("old")
    (tmp_path / "there" / "file").chmod(0o640)
    (tmp_path / "link").symlink_to("there/file")
    check_target(tmp_path / "link")
    write({tmp_path / "link": "caf\u00e9 \udcff", tmp_path / "new" / "b": "2"}, tmp_path)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "there" / "file").read_bytes() == b"caf\xc3\xa9 \\udcff"
    assert (tmp_path / "there" / "file").stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "new", "there"]


def test_only_regular_files_are_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "device").symlink_to("/dev/full")
    (tmp_path / "round").symlink_to("round")
    (tmp_path / "file").write_text("old")
    for name, kind in (("pipe", "a pipe"), ("folder", "a folder"), ("device", "a device"), ("round", "too many")):
        with pytest.raises(OutputError, match=kind):
            check_target(tmp_path / name)
        with pytest.raises(OutputError, match=f"{name}: cannot be written .*{kind}") as caught:
            write({tmp_path / "file": "new", tmp_path / name: "new"})
        assert "\n" not in str(caught.value)
    for place in (tmp_path / "file" / "b", tmp_path / ("x" * 300)):
        with pytest.raises(OutputError, match="cannot be written"):
            write({tmp_path / "file": "new", place: "new"})
    with pytest.raises(OutputError, match="expected a folder"):
        check_writable(tmp_path / "file")
    check_writable(tmp_path / "a" / "b", keep=False)
    assert contents(tmp_path) == {"file": "old"}
    assert not (tmp_path / "a").exists()


def test_a_full_disk_and_one_that_is_read_only(tmp_path: Path) -> None:
    with small_disk(disk := tmp_path / "disk"):
        write({disk / "a": "old", disk / "b": "old"})
        with pytest.raises(OutputError, match=r"cannot be written \(no space left on device\)$"):
            write({disk / "a": "x" * 40_000, disk / "b": "x" * 40_000})
        assert contents(disk) == {"a": "old", "b": "old"}
        write({tmp_path / "c": "new", disk / "b": "new"})  # from one file system to another
        assert contents(disk) == {"a": "old", "b": "new"}
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        with pytest.raises(OutputError, match="read-only file system"):
            check_target(disk / "a")
        assert sorted(path.name for path in disk.iterdir()) == ["a", "b"]


def test_an_interrupt_waits_for_the_moves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.copymode", lambda *_: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(Interrupted), stoppable():
        write({tmp_path / "a": "new", tmp_path / "b": "new"})
    assert not [*tmp_path.iterdir()]
    monkeypatch.setattr("shutil.copymode", lambda *_: None)
    monkeypatch.setattr("shutil.move", lambda old, new: (Path(old).replace(new), os.kill(os.getpid(), signal.SIGINT)))
    with pytest.raises(Interrupted), stoppable():
        write({tmp_path / "a": "new", tmp_path / "b": "new"})
    assert contents(tmp_path) == {"a": "new", "b": "new"}
