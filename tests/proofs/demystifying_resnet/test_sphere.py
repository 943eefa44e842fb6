"""Paths on the sphere and the network that follows them, edges first, then points of every kind."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from resproof.numeric.backend import Ops, ops
from resproof.numeric.rounding import gamma
from resproof.proofs.demystifying_resnet.moving_network import (
    apply,
    fitted_slope,
    moving_unit,
    norm_bound,
    norm_spread,
    output_bound,
    plan,
    run,
)
from resproof.proofs.demystifying_resnet.sphere import (
    Path,
    PathError,
    boundary_radius,
    cap_radius,
    length_bound,
    minimum_distance,
    picture,
    shortest_path,
)

Array = NDArray[np.float64]
NUMPY = ops(np)
NONE = np.empty((3, 0))
AXES = np.eye(3)
POINT_ERROR = 4.0 * gamma(40)


def unit(*entries: float) -> Array:
    vector = np.array(entries)
    return vector / np.linalg.norm(vector)


def columns(*points: Array) -> Array:
    return np.stack(points, axis=1)


def random_points(seed: int, d: int, count: int) -> Array:
    points = np.random.default_rng(seed).normal(size=(d, count))
    return points / np.linalg.norm(points, axis=0)


def check_path(path: Path, obstacles: Array, rho: float, steps: int = 500) -> None:
    """Unit points from the start to the end, all at least rho/2 from the obstacles, chords and length as bounded."""
    points = path.points(steps)
    np.testing.assert_array_equal(points[:, 0], path.start)
    np.testing.assert_array_equal(points[:, -1], path.end)
    assert np.abs(np.linalg.norm(points, axis=0) - 1.0).max() <= POINT_ERROR
    for p in obstacles.T:
        assert np.linalg.norm(points - p[:, None], axis=0).min() >= rho / 2
    assert path.length <= length_bound(rho, obstacles.shape[1] + 1)
    chords = np.linalg.norm(np.diff(points, axis=1), axis=0)
    assert chords.max() <= path.length / steps + POINT_ERROR


def path_past(start: Array, end: Array, *obstacles: Array) -> tuple[Path, Array, float]:
    others = columns(*obstacles) if obstacles else np.empty((len(start), 0))
    rho = minimum_distance(np.concatenate([columns(start, end), others], axis=1))
    return shortest_path(start, end, others, rho), others, rho


# Edges.


def test_an_obstacle_is_passed_head_on_at_exactly_rho_from_both_ends() -> None:
    path, obstacles, rho = path_past(AXES[0], AXES[1], unit(1, 1, 0))
    check_path(path, obstacles, rho)
    assert [arc.obstacle for arc in path.arcs] == [None, 0, None]
    detour = path.arcs[1]
    assert math.isclose(detour.length, math.pi * boundary_radius(rho), rel_tol=1e-12)  # half of the boundary


def test_an_obstacle_almost_head_on_is_passed_on_its_own_side() -> None:
    for tilt in (1e-3, 1e-9, 1e-15, -1e-9):
        path, obstacles, rho = path_past(AXES[0], AXES[1], unit(1, 1, tilt))
        check_path(path, obstacles, rho)
        points = path.points(100)
        if abs(tilt) > 1e-12:
            assert points[2, 50] * tilt < 0


def test_antipodal_ends_are_joined_by_a_half_circle() -> None:
    path, obstacles, rho = path_past(AXES[0], -AXES[0])
    check_path(path, obstacles, rho)
    assert path.length == math.pi == length_bound(2.0, 1)


@pytest.mark.parametrize("gap", [1e-6, 1e-12, 1e-15])
def test_ends_that_are_almost_antipodal(gap: float) -> None:
    path, obstacles, rho = path_past(AXES[0], unit(-1.0, gap, 0.0), unit(0, 1, 1), unit(0, -1, 0))
    check_path(path, obstacles, rho)


def test_antipodal_ends_with_obstacles_all_round() -> None:
    path, obstacles, rho = path_past(AXES[0], -AXES[0], AXES[1], -AXES[1], AXES[2], -AXES[2])
    check_path(path, obstacles, rho)
    assert path.corners == 2


def test_points_exactly_rho_apart_in_a_row() -> None:
    row = [unit(math.cos(a), math.sin(a), 0.0) for a in np.linspace(0.0, math.pi, 9)]
    path, obstacles, rho = path_past(row[0], row[-1], *row[1:-1])
    check_path(path, obstacles, rho)
    assert path.corners == 14


def test_the_greatest_rho_there_is() -> None:
    tetrahedron = [unit(1, 1, 1), unit(1, -1, -1), unit(-1, 1, -1), unit(-1, -1, 1)]
    path, obstacles, rho = path_past(*tetrahedron)
    assert math.isclose(rho, math.sqrt(8 / 3))
    check_path(path, obstacles, rho)


def test_one_column_and_no_way_to_go() -> None:
    path = shortest_path(AXES[0], AXES[0], NONE, 1.0)
    assert path.length == 0.0
    np.testing.assert_array_equal(path.points(3), np.tile(AXES[0][:, None], 4))


def test_on_a_circle_an_obstacle_blocks_the_way() -> None:
    east, north, west = np.array([1.0, 0.0]), np.array([0.0, 1.0]), np.array([-1.0, 0.0])
    assert math.isclose(shortest_path(east, north, west[:, None], 1.0).length, math.pi / 2)
    with pytest.raises(PathError, match="d = 2; expected d >= 3"):
        shortest_path(east, unit(-1.0, 0.01), north[:, None], 1.0)


@pytest.mark.parametrize(
    ("start", "obstacle", "rho", "message"),
    [
        (2 * AXES[0], AXES[1], 0.5, "norm 2; expected unit vectors"),
        (AXES[0], unit(1, 0.1, 0), 0.5, "expected at least rho"),
        (AXES[0], AXES[1], 0.0, "expected 0 < rho <= 2"),
        (AXES[0], AXES[1], 2.5, "expected 0 < rho <= 2"),
        (AXES[0], AXES[1], 1e-3, "expected at least 0.004 where there are obstacles"),
        (AXES[0], np.full(3, np.nan), 0.5, "expected unit vectors"),
    ],
)
def test_bad_points_are_refused(start: Array, obstacle: Array, rho: float, message: str) -> None:
    with pytest.raises(PathError, match=message):
        shortest_path(start, AXES[2], obstacle[:, None], rho)


def test_a_single_column_may_move_by_less() -> None:
    path, obstacles, rho = path_past(AXES[0], unit(1, 1e-6, 0))
    assert rho < 1e-5
    check_path(path, obstacles, rho)


@pytest.mark.parametrize("rho", [0.005, 0.02, 0.3])
def test_a_chain_of_obstacles_exactly_rho_apart(rho: float) -> None:
    """Ends on either side of a chain of caps that all but touch: the path goes along several of them."""
    angle = 2.0 * math.asin(rho / 2.0)
    chain = [unit(math.cos(k * angle), math.sin(k * angle), 0.0) for k in range(-4, 5)]
    for tilt in (-3.0, -1.3, 0.7, 3.0):
        start, end = (unit(1.0, sign * tilt * angle, -sign * 2.0 * angle) for sign in (1, -1))
        obstacles = columns(*chain)
        # A little less than the distance of neighbours, which rounding makes unequal.
        path = shortest_path(start, end, obstacles, rho * (1 - 1e-12))
        check_path(path, obstacles, rho * (1 - 1e-12), steps=2000)
        assert path.corners >= 2


def test_no_step_is_refused() -> None:
    with pytest.raises(PathError, match="0 steps"):
        shortest_path(AXES[0], AXES[1], NONE, 1.0).points(0)


# Any points.


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(3, 6), st.integers(0, 12))
@example(0, 3, 12)
def test_any_path_keeps_its_distance(seed: int, d: int, count: int) -> None:
    points = random_points(seed, d, count + 2)
    rho = minimum_distance(points)
    assume(rho > 0.01)
    path = shortest_path(points[:, 0], points[:, 1], points[:, 2:], rho)
    check_path(path, points[:, 2:], rho, steps=200)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0.02, 1.0))
def test_the_arcs_follow_one_another(seed: int, rho: float) -> None:
    """An obstacle close to the way: the path has no gap, and its detour lies on the cap's boundary."""
    rng = np.random.default_rng(seed)
    start, end = AXES[0], unit(-0.9, 0.5, 0.1)
    way = shortest_path(start, end, NONE, 1.0).points(20)[:, 10]
    obstacle = unit(*(way + rng.uniform(-0.6, 0.6) * rho * rng.normal(size=3)))
    assume(min(np.linalg.norm(obstacle - start), np.linalg.norm(obstacle - end)) >= rho)
    path = shortest_path(start, end, obstacle[:, None], rho)
    ends = [arc.at(np.array([0.0, arc.length])) for arc in path.arcs]
    for before, after in pairwise(ends):
        # The half angle of a cap that is hardly met is known to the square root of the rounding only.
        assert np.linalg.norm(before[:, 1] - after[:, 0]) <= 1e-7
    for arc in path.arcs:
        if arc.obstacle is not None:
            distances = np.linalg.norm(arc.at(np.linspace(0, arc.length, 50)) - obstacle[:, None], axis=0)
            assert np.abs(distances - cap_radius(rho)).max() <= 1e-12


