"""`pytest proofs` on the toy statements: which tests there are, how they end, what JUnit gets to see."""

import sys
from xml.etree import ElementTree as ET

import pytest

pytest_plugins = ["pytester"]

MODULE = """
    import proofs.statements
    from tests.proofs.toys import TOYS, find_toys

    proofs.statements.statements = lambda: TOYS
    from proofs.test_statements import *
"""


@pytest.fixture
def toys(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.delitem(sys.modules, "proofs.test_statements", raising=False)
    monkeypatch.setattr("proofs.statements.statements", lambda: ())
    pytester.makepyfile(test_toys=MODULE)
    return pytester


def test_every_verdict_ends_as_it_should(toys: pytest.Pytester) -> None:
    outcomes = toys.runpytest_inprocess("-rs", "-k", "not gpu and not depth").parseoutcomes()
    assert outcomes == {"passed": 5, "failed": 2, "skipped": 1, "deselected": 2}


def test_a_skip_gives_its_reason(toys: pytest.Pytester) -> None:
    result = toys.runpytest_inprocess("-rs", "-k", "T-unavailable")
    result.stdout.fnmatch_lines(["*flint is not installed*"])


def test_a_failure_is_one_line(toys: pytest.Pytester) -> None:
    result = toys.runpytest_inprocess("-k", "T-failed")
    result.stdout.fnmatch_lines(["T-failed is FAILED: two units: computed 4; claimed 5"])


def test_parts_are_marked(toys: pytest.Pytester) -> None:
    assert toys.runpytest_inprocess("-m", "numeric").parseoutcomes()["passed"] == 2
    assert toys.runpytest_inprocess("-m", "symbolic", "-k", "observed").parseoutcomes() == {"deselected": 10}


def test_junit_properties(toys: pytest.Pytester) -> None:
    toys.runpytest_inprocess("-k", "T-proved-n_shortcut and proof", "--junitxml=out.xml", "-o", "junit_family=xunit1")
    case = next(ET.parse(toys.path / "out.xml").iter("testcase"))
    assert case.get("name") == "test_proof[T-proved-n_shortcut]"
    assert {each.get("name"): each.get("value") for each in case.iter("property")} == {
        "verdict": "PROVED",
        "scope": "all R, d",
    }
