"""A project with folders of our packages' names keeps working; asking for us, it is told in one line."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from resproof.shadowed import unshadowed

ROOT = Path(__file__).parents[2]
BLOCK = """
from resproof.pytest_plugin import parametrize_with_statements

@parametrize_with_statements([])
def test_ours(check):
    check()
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a package of its own that is called proofs."""
    (tmp_path / "proofs").mkdir()
    (tmp_path / "proofs" / "__init__.py").write_text("OWN = True\n")
    (tmp_path / "test_own.py").write_text("from proofs import OWN\n\ndef test_own():\n    assert OWN\n")
    return tmp_path


def told(project: Path, *command: str) -> tuple[int, str]:
    """The status, and all that is told, of Python in this folder."""
    path = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, *command], cwd=project, env=path, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def test_here_nothing_is_hidden() -> None:
    unshadowed()


def test_its_own_tests_run(project: Path) -> None:
    assert told(project, "-m", "pytest", "-q", "test_own.py")[0] == 0


def test_what_asks_for_us_is_told_in_one_line(project: Path) -> None:
    (project / "test_ours.py").write_text(BLOCK)
    line = f"resproof: its package proofs is hidden by {(project / 'proofs').resolve()}; "
    ours = ("from resproof import check", "import resproof.layers", "from resproof.activations import relu")
    for command in (("-m", "pytest", "-q", "test_ours.py"), *(("-c", one) for one in ours)):
        status, shown = told(project, *command)
        assert status != 0
        assert shown.count(line) == 1
    status, shown = told(project, "-m", "pytest", "-q", "--arch", "block.py:block", "test_own.py")
    assert (status, shown.strip().startswith(f"ERROR: {line}")) == (4, True)
