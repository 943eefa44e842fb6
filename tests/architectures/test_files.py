"""`--architecture NAME --set key=value`: parameters of the builder by their kinds, inner dimensions, wrong ones."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from resproof.architectures.catalogue import CATALOGUE
from resproof.architectures.errors import ArchitectureError
from resproof.architectures.files import from_catalogue, settings_of
from resproof.architectures.text import text
from resproof.proofs.block.spectrum import NoHessianError
from resproof.reporting.spectrum import compute

KINDS = {"int", "bool", "Activation", "Scalar", "Dimension | None"}


def test_every_parameter_is_of_a_kind_that_is_read() -> None:
    assert {kind for name in CATALOGUE for kind in settings_of(name).values()} <= KINDS


def test_the_stream_takes_its_width_from_the_data() -> None:
    assert list(settings_of("n-shortcut")) == ["shortcut_depth", "pre", "mid", "post", "inner_width"]


@pytest.mark.parametrize(
    ("name", "settings", "expected"),
    [
        ("resnext", ["branches=3", "activation=silu"], "h + V1 @ silu(U1 @ h) + V2 @ silu(U2 @ h) + V3 @ silu(U3 @ h)"),
        ("layer-scale", ["epsilon=1/3"], "h + (Fraction(1, 3) + s) * (W2 @ tanh(W1 @ h))"),
        ("layer-scale", ["epsilon=0"], "h + s * (W2 @ tanh(W1 @ h))"),
        ("convolution", ["taps=1", "layers=1"], "h + W1_1 @ h @ shift(0)"),
        (
            "attention",
            ["causal=true"],
            "h + O @ (V @ h) @ softmax((K @ h).T @ (Q @ h), axis=0, mask=causal_mask())",
        ),
        ("multi-head", ["heads=1", "causal=false"], "h + O @ (V @ h) @ softmax((K @ h).T @ (Q @ h), axis=0)"),
        ("dirac-net", ["random=true"], "a * h + W @ h"),
    ],
)
def test_settings(name: str, settings: list[str], expected: str) -> None:
    given = from_catalogue(name, settings)
    assert text(given.unit.expression, given.unit.names) == expected
    assert given.name == f"{name} ({', '.join(settings)})"
    assert not given.sizes


def test_inner_dimensions() -> None:
    given = from_catalogue("transformer", ["k=2", "heads=2", "f=7"])
    assert given.sizes == {"k": 2, "f": 7}


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("resnet", [], "--architecture resnet: is unknown; expected one of "),
        ("swiglu", ["mid=tanh"], "--set mid: is no parameter of swiglu; expected one of k"),
        ("transformer", ["d=3"], "is no parameter of transformer; expected one of activation, heads, causal, k, f"),
        ("dirac-net", ["random=yes"], "--set random=yes: expected true or false"),
        ("layer-scale", ["epsilon=small"], "--set epsilon=small: expected an exact number such as 1/10"),
        ("layer-scale", ["epsilon=1/0"], "--set epsilon=1/0: expected an exact number such as 1/10"),
        ("wide", ["k=0"], "--set k=0: expected a positive whole number"),
        ("resnext", ["branches=two"], "--set branches=two: expected a positive whole number"),
        ("wide", ["activation=step"], "--set activation=step: is no activation; expected one of identity, tanh"),
    ],
)
def test_wrong_settings(name: str, settings: list[str], message: str) -> None:
    with pytest.raises(ArchitectureError, match=re.escape(message)):
        _ = from_catalogue(name, settings)


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_entry_has_a_spectrum_or_says_why_not(name: str, tmp_path: Path) -> None:
    generator: Any = np.random.default_rng(0)
    mixes = from_catalogue(name).unit.mixes_columns
    x, y = generator.standard_normal((2, 2, 3, 2) if mixes else (2, 3, 5))
    np.savez(tmp_path / "data.npz", X=x, Y=y)
    try:
        found = compute(None, name, [], 3, tmp_path / "data.npz", "squared")
    except NoHessianError as error:
        assert "not the identity at its initial point" in str(error)  # noqa: PT017
    else:
        assert found.parameters > 0
        assert (found.negative or 0) + (found.zero or 0) + (found.positive or 0) == found.parameters
