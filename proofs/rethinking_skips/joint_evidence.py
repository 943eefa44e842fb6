"""Products of layers on the running thing, up to L = 10^5: hidden states and condition numbers on the context's data.

The layers are random, with common eigenvectors and without; see `proofs.rethinking_skips.random_layers`. log kappa(H^L) is measured
from rescaled products of the layers and of their inverses (`proofs.rethinking_skips.rescaled`) and held against what the eigenvalues
alone predict, within log kappa(V)^2 kappa(X) and the derived rounding error.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from resproof.numeric.rounding import UNIT_ROUNDOFF, gamma
from resproof.proofs.rethinking_skips.ball_products import log_condition, log_spread
from resproof.proofs.rethinking_skips.ball_products import log_conditions as enclosed_log_conditions
from resproof.proofs.rethinking_skips.random_layers import (
    JointLayers,
    LayerKind,
    basis,
    gaussian_layers,
    joint_layers,
    multipliers,
    small_layers,
    worst_layers,
)
from resproof.proofs.rethinking_skips.rescaled import (
    Conditioned,
    log_conditions,
    log_error,
    multiply,
    product,
    rescaled,
    row_factor,
    spread_error,
)
from resproof.proofs.routes.counted import Counts, counted
from resproof.proofs.statement import Computed, Context, Measurement, Unsuited
from resproof.symbolic.scope import Scope

WIDTH = 10
"""At most so many components of the data are taken."""
_DECADE = math.log(10.0)

Measured: TypeAlias = Callable[[Context], Computed]


def inputs(context: Context) -> NDArray[np.float64]:
    """The samples that are not zero, their first WIDTH components.

    Raises:
        Unsuited: they have not full row rank, or only one component.
    """
    x = np.asarray(context.data.X, dtype=np.float64)[:WIDTH]
    x = x[:, np.any(x != 0.0, axis=0)]
    if x.shape[0] < 2 or x.shape[0] > x.shape[1]:
        raise Unsuited(f"the data have the shape {x.shape}; expected two components or more, and as many samples")
    try:
        _ = row_factor(x)
    except ValueError:
        raise Unsuited(f"the first {x.shape[0]} components of the data are linearly dependent") from None
    return x


# Condition numbers of layers with common eigenvectors.


@dataclass(frozen=True, slots=True)
class ConditionPoint:
    """log10 kappa(H^L) as measured and as predicted by the eigenvalues, how far they may differ, and by rounding alone.

    `layerwise` is log10 of prod_l (max_i |mu_i^l| / min_i |mu_i^l|): the prediction where one order holds in all layers.
    """

    depth: int
    measured: float
    predicted: float
    layerwise: float
    band: float
    rounding: float
    at: str = field(default="", kw_only=True)
    """What is not as for the others."""


def condition_points(
    kind: LayerKind, x: NDArray[np.float64], depths: Sequence[int], *, seed: int, scale: float = 1.0, condition: float
) -> list[ConditionPoint]:
    """Condition numbers of the hidden representations of X in a random network with common eigenvectors."""
    width = int(x.shape[0])
    layers = joint_layers(kind, depths[-1], width, seed=seed, scale=scale, condition=condition)
    v, data = layers.condition, float(np.linalg.cond(x))
    found = []
    for one in log_conditions(layers.chunks(), x, depths):
        predicted = layers.log_ratio(one.depth)
        band = 2 * math.log(v) + math.log(data)
        # The |mu_i| are in descending order.
        point = (one.log_condition, predicted, predicted, band, _off(one, layers))
        found.append(ConditionPoint(one.depth, *(value / _DECADE for value in point)))
    return found


def _off(one: Conditioned, layers: JointLayers) -> float:
    """By what a measured logarithm and its prediction may be off by rounding."""
    products = log_error(one, len(layers.vectors), layers.condition, layers.layer_conditions(one.depth))
    return products + 8 * UNIT_ROUNDOFF * (abs(one.log_condition) + _moduli(layers, one.depth))


def _moduli(layers: JointLayers, depth: int) -> float:
    """The sum of |log |mu||, which bounds the rounding of the logarithms."""
    return float(np.sum(np.abs(np.log(np.abs(layers.mu[:depth, [0, -1]])))))


def condition_growth(kind: LayerKind, depths: Sequence[int], *, scale: float, condition: float) -> Measured:
    """`condition_points` on the context's data, and of the first depth for data that are far from whitened."""

    def compute(context: Context) -> Computed:
        x = inputs(context)
        points = partial(condition_points, kind, seed=context.seed, scale=scale, condition=condition)
        far = points(np.diag(np.cumsum(np.ones(len(x)))), depths[:1])
        found = [*points(x, depths), *(replace(one, at="X = diag(1, ..., d), ") for one in far)]
        sizes = f"{kind}, d={x.shape[0]}, m={x.shape[1]}, kappa(V)={condition:g}, s={scale:g}; {context.data.name}"
        return Computed((found, sizes, context.seed), Scope.of(f"L={depths[-1]}, {sizes}"))

    return compute


