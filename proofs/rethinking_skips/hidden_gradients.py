"""Gradients of a deep linear residual network with a linear head and softmax cross-entropy, unit by unit.

    H_r = H_{r-1} + W2_r W1_r H_{r-1},   logits = W_o H_R,   Delta^o = (softmax(logits) - Y) / m,
    dE/dW2_r = Delta_r (W1_r H_{r-1})^T,   dE/dW1_r = W2_r^T Delta_r H_{r-1}^T,
    Delta_{r-1} = Delta_r + W1_r^T W2_r^T Delta_r,   Delta_R = W_o^T Delta^o.

Every gradient has Delta^o as a factor, and 1^T Delta^o = 0 where the columns of Y sum to one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from resproof.numeric.rounding import gamma

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class HeadedNetwork:
    """W1, W2: (R, d, d); head: (C, d); x: (d, m); y: (C, m) with columns that sum to one."""

    first: Floats
    second: Floats
    head: Floats
    x: Floats
    y: Floats

    @property
    def chain(self) -> int:
        """Roundings of a term of a gradient, on average over its terms, which weigh |W2_r|_F |W1_r|_F a branch.

        A term with the branches of k units carries one rounding for each sum and 2 d + 3 for each of the k branches.
        The average of k is sum_r b_r / (1 + b_r) <= log nu, b_r the product of the norms.
        """
        units, d, _ = self.first.shape
        branches = math.ceil(2 * (2 * d + 3) * (math.log(self.growth) + 1))
        return 2 * units + branches + 4 * len(self.y) + self.x.shape[1]

    @property
    def growth(self) -> float:
        """prod_r (1 + |W2_r|_F |W1_r|_F), which bounds every product of units and of their moduli."""
        norms = np.linalg.norm(self.first, axis=(1, 2)) * np.linalg.norm(self.second, axis=(1, 2))
        return math.exp(float(np.sum(np.log1p(norms))))

    def rounding(self) -> float:
        """How far a computed gradient is, in Frobenius norm, from the exact one for a Delta^o with columns of sum zero.

        gamma_N nu |W_o|_F (|Delta^o|_F + m^(-1/2)) |X|_F |W|_F, W the other layer of the unit, which is a factor of
        every term; a term has each of the other units once, by H_{r-1} or by Delta_r, so nu once. Delta^o is what was
        computed, less the mean of each column: that sums to zero up to gamma_(C+3) / m.
        """
        largest = max(float(np.max(np.linalg.norm(each, axis=(1, 2)))) for each in (self.first, self.second))
        signal = 2.0 / math.sqrt(self.x.shape[1])
        norms = float(np.linalg.norm(self.head)) * (signal + signal) * float(np.linalg.norm(self.x))
        return 2.0 * gamma(self.chain) * self.growth * norms * largest


def hidden_gradients(network: HeadedNetwork) -> tuple[Floats, Floats]:
    """dE/dW1 and dE/dW2 of all units, (R, d, d) each."""
    hidden = [network.x]
    for w1, w2 in zip(network.first, network.second, strict=True):
        hidden.append(hidden[-1] + w2 @ (w1 @ hidden[-1]))
    logits = network.head @ hidden[-1]
    e = np.exp(logits - logits.max(axis=0))
    signal = network.head.T @ ((e / e.sum(axis=0) - network.y) / network.x.shape[1])
    by_first, by_second = np.empty_like(network.first), np.empty_like(network.second)
    for r in reversed(range(len(network.first))):
        w1, w2, h = network.first[r], network.second[r], hidden[r]
        inner = w2.T @ signal
        by_first[r], by_second[r] = inner @ h.T, signal @ (w1 @ h).T
        signal = signal + w1.T @ inner
    return by_first, by_second


def extreme_singular_values(gradients: Floats, rank: int) -> tuple[float, float]:
    """Over all matrices: the least singular value number `rank`, and the greatest one after it (0 if there is none)."""
    values = np.linalg.svd(gradients, compute_uv=False)
    after = values[:, rank] if rank < values.shape[1] else np.zeros(1)
    return float(np.min(values[:, rank - 1])), float(np.max(after))
