"""Everything the program says of a case against the reference: what differs is a failure, what is left out is counted.

A comparison is relative to the largest entry of the whole object. Where that fails, the reference runs once more in
balls: its own rounding then says how far off a sound computation in floating point may be.
"""

from __future__ import annotations

import math
import re
import signal
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial
from math import prod
from time import monotonic
from typing import Any, NamedTuple, NoReturn, TypeVar
from unittest.mock import patch

import array_api_strict
import flint
import numpy as np
from hypothesis import currently_in_test_context, event

from resproof.architectures import rebuild
from resproof.architectures.activations import ACTIVATIONS
from resproof.architectures.errors import ArchitectureError, NotDifferentiableError
from resproof.architectures.estimate import refuse_enormous
from resproof.architectures.losses import squared
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Apply, Constant, Input, Normalize, Softmax, Weight, nodes
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import Normal, normal
from resproof.numeric.backend import ops
from resproof.numeric.data import DataError
from resproof.numeric.limits import NotFiniteError, OutOfMemoryError
from resproof.numeric.network import adjoint, scan
from resproof.numeric.network.arithmetic import PRIME
from resproof.numeric.network.fused import in_kernels
from resproof.numeric.network.linear import is_linear
from resproof.numeric.network.parameters import flatten, initial_weights, unflatten
from resproof.numeric.network.taylor import loss_series, output_series
from resproof.numeric.spectra.contract import environment, hessian_vector
from resproof.proofs.block.check import UNSETTLED, Check, check
from resproof.proofs.block.general import HypothesisError, Setting
from resproof.proofs.block.spectrum import NoHessianError, Spectrum, spectrum
from resproof.proofs.statement import Data
from resproof.symbolic.index.lift import NotIdentityError, branch_order, require_identity, stationary_order
from resproof.symbolic.written.explicit import Instance, hessian_at_initial_point
from resproof.symbolic.written.explicit import stationary_order as explicit_order
from tests.index_terms import hessian_terms
from tests.numeric.cuda_on_cpu import Emulator
from tests.numeric.modular.identities import loss_series_modulo
from tests.reference import (
    FRACTIONS,
    Reference,
    UndecidedError,
    precision,
    samples_of,
)
from tests.strategies import Case, normal_numbers
from tests.symbols import Symbols

CLEAN = (
    ArchitectureError,
    DataError,
    NotDifferentiableError,
    NotIdentityError,
    NoHessianError,
    HypothesisError,
)
"""Refusals: each is one line for the user."""
HIGHEST = 4
"""Derivatives of the loss beyond this one are not compared."""
FINE = ("fine", "kinked")
"""Where the loss has an expansion to second order."""
SLOW = 2.0
"""Seconds after which a spectrum that is known is not computed once more in another way."""
DENSE = 60
"""Parameters of all units up to which the whole Hessian is compared."""
TINY, HUGE = 1e-290, 1e150
Found = TypeVar("Found")


class Failure(NamedTuple):
    """What was compared, and what differs."""

    check: str
    detail: str


class _Skip(Exception):
    """The comparison says nothing about this case; the message is the reason."""


def reference(case: Case, weights: Mapping[str, np.ndarray], data: Sequence[np.ndarray] | None = None) -> Reference:
    """The reference for a case at these weights."""
    x, y = samples_of(case.unit.mixes_columns, case.data() if data is None else data)
    sizes = dict(case.sizes)
    if not case.unit.mixes_columns and isinstance(case.input.columns, str):
        sizes[case.input.columns] = 1
    return Reference(case.unit.expression, case.unit.names, case.loss.name, sizes, x, y, weights)


def at_start(case: Case) -> dict[str, np.ndarray]:
    """The initial point, the same in every unit."""
    sizes = {**case.sizes, "m": case.samples}
    return initial_weights(case.unit, case.units, sizes, ops(np), 0, shared=True)


def told(case: Case) -> Case:
    """The case with numbers for the dimensions that neither data nor weights have."""
    h = case.input
    known = {h.columns, *(n for node in (h, *case.unit.weights) for n in node.shape)}
    return with_numbers(case, {n: size for n, size in case.sizes.items() if n not in known})


def general(case: Case) -> Case:
    """The unit in general position: sizes that are no constant of a generated unit, and random data."""
    sizes = {name: (5, 4, 7)[k % 3] for k, name in enumerate(case.sizes)}
    if "m" in sizes:
        sizes["m"] = 2
    return replace(
        case,
        sizes=sizes,
        samples=2,
        units=1,
        targets="random",
        power=0,
        zeros=False,
        fine=True,
        seed=abs(case.seed) + 1,
    )


