"""Identity Matters: saddle points without curvature of plain linear networks (IM-4).

g(x) = W_l ... W_1 x with W_1, ..., W_(l-1) of shape d x d and W_l of shape k x d, the squared loss
L = 1/(2m) |Y - g(X)|^2 and T = (1/m) Y X^T of shape k x d. For k = d this is a residual network of one unit with n = l
layers and the targets X + Y (DR-M5): in Theorem 2 the matrix M = (1/m) (X - (X + Y)) X^T is -T.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial, reduce
from itertools import combinations, product
from typing import NamedTuple

import sympy

from resproof.architectures.catalogue import n_shortcut
from resproof.architectures.dimensions import SAMPLES
from resproof.architectures.forms.terms import (
    COLUMN,
    ROW,
    SAMPLE,
    DataTensor,
    Factor,
    InitialWeight,
    Opaque,
    Perturbation,
    Tensor,
)
from resproof.architectures.losses import squared
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.demystifying_resnet.lemmas import INDUCTION_STEP
from resproof.proofs.identity_matters.documents import source
from resproof.proofs.routes.hessians import same_sum, same_sums
from resproof.proofs.routes.points import At, nonzero_at
from resproof.proofs.routes.predicates import matches, property_of
from resproof.proofs.routes.running_network import Running, observed_order, on_data
from resproof.proofs.statement import (
    PRINTED,
    Argument,
    Clause,
    Computed,
    Context,
    Disagreement,
    ExceptionalSet,
    Induction,
    Statement,
)
from resproof.proofs.theory.linear_networks import entry_symbol, half_mean_square, identity_matrix, written_out
from resproof.symbolic.algebra.matrices import Matrix, inertia, matrix, multiply, transpose
from resproof.symbolic.algebra.rings import Plain, as_sympy, value_at
from resproof.symbolic.index import sizes
from resproof.symbolic.index.claims import parse, show, vocabulary
from resproof.symbolic.index.lift import data, loss_series, unit_series
from resproof.symbolic.index.paths import negate
from resproof.symbolic.index.series import (
    Series,
    Sum,
    add,
    matrix_product,
    multiply_series,
    scale,
    series,
    substitute,
    tensor,
)
from resproof.symbolic.scope import Scope
from resproof.symbolic.written.explicit import Instance, hessian_at_initial_point
from resproof.symbolic.written.explicit import loss_series as explicit_series
from resproof.symbolic.written.explicit import stationary_order as explicit_order

_DEPTHS = (2, 3, 4, 5, 6)


def plain_layers(layers: int) -> ResidualUnit:
    """W_l ... W_1 h with all weights zero initially, all of them d x d."""
    path: Expression = Input("d")
    for number in range(1, layers + 1):
        path = Weight("d", "d", name=f"W{number}") @ path
    return ResidualUnit(path)


def _then(stream: Series, name: str, dims: tuple[str, str] = ("k", "d"), *, anywhere: bool = False) -> Series:
    """A layer of this shape after the stream, moving from zero or, `anywhere`, from any value."""
    start = tensor(InitialWeight(name, None, dims), (ROW, COLUMN)) if anywhere else {}
    weight = series([start, tensor(Perturbation(name, 1, dims), (ROW, COLUMN))], len(stream) - 1)
    return multiply_series(weight, stream, partial(matrix_product, inner=dims[1]))


def _loss(output: Series) -> Series:
    """The squared loss of an output with k rows."""
    return half_mean_square((add(output[0], scale(-1, tensor(_Y, (ROW, SAMPLE)))), *output[1:]), "k")


def loss_around(layers: int, order: int, opaque: Collection[str] = ()) -> Series:
    """The loss of W_l ... W_1 x by degree in all weights' changes; those in `opaque` start anywhere, else at 0."""
    hidden, last = plain_layers(layers - 1), f"W{layers}"
    stream = unit_series(hidden, series([data(hidden)], order), opaque=[one for one in opaque if one != last])
    return _loss(_then(stream, last, anywhere=last in opaque))


_Y = DataTensor("Y", ("k", SAMPLES))


def known(layers: int) -> dict[str, Tensor]:
    """The tensors of W_l ... W_1 x by their names."""
    shapes = {f"W{n}": ("k" if n == layers else "d", "d") for n in range(1, layers + 1)}
    moved = {f"d{name}(1)": Perturbation(name, 1, dims) for name, dims in shapes.items()}
    start: dict[str, Tensor] = {name: InitialWeight(name, None, dims) for name, dims in shapes.items()}
    return {**start, **moved, "X": DataTensor("X", ("d", SAMPLES)), "Y": _Y}


# Zero, as an instance of Theorem 2 and directly.


@dataclass(frozen=True, slots=True)
class _Least:
    """Whether a loss at zero has parts of degree 1, ..., l - 1, what is so of some; and that of degree l, in these tensors."""

    names: Mapping[str, Tensor]
    below: set[bool]
    part: Sum


