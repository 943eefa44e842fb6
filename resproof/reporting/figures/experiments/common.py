"""What a figure of an experiment is, and the colour and marker that each kind of network keeps in all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from resproof.proofs.experiment import Ran, Runs
from resproof.reporting.figures.common import COLOURS, MARKERS, NETWORKS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STYLES: dict[str, dict[str, Any]] = {
    "1-shortcut": {"color": COLOURS[1], "marker": MARKERS[1]},
    "2-shortcut": {"color": COLOURS[2], "marker": MARKERS[2]},
    "3-shortcut": {"color": COLOURS[3], "marker": "^"},
    "orthogonal": {"color": "#cc79a7", "marker": "D"},
    "Xavier": {"color": NETWORKS["PlainNet"], "marker": "v"},
}
PREDICTED: dict[str, Any] = {"color": "#444444", "linestyle": (0, (4, 2)), "linewidth": 1.1, "zorder": 3}
"""What theory says, beside what was measured."""
SEQUENCE = ("#c6dbef", "#9ecae1", "#6baed6", "#4292c6", "#2171b5", "#08519c", "#08306b", "#000000")
"""Shades of one kind of network, darker for more layers."""


@dataclass(frozen=True, slots=True)
class ExperimentFigure:
    """The figure of an experiment: its size in inches, how it is drawn from the runs, and what one sees in it."""

    experiment: str
    size: tuple[float, float]
    draw: Callable[[Figure, Runs], None]
    caption: str

    @property
    def file(self) -> str:
        """The figure's file."""
        return f"{self.experiment.lower()}.svg"


def predicted(**changes: Any) -> dict[str, Any]:
    """The style of what theory says, with changes."""
    return PREDICTED | changes


def covered(count: int) -> list[dict[str, Any]]:
    """Sizes of so many lines of which a later one may lie on an earlier one: all are seen."""
    return [{"markersize": 4.5 + 2.0 * later, "linewidth": 1.5 + 1.5 * later} for later in reversed(range(count))]


def shade(position: int, count: int) -> str:
    """The shade of one of so many."""
    return SEQUENCE[round((position + 1) * (len(SEQUENCE) - 2) / count)]


def norms_along(axes: Any, runs: Runs) -> list[Ran]:
    """A line for each run, darker for more layers: norms along training, means over seeds; the runs in that order."""
    ordered = sorted(runs.values(), key=lambda one: one.parameters["layers"])
    for position, one in enumerate(ordered):
        norms, label = np.mean(one.found["norms"], axis=0, dtype=float), f"{one.parameters['layers']} layers"
        axes.plot(one.found["epochs"], norms, color=shade(position, len(ordered)), label=label)
    return ordered


def epochs_from_zero(axes: Any) -> None:
    """The axes of norms along training, from the first epoch to the last of thousands."""
    axes.set(xscale="symlog", yscale="log", xlabel="epoch", ylabel="$\\|W\\|_F$, mean over layers", xlim=(0, None))
    axes.set_xticks([0, 1, 10, 100, 1000], ["0", "1", "10", "100", "1000"])
    axes.legend(frameon=False, fontsize=7.5, loc="lower right")


def norms_at_the_end(axes: Any, final: Mapping[int, float], theory: str) -> list[int]:
    """Norms when training ends against depth, and through the last of them the slope -1/2; the depths."""
    depths = list(final)
    last = depths[-1]
    axes.plot(depths, list(final.values()), color=COLOURS[2], marker=MARKERS[2], label="when training ends")
    axes.plot(depths, [final[last] * (depth / last) ** -0.5 for depth in depths], label=theory, **predicted())
    log_depths(axes, depths)
    return depths


def legend_below(axes: Any, columns: int = 2) -> None:
    """The lines of these axes told below the figure, where a narrow screen shows them too."""
    lines = axes.get_legend_handles_labels()
    axes.figure.legend(*lines, frameon=False, fontsize=7.5, loc="outside lower center", ncols=columns)


def log_depths(axes: Any, depths: Sequence[int], label: str = "layers") -> None:
    """A logarithmic axis with ticks at these depths and nowhere else."""
    axes.set_xscale("log")
    axes.set_xlabel(label)
    axes.set_xticks(depths, [f"{depth}" for depth in depths])
    axes.minorticks_off()
