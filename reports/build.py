"""The main job: run every statement, write results.json, REPORT.md and figures."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from time import perf_counter

from proofs.parts import Context, Statement
from proofs.results import Result
from proofs.runs import Find, fully_proved, run_all
from proofs.statements import find
from reports.benchmark_results import benchmarks, figure
from reports.catalogue import entries, pages, without_eigenvalues
from reports.figure_data import figure_data
from reports.figures import figures, svg_of
from reports.files import check_writable, write
from reports.finished import Finished
from reports.render import render
from reports.schema import DataRecord, Environment, Results, ledger, record, to_json

_PACKAGES = ("numpy", "scipy", "sympy", "python-flint", "scikit-learn")


def build(
    folder: Path,
    statements: Sequence[Statement],
    context: Context,
    device: str,
    *,
    jobs: int = 1,
    among: Find = find,
    done: Callable[[Result], None] | None = None,
    catalogue: bool = False,
) -> Results:
    """Run `statements`, write folder/results.json, folder/REPORT.md and folder/figures, and return the results.

    With the `catalogue`, every block of it is checked on the digits, and has a page in folder/catalogue.

    Statements that an interrupted run had finished are taken over (`reports.finished`). `device` is the line that
    describes the device of `context`. Data are read and the folder is tried before
    anything runs.

    Raises:
        OutputError: the folder cannot be written to.
        DataError: the data are not what they should be.
    """
    check_writable(folder)
    data, begun = context.data, perf_counter()
    finished = Finished(folder, context)
    found = _run(statements, context, jobs, among, done or (lambda _: None), finished)
    blocks = entries(jobs) if catalogue else ()
    results = Results(
        schema_version=1,
        statements=tuple(record(one, result) for one, result in zip(statements, found, strict=True)),
        ledger=ledger(),
        data=DataRecord(name=data.name, shape=tuple(int(size) for size in data.X.shape)),
        seed=context.seed,
        figures=figure_data(context),
        catalogue=tuple(map(without_eigenvalues, blocks)),
        environment=Environment(
            python=platform.python_version(),
            platform=f"{platform.system()} {platform.machine()}",
            device=device,
            packages={name: version(name) for name in _PACKAGES},
            seconds=perf_counter() - begun,
        ),
    )
    drawn = {folder / "figures" / name: svg for name, svg in figures(results).items()}
    if timed := benchmarks().tasks:
        drawn[folder / "figures" / "benchmarks.svg"] = svg_of(figure(timed))
    told = pages(blocks, folder / "catalogue")
    write({folder / "results.json": to_json(results), folder / "REPORT.md": render(results), **drawn, **told})
    finished.clear()
    return results


def _run(
    statements: Sequence[Statement],
    context: Context,
    jobs: int,
    among: Find,
    done: Callable[[Result], None],
    finished: Finished,
) -> list[Result]:
    """The results of `statements`, those that an interrupted run had finished taken over."""
    known = finished.known(one.id for one in statements)
    for result in known.values():
        done(result)

    def note(result: Result) -> None:
        finished.keep(result)
        done(result)

    pending = [one for one in statements if one.id not in known]
    ran = run_all(pending, context, jobs, among, note, parts=("exact", "evidence", "deep")) if pending else []
    known.update({result.id: result for result in ran})
    every = [known[one.id] for one in statements]
    settled = fully_proved(every, statements)
    return [replace(result, fully_proved=settled[result.id]) for result in every]
