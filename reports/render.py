"""results.json to REPORT.md: everything that the report says comes from the results, nothing is typed.

Outside the `measured` markers the text depends on verdicts, proofs, counterexamples and scopes only, so that it is the
same byte for byte on any machine.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import Any, cast

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from proofs.statement import Measurement
from reports import markdown, summary
from reports.benchmark_results import Benchmarks, benchmarks
from reports.figures import captions
from reports.gpu_results import GpuResults, gpu_results
from reports.markdown import CITED, Node
from reports.schema import Results, StatementRecord
from reports.scopes import shortened

_TEMPLATES = Path(__file__).with_name("templates")
_FILTERS = (
    markdown.prose,
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


def render(results: Results, gpu: GpuResults | None = None, beside: Benchmarks | None = None) -> str:
    """The Markdown report.

    `gpu` is what was measured on a GPU, by default the newest run in reports/gpu; `beside` what was timed beside the
    peers, by default what lies in reports/benchmarks.
    """
    text = (
        _environment({one.id for one in results.statements})
        .get_template("REPORT.md.j2")
        .render(
            results=results,
            answer=summary.answer(results),
            documents=summary.documents(results),
            findings=summary.findings(results),
            counts=summary.counts(results),
            meanings=summary.MEANINGS,
            ledger=summary.ledger_rows(results),
            graph=_graph(results),
            cited=summary.cited_theorems(results),
            missing=summary.missing(results.ledger, results.statements),
            captions=captions(results),
            gpu=gpu_results() if gpu is None else gpu,
            benchmarks=benchmarks() if beside is None else beside,
        )
    )
    return _BLANK.sub("\n\n", _TRAILING.sub("", text))


def render_template(name: str, **values: Any) -> str:
    """A page of its own from one of the templates."""
    text = _environment(()).get_template(name).render(**values)
    return _BLANK.sub("\n\n", _TRAILING.sub("", text))


def _graph(results: Results) -> str:
    """The statements that use or are used, and cited theorems: a legend, then one diagram for each connected part.

    What is used and was not attempted is shown as such.
    """
    cited = summary.cited_theorems(results)
    edges = [(used, one.id) for one in results.statements for used in one.uses]
    edges += [(theorem.key, user) for theorem in cited for user in theorem.users]
    joined = {id_ for edge in edges for id_ in edge}
    statements = {one.id: one for one in results.statements}
    keys = {theorem.key for theorem in cited}
    attempted = [Node(one.id, (one.id, *_where(one)), one.verdict) for one in statements.values() if one.id in joined]
    others = [Node(id_, (id_,), summary.NOT_ATTEMPTED) for id_ in sorted(joined - set(statements) - keys)]
    nodes = [*attempted, *others, *(Node(theorem.key, (theorem.key,), CITED) for theorem in cited)]
    if not edges:
        return ""
    parts = [
        ([node for node in nodes if node.key in part], [edge for edge in edges if edge[0] in part])
        for part in summary.connected(edges)
    ]
    return "\n\n".join([markdown.legend(node.status for node in nodes), *(markdown.graph(*part) for part in parts)])


def _where(one: StatementRecord) -> tuple[str, ...]:
    return (one.source.number,) if one.source else ()


def _environment(ids: Collection[str]) -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )

    def linked(id_: str) -> str:
        shown = markdown.unbroken(id_)
        return f"[{shown}](#{id_})" if id_ in ids else shown

    filters: dict[str, Any] = {
        "linked": linked,
        "ratio": _ratio,
        "sentence": _sentence,
        "shortened": shortened,
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


def _sentence(text: str) -> str:
    """`text` with a full stop where it ends without one."""
    return text if text.endswith((".", "!", "?")) else f"{text}."
