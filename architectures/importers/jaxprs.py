"""A JAX function read from its jaxpr: f(parameters, x), whatever made it (a function, Flax, Equinox).

Primitives on arrays that do not depend on the input are run as they are: masks and tables are then fixed arrays. Calls
(jit, custom derivatives, checkpoints) are read through.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from resproof.architectures.errors import ArchitectureError
from resproof.architectures.importers.arrays import FixedArray, Operand, Value
from resproof.architectures.importers.images import convolve, group_norm
from resproof.architectures.importers.leaves import Parameter
from resproof.architectures.importers.matrices import HIDDEN, exact
from resproof.architectures.importers.reading import Reader, Reading, new_reader, one_sample, place, reading

Function = Callable[[Any, Any], Any]
"""f(parameters, x)."""
Traced = Callable[[], AbstractContextManager[Any]]
"""What a function is traced in."""


@dataclass(frozen=True, slots=True)
class JaxProgram:
    """f with its parameters as a list of arrays, in the order of their names."""

    function: Callable[[list[Any], Any], Any]
    names: tuple[str, ...]

    def outputs(self, values: Mapping[str, Any], x: Any) -> Any:
        """f(X; w)."""
        return self._run(self.function, self._arrays(values), x)

    def gradient(self, values: Mapping[str, Any], x: Any, y: Any) -> Mapping[str, Any]:
        """The gradient of |f(X; w) - Y|^2 / 2."""
        found = self._run(_jax().grad(self._loss), self._arrays(values), x, y)
        return dict(zip(self.names, found, strict=True))

    def product(self, values: Mapping[str, Any], change: Mapping[str, Any], x: Any, y: Any) -> Mapping[str, Any]:
        """The Hessian of |f(X; w) - Y|^2 / 2 times a direction: forward over reverse."""
        jax = _jax()

        def along(at: list[Any], direction: list[Any], x: Any, y: Any) -> Any:
            return jax.jvp(lambda w: jax.grad(self._loss)(w, x, y), (at,), (direction,))[1]

        found = self._run(along, self._arrays(values), self._arrays(change), x, y)
        return dict(zip(self.names, found, strict=True))

    def _run(self, function: Callable[..., Any], *operands: Any) -> Any:
        # As one program: one by one, each operation would be compiled for itself.
        with float64():
            return _jax().jit(function)(*operands)

    def _arrays(self, values: Mapping[str, Any]) -> list[Any]:
        return [values[name] for name in self.names]

    def _loss(self, values: list[Any], x: Any, y: Any) -> Any:
        return 0.5 * _jax().numpy.sum((self.function(values, x) - y) ** 2)


def read_function(
    function: Function, parameters: Any, shape: Sequence[int], file: str, traced_in: Traced = nullcontext
) -> Reading:
    """The unit that f(parameters, x) is on inputs of that shape; `parameters` is any tree of arrays.

    Images (samples, y, x, channels), as convolutions tell, are read as (samples, channels, y, x). Within `traced_in()`
    the function may put `normalised_groups` in the place of a group normalisation; compared is the function itself.

    Raises:
        ArchitectureError: what cannot be read, with its line in the user's file.
    """
    if len(shape) != 4 or not _channels_last(function, parameters, shape):
        return _read(function, parameters, shape, file, traced_in)
    samples, y, x, channels = shape

    def turned(parameters: Any, image: Any) -> Any:
        move = _jax().numpy.moveaxis
        return move(function(parameters, move(image, 1, -1)), -1, 1)

    try:
        return _read(turned, parameters, (samples, channels, y, x), file, traced_in)
    except ArchitectureError as error:
        try:
            return _read(function, parameters, shape, file, traced_in)
        except ArchitectureError:
            raise error from None


def _channels_last(function: Function, parameters: Any, shape: Sequence[int]) -> bool:
    """Whether a convolution takes images with their channels last."""
    try:
        traced = _jax().make_jaxpr(function)(parameters, _jax().numpy.zeros(tuple(shape)))
    except Exception:  # said where it is read
        return False
    return any(e.params["dimension_numbers"].lhs_spec[1] == 3 for e in _convolutions(traced.jaxpr))


def _convolutions(jaxpr: Any) -> Iterator[Any]:
    """The convolutions along two axes, also of what is called."""
    for equation in jaxpr.eqns:
        if equation.primitive.name == "conv_general_dilated" and len(equation.params["window_strides"]) == 2:
            yield equation
        if (inner := _inner(equation)) is not None:
            yield from _convolutions(getattr(inner, "jaxpr", inner))


def normalised_groups(x: Any, groups: int, epsilon: float) -> Any:
    """Each group of an image's last axis, the channels, centred and scaled to unit variance, as one call."""
    jax = _jax()

    def named(x: Any) -> Any:
        apart = x.reshape((*x.shape[:-1], groups, -1))
        centred = apart - apart.mean(axis=(1, 2, 4), keepdims=True)
        variance = (centred**2).mean(axis=(1, 2, 4), keepdims=True)
        return (centred / jax.numpy.sqrt(variance + epsilon)).reshape(x.shape)

    named.__name__ = f"group_norm {groups} {epsilon!r}"
    return jax.jit(named)(x)


