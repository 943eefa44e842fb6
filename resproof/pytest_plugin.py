"""The pytest side of the statements: `pytest proofs` runs all, `pytest proofs --arch FILE.py:NAME` those on a block.

A statement with exact arguments becomes a test marked `symbolic`, its evidence and that at great depth two marked
`numeric`, evidence that needs a GPU one marked `gpu`. A FAILED statement fails, an ERROR too, and an OPEN one
unless it is open because something optional is missing: then the test is skipped with that reason, as is one that does
not apply. The verdict and the scope are JUnit properties.

In a test suite of one's own:

    @parametrize_with_statements({"my_block": block})
    def test_my_block(check, record_property):
        check(record_property)
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

if TYPE_CHECKING:
    from resproof.architectures.nodes import Expression
    from resproof.architectures.stages import ResidualUnit
    from resproof.proofs.block.general import General
    from resproof.proofs.results import Result
    from resproof.proofs.statement import Statement
    from resproof.proofs.verdict import Part

_GIVEN = pytest.StashKey["Sequence[General] | None"]()

RunOnce: TypeAlias = "Callable[..., Result]"
"""What the fixture `statement_result` is: of a statement and its parts, "exact", "evidence" or both."""
Note: TypeAlias = Callable[[str, object], None]
"""What pytest's record_property is."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare --arch."""
    parser.getgroup("resproof").addoption(
        "--arch",
        metavar="FILE.py:NAME",
        help="with `pytest proofs`: run the general statements on this block instead of the registered ones",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declare the markers where the project's own configuration is not in force."""
    for line in (
        "symbolic: exact arguments (SymPy, index notation)",
        "numeric: floating-point and modular evidence",
        "deep: evidence at great depth, seconds to minutes",
        "gpu: needs a CUDA device",
    ):
        config.addinivalue_line("markers", line)
    # Now, because a usage error while tests are collected would show a traceback.
    target = config.getoption("--arch", default=None)
    config.stash[_GIVEN] = None if target is None else _general_of_file(target)


@pytest.fixture(scope="session")
def statement_result(tmp_path_factory: pytest.TempPathFactory) -> RunOnce:
    """What a statement comes to on the embedded data, each part run once: the workers of a session share it."""
    from resproof.proofs.verdict import joined, run

    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "statements"
    folder.mkdir(exist_ok=True)

    def result(statement: Statement, *parts: Part) -> Result:
        if not _is_registered(statement):
            return run(statement, parts=parts)
        if parts == ("exact", "evidence"):
            return joined(statement, result(statement, "exact"), result(statement, "evidence"))
        (part,) = parts
        file = folder / f"{statement.id}-{part}"
        if file.exists():
            return pickle.loads(file.read_bytes())
        found = run(statement, parts=(part,))
        unfinished = folder / f"{file.name}.{os.getpid()}"
        unfinished.write_bytes(pickle.dumps(found))
        unfinished.replace(file)
        return found

    return result


def _is_registered(statement: Statement) -> bool:
    """Whether its id stands for it and for nothing else, as that of a statement on somebody's own block does not."""
    from resproof.proofs import registry

    return any(one is statement for one in registry.statements())


def _general_of_file(target: str) -> Sequence[General]:
    """The general statements on the block that --arch names.

    Raises:
        UsageError: it names no residual unit; the message is one line.
    """
    from resproof.architectures.errors import ArchitectureError
    from resproof.proofs.block.general import general_statements
    from resproof.proofs.block.modules import UnconfirmedReadingError, from_target

    try:
        given, _ = from_target(target)
    except (ArchitectureError, UnconfirmedReadingError) as error:
        raise pytest.UsageError(f"--arch {error}") from None
    return general_statements(given.unit, given.name.rpartition(":")[2])


def chosen(config: pytest.Config) -> Sequence[General]:
    """The registered statements, or the general ones on the block that --arch names."""
    from resproof.proofs import registry as statements

    given = config.stash[_GIVEN]
    return statements.statements() if given is None else given


def cases(statements: Sequence[General], part: Part) -> list[Any]:
    """One pytest parameter for each statement that has such a part; a statement without any is an exact one.

    One that does not apply is skipped with the reason, as an exact one.
    """
    return [_case(one, one) for one in statements if part in _parts(one)]


def _case(one: General, value: object) -> Any:
    from resproof.proofs.block.general import Inapplicable

    skipped = pytest.mark.skip(one.reason) if isinstance(one, Inapplicable) else ()
    return pytest.param(value, id=one.label, marks=skipped)


Blocks: TypeAlias = "Mapping[str, Expression | ResidualUnit] | Sequence[Expression | ResidualUnit]"


def parametrize_with_statements(blocks: Blocks) -> pytest.MarkDecorator:
    """Run a test with `check` once for every general statement on every block; ids are GEN-1-NAME and so on.

    `check()` computes the statement and fails where it FAILED or is an ERROR; given pytest's record_property it notes
    the verdict.
    Blocks come by name, or in a sequence, and are then called block, or block1, block2, ...

    Raises:
        ArchitectureError: a block is no residual unit.
        ImportError: a package of ours is hidden by one of the project's own.
    """
    found = [one for name, block in _named(blocks).items() for one in _general(block, name)]
    return pytest.mark.parametrize("check", [_case(one, partial(_check, one)) for one in found])


def _named(blocks: Blocks) -> dict[str, Any]:
    if isinstance(blocks, Mapping):
        return dict(blocks)
    return {"block" if len(blocks) == 1 else f"block{k}": block for k, block in enumerate(blocks, 1)}


def _general(block: Expression | ResidualUnit, name: str) -> Sequence[General]:
    from resproof.architectures.stages import ResidualUnit
    from resproof.proofs.block.general import general_statements

    return general_statements(block if isinstance(block, ResidualUnit) else ResidualUnit(block), name)


def _check(one: General, note: Note | None = None) -> Result:
    from resproof.proofs.block.general import Inapplicable
    from resproof.proofs.verdict import run

    assert not isinstance(one, Inapplicable)  # such a case is skipped
    result = run(one)
    settle(result, note)
    return result


def settle(result: Result, note: Note | None = None) -> None:
    """Note verdict and scope, and end the running test as the verdict asks; what is open is an expected failure."""
    if note is not None:
        note("verdict", result.verdict)
        note("scope", result.scope)
    if result.verdict == "OPEN" and result.unavailable:
        pytest.skip(result.reason)
    if result.unsettled:
        pytest.xfail(f"{result.id} is OPEN: {result.reason}")
    if result.verdict in {"FAILED", "OPEN", "ERROR"}:
        pytest.fail(f"{result.id} is {result.verdict}: {result.reason}", pytrace=False)


def _parts(statement: General) -> set[Part]:
    from resproof.proofs.block.general import Inapplicable

    if isinstance(statement, Inapplicable):
        return {"exact"}
    parts: set[Part] = {one.part for one in statement.evidence}
    if statement.claims or not parts:
        parts.add("exact")
    return parts
