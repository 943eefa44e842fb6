"""For which sizes a clause is proved: computed from what its steps left free, never said.

Steps that reason all have to hold, so that what one of them restricts is restricted, and a size that none of them carries
is not covered. An induction lifts its base's list. Controls (explicit networks, the small-model reduction, instances) stand
beside the reasoning and restrict nothing; where there is nothing else, the clause is proved at their sizes. A clause that
is proved off a null set is proved where that set is shown to be null.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise

from resproof.proofs.results import Step
from resproof.proofs.statement import CONTROLS, EXACT_ROUTES, POSITIVE
from resproof.symbolic.scope import Scope

_LISTED = re.compile(r"\b(\w+)=(\d+)\b(?![./]\d)")
"""A size in an instance's words, d=2; no fraction."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """The sizes that a clause is proved for, whether these are all that it speaks of, and what no step carries."""

    scope: Scope
    all_sizes: bool
    uncarried: tuple[str, ...] = ()

    @property
    def speaks_of_none(self) -> bool:
        """Whether sizes are quantified and no step speaks of any of them."""
        return bool(self.uncarried) and self.scope == Scope()

    def __str__(self) -> str:
        if not self.uncarried:
            return str(self.scope)
        return "; ".join(filter(None, (str(self.scope), f"not carried through: {', '.join(self.uncarried)}")))


def covered(steps: Sequence[Step], for_all: Mapping[str, int], null: Sequence[Step] = ()) -> Coverage:
    """What the steps of one clause cover of the sizes that it speaks of; `null` show that what it leaves out is null."""
    reasoning = _reasoning(steps, for_all)
    if not reasoning:
        return Coverage(reduce(Scope.__and__, (*_together(steps), *_shown_null(null, for_all)), Scope()), False)
    reasoning += _shown_null(null, for_all)
    together = reduce(Scope.__and__, reasoning)
    restricted = {name for name in for_all if any(one.restricts(name) for one in reasoning)}
    carried = {name for one in reasoning for name in one.free} - _unsaid_by_bases(steps)
    uncarried = tuple(name for name in for_all if name not in carried and name not in restricted)
    return Coverage(
        together.only((carried & for_all.keys()) - restricted, for_all),
        bool(for_all) and not restricted and not uncarried,
        uncarried,
    )


def _unsaid_by_bases(steps: Sequence[Step]) -> set[str]:
    """The sizes that the step of an induction leaves free, where its base is a list of numbers and leaves none."""
    return {
        name
        for base, step in pairwise(steps)
        if base.base_of and not base.sizes.free
        for name in step.sizes.free
        if name != base.base_of and not base.sizes.restricts(name)
    }


def _reasoning(steps: Sequence[Step], for_all: Mapping[str, int]) -> list[Scope]:
    return [
        one.sizes.lifted(one.base_of, for_all.get(one.base_of, 0)) if one.base_of else one.sizes
        for one in steps
        if one.route in EXACT_ROUTES and one.route not in CONTROLS
    ]


def _together(steps: Sequence[Step]) -> list[Scope]:
    """The sizes of all controls as one scope, or nothing."""
    controls = [one.sizes for one in steps if one.route in CONTROLS]
    return [reduce(Scope.__or__, controls)] if controls else []


def _shown_null(steps: Sequence[Step], for_all: Mapping[str, int]) -> list[Scope]:
    """Where a set is shown to be null: a size that is free there carries nothing for what is proved off the set."""
    return [one.limits(for_all) for one in _reasoning(steps, for_all) or _together(steps)]


_ALL = re.compile(r"\b(?:all|each|every|any) (?:[A-Za-z]\b|sizes|widths|dimensions)")


def require_numbers(scope: Scope) -> None:
    """Pass when what was no symbol was a number: no instance says in words that there are all, and a list has values.

    Raises:
        ValueError: one does, or a list has none, or no name.
    """
    if words := next(filter(_ALL.search, scope.listed), None):
        raise ValueError(
            f"an instance that is said to be {words!r}; expected numbers, as sizes are left free by engines"
        )
    for name, values in scope.ranged:
        if not (name.isidentifier() and values) or (name in POSITIVE and values[0] < 1):
            raise ValueError(f"a size {name!r} that took the values {values}; expected a name, and values from one on")


def require_sizes_of_table(found: object, scope: Scope) -> None:
    """Pass unless a table whose keys are sizes, one or several positive numbers, is said to have run over others.

    Where no size is said at all a key of several numbers may be the powers of a monomial; one number is a size.

    Raises:
        ValueError: a place of the keys has other values than every size that is left.
    """
    if not isinstance(found, Mapping) or scope.listed or (scope.free and not scope.ranged):
        return
    keys = [key if isinstance(key, tuple) else (key,) for key in found]
    if not all(type(n) is int and n > 0 for key in keys for n in key) or len({*map(len, keys)}) != 1:
        return
    if scope == Scope() and len(keys[0]) > 1:
        return
    left = [values for _, values in scope.ranged]
    for place in zip(*keys, strict=True):
        values = tuple(sorted({*place}))
        if values not in left:
            raise ValueError(
                f"a table over {', '.join(map(str, values))}, said to be for {scope if scope.ranged else 'no size'}"
            )
        left.remove(values)


def unsaid(steps: Iterable[Step], for_all: Iterable[str]) -> tuple[str, ...]:
    """The sizes of a clause of which one of these steps does not say what they were there."""
    said = [one.sizes for one in steps]
    return tuple(name for name in for_all if any(name not in one.free and not one.restricts(name) for one in said))


def below(steps: Iterable[Step], for_all: Mapping[str, int]) -> tuple[str, ...]:
    """The values that sizes of a clause took in one of these steps, listed ones too, and of which it does not speak."""
    sizes = [one.sizes for one in steps]
    ran = [(name, value) for one in sizes for name, values in one.ranged for value in values]
    ran += [(name, int(value)) for one in sizes for name, value in _LISTED.findall(", ".join(one.listed))]
    found = (f"{name} = {value}" for name, value in ran if value < for_all.get(name, value))
    return tuple(dict.fromkeys(found))


def elsewhere(steps: Iterable[Step], at: Mapping[str, int]) -> tuple[str, ...]:
    """The sizes that a clause fixes of which one of these steps does not say that they have this value there."""
    said = [one.sizes for one in steps]
    return tuple(
        f"{name} = {value}"
        for name, value in at.items()
        if not all(one.listed or name in one.free or value in dict(one.ranged).get(name, ()) for one in said)
    )
