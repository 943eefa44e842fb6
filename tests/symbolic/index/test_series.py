"""Sums of index terms against brute-force summation over every index, exactly."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resproof.architectures.forms.terms import (
    COLUMN,
    ROW,
    Delta,
    InverseScale,
    LossDerivative,
    Normalised,
    Opaque,
    Pattern,
    Perturbation,
    SoftmaxValue,
)
from resproof.architectures.patterns import in_pattern
from resproof.symbolic.index.claims import parse, show
from resproof.symbolic.index.series import (
    add,
    collect,
    constant,
    contract,
    differentiate,
    freeze,
    matrix_product,
    multiply,
    rename,
    scale,
    substitute,
    tensor,
    thaw,
    transpose,
)
from tests.oracles import evaluate_terms

SIZES = {"d": 2, "k": 3, "m": 2}
A, B, C = Opaque("A", ("d", "d")), Opaque("B", ("d", "k")), Opaque("C", ("k", "d"))
Q = LossDerivative(2, ("d", "d", "m"))
V = Opaque("v", ("d",))
TENSORS = (A, B, C, Q, V)
SLOT_DIMS = {t.label: t.dims for t in TENSORS}


def arrays(seed: int) -> dict[str, dict[tuple[int, ...], int]]:
    """Random small whole numbers, Q symmetric in its first two slots."""
    generator = random.Random(seed)
    found = {
        t.label: {where: generator.randint(-3, 3) for where in product(*(range(SIZES[str(n)]) for n in t.dims))}
        for t in TENSORS
    }
    found["Q"] = {(i, j, u): found["Q"][min(i, j), max(i, j), u] for i, j, u in found["Q"]}
    return found


def random_sum(generator: random.Random, terms: int = 3):
    """Random terms without free indices; indices of one dimension are shared at random."""
    raw = []
    for _ in range(terms):
        pool = {"d": [0, 1, 2], "k": [3, 4], "m": [5, 6]}
        factors = tuple(
            (t, tuple(generator.choice(pool[str(n)]) for n in t.dims))
            for t in generator.choices(TENSORS, k=generator.randint(1, 4))
        )
        raw.append((Fraction(generator.randint(-3, 3) or 1, 2), (), factors))
    return raw


ARGUMENT = freeze(tensor(Opaque("u0", ("d",)), (ROW,)), {ROW: "d"})
LN, LNE = (Normalised(ARGUMENT, 0, True, e, ("d", "m")) for e in (Fraction(0), Fraction(3, 4)))
RE = InverseScale(ARGUMENT, 0, True, Fraction(3, 4), ("m",))
PATTERNS = tuple(Pattern(name, ("d", "d")) for name in ("causal", "shift 1", "shift -1"))
RELATED = (A, V, LN, LNE, RE, *PATTERNS, Delta(("d", "d")))


def related_arrays(seed: int) -> dict[str, dict[tuple[int, ...], Fraction]]:
    """d = 2: a LayerNorm is +-(1, -1), with epsilon = 3/4 and inverse scale 1 +-(1/2, -1/2); patterns as they are."""
    generator = random.Random(seed)
    found = {k: {at: Fraction(v) for at, v in arrays(seed)[k].items()} for k in ("A", "v")}
    for t, size in ((LN, Fraction(1)), (LNE, Fraction(1, 2))):
        signs = [generator.choice((-1, 1)) for _ in range(SIZES["m"])]
        found[t.label] = {(i, u): (1 - 2 * i) * sign * size for i in (0, 1) for u, sign in enumerate(signs)}
    found[RE.label] = {(u,): Fraction(1) for u in range(SIZES["m"])}
    for t in PATTERNS:
        found[t.label] = {(i, j): Fraction(in_pattern(t.pattern, i, j)) for i in (0, 1) for j in (0, 1)}
    found["delta"] = {(i, j): Fraction(i == j) for i in (0, 1) for j in (0, 1)}
    return found


def value(summand, seed: int, free=None) -> Fraction:
    return evaluate_terms(summand, arrays(seed), SIZES, free or {}, {"d": 2, "k": 3, "m": 2, "c": 5})


def disguise(raw, generator: random.Random):
    """The same terms with other names for the summed indices, factors in another order, symmetric slots exchanged."""
    fresh = generator.sample(range(50), 7)
    disguised = []
    for coefficient, scalars, factors in raw:
        moved = [(t, tuple(fresh[i] for i in slots)) for t, slots in factors]
        moved = [(t, (s[1], s[0], s[2])) if t == Q and generator.random() < 0.5 else (t, s) for t, s in moved]
        generator.shuffle(moved)
        disguised.append((coefficient, scalars, tuple(moved)))
    generator.shuffle(disguised)
    return disguised


@given(st.integers(0, 10**6))
def test_renaming_reordering_and_symmetry_do_not_change_a_sum(seed: int) -> None:
    generator = random.Random(seed)
    raw = random_sum(generator)
    assert collect(raw) == collect(disguise(raw, generator))


@given(st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_the_canonical_form_keeps_the_value(seed: int) -> None:
    raw = random_sum(random.Random(seed), terms=2)
    by_term = sum(value({((), factors): coefficient}, seed) for coefficient, _, factors in raw)
    assert value(collect(raw), seed) == by_term


@given(st.integers(0, 10**6))
@settings(max_examples=300, deadline=None)
def test_relations_keep_the_value(seed: int) -> None:
    generator, known = random.Random(seed), related_arrays(seed)
    pool = {"d": [0, 1, 2], "m": [5, 6]}
    factors = tuple(
        (t, tuple(generator.choice(pool[str(n)]) for n in t.dims))
        for t in generator.choices(RELATED, k=generator.randint(2, 5))
    )
    expected = evaluate_terms({((), factors): Fraction(1)}, known, SIZES, {}, {})
    found = collect([(Fraction(1), (), factors)])
    assert evaluate_terms(found, known, SIZES, {}, {"d": 2, "m": 2}) == expected


@given(st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_product_sum_and_multiple_are_those_of_the_values(seed: int) -> None:
    generator = random.Random(seed)
    left, right = collect(random_sum(generator, 2)), collect(random_sum(generator, 1))
    assert value(multiply(left, right), seed) == value(left, seed) * value(right, seed)
    assert value(add(left, scale(Fraction(2, 3), right)), seed) == value(left, seed) + Fraction(2, 3) * value(
        right, seed
    )
    assert add(left, scale(-1, left)) == {}


def test_many_equal_factors_have_one_canonical_form() -> None:
    # A cycle of equal symmetric factors: colour refinement alone cannot tell its indices apart.
    cycle = [(Q, (a, (a + 1) % 6, 9)) for a in range(6)]
    shuffled = [(Q, ((5 * a + 5) % 6, (5 * a) % 6, 9)) for a in (3, 0, 4, 1, 5, 2)]
    two_triangles = [(Q, (a, b, 9)) for a, b in ((0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3))]
    one, other, triangles = (collect([(Fraction(1), (), tuple(f))]) for f in (cycle, shuffled, two_triangles))
    assert one == other
    assert one != triangles


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("A[a,b] * delta[b,c] * v[c]", "A[a,b] * v[b]"),
        ("delta[a,a]", "d"),
        ("delta[a,b]", "d"),
        ("delta[a,b] * delta[b,a] * v[a]", "v[a]"),
        ("2 * c * A[a,a] - A[b,b] * c", "c * A[a,a]"),
        ("A[a,b] - A[b,a]", "0"),
        ("1/2 * d^-1 * d * v[a]", "1/2 * v[a]"),
        ("n[a,u]", "0"),
        ("n[a,u] * v[a]", "n[b,u] * v[b]"),
        ("p[a,b]", "k"),
        ("p[a,b] * B[a,b]", "p[c,e] * B[c,e]"),
        ("g[a,u]", "0"),
        ("n[a,u] * n[a,u]", "d * m"),
        ("n[a,u] * n[a,u] * v[b]", "d * m * v[b]"),
        ("ne[a,u] * ne[a,u]", "d * m - 3/4 * d * re[u] * re[u]"),
        ("C[a,a]", "d"),
        ("S[a,a]", "0"),
        ("C[a,b] * S[a,b] * A[a,b]", "S[a,b] * A[a,b]"),
        ("C[b,a] * S[a,b]", "0"),
        ("C[a,b] * C[b,a] * A[a,b]", "A[a,a]"),
    ],
)
def test_relations_are_applied(claim: str, expected: str) -> None:
    known = {
        **{t.label: t for t in TENSORS},
        "delta": Delta(("d", "d")),
        "n": LN,
        "ne": LNE,
        "re": RE,
        "C": PATTERNS[0],
        "S": PATTERNS[1],
        "p": SoftmaxValue(ARGUMENT, 0, None, ("d", "k")),
        "g": LossDerivative(1, ("d", "m"), centred=True),
    }
    assert parse(claim, known) == parse(expected, known)


def test_matrix_product_transpose_and_trace() -> None:
    ab = matrix_product(tensor(A, (ROW, COLUMN)), tensor(B, (ROW, COLUMN)), "d")
    for i, j in product(range(2), range(3)):
        a = arrays(1)
        expected = sum(a["A"][i, x] * a["B"][x, j] for x in range(2))
        assert value(ab, 1, {ROW: i, COLUMN: j}) == value(transpose(ab), 1, {ROW: j, COLUMN: i}) == expected
    assert matrix_product(constant(1), constant(1), "k") == parse("k", {})
    assert contract(tensor(V, (ROW,)), {ROW: "d", COLUMN: "k"}) == parse("k * v[a]", {"v": V})


def test_a_derivative_frees_the_slots() -> None:
    w = Perturbation("W", 1, ("d", "d"))
    known = {"dW(1)": w, "A": A, "v": V, "delta": Delta(("d", "d"))}
    free = {"i": ROW, "j": COLUMN}
    square = parse("dW(1)[a,b] * dW(1)[a,b]", known)
    assert differentiate(square, w, (ROW, COLUMN)) == parse("2 * dW(1)[i,j]", known, free)
    trace = parse("dW(1)[a,a]", known)
    assert differentiate(trace, w, (ROW, COLUMN)) == parse("delta[i,j]", known, free)
    twice = differentiate(differentiate(square, w, (ROW, COLUMN)), w, (-4, -5))
    assert twice == parse("2 * delta[i,k] * delta[j,l]", known, {**free, "k": -4, "l": -5})


def test_substitution_replaces_every_occurrence() -> None:
    w = Perturbation("W", 1, ("d", "d"))
    known = {"dW(1)": w, "A": A, "v": V}
    outer = multiply(tensor(V, (ROW,)), rename(tensor(V, (ROW,)), {ROW: COLUMN}))
    replaced = substitute(parse("dW(1)[a,b] * A[b,c] * dW(1)[c,a]", known), w, outer)
    assert replaced == parse("v[a] * v[a] * v[b] * A[b,c] * v[c]", known)


@given(st.integers(0, 10**6))
def test_plain_data_and_back(seed: int) -> None:
    summand = collect(random_sum(random.Random(seed)))
    assert thaw(freeze(summand, {})) == summand
    known = {t.label: t for t in TENSORS}
    assert parse(show(summand), known) == summand


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ("B2[a,b]", "the tensor 'B2' is unknown"),
        ("A[a]", "A has 1 indices; expected 2"),
        ("A[a,b", "is no factor"),
    ],
)
def test_a_claim_that_cannot_be_read_says_why(claim: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse(claim, {"A": A})
