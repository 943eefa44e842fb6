"""`pytest proofs` on the toy statements: which tests there are, how they end, what JUnit gets to see."""

import sys
from xml.etree import ElementTree as ET

import pytest

from resproof.proofs.block import general

pytest_plugins = ["pytester"]
LOADED = general
"""A run within this process forgets what it imports, and NumPy loads only once."""

MODULE = """
    import resproof.proofs.registry
    from tests.proofs.toys import TOYS, find_toys

    resproof.proofs.registry.statements = lambda: TOYS
    from resproof.proofs.test_statements import *
"""


def outcomes(result: pytest.RunResult) -> dict[str, int]:
    """How many tests ended how; a run in this process warns of what was imported before."""
    return {name: count for name, count in result.parseoutcomes().items() if name != "warnings"}


@pytest.fixture
def toys(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.delitem(sys.modules, "resproof.proofs.test_statements", raising=False)
    monkeypatch.setattr("resproof.proofs.registry.statements", lambda: ())
    pytester.makepyfile(test_toys=MODULE)
    return pytester


def test_every_verdict_ends_as_it_should(toys: pytest.Pytester) -> None:
    found = outcomes(toys.runpytest_inprocess("-rs", "-k", "not gpu and not depth"))
    assert found == {"passed": 5, "failed": 3, "skipped": 1, "deselected": 2}


def test_a_skip_gives_its_reason(toys: pytest.Pytester) -> None:
    result = toys.runpytest_inprocess("-rs", "-k", "T-unavailable")
    result.stdout.fnmatch_lines(["*flint is not installed*"])


def test_a_failure_is_one_line(toys: pytest.Pytester) -> None:
    result = toys.runpytest_inprocess("-k", "T-failed")
    result.stdout.fnmatch_lines(["T-failed is FAILED: two units: computed 4; claimed 5"])


def test_an_error_is_a_failure_and_no_skip(toys: pytest.Pytester) -> None:
    result = toys.runpytest_inprocess("-k", "T-error")
    assert result.parseoutcomes()["failed"] == 1
    result.stdout.fnmatch_lines(["T-error is ERROR: two units: ZeroDivisionError: 1/0 | 2"])


def test_parts_are_marked(toys: pytest.Pytester) -> None:
    assert toys.runpytest_inprocess("-m", "numeric").parseoutcomes()["passed"] == 2
    assert outcomes(toys.runpytest_inprocess("-m", "symbolic", "-k", "observed")) == {"deselected": 11}


def test_junit_properties(toys: pytest.Pytester) -> None:
    toys.runpytest_inprocess("-k", "T-proved-n_shortcut and proof", "--junitxml=out.xml", "-o", "junit_family=xunit1")
    case = next(ET.parse(toys.path / "out.xml").iter("testcase"))
    assert case.get("name") == "test_proof[T-proved-n_shortcut]"
    assert {each.get("name"): each.get("value") for each in case.iter("property")} == {
        "verdict": "PROVED",
        "scope": "all R, d",
    }


BLOCK = """
    from resproof.architectures.activations import tanh
    from resproof.architectures.nodes import Input, Weight

    h, W1, W2 = Input("d"), Weight("k", "d"), Weight("d", "k")
    block = h + W2 @ tanh(W1 @ h)
    plain = W1.T @ W1 @ h
"""
OF_A_BLOCK = "from resproof.proofs.test_statements import *"
OF_ONES_OWN = """
    from block import block
    from resproof.pytest_plugin import parametrize_with_statements

    @parametrize_with_statements({"mine": block})
    def test_mine(check, record_property):
        check(record_property)
"""


@pytest.fixture
def block(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makepyfile(block=BLOCK, test_of_a_block=OF_A_BLOCK, test_of_ones_own=OF_ONES_OWN)
    return pytester


def test_the_general_statements_on_a_block(block: pytest.Pytester) -> None:
    result = block.runpytest_inprocess("--arch", "block.py:block", "test_of_a_block.py", "-v", "-rs")
    assert outcomes(result) == {"passed": 4, "skipped": 3}  # nothing at great depth and nothing for a GPU
    result.stdout.fnmatch_lines(["*test_proof?GEN-1-block? PASSED*", "*the branch is of order two*"])


def test_a_block_that_is_no_residual_start_skips_with_the_reason(block: pytest.Pytester) -> None:
    result = block.runpytest_inprocess("--arch", "block.py:plain", "test_of_a_block.py", "-rs")
    assert outcomes(result) == {"skipped": 7}
    result.stdout.fnmatch_lines(["*the unit is not the identity at its initial point*"])


@pytest.mark.parametrize("target", ["missing.py:block", "block.py:nothing", "block.py"])
def test_a_bad_target_is_one_line(block: pytest.Pytester, target: str) -> None:
    result = block.runpytest_inprocess("--arch", target, "test_of_a_block.py")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: --arch {target.partition(':')[0]}*"])


def test_in_a_suite_of_ones_own(block: pytest.Pytester) -> None:
    result = block.runpytest_inprocess("test_of_ones_own.py", "--junitxml=out.xml", "-o", "junit_family=xunit1")
    assert outcomes(result) == {"passed": 3, "skipped": 1}
    found = {each.get("name"): each for each in ET.parse(block.path / "out.xml").iter("testcase")}
    noted = {each.get("name"): each.get("value") for each in found["test_mine[GEN-1-mine]"].iter("property")}
    assert noted == {"verdict": "PROVED", "scope": "all R, d, k, m"}
