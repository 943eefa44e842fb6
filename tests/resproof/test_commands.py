"""The commands: what each finds and writes, its exit status, one line for every wrong use, and what is imported."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import TypeAdapter

from resproof.cli import main
from resproof.proofs.figures import no_figures
from resproof.proofs.results import Result
from resproof.proofs.statement import Context, Statement
from resproof.reporting.check_record import CheckRecord
from resproof.reporting.spectrum_record import SpectrumRecord
from resproof.reporting.statement_record import Proved
from tests.proofs.toys import TOYS, only
from tests.reports.conftest import WRITTEN

BLOCKS = """
from resproof.architectures.activations import relu, tanh
from resproof.architectures.nodes import Input, Weight
from resproof.architectures.algebra import causal_mask, shift, softmax
from resproof.architectures.values import identity_initial, normal

h = Input("d")
W1, W2, W3 = Weight("d", "d"), Weight("d", "d"), Weight("d", "d")
R1 = Weight("d", "d", initial=normal("1/d"))
Q, K, V, O = (Weight("d", "d") for _ in range(4))
b = Weight("d")
first, second = Weight("k", "d"), Weight("d", "k")

one = h + W1 @ h
two = h + W2 @ tanh(W1 @ h)
three = h + W3 @ tanh(W2 @ tanh(W1 @ h))
tied = h + W1.T @ tanh(W1 @ h)
attention = h + O @ (V @ h) @ softmax((K @ h).T @ (Q @ h), axis=0, mask=causal_mask())
convolution = h + W1 @ tanh(W2 @ h) @ shift(1) + W1 @ h @ shift(-1) * b
bias = two + b
inner = h + second @ tanh(first @ h)

plain = W1 @ tanh(W2 @ h)
layered = two + two
scaled = h + R1 @ tanh(W1 @ h + b) + R1 @ h
gated = h * 1 + Weight("d", "d", initial=identity_initial, name="W1") @ h
kinked = h + W2 @ relu(W1 @ h)
narrow = Weight("k", "d") @ h
constant = W1 @ W2
number = 7

grown = h
for _ in range(40):
    grown = grown + grown
enormous = h + W1 @ grown
"""
FILES = {
    "blocks.py": BLOCKS,
    "broken.py": "import nothing_of_the_kind",
    "exits.py": "raise SystemExit(3)",
    "no_python.py": "def",
    "wide.py": "from resproof import Input, Weight\nh, W = Input('d'), Weight('d', 'k')\nblock = h + (\n    W @ h\n)\n",
    "given.py": """
from resproof import Input, Weight, normal, tanh
h = Input("d")
W1, W2 = Weight("k", "d", initial=[[1, 2]] * 5), Weight("d", "k")
W3 = Weight("d", "d", initial=normal("1/q"))
block = h + W2 @ tanh(W1 @ h)
drawn = h + Weight("d", "d") @ tanh(W3 @ h)
""",
    "loud.py": "print('a file may print')\nfrom blocks import inner as block\n",
    "file": "",
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with files of blocks and data."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    x, y = np.random.default_rng(0).standard_normal((2, 3, 7))
    np.savez(tmp_path / "data.npz", X=x, Y=y)
    np.savez(tmp_path / "x.npz", X=x)
    np.savez(tmp_path / "tokens.npz", X=np.ones((2, 3, 4)), Y=np.ones((2, 3, 4)))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toy statements registered, and a report of them without figures and catalogue."""
    only(TOYS, monkeypatch.setattr)
    monkeypatch.setattr("resproof.reporting.build.entries", lambda *_: ())
    monkeypatch.setattr("resproof.reporting.build.experiment_figures", lambda _: {})
    monkeypatch.setattr("resproof.reporting.build.figure_data", no_figures)


def status(*arguments: object) -> int:
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    assert isinstance(ended.value.code, int)
    return ended.value.code


