"""What GitHub makes of the report: its formulas, tables, lists and anchors, on toys and on the committed report."""

import re
from pathlib import Path

import pytest

from tests.reports.conftest import pages_in

COMMITTED = Path(__file__).parents[2] / "reports"
REFUSED = (
    *("operatorname", "mbox", "def", "gdef", "edef", "let", "newcommand", "renewcommand", "newenvironment", "require"),
    *(
        "href",
        "url",
        "class",
        "cssId",
        "style",
        "unicode",
        "bbox",
        "mmlToken",
        "includegraphics",
        "label",
        "ref",
        "data",
    ),
)
"""Macros that GitHub does not allow, or that MathJax would need an extension for."""
FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(params=["toys", "committed"])
def book(request: pytest.FixtureRequest) -> dict[Path, str]:
    """The pages of a report, by their full paths."""
    root = request.getfixturevalue("folder") if request.param == "toys" else COMMITTED
    if not (root / "REPORT.md").is_file():
        pytest.fail("reports/REPORT.md is missing; `make report` writes it")
    told = {path: text for path, text in pages_in(root).items() if path.parts[0] not in {"gpu", "templates"}}
    return {root / path: text for path, text in told.items()}


@pytest.fixture
def text(book: dict[Path, str]) -> str:
    return "\n\n".join(book.values())


def formulas(text: str) -> list[str]:
    return [body for _, language, body in FENCE.findall(text) if language == "math"]


def without_code(text: str) -> str:
    return re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", FENCE.sub("", text))


def slug(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", re.sub(r"[`*]|<[^>]*>", "", heading).lower()).replace(" ", "-")


def test_formulas_hold_nothing_that_github_refuses(text: str) -> None:
    assert formulas(text)
    for body in formulas(text):
        macros = set(re.findall(r"\\([A-Za-z]+)", body))
        assert not macros & set(REFUSED), body
        assert "$" not in body
        assert "\n\n" not in body


def test_formulas_are_balanced(text: str) -> None:
    for body in formulas(text):
        bare = re.sub(r"\\[{}]", "", body)
        depths = [bare[: i + 1].count("{") - bare[: i + 1].count("}") for i in range(len(bare))]
        assert min(depths) == depths[-1] == 0, body
        assert sorted(re.findall(r"\\begin\{(\w+)\}", body)) == sorted(re.findall(r"\\end\{(\w+)\}", body)), body
        assert len(re.findall(r"\\left(?![a-z])", body)) == len(re.findall(r"\\right(?![a-z])", body)), body
        for script in "_^":
            group = rf"\{script}(?:\{{[^{{}}]*\}}|[A-Za-z0-9])\s*\{script}"
            assert not re.search(group, body), f"two scripts in {body}"


def test_fences_are_closed(text: str) -> None:
    assert len(re.findall(r"^ *```", text, re.MULTILINE)) == 2 * len(FENCE.findall(text))


def test_links_lead_somewhere(book: dict[Path, str]) -> None:
    """To a file, and within it to a heading; links out of the report lead to the repository's files."""
    followed = 0
    for page, text in book.items():
        for target in re.findall(r"\]\(([^)]+)\)", without_code(text)):
            if "://" in target or target.startswith("../../"):
                continue
            file, _, heading = target.partition("#")
            there = (page.parent / file).resolve() if file else page
            assert there.is_file(), f"{page.name}: {target}"
            if heading:
                headings = [
                    slug(one) for one in re.findall(r"^#+ (.*)$", FENCE.sub("", there.read_text()), re.MULTILINE)
                ]
                assert heading in headings, f"{page.name}: {target}"
            followed += 1
    assert followed


def test_every_page_and_figure_can_be_reached_from_the_index(book: dict[Path, str]) -> None:
    root = next(page for page in book if page.name == "REPORT.md")
    reached, pending = set[Path](), [root]
    while pending:
        page = pending.pop()
        if page in reached:
            continue
        reached.add(page)
        if page.suffix == ".md":
            files = [target.partition("#")[0] for target in re.findall(r"\]\(([^)]+)\)", page.read_text())]
            pending += [
                (page.parent / file).resolve() for file in files if file and "://" not in file and "../../" not in file
            ]
    there = {path.resolve() for path in root.parent.glob("figures/*.svg")} | {
        path.resolve() for folder in ("papers", "statements") for path in (root.parent / folder).iterdir()
    }
    assert there <= {path.resolve() for path in reached}


def test_tables_have_as_many_cells_in_every_row(text: str) -> None:
    columns = 0
    for line in FENCE.sub("", text).splitlines():
        if not line.startswith("|"):
            columns = 0
            continue
        found = len(re.findall(r"(?<!\\)\|", line))
        columns = columns or found
        assert found == columns, line


def test_tags_are_those_that_github_keeps_and_are_closed(text: str) -> None:
    bare = re.sub(r"<!--.*?-->", "", without_code(text))
    tags = re.findall(r"<(/?)([A-Za-z]\w*)[^>]*>", bare)
    assert {name for _, name in tags} <= {"a", "del", "mark", "sub", "sup", "details", "summary"}
    for name in {name for _, name in tags}:
        assert sum(1 if not closing else -1 for closing, tag in tags if tag == name) == 0, name


def test_prose_has_no_dollar_that_would_start_a_formula(text: str) -> None:
    assert not re.search(r"(?<!\\)\$", without_code(re.sub(r"\$`[^`]*`\$", "", text)))
