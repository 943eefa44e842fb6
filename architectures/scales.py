"""A scale in front of every branch that may depend on the number R of units: h + s (unit(h) - h), s = c R^-a.

The scale is a frozen weight of one entry, so that every reading of an expression knows it: a symbol where things are
proved, the float nearest to c R^-a in numbers. One weight stands in all units.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from resproof.architectures.errors import ArchitectureError, show_value
from resproof.architectures.nodes import Add, Expression, Input, Weight
from resproof.architectures.properties import the_input
from resproof.architectures.rebuild import Leaf, rebuilt
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.text import unused
from resproof.architectures.values import Values, is_exact

NAME = "s"
_NUMBER = r"[1-9][0-9]{0,8}(?:/[1-9][0-9]{0,8})?"
_FORM = re.compile(rf"({_NUMBER})(?:/(?:(sqrt)\(R\)|R(?:\^\(?({_NUMBER})\)?)?))?")


@dataclass(frozen=True, slots=True)
class Scale:
    """s = factor R^-power, factor > 0 and power >= 0."""

    factor: Fraction
    power: Fraction = Fraction(0)

    def at(self, units: int) -> Fraction | float:
        """s at this depth: a fraction where the power is whole, else a float."""
        if self.power.denominator == 1:
            return self.factor / units**self.power.numerator
        return float(self.factor) * float(units) ** -float(self.power)

    def weight(self, units: int, name: str = NAME) -> Weight:
        """s as a frozen weight that starts there at this depth."""
        s = self.at(units)
        near = float(s)
        values = Values((1, 1), (near if near == s else Fraction(s),), str(self), arbitrary=True)
        return Weight(1, 1, initial=values, name=name, trainable=False)

    def __str__(self) -> str:
        powers = {Fraction(0): "", Fraction(1): "/R", Fraction(1, 2): "/sqrt(R)"}
        return f"{self.factor}{powers.get(self.power, f'/R^({self.power})')}"


def scale_of(given: object) -> Scale:
    """The scale that an exact number or a text such as "1/sqrt(R)" says.

    Raises:
        ArchitectureError: it says none, or no positive one.
    """
    found = _FORM.fullmatch("".join(str(given).split())) if isinstance(given, str) or is_exact(given) else None
    if found is None:
        raise ArchitectureError(
            f"network: scale is {show_value(given)}; expected a positive int or Fraction of at most nine digits, "
            'or a text such as "1/R", "1/sqrt(R)" or "2/R^(1/4)"'
        )
    factor, root, power = found.groups()
    below = Fraction(1, 2) if root else Fraction(power or int("R" in found[0]))
    return Scale(Fraction(factor), below)


def free_name(units: Iterable[ResidualUnit]) -> str:
    """A name for the scale that no weight of the units has."""
    return unused(NAME, {name for unit in units for name in unit.every_name.values()})


def scaled(unit: ResidualUnit, s: Weight) -> ResidualUnit:
    """h + s (unit(h) - h), all names kept."""
    h, whole = the_input(unit.expression), unit.expression
    return ResidualUnit(h + s * _branch(whole, h), {**unit.every_name, s: str(s.name)}, tokens=unit.tokens)


def _branch(whole: Expression, h: Input) -> Expression:
    match whole:
        case Add(left=left, right=right) if left is h:
            return right
        case Add(left=left, right=right) if right is h:
            return left
        case _:
            return whole - h


def scale_in(unit: ResidualUnit) -> Weight | None:
    """The frozen weight that is a scale, where the unit has one."""
    return next((w for w in unit.frozen if isinstance(w.initial, Values) and w.initial.arbitrary), None)


def at_depth(unit: ResidualUnit, scale: Scale | None, units: int) -> ResidualUnit:
    """A unit that `scaled` has made, its scale that of so many units; itself where it has none."""
    old = scale_in(unit)
    if old is None or scale is None:
        return unit
    new = scale.weight(units, str(old.name))
    if new.initial == old.initial:
        return unit

    def leaf(node: Leaf) -> Leaf:
        return new if node is old else node

    kept = {w: name for w, name in unit.every_name.items() if w is not old}
    return ResidualUnit(rebuilt(unit.expression, leaf), {**kept, new: str(new.name)}, tokens=unit.tokens)
