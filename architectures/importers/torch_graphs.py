"""A torch module read from the graph that torch.export makes of it.

The graph has the operators of the library (aten) by name, each with the lines of the user's file that it comes from.
Everything is in double precision, what the module itself takes to single precision too. Operators on tensors that do
not depend on the input are run as they are. Dropout and batch normalisation are read in evaluation mode; in training
mode they draw, or mix the samples, and are refused.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from typing import Any

from resproof.architectures.errors import ArchitectureError
from resproof.architectures.importers import images
from resproof.architectures.importers.arrays import Arrays, FixedArray, Open, Operand, Value
from resproof.architectures.importers.leaves import Parameter
from resproof.architectures.importers.matrices import HIDDEN, exact
from resproof.architectures.importers.reading import Reader, Reading, new_reader, one_sample, place, reading


@dataclass(frozen=True, slots=True)
class TorchProgram:
    """A module in double precision, run with given parameters."""

    module: Any

    def outputs(self, values: Mapping[str, Any], x: Any) -> Any:
        """f(X; w)."""
        torch = _torch()
        with torch.no_grad():
            return self._run(_tensors(values), torch.as_tensor(x)).numpy()

    def gradient(self, values: Mapping[str, Any], x: Any, y: Any) -> Mapping[str, Any]:
        """The gradient of |f(X; w) - Y|^2 / 2."""
        return _arrays(values, self._gradient(_leaves(values), x, y))

    def product(self, values: Mapping[str, Any], change: Mapping[str, Any], x: Any, y: Any) -> Mapping[str, Any]:
        """The Hessian of |f(X; w) - Y|^2 / 2 times a direction: the gradient of the slope along it."""
        leaves, directions = _leaves(values), _tensors(change)
        slopes = self._gradient(leaves, x, y)
        along = sum(
            (slope * directions[name]).sum() for name, slope in zip(leaves, slopes, strict=True) if slope is not None
        )
        return _arrays(values, _torch().autograd.grad(along, list(leaves.values()), allow_unused=True))

    def _gradient(self, leaves: Mapping[str, Any], x: Any, y: Any) -> Sequence[Any]:
        torch = _torch()
        away = self._run(leaves, torch.as_tensor(x)) - torch.as_tensor(y)
        loss = 0.5 * (away * away).sum()
        return torch.autograd.grad(loss, list(leaves.values()), create_graph=True, allow_unused=True)

    def _run(self, values: Mapping[str, Any], x: Any) -> Any:
        torch = _torch()
        # The fused kernels of attention have no second derivatives.
        with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH), _double_precision():
            return torch.func.functional_call(self.module, dict(values), (x,))


def read_torch(module: Any, shape: Sequence[int], file: str, *, evaluation: bool = False) -> Reading:
    """The unit that an nn.Module is on inputs of that shape.

    Raises:
        ArchitectureError: what cannot be read, with its line in the user's file.
    """
    torch = _torch()
    module = copy.deepcopy(module)
    parameters = tuple(
        Parameter(name, _array(tensor), trained=bool(tensor.requires_grad))
        for name, tensor in module.named_parameters()
    )
    module = module.double()
    if evaluation:
        module = module.eval()
    batched = tuple(shape) if len(shape) > 1 else (2, *shape)
    reader, start = new_reader(file, batched)
    example = torch.zeros(one_sample(batched), dtype=torch.double)
    try:
        with _double_precision():
            exported = torch.export.export(module, (example,), strict=False)
    except Exception as error:
        first = re.split(r"\n|  +", str(error).strip())[0]
        raise ArchitectureError(f"{file}: torch.export fails with {type(error).__name__}: {first}") from None
    graph = _Graph(reader, _placeholders(exported, reader.arrays, parameters, start), exported.graph_module)
    result = graph.run(exported.graph)
    return reading(reader, start, result, parameters, TorchProgram(module), batched)


def _placeholders(
    exported: Any, arrays: Arrays, parameters: Sequence[Parameter], start: Value
) -> Callable[[str], Operand]:
    """What each placeholder of the graph stands for."""
    signature = exported.graph_signature
    known = {p.name: p for p in parameters}
    constants = {
        **dict(signature.inputs_to_buffers),
        **dict(signature.inputs_to_lifted_tensor_constants),
    }

    def of(name: str) -> Operand:
        if name in signature.inputs_to_parameters:
            return arrays.open(known[signature.inputs_to_parameters[name]])
        if name in constants:
            key = constants[name]
            tensor = exported.state_dict[key] if key in exported.state_dict else exported.constants[key]
            return FixedArray(tensor.detach().cpu().numpy())
        return start

    return of


def _array(tensor: Any) -> Any:
    """A tensor's entries in its own precision, or in single precision where NumPy has no such."""
    there = tensor.detach().cpu()
    return (there if there.dtype in {_torch().float32, _torch().float64} else there.float()).numpy()


