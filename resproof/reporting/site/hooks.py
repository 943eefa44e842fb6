"""What MkDocs calls while it builds the site: which files there are, what the menu has, how a page becomes HTML."""

from __future__ import annotations

import gc
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import AnchorLink, TableOfContents

from resproof.proofs.cited import THEOREMS
from resproof.reporting.site import markup
from resproof.reporting.site.code import code_page
from resproof.reporting.site.markup import Heading, headings
from resproof.reporting.site.menu import menu
from resproof.reporting.site.pages import (
    AS_PAGE,
    INTERFACE,
    LIMITS,
    ROOT,
    STATEMENTS,
    elsewhere,
    paper_page,
    site,
    statement_page,
)

_CITED = frozenset(THEOREMS)
_PAPERS = paper_page("").removesuffix(".md")
_EXPERIMENTS = 3
"""The weight of the papers' pages in the search: an experiment has a section there, where statements have pages."""
_FONT = Path(str(resources.files("ziamath"))) / "fonts/STIXTwoMath-Regular.ttf"
"""STIX Two Math (SIL Open Font License), whose signs grow with what they stand around."""

_NEW_OBJECTS = 100_000
"""How many before the collector looks for what keeps itself alive: the texts of all pages stay to the end."""


def on_startup(**_: Any) -> None:
    """The collector leaves alone what is there, and comes seldom."""
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The committed pages, code and files, each under its path in the repository; and the menu over the pages.

    Raises:
        PluginError: a page leads to what is not there.
    """
    with _told():
        found = site()
    for path, text in found.pages.items():
        files.append(File.generated(config, path, content=text))
    for path, text in found.code.items():
        files.append(File.generated(config, path + AS_PAGE, content=text))
    for path in sorted(found.copied):
        files.append(File.generated(config, path, abs_src_path=str(ROOT / path)))
    files.append(File.generated(config, _FONT.name, abs_src_path=str(_FONT)))
    config.nav = menu(found)
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Nothing for the pages that `on_page_content` sets: the one about the interface alone is left to MkDocs.

    Raises:
        PluginError: a formula in a heading has something that is not known.
    """
    path = page.file.src_uri
    if path == INTERFACE:
        return markdown
    if path in site().pages:
        with _told(f"{path}: "):
            page.meta["title"] = headings(markdown)[0].text
        page.meta["hide"] = ["navigation", "toc"] if path == STATEMENTS else []
        if path.startswith(_PAPERS):
            page.meta["search"] = {"boost": _EXPERIMENTS}
    else:
        page.meta.update({"title": path.removesuffix(AS_PAGE), "search": {"exclude": True}, "hide": ["toc"]})
    return ""


def on_page_content(html: str, page: Page, files: Files, **_: Any) -> str:
    """The HTML of a page, with its table of contents.

    Raises:
        PluginError: a formula or a diagram on it has something that is not known.
    """
    path = page.file.src_uri
    if path == INTERFACE:
        return html
    if path not in site().pages:
        source = path.removesuffix(AS_PAGE)
        return code_page(source, site().code[source])
    text = site().pages[path]
    page.toc = _contents(headings(text))

    def address(target: str, words: str) -> str:
        return target if elsewhere(target) else _url(*site().place(path, target, words), page.file, files)

    def lead(name: str) -> str | None:
        if name in _CITED:
            return _url(LIMITS, "what-proved-rests-on", page.file, files)
        known = statement_page(name) in site().pages
        return _url(statement_page(name), "", page.file, files) if known else None

    with _told(f"{path}: "):
        return markup.html(text, address, lead)


def on_post_template(output: str, template_name: str, **_: Any) -> str:
    """No page for what is not found: a server's own is better than one that asks for its style at the server's root."""
    return "" if template_name == "404.html" else output


@contextmanager
def _told(where: str = "") -> Generator[None]:
    """What is wrong with a page becomes a line of MkDocs' own.

    Raises:
        PluginError: something is.
    """
    try:
        yield
    except ValueError as error:
        raise PluginError(f"{where}{error}") from error


def _url(path: str, anchor: str, origin: File, files: Files) -> str:
    file = files.get_file_from_path(path + AS_PAGE if path in site().code else path)
    assert file, f"{path} is not in the site"
    url = "" if file is origin and anchor else file.url_relative_to(origin)
    return f"{url}#{anchor}" if anchor else url


def _contents(found: Sequence[Heading]) -> TableOfContents:
    """A heading contains those behind it that are deeper, up to the next that is not."""
    top: list[AnchorLink] = []
    above: list[AnchorLink] = []
    for each in found:
        entry = AnchorLink(each.html, each.anchor, each.level)
        while above and above[-1].level >= entry.level:
            del above[-1]
        (above[-1].children if above else top).append(entry)
        above.append(entry)
    return TableOfContents(top)
