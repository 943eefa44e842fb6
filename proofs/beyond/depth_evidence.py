"""Evidence for GEN-3 and GEN-4 on running networks with n = 1 on the digits: nothing comes from a claimed form.

D and A are columns of the Hessian of two units, by products. Extreme eigenvalues at R units that are counted from them are
held against those of the dense Hessian of R running units; and the bounds of GEN-3 against products with the Hessian of R
running units along the vectors of its proof: the same vector in the first half of the units, and v, -v in pairs of units.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from resproof.architectures.activations import tanh
from resproof.architectures.catalogue import n_shortcut
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.network.adjoint import hvp
from resproof.numeric.network.parameters import flatten, unflatten
from resproof.numeric.rounding import gamma
from resproof.numeric.spectra.toeplitz import extremes
from resproof.proofs.routes.running_network import Running, dense_hessian, on_data
from resproof.proofs.statement import Argument, Computed, Context, Data, Disagreement, Measurement
from resproof.symbolic.scope import Scope

LINEAR = ResidualUnit(n_shortcut(1))
TANH = ResidualUnit(n_shortcut(1, tanh, tanh, tanh))


@dataclass(frozen=True, slots=True)
class UnitBlocks:
    """D and A as arrays."""

    diagonal: np.ndarray
    below: np.ndarray


def running_on(unit: ResidualUnit, units: int, components: int, context: Context, *, zeros: int = 0) -> Running:
    """The network on the first `components` components of the data and rows of the targets, and rows of zeros."""
    x, y, name, *_ = context.data
    x, y = (np.concatenate([a[:components], np.zeros((zeros, a.shape[1]))]) for a in (x, y))
    data = Data(x, y, f"{name}, the first {components}{f' and {zeros} times zero' if zeros else ''}")
    return on_data(unit, units, replace(context, device="cpu", load=lambda: data))


def measured_blocks(unit: ResidualUnit, components: int, context: Context, *, zeros: int = 0) -> UnitBlocks:
    """D and A from the Hessian of two running units."""
    rows = dense_hessian(running_on(unit, 2, components, context, zeros=zeros))
    p = len(rows) // 2
    return UnitBlocks(rows[:p, :p], rows[p:, :p])


# All eigenvalues.


@dataclass(frozen=True, slots=True)
class _Dense:
    running: Running
    blocks: UnitBlocks
    eigenvalues: np.ndarray


Recipe = Callable[[UnitBlocks], UnitBlocks]
"""What D and A at depth R are made of those of two units."""


def signs(values: np.ndarray, zero: float) -> tuple[int, ...]:
    """How many are negative, zero and positive, where those of modulus at most `zero` count as zero."""
    return tuple(int(np.count_nonzero(c)) for c in (values < -zero, np.abs(values) <= zero, values > zero))


def _same_extremes(found: _Dense, claim: Recipe) -> tuple[Measurement, ...]:
    """Largest, smallest and least modulus from D and A against the dense ones, each against both rounding errors.

    Raises:
        Disagreement: the numbers of negative, zero and positive eigenvalues differ.
    """
    running, values = found.running, found.eigenvalues
    blocks = claim(found.blocks)
    one = extremes(blocks.diagonal, blocks.below, running.network.units)
    dense = gamma(len(values) + running.chain) * float(np.linalg.norm(values))
    zero = dense + one.tolerance
    counts = signs(values, zero)
    if counts != (one.negative, one.zero, one.positive):
        raise Disagreement(f"negative, zero, positive: {counts}; claimed {one.negative}, {one.zero}, {one.positive}")
    others = np.abs(values)[np.abs(values) > zero]
    pairs = (
        ("largest", one.largest, float(values[-1]), one.errors[0]),
        ("smallest", one.smallest, float(values[0]), one.errors[1]),
        ("least modulus", one.smallest_modulus, float(np.min(others)), one.errors[2]),
    )
    why = r"half the distance of two counts and their rounding error, plus $\gamma_N \lvert H\rvert_F$ of the dense solver, $N = R p$ + chain"
    return tuple(
        Measurement(
            f"|{name} eigenvalue - dense|",
            abs(mine - other),
            error + dense,
            running.sizes,
            running.seed,
            why,
            scale=abs(other),
        )
        for name, mine, other, error in pairs
    )


def observed_dense(
    name: str, unit: ResidualUnit, units: int, components: int, *, zeros: int = 0, deep: bool = False
) -> Argument:
    """Extreme eigenvalues from D and A of two units against those of the dense Hessian of R.

    With rows of `zeros` in the data D, A and A^T have a kernel in common, and A has one that A^T has not.
    """
    kernel = " with a kernel" if zeros else ""

    def compute(context: Context) -> Computed:
        running = running_on(unit, units, components, context, zeros=zeros)
        blocks = measured_blocks(unit, components, context, zeros=zeros)
        return Computed(_Dense(running, blocks, np.linalg.eigvalsh(dense_hessian(running))), Scope.of(running.sizes))

    return Argument(
        f"Extreme eigenvalues against dense ones, {name} network{kernel}, $d = {components + zeros}$, $R = {units}$",
        "floating point",
        compute,
        lambda one: one,
        {
            "units do not interact": lambda one: replace(one, below=0.0 * one.below),
            "$A$ symmetric": lambda one: replace(one, below=(one.below + one.below.T) / 2),
            "$D$ twice as large": lambda one: replace(one, diagonal=2.0 * one.diagonal),
            "$A$ larger by $10^{-7}$ of it": lambda one: replace(one, below=(1.0 + 1e-7) * one.below),
        },
        _same_extremes,
        explanation=r"Both sides are known up to rounding errors of the size of $\lvert H\rvert$, which counts $\mathrm{cond}(H)$ "
        "times as much for the least modulus.",
        deep=deep,
    )


# The bounds, at any depth.


@dataclass(frozen=True, slots=True)
class StretchedBy:
    """|H w| / |w| of a running network, for w the same in the first half of the units, and in pairs with v, v and v, -v."""

    running: Running
    constant: float
    pairs: Mapping[int, float]


@dataclass(frozen=True, slots=True)
class _Depths:
    """|A| and |D - A| of two units, and the quotients at each depth."""

    norms: tuple[float, float]
    found: Sequence[StretchedBy]


def stretched(running: Running, y: np.ndarray) -> StretchedBy:
    """How far H_R stretches y in every unit of the first half, and random vectors v, v and v, -v in pairs of units."""
    network, half = running.network, running.network.units // 2
    constant, alike = np.zeros((2, network.units, len(y)))
    constant[:half] = y
    alike[0 : 2 * half : 2] = np.random.default_rng(running.seed).standard_normal((half, len(y)))
    apart = alike.copy()
    alike[1 : 2 * half : 2], apart[1 : 2 * half : 2] = alike[0 : 2 * half : 2], -apart[0 : 2 * half : 2]
    vectors = np.stack([constant, alike, apart]).reshape(3, -1)
    tangents = unflatten(network.unit, vectors, network.units, running.dims)
    image = flatten(network.unit, hvp(network, running.weights, tangents, running.x, running.y))
    quotients = np.linalg.norm(np.asarray(image), axis=1) / np.linalg.norm(vectors, axis=1)
    return StretchedBy(running, float(quotients[0]), {1: float(quotients[1]), -1: float(quotients[2])})


_Law = tuple[Callable[[int], float], int]
"""The factor of |A| as a function of R, and the sign of the second vector in a pair."""


def _half(units: int) -> int:
    return units // 2


def _obeys(found: _Depths, claim: _Law) -> tuple[Measurement, ...]:
    """What GEN-3 takes for the least and the greatest over what the running network does, and for their quotient."""
    (factor, sign), (below, difference), measured = claim, found.norms, list[Measurement]()
    for one in found.found:
        units, seed, at = one.running.network.units, one.running.seed, one.running.sizes
        greatest, least = factor(units) * below / one.constant, one.pairs[sign] / difference
        why = "an inequality: products with the running network's Hessian, $D$ and $A$ from two running units"
        values = {
            r"$\lfloor R/2\rfloor \lvert A\rvert / (\lvert H w\rvert / \lvert w\rvert)$": greatest,
            r"$(\lvert H w\rvert / \lvert w\rvert) / \lvert D - A\rvert$, pairs": least,
            r"bound / quotient of both, at most $\mathrm{cond}(H_R)$": greatest * least,
        }
        measured += [Measurement(name, value, 1.0, at, seed, why, at_most=True) for name, value in values.items()]
    return tuple(measured)


def observed_law(
    name: str, unit: ResidualUnit, components: int, depths: Sequence[int], *, deep: bool = False
) -> Argument:
    """The two stretches that bound the condition number from below, at `depths`."""

    def compute(context: Context) -> Computed:
        blocks = measured_blocks(unit, components, context)
        y = np.linalg.svd(blocks.below)[2][0]
        found = [stretched(running_on(unit, units, components, context), y) for units in depths]
        norms = (float(np.linalg.norm(m, 2)) for m in (blocks.below, blocks.diagonal - blocks.below))
        sizes = f"n=1, R={', '.join(map(str, depths))}, d={components}; {found[0].running.data}"
        return Computed(_Depths((next(norms), next(norms)), found), Scope.of(sizes))

    return Argument(
        f"How far $H_R$ stretches, {name} network, $d = {components}$, $R$ = {', '.join(map(str, depths))}",
        "floating point",
        compute,
        (_half, -1),
        {
            "the square of $R$": (lambda units: units**2, -1),
            "the same vector in both units of a pair": (_half, 1),
            "$R$ of them": (lambda units: 2.0 * units, -1),
        },
        _obeys,
        deep=deep,
    )
