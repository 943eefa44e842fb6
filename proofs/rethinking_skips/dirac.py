"""Rethinking skip connections, section 6.5: the DiracNet, layers h -> (W + diag(a)) h without shortcuts (RS-DN, RS-DN2).

The parameters of a layer enter only through the matrix W + diag(a) = J (W, a), J linear and onto. So for any cost

    Hessian in (W, a) = J^T H J,   H the Hessian in the matrices;   gradient = (G, diag G),   G the gradient in them.

A step of gradient descent moves diag(W) and a alike, and Z = W + diag(a) - 1, the weights of a 1-shortcut network with the
same layers, by -eta (G + diag G). Letters: J K = 1 with K a right inverse (W, a) = (., 0); K', J' the transposes.

Equation 28 is what the paper prints. The DiracNets of Zagoruyko and Komodakis have layers diag(a) + diag(b) N(W), N(W) being
W with every row divided by its Euclidean norm.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, pairwise
from math import prod
from typing import Any, NamedTuple

import numpy as np
import sympy
from sympy import QQ, ring

from resproof.architectures.catalogue import n_shortcut
from resproof.architectures.forms.terms import COLUMN, ROW, InitialWeight, Opaque
from resproof.architectures.losses import squared
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import ones
from resproof.numeric.backend import device, largest_modulus
from resproof.numeric.network.adjoint import gradient
from resproof.numeric.rounding import UNIT_ROUNDOFF, gamma
from resproof.proofs.changes import Change
from resproof.proofs.rethinking_skips.depth_products import RunningSum, shrinking, stays_above
from resproof.proofs.rethinking_skips.documents import source
from resproof.proofs.rethinking_skips.error_signals import SIGNAL, weight_gradients
from resproof.proofs.rethinking_skips.gradient_ranks import LinearNet, diagonal
from resproof.proofs.rethinking_skips.pictures import trained_shares
from resproof.proofs.routes.certificates import certified
from resproof.proofs.routes.predicates import matches, property_of
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
    Induction,
    Measurement,
    Repair,
    Statement,
)
from resproof.proofs.theory.linear_networks import any_value, minus
from resproof.symbolic.algebra.matrices import Matrix, add, matrix, multiply, rank, scale
from resproof.symbolic.algebra.noncommutative import Words, modulo, words
from resproof.symbolic.algebra.noncommutative import add as add_words
from resproof.symbolic.algebra.noncommutative import minus as minus_words
from resproof.symbolic.algebra.noncommutative import product as word_product
from resproof.symbolic.algebra.noncommutative import sizes as sizes_of_words
from resproof.symbolic.certificates import Element, Orthant, between, occurring, orthant, standing_for
from resproof.symbolic.index import sizes
from resproof.symbolic.index.claims import parse, show, vocabulary
from resproof.symbolic.index.lift import data, passes_through, perturbations, unit_series
from resproof.symbolic.index.series import Sum, contract, rename, series, substitute, symbol, tensor
from resproof.symbolic.index.series import add as add_sums
from resproof.symbolic.index.series import multiply as multiply_sums
from resproof.symbolic.index.series import scale as scale_sum
from resproof.symbolic.scope import Scope


def dirac_layer() -> Expression:
    """W h + a h, a of initial value one and multiplied row by row. Source: Zagoruyko and Komodakis 2017, DiracNets."""
    h, w, a = Input("d"), Weight("d", "d", name="W"), Weight("d", initial=ones, name="a")
    return w @ h + a * h


_DIRAC = ResidualUnit(dirac_layer())


_ANY_LAYER = {"X": "L"}
"""The input of a layer is the output of however many layers before it."""


def _at_one(_: Context) -> Computed:
    """A layer at a = 1 with any W beside a 1-shortcut unit, and at W = 0 on an arbitrary input."""
    layer = unit_series(_DIRAC, series([data(_DIRAC)], 0), perturbed=(), opaque=("W",))[-1]
    unit = ResidualUnit(n_shortcut(1))
    other = any_value(unit, data(unit))
    found = {
        "a = 1": show(layer),
        "1-shortcut": show(other),
        "a = 1, W = 0 is the identity": passes_through(_DIRAC),
    }
    return Computed(
        found, sizes.of_terms(layer, other, products=_ANY_LAYER), r"(W + \operatorname{diag}(1))\,h = h + W h"
    )


_AT_ONE = {
    "a = 1": "W[i,a] * X[a,u] + X[i,u]",
    "1-shortcut": "W1[i,a] * X[a,u] + X[i,u]",
    "a = 1, W = 0 is the identity": True,
}


def _along_the_kernel(_: Context) -> Computed:
    """What (dW, da) = (-diag(v), v), and (diag(v), v), do to a layer at arbitrary W and a."""
    found = dict[str, object]()
    moved, v = perturbations(_DIRAC), tensor(Opaque("v", ("d",)), (ROW,))
    change = unit_series(_DIRAC, series([data(_DIRAC)], 2), opaque=("W", "a"))
    for name, sign in (("-diag(v), v", -1), ("diag(v), v", 1)):
        diagonal = scale_sum(sign, multiply_sums(v, _delta()))
        total = substitute(substitute(change[1], moved["W"], diagonal), moved["a"], v)
        found[name] = show(total)
    found["degree two"] = show(change[2])
    shown = r"(W - \operatorname{diag}(v)) + \operatorname{diag}(a + v) = W + \operatorname{diag}(a)"
    return Computed(found, sizes.of_terms(*change[:2], products=_ANY_LAYER), shown)


def _delta() -> Sum:
    return parse("delta[i,j]", vocabulary(_DIRAC, squared), {"i": ROW, "j": COLUMN})


_ALONG = {"-diag(v), v": "0", "diag(v), v": "2 * X[i,u] * v[i]", "degree two": "0"}


def _nullity_steps(_: Context) -> Computed:
    """The products that carry kernels between J' H J and H."""
    relations, names = {"J K": "", "K' J'": ""}, ("K' J' H J", "H J K", "K J", "J K")
    found = {name: modulo(words(name), relations) for name in names}
    # However many parameters there are, and entries of the matrices.
    shapes = {"H": ("N", "N"), "J": ("N", "P"), "K'": ("N", "P"), "K": ("P", "N"), "J'": ("P", "N")}
    shown = r"\ker J^{\mathsf T} H J = \ker H J, \qquad J \ker H J = \ker H"
    return Computed(found, sizes_of_words(shapes, *map(words, names)), shown)


