"""The whole Hessian of a linear network at any weights, block by block from the closed form.

The units are M = c I + s W_n ... W_1 (a plain layer: c = 0, n = 1; an n-shortcut unit: c = s = 1), the loss is squared
error. Let F = M_R ... M_1, and let p = (r, l) number the weight matrices, along the network. F is linear in each:

    dF along dW_p is P_p dW_p N_p,   d^2 F along dW_p and dW_q, q before p, is P_p dW_p Z_pq dW_q N_q

with P_p what stands to the left of W_p, N_p to its right and Z_pq between the two. With the covariances S = X X^T / m
and T = Y X^T / m the block of p and q <= p is, W[i, j] standing in row j rows(W) + i,

    H[(p, i, j), (q, k, l)] = (P_p^T P_q)[i, k] (N_p S N_q^T)[j, l] + Z_pq[j, k] (P_p^T (F S - T) N_q^T)[i, l],

Z_pp = 0. For fixed (p, j, i, q) it is one product of inner length 2, and the products are written straight into the
lower triangle. The data enter by S and T alone: d columns with the same covariances give the same matrix.

Source: the one-block case of a plain network is Demystifying ResNet, Section 3.1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

from resproof.architectures.networks import Network
from resproof.architectures.nodes import Add, Constant, Einsum, Expression, Input, Multiply, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.backend import Array, Ops, largest_modulus, ops_of
from resproof.numeric.data import DataError, bind, check_data, samples_first
from resproof.numeric.limits import NotFiniteError, OutOfMemoryError, in_bytes, is_finite, large
from resproof.numeric.network.parameters import Weights, check_weights, parameter_count, sizes_of
from resproof.numeric.threads import cores

DENSE_MEMORY = 2**32
"""Bytes that the matrix may take where the caller does not say otherwise."""


@dataclass(frozen=True, slots=True)
class LinearChain:
    """A unit c I + s W_n ... W_1: `identity` is c, `scale` is s, `weights` are W_1, ..., W_n."""

    identity: Fraction
    scale: Fraction
    weights: tuple[Weight, ...]


def chain(unit: ResidualUnit) -> LinearChain | None:
    """The unit as c I + s W_n ... W_1 with different weights, or None where it is nothing of the kind."""
    if unit.mixes_columns or unit.frozen:
        return None
    words = _words(unit.expression)
    if words is None or any(word[-1:] != (None,) or None in word[:-1] for word in words):
        return None
    identity, product = words.get((None,), Fraction(0)), [word for word in words if len(word) > 1]
    if len(product) != 1 or len(set(product[0])) != len(product[0]):
        return None
    return LinearChain(identity, words[product[0]], tuple(w for w in reversed(product[0][:-1]) if w is not None))


_Words = dict[tuple[Weight | None, ...], Fraction]


def _words(node: Expression) -> _Words | None:
    """The polynomial in weights and the input (None) that the expression is by its form."""
    match node:
        case Input():
            return {(None,): Fraction(1)}
        case Weight():
            return {(node,): Fraction(1)}
        case Constant(value=str(pattern)):
            return {(): Fraction(1)} if pattern == "identity" else None
        case Multiply(left=Constant(value=int() | Fraction() as factor), right=other):
            found = _words(other)
            return None if found is None else {word: factor * c for word, c in found.items()}
        case Add(left=one, right=other) | Einsum(form="product", operands=(one, other)):
            left, right = _words(one), _words(other)
            if left is None or right is None:
                return None
            total: _Words = {}
            if isinstance(node, Add):
                terms = [*left.items(), *right.items()]
            else:
                terms = [((*u, *v), a * b) for u, a in left.items() for v, b in right.items()]
            for word, c in terms:
                total[word] = total.get(word, Fraction(0)) + c
            return {word: c for word, c in total.items() if c}
        case _:
            return None


def dense_hessian(
    network: Network, weights: Weights, x: Array, y: Array, *, memory: int = DENSE_MEMORY, out: Array | None = None
) -> Array:
    """H(w) as an (R p, R p) matrix: its blocks on and below the diagonal, zeros above.

    X, Y: (d, m), samples or columns that have the covariances of the data; parameters in the order of
    `parameters`. `symmetric` fills in the rest; an eigenvalue solver that reads the lower triangle needs none.
    `out` is the matrix of an earlier call that is written again: new memory costs as much as the entries.

    Raises:
        DataError: data or weights of another shape or kind, units other than c I + s W_n ... W_1, another loss than
            squared error, or entries that are not finite.
        OutOfMemoryError: the matrix takes more than `memory` bytes, or than there are.
    """
    found, unit = chain(network.unit), network.unit
    if found is None or not network.loss.quadratic:
        raise DataError(
            "dense_hessian: the network is no chain of units c h + s W_n ... W_1 h under squared error; "
            "expected one, or use hvp"
        )
    x, y = check_data("dense_hessian", unit, x, y)
    checked = check_weights("dense_hessian", unit, network.units, weights)
    sizes = bind("dense_hessian", unit, x, sizes_of(unit, checked))
    n = network.units * parameter_count(unit, sizes)
    if 8 * n * n > memory:
        raise OutOfMemoryError(
            f"dense_hessian: {n} parameters need a matrix of {in_bytes(8 * n * n)}; memory allows {in_bytes(memory)}"
        )
    if out is not None and tuple(out.shape) != (n, n):
        raise DataError(f"dense_hessian: out has shape {tuple(out.shape)}; expected {(n, n)}")
    ops, m = ops_of(x), samples_first(unit, x)
    with large("dense_hessian", ops, memory), ops.quiet():
        factors = _factors(ops, found, checked, unit, x @ ops.transpose(x) / m, y @ ops.transpose(x) / m)
        h = ops.zeros((n, n)) if out is None else out
        _assemble(ops, factors, h)
    return h


def symmetric(h: Array) -> Array:
    """The whole matrix from its lower triangle."""
    ops = ops_of(h)
    lower = ops.xp.tril(h)
    return lower + ops.transpose(ops.xp.tril(h, k=-1))


@dataclass(frozen=True, slots=True)
class _Factors:
    """The factors of the blocks; entry l of a list is that of the unit's weight W_l, units along the axis R.

    left: P, (d, R, rows). right: S N^T, (d, R, cols), and error: (F S - T) N^T. plain: N, (R, cols, d).
    before: W_{l-1} ... W_1, (R, cols, d). after: s W_n ... W_{l+1}, (d, R, rows). between[l][k]: W_{l-1} ... W_{k+1}.
    offsets: where W_l stands among the unit's `count` parameters.
    """

    jacobians: Array
    left: list[Array]
    right: list[Array]
    error: list[Array]
    plain: list[Array]
    before: list[Array]
    after: list[Array]
    between: list[list[Array]]
    offsets: list[int]
    count: int


def _factors(ops: Ops, found: LinearChain, weights: Weights, unit: ResidualUnit, s: Array, t: Array) -> _Factors:
    w = [weights[unit.names[weight]] for weight in found.weights]
    units, d = int(w[0].shape[0]), int(s.shape[0])

    def product(factors: Sequence[Array], size: int) -> Array:
        total = ops.xp.broadcast_to(ops.xp.eye(size, dtype=ops.float64), (units, size, size))
        for factor in factors:
            total = factor @ total
        return total

    def beside(a: Array) -> Array:
        return ops.contiguous(ops.permute(a, (1, 0, 2)))

    places = dict(
        zip(
            unit.names.values(), accumulate((math.prod(weights[n].shape[1:]) for n in weights), initial=0), strict=False
        )
    )
    after = [float(found.scale) * product(w[k + 1 :], int(w[k].shape[-2])) for k in range(len(w))]
    before = [product(w[:k], d) for k in range(len(w))]
    jacobians = after[0] @ w[0] + float(found.identity) * product([], d)
    starts, ends = ops.empty((units, d, d)), ops.empty((units, d, d))
    h = g = ops.xp.eye(d, dtype=ops.float64)
    for r in range(units):
        starts[r, ...], h = h, jacobians[r, ...] @ h
        ends[units - 1 - r, ...], g = g, g @ jacobians[units - 1 - r, ...]
        if not is_finite(ops, h):
            raise NotFiniteError(f"dense_hessian: the product of the first {r + 1} of {units} units is not finite")
    plain = [b @ starts for b in before]
    return _Factors(
        jacobians,
        [beside(ends @ a) for a in after],
        [beside(s @ ops.transpose(n)) for n in plain],
        [beside((h @ s - t) @ ops.transpose(n)) for n in plain],
        plain,
        before,
        [beside(a) for a in after],
        [[product(w[k + 1 : j], int(w[k].shape[-2])) for k in range(j)] for j in range(len(w))],
        [places[unit.names[weight]] for weight in found.weights],
        sum(math.prod(array.shape[1:]) for array in w),
    )


def _assemble(ops: Ops, f: _Factors, h: Array) -> None:
    """All rows of blocks, a thread for each core: the products run outside the interpreter's lock."""
    units, n = int(f.jacobians.shape[0]), len(f.offsets)
    with ThreadPoolExecutor(cores(ops)) as pool:
        waiting: list[Future[None]] = []
        # Z to the left of unit r for every earlier weight, as (d, r, rows): one product a unit.
        middles = [ops.zeros((a.shape[0], 0, a.shape[2])) for a in f.after]
        for r in range(units):
            waiting.extend(pool.submit(_row, ops, f, h, r, j, middles) for j in range(n))
            middles = [
                ops.concatenate([_times(ops, f.jacobians[r, ...], z), f.after[k][:, r : r + 1, :]], 1)
                for k, z in enumerate(middles)
            ]
        for done in waiting:
            done.result()


