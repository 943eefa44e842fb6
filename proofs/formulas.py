r"""Text with formulas in it: prose, and LaTeX between dollar signs, stored once and shown by each reader in its own way.

"For $n = 2$ and $c M \ne 0$ ..." is shown here as plain text, for the terminal; resproof.reporting.markdown sets it for GitHub. A
dollar sign that stands for itself is written \$. Formulas take the part of LaTeX that is named below and no other, so
that every reader knows all of it: each script stands once on its letter, and a bar is \lvert or \rvert, for a | would
end the cell of a table.
"""

# ruff: noqa: RUF001 - signs that look like others are meant here

from __future__ import annotations

import re
from collections import deque
from functools import lru_cache
from typing import NamedTuple

_SIGNS = {
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "zeta": "ζ",
    "xi": "ξ",
    "phi": "φ",
    "omega": "ω",
    "epsilon": "ε",
    "delta": "δ",
    "varepsilon": "ε",
    "eta": "η",
    "theta": "θ",
    "kappa": "κ",
    "lambda": "λ",
    "mu": "μ",
    "nu": "ν",
    "pi": "π",
    "rho": "ρ",
    "sigma": "σ",
    "tau": "τ",
    "chi": "χ",
    "varphi": "φ",
    "psi": "ψ",
    "Gamma": "Γ",
    "Theta": "Θ",
    "Phi": "Φ",
    "Psi": "Ψ",
    "Omega": "Ω",
    "Lambda": "Λ",
    "Sigma": "Σ",
    "neq": "≠",
    "leq": "≤",
    "geq": "≥",
    "approx": "≈",
    "equiv": "≡",
    "propto": "∝",
    "subset": "⊂",
    "cup": "∪",
    "cap": "∩",
    "mapsto": "↦",
    "implies": "⇒",
    "iff": "⇔",
    "ne": "≠",
    "le": "≤",
    "ge": "≥",
    "ll": "≪",
    "gg": "≫",
    "sim": "~",
    "in": "∈",
    "to": "→",
    "pm": "±",
    "times": "\N{MULTIPLICATION SIGN}",
    "otimes": "⊗",
    "oplus": "⊕",
    "odot": "⊙",
    "circ": "∘",
    "top": "T",
    "dots": "...",
    "cdot": "·",
    "cdots": "...",
    "ldots": "...",
    "infty": "∞",
    "sum": "∑",
    "prod": "∏",
    "perp": "⊥",
    "rvert": "|",
    "rVert": "‖",
    "rfloor": "⌋",
    "rceil": "⌉",
    "rangle": "⟩",
    "{": "{",
    "}": "}",
    ",": " ",
    "quad": " ",
}
_BEFORE = {
    "Delta": "Δ",
    "partial": "∂",
    "nabla": "∇",
    "lvert": "|",
    "lVert": "‖",
    "lfloor": "⌊",
    "lceil": "⌈",
    "langle": "⟨",
}
"""What stands close before the next letter."""
_NAMES = frozenset({"cos", "det", "dim", "exp", "inf", "ker", "log", "max", "lim", "min", "sin", "sup", "tanh"})
_FONTS = frozenset({"mathrm", "mathsf", "mathbf", "mathcal", "text"})
_BLACKBOARD = {"R": "\N{DOUBLE-STRUCK CAPITAL R}"}
_ACCENTS = {
    "bar": "\N{COMBINING MACRON}",
    "hat": "\N{COMBINING CIRCUMFLEX ACCENT}",
    "tilde": "\N{COMBINING TILDE}",
    "dot": "\N{COMBINING DOT ABOVE}",
}
_RAISED = str.maketrans("0123456789+-T", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ᵀ")
_DOLLAR = re.compile(r"(?<!\\)\$")
_MARKS = re.compile(r"\\(?:math[a-z]+|text) ?|[\\{}]")
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\s+|.", re.DOTALL)
_REFUSED = frozenset("|~#%`$")


class FormulaError(ValueError):
    """A text with a stray dollar sign, or a formula that is not of the part of LaTeX that is read; one line."""


class Piece(NamedTuple):
    """Prose, with its dollar signs as they are, or a formula's LaTeX."""

    text: str
    formula: bool


def pieces(text: str) -> tuple[Piece, ...]:
    """The prose and the formulas of a text, one after the other, none of them empty.

    Raises:
        FormulaError: a dollar sign is stray.
    """
    found = _DOLLAR.split(text)
    if len(found) % 2 == 0:
        raise FormulaError(rf"{text!r} has a dollar sign without another; expected $ around LaTeX, \$ for itself")
    by_turns = (
        Piece(each if place % 2 else each.replace(r"\$", "$"), place % 2 == 1) for place, each in enumerate(found)
    )
    return tuple(one for one in by_turns if one.text)


def readable(*texts: str) -> None:
    """Pass when every formula of the texts can be read.

    Raises:
        FormulaError: a dollar sign is stray, or a formula is not of the part of LaTeX that is read.
    """
    for text in texts:
        plain(text)


def literal(text: str) -> str:
    """`text` as a text that means exactly itself: its dollar signs begin no formula."""
    return text.replace("$", r"\$")


def occurrences(words: str, text: str) -> list[tuple[int, int]]:
    """Where these words begin and end in a text: not within a word, nor within a formula."""
    found = re.finditer(rf"(?<!\w){re.escape(words)}(?!\w)", text)
    return [one.span() for one in found if len(_DOLLAR.findall(text[: one.start()])) % 2 == 0]


@lru_cache(maxsize=1 << 14)
def plain(text: str) -> str:
    """A text as a terminal shows it: sigma_max(M), A^T and <= in letters and signs.

    Raises:
        FormulaError: a dollar sign is stray, or a formula is not of the part of LaTeX that is read.
    """
    return "".join(_shown(one.text) if one.formula else one.text for one in pieces(text))


def typed(text: str) -> str:
    """A text as one types it, for searching: sigma_max(M), A^T and ge without the marks of LaTeX."""
    return "".join(_MARKS.sub("", one.text) if one.formula else one.text for one in pieces(text))


def _shown(latex: str) -> str:
    tokens = deque(_TOKEN.findall(latex))
    try:
        return " ".join(_until(tokens, "").split())
    except FormulaError as error:
        raise FormulaError(f"the formula ${latex}$ {error}") from None


def _until(tokens: deque[str], *ends: str) -> str:
    # What stands before one of `ends`, which is left where it is; all of it where that is "".
    found: list[str] = []
    scripts = ""  # those on the letter before
    while tokens and tokens[0] not in ends:
        token = tokens[0]
        if token in "^_'":
            if token in scripts or (token, scripts[-1:]) == ("'", "^"):
                raise FormulaError(f"has two {token} on one letter; expected one")
            scripts += "" if token == "'" else token
        elif not token.isspace():
            scripts = ""
        found.append(_item(tokens))
    if not tokens and ends != ("",):
        raise FormulaError(f"lacks {ends[-1]}")
    return "".join(found)


def _item(tokens: deque[str]) -> str:
    token = tokens.popleft()
    if token in _REFUSED:
        raise FormulaError(f"has the sign {token}, which is not read")
    if token in "^_":
        return _script(token, _argument(tokens))
    if token == "{":
        return _group(tokens)
    if token in "}&":
        raise FormulaError(f"has a stray {token}")
    if token.startswith("\\"):
        return _macro(token[1:], tokens)
    return " " if token.isspace() else token


def _group(tokens: deque[str]) -> str:
    """What stands in the group that has just begun."""
    found = _until(tokens, "}")
    tokens.popleft()
    return found


def _argument(tokens: deque[str]) -> str:
    _skip_space(tokens)
    if not tokens:
        raise FormulaError("ends where an argument is expected")
    return _item(tokens).strip()


def _skip_space(tokens: deque[str]) -> None:
    while tokens and tokens[0].isspace():
        tokens.popleft()


def _script(sign: str, content: str) -> str:
    raised = content.translate(_RAISED)
    if sign == "^" and not set(raised) & set(content):
        return raised
    return sign + _one(content)


def _one(content: str) -> str:
    """`content` where it is one name or number, otherwise in parentheses."""
    return content if len(content) == 1 or content.isdigit() or content.isalpha() else f"({content})"


def _macro(name: str, tokens: deque[str]) -> str:
    if name in _BEFORE:
        _skip_space(tokens)
        return _BEFORE[name]
    if name in _SIGNS:
        return _SIGNS[name]
    if name in _NAMES:
        return name
    if name in _FONTS:
        return _argument(tokens)
    if name in _ACCENTS:
        return _argument(tokens) + _ACCENTS[name]
    match name:
        case "mathbb":
            letter = _argument(tokens)
            return _BLACKBOARD.get(letter, letter)
        case "sqrt":
            return f"√{_one(_argument(tokens))}"
        case "frac" | "tfrac":
            above, below = _argument(tokens), _argument(tokens)
            return f"{_one(above)}/{_one(below)}"
        case "begin" if _argument(tokens) == "pmatrix":
            return _matrix(tokens)
        case _:
            raise FormulaError(
                rf"has \{name}, which is not read; expected what is, such as \le, \sum, \frac, \mathrm, \hat"
            )


def _matrix(tokens: deque[str]) -> str:
    rows: list[list[str]] = [[]]
    while True:
        rows[-1].append(" ".join(_until(tokens, "&", r"\\", r"\end").split()))
        end = tokens.popleft()
        if end == r"\end":
            _argument(tokens)
            return f"[{', '.join('[' + ', '.join(row) + ']' for row in rows)}]"
        if end == r"\\":
            rows.append([])
