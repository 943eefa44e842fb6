"""Index terms written out at given sizes: the bridge from a claim for all sizes to the entries of a small network.

Every summed index runs over its range; X, Y, g, Q and the values of activations become the symbols that
`symbolic.explicit` uses for the same entries, a perturbation becomes its parameter's number. The two routes share
nothing but these names, so their agreement is evidence for both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import assert_never

from architectures.activations import prime
from architectures.errors import ArchitectureError
from architectures.expressions import Dimension
from architectures.losses import Loss
from architectures.networks import ResidualUnit
from architectures.terms import (
    ActivationValue,
    Data,
    Delta,
    Factor,
    InitialWeight,
    InverseScale,
    LossDerivative,
    Normalised,
    Opaque,
    Pattern,
    Perturbation,
    SoftmaxValue,
    Tensor,
)
from symbolic.lift import layout
from symbolic.rings import Plain, show
from symbolic.series import Scalars, Sum, thaw

Quadratic = dict[tuple[int, int], Plain]
"""Coefficients of w_a w_b, a <= b."""


def hessian_entries(
    unit: ResidualUnit, loss: Loss, diagonal: Sum, cross: Sum, units: int, sizes: Mapping[str, int], samples: int
) -> Quadratic:
    """The upper triangle of I (x) D + L (x) A + L^T (x) A^T at these sizes, in the papers' parameter order.

    Args:
        unit: names the weights and their order.
        loss: the squared loss writes g as x - y.
        diagonal: 1/2 v_1^T D v_1.
        cross: v_2^T A v_1, unit 2 the later one.
        units: the number R of units.
        sizes: a number for every named dimension but the samples.
        samples: the number m of samples.
    """
    everywhere = {**sizes, "m": samples}
    names, count = _name_entries(unit, everywhere)
    entries: Quadratic = {}
    pairs = [(first, second) for first in range(units) for second in range(first, units)]
    forms = {
        True: list(_monomials(diagonal, names, loss, everywhere)),
        False: list(_monomials(cross, names, loss, everywhere)),
    }
    for first, second in pairs:
        for parameters, coefficient in forms[first == second]:
            placed = sorted(first * count + p if number == 1 else second * count + p for number, p in parameters)
            place = (placed[0], placed[1])
            # d^2/dw_a^2 of q w_a^2 is 2 q, d^2/dw_a dw_b of q w_a w_b is q.
            _accumulate(entries.setdefault(place, {}), coefficient, 2 if placed[0] == placed[1] else 1)
    return {place: value for place, value in entries.items() if value}


@dataclass(frozen=True, slots=True)
class _Names:
    """The number of each weight's first parameter and its rows; whether the stream's width is 1."""

    offsets: Mapping[str, tuple[int, int]]
    scalar: bool


def _name_entries(unit: ResidualUnit, sizes: Mapping[str, int]) -> tuple[_Names, int]:
    """How the entries of this unit are named, and the number of parameters of a unit."""
    offsets: dict[str, tuple[int, int]] = {}
    count = 0
    for weight, name in unit.names.items():
        rows, cols = (_size(n, sizes) for n in weight.shape)
        offsets[name] = (count, rows)
        count += rows * cols
    return _Names(offsets, layout(unit).width == 1), count


def _size(dimension: Dimension, sizes: Mapping[str, int]) -> int:
    return dimension if isinstance(dimension, int) else sizes[dimension]


def _monomials(
    form: Sum, names: _Names, loss: Loss, sizes: Mapping[str, int]
) -> Iterator[tuple[list[tuple[int, int]], Plain]]:
    """(unit number, parameter) of both perturbations, and the coefficient, for every value of every index."""
    for (scalars, factors), coefficient in form.items():
        ranges = {i: _size(t.dims[k], sizes) for t, slots in factors for k, i in enumerate(slots)}
        number = _scalars(scalars, coefficient, sizes)
        for values in product(*(range(n) for n in ranges.values())):
            at = dict(zip(ranges, values, strict=True))
            parameters, value = _factors(factors, at, number, names, loss, sizes)
            if value:
                yield parameters, value


def _factors(
    factors: tuple[Factor, ...],
    at: Mapping[int, int],
    value: Plain,
    names: _Names,
    loss: Loss,
    sizes: Mapping[str, int],
) -> tuple[list[tuple[int, int]], Plain]:
    parameters: list[tuple[int, int]] = []
    for t, slots in factors:
        where = tuple(at[i] for i in slots)
        if isinstance(t, Perturbation):
            first, rows = names.offsets[t.weight]
            i, j = _row_column(where, rows)
            parameters.append((t.unit, first + j * rows + i))
        else:
            value = _times(value, _entry(t, where, names, loss, sizes))
    return parameters, value


def _row_column(where: tuple[int, ...], rows: int) -> tuple[int, int]:
    """A weight with one row or one column has one slot, a scalar none."""
    if len(where) == 2:
        return where[0], where[1]
    only = where[0] if where else 0
    return (only, 0) if rows != 1 else (0, only)


def _entry(t: Tensor, where: tuple[int, ...], names: _Names, loss: Loss, sizes: Mapping[str, int]) -> Plain:
    """One entry of a tensor as a polynomial in the symbols of the explicit route.

    Raises:
        ArchitectureError: the tensor has no exact entries.
    """
    match t:
        case Data(name=name):
            return _symbol("_".join([name.lower(), *_named(where, names)]))
        case Delta():
            return {(): Fraction(1)} if where[0] == where[1] else {}
        case LossDerivative(order=1) if loss.quadratic:
            named = "_".join(_named(where, names))
            return {((f"x_{named}", 1),): Fraction(1), ((f"y_{named}", 1),): Fraction(-1)}
        case LossDerivative(order=order):
            rows = [0] * order if names.scalar else sorted(where[:order])
            rest = where[t.row_slots :]
            return _symbol("_".join([t.label, *(str(i + 1) for i in (*rows, *rest))]))
        case ActivationValue(activation=name, order=k, argument=argument):
            free = {index: i for (index, _), i in zip(argument.free, where, strict=True)}
            return _symbol(f"{name}{prime(k)}({show(_evaluate(thaw(argument), free, names, loss, sizes))})")
        case InitialWeight(weight=name):
            i, j = _row_column(where, names.offsets[name][1])
            return _symbol(f"{name}_{i + 1}_{j + 1}")
        case Pattern(pattern=pattern):
            offset = 0 if pattern == "causal" else int(pattern.split()[1])
            inside = where[0] <= where[1] if pattern == "causal" else where[1] == where[0] + offset
            return {(): Fraction(1)} if inside else {}
        case SoftmaxValue() | Normalised() | InverseScale() | Opaque() | Perturbation():
            raise ArchitectureError(f"{t.label}: has no exact entries; expected elementwise functions of the data only")
        case _:
            assert_never(t)


def _evaluate(
    summand: Sum,
    free: Mapping[int, int],
    names: _Names,
    loss: Loss,
    sizes: Mapping[str, int],
) -> Plain:
    """A sum without perturbations at given values of its free indices."""
    total: Plain = {}
    for (scalars, factors), coefficient in summand.items():
        ranges = {i: _size(t.dims[k], sizes) for t, slots in factors for k, i in enumerate(slots) if i >= 0}
        number = _scalars(scalars, coefficient, sizes)
        for values in product(*(range(n) for n in ranges.values())):
            at = {**free, **dict(zip(ranges, values, strict=True))}
            _, value = _factors(factors, at, number, names, loss, sizes)
            _accumulate(total, value, 1)
    return total


def _scalars(scalars: Scalars, coefficient: Fraction, sizes: Mapping[str, int]) -> Plain:
    """The coefficient with the sizes put in; other symbols stay."""
    monomial: list[tuple[str, int]] = []
    for name, power in scalars:
        if name in sizes:
            coefficient *= Fraction(sizes[name]) ** power
        else:
            monomial.append((name, power))
    return {tuple(sorted(monomial)): coefficient}


def _named(where: tuple[int, ...], names: _Names) -> list[str]:
    """The indices of an entry of the data from 1, with row 1 where the width is 1."""
    return [str(i + 1) for i in ((0, *where) if names.scalar else where)]


def _symbol(name: str) -> Plain:
    return {((name, 1),): Fraction(1)}


def _times(left: Plain, right: Plain) -> Plain:
    total: Plain = {}
    for (a, x), (b, y) in product(left.items(), right.items()):
        powers = dict(a)
        for name, power in b:
            powers[name] = powers.get(name, 0) + power
        _accumulate(total, {tuple(sorted(powers.items())): x * y}, 1)
    return total


def _accumulate(total: Plain, summand: Plain, factor: int) -> None:
    for monomial, coefficient in summand.items():
        value = total.get(monomial, Fraction(0)) + factor * coefficient
        if value:
            total[monomial] = value
        else:
            del total[monomial]
