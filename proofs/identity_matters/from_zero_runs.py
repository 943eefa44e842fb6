"""The runs behind the note's second item: gradient descent on linear residual networks from zero, and from near it.

The targets are normal maps R of white inputs: positive definite ones; those rotated by one or two radians in every plane; and positive
definite ones but for one eigenvalue -1. From W_i = 0 the layers I + W_i stay equal and commute with R, so that on an eigenvector with
R v = lambda v a step of the size eta moves their common factor w, and leaves of the loss in all,

    w <- w - eta conj(w)^(l-1) (w^l - lambda),    (1/2) sum over lambda of |w^l - lambda|^2.

For lambda < 0 that w falls to 0 and never passes it. Where another eigenvalue is not zero, that is a strict saddle: in the plane of both
eigenvectors the first layer and the last leave it together, exponentially, and what is left is a map whose determinant still has the sign of
the start's. No map F with det F >= 0 is nearer to R with det R < 0 than a singular one:

    (1/2) |F - R|_F^2 >= sigma_min(R)^2/2,

which is left until one of the layers changes the sign of its determinant. Rounding errors grow like any others: from zero the runs end
after 12 units of time, when they are still small.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resproof.numeric.training.covariances import covariances
from resproof.numeric.training.descent import descend
from resproof.numeric.training.start import orthogonal
from resproof.proofs.demystifying_resnet.training_runs import spaced
from resproof.proofs.experiment import Parameters, Scale, Sweep, digits10
from resproof.proofs.statement import Data

Floats = NDArray[np.float64]

POSITIVE, ROTATED, NEGATIVE = TARGETS = ("positive definite", "rotated", "negative eigenvalue")
NEAR = 0.01
"""The standard deviation of the entries near zero."""
_LAYERS: Mapping[Scale, Sequence[int]] = {"default": (3, 4, 8), "paper": (3, 4, 8, 16)}
_SEEDS: Mapping[Scale, int] = {"default": 3, "paper": 10}


def _runs(scale: Scale) -> dict[str, Parameters]:
    return {
        f"{layers:02}": {
            "layers": layers,
            "rate": 0.4,
            "epochs": 4000,
            "from_zero": 30 * layers,
            "first_seed": 10,
            "seeds": _SEEDS[scale],
        }
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


def recursion(layers: int, values: NDArray[Any], step: float, epochs: Sequence[int]) -> list[float]:
    """The loss at these epochs from zero, for a target with these eigenvalues."""
    w, found = np.ones(len(values), dtype=complex), list[float]()
    for epoch in range(epochs[-1] + 1):
        missing = w**layers - values
        if epoch in epochs:
            found.append(0.5 * float(np.sum(np.abs(missing) ** 2)))
        w = w - step * np.conj(w) ** (layers - 1) * missing
    return found


def losses_from_zero(data: Data, run: Parameters) -> dict[str, Any]:
    """By target and seed: losses from zero and from near it, those of the recursion from zero, and the least of a singular map.

    The step is the rate over l.
    """
    layers, d, step = run["layers"], data.X.shape[0], run["rate"] / run["layers"]
    epochs = {"zero": spaced(run["from_zero"], 50), "near": spaced(run["epochs"], 80)}
    found: dict[str, Any] = {"epochs": epochs, **{target: list[dict[str, Any]]() for target in TARGETS}}
    for target in TARGETS:
        for seed in range(run["first_seed"], run["first_seed"] + run["seeds"]):
            q, c = normal_target(target, seed, d)
            given = covariances(data.X, q @ c @ q.T @ data.X)
            near = NEAR * np.random.default_rng([seed, 2]).normal(size=(layers, 1, d, d))
            starts = {"zero": np.zeros_like(near), "near": near}
            row: dict[str, Any] = {
                name: descend(start, 1, given, [step], epochs[name][-1], epochs[name])[0][:, 0]
                for name, start in starts.items()
            }
            row["predicted"] = recursion(layers, np.linalg.eigvals(c), step, epochs["zero"])
            row["singular"] = float(np.linalg.svd(c, compute_uv=False)[-1]) ** 2 / 2
            found[target].append(row)
    return digits10(found)


FROM_ZERO = Sweep("from-zero", _runs, losses_from_zero)
