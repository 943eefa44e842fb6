"""Evidence for GEN-3 and GEN-4: networks with n = 1 on the digits, at depths up to 10^6.

D and A come from the claimed index terms. Extreme eigenvalues at R units, counted from D and A, are held against those
of the dense Hessian of the running network where it fits; condition numbers against the bound of GEN-3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from architectures.activations import tanh
from architectures.catalogue import n_shortcut
from architectures.losses import squared
from architectures.networks import ResidualUnit
from numeric.network.adjoint import hvp
from numeric.rounding import gamma
from numeric.spectra.contract import hessian_vector
from numeric.spectra.toeplitz import ExtremeEigenvalues, count_below, extremes
from proofs.routes.hessians import Claim
from proofs.routes.running_network import Running, claimed_terms, on_data
from proofs.statement import Argument, Computed, Context, Data, Disagreement, Measurement, Scope

TANH = ResidualUnit(n_shortcut(1, tanh, tanh, tanh))


@dataclass(frozen=True, slots=True)
class _Blocks:
    """D and A as arrays, column by column from the claimed index terms, and the data they stand for."""

    diagonal: np.ndarray
    below: np.ndarray


def _blocks(claim: Claim, running: Running) -> _Blocks:
    """D and A of a claim: its product with the unit vectors of the first of two units."""
    terms, d = claimed_terms(running.network.unit, squared, claim), running.dims["d"]
    p = d * d
    basis = np.zeros((p, 2, d, d))
    for place in range(p):
        basis[place, 0, place % d, place // d] = 1.0
    image = hessian_vector(terms, running.environment, {"W1": basis})["W1"]
    columns = np.swapaxes(np.asarray(image), -1, -2).reshape(p, 2, p)
    return _Blocks(columns[:, 0, :].T, columns[:, 1, :].T)


def _components(count: int) -> Callable[[Context], Context]:
    """The context with the first `count` components of the data and rows of the targets."""

    def narrow(context: Context) -> Context:
        x, y, name = context.data
        data = Data(np.ascontiguousarray(x[:count]), np.ascontiguousarray(y[:count]), f"{name}, the first {count}")
        return replace(context, device="cpu", load=lambda: data)

    return narrow


def _running(unit: ResidualUnit, units: int, components: int) -> Callable[[Context], Running]:
    return lambda context: on_data(unit, units, _components(components)(context))


LINEAR_CLAIM = Claim(
    "1/2 * m^-1 * X[j,u] * X[l,u] * delta[i,k] * dW1(1)[i,j] * dW1(1)[k,l]",
    "m^-1 * X[j,u] * X[l,u] * delta[i,k] * dW1(2)[i,j] * dW1(1)[k,l]"
    " + m^-1 * g[i,u] * X[l,u] * dW1(2)[i,k] * dW1(1)[k,l]",
)
TANH_CLAIM = Claim(
    "1/2 * m^-1 * tanh(X)[j,u] * tanh(X)[l,u] * delta[i,k] * dW1(1)[i,j] * dW1(1)[k,l]",
    "m^-1 * tanh(X)[j,u] * tanh(X)[l,u] * delta[i,k] * dW1(2)[i,j] * dW1(1)[k,l]"
    " + m^-1 * g[i,u] * tanh'(X)[k,u] * tanh(X)[l,u] * dW1(2)[i,k] * dW1(1)[k,l]",
)


@dataclass(frozen=True, slots=True)
class _Dense:
    running: Running
    eigenvalues: np.ndarray


def _dense_eigenvalues(make: Callable[[Context], Running]) -> Callable[[Context], Computed]:
    """All eigenvalues of the running network's Hessian: its product with every unit vector."""

    def compute(context: Context) -> Computed:
        running = make(context)
        units, d = running.network.units, running.dims["d"]
        count = units * d * d
        basis = np.eye(count).reshape(count, units, d, d)
        image = hvp(running.network, running.weights, {"W1": basis}, running.x, running.y)["W1"]
        dense = np.asarray(image).reshape(count, count)
        return Computed(_Dense(running, np.linalg.eigvalsh((dense + dense.T) / 2)), Scope.of(running.sizes))

    return compute


