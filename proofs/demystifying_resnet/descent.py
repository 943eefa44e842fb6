"""Evidence for the model's statements on running networks: gradients, least squares and the variance of the output.

Rounding bounds are derived as in `proofs.routes.running_network`: gamma_N times the product of the norms of the factors, N the
longest chain of roundings. A product of units satisfies |U_R ... U_1| <= nu = prod_r (1 + prod_l |W^{r,l}|_F) in every
order of summation, since the moduli of the entries are bounded in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import ceil, exp, log, sqrt

import numpy as np
from numpy.typing import NDArray

from resproof.architectures.catalogue import n_shortcut
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Activation, nodes
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.backend import device, largest_modulus
from resproof.numeric.network.adjoint import gradient, outputs, value
from resproof.numeric.network.parameters import random_weights
from resproof.numeric.rounding import gamma
from resproof.proofs.routes.counted import Counts, counted
from resproof.proofs.statement import Computed, Context, Data, Measurement
from resproof.symbolic.scope import Scope

Floats = NDArray[np.float64]

_NEAR_ZERO = {1: (1e-4,), 2: (3.0, 3e-6)}
"""Standard deviations by layer, for each n: with 1000 units nu is about e, and one layer's gradient far above another's."""


@dataclass(frozen=True, slots=True)
class Gradient:
    """The gradient of a running linear network at random weights, and its data."""

    weights: Mapping[str, Floats]
    gradient: Mapping[str, Floats]
    x: Floats
    y: Floats
    branch: int
    """The roundings of a branch, there and back."""
    data: str
    seed: int

    @property
    def layers(self) -> list[Floats]:
        """Every layer's weights, unit by unit."""
        return list(self.weights.values())

    @property
    def sizes(self) -> str:
        """n, R, d, m and where the data come from."""
        units, d, _ = self.layers[0].shape
        return f"n={len(self.layers)}, R={units}, d={d}, m={self.x.shape[1]}; {self.data}"

    @property
    def norms(self) -> Floats:
        """|W^{r,l}|_F, layer by layer: (n, R)."""
        return np.array([np.linalg.norm(layer, axis=(1, 2)) for layer in self.layers])

    @property
    def growth(self) -> float:
        """nu = prod_r (1 + prod_l |W^{r,l}|_F)."""
        return exp(float(np.sum(np.log1p(np.prod(self.norms, axis=0)))))

    @property
    def inner(self) -> float:
        """The greatest product of the norms of a unit's other layers, a factor of every term of a layer's gradient."""
        each = range(len(self.layers))
        return max(float(np.max(np.prod(np.delete(self.norms, number, axis=0), axis=0))) for number in each)

    @property
    def chain(self) -> int:
        """Roundings of a term, on average over those of a product of units, which weigh prod_l |W^{r,l}|_F a branch.

        A term with the branches of k units carries d + 2 for the entry of each unit's matrix, and those of k branches.
        The average of k is sum_r b_r / (1 + b_r) <= log nu, b_r the norms' product. A gradient has two such products,
        one around the residual and one in it; twice that for the products of chunks of units.
        """
        units, d, _ = self.layers[0].shape
        return 4 * units * (d + 2) + ceil(4 * self.branch * (log(self.growth) + 1)) + self.x.shape[1]


def gradient_on_digits(n: int, units: int) -> Callable[[Context], Computed]:
    """The gradient of the n-shortcut linear network through all its units, on the context's data."""

    def compute(context: Context) -> Computed:
        unit, ops, found = ResidualUnit(n_shortcut(n)), device(context.device).ops, context.data
        d = len(found.X)
        drawn = random_weights(unit, units, {"d": d}, ops, context.seed)
        weights = {name: size * a for (name, a), size in zip(drawn.items(), _NEAR_ZERO[n], strict=True)}
        x, y = ops.asarray(np.asarray(found.X)), ops.asarray(np.asarray(found.Y))
        slope = gradient(Network(unit, units), weights, x, y)
        host, steps = ({name: ops.numpy(a) for name, a in each.items()} for each in (weights, slope))
        branch = 2 * n * d + len(nodes(unit.expression))
        result = Gradient(host, steps, np.asarray(found.X), np.asarray(found.Y), branch, found.name, context.seed)
        return Computed(result, Scope.of(result.sizes))

    return compute