def printed(capsys: pytest.CaptureFixture[str], *arguments: object, ends: int = 0) -> dict[str, Any]:
    """The JSON on standard output."""
    assert status(*arguments, "--json", "-") == ends
    return json.loads(capsys.readouterr().out)


def found(name: str, *more: str, capsys: pytest.CaptureFixture[str], ends: int = 0) -> dict[str, Any]:
    return printed(capsys, "check", f"blocks.py:{name}", "--set", "d=3", "--depth", "5", *more, ends=ends)


CHECK, TWO, SPECTRUM = ["check"], ["check", "blocks.py:two"], ["spectrum", "--units", "2", "--data", "data.npz"]
CATALOGUE = [*SPECTRUM, "--architecture", "n-shortcut"]
WRONG: list[tuple[list[str], str]] = [
    (["repor"], "No such command 'repor'"),
    (["prove", "--onyl", "x"], "No such option: --onyl"),
    (["prove", "--only"], "requires an argument"),
    (["show", "T-proved", "x.py", "y"], "unexpected extra argument"),
    (["show", "DR-M77"], "unknown statement 'DR-M77'; did you mean DR-M7"),
    (["list", "toy", "xyzzy"], "no statement says toy and xyzzy; `resproof list` shows them all"),
    (["prove", "--only", "T-prove"], "unknown statement 'T-prove'; did you mean T-proved"),
    (["prove", "--json", "file/x.json"], "file: cannot be written"),
    (["prove", "--only", "T-open", "--json", "."], "it is a folder"),
    (["report", "--seed", "-1"], "'--seed'"),
    (["report", "--seed", "one"], "'--seed'"),
    (["report", "--jobs", "0"], "'--jobs'"),
    (["report", "--device", "tpu"], "device: 'tpu' is unknown; expected one of auto, cpu, cuda"),
    (["report", "--out", "out", "--data", "no.npz"], "no.npz: cannot be read"),
    (["report", "--out", "out", "--data", "x.npz"], "has no Y"),
    (["report", "--out", "file"], "file: cannot be written to"),
    (["new", "blocks.py"], "is there already"),
    (["new", "block.txt"], "is no Python file"),
    (["new", "data.npz/new.py"], "cannot be written"),
    (["new", "nowhere/mine.py"], "nowhere/mine.py: there is no folder nowhere; expected one that is there"),
    ([*CHECK, "missing.py:two"], "missing.py: cannot be read"),
    ([*CHECK, "broken.py:two", "--out", "deep/page"], "broken.py, line 1: fails with ModuleNotFoundError"),
    ([*CHECK, "exits.py:two"], "fails with SystemExit: 3"),
    ([*CHECK, "no_python.py:two"], "fails with SyntaxError"),
    ([*CHECK, "wide.py:block"], "wide.py, line 4: fails with ArchitectureError: W1 @ h"),
    ([*CHECK, "given.py:block", "--set", "k=9"], "--set k=9): the initial values of W1 have 5 for k"),
    ([*CHECK, "given.py:drawn"], "drawn: the variance of W3 is 1/q; expected a number, or a dimension among d"),
    ([*CHECK, "blocks.py:nothing"], "has no nothing; its expressions are"),
    ([*CHECK, "blocks.py"], "expected FILE.py:NAME"),
    ([*CHECK, "blocks.py:number"], "number is an int; expected an expression"),
    ([*CHECK, "blocks.py:narrow"], "the input has shape (d, t); expected the same shape"),
    ([*CHECK, "blocks.py:constant"], "0 inputs; expected exactly one Input"),
    ([*CHECK, "blocks.py:enormous"], "has about 10^12 nodes; expected at most"),
    ([*CHECK, "blocks.py:attention", "--data", "data.npz"], "the unit mixes columns, which are tokens"),
    ([*TWO, "--input", "3x4"], "--input (example_input): blocks.py:two is an expression"),
    ([*TWO, "--evaluation"], "--evaluation: blocks.py:two is an expression; expected a module"),
    ([*TWO, "--set", "t=3"], "--set t: is no dimension of blocks.py:two; expected one of d"),
    ([*TWO, "--require", "order"], "--require order: is unknown"),
    ([*TWO, "--loss", "absolute"], "absolute"),
    ([*TWO, "--data", "nothing.npz"], "nothing.npz: cannot be read"),
    ([*TWO, "--data", "data.npz", "--set", "d=4"], "the dimension d is 4 here and 3 elsewhere"),
    ([*TWO, "--depth", "0"], "0"),
    ([*TWO, "--memory", "much"], "expected a number of bytes such as"),
    ([*TWO, "--memory", "100K"], "need 640 kB; memory allows 100 kB, enough for 15 units"),
    ([*TWO, "--depth", "1000000000", "--memory", "1G"], "enough for 156250 units"),
    ([*TWO, "--json", "."], "it is a folder"),
    ([*TWO, "--out", "blocks.py"], "blocks.py"),
    (["spectrum", "--architecture", "nosuch"], "--architecture nosuch: is unknown; expected one of "),
    ([*SPECTRUM], "no architecture is given"),
    ([*CATALOGUE, "blocks.py:two"], "two architectures are given"),
    ([*CATALOGUE, "--loss", "hinge"], "expected one of squared, cross-entropy"),
    ([*CATALOGUE, "--units", "0"], "expected a whole number"),
    ([*CATALOGUE, "--set", "mid=tanh", "--set", "mid=relu"], "is given twice"),
    ([*CATALOGUE, "--set", "depth=2"], "is no parameter of n-shortcut; expected one of shortcut_depth, pre, mid, post"),
    ([*CATALOGUE, "--set", "mid=cosine"], "is no activation; expected one of identity, tanh"),
    ([*CATALOGUE, "--set", "inner_width=two"], "expected a positive whole number"),
    ([*CATALOGUE, "--set", "mid"], "expected key=value"),
    ([*CATALOGUE, "--data", "tokens.npz"], "expected (d, m): the columns are samples"),
    ([*SPECTRUM, "blocks.py:first"], "first is no residual unit"),
]


