"""Which sizes an index-notation result left free: every dimension that its tensors name, and what they stand for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce

from resproof.architectures.dimensions import SAMPLES, names
from resproof.architectures.nodes import Expression
from resproof.architectures.stages import ResidualUnit
from resproof.symbolic.index.series import Sum
from resproof.symbolic.scope import Scope, require_occurring

_NOTHING: Mapping[str, str] = {}


def of_unit(unit: ResidualUnit) -> Scope:
    """Every dimension that the unit names, m, and R: units are named first and second (GEN-1)."""
    return Scope.leaving_free("R", *(name for name in unit.dimensions if isinstance(name, str)), "m")


def of_terms(*sums: Sum, products: Mapping[str, str] = _NOTHING) -> Scope:
    """The named dimensions of the tensors that occur, m where a sample does.

    `products`: {label: size} for opaque tensors that stand for a product of so many factors, whatever their number:
    nothing in the sum can tell how many they are.

    Raises:
        ValueError: a tensor of `products` does not occur.
    """
    factors = {factor for one in sums for _, parts in one for factor, _ in parts}
    sizes = {name for factor in factors for dimension in factor.dims for name in names(dimension)}
    symbols = {name for one in sums for scalars, _ in one for name, _ in scalars}
    require_occurring(products, sorted(factor.label for factor in factors))
    return Scope.leaving_free(*sizes, *(symbols & {SAMPLES}), *products.values())


def of_units(units: Iterable[ResidualUnit]) -> Scope:
    """The same of several units: each dimension that one of them names was a symbol wherever it occurs."""
    return reduce(Scope.__and__, map(of_unit, units))


def of_expressions(*expressions: Expression) -> Scope:
    """The named dimensions of expressions: shapes are compared by name, and different names are never equal."""
    return Scope.leaving_free(*(name for one in expressions for dimension in one.shape for name in names(dimension)))
