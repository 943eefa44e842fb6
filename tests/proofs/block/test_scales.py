"""Branches scaled by c R^-a in `check`: spectra against jax.hessian of the plain network, and what is said."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from resproof.architectures.activations import silu, tanh
from resproof.architectures.networks import Stack
from resproof.architectures.nodes import Expression, Input, Weight
from resproof.numeric.backend import ops
from resproof.numeric.network import adjoint, stacked
from resproof.proofs.block.check import Check, Requirement, check, requirement
from resproof.proofs.block.stacks import seen_from_units
from resproof.proofs.statement import Context, Data
from resproof.reporting.check import record, show
from resproof.reporting.spectrum import of_network as spectrum_of
from tests.proofs.eigenvalues import listed

jax = pytest.importorskip("jax")
jax.config.update("jax_enable_x64", True)
jnp = jax.numpy

DRAW = np.random.default_rng(8)
X, Y = DRAW.standard_normal((2, 3, 7))
LABELS = DRAW.integers(2, size=7)
SIZES = {"d": 3, "k": 2, "c": 2}
HEAD = [[1, -2, 0], [0, 1, 1]]
SCALES = {
    "1/sqrt(R)": lambda r: r**-0.5,
    "1/R": lambda r: 1 / r,
    "3/R^(1/4)": lambda r: 3 * r**-0.25,
    "1/2": lambda r: 0.5,
}
"""What is written, and what it is."""


def _layer() -> Expression:
    h = Input("d")
    return h + Weight("d", "d", name="W") @ tanh(h)


def _curved() -> Expression:
    h = Input("d")
    return h + silu(Weight("d", "d", name="W") @ h)


def _two() -> Expression:
    h = Input("d")
    return h + Weight("d", "k", name="V") @ tanh(Weight("k", "d", name="W") @ h)


PLAIN = {
    "layer": (_layer, lambda h, w: w["W"] @ jnp.tanh(h)),
    "curved": (_curved, lambda h, w: jax.nn.silu(w["W"] @ h)),
    "two": (_two, lambda h, w: w["V"] @ jnp.tanh(w["W"] @ h)),
}
PATTERNS = (("layer",), ("curved",), ("two",), ("layer", "curved"), ("two", "curved", "curved"))
UNITS = 6


def _stack(pattern: tuple[str, ...], scale: str, of: str = "squared", units: int = UNITS) -> Stack:
    parts = {name: PLAIN[name][0]() for name in pattern}
    head = Weight("c", "d", name="C", initial=HEAD, trainable=False) @ Input("d") if of == "cross-entropy" else None
    return Stack(units=[parts[name] for name in pattern] * (units // len(pattern)), head=head, loss=of, scale=scale)


def _plain(stack: Stack, pattern: tuple[str, ...], s: float, of: str, at: Any) -> np.ndarray:
    """jax.hessian in all parameters, at a point, in the order of `stacked.shapes`."""
    keys, once = stacked.shapes(stack, SIZES), range(1, len(pattern) + 1)
    known = tuple((key, *shape) for key, shape in keys.items() if int(key.split(".")[0]) in once)
    own = sum(rows * cols for _, rows, cols in known)
    times, most = len(at) // own, UNITS // len(pattern)
    # Repetitions that are not there have the factor 0, so that one compilation serves every depth.
    scales, whole = s * (np.arange(most) < times), np.concatenate([at, np.zeros((most - times) * own)])
    return np.asarray(_compiled(pattern, of, known)(whole, scales))[: len(at), : len(at)]


@lru_cache
def _compiled(pattern: tuple[str, ...], of: str, known: tuple[tuple[str, int, int], ...]) -> Any:
    """The Hessian at a point and with a scale for each repetition; `known` are the weights of one."""

    def repetition(h: Any, vector: Any, s: Any) -> Any:
        w, start = {}, 0
        for key, rows, cols in known:
            w[key] = vector[start : start + rows * cols].reshape(cols, rows).T
            start += rows * cols
        for place, name in enumerate(pattern, start=1):
            own = {key: w[f"{place}.{key}"] for key in ("V", "W") if f"{place}.{key}" in w}
            h = h + s * PLAIN[name][1](h, own)
        return h

    def total(vector: Any, scales: Any) -> Any:
        h = jnp.asarray(X)
        for one, s in zip(vector.reshape(len(scales), -1), scales, strict=True):
            h = repetition(h, one, s)
        if of == "squared":
            return 0.5 * jnp.sum((h - Y) ** 2) / 7
        f = jnp.asarray(HEAD, float) @ h
        return jnp.mean(jax.nn.logsumexp(f, axis=0) - f[LABELS, jnp.arange(7)])

    return jax.jit(jax.hessian(total))


def _checked(stack: Stack, y: Any = Y) -> Check:
    seen = seen_from_units(stack, Data(X, y, "data"), SIZES, Context())
    return check(seen.unit, "network", seen.setting)


CASES = [*zip(PATTERNS, (*SCALES, "1/sqrt(R)"), strict=True), (("layer", "curved"), "1/R"), (("curved",), "3/R^(1/4)")]


@pytest.mark.parametrize(("pattern", "scale"), CASES)
def test_the_spectrum_is_that_of_the_scaled_network(pattern: tuple[str, ...], scale: str) -> None:
    of = "cross-entropy" if scale == "1/R" else "squared"
    stack = _stack(pattern, scale, of)
    found = _checked(stack, LABELS if of == "cross-entropy" else Y)
    assert found.unconfirmed == ()
    verdicts = {one.id: result and result.verdict for one, result in found.statements}
    assert verdicts["GEN-9"] == verdicts["GEN-1"] == "PROVED"
    assert found.spectrum is not None
    start = np.zeros(found.spectrum.parameters)
    plain = np.linalg.eigvalsh(_plain(stack, pattern, SCALES[scale](UNITS), of, start))
    assert np.allclose(listed(found.spectrum), plain, atol=1e-12)
    for row in found.profile[:-1]:
        units = row.units * len(pattern)
        other = _stack(pattern, scale, of, units)
        count = found.spectrum.parameters // UNITS * units
        at_depth = np.linalg.eigvalsh(_plain(other, pattern, SCALES[scale](units), of, np.zeros(count)))
        assert row.largest == pytest.approx(at_depth[-1], rel=1e-4)


@pytest.mark.parametrize("pattern", PATTERNS, ids="-".join)
def test_products_at_random_weights(pattern: tuple[str, ...]) -> None:
    stack, array_ops = _stack(pattern, "1/sqrt(R)"), ops(np)
    weights = stacked.random_weights(stack, SIZES, array_ops, 3)
    moved = stacked.random_weights(stack, SIZES, array_ops, 4)
    at, v = (np.asarray(stacked.flatten(stack, one)) for one in (weights, moved))
    image = stacked.flatten(stack, adjoint.hvp(stack, weights, moved, X, Y))
    assert np.allclose(image, _plain(stack, pattern, UNITS**-0.5, "squared", at) @ v, atol=1e-11)


LAWS = {
    ("layer", "1/sqrt(R)"): ({"C": 2, "A": 2}, "stays between positive constants", "grows at least like R"),
    ("layer", "3/R^(1/4)"): ({"C": 2, "A": 2}, "grows at least like R^(1/2)", "grows at least like R"),
    ("curved", "1/sqrt(R)"): (
        {"B": 1, "C": 2, "A": 2},
        "stays between positive constants",
        "grows at least like R^(1/2)",
    ),
    ("curved", "1/R"): ({"B": 1, "C": 2, "A": 2}, "tends to zero", "is bounded where c (|C| + |A|) is less than"),
    ("curved", "1/R^2"): ({"B": 1, "C": 2, "A": 2}, "tends to zero", "tends to that of B where B is not singular"),
    ("curved", "1/2"): ({"B": 1, "C": 2, "A": 2}, "grows at least like R", "grows at least like R"),
    ("two", "1/sqrt(R)"): ({"B": 1}, "is R^(-1/2) times that at s = 1", "is the same at every depth"),
}


@pytest.mark.parametrize(("name", "scale"), LAWS)
def test_what_follows_for_every_depth(name: str, scale: str) -> None:
    powers, largest, condition = LAWS[name, scale]
    law = _checked(_stack((name,), scale)).scale
    assert law is not None
    assert (law.powers, law.largest) == (powers, largest)
    assert law.condition_number.startswith(condition)


def test_what_is_said_and_required(capsys: pytest.CaptureFixture[str]) -> None:
    found = _checked(_stack(("curved",), "1/sqrt(R)"))
    assert "with branches scaled by 1/sqrt(R) the greatest modulus" in found.sentence
    assert requirement(found, "depth-invariant") == Requirement(
        "depth-invariant", False, "the Hessian follows the scale 1/sqrt(R)"
    )
    show(record(found))
    said = capsys.readouterr().out
    assert "where s is fixed" in said
    assert "B has s, C has s^2, A has s^2" in said.replace("\n", " ")
    steady = _checked(_stack(("two",), "1/R"))
    assert requirement(steady, "depth-invariant").holds is False
    assert requirement(_checked(_stack(("two",), "1/2")), "depth-invariant").holds is True


def test_another_depth_has_another_scale() -> None:
    stack = _stack(("layer", "curved"), "1/R")
    found = spectrum_of(stack, "net", 2, Data(X, Y, "data"), SIZES, 0, "one")
    other = _stack(("layer", "curved"), "1/R", units=4)
    plain = np.linalg.eigvalsh(_plain(other, ("layer", "curved"), 1 / 4, "squared", np.zeros(36)))
    assert found.eigenvalues is not None
    assert np.allclose([one.value for one in found.eigenvalues for _ in range(one.multiplicity)], plain, atol=1e-12)
