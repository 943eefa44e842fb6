"""The papers' sizes: every sweep can be made, and its first and its last run start, at true depth for an epoch."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from resproof.proofs.experiment import Experiment, Sweep, judge
from resproof.proofs.experiments import experiments
from resproof.proofs.statement import Data
from resproof.reporting.figures.experiments.every import FIGURES
from resproof.reporting.figures.panels import drawn
from tests.proofs.ideal_runs import ideal

SWEEPS = {one.sweep.name: one.sweep for one in experiments()}
SHORT: dict[str, Any] = {
    **dict.fromkeys(("epochs", "seeds", "draws", "targets"), 1),
    "points": 2,
    "networks": 1000,
    "from_zero": 2,
}
"""What makes a run short and leaves its depth."""


def data() -> Data:
    draw = np.random.default_rng(0)
    labels = draw.integers(0, 3, 700)
    return Data(draw.normal(size=(3, 700)), np.eye(3)[:, labels], "random", draw.normal(size=(700, 1, 4, 4)))


@pytest.mark.parametrize("place", [0, -1], ids=["first", "last"])
@pytest.mark.parametrize("sweep", SWEEPS.values(), ids=SWEEPS)
def test_runs_at_the_papers_sizes_start(sweep: Sweep, place: int) -> None:
    name, run = list(sweep.runs("paper").items())[place]
    short: dict[str, Any] = {key: SHORT.get(key, value) for key, value in run.items()}
    if "rates" in short:
        short["rates"] = [min(short["rates"])]
    assert short.get("layers") == run.get("layers")
    found = sweep.call(data(), short)
    assert found, name
    assert json.loads(json.dumps(found)) == json.loads(json.dumps(dict(found)))


@pytest.mark.parametrize("sweep", SWEEPS.values(), ids=SWEEPS)
def test_the_papers_sizes_are_not_below_the_default(sweep: Sweep) -> None:
    default, paper = (sweep.runs(scale).values() for scale in ("default", "paper"))
    for key in ("layers", "epochs", "seeds", "draws", "targets", "networks", "points"):
        ours, theirs = (max((run[key] for run in runs if key in run), default=0) for runs in (default, paper))
        assert theirs >= ours, key


@pytest.mark.parametrize("experiment", experiments(), ids=lambda one: one.id)
def test_runs_at_the_papers_sizes_are_judged_and_drawn(experiment: Experiment) -> None:
    runs = ideal(experiment, "paper")
    assert judge(experiment, runs, "paper").verdict == "OBSERVED"
    assert drawn(FIGURES[experiment.id].picture(runs)).axes
