"""The compiled library equals NumPy for every unit that it takes, and its functions are as near as they say."""

from __future__ import annotations

import ctypes
import math
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import flint
import numpy as np
import pytest

from resproof.architectures import catalogue
from resproof.architectures.activations import gelu, tanh
from resproof.architectures.losses import LOSSES
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Activation, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.numeric import threads
from resproof.numeric.backend import ops
from resproof.numeric.limits import NotFiniteError, OutOfMemoryError
from resproof.numeric.network import arrangement, native, native_library
from resproof.numeric.network.adjoint import hvp, start
from resproof.numeric.network.native import Native, NativeLinear
from resproof.numeric.network.parameters import random_weights
from resproof.numeric.network.running_error import ELEMENTARY
from resproof.numeric.network.sample_tiles import Tiles
from tests.numeric.cases import Case, first_of, make
from tests.numeric.compare import assert_close
from tests.numeric.network.test_sample_tiles import NOT_TAKEN, TAKEN, every
from tests.numeric.network.test_scan import LINEAR

Found = TypeVar("Found")
LINEAR_TAKEN = [name for name in LINEAR if name != "gated"]  # whose matrix is a function of a weight
COMPILER = native_library.compiler()
pytestmark = pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")


@pytest.fixture(autouse=True)
def _whatever_it_is_worth(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(arrangement, "fastest", first_of("library on the identity", "library", "scan", "tiles"))
    monkeypatch.delenv("RESPROOF_NATIVE", raising=False)


def engine_of(case: Case) -> object:
    return start("test", case.network, case.weights, case.direction, case.x)


def with_numpy(monkeypatch: pytest.MonkeyPatch, call: Callable[[], Found]) -> Found:
    with monkeypatch.context() as patched:
        patched.setenv("RESPROOF_NATIVE", "0")
        return call()


# Whole networks.


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("units", [1, 2, 7])
@pytest.mark.parametrize("name", [*TAKEN, *LINEAR_TAKEN])
def test_every_derivative(name: str, units: int, loss: str, monkeypatch: pytest.MonkeyPatch) -> None:
    case = make({**TAKEN, **LINEAR}[name](), ops(np), units=units, loss=LOSSES[loss])
    assert isinstance(engine_of(case), NativeLinear if name in LINEAR else Native)
    expected = with_numpy(monkeypatch, lambda: dict(every(case)))
    # All units kept; a unit at a time; two and a rest; and on two threads.
    for kept, cache, count in ((2**23, 1, 1), (0, 1, 1), (0, 2**14, 1), (0, 1, 2)):
        monkeypatch.setattr(native, "KEPT", kept)
        monkeypatch.setattr(native, "ALONE", kept)
        monkeypatch.setattr(native, "CACHE", cache)
        monkeypatch.setattr(native, "cores", lambda ops, count=count: count)
        found = every(case)
        assert found.keys() == expected.keys()
        for key, array in expected.items():
            assert_close(found[key], array, 4 * case.chain, 1.0 + float(np.linalg.norm(array)))


@pytest.mark.parametrize("rows", [1, 5, 13, 32, 100])
@pytest.mark.parametrize("name", ["tanh", "linear", "biased"])
def test_many_samples_rows_and_threads(name: str, rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    expression = {
        "tanh": catalogue.n_shortcut(2, tanh, tanh, tanh, inner_width="k"),
        "linear": catalogue.n_shortcut(2, inner_width="k"),
        "biased": catalogue.biased(gelu),
    }[name]
    network, draw = Network(ResidualUnit(expression), 3), np.random.default_rng(rows).standard_normal
    sizes = {"d": rows, "k": rows + 2}
    # Every second entry of an array: what has gaps is read as what has none.
    w, v = (
        {key: a[::2] for key, a in random_weights(network.unit, 6, sizes, ops(np), seed, scale=0.1).items()}
        for seed in (0, 1)
    )
    x, y = draw((rows, 700)), draw((rows, 700))
    expected = with_numpy(monkeypatch, lambda: hvp(network, w, v, x, y))
    for count in (1, 2, 3):
        monkeypatch.setattr(native, "cores", lambda ops, count=count: count)
        for key, array in hvp(network, w, v, x, y).items():
            assert_close(array, expected[key], 64 * (rows + 710), 1.0 + float(np.linalg.norm(expected[key])))


@pytest.mark.parametrize("name", ["tanh", "3"])
def test_what_a_call_leaves_serves_the_next(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of other weights, other names of theirs, after one that overflowed, at once in several threads."""
    case = make({**TAKEN, **LINEAR}[name](), ops(np), units=5)
    network, x, y = case.network, case.x, case.y
    others = [{key: a * factor for key, a in case.weights.items()} for factor in (1.0, -0.5, 0.7, 1.3)]
    expected = with_numpy(monkeypatch, lambda: [hvp(network, w, case.direction, x, y) for w in others])
    with pytest.raises(NotFiniteError):
        _ = hvp(network, case.weights, {key: np.full_like(a, 1e308) for key, a in case.direction.items()}, x, y)
    with ThreadPoolExecutor(3) as pool:
        calls = [pool.submit(hvp, network, w, case.direction, x, y) for w in others * 5]
    for call, product in zip(calls, expected * 5, strict=True):
        for key, array in call.result().items():
            assert_close(array, product[key], 4 * case.chain, 1.0 + float(np.linalg.norm(product[key])))
    names = {weight: f"{key}_again" for weight, key in network.unit.names.items()}
    renamed = Network(ResidualUnit(network.unit.expression, names), network.units, network.loss)
    again, along = ({f"{key}_again": a for key, a in given.items()} for given in (case.weights, case.direction))
    for key, array in hvp(renamed, again, along, x, y).items():
        assert_close(array, expected[0][key.removesuffix("_again")], 4 * case.chain, 1.0 + float(np.linalg.norm(array)))


@pytest.mark.parametrize("name", NOT_TAKEN)
def test_other_units_go_another_way(name: str) -> None:
    assert not isinstance(engine_of(make(NOT_TAKEN[name](), ops(np))), Native | NativeLinear)


def test_an_activation_of_other_functions_goes_another_way() -> None:
    def another(ops: object, x: np.ndarray, order: int) -> list[np.ndarray]:
        return [np.sinh(x), np.cosh(x), np.sinh(x)][: order + 1]

    h = Input("d")
    case = make(h + Weight("d", "d") @ Activation("mine", tanh.taylor, another)(h), ops(np))
    assert not isinstance(engine_of(case), Native)


@pytest.mark.parametrize("broken", ["no compiler", "one that fails", "a cache that is no folder", "switched off"])
def test_without_a_compiler_numpy_does_the_work(broken: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "file"
    _ = file.write_text("")
    name, value = {
        "no compiler": ("CC", "no-such-compiler"),
        "one that fails": ("CC", "false"),
        "a cache that is no folder": ("XDG_CACHE_HOME", str(file)),
        "switched off": ("RESPROOF_NATIVE", "0"),
    }[broken]
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv(name, value)
    native_library.load.cache_clear()
    try:
        assert isinstance(engine_of(make(TAKEN["tanh"](), ops(np))), Tiles)
    finally:
        native_library.load.cache_clear()


def test_a_library_is_compiled_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for _ in range(2):
        native_library.load.cache_clear()
        assert native_library.library([tanh]) is not None
    assert [path.suffix for path in (tmp_path / "resproof").iterdir()] == [".so"]
    native_library.load.cache_clear()


@pytest.mark.parametrize("failing", [0, 1])
def test_a_thread_that_fails_stops_the_others(failing: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "cores", lambda ops: 2)
    case = make(TAKEN["tanh"](), ops(np), units=2)
    x = np.ones((3, 1000))
    found = start("test", case.network, case.weights, case.direction, x)
    assert isinstance(found, Native)

    def slope(output: Any, portion: tuple[slice, ...]) -> Any:
        if (portion[1].start > 0) == failing:
            raise ValueError("no slope")
        return output

    with pytest.raises(ValueError, match="no slope"):
        _ = found.pull(x, slope, 1, 2**30)


def test_memory_decides_how_many_threads_and_units(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "cores", lambda ops: 4)
    case = make(TAKEN["tanh"](), ops(np), units=100)
    x, y = np.random.default_rng(0).standard_normal((2, 3, 1000))
    expected = hvp(case.network, case.weights, case.direction, x, y)
    found = start("test", case.network, case.weights, case.direction, x)
    assert isinstance(found, Native)
    least = found.needed(found.least, found.fewest)
    assert found.shared(1000, 2**30)[1] == 4
    assert found.shared(1000, 2 * least)[1] == 2
    assert found.shared(100, 2**30)[1] == 1  # over before another thread has begun
    for memory in (2 * least, least):
        for key, array in hvp(case.network, case.weights, case.direction, x, y, memory=memory).items():
            assert_close(array, expected[key], 100 * case.chain, float(np.linalg.norm(expected[key])))
    with pytest.raises(OutOfMemoryError, match=r"hvp: 16 samples through 100 units need .*; memory allows 9 bytes"):
        _ = hvp(case.network, case.weights, case.direction, x, y, memory=9)


def test_a_matrix_that_overflows_where_the_streams_do_not() -> None:
    """M_1 = [[0, 0], [b, 0]], M_2 = [[0, b], [0, 0]] and M_2 M_1 = b^2 on the first row, where x is 0."""
    network = Network(ResidualUnit(catalogue.plain()), 2)
    raise_to, lower = np.array([[0.0, 0.0], [1e200, 0.0]]), np.array([[0.0, 1e200], [0.0, 0.0]])
    weights = {"W1": np.stack([raise_to, lower])}
    x = np.array([[0.0] * 3, [1.0] * 3])
    assert isinstance(start("test", network, weights, weights, x), NativeLinear)
    found = hvp(network, weights, {"W1": np.zeros((2, 2, 2))}, x, 0.0 * x)
    assert all(np.isfinite(a).all() for a in found.values())
    with pytest.raises(NotFiniteError, match="hvp: the output of unit 2 of 2 is not finite"):
        _ = hvp(network, weights, weights, x + 1.0, x)


# The elementary functions.

BOUNDS = {"exp": 3.0, "tanh": 7.0, "erfc": 14.0, "log1p": 6.0}
"""In units of the unit roundoff, as `kernels.c` derives them."""


@pytest.fixture(scope="module")
def functions(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    text = native_library.source(())
    assert text is not None
    folder = tmp_path_factory.mktemp("functions")
    exported = [
        f"void t_{name}(num n, const double *x, double *y)"
        f"{{ for (num i = 0; i < n; i += LANES) *(vec *)(y + i) = v_{name}(*(const vec *)(x + i)); }}"
        for name in BOUNDS
    ]
    given, made = folder / "functions.c", folder / "functions.so"
    _ = given.write_text("\n".join([text, *exported]))
    assert COMPILER is not None
    _ = subprocess.run([COMPILER, *native_library.FLAGS, "-o", str(made), str(given)], check=True)
    return ctypes.CDLL(str(made))


def applied(functions: ctypes.CDLL, name: str, x: np.ndarray) -> np.ndarray:
    from resproof.numeric.network.array_calls import aligned

    count = -(-len(x) // 8) * 8
    given, found = aligned(count), aligned(count)
    given[:] = np.resize(x, count)
    getattr(functions, f"t_{name}")(
        ctypes.c_int64(count), ctypes.c_void_p(given.ctypes.data), ctypes.c_void_p(found.ctypes.data)
    )
    return found[: len(x)]


def points(name: str) -> np.ndarray:
    """Dense and random, at all scales, beside the ends of the ranges of reduction and where bits are many or few."""
    draw = np.random.default_rng(0)
    most = {"exp": 708.0, "tanh": 25.0, "erfc": 26.5, "log1p": 1e3}[name]
    scales = 10.0 ** draw.uniform(-18, math.log10(most), 1500)
    turns = np.arange(1, 60) * math.log(2.0) / 4
    turns = np.concatenate([np.nextafter(turns, 0), turns, np.nextafter(turns, 99)])
    few = np.ldexp(draw.integers(1, 64, 300), draw.integers(-12, 2, 300))
    some = np.concatenate([np.linspace(0, most, 1500), scales, turns[turns < most], few[few < most]])
    below = (
        -some if name != "log1p" else -np.concatenate([np.linspace(0, 1, 900)[:-1], 10.0 ** draw.uniform(-18, 0, 900)])
    )
    return np.concatenate([some, below])


@pytest.mark.parametrize("name", BOUNDS)
def test_the_functions_are_as_near_as_derived(name: str, functions: ctypes.CDLL) -> None:
    x = points(name)
    found = applied(functions, name, x)
    flint.ctx.prec = 200
    worst = 0.0
    for at, value in zip(x, found, strict=True):
        true = getattr(flint.arb(float(at)), name)()
        if float(abs(true)) > 2.0**-1022:
            worst = max(worst, float(abs(flint.arb(float(value)) / true - 1).upper()) * 2.0**53)
        else:
            assert value == float(true.mid())
    assert worst < BOUNDS[name]
    assert BOUNDS[name] <= ELEMENTARY


def test_the_functions_at_the_edges(functions: ctypes.CDLL) -> None:
    inf, nan = math.inf, math.nan
    for name, given, expected in (
        (
            "exp",
            [0.0, -0.0, inf, -inf, 800.0, -800.0, nan, 709.7],
            [1.0, 1.0, inf, 0.0, inf, 0.0, nan, math.exp(709.7)],
        ),
        ("tanh", [0.0, -0.0, inf, -inf, 1e300, -30.0, nan, 5e-324], [0.0, -0.0, 1.0, -1.0, 1.0, -1.0, nan, 5e-324]),
        ("erfc", [0.0, -0.0, inf, -inf, 30.0, -30.0, nan, 1e-300], [1.0, 1.0, 0.0, 2.0, 0.0, 2.0, nan, 1.0]),
        ("log1p", [0.0, -0.0, inf, -1.0, 5e-324, -2.0, nan, 1e-300], [0.0, -0.0, inf, -inf, 5e-324, nan, nan, 1e-300]),
    ):
        found = applied(functions, name, np.array(given))
        np.testing.assert_allclose(found, expected, rtol=1e-15)
        np.testing.assert_array_equal(np.signbit(found[:2]), np.signbit(np.array(expected[:2])))


def test_the_polynomial_of_erfc_is_proved() -> None:
    """|p / g - 1| < u on all of z <= 28, g = (1 + z) exp(z^2) erfc(z), by Taylor series with balls as remainder."""
    flint.ctx.prec = 160
    order, text = 14, Path(native_library.__file__).with_name("kernels.c").read_text()
    body = text[text.index("INLINE vec v_erfc") : text.index("vec head")]
    digits = [word.strip(",();") for word in body.split() if "0x1." in word]
    coefficients = [flint.arb(float.fromhex(word)) for word in digits]
    assert len(coefficients) == 25

    def difference(t: flint.arb) -> list[flint.arb]:
        """Taylor coefficients of p / g - 1 at a ball."""
        shifted = flint.arb_series([t, 1], prec=order)
        z = flint.arb(15) / 4 * (1 + shifted) / (1 - shifted)
        g = (1 + z) * (z * z).exp() * z.erfc()
        p = flint.arb_series([0], prec=order)
        for coefficient in reversed(coefficients):
            p = p * shifted + coefficient
        return (p / g - 1).coeffs()

    ends = [0.0]
    while ends[-1] < 28.0:
        # exp(z^2) changes little on an interval.
        ends.append(ends[-1] + min(0.005, 0.1 / max(ends[-1], 1.0)))
    for low, high in pairwise((z - 3.75) / (z + 3.75) for z in ends):
        middle, radius = (flint.arb(low) + high) / 2, (flint.arb(high) - low) / 2
        around = difference(flint.arb(float(middle.mid()), 1.001 * float(radius.upper())))
        bound = sum(abs(a) * radius**k for k, a in enumerate(difference(middle)[: order - 1]))
        bound += abs(around[-1]) * radius ** (order - 1)
        assert bound < 2.0**-53


def test_threads_give_what_one_gives_to_rounding(monkeypatch: pytest.MonkeyPatch) -> None:
    case = make(TAKEN["gelu"](), ops(np), units=4)
    x, y = np.random.default_rng(0).standard_normal((2, 3, 500))
    for name in threads.TOLD:
        monkeypatch.delenv(name, raising=False)
    both = []
    for told in ("1", "2"):
        monkeypatch.setenv("OMP_NUM_THREADS", told)
        both.append(hvp(case.network, case.weights, case.direction, x, y))
    for key, array in both[0].items():
        assert_close(both[1][key], array, 600, float(np.linalg.norm(array)))
