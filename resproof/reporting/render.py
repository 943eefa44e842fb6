"""results.json to pages: everything that the report says comes from the results, nothing is typed.

Outside the `measured` markers the text depends on verdicts, proofs, counterexamples and scopes only, so that it is the
same byte for byte on any machine.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from inspect import getmembers, isfunction
from pathlib import Path
from textwrap import wrap
from typing import Any, cast

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from resproof.architectures.names import fractions
from resproof.proofs.experiments import experiments
from resproof.proofs.formulas import plain
from resproof.proofs.statement import Measurement, ended
from resproof.reporting import markdown, names, said, scopes, summary
from resproof.reporting.experiment_records import ExperimentResult, experiment_results
from resproof.reporting.figures.common import Caption
from resproof.reporting.figures.counterexamples import files
from resproof.reporting.figures.every import captions
from resproof.reporting.figures.experiments.every import FIGURES
from resproof.reporting.markdown import CITED, Node
from resproof.reporting.schema import Paper, Results, Symbol
from resproof.reporting.scopes import Sized, few_sizes
from resproof.reporting.statement_record import StatementRecord
from resproof.reporting.summary import CitedTheorem, PaperRows

_TEMPLATES = Path(__file__).with_name("templates")
_FILTERS = (markdown, said, summary, names, scopes)
"""What these define are filters of the templates."""
_SYMBOLS, _SUMMARY = "<!-- symbols -->", "Symbols on this page"
_BLANK = re.compile(r"\n{3,}")
_TRAILING = re.compile(r"[ \t]+(?=\n)")


def pages(results: Results, observed: Mapping[str, ExperimentResult] | None = None) -> dict[Path, str]:
    """Every page of the report by its path: the index, one for each paper and each statement, and what is beside.

    `observed` has the experiments, by default those with results in reports/experiments.
    """
    book = _Book(
        results,
        frozenset(one.id for one in results.statements),
        summary.ledger_rows(results),
        summary.cited_theorems(results),
        captions(results),
        {sentence: path.as_posix() for sentence, (path, _) in files(results).items()},
        experiment_results(experiments()) if observed is None else observed,
    )
    found = {
        Path("REPORT.md"): _index(book),
        Path("LIMITS.md"): _page("limits.md.j2", book.ids, results=results, book=book),
    }
    for each in book.papers.values():
        found[Path("papers", f"{each.paper.slug}.md")] = _paper(book, each)
        found |= _statements(book, each)
    if results.catalogue:
        found[Path("CATALOGUE.md")] = _page("catalogue.md.j2", book.ids, results=results)
    return found


@dataclass(frozen=True, slots=True)
class _Book:
    """What several pages are made from."""

    results: Results
    ids: frozenset[str]
    papers: Mapping[str, PaperRows]
    cited: tuple[CitedTheorem, ...]
    captions: Sequence[Caption]
    pictures: Mapping[str, str]
    observed: Mapping[str, ExperimentResult]


def _index(book: _Book) -> str:
    return _page(
        "index.md.j2",
        book.ids,
        results=book.results,
        failing=_of_papers(book, said.contradicted),
        unsettled=_of_papers(book, lambda one: one.verdict == "OPEN"),
        symbols=_symbols(book),
        experiments={
            each.paper: [book.observed[row.id] for row in each.rows if row.id in book.observed]
            for each in book.papers.values()
        },
    )


def _of_papers(book: _Book, wanted: Callable[[StatementRecord], bool]) -> dict[Paper, list[StatementRecord]]:
    """The statements of that kind, paper by paper."""
    return {each.paper: found for each in book.papers.values() if (found := list(filter(wanted, each.statements)))}


def _symbols(book: _Book) -> dict[Paper, tuple[Symbol, ...]]:
    """What the symbols mean in what is asked and in the findings, as the index tells them, paper by paper."""
    told = {*book.results.ledger.asked, *book.results.ledger.findings}
    found = {
        paper: " ".join(markdown.with_formulas(f"{one.title} {said.how(one)} {few_sizes(one)}") for one in all_)
        for paper, all_ in _of_papers(book, lambda one: one.id in told).items()
    }
    there = {paper: names.symbols_on(text, paper.notation) for paper, text in found.items()}
    return {paper: symbols for paper, symbols in there.items() if symbols}


def _paper(book: _Book, each: PaperRows) -> str:
    return _page(
        "paper.md.j2",
        book.ids,
        base="../statements/",
        paper=each.paper,
        sections=each.sections,
        captions=[one for one in book.captions if one.paper == each.paper.slug],
        experiments={row.id: book.observed.get(row.id) for row in each.rows if row.experiment},
        figures=FIGURES,
        graphs=_graphs(book, each),
    )


def _statements(book: _Book, each: PaperRows) -> dict[Path, str]:
    """The pages of a paper's statements, each with the one before and after it."""
    ids = [one.id for one in each.statements]
    found = {}
    for one, before, after in zip(each.statements, ["", *ids], [*ids[1:], ""], strict=False):
        users = [other.id for other in book.results.statements if one.id in other.uses]
        found[Path("statements", f"{one.id}.md")] = _statement(
            one,
            book.ids,
            file=book.results.ledger.file,
            paper=each.paper,
            before=before,
            after=after,
            users=users,
            graph=_around(book, one, users),
            pictures=book.pictures,
        )
    return found


