"""Rethinking skip connections, Equations 23 and 24: the error signal and the weight update (RS-D3).

H^l = W^l H^{l-1} with the samples as columns, H^0 = X; a training cost E of H^L. The error signal of layer l is
Delta^l = -dE/dH^l, the update eta times -dE/dW^l. In index strings D is the error signal at a unit's output.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, TypeAlias

import sympy
from sympy import QQ, ring

from resproof.architectures.activations import identity_activation
from resproof.architectures.catalogue import n_shortcut, plain, resnext
from resproof.architectures.errors import ArchitectureError
from resproof.architectures.forms.terms import COLUMN, ROW, SAMPLE, Opaque
from resproof.architectures.losses import squared
from resproof.architectures.nodes import Expression, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.changes import Change
from resproof.proofs.rethinking_skips.documents import source
from resproof.proofs.rethinking_skips.pictures import slope_of_cost
from resproof.proofs.statement import (
    PRINTED,
    Argument,
    Clause,
    Computed,
    Context,
    Counterexample,
    Disagreement,
    Erratum,
    Hypothesis,
    Repair,
    Statement,
)
from resproof.proofs.theory.linear_networks import minus
from resproof.symbolic.algebra.matrices import Matrix, eye, matrix, multiply, scale, transpose
from resproof.symbolic.index import sizes
from resproof.symbolic.index.claims import parse, show, vocabulary
from resproof.symbolic.index.lift import data, perturbations, unit_series
from resproof.symbolic.index.series import Sum, contract, differentiate, series, tensor
from resproof.symbolic.index.series import multiply as multiply_sums
from resproof.symbolic.scope import Scope

# The counterexample: two layers of width one, one sample.


@dataclass(frozen=True, slots=True)
class WidthOneNet:
    """A PlainNet of width one on one sample with the cost (y - f)^2 / 2, and h^0, ..., h^L."""

    weights: tuple[Fraction, ...]
    x: Fraction
    y: Fraction
    states: tuple[Fraction, ...]

    def hidden(self, layer: int, weights: Sequence[Any] | None = None) -> Any:
        """h^l; at other weights where these are given."""
        value: Any = self.x
        for w in (self.weights if weights is None else weights)[:layer]:
            value = w * value
        return value

    def cost(self, weights: Sequence[Any]) -> Any:
        """(y - f)^2 / 2."""
        return (self.y - self.hidden(len(weights), weights)) ** 2 / 2

    @property
    def printed(self) -> tuple[Fraction, Fraction]:
        """Delta^1 and the update of W^1 over eta by Equations 23 and 24."""
        last = self.y - self.hidden(2)
        signal = self.hidden(1) * (self.weights[1] * last)
        return signal, signal * self.hidden(0)

    def __str__(self) -> str:
        return f"n = N = 1, L = 2, W^1 = {self.weights[0]}, W^2 = {self.weights[1]}, x = {self.x}, y = {self.y}"


_CHAIN = WidthOneNet((Fraction(2), Fraction(3)), Fraction(1), Fraction(0), (Fraction(1), Fraction(2), Fraction(6)))
_CHAIN_SIZE = "n=N=1, L=2"


def _by_sympy(_: Context) -> Computed:
    """-dE/dh^1 and -dE/dW^1 by symbolic differentiation."""
    w1, w2, h = sympy.symbols("w1 w2 h")
    at = dict(zip((w1, w2), _CHAIN.weights, strict=True))
    through_h = (_CHAIN.y - w2 * h) ** 2 / 2
    signal = -sympy.diff(through_h, h).subs({**at, h: _CHAIN.hidden(1)})
    update = -sympy.diff(_CHAIN.cost((w1, w2)), w1).subs(at)
    return Computed((Fraction(int(signal)), Fraction(int(update))), Scope.of(_CHAIN_SIZE))


def _by_differences(_: Context) -> Computed:
    """The same by central differences, which are exact for a cost of degree two in each variable."""
    first, second = _CHAIN.weights
    h = _CHAIN.hidden(1)

    def through(value: Fraction) -> Fraction:
        return (_CHAIN.y - second * value) ** 2 / 2

    signal = -(through(h + 1) - through(h - 1)) / 2
    update = -(_CHAIN.cost((first + 1, second)) - _CHAIN.cost((first - 1, second))) / 2
    return Computed((signal, update), Scope.of(_CHAIN_SIZE))


_TRUE_SIGNAL = (Fraction(-18), Fraction(-18))

# The right formulas, for every size.

_SAMPLE_FREE, _WEIGHT_FREE = {"i": ROW, "u": SAMPLE}, {"i": ROW, "j": COLUMN}
_UNITS: Mapping[str, Callable[[], Expression]] = {
    "plain layer": plain,
    "1-shortcut": lambda: n_shortcut(1),
    "2-shortcut": lambda: n_shortcut(2),
    "two branches": lambda: resnext(2, identity_activation),
}

SIGNAL = Opaque("D", ("d", "m"))
"""The error signal at the output."""


def _pairing(unit: ResidualUnit, opaque: Sequence[str], *moves: Sum) -> Sum:
    """<D, first-order change of the output>, the input and the opaque weights being anything; `moves` is what moves the input."""
    change = unit_series(unit, series([data(unit), *moves], 1), opaque=opaque)[-1]
    return contract(multiply_sums(tensor(SIGNAL, (ROW, SAMPLE)), change), {ROW: "d", SAMPLE: "m"})


def _by_weights(unit: ResidualUnit, pairing: Sum) -> dict[str, Sum]:
    return {
        name: differentiate(pairing, moved, (ROW, COLUMN)[: len(moved.dims)])
        for name, moved in perturbations(unit).items()
    }


def weight_gradients(unit: ResidualUnit, opaque: Sequence[str]) -> dict[str, Sum]:
    """The derivatives of <D, output> by the weights, for any error signal D at the output and any input."""
    return _by_weights(unit, _pairing(unit, opaque))


Signals: TypeAlias = Mapping[str, tuple[ResidualUnit, Mapping[str, Sum]]]


def _signals(_: Context) -> Computed:
    """<D, change of the output> by the change of the input and of each weight, at arbitrary input and weights."""
    found: dict[str, tuple[ResidualUnit, dict[str, Sum]]] = {}
    for name, block in _UNITS.items():
        unit = ResidualUnit(block())
        moved = Opaque("u", ("d", "m"))
        total = _pairing(unit, list(unit.names.values()), tensor(moved, (ROW, SAMPLE)))
        found[name] = (unit, {"input": differentiate(total, moved, (ROW, SAMPLE)), **_by_weights(unit, total)})
    shown = r"\Delta^l = (W^{l+1})^{\mathsf T} \Delta^{l+1}, \qquad -\frac{\partial E}{\partial W^l} = \Delta^l (H^{l-1})^{\mathsf T}"
    sums = [value for _, derivatives in found.values() for value in derivatives.values()]
    # X is the output of the layers before, D the error signal behind all those that follow.
    return Computed(found, sizes.of_terms(*sums, products={"X": "l", "D": "L"}), shown)


_SIGNALS: Mapping[str, Mapping[str, str]] = {
    "plain layer": {"input": "W1[a,i] * D[a,u]", "W1": "D[i,b] * X[j,b]"},
    "1-shortcut": {"input": "D[i,u] + W1[a,i] * D[a,u]", "W1": "D[i,b] * X[j,b]"},
    "2-shortcut": {
        "input": "D[i,u] + W1[b,i] * W2[a,b] * D[a,u]",
        "W1": "W2[a,i] * D[a,b] * X[j,b]",
        "W2": "D[i,b] * W1[j,c] * X[c,b]",
    },
    "two branches": {
        "input": "D[i,u] + U1[b,i] * V1[a,b] * D[a,u] + U2[b,i] * V2[a,b] * D[a,u]",
        "U1": "V1[a,i] * D[a,b] * X[j,b]",
        "U2": "V2[a,i] * D[a,b] * X[j,b]",
        "V1": "D[i,b] * U1[j,c] * X[c,b]",
        "V2": "D[i,b] * U2[j,c] * X[c,b]",
    },
}


def _signals_with(unit: str, weight: str, text: str) -> Mapping[str, Mapping[str, str]]:
    return {**_SIGNALS, unit: {**_SIGNALS[unit], weight: text}}


def _same_signals(found: Signals, claim: Mapping[str, Mapping[str, str]]) -> None:
    for name, (unit, derivatives) in found.items():
        known = {**vocabulary(unit, squared), "D": SIGNAL}
        for by, value in derivatives.items():
            if value != parse(claim[name][by], known, _SAMPLE_FREE if by == "input" else _WEIGHT_FREE):
                raise Disagreement(f"{name}, by {by}: computed {show(value)}; claimed {claim[name][by]}")


def _shapes(_: Context) -> Computed:
    """The shapes of the printed and of the right expressions for n x N matrices, or that they are not defined."""

    def shape(make: Callable[[Expression, Expression, Expression], Expression], samples: str) -> str:
        h, w, d = Weight("n", samples), Weight("n", "n"), Weight("n", samples)
        try:
            return " x ".join(map(str, make(h, w, d).shape))
        except ArchitectureError:
            return "undefined"

    forms: dict[str, Callable[[Expression, Expression, Expression], Expression]] = {
        "H (W D)": lambda h, w, d: h @ (w @ d),
        "D H": lambda h, w, d: d @ h,
        "W^T D": lambda h, w, d: w.T @ d,
        "D H^T": lambda h, w, d: d @ h.T,
    }
    found = {(name, samples): shape(make, samples) for name, make in forms.items() for samples in ("N", "n")}
    return Computed(found, Scope())


_SHAPES = {
    ("H (W D)", "N"): "undefined",
    ("H (W D)", "n"): "n x n",
    ("D H", "N"): "undefined",
    ("D H", "n"): "n x n",
    ("W^T D", "N"): "n x N",
    ("W^T D", "n"): "n x n",
    ("D H^T", "N"): "n x n",
    ("D H^T", "n"): "n x n",
}


@dataclass(frozen=True, slots=True)
class SymbolicNet:
    """A plain network with symbolic weights and data, and -dE/dW^l by differentiation, for a cost of y - f."""

    weights: tuple[Matrix, ...]
    x: Matrix
    residual: Matrix
    power: int
    updates: tuple[Matrix, ...]

    def __str__(self) -> str:
        widths = [len(self.x), *(len(w) for w in self.weights)]
        return f"widths {', '.join(map(str, widths))}, N={len(self.x[0])}, cost of degree {self.power}"

    @property
    def last(self) -> Matrix:
        """Delta^L for the cost sum (y - f)^p / p."""
        return tuple(tuple(e ** (self.power - 1) for e in row) for row in self.residual)


def _written(widths: Sequence[int], samples: int, power: int) -> SymbolicNet:
    layers = range(1, len(widths))
    names = [f"W{k}_{i}_{j}" for k in layers for i in range(widths[k]) for j in range(widths[k - 1])]
    names += [
        f"{side}_{i}_{u}" for side, n in (("x", widths[0]), ("y", widths[-1])) for i in range(n) for u in range(samples)
    ]
    polynomials, *generators = ring(names, QQ)
    known = dict(zip(names, generators, strict=True))
    weights = tuple(
        tuple(tuple(known[f"W{k}_{i}_{j}"] for j in range(widths[k - 1])) for i in range(widths[k])) for k in layers
    )
    x, y = (
        tuple(tuple(known[f"{side}_{i}_{u}"] for u in range(samples)) for i in range(n))
        for side, n in (("x", widths[0]), ("y", widths[-1]))
    )
    output = x
    for w in weights:
        output = multiply(w, output)
    residual = minus(y, output)
    cost = sum((e**power for row in residual for e in row), polynomials.zero) * QQ(1, power)
    updates = tuple(tuple(tuple(-cost.diff(e) for e in row) for row in w) for w in weights)
    return SymbolicNet(weights, x, residual, power, updates)


_GRIDS = (((1, 1, 1), 1, 4), ((2, 2, 2), 1, 2), ((2, 3, 1), 2, 2), ((1, 2, 2, 1), 2, 2), ((2, 1, 2), 1, 4))


def _small_updates(_: Context) -> Computed:
    found = [_written(*grid) for grid in _GRIDS]
    return Computed(found, Scope.of(*map(str, found)))


Recursion: TypeAlias = Callable[[Matrix, Matrix], Matrix]


def _back(w: Matrix, signal: Matrix) -> Matrix:
    return multiply(transpose(w), signal)


def _update(signal: Matrix, hidden: Matrix) -> Matrix:
    return multiply(signal, transpose(hidden))


def _same_updates(found: Sequence[SymbolicNet], claim: tuple[Recursion, Recursion]) -> None:
    """Pass when the recursion (W, Delta) -> Delta and the update (Delta, H) give every derivative.

    Raises:
        Disagreement: they do not, or the shapes do not fit.
    """
    back, update = claim
    for one in found:
        hidden = [one.x]
        for w in one.weights[:-1]:
            hidden.append(multiply(w, hidden[-1]))
        signal = one.last
        for layer in reversed(range(len(one.weights))):
            try:
                value = update(signal, hidden[layer])
                signal = back(one.weights[layer], signal)
            except ValueError:
                raise Disagreement(f"{one}, layer {layer + 1}: the shapes do not fit") from None
            if value != one.updates[layer]:
                raise Disagreement(f"{one}, layer {layer + 1}: the derivative is another polynomial")


_TWO_SAMPLES = matrix([[1, 1], [0, 1]])


def _one_update(_: Context) -> Computed:
    """-dE/dW for E = |I - W X|^2 / 2 at W = 0, by central differences, which are exact here."""

    def cost(w: Matrix) -> Fraction:
        missing = minus(eye(2), multiply(w, _TWO_SAMPLES))
        return sum((v * v for row in missing for v in row), Fraction(0)) / 2

    def unit(i: int, j: int, by: int) -> Matrix:
        return matrix([[by * ((p, q) == (i, j)) for q in (0, 1)] for p in (0, 1)])

    found = matrix([[(cost(unit(i, j, -1)) - cost(unit(i, j, 1))) / 2 for j in (0, 1)] for i in (0, 1)])
    return Computed(found, Scope.of("n=N=2, L=1"))


RECURSION = (
    Argument(
        "One layer on an arbitrary input, with and without shortcut",
        "index notation",
        _signals,
        _SIGNALS,
        {
            "$W$ in place of its transpose": _signals_with("plain layer", "input", "W1[i,a] * D[a,u]"),
            "the update transposed": _signals_with("plain layer", "W1", "D[j,b] * X[i,b]"),
            "the shortcut passes nothing on": _signals_with("1-shortcut", "input", "W1[a,i] * D[a,u]"),
            "the two layers exchanged": _signals_with("2-shortcut", "input", "D[i,u] + W2[b,i] * W1[a,b] * D[a,u]"),
            "a branch passes nothing on": _signals_with("two branches", "input", "D[i,u] + U1[b,i] * V1[a,b] * D[a,u]"),
        },
        _same_signals,
        explanation=r"The first-order change of the cost is $\langle D, \text{change of the layer's output}\rangle$, $D$ being minus "
        "the derivative of the cost by that output, up to sign; its derivative by the layer's input is the error signal "
        "one layer down. Input and $D$ are arbitrary, so the recursion holds at every layer, whatever the cost.",
    ),
    Argument(
        "The shapes of the printed and of the right products",
        "index notation",
        _shapes,
        _SHAPES,
        {
            "the printed products are defined": {**_SHAPES, ("H (W D)", "N"): "n x N"},
            r"$W^{\mathsf T} D$ is not": {**_SHAPES, ("W^T D", "N"): "undefined"},
        },
        explanation=r"$H^l$ and $\Delta^l$ are $n \times N$. The printed products are defined for $N = n$ only.",
    ),
    Argument(
        "Small networks of several widths, by symbolic differentiation",
        "explicit",
        _small_updates,
        (_back, _update),
        {
            "$W$ in place of its transpose": (multiply, _update),
            "the update without the transpose": (_back, multiply),
            "the update transposed": (_back, lambda signal, hidden: multiply(hidden, transpose(signal))),
        },
        _same_updates,
        explanation="Costs of degree two and four, so that the recursion does not depend on the cost.",
    ),
)
_SIZES = {"L": 1, "l": 1, "d": 1, "m": 1}

D3 = Statement(
    id="RS-D3",
    title="The error signal and the weight update",
    source=source(
        "Definition 3, Eq. 23, 24",
        "the local error gradient of units, Delta^l, that is connected to units in layer (l+1) is of the form Delta^l = H(x)^l (W^{l+1} Delta^{l+1})",
    ),
    latex=r"\Delta^l = H^l (W^{l+1} \Delta^{l+1}), \qquad -\eta\,\frac{\partial E}{\partial W^l} = \eta\,\Delta^l H^{l-1}",
    hypotheses=(
        Hypothesis(
            "the activation is linear: $h^l = W^l h^{l-1}$",
            lambda c: (
                c.states[0] == c.x and all(b == w * a for w, (a, b) in zip(c.weights, pairwise(c.states), strict=True))
            ),
            # The second layer squares.
            fails_on=replace(_CHAIN, states=(Fraction(1), Fraction(2), Fraction(12))),
            quote="Given that the linear activation function is employed",
            where="footnote 1",
        ),
        Hypothesis(
            "layer $l$ is connected to layer $l + 1$",
            lambda c: len(c.weights) == 2,
            fails_on=replace(_CHAIN, weights=_CHAIN.weights[:1], states=_CHAIN.states[:2]),
            quote="that is connected to units in layer (l+1)",
        ),
    ),
    setting="The network is linear, with hidden representations $H^l$.",
    clauses=(
        Clause(
            r"The error gradient is $\Delta^l = H^l (W^{l+1} \Delta^{l+1})$.",
            _SIZES,
            counterexample=Counterexample(
                instance=_CHAIN,
                sentence="Already where the printed products are defined, for width one and one sample, the factor $H^l$ is wrong.",
                picture=lambda one: slope_of_cost(
                    lambda h: (one.y - one.weights[1] * h) ** 2 / 2,
                    one.hidden(1),
                    (_by_differences(Context()).value[0], one.printed[0]),
                ),
                latex=r"E = \tfrac12 (y - w_2 w_1 x)^2: \quad -\frac{\partial E}{\partial h^1} = w_2 (y - f) = -18 \ne -36 = h^1 w_2 (y - f)",
                routes=(
                    Argument(
                        "Symbolic differentiation",
                        "instance",
                        _by_sympy,
                        _TRUE_SIGNAL,
                        {PRINTED: _CHAIN.printed, "the weight is left out": (Fraction(-6), Fraction(-6))},
                    ),
                    Argument(
                        "Central differences, exact for these costs",
                        "instance",
                        _by_differences,
                        _TRUE_SIGNAL,
                        {PRINTED: _CHAIN.printed, "the opposite sign": (Fraction(18), Fraction(18))},
                    ),
                ),
            ),
            repair=Repair(
                sentence=r"$\Delta^l = (W^{l+1})^{\mathsf T} \Delta^{l+1}$ with $\Delta^L = -\partial E/\partial H^L$; with an "
                r"identity shortcut $\Delta^l = (W^{l+1} + I)^{\mathsf T} \Delta^{l+1}$.",
                latex=r"\Delta^l = (W^{l+1})^{\mathsf T} \Delta^{l+1}",
                arguments=RECURSION,
                for_all=_SIZES,
                changes=(
                    Change(
                        "Delta^l = H(x)^l (W^{l+1} Delta^{l+1})",
                        r"$\Delta^l = (W^{l+1})^{\mathsf T} \Delta^{l+1}$",
                        "$W^{l+1}$ is transposed, and the factor $H^l$ is left out.",
                    ),
                ),
            ),
        ),
        Clause(
            r"The weight update is $\eta \Delta^l (H^{l-1})^{\mathsf T}$.",
            _SIZES,
            RECURSION,
            reading=Erratum(
                r"$\Delta^l H(x)^{l-1}$",
                r"$\Delta^l (H(x)^{l-1})^{\mathsf T}$",
                "-eta dE/dW^l",
                r"the same equation, which is not defined otherwise for $N \ne n$",
                fails=Argument(
                    "One layer on two samples",
                    "instance",
                    _one_update,
                    transpose(_TWO_SAMPLES),
                    {PRINTED: _TWO_SAMPLES, "the opposite sign": scale(Fraction(-1), transpose(_TWO_SAMPLES))},
                    explanation=r"$W = 0$ and $Y = I$: $\Delta = I$.",
                ),
            ),
        ),
    ),
    uses=("DR-M3",),
    notes=r"The factor $H^l$ is no misprint: Remarks 4 to 6 conclude from it. $\Delta^l$ is read as minus the derivative of the "
    r"cost by $H^l$, which is what Equation 24 asks of it. With an activation a factor $\sigma'(\cdot)$ stands where the "
    "printed $H^l$ does; for the linear activation of the footnote it is one.",
)

STATEMENTS = (D3,)
