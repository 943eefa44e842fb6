"""Spectra against dense eigenvalues of the running network's Hessian, and zeros counted on data of known rank."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import astuple
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resproof.architectures import catalogue
from resproof.architectures.activations import generic, relu, sigmoid, softplus, tanh
from resproof.architectures.algebra import layer_norm
from resproof.architectures.errors import ArchitectureError
from resproof.architectures.losses import LOSSES, cross_entropy, squared
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import normal
from resproof.layers import conv2d
from resproof.numeric.backend import ops
from resproof.numeric.data import DataError, bind
from resproof.numeric.network.adjoint import hvp
from resproof.numeric.network.parameters import flatten, initial_weights, parameter_count, unflatten
from resproof.numeric.rounding import UNIT_ROUNDOFF
from resproof.proofs.block.ritz import exact_zeros
from resproof.proofs.block.spectrum import NoHessianError, Spectrum, spectrum
from resproof.symbolic.algebra.matrices import matrix, rank
from resproof.symbolic.index.expansion import expansion
from tests.proofs.eigenvalues import listed

SIZES = {"k": 2, "f": 4}


def gated() -> Expression:
    h, a, w = Input("d"), Weight("d", name="a"), Weight("d", "d", name="W")
    return h + a * (w @ h)


def output_bias() -> Expression:
    return catalogue.n_shortcut(2, mid=tanh) + Weight("d", name="b")


BLOCKS: dict[str, Callable[[], Expression]] = {
    "1-shortcut": lambda: catalogue.n_shortcut(1),
    "1-shortcut-tanh": lambda: catalogue.n_shortcut(1, tanh, post=tanh),
    "1-shortcut-softplus": lambda: catalogue.n_shortcut(1, softplus),
    "1-shortcut-relu": lambda: catalogue.n_shortcut(1, relu),
    "2-shortcut": lambda: catalogue.n_shortcut(2, tanh, tanh, tanh, "k"),
    "2-shortcut-relu": lambda: catalogue.n_shortcut(2, relu, tanh),
    "3-shortcut": lambda: catalogue.n_shortcut(3, tanh, tanh),
    "mid-sigmoid": lambda: catalogue.n_shortcut(2, mid=sigmoid, inner_width="k"),
    "3-mid-sigmoid": lambda: catalogue.n_shortcut(3, mid=sigmoid),
    "biased": lambda: catalogue.biased(tanh),
    "output-bias": output_bias,
    "tied": catalogue.tied,
    "gated": gated,
    "swiglu": catalogue.swiglu,
    "rezero": catalogue.rezero,
    "fixup": catalogue.fixup,
    "pre-norm": catalogue.pre_norm,
    "attention": catalogue.attention,
    "causal": lambda: catalogue.attention(causal=True),
    "transformer": catalogue.transformer,
}


def sizes_for(unit: ResidualUnit) -> dict[str, int]:
    present = {n for w in unit.weights for n in w.shape}
    return {name: n for name, n in SIZES.items() if name in present}


def sample(unit: ResidualUnit, d: int, m: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    x, y = np.random.default_rng(seed).standard_normal((2, m, d, 3) if unit.mixes_columns else (2, d, m))
    return x, y


def dense_hessian(unit: ResidualUnit, units: int, x: Any, y: Any, loss: Any, seed: int = 0) -> np.ndarray:
    """Column by column: the running network's products with all unit vectors, which go through together."""
    sizes = bind("test", unit, x, sizes_for(unit))
    weights = initial_weights(unit, units, sizes, ops(np), seed, shared=True)
    count, network = units * parameter_count(unit, sizes), Network(unit, units, loss)
    return np.asarray(flatten(unit, hvp(network, weights, unflatten(unit, np.eye(count), units, sizes), x, y)))


