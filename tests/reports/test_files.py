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


def test_an_interrupted_report_takes_over_what_was_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from proofs.parts import Context
    from proofs.verdicts import run
    from reports.finished import Finished
    from tests.proofs.toys import TOYS

    context = Context()
    results = {toy.id: run(toy, context) for toy in TOYS}
    for result in results.values():
        Finished(tmp_path, context).keep(result)
    known = Finished(tmp_path, context).known(toy.id for toy in TOYS)
    assert set(known) == {"T-proved", "T-observed", "T-refuted", "T-repaired"}
    assert all(result == results[id_] for id_, result in known.items())
    assert not Finished(tmp_path, Context(seed=1)).known(["T-proved"])
    Finished(tmp_path, context).clear()
    assert not list(tmp_path.iterdir())
