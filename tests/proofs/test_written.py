"""What a step shows: printed from the computed object, or written in the source."""

from __future__ import annotations

from functools import partial

from resproof.proofs.execution import execute
from resproof.proofs.statement import Argument, Computed, Context
from resproof.proofs.written import written
from resproof.symbolic.scope import Scope


def _typed(_: Context) -> Computed:
    return Computed(7, Scope(), r"p + q = 7")


def _printed(_: Context) -> Computed:
    number = 3 + 4
    return Computed(number, Scope(), f"r = {number}")


def _of_parameter(shown: str, _: Context) -> Computed:
    return Computed(7, Scope(), shown)


def _in_closure(shown: str):
    def compute(_: Context) -> Computed:
        return Computed(7, Scope(), shown)

    return compute


def _step(compute):
    return execute(Argument("seven", "identity", compute, 7, {"eight": 8}), Context())


def test_what_stands_in_the_source_is_written() -> None:
    assert _step(_typed).written
    assert not _step(_printed).written
    assert _step(_printed).shown.endswith("7")


def test_what_a_function_was_given_is_written() -> None:
    text = "".join(["a", " = ", "b"])
    assert _step(partial(_of_parameter, text)).written
    assert _step(_in_closure(text)).written
    assert not written("c = " + "d"[:1] + text, _of_parameter)


def test_nothing_shown_is_not_written() -> None:
    assert not _step(lambda _: Computed(7, Scope())).written
