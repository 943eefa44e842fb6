"""RS-6.5b and RS-6.5c: plain networks from several starts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from proofs.experiment import Runs
from proofs.rethinking_skips.experiments import curve
from proofs.rethinking_skips.hindsight_runs import STARTS, by_start
from reports.figures.common import COLOURS
from reports.figures.experiments.common import PLAIN, ExperimentFigure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLOURS: dict[str, str] = dict(zip(STARTS, (PLAIN, "#cc79a7", COLOURS[2], COLOURS[1], COLOURS[3]), strict=True))


def _drawer(starts: Sequence[str], *, normalised: bool) -> Callable[[Figure, Runs], None]:
    def draw(figure: Figure, runs: Runs) -> None:
        mine = by_start(runs, normalised=normalised)
        for axes, name in zip(figure.subplots(1, 2), ("train loss", "train accuracy"), strict=True):
            for start in starts:
                one = mine[start]
                for seed, values in enumerate(curve(one, name)):
                    label = None if seed else f"{start}, rate {one.parameters['rates'][one.found['best']]:g}"
                    drawn = np.where(np.isfinite(values), values, np.nan)
                    axes.plot(one.found["epochs"], drawn, color=_COLOURS[start], label=label)
            axes.set(xlabel="epoch", title=name.replace("train", "training"))
        figure.axes[0].set(yscale="log")
        figure.axes[1].set(ylim=(0, 1.02))
        figure.axes[1].legend(frameon=False, fontsize=7.5)

    return draw


FLAT = ExperimentFigure(
    "RS-6.5b",
    (7.6, 3.0),
    _drawer(STARTS[:4], normalised=False),
    "PlainNets of 110 layers without normalisation, a line for each seed, at the best rate of each start.",
)
DIRAC = ExperimentFigure(
    "RS-6.5c",
    (7.6, 3.0),
    _drawer(("He", "DiracNet"), normalised=True),
    "With batch normalisation, a line for each seed, at the best rate of each.",
)
