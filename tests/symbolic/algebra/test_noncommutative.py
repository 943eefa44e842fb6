"""Polynomials in non-commuting letters, against exact matrices put in for the letters."""

from itertools import pairwise

import pytest

from resproof.symbolic.algebra.matrices import Matrix, add, eye, matrix, multiply, scale, transpose
from resproof.symbolic.algebra.noncommutative import Words, modulo, product, show, words
from resproof.symbolic.algebra.noncommutative import add as add_words

A, B = matrix([[1, 2], [3, 5]]), matrix([[0, 1], [-1, 4]])


def value(polynomial: Words, letters: dict[str, Matrix]) -> Matrix:
    total = scale(0, eye(2))
    for word, coefficient in polynomial.items():
        factor = eye(2)
        for letter in word:
            factor = multiply(factor, letters[letter])
        total = add(total, scale(coefficient, factor))
    return total


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", {}),
        ("1", {(): 1}),
        ("1 - S G", {(): 1, ("S", "G"): -1}),
        ("- A B + A B", {}),
        ("A A + A A", {("A", "A"): 2}),
        ("0 - U*", {("U*",): -1}),
    ],
)
def test_reading(text: str, expected: Words) -> None:
    assert words(text) == expected


@pytest.mark.parametrize("text", ["", "A +", "A - ", "A + + B"])
def test_a_sign_without_a_term(text: str) -> None:
    with pytest.raises(ValueError, match="sign without a term"):
        words(text)


def test_sum_and_product_are_those_of_matrices() -> None:
    letters, one, other = {"A": A, "B": B}, words("1 - A B"), words("B + A A - 1")
    assert value(product(one, other), letters) == multiply(value(one, letters), value(other, letters))
    assert value(add_words(one, other), letters) == add(value(one, letters), value(other, letters))
    assert product(one, other) != product(other, one)
    assert product() == {(): 1}


def test_relations_keep_the_value_where_they_hold() -> None:
    swap = matrix([[0, 1], [1, 0]])
    polynomial = product(words("A + B"), words("A - B A"), words("1 + A"))
    reduced = modulo(polynomial, {"A A": ""})
    assert all(("A", "A") not in pairwise(word) for word in reduced)
    assert value(reduced, {"A": swap, "B": B}) == value(polynomial, {"A": swap, "B": B})


def test_a_projection() -> None:
    square = add_words(product(words("P"), words("P")), words("0 - P"))
    assert modulo(square, {"P P": "P"}) == {}
    assert show(modulo(square, {})) == "-1 P +1 P P"


def test_a_relation_has_to_shorten() -> None:
    with pytest.raises(ValueError, match="A B = B A does not shorten"):
        modulo(words("A B"), {"A B": "B A"})


def test_transposes_are_letters_of_their_own() -> None:
    gram = product(words("A*"), words("A"))
    assert value(gram, {"A": A, "A*": transpose(A)}) == multiply(transpose(A), A)
