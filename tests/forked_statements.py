"""Parts of statements in forks of one process: `python forked_statements.py`, the packages beside this file.

A line {"anew", "statement", "part", "until"} on the standard input is answered by a line {"status", "out", "error"}:
the exit status of a fork and what `run_statement.outcome` printed there. Everything has been imported once before; of
it, the fork imports the modules named by "anew" again, from the sources as they are then.
"""

import gc
import json
import linecache
import os
import signal
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PATIENCE = 120
"""Seconds that a part of a statement may take."""


def import_everything() -> None:
    """Import the packages, and read what statements read; what is then there stays, and is no garbage to look for."""
    import_module("run_statement")
    for name in (*import_module("proofs.registry").modules(), "proofs.canaries"):
        import_module(name)
    _ = import_module("proofs.digits").digits()
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000)  # as in `resproof.guard`


def forget(names: Sequence[str]) -> None:
    """Have these modules imported anew by whoever wants them: a package has its modules as attributes, too."""
    for name in names:
        package, _, last = name.rpartition(".")
        if package in sys.modules:
            vars(sys.modules[package]).pop(last, None)
    for name in names:
        sys.modules.pop(name, None)
    linecache.clearcache()


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
    import_everything()
    for line in sys.stdin:
        wanted = json.loads(line)

        def run(wanted: Mapping[str, Any] = wanted) -> None:
            forget(wanted["anew"])
            import_module("run_statement").main(wanted["statement"], wanted["part"], until=wanted["until"])

        status, out, error = forked(run)
        print(json.dumps({"status": status, "out": out, "error": error[-2000:]}), flush=True)


if __name__ == "__main__":
    main()
