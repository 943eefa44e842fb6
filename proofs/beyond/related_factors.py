"""Products of factors between which relations hold: canonical forms have their values, and are equal where these are.

A mask's entry is its own square, of two bands one implies the other or excludes it, places are of a whole or of its parts,
a softmax sums to one, what is centred to zero. Each product is multiplied out entry by entry, over rational numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from math import prod
from typing import NamedTuple, TypeAlias

from resproof.architectures.dimensions import Dimension
from resproof.architectures.dimensions import factors as factors_of
from resproof.architectures.forms.terms import (
    COLUMN,
    ROW,
    DataTensor,
    Delta,
    Factor,
    InverseScale,
    LossDerivative,
    Normalised,
    Pattern,
    SoftmaxValue,
    Tensor,
)
from resproof.architectures.patterns import pattern_entry
from resproof.proofs.statement import Argument, Computed, Context, Disagreement
from resproof.symbolic.index.series import RawTerm, Sum, collect, freeze, tensor
from resproof.symbolic.scope import Scope

_Where: TypeAlias = tuple[int, ...]
_Array: TypeAlias = Mapping[_Where, Fraction]
"""The entries that are not zero."""
_Factors: TypeAlias = tuple[Factor, ...]

_SIZES = {"t": 4, "d": 2, "s": 3, "r": 3, "a": 2, "b": 2}
_OTHER, _FURTHER = -4, -5
"""Two more free indices."""


def _size(dimension: Dimension) -> int:
    return prod(_SIZES[n] if isinstance(n, str) else n for n in factors_of(dimension))


def _array(dims: Sequence[Dimension], entry: Callable[..., Fraction | int]) -> _Array:
    places = product(*(range(_size(n)) for n in dims))
    return {where: Fraction(value) for where in places if (value := entry(*where))}


# The tensors with their entries.

_SQUARE = ("t", "t")
_BANDS = (Pattern("causal", _SQUARE), Pattern("shift 1", _SQUARE), Pattern("shift 2", _SQUARE))
_SPLITS = (Pattern("split", ("a*b", "a", "b")), Pattern("split", (4, 2, 2)))
_TAKEN = tuple(Pattern(f"take {start} {step}", (5, 2)) for start, step in ((0, 1), (2, 1), (1, 3)))
_SCORES = freeze(tensor(DataTensor("X", _SQUARE), (ROW, COLUMN)), {ROW: "t", COLUMN: "t"})
_SOFTMAX, _CAUSAL = (SoftmaxValue(_SCORES, 0, mask, _SQUARE) for mask in (None, "causal"))
_OF = ("d", "s")
_DATA = freeze(tensor(DataTensor("X", _OF), (ROW, COLUMN)), {ROW: "d", COLUMN: "s"})
_EPSILON = Fraction(16)
_CENTRED, _NORMED = (
    Normalised(_DATA, 0, centred, epsilon, _OF) for centred, epsilon in ((True, _EPSILON), (False, Fraction(0)))
)
_SCALE = InverseScale(_DATA, 0, True, _EPSILON, ("s",))
_COLUMNS = ((3, 5), (Fraction(15, 2), Fraction(17, 2)), (Fraction(7, 6), Fraction(25, 6)))
"""x and (x^2 + 16)^(1/2) of the columns (x, -x)."""
_PAIRS = ((1, 7, 5), (17, 7, 13), (7, 23, 17))
"""x, y and ((x^2 + y^2) / 2)^(1/2) of the columns (x, y)."""
_SLOPES = tuple(LossDerivative(order, (*["r"] * order, "s"), centred=True) for order in (1, 2))


_IN_FRONT, _BEHIND = (_NORMED, (-6, -7)), (_SCALE, (-8,))
"""Factors that have nothing to do with the others."""
_CURVED = ((1, 1, -2), (1, 3, -4), (-2, -4, 6))
"""Symmetric, and of sum zero over each index."""


def _softmax(i: int, j: int, *, causal: bool) -> Fraction:
    """Along i, over i <= j where it is causal."""
    weights = [Fraction(1 + 3 * k + 5 * j + k * j**2) for k in range(j + 1 if causal else _SIZES["t"])]
    return weights[i] / sum(weights) if i < len(weights) else Fraction(0)


def _of_pattern(t: Pattern) -> _Array:
    sizes = [_size(n) for n in t.dims]
    return _array(t.dims, lambda *at: pattern_entry(t.pattern, at, sizes))


_ENTRIES: Mapping[Tensor, _Array] = {
    **{t: _of_pattern(t) for t in (*_BANDS, *_SPLITS, *_TAKEN)},
    _SOFTMAX: _array(_SQUARE, lambda i, j: _softmax(i, j, causal=False)),
    _CAUSAL: _array(_SQUARE, lambda i, j: _softmax(i, j, causal=True)),
    _CENTRED: _array(_OF, lambda i, j: (-1) ** i * Fraction(_COLUMNS[j][0]) / _COLUMNS[j][1]),
    _SCALE: _array(("s",), lambda j: 1 / Fraction(_COLUMNS[j][1])),
    _NORMED: _array(_OF, lambda i, j: Fraction(_PAIRS[j][i], _PAIRS[j][2])),
    _SLOPES[0]: _array(_SLOPES[0].dims, lambda i, u: (1, 2, -3)[i] * (2 + 3 * u)),
    _SLOPES[1]: _array(_SLOPES[1].dims, lambda i, j, u: _CURVED[i][j] * (5 + 7 * u**2)),
}


def _entries(t: Tensor) -> _Array:
    return _array(t.dims, lambda i, j: int(i == j)) if isinstance(t, Delta) else _ENTRIES[t]


# The products.


def _bands() -> Iterator[_Factors]:
    """Up to three on two indices, either way round, and on one."""
    same = Delta(_SQUARE)
    placed = [
        (t, at) for t in (same, *_BANDS) for at in ((ROW, COLUMN), (COLUMN, ROW)) if t is not same or at[0] == ROW
    ]
    for count in (1, 2, 3):
        yield from combinations_with_replacement(placed, count)
    for t in _BANDS:
        yield ((same, (ROW, 0)), (t, (0, COLUMN)))
        yield ((t, (1, COLUMN)), (same, (0, 1)), (_SOFTMAX, (ROW, 0)))
        yield ((t, (0, 0)),)
        yield ((t, (ROW, ROW)), (_BANDS[0], (ROW, COLUMN)))


def _masked() -> Iterator[_Factors]:
    """Softmax values, summed over or not, with a band on the same indices, or alone."""
    for t in (_SOFTMAX, _CAUSAL):
        for row in (ROW, 0):
            yield ((t, (row, COLUMN)),)
            yield from (((t, (row, COLUMN)), (band, (row, COLUMN))) for band in _BANDS)
        yield from (((t, (ROW, COLUMN)), (band, (COLUMN, ROW))) for band in _BANDS)


def _of_splits() -> Iterator[_Factors]:
    """The places of wholes and of parts, one factor or two, the whole summed over or all parts."""
    for t in _SPLITS:
        yield ((t, (0, ROW, COLUMN)),)
        yield ((t, (ROW, 0, 1)),)
        yield ((t, (ROW, 0, COLUMN)),)
        yield ((t, (0, ROW, COLUMN)), (t, (0, _OTHER, _FURTHER)))
        yield ((t, (0, ROW, COLUMN)), (t, (0, ROW, _FURTHER)))
        yield ((t, (ROW, 0, 1)), (t, (COLUMN, 0, 1)))
        yield ((t, (ROW, 0, 1)), (t, (COLUMN, 1, 0)))
        yield ((t, (ROW, 0, 2)), (t, (COLUMN, 0, 1)))
        yield ((t, (0, 1, ROW)), (t, (0, 1, COLUMN)))


def _of_taken() -> Iterator[_Factors]:
    for t in _TAKEN:
        yield ((t, (0, ROW)),)
        yield ((t, (ROW, 0)),)
        yield from (((t, (0, ROW)), (other, (0, COLUMN))) for other in _TAKEN)


def _of_norms() -> Iterator[_Factors]:
    for t in (_CENTRED, _NORMED):
        for row in (ROW, 0):
            for column in (COLUMN, 1):
                yield ((t, (row, column)),)
                yield ((t, (row, column)), (t, (row, column)))
                yield ((t, (row, column)), (t, (row, column)), (_SCALE, (column,)))
        yield ((t, (0, ROW)), (t, (0, COLUMN)))
    first, second = _SLOPES
    for rows in ((ROW, COLUMN), (0, COLUMN), (ROW, 0), (0, 0), (0, 1)):
        yield ((second, (*rows, _OTHER)),)
        yield ((second, (*rows, _OTHER)), (first, (rows[0], _OTHER)))
        yield ((first, (rows[0], _OTHER)),)


def _sums() -> Iterator[tuple[Mapping[int, Dimension], Sequence[RawTerm]]]:
    """Each product, then what some of them come to, with the free indices."""
    frees = list[Mapping[int, Dimension]]()
    others = (*_masked(), *_of_splits(), *_of_taken(), *_of_norms())
    for factors in (*_bands(), *others, *((_IN_FRONT, *factors, _BEHIND) for factors in others)):
        found = {i: t.dims[k] for t, slots in factors for k, i in enumerate(slots) if i < 0}
        frees.append(dict(sorted(found.items())))
        yield frees[-1], [(Fraction(1), (), factors)]
    for free in {str(one): one for one in frees}.values():
        yield free, [(Fraction(1), (), ())]
        yield free, [(Fraction(1), (("d", 1),), ())]
        if {*free} == {ROW, COLUMN} and free[ROW] == free[COLUMN]:
            yield free, [(Fraction(1), (), ((Delta((free[ROW], free[ROW])), (ROW, COLUMN)),))]
    for t in _SPLITS:
        places = tuple(
            (Delta((n, n)), at) for n, at in zip(t.dims[1:], ((ROW, _OTHER), (COLUMN, _FURTHER)), strict=True)
        )
        yield {_FURTHER: t.dims[2], _OTHER: t.dims[1], COLUMN: t.dims[2], ROW: t.dims[1]}, [(Fraction(1), (), places)]
    sizes, scales = (("d", 1),), ((_SCALE, (COLUMN,)),) * 2
    yield {COLUMN: "s"}, [(Fraction(1), sizes, ()), (-_EPSILON, sizes, scales)]


# What they are.


def _cells(factors: _Factors, at: Mapping[int, int]) -> Iterator[tuple[Mapping[int, int], Fraction]]:
    """The values of the indices for which a product is not zero, and what it is there."""
    if not factors:
        yield at, Fraction(1)
        return
    (t, slots), *rest = factors
    for where, value in _entries(t).items():
        found = dict(at)
        if all(found.setdefault(i, place) == place for i, place in zip(slots, where, strict=True)):
            yield from ((known, value * more) for known, more in _cells(tuple(rest), found))


def _multiplied_out(terms: Iterable[RawTerm], free: Mapping[int, Dimension]) -> _Array:
    """A sum at the sizes that are given, for all values of the free indices."""
    total: dict[_Where, Fraction] = {}
    for coefficient, scalars, factors in terms:
        number = coefficient * prod(Fraction(_SIZES[name]) ** power for name, power in scalars)
        for at, value in _cells(factors, {}):
            part = number * value
            for where in product(*([at[i]] if i in at else range(_size(n)) for i, n in free.items())):
                total[where] = total[where] + part if where in total else part
    return {where: value for where, value in total.items() if value}


class _Known(NamedTuple):
    """A sum's free indices and values, its canonical form, and what this is."""

    free: Mapping[int, Dimension]
    values: _Array
    form: Sum
    of_form: _Array


