"""The Hessian's cores, read off the index terms of D and A, and what is needed for the order on given data.

For a slot of every weight of a core to carry one index, in each term the two perturbations must share an index there.
Starting from one slot of one weight, the terms determine the slot of every other weight or contradict the start. The
slots that agree are cut off: a spectator disappears, a label becomes a free index. Differentiating what remains twice
gives the core's blocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import TypeAlias

from resproof.architectures.errors import shortened
from resproof.architectures.forms.cores import (
    COLUMNS,
    LABEL,
    ROWS,
    Centred,
    Core,
    CoreBlock,
    CoreWeight,
    Decomposition,
    Product,
    RankBounds,
)
from resproof.architectures.forms.hessian_blocks import UNITS, Block
from resproof.architectures.forms.terms import Delta, Factor, IndexSum, Pattern, Perturbation, Term
from resproof.architectures.losses import Loss
from resproof.architectures.nodes import Add, Apply, Expression, Input, nodes
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.text import short_text
from resproof.symbolic.index.leading import linearised
from resproof.symbolic.index.lift import (
    data,
    initial_values,
    layout,
    loss_series,
    network_series,
    perturbations,
    refuse_kinks,
)
from resproof.symbolic.index.series import Sum, collect, contract, differentiate, freeze, thaw

Alignment: TypeAlias = dict[str, int]
"""For each weight of a core, the slot that carries the common index."""

_ROOM = 106
"""Characters of an addend and its value, so that a message has at most 200."""
_MOST_FACTORS = 8


@dataclass(frozen=True, slots=True)
class _Pair:
    """A term of degree two: the later and the earlier perturbation, and all other factors."""

    later: Factor
    earlier: Factor
    others: tuple[Factor, ...]

    @property
    def names(self) -> tuple[str, str]:
        return _name(self.later), _name(self.earlier)


def cut(unit: ResidualUnit, diagonal: Sum, cross: Sum) -> Decomposition:
    """The cores of the forms 1/2 v_1^T D v_1 and v_2^T A v_1."""
    groups = _components([_pair(factors) for _, factors in (*diagonal, *cross)])
    order = list(unit.names.values())
    found = sorted((sorted(group, key=order.index) for group in groups), key=lambda group: order.index(group[0]))
    seen = {name for group in found for name in group}
    tensors = perturbations(unit)
    cores = tuple(_core(group, _within(diagonal, group), _within(cross, group), tensors) for group in found)
    return Decomposition(cores, tuple((name, tensors[name].dims) for name in order if name not in seen))


def by_pairs(unit: ResidualUnit, diagonal: Sum, cross: Sum) -> tuple[Core, ...]:
    """The forms as a sum of cores of one weight, or of two: their terms apart by weights and the indices they share.

    Two weights share an index in such terms where all weights of a core, in all its terms, share none, so that these
    matrices are smaller than the core's; their sum is the Hessian all the same.
    """
    order, tensors = list(unit.names.values()), perturbations(unit)
    dims = {name: tensor.dims for name, tensor in tensors.items()}
    groups: dict[tuple[tuple[str, ...], object], tuple[Sum, Sum]] = {}
    for place, form in enumerate((diagonal, cross)):
        for monomial, coefficient in form.items():
            pair = _pair(monomial[1])
            names = tuple(sorted({*pair.names}, key=order.index))
            shared = frozenset(tuple(sorted(a.items())) for a in _alignments(names, [pair], dims))
            groups.setdefault((names, shared), ({}, {}))[place][monomial] = coefficient
    return tuple(_core(names, d, a, tensors) for (names, _), (d, a) in groups.items())


def gradient_terms(unit: ResidualUnit, loss: Loss) -> tuple[tuple[str, IndexSum], ...]:
    """The gradient of the loss at the initial point in one unit's weights; it is the same for every unit.

    Raises:
        NotIdentityError: the unit at its initial point is not the identity.
    """
    form, place = loss_series(unit, loss, 1, 1)[1], layout(unit)
    refuse_kinks(form)
    found: list[tuple[str, IndexSum]] = []
    for weight, name in unit.names.items():
        free = place.indices(weight.shape)
        found.append((name, freeze(differentiate(form, perturbations(unit)[name], tuple(free)), free)))
    return tuple(found)


def loss_part(unit: ResidualUnit, loss: Loss, units: int, degree: int) -> IndexSum:
    """The homogeneous part of the loss of `units` units of that degree in their perturbations.

    Raises:
        NotIdentityError: the unit at its initial point is not the identity.
    """
    return freeze(loss_series(linearised(unit, degree), loss, units, degree)[degree], {})


def branch_degree(unit: ResidualUnit, at_most: int) -> int | None:
    """The least degree in the weights of the branch at the data; None beyond `at_most`."""
    return next((k for k in range(1, at_most + 1) if network_series([linearised(unit, k)], k)[k]), None)


def is_polynomial(unit: ResidualUnit) -> bool:
    """Whether every activation is a polynomial, so that high degrees are cheap."""
    return all(n.activation.degree is not None for n in nodes(unit.expression) if isinstance(n, Apply))


def offending_addend(unit: ResidualUnit) -> str | None:
    """Which addend of h + ... is not zero at the initial point, and what it is there, in words.

    The shortcut is the input itself or, where it is not added bare, the first addend that equals it.
    """
    x, addends = data(unit), list(_addends(unit.expression))
    values = [initial_values(unit)[node] for node in addends]
    bare = sum(isinstance(node, Input) for node in addends)
    if bare > 1:
        return f"h is added {bare} times"
    shortcut = next((k for k, node in enumerate(addends) if isinstance(node, Input)), None)
    if shortcut is None and x in values:
        shortcut = values.index(x)
    for k, (node, value) in enumerate(zip(addends, values, strict=True)):
        if value and k != shortcut:
            named, shown = short_text(node, unit.names), freeze(value, layout(unit).output).label
            return f"{named} is {shortened(shown, min(60, _ROOM - len(named)))}, not 0, at the initial point"
    return None


def _addends(node: Expression) -> Iterator[Expression]:
    if isinstance(node, Add):
        yield from _addends(node.left)
        yield from _addends(node.right)
    else:
        yield node


# Components and aligned slots.


def _name(factor: Factor) -> str:
    tensor = factor[0]
    assert isinstance(tensor, Perturbation)
    return tensor.weight


def _pair(factors: tuple[Factor, ...]) -> _Pair:
    moved = sorted((f for f in factors if isinstance(f[0], Perturbation)), key=_unit, reverse=True)
    later, earlier = moved
    return _Pair(later, earlier, tuple(f for f in factors if not isinstance(f[0], Perturbation)))


def _unit(factor: Factor) -> int:
    assert isinstance(factor[0], Perturbation)
    return factor[0].unit


def _components(pairs: Iterable[_Pair]) -> list[set[str]]:
    groups: list[set[str]] = []
    for pair in pairs:
        joined = [group for group in groups if group & set(pair.names)]
        groups = [group for group in groups if group not in joined] + [set(pair.names).union(*joined)]
    return groups


def _within(form: Sum, names: Sequence[str]) -> Sum:
    return {monomial: c for monomial, c in form.items() if _pair(monomial[1]).names[0] in names}


def _alignments(names: Sequence[str], pairs: Sequence[_Pair], dims: Mapping[str, Product]) -> list[Alignment]:
    starts = ({names[0]: slot} for slot in range(len(dims[names[0]])))
    return [found for start in starts if (found := _propagate(start, names, pairs)) is not None]


def _propagate(found: Alignment, names: Sequence[str], pairs: Sequence[_Pair]) -> Alignment | None:
    """The alignment that contains `found`; None where a term contradicts it."""
    while True:
        for pair in pairs:
            for (tensor, slots), (other, other_slots) in (
                (pair.later, pair.earlier),
                (pair.earlier, pair.later),
            ):
                here, there = _name((tensor, slots)), _name((other, other_slots))
                if here not in found:
                    continue
                index = slots[found[here]]
                if slots.count(index) != 1 or other_slots.count(index) != 1:
                    return None
                if found.setdefault(there, other_slots.index(index)) != other_slots.index(index):
                    return None
        if len(found) == len(names):
            return found


def _index(pair: _Pair, alignment: Alignment) -> int:
    return pair.later[1][alignment[_name(pair.later)]]


def _is_spectator(alignment: Alignment, pairs: Sequence[_Pair]) -> bool:
    return not any(_index(pair, alignment) in slots for pair in pairs for _, slots in pair.others)


# One core.


def _core(names: Sequence[str], diagonal: Sum, cross: Sum, tensors: Mapping[str, Perturbation]) -> Core:
    pairs = [_pair(factors) for _, factors in (*diagonal, *cross)]
    dims = {name: tensors[name].dims for name in names}
    aligned = _alignments(names, pairs, dims)
    spectators = [a for a in aligned if _is_spectator(a, pairs)]
    labels = [a for a in aligned if a not in spectators]
    kept = {name: [k for k in range(len(dims[name])) if k not in {a[name] for a in aligned}] for name in names}
    small = {name: tuple(dims[name][k] for k in kept[name]) for name in names}
    label_dims = tuple(dims[names[0]][a[names[0]]] for a in labels)
    cut_diagonal, cut_cross = (_cut(form, labels, kept, small) for form in (diagonal, cross))
    d_blocks = _blocks(names, cut_diagonal, "D", small, label_dims)
    a_blocks = _blocks(names, cut_cross, "A", small, label_dims)
    sides = None if a_blocks else _sides(names, [(block.row, block.column) for block in d_blocks])
    chosen = [b for b in d_blocks if names.index(b.row) <= names.index(b.column)]
    if sides is not None:
        chosen = [b for b in d_blocks if b.row in sides[1]]
    order = {name: (*(a[name] for a in (*spectators, *labels)), *kept[name]) for name in names}
    weights = tuple(
        CoreWeight(name, small[name], _centred(name, small[name], d_blocks, a_blocks), order[name]) for name in names
    )
    bounds = _rank_bounds(chosen if sides is not None else d_blocks, small)
    return Core(
        weights,
        tuple(dims[names[0]][a[names[0]]] for a in spectators),
        label_dims,
        sides,
        tuple(map(_named_identities, chosen)),
        tuple(map(_named_identities, a_blocks)),
        bounds,
    )


def _named_identities(block: CoreBlock) -> CoreBlock:
    """The block with every identity matrix as a pattern, whose label, unlike delta, carries its dimension."""

    def named(factor: Factor) -> Factor:
        tensor, slots = factor
        return (Pattern("identity", tensor.dims), slots) if isinstance(tensor, Delta) else factor

    entries = block.entries
    terms = tuple(replace(term, factors=tuple(map(named, term.factors))) for term in entries.terms)
    return replace(block, entries=replace(entries, terms=terms))


def _cut(form: Sum, labels: Sequence[Alignment], kept: Mapping[str, list[int]], small: Mapping[str, Product]) -> Sum:
    """The form without its aligned slots; labels are free indices."""

    def terms() -> Iterator[tuple[Fraction, tuple[tuple[str, int], ...], tuple[Factor, ...]]]:
        for (scalars, factors), coefficient in form.items():
            pair = _pair(factors)
            free = {_index(pair, alignment): LABEL - k for k, alignment in enumerate(labels)}
            moved = [_shortened(f, kept, small) for f in (pair.later, pair.earlier)]
            renamed = tuple((t, tuple(free.get(i, i) for i in slots)) for t, slots in (*moved, *pair.others))
            yield coefficient, scalars, renamed

    return collect(terms())


def _shortened(factor: Factor, kept: Mapping[str, list[int]], small: Mapping[str, Product]) -> Factor:
    name = _name(factor)
    return Perturbation(name, _unit(factor), small[name]), tuple(factor[1][k] for k in kept[name])


def _blocks(
    names: Sequence[str], form: Sum, block: Block, small: Mapping[str, Product], labels: Product
) -> list[CoreBlock]:
    """The nonzero second derivatives in (weight on the left of the block, weight on its right)."""
    found: list[CoreBlock] = []
    left, right = UNITS[block]
    for row in names:
        rows = dict(zip(ROWS, small[row], strict=False))
        once = differentiate(form, Perturbation(row, left, small[row]), tuple(rows))
        for column in names:
            columns = dict(zip(COLUMNS, small[column], strict=False))
            twice = differentiate(once, Perturbation(column, right, small[column]), tuple(columns))
            if twice:
                free = {**{LABEL - k: n for k, n in enumerate(labels)}, **rows, **columns}
                found.append(CoreBlock(row, column, freeze(twice, free)))
    return found


def _sides(names: Sequence[str], joined: Sequence[tuple[str, str]]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The two groups of a bipartite core; None where it is not bipartite."""
    colour = {names[0]: 0}
    while len(colour) < len(names):
        colour.update({b: 1 - colour[a] for a, b in joined if a in colour and b not in colour})
    if any(colour[a] == colour[b] for a, b in joined):
        return None
    return tuple(n for n in names if not colour[n]), tuple(n for n in names if colour[n])


