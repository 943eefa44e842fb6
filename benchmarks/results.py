"""Rows of a benchmark as JSON, with what they were measured on."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = ("numpy", "scipy", "sympy", "python-flint", "symengine", "jax", "torch")


def write(path: str, name: str, rows: Sequence[Any]) -> None:
    """The rows, dataclasses, under the benchmark's name; nothing for an empty path."""
    if not path:
        return
    versions = {package: found for package in PACKAGES if (found := _version(package))}
    machine = {"cores": os.cpu_count(), "python": platform.python_version(), **versions}
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    today = date.today().isoformat()
    content = {"benchmark": name, "date": today, "machine": machine, "rows": [asdict(row) for row in rows]}
    _ = target.write_text(json.dumps(content, indent=1) + "\n")


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
