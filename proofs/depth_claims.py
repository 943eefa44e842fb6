"""Further claims about products and gradients at depth, and about eigenvectors."""

from __future__ import annotations

from proofs.parts import Statement

STATEMENTS: tuple[Statement, ...] = ()
