"""Random layers of linear networks with common eigenvectors: plain, residual and ResNeXt, in chunks.

He's initialisation draws the entries of a d x d matrix from N(0, 2/d), so its squared Frobenius norm is 2d on average.
With common eigenvectors V, orthogonal, that is |lambda|^2, so the eigenvalues are drawn from N(0, 2 s^2), s scaling the
weights (s = 1 is He's). A layer multiplies v_i by

    plain     mu_i = lambda_i
    residual  mu_i = 1 + lambda_i lambda'_i                     (a block W_b' W_b)
    resnext   mu_i = 1 + sum_{k=1}^{4} lambda_{i,k} lambda'_{i,k}

In every layer the v_i are numbered by |lambda_i|, what is added to the shortcut (for plain layers mu_i itself), as Theorems 1
to 3 have it; or by |mu_i|, which makes max_i prod|mu_i| / min_i prod|mu_i| as great as the multipliers allow. For residual layers
these orders differ: 1 - 2 is smaller in modulus than 1 + 1/2.

Source: Rethinking the role of skip connections, Equations 1, 3, 5, section 6.1; He et al. 2015.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

LayerKind: TypeAlias = Literal["plain", "residual", "resnext"]
Order: TypeAlias = Literal["lambda", "mu"]
KINDS: tuple[LayerKind, ...] = ("plain", "residual", "resnext")
PATHS = 4
CHUNK = 4096
"""Layers that are drawn at once."""
FORMED = 512
"""Layers that are formed at once where all eigenvalues are there: so few that a thousand layers are several chunks."""


def multipliers(
    kind: LayerKind, count: int, width: int, scale: float, rng: np.random.Generator, *, order: Order = "mu"
) -> NDArray[np.float64]:
    """mu_i^l of `count` layers, shape (count, d), in descending order of |lambda_i^l| or of |mu_i^l|."""

    def drawn(paths: int) -> NDArray[np.float64]:
        return rng.normal(scale=scale * np.sqrt(2.0), size=(count, paths, width))

    match kind:
        case "plain":
            eigenvalues = drawn(1)[:, 0]
        case "residual":
            eigenvalues = (drawn(1) * drawn(1))[:, 0]
        case "resnext":
            eigenvalues = np.sum(drawn(PATHS) * drawn(PATHS), axis=1)
    mu = eigenvalues if kind == "plain" else 1.0 + eigenvalues
    keys = np.abs(mu if order == "mu" else eigenvalues)
    return np.take_along_axis(mu, np.argsort(-keys, axis=1), axis=1)


def basis(width: int, condition: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """Eigenvectors V = Q_1 diag(1, ..., kappa) Q_2 with kappa(V) = `condition`."""
    left, right = (np.linalg.qr(rng.normal(size=(width, width)))[0] for _ in range(2))
    return (left * np.linspace(1.0, condition, width)) @ right


@dataclass(frozen=True, slots=True)
class JointLayers:
    """Layers V diag(mu^l) V^{-1}, |mu_1^l| >= ... >= |mu_d^l|, and what the mu predict of the condition number."""

    vectors: NDArray[np.float64]
    mu: NDArray[np.float64]

    @property
    def condition(self) -> float:
        """kappa(V)."""
        return float(np.linalg.cond(self.vectors))

    def log_ratio(self, depth: int) -> float:
        """The logarithm of max_i prod_l |mu_i^l| / min_i prod_l |mu_i^l|, correctly summed."""
        logs = np.log(np.abs(self.mu[:depth, [0, -1]]))
        return math.fsum(logs[:, 0]) - math.fsum(logs[:, 1])

    def layer_conditions(self, depth: int) -> float:
        """The sum of |mu_1^l| / |mu_d^l| over the layers."""
        return math.fsum(np.abs(self.mu[:depth, 0] / self.mu[:depth, -1]))

    def chunks(self) -> Iterator[NDArray[np.float64]]:
        """The layers' matrices."""
        back = np.linalg.inv(self.vectors)
        for first in range(0, len(self.mu), FORMED):
            yield (self.vectors * self.mu[first : first + FORMED, None, :]) @ back


def joint_layers(
    kind: LayerKind, depth: int, width: int, *, seed: int, scale: float = 1.0, condition: float = 2.0
) -> JointLayers:
    """Random layers with common eigenvectors."""
    rng = np.random.default_rng(seed)
    return JointLayers(basis(width, condition, rng), multipliers(kind, depth, width, scale, rng))


def gaussian_layers(
    depth: int, width: int, seed: int, *, scale: float = 1.0, shortcut: bool = False
) -> Iterator[NDArray[np.float64]]:
    """Independent layers W, or 1 + W, with entries of W from N(0, 2 s^2/d): no common eigenvectors."""
    rng = np.random.default_rng(seed)
    for first in range(0, depth, CHUNK):
        drawn = rng.normal(scale=scale * np.sqrt(2.0 / width), size=(min(CHUNK, depth - first), width, width))
        yield drawn + shortcut * np.eye(width)


def small_layers(depth: int, width: int, norm: float, seed: int) -> Iterator[NDArray[np.float64]]:
    """I + W^l with independent random W^l of Frobenius norm `norm`, so of spectral norm at most that."""
    rng = np.random.default_rng(seed)
    for first in range(0, depth, CHUNK):
        drawn = rng.normal(size=(min(CHUNK, depth - first), width, width))
        norms = np.linalg.norm(drawn, axis=(-2, -1))
        yield np.eye(width) + norm * drawn / norms[:, None, None]


def worst_layers(depth: int, width: int, norm: float) -> Iterator[NDArray[np.float64]]:
    """I + norm diag(1, -1, 1, -1, ...), for which the bound on the condition number is attained."""
    layer = np.asarray(np.diag(1.0 + norm * (-1.0) ** np.arange(width)), dtype=np.float64)[None]
    for first in range(0, depth, CHUNK):
        yield np.repeat(layer, min(CHUNK, depth - first), axis=0)
