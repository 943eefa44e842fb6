"""Bad input is a table: what is wrong, what is said, and the nearest input that is right.

The library raises an error of one line that says what was given and what is expected; the command line ends with
status 2, that line on stderr, nothing on stdout and no file written.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from resproof.architectures.activations import activation, generic, polynomial, tanh
from resproof.architectures.algebra import batch_norm, causal_mask, identity, layer_norm, shift, softmax
from resproof.architectures.catalogue import attention, biased, n_shortcut
from resproof.architectures.errors import ArchitectureError
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
from resproof.reporting.data import read_npz
from resproof.reporting.files import OutputError, check_target, check_writable, write
from resproof.symbolic.written.explicit import Instance, stationary_order
from tests.proofs.toys import TOYS, table_of

h, w, wide = Input("d"), Weight("d", "d"), Weight("k", "d")
UNIT, TOKENS = ResidualUnit(n_shortcut(2)), ResidualUnit(attention())
TWO = Network(UNIT, 2)
X = np.ones((3, 7))


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


@dataclass(frozen=True)
class Case:
    """Bad input, what is said of it, and its nearest good neighbour."""

    bad: Callable[[], object]
    message: str
    good: Callable[[], object]
    error: type[Exception] = ArchitectureError


def wrong(value: object) -> Any:
    """A value that the annotations forbid."""
    return cast("Any", value)


LIBRARY = {
    # Expressions, when they are built.
    "product that does not fit": Case(
        lambda: h + w @ (wide @ h),
        "W1 @ (W2 @ h): the left has shape (d, d), the right (k, t); expected the columns on the left to equal",
        lambda: h + wide.T @ (wide @ h),
    ),
    "sum that does not fit": Case(
        lambda: h + wide @ h,
        "h + W1 @ h: the left has shape (d, t), the right (k, t); expected equal dimensions, or 1",
        lambda: h + w @ h,
    ),
    "elementwise product that does not fit": Case(
        lambda: h * (wide @ h), "h * (W1 @ h): the left has shape (d, t)", lambda: h * (w @ h)
    ),
    "float": Case(
        lambda: h + wrong(0.5) * (w @ h),
        "0.5 is a float; expected an int or a Fraction, e.g. Fraction(1, 2)",
        lambda: h * 2,
    ),
    "float without a near fraction": Case(
        lambda: h * wrong(float("nan")), "nan is a float", lambda: h * Fraction(1, 3)
    ),
    "float of NumPy": Case(lambda: h * wrong(np.float64(0.25)), "e.g. Fraction(1, 4)", lambda: h * Fraction(1, 4)),
    "truth value": Case(lambda: h * True, "True is a bool; expected an expression", lambda: h * 1),
    "array as a constant": Case(
        lambda: h + wrong(np.eye(30)), "is a ndarray; expected an expression, an int or a Fraction", lambda: h + w @ h
    ),
    "text as an operand": Case(lambda: tanh(wrong("h")), "'h' is a str; expected an expression", lambda: tanh(h)),
    "number as a matrix": Case(lambda: h @ wrong(2), "@: an operand is 2; expected an expression", lambda: h @ h.T),
    "float in a constant": Case(
        lambda: Constant(wrong(0.5)),
        "the value is 0.5; expected an int or a Fraction",
        lambda: Constant(Fraction(1, 2)),
    ),
    "number beyond floats": Case(
        lambda: Constant(10**400), "the value is about 10^400; expected 0 or a modulus", lambda: Constant(10**300)
    ),
    "number below floats": Case(
        lambda: Fraction(1, 10**400) * h, "the value is about 10^-400; expected", lambda: Fraction(1, 10**300) * h
    ),
    "coefficient beyond floats": Case(
        lambda: polynomial(0, -(10**400)), "a coefficient is about -10^400", lambda: polynomial(0, -(10**300))
    ),
    "unknown pattern": Case(
        lambda: Constant("upper", "t", "t"), "the pattern is 'upper'; expected", lambda: Constant("causal", "t", "t")
    ),
    "pattern that is not square": Case(
        lambda: Constant("identity", 1, 2), '"identity" of shape (1, 2); expected a square', lambda: identity(2)
    ),
    "enormous shift": Case(lambda: shift(10**9), "steps is 1000000000; expected", lambda: shift(10**8)),
    "enormous dimension": Case(
        lambda: Weight("d", 10**9), "a dimension is 1000000000; expected", lambda: Weight("d", 10**9 - 1)
    ),
    "dimension named as the samples": Case(
        lambda: ResidualUnit(h + Weight("d", "m") @ Weight("m", "d") @ h),
        "m is the number of samples; expected another name",
        lambda: ResidualUnit(Input("d", "m") + Weight("d")),
    ),
    "empty dimension": Case(lambda: Weight(0, "d"), "Weight: a dimension is 0; expected", lambda: Weight(1, "d")),
    "negative dimension": Case(lambda: Input(-3), "Input: a dimension is -3; expected", lambda: Input(3)),
    "fractional dimension": Case(lambda: Input(wrong(2.5)), "Input: a dimension is 2.5", lambda: Input(2)),
    "dimension that is no name": Case(lambda: Input("d 1"), "a dimension is 'd 1'", lambda: Input("d1")),
    "initial value": Case(
        lambda: Weight("d", "d", initial=wrong(0.1)),
        "initial is 0.1; expected zero, ones, identity_initial, normal(variance) or an array",
        lambda: Weight("d", "d", initial=normal(Fraction(1, 10))),
    ),
    "oblong identity": Case(
        lambda: Weight("k", "d", initial=identity_initial),
        "an identity of shape (k, d); expected a square one",
        lambda: Weight("d", "d", initial=identity_initial),
    ),
    "weight's name": Case(
        lambda: Weight("d", "d", name="W 1"), "name is 'W 1'; expected a name", lambda: Weight("d", "d", name="W1")
    ),
    "float variance": Case(
        lambda: normal(wrong(0.1)),
        "normal: takes an exact variance: normal(Fraction(1, 10)) for 0.1",
        lambda: normal(Fraction(1, 10)),
    ),
    "negative variance": Case(lambda: normal(-1), "variance is -1; expected a positive", lambda: normal(1)),
    "variance by zero": Case(lambda: normal("1/0"), "variance is '1/0'", lambda: normal("1/2")),
    "variance without a slash": Case(lambda: normal("d"), "variance is 'd'", lambda: normal("2/d")),
    "softmax axis": Case(lambda: softmax(h, wrong(2)), "softmax: axis is 2; expected 0", lambda: softmax(h, 1)),
    "norm axis": Case(lambda: layer_norm(h, wrong("0")), "normalise: axis is '0'; expected 0", lambda: layer_norm(h)),
    "float epsilon": Case(
        lambda: layer_norm(h, epsilon=wrong(1e-5)),
        "epsilon is 1e-05; expected an int or a Fraction",
        lambda: layer_norm(h, epsilon=Fraction(1, 10**5)),
    ),
    "mask of another shape": Case(
        lambda: softmax(h, 0, mask=causal_mask()),
        "the mask is causal_mask() of shape (t, t); expected a Constant of shape (d, t)",
        lambda: softmax(h.T @ h, 0, mask=causal_mask()),
    ),
    "mask that is trained": Case(
        lambda: Softmax(h.T @ h, 0, wrong(Weight("t", "t"))),
        "the mask is W1 of shape (t, t); expected a Constant",
        lambda: Softmax(h.T @ h, 0, causal_mask()),
    ),
    "half a step": Case(lambda: shift(wrong(0.5)), "shift: steps is 0.5; expected an int", lambda: shift(-1)),
    "BatchNorm": Case(
        lambda: h + w @ batch_norm(h),
        "BatchNorm couples the samples; expected layer_norm or rms_norm",
        lambda: h + w @ layer_norm(h),
    ),
    "too few variances": Case(
        lambda: batch_norm(Input(3), mean=[0, 0, 0], variance=[1, 1]),
        "3 means and 2 variances; expected one of both for each of 3",
        lambda: batch_norm(Input(3), mean=[0, 0, 0], variance=[1, 1, 1]),
    ),
    "a matrix of means": Case(
        lambda: batch_norm(h, mean=[[0, 1]], variance=[1]),
        "mean is [[0, 1]]; expected a list of finite numbers",
        lambda: batch_norm(h, mean=[0], variance=[1]),
    ),
    "no variance": Case(
        lambda: batch_norm(h, mean=[0], variance=[0]),
        "variance + epsilon is 0.0; expected more than 0",
        lambda: batch_norm(h, mean=[0], variance=[0], epsilon=Fraction(1, 10**5)),
    ),
    # Names and numbers of the catalogue.
    "unknown activation": Case(
        lambda: activation("mish"), "'mish' is unknown; expected one of identity, tanh", lambda: activation("silu")
    ),
    "unknown loss": Case(
        lambda: loss("hinge"), "'hinge' is unknown; expected one of squared, cross-entropy", lambda: loss("squared")
    ),
    "activation by its name": Case(
        lambda: n_shortcut(2, mid=wrong("tanh")), "activation: 'tanh' is none; expected", lambda: n_shortcut(2, tanh)
    ),
    "activation that is a function": Case(lambda: biased(wrong(np.tanh)), "expected one", lambda: biased(tanh)),
    "no shortcut depth": Case(lambda: n_shortcut(0), "shortcut_depth is 0; expected", lambda: n_shortcut(1)),
    "fractional depth": Case(lambda: n_shortcut(wrong(2.0)), "shortcut_depth is 2.0; expected", lambda: n_shortcut(2)),
    "float coefficient": Case(lambda: polynomial(0, wrong(0.5)), "0.5; expected", lambda: polynomial(0, 1)),
    "float value at zero": Case(
        lambda: generic("f", at_zero=wrong(0.5)), "at_zero is 0.5", lambda: generic("f", at_zero=Fraction(1, 2))
    ),
    # Units and networks.
    "no input": Case(
        lambda: ResidualUnit(w @ w),
        "W1 @ W1 of shape (d, d): 0 inputs; expected exactly one Input",
        lambda: ResidualUnit(w @ h),
    ),
    "two inputs": Case(
        lambda: ResidualUnit(h + Input("d")), "2 inputs; expected exactly one", lambda: ResidualUnit(h + h)
    ),
    "another shape comes out": Case(
        lambda: ResidualUnit(wide @ h),
        "W1 @ h of shape (k, t): the input has shape (d, t); expected the same shape",
        lambda: ResidualUnit(wide.T @ (wide @ h)),
    ),
    "unit of a function": Case(
        lambda: ResidualUnit(wrong(n_shortcut)), "is a function; expected an expression", lambda: UNIT
    ),
    "no units": Case(lambda: Network(UNIT, 0), "units is 0; expected a positive int", lambda: Network(UNIT, 1)),
    "negative units": Case(lambda: Network(UNIT, -1), "units is -1; expected", lambda: Network(UNIT, 1)),
    "half a unit": Case(lambda: Network(UNIT, wrong(1.5)), "units is 1.5; expected", lambda: Network(UNIT, 10**6)),
    "network of an expression": Case(
        lambda: Network(wrong(n_shortcut(1)), 2), "unit is h + W1 @ h of shape (d, t); expected a Res", lambda: TWO
    ),
    "loss by its name": Case(
        lambda: Network(UNIT, 2, wrong("squared")),
        "loss is 'squared'; expected squared or cross_entropy",
        lambda: Network(UNIT, 2, squared),
    ),
    # Data.
    "two dimensions for tokens": Case(
        lambda: on(X, network=Network(TOKENS, 2)),
        "value: X has shape (3, 7); expected (m, d, t): the unit mixes columns, which are tokens",
        lambda: on(np.ones((2, 3, 4)), network=Network(TOKENS, 2)),
        DataError,
    ),
    "three dimensions for samples": Case(
        lambda: on(np.ones((2, 3, 4))), "X has shape (2, 3, 4); expected (d, m)", lambda: on(X), DataError
    ),
    "shapes that differ": Case(
        lambda: on(X, X[:, :6]),
        "value: X has shape (3, 7), Y has shape (3, 6); expected equal shapes",
        lambda: on(X, 2 * X),
        DataError,
    ),
    "not a number": Case(lambda: on(np.nan * X), "X has entries that are not finite", lambda: on(X), DataError),
    "infinity": Case(lambda: on(X, np.inf * X), "Y has entries that are not finite", lambda: on(X), DataError),
    "no samples": Case(
        lambda: on(X[:, :0]), "X has shape (3, 0); expected at least one sample", lambda: on(X[:, :1]), DataError
    ),
    "one dimension": Case(lambda: on(X[:, 0]), "X has shape (3,); expected (d, m)", lambda: on(X[:, :1]), DataError),
    "objects": Case(
        lambda: on(np.full((3, 7), Fraction(1, 2))), "entries of type object", lambda: on(X.astype(int)), DataError
    ),
    "complex": Case(lambda: on(1j * X), "entries of type complex128", lambda: on(X.astype(bool)), DataError),
    "ragged lists": Case(
        lambda: on([[1, 2], [3], [4]]), "rows of unequal lengths", lambda: on([[1, 2], [3, 4], [5, 6]]), DataError
    ),
    "no array": Case(lambda: on("X"), "X is a str; expected an array", lambda: on(X.tolist()), DataError),
    "width that differs": Case(
        lambda: bind("f", UNIT, X, {"d": 4}),
        "dimension d is 4 here and 3 elsewhere",
        lambda: bind("f", UNIT, X),
        DataError,
    ),
    "missing weight": Case(
        lambda: directed({"W1": FULL["W1"]}), "weights are W1; expected W1, W2", lambda: directed(FULL), DataError
    ),
    "weights of another depth": Case(
        lambda: directed({k: a[:1] for k, a in FULL.items()}, hvp),
        "expected (2, rows, columns)",
        lambda: directed(FULL, hvp),
        DataError,
    ),
    "weights that are not finite": Case(
        lambda: directed({**FULL, "W2": np.nan * FULL["W2"]}),
        "W2 has entries that are not finite",
        lambda: directed(FULL),
        DataError,
    ),
    "rational data of the wrong width": Case(
        lambda: stationary_order(TWO, {"d": 2}, up_to=1, data=Instance([[1]], [[1]])),
        "x has 1 rows of lengths [1]; expected 2 rows of 1 entries",
        lambda: stationary_order(TWO, {"d": 1}, up_to=1, data=Instance([[1]], [[1]])),
    ),
    "rational data without samples": Case(
        lambda: stationary_order(TWO, {"d": 1}, up_to=1, data=Instance([[]], [[]])),
        "no samples; expected at least one",
        lambda: stationary_order(TWO, {"d": 1}, up_to=1, data=Instance([[1]], [[2]])),
    ),
    # Devices and ids.
    "unknown device": Case(
        lambda: device("tpu"), "'tpu' is unknown; expected one of auto, cpu, cuda", lambda: device("auto"), DeviceError
    ),
    "unknown statement": Case(
        lambda: find(["DR-T2.9"]),
        "unknown statement 'DR-T2.9'; did you mean DR-T2.",
        lambda: find(["DR-T2.2"]),
        UnknownStatementError,
    ),
}


@pytest.mark.parametrize("case", LIBRARY.values(), ids=LIBRARY)
def test_the_library_says_it_in_one_line(case: Case) -> None:
    with pytest.raises(case.error) as caught:
        case.bad()
    said = str(caught.value)
    assert case.message in said
    assert "\n" not in said
    assert len(said) < 200
    case.good()


def test_a_value_is_shown_on_one_short_line() -> None:
    assert describe([1, 2]) == "[1, 2]"
    assert describe("x" * 100) == f"'{'x' * 56}..."
    assert as_expression(h) is h


@pytest.fixture
def archives(tmp_path: Path) -> Path:
    """Data files good and bad, a file where a folder should be, and a folder where a file should be."""
    arrays: dict[str, dict[str, Any]] = {
        "good": {"X": X, "Y": 0 * X},
        "no_y": {"X": X},
        "shapes": {"X": X, "Y": X[:, :6]},
        "nan": {"X": np.nan * X, "Y": X},
        "infinite": {"X": X, "Y": np.inf * X},
        "empty": {"X": X[:, :0], "Y": X[:, :0]},
        "one_dimension": {"X": X[0], "Y": X[0]},
        "tokens": {"X": X[None], "Y": X[None]},
        "objects": {"X": np.full((1, 1), None), "Y": X},
        "text": {"X": np.array([["a"]]), "Y": X},
    }
    for name, content in arrays.items():
        np.savez(tmp_path / f"{name}.npz", **content)
    np.save(tmp_path / "array.npy", X)
    (tmp_path / "notes.npz").write_text("X, Y")
    (tmp_path / "cut.npz").write_bytes((tmp_path / "good.npz").read_bytes()[:300])
    (tmp_path / "file").write_text("kept")
    (tmp_path / "folder").mkdir()
    return tmp_path


REPORT = "report --out {tmp}/out --device cpu"
DATA = f"{REPORT} --data {{tmp}}/good.npz"
COMMANDS: dict[str, tuple[str, str, str]] = {
    # A command, what is said of it, and its nearest good neighbour.
    "no data file": (f"{REPORT} --data {{tmp}}/none.npz", "none.npz: cannot be read (no such", DATA),
    "folder as data": (f"{REPORT} --data {{tmp}}/folder", "folder: cannot be read (is a directory)", DATA),
    "text as data": (f"{REPORT} --data {{tmp}}/notes.npz", "is no .npz archive; expected one with the keys", DATA),
    "one array as data": (f"{REPORT} --data {{tmp}}/array.npy", "is no .npz archive; expected one with", DATA),
    "archive cut short": (f"{REPORT} --data {{tmp}}/cut.npz", "is no .npz archive", DATA),
    "missing key": (f"{REPORT} --data {{tmp}}/no_y.npz", "has no Y; its keys are X; expected X and Y", DATA),
    "shapes that differ": (f"{REPORT} --data {{tmp}}/shapes.npz", "X has shape (3, 7), Y has shape (3, 6)", DATA),
    "not a number": (f"{REPORT} --data {{tmp}}/nan.npz", "X has entries that are not finite", DATA),
    "infinity": (f"{REPORT} --data {{tmp}}/infinite.npz", "Y has entries that are not finite", DATA),
    "no samples": (f"{REPORT} --data {{tmp}}/empty.npz", "(3, 0); expected at least one sample", DATA),
    "one dimension": (f"{REPORT} --data {{tmp}}/one_dimension.npz", "X has shape (7,); expected (d, m)", DATA),
    "tokens": (f"{REPORT} --data {{tmp}}/tokens.npz", "X has shape (1, 3, 7); expected (d, m)", DATA),
    "objects": (f"{REPORT} --data {{tmp}}/objects.npz", "X cannot be read (it holds objects)", DATA),
    "letters": (f"{REPORT} --data {{tmp}}/text.npz", "expected real numbers", DATA),
    "file for a folder": ("report --out {tmp}/file", "file: cannot be written to", "report --out {tmp}/folder"),
    "folder below a file": ("report --out {tmp}/file/out", "expected a folder to write to", "report --out {tmp}/o/u/t"),
    "unknown device": ("report --device tpu --out {tmp}/out", "'tpu' is unknown; expected one of auto, cpu", REPORT),
    "negative seed": (f"{REPORT} --seed -1", "--seed': -1; expected a whole number, 0 or more", f"{REPORT} --seed 0"),
    "fractional seed": (f"{REPORT} --seed 1.5", "--seed': 1.5; expected a whole number", f"{REPORT} --seed 15"),
    "seed in words": (f"{REPORT} --seed one", "--seed': one; expected a whole number", f"{REPORT} --seed 1"),
    "no jobs": (f"{REPORT} --jobs 0", "--jobs': 0; expected a whole number, 1 or more", f"{REPORT} --jobs 1"),
    "negative jobs": (f"{REPORT} --jobs -2", "--jobs': -2; expected a whole number", f"{REPORT} --jobs 1"),
    "fractional jobs": (f"{REPORT} --jobs 1.0", "--jobs': 1.0; expected a whole number", f"{REPORT} --jobs 1"),
    "unknown statement": ("prove --only T-prooved", "did you mean T-proved", "prove --only T-proved"),
    "statement in another case": ("prove --only t-proved", "did you mean T-proved", "prove --only T-proved"),
    "nothing like a statement": ("prove --only xyz", "`resproof list` shows the known ones", "list"),
    "json onto a folder": ("prove --json {tmp}/folder", "it is a folder", "prove --json {tmp}/folder/x.json"),
    "json below a file": ("prove --json {tmp}/file/x.json", "file: cannot be written to", "prove --json -"),
    "unknown command": ("verify", "No such command 'verify'", "list"),
    "unknown option": ("list --all", "No such option: --all", "list"),
}


@pytest.fixture
def command(
    archives: Path, without_figures: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[str], tuple[int, str, str]]:
    """Runs a command line over one quick statement: status, stdout, stderr."""
    monkeypatch.setattr("resproof.proofs.registry.statements", lambda: TOYS[:1])
    monkeypatch.setattr("resproof.proofs.registry.table", lambda: table_of(TOYS[:1]))

    def run(line: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main([argument.format(tmp=archives) for argument in line.split()])
        assert isinstance(ended.value.code, int)
        out, err = capsys.readouterr()
        return ended.value.code, out, err

    return run


@pytest.mark.parametrize("case", COMMANDS.values(), ids=COMMANDS)
def test_the_command_line_ends_with_status_2(
    case: tuple[str, str, str], command: Callable[[str], tuple[int, str, str]], archives: Path
) -> None:
    bad, message, _ = case
    before = {path: path.read_bytes() for path in archives.rglob("*") if path.is_file()}
    status, out, err = command(bad)
    assert (status, out) == (2, "")
    assert message in err
    assert err.startswith("resproof: ")
    assert err.endswith("\n")
    assert err.count("\n") == 1
    assert {path: path.read_bytes() for path in archives.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("line", dict.fromkeys(good for _, _, good in COMMANDS.values()))
def test_the_nearest_good_command_is_carried_out(line: str, command: Callable[[str], tuple[int, str, str]]) -> None:
    assert command(line)[0] == 0


def test_cuda_without_a_gpu(
    command: Callable[[str], tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch, archives: Path
) -> None:
    monkeypatch.setattr("resproof.numeric.backend._no_gpu", lambda: "there is no CUDA device")
    status, out, err = command("report --out {tmp}/out --device cuda")
    assert (status, out) == (2, "")
    assert err == "resproof: device: cuda was asked for, but there is no CUDA device; expected cpu or auto here\n"
    assert not (archives / "out").exists()
    assert command("report --out {tmp}/out --device auto")[0] == 0
    assert "auto: there is no CUDA device" in (archives / "out" / "LIMITS.md").read_text()


def test_files_and_folders(archives: Path) -> None:
    assert read_npz(archives / "good.npz").X.shape == (3, 7)
    for check, bad, good in (
        (check_writable, "file", "folder"),
        (check_target, "folder", "file"),
        (check_target, "file/x", "folder/x"),
    ):
        with pytest.raises(OutputError, match=r"cannot be written"):
            check(archives / bad)
        check(archives / good)
    with pytest.raises(OutputError, match="cannot be written"):
        write({archives / "new": "1", archives / "folder": "2"})
    assert not (archives / "new").exists()
    assert (archives / "file").read_text() == "kept"
