"""What the site consists of: the report, the guides, and what they lead to, each under its path in the repository."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from resproof.reporting.markdown import fenced, unbroken
from resproof.reporting.schema import Results
from resproof.reporting.site.markup import headings, links
from resproof.reporting.statement_record import StatementRecord
from resproof.reporting.summary import ledger_rows

ROOT = Path(__file__).parents[3]
STATEMENTS = "reports/statements/index.md"
"""The list of all statements, which only the site has."""
INTERFACE = "interface.md"
"""The page about `import resproof`, which mkdocstrings makes of the docstrings."""
AS_PAGE = ".md"
"""What a file of code gets behind its name, so that MkDocs takes it for a page."""
_REPORT = ("reports/REPORT.md", "reports/LIMITS.md", "reports/TIMINGS.md")
_GUIDES = (
    *("reports/TUTORIAL.md", "examples/my_block.md", "examples/my_paper.md", "ARCHITECTURE.md", "CONTRIBUTING.md"),
    *("CHANGELOG.md", "tests/README.md"),
)
_WRITTEN = ("*.md", "tests/README.md", "proofs/*/README.md", "proofs/*/formal/*.md", "reports/*.md", "reports/*/*.md")
_CODE = {".py": "python", ".v": "coq"}
_STATEMENT = re.compile(r"^\|.*\(\.\./statements/([^)]+)\.md\).*\|$", re.MULTILINE)
_LIST = """\
# Statements

<div class="filters" id="filters" hidden>
<label>Paper <select name="paper"></select></label>
<label>Verdict <select name="verdict"></select></label>
<label>Words <input type="search" name="words" placeholder="condition number, Eq. 9, GEN-1"></label>
<output></output>
</div>

| printed as | verdict | statement | for | id | paper |
|---|---|---|---|---|---|
{}

<script src="../../statements.js"></script>
"""


@dataclass(frozen=True, slots=True)
class Contents:
    """Markdown pages and files of code by their paths, files that are copied, and the results that the report shows."""

    pages: Mapping[str, str]
    code: Mapping[str, str]
    copied: frozenset[str]
    results: Results


@cache
def site() -> Contents:
    """The site of this checkout.

    Raises:
        ValueError: a page leads to what is not there.
    """
    results = Results.model_validate_json((ROOT / "reports/results.json").read_text(encoding="utf-8"))
    pages = {_name(path): _read(path) for pattern in _WRITTEN for path in sorted(ROOT.glob(pattern))}
    notebooks = {_page_of(_name(path)): _notebook(_read(path)) for path in sorted((ROOT / "examples").glob("*.ipynb"))}
    pages |= {**notebooks, STATEMENTS: _statements([pages[paper_page(slug)] for slug in ledger_rows(results)])}
    led = {file_of(page, target) for page, text in pages.items() for target in links(text) if not elsewhere(target)}
    beside = led - set(pages)
    code = {path for path in beside if PurePosixPath(path).suffix in _CODE}
    return Contents(pages, {path: _code(path) for path in sorted(code)}, frozenset(beside - code), results)


def elsewhere(target: str) -> bool:
    """Whether a link leads out of the repository."""
    return bool(re.match("[a-z]+:", target))


def paper_page(slug: str) -> str:
    """The path of a paper's page."""
    return f"reports/papers/{slug}.md"


def statement_page(id_: str) -> str:
    """The path of a statement's page."""
    return f"reports/statements/{id_}.md"


def file_of(page: str, target: str) -> str:
    """The file that a link leads to: for a folder its README, or the module that says what the folder holds.

    Raises:
        ValueError: there is none.
    """
    address = target.partition("#")[0]
    path = posixpath.normpath(posixpath.join(posixpath.dirname(page), address)) if address else page
    for inside in ("", "README.md", "__init__.py"):
        if path == page or (ROOT / path / inside).is_file():
            return _page_of(posixpath.join(path, inside).rstrip("/"))
    raise ValueError(f"{page} leads to {target}, which is not there")


def menu(found: Contents) -> list[Any]:
    """The entries as MkDocs takes them: {title: path}, or {title: entries}, the first of which is about the others."""
    papers = [
        {each.paper.title: [{"Overview": paper_page(each.paper.slug)}, *map(_entry, each.statements)]}
        for each in ledger_rows(found.results).values()
    ]
    return [
        {"resproof": "README.md"},
        {"Report": [path for path in _REPORT if path in found.pages]},
        {"Statements": STATEMENTS},
        {"Papers": papers},
        {"Known blocks": ["reports/CATALOGUE.md", *(path for path in found.pages if "/catalogue/" in path)]},
        {"Guides": [*_GUIDES, *(path for path in found.pages if path.startswith("proofs/"))]},
        {"Python": INTERFACE},
    ]


def _entry(one: StatementRecord) -> dict[str, str]:
    return {f"{one.id}: {one.source.number}" if one.source else one.id: statement_page(one.id)}


def _statements(papers: list[str]) -> str:
    """The list of all statements, made of the rows of the papers' own pages; assets/statements.js filters it.

    It lies in a folder beside theirs, so that the links of their rows lead where they lead there.
    """
    rows = [
        f"{row[0]} {unbroken(row[1])} | {headings(text)[0]['title']} |"
        for text in papers
        for row in _STATEMENT.finditer(text)
    ]
    return _LIST.format("\n".join(rows))


def _notebook(text: str) -> str:
    """A notebook as a Markdown page: its text, its code, and the outputs that are stored in it."""
    parts = list[str]()
    for cell in json.loads(text)["cells"]:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else fenced(source, "python"))
        for one in cell.get("outputs", ()):
            shown = one["text"] if one["output_type"] == "stream" else one["data"]["text/plain"]
            parts.append(fenced("".join(shown).rstrip()))
    return "\n\n".join(parts) + "\n"


def _code(path: str) -> str:
    """A file of code as a Markdown page; links name their function by a text fragment."""
    return f"# {path}\n\n{fenced(_read(ROOT / path), _CODE[PurePosixPath(path).suffix])}\n"


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _page_of(path: str) -> str:
    """The page that a notebook is in the site; other files are where they are."""
    return f"{path.removesuffix('.ipynb')}.md" if path.endswith(".ipynb") else path