def _of_theorem_2(_: Context) -> Computed:
    """One unit of l layers with the targets X + Y: g, the gradient of the loss at the output X, is X - (X + Y)."""
    found = {}
    for layers in _DEPTHS:
        unit = ResidualUnit(n_shortcut(layers))
        parts, names = loss_series(unit, squared, 1, layers), vocabulary(unit, squared)
        x, y = (tensor(names[name], (-1, -2)) for name in "XY")
        gradient = add(x, scale(-1, add(x, y)))
        found[layers] = _Least(names, {*map(bool, parts[1:layers])}, substitute(parts[layers], names["g"], gradient))
    shown = r"M = \tfrac1m (X - (X + Y)) X^{\mathsf T} = -T, \qquad L = L(0) - \operatorname{tr}(T^{\mathsf T} W_l \cdots W_1) + \dots"
    return Computed(found, _of_parts(found), shown)


def _of_parts(found: Mapping[int, _Least]) -> Scope:
    return reduce(Scope.__or__, (sizes.of_terms(one.part) & Scope.over(l=layers) for layers, one in found.items()))


def _directly(depths: Sequence[int] = _DEPTHS) -> Callable[[Context], Computed]:
    """The loss of the plain network itself."""

    def compute(_: Context) -> Computed:
        found = {}
        for layers in depths:
            parts = loss_around(layers, layers)
            found[layers] = _Least(known(layers), {*map(bool, parts[1:layers])}, parts[layers])
        return Computed(found, _of_parts(found))

    return compute


def _moved(k: int) -> str:
    return f"dW{k}(1)"


def _word(*letters: str, target: str = "Y", sign: int = -1) -> str:
    """sign * (1/m) tr(target^T ... X) with the letters applied from the right."""
    slots = [f"{letter}[a{k},a{k + 1}]" for k, letter in enumerate(letters)]
    return " * ".join([str(sign), "m^-1", f"{target}[a0,u]", *slots, f"X[a{len(letters)},u]"])


def _path(layers: int, *, target: str = "Y", sign: int = -1) -> str:
    """sign * (1/m) tr(target^T dW_l ... dW_1 X)."""
    return _word(*(_moved(k) for k in range(layers, 0, -1)), target=target, sign=sign)


class _LeastClaim(NamedTuple):
    """Whether degrees below l occur, and the part of degree l as an index string."""

    part: Callable[[int], str]
    below: bool = False


def _same_least(found: Mapping[int, _Least], claim: _LeastClaim) -> None:
    for layers, one in found.items():
        if one.below != {claim.below}:
            raise Disagreement(f"l={layers}: parts of lower degree occur: {one.below}; claimed {claim.below} alone")
        same_sum(one.part, claim.part(layers), one.names, name=f"l={layers}")


_TRACE = _LeastClaim(_path)
_OTHER_TRACES = {
    "the opposite sign": _LeastClaim(lambda layers: _path(layers, sign=1)),
    "$M = S - T$, the targets $Y$": _LeastClaim(
        lambda layers: f"{_path(layers)} + {_path(layers, target='X', sign=1)}"
    ),
    "the layers in the opposite order": _LeastClaim(lambda layers: _word(*map(_moved, range(1, layers + 1)))),
    "lower degrees occur": _LeastClaim(_TRACE.part, below=True),
}

_T = parse("m^-1 * Y[i,u] * X[j,u]", known(1), {"i": ROW, "j": COLUMN})
"""(1/m) Y X^T."""


def _along(form: Sum, layers: int, direction: Mapping[str, Sum]) -> Sum:
    """The form with the changes of these weights replaced by matrices."""
    for name, value in direction.items():
        form = substitute(form, known(layers)[f"d{name}(1)"], value)
    return form


def _both_signs(depths: Sequence[int] = _DEPTHS) -> Callable[[Context], Computed]:
    """The part of degree l along W_1 = ... = W_(l-1) = I, W_l = +-T."""

    def compute(_: Context) -> Computed:
        found, free = {}, list[Scope]()
        for layers in depths:
            part = loss_around(layers, layers)[layers]
            free.append(sizes.of_terms(part) & Scope.over(l=layers))
            direction = {**{f"W{k}": identity_matrix("d") for k in range(1, layers)}, f"W{layers}": _T}
            found[layers] = tuple(_along(one, layers, direction) for one in (part, negate(part, f"W{layers}")))
        return Computed(found, reduce(Scope.__or__, free), r"\mp \operatorname{tr}(T^{\mathsf T} T) = \mp \|T\|_F^2")

    return compute


_NORM = "m^-2 * Y[i,u] * X[j,u] * Y[i,v] * X[j,v]"


def _same_pair(found: Mapping[int, Sequence[Sum]], claim: Sequence[str]) -> None:
    for layers, values in found.items():
        for value, text in zip(values, claim, strict=True):
            same_sum(value, text, known(layers), name=f"l={layers}")


