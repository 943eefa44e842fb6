"""The report's section on a GPU: nothing measured, measured with this code, measured with another."""

import json
from pathlib import Path
from typing import Any

import pytest

from resproof.proofs.sources import source_hash, source_hashes
from resproof.reporting.gpu_results import GpuResults, gpu_results
from resproof.reporting.markdown import outside_measured
from resproof.reporting.render import pages
from resproof.reporting.schema import Results


def timings(results: Results, found: GpuResults) -> str:
    """The page of timings."""
    return pages(results, found)[Path("TIMINGS.md")]


def run(**changed: Any) -> dict[str, Any]:
    """A run on a GPU, as `python -m benchmarks.gpu` writes it."""
    sizes = {"units": 1000, "d": 10, "m": 1797}
    check = {
        "name": "H v, tanh, n = 2: units=1000, d=10, m=1797",
        "family": "H v, tanh, n = 2",
        "kind": "check",
        "sizes": sizes,
        "status": "passed",
        "value": 1e-17,
        "bound": 1e-12,
        "derivation": "gamma_N",
        "neighbours": [{"name": "twice as large", "value": 1.0, "bound": 1e-12, "rejected": True}],
    }
    peers = [
        {"peer": "jax scan", "status": "measured", "seconds": 0.2, "ratio": 4.0},
        {"peer": "torch.func", "status": "failed", "reason": "out | of memory"},
    ]
    timed = {
        "name": "time of H v, tanh, n = 2: units=1000, d=10, m=1797",
        "family": "time of H v, tanh, n = 2",
        "kind": "time",
        "sizes": sizes,
        "status": "measured",
        "seconds": 0.05,
        "flop_fraction": 0.02,
        "byte_fraction": 0.3,
        "limit": "memory",
        "peers": peers,
    }
    ceiling = {
        "name": "launches: count=1000",
        "family": "launches",
        "kind": "ceiling",
        "sizes": {"count": 1000},
        "status": "measured",
        "seconds": 0.005,
        "quantity": "s/kernel",
    }
    late = {**check, "name": "H v: units=1000000", "status": "not run", "reason": "3 s left"}
    return {
        "schema_version": 1,
        "program": "benchmarks.gpu",
        "date": "2026-01-02T03:04:05+00:00",
        "tiny": False,
        "interrupted": False,
        "data": "digits",
        "seed": 0,
        "machine": {
            "device": "cuda",
            "name": "NVIDIA H200",
            "description": "cuda: NVIDIA H200, CuPy 14.0",
            "memory": 150_000_000_000,
            "processor": "a processor",
            "driver": 13000,
            "runtime": 13000,
            "python": "3.12.1",
            "packages": {"numpy": "2.4.0"},
        },
        "sources": source_hashes(),
        "records": [check, timed, ceiling, late],
        **changed,
    }


def section(results: Results, found: GpuResults) -> str:
    return timings(results, found).partition("\n## On a GPU\n")[2].partition("\n## ")[0]


def put(folder: Path, name: str, found: dict[str, Any]) -> GpuResults:
    (folder / name).write_text(json.dumps(found))
    return gpu_results(folder)


def test_nothing_measured(results: Results, tmp_path: Path) -> None:
    assert gpu_results(tmp_path / "missing") == gpu_results(tmp_path) == GpuResults()
    shown = section(results, gpu_results(tmp_path))
    assert "Not measured on a GPU yet." in shown
    assert "|" not in shown


def test_measured_with_this_code(results: Results, tmp_path: Path) -> None:
    shown = section(results, put(tmp_path, "nvidia-h200-2026-01-02.json", run()))
    assert "**NVIDIA H200**, 2026-01-02" in shown
    assert "from `reports/gpu/nvidia-h200-2026-01-02.json`: measured with the present code" in shown
    assert "stale" not in shown
    assert source_hash("numeric") in shown
    assert "1 checks passed, 0 failed." in shown
    assert "| H v, tanh, n = 2 | R = 1000, d = 10, m = 1797 | 1 of 1 | 1 of 1 |" in shown
    assert "jax scan 4; torch.func failed: out \\| of memory |" in shown
    assert "<summary>1 without a result</summary>" in shown
    assert "not run (3 s left)" in shown


def test_measured_with_other_code(results: Results, tmp_path: Path) -> None:
    sources = {**source_hashes(), "numeric": "0" * 16}
    found = put(tmp_path, "old.json", run(sources=sources))
    assert found.changed == ("numeric",)
    shown = section(results, found)
    assert "**stale**, `numeric` changed since" in shown
    assert "0" * 16 in shown


def test_a_failed_check_stands_out(results: Results, tmp_path: Path) -> None:
    failed = run()
    failed["records"][0] |= {"status": "failed"}
    failed["records"][0]["neighbours"][0]["rejected"] = False
    shown = section(results, put(tmp_path, "a.json", failed))
    assert "**failed**: H v, tanh, n = 2" in shown
    assert "accepted though false: twice as large" in shown


def test_the_newest_run_on_a_gpu_is_shown(tmp_path: Path) -> None:
    put(tmp_path, "b.json", run(date="2026-01-01T00:00:00+00:00"))
    put(tmp_path, "a.json", run(date="2026-02-01T00:00:00+00:00"))
    put(tmp_path, "tiny.json", run(date="2026-03-01T00:00:00+00:00", tiny=True))
    machine = {**run()["machine"], "device": "cpu"}
    found = put(tmp_path, "cpu.json", run(date="2026-04-01T00:00:00+00:00", machine=machine))
    assert found.file == "a.json"


def test_what_is_no_run_is_named(results: Results, tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("{")
    (tmp_path / "other.json").write_text("{}")
    found = gpu_results(tmp_path)
    assert found.unreadable == ("broken.json", "other.json")
    assert "`broken.json`, `other.json`." in section(results, found)


@pytest.mark.parametrize("interrupted", [False, True])
def test_no_number_stands_outside_the_markers(results: Results, tmp_path: Path, interrupted: bool) -> None:
    found = put(tmp_path, "a.json", run(interrupted=interrupted))
    assert ("The run was interrupted." in section(results, found)) == interrupted
    assert outside_measured(timings(results, found)) == outside_measured(timings(results, GpuResults()))


def test_no_verdict_depends_on_it(results: Results, tmp_path: Path) -> None:
    failed = run()
    failed["records"][0] |= {"status": "failed"}
    before = timings(results, GpuResults()).partition("\n## On a GPU\n")[0]
    assert timings(results, put(tmp_path, "a.json", failed)).partition("\n## On a GPU\n")[0] == before


def test_the_hash_follows_the_sources(tmp_path: Path) -> None:
    package = tmp_path / "numeric"
    package.mkdir()
    (package / "a.py").write_text("x = 1\n")
    first = source_hash("numeric", tmp_path)
    (package / "a.py").write_text("x = 2\n")
    assert source_hash("numeric", tmp_path) != first
    (package / "a.py").write_text("x = 1\n")
    assert source_hash("numeric", tmp_path) == first
