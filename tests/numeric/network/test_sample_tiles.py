"""Tiles of samples and taped calls equal the network unit by unit, for every block that they take."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from resproof.architectures import catalogue
from resproof.architectures.activations import gelu, polynomial, sigmoid, silu, softplus, tanh
from resproof.architectures.losses import LOSSES
from resproof.architectures.nodes import Expression, Input, Weight
from resproof.numeric.backend import ops
from resproof.numeric.limits import OutOfMemoryError
from resproof.numeric.network import arrangement
from resproof.numeric.network import sample_tiles as tiles
from resproof.numeric.network.adjoint import gradient, hvp, jvp, start, vjp
from resproof.numeric.network.sample_tiles import Tiles
from tests.numeric.cases import Case, first_of, make
from tests.numeric.compare import assert_close


def uneven() -> Expression:
    """Every kind of node, values that are read several times, a weight and its transpose."""
    h, w, b = Input("d"), Weight("d", "d"), Weight("d")
    inner = tanh(w.T @ h) * tanh(h) + h
    return 2 * h + tanh(w @ h) * h + tanh(inner) + b * inner


def square() -> Expression:
    h, w = Input("d"), Weight("d", "d")
    return h + w @ (sigmoid(h) * sigmoid(h))


TAKEN: dict[str, Callable[[], Expression]] = {
    "tanh": lambda: catalogue.n_shortcut(2, tanh, tanh, tanh, inner_width="k"),
    "gelu": lambda: catalogue.n_shortcut(2, gelu, gelu, gelu),
    "cubic": lambda: catalogue.n_shortcut(1, polynomial(0, 1, 0, Fraction(1, 10))),
    "plain": lambda: catalogue.plain(tanh),
    "biased": lambda: catalogue.biased(softplus),
    "relu": catalogue.biased,
    "tied": catalogue.tied,
    "rezero": catalogue.rezero,
    "swiglu": catalogue.swiglu,
    "fixup": lambda: catalogue.fixup(silu),
    "uneven": uneven,
    "square": square,
}
NOT_TAKEN: dict[str, Callable[[], Expression]] = {
    "normalised": catalogue.pre_norm,
    "mixed columns": catalogue.attention,
    "a function of a weight": lambda: (h := Input("d")) + tanh(Weight("d", "d")) @ tanh(h),
}


@pytest.fixture(autouse=True)
def _by_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrangement, "fastest", first_of("tiles"))


def every(case: Case) -> Mapping[str, Any]:
    """All derivatives that go back through the network."""
    net, w, v, x, y = case.network, case.weights, case.direction, case.x, case.y
    weights, back = vjp(net, w, x, y)
    parts = {"hvp": hvp(net, w, v, x, y), "gradient": gradient(net, w, x, y), "vjp": weights}
    return {"X": back, **{f"{name} {key}": a for name, found in parts.items() for key, a in found.items()}}


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("units", [1, 2, 7])
@pytest.mark.parametrize("name", TAKEN)
def test_every_derivative_by_tiles(name: str, units: int, loss: str, monkeypatch: pytest.MonkeyPatch) -> None:
    case = make(TAKEN[name](), ops(np), units=units, loss=LOSSES[loss])
    assert isinstance(start("test", case.network, case.weights, case.direction, case.x), Tiles)
    with monkeypatch.context() as patched:
        patched.setattr(arrangement, "is_taped", lambda program: False)
        expected = every(case)
    monkeypatch.setattr(tiles, "STACK", 0)
    # 5 samples in 8 columns; then as 2 + 2 + 1 in two columns, and as 3 + 2 in three.
    for longest, tile in ((8, 512), (1, 512), (2, 2), (3, 3)):
        monkeypatch.setattr(tiles, "LONGEST", longest)
        monkeypatch.setattr(tiles, "WIDE", tile)
        if tile < 5:
            monkeypatch.setattr(tiles, "whole_lines", lambda samples: samples)
        found = every(case)
        assert found.keys() == expected.keys()
        for key, array in expected.items():
            assert_close(found[key], array, 4 * case.chain, 1.0 + float(np.linalg.norm(array)))


@pytest.mark.parametrize("name", NOT_TAKEN)
def test_other_units_go_unit_by_unit(name: str) -> None:
    case = make(NOT_TAKEN[name](), ops(np))
    assert not isinstance(start("test", case.network, case.weights, case.direction, case.x), Tiles)


def test_blocks_of_tangents_and_higher_orders_go_unit_by_unit() -> None:
    case = make(catalogue.tied(), ops(np), batch=2)
    arguments = (case.network, case.weights, case.direction, case.x)
    assert not isinstance(start("test", *arguments), Tiles)
    assert not isinstance(start("test", case.network, case.weights, None, case.x, 2), Tiles)
    assert jvp(*arguments)[1].shape == (2, *case.x.shape)


def tiles_of(expression: Expression, *, units: int = 1000) -> Tiles:
    case = make(expression, ops(np), units=units)
    found = start("test", case.network, case.weights, case.direction, case.x)
    assert isinstance(found, Tiles)
    return found


def test_the_plan_follows_the_memory() -> None:
    found = tiles_of(TAKEN["tanh"]())
    wide = found.plan(1000, 2**30)
    assert (wide.tile, wide.segment) == (1000, tiles.LONGEST)
    longer = found.plan(1000, wide.needed - 1)
    assert (longer.tile, longer.segment) == (1000, tiles.LONGEST + 1)
    assert longer.needed < wide.needed
    narrow = found.plan(1000, 2**20)
    assert narrow.tile < wide.tile
    assert narrow.needed <= 2**20
    with pytest.raises(OutOfMemoryError, match=r"16 samples through 1000 units need .* kB at a time; memory allows 9"):
        _ = found.plan(1000, 9)


def test_samples_are_taken_together_by_what_their_widest_stack_weighs(monkeypatch: pytest.MonkeyPatch) -> None:
    narrow, wide = (tiles_of(catalogue.n_shortcut(2, *3 * [tanh], inner_width=width), units=2) for width in "kf")
    most = [tiles.STACK // (2 * 8 * widest) for widest in (3, 4)]
    assert [found.plan(count, 2**30).tile for found, count in zip((narrow, wide), most, strict=True)] == most
    assert narrow.plan(most[0] + 1, 2**30).tile == most[0] // 2 + 8
    monkeypatch.setattr(tiles, "STACK", 0)
    assert wide.plan(10 * tiles.WIDE, 2**30).tile == tiles.WIDE
