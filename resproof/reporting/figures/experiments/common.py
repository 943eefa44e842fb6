"""What a figure of an experiment is, and the colour and marker that each kind of network keeps in all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from resproof.proofs.experiment import Ran, Runs
from resproof.reporting.figures.panels import COLOURS, MARKERS, NETWORKS, Picture

STYLES: dict[str, dict[str, Any]] = {
    **{f"{n}-shortcut": {"color": COLOURS[n], "marker": MARKERS[n]} for n in (1, 2, 3)},
    "orthogonal": {"color": "#cc79a7", "marker": "D"},
    "Xavier": {"color": NETWORKS["PlainNet"], "marker": "v"},
}
_SHADES = ("#c6dbef", "#9ecae1", "#6baed6", "#4292c6", "#2171b5", "#08519c", "#08306b", "#000000")
"""Of one kind of network, darker for more layers."""


@dataclass(frozen=True, slots=True)
class ExperimentFigure:
    """The figure of an experiment: how it is made of the runs, and what one sees in it."""

    experiment: str
    picture: Callable[[Runs], Picture]
    caption: str

    @property
    def file(self) -> str:
        """The figure's file."""
        return f"{self.experiment.lower()}.svg"


def shade(position: int, count: int) -> str:
    """The shade of one of so many."""
    return _SHADES[round((position + 1) * (len(_SHADES) - 2) / count)]


def layers(one: Ran) -> int:
    """The depth of a run."""
    return one.parameters["layers"]


def depths(runs: Runs) -> list[int]:
    """The depths of all runs."""
    return sorted({layers(one) for one in runs.values()})


def found_of(runs: Runs, name: str) -> dict[int, Any]:
    """What the runs that have it found under this name, by their depths."""
    there = sorted((one for one in runs.values() if name in one.found), key=layers)
    return {layers(one): one.found[name] for one in there}


def of_kind(runs: Runs, kind: str) -> list[Ran]:
    """The runs of one kind of network, by depth."""
    return sorted((one for one in runs.values() if one.parameters["kind"] == kind), key=layers)
