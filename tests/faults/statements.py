"""Somebody's statements, a few of which break: `resproof prove tests/faults/statements.py`; STATEMENTS names them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from resproof.proofs.statement import Computed, Context, Unavailable
from tests.faults import calls
from tests.proofs.toys import explicit, lift, toy

MARK = Path(os.environ.get("MARK", "mark"))


def raises(error: BaseException) -> None:
    raise error


def deep() -> Any:
    return deep()


ACTS: dict[str, Callable[[], Any]] = {
    "good": lambda: None,
    "asleep": calls.asleep,
    "endless": lambda: (calls.with_a_child(MARK), calls.endless()),
    "in_c": lambda: (MARK.touch(), calls.in_c()),
    "killed": calls.killed,
    "exits": calls.ended,
    "raises": partial(raises, ZeroDivisionError("1/0")),
    "memory": partial(raises, MemoryError()),
    "deep": deep,
    "unavailable": partial(raises, Unavailable("no device")),
}


def compute(act: Callable[[], Any], context: Context) -> Computed:
    """Does something before it computes what it should."""
    act()
    return lift.compute(context)


def statement(id_: str, what: str) -> Any:
    claim, act = (5, ACTS["good"]) if what == "false" else (4, ACTS[what])
    return toy(id_, arguments=(replace(lift, claim=claim, compute=partial(compute, act)), explicit))


NAMES = os.environ.get("STATEMENTS", "good").split()
STATEMENTS = tuple(statement(f"T-{number}-{name}", name) for number, name in enumerate(NAMES))
