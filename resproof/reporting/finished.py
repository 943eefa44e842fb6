"""What an interrupted run had finished, statements and blocks of the catalogue, kept until the report is written.

It stands in OUT/.unfinished/FINGERPRINT/KIND/KEY.json. The fingerprint covers the sources of all packages, the data,
the seed and the device, so that nothing is taken over from another program or other data.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Generic, TypeVar
from urllib.parse import quote

import numpy as np
from pydantic import TypeAdapter

from resproof.proofs.results import Result
from resproof.proofs.sources import source_hash
from resproof.proofs.statement import Context
from resproof.reporting.files import write

_PACKAGES = ("architectures", "symbolic", "numeric", "proofs", "reporting")

T = TypeVar("T")


class Finished(Generic[T]):
    """What one kind of call has returned, by its key."""

    def __init__(self, folder: Path, kind: type[T]) -> None:
        self._folder, self._adapter = folder, TypeAdapter(kind)

    def known(self, keys: Iterable[str]) -> dict[str, T]:
        """The values that are kept; what cannot be read is computed again."""
        found: dict[str, T] = {}
        for key in keys:
            try:
                found[key] = self._adapter.validate_json(self._path(key).read_bytes())
            except (OSError, ValueError):
                continue
        return found

    def keep(self, key: str, value: T) -> None:
        """Keep a value."""
        self._folder.mkdir(parents=True, exist_ok=True)
        write({self._path(key): self._adapter.dump_json(value).decode()})

    def _path(self, key: str) -> Path:
        return self._folder / f"{quote(key, safe='')}.json"


def lasting(result: Result) -> bool:
    """Whether a statement is finished: one that FAILED, is OPEN or an ERROR is run again."""
    return result.verdict not in {"FAILED", "OPEN", "ERROR"}


def fingerprint(context: Context) -> str:
    """What a kept result depends on."""
    digest = sha256(f"{context.seed} {context.device} {context.data.name}".encode())
    for array in (context.data.X, context.data.Y):
        digest.update(np.ascontiguousarray(array).tobytes())
    for package in _PACKAGES:
        digest.update(source_hash(package).encode())
    return digest.hexdigest()[:16]
