"""Where the boxes of a diagram go: layers from left to right, few crossings, short arrows.

The method of Sugiyama, Tagawa and Toda (1981): a box stands one layer behind the last of those with an arrow to it; an
arrow over several layers gets a bend in each of them; layers are ordered by the mean place of the neighbours, and what
crosses least is kept; at last each layer is moved to where its arrows are shortest in the sense of least squares.
"""

from __future__ import annotations

from bisect import bisect, insort
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from itertools import pairwise
from typing import NamedTuple, TypeAlias

_SWEEPS = 24
_BETWEEN_LAYERS = 56.0
_BETWEEN_BOXES = 14.0


class Extent(NamedTuple):
    """Of a box."""

    width: float
    height: float


class Position(NamedTuple):
    """To the right and down."""

    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The centre of each box, the points that each arrow passes, and the size of the whole."""

    centres: Mapping[str, Position]
    arrows: tuple[tuple[Position, ...], ...]
    size: Extent


_Node: TypeAlias = str | tuple[int, int]
"""A box, or the bend of an arrow: the arrow's place in the list, and the layer."""


@dataclass(frozen=True, slots=True)
class _Layered:
    """Layers of nodes with the neighbours of each, and every arrow as the nodes that it passes."""

    layers: list[list[_Node]]
    neighbours: Mapping[_Node, Sequence[_Node]]
    paths: Sequence[Sequence[_Node]]


def layout(sizes: Mapping[str, Extent], arrows: Sequence[tuple[str, str]]) -> Arrangement:
    """Places for boxes of these sizes and the arrows between them.

    Raises:
        ValueError: the arrows go in a circle.
    """
    found = _layered(sizes, arrows)
    _order(found)
    widths = [
        max((sizes[node].width for node in layer if isinstance(node, str)), default=0.0) for layer in found.layers
    ]
    lefts = [sum(widths[:layer]) + layer * _BETWEEN_LAYERS for layer in range(len(widths))]
    heights = _heights(found, sizes)
    column = {node: layer for layer, nodes in enumerate(found.layers) for node in nodes}
    centres = {key: Position(lefts[column[key]] + widths[column[key]] / 2, heights[key]) for key in sizes}

    def passed(path: Sequence[_Node]) -> tuple[Position, ...]:
        first, *bends, last = path
        through = [
            Position(x, heights[bend])
            for bend in bends
            for x in (lefts[column[bend]], lefts[column[bend]] + widths[column[bend]])
        ]
        start, end = centres[str(first)], centres[str(last)]
        return (
            Position(start.x + sizes[str(first)].width / 2, start.y),
            *through,
            Position(end.x - sizes[str(last)].width / 2, end.y),
        )

    bottom = max((centres[key].y + size.height / 2 for key, size in sizes.items()), default=0.0)
    bottom = max([bottom, *heights.values()])
    return Arrangement(
        centres, tuple(map(passed, found.paths)), Extent(lefts[-1] + widths[-1] if lefts else 0.0, bottom)
    )


def _layered(keys: Iterable[str], arrows: Sequence[tuple[str, str]]) -> _Layered:
    layer_of = _layer_of(keys, arrows)
    paths: list[list[_Node]] = []
    for place, (start, end) in enumerate(arrows):
        bends = [(place, layer) for layer in range(layer_of[start] + 1, layer_of[end])]
        paths.append([start, *bends, end])
    layers: list[list[_Node]] = [[] for _ in range(max(layer_of.values(), default=-1) + 1)]
    for key, layer in layer_of.items():
        layers[layer].append(key)
    neighbours: dict[_Node, list[_Node]] = {key: [] for key in layer_of}
    for path in paths:
        for bend in path[1:-1]:
            layers[bend[1] if isinstance(bend, tuple) else 0].append(bend)
        for left, right in pairwise(path):
            neighbours.setdefault(left, []).append(right)
            neighbours.setdefault(right, []).append(left)
    return _Layered(layers, neighbours, paths)


def _layer_of(keys: Iterable[str], arrows: Sequence[tuple[str, str]]) -> dict[str, int]:
    """One behind the last predecessor; what has none stands right before its first successor."""
    before: dict[str, list[str]] = {key: [] for key in keys}
    after: dict[str, list[str]] = {key: [] for key in before}
    for start, end in arrows:
        before[end].append(start)
        after[start].append(end)
    order = list(TopologicalSorter(before).static_order())
    found: dict[str, int] = {}
    for key in order:
        found[key] = max((found[one] + 1 for one in before[key]), default=0)
    for key in order:
        if after[key] and not before[key]:
            found[key] = min(found[one] for one in after[key]) - 1
    return {key: found[key] for key in before}


def _order(found: _Layered) -> None:
    """Order each layer by the mean place of its neighbours in the one before, to the right and back again."""
    best = [list(layer) for layer in found.layers]
    least = _crossings(found)
    for sweep in range(_SWEEPS):
        layers = found.layers if sweep % 2 == 0 else found.layers[::-1]
        for fixed, moved in pairwise(layers):
            place = {node: position for position, node in enumerate(fixed)}
            mean = {
                node: _mean([place[one] for one in found.neighbours[node] if one in place], float(position))
                for position, node in enumerate(moved)
            }
            moved.sort(key=mean.__getitem__)
        if (crossings := _crossings(found)) < least:
            best, least = [list(layer) for layer in found.layers], crossings
    found.layers[:] = best


def _crossings(found: _Layered) -> int:
    """How many pairs of arrows cross between neighbouring layers."""
    total = 0
    for left, right in pairwise(found.layers):
        place = {node: position for position, node in enumerate(right)}
        ends: list[int] = []
        for node in left:
            new = [place[one] for one in found.neighbours[node] if one in place]
            total += sum(len(ends) - bisect(ends, end) for end in new)
            for end in new:
                insort(ends, end)
    return total


def _heights(found: _Layered, sizes: Mapping[str, Extent]) -> dict[_Node, float]:
    """How far down each node's middle is: near its neighbours' mean, in the layer's order, without overlap."""
    half = {node: sizes[node].height / 2 if isinstance(node, str) else 0.0 for layer in found.layers for node in layer}
    down: dict[_Node, float] = {}
    for layer in found.layers:
        down |= zip(layer, _apart([0.0] * len(layer), [half[node] for node in layer]), strict=True)
    for sweep in range(_SWEEPS):
        for layer in found.layers if sweep % 2 == 0 else found.layers[::-1]:
            wanted = [_mean([down[one] for one in found.neighbours[node]], down[node]) for node in layer]
            down |= zip(layer, _apart(wanted, [half[node] for node in layer]), strict=True)
    top = min((down[node] - half[node] for node in down), default=0.0)
    return {node: height - top for node, height in down.items()}


def _apart(wanted: Sequence[float], half: Sequence[float]) -> list[float]:
    """The places nearest to `wanted` in the sense of least squares, in order and apart.

    Less what has to lie between them the places only have to ascend: neighbours that do not are pooled at their mean.
    """
    needed = [0.0]
    for one, other in pairwise(half):
        needed.append(needed[-1] + one + other + _BETWEEN_BOXES)
    pools: list[tuple[float, int]] = []
    for want, least in zip(wanted, needed, strict=False):
        pools.append((want - least, 1))
        while len(pools) > 1 and pools[-2][0] >= pools[-1][0]:
            (right, more), (left, count) = pools.pop(), pools.pop()
            pools.append(((left * count + right * more) / (count + more), count + more))
    free = [mean for mean, count in pools for _ in range(count)]
    return [mean + least for mean, least in zip(free, needed, strict=False)]


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise
