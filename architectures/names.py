"""Names that users give, in text and in LaTeX: whatever characters they have, they mean themselves."""

from __future__ import annotations

import re

_LATEX = {
    "\\": r"\backslash ",
    "^": r"\wedge ",
    "~": r"\sim ",
    "`": r"\backprime ",
    "<": r"\lt ",
    ">": r"\gt ",
    " ": r"\ ",
    **{each: rf"\{each}" for each in "{}$&#%_"},
}


def printable(text: str) -> str:
    """`text` with what a terminal would act on, what breaks a line and what no encoding has written as escapes."""
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)


def latex_words(name: str) -> str:
    """A name set upright in a formula."""
    return rf"\mathrm{{{''.join(_LATEX.get(each, each) for each in printable(name))}}}"


def latex_operator(name: str) -> str:
    """The name of a function in a formula."""
    return latex_words(name).replace(r"\mathrm", r"\operatorname", 1)


_FRACTION = re.compile(r"Fraction\((-?\d+), (\d+)\)")


def fractions(text: str) -> str:
    """Fractions in Python's own words as a reader writes them: -1 or 2/3."""
    return _FRACTION.sub(lambda found: found[1] if found[2] == "1" else f"{found[1]}/{found[2]}", text)


def a_kind(value: object) -> str:
    """The name of the value's type with its article: an int, a str."""
    kind = type(value).__name__
    return f"{'an' if kind[0] in 'AEIOUaeiou' else 'a'} {kind}"
