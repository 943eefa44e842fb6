"""How the Hessian of n = 1 grows with depth: GEN-3 and GEN-4, and what Demystifying ResNet says after Theorem 2.

H_R = I (x) D + L (x) A + L^T (x) A^T (GEN-1) is symmetric block Toeplitz with entries that do not decay away from the
diagonal. Vectors with v and -v in two adjacent units see D - A only; vectors that are constant over units see R A.
Throughout S = Sigma_XX, T = Sigma_YX, M = S - T, p is the number of parameters of a unit, and N = ker D meet ker A meet
ker A^T: the condition number is that on the complement of N, where it can be finite.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import sympy

from architectures.activations import Activation, identity_activation, polynomial, tanh
from architectures.catalogue import n_shortcut
from architectures.losses import squared
from architectures.networks import Network, ResidualUnit
from architectures.terms import COLUMN, ROW, Opaque
from numeric.adjoint import hvp
from numeric.contract import hessian_vector
from numeric.rounding import gamma
from numeric.toeplitz import Extremes, count_below, extremes
from proofs.documents import source
from proofs.evidence import Running, claimed_terms, on_data
from proofs.forms import Claim, every_size, explicit_entries, size
from proofs.generic import FLAT_AT_ZERO, generic_unit
from proofs.parts import (
    PRINTED,
    Argument,
    Citation,
    Computed,
    Context,
    Counterexample,
    Data,
    Disagreement,
    Hypothesis,
    Measurement,
    Repair,
    Scope,
    Statement,
)
from proofs.spectra import exact_spectrum, instance_with_m
from symbolic import series, toeplitz
from symbolic.claims import parse, show, vocabulary
from symbolic.explicit import Instance, hessian_at_initial_point
from symbolic.instances import hessian_entries
from symbolic.lift import hessian_block, hessian_form, perturbations
from symbolic.matrices import (
    Inertia,
    Matrix,
    add,
    block_toeplitz,
    determinant,
    eye,
    inertia,
    matrix,
    scale,
    transpose,
)
from symbolic.matrices import multiply as matrix_product
from symbolic.paths import along
from symbolic.rings import Ring, flint_ring
from symbolic.rings import show as show_plain
from symbolic.series import Sum, differentiate, multiply, tensor, thaw
from symbolic.toeplitz import Interval

EVERY = "all R, all p x p matrices D = D^T and A"
LINEAR = ResidualUnit(n_shortcut(1))
TANH = ResidualUnit(n_shortcut(1, tanh, tanh, tanh))

# Identities between blocks, by order types.


def _same_expressions(found: Mapping[str, Any], claim: Mapping[str, Any]) -> None:
    for name, computed in found.items():
        if sympy.expand(computed - claim[name]) != 0:
            raise Disagreement(f"{name}: computed {computed}; claimed {claim[name]}")


_NOTHING = {"s < r - 1": sympy.Integer(0), "s = r - 1": sympy.Integer(0), "s > r + 1": sympy.Integer(0)}
_D, _A, _AT, _Z = toeplitz.D, toeplitz.A, toeplitz.AT, toeplitz.Z


def _pair_images(_: Context) -> Computed:
    shown = r"H_R\,(e_r - e_{r+1}) \otimes v = e_r \otimes (D - A)^{\mathsf T} v - e_{r+1} \otimes (D - A)\,v"
    return Computed(toeplitz.pair_image(), Scope.all(EVERY), shown)


def _pair_claim(first: Any, second: Any) -> dict[str, Any]:
    return {**_NOTHING, "s = r": first, "s = r + 1": second}


PAIRS = Argument(
    "H_R on a vector with v and -v in two adjacent units",
    "identity",
    _pair_images,
    _pair_claim(_D - _AT, -(_D - _A)),
    {
        "D + A in place of D - A": _pair_claim(_D + _AT, -(_D + _A)),
        "D - A and its transpose exchanged": _pair_claim(_D - _A, -(_D - _AT)),
        "D alone": _pair_claim(_D, -_D),
        "the units before it are moved too": {**_pair_claim(_D - _AT, -(_D - _A)), "s < r - 1": _AT},
    },
    _same_expressions,
    explanation="All other rows cancel. So |H w|^2 = |(D - A)^T v|^2 + |(D - A) v|^2 <= |D - A|^2 |w|^2. The pairs (1, 2), "
    "(3, 4), ... have vectors and images in rows of their own, so the bound holds on their span, of dimension p "
    "floor(R/2). For D = A all of it is mapped to zero.",
)


def _corner_prover(_: Context) -> Computed:
    """How far the last rows stay below the first columns, for R = 2h + e with e = 0, 1."""
    ring = flint_ring(["h", "e"])

    def gap(rows: Callable[[Any, Any], Any]) -> Any:
        h, e = ring.symbols(["h", "e"])
        count = rows(h, e)
        return (2 * h + e) - count + 1 - count

    shown = r"u = \sum_{r > R-h} e_r \otimes x,\; w = \sum_{s \le h} e_s \otimes y:\quad u^{\mathsf T} H_R\, w = h^2\, x^{\mathsf T} A\, y"
    return Computed((ring, gap), Scope.all(EVERY), shown)


def _all_below(found: tuple[Ring, Callable[..., Any]], rows: Callable[[Any, Any], Any]) -> None:
    """Pass when the least row less the greatest column, counted from 1, is at least 1 for every h >= 0 and e = 0, 1.

    Raises:
        Disagreement: it can be less.
    """
    ring, gap = found
    terms = ring.plain(gap(rows))
    for e in (0, 1):
        value = {
            power: coefficient * e ** dict(power).get("e", 0) for power, coefficient in terms.items() if power != ()
        }
        constant = terms.get((), Fraction(0)) + sum(
            (v for power, v in value.items() if not dict(power).get("h")), Fraction(0)
        )
        if constant < 1 or any(v < 0 for power, v in value.items() if dict(power).get("h")):
            raise Disagreement(f"e = {e}: row less column is {show_plain(terms)}, not always at least 1")


CORNER = Argument(
    "The lower left corner of floor(R/2) x floor(R/2) blocks consists of A",
    "identity",
    _corner_prover,
    lambda h, e: h,
    {
        "one row and column more": lambda h, e: h + 1,
        "the ceiling of R/2": lambda h, e: h + e,
        "all R": lambda h, e: 2 * h + e,
    },
    _all_below,
    explanation="With R = 2h + e the last h rows begin at R - h + 1 > h, so each of the h^2 blocks lies below the diagonal. "
    "With |u| = sqrt(h) |x| and |w| = sqrt(h) |y| it follows that sigma_max(H_R) >= h |A|.",
)

_COURANT = Citation(
    "courant-fischer",
    {"H_R is symmetric: block (s, r) is the transpose of block (r, s)": lambda _: _is_symmetric()},
)


def _is_symmetric() -> bool:
    swapped = {_D: _D, _A: _AT, _AT: _A, _Z: _Z}
    blocks = [(toeplitz.block(r, s), toeplitz.block(s, r)) for r in range(1, 9) for s in range(1, 9)]
    return all(sympy.expand(one.xreplace(swapped) - other) == 0 for one, other in blocks)


def _disjoint() -> bool:
    """For R = 2..40 the pairs (1, 2), (3, 4), ... are floor(R/2) many and share no unit."""
    for units in range(2, 41):
        pairs = [(r, r + 1) for r in range(1, units, 2)]
        if len(pairs) != units // 2 or len({r for pair in pairs for r in pair}) != 2 * len(pairs):
            return False
    return True


def _bounded_on_pairs() -> bool:
    """The images of pairs lie in the rows of the pairs."""
    return all(one == 0 for name, one in toeplitz.pair_image().items() if name in _NOTHING)


_INTERLACING = Citation(
    "singular-interlacing",
    {
        "floor(R/2) pairs of adjacent units share none, so they span p floor(R/2) dimensions": lambda _: _disjoint(),
        "images of different pairs are orthogonal": lambda _: _bounded_on_pairs(),
    },
)


# Exact instances.


@dataclass(frozen=True, slots=True)
class _Exact:
    """The Hessian of a small network over the rationals, and what the bounds are made of."""

    name: str
    d: int
    units: int
    hessian: Matrix
    diagonal: Matrix
    below: Matrix
    s: Matrix
    m: Matrix
    condition: Interval | None
    """The square of the condition number; None: infinite."""


def _dense(unit: ResidualUnit, units: int, data: Instance) -> Matrix:
    """The exact Hessian of a network without symbols left."""
    found = hessian_at_initial_point(Network(unit, units), {"d": len(data.x)}, data=data)
    values = {place: found.ring.plain(v).get((), Fraction(0)) for place, v in found.entries().items()}
    count = range(found.parameters)
    return tuple(tuple(values.get((i, j), Fraction(0)) for j in count) for i in count)


def _pair(unit: ResidualUnit, data: Instance) -> tuple[Matrix, Matrix]:
    """D and A from the exact Hessian of two units."""
    two = _dense(unit, 2, data)
    p = len(two) // 2
    return tuple(row[:p] for row in two[:p]), tuple(row[:p] for row in two[p:])


def _exact(name: str, unit: ResidualUnit, units: int, data: Instance) -> _Exact:
    d = len(data.x)
    h = _dense(unit, units, data)
    x, y = (matrix(rows) for rows in (data.x, data.y))
    mean = Fraction(1, len(x[0]))
    s, t = (scale(mean, matrix_product(one, transpose(x))) for one in (x, y))
    return _Exact(
        name,
        d,
        units,
        h,
        *_pair(unit, data),
        s,
        add(s, scale(-1, t)),
        toeplitz.squared_condition(h),
    )


def _multiple(factor: Fraction, d: int = 2) -> Instance:
    """S = I/d and M = factor I."""
    return instance_with_m([[factor * (i == j) for j in range(d)] for i in range(d)])


_NONLINEAR = ResidualUnit(n_shortcut(1, polynomial(0, 1, 2), identity_activation, polynomial(0, 2, 1)))
"""pre(t) = t + 2 t^2, post(t) = 2 t + t^2."""
_GENERAL = Instance([[1, 0], [1, 2]], [[0, 1], [3, 1]])

_CASES: tuple[tuple[str, ResidualUnit, Instance, tuple[int, ...]], ...] = (
    ("d=1, T=3S", LINEAR, Instance([[1]], [[3]]), (2, 3, 4, 5, 6)),
    ("d=1, T=4S", LINEAR, Instance([[1]], [[4]]), (2, 3, 4)),
    ("d=1, T=2S", LINEAR, Instance([[1]], [[2]]), (2, 3, 4)),
    ("d=1, T=S", LINEAR, Instance([[1]], [[1]]), (2, 3)),
    ("d=2, M=I/10", LINEAR, _multiple(Fraction(1, 10)), (2, 3)),
    ("d=2, M=3I/4", LINEAR, _multiple(Fraction(3, 4)), (2, 3)),
    ("d=2, m=2", LINEAR, _GENERAL, (2, 3, 4)),
    ("d=2, m=2, pre(t)=t+2t^2, post(t)=2t+t^2", _NONLINEAR, _GENERAL, (2, 3)),
)


def _instances(linear: bool) -> Callable[[Context], Computed]:
    def compute(_: Context) -> Computed:
        cases = [case for case in _CASES if case[1] is LINEAR or not linear]
        found = [_exact(name, unit, units, data) for name, unit, data, depths in cases for units in depths]
        return Computed(found, Scope.of(*(f"n=1, {one.name}, R={one.units}" for one in found)))

    return compute


_Bound = Callable[[_Exact], "Interval | None"]


def _at_least(found: Sequence[_Exact], bound: _Bound) -> None:
    """Pass when the square of cond(H_R) is at least the claimed square on every instance; None is infinity.

    Raises:
        Disagreement: it is less on one of them.
        ValueError: the enclosures do not decide it.
    """
    for one in found:
        claimed, at = bound(one), f"{one.name}, R={one.units}"
        if one.condition is None:
            continue
        if claimed is None or one.condition.high < claimed.low:
            shown = "infinite" if claimed is None else f"at least {float(claimed.low) ** 0.5:.6g}"
            raise Disagreement(f"{at}: cond(H_R) is {float(one.condition.high) ** 0.5:.6g}; claimed {shown}")
        if one.condition.low < claimed.high:
            raise ValueError(f"{at}: cond(H_R)^2 in {one.condition}, the bound in {claimed}")


def _general_bound(factor: Callable[[int], Fraction | int] = lambda units: units // 2, sign: int = -1) -> _Bound:
    """(factor(R) |A| / |D - A|)^2."""

    def bound(one: _Exact) -> Interval | None:
        top = toeplitz.squared_norm(one.below).times(factor(one.units) ** 2)
        if top.high == 0:
            return top
        return top.over(toeplitz.squared_norm(add(one.diagonal, scale(sign, one.below))))

    return bound


def _linear_bound(
    factor: Callable[[int], Fraction | int] = lambda units: units,
    top: Callable[[_Exact], Interval] = lambda one: toeplitz.eigenvalue(one.s, one.d - 1),
    below: Callable[[_Exact], Matrix] = lambda one: one.m,
    least: int = 2,
) -> _Bound:
    """(factor(R) lambda_max(S) / sigma_min(S - T))^2 for d >= least, and nothing below."""

    def bound(one: _Exact) -> Interval | None:
        if one.d < least:
            return Interval(Fraction(0), Fraction(0))
        greatest = top(one)
        square = Interval(greatest.low**2, greatest.high**2).times(factor(one.units) ** 2)
        return square.over(toeplitz.squared_singular_value(below(one), 0))

    return bound


def _trace(one: _Exact) -> Interval:
    value = sum((one.s[i][i] for i in range(one.d)), Fraction(0))
    return Interval(value, value)


def _s_plus_t(one: _Exact) -> Matrix:
    return add(scale(2, one.s), scale(-1, one.m))


GENERAL_INSTANCES = Argument(
    "cond(H_R) >= floor(R/2) |A| / |D - A| on exact Hessians",
    "explicit",
    _instances(linear=False),
    _general_bound(),
    {
        "R in place of floor(R/2)": _general_bound(lambda units: units),
        "the ceiling of R/2": _general_bound(lambda units: -(-units // 2)),
        "twice as large": _general_bound(lambda units: 2 * (units // 2)),
        "D + A in place of D - A": _general_bound(sign=1),
    },
    _at_least,
    explanation="Squares of singular values are rational or enclosed between two inertia counts. At d = 1, T = 3S, R = 4 "
    "both sides are 1: the constant cannot be improved.",
)

LINEAR_INSTANCES = Argument(
    "Linear units, d >= 2: cond(H_R) >= R lambda_max(S) / sigma_min(S - T) on exact Hessians",
    "explicit",
    _instances(linear=True),
    _linear_bound(),
    {
        "2R in place of R": _linear_bound(lambda units: 2 * units),
        "the trace of S": _linear_bound(top=_trace),
        "S + T in place of S - T": _linear_bound(below=_s_plus_t),
        "d = 1 as well": _linear_bound(least=1),
    },
    _at_least,
)


def _small_counts(found: Sequence[_Exact], share: Callable[[int], int]) -> None:
    """Pass when at least p share(R) singular values are at most |D - A|.

    Raises:
        Disagreement: there are fewer.
    """
    for one in found:
        bound = toeplitz.squared_norm(add(one.diagonal, scale(-1, one.below))).high
        count, claimed = toeplitz.small_singular_values(one.hessian, bound), len(one.below) * share(one.units)
        if count < claimed:
            raise Disagreement(f"{one.name}, R={one.units}: {count} singular values; claimed at least {claimed}")


SMALL_INSTANCES = Argument(
    "At least p floor(R/2) singular values are at most |D - A|, on exact Hessians",
    "explicit",
    _instances(linear=False),
    lambda units: units // 2,
    {"p R of them": lambda units: units, "p (floor(R/2) + 1) of them": lambda units: units // 2 + 1},
    _small_counts,
)


def _with_kernel(_: Context) -> Computed:
    """X of rank one: D, A and A^T share a kernel. Inertia of H_R, and of the same on its complement."""
    data = Instance([[1], [0]], [[0], [0]])
    diagonal, below = _pair(LINEAR, data)
    kept = [[int(i == j) for j in range(4)] for i in range(4) if any((*diagonal[i], *below[i], *transpose(below)[i]))]
    inner = [toeplitz.restricted(one, kept) for one in (diagonal, below)]
    found = {}
    for units in (1, 2, 3):
        whole = inertia(_dense(LINEAR, units, data))
        lost = units * (4 - len(kept))
        rest = inertia(block_toeplitz(inner[0], inner[1], units))
        found[units] = (whole, Inertia(rest.negative, rest.zero + lost, rest.positive), lost)
    return Computed(found, Scope.of(*(f"n=1, d=2, m=1, x=(1, 0), y=0, R={units}" for units in found)))


def _splits_off(found: Mapping[int, tuple[Inertia, Inertia, int]], lost: Callable[[int], int]) -> None:
    for units, (whole, rest, zeros) in found.items():
        if whole != rest or zeros != lost(units):
            raise Disagreement(f"R={units}: {whole}; {rest} with {zeros} zeros split off, claimed {lost(units)}")


KERNEL = Argument(
    "The common kernel N of D, A and A^T splits off",
    "explicit",
    _with_kernel,
    lambda units: units,
    {"no zero": lambda units: 0, "one zero whatever R": lambda units: 1, "two a unit": lambda units: 2 * units},
    _splits_off,
    explanation="For n in N every e_r (x) n is mapped to zero, and H_R is symmetric, so it maps R^R (x) N^perp into "
    "itself. D, A and A^T keep their norms on N^perp, so all bounds hold there with p - dim N in place of p. Here "
    "dim N = 1.",
)


# Linear units in index notation.


def _outer(left: str, right: str) -> Sum:
    vectors = (tensor(Opaque(left, ("d",)), (ROW,)), tensor(Opaque(right, ("d",)), (COLUMN,)))
    return multiply(*vectors)


def _linear_values(_: Context) -> Computed:
    """The forms 1/2 v^T D v and v^T A v at v = a b^T, and the images of D - A and its transpose."""
    form, v = hessian_form(LINEAR, squared), _outer("a", "b")
    diagonal, cross = thaw(form.diagonal), thaw(form.cross)
    first, second = (perturbations(LINEAR, number)["W1"] for number in (1, 2))
    slots = (ROW, COLUMN)

    def move(sum_: Sum, number: int) -> Sum:
        return along(LINEAR, sum_, {"W1": v}, number)

    image = move(differentiate(diagonal, first, slots), 1)
    later = move(differentiate(cross, second, slots), 1)
    earlier = move(differentiate(cross, first, slots), 2)
    found = {
        "1/2 v^T D v": move(diagonal, 1),
        "v^T A v": move(move(cross, 1), 2),
        "(D - A) v": _minus(image, later),
        "(D - A)^T v": _minus(image, earlier),
    }
    shown = r"v = a b^{\mathsf T}:\quad (D - A)\,v = -M v^{\mathsf T},\quad (D - A)^{\mathsf T} v = -v^{\mathsf T} M"
    return Computed(found, every_size(LINEAR), shown)


def _minus(left: Sum, right: Sum) -> Sum:
    return series.add(left, series.scale(-1, right))


def _same_values(found: Mapping[str, Sum], claim: Mapping[str, str]) -> None:
    known = {**vocabulary(LINEAR, squared), **{name: Opaque(name, ("d",)) for name in "ab"}}
    for name, value in found.items():
        free = {"i": ROW, "j": COLUMN} if name.startswith("(") else {}
        if value != parse(claim[name], known, free):
            raise Disagreement(f"{name}: computed {show(value)}; claimed {claim[name]}")


_ENERGY = "m^-1 * a[i] * a[i] * X[j,s] * b[j] * X[k,s] * b[k]"
_LINEAR_VALUES = {
    "1/2 v^T D v": f"1/2 * {_ENERGY}",
    "v^T A v": f"{_ENERGY} + m^-1 * a[i] * g[i,s] * X[j,s] * b[j] * a[k] * b[k]",
    "(D - A) v": "-1 * m^-1 * g[i,s] * X[k,s] * b[k] * a[j]",
    "(D - A)^T v": "-1 * m^-1 * b[i] * g[k,s] * a[k] * X[j,s]",
}

LINEAR_VECTORS = Argument(
    "Linear units: the forms and images at v = a b^T",
    "index notation",
    _linear_values,
    _LINEAR_VALUES,
    {
        "the residual counts whatever a and b": {
            **_LINEAR_VALUES,
            "v^T A v": f"{_ENERGY} + m^-1 * a[i] * g[i,s] * X[j,s] * b[j] * a[k] * a[k]",
        },
        "a and b exchanged": {
            **_LINEAR_VALUES,
            "1/2 v^T D v": "1/2 * m^-1 * b[i] * b[i] * X[j,s] * a[j] * X[k,s] * a[k]",
        },
        "M transposed": {**_LINEAR_VALUES, "(D - A) v": "-1 * m^-1 * X[i,s] * g[k,s] * b[k] * a[j]"},
        "D + A": {**_LINEAR_VALUES, "(D - A) v": "m^-1 * g[i,s] * X[k,s] * b[k] * a[j]"},
    },
    _same_values,
    explanation="The same v in every unit: R times 2 (1/2 v^T D v) and R (R - 1) times v^T A v. With S b = lambda_max(S) b "
    "and a orthogonal to b, which needs d >= 2, it is R^2 lambda_max(S) |v|^2, so lambda_max(H_R) >= R lambda_max(S). And "
    "with M b = s a, M^T a = s b for the least singular value s, a pair (v, -v), v = a b^T, is mapped to -s a a^T and "
    "-s b b^T, up to signs: its image is s times as long, so sigma_min(H_R) <= sigma_min(S - T).",
)


# Evidence for GEN-3 and GEN-4: the digits.


@dataclass(frozen=True, slots=True)
class _Blocks:
    """D and A as arrays, column by column from the claimed index terms, and the data they stand for."""

    diagonal: np.ndarray
    below: np.ndarray


def _blocks(claim: Claim, running: Running) -> _Blocks:
    """D and A of a claim: its product with the unit vectors of the first of two units."""
    terms, d = claimed_terms(running.network.unit, squared, claim), running.dims["d"]
    p = d * d
    basis = np.zeros((p, 2, d, d))
    for place in range(p):
        basis[place, 0, place % d, place // d] = 1.0
    image = hessian_vector(terms, running.environment, {"W1": basis})["W1"]
    columns = np.swapaxes(np.asarray(image), -1, -2).reshape(p, 2, p)
    return _Blocks(columns[:, 0, :].T, columns[:, 1, :].T)


def _components(count: int) -> Callable[[Context], Context]:
    """The context with the first `count` components of the data and rows of the targets."""

    def narrow(context: Context) -> Context:
        x, y, name = context.data
        data = Data(np.ascontiguousarray(x[:count]), np.ascontiguousarray(y[:count]), f"{name}, the first {count}")
        return replace(context, device="cpu", load=lambda: data)

    return narrow


def _running(unit: ResidualUnit, units: int, components: int) -> Callable[[Context], Running]:
    return lambda context: on_data(unit, units, _components(components)(context))


_LINEAR_CLAIM = Claim(
    "1/2 * m^-1 * X[j,u] * X[l,u] * delta[i,k] * dW1(1)[i,j] * dW1(1)[k,l]",
    "m^-1 * X[j,u] * X[l,u] * delta[i,k] * dW1(2)[i,j] * dW1(1)[k,l]"
    " + m^-1 * g[i,u] * X[l,u] * dW1(2)[i,k] * dW1(1)[k,l]",
)
_TANH_CLAIM = Claim(
    "1/2 * m^-1 * tanh(X)[j,u] * tanh(X)[l,u] * delta[i,k] * dW1(1)[i,j] * dW1(1)[k,l]",
    "m^-1 * tanh(X)[j,u] * tanh(X)[l,u] * delta[i,k] * dW1(2)[i,j] * dW1(1)[k,l]"
    " + m^-1 * g[i,u] * tanh'(X)[k,u] * tanh(X)[l,u] * dW1(2)[i,k] * dW1(1)[k,l]",
)


@dataclass(frozen=True, slots=True)
class _Dense:
    running: Running
    eigenvalues: np.ndarray


def _dense_eigenvalues(make: Callable[[Context], Running]) -> Callable[[Context], Computed]:
    """All eigenvalues of the running network's Hessian: its product with every unit vector."""

    def compute(context: Context) -> Computed:
        running = make(context)
        units, d = running.network.units, running.dims["d"]
        count = units * d * d
        basis = np.eye(count).reshape(count, units, d, d)
        image = hvp(running.network, running.weights, {"W1": basis}, running.x, running.y)["W1"]
        dense = np.asarray(image).reshape(count, count)
        return Computed(_Dense(running, np.linalg.eigvalsh((dense + dense.T) / 2)), Scope.of(running.sizes))

    return compute


