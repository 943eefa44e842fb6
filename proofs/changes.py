"""What differs between the words of a document and what is proved instead, and where these words stand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from resproof.proofs.formulas import occurrences, plain, readable


@dataclass(frozen=True, slots=True)
class Change:
    """Words of the quotation, plain text as there; what is read in their place, word for word as proved; and why.

    `kept`: the printed words stay, and `read` is added to them.

    Raises:
        ValueError: one of them is missing, or both say the same.
    """

    printed: str
    read: str
    why: str = ""
    kept: bool = False

    def __post_init__(self) -> None:
        readable(self.read, self.why)
        printed, read = _line(self.printed), _line(plain(self.read))
        if not printed or not read or printed == read:
            raise ValueError(f"change of {self.printed!r}: expected words of the quotation, and others in their place")


class Marked(NamedTuple):
    """A stretch of a text, and the mark of the words that it is of; none where nobody looked for it."""

    text: str
    mark: str


def parts(text: str, marks: Mapping[str, str]) -> tuple[Marked, ...]:
    """A text on one line, in stretches: the first occurrence of each of these words with their mark, and the rest."""
    line = _line(text)
    found = [""] * len(line)
    for words, mark in marks.items():
        for begin, end in occurrences(_line(words), line)[:1]:
            found[begin:end] = [mark] * (end - begin)
    runs = ((mark, [*run]) for mark, run in groupby(range(len(line)), found.__getitem__))
    return tuple(Marked(line[run[0] : run[-1] + 1], mark) for mark, run in runs)


def require_printed(changes: Iterable[Change], quotation: str) -> None:
    """Pass when the printed words of each change stand in the quotation, once.

    Raises:
        ValueError: some do not, or there are several places that they may mean.
    """
    for one in changes:
        if (count := len(occurrences(_line(one.printed), _line(quotation)))) != 1:
            raise ValueError(f"change of {one.printed!r}: {count} times in the quotation {quotation!r}; expected once")


def require_read(changes: Iterable[Change], texts: Iterable[str]) -> None:
    """Pass when what each change reads stands in one of the texts.

    Raises:
        ValueError: some does not.
    """
    lines = [*map(_line, texts)]
    for one in changes:
        if not any(occurrences(_line(one.read), line) for line in lines):
            raise ValueError(f"change of {one.printed!r}: {one.read!r} is not part of what is proved")


def _line(text: str) -> str:
    return " ".join(text.split())
