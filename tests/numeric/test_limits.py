"""Overflow at depth, memory that does not suffice, and peaks that stay within what was granted."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from resproof.architectures import catalogue
from resproof.architectures.activations import polynomial, tanh
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Expression
from resproof.architectures.stages import ResidualUnit
from resproof.numeric import limits
from resproof.numeric.backend import Ops, ops
from resproof.numeric.limits import NotFiniteError, OutOfMemoryError, in_bytes, large
from resproof.numeric.network.adjoint import gradient, hvp, jvp, outputs, start, value, vjp
from resproof.numeric.network.parameters import random_weights
from resproof.numeric.network.scan import over_depth
from tests.numeric.cases import make

DEEP: dict[str, Callable[[], Expression]] = {
    "linear": lambda: catalogue.n_shortcut(2),
    "bent": lambda: catalogue.n_shortcut(2, polynomial(0, 2), tanh, polynomial(0, 1, 1)),
    "normalised": lambda: catalogue.pre_norm(polynomial(0, 1, 1)),
}


@pytest.mark.parametrize("name", DEEP)
def test_an_overflow_is_named_with_the_unit_where_it_began(name: str) -> None:
    case = make(DEEP[name](), ops(np), units=20)
    net, v, x, y = case.network, case.direction, case.x, case.y
    w = {key: array.copy() for key, array in case.weights.items()}
    for key in ("W1", "W2"):
        w[key][6] = 1e308
    calls: dict[str, Callable[[], Any]] = {
        "hvp": lambda: hvp(net, w, v, x, y),
        "gradient": lambda: gradient(net, w, x, y),
        "vjp": lambda: vjp(net, w, x, y),
        "jvp": lambda: jvp(net, w, v, x),
        "outputs": lambda: outputs(net, w, x),
        "value": lambda: value(net, w, x, y),
    }
    for call, run in calls.items():
        with pytest.raises(NotFiniteError) as caught:
            run()
        assert str(caught.value) == f"{call}: the output of unit 7 of 20 is not finite"


def test_an_overflow_on_the_way_back_is_named_too() -> None:
    case = make(catalogue.n_shortcut(2), ops(np), units=4)
    zero = {name: 0.0 * array for name, array in case.weights.items()}
    with pytest.raises(NotFiniteError, match=r"hvp: the derivative by the weights of unit 4 of 4 is not finite"):
        _ = hvp(case.network, zero, case.direction, 1e200 * case.x, case.y)
    with pytest.raises(NotFiniteError, match="value: the loss of the network's output is not finite"):
        _ = value(case.network, zero, 1e200 * case.x, case.y)


def test_a_product_that_overflows_where_the_stream_does_not() -> None:
    case = make(catalogue.plain(), ops(np), units=18)
    (name,) = case.weights
    w = {name: 1e60 * np.broadcast_to(np.eye(3), (18, 3, 3)).copy()}
    w[name][10:] *= 1e-100
    x = 1e-300 * case.x
    assert over_depth(start("test", case.network, w, None, x)) is not None
    np.testing.assert_allclose(outputs(case.network, w, x), 1e-20 * case.x, rtol=1e-13)


class Full:
    """A namespace whose products find no memory."""

    __name__ = "numpy"

    def __init__(self, words: str) -> None:
        self.words = words

    def __getattr__(self, name: str) -> Any:
        if name == "zeros":
            raise MemoryError(self.words)
        return getattr(np, name)


def test_a_device_without_memory_is_one_line_with_a_budget_that_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    def free(ops: Ops) -> int:
        return 4000

    monkeypatch.setattr(limits, "free_memory", free)
    full = ops(Full("Out of memory allocating 8 bytes\n(allocated so far: 0)"))
    with pytest.raises(OutOfMemoryError) as caught, large("hvp", full, 10**9):
        _ = full.zeros((1,))
    assert str(caught.value) == (
        "hvp: out of memory with memory=1000000000 (Out of memory allocating 8 bytes); "
        "4 kB are free: expected memory=2000"
    )
    assert caught.value.__cause__ is None
    monkeypatch.setattr(limits, "free_memory", lambda ops: None)
    with (
        pytest.raises(OutOfMemoryError, match=r"^hvp: out of memory with memory=7; expected less$"),
        large("hvp", full, 7),
    ):
        raise MemoryError


def test_work_that_finds_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    case = make(catalogue.tied(), ops(np))

    def refuse(*_: object) -> None:
        raise MemoryError("Unable to allocate 8.00 EiB")

    monkeypatch.setattr("resproof.numeric.network.run.Run.pull", refuse)
    with pytest.raises(
        OutOfMemoryError, match=r"gradient: out of memory with memory=\d+ \(Unable .* EiB\); .* are free"
    ):
        _ = gradient(case.network, case.weights, case.x, case.y)


def test_free_memory_is_known_here() -> None:
    found = limits.free_memory(ops(np))
    assert found is None or found > 0


def test_sizes_for_a_reader() -> None:
    assert [in_bytes(n) for n in (0, 999, 1000, 737_280_000, 10**12)] == [
        "0 bytes",
        "999 bytes",
        "1 kB",
        "737 MB",
        "1 TB",
    ]


def peak(call: Callable[[], Any]) -> int:
    """The most that NumPy held during a call, beyond what it held before and what the call returns."""
    tracemalloc.start()
    try:
        found = call()
        return tracemalloc.get_traced_memory()[1] - sum(a.nbytes for a in found.values())
    finally:
        tracemalloc.stop()


BUDGETS = {
    "linear units, covariances": (catalogue.n_shortcut(2), 20_000, 10, 2**24),
    "linear units, samples": (catalogue.n_shortcut(2), 2_000, 1000, 2**22),
    "tanh, samples": (catalogue.n_shortcut(2, tanh, tanh, tanh), 1_000, 400, 2**22),
    "normalised, samples": (catalogue.pre_norm(), 300, 400, 2**22),
}


@pytest.mark.parametrize("name", BUDGETS)
def test_the_peak_stays_within_the_budget(name: str) -> None:
    expression, units, samples, memory = BUDGETS[name]
    unit, sizes = ResidualUnit(expression), {"d": 10, "k": 10}
    network = Network(unit, units)
    w, v = (random_weights(unit, units, sizes, ops(np), seed, scale=0.01) for seed in (0, 1))
    x, y = np.random.default_rng(2).standard_normal((2, 10, samples))
    for call in (
        lambda: hvp(network, w, v, x, y, memory=memory),
        lambda: gradient(network, w, x, y, memory=memory),
    ):
        assert peak(call) <= memory


BARE = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked!r}:
            raise ImportError(name + " is blocked")
sys.meta_path.insert(0, Blocked())
import numpy as np
from resproof.architectures.activations import gelu
from resproof.architectures.catalogue import n_shortcut
from resproof.architectures.networks import Network
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.network.adjoint import hvp
from resproof.numeric.backend import device
from resproof.numeric.spectra.contract import environment
from resproof.numeric.network.parameters import random_weights
from resproof.numeric.network.taylor import loss_series
ops = device("cpu").ops
x, y = np.random.default_rng(0).standard_normal((2, 3, 5))
for unit in (ResidualUnit(n_shortcut(2)), ResidualUnit(n_shortcut(2, gelu, gelu, gelu))):
    net = Network(unit, 3)
    w, v = (random_weights(unit, 3, {{"d": 3}}, ops, seed) for seed in (0, 1))
    found = hvp(net, w, v, x, y)
    along = sum(float(np.vdot(v[n], a)) for n, a in found.items()) / 2
    assert abs(along - loss_series(net, w, v, x, y, 2)[2]) <= 1e-12 * (1 + abs(along))
from fractions import Fraction
from resproof.architectures.forms.terms import DataTensor, IndexSum, LossDerivative, Perturbation, Term
from resproof.numeric.spectra.contract import contract
from resproof.numeric.modular.identity import expand, held_against
# (1/m) sum_u g_iu dW2_ia dW1_aj X_ju, by contraction and modulo a prime.
w2, w1 = (Perturbation(name, 1, ("d", "d")) for name in ("W2", "W1"))
factors = ((LossDerivative(1, ("d", "m")), (0, 3)), (w2, (0, 1)), (w1, (1, 2)), (DataTensor("X", ("d", "m")), (2, 3)))
form = IndexSum((), (Term(Fraction(1), (("m", -1),), factors),))
net = Network(ResidualUnit(n_shortcut(2)), 3)
v = random_weights(net.unit, 1, {{"d": 3}}, ops, 5)
placed = {{(name, 1): a[0] for name, a in v.items()}}
found = float(contract(form, environment(net, x, y, perturbations=placed)))
assert abs(found - np.sum((x - y) * (v["W2"][0] @ v["W1"][0] @ x)) / 5) < 1e-12
assert not held_against(expand(net, 2, {{"d": 3, "m": 5}}, ops, points=2), {{2: form}}).mismatches
print(sorted({{m.partition(".")[0] for m in sys.modules}} & {blocked!r}))
"""


@pytest.mark.parametrize("scipy", [True, False])
def test_the_array_side_runs_with_numpy_and_at_most_scipy(scipy: bool) -> None:
    lacking = {"sympy", "flint", "typer", "pydantic", "jinja2", "rich", "sklearn", "matplotlib", "jax", "torch"}
    blocked = lacking | {"array_api_compat", "array_api_strict", "threadpoolctl"} | (set() if scipy else {"scipy"})
    done = subprocess.run(
        [sys.executable, "-c", BARE.format(blocked=blocked)], capture_output=True, text=True, check=False, cwd="."
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[]\n"
