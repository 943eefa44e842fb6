"""What a step found, as text made from the object."""

from fractions import Fraction
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
import sympy

from resproof.proofs.statement import Argument, Context
from resproof.proofs.told import told
from resproof.proofs.verdict import run
from tests.proofs.toys import SOME, explicit, lift, returns, toy

T = sympy.Symbol("t")


class Times(NamedTuple):
    first: Fraction
    second: int


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (Fraction(-1, 2), "-1/2"),
        (0, "0"),
        (0.125, "0.125"),
        (10**30 + 1, "about 1e+30"),
        ("d^-1 * X[a,u]", "d^-1 * X[a,u]"),
        ((1, Fraction(1, 3)), "(1, 1/3)"),
        (((2, 0), (0, 2)), "((2, 0), (0, 2))"),
        ({3, 1, 2}, "{1, 2, 3}"),
        (set[int](), "none"),
        (Times(Fraction(99, 2), 9), "first: 99/2; second: 9"),
        ({(2, "d=1"): 3, "$c$ = 0": (1, 2)}, "2, d=1: 3; c = 0: (1, 2)"),
        ({"a": T**2 - 1, "b": sympy.Poly(T + 2)}, "a: t^2 - 1; b: t + 2"),
        ({"plain": True, "other": False}, "plain: yes; other: no"),
        (dict.fromkeys(range(6), "x" * 30), f"0: {'x' * 30}; 1: {'x' * 30}; 2: {'x' * 30}; 3: {'x' * 30}; and 2 more"),
        ({"holds": True, "too": True}, ""),
        (True, ""),
        ((1, True), ""),
        (("names", "alone"), ""),
        ((((1,),),), ""),
        (SimpleNamespace(a=1), ""),
        ({"one": SimpleNamespace(a=1), "two": 2}, ""),
        ("x" * 200, ""),
        ({}, ""),
    ],
)
def test_found(found: Any, text: str) -> None:
    assert told(found) == text


def test_a_step_tells_it_where_nothing_else_is_shown() -> None:
    found = Argument("a number", "instance", returns(Fraction(2, 3), SOME), Fraction(2, 3), {"twice": Fraction(4, 3)})
    steps = run(toy("T", arguments=(lift, explicit, found)), Context()).steps
    assert [(one.shown, one.written) for one in steps if one.title == "a number"] == [("2/3", False)]
