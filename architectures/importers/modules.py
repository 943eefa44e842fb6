"""Which objects of a user's file are modules, and how each is read.

A JAX block is a function f(parameters, x) with its parameters beside it in the file (NAME_params or params), a Flax
module, or a callable whose arrays are its parameters, as Equinox has them. A torch block is an nn.Module, or a class of
such that needs no arguments. Samples come first: (samples, width), (samples, tokens, width), or of images
(samples, channels, y, x); those of a JAX or Flax module whose convolutions have the channels last are
(samples, y, x, channels), and its data are given as (samples, channels, y, x) all the same.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal, TypeAlias

from resproof.architectures.errors import ArchitectureError, show_value
from resproof.architectures.importers.jaxprs import read_function
from resproof.architectures.importers.reading import Reading

Library: TypeAlias = Literal["torch", "Flax", "JAX"]


@dataclass(frozen=True, slots=True)
class Asked:
    """How a module is to be read: the shape of its input, such as "32x8", and whether in evaluation mode."""

    shape: str | Sequence[int] | None = None
    evaluation: bool = False


@dataclass(frozen=True, slots=True)
class Module:
    """A module of a user's file: its name there, the object, and the file's other variables."""

    file: str
    name: str
    value: Any
    beside: Mapping[str, Any]

    def variable(self, suffix: str, general: str) -> Any:
        """NAME_suffix of the file, else the general one; None where it has neither."""
        found = self.beside.get(f"{self.name}_{suffix}")
        return self.beside.get(general) if found is None else found


def library_of(value: Any) -> Library | None:
    """The library that a value is a module of: it has been imported where one is."""
    torch, linen, nnx = (sys.modules.get(name) for name in ("torch", "flax.linen", "flax.nnx"))
    if torch is not None and (_is(value, torch.nn.Module) or _is_class(value, torch.nn.Module)):
        return "torch"
    if any(kind is not None and _is(value, kind.Module) for kind in (linen, nnx)):
        return "Flax"
    if "jax" in sys.modules and callable(value) and not isinstance(value, type):
        return "JAX"
    return None


def _is(value: Any, kind: Any) -> bool:
    return isinstance(value, kind)


def _is_class(value: Any, kind: Any) -> bool:
    return isinstance(value, type) and issubclass(value, kind)


def read_module(module: Module, asked: Asked) -> Reading:
    """The unit that a module is.

    Raises:
        ArchitectureError: no shape is given, or what cannot be read, with its line.
    """
    library = library_of(module.value)
    shape = _shape(module, asked, library)
    if library == "torch":
        from resproof.architectures.importers.torch_graphs import read_torch

        return read_torch(_instance(module), shape, module.file, evaluation=asked.evaluation)
    if asked.evaluation:
        raise ArchitectureError(
            f"{module.file}: {module.name} is a {library} module; expected one of torch for the evaluation mode: "
            "in JAX the mode is an argument of the function"
        )
    function, parameters = _linen(module, shape) if library == "Flax" else _function(module)
    return read_function(function, parameters, shape, module.file)


def _shape(module: Module, asked: Asked, library: Library | None) -> tuple[int, ...]:
    """The shape of an example input, as asked for or as the file has it.

    Raises:
        ArchitectureError: there is none.
    """
    given: Any = asked.shape if asked.shape is not None else module.variable("input", "example_input")
    if isinstance(given, str) and re.fullmatch(r"[1-9]\d{0,5}(x[1-9]\d{0,5})*", given):
        return tuple(map(int, given.split("x")))
    if given is not None and not isinstance(given, str):
        sizes: Any = getattr(given, "shape", given)
        if isinstance(sizes, Sequence) and all(isinstance(n, int) and n >= 1 for n in sizes):
            return tuple(sizes)
    what = (
        f"the shape of its input is {show_value(given)}"
        if given is not None
        else f"{module.name} is a {library} module"
    )
    raise ArchitectureError(
        f"{module.file}: {what}; expected samples x width, samples x tokens x width or samples x channels x y x x, "
        "as in --input 32x6x8, or example_input in the file"
    )


def _instance(module: Module) -> Any:
    """The module itself, or one that its class makes without arguments.

    Raises:
        ArchitectureError: the class needs arguments.
    """
    if not isinstance(module.value, type):
        return module.value
    try:
        return module.value()
    except TypeError as error:
        raise ArchitectureError(f"{module.file}: {module.name} is a class: {error}; expected an instance") from None


def _function(module: Module) -> tuple[Any, Any]:
    """f(parameters, x) and the parameters.

    Raises:
        ArchitectureError: a function without parameters.
    """
    value, jax = module.value, import_module("jax")
    leaves, tree = jax.tree_util.tree_flatten(value)
    trained = [getattr(getattr(leaf, "dtype", None), "kind", "") in {"f", "V"} for leaf in leaves]
    if len(leaves) == 1 and leaves[0] is value:  # no tree: a function
        parameters = module.variable("params", "params")
        if parameters is None:
            raise ArchitectureError(
                f"{module.file}: {module.name} is a function; expected {module.name}(params, x) and its parameters "
                f"in {module.name}_params, or params"
            )
        return value, parameters

    def function(parameters: Any, x: Any) -> Any:
        filled = iter(jax.tree_util.tree_leaves(parameters))
        every = [next(filled) if own else leaf for own, leaf in zip(trained, leaves, strict=True)]
        return jax.tree_util.tree_unflatten(tree, every)(x)

    # None is no leaf: the paths of the others stay.
    own = [leaf if one else None for one, leaf in zip(trained, leaves, strict=True)]
    return function, jax.tree_util.tree_unflatten(tree, own)


def _linen(module: Module, shape: Sequence[int]) -> tuple[Any, Any]:
    """The same of a Flax module: its variables from the file, else as it initialises them.

    Raises:
        ArchitectureError: it cannot be initialised.
    """
    jax, value = import_module("jax"), module.value
    linen = sys.modules.get("flax.linen")
    if linen is None or not isinstance(value, linen.Module):
        return _nnx(value)
    variables = module.variable("params", "params")
    if variables is None:
        try:
            variables = value.init(jax.random.key(0), jax.numpy.zeros(tuple(shape)))
        except Exception as error:
            raise ArchitectureError(f"{module.file}: {module.name}.init fails: {error}") from None
    variables = variables if "params" in variables else {"params": variables}
    fixed = {key: tree for key, tree in variables.items() if key != "params"}

    def function(parameters: Any, x: Any) -> Any:
        return value.apply({"params": parameters, **fixed}, x)

    return function, variables["params"]


def _nnx(value: Any) -> tuple[Any, Any]:
    nnx = sys.modules["flax.nnx"]
    graph, parameters, rest = nnx.split(value, nnx.Param, ...)
    return lambda values, x: nnx.merge(graph, values, rest)(x), parameters
