"""The loss along lines through zero, where training starts, beside what Theorem 2 says of it there.

A line sets the last layer of every unit to -t M / |M| or to t M / |M|, M = (1/m)(X - Y) X^T, and the others to t I. The
derivative of the loss in V of one linear unit h + V h is M, so with n layers a unit the loss is L(0) - R |M| t^n + ...
on the first line and L(0) + R |M| t^n + ... on the second: n - 1 derivatives vanish at zero, and the n-th does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from resproof.architectures.catalogue import n_shortcut
from resproof.architectures.networks import Network
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.network.adjoint import value
from resproof.proofs.statement import Context
from resproof.reporting.figures.common import COLOURS, Caption, ReportFigure, on_data, rounded
from resproof.reporting.markdown import number
from resproof.reporting.records import Record

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from resproof.reporting.schema import Results

UNITS = 4
FARTHEST = 0.6
_POINTS = 25
_INK = "#444444"
"""What is said of every panel alike."""


class LossSlice(Record):
    """The change of the loss along both lines, at equally spaced t from -FARTHEST to FARTHEST, and R |M|."""

    n: int
    units: int
    coefficient: float
    falling: tuple[float, ...]
    rising: tuple[float, ...]

    @property
    def steps(self) -> list[float]:
        """The values of t."""
        return np.linspace(-FARTHEST, FARTHEST, len(self.falling)).tolist()


def _measured(context: Context) -> tuple[LossSlice, ...]:
    """Slices for n = 1, 2, 3; none where M = 0 and the lines have no direction."""
    x, y = context.data.X, context.data.Y
    slope = (x - y) @ x.T / x.shape[1]
    length = float(np.linalg.norm(slope))
    if length == 0:
        return ()
    return tuple(
        LossSlice(
            n=n,
            units=UNITS,
            coefficient=rounded(UNITS * length),
            falling=_along(n, -slope / length, x, y),
            rising=_along(n, slope / length, x, y),
        )
        for n in (1, 2, 3)
    )


def _along(n: int, last: Any, x: Any, y: Any) -> tuple[float, ...]:
    """The change of the loss of the running network where its last layers are t times `last`."""
    unit = ResidualUnit(n_shortcut(n))
    network = Network(unit, UNITS)
    *others, name = unit.names.values()

    def loss(t: float) -> float:
        layers = {**dict.fromkeys(others, t * np.eye(len(last))), name: t * last}
        return value(network, {one: np.broadcast_to(w, (UNITS, *w.shape)) for one, w in layers.items()}, x, y)

    start = loss(0.0)
    return tuple(rounded(loss(t) - start) for t in np.linspace(-FARTHEST, FARTHEST, _POINTS).tolist())


def _draw(figure: Figure, found: Sequence[LossSlice]) -> None:
    panels = figure.subplots(1, len(found), sharey=True, squeeze=False)[0]
    for axes, one in zip(panels, found, strict=True):
        near = np.linspace(-FARTHEST, FARTHEST, 8 * _POINTS)
        for sign, values, style in ((-1, one.falling, "-"), (1, one.rising, "--")):
            axes.plot(one.steps, values, style, color=COLOURS[one.n], label=f"last layers ${'-' * (sign < 0)}tM/|M|$")
            axes.plot(near, sign * one.coefficient * near**one.n, ":", color=_INK, linewidth=1.0)
        axes.set(title=f"$n = {one.n}$", xlabel="$t$", xlim=(-FARTHEST, FARTHEST), xticks=(-0.5, 0.0, 0.5))
    panels[-1].plot([], [], ":", color=_INK, linewidth=1.0, label=r"$\pm R\,|M|\,t^n$")
    most = max(-min(one.falling) for one in found)
    panels[0].set(ylabel="$L(t) - L(0)$", ylim=(-1.2 * most, 1.6 * most))
    for line in panels[-1].legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5)).get_lines():
        line.set_color(_INK)


def _falls(found: Sequence[LossSlice]) -> bool:
    """Whether the loss is seen to fall anywhere: not on data so ill-scaled that it rises before the first point."""
    return any(min(one.falling) < 0 for one in found)


def _caption(found: Sequence[LossSlice], results: Results) -> Caption:
    return Caption(
        "The loss near zero",
        "For $n = 1$ zero is no stationary point; for $n = 2$ it is a saddle: the loss falls along one line and rises "
        "along the other; for $n = 3$ second derivatives vanish too, and the loss is flat near zero. Dotted: the first "
        "term that does not vanish, by Theorem 2.1 that of order $n$.",
        rf"Its coefficient $`R \lvert M\rvert`$ is {number(found[0].coefficient)}.",
        f"{on_data(results)}, $R = {found[0].units}$: the loss of the running network where the last layer of every "
        r"unit is $-t M / \lvert M\rvert$ or $t M / \lvert M\rvert$ and the others are $t I$.",
    )


FIGURE = ReportFigure("slices.svg", "demystifying-resnet", (8.4, 2.9), _measured, _draw, _caption, _falls)
