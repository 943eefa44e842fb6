"""Markdown, formulas and diagrams as GitHub shows them."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("latex2mathml", reason="the extra `site` is not installed")

from resproof.reporting.markdown import CITED, Node, formula, graph, legend
from resproof.reporting.site.drawing import drawing
from resproof.reporting.site.flowchart import flowchart
from resproof.reporting.site.markup import headings, html, links
from resproof.reporting.site.mathml import displayed, in_a_line


def shown(text: str) -> str:
    return html(text, lambda target, words: f"{target}?{words}", lambda name: f"to-{name}.html")


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        (r"\Bigl\|x\Bigr\|", "‖x‖"),
        (r"\bigl\langle x \bigr\}", "⟨x}"),
        (r"a \implies b", "a⟹b"),
        (r"\mathop{\mathrm{tr}} M", "trM"),
        (r"f'(0)", "f\N{PRIME}(0)"),
    ],
)
def test_signs(text: str, signs: str) -> None:
    assert re.sub(r"<[^>]*>|\s", "", displayed(text)) == signs


def test_rows_of_a_broken_formula_stand_below_each_other() -> None:
    latex = " + ".join([r"\left(x + y\right)"] * 36)
    rows = formula(rf"a = {latex}, \qquad b = 1").removeprefix("```math\n").removesuffix("\n```")
    written = displayed(rows)
    assert written.count("<mtr>") == rows.count("[6pt]") + 1 > 2
    assert '<mtable class="gathered" displaystyle="true">' in written
    assert "6pt" not in written


def test_names_arrows_and_bars_are_operators() -> None:
    assert '<mo lspace="0em" rspace="0.167em">tr</mo>' in displayed(r"\mathop{\mathrm{tr}} M")
    assert '<mo lspace="0.167em" rspace="0em">tanh</mo>' in displayed(r"W \tanh(x)")
    assert "<mo>⟹</mo>" in displayed(r"a \implies b")
    assert "<mi>\N{GREEK SMALL LETTER SIGMA}</mi>" in displayed(r"\sigma")
    assert displayed("|c|").count('<mo stretchy="false" lspace="0em" rspace="0em">|</mo>') == 2


def test_a_delimiter_with_a_power_keeps_its_size_and_a_sign_its_number() -> None:
    assert re.search(
        r"<msup><mrow><mo [^>]*minsize[^>]*>‖</mo></mrow><mn>2</mn></msup>", displayed(r"\Bigl\|x\Bigr\|^2")
    )
    assert displayed("f(-x) = -y - 1").count('form="prefix"') == 2


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("x", ["x"]),
        ("f(a, b) = c", ["f(a,b)=", "c"]),
        (r"a, b \le c", ["a,", "b≤", "c"]),
        (r"\frac{a = b}{2}", ["a=b2"]),
        ("a(-b + c)", ["a(\N{MINUS SIGN}b+", "c)"]),
    ],
)
def test_where_a_line_may_end(text: str, parts: list[str]) -> None:
    found = re.findall("<math.*?</math>", in_a_line(text))
    assert [re.sub(r"<[^>]*>", "", one) for one in found] == parts


@pytest.mark.parametrize("text", [r"A^{\mathsf T}", r"A^{\mathsf{T}}"])
def test_transposed_is_upright(text: str) -> None:
    assert '<mi mathvariant="normal">T</mi>' in in_a_line(text)


def test_a_struck_relation_is_one_sign() -> None:
    assert "<mo>\N{MUCH GREATER-THAN}\N{COMBINING LONG SOLIDUS OVERLAY}</mo>" in in_a_line(r"a \not\gg b")


@pytest.mark.parametrize("text", [r"\unheard x", r"\Bigl\unheard x"])
def test_a_command_that_is_not_known_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"\\unheard in a formula is not known"):
        displayed(text)


def test_formulas_in_a_line_in_a_table_and_on_their_own() -> None:
    found = shown(
        "A $`x_1`$ here, 5$ and `code`$.\n\n| $`\\|M\\|`$ | b |\n|---|---|\n| c | $`d`$ |\n\n```math\ne\n```\n"
    )
    assert found.count("<math") == 4
    assert found.count('display="block"') == 1
    assert "5$ and <code>code</code>$." in found
    assert '<td><span class="formula"><math' in found


def test_lists_hold_formulas_and_details_hold_markdown() -> None:
    found = shown(
        "1. **One**\n\n   ```math\n   a\n   ```\n\n2. Two\n\n"
        "<details><summary>More</summary>\n\n- *item*\n\n</details>\n"
    )
    assert found.count("<ol>") == 1
    assert "<em>item</em>" in found


def test_anchors_are_those_of_github() -> None:
    text = "# Rank, `code`: a_b!\n\n## Twice\n\n## Twice\n\n### What is a $`M`$\n"
    assert [(each.level, each.anchor) for each in headings(text)] == [
        (1, "rank-code-a_b"),
        (2, "twice"),
        (2, "twice-1"),
        (3, "what-is-a-m"),
    ]


def test_a_heading_says_its_formula_in_signs() -> None:
    (found,) = headings("## For *every* $`c M \\ne 0`$ & more\n")
    assert found.text == "For every cM≠0 & more"
    assert "<math" in found.html


def test_links_have_their_words() -> None:
    text = "[`_at_m`](theorem2.py) and ![a figure](f.svg)"
    assert list(links(text)) == [("theorem2.py", "_at_m"), ("f.svg", "")]
    assert 'href="theorem2.py?_at_m"' in shown(text)


NODES = (Node("A", ("A", 'Eq. 1, "<x>" #2'), "PROVED"), Node("B", ("B",), "REPAIRED"), Node("svd", ("svd",), CITED))


def body(diagram: str) -> str:
    return diagram.removeprefix("```mermaid\n").removesuffix("\n```")


def test_a_diagram_is_read_as_it_was_written() -> None:
    found = flowchart(body(graph(NODES, [("A", "B"), ("svd", "B")])))
    assert [box.lines for box in found.boxes.values()] == [each.lines for each in NODES]
    assert [box.rounded for box in found.boxes.values()] == [False, False, True]
    assert found.boxes["n0"].style == "fill:#1a7f37;color:#ffffff;stroke:none"
    assert found.arrows == (("n0", "n1"), ("n2", "n1"))
    assert flowchart(body(legend(["PROVED", "OPEN"]))).beside == (("l0", "l1"),)


def test_a_diagram_is_drawn_with_links() -> None:
    found = shown(graph(NODES, [("A", "B")]))
    assert found.count("<rect") == 3
    assert found.count('class="arrow"') == 1
    assert '<a href="to-A.html">' in found
    assert "Eq. 1, &quot;&lt;x&gt;&quot; #2" in found
    assert "<a " not in drawing(body(graph(NODES, [("A", "B")])), lambda _: None)
    assert shown(legend(["PROVED", "OPEN"])).count('class="arrow"') == 0


@pytest.mark.parametrize("line", ["A -.-> B", 'A{"asked"}', "subgraph x"])
def test_a_diagram_with_anything_else_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="in a diagram is not known"):
        flowchart(f'flowchart LR\n  A["a"]:::x\n  {line}\n  classDef x fill:#fff')
    with pytest.raises(ValueError, match="'flowchart TD' in a diagram is not known"):
        flowchart("flowchart TD")
