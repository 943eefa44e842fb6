"""Which sizes a certificate leaves free, and unit vectors by their distances."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy

from resproof.symbolic.certificates import (
    NotCertified,
    any_dimension,
    between,
    inner,
    occurring,
    of_symbols,
    orthant,
    squared_norm,
    standing_for,
    substitute,
    unit_vectors,
)

N, Q = sympy.symbols("n q", positive=True)


def test_a_symbol_stands_for_a_size() -> None:
    assert of_symbols({"n": Q}, 2**Q, N).free == ("n",)
    assert of_symbols({"n": Q, "R": N}, 2**Q, 1 + N).free == ("n", "R")


@pytest.mark.parametrize("expressions", [(), (N + Q - Q,), (sympy.Integer(3), 4)])
def test_a_symbol_that_is_gone_stands_for_none(expressions: tuple[object, ...]) -> None:
    with pytest.raises(ValueError, match="q does not occur"):
        of_symbols({"n": Q}, *expressions)


def test_variables_that_cancel_do_not_occur() -> None:
    o = orthant("p q")
    assert occurring(o["p"] * o["q"] / o["q"]) == {"p"}
    assert standing_for(occurring(o["p"] + o["q"]), {"q": "l"}).free == ("l",)


def test_between_two_values_are_all_others() -> None:
    """Every fraction in [3, 8) is that of one share, and the values of shares are there."""
    o = orthant("p s")
    found = between(3, 8, o["s"])
    for value in (Fraction(3), Fraction(7, 2), Fraction(31, 4), 8 - Fraction(1, 100)):
        share = (value - 3) / (8 - value)
        assert share >= 0
        assert not substitute(found, {**o.values, "s": share + 0 * o["p"]}) - value
    assert between(o["p"], 0, o["s"]) == o["p"] / (1 + o["s"])
    with pytest.raises(NotCertified):
        between(o["p"], o["p"], o["s"])


def test_there_has_to_be_an_inner_product() -> None:
    with pytest.raises(ValueError, match="no inner product"):
        any_dimension({}, "d")


def test_unit_vectors_have_their_distances() -> None:
    o = orthant("", "D E")
    gram, one = unit_vectors(ab=o["D"], ca=o["E"]), 1 + 0 * o["D"]
    assert [squared_norm({name: one}, gram) for name in "abc"] == [one, one, one]
    assert squared_norm({"a": one, "b": -one}, gram) == o["D"]
    assert squared_norm({"a": -one, "c": one}, gram) == o["E"]
    assert inner({"a": one}, {"b": 2 * one}, gram) == 2 - o["D"]


@pytest.mark.parametrize("names", [(), ("a",), ("aa",), ("abc",)])
def test_unit_vectors_are_named_by_pairs(names: tuple[str, ...]) -> None:
    one = orthant("x")["x"]
    with pytest.raises(ValueError, match="expected two letters for each pair"):
        _ = unit_vectors(**dict.fromkeys(names, one))


def test_what_is_put_in_place_of_symbols_leaves_rational_numbers() -> None:
    """SymPy's zero + 1 is the int 1, and a quotient of ints a float."""
    o = orthant("s")
    tenth = (o["s"] + 1) / (3 * o["s"] + 10)
    assert substitute(tenth, {"s": 0 * o["s"]}) == o["s"].field(Fraction(1, 10))
    assert substitute(tenth, {"s": 0}) == Fraction(1, 10)
    o.identical("so it is", Fraction(1, 10), substitute(tenth, {"s": 0}))


def test_no_certificate_is_for_a_float() -> None:
    o = orthant("s")
    for check in (o.above_zero, o.at_least_zero):
        with pytest.raises(TypeError, match=r"a certificate for the float 0\.1"):
            check("a tenth", 0.1)
    with pytest.raises(TypeError, match="expected a rational number"):
        o.identical("a tenth", 0.1, Fraction(1, 10))
