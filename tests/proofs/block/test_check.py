"""What `check` says of blocks for which the general case, the sizes at hand and the data at hand differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import pytest

import resproof.proofs.block.check
import resproof.symbolic.index.expansion
from resproof.architectures.activations import gelu, polynomial, relu, sigmoid, silu, softplus, tanh
from resproof.architectures.algebra import conv2d, einsum, identity, join, layer_norm, rms_norm, shift, softmax, split
from resproof.architectures.losses import Loss, cross_entropy, squared
from resproof.architectures.nodes import Constant, Expression, Input, Weight, nodes
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import Initial, normal, zero
from resproof.proofs.block.check import Check, check
from resproof.proofs.block.general import Setting
from resproof.proofs.statement import Data
from resproof.symbolic.index.expansion import expansion

GROWS, SAME, FLAT = "grows with depth", "depth-invariant", "flat"
h = Input("d")
W = Weight


@dataclass(frozen=True)
class Case:
    """A block and its regimes in general, at the sizes and on the data; order and stationary order."""

    block: Callable[[], Expression]
    regimes: tuple[str, str, str]
    order: int | None
    stationary: int | str
    loss: Loss = squared
    sizes: Mapping[str, int] = field(default_factory=dict)


def _pair(f: Callable[[Expression], Expression]) -> Expression:
    return h + W("d", "k") @ f(W("k", "d") @ h)


def _shared(f: Callable[[Expression], Expression]) -> Expression:
    w = W("k", "d")
    return h + W("d", "k") @ f(w @ h)


def _one_row(branch: Expression) -> Expression:
    return Input(1) + branch


def _twice(name: str) -> Expression:
    f, g = polynomial(0, 1, name=name), polynomial(0, 3, name=name)
    return h + W("d", "k") @ f(W("k", "d") @ h) + W("d", "k") @ g(W("k", "d") @ h)


def _heads() -> Expression:
    q, k, v = (einsum("g k d, d t -> g k t", W("g", "k", "d"), h) for _ in range(3))
    p = softmax(einsum("g k s, g k t -> g s t", k, q), axis=1)
    return h + einsum("d g k, g k s, g s t -> d t", W("d", "g", "k"), v, p)


def _split_heads() -> Expression:
    x = Input("g*k")
    q, k, v = (split(W("g*k", "g*k") @ x, "g*k -> g k") for _ in range(3))
    p = softmax(einsum("g k s, g k t -> g s t", k, q), axis=1)
    return x + W("g*k", "g*k") @ join(einsum("g k s, g s t -> g k t", v, p), "g k -> g*k")


def _image(unit: Callable[..., Expression], first: Initial = zero) -> Expression:
    return unit(Input("c", 3, 2), W("f", "c", 3, 3, initial=first), W("c", "f", 3, 3))


def _named_like_data() -> Expression:
    x, y = W("k", "d", name="x", initial=normal(1)), W("k", "d", name="y")
    return h + W("d", "k", name="H") @ (x @ h) * W(1, name="m") + W("d", "k", name="R") @ tanh(y @ h)


CASES = {
    "2-shortcut": Case(lambda: _pair(tanh), (SAME, SAME, SAME), 2, 1),
    "softmax less a half": Case(lambda: _pair(lambda u: softmax(u, 0) - Fraction(1, 2)), (GROWS, GROWS, GROWS), 1, 0),
    "softmax less a half, two rows": Case(
        lambda: _pair(lambda u: softmax(u, 0) - Fraction(1, 2)), (GROWS, SAME, SAME), 1, 1, sizes={"k": 2}
    ),
    "softmax less a half, written with 2": Case(
        lambda: h + W("d", 2) @ (softmax(W(2, "d") @ h, 0) - Fraction(1, 2)), (SAME, SAME, SAME), 2, 1
    ),
    "cross-entropy on one row": Case(lambda: _one_row(W(1, 1)), (FLAT, FLAT, FLAT), 1, ">=3", cross_entropy),
    "cross-entropy, one row at hand": Case(
        lambda: h + W(1, 1), (FLAT, FLAT, FLAT), 1, ">=3", cross_entropy, {"d": 1}
    ),
    "a LayerNorm of the identity": Case(
        lambda: h + W("d", "k") @ (layer_norm(identity("k")) @ (Constant(1, "k", 1) * W(1, 1))),
        (FLAT, FLAT, FLAT), None, ">=12",
    ),
    "ReLU squared": Case(lambda: _shared(lambda u: relu(u) * relu(u)), (FLAT, FLAT, FLAT), 3, 2),
    "ReLU of both signs": Case(lambda: _shared(lambda u: relu(u) - relu(-u)), (SAME, SAME, SAME), 2, 1),
    "two activations of one name": Case(lambda: _twice("f"), (SAME, SAME, SAME), 2, 1),
    "weights named like data": Case(_named_like_data, (SAME, SAME, SAME), 2, 1),
    "learned positions": Case(lambda: h + W("d", "t"), (GROWS, GROWS, GROWS), 1, 0),
    "a shift": Case(lambda: h + W("d", "d") @ h @ shift(1), (GROWS, GROWS, GROWS), 1, 0),
    "a LayerNorm at the end": Case(lambda: h + layer_norm(h) * W("d"), (GROWS, GROWS, GROWS), 1, 0),
    "literal sizes": Case(lambda: h + W("d", 2) @ tanh(W(2, "d") @ h), (SAME, SAME, SAME), 2, 1),
    "columns of another name": Case(
        lambda: (lambda x: x + W("d", "t") @ tanh(W("t", "d") @ x))(Input("d", "n")), (SAME, SAME, SAME), 2, 1
    ),
    "softmax over one entry": Case(
        lambda: (lambda x: x + (softmax(rms_norm(x, epsilon=1) * W(1, "t"), 0) - 1))(Input(1, "t")),
        (FLAT, FLAT, FLAT), None, ">=12",
    ),
    "a half that only two rows have": Case(
        lambda: (lambda x: x + (softmax(W(2, "t"), 0) - Fraction(1, 2)))(Input(2, "t")), (GROWS, GROWS, GROWS), 1, 0
    ),
    "an elementwise product of two patterns": Case(
        lambda: h + W("d", "d") @ h @ (shift(1) * identity("t")), (FLAT, FLAT, FLAT), None, ">=12"
    ),
    "heads in one array": Case(_heads, (SAME, SAME, SAME), 2, 1, sizes={"g": 2, "k": 3}),
    "heads that are split": Case(_split_heads, (SAME, SAME, SAME), 2, 1),
    "an image convolved": Case(
        lambda: _image(lambda x, u, v: x + conv2d(tanh(conv2d(x, u)), v)), (SAME, SAME, SAME), 2, 1, sizes={"f": 2}
    ),
    "an image convolved once": Case(
        lambda: _image(lambda x, u, v: x + conv2d(conv2d(x, u), v), normal(1)), (GROWS, GROWS, GROWS), 1, 0,
        sizes={"f": 2},
    ),
    "a tiny constant": Case(
        lambda: h + Fraction(1, 10**290) * (W("d", "k") @ tanh(W("k", "d") @ h)), (SAME, SAME, SAME), 2, 1
    ),
}  # fmt: skip


def checked(case: Case) -> Check:
    return check(ResidualUnit(case.block()), "block", Setting(case.loss, 5, sizes=case.sizes))


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_holds_in_general_and_here(case: Case) -> None:
    found = checked(case)
    assert found.unconfirmed == ()
    assert (found.regime, found.regime_at_sizes, found.regime_on_data) == case.regimes
    assert found.order == case.order
    assert found.spectrum is not None
    assert found.spectrum.stationary_order == case.stationary
    assert found.properties["depth-invariant"] == (case.regimes[1] != GROWS)


@pytest.mark.parametrize(
    ("case", "phrase"),
    [
        ("softmax less a half, two rows", "at d = 10, k = 2 it has the same spectrum at every depth, for A = 0; "),
        ("cross-entropy on one row", "but D and A vanish for this loss; "),
        ("ReLU squared", "is zero at every depth, because its branch is of order three in the weights; "),
    ],
)
def test_the_sentence_says_so(case: str, phrase: str) -> None:
    assert phrase in checked(CASES[case]).sentence


def test_data_that_are_fitted_already() -> None:
    x = np.random.default_rng(0).standard_normal((3, 4))
    found = check(ResidualUnit(_pair(tanh)), "block", Setting(units=3, data=Data(x, x, "X = Y")))
    assert (found.regime, found.regime_at_sizes, found.regime_on_data) == (SAME, SAME, FLAT)
    assert "on these data it is zero at every depth" in found.sentence


def test_growth_that_shows_late() -> None:
    """h + w h at d = 1: D = S and A = 2 S - T, so that A is small where Y is nearly 2 X."""
    x = np.random.default_rng(0).standard_normal((1, 50))
    found = check(_scaled_unit(), "block", _nearly(x))
    assert found.growth is not None
    assert found.growth.onset > 100
    assert f"the growth shows from R = {found.growth.onset} on at the latest" in found.sentence


def _scaled_unit() -> ResidualUnit:
    x = Input(1)
    return ResidualUnit(x + W(1, 1) @ x)


def _nearly(x: np.ndarray) -> Setting:
    return Setting(units=3, data=Data(x, 2 * x + 0.01 * x, "Y near 2 X"))


@pytest.mark.parametrize(
    "branch",
    [
        lambda: (tanh(h) + tanh(-h)) * W("d"),
        lambda: (silu(h) - h * sigmoid(h)) * W("d"),
        lambda: (gelu(h) - gelu(-h) - h) * W("d"),
        lambda: (softplus(h) - softplus(-h) - h) * W("d"),
    ],
)
def test_relations_that_are_not_known_are_no_claims(branch: Callable[[], Expression]) -> None:
    found = check(ResidualUnit(h + branch() + W("d", "k") @ tanh(W("k", "d") @ h)), "block", Setting(units=3))
    assert found.regime is None
    assert found.unconfirmed
    assert "could not be established" in found.sentence
    assert found.spectrum is not None
    assert found.spectrum.stationary_order == 1
    assert not found.properties["depth-invariant"]


@pytest.mark.parametrize("scale", [1e-300, 1e-100, 1e8, 1e100, 1e300])
def test_data_of_any_size(scale: float) -> None:
    x, y = np.random.default_rng(0).standard_normal((2, 4, 30))
    data = Data(scale * x, scale * y, "scaled")
    for block, regime, order in ((_pair(relu), None, None), (_pair(tanh), SAME, 1), (h + W("d", "d") @ h, GROWS, 0)):
        found = check(ResidualUnit(block), "block", Setting(units=5, data=data))
        assert found.regime == regime
        if regime is not None:
            assert found.spectrum is not None
            assert found.spectrum.stationary_order == order
            assert bool(found.unconfirmed) == (not 1e-60 < scale < 1e60)
            assert all("leave what floats hold" in why for why in found.unconfirmed)


def test_the_expansion_is_asked_once() -> None:
    unit = ResidualUnit(_pair(tanh))
    assert expansion(unit, squared) is expansion(ResidualUnit(unit.expression), squared)


@pytest.mark.parametrize("heads", [2, 3])
def test_what_is_said_of_one_head_is_what_each_head_would_be_told(heads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Weight by weight alternatives and degrees come out the same; a bias of keys has no effect in any head."""
    n, block = layer_norm(h), h
    for i in range(heads):
        q, k, v, o = (
            W(*dims, name=f"{role}{i}") for role, dims in zip("QKVO", [("k", "d")] * 3 + [("d", "k")], strict=True)
        )
        block = block + o @ (v @ n) @ softmax((k @ n + W("k", name=f"b{i}")).T @ (q @ n), axis=0)
    unit = ResidualUnit(block + W("d", "f", name="W2") @ gelu(W("f", "d", name="W1") @ layer_norm(block)))
    x, y = np.random.default_rng(0).standard_normal((2, 5, 4, 3))
    data = Data(x, y, "tokens")
    setting = Setting(squared, 3, data, {"k": 2, "f": 3})
    together = check(unit, "block", setting)
    assert expansion(unit).without_effect == {f"b{i}" for i in range(heads)}
    for module in (resproof.proofs.block.check, resproof.symbolic.index.expansion):
        monkeypatch.setattr(module, "alike", lambda root: {w: w for w in nodes(root) if isinstance(w, Weight)})
    expansion.cache_clear()
    one_by_one = check(unit, "block", setting)
    assert together.alternatives == one_by_one.alternatives
    assert together.weights == one_by_one.weights
    assert expansion(unit).without_effect == {f"b{i}" for i in range(heads)}
