"""Comparisons with the running network: bounds that hold in extended precision, claims moved by a thousand of them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from resproof.architectures.activations import tanh
from resproof.architectures.catalogue import fixup, n_shortcut, rezero
from resproof.architectures.forms.terms import HessianTerms
from resproof.architectures.networks import Network
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.network.adjoint import hvp
from resproof.numeric.network.parameters import flatten
from resproof.numeric.network.running_error import Bounded, bounded_product
from resproof.proofs.execution import execute
from resproof.proofs.formulas import plain
from resproof.proofs.routes import running_network
from resproof.proofs.routes.hessians import Claim, unchanged
from resproof.proofs.routes.running_network import (
    MOVED_LITTLE,
    Moved,
    Product,
    Running,
    Shift,
    dense_hessian,
    hessian_product,
    near_index_route,
    observed_index_route,
    observed_order,
    observed_product,
    on_data,
    vanish_below,
)
from resproof.proofs.statement import Argument, Context, Data
from resproof.symbolic.index.expansion import expansion
from resproof.symbolic.index.lift import terms_of_forms


def small_data() -> Data:
    x, y = np.random.default_rng(3).standard_normal((2, 4, 30))
    return Data(x, y, "small")


SMALL = Context(load=small_data)
LINEAR = {n: ResidualUnit(n_shortcut(n)) for n in (1, 2)}
TANH = ResidualUnit(n_shortcut(1, tanh, tanh, tanh))
_FORM = "m^-1 * g[i,u] * X[j,u] * dW2(1)[i,a] * dW1(1)[a,j]"

OFFERED = (
    observed_product("H v", lambda context: on_data(LINEAR[2], 50, context), Claim(_FORM), {"zero": Claim()}),
    observed_order(
        "degree two",
        lambda context: on_data(LINEAR[2], 50, context),
        2,
        "m^-1 * g[i,u] * X[j,u] * dW2(1)[i,a] * dW1(1)[a,j]",
        {"degree three": (3, _FORM)},
    ),
    observed_index_route("Fixup", lambda context: on_data(ResidualUnit(fixup(tanh)), 20, context, k=3)),
)


@pytest.mark.parametrize("argument", OFFERED, ids=lambda one: plain(one.title))
def test_the_moved_claim_is_rejected(argument: Argument) -> None:
    step = execute(argument, SMALL)
    assert step.outcome == "passed", step.message
    assert MOVED_LITTLE in step.rejected


@pytest.mark.parametrize("argument", OFFERED, ids=lambda one: plain(one.title))
def test_bounds_that_are_too_wide_fail(argument: Argument, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the shift of a moved claim switched off it is the claim again, which passes: the argument fails."""
    monkeypatch.setattr(
        running_network, "claim_and_shift", lambda one: (getattr(one, "claim", one), running_network.STAYS)
    )
    step = execute(argument, SMALL)
    assert step.outcome == "failed"
    assert MOVED_LITTLE in step.message


@pytest.mark.parametrize("argument", OFFERED, ids=lambda one: plain(one.title))
def test_an_error_of_the_size_that_is_stated_is_caught(argument: Argument) -> None:
    """What the row states as the smallest relative error that it would have caught is below 10^-10."""
    for one in execute(argument, SMALL).measurements:
        assert one.caught is not None
        assert one.caught < 1e-10


def extended_product(x: np.ndarray, y: np.ndarray, v: np.ndarray) -> np.ndarray:
    """H v of units h + tanh(W tanh(h)) at W = 0, squared loss, by two loops over units in extended precision.

    With p = tanh(x) and g = x - y a unit's change is W p to first order, and to second order for s < r W_r (p' W_s p).
    """
    x, y, v = (np.asarray(a).astype(np.longdouble) for a in (x, y, v))
    p, slope, m = np.tanh(x), 1 - np.tanh(x) ** 2, x.shape[1]
    image = np.zeros_like(v)
    for r in range(len(v)):
        for s in range(len(v)):
            image[r] += v[s] @ p @ p.T / m
            if s < r:
                image[r] += (x - y) @ (slope * (v[s] @ p)).T / m
            if s > r:
                image[r] += (slope * (v[s].T @ (x - y))) @ p.T / m
    return image


