"""Demystifying ResNet, Theorem 1: deep residual networks that fit their data with small weights.

X and Y have m unit columns in R^d, all 2m of them at least rho apart. Lemma 1 gives a unit that moves one column,
Lemma 2 a path along which it can move past all others, Theorem 1 a network of R units. Where the document uses d for
the length of a step, delta stands here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from resproof.architectures.catalogue import biased
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.backend import device, largest_modulus
from resproof.numeric.rounding import LEAST, gamma
from resproof.proofs.demystifying_resnet.documents import source
from resproof.proofs.demystifying_resnet.moving_columns import (
    Bound,
    Choice,
    Column,
    Jump,
    LabelClaim,
    PathClaim,
    Spread,
    apply_exact,
    caps,
    exact_unit,
    few_units,
    implies_order,
    labellings,
    labels_differ_up_to,
    many_units,
    moves_apart,
    moves_one_column,
    moves_several_columns,
    moving_unit,
    on_sphere,
    orientation,
    path_exists,
    reached,
    squared_distance,
    squared_norms,
    turned,
    turning,
    within_bound,
)
from resproof.proofs.demystifying_resnet.moving_network import (
    POINT_ROUNDINGS,
    NetworkRun,
    Plan,
    fitted_slope,
    norm_bound,
    norm_spread,
    output_bound,
    plan,
    run,
)
from resproof.proofs.demystifying_resnet.sphere import (
    LEAST_RHO,
    Path,
    Picture,
    length_bound,
    minimum_distance,
    picture,
    shortest_path,
)
from resproof.proofs.routes.certificates import certified
from resproof.proofs.routes.predicates import at_most, matches, property_of
from resproof.proofs.statement import (
    PRINTED,
    Argument,
    Clause,
    Computed,
    Context,
    Disagreement,
    Erratum,
    Hypothesis,
    Measurement,
    Statement,
    Unsuited,
)
from resproof.symbolic.algebra.matrices import matrix, rank
from resproof.symbolic.scope import Scope


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of X and of Y, exactly."""

    x: tuple[Column, ...]
    y: tuple[Column, ...]

    @property
    def rho_squared(self) -> Fraction:
        """The squared least distance of all columns."""
        return _least_squared_distance((*self.x, *self.y))


def _least_squared_distance(columns: Sequence[Column]) -> Fraction:
    return min(squared_distance(a, b) for i, a in enumerate(columns) for b in columns[:i])


def _column(*numerators: int, over: int = 1) -> Column:
    return tuple(Fraction(n, over) for n in numerators)


_NARROW = Columns((_column(1, 0),), (_column(3, 4, over=5),))
UNIT_COLUMNS = Hypothesis(
    "all columns are unit vectors",
    lambda one: all(squared_distance(c, (Fraction(0),) * len(c)) == 1 for c in (*one.x, *one.y)),
    Columns((_column(1, 0, 0),), (_column(0, 2, 0),)),
    holds_on=_NARROW,
    quote="for every 1 <= mu <= m, |x^mu|_2 = 1, y^mu in {e_1, ..., e_dy}",
    where="Assumption 1",
)
APART = Hypothesis(
    r"all of them are at least $\rho > 0$ apart",
    lambda one: one.rho_squared > 0,
    Columns((_column(1, 0, 0),), (_column(1, 0, 0),)),
    holds_on=_NARROW,
    quote="There exists a minimum distance rho between all the sample points and all the labels",
    where="Assumption 2",
)
WIDE = Hypothesis(
    r"$d \ge 3$",
    lambda one: len(one.x[0]) >= 3,
    _NARROW,
    holds_on=Columns((_column(1, 0, 0),), (_column(1, 0, 0),)),
    quote="Given that d_x >= 3",
    where="Lemma 2",
)
_OF_LEMMA_1 = (
    replace(UNIT_COLUMNS, quote="a_1, ..., a_i, ..., a_m and a'_i are unit vectors", where="Lemma 1"),
    replace(
        APART,
        sentence=r"the columns of $A$ are at least $\rho/2 > 0$ apart",
        predicate=lambda one: len({*one.x}) == len(one.x),
        fails_on=Columns((_column(1, 0),) * 2, _NARROW.y * 2),
        quote="d_min(A), d_min(A) >= rho/2",
        where="Lemma 1",
    ),
)
ANY_COLUMNS = {"d": 1, "m": 1}
"""The least values of the sizes that Lemma 1 speaks of."""
WIDE_COLUMNS = {"d": 3, "m": 1}
WIDE_NETWORK = {"R": 1, **WIDE_COLUMNS}


# Lemma 1.


class _Sized(Protocol):
    """What an engine found, and which sizes it left free."""

    @property
    def sizes(self) -> Scope: ...


def _sized(engine: Callable[[], _Sized], shown: str) -> Callable[[Context], Computed]:
    """What an engine finds, for the sizes that it left free."""

    def compute(_: Context) -> Computed:
        found = engine()
        return Computed(found, found.sizes, shown)

    return compute


_LEMMA_1 = Choice(
    s=lambda q, rho: q / rho,
    t=lambda q, rho: 8 / (q * rho),
    beta=lambda q, rho: rho**2 / 8 - 1,
    norm=lambda q, rho: q**2 / rho**2,
)
"""q = sqrt(8 delta), so sqrt(8/delta) = 8/q."""


class _Moved(NamedTuple):
    """What one exact unit did: whether A became A', both squared norms, the arguments of the silent row."""

    arrived: bool
    squared_norms: tuple[Fraction, Fraction]
    least_silence: Fraction


def _both(numerator: int, denominator: int = 1) -> tuple[Fraction, Fraction]:
    return Fraction(numerator, denominator), Fraction(numerator, denominator)


def _move(columns: tuple[Column, ...], target: Column, rho_squared: Fraction, scale: Fraction) -> _Moved:
    unit = exact_unit(columns, {0: target}, rho_squared, scale)
    after = tuple(apply_exact(unit, h) for h in columns)
    row = unit.first[0]
    silent = [sum(a * b for a, b in zip(row, h, strict=True)) + unit.bias[0] for h in columns[1:]]
    return _Moved(after == (target, *columns[1:]), squared_norms(unit), -max(silent))


_E1 = _column(1, 0, 0)
_NEAR = _column(49, 64, 8, over=81)  # at the distance 8/9 from e_1
_AWAY = _column(49, -56, -32, over=81)  # as well


