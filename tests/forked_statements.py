"""Parts of statements in forks of one process: `python forked_statements.py`, the packages beside this file.

A line {"statement", "part", "until"} on the standard input is answered by a line {"status", "out", "error"}: the exit
status of a fork and what `run_statement.outcome` printed there. Before, what is not of the packages has been imported
once; the packages themselves are imported by every fork anew, from the sources as they are then.
"""

import json
import os
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PATIENCE = 120
"""Seconds that a part of a statement may take."""


def import_others() -> None:
    """Import what the packages import from elsewhere, as a fork that has imported them tells."""

    def names() -> None:
        from proofs.registry import statements

        _ = statements(), import_module("run_statement")
        others = [name for name, one in sys.modules.items() if not _ours(one) and not name.startswith("_")]
        print(json.dumps(others))

    status, out, error = forked(names)
    assert status == 0, error
    for name in json.loads(out):
        with suppress(ImportError):
            import_module(name)


def _ours(module: Any) -> bool:
    file = getattr(module, "__file__", None)
    return file is not None and Path(file).is_relative_to(HERE)


def forked(action: Callable[[], None]) -> tuple[int, str, str]:
    """The exit status of a fork that does this, and what it writes to the standard output and the standard error."""
    files = [HERE / "stdout", HERE / "stderr"]
    child = os.fork()
    if child == 0:
        status = 1
        try:
            signal.alarm(PATIENCE)
            for number, file in enumerate(files, start=1):
                os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
            action()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
    _, ended = os.waitpid(child, 0)
    out, error = (file.read_text(encoding="utf-8") for file in files)
    return os.waitstatus_to_exitcode(ended), out, error


def main() -> None:
    """Answer every line."""
    sys.path.insert(0, str(HERE))
    import_others()
    for line in sys.stdin:
        wanted = json.loads(line)

        def run(wanted: dict[str, Any] = wanted) -> None:
            import_module("run_statement").main(wanted["statement"], wanted["part"], until=wanted["until"])

        status, out, error = forked(run)
        print(json.dumps({"status": status, "out": out, "error": error[-2000:]}), flush=True)


if __name__ == "__main__":
    main()
