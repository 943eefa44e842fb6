"""The Hessian of the squared loss of a network of blocks, entry by entry, where no ReLU is at its kink.

Between its kinks a network h -> s h + W_outer phi(W_inner h) is linear in each weight. Let layer p have the input
u_p and the product a_p = W_p u_p, let P_p be the derivative of f in a_p, delta_p = P_p^T (f - y)/m and, for q before p,
Z_pq that of u_p in a_q, all sample by sample. The block of p and q is

    H[(p, i, j), (q, k, l)] = sum over samples of
        (P_p^T P_q)[i, k]/m u_p[j] u_q[l] + delta_p[i] Z_pq[j, k] u_q[l],    Z_pp = 0:

two products of matrices whose inner length is the number of samples. At a kink the derivative of the ReLU is 0.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

import numpy as np
from numpy.typing import NDArray

from resproof.numeric.data import DataError
from resproof.numeric.training.blocks import BlockForm, Weights, check_weights, forward

Floats = NDArray[np.float64]


def block_hessian(net: BlockForm, weights: Weights, x: Floats, y: Floats) -> Floats:
    """H of one run, its blocks on and below the diagonal: layer by layer, W[i, j] in row i columns(W) + j.

    `weights` have `inner` (blocks, 1, units, width) and `outer` (blocks, 1, width, units) and no others; X and Y are
    width x samples.

    Raises:
        DataError: stem, head, normalisation, a ReLU after the sum, several runs, or shapes that do not follow on each
            other.
    """
    if {*weights} != {"inner", "outer"} or weights["inner"].shape[1] != 1 or net.normalised or net.after:
        raise DataError("block_hessian: expected one run, inner and outer weights, activations at mid and nothing else")
    check_weights("block_hessian", weights, x.shape[0])
    passed = forward(net, weights, x[None])
    states, units = [one[0] for one in passed.states], [one[0] for one in passed.inner]
    layers = [weights[name][block, 0] for block in range(len(units)) for name in ("inner", "outer")]
    inputs = [one for pair in zip(states[:-1], units, strict=True) for one in pair]
    active = [np.ones_like(one) if net.activation == "linear" else (one > 0).astype(np.float64) for one in units]
    missing, ends = (states[-1] - y) / x.shape[1], np.cumsum([0, *(layer.size for layer in layers)])
    found, reach, delta = np.zeros((ends[-1], ends[-1])), dict[int, Floats](), dict[int, Floats]()
    for q in range(len(layers) - 1, -1, -1):
        *between, (_, reach[q]) = _derivatives(net, layers, active, q)
        delta[q] = np.einsum("oim,om->im", reach[q], missing)
        for p, z in [(q, None), *between]:
            block = _curved(reach[p], reach[q], inputs[p], inputs[q])
            if z is not None:
                block += _bent(delta[p], z, inputs[q])
            found[ends[p] : ends[p + 1], ends[q] : ends[q + 1]] = block.reshape(layers[p].size, layers[q].size)
    return found


def _derivatives(
    net: BlockForm, layers: Sequence[Floats], active: Sequence[Floats], q: int
) -> Generator[tuple[int, Floats]]:
    """p and Z_pq of every layer p after q, and last that of f, P_q, of shape (rows, rows of W_q, samples)."""
    block, inner = q // 2, q % 2 == 0
    state = np.broadcast_to(np.eye(len(layers[q]))[:, :, None], (len(layers[q]),) * 2 + active[0].shape[1:])
    if inner:
        units = state * active[block][:, None]
        yield q + 1, units
        state = np.tensordot(layers[q + 1], units, 1)
    for after in range(block + 1, len(active)):
        yield 2 * after, state
        units = np.tensordot(layers[2 * after], state, 1) * active[after][:, None]
        yield 2 * after + 1, units
        branch = np.tensordot(layers[2 * after + 1], units, 1)
        state = branch + state if net.shortcut else branch
    yield len(layers), state


def _curved(p: Floats, q: Floats, u_p: Floats, u_q: Floats) -> Floats:
    """The part of the loss's own curvature, of shape (i, j, k, l)."""
    samples = u_p.shape[1]
    both = np.moveaxis(p, -1, 0).mT @ np.moveaxis(q, -1, 0) / samples
    found = both.reshape(samples, -1).T @ _pairs(u_p, u_q).T
    return found.reshape(*both.shape[1:], len(u_p), len(u_q)).transpose(0, 2, 1, 3)


def _bent(delta: Floats, z: Floats, u_q: Floats) -> Floats:
    """The part of the network's second derivatives, of shape (i, j, k, l)."""
    found = z.reshape(-1, z.shape[-1]) @ _pairs(delta, u_q).T
    return found.reshape(*z.shape[:2], len(delta), len(u_q)).transpose(2, 0, 1, 3)


def _pairs(a: Floats, b: Floats) -> Floats:
    """a[i] b[j] of every sample, of shape (i j, samples)."""
    return (a[:, None] * b).reshape(-1, a.shape[-1])
