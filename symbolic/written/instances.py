"""Index terms written out at given sizes: the bridge from a claim for all sizes to the entries of a small network.

Every summed index runs over its range; X, Y, g, Q and the values of activations become the symbols that
`explicit` uses for the same entries, a perturbation becomes its parameter's number. The values p of a softmax
are 1/n at equal arguments, else symbols with sum p = 1 solved for the last; a normalised value is r c_i, with c the
(centred) argument and r = (mean(c^2) + epsilon)^(-1/2) a symbol. The two routes share nothing but these names, so
their agreement is evidence for both.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import factorial
from typing import TypeAlias, assert_never

from resproof.architectures.activations import prime, relu
from resproof.architectures.contraction import pairwise
from resproof.architectures.dimensions import Dimension, Shape
from resproof.architectures.errors import ArchitectureError, NotDifferentiableError
from resproof.architectures.forms.hessian_blocks import UNITS, block_at
from resproof.architectures.forms.terms import (
    ActivationValue,
    DataTensor,
    Delta,
    Factor,
    IndexSum,
    InitialWeight,
    InverseRoot,
    InverseScale,
    LossDerivative,
    Normalised,
    Opaque,
    Pattern,
    Perturbation,
    Secant,
    SoftmaxValue,
    Tensor,
)
from resproof.architectures.losses import Loss
from resproof.architectures.nodes import Activation, Apply, nodes
from resproof.architectures.patterns import in_pattern, pattern_entry
from resproof.architectures.stages import ResidualUnit
from resproof.symbolic.algebra.rings import Element, Plain, Ring, flint_ring, show
from resproof.symbolic.index.lift import layout
from resproof.symbolic.index.series import Scalars, Sum, thaw
from resproof.symbolic.written.forward import entry_name
from resproof.symbolic.written.names import inverse_root, loss_derivative, plain_product, plain_sign, softmax_name
from resproof.symbolic.written.plans import Instance, parameter_number, size, weight_offsets

Quadratic = dict[tuple[int, int], Plain]
"""Coefficients of w_a w_b, a <= b."""

_Where: TypeAlias = tuple[int, ...]
_Table: TypeAlias = tuple[tuple[int, ...], dict[_Where, Plain]]
_Elements: TypeAlias = tuple[tuple[int, ...], dict[_Where, Element]]
"""Indices, and what is not zero for their values: in plain form, or as elements of a ring."""


def hessian_entries(
    unit: ResidualUnit,
    loss: Loss,
    diagonal: Sum,
    cross: Sum,
    units: int,
    sizes: Mapping[str, int],
    samples: int,
    data: Instance | None = None,
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
        data: numbers in place of the symbols of X and Y.
    """
    here = _setting(unit, loss, tuple(sorted({**sizes, "m": samples}.items())), data)
    count = here.parameters
    entries: Quadratic = {}
    forms = {"D": list(_monomials(diagonal, here)), "A": list(_monomials(cross, here))}
    for column, row in product(range(units), repeat=2):
        block = block_at(row, column)
        unit_of = dict(zip(UNITS[block], (row, column), strict=True))
        for parameters, coefficient in forms.get(block, ()):
            placed = sorted(unit_of[number] * count + p for number, p in parameters)
            place = (placed[0], placed[1])
            # d^2/dw_a^2 of q w_a^2 is 2 q, d^2/dw_a dw_b of q w_a w_b is q.
            _accumulate(entries.setdefault(place, {}), coefficient, 2 if placed[0] == placed[1] else 1)
    return {place: value for place, value in entries.items() if value}


