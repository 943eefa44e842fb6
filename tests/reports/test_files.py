from pathlib import Path

import pytest

from reports.files import OutputError, check_writable, write


def test_writes_and_leaves_nothing_beside(tmp_path: Path) -> None:
    write({tmp_path / "a": "1\n", tmp_path / "new" / "b": "2\n"})
    assert (tmp_path / "new" / "b").read_bytes() == b"2\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "new"]


def test_all_or_nothing(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")
    (tmp_path / "b").mkdir()
    with pytest.raises(OutputError, match=r"b: cannot be written \(it is a folder\)"):
        write({tmp_path / "a": "new", tmp_path / "b": "new"})
    assert (tmp_path / "a").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_a_file_where_a_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")
    with pytest.raises(OutputError, match="expected a folder"):
        check_writable(tmp_path / "a")
    with pytest.raises(OutputError, match="cannot be written"):
        write({tmp_path / "a" / "b": "new"})
    check_writable(tmp_path / "new")