def assert_agrees(found: Spectrum, hessian: np.ndarray) -> None:
    """Every eigenvalue within n eps norm, and the counts add up."""
    values, expected = listed(found), np.linalg.eigvalsh(hessian)
    assert len(values) == len(expected) == found.parameters
    error = float(np.max(np.abs(values - expected)))
    bound = 16 * len(expected) * UNIT_ROUNDOFF * float(np.linalg.norm(hessian))
    assert error <= bound, f"off by {error:.3e}; expected at most {bound:.3e}"
    threshold = 16 * bound
    counts = (np.sum(expected < -threshold), np.sum(abs(expected) <= threshold), np.sum(expected > threshold))
    assert (found.negative, found.zero, found.positive) == counts
    assert found.zero_exact is not None
    assert found.zero_numerical is not None
    assert found.zero_exact + found.zero_numerical == found.zero


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("units", [1, 2, 4])
@pytest.mark.parametrize("name", BLOCKS)
def test_every_block_agrees_with_the_running_network(name: str, units: int, loss: str) -> None:
    unit = ResidualUnit(BLOCKS[name]())
    x, y = sample(unit, 3, 4)
    found = spectrum(unit, units, x, y, LOSSES[loss], sizes=sizes_for(unit))
    assert_agrees(found, dense_hessian(unit, units, x, y, LOSSES[loss]))


@settings(deadline=None, max_examples=40)
@given(
    name=st.sampled_from(sorted(BLOCKS)),
    units=st.integers(1, 3),
    d=st.integers(2, 4),
    m=st.integers(1, 4),
    kind=st.sampled_from(["general", "equal", "duplicates", "whole"]),
    loss=st.sampled_from(sorted(LOSSES)),
    seed=st.integers(0, 10**6),
)
def test_random_sizes_and_data(name: str, units: int, d: int, m: int, kind: str, loss: str, seed: int) -> None:
    unit = ResidualUnit(BLOCKS[name]())
    x, y = sample(unit, d, m, seed)
    if kind == "whole" and name not in {"pre-norm", "transformer"}:
        x, y = np.round(2 * x) + 0.5, np.round(2 * y)
    if kind == "duplicates":
        where = 0 if unit.mixes_columns else 1
        x, y = (np.concatenate([a, a], axis=where) for a in (x, y))
    if kind == "equal":
        y = x.copy()
    if name in {"pre-norm", "transformer"} and d == 2:
        return  # LayerNorm in two dimensions is a sign, and its derivative zero up to rounding of any size
    found = spectrum(unit, units, x, y, LOSSES[loss], sizes=sizes_for(unit))
    hessian = dense_hessian(unit, units, x, y, LOSSES[loss])
    values, scale = listed(found), float(np.linalg.norm(hessian)) + float(np.linalg.norm(x)) ** 2
    bound = 256 * len(values) * UNIT_ROUNDOFF * scale
    assert float(np.max(np.abs(values - np.linalg.eigvalsh(hessian)))) <= bound


# Multiplicities and zeros.


@pytest.mark.parametrize("units", [1, 7, 10**6])
def test_two_shortcut_multiplicities_are_exact(units: int) -> None:
    unit = ResidualUnit(catalogue.n_shortcut(2, inner_width="k"))
    x, y = sample(unit, 4, 9)
    found = spectrum(unit, units, x, y, sizes={"k": 3})
    assert found.eigenvalues is not None
    assert [e.multiplicity for e in found.eigenvalues] == [3 * units] * 8
    sigma = np.linalg.svd((x - y) @ x.T / 9, compute_uv=False)
    np.testing.assert_allclose([e.value for e in found.eigenvalues][4:], sigma[::-1], rtol=1e-12)
    assert [e.value for e in found.eigenvalues][:4] == [-e.value for e in found.eigenvalues][:3:-1]
    assert found.parameters == 24 * units
    assert (found.stationary_order, found.strict_saddle, found.zero) == (1, True, 0)
    assert found.condition_number == found.pseudo_condition_number == pytest.approx(sigma[0] / sigma[-1])
    assert found.core[0].rank == (4,)


