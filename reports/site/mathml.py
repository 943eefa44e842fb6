"""LaTeX to MathML, which browsers set by themselves."""

from __future__ import annotations

import html
import re
import unicodedata

from latex2mathml.converter import convert
from latex2mathml.symbols_parser import convert_symbol

_NAME = re.compile(r"\\mathop\{\\mathrm\{(\w+)\}\}")
_LEFT_AS_TYPED = re.compile(r"(?<=>)\\(?:[A-Za-z]+|\S)(?=</mo>)")
_IDENTIFIER = re.compile(r"<mi>(&#x\w+;)</mi>")
_TAG = re.compile(r"<[^>]*>")
_OPERATORS = {"Sm": "<mo>", "Po": "<mo>", "Ps": '<mo stretchy="false">', "Pe": '<mo stretchy="false">'}
"""The element of a sign by its Unicode category: relations and marks, brackets, which are as high as they are typed."""


def mathml(latex: str, *, display: bool) -> str:
    """The MathML of a formula, on a line of its own or within one.

    Raises:
        ValueError: it has a command that is not known.
    """
    # The converter gives a name of several letters the space of an operator in this form only.
    found = convert(_NAME.sub(r"\\operatorname{\1}", latex), display="block" if display else "inline")
    found = _IDENTIFIER.sub(_operator, _LEFT_AS_TYPED.sub(_sign, found))
    unknown = re.search(r"\\\S*", _TAG.sub(" ", found))
    if unknown:
        raise ValueError(f"{unknown[0]} in a formula is not known: {' '.join(latex.split())}")
    return found


def _sign(command: re.Match[str]) -> str:
    r"""The sign of a delimiter that the converter leaves as it is typed, as it does behind \Bigl and the like."""
    code = convert_symbol(command[0])
    return f"&#x{code};" if code else command[0]


def _operator(identifier: re.Match[str]) -> str:
    """An arrow, a relation or a bracket, which the converter takes for a letter, with the space that is due to it."""
    opening = _OPERATORS.get(unicodedata.category(html.unescape(identifier[1])))
    return f"{opening}{identifier[1]}</mo>" if opening else identifier[0]
