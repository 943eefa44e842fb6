"""Losses that are not smooth at zero, along rays: the coefficients of their expansions on either side, exactly."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import product

import numpy as np

from resproof.architectures.networks import Network
from resproof.architectures.nodes import Expression
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.network.adjoint import value
from resproof.proofs.routes.predicates import property_of
from resproof.proofs.statement import Computed, Context
from resproof.symbolic.algebra.matrices import inverse, matrix, multiply
from resproof.symbolic.scope import Scope

Loss = Callable[..., Fraction]


def one_sided(loss: Loss, direction: tuple[int, ...], degree: int = 2) -> Fraction:
    """The coefficient of t^degree, t > 0, of a loss that is a polynomial of degree <= 8 in t along a ray.

    Exact, by interpolation at t = k/64, k = 1..9, so the ray has to meet no kink for 0 < t <= 9/64.
    """
    nodes = [Fraction(k, 64) for k in range(1, 10)]
    powers = matrix([[t**k for k in range(len(nodes))] for t in nodes])
    values = matrix([[loss(*(t * v for v in direction))] for t in nodes])
    return multiply(inverse(powers), values)[degree][0]


def running_loss(expression: Expression, units: int, x: int, y: int) -> Loss:
    """The loss of a network with d = m = 1 as an exact function of its weights, in parameter order.

    The network runs in float64: at dyadic weights with few digits every operation is exact, so the value is rational.
    """
    unit = ResidualUnit(expression)
    network, names = Network(unit, units), tuple(unit.names.values())
    data, targets = np.array([[float(x)]]), np.array([[float(y)]])

    def loss(*weights: Fraction) -> Fraction:
        values = np.array([float(w) for w in weights]).reshape(units, len(names))
        placed = {name: values[:, k].reshape(units, 1, 1) for k, name in enumerate(names)}
        return Fraction(value(network, placed, data, targets))

    return loss


_WEIGHTS = (-2, -1, 1, 2)


def as_it_runs(loss: Loss, expression: Expression, x: int, y: int) -> bool:
    """Whether a loss that is written out is that of one running unit, at all weights of a few whole numbers."""
    count, running = len(ResidualUnit(expression).names), running_loss(expression, 1, x, y)
    places = [tuple(map(Fraction, one)) for one in product(_WEIGHTS, repeat=count)]
    return all(loss(*place) == running(*place) for place in places)


@property_of(
    {(1,): (Fraction(1), Fraction(1))}, not_of=[{(1,): (Fraction(1), Fraction(1)), (2,): (Fraction(1), Fraction(2))}]
)
def same_both_ways(found: Mapping[tuple[int, ...], tuple[Fraction, Fraction]]) -> bool:
    """Whether a second-order part takes equal values along opposite rays, as every quadratic form does."""
    return all(forward == backward for forward, backward in found.values())


def opposite_rays(loss: Loss, rays: tuple[tuple[int, ...], ...], at: str, shown: str) -> Callable[[Context], Computed]:
    """The second-order coefficients along rays and their opposites, in pairs."""

    def compute(_: Context) -> Computed:
        found = {ray: (one_sided(loss, ray), one_sided(loss, tuple(-v for v in ray))) for ray in rays}
        return Computed(found, Scope.of(at), shown)

    return compute
