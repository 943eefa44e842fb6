"""Index terms in the papers' notation: samples carry Greek letters, units a superscript, sums are implied."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import count
from typing import assert_never

from resproof.architectures.dimensions import SAMPLES
from resproof.architectures.forms.terms import (
    ActivationValue,
    DataTensor,
    Delta,
    Factor,
    IndexSum,
    InitialWeight,
    InverseRoot,
    InverseScale,
    LossDerivative,
    Normalised,
    Opaque,
    Pattern,
    Perturbation,
    Secant,
    SoftmaxValue,
    Tensor,
    Term,
)
from resproof.architectures.names import latex_words

_SAMPLE_LETTERS = (r"\mu", r"\nu", r"\rho")
_LETTERS = "ijklabcpqrsuvwxyz"


def latex_sum(index_sum: IndexSum) -> str:
    """A sum of index terms in LaTeX; repeated indices are summed."""
    shown = ""
    for term in index_sum.terms:
        body = latex_term(term)
        shown += body if not shown or body.startswith("-") else f" + {body}"
    return shown or "0"


def latex_term(term: Term) -> str:
    """One term in LaTeX."""
    letters = _letters(term)
    above = [_power(name, power) for name, power in term.scalars if power > 0]
    below = [_power(name, -power) for name, power in term.scalars if power < 0]
    coefficient = abs(term.coefficient)
    if coefficient.numerator != 1:
        above.insert(0, str(coefficient.numerator))
    if coefficient.denominator != 1:
        below.insert(0, str(coefficient.denominator))
    front = rf"\frac{{{' '.join(above) or '1'}}}{{{' '.join(below)}}}" if below else " ".join(above)
    parts = [front, *(_factor(factor, letters) for factor in term.factors)]
    sign = "-" if term.coefficient < 0 else ""
    return sign + (r"\,".join(part for part in parts if part) or "1")


def _letters(term: Term) -> dict[int, str]:
    """A letter for every index, by first appearance; free row and column come first."""
    found: dict[int, str] = {}
    samples, others = _numbered(_SAMPLE_LETTERS), _numbered(_LETTERS)
    dims = {i: t.dims[k] for t, slots in term.factors for k, i in enumerate(slots)}
    for i in sorted(dims, key=lambda i: (i >= 0, abs(i))):
        found[i] = next(samples) if dims[i] == SAMPLES else next(others)
    return found


def _numbered(letters: Sequence[str]) -> Iterator[str]:
    """The letters, and with primes again and again."""
    return (letter + "'" * primes for primes in count() for letter in letters)


def _factor(factor: Factor, letters: dict[int, str]) -> str:
    tensor, slots = factor
    name, fixed, unit = _name(tensor)
    below = [*([fixed] if fixed else []), " ".join(letters[i] for i in slots)]
    subscript = r",\,".join(part for part in below if part)
    return name + (f"^{{({unit})}}" if unit else "") + (f"_{{{subscript}}}" if subscript else "")


def _name(tensor: Tensor) -> tuple[str, str, int | None]:
    """The letter of a tensor, the fixed part of its subscript, its unit."""
    match tensor:
        case DataTensor(name=name) | Opaque(name=name):
            return _weight(name)[0], _weight(name)[1], None
        case Delta():
            return r"\delta", "", None
        case Perturbation(weight=weight, unit=unit):
            return *_weight(weight), unit
        case InitialWeight(weight=weight, unit=unit):
            letter, fixed = _weight(weight)
            return rf"\bar {letter}", fixed, unit
        case Pattern(pattern=pattern):
            word = pattern.split()[0]
            return {"causal": "C", "split": r"\Pi", "take": "P", "window": "K"}.get(word, "S"), "", None
        case LossDerivative(order=order):
            return {1: "g", 2: "Q"}.get(order, rf"\ell^{{({order})}}"), "", None
        case ActivationValue(activation=activation, order=order, argument=argument):
            return rf"\left[{latex_function(activation, order)}({_argument(argument)})\right]", "", None
        case Secant(activation=activation, argument=parts):
            u = _argument(next(part for part in parts if part.terms))
            return rf"\left[\tfrac{{{latex_function(activation, 0)}(u)}}{{u}},\, u = {u}\right]", "", None
        case SoftmaxValue(argument=argument):
            return rf"\left[\operatorname{{softmax}}({_argument(argument)})\right]", "", None
        case Normalised(argument=argument, centred=centred):
            return rf"\left[\mathrm{{{'LN' if centred else 'RMS'}}}({_argument(argument)})\right]", "", None
        case InverseScale(argument=argument):
            return rf"\left[\mathrm{{scale}}^{{-1}}({_argument(argument)})\right]", "", None
        case InverseRoot(argument=argument):
            return rf"\left({latex_sum(argument)}\right)^{{-1/2}}", "", None
        case _:
            assert_never(tensor)


def latex_function(name: str, order: int) -> str:
    """A derivative of an activation: sigma_mid'."""
    mark = "'" * order if order <= 2 else f"^{{({order})}}"
    return (rf"\sigma_{{{latex_words(name)}}}" if name in ("pre", "mid", "post") else latex_words(name)) + mark


def _argument(argument: IndexSum) -> str:
    match argument.terms:
        case (
            Term(coefficient=Fraction(numerator=1, denominator=1), scalars=(), factors=((DataTensor(name=name), _),)),
        ):
            return name
        case _:
            return latex_sum(argument)


def _weight(name: str) -> tuple[str, str]:
    if len(name) == 1 and name.isalpha():
        return name, ""
    return (name[0], name[1:]) if name[1:].isdecimal() else (latex_words(name), "")


_AT_ZERO = re.compile(r"(.*?)('*|\^\((\d+)\))\(0\)", re.DOTALL)
"""A derivative of a generic activation at zero: f(0), f'(0), f^(3)(0)."""


def _power(symbol: str, power: int) -> str:
    at_zero = _AT_ZERO.fullmatch(symbol)
    if symbol == "log(2)":
        shown = r"\log 2"
    elif symbol == "phi(0)":
        shown = r"\varphi(0)"
    elif at_zero:
        name, marks, order = at_zero.groups()
        shown = f"{latex_function(name, int(order or len(marks)))}(0)"
    else:
        shown = symbol
    if power == 1:
        return shown
    return f"{shown}^{{{power}}}" if len(shown) == 1 else rf"\left({shown}\right)^{{{power}}}"
