"""Notebooks run cell by cell, without Jupyter: what a cell prints, and what its last expression is shown as.

`python -m tests.resproof.notebooks` writes the outputs into the files; cells with the tag "measured" keep none, for
they show numbers that differ from machine to machine, or a picture.
"""

from __future__ import annotations

import ast
import json
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "examples"
_SHOWN = {"text/latex": "_repr_latex_", "text/markdown": "_repr_markdown_"}


def outputs(notebook: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """The outputs of every code cell, run in one namespace from the first to the last."""
    space: dict[str, Any] = {"__name__": "__main__"}
    return [
        _outputs("".join(cell["source"]), space, stored="measured" not in cell["metadata"].get("tags", ()))
        for cell in code_cells(notebook)
    ]


def code_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """Those that run."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def _outputs(source: str, space: dict[str, Any], *, stored: bool) -> list[dict[str, Any]]:
    *body, last = ast.parse(source).body
    shown = last.value if isinstance(last, ast.Expr) else None
    printed, value = StringIO(), None
    with redirect_stdout(printed):
        exec(compile(ast.Module([*body, *([] if shown else [last])], []), "<cell>", "exec"), space)
        if shown:
            value = eval(compile(ast.Expression(shown), "<cell>", "eval"), space)
    found: list[dict[str, Any]] = []
    if printed.getvalue():
        found.append({"name": "stdout", "output_type": "stream", "text": _lines(printed.getvalue())})
    if value is not None:
        data = {kind: _lines(getattr(value, name)()) for kind, name in _SHOWN.items() if hasattr(value, name)}
        data["text/plain"] = _lines(repr(value))
        found.append({"data": data, "execution_count": None, "metadata": {}, "output_type": "execute_result"})
    return found if stored else []


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def read(path: Path) -> dict[str, Any]:
    """The notebook in a file."""
    return json.loads(path.read_text(encoding="utf-8"))


def main() -> None:
    """Run every notebook of examples/ and write its outputs into it."""
    for path in sorted(FOLDER.glob("*.ipynb")):
        notebook = read(path)
        for cell, found in zip(code_cells(notebook), outputs(notebook), strict=True):
            cell["outputs"] = found
        path.write_text(f"{json.dumps(notebook, indent=1, ensure_ascii=False)}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