def _same_extremes(found: _Dense, claim: Claim) -> tuple[Measurement, ...]:
    """Largest, smallest and least modulus from D and A against the dense ones, each against both rounding errors.

    Raises:
        Disagreement: the numbers of negative, zero and positive eigenvalues differ.
    """
    running, values = found.running, found.eigenvalues
    blocks = _blocks(claim, running)
    one = extremes(blocks.diagonal, blocks.below, running.network.units)
    size = float(np.linalg.norm(values))
    dense = gamma(len(values) + running.chain) * max(size, one.greatest_modulus)
    zero = max(dense, one.tolerance)
    counts = tuple(int(np.count_nonzero(c)) for c in (values < -zero, np.abs(values) <= zero, values > zero))
    if counts != (one.negative, one.zero, one.positive):
        raise Disagreement(f"negative, zero, positive: {counts}; claimed {one.negative}, {one.zero}, {one.positive}")
    pairs = (
        ("largest", one.largest, float(values[-1]), one.errors[0]),
        ("smallest", one.smallest, float(values[0]), one.errors[1]),
        ("least modulus", one.smallest_modulus, float(np.min(np.abs(values))), one.errors[2]),
    )
    return tuple(
        Measurement(
            f"|{name} eigenvalue - dense|",
            abs(mine - other),
            error + dense,
            running.sizes,
            running.seed,
            "half the distance of two counts and their rounding error, plus gamma_N |H|_F of the dense solver, N = R p + chain",
        )
        for name, mine, other, error in pairs
    )


