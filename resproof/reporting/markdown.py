r"""Text, code, formulas and diagrams as GitHub renders them.

`prose` is escaped, so that a_b, |M|, <x> and $ stand for themselves, in tables too: quotations, as their documents have
them, and sizes, as they are computed. `with_formulas` sets the formulas of a text. Displayed formulas go into ```math
blocks, which Markdown leaves alone; GitHub refuses \operatorname and \mbox, and blank lines would end a formula.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from resproof.proofs.changes import Change, parts
from resproof.proofs.formulas import pieces

_SPECIAL = re.compile(r"([\\`*_\[\]|~$])")
_AT_THE_START = re.compile(r"^(\d+(?=[.)]( |$))|(?=[#+>-]))")
_MACROS = (
    (re.compile(r"\\operatorname\*?\{((?:\\.|[^{}\\])*)\}"), r"\\mathop{\\mathrm{\1}}"),
    (re.compile(r"\\mbox\b"), r"\\text"),
)
_POWER = re.compile(r"\$`.*?`\$|`[^`]*`|\b(?P<digits>\d+(?:\.\d+)?)e(?P<exponent>[+-]\d+)\b")
_NOT_IN_ANCHORS = re.compile(r"[^\w\- ]")
_WORD = re.compile(r"[A-Za-z-]+")
_LONG = 110
_SPLIT = re.compile(r",?\s*\\qquad\s*")
_MEASURED = re.compile(r"<!-- measured -->.*?<!-- /measured -->", re.DOTALL)
_CLOSED = {"": "", "**": "**", "<del>": "</del>", "**<mark>": "</mark>**"}
"""Formulas are not set in bold letters: what is behind them is coloured too."""
CITED = "cited theorem"
STREAM, BRANCH = "stream", "branch"
"""What the boxes of a unit's diagram are."""
_COLOURS = {
    "PROVED": "fill:#1a7f37,color:#ffffff,stroke:none",
    "REPAIRED": "fill:#0969da,color:#ffffff,stroke:none",
    "OBSERVED": "fill:#9a6700,color:#ffffff,stroke:none",
    "REFUTED": "fill:#8250df,color:#ffffff,stroke:none",
    "FAILED": "fill:#cf222e,color:#ffffff,stroke:none",
    "OPEN": "fill:#57606a,color:#ffffff,stroke:none",
    "ERROR": "fill:#1f2328,color:#ffffff,stroke:#cf222e",
    "not attempted": "fill:#eaeef2,color:#1f2328,stroke:#8c959f",
    CITED: "fill:#ffffff,color:#1f2328,stroke:#1f2328,stroke-dasharray:4 3",
    STREAM: "fill:#ffffff,color:#1f2328,stroke:#1f2328",
    BRANCH: "fill:#ddf4ff,color:#1f2328,stroke:#0969da",
}


def prose(text: str) -> str:
    """`text` on one line, meaning exactly itself."""
    return _begun(_escaped(" ".join(text.split())))


def with_formulas(text: str) -> str:
    """A text with formulas in it (`proofs.formulas`) on one line: the prose means itself, the formulas are set."""
    return _begun(_set(" ".join(text.split())))


def _set(line: str) -> str:
    return "".join(inline(one.text) if one.formula else _escaped(one.text) for one in pieces(line))


def quoted(quotation: str, changes: Iterable[Change]) -> str:
    """A quotation on one line, what is changed struck out, and in bold where something is only added."""
    marks = {one.printed: "**" if one.kept else "<del>" for one in changes}
    return _begun("".join(f"{mark}{_escaped(text)}{_CLOSED[mark]}" for text, mark in parts(quotation, marks)))


def changed(text: str, changes: Iterable[Change]) -> str:
    """A text with formulas on one line, in bold and marked what is read in the place of printed words."""
    found = parts(text, {one.read: "**<mark>" for one in changes})
    return _begun("".join(f"{mark}{_set(words)}{_CLOSED[mark]}" for words, mark in found))


def _escaped(line: str) -> str:
    return _SPECIAL.sub(r"\\\1", line.replace("&", "&amp;").replace("<", "&lt;"))


def _begun(line: str) -> str:
    """`line` where a block may begin: it is no list, heading or quotation."""
    return _AT_THE_START.sub(r"\1\\", line)


def unbroken(id_: str) -> str:
    """`id_` for a narrow column of a table, with hyphens at which no line breaks."""
    return prose(id_).replace("-", "\N{NON-BREAKING HYPHEN}")


def anchor(heading: str) -> str:
    """What GitHub calls a heading of this text: small letters, hyphens for spaces."""
    return _NOT_IN_ANCHORS.sub("", heading.lower()).replace(" ", "-")


def code(text: str) -> str:
    """`text` as inline code, whatever backticks it holds; in a table a | would end the cell."""
    line = " ".join(text.split())
    fence = "`" * (max((len(run) for run in re.findall("`+", line)), default=0) + 1)
    space = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{space}{line}{space}{fence}"


def fenced(text: str, language: str = "text") -> str:
    """A block of code, whatever backticks it holds."""
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{fence}{language}\n{text}\n{fence}"


def named(sentence: str, name: str) -> str:
    """A sentence that begins with what the user named: the name is code unless it is a plain word, the rest prose."""
    if not sentence.startswith(f"{name}: ") or _WORD.fullmatch(name):
        return prose(sentence)
    return f"{code(name)}: {prose(sentence[len(name) + 2 :])}"


