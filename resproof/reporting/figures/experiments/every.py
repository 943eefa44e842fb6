"""Every figure of an experiment, by the experiment's id."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Protocol

from resproof.proofs.experiment import Runs
from resproof.reporting.figures.experiments import demystifying, identity, rethinking
from resproof.reporting.figures.experiments.common import ExperimentFigure
from resproof.reporting.figures.panels import Picture, drawn

if TYPE_CHECKING:
    from resproof.reporting.figures.svg import ShownFigure

FIGURES: Mapping[str, ExperimentFigure] = {
    one.experiment: one for one in (*demystifying.FIGURES, *rethinking.FIGURES, *identity.FIGURES)
}


class Observed(Protocol):
    """An experiment's result, as far as it is drawn."""

    @property
    def id(self) -> str:
        """The experiment's."""
        ...

    @property
    def runs(self) -> Runs:
        """What there is to draw."""
        ...


def experiment_figure(result: Observed) -> ShownFigure:
    """The figure of an experiment, drawn from its runs alone; empty where its kind has none."""
    one = FIGURES.get(result.id)
    return drawn(one.picture(result.runs) if one else Picture((6.4, 4.8), []))


def experiment_figures(results: Mapping[str, Observed]) -> dict[str, str]:
    """The SVG text of the figure of each experiment by its file name."""
    from resproof.reporting.figures.svg import svg_of

    return {FIGURES[id_].file: svg_of(partial(experiment_figure, result)) for id_, result in results.items()}
