"""Every way through a network on whole numbers, where floats are exact: all give the same numbers, to the last bit.

Weights, directions and data are small whole numbers, biases halves, and the number of samples is a power of two; the units
have no other activation than ReLU. So no operation rounds, in whatever order it is done, and H v unit by unit and by a scan over
depth, in portions and segments of any length, is one array of numbers. Its product with v is twice the coefficient of
degree two that Taylor arithmetic finds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from resproof.architectures.activations import relu
from resproof.architectures.losses import cross_entropy, squared
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Constant, Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit, Stage
from resproof.numeric.backend import Array, Ops, device, largest_modulus
from resproof.numeric.data import as_batch, of_batch
from resproof.numeric.limits import OutOfMemoryError
from resproof.numeric.network.adjoint import MEMORY, loss_slope, outputs, start
from resproof.numeric.network.linear import is_linear
from resproof.numeric.network.parameters import Weights, shapes
from resproof.numeric.network.readout import through
from resproof.numeric.network.run import Cotangents, Run, Slope
from resproof.numeric.network.running_error import bounded_derivatives
from resproof.numeric.network.scan import over_depth
from resproof.numeric.network.taylor import loss_series
from resproof.proofs.statement import Argument, Computed, Context, Disagreement, Measurement
from resproof.symbolic.scope import Scope

_NAME = "whole numbers"


def _of_sides() -> ResidualUnit:
    """Weights on either side and transposed, a bias, a number as a weight, and a constant."""
    h, w, b, s, v = Input("d"), Weight("k", "d"), Weight("k"), Weight(1, 1), Weight("d", "d")
    return ResidualUnit(h + s * (w.T @ relu(w @ h + b)) + Constant(1, "d", "d") @ (v @ h))


def _inside() -> ResidualUnit:
    """The stream goes through weights alone."""
    h, u, v, w = Input("d"), Weight("d", "d"), Weight("d", "k"), Weight("k", "d")
    return ResidualUnit(u @ h + v @ relu(w @ h))


def _spread() -> ResidualUnit:
    """A stream of one row times a column, and no sum, by which a way would not be taken all the same."""
    h, a, b, v = Input("d"), Weight("d"), Weight("k*k"), Weight("d", "k*k")
    return ResidualUnit(v @ relu(b * (a.T @ h)))


def _linear() -> ResidualUnit:
    h, w, v, s = Input("d"), Weight("k*k", "d"), Weight("k*k", "d"), Weight(1, 1)
    return ResidualUnit(h + w.T @ (v @ h) + s * h)


def _of_columns() -> ResidualUnit:
    """Attention without a softmax."""
    h, (q, k, v) = Input("d"), (Weight("d", "d") for _ in range(3))
    return ResidualUnit(h + (v @ h) @ ((k @ h).T @ (q @ h)))


def _of_tokens() -> ResidualUnit:
    """Linear in h, and yet no product of d x d matrices: it mixes columns."""
    h, v = Input("d", "t"), Weight("d", "d")
    return ResidualUnit(h + v @ (h @ Constant(1, "t", "t")))


_CASES: Mapping[str, tuple[Network, tuple[int, ...], int]] = {
    "sides": (Network(_of_sides(), 7), (3, 8), 1),
    "inside": (Network(_inside(), 5), (3, 64), 1),
    "spread": (Network(_spread(), 1), (3, 8), 1),
    "linear": (Network(_linear(), 7), (3, 8), 1),
    "cross-entropy": (Network(_linear(), 7, cross_entropy), (2, 8), 1024),
    "columns": (Network(_of_columns(), 2), (4, 3, 2), 1),
    "tokens": (Network(_of_tokens(), 7), (4, 3, 2), 1),
}
"""Networks, the shape of X, and what its numbers are multiplied by: so large that two p_i are 0, 1 or 1/2."""


def _through_heads(ops: Ops) -> Mapping[str, tuple[Network, tuple[int, ...], int]]:
    """Three units each, under the squared loss of twice the stream, or of twice the sums over its tokens."""

    def network(unit: ResidualUnit, head: Expression, **sizes: int) -> Network:
        weights = {"W1": ops.asarray(2.0 * np.eye(sizes["d"]))}
        return Network(unit, 3, through(squared, Stage(head), weights, sizes, "head"))

    h, p = Input("d"), Weight("d", "d")
    sums = p @ Input("d", "t") @ Constant(1, "t", "t")
    return {
        "a head": (network(_of_sides(), p @ h, d=1, m=8), (1, 8), 1),
        "a head that mixes tokens": (network(_of_tokens(), sums, d=3, t=2, m=4), (4, 3, 2), 1),
    }


_SCANNED = ("linear", "cross-entropy")
"""Those that go by products over depth as well."""


@dataclass(frozen=True, slots=True)
class Ways:
    """How far each way is from the first; and by name, numbers that they find with what Taylor arithmetic makes of them.

    `portions`: whether all samples, unit by unit, need no more memory than a few of them, and no less; `left_out`: ways that were not gone.
    """

    apart: Sequence[float]
    portions: bool
    left_out: Sequence[str]
    pairs: Mapping[str, tuple[float, float]]
    sizes: str
    seed: int


def _computed(context: Context) -> Computed:
    ops, pairs, apart = device(context.device).ops, dict[str, tuple[float, float]](), list[float]()
    portions, left_out = True, list[str]()
    for name, (network, shape, times) in {**_CASES, **_through_heads(ops)}.items():
        draw, sizes = np.random.default_rng(context.seed), {"d": shape[-2], "k": 2}
        x, y = (ops.asarray(draw.integers(-1, 2, shape) * one) for one in (1.0 * times, 1.0))
        weights, v = (_drawn(network, sizes, draw, ops, bias) for bias in (0.5, 0.0))
        if (over_depth(start(_NAME, network, weights, v, x), shortest=1) is None) == (name in _SCANNED):
            left_out.append(f"{name}, products over depth")
        taylor = loss_series(network, weights, v, x, y, 2)
        bounded = bounded_derivatives(network, weights, v, x, y)
        for degree, tangents, beside in ((1, None, bounded.gradient), (2, v, bounded.product)):
            by_unit, *by_others = _pulled(network, weights, tangents, x, y)
            least, of_one = min(by_unit), min(next(_pulled(network, weights, tangents, *_first_sample(x, y))))
            first, *others = (one for way in (by_unit, *by_others) for one in way.values())
            portions = portions and least <= 2 * of_one and _is_least(network, weights, tangents, x, y)
            apart += [
                _apart(first[:-1], [beside[key][0, ...] for key in weights]),
                *(_apart(first, one) for one in others),
            ]
            along = sum(float(ops.xp.sum(a * b)) for a, b in zip(v.values(), first, strict=False))
            pairs[f"{name}, {degree}"] = along, degree * taylor[degree]
            if degree == 1 and is_linear(network.unit) and network.loss.quadratic:  # f is homogeneous in X
                f = outputs(network, weights, x)
                pairs[f"{name}, X"] = float(ops.xp.sum(first[-1] * x)), float(ops.xp.sum((f - y) * f)) / shape[-1]
        block, expected = {key: _in_pairs(ops, a) for key, a in v.items()}, [_in_pairs(ops, a) for a in first]
        apart += [_apart(expected, one) for way in _pulled(network, weights, block, x, y) for one in way.values()]
    shown = "whole numbers; d=3, k=2, R=1, 5, 7, m=8, 64, by cross-entropy d=2; attention without softmax, R=2, and sums of tokens, R=3, 7, m=4, t=2; through heads, R=3, d=1, 3"
    return Computed(Ways(apart, portions, left_out, pairs, shown, context.seed), Scope.of(shown))


def _in_pairs(ops: Ops, a: Array) -> Array:
    """A block of a and -3 a."""
    return ops.xp.stack([a, -3 * a])


def _drawn(network: Network, sizes: Mapping[str, int], draw: np.random.Generator, ops: Ops, bias: float) -> Weights:
    return {
        name: ops.asarray(draw.integers(-1, 2, (network.units, *shape)) + bias * (name == "b"))
        for name, shape in shapes(network.unit, sizes).items()
    }


def _pulled(
    network: Network, weights: Weights, tangents: Weights | None, x: Array, y: Array
) -> Iterator[Mapping[int, list[Array]]]:
    """The gradient or H v, by weights and by X, each way, unit by unit first; by the memory, ever less while that is enough."""
    run, given, slope = _started(network, weights, tangents, x, y)
    scans = {memory: over_depth(run, memory, shortest=1) for memory in (MEMORY, 2**14, 2**13, 2**12)}
    for way in (
        _with_less(run, given, slope),
        ((memory, *scan.pull(given, slope, run.algebra.order)) for memory, scan in scans.items() if scan is not None),
    ):
        found = {
            memory: [*(one[name] for name in weights), of_batch(network.unit, back)] for memory, (one,), back in way
        }
        if found:
            yield found


def _started(
    network: Network, weights: Weights, tangents: Weights | None, x: Array, y: Array
) -> tuple[Run, Array, Slope]:
    """The network as it runs, its data and the slope of its loss."""
    run, unit = start(_NAME, network, weights, tangents, x), network.unit
    return run, as_batch(unit, x), loss_slope(network.loss, unit, run, as_batch(unit, y))


def _with_less(run: Run, x: Array, slope: Slope) -> Iterator[tuple[int, Cotangents, Array]]:
    """What comes back with ever less memory, as long as that is enough."""
    memory = MEMORY
    with suppress(OutOfMemoryError):
        while True:
            yield memory, *run.pull(x, slope, run.algebra.order, memory)
            memory //= 2


def _is_least(network: Network, weights: Weights, tangents: Weights | None, x: Array, y: Array) -> bool:
    """Whether unit by unit the bytes that one sample takes are enough, and one less are not."""
    run, given, slope = _started(network, weights, tangents, x, y)
    _ = run.pull(given, slope, 0, run.bytes_least)
    try:
        _ = run.pull(given, slope, 0, run.bytes_least - 1)
    except OutOfMemoryError:
        return True
    return False


def _first_sample(*data: Array) -> list[Array]:
    return [a[:1] if a.ndim == 3 else a[:, :1] for a in data]


def _apart(left: list[Array], right: list[Array]) -> float:
    return sum(largest_modulus(a - b) for a, b in zip(left, right, strict=True))


def _agree(found: Ways, part: float) -> tuple[Measurement, ...]:
    """What the ways find, and such a part more, is what Taylor arithmetic says.

    Raises:
        Disagreement: two ways differ, one is not gone, or samples are not taken in portions.
    """
    if found.left_out:
        raise Disagreement(f"ways that were not gone: {'; '.join(found.left_out)}")
    if sum(found.apart):
        raise Disagreement(f"ways through one network are {sum(found.apart):.3g} apart")
    if not found.portions:
        raise Disagreement("all samples need more memory than a few, or less: they are not taken in portions")
    return tuple(
        Measurement(
            f"{name}: derivative - that of Taylor arithmetic",
            abs(along * (1.0 + part) - expected),
            0.0,
            found.sizes,
            found.seed,
            "exact arithmetic: floats hold these numbers",
            scale=abs(expected),
        )
        for name, (along, expected) in found.pairs.items()
    )


EVERY_WAY = Argument(
    "Every way through a network on whole numbers",
    "floating point",
    _computed,
    0.0,
    {"a rounding more": 2.0**-52, "twice as large": 1.0},
    _agree,
    explanation="Unit by unit, with rounding errors beside it, and by a scan over depth, in portions and "
    "segments of many lengths: the gradient and $H v$ at nonzero weights, to the last bit; along $v$ the coefficients of degree "
    "1 and 2.",
)