_NULLITY = {"K' J' H J": words("H J"), "H J K": words("H"), "K J": words("K J"), "J K": words("1")}


def _less(left: Sum, right: Sum) -> Sum:
    return add_sums(left, scale_sum(-1, right))


def _diagonal(square: Sum) -> Sum:
    return rename(square, {COLUMN: ROW})


def _gradients(_: Context) -> Computed:
    """diag(dE/dW) - dE/da and the row sums of dE/dW - dE/da, for any error signal D at the layer's output."""
    by_w, by_a = weight_gradients(_DIRAC, ("W", "a")).values()
    found = {
        "by a": show(by_a),
        "diagonal": show(_less(_diagonal(by_w), by_a)),
        "row sums": bool(_less(contract(by_w, {COLUMN: "d"}), by_a)),
    }
    shown = r"\frac{\partial E}{\partial a} = \operatorname{diag} \frac{\partial E}{\partial W}"
    return Computed(found, sizes.of_terms(by_w, by_a, products=_ANY_LAYER), shown)


_GRADIENTS: Mapping[str, object] = {"by a": "D[i,a] * X[i,a]", "diagonal": "0", "row sums": True}


def _one_step(*opaque: str) -> tuple[dict[str, str], Sum]:
    """What a step of size eta from given W and a changes, in a layer with any input X and error signal D."""
    eta = symbol("eta")
    by_w, by_a = (multiply_sums(eta, part) for part in weight_gradients(_DIRAC, opaque).values())
    (by_z,) = (multiply_sums(eta, part) for part in weight_gradients(ResidualUnit(n_shortcut(1)), ("W1",)).values())
    moved = add_sums(by_w, multiply_sums(by_a, _delta()))
    doubled = add_sums(by_z, multiply_sums(_diagonal(by_z), _delta()))
    found = {
        "diag(W) - a": show(_less(_diagonal(by_w), by_a)),
        "a": show(by_a),
        "Z less the 1-shortcut network's, twice on the diagonal": show(_less(moved, doubled)),
        "Z less the 1-shortcut network's": show(_less(moved, by_z)),
    }
    return found, moved


_ONE_STEP = {
    "diag(W) - a": "0",
    "a": "eta * D[i,a] * X[i,a]",
    "Z less the 1-shortcut network's, twice on the diagonal": "0",
    "Z less the 1-shortcut network's": "eta * delta[i,j] * D[i,a] * X[i,a]",
}


def _first_step(_: Context) -> Computed:
    """From a = 1 and any W."""
    found, moved = _one_step("W")
    return Computed(found, Scope.over(t=1) & sizes.of_terms(moved, products=_ANY_LAYER))


def _step_more(_: Context) -> Computed:
    """From any W and a."""
    found, moved = _one_step("W", "a")
    return Computed(found, sizes.of_terms(moved, products=_ANY_LAYER), r"\Delta Z = -\eta\,(G + \operatorname{diag} G)")


def _same_step(found: Mapping[str, str], claim: Mapping[str, str]) -> None:
    known = {**vocabulary(_DIRAC, squared), "D": SIGNAL}
    for name, text in found.items():
        free = {"i": ROW} if name in {"a", "diag(W) - a"} else {"i": ROW, "j": COLUMN}
        if text != show(parse(claim[name], known, free)):
            raise Disagreement(f"{name}: computed {text}; claimed {claim[name]}")


def _same_layer(_: Context) -> Computed:
    """A layer at any W and a, less a 1-shortcut layer at W + diag(a) - 1, and less one at W + diag(a)."""
    layer = unit_series(_DIRAC, series([data(_DIRAC)], 0), perturbed=(), opaque=("W", "a"))[-1]
    unit = ResidualUnit(n_shortcut(1))
    shortcut, weight = any_value(unit, data(unit)), InitialWeight("W1", None, ("d", "d"))
    known, free = {**vocabulary(_DIRAC, squared), **_OPAQUE}, {"i": ROW, "j": COLUMN}
    total = parse("W[i,j] + a[i] * delta[i,j]", known, free)
    found = {
        name: show(_less(layer, substitute(shortcut, weight, at)))
        for name, at in (("W + diag(a) - 1", _less(total, _delta())), ("W + diag(a)", total))
    }
    return Computed(found, sizes.of_terms(layer, shortcut, products=_ANY_LAYER), r"Z = W + \operatorname{diag}(a) - 1")


_OPAQUE = {"W": InitialWeight("W", None, ("d", "d")), "a": InitialWeight("a", None, ("d",))}
_SAME_LAYER = {"W + diag(a) - 1": "0", "W + diag(a)": "-1 * X[i,u]"}


def _normalised_rows(_: Context) -> Computed:
    """(1 - u u') u with u' u = 1, what a row w = |w| u of W moves along itself; and without the projection."""
    projected = word_product(words("1 - u u'"), words("u"))
    found = {"along the row": modulo(projected, {"u' u": ""}), "without": modulo(words("u"), {"u' u": ""})}
    shown = r"\frac{\partial}{\partial w} \frac{w}{\|w\|} = \frac{1}{\|w\|}\,(1 - u u^{\mathsf T}), \qquad u = \frac{w}{\|w\|}"
    return Computed(found, sizes_of_words({"u": ("d", "1"), "u'": ("1", "d")}, projected), shown)


_LETTERS = {**dict.fromkeys(("n", "r"), ("1", "1")), **dict.fromkeys(("u", "g"), ("d", "1")), "u'": ("1", "d")}


def _hessian_on_the_row(_: Context) -> Computed:
    """What the gradients in a row w = u n and in all other parameters change by along w, u' u = 1 and r = 1/n.

    The gradient in w is (1 - u u') g r, g that in u. Along a change du of u that of g is K du, and that of all others M du.
    """

    def of(*factors: Words) -> Words:
        return modulo(word_product(*factors), {"u' u": "", "n r": "", "r n": ""})

    u, g, r, across = words("u"), words("g"), words("r"), words("1 - u u'")
    du, du_transposed, dr = of(across, words("u n r")), of(words("r n u'"), across), of(words("- r u' u n r"))
    gradient = of(across, g, r)
    moved = add_words(of(across, g, dr), of(across, words("K"), du, r))
    turned = of(add_words(of(du, words("u'")), of(u, du_transposed)), g, r)
    found = {
        "gradient": gradient,
        "in the row, with the gradient": add_words(minus_words(moved, turned), gradient),
        "in the others": of(words("M"), du),
    }
    return Computed(found, sizes_of_words(_LETTERS, gradient), r"H w = -\nabla_w E")


