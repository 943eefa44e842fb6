"""Random residual units over the whole language, each from a seed, with sizes and data; and their Python source.

Half of the units are the identity where training starts: h plus branches of products of which at least one factor
vanishes there. `Maker.vanishing` makes an expression of a given order of smallness, `Maker.expression` any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np

from architectures.activations import ACTIVATIONS, Activation, polynomial
from architectures.errors import ArchitectureError
from architectures.expressions import (
    Add,
    Apply,
    Constant,
    Dimension,
    Einsum,
    Expression,
    Identity,
    Initial,
    Input,
    Multiply,
    Normal,
    Normalize,
    Ones,
    Scalar,
    Shape,
    Softmax,
    Weight,
    Zero,
    identity_initial,
    nodes,
    normal,
    ones,
    zero,
)
from architectures.losses import LOSSES, Loss
from architectures.networks import ResidualUnit
from architectures.values import Values

COLLISIONS = ("x", "y", "X", "Y", "g", "Q", "H", "R", "m", "d", "t", "l", "u", "k", "delta", "W1", "W2", "W1_2")
"""Names of weights that are also names of something else."""
NUMBERS: tuple[Scalar, ...] = (1, 1, 2, -1, Fraction(1, 2), Fraction(-3, 2), Fraction(1, 3), 3)
MOST_PARAMETERS = 40
"""Of all units together, as a rule."""


# A case.


@dataclass(frozen=True)
class Case:
    """A network, its sizes and its data; arrays are drawn from `seed`.

    `targets`: "random", or "inputs" where Y = X. `power`: all data are multiplied by 2^power. `zeros`: some data are 0.
    `fine`: data in general position, without coincidences.
    """

    unit: ResidualUnit
    loss: Loss
    units: int
    sizes: Mapping[str, int]
    samples: int
    seed: int
    targets: str = "random"
    power: int = 0
    zeros: bool = False
    fine: bool = False
    identity: bool = field(default=False, compare=False)

    def size(self, dimension: Dimension) -> int:
        """The size of a dimension."""
        return self.sizes[dimension] if isinstance(dimension, str) else dimension

    @property
    def input(self) -> Input:
        """The unit's input."""
        return next(node for node in nodes(self.unit.expression) if isinstance(node, Input))

    @property
    def inner(self) -> dict[str, int]:
        """The sizes that the data do not give."""
        known = {n for node in nodes(self.unit.expression) for n in node.shape if isinstance(n, str)}
        return {n: self.sizes[n] for n in known - {self.input.rows, self.input.columns}}

    @property
    def columns(self) -> int:
        """Columns of one sample."""
        return self.size(self.input.columns) if self.unit.mixes_columns else 1

    @property
    def parameters(self) -> int:
        """Of one unit."""
        return sum(self.size(w.shape[0]) * self.size(w.shape[1]) for w in self.unit.weights)

    def generator(self, purpose: int) -> np.random.Generator:
        """Random numbers for one purpose."""
        return np.random.default_rng((abs(self.seed), purpose))

    def data(self) -> tuple[np.ndarray, np.ndarray]:
        """X and Y in the project's layout: multiples of 1/8 unless `fine`; distributions for the cross-entropy."""
        generator, d = self.generator(0), self.size(self.input.rows)
        shape = (self.samples, d, self.columns) if self.unit.mixes_columns else (d, self.samples)
        x, y = (self._numbers(generator, shape) for _ in "xy")
        if self.targets == "inputs":
            y = x.copy()
        elif self.loss.name == "cross-entropy":
            y = distributions(generator, shape, 2**10 if self.fine else 8)
        return x * 2.0**self.power, y if self.loss.name == "cross-entropy" else y * 2.0**self.power

    def _numbers(self, generator: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        if self.fine:
            return normal_numbers(generator, shape)
        found = generator.integers(-15, 15, shape)
        found = np.where(found >= 0, found + 1, found) / 8
        return np.where(generator.random(shape) < 0.3, 0.0, found) if self.zeros else found

    def arrays(self, purpose: int, *front: int, scale: float = 1.0) -> dict[str, np.ndarray]:
        """Random weights or directions by name, (..., R, rows, columns)."""
        generator = self.generator(purpose)
        found: dict[str, np.ndarray] = {}
        for weight, name in self.unit.names.items():
            shape = (*front, self.units, self.size(weight.shape[0]), self.size(weight.shape[1]))
            found[name] = normal_numbers(generator, shape, scale)
        return found


def normal_numbers(generator: np.random.Generator, shape: tuple[int, ...], scale: float = 1.0) -> np.ndarray:
    """About N(0, scale^2): odd multiples of 2^-24, so that none is 0 and nothing cancels by chance."""
    return (2 * np.floor(2.0**23 * scale * generator.standard_normal(shape)) + 1) / 2.0**24


def distributions(generator: np.random.Generator, shape: tuple[int, ...], parts: int = 8) -> np.ndarray:
    """Columns of eighths, or other parts, that sum to 1."""
    rows = shape[-2]
    flat = [
        np.bincount(generator.integers(0, rows, parts), minlength=rows) / parts
        for _ in range(int(np.prod(shape)) // rows)
    ]
    columns = np.stack(flat).reshape(*shape[:-2], shape[-1], rows)
    return np.swapaxes(columns, -1, -2).copy()


# Making expressions.


@dataclass
class Maker:
    """Draws expressions; `apart` keeps the columns of the input apart."""

    r: Random
    h: Input
    apart: bool
    dimensions: Sequence[Dimension]
    made: dict[Shape, list[Expression]] = field(default_factory=dict[Shape, list[Expression]])
    names: list[str] = field(default_factory=list[str])
    stream: Expression | None = None

    def chance(self, p: float) -> bool:
        """True with this probability."""
        return self.r.random() < p

    def dimension(self) -> Dimension:
        """Some dimension."""
        return self.r.choice(self.dimensions)

    def is_stream(self, shape: Shape) -> bool:
        """Whether an expression of this shape has to be made from the input, for the columns to stay apart."""
        return self.apart and shape[1] == self.h.columns

    # Leaves.

    def leaf(self, shape: Shape) -> Expression:
        """The input, a weight or a constant."""
        if shape == self.h.shape and (self.is_stream(shape) or self.chance(0.5)):
            return self.h if self.stream is None or self.chance(0.5) else self.stream
        if self.is_stream(shape):
            return self.leaf((shape[0], self.h.rows)) @ self.leaf(self.h.shape)
        return self.constant(shape) if self.chance(0.3) else self.weight(shape)

    def weight(self, shape: Shape, initial: Initial | None = None) -> Weight:
        """A weight, an old one or a new one."""
        old = [w for w in self.made.get(shape, ()) if isinstance(w, Weight) and initial in (None, w.initial)]
        if old and self.chance(0.15):
            return self.r.choice(old)
        if initial is None:
            choices: list[Initial] = [zero, zero, zero, self.normal(shape), self.normal(shape), ones]
            initial = self.r.choice([*choices, identity_initial] if shape[0] == shape[1] else choices)
        return self.keep(Weight(*shape, initial=initial, name=self.name()))

    def normal(self, shape: Shape) -> Normal:
        """A distribution of initial values."""
        named = [f"1/{n}" for n in shape if n != 1]
        return normal(self.r.choice([*named, 1, Fraction(1, 2), "1/4"]))

    def name(self) -> str | None:
        """A name for a weight, seldom one that another one has."""
        if self.chance(0.6):
            return None
        name = self.r.choice(COLLISIONS)
        if name in self.names and not self.chance(0.1):
            return None
        self.names.append(name)
        return name

    def constant(self, shape: Shape) -> Constant:
        """A number or a pattern."""
        square = shape[0] == shape[1] and shape[0] != 1
        if (square and self.chance(0.6)) or (1 not in shape and self.chance(0.1)):
            pattern = self.r.choice(["causal", f"shift {self.r.choice([-5, -2, -1, 0, 1, 1, 2, 7])}"])
            pattern = "identity" if square and self.chance(0.3) else pattern
            with suppress(ArchitectureError):
                return Constant(pattern, *shape)
        return Constant(self.r.choice(NUMBERS), *shape)

    def activation(self, *, through_zero: bool = False) -> Activation:
        """A known activation, or a polynomial; through the origin if asked for."""
        if self.chance(0.3):
            degree = self.r.randrange(5)
            coefficients = [self.r.choice([0, 1, -1, 2, Fraction(1, 2), Fraction(-1, 3)]) for _ in range(degree + 1)]
            coefficients[0] = 0 if through_zero else coefficients[0]
            return polynomial(*coefficients, name="f" if self.chance(0.2) else None)
        through = ("identity", "tanh", "tanh", "gelu", "silu", "relu")
        name = self.r.choice(through if through_zero else (*through, "sigmoid", "softplus"))
        return replace(ACTIVATIONS[name], name="tanh") if self.chance(0.02) else ACTIVATIONS[name]

    def keep(self, node: Any) -> Any:
        """The node, remembered for use in another place."""
        self.made.setdefault(node.shape, []).append(node)
        return node

    # Any expression.

    def expression(self, shape: Shape, budget: int) -> Expression:
        """Any expression of this shape."""
        if budget <= 0:
            return self.leaf(shape)
        if self.made.get(shape) and self.chance(0.12):
            return self.r.choice(self.made[shape])
        makers = [self.leaf, self.product, self.product, self.sum, self.times, self.softmax, self.normalise]
        makers += [self.apply, self.apply]
        if not self.is_stream(shape):
            makers.append(self.transpose)
        make: Callable[..., Expression] = self.r.choice(makers)
        return self.keep(make(shape) if make == self.leaf else make(shape, budget - 1))

    def product(self, shape: Shape, budget: int) -> Expression:
        """A matrix product."""
        inner = self.dimension()
        return self.expression((shape[0], inner), budget - 1) @ self.expression((inner, shape[1]), budget)

    def broadcast(self, shape: Shape) -> tuple[Shape, Shape]:
        """Two shapes that broadcast to this one."""
        if self.chance(0.5):
            return shape, shape
        small = [[n, n] if self.chance(0.5) else [n, 1] if self.chance(0.7) else [1, n] for n in shape]
        left, right = ((small[0][k], small[1][k]) for k in range(2))
        return (left, right) if self.chance(0.5) else (right, left)

    def sum(self, shape: Shape, budget: int) -> Expression:
        """A sum or a difference."""
        left, right = (self.expression(s, budget - k) for k, s in enumerate(self.broadcast(shape)))
        return Add(left, right) if self.chance(0.7) else left - right

    def times(self, shape: Shape, budget: int) -> Expression:
        """An elementwise product."""
        left, right = (self.expression(s, budget - k) for k, s in enumerate(self.broadcast(shape)))
        return Multiply(left, right)

    def apply(self, shape: Shape, budget: int) -> Expression:
        """An activation."""
        return Apply(self.activation(), self.expression(shape, budget))

    def softmax(self, shape: Shape, budget: int) -> Expression:
        """Softmax, down the columns where they are kept apart."""
        axis = 0 if self.is_stream(shape) or self.chance(0.5) else 1
        mask = self.mask(shape) if not self.is_stream(shape) and self.chance(0.5) else None
        return Softmax(self.expression(shape, budget), axis, mask)

    def mask(self, shape: Shape) -> Constant:
        """A mask; one that hides everything seldom."""
        steps = self.r.choice([-1, 0, 1])
        patterns: list[Scalar | str] = [
            "causal",
            "causal",
            "causal",
            "identity",
            f"shift {steps}",
            1,
            Fraction(1, 2),
            0,
        ]
        with suppress(ArchitectureError):
            return Constant(self.r.choice(patterns), *shape)
        return Constant(1, *shape)

    def normalise(self, shape: Shape, budget: int) -> Expression:
        """LayerNorm or RMSNorm."""
        axis = 0 if self.is_stream(shape) or self.chance(0.6) else 1
        epsilon = self.r.choice([0, Fraction(1, 2), Fraction(1, 10), 1])
        return Normalize(self.expression(shape, budget), axis, self.chance(0.6), epsilon)

    def transpose(self, shape: Shape, budget: int) -> Expression:
        """A transpose."""
        return self.expression((shape[1], shape[0]), budget).T

    # What vanishes at the initial point.

    def vanishing(self, shape: Shape, order: int, budget: int) -> Expression:
        """An expression that is of this order of smallness in the weights, or of a higher one."""
        if order == 0:
            return self.expression(shape, min(budget, 2))
        kind = self.r.random()
        if budget > 0 and kind < 0.1 and not self.is_stream(shape):
            return self.vanishing((shape[1], shape[0]), order, budget - 1).T
        if budget > 0 and kind < 0.36:
            return self.small_function(shape, order, budget - 1)
        if budget > 0 and kind < 0.46:
            other = self.vanishing(shape, order + self.r.randrange(2), budget - 1)
            return self.vanishing(shape, order, budget - 1) + other
        if order == 1 and kind < 0.7 and not self.is_stream(shape):
            return self.weight(shape, zero)
        first = self.r.randint(0, order)
        if kind < 0.85 or (order == 1 and budget <= 0):
            inner = self.h.rows if self.is_stream(shape) and self.chance(0.5) else self.dimension()
            first = 1 if budget <= 0 else first
            left = self.weight((shape[0], inner), zero) if budget <= 0 else None
            left = left or self.vanishing((shape[0], inner), first, budget - 1)
            return left @ self.vanishing((inner, shape[1]), order - first, budget - 1)
        left, right = self.broadcast(shape)
        return Multiply(self.vanishing(left, first, budget - 1), self.vanishing(right, order - first, budget - 1))

    def small_function(self, shape: Shape, order: int, budget: int) -> Expression:
        """A function that vanishes with its argument."""
        inside = self.vanishing(shape, order, budget)
        kind = self.r.random()
        if kind < 0.75:
            return Apply(self.activation(through_zero=True), inside)
        axis = 0 if self.is_stream(shape) or self.chance(0.6) else 1
        if kind < 0.85:
            return Normalize(inside, axis, self.chance(0.5), self.r.choice([Fraction(1, 2), 1]))
        if kind < 0.92 or not isinstance(shape[axis], int):
            return Softmax(inside, axis) - Softmax(0 * inside, axis)
        return Softmax(inside, axis) - Fraction(1, int(shape[axis]))


# Units and cases.


def _maker(r: Random) -> Maker:
    rows: Dimension = r.choice(["d"] * 7 + [2, 3, 1])
    columns: Dimension = r.choice(["t"] * 8 + ["n", "n", 2, 1])
    apart = columns not in {1, 2} and r.random() < 0.55
    inner: list[Dimension] = [rows, rows, "k", "k", 1, r.choice([2, 3, "q", "m"] if r.random() < 0.1 else [2, 3, "q"])]
    if columns == "n":
        inner.append("t")
    if not apart:
        inner += [columns, columns]
    return Maker(r, Input(rows, columns), apart, inner)


def _identity_unit(maker: Maker) -> Expression:
    r, h = maker.r, maker.h
    budget = r.choice([1, 2, 2, 3])
    order = r.choice([1, 1, 1, 2, 2, 2, 3, 3, 4])
    root: Expression = h
    if maker.chance(0.08):
        root = Weight(h.rows, initial=ones) * h if maker.chance(0.5) else Weight(1, 1, initial=ones) * h
    elif maker.chance(0.05):
        root = Weight(h.rows, h.rows, initial=identity_initial) @ h
    # A branch that is added to every row or column alike has that dimension 1.
    narrow = r.choice([(h.rows, 1), (1, 1)] if maker.apart else [(h.rows, 1), (1, h.columns), (1, 1)])
    branch = maker.vanishing(narrow if maker.chance(0.08) else h.shape, order, budget)
    found = root + branch if maker.chance(0.8) else branch + root if maker.chance(0.5) else root - branch
    if maker.chance(0.2):
        maker.stream = found
        found = found + maker.vanishing(h.shape, r.choice([1, 2, order]), budget - 1)
    return found


def _any_unit(maker: Maker) -> Expression:
    h = maker.h
    found = maker.expression(h.shape, maker.r.choice([1, 2, 3, 3, 4]))
    inside = h in nodes(found)
    return found if inside and maker.chance(0.4) else h + found


def draw(seed: int) -> Case:
    """The case of this seed."""
    r = Random(seed)
    while True:
        maker = _maker(r)
        identity = maker.chance(0.5)
        with suppress(ArchitectureError):
            expression = _identity_unit(maker) if identity else _any_unit(maker)
            if len(nodes(expression)) <= 40:
                unit = ResidualUnit(expression)
                if unit.names:
                    return _case(r, unit, seed, identity)


def _case(r: Random, unit: ResidualUnit, seed: int, identity: bool) -> Case:
    found = nodes(unit.expression)
    names = list(dict.fromkeys(n for node in found for n in node.shape if isinstance(n, str)))
    at_least = {n.operand.shape[n.axis] for n in found if isinstance(n, Normalize) and n.centred and not n.epsilon}
    loss = r.choice(list(LOSSES.values()))
    samples = r.choice([1, 2, 2, 3])
    targets = "inputs" if r.random() < 0.05 and loss.name == "squared" else "random"
    power = r.choice([-500, -30, -8, 8, 20, 30]) if r.random() < 0.06 else 0
    zeros = r.random() < 0.08
    largest = r.choice([2, 3, 3, 4])
    while True:
        sizes = {n: r.randint(2 if n in at_least and r.random() < 0.9 else 1, max(largest, 2)) for n in names}
        if "m" in sizes:
            sizes["m"] = samples
        case = Case(unit, loss, 1, sizes, samples, seed, targets, power, zeros, identity=identity)
        if case.parameters <= MOST_PARAMETERS or largest == 1:
            break
        largest -= 1
    most = max(MOST_PARAMETERS // case.parameters, 1)
    units = r.randint(7, 20) if r.random() < 0.12 else r.choice([1, 2, 2, 3])
    return replace(case, units=min(units, most))


# Source.


def source(case: Case) -> str:
    """The case as Python, to be pasted into a test."""
    lines = list(_lines(case.unit))
    root = lines.pop()
    arguments = [
        f"ResidualUnit({root})",
        "cross_entropy" if case.loss.name == "cross-entropy" else case.loss.name,
        f"units={case.units}",
        f"sizes={dict(case.sizes)}",
        f"samples={case.samples}",
        f"seed={case.seed}",
    ]
    defaults = {"targets": "random", "power": 0, "zeros": False, "fine": False}
    arguments += [f"{key}={getattr(case, key)!r}" for key, default in defaults.items() if getattr(case, key) != default]
    return "\n".join([*lines, f"case = Case({', '.join(arguments)})"])


def _lines(unit: ResidualUnit) -> Iterator[str]:
    """One assignment for each node that is used twice or is a weight; the last line is the root's expression."""
    order = nodes(unit.expression)
    # Weights as they were made: so they are numbered.
    made = sorted((node for node in order if isinstance(node, Weight)), key=lambda weight: weight.number)
    found = [*made, *(node for node in order if not isinstance(node, Weight))]
    used: dict[Expression, int] = {}
    for node in found:
        for operand in _operands(node):
            used[operand] = used.get(operand, 0) + 1
    shown: dict[Expression, str] = {}
    for number, node in enumerate(found):
        text = _call(node, shown)
        if isinstance(node, Input | Weight) or used.get(node, 0) > 1:
            name = "h" if isinstance(node, Input) else f"w{number}" if isinstance(node, Weight) else f"n{number}"
            yield f"{name} = {text}"
            shown[node] = name
        else:
            shown[node] = text
    yield shown[unit.expression]


def _operands(node: Expression) -> list[Expression]:
    if isinstance(node, Einsum):
        return list(node.operands)
    fields = ("left", "right", "operand", "mask")
    return [value for name in fields if (value := getattr(node, name, None)) is not None]


def _call(node: Expression, shown: Mapping[Expression, str]) -> str:
    match node:
        case Input():
            return f"Input({node.rows!r}, {node.columns!r})"
        case Weight():
            name = "" if node.name is None else f", name={node.name!r}"
            return f"Weight({node.rows!r}, {node.cols!r}, initial={_initial(node.initial)}{name})"
        case Constant():
            return f"Constant({node.value!r}, {node.rows!r}, {node.cols!r})"
        case Einsum():
            return f"Einsum({node.pattern!r}, ({', '.join(shown[operand] for operand in node.operands)},))"
        case Add() | Multiply():
            return f"{type(node).__name__}({shown[node.left]}, {shown[node.right]})"
        case Apply():
            return f"Apply({_activation(node.activation)}, {shown[node.operand]})"
        case Softmax():
            mask = "" if node.mask is None else f", {shown[node.mask]}"
            return f"Softmax({shown[node.operand]}, {node.axis}{mask})"
        case Normalize():
            return f"Normalize({shown[node.operand]}, {node.axis}, {node.centred}, {node.epsilon!r})"


def _initial(initial: Initial) -> str:
    match initial:
        case Zero():
            return "zero"
        case Ones():
            return "ones"
        case Identity():
            return "identity_initial"
        case Normal():
            return f"normal({initial.variance!r})"
        case Values():
            cols = initial.shape[1]
            rows = [list(initial.entries[k : k + cols]) for k in range(0, len(initial.entries), cols)]
            return repr(rows)


def _activation(activation: Activation) -> str:
    if activation.degree is not None and activation != ACTIVATIONS["identity"]:
        coefficients = ", ".join(repr(activation.taylor(k).rational) for k in range(activation.degree + 1))
        return f"polynomial({coefficients}, name={activation.name!r})"
    known = next(a for a in ACTIVATIONS.values() if a.derivatives is activation.derivatives)
    shown = "identity_activation" if known.name == "identity" else known.name
    return shown if known.name == activation.name else f"replace({shown}, name={activation.name!r})"