def _torch() -> Any:
    return import_module("torch")


def _double_precision() -> Any:
    """While it is entered, whatever asks for another precision of floats gets double precision."""
    torch = _torch()
    others = {torch.float32, torch.float16, torch.bfloat16}
    casts = {torch.Tensor.float, torch.Tensor.half, torch.Tensor.bfloat16}

    class DoublePrecision(torch.overrides.TorchFunctionMode):
        """Casts to other precisions are casts to double precision."""

        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            del types
            if function in casts:
                return args[0].double()
            named = {key: torch.float64 if _among(value, others) else value for key, value in (kwargs or {}).items()}
            return function(*(torch.float64 if _among(one, others) else one for one in args), **named)

    return DoublePrecision()


def _among(value: Any, others: set[Any]) -> bool:
    return type(value) is _torch().dtype and value in others


def _tensors(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _torch().as_tensor(array) for name, array in values.items()}


def _leaves(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tensor.clone().requires_grad_(True) for name, tensor in _tensors(values).items()}


def _arrays(values: Mapping[str, Any], found: Sequence[Any]) -> dict[str, Any]:
    return {
        name: 0.0 * array if tensor is None else tensor.detach().numpy()
        for (name, array), tensor in zip(values.items(), found, strict=True)
    }


@dataclass(frozen=True, slots=True)
class _Graph:
    reader: Reader
    placeholder: Callable[[str], Operand]
    whole: Any

    def run(self, graph: Any) -> Operand:
        """What the graph returns.

        Raises:
            ArchitectureError: several tensors, or an operator that cannot be read.
        """
        values: dict[Any, Any] = {}
        for node in graph.nodes:
            if node.op == "placeholder":
                values[node] = self.placeholder(node.name)
            elif node.op == "output":
                (results,) = node.args
                if len(results) != 1:
                    raise ArchitectureError(
                        f"{self.reader.file}: the module returns {len(results)} tensors; expected one"
                    )
                return values[results[0]]
            elif node.op == "get_attr":
                values[node] = getattr(self.whole, node.target)
            else:
                values[node] = self._called(node, values)
        raise ArchitectureError(f"{self.reader.file}: the module returns nothing")

    def _called(self, node: Any, values: Mapping[Any, Any]) -> Any:
        name, where = _name(node.target), self._where(node)

        def of(argument: Any) -> Any:
            if isinstance(argument, list | tuple):
                return [of(one) for one in argument]
            return values.get(argument, argument) if _is_node(argument) else argument

        arguments, named = of(node.args), {key: of(value) for key, value in node.kwargs.items()}
        with self.reader.at(where, name):
            if name == "getitem":
                return arguments[0][arguments[1]]
            if not _operands([*arguments, *named.values()]):
                return _computed(node.target, arguments, named)
            handler = _HANDLERS.get(name)
            if handler is None:
                raise ArchitectureError("the language has no such operation")
            found = handler(self.reader.arrays, *arguments, **named)
        for one in found if isinstance(found, list) else [found]:
            self.reader.note(one, where)
        return found

    def _where(self, node: Any) -> str:
        frames = re.findall(r'File "([^"]+)", line (\d+)', node.meta.get("stack_trace") or "")
        return place([(name, int(line)) for name, line in reversed(frames)], self.reader.file)


def _is_node(argument: Any) -> bool:
    return isinstance(argument, import_module("torch.fx").Node)


def _name(target: Any) -> str:
    """An operator without its overload: linear for aten.linear.default."""
    shown = str(target)
    return shown.split(".")[1].rstrip("_") if shown.startswith("aten.") else getattr(target, "__name__", shown)


def _operands(arguments: Sequence[Any]) -> bool:
    """Whether something among the arguments depends on the input, or on a parameter."""
    return any(
        isinstance(one, Value | Open) or (isinstance(one, list) and _operands(one))  # pyright: ignore[reportUnknownArgumentType]
        for one in arguments
    )