_ON_THE_ROW = {
    "gradient": words("g r - u u' g r"),
    "in the row, with the gradient": words("0"),
    "in the others": words("0"),
}


def _one_row(_: Context) -> Computed:
    """H (w, 0), w = (1, 0), at a = 1 by the target y, for the cost (a x_1 + <w, x>/|w| - y)^2 / 2, x = (1, 2)."""
    w1, w2, a, y = sympy.symbols("w1 w2 a y")
    cost = (a + (w1 + 2 * w2) / sympy.sqrt(w1**2 + w2**2) - y) ** 2 / 2
    along = (sympy.hessian(cost, (w1, w2, a)) * sympy.Matrix([w1, w2, 0])).subs({w1: 1, w2: 0, a: 1})
    return Computed({target: tuple(along.subs(y, target)) for target in (0, 2)}, Scope.of("d=2"))


_ROW_BY_TARGET = {0: (0, -4, 0), 2: (0, 0, 0)}


def _normalised_gradient(_: Context) -> Computed:
    """The derivatives of <G, diag(a) + diag(b) N(W)> by W_11 and by a_1 for W_1 = (3, 4), b_1 = 2, G_1 = (1, 0)."""
    row, g, b = (3, 4), (Fraction(1), Fraction(0)), 2
    length = 5
    along = sum((x * y for x, y in zip(row, g, strict=True)), Fraction(0)) / length**2
    by_w = tuple(b * (y - along * x) / length for x, y in zip(row, g, strict=True))
    return Computed({"by W_11": by_w[0], "by a_1": g[0], "along W_1": by_w[0] * 3 + by_w[1] * 4}, Scope.of("d=2"))


_NORMALISED = {"by W_11": Fraction(32, 125), "by a_1": Fraction(1), "along W_1": Fraction(0)}

# Small networks, exactly.


def _columns(rows: int, columns: int, seed: int) -> Matrix:
    return matrix(
        [[(3 * i + 5 * j + 2 * i * j + seed * (i + 2 * j + 1)) % 7 - 3 for j in range(columns)] for i in range(rows)]
    )


@dataclass(frozen=True, slots=True)
class Nullities:
    """The nullity of the Hessian in (W, a), and of that in the matrices W + diag(a), at one point."""

    layers: int
    width: int
    point: str
    doubled: int
    inner: int

    def __str__(self) -> str:
        return f"L={self.layers}, d={self.width}, {self.point}"


def _hessian(layers: int, d: int, at: Sequence[tuple[Matrix, Matrix]], *, doubled: bool) -> Matrix:
    """The Hessian of |y - f|^2 / 2 (m = 2) in the entries of the matrices and, if `doubled`, of the a's, by SymPy."""
    names = [f"w{k}_{i}_{j}" for k in range(layers) for i in range(d) for j in range(d)]
    names += [f"a{k}_{i}" for k in range(layers) for i in range(d)] if doubled else []
    polynomials, *generators = ring(names, QQ)
    known = dict(zip(names, generators, strict=True))
    x, y = _columns(d, 2, 1), _columns(d, 2, 4)
    values, h = dict[str, Fraction](), tuple(tuple(QQ(v.numerator, v.denominator) for v in row) for row in x)
    for k, (w, a) in enumerate(at):
        total = add(w, scale(Fraction(int(not doubled)), a))
        layer = [[known[f"w{k}_{i}_{j}"] for j in range(d)] for i in range(d)]
        for i in range(d):
            values |= {f"w{k}_{i}_{j}": total[i][j] for j in range(d)}
            if doubled:
                values[f"a{k}_{i}"] = a[i][i]
                layer[i][i] = layer[i][i] + known[f"a{k}_{i}"]
        h = multiply(tuple(map(tuple, layer)), h)
    cost: Any = sum(
        ((e - QQ(int(t))) ** 2 for r, s in zip(h, y, strict=True) for e, t in zip(r, s, strict=True)), polynomials.zero
    )
    place = [(g, QQ(values[name].numerator, values[name].denominator)) for name, g in known.items()]
    size = range(len(names))
    entries = {
        (i, j): cost.diff(generators[i]).diff(generators[j]).evaluate(place)
        for i, j in combinations_with_replacement(size, 2)
    }
    return matrix(
        [
            [Fraction(int(e.numerator), int(e.denominator)) / 2 for j in size for e in [entries[min(i, j), max(i, j)]]]
            for i in size
        ]
    )


def _small_nullities(_: Context) -> Computed:
    found = []
    for layers, d in ((1, 2), (2, 1), (3, 1), (2, 2)):
        zero, one = matrix([[0] * d] * d), matrix([[int(i == j) for j in range(d)] for i in range(d)])
        drawn = [
            (_columns(d, d, k), matrix([[(k + i + 2) * (i == j) for j in range(d)] for i in range(d)]))
            for k in range(layers)
        ]
        for point, at in (
            ("W = 0, a = 1", [(zero, one)] * layers),
            ("W = a = 0", [(zero, zero)] * layers),
            ("drawn", drawn),
        ):
            doubled, inner = (_hessian(layers, d, at, doubled=flag) for flag in (True, False))
            found.append(Nullities(layers, d, point, len(doubled) - rank(doubled), len(inner) - rank(inner)))
    sizes = dict.fromkeys(f"L={one.layers}, d={one.width}, three points" for one in found)
    return Computed(tuple(found), Scope.of(*sizes))


def _same_nullities(found: Sequence[Nullities], claim: Callable[[int, int, int], int]) -> None:
    for one in found:
        if one.doubled != claim(one.layers, one.width, one.inner):
            raise Disagreement(f"{one}: nullity {one.doubled}, in the matrices {one.inner}")


def _pull(full: Sequence[Matrix], x: Matrix, y: Matrix, rate: Fraction) -> list[Matrix]:
    """What a step of gradient descent on |y - f|^2 / 2 adds to the matrices of the layers."""
    return [scale(rate, g) for g in LinearNet(tuple((m,) for m in full), x, y).updates()]


