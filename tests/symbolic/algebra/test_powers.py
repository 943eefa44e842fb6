"""Formal powers, against exact matrices: a letter's power with exponent a/l is the a-th power of a rational root."""

from fractions import Fraction

import pytest

from resproof.symbolic.algebra.matrices import Matrix, add, eye, inverse, matrix, multiply, scale
from resproof.symbolic.algebra.noncommutative import minus
from resproof.symbolic.algebra.powers import ONE, Words, commuting, exponents, power, product, show, sizes, transpose
from resproof.symbolic.algebra.powers import add as add_words

K, L = exponents("k l")
ROOTS = {"U": matrix([[1, 2], [3, 5]]), "P": matrix([[2, 1], [1, 4]])}


def value(summand: Words, k: int, layers: int) -> Matrix:
    """The sum with letter^(a/l) = root^a, by repeated multiplication."""
    total = scale(Fraction(0), eye(2))
    for word, coefficient in summand.items():
        factor = eye(2)
        for letter, exponent in word:
            times = _number(exponent, k, layers) * layers
            assert times == int(times)
            root = ROOTS[letter] if times >= 0 else inverse(ROOTS[letter])
            for _ in range(abs(int(times))):
                factor = multiply(factor, root)
        total = add(total, scale(Fraction(coefficient), factor))
    return total


def _number(exponent: object, k: int, layers: int) -> Fraction:
    found = exponent.as_expr().subs({"k": k, "l": layers})  # pyright: ignore[reportAttributeAccessIssue]
    return Fraction(int(found.p), int(found.q))


U, P = power("U", K / L), power("P", 1 / L)


@pytest.mark.parametrize(("k", "layers"), [(1, 1), (1, 3), (2, 3), (4, 3), (0, 5)])
def test_products_are_those_of_matrices(k: int, layers: int) -> None:
    for left, right in ((U, P), (P, U), (U, power("U", (1 - K) / L)), (minus(U, ONE), add_words(P, U))):
        expected = multiply(value(left, k, layers), value(right, k, layers))
        assert value(product(left, right), k, layers) == expected
    assert value(minus(U, P), k, layers) == add(value(U, k, layers), scale(Fraction(-1), value(P, k, layers)))


def test_normal_form() -> None:
    assert power("U", 0 * K) == ONE
    assert product(U, power("U", -K / L)) == ONE
    assert product(U, P, power("P", -1 / L), power("U", 1 - K / L)) == power("U", L / L)
    assert product(U, P) != product(P, U)
    assert minus(U, U) == {}
    assert commuting(product(P, U)) == commuting(product(U, P))
    assert commuting(product(U, P, power("U", -K / L))) == P


def test_transposes_reverse() -> None:
    names = {"U": "V", "P": "P"}
    assert transpose(product(U, P), names) == product(P, power("V", K / L))
    assert transpose(minus(U, ONE), names) == minus(power("V", K / L), ONE)


def test_shown_in_canonical_order() -> None:
    assert show({}) == "0"
    assert show(ONE) == "+ 1"
    assert show(minus(product(power("U", L / L), P), add_words(ONE, ONE))) == "+ U P^(1/l) - 2 1"


def test_sizes_are_read_off_what_occurs() -> None:
    assert sizes({"U": "d", "P": "d"}, U, P, counts=["l"]).free == ("l", "d")
    assert sizes({"U": "1"}, U, counts=["k"]).free == ("k",)
    with pytest.raises(ValueError, match="P has no shape"):
        _ = sizes({"U": "d"}, U, P, counts=[])
    with pytest.raises(ValueError, match="k does not occur"):
        _ = sizes({"P": "d"}, P, counts=["k"])
    with pytest.raises(ValueError, match="l does not occur"):
        _ = sizes({"U": "d"}, power("U", 3 * L / L), counts=["l"])
