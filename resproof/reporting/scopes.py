"""Scopes as people read them: as they are in words, or with formulas made from what was computed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Protocol

from resproof.proofs.formulas import literal
from resproof.symbolic.scope import Scope, Values

_LISTED = 2
_INDEXED = re.compile(r"([A-Za-z])([\d_]+)")


class Sized(Protocol):
    """What holds for some sizes: these, and the same in words."""

    @property
    def scope(self) -> str:
        """In words."""
        ...

    @property
    def sizes(self) -> Scope | tuple[Scope, ...]:
        """As they were computed."""
        ...


def shortened(scope: str) -> str:
    """The scope with the first two of its parts alone, and how many more there are."""
    return _cut([*dict.fromkeys(scope.split("; "))] if scope else [])


def sizes(one: Sized) -> str:
    """What it holds for, as a text with formulas; in words alone where those say more than was computed."""
    return "; ".join(_parts(one))


def few_sizes(one: Sized) -> str:
    """What it holds for, as a text with formulas: two parts, and how many more there are."""
    return _cut(_parts(one))


def symbol(name: str) -> str:
    """The LaTeX of a size: R, k_{1,2}, a word in roman."""
    if found := _INDEXED.fullmatch(name):
        return f"{found[1]}_{{{found[2].replace('_', ',')}}}"
    return name if len(name) == 1 else rf"\mathrm{{{name}}}"


def _parts(one: Sized) -> list[str]:
    all_ = one.sizes if isinstance(one.sizes, tuple) else (one.sizes,)
    if "; ".join(dict.fromkeys(filter(None, map(str, all_)))) != one.scope:
        return [literal(part) for part in dict.fromkeys(one.scope.split("; "))] if one.scope else []
    return [*dict.fromkeys(part for each in all_ for part in _written(each))]


def _written(scope: Scope) -> Iterator[str]:
    for listed in scope.listed:
        yield from map(literal, listed.split("; "))
    named = [f"${symbol(name)} = {_run(values)}$" for name, values in scope.named]
    if scope.free:
        least = {name: rf" \ge {value}" for name, value in scope.least}
        named.append(f"all ${', '.join(symbol(name) + least.get(name, '') for name in scope.free)}$")
    if named:
        yield ", ".join(named)


def _run(values: Values) -> str:
    if len(values) > 3 and values == (*range(values[0], values[-1] + 1),):
        return rf"{values[0]}, \ldots, {values[-1]}"
    return ", ".join(map(str, values))


def _cut(parts: Sequence[str]) -> str:
    more = len(parts) - _LISTED
    return "; ".join(parts) if more <= 1 else f"{'; '.join(parts[:_LISTED])} and {more} more"
