"""Layouts of random diagrams: everything apart, in layers, and every arrow from left to right."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resproof.reporting.site.layers import Arrangement, Extent, layout


@st.composite
def diagrams(draw: st.DrawFn) -> tuple[dict[str, Extent], list[tuple[str, str]]]:
    """Boxes of all sizes, and arrows from earlier to later ones."""
    count = draw(st.integers(1, 12))
    side = st.integers(10, 200).map(float)
    sizes = {f"n{place}": Extent(draw(side), draw(side)) for place in range(count)}
    pairs = list(combinations(sizes, 2))
    return sizes, draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []


def overlap(found: Arrangement, sizes: dict[str, Extent], one: str, other: str) -> bool:
    (left, up), (right, down) = found.centres[one], found.centres[other]
    wide = (sizes[one].width + sizes[other].width) / 2 - 1e-6
    high = (sizes[one].height + sizes[other].height) / 2 - 1e-6
    return abs(left - right) < wide and abs(up - down) < high


@given(diagrams())
def test_boxes_are_apart_and_arrows_go_to_the_right(diagram: tuple[dict[str, Extent], list[tuple[str, str]]]) -> None:
    sizes, arrows = diagram
    found = layout(sizes, arrows)
    assert not [pair for pair in combinations(sizes, 2) if overlap(found, sizes, *pair)]
    for key, size in sizes.items():
        centre = found.centres[key]
        assert size.width / 2 - 1e-6 <= centre.x <= found.size.width - size.width / 2 + 1e-6
        assert size.height / 2 - 1e-6 <= centre.y <= found.size.height - size.height / 2 + 1e-6
    assert len(found.arrows) == len(arrows)
    for (start, end), way in zip(arrows, found.arrows, strict=True):
        assert all(one.x <= other.x for one, other in pairwise(way))
        assert way[0] == (found.centres[start].x + sizes[start].width / 2, found.centres[start].y)
        assert way[-1] == (found.centres[end].x - sizes[end].width / 2, found.centres[end].y)


def test_what_can_be_drawn_without_a_crossing_is() -> None:
    sizes = {name: Extent(40.0, 20.0) for name in "abcdef"}
    found = layout(sizes, [("a", "f"), ("b", "e"), ("c", "d")])
    heights = {key: centre.y for key, centre in found.centres.items()}
    assert (heights["a"], heights["b"], heights["c"]) == (heights["f"], heights["e"], heights["d"])


def test_a_source_stands_next_to_what_it_leads_to() -> None:
    sizes = {name: Extent(40.0, 20.0) for name in "abcd"}
    found = layout(sizes, [("a", "b"), ("b", "c"), ("d", "c")])
    assert found.centres["d"].x == found.centres["b"].x


def test_a_circle_is_refused() -> None:
    with pytest.raises(ValueError, match="cycle"):
        layout({"a": Extent(1.0, 1.0), "b": Extent(1.0, 1.0)}, [("a", "b"), ("b", "a")])
