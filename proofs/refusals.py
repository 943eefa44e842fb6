"""What the engines have to refuse: data, sizes, weights and claims of which no number says anything.

Each is one step away from what is taken, so that the check that refuses it is seen at work.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import inf, nan
from typing import Any

import numpy as np

from resproof.architectures.activations import tanh
from resproof.architectures.catalogue import attention, n_shortcut, pre_norm
from resproof.architectures.estimate import refuse_enormous
from resproof.architectures.losses import Loss, cross_entropy, squared
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import normal
from resproof.numeric.backend import device
from resproof.numeric.data import bind, check_data, check_targets
from resproof.numeric.modular.identity import expand, held_against
from resproof.numeric.network.adjoint import gradient, hvp, jvp, outputs, value
from resproof.numeric.network.parameters import sizes_of
from resproof.numeric.network.running_error import bounded_derivatives
from resproof.numeric.spectra.toeplitz import extremes
from resproof.proofs.demystifying_resnet.sphere import LEAST_RHO, shortest_path
from resproof.proofs.digits import whiten
from resproof.proofs.refusals_of_language import OF_LANGUAGE
from resproof.symbolic.algebra.matrices import inertia, matrix
from resproof.symbolic.index.claims import parse, vocabulary
from resproof.symbolic.index.series import freeze
from resproof.symbolic.written.explicit import loss_series, output_at_initial_point, stationary_order
from resproof.symbolic.written.plans import Instance
from resproof.symbolic.written.reduction import second_derivatives

_UNIT, _OF_TOKENS = ResidualUnit(n_shortcut(2, tanh, tanh, tanh)), ResidualUnit(attention())
_LINEAR = ResidualUnit(n_shortcut(2))
_OF_IMAGES = ResidualUnit((_image := Input("c", "y", "x")) + Weight(1, 1, 1) * _image)
_H = Input("d")
_DOUBLED = ResidualUnit(_H + _H + Weight("d", "d") @ _H)
_OF_THREE = ResidualUnit(n_shortcut(1, width=3))
_X = np.array([[1.0, 2.0], [3.0, -1.0], [1.0, 1.0]])
_WEIGHTS = {name: np.ones((2, 3, 3)) for name in ("W1", "W2")}
_WITH = Mapping[str, Callable[[], object]]


def _targets(y: object, loss: Loss = cross_entropy) -> object:
    return check_targets("data", _UNIT, loss, _X, y)


def _exact(x: object, y: object) -> object:
    return loss_series(Network(_UNIT, 1), {"d": 2}, data=Instance(x, y))  # pyright: ignore[reportArgumentType]


def _modular(closed: Mapping[int, str], unit: ResidualUnit = _UNIT, loss: Loss = squared) -> object:
    found = expand(Network(unit, 1, loss), 2, {"d": 2, "m": 1}, device("cpu").ops, points=1)
    known = vocabulary(unit, loss)
    return held_against(found, {order: freeze(parse(text, known), {}) for order, text in closed.items()})


def _product(unit: ResidualUnit, weights: Mapping[str, np.ndarray], x: np.ndarray = _X) -> object:
    with np.errstate(all="ignore"):
        return hvp(Network(unit, 2), weights, weights, x, x)


def _toeplitz(diagonal: object, below: object, units: int = 2) -> object:
    return extremes(np.asarray(diagonal, dtype=float), np.asarray(below, dtype=float), units)


def _squared(times: int, node: Expression) -> Expression:
    return _squared(times - 1, node * node) if times else node


def _of_many(wide: int, power: int) -> Expression:
    """A power of a sum of random weights: wide^power terms."""
    return sum((Weight("d", "d", initial=normal()) @ _H for _ in range(wide)), start=0 * _H) ** power


def _path(length: float, obstacles: list[Any], rho: float) -> object:
    start, end = np.array([length, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
    return shortest_path(start, end, np.reshape(obstacles, (3, -1)), rho)


def _overflows() -> object:
    """The output of a linear unit of which one entry is too large, the others are not."""
    weights = {"W1": np.eye(3)[None], "W2": np.diag([1.0, 1e200, 1.0])[None]}
    with np.errstate(all="ignore"):
        return outputs(Network(_LINEAR, 1), weights, np.array([[1.0], [1e200], [1.0]]))


def _overflows_along() -> object:
    """The derivative of an output that is X."""
    large = np.full((1, 1, 1), 1e200)
    weights, along = {"W1": 0.0 * large, "W2": large}, {"W1": large, "W2": large}
    with np.errstate(all="ignore"):
        return jvp(Network(_LINEAR, 1), weights, along, large[0])


def _large(function: Callable[..., object], *along: Mapping[str, np.ndarray]) -> object:
    """What is asked at zero weights, where X is large and Y its opposite: the square of their distance is infinite."""
    zero, large = {name: np.zeros((1, 1, 1)) for name in ("W1", "W2")}, np.full((1, 1), 1e200)
    with np.errstate(all="ignore"):
        return function(Network(_LINEAR, 1), zero, *along, large, -large)


def _overflows_back() -> object:
    """The gradient where one weight's entries are too large, and those of the other are 0."""
    large = np.full((1, 1), 1e200)
    with np.errstate(all="ignore"):
        return gradient(Network(_LINEAR, 1), {"W1": 0.0 * large[None], "W2": large[None]}, large, 0.0 * large)


