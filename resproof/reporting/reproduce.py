"""`resproof reproduce`: the runs of experiments, each once, and the verdicts on them.

Runs go to processes of this machine, or to the executor of a cluster: anything with the interface of
`concurrent.futures`, such as what a Dask client's `get_executor()` returns. Each run's file is written as it ends,
whole or not at all (`reporting.files`); what an earlier command finished with the same data and parameters is taken
over. Experiments that look at one sweep share its runs.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any

from resproof.numeric.data import DataError
from resproof.numeric.training.networks import NO_JAX
from resproof.proofs.digits import digits
from resproof.proofs.experiment import Experiment, Scale, Sweep
from resproof.proofs.formulas import plain
from resproof.proofs.statement import Data
from resproof.proofs.workers import call_each, call_on, value_of
from resproof.reporting.experiment_records import (
    ExperimentResult,
    data_hash,
    folder_of,
    kept,
    machine,
    path_of,
    record_of,
    result_in,
)
from resproof.reporting.files import check_writable, write
from resproof.reporting.image_data import read_images
from resproof.reporting.progress import SILENT, Watch


@dataclass(frozen=True, slots=True)
class _Task:
    """A run that is to be made."""

    sweep: Sweep
    run: str
    parameters: dict[str, Any]
    seconds: float | None

    @property
    def key(self) -> str:
        return f"{self.sweep.name}/{self.run}"


@dataclass(frozen=True, slots=True)
class RunPlan:
    """What is to be run, and what an earlier command took for each run; `total` counts those that are there as well."""

    experiments: tuple[Experiment, ...]
    scale: Scale
    data: Data
    folder: Path
    tasks: tuple[_Task, ...]
    total: int
    recorded: Mapping[str, float]

    @property
    def keys(self) -> list[str]:
        """The runs that are to be made."""
        return [task.key for task in self.tasks]


def plan(experiments: Sequence[Experiment], scale: Scale, data: Data, out: Path, data_name: str = "") -> RunPlan:
    """The runs of these experiments that have no file yet, or one that is stale; the longest ones first.

    Experiments on images are left out where the data have none.

    Raises:
        DataError: no experiment is left, or networks are to be trained and JAX is not installed.
        OutputError: the folder cannot be written to.
    """
    given = tuple(one for one in experiments if data.images is not None or not one.sweep.images)
    if experiments and not given:
        raise DataError(f"{experiments[0].id}: {data.name} has no square images; expected such as MNIST's files")
    folder, digest = folder_of(out, scale, data_name), data_hash(data)
    check_writable(folder)
    tasks, recorded, total = list[_Task](), dict[str, float](), 0
    for sweep in {one.sweep.name: one.sweep for one in given}.values():
        there = kept(folder, sweep)
        for run, wanted in sweep.runs(scale).items():
            total += 1
            known, parameters = there.get(run), dict(wanted)
            task = _Task(sweep, run, parameters, known.seconds if known else None)
            if known:
                recorded[task.key] = known.seconds
            if not known or (known.parameters, known.data_sha256) != (parameters, digest):
                tasks.append(task)
    if any(task.sweep.trained for task in tasks) and find_spec("jax") is None:
        raise DataError(NO_JAX)
    # Long runs at the end would be waited for alone: what took long before goes first, else what has most layers.
    tasks.sort(key=lambda task: (-(task.seconds or 0.0), -int(task.parameters.get("layers", 0))))
    return RunPlan(given, scale, data, folder, tuple(tasks), total, recorded)


def planned(chosen: Sequence[Experiment], data: Path | None, out: Path, *, paper: bool = False) -> RunPlan:
    """The runs that these experiments need, on the digits or MNIST's files.

    Raises:
        DataError: the data cannot be read, no experiment is left, or JAX is not installed.
        OutputError: the folder cannot be written to.
    """
    given = digits() if data is None else read_images(data)
    return plan(chosen, "paper" if paper else "default", given, out, data.stem if data is not None else "")


def reproduce(
    given: RunPlan, *, jobs: int = 1, executor: Executor | None = None, watch: Watch = SILENT
) -> list[ExperimentResult]:
    """Make the runs that are missing, keep each as it ends, and return the experiments with their verdicts.

    Raises:
        OutputError: a file cannot be written.
        WorkerError: a run's process died twice.
        KeyboardInterrupt: it was interrupted; a note says what is kept.
    """
    tasks = {task.key: task for task in given.tasks}
    calls = {task.key: partial(_timed, task.sweep.call, given.data, task.parameters) for task in given.tasks}
    done = given.total - len(tasks)
    ended = (
        call_each(calls, jobs, begun=watch.begun) if executor is None else call_on(executor, calls, begun=watch.begun)
    )
    try:
        with closing(ended):
            for key, outcome in ended:
                task = tasks[key]
                record = record_of(task.sweep, task.run, task.parameters, given.data, *value_of(outcome, key))
                write({path_of(given.folder, task.sweep.name, task.run): f"{record.model_dump_json()}\n"})
                done += 1
                watch.done(key)
    except KeyboardInterrupt as stopped:
        if done:
            stopped.add_note(f"{done} of {given.total} runs are kept: the same command goes on from there")
        raise
    return [found for one in given.experiments if (found := result_in(given.folder, one, given.scale))]


def _timed(
    call: Callable[[Data, Any], Mapping[str, Any]], data: Data, parameters: Any
) -> tuple[dict[str, Any], float, dict[str, str]]:
    """What a run found, the seconds it took, and the machine that it ran on."""
    begun = perf_counter()
    found = dict(call(data, parameters))
    return found, perf_counter() - begun, machine()


def told(results: Sequence[ExperimentResult]) -> Generator[str]:
    """The verdict of each experiment, and under it each criterion with what was seen."""
    for one in results:
        judged = one.judged
        yield f"{judged.verdict:<12} {one.id:<6} {plain(one.experiment.title)} ({one.seconds:.0f} s)"
        for sentence, seen in judged.findings:
            yield f"  {'yes' if seen.holds else 'no':<4} {plain(sentence)} {plain(seen.what)}"
        for falsehood in judged.accepted:
            yield f"  accepted, though false: {plain(falsehood)}"
