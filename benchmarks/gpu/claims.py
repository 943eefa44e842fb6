"""The closed forms that the running network is held against, in index notation, and falsehoods next to them.

The forms come from the symbolic side, which expands the loss of two units in their perturbations: the part of degree k
that lies in unit 1, and that in units 1 and 2, stand for every unit and every pair of units.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

from resproof.architectures.activations import activation, generic
from resproof.architectures.catalogue import n_shortcut
from resproof.architectures.forms.terms import (
    ActivationValue,
    DataTensor,
    Factor,
    HessianTerms,
    IndexSum,
    LossDerivative,
    Perturbation,
)
from resproof.architectures.losses import squared
from resproof.architectures.nodes import Activation
from resproof.architectures.stages import ResidualUnit
from resproof.symbolic.index.claims import parse, vocabulary
from resproof.symbolic.index.lift import exchange_units, loss_series, pair_forms, terms_of_forms
from resproof.symbolic.index.series import Sum, add, collect, freeze, scale

KINDS: dict[str, tuple[str, str, str]] = {
    "linear": ("identity", "identity", "identity"),
    "tanh": ("tanh", "tanh", "tanh"),
    "gelu": ("gelu", "gelu", "gelu"),
    "smoothed relu": ("softplus", "silu", "silu"),
}
"""pre, mid and post; a smoothed relu after a weight passes through zero (silu), one at the data need not (softplus)."""


def activations(kind: str) -> tuple[Activation, Activation, Activation]:
    """Pre, mid and post of a kind; "generic" has any functions."""
    if kind == "generic":
        return generic("pre"), generic("mid"), generic("post")
    pre, mid, post = (activation(name) for name in KINDS[kind])
    return pre, mid, post


def shortcut_unit(n: int, kind: str) -> ResidualUnit:
    """The n-shortcut unit h + post(W_n mid(... mid(W_1 pre(h))))."""
    return ResidualUnit(n_shortcut(n, *activations(kind)))


def part(unit: ResidualUnit, degree: int) -> Sum:
    """The terms of that degree in the perturbations of unit 1, and of units 1 and 2 together."""
    found = loss_series(unit, squared, 2, degree)[degree]
    return {monomial: c for monomial, c in found.items() if 1 in _units(monomial[1])}


def in_one_unit(unit: ResidualUnit, degree: int) -> Sum:
    """The terms of that degree in the perturbations of one unit."""
    return {monomial: c for monomial, c in part(unit, degree).items() if _units(monomial[1]) == {1}}


def _units(factors: Iterable[Factor]) -> set[int]:
    return {t.unit for t, _ in factors if isinstance(t, Perturbation)}


# Falsehoods.


def exchanged_rows(form: Sum) -> Sum:
    """The form with M = g pre(X)^T / m transposed: the rows of g and of the value at the data exchanged."""

    def moved(factors: tuple[Factor, ...]) -> tuple[Factor, ...]:
        slope = next((s for t, s in factors if isinstance(t, LossDerivative)), None)
        value = next((s for t, s in factors if isinstance(t, ActivationValue | DataTensor)), None)
        if slope is None or value is None:
            return factors
        i, j = slope[0], value[0]
        return tuple(
            (t, (j if isinstance(t, LossDerivative) else i, *s[1:]))
            if isinstance(t, LossDerivative | ActivationValue | DataTensor) and s[0] in {i, j}
            else (t, s)
            for t, s in factors
        )

    return collect((c, scalars, moved(factors)) for (scalars, factors), c in form.items())


def interacting(form: Sum) -> Sum:
    """The form with as much again between units: W2 in the later one."""

    def moved(factors: tuple[Factor, ...]) -> tuple[Factor, ...]:
        return tuple(
            (Perturbation(t.weight, 2, t.dims), s) if isinstance(t, Perturbation) and t.weight == "W2" else (t, s)
            for t, s in factors
        )

    return add(form, collect((c, scalars, moved(factors)) for (scalars, factors), c in form.items()))


def _split(form: Sum) -> tuple[Sum, Sum]:
    single = {monomial: c for monomial, c in form.items() if _units(monomial[1]) == {1}}
    return single, {monomial: c for monomial, c in form.items() if monomial not in single}


def _changed(change: Callable[[Sum, Sum], tuple[Sum, Sum]]) -> Callable[[Sum], Sum]:
    def apply(form: Sum) -> Sum:
        single, cross = change(*_split(form))
        return add(single, cross)

    return apply


def changes(n: int) -> dict[str, Callable[[Sum], Sum]]:
    """Falsehoods next to the form of degree max(n, 2), none of which is the form itself."""
    if n == 1:
        return {
            "D twice as large": _changed(lambda d, a: (scale(2, d), a)),
            "A twice as large": _changed(lambda d, a: (d, scale(2, a))),
            "A transposed": _changed(lambda d, a: (d, exchange_units(a))),
            "units do not interact": _changed(lambda d, a: (d, {})),
        }
    found = {
        "twice as large": lambda form: scale(2, form),
        "the other sign": lambda form: scale(Fraction(-1), form),
        "M transposed": exchanged_rows,
    }
    return {**found, "units interact": interacting} if n == 2 else found


# What is contracted.


def hessian_claims(n: int, kind: str) -> tuple[HessianTerms, dict[str, HessianTerms]]:
    """D, A and A^T of the n-shortcut unit as linear maps, and falsehoods next to them."""
    unit = shortcut_unit(n, kind)
    forms = pair_forms(unit, squared)
    form = add(forms[1, 1], forms[1, 2])
    wrong = {name: change(form) for name, change in changes(n).items()} if n <= 2 else _flatness(n, kind)
    return _maps(unit, form), {name: _maps(unit, one) for name, one in wrong.items()}


def _maps(unit: ResidualUnit, form: Sum) -> HessianTerms:
    return terms_of_forms(unit, *_split(form))


def _flatness(n: int, kind: str) -> dict[str, Sum]:
    """What H = 0 could be mistaken for at n >= 3: the coupling of two layers that n = 2 has."""
    unit = shortcut_unit(n, kind)
    known = vocabulary(unit, squared)
    pre = activations(kind)[0]
    value = "X" if pre.name == "identity" else f"{pre.name}(X)"
    coupling = f"m^-1 * g[i,u] * {value}[j,u] * dW2(1)[i,a] * dW1(1)[a,j]"
    return {"the coupling of n = 2": parse(coupling, known)}


def coefficient_claims(n: int, kind: str) -> tuple[IndexSum, dict[str, IndexSum]]:
    """The Taylor coefficient of degree n in one unit, and falsehoods next to it."""
    form = in_one_unit(shortcut_unit(n, kind), n)
    wrong = {"twice as large": scale(2, form), "the other sign": scale(-1, form), "M transposed": exchanged_rows(form)}
    return freeze(form, {}), {name: freeze(one, {}) for name, one in wrong.items()}


def modular_claims(n: int) -> tuple[dict[int, IndexSum], dict[str, dict[int, IndexSum]]]:
    """The coefficients of degree 1, ..., max(n, 2) of the generic n-shortcut unit, and falsehoods next to the last."""
    unit, top = shortcut_unit(n, "generic"), max(n, 2)
    below = {k: freeze(part(unit, k), {}) for k in range(1, top)}
    form = part(unit, top)
    wrong = {name: {**below, top: freeze(change(form), {})} for name, change in changes(n).items()}
    return {**below, top: freeze(form, {})}, wrong
