"""A notebook as a Markdown page: its text, its code, and the outputs that are stored in it."""

from __future__ import annotations

import json
from typing import Any

from resproof.reporting.markdown import fenced

ENDING = ".ipynb"


def notebook_page(text: str) -> str:
    """The page of a notebook's JSON."""
    return "\n\n".join(part for cell in json.loads(text)["cells"] for part in _cell(cell)) + "\n"


def _cell(cell: dict[str, Any]) -> list[str]:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return [source]
    return [fenced(source, "python"), *(fenced(_plain(one).rstrip()) for one in cell["outputs"])]


def _plain(output: dict[str, Any]) -> str:
    """What was printed, or the last expression, as text."""
    return "".join(output["text"] if output["output_type"] == "stream" else output["data"]["text/plain"])
