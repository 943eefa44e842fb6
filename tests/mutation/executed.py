"""Which statements execute a changed line, found once for the sources as they are and kept in build/mutation."""

from __future__ import annotations

import ast
import hashlib
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from tests.copies import ROOT, environment
from tests.importing import imported_names
from tests.mutation.changes import Change
from tests.run_statement import Outcome

FOLDERS = ("symbolic", "numeric", "architectures", "proofs")
KEPT = ROOT / "build" / "mutation"
BESIDE = "canaries"
"""What runs beside every statement."""


@dataclass(frozen=True, slots=True)
class Target:
    """A part of a statement, the file that it stands in, the seconds it takes and what it comes to unchanged."""

    statement: str
    part: str
    file: str
    seconds: float
    outcome: Outcome

    @property
    def stands(self) -> bool:
        """Whether it goes through, so that a change can be noticed."""
        return self.outcome["verdict"] not in {"FAILED", "ERROR"}


@dataclass(frozen=True)
class Executed:
    """The targets, the lines that each of them executes, and those that each file's import executes.

    A line is "f12" in a function and "m12" in a module or a class; `imports` has the files that a file imports.
    """

    targets: tuple[Target, ...]
    ran: Mapping[str, Mapping[str, list[int]]]
    imported: Mapping[str, Mapping[str, list[str]]]
    imports: Mapping[str, frozenset[str]]

    @cached_property
    def _within(self) -> Mapping[str, set[int]]:
        """Who executes a function of a file."""
        return {file: {number for some in found.values() for number in some} for file, found in self.ran.items()}

    def of(self, change: Change) -> list[Target]:
        """Who executes a change, fastest first, and before them what runs beside every statement.

        Where an import does, whoever executes functions of that file comes next, then whoever imports it at all.
        """
        ran, imported = self.ran.get(change.file, {}), self.imported.get(change.file, {})
        near = {number for line in _lines(change) for number in ran.get(line, ())}
        files = {file for line in _lines(change) for file in imported.get(line, ())}
        own = {number for number, one in enumerate(self.targets) if one.file in files}
        inside = {number for file in files for number in self._within.get(file, ())}
        users = _users(files, self.imports)
        far = {number for number, one in enumerate(self.targets) if one.file in users}

        def place(number: int) -> tuple[int, bool, float]:
            beside = self.targets[number].statement == BESIDE
            group = next(k for k, some in enumerate((near, own, inside, far)) if number in some)
            return group, not beside, self._seconds(number)

        ordered = sorted(near | own | (inside & far) | far, key=place)
        return [self.targets[number] for number in ordered if self.targets[number].stands]

    def _seconds(self, number: int) -> float:
        return self.targets[number].seconds

    def runs(self, change: Change) -> bool:
        """Whether anything executes it."""
        ran, imported = self.ran.get(change.file, {}), self.imported.get(change.file, {})
        return any(line in ran or line in imported for line in _lines(change))


def _lines(change: Change) -> Iterator[str]:
    for number in range(change.lines[0], change.lines[1] + 1):
        yield f"{'f' if change.called else 'm'}{number}"


def _users(files: Iterable[str], imports: Mapping[str, frozenset[str]]) -> set[str]:
    """The files, and all that import one of them, directly or not."""
    found = set(files)
    while more := {file for file, used in imports.items() if used & found} - found:
        found |= more
    return found


def sources() -> dict[str, str]:
    """Every file that may be run."""
    return {
        str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
        for folder in FOLDERS
        for path in sorted((ROOT / folder).rglob("*.py"))
    }


def fingerprint(texts: Mapping[str, str]) -> str:
    """What tells these sources, and what looks at them, from others."""
    digest = hashlib.sha256()
    runners = {name: (ROOT / "tests" / name).read_text(encoding="utf-8") for name in (_TRACE, "run_statement.py")}
    for file, text in sorted({**texts, **runners}.items()):
        digest.update(f"{file}\0{text}\0".encode())
    return digest.hexdigest()[:16]


_TRACE = "mutation/trace.py"


def executed(texts: Mapping[str, str], jobs: int) -> Executed:
    """Who executes which lines, from what is kept for these sources or else from a run of every statement."""
    kept = KEPT / f"lines-{fingerprint(texts)}.json"
    if not kept.exists():
        print("Every statement runs once, to see which lines it executes.", file=sys.stderr, flush=True)
        KEPT.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, str(ROOT / "tests" / _TRACE), str(jobs)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment(ROOT), cwd=ROOT)
        unfinished = kept.with_suffix(".unfinished")
        unfinished.write_text(done.stdout, encoding="utf-8")
        unfinished.replace(kept)
    return read(json.loads(kept.read_text(encoding="utf-8")), texts)


def read(found: Mapping[str, object], texts: Mapping[str, str]) -> Executed:
    """What `tests/mutation/trace.py` printed."""
    told = found["targets"]
    assert isinstance(told, list)
    return Executed(
        tuple(Target(**one) for one in told),
        found["ran"],  # pyright: ignore[reportArgumentType]
        found["imported"],  # pyright: ignore[reportArgumentType]
        {file: frozenset(_imports(text) & texts.keys()) for file, text in texts.items()},
    )


def _imports(text: str) -> set[str]:
    """The files that a file may import."""
    places = {name.replace(".", "/") for name in imported_names(ast.parse(text))}
    return {f"{place}{ending}" for place in places for ending in (".py", "/__init__.py")}
