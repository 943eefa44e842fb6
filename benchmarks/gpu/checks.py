"""The running network on the device against its closed forms, each with a derived rounding bound.

At the initial point the closed form is contracted with the same data; N is the longest chain of roundings of the
network (R units, forward, tangent and adjoint, then the samples) and of the contraction, and a bound is gamma_N times
the contraction of the moduli of everything.

Away from it there is no closed form. There u^T H v is held against the exact Taylor coefficients of the loss,

    u^T H v = (c_2(u + v) - c_2(u - v)) / 2,   c_2(v) = coefficient of t^2 in L(w + t v),

forward Taylor arithmetic against forward over reverse. To first order in the unit roundoff u, the error is at most the
sum over all operations of |d result / d operation| |operation| u. With moduli in place of all numbers, and for an
activation whose k-th derivatives are at most c_k the numbers c_k + c_(k+1) |z| in their place, the coefficient becomes
a majorant: it is linear in second, quadratic in first order terms, and what a value does through the activation's
slopes is what c_(k+1) |z| adds. So gamma_(4 N) times the majorant bounds the error; for linear units, whose numbers are
sums of products of N factors 1 + delta at most with data, gamma_N does. Source: Higham 2002, Section 3.1.

What 1-shortcut units show of H v is nearly the sum of all units' directions, the same in each of them: at 10^5 units
that of the unit before lies within the bound. So neighbours have opposite directions, the sums stay small, and what a
unit shows is the direction of its pair.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from benchmarks.gpu.claims import activations, coefficient_claims, hessian_claims, modular_claims, shortcut_unit
from benchmarks.gpu.setting import DeviceSetting, Record, judged
from resproof.architectures.catalogue import n_shortcut
from resproof.architectures.forms.terms import HessianTerms, IndexSum
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Activation, nodes
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.backend import Array, Ops
from resproof.numeric.modular.identity import expand, held_against
from resproof.numeric.network.adjoint import hvp
from resproof.numeric.network.dense import dense_hessian, symmetric
from resproof.numeric.network.parameters import Weights, flatten, initial_weights, random_weights, unflatten
from resproof.numeric.network.taylor import loss_series
from resproof.numeric.rounding import UNIT_ROUNDOFF, gamma
from resproof.numeric.spectra.contract import (
    Environment,
    chain_length,
    contract,
    contraction_bound,
    environment,
    hessian_vector,
)
from resproof.numeric.spectra.cores import BACKWARD


@dataclass(frozen=True)
class DeviceNetwork:
    """An n-shortcut network on the device, with data, weights and a direction of norm one."""

    setting: DeviceSetting
    n: int
    kind: str
    units: int
    d: int
    m: int
    at_zero: bool = True

    @cached_property
    def network(self) -> Network:
        """The network."""
        return Network(shortcut_unit(self.n, self.kind), self.units)

    @property
    def unit(self) -> ResidualUnit:
        """Its unit."""
        return self.network.unit

    @cached_property
    def xy(self) -> tuple[Array, Array]:
        """The samples, or for linear units the d columns with their covariances."""
        linear = self.kind == "linear"
        return (self.setting.covariances if linear else self.setting.columns)(self.d, self.m)

    @property
    def sizes(self) -> dict[str, int]:
        """The dimensions."""
        return {"d": self.d, "m": int(self.xy[0].shape[1])}

    @cached_property
    def weights(self) -> Weights:
        """Zero, or so small at random that the product of all units' Jacobians is of order one."""
        ops, seed = self.setting.ops, self.setting.seed
        if self.at_zero:
            return initial_weights(self.unit, self.units, self.sizes, ops, seed)
        scale = (0.3 / self.units) ** (1 / self.n) / self.d
        return random_weights(self.unit, self.units, self.sizes, ops, seed + 2, scale=scale)

    @cached_property
    def direction(self) -> Weights:
        """A random direction."""
        drawn = random_weights(self.unit, self.units, self.sizes, self.setting.ops, self.setting.seed + 1)
        size = norm(self.setting.ops, drawn)
        return {name: v / size for name, v in drawn.items()}

    @property
    def chain(self) -> int:
        """The longest chain of roundings through all units, forward, tangent and adjoint."""
        inner = 2 * self.n * self.d
        return 4 * self.units * (inner + len(nodes(self.unit.expression))) + self.sizes["m"]

    @property
    def environment(self) -> Environment:
        """The data as an environment of index terms."""
        return environment(self.network, *self.xy)

    def product(self, v: Weights) -> dict[str, Array]:
        """H v."""
        return hvp(self.network, self.weights, v, *self.xy, memory=self.setting.kept)


