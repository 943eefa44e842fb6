"""The command line over a few quick statements: `python -m tests.faults.program report --out DIR` and so on.

It is the console script with another registry and without figures. Workers run this module as well as they begin, so
that they have the same registry. FAULT in the environment says what is done to the program (`plan`), CANARIES which
false statements run beside the others (`beside`).
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import resproof.proofs.experiments
import resproof.proofs.registry
from resproof import guard
from resproof.proofs.statement import Computed, Context, Unavailable
from tests.faults import calls
from tests.proofs.toys import ALL, explicit, lift, table_of, toy

MARK = Path(os.environ.get("MARK", "mark"))


def first(act: Callable[[], Any]) -> Callable[[Context], Computed]:
    """Does something before it computes what it should."""

    def compute(_: Context) -> Computed:
        act()
        return Computed(4, ALL)

    return compute


def raises(error: BaseException) -> Callable[[], Any]:
    def act() -> None:
        raise error

    return act


def deep() -> Any:
    return deep()


ACTS: dict[str, Callable[[], Any]] = {
    "good": lambda: None,
    "brief": lambda: time.sleep(0.3),
    "asleep": calls.asleep,
    "endless": calls.endless,
    "in_c": calls.in_c,
    "once_in_c": lambda: (MARK.touch(), calls.in_c()),
    "killed": calls.killed,
    "killed_once": lambda: calls.killed_once(MARK),
    "left": calls.left,
    "exits": calls.ended,
    "raises": raises(ZeroDivisionError("1/0")),
    "memory": raises(MemoryError()),
    "deep": deep,
    "once_endless": lambda: None if MARK.exists() else (MARK.touch(), calls.endless()),
    "unavailable": raises(Unavailable("no device")),
    "parent": lambda: calls.with_a_child(MARK),
    "once": lambda: None if MARK.exists() else (MARK.touch(), raises(OSError("disk"))()),
}
BREAKS = os.environ.get("BREAKS", "")
"""What the registry itself does, which nobody expects."""
NAMES = os.environ.get("STATEMENTS", "good").split()
STATEMENTS = tuple(
    toy(f"T-{number}-{name}", arguments=(replace(lift, compute=first(ACTS[name])), explicit))
    if name in ACTS
    else toy(f"T-{number}-{name}", arguments=(replace(lift, claim=5), explicit))
    for number, name in enumerate(NAMES)
)
PAGES = {Path("figures", f"{n}.svg"): f"<svg>{os.environ.get('VERSION', '1')} {n}</svg>\n" for n in range(3)}


def plan(fault: str) -> None:
    """What is done to the program at its n-th act on a file: `killed at 7`, `interrupted at 7` or `full at 7`."""
    what, _, number = fault.partition(" at ")
    left = int(number or 0)

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            nonlocal left
            left -= 1
            if left == 0 and what == "killed":
                os.kill(os.getpid(), signal.SIGKILL)
            if left == 0 and what == "interrupted":
                os.kill(os.getpid(), signal.SIGINT)
            if left == 0 and what == "full":
                raise OSError(28, "No space left on device")
            return function(*arguments, **named)

        return call

    if left:
        for name in ("fsync", "open", "replace", "rename", "mkdir", "unlink", "rmdir"):
            setattr(os, name, counted(getattr(os, name)))


def registry() -> tuple[Any, ...]:
    if BREAKS in ACTS:
        ACTS[BREAKS]()
    return STATEMENTS


def beside(canaries: str) -> None:
    """The false statements beside these: none of them, as they take longer, or one that is proved; or the program's."""
    if canaries == "none":
        module = ModuleType("resproof.proofs.canaries")
        vars(module)["require_canaries"] = lambda: None
        sys.modules[module.__name__] = module
    elif canaries == "proved":
        import resproof.proofs.canaries

        resproof.proofs.canaries.require_canaries = partial(resproof.proofs.canaries.require_canaries, STATEMENTS)


def without_figures() -> None:
    """A report in a moment: without what takes the longest, to load as well."""
    from resproof.reporting.records import Record

    nothing = type("Figures", (Record,), {})()
    absent: dict[str, dict[str, Any]] = {
        "catalogue": {
            "entries": lambda *_: (),
            "block_pages": lambda *_: {},
            "shown": str,
            "without_eigenvalues": lambda one: one,
        },
        "figures.every": {
            "figures": lambda _: {path.name: text for path, text in PAGES.items()},
            "captions": lambda _: [],
            "figure_data": lambda _: nothing,
            "no_figures": lambda _: nothing,
            "Figures": type(nothing),
        },
        "figures.svg": {"svg_of": lambda _: ""},
        "verdict_bars": {"FILE": "verdicts.svg", "verdict_bars": lambda _: ""},
        "figures.experiments": {},
        "figures.experiments.every": {"experiment_figures": lambda _: {}, "FIGURES": {}},
        "experiment_records": {"experiment_results": lambda _: {}, "ExperimentResult": Any},
    }
    resproof.proofs.experiments.experiments = tuple
    for name, attributes in absent.items():
        module = ModuleType(f"resproof.reporting.{name}")
        vars(module).update(attributes)
        sys.modules[module.__name__] = module


def with_compiled_templates(folder: str) -> None:
    """Templates are compiled by the first of the programs that share a folder."""
    from jinja2 import FileSystemBytecodeCache

    import resproof.reporting.render as module

    cached = partial(module.Environment, bytecode_cache=FileSystemBytecodeCache(folder))
    module.__dict__["Environment"] = cached


resproof.proofs.registry.statements = registry
resproof.proofs.registry._written = lambda _: STATEMENTS
resproof.proofs.registry.table = lambda: table_of(registry())

if __name__ == "__main__":
    beside(os.environ.get("CANARIES", "none"))
    if "report" in sys.argv:
        without_figures()
        with_compiled_templates(os.environ["TEMPLATES"])
    plan(os.environ.get("FAULT", ""))
    guard.main()