@dataclass
class Trial:
    """A case, and what became of it."""

    case: Case
    failures: list[Failure] = field(default_factory=list[Failure])
    begun: float = field(default_factory=monotonic)
    hessians: dict[int, np.ndarray] = field(default_factory=dict[int, np.ndarray])
    vanishing: dict[int, int] = field(default_factory=dict[int, int])

    # What is compared.

    @cached_property
    def network(self) -> Network:
        """The network; the array side cannot know the size of a dimension that only constants have, unless told."""
        return Network(told(self.case).unit, self.case.units, self.case.loss)

    @cached_property
    def data(self) -> tuple[np.ndarray, np.ndarray]:
        """X and Y."""
        return self.case.data()

    @cached_property
    def start(self) -> Reference:
        """The reference at the initial point."""
        return reference(self.case, at_start(self.case)).one_sided()

    @cached_property
    def nature(self) -> str:
        """On these data, see `nature`."""
        return nature(self.start, self.case)

    @cached_property
    def natural(self) -> str:
        """In general position, for a loss with a curvature."""
        case = replace(general(self.case), loss=squared)
        return nature(reference(replace(case, units=2), at_start(replace(case, units=2))).one_sided(), case)

    @cached_property
    def hessian(self) -> np.ndarray:
        """H at the initial point; without rounding where it nearly vanishes."""
        return self.hessian_of_units(self.case.units)

    def hessian_of_units(self, units: int) -> np.ndarray:
        """The same for another number of units, made once for each."""
        if units not in self.hessians:
            case = replace(self.case, units=units)
            self.hessians[units] = hessian_of(reference(case, at_start(case)).one_sided())
        return self.hessians[units]

    def vanishing_up_to(self, highest: int) -> int:
        """How many of the loss's first derivatives vanish at the initial point, at most `highest`."""
        if highest not in self.vanishing:
            self.vanishing[highest] = vanishing_derivatives(self.start, self.case, highest)
        return self.vanishing[highest]

    @cached_property
    def spectrum(self) -> Spectrum | Exception:
        """What the program says of the spectrum on the data."""
        return self.call("spectrum", lambda: spectrum_of(self.case, *self.data))

    # How it is compared.

    def fail(self, check: str, detail: str) -> None:
        """Something differs."""
        self.failures.append(Failure(check, " ".join(detail.split())))

    def call(self, check: str, compute: Callable[[], Found]) -> Found | Exception:
        """What is computed, or the refusal; anything else that is raised is a failure."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                return compute()
        except CLEAN as error:
            # What the exact routes raise is put into words by `check`.
            public = check.startswith(("at ", "spectrum", "check", "deep"))
            message = str(error) if public else ""
            if "\n" in message or len(message) > 200:
                self.fail(f"{check}: message", f"{len(message)} characters: {message[:300]}")
            return error
        except Exception as error:
            self.fail(f"{check}: raises", f"{type(error).__name__}: {error}"[:400])
            raise _Skip("raised") from None

    def same(
        self, check: str, found: Any, expected: np.ndarray, again: Callable[[], np.ndarray], natural: float = 0.0
    ) -> None:
        """The two arrays agree, relative to their largest entry."""
        found = np.asarray(found, dtype=float)
        if found.shape != expected.shape:
            return self.fail(check, f"shape {found.shape}; expected {expected.shape}")
        if not np.all(np.isfinite(expected)):
            raise _Skip("the reference is not finite")
        if self.case.power > 8:
            natural *= largest(self.data[0]) ** 2  # two factors of the data may cancel
        error, scale = largest(found - expected), largest(expected)
        if error <= 1e-9 * scale + 1e-12 * natural + TINY:
            return None
        try:
            with precision(200):
                exact = again()
        except UndecidedError:
            raise _Skip("a sign is undecided") from None
        if largest(exact) > HUGE:
            raise _Skip("overflow")
        if not np.all(np.isfinite(exact)) and has_bare_norms(self.case):
            raise _Skip("0/0 but for rounding")
        own, error, scale = largest(expected - exact), largest(found - exact), largest(exact)
        if error <= 1e-9 * scale + 1e4 * own + 1e-12 * natural + TINY:
            _count(f"{check}: ill-conditioned" if 1e4 * own > 1e-3 * scale > 0 else f"{check}: by balls")
            return None
        place = np.unravel_index(np.argmax(np.abs(found - exact)), found.shape)
        return self.fail(check, f"{found[place]:.12g} at {tuple(map(int, place))}; expected {exact[place]:.12g}")


class TimeLimitError(BaseException):
    """A case takes too long."""


@contextmanager
def limited(seconds: float) -> Generator[None]:
    """TimeLimitError after so many seconds of this process, however busy the machine."""

    def stop(*_: object) -> None:
        raise TimeLimitError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def largest(a: Any) -> float:
    """The largest modulus."""
    return float(np.max(np.abs(a), initial=0.0))


# What a unit is.


def nature(at: Reference, case: Case) -> str:
    """The unit at this initial point and on these data, by its values and by one-sided expansions of the loss.

    "fine"; "undefined"; "not the identity"; "no Hessian" where no expansion to second order exists; "kinked" where one
    does, yet the loss has no gradient at points nearby, so that a refusal is as right as a Hessian.
    """
    with np.errstate(all="ignore"):
        x = normal_numbers(case.generator(11), (3, *at.x.shape[1:]))
        for stream in (at.x, x):
            one = replace(at, x=stream, y=0 * stream, weights={n: w[:1] for n, w in at.weights.items()})
            moved = one.outputs()
            if not np.all(np.isfinite(moved)):
                return "undefined"
            if largest(moved - stream) > 1e-9 * largest(stream):
                return "not the identity"
        v, w = normal_numbers(case.generator(12), (2, 6, at.parameters))
        series = at.series(np.concatenate([v, w, v + w, v - w, -v]), 2)
        if not np.all(np.isfinite(series)):
            return "undefined"
        if not has_kinks(case):
            return "fine"
        first, second = sizes_of_terms(at)
        noise = 1e-13 * (first + first * first + second) * (largest(at.x) + largest(at.y))
        for k, c in ((1, series[1]), (2, series[2])):
            of_v, of_w, plus, minus, back = c.reshape(5, 6)
            defect = plus - of_v - of_w if k == 1 else plus + minus - 2 * of_v - 2 * of_w
            if largest([back - (-1) ** k * of_v, defect]) > 1e-9 * largest(c) + noise:
                return "no Hessian"
        smooth = all(_has_gradient(one, np.concatenate([v, w]), noise) for one in _nearby(at, case))
        return "fine" if smooth else "kinked"


def _nearby(at: Reference, case: Case) -> Iterator[Reference]:
    """Points with one weight, or all but one, as they are."""
    moved = case.generator(15)
    others = {n: w + normal_numbers(moved, w.shape) for n, w in at.weights.items()}
    for name, weight in at.weights.items():
        yield replace(at, weights={**others, name: weight})
        yield replace(at, weights={**at.weights, name: others[name]})


def _has_gradient(at: Reference, v: np.ndarray, noise: float) -> bool:
    series = at.series(np.concatenate([v, -v]), 1)
    ahead, back = series[1].reshape(2, -1)
    return largest(ahead + back) <= 1e-9 * largest(ahead) + noise


def sizes_of_terms(at: Reference) -> tuple[float, float]:
    """The largest entries of the first and second derivative of f, along unit vectors and random ones."""
    more = np.random.default_rng(0).standard_normal((3, at.parameters))
    f = at.output(np.concatenate([np.eye(at.parameters), more]), 2)
    # Where nothing moves, what cancels is of the size of the numbers in the unit, or of the data.
    value, norms = largest(f[0]), any(isinstance(n, Normalize) for n in nodes(at.root))
    least = max(1.0, value) if norms else min(value, 1.0) / 64
    first, second = (least if f[k] is None else max(largest(f[k]), least) for k in (1, 2))
    return first, second


def hessian_of(at: Reference) -> np.ndarray:
    """The Hessian; without rounding where it nearly vanishes."""
    with np.errstate(all="ignore"):
        found = at.hessian()
        first, second = sizes_of_terms(at)
        natural = first * first + second * (largest(at.x) + largest(at.y))
    if largest(found) > 1e-6 * natural or not np.all(np.isfinite(found)):
        return found
    try:
        with precision(200):
            exact = at.in_balls().hessian()
    except UndecidedError:
        raise _Skip("a sign is undecided") from None
    exact[np.abs(exact) < 1e-40 * (natural or 1.0)] = 0.0
    return exact


# The array side.


def routes(trial: Trial, emulator: Emulator | None) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Ways to force each way through a network that applies to the unit."""

    def patched(*changes: tuple[Any, str, Any]) -> Callable[[], Any]:
        @contextmanager
        def changed() -> Generator[None]:
            with ExitStack() as stack:
                for target, name, value in changes:
                    stack.enter_context(patch.object(target, name, value))
                yield

        return changed

    yield "", patched()
    if is_linear(trial.case.unit):
        yield "scan", patched((scan, "SHORTEST", 1), (scan, "CACHE", 0), (scan, "GROUP", 0))
    if emulator is not None:
        yield "kernels", patched((adjoint, "over_depth", partial(in_kernels, launch=emulator)))


