"""`resproof check` and `resproof new`: what they find, their JSON, their page, and one line for every wrong use."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from resproof.cli import main
from resproof.proofs.results import Result
from resproof.proofs.statement import Context, Statement
from resproof.reporting.check_record import CHECK_SCHEMA, CheckRecord

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

one = h + W1 @ h
two = h + W2 @ tanh(W1 @ h)
three = h + W3 @ tanh(W2 @ tanh(W1 @ h))
tied = h + W1.T @ tanh(W1 @ h)
attention = h + O @ (V @ h) @ softmax((K @ h).T @ (Q @ h), axis=0, mask=causal_mask())
convolution = h + W1 @ tanh(W2 @ h) @ shift(1) + W1 @ h @ shift(-1) * b
bias = two + b

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


WIDE = """from resproof import Input, Weight
h, W = Input("d"), Weight("d", "k")
block = h + (
    W @ h
)
"""
GIVEN = """from resproof import Input, Weight, normal, tanh
h = Input("d")
W1, W2 = Weight("k", "d", initial=[[1, 2]] * 5), Weight("d", "k")
W3 = Weight("d", "d", initial=normal("1/q"))
block = h + W2 @ tanh(W1 @ h)
drawn = h + Weight("d", "d") @ tanh(W3 @ h)
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "blocks.py").write_text(BLOCKS)
    (tmp_path / "broken.py").write_text("import nothing_of_the_kind")
    (tmp_path / "wide.py").write_text(WIDE)
    (tmp_path / "given.py").write_text(GIVEN)
    x, y = np.random.default_rng(0).standard_normal((2, 3, 7))
    np.savez(tmp_path / "data.npz", X=x, Y=y)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def status(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main([*arguments])
    assert isinstance(ended.value.code, int)
    return ended.value.code


def found(name: str, *more: str, capsys: pytest.CaptureFixture[str], ends: int = 0) -> dict[str, Any]:
    assert status("check", f"blocks.py:{name}", "--set", "d=3", "--depth", "5", *more, "--json", "-") == ends
    return json.loads(capsys.readouterr().out)


REGIMES = {
    "one": (1, "grows with depth", {"W1": 1}),
    "two": (2, "depth-invariant", {"W1": 2, "W2": 2}),
    "three": (3, "flat", {"W1": 3, "W2": 3, "W3": 3}),
    "tied": (2, "depth-invariant", {"W1": 2}),
    "attention": (2, "depth-invariant", {"Q": 4, "K": 4, "V": 2, "O": 2}),
    "convolution": (2, "depth-invariant", {"W1": 2, "W2": 2, "b": 2}),
    "bias": (1, "grows with depth", {"W1": 2, "W2": 2, "b": 1}),
}


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("name", REGIMES)
def test_regimes(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    order, regime, degrees = REGIMES[name]
    one = found(name, capsys=capsys)
    assert (one["branch_order"], one["regime"]) == (order, regime)
    assert {w["name"]: w["degree"] for w in one["weights"]} == degrees
    assert one["depth_invariant"] is (regime != "grows with depth")
    verdicts = {each["id"]: each["verdict"] for each in one["statements"]}
    assert verdicts["GEN-1"] == verdicts["GEN-2"] == "PROVED"
    assert verdicts["GEN-3"] == (None if order > 1 else "OBSERVED")
    assert verdicts["GEN-5"] == (None if order == 1 else "PROVED")
    assert one["verdict"].startswith(f"blocks.py:{name}: ")
    assert one["holds"]


@pytest.mark.usefixtures("here")
def test_the_depth_law_bounds_every_condition_number(capsys: pytest.CaptureFixture[str]) -> None:
    one = found("one", "--depth", "40", capsys=capsys)
    assert [row["units"] for row in one["depths"]] == [1, 4, 16, 40]
    assert one["depths"][0]["bound"] is None
    growth = one["growth"]
    for row in one["depths"][1:]:
        expected = row["units"] // 2 * growth["norm_a"] / growth["norm_difference"]
        assert row["bound"] == pytest.approx(expected, rel=1e-12)
        assert row["pseudo_condition_number"] >= row["bound"]


@pytest.mark.usefixtures("here")
def test_what_changes_if_one_weight_starts_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    elsewhere = {w["weight"]: (w["order"], w["regime"]) for w in found("three", capsys=capsys)["alternatives"]}
    assert elsewhere == dict.fromkeys(("W1", "W2", "W3"), (2, "depth-invariant"))
    only = found("one", capsys=capsys)["alternatives"][0]
    assert only["regime"] is None
    assert "W1 @ h is W1[i,a] * X[a,u], not 0" in only["reason"]


@pytest.mark.usefixtures("here")
def test_null_directions_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    one = found("attention", capsys=capsys)
    assert [w["name"] for w in one["weights"] if w["null"]] == ["Q", "K"]
    assert one["spectrum"]["absent"] == ["Q", "K"]
    assert one["condition_number"] == "inf"


FAILING = {
    "plain": "the unit is not the identity at its initial point: W1 @ tanh(W2 @ h)",
    "layered": "h is added 2 times",
    "scaled": "R1 @ h is R1[i,a] * X[a,u], not 0",
    "gated": "W1 @ h is X[i,u], not 0",
    "kinked": "relu(W1 @ h)",
}


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("name", FAILING)
def test_failing_hypotheses_are_explained(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    one = found(name, capsys=capsys, ends=1)
    assert FAILING[name] in one["reason"]
    assert one["reason"] in one["verdict"]
    assert not one["holds"]
    assert one["spectrum"] is None
    assert one["statements"] == []


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
def test_requirements(name: str, asked: str, ends: int, capsys: pytest.CaptureFixture[str]) -> None:
    (one,) = found(name, "--require", asked, capsys=capsys, ends=ends)["requirements"]
    assert one["holds"] is (ends == 0)
    assert bool(one["reason"]) is not one["holds"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.py:two"], "missing.py: cannot be read"),
        (["broken.py:two"], "broken.py, line 1: fails with ModuleNotFoundError"),
        (["wide.py:block"], "wide.py, line 4: fails with ArchitectureError: W1 @ h"),
        (["given.py:block", "--set", "k=9"], "--set k=9): the initial values of W1 have 5 for k"),
        (["given.py:drawn"], "given.py: drawn: the variance of W3 is 1/q; expected a number, or a dimension among d"),
        (["blocks.py:two", "--input", "3x4"], "--input (example_input): blocks.py:two is an expression"),
        (["blocks.py:two", "--evaluation"], "--evaluation: blocks.py:two is an expression; expected a module"),
        (["blocks.py:two", "--set", "t=3"], "--set t: is no dimension of blocks.py:two; expected one of d"),
        (["blocks.py:nothing"], "has no nothing; its expressions are"),
        (["blocks.py"], "expected FILE.py:NAME"),
        (["blocks.py:number"], "number is an int; expected an expression"),
        (["blocks.py:narrow"], "the input has shape (d, t); expected the same shape"),
        (["blocks.py:constant"], "0 inputs; expected exactly one Input"),
        (["blocks.py:enormous"], "has about 10^12 nodes; expected at most"),
        (["blocks.py:two", "--require", "order"], "--require order: is unknown"),
        (["blocks.py:two", "--loss", "absolute"], "absolute"),
        (["blocks.py:two", "--set", "e=3"], "--set e: is no dimension of"),
        (["blocks.py:two", "--data", "nothing.npz"], "nothing.npz: cannot be read"),
        (["blocks.py:attention", "--data", "data.npz"], "the unit mixes columns, which are tokens"),
        (["blocks.py:two", "--data", "data.npz", "--set", "d=4"], "the dimension d is 4 here and 3 elsewhere"),
        (["blocks.py:two", "--depth", "0"], "0"),
        (["blocks.py:two", "--memory", "much"], "expected a number of bytes such as"),
        (["blocks.py:two", "--memory", "100K"], "need 640 kB; memory allows 100 kB, enough for 15 units"),
        (["blocks.py:two", "--depth", "1000000000", "--memory", "1G"], "enough for 156250 units"),
        (["blocks.py:two", "--json", "."], "it is a folder"),
        (["blocks.py:two", "--out", "blocks.py"], "blocks.py"),
    ],
)
def test_bad_input(here: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(here.iterdir())
    assert status("check", *arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.startswith("resproof: ")
    assert err.count("\n") == 1
    assert sorted(set(here.iterdir()) - {here / "__pycache__"}) == before


@pytest.mark.usefixtures("here")
def test_tables_and_page(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, ends in (("two", 0), ("one", 0), ("three", 0), ("plain", 1)):
        assert status("check", f"blocks.py:{name}", "--set", "d=3", "--depth", "9", "--out", "pages") == ends
        out = capsys.readouterr().out
        assert out.rstrip().splitlines()[-1].startswith(f"blocks.py:{name}: ")
        page = (here / "pages" / f"{name}.md").read_text()
        assert page.startswith(f"# blocks.py:{name}\n")
        assert f"]({name}.svg)" in page or name == "plain"
        assert (here / "pages" / f"{name}.svg").exists() is (name != "plain")


@pytest.mark.usefixtures("here")
def test_the_data_given_are_those_used(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("check", "blocks.py:two", "--data", "data.npz", "--json", "-") == 0
    one = json.loads(capsys.readouterr().out)
    assert one["data"] == {"name": "data.npz", "shape": [3, 7]}
    with np.load("data.npz") as data:
        x, y = data["X"], data["Y"]
    sigma = np.linalg.svd((x - y) @ x.T / 7, compute_uv=False)
    assert one["pseudo_condition_number"] == pytest.approx(sigma[0] / sigma[-1], rel=1e-9)


@pytest.mark.usefixtures("here")
def test_the_schema_is_shipped(capsys: pytest.CaptureFixture[str]) -> None:
    assert CHECK_SCHEMA.read_text(encoding="utf-8") == CheckRecord.described(), (
        "run python -m resproof.reporting.schema"
    )
    assert CheckRecord.model_validate(found("two", capsys=capsys)).holds


def test_a_new_block_passes_the_check(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status("new", "mine.py") == 0
    assert "resproof check mine.py:block" in capsys.readouterr().err
    assert status("check", "mine.py:block", "--set", "d=3", "--require", "depth-invariant") == 0
    assert compile((here / "mine.py").read_text(), "mine.py", "exec")


@pytest.mark.parametrize(
    ("name", "message"),
    [("blocks.py", "is there already"), ("block.txt", "is no Python file"), ("data.npz/new.py", "cannot be written")],
)
def test_a_new_block_replaces_nothing(here: Path, name: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.read_bytes() for path in here.iterdir() if path.is_file()}
    assert status("new", name) == 2
    assert message in capsys.readouterr().err
    assert {path: path.read_bytes() for path in here.iterdir() if path.is_file()} == before


@pytest.mark.usefixtures("here")
def test_a_statement_that_broke_is_status_3(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(one: Statement, _: Context) -> Result:
        return Result(one.id, "ERROR", "", False, 0.0, reason="two units: OSError: disk")

    monkeypatch.setattr("resproof.proofs.block.check.run", broken)
    assert status("check", "blocks.py:two", "--set", "d=3", "--depth", "2", "--require", "depth-invariant") == 3
    out, err = capsys.readouterr()
    assert "not confirmed: GEN-1: two units: OSError: disk" in out
    assert err == "resproof: not confirmed: GEN-1: two units: OSError: disk\n"


def test_out_is_made_where_something_is_written_alone(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status("check", "broken.py:two", "--out", "deep/page") == 2
    assert not (here / "deep").exists()
    assert status("check", "blocks.py:two", "--set", "d=3", "--depth", "2", "--out", "deep/page") == 0
    assert list((here / "deep" / "page").glob("*.md"))
    assert "written" in capsys.readouterr().err


def test_a_template_makes_no_folder(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status("new", "nowhere/mine.py") == 2
    assert (
        capsys.readouterr().err == "resproof: nowhere/mine.py: there is no folder nowhere; expected one that is there\n"
    )
    assert not (here / "nowhere").exists()


def test_an_unknown_architecture_is_told_before_the_data(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("spectrum", "--architecture", "nosuch") == 2
    assert "--architecture nosuch: is unknown; expected one of " in capsys.readouterr().err


def test_symbols_are_told_apart_from_weights(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "names.py").write_text(
        "from resproof import Input, Weight, gelu, normal\n"
        'h, g, A, W = Input("d"), Weight("d"), Weight("d", "k", initial=normal("1/k")), Weight("k", "d")\n'
        'X = Weight("k", "d", initial=normal("1/d"))\n'
        "block = h + g * (A @ gelu(X @ h))\n"
        "plain = h + A.T.T @ gelu(W @ h)\n"
    )
    assert status("check", "names.py:block", "--set", "d=3", "--depth", "2", "--json", "-") == 0
    found = json.loads(capsys.readouterr().out)
    where, alike, *_ = found["form_lines"]
    assert "dA(1) the change of A in unit 1" in where
    assert "X the data, g and Q the gradient and the Hessian of the loss" in where
    assert "A, X, g by itself is none of the weights called so; A_0 is where A starts" in alike
    assert "gelu(X[a,u] * X_0[i,a])" in "".join(found["form_lines"])
    assert "A_0[a,b]" in found["diagonal"]
    assert "A[" not in found["diagonal"]


def test_a_long_coefficient_is_rounded_for_readers_alone(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "fine.py").write_text(
        "from fractions import Fraction\n"
        "from resproof import Input, Weight, tanh\n"
        'h, V, W = Input("d"), Weight("k", "d"), Weight("d", "k")\n'
        "block = h + W @ tanh(V @ h * Fraction(9999950000374997, 10**16))\n"
    )
    assert status("check", "fine.py:block", "--set", "d=3", "--depth", "2", "--json", "-") == 0
    found = json.loads(capsys.readouterr().out)
    assert "9999950000374997/10000000000000000 * m^-1" in found["diagonal"]
    assert "rounded here" in found["form_lines"][0]
    assert any("= ~0.999995 * m^-1" in line for line in found["form_lines"])
    assert "9999950000374997" not in "".join(found["form_lines"])
