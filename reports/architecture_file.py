"""An architecture given on the command line: FILE.py:NAME, or a name of the catalogue with its parameters.

Every failure is one line, an ArchitectureError.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from typing import Any

from architectures.activations import ACTIVATIONS, activation
from architectures.catalogue import n_shortcut
from architectures.errors import ArchitectureError
from architectures.expressions import Expression
from architectures.files import Given, pairs, whole_number
from architectures.networks import ResidualUnit

CATALOGUE: Mapping[str, Callable[..., Expression]] = {"n-shortcut": n_shortcut}
"""What --architecture names."""
SETTINGS = ("shortcut_depth", "pre", "mid", "post", "inner_width")
"""The catalogue's parameters that --set takes."""


def from_catalogue(name: str, settings: Sequence[str] = ()) -> Given:
    """The architecture of that name with `settings` such as mid=tanh.

    Raises:
        ArchitectureError: an unknown name, parameter or value.
    """
    if name not in CATALOGUE:
        raise ArchitectureError(f"--architecture {name}: is unknown; expected {', '.join(CATALOGUE)}")
    build = CATALOGUE[name]
    known = [key for key in signature(build).parameters if key in SETTINGS]
    given = pairs(settings)
    for key in given:
        if key not in known:
            raise ArchitectureError(f"--set {key}: is no parameter of {name}; expected one of {', '.join(known)}")
    unit = ResidualUnit(build(**{key: _value(key, value) for key, value in given.items()}))
    shown = ", ".join(f"{key}={value}" for key, value in given.items())
    return Given(f"{name} ({shown})" if shown else name, unit, {})


def _value(key: str, value: str) -> Any:
    if key in {"shortcut_depth", "inner_width"}:
        return whole_number(key, value)
    if value not in ACTIVATIONS:
        raise ArchitectureError(f"--set {key}={value}: is no activation; expected one of {', '.join(ACTIVATIONS)}")
    return activation(value)