def formula(latex: str) -> str:
    """A displayed formula; a long one is broken where it consists of several."""
    for pattern, replacement in _MACROS:
        latex = pattern.sub(replacement, latex)
    lines = [line.strip() for line in latex.strip().splitlines() if line.strip()]
    if sum(map(_width, lines)) > _LONG:
        broken = [line for part in _parts(" ".join(lines)) for line in _summands(part)]
        if len(broken) > 1:
            lines = [
                r"\begin{gathered}",
                *(rf"{line} \\[6pt]" for line in broken[:-1]),
                broken[-1],
                r"\end{gathered}",
            ]
    return "\n".join(["```math", *lines, "```"])


def inline(latex: str) -> str:
    """A formula within a line."""
    return f"$`{latex}`$"


def _width(latex: str) -> int:
    """Roughly how many characters it shows."""
    return len(re.sub(r"\\(?:mathsf|mathrm|text|left|right|tfrac|frac|sigma|begin|end)|[{}_^\\\s]", "", latex))


def _parts(latex: str) -> list[str]:
    r"""The formulas between the \qquad that stand in no group and no environment."""
    found, begin = [], 0
    for gap in _SPLIT.finditer(latex):
        if _outside(latex[: gap.start()]):
            found.append(latex[begin : gap.start()] + ("," if "," in gap[0] else ""))
            begin = gap.end()
    return [*found, latex[begin:]]


def _summands(latex: str) -> list[str]:
    """A sum that is too long for one line, broken before a plus or minus that stands in no group."""
    found, begin = [], 0
    for sign in re.finditer(r" (?=[+-] )", latex):
        rest = latex[begin:]
        if (
            _width(rest) > _LONG
            and _width(latex[begin : sign.start()]) > _LONG // 2
            and _outside(latex[: sign.start()])
        ):
            found.append(latex[begin : sign.start()])
            begin = sign.start()
    return [*found, latex[begin:]]


def _outside(before: str) -> bool:
    r"""Whether no group, \left or environment is open after this."""
    pairs = (("{", "}"), (r"\left", r"\right"), (r"\begin", r"\end"), ("(", ")"))
    return all(before.count(opened) == before.count(closed) for opened, closed in pairs)


def shown(found: str) -> str:
    """What an engine found: LaTeX is told from text by a backslash; text stands as code."""
    if "\\" in found:
        return formula(found)
    if "\n" in found.strip():
        return fenced(found.strip())
    return code(found)


def plain(found: str) -> bool:
    """Whether `shown` sets it within a line."""
    return "\\" not in found and "\n" not in found.strip()


def outside_measured(report: str) -> str:
    """`report` without what stands between its `measured` markers: the part that is the same on any machine."""
    return _MEASURED.sub("", report)


def number(value: float) -> str:
    """Three significant digits, powers of ten written out."""
    return powers(f"{value:.3g}")


def powers(line: str) -> str:
    """A line of Markdown in which 1e+06 has its power of ten written out, outside code and formulas."""
    return _POWER.sub(_power, line)


def _power(found: re.Match[str]) -> str:
    if not found["exponent"]:
        return found[0]
    return f"{found['digits']}\N{NO-BREAK SPACE}·\N{NO-BREAK SPACE}10<sup>{int(found['exponent'])}</sup>"


def number_or(value: float | None, otherwise: str = "") -> str:
    """A number, infinite where it is, and `otherwise` where there is none."""
    if value is None:
        return otherwise
    return "infinite" if value == math.inf else number(value)


class Node(NamedTuple):
    """A box of a diagram: its key, the lines in it, and the status that colours it."""

    key: str
    lines: tuple[str, ...]
    status: str


def legend(statuses: Iterable[str]) -> str:
    """A Mermaid diagram that shows the colour of each status."""
    used = sorted(set(statuses), key=list(_COLOURS).index)
    boxes = [f'  l{position}["{status}"]:::{_class(status)}' for position, status in enumerate(used)]
    row = [f"  l{position} ~~~ l{position + 1}" for position in range(len(used) - 1)]
    return _mermaid([*boxes, *row], used)


def graph(nodes: Sequence[Node], edges: Iterable[tuple[str, str]]) -> str:
    """A Mermaid diagram with an arrow for each (used, user), the nodes coloured by status."""
    names = {node.key: f"n{position}" for position, node in enumerate(nodes)}
    used = sorted({node.status for node in nodes}, key=list(_COLOURS).index)
    boxes = [f"  {names[node.key]}{_box(node)}:::{_class(node.status)}" for node in nodes]
    return _mermaid([*boxes, *(f"  {names[below]} --> {names[above]}" for below, above in edges)], used)


def _mermaid(lines: Sequence[str], statuses: Sequence[str]) -> str:
    colours = [f"  classDef {_class(status)} {_COLOURS[status]}" for status in statuses]
    return "\n".join(["```mermaid", "flowchart LR", *lines, *colours, "```"])


def _box(node: Node) -> str:
    label = "<br/>".join(map(_label, node.lines))
    return f'(["{label}"])' if node.status in (CITED, STREAM) else f'["{label}"]'


def _label(text: str) -> str:
    for each, entity in (("#", "#35;"), ("&", "#amp;"), ('"', "#quot;"), ("<", "#lt;"), ("`", "#96;")):
        text = text.replace(each, entity)
    return " ".join(text.split())


def _class(status: str) -> str:
    return status.lower().replace(" ", "_")
