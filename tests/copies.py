"""A copy of the packages in a folder of its own, one file of it changed for a while, and statements run there."""

from __future__ import annotations

import compileall
import os
import shutil
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from importlib.util import cache_from_source
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("architectures", "symbolic", "numeric", "proofs", "reports")
RUNNER = "run_statement.py"
FORKED = "forked_statements.py"


def copy_packages(folder: Path) -> None:
    """The packages, compiled, and the scripts that run statements."""
    for package in PACKAGES:
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    for script in (RUNNER, FORKED):
        shutil.copy(ROOT / "tests" / script, folder)
    assert compileall.compile_dir(folder, quiet=1)


@contextmanager
def changed(folder: Path, file: str, text: str) -> Generator[None]:
    """The copy with another text in one file, and as it was afterwards."""
    path = folder / file
    source, was = path.read_text(encoding="utf-8"), path.stat()
    # Its bytecode would be taken for current: it is compared by whole seconds and size.
    compiled = Path(cache_from_source(str(path)))
    bytecode = compiled.read_bytes() if compiled.exists() else None
    compiled.unlink(missing_ok=True)
    path.write_text(text, encoding="utf-8")
    try:
        yield
    finally:
        path.write_text(source, encoding="utf-8")
        os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))
        if bytecode is not None:
            compiled.write_bytes(bytecode)


def command(folder: Path, targets: Sequence[tuple[str, str]]) -> list[str]:
    """What runs parts of statements with the sources in the folder, and prints a line for each."""
    return [sys.executable, "-B", str(folder / RUNNER), *(word for target in targets for word in target)]


def environment(folder: Path) -> dict[str, str]:
    """What such a process is given; NumPy does the work, whether or not a compiler is at hand."""
    return {**os.environ, "PYTHONPATH": str(folder), "OPENBLAS_NUM_THREADS": "1", "RESPROOF_NATIVE": "0"}
