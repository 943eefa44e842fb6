from pathlib import Path

import pytest

from resproof.reporting.files import OutputError, check_writable, write


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
    from resproof.proofs.results import Result
    from resproof.proofs.statement import Context
    from resproof.proofs.verdict import run
    from resproof.reporting.finished import Finished, fingerprint, lasting
    from tests.proofs.toys import TOYS

    results = {toy.id: run(toy) for toy in TOYS}
    for id_, result in results.items():
        Finished(tmp_path, Result).keep(f"a/{id_}", result)
    known = Finished(tmp_path, Result).known(f"a/{toy.id}" for toy in TOYS)
    assert known == {f"a/{id_}": result for id_, result in results.items()}
    assert [id_ for id_, one in results.items() if lasting(one)] == [
        "T-proved",
        "T-observed",
        "T-refuted",
        "T-repaired",
    ]
    assert fingerprint(Context()) == fingerprint(Context()) != fingerprint(Context(seed=1))
    (tmp_path / "a%2FT-proved.json").write_text("{")
    assert "a/T-proved" not in Finished(tmp_path, Result).known(known)