def _on_the_diagonal(a: Matrix) -> Matrix:
    return diagonal(*(row[i] for i, row in enumerate(a)))


def _three_steps(_: Context) -> Computed:
    """Gradient descent in (W, a), d = 2, L = 2, beside that of the 1-shortcut network with twice the rate on the diagonal."""
    one = matrix([[1, 0], [0, 1]])
    w, a = [_columns(2, 2, 2), _columns(2, 2, 5)], [one, one]
    residual, plain_rate = list(w), list(w)
    x, y = _columns(2, 2, 1), _columns(2, 2, 4)
    before = [minus(_on_the_diagonal(m), v) for m, v in zip(w, a, strict=True)]
    for rate in (Fraction(1, 100), Fraction(1, 7), Fraction(-1, 50)):
        pull = _pull([add(m, v) for m, v in zip(w, a, strict=True)], x, y, rate)
        w = [add(m, g) for m, g in zip(w, pull, strict=True)]
        a = [add(v, _on_the_diagonal(g)) for v, g in zip(a, pull, strict=True)]
        pull = _pull([add(z, one) for z in residual], x, y, rate)
        residual = [add(z, add(g, _on_the_diagonal(g))) for z, g in zip(residual, pull, strict=True)]
        pull = _pull([add(z, one) for z in plain_rate], x, y, rate)
        plain_rate = [add(z, g) for z, g in zip(plain_rate, pull, strict=True)]
    full = [add(m, v) for m, v in zip(w, a, strict=True)]
    found = {
        "diag(W) - a is conserved": before == [minus(_on_the_diagonal(m), v) for m, v in zip(w, a, strict=True)],
        "a = 1 is kept": a == [one, one],
        "the layers of the 1-shortcut network, twice the rate on the diagonal": full == [add(z, one) for z in residual],
        "the layers of the 1-shortcut network, one rate": full == [add(z, one) for z in plain_rate],
    }
    return Computed(found, Scope.of("L=2, d=m=2, three steps"))


_STEPS = {
    "diag(W) - a is conserved": True,
    "a = 1 is kept": False,
    "the layers of the 1-shortcut network, twice the rate on the diagonal": True,
    "the layers of the 1-shortcut network, one rate": False,
}

# DiracNets of every depth that have left a = 1 and stay close to their input, at every step.

State = tuple[tuple[Fraction, ...], tuple[Fraction, ...]]
"""The weights and the a's of all layers of width one."""


@dataclass(frozen=True, slots=True)
class TrainedDirac:
    """A DiracNet of width one on one sample, cost (y - f)^2 / 2: (W, a) before and after every step, and h^0, ..., h^L at the end."""

    x: Fraction
    y: Fraction
    rate: Fraction
    states: tuple[State, ...]
    hidden: tuple[Fraction, ...]

    def output(self, state: State) -> Fraction:
        """f."""
        return prod((w + a for w, a in zip(*state, strict=True)), start=self.x)

    def cost(self, state: State) -> Fraction:
        """(y - f)^2 / 2."""
        return (self.y - self.output(state)) ** 2 / 2

    def stepped(self, state: State) -> State:
        """One step, by central differences, which are exact for a cost of degree two in each parameter."""
        flat = (*state[0], *state[1])
        layers = len(state[0])

        def at(k: int, change: int) -> Fraction:
            moved = tuple(v + change * (j == k) for j, v in enumerate(flat))
            return self.cost((moved[:layers], moved[layers:]))

        after = tuple(v - self.rate * (at(k, 1) - at(k, -1)) / 2 for k, v in enumerate(flat))
        return after[:layers], after[layers:]

    def __str__(self) -> str:
        return f"d = m = 1, L = {len(self.states[0][0])}, x = {self.x}, y = {self.y}, eta = {self.rate}, {len(self.states) - 1} steps"


_FIRST_SHARE, _CHAIN_RATE, _TARGET, _NEAREST = Fraction(1, 20), Fraction(1, 10), Fraction(11, 10), Fraction(109, 100)
"""The sum of the weights at the start and L times the rate at most; y / x at most, and more than what."""


def _trained_chain(layers: int, steps: int) -> TrainedDirac:
    first: State = ((_FIRST_SHARE / layers * Fraction(4, 5),) * layers, (Fraction(1),) * layers)
    found = TrainedDirac(Fraction(1), _TARGET, _CHAIN_RATE / layers, (first,), ())
    for _ in range(steps):
        found = replace(found, states=(*found.states, found.stepped(found.states[-1])))
    hidden = [found.x]
    for w, a in zip(*found.states[-1], strict=True):
        hidden.append((w + a) * hidden[-1])
    return replace(found, hidden=tuple(hidden))


_CHAINS = tuple(_trained_chain(layers, 3) for layers in (1, 2, 3))


def _least_chance(net: TrainedDirac) -> Fraction:
    """By N(0, 2), He's law for d = 1: at least how likely all weights are in (0, 1/(20 L)) at the start; zero if these are not.

    The density there is exp(-w^2/4) / sqrt(4 pi) >= (1 - w^2/4) / sqrt(88/7) > 1/4.
    """
    weights, side, density = net.states[0][0], _FIRST_SHARE / len(net.states[0][0]), Fraction(1, 4)
    assert (1 - side**2 / 4) ** 2 > density**2 * Fraction(88, 7)
    return (density * side) ** len(weights) * all(0 < w < side for w in weights)


class _KeptByAStep(NamedTuple):
    """What every step keeps of a DiracNet with 1 <= f < y and w_l + a_l >= 1, x = 1, whatever its depth, target y and rate.

    A layer's factor grows to (w + a)(1 + v), v = 2 eta (y - f) f / (w + a)^2, all v together at most `gain`: by Bernoulli,
    for which `shares` is there, f grows to at most f / (1 - gain); `move` is what an a grows by, up to a positive factor.
    """

    shares: RunningSum
    space: Orthant
    target: Element
    output: Element
    gain: Element
    move: Element


def _every_step(_: Context) -> Computed:
    """y runs through (109/100, 11/10], f through [1, y), and L eta through (0, 1/10]."""
    shares, o = shrinking(), orthant("u", "s y r")
    target, rate = between(_TARGET, _NEAREST, o["y"]), _CHAIN_RATE / (1 + o["r"])
    output = between(1, target, o["s"])
    # u stands for f / (w + a) > 0.
    found = _KeptByAStep(shares, o, target, output, 2 * rate * (target - output) * output, (target - output) * o["u"])
    scope = shares.sizes & Scope.over(d=1) & standing_for(occurring(output), {"s": "t"})
    return Computed(found, scope, r"1 \le f(t) < f(t + 1) < y, \qquad a^l(t + 1) > a^l(t) \ge 1")


