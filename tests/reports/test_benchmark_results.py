"""Timings beside the peers as the report reads them."""

import json
from pathlib import Path

from resproof.reporting.benchmark_results import benchmarks, figure
from resproof.reporting.figures.svg import svg_of
from resproof.reporting.render import pages
from resproof.reporting.schema import Results

TIMINGS = Path("TIMINGS.md")


def row(peer: str, units: int, ms: float, note: str = "") -> dict[str, object]:
    size = {"units": units, "width": 10, "samples": 1000}
    return {"peer": peer, "task": "tanh", "size": size, "ms": ms, "gigabytes": 0.5, "note": note}


def written(folder: Path) -> Path:
    rows = [row("ours", 10, 2.0), row("peer", 10, 7.0), row("ours", 100, 20.0), row("peer", 100, 0.0, "beyond 9 s")]
    rows[0] |= {"limits": {"products": 0.5, "memory": 0.1}}
    content = {"benchmark": "hvp", "date": "2026-01-01", "machine": {"cores": 2, "numpy": "2.0"}, "rows": rows}
    (folder / "hvp.json").write_text(json.dumps(content))
    (folder / "other.json").write_text("{}")
    return folder


def test_ratios_and_what_is_missing(tmp_path: Path) -> None:
    found = benchmarks(written(tmp_path))
    (task,) = found.tasks
    assert (task.name, task.places) == ("tanh", ((10, 10, 1000), (100, 10, 1000)))
    assert (task.ratio("peer", 0), task.ratio("peer", 1)) == (3.5, None)
    assert found.unreadable == ("other.json",)
    assert found.machines == ("hvp: 2026-01-01, 2 cores, numpy 2.0",)
    assert svg_of(figure(found.tasks)).startswith("<?xml")


def test_where_another_program_is_faster(tmp_path: Path, results: Results) -> None:
    (task,) = benchmarks(written(tmp_path)).tasks
    assert task.behind() == []
    assert "No other program is faster" in pages(results, beside=benchmarks(tmp_path))[TIMINGS]
    content = json.loads((tmp_path / "hvp.json").read_text())
    content["rows"] += [row("swift", 10, 1.0), row("ours, in another way", 10, 0.5), row("swift", 100, 30.0)]
    (tmp_path / "hvp.json").write_text(json.dumps(content))
    (task,) = benchmarks(tmp_path).tasks
    assert task.behind() == [("R = 10, d = 10, m = 1000", "swift", 0.5)]
    page = pages(results, beside=benchmarks(tmp_path))[TIMINGS]
    assert (
        "- Another program is faster at R = 10, d = 10, m = 1000: swift takes 0.5 of our time, products alone 0.25."
        in page
    )


def test_commands_stand_in_a_table_and_not_in_the_figure(tmp_path: Path) -> None:
    commands = [
        {**row(peer, 0, ms), "task": "a command", "command": command, "size": None, "gigabytes": None}
        for command in ("list", "show")
        for peer, ms in (("ours", 200.0), ("numpy", 500.0))
    ]
    content = {"benchmark": "start", "date": "2026-01-01", "machine": {}, "rows": commands}
    (written(tmp_path) / "start.json").write_text(json.dumps(content))
    (curves, commands_only) = benchmarks(tmp_path).tasks
    assert (commands_only.sizes, commands_only.ratio("numpy", 0), commands_only.varied()) == (("list", "show"), 2.5, [])
    assert svg_of(figure([curves, commands_only])) == svg_of(figure([curves]))


def test_how_time_and_memory_grow(tmp_path: Path) -> None:
    (task,) = benchmarks(written(tmp_path)).tasks
    assert task.varied() == [0]
    assert task.exponent("ours", 0) == 1.0
    assert task.exponent("ours", 0, "gigabytes") == 0.0
    assert task.exponent("ours", 1) is task.exponent("peer", 0) is None


def test_the_section(tmp_path: Path, results: Results) -> None:
    nothing = benchmarks(tmp_path)
    assert "## Beside the peers" not in pages(results, beside=nothing)[TIMINGS]
    text = pages(results, beside=benchmarks(written(tmp_path)))[TIMINGS]
    section = text[text.index("## Beside the peers") :].partition("\n## ")[0]
    lines = [" ".join(line.split()) for line in section.splitlines()]
    assert "| | ours, ms | GB | peer | GB |" in lines
    assert "| R = 10, d = 10, m = 1000 | 2 | 0.5 | 3.5 | 0.5 |" in lines
    assert "| R = 100, d = 10, m = 1000 | 20 | 0.5 | beyond 9 s | |" in lines
    assert "| p in R<sup>p</sup> | 1 | 0 | | |" in lines
    here = lines.index("| | ours, ms | products alone, ms | memory alone, ms | limit | of our time |")
    assert lines[here + 1 : here + 3] == [
        "|---|---:|---:|---:|---|---:|",
        "| R = 10, d = 10, m = 1000 | 2 | 0.5 | 0.1 | products | 0.25 |",
    ]
    assert section.count("<!-- measured -->") == section.count("<!-- /measured -->") == 1