def norm(ops: Ops, weights: Weights) -> float:
    """The Frobenius norm of all weights together."""
    return math.sqrt(sum(float(ops.xp.sum(v * v)) for v in weights.values()))


def inner(ops: Ops, a: Weights, b: Weights) -> float:
    """The inner product of all weights together."""
    return sum(float(ops.xp.sum(a[name] * b[name])) for name in a)


# H v at the initial point.


def hessian_product(setting: DeviceSetting, n: int, kind: str, units: int, d: int, m: int) -> Record:
    """H v through all units against the contracted closed form."""
    running = DeviceNetwork(setting, n, kind, units, d, m)
    image, (claim, wrong) = running.product(running.direction), hessian_claims(n, kind)
    value, bound = _apart(running, image, claim)
    neighbours = {name: _apart(running, image, one) for name, one in wrong.items()}
    derivation = f"gamma_N times the contraction of moduli, N = {running.chain}"
    return judged(value, bound, derivation, neighbours, "max |H v - claim|")


def _apart(running: DeviceNetwork, image: Weights, terms: HessianTerms) -> tuple[float, float]:
    """The distance and bound of the weight whose entries differ most in units of their bound."""
    env, v, xp = running.environment, running.direction, running.setting.ops.xp
    claimed, bounds = hessian_vector(terms, env, v), _product_bound(terms, env, v, running.chain)
    pairs = [(float(xp.max(xp.abs(image[name] - claimed[name]))), bounds[name]) for name in image]
    return max(pairs, key=lambda pair: pair[0] / pair[1] if pair[1] else math.inf if pair[0] else 0.0)


def _product_bound(terms: HessianTerms, env: Environment, v: Weights, chain: int) -> dict[str, float]:
    """The least over entries of gamma_(N + contraction) times |D| |v| + |A| sum |v| + |A^T| sum |v|."""
    ops = env.ops
    total: dict[str, Any] = {name: ops.zeros(tuple(a.shape[-2:])) for name, a in v.items()}
    whole = {name: ops.xp.sum(ops.abs(a), axis=0) for name, a in v.items()}
    largest = {name: ops.xp.max(ops.abs(a), axis=0) for name, a in v.items()}
    for part, moduli in ((terms.diagonal, largest), (terms.later, whole), (terms.earlier, whole)):
        placed = _placed(env, moduli)
        for name, index_sum in part:
            if index_sum.terms:
                own = chain_length(index_sum, env.sizes)
                found = contraction_bound(index_sum, placed) * (gamma(chain + own) / gamma(own))
                total[name] = total[name] + ops.reshape(found, tuple(total[name].shape))
    return {name: float(ops.xp.min(a)) for name, a in total.items()}


def _placed(env: Environment, weights: Weights) -> Environment:
    return replace(env, perturbations={(name, 1): array for name, array in weights.items()})


# Taylor coefficients at the initial point.


def taylor_coefficient(setting: DeviceSetting, n: int, kind: str, units: int, d: int, m: int) -> Record:
    """Coefficients 1, ..., n - 1 of the loss along a random direction vanish, and the n-th is the claim's."""
    running = DeviceNetwork(setting, n, kind, units, d, m)
    found = loss_series(running.network, running.weights, running.direction, *running.xy, n)
    claim, wrong = coefficient_claims(n, kind)
    expected, bound = _contracted(running, claim)
    below = max((abs(c) for c in found[1:n]), default=0.0)
    neighbours = {"one order higher": (abs(expected), bound)}
    for name, one in wrong.items():
        other, allowed = _contracted(running, one)
        neighbours[name] = (abs(found[n] - other), allowed)
    derivation = f"gamma_N times the contraction of moduli, N = {running.chain}"
    value = max(abs(found[n] - expected), below)
    return judged(value, bound, derivation, neighbours, f"|coefficients 1..{n} - claim|")


