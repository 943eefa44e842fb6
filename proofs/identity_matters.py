"""Identity matters in deep learning: small-norm minimisers, gradient bounds and saddles of linear residual networks."""

from __future__ import annotations

from proofs.parts import Statement

STATEMENTS: tuple[Statement, ...] = ()
