from pathlib import Path

import pytest

from proofs.parts import Context
from reports.build import build
from reports.schema import Results
from tests.proofs.toys import TOYS, find_toys


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the toy statements."""
    out = tmp_path_factory.mktemp("report")
    assert build(out, TOYS, Context(), "cpu", among=find_toys).statements
    return out


@pytest.fixture(scope="session")
def results(folder: Path) -> Results:
    return Results.model_validate_json((folder / "results.json").read_text())


@pytest.fixture(scope="session")
def report(folder: Path) -> str:
    return (folder / "REPORT.md").read_text()
