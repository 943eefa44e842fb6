"""The jets are truncated polynomials: every operation against SymPy's expansion."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from resproof.symbolic.algebra.rings import Plain, as_sympy, flint_ring, sympy_ring
from resproof.symbolic.written.jets import GradedJets, Jets, SparseJets, compose

WEIGHTS = {k: f"w{k}" for k in range(4)}


def representations(order: int) -> list[Jets]:
    names = ["x", *WEIGHTS.values()]
    graded: list[Jets] = [GradedJets(kind(names), order, WEIGHTS) for kind in (flint_ring, sympy_ring)]
    return [*graded, *(SparseJets(kind(["x"]), order) for kind in (flint_ring, sympy_ring) if order <= 2)]


def parts(jets: Jets, jet: Any) -> list[dict[tuple[int, ...], Plain]]:
    return [{m: jets.ring.plain(c) for m, c in jets.part(jet, k).items()} for k in range(jets.order + 1)]


def as_polynomial(found: list[dict[tuple[int, ...], Plain]]) -> sympy.Expr:
    w = sympy.symbols("w0:4")
    return sympy.Add(*(as_sympy(c) * sympy.Mul(*(w[k] for k in m)) for part in found for m, c in part.items()))


def truncated(expression: Any, order: int) -> sympy.Expr:
    t, w = sympy.Symbol("t"), sympy.symbols("w0:4")
    scaled = sympy.expand(expression.subs({v: t * v for v in w}, simultaneous=True))
    coefficients: list[Any] = [scaled.coeff(t, k) for k in range(order + 1)]
    return sympy.expand(sum(coefficients))


def random_jet(jets: Jets, r: random.Random) -> Any:
    """A sum of products of variables, the same steps in every representation."""
    pool = [jets.variable(jets.ring.number(r.randint(-2, 2)), k) for k in WEIGHTS] + [
        jets.number(jets.ring.symbol("x"))
    ]
    for _ in range(3):
        following = jets.number(jets.ring.number(Fraction(r.randint(-3, 3), 2)))
        jets.add_product(following, r.choice(pool), r.choice(pool), jets.order)
        jets.add(following, r.choice(pool))
        pool.append(following)
    return pool[-1]


@pytest.mark.parametrize("order", [0, 1, 2, 3, 4])
@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10**6))
def test_all_representations_agree(order: int, seed: int) -> None:
    found = [parts(jets, random_jet(jets, random.Random(seed))) for jets in representations(order)]
    assert all(one == found[0] for one in found)


@pytest.mark.parametrize("order", [2, 3])
@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10**6))
def test_products_are_truncated_products(order: int, seed: int) -> None:
    for jets in representations(order):
        r = random.Random(seed)
        a, b = random_jet(jets, r), random_jet(jets, r)
        total = jets.number(jets.ring.zero)
        jets.add_product(total, a, b, order)
        expected = truncated(as_polynomial(parts(jets, a)) * as_polynomial(parts(jets, b)), order)
        assert sympy.expand(as_polynomial(parts(jets, total)) - expected) == 0


@pytest.mark.parametrize("order", [0, 1, 2, 3, 4])
@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10**6), half=st.booleans())
def test_a_square_is_the_product_with_itself(order: int, seed: int, half: bool) -> None:
    for jets in representations(order):
        r = random.Random(seed)
        jet, target = random_jet(jets, r), random_jet(jets, r)
        factor = jets.ring.number(Fraction(1, 2) if half else 3)
        jet = jets.with_value(jet, jets.ring.zero) if half else jet
        expected = jets.copy(target)
        multiple, scaled = jets.copy(target), jets.number(jets.ring.zero)
        jets.add_product(scaled, jets.number(factor), jet, order)
        jets.add_product(expected, scaled, jet, order)
        jets.add_square(target, factor, jet, order)
        assert parts(jets, target) == parts(jets, expected)
        increment = jets.increment(jet)
        product = jets.copy(multiple)
        jets.add_product(product, jets.number(factor), increment, order)
        jets.add_multiple(multiple, factor, increment, order)
        assert parts(jets, multiple) == parts(jets, product)


@pytest.mark.parametrize("order", [2, 3])
@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10**6))
def test_composition_with_a_polynomial(order: int, seed: int) -> None:
    for jets in representations(order):
        jet = random_jet(jets, random.Random(seed))
        at = as_sympy(jets.ring.plain(jets.value(jet)))
        c = [jets.ring.number(k) for k in (5, -1, 3, 2)]
        u = as_polynomial(parts(jets, jet)) - at
        expected = truncated(5 - u + 3 * u**2 + 2 * u**3, order)
        found = parts(jets, compose(jets, c, jet, order))
        assert sympy.expand(as_polynomial(found) - expected) == 0


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10**6), st.integers(0, 2))
def test_a_bound_on_the_order_keeps_the_lower_parts(seed: int, bound: int) -> None:
    for jets in representations(2):
        r = random.Random(seed)
        a, b = random_jet(jets, r), random_jet(jets, r)
        low, full = jets.number(jets.ring.zero), jets.number(jets.ring.zero)
        jets.add_product(low, a, b, bound)
        jets.add_product(full, a, b, 2)
        assert parts(jets, low) == [*parts(jets, full)[: bound + 1], *[{}] * (2 - bound)]


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10**6))
def test_accumulation_leaves_the_other_operand_alone(seed: int) -> None:
    for jets in representations(2):
        jet = random_jet(jets, random.Random(seed))
        before, copied = parts(jets, jet), jets.copy(jet)
        jets.add(copied, jet)
        jets.add_product(copied, jet, jet, 2)
        assert parts(jets, jet) == before


def test_least_degree_and_vanishing_parts() -> None:
    for jets in representations(2):
        product = jets.number(jets.ring.one)
        jets.add_product(product, jets.variable(jets.ring.zero, 0), jets.variable(jets.ring.zero, 1), 2)
        assert jets.least_degree(product) == 2
        assert [jets.vanishes(product, k) for k in range(3)] == [False, True, False]
        assert jets.least_degree(jets.number(jets.ring.one)) == 3


def test_sparse_jets_stop_at_order_two() -> None:
    with pytest.raises(ValueError, match="order is 3; expected 0, 1 or 2"):
        _ = SparseJets(flint_ring([]), 3)
    jets = SparseJets(flint_ring([]))
    with pytest.raises(ValueError, match="degree is 3"):
        _ = jets.part(jets.number(jets.ring.one), 3)


@pytest.mark.parametrize("order", [0, 1, 2, 4])
def test_the_degree_operator_and_its_inverse(order: int) -> None:
    for jets in representations(order):
        jet = random_jet(jets, random.Random(order))
        found, back = (parts(jets, one) for one in (jets.euler(jet), jets.integral(jets.euler(jet))))
        for k, part in enumerate(parts(jets, jet)):
            assert found[k] == {m: {s: k * c for s, c in plain.items()} for m, plain in part.items() if k}
            assert back[k] == (part if k else {})
