"""The site: built once, every link followed, and every page opened in a browser without a window."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

pytest.importorskip("mkdocs", reason="the extra `site` is not installed")

from math_core import LatexError

from resproof.reporting.markdown import CITED, Node, graph, legend
from resproof.reporting.site.markup import headings, html
from resproof.reporting.site.pages import ROOT, STATEMENTS, site
from tests.conftest import Once

VISIT = Path(__file__).with_name("visit.html")
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIET = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--enable-logging=stderr"),
    *("--allow-file-access-from-files", "--virtual-time-budget=400000", "--dump-dom"),
)
SEARCHED = {
    "Theorem 2.2 Eq. 9": "statements/DR-T2.2c.html",
    "Lemma 3": "statements/DR-L3.html",
    "Remark 5": "statements/RS-R5.html",
    "Figure 4": "papers/demystifying-resnet.html",
}
"""What is typed into the search, and a page that has to be among the first three: papers share their numbers."""
LEFT_AS_TYPED = re.compile(r"\$`|`\$|\\[A-Za-z]{2,}|\*\*|\[\d+pt")
ATTRIBUTE = re.compile(r"""\b(href|src|id|name)=(?:"([^"]*)"|([^\s">]+))""")


@pytest.fixture(scope="module")
def folder(once: Once) -> Path:
    """The site, built as `make site` builds it."""

    def fill(out: Path) -> None:
        command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", out]
        environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT)}
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=environment)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

    return once("site", fill)


def html_of(path: str) -> str:
    """Where a Markdown page of the repository lies in the site."""
    return re.sub(r"README\.md$", "index.md", path).removesuffix(".md") + ".html"


def attributes(path: Path) -> list[tuple[str, str, str]]:
    """The tag, the name and the value of each attribute that leads somewhere or can be led to."""
    tags = re.findall(r"<(\w+)\s([^>]*)>", path.read_text("utf-8"))
    return [(tag, name, unescape(a or b)) for tag, rest in tags for name, a, b in ATTRIBUTE.findall(rest)]


def test_every_page_is_there_with_its_formulas(folder: Path) -> None:
    found, total = site(), 0
    ids = {f"reports/statements/{one.id}.md" for one in found.results.statements}
    assert ids | {"README.md", "CONTRIBUTING.md", "reports/TUTORIAL.md", STATEMENTS} <= set(found.pages)
    for path in (*(f"{path}.html" for path in found.code), *found.copied):
        assert (folder / path).is_file()
    for path, text in found.pages.items():
        article = re.sub(
            r"^.*<article[^>]*>|</article>.*$", "", (folder / html_of(path)).read_text("utf-8"), flags=re.DOTALL
        )
        spans = re.findall(r"\$`[^`]*`\$|`[^`]*`", text)
        formulas = len(re.findall(r"^[ >]*```math$", text, re.MULTILINE)) + sum(one.startswith("$") for one in spans)
        assert article.count("<math") == formulas, path
        assert article.count('<svg class="flowchart"') == text.count("```mermaid"), path
        assert not LEFT_AS_TYPED.findall(re.sub(r"<(code|script)\b.*?</\1>|<[^>]*>", "", article, flags=re.DOTALL)), (
            path
        )
        total += formulas
    assert total > 500


def test_every_link_leads_somewhere_and_nothing_is_loaded_from_elsewhere(folder: Path) -> None:
    pages = {path: attributes(path) for path in folder.rglob("*.html") if path.name != VISIT.name}
    anchors = {path: {value for _, name, value in found if name in {"id", "name"}} for path, found in pages.items()}
    dead: list[str] = []
    for path, found in pages.items():
        for tag, _, link in (one for one in found if one[1] in {"href", "src"}):
            parts = urlsplit(link)
            if tag == "a" and parts.scheme:
                continue
            target = Path(os.path.normpath(path.parent / unquote(parts.path))) if parts.path else path
            named = unquote(parts.fragment).removeprefix(":~:text=")
            known = named in {"", "__skip", *anchors.get(target, ())} or (
                parts.fragment.startswith(":~:text=") and named in re.sub("<[^>]*>", "", target.read_text("utf-8"))
            )
            if parts.scheme or parts.netloc or not (target.is_file() and target.is_relative_to(folder) and known):
                dead.append(f"{path.relative_to(folder)}: {link}")
    assert dead == []
    assert "url(http" not in (folder / "site.css").read_text()


def test_lists_hold_formulas_details_hold_markdown_and_headings_have_anchors() -> None:
    text = "# A $`M`$ & b\n\n1. One\n\n   ```math\n   a\n   ```\n\n<details>\n\n- *item* $`x`$, 5$\n\n</details>\n"
    text += "\n## A b\n\n## A b\n"
    found = html(text, lambda target: target, lambda _: None)
    assert (found.count("<math"), found.count('display="block"'), found.count("<ol>")) == (3, 1, 1)
    assert "<em>item</em>" in found
    assert [one["id"] for one in headings(text)][1:] == ["a-b", "a-b-1"]
    assert headings(text)[0]["title"] == "A M & b"


def test_a_diagram_is_drawn_with_links() -> None:
    nodes = (Node("A", ("A", 'Eq. 1, "a < b" #2'), "PROVED"), Node("svd", ("svd",), CITED))
    found = html(graph(nodes, [("svd", "A")]), str, lambda name: f"to-{name}.html")
    assert (found.count("<rect"), found.count('class="arrow"'), found.count('<a href="to-A.html">')) == (2, 1, 1)
    assert "Eq. 1, &quot;a &lt; b&quot; #2" in found
    assert html(legend(["PROVED", "OPEN"]), str, lambda _: None).count('class="arrow"') == 0


def test_what_is_not_known_is_refused() -> None:
    with pytest.raises(LatexError, match="unheard"):
        html(r"$`\unheard x`$", str, lambda _: None)
    with pytest.raises(Exception, match="parse error"):
        html("```mermaid\nflowchart LR\n  a --\n```", str, lambda _: None)


@pytest.fixture(scope="module")
def seen(folder: Path, once: Once) -> dict[str, Any]:
    """What a browser shows: `visit.html` opens the pages and writes what it sees."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if not browser:
        pytest.skip("no Chromium is installed")
    pages = sorted([*map(html_of, site().pages), *(f"{path}.html" for path in site().code)])

    def fill(out: Path) -> None:
        (folder / "pages.js").write_text(f"const PAGES = {json.dumps(pages)}, QUERIES = {json.dumps([*SEARCHED])};")
        visit = Path(shutil.copy(VISIT, folder))
        command = [browser, *QUIET, f"--user-data-dir={out / 'profile'}", visit.as_uri()]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        found = re.search(r'<pre id="seen">(.*?)</pre>', done.stdout, re.DOTALL)
        assert found, done.stderr
        told = {"console": re.findall(r".*CONSOLE.*", done.stderr), **json.loads(unescape(found[1]))}
        (out / "seen.json").write_text(json.dumps(told))
        visit.unlink()

    return json.loads((once("seen", fill) / "seen.json").read_text())


def test_pages_fit_and_have_their_figures_light_and_dark(seen: dict[str, Any]) -> None:
    assert (seen.get("error"), seen["console"], seen["wrong"]) == (None, [], {})
    light, dark = (
        [sum(map(int, re.findall(r"\d+", colour)[:3])) for colour in seen["brightness"][scheme]]
        for scheme in ("default", "slate")
    )
    assert light[0] > light[1]
    assert dark[0] < dark[1]


def test_the_list_is_filtered_and_the_search_finds(seen: dict[str, Any]) -> None:
    statements = site().results.statements
    wanted = [statements, [one for one in statements if one.verdict == "REPAIRED"]]
    expected = [*(sorted(f"{one.id}.html" for one in each) for each in wanted), ["DR-T2.2c.html"]]
    assert [sorted({link for link in each if "/" not in link}) for each in seen["filter"]] == expected
    for words, page in SEARCHED.items():
        first = [*dict.fromkeys(re.sub("[?#].*", "", one) for one in seen["search"][words])][:3]
        assert any(page in one for one in first), words
