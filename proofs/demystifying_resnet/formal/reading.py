"""Write READING.md: the definitions and the sentences of the theorems in one file, proofs apart.

Run as `python -m resproof.proofs.demystifying_resnet.formal.reading`.
"""

from __future__ import annotations

import re

from resproof.proofs.demystifying_resnet.formal.kernel import FOLDER

PATH = FOLDER / "READING.md"
HEADER = """\
# Theorem 2 in Coq, to be read

What has to be believed, and what then holds: [Definitions.v](Definitions.v) and [Theorems.v](Theorems.v) without their
proofs. Written by reading.py.
"""
_PROOF = re.compile(r"\s*Proof\..*?Qed\.", flags=re.DOTALL)
_PREAMBLE = re.compile(
    r"^(?:From|Set|Unset|Import|Local Open Scope|Prenex Implicits) .*\n|^Implicit Types .*\n", re.MULTILINE
)


def stripped(source: str) -> str:
    """A source without proofs and without what is said to Coq alone."""
    return re.sub(r"\n{3,}", "\n\n", _PREAMBLE.sub("", _PROOF.sub("", source))).strip()


def text() -> str:
    """All of READING.md."""
    parts = (stripped((FOLDER / name).read_text()) for name in ("Definitions.v", "Theorems.v"))
    return HEADER + "".join(f"\n```coq\n{part}\n```\n" for part in parts)


if __name__ == "__main__":
    PATH.write_text(text())
