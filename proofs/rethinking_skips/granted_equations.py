"""Rethinking skip connections, Remarks 5 and 6: what Equations 23 and 26 give where they are granted (part of RS-R5).

Letters: H, W and D are a hidden representation, a weight and an error signal; k, v and d their inverses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from resproof.proofs.rethinking_skips.depth_products import sum_squared
from resproof.proofs.rethinking_skips.gradient_ranks import (
    EQUATION_26,
    Bounds,
    NearUpdate,
    diagonal,
    is_attained,
    products_of_each_rank,
    squared_kappa,
)
from resproof.proofs.routes.certificates import certified
from resproof.proofs.statement import Argument, Clause, Computed, Context, Sense
from resproof.symbolic.algebra.noncommutative import modulo, sizes, words
from resproof.symbolic.algebra.noncommutative import product as word_product
from resproof.symbolic.algebra.noncommutative import show as show_words
from resproof.symbolic.certificates import Element, orthant
from resproof.symbolic.scope import Scope

# Equation 23.

_INVERSES = {"k H": "", "v W": "", "d D": ""}


def _undone(_: Context) -> Computed:
    """Delta^l = H W D, D = Delta^{l+1}, times the inverses of all three factors, and times those of H and W."""
    signal = words("H W D")
    found = {
        name: show_words(modulo(word_product(words(inverses), signal), _INVERSES))
        for name, inverses in (("H, W and D", "d v k"), ("H and W", "v k"))
    }
    shapes = dict.fromkeys("HWDkvd", ("d", "d"))
    return Computed(found, sizes(shapes, signal), r"\Delta^{l+1} = (W^{l+1})^{-1} (H^l)^{-1} \Delta^l")


_UNDONE = {"H, W and D": show_words(words("1")), "H and W": show_words(words("D"))}


GRANTED_23 = Clause(
    r"With Equation 23 granted as it is printed, $\Delta^l = H^l (W^{l+1} \Delta^{l+1})$, which is false (RS-D3): by rank, where "
    r"$H^l$ and $W^{l+1}$ are nonsingular, $N = n$, $\Delta^l$ is if and only if $\Delta^{l+1}$ is, and so from $\Delta^L$ on.",
    {"d": 1},
    (
        Argument(
            r"$\Delta^l$ times the inverses of its factors",
            "identity",
            _undone,
            _UNDONE,
            {
                r"$\Delta^{l+1}$ does not matter": {**_UNDONE, "H and W": show_words(words("1"))},
                "it is lost": {**_UNDONE, "H and W": "0"},
            },
            explanation=r"Of the last error signal $\Delta^L$ the remarks say nothing.",
        ),
        products_of_each_rank("Products with a last factor of each rank", last=True),
    ),
)

# Equation 26.


def _near_update(_: Context) -> Computed:
    """|W u| for |(W - D) u| = y, |W - D| <= y + b = tau |W|, |D| = (1 - tau) |W| + z, where the claimed bound is r > 0.

    With n = (1 - tau) |W| the least singular value of D is s = (r + y + b) |D|/n, which makes (1 - tau)/kappa(D) - tau times
    |W| the bound r; and |D u| = s + g.
    """
    o = orthant("r n y b z g e")
    moved = o["y"] + o["b"]
    whole = o["n"] + o["z"]
    least = (o["r"] + moved) * whole / o["n"]
    square, scope = sum_squared(least + o["g"], o["y"], o["e"] - 1)
    norm = o["n"] + moved
    found = NearUpdate(o, square, norm, whole / least, moved / norm)
    return Computed(found, scope, r"\frac{1}{\kappa(W)} \ge \frac{1 - \tau}{\kappa(\Delta W)} - \tau")


def _inverse_at_least(found: NearUpdate, claim: Callable[[Element, Element], Element]) -> None:
    bound = claim(found.kappa, found.tau) * found.norm
    found.space.at_least_zero("the bound", found.square - bound**2)


def _near_updates(_: Context) -> Computed:
    """kappa(W)^2 for D = diag(1 - t, (1 - t)/k) and W - D = diag(t, -t), |W| = 1."""
    found = {}
    for t, k in ((Fraction(1, 100), 10), (Fraction(1, 10), 5), (Fraction(1, 5), 2)):
        found[t, k] = squared_kappa(diagonal(1, (1 - t) / k - t))
    return Computed(found, Scope.of("d=2, three pairs of tau and kappa"))


def _bound(k: Any, t: Any) -> Any:
    return (1 - t) / k - t


_OTHER_BOUNDS: Mapping[str, Bounds] = {
    r"$\tau$ is not taken off": lambda k, t: (1 - t) / k,
    r"$1/\kappa(\Delta W) - \tau$": lambda k, t: 1 / k - t,
    "half of $\\tau$": lambda k, t: (1 - t) / k - t / 2,
}

WEIGHTS = Clause(
    r"Of the $W^l$ in Equation 26: $1/\kappa(W^l) \ge (1 - \tau)/\kappa(\Delta W^l) - \tau$, so that $\kappa(W^l)$ is moderate where "
    r"$\kappa(\Delta W^l)$ is, if $\tau$ is small beside $1/\kappa(\Delta W^l)$.",
    {"d": 1},
    (
        Argument(
            "The least singular value moves by the norm of the difference at most",
            "inequality",
            _near_update,
            _bound,
            _OTHER_BOUNDS,
            certified(_inverse_at_least),
            explanation=r"$\sigma_{\min}(W) \ge \sigma_{\min}(\Delta W) - \lvert W - \Delta W\rvert$, and $\kappa(\Delta W) "
            r"\sigma_{\min}(\Delta W) = \lvert\Delta W\rvert \ge (1 - \tau) \lvert W\rvert$, in every dimension. Where the bound is "
            "not positive it says nothing.",
        ),
        Argument("Weights that attain it", "explicit", _near_updates, _bound, _OTHER_BOUNDS, is_attained),
    ),
    hypotheses=(EQUATION_26,),
    reading=Sense(
        "non-singular: weights in (26)",
        r"$\kappa(W^l)$ is moderate for a $W^l$ that is about $\Delta W^l$, as Equation 26 has it",
        "from (24) and (26), weights updates and weights are both non-singular",
        "Remark 5",
    ),
)