@dataclass(frozen=True, slots=True)
class _Setting:
    """The number of each weight's first parameter and its shape; a unit's parameters; the width.

    `stream` are the dimensions of a sample, rows first; tensors have no slot for one that is the number 1. `known`
    remembers the entries of the tensors that were written out, `values` those of their arguments, `products` those of
    their products: several forms have them in common.
    """

    offsets: Mapping[str, tuple[int, Shape]]
    parameters: int
    stream: Shape
    loss: Loss
    sizes: Mapping[str, int]
    data: Instance | None
    activations: Mapping[str, Activation]
    known: dict[Tensor, dict[_Where, Plain]] = field(default_factory=dict)
    values: dict[IndexSum, dict[_Where, Plain]] = field(default_factory=dict)
    products: dict[object, _Table] = field(default_factory=dict)

    @property
    def width(self) -> int:
        """The number of rows."""
        return size(self.stream[0], self.sizes)

    def datum(self, side: str, where: tuple[int, ...]) -> Plain:
        """An entry of x or y."""
        rows = int(self.stream[0] != 1)
        (row,), rest = _place(self.stream[:1], where[:rows]), self.column(where[rows:])
        if self.data is None:
            return _symbol("_".join([side, *(str(i + 1) for i in (row, *rest))]))
        *column, sample = rest
        number = 0
        for index, dimension in zip(column, self.stream[1:], strict=True):
            number = number * size(dimension, self.sizes) + index
        value = self.data.number(side, row, [number, sample] if column else [sample])
        return {(): value} if value else {}

    def column(self, rest: Sequence[int]) -> list[int]:
        """([column, ...] sample), those of the only index named too."""
        return [*_place(self.stream[1:], rest[:-1]), rest[-1]]


@lru_cache(maxsize=16)
def _setting(unit: ResidualUnit, loss: Loss, given: tuple[tuple[str, int], ...], data: Instance | None) -> _Setting:
    sizes = dict(given)
    first, count = weight_offsets(unit, sizes)
    # A frozen weight has entries, but no parameters.
    offsets = {name: (first.get(weight, 0), weight.shape) for weight, name in unit.every_name.items()}
    place = layout(unit)
    activations = {n.activation.name: n.activation for n in nodes(unit.expression) if isinstance(n, Apply)}
    stream = (place.width, *(() if place.columns is None else (place.columns, *place.further)))
    return _Setting(offsets, count, stream, loss, sizes, data, activations)


def _monomials(form: Sum, here: _Setting) -> Iterator[tuple[list[tuple[int, int]], Plain]]:
    """(unit number, parameter) of both perturbations, and the coefficient, for every value of every index."""
    for (scalars, factors), coefficient in form.items():
        moved = [(t, slots) for t, slots in factors if isinstance(t, Perturbation)]
        others = [(t, slots) for t, slots in factors if not isinstance(t, Perturbation)]
        ranges = {i: size(t.dims[k], here.sizes) for t, slots in moved for k, i in enumerate(slots)}
        key = (tuple(others), tuple(sorted(ranges)))
        if key not in here.products:
            here.products[key] = _contracted(others, ranges, here)
        factor, (indices, cells) = _scalars(scalars, coefficient, here.sizes), here.products[key]
        rest = [i for i in ranges if i not in indices]
        for found, product_ in cells.items():
            value = plain_product(factor, product_)
            for values in product(*(range(ranges[i]) for i in rest)):
                at = dict(zip((*indices, *rest), (*found, *values), strict=True))
                yield [_parameter(t, tuple(at[i] for i in slots), here) for t, slots in moved], value


def _parameter(t: Perturbation, where: tuple[int, ...], here: _Setting) -> tuple[int, int]:
    """The unit number and the number within the unit of one entry of a perturbation."""
    first, shape = here.offsets[t.weight]
    sizes = tuple(size(n, here.sizes) for n in shape)
    return t.unit, first + parameter_number(_place(shape, where), sizes)


def _contracted(factors: Sequence[Factor], kept: Collection[int], here: _Setting) -> _Table:
    """The product of the factors for every value of the kept indices; the others are summed over."""
    entries = [_entries(t, here) for t, _ in factors]
    ring = flint_ring(sorted({name for of in entries for plain in of.values() for one in plain for name, _ in one}))
    left = [((), {(): ring.one}), *(_factor(slots, of, ring) for (_, slots), of in zip(factors, entries, strict=True))]
    axes = (tuple((i, size(n, here.sizes)) for n, i in zip(t.dims, slots, strict=True)) for t, slots in factors)
    for i, j in pairwise(((), *axes), tuple(kept)):
        (a, b), left = (left[i], left[j]), [one for k, one in enumerate(left) if k not in {i, j}]
        left.append(_joined(a, b, {*kept}.union(*(indices for indices, _ in left)), ring))
    indices, cells = left[0]
    return indices, {where: ring.plain(total) for where, total in cells.items() if total}


