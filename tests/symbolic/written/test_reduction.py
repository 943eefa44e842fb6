"""The small-model reduction: Theorem 2 for all sizes, its neighbours rejected, and where it does not apply."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

import pytest

from resproof.architectures import catalogue
from resproof.architectures.activations import generic
from resproof.architectures.algebra import identity
from resproof.architectures.errors import ArchitectureError
from resproof.architectures.losses import Loss, cross_entropy, generic_loss, squared
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Constant, Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.symbolic.algebra.rings import Element, Plain, Ring, RingKind, flint_ring, show, sympy_ring, with_symbols
from resproof.symbolic.written.explicit import hessian_at_initial_point, parameter_labels
from resproof.symbolic.written.reduction import WeightPair, check_reducible, patterns, second_derivatives

PRE, MID, POST = generic("pre", at_zero=None), generic("mid"), generic("post")


def n_shortcut(n: int, inner: str | None = None) -> ResidualUnit:
    return ResidualUnit(catalogue.n_shortcut(n, PRE, MID, POST, inner))


def compare(
    found: Mapping[WeightPair, Plain], claim: Callable[[WeightPair, Ring], Element], *, ring: RingKind = flint_ring
) -> None:
    """A claim maps the pattern's coordinates, and a ring for symbols such as x_1_1, to the second derivative."""
    for pattern, plain in found.items():
        names = sorted({name for monomial in plain for name, _ in monomial})
        value = with_symbols(ring, names, lambda ring, at=pattern: ring.plain(claim(at, ring)))
        assert value == plain, f"{pattern} is {show(plain)}; claimed {show(value)}"


def gradient(i: int, ring: Ring) -> Element:
    return ring.symbol(f"x_{i}_1") - ring.symbol(f"y_{i}_1")


def two_shortcut_claim(pattern: WeightPair, ring: Ring) -> Element:
    """d^2 L / dW2_ij dW1_pq in one unit = c g_i pre(x_q) delta_jp; zero otherwise."""
    if pattern.units != (1, 1) or pattern.weights != ("W1", "W2"):
        return ring.zero
    (p, q), (i, j) = pattern.places
    c = ring.symbol("mid'(0)") * ring.symbol("post'(0)")
    return c * gradient(i, ring) * ring.symbol(f"pre(x_{q}_1)") if j == p else ring.zero


def one_shortcut_claim(pattern: WeightPair, ring: Ring) -> Element:
    """B = p_j p_t (k1^2 Q_is + k2 delta_is g_i); later unit W_st: + k1^2 p'_t delta_ti g_s p_j."""
    (i, j), (s, t) = pattern.places
    k1, k2 = ring.symbol("post'(0)"), ring.symbol("post''(0)")
    p = [ring.symbol(f"pre(x_{place}_1)") for place in (j, t)]
    q = ring.symbol(f"Q_{min(i, s)}_{max(i, s)}_1")
    value = k1 * k1 * p[0] * p[1] * q
    if pattern.units == (1, 1):
        return value + (k2 * p[0] * p[1] * ring.symbol(f"g_{i}_1") if i == s else ring.zero)
    slope = ring.symbol(f"pre'(x_{t}_1)") * ring.symbol(f"g_{s}_1")
    return value + (k1 * k1 * slope * p[0] if t == i else ring.zero)


@pytest.mark.parametrize("inner", [None, "k"])
def test_two_shortcut(inner: str | None) -> None:
    found = second_derivatives(n_shortcut(2, inner))
    compare(found, two_shortcut_claim)
    assert all(value for pattern, value in found.items() if pattern.weights == ("W1", "W2") and _adjacent(pattern))


def _adjacent(pattern: WeightPair) -> bool:
    return pattern.units == (1, 1) and pattern.places[0][0] == pattern.places[1][1]


def test_one_shortcut_for_any_loss() -> None:
    compare(second_derivatives(n_shortcut(1), cross_entropy), one_shortcut_claim)


@pytest.mark.parametrize("n", [3, 4])
def test_deep_shortcuts_have_no_second_derivatives(n: int) -> None:
    compare(second_derivatives(n_shortcut(n, "k")), lambda _, ring: ring.zero)


@pytest.mark.parametrize(
    "neighbour",
    [
        lambda pattern, ring: two_shortcut_claim(pattern, ring) * ring.number(2),
        lambda pattern, ring: two_shortcut_claim(
            WeightPair(pattern.units, pattern.weights, (pattern.places[0], pattern.places[1][::-1])), ring
        ),
        lambda pattern, ring: two_shortcut_claim(
            WeightPair(pattern.units, pattern.weights, (pattern.places[0][::-1], pattern.places[1])), ring
        ),
        lambda pattern, ring: two_shortcut_claim(WeightPair((1, 1), pattern.weights, pattern.places), ring),
        lambda _, ring: ring.zero,
    ],
)
def test_neighbouring_falsehoods_are_rejected(neighbour: object) -> None:
    assert callable(neighbour)
    found = second_derivatives(n_shortcut(2))
    with pytest.raises(AssertionError, match="claimed"):
        compare(found, neighbour)


