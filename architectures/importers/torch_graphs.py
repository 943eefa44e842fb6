"""A torch module read from the graph that torch.export makes of it.

The graph has the operators of the library (aten) by name, each with the lines of the user's file that it comes from.
Everything is in double precision, what the module itself takes to single precision too. Operators on tensors that do
not depend on the input are run as they are. Dropout and batch normalisation are read in evaluation mode; in training
mode they draw, or mix the samples, and are refused.
"""

from __future__ import annotations

import copy
import math
import re
import warnings
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from typing import Any

from resproof.architectures.errors import ArchitectureError
from resproof.architectures.importers.leaves import Parameter
from resproof.architectures.importers.primitives import FUNCTIONS, Arrays, Fixed, Leaf, Operand, Step, Value
from resproof.architectures.importers.reading import Reader, Reading, one_sample, place, reading


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
    _with_own_epsilon(module)
    module = module.double()
    if evaluation:
        module = module.eval()
    batched = tuple(shape) if len(shape) > 1 else (2, *shape)
    example = torch.zeros(one_sample(file, batched), dtype=torch.double)
    try:
        with _quietly():
            with _double_precision():
                exported = torch.export.export(module, (example,), strict=False)
            exported = exported.run_decompositions(_decompositions())
    except Exception as error:
        first = re.split(r"\n|  +", str(error).strip())[0]
        raise ArchitectureError(f"{file}: torch.export fails with {type(error).__name__}: {first}") from None
    known = {p.name: p for p in parameters}
    first_names = {id(tensor): name for name, tensor in module.named_parameters()}
    known |= {name: known[first_names[id(tensor)]] for name, tensor in module.named_parameters(remove_duplicate=False)}

    def walk(reader: Reader, start: Value) -> Operand:
        return _run(reader, exported, _placeholders(exported, reader.arrays, known, start))

    return reading(file, walk, parameters, TorchProgram(module), batched)


def _decompositions() -> Any:
    """How operators fall apart, those left out that the table has whole."""
    table = _torch().export.default_decompositions()
    for operator in list(table):
        if _name(operator) in _WHOLE:
            del table[operator]
    return table


def _with_own_epsilon(module: Any) -> None:
    """An RMSNorm without an epsilon has the spacing of its own floats at one, before these are made double."""
    torch = _torch()
    for one in module.modules():
        if isinstance(one, torch.nn.RMSNorm) and one.eps is None:
            weight = next(one.parameters(), next(module.parameters(), torch.zeros(())))
            one.eps = torch.finfo(weight.dtype).eps


def _placeholders(
    exported: Any, arrays: Arrays, known: Mapping[str, Parameter], start: Value
) -> Callable[[str], Operand]:
    """What each placeholder of the graph stands for."""
    signature = exported.graph_signature
    constants = {
        **dict(signature.inputs_to_buffers),
        **dict(signature.inputs_to_lifted_tensor_constants),
    }

    def of(name: str) -> Operand:
        if name in signature.inputs_to_parameters:
            return arrays.parameter(known[signature.inputs_to_parameters[name]])
        if name in constants:
            key = constants[name]
            tensor = exported.state_dict[key] if key in exported.state_dict else exported.constants[key]
            return Fixed(tensor.detach().cpu().numpy())
        return start

    return of


@contextmanager
def _quietly() -> Generator[None]:
    """What the exporter warns of is about itself."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _array(tensor: Any) -> Any:
    """A tensor's entries in its own precision, or in single precision where NumPy has no such."""
    there = tensor.detach().cpu()
    return (there if there.dtype in {_torch().float32, _torch().float64} else there.float()).numpy()


def _torch() -> Any:
    return import_module("torch")


@contextmanager
def _double_precision() -> Generator[None]:
    """While it is entered, whatever asks for another precision of floats, or for none, gets double precision."""
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

    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with DoublePrecision():
            yield
    finally:
        torch.set_default_dtype(before)


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


