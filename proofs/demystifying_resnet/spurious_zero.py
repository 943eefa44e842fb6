"""Demystifying ResNet, a remark: 2-shortcut networks have spurious local minima in general, such as zero (DR-spur).

That zero is one is refuted wherever the part of degree two of the loss, odd in W_2, does not vanish: c M != 0. That there are
some is another claim, which ReLU at mid bears out by units that are dead; for smooth activations it is open here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy

from architectures.activations import Activation, identity_activation
from architectures.catalogue import n_shortcut
from architectures.losses import squared
from architectures.networks import ResidualUnit
from architectures.scope import Scope
from proofs.documents import source
from proofs.routes.exact_spectra import exact_spectrum
from proofs.statement import PRINTED, Argument, Clause, Computed, Context, Counterexample, Disagreement, Statement
from proofs.theory.generic_units import FLAT_AT_ZERO, generic_unit
from symbolic.index import sizes
from symbolic.index.claims import show
from symbolic.index.lift import hessian_form
from symbolic.index.paths import negate
from symbolic.index.series import Sum, scale, thaw
from symbolic.written.explicit import Instance

# Zero.


@dataclass(frozen=True, slots=True)
class Minimal:
    """A 2-shortcut network with R = d = m = 1 and its data."""

    mid: Activation
    post: Activation
    x: int
    y: int

    def __str__(self) -> str:
        return f"n = 2, R = d = m = 1, {self.mid.name} activations, x = {self.x}, y = {self.y}"


_MINIMAL = Minimal(identity_activation, identity_activation, 1, 0)


def _negative_eigenvalues(_: Context) -> Computed:
    spectrum = exact_spectrum(ResidualUnit(n_shortcut(2)), 1, Instance([[_MINIMAL.x]], [[_MINIMAL.y]])) or {}
    return Computed(
        {v: k for v, k in spectrum.items() if v < 0},
        Scope.of("n=2, R=d=m=1"),
        r"H = \begin{pmatrix} 0 & 1 \\ 1 & 0 \end{pmatrix}",
    )


def _second_order_part(_: Context) -> Computed:
    """The part of degree two of one unit's loss, and the same with -W_2; the units do not interact."""
    unit = generic_unit(2)
    form = hessian_form(unit, squared)
    assert not thaw(form.cross)
    part = thaw(form.diagonal)
    return Computed((part, negate(part, "W2")), sizes.of_unit(unit), r"q(W_1, -W_2) = -q(W_1, W_2)")


def _multiple(found: tuple[Sum, Sum], factor: int) -> None:
    """Pass when the part is not zero, and with -W_2 it is this multiple of itself.

    Raises:
        Disagreement: it is another.
    """
    part, negated = found
    if not part or negated != scale(factor, part):
        raise Disagreement(f"with -W_2 the part {show(part)} is {show(negated)}")


# Others.


def _dead_unit(_: Context) -> Computed:
    """L(w_1, w_2) of h + w_2 relu(w_1 h) at x = 1, y = 2: where w_1 < 0, where w_1 > 0, and at (1, 1)."""
    t, w2 = sympy.Symbol("t", positive=True), sympy.Symbol("w2", real=True)

    def loss(first: Any, second: Any) -> Any:
        return (1 + second * sympy.Max(0, first) - 2) ** 2 / 2

    found = {"w1 = -t < 0": loss(-t, w2), "w1 = t > 0": sympy.expand(loss(t, w2)), "w = (1, 1)": loss(1, 1)}
    return Computed({name: str(value) for name, value in found.items()}, Scope.of("n=2, R=d=m=1, x=1, y=2"))


_DEAD: Mapping[str, str] = {"w1 = -t < 0": "1/2", "w1 = t > 0": "t**2*w2**2/2 - t*w2 + 1/2", "w = (1, 1)": "0"}

SPUR = Statement(
    id="DR-spur",
    title="Spurious local minima of 2-shortcut networks, and zero as an example",
    source=source("A", "section 2", "admits spurious local minimum in general (such as the zero initial point)"),
    sentence="Networks of shortcut length 2 have local minima that are not global in general; the zero initial point is one.",
    latex=r"\exists \epsilon > 0:\; \|w\| < \epsilon \implies L(w) \ge L(0) > \min L",
    hypotheses=(FLAT_AT_ZERO,),
    uses=("DR-T2.2s",),
    clauses=(
        Clause(
            "The zero initial point is such a minimum.",
            {"R": 1, "d": 1, "m": 1},
            counterexample=Counterexample(
                instance=_MINIMAL,
                sentence="The smallest 2-shortcut network there is: zero has an eigenvalue -1. So it is for all networks with "
                "c M != 0, all but a null set: the second-order part of the loss is odd in W_2 and takes both signs.",
                latex=r"L(w_1, w_2) = \tfrac12 (1 + w_2 w_1)^2, \qquad L(t, -t) = \tfrac12 - t^2 + \tfrac12 t^4 < L(0)",
                routes=(
                    Argument(
                        "Negative eigenvalues of the exact Hessian",
                        "explicit",
                        _negative_eigenvalues,
                        {Fraction(-1): 1},
                        {PRINTED: dict[Fraction, int](), "two negative eigenvalues": {Fraction(-1): 2}},
                    ),
                    Argument(
                        "The second-order part of the loss of any 2-shortcut network with -W_2 in place of W_2",
                        "index notation",
                        _second_order_part,
                        -1,
                        {PRINTED: 0, "it does not change": 1},
                        _multiple,
                        explanation="At a minimum it would be nonnegative for both, and so vanish.",
                    ),
                ),
            ),
        ),
        Clause(
            "Some 2-shortcut networks have local minima that are not global.",
            {"R": 1, "d": 1, "m": 1},
            (
                Argument(
                    "ReLU at mid: where w_1 x < 0 the loss is constant",
                    "explicit",
                    _dead_unit,
                    _DEAD,
                    {
                        "it falls to zero there": {**_DEAD, "w1 = -t < 0": "0"},
                        "it is the least value": {**_DEAD, "w = (1, 1)": "1/2"},
                        "it is constant for w1 > 0": {**_DEAD, "w1 = t > 0": "1/2"},
                    },
                    explanation="So each of these points is a local minimum, not a strict one, and L(1, 1) = 0 is lower.",
                ),
            ),
        ),
        Clause(
            "They have some in general: for smooth activations, and whatever the data.",
            {"R": 1, "d": 1, "m": 1},
            unsettled="nothing is offered beyond units that ReLU makes constant: that zero is no example does not exclude others",
        ),
    ),
)

STATEMENTS = (SPUR,)