def _factor(slots: tuple[int, ...], entries: Mapping[tuple[int, ...], Plain], ring: Ring) -> _Elements:
    """A tensor's entries that are not zero, on the diagonal of the slots that have one index."""
    indices = tuple(dict.fromkeys(slots))
    places = [slots.index(i) for i in indices]
    on = {
        tuple(where[k] for k in places): ring.element(plain)
        for where, plain in entries.items()
        if plain and all(where[k] == where[slots.index(i)] for k, i in enumerate(slots))
    }
    return indices, on


def _joined(a: _Elements, b: _Elements, needed: Collection[int], ring: Ring) -> _Elements:
    """The product of two tables, summed over the indices that are not needed."""
    (first, left), (second, right) = a, b
    common, more = [i for i in first if i in second], [i for i in second if i not in first]
    rows: dict[tuple[int, ...], list[tuple[tuple[int, ...], Element]]] = {}
    at, rest = [second.index(i) for i in common], [second.index(i) for i in more]
    for where, value in right.items():
        rows.setdefault(tuple(where[k] for k in at), []).append((tuple(where[k] for k in rest), value))
    places = [k for k, i in enumerate((*first, *more)) if i in needed]
    at = [first.index(i) for i in common]
    total: dict[tuple[int, ...], Element] = {}
    for where, value in left.items():
        for tail, other in rows.get(tuple(where[k] for k in at), ()):
            whole = where + tail
            place = tuple(whole[k] for k in places)
            total[place] = total.get(place, ring.zero) + value * other
    return tuple((*first, *more)[k] for k in places), total


def _entries(t: Tensor, here: _Setting) -> dict[tuple[int, ...], Plain]:
    """Every entry of a tensor."""
    if t not in here.known:
        places = product(*(range(size(dimension, here.sizes)) for dimension in t.dims))
        here.known[t] = {where: _entry(t, where, here) for where in places}
    return here.known[t]


def _place(shape: Sequence[Dimension], where: Sequence[int]) -> tuple[int, ...]:
    """The indices along all axes from those of the slots: an axis that is written as the number 1 has none."""
    given = iter(where)
    return tuple(0 if dimension == 1 else next(given) for dimension in shape)


def _entry(t: Tensor, where: tuple[int, ...], here: _Setting) -> Plain:
    """One entry of a tensor as a polynomial in the symbols of the explicit route.

    Raises:
        ArchitectureError: the tensor has no exact entries.
    """
    match t:
        case DataTensor(name=name):
            return here.datum(name.lower(), where)
        case Delta():
            return {(): Fraction(1)} if where[0] == where[1] else {}
        case LossDerivative(order=1) if here.loss.quadratic:
            difference = dict(here.datum("x", where))
            _accumulate(difference, here.datum("y", where), Fraction(-1))
            return difference
        case LossDerivative(order=order):
            rows = where[:order] if t.row_slots else (0,) * order
            tag = "_".join(str(i + 1) for i in here.column(where[t.row_slots :]))
            return loss_derivative(rows, tag, width=here.width, centred=t.centred)
        case ActivationValue(activation=name, order=k, argument=argument):
            point = _values(argument, here)[where]
            if name == relu.name and (side := plain_sign(point)):
                # Linear on either side of its kink: t or 0, slope 1 or 0.
                return {} if side < 0 else point if k == 0 else {(): Fraction(1)}
            if not point and name in here.activations and not (k and Fraction(0) in here.activations[name].kinks):
                return _derivative_at_zero(here.activations[name], k)
            return _symbol(f"{name}{prime(k)}({show(point)})")
        case InitialWeight(weight=name):
            symbol = entry_name(name, *_place(here.offsets[name][1], where))
            known = here.data.initial if here.data else {}
            return {(): known[symbol]} if symbol in known else _symbol(symbol)
        case Pattern(pattern=pattern):
            entry = pattern_entry(pattern, t.place(where), tuple(size(n, here.sizes) for n in t.shape))
            return {(): Fraction(entry)} if entry else {}
        case SoftmaxValue():
            return _softmax_entry(t, where, here)
        case Normalised():
            line = _line(t, (*where[: t.slot], *where[t.slot + 1 :]), here)
            centred = _centred(line) if t.centred else line
            return plain_product(_inverse_scale(t, centred), centred[where[t.slot]])
        case InverseRoot(argument=argument):
            return inverse_root(_values(argument, here)[()])
        case InverseScale():
            line = _line(t, where, here)
            return _inverse_scale(t, _centred(line) if t.centred else line)
        case Opaque() | Perturbation() | Secant():
            raise ArchitectureError(f"{t.label}: has no exact entries; expected a function of the data")
        case _:
            assert_never(t)


