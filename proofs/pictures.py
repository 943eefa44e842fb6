"""Pictures of counterexamples: lines through computed points, as plain data; `reporting.figures` draws them.

A picture is made from the instance of a counterexample by what computes with it, at exact places; six digits are kept,
more than a picture shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from resproof.proofs.formulas import readable


@dataclass(frozen=True, slots=True)
class Stroke:
    """Points that are joined in their order, the coordinates with spaces between; `printed`: as the document has it."""

    label: str
    x: str
    y: str
    printed: bool = False

    @property
    def points(self) -> tuple[list[float], list[float]]:
        """All first coordinates, all second ones."""
        return [*map(float, self.x.split())], [*map(float, self.y.split())]


@dataclass(frozen=True, slots=True)
class Plot:
    """What one sees, what the axes are, and the lines.

    `log`: the upward axis is logarithmic; `equal`: lengths are the same on both axes.
    """

    sees: str
    across: str
    up: str
    lines: tuple[Stroke, ...]
    log: bool = False
    equal: bool = False

    def __post_init__(self) -> None:
        readable(self.sees, self.across, self.up, *(one.label for one in self.lines))


def line(label: str, points: Iterable[Sequence[Any]], *, printed: bool = False) -> Stroke:
    """The line through these points."""
    across, up = zip(*points, strict=True)
    return Stroke(label, _digits(across), _digits(up), printed)


def _digits(values: Iterable[Any]) -> str:
    return " ".join(f"{float(value):.6g}" for value in values)


def graph(label: str, value: Callable[[Any], Any], places: Iterable[Any], *, printed: bool = False) -> Stroke:
    """The values at these places."""
    return line(label, ((place, value(place)) for place in places), printed=printed)


def graphs(values: Mapping[str, Callable[[Any], Any]], places: Iterable[Any]) -> tuple[Stroke, ...]:
    """The values of several functions at the same places."""
    at = [*places]
    return tuple(graph(label, value, at) for label, value in values.items())


def between(low: Fraction | int, high: Fraction | int, pieces: int = 32) -> list[Fraction]:
    """Equally spaced places; dyadic where `pieces` is a power of two and both ends are."""
    return [low + (high - low) * Fraction(k, pieces) for k in range(pieces + 1)]
