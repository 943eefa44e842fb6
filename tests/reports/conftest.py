from collections.abc import Iterator
from pathlib import Path

import pytest

from proofs.statement import Context
from reports.build import build
from reports.schema import Results
from tests.proofs.toys import TOYS, find_toys

WRITTEN = ["LIMITS.md", "REPORT.md", "TIMINGS.md", "figures", "papers", "results.json", "statements", "timings.json"]
"""What a report without the catalogue consists of."""


@pytest.fixture(scope="session", autouse=True)
def small_figures() -> Iterator[None]:
    """Figures at small depths: what they show does not depend on it, what they cost does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("reports.figures.condition.DEPTHS", (1, 2, 3))
        patch.setattr("reports.figures.spectrum.UNITS", 2)
        patch.setattr("reports.figures.error.UNITS", (10, 100))
        patch.setattr("reports.figures.norms.UNITS", (10, 100))
        patch.setattr("reports.figures.deep.UNITS", (1, 2, 5, 100))
        patch.setattr("reports.figures.growth.UNITS", (1, 2, 4))
        patch.setattr("reports.figures.hidden.DEPTHS", (1, 3, 10, 100))
        yield


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the toy statements."""
    out = tmp_path_factory.mktemp("report")
    assert build(out, TOYS, Context(), "cpu", among=find_toys).statements
    return out


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
