"""Rethinking skip connections, section 6.5: the DiracNet, layers h -> (W + diag(a)) h without shortcuts (RS-DN).

The parameters of a layer enter only through the matrix W + diag(a) = J (W, a), J linear and onto. So for any cost

    Hessian in (W, a) = J^T H J,   H the Hessian in the matrices;   gradient = (G, diag G),   G the gradient in them.

Letters: J K = 1 with K a right inverse (W, a) = (., 0); K', J' the transposes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from sympy import QQ, ring

from architectures.catalogue import n_shortcut
from architectures.expressions import Expression, Input, Weight, nodes, ones
from architectures.losses import squared
from architectures.networks import Network, ResidualUnit
from architectures.terms import COLUMN, ROW, SAMPLE, Opaque
from numeric.backend import device
from numeric.network.adjoint import gradient
from numeric.rounding import UNIT_ROUNDOFF, gamma
from proofs.documents import source
from proofs.statement import Argument, Clause, Computed, Context, Disagreement, Measurement, Scope, Statement
from proofs.theory.linear_networks import any_value
from symbolic.algebra.matrices import Matrix, add, matrix, multiply, rank, scale, transpose
from symbolic.algebra.noncommutative import modulo, words
from symbolic.algebra.noncommutative import sizes as sizes_of_words
from symbolic.index import sizes
from symbolic.index.claims import parse, show, vocabulary
from symbolic.index.lift import data, passes_through, perturbations, unit_series
from symbolic.index.series import Sum, contract, differentiate, rename, series, substitute, tensor
from symbolic.index.series import add as add_sums
from symbolic.index.series import multiply as multiply_sums
from symbolic.index.series import scale as scale_sum


def dirac_layer() -> Expression:
    """W h + a h, a of initial value one and multiplied row by row. Source: Zagoruyko and Komodakis 2017, DiracNets."""
    h, w, a = Input("d"), Weight("d", "d", name="W"), Weight("d", initial=ones, name="a")
    return w @ h + a * h


_DIRAC = ResidualUnit(dirac_layer())


_ANY_LAYER = {"X": "L"}
"""The input of a layer is the output of however many layers before it."""


def _at_one(_: Context) -> Computed:
    """A layer at a = 1 with any W beside a 1-shortcut unit, and at W = 0 on an arbitrary input."""
    layer = unit_series(_DIRAC, series([data(_DIRAC)], 0), perturbed=(), opaque=("W",))[0]
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
    moved, v = perturbations(_DIRAC), tensor(Opaque("v", ("d",), degree=1), (ROW,))
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


def _gradients(_: Context) -> Computed:
    """diag(dE/dW) - dE/da and the row sums of dE/dW - dE/da, for any error signal D at the layer's output."""
    change = unit_series(_DIRAC, series([data(_DIRAC)], 1), opaque=("W", "a"))[1]
    signal = tensor(Opaque("D", ("d", "m")), (ROW, SAMPLE))
    total = contract(multiply_sums(signal, change), {ROW: "d", SAMPLE: "m"})
    moved = perturbations(_DIRAC)
    by_w, by_a = differentiate(total, moved["W"], (ROW, COLUMN)), differentiate(total, moved["a"], (ROW,))
    minus = scale_sum(-1, by_a)
    found = {
        "by a": show(by_a),
        "diagonal": show(add_sums(rename(by_w, {COLUMN: ROW}), minus)),
        "row sums": bool(add_sums(contract(by_w, {COLUMN: "d"}), minus)),
    }
    shown = r"\frac{\partial E}{\partial a} = \operatorname{diag} \frac{\partial E}{\partial W}"
    return Computed(found, sizes.of_terms(by_w, by_a, products=_ANY_LAYER), shown)


_GRADIENTS: Mapping[str, object] = {"by a": "D[i,a] * X[i,a]", "diagonal": "0", "row sums": True}

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


