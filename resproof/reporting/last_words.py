"""What is said of the program should it be interrupted now: kept where a parent process can read it.

Standard library only, and loaded before anything else.
"""

from __future__ import annotations

import mmap

_ROOM = 512


class Shared:
    """A line that the program keeps up to date for its parent, and whether it has come to its end."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, 1 + _ROOM)

    def say(self, words: str) -> None:
        """Keep these words."""
        encoded = words.encode("utf-8", "replace")[:_ROOM]
        self._memory[1:] = encoded.ljust(_ROOM, b"\0")

    def end(self) -> None:
        """The program has come to its end."""
        self._memory[0] = 1

    @property
    def words(self) -> str:
        """What was said last."""
        return self._memory[1:].rstrip(b"\0").decode("utf-8", "replace")

    @property
    def ended(self) -> bool:
        """Whether the program has come to its end."""
        return self._memory[0] == 1


_words = ""
_shared: Shared | None = None


def share() -> Shared:
    """From now on a parent can read the last words of this process's child."""
    global _shared
    _shared = Shared()
    return _shared


def last_words(words: str | None = None) -> str:
    """What is said of an interrupted program after the word "interrupted"; where given, it is this from now on."""
    global _words
    if words is not None:
        _words = words
        if _shared is not None:
            _shared.say(words)
    return _words
