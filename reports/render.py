"""results.json to pages: everything that the report says comes from the results, nothing is typed.

Outside the `measured` markers the text depends on verdicts, proofs, counterexamples and scopes only, so that it is the
same byte for byte on any machine.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from pathlib import Path
from textwrap import wrap
from typing import Any, cast

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from proofs.statement import Measurement
from reports import markdown, summary
from reports.benchmark_results import Benchmarks, benchmarks
from reports.figures.every import captions
from reports.gpu_results import GpuResults, gpu_results
from reports.markdown import CITED, Node
from reports.schema import Paper, Results, StatementRecord
from reports.scopes import shortened

_TEMPLATES = Path(__file__).with_name("templates")
_FILTERS = (
    markdown.prose,
    markdown.unbroken,
    markdown.inline,
    markdown.typeset,
    markdown.named,
    markdown.code,
    markdown.fenced,
    markdown.formula,
    markdown.shown,
    markdown.number,
)
_BLANK = re.compile(r"\n{3,}")
_TRAILING = re.compile(r"[ \t]+(?=\n)")


def pages(results: Results, gpu: GpuResults | None = None, beside: Benchmarks | None = None) -> dict[Path, str]:
    """Every page of the report by its path: the index, one for each paper and each statement, and what is beside.

    `gpu` is what was measured on a GPU, by default the newest run in reports/gpu; `beside` what was timed beside the
    peers, by default what lies in reports/benchmarks.
    """
    rows, papers = summary.ledger_rows(results), summary.papers(results)
    found = {Path("REPORT.md"): _index(results)}
    for paper in papers:
        found[Path("papers", f"{paper.slug}.md")] = _paper(results, paper, rows[paper.slug])
        found |= _statements(results, paper, rows[paper.slug])
    ids = {one.id for one in results.statements}
    found[Path("LIMITS.md")] = _page(
        "limits.md.j2",
        ids,
        results=results,
        counts=summary.counts(results),
        meanings=summary.MEANINGS,
        missing=summary.missing(results.ledger, results.statements),
        cited=summary.cited_theorems(results),
    )
    if results.catalogue:
        found[Path("CATALOGUE.md")] = _page("catalogue.md.j2", ids, results=results)
    found[Path("TIMINGS.md")] = _page(
        "timings.md.j2",
        ids,
        gpu=gpu_results() if gpu is None else gpu,
        benchmarks=benchmarks() if beside is None else beside,
    )
    return found


def _index(results: Results) -> str:
    tallies = summary.tallies(results)
    return _page(
        "index.md.j2",
        {one.id for one in results.statements},
        results=results,
        answer=summary.answer(results),
        tallies=tallies,
        standings=[each for each in summary.STANDINGS if any(one.standings[each] for one in tallies)],
        findings=summary.findings(results),
    )


def _paper(results: Results, paper: Paper, rows: dict[str, list[summary.Row]]) -> str:
    ids = [row.id for each in rows.values() for row in each if row.statement]
    return _page(
        "paper.md.j2",
        {one.id for one in results.statements},
        base="../statements/",
        paper=paper,
        sections=rows,
        captions=[one for one in captions(results) if one.paper == paper.slug],
        graph=_graph(results, ids),
    )


def _statements(results: Results, paper: Paper, rows: dict[str, list[summary.Row]]) -> dict[Path, str]:
    """The pages of a paper's statements, each with the one before and after it."""
    ids = {one.id for one in results.statements}
    those = [row.statement for each in rows.values() for row in each if row.statement]
    found = {}
    for position, one in enumerate(those):
        users = [each.id for each in results.statements if one.id in each.uses]
        found[Path("statements", f"{one.id}.md")] = _page(
            "statement.md.j2",
            ids,
            base="",
            one=one,
            paper=paper,
            before=those[position - 1].id if position else "",
            after=those[position + 1].id if position + 1 < len(those) else "",
            users=users,
            graph=_graph(results, [one.id], [*one.uses, *users]),
        )
    return found


def _page(template: str, ids: Collection[str], *, base: str = "statements/", **values: Any) -> str:
    text = _environment(frozenset(ids), base).get_template(template).render(**values)
    return _BLANK.sub("\n\n", _TRAILING.sub("", text)).strip() + "\n"


def render_template(name: str, **values: Any) -> str:
    """A page of its own from one of the templates."""
    return _page(name, (), **values)


def statement_page(one: StatementRecord) -> str:
    """The page of one statement by itself, without links to others."""
    return _page("statement.md.j2", (), one=one, paper=None, before="", after="", users=(), graph="")


def _graph(results: Results, ids: Collection[str], beside: Collection[str] = ()) -> str:
    """These statements with what they use, cited theorems included, and `beside`; nothing where there is no arrow."""
    here = {*ids, *beside}
    cited = summary.cited_theorems(results)
    edges = [(used, one.id) for one in results.statements for used in one.uses if {used, one.id} & set(ids)]
    edges += [(theorem.key, user) for theorem in cited for user in theorem.users if user in ids]
    if not edges:
        return ""
    joined = {id_ for edge in edges for id_ in edge} | (here if beside else set())
    attempted = [Node(one.id, (one.id, *_where(one)), one.verdict) for one in results.statements if one.id in joined]
    keys = {theorem.key for theorem in cited}
    others = sorted(joined - keys - {node.key for node in attempted})
    nodes = [
        *attempted,
        *(Node(id_, (id_,), summary.NOT_ATTEMPTED) for id_ in others),
        *(Node(theorem.key, (theorem.key,), CITED) for theorem in cited if theorem.key in joined),
    ]
    if beside or len(ids) == 1:
        return markdown.graph(nodes, edges)
    parts = [
        ([node for node in nodes if node.key in part], [edge for edge in edges if edge[0] in part])
        for part in summary.connected(edges)
    ]
    return "\n\n".join([markdown.legend(node.status for node in nodes), *(markdown.graph(*part) for part in parts)])


def _where(one: StatementRecord) -> tuple[str, ...]:
    return (one.source.number,) if one.source else ()


@cache
def _environment(ids: frozenset[str], base: str) -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )

    def linked_as(text: str, id_: str) -> str:
        return f"[{markdown.prose(text)}]({base}{id_}.md)" if id_ in ids else markdown.prose(text)

    filters: dict[str, Any] = {
        "linked": lambda id_: linked_as(markdown.unbroken(id_), id_),
        "linked_as": linked_as,
        "catches": _catches,
        "how": summary.how,
        "qualified": summary.qualified,
        "ratio": _ratio,
        "sentence": _sentence,
        "shortened": shortened,
        "wrapped": lambda text: "\n".join(wrap(text, 110)),
        "data_of": summary.sources_of_data,
        **{each.__name__: each for each in _FILTERS},
    }
    environment.filters.update(filters)
    # Globals, because macros are imported without the context.
    environment.globals.update({"plain": cast("Any", markdown.plain)})
    return environment


def _ratio(measurement: Measurement) -> str:
    """Measured over bound; exact arithmetic has the bound 0, which has to be met."""
    return markdown.number(measurement.value / measurement.bound) if measurement.bound else "exact"


def _catches(measurement: Measurement) -> str:
    """The smallest relative error that would not have passed, where it is known."""
    return "" if measurement.caught is None else markdown.number(measurement.caught)


def _sentence(text: str) -> str:
    """`text` with a full stop where it ends without one."""
    return text if text.endswith((".", "!", "?")) else f"{text}."
