"""Further claims about minima, saddles and what networks represent."""

from __future__ import annotations

from proofs.parts import Statement

STATEMENTS: tuple[Statement, ...] = ()
