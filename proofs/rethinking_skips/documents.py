"""The paper, with the SHA-256 of its text."""

from __future__ import annotations

from functools import partial

from resproof.proofs.statement import Source

source = partial(
    Source,
    "Oyedotun, Al Ismaeil, Aouada: Rethinking the Role of Skip Connections",
    sha256="65d699f6ab00e7fc44c6deda4f12a37be498abc30075e2db1c3621b299075f5e",
)
"""A place in it, by its number and its words there, formulas as plain text; "..." stands for what is left out."""