def _observed_dense(
    name: str, unit: ResidualUnit, claim: Claim, units: int, components: int, *, deep: bool = False
) -> Argument:
    return Argument(
        f"Extreme eigenvalues against dense ones, {name} network, d = {components}, R = {units}",
        "floating point",
        _dense_eigenvalues(_running(unit, units, components)),
        claim,
        {
            "units do not interact": Claim(claim.diagonal),
            "A without the residual": Claim(claim.diagonal, claim.cross.split(" + ")[0]),
            "D twice as large": Claim(claim.diagonal.replace("1/2", "1"), claim.cross),
        },
        _same_extremes,
        deep=deep,
    )


@dataclass(frozen=True, slots=True)
class _Depths:
    """Extremes at several depths, with |A|, |D - A| and how many singular values are at most |D - A|."""

    running: Running
    found: Mapping[int, Extremes]
    norms: tuple[float, float]
    small: Mapping[int, int]


def _at_depths(
    unit: ResidualUnit, claim: Claim, components: int, depths: Sequence[int]
) -> Callable[[Context], Computed]:
    def compute(context: Context) -> Computed:
        running = _running(unit, 2, components)(context)
        one = _blocks(claim, running)
        d, a = one.diagonal, one.below
        norms = tuple(float(np.linalg.norm(m, 2)) for m in (a, d - a))
        found = {units: extremes(d, a, units) for units in depths}
        edge = norms[1] * (1.0 + 1e-9)
        small = {u: count_below(d, a, u, edge)[0] - count_below(d, a, u, -edge)[0] for u in depths}
        sizes = f"n=1, R={', '.join(map(str, depths))}, d={components}; {running.data}"
        return Computed(_Depths(running, found, (norms[0], norms[1]), small), Scope.of(sizes))

    return compute


