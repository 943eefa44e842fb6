"""Identity matters in deep learning: small-norm minimisers, gradient bounds and saddles of linear residual networks."""

from __future__ import annotations

from proofs.deeper_networks import M0
from proofs.flat_saddles import M4
from proofs.gradient_bounds import M2, M2B, M2C
from proofs.small_minimisers import M1
from proofs.zero_start import M3

STATEMENTS = (M0, M1, M2, M2B, M2C, M3, M4)