_OF_DATA: _WITH = {
    f"data with {what}": partial(check_data, "data", unit, x, y)
    for what, (unit, x, y) in {
        "an entry that is no number": (_UNIT, [[1.0, nan]], [[1.0, 2.0]]),
        "an infinite target": (_UNIT, [[1.0, 2.0]], [[1.0, inf]]),
        "text": (_UNIT, [["1", "2"]], [[1.0, 2.0]]),
        "rows of unequal lengths": (_UNIT, [[1.0, 2.0], [3.0]], _X),
        "one target less": (_UNIT, _X, _X[:, :1]),
        "one axis": (_UNIT, _X[0], _X[0]),
        "no sample": (_UNIT, _X[:, :0], _X[:, :0]),
        "tokens of no sample": (_OF_TOKENS, _X, _X),
        "an image of no sample": (_OF_IMAGES, np.ones((2, 2, 2)), np.ones((2, 2, 2))),
    }.items()
} | {
    f"targets that are {what}": partial(_targets, *given)
    for what, given in {
        "labels for the squared loss": ([0, 1], squared),
        "a label too many": ([0, 1, 2],),
        "labels beyond the rows": ([0, 3],),
        "negative labels": ([-1, 2],),
        "labels between whole numbers": ([0, 0.5],),
        "negative": ([[2, 1], [-1, 0], [0, 0]],),
        "no distribution in the second column": ([[1, 1], [0, 1], [0, 0]],),
    }.items()
}
_OF_SIZES: _WITH = {
    f"sizes: {what}": partial(bind, "data", unit, x, sizes)
    for what, (unit, x, sizes) in {
        "no inner width": (ResidualUnit(n_shortcut(2, inner_width="k")), _X, {}),
        "a width of nothing": (ResidualUnit(n_shortcut(2, inner_width="k")), _X, {"k": 0}),
        "a width that is no number": (ResidualUnit(n_shortcut(2, inner_width="k")), _X, {"k": True}),
        "a product of nothing whose factors are not told": (_UNIT, _X, {"a*b": 0}),
        "another width than the data's": (_UNIT, _X, {"d": 4}),
        "two rows for a width of three": (_OF_THREE, _X[:2], {}),
        "features last": (_OF_THREE, _X.T, {}),
    }.items()
} | {
    "weights that contradict each other": lambda: sizes_of(_UNIT, {**_WEIGHTS, "W2": np.ones((2, 3, 4))}),
    "weights of a size that is no square": lambda: sizes_of(
        ResidualUnit(n_shortcut(2, inner_width="k*k")), {"W1": np.ones((2, 5, 3)), "W2": np.ones((2, 3, 5))}
    ),
}
_OF_WEIGHTS: _WITH = {
    f"weights: {what}": partial(_product, _UNIT, weights)
    for what, weights in {
        "one left out": {"W1": _WEIGHTS["W1"]},
        "one that is not known": {**_WEIGHTS, "W3": _WEIGHTS["W1"]},
        "those of three units": {name: np.ones((3, 3, 3)) for name in _WEIGHTS},
        "one of them of three units": {**_WEIGHTS, "W2": np.ones((3, 3, 3))},
        "those of one unit without an axis for it": {name: np.ones((3, 3)) for name in _WEIGHTS},
        "of another width": {name: np.ones((2, 4, 4)) for name in _WEIGHTS},
    }.items()
} | {
    "an output of which one entry overflows": _overflows,
    "a derivative that overflows where the output does not": _overflows_along,
    "a gradient in one weight of two that overflows": _overflows_back,
    "a loss that overflows": partial(_large, value),
    "an error that overflows": partial(
        _large, bounded_derivatives, {name: np.ones((1, 1, 1)) for name in ("W1", "W2")}
    ),
}
_OF_COMPONENTS: _WITH = {
    f"{what} in {components} components": lambda x=x, components=components: whiten(np.array(x), components)
    for what, x, components in (
        ("samples of two", [[1.0, 2.0, 4.0], [1.0, 3.0, 2.0]], 3),
        ("samples on a line", [[1.0, 2.0, 4.0], [2.0, 4.0, 8.0]], 2),
        ("samples that are equal", [[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]], 1),
    )
}
_EXACT: _WITH = {
    f"exact data with {what}": partial(_exact, *given)
    for what, given in {
        "rows of unequal lengths": ([[1, 2], [3]], [[1, 2], [3, 4]]),
        "a row too many": ([[1, 2], [3, 4], [5, 6]], [[1, 2], [3, 4], [5, 6]]),
        "targets that are fewer": ([[1, 2], [3, 4]], [[1, 2]]),
        "no sample": ([[], []], [[], []]),
    }.items()
} | {
    "an order that is not asked for": lambda: stationary_order(Network(_UNIT, 1), {"d": 1}, up_to=0),
    "the patterns of a unit that is not the identity": lambda: second_derivatives(_DOUBLED),
    "an output without a size": lambda: output_at_initial_point(Network(_UNIT, 1), {}),
    "the inertia of a matrix that is not symmetric": lambda: inertia(matrix([[0, 1], [0, 0]])),
}
_MODULAR: _WITH = {
    f"modulo a prime, {what}": partial(_modular, *given)
    for what, given in {
        "a closed form of an order beyond": ({2: "m^-1 * X[i,u] * dW2(1)[i,a] * dW1(1)[a,i]", 3: "0"},),
        "a unit that normalises": ({2: "0"}, ResidualUnit(pre_norm(tanh))),
        "a unit with a softmax": ({2: "0"}, _OF_TOKENS),
    }.items()
} | {
    "modulo a prime, a third derivative of the cross-entropy": lambda: expand(
        Network(_OF_THREE, 1, cross_entropy), 3, {"m": 1}, device("cpu").ops
    ),
    "modulo a prime, the cross-entropy of another output than X": lambda: expand(
        Network(_DOUBLED, 1, cross_entropy), 1, {"d": 1, "m": 1}, device("cpu").ops
    ),
}
_COUNTED: _WITH = {
    f"counting, {what}": partial(_toeplitz, *given)
    for what, given in {
        "D that is not symmetric": ([[1, 2], [0, 1]], [[1, 0], [0, 1]]),
        "D that is not square": ([[1, 2]], [[1, 0]]),
        "A of another shape": ([[1, 0], [0, 1]], [[1]]),
        "an entry of D that is no number": ([[1, 0], [0, nan]], [[1, 0], [0, 1]]),
        "an infinite entry of A": ([[1, 0], [0, 1]], [[1, 0], [0, inf]]),
        "no unit": ([[1]], [[1]], 0),
    }.items()
} | {
    "counting, more dimensions than there is time for": lambda: extremes(np.eye(3), np.eye(3), 2, widest=2),
}
_ENORMOUS: _WITH = {
    f"an expression of {what}": lambda branch=branch, values=values: refuse_enormous(
        _H + Weight("d", "d") @ branch(), values=values
    )
    for values in (False, True)
    for what, branch in {
        f"256 factors, {values}": lambda: _squared(8, _H),
        f"10^7 terms, {values}": lambda: _of_many(10, 7),
    }.items()
}
_ON_SPHERE: _WITH = {
    f"a path {what}": partial(_path, *given)
    for what, given in {
        "from a vector that is no unit vector": (2.0, [0.0, 0.0, 1.0], 1.0),
        "past an obstacle that is no unit vector": (1.0, [0.0, 0.0, 2.0], 1.0),
        "for rho = 0": (1.0, [], 0.0),
        "for rho above 2": (1.0, [], 2.1),
        "past an obstacle, for a rho lost in rounding": (1.0, [0.0, 0.0, 1.0], LEAST_RHO / 2),
        "past an obstacle within rho of its start": (1.0, [0.8, 0.0, 0.6], 1.0),
        "past an obstacle within rho of its end": (1.0, [0.0, 0.8, 0.6], 1.0),
    }.items()
} | {
    "a path between obstacles within rho of each other": partial(
        _path, 1.0, [[0.0, 0.0], [0.0, 0.28], [1.0, 0.96]], 1.0
    ),
}
REFUSED: _WITH = {
    **_OF_DATA,
    **_OF_SIZES,
    **_OF_WEIGHTS,
    **_OF_COMPONENTS,
    **OF_LANGUAGE,
    **_EXACT,
    **_MODULAR,
    **_COUNTED,
    **_ENORMOUS,
    **_ON_SPHERE,
}
"""What is wrong, and the call that has to end in a `ValueError`."""
