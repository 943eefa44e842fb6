"""Many small factors of one matrix: the linear residual network of l layers that is a given map R with det R > 0.

With the polar factors R = U P, U a rotation and P symmetric positive definite, and roots taken along the one-parameter
groups through U and P,

    F_k = U^(k/l) P^(1/l) U^(-(k-1)/l),        F_l ... F_1 = U P = R,        W_k = F_k - I.

Every W_k is orthogonally similar to E = U^(1/l) P^(1/l) - I, so its spectral norm is at most

    pi/l + e^(gamma/l) - 1,        gamma = max(|log sigma_max(R)|, |log sigma_min(R)|).

In an orthonormal basis Z the rotation is block diagonal, U = Z D Z^T with plane rotations by angles in [0, pi], and
W_k = Z D^((k-1)/l) (Z^T E Z) D^(-(k-1)/l) Z^T. E is put together from expm1 and sin(phi/2), so that it keeps its
relative accuracy when l is large. Source: Hardt and Ma, Identity Matters in Deep Learning, Theorem 2.1, with the
conjugation by powers of U in place of their construction.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from resproof.numeric.backend import Array, Ops, largest_modulus, ops_of
from resproof.numeric.limits import is_finite
from resproof.numeric.rounding import UNIT_ROUNDOFF, gamma

BATCH = 2**22
"""Bytes of layers that are made at a time."""
NEARLY_REAL = 1e-12
"""Within this of 1 or -1 a cosine says nothing precise about its angle."""


class FactorError(ValueError):
    """The matrix is no product of small factors, or is not what is expected; the message is one line."""


@dataclass(frozen=True, slots=True)
class Polar:
    """R = U P with an orthogonal U and P = B diag(exp(logs)) B^T; `rotation` is U."""

    rotation: Array
    basis: Array
    logs: Array


@dataclass(frozen=True, slots=True)
class PlaneRotations:
    """Z diag(rot(angle_1), rot(angle_2), ..., [1]) Z^T: `angles` belong to pairs of successive columns of `basis`."""

    basis: Array
    angles: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Factors:
    """The layers W_1, ..., W_l of a linear residual network that maps x to R x; `core` is Z^T E Z."""

    target: Array
    layers: int
    polar: Polar
    planes: PlaneRotations
    core: Array

    @property
    def gamma(self) -> float:
        """max(|log sigma_max(R)|, |log sigma_min(R)|)."""
        return largest_modulus(self.polar.logs)

    def weights(self, start: int, stop: int) -> Array:
        """W_(start+1), ..., W_stop as an array of shape (stop - start, d, d)."""
        ops, d = ops_of(self.core), self.planes.basis.shape[0]
        cos, sin, partner = _turns(ops, self.planes.angles, d, np.arange(start, stop) / self.layers)
        across = ops.xp.take(self.core, partner, axis=1)
        turned = cos[:, None, :] * self.core + sin[:, None, :] * across  # E' D^-(k-1)/l
        turned = cos[:, :, None] * turned + sin[:, :, None] * ops.xp.take(turned, partner, axis=1)
        return self.planes.basis @ turned @ ops.transpose(self.planes.basis)

    def batches(self) -> Iterator[Array]:
        """All layers in their order, some at a time."""
        d = self.planes.basis.shape[0]
        size = max(BATCH // (8 * d * d), 1)
        for start in range(0, self.layers, size):
            yield self.weights(start, min(start + size, self.layers))


def factors(target: Array, layers: int) -> Factors:
    """The layers whose product is the target, a nonsingular matrix of positive determinant.

    Raises:
        FactorError: no layer, or a target that is not square, not finite, singular or of negative determinant.
    """
    ops, shape = ops_of(target), tuple(target.shape)
    if layers < 1:
        raise FactorError(f"factors: {layers} layers; expected at least one")
    if len(shape) != 2 or shape[0] != shape[1] or shape[0] == 0:
        raise FactorError(f"factors: R has shape {shape}; expected a square matrix")
    if not is_finite(ops, target):
        raise FactorError("factors: R has an entry that is not finite; expected finite numbers")
    polar = polar_factors(target)
    if float(ops.xp.linalg.det(polar.rotation)) < 0.0:
        raise FactorError("factors: det R is negative; expected a positive determinant")
    planes = plane_rotations(polar.rotation)
    root = polar.basis @ (ops.xp.expm1(polar.logs / layers)[:, None] * ops.transpose(polar.basis))  # P^(1/l) - I
    inner = ops.transpose(planes.basis) @ root @ planes.basis
    away = _away_from_identity(ops, planes.angles, inner.shape[0], layers)  # D^(1/l) - I
    return Factors(target, layers, polar, planes, away + inner + away @ inner)


def polar_factors(target: Array) -> Polar:
    """R = U P by the singular value decomposition R = A diag(s) B^T: U = A B^T, P = B diag(s) B^T.

    Raises:
        FactorError: R is singular, up to rounding.
    """
    ops = ops_of(target)
    left, singular, right = ops.svd(target)
    if not float(singular[-1]) > target.shape[0] * UNIT_ROUNDOFF * float(singular[0]):
        raise FactorError("factors: R is singular; expected a positive determinant")
    return Polar(left @ right, ops.transpose(right), ops.log(singular))


def plane_rotations(rotation: Array) -> PlaneRotations:
    """The real normal form of an orthogonal matrix of determinant one, the greatest angles first.

    A unit vector y with C y = cos(phi) y, C the symmetric part of U, spans an invariant plane with K y, K the skew
    part. Cosines do not tell angles near 0 or pi apart: there y is the vector that K moves farthest among those alike,
    and rounding in K is kept from leading out of their space. Where K y = 0 any other such vector completes a pair.
    """
    ops, xp = ops_of(rotation), ops_of(rotation).xp
    d = rotation.shape[0]
    basis, angles, tiny = xp.eye(d, dtype=xp.float64), list[float](), 8.0 * d * UNIT_ROUNDOFF
    for place in range(0, d - 1, 2):
        rest = basis[:, place:]
        inner = ops.transpose(rest) @ rotation @ rest
        skew = 0.5 * (inner - ops.transpose(inner))
        cosines, vectors = ops.eigh(0.5 * (inner + ops.transpose(inner)))
        first, second = vectors[:, :1], skew @ vectors[:, :1]
        if 1.0 - abs(float(cosines[0])) < NEARLY_REAL:
            count = max(int(xp.sum(ops.heaviside(cosines[0] + NEARLY_REAL - cosines))), 2)
            alike = vectors[:, :count]
            alike = alike @ ops.transpose(ops.svd(ops.transpose(alike) @ skew @ alike)[2])
            first = alike[:, :1]
            second = alike @ (ops.transpose(alike) @ (skew @ first))
            if largest_modulus(second) <= tiny:
                second = alike[:, 1:2]
        frame = _frame(ops, first, second)
        small = ops.transpose(frame[:, :2]) @ inner @ frame[:, :2]
        angle = math.atan2(float(small[1, 0] - small[0, 1]), float(small[0, 0] + small[1, 1]))
        angles.append(abs(angle))
        if angle < 0.0:
            frame = ops.concatenate([frame[:, 1:2], frame[:, :1], frame[:, 2:]], axis=1)
        basis = ops.concatenate([basis[:, :place], rest @ frame], axis=1)
    return PlaneRotations(basis, tuple(angles))


def _frame(ops: Ops, first: Array, second: Array) -> Array:
    """An orthogonal matrix whose first two columns span the plane of the two vectors."""
    size = float(ops.xp.sum(second * second)) ** 0.5
    pair = ops.concatenate([first, second / size], axis=1)
    return ops.xp.linalg.qr(pair, mode="complete")[0]


def _turns(ops: Ops, angles: tuple[float, ...], d: int, shares: Any) -> tuple[Array, Array, Array]:
    """cos, signed sin and partner such that (D^a M)_i = cos_i M_i + sin_i M_partner(i), for each a in `shares`.

    The same numbers serve M D^-a, column by column.
    """
    phi, sign, partner = np.zeros(d), np.ones(d), np.arange(d)
    for k, angle in enumerate(angles):
        phi[2 * k : 2 * k + 2] = angle
        sign[2 * k] = -1.0
        partner[2 * k : 2 * k + 2] = 2 * k + 1, 2 * k
    turns = shares[:, None] * phi
    return ops.asarray(np.cos(turns)), ops.asarray(sign * np.sin(turns)), ops.xp.asarray(partner)


def _away_from_identity(ops: Ops, angles: tuple[float, ...], d: int, layers: int) -> Array:
    """diag(rot(angle/l) - I, ..., [0]), with 1 - cos as 2 sin^2 of half the angle."""
    found = np.zeros((d, d))
    for k, angle in enumerate(angles):
        phi = angle / layers
        sin, less = math.sin(phi), -2.0 * math.sin(0.5 * phi) ** 2
        found[2 * k : 2 * k + 2, 2 * k : 2 * k + 2] = [[less, -sin], [sin, less]]
    return ops.asarray(found)


# The network.


def apply(found: Factors, h: Array) -> Array:
    """(I + W_l) ... (I + W_1) h, layer by layer."""
    for batch in found.batches():
        for k in range(batch.shape[0]):
            h = h + batch[k, ...] @ h
    return h


def greatest_norm(found: Factors, count: int = 64) -> float:
    """The greatest spectral norm among `count` layers at equal distances, the first and the last included."""
    ops, last = ops_of(found.target), found.layers - 1
    places = sorted({round(k) for k in np.linspace(0.0, last, count)})
    layers = (found.weights(k, k + 1)[0, ...] for k in places)
    return math.sqrt(max(float(ops.eigvalsh(ops.transpose(w) @ w)[-1]) for w in layers))


def norm_bound(found: Factors) -> float:
    """pi/l + e^(gamma/l) - 1."""
    return math.pi / found.layers + math.expm1(found.gamma / found.layers)


def published_bounds(found: Factors) -> tuple[float, float]:
    """2 (sqrt(pi) + sqrt(3 gamma))^2 / l and (4 pi + 3 gamma) / l. Source: Hardt and Ma, Theorem 2.1, two versions."""
    root = math.sqrt(math.pi) + math.sqrt(3.0 * found.gamma)
    return 2.0 * root**2 / found.layers, (4.0 * math.pi + 3.0 * found.gamma) / found.layers


def layer_roundings(d: int) -> int:
    """The roundings in an entry of W_k, 100 d^2 of them for the decompositions and 4 d for the products."""
    return 100 * d * d + 4 * d


def product_bound(found: Factors) -> float:
    """How far rounding can take the network's output from R in the Frobenius norm, its input being I.

    |F_l ... F_(k+1)|_2 |F_(k-1) ... F_1|_2 <= e^gamma. Layer k is off by gamma_N |W_k|_F in its entries, times the
    condition number e^(2 gamma) of R for its logarithms, an error that is multiplied by these spectral norms; in its
    application by gamma_(d+1) |W_k|_F and one rounding of the sum, times the Frobenius norm of what it is applied to,
    sqrt(d) times as large as the spectral one.
    """
    d = found.target.shape[0]
    size = math.sqrt(d) * norm_bound(found)
    entries = gamma(layer_roundings(d)) * size * math.exp(2.0 * found.gamma)
    applied = gamma(d + 1) * size + gamma(1) * (1.0 + size)
    return found.layers * (entries + math.sqrt(d) * applied) * math.exp(found.gamma)


def random_target(rng: np.random.Generator, d: int, greatest_log: float) -> np.ndarray:
    """U P with a random rotation U and log sigma(P) uniform, the ends of the range among them."""
    rotation, basis = (_random_orthogonal(rng, d) for _ in range(2))
    if np.linalg.det(rotation) < 0.0:
        rotation[:, 0] *= -1.0
    logs = rng.uniform(-greatest_log, greatest_log, d)
    logs[:2] = (greatest_log, -greatest_log)[:d]
    return rotation @ (basis * np.exp(logs)) @ basis.T


def _random_orthogonal(rng: np.random.Generator, d: int) -> np.ndarray:
    q, r = np.linalg.qr(rng.normal(size=(d, d)))
    return q * np.sign(np.diag(r))
