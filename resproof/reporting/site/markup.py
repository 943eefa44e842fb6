r"""Markdown to HTML as GitHub reads it: CommonMark, tables, headings with anchors, ```math and $`...`$, diagrams.

MkDocs' own Markdown is another dialect, in which lists within lists and text within <details> mean something else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from html import unescape
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from resproof.reporting.markdown import anchor as anchor_of
from resproof.reporting.site.code import highlighted
from resproof.reporting.site.drawing import Lead, drawing
from resproof.reporting.site.mathml import displayed, in_a_line

Address: TypeAlias = Callable[[str, str], str]
"""From a link's target and its text to its address within the site."""
_TAG = re.compile(r"<[^>]*>")
_TARGETS = {"link_open": "href", "image": "src"}


class Heading(NamedTuple):
    """Its level and anchor, and what it says: as HTML, and as text, in which a formula is its signs."""

    level: int
    anchor: str
    html: str

    @property
    def text(self) -> str:
        """What it says without any markup."""
        return unescape(_TAG.sub("", self.html))


@cache
def headings(text: str) -> list[Heading]:
    """Every heading of a page in order."""
    return [
        Heading(int(token.tag[1:]), str(token.attrGet("id")), _rendered([after], {}))
        for token, after in pairwise(_parsed(text))
        if token.type == "heading_open"
    ]


def links(text: str) -> Iterator[tuple[str, str]]:
    """The target of each link and image, and what a link says."""
    for block in _parsed(text):
        for _, _, target, words in _linking(block.children or ()):
            yield target, words


def html(text: str, address: Address, lead: Lead) -> str:
    """The HTML of a page, links and the boxes of diagrams leading to the addresses that these give.

    Raises:
        ValueError: a formula or a diagram has something that is not known.
    """
    return _rendered([_addressed(block, address) for block in _parsed(text)], {"lead": lead})


@cache  # read for its links, for its headings and for what it says
def _parsed(text: str) -> Sequence[Token]:
    return tuple(_MARKDOWN.parse(text))


def _rendered(tokens: Sequence[Token], env: Mapping[str, Lead]) -> str:
    return str(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, dict(env)))


def _addressed(block: Token, address: Address) -> Token:
    """The same block, with the addresses of what it leads to."""
    within = [*(block.children or ())]
    for place, name, target, words in _linking(block.children or ()):
        within[place] = within[place].copy(attrs={**within[place].attrs, name: address(target, words)})
    return block.copy(children=within) if within else block


def _linking(within: Sequence[Token]) -> Iterator[tuple[int, str, str, str]]:
    """Where each link and image stands, the name of the attribute with its target, this, and what a link says."""
    for place, token in enumerate(within):
        if name := _TARGETS.get(token.type):
            yield place, name, str(token.attrGet(name)), _text(within[place:])


def _text(tokens: Sequence[Token]) -> str:
    """What stands there up to the end of the link, if one begins there."""
    found: list[str] = []
    for token in tokens:
        if token.type == "link_close":
            break
        found.append(token.content if token.type in {"text", "text_special", "code_inline", "formula"} else "")
    return "".join(found)


def _anchors(state: StateCore) -> None:
    """GitHub's anchors: small letters, hyphens for spaces, and a number where there would be two of a name."""
    used: dict[str, int] = {}
    for token, after in pairwise(state.tokens):
        if token.type == "heading_open":
            anchor = anchor_of(_text(after.children or ()))
            used[anchor] = used.get(anchor, -1) + 1
            token.attrSet("id", f"{anchor}-{used[anchor]}" if used[anchor] else anchor)


def _formula_in_a_line(state: StateInline, silent: bool) -> bool:
    """A rule for $`...`$."""
    end = state.src.find("`$", state.pos + 2)
    if not state.src.startswith("$`", state.pos) or end < 0:
        return False
    if not silent:
        state.push("formula", "math", 0).content = state.src[state.pos + 2 : end]
    state.pos = end + 2
    return True


def _formula(_: RendererHTML, tokens: Sequence[Token], place: int, *_rest: Any) -> str:
    return in_a_line(tokens[place].content)


def _fence(_: RendererHTML, tokens: Sequence[Token], place: int, _options: Any, env: Mapping[str, Lead]) -> str:
    text = tokens[place].content
    match tokens[place].info.strip():
        case "math":
            return f"{displayed(text)}\n"
        case "mermaid":
            return f'<div class="diagram" data-search-exclude>{drawing(text, env["lead"])}</div>\n'
        case language:
            return f'<div class="highlight"><pre><code>{highlighted(text, language)}</code></pre></div>\n'


def _markdown() -> MarkdownIt:
    found = MarkdownIt("commonmark").enable("table")
    found.core.ruler.push("anchors", _anchors)
    found.inline.ruler.before("backticks", "formula", _formula_in_a_line)
    found.add_render_rule("formula", _formula)
    found.add_render_rule("fence", _fence)
    return found


_MARKDOWN = _markdown()