# One layer more on any product of layers.

_N = Opaque("N", ("d", "d"))
"""The product of all layers but the last; its degree is counted as one, so that l is 2."""


def _one_more(_: Context) -> Computed:
    """The loss of W_1 N X by degree: whether there is a part below W_1 N, that part, and along W_1 = T or -T, N = I."""
    stream = matrix_product(tensor(_N, (ROW, COLUMN)), tensor(known(1)["X"], (ROW, SAMPLE)), "d")
    parts = _loss(_then(series([{}, stream], 4), "W1"))
    one_way, back = (
        _along(substitute(part, _N, identity_matrix("d")), 1, {"W1": _T}) for part in (parts[2], negate(parts[2], "W1"))
    )
    found = {"degree 1": parts[1], "degree 2": parts[2], "N = I, W1 = T": one_way, "N = I, W1 = -T": back}
    shown = r"L = L(0) - \operatorname{tr}(T^{\mathsf T} W N) + \dots"
    return Computed(found, sizes.of_terms(parts[2], products={"N": "l"}), shown)


_NEXT = {
    "degree 1": "0",
    "degree 2": "-1 * m^-1 * Y[i,u] * dW1(1)[i,a] * N[a,b] * X[b,u]",
    "N = I, W1 = T": f"-1 * {_NORM}",
    "N = I, W1 = -T": _NORM,
}


ONE_MORE = Argument(
    "One layer $W$ on any product $N$ of layers",
    "index notation",
    _one_more,
    _NEXT,
    {
        "the opposite sign": {**_NEXT, "degree 2": _NEXT["degree 2"].removeprefix("-1 * ")},
        "the layers in the opposite order": {
            **_NEXT,
            "degree 2": "-1 * m^-1 * Y[i,u] * N[i,a] * dW1(1)[a,b] * X[b,u]",
        },
        "one sign alone": {**_NEXT, "N = I, W1 = -T": f"-1 * {_NORM}"},
    },
    same_sums({**known(1), "N": _N}),
    explanation=r"If $N = W_{l-1} \cdots W_1$ is of degree $l - 1$, then the loss begins with the degree $l$, one more, and with "
    r"$-\mathrm{tr}(T^{\mathsf T} W N)$.",
)

# Where else the Hessian vanishes.


def _second_order(_: Context) -> Computed:
    """For l = 3 at any weights: parts of the Hessian's quadratic form, each where the products named vanish.

    Then the whole series at W2 = 0, where W3 dW2 W1 X = 0 for every dW2, which is W3 = 0 or W1 X = 0.
    """
    first, form, third = loss_around(3, 3, ("W1", "W2", "W3"))[1:]
    names = known(3)
    before, after = (names["W2"], names["W1"], names["X"]), (names["W3"], names["W2"])
    through = (names["W3"], names["dW2(1)"], names["W1"], names["X"])
    at_zero = {k: substitute(part, names["W2"], {}) for k, part in ((1, first), (2, form), (3, third))}
    found = {
        "dW3 dW3": _only(form, "W3", "W3"),
        "dW2 dW2": _only(form, "W2", "W2"),
        "dW1 dW1": _only(form, "W1", "W1"),
        "dW2 dW3, W2 W1 X = 0": _without(_only(form, "W2", "W3"), before),
        "dW1 dW2, W3 W2 = 0": _without(_only(form, "W1", "W2"), after),
        "dW1 dW3, W2 W1 X = 0": _without(_only(form, "W1", "W3"), before),
        "degree 1, W2 = 0": at_zero[1],
        "degree 2, W2 = 0": at_zero[2],
        "degree 3, W2 = 0, W3 dW2 W1 X = 0": _without(at_zero[3], through),
    }
    shown = (
        r"\nabla^2 L = 0 \iff W_2 = 0,\ W_1 T^{\mathsf T} = 0,\ T^{\mathsf T} W_3 = 0,\ W_3 = 0 \text{ or } W_1 X = 0 "
        r"\qquad (T \ne 0)"
    )
    return Computed(found, sizes.of_terms(*found.values()) & Scope.over(l=3), shown)


def _only(form: Sum, *names: str) -> Sum:
    """The terms of the form with the changes of these weights."""

    def moved(factors: Iterable[Factor]) -> list[str]:
        return sorted(t.weight for t, _ in factors if isinstance(t, Perturbation))

    return {key: c for key, c in form.items() if moved(key[1]) == sorted(names)}


def _without(form: Sum, chain: Sequence[object]) -> Sum:
    """The form where the product of the chain of tensors is zero: terms that contain it disappear."""

    def contains(factors: Sequence[Factor]) -> bool:
        reached: set[int] | None = None
        for t in chain:
            slots = [slots for other, slots in factors if other == t and (reached is None or slots[0] in reached)]
            reached = {second for _, second in slots}
        return bool(reached)

    return {key: c for key, c in form.items() if not contains(key[1])}