def _centred(name: str, dims: Product, diagonal: Sequence[CoreBlock], cross: Sequence[CoreBlock]) -> Centred:
    def flags(free: tuple[int, ...], blocks: Sequence[CoreBlock]) -> tuple[bool, ...]:
        return tuple(
            all(not contract(thaw(block.entries), {index: n}) for block in blocks)
            for index, n in zip(free, dims, strict=False)
        )

    return Centred(
        flags(ROWS, [b for b in diagonal if b.row == name]),
        flags(ROWS, [b for b in cross if b.row == name]),
        flags(COLUMNS, [b for b in cross if b.column == name]),
    )


# Rank bounds.


def _rank_bounds(blocks: Sequence[CoreBlock], small: Mapping[str, Product]) -> RankBounds:
    cuts: list[tuple[Product, ...]] = []
    through: tuple[dict[object, Product], dict[object, Product]] = ({}, {})
    for block in blocks:
        ends = (ROWS[: len(small[block.row])], COLUMNS[: len(small[block.column])])
        for term in block.entries.terms:
            sizes = {i: t.dims[k] for t, slots in term.factors for k, i in enumerate(slots) if i > LABEL}
            cuts.append(_cuts(term, ends, sizes))
            for side, (name, end) in enumerate(zip((block.row, block.column), ends, strict=True)):
                key, crossed = _through(name, term, end, sizes)
                through[side][key] = crossed
    return RankBounds(tuple(cuts), tuple(through[0].values()), tuple(through[1].values()))


