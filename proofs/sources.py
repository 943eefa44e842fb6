"""Hashes of the sources, by which a measurement says what it was made with; only the standard library is needed."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parents[1]

MEASURED = ("numeric", "architectures")
"""The packages that the numbers from a GPU depend on."""


def source_hash(package: str, root: Path = ROOT) -> str:
    """Sixteen hexadecimal digits of the names and texts of a package's modules."""
    digest = sha256()
    for file in sorted((root / package).rglob("*.py")):
        digest.update(file.relative_to(root / package).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def source_hashes(root: Path = ROOT) -> dict[str, str]:
    """The hash of each package that measurements depend on."""
    return {package: source_hash(package, root) for package in MEASURED}
