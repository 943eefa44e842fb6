"""What a proof kernel has checked of a statement, as a paper's own modules tell it (`KERNEL` in its package)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Literal

from resproof.proofs.registry import modules


@dataclass(frozen=True, slots=True)
class Counterpart:
    """Theorems of the kernel, what of the statement they say, and what stays outside.

    `clauses` are the numbers of the clauses that they speak of, where it is not all of them.
    """

    theorems: tuple[str, ...]
    says: str
    leaves: str
    clauses: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Checked:
    """A counterpart as the record of the last build has it: its theorems' sentences by name; `readme` says the rest."""

    counterpart: Counterpart
    theorems: Mapping[str, str]
    status: Literal["kernel-checked", "stale", "absent"]
    versions: Mapping[str, str]
    readme: str


def checked(id_: str) -> Checked | None:
    """What a kernel says of a statement; None where none does."""
    found = (import_module(name).checked(id_) for name in modules("KERNEL"))
    return next((one for one in found if one is not None), None)