def _run(reader: Reader, exported: Any, placeholder: Callable[[str], Operand]) -> Operand:
    """What the graph returns.

    Raises:
        ArchitectureError: several tensors, or an operator that cannot be read.
    """
    values: dict[Any, Any] = {}

    def of(argument: Any) -> Any:
        if isinstance(argument, list | tuple):
            return [of(one) for one in argument]
        return values.get(argument, argument) if _is_node(argument) else argument

    for node in exported.graph.nodes:
        if node.op == "placeholder":
            values[node] = placeholder(node.name)
        elif node.op == "get_attr":
            values[node] = getattr(exported.graph_module, node.target)
        elif node.op == "call_function":
            values[node] = _called(reader, node, of(node.args), {key: of(value) for key, value in node.kwargs.items()})
        else:
            (results,) = node.args
            if len(results) != 1:
                raise ArchitectureError(f"{reader.file}: the module returns {len(results)} tensors; expected one")
            return values[results[0]]
    raise ArchitectureError(f"{reader.file}: the module returns nothing")


def _called(reader: Reader, node: Any, arguments: Sequence[Any], named: Mapping[str, Any]) -> Any:
    name = _name(node.target)
    frames = re.findall(r'File "([^"]+)", line (\d+)', node.meta.get("stack_trace") or "")
    where = place([(file, int(line)) for file, line in reversed(frames)], reader.file)
    with reader.at(where, _said(node, name)):
        if name == "getitem":
            return arguments[0][arguments[1]]
        if not _operands([*arguments, *named.values()]):
            return _computed(node.target, arguments, named)
        if name in _HANDLERS:
            found: Any = _HANDLERS[name](reader.arrays, *arguments, **named)
        elif name in FUNCTIONS:
            found = reader.arrays.function(name, arguments[0])
        else:
            raise ArchitectureError("the language has no such operation")
    for one in found if isinstance(found, list) else [found]:
        reader.note(one, where)
    return found


def _is_node(argument: Any) -> bool:
    return isinstance(argument, import_module("torch.fx").Node)


def _name(target: Any) -> str:
    """An operator without its overload: linear for aten.linear.default."""
    shown = str(target)
    return shown.split(".")[1].rstrip("_") if shown.startswith("aten.") else getattr(target, "__name__", shown)


def _said(node: Any, name: str) -> str:
    """The operation as the user wrote it, where the exporter has kept that: relu for function.relu."""
    kept = node.meta.get("torch_fn")
    return str(kept[1]).rsplit(".", 1)[-1] if kept else name


def _operands(arguments: Sequence[Any]) -> bool:
    """Whether something among the arguments depends on the input, or on a parameter."""
    return any(
        isinstance(one, Value | Leaf | Step) or (isinstance(one, list) and _operands(one))  # pyright: ignore[reportUnknownArgumentType]
        for one in arguments
    )