def near_step(found: Gradient, claim: str) -> Measurement:
    """The greatest distance of -dL/dW^{r,l} from the closed form, over all layers.

    Claims: "as printed"; "no inner" leaves out W_after^{r,l}, "plain" the transposes, "no map" puts I for W, and
    "one unit short" ends every product one unit early.
    """
    layers, one = found.layers, np.eye(len(found.x))
    count = len(layers[0]) - (claim == "one unit short")
    units = [_path(layers, r) + one for r in range(count)]
    before, after = [one], [one]
    for r in range(count):
        before.append(units[r] @ before[-1])
        after.append(after[-1] @ units[count - 1 - r])
    whole = one if claim == "no map" else before[-1]
    inner = (found.y - whole @ found.x) @ found.x.T / found.x.shape[1]
    worst = 0.0
    for r in range(count):
        for number, name in enumerate(found.gradient):
            later = one if claim == "no inner" else _path(layers, r, number + 1)
            left, right = after[count - 1 - r] @ later, _path(layers, r, 0, number) @ before[r]
            step = left @ inner @ right if claim == "plain" else left.T @ inner @ right.T
            worst = max(worst, largest_modulus(found.gradient[name][r] + step))
    nu, x, y = found.growth, float(np.linalg.norm(found.x)), float(np.linalg.norm(found.y))
    moduli = found.inner * nu * (nu * x + y) * x / found.x.shape[1]
    derivation = (
        r"$\gamma_N \nu (\nu \lvert X\rvert_F + \lvert Y\rvert_F) \lvert X\rvert_F / m$ times the norms of the unit's "
        rf"other layers, $\nu = \prod (1 + \prod \lvert W\rvert_F)$, $N = {found.chain}$"
    )
    bound = 2 * gamma(found.chain) * moduli
    size = max(largest_modulus(slope) for slope in found.gradient.values())
    return Measurement(
        r"$\max \lvert\text{step} - \text{claim}\rvert / \alpha$",
        worst,
        bound,
        found.sizes,
        found.seed,
        derivation,
        scale=size,
    )


def _path(layers: list[Floats], r: int, first: int = 0, stop: int | None = None) -> Floats:
    total = np.eye(layers[0].shape[1])
    for layer in layers[first:stop]:
        total = layer[r] @ total
    return total


@dataclass(frozen=True, slots=True)
class Least:
    """The loss of a running network at the weights that attain the minimum, and the minimum by projection."""

    loss: float
    least: float
    start: float
    """|Y|^2 / 2m, the loss of the zero map: a scale that does not vanish where the least value does."""
    bound: float
    chain: int
    sizes: str
    seed: int


def least_squares_on_digits(n: int, units: int) -> Callable[[Context], Computed]:
    """The n-shortcut linear network with (W - I) I ... I in its last unit and zeros elsewhere, W = T S^-."""

    def compute(context: Context) -> Computed:
        unit, ops, found = ResidualUnit(n_shortcut(n)), device(context.device).ops, context.data
        x, y = np.asarray(found.X), np.asarray(found.Y)
        d, m = x.shape
        w = (y @ x.T / m) @ np.linalg.pinv(x @ x.T / m)
        weights = {name: np.zeros((units, d, d)) for name in unit.names.values()}
        for number, name in enumerate(weights):
            weights[name][-1] = np.eye(d) if number else w - np.eye(d)
        on_device = {name: ops.asarray(a) for name, a in weights.items()}
        loss = value(Network(unit, units), on_device, ops.asarray(x), ops.asarray(y))
        rest = y.T - _projection(x) @ y.T
        least = float(np.sum(rest**2)) / (2 * m)
        chain = 4 * units * (2 * n * d + len(nodes(unit.expression))) + m + 100 * d**2
        norms = (float(np.linalg.norm(y)) + (2 + float(np.linalg.norm(w))) * float(np.linalg.norm(x))) ** 2 / m
        sizes = f"n={n}, R={units}, d={d}, m={m}; {found.name}"
        result = Least(loss, least, float(np.sum(y**2)) / (2 * m), 2 * gamma(chain) * norms, chain, sizes, context.seed)
        return Computed(result, Scope.of(sizes))

    return compute


def _projection(x: Floats) -> Floats:
    """The orthogonal projection onto the rows of x."""
    basis = np.linalg.qr(x.T)[0]
    return basis @ basis.T


def near_minimum(found: Least, claim: float) -> Measurement:
    """The distance of the loss from the least value plus `claim` times |Y|^2 / 2m; the claim is 0."""
    derivation = (
        rf"$\gamma_N (\lvert Y\rvert_F + (2 + \lvert W\rvert_F) \lvert X\rvert_F)^2 / m$, $N = {found.chain}$ roundings"
    )
    distance = abs(found.loss - found.least - claim * found.start)
    return Measurement(
        r"$\lvert L - \text{claim}\rvert$",
        distance,
        found.bound,
        found.sizes,
        found.seed,
        derivation,
        scale=found.start,
    )


# What is allowed, counted.


def _allowed() -> Counts:
    """Of two samples (3, 0, 0) and (0, 4, 0) with W = diag(2, 0, 0); norms of two units with two layers: 1, 2 and 3, 0."""
    x, y = (np.diag(diagonal)[:, :2] for diagonal in ([3.0, 4.0, 0.0], [6.0, 0.0, 0.0]))
    small = Context(load=lambda: Data(x, y, "whole numbers"))
    one_layer: Gradient = gradient_on_digits(1, 2)(small).value
    two_layers: Gradient = gradient_on_digits(2, 2)(small).value
    e = np.diag([1.0, 0.0, 0.0])
    found = replace(two_layers, weights={"W1": np.stack([e, 3.0 * e]), "W2": np.stack([2.0 * e, 0.0 * e])})
    least: Least = least_squares_on_digits(3, 3)(small).value
    return {
        "a branch": one_layer.branch,
        "a chain": found.chain,
        "a gradient": near_step(found, "as printed").bound / gamma(found.chain),
        "a chain of a loss": least.chain,
        "a loss": least.bound / gamma(least.chain),
    }


