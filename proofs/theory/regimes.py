"""The trichotomy of GEN-2 in words: what the order of the branch, its least degree in the weights, decides."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

from resproof.architectures.forms.terms import LossDerivative
from resproof.architectures.networks import Network
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.statement import Disagreement, Indistinct, Statement
from resproof.symbolic.index.expansion import expansion
from resproof.symbolic.index.series import Sum
from resproof.symbolic.written.explicit import hessian_at_initial_point, stationary_order
from resproof.symbolic.written.plans import Instance

Regime: TypeAlias = Literal["grows with depth", "depth-invariant", "flat"]
NonzeroBlocks: TypeAlias = tuple[bool, bool]
"""Whether D and whether A is nonzero, for a generic loss and data in general position."""
ByOrder: TypeAlias = Callable[[int | None], NonzeroBlocks]


TRICHOTOMY = Statement(
    id="GEN-2",
    title="Trichotomy by the order of the branch: how the Hessian depends on depth",
    source=None,
    sentence=r"Order two: $A = 0$ and $H_R = I \otimes D$, so that only multiplicities depend on $R$. Order three or more: "
    "$H_R = 0$.",
    latex=r"\text{order } 1:\; A \not\equiv 0; \qquad \text{order } 2:\; H_R = I_R \otimes D; \qquad "
    r"\text{order} \ge 3:\; H_R = 0",
)
"""What GEN-2 says from order two on, of any unit (`proofs.beyond`) and of one (`proofs.block`); each says more of order one."""


def regime_of(order: int | None) -> Regime:
    """How the Hessian depends on depth, by the order of the branch."""
    return "grows with depth" if order == 1 else "depth-invariant" if order == 2 else "flat"


def regime_of_blocks(diagonal: bool, cross: bool) -> Regime:
    """How the Hessian depends on depth, by whether D and A are nonzero."""
    return "grows with depth" if cross else "depth-invariant" if diagonal else "flat"


def nonzero_blocks(order: int | None) -> NonzeroBlocks:
    """Which of D and A are nonzero, by the order of the branch."""
    return order in (1, 2), order == 1


NEIGHBOURING_REGIMES: Mapping[str, ByOrder] = {
    "order two has $A$ nonzero": lambda order: (order in (1, 2), order in (1, 2)),
    "order three has $D$ nonzero": lambda order: (order in (1, 2, 3), order == 1),
    "order one has $A = 0$": lambda order: (order in (1, 2), False),
}
"""Falsehoods beside `nonzero_blocks`."""


def index_blocks(unit: ResidualUnit) -> tuple[int | None, bool, bool]:
    """The order of the branch and which of D and A are nonzero, in index notation, for any loss."""
    found = expansion(unit)
    return found.order, bool(found.forms[1, 1]), bool(found.forms[1, 2])


def loss_orders(form: Sum) -> set[int]:
    """The orders of the derivatives of a generic loss that occur in a form."""
    return {t.order for _, factors in form for t, _ in factors if isinstance(t, LossDerivative)}


def explicit_blocks(
    unit: ResidualUnit, dims: Mapping[str, int], data: Instance | None = None
) -> tuple[int, bool, bool]:
    """The order of the branch and which of D and A are nonzero, from the exact entries of two units at these sizes."""
    network = Network(unit, 2)
    order = stationary_order(network, dims, up_to=2, data=data).order + 1
    hessian = hessian_at_initial_point(network, dims, data=data)
    half = hessian.parameters // 2
    blocks = {(row // half, column // half) for row, column in hessian.upper}
    return order, (0, 0) in blocks, (0, 1) in blocks


def in_regime(found: tuple[int | None, bool, bool], claim: ByOrder, name: str = "") -> None:
    """Pass when D and A are nonzero as claimed for the order found; `name` says in the message of which block.

    Raises:
        Disagreement: they are not.
        Indistinct: another claim says the same of this order, of which `nonzero_blocks` is true.
    """
    order, diagonal, cross = found
    if (diagonal, cross) != claim(order):
        at = f"{name}: " if name else ""
        raise Disagreement(f"{at}order {order}, D nonzero {diagonal}, A nonzero {cross}; claimed {claim(order)}")
    if claim is not nonzero_blocks:
        raise Indistinct(f"at order {order} the claim says the same")
