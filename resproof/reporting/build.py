"""The main job: run every statement, write results.json, REPORT.md and figures."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from time import perf_counter

from resproof.architectures.catalogue import CATALOGUE
from resproof.proofs.experiments import experiments
from resproof.proofs.figures import figure_data, no_figures
from resproof.proofs.interrupts import undivided
from resproof.proofs.registry import find
from resproof.proofs.results import Result
from resproof.proofs.runs import Find, fully_proved, run_all
from resproof.proofs.statement import Context, Statement
from resproof.reporting.benchmark_results import benchmarks, figure
from resproof.reporting.catalogue import block_pages, entries, shown, without_eigenvalues
from resproof.reporting.experiment_records import ExperimentResult, experiment_results
from resproof.reporting.figures.counterexamples import pictures
from resproof.reporting.figures.every import figures
from resproof.reporting.figures.experiments.every import experiment_figures
from resproof.reporting.figures.svg import svg_of
from resproof.reporting.files import check_place, check_writable
from resproof.reporting.finished import Finished, fingerprint, lasting
from resproof.reporting.last_words import last_words
from resproof.reporting.progress import SILENT, Watch
from resproof.reporting.records import DataRecord
from resproof.reporting.render import pages
from resproof.reporting.schema import CatalogueEntry, Ledger, MachineRecord, Results, Timings, ledger, records
from resproof.reporting.unfinished import unfinished
from resproof.reporting.verdict_bars import FILE, verdict_bars

_PACKAGES = ("numpy", "scipy", "sympy", "python-flint")
_LAST = "figures and pages"


def build(
    folder: Path,
    statements: Sequence[Statement],
    context: Context,
    device: str,
    *,
    jobs: int = 1,
    among: Find = find,
    watch: Watch = SILENT,
    catalogue: bool = False,
    timeout: float | None = None,
    among_papers: Ledger | None = None,
    executor: Executor | None = None,
) -> Results:
    """Run `statements`, write results.json, timings.json, REPORT.md and what it leads to, and return the results.

    `among_papers` says which paper a statement stands with, by default those whose statements are registered. With the
    `catalogue`, every block of it is checked on the digits, and has a page in folder/catalogue. `timeout` has the most
    seconds for a statement or block, an `executor` runs statements, `device` describes the device of `context`.

    Data are read and the folder is tried before anything runs. What an interrupted run had finished is taken over
    (`reporting.finished`), and so it is where a statement was an ERROR. All files appear together
    (`reporting.unfinished`).

    Raises:
        OutputError: the folder cannot be written to, or another report is being written there.
        DataError: the data are not what they should be.
        WorkerError: a block of the catalogue ran longer than the limit, or its process died.
    """
    check_writable(folder)
    for name in ("results.json", "timings.json", "REPORT.md"):
        check_place(folder / name)
    data, begun = context.data, perf_counter()
    with unfinished(folder) as place:
        own = place.folder / fingerprint(context)
        found = _run(statements, context, jobs, among, watch, Finished(own / "statements", Result), timeout, executor)
        blocks = entries(jobs, Finished(own / "blocks", CatalogueEntry), watch, timeout) if catalogue else ()
        watch.begun(_LAST)
        results = Results(
            schema_version=2,
            statements=records(statements, found),
            ledger=among_papers or ledger(),
            data=DataRecord.of(data),
            seed=context.seed,
            figures=figure_data(context) if among_papers is None else no_figures(context),
            catalogue=tuple(map(without_eigenvalues, blocks)),
            environment=_machine(device),
        )
        timings = Timings(seconds=perf_counter() - begun, statements={one.id: one.seconds for one in found})
        observed = experiment_results(experiments()) if among_papers is None else {}
        told = {**block_pages(blocks, Path("catalogue")), **_drawn(results), **_of_experiments(observed)}
        told |= {Path("results.json"): results.to_json(), Path("timings.json"): timings.to_json()}
        place.commit({**pages(results, observed=observed), **told})
        last_words("the report was written before that")
        if all(result.verdict != "ERROR" for result in found):
            place.clear()
    return results


def _machine(device: str) -> MachineRecord:
    return MachineRecord(
        python=platform.python_version(),
        platform=f"{platform.system()} {platform.machine()}",
        device=device,
        packages={name: version(name) for name in _PACKAGES},
    )


def _drawn(results: Results) -> dict[Path, str]:
    """Every figure by its path."""
    found = {Path(name): svg for name, svg in figures(results).items()} | pictures(results)
    found[Path(FILE)] = verdict_bars(results)
    if timed := benchmarks().tasks:
        found[Path("benchmarks.svg")] = svg_of(figure(timed))
    return {"figures" / path: svg for path, svg in found.items()}


def _of_experiments(observed: Mapping[str, ExperimentResult]) -> dict[Path, str]:
    """The figure of every experiment that has results, by its path."""
    return {Path("figures", name): svg for name, svg in experiment_figures(observed).items()}


def parts_of(statements: Sequence[Statement], *, catalogue: bool = True) -> list[str]:
    """What a report consists of, as `watch` is told."""
    return [*(one.id for one in statements), *(map(shown, CATALOGUE) if catalogue else ()), _LAST]


def _run(
    statements: Sequence[Statement],
    context: Context,
    jobs: int,
    among: Find,
    watch: Watch,
    finished: Finished[Result],
    timeout: float | None,
    executor: Executor | None,
) -> list[Result]:
    """The results of `statements`, those that an interrupted run had finished taken over."""
    known = finished.known(one.id for one in statements)
    kept = len(known)
    for id_ in known:
        watch.done(id_)

    def note(result: Result) -> None:
        nonlocal kept
        if lasting(result):
            with undivided():
                finished.keep(result.id, result)
                kept += 1
                last_words(_kept(kept, len(statements)))
        watch.done(result.id)

    last_words(_kept(kept, len(statements)))
    pending = [one for one in statements if one.id not in known]
    ran = run_all(
        pending,
        context,
        jobs,
        among,
        note,
        ("exact", "evidence", "deep"),
        timeout=timeout,
        begun=watch.begun,
        executor=executor,
    )
    known.update({result.id: result for result in ran})
    every = [known[one.id] for one in statements]
    settled = fully_proved(every, statements)
    return [replace(result, fully_proved=settled[result.id]) for result in every]


def _kept(count: int, total: int) -> str:
    return f"{count} of {total} statements are finished and kept: the same command goes on from there" if count else ""
