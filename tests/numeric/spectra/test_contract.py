"""Contraction of index terms: against einsum, against the running network, and its rounding bound."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resproof.architectures import catalogue
from resproof.architectures.activations import tanh
from resproof.architectures.forms.terms import COLUMN, ROW, HessianTerms, IndexSum, Perturbation, Term
from resproof.architectures.losses import LOSSES, cross_entropy, squared
from resproof.architectures.networks import Network
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.backend import Ops, ops
from resproof.numeric.data import DataError
from resproof.numeric.network.adjoint import gradient, hvp
from resproof.numeric.network.arithmetic import PRIME, Floats, Residues
from resproof.numeric.network.parameters import flatten, initial_weights
from resproof.numeric.spectra.bounds import contraction_bound
from resproof.numeric.spectra.contract import contract, environment, hessian_vector
from resproof.numeric.spectra.products import Labelled, product_of
from tests.index_terms import hessian_terms
from tests.numeric import closed_forms
from tests.numeric.cases import in_library, make
from tests.numeric.compare import assert_close, assert_within, host
from tests.plain_blocks import TENSOR_BLOCKS

SIZE = {0: 2, 1: 3, 2: 2, 3: 4, -1: 3, -2: 2}


@st.composite
def products(draw: st.DrawFn) -> tuple[list[tuple[int, ...]], tuple[int, ...], int]:
    """Factors with labels that may occur any number of times, the labels that stay, a seed."""
    labels = st.lists(st.sampled_from(sorted(SIZE)), min_size=1, max_size=3).map(tuple)
    factors = draw(st.lists(labels, min_size=1, max_size=4))
    present = sorted({label for factor in factors for label in factor})
    return factors, tuple(label for label in present if label < 0 or label == 3), draw(st.integers(0, 10**6))


@settings(deadline=None, max_examples=60)
@given(products())
def test_products_equal_einsum_in_both_arithmetics(case: tuple[list[tuple[int, ...]], tuple[int, ...], int]) -> None:
    factors, output, seed = case
    generator = np.random.default_rng(seed)
    whole = [generator.integers(-9, 10, [SIZE[label] for label in factor]).astype(np.float64) for factor in factors]
    place, einsum = sorted(SIZE).index, cast("Any", np.einsum)
    pairs = ((a, [place(label) for label in f]) for a, f in zip(whole, factors, strict=True))
    expected = einsum(*(part for pair in pairs for part in pair), [place(label) for label in output])  # exact
    for arithmetic in (Floats(ops(np)), Residues(ops(np))):
        found = product_of(arithmetic, [Labelled(a, f) for a, f in zip(whole, factors, strict=True)], output)
        difference = np.mod(found - expected, PRIME) if isinstance(arithmetic, Residues) else found - expected
        np.testing.assert_array_equal(difference, np.zeros_like(expected))


# Hand-written terms.


def two_shortcut_hessian() -> HessianTerms:
    """(Hv)_W1 = dW2^T M and (Hv)_W2 = M dW1^T, M = (1/m) g X^T."""
    a, j, u = 0, 1, 2
    first = ((closed_forms.G, (a, u)), (Perturbation("W2", 1, ("d", "d")), (a, ROW)), (closed_forms.X, (COLUMN, u)))
    second = ((closed_forms.G, (ROW, u)), (Perturbation("W1", 1, ("d", "d")), (COLUMN, j)), (closed_forms.X, (j, u)))
    free = ((ROW, "d"), (COLUMN, "d"))
    sums = [IndexSum(free, (Term(Fraction(1), (("m", -1),), factors),)) for factors in (first, second)]
    return HessianTerms((("W1", sums[0]), ("W2", sums[1])), (), ())


def norm(weights: Any) -> float:
    return math.sqrt(sum(float(np.sum(host(array) ** 2)) for array in weights.values()))


def in_closed_form(network: Network, v: Any, x: Any, y: Any) -> dict[str, Any]:
    return hessian_vector(two_shortcut_hessian(), environment(network, x, y), v)


@pytest.mark.parametrize("batch", [None, 2])
@pytest.mark.parametrize("loss", LOSSES)
def test_the_two_shortcut_hessian_equals_the_running_network(loss: str, batch: int | None, array_ops: Ops) -> None:
    case = make(catalogue.n_shortcut(2), array_ops, units=6, loss=LOSSES[loss], batch=batch)
    x, y = in_library(array_ops, case.x, case.y)
    zero = {name: 0.0 * array for name, array in case.weights.items()}
    expected = hvp(case.network, zero, case.direction, x, y)
    found = in_closed_form(case.network, case.direction, x, y)
    for name, array in expected.items():
        assert_close(found[name], array, case.chain, float(np.linalg.norm(case.x)) ** 2, norm(case.direction))


def test_the_rounding_bound_holds_and_is_not_absurd() -> None:
    case = make(catalogue.n_shortcut(2), ops(np), units=1)
    perturbations = {(name, 1): array[0] for name, array in case.direction.items()}
    env = environment(case.network, case.x, case.y, perturbations=perturbations)
    closed = closed_forms.two_shortcut()
    found, bound = float(contract(closed, env)), float(contraction_bound(closed, env))
    g, w1, w2, x = (
        np.asarray(a, dtype=np.longdouble)
        for a in (case.x - case.y, *(case.direction[n][0] for n in ("W1", "W2")), case.x)
    )
    exact = float(np.sum(g * (w2 @ w1 @ x)) / case.x.shape[1])
    assert_within(found, exact, bound)
    assert bound < 1e-11 * max(abs(exact), 1.0)


def test_a_missing_term_and_a_wrong_factor_exceed_the_bound() -> None:
    case = make(catalogue.n_shortcut(1), ops(np), units=1)
    env = environment(case.network, case.x, case.y, perturbations={("W1", 1): case.direction["W1"][0]})
    square, _ = closed_forms.one_shortcut_second()
    bound = float(contraction_bound(square, env))
    right = 0.5 * float(np.sum((case.direction["W1"][0] @ case.x) ** 2)) / case.x.shape[1]
    assert_within(float(contract(square, env)), right, bound)
    with pytest.raises(AssertionError, match="off by"):
        assert_within(float(contract(closed_forms.scaled(square, 2), env)), right, bound)


def test_an_index_that_a_term_lacks_is_spread() -> None:
    case = make(catalogue.n_shortcut(1), ops(np), units=1)
    env = environment(case.network, case.x, case.y, perturbations={("W1", 1): case.direction["W1"]})
    constant = IndexSum(((ROW, "d"), (COLUMN, "d")), (Term(Fraction(3, 2), (("m", 1),), ()),))
    np.testing.assert_array_equal(contract(constant, env), np.full((1, 3, 3), 7.5))
    np.testing.assert_array_equal(contract(IndexSum(((ROW, "d"),), ()), env), np.zeros((1, 3)))


def test_what_has_no_value_is_named() -> None:
    case = make(catalogue.n_shortcut(2), ops(np), units=1)
    env = environment(case.network, case.x, case.y)
    with pytest.raises(DataError, match=r"no array for dW2\(1\); expected a perturbation of W2"):
        contract(closed_forms.two_shortcut(), env)
    with pytest.raises(DataError, match=r"the symbol mid'\(0\) has no value"):
        contract(closed_forms.two_shortcut((("mid'(0)", 1),)), env)
    named = replace(env, scalars={"mid'(0)": 2.0}, perturbations={(n, 1): v[0] for n, v in case.direction.items()})
    plain = replace(named, scalars={})
    doubled, once = (
        contract(closed_forms.two_shortcut((("mid'(0)", 1),)), named),
        contract(closed_forms.two_shortcut(), plain),
    )
    assert_close(doubled, 2.0 * once, case.chain, abs(float(once)) + 1.0)


# Terms found by the exact side, for every block of the catalogue.

CATALOGUE = {
    "1-shortcut": lambda: catalogue.n_shortcut(1, tanh, post=tanh),
    "2-shortcut": lambda: catalogue.n_shortcut(2, tanh, tanh, tanh, "k"),
    "3-shortcut": lambda: catalogue.n_shortcut(3),
    "biased": lambda: catalogue.biased(tanh),
    "tied": catalogue.tied,
    "rezero": catalogue.rezero,
    "swiglu": catalogue.swiglu,
    "fixup": catalogue.fixup,
    "pre-norm": catalogue.pre_norm,
    "attention": catalogue.attention,
    "causal": lambda: catalogue.attention(causal=True),
    "transformer": catalogue.transformer,
    **{block.name: block.expression for block in TENSOR_BLOCKS},
}


@pytest.mark.parametrize("loss", [squared, cross_entropy], ids=lambda loss: loss.name)
@pytest.mark.parametrize("name", CATALOGUE)
def test_the_terms_of_the_exact_side_equal_the_running_network(name: str, loss: Any, array_ops: Ops) -> None:
    case = make(CATALOGUE[name](), array_ops, units=4, loss=loss)
    unit = case.network.unit
    start = initial_weights(unit, 4, case.sizes, array_ops, seed=3, shared=True)
    x, y = in_library(array_ops, case.x, case.y)
    env = environment(case.network, x, y, sizes=case.sizes, initial={n: w[0, ...] for n, w in start.items()})
    found = host(flatten(unit, hessian_vector(hessian_terms(unit, loss), env, case.direction)))
    expected = host(flatten(unit, hvp(case.network, start, case.direction, x, y)))
    scale = float(np.linalg.norm(case.x)) ** 2 + float(np.linalg.norm(expected))
    assert_close(found, expected, 4 * case.chain, scale, norm(case.direction))


def test_a_network_of_other_units_is_another_network() -> None:
    """The terms hold at the initial point only: at other weights they must disagree."""
    case = make(catalogue.n_shortcut(2), ops(np), units=3)
    found = in_closed_form(case.network, case.direction, case.x, case.y)
    expected = hvp(case.network, case.weights, case.direction, case.x, case.y)
    assert float(np.linalg.norm(found["W1"] - expected["W1"])) > 0.1
    assert norm(gradient(Network(ResidualUnit(catalogue.n_shortcut(2)), 3), case.weights, case.x, case.y)) > 0.1
