"""The words that stand for contractions with patterns: what `axes` makes of them, recognised again for a reader."""

from __future__ import annotations

from functools import cache

from resproof.architectures.axes import conv2d
from resproof.architectures.expressions import Constant, Einsum, Expression, Input, Weight


def convolution(node: Einsum) -> tuple[Expression, Expression, str] | None:
    """The image, the kernel and the further arguments of a `conv2d`; None where it is none."""
    chain = _chain(node)
    if chain is None or tuple(one.pattern for one in chain) not in _patterns():
        return None
    kernel, *windows = (one.operands[0] for one in chain)
    found = [_border(one) for one in windows if isinstance(one, Constant)]
    if None in found or len(found) < 2 or found[0] != found[1]:
        return None
    return chain[-1].operands[1], kernel, found[0] or ""


def _chain(node: Einsum) -> tuple[Einsum, Einsum, Einsum] | None:
    match node.operands:
        case (_, Einsum(operands=(_, Einsum(operands=(_, _)) as columns)) as rows):
            return node, rows, columns
        case _:
            return None


@cache
def _patterns() -> frozenset[tuple[str, ...]]:
    """Of a convolution with all channels, and of one in each channel."""
    image = Input("c", "y", "x")
    chains = (_chain(conv2d(image, Weight(*shape))) for shape in (("o", "c", 3, 3), ("c", 3, 3)))
    return frozenset(tuple(one.pattern for one in chain) for chain in chains if chain is not None)


def _border(window: Constant) -> str | None:
    """The stride and the padding where they are not those that keep the size; None for what is no window."""
    word, *numbers = str(window.value).split(" ")
    if word != "window":
        return None
    stride, padding = map(int, numbers)
    taps = window.shape[2]
    same = stride == 1 and isinstance(taps, int) and 2 * padding == taps - 1
    return "" if same else f", stride={stride}, padding={padding}"


def inside(node: Expression) -> tuple[Expression, ...]:
    """The nodes that a word hides."""
    chain = _chain(node) if isinstance(node, Einsum) and convolution(node) else None
    return () if chain is None else chain[1:]


def slice_of(node: Einsum) -> tuple[Expression, str] | None:
    """An operand and the places start:stop taken of one of its axes; None for another contraction."""
    match node:
        case Einsum(operands=(Constant(value=str() as pattern, shape=(_, count)), operand)) if pattern.startswith(
            "take"
        ):
            start, step = map(int, pattern.split(" ")[1:])
            (along, taken), names = node.inputs
            expected = tuple(taken if name == along else name for name in names)
            if along not in names or node.output != expected or step != 1:
                return None
            return operand, f"[{':, ' * names.index(along)}{start}:{start + int(count)}]"
        case _:
            return None
