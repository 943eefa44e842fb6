"""Functions that act elementwise: tanh, relu, gelu and others, by name or by their coefficients.

>>> from resproof.activations import gelu, polynomial
>>> gelu.name
'gelu'
>>> polynomial(0, 1, 2).name
'polynomial(0, 1, 2)'
"""

from __future__ import annotations

from resproof.architectures.activations import (
    activation,
    gelu,
    gelu_tanh,
    generic,
    identity_activation,
    polynomial,
    relu,
    sigmoid,
    silu,
    softplus,
    tanh,
)
from resproof.architectures.nodes import Activation, reciprocal

__all__ = [
    "Activation",
    "activation",
    "gelu",
    "gelu_tanh",
    "generic",
    "identity_activation",
    "polynomial",
    "reciprocal",
    "relu",
    "sigmoid",
    "silu",
    "softplus",
    "tanh",
]
