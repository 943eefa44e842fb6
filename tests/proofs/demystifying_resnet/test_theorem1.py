"""Theorem 1 and its lemmas: verdicts, certificates that must not be given, and the data for the picture."""

from __future__ import annotations

import dataclasses
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from resproof.proofs.demystifying_resnet.moving_columns import (
    apply_exact,
    caps,
    exact_unit,
    few_units,
    labellings,
    many_units,
    moving_unit,
    on_sphere,
    orientation,
    reached,
    squared_distance,
    squared_norms,
    turning,
)
from resproof.proofs.demystifying_resnet.sphere import minimum_distance
from resproof.proofs.demystifying_resnet.theorem1 import (
    EXAMPLE,
    L1,
    L2,
    STATEMENTS,
    T1,
    T1A,
    Columns,
    normalised_data,
    picture_data,
    separated,
)
from resproof.proofs.statement import Argument, Context, Data
from resproof.proofs.verdict import run
from resproof.pytest_plugin import RunOnce
from resproof.symbolic.certificates import NotCertified, orthant, substitute

VERDICTS = {"DR-L1": "PROVED", "DR-L2": "PROVED", "DR-T1": "PROVED", "DR-T1a": "PROVED"}


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda one: one.id)
def test_the_verdict_is_computed(statement: object, statement_result: RunOnce) -> None:
    assert isinstance(statement, type(L1))
    result = statement_result(statement, "exact", "evidence")
    assert result.verdict == VERDICTS[statement.id], result.reason
    assert result.all_sizes
    steps = (*(step for clause in result.clauses for step in clause.everything), *result.evidence)
    assert all(step.outcome == "passed" for step in steps)


def test_a_wrong_claim_fails_its_statement() -> None:
    for statement in (L1, L2, T1):
        first = statement.arguments[0]
        assert isinstance(first, Argument)
        falsehood = next(iter(first.neighbours.values()))
        changed = dataclasses.replace(first, claim=falsehood)
        result = run(dataclasses.replace(statement, arguments=(changed, *statement.arguments[1:])), parts=("exact",))
        assert result.verdict == "FAILED"


def test_the_exact_example_satisfies_the_hypotheses() -> None:
    for statement in (L1, L2, T1):
        assert all(hypothesis.predicate(EXAMPLE) for hypothesis in statement.hypotheses)
        twice = EXAMPLE.x[:1] * 2
        assert not all(hypothesis.predicate(Columns(twice, twice)) for hypothesis in statement.hypotheses)


# Certificates.


def test_signs_on_an_orthant() -> None:
    o = orthant("p", "x y")
    p, x, y = o["p"], o["x"], o["y"]
    o.at_least_zero("", x * y + x)
    o.at_least_zero("", 0 * x)
    o.at_least_zero("", (-x - 1) / (-y - 1))
    o.above_zero("", (p + x) / (1 + y))
    o.identical("", (x + y) ** 2, x**2 + 2 * x * y + y**2)
    for value in (x - y, -x, (x - 1) / (y + 1), (x + 1) / (-y - 1)):
        with pytest.raises(NotCertified, match="not of one sign"):
            o.at_least_zero("a difference", value)
    for value in (x, x * p, 0 * x):
        with pytest.raises(NotCertified, match="can vanish"):
            o.above_zero("a product", value)
    with pytest.raises(NotCertified, match="fails by x"):
        o.identical("two things", x + y, y)


@given(st.lists(st.fractions(0, 5, max_denominator=9), min_size=3, max_size=3))
def test_substitution_is_evaluation(point: list[Fraction]) -> None:
    source, target = orthant("a", "b c"), orthant("t")
    value = (source["a"] ** 2 - 3 * source["b"] / 7) / (1 + source["c"])
    one = target["t"] / target["t"]
    choice = {name: one * v.numerator / v.denominator for name, v in zip("abc", point, strict=True)}
    a, b, c = point
    expected = (a**2 - 3 * b / 7) / (1 + c)
    assert substitute(value, choice) == one * expected.numerator / expected.denominator