def test_minimum_distance_by_hand() -> None:
    assert minimum_distance(np.eye(3)) == math.sqrt(2.0)
    assert minimum_distance(np.eye(3)[:, :1]) == math.inf


def test_the_picture_of_a_path() -> None:
    shown = picture(AXES[0], AXES[1], columns(unit(1, 1, 0), -AXES[2]), 0.5)
    assert shown.path.shape == (3, 401)
    assert len(shown.circles) == 2
    for circle, p in zip(shown.circles, shown.obstacles.T, strict=True):
        assert np.abs(np.linalg.norm(circle - p[:, None], axis=0) - cap_radius(0.5)).max() <= POINT_ERROR
    assert math.pi / 2 < shown.length < shown.bound
    with pytest.raises(PathError, match="expected 3"):
        picture(np.eye(4)[0], np.eye(4)[1], np.empty((4, 0)), 0.5)


# The network.


def check_network(x: Array, y: Array, units: int, library: Ops = NUMPY) -> None:
    planned = plan(x, y, units)
    found = run(library, planned)
    m = x.shape[1]
    assert np.linalg.norm(found.output - y) <= output_bound(m)
    assert found.disturbed == 0.0
    assert found.largest_norm <= norm_bound(planned.rho, m, units)


@pytest.mark.parametrize("units", [1, 2, 7, 100])
def test_one_column_to_its_antipode(array_ops: Ops, units: int) -> None:
    check_network(AXES[:, :1], -AXES[:, :1], units, array_ops)


