"""Further claims about minima, saddles and what networks represent."""

from __future__ import annotations

from proofs.admissible import EX_5
from proofs.escape import EX_3
from proofs.parts import Statement
from proofs.relu_depth import EX_9
from proofs.residual_shapes import EX_12
from proofs.small_norms import EX_1
from proofs.spurious_minima import EX_2, EX_10

STATEMENTS: tuple[Statement, ...] = (EX_1, EX_2, EX_3, EX_5, EX_9, EX_10, EX_12)