_Law = tuple[Callable[[int], int], Callable[[int], int]]
"""The factors of |A| / |D - A| and of p, as functions of R."""


def _half(units: int) -> int:
    return units // 2


def _obeys(found: _Depths, claim: _Law) -> tuple[Measurement, ...]:
    """The bound over the condition number, taken from below, and p share(R) over the count: at most 1."""
    condition, share = claim
    p = found.running.dims["d"] ** 2
    measured: list[Measurement] = []
    for units, one in found.found.items():
        at = f"R={units}, d={found.running.dims['d']}; {found.running.data}"
        # Eigenvalues that count as zero could only make it greater.
        kappa = (one.greatest_modulus - max(one.errors[:2])) / (one.smallest_modulus + one.errors[2])
        bound = condition(units) * found.norms[0] / found.norms[1]
        shown = f"cond(H_R) at least {kappa:.6g} by counts on both sides of the extreme eigenvalues, bound {bound:.6g}"
        many = f"{found.small[units]} singular values at most |D - A|"
        seed = found.running.seed
        measured += [
            Measurement("bound / cond(H_R)", bound / kappa, 1.0, at, seed, shown),
            Measurement("p floor(R/2) / their number", p * share(units) / found.small[units], 1.0, at, seed, many),
        ]
    return tuple(measured)


