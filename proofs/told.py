"""What a step found, as one line of text made from the computed object itself; nothing where it has no short form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from resproof.proofs.formulas import plain

_LONGEST, _NUMBER = 160, 24
"""Characters of a line, and of a number, beyond which the rest is left out, or rounded."""


def told(found: Any) -> str:
    """`found` as one line: a number, a text, rows of numbers; several of these by their names.

    Whether something holds is told by its name, and only where one thing holds and another does not: that the step
    went through is said elsewhere.
    """
    named = _named(found)
    if named is None:
        return _fitting([_value(found)])
    if {*map(type, named.values())} == {bool} and len({*named.values()}) == 1:
        return ""
    texts = {name: ("no", "yes")[value] if isinstance(value, bool) else _value(value) for name, value in named.items()}
    return "" if "" in texts.values() else _fitting([f"{name}: {text}" for name, text in texts.items()])


def _named(found: Any) -> dict[str, Any] | None:
    if isinstance(found, Mapping):
        return {_name(key): value for key, value in found.items()}
    if isinstance(found, tuple) and (fields := getattr(found, "_fields", None)):
        return dict(zip(fields, found, strict=True))
    return None


def _name(key: Any) -> str:
    return ", ".join(map(_name, key)) if isinstance(key, tuple) else plain(key) if isinstance(key, str) else str(key)


def _value(found: Any) -> str:
    if isinstance(found, str):
        return found.replace("**", "^")
    if not isinstance(found, tuple | list | set | frozenset) or _named(found) is not None:
        return _number(found)
    if not found:
        return "none"
    ordered = sorted(found, key=str) if isinstance(found, set | frozenset) else found
    texts = [_row(each) if isinstance(each, tuple) else _number(each) for each in ordered]
    begin, end = "{}" if isinstance(found, set | frozenset) else "()"
    return "" if "" in texts else f"{begin}{', '.join(texts)}{end}"


def _row(found: Iterable[Any]) -> str:
    texts = [_number(each) for each in found]
    return "" if "" in texts else f"({', '.join(texts)})"


def _number(found: Any) -> str:
    match found:
        case bool():
            return ""
        case int() | Fraction():
            return text if len(text := str(found)) <= _NUMBER else f"about {float(found):.6g}"
        case float():
            return f"{found:.6g}"
        case _ if type(found).__module__.startswith("sympy."):  # told apart without loading it
            return str(found.as_expr()).replace("**", "^") if hasattr(found, "as_expr") else ""
        case _:
            return ""


def _fitting(texts: list[str]) -> str:
    """As many of them as fit on the line, and how many more there are; nothing where the first does not."""
    fit, length = 0, 0
    for text in texts:
        length += len(text) + 2
        if length > _LONGEST:
            break
        fit += 1
    more = len(texts) - fit
    return "; ".join(texts[:fit]) + (f"; and {more} more" if more else "") if fit else ""