class _Distance(NamedTuple):
    """|f - x| / |x| is below `most` at every step, or above `least`, where a has left 1; f by more than `short` below y.

    `first` is the sum of the weights at the start at most, `empty` (1 - `part` of the sum of the shares) what their product is at
    least, and `side` says whether a grows.
    """

    most: Fraction | None = None
    least: Fraction | None = None
    short: Fraction = Fraction(0)
    first: Fraction = _FIRST_SHARE
    part: Fraction = Fraction(1)
    empty: int = 1
    side: int = 1


def _keeps(found: _KeptByAStep, claim: _Distance) -> None:
    o = found.space
    o.above_zero("every a grows", claim.side * found.move)
    if claim.least is not None:
        o.above_zero("the output is far", found.output - 1 - claim.least)
    if claim.most is not None:
        bound = found.target - claim.short
        o.at_least_zero("the target", 1 + claim.most - found.target)
        stays_above(found.shares, lambda total: claim.empty * (1 - claim.part * total))
        o.above_zero("at the start", bound - 1 / (1 - claim.first))
        # So the gain is below one.
        o.above_zero("one step more", bound * (1 - found.gain) - found.output)


def _distances_run(_: Context) -> Computed:
    """|f - x| / |x| after every step, forward and by the paths through Z = W + a - 1, and whether all a differ from 1.

    Each step is -eta (f - y) times the product of the other layers, in W and in a.
    """
    found = {}
    for net in _CHAINS:
        for (w, a), after in pairwise(net.states):
            layers = [one + other for one, other in zip(w, a, strict=True)]
            others = [prod((*layers[:k], *layers[k + 1 :]), start=net.x) for k in range(len(layers))]
            moves = [net.rate * (net.output((w, a)) - net.y) * one for one in others]
            assert after == tuple(tuple(v - move for v, move in zip(one, moves, strict=True)) for one in (w, a))
        paths = [sum(_products([w + a - 1 for w, a in zip(*state, strict=True)]), Fraction(0)) for state in net.states]
        assert paths == [net.output(state) - net.x for state in net.states]
        found[len(net.states[0][0])] = ([abs(one / net.x) for one in paths], 1 not in net.states[-1][1])
    return Computed(found, Scope.of(f"d=m=1, L=1..{len(_CHAINS)}, {len(_CHAINS[0].states) - 1} steps"))


def _products(branches: Sequence[Fraction]) -> list[Fraction]:
    """The product over each set of branches but the empty one."""
    return [
        prod(chosen, start=Fraction(1)) for k in range(1, len(branches) + 1) for chosen in combinations(branches, k)
    ]


@property_of(
    {1: ([Fraction(1, 20), Fraction(9, 100)], True)},
    not_of=[
        {1: ([Fraction(1, 20), Fraction(1, 10)], True)},
        {1: ([Fraction(0), Fraction(1, 20)], True)},
        {1: ([Fraction(1, 20)], True), 2: ([Fraction(1, 20)], False)},
    ],
)
def _are_close(found: Mapping[int, tuple[Sequence[Fraction], bool]]) -> bool:
    return all(left and min(distances) > 0 and max(distances) < _TARGET - 1 for distances, left in found.values())


@property_of(
    {1: ([Fraction(0), Fraction(3, 2)], True)},
    not_of=[{1: ([Fraction(1)], True)}, {1: ([Fraction(2)], True), 2: ([Fraction(2)], False)}],
)
def _are_far(found: Mapping[int, tuple[Sequence[Fraction], bool]]) -> bool:
    return all(left and distances[-1] > 1 for distances, left in found.values())


# Evidence.

_LAYERS, _TRAINED, _RATE = 20, 30, 0.02


@dataclass(frozen=True, slots=True)
class Trained:
    """How far diag(W) - a and a have moved in training, and what rounding allows."""

    difference: float
    gain: float
    bound: float
    sizes: str
    seed: int


def _products_of_moduli(weights: Mapping[str, np.ndarray], x: np.ndarray, y: np.ndarray) -> float:
    """The sum over samples, places and layers of |D| |h|, D the signal at a layer's output, h its input, of the mean squared loss."""
    full = [w + np.diag(a[:, 0]) for w, a in zip(weights["W"], weights["a"], strict=True)]
    hidden = [x]
    for m in full:
        hidden.append(m @ hidden[-1])
    signal, total = (hidden[-1] - y) / x.shape[1], 0.0
    for m, h in zip(reversed(full), reversed(hidden[:-1]), strict=True):
        total += float(np.sum(np.abs(signal * h)))
        signal = m.T @ signal
    return total


def _trained(context: Context) -> Computed:
    ops, d = device(context.device).ops, len(context.data.X)
    x, y = (np.ascontiguousarray(np.asarray(part)[:, :500]) for part in (context.data.X, context.data.Y))
    on_device, generator = (ops.asarray(x), ops.asarray(y)), np.random.default_rng(context.seed)
    weights = {
        "W": generator.normal(scale=0.2 / (d * _LAYERS) ** 0.5, size=(_LAYERS, d, d)),
        "a": np.ones((_LAYERS, d, 1)),
    }
    diagonal = np.arange(d)
    start, bound = weights["W"][:, diagonal, diagonal] - weights["a"][:, :, 0], 0.0
    for _ in range(_TRAINED):
        # Both gradients are sums over the samples of the same computed products; W and a are rounded once.
        bound += 2 * _RATE * gamma(x.shape[1] + 4) * _products_of_moduli(weights, x, y)
        slope = gradient(Network(_DIRAC, _LAYERS), {n: ops.asarray(v) for n, v in weights.items()}, *on_device)
        weights = {name: value - _RATE * ops.numpy(slope[name]) for name, value in weights.items()}
        bound += UNIT_ROUNDOFF * sum(largest_modulus(value) for value in weights.values())
    end = weights["W"][:, diagonal, diagonal] - weights["a"][:, :, 0]
    shown = f"L={_LAYERS}, d={d}, m={x.shape[1]}, {_TRAINED} steps; {context.data.name}"
    gain = largest_modulus(weights["a"] - 1)
    found = Trained(largest_modulus(end - start), gain, bound, shown, context.seed)
    return Computed(found, Scope.of(shown))