def _cuts(
    term: Term, ends: tuple[tuple[int, ...], tuple[int, ...]], sizes: Mapping[int, str | int]
) -> tuple[Product, ...]:
    """The dimensions shared by the two sides, for each way to deal the factors out to rows and columns."""
    if len(term.factors) > _MOST_FACTORS:
        return (tuple(sizes[i] for i in ends[0] if i in sizes), tuple(sizes[i] for i in ends[1] if i in sizes))
    found: dict[Product, None] = {}
    for side in product((0, 1), repeat=len(term.factors)):
        reach = [set(end) for end in ends]
        for choice, (_, slots) in zip(side, term.factors, strict=True):
            reach[choice] |= set(slots)
        found.setdefault(tuple(sizes[i] for i in sorted(reach[0] & reach[1]) if i in sizes))
    return tuple(found)


def _through(name: str, term: Term, end: tuple[int, ...], sizes: Mapping[int, str | int]) -> tuple[object, Product]:
    """The factors that touch one end, as a key, and the sizes of their other indices."""
    touching = sorted((f for f in term.factors if set(f[1]) & set(end)), key=lambda f: (f[0].key, f[1]))
    numbers: dict[int, int] = {}
    shown = tuple(
        (t.key, tuple(i if i in end or i <= LABEL else 1 + numbers.setdefault(i, len(numbers)) for i in slots))
        for t, slots in touching
    )
    return (name, shown), tuple(sizes[i] for i in numbers)
