"""The registry of experiments, in the order of the papers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from resproof.proofs.registry import UnknownStatementError, modules, suggestion, written

if TYPE_CHECKING:
    from resproof.proofs.experiment import Experiment  # loaded with the modules below, and not to refuse an id


_HELD = "EXPERIMENTS"
"""Under which name a package lists its modules with experiments, and each of them holds these."""


@cache
def experiments() -> tuple[Experiment, ...]:
    """Every experiment; the modules are imported on the first call."""
    return tuple(one for name in modules(_HELD) for one in import_module(name).EXPERIMENTS)


def find_experiments(ids: Sequence[str]) -> tuple[Experiment, ...]:
    """The experiments with these ids, in the order of the registry; all of them where no id is given.

    Raises:
        UnknownStatementError: an id is unknown; the message suggests the nearest ones.
    """
    known = written(_HELD)
    all_of_them = f"expected one of {', '.join(known)}"
    for id_ in ids:
        if id_ not in known:
            raise UnknownStatementError(f"unknown experiment {id_!r}; {suggestion(id_, known, all_of_them)}")
    return tuple(one for one in experiments() if one.id in ids or not ids)
