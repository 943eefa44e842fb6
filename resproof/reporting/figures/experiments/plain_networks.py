"""RS-6.5b and RS-6.5c: plain networks from several starts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log
from typing import TYPE_CHECKING, Any

import numpy as np

from resproof.proofs.experiment import Ran, Runs
from resproof.proofs.rethinking_skips.experiments import curve
from resproof.proofs.rethinking_skips.hindsight_runs import STARTS, by_start
from resproof.reporting.figures.common import NETWORKS, panels
from resproof.reporting.figures.experiments.common import ExperimentFigure, predicted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLOURS: dict[str, str] = dict(
    zip(STARTS, (NETWORKS["PlainNet"], "#cc79a7", "#56b4e9", "#999999", NETWORKS["DiracNet"]), strict=True)
)


_GUESS = {"train loss": log(10), "train accuracy": 0.1}


def _drawer(starts: Sequence[str], *, normalised: bool) -> Callable[[Figure, Runs], None]:
    def draw(figure: Figure, runs: Runs) -> None:
        mine = by_start(runs, normalised=normalised)
        every = panels(figure, 3 if "DiracNet" in starts else 2)
        for axes, (name, guess) in zip(every[:2], _GUESS.items(), strict=True):
            for start in starts:
                one = mine[start]
                for seed, values in enumerate(curve(one, name)):
                    label = None if seed else f"{start}, rate {one.parameters['rates'][one.found['best']]:g}"
                    drawn = np.where(np.isfinite(values), values, np.nan)
                    axes.plot(one.found["epochs"], drawn, color=_COLOURS[start], label=label)
            axes.axhline(guess, label="one output for all samples", **predicted())
            axes.set(xlabel="epoch", title=name.replace("train", "training"))
        every[0].set(ylim=(0, None))
        every[1].set(ylim=(0, 1.02))
        every[1].legend(frameon=False, fontsize=7.5)
        if "DiracNet" in starts:
            _draw_moved(every[2], mine["DiracNet"])

    return draw


def _draw_moved(axes: Any, one: Ran) -> None:
    """The mean of |a - 1| when training ends, of every seed."""
    moved = np.array(one.found["moved"], dtype=float)
    axes.plot(range(len(moved)), moved, "o", color=_COLOURS["DiracNet"], label="seen")
    axes.axhline(0.1, label="asked for, at least", color="#444444", linestyle=":", linewidth=1.1)
    axes.set(yscale="log", xlabel="seed", title="mean of $|a - 1|$ at the end", xlim=(-0.5, len(moved) - 0.5))
    axes.set_xticks(range(len(moved)))
    axes.legend(frameon=False, fontsize=7.5)


FLAT = ExperimentFigure(
    "RS-6.5b",
    (6.4, 2.9),
    _drawer(STARTS[:4], normalised=False),
    "PlainNets of 110 layers without normalisation, a line for each seed, at the best rate of each start. Dashed: what "
    "is best where all samples have one output.",
)
DIRAC = ExperimentFigure(
    "RS-6.5c",
    (6.4, 5.4),
    _drawer(("He", "DiracNet"), normalised=True),
    "With batch normalisation, a line for each seed, at the best rate of each. Below: how far the diagonal has moved.",
)
