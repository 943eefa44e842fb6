r"""Markdown to HTML as GitHub reads it: CommonMark, tables, headings with anchors, ```math and $`...`$, diagrams.

MkDocs' own Markdown is another dialect, in which lists within lists and text within <details> mean something else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from html import unescape
from itertools import pairwise
from typing import Any, TypeAlias

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from math_core import LatexToMathML
from mdit_py_plugins.anchors import anchors_plugin
from mdit_py_plugins.texmath import texmath_plugin
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name

from resproof.reporting.markdown import anchor
from resproof.reporting.site.diagrams import Lead, drawing

Address: TypeAlias = Callable[[str], str]
"""From a link's target to its address within the site."""
_MATHML = LatexToMathML(fancy_error=False)
_GAP = re.compile(r"\\\\\[\w+\]")
_TAG = re.compile(r"<[^>]*>")
_TARGETS = {"link_open": "href", "image": "src"}


def headings(text: str) -> list[Any]:
    """Every heading of a page: its level and anchor, what it says as HTML and as text, a formula as its signs."""
    tokens = _MARKDOWN.parse(text)
    found = [(one, _rendered([after])) for one, after in pairwise(tokens) if one.type == "heading_open"]
    return [
        {"level": int(one.tag[1:]), "id": one.attrGet("id"), "name": html, "title": unescape(_TAG.sub("", html))}
        for one, html in found
    ]


def links(text: str) -> Iterator[str]:
    """The target of each link and image."""
    for block in _MARKDOWN.parse(text):
        for token in block.children or ():
            if name := _TARGETS.get(token.type):
                yield str(token.attrGet(name))


def html(text: str, address: Address, lead: Lead) -> str:
    """The HTML of a page, links and the boxes of diagrams leading to the addresses that these give.

    Raises:
        LatexError: a formula has something that is not known.
        MermanError: a diagram cannot be read.
    """
    tokens = _MARKDOWN.parse(text)
    for block in tokens:
        for token in block.children or ():
            if name := _TARGETS.get(token.type):
                token.attrSet(name, address(str(token.attrGet(name))))
    return _rendered(tokens, lead=lead)


def _rendered(tokens: Sequence[Token], **env: Lead) -> str:
    return str(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, env))


@cache  # pages say the same formulas again and again
def _formula(latex: str, display: bool) -> str:
    """The MathML, which browsers set by themselves; the space behind a row is the style sheet's."""
    return _MATHML.convert_with_local_state(_GAP.sub(r"\\\\", latex), displaystyle=display)


def _in_a_line(_: RendererHTML, tokens: Sequence[Token], place: int, *_rest: Any) -> str:
    return _formula(tokens[place].content, display=False)


def _fence(_: RendererHTML, tokens: Sequence[Token], place: int, _options: Any, env: Any) -> str:
    text, language = tokens[place].content, tokens[place].info.strip()
    if language == "math":
        return f'<div class="formula">{_formula(text, display=True)}</div>\n'
    if language == "mermaid":
        return f'<div class="diagram" data-search-exclude>{drawing(text, env["lead"])}</div>\n'
    lexer = get_lexer_by_name(language or "text", stripnl=False)
    marked = highlight(text, lexer, HtmlFormatter[str](nowrap=True))
    return f'<div class="highlight"><pre><code>{marked}</code></pre></div>\n'


def _markdown() -> MarkdownIt:
    found = MarkdownIt("commonmark").enable("table")
    found.use(texmath_plugin, delimiters="gitlab").use(anchors_plugin, max_level=6, slug_func=anchor)
    found.disable(["math_block", "math_block_eqno"])  # a fence, which may stand in a list or in a quotation
    found.add_render_rule("math_inline", _in_a_line)
    found.add_render_rule("fence", _fence)
    return found


_MARKDOWN = _markdown()
