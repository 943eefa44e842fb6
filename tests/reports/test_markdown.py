import pytest

from resproof.architectures.names import fractions
from resproof.proofs.changes import Change
from resproof.reporting.markdown import (
    CITED,
    Node,
    anchor,
    changed,
    code,
    formula,
    graph,
    legend,
    number,
    outside_measured,
    powers,
    prose,
    quoted,
    shown,
    with_formulas,
)


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


@pytest.mark.parametrize(
    ("text", "written"),
    [
        (r"a_b | $c M \ne 0$ \$", r"a\_b \| $`c M \ne 0`$ \$"),
        ("$n$-shortcut,\n$x < y$", "$`n`$-shortcut, $`x < y`$"),
        ("1. $x$", r"1\. $`x`$"),
    ],
)
def test_formulas_stand_within_lines(text: str, written: str) -> None:
    assert with_formulas(text) == written


def test_what_is_changed_is_struck_out_and_what_is_read_is_bold() -> None:
    changes = (Change("*zero*", r"at most $\lvert A\rvert$"), Change("always", "if $n$ is 2", kept=True))
    assert quoted("# the Hessian  is *zero* | always", changes) == (
        r"\# the Hessian is <del>\*zero\*</del> \| **always**"
    )
    assert changed(r"It is at most $\lvert A\rvert$ if $n$ is 2.", changes) == (
        r"It is **<mark>at most $`\lvert A\rvert`$</mark>** **<mark>if $`n`$ is 2</mark>**."
    )


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


def test_long_formulas_are_broken_between_and_within() -> None:
    long = " + ".join([r"\left(x + y\right)"] * 36)
    lines = formula(rf"a = {long}, \qquad b = 1").splitlines()
    assert lines[:2] == ["```math", r"\begin{gathered}"]
    assert lines[-3:] == ["b = 1", r"\end{gathered}", "```"]
    assert all(line.count(r"\left") == line.count(r"\right") for line in lines)
    assert len(lines) > 6
    assert formula(r"a, \qquad b").splitlines()[1] == r"a, \qquad b"


@pytest.mark.parametrize(
    ("value", "written"),
    [(0.0, "0"), (1.678, "1.68"), (4.38e-10, "4.38 · 10<sup>-10</sup>"), (1e4, "1 · 10<sup>4</sup>")],
)
def test_number(value: float, written: str) -> None:
    assert number(value).replace("\N{NO-BREAK SPACE}", " ") == written


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("from 7.7e+03 to 1e-05.", "from 7.7\xa0·\xa010<sup>3</sup> to 1\xa0·\xa010<sup>-5</sup>."),
        ("$`1e-5`$, `2e+3` and 8ca4e1", "$`1e-5`$, `2e+3` and 8ca4e1"),
    ],
)
def test_powers_of_ten(line: str, written: str) -> None:
    assert powers(line) == written


def test_fractions_and_anchors() -> None:
    assert fractions("(Fraction(1, 10) + s) * Fraction(-3, 4)") == "(1/10 + s) * -3/4"
    assert anchor("Figure 4 (DR\N{NON-BREAKING HYPHEN}F4)") == "figure-4-drf4"


def test_graph() -> None:
    nodes = [
        Node("A.1", ("A.1", "Eq. 3"), "PROVED"),
        Node('B"', ('B"',), "not attempted"),
        Node("svd", ("svd",), CITED),
    ]
    drawn = graph(nodes, [("A.1", 'B"'), ("svd", "A.1")])
    assert '  n0["A.1<br/>Eq. 3"]:::proved\n  n1["B#quot;"]:::not_attempted\n  n2(["svd"]):::cited_theorem\n' in drawn
    assert "  n0 --> n1\n  n2 --> n0\n" in drawn
    assert 'l0["PROVED"]' in legend(["not attempted", "PROVED"])
    assert "l0 ~~~ l1" in legend(["not attempted", "PROVED"])


def test_outside_measured() -> None:
    assert (
        outside_measured("a <!-- measured -->1\n2<!-- /measured --> b <!-- measured --><!-- /measured -->") == "a  b "
    )
