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
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

import pytest

pytest.importorskip("mkdocs", reason="the extra `site` is not installed")

from resproof.reporting.said import contradicted
from resproof.reporting.site.pages import ROOT, STATEMENTS, site
from tests.conftest import Once

VISIT = Path(__file__).with_name("visit.html")
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIET = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"),
)
ATTRIBUTE = re.compile(r'\b(href|src|id|name)="?([^"\s]*)')
SEARCHED = {
    "Theorem 2.2 Eq. 9": "statements/DR-T2.2c.html",
    "Lemma 3": "statements/DR-L3.html",
    "Remark 5": "statements/RS-R5.html",
    "Figure 4": "papers/demystifying-resnet.html",
}
"""What is typed into the search, and a page that has to be among the first three: papers share their numbers."""
LEFT_AS_TYPED = re.compile(r"\$`|`\$|\\[A-Za-z]{2,}|\*\*")


class Page(NamedTuple):
    """The anchors of a page, what it leads to, and what it loads."""

    anchors: set[str]
    links: list[str]
    loaded: list[str]


def read(path: Path) -> Page:
    tags = re.findall(r"<(\w+)\s([^>]*)>", path.read_text("utf-8"))
    given = [(tag, name, unescape(value)) for tag, rest in tags for name, value in ATTRIBUTE.findall(rest)]
    return Page(
        {value for _, name, value in given if name in {"id", "name"}},
        [value for tag, name, value in given if (tag, name) == ("a", "href")],
        [value for tag, name, value in given if tag != "a" and name in {"href", "src"}],
    )


@pytest.fixture(scope="module")
def folder(once: Once) -> Path:
    """The site, built as `make site` builds it."""

    def fill(out: Path) -> None:
        command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", out]
        environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT)}
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=environment)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

    return once("site", fill)


@pytest.fixture(scope="module")
def built(folder: Path) -> dict[Path, Page]:
    return {path: read(path) for path in folder.rglob("*.html") if path.name != VISIT.name}


def html_of(path: str) -> str:
    """Where a Markdown page of the repository lies in the site."""
    return re.sub(r"README\.md$", "index.md", path).removesuffix(".md") + ".html"


def formulas(markdown: str) -> int:
    """How many formulas a page has, counted in its text."""
    spans = re.findall(r"\$`[^`]*`\$|`[^`]*`", markdown)
    return len(re.findall(r"^[ >]*```math$", markdown, re.MULTILINE)) + sum(each.startswith("$") for each in spans)


def test_every_page_is_there(folder: Path) -> None:
    found = site()
    assert {"README.md", "CONTRIBUTING.md", "reports/TUTORIAL.md", "reports/LIMITS.md", STATEMENTS} <= set(found.pages)
    ids = {one.id for one in found.results.statements}
    assert {f"reports/statements/{id_}.md" for id_ in ids} <= set(found.pages)
    for path in found.pages:
        assert (folder / html_of(path)).is_file()
    for path in (*(f"{path}.html" for path in found.code), *found.copied):
        assert (folder / path).is_file()


def test_every_link_leads_somewhere(folder: Path, built: dict[Path, Page]) -> None:
    dead: list[str] = []
    for path, page in built.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = Path(os.path.normpath(path.parent / unquote(parts.path))) if parts.path else path
            anchors = built[target].anchors if target in built else set[str]()
            known = not parts.fragment or unquote(parts.fragment) in {*anchors, "__skip"}
            if not (target.is_file() and target.is_relative_to(folder) and known):
                dead.append(f"{path.relative_to(folder)}: {link}")
    assert dead == []


def test_nothing_is_loaded_from_elsewhere(folder: Path, built: dict[Path, Page]) -> None:
    for path, page in built.items():
        for address in page.loaded:
            assert not urlsplit(address).scheme, f"{path}: {address}"
            assert not address.startswith("//")
            assert (path.parent / unquote(urlsplit(address).path)).exists(), f"{path}: {address}"
    assert "url(http" not in (folder / "site.css").read_text()


