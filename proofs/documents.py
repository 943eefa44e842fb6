"""The documents whose statements are verified, each with the SHA-256 of its text."""

from __future__ import annotations

from proofs.statement import Source

_DOCUMENTS = {
    "A": (
        "Li, Jiao, Han, Weissman: Demystifying ResNet (arXiv 1611.01186)",
        "8ca453c52773e85e8a1b179c21567cee1c13f00c96ba344767eb32800e5ee47b",
    ),
    "I": (
        "Li, Jiao, Han, Weissman: Demystifying ResNet (ICLR 2017 submission)",
        "9d2bbe09c260b1ba5a1ef882d253d2f64e15e30d31ebc6252acee47348483133",
    ),
    "S": (
        "Oyedotun, Al Ismaeil, Aouada: Rethinking the Role of Skip Connections",
        "65d699f6ab00e7fc44c6deda4f12a37be498abc30075e2db1c3621b299075f5e",
    ),
    "N": (
        "Residual networks: a note on Identity Matters in Deep Learning",
        "e243412af8fc51e3d815f45277b3b3c3939ad58d55b519019e6e5fb4cd5bc8e9",
    ),
}


def source(document: str, number: str, quote: str) -> Source:
    """A place in one of the documents, and a few of its words."""
    title, digest = _DOCUMENTS[document]
    return Source(title, number, quote, digest)
