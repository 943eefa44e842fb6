"""How gradients depend on depth, plain and residual: exact expectations beside the runs of `gradient_runs`.

With independent entries N(0, s^2/d), sigma^2 = s^2/d, factors M = I + W and A = M_L ... M_2, the gradient in W_1 is
A^T (f - y) x^T, and its expected square

    |x|^2 (E |A^T A M_1 x|^2 - 2 E y^T A A^T A M_1 x + E |A^T y|^2)
      = |x|^2 (|x|^2 (1/d + sigma^2) t - 2 (x . y) p/d + |y|^2 (1 + s^2)^(L-1)),

t = E tr((A^T A)^2) and p = E tr(A A^T A), for the distribution of W is that of O W O^T. By Isserlis' theorem one more factor makes of
t, u = E (tr A^T A)^2, p and q = E tr(A^T A) tr(A)

    t' = (1 + 2 sigma^2 (1 + d) + sigma^4 d (d + 1)) t + (2 sigma^2 + sigma^4 d) u,
    u' = (4 sigma^2 + 2 sigma^4 d) t + (1 + sigma^2 d)^2 u,
    p' = (1 + sigma^2 + s^2) p + sigma^2 q,    q' = (1 + s^2) q + 2 sigma^2 p.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

from resproof.proofs.experiment import Criterion, Experiment, Ran, Runs, Seen, changed
from resproof.proofs.identity_matters.attenuation import expected_square
from resproof.proofs.identity_matters.documents import source
from resproof.proofs.identity_matters.gradient_runs import GRADIENTS, VARIANCES

_ERRORS = 5.0


def residual_square(layers: int, s2: float, sample: Mapping[str, Any]) -> float:
    """E |dE/dW_1|_F^2 of a residual network; `sample` has the width d, |x|^2, |y|^2 and x . y as xx, yy, xy."""
    d, sigma2 = sample["width"], s2 / sample["width"]
    t, u, p, q = float(d), float(d * d), float(d), float(d * d)
    for _ in range(layers - 1):
        t, u = (
            (1 + 2 * sigma2 * (1 + d) + sigma2**2 * d * (d + 1)) * t + (2 * sigma2 + sigma2**2 * d) * u,
            (4 * sigma2 + 2 * sigma2**2 * d) * t + (1 + sigma2 * d) ** 2 * u,
        )
        p, q = (1 + sigma2 + s2) * p + sigma2 * q, (1 + s2) * q + 2 * sigma2 * p
    missing = sample["yy"] * (1 + s2) ** (layers - 1)
    return sample["xx"] * (sample["xx"] * (1 / d + sigma2) * t - 2 * sample["xy"] * p / d + missing)


def expectation(kind: str, layers: int, s2: float, sample: Mapping[str, Any]) -> float:
    """E |dE/dW_1|_F^2 of either kind: of the plain one as EX-11 has it."""
    if kind == "residual":
        return residual_square(layers, s2, sample)
    of_y, of_x = expected_square(layers, 1, sample["width"], Fraction(str(s2)))
    return float(of_y) * sample["xx"] * sample["yy"] + float(of_x) * sample["xx"] ** 2


def by_depth(runs: Runs, kind: str) -> dict[int, Ran]:
    """The runs of one kind, in the order of their numbers of layers."""
    return dict(sorted((one.parameters["layers"], one) for one in runs.values() if one.parameters["kind"] == kind))


def _expected(one: Ran) -> float:
    run = one.parameters
    return expectation(run["kind"], run["layers"], run["s2"], one.found["sample"])


def _as_expected(runs: Runs) -> Seen:
    errors = {name: abs(one.found["mean"] - _expected(one)) / one.found["error"] for name, one in runs.items()}
    worst = max(errors, key=lambda name: errors[name])
    return Seen(errors[worst] <= _ERRORS, f"at most {errors[worst]:.2g} standard errors from it ({worst})")


def _falls(runs: Runs) -> Seen:
    found = {layers: one.found["mean"] for layers, one in by_depth(runs, "plain").items()}
    holds = all(found[deep] <= VARIANCES["plain"] * found[less] for less, deep in pairwise(found))
    return Seen(holds, " ".join(f"{layers}: {mean:.3g};" for layers, mean in found.items()).rstrip(";"))


def _stays(runs: Runs) -> Seen:
    found = {layers: one.found["mean"] for layers, one in by_depth(runs, "residual").items()}
    least = min(found.values()) / found[min(found)]
    return Seen(least >= 0.9, f"at least {least:.3g} times that of one layer")


def _means(change: Callable[[Ran], float]) -> Callable[[Runs], Runs]:
    return lambda runs: changed(runs, lambda one: one.but(mean=change(one)))


ATTENUATION = Experiment(
    id="IM-F3",
    title="Squared gradients against depth, plain and residual",
    source=source("The Big Problem", "the gradient to any one layer gets attenuated even more"),
    described="No figure: in a plain network initialised about zero with small variance the gradient to any one layer is attenuated as layers "
    "are added; near zero weights a residual network lets gradients flow.",
    protocol=f"Linear networks of 1 to 16 layers of width 10 on the first digit, 20000 draws of each, independent entries $N(0, s^2/d)$ with $s^2$ = "
    f"{VARIANCES['plain']:g} (plain) and {VARIANCES['residual']:g} (residual); the squared Frobenius norm of the first layer's gradient.",
    sweep=GRADIENTS,
    criteria=(
        Criterion(
            "Every mean is within five standard errors of the exact expectation.",
            _as_expected,
            {
                "Every mean is ten standard errors above it.": _means(
                    lambda one: _expected(one) + 10 * one.found["error"]
                )
            },
        ),
        Criterion(
            "In the plain network each doubling of the layers leaves at most the share $s^2$ of the mean.",
            _falls,
            {"It stays as it is.": _means(lambda one: 1.0)},
        ),
        Criterion(
            "In the residual network no mean is below nine tenths of that of one layer.",
            _stays,
            {"It halves with every doubling.": _means(lambda one: 1.0 / one.parameters["layers"])},
        ),
    ),
    remark="The lines are the expectations: EX-11's for plain networks, and for residual ones a linear recursion by Isserlis' theorem.",
)

EXPERIMENTS = (ATTENUATION,)
