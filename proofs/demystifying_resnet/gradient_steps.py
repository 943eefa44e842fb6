"""Demystifying ResNet, the optimisation: one step of gradient descent, for linear networks with any number of layers.

S = (1/m) X X^T, T = (1/m) Y X^T, L(w) = 1/(2m) |Y - f(X)|^2. In index strings A and B stand for everything after and
before a unit, A1 and B1 for everything after and before a layer within its path: each weight occurs once in the network,
so these are constant matrices while that one weight moves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from resproof.architectures.catalogue import n_shortcut
from resproof.architectures.forms.terms import COLUMN, ROW, Opaque, Tensor
from resproof.architectures.losses import squared
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.demystifying_resnet.descent import COUNTED, gradient_on_digits, near_step
from resproof.proofs.demystifying_resnet.documents import source
from resproof.proofs.routes.hessians import same_sum
from resproof.proofs.statement import PRINTED, Argument, Computed, Context, Disagreement, Erratum, Statement
from resproof.proofs.theory.linear_networks import (
    INITIALS,
    Linear,
    entry_symbol,
    gradient,
    loss_between,
    minus,
    plain_from,
    written_out,
)
from resproof.symbolic.algebra.matrices import Matrix, add, multiply, transpose
from resproof.symbolic.algebra.rings import Plain, value_at
from resproof.symbolic.index import sizes
from resproof.symbolic.index.claims import vocabulary
from resproof.symbolic.index.lift import data, perturbations, unit_series
from resproof.symbolic.index.series import Series, Sum, differentiate, series
from resproof.symbolic.index.series import scale as scale_sum
from resproof.symbolic.scope import Scope
from resproof.symbolic.written.explicit import hessian_at_initial_point


def _known(unit: ResidualUnit, *more: Tensor) -> dict[str, Tensor]:
    return {**vocabulary(unit, squared), **{t.label: t for t in more}}


# DR-M3: the gradient.


def _descent(unit: ResidualUnit, moved: str) -> Sum:
    """-dL/dW for the weight that moves: the step divided by alpha."""
    linear = loss_between(unit, moved)[1]
    return scale_sum(-1, differentiate(linear, perturbations(unit)[moved], (ROW, COLUMN)))


def _between_layers() -> ResidualUnit:
    """h + A1 V B1 h: a path with one layer V in view."""
    h, v = Input("d"), Weight("d", "d", name="V")
    after, before = Weight("d", "d", name="A1"), Weight("d", "d", name="B1")
    return ResidualUnit(h + after @ v @ before @ h)


def _gradient_steps(_: Context) -> Computed:
    unit = _between_layers()
    shown = r"-\frac{\partial L}{\partial W^{r,l}} = (W_{\mathrm{after}}^r W_{\mathrm{after}}^{r,l})^{\mathsf T} (T - W S) (W_{\mathrm{before}}^{r,l} W_{\mathrm{before}}^r)^{\mathsf T}"
    step = _descent(unit, "V")
    return Computed((unit, step), sizes.of_terms(step, products={"A": "R", "B": "r", "A1": "n", "B1": "l"}), shown)


_STEP_LEFT, _STEP_RIGHT = "A[p,q] * A1[q,i]", "B[s,r] * B1[j,s]"
_T, _WX = "m^-1 * Y[p,u] * X[r,u]", ("A[p,a] * A1[a,b] * V[b,c] * B1[c,e] * B[e,f]", "A[p,a] * B[a,f]")


def _step_string(left: str = _STEP_LEFT, right: str = _STEP_RIGHT, target: str = _T, maps: Sequence[str] = _WX) -> str:
    """left (T - W S) right, written out; W is the sum of `maps` from row p to column f."""
    first = f"{left} * {target} * {right}"
    return first + "".join(f" - {left} * m^-1 * {w} * X[f,u] * X[r,u] * {right}" for w in maps)


def _same_step(found: tuple[ResidualUnit, Sum], claim: str) -> None:
    unit, step = found
    known = _known(unit, Opaque("A", ("d", "d")), Opaque("B", ("d", "d")))
    same_sum(step, claim, known, {"i": ROW, "j": COLUMN})


@dataclass(frozen=True, slots=True)
class _Steps:
    """-dL/dW^{r,l} of a small network for every layer, as polynomials in weights and data."""

    net: Linear
    steps: Mapping[tuple[int, int], list[list[Plain]]]

    def __str__(self) -> str:
        return f"layers {self.net.layers}, d={self.net.d}, m={self.net.samples}"


def _steps_of(layers: tuple[int, ...], d: int, m: int) -> _Steps:
    found = gradient(written_out(layers), d, m)
    net = Linear(found.ring, layers, d, m)
    first, steps = 0, dict[tuple[int, int], list[list[Plain]]]()
    for r, size in enumerate(layers, start=1):
        for number in range(1, size + 1):
            places = [[found.parts[1].get((first + j * d + i,)) for j in range(d)] for i in range(d)]
            steps[r, number] = [[{} if e is None else found.ring.plain(-e) for e in row] for row in places]
            first += d * d
    return _Steps(net, steps)


_GRIDS = (
    ((1,), 2, 2),
    ((2,), 2, 1),
    ((3,), 2, 1),
    ((1, 1, 1), 2, 1),
    ((2, 2), 2, 1),
    ((2, 2, 2), 1, 2),
    ((3, 3), 1, 1),
)


def _small_steps(_: Context) -> Computed:
    found = [_steps_of(layers, d, m) for layers, d, m in _GRIDS]
    return Computed(found, Scope.of(*map(str, found)))


Step: TypeAlias = Callable[[Linear, int, int], Matrix]


def _residual_correlation(net: Linear, whole: Matrix) -> Matrix:
    """T - W S."""
    return net.correlation(minus(net.y, multiply(whole, net.x)), net.x)


def _equation_7(net: Linear, r: int, number: int) -> Matrix:
    """(W_after^r W_after^{r,l})^T (T - W S) (W_before^{r,l} W_before^r)^T."""
    after = multiply(net.units(r + 1), net.path(r, number + 1))
    before = multiply(net.path(r, 1, number), net.units(1, r))
    return multiply(multiply(transpose(after), _residual_correlation(net, net.units())), transpose(before))


def _other_step(kind: str) -> Step:
    """Neighbours of Equation 7."""

    def step(net: Linear, r: int, number: int) -> Matrix:
        after, inner_after = net.units(r + 1), net.path(r, number + 1)
        before, inner_before = net.units(1, r), net.path(r, 1, number)
        left, right, whole = multiply(after, inner_after), multiply(inner_before, before), net.units()
        match kind:
            case "no transposes":
                pass
            case "before and after exchanged":
                left, right = transpose(right), transpose(left)
            case r"$W_{\mathrm{after}}^{r,l}$ left out":
                left, right = transpose(after), transpose(right)
            case r"$W_{\mathrm{before}}^{r}$ left out":
                left, right = transpose(left), transpose(inner_before)
            case _:
                left, right, whole = transpose(left), transpose(right), net.one
        return multiply(multiply(left, _residual_correlation(net, whole)), right)

    return step


def _same_steps(found: Sequence[_Steps], claim: Step) -> None:
    """Pass when the formula gives the gradient step of every layer.

    Raises:
        Disagreement: it does not; the message names the first layer.
    """
    for one in found:
        for (r, number), step in one.steps.items():
            if one.net.plain(claim(one.net, r, number)) != step:
                raise Disagreement(f"{one}: the step of layer {number} of unit {r} is another")


_STEP_KINDS = (
    "no transposes",
    "before and after exchanged",
    r"$W_{\mathrm{after}}^{r,l}$ left out",
    r"$W_{\mathrm{before}}^{r}$ left out",
    "$T - S$ in place of $T - W S$",
)

GRADIENT_STEP = Argument(
    "The derivative in one layer, everything around it arbitrary",
    "index notation",
    _gradient_steps,
    _step_string(),
    {
        "the opposite sign": "0 - " + _step_string().replace(" - ", " + "),
        "twice as large": _step_string(left=f"2 * {_STEP_LEFT}"),
        "the left factor not transposed": _step_string(left="A[q,p] * A1[i,q]"),
        "the right factor not transposed": _step_string(right="B[r,s] * B1[s,j]"),
        "before and after exchanged": _step_string("B[p,q] * B1[q,i]", "A[s,r] * A1[j,s]"),
        "$T$ transposed": _step_string(target="m^-1 * X[p,u] * Y[r,u]"),
        "the shortcut left out of $W$": _step_string(maps=_WX[:1]),
    },
    _same_step,
    explanation="$f = A (A_1 V B_1 + I) B X$ with arbitrary matrices $A$, $B$ (the units after and before the $r$-th) and $A_1$, "
    "$B_1$ (the layers after and before the $l$-th): Equation 10, for every $n$, $R$, $r$ and $l$. Each weight occurs "
    "once, so $A$, $B$, $A_1$, $B_1$ do not depend on $V = W^{r,l}$.",
)

M3 = Statement(
    id="DR-M3",
    title="The gradient step in closed form",
    source=source(
        "I", "Eq. 7-10", "Using gradient descent with learning rate alpha, we have the weights updating rules"
    ),
    sentence=r"For an $n$-shortcut linear network one step of gradient descent with learning rate $\alpha$ on Equation 6 changes "
    r"$W^{r,l}$ by $\alpha (W_{\mathrm{after}}^r W_{\mathrm{after}}^{r,l})^{\mathsf T} (T - W S) "
    r"(W_{\mathrm{before}}^{r,l} W_{\mathrm{before}}^r)^{\mathsf T}$.",
    latex=r"\Delta W^{r,l} = \alpha\,(W_{\mathrm{after}}^r W_{\mathrm{after}}^{r,l})^{\mathsf T}\,(\Sigma_{YX} - W \Sigma_{XX})\,(W_{\mathrm{before}}^{r,l} W_{\mathrm{before}}^r)^{\mathsf T}",
    for_all={"n": 1, "R": 1, "r": 1, "l": 1, "d": 1, "m": 1},
    uses=("DR-M2",),
    arguments=(
        GRADIENT_STEP,
        Argument(
            "Gradients of small networks at arbitrary weights",
            "explicit",
            _small_steps,
            _equation_7,
            {kind: _other_step(kind) for kind in _STEP_KINDS},
            _same_steps,
        ),
    ),
    evidence=(
        Argument(
            "The gradient of a running linear network, $n = 2$, $R = 1000$",
            "floating point",
            gradient_on_digits(2, 1000),
            "as printed",
            {
                r"$W_{\mathrm{after}}^{r,l}$ left out": "no inner",
                "$T - S$ in place of $T - W S$": "no map",
                "not transposed": "plain",
            },
            near_step,
        ),
        COUNTED,
    ),
)

# DR-M4: one layer per unit.


@dataclass(frozen=True, slots=True)
class _OneShortcut:
    """A 1-shortcut linear network with d = m = 1: its weights W^1, ..., W^R, its matrices V^1, ..., V^R, its data."""

    weights: tuple[Fraction, ...]
    v: tuple[Fraction, ...]
    x: Fraction
    y: Fraction


def _with_upper_limit(one: _OneShortcut, r: int, last: int) -> Fraction:
    """Equation 14 over alpha with `last` as the upper limit of its products."""

    def v(first: int, stop: int) -> Fraction:
        total = Fraction(1)
        for k in range(first, stop + 1):
            total *= one.v[k - 1]
        return total

    return v(r + 1, last) * (one.y * one.x - v(1, last) * one.x * one.x) * v(1, r - 1)


_TWO = _OneShortcut((Fraction(0), Fraction(1)), (Fraction(1), Fraction(2)), Fraction(1), Fraction(0))


def _placed(weights: Sequence[Fraction], x: Fraction, y: Fraction) -> dict[str, Fraction]:
    """One layer a unit, d = m = 1: the values of all symbols."""
    return {entry_symbol(f"W{r}_1", 0, 0): w for r, w in enumerate(weights, 1)} | {"x_1_1": x, "y_1_1": y}


def _step_by_series(_: Context) -> Computed:
    """-dL/dW^1 from the exact gradient, its symbols replaced by the numbers of the instance."""
    found = gradient(written_out((1, 1)), 1)
    return Computed(
        -value_at(found.ring.plain(found.parts[1][0,]), _placed(_TWO.weights, _TWO.x, _TWO.y)),
        Scope.of("n=1, R=2, d=1, m=1"),
    )


def _same_function(_: Context) -> Computed:
    """Which plain layer, as a function of an arbitrary change of its weight and input, is the 1-shortcut unit."""
    shortcut = ResidualUnit(n_shortcut(1))

    def run(unit: ResidualUnit) -> Series:
        return unit_series(unit, series([data(unit)], 3))

    found = {name: run(plain_from(name)) == run(shortcut) for name in INITIALS}
    found["2-shortcut"] = run(plain_from("identity")) == run(ResidualUnit(n_shortcut(2)))
    return Computed(found, sizes.of_unit(shortcut), r"h + W h = (I + W)\,h = V h")


_SAME_FUNCTION = {"identity": True, "zero": False, "ones": False, "2-shortcut": False}


def _plain_step_all(_: Context) -> Computed:
    unit = ResidualUnit(Weight("d", "d", name="V") @ Input("d"))
    shown = r"-\frac{\partial L}{\partial V^r} = \Bigl(\prod_{r'=r+1}^{R} V^{r'}\Bigr)^{\mathsf T} \Bigl(T - \prod_{r'=1}^{R} V^{r'}\, S\Bigr) \Bigl(\prod_{r'=1}^{r-1} V^{r'}\Bigr)^{\mathsf T}"
    step = _descent(unit, "V")
    return Computed((unit, step), sizes.of_terms(step, products={"A": "R", "B": "r"}), shown)


def _v_step(left: str = "A[p,i]", right: str = "B[j,r]", w: str = "A[p,a] * V[a,b] * B[b,f]") -> str:
    return _step_string(left, right, maps=(w,))


def _v_steps(_: Context) -> Computed:
    """The steps of W^r in small 1-shortcut networks."""
    grid = (((1,), 2, 2), ((1, 1), 2, 1), ((1, 1, 1), 2, 1), ((1, 1, 1, 1), 1, 2))
    found = [_steps_of(layers, d, m) for layers, d, m in grid]
    return Computed(found, Scope.of(*map(str, found)))


def _equation_14(last: Callable[[int], int], *, shifted: bool = True) -> Step:
    """Equation 14 with an upper limit of its products as a function of R, V = W + I (or V = W)."""

    def step(net: Linear, r: int, _: int) -> Matrix:
        def v(first: int, stop: int) -> Matrix:
            def one(k: int) -> Matrix:
                return add(net.weight(k, 1), net.one) if shifted else net.weight(k, 1)

            return net.product(one(k) for k in range(first, stop + 1))

        stop = last(len(net.layers))
        inner = _residual_correlation(net, v(1, stop))
        return multiply(multiply(transpose(v(r + 1, stop)), inner), transpose(v(1, r - 1)))

    return step


def _hessians_at_zero(_: Context) -> Computed:
    """The exact Hessians of 1-shortcut linear networks at zero weights, symbolic data."""
    found = {(units, d): _hessian(n_shortcut(1), units, d) for units, d in ((1, 2), (2, 2), (3, 2), (4, 1), (2, 3))}
    return Computed(found, Scope.of(*(f"R={units}, d={d}, m=1" for units, d in found)))


def _hessian(unit: Expression, units: int, d: int) -> dict[tuple[int, int], Plain]:
    return hessian_at_initial_point(Network(ResidualUnit(unit), units), {"d": d}).plain()


def _same_hessians(found: Mapping[tuple[int, int], dict[tuple[int, int], Plain]], initial: str) -> None:
    for (units, d), hessian in found.items():
        if hessian != _hessian(plain_from(initial).expression, units, d):
            raise Disagreement(f"R={units}, d={d}: the plain network's Hessian at {initial} is another")


PLAIN_LAYER = Argument(
    "The unit is a plain layer that starts at the identity",
    "index notation",
    _same_function,
    _SAME_FUNCTION,
    {
        "one that starts at zero as well": {**_SAME_FUNCTION, "zero": True},
        "2-shortcut units too": {**_SAME_FUNCTION, "2-shortcut": True},
    },
    explanation="Equal as functions of the change of the weight and of the input. So for every $R$ the two losses are the same "
    "function of the changes, with the same gradients and Hessians.",
)

PLAIN_STEP = Argument(
    "The step of one matrix of a plain network, everything around it arbitrary",
    "index notation",
    _plain_step_all,
    _v_step(),
    {
        "the left factor not transposed": _v_step(left="A[i,p]"),
        "before and after exchanged": _v_step("B[p,i]", "A[j,r]"),
        "the matrices after $V^r$ left out of $W$": _v_step(w="V[p,b] * B[b,f]"),
    },
    _same_step,
    explanation="$A$ and $B$ are the products of any number of matrices after and before $V^r$.",
)

M4 = Statement(
    id="DR-M4",
    title="One weight per unit: the plain linear network at identity initialisation",
    source=source("I", "Eq. 14", "which can be seen as a linear network with identity initialization"),
    sentence=r"For $n = 1$ and $V^r = W^r + I$, $r = 1, \ldots, R$, a gradient step changes $V^r$ by $\alpha$ times the printed "
    r"product, all products ending at $R$. A 1-shortcut linear network is, as a function of $V^1, \ldots, V^R$, the plain "
    "linear network of $R$ matrices; zero weights are the identity there, so steps and Hessians at the two initial "
    "points are the same.",
    latex=r"\Delta V^{r} = \alpha\Bigl(\prod_{r'=r+1}^{R} V^{r'}\Bigr)^{\mathsf T} \Bigl(\Sigma_{YX} - \Bigl(\prod_{r'=1}^{R} V^{r'}\Bigr)\Sigma_{XX}\Bigr) \Bigl(\prod_{r'=1}^{r-1} V^{r'}\Bigr)^{\mathsf T}, \quad r = 1, \dots, R",
    for_all={"R": 1, "r": 1, "d": 1, "m": 1},
    uses=("DR-M3",),
    reading=Erratum(
        printed=r"$r = 1, \ldots, R - 1$ and products that end at $R - 1$",
        read=r"$r = 1, \ldots, R$ and products that end at $R$",
        quote="We organize the network into R residual units.",
        where="section 3.2; Eq. 5 multiplies $R$ of them",
        fails=Argument(
            "Two units: the printed products leave out the second one",
            "instance",
            _step_by_series,
            Fraction(-4),
            {PRINTED: _with_upper_limit(_TWO, 1, 1), "the opposite sign": Fraction(4)},
            explanation=r"$V^1 = 1$, $V^2 = 2$, $x = 1$, $y = 0$: the step of $V^1$ is $\alpha V^2 (0 - V^2 V^1) = -4 \alpha$; "
            r"printed is $\alpha (0 - V^1) = -\alpha$.",
        ),
    ),
    arguments=(
        PLAIN_LAYER,
        PLAIN_STEP,
        Argument(
            "Steps of $W^r$ in small 1-shortcut networks",
            "explicit",
            _v_steps,
            _equation_14(lambda units: units),
            {
                "up to $R - 1$, as printed": _equation_14(lambda units: units - 1),
                "$V = W$": _equation_14(lambda units: units, shifted=False),
            },
            _same_steps,
        ),
        Argument(
            "Hessians at zero and of plain networks at the identity",
            "explicit",
            _hessians_at_zero,
            "identity",
            {"at zero": "zero", "with all entries one": "ones"},
            _same_hessians,
        ),
    ),
    evidence=(
        Argument(
            "The gradient of a running 1-shortcut network, $R = 1000$",
            "floating point",
            gradient_on_digits(1, 1000),
            "as printed",
            {"products up to $R - 1$": "one unit short", "$T - S$ in place of $T - W S$": "no map"},
            near_step,
        ),
    ),
    notes="$R - 1$ would be right for a network of $R - 1$ matrices, as where $R$ counts the layers. The identity is an "
    "orthogonal matrix, so 'a special case of orthogonal initialization' needs no proof. At the initial point itself, "
    r"$V = I$, the printed and the right step agree for $R \ge 2$; in general they part after the first step.",
)
