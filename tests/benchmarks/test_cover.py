"""Cells of a grid in which every two values of different factors meet."""

import itertools
import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from benchmarks import hvp
from benchmarks.cover import cover, meetings

GRID = list(itertools.product("abc", (1, 2, 4), (10, 20), (5, 6, 7)))


def work(cell: tuple[str, int, int, int]) -> float:
    return cell[1] * cell[2] * cell[3]


def test_all_meet_in_few_cells() -> None:
    taken, left = cover(GRID, [("b", 2, 10, 6)], work, 10**9)
    assert taken[0] == ("b", 2, 10, 6)
    assert not left
    assert set[Any]().union(*map(meetings, taken)) == set[Any]().union(*map(meetings, GRID))
    # Each pair of a letter and one of three numbers needs a cell of its own; that is 9, of 54.
    assert len(taken) <= 12


def test_what_is_too_much_is_left_out_and_told() -> None:
    taken, left = cover(GRID, [("a", 4, 20, 7)], work, 400)
    assert all(work(cell) <= 400 for cell in taken)
    met, told = (set[Any]().union(*map(meetings, cells)) for cells in (taken, left))
    every = set[Any]().union(*map(meetings, GRID))
    assert met | told == every
    # No cell that is allowed has what does not meet, and each cell that is told has something of it.
    assert not any((every - met) & meetings(cell) for cell in GRID if work(cell) <= 400)
    assert all((every - met) & meetings(cell) and work(cell) > 400 for cell in left)


def test_nothing_is_allowed() -> None:
    taken, left = cover(GRID, GRID[:1], work, 0)
    assert not taken
    assert set[Any]().union(*map(meetings, left)) == set[Any]().union(*map(meetings, GRID))


def test_every_task_and_size_of_the_products_meet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row for each cell, those that are left out with the reason; a budget that is spent ends it cleanly."""
    asked: list[tuple[str, hvp.NetworkSize, dict[str, str]]] = []
    clock = itertools.count(step=10.0)

    class Timed:
        def rows(self, task: str, size: hvp.NetworkSize, peers: dict[str, str], _: float) -> list[hvp.ProductRow]:
            asked.append((task, size, peers))
            return [hvp.ProductRow(peer, task, size, 0.0 if note else 1.0, 0.1, note) for peer, note in peers.items()]

    monkeypatch.setattr(hvp, "bench", lambda _: nullcontext(Timed()))
    monkeypatch.setattr(hvp.time, "monotonic", lambda: next(clock))
    for budget, count in (("1e9", None), ("55", 5)):
        asked.clear()
        path = tmp_path / f"{budget}.json"
        text = hvp.main(["--cover", "--budget", budget, "--json", str(path)])
        rows = json.loads(path.read_text())["rows"]
        timed = {(row["task"], *row["size"].values()) for row in rows if row["ms"]}
        notes = [row["note"] for row in rows if not row["ms"] and row["peer"] != "torch.compile"]
        assert len(timed) == len(asked)
        if count is None:
            assert len(timed) < 40
            met = set[Any]().union(*map(meetings, timed))
            for task, units, width in itertools.product(hvp.TASKS, hvp.GRID[0], hvp.GRID[1][:2]):
                assert {frozenset([(0, task), (1, units)]), frozenset([(0, task), (2, width)])} <= met
            assert all("operations, 1.4e+11 at most" in note for note in notes)
        else:
            assert len(timed) == count
            assert "not run: 55 s were over" in notes
            assert "not run: 55 s were over" in text
        compiled = [(task, size) for task, size, peers in asked if not peers["torch.compile"]]
        assert compiled == [(task, hvp.NetworkSize(*hvp.BASE)) for task in hvp.TASKS]
