"""Rethinking skip connections: products of jointly diagonalisable matrices, for plain, residual and ResNeXt layers."""

from __future__ import annotations

from proofs.parts import Statement

STATEMENTS: tuple[Statement, ...] = ()
