"""Portions of the samples add up to the whole, in threads and in processes; what cannot be sent is refused here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from fractions import Fraction
from multiprocessing import get_context
from typing import Any, NoReturn

import array_api_strict
import numpy as np
import pytest

from benchmarks.portions import _received, _sent, gradient_over, hvp_over, value_over
from resproof.architectures import catalogue
from resproof.architectures.activations import ACTIVATIONS, gelu, polynomial, tanh
from resproof.architectures.losses import LOSSES, Loss, cross_entropy, squared
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Activation, Apply, Expression, Input, Weight, nodes
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.backend import ops
from resproof.numeric.data import DataError
from resproof.numeric.limits import NotFiniteError, OutOfMemoryError
from resproof.numeric.network.adjoint import gradient, hvp, value
from tests.numeric.cases import Case, make
from tests.numeric.compare import assert_close, assert_weights_equal

CASES: dict[str, tuple[Callable[[], Expression], Loss]] = {
    "tiles": (lambda: catalogue.n_shortcut(2, tanh, tanh, tanh, inner_width="k"), squared),
    "entropy": (lambda: catalogue.n_shortcut(2, gelu, gelu, gelu), cross_entropy),
    "scan": (lambda: catalogue.n_shortcut(2), squared),
    "steep": (lambda: catalogue.n_shortcut(2, polynomial(0, 2), tanh, polynomial(0, 1, 1)), squared),
    "columns are tokens": (catalogue.attention, cross_entropy),
}


def case_of(name: str, *, units: int = 3, batch: int | None = None) -> Case:
    block, loss = CASES[name]
    return make(block(), ops(np), units=units, loss=loss, batch=batch)


def over(executor: Executor, case: Case, portions: int) -> Mapping[str, Any]:
    """Everything from portions."""
    net, w, v, x, y = case.network, case.weights, case.direction, case.x, case.y
    return {
        "value": np.asarray(value_over(executor, net, w, x, y, portions=portions)),
        **{f"grad {key}": a for key, a in gradient_over(executor, net, w, x, y, portions=portions).items()},
        **{f"hvp {key}": a for key, a in hvp_over(executor, net, w, v, x, y, portions=portions).items()},
    }


def whole(case: Case) -> Mapping[str, Any]:
    """Everything at once."""
    net, w, v, x, y = case.network, case.weights, case.direction, case.x, case.y
    return {
        "value": np.asarray(value(net, w, x, y)),
        **{f"grad {key}": a for key, a in gradient(net, w, x, y).items()},
        **{f"hvp {key}": a for key, a in hvp(net, w, v, x, y).items()},
    }


class Untouched(Executor):
    """An executor that nothing may reach."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        raise AssertionError("something was submitted")


@pytest.fixture(scope="module")
def threads() -> Iterator[Executor]:
    with ThreadPoolExecutor(2) as executor:
        yield executor


@pytest.fixture(scope="module")
def processes() -> Iterator[Executor]:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor:
        yield executor


@pytest.mark.parametrize("batch", [None, 2])
@pytest.mark.parametrize("portions", [1, 2, 3, 5])
@pytest.mark.parametrize("name", CASES)
def test_portions_add_up_to_the_whole(threads: Executor, name: str, portions: int, batch: int | None) -> None:
    case = case_of(name, batch=batch)
    samples = case.x.shape[0 if case.network.unit.mixes_columns else 1]
    found, expected = over(threads, case, min(portions, samples)), whole(case)
    assert found.keys() == expected.keys()
    for key, array in expected.items():
        assert_close(found[key], array, 4 * case.chain, 1.0 + float(np.linalg.norm(array)))


def test_portions_are_nearly_equal_and_in_order() -> None:
    case, seen = case_of("scan"), list[np.ndarray]()

    class Seeing(ThreadPoolExecutor):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            seen.append(fn.args[-2])
            return super().submit(fn, *args, **kwargs)

    with Seeing(1) as executor:
        _ = value_over(executor, case.network, case.weights, case.x, case.y, portions=3)
    assert [part.shape[1] for part in seen] == [1, 2, 2]
    np.testing.assert_array_equal(np.concatenate(seen, axis=1), case.x)


def test_the_number_of_workers_does_not_matter(threads: Executor) -> None:
    case = case_of("tiles")
    with ThreadPoolExecutor(1) as alone:
        assert_weights_equal(over(threads, case, 5), over(alone, case, 5))


def test_spawned_processes_find_the_same_and_load_nothing_else(threads: Executor, processes: Executor) -> None:
    for name in ("tiles", "columns are tokens"):
        case = case_of(name)
        for key, array in over(threads, case, 2).items():
            assert_close(over(processes, case, 2)[key], array, case.chain, 1.0 + float(np.linalg.norm(array)))
    case = case_of("steep", units=10)
    steep = {key: array.copy() for key, array in case.weights.items()}
    steep["W1"][6] = steep["W2"][6] = 1e308
    with pytest.raises(NotFiniteError, match=r"^hvp: the output of unit 7 of 10 is not finite$"):
        _ = hvp_over(processes, case.network, steep, case.direction, case.x, case.y, portions=2)
    loaded = processes.submit(eval, "{name.partition('.')[0] for name in __import__('sys').modules}").result()
    assert {"numeric", "architectures", "numpy"} <= loaded
    assert not {"symbolic", "proofs", "reports", "sympy", "flint", "matplotlib", "jax", "torch", "cupy"} & loaded


def test_an_error_in_one_portion_is_the_callers(threads: Executor) -> None:
    case = make(catalogue.n_shortcut(1, polynomial(0, 0, 1)), ops(np))
    far = case.x.copy()
    far[:, -1] = 1e300
    arguments = (case.network, case.weights, case.direction)
    _ = hvp_over(threads, *arguments, far[:, :-1], case.y[:, :-1], portions=4)
    with pytest.raises(NotFiniteError, match=r"^hvp: the output of unit 1 of 2 is not finite$"):
        _ = hvp_over(threads, *arguments, far, case.y, portions=5)


