"""Products of formal powers such as U^(k/l) P^(1/l) U^(-(k-1)/l), with exponents in a field of rational functions.

Each letter stands for a one-parameter group, U^a U^b = U^(a+b) and U^0 = 1; different letters need not commute. A sum
of words is {word: coefficient}, a word a tuple of (letter, exponent) with no exponent zero and no letter twice in a
row: a normal form of the free product of the groups, so equal sums are equal, and what is derived holds for all values
of the exponents' symbols.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from sympy import QQ
from sympy.polys.fields import field

from resproof.symbolic.algebra.noncommutative import add
from resproof.symbolic.certificates import occurring
from resproof.symbolic.scope import Scope, require_occurring

Exponent: TypeAlias = Any
"""A rational function with rational coefficients."""
Word: TypeAlias = tuple[tuple[str, Exponent], ...]
Words: TypeAlias = dict[Word, int]

ONE: Words = {(): 1}


def exponents(names: str) -> tuple[Exponent, ...]:
    """The generators of the field of rational functions in these symbols, names separated by spaces."""
    _, *generators = field(names.split(), QQ)
    return tuple(generators)


def power(letter: str, exponent: Exponent) -> Words:
    """letter^exponent."""
    return {_merged((), ((letter, exponent),)): 1}


def product(*factors: Words) -> Words:
    """The product in this order."""
    total = ONE
    for factor in factors:
        total = add(*({_merged(left, right): a * b} for left, a in total.items() for right, b in factor.items()))
    return total


def transpose(summand: Words, transposed: Mapping[str, str]) -> Words:
    """The transpose: words reversed, each letter replaced by its transpose (itself where it is symmetric)."""
    turned = ({_merged((), tuple((transposed[x], e) for x, e in reversed(word))): c} for word, c in summand.items())
    return add(*turned)


def commuting(summand: Words) -> Words:
    """The sum where all letters commute: one power of each, in alphabetical order."""
    return add(*({_merged((), _sorted(word)): coefficient} for word, coefficient in summand.items()))


def show(summand: Words) -> str:
    """The sum as text: + U^(k/l) P^(1/l) - 1."""
    terms = (
        f"{'-' if c < 0 else '+'} {f'{abs(c)} ' if abs(c) != 1 else ''}{_text(word)}"
        for word, c in sorted(summand.items(), key=str)
    )
    return " ".join(terms) or "0"


def _text(word: Word) -> str:
    return " ".join(letter if e == 1 else f"{letter}^({e})" for letter, e in word) or "1"


def _sorted(word: Word) -> Word:
    total: dict[str, Exponent] = {}
    for letter, exponent in word:
        total[letter] = total.get(letter, 0) + exponent
    return tuple(sorted(total.items()))


def _merged(left: Word, right: Word) -> Word:
    """The concatenation, neighbours of one letter merged; what merges to the exponent zero disappears."""
    done = list(left)
    for letter, exponent in right:
        if done and done[-1][0] == letter:
            exponent = done.pop()[1] + exponent
        if exponent:
            done.append((letter, exponent))
    return tuple(done)


def sizes(shapes: Mapping[str, str], *sums: Words, counts: Sequence[str]) -> Scope:
    """The sizes that sums leave free: rows of the letters' square matrices, symbols of exponents that count something.

    `shapes`: the number of rows; "1" where there is but one.

    Raises:
        ValueError: a letter has no shape, or a symbol of `counts` occurs in no exponent.
    """
    letters = [pair for one in sums for word in one for pair in word]
    if missing := [letter for letter, _ in letters if letter not in shapes]:
        raise ValueError(f"sizes: {missing[0]} has no shape; expected one of {', '.join(shapes)}")
    require_occurring(counts, sorted({name for _, exponent in letters for name in occurring(exponent)}))
    return Scope.leaving_free(*({shapes[letter] for letter, _ in letters} - {"1"}), *counts)
