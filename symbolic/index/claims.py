"""Claims as readable index strings: "1/2 * m^-1 * g[i,u] * pre(X)[j,u] * dW2(1)[i,a] * dW1(1)[a,j]".

A claim is a sum of terms separated by " + " or " - "; a term is a product of numbers, scalar symbols with integer
powers and tensors with their indices, separated by " * ". An index named in `free` stays free, every other is summed.
A claim is compared with what was computed by equality of canonical forms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction

from resproof.architectures.activations import CONSTANTS
from resproof.architectures.forms.terms import (
    ROW,
    ActivationValue,
    DataTensor,
    Delta,
    Factor,
    InitialWeight,
    InverseScale,
    LossDerivative,
    Normalised,
    Scalars,
    Tensor,
    show_term,
)
from resproof.architectures.losses import Loss
from resproof.architectures.nodes import Apply, Normalize, nodes
from resproof.architectures.stages import ResidualUnit
from resproof.symbolic.index.lift import Layout, data, hessian_form, layout, perturbations
from resproof.symbolic.index.series import Sum, collect, freeze, thaw

_FACTOR = re.compile(r"(?P<name>.+?)(?:\[(?P<indices>[^\[\]]*)\])?(?:\^(?P<power>-?\d+))?")

_SYMBOL = re.compile(r"[A-Za-z]\w*(('{0,2}|\^\(\d+\))\(0\))?")
"""A dimension such as d, or the derivative of an activation at zero such as mid'(0)."""


def parse(claim: str, tensors: Mapping[str, Tensor], free: Mapping[str, int] | None = None) -> Sum:
    """The sum of terms that a claim states.

    Args:
        claim: the index string; "0" is the empty sum.
        tensors: what each tensor's name in the claim stands for (`vocabulary`).
        free: the number of each index that stays free.

    Raises:
        ValueError: a term that cannot be read, an unknown tensor, or a wrong number of indices.
    """
    return collect(_term(sign, text, tensors, free or {}) for sign, text in _terms(claim) if text != "0")


def vocabulary(unit: ResidualUnit, loss: Loss, units: int = 2) -> dict[str, Tensor]:
    """Every tensor that a claim about this unit may name, by its label."""
    place = layout(unit)
    names: list[Tensor] = [DataTensor(name, tuple(place.output.values())) for name in ("X", "Y")]
    names += _loss_tensors(place, loss)
    names += [t for number in range(1, units + 1) for t in perturbations(unit, number).values()]
    for weight, name in unit.every_name.items():
        names.append(InitialWeight(name, None, tuple(place.indices(weight.shape).values())))
    names += _values_at_data(unit, place)
    names.append(Delta((place.width, place.width)))
    return {t.label: t for t in names}


def vocabulary_with(unit: ResidualUnit, loss: Loss, *sums: Sum) -> dict[str, Tensor]:
    """The same, with every tensor that occurs in these: functions of more than X too, as silu(U[i,a] * X[a,u])."""
    return {**vocabulary(unit, loss), **{t.label: t for one in sums for _, factors in one for t, _ in factors}}


def vocabulary_of_hessian(unit: ResidualUnit, loss: Loss) -> dict[str, Tensor]:
    """The same, with every tensor that D and A have."""
    form = hessian_form(unit, loss)
    return vocabulary_with(unit, loss, thaw(form.diagonal), thaw(form.cross))


def show(summand: Sum) -> str:
    """A sum as text, one term after another, in canonical order."""
    return " + ".join(show_term(term) for term in freeze(summand, {}).terms) or "0"


def _loss_tensors(place: Layout, loss: Loss) -> list[Tensor]:
    rest = [dimension for index, dimension in place.output.items() if index != ROW]
    rows = [] if place.width == 1 else [place.width]
    return [LossDerivative(k, (*rows * k, *rest), loss.centred, scalar=not rows) for k in (1, 2, 3)]


def _values_at_data(unit: ResidualUnit, place: Layout) -> list[Tensor]:
    """The values and derivatives at X of every activation and normalisation of the unit."""
    argument, dims = freeze(data(unit), place.output), tuple(place.output.values())
    found: list[Tensor] = []
    for node in nodes(unit.expression):
        match node:
            case Apply(activation=activation):
                found += [ActivationValue(activation.name, k, argument, dims) for k in range(4)]
            case Normalize(axis=slot, centred=centred, epsilon=epsilon):
                kept = tuple(n for k, n in enumerate(dims) if k != slot)
                found.append(Normalised(argument, slot, centred, Fraction(epsilon), dims))
                found.append(InverseScale(argument, slot, centred, Fraction(epsilon), kept))
            case _:
                pass
    return found


def _terms(claim: str) -> Iterator[tuple[int, str]]:
    """The terms with their signs; a sign in front of the first one is allowed."""
    text = claim.strip().removeprefix("+ ")
    sign, text = (-1, text[2:]) if text.startswith("- ") else (1, text)
    for part in _split(text, " + "):
        for number, piece in enumerate(_split(part, " - ")):
            yield (-1 if number else sign), piece.strip()
        sign = 1


def _split(text: str, separator: str) -> list[str]:
    """The parts between separators that stand outside brackets."""
    parts, start, depth = list[str](), 0, 0
    for position, letter in enumerate(text):
        depth += (letter in "([") - (letter in ")]")
        if depth == 0 and text.startswith(separator, position):
            parts.append(text[start:position])
            start = position + len(separator)
    return [*parts, text[start:]]


def _term(
    sign: int, text: str, tensors: Mapping[str, Tensor], free: Mapping[str, int]
) -> tuple[Fraction, Scalars, tuple[Factor, ...]]:
    coefficient, powers, factors = Fraction(sign), dict[str, int](), list[Factor]()
    numbers: dict[str, int] = {}
    for piece in _split(text, " * "):
        match = _FACTOR.fullmatch(piece.strip())
        if match is None or piece.count("[") != piece.count("]"):
            raise ValueError(
                f"claim: {piece!r} in {text!r} is no factor; expected a number, symbol^power or tensor[i,j]"
            )
        name, indices, power = match["name"], match["indices"], int(match["power"] or 1)
        if indices is not None:
            if power < 1:
                raise ValueError(f"claim: {piece!r} in {text!r} has power {power}; expected a positive one on a tensor")
            letters = [letter.strip() for letter in indices.split(",") if letter.strip()]
            slots = tuple(free[x] if x in free else numbers.setdefault(x, len(numbers)) for x in letters)
            factors += [(_known(name, slots, tensors), slots)] * power
        elif re.fullmatch(r"-?\d+(/\d+)?", name):
            coefficient *= Fraction(name) ** power
        elif _SYMBOL.fullmatch(name) or name in CONSTANTS:
            powers[name] = powers.get(name, 0) + power
        else:
            raise ValueError(f"claim: {name!r} in {text!r} is no symbol; expected a dimension or a derivative at 0")
    return coefficient, tuple(sorted((name, power) for name, power in powers.items() if power)), tuple(factors)


def _known(name: str, slots: tuple[int, ...], tensors: Mapping[str, Tensor]) -> Tensor:
    if name not in tensors:
        raise ValueError(f"claim: the tensor {name!r} is unknown; expected one of {', '.join(sorted(tensors))}")
    if len(tensors[name].dims) != len(slots):
        raise ValueError(f"claim: {name} has {len(slots)} indices; expected {len(tensors[name].dims)}")
    return tensors[name]
