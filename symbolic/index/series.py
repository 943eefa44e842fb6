"""Sums of index terms and Taylor series of them: the algebra of the index-notation side.

A *sum* is a dict {monomial: rational}; a monomial is a product of scalar symbols and tensor factors whose indices are
numbers, negative where they are free. Monomials are kept in canonical form (`canonical`), equal exactly when
they differ by a renaming of summed indices, by a symmetry of a slot or by the relations there, so that sums with equal
dicts are equal and what cancels is zero. The converse holds up to further relations between the values of functions
(tanh is odd), which are not applied: a sum that is shown as nonzero is so for symbols in general position.

A *series* is the list of the parts of degree 0, ..., K in the perturbations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial, reduce
from math import factorial
from typing import TypeAlias

from resproof.architectures.dimensions import Dimension
from resproof.architectures.dimensions import factors as factors_of
from resproof.architectures.forms.terms import COLUMN, ROW, Delta, Factor, IndexSum, Scalars, Tensor, Term
from resproof.symbolic.index.canonical import canonical, sort_key, times_scalars

Monomial: TypeAlias = tuple[Scalars, tuple[Factor, ...]]
Sum: TypeAlias = dict[Monomial, Fraction]
Series: TypeAlias = tuple[Sum, ...]
RawTerm: TypeAlias = tuple[Fraction, Scalars, tuple[Factor, ...]]
"""A term whose factors need not be in canonical form."""

ONE: Monomial = ((), ())

JOINT = -3000
"""The first of the free indices that no tensor uses, for what is about to be summed over."""


def constant(value: Fraction | int) -> Sum:
    """The sum of one term without factors."""
    return {ONE: Fraction(value)} if value else {}


def tensor(factor: Tensor, indices: Sequence[int]) -> Sum:
    """One tensor factor with coefficient one."""
    return collect([(Fraction(1), (), ((factor, tuple(indices)),))])


def symbol(name: str, power: int = 1) -> Sum:
    """A scalar symbol to a power."""
    return {(((name, power),), ()): Fraction(1)}


def size(dimension: Dimension, power: int = 1) -> Sum:
    """The number of values of an index: a symbol for a named dimension, a number otherwise."""
    sizes = (symbol(n, power) if isinstance(n, str) else constant(Fraction(n) ** power) for n in factors_of(dimension))
    return reduce(multiply, sizes)


def collect(terms: Iterable[RawTerm]) -> Sum:
    """The sum of raw terms, each brought to canonical form and like terms combined."""
    total: Sum = {}
    for coefficient, scalars, factors in terms:
        for gained, factor, ordered in canonical(factors):
            _add_term(total, (times_scalars(scalars, gained), ordered), _times(factor, coefficient))
    return total


def _add_term(total: Sum, monomial: Monomial, coefficient: Fraction) -> None:
    known = total.get(monomial)
    value = coefficient if known is None else known + coefficient
    if value:
        total[monomial] = value
    else:
        total.pop(monomial, None)


def _times(factor: Fraction, coefficient: Fraction) -> Fraction:
    """The product; most factors are one, which fractions find out by two greatest common divisors."""
    return coefficient if factor == 1 else factor * coefficient


def add(*sums: Sum) -> Sum:
    """The sum of sums; terms that cancel disappear."""
    total = dict(sums[0]) if sums else {}
    for other in sums[1:]:
        for monomial, coefficient in other.items():
            _add_term(total, monomial, coefficient)
    return total


def scale(factor: Fraction | int, summand: Sum) -> Sum:
    """A rational multiple."""
    return {monomial: factor * coefficient for monomial, coefficient in summand.items()} if factor else {}


def multiply(left: Sum, right: Sum) -> Sum:
    """The product; free indices of the same number are the same index, summed ones are kept apart."""
    if not left or not right:
        return {}
    (left_bare, left), (right_bare, right) = _without_tensors(left), _without_tensors(right)
    both = collect(_product_terms(_raw(left), _raw(right))) if left and right else {}
    return add(_times_bare(left_bare, right_bare), _times_bare(left_bare, right), _times_bare(right_bare, left), both)


def _without_tensors(summand: Sum) -> tuple[Sum, Sum]:
    """The terms that are scalars, and the others."""
    bare = {monomial: c for monomial, c in summand.items() if not monomial[1]}
    return bare, {monomial: c for monomial, c in summand.items() if monomial[1]} if bare else summand


def _times_bare(bare: Sum, summand: Sum) -> Sum:
    """The product with scalars, which leave canonical forms as they are."""
    parts = (
        {(times_scalars(scalars, others), factors): _times(number, c) for (others, factors), c in summand.items()}
        for (scalars, _), number in bare.items()
    )
    return add(*parts)


def _raw(summand: Sum) -> list[RawTerm]:
    return [(coefficient, scalars, factors) for (scalars, factors), coefficient in summand.items()]


def _product_terms(left: Sequence[RawTerm], right: Sequence[RawTerm]) -> Iterable[RawTerm]:
    offset = 1 + max((-1, *(i for _, _, factors in left for _, slots in factors for i in slots)))
    moved = [
        (other, scalars, tuple([(t, tuple([i + offset if i >= 0 else i for i in slots])) for t, slots in factors]))
        for other, scalars, factors in right
    ]
    for coefficient, scalars, factors in left:
        for other, other_scalars, other_factors in moved:
            yield _times(coefficient, other), times_scalars(scalars, other_scalars), factors + other_factors


def rename(summand: Sum, mapping: Mapping[int, int]) -> Sum:
    """Free indices renamed to other free indices."""
    return collect(_renamed(summand, mapping))


def _renamed(summand: Sum, mapping: Mapping[int, int]) -> list[RawTerm]:
    """The same, the factors left as they stand: for a product, which is brought to canonical form once."""
    return [(c, scalars, _slots(factors, mapping)) for (scalars, factors), c in summand.items()]


def _slots(factors: tuple[Factor, ...], mapping: Mapping[int, int]) -> tuple[Factor, ...]:
    return tuple([(t, tuple([mapping.get(i, i) for i in slots])) for t, slots in factors])


def contract(summand: Sum, free: Mapping[int, Dimension]) -> Sum:
    """The sum over free indices of the given dimensions; an index that does not occur counts its values."""
    return _contracted(_raw(summand), free)


def multiply_over(left: Sum, right: Sum, free: Mapping[int, Dimension]) -> Sum:
    """The product, summed over free indices as by `contract`."""
    return _contracted(_product_terms(_raw(left), _raw(right)), free)


def contraction(
    left: Sum, right: Sum, mappings: tuple[Mapping[int, int], Mapping[int, int]], free: Mapping[int, Dimension]
) -> Sum:
    """The same, free indices of each operand being renamed first: the product alone gets its canonical form."""
    own, other = mappings
    return _contracted(_product_terms(_renamed(left, own), _renamed(right, other)), free)


def _contracted(terms: Iterable[RawTerm], free: Mapping[int, Dimension]) -> Sum:
    summed: list[RawTerm] = []
    for coefficient, scalars, factors in terms:
        present = {i for _, slots in factors for i in slots}
        fresh = 1 + max((-1, *present))
        mapping = {index: fresh + k for k, index in enumerate(free) if index in present}
        absent = [size(dimension) for index, dimension in free.items() if index not in present]
        (((counted, _), number),) = reduce(multiply, absent, constant(1)).items()
        whole = _times(number, coefficient)
        summed.append((whole, times_scalars(scalars, counted), _slots(factors, mapping)))
    return collect(summed)


def matrix_product(left: Sum, right: Sum, inner: Dimension) -> Sum:
    """left @ right, contracted over the inner dimension."""
    return contraction(left, right, ({COLUMN: JOINT}, {ROW: JOINT}), {JOINT: inner})


def transpose(summand: Sum) -> Sum:
    """Rows and columns exchanged."""
    return rename(summand, {ROW: COLUMN, COLUMN: ROW})


def differentiate(summand: Sum, variable: Tensor, free: Sequence[int]) -> Sum:
    """The derivative in a tensor, whose slots become the free indices given."""
    return collect(
        (coefficient, scalars, _without(factors, position, free))
        for (scalars, factors), coefficient in summand.items()
        for position, (factor, _) in enumerate(factors)
        if factor == variable
    )


def substitute(summand: Sum, variable: Tensor, replacement: Sum) -> Sum:
    """`summand` with every factor `variable[slots]` replaced by `replacement` at the same slots.

    `replacement` is a sum whose free indices -1, -2, ... stand for the slots, in order.
    """
    total: Sum = {}
    for (scalars, factors), coefficient in summand.items():
        position = next((k for k, (factor, _) in enumerate(factors) if factor == variable), None)
        if position is None:
            total = add(total, {(scalars, factors): coefficient})
            continue
        slots = factors[position][1]
        marks = {-(k + 1): -(2000 + k) for k in range(len(slots))}
        cut = collect(
            [(coefficient, scalars, _without(factors, position, [marks[-(k + 1)] for k in range(len(slots))]))]
        )
        joined = multiply(cut, rename(replacement, marks))
        bound = {marks[-(k + 1)]: dimension for k, dimension in enumerate(variable.dims) if slots[k] >= 0}
        kept = {marks[-(k + 1)]: slots[k] for k in range(len(slots)) if slots[k] < 0}
        total = add(total, substitute(rename(contract(joined, bound), kept), variable, replacement))
    return total


def _without(factors: tuple[Factor, ...], position: int, free: Sequence[int]) -> tuple[Factor, ...]:
    """The factors but one, whose summed indices become free; an index freed twice leaves an identity matrix."""
    removed, slots = factors[position]
    mapping: dict[int, int] = {}
    deltas: list[Factor] = []
    for slot, (index, target) in enumerate(zip(slots, free, strict=True)):
        if index < 0 or index in mapping:
            deltas.append((Delta((removed.dims[slot], removed.dims[slot])), (mapping.get(index, index), target)))
        else:
            mapping[index] = target
    rest = factors[:position] + factors[position + 1 :]
    return tuple((t, tuple(mapping.get(i, i) for i in indices)) for t, indices in rest) + tuple(deltas)


# Series: parts[k] is homogeneous of degree k in the perturbations.


def series(parts: Sequence[Sum], order: int) -> Series:
    """The series with these parts, filled up with zeros to the order."""
    return tuple(parts[k] if k < len(parts) else {} for k in range(order + 1))


def add_series(*summands: Series) -> Series:
    """The sum, part by part."""
    return tuple(add(*parts) for parts in zip(*summands, strict=True))


def map_series(function: Callable[[Sum], Sum], operand: Series) -> Series:
    """A linear map applied to every part."""
    return tuple(function(part) for part in operand)


def multiply_series(left: Series, right: Series, product: Callable[[Sum, Sum], Sum] = multiply) -> Series:
    """The Cauchy product (ab)_k = sum_{i+j=k} a_i b_j for any bilinear product."""
    return tuple(
        add(*(product(left[i], right[k - i]) for i in range(k + 1) if left[i] and right[k - i]), {})
        for k in range(len(left))
    )


def compose(coefficients: Callable[[int], Sum], increment: Series) -> Series:
    """sum_k c_k v^k for an increment v without constant part."""
    assert not increment[0]
    order = len(increment) - 1
    total = series([coefficients(0)], order)
    power = series([constant(1)], order)
    for k in range(1, order + 1):
        power = multiply_series(power, increment)
        if not any(power):
            break
        total = add_series(total, map_series(partial(multiply, coefficients(k)), power))
    return total


def binomial(exponent: Fraction) -> Callable[[int], Sum]:
    """The Taylor coefficients of (1 + q)^exponent."""

    def coefficient(k: int) -> Sum:
        product = Fraction(1)
        for j in range(k):
            product *= exponent - j
        return constant(product / factorial(k))

    return coefficient


def lowest_degree(operand: Series) -> int | None:
    """The least k >= 1 whose part does not vanish; None where every one up to the order does."""
    return next((k for k, part in enumerate(operand) if k and part), None)


def freeze(summand: Sum, free: Mapping[int, Dimension]) -> IndexSum:
    """The sum as plain data, terms in canonical order."""
    terms = [Term(coefficient, scalars, factors) for (scalars, factors), coefficient in summand.items()]
    return IndexSum(tuple(free.items()), tuple(sorted(terms, key=_term_key)))


def thaw(index_sum: IndexSum) -> Sum:
    """The sum again."""
    return collect((term.coefficient, term.scalars, term.factors) for term in index_sum.terms)


def _term_key(term: Term) -> tuple[object, ...]:
    return (sort_key(term.factors), term.scalars, term.coefficient)
