"""What a proof kernel has checked of a statement: what the modules tell that a paper's package lists as KERNEL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal


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
