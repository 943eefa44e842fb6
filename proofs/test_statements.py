"""Every statement, one test for each part of it: `pytest proofs -k T2`, `pytest proofs -m symbolic`."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from proofs.parts import Context, Statement
from proofs.pytest_plugin import cases, settle
from proofs.statements import statements
from proofs.verdicts import Part, run


def _check(statement: Statement, part: Part, record: Callable[[str, object], None]) -> None:
    result = run(statement, Context(device="cuda" if part == "gpu" else "cpu"), parts=(part,))
    record("verdict", result.verdict)
    record("scope", result.scope)
    settle(result)


@pytest.mark.symbolic
@pytest.mark.parametrize("statement", cases(statements(), "exact"))
def test_proof(statement: Statement, record_property: Callable[[str, object], None]) -> None:
    """Arguments, counterexample and repair."""
    _check(statement, "exact", record_property)


@pytest.mark.numeric
@pytest.mark.parametrize("statement", cases(statements(), "evidence"))
def test_evidence(statement: Statement, record_property: Callable[[str, object], None]) -> None:
    """Numbers from the running network, on the digits."""
    _check(statement, "evidence", record_property)


@pytest.mark.numeric
@pytest.mark.parametrize("statement", cases(statements(), "deep"))
def test_depth(statement: Statement, record_property: Callable[[str, object], None]) -> None:
    """Numbers at great depth: 10^3 to 10^5 units."""
    _check(statement, "deep", record_property)


@pytest.mark.gpu
@pytest.mark.parametrize("statement", cases(statements(), "gpu"))
def test_gpu(statement: Statement, record_property: Callable[[str, object], None]) -> None:
    """The same on a GPU."""
    _check(statement, "gpu", record_property)
