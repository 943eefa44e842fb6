"""A JAX function read from its jaxpr: f(parameters, x), whatever made it (a function, Flax, Equinox).

Primitives on arrays that do not depend on the input are run as they are: masks and tables are then fixed arrays. Calls
(jit, custom derivatives, checkpoints) are read through.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from resproof.architectures.errors import ArchitectureError
from resproof.architectures.importers.leaves import Parameter
from resproof.architectures.importers.primitives import FUNCTIONS, Arrays, Fixed, Operand, Value
from resproof.architectures.importers.reading import Reader, Reading, one_sample, place, reading

Function = Callable[[Any, Any], Any]
"""f(parameters, x)."""


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


def read_function(function: Function, parameters: Any, shape: Sequence[int], file: str) -> Reading:
    """The unit that f(parameters, x) is on inputs of that shape; `parameters` is any tree of arrays.

    Images (samples, y, x, channels), as convolutions tell, are read as (samples, channels, y, x). Within `traced_in()`
    the function may put `normalised_groups` in the place of a group normalisation; compared is the function itself.

    Raises:
        ArchitectureError: what cannot be read, with its line in the user's file.
    """
    try:
        return _read(function, parameters, shape, file, turned=len(shape) != 4)
    except _ChannelsLastError:
        samples, y, x, channels = shape

    def turned(parameters: Any, image: Any) -> Any:
        move = _jax().numpy.moveaxis
        return move(function(parameters, move(image, 1, -1)), -1, 1)

    return _read(turned, parameters, (samples, channels, y, x), file, turned=True)


class _ChannelsLastError(Exception):
    """A convolution takes the input with its channels last."""


def _read(function: Function, parameters: Any, shape: Sequence[int], file: str, *, turned: bool) -> Reading:
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
        leaves = [jax.numpy.asarray(array, dtype=float) for array in arrays]
        example = jax.numpy.zeros(one_sample(file, whole))
        try:
            traced = jax.make_jaxpr(batched)(leaves, example)
        except Exception as error:
            raise ArchitectureError(f"{file}: tracing fails with {type(error).__name__}: {error}") from None
        found = tuple(Parameter(name, array) for name, array in zip(names, arrays, strict=True))

        def walk(reader: Reader, start: Value) -> Operand:
            opened = [reader.arrays.parameter(one) for one in found]
            (result,) = _single(_Walk(reader).closed(traced, [*opened, start]), file)
            if reader.arrays.turned and not turned:
                raise _ChannelsLastError
            return result

        return reading(file, walk, found, JaxProgram(batched, tuple(names)), whole)


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
        constants = [Fixed(_array(one)) for one in traced.consts]
        return self.run(traced.jaxpr, [*constants, *operands])

    def run(self, jaxpr: Any, operands: Sequence[Operand]) -> list[Operand]:
        """The results of a jaxpr."""
        values: dict[Any, Operand] = dict(zip((*jaxpr.constvars, *jaxpr.invars), operands, strict=True))

        def of(atom: Any) -> Operand:
            return Fixed(_array(atom.val)) if hasattr(atom, "val") else values[atom]

        for equation in jaxpr.eqns:
            results = self.equation(equation, map(of, equation.invars))
            values.update(zip(equation.outvars, results, strict=True))
        return [of(atom) for atom in jaxpr.outvars]

    def equation(self, equation: Any, operands: Any) -> Sequence[Operand]:
        """The results of one equation."""
        operands, name, where = list(operands), equation.primitive.name, self._where(equation)
        inner = _inner(equation)
        with self.reader.at(where, name):
            if inner is None and all(isinstance(one, Fixed) for one in operands):
                return _computed(equation, operands)
            self.calls.append(where)
            found = self._one(equation, name, operands) if inner is None else self._through(inner, operands)
            _ = self.calls.pop()
        several = found if isinstance(found, list) else [found]
        for one in several:
            self.reader.note(one, where)
        return several

    def _through(self, inner: Any, operands: list[Operand]) -> Operand | list[Operand]:
        if _source(inner).startswith("logaddexp ") and _is_number(operands[1], 0.0):
            return self.reader.arrays.function("softplus", operands[0])
        return self.closed(inner, operands) if hasattr(inner, "consts") else self.run(inner, operands)

    def _one(self, equation: Any, name: str, operands: list[Operand]) -> Operand | list[Operand]:
        if name in FUNCTIONS:
            return self.reader.arrays.function(name, operands[0])
        if name in _AS_IT_IS:
            return operands[0]
        if name not in _HANDLERS:
            raise ArchitectureError("the language has no such operation")
        return _HANDLERS[name](self.reader.arrays, equation.params, *operands)

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


_REMATERIALISED = {"remat", "remat2", "checkpoint"}
_CUSTOM = {"custom_jvp_call", "custom_vjp_call", "custom_vjp_call_jaxpr"}
_CALLS = {"pjit", "jit", "closed_call", "core_call"} | _CUSTOM | _REMATERIALISED


def _computed(equation: Any, operands: Sequence[Operand]) -> list[Operand]:
    """An equation on fixed arrays, run."""
    values = [_jax().numpy.asarray(one.array) for one in operands if isinstance(one, Fixed)]
    found = equation.primitive.bind(*values, **equation.params)
    return [Fixed(_array(one)) for one in (found if equation.primitive.multiple_results else [found])]


def _is_number(one: Operand, value: float) -> bool:
    return isinstance(one, Fixed) and bool((one.array == value).all())


def _comparison(*, turned: bool) -> Callable[..., Operand]:
    return lambda arrays, params, a, b: arrays.compared(*((b, a) if turned else (a, b)))


def _select(arrays: Arrays, params: Any, which: Operand, *cases: Operand) -> Operand:
    del params
    if len(cases) != 2:
        raise ArchitectureError(f"a choice between {len(cases)} arrays; expected two")
    return arrays.select(which, cases[1], cases[0])


def _reduction(kind: str) -> Callable[..., Operand]:
    return lambda arrays, params, a: arrays.reduce(a, params["axes"], kind)


def _slice(arrays: Arrays, params: Mapping[str, Any], a: Operand) -> Operand:
    steps = params["strides"] or [1] * len(a.shape)
    for axis, (start, stop) in enumerate(zip(params["start_indices"], params["limit_indices"], strict=True)):
        a = arrays.slice(a, axis, int(start), int(stop), int(steps[axis]))
    return a


def _pad(arrays: Arrays, params: Mapping[str, Any], a: Operand, value: Operand) -> Operand:
    if not _is_number(value, 0.0) or any(low < 0 or high < 0 or inner for low, high, inner in params["padding_config"]):
        raise ArchitectureError("a padding with other than zeros, or between entries")
    for axis, (low, high, _) in enumerate(params["padding_config"]):
        a = arrays.pad(a, axis, int(low), int(high)) if low or high else a
    return a


def _convolution(arrays: Arrays, params: Mapping[str, Any], image: Operand, kernel: Operand) -> Operand:
    numbers = params["dimension_numbers"]
    if {*params["lhs_dilation"], params["batch_group_count"]} != {1}:
        raise ArchitectureError("a convolution with dilation, or with groups of samples; expected none")
    image, kernel = arrays.transpose(image, numbers.lhs_spec), arrays.transpose(kernel, numbers.rhs_spec)
    groups, strides = params["feature_group_count"], params["window_strides"]
    found = arrays.convolve(image, kernel, strides, params["padding"], params["rhs_dilation"], groups)
    return arrays.transpose(found, [numbers.out_spec.index(axis) for axis in range(len(numbers.out_spec))])


def _power(arrays: Arrays, params: Mapping[str, Any], a: Operand, b: Operand) -> Operand:
    del params
    if not isinstance(b, Fixed) or not _is_number(b, float(b.array.reshape(-1)[0])):
        raise ArchitectureError("a power that depends on the input")
    return arrays.power(a, float(b.array.reshape(-1)[0]))


def _squeeze(arrays: Arrays, params: Mapping[str, Any], a: Operand) -> Operand:
    gone = {axis % len(a.shape) for axis in params["dimensions"]}
    return arrays.reshape(a, [n for axis, n in enumerate(a.shape) if axis not in gone])


def _expand(arrays: Arrays, params: Mapping[str, Any], a: Operand) -> Operand:
    sizes, rank = iter(a.shape), len(a.shape) + len(params["dimensions"])
    return arrays.reshape(a, [1 if axis in params["dimensions"] else next(sizes) for axis in range(rank)])


_AS_IT_IS = {
    "copy",
    "copy_p",
    "stop_gradient",
    "convert_element_type",
    "reduce_precision",
    "sharding_constraint",
    "optimization_barrier",
}

_HANDLERS: dict[str, Callable[..., Operand | list[Operand]]] = {
    "add": lambda arrays, params, a, b: arrays.add(a, b),
    "add_any": lambda arrays, params, a, b: arrays.add(a, b),
    "sub": lambda arrays, params, a, b: arrays.subtract(a, b),
    "mul": lambda arrays, params, a, b: arrays.multiply(a, b),
    "div": lambda arrays, params, a, b: arrays.divide(a, b),
    "max": lambda arrays, params, a, b: arrays.greater(a, b),
    "min": lambda arrays, params, a, b: arrays.less(a, b),
    "clamp": lambda arrays, params, low, a, high: arrays.clamp(a, low, high),
    "gt": _comparison(turned=False),
    "ge": _comparison(turned=False),
    "lt": _comparison(turned=True),
    "le": _comparison(turned=True),
    "select_n": _select,
    "integer_pow": lambda arrays, params, a: arrays.power(a, params["y"]),
    "pow": _power,
    "reduce_sum": _reduction("sum"),
    "reduce_max": _reduction("max"),
    "transpose": lambda arrays, params, a: arrays.transpose(a, params["permutation"]),
    "reshape": lambda arrays, params, a: arrays.reshape(a, params["new_sizes"]),
    "squeeze": _squeeze,
    "expand_dims": _expand,
    "broadcast_in_dim": lambda arrays, params, a, *_: arrays.broadcast(
        a, params["shape"], params["broadcast_dimensions"]
    ),
    "conv_general_dilated": _convolution,
    "dot_general": lambda arrays, params, a, b: arrays.contract(a, b, *params["dimension_numbers"]),
    "slice": _slice,
    "split": lambda arrays, params, a: arrays.split(a, params["axis"], params["sizes"]),
    "pad": _pad,
    "concatenate": lambda arrays, params, *several: arrays.concatenate(several, params["dimension"]),
}