def _square(*letters: str) -> str:
    """1/(2m) |... X|^2 with the letters applied from the right."""
    one, other = ([f"{x}{k}" for k in range(len(letters) + 1)] for x in "ab")
    other[0] = one[0]
    chains = [
        " * ".join([*(f"{letter}[{at[k]},{at[k + 1]}]" for k, letter in enumerate(letters)), f"X[{at[-1]},u]"])
        for at in (one, other)
    ]
    return f"1/2 * m^-1 * {chains[0]} * {chains[1]}"


_BLOCKS = {
    "dW3 dW3": _square(_moved(3), "W2", "W1"),
    "dW2 dW2": _square("W3", _moved(2), "W1"),
    "dW1 dW1": _square("W3", "W2", _moved(1)),
    "dW2 dW3, W2 W1 X = 0": _word(_moved(3), _moved(2), "W1"),
    "dW1 dW2, W3 W2 = 0": _word("W3", _moved(2), _moved(1)),
    "dW1 dW3, W2 W1 X = 0": _word(_moved(3), "W2", _moved(1)),
    "degree 1, W2 = 0": _word("W3", _moved(2), "W1"),
    "degree 2, W2 = 0": " + ".join(
        [
            _square("W3", _moved(2), "W1"),
            _word(_moved(3), _moved(2), "W1"),
            _word("W3", _moved(2), _moved(1)),
        ]
    ),
    "degree 3, W2 = 0, W3 dW2 W1 X = 0": _word(_moved(3), _moved(2), _moved(1)),
}


class _Three(NamedTuple):
    """A network W3 W2 W1 x, and the points on a grid where its Hessian vanishes."""

    d: int
    k: int
    points: Sequence[tuple[Matrix, ...]]
    flat: Sequence[bool]


_SHAPES = {(1, 1): (((1,),), ((2,),)), (1, 2): (((1,),), ((1,), (0,))), (2, 1): (((1, 0), (0, 1)), ((1, 0),))}
"""(d, k): X and Y."""


def _flat_points(_: Context) -> Computed:
    """l = 3, for numbers d and k: where the second derivatives of m L vanish, on the points with weights 0 and 1."""
    found = []
    for (d, k), (x, y) in _SHAPES.items():
        layers = [sympy.Matrix(rows, d, sympy.symbols(f"w{n}_:{rows * d}")) for n, rows in ((1, d), (2, d), (3, k))]
        residual = sympy.Matrix(y) - layers[2] * layers[1] * layers[0] * sympy.Matrix(x)
        weights = [w for one in layers for w in one]
        hessian = sympy.hessian(sum(e**2 for e in residual), weights)
        at = sympy.lambdify([weights], list(hessian), modules="math")
        # W_2 is zero or has one entry, so that there are not too many points.
        middle = [(0,) * (d * d), *((0,) * n + (1,) + (0,) * (d * d - 1 - n) for n in range(d * d))]
        grid = list(product(product((0, 1), repeat=d * d), middle, product((0, 1), repeat=k * d)))
        points = [tuple(_rows(one, d) for one in point) for point in grid]
        found.append(_Three(d, k, points, [not any(at([*a, *b, *c])) for a, b, c in grid]))
    samples = [len(x[0]) for x, _ in _SHAPES.values()]
    return Computed(found, Scope.over(l=3, d=[d for d, _ in _SHAPES], k=[k for _, k in _SHAPES], m=samples))


def _rows(entries: Sequence[int], columns: int) -> Matrix:
    return matrix([entries[n : n + columns] for n in range(0, len(entries), columns)])


def _characterised(w1: Matrix, w2: Matrix, w3: Matrix, x: Matrix, t: Matrix) -> bool:
    """W_2 = 0, W_1 T^T = 0, T^T W_3 = 0 and W_3 = 0 or W_1 X = 0."""
    sides = _is_zero(multiply(w1, transpose(t))) and _is_zero(multiply(transpose(t), w3))
    return _is_zero(w2) and sides and (_is_zero(w3) or _is_zero(multiply(w1, x)))


def _is_zero(a: Matrix) -> bool:
    return not any(map(any, a))


def _same_points(found: Sequence[_Three], claim: Callable[..., bool]) -> None:
    for one in found:
        x, y = map(matrix, _SHAPES[one.d, one.k])
        t = multiply(y, transpose(x))
        for point, flat in zip(one.points, one.flat, strict=True):
            if claim(*point, x, t) is not flat:
                raise Disagreement(f"d={one.d}, k={one.k}: at W = {point} the Hessian is zero: {flat}")


_LOCI_DEPTHS = (2, 3, 4, 5)


