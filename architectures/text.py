"""Two readings of an expression for people: plain text, as the user would type it, and LaTeX."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import count
from typing import assert_never

from architectures.expressions import (
    Add,
    Apply,
    Constant,
    Expression,
    Input,
    MatMul,
    Multiply,
    Normalize,
    Softmax,
    Transpose,
    Weight,
    nodes,
    read,
)

# How tightly each kind binds: an operand that binds less tightly is put in parentheses.
_SUM, _PRODUCT, _ATOM = 1, 2, 3


def weight_names(root: Expression, given: Mapping[Weight, str] | None = None) -> dict[Weight, str]:
    """The name of every weight in parameter order: its own, else the one given, else W1, W2, ..."""
    weights = [node for node in nodes(root) if isinstance(node, Weight)]
    names: dict[Weight, str] = {}
    for weight in weights:
        name = weight.name or (given or {}).get(weight)
        if name is not None:
            names[weight] = name if name not in names.values() else _fresh(name, names)
    unnamed = [weight for weight in weights if weight not in names]
    taken = set(names.values())
    numbered = (name for number in count(1) if (name := f"W{number}") not in taken)
    names.update(zip(unnamed, numbered, strict=False))
    return {weight: names[weight] for weight in weights}


def text(root: Expression, names: Mapping[Weight, str] | None = None) -> str:
    """`root` as it is written in Python, the input as h."""
    names = weight_names(root, names)

    def case(node: Expression, recurse: Callable[[Expression], tuple[str, int]]) -> tuple[str, int]:
        def wrap(operand: Expression, binding: int) -> str:
            shown, own = recurse(operand)
            return shown if own >= binding else f"({shown})"

        match node:
            case Input():
                return "h", _ATOM
            case Weight():
                return names[node], _ATOM
            case Constant():
                return _constant(node), _ATOM
            case MatMul():
                return f"{wrap(node.left, _PRODUCT)} @ {wrap(node.right, _ATOM)}", _PRODUCT
            case Add(left=left, right=Multiply(left=Constant(value=-1), right=right)):
                return f"{wrap(left, _SUM)} - {wrap(right, _PRODUCT)}", _SUM
            case Add():
                return f"{wrap(node.left, _SUM)} + {wrap(node.right, _PRODUCT)}", _SUM
            case Multiply(left=Constant(value=-1), right=right):
                return f"-{wrap(right, _ATOM)}", _PRODUCT
            case Multiply():
                return f"{wrap(node.left, _PRODUCT)} * {wrap(node.right, _ATOM)}", _PRODUCT
            case Apply():
                return f"{node.activation.name}({recurse(node.operand)[0]})", _ATOM
            case Softmax():
                mask = "" if node.mask is None else f", mask={_constant(node.mask)}"
                return f"softmax({recurse(node.operand)[0]}, axis={node.axis}{mask})", _ATOM
            case Normalize():
                name = "layer_norm" if node.centred else "rms_norm"
                return f"{name}({recurse(node.operand)[0]})", _ATOM
            case Transpose():
                return f"{wrap(node.operand, _ATOM)}.T", _ATOM
            case _:
                assert_never(node)

    return read(root, case)[0]


def latex(root: Expression, names: Mapping[Weight, str] | None = None) -> str:
    """`root` in the papers' notation."""
    names = weight_names(root, names)

    def case(node: Expression, recurse: Callable[[Expression], tuple[str, int]]) -> tuple[str, int]:
        def wrap(operand: Expression, binding: int) -> str:
            shown, own = recurse(operand)
            return shown if own >= binding else rf"\left({shown}\right)"

        match node:
            case Input():
                return "h", _ATOM
            case Weight():
                return latex_name(names[node]), _ATOM
            case Constant(value=str() as pattern):
                return {"identity": "I", "causal": r"C_{\le}"}.get(pattern, rf"S_{{{pattern.split()[-1]}}}"), _ATOM
            case Constant(value=Fraction(numerator=n, denominator=k)) if k != 1:
                return rf"\tfrac{{{n}}}{{{k}}}", _ATOM
            case Constant():
                return str(node.value), _ATOM
            case MatMul():
                return rf"{wrap(node.left, _PRODUCT)}\, {wrap(node.right, _PRODUCT)}", _PRODUCT
            case Add(left=left, right=Multiply(left=Constant(value=-1), right=right)):
                return f"{wrap(left, _SUM)} - {wrap(right, _PRODUCT)}", _SUM
            case Add():
                return f"{wrap(node.left, _SUM)} + {wrap(node.right, _SUM)}", _SUM
            case Multiply(left=Constant(value=-1), right=right):
                return f"-{wrap(right, _PRODUCT)}", _SUM
            case Multiply():
                return rf"{wrap(node.left, _ATOM)} \odot {wrap(node.right, _ATOM)}", _PRODUCT
            case Apply():
                return rf"\operatorname{{{node.activation.name}}}\left({recurse(node.operand)[0]}\right)", _ATOM
            case Softmax():
                return rf"\operatorname{{softmax}}\left({recurse(node.operand)[0]}\right)", _ATOM
            case Normalize():
                name = "LN" if node.centred else "RMS"
                return rf"\operatorname{{{name}}}\left({recurse(node.operand)[0]}\right)", _ATOM
            case Transpose():
                return rf"{wrap(node.operand, _ATOM)}^{{\mathsf T}}", _ATOM
            case _:
                assert_never(node)

    return read(root, case)[0]


def latex_name(name: str) -> str:
    r"""W1 as W_{1}; a single letter stays, a word is set upright."""
    if len(name) == 1:
        return name
    return rf"{name[0]}_{{{name[1:]}}}" if name[1:].isdigit() else rf"\mathrm{{{name.replace('_', ' ')}}}"


def _constant(node: Constant) -> str:
    match node.value:
        case str() as pattern if pattern.startswith("shift"):
            return f"shift({pattern.split()[1]})"
        case str() as pattern:
            return {"identity": "identity", "causal": "causal_mask"}.get(pattern, pattern)
        case Fraction(numerator=n, denominator=k) if k != 1:
            return f"Fraction({n}, {k})"
        case value:
            return str(value)


def _fresh(name: str, taken: Mapping[Weight, str]) -> str:
    used = set(taken.values())
    return next(fresh for number in count(2) if (fresh := f"{name}_{number}") not in used)
