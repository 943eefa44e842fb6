"""Units that once gave a wrong result or a traceback, each compared with the reference in every respect."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from resproof.architectures.activations import gelu, polynomial, relu, sigmoid, silu, tanh
from resproof.architectures.algebra import causal_mask, identity, layer_norm, rms_norm, shift, softmax
from resproof.architectures.errors import ArchitectureError
from resproof.architectures.losses import LOSSES, Loss, cross_entropy, squared
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Constant, Expression, Input, Softmax, Weight, nodes
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import identity_initial, normal, ones
from resproof.numeric.data import DataError
from resproof.proofs.block.check import check
from resproof.proofs.block.general import Setting
from resproof.proofs.statement import Data
from resproof.symbolic.written.explicit import hessian_at_initial_point
from tests.engines import failures_of
from tests.strategies import Case

h = Input("d")
D, K, T = "d", "k", "t"


def made(expression: Expression, *, loss: Loss = squared, units: int = 2, samples: int = 2, **changes: Any) -> Case:
    """A case of three rows, two samples and two units."""
    unit = ResidualUnit(expression)
    used = {n for node in nodes(expression) for n in node.shape}
    sizes = changes.pop("sizes", {"d": 3, "k": 2, "t": 2, "n": 2, "q": 2})
    return Case(unit, loss, units, {n: size for n, size in sizes.items() if n in used}, samples, seed=1, **changes)


def is_short(error: Exception) -> None:
    """One line that a user can read."""
    assert "\n" not in str(error)
    assert len(str(error)) <= 200


def assert_sound(case: Case) -> None:
    """Nothing differs from the reference."""
    assert failures_of(case) == []


# A coefficient that only one addend has.

SPREAD: dict[str, Callable[[], Expression]] = {
    "positions": lambda: h + Weight(D, T),
    "a row of positions": lambda: h + Weight(1, T),
    "a bias": lambda: h + Weight(D),
    "a scalar": lambda: h + Weight(1, 1),
    "a softmax of a weight": lambda: h + softmax(Weight(D), 0),
    "positions in a layer": lambda: h + Weight(D, D) @ (h + Weight(D, T)),
    "a sum over tokens": lambda: h + Weight(D, 1) * (h @ Constant(1, T, 1)),
    "a scalar in a layer": lambda: h + Weight(D, K) @ (Weight(K, D) @ (h + Weight(1, 1))),
    "a bias in a product": lambda: h + (Constant(1, D, K) + Weight(D)) @ Weight(K, T),
    "a bias under a softmax": lambda: h + Weight(D, K) @ softmax(Constant(1, K, D) @ h + Weight(K), 0),
    "a bias under a norm": lambda: h + Weight(D, D) @ layer_norm(h + Weight(1, T), 0, Fraction(1, 2)),
}


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("name", SPREAD)
def test_a_change_is_spread_over_rows_columns_and_samples(name: str, loss: str) -> None:
    assert_sound(made(SPREAD[name](), loss=LOSSES[loss], samples=3))


# Names.


@pytest.mark.parametrize("loss", LOSSES)
def test_two_activations_of_one_name(loss: str) -> None:
    other = replace(sigmoid, name="tanh")
    assert_sound(made(h + Weight(D, D) @ tanh(h) + Weight(D, D) @ other(h), loss=LOSSES[loss]))
    first, second = polynomial(0, 1, 1, name="f"), polynomial(0, 2, name="f")
    assert_sound(made(h + Weight(D, K) @ first(Weight(K, D) @ h) + Weight(D, D) @ second(h), loss=LOSSES[loss]))


@pytest.mark.parametrize("name", ["x", "y", "X", "Y", "g", "Q", "H", "R", "m", "d", "k", "l", "delta", "W1"])
def test_a_weight_named_like_something_else(name: str) -> None:
    start = normal("1/d")
    for loss in LOSSES.values():
        w = Weight(K, D, initial=start, name=name)
        assert_sound(made(h + Weight(D, K) @ tanh(w @ h), loss=loss, units=1))
        assert_sound(made(h + Weight(D, K) @ (w @ h), loss=loss))
        assert_sound(made(h + Weight(D, D, name=name) @ h, loss=loss))


@pytest.mark.parametrize("name", ["x", "y", "g", "Q", "l", "x_1", "W1"])
def test_a_weight_named_like_a_datum_shares_no_symbol_with_it(name: str) -> None:
    counts: set[int] = set()
    for chosen in ("V", name):
        unit = ResidualUnit(h + Weight(D, K) @ (Weight(K, D, initial=normal("1/d"), name=chosen) @ h))
        found = hessian_at_initial_point(Network(unit, 1, cross_entropy), {"d": 3, "k": 2})
        counts.add(len({symbol for entry in found.plain().values() for monomial in entry for symbol, _ in monomial}))
    assert len(counts) == 1


def test_columns_of_another_name_beside_a_width_t() -> None:
    x = Input(D, "n")
    assert_sound(made(x + Weight(D, T) @ tanh(Weight(T, D) @ x)))
    assert_sound(made(x + Weight(D, D) @ (x @ softmax(Weight("n", T) @ Weight(T, "n"), 0))))


def test_a_dimension_that_occurs_in_constants_only() -> None:
    assert_sound(made(h + Weight(D, D) @ (Constant(1, D, "q") @ (Constant(2, "q", D) @ h))))


def test_a_literal_single_column() -> None:
    x = Input(D, 1)
    assert_sound(made(x + Weight(D, D) @ tanh(x)))
    assert_sound(made(x + x @ Weight(1, 1)))
    assert_sound(made(x + Weight(D, 1) * Softmax(x, 1, Constant(1, D, 1))))


# Numbers of any size.


@pytest.mark.parametrize("power", [-997, -30, 27, 100])
@pytest.mark.parametrize("order", [1, 2, 3])
def test_data_of_any_size(order: int, power: int) -> None:
    path: Expression = h
    for width in [(D, D)] if order == 1 else [(K, D), *[(K, K)] * (order - 2), (D, K)]:
        path = Weight(*width) @ path
    assert_sound(made(h + path, power=power))


@pytest.mark.parametrize("exponent", [-400, 400])
def test_constants_beyond_the_floats(exponent: int) -> None:
    """They are refused in one line, or what is said of them holds: the Hessian is not zero."""
    x, y = np.random.default_rng(0).standard_normal((2, 3, 2))
    try:
        unit = ResidualUnit(h + Constant(Fraction(10) ** exponent) * (Weight(D, K) @ (Weight(K, D) @ h)))
        found = check(unit, "scaled", Setting(units=2, data=Data(x, y, "random"), sizes={"k": 2}))
    except (ArchitectureError, DataError) as error:
        is_short(error)
    else:
        assert found.reason or (found.order == 2 and found.spectrum and found.spectrum.stationary_order == 1)


# One row, one column, one entry.


@pytest.mark.parametrize("build", [
    lambda x: x + Weight(1, 1),
    lambda x: x + Weight(1, 1) @ x,
    lambda x: x + Weight(1, K) @ tanh(Weight(K, 1) @ x),
    lambda x: x + tanh(Weight(1, T)),
])  # fmt: skip
def test_cross_entropy_on_one_row(build: Callable[[Input], Expression]) -> None:
    assert_sound(made(build(Input(1)), loss=cross_entropy))
    if T not in {n for w in ResidualUnit(build(Input(1))).weights for n in w.shape}:
        narrow = made(h + Weight(D, K) @ tanh(Weight(K, D) @ h), loss=cross_entropy, sizes={"d": 1, "k": 2, "t": 2})
        assert_sound(narrow)


RELATIONS: dict[str, Callable[[], Expression]] = {
    "a scalar": lambda: h + Weight(1, 1),
    "a scalar factor": lambda: h + Weight(1, 1) * h,
    "a row": lambda: h + Weight(1, T),
    "a norm": lambda: Input(3) + layer_norm(Weight(3, T), 0, Fraction(1, 2)),
    "one row for all": lambda: h + Constant(1, D, 1) @ (Weight(1, K) @ (Weight(K, D) @ h)),
    "a matrix of ones": lambda: h + Constant(1, D, D) @ (Weight(D, K) @ Weight(K, T)),
}


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("name", RELATIONS)
def test_relations_of_the_loss(name: str, loss: str) -> None:
    """1^T g = 0 and 1^T Q = 0 of the cross-entropy."""
    assert_sound(made(RELATIONS[name](), loss=LOSSES[loss]))


def test_a_saturated_softmax() -> None:
    """g does not vanish, Q does; the rounding of what Q would be must not hide it."""
    x = h + (Weight(D, K) @ (Weight(K, D, initial=ones) @ h)) * h
    assert_sound(made(x, loss=cross_entropy, power=30, sizes={"d": 2, "k": 1}))


def test_a_softmax_over_one_entry() -> None:
    x = Input(1)
    assert_sound(made(x + (softmax(rms_norm(x, 0, Fraction(1, 10)) * Weight(1, T), 0) - 1)))
    assert_sound(made(h + Weight(D, D) @ softmax(h @ Weight(T, 1), 1)))


@pytest.mark.parametrize("value", [1, "causal"])
def test_a_mask_along_a_single_entry(value: Any) -> None:
    try:
        mask = Constant(value, T, 1)
    except ArchitectureError as error:
        is_short(error)
    else:
        assert_sound(made(h + Weight(D, 1) @ (Weight(1, D) @ h) @ softmax(Weight(T, 1), 0, mask)))
    assert_sound(made(h + softmax(Weight(D, 1), 1, Constant(1, D, 1)) @ (Weight(1, D) @ h)))


def test_a_normalisation_along_one_token() -> None:
    """On one token the branch vanishes: nothing grows with depth there."""
    sizes = {"d": 3, "t": 1}
    assert_sound(made(h + Weight(D, D) @ layer_norm(h, 1, Fraction(1, 2)), sizes=sizes))
    assert_sound(made(h + Weight(D, D) @ layer_norm(h, 1, Fraction(1, 2)), sizes=sizes, samples=1))


# What vanishes for a reason.


VANISHING: dict[str, Callable[[], Expression]] = {
    "rows of a norm of the identity": lambda: h + Weight(D, K) @ (layer_norm(identity(K), 1) @ Constant(1, K, 1)),
    "columns of it": lambda: h + Weight(D, K) @ (layer_norm(identity(K), 0) @ Constant(1, K, 1)),
    "times the stream": lambda: h + (Weight(D, K) @ (layer_norm(identity(K), 0) @ Constant(1, K, 1))) * h,
    "a sum over a norm": lambda: h + Weight(D, 1) @ (Constant(1, 1, D) @ layer_norm(h, 0, Fraction(1, 2))),
    "a norm of a sum": lambda: h + Weight(D, K) @ layer_norm(Constant(1, K, D) @ h, 0, Fraction(1, 2)),
    "a norm of a norm of a sum": lambda: (
        h + Weight(D, K) @ layer_norm(rms_norm(Constant(1, K, D) @ h, 0, Fraction(1, 10)), 0, Fraction(1, 2))
    ),
    "a difference": lambda: h + tanh(Weight(D, K)) @ (softmax(Weight(K, D), 0) - softmax(0 * Weight(K, D), 0)) @ h,
}


@pytest.mark.parametrize("name", VANISHING)
def test_a_factor_that_vanishes(name: str) -> None:
    assert_sound(made(VANISHING[name]()))


def test_an_identically_zero_branch_is_found_in_time() -> None:
    x = Input(2, 1)
    one = Constant(-1, 1, 2) @ Weight(2, 1, initial=ones)
    assert_sound(made(x + tanh(Weight(2, K) @ Weight(K, 1, initial=ones)) @ layer_norm(one, 0, Fraction(1, 2)).T))


NORMS: dict[str, Callable[[], Expression]] = {
    "of a bias": lambda: h + layer_norm(Weight(D), 0, 1),
    "of a layer": lambda: h + layer_norm(Weight(D, D) @ h, 0, Fraction(1, 2)),
    "over tokens": lambda: h + layer_norm(Weight(D, T), 1, Fraction(1, 2)),
    "without a mean": lambda: h + rms_norm(Weight(D), 0, 1),
    "of a constant": lambda: (
        h + layer_norm(Constant(1, D, 1), 1, 1) * Weight(D, T) + rms_norm(Constant(1, D, 1)) * Weight(D, T)
    ),
}


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("name", NORMS)
def test_a_norm_at_the_end_of_a_unit(name: str, loss: str) -> None:
    """A may be symmetric although its index strings are not."""
    assert_sound(made(NORMS[name](), loss=LOSSES[loss]))


@pytest.mark.parametrize("steps", [-2, -1, 1, 2, 5])
@pytest.mark.parametrize("build", [
    lambda s: h + Weight(D, K) @ (s(K) @ (Weight(K, D) @ h)),
    lambda s: h + Weight(D, D) @ h @ s(T),
    lambda s: h + s(D) @ (Weight(D, D) @ h),
    lambda s: Input(3) + s(3) @ Weight(3, T),
])  # fmt: skip
def test_a_shift_of_few_coordinates(build: Callable[[Any], Expression], steps: int) -> None:
    assert_sound(made(build(lambda size: shift(steps, size))))


@pytest.mark.parametrize(
    "block", [lambda: h + Weight(D, K) @ (shift(20, K) @ (Weight(K, D) @ h)), lambda: h + Weight(D, D) @ h @ shift(20)]
)
def test_a_shift_too_far_to_be_written_out_is_left_open(block: Callable[[], Expression]) -> None:
    case = made(block())
    found = check(case.unit, "far", Setting(units=2, data=Data(*case.data(), "random"), sizes=case.inner))
    assert found.unconfirmed
    assert all(result is None or result.verdict != "FAILED" for _, result in found.statements)
    assert not found.properties["depth-invariant"]


def test_a_shift_that_leaves_a_literal_size_is_zero() -> None:
    assert_sound(made(Input(3) + shift(20, 3) @ Weight(3, T)))


LITERAL: dict[str, Callable[[], Expression]] = {
    "linear": lambda: h + Weight(D, 2) @ (Weight(2, D) @ h),
    "tanh": lambda: h + Weight(D, 2) @ tanh(Weight(2, D) @ h),
    "softmax": lambda: h + Weight(D, 2) @ (softmax(Weight(2, D) @ h, 0) - Fraction(1, 2)),
    "norm": lambda: h + Weight(D, 2) @ layer_norm(Weight(2, 1, initial=ones), 0, 1),
    "sum": lambda: h + Weight(D, 1) @ (Constant(1, 1, 2) @ (Weight(2, D) @ h)),
    "softmax of a weight": lambda: h + softmax(Weight(D, 3), 1) @ Weight(3, T),
    "softmax of the stream's rows": lambda: Input(2) + (softmax(Weight(2, T), 0) - Fraction(1, 2)),
    "relu": lambda: Input(2) + polynomial(0, 0, Fraction(1, 2))(relu(Weight(2, K) @ Weight(K, 1))),
}


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("name", LITERAL)
def test_literal_sizes(name: str, loss: str) -> None:
    assert_sound(made(LITERAL[name](), loss=LOSSES[loss]))


@pytest.mark.parametrize("k", [2, 3])
def test_a_softmax_that_loses_its_constant_at_one_size(k: int) -> None:
    """With k = 2 the branch is of order two, at every other size of order one."""
    branch = Weight(D, K) @ (softmax(Weight(K, D) @ h, 0) - Fraction(1, 2))
    assert_sound(made(h + branch, sizes={"d": 3, "k": k, "t": 2}))


# Kinks.


def test_the_square_of_relu_is_smooth() -> None:
    w1, w2 = Weight(K, D), Weight(D, K)
    u = relu(w1 @ h)
    for branch in (w2 @ (relu(w1 @ h) * relu(w1 @ h)), w2 @ (u * u)):
        case = made(h + branch)
        assert_sound(case)
        x, y = case.data()
        found = check(case.unit, "square", Setting(units=2, data=Data(x, y, "random"), sizes=case.inner))
        assert not found.reason
        assert found.spectrum is not None
        assert found.spectrum.zero == found.parameters


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_relu_at_its_kink(depth: int) -> None:
    path = relu(Weight(K, D) @ h)
    for _ in range(depth - 1):
        path = relu(Weight(K, K) @ path)
    assert_sound(made(h + Weight(D, K) @ path))
    assert_sound(made(h + Weight(D, T) * relu(Weight(D, D) @ Weight(D, T))))


def test_relu_at_data_with_zeros() -> None:
    assert_sound(made(h + Weight(D, D) @ relu(h), zeros=True))
    assert_sound(made(h + Weight(D, K) @ (Weight(K, D) @ relu(h)), zeros=True))


@pytest.mark.parametrize("build", [
    lambda a, b, c: relu(a @ b @ c),
    lambda a, b, c: relu(a @ (b @ c)),
    lambda a, b, c: relu(a @ b) * c,
    lambda a, b, c: Weight(D, K) @ relu(b @ c),
])  # fmt: skip
def test_the_order_on_the_open_side_of_a_kink(build: Callable[..., Expression]) -> None:
    """Along half of the directions the branch vanishes; the order is that of the others."""
    branch = build(Weight(1, K), Weight(K, 1), Weight(1, T))
    assert_sound(made(h + branch))
    assert_sound(made(h + branch, units=1, samples=1, sizes={"d": 1, "k": 1, "t": 1}))


# Masks.


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("value", ["causal", 1])
def test_a_mask_over_rows_and_columns_mixes_columns(value: Any, axis: Any) -> None:
    """Or is refused, for a pattern that is not square; one of ones hides nothing."""
    try:
        unit = ResidualUnit(h + Weight(D, K) @ softmax(Weight(K, D) @ h, axis, Constant(value, K, T)))
    except ArchitectureError as error:
        is_short(error)
    else:
        assert unit.mixes_columns or (value == 1 and axis == 0)
        assert_sound(made(unit.expression))


def test_a_mask_over_positions() -> None:
    for axis in (0, 1):
        assert_sound(made(h + Weight(D, D) @ h @ softmax(h.T @ Weight(D, D) @ h, axis, causal_mask())))
        x = Input("d", "d")
        assert_sound(made(x + Weight(D, D) @ softmax(Weight(D, D) @ x, axis, causal_mask(D))))


# What the constructors refuse.


@pytest.mark.parametrize(
    "arguments", [("nonsense", D, D), ("identity", 1, 2), ("identity", 1, T), ("shift", D, D), ("shift x", D, D)]
)
def test_constants_that_are_none(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(ArchitectureError) as caught:
        _ = Constant(*arguments)
    is_short(caught.value)


@pytest.mark.parametrize("value", ["shift 1", "shift 0", "causal", "identity"])
def test_a_pattern_on_one_entry_is_refused_or_works(value: str) -> None:
    try:
        one = Constant(value, 1, 1)
    except ArchitectureError as error:
        is_short(error)
    else:
        assert_sound(made(h + Weight(D, 1) @ (one @ (Weight(1, D) @ h))))


def test_a_dimension_named_like_the_number_of_samples_is_refused_or_works() -> None:
    try:
        unit = ResidualUnit(h + Weight(D, "m") @ (Weight("m", D) @ h))
    except ArchitectureError as error:
        is_short(error)
    else:
        assert_sound(made(unit.expression, sizes={"d": 3, "m": 2}, samples=2))


# Messages, sizes.


def test_refusals_are_one_short_line() -> None:
    long = h * h
    for _ in range(6):
        long = tanh(long + h * sigmoid(long))
    assert_sound(made(long + softmax(Weight(D, D), 0, Constant(1, D, D)) @ h))


def test_a_wide_core_without_cross_terms() -> None:
    """A side above the limit for matrices on all units, below that of one core."""
    w = Weight(D, D)
    x, y = np.random.default_rng(0).standard_normal((2, 33, 20))
    found = check(ResidualUnit(h + w @ (w @ h)), "twice", Setting(units=2, data=Data(x, y, "random")))
    assert found.spectrum is not None
    assert found.spectrum.eigenvalues is not None


# One by one.


SINGLE: dict[str, Callable[[], Case]] = {
    "a bias in a literal product": lambda: made(Input(2, 2) + (Constant(1, 2, 3) + Weight(2, 1)) @ Weight(3, 2)),
    "a core of all units without A": lambda: made(Input(2, T) + Weight(2, T) + Weight(2, 1) @ Weight(1, T)),
    "eigenvalues near zero at depth": lambda: made(
        h + Weight(D, D) @ (h + Weight(D, T)), loss=cross_entropy, samples=3
    ),
    "a small modulus at depth": lambda: made(
        Weight(D, D, initial=identity_initial) @ h, loss=cross_entropy, units=3
    ),
    "a kink of what is zero": lambda: made(
        (lambda x: x + relu(layer_norm(Constant(1, 3, 1) @ Weight(1, T), 0, 1)))(Input(3, T))
    ),
    "a kink that is smoothed": lambda: made(
        (lambda w: h + Weight(D, K) @ (relu(w @ h) * (w @ h)))(Weight(K, D))
    ),
    "a mask of ones": lambda: made(
        h + (softmax(Weight(T, D), 1, Constant(1, T, D)) @ layer_norm(Weight(D, D, initial=ones), 0, 1)).T
    ),
    "a mask of halves": lambda: made(h + Weight(D, D) @ softmax(h, 0, Constant(Fraction(1, 2), D, T))),
    "a mask over a single column": lambda: made(
        (lambda x: x + Weight(D, D) @ softmax(x, 0, Constant(1, D, 1)))(Input(D, 1))
    ),
    "a single column, transposed": lambda: made((lambda x: x + x * Weight(1, 1).T)(Input(D, 1))),
    "a single entry, transposed": lambda: made(
        Weight(1, 1, initial=ones) * Input(1, 1) + Weight(1, 1).T
    ),
    "a norm along a single column": lambda: made(
        (lambda x: x + x @ (Weight(1, D) @ rms_norm(x, 1, Fraction(1, 10))))(Input(D, 1)), sizes={"d": 2}
    ),
    "a norm of a constant row": lambda: made(h + rms_norm(Constant(1, 1, "q"), 0) @ Weight("q", 1)),
    "a matrix that is symmetric at a small size": lambda: made(
        h + Weight(K, D, initial=normal("1/d")).T @ (Weight(K, 1) @ (Constant(1, 1, D) @ h))
    ),
    "a constant times a centred column": lambda: made(
        h
        + Weight(D, K)
        @ gelu(Constant(2, K, K))
        @ layer_norm(silu(Weight(K, D, initial=ones) @ h), 0, Fraction(1, 10)),
        units=3,
    ),
    "a norm of a polynomial": lambda: made(
        h
        + (Weight(D, K, initial=normal(Fraction(1, 4))) @ Weight(K, D) - Weight(D, D, initial=ones))
        @ layer_norm(
            Weight(D, 1) @ polynomial(Fraction(1, 2), 0, 0, 1)(Constant(Fraction(-3, 2), 1, D) @ h), 0, Fraction(1, 10)
        )
    ),
    "a norm of one entry as a factor": lambda: made(
        (lambda x: x + rms_norm(tanh(Weight(1, 2, initial=normal("1/2")) @ x), 0) * layer_norm(Weight(1, 2), 0, 1).T)(
            Input(2, T)
        )
    ),
    "an argument that cancels": lambda: made(
        (lambda x: x + tanh(Weight("n", D, initial=ones) + Constant(-1, "n", 1)).T)(Input(D, "n"))
    ),
    "a softmax of one literal column": lambda: made(
        (lambda x: x + Weight(2, 1) * softmax(x, 0))(Input(2, 1)), loss=cross_entropy
    ),
    "relu of a product that is shut on one side": lambda: made(
        h + relu(h * (Weight(1, D) @ h) * (Weight(D, D) @ Weight(D, 1))), units=1, samples=1, sizes={"d": 1, "t": 1}
    ),
    "a far shift": lambda: made(
        h + (shift(-5, D) @ (Weight(D, "q") @ (Weight("q", D, initial=normal("1/d")) @ h))) * Weight(D, 1)
    ),
    "a long refusal": lambda: made(
        h + layer_norm(
            Weight(1, D, initial=normal("1/d")) @ h + Constant(Fraction(1, 3), 1, D) @ h + Weight(D, 1, initial=ones),
            0, 1,
        )
    ),
    "relu of a mask": lambda: made(Weight(D, 1, initial=ones) * h + relu(causal_mask(D)) @ (Weight(D, T) * h)),
    "relu of a negative number": lambda: made(
        h + relu(Constant(1, D, K) @ Constant(-1, K, D)) @ (Weight(D, D) @ (Weight(D, D) @ h))
    ),
    "relu of a constant": lambda: made(h + relu(Constant(Fraction(-1, 3), 1, 1)) + Weight(D, D) @ h),
    "relu of a product of single entries": lambda: made(
        (lambda x: x - relu(Weight(1, 1) @ Weight(1, 1) @ Weight(1, 1)))(Input(1, 1)), units=3, samples=1
    ),
    "a norm of what is centred": lambda: made(
        h
        + Weight(D, K, initial=ones)
        @ rms_norm(layer_norm((Weight(K, D) + Weight(K, D, initial=normal("1/k"))) @ h, 0, Fraction(1, 10)), 0, 0),
        units=3, sizes={"d": 1, "t": 3, "k": 3},
    ),
    "rounding as large as any change": lambda: replace(
        made(
            (lambda x: x + x @ rms_norm(Weight(1, 1), 0, 1) + Weight(D, 1))(Input(D, 1)),
            loss=cross_entropy, sizes={"d": 1},
        ),
        power=20,
    ),
    "a softmax of a softmax": lambda: made(
        (lambda x: x + softmax(softmax(Weight(D, 1), 0) - Fraction(1, 2), 0) - Fraction(1, 2))(Input(D, 1)),
        loss=cross_entropy, units=2, samples=1, sizes={"d": 2},
    ),
    "0/0 times zero": lambda: made(
        (lambda x: x + rms_norm(
            layer_norm(Weight(1, T) @ layer_norm(Weight(T, T), 0, 0), 0, Fraction(1, 10)), 0, 1
        ))(Input(1, T)),
        loss=cross_entropy,
    ),
    "ones times what is centred, times a long series": lambda: made(
        h
        + (Constant(Fraction(1, 2), D, K) @ layer_norm(causal_mask(K), 0, 1) @ Constant(1, K, T))
        * gelu(layer_norm(softmax(Weight(D, T), 1), 1, Fraction(1, 10)))
    ),
    "a polynomial that is zero": lambda: made(
        h + polynomial(0, 2, 2)(polynomial(0, 0)(softmax(Weight(D, D) @ h, 0) - softmax(0 * (Weight(D, D) @ h), 0)))
    ),
    "one row that has a name": lambda: made(
        (lambda u: u + Weight(D, K) @ (Constant(Fraction(1, 2), K, D) @ u))(h + tanh(Weight(D, D) @ h)),
        loss=cross_entropy, sizes={"d": 1, "t": 2, "k": 2},
    ),
    "a norm of a norm": lambda: made(
        h + layer_norm(rms_norm(h + h, 0, 0), 0, 0) * (Constant(2, D, K) @ (Weight(K, D) @ h))
    ),
    "relu of a norm of a constant": lambda: made(
        Weight(D, D, initial=identity_initial) @ h
        + relu(rms_norm(Constant(Fraction(1, 3), 1, T), 1, 1))
        * ((Weight(D, K) + Weight(D, T) @ Weight(T, K, initial=normal(Fraction(1, 2)))) @ Weight(T, K).T)
    ),
    "a norm of a shift, which has a zero column": lambda: made(
        h + rms_norm(shift(1, D), 0, 0) @ tanh(Weight(D, K) @ (Weight(K, K) @ (Weight(K, D) @ h))) + Weight(D, D) @ h
    ),
    "two shifts, one after the other": lambda: made(
        (lambda x: x + shift(-2, D) @ (shift(-2, D) @ (Weight(D, 1) * Weight(D, 1) + Weight(D, T))))(h),
        loss=cross_entropy, units=1, sizes={"d": 1, "t": 1},
    ),
    "a gradient as small as the data": lambda: replace(
        made(
            h - tanh((Weight(D, D) @ (Weight(D, D) @ (Weight(D, D) @ h))) * h),
            loss=cross_entropy, sizes={"d": 2, "t": 1},
        ),
        power=-500, seed=2020302,
    ),
    "a size that constants alone have, beside a norm without epsilon": lambda: (
        lambda x: made(
            x + rms_norm(Constant(1, 2, K) @ Constant(Fraction(1, 3), K, 2), 0, Fraction(1, 10))
            @ (rms_norm(Weight(2, 2), 0, 1) @ layer_norm(x, 0, 0)),
            loss=cross_entropy, units=2, sizes={"k": 2, "t": 4},
        )
    )(Input(2, T)),
    "a running error beyond what floats hold": lambda: replace(
        (lambda x, w6: made(
            x + layer_norm(x, 0, 0) @ (Weight(T, 1) @ Weight(1, T) + Weight(T, 3) @ (w6 @ Weight(3, T)))
            + (Weight(1, 1, initial=identity_initial).T + Weight(1, 1, initial=identity_initial))
            * ((Weight(1, 3, name="R") @ Constant(1, 3, 1)) @ (Weight(1, K) @ (Weight(K, 3) @ w6) @ Weight(3, 1))),
            loss=cross_entropy, units=1, samples=3, sizes={"t": 1, "k": 1},
        ))(Input(3, T), Weight(3, 3)),
        power=-500, seed=2013786,
    ),
    "an A that is 500 powers of two below D": lambda: replace(
        made(
            (lambda x: x + (Constant(Fraction(1, 3), D, K) @ Weight(K, D, initial=normal(1))) @ ((Weight(D, D) @ x) * x)
             + Constant(2, D, 1) @ (Weight(1, 2) @ (Weight(2, D) @ x)))(Input(D, T)),
            units=2, samples=3, sizes={"d": 2, "t": 2, "k": 2},
        ),
        power=-500, seed=2007460,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SINGLE)
def test_one_by_one(name: str) -> None:
    assert_sound(SINGLE[name]())