_QUARTER = Fraction(16, 9)
_EXACT_MOVES = {
    "d=3, m=3, delta=8/9, a column exactly rho/2 away": (
        ((_E1, _NEAR, _column(-1, 0, 0)), _AWAY, _QUARTER**2, Fraction(8, 3) / _QUARTER),
        _Moved(True, _both(9, 4), Fraction(0)),
    ),
    "d=5, m=2, delta=1/2": (
        (
            (_column(1, 0, 0, 0, 0), _column(0, 1, 0, 0, 0)),
            _column(7, 3, 2, 1, 1, over=8),
            Fraction(1),
            Fraction(2),
        ),
        _Moved(True, _both(4), Fraction(7, 4)),
    ),
    "d=3, m=2, delta=2, to the antipode": (
        ((_E1, _column(0, 1, 0)), _column(-1, 0, 0), Fraction(1), Fraction(4)),
        _Moved(True, _both(16), Fraction(7, 2)),
    ),
    "d=3, m=2, a column only rho/4 away": (
        ((_E1, _NEAR), _AWAY, 4 * _QUARTER**2, Fraction(8, 3) / (2 * _QUARTER)),
        _Moved(False, _both(9, 16), Fraction(-8, 9)),
    ),
}
"""Moves whose s = sqrt(8 delta)/rho is rational: columns, the target of the first one, rho^2 and s; and what is claimed of them."""
_MOVES = {name: moved for name, (_, moved) in _EXACT_MOVES.items()}


def _exact_moves(_: Context) -> Computed:
    """W2 ReLU(W1 A + b 1^T) + A with all matrices written out."""
    found = {name: _move(*case) for name, (case, _) in _EXACT_MOVES.items()}
    return Computed(found, Scope.of(*found))


def _with(name: str, **changed: Any) -> dict[str, _Moved]:
    return {**_MOVES, name: _MOVES[name]._replace(**changed)}


L1 = Statement(
    id="DR-L1",
    title="A unit with small weights that moves one column",
    source=source(
        "A", "Lemma 1, Eq. 11-17", "There exists W^1, W^2 ..., b ... such that W^2 ReLU(W^1 A + b 1) + A = A'"
    ),
    sentence=r"If $A$ and $A'$ have unit columns, differ in column $i$ only, by $\lvert a_i' - a_i\rvert = \delta > 0$, and the "
    r"columns of $A$ are at least $\rho/2$ apart, then a unit with "
    r"$\lvert W_1\rvert_F = \lvert W_2\rvert_F = \sqrt{8 \delta}/\rho$ maps $A$ to $A'$.",
    latex=r"W^2\,\mathrm{ReLU}(W^1 A + b\,\mathbf 1^{\mathsf T}) + A = A', \qquad "
    r"\|W^1\|_F = \|W^2\|_F = \frac{\sqrt{8\delta}}{\rho}, \qquad W^1 = \frac{\sqrt{8\delta}}{\rho}\,e_1 a_i^{\mathsf T}, \quad "
    r"W^2 = \frac{\sqrt{8/\delta}}{\rho}\,(a_i' - a_i)\,e_1^{\mathsf T}, \quad b = \frac{\sqrt{8\delta}}{\rho}\Bigl(\frac{\rho^2}{8} - 1\Bigr)",
    for_all=ANY_COLUMNS,
    hypotheses=_OF_LEMMA_1,
    arguments=(
        Argument(
            "The unit in terms of inner products",
            "inequality",
            _sized(
                moving_unit,
                r"a_i \mapsto a_i + t\,\mathrm{ReLU}\bigl(s(1 + \beta)\bigr)(a_i' - a_i), \qquad "
                r"a_j \mapsto a_j + t\,\mathrm{ReLU}\bigl(s(1 - \tfrac12 |a_i - a_j|^2 + \beta)\bigr)(a_i' - a_i)",
            ),
            _LEMMA_1,
            {
                r"$b = s (\rho^2/4 - 1)$, $W_2$ halved to match": _LEMMA_1._replace(
                    beta=lambda q, rho: rho**2 / 4 - 1, t=lambda q, rho: 4 / (q * rho)
                ),
                r"$b = s (\rho^2/16 - 1)$": _LEMMA_1._replace(beta=lambda q, rho: rho**2 / 16 - 1),
                r"columns only $\rho/4$ apart": _LEMMA_1._replace(apart=Fraction(1, 4)),
                r"columns only $\tfrac{49}{100} \rho$ apart": _LEMMA_1._replace(apart=Fraction(49, 100)),
                r"$W_2$ with $\sqrt{4/\delta}$": _LEMMA_1._replace(t=lambda q, rho: 4 / (q * rho)),
                r"norms $\sqrt{4 \delta}/\rho$": _LEMMA_1._replace(norm=lambda q, rho: q**2 / (2 * rho**2)),
                "$W_1$ doubled, $W_2$ halved, both with the norm of $W_1$": _LEMMA_1._replace(
                    s=lambda q, rho: 2 * q / rho, t=lambda q, rho: 4 / (q * rho), norm=lambda q, rho: 4 * q**2 / rho**2
                ),
                "$W_1$ doubled, $W_2$ halved, both with the norm of $W_2$": _LEMMA_1._replace(
                    s=lambda q, rho: 2 * q / rho,
                    t=lambda q, rho: 4 / (q * rho),
                    norm=lambda q, rho: q**2 / (4 * rho**2),
                ),
                r"$b = -s (\rho^2/8 + 1)$, $W_2$ negated": _LEMMA_1._replace(
                    beta=lambda q, rho: -(rho**2) / 8 - 1, t=lambda q, rho: -8 / (q * rho)
                ),
                "the factors of $W_1$ and $W_2$ exchanged": _LEMMA_1._replace(
                    s=lambda q, rho: 8 / (q * rho), t=lambda q, rho: q / rho
                ),
            },
            certified(moves_one_column),
            explanation=r"$\langle a_i, a_j\rangle = 1 - \lvert a_i - a_j\rvert^2 / 2 \le 1 - \rho^2/8$, so the first row's argument "
            r"is $s \rho^2/8$ at $a_i$ and at most 0 at $a_j$; with $t s \rho^2/8 = 1$ column $i$ goes to $a_i'$. The "
            "other rows meet columns of zeros of $W_2$.",
        ),
        Argument(
            "Units with rational entries, written out",
            "instance",
            _exact_moves,
            _MOVES,
            {
                "the nearest column is moved as well": _with(
                    "d=3, m=3, delta=8/9, a column exactly rho/2 away", arrived=False
                ),
                r"norms $\sqrt{4 \delta}/\rho$": _with("d=5, m=2, delta=1/2", squared_norms=_both(2)),
                r"norms proportional to $\delta$": _with("d=3, m=2, delta=2, to the antipode", squared_norms=_both(64)),
                r"the distance $\rho/4$ is enough": _with("d=3, m=2, a column only rho/4 away", arrived=True),
            },
            explanation="(whether $A$ becomes $A'$, squared norms, minus the greatest argument at another column).",
        ),
    ),
    notes=r"The hypothesis is printed as $d_{\min}(A)$, $d_{\min}(A) \ge \rho/2$; the second $A$ reads $A'$, and is not needed. "
    r"The step's length, printed $d$, is $\delta$ here. $b$ is a multiple of the all-ones vector, of which only the first "
    r"entry matters. For $\delta = 0$ the printed $W_2$ divides by zero; zero weights do, and have the norm "
    r"$\sqrt{8 \delta}/\rho = 0$. At the distance exactly $\rho/2$ the argument of ReLU is exactly zero, in floating "
    "point only up to rounding.",
    kind="algebra",
)


