"""The closed form of the whole Hessian against hvp on basis vectors and nested differentiation."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

from resproof.architectures import catalogue
from resproof.architectures.activations import tanh
from resproof.architectures.losses import cross_entropy
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.backend import Ops, ops
from resproof.numeric.data import DataError
from resproof.numeric.limits import NotFiniteError, OutOfMemoryError
from resproof.numeric.network.adjoint import hvp
from resproof.numeric.network.dense import chain, dense_hessian, symmetric
from resproof.numeric.network.parameters import flatten, unflatten
from tests.numeric.cases import Case, in_library, make
from tests.numeric.compare import assert_close, host


def scaled() -> Expression:
    h, a, b = Input("d"), Weight("k", "d"), Weight("d", "k")
    return 2 * h + 3 * ((b @ a) @ h) - h


CHAINS: dict[str, Callable[[], Expression]] = {
    "plain": catalogue.plain,
    "1": lambda: catalogue.n_shortcut(1),
    "2": lambda: catalogue.n_shortcut(2),
    "3, inner width": lambda: catalogue.n_shortcut(3, inner_width="k"),
    "scaled": scaled,
}


def by_columns(case: Case) -> np.ndarray:
    """H e_p for every parameter p, by the network's own Hessian-vector product."""
    unit, units = case.network.unit, case.network.units
    size = int(flatten(unit, case.weights).shape[-1])
    basis = unflatten(unit, np.eye(size), units, case.sizes)
    return host(flatten(unit, hvp(case.network, case.weights, basis, case.x, case.y, by_unit=True)))


@pytest.mark.parametrize("units", [1, 2, 4])
@pytest.mark.parametrize("name", CHAINS)
def test_every_column_is_a_hessian_vector_product(name: str, units: int, array_ops: Ops) -> None:
    case = make(CHAINS[name](), array_ops, units=units)
    on_host = make(CHAINS[name](), ops(np), units=units)
    x, y = in_library(array_ops, case.x, case.y)
    h = dense_hessian(case.network, case.weights, x, y)
    expected = by_columns(on_host)
    assert_close(host(symmetric(h)), expected, case.chain, float(np.linalg.norm(expected)))


@pytest.mark.parametrize("shortcut", [0, 1])
def test_nested_differentiation(shortcut: int) -> None:
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    case = make(catalogue.n_shortcut(1) if shortcut else catalogue.plain(), ops(np), units=4)
    x, y = case.x, case.y

    def loss(flat):
        h = x
        for w in flat.reshape(4, 3, 3):  # vec stacks columns
            h = shortcut * h + w.T @ h
        return ((h - y) ** 2).sum() / (2 * x.shape[1])

    expected = np.asarray(jax.jit(jax.hessian(loss))(flatten(case.network.unit, case.weights)))
    found = symmetric(dense_hessian(case.network, case.weights, x, y))
    assert_close(found, expected, case.chain, float(np.linalg.norm(expected)))


def test_the_data_enter_by_their_covariances() -> None:
    case = make(catalogue.n_shortcut(2), ops(np), units=3)
    d, m = case.x.shape
    factor = np.linalg.cholesky(case.x @ case.x.T / m)
    x, y = np.sqrt(d) * factor, np.sqrt(d) * (case.y @ case.x.T / m) @ np.linalg.inv(factor).T
    expected = dense_hessian(case.network, case.weights, case.x, case.y)
    found = dense_hessian(case.network, case.weights, x, y)
    assert_close(found, expected, 8 * case.chain, float(np.linalg.norm(expected)), float(np.linalg.cond(factor)))


def test_only_the_lower_triangle_is_read_and_a_matrix_can_be_written_again() -> None:
    case = make(catalogue.plain(), ops(np), units=5)
    h = dense_hessian(case.network, case.weights, case.x, case.y)
    assert not np.triu(h, k=9).any()
    again = np.full_like(h, np.nan)
    assert dense_hessian(case.network, case.weights, case.x, case.y, out=again) is again
    np.testing.assert_array_equal(np.tril(again), np.tril(h))
    with pytest.raises(DataError, match=re.escape("dense_hessian: out has shape (2, 2); expected (45, 45)")):
        _ = dense_hessian(case.network, case.weights, case.x, case.y, out=np.empty((2, 2)))


OTHERS: dict[str, Callable[[], Expression]] = {
    "activation": lambda: catalogue.n_shortcut(2, mid=tanh),
    "tied": catalogue.tied,
    "attention": catalogue.attention,
    "gated": lambda: (h := Input("d")) + Weight("d") * h,
    "twice": lambda: (w := Weight("d", "d")) @ (w @ Input("d")),
    "a sum of products": lambda: Weight("d", "d") @ (h := Input("d")) + Weight("d", "d") @ h,
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_units_are_refused(name: str) -> None:
    case = make(OTHERS[name](), ops(np))
    assert chain(case.network.unit) is None
    with pytest.raises(DataError, match=r"dense_hessian: the network is no chain of units .* expected one, or use hvp"):
        _ = dense_hessian(case.network, case.weights, case.x, case.y)


def test_another_loss_is_refused() -> None:
    case = make(catalogue.plain(), ops(np), loss=cross_entropy)
    with pytest.raises(DataError, match="under squared error"):
        _ = dense_hessian(case.network, case.weights, case.x, case.y)


def test_the_unit_as_a_chain() -> None:
    found = chain(ResidualUnit(scaled()))
    assert found is not None
    assert (found.identity, found.scale, len(found.weights)) == (1, 3, 2)


def test_too_large_a_matrix_is_refused_with_what_it_needs() -> None:
    case = make(catalogue.plain(), ops(np), units=100)
    network = Network(case.network.unit, 100)
    line = "dense_hessian: 900 parameters need a matrix of 6.48 MB; memory allows 1 MB"
    with pytest.raises(OutOfMemoryError, match=re.escape(line)):
        _ = dense_hessian(network, case.weights, case.x, case.y, memory=10**6)


def test_an_overflow_is_named_with_its_unit() -> None:
    case = make(catalogue.plain(), ops(np), units=5)
    big = {name: 1e100 * np.ones_like(array) for name, array in case.weights.items()}
    line = "dense_hessian: the product of the first 4 of 5 units is not finite"
    with pytest.raises(NotFiniteError, match=line):
        _ = dense_hessian(case.network, big, case.x, case.y)
    # F is 1e240 and its products overflow.
    big = {name: 1e60 * np.ones_like(array) for name, array in case.weights.items()}
    with pytest.raises(NotFiniteError, match=r"dense_hessian: the second derivatives by unit \d of 5 are not finite"):
        _ = dense_hessian(case.network, big, case.x, case.y)
