"""A block that a user gives: FILE.py:NAME, an expression in a file, or a name of the catalogue; and settings for it.

A file is run as a module of its own, with its folder on the import path and what it prints sent to stderr. Its
variable names become the names of the weights. A setting gives an inner dimension, such as k=8, or a parameter of the
catalogue's builder, which is read as its annotation says. Every failure is one line, an ArchitectureError. A file is
read as an input file is (`architectures.reading`), and a process that it forks ends where the file does.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from inspect import signature
from pathlib import Path
from traceback import walk_tb
from types import ModuleType
from typing import Any

from resproof.architectures.activations import ACTIVATIONS, activation
from resproof.architectures.catalogue import CATALOGUE
from resproof.architectures.dimensions import names
from resproof.architectures.errors import ArchitectureError
from resproof.architectures.estimate import refuse_enormous
from resproof.architectures.names import a_kind, printable
from resproof.architectures.networks import Stack
from resproof.architectures.nodes import NODE_KINDS, Input, Weight
from resproof.architectures.properties import dimension_names, the_input
from resproof.architectures.reading import looked_for_in, open_regular
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import Normal


@dataclass(frozen=True, slots=True)
class Given:
    """A unit, what it is called, and the sizes given for its inner dimensions; and the network that it is from."""

    name: str
    unit: ResidualUnit
    sizes: Mapping[str, int]
    stack: Stack | None = None


@dataclass(frozen=True, slots=True)
class Opened:
    """What FILE.py:NAME is: the file, its variables after it has run, the name and its value."""

    target: str
    path: Path
    name: str
    variables: Mapping[str, Any]

    @property
    def value(self) -> Any:
        """What the name stands for."""
        return self.variables[self.name]


def opened(target: str) -> Opened:
    """FILE.py:NAME, the file run.

    Raises:
        ArchitectureError: no such file or name, or a file that fails.
    """
    path, name = _parts(target)
    found = variables_of(Path(path))
    if name not in found:
        leaf = Weight | Input
        known = [key for key, value in found.items() if is_expression(value) and not isinstance(value, leaf)]
        raise ArchitectureError(f"{path}: has no {name}; its expressions are {', '.join(known) or 'none'}")
    return Opened(target, Path(path), name, found)


def of_opened(file: Opened, settings: Sequence[str] = (), *, every: bool = False, networks: bool = False) -> Given:
    """The unit that a file's expression is; of a network, where those are asked for, the first of its units.

    `settings` are sizes of its inner dimensions, as in k=8, or of `every` dimension.

    Raises:
        ArchitectureError: a name that is no expression, or an unknown dimension.
    """
    value, where = file.value, f"{file.path}: {file.name}"
    if isinstance(value, Stack):
        if not networks:
            raise ArchitectureError(f"{where} is a network of several parts; expected one of its units")
        return _network(printable(file.target), value.named(_weight_names(file.variables)), settings)
    if not isinstance(value, (ResidualUnit, *NODE_KINDS)):
        raise ArchitectureError(f"{where} is {a_kind(value)}; expected an expression")
    try:
        unit = value if isinstance(value, ResidualUnit) else ResidualUnit(value, _weight_names(file.variables))
    except ArchitectureError as error:
        raise ArchitectureError(f"{where} is no residual unit: {error}") from None
    return of_unit(file, unit, {}, settings, every=every)


def of_unit(
    file: Opened, unit: ResidualUnit, sizes: Mapping[str, int], settings: Sequence[str], *, every: bool
) -> Given:
    """A unit of a file with the sizes that it has, and those that the settings give.

    Raises:
        ArchitectureError: an enormous expression, or an unknown dimension, in a variance or in the settings.
    """
    try:
        refuse_enormous(unit.expression, values=True)
    except ArchitectureError as error:
        raise ArchitectureError(f"{file.path}: {file.name}: {error}") from None
    dimensions = _dimensions(unit)
    for weight, name in unit.every_name.items():
        if not isinstance(weight.initial, Normal):
            continue
        _, divisor = weight.initial.quotient
        if isinstance(divisor, str) and divisor not in {*dimensions, "m"}:
            raise ArchitectureError(
                f"{file.path}: {file.name}: the variance of {name} is {weight.initial.variance}; expected a number, or "
                f"a dimension among {', '.join(dimensions)}"
            )
    known = dimensions if every else inner_dimensions(unit)
    own = {name: size for name, size in sizes.items() if name in known}
    return Given(printable(file.target), unit, {**own, **_sizes(file.target, known, settings)})


def _dimensions(unit: ResidualUnit) -> tuple[str, ...]:
    """The named dimensions; columns that are samples are none."""
    of_weights = {name for weight in unit.every_name for one in weight.shape for name in names(one)}
    samples = () if unit.mixes_columns else the_input(unit.expression).shape[1:]
    return tuple(n for n in dimension_names(unit.expression) if n not in samples or n in of_weights)


def is_expression(value: object) -> bool:
    """Whether a value is an expression, or a unit."""
    return isinstance(value, (ResidualUnit, Stack, *NODE_KINDS))


def _network(target: str, stack: Stack, settings: Sequence[str]) -> Given:
    """A network by its first unit.

    Raises:
        ArchitectureError: an unknown dimension, or an expression that is enormous.
    """
    for stage in set(stack.stages.values()):
        refuse_enormous(stage.expression)
    known = dict.fromkeys(name for stage in stack.stages.values() for name in stage.dimensions)
    return Given(target, stack.residual_units[0], _sizes(target, tuple(known), settings), stack)


def require_file(target: str) -> None:
    """Nothing, where FILE.py:NAME names a file that can be read; it is not run.

    Raises:
        ArchitectureError: it does not.
    """
    _ = _source(Path(_parts(target)[0]))


def _parts(target: str) -> tuple[str, str]:
    path, colon, name = target.rpartition(":")
    if not (colon and path and name.isidentifier()):
        raise ArchitectureError(f"{target}: expected FILE.py:NAME, a file and the name of an expression in it")
    return path, name


LARGEST = 2**20
"""Bytes of a file that is run."""
_STDOUT, _STDERR = 1, 2


def _weight_names(found: Mapping[str, Any]) -> dict[Weight, str]:
    names: dict[Weight, str] = {}
    for key, value in found.items():
        if isinstance(value, Weight):
            names.setdefault(value, key)
    return names


def variables_of(path: Path) -> dict[str, Any]:
    """The variables of a file after it has run.

    Raises:
        ArchitectureError: the file cannot be read, or fails, whatever it raises.
        KeyboardInterrupt: the user stopped it.
    """
    source = _source(path)
    module, process = ModuleType("__architecture__"), os.getpid()
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # where the classes of the file look for their annotations
    with _beside(path.resolve().parent), looked_for_in(path.resolve().parent), _printing_to_stderr():
        try:
            exec(compile(source, str(path), "exec"), module.__dict__)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            line = _line_in(path, error)
            said = " ".join(str(error).split()) or "no message"
            raise ArchitectureError(f"{path}{line}: fails with {type(error).__name__}: {said}") from None
        finally:
            if os.getpid() != process:
                os._exit(0)  # the copy of this program that the file has made
    return dict(module.__dict__)


def _source(path: Path) -> bytes:
    """The text of a Python file.

    Raises:
        ArchitectureError: it cannot be read, or is too large to be one.
    """
    try:
        with open_regular(path) as file:
            source = file.read(LARGEST + 1)
    except OSError as error:
        raise ArchitectureError(f"{path}: cannot be read ({(error.strerror or str(error)).lower()})") from None
    if len(source) > LARGEST:
        raise ArchitectureError(f"{path}: is larger than {LARGEST} bytes; expected a Python file with an expression")
    return source


@contextmanager
def _printing_to_stderr() -> Generator[None]:
    """What is printed goes to stderr, also by a process that is begun here."""
    with redirect_stdout(sys.stderr):
        try:
            stdout = os.dup(_STDOUT)
            _ = os.dup2(_STDERR, _STDOUT)
        except OSError:
            yield
            return
        try:
            yield
        finally:
            _ = os.dup2(stdout, _STDOUT)
            os.close(stdout)


def _line_in(path: Path, error: BaseException) -> str:
    """The last line of the file that led to the error; none where Python could not read it, which says so itself."""
    lines = [number for frame, number in walk_tb(error.__traceback__) if frame.f_code.co_filename == str(path)]
    return f", line {lines[-1]}" if lines else ""


@contextmanager
def _beside(folder: Path) -> Generator[None]:
    """The folder at the head of the import path, for modules beside the file."""
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def _sizes(target: str, known: Sequence[str], settings: Sequence[str]) -> dict[str, int]:
    given = _pairs(settings)
    require_dimensions(target, known, given, "--set ")
    return {key: _whole_number(key, value) for key, value in given.items()}


def require_dimensions(name: str, known: Sequence[str], given: Iterable[str], option: str = "sizes: ") -> None:
    """Pass when every size that is given is that of a known dimension.

    Raises:
        ArchitectureError: one is of none.
    """
    for key in given:
        if key not in known:
            shown = f"expected one of {', '.join(known)}" if known else "it has none that can be set"
            raise ArchitectureError(f"{option}{key}: is no dimension of {name}; {shown}")


def inner_dimensions(unit: ResidualUnit) -> tuple[str, ...]:
    """The named dimensions that the data do not give."""
    h = the_input(unit.expression)
    return tuple(name for name in dimension_names(unit.expression) if name not in h.shape)


def _pairs(settings: Sequence[str]) -> dict[str, str]:
    """Settings such as mid=tanh by their keys.

    Raises:
        ArchitectureError: a setting is no key=value, or a key is given twice.
    """
    found: dict[str, str] = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not (equals and key.strip() and value.strip()):
            raise ArchitectureError(f"--set {setting}: expected key=value")
        if key.strip() in found:
            raise ArchitectureError(f"--set {key.strip()}: is given twice; expected it once")
        found[key.strip()] = value.strip()
    return found


def _whole_number(key: str, value: str) -> int:
    """The positive whole number that a setting gives.

    Raises:
        ArchitectureError: it gives none.
    """
    if not (value.isascii() and value.isdecimal() and len(value) < 10 and int(value) >= 1):
        raise ArchitectureError(f"--set {key}={value}: expected a positive whole number")
    return int(value)


_STREAM = "width"
"""The width of the stream comes from the data."""


def settings_of(name: str) -> dict[str, str]:
    """The parameters of an entry's builder that --set takes, with their annotations."""
    found = signature(CATALOGUE[name].build).parameters
    return {key: str(one.annotation) for key, one in found.items() if key != _STREAM}