def _loci(_: Context) -> Computed:
    """How many vanishing layers it takes and suffices to have H = 0, the others being arbitrary; None: no number does."""
    found: dict[int, int | None] = {}
    for layers in _LOCI_DEPTHS:
        names = [f"W{k}" for k in range(1, layers + 1)]
        flat = {
            zero: not loss_around(layers, 2, [name for name in names if name not in zero])[2]
            for count in range(layers + 1)
            for zero in combinations(names, count)
        }
        decisive = (n for n in range(layers + 1) if all(ok is (len(zero) >= n) for zero, ok in flat.items()))
        found[layers] = next(decisive, None)
    return Computed(found, Scope.over(l=_LOCI_DEPTHS), r"W_i = W_j = W_n = 0: \quad \nabla^2 L = 0")


_LOCI = {layers: None if layers < 3 else 3 for layers in _LOCI_DEPTHS}


def _three_layers(_: Context) -> Computed:
    """Three vanishing layers with arbitrary moving products between them, and two of them.

    The last of the vanishing layers has e rows and P_3 is k x e: e = d, or e = k and P_3 = I, where that layer is W_l.
    """
    found = {}
    for zeros in (2, 3):
        path: Expression = Weight("d", "d", name="P0") @ Input("d")
        for n in range(1, zeros):
            path = Weight("d", "d", name=f"P{n}") @ (Weight("d", "d", name=f"W{n}") @ path)
        unit, last = ResidualUnit(path), f"P{zeros}"
        stream = unit_series(unit, series([data(unit)], 3), opaque=[f"P{n}" for n in range(zeros)])
        parts = _loss(_then(_then(stream, f"W{zeros}", ("e", "d")), last, ("k", "e"), anywhere=True))
        found[zeros] = (bool(parts[1]), bool(parts[2]), parts[3] if zeros == 3 else {})
    shown = r"L - L_0 = -\operatorname{tr}\bigl(T^{\mathsf T} P_3 \dot W_3 P_2 \dot W_2 P_1 \dot W_1 P_0\bigr) + \dots"
    free = sizes.of_terms(found[3][2], products={f"P{n}": "l" for n in range(4)})
    return Computed(found, free, shown)


_CUBIC = _word("P3", _moved(3), "P2", _moved(2), "P1", _moved(1), "P0")
_THREE = {2: (False, True, "0"), 3: (False, False, _CUBIC)}
_BETWEEN: dict[str, Tensor] = {
    **known(4),
    "dW3(1)": Perturbation("W3", 1, ("e", "d")),
    **{f"P{n}": InitialWeight(f"P{n}", None, ("k", "e") if n == 3 else ("d", "d")) for n in range(4)},
}


def _same_orders(found: Mapping[int, tuple[bool, bool, Sum]], claim: Mapping[int, tuple[bool, bool, str]]) -> None:
    for zeros, (*orders, third) in found.items():
        *expected, text = claim[zeros]
        if orders != expected or third != parse(text, _BETWEEN):
            raise Disagreement(f"{zeros} vanishing layers: parts of degree 1, 2: {orders}; then {show(third)}")


# Small networks.


class _Small(NamedTuple):
    """The order of the stationary point zero, and whether its Hessian is zero or indefinite."""

    order: int | None
    flat: bool
    indefinite: bool


def _small(_: Context) -> Computed:
    found = {}
    for layers, d in ((2, 2), (3, 2), (4, 1), (5, 1)):
        network, at = Network(plain_layers(layers), 1), _RATIONAL[d]
        order = explicit_order(network, {"d": d}, up_to=layers + 1).order
        hessian = hessian_at_initial_point(network, {"d": d}, data=at)
        n = range(hessian.parameters)
        rows = tuple(tuple(value_at(hessian.ring.plain(hessian[i, j]), {}) for j in n) for i in n)
        found[layers] = _Small(order, not hessian.upper, inertia(rows).indefinite)
    return Computed(found, Scope.of("l=2, d=2", "l=3, d=2", "l=4, d=1", "l=5, d=1"))


_RATIONAL = {1: Instance([[1]], [[2]]), 2: Instance([[1], [2]], [[0], [5]])}
_SMALL = {layers: _Small(layers - 1, layers > 2, layers == 2) for layers in (2, 3, 4, 5)}


def _ideals(_: Context) -> Computed:
    """d = 1, x = 1, y = t: which powers of the weights, up to the sixth, lie in the ideal of the Hessian's entries."""
    found = {}
    for layers in (3, 4):
        unit = written_out((1,) * layers, shortcut="none")
        parts = explicit_series(Network(unit, 1), {"d": 1}, order=2)
        entries = [
            as_sympy(parts.ring.plain(value)).subs(sympy.Symbol("x_1_1"), sympy.Integer(1))
            for value in parts.parts[2].values()
        ]
        weights = [sympy.Symbol(entry_symbol(f"W{k}_1", 0, 0)) for k in range(1, layers + 1)]
        basis = sympy.groebner(entries, *weights, order="grevlex", domain=sympy.QQ.frac_field(sympy.Symbol("y_1_1")))
        found[layers] = tuple([k for k in range(1, 7) if basis.contains(w**k)] for w in weights)
    return Computed(found, Scope.of("l=3, d=1", "l=4, d=1"))


