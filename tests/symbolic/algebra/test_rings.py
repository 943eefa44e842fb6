"""Both coefficient rings are the same ring, and their plain form is canonical."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from resproof.symbolic.algebra.rings import (
    MissingSymbolsError,
    Plain,
    Ring,
    as_sympy,
    flint_ring,
    show,
    sympy_ring,
    with_symbols,
)

NAMES = ("x_1_1", "pre'(x_1_1)", "log(2)")


def random_element(ring: Ring, seed: int) -> Any:
    """A polynomial built by random sums and products, the same steps in every ring."""
    r = random.Random(seed)
    pool = [ring.symbol(name) for name in NAMES] + [ring.number(Fraction(r.randint(-5, 5), r.randint(1, 4)))]
    for _ in range(6):
        a, b = r.choice(pool), r.choice(pool)
        pool.append(r.choice([lambda a, b: a + b, lambda a, b: a * b, lambda a, b: a - b])(a, b))
    return pool[-1]


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 10**6))
def test_both_rings_agree(seed: int) -> None:
    plain = [ring.plain(random_element(ring, seed)) for ring in (flint_ring(NAMES), sympy_ring(NAMES))]
    assert plain[0] == plain[1]
    assert show(plain[0]) == show(plain[1])


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 10**6), st.permutations(NAMES))
def test_plain_form_does_not_depend_on_the_order_of_the_names(seed: int, names: list[str]) -> None:
    assert flint_ring(NAMES).plain(random_element(flint_ring(NAMES), seed)) == sympy_ring(names).plain(
        random_element(sympy_ring(names), seed)
    )


@pytest.mark.parametrize("kind", [flint_ring, sympy_ring])
@settings(deadline=None, max_examples=50)
@given(seed=st.integers(0, 10**6))
def test_plain_form_goes_there_and_back(kind: Any, seed: int) -> None:
    ring = kind(NAMES)
    element = random_element(ring, seed)
    assert ring.element(ring.plain(element)) == element
    assert bool(element) == bool(ring.plain(element))


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 10**6))
def test_sympy_reads_the_plain_form(seed: int) -> None:
    ring = flint_ring(NAMES)
    a, b = random_element(ring, seed), random_element(ring, seed + 1)
    difference = as_sympy(ring.plain(a * b)) - as_sympy(ring.plain(a)) * as_sympy(ring.plain(b))
    assert sympy.expand(difference) == 0


@pytest.mark.parametrize(
    ("plain", "text"),
    [
        ({}, "0"),
        ({(): Fraction(-1)}, "-1"),
        ({(("x", 2),): Fraction(1, 2), (("y", 1),): Fraction(-1)}, "1/2*x^2 - y"),
        ({(): Fraction(3), (("x", 1), ("y", 1)): Fraction(1)}, "3 + x*y"),
    ],
)
def test_show(plain: Plain, text: str) -> None:
    assert show(plain) == text


@pytest.mark.parametrize("kind", [flint_ring, sympy_ring])
def test_no_symbols_at_all(kind: Any) -> None:
    ring = kind([])
    assert ring.plain(ring.number(Fraction(1, 2)) + ring.one) == {(): Fraction(3, 2)}
    assert ring.plain(ring.zero) == {}


@pytest.mark.parametrize("kind", [flint_ring, sympy_ring])
def test_with_symbols_enlarges_the_ring(kind: Any) -> None:
    runs: list[tuple[str, ...]] = []

    def run(ring: Ring) -> Plain:
        runs.append(ring.names)
        return ring.plain(ring.symbol("a") * sum(ring.symbols(["b", "c"]), ring.zero))

    assert with_symbols(kind, ["a"], run) == {(("a", 1), ("b", 1)): Fraction(1), (("a", 1), ("c", 1)): Fraction(1)}
    assert runs == [("a",), ("a", "b", "c")]


def test_missing_symbols_are_listed() -> None:
    ring = flint_ring(["a"])
    with pytest.raises(MissingSymbolsError, match="b, c") as error:
        _ = ring.symbols(["a", "b", "c", "b"])
    assert error.value.names == ("b", "c")
    with pytest.raises(MissingSymbolsError, match="z"):
        _ = ring.element({(("z", 1),): Fraction(1)})
