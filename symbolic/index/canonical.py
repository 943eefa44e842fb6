"""The canonical form of a product of tensor factors, and the relations between opaque tensors.

(1) Identity matrices are contracted away, (2) the relations are applied:

    a softmax sums to one along its slot, a centred tensor sums to zero,
    sum_i n_i n_i = d (1 - epsilon r^2) for a normalised n with inverse scale r,
    of two patterns on the same two indices one implies the other, or they exclude each other;

(3) the summed indices are numbered by iterated colour refinement over the factors they occur in, ties being broken by
trying every index of the first tied class and keeping the smallest outcome. The order never depends on hash values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import inf, isqrt
from typing import TypeAlias

from resproof.architectures.dimensions import Dimension
from resproof.architectures.dimensions import factors as factors_of
from resproof.architectures.forms.terms import (
    Delta,
    Factor,
    IndexSum,
    InverseRoot,
    InverseScale,
    LossDerivative,
    Normalised,
    Pattern,
    Scalars,
    SoftmaxValue,
    Tensor,
    Term,
)
from resproof.architectures.patterns import in_pattern, is_band

Piece: TypeAlias = tuple[Scalars, Fraction, tuple[Factor, ...]]
"""Scalar symbols, a rational and tensor factors: a term, or part of one."""


def canonical(factors: tuple[Factor, ...]) -> tuple[Piece, ...]:
    """The pieces whose sum the product is, each with its factors in canonical order; none where it vanishes."""
    return _canonical(_renumber(factors))


def times_scalars(left: Scalars, right: Scalars) -> Scalars:
    """The product of powers of symbols."""
    if not (left and right):
        return left or right
    powers = Counter(dict(left))
    for name, power in right:
        powers[name] += power
    return tuple(sorted((name, power) for name, power in powers.items() if power))


def sort_key(factors: tuple[Factor, ...]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """By which products in canonical form are put in order."""
    return tuple((t.key, slots) for t, slots in factors)


def _renumber(factors: tuple[Factor, ...]) -> tuple[Factor, ...]:
    """Summed indices numbered by first appearance, so that the cache below is hit more often."""
    summed = dict.fromkeys([i for _, slots in factors for i in slots if i >= 0])
    numbers = dict(zip(summed, range(len(summed)), strict=True))
    return tuple([(t, tuple([numbers.get(i, i) for i in slots])) for t, slots in factors])


@lru_cache(maxsize=1 << 16)
def _canonical(factors: tuple[Factor, ...]) -> tuple[Piece, ...]:
    pending: list[Piece] = [((), Fraction(1), factors)]
    done: list[Piece] = []
    while pending:
        scalars, coefficient, factors = pending.pop()
        simpler = _by_a_relation(factors)
        if simpler is None:
            done.append((scalars, coefficient, _label(factors)))
        else:
            pending += [(times_scalars(scalars, s), coefficient * c, rest) for s, c, rest in simpler]
    return tuple(done)


def _by_a_relation(factors: tuple[Factor, ...]) -> list[Piece] | None:
    """What the first relation that applies makes of a product; None where none does."""
    for position, (t, slots) in enumerate(factors):
        match t:
            case Delta() if slots[0] == slots[1] or max(slots) >= 0:
                return _counted(*_contract_delta(factors, position))
            case Delta() if _reaches(factors, position):
                return [((), Fraction(1), _spread_delta(factors, position))]
            case SoftmaxValue(slot=slot) if _occurs_once(slots[slot], factors):
                return _counted(*_drop(factors, position, slot))
            case _ if _sums_to_zero(t, slots, factors):
                return []
            case _:
                pieces = _of_patterns(factors, position) if isinstance(t, Pattern) else _of_norms(factors, position)
                if pieces is not None:
                    return pieces
    return None


def _counted(factors: tuple[Factor, ...], lost: Sequence[Dimension]) -> list[Piece]:
    """The factors times the number of values of indices that occur no more."""
    scalars: Scalars = ()
    number = Fraction(1)
    for dimension in (one for several in lost for one in factors_of(several)):
        if isinstance(dimension, str):
            scalars = times_scalars(scalars, ((dimension, 1),))
        else:
            number *= dimension
    return [(scalars, number, factors)]


def _of_patterns(factors: tuple[Factor, ...], position: int) -> list[Piece] | None:
    """C_ss = 1 and S_ss = 0; of two patterns on the same two indices one is implied, or they exclude each other."""
    pattern, slots = factors[position]
    assert isinstance(pattern, Pattern)
    if not is_band(pattern.pattern):
        return _of_selections(factors, position)
    if slots[0] == slots[1]:
        return _counted(*_drop(factors, position)) if in_pattern(pattern.pattern, 0, 0) else []
    own = _range(pattern.pattern)
    for other, (t, indices) in enumerate(factors):
        name = t.pattern if isinstance(t, Pattern) else t.mask if isinstance(t, SoftmaxValue) else None
        if other == position or name is None or not is_band(name):
            continue
        pair = tuple(indices[k] for k in t.masked) if isinstance(t, SoftmaxValue) else indices
        if set(pair) != set(slots):
            continue
        low, high = _range(name)
        if pair != slots:
            low, high = -high, -low
        low, high = max(low, own[0]), min(high, own[1])
        if low > high:
            return []
        if (low, high) == own and isinstance(t, Pattern):
            return [((), Fraction(1), factors[:other] + factors[other + 1 :])]
        if low == high == 0 and isinstance(t, Pattern):
            delta: Factor = (Delta((pattern.dims[0], pattern.dims[1])), slots)
            rest = tuple(factor for k, factor in enumerate(factors) if k not in {position, other})
            return [((), Fraction(1), (*rest, delta))]
        if isinstance(t, SoftmaxValue) and pair == slots and _range(name) == (low, high):
            return [((), Fraction(1), factors[:position] + factors[position + 1 :])]
    return None


def _of_selections(factors: tuple[Factor, ...], position: int) -> list[Piece] | None:
    """Each place of a split is one of the whole, each of the whole one place: sums of one factor are 1, of two delta.

    What is taken are different places of the whole: a sum over these is 1 for one factor, for two with the same rule
    delta, for two without a common place 0.
    """
    t, (whole, *parts) = factors[position]
    assert isinstance(t, Pattern)
    if t.whole or t.pattern.split(" ")[0] not in {"split", "take"}:
        return None
    rest = factors[:position] + factors[position + 1 :]
    times = Counter(i for _, slots in factors for i in slots if i >= 0)
    if times[whole] == 1:
        return _counted(rest, _lost(rest, zip(parts, t.dims[1:], strict=True)))
    split = t.pattern == "split"
    if split and all(times[i] == 1 for i in parts):
        return _counted(rest, _lost(rest, [(whole, t.dims[0])]))
    for other, (twin, slots) in enumerate(rest):
        if not isinstance(twin, Pattern) or twin.whole or len(slots) != len(parts) + 1:
            continue
        another, *places = slots
        others = rest[:other] + rest[other + 1 :]
        if another == whole and times[whole] == 2 and (t.pattern, t.dims) == (twin.pattern, twin.dims):
            pairs = zip(t.dims[1:], parts, places, strict=True)
            return [((), Fraction(1), (*others, *((Delta((n, n)), (i, j)) for n, i, j in pairs)))]
        if another == whole and not split and _apart(t, twin):
            return []
        if split and t == twin and places == parts and all(times[i] == 2 for i in parts):
            return [((), Fraction(1), (*others, (Delta((t.dims[0], t.dims[0])), (whole, another))))]
    return None


def _apart(one: Pattern, other: Pattern) -> bool:
    """Whether what two patterns take from the same whole has no place in common."""

    def places(t: Pattern) -> set[int]:
        _, start, step = t.pattern.split(" ")
        return {int(start) + int(step) * k for k in range(int(t.dims[1]))}

    return other.pattern.startswith("take ") and places(one).isdisjoint(places(other))


def _lost(rest: tuple[Factor, ...], indices: Iterable[tuple[int, Dimension]]) -> list[Dimension]:
    """The dimensions of summed indices that no factor has any more."""
    still = {i for _, slots in rest for i in slots}
    return [n for i, n in indices if i >= 0 and i not in still]


def _range(pattern: str) -> tuple[float, float]:
    """The values of t - s for which the entry (s, t) is 1: all of a range."""
    steps = int(pattern.split()[1]) if pattern.startswith("shift") else 0
    return (0, inf) if pattern == "causal" else (steps, steps)


def _of_norms(factors: tuple[Factor, ...], position: int) -> list[Piece] | None:
    """sum_i n_i n_i = d (1 - epsilon r^2) for a normalised n with inverse scale r; r r = 1/q for r = q^(-1/2)."""
    t, slots = factors[position]
    if not isinstance(t, Normalised | InverseRoot):
        return None
    twin = next((k for k, factor in enumerate(factors) if k > position and factor == (t, slots)), None)
    if twin is None:
        return None
    rest = tuple(factor for k, factor in enumerate(factors) if k not in {position, twin})
    if isinstance(t, InverseRoot):
        q = rational(t.argument)
        return None if q is None else [((), 1 / q, rest)]
    index, dimension = slots[t.slot], t.dims[t.slot]
    if index < 0 or any(index in indices for _, indices in rest):
        return None
    others = slots[: t.slot] + slots[t.slot + 1 :]
    kept = t.dims[: t.slot] + t.dims[t.slot + 1 :]
    r: Factor = (InverseScale(t.argument, t.slot, t.centred, t.epsilon, kept), others)
    # Indices that n alone carried are still summed over.
    still = {i for _, indices in rest for i in indices}
    lost = [n for i, n in zip(others, kept, strict=True) if i >= 0 and i not in still]
    found = _counted(rest, [dimension, *lost])
    if t.epsilon:
        ((scalars, number, _),) = _counted(rest, [dimension])
        found.append((scalars, -t.epsilon * number, (*rest, r, r)))
    return found


def rational(value: IndexSum) -> Fraction | None:
    """The number that a sum is, where it is one."""
    match value.terms:
        case ():
            return Fraction(0)
        case (Term(coefficient=number, scalars=(), factors=()),):
            return number
        case _:
            return None


def rational_root(q: Fraction) -> Fraction | None:
    """The rational root of a rational number, where it has one."""
    if q < 0:
        return None
    root = Fraction(isqrt(q.numerator), isqrt(q.denominator))
    return root if root * root == q else None


def _contract_delta(factors: tuple[Factor, ...], position: int) -> tuple[tuple[Factor, ...], list[Dimension]]:
    """sum_b delta_ab T_b = T_a; delta_aa counts the values of a where a occurs nowhere else."""
    a, b = factors[position][1]
    kept, replaced = (a, b) if b >= 0 else (b, a)
    return _drop(tuple((f, tuple(kept if i == replaced else i for i in slots)) for f, slots in factors), position)


def _reaches(factors: tuple[Factor, ...], position: int) -> bool:
    """Whether the later index of an identity matrix between free indices occurs in another factor."""
    later = min(factors[position][1])
    return any(later in slots for k, (_, slots) in enumerate(factors) if k != position)


def _spread_delta(factors: tuple[Factor, ...], position: int) -> tuple[Factor, ...]:
    """delta_ij T_j = delta_ij T_i for free i, j; a second delta_ij becomes delta_ii = 1 and goes."""
    later, earlier = sorted(factors[position][1])
    return tuple(
        (t, slots if k == position else tuple(earlier if i == later else i for i in slots))
        for k, (t, slots) in enumerate(factors)
    )


def _drop(
    factors: tuple[Factor, ...], position: int, summed: int | None = None
) -> tuple[tuple[Factor, ...], list[Dimension]]:
    """The factors but one that equals 1 (after the sum over slot `summed`), and the dimensions left uncounted."""
    t, slots = factors[position]
    rest = factors[:position] + factors[position + 1 :]
    still = {i for _, indices in rest for i in indices}
    lost = {i: t.dims[k] for k, i in enumerate(slots) if i >= 0 and i not in still and k != summed}
    return rest, list(lost.values())


def _occurs_once(index: int, factors: tuple[Factor, ...]) -> bool:
    return index >= 0 and sum(slots.count(index) for _, slots in factors) == 1


def _sums_to_zero(t: Tensor, slots: tuple[int, ...], factors: tuple[Factor, ...]) -> bool:
    match t:
        case Normalised(centred=True, slot=slot):
            return _occurs_once(slots[slot], factors)
        case LossDerivative(centred=True):
            return any(_occurs_once(index, factors) for index in slots[: t.row_slots])
        case _:
            return False


def _slot_classes(t: Tensor) -> tuple[int, ...]:
    """Slots that may be exchanged share a class."""
    match t:
        case LossDerivative(row_slots=rows):
            return (*(0 for _ in range(rows)), *range(1, len(t.dims) - rows + 1))
        case Delta():
            return (0, 0)
        case _:
            return tuple(range(len(t.dims)))


def _kinds_of_slots(factors: tuple[Factor, ...]) -> list[tuple[int, ...]]:
    """For each factor, the kinds of its slots: equal where slots may be exchanged, or tensors; in the order of both."""
    places = {key: place for place, key in enumerate(sorted({t.key for t, _ in factors}))}
    most = 1 + max((len(slots) for _, slots in factors), default=0)
    return [tuple([places[t.key] * most + one for one in _slot_classes(t)]) for t, _ in factors]


def _sorted_slots(t: Tensor, slots: tuple[int, ...]) -> tuple[int, ...]:
    match t:
        case LossDerivative(row_slots=rows):
            return (*sorted(slots[:rows]), *slots[rows:])
        case Delta():
            return tuple(sorted(slots))
        case _:
            return slots


def _label(factors: tuple[Factor, ...]) -> tuple[Factor, ...]:
    """The factors sorted, their summed indices numbered canonically."""
    summed = sorted({i for _, slots in factors for i in slots if i >= 0})
    classes = _kinds_of_slots(factors)
    colours = _refine(factors, classes, dict.fromkeys(summed, 0))
    return _individualise(factors, classes, colours)


def _individualise(
    factors: tuple[Factor, ...], classes: list[tuple[int, ...]], colours: dict[int, int]
) -> tuple[Factor, ...]:
    counts = Counter(colours.values())
    tied = min((colour for colour, count in counts.items() if count > 1), default=None)
    if tied is None:
        return _apply(factors, colours)
    indices = _representatives(factors, classes, colours, [i for i, colour in colours.items() if colour == tied])
    split = (_first_of_its_class(factors, classes, colours, index) for index in indices)
    return min((_individualise(factors, classes, finer) for finer in split), key=sort_key)


def _first_of_its_class(
    factors: tuple[Factor, ...], classes: list[tuple[int, ...]], colours: dict[int, int], index: int
) -> dict[int, int]:
    # Doubling makes room for one colour just below the tied class.
    return _refine(factors, classes, {i: 2 * colour - (i == index) for i, colour in colours.items()})


def _representatives(
    factors: tuple[Factor, ...], classes: list[tuple[int, ...]], colours: dict[int, int], tied: list[int]
) -> list[int]:
    """One of those tied indices that a symmetry carries into each other, as far as equal components show.

    Indices that are tied hang together where they share a factor; all others are fixed. Two components that look the
    same from an index of each may be exchanged, so that one of these indices stands for both: a product of n equal
    factors takes n^2 steps and not n!.
    """
    counts = Counter(colours.values())
    components = _components({i for i, colour in colours.items() if counts[colour] > 1}, factors)
    if len(components) == 1:
        return tied
    seen: dict[object, int] = {}
    for index in tied:
        component = next(component for component in components if index in component)
        inside = [k for k, (_, slots) in enumerate(factors) if not component.isdisjoint(slots)]
        part = tuple((factors[k][0], tuple(_fixed(i, component, colours) for i in factors[k][1])) for k in inside)
        kinds, own = [classes[k] for k in inside], {i: colours[i] for i in component}
        shown = _individualise(part, kinds, _first_of_its_class(part, kinds, own, index))
        _ = seen.setdefault(sort_key(shown), index)
    return list(seen.values())


def _fixed(index: int, component: set[int], colours: Mapping[int, int]) -> int:
    """The index itself within a component; a fixed one as if it were free, told by its colour."""
    return index if index < 0 or index in component else -1000 - colours[index]


def _components(indices: set[int], factors: tuple[Factor, ...]) -> list[set[int]]:
    """The indices in groups without a common factor."""
    groups: list[set[int]] = [{i} for i in sorted(indices)]
    for _, slots in factors:
        joined = [group for group in groups if not group.isdisjoint(slots)]
        if len(joined) > 1:
            groups = [group for group in groups if group not in joined] + [set[int]().union(*joined)]
    return groups


def _apply(factors: tuple[Factor, ...], colours: dict[int, int]) -> tuple[Factor, ...]:
    numbers = {i: rank for rank, i in enumerate(sorted(colours, key=colours.__getitem__))}
    named = [(t, _sorted_slots(t, tuple(numbers.get(i, i) for i in slots))) for t, slots in factors]
    return tuple(sorted(named, key=lambda factor: (factor[0].key, factor[1])))


def _refine(factors: tuple[Factor, ...], classes: list[tuple[int, ...]], colours: dict[int, int]) -> dict[int, int]:
    """The coarsest colouring finer than `colours` in which equal colours mean equal surroundings."""
    colours = _ranks(colours)
    while len(set(colours.values())) < len(colours):
        seen: dict[int, list[object]] = {i: [] for i in colours}
        for (_, slots), kinds in zip(factors, classes, strict=True):
            # A free index is told from the summed ones, whose colours are >= 0, by its negative number.
            around = sorted([(kind, colours.get(i, i)) for kind, i in zip(kinds, slots, strict=True)])
            for kind, i in zip(kinds, slots, strict=True):
                if i >= 0:
                    seen[i].append((kind, *around))
        refined = _ranks({i: (colours[i], tuple(sorted(seen[i]))) for i in colours})  # pyright: ignore[reportArgumentType]
        if len(set(refined.values())) == len(set(colours.values())):
            return refined
        colours = refined
    return colours


def _ranks(keys: Mapping[int, object]) -> dict[int, int]:
    order = {key: rank for rank, key in enumerate(sorted(set(keys.values())))}  # pyright: ignore[reportArgumentType]
    return {i: order[key] for i, key in keys.items()}