def require_known(name: str) -> None:
    """Nothing, where the catalogue has that name.

    Raises:
        ArchitectureError: it does not.
    """
    if name not in CATALOGUE:
        nearest = ", ".join(get_close_matches(name, CATALOGUE, n=4, cutoff=0.0))
        raise ArchitectureError(
            f"--architecture {name}: is unknown; expected one of {len(CATALOGUE)}, such as {nearest}"
        )


def from_catalogue(name: str, settings: Sequence[str] = ()) -> Given:
    """The architecture of that name with `settings` such as mid=tanh or k=8.

    Raises:
        ArchitectureError: an unknown name, parameter or value.
    """
    require_known(name)
    kinds, given = settings_of(name), _pairs(settings)
    chosen = {key: _value(key, value, kinds[key]) for key, value in given.items() if key in kinds}
    unit = ResidualUnit(CATALOGUE[name].build(**chosen))
    inner = inner_dimensions(unit)
    for key in given:
        if key not in kinds and key not in inner:
            known = ", ".join([*kinds, *inner])
            expected = f"expected one of {known}" if known else "it has none"
            raise ArchitectureError(f"--set {key}: is no parameter of {name}; {expected}")
    shown = ", ".join(f"{key}={value}" for key, value in given.items())
    sizes = {key: _whole_number(key, value) for key, value in given.items() if key not in kinds}
    return Given(f"{name} ({shown})" if shown else name, unit, sizes)


def _value(key: str, value: str, kind: str) -> Any:
    match kind:
        case "Activation":
            if value not in ACTIVATIONS:
                known = ", ".join(ACTIVATIONS)
                raise ArchitectureError(f"--set {key}={value}: is no activation; expected one of {known}")
            return activation(value)
        case "bool":
            if value not in {"true", "false"}:
                raise ArchitectureError(f"--set {key}={value}: expected true or false")
            return value == "true"
        case "Scalar":
            return _fraction(key, value)
        case _:
            return _whole_number(key, value)


def _fraction(key: str, value: str) -> Fraction:
    try:
        return Fraction(value)
    except (ValueError, ZeroDivisionError):
        raise ArchitectureError(f"--set {key}={value}: expected an exact number such as 1/10") from None
