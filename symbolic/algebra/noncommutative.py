"""Polynomials in matrices that do not commute, modulo relations: {word: coefficient}, a word being a tuple of letters.

A relation w = w' with w' shorter than w is used from left to right until it applies nowhere. A polynomial that comes
out as {} is zero wherever the relations hold, for matrices of every size; the converse is not claimed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import TypeAlias, TypeVar

from resproof.symbolic.scope import Scope, require_occurring

Word: TypeAlias = tuple[str, ...]
Words: TypeAlias = dict[Word, int]
Key = TypeVar("Key")
Relations: TypeAlias = Mapping[str, str]
"""A product of matrices, as in "S G S", and the shorter one that it equals; "" is the identity."""


def words(text: str) -> Words:
    """The polynomial that a text such as "1 - S G" states; "1" is the identity, "0" is zero.

    Raises:
        ValueError: a sign without a term.
    """
    terms = list[tuple[int, list[str]]]()
    for token in text.split() if text.startswith(("+ ", "- ")) else ["+", *text.split()]:
        if token in {"+", "-"}:
            terms.append((1 if token == "+" else -1, []))
        else:
            terms[-1][1].append(token)
    if not all(letters for _, letters in terms):
        raise ValueError(f"words: {text!r} has a sign without a term; expected letters, 1 or 0")
    kept = ((sign, tuple(x for x in letters if x != "1")) for sign, letters in terms if letters != ["0"])
    return add(*({word: sign} for sign, word in kept))


def add(*summands: Mapping[Key, int]) -> dict[Key, int]:
    """The sum; terms that cancel disappear. The words may be of any kind."""
    total: dict[Key, int] = {}
    for summand in summands:
        for word, coefficient in summand.items():
            total[word] = total.get(word, 0) + coefficient
    return {word: coefficient for word, coefficient in total.items() if coefficient}


def minus(left: Mapping[Key, int], right: Mapping[Key, int]) -> dict[Key, int]:
    """left - right."""
    return add(left, {word: -coefficient for word, coefficient in right.items()})


def product(*factors: Words) -> Words:
    """The product in this order."""
    total: Words = {(): 1}
    for factor in factors:
        total = add(*({left + right: a * b} for left, a in total.items() for right, b in factor.items()))
    return total


def modulo(polynomial: Words, relations: Relations) -> Words:
    """The polynomial with the relations used until none applies.

    Raises:
        ValueError: a relation does not shorten.
    """
    rules = [(tuple(left.split()), tuple(right.split())) for left, right in relations.items()]
    for left, right in rules:
        if len(right) >= len(left):
            raise ValueError(f"modulo: {' '.join(left)} = {' '.join(right)} does not shorten; expected it to")
    return add(*({_reduced(word, rules): coefficient} for word, coefficient in polynomial.items()))


def _reduced(word: Word, rules: Iterable[tuple[Word, Word]]) -> Word:
    for left, right in rules:
        for start in range(len(word) - len(left) + 1):
            if word[start : start + len(left)] == left:
                return _reduced(word[:start] + right + word[start + len(left) :], rules)
    return word


def show(polynomial: Words) -> str:
    """The polynomial as text, in the order of its words."""
    terms = [f"{c:+d} {' '.join(word) or '1'}" for word, c in sorted(polynomial.items())]
    return " ".join(terms) or "0"


def sizes(
    shapes: Mapping[str, tuple[str, str]], *polynomials: Words, products: Mapping[str, str] | None = None
) -> Scope:
    """The sizes that polynomials leave free: the rows and columns of every letter that occurs in one of them.

    `shapes`: rows and columns of each letter; "1" where there is but one. `products`: {letter: size} for letters that
    stand for a product, or a sum, of so many matrices, whatever their number.

    Raises:
        ValueError: a letter has no shape, or neighbours in a word do not fit, or a letter of `products` does not occur.
    """
    letters = list[str]()
    for word in (word for one in polynomials for word in one):
        if missing := [letter for letter in word if letter not in shapes]:
            raise ValueError(f"sizes: {missing[0]} has no shape; expected one of {', '.join(shapes)}")
        for left, right in pairwise(word):
            if shapes[left][1] != shapes[right][0]:
                raise ValueError(f"sizes: {left} {right} is {shapes[left]} times {shapes[right]}")
        letters.extend(word)
    found = products or {}
    require_occurring(found, letters)
    return Scope.leaving_free(*({name for x in letters for name in shapes[x]} - {"1"}), *found.values())
