"""A stem in front of the units and a head behind them, both arbitrary: what they add to the loss up to second order.

The head makes the loss of a sample a function l(f; c) of the stream f and its own parameters c. With g, Q the
derivatives of l in f as everywhere, e = dl/dc, N = d^2 l / (df dc) and G = d^2 l / dc^2,

    degree one:  E[g f_1 + e c],    degree two:  E[g f_2 + 1/2 Q f_1 f_1 + N f_1 c + 1/2 G c c],

f_k being the part of degree k of the stream in the weights of stem and units. The stem, z -> X + T1 u + ..., is a
branch that nothing stands in front of.
"""

from __future__ import annotations

from resproof.architectures.forms.terms import LossDerivative, Opaque, Perturbation, Tensor
from resproof.symbolic.index.branches import ROW, SAMPLE, SAMPLES, TENSORS, WIDTH
from resproof.symbolic.index.claims import parse
from resproof.symbolic.index.series import Sum, contract, multiply, size, substitute, tensor

PARAMETERS, CLASSES = "o", "C"

HEAD: dict[str, Tensor] = {
    "e": Opaque("e", (PARAMETERS, SAMPLES)),
    "N": Opaque("N", (WIDTH, PARAMETERS, SAMPLES)),
    "G": Opaque("G", (PARAMETERS, PARAMETERS, SAMPLES)),
    "dc": Perturbation("c", 1, (PARAMETERS,)),
    "V": Opaque("V", (CLASSES, WIDTH)),
    "g'": LossDerivative(1, (CLASSES, SAMPLES)),
    "Q'": LossDerivative(2, (CLASSES, CLASSES, SAMPLES)),
    **TENSORS,
}
"""What a claim about a network with a head may name; V, g' and Q' of a linear head and its logits."""

_FREE = {"i": ROW, "u": SAMPLE}


def border(first: Sum) -> Sum:
    """E[N f_1 c] for a first-degree part of the stream."""
    mixed = multiply(parse("N[i,b,u] * dc[b]", HEAD, _FREE), first)
    return multiply(size(SAMPLES, -1), contract(mixed, {ROW: WIDTH, SAMPLE: SAMPLES}))


def gradient(first: Sum) -> Sum:
    """E[g f_1] for a first-degree part of the stream."""
    slope = multiply(tensor(TENSORS["g"], (ROW, SAMPLE)), first)
    return multiply(size(SAMPLES, -1), contract(slope, {ROW: WIDTH, SAMPLE: SAMPLES}))


def head_alone() -> tuple[Sum, Sum]:
    """E[e c] and 1/2 E[G c c]."""
    return parse("m^-1 * e[b,u] * dc[b]", HEAD), parse("1/2 * m^-1 * G[a,b,u] * dc[a] * dc[b]", HEAD)


def linear_head(form: Sum) -> Sum:
    """The form with g = V^T g' and Q = V^T Q' V, as where l is a function of V f."""
    slopes = parse("V[k,i] * g'[k,u]", HEAD, {"i": -1, "u": -2})
    curvature = parse("V[k,i] * Q'[k,l,u] * V[l,j]", HEAD, {"i": -1, "j": -2, "u": -3})
    return substitute(substitute(form, TENSORS["g"], slopes), TENSORS["Q"], curvature)
