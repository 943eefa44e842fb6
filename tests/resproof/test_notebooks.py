"""The notebooks of examples/ run from the first cell to the last, on the public interface, and show what they say."""

import ast
from pathlib import Path

import pytest

import resproof
from tests.resproof.notebooks import FOLDER, code_cells, outputs, read

NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def test_there_are_two() -> None:
    assert [path.name for path in NOTEBOOKS] == ["my_block.ipynb", "my_paper.ipynb"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_stored_outputs_are_current(path: Path) -> None:
    """`python -m tests.resproof.notebooks` writes them anew."""
    notebook = read(path)
    assert [cell["outputs"] for cell in code_cells(notebook)] == outputs(notebook)
    assert all(cell["execution_count"] is None for cell in code_cells(notebook))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_they_use_the_public_interface_alone(path: Path) -> None:
    sources = ["".join(cell["source"]) for cell in code_cells(read(path))]
    imports = [node for text in sources for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import)]
    taken = [node for text in sources for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)]
    assert not imports
    assert {node.module for node in taken} == {"resproof"}
    assert {name.name for node in taken for name in node.names} <= {*resproof.__all__}
