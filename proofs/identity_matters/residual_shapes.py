"""Which outputs a residual network without other layers has: those of its input's shape (EX-12).

W + I is defined for square W only, so (W_l + I) ... (W_1 + I) x has as many rows as x. The expression language refuses
what is not defined; its named dimensions are equal only when they are the same name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import TypeAlias

import sympy
from sympy.matrices.exceptions import ShapeError

from resproof.architectures.algebra import identity
from resproof.architectures.dimensions import Dimension
from resproof.architectures.errors import ArchitectureError
from resproof.architectures.nodes import Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.identity_matters.documents import source
from resproof.proofs.routes.predicates import matches, property_of
from resproof.proofs.statement import (
    PRINTED,
    Argument,
    Clause,
    Computed,
    Context,
    Disagreement,
    Erratum,
    Induction,
    Statement,
)
from resproof.proofs.theory.linear_networks import outputs
from resproof.symbolic.index import sizes
from resproof.symbolic.scope import Scope

Rows: TypeAlias = Dimension | None
"""The rows of the output; None where the network is not defined."""


_D, _K = 3, 2
"""W_1 is of shape 2 x 3 where the printed form fails."""


def _plain(d: Dimension, k: Dimension, layers: int) -> Expression:
    """W_l ... W_1 x."""
    h: Expression = Input(d)
    for layer in range(1, layers + 1):
        h = Weight(k if layer == layers else d, d) @ h
    return h


def _residual(d: Dimension, k: Dimension, layers: int, one: Dimension) -> Expression:
    """(W_l + I) ... (W_1 + I) x; `one` is the size of the last I."""
    h: Expression = Input(d)
    for layer in range(1, layers + 1):
        last = layer == layers
        h = (Weight(k if last else d, d) + identity(one if last else d)) @ h
    return h


def _rows(d: Dimension, k: Dimension, layers: int) -> Rows:
    """The rows of g with I of either size, k or d; None where neither is defined. Sizes above 1: 1 is broadcast."""
    for one in (k, d):
        try:
            shape = _residual(d, k, layers, one).shape
        except ArchitectureError:
            continue
        if shape[0] == k:
            return shape[0]
    return None


def _undefined(found: Sequence[Rows]) -> bool:
    """Whether there is no output at all, however it is computed."""
    return {*found} == {None}


def _both_ways(_: Context) -> Computed:
    found = (_rows(_D, _K, 1), _by_sympy())
    return Computed(found, Scope.of(f"l = 1, d = {_D}, k = {_K}"), r"W_1 + I,\quad W_1 \in \mathbb R^{2 \times 3}")


def _by_sympy() -> Rows:
    """The rows by SymPy's matrices."""
    found: Rows = None
    for size in (_K, _D):
        try:
            found = int((sympy.ones(_K, _D) + sympy.eye(size)).rows)
        except ShapeError:
            continue
    return found


_DEPTHS = (1, 2, 3)
_LAST, _ANY = Weight("k", "d"), Input("d")
"""C, and any h with d rows."""


def _named(_: Context) -> Computed:
    """The rows of g for named dimensions, l = 1, 2, 3."""
    found: dict[object, Rows] = {}
    for layers in _DEPTHS:
        found["k != d", layers] = _rows("d", "k", layers)
        found["k = d", layers] = _rows("d", "d", layers)
    return Computed(found, sizes.of_expressions(_LAST, _ANY) & Scope.over(l=_DEPTHS))


def _named_outputs(_: Context) -> Computed:
    """The rows with an output layer C of shape k x d on top."""
    found = {layers: (_LAST @ _residual("d", "d", layers, "d")).shape[0] for layers in _DEPTHS}
    return Computed(found, sizes.of_expressions(_LAST, _ANY) & Scope.over(l=_DEPTHS))


_NAMED: dict[object, Rows] = {
    **{("k != d", layers): None for layers in _DEPTHS},
    **{("k = d", layers): "d" for layers in _DEPTHS},
}
_OUTPUTS: dict[int, Rows] = dict.fromkeys(_DEPTHS, "k")


def _one_more(_: Context) -> Computed:
    """The rows of one more layer on any h with d rows: a unit, W + I with W of shape k x d, and C."""
    found: dict[str, Rows] = {
        "unit": ((Weight("d", "d") + identity("d")) @ _ANY).shape[0],
        "W + I, k != d": _rows("d", "k", 1),
        "C": (_LAST @ _ANY).shape[0],
    }
    return Computed(found, sizes.of_expressions(_LAST, _ANY), r"(W + I)\,h \in \mathbb R^{d},\ h \in \mathbb R^d")


_ONE_MORE: dict[str, Rows] = {"unit": "d", "W + I, k != d": None, "C": "k"}

_NEXT = Argument(
    "One layer more on any $h$ with $d$ rows",
    "identity",
    _one_more,
    _ONE_MORE,
    {
        r"defined for $k \ne d$": {**_ONE_MORE, "W + I, k != d": "k"},
        "a unit has $k$ rows": {**_ONE_MORE, "unit": "k"},
        "$C g$ has $d$ rows": {**_ONE_MORE, "C": "d"},
    },
    explanation="One more unit keeps the $d$ rows; the last one decides.",
)

_GRID = tuple(product((2, 3, 4), (2, 3, 4), (1, 2)))