def test_pattern_counts() -> None:
    def count(unit: ResidualUnit, weights: tuple[str, str], units: tuple[int, int]) -> int:
        return sum(pattern.weights == weights and pattern.units == units for pattern in patterns(unit))

    assert count(n_shortcut(2), ("W1", "W2"), (1, 1)) == 15
    assert count(n_shortcut(2, "k"), ("W1", "W2"), (1, 1)) == 4
    assert count(n_shortcut(2, "k"), ("W2", "W1"), (1, 2)) == 4
    assert count(ResidualUnit(catalogue.biased(MID)), ("b", "b"), (1, 1)) == 2
    numbered = Weight(2, "d")
    h = Input("d")
    assert count(ResidualUnit(h + numbered.T @ (numbered @ h)), ("W1", "W1"), (1, 1)) == 4 * 2


@pytest.mark.parametrize("loss", [squared, generic_loss])
@pytest.mark.parametrize(
    "expression",
    [
        catalogue.n_shortcut(1, PRE, MID, POST),
        catalogue.n_shortcut(2, PRE, MID, POST, "k"),
        catalogue.biased(MID),
        catalogue.tied(MID),
    ],
)
def test_every_entry_of_a_larger_network_is_an_instance_of_its_pattern(expression: Expression, loss: Loss) -> None:
    unit, d = ResidualUnit(expression), 3
    network = Network(unit, 3, loss)
    sizes = {"d": d, "k": 2}
    found = second_derivatives(unit, network.loss)
    full = hessian_at_initial_point(network, sizes)
    labels = [_parse(label) for label in parameter_labels(network, sizes)]
    by_name = {name: weight for weight, name in unit.names.items()}
    for a, (first, r, i, j) in list(enumerate(labels))[::2]:
        for b, (second, s, p, q) in enumerate(labels[a:], start=a):
            slots = (*by_name[first].shape, *by_name[second].shape)
            values, names = _canonical(slots, (i, j, p, q))
            pattern = WeightPair((1, 1 + (r != s)), (first, second), ((values[0], values[1]), (values[2], values[3])))
            renamed = {
                tuple(sorted((_rename(name, names), power) for name, power in monomial)): coefficient
                for monomial, coefficient in found[pattern].items()
            }
            assert renamed == full.ring.plain(full[a, b]), (labels[a], labels[b])


def _parse(label: str) -> tuple[str, int, int, int]:
    """W1(2)_3_4 as W1, 2, 3, 4."""
    name, _, numbers = label.partition("(")
    unit, i, j = map(int, numbers.replace(")", "").split("_"))
    return name, unit, i, j


def _canonical(slots: tuple[object, ...], values: tuple[int, ...]) -> tuple[list[int], dict[int, int]]:
    """The pattern's index values, and the coordinate of dimension d that each stands for."""
    seen: dict[object, dict[int, int]] = {}
    canonical: list[int] = []
    for slot, value in zip(slots, values, strict=True):
        canonical.append(seen.setdefault(slot, {}).setdefault(value, len(seen.get(slot, {})) + 1))
    return canonical, {new: old for old, new in seen.get("d", {}).items()}


def _rename(name: str, coordinates: dict[int, int]) -> str:
    """x_1_1, pre'(x_1_1), g_1_1 or Q_1_2_1 with the coordinates replaced."""
    for mark in ("x_", "y_", "g_", "Q_"):
        if mark in name and "(0)" not in name:
            head, _, tail = name.partition(mark)
            numbers = tail.rstrip(")").split("_")
            rows = sorted(coordinates[int(number)] for number in numbers[:-1])
            return head + mark + "_".join(map(str, [*rows, numbers[-1]])) + ")" * tail.count(")")
    return name


def test_cross_entropy_has_no_relation_among_some_coordinates_only() -> None:
    unit = n_shortcut(1)
    assert second_derivatives(unit, cross_entropy) == second_derivatives(unit, generic_loss)


def test_both_rings_agree() -> None:
    unit = n_shortcut(1)
    assert second_derivatives(unit) == second_derivatives(unit, ring=sympy_ring)


def _units_that_do_not_reduce() -> list[tuple[Expression, str]]:
    h, w, a, v = Input("d"), Weight("d", "d"), Weight(1, 1), Weight("k", "d")
    return [
        (catalogue.fixup(MID), "sums over all of d; expected one of the factors to be a weight that starts at zero"),
        (h + Constant(1, "d", "d") @ h, "sums over all of d"),
        (h + a * h, "every output coordinate depends on one weight"),
        (h + Constant(1, "d", "k") @ (v @ h), "every output coordinate depends on one weight"),
        (catalogue.pre_norm(), "couples all coordinates"),
        (catalogue.attention(), "mixes columns"),
        (2 * h + w @ h, "output is 2*x_1_1; expected the identity"),
    ]


@pytest.mark.parametrize(("expression", "message"), _units_that_do_not_reduce())
def test_where_the_reduction_does_not_apply(expression: Expression, message: str) -> None:
    with pytest.raises(ArchitectureError, match=message.replace("*", r"\*")):
        _ = second_derivatives(ResidualUnit(expression))


def test_identity_constants_are_no_coupling() -> None:
    h, w = Input("d"), Weight("d", "d")
    check_reducible(ResidualUnit(h + w @ (identity("d") @ h)))
    found = second_derivatives(ResidualUnit(h + w @ (identity("d") @ h)))
    assert found == second_derivatives(ResidualUnit(h + w @ h))
    assert found[WeightPair((1, 1), ("W1", "W1"), ((1, 1), (1, 1)))] == {(("x_1_1", 2),): Fraction(1)}
