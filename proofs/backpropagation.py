"""Rethinking skip connections: rank, backpropagation and its gradients, perturbed systems, DiracNets."""

from __future__ import annotations

from proofs.dirac import DN
from proofs.error_signals import D3
from proofs.gradient_ranks import R4
from proofs.parts import Statement
from proofs.perturbed_systems import P3
from proofs.residual_gradients import R5
from proofs.singular_products import L2, L3

STATEMENTS: tuple[Statement, ...] = (L2, L3, D3, R4, R5, P3, DN)