def _row(ops: Ops, f: _Factors, h: Array, r: int, j: int, middles: list[Array]) -> None:
    """The blocks of W_j of unit r with all earlier weights and itself, written into h.

    Raises:
        NotFiniteError: an entry is not finite.
    """
    rows, cols = int(f.left[j].shape[2]), int(f.plain[j].shape[1])
    first = r * f.count + f.offsets[j]
    line = ops.reshape(h[first : first + rows * cols, :], (cols, rows, -1, f.count))
    with ops.quiet():  # NumPy's setting is each thread's own
        for k, offset in enumerate(f.offsets):
            count = r + 1 if k <= j else r
            if not count:
                continue
            across, down = int(f.left[k].shape[2]), int(f.right[k].shape[2])
            zeros = ops.zeros((cols, 1, across))
            middle = [_times(ops, f.before[j][r, ...], middles[k])]
            if k <= j:
                middle.append(f.between[j][k][r, :, None, :] if k < j else zeros)
            target = ops.reshape(line[:, :, :count, offset : offset + across * down], (cols, rows, count, down, across))
            left = ops.transpose(f.left[j][:, r, :])
            p, n = _times(ops, left, f.left[k][:, :count, :]), _times(ops, f.plain[j][r, ...], f.right[k][:, :count, :])
            z, e = ops.concatenate(middle, 1), _times(ops, left, f.error[k][:, :count, :])
            _blocks(ops, target, p, n, z, e)
            # The entries are at most this; only where the bound overflows are they looked at one by one.
            bound = largest_modulus(p) * largest_modulus(n) + largest_modulus(z) * largest_modulus(e)
            if not math.isfinite(bound) and not is_finite(ops, target):
                units = int(f.jacobians.shape[0])
                raise NotFiniteError(f"dense_hessian: the second derivatives by unit {r + 1} of {units} are not finite")


def _blocks(ops: Ops, target: Array, p: Array, n: Array, z: Array, e: Array) -> None:
    """target[j, i, q, l, k] = n[j, q, l] p[i, q, k] + e[i, q, l] z[j, q, k], products of inner length 2."""
    rows, count, across = p.shape
    left, right = ops.empty((rows, count, 2, n.shape[2])), ops.empty((rows, count, 2, across))
    left[:, :, 1, :], right[:, :, 0, :] = e, p
    for j in range(n.shape[0]):
        left[:, :, 0, :], right[:, :, 1, :] = n[j, ...], z[j, ...]
        _ = ops.matmul(ops.transpose(left), right, target[j, ...])


def _times(ops: Ops, a: Array, b: Array) -> Array:
    """a (p, d) times b (d, R, q), as (p, R, q)."""
    return ops.reshape(a @ ops.reshape(b, (b.shape[0], -1)), (a.shape[0], *b.shape[1:]))