def _same_extremes(found: _Dense, claim: Claim) -> tuple[Measurement, ...]:
    """Largest, smallest and least modulus from D and A against the dense ones, each against both rounding errors.

    Raises:
        Disagreement: the numbers of negative, zero and positive eigenvalues differ.
    """
    running, values = found.running, found.eigenvalues
    blocks = _blocks(claim, running)
    one = extremes(blocks.diagonal, blocks.below, running.network.units)
    size = float(np.linalg.norm(values))
    dense = gamma(len(values) + running.chain) * max(size, one.greatest_modulus)
    zero = max(dense, one.tolerance)
    counts = tuple(int(np.count_nonzero(c)) for c in (values < -zero, np.abs(values) <= zero, values > zero))
    if counts != (one.negative, one.zero, one.positive):
        raise Disagreement(f"negative, zero, positive: {counts}; claimed {one.negative}, {one.zero}, {one.positive}")
    pairs = (
        ("largest", one.largest, float(values[-1]), one.errors[0]),
        ("smallest", one.smallest, float(values[0]), one.errors[1]),
        ("least modulus", one.smallest_modulus, float(np.min(np.abs(values))), one.errors[2]),
    )
    return tuple(
        Measurement(
            f"|{name} eigenvalue - dense|",
            abs(mine - other),
            error + dense,
            running.sizes,
            running.seed,
            "half the distance of two counts and their rounding error, plus gamma_N |H|_F of the dense solver, N = R p + chain",
        )
        for name, mine, other, error in pairs
    )


def observed_dense(
    name: str, unit: ResidualUnit, claim: Claim, units: int, components: int, *, deep: bool = False
) -> Argument:
    """Extreme eigenvalues from D and A against those of the dense Hessian, on the first `components` components."""
    return Argument(
        f"Extreme eigenvalues against dense ones, {name} network, d = {components}, R = {units}",
        "floating point",
        _dense_eigenvalues(_running(unit, units, components)),
        claim,
        {
            "units do not interact": Claim(claim.diagonal),
            "A without the residual": Claim(claim.diagonal, claim.cross.split(" + ")[0]),
            "D twice as large": Claim(claim.diagonal.replace("1/2", "1"), claim.cross),
        },
        _same_extremes,
        deep=deep,
    )


@dataclass(frozen=True, slots=True)
class _Depths:
    """Extremes at several depths, with |A|, |D - A| and how many singular values are at most |D - A|."""

    running: Running
    found: Mapping[int, ExtremeEigenvalues]
    norms: tuple[float, float]
    small: Mapping[int, int]


def _at_depths(
    unit: ResidualUnit, claim: Claim, components: int, depths: Sequence[int]
) -> Callable[[Context], Computed]:
    def compute(context: Context) -> Computed:
        running = _running(unit, 2, components)(context)
        one = _blocks(claim, running)
        d, a = one.diagonal, one.below
        norms = tuple(float(np.linalg.norm(m, 2)) for m in (a, d - a))
        found = {units: extremes(d, a, units) for units in depths}
        edge = norms[1] * (1.0 + 1e-9)
        small = {u: count_below(d, a, u, edge)[0] - count_below(d, a, u, -edge)[0] for u in depths}
        sizes = f"n=1, R={', '.join(map(str, depths))}, d={components}; {running.data}"
        return Computed(_Depths(running, found, (norms[0], norms[1]), small), Scope.of(sizes))

    return compute


_Law = tuple[Callable[[int], int], Callable[[int], int]]
"""The factors of |A| / |D - A| and of p, as functions of R."""


def _half(units: int) -> int:
    return units // 2


def _obeys(found: _Depths, claim: _Law) -> tuple[Measurement, ...]:
    """The bound over the condition number, taken from below, and p share(R) over the count: at most 1."""
    condition, share = claim
    p = found.running.dims["d"] ** 2
    measured: list[Measurement] = []
    for units, one in found.found.items():
        at = f"R={units}, d={found.running.dims['d']}; {found.running.data}"
        # Eigenvalues that count as zero could only make it greater.
        kappa = (one.greatest_modulus - max(one.errors[:2])) / (one.smallest_modulus + one.errors[2])
        bound = condition(units) * found.norms[0] / found.norms[1]
        shown = f"cond(H_R) at least {kappa:.6g} by counts on both sides of the extreme eigenvalues, bound {bound:.6g}"
        many = f"{found.small[units]} singular values at most |D - A|"
        seed = found.running.seed
        measured += [
            Measurement("bound / cond(H_R)", bound / kappa, 1.0, at, seed, shown),
            Measurement("p floor(R/2) / their number", p * share(units) / found.small[units], 1.0, at, seed, many),
        ]
    return tuple(measured)


def observed_law(
    name: str, unit: ResidualUnit, claim: Claim, components: int, depths: Sequence[int], *, deep: bool = False
) -> Argument:
    """The condition number at `depths`, and how many singular values are small, against what GEN-3 bounds them by."""
    return Argument(
        f"The condition number and its lower bound, {name} network, d = {components}, R = {depths[0]} to {depths[-1]}",
        "floating point",
        _at_depths(unit, claim, components, depths),
        (_half, _half),
        {
            "the cube of R": (lambda units: units**3, _half),
            "all singular values are small": (_half, lambda units: units),
        },
        _obeys,
        deep=deep,
    )
