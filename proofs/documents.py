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


_VERSIONS = {"A": "arXiv", "I": "ICLR"}
"""Of the paper that numbers its theorems and equations differently in two versions."""


def source(document: str, number: str, quote: str, iclr: str = "") -> Source:
    """A place in one of the documents, and its words there, formulas as plain text; "..." stands for what is left out.

    Where there are two versions the number says of which it is; `iclr` is that of the same place in the other one.
    """
    title, digest = _DOCUMENTS[document]
    if document in _VERSIONS:
        number = f"{number} ({_VERSIONS[document]})" + (f"; {iclr} (ICLR)" if iclr else "")
    return Source(title, number, quote, digest)