def ordered_growth(kind: LayerKind, depths: Sequence[int], *, scale: float) -> Measured:
    """Condition numbers on the context's data in balls, the orthogonal eigenvectors numbered by |lambda_i| in every layer.

    And of the first depth for X = I, where nothing but the balls and the logarithms leaves room.
    """

    def compute(context: Context) -> Computed:
        x = inputs(context)
        rng = np.random.default_rng(context.seed)
        width = int(x.shape[0])
        normal = [int(a) for a in rng.integers(1, 10, size=width)]
        mu = multipliers(kind, depths[-1], width, scale, rng, order="lambda")
        alone = [replace(one, at="X = I, ") for one in _in_balls(normal, mu, np.eye(width), depths[:1])]
        found = [*_in_balls(normal, mu, x, depths), *alone]
        sizes = f"{kind}, d={width}, m={x.shape[1]}, V orthogonal, |lambda_1| >= ..., s={scale:g}; {context.data.name}"
        return Computed((found, sizes, context.seed), Scope.of(f"L={depths[-1]}, {sizes}"))

    return compute


def _in_balls(
    normal: Sequence[int], mu: NDArray[np.float64], x: NDArray[np.float64], depths: Sequence[int]
) -> Iterator[ConditionPoint]:
    data, logs = log_condition(x), np.log(np.abs(mu))
    for depth, one in zip(depths, enclosed_log_conditions(normal, mu, x, depths), strict=True):
        predicted, layers = log_spread(mu[:depth]), math.fsum(np.ptp(logs[:depth], axis=1))
        # Both are divided by log 10, and subtracted.
        rounding = one.error + predicted.error + 4 * UNIT_ROUNDOFF * abs(one.value)
        point = (one.value, predicted.value, layers, data.value + data.error, rounding)
        yield ConditionPoint(depth, *(value / _DECADE for value in point))


def near_prediction(
    found: tuple[list[ConditionPoint], str, int], claim: Callable[[ConditionPoint], float]
) -> tuple[Measurement, ...]:
    """|log10 kappa(H^L) - claim| at each depth; the claim is log10(max_i prod|mu_i| / min_i prod|mu_i|)."""
    points, sizes, seed = found
    return tuple(
        Measurement(
            r"$\lvert\log_{10} \kappa(H^L) - \text{prediction}\rvert$",
            abs(one.measured - claim(one)),
            one.band + one.rounding,
            f"L={one.depth}, {one.at}{sizes}",
            seed,
            r"$\log_{10}$ of $\kappa(V)^2 \kappa(X)$, and the rounding of two rescaled products, or of logarithms where balls are multiplied",
            scale=abs(one.predicted),
        )
        for one in points
    )


# Independent Gaussian layers.


