"""Docstrings as mkdocstrings takes them: examples at a prompt become code, where Markdown would see quotations."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Module, Object

_EXAMPLE = re.compile(r"^>>> .*(?:\n.+)*", re.MULTILINE)


class Examples(Extension):
    """What stands from a prompt to the next empty line is code."""

    def on_package(self, *, pkg: Module, **_: Any) -> None:
        """Mark the examples of a package's own docstring."""
        _mark(pkg)

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Mark the examples of what is in it."""
        _mark(obj)


def _mark(found: Object) -> None:
    if found.docstring:
        found.docstring.value = _EXAMPLE.sub(r"```pycon\n\g<0>\n```", found.docstring.value)