@pytest.mark.parametrize("units", [3, 40])
def test_the_bound_holds_against_extended_precision(units: int) -> None:
    """n = 1, tanh: each entry of H v is off by less than the bound that is reported where the bound is least."""
    running = on_data(TANH, units, SMALL)
    image = hvp(running.network, running.weights, running.direction, running.x, running.y)["W1"]
    exact = extended_product(running.x, running.y, running.direction["W1"])
    bound = running_network._bounds(running, _index_terms(running), None)["W1"]
    off = np.abs(np.asarray(image) - exact)
    assert np.all(off <= np.broadcast_to(bound, off.shape))
    assert float(np.max(off / np.broadcast_to(bound, off.shape))) > 1e-5


def _index_terms(running: Running) -> HessianTerms:
    forms = expansion(running.network.unit, running.network.loss).forms
    return terms_of_forms(running.network.unit, forms[1, 1], forms[1, 2])


@pytest.mark.parametrize(
    "unit", [TANH, ResidualUnit(fixup(tanh)), ResidualUnit(rezero(tanh))], ids=["n = 1", "Fixup", "ReZero"]
)
def test_units_that_start_at_the_identity_pass_bit_by_bit(unit: ResidualUnit) -> None:
    running = on_data(unit, 5, SMALL, k=3)
    assert running.passes_exactly
    one = next(iter(running.weights))
    elsewhere = {**running.weights, one: running.weights[one] + 0.1}
    assert unit is not TANH or not replace(running, weights=elsewhere).passes_exactly
    assert unit is not TANH or replace(running, weights=elsewhere).chain > running.chain


def test_blocks_of_the_assembled_hessian() -> None:
    """Its product with a direction is the network's."""
    running = on_data(TANH, 3, SMALL)
    rows = dense_hessian(running, together=7)
    image = hessian_product(lambda _: running)(SMALL).value.image
    v, product = (np.asarray(flatten(TANH, one)) for one in (running.direction, image))
    assert np.allclose(rows @ v, product, rtol=0, atol=1e-13)


def test_a_zero_map_that_is_moved_is_rejected() -> None:
    """n = 3: every bound is zero, and so is H v; the least number there is is too much."""
    argument = observed_product(
        "n = 3",
        lambda context: on_data(ResidualUnit(n_shortcut(3)), 9, context),
        Claim(),
        {"n = 2": Claim(_FORM.replace("W2", "W3"))},
    )
    assert execute(argument, SMALL).outcome == "passed"


def test_moving_less_than_the_bound_passes() -> None:
    running = on_data(TANH, 6, SMALL)
    found = hessian_product(lambda _: running)(SMALL).value
    near = near_index_route(found, Moved(unchanged, Shift(0.5)))
    assert near.value <= near.bound
    coefficients = running_network.taylor_coefficients(lambda _: on_data(LINEAR[2], 6, SMALL), 2)(SMALL).value
    below, at = vanish_below(coefficients, Moved((2, _FORM), Shift(0.5)))
    assert at.value <= at.bound
    assert (below.value, below.bound) == (math.ulp(0.0), 0.0)  # what is exactly zero does not move


def test_a_number_moves_by_a_millionth_of_itself_at_most() -> None:
    assert (Shift().of(1.0, 1.0), Shift().of(2.0**-40, 1.0)) == (2.0**-20, 1000 * 2.0**-40)
    assert Shift(part=None).of(1.0, 1.0) == 1000.0


def test_a_product_is_followed_only_where_moduli_do_not_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where moduli are said not to bound H v, everything is held against the errors that were followed."""
    followed = list[str]()

    def counted(network: Network, *others: Any) -> Bounded:
        followed.append(str(network.units))
        return bounded_product(network, *others)

    monkeypatch.setattr(running_network, "bounded_product", counted)
    argument = observed_index_route("Fixup", lambda context: on_data(ResidualUnit(fixup(tanh)), 20, context, k=3))
    by_moduli = execute(argument, SMALL)
    assert (by_moduli.outcome, followed) == ("passed", [])
    monkeypatch.setattr(Product, "moduli_bound", False)
    by_following = execute(argument, SMALL)
    assert (by_following.outcome, by_following.rejected) == ("passed", by_moduli.rejected)
    assert followed == ["20"]


def test_a_product_that_is_off_by_one_in_a_billion_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def off(*args: Any, **options: Any) -> dict[str, Any]:
        return {name: (1.0 + 1e-9) * a for name, a in hvp(*args, **options).items()}

    monkeypatch.setattr(running_network, "hvp", off)
    for argument in (OFFERED[0], OFFERED[2]):
        assert execute(argument, SMALL).outcome == "failed"
