"""The committed report against a fresh run: verdicts, scopes, proofs, counterexamples; numbers by their structure."""

from dataclasses import replace
from pathlib import Path

import pytest

from resproof.proofs.experiments import experiments
from resproof.proofs.figures import figure_data
from resproof.proofs.registry import statements
from resproof.proofs.runs import fully_proved
from resproof.proofs.statement import Context
from resproof.pytest_plugin import RunOnce
from resproof.reporting.benchmark_results import benchmarks
from resproof.reporting.experiment_records import experiment_results
from resproof.reporting.figures.every import figures
from resproof.reporting.figures.experiments.every import FIGURES
from resproof.reporting.markdown import outside_measured
from resproof.reporting.render import pages
from resproof.reporting.schema import Results, ledger, record
from resproof.reporting.verdict_bars import FILE

REPORTS = Path(__file__).parents[2] / "reports"
STALE = "the committed report is not that of this code; `make report` writes it anew"


@pytest.fixture(scope="module")
def committed() -> Results:
    path = REPORTS / "results.json"
    if not path.is_file():
        pytest.fail("reports/results.json is missing; `make report` writes it")
    return Results.model_validate_json(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def fresh(committed: Results, statement_result: RunOnce) -> Results:
    """Everything run anew; figures and evidence at great depth, which takes minutes, are taken over."""
    every = statements()
    assert committed.seed == Context().seed
    found = [statement_result(one, "exact", "evidence") for one in every]
    settled = fully_proved(found, every)
    deep = {(one.id, step.title): step for one in committed.statements for step in one.evidence}
    records = []
    for statement, result in zip(every, found, strict=True):
        one = record(statement, replace(result, fully_proved=settled[statement.id]))
        ran = {step.title: step for step in one.evidence}
        evidence = [
            ran[each.title] if each.part == "evidence" else deep[statement.id, each.title]
            for each in statement.evidence
            if each.part == "evidence" or (statement.id, each.title) in deep
        ]
        records.append(replace(one, evidence=tuple(evidence)))
    return committed.model_copy(update={"statements": tuple(records), "ledger": ledger()})


def test_verdicts_and_scopes(committed: Results, fresh: Results) -> None:
    def told(results: Results) -> dict[str, tuple[object, ...]]:
        return {one.id: (one.verdict, one.scope, one.all_sizes, one.fully_proved) for one in results.statements}

    assert told(fresh) == told(committed), STALE


def test_everything_but_the_measured(committed: Results, fresh: Results) -> None:
    for results in (fresh, committed):
        written = pages(results)
        for path, text in written.items():
            then = outside_measured((REPORTS / path).read_text(encoding="utf-8")).splitlines()
            assert outside_measured(text).splitlines() == then, f"{path}: {STALE}"
    for folder in ("papers", "statements"):
        there = {path.relative_to(REPORTS) for path in (REPORTS / folder).iterdir()}
        assert there == {path for path in written if path.parent.name == folder}, STALE


def test_no_page_is_long() -> None:
    sizes = {path: path.stat().st_size for path in REPORTS.rglob("*.md")}
    assert sizes[REPORTS / "REPORT.md"] < 12_000
    assert [path.name for path, size in sizes.items() if size > 60_000] == []


def test_the_measured_by_its_structure(committed: Results, fresh: Results) -> None:
    def told(results: Results) -> list[tuple[str, ...]]:
        steps = [(one.id, step) for one in results.statements for step in one.evidence]
        return [(id_, step.title, step.outcome, *(m.quantity for m in step.measurements)) for id_, step in steps]

    assert told(fresh) == told(committed), STALE
    for results in (committed, fresh):
        measured = [m for one in results.statements for step in one.evidence for m in step.measurements]
        assert all(one.value <= one.bound for one in measured)


def test_figures(committed: Results) -> None:
    observed = {FIGURES[id_].file for id_ in experiment_results(experiments())}
    beside = {FILE, *observed, *(("benchmarks.svg",) if benchmarks().tasks else ())}
    assert {path.name for path in (REPORTS / "figures").glob("*.svg")} == {*figures(committed), *beside}, STALE
    assert figure_data(Context()).blocks == committed.figures.blocks, STALE
    assert all(point.error <= point.bound for one in committed.figures.errors for point in one.points)
