"""Every figure of an experiment, by the experiment's id."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from resproof.reporting.experiment_records import ExperimentResult
from resproof.reporting.figures.experiments import (
    convolutions,
    deep_training,
    first_gradients,
    from_zero,
    initial_conditions,
    learning_rates,
    norms_along,
    plain_networks,
    skip_connections,
    spectra_along,
    trained_weights,
    with_relu,
)
from resproof.reporting.figures.experiments.common import ExperimentFigure

if TYPE_CHECKING:
    from resproof.reporting.figures.svg import ShownFigure

FIGURES: Mapping[str, ExperimentFigure] = {
    one.experiment: one
    for one in (
        norms_along.FIGURE,
        initial_conditions.FIGURE,
        initial_conditions.WITH_RELU,
        spectra_along.MODULI,
        spectra_along.INDEX,
        spectra_along.MODULI_RELU,
        spectra_along.INDEX_RELU,
        learning_rates.FIGURE,
        with_relu.NORMS,
        with_relu.LOSSES,
        *convolutions.FIGURES,
        *skip_connections.FIGURES,
        plain_networks.FLAT,
        plain_networks.DIRAC,
        trained_weights.FIGURE,
        deep_training.FIGURE,
        first_gradients.FIGURE,
        from_zero.FIGURE,
    )
}


def experiment_figure(result: ExperimentResult) -> ShownFigure:
    """The figure of an experiment, drawn from its runs alone; empty where its kind has none."""
    from resproof.reporting.figures.svg import ShownFigure

    one = FIGURES.get(result.id)
    figure = ShownFigure(figsize=one and one.size, layout="constrained")
    if one:
        one.draw(figure, result.runs)
    return figure


def experiment_figures(results: Mapping[str, ExperimentResult]) -> dict[str, str]:
    """The SVG text of the figure of each experiment by its file name."""
    from resproof.reporting.figures.svg import svg_of

    return {FIGURES[id_].file: svg_of(partial(experiment_figure, result)) for id_, result in results.items()}
