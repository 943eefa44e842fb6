"""The identity test in one call, and the loss's series modulo a prime for whole numbers that are given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from resproof.architectures.forms.terms import IndexSum
from resproof.architectures.networks import Network
from resproof.architectures.properties import the_input
from resproof.numeric.backend import Ops
from resproof.numeric.data import SAMPLES
from resproof.numeric.modular.identity import IdentityTest, expand, held_against
from resproof.numeric.modular.residues import random_points
from resproof.numeric.network.arithmetic import PRIME


def identity_test(
    network: Network,
    closed_forms: Mapping[int, Sequence[IndexSum] | IndexSum],
    sizes: Mapping[str, int],
    ops: Ops,
    **options: Any,
) -> IdentityTest:
    """Whether the Taylor coefficients of t -> L(w_0 + t v) equal the closed forms modulo a prime."""
    return held_against(expand(network, max(closed_forms), sizes, ops, **options), closed_forms)


def loss_series_modulo(
    network: Network,
    x: np.ndarray,
    y: np.ndarray,
    directions: Mapping[str, np.ndarray],
    order: int,
    ops: Ops,
    *,
    symbols: Mapping[str, int] | None = None,
    prime: int = PRIME,
) -> list[int]:
    """Coefficients 0..order of t -> L(w_0 + t v) modulo a prime, for whole-number data and directions.

    x, y: (d, m) or (m, d, t); directions: name -> (R, rows, columns); symbols: values of "mid'(0)" and the like.

    Raises:
        ArchitectureError: the unit contains softmax or a normalisation.
        DataError: a dimension without a size.
    """
    mixes = network.unit.mixes_columns
    h = the_input(network.unit.expression)
    known = {SAMPLES: x.shape[0] if mixes else x.shape[1], **_named(h.rows, x.shape[-2])}
    known |= _named(h.columns, x.shape[-1]) if mixes else {}
    for weight, name in network.unit.names.items():
        for dimension, size in zip(weight.shape, directions[name].shape[-2:], strict=True):
            known |= _named(dimension, size)
    trial = random_points(network, known, ops, 1, 0, prime, order)
    residues = trial.residues
    layout = (1, *trial.program.shapes[h])
    trial.drawn["X"], trial.drawn["Y"] = (residues.reduce(ops.reshape(ops.asarray(a), layout)) for a in (x, y))
    trial.drawn.update({key: ops.full((1, 1, 1), residues.balance(s)) for key, s in (symbols or {}).items()})
    stream = trial.start()
    for unit in range(network.units):
        stream = trial.unit(
            stream, {k: residues.reduce(ops.asarray(v[unit])[None, ...]) for k, v in directions.items()}
        )
    return [0 if c is None else int(residues.canonical(c)[0]) for c in trial.loss(stream)]


def _named(dimension: str | int, size: int) -> dict[str, int]:
    return {dimension: int(size)} if isinstance(dimension, str) else {}
