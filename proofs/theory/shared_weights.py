"""One set of weights for all units, h -> h + F(h; w) again and again: the Hessian of L(w, ..., w) as a function of w.

By the chain rule it is the sum of all blocks of that in separate weights: R of D, R (R - 1)/2 of A and as many of A^T.
"""

from __future__ import annotations

from fractions import Fraction

from resproof.architectures.losses import Loss, generic_loss
from resproof.architectures.nodes import Expression
from resproof.architectures.properties import the_input
from resproof.architectures.rebuild import Leaf, rebuilt
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.routes.hessians import same_sums
from resproof.proofs.statement import Argument, Computed, Context, Statement
from resproof.symbolic.index import branches
from resproof.symbolic.index.expansion import expansion
from resproof.symbolic.index.lift import relabel_unit
from resproof.symbolic.index.series import Sum, add, scale

SHARED = Statement(
    id="GEN-12",
    title="One set of weights for all units: the Hessian, and the scale that keeps it",
    source=None,
    sentence=r"Where all $R$ units have the same $w$, the Hessian in $w$ at $w_0$ is $R D + \tfrac{1}{2} R (R - 1) "
    r"(A + A^{\mathsf T})$, $D$ and $A$ those of separate weights.",
    latex=r"\nabla^2_w L(w, \dots, w) = R\, D + \tfrac12 R (R - 1) \left(A + A^{\mathsf T}\right)",
)
"""What GEN-12 says of any branch (`proofs.beyond`) and of one (`proofs.block`); the first says more."""

OWN = "1/2 * m^-1 * g[i,u] * T2[i,a,b,u] * dw(1)[a] * dw(1)[b]"
CURVATURE = "1/2 * m^-1 * Q[i,k,u] * T1[i,a,u] * T1[k,b,u] * dw(1)[a] * dw(1)[b]"
SEEN = "m^-1 * g[i,u] * S1[i,a,j,u] * T1[j,b,u] * dw(1)[a] * dw(1)[b]"


def repeated(unit: ResidualUnit, units: int) -> ResidualUnit:
    """So many units with the same weights, written as one."""
    h = the_input(unit.expression)
    stream: Expression = h
    for _ in range(units):
        stream = _after(stream, unit)
    return ResidualUnit(stream, unit.every_name, tokens=unit.tokens)


def _after(stream: Expression, unit: ResidualUnit) -> Expression:
    h = the_input(unit.expression)

    def leaf(node: Leaf) -> Expression:
        return stream if node is h else node

    return rebuilt(unit.expression, leaf)


def pairs_of_units(units: int) -> Fraction:
    """R (R - 1)/2."""
    return Fraction(units * (units - 1), 2)


def sum_of_blocks(unit: ResidualUnit, own: Fraction | int, pairs: Fraction | int, loss: Loss = generic_loss) -> Sum:
    """1/2 v^T (own D + pairs (A + A^T)) v, from the forms of two units with separate weights."""
    forms = expansion(unit, loss).forms
    return add(scale(own, forms[1, 1]), scale(pairs, relabel_unit(forms[1, 2], 2, 1)))


def _one_more(_: Context) -> Computed:
    """What one more unit adds after n of them, to the output at first degree and to the loss at second."""
    added = branches.one_more_of_shared()
    shown = r"x_{n+1} = x_n + T_1 w,\qquad L_{n+1} - L_n = \tfrac12 w^{\mathsf T} D w + n\, w^{\mathsf T} A w"
    found = {"output": added.first, "loss": added.loss}
    return Computed(found, branches.sizes(*added.before, added.first, added.second, added.loss), shown)


def _same_addition(found: dict[str, Sum], claim: dict[str, str]) -> None:
    same_sums(branches.TENSORS)({"loss": found["loss"]}, {"loss": claim["loss"]})
    same_sums(branches.TENSORS, {"i": branches.ROW, "u": branches.SAMPLE})(
        {"output": found["output"]}, {"output": claim["output"]}
    )


_TWICE = CURVATURE.removeprefix("1/2 * ")
_ADDED = {"output": "T1[i,a,u] * dw(1)[a]", "loss": f"{OWN} + {CURVATURE} + n * {SEEN} + n * {_TWICE}"}
STEP = Argument(
    "One more unit with the weights of those before, after any number of them",
    "index notation",
    _one_more,
    _ADDED,
    {
        "those before do not enter": {**_ADDED, "loss": f"{OWN} + {CURVATURE}"},
        "the last of them enters alone": {**_ADDED, "loss": f"{OWN} + {CURVATURE} + {SEEN} + {_TWICE}"},
        "the loss's curvature joins them once": {
            **_ADDED,
            "loss": f"{OWN} + {CURVATURE} + n * {SEEN} + n * {CURVATURE}",
        },
        r"it enters with $\partial F/\partial w$ alone": {**_ADDED, "loss": f"{CURVATURE} + n * {_TWICE}"},
    },
    _same_addition,
    explanation="$n$ units have added $n T_1 w$ at first degree, each $T_1 w$. So the unit behind them adds "
    r"$\tfrac{1}{2} w^{\mathsf T} D w + n\, w^{\mathsf T} A w$, and the sum over $n < R$ is that of all blocks.",
)
"""The induction step for everything that is computed for a few units that share their weights."""
