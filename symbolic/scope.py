"""For which sizes something holds: those that an engine left symbolic, those that ran over a list, instances by name.

A size is the number of units R, of layers L, of samples m, a width d, ...; it has the name that formulas give it.
Whoever computes with a size as a symbol says so by `leaving_free`; nobody else can.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

Values: TypeAlias = tuple[int, ...]

_FROM_ONE: Mapping[str, int] = MappingProxyType({})
_ORDER = ("n", "R", "r", "L", "l", "K", "heads", "d", "k", "p")
"""Names that come first where sizes are listed, in this order; m comes last."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What was free, what ran over a list, and the instances otherwise.

    `least`: from which value on a size is free, where it is not from one on.
    """

    free: tuple[str, ...] = ()
    ranged: tuple[tuple[str, Values], ...] = ()
    listed: tuple[str, ...] = ()
    least: tuple[tuple[str, int], ...] = ()

    @staticmethod
    def leaving_free(*names: str) -> Scope:
        """These sizes were symbols all the way. For engines alone: a test reads who calls it."""
        return Scope(free=_sorted(names))

    @staticmethod
    def over(**sizes: int | Iterable[int]) -> Scope:
        """Each of these sizes took these values."""
        values = {name: (v,) if isinstance(v, int) else tuple(sorted(set(v))) for name, v in sizes.items()}
        return Scope(ranged=tuple(sorted(values.items())))

    @staticmethod
    def of(*instances: str) -> Scope:
        """The instances listed, as in "n=2, R=3, d=2, m=1"; every size is restricted to what they say.

        Raises:
            ValueError: none is listed.
        """
        if not instances:
            raise ValueError("scope: no size is listed; expected at least one")
        return Scope(listed=tuple(dict.fromkeys(instances)))

    def __and__(self, other: Scope) -> Scope:
        """Both were needed for one object: free in either, unless it ran over a list."""
        values = dict(self.ranged)
        for name, run in other.ranged:
            values[name] = tuple(sorted({*values[name]} & {*run})) if name in values else run
        return self._with(other, {*self.free, *other.free}, values)

    def __or__(self, other: Scope) -> Scope:
        """Two objects, each with its own: free in both, and each value that one of them ran over."""
        values = dict(self.ranged)
        for name, run in other.ranged:
            values[name] = tuple(sorted({*values.get(name, ()), *run}))
        return self._with(other, {*self.free} & {*other.free}, values)

    def _with(self, other: Scope, free: set[str], values: dict[str, Values]) -> Scope:
        listed = tuple(dict.fromkeys((*self.listed, *other.listed)))
        return Scope(_sorted(free - values.keys()), tuple(sorted(values.items())), listed)

    def lifted(self, name: str, least: int) -> Scope:
        """With this size free, where the values that it ran over begin at `least`: an induction goes on from there."""
        values = dict(self.ranged)
        if name not in values or values[name][0] > least:
            return self
        del values[name]
        return Scope(_sorted((*self.free, name)), tuple(sorted(values.items())), self.listed)

    def only(self, names: Container[str], least: Mapping[str, int] = _FROM_ONE) -> Scope:
        """With no other sizes free than these, each from its least value on."""
        free = tuple(name for name in self.free if name in names)
        return Scope(free, self.ranged, self.listed, tuple((n, least[n]) for n in free if least.get(n, 1) > 1))

    def limits(self, names: Iterable[str]) -> Scope:
        """What restricts these sizes: the values that they took and the instances, with none free."""
        return Scope((), tuple(one for one in self.ranged if one[0] in {*names}), self.listed)

    def restricts(self, name: str) -> bool:
        """Whether this size was a number: named ones where they ran, all where instances are listed."""
        return name in dict(self.ranged) or (bool(self.listed) and name not in self.free)

    def __str__(self) -> str:
        named = ", ".join(self._named())
        return "; ".join([*self.listed, named] if named else self.listed)

    @property
    def named(self) -> tuple[tuple[str, Values], ...]:
        """What ran over a list, in the order in which sizes are named."""
        return tuple(sorted(self.ranged, key=lambda one: _place(one[0])))

    def _named(self) -> Iterator[str]:
        for name, values in self.named:
            yield f"{name} = {_run(values)}"
        if self.free:
            least = dict(self.least)
            yield "all " + ", ".join(f"{name} >= {least[name]}" if name in least else name for name in self.free)


def require_occurring(names: Iterable[object], there: Iterable[object]) -> None:
    """Pass when all of these are there, so that the sizes they stand for may be left free.

    Raises:
        ValueError: one is not.
    """
    present = dict.fromkeys(there)
    if absent := [str(name) for name in names if name not in present]:
        raise ValueError(f"sizes: {', '.join(absent)} does not occur; there is {', '.join(map(str, present))}")


def _sorted(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({*names}, key=_place))


def _place(name: str) -> tuple[int, str]:
    return (_ORDER.index(name) if name in _ORDER else len(_ORDER) + (name == "m"), name)


def _run(values: Values) -> str:
    """2..6 where whole numbers follow each other, else each of them."""
    if len(values) > 2 and values == tuple(range(values[0], values[-1] + 1)):
        return f"{values[0]}..{values[-1]}"
    return ", ".join(map(str, values))