def _contracted(running: DeviceNetwork, form: IndexSum) -> tuple[float, float]:
    """The form summed over all units, and gamma_N times the sum of its moduli."""
    env, ops = running.environment, running.setting.ops
    placed, own = _placed(env, running.direction), chain_length(form, env.sizes)
    value = float(ops.xp.sum(contract(form, placed)))
    moduli = float(ops.xp.sum(contraction_bound(form, placed))) / gamma(own)
    return value, moduli * gamma(running.chain + own + running.units)


# Eigenvectors.


def eigenpairs(setting: DeviceSetting, kind: str, units: int, d: int, m: int) -> Record:
    """H w = +-sigma w for w = (a_r v^T, +-u a_r^T), n = 2, greatest and least sigma of mid'(0) post'(0) M."""
    running, ops = DeviceNetwork(setting, 2, kind, units, d, m), setting.ops
    x, y = running.xy
    inputs, mid, post = activations(kind)
    pre = inputs.derivatives(ops, x, 0)[0]
    slope = float(mid.taylor(1).rational * post.taylor(1).rational)
    left, singular, right = np.linalg.svd(slope * ops.numpy((x - y) @ ops.transpose(pre)) / x.shape[1])
    a = np.random.default_rng(setting.seed).normal(size=(units, d))
    a /= np.linalg.norm(a) * math.sqrt(2.0)
    worst = dict.fromkeys((1.0, 2.0, 0.5), 0.0)
    for k in (0, -1):
        for sign in (1.0, -1.0):
            w = {
                "W1": ops.asarray(a[:, :, None] * right[k][None, None, :]),
                "W2": ops.asarray(sign * left[:, k][None, :, None] * a[:, None, :]),
            }
            image = running.product(w)
            for power in worst:
                eigenvalue = sign * float(singular[k]) ** power
                apart = norm(ops, {name: image[name] - eigenvalue * w[name] for name in w})
                worst[power] = max(worst[power], apart)
    sizes = [math.sqrt(float(ops.xp.sum(array * array))) for array in (pre, x, y)]
    bound = gamma(running.chain + 100 * d * d) * sizes[0] * (sizes[1] + sizes[2]) / x.shape[1]
    derivation = f"gamma_N |pre X|_F (|X|_F + |Y|_F)/m, N = {running.chain} roundings; the SVD within d^2 of them"
    neighbours = {"the square of sigma_i": (worst[2.0], bound), "the root of sigma_i": (worst[0.5], bound)}
    return judged(worst[1.0], bound, derivation, neighbours, "max |H w - lambda w|")


