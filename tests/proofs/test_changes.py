"""What is changed in printed words: where the words stand, what is refused, and that no changed statement lacks it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from resproof.proofs.changes import Change, parts
from resproof.proofs.formulas import FormulaError
from resproof.proofs.registry import statements
from resproof.proofs.statement import Clause, Statement
from tests.proofs.toys import TOYS, counterexample, explicit, lift, positive, repair, source, toy, unprinted

REPAIRED = {"hypotheses": (positive,), "counterexample": counterexample}


def test_every_stretch_has_the_mark_of_its_words_and_the_rest_none() -> None:
    text = "the  order $n$ is\nn, of order n"
    found = parts(text, {"n": "-", "of order": "+", "absent": "-"})
    assert found == (("the order $n$ is ", ""), ("n", "-"), (", ", ""), ("of order", "+"), (" n", ""))
    assert "".join(one.text for one in found) == " ".join(text.split())


def test_words_within_a_word_or_a_formula_are_others() -> None:
    assert parts("supersets $x = y$", {"superset": "-", "x = y": "-"}) == (("supersets $x = y$", ""),)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Change("the same", " the  same"), "others in their place"),
        (lambda: Change("n >= 2", r"$n$ >= 2"), "others in their place"),
        (lambda: Change("", "something"), "expected words"),
        (lambda: Change("something", ""), "expected words"),
        (lambda: Change("something", "$n"), "without another"),
        (lambda: replace(repair, changes=(Change("zero", "5 |"),)), "not part of what is proved"),
        (lambda: toy("T", repair=replace(repair, changes=(Change("zer", "4 |"),)), **REPAIRED), "0 times"),
        (
            lambda: replace(
                toy("T", repair=repair, **REPAIRED), source=replace(source, quote="*zero*, *zero*, <always>")
            ),
            "2 times",
        ),
        (lambda: replace(toy("T", repair=repair, **REPAIRED), source=None), "0 times"),
        (lambda: toy("T", arguments=(lift, explicit), changes=(Change("zero", "x is positive"),)), "not part of what"),
        (
            lambda: toy("T", hypotheses=(positive,), arguments=(lift,), changes=(Change("zero", "x is positive"),)),
            "not part of what",
        ),
    ],
)
def test_refused_when_written(make: Callable[[], Any], message: str) -> None:
    with pytest.raises((ValueError, FormulaError), match=message):
        make()


def test_a_hypothesis_that_is_not_printed_may_be_added_to_printed_words() -> None:
    added = unprinted
    change = Change("zero", "x is positive", kept=True)
    toy("T", hypotheses=(added,), arguments=(lift, explicit), changes=(change,))
    toy("T", clauses=(Clause("It holds.", {"R": 1, "d": 1}, (lift, explicit), (added,), changes=(change,)),))


def _differing(every: tuple[Statement, ...]) -> Iterator[tuple[str, Clause]]:
    """The clauses that a repair, or a hypothesis that is not printed, makes differ from what is printed."""
    for statement in every:
        for one in statement.claims:
            if one.repair or not all(each.printed for each in (*statement.hypotheses, *one.hypotheses)):
                yield statement.id, one


def test_no_statement_differs_from_what_is_printed_without_saying_where() -> None:
    differing = [*_differing((*statements(), *TOYS))]
    assert len(differing) > 20
    assert [(id_, one.sentence) for id_, one in differing if not one.changed] == []
