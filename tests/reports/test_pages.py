"""The committed report is the golden file: its results give its pages, a fresh run its verdicts; what GitHub reads."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import ValidationError

from resproof.architectures.catalogue import CATALOGUE
from resproof.proofs.experiments import experiments
from resproof.proofs.figures import figure_data
from resproof.proofs.registry import statements
from resproof.proofs.runs import fully_proved
from resproof.proofs.statement import Context
from resproof.proofs.verdict import run
from resproof.pytest_plugin import RunOnce
from resproof.reporting.catalogue import entry
from resproof.reporting.check_page import markdown_of
from resproof.reporting.experiment_records import experiment_results
from resproof.reporting.figures.every import figures
from resproof.reporting.figures.experiments.every import FIGURES
from resproof.reporting.markdown import anchor, outside_measured, prose
from resproof.reporting.names import called, symbols_on
from resproof.reporting.render import pages
from resproof.reporting.said import contradicted
from resproof.reporting.schema import SCHEMAS, Results, ledger
from resproof.reporting.statement_record import Proved, record, records
from resproof.reporting.verdict_bars import FILE
from tests.proofs.toys import TOYS, floating, positive, returns, toy

ROOT = Path(__file__).parents[2]
REPORTS = ROOT / "reports"
STALE = "the committed report is not that of this code; `make report` writes it anew"
TIMED = {"growth-of-products.svg"}
"""What `python -m benchmarks` draws, which is no part of the report."""
LED = re.compile(r"\[`(\w+)`\]\(\.\./\.\./([\w/]+\.py)#:~:text=def%20(\w+)\)")
FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
REFUSED = re.compile(
    r"\\(operatorname|mbox|[egx]?def|let|(re)?new(command|environment)|require|href|url|class|cssId|style|unicode|bbox|"
    r"mmlToken|includegraphics|label|ref|data)\b"
)
"""Macros that GitHub does not allow, or that MathJax would need an extension for."""


@pytest.fixture(scope="module")
def committed() -> Results:
    return Results.model_validate_json((REPORTS / "results.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def toys(committed: Results) -> Results:
    return committed.model_copy(update={"statements": records(TOYS, list(map(run, TOYS))), "catalogue": ()})


@pytest.fixture(scope="module", params=["committed", "toys"])
def book(request: pytest.FixtureRequest) -> dict[Path, str]:
    """Every page that is rendered, by its path in the report."""
    return pages(request.getfixturevalue(request.param))


def test_results_give_the_committed_pages(committed: Results) -> None:
    found = pages(committed)
    for one in committed.catalogue:
        more = {"title": one.title, "source": one.source, "missing": one.not_computed}
        found[Path("catalogue", f"{one.name}.md")] = markdown_of(one.found, figure=f"{one.name}.svg", **more)
    for path, text in found.items():
        # Whether runs of experiments are of this code is told between the markers.
        told = text.replace(", from runs of another version of the code", "")
        assert told == (REPORTS / path).read_text(encoding="utf-8"), f"{path}: {STALE}"
    for folder in ("papers", "statements", "catalogue"):
        there = {path.relative_to(REPORTS) for path in (REPORTS / folder).glob("*.md")}
        assert there == {path for path in found if path.parent.name == folder}, STALE


def test_the_committed_json_is_what_is_written_and_described(committed: Results) -> None:
    assert committed.to_json() == (REPORTS / "results.json").read_text(encoding="utf-8")
    for path, kind in SCHEMAS.items():
        assert path.read_text(encoding="utf-8") == kind.described(), "run python -m resproof.reporting.schema"


def test_what_is_no_number_stays_valid_json_and_unknown_keys_are_refused() -> None:
    broken = toy("T", evidence=(replace(floating, compute=returns(float("nan"))),))
    text = Proved(schema_version=2, statements=(record(broken, run(broken)),)).to_json()
    assert Proved.model_validate_json(text).statements[0].verdict == "ERROR"
    found = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    with pytest.raises(ValidationError):
        Proved.model_validate({**found, "verdict": "PROVED"})


def test_the_committed_figures_are_those_of_the_results(committed: Results) -> None:
    observed = {FIGURES[id_].file for id_ in experiment_results(experiments())}
    there = {path.name for path in (REPORTS / "figures").glob("*.svg")} - TIMED
    assert there == {*figures(committed), FILE, *observed}, STALE
    assert figure_data(Context()).blocks == committed.figures.blocks, STALE


@pytest.fixture(scope="module")
def fresh(committed: Results, statement_result: RunOnce) -> Results:
    """Everything run anew; figures and evidence at great depth, which takes minutes, are taken over."""
    every = statements()
    found = [statement_result(one, "exact", "evidence") for one in every]
    settled = fully_proved(found, every)
    deep = {(one.id, step.title): step for one in committed.statements for step in one.evidence}
    told = []
    for statement, result in zip(every, found, strict=True):
        ran = {step.title: step for step in result.evidence} | {
            each.title: deep[statement.id, each.title] for each in statement.evidence if each.part != "evidence"
        }
        evidence = tuple(ran[each.title] for each in statement.evidence if each.title in ran)
        told.append(record(statement, replace(result, fully_proved=settled[statement.id], evidence=evidence)))
    return committed.model_copy(update={"statements": tuple(told), "ledger": ledger()})


def test_a_fresh_run_has_the_committed_verdicts(committed: Results, fresh: Results) -> None:
    def told(results: Results) -> dict[str, tuple[object, ...]]:
        return {
            one.id: (
                *(one.verdict, one.scope, one.all_sizes, one.fully_proved),
                *((step.title, step.outcome, *(m.quantity for m in step.measurements)) for step in one.evidence),
            )
            for one in results.statements
        }

    assert told(fresh) == told(committed), STALE
    measured = [m for one in fresh.statements for step in one.evidence for m in step.measurements]
    assert all(one.value <= one.bound for one in measured)


def test_a_fresh_run_gives_the_same_pages_but_for_what_is_measured(fresh: Results) -> None:
    for path, text in pages(fresh).items():
        then = outside_measured((REPORTS / path).read_text(encoding="utf-8"))
        assert outside_measured(text) == then, f"{path}: {STALE}"


@pytest.mark.parametrize("name", ["tied", "highway", "swiglu"])
def test_the_committed_catalogue_is_what_blocks_compute_to(name: str, committed: Results) -> None:
    assert [one.name for one in committed.catalogue] == list(CATALOGUE)
    (then,) = [one for one in committed.catalogue if one.name == name]
    now = entry(name)
    assert (now.title, now.source) == (then.title, then.source)
    same = ("reason", "regime", "branch_order", "stationary_order", "expression", "diagram", "weights", "latex")
    assert [getattr(now.found, key) for key in same] == [getattr(then.found, key) for key in same]
    assert [(one.id, one.verdict) for one in now.found.statements] == [
        (one.id, one.verdict) for one in then.found.statements
    ]


def test_pages_are_short() -> None:
    sizes = {path: path.stat().st_size for path in REPORTS.rglob("*.md")}
    assert sizes[REPORTS / "REPORT.md"] < 12_000
    assert [path.name for path, size in sizes.items() if size > 60_000] == []


def test_every_toy_is_told(toys: Results) -> None:
    text = "".join(pages(toys).values())
    for one in TOYS:
        assert f"\n# {one.id}: " in text
        assert f"`resproof prove --only {one.id}`" in text
    for part in ("- Not attempted: DR-T2.2, ", "As printed", "x is positive: holds on it", '(["svd"])'):
        assert part in text
    assert f"- x is positive: “{prose(positive.quote)}”" in text
    empty = "".join(pages(toys.model_copy(update={"statements": ()})).values())
    assert "This is not settled" in empty
    assert "mermaid" not in empty


def test_what_is_measured_stands_between_markers(toys: Results) -> None:
    environment = toys.environment.model_copy(update={"platform": "another", "device": "cuda"})
    again = records(TOYS, [run(one, Context(seed=0)) for one in TOYS])
    other = pages(toys.model_copy(update={"environment": environment, "statements": again}))
    assert other != pages(toys)
    assert {path: outside_measured(text) for path, text in other.items()} == {
        path: outside_measured(text) for path, text in pages(toys).items()
    }


def test_the_index_names_what_fails(committed: Results) -> None:
    text = (REPORTS / "REPORT.md").read_text(encoding="utf-8")
    (part,) = re.findall(r"^## Contradicted by a counterexample$(.*?)^## ", text, re.MULTILINE | re.DOTALL)
    failing = [one for one in committed.statements if contradicted(one)]
    assert sorted(re.findall(r"\(statements/(.*?)\.md\)", part)) == sorted(one.id for one in failing)
    assert all(f"[{called(one)}](" in part for one in failing)


def test_every_symbol_of_the_ledger_is_on_some_page(committed: Results) -> None:
    text = "\n".join(pages(committed).values())
    for paper in ledger().papers:
        assert symbols_on(text, paper.notation) == paper.notation


def test_the_ledger_names_each_id_once_and_all_that_is_asked() -> None:
    ids = [entry.id for entry in ledger().entries]
    assert len(ids) == len(set(ids))
    assert {*ledger().asked, *ledger().findings} <= set(ids)
    assert {entry.id: entry.erratum_of for entry in ledger().entries if entry.erratum_of} == {"DR-T1b": "DR-T1"}


# What GitHub makes of a page.


def without_code(text: str) -> str:
    return re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", FENCE.sub("", text))


def test_formulas_are_balanced_and_hold_nothing_that_github_refuses(book: dict[Path, str]) -> None:
    formulas = [body for text in book.values() for _, language, body in FENCE.findall(text) if language == "math"]
    assert formulas
    for body in formulas:
        assert not REFUSED.search(body), body
        assert "$" not in body
        assert "\n\n" not in body
        bare = re.sub(r"\\[{}]", "", body)
        depths = [bare[: i + 1].count("{") - bare[: i + 1].count("}") for i in range(len(bare))]
        assert min(depths) == depths[-1] == 0, body
        assert sorted(re.findall(r"\\begin\{(\w+)\}", body)) == sorted(re.findall(r"\\end\{(\w+)\}", body)), body
        assert len(re.findall(r"\\left(?![a-z])", body)) == len(re.findall(r"\\right(?![a-z])", body)), body
        for script in ("_", r"\^"):
            group = rf"{script}(?:\{{[^{{}}]*\}}|[A-Za-z0-9])\s*{script}"
            assert not re.search(group, body), f"two scripts in {body}"


def test_fences_tables_tags_and_markers_are_well_formed(book: dict[Path, str]) -> None:
    for path, text in book.items():
        assert len(re.findall(r"^ *```", text, re.MULTILINE)) == 2 * len(FENCE.findall(text)), path
        assert text.count("<!-- measured -->") == text.count("<!-- /measured -->"), path
        assert "\n\n\n" not in text, path
        columns = 0
        for line in FENCE.sub("", text).splitlines():
            found = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else 0
            assert not columns or not found or found == columns, f"{path}: {line}"
            columns = found
        bare = without_code(re.sub(r"<!--.*?-->", "", text))
        tags = re.findall(r"<(/?)([A-Za-z]\w*)[^>]*>", bare)
        assert {name for _, name in tags} <= {"a", "del", "mark", "sub", "sup", "details", "summary"}, path
        for name in {name for _, name in tags}:
            assert sum(-1 if closing else 1 for closing, tag in tags if tag == name) == 0, f"{path}: {name}"
        assert not re.search(r"(?<!\\)\$", without_code(re.sub(r"\$`[^`]*`\$", "", text))), path


def test_links_lead_somewhere_and_everything_is_reached(committed: Results) -> None:
    """To a file, and within it to a heading or a function; from the index to every page and figure."""
    book = pages(committed)
    reached, led = {Path("REPORT.md")}, 0
    for page, text in book.items():
        for words, file, function in LED.findall(text):
            assert words == function
            assert re.search(rf"^ *def {function}\b", (ROOT / file).read_text("utf-8"), re.MULTILINE), (file, words)
            led += 1
        for target in re.findall(r"\]\(([^)]+)\)", without_code(text)):
            if "://" in target or target.startswith("../../"):
                continue
            file, _, heading = target.partition("#")
            there = (REPORTS / page.parent / file).resolve() if file else REPORTS / page
            assert there.is_file(), f"{page}: {target}"
            reached.add(there.relative_to(REPORTS))
            if heading:
                headings = re.findall(r"^#+ (.*)$", FENCE.sub("", there.read_text("utf-8")), re.MULTILINE)
                assert heading in [anchor(re.sub(r"[`*]|<[^>]*>", "", one)) for one in headings], f"{page}: {target}"
    assert led > 300
    drawn = {path.relative_to(REPORTS) for path in (REPORTS / "figures").glob("*.svg") if path.name not in TIMED}
    assert {*book, *drawn} <= reached
