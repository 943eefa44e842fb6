"""Both layouts of the scan multiply as the series that they hold."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from resproof.numeric.backend import Array, Ops
from resproof.numeric.network.scan_layout import Abreast, Stacked, Streams
from resproof.numeric.network.series import FloatSeries, Series
from tests.numeric.compare import assert_close, host

WIDTH = 3
FRONT = (4, 2)

LAYOUTS: dict[str, tuple[Callable[[Ops], Streams], int, tuple[int, ...]]] = {
    "value": (lambda ops: Stacked(ops, WIDTH, 0), 0, ()),
    "tangent": (lambda ops: Stacked(ops, WIDTH, 1), 1, ()),
    "order 4": (lambda ops: Stacked(ops, WIDTH, 4), 4, ()),
    "block of one": (lambda ops: Abreast(ops, WIDTH, 1), 1, (1,)),
    "block of five": (lambda ops: Abreast(ops, WIDTH, 5), 1, (5,)),
}


def random_series(ops: Ops, seed: int, order: int, block: tuple[int, ...], *, until: int | None = None) -> Series:
    """Normal entries; coefficients from `until` on are None."""
    draw = np.random.default_rng(seed).standard_normal
    shapes = [(*(block if j else ()), *FRONT, WIDTH, WIDTH) for j in range(order + 1)]
    return tuple(None if until is not None and j >= until else ops.asarray(draw(s)) for j, s in enumerate(shapes))


def assert_equal(found: Series, expected: Series) -> None:
    assert len(found) == len(expected)
    for a, b in zip(found, expected, strict=True):
        array = host(a)
        reference = np.zeros(array.shape) if b is None else host(b)
        assert_close(array, reference, 64, 1.0 + float(np.linalg.norm(reference)))


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_series_comes_back_from_its_layout(name: str, array_ops: Ops) -> None:
    make, order, block = LAYOUTS[name]
    streams, a = make(array_ops), random_series(array_ops, 0, order, block)
    assert_equal(streams.series_of_stream(streams.stream(a)), a)
    assert_equal(streams.series_of_rows(streams.rows(a)), a)
    constant = (a[0], *[None] * order)
    assert_equal(streams.series_of_stream(streams.stream(constant)), constant)
    assert_equal(streams.series_of_rows(streams.rows(constant)), constant)


@pytest.mark.parametrize("until", [None, 1])
@pytest.mark.parametrize("name", LAYOUTS)
def test_a_layout_multiplies_as_the_series_does(name: str, until: int | None, array_ops: Ops) -> None:
    make, order, block = LAYOUTS[name]
    streams, algebra = make(array_ops), FloatSeries(array_ops, order)
    m = random_series(array_ops, 1, order, block, until=until)
    h, b = (random_series(array_ops, seed, order, block) for seed in (2, 3))
    factors = streams.room(*FRONT)
    streams.fill(factors, (slice(None), slice(None)), m)

    def check(step: Callable[..., Array], packed: Array, unpack: Callable[[Array], Series], expected: Series) -> None:
        assert_equal(unpack(step(factors, packed)), expected)
        out = array_ops.zeros(tuple(packed.shape))
        _ = step(factors, packed, out)
        assert_equal(unpack(out), expected)

    check(streams.forward, streams.stream(h), streams.series_of_stream, algebra.matmul(m, h))
    if order < 2:
        check(streams.backward, streams.rows(b), streams.series_of_rows, algebra.matmul(b, m))


@pytest.mark.parametrize("name", LAYOUTS)
def test_what_is_filled_in_two_places_is_all_there(name: str, array_ops: Ops) -> None:
    make, order, block = LAYOUTS[name]
    streams, m = make(array_ops), random_series(array_ops, 4, order, block)
    whole, parts = streams.room(*FRONT), streams.room(*FRONT)
    streams.fill(whole, (slice(None), slice(None)), m)
    for half in (slice(0, 1), slice(1, 2)):
        some = tuple(None if c is None else c[..., half, :, :] for c in m)
        streams.fill(parts, (slice(None), half), some)
    for a, b in zip(parts, whole, strict=True):
        np.testing.assert_array_equal(host(a), host(b))
