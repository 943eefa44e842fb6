"""Eigenvalues of the Hessian's cores, from their index terms and the data.

A core of matrix C on each unit has the eigenvalues of C; a bipartite one, [[0, B^T], [B, 0]], has +-sigma_i(B) and
zeros: the pairs are exact. One whose terms also join different units is the eigenvalue problem of
I (x) D + L (x) A + L^T (x) A^T on all units.

Rounding. With |C^ - C| <= E entrywise for the contraction, and a backward stable solver, every computed eigenvalue or
singular value is off by at most (Weyl)

    ||E||_F + BACKWARD n u ||C^||_F,                    n the sum of the sides of the matrix, u the unit roundoff,

where on R units E counts as ||E_D||_F sqrt(R) + R ||E_A||_F, because ||L (x) E_A + L^T (x) E_A^T||_2 <= R ||E_A||_2.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from resproof.architectures.forms.cores import Core, CoreBlock, CoreWeight, Product, RankBounds
from resproof.architectures.forms.hessian_blocks import SIDES
from resproof.architectures.forms.terms import IndexSum
from resproof.numeric.backend import largest_modulus
from resproof.numeric.data import DataError, size_of
from resproof.numeric.rounding import UNIT_ROUNDOFF
from resproof.numeric.spectra.balanced import Scaled, contract, contraction_bound
from resproof.numeric.spectra.contract import Environment

BACKWARD = 8
"""The constant of the solvers' backward error, in units of n u ||C||."""

Reader: TypeAlias = Callable[[IndexSum], np.ndarray]


@dataclass(frozen=True, slots=True)
class Matrices:
    """A core's matrices, one for each value of its labels: B, or C, or D and A; shape (labels, rows, columns).

    All of them are to be taken times 2^`exponent`, so that none underflows or overflows however small the data are.
    """

    diagonal: np.ndarray
    cross: np.ndarray | None
    exponent: int = 0


@dataclass(frozen=True, slots=True)
class CoreSpectrum:
    """For each label, the singular values of B or the eigenvalues of the core, ascending, and their rounding bound."""

    moduli: np.ndarray
    bound: float


def size(product: Product, sizes: Mapping[str, int]) -> int:
    """The product of the dimensions."""
    return math.prod(size_of(n, sizes) for n in product)


def shape(core: Core, sizes: Mapping[str, int]) -> tuple[int, int]:
    """Rows and columns of B for a bipartite core, of C or D otherwise."""
    width = {w.name: size(w.dims, sizes) for w in core.weights}
    if core.sides is None:
        return sum(width.values()), sum(width.values())
    return sum(width[n] for n in core.sides[1]), sum(width[n] for n in core.sides[0])


def matrices(core: Core, env: Environment) -> tuple[Matrices, Matrices]:
    """The core's matrices on these data and their entrywise rounding bounds, with one exponent.

    Raises:
        DataError: an entry is not finite.
    """
    blocks = [block.entries for block in (*core.diagonal, *core.cross)]
    entries = [contract(terms, env) for terms in blocks]
    errors = [contraction_bound(terms, env) for terms in blocks]
    exponent = max((one.exponent for one in entries if np.any(env.ops.numpy(one.array))), default=0)

    def placed(found: list[Scaled]) -> Matrices:
        known = {
            id(terms): np.asarray(env.ops.numpy(one.at(exponent))) for terms, one in zip(blocks, found, strict=True)
        }
        return replace(assemble(core, env.sizes, lambda terms: known[id(terms)]), exponent=exponent)

    found, bounds = placed(entries), placed(errors)
    for array in (found.diagonal, found.cross):
        if array is not None and not np.all(np.isfinite(array)):
            raise DataError("spectrum: the Hessian's entries are not finite; expected data of moderate size")
    return found, bounds


@dataclass(frozen=True, eq=False)
class HeldMatrices:
    """The `matrices` of cores on the data of one environment, each made once: they are the same at every depth."""

    env: Environment
    held: dict[Core, tuple[Matrices, Matrices]] = field(default_factory=dict, init=False, repr=False)

    def of(self, core: Core) -> tuple[Matrices, Matrices]:
        """`matrices(core, env)`.

        Raises:
            DataError: an entry is not finite.
        """
        if core not in self.held:
            self.held[core] = matrices(core, self.env)
        return self.held[core]


