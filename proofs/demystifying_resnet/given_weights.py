"""Exact Hessians of small networks at weights that are given as rational numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from resproof.architectures.activations import identity_activation
from resproof.architectures.nodes import Activation
from resproof.proofs.routes.exact_spectra import dense
from resproof.proofs.theory.linear_networks import Shortcut, entries, written_out
from resproof.symbolic.algebra.matrices import Matrix, Vector
from resproof.symbolic.written.explicit import Instance


def hessian_at(
    weights: Sequence[Sequence[Matrix]],
    data: Instance,
    shortcut: Shortcut = "none",
    mid: Activation = identity_activation,
) -> Matrix:
    """The Hessian in the W^{r,l} = weights[r - 1][l - 1], each stacked column by column."""
    numbers = {
        name: value
        for r, path in enumerate(weights, 1)
        for layer, weight in enumerate(path, 1)
        for name, value in entries(f"W{r}_{layer}", weight).items()
    }
    unit = written_out([len(path) for path in weights], mid=mid, shortcut=shortcut)
    return dense(unit, 1, replace(data, initial=numbers))


def stacked(*parts: Matrix) -> Vector:
    """The columns of matrices, one after another."""
    return tuple(row[j] for part in parts for j in range(len(part[0])) for row in part)
