"""Transformation paths of any number of layers, by induction over one layer.

A path of an n-shortcut unit is u_0 = pre(h), u_1 = W_1 u_0, u_l = W_l mid(u_{l-1}), and the branch is post(u_n). The
engine runs once on one layer with an arbitrary input, and that run is the induction step for every n:

- the layer vanishes when its weight does, and when its input does (mid(0) = 0);
- with an input of degree one, every term of the layer has exactly one factor of its weight and at least one of its
  input, so an input of order k gives an output of order k + 1, with lowest part mid'(0) W u.
"""

from __future__ import annotations

from dataclasses import dataclass

from resproof.architectures.forms.terms import Opaque, Perturbation
from resproof.architectures.nodes import Activation, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.symbolic.index.lift import data, layout, perturbations, unit_series
from resproof.symbolic.index.series import Series, Sum, collect, lowest_degree, series, substitute, tensor


def identity_without(unit: ResidualUnit, name: str | None) -> bool:
    """Whether the unit is the identity map when the weight `name` vanishes, whatever values all others take.

    Input and the other weights are arbitrary tensors, so True is equality of functions; None lets no weight vanish.
    """
    others = [other for other in unit.names.values() if other != name]
    return unit_series(unit, series([data(unit)], 0), perturbed=(), opaque=others)[0] == data(unit)


@dataclass(frozen=True, slots=True)
class Layer:
    """What one run on h -> W sigma(h) found: the induction step.

    `vanishes_with_weight` and `vanishes_with_input`: exact zero maps. `degrees`: the pairs (factors of W, factors of
    the input) that occur up to the order computed. `lowest`: the part of least degree, with W and the input as dW, u.
    """

    vanishes_with_weight: bool
    vanishes_with_input: bool
    degrees: frozenset[tuple[int, int]]
    lowest: Sum


def layer(activation: Activation, order: int = 4) -> Layer:
    """The layer W sigma(u) with an arbitrary weight and an arbitrary input of degree one."""
    unit = _layer_unit(activation)
    free = layout(unit).output
    u = tensor(Opaque("u", tuple(free.values()), degree=1), tuple(free))
    found = unit_series(unit, series([{}, u], order))
    least, nothing = lowest_degree(found), series([], order)
    return Layer(
        vanishes_with_weight=unit_series(unit, series([data(unit)], order), perturbed=()) == nothing,
        vanishes_with_input=unit_series(unit, nothing) == nothing,
        degrees=_degrees(found),
        lowest={} if least is None else found[least],
    )


def activation_alone(activation: Activation, order: int = 4) -> Series:
    """The series of sigma(u) for an arbitrary u of degree one."""
    h = Input("d")
    unit = ResidualUnit(activation(h))
    free = layout(unit).output
    return unit_series(unit, series([{}, tensor(Opaque("u", tuple(free.values()), degree=1), tuple(free))], order))


def negate(form: Sum, weight: str) -> Sum:
    """The form with the perturbation of one weight, in every unit, replaced by its negative."""
    return collect(
        (coefficient * (-1) ** sum(_is_weight(t, weight) for t, _ in factors), scalars, factors)
        for (scalars, factors), coefficient in form.items()
    )


def along(unit: ResidualUnit, form: Sum, direction: dict[str, Sum], number: int = 1) -> Sum:
    """The form with the perturbation of each weight named replaced by a matrix; free indices -1, -2 are its slots."""
    variables = perturbations(unit, number)
    for name, value in direction.items():
        form = substitute(form, variables[name], value)
    return form


def _layer_unit(activation: Activation) -> ResidualUnit:
    return ResidualUnit(Weight("d", "d", name="W") @ activation(Input("d")))


def _is_weight(t: object, name: str) -> bool:
    return isinstance(t, Perturbation) and t.weight == name


def _degrees(found: Series) -> frozenset[tuple[int, int]]:
    def count(factors: tuple[tuple[object, tuple[int, ...]], ...]) -> tuple[int, int]:
        moved = sum(isinstance(t, Perturbation) for t, _ in factors)
        return moved, sum(isinstance(t, Opaque) for t, _ in factors)

    return frozenset(count(factors) for part in found for _, factors in part)