def array_side(trial: Trial, weights: Mapping[str, np.ndarray], label: str, emulator: Emulator | None = None) -> None:
    """Every derivative by every route."""
    case, network, (x, y) = trial.case, trial.network, trial.data
    at = reference(case, weights)
    v = case.arrays(3)
    block = case.arrays(4, 2)
    cotangent = case.generator(5).standard_normal(x.shape)
    flat = at.flat(v)
    with np.errstate(all="ignore"):
        value, output, gradient = at.value(), at.outputs(), at.gradient()
        product = at.product(flat)
        blocks = np.stack([at.product(u) for u in at.flat(block)])
        changes = at.jvp(np.concatenate([flat[None], at.flat(block)]))
        (back,) = samples_of(case.unit.mixes_columns, [cotangent])
        of_weights, of_x = at.vjp(back)
        first, second = sizes_of_terms(at)
    finite = all(np.all(np.isfinite(a)) for a in (value, output, gradient, product, blocks, changes, of_weights, of_x))
    scale = largest(output) + largest(y) if case.loss is squared else 1.0
    size = 1 + largest(flat)
    balls = at.in_balls()

    def slots(a: np.ndarray) -> np.ndarray:
        return a if case.unit.mixes_columns else np.swapaxes(a[..., 0], -1, -2)

    def vector(found: Any) -> np.ndarray:
        return at.flat({name: np.asarray(a) for name, a in found.items()})

    def compare(name: str, compute: Callable[[], Any], *parts: Any) -> None:
        """`parts`: (read the result, expected, again, natural size)."""
        check = f"{label} {name}"
        with skipping(trial, check):
            found = trial.call(check, compute)
            if isinstance(found, Exception):
                if isinstance(found, OutOfMemoryError) and "memory" in name:
                    raise _Skip("out of memory")
                if finite or not isinstance(found, NotFiniteError):
                    empty = any(isinstance(n, Softmax) and n.mask is not None for n in nodes(case.unit.expression))
                    if not (empty and not finite):
                        trial.fail(f"{check}: refused", f"{type(found).__name__}: {found}")
                raise _Skip("refused")
            if not finite and has_bare_norms(case):
                raise _Skip("0/0 somewhere, or its rounding")
            for number, (read, expected, again, natural) in enumerate(parts):
                if not np.all(np.isfinite(expected)) and largest(read(found)) > HUGE:
                    raise _Skip("overflow")
                if not np.all(np.isfinite(expected)):
                    trial.fail(f"{check}: finite", f"{np.ravel(read(found))[:4]} where the reference is not finite")
                else:
                    trial.same(check if number == 0 else f"{check} {number}", read(found), expected, again, natural)

    def all_of(route: str, xp: Any, memory: int | None = None) -> None:
        array = ops(xp).asarray
        w, t, b = ({n: array(a) for n, a in one.items()} for one in (weights, v, block))
        X, Y, C = array(x), array(y), array(cotangent)
        more: Any = {} if memory is None else {"memory": memory}
        suffix = f" ({route})" if route else ""
        if not route or xp is not np:
            compare(
                f"value{suffix}",
                lambda: adjoint.value(network, w, X, Y),
                (np.asarray, np.asarray(value), lambda: np.asarray(balls.value()), scale * scale),
            )
            compare(
                f"outputs{suffix}",
                lambda: adjoint.outputs(network, w, X),
                (np.asarray, slots(output), lambda: slots(balls.outputs()), scale),
            )
            compare(
                f"jvp{suffix}",
                lambda: adjoint.jvp(network, w, t, X),
                (lambda o: o[1], slots(changes[0]), lambda: slots(balls.jvp(flat[None])[0]), first * size),
                (lambda o: o[0], slots(output), lambda: slots(balls.outputs()), scale),
            )
            compare(
                f"jvp block{suffix}",
                lambda: adjoint.jvp(network, w, b, X),
                (lambda o: o[1], slots(changes[1:]), lambda: slots(balls.jvp(at.flat(block))), first * size),
            )
            compare(
                f"hvp block{suffix}",
                lambda: adjoint.hvp(network, w, b, X, Y),
                (
                    vector,
                    blocks,
                    lambda: np.stack([balls.product(u) for u in at.flat(block)]),
                    (first * first + second * scale) * size,
                ),
            )
        compare(
            f"gradient{suffix}",
            lambda: adjoint.gradient(network, w, X, Y, **more),
            (vector, gradient, balls.gradient, first * scale),
        )
        compare(
            f"hvp{suffix}",
            lambda: adjoint.hvp(network, w, t, X, Y, **more),
            (vector, product, lambda: balls.product(flat), (first * first + second * scale) * size),
        )
        compare(
            f"vjp{suffix}",
            lambda: adjoint.vjp(network, w, X, C, **more),
            (lambda o: vector(o[0]), of_weights, lambda: balls.vjp(back)[0], first),
            (lambda o: o[1], slots(of_x), lambda: slots(balls.vjp(back)[1]), 1.0),
        )

    for route, context in routes(trial, emulator):
        with context():
            all_of(route, np)
    memory = int(case.generator(6).choice([200, 2000, 20000]))
    all_of(f"memory {memory}", np, memory)
    if case.seed % 10 == 0:
        all_of("strict", array_api_strict)


def untold(trial: Trial) -> None:
    """A dimension that only constants have is asked for in one line."""
    case = trial.case
    with skipping(trial, "untold"):
        if told(case) is case:
            raise _Skip("does not apply")
        network = Network(case.unit, case.units, case.loss)
        for name, compute in (
            ("at random: untold", lambda: adjoint.value(network, case.arrays(1), *trial.data)),
            ("at random: untold series", lambda: loss_series(network, case.arrays(1), case.arrays(7), *trial.data, 2)),
        ):
            found = trial.call(name, compute)
            if not (isinstance(found, DataError) and "has no size" in str(found)):
                trial.fail(name, f"{found}; expected a refusal")


def taylor(trial: Trial, weights: Mapping[str, np.ndarray], label: str) -> None:
    """Series of the loss and of the output."""
    case, network, (x, y) = trial.case, trial.network, trial.data
    at, v = reference(case, weights), case.arrays(7)
    flat = at.flat(v)[None]
    with np.errstate(all="ignore"):
        expected, f = at.series(flat, HIGHEST)[:, 0], at.output(flat, HIGHEST)
    with skipping(trial, f"{label} loss series"):
        found = trial.call(f"{label} loss series", lambda: loss_series(network, weights, v, x, y, HIGHEST))
        if not np.all(np.isfinite(expected)):
            raise _Skip("the reference is not finite")
        if isinstance(found, Exception):
            trial.fail(f"{label} loss series: refused", str(found))
            raise _Skip("refused")
        size = (largest(f[0]) + largest(y)) * (largest(f[0]) + largest(y))
        trial.same(
            f"{label} loss series",
            found,
            expected,
            lambda: np.array([float(c) for c in at.in_balls().series(flat, HIGHEST)[:, 0]]),
            size,
        )

        def stacked(one: Reference) -> np.ndarray:
            parts = one.output(flat, HIGHEST)
            return np.stack([np.broadcast_to(0.0 if c is None else c[0].astype(float), at.x.shape) for c in parts])

        moved = stacked(at)
        outputs = [np.asarray(c) for c in output_series(network, weights, v, x, HIGHEST)]
        if any(c.shape != x.shape for c in outputs):
            trial.fail(f"{label} output series", f"shapes {[c.shape for c in outputs]}; expected {x.shape}")
            raise _Skip("shapes")
        outputs = np.stack(outputs)
        (outputs,) = [outputs if case.unit.mixes_columns else np.moveaxis(outputs, -1, 1)[..., None]]
        natural = max(largest(f[0]), largest(x))
        trial.same(f"{label} output series", outputs, moved, lambda: stacked(at.in_balls()), natural)


