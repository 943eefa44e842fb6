"""Exact ranks of a core's matrices on the floats as given, which are rational numbers.

The rank modulo a prime is at most the rank. So where it reaches an upper bound the rank is known. Where it does not,
the matrix, made whole by a common denominator, is put together from its residues modulo as many primes as its size
asks for (Chinese remainder theorem) and FLINT computes the rank over the integers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import islice
from typing import TypeAlias

import flint
import numpy as np

from resproof.architectures.forms.cores import Core
from resproof.numeric.modular.rational import common_scale, has_residues, residue, vanishes
from resproof.numeric.network.arithmetic import Residues
from resproof.numeric.spectra.contract import Environment
from resproof.numeric.spectra.cores import Matrices, assemble, on_all_units, shape, size

MOST_ENTRIES = 10**6
"""The largest matrix whose rank is computed modulo a prime."""
MOST_WORK = 10**9
"""The most (smaller side)^3 times bits that is computed over the integers."""


_Form: TypeAlias = Callable[[Matrices], np.ndarray]
"""A matrix for each label, made of a core's."""


def exact_ranks(core: Core, env: Environment, units: int, upper: int, bits: int) -> tuple[int, ...] | None:
    """The rank of the core's matrix for each label; None where it is not computed.

    `upper` is a known bound of the rank, `bits` one of the length of the entries' integer part. None for data that enter by
    more than sums and products (tanh, cross-entropy, LayerNorm), and for matrices that are too large.
    """
    rows, columns = (n * (units if core.cross else 1) for n in shape(core, env.sizes))
    return _ranks(core, env, lambda found: on_all_units(found, units), (rows, columns), upper, bits)


def common_kernels(core: Core, env: Environment, bits: int) -> tuple[int, ...] | None:
    """The dimension of the common kernel of D, A and A^T for each label; None as in `exact_ranks`.

    Each of its vectors, in any unit, is in the kernel of the Hessian at every depth (GEN-3).
    """
    rows, _ = shape(core, env.sizes)
    found = _ranks(core, env, _on_top_of_each_other, (3 * rows, rows), rows, bits)
    return found and tuple(rows - rank for rank in found)


def _on_top_of_each_other(found: Matrices) -> np.ndarray:
    assert found.cross is not None
    return np.concatenate([found.diagonal, found.cross, found.cross.swapaxes(1, 2)], axis=1)


def _ranks(
    core: Core, env: Environment, form: _Form, sides: tuple[int, int], upper: int, bits: int
) -> tuple[int, ...] | None:
    """The ranks of matrices with these sides."""
    if vanishes(core, env):
        return (0,) * size(core.labels, env.sizes)
    if not has_residues(core, env):
        return None
    if sides[0] * sides[1] > MOST_ENTRIES:
        return None
    scale = common_scale(core, env)
    primes = primes_for(scale)
    prime = next(primes)
    found = tuple(_rank_modulo(matrix, prime) for matrix in _whole(core, env, form, prime))
    if min(found) == upper:
        return found
    bits += scale.bit_length() + 2
    if min(sides) ** 3 * bits > MOST_WORK:
        return None
    return _integer_ranks(core, env, form, scale, list(_enough(primes, bits)))


def primes_for(denominator: int) -> Iterator[int]:
    """The primes below 2^24 that do not divide it, the largest first."""
    return (p for p in range(2**24 - 1, 2, -2) if denominator % p and flint.fmpz(p).is_prime())


def _whole(core: Core, env: Environment, form: _Form, prime: int) -> np.ndarray:
    """The residues of the matrices, 0..p - 1, one for each label."""
    residues = Residues(env.ops, prime)
    return residues.canonical(form(assemble(core, env.sizes, lambda t: residue(t, env, residues))))


def _rank_modulo(matrix: np.ndarray, prime: int) -> int:
    rows, columns = matrix.shape
    return int(flint.nmod_mat(rows, columns, matrix.ravel().tolist(), prime).rank())


def _enough(primes: Iterator[int], bits: int) -> Iterator[int]:
    """Primes whose product exceeds 2^bits; each is above 2^23."""
    return islice(primes, bits // 23 + 1)


def _integer_ranks(core: Core, env: Environment, form: _Form, scale: int, primes: list[int]) -> tuple[int, ...]:
    modulus = math.prod(primes)
    total: np.ndarray | None = None
    for p in primes:
        others = modulus // p
        weight = others * pow(others, -1, p)
        part = (_whole(core, env, form, p).astype(object) * (scale % p) % p) * weight
        total = part if total is None else total + part
    assert total is not None
    return tuple(_integer_rank(matrix % modulus, modulus) for matrix in total)


def _integer_rank(matrix: np.ndarray, modulus: int) -> int:
    rows, columns = matrix.shape
    entries = [int(a) - modulus if 2 * int(a) > modulus else int(a) for a in matrix.ravel()]
    return int(flint.fmpz_mat(rows, columns, entries).rank())
