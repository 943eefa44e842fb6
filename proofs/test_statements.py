"""Every statement, one test for each part of it: `pytest proofs -k T2`, `pytest proofs -m symbolic`.

With `--arch FILE.py:NAME` the general statements on somebody's own block.
"""

from __future__ import annotations

import pytest

from resproof.proofs.statement import Context, Statement
from resproof.proofs.verdict import Part, run
from resproof.pytest_plugin import Note, RunOnce, cases, chosen, settle

_PARTS: dict[str, Part] = {
    "test_proof": "exact",
    "test_evidence": "evidence",
    "test_depth": "deep",
    "test_gpu": "gpu",
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One case for each statement that has the part a test is about."""
    part = _PARTS.get(metafunc.function.__name__)
    if part is not None:
        metafunc.parametrize("statement", cases(chosen(metafunc.config), part))


@pytest.mark.symbolic
def test_proof(statement: Statement, record_property: Note, statement_result: RunOnce) -> None:
    """Arguments, counterexample and repair."""
    settle(statement_result(statement, "exact"), record_property)


@pytest.mark.numeric
def test_evidence(statement: Statement, record_property: Note, statement_result: RunOnce) -> None:
    """Numbers from the running network, on the digits."""
    settle(statement_result(statement, "evidence"), record_property)


@pytest.mark.numeric
@pytest.mark.deep
def test_depth(statement: Statement, record_property: Note) -> None:
    """Numbers at great depth: 10^3 to 10^4 units."""
    settle(run(statement, parts=("deep",)), record_property)


@pytest.mark.gpu
def test_gpu(statement: Statement, record_property: Note) -> None:
    """The same on a GPU."""
    settle(run(statement, Context(device="cuda"), parts=("gpu",)), record_property)
