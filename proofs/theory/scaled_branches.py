"""Units whose branch carries a scale, h + s F(h; w), with s a number or a symbol; and which powers of s occur."""

from __future__ import annotations

from fractions import Fraction

from resproof.architectures.activations import polynomial
from resproof.architectures.errors import ArchitectureError
from resproof.architectures.nodes import Activation, Coefficient
from resproof.architectures.properties import the_input
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.statement import Statement
from resproof.proofs.theory.regimes import loss_orders
from resproof.symbolic.index.series import Sum, collect

SCALED_BRANCHES = Statement(
    id="GEN-9",
    title="Which scale of the branches keeps the Hessian at every depth",
    source=None,
    sentence=r"With branches $s F$, $H_R(s) = s I \otimes B + s^2 (I \otimes C + L \otimes A + L^{\mathsf T} \otimes A^{\mathsf T})$: "
    "$B$ is the part of $D$ with a branch's own second derivative.",
    latex=r"H_R(s) = s\, I \otimes B + s^2 \left(I \otimes C + L \otimes A + L^{\mathsf T} \otimes A^{\mathsf T}\right)",
)
"""What GEN-9 says of any branch (`proofs.beyond`) and of one (`proofs.block`); the first says more."""
SCALE = "s"
"""The symbol of a scale that is no number."""


def _times_symbol() -> Activation:
    """t -> s t, linear with a symbol for its slope."""

    def taylor(k: int) -> Coefficient:
        return Coefficient(Fraction(1), SCALE) if k == 1 else Coefficient(Fraction(0))

    def derivatives(*_: object) -> list[object]:
        raise ArchitectureError(f"scale: {SCALE} is a symbol without a value; expected a number")

    return Activation("times s", taylor, derivatives, degree=1)


_ANY_SCALE = _times_symbol()


def scaled(unit: ResidualUnit, scale: Fraction | int | None = None) -> ResidualUnit:
    """h + s (unit(h) - h) with the names of the unit's weights; None: s is a symbol."""
    h = the_input(unit.expression)
    times = _ANY_SCALE if scale is None else polynomial(0, scale)
    return ResidualUnit(h + times(unit.expression - h), unit.names)


def powers_of_scale(form: Sum) -> frozenset[int]:
    """The powers of s in the terms of a form."""
    return frozenset(dict(scalars).get(SCALE, 0) for scalars, _ in form)


def at_one(form: Sum) -> Sum:
    """The form at s = 1."""
    return collect(
        (coefficient, tuple(one for one in scalars if one[0] != SCALE), factors)
        for (scalars, factors), coefficient in form.items()
    )


def with_curvature(form: Sum, has: bool) -> Sum:
    """The terms that have the second derivative of the loss, or those that do not."""
    return {one: c for one, c in form.items() if (2 in loss_orders({one: c})) is has}