def assemble(core: Core, sizes: Mapping[str, int], read: Reader) -> Matrices:
    """The matrices whose blocks are read from index terms by `read`."""
    names = [w.name for w in core.weights]
    if core.sides is not None:
        return Matrices(_placed(core, core.sides[1], core.sides[0], core.diagonal, sizes, read), None)
    upper = _placed(core, names, names, core.diagonal, sizes, read)
    strict = [block for block in core.diagonal if block.row != block.column]
    lower = _placed(core, names, names, strict, sizes, read)
    cross = _placed(core, names, names, core.cross, sizes, read) if core.cross else None
    return Matrices(upper + lower.swapaxes(1, 2), cross)


def _placed(
    core: Core,
    rows: list[str] | tuple[str, ...],
    columns: list[str] | tuple[str, ...],
    blocks: list[CoreBlock] | tuple[CoreBlock, ...],
    sizes: Mapping[str, int],
    read: Reader,
) -> np.ndarray:
    width = {w.name: size(w.dims, sizes) for w in core.weights}
    labels = size(core.labels, sizes)
    found = np.zeros((labels, sum(width[n] for n in rows), sum(width[n] for n in columns)))
    for block in blocks:
        top = sum(width[n] for n in rows[: rows.index(block.row)])
        left = sum(width[n] for n in columns[: columns.index(block.column)])
        part = read(block.entries).reshape(labels, width[block.row], width[block.column])
        found[:, top : top + width[block.row], left : left + width[block.column]] = part
    return found


def on_all_units(found: Matrices, units: int) -> np.ndarray:
    """I (x) D + L (x) A + L^T (x) A^T for each label; D itself where there is no A."""
    if found.cross is None:
        return found.diagonal
    side = np.sign(np.subtract.outer(np.arange(units), np.arange(units)))
    below = np.kron((side == SIDES["A"])[None], found.cross)
    return np.kron((side == SIDES["D"])[None], found.diagonal) + below + below.swapaxes(1, 2)


def core_spectrum(core: Core, found: Matrices, bounds: Matrices, units: int) -> CoreSpectrum:
    """Singular values (bipartite) or eigenvalues of a core, ascending for each label, from its `matrices`.

    `bounds` are the entrywise rounding bounds; both are left in units of 2^exponent.
    """
    whole = on_all_units(found, units)
    error = _error(bounds, units) + BACKWARD * sum(whole.shape[1:]) * UNIT_ROUNDOFF * _norm(whole)
    if core.sides is None:
        return CoreSpectrum(np.linalg.eigvalsh(whole), error)
    return CoreSpectrum(np.linalg.svd(whole, compute_uv=False)[:, ::-1], error)


def _error(bounds: Matrices, units: int) -> float:
    diagonal = _norm(bounds.diagonal)
    return diagonal if bounds.cross is None else math.sqrt(units) * diagonal + units * _norm(bounds.cross)


def _norm(a: np.ndarray) -> float:
    """The largest Frobenius norm over the labels; scaled, so that no square underflows or overflows."""
    largest = largest_modulus(a)
    return largest * float(np.max(np.sqrt(np.sum((a / largest) ** 2, axis=(1, 2))))) if largest else 0.0


# Zeros from sizes and declared relations.


def rank_bound(core: Core, sizes: Mapping[str, int], units: int) -> int:
    """An upper bound of the rank of a core's matrix for one label, from sizes and from sums that vanish."""
    null = {w.name: _null(w, sizes, units, joined=bool(core.cross)) for w in core.weights}
    rows, columns = shape(core, sizes)
    if core.cross:
        return units * rows - sum(null.values())
    least = _least(core.bounds, sizes)
    if core.sides is None:
        return min(rows - sum(null.values()), least)
    return min(rows - sum(null[n] for n in core.sides[1]), columns - sum(null[n] for n in core.sides[0]), least)


def _least(bounds: RankBounds, sizes: Mapping[str, int]) -> int:
    cuts = sum(min(size(option, sizes) for option in options) for options in bounds.cuts)
    rows, columns = (sum(size(p, sizes) for p in side) for side in (bounds.rows, bounds.columns))
    return min(cuts, rows, columns)


def _null(weight: CoreWeight, sizes: Mapping[str, int], units: int, joined: bool) -> int:
    """The dimension of this weight's directions that every term annihilates: on one unit, or on all of them."""
    dims, c = [size_of(n, sizes) for n in weight.dims], weight.centred

    def count(*flags: tuple[bool, ...]) -> int:
        return math.prod(dims) - math.prod(n - all(f) for n, f in zip(dims, zip(*flags, strict=True), strict=True))

    if not joined:
        return count(c.diagonal)
    # The first unit is never the later one of a pair, the last one never the earlier.
    ends = count(c.diagonal, c.earlier) + count(c.diagonal, c.later)
    return ends + (units - 2) * count(c.diagonal, c.earlier, c.later)
