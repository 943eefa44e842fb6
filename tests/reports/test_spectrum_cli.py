"""`resproof spectrum`: its JSON, its table, the files it loads, and one line for every wrong use."""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import TypeAdapter

from resproof.cli import main
from resproof.reporting.schema import SPECTRUM_SCHEMA, SpectrumRecord

BLOCK = """
from resproof.architectures.activations import tanh
from resproof.architectures.nodes import Input, Weight
import helper
print("a file may print")
h = Input("d")
first, second = Weight("k", "d"), Weight("d", "k")
block = h + second @ tanh(first @ h)
seven = 7
"""

KEYS = {
    "schema_version",
    "architecture",
    "units",
    "width",
    "parameters",
    "stationary_order",
    "eigenvalues",
    "extremes",
    "condition_number",
    "pseudo_condition_number",
    "negative",
    "zero",
    "positive",
    "zero_exact",
    "zero_numerical",
    "strict_saddle",
}


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A folder with data and an architecture."""
    x, y = np.random.default_rng(0).standard_normal((2, 4, 9))
    np.savez(tmp_path / "data.npz", X=x, Y=y)
    (tmp_path / "block.py").write_text(BLOCK)
    (tmp_path / "helper.py").write_text("")
    return tmp_path


def status(*arguments: str | Path | int) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["spectrum", *(str(argument) for argument in arguments)])
    assert isinstance(ended.value.code, int)
    return ended.value.code


def catalogue(here: Path, *more: str, units: int = 3) -> list[str]:
    chosen = ["--architecture", "n-shortcut", "--units", str(units), "--data", str(here / "data.npz")]
    return [*chosen, *(word for one in more for word in ("--set", one))]


def printed(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    return json.loads(capsys.readouterr().out)


def test_json_on_stdout(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(*catalogue(here, "mid=tanh", "inner_width=5", units=10**6), "--json", "-") == 0
    found = printed(capsys)
    assert set(found) >= KEYS
    assert (found["schema_version"], found["units"], found["width"]) == (1, 10**6, 4)
    assert found["parameters"] == 40 * 10**6
    assert found["stationary_order"] == 1
    assert [one["multiplicity"] for one in found["eigenvalues"]] == [5 * 10**6] * 8
    assert found["extremes"]["largest"] == -found["extremes"]["smallest"]
    assert found["strict_saddle"] is True
    assert (
        TypeAdapter(SpectrumRecord).validate_python(found, strict=False).architecture
        == "n-shortcut (mid=tanh, inner_width=5)"
    )


def test_a_table_and_a_file(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(*catalogue(here), "--json", here / "new" / "out.json") == 0
    out = capsys.readouterr().out
    assert "stationary order" in out
    assert "multiplicity" in out
    assert json.loads((here / "new" / "out.json").read_text())["negative"] == 48


def test_without_data_it_is_on_the_digits(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("--architecture", "n-shortcut", "--units", "3", "--set", "inner_width=5", "--json", "-") == 0
    found = printed(capsys)
    assert "digits" in found["data"]["name"]
    assert (found["width"], found["parameters"]) == (10, 3 * 2 * 10 * 5)


def test_losses(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    x, labels = np.load(here / "data.npz")["X"], np.arange(9) % 4
    found: list[dict[str, Any]] = []
    for y in (labels, np.eye(4)[labels].T, 0.5 * np.eye(4)[labels].T + 0.125):
        np.savez(here / "data.npz", X=x, Y=y)
        assert status(*catalogue(here), "--loss", "cross-entropy", "--json", "-") == 0
        found.append(printed(capsys))
    assert found[0] == found[1] != found[2]
    for one in found:
        assert (one["condition_number"], one["zero_exact"], one["zero_numerical"]) == ("inf", 24, 0)


@pytest.mark.parametrize(("settings", "width"), [((), 4), (("--set", "k=3"), 3)])
def test_a_file(here: Path, settings: tuple[str, ...], width: int, capsys: pytest.CaptureFixture[str]) -> None:
    target = f"{here / 'block.py'}:block"
    assert status(target, "--units", 2, "--data", here / "data.npz", *settings, "--json", "-") == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert "a file may print" in err
    assert found["architecture"] == target
    assert found["expression"] == "h + second @ tanh(first @ h)"
    assert found["core"][0]["weights"] == ["first", "second"]
    assert found["eigenvalues"][0]["multiplicity"] == 2 * width
    assert bool(found["notes"]) is not bool(settings)
    assert str(here) not in sys.path


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        (BLOCK, "missing.py:block", "cannot be read (no such file or directory)"),
        (BLOCK, "block.py:other", "has no other; its expressions are block"),
        (BLOCK, "block.py:seven", "seven is an int; expected an expression"),
        (BLOCK, "block.py:first", "first is no residual unit"),
        (BLOCK, "block.py", "expected FILE.py:NAME"),
        ("1 / 0", "block.py:block", "fails with ZeroDivisionError: division by zero"),
        ("raise SystemExit(3)", "block.py:block", "fails with SystemExit: 3"),
        ("def", "block.py:block", "fails with SyntaxError"),
        ("block = h", "block.py:block", "fails with NameError"),
    ],
)
def test_files_that_cannot_be_used(
    here: Path, source: str, target: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "block.py").write_text(source)
    assert status(str(here / target), "--units", 2, "--data", here / "data.npz", "--json", here / "out.json") == 2
    assert_one_line(capsys, message)
    assert not (here / "out.json").exists()


def assert_one_line(capsys: pytest.CaptureFixture[str], message: str) -> None:
    out, err = capsys.readouterr()
    lines = [line for line in err.splitlines() if line != "a file may print"]
    assert not out
    assert len(lines) == 1
    assert lines[0].startswith("resproof: ")
    assert message in lines[0]


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("depth=2", "is no parameter of n-shortcut; expected one of shortcut_depth, pre, mid, post, inner_width"),
        ("mid=cosine", "is no activation; expected one of identity, tanh"),
        ("shortcut_depth=0", "expected a positive whole number"),
        ("inner_width=two", "expected a positive whole number"),
        ("mid", "expected key=value"),
        ("width=3", "is no parameter"),
    ],
)
def test_wrong_settings(here: Path, setting: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(*catalogue(here, setting)) == 2
    assert_one_line(capsys, message)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--architecture", "resnet"), "--architecture resnet: is unknown; expected one of"),
        ((), "no architecture is given"),
        (("file.py:a", "--architecture", "n-shortcut"), "two architectures are given"),
        (("--architecture", "n-shortcut", "--loss", "hinge"), "expected one of squared, cross-entropy"),
        (("--architecture", "n-shortcut", "--units", "0"), "expected a whole number"),
        (("--architecture", "n-shortcut", "--data", "none.npz"), "none.npz: cannot be read"),
        (("--architecture", "n-shortcut", "--set", "mid=tanh", "--set", "mid=relu"), "is given twice"),
    ],
)
def test_wrong_use(here: Path, arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert status("--units", 2, "--data", here / "data.npz", *arguments) == 2
    assert_one_line(capsys, message)


def test_three_dimensional_data_are_refused_for_a_unit_that_keeps_columns_apart(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.savez(here / "data.npz", X=np.ones((2, 3, 4)), Y=np.ones((2, 3, 4)))
    assert status(*catalogue(here)) == 2
    assert_one_line(capsys, "expected (d, m): the columns are samples")


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("mid=relu", "relu has no derivative at 0, and the argument of relu(W1 @ h) is 0"),
        ("post=softplus", "softplus(W2 @ (W1 @ h)) is log(2), not 0"),
    ],
)
def test_what_does_not_exist_is_status_1(
    here: Path, setting: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status(*catalogue(here, setting), "--json", here / "out.json") == 1
    assert_one_line(capsys, message)
    assert not (here / "out.json").exists()


def test_the_shipped_schema_is_current() -> None:
    assert SPECTRUM_SCHEMA.read_text(encoding="utf-8") == SpectrumRecord.described()


def test_a_cold_start_is_quick(here: Path) -> None:
    command = [sys.executable, "-c", "from resproof.cli import main; main()", "spectrum"]
    start = time.perf_counter()
    done = subprocess.run([*command, *catalogue(here, units=1000), "--json", "-"], capture_output=True, check=True)
    assert time.perf_counter() - start < 10.0  # 0.6 s on two idle cores; a shared machine is slower
    assert json.loads(done.stdout)["parameters"] == 32000
