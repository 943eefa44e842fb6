"""Exact numbers, and where weights start: zeros, ones, the identity, a draw, or entry by entry what somebody gives.

Given arrays, nested lists and entries of checkpoints are kept as the exact numbers that they
are, a float being the rational k 2^e, with a digest of their content. Any object with `tolist` is an array here (NumPy,
PyTorch, JAX), so that no array library is needed.
"""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any, Literal, TypeAlias, TypeGuard

from resproof.architectures.dimensions import Shape, show_shape
from resproof.architectures.errors import ArchitectureError, show_value

Scalar: TypeAlias = int | Fraction
Kind: TypeAlias = Literal["zero", "ones", "identity"]
Entry: TypeAlias = float | Fraction
"""A float where it is the number itself, else the fraction."""

LARGEST = 10**300
"""The modulus that an exact number may have; its inverse is the least. Beyond, arrays of floats cannot hold it."""
SHOWN = 8
"""Characters of a digest that tell arrays apart in a line for people."""
_LARGEST = 1e300


def is_exact(value: object) -> TypeGuard[Scalar]:
    """Whether `value` is an exact number: an int that is no bool, or a Fraction."""
    return isinstance(value, int | Fraction) and not isinstance(value, bool)


def is_whole(value: object, least: int, most: float = math.inf) -> TypeGuard[int]:
    """Whether `value` is an int that is no bool, from `least` to `most`."""
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def counts(digits: str) -> bool:
    """Whether a text is a positive whole number that floats hold."""
    return digits.isdecimal() and len(digits) < 300 and int(digits) > 0


def in_range(value: Scalar) -> bool:
    """Whether a number is zero or its modulus between 1/LARGEST and LARGEST."""
    return value == 0 or Fraction(1, LARGEST) <= abs(value) <= LARGEST


def check_number(where: str, value: object, *, least: Scalar | None = None) -> None:
    """Nothing, where `value` is an exact number that floats can hold, at least `least`.

    Raises:
        ArchitectureError: it is not; the message starts with `where`.
    """
    if not is_exact(value) or (least is not None and value < least):
        bound = "" if least is None else f" >= {least}"
        raise ArchitectureError(f"{where} is {show_value(value)}; expected an int or a Fraction{bound}")
    if not in_range(value):
        raise ArchitectureError(f"{where} is {show_number(value)}; expected 0 or a modulus from 10^-300 to 10^300")


def show_number(value: Scalar) -> str:
    """A number, or its size where it has many digits."""
    if max(abs(value.numerator), value.denominator) < 10**20:
        return str(value)
    return f"about {'-' * (value < 0)}10^{_digits(value.numerator) - _digits(value.denominator)}"


def _digits(whole: int) -> int:
    # 3/10 is just below log10(2).
    return abs(whole).bit_length() * 30103 // 100000


def written(value: Fraction) -> str:
    """A fraction as it is written in Python."""
    return f"Fraction({value.numerator}, {value.denominator})"


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


@dataclass(frozen=True)
class _Recognised:
    """An array that is known whatever its size; `shape` is that of the array it was recognised in, if any."""

    shape: tuple[int, ...] | None = field(default=None, compare=False, repr=False)


class Zero(_Recognised):
    """Every entry 0: the weights of the papers' initial point."""


class Ones(_Recognised):
    """Every entry 1: the gain of a normalisation."""


class Identity(_Recognised):
    """The identity matrix."""


@dataclass(frozen=True)
class Normal:
    """Independent Gaussian entries of mean 0; `variance` is a number, or "1/d" for a dimension d."""

    variance: str | Scalar = "1/d"

    @property
    def quotient(self) -> tuple[Scalar, int | str]:
        """The variance as one number over another, or over a dimension's name."""
        if not isinstance(self.variance, str):
            return self.variance, 1
        numerator, _, divisor = (part.strip() for part in self.variance.partition("/"))
        return int(numerator), int(divisor) if divisor.isdecimal() else divisor


Initial: TypeAlias = Zero | Ones | Identity | Normal | Values
zero, ones, identity_initial = Zero(), Ones(), Identity()


def is_arbitrary(initial: Initial) -> bool:
    """Whether the exact side takes the initial value for any matrix whatever: one that is drawn, or an array."""
    return isinstance(initial, Normal | Values)


def normal(variance: str | Scalar = "1/d") -> Normal:
    """Initial weights drawn from N(0, variance): the argument is the variance, not the standard deviation.

    Raises:
        ArchitectureError: the variance is neither a positive exact number nor a text such as "1/d".
    """
    if isinstance(variance, float) and 0.0 < variance < 1e9 and (near := Fraction(variance).limit_denominator(10**6)):
        raise ArchitectureError(
            f"normal: takes an exact variance: normal({written(near)}) for {variance!r}, "
            f"normal({written(near**2)}) for standard deviation {variance!r}"
        )
    if isinstance(variance, str):
        numerator, _, denominator = (part.strip() for part in variance.partition("/"))
        good = counts(numerator) and (denominator.isidentifier() or counts(denominator))
    else:
        good = is_exact(variance) and variance > 0 and in_range(variance)
    if not good:
        raise ArchitectureError(
            f'normal: variance is {show_value(variance)}; expected a positive int or Fraction, or a text such as "1/d"'
        )
    return Normal(variance)


_RECOGNISED = {"zero": Zero, "ones": Ones, "identity": Identity}


def recognised(values: Values) -> Initial:
    """Zeros, ones or the identity where an array is one of them, and not meant for any numbers; else the array."""
    return values if values.kind is None else _RECOGNISED[values.kind](values.shape)


def check_given(given: Sequence[int], shape: Shape) -> None:
    """Nothing, where an array has the shape of its weight: the numbers in it, and one size for a name.

    Raises:
        ArchitectureError: it has not.
    """
    known: dict[str, int] = {}
    fits = len(given) == len(shape) and all(
        (dimension if isinstance(dimension, int) else known.setdefault(dimension, size)) == size
        for dimension, size in zip(shape, given, strict=True)
    )
    if not fits:
        raise ArchitectureError(
            f"Weight: initial has shape {show_shape(tuple(given))}; expected {show_shape(shape)}, the weight's"
        )


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
