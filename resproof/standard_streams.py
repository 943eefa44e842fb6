"""Standard output that says in one line when it cannot be written, and does not mind when nobody reads on."""

from __future__ import annotations

import io
import os
import sys
from typing import cast

from resproof.reporting.files import OutputError

_NUMBER = 1


class _Checked(io.RawIOBase):
    """What goes to standard output; after a failure, and after its reader has left, nothing goes any more."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self._number, self._dropping = number, False

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._number

    def isatty(self) -> bool:
        return os.isatty(self._number)

    def write(self, data: object, /) -> int:
        view = cast("bytes", data)
        if self._dropping:
            return len(view)
        try:
            return os.write(self._number, view)
        except BrokenPipeError:
            self._dropping = True
            return len(view)
        except OSError as error:
            self._dropping = True
            raise OutputError(f"standard output cannot be written ({(error.strerror or str(error)).lower()})") from None


def checked_stdout() -> None:
    """Replace sys.stdout, where there is one, by a checked one; what its encoding lacks is written as an escape."""
    stream = sys.stdout
    if stream is None or not isinstance(stream, io.TextIOWrapper):
        return
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(_Checked(_NUMBER)),
        encoding=stream.encoding,
        errors="backslashreplace",
        line_buffering=stream.isatty(),
    )


def flush_stdout() -> None:
    """Write what is waiting.

    Raises:
        OutputError: it cannot be written.
    """
    if sys.stdout is not None:
        sys.stdout.flush()
