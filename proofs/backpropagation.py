"""Rethinking skip connections: rank, backpropagation and its gradients, perturbed systems, DiracNets."""

from __future__ import annotations

from proofs.parts import Statement

STATEMENTS: tuple[Statement, ...] = ()
