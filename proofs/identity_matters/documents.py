"""The note, with the SHA-256 of its text."""

from __future__ import annotations

from functools import partial

from resproof.proofs.statement import Source

source = partial(
    Source,
    "Residual networks: a note on Identity Matters in Deep Learning",
    sha256="e243412af8fc51e3d815f45277b3b3c3939ad58d55b519019e6e5fb4cd5bc8e9",
)
"""A place in it, by its heading and its words there, formulas as plain text; "..." stands for what is left out."""
