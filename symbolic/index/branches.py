"""Any branch whatever: the Hessian of a residual network whose branch is known only by its derivatives.

A unit is h + F(h; w) with w in R^p and F(h; w_0) = 0 for every h. To second order in w and in the deviation x of its
input from the data,

    F(X + x; w) = T1 w + S1 w x + 1/2 T2 w w,

with T1[i,a,u] = dF_i/dw_a, S1[i,a,j,u] = d^2 F_i/dh_j dw_a and T2[i,a,b,u] = d^2 F_i/dw_a dw_b at the data; pure
derivatives in h vanish with F(.; w_0). Units are composed from this alone, x_{r+1} = x_r + F(X + x_r; w_r), so what
follows holds for every branch that is twice differentiable near the data.
"""

from __future__ import annotations

from collections.abc import Mapping

from architectures.terms import Delta, LossDerivative, Opaque, Perturbation, Tensor
from symbolic.index.claims import parse
from symbolic.index.lift import relabel_unit
from symbolic.index.series import Sum, add, contract, multiply, rename, size, tensor

WIDTH, PARAMETERS, SAMPLES = "d", "p", "m"
ROW, SAMPLE, OTHER_ROW = -1, -3, -4
_JOINT = -5

_T1 = Opaque("T1", (WIDTH, PARAMETERS, SAMPLES))
_T2 = Opaque("T2", (WIDTH, PARAMETERS, PARAMETERS, SAMPLES))
_S1 = Opaque("S1", (WIDTH, PARAMETERS, WIDTH, SAMPLES))
TENSORS: dict[str, Tensor] = {
    "T1": _T1,
    "T2": _T2,
    "S1": _S1,
    "g": LossDerivative(1, (WIDTH, SAMPLES)),
    "Q": LossDerivative(2, (WIDTH, WIDTH, SAMPLES)),
    "dw(1)": Perturbation("w", 1, (PARAMETERS,)),
    "dw(2)": Perturbation("w", 2, (PARAMETERS,)),
    "delta": Delta((WIDTH, WIDTH)),
}
"""What a claim about an arbitrary branch may name."""

_FREE = {"i": ROW, "u": SAMPLE}


def branch(number: int, deviation: tuple[Sum, Sum], vanishing: frozenset[str] = frozenset()) -> tuple[Sum, Sum]:
    """The parts of degree one and two of F(X + x; w) in unit `number`, given those of x.

    T2 is symmetric in its parameters; one order of them stands for both. `vanishing` names derivatives that are zero.
    """
    known = {**TENSORS, "dw": Perturbation("w", number, (PARAMETERS,))}

    def term(claim: str, name: str) -> Sum:
        return {} if name in vanishing else parse(claim, known, {**_FREE, "j": _JOINT})

    first = term("T1[i,a,u] * dw[a]", "T1")
    moved = multiply(term("S1[i,a,j,u] * dw[a]", "S1"), rename(deviation[0], {ROW: _JOINT}))
    second = add(term("1/2 * T2[i,a,b,u] * dw[a] * dw[b]", "T2"), contract(moved, {_JOINT: WIDTH}))
    return first, second


def output_parts(units: int, vanishing: frozenset[str] = frozenset()) -> tuple[Sum, Sum]:
    """The parts of degree one and two of the output of `units` units in a row, less X."""
    deviation: tuple[Sum, Sum] = ({}, {})
    for number in range(1, units + 1):
        first, second = branch(number, deviation, vanishing)
        deviation = (add(deviation[0], first), add(deviation[1], second))
    return deviation


def hessian_forms(units: int, vanishing: frozenset[str] = frozenset()) -> Mapping[tuple[int, int], Sum]:
    """The degree-two part of the loss by pairs of units (r, s), r <= s, renamed to units 1 and 2.

    E[g f_2 + 1/2 Q f_1 f_1], f_k the part of degree k of the output.
    """
    first, second = output_parts(units, vanishing)
    gradient = multiply(tensor(TENSORS["g"], (ROW, SAMPLE)), second)
    half_q = parse("1/2 * Q[i,k,u]", TENSORS, {"i": ROW, "k": OTHER_ROW, "u": SAMPLE})
    curvature = multiply(multiply(half_q, first), rename(first, {ROW: OTHER_ROW}))
    total = add(_mean(gradient, (ROW,)), _mean(curvature, (ROW, OTHER_ROW)))
    forms: dict[tuple[int, int], Sum] = {(r, s): {} for r in range(1, units + 1) for s in range(r, units + 1)}
    for monomial, coefficient in total.items():
        r, s = sorted(t.unit for t, _ in monomial[1] if isinstance(t, Perturbation))
        forms[r, s][monomial] = coefficient
    return {(r, s): relabel_unit(relabel_unit(form, r, 1), s, 2 if r != s else 1) for (r, s), form in forms.items()}


def _mean(summand: Sum, rows: tuple[int, ...]) -> Sum:
    """The sum over rows and the mean over samples."""
    return multiply(size(SAMPLES, -1), contract(summand, {**dict.fromkeys(rows, WIDTH), SAMPLE: SAMPLES}))
