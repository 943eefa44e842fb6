"""results.json to REPORT.md: everything that the report says comes from the results, nothing is typed.

Outside the `measured` markers the text depends on verdicts, proofs, counterexamples and scopes only, so that it is the
same byte for byte on any machine.
"""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from reports import markdown, summary
from reports.schema import Results

_TEMPLATES = Path(__file__).with_name("templates")


def render(results: Results) -> str:
    """The Markdown report."""
    return (
        _environment()
        .get_template("REPORT.md.j2")
        .render(
            results=results,
            answer=summary.answer(results),
            counts=summary.counts(results),
            ledger=summary.ledger_rows(results),
            graph=_graph(results),
            missing=summary.missing(results.ledger, results.statements),
            not_attempted=summary.NOT_ATTEMPTED,
        )
    )


def _graph(results: Results) -> str:
    """The statements that use or are used; what is used and was not attempted is shown as such."""
    edges = [(used, one.id) for one in results.statements for used in one.uses]
    joined = {id_ for edge in edges for id_ in edge}
    status = {one.id: one.verdict for one in results.statements}
    ordered = [*(id_ for id_ in status if id_ in joined), *sorted(joined - set(status))]
    nodes = [(id_, status.get(id_, summary.NOT_ATTEMPTED)) for id_ in ordered]
    return markdown.graph(nodes, edges) if edges else ""


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(
        prose=markdown.prose,
        code=markdown.code,
        formula=markdown.formula,
        shown=markdown.shown,
        number=markdown.number,
    )
    return environment
