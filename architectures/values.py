"""Initial values that somebody gives entry by entry: an array, nested lists, an entry of a checkpoint.

They are kept as the exact numbers that they are, a float being the rational k 2^e, with a digest of their content. Any
object with `tolist` is an array here (NumPy, PyTorch, JAX), so that no array library is needed.
"""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any, Literal, TypeAlias

from resproof.architectures.errors import ArchitectureError

Entry: TypeAlias = float | Fraction
"""A float where it is the number itself, else the fraction."""
Kind: TypeAlias = Literal["zero", "ones", "identity"]

SHOWN = 8
"""Characters of a digest that tell arrays apart in a line for people."""
_LARGEST = 1e300


@dataclass(frozen=True, slots=True)
class Values:
    """An array of given numbers, row by row; equal to another with the same numbers, wherever they come from.

    `source` is the file and the entry that they were read from, if they were; `arbitrary` ones are taken for any
    numbers where things are proved, also where they are those of zero, ones or the identity.
    """

    shape: tuple[int, ...]
    entries: tuple[Entry, ...] = field(repr=False, compare=False)
    source: str = field(default="", compare=False)
    arbitrary: bool = False
    digest: str = field(init=False)

    def __post_init__(self) -> None:
        if self.is_float:
            content = struct.pack(f"<{len(self.entries)}d", *self.entries)
        else:
            content = " ".join("{}/{}".format(*entry.as_integer_ratio()) for entry in self.entries).encode()
        named = f"{' x '.join(map(str, self.shape))} ".encode() + content
        object.__setattr__(self, "digest", hashlib.sha256(named).hexdigest())

    @property
    def is_float(self) -> bool:
        """Whether every number is a float, so that an array of floats holds the values themselves."""
        return all(isinstance(entry, float) for entry in self.entries)

    @property
    def floats(self) -> tuple[float, ...]:
        """The nearest floats, in the order of the entries."""
        return tuple(map(float, self.entries))

    @property
    def kind(self) -> Kind | None:
        """Whether the array is zero, all ones or the identity matrix; None for any other, and for an arbitrary one."""
        if self.arbitrary:
            return None
        if not any(self.entries):
            return "zero"
        if all(entry == 1 for entry in self.entries):
            return "ones"
        if len(self.shape) != 2 or self.shape[0] != self.shape[1]:
            return None
        size = self.shape[0]
        diagonal = all(entry == (k // size == k % size) for k, entry in enumerate(self.entries))
        return "identity" if diagonal else None

    @property
    def words(self) -> str:
        """What they are called in a table: where they come from, or the beginning of their digest."""
        return self.source or f"array {self.digest[:SHOWN]}"


def values_of(given: Any, source: str = "") -> Values:
    """The array of an array or of nested lists; numbers in a row are a column vector.

    Raises:
        ArchitectureError: no entry, rows of unequal lengths, or an entry that is no finite real number.
    """
    nested: Any = given.tolist() if hasattr(given, "tolist") else given
    flat, shape = [nested], list[int]()
    while flat and all(isinstance(one, list | tuple) for one in flat):
        sizes = {len(one) for one in flat}
        if len(sizes) > 1:
            raise ArchitectureError("Weight: initial has rows of unequal lengths; expected a matrix")
        shape += sizes
        flat = [entry for one in flat for entry in one]
    if not shape or not flat or any(isinstance(entry, list | tuple) for entry in flat):
        raise ArchitectureError("Weight: initial is empty or no matrix; expected rows of numbers")
    sizes = (shape[0], 1) if len(shape) == 1 else tuple(shape)
    entries = tuple(entry + 0.0 for entry in flat) if _are_floats(flat) else tuple(_entries(flat, sizes))
    return Values(sizes, entries, source)


def is_given(value: object) -> bool:
    """Whether an object is meant as an array: a list, or what makes itself one."""
    return isinstance(value, list | tuple) or hasattr(value, "tolist")


def _are_floats(flat: list[Any]) -> bool:
    """Whether all entries are floats within bounds, as those of a large array are: told at once, not one by one."""
    if set(map(type, flat)) != {float} or not all(map(math.isfinite, flat)):
        return False
    moduli: list[float] = [abs(entry) for entry in flat if entry]
    return not moduli or (min(moduli) >= 1 / _LARGEST and max(moduli) <= _LARGEST)


def _entries(flat: list[Any], shape: tuple[int, ...]) -> Iterator[Entry]:
    """The numbers one by one.

    Raises:
        ArchitectureError: one is no finite real number.
    """
    for given, place in zip(flat, product(*map(range, shape)), strict=True):
        found = _number(given)
        if found is None:
            shown = " ".join(repr(given).split())[:40]
            raise ArchitectureError(
                f"Weight: initial has the entry {shown} at ({', '.join(map(str, place))}); "
                "expected an int, a Fraction or a float, 0 or of modulus 1e-300 to 1e300"
            )
        yield found


def _number(given: Any) -> Entry | None:
    """The number as a float that equals it, else as a fraction; None for what is no such number."""
    given = given.item() if hasattr(given, "item") else given
    if isinstance(given, bool) or not isinstance(given, int | float | Fraction):
        return None
    if given == 0:
        return 0.0
    if (isinstance(given, float) and not math.isfinite(given)) or not 1 / _LARGEST <= abs(given) <= _LARGEST:
        return None
    nearest = float(given)
    return nearest if nearest == given else Fraction(given)
