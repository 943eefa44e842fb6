"""Arrays that weights start at: which are equal, which are zero, ones or an identity, and which numbers floats are.

A unit is told from another by them, and what an array is decides which initial points a statement speaks of.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from architectures.scope import Scope
from architectures.values import Values, values_of
from proofs.statement import Argument, Computed, Context

_THIRD = Fraction(1, 3)
_IDENTITY = values_of([[1, 0], [0, 1]])
_GIVEN: Mapping[str, Values] = {
    **{
        name: values_of(given)
        for name, given in {
            "a column": [1, 2],
            "a column of floats": np.array([[1.0], [2.0]]),
            "a row": [[1, 2]],
            "another row": [[1, 3]],
            "thirds": [[1, _THIRD]],
            "nearly thirds": [[1, float(_THIRD)]],
            "zeros": [[0, 0.0], [0, 0]],
            "ones": [[1, 1.0]],
            "the beginning of an identity": [[1, 0, 0], [0, 1, 0]],
            "an identity turned round": [[0, 1], [1, 0]],
            "twice an identity": [[2, 0], [0, 2]],
            "at the limits": [1e300, -1e-300],
        }.items()
    },
    "an identity": _IDENTITY,
    "any numbers": replace(_IDENTITY, arbitrary=True),
}


class _Seen(NamedTuple):
    """An array's shape, kind and numbers, whether these are floats, and with which arrays before it is equal."""

    shape: tuple[int, ...]
    kind: str | None
    floats: tuple[float, ...]
    is_float: bool = True
    equal: str = ""


_SEEN: Mapping[str, _Seen] = {
    "a column": _Seen((2, 1), None, (1.0, 2.0)),
    "a column of floats": _Seen((2, 1), None, (1.0, 2.0), equal="a column"),
    "a row": _Seen((1, 2), None, (1.0, 2.0)),
    "another row": _Seen((1, 2), None, (1.0, 3.0)),
    "thirds": _Seen((1, 2), None, (1.0, 1 / 3), is_float=False),
    "nearly thirds": _Seen((1, 2), None, (1.0, 1 / 3)),
    "zeros": _Seen((2, 2), "zero", (0.0, 0.0, 0.0, 0.0)),
    "ones": _Seen((1, 2), "ones", (1.0, 1.0)),
    "the beginning of an identity": _Seen((2, 3), None, (1.0, 0.0, 0.0, 0.0, 1.0, 0.0)),
    "an identity turned round": _Seen((2, 2), None, (0.0, 1.0, 1.0, 0.0)),
    "twice an identity": _Seen((2, 2), None, (2.0, 0.0, 0.0, 2.0)),
    "at the limits": _Seen((2, 1), None, (1e300, -1e-300)),
    "an identity": _Seen((2, 2), "identity", (1.0, 0.0, 0.0, 1.0)),
    "any numbers": _Seen((2, 2), None, (1.0, 0.0, 0.0, 1.0)),
}


def _seen(_: Context) -> Computed:
    found, before = dict[str, _Seen](), list[str]()
    for name, one in _GIVEN.items():
        equal = ", ".join(other for other in before if _GIVEN[other] == one)
        found[name] = _Seen(one.shape, one.kind, one.floats, one.is_float, equal)
        before.append(name)
    return Computed(found, Scope.of("arrays of two to six numbers"))


GIVEN_VALUES = Argument(
    "Which arrays that weights start at are equal, zero, ones or an identity",
    "instance",
    _seen,
    _SEEN,
    {
        "a third is a float": {**_SEEN, "thirds": _SEEN["nearly thirds"]},
        "a row is a column": {**_SEEN, "a row": _SEEN["a row"]._replace(equal="a column, a column of floats")},
        "what has the diagonal of an identity is one": {
            **_SEEN,
            "twice an identity": _SEEN["twice an identity"]._replace(kind="identity"),
        },
    },
)
