"""Where the common ways to start at the identity stand (GEN-8), beside attention blocks (GEN-7).

By GEN-1 and GEN-2 the order of the branch decides: order one (A not identically zero for the squared loss; where it is not zero the Hessian grows),
order two (I (x) D at every depth), order three and more (H = 0). What a scheme makes zero is not what decides it: a
branch that is linear in something that starts at zero, all else being random, is of order one where what stands
behind it is not zero at the data.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import comb
from typing import TypeAlias

import sympy

from resproof.architectures.activations import identity_activation, polynomial, tanh
from resproof.architectures.catalogue import (
    bottleneck,
    dirac_net,
    fixup,
    highway,
    layer_scale,
    nested,
    output_bias,
    rezero,
    skip_init,
    wide,
)
from resproof.architectures.forms.terms import COLUMN, ROW, SAMPLE, InitialWeight, Opaque, Perturbation
from resproof.architectures.losses import generic_loss, squared
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Activation
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.beyond.attention import GEN_7
from resproof.proofs.beyond.depth_law import CONSTANT, PAIRS
from resproof.proofs.beyond.side_by_side import added_to_the_loss
from resproof.proofs.beyond.trichotomy import NOT_IDENTICALLY_ZERO
from resproof.proofs.beyond.two_units import ADDED_UNIT
from resproof.proofs.routes.exact_spectra import exact_spectrum, instance_with_m
from resproof.proofs.routes.hessians import (
    CHANGES,
    Claim,
    Forms,
    agrees_with_index_route,
    explicit_entries,
    explicit_hessian,
    hessian_arguments,
    index_forms,
    same_sum,
    same_sums,
    size,
    unchanged,
)
from resproof.proofs.routes.running_network import observed_index_route, observed_product, on_data
from resproof.proofs.statement import Argument, Clause, Computed, Context, Disagreement, Induction, Statement
from resproof.proofs.theory.generic_units import MID
from resproof.proofs.theory.regimes import index_blocks
from resproof.symbolic.algebra.rings import Plain, flint_ring
from resproof.symbolic.index import branches, sizes
from resproof.symbolic.index.claims import vocabulary, vocabulary_with
from resproof.symbolic.index.lift import (
    pair_forms,
    passes_through,
    perturbations,
    relabel_unit,
    stream_series,
    unit_series,
)
from resproof.symbolic.index.series import Sum, differentiate, substitute, tensor
from resproof.symbolic.scope import Scope
from resproof.symbolic.written.explicit import Instance, output_at_initial_point
from resproof.symbolic.written.explicit import stationary_order as explicit_order

_EPSILON = Fraction(1, 10)


def _schemes(mid: Activation) -> dict[str, ResidualUnit]:
    """Every scheme with this activation."""
    expressions = {
        "all weights zero": wide(mid),
        "Fixup": fixup(mid),
        "ReZero": rezero(mid),
        "SkipInit": skip_init(mid),
        "LayerScale, scale zero": layer_scale(0, mid),
        "LayerScale": layer_scale(_EPSILON, mid),
        "DiracNet, W = 0": dirac_net(),
        "DiracNet": dirac_net(random=True),
        "output bias": output_bias(mid),
        "bottleneck": bottleneck(mid),
        "nested shortcuts": nested(mid),
        "highway": highway(mid),
    }
    return {name: ResidualUnit(expression) for name, expression in expressions.items()}


SCHEMES = _schemes(MID)
STARTING = tuple(name for name, unit in SCHEMES.items() if passes_through(unit))
"""The schemes that are the identity at their initial point: computed, and claimed below."""


# What the unit is at its initial point.


def _images(_: Context) -> Computed:
    """What every scheme maps h = X to at its initial point."""
    found = {name: (u, unit_series(u, stream_series(u, 0), perturbed=())[-1]) for name, u in SCHEMES.items()}
    return Computed(found, sizes.of_terms(*(image for _, image in found.values())))


_HIDDEN = "mid(W1[i,a] * X[a,u])"
_SCALED = f"W2[i,a] * {_HIDDEN}[a,u]"
_IMAGES = {
    **dict.fromkeys(SCHEMES, "X[i,u]"),
    "LayerScale": f"X[i,u] + 1/10 * {_SCALED}",
    "DiracNet": "X[i,u] + W[i,a] * X[a,u]",
    "nested shortcuts": "2 * X[i,u]",
    "highway": "1/2 * X[i,u]",
}


def _same_images(found: Mapping[str, tuple[ResidualUnit, Sum]], claim: Mapping[str, str]) -> None:
    for name, (unit, image) in found.items():
        same_sum(image, claim[name], vocabulary_with(unit, squared, image), {"i": ROW, "u": SAMPLE}, name=name)


def _explicit_images(_: Context) -> Computed:
    """Whether small units return their input at the initial point; the difference where they do not."""
    found: dict[str, bool] = {}
    for name, unit in _schemes(polynomial(0, 1, 1)).items():
        output = output_at_initial_point(Network(unit, 1), _dims(unit))
        inputs: list[list[Plain]] = [[{((f"x_{i}_1", 1),): Fraction(1)}] for i in (1, 2)]
        found[name] = output == inputs
    return Computed(found, Scope.of("R=1, d=2, k=1, m=1"))


def _dims(unit: ResidualUnit) -> dict[str, int]:
    named = {n for w in unit.weights for n in w.shape}
    return {name: n for name, n in {"d": 2, "k": 1}.items() if name in named}


_PASSING = {name: image == "X[i,u]" for name, image in _IMAGES.items()}

# The regimes.


def _regimes(_: Context) -> Computed:
    """Order of the branch, whether D and whether A is nonzero; None where the unit is not the identity. Any loss."""
    found: dict[str, tuple[int | None, bool, bool] | None] = dict.fromkeys(SCHEMES)
    found |= {name: index_blocks(SCHEMES[name]) for name in STARTING}
    return Computed(found, sizes.of_units(SCHEMES[name] for name in STARTING))


_ONE, _TWO, _THREE = (1, True, True), (2, True, False), (3, False, False)
_REGIMES = {
    "all weights zero": _TWO,
    **dict.fromkeys(("Fixup", "ReZero", "SkipInit", "LayerScale, scale zero", "DiracNet, W = 0", "output bias"), _ONE),
    **dict.fromkeys(("LayerScale", "DiracNet", "nested shortcuts", "highway"), None),
    "bottleneck": _THREE,
}


def _small_orders(_: Context) -> Computed:
    """The order of the loss of small networks at the initial point, plus one: the degree of its first part."""
    found = {
        name: explicit_order(Network(unit, 2), _dims(unit), up_to=2).order + 1
        for name, unit in _schemes(polynomial(0, 1, 1)).items()
        if name in STARTING
    }
    return Computed(found, Scope.of(*(f"{name}: R=2, d=2, k=1, m=1" for name in found)))


_ORDERS = {name: regime[0] for name, regime in _REGIMES.items() if regime}

# The order at data where what stands behind the zero vanishes.

_Branch: TypeAlias = Callable[[Sequence[sympy.Expr], sympy.Expr], sympy.Expr]
_Mid: TypeAlias = Callable[[sympy.Expr], sympy.Expr]


def _quadratic(t: sympy.Expr) -> sympy.Expr:
    return t + t**2


def _relu(t: sympy.Expr) -> sympy.Expr:
    return sympy.Max(t, 0)


def _fixup(mid: _Mid) -> _Branch:
    return lambda w, h: w[1] * mid(w[0] * h)


def _rezero(mid: _Mid) -> _Branch:
    return lambda w, h: w[2] * w[1] * mid(w[0] * h)


def _bottleneck(mid: _Mid) -> _Branch:
    return lambda w, h: w[2] * mid(w[1] * mid(w[0] * h))


_AT_DATA: Mapping[str, tuple[_Branch, tuple[int, ...], int]] = {
    "Fixup, mid(t)=t+t^2, W_1=1, x=1": (_fixup(_quadratic), (1, 0), 1),
    "Fixup, mid(t)=t+t^2, W_1=-1, x=1": (_fixup(_quadratic), (-1, 0), 1),
    "Fixup, mid(t)=t+t^2, W_1=1, x=0": (_fixup(_quadratic), (1, 0), 0),
    "Fixup, mid=relu, W_1=-1, x=1": (_fixup(_relu), (-1, 0), 1),
    "ReZero, mid(t)=t+t^2, W_1=W_2=1, x=1": (_rezero(_quadratic), (1, 1, 0), 1),
    "ReZero, mid(t)=t+t^2, W_1=-1, W_2=1, x=1": (_rezero(_quadratic), (-1, 1, 0), 1),
    "bottleneck, mid(t)=t+t^2, x=1": (_bottleneck(_quadratic), (0, 0, 0), 1),
    "bottleneck, mid(t)=1+t, x=1": (_bottleneck(lambda t: 1 + t), (0, 0, 0), 1),
}
"""Branches of width one, where their weights start, and x."""


def _orders_at_data(_: Context) -> Computed:
    """The least degree up to three of the branch at x in its weights, None where there is none."""
    found: dict[str, int | None] = {}
    for name, (branch, start, x) in _AT_DATA.items():
        t, *v = sympy.symbols(f"t v:{len(start)}")
        along = branch([a + t * b for a, b in zip(start, v, strict=True)], sympy.Integer(x))
        parts = {k: sympy.expand(sympy.diff(along, t, k).subs(t, 0)) for k in (1, 2, 3)}
        found[name] = next((k for k, part in parts.items() if part != 0), None)
    return Computed(found, Scope.of(*(f"{name}, d=1, k=1, m=1" for name in found)))


_ORDERS_AT_DATA = dict(zip(_AT_DATA, (1, 2, None, None, 1, 2, 3, 1), strict=True))

# D and A of schemes with random weights.


def _forms(names: Sequence[str]) -> Callable[[Context], Computed]:
    def compute(context: Context) -> Computed:
        found = {name: index_forms(SCHEMES[name], squared)(context) for name in names}
        scope = sizes.of_units(SCHEMES[name] for name in names)
        return Computed({name: one.value for name, one in found.items()}, scope)

    return compute


def _same_schemes(found: Mapping[str, Forms], claim: Mapping[str, Claim]) -> None:
    for name, forms in found.items():
        known = vocabulary_with(forms.unit, forms.loss, forms.diagonal, forms.cross)
        same_sum(forms.diagonal, claim[name].diagonal, known, name=f"{name}, D")
        same_sum(forms.cross, claim[name].cross, known, name=f"{name}, A")


_SLOPE = "mid'(W1[i,a] * X[a,u])"
_FIXUP = Claim(
    f"1/2 * m^-1 * {_HIDDEN}[a,u] * {_HIDDEN}[b,u] * dW2(1)[i,a] * dW2(1)[i,b]"
    f" + m^-1 * g[i,u] * {_SLOPE}[a,u] * X[j,u] * dW2(1)[i,a] * dW1(1)[a,j]",
    f"m^-1 * {_HIDDEN}[a,u] * {_HIDDEN}[b,u] * dW2(2)[i,a] * dW2(1)[i,b]"
    f" + m^-1 * g[i,u] * dW2(2)[i,a] * {_SLOPE}[a,u] * W1[a,j] * dW2(1)[j,b] * {_HIDDEN}[b,u]",
)
_BRANCHES = f"W2[i,a] * {_HIDDEN}[a,u] * W2[i,b] * {_HIDDEN}[b,u]"
_REZERO = Claim(
    f"1/2 * m^-1 * {_BRANCHES} * da(1)[] * da(1)[]"
    f" + m^-1 * g[i,u] * dW2(1)[i,a] * {_HIDDEN}[a,u] * da(1)[]"
    f" + m^-1 * g[i,u] * W2[i,a] * {_SLOPE}[a,u] * dW1(1)[a,j] * X[j,u] * da(1)[]",
    f"m^-1 * {_BRANCHES} * da(2)[] * da(1)[]"
    f" + m^-1 * g[i,u] * W2[i,a] * {_SLOPE}[a,u] * W1[a,j] * W2[j,b] * {_HIDDEN}[b,u] * da(2)[] * da(1)[]",
)
_RANDOM = {"Fixup": _FIXUP, "ReZero": _REZERO}

_WRITTEN = ("Fixup", "ReZero", "SkipInit", "LayerScale, scale zero", "DiracNet, W = 0", "output bias", "bottleneck")


def _explicit_schemes(_: Context) -> Computed:
    """Exact Hessians of every scheme that starts as the identity, two units."""
    at = size(2, d=2, k=1)
    found = [explicit_hessian(SCHEMES[name], loss, at) for name in _WRITTEN for loss in (squared, generic_loss)]
    return Computed(found, Scope.of(*(f"{name}: R=2, d=2, k=1, m=1" for name in _WRITTEN)))


def _fixup_by_target(_: Context) -> Computed:
    """Whether A of Fixup vanishes, with mid the identity, d = k = m = 1, x = 1, any W_1, for a few targets."""
    unit, at = _schemes(identity_activation)["Fixup"], size(2, d=1, k=1)
    found = {}
    for y in range(4):
        entries = explicit_entries(unit, squared, at, Instance([[1]], [[y]]))
        found[y] = not any(row < 2 <= column for row, column in entries)
    shown = r"A_{W_2 W_2} = W_1^2\,(2 x^2 - x y)"
    return Computed(found, Scope.of(*(f"Fixup: R=2, d=1, k=1, m=1, x=1, y={y}" for y in found)), shown)


_VANISHES = {y: y == 2 for y in range(4)}

AT_TARGETS = Argument(
    "$A$ of Fixup at four targets: zero at one of them",
    "explicit",
    _fixup_by_target,
    _VANISHES,
    {"nowhere": dict.fromkeys(_VANISHES, False), "where $Y = X$": {y: y == 1 for y in range(4)}},
)

# A draw for each unit.


@dataclass(frozen=True, slots=True)
class Draws:
    """Among a few units: how many different D and A there are, and whether block (r, s) names the draws of r and of s alone."""

    diagonal: int
    cross: int
    own: bool


_DRAWN = ("Fixup", "ReZero")
_DEPTHS = (2, 3)


def _draws(_: Context) -> Computed:
    found: dict[tuple[str, bool, int], Draws] = {}
    for name, own, units in product(_DRAWN, (False, True), _DEPTHS):
        forms = pair_forms(SCHEMES[name], squared, units, own_initial=own)
        same = [frozenset(form.items()) for (r, s), form in forms.items() if r == s]
        apart = [frozenset(form.items()) for (r, s), form in forms.items() if r != s]
        named = all(_units_drawn(form) == set(pair) for pair, form in forms.items())
        found[name, own, units] = Draws(len(set(same)), len(set(apart)), named)
    scope = sizes.of_units(SCHEMES[name] for name in _DRAWN) & Scope.over(R=_DEPTHS)
    return Computed(found, scope, r"H_{rs} = A(w_0^r, w_0^s)")


_SCALAR: Mapping[str, tuple[str, _Branch]] = {
    "Fixup": ("c0", _fixup(_quadratic)),
    "ReZero": ("cc0", _rezero(_quadratic)),
}
"""Branches of width one; their weights, c where they start at a draw and 0 where at zero."""


def _written_draws(_: Context) -> Computed:
    """The units whose draws occur in each block of the Hessian, d = k = m = 1, from the loss itself."""
    found: dict[tuple[str, int], dict[tuple[int, int], set[int]]] = {}
    for (name, (start, branch)), units in product(_SCALAR.items(), _DEPTHS):
        numbers, places = range(1, units + 1), range(len(start))
        found[name, units] = {
            (r, s): {
                number
                for i, j in product(places, places)
                for number in _drawn_in_second(start, branch, units, (f"w{r}_{i}", f"w{s}_{j}"))
            }
            for r, s in product(numbers, numbers)
        }
    return Computed(found, Scope.of(*(f"{name}: R={units}, d=1, k=1, m=1" for name, units in found)))


def _drawn_in_second(start: str, branch: _Branch, units: int, by: tuple[str, str]) -> set[int]:
    """The units whose draws occur in the second derivative of the loss at zero by two weights, all others being zero."""
    places, numbers = range(len(start)), range(1, units + 1)
    draws = {f"c{r}_{k}": r for r in numbers for k in places if start[k] == "c"}
    ring = flint_ring([*draws, *dict.fromkeys(by), "x", "y"])
    values = defaultdict(lambda: ring.zero, ring.generators)
    h = values["x"]
    for r in numbers:
        h += branch([values[f"c{r}_{k}"] + values[f"w{r}_{k}"] for k in places], h)
    twice, powers = ring.plain((h - values["y"]) ** 2), Counter(by)
    monomials = (dict(one) for one in twice)
    return {
        draws[c] for one in monomials if all(one.get(w) == n for w, n in powers.items()) for c in draws.keys() & one
    }


def _draws_in(
    found: Mapping[tuple[str, int], Mapping[tuple[int, int], set[int]]], claim: Callable[[int, int], set[int]]
) -> None:
    for (name, units), blocks in found.items():
        for (r, s), drawn in blocks.items():
            if drawn != claim(r, s):
                raise Disagreement(f"{name}, R={units}, block ({r}, {s}): draws of {drawn}; claimed {claim(r, s)}")


def _hessian(
    branch: _Branch, starts: Sequence[Sequence[sympy.Expr]], data: Sequence[tuple[sympy.Expr, sympy.Expr]]
) -> sympy.Matrix:
    """That of the squared loss by SymPy, d = 1: where the weights of each unit start, and pairs (x, y)."""
    moves = [sympy.symbols(f"w{r}_:{len(start)}") for r, start in enumerate(starts)]
    loss = sympy.Integer(0)
    for x, y in data:
        h = x
        for start, moved in zip(starts, moves, strict=True):
            h += branch([a + b for a, b in zip(start, moved, strict=True)], h)
        loss += (h - y) ** 2 / (2 * len(data))
    weights = [w for moved in moves for w in moved]
    return sympy.hessian(loss, weights).subs(dict.fromkeys(weights, 0)).applyfunc(sympy.expand)


def _drawn_at_data(_: Context) -> Computed:
    """Whether D of both units, and whether A, is the same for all draws that are tried: two units of Fixup."""
    c, other, x, y = sympy.symbols("c1 c2 x y")
    drawn = [(c, sympy.Integer(0)), (other, sympy.Integer(0))]
    negative = [(sympy.Symbol(f"n{r}", negative=True), sympy.Integer(0)) for r in (1, 2)]
    hessians = {
        "mid the identity": _hessian(_fixup(lambda t: t), drawn, [(x, y)]),
        "mid the identity, y=2x": _hessian(_fixup(lambda t: t), drawn, [(x, 2 * x)]),
        "mid=relu, W_1<0, x=1": _hessian(_fixup(_relu), negative, [(sympy.Integer(1), y)]),
    }
    found = {name: (h[:2, :2] == h[2:, 2:], h[2:, :2] == sympy.zeros(2)) for name, h in hessians.items()}
    return Computed(found, Scope.of(*(f"Fixup, {name}: R=2, d=1, k=1, m=1" for name in found)))


_SAME_AT_DATA = dict(
    zip(
        ("mid the identity", "mid the identity, y=2x", "mid=relu, W_1<0, x=1"),
        ((False, False), (False, True), (True, True)),
        strict=True,
    )
)
"""Whether D agrees, and whether A vanishes."""


def _units_drawn(form: Sum) -> set[int | None]:
    """The units whose random initial weights occur, also inside the arguments of activations."""
    found: set[int | None] = set()
    pending = [t for _, factors in form for t, _ in factors]
    while pending:
        t = pending.pop()
        if isinstance(t, InitialWeight):
            found.add(t.unit)
        argument = getattr(t, "argument", None)
        if argument is not None:
            pending += [inner for term in argument.terms for inner, _ in term.factors]
    return found


_DRAWS = {
    (name, own, units): Draws(units, comb(units, 2), True) if own else Draws(1, 1, False)
    for name, own, units in product(_DRAWN, (False, True), _DEPTHS)
}

# A bias on the branch's output.

_BIAS = SCHEMES["output bias"]
_PATH = "m^-1 * mid'(0) * g[i,u] * X[j,u] * dW2(1)[i,a] * dW1(1)[a,j]"
_BIASED = Claim(f"1/2 * db(1)[i] * db(1)[i] + {_PATH}", "db(2)[i] * db(1)[i]")


def _bias_images(_: Context) -> Computed:
    """D, A and A^T on b = e, by the weight that the image belongs to."""
    forms = pair_forms(_BIAS, squared)
    e, found = tensor(Opaque("e", ("d",)), (ROW,)), dict[tuple[str, str], Sum]()
    exchanged = relabel_unit(relabel_unit(relabel_unit(forms[1, 2], 1, 0), 2, 1), 0, 2)
    for name, slots in {"b": (ROW,), "W1": (ROW, COLUMN), "W2": (ROW, COLUMN)}.items():
        once = differentiate(forms[1, 1], perturbations(_BIAS)[name], slots)
        found["D", name] = _still(substitute(once, perturbations(_BIAS)["b"], e))
        for matrix, cross in (("A", forms[1, 2]), ("At", exchanged)):
            later = differentiate(cross, perturbations(_BIAS, 2)[name], slots)
            found[matrix, name] = _still(substitute(later, perturbations(_BIAS)["b"], e))
    shown = (
        r"D e = A e = A^{\mathsf T} e = e \implies H (e, \ldots, e) = R\,(e, \ldots, e), \quad H (e, -e, 0, \ldots) = 0"
    )
    return Computed(found, sizes.of_unit(_BIAS), shown)


def _still(image: Sum) -> Sum:
    """The image where all other weights do not move."""
    return {key: c for key, c in image.items() if not any(isinstance(t, Perturbation) for t, _ in key[1])}


_EIGEN = {(matrix, name): "e[i]" if name == "b" else "0" for matrix in ("D", "A", "At") for name in ("b", "W1", "W2")}


def _same_bias_images(found: Mapping[tuple[str, str], Sum], claim: Mapping[tuple[str, str], str]) -> None:
    known = {**vocabulary(_BIAS, squared), "e": Opaque("e", ("d",))}
    for key, image in found.items():
        same_sum(image, claim[key], known, {"i": ROW}, name=" ".join(key))


def _bias_spectra(_: Context) -> Computed:
    """Exact spectra at R = 1, 2, 3 with M = diag(2, 1/3)."""
    unit = ResidualUnit(output_bias(polynomial(0, 1, 1)))
    data = instance_with_m([[Fraction(2), Fraction(0)], [Fraction(0), Fraction(1, 3)]])
    found = {units: exact_spectrum(unit, units, data, k=1) for units in (1, 2, 3)}
    return Computed(found, Scope.of(*(f"R={units}, d=2, k=1, m=2" for units in found)))


def _bias_claim(units: int, *, zeros: bool = True, top: int | None = None) -> dict[Fraction, int]:
    """+- 2 and +- 1/3 each R times, R twice, 0 the other 2 (R - 1) times."""
    found = dict.fromkeys((Fraction(2), Fraction(-2), Fraction(1, 3), Fraction(-1, 3)), units)
    value = Fraction(units if top is None else top)
    found[value] = found.get(value, 0) + 2
    if zeros and units > 1:
        found[Fraction(0)] = 2 * (units - 1)
    return dict(sorted(found.items()))


_CURVED = {"any": frozenset({"T2v", "S1v"}), "of order two for every h": frozenset({"T2v", "S1v", "T1w", "S1w"})}
"""The derivatives that vanish where v is the bias: the branch is linear in it, whatever h."""
_BIAS_ALONE = "1/2 * m^-1 * Q[i,k,u] * T1v[i,a,u] * T1v[k,b,u] * dv(2)[a] * dv(2)[b] + m^-1 * Q[i,k,u] * T1v[i,a,u] * x[k,u] * dv(2)[a]"
_OWN = "1/2 * m^-1 * g[i,u] * T2[i,a,b,u] * dw(2)[a] * dw(2)[b]"
_BESIDE = {
    "any": f"{_OWN} + 1/2 * m^-1 * Q[i,k,u] * T1[i,a,u] * T1[k,b,u] * dw(2)[a] * dw(2)[b]"
    " + m^-1 * g[i,u] * S1[i,a,j,u] * x[j,u] * dw(2)[a] + m^-1 * Q[i,k,u] * T1[i,a,u] * x[k,u] * dw(2)[a]"
    f" + m^-1 * Q[i,k,u] * T1[i,a,u] * T1v[k,b,u] * dw(2)[a] * dv(2)[b] + {_BIAS_ALONE}",
    "of order two for every h": f"{_OWN} + {_BIAS_ALONE}",
}


def _linear_with_bias(w: Sequence[sympy.Expr], h: sympy.Expr) -> sympy.Expr:
    return w[0] * h + w[1]


_TWO_SAMPLES = tuple((sympy.Integer(x), sympy.Integer(y)) for x, y in ((1, 0), (-1, 3)))
_ONE_SAMPLE = _TWO_SAMPLES[:1]
_BIASED_AT: Mapping[str, tuple[_Branch, Sequence[tuple[sympy.Expr, sympy.Expr]], int]] = {
    "h + w h + b: R=2, x=(1,-1), y=(0,3)": (_linear_with_bias, _TWO_SAMPLES, 2),
    "h + w h + b: R=1, x=1, y=0": (_linear_with_bias, _ONE_SAMPLE, 1),
    "h + w (h - 1) + b: R=2, x=1, y=0": (lambda w, h: w[0] * (h - 1) + w[1], _ONE_SAMPLE, 2),
    "h + w^2 h + b: R=2, x=(1,-1), y=(0,3)": (lambda w, h: w[0] ** 2 * h + w[1], _TWO_SAMPLES, 2),
}
"""Of order one twice, of order two at the data alone, and for every h."""


def _biased_spectra(_: Context) -> Computed:
    """Whether R is an eigenvalue, whether zero is, and whether one is at least R: by the characteristic polynomial."""
    zero = sympy.Integer(0)
    found = {}
    for name, (branch, data, units) in _BIASED_AT.items():
        p = _hessian(branch, [(zero, zero)] * units, data).charpoly()
        found[name] = p.eval(units) == 0, p.eval(0) == 0, p.count_roots(units, None) > 0
    return Computed(found, Scope.of(*found))


_ORDER_ONE, _ORDER_ONE_ONCE, _AT_ONE_H, _ORDER_TWO = _BIASED_AT
_AS_AT_ORDER_TWO = {name: (True, one[2] > 1, True) for name, one in _BIASED_AT.items()}
_BIASED_SPECTRA = {
    _ORDER_ONE: (False, False, True),
    _ORDER_ONE_ONCE: (False, True, True),
    _AT_ONE_H: (False, True, True),
    _ORDER_TWO: (True, True, True),
}

_SENT = (
    Argument(
        "What each scheme maps $h$ to at its initial point",
        "index notation",
        _images,
        _IMAGES,
        {
            "shortcuts over shortcuts are the identity": {**_IMAGES, "nested shortcuts": "X[i,u]"},
            "a highway layer carries its input": {**_IMAGES, "highway": "X[i,u]"},
            "LayerScale starts as the identity": {**_IMAGES, "LayerScale": "X[i,u]"},
            "DiracNet starts as the identity": {**_IMAGES, "DiracNet": "X[i,u]"},
        },
        _same_images,
        explanation="The hypothesis of GEN-1, computed; where it fails the image says by what.",
    ),
    Argument(
        "Which small units return their input",
        "explicit",
        _explicit_images,
        _PASSING,
        {"all of them": dict.fromkeys(_PASSING, True), "none with random weights": {**_PASSING, "Fixup": False}},
    ),
)
_WRITTEN_OUT = Argument(
    "Exact Hessians against the index route",
    "explicit",
    _explicit_schemes,
    unchanged,
    CHANGES,
    agrees_with_index_route,
    explanation="Squared loss and any loss; random weights as symbols.",
)
_OF_ORDER = (
    Argument(
        "Order of the branch, $D$ and $A$, any loss",
        "index notation",
        _regimes,
        _REGIMES,
        {
            "a zero last layer is like zero weights": {**_REGIMES, "Fixup": _TWO},
            "a gate at zero adds one to the order": {**_REGIMES, "ReZero": _THREE, "SkipInit": _THREE},
            "an output bias does no harm": {**_REGIMES, "output bias": _TWO},
            "a bottleneck is of order two": {**_REGIMES, "bottleneck": _TWO},
            "nested shortcuts are of order two": {**_REGIMES, "nested shortcuts": _TWO},
        },
    ),
    Argument(
        "$D$ and $A$ of Fixup and ReZero",
        "index notation",
        _forms(("Fixup", "ReZero")),
        _RANDOM,
        {
            "Fixup: units do not interact": {**_RANDOM, "Fixup": Claim(_FIXUP.diagonal)},
            "Fixup: the inner weights do not enter": {
                **_RANDOM,
                "Fixup": Claim(_FIXUP.diagonal.split(" + ")[0], _FIXUP.cross),
            },
            "ReZero: the gates do not meet": {**_RANDOM, "ReZero": Claim(_REZERO.diagonal)},
            "ReZero: without the residual": {
                **_RANDOM,
                "ReZero": Claim(_REZERO.diagonal, _REZERO.cross.split(" + ")[0]),
            },
        },
        _same_schemes,
        explanation="Random weights stay arbitrary tensors, the same in every unit.",
    ),
    _WRITTEN_OUT,
    Argument(
        "The order of small networks",
        "explicit",
        _small_orders,
        _ORDERS,
        {
            "Fixup is of order two": {**_ORDERS, "Fixup": 2},
            "a gate adds one": {**_ORDERS, "ReZero": 3},
            "a bottleneck is of order two": {**_ORDERS, "bottleneck": 2},
        },
    ),
    Argument(
        "The order at data where what stands behind the zero vanishes, and where $\\mathrm{mid}(0)$ is not zero",
        "explicit",
        _orders_at_data,
        _ORDERS_AT_DATA,
        {
            "order one at any data": {name: 3 if order == 3 else 1 for name, order in _ORDERS_AT_DATA.items()},
            "a bottleneck is of order three whatever $\\mathrm{mid}(0)$": {
                name: 3 if "bottleneck" in name else order for name, order in _ORDERS_AT_DATA.items()
            },
        },
    ),
)
_DRAWS_WRITTEN = Argument(
    "The draws in each block at width one, by differentiating the loss",
    "explicit",
    _written_draws,
    lambda r, s: {r, s},
    {
        "diagonal blocks have none": lambda r, s: {r, s} if r != s else set[int](),
        "the first unit's everywhere": lambda r, s: {1, r, s},
        "the later unit's alone": lambda r, s: {max(r, s)},
    },
    _draws_in,
)
_OWN_DRAWS = Argument(
    "With random weights of their own units differ",
    "index notation",
    _draws,
    _DRAWS,
    {
        "the diagonal blocks agree": {**_DRAWS, ("Fixup", True, 3): Draws(1, 3, True)},
        "$A$ depends on the distance of units": {**_DRAWS, ("ReZero", True, 3): Draws(3, 2, True)},
        "sharing changes nothing": {**_DRAWS, ("ReZero", False, 3): Draws(3, 3, True)},
        "some block names no draw": {**_DRAWS, ("Fixup", True, 2): Draws(2, 1, False)},
    },
    explanation="A block $(r, s)$ names the draws of units $r$ and $s$, both, and no others: $H_{rs} = A(w_0^r, w_0^s)$.",
)
_DRAWN_AT_DATA = Argument(
    "Two units of Fixup with draws of their own: whether $D$ agrees and whether $A$ vanishes",
    "explicit",
    _drawn_at_data,
    _SAME_AT_DATA,
    {
        "units differ at any data": dict.fromkeys(_SAME_AT_DATA, (False, False)),
        "they agree wherever $A$ vanishes": {name: (one[1], one[1]) for name, one in _SAME_AT_DATA.items()},
    },
)
_WITH_BIAS = (
    Argument(
        "A bias beside any branch: what one more unit adds to the loss",
        "index notation",
        added_to_the_loss({name: (("wv",), vanishing) for name, vanishing in _CURVED.items()}),
        _BESIDE,
        {
            "the bias and the branch do not meet at order one": {**_BESIDE, "any": _BESIDE["of order two for every h"]},
            "they meet at order two": {**_BESIDE, "of order two for every h": _BESIDE["any"]},
            "biases of different units do not meet": {
                **_BESIDE,
                "of order two for every h": f"{_OWN} + {_BIAS_ALONE.split(' + ')[0]}",
            },
        },
        same_sums(branches.TENSORS),
        explanation="$w$ are the branch's weights, $v$ the bias, $T_{1,v} v = b$ whatever $h$, and $x$ is what the units before have "
        r"added. With $b$ in every unit and $w = 0$, $x = (r - 1) b$, so the Hessian's form is $\sum_r (2 r - 1) \lvert "
        r"b\rvert^2 = R^2 \lvert b\rvert^2$ on a vector of squared length $R \lvert b\rvert^2$. At order two nothing names "
        r"both: the Hessian is $\mathbf 1 \mathbf 1^{\mathsf T} \otimes I$ beside that of the branches alone.",
    ),
    Argument(
        "Biases beside branches of order one and two: is $R$ an eigenvalue, is zero, is one at least $R$",
        "explicit",
        _biased_spectra,
        _BIASED_SPECTRA,
        {
            "as at order two whatever the branch": _AS_AT_ORDER_TWO,
            "as there where it is of order two at the data": {
                **_BIASED_SPECTRA,
                _AT_ONE_H: _AS_AT_ORDER_TWO[_AT_ONE_H],
            },
            "at order one all eigenvalues stay below $R$": {**_BIASED_SPECTRA, _ORDER_ONE: (False, False, False)},
        },
    ),
    *hessian_arguments(
        _BIAS,
        _BIASED,
        {
            "units do not interact": Claim(_BIASED.diagonal),
            "the biases of two units meet twice": Claim(_BIASED.diagonal, "2 * db(2)[i] * db(1)[i]"),
            "the bias meets the weights": Claim(
                f"{_BIASED.diagonal} + m^-1 * mid'(0) * g[i,u] * dW2(1)[i,a] * db(1)[i]", _BIASED.cross
            ),
            "without the path": Claim("1/2 * db(1)[i] * db(1)[i]", _BIASED.cross),
        },
        (size(2, d=2, k=1), size(3, 2, d=1, k=2)),
    ),
    CONSTANT,
    PAIRS,
    Argument(
        r"Biases on $W_2\, \mathrm{mid}(W_1 h)$: $D$, $A$ and $A^{\mathsf T}$ fix every $b = e$",
        "index notation",
        _bias_images,
        _EIGEN,
        {
            "$A$ vanishes on biases": {**_EIGEN, ("A", "b"): "0", ("At", "b"): "0"},
            "$A$ is twice $D$": {**_EIGEN, ("A", "b"): "2 * e[i]"},
        },
        _same_bias_images,
        explanation=r"Then $b = e$ in every unit is an eigenvector with $D + (r - 1) A + (R - r) A^{\mathsf T} = R$ in row $r$, and "
        r"$e$ in one unit, $-e$ in the next is in the kernel: $D - A^{\mathsf T} = A - D = 0$, and $A - A = 0$ in all "
        "others.",
    ),
    Argument(
        r"Biases on $W_2\, \mathrm{mid}(W_1 h)$: exact spectra",
        "explicit",
        _bias_spectra,
        {units: _bias_claim(units) for units in (1, 2, 3)},
        {
            "the top does not grow": {units: _bias_claim(units, top=1) for units in (1, 2, 3)},
            "no zeros": {units: _bias_claim(units, zeros=False) for units in (1, 2, 3)},
        },
    ),
)

GEN_8 = Statement(
    id="GEN-8",
    title="Where the common ways to start at the identity stand",
    source=None,
    latex=r"W_2 \sigma(W_1 h)\big|_{W_2 = 0} \; (\sigma(W_1 x) \ne 0),\quad a\, F(h)\big|_{a = 0} \; (F(x) \ne 0),\quad "
    r"F(h) + b: \text{ order } 1; \qquad F(h) + b, \text{ squared loss: } \lambda_{\max}(H_R) \ge R; \text{ with } F "
    r"\text{ of order} \ge 2 \text{ for every } h \text{ near } x: \; R \in \operatorname{eigs}(H_R),\; "
    r"\det H_R = 0 \text{ for } R \ge 2",
    uses=("GEN-1", "GEN-2"),
    setting="The order is the least degree in $w$ of the branch at the data.",
    clauses=(
        Clause(
            "Fixup (only the last layer at zero) and a gate at zero with random weights behind it (ReZero, SkipInit, "
            r"LayerScale at scale zero) are of order one where $\mathrm{mid}(W_1 x)$, or $F(x)$ behind the gate, is not zero "
            "at some sample, and so is a bias on a branch's output, at any data. A bottleneck with "
            r"$\mathrm{mid}(0) = 0$ and mid differentiable at 0 is of order three or more: $H = 0$.",
            {"R": 1, "k": 1, "d": 1, "m": 1},
            _OF_ORDER,
        ),
        Clause(
            "For the squared loss and order one $D$ and $A$ do not vanish identically as functions of the data. $A$ can "
            "vanish at some: Fixup with $d = k = m = 1$, mid the identity and $y = 2 x$.",
            {"d": 1, "p": 1, "m": 1},
            (NOT_IDENTICALLY_ZERO, AT_TARGETS),
        ),
        Clause(
            "With random weights drawn for each unit block $(r, s)$ of Fixup and ReZero is a function of the draws of units "
            "$r$ and $s$ alone, in general of both, so that in general $D$ and $A$ differ between units. At some data $A$ does not: "
            "Fixup with $d = k = m = 1$, mid the identity and $y = 2 x$ has $A = 0$ for every draw; and with mid ReLU, $x = 1$ "
            "and negative draws $H = 0$, so that neither does.",
            {"R": 2, "k": 1, "d": 1, "m": 1},
            (Induction("R", _OWN_DRAWS, ADDED_UNIT), _DRAWS_WRITTEN, _DRAWN_AT_DATA),
        ),
        Clause(
            r"With a bias on a branch's output and the squared loss $\lambda_{\max} \ge R$. Where the branch itself is of "
            "order two or more for every $h$ near the data, $R$ is an eigenvalue, and from $R = 2$ the Hessian is singular.",
            {"R": 1, "d": 1, "p": 1, "m": 1},
            _WITH_BIAS,
        ),
        Clause(
            r"LayerScale with a scale $\varepsilon \ne 0$ on random weights and DiracNet with $W \ne 0$ are not the identity at their "
            "initial point, nor are shortcuts over shortcuts $(2h)$ and the highway layer with zero gate bias $(h/2)$: "
            "there GEN-1 does not apply.",
            {"k": 1, "d": 1, "m": 1},
            _SENT,
        ),
    ),
    evidence=(
        observed_index_route(
            "$H v$ of a network of Fixup units, $R = 100$",
            lambda context: on_data(_TANH["Fixup"], 100, context, samples=100, k=5),
        ),
        observed_product(
            "$H v$ of a network with output biases, $R = 1000$",
            lambda context: on_data(_TANH["output bias"], 1000, context, samples=200, k=5),
            Claim(_BIASED.diagonal.replace("mid'(0) * ", ""), _BIASED.cross),
            {
                "units do not interact": Claim(_BIASED.diagonal.replace("mid'(0) * ", "")),
                "biases alone": Claim("1/2 * db(1)[i] * db(1)[i]", _BIASED.cross),
            },
            deep=True,
        ),
    ),
    notes="Random weights are shared between units except where a draw for each unit is said. Without sharing the depth law of "
    "GEN-1 does not hold in general, only $H_{rs} = A(w_0^r, w_0^s)$. cond is read as defined in the papers: with output biases on "
    "branches of order two or more for every $h$ near the data it is infinite from $R = 2$. With another loss the mean $Q$ of "
    "its curvature at the data stands in place of $I$: such biases have $R$ times the eigenvalues of $Q$, and zero.",
)

_TANH = _schemes(tanh)

STATEMENTS: tuple[Statement, ...] = (GEN_7, GEN_8)