def _three_steps(_: Context) -> Computed:
    """diag(W) - a and a before and after three steps of gradient descent of different sizes, d = 2, L = 2."""
    w, a = [_columns(2, 2, 2), _columns(2, 2, 5)], [matrix([[1], [1]]) for _ in range(2)]
    x, y = _columns(2, 2, 1), _columns(2, 2, 4)
    before = [tuple(m[i][i] - v[i][0] for i in range(2)) for m, v in zip(w, a, strict=True)]
    for rate in (Fraction(1, 100), Fraction(1, 7), Fraction(-1, 50)):
        full = [
            add(m, matrix([[v[i][0] * (i == j) for j in range(2)] for i in range(2)]))
            for m, v in zip(w, a, strict=True)
        ]
        hidden = [x, multiply(full[0], x)]
        signal = add(y, scale(Fraction(-1), multiply(full[1], hidden[1])))
        for k in (1, 0):
            by_w = multiply(signal, transpose(hidden[k]))
            by_a = matrix(
                [[sum((d * h for d, h in zip(signal[i], hidden[k][i], strict=True)), Fraction(0))] for i in range(2)]
            )
            w[k], a[k] = add(w[k], scale(rate, by_w)), add(a[k], scale(rate, by_a))
            signal = multiply(transpose(full[k]), signal)
    after = [tuple(m[i][i] - v[i][0] for i in range(2)) for m, v in zip(w, a, strict=True)]
    found = {"diag(W) - a is conserved": before == after, "a = 1 is kept": all(v == ((1,), (1,)) for v in a)}
    return Computed(found, Scope.of("L=2, d=m=2, three steps"))


_STEPS = {"diag(W) - a is conserved": True, "a = 1 is kept": False}

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
    chain: int


def _trained(context: Context) -> Computed:
    ops, d = device(context.device).ops, len(context.data.X)
    x, y = (np.ascontiguousarray(np.asarray(part)[:, :500]) for part in (context.data.X, context.data.Y))
    on_device, generator = (ops.asarray(x), ops.asarray(y)), np.random.default_rng(context.seed)
    weights = {
        "W": generator.normal(scale=0.2 / (d * _LAYERS) ** 0.5, size=(_LAYERS, d, d)),
        "a": np.ones((_LAYERS, d, 1)),
    }
    diagonal = np.arange(d)
    start = weights["W"][:, diagonal, diagonal] - weights["a"][:, :, 0]
    chain, bound = 4 * _LAYERS * (4 * d + len(nodes(_DIRAC.expression))) + x.shape[1] + 100 * d**2, 0.0
    norms = float(np.linalg.norm(x)), float(np.linalg.norm(y))
    for _ in range(_TRAINED):
        sizes = 1 + np.linalg.norm(weights["W"], axis=(1, 2)) + np.max(np.abs(weights["a"][:, :, 0] - 1), axis=1)
        nu = float(np.prod(sizes))
        slope = gradient(Network(_DIRAC, _LAYERS), {n: ops.asarray(v) for n, v in weights.items()}, *on_device)
        bound += 2 * _RATE * gamma(chain) * nu * (nu * norms[0] + norms[1]) * norms[0] / x.shape[1]
        weights = {name: value - _RATE * ops.numpy(slope[name]) for name, value in weights.items()}
        bound += 4 * UNIT_ROUNDOFF * max(float(np.max(np.abs(value))) for value in weights.values())
    end = weights["W"][:, diagonal, diagonal] - weights["a"][:, :, 0]
    shown = f"L={_LAYERS}, d={d}, m={x.shape[1]}, {_TRAINED} steps; {context.data.name}"
    gain = float(np.max(np.abs(weights["a"] - 1)))
    return Computed(
        Trained(float(np.max(np.abs(end - start))), gain, bound, shown, context.seed, chain), Scope.of(shown)
    )


def _moved_together(found: Trained, claim: str) -> Measurement:
    """Claims: "diag(W) - a" or "a" is conserved."""
    moved = found.difference if claim == "diag(W) - a" else found.gain
    derivation = f"rounding of the steps: eta gamma_N nu (nu |X|_F + |Y|_F) |X|_F / m, nu = prod (1 + |W|_F + max |a - 1|), N = {found.chain}"
    return Measurement(f"max change of {claim}", moved, found.bound, found.sizes, found.seed, derivation)


