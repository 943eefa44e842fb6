"""Claims that are properties rather than values: what a printed conclusion says of every object it could mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from resproof.proofs.statement import Disagreement, Property, equal, short


def property_of(*of: Any, not_of: Sequence[Any] = ()) -> Callable[[Callable[..., bool]], Property]:
    """Makes a property of a predicate; what it holds of and what not lie best on both sides of where it changes.

    Raises:
        ValueError: nothing that it holds of, or a property in place of a predicate, whose examples would be lost.
    """
    if not of:
        raise ValueError("a property that holds of nothing; expected an example")

    def made(holds: Callable[..., bool]) -> Property:
        if isinstance(holds, Property):
            raise ValueError("a property of a property; expected a predicate")
        return Property(holds, of, not_of)

    return made


def at_most(value: Any, bound: Any, at: str) -> None:
    """Pass when a number is at most its bound, which may be attained.

    Raises:
        Disagreement: it is greater.
    """
    if value > bound:
        raise Disagreement(f"{at}: {short(value)} is above {short(bound)}")


def matches(found: Any, claim: Any) -> None:
    """Pass when the claim, a value, equals what was found or, a predicate, holds of it.

    Raises:
        Disagreement: it does not.
    """
    if not callable(claim):
        equal(found, claim)
    elif not claim(found):
        raise Disagreement(f"computed {short(found)}, which has not the property claimed")
