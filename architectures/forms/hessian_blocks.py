"""Where the blocks of the Hessian at the initial point lie: D on the diagonal, A below it, A^T above (GEN-1).

    H_R = I (x) D + L (x) A + L^T (x) A^T,                                L strictly lower triangular, of ones.

Units are numbered by position. The part of degree two of the loss of two units is 1/2 v_1^T D v_1 within the first, the
same within the second, and v_2^T A v_1 between them. What takes D and A out of such forms, and what puts H_R together
of D and A, on either side, reads this module. What H_R is held against does not: the loss of explicit networks, entry
by entry, and the products of running ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

Block: TypeAlias = Literal["D", "A", "A^T"]

UNITS: Mapping[Block, tuple[int, int]] = {"D": (1, 1), "A": (2, 1), "A^T": (1, 2)}
"""Of which of two units the perturbations are that stand left and right of a block: v_2^T A v_1."""

SIDES: Mapping[Block, int] = {"D": 0, "A": 1, "A^T": -1}
"""On which side of the diagonal of H_R a block lies: the sign of row - column."""


def block_at(row: int, column: int) -> Block:
    """The block of H_R in the rows of one unit and the columns of another."""
    side = (row > column) - (row < column)
    return next(block for block, its_side in SIDES.items() if its_side == side)