# Lemma 2.


_CAPS = _sized(
    caps,
    r"\sigma^2 = 1 - \bigl(1 - \tfrac12 r^2\bigr)^2 = r^2 - \tfrac14 r^4, \qquad r = \tfrac{\rho}{2}:\ \sigma < \tfrac{\rho}{2}",
)
_LEMMA_2 = PathClaim(radius=lambda v: v)
_WIDER = PathClaim(radius=lambda v: v * (1 + v / 32) ** 2)


def _false_paths(true: PathClaim) -> dict[str, PathClaim]:
    return {
        r"caps of radius $\rho$, detours to match": true._replace(radius=lambda v: 4 * v, detour=Fraction(2)),
        r"caps of radius $\tfrac{3}{5} \rho$, detours to match": true._replace(
            radius=lambda v: 36 * v / 25, detour=Fraction(1)
        ),
        r"caps of radius $\rho/4$": true._replace(radius=lambda v: v / 4),
        r"detours of at most $\tfrac{49}{100} \pi \rho$": true._replace(detour=true.detour * Fraction(49, 50)),
        r"the straight part is at most $\pi/2$": true._replace(straight=true.straight / 2),
        "without the straight part": true._replace(straight=Fraction(0)),
        "one obstacle forgotten": true._replace(forgotten=1),
        "the number of steps rounded down": true._replace(up=-1),
        "$d = 2$ is enough": true._replace(width=2),
        "chords as long as their arcs": true._replace(inside=0),
    }


def _on_a_circle(_: Context) -> Computed:
    """The cyclic orders of three columns of X and of Y, d = 2, all six points distinct."""
    x = (_column(1, 0), _column(3, 4, over=5), _column(-3, 4, over=5))
    y = (_column(4, -3, over=5), _column(0, -1), _column(-4, -3, over=5))
    apart = Columns(x, y).rho_squared != 0
    return Computed((orientation(x), orientation(y), apart), Scope.of("d=2, m=3"))


STEPS = 2000


@dataclass(frozen=True, slots=True)
class Passage:
    """A path past obstacles as columns, where the name says what is special about it."""

    name: str
    path: Path
    obstacles: NDArray[np.float64]
    rho: float

    @property
    def points(self) -> NDArray[np.float64]:
        """Its points after equal steps, as columns."""
        return self.path.points(STEPS)

    @property
    def nearest(self) -> float:
        """The least distance of these points to an obstacle, infinite without one."""
        points = self.points
        distances = (np.linalg.norm(points - p[:, None], axis=0).min() for p in self.obstacles.T)
        return float(min(distances, default=math.inf))

    @property
    def goes_round(self) -> bool:
        """Whether some of its points lie on the boundary of a cap: it follows one for a step or more."""
        step = self.path.length / STEPS
        return any(arc.obstacle is not None and arc.length >= step for arc in self.path.arcs)

    @property
    def astray(self) -> float:
        """How far the first of these points and the last are from the ends of the path."""
        ends = np.array([self.path.start, self.path.end]).T
        return largest_modulus(self.points[:, [0, -1]] - ends)

    @property
    def greatest_step(self) -> float:
        """The greatest distance of two points that follow one another."""
        return largest_modulus(np.linalg.norm(np.diff(self.points, axis=1), axis=0))

    @property
    def bound(self) -> float:
        """The bound of Lemma 2 on its length."""
        return length_bound(self.rho, self.obstacles.shape[1] + 1)


def _passage(name: str, start: Any, end: Any, obstacles: Any) -> Passage:
    begin, finish, others = (_normalised(np.asarray(part, dtype=np.float64).T) for part in (start, end, obstacles))
    rho = minimum_distance(np.concatenate([begin[:, None], finish[:, None], others], axis=1))
    return Passage(name, shortest_path(begin, finish, others, rho), others, rho)


