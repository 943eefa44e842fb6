"""Two readings of an expression for people: plain text, as the user would type it, and LaTeX."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from itertools import count
from typing import assert_never

from resproof.architectures.dimensions import COLUMNS, Dimension, Shape
from resproof.architectures.errors import shortened
from resproof.architectures.names import latex_operator, latex_words, printable
from resproof.architectures.nodes import (
    Add,
    Apply,
    Constant,
    Einsum,
    Expression,
    Input,
    Multiply,
    Node,
    Normalize,
    Softmax,
    Weight,
    is_number,
    nodes,
    operands,
    read,
)
from resproof.architectures.values import Scalar

# How tightly each kind binds: an operand that binds less tightly is put in parentheses.
_NEGATIVE, _SUM, _PRODUCT, _ATOM = 0, 1, 2, 3


def weight_names(root: Expression, given: Mapping[Weight, str] | None = None) -> dict[Weight, str]:
    """The name of every weight in parameter order: its own, else the one given, else W1, W2, ... as they were made."""
    weights = [node for node in nodes(root) if isinstance(node, Weight)]
    names: dict[Weight, str] = {}
    for weight in weights:
        name = weight.name or (given or {}).get(weight)
        if name is not None:
            names[weight] = unused(name, names.values())
    unnamed = sorted((weight for weight in weights if weight not in names), key=lambda weight: weight.number)
    taken = set(names.values())
    numbered = (name for number in count(1) if (name := f"W{number}") not in taken)
    names.update(zip(unnamed, numbered, strict=False))
    return {weight: names[weight] for weight in weights}


LONGEST = 20_000
"""Nodes, shared parts repeated, of an expression that is written out."""


def tree_size(root: Expression) -> int:
    """The number of nodes of the expression written out, shared parts repeated."""

    def case(node: Expression, recurse: Callable[[Expression], int]) -> int:
        return 1 + sum(recurse(operand) for operand in operands(node))

    return read(root, case)


def _bracketed(shown: str, own: int, binding: int) -> str:
    return shown if own >= binding else f"({shown})"


def text(
    root: Expression, names: Mapping[Weight, str] | None = None, known: Mapping[Expression, str] | None = None
) -> str:
    """`root` as it is written in Python, the input as h; what would be too long to read is not written out.

    `known` gives names to parts, which stand for them.
    """
    if tree_size(root) > LONGEST:
        return "an enormous expression"
    names = weight_names(root, names)

    def case(node: Expression, recurse: Callable[[Expression], tuple[str, int]]) -> tuple[str, int]:
        def inside(operand: Expression) -> tuple[str, int]:
            return (known[operand], _ATOM) if known and operand in known else recurse(operand)

        def wrap(operand: Expression, binding: int) -> str:
            return _bracketed(*inside(operand), binding)

        def matrix(operand: Expression, binding: int) -> str:
            # A number has no @ and no .T of its own.
            if isinstance(operand, Constant) and not isinstance(operand.value, str):
                return _filled(operand.value, operand.shape)
            return wrap(operand, binding)

        match node:
            case Input():
                return "h", _ATOM
            case Weight():
                return names[node], _ATOM
            case Constant():
                return _constant(node), _ATOM
            case Einsum(form="product", operands=(left, right)):
                return f"{matrix(left, _PRODUCT)} @ {matrix(right, _ATOM)}", _PRODUCT
            case Einsum(form="transpose", operands=(operand,)):
                return f"{matrix(operand, _ATOM)}.T", _ATOM
            case Einsum():
                return _contracted(node, matrix), _ATOM
            case Add(left=left, right=Multiply(left=Constant(value=-1) as minus, right=right)) if is_number(minus):
                return f"{wrap(left, _SUM)} - {wrap(right, _PRODUCT)}", _SUM
            case Add():
                return f"{wrap(node.left, _SUM)} + {wrap(node.right, _PRODUCT)}", _SUM
            case Multiply(left=Constant(value=-1) as minus, right=right) if is_number(minus):
                return f"-{matrix(right, _ATOM)}", _PRODUCT
            case Multiply():
                return f"{wrap(node.left, _PRODUCT)} * {wrap(node.right, _ATOM)}", _PRODUCT
            case Apply():
                return f"{printable(node.activation.name)}({inside(node.operand)[0]})", _ATOM
            case Softmax():
                mask = "" if node.mask is None else f", mask={_constant(node.mask)}"
                return f"softmax({matrix(node.operand, _SUM)}, axis={node.axis}{mask})", _ATOM
            case Normalize():
                name = "layer_norm" if node.centred else "rms_norm"
                axis = f", axis={node.axis}" if node.axis else ""
                epsilon = f", epsilon={_number(node.epsilon)}" if node.epsilon else ""
                return f"{name}({matrix(node.operand, _SUM)}{axis}{epsilon})", _ATOM
            case _:
                assert_never(node)

    return read(root, case)[0]


def _contracted(node: Einsum, shown: Callable[[Expression, int], str]) -> str:
    """The word that made it, else the contraction."""
    match node:
        case Einsum(word="cut", operands=(Constant(value=str() as pattern, shape=(_, size)), operand)):
            start, axis = int(pattern.split()[1]), node.inputs[1].index(node.inputs[0][0])
            return f"{shown(operand, _ATOM)}[{':, ' * axis}{start}:{start + int(size)}]"
        case Einsum(word="conv2d", operands=(kernel, Einsum(operands=(rows, Einsum(operands=(_, image)))))):
            return f"conv2d({shown(image, _SUM)}, {shown(kernel, _SUM)}{_border(rows)})"
        case _:
            listed = ", ".join(shown(operand, _SUM) for operand in node.operands)
            return f'einsum("{node.pattern}", {listed})'


def _border(window: Expression) -> str:
    """The stride and the padding of a convolution, where they are not those that keep the size."""
    assert isinstance(window, Constant)
    stride, padding = map(int, str(window.value).split()[1:])
    same = stride == 1 and 2 * padding + 1 == window.shape[2]
    return "" if same else f", stride={stride}, padding={padding}"


def inside(node: Expression) -> tuple[Expression, ...]:
    """The nodes that the word which made a node hides."""
    match node:
        case Einsum(word="conv2d", operands=(_, Einsum(operands=(_, columns)) as rows)):
            return rows, columns
        case _:
            return ()


def short_text(root: Expression, names: Mapping[Weight, str] | None = None, limit: int = 60) -> str:
    """`text` for a message."""
    return shortened(text(root, names), limit)


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
                return _latex_pattern(pattern), _ATOM
            case Constant(value=Fraction(numerator=n, denominator=k)) if k != 1:
                return rf"{'-' if n < 0 else ''}\tfrac{{{abs(n)}}}{{{k}}}", _ATOM if n >= 0 else _NEGATIVE
            case Constant():
                return str(node.value), _ATOM if str(node.value)[0] != "-" else _NEGATIVE
            case Einsum(form="product", operands=(left, right)):
                return rf"{wrap(left, _PRODUCT)}\, {wrap(right, _PRODUCT)}", _PRODUCT
            case Einsum(form="transpose", operands=(operand,)):
                return rf"{wrap(operand, _ATOM)}^{{\mathsf T}}", _ATOM
            case Einsum():
                return _latex_einsum(node, [wrap(operand, _ATOM) for operand in node.operands]), _ATOM
            case Add(left=left, right=Multiply(left=Constant(value=-1) as minus, right=right)) if is_number(minus):
                return f"{wrap(left, _SUM)} - {wrap(right, _PRODUCT)}", _SUM
            case Add():
                return f"{wrap(node.left, _SUM)} + {wrap(node.right, _SUM)}", _SUM
            case Multiply(left=Constant(value=-1) as minus, right=right) if is_number(minus):
                return f"-{wrap(right, _PRODUCT)}", _SUM
            case Multiply():
                return rf"{wrap(node.left, _ATOM)} \odot {wrap(node.right, _ATOM)}", _PRODUCT
            case Apply():
                return rf"{latex_operator(node.activation.name)}\left({recurse(node.operand)[0]}\right)", _ATOM
            case Softmax():
                return rf"\operatorname{{softmax}}\left({recurse(node.operand)[0]}\right)", _ATOM
            case Normalize():
                name = "LN" if node.centred else "RMS"
                return rf"\operatorname{{{name}}}\left({recurse(node.operand)[0]}\right)", _ATOM
            case _:
                assert_never(node)

    return read(root, case)[0]


def _latex_pattern(pattern: str) -> str:
    word, *numbers = pattern.split()
    letter = {"identity": "I", "causal": r"C_{\le}", "mean": r"\mu", "split": r"\Pi", "take": "P", "window": "K"}
    indices = rf"_{{{','.join(numbers)}}}" if numbers else ""
    return letter.get(word, "S") + indices


def _latex_einsum(node: Einsum, shown: Sequence[str]) -> str:
    r"""(\sum_a W_{i a} h_{a t})_{i t}."""
    factors = [rf"\left[{text}\right]_{{{_indices(names)}}}" for text, names in zip(shown, node.inputs, strict=True)]
    summed = tuple(dict.fromkeys(name for names in node.inputs for name in names if name not in node.output))
    front = rf"\sum_{{{_indices(summed)}}} " if summed else ""
    return rf"\left({front}{' '.join(factors)}\right)_{{{_indices(node.output)}}}"


def _indices(names: Sequence[str]) -> str:
    return r"\, ".join(latex_name(name) for name in names)


def latex_name(name: str) -> str:
    r"""W1 as W_{1}; a single letter stays, a word is set upright."""
    if len(name) == 1 and name.isalpha():
        return name
    return f"{name[0]}_{{{name[1:]}}}" if name[1:].isdecimal() else latex_words(name)


def _constant(node: Constant) -> str:
    match node.value:
        case "identity":
            return f"identity({_dimension(node.shape[0])})"
        case "causal":
            return f"causal_mask({'' if node.shape[0] == COLUMNS else _dimension(node.shape[0])})"
        case str() as pattern if not pattern.startswith("shift "):
            return f'Constant("{pattern}", {_shape(node.shape)})'
        case str() as pattern:
            size = "" if node.shape[0] == COLUMNS else f", {_dimension(node.shape[0])}"
            return f"shift({pattern.split()[1]}{size})"
        case value:
            return _number(value) if is_number(node) else _filled(value, node.shape)


def _filled(value: Scalar, shape: Shape) -> str:
    sizes = "" if shape == (1, 1) else ", " + _shape(shape)
    return f"Constant({_number(value)}{sizes})"


def _shape(shape: Shape) -> str:
    """The shape as a leaf takes it: a tuple where it has less than two axes."""
    sizes = ", ".join(map(_dimension, shape))
    return sizes if len(shape) > 1 else f"({sizes},)" if shape else "()"


def _number(value: Scalar) -> str:
    whole = not isinstance(value, Fraction) or value.denominator == 1
    return str(value) if whole else f"Fraction({value.numerator}, {value.denominator})"


def _dimension(dimension: Dimension) -> str:
    return f'"{dimension}"' if isinstance(dimension, str) else str(dimension)


def unused(name: str, taken: Collection[str]) -> str:
    """The name itself or, where it is taken, the name with the first suffix _2, _3, ... that is free."""
    return name if name not in taken else next(n for k in count(2) if (n := f"{name}_{k}") not in taken)


Node.shown = short_text
Node._repr_latex_ = lambda node: f"${latex(node)}$"
