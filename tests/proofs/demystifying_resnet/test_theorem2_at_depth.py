"""Evidence at depth, run at small depths: it holds, and every neighbouring falsehood is rejected."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from resproof.proofs.demystifying_resnet import theorem2_at_depth as depth
from resproof.proofs.execution import execute
from resproof.proofs.formulas import plain
from resproof.proofs.routes.running_network import are_eigenpairs, eigenpairs
from resproof.proofs.statement import Argument, Context, Data


def small_data() -> Data:
    x, y = np.random.default_rng(5).standard_normal((2, 3, 12))
    return Data(x, y, "small")


SMALL = Context(load=small_data)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(depth, "BLOCK", 7)
    depth.condition_numbers.cache_clear()
    yield
    depth.condition_numbers.cache_clear()


def passes(argument: Argument) -> None:
    step = execute(argument, SMALL)
    assert step.outcome == "passed", step.message
    assert set(step.rejected) == set(argument.neighbours)


def arguments(units: int) -> list[Argument]:
    """The arguments of the module with fewer units."""
    names = ("COVARIANCES", "SAMPLES", "ALL_DIGITS")
    with pytest.MonkeyPatch.context() as patched:
        for name in names:
            patched.setattr(depth, name, units)
        # Defaults of the makers are bound to the great depths: the depth is given.
        patched.setattr(depth.covariances, "__defaults__", (units,))
        patched.setattr(depth.samples, "__defaults__", (units, 8))
        return [
            *(one for n in (1, 2, 3) for one in depth._products(n)),
            *(one for n in (2, 3) for one in (*depth._orders(n), depth._modulo(n))),
        ]


@pytest.mark.parametrize("argument", arguments(6), ids=lambda one: plain(one.title))
def test_products_orders_and_identities_at_small_depth(argument: Argument) -> None:
    if argument.route == "floating point":
        passes(argument)
    else:
        computed = argument.compute(SMALL)
        assert getattr(argument.compare(computed.value, argument.claim), "value", None) == 0.0
        for falsehood in argument.neighbours.values():
            assert getattr(argument.compare(computed.value, falsehood), "value", 0.0) > 0.0


@pytest.mark.parametrize("block", [False, True])
def test_eigenpairs_alone_and_in_a_block(block: bool) -> None:
    compute = eigenpairs(depth.covariances(2, 6), np.asarray, block=block)
    found = compute(SMALL).value
    one = are_eigenpairs(found, 1.0)
    assert one.value <= one.bound
    for power in (0.5, 2.0):
        other = are_eigenpairs(found, power)
        assert other.value > other.bound


def test_the_assembled_hessian_has_the_eigenvalues_of_a_dense_one() -> None:
    found = depth.spectrum(depth.LINEAR[2], 2, SMALL)
    data = small_data()
    singular = np.linalg.svd((data.X - data.Y) @ data.X.T / 12, compute_uv=False)
    expected = np.sort(np.repeat(np.concatenate([singular, -singular]), 2 * 3))
    assert np.max(np.abs(found.eigenvalues - expected)) <= found.error


def test_condition_numbers_are_those_of_the_papers() -> None:
    found = depth.condition_numbers(SMALL, ((1, (1, 2, 4)), (2, (1, 3))))
    assert list(found) == [1, 2]
    assert list(found[1]) == [1, 2, 4]
    one, three = found[2][1], found[2][3]
    assert abs(one.condition / three.condition - 1.0) < 1e-9
    assert all(c.condition == c.largest / c.smallest for by_depth in found.values() for c in by_depth.values())


def test_every_argument_at_depth_is_deep_evidence() -> None:
    assert all(one.part == "deep" for many in depth.AT_DEPTH.values() for one in many)
