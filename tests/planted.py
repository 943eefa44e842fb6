"""Faults planted at random, `python -m tests.planted --cases 200 --seed 36`: does a statement or a test notice?

Needs the record of `make coverage`, which says which tests, statements among them, execute a function. A fault changes
one place of one function's syntax tree; pytest runs those tests with the function's code replaced (this module is the
plugin), the fastest first, until one fails. Kinds: another operator, comparison or constant, a negated condition,
swapped arguments. One that survives is worth a look: equivalent, or not tested.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from random import Random
from types import CodeType
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("architectures", "symbolic", "numeric", "resproof/reporting")
OTHER: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.MatMult: ast.Mult,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
MOST = 25
"""Tests run for a fault."""


class Fault(NamedTuple):
    """The number of a place in a function, `module:qualified name`, and what it becomes."""

    function: str
    place: int
    line: int
    becomes: str = ""


def _changed(node: ast.AST) -> ast.AST | None:
    """What a node becomes; None where it is no place for a fault."""
    match node:
        case ast.BinOp(left, op, right) if type(op) in OTHER:
            return ast.BinOp(left, OTHER[type(op)](), right)  # pyright: ignore[reportArgumentType]
        case ast.Compare(left, [op], rest) if type(op) in OTHER:
            return ast.Compare(left, [OTHER[type(op)]()], rest)  # pyright: ignore[reportArgumentType]
        case ast.BoolOp(op, values):
            return ast.BoolOp(OTHER[type(op)](), values)  # pyright: ignore[reportArgumentType]
        case ast.UnaryOp(ast.USub() | ast.Not(), operand):
            return operand
        case ast.Constant(bool() as value):
            return ast.Constant(not value)
        case ast.Constant(int() as value):
            return ast.Constant(value + 1)
        case ast.Call(f, [first, second, *rest], keywords):
            return ast.Call(f, [second, first, *rest], keywords)
        case ast.IfExp(test, body, orelse):
            return ast.IfExp(test, orelse, body)
        case _:
            return None


class _Plant(ast.NodeTransformer):
    """Counts the places of a function, and changes one."""

    def __init__(self, place: int = -1) -> None:
        self.place, self.found = place, list[tuple[int, str]]()

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.arguments | ast.AnnAssign | ast.JoinedStr):
            return node
        if (other := _changed(node)) is not None:
            self.found.append((node.lineno, f"{ast.unparse(node)} -> {ast.unparse(other)}"))  # pyright: ignore[reportAttributeAccessIssue]
            if len(self.found) - 1 == self.place:
                return ast.fix_missing_locations(ast.copy_location(other, node))
        return self.generic_visit(node)


def _functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    """Functions of a module and methods of its classes, by qualified name."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef):
            yield prefix + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node, f"{prefix}{node.name}.")


def faults(file: str) -> Iterator[Fault]:
    """Every place of every function of a file."""
    module = file.removesuffix(".py").removeprefix("resproof/").replace("/", ".")
    for name, node in _functions(ast.parse((ROOT / file).read_text(encoding="utf-8"))):
        counted = _Plant()
        _ = [counted.visit(one) for one in node.body]
        for place, (line, becomes) in enumerate(counted.found):
            yield Fault(f"resproof.{module}:{name}", place, line, becomes)


# The plugin: in a pytest that is told of a fault, the function has other code.


def pytest_configure(config: pytest.Config) -> None:
    """Replace the function's code before anything is collected."""
    if told := os.environ.get("PLANTED"):
        function, place = told.rsplit("@", 1)
        plant(function, int(place))


def plant(function: str, place: int) -> None:
    """Give a function the code of its changed source."""
    name, _, qualified = function.partition(":")
    module = import_module(name)
    tree = ast.parse(Path(inspect.getsourcefile(module) or "").read_text(encoding="utf-8"))
    node = dict(_functions(tree))[qualified]
    planted = _Plant(place)
    node.body = [planted.visit(one) for one in node.body]  # pyright: ignore[reportAttributeAccessIssue]
    changed = _code(compile(tree, module.__file__ or "", "exec"), qualified.split("."))
    found: Any = module
    for part in qualified.split("."):
        found = inspect.getattr_static(found, part)
    inspect.unwrap(
        getattr(found, "__func__", getattr(found, "fget", None) or getattr(found, "func", found))
    ).__code__ = changed


def _code(code: CodeType, names: Sequence[str]) -> CodeType:
    for name in names:
        code = next(one for one in code.co_consts if isinstance(one, CodeType) and one.co_name == name)
    return code


# The run.


def tests_by_line(record: Path) -> Callable[[str, int], list[str]]:
    """The tests that execute a line of a file, from the record of `make coverage`."""
    data = import_module("coverage").CoverageData(str(record))
    data.read()
    known: dict[str, dict[int, list[str]]] = {}
    measured = {Path(one).resolve(): one for one in data.measured_files()}

    def tests(file: str, line: int) -> list[str]:
        if file not in known:
            path = measured.get(ROOT / file)
            known[file] = data.contexts_by_lineno(path) if path else {}
        return sorted({one.partition("|")[0] for one in known[file].get(line, []) if "::" in one})

    return tests


def noticed(fault: Fault, tests: Sequence[str]) -> bool:
    """Whether one of these tests fails with the fault."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "tests.planted", "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, "PLANTED": f"{fault.function}@{fault.place}", "OPENBLAS_NUM_THREADS": "1"}
    try:
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False, timeout=600)
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


def main() -> int:
    """Draw faults, run what executes them, print which survive."""
    parser = argparse.ArgumentParser(prog="python -m tests.planted", description=__doc__)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--record", type=Path, default=ROOT / ".coverage")
    parser.add_argument("--under", action="append", metavar="FOLDER", help="in place of the rooms outside proofs")
    given = parser.parse_args()
    listed = subprocess.run(
        ["git", "ls-files", *(given.under or ROOMS)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    files = [one for one in listed.stdout.split() if one.endswith(".py")]
    possible = [(file, fault) for file in files for fault in faults(file)]
    random, tests = Random(given.seed), tests_by_line(given.record)
    random.shuffle(possible)
    ran = survived = 0
    for file, fault in possible:
        if ran == given.cases:
            break
        if not (executing := tests(file, fault.line)):
            continue
        ran += 1
        random.shuffle(executing)
        if not noticed(fault, executing[:MOST]):
            survived += 1
            print(
                f"survived: {file}:{fault.line} {fault.function}: {fault.becomes} ({len(executing)} tests)", flush=True
            )
    print(f"{survived} of {ran} faults survived, seed {given.seed}")
    return int(survived > 0)


if __name__ == "__main__":
    sys.exit(main())
