"""GEN-10: blocks of units of several kinds, derived again by jax from whole networks and from single branches."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import sympy

from resproof.architectures.activations import silu, softplus, tanh
from resproof.architectures.algebra import einsum
from resproof.architectures.catalogue import attention, biased, fixup, n_shortcut
from resproof.architectures.errors import ArchitectureError
from resproof.architectures.losses import generic_loss
from resproof.architectures.nodes import Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import normal
from resproof.proofs.theory.patterns import in_a_row
from resproof.symbolic.index.lift import pair_forms, passes_through
from resproof.symbolic.index.structure import branch_degree

# Whole networks and single branches, by jax.

_D, _M = 2, 3
_RANDOM = np.random.default_rng(5)
_X, _Y = _RANDOM.standard_normal((2, _D, _M))
_DRAW = _RANDOM.standard_normal((3, _D, _D))


def _silu(w: Any, h: Any, draw: Any) -> Any:
    del draw
    return jax.nn.silu(w.reshape(_D, _D) @ jnp.tanh(h))


def _drawn(w: Any, h: Any, draw: Any) -> Any:
    """Fixup: random inner weights, zero outer ones."""
    first, second = w.reshape(2, _D, _D)
    return second @ jnp.tanh((draw + first) @ h)


def _flat(w: Any, h: Any, draw: Any) -> Any:
    """Order two for every h."""
    del draw
    first, second = w.reshape(2, _D, _D)
    return second @ jnp.sin(first @ h)


_COUNTS: dict[Callable[..., Any], int] = {_silu: _D * _D, _drawn: 2 * _D * _D, _flat: 2 * _D * _D}


def _cross_entropy(f: Any) -> Any:
    return -jnp.sum(jax.nn.softmax(_Y, axis=0) * jax.nn.log_softmax(f, axis=0)) / _M


def _squared(f: Any) -> Any:
    return jnp.sum((f - _Y) ** 2) / (2 * _M)


def _whole(pattern: tuple[Any, ...], loss: Callable[[Any], Any]) -> np.ndarray:
    counts = [_COUNTS[branch] for branch in pattern]

    def of_weights(flat: Any) -> Any:
        h, rest = jnp.asarray(_X), flat
        for place, (branch, count) in enumerate(zip(pattern, counts, strict=True)):
            h, rest = h + branch(rest[:count], h, _DRAW[place]), rest[count:]
        return loss(h)

    return np.asarray(jax.jit(jax.hessian(of_weights))(jnp.zeros(sum(counts))))


def _from_derivatives(pattern: tuple[Any, ...], loss: Callable[[Any], Any]) -> np.ndarray:
    """D and A by their sums over outputs, from the derivatives of each branch at the data and zero."""
    x = jnp.asarray(_X)
    g, q = np.asarray(jax.grad(loss)(x)), np.asarray(jax.hessian(loss)(x))
    first, mixed, second = [], [], []
    for place, branch in enumerate(pattern):
        zero, draw = jnp.zeros(_COUNTS[branch]), _DRAW[place]
        in_weights = jax.jacobian(branch, 0)
        all_three = (in_weights, jax.jacobian(in_weights, 1), jax.jacobian(in_weights, 0))
        found = jax.jit(lambda w, all_three=all_three, draw=draw: [one(w, x, draw) for one in all_three])(zero)
        for kept, one in zip((first, mixed, second), found, strict=True):
            kept.append(np.asarray(one))
    rows = []
    for r, s in product(range(len(pattern)), repeat=2):
        later, earlier = max(r, s), min(r, s)
        block = np.einsum("iua,iukv,kvb->ab", first[later], q, first[earlier])
        block += (
            np.einsum("iu,iuab->ab", g, second[r])
            if r == s
            else np.einsum("iu,iuajv,jvb->ab", g, mixed[later], first[earlier])
        )
        rows.append(block if r >= s else block.T)
    count = len(pattern)
    return np.block([rows[count * r : count * (r + 1)] for r in range(count)])


_CASES: dict[str, tuple[tuple[Any, ...], Callable[[Any], Any]]] = {
    "kinds": ((_silu, _drawn, _silu), _cross_entropy),
    "draws": ((_drawn, _drawn, _drawn), _squared),
    "flat": ((_drawn, _flat, _silu), _cross_entropy),
}


@pytest.mark.parametrize(("pattern", "loss"), _CASES.values(), ids=_CASES)
def test_blocks_by_their_derivatives(pattern: tuple[Any, ...], loss: Callable[[Any], Any]) -> None:
    with jax.enable_x64(True):
        whole, claimed = _whole(pattern, loss), _from_derivatives(pattern, loss)
    assert np.allclose(whole, claimed, rtol=0, atol=1e-12)
    own, other = (_COUNTS[branch] for branch in pattern[:2])
    between = np.abs(whole[own : own + other, :own]).max()
    assert between == 0.0 if _flat in pattern else between > 1e-3


def test_vanishing_at_the_data_alone_is_not_enough() -> None:
    """d = 1, x = 1: w (h - 1) has T1 = 0 there and S1 = 1; behind a unit with branch v its block is the gradient."""
    v, w, y = sympy.symbols("v w y")
    h = 1 + v
    loss = (h + w * (h - 1) - y) ** 2 / 2
    at_zero = {v: 0, w: 0}
    assert sympy.expand(loss.diff(v).diff(w).subs(at_zero) - (1 - y)) == 0
    behind = 1 + w * (1 - 1)
    assert ((behind + v - y) ** 2 / 2).diff(v).diff(w).subs(at_zero) == 0


# Patterns as units.


def test_units_in_a_row() -> None:
    """Names and order of the parameters, the identity at the start, and the order of the branch."""
    unit = in_a_row([ResidualUnit(n_shortcut(1, tanh, tanh, silu)), ResidualUnit(biased(softplus))])
    assert list(unit.names.values()) == ["W1a", "W1b", "bb", "W2b"]
    assert passes_through(unit)
    assert branch_degree(unit, 3) == 1
    flat = in_a_row([ResidualUnit(n_shortcut(2)), ResidualUnit(n_shortcut(3))])
    assert branch_degree(flat, 3) == 2
    assert not pair_forms(flat, generic_loss)[1, 2]


def test_units_in_a_row_keep_what_they_start_from() -> None:
    unit = in_a_row([ResidualUnit(fixup()), ResidualUnit(fixup())])
    starts = {name: weight.initial for weight, name in unit.names.items()}
    assert starts["W1a"] == starts["W1b"] != starts["W2a"]
    frozen = Weight(2, "d", "d", initial=normal(1), trainable=False, name="F")
    h = Input("d")
    inner = tanh(einsum("g k d, d t -> g k t", frozen, h))
    grouped = ResidualUnit(h + einsum("d g k, g k t -> d t", Weight("d", 2, "d", name="V"), inner))
    twice = in_a_row([grouped, grouped])
    assert list(twice.every_name.values()) == ["Va", "Vb", "Fa", "Fb"]
    assert passes_through(twice)
    with pytest.raises(ArchitectureError, match="27; expected at most 26"):
        _ = in_a_row([grouped] * 27)
    apart = in_a_row([ResidualUnit(n_shortcut(1), tokens=True), ResidualUnit(n_shortcut(2))])
    assert apart.mixes_columns
    tokens = in_a_row([ResidualUnit(attention(causal=True)), ResidualUnit(n_shortcut(2))])
    assert tokens.mixes_columns
    assert passes_through(tokens)
