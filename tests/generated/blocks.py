"""Random residual units (`proofs.routes.drawn_units`), each from a seed, with sizes and data; and their source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from random import Random

import numpy as np

from resproof.architectures.activations import ACTIVATIONS
from resproof.architectures.dimensions import Dimension
from resproof.architectures.losses import LOSSES, Loss
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
    nodes,
)
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import Identity, Initial, Normal, Ones, Values, Zero
from resproof.proofs.routes.drawn_units import drawn_unit

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


# Cases.


def draw(seed: int) -> Case:
    """The case of this seed."""
    r = Random(seed)
    return _case(r, *drawn_unit(r), seed)


def _case(r: Random, unit: ResidualUnit, identity: bool, seed: int) -> Case:
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
