"""A block that exists as a module, as a unit: read into an expression, and the two compared before anything is said.

At random weights and data, output f(X; w), gradient and Hessian-vector product of |f(X; w) - Y|^2 / 2 are computed by the
module's own library and by the array side from the expression. They have to agree entry by entry within rounding: the
bound of the array side is that of a running error analysis; the library computes the same function and is granted as much.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from resproof.architectures.errors import ArchitectureError, OneLine
from resproof.architectures.files import Given, Opened, is_expression, of_opened, of_unit, opened
from resproof.architectures.importers.modules import Asked, Library, Module, library_of, read_module
from resproof.architectures.importers.reading import Reading
from resproof.architectures.names import printable
from resproof.architectures.networks import Network
from resproof.architectures.text import short_text
from resproof.architectures.variations import with_sized_constants
from resproof.numeric.backend import largest_modulus
from resproof.numeric.network.parameters import as_matrix
from resproof.numeric.network.running_error import bounded_derivatives
from resproof.proofs.statement import Measurement

LIBRARY = 2.0
"""The library's rounding errors beside those that are bounded, and its sums in another order: as much again, twice."""
SHARP = 1e-6
"""The largest bound, relative to the largest number compared, at which agreement says something."""
SPREADS = (0.5, 0.25, 0.125)
"""Standard deviations of the random weights: the first one at which agreement says something."""


class UnconfirmedReadingError(OneLine, ArithmeticError):
    """A module and the expression read from it disagree, or their agreement would say nothing."""


@dataclass(frozen=True, slots=True)
class Imported:
    """A module that was read: how, and how closely the expression agrees with it."""

    library: Library
    reading: Reading
    agreement: tuple[Measurement, ...]


def from_target(
    target: str,
    settings: Sequence[str] = (),
    *,
    every: bool = False,
    networks: bool = False,
    asked: Asked | None = None,
) -> tuple[Given, Imported | None]:
    """The unit FILE.py:NAME, an expression or a module; the module's own sizes beside those of the settings.

    Raises:
        ArchitectureError: what a file is refused for, or a module that cannot be read.
        UnconfirmedReadingError: the expression read from it is not confirmed.
    """
    file = opened(target)
    library = None if is_expression(file.value) else library_of(file.value)
    if library is None:
        given = of_opened(file, settings, every=every, networks=networks)
        refuse_for_expression(printable(target), asked)
        return given, None
    found = imported(Module(str(file.path), file.name, file.value, file.variables), asked or Asked(), library)
    return of_unit(file, found.reading.unit, found.reading.sizes, settings, every=every), found


def refuse_for_expression(name: str, asked: Asked | None) -> None:
    """Nothing, where nothing is asked for that an expression has none of: an example input, a mode.

    Raises:
        ArchitectureError: one of them is.
    """
    if asked is not None and (asked.shape is not None or asked.evaluation):
        given = "--evaluation" if asked.shape is None else "--input (example_input)"
        raise ArchitectureError(f"{given}: {name} is an expression; expected a module, for this is about modules alone")


def of_value(value: Any, name: str, sizes: Mapping[str, int], asked: Asked) -> tuple[Given, Imported] | None:
    """A module that is at hand, as a unit; None where it is none.

    Raises:
        ArchitectureError: a module that cannot be read, or an unknown dimension.
        UnconfirmedReadingError: the expression read from it is not confirmed.
    """
    library = library_of(value)
    if library is None:
        return None
    found = imported(Module(name, name, value, {}), asked, library)
    file, settings = Opened(name, Path(name), name, {}), [f"{key}={size}" for key, size in sizes.items()]
    return of_unit(file, found.reading.unit, found.reading.sizes, settings, every=True), found


def imported(module: Module, asked: Asked, library: Library) -> Imported:
    """A module read and compared.

    Raises:
        ArchitectureError: it cannot be read.
        UnconfirmedReadingError: the expression read from it is not confirmed.
    """
    reading = read_module(module, asked)
    return Imported(library, reading, compared(reading, printable(module.name)))


def compared(reading: Reading, name: str, seed: int = 0) -> tuple[Measurement, ...]:
    """How far output, gradient and Hessian-vector product of module and expression are apart, with their bounds.

    Raises:
        UnconfirmedReadingError: farther than rounding, or rounding is as large as what is compared at every spread.
    """
    dull: list[Measurement] = []
    for spread in SPREADS:
        measured = _compared(reading, name, seed, spread)
        dull = [one for one in measured if one.bound > SHARP * max(one.scale or 0.0, 1.0)]
        if not dull:
            return measured
    raise UnconfirmedReadingError(
        f"{name}: rounding may change the {dull[0].quantity} by {dull[0].bound:.3g}: agreement says nothing"
    )


