"""What every reader of a program gives: the expression, and which part of which parameter each weight is.

A program that was read can be run as well (`RunningModule`), so that the reading can be compared with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from resproof.architectures.errors import ArchitectureError
from resproof.architectures.importers.dimensions import named
from resproof.architectures.importers.leaves import Key, Leaves, Parameter, Part, names_of, overlapping
from resproof.architectures.importers.primitives import Arrays, Operand, Value
from resproof.architectures.importers.rules import NoWordError, Rules
from resproof.architectures.nodes import Expression, Weight, nodes, operands
from resproof.architectures.stages import ResidualUnit

if TYPE_CHECKING:
    from collections.abc import Generator


class RunningModule(Protocol):
    """A module as it runs in its own library, in float64: arrays by the parameters' names, samples first."""

    def outputs(self, values: Mapping[str, Any], x: Any) -> Any:
        """f(X; w)."""
        ...

    def gradient(self, values: Mapping[str, Any], x: Any, y: Any) -> Mapping[str, Any]:
        """The gradient of |f(X; w) - Y|^2 / 2."""
        ...

    def product(self, values: Mapping[str, Any], change: Mapping[str, Any], x: Any, y: Any) -> Mapping[str, Any]:
        """The Hessian of |f(X; w) - Y|^2 / 2 times a direction."""
        ...


@dataclass(frozen=True, slots=True)
class Reading:
    """A unit read from a program: what its weights are parts of, and the sizes that the program has.

    `shape` is that of the input; `unread` are parameters that the output does not depend on.
    """

    unit: ResidualUnit
    parts: Mapping[str, Part]
    sizes: Mapping[str, int]
    parameters: tuple[Parameter, ...]
    shape: tuple[int, ...]
    program: RunningModule

    @property
    def unread(self) -> tuple[str, ...]:
        """The trained parameters of which no weight is a part."""
        used = {part.parameter for part in self.parts.values()}
        return tuple(p.name for p in self.parameters if p.trained and p.name not in used)


@dataclass(frozen=True, slots=True)
class Reader:
    """The arrays of a program that is being read, and where in the user's file each node was made."""

    file: str
    arrays: Arrays
    made_at: dict[Expression, str] = field(default_factory=dict)

    @contextmanager
    def at(self, where: str, operation: str) -> Generator[None]:
        """What goes wrong in here is named with its place.

        Raises:
            ArchitectureError: something did, at a place that is known.
            PlacedError: something did, here.
        """
        try:
            yield
        except NoWordError as error:
            raise ArchitectureError(f"{self.made_at.get(error.node, where)}: {error}") from None
        except PlacedError:
            raise
        except ArchitectureError as error:
            raise PlacedError(f"{where}: {operation}: {error}") from None

    def note(self, result: object, where: str) -> None:
        """Keep where nodes were first made."""
        pending = [result.expression] if isinstance(result, Value) else []
        while pending:
            node = pending.pop()
            if node not in self.made_at:
                self.made_at[node] = where
                pending += operands(node)


class PlacedError(ArchitectureError):
    """An error that says where."""


def place(frames: Sequence[tuple[str, int]], file: str) -> str:
    """FILE, line N of the innermost frame in the user's file, else of the innermost one, which come first."""
    own = [frame for frame in frames if frame[0] == file]
    if not own and not frames:
        return file
    name, line = (own or list(frames))[0]
    return f"{name}, line {line}"


Walk = Callable[[Reader, Value], Operand]
"""What runs a program on the arrays of a reader and its input, and gives what the program returns."""


def reading(
    file: str, walk: Walk, parameters: Sequence[Parameter], program: RunningModule, shape: Sequence[int]
) -> Reading:
    """The unit that a program's output is, with names for its dimensions.

    What is used as a whole and in parts is read once more, as a whole.

    Raises:
        ArchitectureError: the output is none of a residual unit.
    """
    together = frozenset[Key]()
    while True:
        leaves = Leaves(Rules(len(shape) > 3), together)
        reader = Reader(file, Arrays(leaves))
        start = reader.arrays.input(one_sample(file, shape))
        result = walk(reader, start)
        with reader.at(file, "the output"):
            root = reader.arrays.output(result, start)
        there = {node for node in nodes(root) if isinstance(node, Weight)}
        parts = {weight: part for weight, part in leaves.parts.items() if weight in there}
        twice = overlapping({weight: part for weight, part in parts.items() if weight.trainable}, leaves.sources)
        if not twice:
            break
        if twice <= together:
            name = min(twice)[0]
            raise ArchitectureError(f"{file}: {name} is used as a whole and in parts; expected one or the other")
        together |= twice
    root, renamed, sizes = named(root, names_of(parts), _alike(parts))
    unit = ResidualUnit(root)
    return Reading(
        unit,
        {unit.names[renamed[weight]]: part for weight, part in parts.items() if weight.trainable},
        {name: size for name, size in sizes.items() if name in unit.dimensions},
        tuple(parameters),
        tuple(shape),
        program,
    )


def _alike(parts: Mapping[Weight, Part]) -> list[list[tuple[Weight, int]]]:
    """The axes of weights that are one axis of one parameter."""
    groups: dict[tuple[str, tuple[int, ...], int], list[tuple[Weight, int]]] = {}
    for weight, part in parts.items():
        for place, axis in enumerate(part.axes):
            if axis is not None:
                groups.setdefault((part.parameter, part.grouped, axis), []).append((weight, place))
    return list(groups.values())


def one_sample(file: str, shape: Sequence[int]) -> tuple[int, ...]:
    """The shape with one sample where a sample has axes of its own; what is read of one holds of each.

    Raises:
        ArchitectureError: an input of other than two to four axes.
    """
    if len(shape) not in {2, 3, 4}:
        raise ArchitectureError(
            f"{file}: the example input has shape {tuple(shape)}; "
            "expected (samples, width), (tokens, width), (samples, tokens, width) or (samples, channels, y, x)"
        )
    return (1, *shape[1:]) if len(shape) > 2 else tuple(shape)