def low_rank(d: int, m: int, r: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Whole X and Y for which M = (1/m) (X - Y) X^T has rank at most r, which no shape tells."""
    generator = np.random.default_rng(seed)
    x = generator.integers(-4, 5, (d, m)).astype(np.float64)
    g = generator.integers(-3, 4, (d, r)) @ generator.integers(-3, 4, (r, m))
    return x, x - g


@settings(deadline=None, max_examples=25)
@given(d=st.integers(2, 6), r=st.integers(0, 5), seed=st.integers(0, 10**6))
def test_exact_zeros_are_those_of_the_rational_rank(d: int, r: int, seed: int) -> None:
    x, y = low_rank(d, 9, min(r, d), seed)
    m = matrix([[Fraction(int(v)) for v in row] for row in ((x - y) @ x.T).tolist()])
    expected = rank(m)
    found = spectrum(ResidualUnit(catalogue.n_shortcut(2)), 5, x / 8, y / 8)
    assert (found.zero_exact, found.zero_numerical) == (2 * 5 * d * (d - expected), 0)
    assert found.core[0].rank == (expected,)
    assert found.condition_number == (
        math.inf if 0 < expected < d else None if expected == 0 else pytest.approx(found.pseudo_condition_number)
    )


@pytest.mark.parametrize("units", [1, 1000])
def test_zeros_that_floats_would_blur_are_exact(units: int) -> None:
    x = np.array([[0.1, 0.2, 0.7], [0.3, 0.6, 2.1], [1.0, 0.0, 0.5]])
    y = x - np.array([[0.1, 0.2, 0.3], [0.2, 0.4, 0.6], [0.5, 0.25, 1.0]])  # not exactly, in binary
    g = [
        [Fraction(a) - Fraction(b) for a, b in zip(*rows, strict=True)]
        for rows in zip(x.tolist(), y.tolist(), strict=True)
    ]
    columns = [[Fraction(a) for a in row] for row in x.tolist()]
    m = [[sum(a * b for a, b in zip(u, v, strict=True)) for v in columns] for u in g]
    found = spectrum(ResidualUnit(catalogue.n_shortcut(2)), units, x, y)
    assert found.core[0].rank == (rank(matrix(m)),)


@pytest.mark.parametrize(("loss", "zeros"), [(squared, 2), (cross_entropy, 2)])
def test_fewer_samples_than_the_width(loss: Any, zeros: int) -> None:
    unit = ResidualUnit(catalogue.n_shortcut(2, tanh, inner_width="k"))
    x, y = sample(unit, 5, 3)
    found = spectrum(unit, 4, x, y, loss, sizes={"k": 2})
    assert (found.zero_exact, found.zero_numerical) == (2 * zeros * 4 * 2, 0)


def test_the_declared_relation_of_cross_entropy() -> None:
    unit = ResidualUnit(catalogue.n_shortcut(2, tanh))
    x, y = sample(unit, 4, 9)
    found = spectrum(unit, 3, x, y, cross_entropy)
    assert (found.zero_exact, found.zero_numerical) == (2 * 3 * 4, 0)
    assert found.condition_number == math.inf
    values = listed(found)
    assert np.sum(values == 0.0) == found.zero  # and nothing tiny is printed
    assert min(abs(values[values != 0.0])) > 1e-4


def test_query_and_key_weights_are_null_directions() -> None:
    unit = ResidualUnit(catalogue.attention())
    x, y = sample(unit, 3, 5)
    found = spectrum(unit, 2, x, y, sizes={"k": 2})
    assert found.absent == ("Q", "K")
    assert found.zero_exact == 2 * (2 * 2 * 3)
    few = spectrum(unit, 2, x[:2], y[:2], sizes={"k": 2})  # rank at most the number of sequences
    assert few.zero_exact == 2 * (2 * 2 * 3) + 2 * 2 * 3


# The order on these data.


def test_equal_targets_raise_the_order() -> None:
    unit = ResidualUnit(catalogue.n_shortcut(2))
    x, _ = sample(unit, 3, 5)
    found = spectrum(unit, 4, x, x)
    assert found.stationary_order == 3
    assert found.eigenvalues is not None
    assert [(e.value, e.multiplicity) for e in found.eigenvalues] == [(0.0, 4 * 18)]
    assert (found.zero_exact, found.condition_number, found.pseudo_condition_number) == (72, None, None)
    assert found.strict_saddle is False


@pytest.mark.parametrize(
    ("expression", "order"),
    [
        (catalogue.n_shortcut(1), 0),
        (catalogue.n_shortcut(2, tanh, tanh, tanh), 1),
        (catalogue.n_shortcut(3), 2),
        (catalogue.n_shortcut(4), 3),
        (catalogue.n_shortcut(7), 6),
        (catalogue.n_shortcut(2, mid=sigmoid), 0),
        (catalogue.swiglu(), 2),
    ],
)
def test_orders(expression: Expression, order: int) -> None:
    unit = ResidualUnit(expression)
    x, y = sample(unit, 3, 5)
    found = spectrum(unit, 2, x, y, sizes=sizes_for(unit))
    assert found.stationary_order == order


@pytest.mark.parametrize(("depth", "order"), [(1, 1), (2, 3), (3, 5), (4, 7)])
def test_orders_with_equal_targets(depth: int, order: int) -> None:
    unit = ResidualUnit(catalogue.n_shortcut(depth))
    x, _ = sample(unit, 3, 5)
    assert spectrum(unit, 2, x, x).stationary_order == order


def test_nothing_moves_where_the_data_are_zero() -> None:
    x = np.zeros((3, 2))
    found = spectrum(ResidualUnit(catalogue.n_shortcut(2)), 2, x, x + 1.0)
    assert found.stationary_order == ">=4"
    assert found.zero_exact == found.parameters == 36


def test_a_that_vanishes_is_seen() -> None:
    # d = 1, T = 2 S: A = 0 and H = S I at every depth.
    x = np.array([[1.0, -2.0, 0.5]])
    found = spectrum(ResidualUnit(catalogue.n_shortcut(1)), 10**6, x, 2.0 * x)
    assert found.eigenvalues is not None
    assert [(e.value, e.multiplicity) for e in found.eigenvalues] == [(pytest.approx(5.25 / 3), 10**6)]
    assert found.condition_number == 1.0
    assert "A vanishes" in found.notes[0]


def test_order_one_beyond_the_dense_limit() -> None:
    unit = ResidualUnit(catalogue.n_shortcut(1))
    x, y = sample(unit, 3, 5)
    found = spectrum(unit, 1000, x, y)
    assert found.eigenvalues is None
    assert found.extremes is not None
    assert found.extremes.smallest_modulus is not None
    assert found.extremes.smallest < 0.0 < found.extremes.smallest_modulus < found.extremes.largest
    assert sum(count or 0 for count in (found.negative, found.zero, found.positive)) == 9000
    assert found.stationary_order == 0
    assert found.strict_saddle is False
    assert "9000 eigenvalues of W1 are counted" in found.notes[0]
    alone = spectrum(ResidualUnit(catalogue.n_shortcut(1)), 1, *sample(unit, 120, 5))  # one unit needs no A
    assert alone.core[0].shape == (120, 120)
    assert alone.core[0].multiplicity == 120


def two_kinds() -> Expression:
    """Of order one in a and in W, of order two in U and V: one core joins all units, two do not."""
    h, a, w, u, v = Input("d"), Weight("d"), Weight("d", "d"), Weight("d", "d"), Weight("d", "d")
    return h + (a * h + w @ h) + v @ tanh(u @ h)


@pytest.mark.parametrize(
    ("block", "dense"),
    [
        (catalogue.n_shortcut(1), 20),
        (catalogue.fixup(), 20),
        (catalogue.pre_norm(), 2),
        (two_kinds(), 2),
        (catalogue.biased(softplus), 2),
    ],
    ids=["linear", "fixup", "pre-norm", "two-kinds", "biased"],
)
@pytest.mark.parametrize("formed", [True, False])
def test_what_is_too_wide_is_told_by_ritz_values_and_true_ranges(
    block: Expression, dense: int, formed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By products with D and A, or of the running network where these are too large."""
    _through(formed, monkeypatch)
    unit = ResidualUnit(block)
    x, y = sample(unit, 3, 12)
    plain = spectrum(unit, 6, x, y, sizes=sizes_for(unit))
    monkeypatch.setattr("resproof.proofs.block.spectrum.DENSE", dense)
    monkeypatch.setattr("resproof.proofs.block.spectrum.WIDEST", 2)
    found = spectrum(unit, 6, x, y, sizes=sizes_for(unit))
    assert found.eigenvalues is found.negative is found.zero is found.positive is None
    values = np.linalg.eigvalsh(dense_hessian(unit, 6, x, y, squared))
    size = float(np.abs(values).max())
    assert found.extremes is not None
    assert found.ranges is not None
    assert plain.ranges is None
    (least, most), (low, high) = found.ranges.largest, found.ranges.smallest
    assert least <= values[-1] + 1e-12 * size
    assert values[0] - 1e-12 * size <= high
    assert (most is None) == (low is None) == (dense == 2)  # bounds from D and A, where these were formed
    assert most is None or values[-1] <= most
    assert low is None or low <= values[0]
    for ritz, near in zip((found.extremes.largest, found.extremes.smallest), found.ranges.nearest, strict=True):
        assert np.abs(values - ritz).min() <= near + 1e-12 * size
    assert np.abs(values).min() <= found.ranges.smallest_modulus[1] + 1e-12 * size
    assert (found.zero_exact or 0) <= (plain.zero or 0)
    assert found.condition_number in {None, plain.condition_number}
    assert found.strict_saddle in {None, plain.strict_saddle}
    assert found.stationary_order == plain.stationary_order
    assert any("Ritz values" in note and "is not proved" in note for note in found.notes)
    assert any(("with D and A" if formed else "of the running network") in note for note in found.notes)


def _through(formed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not formed:
        monkeypatch.setattr("resproof.numeric.spectra.weight_pairs.MOST_FORMED", 0)


@pytest.mark.parametrize("formed", [True, False])
def test_through_the_first_units_of_a_network_that_is_too_deep(formed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    _through(formed, monkeypatch)
    unit = ResidualUnit(catalogue.n_shortcut(1))
    x, y = sample(unit, 3, 12)
    monkeypatch.setattr("resproof.proofs.block.spectrum.DENSE", 20)
    monkeypatch.setattr("resproof.proofs.block.spectrum.WIDEST", 2)
    monkeypatch.setattr(f"resproof.proofs.block.ritz.LARGEST{'_FORMED' * formed}", 36)
    found = spectrum(unit, 12, x, y)
    values = np.linalg.eigvalsh(dense_hessian(unit, 12, x, y, squared))
    inside = np.linalg.eigvalsh(dense_hessian(unit, 4, x, y, squared))
    assert found.extremes is not None
    assert found.ranges is not None
    assert found.extremes.largest == pytest.approx(inside[-1], rel=1e-6)
    assert found.ranges.largest[0] <= values[-1]
    assert found.ranges.largest[1] is not None
    assert values[-1] <= found.ranges.largest[1]
    assert "of the first 4 units" in found.notes[-1]


def test_zeros_by_sizes_alone() -> None:
    """V is joined to W alone, and in D alone: with V wider than W the difference is null, in every unit."""
    unit = ResidualUnit(catalogue.fixup())
    x, y = sample(unit, 3, 12)
    sizes = {"k": 2}
    (core,) = expansion(unit, squared).cores.cores
    assert core.cross
    bound = exact_zeros(core, bind("spectrum", unit, x, sizes), 5)
    values = np.linalg.eigvalsh(dense_hessian(unit, 5, x, y, squared))
    assert bound <= np.count_nonzero(np.abs(values) < 1e-12 * np.abs(values).max())


def test_random_initial_weights_are_shared_and_said_to_be() -> None:
    unit = ResidualUnit(catalogue.fixup())
    x, y = sample(unit, 3, 5)
    one, other = (spectrum(unit, 2, x, y, sizes={"k": 2}, seed=seed) for seed in (0, 1))
    assert listed(one).tolist() != listed(other).tolist()
    assert "once for all units" in one.notes[0]


# What does not exist, and what is wrong.


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        (catalogue.n_shortcut(2, mid=relu), r"relu has no derivative at 0.*relu\(W1 @ h\)"),
        (catalogue.n_shortcut(2, post=sigmoid), r"sigmoid\(W2 @ \(W1 @ h\)\) is 1/2, not 0"),
        (catalogue.n_shortcut(1, post=relu), r"relu\(W1 @ h\)"),
    ],
)
def test_no_hessian(expression: Expression, message: str) -> None:
    unit = ResidualUnit(expression)
    with pytest.raises(NoHessianError, match=message):
        spectrum(unit, 2, *sample(unit, 3, 5))


def test_a_kink_at_the_data_matters_only_where_its_derivative_does() -> None:
    one, two = (ResidualUnit(catalogue.n_shortcut(n, relu)) for n in (1, 2))
    x, y = np.array([[0.0, 1.0], [2.0, -1.0]]), np.array([[1.0, 0.0], [0.0, 0.5]])
    with pytest.raises(NoHessianError, match=r"argument of relu\(h\) is 0 at some of the data"):
        spectrum(one, 2, x, y)
    assert_agrees(spectrum(one, 1, x, y), dense_hessian(one, 1, x, y, squared))
    assert_agrees(spectrum(two, 2, x, y), dense_hessian(two, 2, x, y, squared))
    assert spectrum(one, 2, x, x).stationary_order == 1  # no residual, no second derivative of the path


def test_bad_input() -> None:
    unit = ResidualUnit(catalogue.n_shortcut(2, inner_width="k"))
    x, y = sample(unit, 3, 5)
    with pytest.raises(DataError, match="dimension k has no size"):
        spectrum(unit, 2, x, y)
    with pytest.raises(DataError, match="shape"):
        spectrum(unit, 2, x, y[:, 1:], sizes={"k": 2})
    with pytest.raises(ArchitectureError, match="units is 0"):
        spectrum(unit, 0, x, y, sizes={"k": 2})
    with pytest.raises(ArchitectureError, match="has no weights"):
        spectrum(ResidualUnit(Input("d")), 1, x, y)
    with pytest.raises((DataError, ArchitectureError), match=r"f'\(0\)|generic"):
        spectrum(ResidualUnit(catalogue.n_shortcut(2, mid=generic("f"))), 2, x, y)


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e8, 1e160, 1e300])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_data_of_any_size(n: int, scale: float) -> None:
    """A power of two would change nothing at all; eigenvalues that floats do not hold are left out, and said to be."""
    unit = ResidualUnit(catalogue.n_shortcut(n))
    x, y = sample(unit, 3, 5)
    plain, found = (spectrum(unit, 3, s * x, s * y) for s in (1.0, scale))
    same = ("stationary_order", "negative", "zero", "positive", "zero_exact", "strict_saddle")
    assert [getattr(found, name) for name in same] == [getattr(plain, name) for name in same]
    assert plain.condition_number == (None if n == 3 else pytest.approx(found.condition_number, rel=1e-12))
    if n == 3:
        assert found.eigenvalues == plain.eigenvalues
    elif 1e-150 < scale < 1e150:
        assert found.extremes is not None
        assert plain.extremes is not None
        assert found.extremes.largest == pytest.approx(scale**2 * plain.extremes.largest)
    else:
        assert found.eigenvalues is None
        assert found.extremes is None
        assert "beyond floats" in found.notes[-1]


