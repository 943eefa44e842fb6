"""Claims that are properties rather than values: what a printed conclusion says of every object it could mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from proofs.statement import Disagreement, equal, short


@dataclass(frozen=True, slots=True)
class Property:
    """A property with objects that have it and objects that lack it, so that another one does not pass for it."""

    holds: Callable[[Any], bool]
    of: Sequence[Any]
    not_of: Sequence[Any]

    def __call__(self, found: Any) -> bool:
        """Whether an object has it."""
        return self.holds(found)

    def require_examples(self) -> None:
        """Pass when it holds of its examples and of none of the others.

        Raises:
            AssertionError: it does not.
        """
        for expected, examples in ((True, self.of), (False, self.not_of)):
            for one in examples:
                if self.holds(one) is not expected:
                    raise AssertionError(f"the property is {not expected} of {short(one)}; expected {expected}")


def property_of(*of: Any, not_of: Sequence[Any]) -> Callable[[Callable[[Any], bool]], Property]:
    """Makes a property of a predicate; the examples lie on both sides of where it changes.

    Raises:
        ValueError: no object has it, or none lacks it.
    """
    if not (of and not_of):
        raise ValueError("a property that nothing has or nothing lacks; expected an example of either")
    return lambda holds: Property(holds, of, not_of)


def matches(found: Any, claim: Any) -> None:
    """Pass when the claim, a value, equals what was found or, a predicate, holds of it.

    Raises:
        Disagreement: it does not.
    """
    if isinstance(claim, Property):
        claim.require_examples()
    if not callable(claim):
        equal(found, claim)
    elif not claim(found):
        raise Disagreement(f"computed {short(found)}, which has not the property claimed")