def _moved_together(found: Trained, claim: str) -> Measurement:
    """Claims: "diag(W) - a" or "a" is conserved."""
    moved = found.difference if claim == "diag(W) - a" else found.gain
    derivation = r"rounding of the steps: $2 \eta \gamma_m \sum \lvert D\rvert \lvert h\rvert$ for the two sums, $u \max \lvert W\rvert$ and $u \max \lvert a\rvert$ for the updates"
    return Measurement(
        "max change of what is conserved", moved, found.bound, found.sizes, found.seed, derivation, scale=found.gain
    )


_EVERY_SIZE = {"L": 1, "d": 1, "m": 1}

_START = Argument(
    "A layer at $a = 1$",
    "index notation",
    _at_one,
    _AT_ONE,
    {
        "without the shortcut": {**_AT_ONE, "a = 1": "W[i,a] * X[a,u]"},
        "it does not start as the identity": {**_AT_ONE, "a = 1, W = 0 is the identity": False},
    },
)
_DIRECTIONS = Argument(
    "Directions that change no layer",
    "index notation",
    _along_the_kernel,
    _ALONG,
    {
        r"$\mathrm{diag}(v)$, $v$ changes none": {**_ALONG, "diag(v), v": "0"},
        r"$-\mathrm{diag}(v)$, $v$ changes it": {**_ALONG, "-diag(v), v": "X[i,u] * v[i]"},
    },
    explanation=r"The layer is affine in $(W, a)$. The change vanishes only along $(-\mathrm{diag}(v), v)$: $\ker J$ has dimension "
    "$d$ a layer.",
)
_KERNEL = Argument(
    "The kernel of the Hessian",
    "identity",
    _nullity_steps,
    _NULLITY,
    {
        "$J$ is invertible": {**_NULLITY, "K J": words("1")},
        "the kernel of $J' H J$ is that of $H$": {**_NULLITY, "K' J' H J": words("H")},
    },
    explanation=r"$K' J' H J = H J$: $J' H J$ and $H J$ have one kernel. $J$ maps it onto $\ker H$, since $H y = 0$ gives "
    r"$H J (K y) = H y = 0$ and $J K y = y$; what $J$ sends to zero is $\ker J$. So the dimensions add: "
    r"$L d + \dim \ker H$.",
)
_DIAGONAL_GRADIENT = Argument(
    "The gradient in $a$ is the diagonal of that in $W$",
    "index notation",
    _gradients,
    _GRADIENTS,
    {
        "it is the row sums": {**_GRADIENTS, "row sums": False},
        "a does not move": {**_GRADIENTS, "by a": "0"},
        "the diagonal is not conserved": {**_GRADIENTS, "diagonal": "D[i,a] * X[i,a]"},
    },
    explanation="$D$ is the error signal at the layer's output, $X$ its input: both are arbitrary, so that no step keeps $a$ as it "
    "is.",
)
_STEP_NEIGHBOURS = {
    r"$\mathrm{diag}(W) - a$ moves": {**_ONE_STEP, "diag(W) - a": "eta * D[i,a] * X[i,a]"},
    r"$\mathrm{diag}(a)$ remains the identity": {**_ONE_STEP, "a": "0"},
    "as the 1-shortcut network, with one rate": {**_ONE_STEP, "Z less the 1-shortcut network's": "0"},
    "three times the rate": {
        **_ONE_STEP,
        "Z less the 1-shortcut network's, twice on the diagonal": "eta * delta[i,j] * D[i,a] * X[i,a]",
    },
}
_ALL_STEPS = Induction(
    "t",
    Argument(
        "The first step, from $a = 1$",
        "index notation",
        _first_step,
        _ONE_STEP,
        _STEP_NEIGHBOURS,
        _same_step,
        explanation=r"What a step of size $\eta$ takes from $W$, $a$ and $Z$, up to the sign.",
    ),
    Argument(
        "One step more, from any $W$ and $a$",
        "index notation",
        _step_more,
        _ONE_STEP,
        _STEP_NEIGHBOURS,
        _same_step,
        explanation=r"$\eta$, $X$ and $D$ may differ from step to step. $D$ is the same for both networks, whose layers are the same.",
    ),
)
_AS_RESIDUAL = Argument(
    "A layer at any $W$ and $a$ is a 1-shortcut layer at $Z$",
    "index notation",
    _same_layer,
    _SAME_LAYER,
    {
        r"at $W + \mathrm{diag}(a)$": {**_SAME_LAYER, "W + diag(a)": "0"},
        "not at $Z$": {**_SAME_LAYER, "W + diag(a) - 1": "X[i,u]"},
    },
)
_SMALL_HESSIANS = Argument(
    "Hessians of small networks by symbolic differentiation",
    "explicit",
    _small_nullities,
    lambda layers, d, inner: inner + layers * d,
    {
        "as in the matrices": lambda layers, d, inner: inner,
        "$d$ more": lambda layers, d, inner: inner + d,
        "the squares": lambda layers, d, inner: inner + layers * d * d,
    },
    _same_nullities,
)
_STEPS_RUN = Argument(
    "Three steps of gradient descent in rational numbers",
    "explicit",
    _three_steps,
    _STEPS,
    {
        r"$\mathrm{diag}(a)$ remains the identity": {**_STEPS, "a = 1 is kept": True},
        r"$\mathrm{diag}(W) - a$ moves": {**_STEPS, "diag(W) - a is conserved": False},
        "another network": {**_STEPS, "the layers of the 1-shortcut network, twice the rate on the diagonal": False},
        "one rate will do": {**_STEPS, "the layers of the 1-shortcut network, one rate": True},
    },
)
_ALONG_ROWS = Argument(
    "Normalised rows: nothing moves along the row",
    "identity",
    _normalised_rows,
    {"along the row": words("0"), "without": words("u")},
    {"it moves": {"along the row": words("u"), "without": words("u")}},
    explanation="$u$ is the row divided by its norm; so a step of gradient descent is orthogonal to the row.",
)
_ROW_IN_THE_HESSIAN = Argument(
    "Normalised rows: the Hessian takes the row to minus the gradient in it",
    "identity",
    _hessian_on_the_row,
    _ON_THE_ROW,
    {
        "to zero": {**_ON_THE_ROW, "in the row, with the gradient": _ON_THE_ROW["gradient"]},
        "the gradient is that in $u$": {**_ON_THE_ROW, "gradient": words("g r")},
        "the other gradients change": {**_ON_THE_ROW, "in the others": words("M u")},
    },
    explanation=r"$w = n u$, $r = 1/n$, and the gradient in $w$ is $r (1 - u u^{\mathsf T}) g$, $g$ that in $u$. Along the row $u$, "
    r"and so $g$, does not change, and $r$ by $-r$.",
)
_ROW_INSTANCE = Argument(
    r"The Hessian of $(a x_1 + \langle w, x\rangle/\lvert w\rvert - y)^2/2$ on the row $w = (1, 0)$",
    "explicit",
    _one_row,
    _ROW_BY_TARGET,
    {
        "in the kernel everywhere": dict.fromkeys(_ROW_BY_TARGET, (0, 0, 0)),
        "in the kernel nowhere": dict.fromkeys(_ROW_BY_TARGET, (0, -4, 0)),
    },
    explanation="$x = (1, 2)$, $a = 1$; $y = 0$, where the gradient is $(0, 4, 2)$, and $y = 2$, where it is zero.",
)
_NORMALISED_INSTANCE = Argument(
    "A normalised row and its gradient",
    "explicit",
    _normalised_gradient,
    _NORMALISED,
    {
        r"$\mathrm{diag}(W) - a$ is conserved": {**_NORMALISED, "by W_11": Fraction(1)},
        "the row's norm changes to first order": {**_NORMALISED, "along W_1": Fraction(3)},
    },
)

