"""Bad input is a table: every check is seen passing and failing."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import array_api_strict
import numpy as np
import pytest

from resproof.architectures.algebra import softmax
from resproof.architectures.catalogue import attention, n_shortcut
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.data import DataError, bind, check_array, check_data, samples_first, slots
from resproof.numeric.network.adjoint import gradient, hvp, value

PLAIN, TOKENS = ResidualUnit(n_shortcut(2)), ResidualUnit(attention())
GOOD = np.ones((3, 7))
h7 = Input(7)

BAD_DATA = [
    (PLAIN, GOOD, np.ones((3, 6)), r"f: X has shape \(3, 7\), Y has shape \(3, 6\); expected equal shapes"),
    (PLAIN, np.ones(3), np.ones(3), r"f: X has shape \(3,\); expected \(d, m\): the columns are samples"),
    (PLAIN, np.ones((2, 3, 4)), np.ones((2, 3, 4)), r"f: X has shape \(2, 3, 4\); expected \(d, m\)"),
    (PLAIN, np.ones((3, 0)), np.ones((3, 0)), "at least one sample and no empty dimension"),
    (PLAIN, np.ones((0, 3)), np.ones((0, 3)), "at least one sample and no empty dimension"),
    (TOKENS, GOOD, GOOD, r"f: X has shape \(3, 7\); expected \(m, d, t\): the unit mixes columns, which are tokens"),
    (PLAIN, np.array([[np.nan]]), np.ones((1, 1)), "f: X has entries that are not finite"),
    (PLAIN, np.ones((1, 1)), np.array([[np.inf]]), "f: Y has entries that are not finite"),
    (
        PLAIN,
        np.array([[1, Fraction(1, 2)]], dtype=object),
        GOOD,
        "f: X has entries of type object; expected real numbers",
    ),
    (PLAIN, [[1, Fraction(1, 2)]], GOOD, "f: X has entries of type object; expected real numbers"),
    (PLAIN, GOOD + 1j, GOOD, "f: X has entries of type complex128; expected real numbers"),
    (PLAIN, np.array([["a"]]), GOOD, "f: X has entries of type .*; expected real numbers"),
    (PLAIN, [[1.0, 2.0], [3.0]], GOOD, "f: X has rows of unequal lengths; expected an array"),
    (PLAIN, "data", GOOD, "f: X is a str; expected an array"),
    (PLAIN, None, GOOD, "f: X is a NoneType; expected an array"),
    (PLAIN, GOOD, array_api_strict.ones((3, 7)), "expected arrays of one library"),
]


@pytest.mark.parametrize(("unit", "x", "y", "message"), BAD_DATA)
def test_bad_data_is_refused_in_one_line(unit: ResidualUnit, x: Any, y: Any, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        check_data("f", unit, x, y)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("x", [GOOD, GOOD.astype(int), GOOD.astype(np.float32), GOOD.astype(bool), GOOD.tolist()])
def test_good_data_becomes_float64(x: Any) -> None:
    for array in check_data("f", PLAIN, x, x):
        assert array.dtype == np.float64
        np.testing.assert_array_equal(array, GOOD)


def test_tokens_are_three_dimensional_and_the_sample_goes_last() -> None:
    x = np.arange(24.0).reshape(2, 3, 4)
    checked, _ = check_data("f", TOKENS, x, x)
    assert samples_first(TOKENS, checked) == 2
    assert slots(checked).shape == (3, 4, 2)
    assert slots(checked)[2, 1, 0] == x[0, 2, 1]
    assert samples_first(PLAIN, GOOD) == 7


def test_names_get_their_sizes() -> None:
    assert bind("f", TOKENS, np.ones((2, 3, 4)), {"k": 5}) == {"m": 2, "d": 3, "t": 4, "k": 5}
    assert bind("f", PLAIN, GOOD) == {"m": 7, "d": 3}


BAD_SIZES = [
    (TOKENS, np.ones((2, 3, 4)), {}, "f: the dimension k has no size; expected one for each of the inner widths"),
    (TOKENS, np.ones((2, 3, 4)), {"k": 0}, "f: the size of k is 0; expected a positive int"),
    (TOKENS, np.ones((2, 3, 4)), {"k": True}, "f: the size of k is True; expected a positive int"),
    (TOKENS, np.ones((2, 3, 4)), {"k": 2.5}, "f: the size of k is 2.5; expected a positive int"),
    (PLAIN, GOOD, {"d": 4}, "f: the dimension d is 4 here and 3 elsewhere; expected one size"),
    (PLAIN, GOOD, {"m": 4}, "f: the dimension m is 4 here and 7 elsewhere; expected one size"),
    (PLAIN, GOOD, {"a*b": 7, "a": 2, "b": 3}, "f: the dimension a.b is 7 here and 6 elsewhere; expected one size"),
    (ResidualUnit(n_shortcut(2, width=5)), GOOD, {}, "f: the dimension 5 is 3 here and 5"),
    (
        ResidualUnit(n_shortcut(2, width=7)),
        GOOD,
        {},
        "f: X of shape .3, 7. is samples x features for width 7; expected features x samples: X.T and Y.T",
    ),
    (
        ResidualUnit(h7 + Weight(7, 7) @ h7 @ softmax(h7.T @ h7, axis=0)),
        np.ones((2, 3, 7)),
        {},
        "f: X of shape .2, 3, 7. is batch x tokens x width for width 7; expected batch x width x tokens: X.swapaxes",
    ),
]


@pytest.mark.parametrize(("unit", "x", "sizes", "message"), BAD_SIZES)
def test_bad_sizes_are_refused(unit: ResidualUnit, x: Any, sizes: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        bind("f", unit, x, sizes)


W = {"W1": np.zeros((2, 3, 3)), "W2": np.zeros((2, 3, 3))}
BAD_WEIGHTS = [
    ({"W1": W["W1"]}, "value: weights are W1; expected W1, W2"),
    ({**W, "W3": W["W1"]}, "value: weights are W1, W2, W3; expected W1, W2"),
    ({"W1": W["W1"][:1], "W2": W["W2"][:1]}, r"expected \(2, rows, columns\)"),
    ({"W1": W["W1"][0], "W2": W["W2"][0]}, r"expected \(2, rows, columns\)"),
    ({"W1": W["W1"], "W2": np.zeros((2, 3, 4))}, "weights: W2 has 4 for the dimension d; expected 3"),
    ({"W1": np.zeros((2, 4, 4)), "W2": np.zeros((2, 4, 4))}, "value: the dimension d is 4 here and 3 elsewhere"),
    ({"W1": W["W1"] * np.nan, "W2": W["W2"]}, "value: W1 has entries that are not finite"),
]


@pytest.mark.parametrize(("weights", "message"), BAD_WEIGHTS)
def test_bad_weights_are_refused(weights: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        value(Network(PLAIN, 2), weights, GOOD, GOOD)
    assert value(Network(PLAIN, 2), W, GOOD, GOOD) == 0.0


def test_bad_tangents_are_refused() -> None:
    network = Network(PLAIN, 2)
    with pytest.raises(DataError, match=r"hvp: the tangent of W1 has shape \(2, 3, 4\); expected \(2, 3, 3\)"):
        hvp(network, W, {"W1": np.zeros((2, 3, 4)), "W2": W["W2"]}, GOOD, GOOD)
    with pytest.raises(DataError, match="hvp: weights are W1; expected W1, W2"):
        hvp(network, W, {"W1": W["W1"]}, GOOD, GOOD)
    with pytest.raises(DataError, match="gradient: X has shape"):
        gradient(network, W, np.ones(3), np.ones(3))


def test_the_argument_is_named() -> None:
    with pytest.raises(DataError, match="spectrum: T has entries of type"):
        check_array("spectrum", "T", np.array([["a"]]))