def dense_eigenpairs(setting: DeviceSetting, n: int, units: int, d: int, m: int) -> Record:
    """Eigenpairs of the dense Hessian at small random weights, confirmed by products through all units."""
    running, ops = DeviceNetwork(setting, n, "linear", units, d, m, at_zero=False), setting.ops
    x, y = running.xy
    h = symmetric(dense_hessian(running.network, running.weights, x, y, memory=setting.memory // 4))
    values, vectors = ops.eigh(h)
    size, p = math.sqrt(float(ops.xp.sum(h * h))), int(h.shape[0])
    worst = {"claim": 0.0, "the next eigenvalue": math.inf, "twice as large": math.inf}
    for k in (0, 1, p // 3, p - 2, p - 1):
        vector = ops.reshape(ops.contiguous(vectors[:, k]), (p,))
        w = unflatten(running.unit, vector, units, running.sizes)
        image = flatten(running.unit, running.product(w))
        eigenvalue, other = float(values[k]), float(values[(k + p // 2) % p])
        for name, number in zip(worst, (eigenvalue, other, 2 * eigenvalue), strict=True):
            apart = math.sqrt(float(ops.xp.sum((image - number * vector) ** 2)))
            worst[name] = max(worst[name], apart) if name == "claim" else min(worst[name], apart)
    moduli = {name: ops.abs(w) for name, w in running.weights.items()}
    majorant = dense_hessian(running.network, moduli, ops.abs(x), -ops.abs(y), memory=setting.memory // 4)
    whole = math.sqrt(2.0 * float(ops.xp.sum(majorant * majorant)))
    bound = 2 * gamma(running.chain) * whole + BACKWARD * p * UNIT_ROUNDOFF * size
    derivation = f"2 gamma_N |H of moduli|_F + {BACKWARD} p u |H|_F, N = {running.chain}, p = {p}"
    neighbours = {name: (apart, bound) for name, apart in worst.items() if name != "claim"}
    return judged(worst["claim"], bound, derivation, neighbours, "max |H w - lambda w|")


def dense_spectrum(setting: DeviceSetting, units: int, d: int, m: int) -> Record:
    """All eigenvalues at zero weights, n = 2, by one dense solver: +-sigma_i(M), each R d times (Weyl)."""
    running, ops = DeviceNetwork(setting, 2, "linear", units, d, m), setting.ops
    x, y = running.xy
    h = dense_hessian(running.network, running.weights, x, y, memory=setting.memory // 4)
    size, p = math.sqrt(2.0 * float(ops.xp.sum(h * h))), int(h.shape[0])
    found = np.asarray(ops.numpy(ops.eigvalsh(h)))
    core = ops.numpy((x - y) @ ops.transpose(x)) / x.shape[1]

    def apart(matrix: np.ndarray) -> float:
        sigma = np.repeat(np.linalg.svd(matrix, compute_uv=False), units * d)
        return float(np.max(np.abs(found - np.sort(np.concatenate([sigma, -sigma])))))

    moduli = float(ops.xp.sum(ops.abs(x))) * float(ops.xp.sum(ops.abs(x) + ops.abs(y))) / x.shape[1]
    bound = BACKWARD * (p + d) * UNIT_ROUNDOFF * size + 2 * gamma(running.chain) * moduli * math.sqrt(units * d)
    derivation = f"{BACKWARD} (p + d) u |H|_F + 2 gamma_N sqrt(R d) sum |X| (sum |X| + |Y|)/m, p = {p}"
    wrong = {"the squares": core @ core.T, "of X X^T": ops.numpy(x @ ops.transpose(x)) / x.shape[1]}
    neighbours = {name: (apart(matrix), bound) for name, matrix in wrong.items()}
    return judged(apart(core), bound, derivation, neighbours, "max |eigenvalue - sigma|")


# Away from the initial point.

SLOPES: dict[str, tuple[float, float, float]] = {
    "identity": (1.0, 0.0, 0.0),
    "tanh": (1.0, 0.77, 2.0),
    "gelu": (1.13, 0.8, 1.0),
    "silu": (1.1, 0.5, 0.5),
    "softplus": (1.0, 0.25, 0.1),
}
"""c_1, c_2, c_3: no derivative of that order of the activation is greater."""


def _majorant(activation: Activation) -> Activation:
    """The activation's place in a majorant: |f(0)| + c_1 |z|, c_1 + c_2 |z|, c_2 + c_3 |z| for its derivatives."""
    c = (*SLOPES[activation.name], 0.0)

    def derivatives(ops: Any, z: Array, order: int) -> list[Array]:
        start = abs(float(activation.derivatives(ops, 0.0 * z[..., :1, :1], 0)[0].ravel()[0]))
        return [start + c[0] * z, *(c[k - 1] + c[k] * z for k in range(1, order + 1))]

    return Activation(f"majorant of {activation.name}", activation.taylor, derivatives)


def opposite_neighbours(ops: Ops, direction: Weights) -> Weights:
    """The direction with every second unit's the opposite of that before it; a last one without a partner stays."""
    return {name: _opposite(ops, v) for name, v in direction.items()}


def _opposite(ops: Ops, v: Array) -> Array:
    pairs = int(v.shape[0]) // 2 * 2
    apart = ops.reshape(v[:pairs, ...], (-1, 2, *v.shape[1:]))[:, 0, ...]
    joint = ops.reshape(ops.xp.stack([apart, -apart], axis=1), (pairs, *v.shape[1:]))
    return ops.concatenate([joint, v[pairs:, ...]], 0)


def away_from_zero(setting: DeviceSetting, n: int, kind: str, units: int, d: int, m: int) -> Record:
    """u^T H v at small random weights, u along H v, against the Taylor coefficients along u + v and u - v."""
    running, ops = DeviceNetwork(setting, n, kind, units, d, m, at_zero=False), setting.ops
    v = opposite_neighbours(ops, running.direction)
    image = running.product(v)
    size = norm(ops, image)
    u = {name: a / size for name, a in image.items()}

    def second(direction: Weights) -> float:
        return loss_series(running.network, running.weights, direction, *running.xy, 2)[2]

    taylor = (second({k: u[k] + v[k] for k in v}) - second({k: u[k] - v[k] for k in v})) / 2
    found = inner(ops, u, image)
    shifted = inner(ops, u, {name: ops.xp.roll(a, 1, axis=0) for name, a in image.items()})
    moduli = {k: ops.abs(u[k]) + ops.abs(v[k]) for k in v}
    x, y = running.xy
    positive = {name: ops.abs(w) for name, w in running.weights.items()}
    pre, mid, post = (_majorant(f) if kind != "linear" else f for f in activations(kind))
    network = Network(ResidualUnit(n_shortcut(n, pre, mid, post)), units)
    largest = loss_series(network, positive, moduli, ops.abs(x), -ops.abs(y), 2)[2]
    times, order = (1, "") if kind == "linear" else (4, ", first order in u")
    bound = 2 * gamma(times * running.chain) * largest
    derivation = f"2 gamma_({times} N) times the coefficient of the network of moduli, N = {running.chain}{order}"
    neighbours = {
        "twice as large": (abs(2 * found - taylor), bound),
        "the other sign": (abs(found + taylor), bound),
        "that of the unit before": (abs(shifted - taylor), bound),
        "one part in a hundred more": (abs(1.01 * found - taylor), bound),
    }
    return judged(abs(found - taylor), bound, derivation, neighbours, "|u^T H v - Taylor|")


# Modulo a prime.


def identity_modulo(setting: DeviceSetting, n: int, units: int, d: int, m: int) -> Record:
    """The coefficients of degree 1, ..., max(n, 2) of the generic network equal the claim's modulo a prime."""
    claim, wrong = modular_claims(n)
    network, chunk = Network(shortcut_unit(n, "generic"), units), max(1, min(512, 2**23 // (n * d * d)))
    points = 6
    found = expand(network, max(claim), {"d": d, "m": m}, setting.ops, points=points, seed=setting.seed, chunk=chunk)
    outcome = held_against(found, claim)
    neighbours = {name: (float(len(held_against(found, one).mismatches)), 0.0) for name, one in wrong.items()}
    derivation = f"exact modulo p = {outcome.prime}, {points} random points, false acceptance at most 2^"
    result = judged(
        float(len(outcome.mismatches)),
        0.0,
        f"{derivation}{math.ceil(outcome.log2_false_acceptance)}",
        neighbours,
        "mismatches modulo p",
    )
    result |= {"parameters": n * d * d * units, "log2_false_acceptance": outcome.log2_false_acceptance}
    return result if outcome.log2_false_acceptance < -100 else {**result, "status": "failed"}


CHECKS: Mapping[str, Callable[..., Record]] = {
    "H v": hessian_product,
    "Taylor coefficient": taylor_coefficient,
    "away from zero": away_from_zero,
    "eigenvectors": eigenpairs,
    "dense eigenpairs": dense_eigenpairs,
    "dense eigenvalues": dense_spectrum,
    "identity modulo a prime": identity_modulo,
}