def test_a_constant_column_has_no_layer_norm() -> None:
    h, w1, w2 = Input("d"), Weight("d", "d"), Weight("d", "d")
    x, y = np.ones((3, 2)), np.zeros((3, 2))
    with pytest.raises(NoHessianError, match="layer_norm"):
        spectrum(ResidualUnit(h + w2 @ (w1 @ layer_norm(h))), 2, x, y)


@pytest.mark.parametrize(
    "block",
    [catalogue.n_shortcut(1), catalogue.n_shortcut(1, tanh), catalogue.biased(softplus)],
    ids=["linear", "tanh", "biased"],
)
def test_extremes_by_counting_are_those_of_the_dense_matrix(block: Expression, monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(5)
    x, y = generator.normal(size=(2, 3, 12))
    dense = spectrum(ResidualUnit(block), 12, x, y)
    monkeypatch.setattr("resproof.proofs.block.spectrum.DENSE", 60)
    counted = spectrum(ResidualUnit(block), 12, x, y)
    assert counted.eigenvalues is None
    assert (counted.negative, counted.zero, counted.positive) == (dense.negative, dense.zero, dense.positive)
    assert dense.extremes is not None
    assert counted.extremes is not None
    for one, other in zip(astuple(counted.extremes), astuple(dense.extremes), strict=True):
        assert abs(one - other) <= 1e-8 * dense.extremes.largest


def _of_images() -> Spectrum:
    h, f, g = Input("c", "y", "x"), Weight("f", "c", 3, 3, initial=normal("1/9")), Weight("c", "f", 3, 3)
    unit = ResidualUnit(h + conv2d(tanh(conv2d(h, f)), g), {f: "F", g: "G"})
    x, y = np.random.default_rng(2).standard_normal((2, 3, 2, 2, 3))
    return spectrum(unit, 2, x, y, sizes={"f": 2})


def _of_wide_images(monkeypatch: pytest.MonkeyPatch) -> Spectrum:
    """The same by the way of what is too wide."""
    monkeypatch.setattr("resproof.proofs.block.spectrum.DENSE", 2)
    monkeypatch.setattr("resproof.proofs.block.spectrum.WIDEST", 2)
    return _of_images()


@pytest.mark.parametrize("formed", [True, False])
def test_what_is_too_wide_on_images_runs_on_the_images(formed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    _through(formed, monkeypatch)
    # Of an eigenvalue of 2e-8 beside 14 no number of steps comes close; a few give a range that holds it as well.
    monkeypatch.setattr("resproof.numeric.spectra.lanczos.STEPS", 20)
    plain, found = _of_images(), _of_wide_images(monkeypatch)
    assert plain.extremes is not None
    assert plain.extremes.smallest_modulus is not None
    assert found.extremes is not None
    assert found.ranges is not None
    assert found.ranges.largest[0] <= plain.extremes.largest * (1 + 1e-12)
    assert found.ranges.smallest_modulus[0] <= plain.extremes.smallest_modulus <= found.ranges.smallest_modulus[1]
    assert found.extremes.largest == pytest.approx(plain.extremes.largest, rel=1e-6)
    assert found.extremes.smallest == pytest.approx(plain.extremes.smallest, rel=1e-6)


@pytest.mark.parametrize("formed", [True, False])
def test_few_products_of_a_network_that_is_dear(formed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = _of_images()
    _through(formed, monkeypatch)
    monkeypatch.setattr(f"resproof.proofs.block.ritz.WORK{'_FORMED' * formed}", 1)
    found = _of_wide_images(monkeypatch)
    assert plain.extremes is not None
    assert found.ranges is not None
    assert found.extremes is not None
    assert found.extremes.smallest_modulus is None  # the end near zero takes many products
    assert found.ranges.largest[0] <= plain.extremes.largest * (1 + 1e-12)
    assert plain.extremes.smallest <= found.ranges.smallest[1] + 1e-12


def test_a_norm_of_scale_zero_on_images_is_looked_for_on_images() -> None:
    h, v = Input("c", "y", "x"), Weight("c", "c", 1, 1)
    with pytest.raises(NoHessianError, match="scale 0"):
        _ = spectrum(
            ResidualUnit(h + conv2d(layer_norm(h, epsilon=0, axis=0), v), {v: "V"}),
            1,
            np.ones((2, 2, 3, 3)),
            np.zeros((2, 2, 3, 3)),
        )
    draw = np.random.default_rng(0)
    x, y = draw.standard_normal((2, 2, 3, 2, 2))
    unit = ResidualUnit(h + conv2d(layer_norm(h, epsilon=0, axis=0), v), {v: "V"})
    assert spectrum(unit, 1, x, y).parameters == 9


def test_null_directions_of_a_deep_core_are_counted_exactly() -> None:
    # Equal rows of X: one direction of the W = a (e_1 - e_2)^T, which map X to zero, keeps clear of the gradient too.
    x = np.array([[1.0, 2.0, -1.0], [1.0, 2.0, -1.0], [0.5, -3.0, 2.0]])
    y = x + np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0], [2.0, 1.0, 0.0]])
    for units in (4, 9):
        whole, deep = (spectrum(ResidualUnit(catalogue.n_shortcut(1)), units, x, y, dense=most) for most in (None, 2))
        assert deep.zero_exact == units
        assert whole.zero_exact is not None
        assert units <= whole.zero_exact
        assert whole.condition_number == deep.condition_number == math.inf


@pytest.mark.parametrize(("size", "resolved"), [(1e6, True), (1e7, False), (1e8, False)])
def test_what_is_below_rounding_is_not_called_zero(size: float, resolved: bool) -> None:
    x = np.array([[size, -size, 0.0, 0.0], [0.0, 0.0, 1.0, -1.0]])
    found = spectrum(ResidualUnit(catalogue.n_shortcut(2)), 2, x, 2 * x)
    assert found.zero_exact == 0
    assert (found.zero == 0) is (found.zero_numerical == 0) is resolved
    assert found.condition_number == (pytest.approx(size**2) if resolved else None)


def test_one_eigenvalue_beyond_floats_takes_the_others_with_it() -> None:
    h, w = Input("d"), Weight("d", "d")
    found = spectrum(ResidualUnit(h + w @ h), 1, np.diag([1e155, 1.0]), np.zeros((2, 2)))
    assert (found.eigenvalues, found.extremes) == (None, None)
    assert "the eigenvalues, about 10^310, lie beyond floats" in found.notes[-1]
