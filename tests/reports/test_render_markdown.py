"""What GitHub makes of the report: its formulas, tables, lists and anchors, on toys and on the committed report."""

import re
from pathlib import Path

import pytest

COMMITTED = Path(__file__).parents[2] / "reports" / "REPORT.md"
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
def text(request: pytest.FixtureRequest) -> str:
    if request.param == "toys":
        return request.getfixturevalue("report")
    if not COMMITTED.is_file():
        pytest.fail("reports/REPORT.md is missing; `make report` writes it")
    return COMMITTED.read_text(encoding="utf-8")


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


def test_links_and_anchors_resolve(text: str) -> None:
    anchors = re.findall(r'<a id="([^"]+)"></a>', text)
    headings = [slug(heading) for heading in re.findall(r"^#+ (.*)$", FENCE.sub("", text), re.MULTILINE)]
    assert len(anchors) == len(set(anchors))
    targets = set(re.findall(r"\]\(#([^)]+)\)", text))
    assert targets
    assert targets <= {*anchors, *headings}


def test_files_that_are_linked_exist(text: str, request: pytest.FixtureRequest) -> None:
    root = request.getfixturevalue("folder") if text != _committed() else COMMITTED.parent
    linked = {target for target in re.findall(r"\]\(([^)#][^)]*)\)", text) if "://" not in target}
    assert "results.json" in linked
    for target in linked:
        assert (root / target).is_file(), target
    drawn = {f"figures/{path.name}" for path in (root / "figures").glob("*.svg")}
    assert drawn == {target for target in linked if target.startswith("figures/")}


def _committed() -> str:
    return COMMITTED.read_text(encoding="utf-8") if COMMITTED.is_file() else ""


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
    assert {name for _, name in tags} <= {"a", "sub", "sup", "details", "summary"}
    for name in {name for _, name in tags}:
        assert sum(1 if not closing else -1 for closing, tag in tags if tag == name) == 0, name


def test_prose_has_no_dollar_that_would_start_a_formula(text: str) -> None:
    assert not re.search(r"(?<!\\)\$", without_code(text))
