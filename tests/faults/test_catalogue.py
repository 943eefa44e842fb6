"""Blocks of the catalogue that run too long, and those that an interrupted report had finished."""

from __future__ import annotations

from pathlib import Path

import pytest

from resproof.proofs.workers import WorkerError
from resproof.reporting.catalogue import entries, entry
from resproof.reporting.finished import Finished
from resproof.reporting.schema import CatalogueEntry

NAMES = ("tied", "highway")


def test_a_limit_for_a_block() -> None:
    with pytest.raises(WorkerError, match=r"^block attention: ran longer than the limit of 0\.05 s$"):
        _ = entries(timeout=0.05, names=("attention",))


def test_finished_blocks_are_taken_over_as_they_were(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[str] = []
    done: list[str] = []

    class Seen:
        def begun(self, key: str) -> None:
            begun.append(key)

        def done(self, key: str) -> None:
            done.append(key)

    finished = Finished(tmp_path / "blocks", CatalogueEntry)
    first = entries(1, finished, Seen(), names=NAMES)
    assert begun == done == ["block tied", "block highway"]
    monkeypatch.setattr("resproof.reporting.catalogue.entry", lambda name: pytest.fail(f"{name} is computed again"))
    assert entries(2, finished, Seen(), names=NAMES) == first
    assert done == 2 * begun
    (tmp_path / "blocks" / "tied.json").write_text("{}")
    monkeypatch.setattr("resproof.reporting.catalogue.entry", entry)
    assert [one.name for one in entries(1, finished, names=NAMES)] == list(NAMES)