def _derivative_at_zero(activation: Activation, k: int) -> Plain:
    """f^(k)(0)."""
    coefficient = activation.taylor(k)
    value = coefficient.rational * factorial(k)
    monomial = () if coefficient.symbol is None else ((coefficient.symbol, 1),)
    return {monomial: value} if value else {}


def _softmax_entry(t: SoftmaxValue, where: tuple[int, ...], here: _Setting) -> Plain:
    """1/n where the n arguments that the mask lets through are equal, else a symbol; the last is 1 less the others."""
    line = _line(t, (*where[: t.slot], *where[t.slot + 1 :]), here)

    def inside(place: int) -> bool:
        at = (*where[: t.slot], place, *where[t.slot + 1 :])
        return t.mask is None or in_pattern(t.mask, *(at[k] for k in t.masked))

    seen = [place for place in range(len(line)) if inside(place)]
    if where[t.slot] not in seen:
        return {}
    arguments = [line[place] for place in seen]
    if all(argument == arguments[0] for argument in arguments):
        return {(): Fraction(1, len(seen))}
    *others, last = seen
    if where[t.slot] != last:
        return _symbol(softmax_name(seen.index(where[t.slot]), arguments))
    return {(): Fraction(1)} | {((softmax_name(k, arguments), 1),): Fraction(-1) for k, _ in enumerate(others)}


def _inverse_scale(t: Normalised | InverseScale, line: list[Plain]) -> Plain:
    """(mean(c^2) + epsilon)^(-1/2) of the line c.

    Raises:
        NotDifferentiableError: the root is of 0.
    """
    radicand: Plain = {(): t.epsilon} if t.epsilon else {}
    for entry in line:
        _accumulate(radicand, plain_product(entry, entry), Fraction(1, len(line)))
    if not radicand:
        raise NotDifferentiableError(f"{t.label}: its argument has zero scale at the initial point at these sizes")
    return inverse_root(radicand)


def _centred(line: list[Plain]) -> list[Plain]:
    """Each entry less the mean."""
    centred = [dict(entry) for entry in line]
    for entry in centred:
        for other in line:
            _accumulate(entry, other, Fraction(-1, len(line)))
    return centred


def _line(t: SoftmaxValue | Normalised | InverseScale, others: tuple[int, ...], here: _Setting) -> list[Plain]:
    """The arguments along the tensor's slot, its other slots being at these places."""
    values, length = _values(t.argument, here), size(t.argument.free[t.slot][1], here.sizes)
    return [values[*others[: t.slot], place, *others[t.slot :]] for place in range(length)]


def _values(argument: IndexSum, here: _Setting) -> dict[tuple[int, ...], Plain]:
    """A sum without perturbations at all values of its free indices."""
    if argument not in here.values:
        free = [index for index, _ in argument.free]
        places = product(*(range(size(n, here.sizes)) for _, n in argument.free))
        found: dict[tuple[int, ...], Plain] = {where: {} for where in places}
        for (scalars, factors), coefficient in thaw(argument).items():
            factor, (indices, cells) = _scalars(scalars, coefficient, here.sizes), _contracted(factors, free, here)
            at = [free.index(i) for i in indices]
            for where, total in found.items():
                if value := cells.get(tuple(where[k] for k in at)):
                    _accumulate(total, plain_product(factor, value), 1)
        here.values[argument] = found
    return here.values[argument]


def _scalars(scalars: Scalars, coefficient: Fraction, sizes: Mapping[str, int]) -> Plain:
    """The coefficient with the sizes put in; other symbols stay."""
    monomial: list[tuple[str, int]] = []
    for name, power in scalars:
        if name in sizes:
            coefficient *= Fraction(sizes[name]) ** power
        else:
            monomial.append((name, power))
    return {tuple(sorted(monomial)): coefficient}


def _symbol(name: str) -> Plain:
    return {((name, 1),): Fraction(1)}


def _accumulate(total: Plain, summand: Plain, factor: Fraction | int) -> None:
    """total += factor * summand, factor not being 0."""
    for monomial, coefficient in summand.items():
        value = coefficient if factor == 1 else factor * coefficient
        if monomial in total:
            value += total.pop(monomial)
        if value:
            total[monomial] = value
