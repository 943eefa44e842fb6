"""Exact Hessians of small networks as rational matrices, and their spectra: eigenvalues with multiplicities."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import flint

from resproof.architectures.losses import Loss, squared
from resproof.architectures.networks import Network
from resproof.architectures.stages import ResidualUnit
from resproof.symbolic.algebra.matrices import Matrix
from resproof.symbolic.algebra.rings import value_at
from resproof.symbolic.written.explicit import Instance, hessian_at_initial_point


def instance_with_m(m: list[list[Fraction]]) -> Instance:
    """X = I and Y = I - d M, so that (1/m) (X - Y) X^T = M with d samples."""
    d = len(m)
    x = [[Fraction(i == j) for j in range(d)] for i in range(d)]
    return Instance(x, [[x[i][j] - d * m[i][j] for j in range(d)] for i in range(d)])


def dense(
    unit: ResidualUnit,
    units: int,
    data: Instance,
    *,
    loss: Loss = squared,
    values: Mapping[str, Fraction] | None = None,
    **dims: int,
) -> Matrix:
    """The exact Hessian of a network at given data.

    `values` gives numbers to symbols that are left, such as the gradient of a loss; `dims` the sizes of inner widths.
    """
    sizes = {"d": len(data.x), **dims}
    hessian = hessian_at_initial_point(Network(unit, units, loss), sizes, data=data)
    entries = {place: value_at(hessian.ring.plain(value), values or {}) for place, value in hessian.entries().items()}
    count = range(hessian.parameters)
    return tuple(tuple(entries.get((i, j), Fraction(0)) for j in count) for i in count)


def exact_spectrum(
    unit: ResidualUnit,
    units: int,
    data: Instance,
    *,
    loss: Loss = squared,
    values: Mapping[str, Fraction] | None = None,
    **dims: int,
) -> dict[Fraction, int] | None:
    """The eigenvalues of the same with multiplicities, ascending; None where some are irrational.

    By FLINT's factorisation of the characteristic polynomial.
    """
    rows = dense(unit, units, data, loss=loss, values=values, **dims)
    matrix = flint.fmpq_mat([[flint.fmpq(v.numerator, v.denominator) for v in row] for row in rows])
    _, factors = matrix.charpoly().factor()
    found: dict[Fraction, int] = {}
    for factor, multiplicity in factors:
        if factor.degree() != 1:
            return None
        root = -factor[0] / factor[1]
        found[Fraction(int(root.p), int(root.q))] = multiplicity
    return dict(sorted(found.items()))