def _read(function: Function, parameters: Any, shape: Sequence[int], file: str, traced_in: Traced) -> Reading:
    jax, numpy = _jax(), import_module("numpy")
    with float64():
        paths, tree = jax.tree_util.tree_flatten_with_path(parameters)
        arrays = [numpy.asarray(leaf) for _, leaf in paths]
        names = _names([jax.tree_util.keystr(path) for path, _ in paths])

        def of_list(values: list[Any], x: Any) -> Any:
            return function(jax.tree_util.tree_unflatten(tree, values), x)

        # One sample by itself: the same is done on each.
        batched = of_list if len(shape) > 1 else jax.vmap(of_list, in_axes=(None, 0))
        whole = tuple(shape) if len(shape) > 1 else (2, *shape)
        reader, start = new_reader(file, whole)
        leaves = [jax.numpy.asarray(array, dtype=float) for array in arrays]
        try:
            with traced_in():
                traced = jax.make_jaxpr(batched)(leaves, jax.numpy.zeros(one_sample(whole)))
        except Exception as error:
            raise ArchitectureError(f"{file}: tracing fails with {type(error).__name__}: {error}") from None
        found = tuple(Parameter(name, array) for name, array in zip(names, arrays, strict=True))
        walk = _Walk(reader)
        opened = [reader.arrays.open(one) for one in found]
        (result,) = _single(walk.closed(traced, [*opened, start]), file)
    return reading(reader, start, result, found, JaxProgram(batched, tuple(names)), whole)


def _single(results: Sequence[Operand], file: str) -> Sequence[Operand]:
    if len(results) != 1:
        raise ArchitectureError(f"{file}: the function returns {len(results)} arrays; expected one")
    return results


def _names(paths: Sequence[str]) -> list[str]:
    """The paths without brackets and quotes, a common first word left out: params.Dense_0.kernel is Dense_0.kernel."""
    words = [[w for w in path.replace("[", ".").translate(_MARKS).split(".") if w] for path in paths]
    if words and all(len(one) > 1 and one[0] == "params" for one in words):
        words = [one[1:] for one in words]
    return [".".join(one) or "w" for one in words]


_MARKS = str.maketrans("", "", "]'\"")


def _jax() -> Any:
    return import_module("jax")


def float64() -> AbstractContextManager[None]:
    """JAX with double precision, where it goes by single precision."""
    jax = _jax()
    # Newer versions have it at the top.
    return (jax if hasattr(jax, "enable_x64") else import_module("jax.experimental")).enable_x64(True)