_FAR = Clause(
    r"Once $\mathrm{diag}(a)$ has left the identity in training, $h(x)^L$ is far from $x$.",
    {"L": 1, "d": 1, "t": 1},
    hypotheses=(
        Hypothesis(
            r"the layers are $W^l + \mathrm{diag}(a^l)$",
            lambda nets: all(
                net.hidden[0] == net.x
                and all(h == (w + a) * g for w, a, (g, h) in zip(*net.states[-1], pairwise(net.hidden), strict=True))
                for net in nets
            ),
            fails_on=(_CHAINS[0], replace(_CHAINS[1], hidden=(*_CHAINS[1].hidden[:-1], Fraction(0)))),
            quote="W~^l = (W^l + diag(a))",
            where="Equation 28",
        ),
        Hypothesis(
            "the weights are random at the start, as at He's initialisation: they lie in an open set, which has a positive chance",
            lambda nets: all(map(_least_chance, nets)),
            fails_on=(
                _CHAINS[0],
                replace(_CHAINS[1], states=(((Fraction(0),) * 2, (Fraction(1),) * 2), *_CHAINS[1].states[1:])),
            ),
            quote="W^l is a randomly initialized matrix. e.g. as in [32]",
            where="Equation 28",
        ),
        Hypothesis(
            "$a = 1$ at the start",
            lambda nets: all(a == 1 for net in nets for a in net.states[0][1]),
            fails_on=(_CHAINS[0], replace(_CHAINS[1], states=_CHAINS[1].states[1:])),
            quote="The DiracNet, which initializes a = 1 mimics the ResNet at the start of training",
            where="section 6.5 (c)",
        ),
        Hypothesis(
            "several steps of gradient descent follow",
            lambda nets: all(
                len(n.states) >= 4 and all(n.stepped(p) == q for p, q in pairwise(n.states)) for n in nets
            ),
            fails_on=(_CHAINS[0], replace(_CHAINS[1], states=(*_CHAINS[1].states, _CHAINS[1].states[0]))),
            quote="after several training iterations",
        ),
        Hypothesis(
            r"$\mathrm{diag}(a)$ is no longer the identity",
            lambda nets: all(any(a != 1 for a in net.states[-1][1]) for net in nets),
            fails_on=(
                _CHAINS[0],
                replace(_CHAINS[1], y=_CHAINS[1].x, states=(((Fraction(0),) * 2, (Fraction(1),) * 2),) * 4),
            ),
            holds_on=(replace(_CHAINS[1], states=(((Fraction(0),) * 2, (Fraction(1), Fraction(2))),)),),
            quote="violates diag(a) = I in (28)",
        ),
    ),
    counterexample=Counterexample(
        instance=_CHAINS,
        picture=lambda nets: trained_shares(
            [abs(nets[-1].output(state) - nets[-1].x) / abs(nets[-1].x) for state in nets[-1].states],
            [min(abs(a - 1) for a in state[1]) for state in nets[-1].states],
        ),
        sentence="DiracNets of width one with any number $L$ of layers, for an open set of weights at the start, which has a positive "
        "chance at He's initialisation, of targets near the input and of rates: from the first step on every $a$ is greater than 1, and at "
        "every step $h^L$ is within a tenth of $x$.",
        latex=r"W^l(0) > 0,\ \sum_l W^l(0) \le \tfrac1{20},\ \tfrac{109}{100} < \tfrac yx \le \tfrac{11}{10},\ 0 < \eta \le \tfrac1{10 L}: \quad a^l(t) > 1, \quad |h^L - x| < \tfrac1{10} |x| \quad (t \ge 1)",
        routes=(
            Argument(
                "Every depth and every step",
                "inequality",
                _every_step,
                _Distance(most=_TARGET - 1),
                {
                    PRINTED: _Distance(least=Fraction(1)),
                    "within nine hundredths": _Distance(most=Fraction(9, 100)),
                    "by a twentieth less than the target": _Distance(most=_TARGET - 1, short=Fraction(1, 20)),
                    "by three hundredths less": _Distance(most=_TARGET - 1, short=Fraction(3, 100)),
                    "from any start up to a fifth": _Distance(most=_TARGET - 1, first=Fraction(1, 5)),
                    "half the shares count": _Distance(most=_TARGET - 1, part=Fraction(1, 2)),
                    "an empty product is 2": _Distance(most=_TARGET - 1, empty=2),
                    "$a$ falls": _Distance(most=_TARGET - 1, side=-1),
                    "farther than a hundredth": _Distance(least=Fraction(1, 100)),
                },
                certified(_keeps),
                explanation=r"With $1 \le f < y$ and all $w + a \ge 1$ a step adds $\eta (y - f) f / (w + a) > 0$ to each $w$ and each $a$, so that "
                r"$f$ grows, to less than $y$: $\prod (1 + v_l) \le 1/(1 - \sum v_l)$ by Bernoulli's inequality for $1 - v/(1 + v)$ and any "
                r"number of layers, with $\sum v_l \le 2 L \eta (y - f) f$. At the start $f \le 1/(1 - \tfrac1{20})$ in the same way.",
            ),
            Argument(
                "Three steps of three networks, forward and by the paths of the 1-shortcut network",
                "instance",
                _distances_run,
                _are_close,
                {PRINTED: _are_far, "$a = 1$": lambda found: not any(left for _, left in found.values())},
                matches,
            ),
        ),
        show=lambda nets: (
            f"d = m = 1, every L; run for L = 1..{len(nets)}, {len(nets[0].states) - 1} steps, L W^l(0) = {nets[0].states[0][0][0]}, "
            f"x = {nets[0].x}, y = {nets[0].y}, L eta = {_CHAIN_RATE}; chance of 0 < W^l(0) < 1/(20 L) at He's initialisation at least "
            f"{', '.join(str(_least_chance(net)) for net in nets)}"
        ),
    ),
    repair=Repair(
        sentence="At every step the DiracNet of Equation 28 is the 1-shortcut network with the weights "
        r"$Z = W + \mathrm{diag}(a) - 1$, which gradient descent moves as that network's own, with twice the rate on the "
        r"diagonals; so it is as far from $x$ as such a network, whatever $\mathrm{diag}(a)$ is. $\mathrm{diag}(W) - a$ "
        "stays what it was.",
        latex=r"Z(t+1) = Z(t) - \eta\,(G + \operatorname{diag} G), \qquad \operatorname{diag}(W(t)) - a(t) = \operatorname{diag}(W(0)) - a(0)",
        arguments=(_AS_RESIDUAL, _ALL_STEPS, _STEPS_RUN),
        for_all={"L": 1, "d": 1, "m": 1, "t": 1},
        changes=(
            Change(
                "h(x)^L is far from x in (29)",
                r"it is as far from $x$ as such a network, whatever $\mathrm{diag}(a)$ is",
            ),
        ),
        beside=True,
    ),
)

