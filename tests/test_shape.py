"""The shape of the packages: a class's name says which class it is, and a function fits on a screen."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TypeAlias

ROOT = Path(__file__).parents[1]
PACKAGES = ("architectures", "symbolic", "numeric", "proofs", "reports", "resproof", "benchmarks")
Definition: TypeAlias = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
LONGEST = 60
"""Lines of a function."""


@cache
def found() -> tuple[tuple[str, Definition], ...]:
    """Every class and function of the packages, with its file."""
    paths = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    return tuple(
        (str(path.relative_to(ROOT)), node)
        for path in paths
        for node in definitions(ast.parse(path.read_text(encoding="utf-8")))
    )


def definitions(tree: ast.AST) -> Iterator[Definition]:
    """The classes and functions below a node; statements alone can hold one."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node
        if not isinstance(node, ast.expr):
            yield from definitions(node)


def test_no_two_classes_have_one_name() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for file, node in found():
        if isinstance(node, ast.ClassDef):
            places[node.name].append(f"{file}:{node.lineno}")
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def test_no_function_is_long() -> None:
    lines = {
        f"{file}: {node.name}": (node.end_lineno or node.lineno) - node.lineno + 1
        for file, node in found()
        if not isinstance(node, ast.ClassDef)
    }
    assert {name: count for name, count in lines.items() if count > LONGEST} == {}
