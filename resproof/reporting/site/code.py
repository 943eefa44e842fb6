"""Code with its syntax marked, and a file of code as a page in which every function has an anchor."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from html import escape
from pathlib import PurePosixPath

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name

_LANGUAGES = {".py": "python", ".v": "coq"}
_BEGINS = re.compile(r" *(?:async def|def|class) (\w+)")


def is_code(path: str) -> bool:
    """Whether a file is shown as a page of code."""
    return PurePosixPath(path).suffix in _LANGUAGES


def highlighted(text: str, language: str) -> str:
    """The HTML of a piece of code, without a block around it."""
    lexer = get_lexer_by_name(language or "text", stripnl=False)
    return str(highlight(text, lexer, HtmlFormatter[str](nowrap=True)))


def code_page(path: str, text: str) -> str:
    """The HTML of a file of code: its path above it, and an anchor before each line where a function begins."""
    lines = highlighted(text, _LANGUAGES[PurePosixPath(path).suffix]).splitlines()
    for name, number in lines_of(path, text).items():
        lines[number - 1] = f'<span class="target" id="{escape(name)}">{lines[number - 1]}</span>'
    return (
        f"<h1>{escape(path)}</h1>\n" + '<div class="highlight"><pre><code>' + "\n".join(lines) + "\n</code></pre></div>"
    )


@cache
def lines_of(path: str, text: str) -> Mapping[str, int]:
    """Where each function and class of a Python file begins, from 1 on; of two with one name the first."""
    if not path.endswith(".py"):
        return {}
    lines = enumerate(text.splitlines(), 1)
    found = [(begun[1], number) for number, line in lines if (begun := _BEGINS.match(line))]
    return dict(reversed(found))
