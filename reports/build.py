"""The main job: run every statement, write results.json, REPORT.md and figures."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from time import perf_counter

from proofs.parts import Context, Statement
from proofs.results import Result
from proofs.runs import Find, run_all
from proofs.statements import find
from reports.figure_data import figure_data
from reports.figures import figures
from reports.files import check_writable, write
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
) -> Results:
    """Run `statements`, write folder/results.json, folder/REPORT.md and folder/figures, and return the results.

    `device` is the line that describes the device of `context`. Data are read and the folder is tried before
    anything runs.

    Raises:
        OutputError: the folder cannot be written to.
        DataError: the data are not what they should be.
    """
    check_writable(folder)
    data, begun = context.data, perf_counter()
    found = run_all(statements, context, jobs, among, done, parts=("exact", "evidence", "deep"))
    results = Results(
        schema_version=1,
        statements=tuple(record(one, result) for one, result in zip(statements, found, strict=True)),
        ledger=ledger(),
        data=DataRecord(name=data.name, shape=tuple(int(size) for size in data.X.shape)),
        seed=context.seed,
        figures=figure_data(context),
        environment=Environment(
            python=platform.python_version(),
            platform=f"{platform.system()} {platform.machine()}",
            device=device,
            packages={name: version(name) for name in _PACKAGES},
            seconds=perf_counter() - begun,
        ),
    )
    drawn = {folder / "figures" / name: svg for name, svg in figures(results).items()}
    write({folder / "results.json": to_json(results), folder / "REPORT.md": render(results), **drawn})
    return results
