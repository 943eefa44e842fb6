"""The paper's two versions, which number theorems and equations differently, each with the SHA-256 of its text."""

from __future__ import annotations

from resproof.proofs.statement import Source

_DOCUMENTS = {
    "A": (
        "arXiv",
        "Li, Jiao, Han, Weissman: Demystifying ResNet (arXiv 1611.01186)",
        "8ca453c52773e85e8a1b179c21567cee1c13f00c96ba344767eb32800e5ee47b",
    ),
    "I": (
        "ICLR",
        "Li, Jiao, Han, Weissman: Demystifying ResNet (ICLR 2017 submission)",
        "9d2bbe09c260b1ba5a1ef882d253d2f64e15e30d31ebc6252acee47348483133",
    ),
}


def source(document: str, number: str, quote: str, iclr: str = "") -> Source:
    """A place in one of them, and its words there, formulas as plain text; "..." stands for what is left out.

    The number says of which version it is; `iclr` is that of the same place in the other one.
    """
    version, title, digest = _DOCUMENTS[document]
    places = (number, version), (iclr, "ICLR")
    return Source(title, "; ".join(f"{place} ({where})" for place, where in places if place), quote, digest)
