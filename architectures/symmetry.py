"""Weights that may be exchanged: those of equal summands, such as the heads of an attention, in each other's place.

A node is a summand's own where nothing but that summand uses it. Summands whose own nodes are the same one by one, up
to which weights they are, and which use the same other nodes, change places with their weights: the sum stays the same.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import TypeAlias

from resproof.architectures.nodes import Add, Expression, Input, Node, Weight, nodes, operands
from resproof.architectures.values import Values

Users: TypeAlias = Mapping[Expression, Sequence[Expression]]


def alike(root: Expression) -> dict[Weight, Weight]:
    """For each weight one that it may be exchanged with, the same for all that may be: any of them stands for all."""
    users: dict[Expression, list[Expression]] = {node: [] for node in nodes(root)}
    for node in nodes(root):
        for operand in operands(node):
            users[operand].append(node)
    first = {node: node for node in nodes(root) if isinstance(node, Weight)}
    for node in nodes(root):
        if isinstance(node, Add) and not _continues(node, users):
            known: dict[Hashable, list[Weight]] = {}
            for summand in _summands(node, users):
                form, weights = _form(summand, users)
                for weight, other in zip(weights, known.setdefault(form, weights), strict=True):
                    first[_found(weight, first)] = _found(other, first)
    return {weight: _found(weight, first) for weight in first}


def _found(weight: Weight, first: Mapping[Weight, Weight]) -> Weight:
    while first[weight] is not weight:
        weight = first[weight]
    return weight


def _continues(node: Expression, users: Users) -> bool:
    """Whether a sum is but a part of a longer one."""
    return isinstance(node, Add) and len(users[node]) == 1 and isinstance(users[node][0], Add)


def _summands(total: Add, users: Users) -> Iterator[Expression]:
    """The summands that are used nowhere else, from left to right."""
    pending: list[Expression] = [total.right, total.left]
    while pending:
        node = pending.pop()
        if isinstance(node, Add) and _continues(node, users):
            pending += (node.right, node.left)
        elif len(users[node]) == 1:
            yield node


def _form(summand: Expression, users: Users) -> tuple[Hashable, list[Weight]]:
    """The summand with its weights left open, and these in order."""
    own = {summand}
    for node in reversed(nodes(summand)):
        if node is not summand and own.issuperset(users[node]):
            own.add(node)
    numbers = {node: k for k, node in enumerate(node for node in nodes(summand) if node in own)}
    form = tuple(
        (type(node), _parameters(node), *(numbers.get(one, one) for one in operands(node))) for node in numbers
    )
    return form, [node for node in numbers if isinstance(node, Weight)]


def _parameters(node: Expression) -> tuple[Hashable, ...]:
    """What a node is besides its operands, of a weight without its name."""
    match node:
        case Input():
            return (node,)
        case Weight():
            start = id(node.initial) if isinstance(node.initial, Values) else node.initial
            return node.shape, start, node.trainable
        case _:
            own = (getattr(node, one.name) for one in fields(node) if one.init and one.name != "operands")
            return tuple(value for value in own if not isinstance(value, Node))
