"""A report is all old or all new: killed at every act on a file, on a full disk, and beside another report."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import pytest

from resproof.reporting.files import OutputError, check_target, check_writable, write
from resproof.reporting.unfinished import FOLDER, unfinished

OLD = {Path("results.json"): "old\n", Path("REPORT.md"): "old page\n", Path("figures/a.svg"): "same\n"}
NEW = {**OLD, Path("results.json"): "new\n", Path("REPORT.md"): "new page\n", Path("figures/b.svg"): "new figure\n"}
NOT_REACHED = 7
ACTS = ("open", "fsync", "replace", "rename", "mkdir", "unlink", "rmdir")


def contents(folder: Path) -> dict[Path, str]:
    """Every file below the folder, but for what is unfinished."""
    found = [path for path in folder.rglob("*") if path.is_file() and FOLDER not in path.parts]
    return {path.relative_to(folder): path.read_text() for path in found}


def commit(folder: Path, files: dict[Path, str]) -> None:
    with unfinished(folder) as place:
        place.commit(files)
        place.clear()


def forked(act: Callable[[], object]) -> int:
    """How a copy of this process ends that does this and nothing else."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            act()
            status = 0
        except OutputError:
            status = 2
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def at(number: int, fault: Callable[[], NoReturn], act: Callable[[], object]) -> Callable[[], None]:
    """Act, with the fault in place of the act on a file that has this number."""

    def whole() -> None:
        left = number

        def counted(function: Callable[..., Any]) -> Callable[..., Any]:
            def call(*arguments: Any, **named: Any) -> Any:
                nonlocal left
                left -= 1
                return fault() if left == 0 else function(*arguments, **named)

            return call

        for name in ACTS:
            setattr(os, name, counted(getattr(os, name)))
        act()
        if left > 0:
            os._exit(NOT_REACHED)

    return whole


def killed() -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def full() -> NoReturn:
    raise OSError(28, "No space left on device")


@pytest.fixture
def report(tmp_path: Path) -> Path:
    """A folder with the old report, and a file of somebody's own."""
    commit(tmp_path, OLD)
    (tmp_path / "figures" / "own.svg").write_text("own")
    return tmp_path


def test_a_report_is_put_in_place_whole(report: Path) -> None:
    same = (report / "figures" / "a.svg").stat()
    commit(report, NEW)
    assert contents(report) == {**NEW, Path("figures/own.svg"): "own"}
    assert (report / "figures" / "a.svg").stat() == same  # what has not changed is not touched
    assert not (report / FOLDER).exists()


def test_killed_at_every_act(report: Path) -> None:
    own = {Path("figures/own.svg"): "own"}
    seen, number = set[str](), 0
    while True:
        number += 1
        status = forked(at(number, killed, lambda: commit(report, NEW)))
        found = contents(report)
        if status == NOT_REACHED:
            break
        assert status == -signal.SIGKILL
        committed = (report / FOLDER / "committed").exists()
        seen.add("old" if found == {**OLD, **own} else "new" if found == {**NEW, **own} else "between")
        # What lies between is what the next run in this folder completes, and nothing else is ever between.
        assert found in ({**OLD, **own}, {**NEW, **own}) or committed
        with unfinished(report):
            assert contents(report) == ({**NEW, **own} if committed else found)
        assert not (report / FOLDER).exists()
        commit(report, {**OLD})
        (report / "figures" / "b.svg").unlink(missing_ok=True)
        assert contents(report) == {**OLD, **own}
    assert number > 20
    assert seen == {"old", "between", "new"}


def test_a_full_disk_at_every_act(report: Path) -> None:
    number = 0
    while True:
        number += 1
        before = contents(report)
        status = forked(at(number, full, lambda: commit(report, NEW)))
        if status == NOT_REACHED:
            break
        assert status in {0, 2}
        committed = (report / FOLDER / "committed").exists()
        assert committed or contents(report) == before or contents(report).items() >= NEW.items()
        with unfinished(report):
            assert contents(report).items() >= NEW.items() or contents(report) == before
        if status == 0:
            assert contents(report).items() >= NEW.items()
        commit(report, OLD)
        (report / "figures" / "b.svg").unlink(missing_ok=True)
    assert number > 20


def test_a_second_report_is_refused_until_the_first_has_ended(report: Path) -> None:
    with unfinished(report):
        with pytest.raises(OutputError, match="another report is being written there") as caught, unfinished(report):
            pass
        assert "\n" not in str(caught.value)
        assert forked(lambda: commit(report, NEW)) == 2
    commit(report, NEW)
    # The lock ends with its process, however that ends.
    assert forked(at(9, killed, lambda: commit(report, OLD))) == -signal.SIGKILL
    assert (report / FOLDER / "lock").exists()
    commit(report, OLD)