def _computed(target: Any, arguments: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """An operator on fixed tensors, run."""
    torch = _torch()

    def tensor(one: Any) -> Any:
        if isinstance(one, list):
            return [tensor(each) for each in one]  # pyright: ignore[reportUnknownVariableType]
        return torch.as_tensor(one.array) if isinstance(one, Fixed) else one

    found = target(*map(tensor, arguments), **{key: tensor(value) for key, value in named.items()})
    if isinstance(found, list | tuple):
        return [Fixed(one.numpy()) for one in found]
    return Fixed(found.numpy()) if isinstance(found, torch.Tensor) else found


# The table.


def _linear(arrays: Arrays, x: Operand, weight: Operand, bias: Operand | None = None) -> Operand:
    found = arrays.contract(x, weight, ([len(x.shape) - 1], [1]), ([], []))
    return found if bias is None else arrays.add(found, bias)


def _matmul(arrays: Arrays, a: Operand, b: Operand) -> Operand:
    front = list(range(len(a.shape) - 2))
    return arrays.contract(a, b, ([len(a.shape) - 1], [len(b.shape) - 2]), (front, front))


def _addmm(arrays: Arrays, bias: Operand, a: Operand, b: Operand, *, beta: float = 1, alpha: float = 1) -> Operand:
    product = _matmul(arrays, a, b)
    scaled = [one if factor == 1 else arrays.multiply(factor, one) for factor, one in ((alpha, product), (beta, bias))]
    return arrays.add(*scaled)


def _sum(operation: str, *, turned: bool = False) -> Callable[..., Operand]:
    def handler(arrays: Arrays, a: Any, b: Any, alpha: float = 1) -> Operand:
        b = b if alpha == 1 else arrays.multiply(alpha, b)
        return getattr(arrays, operation)(*((b, a) if turned else (a, b)))

    return handler


def _comparison(*, turned: bool) -> Callable[..., Any]:
    return lambda arrays, a, b: arrays.compared(*((b, a) if turned else (a, b)))


def _gelu(arrays: Arrays, a: Operand, approximate: str = "none") -> Operand:
    return arrays.function("gelu" if approximate == "none" else "gelu_tanh", a)


def _softplus(arrays: Arrays, a: Operand, beta: float = 1, threshold: float = 20) -> Operand:
    del threshold  # beyond it the library takes x itself, which differs by less than e^-20
    return arrays.divide(arrays.function("softplus", arrays.multiply(beta, a)), beta)


def _elu(arrays: Arrays, a: Operand, alpha: float = 1, scale: float = 1, inner: float = 1) -> Operand:
    over, inside = arrays.function("relu", a), arrays.function("relu", arrays.multiply(-1, a))
    under = arrays.function("expm1", arrays.multiply(-inner, inside))
    return arrays.multiply(scale, arrays.add(over, arrays.multiply(alpha, under)))


def _leaky_relu(arrays: Arrays, a: Operand, slope: float = 0.01) -> Operand:
    under = arrays.function("relu", arrays.multiply(-1, a))
    return arrays.subtract(arrays.function("relu", a), arrays.multiply(slope, under))


def _layer_norm(
    arrays: Arrays, x: Operand, shape: Sequence[int], weight: Any = None, bias: Any = None, eps: float = 1e-5, *_: Any
) -> list[Operand]:
    rank = len(x.shape)
    found = arrays.normalise(x, range(rank - len(shape), rank), centred=True, epsilon=eps)
    found = found if weight is None else arrays.multiply(found, weight)
    return [found if bias is None else arrays.add(found, bias)]


def _group_norm(
    arrays: Arrays, x: Operand, weight: Any, bias: Any, n: int, channels: int, size: int, groups: int, eps: float
) -> list[Operand]:
    del n, size
    apart = arrays.reshape(x, (1, groups, channels // groups, *x.shape[2:]))
    found = arrays.normalise(apart, range(2, len(apart.shape)), centred=True, epsilon=eps)
    return [_by_channel(arrays, arrays.reshape(found, x.shape), weight, bias)]


def _instance_norm(
    arrays: Arrays, x: Operand, weight: Any, bias: Any, training: bool, momentum: float, eps: float
) -> list[Operand]:
    """Channels of one sample, as batch normalisation without statistics has them."""
    del training, momentum
    found = arrays.normalise(x, range(2, len(x.shape)), centred=True, epsilon=eps)
    return [_by_channel(arrays, found, weight, bias)]


def _by_channel(arrays: Arrays, x: Operand, weight: Operand | None, bias: Operand | None) -> Operand:
    """Gain and offset of each channel, which are the second axis."""
    shape = [n if axis == 1 else 1 for axis, n in enumerate(x.shape)]
    x = x if weight is None else arrays.multiply(x, arrays.reshape(weight, shape))
    return x if bias is None else arrays.add(x, arrays.reshape(bias, shape))


def _batch_norm(
    arrays: Arrays, x: Operand, weight: Any, bias: Any, mean: Any, variance: Any, momentum: float, eps: float
) -> list[Operand]:
    del momentum
    shape = [n if axis == 1 else 1 for axis, n in enumerate(x.shape)]
    scale = 1.0 / (variance.array + eps) ** 0.5
    found = arrays.multiply(x, Fixed(scale.reshape(shape)))
    found = arrays.add(found, Fixed((-mean.array * scale).reshape(shape)))
    return [_by_channel(arrays, found, weight, bias)]


def _batch_norm_in_training(*_: Any) -> Operand:
    raise ArchitectureError(
        "BatchNorm in training mode couples the samples; expected evaluation mode, as with --evaluation"
    )


def _convolution(
    arrays: Arrays,
    x: Operand,
    weight: Operand,
    bias: Operand | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
) -> Operand:
    del output_padding
    if transposed:
        raise ArchitectureError("a transposed convolution")
    dims = len(weight.shape) - 2
    stride, padding, dilation = (list(one) * (dims // len(one)) for one in (stride, padding, dilation))
    found = arrays.convolve(x, weight, stride, [(n, n) for n in padding], dilation, groups)
    return _by_channel(arrays, found, None, bias)


def _dropout(arrays: Arrays, x: Operand, p: float, train: bool = True) -> list[Operand]:
    del arrays
    if train and p:
        raise ArchitectureError(
            f"Dropout with p = {p:g} in training mode draws; expected evaluation mode, as with --evaluation"
        )
    return [x]


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
    _ = _dropout(arrays, query, dropout_p)
    rank, width = len(query.shape), query.shape[-1]
    front = list(range(rank - 2))
    scores = arrays.contract(query, key, ([rank - 1], [rank - 1]), (front, front))
    scores = arrays.multiply(float(width) ** -0.5 if scale is None else scale, scores)
    if is_causal:
        scores = arrays.mask(scores, import_module("numpy").tri(*scores.shape[-2:], dtype=bool))
    if isinstance(attn_mask, Fixed):
        boolean = attn_mask.array.dtype == bool
        scores = arrays.mask(scores, attn_mask.array) if boolean else arrays.add(scores, attn_mask)
    elif attn_mask is not None:
        scores = arrays.add(scores, attn_mask)
    return arrays.contract(arrays.softmax(scores, rank - 1), value, ([rank - 1], [rank - 2]), (front, front))


def _for_each_head(arrays: Arrays, shared: Operand, heads: int) -> Operand:
    """Keys or values that several heads in a row share, once for each of them."""
    *front, own, tokens, width = shared.shape
    beside = arrays.reshape(shared, (*front, own, 1, tokens, width))
    repeated = _expand(arrays, beside, (*front, own, heads // own, tokens, width))
    return arrays.reshape(repeated, (*front, heads, tokens, width))


def _reduction(kind: str) -> Callable[..., Operand]:
    def handler(arrays: Arrays, a: Operand, dim: Any = None, keepdim: bool = False, **_: Any) -> Operand:
        axes = range(len(a.shape)) if not dim and dim != 0 else [dim] if isinstance(dim, int) else dim
        return arrays.reduce(a, [axis % len(a.shape) for axis in axes], kind, keep=keepdim)

    return handler


def _variance(arrays: Arrays, a: Operand, dim: Any = None, *, correction: float = 1, keepdim: bool = False) -> Operand:
    axes = [axis % len(a.shape) for axis in (range(len(a.shape)) if dim is None else dim)]
    centred = arrays.subtract(a, arrays.reduce(a, axes, "mean", keep=True))
    count = math.prod(a.shape[axis] for axis in axes)
    found = arrays.reduce(arrays.power(centred, 2), axes, "mean", keep=keepdim)
    return arrays.multiply(Fraction(count) / (count - Fraction(correction)), found)


def _average_pool(
    arrays: Arrays,
    x: Operand,
    size: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0, 0),
    *_: Any,
) -> Operand:
    numpy, channels = import_module("numpy"), x.shape[1]
    kernel = Fixed(numpy.full((channels, 1, *size), 1.0 / math.prod(size)))
    return arrays.convolve(x, kernel, stride or size, [(n, n) for n in padding], (1, 1), channels)


def _view(arrays: Arrays, a: Operand, shape: Sequence[int]) -> Operand:
    known = math.prod(n for n in shape if n != -1)
    return arrays.reshape(a, [math.prod(a.shape) // known if n == -1 else n for n in shape])


def _unsqueeze(arrays: Arrays, a: Operand, dim: int) -> Operand:
    dim %= len(a.shape) + 1
    return arrays.reshape(a, [*a.shape[:dim], 1, *a.shape[dim:]])


def _squeeze(arrays: Arrays, a: Operand, dim: Any = None) -> Operand:
    axes = range(len(a.shape)) if dim is None else [dim] if isinstance(dim, int) else dim
    gone = {axis % len(a.shape) for axis in axes}
    return arrays.reshape(a, [n for axis, n in enumerate(a.shape) if n != 1 or axis not in gone])


def _expand(arrays: Arrays, a: Operand, shape: Sequence[int], **_: Any) -> Operand:
    new = len(shape) - len(a.shape)
    sizes = [n if n != -1 else a.shape[k - new] for k, n in enumerate(shape)]
    return arrays.broadcast(a, sizes, range(new, len(shape)))


def _select(arrays: Arrays, a: Operand, dim: int, index: int) -> Operand:
    dim, index = dim % len(a.shape), index % a.shape[dim]
    cut = arrays.slice(a, dim, index, index + 1)
    return arrays.reshape(cut, [n for axis, n in enumerate(cut.shape) if axis != dim])


def _slice(
    arrays: Arrays, a: Operand, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Operand:
    return arrays.slice(a, dim % len(a.shape), *slice(start, end, step).indices(a.shape[dim]))


def _pad(arrays: Arrays, a: Operand, sizes: Sequence[int], value: float = 0) -> Operand:
    if value or any(n < 0 for n in sizes):
        raise ArchitectureError(f"a padding by {tuple(sizes)} with {value:g}; expected zeros around what there is")
    for k in range(len(sizes) // 2):
        low, high = sizes[2 * k : 2 * k + 2]
        a = arrays.pad(a, len(a.shape) - 1 - k, low, high) if low or high else a
    return a


def _same(arrays: Arrays, a: Operand, *_: Any, **__: Any) -> Operand:
    del arrays
    return a


_WHOLE = {"linear", "scaled_dot_product_attention", "softplus", "silu", "log_sigmoid"}
"""What the exporter would take apart, and is in the table as it is."""

_HANDLERS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("clone", "_to_copy", "detach", "alias", "lift_fresh_copy", "contiguous"), _same),
    "_assert_tensor_metadata": _same,
    "linear": _linear,
    "mm": _matmul,
    "bmm": _matmul,
    "addmm": _addmm,
    "add": _sum("add"),
    "sub": _sum("subtract"),
    "rsub": _sum("subtract", turned=True),
    "mul": lambda arrays, a, b: arrays.multiply(a, b),
    "div": lambda arrays, a, b: arrays.divide(a, b),
    "maximum": lambda arrays, a, b: arrays.greater(a, b),
    "minimum": lambda arrays, a, b: arrays.less(a, b),
    "clamp": lambda arrays, a, low=None, high=None: arrays.clamp(a, low, high),
    "hardtanh": lambda arrays, a, low=-1, high=1: arrays.clamp(a, low, high),
    "pow": lambda arrays, a, exponent: arrays.power(a, exponent),
    "gt": _comparison(turned=False),
    "ge": _comparison(turned=False),
    "lt": _comparison(turned=True),
    "le": _comparison(turned=True),
    "where": lambda arrays, which, a, b: arrays.select(which, a, b),
    "gelu": _gelu,
    "softplus": _softplus,
    "elu": _elu,
    "leaky_relu": _leaky_relu,
    "_softmax": lambda arrays, a, dim, *_: arrays.softmax(a, dim % len(a.shape)),
    "native_layer_norm": _layer_norm,
    "native_group_norm": _group_norm,
    "_native_batch_norm_legit_no_training": _batch_norm,
    "_native_batch_norm_legit_functional": _batch_norm_in_training,
    "_native_batch_norm_legit": _instance_norm,
    "convolution": _convolution,
    "avg_pool2d": _average_pool,
    "native_dropout": _dropout,
    "scaled_dot_product_attention": _attention,
    "mean": _reduction("mean"),
    "sum": _reduction("sum"),
    "amax": _reduction("max"),
    "var": _variance,
    "view": _view,
    "permute": lambda arrays, a, order: arrays.transpose(a, order),
    "unsqueeze": _unsqueeze,
    "squeeze": _squeeze,
    "expand": _expand,
    "repeat": lambda arrays, a, times: arrays.repeat(a, times),
    "select": _select,
    "slice": _slice,
    "split_with_sizes": lambda arrays, a, sizes, dim=0: arrays.split(a, dim % len(a.shape), sizes),
    "cat": lambda arrays, several, dim=0: arrays.concatenate(several, dim % len(several[0].shape)),
    "constant_pad_nd": _pad,
}
