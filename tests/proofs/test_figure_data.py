"""The numbers of the report's figures: by closed forms, by decompositions of the matrices themselves, and by bounds."""

from functools import cache

import numpy as np
import pytest

from resproof.proofs.figures import Figures, figure_data
from resproof.proofs.rethinking_skips.random_layers import gaussian_layers
from resproof.proofs.statement import Context, Data


def own_data(x: np.ndarray, y: np.ndarray) -> Context:
    return Context(load=lambda: Data(x, y, "own"))


RANDOM = own_data(*np.random.default_rng(0).normal(size=(2, 2, 5)))


@pytest.fixture(scope="module", autouse=True)
def digits(small_figures: None) -> Figures:
    """On the digits, at small depths."""
    return figure_data(Context())


@cache
def of_random() -> Figures:
    """Made of random numbers."""
    return figure_data(RANDOM)


def test_blocks_are_those_of_theorem_2() -> None:
    first, second, third = of_random().blocks
    assert [len(one.rows) for one in (first, second, third)] == [12, 24, 36]
    nonzero = np.array([[entry != "0" for entry in row.split()] for row in second.rows])
    pairs = np.kron(np.eye(3), np.kron([[0, 1], [1, 0]], np.ones((4, 4)))) > 0
    assert nonzero.any()
    assert not (nonzero & ~pairs).any()
    assert {entry for row in third.rows for entry in row.split()} == {"0"}
    assert "0" not in {first.rows[0].split()[4], first.rows[8].split()[0]}


def test_spectra_against_the_singular_values() -> None:
    data = RANDOM.data
    found = of_random()
    first, second = found.spectra
    singular = np.linalg.svd((data.X - data.Y) @ data.X.T / 5)[1]
    assert [one.multiplicity for one in second.values] == [second.units * 2] * 4
    np.testing.assert_allclose(
        [one.value for one in second.values], [-singular[0], -singular[1], singular[1], singular[0]], rtol=1e-5
    )
    assert sum(one.multiplicity for one in first.values) == first.units * 4
    values = [point.value for point in found.condition_numbers[1].points if point.value]
    assert len(values) == len(found.condition_numbers[1].points) > 1
    np.testing.assert_allclose(values, singular[0] / singular[1], rtol=1e-5)


