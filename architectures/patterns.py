"""Constants whose entries a rule gives, by name; all but "mean" have the entries 0 and 1.

identity, causal, shift k       (n, n)             1 at (s, t) iff s = t, s <= t, t = s + k
mean                            any                one over the number of entries
split                           (n, n_1, n_2 ...)  1 at (s, i, j ...) iff (i, j ...) is the s-th place, row by row
take start step                 (n, k)             1 at (s, t) iff s = start + step t
window stride padding           (n, k, taps)       1 at (s, t, a) iff s = stride t + a - padding
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod

from resproof.architectures.dimensions import Shape, factors, product_of

_NUMBERS = {"identity": 0, "causal": 0, "shift": 1, "mean": 0, "split": 0, "take": 2, "window": 2}


def is_pattern(value: str) -> bool:
    """Whether this is a pattern's name with its numbers."""
    word, *numbers = value.split(" ")
    whole = all(n.removeprefix("-").isdecimal() and len(n) < 10 for n in numbers)
    positive = word not in {"take", "window"} or not any(n.startswith("-") for n in numbers)
    return _NUMBERS.get(word) == len(numbers) and whole and positive


def is_band(pattern: str) -> bool:
    """Whether a pattern is a matrix whose entry (s, t) depends on t - s."""
    return pattern.split(" ")[0] in {"identity", "causal", "shift"}


def refused_shape(pattern: str, shape: Shape) -> str:
    """What shape is expected, where a pattern cannot have this one."""
    word, *numbers = pattern.split(" ")
    match word:
        case "mean":
            return ""
        case "split":
            whole = len(shape) > 2 and sorted(map(str, factors(product_of(shape[1:])))) == sorted(
                map(str, factors(shape[0]))
            )
            return "" if whole else "a dimension and those that it is the product of"
        case "take":
            start, step = map(int, numbers)
            if len(shape) != 2 or not all(isinstance(n, int) for n in shape):
                return "two numbers"
            return "" if step and start + step * (int(shape[1]) - 1) < int(shape[0]) else "places that there are"
        case "window":
            same = len(shape) == 3 and (shape[0] == shape[1] or all(isinstance(n, int) for n in shape))
            return "" if same and int(numbers[0]) else "(n, n, taps) or three numbers"
        case _:
            return "" if len(shape) == 2 and shape[0] == shape[1] else "a square pattern"


def relates_sizes(pattern: str, shape: Shape) -> bool:
    """Whether the pattern is what it is for some sizes only: the numbers of its shape belong together."""
    word = pattern.split(" ")[0]
    return word in {"split", "take"} or (word == "window" and shape[0] != shape[1])


def in_pattern(pattern: str, s: int, t: int) -> bool:
    """Whether the entry (s, t) of a band is 1."""
    match pattern.split():
        case ["shift", steps]:
            return t == s + int(steps)
        case ["causal"]:
            return s <= t
        case _:
            return s == t


def pattern_entry(pattern: str, place: Sequence[int], shape: Sequence[int]) -> int | Fraction:
    """The entry of a pattern at a place, numbered from 0, of an array of these sizes."""
    match pattern.split():
        case ["mean"]:
            return Fraction(1, prod(shape))
        case ["split"]:
            number = 0
            for index, size in zip(place[1:], shape[1:], strict=True):
                number = number * size + index
            return int(place[0] == number)
        case ["take", start, step]:
            return int(place[0] == int(start) + int(step) * place[1])
        case ["window", stride, padding]:
            return int(place[0] == int(stride) * place[1] + place[2] - int(padding))
        case _:
            return int(in_pattern(pattern, place[0], place[1]))
