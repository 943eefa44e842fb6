"""The depth law for linear units with n = 1, d >= 2: cond(H_R) >= R lambda_max(S) / sigma_min(S - T).

Letters as in `proofs.beyond.depth_law`. In index notation the forms and images at v = a b^T, and the bound on exact Hessians.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from resproof.architectures.forms.terms import COLUMN, ROW, Opaque, Tensor
from resproof.architectures.losses import squared
from resproof.proofs.beyond.depth_instances import LINEAR, Bound, Exact, at_least, instances
from resproof.proofs.routes.hessians import same_sum, same_sums
from resproof.proofs.statement import Argument, Computed, Context
from resproof.symbolic.algebra import toeplitz
from resproof.symbolic.algebra.matrices import Matrix, add, scale
from resproof.symbolic.algebra.toeplitz import Interval
from resproof.symbolic.index import series, sizes
from resproof.symbolic.index.claims import vocabulary
from resproof.symbolic.index.lift import hessian_form, perturbations
from resproof.symbolic.index.paths import along
from resproof.symbolic.index.series import Sum, differentiate, multiply, tensor, thaw

# Index notation.


def _at_outer(form: Sum, number: int) -> Sum:
    """The form with v = a b^T for the weight of that unit."""
    vectors = (tensor(Opaque("a", ("d",)), (ROW,)), tensor(Opaque("b", ("d",)), (COLUMN,)))
    return along(LINEAR, form, {"W1": multiply(*vectors)}, number)


def _images() -> dict[str, Sum]:
    """D v, A v and A^T v at v = a b^T."""
    form = hessian_form(LINEAR, squared)
    diagonal, cross = thaw(form.diagonal), thaw(form.cross)
    first, second = (perturbations(LINEAR, number)["W1"] for number in (1, 2))
    slots = (ROW, COLUMN)
    return {
        "D v": _at_outer(differentiate(diagonal, first, slots), 1),
        "A v": _at_outer(differentiate(cross, second, slots), 1),
        "A^T v": _at_outer(differentiate(cross, first, slots), 2),
    }


def _linear_values(_: Context) -> Computed:
    """The forms 1/2 v^T D v and v^T A v at v = a b^T, and the images of D - A and its transpose."""
    form, images = hessian_form(LINEAR, squared), _images()
    found = {
        "1/2 v^T D v": _at_outer(thaw(form.diagonal), 1),
        "v^T A v": _at_outer(_at_outer(thaw(form.cross), 1), 2),
        "(D - A) v": _minus(images["D v"], images["A v"]),
        "(D - A)^T v": _minus(images["D v"], images["A^T v"]),
    }
    shown = r"v = a b^{\mathsf T}:\quad (D - A)\,v = -M v^{\mathsf T},\quad (D - A)^{\mathsf T} v = -v^{\mathsf T} M"
    return Computed(found, sizes.of_unit(LINEAR), shown)


def _minus(left: Sum, right: Sum) -> Sum:
    return series.add(left, series.scale(-1, right))


def _known() -> dict[str, Tensor]:
    """What a claim may name: the unit's vocabulary, a and b."""
    return {**vocabulary(LINEAR, squared), **{name: Opaque(name, ("d",)) for name in "ab"}}


def _same_values(found: Mapping[str, Sum], claim: Mapping[str, str]) -> None:
    for name, value in found.items():
        free = {"i": ROW, "j": COLUMN} if name.startswith("(") else {}
        same_sum(value, claim[name], _known(), free, name=name)


_ENERGY = "m^-1 * a[i] * a[i] * X[j,s] * b[j] * X[k,s] * b[k]"
_LINEAR_VALUES = {
    "1/2 v^T D v": f"1/2 * {_ENERGY}",
    "v^T A v": f"{_ENERGY} + m^-1 * a[i] * g[i,s] * X[j,s] * b[j] * a[k] * b[k]",
    "(D - A) v": "-1 * m^-1 * g[i,s] * X[k,s] * b[k] * a[j]",
    "(D - A)^T v": "-1 * m^-1 * b[i] * g[k,s] * a[k] * X[j,s]",
}