def digamma_difference(width: int) -> float:
    """psi(d/2) - psi(1/2) by psi(x + 1) = psi(x) + 1/x and psi(1) - psi(1/2) = 2 log 2."""
    if width % 2:
        return 2.0 * math.fsum(1.0 / (2 * k - 1) for k in range(1, (width - 1) // 2 + 1))
    return 2.0 * math.log(2.0) + math.fsum(1.0 / k for k in range(1, width // 2))


def gaussian_growth(depth: int) -> Measured:
    """log kappa(H^L) of a plain network with independent Gaussian layers, which have no common eigenvectors."""

    def compute(context: Context) -> Computed:
        x = inputs(context)
        width = int(x.shape[0])
        (found,) = log_conditions(gaussian_layers(depth, width, context.seed), x, [depth])
        sizes = f"L={depth}, d={width}, independent N(0, 2/d); {context.data.name}"
        return Computed((found, width, sizes, context.seed), Scope.of(sizes))

    return compute


def near_rate(found: tuple[Conditioned, int, str, int], claim: float) -> Measurement:
    """|log kappa(H^L)/L - claim * (psi(d/2) - psi(1/2))/2|; the claim is 1.

    |W u| for a unit vector u is chi_d distributed up to scale, 1/|W^{-T} u| chi_1: log(|P u| |P^{-T} u'|) has the mean
    L (psi(d/2) - psi(1/2))/2 and a standard deviation of at most sqrt(L) pi/sqrt(2), and for random u, u' it falls
    short of log kappa(P) by more than 2 log(10^8) with a probability below 10^-7. Source: Newman 1986, The distribution
    of Lyapunov exponents: exact results for random matrices.
    """
    one, width, sizes, seed = found
    rate = digamma_difference(width) / 2.0
    bound = (6.0 * math.pi / math.sqrt(2.0 * one.depth)) + 2.0 * math.log(1e8) / one.depth
    return Measurement(
        r"$\lvert\log \kappa(H^L)/L - \text{rate}\rvert$",
        abs(one.log_condition / one.depth - claim * rate),
        bound,
        sizes,
        seed,
        r"six standard deviations of the logarithms of chi variables, and twice $\log 10^8$ for the ends",
        "about $10^{-7}$",
        scale=rate,
    )


# Layers I + W with |W| = a/L.


def small_weights_growth(depth: int, a: float) -> Measured:
    """log kappa of the product of I + W^l, |W^l| = a/L, for random W^l and for diag(1, -1, ...), on the data."""

    def compute(context: Context) -> Computed:
        x = inputs(context)
        width, small = int(x.shape[0]), a / depth
        sets: dict[str, Iterator[NDArray[np.float64]]] = {
            "random $W^l$": small_layers(depth, width, small, context.seed),
            r"$W^l = (a/L) \, \mathrm{diag}(1, -1, \ldots)$": worst_layers(depth, width, small),
        }
        data = math.log(float(np.linalg.cond(x)))
        found = {name: log_conditions(chunks, x, [depth])[0] for name, chunks in sets.items()}
        sizes = f"L={depth}, a={a:g}, d={width}; {context.data.name}"
        return Computed((found, width, a, data, sizes, context.seed), Scope.of(sizes))

    return compute


def below_the_invariant(found: Any, claim: Callable[[float, int], float]) -> tuple[Measurement, ...]:
    """log kappa(H^L) - log kappa(X) at most the claimed bound, which diag(1, -1, ...) attains."""
    measured, width, a, data, sizes, seed = found
    told, condition = [], r"\log \kappa(H^L)"
    for name, one in measured.items():
        spread = one.depth * math.log((1 + a / one.depth) / (1 - a / one.depth))
        error = spread_error(one, width, spread) + data
        attained = name != "random $W^l$"
        bound = claim(a, one.depth)
        told.append(
            Measurement(
                rf"{name}: $\lvert{condition} - \text{{bound}}\rvert$" if attained else f"{name}: ${condition}$",
                abs(one.log_condition - bound) if attained else one.log_condition,
                error if attained else bound + error,
                sizes,
                seed,
                r"$\log \kappa(X)$, and the rounding of two rescaled products",
                scale=bound if attained else None,
                at_most=not attained,
            )
        )
    return tuple(told)


# Hidden states.


@dataclass(frozen=True, slots=True)
class Followed:
    """V^{-1} h^L / prod_l mu_1^l for all samples, alpha, the layers, and the relative rounding error."""

    coordinates: NDArray[np.float64]
    alpha: NDArray[np.float64]
    layers: JointLayers
    error: float
    sizes: str
    seed: int


def _followed(layers: JointLayers, alpha: NDArray[np.float64], sizes: str, seed: int) -> Followed:
    total = rescaled(np.eye(len(alpha)))
    for chunk in layers.chunks():
        total = multiply(product(chunk[::-1]), total)
    logs = np.log(np.abs(layers.mu[:, 0]))
    # prod mu_1 = sign e^log; both exponents are large and nearly cancel.
    log = int(total.exponent) * math.log(2.0) - math.fsum(logs)
    sign = float(np.prod(np.sign(layers.mu[:, 0])))
    back = np.linalg.inv(layers.vectors)
    found = sign * math.exp(log) * (back @ (total.matrix @ (layers.vectors @ alpha)))
    depth, width = layers.mu.shape
    rounding = layers.condition**3 * width * gamma(3 * width + 2)
    error = math.expm1(2 * (depth + 4) * rounding) + 8 * UNIT_ROUNDOFF * float(np.sum(np.abs(logs)))
    return Followed(found, alpha, layers, error, sizes, seed)


def _solve(vectors: NDArray[np.float64], x: NDArray[np.float64]) -> NDArray[np.float64]:
    """V^{-1} x."""
    return np.asarray(np.linalg.solve(vectors, x), dtype=np.float64)


def follow_eigenbasis(depth: int) -> Measured:
    """A random plain network with common eigenvectors on the data, its hidden states in their basis."""

    def compute(context: Context) -> Computed:
        x = inputs(context)
        layers = joint_layers("plain", depth, int(x.shape[0]), seed=context.seed)
        sizes = f"plain, L={depth}, d={x.shape[0]}, m={x.shape[1]}, kappa(V)=2; {context.data.name}"
        return Computed(_followed(layers, _solve(layers.vectors, x), sizes, context.seed), Scope.of(sizes))

    return compute


def _ratios(layers: JointLayers, depth: int) -> NDArray[np.float64]:
    """prod_l mu_i^l / prod_l mu_1^l."""
    return np.prod(layers.mu[:depth] / layers.mu[:depth, :1], axis=0)


def near_eigenbasis(found: Followed, claim: float | None) -> Measurement:
    """The distance of the coordinates from alpha_i prod mu_i / prod mu_1, over |alpha|; None leaves one layer out."""
    depth = len(found.layers.mu)
    expected = found.alpha * _ratios(found.layers, depth)[:, None]
    if claim is None:
        expected = found.alpha * _ratios(found.layers, depth - 1)[:, None] / found.layers.mu[-1, 0]
    else:
        expected = expected * (1.0 + claim)
    value = float(np.linalg.norm(found.coordinates - expected) / np.linalg.norm(found.alpha))
    return Measurement(
        r"$\lvert V^{-1} h^L - \text{claim}\rvert / (\lvert\alpha\rvert \prod \lvert\mu_1\rvert)$",
        value,
        found.error,
        found.sizes,
        found.seed,
        r"$\kappa(V)^3 d \gamma_d$ for each of $2 L$ products",
        scale=1.0,
    )


def gapped_network(depth: int, gap: float) -> Measured:
    """A plain network with |mu_i| <= q |mu_1|: the eigenvalues of a random one, those from the second on shrunk by q."""

    def compute(context: Context) -> Computed:
        x = inputs(context)
        rng = np.random.default_rng(context.seed)
        width = int(x.shape[0])
        vectors = basis(width, 2.0, rng)
        mu = multipliers("plain", depth, width, 1.0, rng)
        mu[:, 1:] *= gap
        layers = JointLayers(vectors, mu)
        sizes = f"plain, q={gap:g}, L={depth}, d={width}, m={x.shape[1]}; {context.data.name}"
        return Computed(_followed(layers, _solve(vectors, x), sizes, context.seed), Scope.of(sizes))

    return compute


def within_gap(found: Followed, claim: Callable[[int], float]) -> Measurement:
    """|coordinates 2..d| / (|alpha_2..d| prod|mu_1|), at most q^L and rounding."""
    rest, alpha = found.coordinates[1:], found.alpha[1:]
    size = np.linalg.norm(alpha)
    value = float(np.linalg.norm(rest) / size)
    bound = claim(len(found.layers.mu)) + found.error * float(np.linalg.norm(found.alpha) / size)
    return Measurement(
        r"$\lvert h^L - \text{dominant term}\rvert / \lvert x - \alpha_1 v_1\rvert$, in the eigenbasis",
        value,
        bound,
        found.sizes,
        found.seed,
        r"$q^L$, and $\kappa(V)^3 d \gamma_d$ for each of $2 L$ products",
        at_most=True,
    )


def nearly_kept(depth: int, eps: float) -> Measured:
    """A residual network with lambda_1 = 1/10 and lambda_i = eps/L for i >= 2, on the data."""

    def compute(context: Context) -> Computed:
        x = inputs(context)
        width = int(x.shape[0])
        vectors = basis(width, 2.0, np.random.default_rng(context.seed))
        mu = np.full((depth, width), 1.0 + eps / depth)
        mu[:, 0] = 1.1
        sizes = f"residual, eps={eps:g}, L={depth}, d={width}, m={x.shape[1]}; {context.data.name}"
        return Computed(_followed(JointLayers(vectors, mu), _solve(vectors, x), sizes, context.seed), Scope.of(sizes))

    return compute


def within_dropped(found: Followed, bound: float) -> Measurement:
    """|coordinates 2..d of h^L - alpha| / |alpha_2..d|, at most the claimed bound and rounding."""
    rest, alpha = found.coordinates[1:], found.alpha[1:]
    first = float(np.prod(found.layers.mu[:, 0]))
    size = np.linalg.norm(alpha)
    whole = float(np.linalg.norm(found.alpha) / size)
    return Measurement(
        r"$\lvert h^L - \text{form}\rvert / \lvert x - \alpha_1 v_1\rvert$, in the eigenbasis",
        float(np.linalg.norm(first * rest - alpha) / size),
        bound + first * whole * (found.error + len(found.layers.mu) * UNIT_ROUNDOFF),
        found.sizes,
        found.seed,
        r"$e^\varepsilon - 1$, and $\kappa(V)^3 d \gamma_d$ for each of $2 L$ products",
        at_most=True,
    )


def telescoping_network(depth: int) -> Measured:
    """d = 2, mu_1 = 1, mu_2 = 1 - 1/(l+1)^2 with turned eigenvectors and alpha = (2, 2): the counterexample, run."""

    def compute(context: Context) -> Computed:
        number = np.arange(1.0, depth + 1.0)
        mu = np.stack([np.ones(depth), 1.0 - 1.0 / (number + 1.0) ** 2], axis=1)
        layers = JointLayers(np.array([[0.6, -0.8], [0.8, 0.6]]), mu)
        sizes = f"plain, d=2, L={depth}, alpha=(2, 2)"
        return Computed(_followed(layers, np.full((2, 1), 2.0), sizes, context.seed), Scope.of(sizes))

    return compute


def near_half(found: Followed, claim: Callable[[int], float]) -> Measurement:
    """The distance of the coordinate beside the dominant one from claim(L) alpha_1, over |alpha|."""
    depth = len(found.layers.mu)
    size = float(np.linalg.norm(found.alpha))
    return Measurement(
        r"$\lvert h^L_2 - \text{claim} \cdot \alpha_1\rvert / \lvert\alpha\rvert$, in the eigenbasis",
        abs(float(found.coordinates[1, 0] - claim(depth) * found.alpha[0, 0])) / size,
        found.error,
        found.sizes,
        None,
        r"$\kappa(V)^3 d \gamma_d$ for each of $2 L$ products, where $\mu_2$ is rounded as well",
        scale=abs(claim(depth)) or None,
    )


# What is allowed, counted.


def _allowed() -> Counts:
    """Of two layers 3 x 3 with kappa(V) = 3, in units of roundoff: two products, a hidden state and what is kept of it.

    The condition number of I is enclosed between 1 and the root of 3 that the balls of its norm leave.
    """
    mu, vectors = np.array([[4.0, 2.0, 2.0]] * 2), np.diag([1.0, 1.0, 3.0])
    layers, one = JointLayers(vectors, mu), Conditioned(2, 6.0, 5 * UNIT_ROUNDOFF)
    hidden = _followed(replace(layers, mu=math.e * np.ones((2, 3))), np.ones((3, 1)), "", 0)
    coordinates = np.array([[3.0], [4.0], [0.0]])
    kept = Followed(coordinates, coordinates, layers, 8 * UNIT_ROUNDOFF, "", 0)
    found = {
        "two products": log_error(one, 3, layers.condition, layers.layer_conditions(2)),
        "a condition number": _off(one, layers),
        "two products of any layers": spread_error(one, 3, math.log(2)),
        "a hidden state": hidden.error,
        "beside the dominant term": within_gap(kept, lambda _: 0.0).bound,
        "what is dropped": within_dropped(kept, 0.0).bound,
        "the middle of a ball": (ball := log_condition(np.eye(3))).value,
        "its radius": ball.error,
    }
    return {name: value / UNIT_ROUNDOFF for name, value in found.items()}


# d gamma_(3 d + 2) is 33 u, once for each product, times kappa(V)^3; an inverse is off by 5 u and 2 * 33 u for each of 2 + 2.
_ONCE, _INVERTED = 3**3 * 33, 3 * (5 + (2 + 2) * 2 * 33) + 3**2 * 33 * (2 + 2)
_TWO_PRODUCTS = 2 * 3 * _ONCE + 2 * (3 * _ONCE + _INVERTED)

COUNTED = counted(
    _allowed,
    {
        "two products": _TWO_PRODUCTS,
        "a condition number": _TWO_PRODUCTS + 8 * (6 + 2 * (math.log(4) + math.log(2))),
        "two products of any layers": 2 * 2 * 3 * 33 + 2 * 2 * (3 * 4 * 33 + 5),
        "a hidden state": 2 * (2 + 4) * _ONCE + 8 * 2,
        "beside the dominant term": 8 * 5 / 4,
        "what is dropped": 4 * 4 * (5 / 4) * (8 + 2),
        # 2^53/2 of log(3) / 2^50, between 0 and which the logarithm is enclosed.
        "the middle of a ball": 4 * math.log(3),
        "its radius": 4 * math.log(3),
    },
    "L=2, d=3, kappa(V)=3",
)


# Random matrices.


def draw_matrices(count: int) -> Measured:
    """How many of `count` random matrices of this width are not certainly nonsingular, He's and uniform ones."""

    def compute(context: Context) -> Computed:
        width, half, rng = WIDTH, count // 2, np.random.default_rng(context.seed)
        drawn = np.concatenate(
            [
                rng.normal(scale=math.sqrt(2.0 / width), size=(half, width, width)),
                rng.uniform(-1.0, 1.0, size=(count - half, width, width)),
            ]
        )
        singular = np.linalg.svd(drawn, compute_uv=False)
        doubtful = int(np.sum(singular[:, -1] <= width**2 * 2.0**-52 * singular[:, 0]))
        sizes = f"d={width}, {half} from N(0, 2/d), {count - half} from U[-1, 1]"
        return Computed((doubtful, sizes, context.seed), Scope.of(sizes))

    return compute


def none_singular(found: tuple[int, str, int], claim: int) -> Measurement:
    """How far the number of doubtful matrices is from the claimed one."""
    doubtful, sizes, seed = found
    return Measurement(
        "|matrices not certainly nonsingular - claim|",
        float(abs(doubtful - claim)),
        0.0,
        sizes,
        seed,
        r"$\sigma_{\min}$ above $d^2 \varepsilon \sigma_{\max}$, within which singular values are computed",
        r"about $10^{-9}$: the density of $\sigma_{\min}$ is bounded by about $d$",
    )
