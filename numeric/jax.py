"""Value, gradient and Hessian-vector product by JAX: the same forward readings on its namespace, differentiated by it.

    H v = jvp(grad L)(w; v),    L through lax.scan over the units.

It is the second derivation of what `network.adjoint` finds by its own adjoint, and what there is for wide blocks and on a
GPU. The units of a segment, about sqrt(R) of them, are run again on the way back (`jax.checkpoint`), so that the memory
grows like sqrt(R) rather than R. Programs are compiled once for each network and its sizes. JAX is an extra.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import jax
import jax.numpy as jnp

from resproof.architectures.activations import relu, softplus
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Activation, Weight
from resproof.architectures.stacks import Stack
from resproof.numeric.backend import Array, Ops
from resproof.numeric.network import adjoint
from resproof.numeric.network.evaluate import forward
from resproof.numeric.network.parameters import Weights
from resproof.numeric.network.program import Program, program
from resproof.numeric.network.run import Part
from resproof.numeric.network.series import FloatSeries, Series