def modular(trial: Trial) -> None:
    """The loss's coefficients modulo a prime, on whole numbers, from the initial point."""
    case = trial.case
    with skipping(trial, "modular"):
        if case.loss is not squared or any(isinstance(w.initial, Normal) for w in case.unit.weights):
            raise _Skip("not rational")
        if case.zeros:
            raise _Skip("any function at a nonzero point")
        if any(isinstance(n, Softmax | Normalize) for n in nodes(case.unit.expression)):
            raise _Skip("not elementwise")
        if has_kinks(case):
            raise _Skip("any function at a nonzero point")
        x, y = (np.round(8 * a / 2.0**case.power).astype(int) for a in trial.data)
        v = {name: np.round(8 * a).astype(int) for name, a in case.arrays(8).items()}
        at = replace(
            reference(case, {n: w.astype(int).astype(object) for n, w in at_start(case).items()}, (x, y)),
            numbers=FRACTIONS,
            sided=True,
        )
        try:
            exact = [Fraction(c) for c in at.series(at.flat(v)[None].astype(object), HIGHEST)[:, 0]]
        except UndecidedError:
            raise _Skip("not rational") from None
        expected = [c.numerator * pow(c.denominator, -1, PRIME) % PRIME for c in exact]
        found = trial.call("modular", lambda: loss_series_modulo(trial.network, x, y, v, HIGHEST, ops(np)))
        if isinstance(found, Exception):
            if not (isinstance(found, NotDifferentiableError) and "relu" in str(found)):
                trial.fail("modular: refused", str(found))
            raise _Skip("refused")
        if found != expected:
            trial.fail("modular", f"{found}; expected {expected}")


# The unit.


def columns(trial: Trial) -> None:
    """A unit that is said to keep columns apart does so: all samples in one matrix give what each gives alone."""
    case = trial.case
    with skipping(trial, "columns"):
        if case.unit.mixes_columns or isinstance(case.input.columns, int):
            raise _Skip("does not apply")
        at = reference(case, case.arrays(1, scale=0.5))
        sizes = {**at.sizes, case.input.columns: case.samples}
        together = replace(at, sizes=sizes, **{k: np.moveaxis(getattr(at, k), 0, -1)[..., 0, :][None] for k in "xy"})
        with np.errstate(all="ignore"):
            apart, joined = at.outputs()[..., 0].T, together.outputs()[0]
        rounding = 1e-9 * largest(apart) + 1e-12 * largest(at.x)
        if not np.allclose(apart, joined, rtol=1e-9, atol=rounding, equal_nan=True):
            if has_bare_norms(case) and not _finite_in_balls(at):
                raise _Skip("0/0 but for rounding")
            trial.fail("mixes_columns", "False, yet columns depend on each other or on their place")


def _power(value: float, power: int) -> float:
    try:
        return value**power
    except OverflowError:
        raise _Skip("overflow") from None


def _finite_in_balls(at: Reference) -> bool:
    """Whether the outputs are numbers where nothing is rounded."""
    try:
        with precision(200):
            return bool(np.all(np.isfinite(at.in_balls().outputs())))
    except UndecidedError:
        return False


# The exact side.


def explicit(trial: Trial) -> None:
    """Every entry of the explicit Hessian on rational data."""
    case, at = trial.case, trial.start
    with skipping(trial, "explicit"):
        if at.parameters > DENSE:
            raise _Skip("too many parameters")
        if not case.unit.mixes_columns and isinstance(case.input.columns, int) and case.input.columns > 1:
            raise _Skip("literal columns")
        instance = rational(case, trial.data)
        found = trial.call("explicit", lambda: hessian_at_initial_point(trial.network, dict(case.sizes), data=instance))
        if isinstance(found, Exception):
            _judge_general(trial, "explicit", found)
        if trial.nature == "no Hessian":
            trial.fail("explicit", "a Hessian; expected none: the one-sided expansions differ")
            raise _Skip("no Hessian")
        if trial.nature == "undefined":
            raise _Skip("undefined")
        symbols, known = _symbols(trial), dict[str, float]()
        h, terms = np.zeros((found.parameters, found.parameters)), 0.0
        for (a, b), entry in found.plain().items():
            total = 0.0
            for monomial, coefficient in entry.items():
                product = float(coefficient)
                for name, power in monomial:
                    if name not in known:
                        known[name] = symbols.value(name)
                    product *= _power(known[name], power)
                total += product
                terms = max(terms, abs(product))
            h[a, b] = h[b, a] = total
        _same_hessian(trial, "explicit", h, terms)  # long polynomials in near roots cancel when they are added up
        if at.parameters <= 10:
            _explicit_order(trial, instance)


def _explicit_order(trial: Trial, instance: Instance) -> None:
    case, up_to = trial.case, 3
    found = trial.call(
        "explicit order", lambda: explicit_order(trial.network, dict(case.sizes), up_to=up_to, data=instance)
    )
    if isinstance(found, Exception):
        raise _Skip("explicit order: refused")
    expected = trial.vanishing_up_to(up_to)
    rational_ = case.loss is squared and all(
        not isinstance(n, Softmax | Normalize) and (not isinstance(n, Apply) or n.activation.degree is not None)
        for n in nodes(case.unit.expression)
    )
    if found.order > expected or (rational_ and found.order != expected):
        trial.fail("explicit order", f"{found}; expected {expected}")


def rational(case: Case, data: Sequence[np.ndarray]) -> Instance:
    """The data as fractions."""
    by_sample = case.unit.mixes_columns or isinstance(case.input.columns, int)
    if by_sample and not case.unit.mixes_columns:
        data = [np.asarray(a).T[:, :, None] for a in data]

    def exact(a: np.ndarray) -> Any:
        return [exact(row) for row in a] if np.ndim(a) else Fraction(float(a))

    return Instance(*(exact(np.asarray(a)) for a in data))


def _symbols(trial: Trial) -> Symbols:
    """Values of the explicit route's symbols: entries of initial weights, derivatives of the loss."""
    case, at = trial.case, trial.start
    applied = [n.activation for n in nodes(case.unit.expression) if isinstance(n, Apply)]
    known = {
        f"{name}[{i + 1},{j + 1}]": float(x) for name, w in at.weights.items() for (i, j), x in np.ndenumerate(w[0])
    }
    if case.loss is not squared:
        known |= _cross_entropy(at, case.unit.mixes_columns)
    return Symbols({a.name: a for a in (*ACTIVATIONS.values(), *applied)}, known.__getitem__)


def _cross_entropy(at: Reference, mixes: bool) -> dict[str, float]:
    """g and Q by column."""
    found: dict[str, float] = {}
    for u, (x, y) in enumerate(zip(at.x, at.y, strict=True)):
        for t in range(x.shape[1]):
            tag = f"{t + 1}_{u + 1}" if mixes else f"{u + 1}"
            e = np.exp(x[:, t] - np.max(x[:, t]))
            p, total = e / e.sum(), y[:, t].sum()
            for i in range(len(p)):
                found[f"g_{i + 1}_{tag}"] = total * p[i] - y[i, t]
                for j in range(i, len(p)):
                    found[f"Q_{i + 1}_{j + 1}_{tag}"] = total * (p[i] * (i == j) - p[i] * p[j])
    return found