_POWERS = [*range(1, 7)]
_IDEALS = {3: (_POWERS,) * 3, 4: ([],) * 4}


class _Flat(NamedTuple):
    """Whether H = 0 where three layers vanish, and where two of them do: what occurs among all choices of them."""

    three: set[bool]
    two: set[bool]


def _small_loci(_: Context) -> Computed:
    """The Hessian's entries as polynomials in all other layers' entries."""
    found = {}
    for layers, d in ((4, 1), (5, 1), (4, 2)):
        parts = explicit_series(Network(written_out((1,) * layers, shortcut="none"), 1), {"d": d}, order=2)
        entries = [parts.ring.plain(value) for value in parts.parts[2].values()]
        flat = {
            count: [_vanish(entries, zero) for zero in combinations(range(1, layers + 1), count)] for count in (2, 3)
        }
        found[layers, d] = _Flat({*flat[3]}, {*flat[2]})
    return Computed(found, Scope.of(*(f"l={layers}, d={d}" for layers, d in found)))


def _vanish(entries: Iterable[Plain], zero: Sequence[int]) -> bool:
    """Whether all polynomials do where these layers are zero."""
    gone = tuple(f"W{k}_1[" for k in zero)
    return all(any(name.startswith(gone) for name, _ in monomial) for plain in entries for monomial in plain)


_SMALL_LOCI = dict.fromkeys(((4, 1), (5, 1), (4, 2)), _Flat({True}, {False}))


def _on_digits(layers: int) -> Callable[[Context], Running]:
    return lambda context: on_data(plain_layers(layers), 1, context, samples=200)


def _observed(layers: int) -> Argument:
    part = _path(layers)
    return observed_order(
        f"Taylor coefficients of a running plain network, $l = {layers}$",
        _on_digits(layers),
        layers,
        part,
        {
            "one order higher": (layers + 1, part),
            "the other sign": (layers, _path(layers, sign=1)),
            "$M = S - T$": (layers, f"{part} + {_path(layers, target='X', sign=1)}"),
        },
    )


DIRECTLY = Argument(
    "The plain network itself",
    "index notation",
    _directly(),
    _TRACE,
    _OTHER_TRACES,
    _same_least,
)

BOTH_SIGNS = Argument(
    "Zero is no minimum and no maximum",
    "index notation",
    _both_signs(),
    (f"-1 * {_NORM}", _NORM),
    {
        "the trace of $T$ in place of its squared norm": (
            "-1 * m^-1 * Y[i,u] * X[i,u]",
            "m^-1 * Y[i,u] * X[i,u]",
        ),
        "one sign alone": (_NORM, _NORM),
    },
    _same_pair,
    explanation=r"Along $W_1 = \cdots = W_{l-1} = I$ and $W_l = T$ or $-T$.",
)

SMALL_AT_ZERO = Argument(
    "Small networks at zero",
    "explicit",
    _small,
    _SMALL,
    {
        "flat for $l = 2$": {**_SMALL, 2: _Small(1, True, False)},
        "curved for $l = 3$": {**_SMALL, 3: _Small(2, False, True)},
        "order $l$": {layers: one._replace(order=layers) for layers, one in _SMALL.items()},
    },
    explanation="(order of the stationary point, $H = 0$, $H$ indefinite); the order for symbolic data, $H$ for rational ones.",
)

IDEALS = Argument(
    "$d = k = 1$ in the ring of polynomials in the weights",
    "explicit",
    _ideals,
    _IDEALS,
    {
        "more points for $l = 3$": {**_IDEALS, 3: (_POWERS, _POWERS, [])},
        "zero alone for $l = 4$": {**_IDEALS, 4: (_POWERS,) * 4},
    },
    explanation=r"$y \ne 0$ a symbol. For $l = 3$ a power of every weight lies in the ideal of the second derivatives: $H = 0$ at "
    "zero alone; for $l = 4$ none of the first six powers of any weight does.",
)

