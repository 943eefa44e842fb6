"""What the language of architectures has to refuse, and the numbers, words and claims that are read beside it.

As in `proofs.refusals`, each is one step away from what is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from math import inf, nan
from typing import Any

import numpy as np

from resproof.architectures.activations import generic, polynomial, tanh
from resproof.architectures.algebra import average_pool, causal_mask, conv2d, einsum, layer_norm
from resproof.architectures.catalogue import biased, resnext
from resproof.architectures.forms.terms import Opaque
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Constant, Einsum, Input, Softmax, Weight, cut
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import identity_initial, normal, values_of
from resproof.numeric.backend import ops
from resproof.numeric.modular.identity import expand
from resproof.numeric.network.adjoint import hvp
from resproof.numeric.network.arithmetic import Residues
from resproof.numeric.network.parameters import given_sizes, initial_weights, unflatten
from resproof.numeric.network.taylor import loss_series
from resproof.numeric.spectra.contract import contract, environment
from resproof.symbolic.algebra.noncommutative import modulo, words
from resproof.symbolic.algebra.noncommutative import sizes as word_sizes
from resproof.symbolic.index.claims import parse
from resproof.symbolic.index.moments import expectation
from resproof.symbolic.index.series import constant, freeze
from resproof.symbolic.scope import Scope
from resproof.symbolic.written.jets import SparseJets

_WITH = Mapping[str, Callable[[], object]]
_h, _IMAGE, _LINE = Input("d"), Input("c", "y", "x"), Input(4)
_ANY: Any = object()
_V = Opaque("v", ("d",))


def _weight(initial: Any, *shape: int | str, **given: Any) -> Weight:
    return Weight(*shape or (2, 2), initial=initial, **given)


_OF_NODES: _WITH = {
    "eight axes": lambda: Input(*"abcdefgh"),
    "a negative epsilon": lambda: layer_norm(_h, epsilon=-1),
    "an epsilon that is a float": lambda: layer_norm(_h, epsilon=0.5),  # pyright: ignore[reportArgumentType]
    "a number that no float holds": lambda: _h + 10**301,
    "a number that floats take for 0": lambda: _h + Fraction(1, 10**301),
    "a float": lambda: _h + 0.5,  # pyright: ignore[reportOperatorIssue]
    "what is no expression": lambda: _h + _ANY,
    "a product with what is none": lambda: _h @ _ANY,
    "a product of three axes": lambda: Weight("d", "c") @ _IMAGE,
    "an image transposed": lambda: _IMAGE.T,
    "a dimension of nothing": lambda: Input(0),
    "a dimension that is a truth value": lambda: Input(True),
    "a dimension that is no name": lambda: Input("d+1"),
    "a pattern that is none": lambda: Constant("casual", "t", "t"),
    "a mask of another shape": lambda: Softmax(Input("t", "t"), 0, causal_mask("d")),
    "a mask that is a weight": lambda: Softmax(Input("t", "t"), 0, Weight("t", "t")),  # pyright: ignore[reportArgumentType]
    "a mask that is not along the last two axes": lambda: Softmax(Input("a", "t", "t"), 0, causal_mask("t")),
    "a variance that is a float": lambda: normal(0.5),  # pyright: ignore[reportArgumentType]
    "a variance of 0": lambda: normal(0),
    "a variance that no float holds": lambda: normal(10**301),
    "a variance over nothing": lambda: normal("1/"),
    "a window from one size with a name to another": lambda: Constant("window 1 1", "n", "k", 3),
    "places that are not there": lambda: Constant("take 2 1", 3, 2),
    "places before the first": lambda: Constant("take -1 1", 3, 2),
    "a padding less than nothing, in a window": lambda: Constant("window 1 -1", 4, 4, 1),
    "a power of nothing": lambda: _h**0,
    "a place that is no slice": lambda: _LINE[0],  # pyright: ignore[reportArgumentType]
    "places one of which is no slice": lambda: _LINE[0:1, 0],  # pyright: ignore[reportArgumentType]
    "places of a third axis": lambda: _LINE[:, :, 0:1],
    "places of an axis with a name": lambda: cut(_h, 0, 0, 1),
    "no places": lambda: cut(_LINE, 0, 2, 2),
    "a place beyond": lambda: cut(_LINE, 0, 3, 5),
    "a place before": lambda: cut(_LINE, 0, -1, 2),
    "steps of nothing": lambda: cut(_LINE, 0, 0, 2, 0),
    "no activation": lambda: biased(_ANY),
    "no branch": lambda: resnext(0),
    "a branch that is a truth value": lambda: resnext(True),
    "branches without end": lambda: resnext(201),
    "a polynomial of nothing": polynomial,
    "a value at 0 that is a float": lambda: generic("f", at_zero=0.5),  # pyright: ignore[reportArgumentType]
    "a value at 0 that is a truth value": lambda: generic("f", at_zero=True),
}
_OF_WEIGHTS: _WITH = {
    f"a weight that starts {where}": partial(_weight, *given)
    for where, given in {
        "nowhere": (_ANY,),
        "at no numbers": ([],),
        "at rows of unequal lengths": ([[1, 2], [3]],),
        "at what is no number": ([[1, nan], [0, 1]],),
        "at floats one of which is no number": ([[1.0, nan], [0.0, 1.0]],),
        "at what is infinite": ([[1.0, inf], [0.0, 1.0]],),
        "at more than floats hold": ([[1, 10**301], [0, 1]],),
        "at a truth value": ([[1, True], [0, 1]],),
        "at words": ([["1", 2], [3, 4]],),
        "at three axes": (np.ones((2, 2, 1)),),
        "at another shape": ([[1, 0, 0], [0, 1, 0]],),
        "at an identity that is not square": (identity_initial, "d", "k"),
        "at two sizes of one name": ([[1, 2]], "d", "d"),
    }.items()
} | {
    "a dimension of 10^9": lambda: Weight("d", 10**9),
    "floats too large to multiply, in an array": lambda: values_of(np.array([[1.0, 1e301]])),
    "floats too small to multiply, in an array": lambda: values_of(np.array([[1.0, 1e-301]])),
    "a weight that may be trained": lambda: Weight("d", trainable=_ANY),
    "a weight whose name is a number": lambda: Weight("d", name="1"),
    "a weight whose name is none": lambda: Weight("d", name=_ANY),
}
_OF_PATTERNS: _WITH = {
    "an axis whose name is none": lambda: einsum("i 1, 1 k -> i k", Input("d", "d"), Input("d", "d")),
    "an axis that occurs twice in an operand": lambda: einsum("i i, i j -> j", Input("d", "d"), Input("d", "d")),
    "an axis that occurs twice in the result": lambda: einsum("i j, j k -> i i", Input("d", "d"), Input("d", "d")),
    "an axis of the result that is nowhere": lambda: einsum("i j -> i k", Input("d", "d")),
    "one operand for two": lambda: einsum("i j, j k -> i k", Input("d", "d")),
    "an axis less": lambda: einsum("i, i k -> k", Input("d", "d"), Input("d", "d")),
    "an axis of two sizes": lambda: einsum("i j, j k -> i k", Input("d", "k"), Input("d", "d")),
    "three operands at once": lambda: Einsum("i j, j k, k l -> i l", (Input("d", "d"),) * 3),
    "an axis that is summed over alone": lambda: Einsum("i j, k l -> i l", (Input("d", "d"),) * 2),
    "an image without channels": lambda: conv2d(_h, Weight("k", "c", 3, 3)),
    "channels of another number": lambda: conv2d(_IMAGE, Weight("k", "d", 3, 3)),
    "a kernel of three channels": lambda: conv2d(_IMAGE, Weight("k", "c", "c", 3, 3)),
    "an even number of taps": lambda: conv2d(_IMAGE, Weight("k", "c", 2, 2)),
    "a stride of nothing": lambda: conv2d(_IMAGE, Weight("k", "c", 3, 3), stride=0),
    "a padding less than nothing": lambda: conv2d(_IMAGE, Weight("k", "c", 3, 3), padding=-1),
    "a stride on a name": lambda: conv2d(_IMAGE, Weight("k", "c", 3, 3), stride=2),
    "more taps than places": lambda: conv2d(Input("c", 2, 2), Weight("k", "c", 3, 3), padding=0),
    "squares of a vector": lambda: average_pool(_h, 2),
}
_OF_UNITS: _WITH = {
    "no units": lambda: Network(ResidualUnit(_h), 0),
    "units that are a truth value": lambda: Network(ResidualUnit(_h), True),
    "a unit that is an expression": lambda: Network(_h, 1),  # pyright: ignore[reportArgumentType]
    "a unit that is none": lambda: ResidualUnit(_ANY),
    "a unit of two inputs": lambda: ResidualUnit(_h + Input("d")),
    "a unit without one": lambda: ResidualUnit(Weight("d")),
    "a unit that changes the width": lambda: ResidualUnit(Weight("k", "d") @ _h),
    "a loss that is none": lambda: Network(ResidualUnit(_h), 1, _ANY),
    "instances that are none": Scope.of,
}
_TWO = ResidualUnit(_h + Weight("d", "d") @ tanh(_h))
_ONES = np.ones((2, 2))
_GIVEN = ResidualUnit(_h + Weight("k", "d", initial=[[1, 2], [3, 4]]).T @ (Weight("k", "d", initial=[[1, 2]]) @ _h))
_FROZEN = ResidualUnit(
    _h + Weight("d", "d", initial=normal(), trainable=False, name="P") @ (Weight("d", "d", name="W") @ _h)
)


def _contracted(text: str) -> object:
    env = environment(Network(_TWO, 1), _ONES, _ONES)
    return contract(freeze(parse(text, {"v": _V, "dW": Opaque("dW", ("d", "d"))}), {}), env)


_OF_ARRAYS: _WITH = {
    "a modulus of two": lambda: Residues(ops(np), 2),
    "a modulus that is no prime": lambda: Residues(ops(np), 15),
    "three axes modulo a prime": lambda: expand(
        Network(ResidualUnit(_IMAGE + Weight(1, 1, 1) * _IMAGE), 1), 1, {"c": 1, "y": 1, "x": 1, "m": 1}, ops(np)
    ),
    "no number of samples modulo a prime": lambda: expand(Network(_TWO, 1), 1, {"d": 1}, ops(np)),
    "no width modulo a prime": lambda: expand(Network(_TWO, 1), 1, {"m": 1}, ops(np)),
    "a tangent of another shape": lambda: hvp(
        Network(_TWO, 1), {"W1": _ONES[None]}, {"W1": np.ones((1, 2, 3))}, _ONES, _ONES
    ),
    "one number too many": lambda: unflatten(_TWO, np.ones(9), 2, {"d": 2}),
    "a variance over a size that is not there": lambda: initial_weights(
        ResidualUnit(_h + Weight("d", "d", initial=normal("1/n")) @ _h), 1, {"d": 2}, ops(np)
    ),
    "arrays of two sizes for one name": lambda: given_sizes(_GIVEN),
    "an array for another size": lambda: initial_weights(_GIVEN, 1, {"d": 3, "k": 2}, ops(np)),
    "frozen weights that are not given": lambda: hvp(
        Network(_FROZEN, 1), {"W": _ONES[None]}, {"W": _ONES[None]}, _ONES, _ONES
    ),
    "an order below 0": lambda: loss_series(
        Network(_TWO, 1), {"W1": _ONES[None]}, {"W1": _ONES[None]}, _ONES, _ONES, -1
    ),
    "a symbol without a value": lambda: _contracted("f'(0)"),
    "an array that is not there": lambda: _contracted("v[a] * v[a]"),
}
_OF_CLAIMS: _WITH = {
    f"a claim with {what}": partial(parse, text, {"v": _V})
    for what, text in {
        "an unknown tensor": "w[a]",
        "an index too many": "v[a,b]",
        "an open bracket": "v[a * v[b]",
        "a tensor to no power": "v[a]^0",
        "what is no symbol": "2x",
    }.items()
} | {
    "a sign without a term": lambda: words("A -"),
    "a relation that does not shorten": lambda: modulo(words("A B"), {"A B": "B A"}),
    "a letter without a shape": lambda: word_sizes({"A": ("d", "d")}, words("A B")),
    "letters that do not fit": lambda: word_sizes({"A": ("d", "k")}, words("A A")),
    "a letter that does not occur": lambda: word_sizes({"A": ("d", "d")}, words("A"), products={"B": "L"}),
    "the expectation over a vector": lambda: expectation(constant(1), _V, constant(1)),
    "jets of a third order": lambda: SparseJets(_ANY, 3),
}
OF_LANGUAGE: _WITH = {**_OF_NODES, **_OF_WEIGHTS, **_OF_PATTERNS, **_OF_UNITS, **_OF_ARRAYS, **_OF_CLAIMS}
"""What is wrong, and the call that has to end in a `ValueError`."""
