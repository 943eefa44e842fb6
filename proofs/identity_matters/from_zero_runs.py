"""The runs behind the note's second item: gradient descent on linear residual networks from zero, and from near it.

The targets are normal maps R of white inputs: positive definite ones; those rotated by one or two radians in every plane; and positive
definite ones but for one eigenvalue -1. From W_i = 0 the layers I + W_i stay equal and commute with R, so that on an eigenvector with
R v = lambda v a step of the size eta moves their common factor w, and leaves of the loss in all,

    w <- w - eta conj(w)^(l-1) (w^l - lambda),    (1/2) sum over lambda of |w^l - lambda|^2.

For lambda < 0 that w falls to 0 and never passes it. With factors w_1, ..., w_l that differ by delta, w falls like t^(-1/(l-2)) and the
differences grow like t^(1/(l-2)): they are alike after a time of the order delta^(-(l-2)/2), and then one of the factors changes its sign.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numeric.training.covariances import covariances
from numeric.training.descent import descend
from numeric.training.networks import Group
from numeric.training.start import orthogonal
from proofs.demystifying_resnet.training_runs import spaced
from proofs.experiment import TRAINING, Parameters, Scale, Sweep, digits10
from proofs.statement import Data

Floats = NDArray[np.float64]

POSITIVE, ROTATED, NEGATIVE = TARGETS = ("positive definite", "rotated", "negative eigenvalue")
NEAR = 0.01
"""The standard deviation of the entries near zero."""
_LAYERS: Mapping[Scale, Sequence[int]] = {"default": (3, 4, 8), "paper": (3, 4, 8, 16)}
_SEEDS: Mapping[Scale, int] = {"default": 3, "paper": 10}


def _runs(scale: Scale) -> dict[str, Parameters]:
    return {
        f"{layers:02}": {"layers": layers, "rate": 0.4, "epochs": 4000, "seeds": _SEEDS[scale]}
        for layers in _LAYERS[scale]
    }


def normal_target(target: str, seed: int, d: int) -> tuple[Floats, Floats]:
    """Q and C with R = Q C Q^T, Q orthogonal, C diagonal or with a rotation in each plane; moduli are 1/sqrt(e) to sqrt(e)."""
    generator = np.random.default_rng([seed, 1])
    q, sizes = orthogonal(generator, 1, d)[0], np.exp(generator.uniform(-0.5, 0.5, d))
    c = np.diag(sizes)
    if target == NEGATIVE:
        c[0, 0] = -1.0
    if target == ROTATED:
        for first in range(0, d - 1, 2):
            angle = generator.uniform(1.0, 2.0)
            turn = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
            c[first : first + 2, first : first + 2] = sizes[first] * np.array(turn)
    return q, c


def recursion(factors: NDArray[Any], values: NDArray[Any], step: float, epochs: Sequence[int]) -> list[float]:
    """The loss at these epochs where the layers stay diagonal in R's basis: factors are (l, d), values d eigenvalues."""
    w, found = factors.astype(complex), list[float]()
    for epoch in range(epochs[-1] + 1):
        product = np.prod(w, axis=0)
        if epoch in epochs:
            found.append(0.5 * float(np.sum(np.abs(product - values) ** 2)))
        w = w - step * np.conj(product / w) * (product - values)
    return found


def losses_from_zero(data: Data, run: Parameters) -> dict[str, Any]:
    """By target and seed: the loss above the least one from zero and from near it, and what the recursion has for both.

    The step is the rate over l. Near zero the recursion has the diagonals of the first weights in R's basis; it is left out for targets
    that are rotated.
    """
    layers, d, step = run["layers"], data.X.shape[0], run["rate"] / run["layers"]
    epochs, found = spaced(run["epochs"], 80), dict[str, Any]()
    for target in TARGETS:
        rows = list[dict[str, Any]]()
        for seed in range(run["seeds"]):
            q, c = normal_target(target, seed, d)
            near = NEAR * np.random.default_rng([seed, 2]).normal(size=(layers, d, d))
            given = covariances(data.X, q @ c @ q.T @ data.X)
            start = np.stack([np.zeros_like(near), near], axis=1)
            descent = descend(start, (Group(1, 2),), given, [step] * 2, run["epochs"], epochs)
            values, ones = np.linalg.eigvals(c), np.ones((layers, d))
            row: dict[str, Any] = {"zero": descent.excess[:, 0], "near": descent.excess[:, 1]}
            row["zero predicted"] = recursion(ones, values, step, epochs)
            if target != ROTATED:
                diagonals = np.diagonal(q.T @ near @ q, axis1=-2, axis2=-1)
                row["near predicted"] = recursion(ones + diagonals, np.diag(c), step, epochs)
            rows.append(row)
        found[target] = rows
    return digits10({"epochs": epochs, **found})


FROM_ZERO = Sweep("from-zero", _runs, losses_from_zero, (*TRAINING, "proofs.demystifying_resnet.training_runs"))