def test_what_dead_processes_left_is_swept(tmp_path: Path) -> None:
    dead = subprocess.Popen(["true"])
    dead.wait()
    left = [f".resproof-{dead.pid}-0", f".resproof-{os.getpid()}-0", ".resproof-notes", "own.md"]
    for name in left:
        (tmp_path / name).write_text("x")
    check_writable(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == set(left[1:])
    write({tmp_path / "new": "1"})
    assert (tmp_path / "new").read_text() == "1"


def test_killed_while_one_file_is_written(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("old")
    for number in range(1, 5):
        status = forked(at(number, killed, lambda: write({tmp_path / "out": "new"})))
        assert (tmp_path / "out").read_text() in ({"old"} if status and number < 4 else {"old", "new"})
        check_target(tmp_path / "out")
        assert [path.name for path in tmp_path.iterdir()] == ["out"]


@contextmanager
def small_disk(folder: Path) -> Generator[None]:
    """A file system of 64 kB."""
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("a small file system takes a privilege that is not here")
    try:
        yield
    finally:
        subprocess.run(["umount", folder], check=True)


def test_a_disk_that_is_full_in_earnest(tmp_path: Path) -> None:
    with small_disk(tmp_path):
        commit(tmp_path, OLD)
        large = "x" * 40_000
        with pytest.raises(OutputError, match=r"cannot be written \(no space left on device\)"):
            commit(tmp_path, {Path("REPORT.md"): large, Path("results.json"): large})
        with pytest.raises(OutputError, match=r"cannot be written \(no space left on device\)"):
            write({tmp_path / "a": large, tmp_path / "b": large})
        assert contents(tmp_path) == OLD
        assert {path.name for path in tmp_path.iterdir()} == {"results.json", "REPORT.md", "figures"}


def test_from_one_file_system_to_another(tmp_path: Path) -> None:
    (tmp_path / "report").mkdir()
    (tmp_path / "disk").mkdir()
    with small_disk(tmp_path / "disk"):
        (tmp_path / "report" / "figures").symlink_to(tmp_path / "disk")
        commit(tmp_path / "report", NEW)
        assert contents(tmp_path / "disk") == {Path("a.svg"): "same\n", Path("b.svg"): "new figure\n"}
        assert (tmp_path / "report" / "figures").is_symlink()
        assert not (tmp_path / "report" / FOLDER).exists()


def test_a_link_stays_and_what_it_leads_to_is_written(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "file").write_text("old")
    (tmp_path / "there" / "file").chmod(0o640)
    (tmp_path / "link").symlink_to("there/file")
    (tmp_path / "dangling").symlink_to("there/new")
    (tmp_path / "REPORT.md").symlink_to("there/file")
    for name in ("link", "dangling"):
        check_target(tmp_path / name)
        write({tmp_path / name: f"by {name}"})
        assert (tmp_path / name).is_symlink()
        assert (tmp_path / name).read_text() == f"by {name}"
    assert (tmp_path / "there" / "file").stat().st_mode & 0o777 == 0o640
    commit(tmp_path, OLD)
    assert (tmp_path / "REPORT.md").is_symlink()
    assert (tmp_path / "there" / "file").read_text() == "old page\n"


def test_only_regular_files_are_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "device").symlink_to("/dev/full")
    (tmp_path / "round").symlink_to("round")
    for name, kind in (("pipe", "a pipe"), ("folder", "a folder"), ("device", "a device"), ("round", "too many")):
        for act in (check_target, lambda path: write({path: "x"})):
            with pytest.raises(OutputError, match=kind) as caught:
                act(tmp_path / name)
            assert "\n" not in str(caught.value)
    (tmp_path / "REPORT.md").symlink_to("/dev/full")
    with pytest.raises(OutputError, match="it is a device"):
        commit(tmp_path, OLD)
    assert not (tmp_path / "results.json").exists()
    assert not (tmp_path / FOLDER).exists()
    with pytest.raises(OutputError, match="cannot be written"):
        check_target(Path("/dev/full"))
    with pytest.raises(OutputError, match="cannot be written"):
        check_target(tmp_path / ("x" * 300))


def test_a_folder_that_is_read_only(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    with small_disk(tmp_path / "disk"):
        subprocess.run(["mount", "-o", "remount,ro", tmp_path / "disk"], check=True)
        for act in (check_writable, lambda folder: check_target(folder / "x")):
            with pytest.raises(OutputError, match="read-only file system"):
                act(tmp_path / "disk")


def test_what_no_encoding_has_is_written_as_an_escape(tmp_path: Path) -> None:
    write({tmp_path / "out": "caf\u00e9 \udcff\n"})
    assert (tmp_path / "out").read_bytes() == b"caf\xc3\xa9 \\udcff\n"