def test_memory_is_each_workers_own(threads: Executor) -> None:
    case = case_of("tiles")
    arguments = (case.network, case.weights, case.direction, case.x, case.y)
    with pytest.raises(OutOfMemoryError, match=r"^hvp: .* memory allows 7 bytes$"):
        _ = hvp_over(threads, *arguments, portions=2, memory=7)
    with pytest.raises(OutOfMemoryError, match=r"^gradient: .* memory allows 7 bytes$"):
        _ = gradient_over(threads, case.network, case.weights, case.x, case.y, portions=2, memory=7)


@pytest.mark.parametrize("portions", [0, -1, 6, True, 2.0, "2", None])
def test_portions_are_counted(portions: Any) -> None:
    case = case_of("tiles")
    expected = f"portions is {portions!r}; expected a whole number from 1 to 5, the samples"
    calls: dict[str, Callable[..., Any]] = {"value_over": value_over, "gradient_over": gradient_over}
    for name, call in calls.items():
        with pytest.raises(DataError) as caught:
            call(Untouched(), case.network, case.weights, case.x, case.y, portions=portions)
        assert str(caught.value) == f"{name}: {expected}"
    with pytest.raises(DataError) as caught:
        _ = hvp_over(Untouched(), case.network, case.weights, case.direction, case.x, case.y, portions=portions)
    assert str(caught.value) == f"hvp_over: {expected}"


def test_samples_of_tokens_are_counted_too() -> None:
    case = case_of("columns are tokens")
    with pytest.raises(DataError, match="portions is 3; expected a whole number from 1 to 2, the samples"):
        _ = value_over(Untouched(), case.network, case.weights, case.x, case.y, portions=3)


WRONG: dict[str, Callable[[Case], tuple[Any, Any, Any, Any]]] = {
    "Y": lambda c: (c.weights, c.direction, c.x, c.y[:, :-1]),
    "rank": lambda c: (c.weights, c.direction, c.x[0], c.y[0]),
    "not finite": lambda c: (c.weights, c.direction, np.nan * c.x, c.y),
    "name": lambda c: ({"W1": c.weights["W1"]}, c.direction, c.x, c.y),
    "units": lambda c: ({k: a[1:] for k, a in c.weights.items()}, c.direction, c.x, c.y),
    "tangent": lambda c: (c.weights, {k: a[..., :1] for k, a in c.direction.items()}, c.x, c.y),
    "width": lambda c: (c.weights, c.direction, c.x[:2], c.y[:2]),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told_before_anything_is_sent(name: str) -> None:
    case = case_of("tiles")
    arguments = WRONG[name](case)
    with pytest.raises(DataError) as known:
        _ = hvp(case.network, *arguments)
    with pytest.raises(DataError) as caught:
        _ = hvp_over(Untouched(), case.network, *arguments, portions=2)
    assert str(caught.value) == str(known.value).replace("hvp:", "hvp_over:")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("what", ["X", "W1", "W2"])
def test_only_numpys_arrays_go_to_other_processes(what: str) -> None:
    case, other = case_of("tiles"), ops(array_api_strict)
    x, y = (other.asarray(a) for a in (case.x, case.y)) if what == "X" else (case.x, case.y)
    weights, direction = (
        {key: other.asarray(a) if key == what == mine else a for key, a in part.items()}
        for part, mine in ((case.weights, "W1"), (case.direction, "W2"))
    )
    with pytest.raises(DataError) as caught:
        _ = hvp_over(Untouched(), case.network, weights, direction, x, y, portions=2)
    assert str(caught.value) == (
        f"hvp_over: {what} is an array of array_api_strict; expected NumPy's, for it goes to other processes"
    )


def applied(f: Activation, loss: Loss = squared) -> Network:
    h, w = Input("d"), Weight("d", "d")
    return Network(ResidualUnit(h + w @ f(h)), 2, loss)


def activation_of(network: Network) -> Activation:
    (found,) = [node.activation for node in nodes(network.unit.expression) if isinstance(node, Apply)]
    return found


@pytest.mark.parametrize("name", ACTIVATIONS)
@pytest.mark.parametrize("loss", LOSSES)
def test_known_activations_and_losses_arrive_as_themselves(name: str, loss: str) -> None:
    arrived = _received(_sent("test", applied(ACTIVATIONS[name], LOSSES[loss])))
    assert arrived.loss is LOSSES[loss]
    assert activation_of(arrived) is ACTIVATIONS[name]


def test_polynomials_arrive_with_their_coefficients() -> None:
    cubic = polynomial(0, Fraction(1, 3), 0, Fraction(-1, 10), name="cubic")
    found = activation_of(_received(_sent("test", applied(cubic))))
    assert (found.name, found.degree) == ("cubic", 3)
    assert found.taylor_at_zero(5) == cubic.taylor_at_zero(5)


def test_a_network_of_closures_is_refused() -> None:
    def unknown(*_: object) -> NoReturn:
        raise AssertionError

    own = Activation("own", unknown, unknown)
    case = case_of("tiles")
    weights = {"W1": np.zeros((2, 3, 3))}
    with pytest.raises(DataError) as caught:
        _ = hvp_over(Untouched(), applied(own), weights, weights, case.x, case.y, portions=2)
    said = str(caught.value)
    assert said.startswith("hvp_over: the network cannot be sent to another process (")
    assert said.endswith("; expected activations and a loss known by name, polynomials, or functions that a module has")
    assert "\n" not in said
