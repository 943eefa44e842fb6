"""Products of tensor factors drawn at random: two have one canonical form where they are equal up to their indices' names.

There are few kinds of factors, so that many indices look alike; which products are equal is seen by going through all ways
to number the summed indices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, permutations
from random import Random

from resproof.architectures.forms.terms import ROW, SAMPLE, Factor, LossDerivative, Opaque, Tensor
from resproof.proofs.statement import Argument, Computed, Context, Disagreement
from resproof.symbolic.index.canonical import canonical
from resproof.symbolic.scope import Scope

_COUNT, _FEW, _INDICES = 50, 12, 5
_PLAIN, _VECTOR = Opaque("A", ("d", "d")), Opaque("v", ("d",))
_SECOND, _THIRD = (LossDerivative(order, (*["d"] * order, "m")) for order in (2, 3))


def _products() -> Iterator[tuple[Factor, ...]]:
    """Each with a second one of the same factors, and of the first one's indices in other places."""
    for seed in range(_COUNT):
        r = Random(seed)
        kinds = r.choices([_PLAIN, _VECTOR, _SECOND, _THIRD], [3, 2, 2, 1], k=r.randint(2, 5))
        count = sum(len(t.dims) - (t.dims[-1] == "m") for t in kinds)
        indices = [r.choice([ROW, *range(_INDICES), *range(_INDICES)]) for _ in range(count)]
        for _ in range(3):
            yield _placed(kinds, indices)
            r.shuffle(indices)
    for seed in range(_FEW):
        yield _placed([_PLAIN] * 2 * _INDICES, [i for one in _regular(Random(seed)) for i in one])
    for kind in (_PLAIN, _SECOND):
        for lengths in ((5,), (2, 3), (1, 4), (1, 2, 2), (1, 1, 3)):
            yield _placed([kind] * _INDICES, [i for one in _cycles(lengths) for i in one])


def _cycles(lengths: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The indices of factors in a ring, which look alike in rings of other lengths."""
    first = 0
    for length in lengths:
        yield from ((first + k, first + (k + 1) % length) for k in range(length))
        first += length


def _regular(r: Random) -> Iterator[tuple[int, int]]:
    """The indices of factors of which two have each index first and two have it second: it looks like all others."""
    for _ in range(2):
        yield from enumerate(r.sample(range(_INDICES), _INDICES))


def _placed(kinds: Sequence[Opaque | LossDerivative], indices: Sequence[int]) -> tuple[Factor, ...]:
    left = iter(indices)
    return tuple((t, tuple(SAMPLE if n == "m" else next(left) for n in t.dims)) for t in kinds)


def _disguised(factors: tuple[Factor, ...], r: Random) -> tuple[Factor, ...]:
    """The same with other names for the summed indices, symmetric slots exchanged, and the factors in another order."""
    names = r.sample(range(50), _INDICES)
    found = list[Factor]()
    for t, slots in factors:
        count = t.row_slots if isinstance(t, LossDerivative) else 0
        rows = r.sample(slots[:count], count)
        found.append((t, tuple(names[i] if i >= 0 else i for i in (*rows, *slots[count:]))))
    return tuple(r.sample(found, len(found)))


def _least(factors: tuple[Factor, ...]) -> object:
    """The least of what a product is under all numberings of its summed indices."""
    summed = sorted({i for _, slots in factors for i in slots if i >= 0})
    return min(
        sorted((t.key, _in_order(t, [numbers.get(i, i) for i in slots])) for t, slots in factors)
        for order in permutations(range(len(summed)))
        for numbers in [dict(zip(summed, order, strict=True))]
    )


def _in_order(t: Tensor, slots: Sequence[int]) -> Sequence[int]:
    count = t.row_slots if isinstance(t, LossDerivative) else 0
    return [*sorted(slots[:count]), *slots[count:]]


def _forms(_: Context) -> Computed:
    """Each product, and once more in disguise: the least numbering and the canonical form."""
    known: tuple[dict[object, int], dict[object, int]] = ({}, {})
    found = list[tuple[int, int]]()
    for seed, factors in enumerate(_products()):
        for one in (factors, _disguised(factors, Random(seed))):
            least, form = str(_least(factors)), canonical(one)
            found.append((known[0].setdefault(least, len(known[0])), known[1].setdefault(form, len(known[1]))))
    return Computed(found, Scope.of("products of up to ten factors, drawn at random"))


def _one_form(found: Sequence[tuple[int, int]], claim: Callable[[bool], bool]) -> None:
    """Pass when two canonical forms are equal just where that is claimed for the products.

    Raises:
        Disagreement: they are not.
    """
    if any(
        (form == other) != claim(product == another) for (product, form), (another, other) in combinations(found, 2)
    ):
        raise Disagreement(
            "canonical forms of two products are equal, and the products are not, or the other way round"
        )


DRAWN_PRODUCTS = Argument(
    "Products drawn at random: equal canonical forms, and products that are equal up to the names of summed indices",
    "instance",
    _forms,
    bool,
    {"all are equal": lambda _: True, "none is": lambda _: False},
    _one_form,
)