_EVERY_SIZE = {"L": 1, "d": 1, "m": 1}

_START = Argument(
    "A layer at a = 1",
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
        "diag(v), v changes none": {**_ALONG, "diag(v), v": "0"},
        "-diag(v), v changes it": {**_ALONG, "-diag(v), v": "X[i,u] * v[i]"},
    },
    explanation="The layer is affine in (W, a). The change vanishes only along (-diag(v), v): ker J has dimension d a layer.",
)
_KERNEL = Argument(
    "The kernel of the Hessian",
    "identity",
    _nullity_steps,
    _NULLITY,
    {
        "J is invertible": {**_NULLITY, "K J": words("1")},
        "the kernel of J' H J is that of H": {**_NULLITY, "K' J' H J": words("H")},
    },
    explanation="K' J' H J = H J: J' H J and H J have one kernel. J maps it onto ker H, since H y = 0 gives "
    "H J (K y) = H y = 0 and J K y = y; what J sends to zero is ker J. So the dimensions add: L d + dim ker H.",
)
_DIAGONAL_GRADIENT = Argument(
    "The gradient in a is the diagonal of that in W",
    "index notation",
    _gradients,
    _GRADIENTS,
    {
        "it is the row sums": {**_GRADIENTS, "row sums": False},
        "the diagonal is not conserved": {**_GRADIENTS, "diagonal": "D[i,a] * X[i,a]"},
    },
    explanation="Any step size at any step moves diag(W) and a alike, so diag(W) - a stays; so it does with momentum.",
)
_SMALL_HESSIANS = Argument(
    "Hessians of small networks by symbolic differentiation",
    "explicit",
    _small_nullities,
    lambda layers, d, inner: inner + layers * d,
    {
        "as in the matrices": lambda layers, d, inner: inner,
        "d more": lambda layers, d, inner: inner + d,
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
        "diag(a) remains the identity": {**_STEPS, "a = 1 is kept": True},
        "diag(W) - a moves": {**_STEPS, "diag(W) - a is conserved": False},
    },
)

DN = Statement(
    id="RS-DN",
    title="The DiracNet starts as a residual network and leaves a = 1 in training",
    source=source(
        "S", "section 6.5 (c), Eq. 28, 29", "there is no constraint on diag(a) in (28) so that it remains the identity"
    ),
    sentence="At a = 1 the DiracNet, whose layers are W + diag(a), is a 1-shortcut network; training does not keep diag(a) at the "
    "identity. What it keeps is diag(W) - a: the Hessian has a null space of dimension L d, plus that of the Hessian in the "
    "matrices W + diag(a), everywhere, and gradient descent conserves diag(W) - a exactly.",
    latex=r"\tilde W^l = W^l + \operatorname{diag}(a^l): \quad \operatorname{nullity} \nabla^2 E = L d + \operatorname{nullity} \nabla^2_{\tilde W} E, "
    r"\qquad \operatorname{diag}(W^l(t)) - a^l(t) = \operatorname{diag}(W^l(0)) - a^l(0)",
    clauses=(
        Clause(
            "At a = 1 the DiracNet, whose layers are W + diag(a), is a 1-shortcut network; training does not keep diag(a) at the "
            "identity.",
            _EVERY_SIZE,
            (_START, _DIAGONAL_GRADIENT, _STEPS_RUN),
        ),
        Clause(
            "The Hessian has a null space of dimension L d, plus that of the Hessian in the matrices W + diag(a), everywhere.",
            _EVERY_SIZE,
            (_DIRECTIONS, _KERNEL, _SMALL_HESSIANS),
        ),
        Clause("Gradient descent conserves diag(W) - a exactly.", _EVERY_SIZE, (_DIAGONAL_GRADIENT, _STEPS_RUN)),
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
    errata=("Equation 28 counts layers 0, ..., L, Equation 29 multiplies layers 1, ..., L: read 1 <= l <= L in both.",),
    notes="The paper's further claim, that leaving a = 1 makes optimisation difficult, is an observation and not verified here. "
    "With weight decay diag(W) - a shrinks by the same factor as the weights.",
)

STATEMENTS = (DN,)
