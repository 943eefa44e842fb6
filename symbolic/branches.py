"""Any branch whatever: the Hessian of a residual network whose branch is known only by its derivatives.

A unit is h + F(h; w) with w in R^p and F(h; w_0) = 0 for every h. At the data F has the derivatives

    T1[i, a, u]    = dF_i/dw_a,           T2[i, a, b, u] = d^2 F_i/dw_a dw_b  (symmetric in a, b),
    S1[i, a, j, u] = d^2 F_i/dh_j dw_a,

and the output of two units is, to second order in their weights,

    f = X + T1 w_1 + T1 w_2 + 1/2 T2 w_1 w_1 + 1/2 T2 w_2 w_2 + S1 w_2 (T1 w_1).

Nothing else is assumed of F, so what follows from this series holds for every branch.
"""

from __future__ import annotations

from collections.abc import Mapping

from architectures.terms import Delta, LossDerivative, Opaque, Perturbation, Tensor
from symbolic.claims import parse
from symbolic.series import Sum, add, contract, multiply, rename, size

WIDTH, PARAMETERS, SAMPLES = "d", "p", "m"
ROW, SAMPLE, OTHER_ROW = -1, -3, -4

TENSORS: dict[str, Tensor] = {
    "T1": Opaque("T1", (WIDTH, PARAMETERS, SAMPLES)),
    "T2": Opaque("T2", (WIDTH, PARAMETERS, PARAMETERS, SAMPLES)),
    "S1": Opaque("S1", (WIDTH, PARAMETERS, WIDTH, SAMPLES)),
    "g": LossDerivative(1, (WIDTH, SAMPLES)),
    "Q": LossDerivative(2, (WIDTH, WIDTH, SAMPLES)),
    "dw(1)": Perturbation("w", 1, (PARAMETERS,)),
    "dw(2)": Perturbation("w", 2, (PARAMETERS,)),
    "delta": Delta((WIDTH, WIDTH)),
}
"""What a claim about an arbitrary branch may name."""

_OUTPUT = (
    ("T1[i,a,u] * dw(1)[a]", "T1[i,a,u] * dw(2)[a]"),
    (
        "1/2 * T2[i,a,b,u] * dw(1)[a] * dw(1)[b]",
        "1/2 * T2[i,a,b,u] * dw(2)[a] * dw(2)[b]",
        "S1[i,a,j,u] * dw(2)[a] * T1[j,b,u] * dw(1)[b]",
    ),
)


def output_parts(vanishing: frozenset[str] = frozenset()) -> tuple[Sum, Sum]:
    """The parts of degree one and two of the output, with the derivatives named left out."""
    free = {"i": ROW, "u": SAMPLE}

    def part(terms: tuple[str, ...]) -> Sum:
        kept = [term for term in terms if not any(f"{name}[" in term for name in vanishing)]
        return add({}, *(parse(term, TENSORS, free) for term in kept))

    return part(_OUTPUT[0]), part(_OUTPUT[1])


def hessian_forms(vanishing: frozenset[str] = frozenset()) -> Mapping[tuple[int, int], Sum]:
    """The degree-two part of the loss of two units, by the pair of units of its perturbations.

    E[g f_2 + 1/2 Q f_1 f_1], f_k the part of degree k of the output.
    """
    first, second = output_parts(vanishing)
    gradient = multiply(parse("g[i,u]", TENSORS, {"i": ROW, "u": SAMPLE}), second)
    half_q = parse("1/2 * Q[i,k,u]", TENSORS, {"i": ROW, "k": OTHER_ROW, "u": SAMPLE})
    curvature = multiply(multiply(half_q, first), rename(first, {ROW: OTHER_ROW}))
    total = add(_mean(gradient, (ROW,)), _mean(curvature, (ROW, OTHER_ROW)))
    forms: dict[tuple[int, int], Sum] = {(1, 1): {}, (1, 2): {}, (2, 2): {}}
    for monomial, coefficient in total.items():
        r, s = sorted(t.unit for t, _ in monomial[1] if isinstance(t, Perturbation))
        forms[r, s][monomial] = coefficient
    return forms


def _mean(summand: Sum, rows: tuple[int, ...]) -> Sum:
    """The sum over rows and the mean over samples."""
    return multiply(size(SAMPLES, -1), contract(summand, {**dict.fromkeys(rows, WIDTH), SAMPLE: SAMPLES}))
