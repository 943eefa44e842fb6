"""Statements that an interrupted run had finished, kept beside its output until the report is written.

They stand in OUT/.unfinished/FINGERPRINT/ID.json. The fingerprint covers the sources of all packages, the data, the
seed and the device, so that nothing is taken over from another program or other data.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

import numpy as np
from pydantic import TypeAdapter

from proofs.parts import Context
from proofs.results import Result
from reports.files import write

_ROOT = Path(__file__).resolve().parent.parent
_PACKAGES = ("architectures", "symbolic", "numeric", "proofs", "reports")
_RESULT = TypeAdapter(Result)


class Finished:
    """The finished statements of one run in one output folder."""

    def __init__(self, out: Path, context: Context) -> None:
        self._all = out / ".unfinished"
        self._own = self._all / _fingerprint(context)

    def known(self, ids: Iterable[str]) -> dict[str, Result]:
        """The results that are kept; what cannot be read is run again."""
        found: dict[str, Result] = {}
        for id_ in ids:
            try:
                found[id_] = _RESULT.validate_json((self._own / f"{id_}.json").read_bytes())
            except (OSError, ValueError):
                continue
        return found

    def keep(self, result: Result) -> None:
        """Keep a result, unless it FAILED, is OPEN or an ERROR: those are run again."""
        if result.verdict not in {"FAILED", "OPEN", "ERROR"}:
            self._own.mkdir(parents=True, exist_ok=True)
            write({self._own / f"{result.id}.json": _RESULT.dump_json(result).decode()})

    def clear(self) -> None:
        """Forget everything: the report is written."""
        shutil.rmtree(self._all, ignore_errors=True)


def _fingerprint(context: Context) -> str:
    digest = sha256(f"{context.seed} {context.device} {context.data.name}".encode())
    for array in (context.data.X, context.data.Y):
        digest.update(np.ascontiguousarray(array).tobytes())
    for package in _PACKAGES:
        for file in sorted((_ROOT / package).glob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]