@dataclass(frozen=True, slots=True)
class _Walk:
    """The equations of a jaxpr one after the other; `calls` is where those stand that are read through."""

    reader: Reader
    calls: list[str] = field(default_factory=list)

    def closed(self, traced: Any, operands: Sequence[Operand]) -> list[Operand]:
        """The results of a jaxpr with its constants."""
        constants = [FixedArray(_array(one)) for one in traced.consts]
        return self.run(traced.jaxpr, [*constants, *operands])

    def run(self, jaxpr: Any, operands: Sequence[Operand]) -> list[Operand]:
        """The results of a jaxpr."""
        values: dict[Any, Operand] = dict(zip((*jaxpr.constvars, *jaxpr.invars), operands, strict=True))

        def of(atom: Any) -> Operand:
            return FixedArray(_array(atom.val)) if hasattr(atom, "val") else values[atom]

        for equation in jaxpr.eqns:
            results = self.equation(equation, map(of, equation.invars))
            values.update(zip(equation.outvars, results, strict=True))
        return [of(atom) for atom in jaxpr.outvars]

    def equation(self, equation: Any, operands: Any) -> Sequence[Operand]:
        """The results of one equation."""
        operands, name, where = list(operands), equation.primitive.name, self._where(equation)
        with self.reader.at(where, name):
            if all(isinstance(one, FixedArray) for one in operands) and _inner(equation) is None:
                return _computed(equation, operands)
            self.calls.append(where)
            found = self._call(equation, operands)
            if found is None:
                one = self._one(equation, name, operands)
                found = one if isinstance(one, list) else [one]
            _ = self.calls.pop()
        for one in found:
            self.reader.note(one, where)
        return found

    def _call(self, equation: Any, operands: list[Operand]) -> list[Operand] | None:
        inner = _inner(equation)
        if inner is None:
            return None
        if groups := re.fullmatch(r"group_norm (\d+) (\S+)", str(equation.params.get("name"))):
            return [_group_norm(self.reader.arrays, operands[0], int(groups[1]), float(groups[2]))]
        if _source(inner).startswith("logaddexp ") and _is_number(operands[1], 0.0):
            return [self.reader.arrays.function("softplus", operands[0])]
        return self.closed(inner, operands) if hasattr(inner, "consts") else self.run(inner, operands)

    def _one(self, equation: Any, name: str, operands: list[Operand]) -> Operand | list[Operand]:
        arrays, params = self.reader.arrays, equation.params
        if name in _FUNCTIONS:
            return arrays.function(_FUNCTIONS[name], *operands)
        handler = _HANDLERS.get(name)
        if handler is None:
            raise ArchitectureError("the language has no such operation")
        return handler(arrays, params, *operands)

    def _where(self, equation: Any) -> str:
        trace = equation.source_info.traceback
        frames = [] if trace is None else [(f.file_name, int(f.line_num)) for f in trace.frames]
        own = [frame for frame in frames if "site-packages" not in frame[0]]
        return self.calls[-1] if self.calls and not own else place(own or frames, self.reader.file)


def _array(value: Any) -> Any:
    return import_module("numpy").asarray(value)


def _inner(equation: Any) -> Any:
    """The jaxpr that an equation calls once."""
    if equation.primitive.name not in _CALLS:
        return None
    return next((equation.params[key] for key in ("jaxpr", "call_jaxpr", "fun_jaxpr") if key in equation.params), None)


def _source(inner: Any) -> str:
    """The name of the function that a jaxpr was made from, and its place."""
    about = getattr(getattr(inner, "jaxpr", inner), "debug_info", None)
    return str(getattr(about, "func_src_info", ""))


_CALLS = {
    "pjit",
    "jit",
    "closed_call",
    "core_call",
    "custom_jvp_call",
    "custom_vjp_call",
    "custom_vjp_call_jaxpr",
    "remat",
    "remat2",
    "checkpoint",
}


def _computed(equation: Any, operands: Sequence[Operand]) -> list[Operand]:
    """An equation on fixed arrays, run."""
    values = [_jax().numpy.asarray(one.array) for one in operands if isinstance(one, FixedArray)]
    found = equation.primitive.bind(*values, **equation.params)
    return [FixedArray(_array(one)) for one in (found if equation.primitive.multiple_results else [found])]


def _is_number(one: Operand, value: float) -> bool:
    return isinstance(one, FixedArray) and bool((one.array == value).all())


def _maximum(arrays: Any, a: Operand, b: Operand) -> Operand:
    for one, other in ((a, b), (b, a)):
        if _is_number(one, 0.0):
            return arrays.function("relu", other)
        if _is_number(one, -float("inf")):
            return other
    raise ArchitectureError("the greater of two numbers, neither of which is zero")


def _select(arrays: Any, which: Operand, *cases: Operand) -> Operand:
    if not isinstance(which, FixedArray) or len(cases) != 2:
        raise ArchitectureError("a choice that depends on the input")
    shown = which.array.astype(bool)
    for one, other, kept in ((cases[0], cases[1], shown), (cases[1], cases[0], ~shown)):
        if bool(kept.all()):
            return other
        if isinstance(one, FixedArray) and isinstance(other, Value):
            if bool((one.array <= HIDDEN).all()):
                return arrays.mask(other, FixedArray(kept))
            if bool((one.array == 0).all()):
                return arrays.multiply(other, FixedArray(kept * 1.0))
    raise ArchitectureError("a choice between two arrays, neither of which is zero or hidden")


def _sum(kind: str) -> Callable[..., Operand]:
    return lambda arrays, params, a: arrays.reduce(a, params["axes"], kind)