def test_steps_lead_to_their_functions(folder: Path) -> None:
    page = (folder / "reports/statements/DR-T2.2c.html").read_text()
    assert 'href="../../proofs/demystifying_resnet/theorem2.py.html#_at_m"' in page
    assert 'id="_at_m"' in (folder / "proofs/demystifying_resnet/theorem2.py.html").read_text()


def test_diagrams_lead_to_statements(folder: Path) -> None:
    page = (folder / "reports/papers/demystifying-resnet.html").read_text()
    drawn = re.findall(r'<svg class="flowchart".*?</svg>', page, re.DOTALL)
    assert drawn
    assert "../statements/DR-T2.2c.html" in {target for each in drawn for target in re.findall('href="([^"]*)"', each)}


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
        flags = (
            *QUIET,
            f"--user-data-dir={out / 'profile'}",
            "--allow-file-access-from-files",
            "--enable-logging=stderr",
        )
        command = [browser, *flags, "--virtual-time-budget=200000", "--dump-dom", visit.as_uri()]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
        found = re.search(r'<pre id="seen">(.*?)</pre>', done.stdout, re.DOTALL)
        assert found, done.stderr
        told = {"console": re.findall(r".*CONSOLE.*", done.stderr), **json.loads(unescape(found[1]))}
        (out / "seen.json").write_text(json.dumps(told))
        visit.unlink()

    return json.loads((once("seen", fill) / "seen.json").read_text())


def test_the_console_is_silent(seen: dict[str, Any]) -> None:
    assert seen.get("error") is None
    assert seen["console"] == []


def test_every_formula_is_set(seen: dict[str, Any]) -> None:
    total = 0
    for path, text in site().pages.items():
        page = seen["pages"][html_of(path)]
        assert (page["formulas"], page["flat"], page["errors"]) == (formulas(text), 0, 0), path
        assert LEFT_AS_TYPED.findall(page["words"]) == [], path
        total += page["formulas"]
    assert total > 500


def test_pages_fit_a_phone_and_have_their_figures(seen: dict[str, Any]) -> None:
    assert {path: page["width"] for path, page in seen["pages"].items() if page["width"] > 390} == {}
    assert {path: page["images"] for path, page in seen["pages"].items() if page["images"]} == {}


def test_the_filter_filters(seen: dict[str, Any]) -> None:
    statements = site().results.statements
    found = seen["filter"]
    every = [one.id for one in statements]
    assert sorted(found["verdicts"].pop("")) == sorted(found["papers"].pop("")) == sorted(every)
    refuted = found["verdicts"].pop("with a counterexample")
    assert sorted(refuted) == sorted(one.id for one in statements if contradicted(one))
    for verdict, ids in found["verdicts"].items():
        assert sorted(ids) == sorted(one.id for one in statements if one.verdict == verdict)
    assert set(found["verdicts"]) == {one.verdict for one in statements}
    assert sorted(id_ for ids in found["papers"].values() for id_ in ids) == sorted(every)
    assert len(found["papers"]) == len(site().results.ledger.papers)
    assert found["words"] == ["DR-T2.2c"]
    assert found["nothing"] == []


def test_the_search_finds(seen: dict[str, Any]) -> None:
    pages = {
        words: dict.fromkeys(re.sub("[?#].*", "", one) for one in found) for words, found in seen["search"].items()
    }
    first = {words: [*found][:3] for words, found in pages.items()}
    missed = {words: first[words] for words, page in SEARCHED.items() if not any(page in one for one in first[words])}
    assert missed == {}


def test_light_and_dark(seen: dict[str, Any]) -> None:
    def brightness(colour: str) -> int:
        return sum(map(int, re.findall(r"\d+", colour)[:3]))

    light, dark = seen["schemes"]["default"], seen["schemes"]["slate"]
    assert brightness(light[0]) > brightness(light[1])
    assert brightness(dark[0]) < brightness(dark[1])