def test_the_loss_near_zero_begins_as_theorem_2_says() -> None:
    data = RANDOM.data
    gradient = (data.X - data.Y) @ data.X.T / 5
    length = np.linalg.norm(gradient)

    def loss(layers: np.ndarray, units: int) -> float:
        output = np.linalg.matrix_power(np.eye(2) + layers, units) @ data.X
        return float(np.sum((output - data.Y) ** 2) / 10)

    slices = of_random().slices
    assert [one.n for one in slices] == [1, 2, 3]
    for one in slices:
        assert one.coefficient == pytest.approx(one.units * length, rel=1e-5)
        start = loss(np.zeros((2, 2)), one.units)
        for sign, values in ((-1, one.falling), (1, one.rising)):
            expected = [loss(sign * t**one.n * gradient / length, one.units) - start for t in one.steps]
            assert values == pytest.approx(expected, rel=1e-5, abs=1e-12)
            before, at, after = values[len(values) // 2 - 1 : len(values) // 2 + 2]
            step = one.steps[len(values) // 2 + 1]
            leading = (after + (-1) ** one.n * before) / 2 / step**one.n
            assert at == 0
            assert leading == pytest.approx(sign * one.coefficient, rel=0.1)


def test_without_a_slope_there_is_no_line_to_follow() -> None:
    assert figure_data(own_data(np.ones((2, 3)), np.ones((2, 3)))).slices == ()


def test_errors_are_below_their_bounds() -> None:
    points = [point for one in of_random().errors for point in one.points]
    assert points
    assert all(point.error <= point.bound for point in points)


def test_norms_are_below_the_bound_and_fall_like_the_root(digits: Figures) -> None:
    random, fitted = digits.norms
    assert (random.width, random.samples, fitted.width, fitted.samples) == (3, 4, 10, 8)
    for one in (random, fitted):
        assert all(0 < point.norm <= point.bound for point in one.points)
        assert one.slope is not None
        assert abs(one.slope + 0.5) < 0.1
        first, last = one.points[0], one.points[-1]
        assert first.bound / last.bound == pytest.approx((last.units / first.units) ** 0.5, rel=1e-4)


def test_data_too_narrow_for_theorem_1() -> None:
    assert [one.width for one in of_random().norms] == [3]


def test_the_path_on_the_sphere_keeps_its_distance(digits: Figures) -> None:
    sphere = digits.sphere
    assert sphere
    assert sphere.great_arc_length < sphere.length < sphere.bound
    assert sphere.nearest >= sphere.rho / 2
    path, arc, obstacles = (
        np.array([[float(value) for value in row.split()] for row in curve])
        for curve in (sphere.path, sphere.great_arc, sphere.obstacles)
    )
    np.testing.assert_allclose(np.linalg.norm(path, axis=0), 1.0, atol=1e-4)
    np.testing.assert_allclose(path[:, [0, -1]], arc[:, [0, -1]])
    assert obstacles.shape == (3, len(sphere.circles))
    distances = np.linalg.norm(arc[:, :, None] - obstacles[:, None, :], axis=0)
    assert distances.min() < sphere.rho / 4


def test_deep_condition_numbers_against_dense_ones_and_the_bound(digits: Figures) -> None:
    dense = of_random()
    for deep, shallow in zip(dense.deep_condition_numbers, dense.condition_numbers, strict=True):
        known = {point.units: point.value for point in shallow.points}
        common = [point for point in deep.points if point.units in known]
        assert len(common) == 2
        assert [point.value for point in common] == pytest.approx([known[point.units] for point in common], rel=1e-4)
    first, second = digits.deep_condition_numbers
    assert [point.bound is None for point in first.points] == [True, False, False, False]
    assert all(point.value and point.bound and point.bound <= point.value for point in first.points[1:])
    assert len({point.value for point in second.points}) == 1
    assert all(point.bound is None for point in second.points)


def test_hidden_representations_against_decompositions_and_the_prediction(digits: Figures) -> None:
    """Where a product still fits into double precision, its own singular values say the same."""
    curves = {(one.kind, one.scale): one for one in digits.hidden}
    assert set(curves) == {("plain", 1.0), ("residual", 0.3), ("residual", 0.1), ("residual", 0.03), ("residual", None)}
    x, depth = np.asarray(Context().data.X), digits.hidden[0].points[-1].depth
    for one in curves.values():
        assert all(abs(p.measured - p.predicted) <= one.band + 1e-4 for p in one.points)
        if one.scale is not None:
            layers = next(gaussian_layers(depth, len(x), 0, scale=one.scale, shortcut=one.kind == "residual"))
            values = np.linalg.svd(layers[2] @ layers[1] @ layers[0] @ x, compute_uv=False)
            (third,) = [p.measured for p in one.points if p.depth == 3]
            assert third == pytest.approx(np.log10(values[0] / values[-1]), rel=1e-5)
    assert 10 ** curves["residual", None].points[-1].measured == pytest.approx(np.e**2, rel=1e-3)
    assert curves["plain", 1.0].points[-1].measured > 50 > 10 > curves["residual", 0.1].points[-1].measured


def test_data_without_full_row_rank_have_no_hidden_curve() -> None:
    assert figure_data(own_data(np.ones((2, 3)), np.zeros((2, 3)))).hidden == ()
    assert len(of_random().hidden) == 5


def test_most_eigenvalues_stay_small(digits: Figures) -> None:
    growth = digits.growth
    assert growth
    for one, share in zip(growth.spectra, growth.shares, strict=True):
        assert sum(value.multiplicity for value in one.values) == one.units * growth.width**2
        assert share * one.units >= one.units // 2
    greatest = [one.values[-1].value for one in growth.spectra]
    assert greatest[-1] > 2 * growth.edge > 0
    assert greatest == sorted(greatest)
