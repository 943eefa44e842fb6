"""The Hessian at the initial point cut along its index structure, as plain data.

Weights that never occur together in D or A span subspaces that the Hessian leaves apart: its *cores*. Within a core a
slot of every weight may carry one and the same index in each term. Where that index occurs in no data factor it is a
*spectator*: the Hessian is core (x) I over it, and its size is a multiplicity. Where it occurs in data factors too it
is a *label*: the Hessian is block diagonal over it. A core without cross terms is the same for each of R units,
I_R (x) D; otherwise it is I (x) D + L (x) A + L^T (x) A^T on all units (GEN-1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from resproof.architectures.dimensions import Dimension
from resproof.architectures.forms.terms import IndexSum, axis_index, other_index
from resproof.architectures.nodes import MOST_AXES

Product: TypeAlias = tuple[Dimension, ...]
"""A product of sizes."""

LABEL = -31
"""The free index of the first label; the next ones are -32, ..."""
ROWS = tuple(map(axis_index, range(MOST_AXES)))
COLUMNS = tuple(map(other_index, ROWS))
"""The free indices of the slots of a block's first and second weight."""


@dataclass(frozen=True, slots=True)
class Centred:
    """For each slot of a weight, whether every term sums to zero over it: in D, in A's rows, in A's columns."""

    diagonal: tuple[bool, ...]
    later: tuple[bool, ...]
    earlier: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class CoreWeight:
    """A weight's part of a core: the dimensions of the slots that are neither spectators nor labels.

    `order`: the weight's slots, those of spectators and of labels first, then its own.
    """

    name: str
    dims: Product
    centred: Centred
    order: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CoreBlock:
    """A second derivative in two weights, free indices: labels, slots of `row`, slots of `column`."""

    row: str
    column: str
    entries: IndexSum


@dataclass(frozen=True, slots=True)
class RankBounds:
    """Upper bounds of the rank of a core's matrix from summed dimensions alone.

    `cuts`: for each term, the products of dimensions that part its rows from its columns. `rows`, `columns`: the
    sizes of the factors that all rows, or all columns, go through.
    """

    cuts: tuple[tuple[Product, ...], ...]
    rows: tuple[Product, ...]
    columns: tuple[Product, ...]


@dataclass(frozen=True, slots=True)
class Core:
    """One core. `diagonal` holds the blocks of D with row before or at column, `cross` those of A (row the later unit).

    `sides`: where the weights fall into two groups and D joins only one to the other, both groups; the core is then
    [[0, B^T], [B, 0]] with B's rows in the second group, and each block of `diagonal` is a block of B.
    """

    weights: tuple[CoreWeight, ...]
    spectators: Product
    labels: Product
    sides: tuple[tuple[str, ...], tuple[str, ...]] | None
    diagonal: tuple[CoreBlock, ...]
    cross: tuple[CoreBlock, ...]
    bounds: RankBounds


@dataclass(frozen=True, slots=True)
class Decomposition:
    """All cores, and the weights that occur in none of them: exactly null directions."""

    cores: tuple[Core, ...]
    absent: tuple[tuple[str, Product], ...]
