"""A smaller case that fails alike: fewer units, samples and nodes, smaller sizes, plainer weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from time import monotonic

from resproof.architectures.errors import ArchitectureError
from resproof.architectures.nodes import Constant, Expression, Input, Softmax, Weight, nodes
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import ones, zero
from tests.generated.blocks import Case
from tests.generated.compare import with_operands


def shrunk(case: Case, fails: Callable[[Case], bool], seconds: float = 60.0) -> Case:
    """The smallest case found in this time for which `fails` holds, as it does for `case`."""
    end = monotonic() + seconds
    while True:
        for smaller in simpler(case):
            if monotonic() > end:
                return case
            if fails(smaller):
                case = smaller
                break
        else:
            return case


def simpler(case: Case) -> Iterator[Case]:
    """Cases that are simpler in one respect."""
    for units in {1, 2, case.units - 1}:
        if 1 <= units < case.units:
            yield replace(case, units=units)
    if case.samples > 1 and "m" not in case.sizes:
        yield replace(case, samples=case.samples - 1)
    for name, value in (("power", 0), ("zeros", False), ("targets", "random")):
        if getattr(case, name) != value:
            yield replace(case, **{name: value})
    for unit in _units(case.unit):
        names = {n for node in nodes(unit.expression) for n in node.shape if isinstance(n, str)}
        yield replace(case, unit=unit, sizes={n: size for n, size in case.sizes.items() if n in names})
    for name, size in case.sizes.items():
        if size > 1 and name != "m":
            yield replace(case, sizes={**case.sizes, name: size - 1})


def _units(unit: ResidualUnit) -> Iterator[ResidualUnit]:
    root = unit.expression
    for node in reversed(nodes(root)):
        for other in _instead(node, root):
            with suppress(ArchitectureError):
                found = ResidualUnit(_with(root, node, other))
                if found.names:
                    yield found


def _instead(node: Expression, root: Expression) -> Iterator[Expression]:
    h = next(n for n in nodes(root) if isinstance(n, Input))
    inside = [n for n in nodes(node)[:-1] if n.shape == node.shape]
    yield from sorted(inside, key=lambda n: len(nodes(n)))
    if isinstance(node, Input):
        return
    if node.shape == h.shape and node is not root:
        yield h
    if isinstance(node, Softmax) and node.mask is not None:
        yield replace(node, mask=None)
    if isinstance(node, Weight):
        if node.name is not None:
            yield replace(node, name=None)
        for initial in (zero, ones):
            if node.initial not in {zero, initial}:
                yield replace(node, initial=initial)
    elif len(nodes(node)) > 1:
        yield Weight(*node.shape)
        yield Constant(1, *node.shape)
    elif isinstance(node, Constant) and node.value != 1:
        yield Constant(1, *node.shape)


def _with(root: Expression, node: Expression, other: Expression) -> Expression:
    """The expression with `other` in place of `node`."""
    done: dict[Expression, Expression] = {}
    for n in nodes(root):
        done[n] = other if n is node else with_operands(n, done)
    return done[root]