def _observed_law(
    name: str, unit: ResidualUnit, claim: Claim, components: int, depths: Sequence[int], *, deep: bool = False
) -> Argument:
    return Argument(
        f"The condition number and its lower bound, {name} network, d = {components}, R = {depths[0]} to {depths[-1]}",
        "floating point",
        _at_depths(unit, claim, components, depths),
        (_half, _half),
        {
            "the cube of R": (lambda units: units**3, _half),
            "all singular values are small": (_half, lambda units: units),
        },
        _obeys,
        deep=deep,
    )


_DEPTHS = (10, 100, 10**3, 10**4, 10**5, 10**6)

GEN_3 = Statement(
    id="GEN-3",
    title="The condition number grows at least like R when units interact",
    source=None,
    sentence="If A != 0 then cond(H_R) >= floor(R/2) |A| / |D - A|, infinite where D = A and R >= 2; and at least p "
    "floor(R/2) singular values of H_R are at most |D - A|, so the quotient of the greatest and the 10th percentile "
    "explodes too. For linear units with n = 1, d >= 2, R >= 2 and X != 0, cond(H_R) >= R lambda_max(S) / sigma_min(S - T). "
    "All of it holds on the complement of the common kernel of D, A and A^T.",
    latex=r"\operatorname{cond}(H_R) \ge \left\lfloor \tfrac R2 \right\rfloor \frac{\|A\|_2}{\|D - A\|_2}, \qquad "
    r"\operatorname{cond}(H_R) \ge \frac{R\, \lambda_{\max}(S)}{\sigma_{\min}(S - T)} \quad (\text{linear},\ d \ge 2)",
    uses=("GEN-1",),
    arguments=(
        CORNER,
        PAIRS,
        _COURANT,
        _INTERLACING,
        LINEAR_VECTORS,
        GENERAL_INSTANCES,
        LINEAR_INSTANCES,
        SMALL_INSTANCES,
        KERNEL,
    ),
    evidence=(
        _observed_law("tanh", TANH, _TANH_CLAIM, 3, _DEPTHS),
        _observed_law("linear", LINEAR, _LINEAR_CLAIM, 3, _DEPTHS),
        _observed_law("tanh", TANH, _TANH_CLAIM, 10, _DEPTHS, deep=True),
        _observed_law("linear", LINEAR, _LINEAR_CLAIM, 10, _DEPTHS, deep=True),
    ),
    notes="Norms are spectral. The bounds need no data: D and A may come from any residual unit and loss.",
)


# GEN-4: one p x p problem for every depth.


def _differences(_: Context) -> Computed:
    shown = r"(H v)_r - (H v)_{r+1} = (D - A)\,v_r - (D - A^{\mathsf T})\,v_{r+1}"
    return Computed(toeplitz.row_differences(), Scope.all(EVERY), shown)


def _transfer(first: Any, second: Any) -> dict[str, Any]:
    return {**_NOTHING, "s = r": first, "s = r + 1": second}


TRANSFER = Argument(
    "Adjacent block rows of (H_R - z) v = 0",
    "identity",
    _differences,
    _transfer(_D - _A - _Z, -(_D - _AT - _Z)),
    {
        "A and its transpose exchanged": _transfer(_D - _AT - _Z, -(_D - _A - _Z)),
        "without the shift": _transfer(_D - _A, -(_D - _AT)),
        "D + A": _transfer(_D + _A - _Z, -(_D + _AT - _Z)),
    },
    _same_expressions,
    explanation="So H_R v = z v exactly when (D - A^T - z) v_{r+1} = (D - A - z) v_r for r < R and the first row holds, "
    "(D - z) v_1 + A^T (v_2 + ... + v_R) = 0: subtracting rows is invertible. Nothing is inverted, so it covers z in "
    "spec(D - A). For other z it is [D - z + A^T sum_k Z^k] v_1 = 0 with Z = (D - A^T - z)^-1 (D - A - z).",
)


def _congruence(_: Context) -> Computed:
    return Computed(
        toeplitz.congruent_blocks(),
        Scope.all(EVERY),
        r"T^{\mathsf T}(H_R - z)\,T = \operatorname{tridiag}(-E,\; E + E^{\mathsf T},\; -E^{\mathsf T}),\quad E = D - A - z",
    )


_E, _ET = _D - _A - _Z, _D - _AT - _Z
_TRIDIAGONAL = {"far": sympy.Integer(0), "diagonal": _E + _ET, "left": -_E, "right": -_ET, "last": _D - _Z}

CONGRUENCE = Argument(
    "T^T (H_R - z) T is block tridiagonal for T = I less the shift",
    "identity",
    _congruence,
    _TRIDIAGONAL,
    {
        "the last block is like the others": {**_TRIDIAGONAL, "last": _E + _ET},
        "E and its transpose exchanged": {**_TRIDIAGONAL, "left": -_ET, "right": -_E},
        "half the diagonal": {**_TRIDIAGONAL, "diagonal": (_E + _ET) / 2},
    },
    _same_expressions,
    explanation="T is unit bidiagonal, so inertia and determinant stay. Columns e_r - e_{r+1}, and e_R.",
)


def _split(_: Context) -> Computed:
    shown = r"H_R = I \otimes F + 1 1^{\mathsf T} \otimes W - \Sigma \otimes K,\quad A = W - K,\; F = D - W,\; \Sigma_{rs} = \operatorname{sign}(r - s)"
    return Computed(toeplitz.split_blocks(), Scope.all(EVERY), shown)


SPLIT = Argument(
    "The symmetric and skew parts of A",
    "identity",
    _split,
    {"diagonal": _D, "below": _A, "above": _AT},
    {
        "A and its transpose exchanged": {"diagonal": _D, "below": _AT, "above": _A},
        "A symmetric": {"diagonal": _D, "below": (_A + _AT) / 2, "above": (_A + _AT) / 2},
        "D - A on the diagonal": {"diagonal": _D - _A, "below": _A, "above": _AT},
    },
    _same_expressions,
)


