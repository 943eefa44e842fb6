"""The reading that makes an expression anew, with other leaves, or expressions in their place, or other activations."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, assert_never

from resproof.architectures.nodes import (
    Activation,
    Add,
    Apply,
    Constant,
    Einsum,
    Expression,
    Input,
    Multiply,
    Normalize,
    Softmax,
    Weight,
    read,
)

Leaf: TypeAlias = Input | Weight | Constant


def rebuilt(
    root: Expression,
    leaf: Callable[[Leaf], Expression] = lambda leaf: leaf,
    activation: Callable[[Activation], Activation] = lambda activation: activation,
) -> Expression:
    """`root` with its leaves and activations replaced, a mask by a constant alone; what is shared stays shared."""

    def case(node: Expression, recurse: Callable[[Expression], Expression]) -> Expression:
        match node:
            case Input() | Weight() | Constant():
                return leaf(node)
            case Einsum():
                return Einsum(node.pattern, tuple(map(recurse, node.operands)), node.word)
            case Add() | Multiply():
                return type(node)(recurse(node.left), recurse(node.right))
            case Apply():
                return Apply(activation(node.activation), recurse(node.operand))
            case Softmax():
                mask = None if node.mask is None else recurse(node.mask)
                assert mask is None or isinstance(mask, Constant)
                return Softmax(recurse(node.operand), node.axis, mask)
            case Normalize():
                return Normalize(recurse(node.operand), node.axis, node.centred, node.epsilon)
            case _:
                assert_never(node)

    return read(root, case)
