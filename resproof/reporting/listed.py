"""What the shipped report has of every statement, for `resproof list`: read without the modules that hold them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from resproof.proofs.formulas import plain, typed
from resproof.reporting import REPORTS


class Listed(NamedTuple):
    """A statement's id, its title, and its sentence and where it is printed, as they are written."""

    id: str
    title: str
    text: str

    def says(self, words: Iterable[str]) -> bool:
        """Whether it says all of these, in lower case, as one types them or as they are shown."""
        text = f"{self.id} {self.title} {self.text}"
        shown = f"{typed(text)} {plain(text)}".casefold()
        return all(word in shown for word in words)


def listed() -> tuple[Listed, ...]:
    """Every statement in the order of the report."""
    return tuple(map(_listed, json.loads((REPORTS / "results.json").read_bytes())["statements"]))


def _listed(one: dict[str, Any]) -> Listed:
    source = one["source"] or {"document": "", "number": ""}
    return Listed(one["id"], one["title"], f"{one['sentence']} {source['document']} {source['number']}")
