"""Which lines each part of each statement executes: `python trace.py JOBS`, the packages being importable.

Prints one JSON object, what `tests.mutation.executed.Executed` is made of. Every part runs in a process of its own,
forked after the import, so that what one of them has remembered hides no line of another. A line is written "f12" where
it ran in a function and "m12" where it ran as a module or a class was made.
"""

from __future__ import annotations

import json
import sys
import threading
from collections import defaultdict
from collections.abc import Iterable
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter
from types import CodeType, FrameType
from typing import Any, TypeAlias

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = tuple(f"{ROOT / name}/" for name in ("symbolic", "numeric", "architectures", "proofs"))
ENOUGH = 1000
"""What a function has not executed after so many calls is not waited for."""
_OPTIMIZED = 1
"""The flag of a function's code; that of a module or a class has it not."""
_FALSE = ("canaries", "exact")

Line: TypeAlias = tuple[str, str]
"""A file, and a line as in "f12"."""


class Tracer:
    """The lines of this project that ran, each function followed until all its lines or ENOUGH calls were seen."""

    def __init__(self) -> None:
        self.left: dict[CodeType, set[int]] = {}
        self.calls: dict[CodeType, int] = defaultdict(int)

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        """What `sys.settrace` calls for every new frame."""
        code = frame.f_code
        left = self.left.get(code)
        if left is None:
            ours = code.co_filename.startswith(FOLDERS)
            left = self.left[code] = lines(code) - {code.co_firstlineno} if ours else set()
        self.calls[code] += 1
        return self.line if left and self.calls[code] <= ENOUGH else None

    def line(self, frame: FrameType, event: str, argument: Any) -> Any:
        """What it calls for every line of a frame that is followed."""
        left = self.left[frame.f_code]
        left.discard(frame.f_lineno)
        return self.line if left else None

    def found(self) -> set[Line]:
        """The lines that ran."""
        return {
            (code.co_filename, _line(code, number))
            for code, left in self.left.items()
            if code.co_filename.startswith(FOLDERS)
            for number in lines(code) - left
        }


class ImportTracer:
    """The lines that ran while modules were imported, and which module each of them ran for."""

    def __init__(self) -> None:
        self.modules: dict[Line, set[str]] = defaultdict(set)

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        """What `sys.settrace` calls for every new frame and for every line in it."""
        code = frame.f_code
        if not code.co_filename.startswith(FOLDERS):
            return None
        here: FrameType | None = frame
        while here is not None and not (here.f_code.co_name == "<module>" and _ours(here)):
            here = here.f_back
        self.modules[code.co_filename, _line(code, frame.f_lineno)].add(here.f_code.co_filename if here else "")
        return self


def _ours(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(FOLDERS)


def lines(code: CodeType) -> set[int]:
    """The numbers of its lines."""
    return {number for _, _, number in code.co_lines() if number is not None}


def _line(code: CodeType, number: int) -> str:
    return f"{'f' if code.co_flags & _OPTIMIZED else 'm'}{number}"


def traced(target: tuple[str, str]) -> tuple[Any, float, set[Line]]:
    """The outcome of a part of a statement, the seconds it took and the lines it executed."""
    from tests.run_statement import outcome

    tracer, begun = Tracer(), perf_counter()
    threading.settrace(tracer)
    sys.settrace(tracer)
    try:
        found = outcome(*target)  # pyright: ignore[reportArgumentType]
    finally:
        sys.settrace(None)
    return found, perf_counter() - begun, tracer.found()


def targets() -> list[tuple[str, str, str]]:
    """Every part of every statement that `resproof prove` runs, with its file; first those that are false."""
    from proofs.registry import modules
    from proofs.statement import Statement

    found: list[tuple[str, str, str]] = [(*_FALSE, "proofs/canaries.py")]
    for name in modules():
        module = import_module(name)
        statements: Iterable[Statement] = module.STATEMENTS
        for one in statements:
            file = f"{name.replace('.', '/')}.py"
            if one.claims:
                found.append((one.id, "exact", file))
            if any(each.part == "evidence" for each in one.evidence):
                found.append((one.id, "evidence", file))
    return found


def _relative(path: str) -> str:
    return str(Path(path).relative_to(ROOT))


def main(jobs: int) -> None:
    """Print what ran."""
    imported = ImportTracer()
    sys.settrace(imported)
    import_module("tests.run_statement")
    wanted = targets()
    sys.settrace(None)
    ran: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    told: list[Any] = []
    with get_context("fork").Pool(jobs, maxtasksperchild=1) as pool:
        each = pool.imap(traced, [(id_, part) for id_, part, _ in wanted], chunksize=1)
        for number, ((id_, part, file), (outcome, seconds, lines_)) in enumerate(zip(wanted, each, strict=True)):
            told.append({"statement": id_, "part": part, "file": file, "seconds": seconds, "outcome": outcome})
            print(f"{id_} {part}: {outcome['verdict']}, {seconds:.1f} s", file=sys.stderr, flush=True)
            for path, line in lines_:
                ran[_relative(path)][line].append(number)
    at_import: dict[str, dict[str, list[str]]] = defaultdict(dict)
    for (path, line), names in imported.modules.items():
        at_import[_relative(path)][line] = sorted(_relative(name) for name in names if name)
    json.dump({"targets": told, "ran": ran, "imported": at_import}, sys.stdout)


if __name__ == "__main__":
    main(int(sys.argv[1]))
