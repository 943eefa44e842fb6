"""Where attention blocks and the common ways to start at the identity stand."""

from __future__ import annotations

from proofs.parts import Statement

STATEMENTS: tuple[Statement, ...] = ()
