import pytest

from reports.markdown import code, formula, graph, outside_measured, prose, shown


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a_b * |M|", r"a\_b \* \|M\|"),
        ("<b> & [x](y)", r"&lt;b> &amp; \[x\](y)"),
        ("$5 `c` ~d~", r"\$5 \`c\` \~d\~"),
        ("1. one", r"1\. one"),
        ("0.5 of it", "0.5 of it"),
        ("# - x", r"\# - x"),
        ("-1", r"\-1"),
        ("> q", r"\> q"),
        ("two\n lines", "two lines"),
        ("back\\slash", r"back\\slash"),
    ],
)
def test_prose_means_itself(text: str, escaped: str) -> None:
    assert prose(text) == escaped


@pytest.mark.parametrize(("text", "written"), [("x|y", "`x|y`"), ("a`b", "``a`b``"), ("`", "`` ` ``")])
def test_code_holds_any_backticks(text: str, written: str) -> None:
    assert code(text) == written


def test_formulas_avoid_what_github_refuses() -> None:
    assert (
        formula("\n\\operatorname{tanh}(h)\n\n < \\mbox{x}\n")
        == "```math\n\\mathop{\\mathrm{tanh}}(h)\n< \\text{x}\n```"
    )


def test_shown_tells_latex_from_text() -> None:
    assert shown(r"\frac12").startswith("```math")
    assert shown("1/2 * g[i,u]") == "`1/2 * g[i,u]`"
    assert shown("two\nlines") == "```text\ntwo\nlines\n```"


def test_graph() -> None:
    drawn = graph([("A.1", "PROVED"), ('B"', "not attempted")], [("A.1", 'B"')])
    assert '  n0["A.1"]:::proved\n  n1["B#quot;"]:::not_attempted\n  n0 --> n1\n' in drawn


def test_outside_measured() -> None:
    assert (
        outside_measured("a <!-- measured -->1\n2<!-- /measured --> b <!-- measured --><!-- /measured -->") == "a  b "
    )