LINEAR_VECTORS = Argument(
    r"Linear units: the forms and images at $v = a b^{\mathsf T}$",
    "index notation",
    _linear_values,
    _LINEAR_VALUES,
    {
        "the residual counts whatever $a$ and $b$": {
            **_LINEAR_VALUES,
            "v^T A v": f"{_ENERGY} + m^-1 * a[i] * g[i,s] * X[j,s] * b[j] * a[k] * a[k]",
        },
        "$a$ and $b$ exchanged": {
            **_LINEAR_VALUES,
            "1/2 v^T D v": "1/2 * m^-1 * b[i] * b[i] * X[j,s] * a[j] * X[k,s] * a[k]",
        },
        "$M$ transposed": {**_LINEAR_VALUES, "(D - A) v": "-1 * m^-1 * X[i,s] * g[k,s] * b[k] * a[j]"},
        "$D + A$": {**_LINEAR_VALUES, "(D - A) v": "m^-1 * g[i,s] * X[k,s] * b[k] * a[j]"},
    },
    _same_values,
    explanation=r"The same $v$ in every unit: $R$ times $2 (\tfrac{1}{2} v^{\mathsf T} D v)$ and $R (R - 1)$ times "
    r"$v^{\mathsf T} A v$. With $S b = \lambda_{\max}(S) b$ and $a$ orthogonal to $b$, which needs $d \ge 2$, it is "
    r"$R^2 \lambda_{\max}(S) \lvert v\rvert^2$, so $\lambda_{\max}(H_R) \ge R \lambda_{\max}(S)$. And with $M b = s a$, "
    r"$M^{\mathsf T} a = s b$ for the least singular value $s$, a pair $(v, -v)$, $v = a b^{\mathsf T}$, is mapped to "
    r"$-s a a^{\mathsf T}$ and $-s b b^{\mathsf T}$, up to signs: its image is $s$ times as long, so "
    r"$\sigma_{\min}(H_R) \le \sigma_{\min}(S - T)$.",
)


# Where S is singular.


def _unseen(_: Context) -> Computed:
    """What D, A and A^T make of v = a b^T where X^T b = 0."""
    found = {name: _without_meeting(image) for name, image in _images().items()}
    shown = r"V X = 0 \implies D V = A V = 0,\quad A^{\mathsf T} V = V^{\mathsf T} M"
    return Computed(found, sizes.of_unit(LINEAR), shown)


def _without_meeting(image: Sum) -> Sum:
    """The terms in which b is not summed with X."""
    return {
        (scalars, factors): coefficient
        for (scalars, factors), coefficient in image.items()
        if not {i for t, slots in factors if t.label == "b" for i in slots}
        & {i for t, slots in factors if t.label == "X" for i in slots}
    }


def _same_images(found: Mapping[str, Sum], claim: Mapping[str, str]) -> None:
    same_sums(_known(), {"i": ROW, "j": COLUMN})(found, claim)


_UNSEEN = {"D v": "0", "A v": "0", "A^T v": "m^-1 * b[i] * g[k,s] * a[k] * X[j,s]"}

UNSEEN = Argument(
    "Linear units: $V$ with $V X = 0$ is mapped to zero by $D$ and $A$, not by the transpose of $A$",
    "index notation",
    _unseen,
    _UNSEEN,
    {
        r"by $A^{\mathsf T}$ as well": {**_UNSEEN, "A^T v": "0"},
        "not by $A$": {**_UNSEEN, "A v": "m^-1 * g[i,s] * X[k,s] * b[k] * a[j]"},
        "$M$ in place of its transpose": {**_UNSEEN, "A^T v": "m^-1 * b[i] * g[j,s] * X[k,s] * a[k]"},
    },
    _same_images,
    explanation=r"Where $S$ is singular there are such $V = a b^{\mathsf T}$. In the first unit $V$ has no unit before it that would "
    r"see $A^{\mathsf T} V$, so $H_R (e_1 \otimes V) = 0$. With $a = M c$ it lies in $N^{\perp}$: $n^{\mathsf T} M = 0$ "
    r"for $n$ in $N$, which has $n S = 0$ and $A^{\mathsf T} n = 0$. Such an $a \ne 0$ exists unless $M = 0$, and then "
    "$D = A$.",
)


# Exact instances.


def _linear_bound(
    factor: Callable[[int], Fraction | int] = lambda units: units,
    top: Callable[[Exact], Interval] = lambda one: toeplitz.eigenvalue(one.s, one.d - 1),
    below: Callable[[Exact], Matrix] = lambda one: one.m,
    least: int = 2,
) -> Bound:
    """(factor(R) lambda_max(S) / sigma_min(S - T))^2 for d >= least, and nothing below."""

    def bound(one: Exact) -> Interval | None:
        if one.d < least:
            return Interval(Fraction(0), Fraction(0))
        greatest = top(one)
        square = Interval(greatest.low**2, greatest.high**2).times(factor(one.units) ** 2)
        return square.over(toeplitz.squared_singular_value(below(one), 0))

    return bound


def _trace(one: Exact) -> Interval:
    value = sum((one.s[i][i] for i in range(one.d)), Fraction(0))
    return Interval(value, value)


def _s_plus_t(one: Exact) -> Matrix:
    return add(scale(2, one.s), scale(-1, one.m))


LINEAR_INSTANCES = Argument(
    r"Linear units, $d \ge 2$: $\mathrm{cond}(H_R) \ge R \lambda_{\max}(S) / \sigma_{\min}(S - T)$ on exact Hessians",
    "explicit",
    instances(linear=True),
    _linear_bound(),
    {
        "$2R$ in place of $R$": _linear_bound(lambda units: 2 * units),
        "the trace of $S$": _linear_bound(top=_trace),
        "$S + T$ in place of $S - T$": _linear_bound(below=_s_plus_t),
        "$d = 1$ as well": _linear_bound(least=1),
    },
    at_least,
)
