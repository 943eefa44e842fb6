"""What was derived once, kept in the user's cache folder beside a digest of what it was derived from.

What was derived from something else, or is damaged, counts as absent and is derived again; so it is, every time, where
nothing can be kept.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from resproof.architectures.reading import open_regular
from resproof.architectures.user_cache import user_cache


def kept(name: str, source: Callable[[], str], derive: Callable[[], Any]) -> Any:
    """What `derive` returns, JSON data, from the file of this name where that was derived from the same `source()`.

    What is derived while its source changes is not kept.
    """
    before = source()
    if (found := _read(name, before)) is not None:
        return found
    text = json.dumps(derive())
    if source() == before:
        _write(name, before, text)
    return json.loads(text)


def _digest(source: str, text: str) -> str:
    return sha256(f"{source}\n{text}".encode()).hexdigest()


def _place(name: str) -> Path:
    """The file.

    Raises:
        OSError: the user has no folder.
    """
    return user_cache() / f"{name}.json"


def _read(name: str, source: str) -> Any:
    """The data of a whole file of this source; None otherwise."""
    try:
        with open_regular(_place(name)) as file:
            digest, text = file.read().decode().split("\n", 1)
        return json.loads(text) if digest == _digest(source, text) else None
    except (OSError, ValueError):
        return None


def _write(name: str, source: str, text: str) -> None:
    """The file, whole or as it was."""
    with suppress(OSError):
        place = _place(name)
        place.parent.mkdir(parents=True, exist_ok=True)
        number, beside = tempfile.mkstemp(dir=place.parent, suffix=".new")
        try:
            with os.fdopen(number, "w", encoding="utf-8", newline="") as file:
                _ = file.write(f"{_digest(source, text)}\n{text}")
            Path(beside).replace(place)
        finally:
            Path(beside).unlink(missing_ok=True)
