"""The main job: run every statement, write results.json, REPORT.md and figures."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from importlib.metadata import version
from pathlib import Path
from time import perf_counter

from resproof.architectures.catalogue import CATALOGUE
from resproof.proofs.experiments import experiments
from resproof.proofs.figures import figure_data, no_figures
from resproof.proofs.registry import find
from resproof.proofs.runs import Find, run_all
from resproof.proofs.statement import Context, Statement
from resproof.reporting.catalogue import block_pages, entries, shown, without_eigenvalues
from resproof.reporting.experiment_records import ExperimentResult, experiment_results
from resproof.reporting.figures.counterexamples import pictures
from resproof.reporting.figures.every import figures
from resproof.reporting.figures.experiments.every import experiment_figures
from resproof.reporting.files import check_writable, place_of, write
from resproof.reporting.progress import SILENT, Watch
from resproof.reporting.records import DataRecord
from resproof.reporting.render import pages
from resproof.reporting.schema import Ledger, MachineRecord, Results, Timings, ledger
from resproof.reporting.statement_record import records
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

    Data are read and the folder is tried before anything runs. The files are moved to their places when all of them
    are complete (`reporting.files`), results.json last.

    Raises:
        OutputError: the folder cannot be written to.
        DataError: the data are not what they should be.
        WorkerError: a block of the catalogue ran longer than the limit, or its process died.
    """
    check_writable(folder)
    for name in ("results.json", "timings.json", "REPORT.md"):
        _ = place_of(folder / name)
    data, begun = context.data, perf_counter()
    found = run_all(
        statements,
        context,
        jobs,
        among,
        lambda one: watch.done(one.id),
        ("exact", "evidence", "deep"),
        timeout=timeout,
        begun=watch.begun,
        executor=executor,
    )
    blocks = entries(jobs, watch, timeout) if catalogue else ()
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
    told = {**pages(results, observed=observed), **block_pages(blocks, Path("catalogue"))}
    told |= {**_drawn(results), **_of_experiments(observed)}
    told |= {Path("timings.json"): timings.to_json(), Path("results.json"): results.to_json()}
    write({folder / path: text for path, text in told.items()}, folder)
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
    return {"figures" / path: svg for path, svg in found.items()}


def _of_experiments(observed: Mapping[str, ExperimentResult]) -> dict[Path, str]:
    """The figure of every experiment that has results, by its path."""
    return {Path("figures", name): svg for name, svg in experiment_figures(observed).items()}


def parts_of(statements: Sequence[Statement], *, catalogue: bool = True) -> list[str]:
    """What a report consists of, as `watch` is told."""
    return [*(one.id for one in statements), *(map(shown, CATALOGUE) if catalogue else ()), _LAST]
