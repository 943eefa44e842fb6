"""A compiled library of trainers built as for a processor with shorter vectors than this one's."""

from __future__ import annotations

from pathlib import Path

import pytest

from resproof.numeric.network import native_library

WITHOUT = ("-mno-avx512f", "-mno-avx")
"""Flags of the compiler."""


def use_shorter_vectors(without: str, source: Path, monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    """Have trainers load a library that was compiled with this flag, in an empty cache; skip where it does not run."""
    monkeypatch.setattr(native_library, "FLAGS", (*native_library.FLAGS, without))
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    shorter = native_library.load_vectors.__wrapped__(source)
    if shorter is None:
        pytest.skip("a processor without such vectors")
    monkeypatch.setattr(native_library, "load_vectors", lambda _: shorter)
    assert shorter.panel < 16
