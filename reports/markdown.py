r"""Text, code, formulas and diagrams as GitHub renders them.

Prose is escaped, so that a_b, |M|, <x> and $ stand for themselves, in tables too. Formulas go into ```math blocks,
which Markdown leaves alone; GitHub refuses \operatorname and \mbox, and blank lines would end a formula.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_SPECIAL = re.compile(r"([\\`*_\[\]|~$])")
_AT_THE_START = re.compile(r"^(\d+(?=[.)]( |$))|(?=[#+>-]))")
_MACROS = (
    (re.compile(r"\\operatorname\*?\{([^{}]*)\}"), r"\\mathop{\\mathrm{\1}}"),
    (re.compile(r"\\mbox\b"), r"\\text"),
)
_MEASURED = re.compile(r"<!-- measured -->.*?<!-- /measured -->", re.DOTALL)
_COLOURS = {
    "PROVED": "#1a7f37",
    "REPAIRED": "#0969da",
    "OBSERVED": "#9a6700",
    "REFUTED": "#bc4c00",
    "FAILED": "#cf222e",
    "OPEN": "#6e7781",
    "not attempted": "#afb8c1",
}


def prose(text: str) -> str:
    """`text` on one line, meaning exactly itself."""
    line = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;")
    return _AT_THE_START.sub(r"\1\\", _SPECIAL.sub(r"\\\1", line))


def code(text: str) -> str:
    """`text` as inline code, whatever backticks it holds; in a table a | would end the cell."""
    line = " ".join(text.split())
    fence = "`" * (max((len(run) for run in re.findall("`+", line)), default=0) + 1)
    space = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{space}{line}{space}{fence}"


def formula(latex: str) -> str:
    """A displayed formula."""
    for pattern, replacement in _MACROS:
        latex = pattern.sub(replacement, latex)
    lines = [line.strip() for line in latex.strip().splitlines() if line.strip()]
    return "\n".join(["```math", *lines, "```"])


def shown(found: str) -> str:
    """What an engine found: LaTeX is told from text by a backslash; text stands as code."""
    if "\\" in found:
        return formula(found)
    if "\n" in found.strip():
        fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", found)), default=0))
        return f"{fence}text\n{found.strip()}\n{fence}"
    return code(found)


def outside_measured(report: str) -> str:
    """`report` without what stands between its `measured` markers: the part that is the same on any machine."""
    return _MEASURED.sub("", report)


def number(value: float) -> str:
    """Three significant digits."""
    return f"{value:.3g}"


def graph(nodes: Iterable[tuple[str, str]], edges: Iterable[tuple[str, str]]) -> str:
    """A Mermaid diagram of (id, status) and (used, user) pairs, the nodes coloured by status."""
    nodes = list(nodes)
    names = {id_: f"n{number}" for number, (id_, _) in enumerate(nodes)}
    used = sorted({status for _, status in nodes}, key=list(_COLOURS).index)
    return "\n".join(
        [
            "```mermaid",
            "flowchart LR",
            *(f'  {names[id_]}["{_label(id_)}"]:::{_class(status)}' for id_, status in nodes),
            *(f"  {names[below]} --> {names[above]}" for below, above in edges),
            *(f"  classDef {_class(status)} fill:{_COLOURS[status]},color:#ffffff,stroke:none" for status in used),
            "```",
        ]
    )


def _label(id_: str) -> str:
    return id_.replace("&", "#amp;").replace('"', "#quot;").replace("<", "#lt;")


def _class(status: str) -> str:
    return status.lower().replace(" ", "_")
