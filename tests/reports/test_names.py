"""Links say where they lead, functions are where they lead, and a page explains the symbols that it uses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from resproof.proofs.experiments import experiments
from resproof.reporting.experiment_records import experiment_results
from resproof.reporting.markdown import anchor
from resproof.reporting.names import called, experiment_called, held, printed_as, scale, symbols_on
from resproof.reporting.render import pages
from resproof.reporting.said import contradicted
from resproof.reporting.schema import Results, Symbol, ledger
from resproof.reporting.summary import Row, ledger_rows

ROOT = Path(__file__).parents[2]
LED = re.compile(r"\[`(\w+)`\]\(\.\./\.\./([\w/]+\.py)#:~:text=def%20(\w+)\)")


@pytest.fixture(scope="module")
def shipped() -> Results:
    return Results.model_validate_json((ROOT / "reports/results.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def book(shipped: Results) -> dict[Path, str]:
    return pages(shipped)


def test_functions_are_in_the_files_that_steps_lead_to(book: dict[Path, str]) -> None:
    found = {link for text in book.values() for link in LED.findall(text)}
    assert len(found) > 300
    for words, file, function in found:
        assert words == function
        assert re.search(rf"^ *def {function}\b", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE), (
            file,
            words,
        )


def test_the_index_names_what_fails(book: dict[Path, str], shipped: Results) -> None:
    text = book[Path("REPORT.md")]
    (part,) = re.findall(r"^## Contradicted by a counterexample$(.*?)^## ", text, re.MULTILINE | re.DOTALL)
    failing = [one for one in shipped.statements if contradicted(one)]
    assert sorted(re.findall(r"\(statements/(.*?)\.md\)", part)) == sorted(one.id for one in failing)
    assert all(f"[{called(one)}](" in part for one in failing)


def test_the_index_leads_to_each_experiment(book: dict[Path, str]) -> None:
    text = book[Path("REPORT.md")]
    for one in experiment_results(experiments()).values():
        heading = experiment_called(one)
        assert f"[{heading}](papers/" in text
        assert f"#{anchor(heading)})" in text
        assert any(f"\n### {heading}\n" in page for page in book.values())
        yes = sum(found.holds for _, found in one.judged.findings)
        assert held(one) == f"{yes} of {len(one.experiment.criteria)}"


def test_links_of_a_page_tell_statements_apart(book: dict[Path, str]) -> None:
    for path, text in book.items():
        found = re.findall(r"\[((?:[^\[\]\\]|\\.)+)\]\((?:\.\./)?statements/([^)]+)\.md\)", text)
        targets = {words: {target for known, target in found if known == words} for words, _ in found}
        assert {words for words, there in targets.items() if len(there) > 1} == set(), path


def test_scale_is_told_from_the_runs() -> None:
    ones = experiment_results(experiments()).values()
    layers = [run.parameters["layers"] for one in ones for run in one.records.values() if "layers" in run.parameters]
    assert {max(layers), min(layers)} <= set(map(int, re.findall(r"\d+", scale(ones).rpartition(",")[2])))


@pytest.mark.parametrize(
    ("page", "shown"),
    [
        ("$`c M`$", ["M", "c"]),
        ("$`\\mathrm{pre}(x)`$", ["\\mathrm{pre}, \\mathrm{mid}"]),
        ("$`X^{\\mathsf T} + o(1)`$, and M in prose", []),
        ("<!-- measured -->\n$`M`$\n<!-- /measured -->", []),
        ("```math\nY X^{\\mathsf T} = \\sigma(T)\n```", ["S, T"]),
        ("$`W a + o`$ and $`+ o(t)`$", ["W^{r,l}"]),
        ("- within\n\n  ```math\n  W_1\n  ```", ["W^{r,l}"]),
    ],
)
def test_symbols_on_a_page(page: str, shown: list[str]) -> None:
    symbols = ("M", "c", "q, o", "S, T", "\\mathrm{pre}, \\mathrm{mid}", "W^{r,l}", "\\Delta W^l")
    notation = [Symbol(symbol=each, meaning="") for each in symbols]
    assert [each.symbol for each in symbols_on(page, notation)] == shown


def test_every_symbol_of_the_ledger_is_on_some_page(book: dict[Path, str]) -> None:
    for paper in ledger().papers:
        text = "\n".join(book.values())
        assert symbols_on(text, paper.notation) == paper.notation


def test_what_is_ours_is_told_by_what_it_stands_beside() -> None:
    results = Results.model_validate_json((ROOT / "reports/results.json").read_text(encoding="utf-8"))
    papers = ledger_rows(results.model_copy(update={"ledger": ledger()})).values()
    told: dict[str, str] = {}
    for each in papers:
        for rows in each.sections.values():
            here: list[Row] = [row for row in rows if row.statement]
            told |= {row.id: printed_as(row, here, each.rows) for row in here}
    assert told["DR-T1a"] == "ours (Theorem 1, Eq. 6, 7)"
    assert told["DR-T2S"] == "ours (after Theorem 2)"
    assert (told["RS-LG"], told["GEN-1"], told["RS-T1"]) == ("ours", "GEN-1", "Theorem 1, Eq. 9-14")
    assert not any(id_ == text for id_, text in told.items() if not id_.startswith("GEN"))