@pytest.mark.usefixtures("toys")
@pytest.mark.parametrize(("arguments", "message"), WRONG, ids=[" ".join(words) for words, _ in WRONG])
def test_wrong_use_is_one_line_and_leaves_nothing(
    here: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path: path.read_bytes() for path in here.iterdir() if path.is_file()}
    assert status(*arguments) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("resproof: ")
    assert message in err
    assert {path: path.read_bytes() for path in here.iterdir() if path.name != "__pycache__"} == before


REGIMES = {
    "one": (1, "grows with depth", {"W1": 1}),
    "two": (2, "depth-invariant", {"W1": 2, "W2": 2}),
    "three": (3, "flat", {"W1": 3, "W2": 3, "W3": 3}),
    "tied": (2, "depth-invariant", {"W1": 2}),
    "attention": (2, "depth-invariant", {"Q": 4, "K": 4, "V": 2, "O": 2}),
    "convolution": (2, "depth-invariant", {"W1": 2, "W2": 2, "b": 2}),
    "bias": (1, "grows with depth", {"W1": 2, "W2": 2, "b": 1}),
}


class TestCheck:
    @pytest.mark.usefixtures("here")
    @pytest.mark.parametrize("name", REGIMES)
    def test_regimes(self, name: str, capsys: pytest.CaptureFixture[str]) -> None:
        order, regime, degrees = REGIMES[name]
        one = found(name, capsys=capsys)
        assert CheckRecord.model_validate(one).holds
        assert (one["branch_order"], one["regime"]) == (order, regime)
        assert {w["name"]: w["degree"] for w in one["weights"]} == degrees
        assert one["depth_invariant"] is (regime != "grows with depth")
        verdicts = {each["id"]: each["verdict"] for each in one["statements"]}
        assert verdicts["GEN-1"] == verdicts["GEN-2"] == "PROVED"
        assert verdicts["GEN-3"] == (None if order > 1 else "OBSERVED")
        assert verdicts["GEN-5"] == (None if order == 1 else "PROVED")
        assert one["verdict"].startswith(f"blocks.py:{name}: ")
        if name == "attention":
            assert [w["name"] for w in one["weights"] if w["null"]] == one["spectrum"]["absent"] == ["Q", "K"]
            assert one["condition_number"] == "inf"

    @pytest.mark.usefixtures("here")
    def test_the_depth_law_bounds_every_condition_number(self, capsys: pytest.CaptureFixture[str]) -> None:
        one = found("one", "--depth", "40", capsys=capsys)
        assert [row["units"] for row in one["depths"]] == [1, 4, 16, 40]
        assert one["depths"][0]["bound"] is None
        growth = one["growth"]
        for row in one["depths"][1:]:
            expected = row["units"] // 2 * growth["norm_a"] / growth["norm_difference"]
            assert row["bound"] == pytest.approx(expected, rel=1e-12)
            assert row["pseudo_condition_number"] >= row["bound"]

    @pytest.mark.usefixtures("here")
    def test_what_changes_if_one_weight_starts_elsewhere(self, capsys: pytest.CaptureFixture[str]) -> None:
        elsewhere = {w["weight"]: (w["order"], w["regime"]) for w in found("three", capsys=capsys)["alternatives"]}
        assert elsewhere == dict.fromkeys(("W1", "W2", "W3"), (2, "depth-invariant"))
        (only,) = found("one", capsys=capsys)["alternatives"]
        assert only["regime"] is None
        assert "W1 @ h is W1[i,a] * X[a,u], not 0" in only["reason"]

    @pytest.mark.usefixtures("here")
    @pytest.mark.parametrize(
        ("name", "reason"),
        [
            ("plain", "the unit is not the identity at its initial point: W1 @ tanh(W2 @ h)"),
            ("layered", "h is added 2 times"),
            ("scaled", "R1 @ h is R1[i,a] * X[a,u], not 0"),
            ("gated", "W1 @ h is X[i,u], not 0"),
            ("kinked", "relu(W1 @ h)"),
        ],
    )
    def test_failing_hypotheses_are_explained(self, name: str, reason: str, capsys: pytest.CaptureFixture[str]) -> None:
        one = found(name, capsys=capsys, ends=1)
        assert reason in one["reason"]
        assert one["reason"] in one["verdict"]
        assert (one["holds"], one["spectrum"], one["statements"]) == (False, None, [])

    @pytest.mark.usefixtures("here")
    @pytest.mark.parametrize(
        ("name", "asked", "ends"),
        [
            ("one", "order>=0", 0),
            ("one", "order>=1", 1),
            ("one", "depth-invariant", 1),
            ("two", "order>=1", 0),
            ("two", "order>=2", 1),
            ("two", "depth-invariant", 0),
            ("two", "strict-saddle", 0),
            ("three", "order >= 2", 0),
            ("three", "strict-saddle", 1),
            ("plain", "depth-invariant", 1),
        ],
    )
    def test_requirements(self, name: str, asked: str, ends: int, capsys: pytest.CaptureFixture[str]) -> None:
        (one,) = found(name, "--require", asked, capsys=capsys, ends=ends)["requirements"]
        assert (one["holds"], not one["reason"]) == (ends == 0, ends == 0)

    @pytest.mark.parametrize(("name", "ends"), [("two", 0), ("one", 0), ("three", 0), ("plain", 1)])
    def test_tables_and_page(self, here: Path, name: str, ends: int, capsys: pytest.CaptureFixture[str]) -> None:
        assert status("check", f"blocks.py:{name}", "--set", "d=3", "--depth", "9", "--out", "deep/pages") == ends
        out, err = capsys.readouterr()
        assert out.rstrip().splitlines()[-1].startswith(f"blocks.py:{name}: ")
        assert err == f"deep/pages/{name}.md: written\n"
        page = (here / "deep" / "pages" / f"{name}.md").read_text()
        assert page.startswith(f"# blocks.py:{name}\n")
        assert (f"]({name}.svg)" in page) is (here / "deep" / "pages" / f"{name}.svg").exists() is (name != "plain")

    @pytest.mark.usefixtures("here")
    def test_the_data_given_are_those_used(self, capsys: pytest.CaptureFixture[str]) -> None:
        one = printed(capsys, "check", "blocks.py:two", "--data", "data.npz")
        assert one["data"] == {"name": "data.npz", "shape": [3, 7]}
        with np.load("data.npz") as data:
            sigma = np.linalg.svd((data["X"] - data["Y"]) @ data["X"].T / 7, compute_uv=False)
        assert one["pseudo_condition_number"] == pytest.approx(sigma[0] / sigma[-1], rel=1e-9)

    @pytest.mark.usefixtures("here")
    def test_a_statement_that_broke_is_status_3(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def broken(one: Statement, _: Context) -> Result:
            return Result(one.id, "ERROR", "", False, 0.0, reason="two units: OSError: disk")

        monkeypatch.setattr("resproof.proofs.block.check.run", broken)
        assert status("check", "blocks.py:two", "--set", "d=3", "--depth", "2") == 3
        out, err = capsys.readouterr()
        assert "not confirmed: GEN-1: two units: OSError: disk" in out
        assert err == "resproof: not confirmed: GEN-1: two units: OSError: disk\n"

    def test_a_new_block_passes(self, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert status("new", "mine.py") == 0
        assert "resproof check mine.py:block" in capsys.readouterr().err
        assert status("check", "mine.py:block", "--set", "d=3", "--require", "depth-invariant") == 0
        assert compile((here / "mine.py").read_text(), "mine.py", "exec")

    def test_forms_are_told_for_readers(self, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """Symbols are told apart from weights; a long coefficient is rounded for readers alone."""
        (here / "names.py").write_text(
            "from fractions import Fraction\n"
            "from resproof import Input, Weight, gelu, normal, tanh\n"
            'h, g, A, W = Input("d"), Weight("d"), Weight("d", "k", initial=normal("1/k")), Weight("k", "d")\n'
            'X = Weight("k", "d", initial=normal("1/d"))\n'
            "block = h + g * (A @ gelu(X @ h))\n"
            "fine = h + Weight('d', 'k') @ tanh(W @ h * Fraction(9999950000374997, 10**16))\n"
        )
        one = printed(capsys, "check", "names.py:block", "--set", "d=3", "--depth", "2")
        where, alike, *_ = one["form_lines"]
        assert "dA(1) the change of A in unit 1" in where
        assert "X the data, g and Q the gradient and the Hessian of the loss" in where
        assert "A, X, g by itself is none of the weights called so; A_0 is where A starts" in alike
        assert "gelu(X[a,u] * X_0[i,a])" in "".join(one["form_lines"])
        assert ("A_0[a,b]" in one["diagonal"], "A[" in one["diagonal"]) == (True, False)
        fine = printed(capsys, "check", "names.py:fine", "--set", "d=3", "--depth", "2")
        assert "9999950000374997/10000000000000000 * m^-1" in fine["diagonal"]
        assert "rounded here" in fine["form_lines"][0]
        assert any("= ~0.999995 * m^-1" in line for line in fine["form_lines"])
        assert "9999950000374997" not in "".join(fine["form_lines"])


@pytest.mark.usefixtures("here")
class TestSpectrum:
    def test_of_the_catalogue(self, capsys: pytest.CaptureFixture[str]) -> None:
        one = printed(capsys, *CATALOGUE, "--units", 10**6, "--set", "mid=tanh", "--set", "inner_width=5")
        assert (one["schema_version"], one["units"], one["width"], one["parameters"]) == (1, 10**6, 3, 30 * 10**6)
        assert (one["stationary_order"], one["strict_saddle"]) == (1, True)
        assert [each["multiplicity"] for each in one["eigenvalues"]] == [5 * 10**6] * 6
        assert one["extremes"]["largest"] == -one["extremes"]["smallest"]
        named = TypeAdapter(SpectrumRecord).validate_python(one, strict=False).architecture
        assert named == "n-shortcut (mid=tanh, inner_width=5)"

    def test_a_table_and_a_file(self, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert status(*CATALOGUE, "--json", "new/out.json") == 0
        out = capsys.readouterr().out
        assert "stationary order" in out
        assert "multiplicity" in out
        assert json.loads((here / "new" / "out.json").read_text())["negative"] == 18

    def test_without_data_it_is_on_the_digits(self, capsys: pytest.CaptureFixture[str]) -> None:
        one = printed(capsys, "spectrum", "--architecture", "n-shortcut", "--units", "3", "--set", "inner_width=5")
        assert "digits" in one["data"]["name"]
        assert (one["width"], one["parameters"]) == (10, 3 * 2 * 10 * 5)

    def test_labels_and_one_hot_targets_are_the_same(self, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
        x, labels = np.ones((4, 9)) + np.eye(4, 9), np.arange(9) % 4
        told: list[dict[str, Any]] = []
        for y in (labels, np.eye(4)[labels].T, 0.5 * np.eye(4)[labels].T + 0.125):
            np.savez(here / "data.npz", X=x, Y=y)
            told.append(printed(capsys, *CATALOGUE, "--units", "3", "--loss", "cross-entropy"))
        assert told[0] == told[1] != told[2]
        assert all((one["condition_number"], one["zero_numerical"]) == ("inf", 0) for one in told)

    @pytest.mark.parametrize(("settings", "width"), [((), 3), (("--set", "k=2"), 2)])
    def test_of_a_file(self, settings: tuple[str, ...], width: int, capsys: pytest.CaptureFixture[str]) -> None:
        assert status(*SPECTRUM, "loud.py:block", *settings, "--json", "-") == 0
        out, err = capsys.readouterr()
        one = json.loads(out)
        assert err == "a file may print\n"
        assert (one["architecture"], one["eigenvalues"][0]["multiplicity"]) == ("loud.py:block", 2 * width)
        assert bool(one["notes"]) is not bool(settings)
        assert str(Path.cwd()) not in sys.path

    @pytest.mark.parametrize(
        ("setting", "message"),
        [
            ("mid=relu", "relu has no derivative at 0, and the argument of relu(W1 @ h) is 0"),
            ("post=softplus", "softplus(W2 @ (W1 @ h)) is log(2), not 0"),
        ],
    )
    def test_what_does_not_exist_is_status_1(
        self, setting: str, message: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert status(*CATALOGUE, "--set", setting, "--json", "out.json") == 1
        assert message in capsys.readouterr().err
        assert not Path("out.json").exists()


@pytest.mark.usefixtures("toys")
class TestStatements:
    @pytest.mark.parametrize(
        ("ids", "ends", "said"),
        [
            (["T-proved"], 0, "PROVED   T-proved     Toy T-proved for all R, d"),
            (["T-failed", "T-proved"], 1, "computed 4; claimed 5"),
            (["T-error", "T-proved"], 3, "ERROR    T-error      Toy T-error: two units: ZeroDivisionError: 1/0 | 2"),
        ],
    )
    def test_prove(self, ids: list[str], ends: int, said: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert status("prove", *(word for id_ in ids for word in ("--only", id_))) == ends
        out, err = capsys.readouterr()
        assert said in out
        assert bool(err) is (ends == 3)

    def test_prove_to_json(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert status("prove", "--json", "-") == 1
        out, err = capsys.readouterr()
        assert [one.id for one in Proved.model_validate_json(out).statements] == [one.id for one in TOYS]
        assert err.startswith("resproof: T-error is ERROR (two units: ZeroDivisionError: 1/0 | 2)")
        assert status("prove", "--only", "T-open", "--json", tmp_path / "new" / "out.json") == 0
        assert json.loads((tmp_path / "new" / "out.json").read_text())["statements"][0]["verdict"] == "OPEN"

    def test_report(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        np.savez(tmp_path / "own.npz", X=np.ones((2, 3)), Y=np.zeros((2, 3)))
        data = ("--data", tmp_path / "own.npz")
        assert status("report", "--out", tmp_path / "out", "--seed", "3", "--device", "cpu", "--jobs", "1", *data) == 1
        assert sorted(path.name for path in (tmp_path / "out").iterdir()) == WRITTEN
        results = json.loads((tmp_path / "out" / "results.json").read_text())
        assert (results["seed"], results["data"]) == (3, {"name": "own.npz", "shape": [2, 3]})
        assert "1 PROVED" in capsys.readouterr().out
        index, limits = ((tmp_path / "out" / name).read_text() for name in ("REPORT.md", "LIMITS.md"))
        for text in (index, limits):
            assert "](statements/T-failed.md) is FAILED: two units" in text
        assert r"](statements/T-error.md) is ERROR: two units: ZeroDivisionError: 1/0 \| 2." in limits
        assert "| ERROR | 1 | The program broke" in limits


@pytest.mark.usefixtures("toys")
def test_show_runs_a_proof_where_it_is_asked_to(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("show", "T-repaired", "--run") == 0
    assert "What holds instead (PROVED)" in capsys.readouterr().out


def test_show_and_list_read_what_is_shipped(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("show", "DR-T2.2") == 0
    assert capsys.readouterr().out.startswith("DR-T2.2: ")
    assert status("list") == 0
    assert capsys.readouterr().out.startswith("DR-M1        ")
    assert status("list", "eigenvalue", "Theorem 2") == 0
    assert 0 < capsys.readouterr().out.count("\n") < 20


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert status() == 0
    assert "Commands:" in capsys.readouterr().out
    assert status("--version") == 0
    assert re.fullmatch(r"resproof \d+\.\d+\.\d+\n", capsys.readouterr().out)


def child(code: str, **environment: str) -> str:
    """What a Python of its own prints."""
    command = [sys.executable, "-c", f"{code}\nfrom resproof.cli import main\ntry: main()\nexcept SystemExit: pass\n"]
    return subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, **environment}).stdout


@pytest.mark.parametrize(
    ("arguments", "absent"),
    [
        (["prove", "--only", "nothing"], {"numpy", "sklearn", "matplotlib", "jinja2", "rich"}),
        (["list"], {"numpy", "sympy", "matplotlib", "jinja2", "rich"}),
        (
            ["check", "blocks.py:two", "--json", "-"],
            {"sympy", "scipy", "sklearn", "matplotlib", "jinja2", "torch", "jax"},
        ),
    ],
)
@pytest.mark.usefixtures("here")
def test_a_command_imports_nothing_it_does_not_need(arguments: list[str], absent: set[str]) -> None:
    code = f"import atexit, sys\nsys.argv = ['resproof', *{arguments}]"
    assert child(f"{code}\natexit.register(lambda: print({absent} & set(sys.modules)))").endswith("set()\n")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("resproof sp", {"spectrum"}),
        ("resproof check --req", {"--require"}),
        ("resproof prove --only DR-T2.2", {"DR-T2.2", "DR-T2.2c", "DR-T2.2e", "DR-T2.2n", "DR-T2.2s"}),
        ("resproof show GEN-1", {"GEN-1", "GEN-10", "GEN-11"}),
        ("resproof zz", set()),
    ],
)
def test_a_shell_completes_commands_options_and_ids(words: str, expected: set[str]) -> None:
    """The protocol of click: words and the place of the cursor in the environment, one candidate a line."""
    asked = {"COMP_WORDS": words, "COMP_CWORD": str(words.count(" ")), "_RESPROOF_COMPLETE": "complete_bash"}
    told = set(child("", **asked).split())
    assert expected <= told
    assert all(one.startswith(words.split()[-1]) for one in told)