def _compared(reading: Reading, name: str, seed: int, spread: float) -> tuple[Measurement, ...]:
    """The same with weights of one spread.

    Raises:
        UnconfirmedReadingError: they are farther apart than rounding.
    """
    module, expression, bounds = _both_sides(reading, seed, spread)
    measured: list[Measurement] = []
    for quantity in _QUANTITIES:
        pairs = [(m - e, b) for m, e, b in zip(module[quantity], expression[quantity], bounds[quantity], strict=True)]
        apart = max(largest_modulus(gap) for gap, _ in pairs)
        bound = max(float(np.max(b)) for _, b in pairs)
        size = max(largest_modulus(a) for a in module[quantity])
        if any(not bool(np.all(np.abs(gap) <= b)) for gap, b in pairs):
            shown = short_text(reading.unit.expression, reading.unit.names)
            raise UnconfirmedReadingError(
                f"{name} and {shown}, read from it, differ at random weights: their {quantity} by {apart:.3g}; "
                f"expected at most {bound:.3g}"
            )
        about = f"input {'x'.join(map(str, reading.shape))}, weights of standard deviation {spread:g}"
        measured.append(Measurement(quantity, apart, bound, about, seed, _DERIVATION, scale=size))
    return tuple(measured)


_QUANTITIES = ("output", "gradient", "Hessian-vector product")
_DERIVATION = "running error analysis of the expression, and as much twice for the library"
_Sides = dict[str, list[Any]]


def _both_sides(reading: Reading, seed: int, spread: float) -> tuple[_Sides, _Sides, _Sides]:
    """What the module computes, what the expression does, and bounds: the output, then array after array by parameter."""
    generator = np.random.default_rng(seed)

    def normal(shape: Sequence[int]) -> Any:
        return generator.standard_normal(tuple(shape))

    # Two samples at least: a module that mixes them differs from what was read on one.
    shape = (max(reading.shape[0], 2), *reading.shape[1:]) if len(reading.shape) > 2 else reading.shape
    x, y = normal(shape), normal(shape)
    fixed = {p.name: np.asarray(p.value, dtype=float) for p in reading.parameters if not p.trained}
    trained = [p for p in reading.parameters if p.trained]
    values = {p.name: spread * normal(p.shape) for p in trained}
    change = {p.name: normal(p.shape) for p in trained}
    still = {name: 0.0 * array for name, array in fixed.items()}
    program = reading.program
    gradient, product = (
        {name: np.asarray(array) for name, array in found.items()}
        for found in (
            program.gradient({**values, **fixed}, x, y),
            program.product({**values, **fixed}, {**change, **still}, x, y),
        )
    )
    module = {
        "output": [_columns(reading, np.asarray(program.outputs({**values, **fixed}, x)))],
        "gradient": [gradient[p.name] for p in trained],
        "Hessian-vector product": [product[p.name] for p in trained],
    }
    weights = {name: _matrix(part.of(values[part.parameter])) - part.offset for name, part in reading.parts.items()}
    moved = {name: _matrix(part.of(change[part.parameter])) for name, part in reading.parts.items()}
    unit = with_sized_constants(reading.unit, reading.sizes)
    ours = bounded_derivatives(Network(unit, 1), weights, moved, _columns(reading, x), _columns(reading, y))
    samples = (
        len(x) if x.ndim > 2 and reading.unit.mixes_columns else 1 if reading.unit.mixes_columns else x[..., 0].size
    )
    expression: _Sides = {"output": [ours.output[0]]}
    bounds: _Sides = {"output": [(1.0 + LIBRARY) * ours.output[1]]}
    for quantity, found in (("gradient", ours.gradient), ("Hessian-vector product", ours.product)):
        whole = [_assembled(reading, p.name, p.shape, found) for p in trained]
        expression[quantity] = [samples * each[0] for each in whole]
        bounds[quantity] = [(1.0 + LIBRARY) * samples * each[1] for each in whole]
    return module, expression, bounds


def _columns(reading: Reading, x: Any) -> Any:
    """(samples, width) as d x m, (samples, tokens, width) as m x d x t, or as d x (m t) where tokens are not mixed.

    Images are taken as they are.
    """
    if x.ndim > 3:
        return x
    if not reading.unit.mixes_columns:
        return np.ascontiguousarray(x.reshape(-1, x.shape[-1]).T)
    return np.ascontiguousarray(np.swapaxes(x if x.ndim == 3 else x[None], 1, 2))


def _matrix(array: Any) -> Any:
    """A weight's array as that of one unit."""
    return array.reshape((1, *as_matrix(array.shape)))


def _assembled(reading: Reading, parameter: str, shape: Sequence[int], found: Mapping[str, Any]) -> tuple[Any, Any]:
    """A parameter's array and its error from those of the weights that are parts of it; zero where none is."""
    whole = np.zeros((2, *shape))
    for name, part in reading.parts.items():
        if part.parameter == parameter:
            for k in range(2):
                part.whole(whole[k, ...])[part.place] = part.back(found[name][k, 0])
    return whole[0], whole[1]
