"""Further claims about products and gradients at depth, and about eigenvectors."""

from __future__ import annotations

from proofs.attenuation import EX11
from proofs.deep_products import EX4
from proofs.early_training import EX7
from proofs.eigenvector_claims import EX6
from proofs.near_identity import EX8
from proofs.parts import Statement

STATEMENTS: tuple[Statement, ...] = (EX4, EX6, EX7, EX8, EX11)
