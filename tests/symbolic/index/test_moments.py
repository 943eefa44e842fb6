"""Expectations over Gaussian matrices, against brute-force moments of every entry."""

from collections import Counter
from fractions import Fraction
from itertools import product

import pytest

from resproof.architectures.forms.terms import ROW, Opaque
from resproof.symbolic.index.claims import parse
from resproof.symbolic.index.moments import expectation, gaussian_moment, pairings
from resproof.symbolic.index.series import Sum, constant, symbol

W, U, V = Opaque("W", ("d", "k")), Opaque("u", ("k",)), Opaque("v", ("d",))
KNOWN = {"W": W, "u": U, "v": V}
SIZES = {"d": 2, "k": 3}
DATA = {"u": (1, -2, 3), "v": (2, 5)}


def brute_force(summand: Sum, variance: Fraction) -> Fraction:
    """Every index written out, and E w^p = (p - 1)!! variance^(p/2) for every entry w on its own."""
    total = Fraction(0)
    for (_, factors), coefficient in summand.items():
        ranges = {i: range(SIZES[str(t.dims[k])]) for t, slots in factors for k, i in enumerate(slots)}
        for values in product(*ranges.values()):
            at = dict(zip(ranges, values, strict=True))
            term, entries = coefficient, Counter[tuple[int, ...]]()
            for t, slots in factors:
                where = tuple(at[i] for i in slots)
                if t == W:
                    entries[where] += 1
                else:
                    term *= DATA[t.label][where[0]]
            for power in entries.values():
                term *= 0 if power % 2 else {2: 1, 4: 3, 6: 15}[power] * variance ** (power // 2)
            total += term
    return total


@pytest.mark.parametrize(
    "text",
    [
        "W[a,b] * u[b] * v[a]",
        "W[a,b] * u[b] * W[a,c] * u[c]",
        "v[a] * W[a,b] * u[b] * v[c] * W[c,e] * u[e]",
        "W[a,b] * W[a,c] * W[e,b] * W[e,c]",
        "W[a,b] * u[b] * W[a,c] * u[c] * W[e,f] * u[f] * W[e,g] * u[g]",
        "W[a,b] * W[a,b] * W[a,b] * u[b]",
        "2 * W[a,a1] * u[a1] * W[a,a2] * u[a2] - v[a] * v[a]",
    ],
)
def test_against_every_entry(text: str) -> None:
    summand, variance = parse(text, KNOWN), Fraction(2, 3)
    found = expectation(summand, W, constant(variance))
    assert all(t != W for _, factors in found for t, _ in factors)
    sizes = {name: Fraction(n) for name, n in SIZES.items()}
    expected = brute_force(summand, variance)
    value = Fraction(0)
    for (scalars, factors), coefficient in found.items():
        term = coefficient
        for name, power in scalars:
            term *= sizes[name] ** power
        value += brute_force({((), factors): term}, variance)
    assert value == expected


def test_free_indices_stay_free() -> None:
    found = expectation(parse("W[i,b] * u[b] * W[c,e] * u[e] * v[c]", KNOWN, {"i": ROW}), W, symbol("q"))
    assert found == parse("q * v[i] * u[b] * u[b]", KNOWN, {"i": ROW})


def test_pairings_and_moments() -> None:
    assert [len(list(pairings(range(n)))) for n in range(7)] == [1, 0, 1, 0, 3, 0, 15]
    assert [gaussian_moment(k) for k in range(7)] == [1, 0, 1, 0, 3, 0, 15]
    assert list(pairings("abcd"))[1] == [("a", "c"), ("b", "d")]


def test_only_matrices() -> None:
    with pytest.raises(ValueError, match="u has 1 indices; expected a matrix"):
        expectation(parse("u[a] * u[a]", KNOWN), U, constant(1))