DN = Statement(
    id="RS-DN",
    title="The DiracNet starts as a residual network and leaves $a = 1$ in training",
    source=source(
        "section 6.5 (c), Eq. 28, 29",
        "there is no constraint on diag(a) in (28) so that it remains the identity matrix during training ... the DiracNet invariably violates diag(a) = I in (28) after several training iterations so that h(x)^L is far from x in (29)",
    ),
    latex=r"\tilde W^l = W^l + \operatorname{diag}(a^l), \qquad \tilde h(x)^L = \prod_{l=1}^L \tilde W^l\, x",
    clauses=(
        Clause(
            r"At $a = 1$ the DiracNet, whose layers are $W^l + \mathrm{diag}(a^l)$, $l = 1, \ldots, L$, is a 1-shortcut "
            "network.",
            _EVERY_SIZE,
            (_START, _STEPS_RUN),
            reading=Erratum(
                r"$0 \le l \le L$, which are $L + 1$ layers",
                r"$1 \le l \le L$",
                "The weight initialization of an L-layer DiracNet",
                r"the sentence before Equation 28; Equation 29 multiplies $l = 1, \ldots, L$",
            ),
        ),
        Clause(
            r"Nothing keeps $\mathrm{diag}(a)$ at the identity in training.",
            _EVERY_SIZE,
            (_DIAGONAL_GRADIENT, _STEPS_RUN),
        ),
        _FAR,
    ),
    notes=r"Far is read as $\lvert h^L - x\rvert > \lvert x\rvert$, as close is in EX-8, and 'invariably' as whatever is drawn; how often "
    "weights drawn at He's initialisation lead far away is not said. That optimisation becomes difficult is "
    "an observation and not verified here. The layer is that of Equation 28; the DiracNets of Zagoruyko and Komodakis "
    "divide every row of $W$ by its norm, see RS-DN2.",
)

DN2 = Statement(
    id="RS-DN2",
    title="A diagonal that is counted twice: null directions, and what gradient descent conserves",
    source=None,
    latex=r"\operatorname{nullity} \nabla^2 E = L d + \operatorname{nullity} \nabla^2_{\tilde W} E, "
    r"\qquad \operatorname{diag}(W^l(t)) - a^l(t) = \operatorname{diag}(W^l(0)) - a^l(0)",
    setting=r"Layers are $W + \mathrm{diag}(a)$ or, with normalised rows, $\mathrm{diag}(a) + "
    r"\mathrm{diag}(b) N(W)$, $N$ dividing every row by its norm; the cost is any.",
    clauses=(
        Clause(
            r"Where layers are $W + \mathrm{diag}(a)$, the Hessian in $(W, a)$ has a null space of dimension $L d$, plus that of the Hessian in the matrices "
            r"$W + \mathrm{diag}(a)$, everywhere.",
            _EVERY_SIZE,
            (_DIRECTIONS, _KERNEL, _SMALL_HESSIANS),
        ),
        Clause(
            r"Gradient descent on such layers, of any step sizes, each the same for $W$ and $a$, conserves "
            r"$\mathrm{diag}(W) - a$ at every step.",
            {**_EVERY_SIZE, "t": 1},
            (_ALL_STEPS, _STEPS_RUN),
        ),
        Clause(
            "Where rows are normalised, the cost does not change along a row of $W$: its gradient is orthogonal to the row, "
            "and the row is in the Hessian's kernel exactly where the gradient in it vanishes. "
            r"$\mathrm{diag}(W) - a$ is not conserved.",
            {"d": 1},
            (_ALONG_ROWS, _ROW_IN_THE_HESSIAN, _NORMALISED_INSTANCE, _ROW_INSTANCE),
        ),
    ),
    evidence=(
        Argument(
            "Thirty steps on the digits",
            "floating point",
            _trained,
            "diag(W) - a",
            {"a is conserved": "a"},
            _moved_together,
            explanation="Rounding of the steps only; a itself moves far beyond it.",
        ),
    ),
    notes=r"With weight decay of $W$ and $a$ alike $\mathrm{diag}(W) - a$ shrinks by the same factor as they do.",
)

STATEMENTS = (DN, DN2)
