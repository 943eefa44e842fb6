"""Bad input is a table: what is wrong, and the nearest input that is right; what is said stands in bad_input.json.

The library raises an error of one line that says what was given and what is expected; the command line ends with
status 2, that line on stderr, nothing on stdout and no file written. `BAD_INPUT=update pytest tests/test_bad_input.py`
writes the file anew.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias, cast

import numpy as np
import pytest

from resproof.architectures.activations import activation, generic, polynomial, tanh
from resproof.architectures.algebra import batch_norm, causal_mask, identity, layer_norm, shift, softmax
from resproof.architectures.catalogue import attention, biased, n_shortcut
from resproof.architectures.errors import ArchitectureError
from resproof.architectures.files import LARGEST
from resproof.architectures.losses import loss, squared
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Constant, Input, Softmax, Weight, as_expression, describe
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import identity_initial, normal
from resproof.cli import main
from resproof.numeric.backend import DeviceError, device, ops
from resproof.numeric.data import DataError, bind
from resproof.numeric.network.adjoint import gradient, hvp, value
from resproof.numeric.network.parameters import random_weights
from resproof.proofs.registry import UnknownStatementError, find
from resproof.symbolic.written.explicit import Instance, stationary_order
from tests.proofs.toys import TOYS, only

h, w, wide = Input("d"), Weight("d", "d"), Weight("k", "d")
UNIT, TOKENS = ResidualUnit(n_shortcut(2)), ResidualUnit(attention())
TWO = Network(UNIT, 2)
X = np.ones((3, 7))
SAID = Path(__file__).with_name("bad_input.json")
Case: TypeAlias = tuple[Callable[[], object], Callable[[], object]]


def on(x: Any, y: Any = None, network: Network = TWO) -> float:
    """The loss on the data; the targets are the inputs unless given."""
    tokens = network.unit.mixes_columns
    sizes = {"d": 3, "t": 4, "k": 2} if tokens else {"d": 3}
    weights = random_weights(network.unit, network.units, sizes, ops(np))
    return value(network, weights, x, x if y is None else y)


def directed(weights: Any, function: Any = gradient) -> Any:
    direction = {"W1": np.ones((2, 3, 3)), "W2": np.ones((2, 3, 3))}
    return function(TWO, weights, direction, X, X) if function is hvp else function(TWO, weights, X, X)


FULL = {"W1": np.zeros((2, 3, 3)), "W2": np.zeros((2, 3, 3))}


def wrong(value: object) -> Any:
    """A value that the annotations forbid."""
    return cast("Any", value)


# What is wrong, and the nearest input that is right.
EXPRESSIONS: dict[str, Case] = {
    "product that does not fit": (lambda: h + w @ (wide @ h), lambda: h + wide.T @ (wide @ h)),
    "sum that does not fit": (lambda: h + wide @ h, lambda: h + w @ h),
    "elementwise product that does not fit": (lambda: h * (wide @ h), lambda: h * (w @ h)),
    "float": (lambda: h + wrong(0.5) * (w @ h), lambda: h * 2),
    "float without a near fraction": (lambda: h * wrong(float("nan")), lambda: h * Fraction(1, 3)),
    "float of NumPy": (lambda: h * wrong(np.float64(0.25)), lambda: h * Fraction(1, 4)),
    "truth value": (lambda: h * True, lambda: h * 1),
    "array as a constant": (lambda: h + wrong(np.eye(30)), lambda: h + w @ h),
    "text as an operand": (lambda: tanh(wrong("h")), lambda: tanh(h)),
    "number as a matrix": (lambda: h @ wrong(2), lambda: h @ h.T),
    "float in a constant": (lambda: Constant(wrong(0.5)), lambda: Constant(Fraction(1, 2))),
    "number beyond floats": (lambda: Constant(10**400), lambda: Constant(10**300)),
    "number below floats": (lambda: Fraction(1, 10**400) * h, lambda: Fraction(1, 10**300) * h),
    "coefficient beyond floats": (lambda: polynomial(0, -(10**400)), lambda: polynomial(0, -(10**300))),
    "unknown pattern": (lambda: Constant("upper", "t", "t"), lambda: Constant("causal", "t", "t")),
    "pattern that is not square": (lambda: Constant("identity", 1, 2), lambda: identity(2)),
    "enormous shift": (lambda: shift(10**9), lambda: shift(10**8)),
    "enormous dimension": (lambda: Weight("d", 10**9), lambda: Weight("d", 10**9 - 1)),
    "dimension named as the samples": (
        lambda: ResidualUnit(h + Weight("d", "m") @ Weight("m", "d") @ h),
        lambda: ResidualUnit(Input("d", "m") + Weight("d")),
    ),
    "empty dimension": (lambda: Weight(0, "d"), lambda: Weight(1, "d")),
    "negative dimension": (lambda: Input(-3), lambda: Input(3)),
    "fractional dimension": (lambda: Input(wrong(2.5)), lambda: Input(2)),
    "dimension that is no name": (lambda: Input("d 1"), lambda: Input("d1")),
    "initial value": (
        lambda: Weight("d", "d", initial=wrong(0.1)),
        lambda: Weight("d", "d", initial=normal(Fraction(1, 10))),
    ),
    "oblong identity": (
        lambda: Weight("k", "d", initial=identity_initial),
        lambda: Weight("d", "d", initial=identity_initial),
    ),
    "weight's name": (lambda: Weight("d", "d", name="W 1"), lambda: Weight("d", "d", name="W1")),
    "float variance": (lambda: normal(wrong(0.1)), lambda: normal(Fraction(1, 10))),
    "negative variance": (lambda: normal(-1), lambda: normal(1)),
    "variance by zero": (lambda: normal("1/0"), lambda: normal("1/2")),
    "variance without a slash": (lambda: normal("d"), lambda: normal("2/d")),
    "softmax axis": (lambda: softmax(h, wrong(2)), lambda: softmax(h, 1)),
    "norm axis": (lambda: layer_norm(h, wrong("0")), lambda: layer_norm(h)),
    "float epsilon": (lambda: layer_norm(h, epsilon=wrong(1e-5)), lambda: layer_norm(h, epsilon=Fraction(1, 10**5))),
    "mask of another shape": (
        lambda: softmax(h, 0, mask=causal_mask()),
        lambda: softmax(h.T @ h, 0, mask=causal_mask()),
    ),
    "mask that is trained": (
        lambda: Softmax(h.T @ h, 0, wrong(Weight("t", "t"))),
        lambda: Softmax(h.T @ h, 0, causal_mask()),
    ),
    "half a step": (lambda: shift(wrong(0.5)), lambda: shift(-1)),
    "BatchNorm": (lambda: h + w @ batch_norm(h), lambda: h + w @ layer_norm(h)),
    "too few variances": (
        lambda: batch_norm(Input(3), mean=[0, 0, 0], variance=[1, 1]),
        lambda: batch_norm(Input(3), mean=[0, 0, 0], variance=[1, 1, 1]),
    ),
    "a matrix of means": (
        lambda: batch_norm(h, mean=[[0, 1]], variance=[1]),
        lambda: batch_norm(h, mean=[0], variance=[1]),
    ),
    "no variance": (
        lambda: batch_norm(h, mean=[0], variance=[0]),
        lambda: batch_norm(h, mean=[0], variance=[0], epsilon=Fraction(1, 10**5)),
    ),
    "unknown activation": (lambda: activation("mish"), lambda: activation("silu")),
    "unknown loss": (lambda: loss("hinge"), lambda: loss("squared")),
    "activation by its name": (lambda: n_shortcut(2, mid=wrong("tanh")), lambda: n_shortcut(2, tanh)),
    "activation that is a function": (lambda: biased(wrong(np.tanh)), lambda: biased(tanh)),
    "no shortcut depth": (lambda: n_shortcut(0), lambda: n_shortcut(1)),
    "fractional depth": (lambda: n_shortcut(wrong(2.0)), lambda: n_shortcut(2)),
    "float coefficient": (lambda: polynomial(0, wrong(0.5)), lambda: polynomial(0, 1)),
    "float value at zero": (lambda: generic("f", at_zero=wrong(0.5)), lambda: generic("f", at_zero=Fraction(1, 2))),
    "no input": (lambda: ResidualUnit(w @ w), lambda: ResidualUnit(w @ h)),
    "two inputs": (lambda: ResidualUnit(h + Input("d")), lambda: ResidualUnit(h + h)),
    "another shape comes out": (lambda: ResidualUnit(wide @ h), lambda: ResidualUnit(wide.T @ (wide @ h))),
    "unit of a function": (lambda: ResidualUnit(wrong(n_shortcut)), lambda: UNIT),
    "no units": (lambda: Network(UNIT, 0), lambda: Network(UNIT, 1)),
    "negative units": (lambda: Network(UNIT, -1), lambda: Network(UNIT, 1)),
    "half a unit": (lambda: Network(UNIT, wrong(1.5)), lambda: Network(UNIT, 10**6)),
    "network of an expression": (lambda: Network(wrong(n_shortcut(1)), 2), lambda: TWO),
    "loss by its name": (lambda: Network(UNIT, 2, wrong("squared")), lambda: Network(UNIT, 2, squared)),
    "rational data of the wrong width": (
        lambda: stationary_order(TWO, {"d": 2}, up_to=1, data=Instance([[1]], [[1]])),
        lambda: stationary_order(TWO, {"d": 1}, up_to=1, data=Instance([[1]], [[1]])),
    ),
    "rational data without samples": (
        lambda: stationary_order(TWO, {"d": 1}, up_to=1, data=Instance([[]], [[]])),
        lambda: stationary_order(TWO, {"d": 1}, up_to=1, data=Instance([[1]], [[2]])),
    ),
}
DATA: dict[str, Case] = {
    "two dimensions for tokens": (
        lambda: on(X, network=Network(TOKENS, 2)),
        lambda: on(np.ones((2, 3, 4)), network=Network(TOKENS, 2)),
    ),
    "three dimensions for samples": (lambda: on(np.ones((2, 3, 4))), lambda: on(X)),
    "shapes that differ": (lambda: on(X, X[:, :6]), lambda: on(X, 2 * X)),
    "not a number": (lambda: on(np.nan * X), lambda: on(X)),
    "infinity": (lambda: on(X, np.inf * X), lambda: on(X)),
    "no samples": (lambda: on(X[:, :0]), lambda: on(X[:, :1])),
    "one dimension": (lambda: on(X[:, 0]), lambda: on(X[:, :1])),
    "objects": (lambda: on(np.full((3, 7), Fraction(1, 2))), lambda: on(X.astype(int))),
    "complex": (lambda: on(1j * X), lambda: on(X.astype(bool))),
    "ragged lists": (lambda: on([[1, 2], [3], [4]]), lambda: on([[1, 2], [3, 4], [5, 6]])),
    "no array": (lambda: on("X"), lambda: on(X.tolist())),
    "width that differs": (lambda: bind("f", UNIT, X, {"d": 4}), lambda: bind("f", UNIT, X)),
    "missing weight": (lambda: directed({"W1": FULL["W1"]}), lambda: directed(FULL)),
    "weights of another depth": (
        lambda: directed({k: a[:1] for k, a in FULL.items()}, hvp),
        lambda: directed(FULL, hvp),
    ),
    "weights that are not finite": (lambda: directed({**FULL, "W2": np.nan * FULL["W2"]}), lambda: directed(FULL)),
}
OTHERS: dict[str, Case] = {
    "unknown device": (lambda: device("tpu"), lambda: device("auto")),
    "unknown statement": (lambda: find(["DR-T2.9"]), lambda: find(["DR-T2.2"])),
}


@pytest.mark.parametrize("name", [*EXPRESSIONS, *DATA, *OTHERS])
def test_the_library_says_it_in_one_line(name: str) -> None:
    bad, good = (EXPRESSIONS | DATA | OTHERS)[name]
    kind = (
        ArchitectureError
        if name in EXPRESSIONS
        else DataError
        if name in DATA
        else (DeviceError, UnknownStatementError)
    )
    with pytest.raises(kind) as caught:
        bad()
    same(name, str(caught.value))
    good()


def same(name: str, said: str) -> None:
    """What is said of it is one line, as it was, places of files and objects aside."""
    said = re.sub(r" at 0x[0-9a-f]+", " at 0x...", said.replace(f"{Path.cwd()}/", ""))
    assert "\n" not in said
    assert len(said) < 200
    if os.environ.get("BAD_INPUT") == "update":
        known = json.loads(SAID.read_text("utf-8")) | {name: said}
        SAID.write_text(json.dumps(known, indent=0, sort_keys=True, ensure_ascii=False) + "\n", "utf-8")
    assert json.loads(SAID.read_text("utf-8"))[name] == said


def test_a_value_is_shown_on_one_short_line() -> None:
    assert describe([1, 2]) == "[1, 2]"
    assert describe("x" * 100) == f"'{'x' * 56}..."
    assert as_expression(h) is h


# Files and commands.

BLOCK = """
from resproof import Input, Weight
h, W1, W2 = Input("d"), Weight("d", "d"), Weight("d", "d")
block = h + W2 @ (W1 @ h)
"""
FILES: dict[str, Callable[[Path], object]] = {
    "a pipe": os.mkfifo,
    "a folder": Path.mkdir,
    "a device": lambda p: p.symlink_to("/dev/zero"),
    "too large": lambda p: p.write_text("#" * (LARGEST + 1)),
    "not UTF-8": lambda p: p.write_bytes(b"x = '\xff'"),
    "null bytes": lambda p: p.write_bytes(b"x = 1\0"),
    "an unknown encoding": lambda p: p.write_text("# coding: none\n"),
    "an exit": lambda p: p.write_text("import sys\nsys.exit(0)"),
    "an exception of its own": lambda p: p.write_text("class E(BaseException): pass\nraise E('a\\nb')"),
    "no memory": lambda p: p.write_text("raise MemoryError"),
    "nothing": lambda p: None,
    "no block": lambda p: p.write_text("bloc = 1"),
}
REPORT = "report --out out --device cpu"
COMMANDS = {
    "no data file": f"{REPORT} --data none.npz",
    "folder as data": f"{REPORT} --data folder",
    "text as data": f"{REPORT} --data file",
    "file that is not of numbers": f"{REPORT} --data nan.npz",
    "file for a folder": "report --out file",
    "folder below a file": "report --out file/out",
    "unknown device, asked for": "report --device tpu --out out",
    "negative seed": f"{REPORT} --seed -1",
    "seed in words": f"{REPORT} --seed one",
    "no jobs": f"{REPORT} --jobs 0",
    "fractional jobs": f"{REPORT} --jobs 1.0",
    "a limit that is none": "prove --timeout 0",
    "no unit of memory": f"{REPORT} --memory 3T",
    "statement that is unknown": "prove --only T-prooved",
    "statement in another case": "prove --only t-proved",
    "nothing like a statement": "prove --only xyz",
    "json onto a folder": "prove --json folder",
    "json below a file": "prove --json file/x.json",
    "no such requirement": "check block.py:block --require none",
    "unknown command": "verify",
    "unknown option": "list --all",
}
GOOD = (
    f"{REPORT} --data good.npz --seed 1 --jobs 1",
    "report --out folder --memory 3G",
    "prove --only T-proved --json folder/x.json",
    "prove --only T-proved-n_shortcut",
    "check block.py:block --set d=2 --depth 2 --require order>=1",
    "list",
)
Run: TypeAlias = Callable[[str], tuple[int, str, str]]


@pytest.fixture
def command(
    tmp_path: Path, without_figures: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Runs a command line over one quick statement, among files good and bad: status, stdout, stderr."""
    only(TOYS[:1], monkeypatch.setattr)
    monkeypatch.chdir(tmp_path)
    np.savez("good.npz", X=X, Y=0 * X)
    np.savez("nan.npz", X=np.nan * X, Y=X)
    for name, text in {"file": "kept", "block.py": BLOCK}.items():
        Path(name).write_text(text)
    Path("folder").mkdir()

    def run(line: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(line.split())
        assert isinstance(ended.value.code, int)
        out, err = capsys.readouterr()
        return ended.value.code, out, err

    return run


@pytest.mark.parametrize("name", [*COMMANDS, *(f"{name} as FILE.py" for name in FILES)])
def test_the_command_line_ends_with_status_2(name: str, command: Run) -> None:
    if make := FILES.get(name.removesuffix(" as FILE.py")):
        _ = make(Path("a.py"))
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    status, out, err = command(COMMANDS.get(name, "check a.py:block"))
    assert (status, out) == (2, "")
    assert err.startswith("resproof: ")
    assert err.endswith("\n")
    same(name, err.removeprefix("resproof: ").removesuffix("\n"))
    assert {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()} == before
    assert not Path("out").exists()


@pytest.mark.parametrize("line", GOOD)
def test_the_nearest_good_command_is_carried_out(line: str, command: Run) -> None:
    assert command(line)[0] == 0


def test_cuda_without_a_gpu(command: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("resproof.numeric.backend._no_gpu", lambda: "there is no CUDA device")
    status, out, err = command("report --out out --device cuda")
    assert (status, out) == (2, "")
    assert err == "resproof: device: cuda was asked for, but there is no CUDA device; expected cpu or auto here\n"
    assert not Path("out").exists()
    assert command("report --out out --device auto")[0] == 0
    assert "auto: there is no CUDA device" in Path("out", "LIMITS.md").read_text()
