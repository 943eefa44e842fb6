"""Theorem 2 in Coq's kernel: build, the assumptions of every theorem, and a record of what was checked.

    python kernel.py        # what `make formal` runs

compiles a fresh copy of the files that _CoqProject names, asks Coq for each theorem of Theorems.v, closed, and for what it assumes
(`Print Assumptions`), and writes status.json: sentences, assumptions, versions, and one SHA-256 over the sources.
`status` compares that record with the sources as they are now. Standard library only.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, TypeAlias

FOLDER = Path(__file__).parent
RECORD = "status.json"
PROJECT = "_CoqProject"
LIBRARY = "Shortcut"
CLOSED = "Closed under the global context"
PACKAGES = ("coq", "libcoq-mathcomp-algebra", "libcoq-mathcomp-algebra-tactics")

Status: TypeAlias = Literal["kernel-checked", "stale", "absent"]


class FormalError(Exception):
    """The proofs were not checked, and why."""


@dataclass(frozen=True, slots=True)
class FormalTheorem:
    """A theorem as Coq prints it: its closed sentence, and the axioms it rests on (none)."""

    name: str
    sentence: str
    assumptions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BuildRecord:
    """What a build checked: the sources by their digest, the versions, and the theorems."""

    sources: tuple[str, ...]
    sha256: str
    versions: dict[str, str]
    theorems: tuple[FormalTheorem, ...]


def sources(folder: Path) -> tuple[str, ...]:
    """The .v files in the order of _CoqProject."""
    lines = (folder / PROJECT).read_text().splitlines()
    return tuple(line for line in lines if line.endswith(".v"))


def digest(folder: Path) -> str:
    """SHA-256 over name and text of _CoqProject, which has Coq's options, and of every source, in its order."""
    found = hashlib.sha256()
    for name in (PROJECT, *sources(folder)):
        found.update(name.encode() + b"\0" + (folder / name).read_bytes() + b"\0")
    return found.hexdigest()


def theorem_names(text: str) -> tuple[str, ...]:
    """The names of the theorems that a source states."""
    return tuple(re.findall(r"^Theorem\s+([\w']+)", text, flags=re.MULTILINE))


def status(folder: Path = FOLDER) -> dict[str, Status]:
    """Of every theorem that Theorems.v states or the record names: what is known of it now.

    "kernel-checked": in the record, without assumptions, and no source has changed since; "stale": a source has
    changed; "absent": the record does not have it, or has it with assumptions.
    """
    record = read(folder)
    stated = theorem_names((folder / "Theorems.v").read_text())
    if record is None:
        return dict.fromkeys(stated, "absent")
    closed = {theorem.name for theorem in record.theorems if not theorem.assumptions}
    checked: Status = "kernel-checked" if record.sha256 == digest(folder) else "stale"
    names = dict.fromkeys([*stated, *(theorem.name for theorem in record.theorems)])
    return {name: checked if name in closed else "absent" for name in names}


def read(folder: Path) -> BuildRecord | None:
    """The record of the last build, if there is one."""
    path = folder / RECORD
    if not path.exists():
        return None
    found = json.loads(path.read_text())
    return BuildRecord(
        tuple(found["sources"]),
        found["sha256"],
        dict(found["versions"]),
        tuple(FormalTheorem(t["name"], t["sentence"], tuple(t["assumptions"])) for t in found["theorems"]),
    )


def write(folder: Path, record: BuildRecord) -> None:
    """Write the record."""
    (folder / RECORD).write_text(json.dumps(asdict(record), indent=2, ensure_ascii=False) + "\n")


def questions(names: Sequence[str]) -> str:
    """A Coq file that prints every theorem and its assumptions, each after a line that names it."""
    lines = [
        f"From {LIBRARY} Require Import Definitions Theorems.",
        "From mathcomp Require Import all_ssreflect all_algebra.",
        "Unset Printing Implicit Defensive.",
        "Set Printing Width 110.",
        "Local Open Scope ring_scope.",
    ]
    for name in names:
        lines += [f'Goal True. idtac "@ {name}". Abort.', f"Check {name}."]
        lines += ['Goal True. idtac "@ assumes". Abort.', f"Print Assumptions {name}."]
    return "\n".join(lines) + "\n"