def _normalised(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    return columns / np.linalg.norm(columns, axis=0)


_NONE = np.zeros((0, 3))


def _passages(context: Context) -> Computed:
    rng = np.random.default_rng(context.seed)
    crowded = separated(rng, 3, 24, 0.3)
    found = [
        _passage("$m = 1$", (1, 0, 0), (0, 3, 4), _NONE),
        _passage("antipodal ends, $m = 1$", (1, 0, 0), (-1, 0, 0), _NONE),
        _passage(r"an obstacle head on, exactly $\rho$ from both ends", (1, 0, 0), (0, 1, 0), [(1, 1, 0)]),
        _passage(r"obstacles exactly $\rho$ apart in a row", (1, 0, 0), (-1, 0, 0), _row_of_obstacles(8)),
        _passage("obstacles on the axes, antipodal ends", (1, 0, 0), (-1, 0, 0), [(0, 1, 0), (0, -1, 0), (0, 0, 1)]),
        *(
            _passage(f"random points {k}", crowded[:, k], crowded[:, k + 1], np.delete(crowded, [k, k + 1], axis=1).T)
            for k in range(0, 24, 2)
        ),
    ]
    return Computed(found, Scope.of(f"d=3, m=1, 2, 4, 9, 23; seed {context.seed}"))


def _row_of_obstacles(pieces: int) -> list[tuple[float, float, float]]:
    angles = [math.pi * k / pieces for k in range(1, pieces)]
    return [(math.cos(a), math.sin(a), 0.0) for a in angles]


class _PathBounds(NamedTuple):
    """The length over Lemma 2's bound, the distance to keep over rho, the greatest step over an equal part, the ends."""

    length: float
    distance: float
    step: float = 1.0
    astray: float = 0.0
    """How far its first point and its last are from where it leads."""


def _within_bounds(found: Sequence[Passage], claim: _PathBounds) -> tuple[Measurement, ...]:
    measured = []
    for one in found:
        sizes = f"d={len(one.path.start)}, m={one.obstacles.shape[1] + 1}, rho={one.rho:.3g}"
        bound = claim.length * one.bound
        measured.append(
            Measurement(
                f"length: {one.name}",
                one.path.length,
                bound,
                sizes,
                None,
                r"$\pi (\rho (m - 1)/2 + 1)$, Lemma 2",
                at_most=True,
            )
        )
        step = claim.step * one.path.length / STEPS + 4.0 * gamma(POINT_ROUNDINGS)
        derivation = f"length / {STEPS}, and {POINT_ROUNDINGS} roundings for a point"
        measured.append(
            Measurement(f"greatest step: {one.name}", one.greatest_step, step, sizes, None, derivation, at_most=True)
        )
        derivation = "the first point and the last are the ends themselves"
        measured.append(Measurement(f"ends: {one.name}", abs(one.astray - claim.astray), 0.0, sizes, None, derivation))
        if one.obstacles.size:
            short_of = max(claim.distance * one.rho - one.nearest, 0.0)
            derivation = r"caps wider than $\rho/2$ by the factor $1 + \rho^2/128$"
            measured.append(
                Measurement(rf"distance below $\rho/2$: {one.name}", short_of, 0.0, sizes, None, derivation)
            )
        if one.goes_round:
            radius = claim.distance * one.rho * (1.0 + one.rho**2 / 128.0)
            derivation = rf"{POINT_ROUNDINGS} roundings of the height of a cap, $1 - r^2/2$, over its radius $r$"
            measured.append(
                Measurement(
                    rf"$\lvert\text{{least distance}} - r\rvert$: {one.name}",
                    abs(one.nearest - radius),
                    4.0 * gamma(POINT_ROUNDINGS) / one.rho,
                    sizes,
                    None,
                    derivation,
                    scale=radius,
                )
            )
    return tuple(measured)


L2 = Statement(
    id="DR-L2",
    title=r"Paths that keep the columns $\rho/2$ apart",
    source=source("A", "Lemma 2, Eq. 18, 19", "there exists a sequence of matrix X_0, X_1, ..., X_s"),
    sentence=r"For $d \ge 3$ and $\delta > 0$ there are $X = X_0, \ldots, X_s = Y$ with unit columns at least $\rho/2$ apart, each "
    r"differing from the one before in one column by less than $\delta$, with "
    r"$s = m \lceil (\rho (m-1)/2 + 1) \pi / \delta\rceil$.",
    latex=r"s = m \left\lceil \frac{\bigl(\frac{\rho(m-1)}{2} + 1\bigr)\pi}{\delta} \right\rceil",
    for_all=WIDE_COLUMNS,
    hypotheses=(UNIT_COLUMNS, APART, WIDE),
    arguments=(
        Argument(
            "A path past the other columns and its length",
            "inequality",
            _CAPS,
            _LEMMA_2,
            _false_paths(_LEMMA_2),
            certified(path_exists),
            explanation="Column $i$ moves on the minor arc (any half circle between antipodes) and follows the boundary of the cap "
            r"$\lvert z - p\rvert \le \rho/2$ round each other column $p$. The caps are disjoint and hold neither end; "
            r"the arc meets a cap in one arc, whose ends are joined on the boundary, a sphere of dimension $d - 2 \ge 1$ "
            r"and radius $\sigma$, over at most $\pi \sigma < \pi \rho/2$. So the path is at most "
            r"$\pi + (m-1) \pi \rho/2$ long; in equal pieces of at most $\delta$ its chords are shorter than $\delta$.",
        ),
        Argument(
            "The slightly wider caps of the running network",
            "inequality",
            _CAPS,
            _WIDER,
            {
                r"wider by the factor $1 + \rho^2/8$": PathClaim(radius=lambda v: v * (1 + v / 2) ** 2),
                r"narrower by the factor $1 - \rho^2/128$": PathClaim(radius=lambda v: v * (1 - v / 32) ** 2),
                **_false_paths(_WIDER),
            },
            certified(path_exists),
            explanation=r"With the chord radius $(\rho/2)(1 + \rho^2/128)$ everything holds as well, the length bound included.",
        ),
        Argument(
            "$d = 2$: two cyclic orders",
            "instance",
            _on_a_circle,
            (1, -1, True),
            {"one cyclic order": (1, 1, True), "points that coincide": (1, -1, False)},
            explanation=r"On a circle the lemma fails for every $\delta \le \rho/2$ and every $s$: a column that moves by less than "
            r"$\rho/2$ cannot pass another one, since the arc it passes lies within its cap of radius $\rho/2$ (a cap "
            "holds the minor arcs between its points). So the cyclic order of three columns never changes, but $X$ and "
            "$Y$ differ in it.",
        ),
    ),
    evidence=(
        Argument(
            "Paths on the sphere",
            "floating point",
            _passages,
            _PathBounds(1.0, 0.5),
            {
                "half the length": _PathBounds(0.5, 0.5),
                "no length": _PathBounds(0.0, 0.5),
                r"the distance $\rho$": _PathBounds(1.0, 1.0),
                r"the distance $8 \rho$": _PathBounds(1.0, 8.0),
                "steps shorter by a thousandth": _PathBounds(1.0, 0.5, 0.999),
                "ends off by the least number there is": _PathBounds(1.0, 0.5, astray=LEAST),
            },
            _within_bounds,
        ),
    ),
    notes=r"For $m = 1$ and antipodal ends the path has the length $\pi$, the bound, not less; its chords still are shorter "
    r"than $\delta$.",
    kind="algebra",
)


# Theorem 1.


def _bound(constant: Fraction | int = 16) -> Bound:
    """constant m Lambda / (R rho^2)."""
    return lambda units, m, length, rho: constant * m * length / (units * rho**2)


_FALSE_BOUNDS: Mapping[str, Spread] = {
    "99 hundredths of it": Spread(_bound(Fraction(16 * 99, 100))),
    "without the factor $m$": Spread(lambda units, m, length, rho: 16 * length / (units * rho**2)),
    "norms proportional to $1/R$": Spread(lambda units, m, length, rho: 16 * m * length / (units**2 * rho**2)),
    r"without $1/\rho$": Spread(lambda units, m, length, rho: 16 * m * length / units),
}


_JUMP = Jump(
    s=lambda rho: 4 / rho,
    t=lambda rho: 2 / rho,
    beta=lambda rho: rho**2 / 8 - 1,
    bound=lambda k, rho: 16 * k / rho**2,
)


EXAMPLE = Columns(
    (_E1, _column(3, 4, 0, over=5), _column(0, 0, 1)), (_column(0, 1, 0), _column(0, -1, 0), _column(-1, 0, 0))
)
"""x_2 stands on the arc from x_1 to y_1: an obstacle met head on."""
_EXACT_DEPTHS = (1, 2, 3, 31, 60)


class _ExactRun(NamedTuple):
    """The columns that come out of an exact network, its greatest squared norm, and R."""

    output: tuple[Column, ...]
    squared_norm: Fraction
    units: int


def _exact_network(data: Columns, units: int) -> _ExactRun:
    """The network in rational arithmetic: path points near those of `proofs.demystifying_resnet.sphere`, s rational near sqrt(8 delta)/rho."""
    x, y = (np.array([[float(value) for value in c] for c in columns]).T for columns in (data.x, data.y))
    rho_squared, columns, largest = data.rho_squared, data.x, Fraction(0)
    rho = math.sqrt(rho_squared)
    for move in plan(x, y, units).moves():
        targets = {
            place: _rational_point(target, data.y[place])
            for place, target in zip(move.columns, move.targets.T, strict=True)
        }
        steps = [math.sqrt(squared_distance(columns[place], target)) for place, target in targets.items()]
        scale = Fraction((4.0 if len(steps) > 1 else math.sqrt(8 * steps[0])) / rho).limit_denominator(1000)
        unit = exact_unit(columns, targets, rho_squared, scale)
        expected = tuple(targets.get(place, h) for place, h in enumerate(columns))
        columns = tuple(apply_exact(unit, h) for h in columns)
        largest = max(largest, *squared_norms(unit))
        if columns != expected:
            break  # what follows would not be rational points of the sphere
    return _ExactRun(columns, largest, units)


def _rational_point(near: NDArray[np.float64], end: Column) -> Column:
    """A rational unit vector near a point of the path; the end itself where the path ends."""
    at_end = all(abs(a - float(b)) < 1e-12 for a, b in zip(near, end, strict=True))
    return end if at_end else on_sphere([float(a) for a in near])


def _exact_networks(_: Context) -> Computed:
    assert rank(matrix([EXAMPLE.x[0], EXAMPLE.x[1], EXAMPLE.y[0]])) == 2  # an obstacle met head on
    found = [_exact_network(EXAMPLE, units) for units in _EXACT_DEPTHS]
    return Computed(found, Scope.of(*(f"R={units}, d=3, m=3" for units in _EXACT_DEPTHS)))


class _Fit(NamedTuple):
    """The columns that ought to come out, and the constant in constant pi m (rho (m-1)/2 + 1)/(R rho^2)."""

    output: tuple[Column, ...]
    constant: Fraction


def _fits(found: Sequence[_ExactRun], claim: _Fit) -> None:
    m, rho_squared = len(EXAMPLE.x), EXAMPLE.rho_squared
    rho = Fraction(math.isqrt(int(rho_squared * 10**12)), 10**6)  # from below, as 3 for pi
    for one in found:
        if one.output != claim.output:
            raise Disagreement(f"R={one.units}: the output is not the claimed one")
        bound = claim.constant * 3 * m * (rho * (m - 1) / 2 + 1) / (one.units * rho_squared)
        at_most(one.squared_norm, bound, f"R={one.units}, |W|_F^2")


# Running networks.


def separated(rng: np.random.Generator, d: int, count: int, apart: float) -> NDArray[np.float64]:
    """Random unit vectors at least `apart` from each other, as columns, by rejection.

    Raises:
        ValueError: no place is left for another one after many trials.
    """
    found = np.empty((d, 0))
    for _ in range(1000 * count):
        point = _normalised(rng.normal(size=(d, 1)))
        if found.shape[1] == 0 or float(np.linalg.norm(found - point, axis=0).min()) >= apart:
            found = np.concatenate([found, point], axis=1)
        if found.shape[1] == count:
            return found
    raise ValueError(f"separated: {found.shape[1]} points in d = {d}; expected {count} at least {apart} apart")


class Fitted(NamedTuple):
    """Data to be fitted, and where they come from."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    name: str


def random_data(d: int, m: int, apart: float) -> Callable[[Context], Fitted]:
    """2m random unit vectors at least `apart` from each other."""

    def make(context: Context) -> Fitted:
        points = separated(np.random.default_rng(context.seed), d, 2 * m, apart)
        return Fitted(points[:, :m], points[:, m:], f"random unit vectors, seed {context.seed}")

    return make


def antipodes(_: Context) -> Fitted:
    """One column and its antipode, d = 3."""
    x = np.array([[1.0], [0.0], [0.0]])
    return Fitted(x, -x, "antipodes")


def head_on(_: Context) -> Fitted:
    """Two columns that exchange the directions of their neighbours: each stands on the way of the other."""
    points = np.array([[1.0, 0, 0], [1, 1, 0], [0, 1, 0], [1, 0, 1]]).T
    points = _normalised(points)
    return Fitted(points[:, :2], points[:, 2:], "an obstacle head on")


def normalised_data(m: int) -> Callable[[Context], Fitted]:
    """The first m samples normalised, their labels with a little noise and normalised, so that no two are equal."""

    def make(context: Context) -> Fitted:
        data = context.data
        x = np.asarray(data.X, dtype=np.float64)[:, :m]
        y = np.asarray(data.Y, dtype=np.float64)[:, :m]
        if x.shape[0] < 3:
            raise Unsuited(f"data of width d = {x.shape[0]}; Theorem 1 needs d >= 3")
        y = y + 0.1 * np.random.default_rng(context.seed).normal(size=y.shape)
        everything = np.concatenate([x, y], axis=1)
        if not everything.any(axis=0).all():
            raise Unsuited("data with a zero sample, which cannot be normalised")
        if minimum_distance(_normalised(everything)) < LEAST_RHO:
            raise Unsuited(f"data with two samples of the same direction, up to {LEAST_RHO}")
        return Fitted(_normalised(x), _normalised(y), f"{data.name}, normalised; labels perturbed, seed {context.seed}")

    return make


@dataclass(frozen=True, slots=True)
class DepthFamily:
    """The networks of several depths on the same data."""

    name: str
    runs: tuple[NetworkRun, ...]

    @property
    def plans(self) -> tuple[Plan, ...]:
        """Their plans."""
        return tuple(one.plan for one in self.runs)

    @property
    def sizes(self) -> str:
        """R, d, m and rho."""
        first = self.runs[0].plan
        units = ", ".join(f"{one.units}" for one in self.plans)
        d, m = first.x.shape
        return f"R={units}; d={d}, m={m}, rho={first.rho:.3g}; {self.name}"

    @property
    def deep(self) -> tuple[NetworkRun, ...]:
        """Those with a path, R >= m."""
        return tuple(one for one in self.runs if one.plan.steps)


def families(data: Sequence[Callable[[Context], Fitted]], depths: Sequence[int]) -> Callable[[Context], Computed]:
    """Theorem 1's networks on each of the data sets at each of the depths, built and run through all units."""

    def compute(context: Context) -> Computed:
        ops = device(context.device).ops
        found = []
        for make in data:
            x, y, name = make(context)
            least = -(-x.shape[1] // x.shape[0])
            runs = tuple(run(ops, plan(x, y, units)) for units in depths if units >= least)
            found.append(DepthFamily(name, runs))
        return Computed(found, Scope.of(*(one.sizes for one in found)))

    return compute


class Observation(NamedTuple):
    """What is claimed of every network: its output, the bound on its norms, and their slope over R in log-log.

    `moved` is how far columns go while they are at rest.
    """

    output: Callable[[Plan], NDArray[np.float64]]
    bound: Callable[[float, int, int], float]
    slope: float
    moved: float = 0.0


def as_claimed(found: Sequence[DepthFamily], claim: Observation) -> tuple[Measurement, ...]:
    """The output's error, columns disturbed, norms and slope against their bounds."""
    measured: list[Measurement] = []
    for family in found:
        for one in family.runs:
            d, m = one.plan.x.shape
            sizes = f"R={one.plan.units}, d={d}, m={m}, rho={one.plan.rho:.3g}; {family.name}"
            error = float(np.linalg.norm(one.output - claim.output(one.plan)))
            bound = claim.bound(one.plan.rho, m, one.plan.units)
            measured += [
                Measurement(
                    r"$\lvert f(X) - Y\rvert_F$",
                    error,
                    output_bound(m),
                    sizes,
                    None,
                    r"$4 \gamma_4 \sqrt{m}$: the last step only",
                    scale=m**0.5,
                ),
                Measurement(
                    "columns at rest moved",
                    abs(one.disturbed - claim.moved),
                    0.0,
                    sizes,
                    None,
                    "ReLU is exactly zero there",
                ),
                Measurement(
                    r"$\max \lvert W\rvert_F$",
                    one.largest_norm,
                    bound,
                    sizes,
                    None,
                    r"$4 \sqrt{\pi m (\rho (m - 1)/2 + 1)/R}/\rho$",
                    at_most=True,
                ),
            ]
        if len(family.deep) > 1:
            measured.append(_slope(family, claim.slope))
    return tuple(measured)


def _slope(family: DepthFamily, claim: float) -> Measurement:
    """log norm = -1/2 log R + const up to `norm_spread`, which bounds the error of a least-squares slope."""
    units = [one.plan.units for one in family.deep]
    slope, weights = fitted_slope(units, [one.largest_norm for one in family.deep])
    bound = sum(abs(w) * norm_spread(one.plan) for w, one in zip(weights, family.deep, strict=True))
    rounding = gamma(100) * sum(
        abs(w) * (1.0 + abs(math.log(one.largest_norm))) for w, one in zip(weights, family.deep, strict=True)
    )
    return Measurement(
        r"|slope of $\log \max \lvert W\rvert_F$ over $\log R$ - claim|",
        abs(slope - claim),
        bound + rounding,
        family.sizes,
        None,
        r"chords against arcs, corners, $\lfloor R/m\rfloor$ against $R/m$; sum over $R$ of |weight| times that",
        scale=abs(claim),
    )


_THEOREM_1 = Observation(lambda plan: plan.y, norm_bound, -0.5)
_FALSE_OF_ANY = {
    "it stays at $X$": _THEOREM_1._replace(output=lambda plan: plan.x),
    "$Y$ larger by $2^{-40}$ of it": _THEOREM_1._replace(output=lambda plan: plan.y * (1.0 + 2.0**-40)),
    r"norms below $4 \sqrt{\pi m (\rho (m-1)/2 + 1)}/(\rho R)$": _THEOREM_1._replace(
        bound=lambda rho, m, units: norm_bound(rho, m, units**2)
    ),
    "slope -1": _THEOREM_1._replace(slope=-1.0),
    "slope -1/4": _THEOREM_1._replace(slope=-0.25),
    "slope 0": _THEOREM_1._replace(slope=0.0),
    "columns at rest move by the least number there is": _THEOREM_1._replace(moved=LEAST),
}
_FALSE_OF_SOME = {
    "slope -0.5003": _THEOREM_1._replace(slope=-0.5003),
    "the columns of $Y$ in another order": _THEOREM_1._replace(output=lambda plan: plan.y[:, ::-1]),
    "half the bound": _THEOREM_1._replace(bound=lambda rho, m, units: norm_bound(rho, m, units, 2.0)),
}
"""False where there are two columns, and for antipodes, whose slope is within 0.0003 of its bound."""


def _observed(
    title: str,
    data: Sequence[Callable[[Context], Fitted]],
    depths: Sequence[int],
    neighbours: Mapping[str, Observation],
    *,
    deep: bool = False,
) -> Argument:
    return Argument(
        title,
        "floating point",
        families(data, depths),
        _THEOREM_1,
        neighbours,
        as_claimed,
        explanation="Each unit is built from the network's current column and applied with dense matrices to all of them.",
        deep=deep,
    )


def picture_data(seed: int = 0) -> Picture:
    """A path for d = 3 past ten random obstacles at least 0.45 apart and one head on, for a figure."""
    rng = np.random.default_rng(seed)
    start, end = (_normalised(np.array(p)) for p in ([1.0, -0.9, 0.5], [-0.4, 1.0, 0.5]))
    chosen = [start, end, _normalised(start + end)]
    while len(chosen) < 13:
        point = _normalised(rng.normal(size=3))
        if min(float(np.linalg.norm(point - other)) for other in chosen) >= 0.45:
            chosen.append(point)
    obstacles = np.array(chosen[2:]).T
    rho = minimum_distance(np.array(chosen).T)
    return picture(start, end, obstacles, rho)


_T1_ARGUMENTS = (
    Argument(
        r"$R \ge m$: $\lfloor R/m\rfloor$ steps for each column",
        "inequality",
        _sized(
            many_units,
            r"\|W\|_F^2 = \frac{8\delta}{\rho^2}, \quad \delta = \frac{\Lambda}{\lfloor R/m \rfloor}, \quad \Lambda = \pi\Bigl(\frac{\rho(m-1)}{2} + 1\Bigr)",
        ),
        Spread(_bound()),
        {**_FALSE_BOUNDS, "one more step for each column": Spread(_bound(), more=1)},
        certified(within_bound),
        explanation=r"By Lemma 2 column $i$ takes $\lfloor R/m\rfloor$ steps of at most $\delta$, by Lemma 1 each is a unit; the "
        r"units left over are zero. $\lfloor R/m\rfloor \ge R/(2m)$.",
    ),
    Argument(
        "$R < m$: one unit moves several columns to their ends",
        "inequality",
        _sized(
            moving_unit,
            r"W^1 = \tfrac{4}{\rho} \sum_k e_k x_{\mu_k}^{\mathsf T}, \quad W^2 = \tfrac{2}{\rho} \sum_k (y_{\mu_k} - x_{\mu_k})\,e_k^{\mathsf T}",
        ),
        _JUMP,
        {
            "within 99 hundredths of it": _JUMP._replace(bound=lambda k, rho: 16 * 99 * k / (100 * rho**2)),
            "norms that do not grow with $k$": _JUMP._replace(bound=lambda k, rho: 16 / rho**2),
            r"columns only $\rho/4$ apart": _JUMP._replace(apart=Fraction(1, 4)),
            r"$W_2$ with $4/\rho$": _JUMP._replace(t=lambda rho: 4 / rho),
            r"$W_2$ with $1/\rho$": _JUMP._replace(t=lambda rho: 1 / rho),
            r"$W_1$ with $8/\rho$, $W_2$ with $1/\rho$": _JUMP._replace(s=lambda rho: 8 / rho, t=lambda rho: 1 / rho),
            r"$W_1$ with $2/\rho$, $W_2$ with $4/\rho$": _JUMP._replace(s=lambda rho: 2 / rho, t=lambda rho: 4 / rho),
            r"$b = -s (\rho^2/8 + 1)$, $W_2$ negated": _JUMP._replace(
                beta=lambda rho: -(rho**2) / 8 - 1, t=lambda rho: -2 / rho
            ),
        },
        certified(moves_several_columns),
        explanation=r"Row $k$ of $W_1$ is $(4/\rho) x_{\mu}^{\mathsf T}$, column $k$ of $W_2$ is $(2/\rho)(y_{\mu} - x_{\mu})$: "
        r"$k \le d$ columns at once, as all columns of $X$ and $Y$ are $\rho$ apart.",
    ),
    Argument(
        r"$R < m$: $\lceil m/R\rceil$ columns for each unit",
        "inequality",
        _sized(few_units, r"\|W\|_F^2 \le \frac{16 \lceil m/R \rceil}{\rho^2}"),
        Spread(_bound()),
        {**_FALSE_BOUNDS, "one column fewer for each unit": Spread(_bound(), more=-1)},
        certified(within_bound),
        explanation=r"$\lceil m/R\rceil \le 2m/R$ and $\Lambda \ge \pi > 2$; $\lceil m/R\rceil \le d$ because $m \le R d$.",
    ),
    Argument(
        r"The order of Eq. 6, with the constant $4 \sqrt{\pi}$",
        "inequality",
        _sized(
            lambda: reached(_bound()),
            r"\frac{4}{\rho}\sqrt{\frac{\pi m\,(\rho(m-1)/2 + 1)}{R}} \le 4\sqrt{\pi}\,\sqrt{\frac{m}{R\rho}\Bigl(m + \frac1\rho\Bigr)}",
        ),
        lambda units, m, rho, pi: 16 * pi * m / (units * rho) * (m + 1 / rho),
        {
            r"$\tfrac{49}{100} m$ in the bracket": lambda units, m, rho, pi: (
                16 * pi * m / (units * rho) * (49 * m / 100 + 1 / rho)
            ),
            r"$\tfrac{99}{100}/\rho$ in the bracket": lambda units, m, rho, pi: (
                16 * pi * m / (units * rho) * (m + 99 / (100 * rho))
            ),
            "$1/R$ outside the root": lambda units, m, rho, pi: 16 * pi * m / (units**2 * rho) * (m + 1 / rho),
        },
        certified(implies_order),
    ),
    Argument(
        "Networks in exact arithmetic",
        "explicit",
        _exact_networks,
        _Fit(EXAMPLE.y, Fraction(16)),
        {
            "$X$ stays": _Fit(EXAMPLE.x, Fraction(16)),
            "the columns of $Y$ in another order": _Fit(EXAMPLE.y[::-1], Fraction(16)),
            "a sixteenth of the bound": _Fit(EXAMPLE.y, Fraction(1)),
        },
        _fits,
        explanation="Rational points of the sphere near the path, rational weights, dense matrices; $f(X) = Y$ exactly, and "
        r"$\lvert W\rvert_F^2$ below $16 \pi m (\rho (m-1)/2 + 1)/(R \rho^2)$, with 3 for $\pi$.",
    ),
)


def _layers_of_a_unit(_: Context) -> Computed:
    """How many weight matrices a unit of Equation 3 has."""
    matrices = [one for one in ResidualUnit(biased()).weights if one.shape == ("d", "d")]
    return Computed(len(matrices), Scope.of("one unit of Eq. 3"))


T1 = Statement(
    id="DR-T1",
    title="Small weights: a network of $R$ units fits the data with norms of order $R^{-1/2}$",
    source=source(
        "A",
        "Theorem 1, Eq. 6, 7",
        "There exists a network in the form of Equation 3 such that for every 1 <= r <= R, 1 <= l <= 2, ... (6). For a specific dataset, m, rho are fixed, so the above equation can be simplified to |W^{r,l}|_F <= O(sqrt(1/n)) (7)",
    ),
    sentence=r"For unit vectors $x$, $y$ at least $\rho$ apart in $d \ge 3$ dimensions and every $R \ge m/d$ some network of $R$ "
    r"units $h + W_2\, \mathrm{ReLU}(W_1 h + b)$ maps $X$ to $Y$ with all "
    r"$\lvert W\rvert_F \le 4 \sqrt{\pi m (\rho (m-1)/2 + 1)/R}/\rho$, at most $4 \sqrt{\pi}$ times "
    r"$\sqrt{(m/(R \rho)) (m + 1/\rho)}$.",
    latex=r"\|W^{r,l}\|_F \le \frac{4}{\rho}\sqrt{\frac{\pi m\bigl(\frac{\rho(m-1)}{2} + 1\bigr)}{R}} "
    r"= O\!\left(\sqrt{\frac{m}{R\rho}\Bigl(m + \frac1\rho\Bigr)}\right)",
    for_all=WIDE_NETWORK,
    hypotheses=(UNIT_COLUMNS, APART, WIDE),
    uses=("DR-L1", "DR-L2"),
    arguments=_T1_ARGUMENTS,
    evidence=(
        _observed(
            "Networks built and run",
            (antipodes, head_on, random_data(3, 4, 0.5)),
            (2, 100, 1000, 2000),
            {**_FALSE_OF_ANY, **_FALSE_OF_SOME},
        ),
        _observed("Networks built and run on the data", (normalised_data(8),), (2, 100, 1000, 2000), _FALSE_OF_ANY),
        _observed(
            "Networks built and run, $R$ from $10^2$ to $10^5$",
            (antipodes, random_data(3, 3, 0.8), random_data(3, 10, 0.2), random_data(10, 20, 0.5)),
            (100, 1000, 10_000, 100_000),
            {**_FALSE_OF_ANY, **_FALSE_OF_SOME},
            deep=True,
        ),
        _observed(
            "Networks built and run on the data, $R$ from $10^2$ to $10^5$",
            (normalised_data(20),),
            (100, 1000, 10_000, 100_000),
            _FALSE_OF_ANY,
            deep=True,
        ),
    ),
    reading=Erratum(
        printed=r"$n$, in $n \ge 3$ of Assumption 1 and in Eq. 6, 7 and 20",
        read=r"$d_x$ in the assumption, as in 'Given that $d_x \ge 3$' of Lemma 2; $R$, the number of units, in the equations",
        quote="This indicates that as the network become deeper, there exists a solution that is closer to the zero.",
        where="after Eq. 7",
        fails=Argument(
            "$n$ is the shortcut depth elsewhere, and that of Equation 3 is not at least 3",
            "instance",
            _layers_of_a_unit,
            2,
            {PRINTED: property_of(3)(lambda n: n >= 3), "one layer": 1},
            matches,
        ),
    ),
    notes="Theorem 1 does not say what the network does; by its proof it maps $X$ to $Y$. There the step's length is printed "
    r"as $d \ge O(m (\rho m + 1))$; it is $\delta = O(m (\rho m + 1)/R)$. Assumptions 1 and 2 as printed imply $m \le d$ "
    r"(DR-T1a), hence $R d \ge m$ for every $R$. Nothing but unit norms and the distance $\rho$ is used of the labels. "
    "With fewer than $m/d$ units the bound is not claimed: they have fewer rows than there are columns to move. A "
    r"network whose weights are fixed beforehand amplifies rounding by about $\exp(\mathrm{arc}\, \sqrt{8/\rho^2 - 1})$; "
    "the running ones are built from the network's own current columns.",
)


# Assumptions 1 and 2 together.


def _labellings(d: int, m: int) -> int:
    """How many labellings of m samples by d basis vectors are pairwise distinct, counted one by one."""
    return sum(len(set(labels)) == m for labels in product(range(d), repeat=m))


def _satisfiable(_: Context) -> Computed:
    return Computed(_table(lambda d, m: _labellings(d, m) > 0), Scope.of("d = 3, 4, 5, m = 2..6"))


def _table(allowed: Callable[[int, int], bool]) -> dict[tuple[int, int], bool]:
    return {(d, m): allowed(d, m) for d in (3, 4, 5) for m in range(2, 7)}


_Curve: TypeAlias = Callable[[Any], tuple[Any, Any]]


def _as_it_is(curve: _Curve) -> _Curve:
    return curve


def _unnormalised(_: _Curve) -> _Curve:
    return lambda t: (1 + 0 * t, t)


def _at_rest(_: _Curve) -> _Curve:
    return lambda t: (1 + 0 * t, 0 * t)


def _beside(curve: _Curve) -> _Curve:
    """From an orthogonal vector towards -z: z turned by less than a right angle, and then by a right one."""

    def turned_further(t: Any) -> tuple[Any, Any]:
        z, w = curve(t / (1 + t))
        return -w, z

    return turned_further


def _noise_alone(_: Context) -> Computed:
    """Lemma 1's unit when another column is at least rho/2 away, of norm 1 or not: does that column stay?"""
    rho = Fraction(1, 5)
    others = {
        "of unit norm": (*turned(Fraction(1, 10)), Fraction(0)),
        "longer": (1 + rho / 2, Fraction(0), Fraction(0)),
    }
    found = {}
    for name, other in others.items():
        unit = exact_unit((_E1, other), {0: _column(0, 0, 1)}, rho**2, Fraction(1))
        found[name] = (squared_distance(_E1, other) >= rho**2 / 4, apply_exact(unit, other) == other)
    return Computed(found, Scope.of("d=3, m=2, rho=1/5"))


_NOISE = {"of unit norm": (True, True), "longer": (True, False)}

_DISTINCT_LABELS = Argument(
    "Which $m$ and $d_y$ admit distinct labels, one labelling after another",
    "explicit",
    _satisfiable,
    _table(lambda d, m: m <= d),
    {
        "fewer samples than labels are needed": _table(lambda d, m: m < d),
        "one more sample is possible": _table(lambda d, m: m <= d + 1),
        "it depends on $d$ only": _table(lambda d, m: d > 3),
    },
    explanation=r"Among the $d^m$ labellings $d (d-1) \cdots (d-m+1)$ are without repetition: none once $m > d$.",
)
_COUNTED_LABELS = Argument(
    r"The number of labellings without repetition, $d (d-1) \cdots (d-m+1)$, is positive exactly when $m \le d$",
    "inequality",
    _sized(labellings, r"d - k, \quad 0 \le k \le m - 1"),
    LabelClaim(),
    {
        "fewer samples than labels are needed": LabelClaim(more=-1),
        "one more sample is possible": LabelClaim(more=1),
        "the factor before is the one that vanishes": LabelClaim(zero=-1),
    },
    certified(labels_differ_up_to),
    explanation=r"For $m \le d$ each factor is positive, for $m > d$ that at $k = d$ is zero. Different basis vectors are $\sqrt{2}$ "
    "apart.",
)
_NEARBY = Argument(
    "Unit vectors as near to any others as one likes, no two equal",
    "identity",
    _sized(turning, r"z(t) = \frac{(1 - t^2) z + 2 t w}{1 + t^2}, \qquad |z(t) - z|^2 = \frac{4 t^2}{1 + t^2}"),
    _as_it_is,
    {"without normalisation": _unnormalised, "without a change": _at_rest, "from $w$ on": _beside},
    certified(lambda found, change: moves_apart(found._replace(curve=change(found.curve)))),
    explanation="Turned towards an orthogonal unit vector $w$ by the parameter $t > 0$, $z$ stays on the sphere and its distance "
    "from $z$ grows strictly, from 0. So there are $2m$ candidates within any distance, and the at most $2m - 1$ vectors "
    r"that are already chosen leave one. With $m \le d_y$ the labels are basis vectors and the $x$ are chosen in this way.",
)

T1A = Statement(
    id="DR-T1a",
    title=r"Assumptions 1 and 2 of Theorem 1 can be met together if and only if $m \le d_y$",
    source=None,
    latex=r"\exists x^\mu, y^\mu:\ |x^\mu| = 1,\ y^\mu \in \{e_1, \dots, e_{d_y}\},\ "
    r"d_{\min}(x^1, \dots, x^m, y^1, \dots, y^m) = \rho > 0 \iff m \le d_y",
    uses=("DR-L1", "DR-L2"),
    setting=r"Assumption 1 asks for $m$ samples with $\lvert x\rvert = 1$ and every $y$ one of the $d_y$ "
    r"basis vectors, Assumption 2 for all $x$ and $y$ to be at least $\rho > 0$ apart.",
    clauses=(
        Clause(
            r"The assumptions can be met together if and only if $m \le d_y$.",
            {"d": 3, "m": 2},
            (_COUNTED_LABELS, _NEARBY, _DISTINCT_LABELS),
        ),
        Clause(
            "With labels of unit norm in place of basis vectors they can be met for every $m$, by an arbitrarily small "
            r"change of any samples and labels of unit norm, and Theorem 1 holds for them, for $R \ge m/d$.",
            {"R": 1, "d": 3, "m": 2},
            (
                _NEARBY,
                Argument(
                    "Noise without normalisation does not do",
                    "instance",
                    _noise_alone,
                    _NOISE,
                    {
                        "the norm does not matter": {**_NOISE, "longer": (True, True)},
                        "a unit column moves as well": {**_NOISE, "of unit norm": (True, False)},
                    },
                    explanation=r"(at least $\rho/2$ away, left alone by Lemma 1's unit).",
                ),
                *_T1_ARGUMENTS,
            ),
        ),
    ),
    notes="Theorem 1 makes both assumptions; that 'this assumption can be satisfied by adding a small noise to the dataset' is "
    "said of the second alone, and nowhere that noise keeps the first. For $m > d_y$, several samples of a class, no "
    "noise can keep it: two samples share their label. So there Theorem 1 as printed speaks of no data at all.",
)


STATEMENTS = (L1, L2, T1, T1A)
