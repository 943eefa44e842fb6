"""DR-F3: Frobenius norms of 2-shortcut networks along training."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from resproof.proofs.demystifying_resnet.experiments import final_norms, half_lives
from resproof.proofs.demystifying_resnet.training_runs import near_zero_growth
from resproof.proofs.experiment import Runs
from resproof.reporting.figures.common import COLOURS, panels
from resproof.reporting.figures.experiments.common import (
    ExperimentFigure,
    epochs_from_zero,
    log_depths,
    norms_along,
    norms_at_the_end,
    predicted,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _draw(figure: Figure, runs: Runs) -> None:
    along, end, leaving = panels(figure, 3)
    ordered = norms_along(along, runs)
    first = ordered[0]
    times = np.array([epoch for epoch in first.found["epochs"] if epoch <= 60])
    start = np.mean([each[0] for one in ordered for each in one.found["norms"]])
    grown = start * near_zero_growth(first.found["core"], first.parameters["rate"], times.tolist())
    top = max(float(np.max(np.array(one.found["norms"], dtype=float))) for one in ordered)
    along.plot(times[grown < top], grown[grown < top], label="near zero (EX-3)", **predicted())
    epochs_from_zero(along)
    depths = norms_at_the_end(end, final_norms(runs), "slope \u22121/2, as in Theorem 1")
    end.set(yscale="log", ylim=along.get_ylim(), ylabel="$\\|W\\|_F$, mean over layers")
    end.legend(frameon=False, fontsize=7.5, loc="lower left")
    for depth, (seen, expected) in (lives := half_lives(runs)).items():
        leaving.plot([depth] * len(seen), seen, ".", color=COLOURS[2], label=None if depth > depths[0] else "seen")
        leaving.plot([depth], [expected], "_", markersize=12, color="#444444")
    leaving.plot([*lives], [expected for _, expected in lives.values()], label="EX-3", **predicted())
    log_depths(leaving, depths)
    leaving.set(title="epoch at which half\nof the loss is gone", ylim=(0, None))
    leaving.legend(frameon=False, fontsize=7.5, loc="lower left")


FIGURE = ExperimentFigure(
    "DR-F3",
    (6.4, 5.8),
    _draw,
    "Left: along training; until the weights have left zero all depths go together, as along Theorem 2's "
    "eigenvectors (EX-3), and then separate, the deeper the lower. Right: when training ends; the dashed line is drawn "
    "through the last point. Below: when zero is left, a dot for each seed, and as EX-3 predicts it.",
)
