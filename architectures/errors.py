"""What can be wrong with an architecture, as the user wrote it; and how whatever is wrong is said: on one line."""

from __future__ import annotations

import os
import traceback

from resproof.architectures.names import printable

LINE = 180
"""The most characters of a message; what a program puts before it leaves it under 200."""
_LEAST = 24
"""A path or value is shortened to no less than so much."""


def one_line(text: str, limit: int = LINE) -> str:
    """`text` on one line of at most `limit` characters: long words, as paths and values are, lose their middles first.

    What a terminal would act on, or no encoding has, is written as an escape.
    """
    words = [printable(word) for word in text.split()]
    while (excess := len(" ".join(words)) - limit) > 0:
        longest = max(range(len(words)), key=lambda place: len(words[place]))
        if len(words[longest]) <= _LEAST:
            return shortened(" ".join(words), limit)
        words[longest] = shortened(words[longest], max(len(words[longest]) - excess, _LEAST))
    return " ".join(words)


def shortened(text: str, limit: int) -> str:
    """`text` with so much left out of its middle that it has at most `limit` characters."""
    if len(text) <= limit:
        return text
    kept = limit - 3
    return f"{text[: kept - kept // 2]}...{text[len(text) - kept // 2 :]}"


def show_value(value: object, limit: int = 60) -> str:
    """What the user gave, on one line of at most `limit` characters."""
    shown = " ".join(repr(value).split())
    return shown if len(shown) <= limit else f"{shown[: limit - 3]}..."


def debugging() -> bool:
    """Whether RESPROOF_DEBUG asks for the traceback of whatever is unexpected."""
    return bool(os.environ.get("RESPROOF_DEBUG"))


def show_traceback(error: BaseException) -> None:
    """Print the traceback to stderr where RESPROOF_DEBUG asks for it."""
    if debugging():
        traceback.print_exception(error)


class OneLine(Exception):
    """An error whose message is one short line for the user."""

    def __str__(self) -> str:
        return one_line(super().__str__())


class ArchitectureError(OneLine, ValueError):
    """The expression, network or data is not what the call needs; the message is one line for the user."""


class NotDifferentiableError(ArithmeticError):
    """A derivative is asked for where the function has none; the message names the offending node."""
