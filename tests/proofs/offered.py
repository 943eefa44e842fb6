"""What statements offer, whatever their clauses and inductions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from resproof.proofs.statement import (
    Argument,
    Citation,
    Clause,
    Context,
    Counterexample,
    Disagreement,
    Erratum,
    ExceptionalSet,
    Hypothesis,
    Induction,
    Offered,
    Reading,
    Statement,
)


def claims(statement: Statement) -> tuple[Clause, ...]:
    """Its clauses, their other readings, and those of repairs."""
    return tuple(one for clause in statement.claims for one in _within(clause))


def _within(clause: Clause) -> Iterator[Clause]:
    yield clause
    for one in (*(clause.repair.claims if clause.repair else ()), *clause.other_readings):
        yield from _within(one)


def hypotheses(statement: Statement) -> tuple[Hypothesis, ...]:
    """Its hypotheses and those of its clauses."""
    return (*statement.hypotheses, *(one for clause in claims(statement) for one in clause.hypotheses))


def offered(*statements: Statement) -> list[Argument | Citation]:
    """Each argument and citation once; of an induction its base and its step."""
    every = [
        each
        for statement in statements
        for clause in claims(statement)
        for one in clause.arguments
        for each in _parts(one)
    ]
    return list({id(one): one for one in every}.values())


def arguments(*statements: Statement) -> list[Argument]:
    """Each argument once."""
    return [one for one in offered(*statements) if isinstance(one, Argument)]


def exact(*statements: Statement) -> list[Argument | Citation]:
    """Each exact argument and each citation once, with those of readings, counterexamples and needed hypotheses."""
    beside = [
        one
        for statement in statements
        for clause in (statement, *claims(statement))
        for one in (*_of_reading(clause.reading), *_of_counterexample(clause.counterexample))
    ]
    needed = [one.needed for statement in statements for one in hypotheses(statement)]
    every = [*offered(*statements), *(one for one in (*beside, *needed) if one)]
    return list({id(one): one for one in every}.values())


def _of_reading(one: Reading | None) -> tuple[Argument | Citation | None, ...]:
    match one:
        case Erratum():
            return (one.fails,)
        case ExceptionalSet():
            return (one.fails, *(_parts(one.null) if one.null else ()))
        case _:
            return ()


def _of_counterexample(one: Counterexample | None) -> tuple[Argument | None, ...]:
    return (*one.routes, one.searched) if one else ()


def _parts(one: Offered) -> Iterator[Argument | Citation]:
    match one:
        case Induction():
            yield one.base
            yield one.step
        case _:
            yield one


def rejects_neighbours(argument: Argument) -> None:
    """The computed object agrees with the claim; every falsehood, offered as the claim, is a disagreement."""
    computed = argument.compute(Context()).value
    argument.compare(computed, argument.claim)
    for falsehood in argument.neighbours.values():
        with pytest.raises(Disagreement):
            _ = argument.compare(computed, falsehood)
