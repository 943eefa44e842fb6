"""The catalogue in the report: its table, its pages, and that the committed one is what the blocks compute to."""

import json
import re
from pathlib import Path

import pytest

from resproof.architectures.entries import CATALOGUE
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.block.general import HypothesisError, require_hypotheses
from resproof.proofs.theory.regimes import regime_of
from resproof.reporting.catalogue import block_pages, entries
from resproof.reporting.render import pages
from resproof.reporting.schema import CatalogueEntry, Results
from resproof.symbolic.index.expansion import expansion
from resproof.symbolic.index.lift import branch_order

ROOT = Path(__file__).parents[2]
SHOWN = ("tied", "highway", "swiglu")


@pytest.fixture(scope="module")
def found() -> tuple[CatalogueEntry, ...]:
    return entries(names=SHOWN)


def test_pages(found: tuple[CatalogueEntry, ...], tmp_path: Path) -> None:
    written = block_pages(found, tmp_path)
    assert {path.name for path in written} == {"tied.md", "tied.svg", "highway.md", "swiglu.md", "swiglu.svg"}
    assert all(one.title in written[tmp_path / f"{one.name}.md"] for one in found)


def test_the_table(found: tuple[CatalogueEntry, ...], results: Results) -> None:
    text = pages(results.model_copy(update={"catalogue": found}))[Path("CATALOGUE.md")]
    lines = [line for line in text.splitlines() if line.startswith("| [")]
    assert [len(re.findall(r"(?<!\\)\|", line)) for line in lines] == [9, 9, 9]
    assert "| depth-invariant | 2 | 1 | not at all | none | GEN\N{NON-BREAKING HYPHEN}1, " in lines[0]
    assert "does not start as the identity" in lines[1]
    assert "| flat | 3 | 2 | the Hessian is zero | W1, W2, W3 |" in lines[2]


def failing(unit: ResidualUnit) -> str:
    try:
        require_hypotheses(unit)
    except HypothesisError as error:
        return str(error)
    return ""


def test_the_committed_catalogue_is_what_the_blocks_compute_to() -> None:
    committed = json.loads((ROOT / "reports" / "results.json").read_text())["catalogue"]
    assert [one["name"] for one in committed] == list(CATALOGUE)
    for one in committed:
        unit, told = ResidualUnit(CATALOGUE[one["name"]].build()), one["found"]
        assert (one["title"], one["source"]) == (CATALOGUE[one["name"]].title, CATALOGUE[one["name"]].source)
        reason = failing(unit)
        assert told["reason"] == reason
        if reason:
            continue
        order = branch_order(unit)
        assert (told["branch_order"], told["regime"]) == (order, regime_of(order))
        assert {w["name"]: w["degree"] for w in told["weights"]} == expansion(unit).entering
        assert all(each["verdict"] in {"PROVED", "OBSERVED", None} for each in told["statements"])
        page = (ROOT / "reports" / "catalogue" / f"{one['name']}.md").read_text()
        assert page.startswith(f"# {one['title']}")
