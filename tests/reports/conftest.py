from collections.abc import Iterable
from pathlib import Path

import pytest

from resproof.proofs.statement import Context
from resproof.reporting.build import build
from resproof.reporting.figures.experiments.every import FIGURES
from resproof.reporting.schema import Results
from tests.conftest import Once
from tests.proofs.toys import TOYS, find_toys

COMMITTED = Path(__file__).parents[2] / "reports"
WRITTEN = ["LIMITS.md", "REPORT.md", "figures", "papers", "results.json", "statements", "timings.json"]
"""What a report without the catalogue consists of."""


@pytest.fixture(scope="session", autouse=True)
def drawn_small(small_figures: None) -> None:
    """No figure here is drawn at the depths of a report."""


def committed_figures(observed: Iterable[str]) -> dict[str, str]:
    """The figures of experiments as they are committed."""
    places = (COMMITTED / "figures" / FIGURES[id_].file for id_ in observed)
    return {path.name: path.read_text("utf-8") for path in places}


@pytest.fixture(scope="session")
def folder(once: Once, drawn_small: None) -> Path:
    """The report of the toy statements; experiments are drawn in tests/reports/test_reproduce.py, one by one."""

    def fill(out: Path) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("resproof.reporting.build.experiment_figures", committed_figures)
            assert build(out, TOYS, Context(), "cpu", among=find_toys).statements

    return once("report", fill)


@pytest.fixture(scope="session")
def results(folder: Path) -> Results:
    return Results.model_validate_json((folder / "results.json").read_text())


def pages_in(folder: Path) -> dict[Path, str]:
    """Every page of a report, by its path there."""
    return {path.relative_to(folder): path.read_text("utf-8") for path in sorted(folder.rglob("*.md"))}


@pytest.fixture(scope="session")
def written(folder: Path) -> dict[Path, str]:
    return pages_in(folder)


@pytest.fixture(scope="session")
def report(written: dict[Path, str]) -> str:
    """All pages, one after the other."""
    return "".join(written.values())