THREE_LAYERS = Argument(
    "$l = 3$: the parts of the Hessian, one after the other",
    "index notation",
    _second_order,
    _BLOCKS,
    {
        "the first part without the half": {**_BLOCKS, "dW3 dW3": _BLOCKS["dW3 dW3"].removeprefix("1/2 * ")},
        "$W_1$ on the other side": {**_BLOCKS, "dW2 dW3, W2 W1 X = 0": _word("W1", _moved(3), _moved(2))},
        "$W_3$ does not occur": {**_BLOCKS, "dW1 dW2, W3 W2 = 0": "0"},
        "$W_2 = 0$ suffices": {**_BLOCKS, "degree 2, W2 = 0": "0"},
        "no cubic part": {**_BLOCKS, "degree 3, W2 = 0, W3 dW2 W1 X = 0": "0"},
    },
    same_sums(known(3)),
    explanation=r"$H = 0$ makes $W_2 W_1 X = 0$, $W_3 = 0$ or $W_1 X = 0$, and $W_3 W_2 = 0$ (as $X \ne 0$) by the first three parts; "
    r"then $W_1 T^{\mathsf T} = 0$, $T^{\mathsf T} W_3 = 0$ and, as $T \ne 0$, $W_2 = 0$ by the next three, the changes "
    "being arbitrary. Conversely these conditions leave nothing of degrees 1 and 2 at $W_2 = 0$, and the cubic part is "
    "odd and not zero: a saddle.",
)


_NO_CORRELATION = Instance([[1, 1]], [[1, -1]])
"""T = (1 - 1)/2 = 0."""


def _where_t_vanishes(_: Context) -> Computed:
    """L - L(0) of three layers, d = k = 1, at data with T = 0, by monomials in the weights."""
    parts = explicit_series(Network(plain_layers(3), 1), {"d": 1}, order=6, data=_NO_CORRELATION)
    found = {
        monomial: value_at(parts.ring.plain(one), {}) for part in parts.parts[1:] for monomial, one in part.items()
    }
    return Computed(found, Scope.of("l=3, d=k=1, X=(1, 1), Y=(1, -1)"), r"L - L_0 = \tfrac12 (w_3 w_2 w_1)^2")


@property_of(
    {(0,): Fraction(1)},
    {(0, 0): Fraction(-1)},
    {(0, 0): Fraction(1), (0, 1, 1): Fraction(1)},
    not_of=[{(0, 0): Fraction(1), (1, 1, 1, 1): Fraction(0)}],
)
def _takes_negative_values(found: Mapping[tuple[int, ...], Fraction]) -> bool:
    """Whether a polynomial is anything but a sum of squares of monomials, zero at the least."""
    return any(value < 0 or any(monomial.count(k) % 2 for k in monomial) for monomial, value in found.items())


WITHOUT_CORRELATION = ExceptionalSet(
    "$T = 0$",
    Argument(
        "Three layers at data with $T = 0$: zero is a global minimum",
        "explicit",
        _where_t_vanishes,
        {(0, 0, 1, 1, 2, 2): Fraction(1, 2)},
        {PRINTED: _takes_negative_values, "half as much": {(0, 0, 1, 1, 2, 2): Fraction(1, 4)}},
        matches,
        explanation=r"For $T = 0$, $L - L_0 = \lvert g(X)\rvert^2 / (2m)$ at every size.",
    ),
    nonzero_at(
        "$T$ is a polynomial in the data that does not vanish everywhere",
        {"u' T w": At("u' u v' v w' w", {"u' u": "", "v' v": "", "w' w": ""})},
        {"u": ("k", "1"), "u'": ("1", "k"), "v": ("m", "1"), "v'": ("1", "m"), "w": ("d", "1"), "w'": ("1", "d")},
        explanation="At $Y = u v'$, $X = w v'$ it is $u w'$, up to the factor $1/m$.",
        shown=r"Y = u v^{\mathsf T},\ X = w v^{\mathsf T}: \quad u^{\mathsf T}\, Y X^{\mathsf T} w = 1",
    ),
)

