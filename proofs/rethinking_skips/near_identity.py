"""Rethinking skip connections, section 6.5: whether the output of a ResNet stays close to its input (EX-8).

h^l = h^{l-1} + W^l h^{l-1}, h^0 = x. "Close" is read as |h^L - x| <= |x|; norms are Euclidean and spectral.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import comb, expm1, log1p
from typing import Any, TypeAlias

import numpy as np
import sympy

from resproof.architectures.catalogue import n_shortcut, plain
from resproof.architectures.forms.terms import ROW, SAMPLE, Delta, InitialWeight, Opaque
from resproof.architectures.losses import squared
from resproof.architectures.networks import Network
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.backend import device, largest_modulus
from resproof.numeric.network.adjoint import gradient, outputs, value
from resproof.numeric.rounding import gamma
from resproof.proofs.changes import Change
from resproof.proofs.rethinking_skips.documents import source
from resproof.proofs.rethinking_skips.growth_of_products import NEAR_ONE
from resproof.proofs.rethinking_skips.pictures import leaving_the_input
from resproof.proofs.routes.predicates import matches, property_of
from resproof.proofs.statement import (
    PRINTED,
    Argument,
    Computed,
    Context,
    Counterexample,
    Disagreement,
    Hypothesis,
    Induction,
    Measurement,
    Repair,
    Statement,
    Unsuited,
)
from resproof.proofs.theory.linear_networks import FREE, any_value, minus
from resproof.symbolic.algebra.matrices import Matrix, add, cayley, eye, matrix, multiply, scale
from resproof.symbolic.certificates import of_symbols
from resproof.symbolic.index import sizes
from resproof.symbolic.index.claims import parse, show, vocabulary
from resproof.symbolic.index.lift import data
from resproof.symbolic.index.series import Sum, substitute, tensor
from resproof.symbolic.index.series import add as add_sums
from resproof.symbolic.index.series import scale as scale_sum
from resproof.symbolic.scope import Scope


@dataclass(frozen=True, slots=True)
class WidthOneResNet:
    """A linear network of width one with the same weight in every layer, and h^0, ..., h^L."""

    layers: int
    weight: Fraction
    hidden: tuple[Fraction, ...]

    @property
    def x(self) -> Fraction:
        """h^0."""
        return self.hidden[0]

    def __str__(self) -> str:
        return f"n = 1, L = {self.layers}, W^l = {self.weight}, x = {self.x}"


def _network(layers: int, weight: Fraction, *, shortcut: bool) -> WidthOneResNet:
    hidden = [Fraction(1)]
    for _ in range(layers):
        hidden.append(int(shortcut) * hidden[-1] + weight * hidden[-1])
    return WidthOneResNet(layers, weight, tuple(hidden))


_STRETCH = _network(110, Fraction(1, 10), shortcut=True)
_SIZE = "n=1, L=110"


def _forward(_: Context) -> Computed:
    """|h^L - x| / |x| by the forward pass."""
    return Computed(abs(_STRETCH.hidden[-1] - _STRETCH.x) / abs(_STRETCH.x), Scope.of(_SIZE))


def _paths(_: Context) -> Computed:
    """The same as the sum over the paths through k >= 1 branches: C(L, k) w^k."""
    total = sum((comb(_STRETCH.layers, k) * _STRETCH.weight**k for k in range(1, _STRETCH.layers + 1)), Fraction(0))
    return Computed(total, Scope.of(_SIZE))


_DISTANCE = Fraction(11, 10) ** 110 - 1


def _undone(_: Context) -> Computed:
    """|h^2 - x| for x = 1, W^1 = 1, W^2 = -1/2, and whether the norms add up to more than 1."""
    weights, h = (Fraction(1), Fraction(-1, 2)), Fraction(1)
    for w in weights:
        h += w * h
    return Computed((abs(h - 1), sum(map(abs, weights)) > 1), Scope.of("n=1, L=2"))


# The bound.

_UNIT = ResidualUnit(n_shortcut(1))
_W = InitialWeight("W1", None, ("d", "d"))


def _one_unit(_: Context) -> Computed:
    """U(X + e) - X at arbitrary W, and U(X) with W = c I."""
    x, moved = data(_UNIT), tensor(Opaque("e", ("d", "m")), (ROW, SAMPLE))
    change = add_sums(any_value(_UNIT, add_sums(x, moved)), scale_sum(-1, x))
    identity: Sum = parse("c * delta[i,j]", {"delta": Delta(("d", "d"))}, {"i": -1, "j": -2})
    found = {"U(X + e) - X": change, "W = c I": substitute(any_value(_UNIT, x), _W, identity)}
    shown = r"h^l - x = (h^{l-1} - x) + W^l (h^{l-1} - x) + W^l x"
    return Computed(found, sizes.of_terms(*found.values()), shown)


_ONE_UNIT = {"U(X + e) - X": "e[i,u] + W1[i,a] * X[a,u] + W1[i,a] * e[a,u]", "W = c I": "X[i,u] + c * X[i,u]"}


def _same_units(found: Mapping[str, Sum], claim: Mapping[str, str]) -> None:
    known = {**vocabulary(_UNIT, squared), "e": Opaque("e", ("d", "m"))}
    for name, part in found.items():
        if part != parse(claim[name], known, FREE):
            raise Disagreement(f"{name}: computed {show(part)}; claimed {claim[name]}")


Bound: TypeAlias = Callable[[Any, Any], Any]
"""(the bound over |x| before a layer, |W|) -> that after it."""


_E, _SIZE_OF_W, _SIZE_OF_X = sympy.symbols("E w x")
_AFTER_A_LAYER = (1 + _SIZE_OF_W) * _E + _SIZE_OF_W * _SIZE_OF_X
"""At least |h^l - x| for E = |h^{l-1} - x|, as a function of E, w and |x|."""


def _triangle(_: Context) -> Computed:
    return Computed(_AFTER_A_LAYER, of_symbols({"L": _E}, _AFTER_A_LAYER), r"(1 + w)(p - 1) + w = (1 + w)\,p - 1")


def _first_triangle(_: Context) -> Computed:
    """At l = 1, where E = 0."""
    return Computed(_AFTER_A_LAYER.subs(_E, 0), Scope.over(L=1), r"|h^1 - x| \le w\,|x|")


def _bounded_first(found: Any, claim: Bound) -> None:
    """Pass when the computed side is claim(0, w) |x|.

    Raises:
        Disagreement: it is not.
    """
    if sympy.expand(claim(0, _SIZE_OF_W) * _SIZE_OF_X - found) != 0:
        raise Disagreement(f"after the first layer: {sympy.expand(claim(0, _SIZE_OF_W))}")


def _bound(b: Any, w: Any) -> Any:
    """(1 + w) p - 1 for b = p - 1."""
    return (1 + w) * (b + 1) - 1


def _bounded(found: Any, claim: Bound) -> None:
    """Pass when E <= b |x| implies that the computed side is at most claim(b, w) |x|: the slack (1 + w)(b |x| - E) is left.

    Raises:
        Disagreement: the difference is not that slack, so the bound fails or is not attained.
    """
    b, w, x = sympy.Symbol("b"), _SIZE_OF_W, _SIZE_OF_X
    if sympy.expand(claim(b, w) * x - found - (1 + w) * (b * x - _E)) != 0:
        raise Disagreement(f"after a layer: {sympy.expand(claim(b, w))}")


@dataclass(frozen=True, slots=True)
class Distance:
    """|h^L - x|^2 / |x|^2 of a small network whose weights are multiples c_l of orthogonal matrices."""

    scales: tuple[Fraction, ...]
    square: Fraction


def _distances(_: Context) -> Computed:
    turn = cayley(matrix([[0, Fraction(1, 2)], [Fraction(-1, 2), 0]]))
    quarter = matrix([[0, -1], [1, 0]])
    scales = (Fraction(1, 2), Fraction(1), Fraction(1, 3))
    found = list[Distance]()
    for orthogonal in (eye(2), scale(Fraction(-1), eye(2)), turn, quarter):
        for layers in (1, 2, 3):
            x: Matrix = matrix([[3], [-1]])
            h = x
            for c in scales[:layers]:
                h = add(h, scale(c, multiply(orthogonal, h)))
            moved = minus(h, x)
            square = sum((row[0] ** 2 for row in moved), Fraction(0)) / sum((row[0] ** 2 for row in x), Fraction(0))
            found.append(Distance(scales[:layers], square))
    return Computed(tuple(found), Scope.of("n=2, L=1..3, four orthogonal matrices"))


def _within_and_attained(found: Sequence[Distance], claim: Callable[[tuple[Fraction, ...]], Fraction]) -> None:
    """Pass when every distance is at most the claimed one, and some distance of each depth equals it.

    Raises:
        Disagreement: a distance is greater, or none is equal.
    """
    for layers in (1, 2, 3):
        above = max(one.square - claim(one.scales) ** 2 for one in found if len(one.scales) == layers)
        if above != 0:
            raise Disagreement(f"L={layers}: a distance exceeds the bound, or none attains it: by {above}")


def _grown(scales: Sequence[Fraction]) -> Fraction:
    total = Fraction(1)
    for c in scales:
        total *= 1 + c
    return total - 1


# Evidence.


@dataclass(frozen=True, slots=True)
class RunningDistance:
    """|f(X) - X|_F / |X|_F of a running network, and the rounding of it."""

    distance: float
    scale: float
    units: int
    bound: float
    sizes: str
    seed: int


def _reached(units: int) -> Callable[[Context], Computed]:
    """R units with W^l = I / R on the data."""

    def compute(context: Context) -> Computed:
        ops, x = device(context.device).ops, np.ascontiguousarray(np.asarray(context.data.X)[:, :200])
        d = len(x)
        weights = {"W1": ops.asarray(np.broadcast_to(np.eye(d) / units, (units, d, d)).copy())}
        f = ops.numpy(outputs(Network(_UNIT, units), weights, ops.asarray(x)))
        sizes = f"R={units}, d={d}, m={x.shape[1]}; {context.data.name}"
        distance = float(np.linalg.norm(f - x) / np.linalg.norm(x))
        # Products with the zeros of W are exact: a unit rounds its sum, and its product and 1/R, which are R times smaller.
        bound = (1 + distance) * gamma(units + 4) + 2 * distance * gamma(x.size)
        return Computed(RunningDistance(distance, 1 / units, units, bound, sizes, context.seed), Scope.of(sizes))

    return compute


def _near_bound(found: RunningDistance, claim: Callable[[float, int], float]) -> Measurement:
    derivation = r"$e \gamma_{R + 4}$, one rounding of a sum for each unit, and $2 (e - 1) \gamma_{d m}$ for the norms"
    off = abs(found.distance - claim(found.scale, found.units))
    name = r"$\lvert\lvert f(X) - X\rvert_F / \lvert X\rvert_F - \text{claim}\rvert$"
    return Measurement(name, off, found.bound, found.sizes, found.seed, derivation, scale=found.distance)


# Plain networks whose eigenvalues have one modulus.

_LAYERS, _STEPS, _RATES, _SEEDS = 30, 60, (1e-3, 1e-2, 1e-1), 3


@dataclass(frozen=True, slots=True)
class Excess:
    """By initial weights the least losses over the learning rates after training, one for each seed, less the best linear map's.

    In units of what the zero map has. `still` bounds how far those of I/2 can be from it: |Y|_F |f|_F / m and less.
    """

    losses: Mapping[str, tuple[float, ...]]
    still: float
    sizes: str
    seed: int


def _trained_plain(context: Context) -> Computed:
    """Plain linear networks from orthogonal weights, from c I, and from Xavier's.

    Raises:
        Unsuited: the data are somebody's own, of which nothing of the kind is said.
    """
    if not context.embedded:
        raise Unsuited("which weights train better is an observation on the embedded digits")
    x, y = (np.ascontiguousarray(np.asarray(part)[:, :500]) for part in (context.data.X, context.data.Y))
    d, m = x.shape
    least = float(np.sum((y - np.linalg.lstsq(x.T, y.T, rcond=None)[0].T @ x) ** 2)) / (2 * m)
    zero = float(np.sum(y**2)) / (2 * m) - least
    losses, moved = dict[str, tuple[float, ...]](), 0.0
    for seed in range(context.seed, context.seed + _SEEDS):
        drawn = np.random.default_rng(seed).normal(scale=d**-0.5, size=(_LAYERS, d, d))
        starts = {"orthogonal": np.stack([np.linalg.qr(one)[0] for one in drawn]), "Xavier": drawn}
        starts |= {name: np.repeat(c * np.eye(d)[None], _LAYERS, axis=0) for name, c in (("9/10 I", 0.9), ("I/2", 0.5))}
        for name, start in starts.items():
            reached, further = _least_loss(context, start, x, y)
            losses[name] = (*losses.get(name, ()), (reached - least) / zero)
            moved = max(moved, further) if name == "I/2" else moved
    output = (0.5 + moved) ** _LAYERS * float(np.linalg.norm(x))
    still = output * (float(np.linalg.norm(y)) + output) / (m * zero)
    sizes = f"L={_LAYERS}, d={d}, m={m}, {_STEPS} steps, eta in {', '.join(map(str, _RATES))}, {_SEEDS} seeds; {context.data.name}"
    return Computed(Excess(losses, still, sizes, context.seed), Scope.of(sizes))


def _least_loss(context: Context, start: np.ndarray, x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """The least loss after training over the learning rates, and how far a layer has moved at most."""
    ops = device(context.device).ops
    network, on_device = Network(ResidualUnit(plain()), _LAYERS), (ops.asarray(x), ops.asarray(y))
    (name,) = network.unit.names.values()
    reached, moved = list[float](), 0.0
    for rate in _RATES:
        weights = start
        for _ in range(_STEPS):
            if largest_modulus(weights) > _DIVERGED:
                break
            slope = gradient(network, {name: ops.asarray(weights)}, *on_device)[name]
            weights = weights - rate * ops.numpy(slope)
        else:
            reached.append(value(network, {name: ops.asarray(weights)}, *on_device))
            moved = max(moved, float(np.max(np.linalg.norm(weights - start, axis=(1, 2)))))
    return min(reached), moved


_DIVERGED = 10.0
"""Weights beyond this end a run: its learning rate is too large."""


def _trains_better(found: Excess, claim: tuple[tuple[str, str], ...]) -> tuple[Measurement, ...]:
    """From the first start of each pair at most half as much of the loss is left as from the second, at every seed."""
    return tuple(
        Measurement(
            f"excess loss from what is said to be better over that from the other: {' and '.join(sorted((first, second)))}",
            one / other,
            0.5,
            found.sizes,
            found.seed + k,
            "an ordering: half of it at most",
            at_most=True,
        )
        for first, second in claim
        for k, (one, other) in enumerate(zip(found.losses[first], found.losses[second], strict=True))
    )


def _does_not_train(found: Excess, claim: str) -> Measurement:
    """From this start the loss stays that of the zero map."""
    derivation = r"$\lvert f\rvert_F (\lvert Y\rvert_F + \lvert f\rvert_F) / m$ over the zero map's excess, $\lvert f\rvert_F \le (1/2 + \text{greatest move of a layer})^L \lvert X\rvert_F$"
    off = max(abs(one - 1.0) for one in found.losses[claim])
    return Measurement("|excess loss - zero map's|", off, found.still, found.sizes, found.seed, derivation, scale=1.0)


_FAR = Argument(
    "The forward pass",
    "instance",
    _forward,
    _DISTANCE,
    {PRINTED: property_of(Fraction(1))(lambda distance: distance <= 1), "the sum of the weights": Fraction(11)},
    matches,
)

EX8 = Statement(
    id="EX-8",
    title="The output of a ResNet stays close to its input",
    source=source("section 6.5 (c), (d)", "stays close to the input x in (17)"),
    sentence="In a ResNet, where the identity of the shortcuts is an immutable constraint, the hidden representation $h(x)^L$ "
    "stays close to the input $x$.",
    latex=r"h(x)^L = \prod_{l=1}^L (W^l + I)\, x \approx x",
    for_all={"L": 1, "d": 1},
    hypotheses=(
        Hypothesis(
            "$h^l = (W^l + I) h^{l-1}$",
            lambda net: all(b == (net.weight + 1) * a for a, b in pairwise(net.hidden)),
            fails_on=replace(_STRETCH, hidden=(*_STRETCH.hidden[:-1], _STRETCH.x)),
            quote="h(x)^L = prod_{l=1}^L (W^l + I) x",
            where="Equation 17",
        ),
        Hypothesis(
            r"the network is deep: $L \ge 100$",
            lambda net: net.layers >= 100 and len(net.hidden) == net.layers + 1,
            fails_on=_network(99, Fraction(1, 10), shortcut=True),
            holds_on=_network(100, Fraction(1, 10), shortcut=True),
            quote="Very deep PlainNet, ResNet and ResNeXt with 110 and 200 layers",
            where="section 6.1",
        ),
    ),
    counterexample=Counterexample(
        instance=_STRETCH,
        picture=lambda one: leaving_the_input(one.hidden),
        sentence="Weights of 1/10 in 110 layers of width one take $x$ to more than thirty thousand times $x$.",
        latex=r"W^l = \tfrac1{10}: \quad \frac{|h^{110} - x|}{|x|} = \bigl(\tfrac{11}{10}\bigr)^{110} - 1",
        routes=(_FAR, replace(_FAR, title="The sum over the paths through the branches", compute=_paths)),
    ),
    repair=Repair(
        sentence=r"$\lvert h^L - x\rvert \le (\prod_l (1 + \lvert W^l\rvert) - 1) \lvert x\rvert$ for any weights, attained by "
        r"$W^l = c_l I$ with $c_l \ge 0$; so small weights suffice for closeness: a sum of norms of at most $\log 2$. "
        "They are not necessary, as $I + W^2$ may undo $I + W^1$.",
        latex=r"\|h^L - x\| \le \Bigl(\prod_{l=1}^L (1 + \|W^l\|) - 1\Bigr) \|x\|",
        arguments=(
            Argument(
                "One unit on $X + e$",
                "index notation",
                _one_unit,
                _ONE_UNIT,
                {
                    "$W$ does not act on the distance": {**_ONE_UNIT, "U(X + e) - X": "e[i,u] + W1[i,a] * X[a,u]"},
                    "the shortcut is lost": {**_ONE_UNIT, "W = c I": "c * X[i,u]"},
                },
                _same_units,
                explanation=r"So $\lvert h^l - x\rvert \le (1 + \lvert W^l\rvert) \lvert h^{l-1} - x\rvert + \lvert W^l\rvert \lvert "
                r"x\rvert$; with $W = c I$ the input is multiplied by $1 + c$.",
            ),
            Induction(
                "L",
                Argument(
                    "The first layer",
                    "inequality",
                    _first_triangle,
                    _bound,
                    {
                        "without the input's own term": lambda b, w: (1 + w) * b,
                        "twice the norm": lambda b, w: (1 + 2 * w) * (b + 1) - 1,
                    },
                    _bounded_first,
                ),
                Argument(
                    "One layer more",
                    "inequality",
                    _triangle,
                    _bound,
                    {
                        "the norms add": lambda b, w: b + w,
                        "without the input's own term": lambda b, w: (1 + w) * b,
                        "twice the norm": lambda b, w: (1 + 2 * w) * (b + 1) - 1,
                    },
                    _bounded,
                    explanation=r"$E \le b \lvert x\rvert$ with $b = p - 1$ becomes $b' \lvert x\rvert$, $b' = (1 + w) p - 1$, "
                    r"starting from $b = 0$. Since $1 + w \le e^w$ the bound is at most $\exp(\sum \lvert W^l\rvert) - 1$.",
                ),
            ),
            NEAR_ONE,
            Argument(
                "Two layers that undo each other: $W^1 = 1$, $W^2 = -1/2$",
                "instance",
                _undone,
                (Fraction(0), True),
                {"small weights are necessary": (Fraction(0), False), "they move $x$": (Fraction(1, 2), True)},
                explanation=r"$h^2 = x$, and the norms add up to 3/2, more than $1 > \log 2$.",
            ),
            Argument(
                "Multiples of orthogonal matrices",
                "explicit",
                _distances,
                _grown,
                {
                    "the norms add": lambda scales: sum(scales, Fraction(0)),
                    "one layer less": lambda scales: _grown(scales[:-1]),
                    "twice as much": lambda scales: 2 * _grown(scales),
                    "as far as for $-I$": lambda scales: -_grown([-c for c in scales]),
                },
                _within_and_attained,
            ),
        ),
        for_all={"L": 1, "d": 1},
        changes=(
            Change(
                "stays close to the input x",
                r"$\lvert h^L - x\rvert \le (\prod_l (1 + \lvert W^l\rvert) - 1) \lvert x\rvert$ for any weights",
                "The output stays close where the norms of the weights have a small sum: the distance is bounded in terms of them.",
            ),
        ),
    ),
    evidence=(
        Argument(
            "$10^4$ units with $W = I / R$ on the digits",
            "floating point",
            _reached(10**4),
            lambda c, units: expm1(units * log1p(c)),
            {
                "the norms add": lambda c, units: units * c,
                r"$\exp(\mathrm{sum}) - 1$ exactly": lambda c, units: expm1(units * c),
                "it stays close": lambda c, units: 0.0,
            },
            _near_bound,
            deep=True,
        ),
        Argument(
            r"Plain networks of 30 layers from orthogonal weights and from $\tfrac{9}{10} I$, against Xavier's",
            "floating point",
            _trained_plain,
            (("orthogonal", "Xavier"), ("9/10 I", "Xavier")),
            {
                "Xavier's train better": (("Xavier", "orthogonal"), ("Xavier", "9/10 I")),
                "so does $I/2$": (("I/2", "Xavier"),),
            },
            _trains_better,
            explanation="The loss that is left beyond the best linear map's, at the best of three learning rates for each.",
            deep=True,
        ),
        Argument(
            "Plain networks of 30 layers from $I/2$",
            "floating point",
            _trained_plain,
            "I/2",
            {r"nor from $\tfrac{9}{10} I$": "9/10 I", "nor from orthogonal weights": "orthogonal"},
            _does_not_train,
            explanation="All eigenvalues are equal, and the signal is $2^{-30}$ of what it was: equal moduli alone do not train.",
            deep=True,
        ),
    ),
    notes=r"Branches that are not linear, with $\lvert F_l(h)\rvert \le w_l \lvert h\rvert$, satisfy the two triangle "
    r"inequalities as well; no step here is about them. Close is read as $\lvert h - x\rvert \le \lvert x\rvert$; with "
    "weights of 1/10 no bound whatever holds as $L$ grows. Section 6.5 (b), that plain networks train when the largest "
    "eigenvalues exceed the others only slightly, is a conjecture about training: runs from weights whose eigenvalues "
    r"have one modulus are among the numbers, some that agree (orthogonal, $\tfrac{9}{10} I$) and one that does not "
    "$(I/2)$, and the verdict does not rest on them.",
)

STATEMENTS = (EX8,)