def _merged(_: Context) -> Computed:
    shown = r"C_1 = F - z,\quad Q = C_a + C_b,\quad C_{a+b} = C_a - (C_a - K)\,Q^{-1}(C_a + K)"
    return Computed(toeplitz.merged(), Scope.all(EVERY), shown)


_CA, _CB, _K, _Q = toeplitz.CA, toeplitz.CB, toeplitz.K, toeplitz.Q


def _merge_claim(joint: Any, eliminated: Any) -> dict[str, Any]:
    return {"joint": joint, "right": _K - _CA, "left": -(_K + _CA), "eliminated": eliminated}


_SCHUR = _CA - (_CA - _K) * _Q**-1 * (_CA + _K)

MERGE = Argument(
    "Two stretches of units become one: the sum of the second is eliminated",
    "identity",
    _merged,
    _merge_claim(_CA + _CB, _SCHUR),
    {
        "W at the joint": _merge_claim(_CA + _CB + toeplitz.W, _SCHUR),
        "without K": _merge_claim(_CA + _CB, _CA - _CA * _Q**-1 * _CA),
        "C_b in the last factor": _merge_claim(_CA + _CB, _CA - (_CA - _K) * _Q**-1 * (_CB + _K)),
        "the other sign": _merge_claim(_CA + _CB, _CA + (_CA - _K) * _Q**-1 * (_CA + _K)),
    },
    _same_expressions,
    explanation="By induction: a stretch of a units is congruent to its joints and W + C_a in the sum of its v_r, with unit "
    "triangular changes of basis. All blocks between two stretches are A below and A^T above, so they meet in their sums "
    "alone. One unit has no joint and C_1 = F - z, since D = W + F. So inertia(H_R - z) is that of W + C_R and of the R - 1 "
    "joints, and the determinants multiply; stretches of one length are alike, so log2 R doublings do.",
)


@dataclass(frozen=True, slots=True)
class _Shifted:
    """Determinant and inertia of an exact Hessian at a rational shift, with D and A."""

    name: str
    units: int
    shift: Fraction
    diagonal: Matrix
    below: Matrix
    determinant: Fraction
    inertia: Inertia


_SPECTRAL_CASES: tuple[tuple[str, ResidualUnit, Instance, tuple[int, ...]], ...] = (
    ("d=1, T=3S", LINEAR, Instance([[1]], [[3]]), (1, 2, 5)),
    ("d=2, m=2", LINEAR, _GENERAL, (1, 2, 3)),
    ("d=2, m=1", LINEAR, Instance([[1], [2]], [[3], [-1]]), (3,)),
    ("d=2, m=2, pre(t)=t+2t^2, post(t)=2t+t^2", _NONLINEAR, _GENERAL, (2, 3)),
)


def _determinants(_: Context) -> Computed:
    """det(H_R - z) at one point more than its degree, so that equality means equal characteristic polynomials."""
    found: list[_Shifted] = []
    for name, unit, data, depths in _SPECTRAL_CASES:
        diagonal, below = _pair(unit, data)
        for units in depths:
            h = _dense(unit, units, data)
            for k in range(len(h) + 1):
                shift = Fraction(2 * k - len(h), 7) + Fraction(1, 97)
                moved = add(h, scale(-shift, eye(len(h))))
                found.append(_Shifted(name, units, shift, diagonal, below, determinant(moved), inertia(moved)))
    sizes = dict.fromkeys(f"n=1, {one.name}, R={one.units}" for one in found)
    return Computed(found, Scope.of(*sizes), r"\det(H_R - z) = \det(W + C_R) \prod_{\text{joints}} \det Q")


@dataclass(frozen=True, slots=True)
class _Recipe:
    """A way to take H_R - z apart: the merge, halving or one unit at a time, and whether W is put in."""

    step: toeplitz.Merge = toeplitz.merge
    halves: bool = True
    factor: int = 1


def _taken_apart(found: Sequence[_Shifted], recipe: _Recipe) -> None:
    for one in found:
        parts = toeplitz.stretches(
            one.diagonal, one.below, one.units, one.shift, step=recipe.step, halves=recipe.halves
        )
        at = f"{one.name}, R={one.units}, z={one.shift}"
        if parts.determinant * recipe.factor != one.determinant:
            raise Disagreement(f"{at}: determinant {one.determinant}; claimed {parts.determinant * recipe.factor}")
        if parts.inertia != one.inertia:
            raise Disagreement(f"{at}: {one.inertia}; claimed {parts.inertia}")


def _without_k(a: Matrix, b: Matrix, k: Matrix) -> tuple[Matrix, Matrix]:
    return toeplitz.merge(a, b, scale(0, k))


def _half_joint(a: Matrix, b: Matrix, k: Matrix) -> tuple[Matrix, Matrix]:
    joint, both = toeplitz.merge(a, b, k)
    return scale(Fraction(1, 2), joint), both


def _twice_k(a: Matrix, b: Matrix, k: Matrix) -> tuple[Matrix, Matrix]:
    return toeplitz.merge(a, b, scale(2, k))


_APART = {
    "without K": _Recipe(_without_k),
    "twice K": _Recipe(_twice_k),
    "half the joint": _Recipe(_half_joint),
    "the other sign": _Recipe(factor=-1),
}


def _repeated(_: Context) -> Computed:
    """Exact spectra that meet spec(D - A): d = 1, and S = I/2, M = I/10 with d = 2."""
    found = {}
    for units in (2, 3, 4):
        found["d=1", units] = exact_spectrum(LINEAR, units, Instance([[1]], [[Fraction(3, 2)]]))
        found["d=2", units] = exact_spectrum(LINEAR, units, _multiple(Fraction(1, 10)))
    sizes = [f"n=1, {name}, R={units}" for name, units in found]
    shown = r"d = 1:\; D - A \text{ is an eigenvalue } R - 1 \text{ times, } D + (R - 1) A \text{ once}"
    return Computed(found, Scope.of(*sizes), shown)


def _repeated_claim(copies: Callable[[int], int]) -> dict[tuple[str, int], dict[Fraction, int]]:
    """d = 1: D = 1, A = 1/2. d = 2: F = -+M on symmetric and skew-symmetric matrices, 3 and 1 dimensions."""
    small, half, found = Fraction(1, 10), Fraction(1, 2), {}
    for units in (2, 3, 4):
        many = copies(units)
        found["d=1", units] = {half: many, 1 + (units - 1) * half: units - many}
        found["d=2", units] = dict(
            sorted(
                {
                    -small: 3 * many,
                    small: many,
                    -small + units * (half + small): 3 * (units - many),
                    small + units * (half - small): units - many,
                }.items()
            )
        )
    return found


def _positive(claim: Mapping[Any, Mapping[Fraction, int]]) -> dict[Any, dict[Fraction, int]]:
    return {at: {value: count for value, count in one.items() if count} for at, one in claim.items()}