def _slice(arrays: Any, params: Mapping[str, Any], a: Operand) -> Operand:
    if params["strides"] is not None and any(step != 1 for step in params["strides"]):
        raise ArchitectureError("a slice with steps")
    for axis, (start, stop) in enumerate(zip(params["start_indices"], params["limit_indices"], strict=True)):
        a = arrays.slice(a, axis, int(start), int(stop))
    return a


def _split(arrays: Any, params: Mapping[str, Any], a: Operand) -> list[Operand]:
    found, start = list[Operand](), 0
    for size in params["sizes"]:
        found.append(arrays.slice(a, params["axis"], start, start + size))
        start += size
    return found


def _convolution(arrays: Any, params: Mapping[str, Any], image: Operand, kernel: Operand) -> Operand:
    numbers, padding = params["dimension_numbers"], params["padding"]
    if len(padding) != 2:
        raise ArchitectureError(f"a convolution along {len(padding)} axes; expected two")
    if {*params["lhs_dilation"], *params["rhs_dilation"], params["batch_group_count"]} != {1}:
        raise ArchitectureError("a convolution with dilation, or with groups of samples; expected none")
    if any(before != after for before, after in padding):
        raise ArchitectureError(f"a convolution with padding {tuple(padding)}; expected as much on either side")
    image, kernel = arrays.transpose(image, numbers.lhs_spec), arrays.transpose(kernel, numbers.rhs_spec)
    border = [before for before, _ in padding]
    found = convolve(arrays, image, kernel, params["window_strides"], border, params["feature_group_count"])
    return arrays.transpose(found, [numbers.out_spec.index(axis) for axis in range(4)])


def _group_norm(arrays: Any, image: Operand, groups: int, epsilon: float) -> Operand:
    found = group_norm(arrays, arrays.transpose(image, (0, 3, 1, 2)), groups, exact(epsilon))
    return arrays.transpose(found, (0, 2, 3, 1))


def _power(arrays: Any, params: Mapping[str, Any], a: Operand, b: Operand) -> Operand:
    del params
    exponent = float(b.array.reshape(-1)[0]) if isinstance(b, FixedArray) and b.array.size == 1 else 0.5
    if exponent != int(exponent):
        raise ArchitectureError("a power that is not whole")
    return arrays.power(a, int(exponent))


_FUNCTIONS = {
    "tanh": "tanh",
    "logistic": "sigmoid",
    "exp": "exp",
    "erf": "erf",
    "erfc": "erfc",
    "sqrt": "sqrt",
    "rsqrt": "rsqrt",
    "neg": "neg",
    "square": "square",
    "copy": "identity",
    "copy_p": "identity",
    "stop_gradient": "identity",
    "convert_element_type": "identity",
    "reduce_precision": "identity",
    "sharding_constraint": "identity",
}

_HANDLERS: dict[str, Callable[..., Operand | list[Operand]]] = {
    "add": lambda arrays, params, a, b: arrays.add(a, b),
    "add_any": lambda arrays, params, a, b: arrays.add(a, b),
    "sub": lambda arrays, params, a, b: arrays.subtract(a, b),
    "mul": lambda arrays, params, a, b: arrays.multiply(a, b),
    "div": lambda arrays, params, a, b: arrays.divide(a, b),
    "max": lambda arrays, params, a, b: _maximum(arrays, a, b),
    "select_n": lambda arrays, params, *operands: _select(arrays, *operands),
    "integer_pow": lambda arrays, params, a: arrays.power(a, params["y"]),
    "pow": _power,
    "reduce_sum": _sum("sum"),
    "reduce_max": _sum("max"),
    "transpose": lambda arrays, params, a: arrays.transpose(a, params["permutation"]),
    "reshape": lambda arrays, params, a: arrays.reshape(a, params["new_sizes"]),
    "squeeze": lambda arrays, params, a: arrays.reshape(
        a, [n for k, n in enumerate(a.shape) if k not in [d % len(a.shape) for d in params["dimensions"]]]
    ),
    "expand_dims": lambda arrays, params, a: arrays.broadcast(
        a,
        [1] * (len(a.shape) + len(params["dimensions"])),
        [k for k in range(len(a.shape) + len(params["dimensions"])) if k not in params["dimensions"]],
    ),
    "broadcast_in_dim": lambda arrays, params, a: arrays.broadcast(a, params["shape"], params["broadcast_dimensions"]),
    "conv_general_dilated": _convolution,
    "dot_general": lambda arrays, params, a, b: arrays.contract(a, b, *params["dimension_numbers"]),
    "slice": _slice,
    "split": _split,
    "concatenate": lambda arrays, params, *several: arrays.concatenate(several, params["dimension"]),
}