def _computed(target: Any, arguments: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """An operator on fixed tensors, run."""
    torch = _torch()

    def tensor(one: Any) -> Any:
        if isinstance(one, list):
            return [tensor(each) for each in one]  # pyright: ignore[reportUnknownVariableType]
        return torch.as_tensor(one.array) if isinstance(one, FixedArray) else one

    found = target(*map(tensor, arguments), **{key: tensor(value) for key, value in named.items()})
    if isinstance(found, list | tuple):
        return [FixedArray(one.numpy()) for one in found]
    return FixedArray(found.numpy()) if isinstance(found, torch.Tensor) else found


# Operators.


def _operand(arrays: Arrays, value: Any) -> Operand:
    """A tensor, or a number as one."""
    if isinstance(value, Value | Open | FixedArray):
        return value
    return arrays.number(exact(value) if isinstance(value, float) else Fraction(value))


def _linear(arrays: Arrays, x: Operand, weight: Operand, bias: Operand | None = None) -> Operand:
    found = arrays.contract(x, weight, ([len(x.shape) - 1], [1]), ([], []))
    return found if bias is None else arrays.add(found, bias)


def _matmul(arrays: Arrays, a: Operand, b: Operand) -> Operand:
    front = min(len(a.shape), len(b.shape)) - 2
    if front < 0:
        return arrays.contract(a, b, ([len(a.shape) - 1], [max(len(b.shape) - 2, 0)]), ([], []))
    if len(a.shape) != len(b.shape):
        if front > 0:
            raise ArchitectureError(f"a product of tensors of shapes {a.shape} and {b.shape}")
        if len(a.shape) == 2:  # every matrix of b, from the left: the free axis of a comes before the last one
            found = arrays.contract(a, b, ([1], [len(b.shape) - 2]), ([], []))
            rank = len(found.shape)
            return arrays.transpose(found, [*range(1, rank - 1), 0, rank - 1])
        return arrays.contract(a, b, ([len(a.shape) - 1], [0]), ([], []))
    batch = list(range(front))
    return arrays.contract(a, b, ([front + 1], [front]), (batch, batch))


def _addmm(arrays: Arrays, bias: Operand, a: Operand, b: Operand) -> Operand:
    return arrays.add(_matmul(arrays, a, b), bias)


def _addcmul(arrays: Arrays, a: Operand, b: Operand, c: Operand, *, value: float = 1) -> Operand:
    factor = arrays.number(exact(float(value)))
    return arrays.add(a, arrays.multiply(factor, arrays.multiply(b, c)))


def _add(sign: int) -> Callable[..., Operand]:
    def handler(arrays: Arrays, a: Any, b: Any, alpha: Any = 1) -> Operand:
        b = _operand(arrays, b)
        factor = sign * (exact(alpha) if isinstance(alpha, float) else alpha)
        return arrays.add(_operand(arrays, a), b if factor == 1 else arrays.multiply(arrays.number(factor), b))

    return handler


def _swapped(handler: Callable[..., Operand]) -> Callable[..., Operand]:
    return lambda arrays, a, b, alpha=1: handler(arrays, b, a, alpha)


def _power(arrays: Arrays, a: Operand, exponent: float) -> Operand:
    if exponent == 0.5:
        return arrays.function("sqrt", a)
    if exponent == -0.5:
        return arrays.function("rsqrt", a)
    if exponent != int(exponent):
        raise ArchitectureError(f"the power {exponent:g}; expected a whole one")
    return arrays.power(a, int(exponent))


def _gelu(arrays: Arrays, a: Operand, approximate: str = "none") -> Operand:
    return arrays.function("gelu" if approximate == "none" else "gelu_tanh", a)


def _softplus(arrays: Arrays, a: Operand, beta: float = 1, threshold: float = 20) -> Operand:
    del threshold  # beyond it the library takes x itself, which differs by less than e^-20
    if beta != 1:
        raise ArchitectureError(f"softplus with beta {beta:g}; expected 1")
    return arrays.function("softplus", a)


def _softmax(arrays: Arrays, a: Operand, dim: int, *_: Any) -> Operand:
    return arrays.softmax(a, dim % len(a.shape))


def _layer_norm(
    arrays: Arrays,
    x: Operand,
    shape: Sequence[int],
    weight: Operand | None = None,
    bias: Operand | None = None,
    eps: float = 1e-5,
    *_: Any,
) -> Operand:
    found = _normalized(arrays, x, shape, eps, centred=True)
    found = found if weight is None else arrays.multiply(found, weight)
    return found if bias is None else arrays.add(found, bias)


def _rms_norm(
    arrays: Arrays, x: Operand, shape: Sequence[int], weight: Operand | None = None, eps: float | None = None
) -> Operand:
    # Without one the library takes the spacing of floats at one.
    found = _normalized(arrays, x, shape, 2.0**-52 if eps is None else eps, centred=False)
    return found if weight is None else arrays.multiply(found, weight)


def _normalized(arrays: Arrays, x: Operand, shape: Sequence[int], eps: float, *, centred: bool) -> Operand:
    if len(shape) != 1:
        raise ArchitectureError(f"a normalisation over {len(shape)} axes; expected one")
    return arrays.normalize(x, len(x.shape) - 1, centred=centred, epsilon=exact(eps))


def _group_norm(
    arrays: Arrays,
    x: Operand,
    groups: int,
    weight: Operand | None = None,
    bias: Operand | None = None,
    eps: float = 1e-5,
    *_: Any,
) -> Operand:
    return _by_channel(arrays, images.group_norm(arrays, x, groups, exact(eps)), weight, bias)


def _by_channel(arrays: Arrays, x: Operand, weight: Operand | None, bias: Operand | None) -> Operand:
    """Gain and offset of each channel, which are the second axis."""
    shape = [n if axis == 1 else 1 for axis, n in enumerate(x.shape)]
    x = x if weight is None else arrays.multiply(x, arrays.expand(weight, shape))
    return x if bias is None else arrays.add(x, arrays.expand(bias, shape))


def _convolution(
    arrays: Arrays,
    x: Operand,
    weight: Operand,
    bias: Operand | None = None,
    stride: Sequence[int] = (1, 1),
    padding: Sequence[int] | str = (0, 0),
    dilation: Sequence[int] = (1, 1),
    groups: int = 1,
) -> Operand:
    if set(dilation) != {1}:
        raise ArchitectureError(f"a convolution with dilation {tuple(dilation)}; expected none")
    if isinstance(padding, str):
        taps = weight.shape[2:]
        if padding == "same" and any(n % 2 == 0 for n in taps):
            raise ArchitectureError(f"a convolution of {taps} taps with padding to the same size; expected odd numbers")
        padding = [(n - 1) // 2 if padding == "same" else 0 for n in taps]
    both = [list(one) * (2 // len(one)) for one in (stride, padding)]
    return _by_channel(arrays, images.convolve(arrays, x, weight, both[0], both[1], groups), None, bias)


def _average_of_all(arrays: Arrays, x: Operand, size: Sequence[int]) -> Operand:
    if set(size) != {1}:
        raise ArchitectureError(f"an adaptive pooling to {tuple(size)}; expected (1, 1)")
    return arrays.reduce(x, [2, 3], "mean", keep=True)


def _batch_norm(
    arrays: Arrays,
    x: Operand,
    weight: Operand | None,
    bias: Operand | None,
    mean: Operand | None,
    variance: Operand | None,
    training: bool,
    momentum: float,
    eps: float,
    *_: Any,
) -> Operand:
    del momentum
    if training or not isinstance(mean, FixedArray) or not isinstance(variance, FixedArray):
        raise ArchitectureError(
            "BatchNorm in training mode couples the samples; expected evaluation mode, as with --evaluation"
        )
    shape = [n if axis == 1 else 1 for axis, n in enumerate(x.shape)]
    scale = 1.0 / (variance.array + eps) ** 0.5
    found = arrays.multiply(x, FixedArray(scale.reshape(shape)))
    found = arrays.add(found, FixedArray((-mean.array * scale).reshape(shape)))
    return _by_channel(arrays, found, weight, bias)


def _dropout(arrays: Arrays, x: Operand, p: float, train: bool) -> Operand:
    del arrays
    if train and p:
        raise ArchitectureError(
            f"Dropout with p = {p:g} in training mode draws; expected evaluation mode, as with --evaluation"
        )
    return x


def _attention(
    arrays: Arrays,
    query: Operand,
    key: Operand,
    value: Operand,
    attn_mask: Operand | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Operand:
    """softmax(q k^T / sqrt(width) + mask) v.

    Raises:
        ArchitectureError: a mask that depends on the input.
    """
    if enable_gqa:
        key, value = (_for_each_head(arrays, one, query.shape[-3]) for one in (key, value))
    _ = _dropout(arrays, query, dropout_p, train=True)
    rank, width = len(query.shape), query.shape[-1]
    front = list(range(rank - 2))
    scores = arrays.contract(query, key, ([rank - 1], [rank - 1]), (front, front))
    factor = exact(float(width) ** -0.5 if scale is None else scale)
    scores = arrays.multiply(arrays.number(factor), scores)
    if is_causal:
        array = import_module("numpy").tri(*scores.shape[-2:], dtype=bool)
        scores = arrays.mask(scores, FixedArray(array))
    if isinstance(attn_mask, FixedArray):
        boolean = attn_mask.array.dtype == bool
        scores = arrays.mask(scores, attn_mask) if boolean else arrays.add(scores, attn_mask)
    elif attn_mask is not None:
        raise ArchitectureError("a mask that depends on the input")
    return arrays.contract(arrays.softmax(scores, rank - 1), value, ([rank - 1], [rank - 2]), (front, front))


def _for_each_head(arrays: Arrays, shared: Operand, heads: int) -> Operand:
    """Keys or values that several heads in a row share, once for each of them."""
    *front, own, tokens, width = shared.shape
    beside = arrays.reshape(shared, (*front, own, 1, tokens, width))
    repeated = arrays.repeat(beside, (*front, own, heads // own, tokens, width))
    return arrays.reshape(repeated, (*front, heads, tokens, width))


def _masked_fill(arrays: Arrays, x: Operand, mask: Operand, value: Any) -> Operand:
    number = float(value.array) if isinstance(value, FixedArray) else value
    if not isinstance(mask, FixedArray) or not isinstance(x, Value):
        raise ArchitectureError("a mask that depends on the input")
    if number <= HIDDEN:
        return arrays.mask(x, FixedArray(~mask.array.astype(bool)))
    if number == 0:
        return arrays.multiply(x, FixedArray(~mask.array.astype(bool) * 1.0))
    raise ArchitectureError(f"a mask that puts {number:g}; expected zero or -infinity")


def _where(arrays: Arrays, which: Operand, a: Any, b: Any) -> Operand:
    for kept, other, negate in ((a, b, True), (b, a, False)):
        number = _single(other)
        if isinstance(which, FixedArray) and isinstance(kept, Value) and number is not None:
            mask = which.array.astype(bool)
            return _masked_fill(arrays, kept, FixedArray(~mask if negate else mask), number)
    raise ArchitectureError("a choice that depends on the input, or between two tensors")


def _single(one: Any) -> float | None:
    if isinstance(one, FixedArray):
        first = one.array.reshape(-1)[0]
        return float(first) if bool((one.array == first).all()) else None
    return float(one) if isinstance(one, int | float) else None


def _reduced(kind: str) -> Callable[..., Operand]:
    def handler(arrays: Arrays, a: Operand, dim: Any = None, keepdim: bool = False, **_: Any) -> Operand:
        axes = range(len(a.shape)) if dim is None else [dim] if isinstance(dim, int) else dim
        return arrays.reduce(a, [axis % len(a.shape) for axis in axes], kind, keep=keepdim)

    return handler


def _view(arrays: Arrays, a: Operand, shape: Sequence[int]) -> Operand:
    total, known = 1, 1
    for n in a.shape:
        total *= n
    for n in shape:
        known *= n if n != -1 else 1
    return arrays.reshape(a, [total // known if n == -1 else n for n in shape])


def _unflatten(arrays: Arrays, a: Operand, dim: int, sizes: Sequence[int]) -> Operand:
    dim %= len(a.shape)
    return _view(arrays, a, [*a.shape[:dim], *sizes, *a.shape[dim + 1 :]])


def _flatten(arrays: Arrays, a: Operand, start: int = 0, end: int = -1) -> Operand:
    start, end = start % len(a.shape), end % len(a.shape)
    return _view(arrays, a, [*a.shape[:start], -1, *a.shape[end + 1 :]])


def _transpose(arrays: Arrays, a: Operand, first: int = 0, second: int = 1) -> Operand:
    order = list(range(len(a.shape)))
    order[first], order[second] = order[second], order[first]
    return arrays.transpose(a, order)


def _unsqueeze(arrays: Arrays, a: Operand, dim: int) -> Operand:
    dim %= len(a.shape) + 1
    return arrays.reshape(a, [*a.shape[:dim], 1, *a.shape[dim:]])


def _squeeze(arrays: Arrays, a: Operand, dim: Any = None) -> Operand:
    axes = range(len(a.shape)) if dim is None else [dim] if isinstance(dim, int) else dim
    gone = {axis % len(a.shape) for axis in axes}
    return arrays.reshape(a, [n for axis, n in enumerate(a.shape) if n != 1 or axis not in gone])


def _expand(arrays: Arrays, a: Operand, shape: Sequence[int], **_: Any) -> Operand:
    sizes = (1,) * (len(shape) - len(a.shape)) + a.shape
    a = arrays.expand(a, sizes)
    return arrays.repeat(a, [n if n != -1 else own for n, own in zip(shape, sizes, strict=True)])


def _select(arrays: Arrays, a: Operand, dim: int, index: int) -> Operand:
    dim %= len(a.shape)
    index %= a.shape[dim]
    cut = arrays.slice(a, dim, index, index + 1)
    return arrays.reshape(cut, [n for axis, n in enumerate(cut.shape) if axis != dim])


def _slice(
    arrays: Arrays, a: Operand, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Operand:
    if step != 1:
        raise ArchitectureError("a slice with steps")
    size = a.shape[dim]
    first, last, _ = slice(start, end).indices(size)
    return arrays.slice(a, dim % len(a.shape), first, last)


def _split(arrays: Arrays, a: Operand, sizes: Any, dim: int = 0) -> list[Operand]:
    whole = a.shape[dim]
    parts = list(sizes) if not isinstance(sizes, int) else [min(sizes, whole - k) for k in range(0, whole, sizes)]
    found, start = list[Operand](), 0
    for size in parts:
        found.append(arrays.slice(a, dim % len(a.shape), start, start + size))
        start += size
    return found


def _chunk(arrays: Arrays, a: Operand, chunks: int, dim: int = 0) -> list[Operand]:
    return _split(arrays, a, -(-a.shape[dim] // chunks), dim)


def _unbind(arrays: Arrays, a: Operand, dim: int = 0) -> list[Operand]:
    return [_select(arrays, a, dim, k) for k in range(a.shape[dim])]


def _cat(arrays: Arrays, several: Sequence[Operand], dim: int = 0) -> Operand:
    return arrays.concatenate(several, dim % len(several[0].shape))


def _same(arrays: Arrays, a: Operand, *_: Any, **__: Any) -> Operand:
    del arrays
    return a


def _named(name: str) -> Callable[..., Operand]:
    return lambda arrays, a: arrays.function(name, a)


def _binary(name: str) -> Callable[..., Operand]:
    return lambda arrays, a, b: getattr(arrays, name)(_operand(arrays, a), _operand(arrays, b))


_FUNCTIONS = ("tanh", "sigmoid", "relu", "silu", "exp", "erf", "erfc", "sqrt", "rsqrt", "neg", "square")
_AS_IT_IS = (
    "contiguous",
    "clone",
    "to",
    "_to_copy",
    "type_as",
    "detach",
    "alias",
    "lift_fresh_copy",
)

_HANDLERS: dict[str, Callable[..., Any]] = {
    **{name: _named(name) for name in _FUNCTIONS},
    **dict.fromkeys(_AS_IT_IS, _same),
    "_assert_tensor_metadata": _same,
    "linear": _linear,
    "matmul": _matmul,
    "mm": _matmul,
    "bmm": _matmul,
    "addmm": _addmm,
    "addcmul": _addcmul,
    "add": _add(1),
    "sub": _add(-1),
    "rsub": _swapped(_add(-1)),
    "mul": _binary("multiply"),
    "div": _binary("divide"),
    "reciprocal": lambda arrays, a: arrays.divide(arrays.number(1), a),
    "pow": _power,
    "gelu": _gelu,
    "softplus": _softplus,
    "softmax": _softmax,
    "_softmax": _softmax,
    "layer_norm": _layer_norm,
    "rms_norm": _rms_norm,
    "batch_norm": _batch_norm,
    "group_norm": _group_norm,
    "conv2d": _convolution,
    "adaptive_avg_pool2d": _average_of_all,
    "dropout": _dropout,
    "scaled_dot_product_attention": _attention,
    "masked_fill": _masked_fill,
    "where": _where,
    "mean": _reduced("mean"),
    "sum": _reduced("sum"),
    "view": _view,
    "reshape": _view,
    "_unsafe_view": _view,
    "unflatten": _unflatten,
    "flatten": _flatten,
    "t": _transpose,
    "transpose": _transpose,
    "numpy_T": _transpose,
    "permute": lambda arrays, a, order: arrays.transpose(a, order),
    "unsqueeze": _unsqueeze,
    "squeeze": _squeeze,
    "expand": _expand,
    "select": _select,
    "slice": _slice,
    "split": _split,
    "split_with_sizes": _split,
    "chunk": _chunk,
    "unbind": _unbind,
    "cat": _cat,
}