GEN_4 = Statement(
    id="GEN-4",
    title="The spectrum at any depth from matrices of the size of one unit",
    source=None,
    sentence="H_R v = z v exactly when (D - A^T - z) v_{r+1} = (D - A - z) v_r for all r < R and (D - z) v_1 + A^T (v_2 + "
    "... + v_R) = 0; eigenvalues in spec(D - A) are covered, nothing being inverted. With A = W - K, F = D - W, C_1 = F - z "
    "and C_{a+b} = C_a - (C_a - K)(C_a + C_b)^{-1}(C_a + K), det(H_R - z) is the product of the determinants of W + C_R and of "
    "the R - 1 joints C_a + C_b, as rational functions of z, and where no joint is singular its inertia is theirs together.",
    latex=r"\det(H_R - z) = \det(W + C_R) \prod \det(C_a + C_b), \qquad "
    r"C_{2a} = \tfrac12\left(C_a + K\, C_a^{-1} K\right), \quad C_1 = F - z",
    uses=("GEN-1",),
    arguments=(
        TRANSFER,
        CONGRUENCE,
        SPLIT,
        MERGE,
        Argument(
            "Characteristic polynomials and inertia of exact Hessians, stretches halved",
            "explicit",
            _determinants,
            _Recipe(),
            _APART,
            _taken_apart,
            explanation="det(H_R - z) at R p + 1 rational shifts, so as polynomials; and inertia at each of them.",
        ),
        Argument(
            "The same, one unit added at a time",
            "explicit",
            _determinants,
            _Recipe(halves=False),
            {name: replace(recipe, halves=False) for name, recipe in _APART.items()},
            _taken_apart,
        ),
        Argument(
            "Eigenvalues of H_R in spec(D - A), with multiplicities",
            "explicit",
            _repeated,
            _repeated_claim(lambda units: units - 1),
            {
                "R of them": _positive(_repeated_claim(lambda units: units)),
                "R - 2 of them": _positive(_repeated_claim(lambda units: units - 2)),
                "one of them, whatever R": _repeated_claim(lambda units: 1),
            },
            explanation="d = 1, S = 1, T = 3/2; and d = 2, S = I/2, M = I/10, where K = 0.",
        ),
    ),
    evidence=(
        _observed_dense("tanh", TANH, _TANH_CLAIM, 8, 4),
        _observed_dense("linear", LINEAR, _LINEAR_CLAIM, 8, 4),
        _observed_dense("tanh", TANH, _TANH_CLAIM, 8, 10, deep=True),
        _observed_dense("linear", LINEAR, _LINEAR_CLAIM, 8, 10, deep=True),
    ),
    notes="Where a joint is singular the count is taken at a neighbouring shift. Counting costs O(p^3 log R).",
)


# What the paper says after Theorem 2.


@dataclass(frozen=True, slots=True)
class _Scalar:
    """A network of width one with one sample."""

    x: Fraction
    y: Fraction
    pre: Activation = identity_activation
    mid: Activation = identity_activation
    post: Activation = identity_activation

    @property
    def data(self) -> Instance:
        return Instance([[self.x]], [[self.y]])


_FLAT = _Scalar(Fraction(1), Fraction(2))


def _show_scalar(one: _Scalar) -> str:
    return f"n = 1, d = 1, m = 1, x = {one.x}, y = {one.y}, identity activations"


def _condition_by_depth(_: Context) -> Computed:
    """The square of the condition number for R = 1..6."""
    found = [toeplitz.squared_condition(_dense(LINEAR, units, _FLAT.data)) for units in range(1, 7)]
    values = tuple(one.low for one in found if one is not None and one.low == one.high)
    return Computed(values, Scope.of(*(f"n=1, d=1, m=1, x=1, y=2, R={units}" for units in range(1, 7))), r"H_R = I_R")


def _behaves(found: Sequence[Fraction], claim: Callable[[Sequence[Fraction]], bool]) -> None:
    if len(found) != 6 or not claim(found):
        raise Disagreement(f"cond(H_R)^2 for R = 1..6: {', '.join(map(str, found))}")


def _flat_block(_: Context) -> Computed:
    """D and A at d = 1 from the form in index notation, at x = 1, y = 2."""
    form = hessian_form(LINEAR, squared)
    entries = hessian_entries(LINEAR, squared, thaw(form.diagonal), thaw(form.cross), 2, {"d": 1}, 1)
    point = {"x_1_1": _FLAT.x, "y_1_1": _FLAT.y}
    d, a = (
        sum((c * _power(m, point) for m, c in entries.get(place, {}).items()), Fraction(0))
        for place in ((0, 0), (0, 1))
    )
    return Computed((d, a), Scope.of("n=1, d=1, m=1, x=1, y=2, every R"), r"D = S = 1,\quad A = 2S - T = 0")


def _power(monomial: Sequence[tuple[str, int]], point: Mapping[str, Fraction]) -> Fraction:
    value = Fraction(1)
    for name, power in monomial:
        value *= point[name] ** power
    return value


def _grows(found: tuple[Fraction, Fraction], claim: bool) -> None:
    """At d = 1 the eigenvalues are D - A and D + (R - 1) A: for D != 0 unbounded quotients need A != 0.

    Raises:
        Disagreement: their quotients are unbounded against the claim, or bounded against it.
    """
    d, a = found
    if d == 0 or (a != 0) is not claim:
        raise Disagreement(
            f"D = {d}, A = {a}: the eigenvalues D - A and D + (R - 1) A are {'not ' * (a == 0)}unbounded"
        )


# A != 0 for every nonlinear unit of width at least two.


def _entries_of_a(_: Context) -> Computed:
    """A_{(i,j),(k,l)} for generic activations: the later weight's entry i, j and the earlier one's k, l."""
    found = thaw(hessian_block(generic_unit(1), squared, ("W1", 2), ("W1", 1)))
    shown = r"A_{(ij),(kl)} = k_1^2 \left(\delta_{ik}\, \mathbb E[p_j p_l] + \delta_{jk}\, \mathbb E[g_i\, p'_j\, p_l]\right)"
    return Computed(found, every_size(generic_unit(1)), shown)


def _same_entries(found: Sum, claim: str) -> None:
    free = {"i": -1, "j": -2, "k": -4, "l": -5}
    if found != parse(claim, vocabulary(generic_unit(1), squared), free):
        raise Disagreement(f"computed {show(found)}; claimed {claim}")


_PP = "m^-1 * post'(0)^2 * pre(X)[j,u] * pre(X)[l,u]"
_GP = "m^-1 * post'(0)^2 * g[i,u] * pre'(X)[j,u] * pre(X)[l,u]"

ENTRIES = Argument(
    "The entries of A for generic activations",
    "index notation",
    _entries_of_a,
    f"{_PP} * delta[i,k] + {_GP} * delta[j,k]",
    {
        "no residual": f"{_PP} * delta[i,k]",
        "no covariance": f"{_GP} * delta[j,k]",
        "the residual in every entry": f"{_PP} * delta[i,k] + {_GP} * delta[i,k]",
    },
    _same_entries,
    explanation="For i = k different from j = l, which needs d >= 2, the entry is post'(0)^2 E[p_j^2]. So A != 0 as soon as "
    "post'(0) != 0 and some row j of pre(X) is not zero.",
)


