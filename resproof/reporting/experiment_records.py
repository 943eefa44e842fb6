"""Result files of experiments, one a run, and the verdicts on them: `resproof reproduce` writes, the report reads.

    reports/experiments/default/SWEEP/RUN.json     on the digits
    reports/experiments/paper/SWEEP/RUN.json       the same with --paper-scale
    reports/experiments/default-NAME/SWEEP/...     on other data

A file says what it was made with: its parameters, the data, and a hash of the code. It counts as finished while its
parameters and the data are those of today; the hash says what made it, and nothing is judged by it.

NumPy's BLAS and JAX's compiler sum differently on another processor: rounding is not the same everywhere, and training
at large rates makes it grow until the digits of a run differ. So no criterion rests on single digits of such a run, and
`machine` says how it was made.
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, partial
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from resproof.proofs.experiment import Experiment, Judged, Ran, Runs, Scale, Sweep, judge
from resproof.proofs.statement import Data
from resproof.reporting import REPORTS
from resproof.reporting.records import DataRecord, Excerpt, later

if TYPE_CHECKING:
    from resproof.reporting.figures.svg import ShownFigure

EXPERIMENT_RESULTS = REPORTS / "experiments"

SIZES = ("layers", "epochs", "seeds", "draws", "targets", "networks", "points", "every")
"""The parameters that say how large a run is."""


class RunRecord(Excerpt):
    """One run of one sweep, as its file has it."""

    schema_version: Literal[1] = 1
    sweep: str
    run: str
    parameters: dict[str, Any]
    data: DataRecord
    data_sha256: str
    code: str
    date: str
    machine: dict[str, str]
    seconds: float
    found: dict[str, Any]

    @property
    def ran(self) -> Ran:
        """What the criteria look at."""
        return Ran(self.parameters, self.found)


@cache
def code_hash(sweep: Sweep) -> str:
    """Sixteen hexadecimal digits of the text of the trainers and of the module with a sweep's call."""
    packages = REPORTS.parent.parent
    trainers = sorted((packages / "resproof" / "numeric" / "training").glob("*.py"))
    call = packages / f"{sweep.call.__module__.replace('.', '/')}.py"
    return sha256(b"".join(path.read_bytes() for path in (*trainers, call))).hexdigest()[:16]


def data_hash(data: Data) -> str:
    """SHA-256 of X and Y to a millionth of their greatest entries: how a machine rounds eigenvectors is not seen."""
    digest = sha256()
    for array in (data.X, data.Y):
        unit = 1e-6 * float(np.max(np.abs(array), initial=0.0)) or 1.0
        digest.update(f"{array.shape}".encode() + np.rint(np.asarray(array) / unit).astype(np.int64).tobytes())
    return digest.hexdigest()


def folder_of(out: Path, scale: Scale, data_name: str = "") -> Path:
    """Where the runs of one scale on one data set are kept; the digits have no name."""
    plain = re.sub(r"[^A-Za-z0-9._]+", "-", data_name).strip("-.")
    return out / (f"{scale}-{plain}" if plain else scale)


def path_of(folder: Path, sweep: str, run: str) -> Path:
    """The file of a run."""
    return folder / sweep / f"{run}.json"


def record_of(
    sweep: Sweep,
    run: str,
    parameters: dict[str, Any],
    data: Data,
    found: dict[str, Any],
    seconds: float,
    machine: dict[str, str],
) -> RunRecord:
    """The record of a run that has just ended."""
    return RunRecord(
        sweep=sweep.name,
        run=run,
        parameters=parameters,
        data=DataRecord.of(data),
        data_sha256=data_hash(data),
        code=code_hash(sweep),
        date=datetime.now(UTC).date().isoformat(),
        machine=machine,
        seconds=round(seconds, 2),
        found=found,
    )


def machine() -> dict[str, str]:
    """The machine that this process runs on, and the libraries that runs are made by."""
    found = {
        "platform": f"{platform.system()} {platform.machine()}",
        "cores": str(os.cpu_count()),
        "python": platform.python_version(),
        "numpy": np.__version__,
    }
    with suppress(PackageNotFoundError):
        found["jax"] = version("jax")
    return found


def kept(folder: Path, sweep: Sweep) -> dict[str, RunRecord]:
    """The runs of a sweep that have a file, by their names; a file that cannot be read is none."""
    found, _ = RunRecord.all_in(folder / sweep.name)
    return {one.run: one for name, one in found.items() if name == f"{one.run}.json" and one.sweep == sweep.name}


@dataclass(frozen=True, slots=True)
class ExperimentResult:
    """An experiment, its runs, and the verdict on them."""

    experiment: Experiment
    scale: Scale
    records: Mapping[str, RunRecord]

    @property
    def id(self) -> str:
        """The experiment's."""
        return self.experiment.id

    @property
    def runs(self) -> Runs:
        """What the criteria look at."""
        return {name: one.ran for name, one in self.records.items()}

    @property
    def judged(self) -> Judged:
        """The verdict."""
        return judge(self.experiment, self.runs, self.scale)

    @property
    def stale(self) -> bool:
        """Whether the protocol has changed since."""
        wanted = self.experiment.sweep.runs(self.scale)
        return any(one.parameters != wanted[name] for name, one in self.records.items())

    @property
    def earlier(self) -> bool:
        """Whether networks were trained by the trainers before those on JAX."""
        return self.experiment.sweep.trained and any("jax" not in one.machine for one in self.records.values())

    @property
    def seconds(self) -> float:
        """What the runs took together."""
        return sum(one.seconds for one in self.records.values())

    @property
    def sizes(self) -> str:
        """The sizes of the runs: each that they name, with its values."""
        found: list[str] = []
        for key in SIZES:
            values = sorted({one.parameters[key] for one in self.records.values() if key in one.parameters})
            if values:
                found.append(f"{key} {', '.join(map(str, values))}")
        return "; ".join(found)

    @property
    def made(self) -> str:
        """When and where, and on which data."""
        ones = list(self.records.values())
        dates = sorted({one.date for one in ones})
        machines = {", ".join(f"{key} {value}" for key, value in one.machine.items()) for one in ones}
        when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
        images = "the images behind " if self.experiment.sweep.images else ""
        return f"{when}; {'; '.join(sorted(machines))}; {images}{ones[0].data.shown}"

    def plot(self) -> ShownFigure:
        """What the report draws of these runs, as a matplotlib figure."""
        return later("figures.svg", "styled")(partial(later("figures.experiments.every", "experiment_figure"), self))

    def _repr_markdown_(self) -> str:
        return later("render", "render_template")("experiment.md.j2", one=self, id=self.id, figures={})


def result_in(folder: Path, experiment: Experiment, scale: Scale) -> ExperimentResult | None:
    """The result of an experiment in a folder of `folder_of`, where all of its runs are there."""
    wanted, there = experiment.sweep.runs(scale), kept(folder, experiment.sweep)
    if not wanted.keys() <= there.keys():
        return None
    return ExperimentResult(experiment, scale, {name: there[name] for name in wanted})


def experiment_results(
    experiments: Sequence[Experiment], folder: Path = EXPERIMENT_RESULTS
) -> dict[str, ExperimentResult]:
    """The results that the report shows, by the experiments' ids: the paper's scale where it is there."""
    found: dict[str, ExperimentResult] = {}
    for one in experiments:
        scales: tuple[Scale, ...] = ("paper", "default")
        there = [result for scale in scales if (result := result_in(folder_of(folder, scale), one, scale))]
        if there:
            found[one.id] = there[0]
    return found
