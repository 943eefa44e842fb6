"""Evidence for IM-1: the network of small factors of a random target, built and run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import numpy as np

from resproof.numeric.backend import device
from resproof.proofs.identity_matters.factors import (
    Factors,
    apply,
    factors,
    greatest_norm,
    layer_roundings,
    norm_bound,
    product_bound,
    published_bounds,
    random_target,
)
from resproof.proofs.statement import Argument, Computed, Context, Measurement
from resproof.symbolic.scope import Scope


@dataclass(frozen=True, slots=True)
class _Built:
    """The network that was built, run on the identity matrix, and its greatest spectral norm."""

    made: Factors
    output: np.ndarray
    norm: float
    seed: int

    @property
    def sizes(self) -> str:
        """l, d and gamma."""
        return f"l={self.made.layers}, d={len(self.output)}, gamma={self.made.gamma:.3g}"


@cache
def _build(name: str, seed: int, sizes: tuple[tuple[int, int], ...]) -> list[_Built]:
    ops, found = device(name).ops, list[_Built]()
    for layers, d in sizes:
        target = ops.asarray(random_target(np.random.default_rng(seed + d), d, 1.0))
        made = factors(target, layers)
        output = ops.numpy(apply(made, ops.asarray(np.eye(d))))
        found.append(_Built(made, output, greatest_norm(made, 32), seed + d))
    return found


def _built(*sizes: tuple[int, int]) -> Callable[[Context], Computed]:
    def compute(context: Context) -> Computed:
        found = _build(context.device, context.seed, sizes)
        return Computed(found, Scope.of(*(one.sizes for one in found)))

    return compute


def _target(made: Factors, name: str) -> np.ndarray:
    """What the product is claimed to be, on the host."""
    ops = device("cpu").ops
    rotation_, basis = np.asarray(made.polar.rotation), np.asarray(made.polar.basis)
    symmetric = (basis * np.exp(np.asarray(made.polar.logs))) @ basis.T
    match name:
        case "R":
            return ops.numpy(made.target)
        case "P U":
            return symmetric @ rotation_
        case "U^T P":
            return rotation_.T @ symmetric
        case _:
            z, core = np.asarray(made.planes.basis), np.asarray(made.core)
            return z @ np.linalg.matrix_power(np.eye(len(core)) + core, made.layers) @ z.T


def _near_target(found: Sequence[_Built], claim: str) -> tuple[Measurement, ...]:
    return tuple(
        Measurement(
            r"$\lvert F_l \cdots F_1 - \text{claim}\rvert_F$",
            float(np.linalg.norm(one.output - _target(one.made, claim))),
            product_bound(one.made),
            one.sizes,
            one.seed,
            rf"$l e^\gamma$ times the error of one layer, {layer_roundings(len(one.output))} roundings in its entries",
            scale=float(np.linalg.norm(one.output)),
        )
        for one in found
    )


NormClaim: TypeAlias = Callable[[Factors], Sequence[float]]


def _within_norms(found: Sequence[_Built], claim: NormClaim) -> tuple[Measurement, ...]:
    return tuple(
        Measurement(
            r"$l \max \lvert W_k\rvert$",
            one.made.layers * one.norm,
            one.made.layers * bound,
            one.sizes,
            one.seed,
            "the claim",
            at_most=True,
        )
        for one in found
        for bound in claim(one.made)
    )


def _all_bounds(made: Factors) -> Sequence[float]:
    return (norm_bound(made), *published_bounds(made))


SMALL, LARGE = ((3, 2), (4, 3), (10, 5), (200, 8)), ((100_000, 8), (200, 64))
_OTHER_TARGETS = {"$P U$": "P U", r"$U^{\mathsf T} P$": "U^T P", "$F_k = U^{1/l} P^{1/l}$": "without conjugation"}
_OTHER_NORMS: dict[str, NormClaim] = {
    r"$\pi/2$ in place of $\pi$, without $\gamma$": lambda made: (1.5707963267948966 / made.layers,),
    r"$\gamma$ alone": lambda made: (made.gamma / made.layers,),
    "half the bound": lambda made: (0.5 * norm_bound(made),),
    "$O(1/l^2)$": lambda made: (norm_bound(made) / made.layers,),
}


def observed(title: str, sizes: tuple[tuple[int, int], ...], *, deep: bool) -> tuple[Argument, Argument]:
    """The product against the target and the norms against the three bounds."""
    norms = _OTHER_NORMS if deep else {name: _OTHER_NORMS[name] for name in ("half the bound", "$O(1/l^2)$")}
    return (
        Argument(
            f"The product of {title}", "floating point", _built(*sizes), "R", _OTHER_TARGETS, _near_target, deep=deep
        ),
        Argument(
            f"The norms of {title}", "floating point", _built(*sizes), _all_bounds, norms, _within_norms, deep=deep
        ),
    )