_ALONE: Mapping[str, Any] = {**dict.fromkeys(("file", "before", "after", "graph"), ""), "users": (), "pictures": {}}


def statement_page(one: StatementRecord) -> str:
    """The page of one statement by itself, without links to others."""
    return _statement(one, (), paper=None, **_ALONE)


def _statement(one: StatementRecord, ids: Collection[str], *, paper: Paper | None, **values: Any) -> str:
    """The page, with the symbols that are found on it where it has a place for them."""
    text = _page("statement.md.j2", ids, base="", one=one, paper=paper, place=_SYMBOLS, **values)
    symbols = names.symbols_on(text, paper.notation if paper else ())
    return _tidy(text.replace(_SYMBOLS, _notation(symbols) if symbols else ""))


def _notation(symbols: Sequence[Symbol]) -> str:
    return str(
        cast("Any", _environment(frozenset(), "").get_template("parts.md.j2").module).notation(symbols, _SUMMARY)
    )


def _page(template: str, ids: Collection[str], *, base: str = "statements/", **values: Any) -> str:
    return _tidy(_environment(frozenset(ids), base).get_template(template).render(**values))


def _tidy(text: str) -> str:
    return _BLANK.sub("\n\n", _TRAILING.sub("", text)).strip() + "\n"


def render_template(name: str, **values: Any) -> str:
    """A page of its own from one of the templates."""
    return _page(name, (), **values)


def _around(book: _Book, one: StatementRecord, users: Collection[str]) -> str:
    """A statement with what it uses, cited theorems included, and what uses it; nothing where there is no arrow."""
    edges = [edge for edge in _edges(book) if one.id in edge]
    return markdown.graph(_nodes(book, {one.id, *one.uses, *users}, edges), edges) if edges else ""


def _graphs(book: _Book, each: PaperRows) -> dict[str, str]:
    """Section by section, a paper's statements with what they use; arrows that follow from others are left out.

    The colours of all of them come first, under no name.
    """
    reduced = summary.reduced(_edges(book))
    found, every = dict[str, str](), list[Node]()
    for title, rows in each.sections.items():
        here = {row.id for row in rows if row.statement}
        if edges := [(used, user) for used, user in reduced if user in here]:
            nodes = _nodes(book, (), edges)
            found[title] = markdown.graph(nodes, edges)
            every += nodes
    return {"": markdown.legend(node.status for node in every), **found} if found else {}


def _edges(book: _Book) -> list[tuple[str, str]]:
    """What is used, a statement or a theorem of others, and what uses it."""
    edges = [(used, one.id) for one in book.results.statements for used in one.uses]
    return edges + [(theorem.key, user) for theorem in book.cited for user in theorem.users]


def _nodes(book: _Book, ids: Collection[str], edges: Sequence[tuple[str, str]]) -> list[Node]:
    """The boxes of these, and of what the arrows join."""
    joined = {*ids, *(id_ for edge in edges for id_ in edge)}
    attempted = [
        Node(one.id, (one.id, *_where(one)), one.verdict) for one in book.results.statements if one.id in joined
    ]
    cited = [Node(theorem.key, (theorem.key,), CITED) for theorem in book.cited if theorem.key in joined]
    others = sorted(joined - {node.key for node in (*attempted, *cited)})
    return [*attempted, *(Node(id_, (id_,), summary.NOT_ATTEMPTED) for id_ in others), *cited]


def _where(one: StatementRecord) -> tuple[str, ...]:
    return (one.source.number.partition("; ")[0],) if one.source else ()


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
        "alone": plain,
        "ratio": _ratio,
        "sentence": ended,
        "for_sizes": _for_sizes,
        "wrapped": lambda text: "\n".join(wrap(text, 110)),
        "tight": lambda text: "\n".join(filter(str.strip, text.splitlines())),
        "data_of": summary.sources_of_data,
        "fractions": fractions,
        **{name: each for module in _FILTERS for name, each in getmembers(module, isfunction)},
    }
    environment.filters.update(filters)
    # Globals, because macros are imported without the context.
    environment.globals.update(cast("Any", {"plain": markdown.plain, "meanings": summary.MEANINGS}))
    return environment


def _ratio(measurement: Measurement) -> str:
    """Measured over bound; exact arithmetic has the bound 0, which has to be met."""
    return markdown.number(measurement.value / measurement.bound) if measurement.bound else "exact"


def _for_sizes(one: Sized) -> str:
    """What follows a verdict: the sizes that it is for, where it is for any."""
    few = few_sizes(one)
    return f" for {markdown.with_formulas(few)}" if few else ""
