"""What benchmarks make of what they measured; what they measure is compared in the benchmarks themselves."""

from __future__ import annotations

import pytest

from benchmarks.__main__ import table
from benchmarks.alone import Row, alone, in_turn
from benchmarks.products import measure


def test_a_table_has_a_line_a_size_and_a_column_a_program() -> None:
    rows = [
        Row("t", "small", "ours", 2.0),
        Row("t", "small", "peer", 5.0, found={"largest": 1.5, "check": 3.0}),
        Row("t", "large", "ours", 4.0),
        Row("t", "large", "peer", note="not installed"),
    ]
    assert table(rows).splitlines() == [
        "| t | ours | peer |",
        "|---|---:|---:|",
        "| small | 2 ms | 5 ms (2.5); largest 1.5 |",
        "| large | 4 ms | not installed |",
    ]


def test_a_program_that_is_missing_or_fails_says_so() -> None:
    assert alone("no_such_module:cell") | {"gigabytes": 0} == {"note": "not installed", "gigabytes": 0}
    assert "KeyError" in alone("benchmarks.products:cell", "nobody", "tanh", 1, 1, 1)["note"]


def test_the_median_of_the_rounds_counts() -> None:
    times = iter((3.0, 1.0, 2.0))
    found = in_turn({"ours": lambda: {"ms": next(times)}, "missing": lambda: {"note": "no"}}, 3)
    assert found == {"ours": {"ms": 2.0}, "missing": {"note": "no"}}


def test_products_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"CELLS": (("tanh", 3, 2, 5), ("covariances", 3, 2, 5)), "PEERS": ("ours", "jax scan")}.items():
        monkeypatch.setattr(f"benchmarks.products.{name}", value)
    found = measure(1, growth=False)
    assert [(row.task, row.peer, row.note) for row in found] == [
        (f"H v, {task}", peer, "") for task in ("tanh", "covariances") for peer in ("ours", "jax scan")
    ]