@pytest.mark.parametrize(("units", "samples"), [(r, m) for m in range(1, 9) for r in range(1, 20)])
def test_the_two_depths_cover_every_size(units: int, samples: int) -> None:
    """Each pair R, m is a point of one of both orthants, with the quotient that the network uses."""
    o = orthant("t")
    one = o["t"] / o["t"]
    values: dict[str, int]
    if units >= samples:
        depth, quotient, rest = many_units(), units // samples, units % samples
        values = {"more": quotient - 1, "rest": rest, "k": samples - 1 - rest, "rho": 1, "spare": 0}
        norm = Fraction(8 * 2, quotient)
    else:
        depth, quotient = few_units(), -(-samples // units)
        rest = samples - units * (quotient - 1)
        values = {"more": quotient - 2, "rest": rest, "k": units - rest, "rho": 1, "spare": 0}
        norm = Fraction(16 * quotient)
    assert min(values.values()) >= 0
    point = {name: one * value for name, value in values.items()}
    assert substitute(depth.units, point) == units
    assert substitute(depth.samples, point) == samples
    assert substitute(depth.squared_norm(depth.quotient), point) == one * norm.numerator / norm.denominator


def test_a_number_is_no_free_size() -> None:
    found = reached(lambda units, m, length, rho: m * length / (units * rho))
    assert found.sizes.free == ("R", "m")
    assert found._replace(units=found.units / found.units).sizes.free == ("m",)
    assert few_units().sizes.free == many_units().sizes.free == ("R", "m")
    assert {one.sizes.free for one in (moving_unit(), caps(), turning(), labellings())} == {("d", "m")}
    with pytest.raises(ValueError, match="no inner product"):
        _ = dataclasses.replace(moving_unit(), gram={}).sizes


@pytest.mark.parametrize(("d", "m"), [(d, m) for d in range(1, 6) for m in range(1, 8)])
def test_the_factors_of_the_number_of_labellings(d: int, m: int) -> None:
    found, t = labellings(), orthant("t")["t"]
    points = [{"d": d * t / t, "k": k * t / t, "after": (m - 1 - k) * t / t} for k in range(m)]
    assert math.prod(substitute(found.factor, one) for one in points) == math.perm(d, m) * t / t
    assert all(substitute(found.m, one) == m for one in points)


# Exact units.


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=5).filter(lambda v: max(map(abs, v)) > 0.1))
def test_a_rational_point_of_the_sphere(vector: list[float]) -> None:
    norm = math.hypot(*vector)
    near = [v / norm for v in vector]
    found = on_sphere(near)
    assert sum(v * v for v in found) == 1
    assert math.dist(near, [float(v) for v in found]) < 1e-6


def test_a_unit_that_moves_two_columns_at_once() -> None:
    columns = tuple(tuple(Fraction(int(i == j)) for i in range(3)) for j in range(3))
    targets = {0: tuple(-v for v in columns[0]), 2: tuple(-v for v in columns[2])}
    unit = exact_unit(columns, targets, Fraction(1), Fraction(4))
    assert tuple(apply_exact(unit, h) for h in columns) == (targets[0], columns[1], targets[2])
    assert squared_norms(unit) == (32, 32)
    assert squared_distance(columns[0], targets[0]) == 4


def test_orientations_by_hand() -> None:
    east, north, west = ((Fraction(a), Fraction(b)) for a, b in ((1, 0), (0, 1), (-1, 0)))
    assert orientation((east, north, west)) == 1
    assert orientation((west, north, east)) == -1
    assert orientation((east, east, west)) == 0


# Data.


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (np.eye(2), "d >= 3"),
        (np.ones((3, 2)), "same direction"),
        (np.array([[1.0, 1.0], [0.0, 1e-4], [0.0, 0.0]]), "same direction"),
        (np.zeros((3, 2)), "zero sample"),
    ],
)
def test_data_that_do_not_fit_are_no_pass(x: NDArray[np.float64], message: str) -> None:
    data = Data(x, np.eye(len(x))[:, :2], "given data")
    synthetic, on_data, *_ = run(T1, Context(load=lambda: data), parts=("evidence",)).evidence
    assert synthetic.outcome == "passed"
    assert on_data.outcome == "unavailable"
    assert message in on_data.message


def test_perturbed_labels_are_distinct_unit_vectors() -> None:
    x, y, name, *_ = normalised_data(30)(Context())
    assert "perturbed" in name
    assert np.allclose(np.linalg.norm(y, axis=0), 1.0)
    assert minimum_distance(np.concatenate([x, y], axis=1)) > 0.01


def test_separated_points_or_none() -> None:
    points = separated(np.random.default_rng(0), 3, 10, 0.5)
    assert minimum_distance(points) >= 0.5
    with pytest.raises(ValueError, match="expected 3 at least 2"):
        separated(np.random.default_rng(0), 3, 3, 2.0)


def test_the_picture_has_a_detour() -> None:
    shown = picture_data()
    straight = 2 * math.asin(float(np.linalg.norm(shown.start - shown.end)) / 2)
    assert straight < shown.length < shown.bound
    for p in shown.obstacles.T:
        assert np.linalg.norm(shown.path - p[:, None], axis=0).min() >= shown.rho / 2


def test_the_letter_n_is_a_misprint(statement_result: RunOnce) -> None:
    (clause,) = statement_result(T1, "exact").clauses
    assert clause.reading is not None
    assert clause.reading.kind == "erratum"
    assert [step.outcome for step in clause.reading.steps] == ["passed"]


@pytest.mark.parametrize(("d", "m"), [(3, 2), (3, 3), (3, 4), (4, 5)])
def test_printed_assumptions_meet_in_few_samples_only(d: int, m: int) -> None:
    nearest = [
        min(float(np.linalg.norm(np.eye(d)[i] - np.eye(d)[j])) for i, j in itertools.combinations(labels, 2))
        for labels in itertools.product(range(d), repeat=m)
    ]
    assert (max(nearest) > 0) is (m <= d)


def test_the_assumptions_together_are_a_theorem_of_ours(statement_result: RunOnce) -> None:
    assert T1A.source is None
    assert [one.verdict for one in statement_result(T1A, "exact").clauses] == ["PROVED", "PROVED"]
