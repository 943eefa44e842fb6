"""Operations on images (1, channels, y, x): convolutions, and normalisations of groups of channels.

A convolution is a product with shifts along y and x, the language's pattern "window"; one of a single tap has none.
With groups, each has a kernel of its own for its channels (g, i):

    v_(g, o, p, q) = sum_(i, a, b) W_(g, o, i, a, b) u_(g, i, stride p + a - padding, stride q + b - padding).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from resproof.architectures.algebra import window
from resproof.architectures.errors import ArchitectureError
from resproof.architectures.importers.arrays import Arrays, Open, Operand, Role, Value
from resproof.architectures.importers.matrices import Term, written
from resproof.architectures.nodes import Constant
from resproof.architectures.values import Scalar

_IMAGE = (Role.ONE, Role.ROW, Role.COLUMN, Role.LAYER)


def convolve(
    arrays: Arrays, image: Operand, kernel: Operand, stride: Sequence[int], padding: Sequence[int], groups: int
) -> Value:
    """The convolution with a kernel (out, in of a group, taps along y, taps along x).

    Raises:
        ArchitectureError: what is convolved is no image, or the kernel is computed.
    """
    image = _image(image, "a convolution")
    if not isinstance(kernel, Open) or len(kernel.shape) != 4:
        raise ArchitectureError("a convolution with a kernel that is no parameter as it is")
    matrices, (u,) = arrays.leaves.matrices, image.parts
    out = kernel.shape[0]
    each, grouped = groups == out == image.shape[1], None
    if groups == 1 or each:
        names, places = ("o c", "c", "o") if groups == 1 else ("c", "c", "c"), [0, 1] if groups == 1 else [0]
    else:
        names, places, grouped = ("g o i", "g i", "g o"), [0, 1, 2], _grouped(kernel, groups)
        u = _parted(arrays, u, groups)
    patterns, shifts = [names[0]], list[Constant]()
    before, after = f"{names[1]} y x", f"{names[2]} y x"
    if {*kernel.shape[2:], *stride} != {1} or any(padding):
        after = f"{names[2]} p q"
        places += [n + (grouped is not None) for n in (2, 3)]
        patterns = [f"{names[0]} a b", "y p a", "x q b"]
        for size, taps, step, border in zip(image.shape[2:], kernel.shape[2:], stride, padding, strict=True):
            shifts.append(window(written(u), size, taps, step, border))
    weight = _kernel(arrays, kernel, places, grouped)
    pattern = f"{', '.join((*patterns, before))} -> {after}"
    found = matrices.contraction(pattern, weight, *shifts, u, word="conv2d" if shifts and not grouped else None)
    return _as_image(_whole(arrays, found) if grouped else found)


def _own_axes(kernel: Open) -> list[int]:
    """The axes of the parameter that are those of the kernel.

    Raises:
        ArchitectureError: the kernel is a part of its parameter.
    """
    axes = [axis for axis in kernel.axes if axis is not None]
    if len(axes) < len(kernel.axes) or any(
        r != (0, n) for r, n in zip(kernel.ranges, kernel.parameter.shape, strict=True)
    ):
        raise ArchitectureError("a convolution with a part of a parameter")
    return axes


def _grouped(kernel: Open, groups: int) -> tuple[int, ...]:
    """The parameter's shape with its axis of channels that come out taken apart."""
    out, shape = _own_axes(kernel)[0], kernel.parameter.shape
    return (*shape[:out], groups, shape[out] // groups, *shape[out + 1 :])


def _kernel(arrays: Arrays, kernel: Open, places: Sequence[int], grouped: tuple[int, ...] | None) -> Term:
    """The kernel as a tensor of these of its axes; where it is grouped, the first is two."""
    axes = _own_axes(kernel)
    if grouped is not None:
        first = axes[0]
        axes = [first, *(axis + (axis >= first) for axis in (first, *axes[1:]))]
    ranges = tuple((0, n) for n in grouped or kernel.parameter.shape)
    return arrays.leaves.term(kernel.parameter, ranges, tuple(axes[k] for k in places), grouped)


def group_norm(arrays: Arrays, image: Operand, groups: int, epsilon: Scalar) -> Value:
    """Each group of channels centred and scaled to unit variance, over its places and channels together.

    Raises:
        ArchitectureError: it is no image.
    """
    image = _image(image, "a group normalisation")
    matrices, (u,), (channels, y, x) = arrays.leaves.matrices, image.parts, image.shape[1:]
    if groups == 1:
        every = Constant("split", (prod((channels, y, x)), channels, y, x))
        flat = matrices.contraction("n c y x, c y x -> n", every, u)
        found = matrices.contraction("n c y x, n -> c y x", every, matrices.normalize(flat, 0, True, epsilon))
        return _as_image(found)
    width = channels // groups
    every = Constant("split", (width * y * x, width, y, x))
    flat = matrices.contraction("n k y x, g k y x -> g n", every, _parted(arrays, u, groups))
    found = matrices.contraction("n k y x, g n -> g k y x", every, matrices.normalize(flat, 1, True, epsilon))
    return _as_image(_whole(arrays, found))


def _parted(arrays: Arrays, u: Term, groups: int) -> Term:
    """The channels as groups of channels."""
    channels = int(u.shape[0])
    parted = Constant("split", (channels, groups, channels // groups))
    return arrays.leaves.matrices.contraction("c g k, c y x -> g k y x", parted, u)


def _whole(arrays: Arrays, u: Term) -> Term:
    """Groups of channels as channels."""
    groups, width = map(int, u.shape[:2])
    parted = Constant("split", (groups * width, groups, width))
    return arrays.leaves.matrices.contraction("c g k, g k y x -> c y x", parted, u)


def _image(one: Operand, what: str) -> Value:
    """The operand as an image.

    Raises:
        ArchitectureError: it is none.
    """
    whole = isinstance(one, Value) and len(one.shape) == 4 and one.shape[0] == 1 and len(one.parts) == 1
    if (
        not isinstance(one, Value)
        or not whole
        or any(role not in (Role.ONE, expected) for role, expected in zip(one.roles, _IMAGE, strict=True))
    ):
        raise ArchitectureError(f"{what} of an array of shape {one.shape}; expected an image (1, channels, y, x)")
    return one


def _as_image(u: Term) -> Value:
    sizes = (1, *map(int, u.shape))
    return Value((u,), tuple(Role.ONE if n == 1 else role for role, n in zip(_IMAGE, sizes, strict=True)), sizes)