def _entry_of_a(_: Context) -> Computed:
    """The entry (i, j) = (k, l) = (1, 2) of A, d = 2, from exact Hessians with symbolic data."""
    found = {}
    for samples in (1, 2):
        at = size(2, samples, d=2)
        found[str(at)] = show_plain(explicit_entries(generic_unit(1), squared, at)[2, 6])
    return Computed(found, Scope.of(*(f"n=1, {at}" for at in found)))


def _entry_claim(text: str) -> dict[str, str]:
    one = f"post'(0)^2*pre({text}_1)^2"
    return {"R=2, d=2, m=1": one, "R=2, d=2, m=2": f"1/2*{one} + 1/2*post'(0)^2*pre({text}_2)^2"}


ENTRY = Argument(
    "One entry of A in small networks",
    "explicit",
    _entry_of_a,
    _entry_claim("x_2"),
    {"another row of the data": _entry_claim("x_1"), "zero": dict.fromkeys(_entry_claim("x_2"), "0")},
)


def _blocks_without_a(_: Context) -> Computed:
    found = {
        name: one.subs({_A: 0, _AT: 0, _Z: 0})
        for name, one in toeplitz.order_types(lambda r, s: toeplitz.block(s, r)).items()
    }
    return Computed(found, Scope.all(EVERY), r"A = 0:\quad H_R = I \otimes D")


_DIAGONAL = {**_NOTHING, "s = r": _D, "s = r + 1": sympy.Integer(0)}

FLAT = Argument(
    "Without A the units do not interact",
    "identity",
    _blocks_without_a,
    _DIAGONAL,
    {
        "D between adjacent units": {**_DIAGONAL, "s = r + 1": _D},
        "no Hessian": {**_DIAGONAL, "s = r": sympy.Integer(0)},
    },
    _same_expressions,
    explanation="So the eigenvalues are those of D, R times each, and their quotients do not depend on R.",
)


def _row_sums(_: Context) -> Computed:
    """The absolute row sums of the last block row at R = 1..4, with those of D and A."""
    found: list[tuple[str, int, Any, Any, Any]] = []
    for name, unit, data in (
        ("d=1, T=3S", LINEAR, Instance([[1]], [[3]])),
        ("d=2, m=2", LINEAR, _GENERAL),
        ("d=2, m=2, pre(t)=t+2t^2, post(t)=2t+t^2", _NONLINEAR, _GENERAL),
    ):
        diagonal, below = (toeplitz.absolute_row_sums(block) for block in _pair(unit, data))
        for units in (1, 2, 3, 4):
            whole = toeplitz.absolute_row_sums(_dense(unit, units, data))[-len(below) :]
            found.append((f"{name}, R={units}", units, whole, diagonal, below))
    shown = r"\sum_s |(H_R)_{Rs}| = |D| + (R - 1)\,|A|"
    return Computed(found, Scope.of(*(f"n=1, {one[0]}" for one in found)), shown)


def _grow_like(found: Sequence[Any], slope: Callable[[int], Fraction | int]) -> None:
    for name, units, whole, diagonal, below in found:
        claimed = tuple(d + slope(units) * a for d, a in zip(diagonal, below, strict=True))
        if whole != claimed:
            raise Disagreement(f"{name}: sums {', '.join(map(str, whole))}; claimed {', '.join(map(str, claimed))}")


GRAY = Argument(
    "The hypothesis of Gray's theorems: absolutely summable entries",
    "explicit",
    _row_sums,
    lambda units: units - 1,
    {
        "bounded, as those theorems need": lambda units: min(units - 1, 1),
        "decaying geometrically": lambda units: 2 - 2 * Fraction(1, 2) ** (units - 1),
    },
    _grow_like,
    explanation="The last block row holds D once and A in all R - 1 other places, so the sums of moduli of its entries grow "
    "like R unless A = 0: the sequence of entries is not absolutely summable and the theorems do not apply.",
)

T2_3X = Statement(
    id="DR-T2.3x",
    title="For n = 1 the condition number explodes with depth",
    subject="n_shortcut",
    source=source("A", "after Theorem 2", "its condition number tends to explode as the number of layers increase"),
    sentence="For n = 1 the condition number of the Hessian at zero tends to infinity as R grows, by Gray's theory of "
    "Toeplitz matrices.",
    latex=r"n = 1:\quad \operatorname{cond}(H_R) \to \infty \quad (R \to \infty)",
    hypotheses=(
        FLAT_AT_ZERO,
        Hypothesis("X != 0", lambda one: one.x != 0),
        Hypothesis("the derivatives of pre, mid and post at 0 exist", lambda one: _smooth(one)),
    ),
    uses=("GEN-1", "GEN-3", "DR-T2.3"),
    counterexample=Counterexample(
        instance=_FLAT,
        sentence="The smallest sizes there are, d = m = 1. With T = 2S the units do not interact, A = 0, and H_R = S I has "
        "condition number 1 at every depth.",
        latex=r"d = 1,\; T = 2S:\quad A = 2S - T = 0, \qquad H_R = S\, I_R, \qquad \operatorname{cond}(H_R) = 1",
        show=_show_scalar,
        routes=(
            Argument(
                "Exact Hessians of one to six units",
                "explicit",
                _condition_by_depth,
                lambda values: set(values) == {Fraction(1)},
                {
                    PRINTED: lambda values: all(x < y for x, y in pairwise(values)),
                    "grows from some depth on": lambda values: values[-1] > values[0],
                },
                _behaves,
            ),
            Argument(
                "D and A from the form in index notation",
                "index notation",
                _flat_block,
                False,
                {PRINTED: True},
                _grows,
                explanation="At d = 1 the eigenvalues of H_R are D - A, R - 1 times, and D + (R - 1) A.",
            ),
        ),
    ),
    repair=Repair(
        sentence="For n = 1, on the complement of the common kernel of D, A and A^T, cond(H_R) tends to infinity if and only "
        "if A != 0; for A = 0 it does not depend on R. A != 0 whenever d >= 2, the loss is squared, post'(0) != 0 and "
        "pre(X) != 0; for d = 1 and linear units A = 2S - T.",
        latex=r"A \ne 0 \iff \operatorname{cond}(H_R) \to \infty; \qquad "
        r"d \ge 2,\; \sigma_{\mathrm{post}}'(0) \ne 0,\; \sigma_{\mathrm{pre}}(X) \ne 0 \implies A \ne 0",
        arguments=(CORNER, PAIRS, _COURANT, _INTERLACING, FLAT, ENTRIES, ENTRY, GENERAL_INSTANCES, KERNEL, GRAY),
        adds="It needs A != 0, which fails for d = 1, T = 2S; and it follows from GEN-3, not from theorems on absolutely "
        "summable entries, which these are not.",
    ),
    evidence=(_observed_law("tanh", TANH, _TANH_CLAIM, 4, (10, 10**3, 10**6)),),
)


def _smooth(one: _Scalar) -> bool:
    return all(activation.degree is not None for activation in (one.pre, one.mid, one.post))


STATEMENTS = (T2_3X, GEN_3, GEN_4)
