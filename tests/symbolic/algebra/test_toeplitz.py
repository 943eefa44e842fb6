"""The Hessian at every depth, exactly: order types, stretches, enclosures."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from resproof.symbolic.algebra.matrices import (
    Matrix,
    add,
    block_diagonal,
    block_toeplitz,
    characteristic_polynomial,
    determinant,
    eye,
    inertia,
    kronecker,
    matrix,
    multiply,
    scale,
    transpose,
)
from resproof.symbolic.algebra.toeplitz import (
    AT,
    A,
    D,
    Interval,
    Z,
    _rational_roots,
    absolute_row_sums,
    block,
    congruent_blocks,
    corner,
    eigenvalue,
    merge,
    merged,
    order_types,
    pair_image,
    parts,
    real_rooted,
    restricted,
    row_differences,
    same_in_every_unit,
    sizes,
    small_singular_values,
    split_blocks,
    squared_condition,
    squared_norm,
    squared_singular_value,
    stretches,
    unit_image,
)

SEEDS = st.integers(0, 10**6)


def instance(seed: int, p: int) -> tuple[Matrix, Matrix]:
    """Random rational D = D^T and A."""
    r = random.Random(seed)
    d, a = (matrix([[Fraction(r.randint(-5, 5), r.randint(1, 3)) for _ in range(p)] for _ in range(p)]) for _ in "DA")
    return add(d, transpose(d)), a


def shifted(h: Matrix, z: Fraction | int) -> Matrix:
    return add(h, scale(-Fraction(z), eye(len(h))))


def at(expression: sympy.Expr, d: Matrix, a: Matrix, z: Fraction) -> Matrix:
    """An expression that is linear in the blocks and z, at given matrices."""
    values = {D: d, A: a, AT: transpose(a), Z: scale(z, eye(len(d)))}
    total = scale(0, d)
    for symbol, value in values.items():
        total = add(total, scale(Fraction(str(sympy.expand(expression).coeff(symbol))), value))
    return total


@settings(deadline=None, max_examples=20)
@given(st.integers(1, 3), st.integers(2, 5), SEEDS)
def test_differences_of_rows_and_congruence_on_matrices(p: int, units: int, seed: int) -> None:
    """T^T (H - z) and T^T (H - z) T of a written-out matrix have the blocks of the order types."""
    d, a = instance(seed, p)
    z = Fraction(3, 7)
    h = shifted(block_toeplitz(d, a, units), z)
    t = matrix([[int(i == j) - int(i == j + 1) for j in range(units)] for i in range(units)])
    big = kronecker(t, eye(p))
    left = multiply(transpose(big), h)
    both = multiply(left, big)

    def cut(m: Matrix, r: int, s: int) -> Matrix:
        return tuple(row[s * p : (s + 1) * p] for row in m[r * p : (r + 1) * p])

    rows, tridiagonal = row_differences(), congruent_blocks()
    names = {-1: "s = r - 1", 0: "s = r", 1: "s = r + 1"}
    near = {-1: "left", 0: "diagonal", 1: "right"}
    for r in range(units):
        for s in range(units):
            if r < units - 1:
                name = names.get(s - r, "s < r - 1" if s < r else "s > r + 1")
                assert cut(left, r, s) == at(rows[name], d, a, z)
            name = "last" if r == s == units - 1 else near.get(s - r, "far")
            assert cut(both, r, s) == at(tridiagonal[name], d, a, z)
    assert inertia(both) == inertia(h)


@settings(deadline=None, max_examples=20)
@given(st.integers(1, 3), st.integers(2, 5), SEEDS)
def test_the_image_of_a_pair(p: int, units: int, seed: int) -> None:
    d, a = instance(seed, p)
    r = seed % (units - 1)
    h = block_toeplitz(d, a, units)
    pair = matrix([[int(s == r) - int(s == r + 1)] for s in range(units)])
    image = multiply(h, kronecker(pair, eye(p)))
    found = pair_image()
    names = {0: "s = r", 1: "s = r + 1"}
    for s in range(units):
        expected = at(found[names[s - r]], d, a, Fraction(0)) if s - r in names else scale(0, d)
        assert image[s * p : (s + 1) * p] == expected


def test_order_types_refuse_what_depends_on_the_place() -> None:
    assert order_types(block)["s = r"] == D - Z
    with pytest.raises(AssertionError, match="s = r"):
        _ = order_types(lambda r, s: r * D if r == s else sympy.Integer(0))


def test_the_symmetric_and_skew_parts() -> None:
    assert split_blocks() == {"diagonal": D, "below": A, "above": AT}
    d, a = instance(1, 3)
    f, w, k = parts(d, a)
    assert (add(f, w), add(w, scale(-1, k)), scale(-1, transpose(k))) == (d, a, k)


@settings(deadline=None, max_examples=25)
@given(st.integers(1, 3), st.integers(1, 6), SEEDS, st.booleans())
def test_stretches_give_determinant_and_inertia(p: int, units: int, seed: int, halves: bool) -> None:
    d, a = instance(seed, p)
    h = block_toeplitz(d, a, units)
    for z in (Fraction(1, 97), Fraction(-13, 7)):
        try:
            found = stretches(d, a, units, z, halves=halves)
        except ZeroDivisionError:
            continue
        assert found.determinant == determinant(shifted(h, z))
        assert found.inertia == inertia(shifted(h, z))
        assert len(found.joints) == units - 1


def test_stretches_give_the_characteristic_polynomial() -> None:
    """d = 2, R = 3: at 7 shifts, one more than the degree."""
    d, a = instance(5, 2)
    t = sympy.Symbol("t")
    polynomial = characteristic_polynomial(block_toeplitz(d, a, 3), t)
    for k in range(7):
        z = Fraction(2 * k + 1, 11)
        assert stretches(d, a, 3, z).determinant == polynomial.subs(t, sympy.Rational(2 * k + 1, 11))


def test_a_singular_joint_is_refused() -> None:
    d, a = matrix([[2]]), matrix([[1]])
    with pytest.raises(ZeroDivisionError):
        _ = stretches(d, a, 2, 1)  # F = D - A = 1
    with pytest.raises(ZeroDivisionError):
        _ = merge(matrix([[1]]), matrix([[-1]]), matrix([[0]]))


def test_without_a_skew_part_the_form_is_divided() -> None:
    d, a = matrix([[5]]), matrix([[2]])
    assert stretches(d, a, 7, 0).last == matrix([[2 + Fraction(3, 7)]])


def test_eigenvalues_are_enclosed() -> None:
    a = block_diagonal(matrix([[0, 1], [1, 1]]), matrix([[Fraction(-1, 3)]]))
    found = [eigenvalue(a, place) for place in range(3)]
    assert _rational_roots(real_rooted(a)) == (Fraction(-1, 3),)
    golden = (1 + 5**0.5) / 2
    assert found[1] == Interval(Fraction(-1, 3), Fraction(-1, 3))
    for one, value in ((found[0], 1 - golden), (found[2], golden)):
        assert one.low < one.high
        assert float(one.low) - 1e-15 <= value <= float(one.high) + 1e-15
        assert float(one.high - one.low) < 1e-11


def test_multiple_eigenvalues_keep_their_places() -> None:
    a = block_diagonal(*(matrix([[x]]) for x in (2, 2, -1)))
    assert [eigenvalue(a, k).low for k in range(3)] == [-1, 2, 2]


@pytest.mark.parametrize("place", [-1, 3])
def test_places_of_no_eigenvalue(place: int) -> None:
    with pytest.raises(ValueError, match="of 3; expected fewer"):
        _ = eigenvalue(eye(3), place)


def test_condition_numbers() -> None:
    a = block_diagonal(matrix([[-3]]), matrix([[2]]))
    assert squared_condition(a) == Interval(Fraction(9, 4), Fraction(9, 4))
    assert squared_norm(a).high == 9
    assert squared_singular_value(a, 0).low == 4
    assert squared_condition(matrix([[1, 1], [1, 1]])) is None
    assert [small_singular_values(a, Fraction(x)) for x in (3, 4, 9)] == [0, 1, 2]


def test_row_sums_and_restriction() -> None:
    assert absolute_row_sums(matrix([[1, -2], [0, 3]])) == (3, 3)
    assert restricted(matrix([[1, 2], [3, 4]]), [[0, 1]]) == matrix([[4]])


def test_sizes_need_blocks_at_every_type_of_place() -> None:
    kinds = (row_differences, pair_image, unit_image, same_in_every_unit, congruent_blocks, split_blocks, merged)
    for found in (kind() for kind in kinds):
        assert sizes(found).free == ("R", "p")
    with pytest.raises(ValueError, match="every type of place"):
        _ = sizes({name: one for name, one in pair_image().items() if name != "s = r"})
    with pytest.raises(ValueError, match="expected blocks"):
        _ = sizes(dict.fromkeys(pair_image(), sympy.Integer(0)))


def test_the_corner_of_every_depth() -> None:
    assert corner().sizes.free == ("R",)
    assert corner().gap(lambda h, e: h) == {(("e", 1),): 1, (): 1}
