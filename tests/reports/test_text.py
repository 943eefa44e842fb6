"""Texts in Markdown: escaped prose, formulas, numbers, sizes, symbols, diagrams, tables."""

import re
from dataclasses import dataclass

import pytest

from resproof.architectures.activations import tanh
from resproof.architectures.algebra import layer_norm, softmax
from resproof.architectures.catalogue import CATALOGUE
from resproof.architectures.nodes import Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.text import weight_names
from resproof.proofs.changes import Change
from resproof.proofs.formulas import plain
from resproof.proofs.registry import find
from resproof.proofs.statement import Context
from resproof.proofs.verdict import run
from resproof.reporting import markdown
from resproof.reporting.diagram import diagram
from resproof.reporting.markdown import CITED, Node, changed, formula, graph, legend, quoted, shown
from resproof.reporting.names import symbols_on
from resproof.reporting.schema import Symbol
from resproof.reporting.scopes import few_sizes, shortened, sizes
from resproof.reporting.tables import Formulas, Number, Table
from resproof.symbolic.scope import Scope
from tests.proofs.toys import TOYS

WRITTEN = {
    "prose": [
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
    "with_formulas": [
        (r"a_b | $c M \ne 0$ \$", r"a\_b \| $`c M \ne 0`$ \$"),
        ("$n$-shortcut,\n$x < y$", "$`n`$-shortcut, $`x < y`$"),
        ("1. $x$", r"1\. $`x`$"),
    ],
    "code": [("x|y", "`x|y`"), ("a`b", "``a`b``"), ("`", "`` ` ``")],
    "shown": [("1/2 * g[i,u]", "`1/2 * g[i,u]`"), ("two\nlines", "```text\ntwo\nlines\n```")],
    "number": [
        (0.0, "0"),
        (1.678, "1.68"),
        (4.38e-10, "4.38\xa0·\xa010<sup>-10</sup>"),
        (1e4, "1\xa0·\xa010<sup>4</sup>"),
    ],
    "powers": [
        ("from 7.7e+03 to 1e-05.", "from 7.7\xa0·\xa010<sup>3</sup> to 1\xa0·\xa010<sup>-5</sup>."),
        ("$`1e-5`$, `2e+3` and 8ca4e1", "$`1e-5`$, `2e+3` and 8ca4e1"),
    ],
    "anchor": [("Figure 4 (DR\N{NON-BREAKING HYPHEN}F4)", "figure-4-drf4")],
    "outside_measured": [
        ("a <!-- measured -->1\n2<!-- /measured --> b <!-- measured --><!-- /measured -->", "a  b "),
    ],
}


@pytest.mark.parametrize(("name", "given", "written"), [(name, *row) for name, rows in WRITTEN.items() for row in rows])
def test_what_is_written(name: str, given: object, written: str) -> None:
    assert getattr(markdown, name)(given) == written


def test_what_is_changed_is_struck_out_and_what_is_read_is_bold() -> None:
    changes = (Change("*zero*", r"at most $\lvert A\rvert$"), Change("always", "if $n$ is 2", kept=True))
    struck = r"\# the Hessian is <del>\*zero\*</del> \| **always**"
    assert quoted("# the Hessian  is *zero* | always", changes) == struck
    assert changed(r"It is at most $\lvert A\rvert$ if $n$ is 2.", changes) == (
        r"It is **<mark>at most $`\lvert A\rvert`$</mark>** **<mark>if $`n`$ is 2</mark>**."
    )


def test_formulas_avoid_what_github_refuses_and_are_broken_where_they_are_long() -> None:
    refused = "\n\\operatorname{tanh}(h)\n\n < \\mbox{x}\n"
    assert formula(refused) == "```math\n\\mathop{\\mathrm{tanh}}(h)\n< \\text{x}\n```"
    assert shown(r"\frac12").startswith("```math")
    long = " + ".join([r"\left(x + y\right)"] * 36)
    lines = formula(rf"a = {long}, \qquad b = 1").splitlines()
    assert lines[:2] == ["```math", r"\begin{gathered}"]
    assert lines[-3:] == ["b = 1", r"\end{gathered}", "```"]
    assert len(lines) > 6
    assert all(line.count(r"\left") == line.count(r"\right") for line in lines)
    assert formula(r"a, \qquad b").splitlines()[1] == r"a, \qquad b"


def test_a_graph() -> None:
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


def test_a_table() -> None:
    rows = [("a|b", Number(1e-7), (2, None)), (Formulas("$x$"), Number(None), "-")]
    table = Table(("what", "seen", "of"), rows)
    assert table.markdown.splitlines() == [
        "| what | seen | of |",
        "|---|---:|---|",
        r"| a\|b | 1" + "\xa0·\xa010<sup>-7</sup> | 2, - |",
        "| $`x`$ | - | - |",
    ]
    assert Table((), [("name", 3)]).markdown.startswith("| | |\n|---|---:|\n")


FREE = Scope.leaving_free("R", "d", "m")


@dataclass(frozen=True)
class Held:
    scope: str
    sizes: Scope | tuple[Scope, ...]


@pytest.mark.parametrize(
    ("scopes", "written"),
    [
        (FREE, "all $R, d, m$"),
        (Scope.over(n=range(2, 7)) & FREE, r"$n = 2, \ldots, 6$, all $R, d, m$"),
        (Scope.over(n=(1, 2, 3), R=4), "$n = 1, 2, 3$, $R = 4$"),
        (Scope.leaving_free("heads", "k1_2", "d3"), r"all $\mathrm{heads}, d_{3}, k_{1,2}$"),
        ((FREE, Scope.of("n=2, R=1; $5", "d=1"), FREE), r"all $R, d, m$; n=2, R=1; \$5; d=1"),
        ((), ""),
        (Scope(), ""),
    ],
)
def test_sizes_with_formulas(scopes: Scope | tuple[Scope, ...], written: str) -> None:
    each = scopes if isinstance(scopes, tuple) else (scopes,)
    words = "; ".join(dict.fromkeys(filter(None, map(str, each))))
    assert sizes(Held(words, scopes)) == written
    plain(written)


def test_few_of_many_sizes_and_words_that_say_more() -> None:
    listed = Scope.of("R=1", "R=2", "R=3", "R=4")
    assert few_sizes(Held(str(listed), listed)) == shortened(str(listed)) == "R=1; R=2 and 2 more"
    assert shortened("R=1; R=2; R=3") == "R=1; R=2; R=3"
    assert sizes(Held("all R; not carried through: $d", (FREE,))) == r"all R; not carried through: \$d"


@pytest.mark.parametrize("one", [*TOYS, *find(["DR-L4", "EX-6", "IM-1"])], ids=lambda one: one.id)
def test_what_a_run_says_in_words_is_what_it_computed(one: object) -> None:
    result = run(one, Context())  # pyright: ignore[reportArgumentType]
    for each in (result, *result.clauses, *(clause.repair for clause in result.clauses if clause.repair)):
        assert each.scope == "; ".join(dict.fromkeys(filter(None, map(str, each.sizes))))


@pytest.mark.parametrize(
    ("page", "there"),
    [
        ("$`c M`$", ["M", "c"]),
        ("$`\\mathrm{pre}(x)`$", ["\\mathrm{pre}, \\mathrm{mid}"]),
        ("$`X^{\\mathsf T} + o(1)`$, and M in prose", []),
        ("<!-- measured -->\n$`M`$\n<!-- /measured -->", []),
        ("```math\nY X^{\\mathsf T} = \\sigma(T)\n```", ["S, T"]),
        ("$`W a + o`$ and $`+ o(t)`$", ["W^{r,l}"]),
        ("- within\n\n  ```math\n  W_1\n  ```", ["W^{r,l}"]),
    ],
)
def test_symbols_on_a_page(page: str, there: list[str]) -> None:
    symbols = ("M", "c", "q, o", "S, T", "\\mathrm{pre}, \\mathrm{mid}", "W^{r,l}", "\\Delta W^l")
    assert [each.symbol for each in symbols_on(page, [Symbol(symbol=each, meaning="") for each in symbols])] == there


h = Input("d")
W1, W2, b = Weight("k", "d", name="W1"), Weight("d", "k", name="W2"), Weight("k", name="b")
A, B = Weight("d", "d", name="A"), Weight("d", "d", name="B")


def boxes_and_arrows(expression: Expression) -> tuple[list[str], set[tuple[str, str]]]:
    chart = diagram(ResidualUnit(expression))
    named = re.findall(r'^  (\w+)\(?\["(.*?)"\]', chart, re.MULTILINE)
    boxes = {key: label.replace("<br/>", " ") for key, label in named}
    return [*boxes.values()], {(boxes[a], boxes[b]) for a, b in re.findall(r"^  (\w+) --> (\w+)$", chart, re.MULTILINE)}


@pytest.mark.parametrize(
    ("expression", "arrows"),
    [
        (h + W2 @ tanh(W1 @ h + b), {("h", "+"), ("h", "W1 + b tanh W2"), ("W1 + b tanh W2", "+")}),
        (h + A @ h + B @ h, {("h", "+"), ("h", "A"), ("h", "B"), ("A", "+"), ("B", "+")}),
        (h + (A @ h) * tanh(B @ h), {("h", "+"), ("h", "A"), ("h", "B tanh"), ("A", "*"), ("B tanh", "*"), ("*", "+")}),
        (h + A @ layer_norm(h), {("h", "+"), ("h", "layer_norm A"), ("layer_norm A", "+")}),
        (
            h + (A @ h) @ softmax(h.T @ h, axis=0),
            {("h", "+"), ("h", "A"), ("h", "@ softmax"), ("A", "@"), ("@ softmax", "@"), ("@", "+")},
        ),
    ],
    ids=["chain", "two branches", "gate", "norm", "attention"],
)
def test_boxes_and_arrows(expression: Expression, arrows: set[tuple[str, str]]) -> None:
    boxes, found = boxes_and_arrows(expression)
    assert found == arrows
    assert sorted(boxes) == sorted({one for arrow in arrows for one in arrow})


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_weight_of_a_known_block_is_in_its_diagram(name: str) -> None:
    expression = CATALOGUE[name].build()
    boxes, arrows = boxes_and_arrows(expression)
    assert {word.strip("()") for box in boxes for word in box.split()} >= {*weight_names(expression).values()}
    assert {end for _, end in arrows} == {box for box in boxes if box != "h"}


def test_what_is_too_large_is_not_drawn() -> None:
    assert diagram(ResidualUnit(h + sum((Weight("d", "d") @ h for _ in range(40)), start=A @ h))) == ""
