"""The console script and `python -m resproof`: an interrupt is one line, and so is what standard output refuses."""

from __future__ import annotations

import gc
import io
import os
import sys

from resproof.proofs.interrupts import Interrupted, stoppable

_NEW_OBJECTS = 50_000
"""How many new objects are worth a search for garbage: of what a command imports and derives nearly all stays."""


def main() -> None:
    """Run the command line and exit with its status."""
    gc.set_threshold(_NEW_OBJECTS)
    try:
        with stoppable():
            _check_stdout()
            from resproof.cli import main as program

            program()
    except Interrupted as stopped:  # before the program heeds it
        print(f"resproof: {stopped}", file=sys.stderr)
        sys.exit(stopped.status)
    finally:
        gc.freeze()  # all goes with the process: to search it for garbage first takes a tenth of a command's time


class _Stdout(io.FileIO):
    """Standard output; after a failure, and after its reader has left, what is written is lost."""

    def write(self, data: object, /) -> int:
        try:
            return super().write(data)  # pyright: ignore[reportArgumentType]
        except OSError as error:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
            if isinstance(error, BrokenPipeError):
                return len(memoryview(data))  # pyright: ignore[reportArgumentType]
            from resproof.reporting.files import OutputError

            reason = (error.strerror or str(error)).lower()
            raise OutputError(f"standard output cannot be written ({reason})") from None


def _check_stdout() -> None:
    """Have sys.stdout, where there is one, checked; what its encoding lacks is written as an escape."""
    if (stream := sys.stdout) is not None:
        sys.stdout = io.TextIOWrapper(
            io.BufferedWriter(_Stdout(1, "w", closefd=False)),
            encoding=stream.encoding,
            errors="backslashreplace",
            line_buffering=stream.isatty(),
        )


if __name__ == "__main__":
    main()
