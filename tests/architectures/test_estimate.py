"""The estimate is an upper bound of what the series really has, and refuses what would not end."""

import pytest

from resproof.architectures.activations import polynomial, tanh
from resproof.architectures.catalogue import CATALOGUE
from resproof.architectures.errors import ArchitectureError
from resproof.architectures.estimate import MOST_FACTORS, MOST_TERMS, refuse_enormous, term_estimate
from resproof.architectures.nodes import Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import normal
from resproof.symbolic.index.lift import NotIdentityError, network_series, require_identity

H = Input("d")


@pytest.mark.parametrize("name", CATALOGUE)
def test_it_bounds_the_terms_of_two_units(name: str) -> None:
    block = CATALOGUE[name].build()
    refuse_enormous(block)
    found = network_series([ResidualUnit(block)] * 2, 2)
    assert sum(map(len, found)) <= term_estimate(block)


def test_it_bounds_a_polynomial_of_a_sum() -> None:
    w, u = (Weight("d", "d", initial=normal(1)) for _ in range(2))
    block = H + Weight("d", "d") @ polynomial(0, 1, 1, 1)(w @ H + u @ H + tanh(H))
    assert sum(map(len, network_series([ResidualUnit(block)] * 2, 2))) <= term_estimate(block)


def grown(times: int) -> Expression:
    node: Expression = H
    for _ in range(times):
        node = node + node
    return node


def squared(times: int) -> Expression:
    node: Expression = H
    for _ in range(times):
        node = node * node
    return node


def fanned(wide: int, power: int) -> Expression:
    """A power of a sum of random weights: wide^power terms."""
    weights = [Weight("d", "d", initial=normal(1)) for _ in range(wide)]
    summed = sum((w @ H for w in weights[1:]), start=weights[0] @ H)
    node: Expression = summed
    for _ in range(power - 1):
        node = node * summed
    return node


@pytest.mark.parametrize(
    ("branch", "message"),
    [
        (grown(40), "the expression written out has about 10^12 nodes"),
        (squared(8), f"257 factors; expected at most {MOST_FACTORS}"),
        (fanned(10, 7), f"terms; expected at most {MOST_TERMS}"),
    ],
)
def test_enormous_ones_are_refused(branch: Expression, message: str) -> None:
    with pytest.raises(ArchitectureError) as error:
        refuse_enormous(H + Weight("d", "d") @ branch)
    assert message in str(error.value)
    assert len(str(error.value)) < 300


def test_what_is_no_identity_is_said_before_its_series_is_refused() -> None:
    node: Expression = H
    for _ in range(3):
        node = tanh(sum((Weight("d", "d", initial=normal(1)) @ node for _ in range(12)), start=node))
    refuse_enormous(H + node, values=True)
    with pytest.raises(ArchitectureError, match=r"has up to about 10\^\d+ terms"):
        refuse_enormous(H + node)
    with pytest.raises(NotIdentityError):
        require_identity(ResidualUnit(H + node))
    with pytest.raises(ArchitectureError, match="terms; expected at most"):
        require_identity(ResidualUnit(H + Weight("d", "d") @ fanned(10, 7)))


def test_values_are_counted_at_every_node() -> None:
    refuse_enormous(H + fanned(3, 7), values=True)
    with pytest.raises(ArchitectureError, match="terms; expected at most"):
        refuse_enormous(H + Weight("d", "d") @ fanned(10, 7), values=True)