def _known(_: Context) -> Computed:
    found = list[_Known]()
    for free, terms in _sums():
        form = collect(terms)
        own = [(coefficient, *monomial) for monomial, coefficient in form.items()]
        found.append(_Known(free, _multiplied_out(terms, free), form, _multiplied_out(own, free)))
    return Computed(found, Scope.of("products of up to three factors, of two to six places along each index"))


class _Forms(NamedTuple):
    """How often a form has the values of its product, and which two of them are equal, by whether these are."""

    times: int
    equal: Callable[[bool], bool] = bool


def _have(found: Sequence[_Known], claim: _Forms) -> None:
    """Pass when the canonical forms are as claimed.

    Raises:
        Disagreement: one has other values than its product, or two are equal and their products are not.
    """
    if any(one.of_form != {at: claim.times * value for at, value in one.values.items()} for one in found):
        raise Disagreement("a canonical form has other values than the product")
    alike = ((one, other) for one, other in combinations(found, 2) if one.free == other.free)
    if any((one.form == other.form) != claim.equal(one.values == other.values) for one, other in alike):
        raise Disagreement("two canonical forms are equal, and the values of the products are not, or these alone are")


RELATED_FACTORS = Argument(
    "Products of masks, splits, softmax values, norms and slopes of a loss: canonical forms, and their values",
    "instance",
    _known,
    _Forms(1),
    {
        "twice as large": _Forms(2),
        "no two are equal": _Forms(1, lambda _: False),
        "all are": _Forms(1, lambda _: True),
    },
    _have,
    explanation="Where a relation applies and is not used, two forms of one product are left; where a wrong one is, another value.",
)
