"""What MkDocs calls while it builds the site: which files there are, what the menu has, how a page becomes HTML."""

from __future__ import annotations

from typing import Any, cast

from markdown.extensions.toc import nest_toc_tokens
from math_core import LatexError
from merman import MermanError
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import get_toc

from resproof.proofs.cited import THEOREMS
from resproof.reporting.site.markup import headings, html
from resproof.reporting.site.pages import (
    AS_PAGE,
    INTERFACE,
    ROOT,
    STATEMENTS,
    elsewhere,
    file_of,
    menu,
    paper_page,
    site,
    statement_page,
)

_REFUSED = (LatexError, cast("type[Exception]", MermanError))
_PAPERS = paper_page("").removesuffix(".md")
_EXPERIMENTS = 3
"""The weight of the papers' pages in the search: an experiment has a section there, where statements have pages."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The committed pages, code and files, each under its path in the repository; and the menu over the pages.

    Raises:
        PluginError: a page leads to what is not there.
    """
    try:
        found = site()
    except ValueError as error:
        raise PluginError(str(error)) from error
    code = {path + AS_PAGE: text for path, text in found.code.items()}
    for path, text in {**found.pages, **code}.items():
        files.append(File.generated(config, path, content=text))
    for path in sorted(found.copied):
        files.append(File.generated(config, path, abs_src_path=str(ROOT / path)))
    config.nav = menu(found)
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Nothing for the pages of the report and the guides, which `on_page_content` sets."""
    path = page.file.src_uri
    if path not in site().pages:
        if path != INTERFACE:
            page.meta.update({"title": path.removesuffix(AS_PAGE), "search": {"exclude": True}, "hide": ["toc"]})
        return markdown
    page.meta["title"] = headings(markdown)[0]["title"]
    page.meta["hide"] = ["navigation", "toc"] if path == STATEMENTS else []
    if path.startswith(_PAPERS):
        page.meta["search"] = {"boost": _EXPERIMENTS}
    return ""


def on_page_content(content: str, page: Page, files: Files, **_: Any) -> str:
    """The HTML of a page, with its table of contents.

    Raises:
        PluginError: a formula or a diagram on it has something that is not known.
    """
    path = page.file.src_uri
    if path not in site().pages:
        return content
    text = site().pages[path]

    def address(target: str) -> str:
        if elsewhere(target) or target.startswith("#"):
            return target
        return _url(file_of(path, target), target.partition("#")[2], page.file, files)

    def lead(name: str) -> str | None:
        if name in THEOREMS:
            return _url("reports/LIMITS.md", "what-proved-rests-on", page.file, files)
        return _url(statement_page(name), "", page.file, files) if statement_page(name) in site().pages else None

    page.toc = get_toc(nest_toc_tokens(headings(text)))
    try:
        return html(text, address, lead)
    except _REFUSED as error:
        raise PluginError(f"{path}: {error}") from error


def on_post_template(output: str, template_name: str, **_: Any) -> str:
    """No page for what is not found: a server's own is better than one that asks for its style at the server's root."""
    return "" if template_name == "404.html" else output


def _url(path: str, anchor: str, origin: File, files: Files) -> str:
    file = files.get_file_from_path(path + AS_PAGE if path in site().code else path)
    assert file, f"{path} is not in the site"
    return file.url_relative_to(origin) + (f"#{anchor}" if anchor else "")
