"""The sizes of a step are those of what it compares, as its source has it."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from proofs.provenance import require_own_sizes

PROOFS = Path(__file__).parents[2] / "proofs"

OWN = {
    "the same object": "found = expand(UNIT)\nreturn Computed(rank(found), sizes.of_terms(found))",
    "what both are made of": "return Computed(order(UNIT), sizes.of_unit(UNIT))",
    "by way of a loop": "found = {}\nfor n in DEPTHS:\n    found[n] = made(n)\nreturn Computed(found, over(DEPTHS))",
    "what is appended": "found = []\nfound.append(x)\nreturn Computed(found, sizes.of(x))",
    "by way of functions": "return Computed(rank(both()), sizes.of_unit(SHARED))",
    "what is made without arguments": "return Computed(entry().row, entry().sizes)",
    "one object unpacked": "return Computed(*found('A'), shown)",
    "numbers": "return Computed(1 + 1, Scope.over(d=2))",
    "numbers by name": "return Computed(1 + 1, TWO)",
    "its own scope and numbers": "found = g(x)\nreturn replace(found, scope=found.scope & SOME)",
}
BORROWED = {
    "1 + 1 = 2": "return Computed(1 + 1, sizes.of_unit(UNIT))",
    "in a lambda": "return lambda _: Computed(2, sizes.of_unit(UNIT))",
    "by names": "return Computed(value=2, scope=sizes.of_unit(UNIT))",
    "another unit": "return Computed(order(LINEAR), sizes.of_unit(TANH))",
    "the same engine": "a, b = one(), other()\nreturn Computed(expand(a), sizes.of_terms(expand(b)))",
    "the same helper": "return Computed(through(x), through(y))",
    "the context alone": "return Computed(context.seed, sizes.of(context))",
    "as it is handed over": "return lambda _: Computed(x, y)",
    "a scope exchanged": "return replace(found(2), scope=sizes.of_unit(UNIT))",
    "numbers beside a size that is free": "return Computed(2, sizes.of_unit(UNIT) & Scope.over(R=2))",
}


AROUND = """
TWO = Scope.of('d=2')
SHARED = unit()
def both():
    return forms(SHARED)
def through(z):
    y = z
    return y
def compute(context, x, y):
"""


def within(body: str) -> str:
    """A module with a function of this body, what it calls, and a constant."""
    return AROUND + indent(body, "    ")


@pytest.mark.parametrize("source", OWN.values(), ids=OWN)
def test_sizes_of_what_a_value_is_made_of(source: str) -> None:
    require_own_sizes(within(source))


@pytest.mark.parametrize("source", BORROWED.values(), ids=BORROWED)
def test_sizes_of_something_else(source: str) -> None:
    with pytest.raises(ValueError, match=r"line \d+: .* with the sizes .*; expected those of what it is made of"):
        require_own_sizes(within(source))


def test_no_statement_has_the_sizes_of_something_else() -> None:
    for path in PROOFS.rglob("*.py"):
        if path.name != "canaries.py":  # there false statements have them
            require_own_sizes(path.read_text(encoding="utf-8"))
