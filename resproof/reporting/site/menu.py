"""The menu of the site: the report, statements by paper, known blocks, guides, the Python interface."""

from __future__ import annotations

from typing import Any

from resproof.reporting.site.pages import INTERFACE, REPORT, STATEMENTS, Contents, paper_page, statement_page
from resproof.reporting.statement_record import StatementRecord
from resproof.reporting.summary import PaperRows, ledger_rows

_BLOCKS = "reports/catalogue/"
_GUIDES = (
    "reports/TUTORIAL.md",
    "examples/my_block.md",
    "examples/my_paper.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "tests/README.md",
)
_PROOFS = "proofs/"


def menu(found: Contents) -> list[Any]:
    """The entries as MkDocs takes them: {title: path}, or {title: entries}, the first of which is about the others."""
    papers = [_paper(each) for each in ledger_rows(found.results).values()]
    blocks = [path for path in found.pages if path.startswith(_BLOCKS)]
    proofs = [path for path in found.pages if path.startswith(_PROOFS)]
    return [
        {"resproof": "README.md"},
        {"Report": [REPORT, "reports/LIMITS.md", "reports/TIMINGS.md"]},
        {"Statements": STATEMENTS},
        {"Papers": papers},
        {"Known blocks": ["reports/CATALOGUE.md", *blocks]},
        {"Guides": [*_GUIDES, *proofs]},
        {"Python": INTERFACE},
    ]


def _paper(each: PaperRows) -> dict[str, list[Any]]:
    """A paper's page, and its statements in its own order."""
    statements = [{_named(one): statement_page(one.id)} for one in each.statements]
    return {each.paper.title: [{"Overview": paper_page(each.paper.slug)}, *statements]}


def _named(one: StatementRecord) -> str:
    return f"{one.id}: {one.source.number}" if one.source else one.id