def _same_hessian(trial: Trial, check: str, h: np.ndarray, terms: float = 0.0) -> None:
    at = trial.start
    first, second = sizes_of_terms(at)
    natural = first * first + second * (largest(at.x) + largest(at.y))
    trial.same(check, h, trial.hessian, at.in_balls().hessian, max(natural, terms))


def _judge(trial: Trial, check: str, refusal: Exception, nature: str) -> NoReturn:
    """A refusal is right where the unit is not fine."""
    if nature == "fine":
        trial.fail(f"{check}: refused", f"{type(refusal).__name__}: {refusal}")
    raise _Skip(f"refused, {nature}")


def index_route(trial: Trial) -> None:
    """D and A contracted with the data, for every perturbation, are the reference's Hessian."""
    case, at = trial.case, trial.start
    with skipping(trial, "index route"):
        if at.parameters > DENSE:
            raise _Skip("too many parameters")
        terms = trial.call("index route", lambda: hessian_terms(case.unit, case.loss))
        if isinstance(terms, Exception):
            _judge_general(trial, "index route", terms)
        if trial.nature not in FINE:
            raise _Skip(trial.nature)
        x, y = trial.data
        sizes = {**case.sizes, "m": case.samples}
        basis = unflatten(case.unit, np.eye(at.parameters), case.units, sizes)
        env = environment(trial.network, x, y, sizes=case.inner, initial={n: w[0] for n, w in at.weights.items()})
        h = trial.call("index route", lambda: hessian_vector(terms, env, basis))
        if isinstance(h, Exception):
            _judge(trial, "index route", h, trial.nature)
        _same_hessian(trial, "index route", np.asarray(flatten(case.unit, h)))


def _same_function(refusal: object) -> None:
    """What the program may refuse for want of knowledge is left.

    A unit may be the identity only because of a relation between functions, relu(x) relu(x) = x relu(x); and a kink may
    not matter because what is made of it is multiplied by 0, or by what vanishes there too.
    """
    if "relu has no derivative" in str(refusal):
        raise _Skip("at a kink")
    if "by no relation that is known" in str(refusal):
        raise _Skip("the identity by an unknown relation")
    if isinstance(refusal, NotIdentityError | NoHessianError):
        _, goes, where = str(refusal).partition(" goes to ")
        if goes and re.search(r"[\w)]\(", where):
            raise _Skip("at a nonzero point of a function")


def has_shifts(case: Case) -> bool:
    """Whether the unit shifts: by more than a size it is zero, so that it may do more at other sizes."""
    return any(isinstance(n, Constant) and str(n.value).startswith("shift") for n in nodes(case.unit.expression))


def has_kinks(case: Case) -> bool:
    """Whether a function of the unit has a kink."""
    return any(isinstance(n, Apply) and n.activation.kinks for n in nodes(case.unit.expression))


def has_bare_norms(case: Case) -> bool:
    """Whether a norm has no epsilon: what cancels in its argument leaves 0/0, or a quotient of roundings."""
    return any(isinstance(n, Normalize) and not n.epsilon for n in nodes(case.unit.expression))


def has_signs(case: Case) -> bool:
    """Whether a norm without epsilon of a single entry is its sign, which random numbers do not have in common."""
    norms = [n for n in nodes(case.unit.expression) if isinstance(n, Normalize) and not n.epsilon]
    return any(case.sizes.get(str(n.operand.shape[n.axis]), n.operand.shape[n.axis]) == 1 for n in norms)


def _judge_general(trial: Trial, check: str, refusal: Exception) -> NoReturn:
    """A refusal for every size is right where the unit is not fine in general position, or on these data."""
    _same_function(refusal)
    if trial.nature == "fine" and trial.natural == "fine" and not has_shifts(trial.case):
        trial.fail(f"{check}: refused", f"{type(refusal).__name__}: {refusal}")
    raise _Skip("refused, " + (trial.nature if trial.nature != "fine" else trial.natural))


def identity(trial: Trial) -> None:
    """Whether the unit is the identity at its initial point."""
    with skipping(trial, "identity"):
        found = trial.call("identity", lambda: require_identity(trial.case.unit))
        _same_function(found)
        is_one = {"not the identity": False, "undefined": None}
        if isinstance(found, NotIdentityError):
            if is_one.get(trial.natural, True) and is_one.get(trial.nature, True) and not has_shifts(trial.case):
                trial.fail("identity: refused", str(found))
        elif isinstance(found, NotDifferentiableError):
            _judge_general(trial, "identity", found)
        elif not is_one.get(trial.nature, True) and is_one.get(trial.nature, True) is not None:
            trial.fail("identity", "taken for the identity, which it is not on these data")


def orders(trial: Trial) -> None:
    """The orders in general position."""
    case = general(trial.case)
    with skipping(trial, "orders"):
        if trial.natural not in FINE:
            raise _Skip(trial.natural)
        found = trial.call("branch order", lambda: branch_order(case.unit, HIGHEST))
        if isinstance(found, Exception):
            raise _Skip("refused")
        expected = branch_order_of(reference(case, at_start(case)).one_sided(), case)
        found = found or HIGHEST + 1
        # What holds for every size, or on both sides of a kink, is then at most the order here.
        special = has_shifts(case) or has_kinks(case) or has_signs(case)
        if found > expected or (found < expected and not special):
            trial.fail("branch order", f"{found}; expected {expected} at {dict(case.sizes)}")
        found = trial.call("stationary order", lambda: stationary_order(case.unit, case.loss, HIGHEST))
        if isinstance(found, Exception):
            raise _Skip("refused")
        expected = vanishing_derivatives(reference(case, at_start(case)).one_sided(), case, HIGHEST)
        found = HIGHEST if found is None else found
        if found > expected or (found < expected and not special):
            trial.fail("stationary order", f"{found}; expected {expected} at {dict(case.sizes)}")


def directions(at: Reference, generator: np.random.Generator) -> np.ndarray:
    """Random ones; many where the loss may be another function on each side: an even form has one sign there."""
    v = normal_numbers(generator, (1, at.parameters))
    if not any(isinstance(n, Apply) and n.activation.kinks for n in nodes(at.root)):
        return v
    v = np.concatenate([v, normal_numbers(generator, (11, at.parameters))])
    return np.concatenate([v, -v])


def branch_order_of(at: Reference, case: Case, highest: int = HIGHEST) -> int:
    """The least degree of f(X) - X, one unit, along random directions, proven; highest + 1 where all vanish."""
    v = directions(at, case.generator(13))
    with precision(bits(case)):
        f = _balls(lambda order: at.in_balls().output(v, order), highest)
        return next((k for k in range(1, highest + 1) if f[k] is not None and _nonzero(f[k], case)), highest + 1)