@pytest.mark.parametrize("units", [1, 2, 3, 50, 500])
def test_columns_in_one_another_s_way(array_ops: Ops, units: int) -> None:
    x = columns(AXES[0], unit(1, 1, 0), AXES[2])
    y = columns(AXES[1], unit(-1, -1, 0), unit(1, 0, 1))
    check_network(x, y, units, array_ops)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(3, 6), st.integers(1, 8), st.integers(1, 120))
@example(0, 3, 4, 2)
def test_any_columns_reach_any_others(seed: int, d: int, m: int, units: int) -> None:
    assume(m <= units * d)
    points = random_points(seed, d, 2 * m)
    assume(minimum_distance(points) > 1e-2)
    check_network(points[:, :m], points[:, m:], units)


def test_columns_too_close_are_disturbed() -> None:
    """With a rho above their distance the second unit moves the column that is at its end beside the other's start."""
    y = columns(unit(1.0, 0.1, 0.0), AXES[1])
    planned = plan(columns(AXES[2], AXES[0]), y, 2)
    found = run(NUMPY, replace(planned, rho=0.5))
    assert run(NUMPY, planned).disturbed == 0.0
    assert found.disturbed == np.abs(found.output - y)[:, 0].sum() > 0.1


def test_the_units_written_down_give_the_same_network() -> None:
    """The weights collected while building, applied to X afterwards as any network is."""
    points = random_points(3, 3, 8)
    planned = plan(points[:, :4], points[:, 4:], 40)
    h, units = planned.x, []
    for move in planned.moves():
        unit_, hidden = moving_unit(NUMPY, h, move, planned.rho)
        units.append(unit_)
        h = h + unit_.second @ hidden
    again = planned.x
    for one in units:
        again = apply(NUMPY, one, again)
    assert len(units) == 40
    np.testing.assert_allclose(again, planned.y, rtol=0.0, atol=1e-9)
    norms = max(float(np.linalg.norm(w)) for one in units for w in (one.first, one.second))
    assert math.isclose(norms, run(NUMPY, planned).largest_norm, rel_tol=1e-12)


