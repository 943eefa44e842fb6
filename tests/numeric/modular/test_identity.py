"""Arithmetic modulo a prime: exact against Fractions on small networks; right forms pass, near misses fail."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from resproof.architectures import catalogue
from resproof.architectures.activations import generic, polynomial, relu, tanh
from resproof.architectures.errors import ArchitectureError, NotDifferentiableError
from resproof.architectures.forms.terms import SAMPLE, ActivationValue, IndexSum, Term
from resproof.architectures.losses import cross_entropy, squared
from resproof.architectures.networks import Network
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.backend import Ops, ops
from resproof.numeric.data import DataError
from resproof.numeric.network.arithmetic import PRIME, Floats, Residues
from tests import oracles
from tests.numeric import closed_forms
from tests.numeric.compare import host
from tests.numeric.modular.identities import identity_test, loss_series_modulo

PRIMES = (3, 101, 65521, PRIME)


@pytest.mark.parametrize("prime", PRIMES)
@pytest.mark.parametrize("inner", [1, 10, 127, 128, 1000])
def test_products_are_exact(prime: int, inner: int, array_ops: Ops) -> None:
    residues, generator = Residues(array_ops, prime), np.random.default_rng(prime + inner)
    a, b = residues.draw(generator, (2, 3, inner)), residues.draw(generator, (2, inner, 4))
    exact = host(a).astype(object) @ host(b).astype(object)
    np.testing.assert_array_equal(residues.canonical(residues.matmul(a, b)), (exact % prime).astype(np.int64))


def test_the_largest_balanced_residues_do_not_overflow() -> None:
    residues = Residues(ops(np))
    extreme = np.full((1, residues.longest), PRIME // 2 + 4.0)
    assert residues.longest * (PRIME // 2 + 4) ** 2 < 2**53
    found = residues.canonical(residues.matmul(extreme, extreme.T))
    assert int(found[0, 0]) == residues.longest * (PRIME // 2 + 4) ** 2 % PRIME


def test_a_gpu_draws_every_residue() -> None:
    stand_in = SimpleNamespace(__name__="cupy", asarray=np.asarray, float64=np.float64)
    drawn = Residues(ops(stand_in), 7).draw(np.random.default_rng(0), (7000,))
    values, counts = np.unique(drawn, return_counts=True)
    assert drawn.dtype == np.float64
    np.testing.assert_array_equal(values, np.arange(-3, 4))
    assert np.all(np.abs(counts - 1000) < 200)


@pytest.mark.parametrize("prime", [4, 1, 2, 9, 91, 2**24 + 43])
def test_a_modulus_that_is_no_small_prime_is_refused(prime: int) -> None:
    with pytest.raises(ValueError, match="expected a prime from 3 to 2"):
        Residues(ops(np), prime)


def test_rationals_have_inverses(array_ops: Ops) -> None:
    residues = Residues(array_ops)
    assert residues.rational(Fraction(1, 3)) * 3 % PRIME == 1
    assert Floats(array_ops).rational(Fraction(1, 4)) == 0.25
    with pytest.raises(ZeroDivisionError):
        residues.rational(Fraction(1, PRIME))


def n_shortcut_exactly(
    n: int, coefficients: dict[str, list[Fraction]], x: Any, y: Any, v: dict[str, Any], order: int
) -> list[Fraction]:
    """The loss of an n-shortcut network along t v, in Fractions."""
    h = oracles.polynomial_matrix(x, np.zeros_like(x), order)
    for unit in range(v["W1"].shape[0]):
        path = oracles.polynomial_apply(coefficients["pre"], h)
        for layer in range(1, n + 1):
            if layer > 1:
                path = oracles.polynomial_apply(coefficients["mid"], path)
            weight = v[f"W{layer}"][unit]
            path = oracles.polynomial_product(oracles.polynomial_matrix(np.zeros_like(weight), weight, order), path)
        h = oracles.polynomial_sum(h, oracles.polynomial_apply(coefficients["post"], path))
    return oracles.squared_loss_coefficients(h, y)


TANH = [Fraction(0), Fraction(1), Fraction(0), Fraction(-1, 3)]
ODD = [Fraction(c) for c in (1, -2, 0, 5)]


@pytest.mark.parametrize("n", [1, 2, 3])
def test_series_equal_fractions_with_the_given_values_of_symbols(n: int, array_ops: Ops) -> None:
    generator, pre = np.random.default_rng(n), polynomial(*ODD)
    network = Network(ResidualUnit(catalogue.n_shortcut(n, pre, generic("mid"), tanh)), 2)
    x, y = generator.integers(-5, 6, (2, 2, 3))
    v = {f"W{layer}": generator.integers(-5, 6, (2, 2, 2)) for layer in range(1, n + 1)}
    middle = [Fraction(0), Fraction(7), Fraction(3, 2), Fraction(0)]
    exact = n_shortcut_exactly(n, {"pre": ODD, "mid": middle, "post": TANH}, x, y, v, 3)
    symbols = {"mid'(0)": 7, "mid''(0)": 3, "mid^(3)(0)": 0}
    found = loss_series_modulo(network, x, y, v, 3, array_ops, symbols=symbols)
    assert found == [c.numerator * pow(c.denominator, -1, PRIME) % PRIME for c in exact]


# Identity tests.

SIZES = {"d": 3, "m": 4}
LINEAR = catalogue.n_shortcut(2)
GENERIC = catalogue.n_shortcut(2, generic("pre"), generic("mid"), generic("post"))
AT_DATA = ActivationValue(
    "pre",
    0,
    IndexSum(((-1, "d"), (SAMPLE, "m")), (Term(Fraction(1), (), ((closed_forms.X, (-1, SAMPLE)),)),)),
    ("d", "m"),
)
SLOPES = (("mid'(0)", 1), ("post'(0)", 1))


def accepted(expression: Any, closed: Any, array_ops: Ops, loss: Any = squared, units: int = 7, **options: Any) -> bool:
    unit = ResidualUnit(expression)
    return not identity_test(Network(unit, units, loss), closed, SIZES, array_ops, points=3, **options).mismatches


@pytest.mark.parametrize("loss", [squared, cross_entropy], ids=lambda loss: loss.name)
@pytest.mark.parametrize(
    ("expression", "right"),
    [(LINEAR, closed_forms.two_shortcut()), (GENERIC, closed_forms.two_shortcut(SLOPES, AT_DATA))],
    ids=["linear", "generic"],
)
def test_the_two_shortcut_form_and_its_neighbours(expression: Any, right: IndexSum, loss: Any, array_ops: Ops) -> None:
    assert accepted(expression, {1: closed_forms.ZERO, 2: right}, array_ops, loss)
    assert accepted(expression, {1: closed_forms.ZERO, 2: right}, array_ops, loss, chunk=2)
    for wrong in (
        closed_forms.scaled(right, 2),
        closed_forms.scaled(right, -1),
        closed_forms.transposed(right),
        closed_forms.ZERO,
    ):
        assert not accepted(expression, {2: wrong}, array_ops, loss)


def test_the_activation_at_the_data_is_seen(array_ops: Ops) -> None:
    assert not accepted(GENERIC, {2: closed_forms.two_shortcut(SLOPES)}, array_ops)
    assert not accepted(GENERIC, {2: closed_forms.two_shortcut(SLOPES[:1], AT_DATA)}, array_ops)


def test_the_one_shortcut_form_needs_its_cross_terms(array_ops: Ops) -> None:
    first, (square, cross) = closed_forms.one_shortcut_first(), closed_forms.one_shortcut_second()
    expression = catalogue.n_shortcut(1)
    assert accepted(expression, {1: first, 2: (square, cross)}, array_ops)
    assert accepted(expression, {1: first, 2: (square, cross)}, array_ops, chunk=3)
    assert accepted(expression, {1: first, 2: (square, cross)}, array_ops, units=1)
    assert not accepted(expression, {1: closed_forms.ZERO}, array_ops)
    assert not accepted(expression, {2: square}, array_ops)
    assert not accepted(expression, {2: (square, closed_forms.transposed(cross))}, array_ops)


def test_three_and_more_layers_vanish_to_second_order(array_ops: Ops) -> None:
    expression = catalogue.n_shortcut(3, generic("pre"), generic("mid"), generic("post"))
    assert accepted(expression, {1: closed_forms.ZERO, 2: closed_forms.ZERO}, array_ops)
    assert not accepted(expression, {3: closed_forms.ZERO}, array_ops)


def test_the_outcome_states_its_failure_bound() -> None:
    network = Network(ResidualUnit(LINEAR), 5)
    outcome = identity_test(network, {2: closed_forms.two_shortcut()}, SIZES, ops(np), points=8)
    assert outcome.degree == 3 + 2 * (3 - 1)  # a unit is W2 W1 h, of degree three
    assert outcome.log2_false_acceptance == pytest.approx(8 * np.log2(7 / PRIME), abs=1e-12)
    assert outcome.mismatches == ()


def test_what_is_not_elementwise_is_refused_by_name() -> None:
    with pytest.raises(ArchitectureError, match="has a softmax; expected an elementwise unit"):
        identity_test(
            Network(ResidualUnit(catalogue.attention()), 2),
            {2: closed_forms.ZERO},
            {"d": 2, "t": 2, "k": 2, "m": 2},
            ops(np),
        )
    with pytest.raises(ArchitectureError, match="has a normalisation; expected an elementwise unit"):
        identity_test(
            Network(ResidualUnit(catalogue.pre_norm()), 2), {2: closed_forms.ZERO}, {"d": 2, "k": 2, "m": 2}, ops(np)
        )


def test_kinks_sizes_and_forms_are_checked() -> None:
    two = Network(ResidualUnit(LINEAR), 2)
    with pytest.raises(NotDifferentiableError, match="relu has no derivative at 0"):
        identity_test(
            Network(ResidualUnit(catalogue.n_shortcut(2, mid=relu)), 2), {2: closed_forms.ZERO}, SIZES, ops(np)
        )
    with pytest.raises(DataError, match="identity test: no size of d"):
        identity_test(two, {2: closed_forms.ZERO}, {"m": 3}, ops(np))
    with pytest.raises(DataError, match="has free indices; expected none"):
        identity_test(two, {2: IndexSum(((-1, "d"),), ())}, SIZES, ops(np))


def test_a_polynomial_at_the_data_counts_with_its_degree(array_ops: Ops) -> None:
    cubic = polynomial(1, -2, 0, 5, name="pre")
    expression = catalogue.n_shortcut(2, cubic)
    right = closed_forms.two_shortcut((), AT_DATA)
    outcome = identity_test(Network(ResidualUnit(expression), 4), {2: right}, SIZES, array_ops)
    assert not outcome.mismatches
    assert outcome.degree >= 6  # g, two directions, and the cube of X