M4 = Statement(
    id="IM-4",
    title="Plain linear networks of three layers and more have saddle points without curvature",
    source=source("after item 2", "there are loci of saddle points with zero curvature whenever l >= 3"),
    latex=r"l \ge 3,\ T \ne 0:\quad \nabla^2 L(0) = 0, \qquad \inf_{\|w\| < \epsilon} L < L(0) < \sup_{\|w\| < \epsilon} L",
    uses=("DR-M5", "DR-T2.1", "DR-T2.1s", "DR-T2.2s"),
    setting=r"A plain linear network $W_l \cdots W_1$ has $W_l$ of shape $k \times d$.",
    clauses=(
        Clause(
            r"For $l \ge 3$ zero is a saddle point of $W_l \cdots W_1$ whenever $T \ne 0$, and the Hessian is zero there.",
            {"l": 3, "d": 1, "k": 1, "m": 1},
            (Induction("l", DIRECTLY, ONE_MORE), Induction("l", BOTH_SIGNS, ONE_MORE), SMALL_AT_ZERO),
            reading=WITHOUT_CORRELATION,
        ),
        Clause(
            "For $k = d$ this is Theorem 2 of Demystifying ResNet for one unit with $n = l$ and the targets $X + Y$: "
            "$M = -T$.",
            {"l": 2, "d": 1, "m": 1},
            (
                Induction(
                    "l",
                    Argument(
                        "Theorem 2 with $R = 1$, $n = l$ and the targets $X + Y$",
                        "index notation",
                        _of_theorem_2,
                        _TRACE,
                        _OTHER_TRACES,
                        _same_least,
                        explanation=r"$M = -T$. By DR-T2.1 the Hessian vanishes for $l \ge 3$, by DR-T2.2s zero is a strict saddle "
                        r"for $l = 2$ and $T \ne 0$.",
                    ),
                    INDUCTION_STEP,
                ),
                SMALL_AT_ZERO,
            ),
            ours=True,
        ),
        Clause(
            r"For $l = 3$ and $T \ne 0$ the Hessian is zero exactly where $W_2 = 0$, $W_1 T^{\mathsf T} = 0$, "
            r"$T^{\mathsf T} W_3 = 0$ and $W_3 = 0$ or $W_1 X = 0$, and all these points are saddles. They are two linear "
            r"spaces of dimensions $d (d - \mathrm{rank}\, T)$ and "
            r"$d (d - \mathrm{rank}\, X) + d (k - \mathrm{rank}\, T)$: zero alone exactly if $k = d$ and $T$ is "
            "nonsingular.",
            {"d": 1, "k": 1, "m": 1},
            at={"l": 3},
            arguments=(
                THREE_LAYERS,
                IDEALS,
                Argument(
                    "$l = 3$ at points with weights 0 and 1, $k = d = m = 1$, $k = 2$ and $d = m = 2$",
                    "explicit",
                    _flat_points,
                    _characterised,
                    {
                        "zero alone": lambda w1, w2, w3, x, t: all(map(_is_zero, (w1, w2, w3))),
                        "$W_1$ and $W_3$ are free": lambda w1, w2, w3, x, t: _is_zero(w2),
                        r"$W_1 T^{\mathsf T} = 0$ and $W_2 = W_3 = 0$": lambda w1, w2, w3, x, t: (
                            _is_zero(w2) and _is_zero(w3) and _is_zero(multiply(w1, transpose(t)))
                        ),
                    },
                    _same_points,
                    explanation=r"The second derivatives of $\lvert Y - W_3 W_2 W_1 X\rvert^2$, by SymPy.",
                ),
            ),
            ours=True,
        ),
        Clause(
            r"For $l \ge 4$ the points with $H = 0$ contain the linear spaces where three layers vanish and all others "
            "are arbitrary.",
            {"l": 4, "d": 1, "k": 1, "m": 1},
            (
                Argument(
                    "Three vanishing layers among arbitrary ones",
                    "index notation",
                    _three_layers,
                    _THREE,
                    {
                        "two suffice": {**_THREE, 2: (False, False, "0")},
                        "a cubic part with the opposite sign": {**_THREE, 3: (False, False, f"-1 * {_CUBIC}")},
                    },
                    _same_orders,
                    explanation=r"$P_0, \ldots, P_3$ stand for the products of the other layers, which move as well, identities "
                    r"included: so for every $l \ge 3$. The cubic part is odd in $W_3$: a saddle wherever "
                    r"$P_0 T^{\mathsf T} P_3 \ne 0$. The other layers have $(l - 3) d^2$ entries, or $(l - 4) d^2 + k d$ "
                    "where $W_l$ is one of them.",
                ),
                Argument(
                    "How many layers have to vanish, $l = 2..5$",
                    "instance",
                    _loci,
                    _LOCI,
                    {
                        "two": {**_LOCI, 4: 2},
                        "two for $l = 3$": {**_LOCI, 3: 2},
                        "all of them for $l = 4$": {**_LOCI, 4: 4},
                    },
                ),
                Argument(
                    "Hessians of small networks where two or three layers vanish",
                    "explicit",
                    _small_loci,
                    _SMALL_LOCI,
                    {
                        "two suffice": {**_SMALL_LOCI, (4, 1): _Flat({True}, {True})},
                        "three do not": {**_SMALL_LOCI, (4, 2): _Flat({False}, {False})},
                    },
                ),
            ),
        ),
        Clause(
            r"For $l = 2$ and $T \ne 0$ zero is a strict saddle.",
            {"d": 1, "k": 1, "m": 1},
            (replace(DIRECTLY, compute=_directly((2,))), replace(BOTH_SIGNS, compute=_both_signs((2,))), SMALL_AT_ZERO),
            at={"l": 2},
            ours=True,
        ),
    ),
    evidence=(_observed(3), _observed(4)),
    notes=r"The source does not print $T \ne 0$. 'Loci' is read as a set of points, which may be a single one: read as sets of "
    "more than one point it fails for $l = 3$, $k = d$ and $T$ nonsingular, where zero is alone. 'Zero curvature' is "
    "read as $H = 0$. No words of the source fix either reading. Where the least eigenvalue alone is zero there are more "
    "such points.",
)

STATEMENTS = (M4,)