def test_a_unit_is_lemma_1_as_printed() -> None:
    """Away from rounding the weights are the printed ones."""
    points = random_points(5, 3, 4)
    planned = plan(points[:, :2], points[:, 2:], 10)
    move = next(planned.moves())
    found, _ = moving_unit(NUMPY, planned.x, move, planned.rho)
    rho, a, target = planned.rho, planned.x[:, 0], move.targets[:, 0]
    delta = float(np.linalg.norm(target - a))
    s = math.sqrt(8 * delta) / rho
    np.testing.assert_allclose(found.first, np.outer([1, 0, 0], s * a), rtol=1e-12)
    second = np.outer(math.sqrt(8 / delta) / rho * (target - a), [1, 0, 0])
    np.testing.assert_allclose(found.second, second, rtol=1e-9)
    np.testing.assert_allclose(found.bias, np.full((3, 1), s * (rho**2 / 8 - 1)), rtol=1e-12)


@pytest.mark.parametrize("m", [1, 3, 5])
def test_the_slope_is_minus_one_half(m: int) -> None:
    points = random_points(m, 3, 2 * m)
    plans = [plan(points[:, :m], points[:, m:], units) for units in (100, 400, 1600)]
    norms = [run(NUMPY, one).largest_norm for one in plans]
    slope, weights = fitted_slope([one.units for one in plans], norms)
    bound = sum(abs(w) * norm_spread(one) for w, one in zip(weights, plans, strict=True))
    assert abs(slope + 0.5) <= bound + 1e-12
    assert bound < 0.1


def test_a_slope_by_hand() -> None:
    slope, weights = fitted_slope([1, 10, 100], [1.0, 0.1, 0.01])
    assert math.isclose(slope, -1.0)
    assert math.isclose(sum(weights), 0.0, abs_tol=1e-15)


def test_a_column_already_in_place_costs_nothing() -> None:
    move = next(plan(AXES[:, :1], AXES[:, 1:2], 1).moves())
    found, _ = moving_unit(NUMPY, AXES[:, 1:2], move, 1.0)
    assert not found.first.any()
    assert not found.second.any()


@pytest.mark.parametrize(
    ("x", "y", "units", "message"),
    [
        (AXES[:, :2], AXES[:, :1], 5, "expected equal ones"),
        (AXES, -AXES, 0, "expected R d >= m"),
        (random_points(0, 3, 7), random_points(1, 3, 7), 2, "expected R d >= m"),
        (AXES[:, :2], AXES[:, 1:], 5, "least distance of two columns is 0"),
        (2 * AXES[:, :1], -AXES[:, :1], 5, "expected unit vectors"),
    ],
)
def test_bad_data_are_refused(x: Array, y: Array, units: int, message: str) -> None:
    with pytest.raises(PathError, match=message):
        plan(x, y, units)


def test_a_greater_rho_than_there_is_is_refused() -> None:
    with pytest.raises(PathError, match=r"expected 1\.9"):
        plan(AXES[:, :1], AXES[:, 1:2], 5, 1.9)
    assert plan(AXES[:, :1], AXES[:, 1:2], 5, 1.0).rho == 1.0


def test_the_spread_of_jumps_is_refused() -> None:
    with pytest.raises(PathError, match="expected R >= m"):
        norm_spread(plan(AXES[:, :2], -AXES[:, :2], 1))
