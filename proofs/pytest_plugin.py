"""The pytest side of the statements: `pytest proofs` runs every one of them.

A statement with exact arguments becomes a test marked `symbolic`, its evidence and that at great depth two marked `numeric`, evidence that
needs a GPU one marked `gpu`. A FAILED statement fails, an OPEN one too, unless it is open because something optional
is missing: then the test is skipped with that reason. The verdict and the scope are JUnit properties.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from proofs.parts import Statement
    from proofs.results import Result
    from proofs.verdicts import Part


def pytest_configure(config: pytest.Config) -> None:
    """Declare the markers where the project's own configuration is not in force."""
    for line in (
        "symbolic: exact arguments (SymPy, index notation)",
        "numeric: floating-point and modular evidence",
        "gpu: needs a CUDA device",
    ):
        config.addinivalue_line("markers", line)


def cases(statements: Sequence[Statement], part: Part) -> list[object]:
    """One pytest parameter for each statement that has such a part; a statement without any is an exact one."""
    return [pytest.param(one, id=one.label) for one in statements if part in _parts(one)]


def settle(result: Result) -> None:
    """End the running test as the verdict asks for: pass, skip or fail."""
    if result.unavailable:
        pytest.skip(result.reason)
    if result.verdict in {"FAILED", "OPEN"}:
        pytest.fail(f"{result.id} is {result.verdict}: {result.reason}", pytrace=False)


def _parts(statement: Statement) -> set[Part]:
    parts: set[Part] = {one.part for one in statement.evidence}
    if statement.arguments or statement.counterexample or statement.repair or not parts:
        parts.add("exact")
    return parts
