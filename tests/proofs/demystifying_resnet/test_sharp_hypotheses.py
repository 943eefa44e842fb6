"""Theorem 2 with few hypotheses: the rough networks once more with plain functions, predicates and verdicts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import pytest

from resproof.proofs.demystifying_resnet import germs
from resproof.proofs.demystifying_resnet import rough_networks as networks
from resproof.proofs.demystifying_resnet import sharp_hypotheses as sharp
from resproof.proofs.demystifying_resnet.germs import Curve, Germ, RoughNetwork, curve, rough, smooth
from resproof.proofs.demystifying_resnet.nonsmooth import A3
from resproof.proofs.demystifying_resnet.theorem2 import T2_1, T2_1S, T2_2, T2_2C, T2_2S, T2_3
from resproof.proofs.formulas import plain
from resproof.proofs.registry import find
from resproof.proofs.statement import Hypothesis, Statement
from resproof.pytest_plugin import RunOnce
from resproof.reporting.said import how
from resproof.reporting.statement_record import record

Function = Callable[[Fraction], Fraction]


def identity(t: Fraction) -> Fraction:
    return t


PLAIN: dict[str, tuple[RoughNetwork, Function, Function, Function]] = {
    "pole": (networks.POLE, lambda t: Fraction(1) if t == 1 else 1 / (t - 1) ** 2, identity, identity),
    "step": (networks.STEP, lambda t: Fraction(1 + (t > 1)), identity, identity),
    "kink": (networks.KINK, lambda t: max(Fraction(1), t), identity, identity),
    "corner": (networks.CORNER, lambda t: 1 + abs(t - 1), identity, identity),
    "bent post": (networks.BENT_POST, identity, identity, lambda t: t + t * abs(t)),
    "kinked mid": (networks.KINKED_MID, identity, lambda t: max(Fraction(0), t), identity),
    "kinked post": (networks.KINKED_POST, identity, identity, lambda t: t + abs(t)),
    "offset mid": (networks.OFFSET_MID, identity, lambda t: 1 + t, identity),
    "offset post": (networks.OFFSET_POST, lambda t: t * t, identity, lambda t: 1 + t),
}
"""The networks of the counterexamples, with pre, mid and post as the docstrings say them."""


@pytest.mark.parametrize("case", PLAIN.values(), ids=PLAIN)
def test_pre_at_zero_is_pre(case: tuple[RoughNetwork, Function, Function, Function]) -> None:
    network, pre, *_ = case
    for t in (Fraction(1, 100), Fraction(-1, 100)):
        assert abs(at(network.pre_at_zero.at(curve({0: t})), Fraction(1)) - pre(t)) < abs(5 * t**3)


def plain_loss(network: RoughNetwork, pre: Function, mid: Function, post: Function, w: Sequence[Fraction]) -> Fraction:
    """1/2 (f - y)^2 for d = 1, layer by layer."""
    (h,) = map(Fraction, network.x)
    for unit in range(len(w) // network.n):
        u = pre(h)
        for layer in range(network.n):
            u = w[unit * network.n + layer] * (mid(u) if layer else u)
        h += post(u)
    return (h - network.y[0]) ** 2 / 2


def at(loss: Curve, t: Fraction) -> Fraction:
    return sum((c * t**e.numerator for e, c in loss.items()), Fraction(0))


@pytest.mark.parametrize("case", PLAIN.values(), ids=PLAIN)
@pytest.mark.parametrize("direction", [(1, 1), (1, -1), (-1, 2), (0, 1)])
def test_the_loss_along_a_ray_is_that_of_plain_functions(
    case: tuple[RoughNetwork, Function, Function, Function], direction: tuple[int, int]
) -> None:
    network, pre, mid, post = case
    along = (direction * network.n)[: 2 * network.n]
    for t in (Fraction(1, 8), Fraction(1, 100)):
        assert at(network.along(*along), t) == plain_loss(network, pre, mid, post, [t * v for v in along])


def test_the_root_by_squares() -> None:
    """mid(t) = sign(t) sqrt|t| at t = s^4: w_3 mid(w_2 mid(w_1)) is s^4 sqrt(s^4 s^2) = s^7."""
    assert networks.ROOT_MID.along(1, 1, 1)[Fraction(7, 4)] == 1


@pytest.mark.parametrize(
    ("germ", "properties"),
    [
        (networks.POLE.pre[0], []),
        (networks.STEP.pre[0], ["bounded"]),
        (networks.ROOT_MID.mid, ["bounded", "continuous"]),
        (networks.KINK.pre[0], ["bounded", "continuous", "lipschitz"]),
        (networks.BENT_POST.post, ["bounded", "continuous", "lipschitz", "differentiable"]),
        (rough(0, {Fraction(3, 2): 1}, {}), ["bounded", "continuous", "lipschitz", "differentiable"]),
        (smooth(1, 2, 3), ["bounded", "continuous", "lipschitz", "differentiable", "twice_differentiable"]),
        (smooth(1), ["bounded", "continuous", "lipschitz", "differentiable", "twice_differentiable"]),
    ],
)
def test_what_a_germ_is(germ: Germ, properties: list[str]) -> None:
    names = ("bounded", "continuous", "lipschitz", "differentiable", "twice_differentiable")
    assert [name for name in names if getattr(germ, name)] == properties
    assert germ.kinks == (() if "differentiable" in properties else (0,))


@pytest.mark.parametrize("base", [curve({1: 1, 2: 1}), curve({1: 4})])
def test_there_is_no_root_of_a_sum_and_none_of_a_number(base: Curve) -> None:
    with pytest.raises(ValueError, match="to the power 1/2"):
        germs.power(base, Fraction(1, 2))


def test_a_germ_is_not_evaluated_far_away() -> None:
    with pytest.raises(ValueError, match="expected a small one"):
        networks.KINK.pre[0].at(curve({0: 1}))
    assert smooth(1, 2).at(curve({0: 1})) == curve({0: 3})


@pytest.mark.parametrize("n", [2, 3, 4])
def test_pre_need_not_be_bounded_near_the_data(n: int) -> None:
    network = RoughNetwork(n, pre=(rough(0, {-2: 1}, {-2: 1}),))
    assert not sharp.BOUNDED_AT_DATA.predicate(network)
    assert network.along(*[1] * (2 * n)) == {0: Fraction(1, 2)}


@pytest.mark.parametrize(("d", "m"), [(1, 1), (2, 1), (2, 3), (3, 2)])
def test_m_is_not_zero_for_some_y(d: int, m: int) -> None:
    p = np.random.default_rng(0).integers(1, 5, size=(d, m))
    assert ((p @ p.T) ** 2).sum() > 0  # M = (1/m) p p^T at Y = X - pre(X)


def hypotheses() -> list[Hypothesis]:
    return [*sharp.T2_SHARP.hypotheses, *(one for clause in sharp.T2_SHARP.clauses for one in clause.hypotheses)]


@pytest.mark.parametrize(
    "hypothesis", {one.sentence: one for one in hypotheses()}.values(), ids=lambda one: plain(one.sentence)
)
def test_the_rough_networks_satisfy_what_they_are_for(hypothesis: Hypothesis) -> None:
    depths = (1,) if hypothesis.sentence.startswith(("post is twice", "pre is diff")) else (1, 2, 3)
    assert all(hypothesis.predicate(networks.ROUGH[n]) for n in depths)
    assert not hypothesis.predicate(hypothesis.fails_on)
    assert hypothesis.needed is not None


def test_the_sharp_theorem_is_proved_for_all_sizes(statement_result: RunOnce) -> None:
    result = statement_result(sharp.T2_SHARP, "exact")
    assert (result.verdict, result.all_sizes) == ("PROVED", True)
    assert [other.verdict for clause in result.clauses for other in clause.other_readings] == ["REFUTED"]


@pytest.mark.parametrize(
    ("statement", "verdicts", "others"),
    [
        (T2_1, ["PROVED", "REPAIRED", "PROVED"], ["PROVED", "PROVED", "REPAIRED"]),
        (T2_2, ["PROVED"], ["REPAIRED"]),
        (T2_3, ["PROVED", "REPAIRED"], []),
        (A3, ["PROVED", "PROVED", "PROVED", "REPAIRED", "REPAIRED"], []),
    ],
    ids=lambda one: one.id if isinstance(one, Statement) else "",
)
def test_the_parts_as_printed(
    statement: Statement, verdicts: list[str], others: list[str], statement_result: RunOnce
) -> None:
    found = statement_result(statement, "exact").clauses
    assert [clause.verdict for clause in found] == verdicts
    assert [other.verdict for clause in found for other in clause.other_readings] == others
    assert all(clause.all_sizes for clause in found)


@pytest.mark.parametrize("statement", [T2_1S, T2_2C, T2_2S], ids=lambda one: one.id)
def test_degenerate_cases_are_exceptions_alike(statement: Statement, statement_result: RunOnce) -> None:
    (clause,) = statement_result(statement, "exact").clauses
    assert clause.verdict == "PROVED"
    assert [other.verdict for other in clause.other_readings] == (["REPAIRED"] if statement is T2_2S else [])
    assert clause.reading is not None
    assert clause.reading.kind == "exception"
    assert len(clause.reading.steps) == 3  # one that fails, and an induction for the null set


def test_shifted_units_for_every_number_of_them(statement_result: RunOnce) -> None:
    """M_r = (x + R p0 - y) pre(x + (r-1) p0) for d = 1, from the loss of networks of one to four units."""
    network = networks.OFFSET_POST
    for units in (1, 2, 3, 4):
        for r in range(units):
            direction = [0] * (2 * units)
            direction[2 * r : 2 * r + 2] = [1, 1]
            assert network.along(*direction)[Fraction(2)] == (1 + units) * (1 + r) ** 2
    result = statement_result(find(["DR-A3n"])[0], "exact")
    assert (result.verdict, result.all_sizes) == ("PROVED", True)


def test_the_headline_names_hypotheses_and_exceptions(statement_result: RunOnce) -> None:
    said = {one.id: how(record(one, statement_result(one, "exact"))) for one in (T2_1, T2_2, T2_2C, T2_3)}
    assert said["DR-T2.1"].startswith(
        "with a hypothesis that is not printed in 1 of 3 clauses (pre is bounded near the data)"
    )
    assert said["DR-T2.2"].startswith("in the sense that its source fixes (Hessian")
    assert plain(said["DR-T2.2c"]) == "except for c M = 0, a null set of Y where mid'(0), post'(0) and pre(X) are not 0"
    assert (
        said["DR-T2.3"] == "with a hypothesis that is not printed in 1 of 2 clauses (pre is differentiable at the data)"
    )