def answers(log: str) -> tuple[FormalTheorem, ...]:
    """The theorems out of what Coq printed.

    Raises:
        FormalError: the log is not of the expected form.
    """
    parts = re.split(r"^@ (.+)$", log, flags=re.MULTILINE)[1:]
    pairs = list(zip(parts[::2], parts[1::2], strict=True))
    found: list[FormalTheorem] = []
    for (name, shown), (mark, assumed) in zip(pairs[::2], pairs[1::2], strict=True):
        if mark != "assumes" or not shown.split() or shown.split()[0] != name:
            raise FormalError(f"the log has {mark!r} after {name!r}; expected its sentence and what it assumes")
        sentence = re.sub(r"\s+", " ", shown.split(":", 1)[1]).strip()
        found.append(FormalTheorem(name, sentence, _axioms(assumed.strip())))
    return tuple(found)


def _axioms(assumed: str) -> tuple[str, ...]:
    # After a line "Axioms:" an axiom starts at the margin, and its continuation is indented.
    listed = re.split(r"\n(?=\S)", assumed)[1:]
    return () if assumed == CLOSED else tuple(" ".join(axiom.split()) for axiom in listed) or (assumed,)


def check(found: Sequence[FormalTheorem], names: Sequence[str]) -> None:
    """Every theorem is there and assumes nothing.

    Raises:
        FormalError: one is missing, or rests on an axiom.
    """
    if [theorem.name for theorem in found] != list(names):
        raise FormalError(f"Coq printed {len(found)} theorems; Theorems.v states {len(names)}")
    for theorem in found:
        if theorem.assumptions:
            raise FormalError(f"{theorem.name} assumes {'; '.join(theorem.assumptions)}")


def versions() -> dict[str, str]:
    """Of Coq, as it says, and of MathComp, as the package manager that installed it says."""
    coq = re.search(r"version (\S+)", _run(["coqc", "--version"], FOLDER))
    asked = (
        ["dpkg-query", "-W", "-f", "${Version}", "libcoq-mathcomp-ssreflect"],
        ["opam", "show", "-f", "version", "coq-mathcomp-ssreflect"],
    )
    known = [_run(command, FOLDER) for command in asked if shutil.which(command[0])]
    mathcomp = next((m[0] for text in known if (m := re.search(r"\d+(\.\d+)+", text))), "unknown")
    return {"coq": coq[1] if coq else "unknown", "mathcomp": mathcomp}


def build(folder: Path = FOLDER) -> BuildRecord:
    """Compile, ask, check and write the record.

    Raises:
        FormalError: Coq is missing or refuses a proof, or a theorem rests on an axiom.
    """
    if shutil.which("coqc") is None:
        raise FormalError(f"coqc is missing; install {', '.join(PACKAGES)} (Coq 8.16, MathComp 1.15)")
    with tempfile.TemporaryDirectory() as scratch:
        # From a copy, where nothing older is taken for compiled and no edit can come between.
        copy = Path(scratch)
        for name in (PROJECT, *sources(folder)):
            shutil.copy(folder / name, copy)
        _run(["coq_makefile", "-f", PROJECT, "-o", "CoqMakefile"], copy)
        _run(["make", "-f", "CoqMakefile", f"-j{min(2, os.cpu_count() or 1)}"], copy)
        names = theorem_names((copy / "Theorems.v").read_text())
        (copy / "questions.v").write_text(questions(names))
        found = answers(_run(["coqc", "-w", "none", "-R", ".", LIBRARY, "questions.v"], copy))
        check(found, names)
        record = BuildRecord(sources(copy), digest(copy), versions(), found)
    write(folder, record)
    return record


def _run(command: Sequence[str], folder: Path) -> str:
    # A make that calls this script hands its own flags down, which are not meant for Coq's.
    kept = {key: value for key, value in os.environ.items() if key not in {"MAKEFLAGS", "MFLAGS", "MAKELEVEL"}}
    done = subprocess.run(command, cwd=folder, env=kept, capture_output=True, text=True, check=False)
    if done.returncode:
        raise FormalError(f"{command[0]} failed:\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


def main() -> int:
    """Build, and say what was checked; 1 if it was not."""
    try:
        record = build()
    except FormalError as error:
        print(f"make formal: {error}", file=sys.stderr)
        return 1
    for theorem in record.theorems:
        print(f"{theorem.name}: {CLOSED}")
    print(
        f"{len(record.theorems)} theorems, no axioms; Coq {record.versions['coq']}, MathComp {record.versions['mathcomp']}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
