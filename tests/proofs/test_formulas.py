"""Text with formulas in it: what is read, how it is shown as plain text, and what is refused."""

# ruff: noqa: RUF001 - signs that look like others are meant here

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

from resproof.proofs.cited import THEOREMS
from resproof.proofs.demystifying_resnet.formal.counterparts import COUNTERPARTS
from resproof.proofs.experiments import experiments
from resproof.proofs.formulas import FormulaError, Piece, literal, pieces, plain, typed
from resproof.proofs.registry import statements
from resproof.proofs.statement import Argument, Citation, Clause, Hypothesis, Measurement, Source, Statement
from resproof.reporting.figures.every import captions
from resproof.reporting.figures.experiments.every import FIGURES
from resproof.reporting.markdown import with_formulas
from resproof.reporting.schema import Results, ledger

REPORTS = Path(__file__).parents[2] / "reports"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("no formula: a_b, |M|, 2^3", "no formula: a_b, |M|, 2^3"),
        (r"\$5 and $x$", "$5 and x"),
        (
            r"$\mathrm{cond}(H) = \sqrt{\mathrm{cond}(M^{\mathsf T} M)} = \sigma_{\max}(M) / \sigma_{\min}(M)$",
            "cond(H) = √(cond(Mᵀ M)) = σ_max(M) / σ_min(M)",
        ),
        (r"$\begin{pmatrix}0 & A^{\mathsf T} \\ A & 0\end{pmatrix}$", "[[0, Aᵀ], [A, 0]]"),
        (r"$W_b^{l-1}$, $10^{-9}$, $R^{-1/2}$, $e^{2a}$", "W_b^(l-1), 10⁻⁹, R^(-1/2), e^(2a)"),
        (r"$\sum_{i \ge 2} \lvert a_i'\rvert^2 \ne \tfrac12$", "∑_(i ≥ 2) |a_i'|² ≠ 1/2"),
        (r"$\frac{a + b}{c}$, $\mathbb R^{m \times n}$, $\bar h$", "(a + b)/c, ℝ^(m × n), h̄"),
        (r"$n$-shortcut", "n-shortcut"),
    ],
)
def test_plain(text: str, shown: str) -> None:
    assert plain(text) == shown


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("5$", "dollar sign without another"),
        ("$x$ and $y", "dollar sign without another"),
        (r"$\operatorname{cond}$", r"has \\operatorname"),
        (r"$\mbox{x}$", r"has \\mbox"),
        ("$|x|$", "the sign |"),
        ("$`x`$", "the sign `"),
        ("${x$", "lacks }"),
        ("$x}$", "stray }"),
        ("$x^2^3$", r"two \^"),
        ("$x_i_j$", "two _"),
        ("$x^2'$", "two '"),
        ("$x^$", "an argument is expected"),
        (r"$\begin{pmatrix}0$", r"lacks \\end"),
        (r"$\begin{matrix}0\end{matrix}$", r"has \\begin"),
        ("$a & b$", "stray &"),
    ],
)
def test_what_cannot_be_read_says_why(text: str, reason: str) -> None:
    with pytest.raises(FormulaError, match=reason):
        plain(text)
    with pytest.raises(FormulaError, match=reason):
        Clause(text, {})
    with pytest.raises(FormulaError, match=reason):
        Hypothesis(text, bool)


def test_typed() -> None:
    text = r"$\mathrm{cond}(M^{\mathsf T} M) = \sigma_{\max}(M)^2$, \$5"
    assert typed(text) == "cond(M^T M) = sigma_max(M)^2, $5"


@pytest.mark.parametrize("name", ["a$b", "$", "$x$", r"a\$b", "a_b.py:block"])
def test_literal_means_itself(name: str) -> None:
    assert plain(literal(name)) == name


def test_pieces() -> None:
    assert pieces(r"For $n = 2$: \$") == (Piece("For ", False), Piece("n = 2", True), Piece(": $", False))


def texts(one: object) -> Iterator[str]:
    """Every text with formulas in a statement and in what it is made of."""
    if isinstance(one, Citation):
        yield from one.hypotheses
    elif isinstance(one, tuple):
        for each in one:
            yield from texts(each)
    elif is_dataclass(one) and type(one).__module__ == "resproof.proofs.statement" and not isinstance(one, Source):
        if isinstance(one, Argument):
            yield from one.neighbours
        for field in fields(one):
            value = getattr(one, field.name)
            if isinstance(value, str) and field.name in TEXTS:
                yield value
            yield from texts(value)


TEXTS = {"title", "sentence", "explanation", "notes", "adds", "unsettled", "printed", "read", "sense", "where"}
TYPED = re.compile(r"\^|_|!=|<=|>=|->|\+-")
"""Mathematics outside a formula."""
BESIDE_A_LETTER = re.compile(r"(?<=[A-Za-z0-9])\$`|`\$(?=[A-Za-z0-9])")
"""A formula that GitHub might leave as it is."""


def well_marked(text: str) -> None:
    """Fails where mathematics stands outside a formula, or a formula where GitHub might leave it as it is."""
    prose = "".join(one.text for one in pieces(text) if not one.formula)
    assert not TYPED.search(prose), text
    assert not BESIDE_A_LETTER.search(with_formulas(text)), text
    assert all(one.text == one.text.strip() for one in pieces(text) if one.formula), text


@pytest.mark.parametrize("statement", statements(), ids=lambda one: one.id)
def test_every_text_of_a_statement(statement: Statement) -> None:
    for text in set(texts(statement)):
        well_marked(text)


def test_every_text_of_an_experiment() -> None:
    for one in experiments():
        criteria = [text for each in one.criteria for text in (each.sentence, *each.falsehoods)]
        for text in (one.title, one.described, one.protocol, one.remark, FIGURES[one.id].caption, *criteria):
            well_marked(text)


def test_what_was_measured_and_what_the_figures_say() -> None:
    results = Results.model_validate_json((REPORTS / "results.json").read_text(encoding="utf-8"))
    measured = [m for one in results.statements for step in one.evidence for m in step.measurements]
    for m in measured:
        for text in {m.quantity, re.sub(r"W1_\d", "", m.derivation), m.failure_probability or ""}:
            well_marked(text)
    for caption in captions(results):
        well_marked(caption.text)
        well_marked(caption.source)


def test_a_quantity_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(FormulaError, match="which is not read"):
        Measurement(r"$\operatorname{rank}$", 0.0, 1.0, "d=1", None, "a count")


def test_cited_theorems_and_the_ledger() -> None:
    found = ledger()
    for text in (
        *(one.sentence for one in THEOREMS.values()),
        *(each for one in COUNTERPARTS.values() for each in (one.says, one.leaves)),
        *(entry.title for entry in found.entries),
        *(each for paper in found.papers for one in paper.notation for each in (one.meaning, f"${one.symbol}$")),
    ):
        assert plain(text)
        assert not BESIDE_A_LETTER.search(with_formulas(text)), text