def _grid(_: Context) -> Computed:
    """For numbers d, k, l: the rows of g and of f."""
    found = {(d, k, layers): (_rows(d, k, layers), _plain(d, k, layers).shape[0]) for d, k, layers in _GRID}
    return Computed(found, Scope.over(d=(2, 3, 4), k=(2, 3, 4), l=(1, 2)))


def _defined_when(found: Mapping[tuple[int, int, int], tuple[Rows, Rows]], claim: Callable[[int, int], bool]) -> None:
    """Pass when g has k rows exactly for the d and k claimed, and is not defined elsewhere; f always has k rows.

    Raises:
        Disagreement: it is otherwise; the message names the first widths.
    """
    for (d, k, layers), (g, f) in found.items():
        if f != k or g != (k if claim(d, k) else None):
            raise Disagreement(f"d={d}, k={k}, l={layers}: g has {g} rows, f has {f}")


_NUMBERS = Argument(
    "Shapes with numbers",
    "explicit",
    _grid,
    lambda d, k: k == d,
    {"always": lambda d, k: True, r"$k \le d$": lambda d, k: k <= d, "never": lambda d, k: False},
    _defined_when,
)


def _runs(_: Context) -> Computed:
    """The weights of (W_2 + I)(W_1 + I) x, and whether each entry at zero weights is that of x, by the exact engine."""
    found = {}
    for d in (1, 2, 3):
        unit = ResidualUnit(_residual("d", "d", 2, "d"))
        values = outputs(unit, d)
        found[d] = (len(unit.names), [row[0] == {((f"x_{i}_1", 1),): 1} for i, row in enumerate(values, start=1)])
    return Computed(found, Scope.over(l=2, d=(1, 2, 3)), r"g(x) = x \text{ at zero weights}")


EX_12 = Statement(
    id="EX-12",
    title=r"$g(x) = (W_l + I) \cdots (W_1 + I) x$ maps $\mathbb R^d$ to $\mathbb R^d$",
    source=source(
        "The Big Problem and a Logical Solution",
        "We simply need to replace f: R^d -> R^k from above with g: R^d -> R^k defined as ...",
    ),
    latex=r"k = d: \ g: \mathbb R^d \to \mathbb R^d; \qquad C \in \mathbb R^{k \times d}: \ C g: \mathbb R^d \to \mathbb R^k",
    clauses=(
        Clause(
            r"$g(x) = (W_l + I) \cdots (W_1 + I) x$ is a map from $\mathbb R^d$ to $\mathbb R^d$, for layers of shape "
            r"$d \times d$.",
            {"l": 1, "d": 1},
            (
                Induction(
                    "l",
                    Argument(
                        "Shapes with named dimensions",
                        "identity",
                        _named,
                        _NAMED,
                        {
                            r"defined for $k \ne d$": {**_NAMED, ("k != d", 2): "k"},
                            "$k$ rows for $k = d$": {**_NAMED, ("k = d", 2): "k"},
                        },
                        explanation="The names $d$ and $k$ stand for any two different numbers.",
                    ),
                    _NEXT,
                ),
                _NUMBERS,
                Argument(
                    r"The network at zero weights is the identity of $\mathbb R^d$",
                    "explicit",
                    _runs,
                    {d: (2, [True] * d) for d in (1, 2, 3)},
                    {
                        "one row only": {d: (2, [True]) for d in (1, 2, 3)},
                        "not the identity": {d: (2, [False] * d) for d in (1, 2, 3)},
                        "one layer": {d: (1, [True] * d) for d in (1, 2, 3)},
                    },
                ),
            ),
            reading=Erratum(
                printed=r"$g$: $\mathbb R^d \to \mathbb R^k$, with $W_l$ of shape $k \times d$",
                read=r"$g$: $\mathbb R^d \to \mathbb R^d$, with $k = d$",
                quote="the network represents a transformation close to the identity transformation",
                where=r"the next sentence but one: the identity maps $\mathbb R^d$ to $\mathbb R^d$, and $(W_l + I)$ is written for "
                "$W_l$ as for the others",
                fails=Argument(
                    r"$W_1 + I$ for $W_1$ of shape $2 \times 3$, with $I$ of size 2 or of size 3",
                    "instance",
                    _both_ways,
                    _undefined,
                    {
                        PRINTED: property_of((_K, _K))(lambda found: all(rows == _K for rows in found)),
                        "it has $d$ rows": lambda found: all(rows == _D for rows in found),
                    },
                    matches,
                    explanation="By the shapes of the expression language and by SymPy's matrices: neither sum is defined.",
                ),
            ),
        ),
        Clause(
            r"For $k \ne d$ a layer $C$ of shape $k \times d$ without a shortcut has to follow: $C g(x)$ is a map from "
            r"$\mathbb R^d$ to $\mathbb R^k$.",
            {"l": 1, "d": 1, "k": 1},
            (
                Induction(
                    "l",
                    Argument(
                        "Shapes with named dimensions, and an output layer on top",
                        "identity",
                        _named_outputs,
                        _OUTPUTS,
                        {"$C g$ has $d$ rows": {**_OUTPUTS, 1: "d"}, "from two layers on": {**_OUTPUTS, 1: None}},
                    ),
                    _NEXT,
                ),
                _NUMBERS,
            ),
            ours=True,
        ),
    ),
    notes=r"$I$ is read as the identity matrix. With $I$ read as the $k \times d$ matrix with ones on the diagonal the last "
    "layer would be defined, but is then no shortcut: it drops or pads coordinates.",
)

STATEMENTS = (EX_12,)
