"""The catalogue: every entry as it reads, its parameters, and two blocks against loops over their definition."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields
from fractions import Fraction
from inspect import signature

import numpy as np
import pytest

from resproof.architectures import catalogue
from resproof.architectures.activations import relu, tanh
from resproof.architectures.catalogue import CATALOGUE, Entry
from resproof.architectures.errors import ArchitectureError
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Expression
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.text import text
from resproof.numeric.backend import ops
from resproof.numeric.network.adjoint import outputs
from resproof.numeric.network.parameters import random_weights
from resproof.proofs.beyond.printed_blocks import BLOCKS


def test_every_entry_is_here() -> None:
    assert BLOCKS.keys() == CATALOGUE.keys()


@pytest.mark.parametrize("name", BLOCKS)
def test_reads_as_in_its_source(name: str) -> None:
    unit = ResidualUnit(CATALOGUE[name].build())
    assert text(unit.expression, unit.names) == BLOCKS[name][0]


@pytest.mark.parametrize(("name", "entry"), CATALOGUE.items())
def test_an_entry_says_what_it_is_and_nothing_of_what_it_does(name: str, entry: Entry) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", name)
    assert entry.title
    assert entry.formula
    assert entry.source
    assert [field.name for field in fields(entry)] == ["title", "build", "formula", "source", "not_computed"]
    said = " ".join((entry.title, entry.formula, entry.source, entry.not_computed)).lower()
    assert not re.search(r"\b(order|regime|hessian|saddle|depth-invariant|condition)\b", said)


@pytest.mark.parametrize("entry", CATALOGUE.values(), ids=CATALOGUE)
def test_every_parameter_has_a_default(entry: Entry) -> None:
    assert all(one.default is not one.empty for one in signature(entry.build).parameters.values())


@pytest.mark.parametrize("entry", CATALOGUE.values(), ids=CATALOGUE)
def test_two_builds_share_no_weight(entry: Entry) -> None:
    first, second = ResidualUnit(entry.build()), ResidualUnit(entry.build())
    assert list(first.names.values()) == list(second.names.values())
    assert not set(first.weights) & set(second.weights)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: catalogue.n_shortcut(0), "n_shortcut: shortcut_depth is 0; expected an int from 1 to 200"),
        (
            lambda: catalogue.n_shortcut(10**9 - 1),
            "n_shortcut: shortcut_depth is 999999999; expected an int from 1 to 200",
        ),
        (lambda: catalogue.resnext(0), "resnext: branches is 0; expected an int from 1 to 200"),
        (lambda: catalogue.attention(heads=0), "attention: heads is 0; expected an int from 1 to 200"),
        (lambda: catalogue.transformer(heads=True), "attention: heads is True; expected an int from 1 to 200"),
        (lambda: catalogue.convolution(taps=0), "convolution: taps is 0; expected an int from 1 to 200"),
        (lambda: catalogue.convolution(layers=-1), "convolution: layers is -1; expected an int from 1 to 200"),
        (lambda: catalogue.layer_scale(0.1), "0.1 is a float; expected an int or a Fraction"),  # pyright: ignore[reportArgumentType]
    ],
)
def test_wrong_parameters(build: Callable[[], Expression], message: str) -> None:
    with pytest.raises(ArchitectureError, match=re.escape(message)):
        _ = build()


def test_parameters_of_attention_and_transformer() -> None:
    unit = ResidualUnit(catalogue.transformer())
    assert list(unit.names.values()) == ["Q", "K", "V", "O", "W1", "W2"]
    heads = ResidualUnit(catalogue.transformer(heads=2))
    assert list(heads.names.values()) == ["Q1", "K1", "V1", "O1", "Q2", "K2", "V2", "O2", "W1", "W2"]
    assert [w.shape for w in heads.weights[:4]] == [("k", "d"), ("k", "d"), ("k", "d"), ("d", "k")]
    one = ResidualUnit(catalogue.attention(heads=1))
    assert [w.shape for w in one.weights] == [("k", "d"), ("k", "d"), ("d", "d"), ("d", "d")]


def test_activations_are_passed_on() -> None:
    assert "relu" in text(catalogue.biased())
    assert "relu" in text(catalogue.smoothed_biased(relu))
    assert text(catalogue.layer_scale(Fraction(1, 3), tanh)).startswith("h + (Fraction(1, 3) + s)")


def test_heads_are_those_of_the_source() -> None:
    """Vaswani et al. 2017, Section 3.2.2: O applied to the heads one above the other."""
    unit, (d, k, t) = ResidualUnit(catalogue.attention(heads=2, causal=True)), (4, 2, 3)
    w = {n: a[0] for n, a in random_weights(unit, 1, {"d": d, "k": k}, ops(np), 1).items()}
    h = np.random.default_rng(0).standard_normal((1, d, t))
    found = outputs(Network(unit, 1), {n: a[None] for n, a in w.items()}, h)[0]
    stacked = np.zeros((2 * k, t))
    for i, r in np.ndindex(2, t):
        scores = np.array([w[f"K{i + 1}"] @ h[0, :, s] @ (w[f"Q{i + 1}"] @ h[0, :, r]) for s in range(r + 1)])
        share = np.exp(scores) / np.exp(scores).sum()
        stacked[i * k : (i + 1) * k, r] = sum(share[s] * (w[f"V{i + 1}"] @ h[0, :, s]) for s in range(r + 1))
    expected = h[0] + np.concatenate([w["O1"], w["O2"]], axis=1) @ stacked
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize(("taps", "layers"), [(1, 1), (2, 1), (3, 1), (3, 2), (5, 2)])
def test_convolutions_entry_by_entry(taps: int, layers: int) -> None:
    """u_i(r) = sum over channels j and taps k of W_k[i, j] u_j(r - k + taps // 2), zero outside."""
    unit, (d, t) = ResidualUnit(catalogue.convolution(taps, layers)), (2, 4)
    w = {n: a[0] for n, a in random_weights(unit, 1, {"d": d}, ops(np), 1).items()}
    h = np.random.default_rng(0).standard_normal((1, d, t))
    u = h[0]
    for layer in range(1, layers + 1):
        u, before = np.zeros((d, t)), np.tanh(u) if layer > 1 else u
        for i, j, k, r in np.ndindex(d, d, taps, t):
            s = r - k + taps // 2
            if 0 <= s < t:
                u[i, r] += w[f"W{layer}_{k + 1}"][i, j] * before[j, s]
    found = outputs(Network(unit, 1), {n: a[None] for n, a in w.items()}, h)[0]
    np.testing.assert_allclose(found, h[0] + u, rtol=1e-13, atol=1e-13)
