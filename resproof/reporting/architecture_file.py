"""An architecture given on the command line by its name in the catalogue, with `--set` parameters.

A parameter of the entry's builder is read as its annotation says; an inner dimension of the block, such as k, takes a
whole number. Every failure is one line, an ArchitectureError.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from fractions import Fraction
from inspect import signature
from typing import Any

from resproof.architectures.activations import ACTIVATIONS, activation
from resproof.architectures.entries import CATALOGUE
from resproof.architectures.errors import ArchitectureError
from resproof.architectures.files import Given, inner_dimensions, pairs, whole_number
from resproof.architectures.stages import ResidualUnit

_STREAM = "width"
"""The width of the stream comes from the data."""


def settings_of(name: str) -> dict[str, str]:
    """The parameters of an entry's builder that --set takes, with their annotations."""
    found = signature(CATALOGUE[name].build).parameters
    return {key: str(one.annotation) for key, one in found.items() if key != _STREAM}


def require_known(name: str) -> None:
    """Nothing, where the catalogue has that name.

    Raises:
        ArchitectureError: it does not.
    """
    if name not in CATALOGUE:
        nearest = ", ".join(get_close_matches(name, CATALOGUE, n=4, cutoff=0.0))
        raise ArchitectureError(
            f"--architecture {name}: is unknown; expected one of {len(CATALOGUE)}, such as {nearest}"
        )


def from_catalogue(name: str, settings: Sequence[str] = ()) -> Given:
    """The architecture of that name with `settings` such as mid=tanh or k=8.

    Raises:
        ArchitectureError: an unknown name, parameter or value.
    """
    require_known(name)
    kinds, given = settings_of(name), pairs(settings)
    chosen = {key: _value(key, value, kinds[key]) for key, value in given.items() if key in kinds}
    unit = ResidualUnit(CATALOGUE[name].build(**chosen))
    inner = inner_dimensions(unit)
    for key in given:
        if key not in kinds and key not in inner:
            known = ", ".join([*kinds, *inner])
            expected = f"expected one of {known}" if known else "it has none"
            raise ArchitectureError(f"--set {key}: is no parameter of {name}; {expected}")
    shown = ", ".join(f"{key}={value}" for key, value in given.items())
    sizes = {key: whole_number(key, value) for key, value in given.items() if key not in kinds}
    return Given(f"{name} ({shown})" if shown else name, unit, sizes)


def _value(key: str, value: str, kind: str) -> Any:
    match kind:
        case "Activation":
            if value not in ACTIVATIONS:
                known = ", ".join(ACTIVATIONS)
                raise ArchitectureError(f"--set {key}={value}: is no activation; expected one of {known}")
            return activation(value)
        case "bool":
            if value not in {"true", "false"}:
                raise ArchitectureError(f"--set {key}={value}: expected true or false")
            return value == "true"
        case "Scalar":
            return _fraction(key, value)
        case _:
            return whole_number(key, value)


def _fraction(key: str, value: str) -> Fraction:
    try:
        return Fraction(value)
    except (ValueError, ZeroDivisionError):
        raise ArchitectureError(f"--set {key}={value}: expected an exact number such as 1/10") from None
