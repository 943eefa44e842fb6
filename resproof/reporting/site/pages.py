"""What the site consists of: the report, the guides, and what they lead to, each under its path in the repository."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from resproof.reporting.schema import Results
from resproof.reporting.site.code import is_code, lines_of
from resproof.reporting.site.markup import links
from resproof.reporting.site.notebooks import ENDING, notebook_page
from resproof.reporting.site.statements import statement_list
from resproof.reporting.summary import ledger_rows

ROOT = Path(__file__).parents[3]
REPORT = "reports/REPORT.md"
LIMITS = "reports/LIMITS.md"
STATEMENTS = "reports/statements/index.md"
"""The list of all statements, which only the site has."""
INTERFACE = "interface.md"
"""The page about `import resproof`, which mkdocstrings makes of the docstrings."""
_WRITTEN = (
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "tests/README.md",
    "proofs/*/README.md",
    "proofs/*/formal/*.md",
    "reports/*.md",
    "reports/*/*.md",
)
AS_PAGE = ".md"
"""What a file of code gets behind its name, so that MkDocs takes it for a page."""
_ELSEWHERE = re.compile(r"[a-z]+:")


@dataclass(frozen=True, slots=True)
class Contents:
    """Markdown pages and files of code by their paths, files that are copied, and the results that the report shows."""

    pages: Mapping[str, str]
    code: Mapping[str, str]
    copied: frozenset[str]
    results: Results

    def place(self, page: str, target: str, words: str) -> tuple[str, str]:
        """The path and the anchor that a link on a page leads to; `words` are what it says.

        A file of code is entered at the function that the link names.
        """
        address, _, anchor = target.partition("#")
        path = _path(page, address)
        if path in self.code and words in lines_of(path, self.code[path]):
            anchor = words
        return path, anchor


@cache
def site() -> Contents:
    """The site of this checkout.

    Raises:
        ValueError: a page leads to what is not there.
    """
    results = Results.model_validate_json((ROOT / "reports/results.json").read_text(encoding="utf-8"))
    written = {
        str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
        for pattern in _WRITTEN
        for path in sorted(ROOT.glob(pattern))
    }
    papers = [written[paper_page(slug)] for slug in ledger_rows(results)]
    notebooks = {
        _page_of(str(path.relative_to(ROOT))): notebook_page(path.read_text(encoding="utf-8"))
        for path in sorted((ROOT / "examples").glob(f"*{ENDING}"))
    }
    pages = {**written, **notebooks, STATEMENTS: statement_list(papers)}
    led = {_path(page, target) for page, text in pages.items() for target, _ in links(text) if not elsewhere(target)}
    beside = led - set(pages)
    code = {path: (ROOT / path).read_text(encoding="utf-8") for path in sorted(beside) if is_code(path)}
    return Contents(pages, code, frozenset(beside - set(code)), results)


def elsewhere(target: str) -> bool:
    """Whether a link leads out of the repository."""
    return bool(_ELSEWHERE.match(target))


def paper_page(slug: str) -> str:
    """The path of a paper's page."""
    return f"reports/papers/{slug}.md"


def statement_page(id_: str) -> str:
    """The path of a statement's page."""
    return f"reports/statements/{id_}.md"


def _path(page: str, target: str) -> str:
    """The file that a link leads to: for a folder its README, or the module that says what the folder holds.

    Raises:
        ValueError: there is none.
    """
    address = target.partition("#")[0]
    if not address:
        return page
    path = posixpath.normpath(posixpath.join(posixpath.dirname(page), address))
    inside = [path, posixpath.join(path, "README.md"), posixpath.join(path, "__init__.py")]
    found = next((one for one in inside if (ROOT / one).is_file()), None)
    if not found:
        raise ValueError(f"{page} leads to {target}, which is not there")
    return _page_of(found)


def _page_of(path: str) -> str:
    """The page that a notebook is in the site; other files are where they are."""
    return f"{path.removesuffix(ENDING)}.md" if path.endswith(ENDING) else path