COUNTED = counted(
    _allowed,
    {
        "a branch": 2 * 3 + 4,
        # nu = (1 + 2) (1 + 0); a branch with two layers has 2 * 6 + 6.
        "a chain": 4 * 2 * (3 + 2) + ceil(4 * 18 * (log(3) + 1)) + 2,
        "a gradient": 2 * 3 * 3 * (3 * 5 + 6) * 5 / 2,
        "a chain of a loss": 4 * 3 * (2 * 3 * 3 + 8) + 2 + 100 * 9,
        "a loss": 2 * (6 + (2 + 2) * 5) ** 2 / 2,
    },
    "n=1, 2, 3, R=2, 3, d=3, m=2",
)

# The variance of the output.

_NETWORKS, _UNITS, _ERRORS = 1000, 4, 6.0


@dataclass(frozen=True, slots=True)
class Simulated:
    """The mean of |f(x)|^2 / |x|^2 over random networks of R units with two layers each."""

    mean: float
    share: float
    """q: a unit multiplies the expectation by 1 + q."""
    error: float
    """The standard deviation of the mean, from the exact second and fourth moments."""
    sizes: str
    seed: int


def simulated_variance(mid: Activation | None, *, s2: int) -> Callable[[Context], Computed]:
    """Networks with independent N(0, s^2/d) weights, n = 2, run on the first sample; `mid` is ReLU or none."""

    def compute(context: Context) -> Computed:
        unit = ResidualUnit(n_shortcut(2) if mid is None else n_shortcut(2, mid=mid))
        ops, d = device(context.device).ops, len(context.data.X)
        x = ops.asarray(np.ascontiguousarray(context.data.X[:, :1]))
        total = _NETWORKS * _UNITS
        drawn = random_weights(unit, total, {"d": d}, ops, context.seed + 2, scale=sqrt(s2 / d))
        network, squares = Network(unit, _UNITS), list[float]()
        for first in range(0, total, _UNITS):
            weights = {name: a[first : first + _UNITS, ...] for name, a in drawn.items()}
            squares.append(float(ops.xp.sum(outputs(network, weights, x) ** 2)))
        q, fourth = unit_moments(s2, d, halved=mid is not None)
        error = sqrt((fourth**_UNITS - (1 + q) ** (2 * _UNITS)) / _NETWORKS)
        mean = sum(squares) / _NETWORKS / float(ops.xp.sum(x * x))
        sizes = f"n=2, R={_UNITS}, d={d}, s^2={s2}, {_NETWORKS} networks"
        return Computed(Simulated(mean, q, error, sizes, context.seed + 2), Scope.of(sizes))

    return compute


def unit_moments(s2: float, d: int, *, halved: bool) -> tuple[float, float]:
    """q = E |U(h)|^2 / |h|^2 - 1 and E |U(h)|^4 / |h|^4 of a unit with two layers, with ReLU between them if `halved`.

    E |U|^4 = |h|^4 + 2 |h|^2 E|b|^2 + 4 E <h, b>^2 + E |b|^4 for the branch b = W_2 v, v = W_1 h or its ReLU. Given v,
    E <h, b>^2 = (s^2/d) |h|^2 |v|^2 and E |b|^4 = s^4 (1 + 2/d) |v|^4. The entries of W_1 h are N(0, s^2 |h|^2 / d), of
    which ReLU halves the even moments: E |v|^4 / (s^4 |h|^4) = 1 + 2/d, or 3/(2 d) + (d - 1)/(4 d) with ReLU.
    """
    q = s2**2 / (2 if halved else 1)
    inner = (1.5 + (d - 1) / 4) / d if halved else 1 + 2 / d
    return q, 1 + 2 * q + 4 * q / d + s2**4 * (1 + 2 / d) * inner


def near_variance(found: Simulated, factor: float) -> Measurement:
    """The distance of the mean from (1 + factor q)^R; the claim is factor 1."""
    claimed = (1 + factor * found.share) ** _UNITS
    derivation = "six standard deviations, from the exact second and fourth moments over the weights"
    probability = "2e-9 for a claim off by twice the bound, in the normal approximation; at most 1/36 by Chebyshev"
    distance, bound = abs(found.mean - claimed), _ERRORS * found.error
    name = r"|mean of $\lvert f(x)\rvert^2 / \lvert x\rvert^2$ - claim|"
    return Measurement(name, distance, bound, found.sizes, found.seed, derivation, probability, scale=claimed)