def vanishing_derivatives(at: Reference, case: Case, highest: int) -> int:
    """How many of the loss's first derivatives vanish, along random directions; at most `highest`."""
    v = directions(at, case.generator(14))
    with precision(bits(case)):
        series = _balls(lambda order: at.in_balls().series(v, order), highest)
        return next((k - 1 for k in range(1, highest + 1) if _nonzero(series[k], case)), highest)


def bits(case: Case) -> int:
    """So many that a derivative of order 6 on tiny data is not lost beside numbers of size 1."""
    return 200 + 8 * abs(case.power)


def _balls(compute: Callable[[int], Found], order: int) -> Found:
    try:
        return compute(order)
    except UndecidedError:
        raise _Skip("a sign is undecided") from None


def _nonzero(balls: np.ndarray, case: Case) -> bool:
    """Whether a ball without 0 is among them; all others are tiny."""
    found = [b for b in np.ravel(balls) if not isinstance(b, int) and not b.contains(0)]
    tiny = flint.arb(2) ** -(bits(case) - 100 - abs(case.power) // 2)
    if not found and any(not (abs(flint.arb(b)) < tiny) for b in np.ravel(balls)):
        raise _Skip("a ball around 0 is wide")
    return bool(found)


# The spectrum.


def eigenvalues(trial: Trial) -> None:
    """The spectrum on the data, and its extremes at depth."""
    case, at = trial.case, trial.start
    with skipping(trial, "spectrum"):
        if at.parameters > DENSE:
            raise _Skip("too many parameters")
        x, y = trial.data
        arguments: Any = (case.unit, case.units, x, y, case.loss)
        found = trial.spectrum
        if isinstance(found, Exception):
            if "not finite" in str(found) and case.power:
                raise _Skip("overflow")
            _judge_general(trial, "spectrum", found)
        _same_spectrum(trial, "spectrum", found)
        slow = monotonic() - trial.begun > SLOW
        if any(c.kind == "all units" for c in found.core) and case.units > 1 and not slow:
            deep = trial.call("deep spectrum", lambda: spectrum(*arguments, sizes=case.inner, dense=1))
            if isinstance(deep, Exception):
                trial.fail("deep spectrum: refused", str(deep))
                raise _Skip("refused")
            _same_spectrum(trial, "deep spectrum", deep, max(c.error or 0.0 for c in deep.core))


def spectrum_of(case: Case, x: np.ndarray, y: np.ndarray) -> Spectrum:
    """What the program says of a spectrum."""
    return spectrum(case.unit, case.units, x, y, case.loss, sizes=case.inner)


def _same_spectrum(trial: Trial, check: str, found: Spectrum, error: float = 0.0) -> None:
    """Eigenvalues with multiplicities, their signs, and what follows from them; `error` is what is said of them."""
    at = trial.start
    if trial.nature not in FINE:
        if trial.nature in {"not the identity", "no Hessian"}:
            trial.fail(check, f"a spectrum; expected a refusal: {trial.nature}")
        raise _Skip(trial.nature)
    values = np.linalg.eigvalsh(trial.hessian)
    size = largest(values)
    noise = 1e-9 * size + error + TINY
    if found.eigenvalues is not None:
        listed = np.array([e.value for e in found.eigenvalues for _ in range(e.multiplicity)])
        if len(listed) != len(values) or largest(listed - values) > noise:
            whole = 1 + largest(at.x) + largest(at.y)
            if largest(listed - values) > 1e-12 * whole * whole:
                trial.fail(check, f"eigenvalues {short(listed)}; expected {short(values)}")
                return
            raise _Skip("below rounding")
    if found.extremes is not None:
        ends = np.array([found.extremes.largest, found.extremes.smallest])
        if largest(ends - values[[-1, 0]]) > noise:
            trial.fail(f"{check} extremes", f"{ends}; expected {values[[-1, 0]]}")
    _same_signs(trial, check, found, values, error)
    _same_order(trial, check, found)


def _same_signs(trial: Trial, check: str, found: Spectrum, values: np.ndarray, error: float) -> None:
    size = largest(values)
    clear = (np.abs(values) <= 1e-12 * size) | (np.abs(values) >= max(1e-7 * size, 2 * error))
    if found.negative is None or not np.all(clear):
        _count(f"{check} signs: unclear")
        return
    counts = [int(np.sum(values < -1e-7 * size)), int(np.sum(values > 1e-7 * size))] if size else [0, 0]
    counts = [counts[0], len(values) - sum(counts), counts[1]]
    # The small eigenvalues of a softmax that is nearly saturated are none the less positive.
    saturated = trial.case.loss is not squared and trial.case.power > 0
    if [found.negative, found.zero, found.positive] != counts and (saturated or abs(trial.case.power) >= 8):
        _count(f"{check} signs: unclear")
        return
    if [found.negative, found.zero, found.positive] != counts:
        trial.fail(
            f"{check} signs", f"{[found.negative, found.zero, found.positive]}; expected {counts}: {short(values)}"
        )
        return
    nonzero = np.abs(values[np.abs(values) > 1e-7 * size]) if size else np.array([])
    expected = None if not len(nonzero) else float(nonzero.max() / nonzero.min())
    pseudo = found.pseudo_condition_number
    off = 1e-5 + (error / float(nonzero.min()) if len(nonzero) else 0.0)
    if (pseudo is None) != (expected is None) or (pseudo and expected and abs(pseudo / expected - 1) > off):
        trial.fail(f"{check} condition", f"{pseudo}; expected {expected}")
    infinite = math.inf if found.zero_exact else None
    if counts[1] and len(nonzero) and found.condition_number != infinite:
        trial.fail(f"{check} condition", f"{found.condition_number}; expected {infinite}")


def _same_order(trial: Trial, check: str, found: Spectrum) -> None:
    at = trial.start
    claimed, exact = (int(str(found.stationary_order).removeprefix(">=")), isinstance(found.stationary_order, int))
    highest = min(claimed + 1, 6) if at.parameters < 30 else min(claimed + 1, HIGHEST)
    expected = trial.vanishing_up_to(highest)
    if expected == 0 < claimed and any("the gradient is below its rounding bound" in note for note in found.notes):
        _count(f"{check} order: a gradient below rounding")
        return
    if expected < min(claimed, highest) or (exact and highest == claimed + 1 and expected != claimed):
        trial.fail(f"{check} order", f"{found.stationary_order}; expected {expected} (looked at {highest} derivatives)")
    if found.strict_saddle is not None and found.negative is not None:
        expected_saddle = found.negative > 0 and expected > 0
        if found.strict_saddle != expected_saddle:
            trial.fail(f"{check} saddle", f"{found.strict_saddle}; expected {expected_saddle}")


def short(values: np.ndarray) -> str:
    """Some of the numbers."""
    shown = ", ".join(f"{v:.6g}" for v in (values if len(values) <= 10 else [*values[:5], *values[-5:]]))
    return f"[{shown}]"


# The whole.


def whole_check(trial: Trial) -> None:
    """`resproof check` as a user runs it."""
    case = trial.case
    with skipping(trial, "check"):
        if case.units * case.parameters > DENSE:
            raise _Skip("too many parameters")
        x, y = trial.data
        setting = Setting(case.loss, case.units, Data(x, y, "random"), case.inner)
        found = trial.call("check", lambda: check(case.unit, "block", setting))
        if isinstance(found, Exception):
            if not isinstance(found, ArchitectureError | DataError):
                trial.fail("check: escapes", f"{type(found).__name__}: {found}")
            elif trial.nature == "fine" and trial.natural == "fine":
                trial.fail("check: refused", f"{type(found).__name__}: {found}")
            raise _Skip(f"refused, {trial.nature}")
        if "\n" in found.sentence:
            trial.fail("check: sentence", found.sentence)
        if found.reason:
            if len(found.reason) > 200 or "\n" in found.reason:
                trial.fail("check: reason", f"{len(found.reason)} characters: {found.reason[:250]}")
            _right_reason(trial, found.reason)
            raise _Skip("check refused")
        _confirmed(trial, found)
        assert found.spectrum is not None
        _same_spectrum(trial, "check spectrum", found.spectrum)
        _right_regime(trial, found)


def _confirmed(trial: Trial, found: Check) -> None:
    """Nothing is left unconfirmed, but for products of data that floats do not hold."""
    broken = [f"{one.label}: {r.verdict}: {r.reason}" for one, r in found.statements if r and r.verdict in UNSETTLED]
    if any(TimeLimitError.__name__ in line for line in broken):
        raise TimeLimitError  # it came while a statement ran, and became its ERROR
    enormous = [line for line in broken if abs(trial.case.power) > 190 and "leave what floats hold" in line]
    if len(enormous) < len(broken):
        trial.fail("check: statements", "; ".join(line for line in broken if line not in enormous)[:400])
    elif len(broken) != len(found.unconfirmed):
        trial.fail("check: unconfirmed", f"{found.unconfirmed}; statements {broken}"[:400])
    elif enormous:
        _count("check: data beyond floats")


def _right_reason(trial: Trial, reason: str) -> None:
    natures = {trial.nature, trial.natural}
    _same_function(reason)
    if "not the identity" in reason:
        right = bool(natures & {"not the identity", "undefined"})
    elif "no weights" in reason:
        right = not trial.case.unit.names
    else:
        right = bool(natures & {"no Hessian", "undefined", "kinked"}) or "relu has no derivative" in reason
    if not right and not has_shifts(trial.case):
        trial.fail("check: reason", f"{reason} (it is {trial.nature} on these data, {trial.natural} in general)")


def _right_regime(trial: Trial, found: Check) -> None:
    """What is said of depth, against two units on these data."""
    case = trial.case
    if 2 * case.parameters > DENSE:
        raise _Skip("too many parameters")
    two = replace(case, units=2)
    h = trial.hessian_of_units(2)
    p = case.parameters
    size = largest(h)
    if case.power < -300 and (size == 0.0 or largest(trial.data[0]) ** 4 == 0.0):
        raise _Skip("underflow")
    d, a = h[:p, :p], h[p:, :p]
    # What lies between these thresholds may be rounding, or a small A beside a large D.
    here = {depth_of(d, a, zero * size) for zero in (1e-9, 1e-15, *([0.0] if abs(case.power) >= 8 else []))}
    if found.regime_on_data not in here and not (found.regime_on_data is None and found.unconfirmed):
        trial.fail("check: regime", f"{found.regime_on_data} on these data; expected {here}: {found.sentence}")
    at_sizes = replace(two, targets="random", power=0, zeros=False, fine=True)
    _right_in_general(trial, "at these sizes", found.regime_at_sizes, at_sizes)
    _right_in_general(trial, "in general", found.regime, replace(general(case), units=2))
    if found.properties["strict-saddle"] != found.spectrum.strict_saddle:  # pyright: ignore[reportOptionalMemberAccess]
        trial.fail("check: properties", f"{found.properties}")
    if found.properties["depth-invariant"] and here == {"grows with depth"}:
        trial.fail("check: properties", f"{found.properties}, yet |A| = {largest(a):.3g} on these data")
    _right_roles(trial, found, h)
    if found.growth is not None:
        norms = [float(np.linalg.norm(b, 2)) for b in (a, d, d - a)]
        claimed = [found.growth.norm_a, found.growth.norm_d, found.growth.norm_difference]
        claimed = [norm * 2.0**found.growth.exponent for norm in claimed]
        if largest(np.subtract(norms, claimed)) > 1e-8 * max(norms) + 1e-12 * min(1.0, largest(trial.data[0])):
            trial.fail("check: growth", f"{claimed}; expected {norms}")
    for row in found.profile:
        if row.units * p <= DENSE and row.largest is not None:
            values = np.linalg.eigvalsh(trial.hessian_of_units(row.units))
            # A saturated softmax has a curvature that the reference's floats do not hold.
            if abs(row.largest - values[-1]) > 1e-4 * largest(values) + 1e-12 * min(1.0, largest(trial.data[0])):
                trial.fail("check: profile", f"{row.largest} at R = {row.units}; expected {values[-1]}")


def depth_of(d: np.ndarray, a: np.ndarray, zero: float) -> str:
    """How H_R depends on R, from the blocks of two units."""
    if largest(a) > zero:
        return "grows with depth"
    return "depth-invariant" if largest(d) > zero else "flat"


def _right_in_general(trial: Trial, where: str, claimed: str | None, case: Case) -> None:
    """What is said of data in general position, on some."""
    if claimed is None or 2 * case.parameters > 2 * DENSE:
        return
    at = reference(case, at_start(case)).one_sided()
    if nature(at, case) not in FINE:
        return
    h = hessian_of(at)
    p = case.parameters
    expected = depth_of(h[:p, :p], h[p:, :p], 1e-9 * largest(h))
    special = has_shifts(case) or has_kinks(case) or has_signs(case)
    order = ["flat", "depth-invariant", "grows with depth"]
    if claimed != expected and not (special and order.index(expected) < order.index(claimed)):
        trial.fail("check: regime", f"{claimed} {where}; expected {expected} at {dict(case.sizes)}")


_SMALL = Fraction(1, 64)
"""The variance of a weight that starts elsewhere: at larger ones, functions such as gelu are too small for balls."""


def _right_roles(trial: Trial, found: Check, h: np.ndarray) -> None:
    """Weights that occur together nowhere have no common entry; what another start of a weight would change."""
    case = trial.case
    place = np.repeat(np.arange(len(found.weights)), [prod(w.sizes) for w in found.weights])
    for i, one in enumerate(found.weights):
        for j, other in enumerate(found.weights):
            block = h[np.ix_(np.tile(place, 2) == i, np.tile(place, 2) == j)]
            if other.name not in one.partners and largest(block) > 1e-9 * largest(h):
                trial.fail("check: roles", f"{one.name} and {other.name} share entries up to {largest(block):.3g}")
    for alternative in found.alternatives[:1]:
        weight = next(w for w, name in case.unit.names.items() if name == alternative.weight)
        moved = replace(rebuilt(general(case), {weight: replace(weight, initial=normal(_SMALL))}), loss=squared)
        at = reference(moved, at_start(moved)).one_sided()
        kind = nature(at, moved)
        expected = branch_order_of(at, moved) if kind in FINE else None
        order = None if alternative.reason or kind not in FINE else min(alternative.order or 9, HIGHEST + 1)
        if order and expected and has_kinks(case):
            order = max(order, expected)  # what is shut on these data is not elsewhere
        of_functions = re.search(r" is .*[\w)]\(|relu|relation", alternative.reason)
        if order != expected and not (has_shifts(case) or (of_functions and order is None)):
            trial.fail("check: alternatives", f"{alternative}; expected order {expected}: {kind}")


# Variants that mean the same.


def variants(trial: Trial) -> None:
    """The same unit, written otherwise, has the same orders and the same spectrum."""
    case = trial.case
    with skipping(trial, "variants"):
        if trial.nature not in FINE or trial.natural not in FINE or case.power:
            raise _Skip("not fine")
        if monotonic() - trial.begun > SLOW:
            raise _Skip("slow")
        x, y = trial.data
        first = _summary(trial, "variants", case, lambda: trial.spectrum)
        renamed = {w: f"weight{k}" for k, w in enumerate(case.unit.weights)}
        kinds: list[tuple[str, Case, np.ndarray, np.ndarray]] = []
        bare = {w: replace(w, name=f"weight{k}") for k, w in enumerate(renamed)}
        kinds.append(("renamed", rebuilt(case, bare), x, y))
        root = case.unit.expression
        kinds.append(("transposed twice", replace(case, unit=ResidualUnit(root.T.T, case.unit.names)), x, y))
        if case.samples > 1:
            axis = 0 if case.unit.mixes_columns else 1
            kinds.append(("permuted", case, np.flip(x, axis).copy(), np.flip(y, axis).copy()))
        kinds.append(("literal sizes", literal(case), x, y))
        for name, variant, u, v in kinds:
            if variant.unit.mixes_columns != case.unit.mixes_columns:
                continue
            found = _summary(trial, f"variants ({name})", variant, partial(spectrum_of, variant, u, v))
            # At one size more may vanish than at every size.
            order = found[0] != first[0] and (name != "literal sizes" or (found[0] or 9) < (first[0] or 9))
            if order or not _agree(found[1], first[1]) or len(found[2]) != len(first[2]):
                trial.fail(f"variants ({name})", f"orders {found[:2]}; of the unit as it was {first[:2]}")
            elif largest(found[2] - first[2]) > 1e-9 * largest(first[2]) + 1e-12:
                trial.fail(f"variants ({name})", f"{short(found[2])}; of the unit as it was {short(first[2])}")


def _agree(a: int | str, b: int | str) -> bool:
    """Whether two orders may be the same, ">=4" being any from 4 on."""
    low, high = sorted((a, b), key=lambda order: int(str(order).removeprefix(">=")))
    return isinstance(low, str) or low == high


def _summary(
    trial: Trial, check: str, case: Case, of: Callable[[], Spectrum | Exception]
) -> tuple[Any, Any, np.ndarray]:
    order = trial.call(check, lambda: branch_order(case.unit, HIGHEST))
    if isinstance(order, Exception):
        raise _Skip("refused")
    one = trial.call(check, of)
    if isinstance(one, Exception) or one.eigenvalues is None:
        raise _Skip("no spectrum")
    values = [e.value for e in one.eigenvalues for _ in range(e.multiplicity)]
    return order, one.stationary_order, np.array(values)


def rebuilt(case: Case, leaves: Mapping[Any, Any]) -> Case:
    """The case with these leaves in place of others."""
    made = rebuild.rebuilt(case.unit.expression, lambda leaf: leaves.get(leaf, leaf))
    return replace(case, unit=ResidualUnit(made))


def literal(case: Case) -> Case:
    """The case with numbers in place of the names of inner widths and of the rows."""
    return with_numbers(case, {n: size for n, size in case.sizes.items() if n != case.input.columns and size > 1})


def with_numbers(case: Case, sizes: Mapping[str, int]) -> Case:
    """The case with numbers in place of these names."""
    if not sizes:
        return case

    def number(n: Any) -> Any:
        return sizes.get(n, n)

    leaves: dict[Any, Any] = {}
    for node in nodes(case.unit.expression):
        if isinstance(node, Input):
            leaves[node] = Input(number(node.rows), node.columns)
        elif isinstance(node, Constant):
            leaves[node] = Constant(node.value, tuple(map(number, node.shape)))
        elif isinstance(node, Weight):
            initial = node.initial
            if isinstance(initial, Normal) and isinstance(initial.variance, str):
                top, _, bottom = initial.variance.partition("/")
                initial = Normal(f"{top}/{number(bottom)}")
            leaves[node] = Weight(tuple(map(number, node.shape)), initial=initial, name=case.unit.names[node])
    found = rebuilt(case, leaves)
    left = {n for node in nodes(found.unit.expression) for n in node.shape}
    return replace(found, sizes={n: size for n, size in case.sizes.items() if n in left})


# All of it.


@contextmanager
def skipping(trial: Trial, check: str) -> Generator[None]:
    """A comparison that says nothing is counted, in Hypothesis' statistics."""
    try:
        with np.errstate(all="ignore"):
            yield
    except _Skip as reason:
        _count(f"{check}: {reason}")


def _count(what: str) -> None:
    """In Hypothesis' statistics, where it draws the cases."""
    if currently_in_test_context():
        event(what)


def all_arrays(trial: Trial, emulator: Emulator | None = None) -> None:
    """Value, outputs, gradient, H v, jvp and vjp at random weights and at the initial point."""
    start = trial.call("initial weights", lambda: at_start(trial.case))
    if isinstance(start, Exception):
        return trial.fail("initial weights", str(start))
    array_side(trial, trial.case.arrays(1, scale=0.5), "at random:", emulator)
    return array_side(trial, start, "at the start:") if trial.case.seed % 3 == 0 else None


def all_series(trial: Trial) -> None:
    """Taylor coefficients of loss and outputs."""
    taylor(trial, trial.case.arrays(1, scale=0.5), "at random:")


def _of_an_identity(compare: Callable[[Trial], None]) -> Callable[[Trial], None]:
    return lambda trial: None if trial.nature == "not the identity" else compare(trial)


COMPARISONS: Mapping[str, Callable[[Trial], None]] = {
    "arrays": all_arrays,
    "series": all_series,
    "a size that only constants have": untold,
    "modulo a prime": modular,
    "columns apart": columns,
    "the identity": identity,
    "the Hessian written out": _of_an_identity(explicit),
    "the Hessian in index notation": _of_an_identity(index_route),
    "orders": _of_an_identity(orders),
    "the spectrum": _of_an_identity(eigenvalues),
    "check": whole_check,
    "another way to write it": variants,
}
SECONDS = 60
"""Of this process, for all that is said of a case; one that takes longer is a failure where it is pinned."""


def failures_of(case: Case, *names: str) -> list[str]:
    """What differs in these comparisons, or in all."""
    trial = Trial(case)
    with suppress(ArchitectureError):
        refuse_enormous(case.unit.expression)
        try:
            with limited(SECONDS):
                for name in names or COMPARISONS:
                    with skipping(trial, name):
                        COMPARISONS[name](trial)
        except TimeLimitError:
            trial.fail("time", f"longer than {SECONDS} seconds")
    return [f"{one.check}: {one.detail[:300]}" for one in trial.failures]
