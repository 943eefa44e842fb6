"""A stem in front of the units and a head behind them: what they change, frozen and trainable (GEN-11).

The stem z -> E(z; u) has q parameters, the head, which makes the loss of a sample l(f; c), has o; p are those of a unit. g, Q, e, N
and G are the derivatives of l in f, twice in f, in c, in both and twice in c, as in `symbolic.index.heads`. In index strings w
are the weights of a unit, v those of the stem and c those of the head.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, TypeAlias

import sympy
from sympy import QQ
from sympy.polys.rings import ring

from resproof.architectures.activations import identity_activation, polynomial
from resproof.architectures.catalogue import n_shortcut
from resproof.architectures.losses import generic_loss
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.beyond.two_units import BRANCH_HYPOTHESIS, IDENTITY_HYPOTHESIS
from resproof.proofs.routes.exact_spectra import dense
from resproof.proofs.routes.hessians import same_sums
from resproof.proofs.routes.predicates import at_most
from resproof.proofs.statement import (
    PRINTED,
    Argument,
    Citation,
    Clause,
    Computed,
    Condition,
    Context,
    Disagreement,
    Hypothesis,
    Induction,
    Statement,
)
from resproof.symbolic.algebra.matrices import Matrix, add, eye, inertia, matrix, scale
from resproof.symbolic.index import branches, heads
from resproof.symbolic.index.heads import HEAD
from resproof.symbolic.index.series import Sum
from resproof.symbolic.scope import Scope
from resproof.symbolic.written.explicit import Instance

_ORDERS = {"order one": frozenset[str](), "order two": frozenset({"T1w", "S1w"})}
"""The derivatives of the units' branches that vanish, whatever the stem."""
_UNITS = (1, 2, 3, 4)

# The border, for any branch, stem and head.


def _borders(_: Context) -> Computed:
    """By order, what joins stem and head with each of one to four units; a form that is another one has a name of its own."""
    found: dict[str, Sum] = {}
    parts: list[Sum] = []
    for order, vanishing in _ORDERS.items():
        for units in _UNITS:
            forms = branches.hessian_forms("v" + "w" * units, vanishing)
            for (first, second), form in forms.items():
                if first == 1 < second and found.setdefault(f"{order}, stem", form) != form:
                    found[f"{order}, stem, unit {second - 1} of {units}"] = form
            parts += forms.values()
        one = branches.one_more(vanishing=vanishing)
        found[f"{order}, head"] = heads.border(one.first)
        parts += [*one.before, found[f"{order}, head"]]
    shown = r"B = \mathbb E\left[g^{\mathsf T} S_1 T_u + T_1^{\mathsf T} Q\, T_u\right],\quad \mathbb E\left[T_1^{\mathsf T} N\right]"
    return Computed(found, branches.sizes(*parts) & Scope.over(R=_UNITS), shown)


_STEM_SEEN = "m^-1 * g[i,u] * S1[i,a,j,u] * T1v[j,b,u] * dw(2)[a] * dv(1)[b]"
_STEM_CURVED = "m^-1 * Q[i,j,u] * T1[i,a,u] * T1v[j,b,u] * dw(2)[a] * dv(1)[b]"
_TO_HEAD = "m^-1 * N[i,b,u] * T1[i,a,u] * dw(2)[a] * dc[b]"
_BORDERS = {
    "order one, stem": f"{_STEM_SEEN} + {_STEM_CURVED}",
    "order one, head": _TO_HEAD,
    "order two, stem": "0",
    "order two, head": "0",
}


_BORDER = Argument(
    "What joins the stem and the head with each of one to four units",
    "index notation",
    _borders,
    _BORDERS,
    {
        "the stem is seen through the loss's curvature alone": {**_BORDERS, "order one, stem": _STEM_CURVED},
        "the stem reaches units of order two": {**_BORDERS, "order two, stem": _STEM_SEEN},
        "the head reaches units of order two": {**_BORDERS, "order two, head": _TO_HEAD},
        "the head does not reach units of order one": {**_BORDERS, "order one, head": "0"},
    },
    same_sums(HEAD),
    explanation="The stem is a unit of a kind of its own in front of all others (GEN-10), the head adds "
    r"$E[N f_1 c] + \tfrac{1}{2} E[G c c]$ to the loss. Units of order two, whatever $h$, are $T_1 = S_1 = 0$.",
)


def _one_more(_: Context) -> Computed:
    """What one more unit, after a stem and any number of units, brings in beside the head's parameters and to the gradient."""
    found: dict[str, Sum] = {}
    parts: list[Sum] = []
    for order, vanishing in _ORDERS.items():
        one = branches.one_more(vanishing=vanishing)
        found |= {
            f"{order}, loss": one.loss,
            f"{order}, head": heads.border(one.first),
            f"{order}, gradient": heads.gradient(one.first),
        }
        parts += [*one.before, *(found[f"{order}, {name}"] for name in ("loss", "head", "gradient"))]
    free = branches.sizes(*parts, *heads.head_alone())
    return Computed(found, free)


_SECOND = "1/2 * m^-1 * g[i,u] * T2[i,a,b,u] * dw(2)[a] * dw(2)[b]"
_ADDED = {
    "order one, loss": f"{_SECOND} + 1/2 * m^-1 * Q[i,j,u] * T1[i,a,u] * T1[j,b,u] * dw(2)[a] * dw(2)[b]"
    " + m^-1 * g[i,u] * S1[i,a,j,u] * x[j,u] * dw(2)[a] + m^-1 * Q[i,j,u] * T1[i,a,u] * x[j,u] * dw(2)[a]",
    "order one, head": _TO_HEAD,
    "order one, gradient": "m^-1 * g[i,u] * T1[i,a,u] * dw(2)[a]",
    "order two, loss": _SECOND,
    "order two, head": "0",
    "order two, gradient": "0",
}
_STEP = Argument(
    "One more unit after a stem and any number of units, in front of a head",
    "index notation",
    _one_more,
    _ADDED,
    {
        "the head sees it through the units before": {
            **_ADDED,
            "order one, head": f"{_TO_HEAD} + {_TO_HEAD.replace('T1[i,a,u] * dw(2)[a]', 'x[i,u]')}",
        },
        "a unit of order two sees the stem": {**_ADDED, "order two, loss": _ADDED["order one, loss"]},
        "a unit of order two has a gradient": {**_ADDED, "order two, gradient": _ADDED["order one, gradient"]},
        "a unit of order one has none": {**_ADDED, "order one, gradient": "0"},
    },
    same_sums(HEAD),
    explanation="$x$ is the stem's $T_u u$ and what the units before have added at first degree. So unit $r$ meets the stem in "
    "$A[T_u u]$, as every other unit does, and the head in $E[N T_1 w c]$, with nothing of $x$.",
)
_EVERY_DEPTH = Induction("R", _BORDER, _STEP)

# How smooth loss, head and stem have to be.

Along: TypeAlias = Callable[[sympy.Expr], sympy.Expr]
"""The loss at t v, v a direction in the weights, at d = m = 1, R = 1 and x = 1."""


def _rough(t: sympy.Expr) -> sympy.Expr:
    return sympy.Abs(t) ** sympy.Rational(3, 2)


def _second_differences(losses: Mapping[str, Along]) -> Callable[[Context], Computed]:
    """Whether (L(t v) + L(-t v) - 2 L(0)) / t^2 has a limit as t -> 0."""

    def compute(_: Context) -> Computed:
        t, found = sympy.Symbol("t", positive=True), dict[str, bool]()
        for name, loss in losses.items():
            quotient = sympy.expand((loss(t) + loss(-t) - 2 * loss(sympy.Integer(0))) / t**2)
            found[name] = bool(sympy.limit(quotient, t, 0, "+").is_finite)
        return Computed(found, Scope.of(*(f"{name}: R=1, d=1, m=1, x=1" for name in found)))

    return compute


def _has_limits(title: str, losses: Mapping[str, Along], claim: Mapping[str, bool]) -> Argument:
    wrong = {PRINTED: dict.fromkeys(claim, True), "for none of them": dict.fromkeys(claim, False)}
    return Argument(title, "explicit", _second_differences(losses), claim, wrong)


_SMOOTH_LOSS = Hypothesis(
    "the loss of a sample is twice differentiable at the data, in the stream and the head's parameters together; where stem "
    r"and head are frozen, from order two on once, for the expansion up to $o(\lvert w\rvert^2)$ and its Hessian",
    lambda one: one.times >= (1 if one.order > 1 and one.frozen else 2),
    fails_on=SimpleNamespace(order=2, frozen=False, times=1),
    holds_on=SimpleNamespace(order=2, frozen=True, times=1),
    needed=_has_limits(
        r"Second difference quotients for the loss $\lvert f - x\rvert^{3/2}$, differentiable once, and $h + w_2 w_1 h$",
        {"stem x, along w": lambda t: _rough(t * t), "stem x + u, along u": _rough},
        {"stem x, along w": True, "stem x + u, along u": False},
    ),
)
"""Of the order of the branch, whether stem and head are frozen, and how often the loss is differentiable."""

_SMOOTH_STEM = Hypothesis(
    "the stem is twice differentiable in its parameters at their initial values, where they are trained",
    lambda times: times >= 2,
    fails_on=1,
    holds_on=2,
    needed=_has_limits(
        r"Second difference quotients along the stem's $u$ for the squared loss, $y = 0$",
        {"stem x + u": lambda t: (1 + t) ** 2 / 2, "stem x + |u|^(3/2)": lambda t: (1 + _rough(t)) ** 2 / 2},
        {"stem x + u": True, "stem x + |u|^(3/2)": False},
    ),
)
"""Of how often it is."""

# A frozen linear head.


def _frozen(_: Context) -> Computed:
    forms = branches.hessian_forms(2)
    found = {"D": heads.linear_head(forms[1, 1]), "A": heads.linear_head(forms[1, 2])}
    before = branches.one_more().before
    return Computed(
        found, branches.sizes(*found.values(), *before), r"g = V^{\mathsf T} g',\quad Q = V^{\mathsf T} Q' V"
    )


_FROZEN_FORMS = {
    "D": "1/2 * m^-1 * V[k,i] * g'[k,u] * T2[i,a,b,u] * dw(1)[a] * dw(1)[b]"
    " + 1/2 * m^-1 * V[k,i] * Q'[k,l,u] * V[l,j] * T1[i,a,u] * T1[j,b,u] * dw(1)[a] * dw(1)[b]",
    "A": "m^-1 * V[k,i] * g'[k,u] * S1[i,a,j,u] * T1[j,b,u] * dw(2)[a] * dw(1)[b]"
    " + m^-1 * V[k,i] * Q'[k,l,u] * V[l,j] * T1[i,a,u] * T1[j,b,u] * dw(2)[a] * dw(1)[b]",
}
_FROZEN = Argument(
    "$D$ and $A$ behind a frozen linear head $V$",
    "index notation",
    _frozen,
    _FROZEN_FORMS,
    {
        "the head enters the curvature once": {
            name: form.replace("V[k,i] * Q'[k,l,u] * V[l,j]", "Q'[i,l,u] * V[l,j]").replace("Q'[i,l,u]", "Q'[l,l,u]")
            for name, form in _FROZEN_FORMS.items()
        },
        "the head does not enter the gradient's part": {
            name: form.replace("V[k,i] * g'[k,u]", "g[i,u]") for name, form in _FROZEN_FORMS.items()
        },
    },
    same_sums(HEAD),
    explanation=r"All other statements hold with this $g$ and $Q$. Under cross-entropy $\mathbf 1^{\mathsf T} g' = 0$, so that "
    r"$M = V^{\mathsf T} E[g'\, \mathrm{pre}(x)^{\mathsf T}]$ has at most the rank of GEN-5.",
)

# Exact networks: a stem 2 x 1, units of width two, a head 1 x 2, one sample.

_D, _INPUT, _TARGET = 2, Fraction(2), Fraction(-1)
_STEM, _HEAD = (Fraction(1), Fraction(-2)), (Fraction(3), Fraction(1))
_EXTRA = 4
"""Parameters of stem and head together."""

Branch: TypeAlias = Callable[[Sequence[Any], Sequence[Any]], list[Any]]


def _times(a: Any, b: Any) -> Any:
    """The product of polynomials in the deviations of all weights, up to degree two."""
    whole = a * b
    return whole.ring.from_dict({powers: value for powers, value in whole.terms() if sum(powers) <= 2})


def _first_order(w: Sequence[Any], h: Sequence[Any]) -> list[Any]:
    """V + V^2 entry by entry, V = W (h + h^2)."""
    seen = [one + _times(one, one) for one in h]
    inner = [_times(w[2 * i], seen[0]) + _times(w[2 * i + 1], seen[1]) for i in range(_D)]
    return [v + _times(v, v) for v in inner]


def _second_order(w: Sequence[Any], h: Sequence[Any]) -> list[Any]:
    """W_2 W_1 h, W_1 a row and W_2 a column."""
    inner = _times(w[0], h[0]) + _times(w[1], h[1])
    return [_times(w[2], inner), _times(w[3], inner)]


_BRANCHES: Mapping[str, Branch] = {"order one": _first_order, "order two": _second_order}
_PER_UNIT = 4


@dataclass(frozen=True, slots=True)
class Whole:
    """Hessian and gradient in the weights of R units, then of stem and head."""

    units: int
    hessian: Matrix
    gradient: tuple[Fraction, ...]

    @property
    def inner(self) -> Matrix:
        """The Hessian in the units' weights alone."""
        count = self.units * _PER_UNIT
        return tuple(row[:count] for row in self.hessian[:count])


@lru_cache
def _whole(order: str, units: int) -> Whole:
    """By the Taylor polynomial of degree two of the loss, in exact arithmetic."""
    count = units * _PER_UNIT
    polynomials, *moved = ring([f"w{k}" for k in range(count + _EXTRA)], QQ)
    stem, head = ([a + b for a, b in zip(part, start, strict=True)] for part, start in _starts(moved[count:]))
    h = [one * QQ(_INPUT.numerator, _INPUT.denominator) for one in stem]
    for r in range(units):
        added = _BRANCHES[order](moved[r * _PER_UNIT : (r + 1) * _PER_UNIT], h)
        h = [a + b for a, b in zip(h, added, strict=True)]
    residual = _times(head[0], h[0]) + _times(head[1], h[1]) - QQ(_TARGET.numerator, _TARGET.denominator)
    loss = _times(residual, residual) * QQ(1, 2)
    every = range(len(moved))

    def coefficient(*places: int) -> Fraction:
        value = loss.get(tuple(places.count(k) for k in every), polynomials.domain.zero)
        return Fraction(int(value.numerator), int(value.denominator))

    rows = [[coefficient(i, j) * (1 + (i == j)) for j in every] for i in every]
    return Whole(units, matrix(rows), tuple(coefficient(i) for i in every))


def _starts(moved: Sequence[Any]) -> tuple[tuple[Sequence[Any], Sequence[Any]], ...]:
    """The deviations of stem and head, and what they start from."""
    starts = [[QQ(one.numerator, one.denominator) for one in part] for part in (_STEM, _HEAD)]
    return ((moved[:_D], starts[0]), (moved[_D:], starts[1]))


def _networks(_: Context) -> Computed:
    """Networks of both orders with one to three units, stem and head trainable."""
    found = {(order, units): _whole(order, units) for order in _BRANCHES for units in (1, 2, 3)}
    return Computed(found, Scope.of(*(f"{order}: R={units}, d=2, m=1, stem 2x1, head 1x2" for order, units in found)))


Found: TypeAlias = Mapping[tuple[str, int], Whole]


@dataclass(frozen=True, slots=True)
class _Border:
    """Which units have the border of the first one, and at which orders there is one at all."""

    units: Callable[[int, int], bool] = lambda r, units: True
    orders: tuple[str, ...] = ("order one",)


def _bordered(found: Found, claim: _Border) -> None:
    """Pass when every Hessian is assembled from that of two units, with the border where it is claimed.

    Raises:
        Disagreement: it is otherwise.
    """
    for (order, units), one in found.items():
        two, count = found[order, 2].hessian, units * _PER_UNIT
        for r in range(units):
            rows = one.hessian[r * _PER_UNIT : (r + 1) * _PER_UNIT]
            border = tuple(row[2 * _PER_UNIT :] for row in two[:_PER_UNIT])
            there = order in claim.orders and claim.units(r + 1, units)
            if tuple(row[count:] for row in rows) != (border if there else scale(0, border)):
                raise Disagreement(f"{order}, R={units}, unit {r + 1}: the border is another")
            if (border != scale(0, border)) is not (order in claim.orders):
                raise Disagreement(f"{order}: the border is not as claimed")
        if tuple(row[count:] for row in one.hessian[count:]) != tuple(
            row[2 * _PER_UNIT :] for row in two[2 * _PER_UNIT :]
        ):
            raise Disagreement(f"{order}, R={units}: the block of stem and head depends on R")


_BORDER_INSTANCES = Argument(
    "One to three units between a stem and a head: the border, unit by unit",
    "explicit",
    _networks,
    _Border(),
    {
        "the first unit alone meets them": _Border(units=lambda r, units: r == 1),
        "the last unit alone meets them": _Border(units=lambda r, units: r == units),
        "units of order two meet them too": _Border(orders=("order one", "order two")),
        "none does": _Border(orders=()),
    },
    _bordered,
)

_SHIFTS = (
    Fraction(-(10**6)),
    Fraction(-50),
    Fraction(-1, 3),
    Fraction(1, 7),
    Fraction(20),
    Fraction(300),
    Fraction(10**6),
)


def _below(found: Found, claim: tuple[int, int]) -> None:
    """Pass when H_full has at least so many, and at most so many, more eigenvalues below each shift than H_R.

    Raises:
        Disagreement: it is otherwise.
    """
    least, most = claim
    for (order, units), one in found.items():
        for shift in _SHIFTS:
            counts = [inertia(add(h, scale(-shift, eye(len(h))))).negative for h in (one.hessian, one.inner)]
            at_most(least, counts[0] - counts[1], f"{order}, R={units}, eigenvalues below {shift}, from below")
            at_most(counts[0] - counts[1], most, f"{order}, R={units}, eigenvalues below {shift}")


_INTERLACED_INSTANCES = Argument(
    "How many more eigenvalues lie below a number with stem and head: none to $q + o$",
    "explicit",
    _networks,
    (0, _EXTRA),
    {"at least one": (1, _EXTRA), "at most $q + o - 1$": (0, _EXTRA - 1), "as many": (0, 0)},
    _below,
)


LossAtHead: TypeAlias = Callable[[Fraction], tuple[list[Fraction], list[list[Fraction]]]]
"""g and Q of the loss in the stream, of the residual behind the head."""


def _behind_head(residual: Fraction) -> tuple[list[Fraction], list[list[Fraction]]]:
    return [v * residual for v in _HEAD], [[v * w for w in _HEAD] for v in _HEAD]


def _with_any_loss(units: int, loss: LossAtHead) -> Matrix:
    """H_R of units of order one behind the stem from the exact Hessian for any loss, at the g and Q given."""
    data = [_INPUT * one for one in _STEM]
    g, q = loss(sum((v * x for v, x in zip(_HEAD, data, strict=True)), -_TARGET))
    values = {f"g_{i + 1}_1": g[i] for i in range(_D)}
    values |= {f"Q_{i + 1}_{j + 1}_1": q[i][j] for i in range(_D) for j in range(i, _D)}
    curve = polynomial(0, 1, 1)
    unit = ResidualUnit(n_shortcut(1, curve, identity_activation, curve))
    found = dense(unit, units, Instance([[x] for x in data], [[0]] * _D), loss=generic_loss, values=values)
    # There a weight is numbered column by column, in `_first_order` row by row.
    order = [_PER_UNIT * r + _D * j + i for r in range(units) for i in range(_D) for j in range(_D)]
    return tuple(tuple(found[i][j] for j in order) for i in order)


def _is_submatrix(pair: tuple[Matrix, Matrix]) -> bool:
    """Whether the second is the first without its last rows and the same columns, and the first symmetric."""
    whole, part = pair
    count = len(part)
    return tuple(row[:count] for row in whole[:count]) == part and tuple(zip(*whole, strict=True)) == whole


def _pair() -> tuple[Matrix, Matrix]:
    """The Hessian with stem and head, and H_R from the network without them."""
    return _whole("order one", 2).hessian, _with_any_loss(2, _behind_head)


def _other_pair() -> tuple[Matrix, Matrix]:
    return _whole("order two", 2).hessian, _with_any_loss(2, _behind_head)


INTERLACING = Citation(
    "cauchy-interlacing",
    {
        "$H_R$ is the Hessian in all weights without the rows and columns of stem and head": Condition(
            _is_submatrix, _pair, _other_pair
        )
    },
)


def _stationary(found: Found, claim: Mapping[str, tuple[bool, bool]]) -> None:
    """Pass when the gradient in the units' weights, and in stem and head, vanishes or not as claimed.

    Raises:
        Disagreement: it is otherwise.
    """
    for (order, units), one in found.items():
        count = units * _PER_UNIT
        zero = tuple({*part} == {0} for part in (one.gradient[:count], one.gradient[count:]))
        if zero != claim[order]:
            raise Disagreement(f"{order}, R={units}: gradient zero in the units {zero[0]}, in stem and head {zero[1]}")


_GRADIENTS = {"order one": (False, False), "order two": (True, False)}
_GRADIENT_INSTANCES = Argument(
    "The gradient with one to three units, in the units' weights and in those of stem and head",
    "explicit",
    _networks,
    _GRADIENTS,
    {
        "the point is stationary": {**_GRADIENTS, "order two": (True, True)},
        "stationary in the units at order one too": {**_GRADIENTS, "order one": (True, False)},
    },
    _stationary,
)


def _as_any_loss(found: Found, claim: LossAtHead) -> None:
    """Pass when H_R behind the head is that of the units with any loss, at the claimed g and Q.

    Raises:
        Disagreement: it is another.
    """
    for units in (1, 2, 3):
        if found["order one", units].inner != _with_any_loss(units, claim):
            raise Disagreement(f"order one, R={units}: H_R is another")


_FROZEN_INSTANCES = Argument(
    "$H_R$ of one to three units behind a head, from the units with any loss",
    "explicit",
    _networks,
    _behind_head,
    {
        "the head enters the gradient alone": lambda residual: (
            _behind_head(residual)[0],
            [[Fraction(int(i == j)) for j in range(_D)] for i in range(_D)],
        ),
        "the head enters the curvature alone": lambda residual: ([residual] * _D, _behind_head(residual)[1]),
    },
    _as_any_loss,
)

GEN_11 = Statement(
    id="GEN-11",
    title="A stem and a head: the Hessian is bordered, and at order two it splits",
    source=None,
    latex=r"H = \begin{pmatrix} H_R & \mathbf 1 \otimes B \\ \mathbf 1^{\mathsf T} \otimes B^{\mathsf T} & G \end{pmatrix}, \qquad "
    r"\lambda_i(H) \le \lambda_i(H_R) \le \lambda_{i + q + o}(H)",
    hypotheses=(IDENTITY_HYPOTHESIS, BRANCH_HYPOTHESIS, _SMOOTH_LOSS, _SMOOTH_STEM),
    uses=("GEN-1", "GEN-5", "GEN-10"),
    setting="The stem has $q$, the head $o$ trainable parameters. $T_1$ is the derivative of the branch in $w$, $S_1$ the mixed one in its "
    "input and $w$, $T_u$ that of the stem in $u$, $N$ the mixed one of the loss in the stream and the head's $c$.",
    clauses=(
        Clause(
            "The Hessian in the weights of units, stem and head is $H_R$ with a border that is the same for every unit, "
            r"$E[g^{\mathsf T} S_1 w T_u u + (T_1 w)^{\mathsf T} Q T_u u]$ with the stem's $u$ and "
            r"$E[(T_1 w)^{\mathsf T} N c]$ with the head's $c$, and a block $G$ that does not depend on $R$.",
            {"R": 1, "d": 1, "p": 1, "q": 1, "o": 1, "m": 1},
            (_EVERY_DEPTH, _BORDER_INSTANCES),
        ),
        Clause(
            r"At order two for every $h$ near the data the border is zero: the Hessian is $I \otimes D$ beside $G$.",
            {"R": 1, "d": 1, "p": 1, "q": 1, "o": 1, "m": 1},
            (_EVERY_DEPTH, _BORDER_INSTANCES),
        ),
        Clause(
            "The $i$-th eigenvalue of the Hessian is at most the $i$-th of $H_R$, and that at most the $(i + q + o)$-th: "
            "below every number there are none to $q + o$ more than of $H_R$, and all but at most $2 (q + o)$ lie between its "
            "least and its greatest.",
            {"R": 1, "d": 1, "p": 1, "q": 1, "o": 1, "m": 1},
            (INTERLACING, _EVERY_DEPTH, _INTERLACED_INSTANCES),
        ),
        Clause(
            r"The gradient is $E[g^{\mathsf T} T_1 w]$ in the weights of each unit, zero from order two on, and does not "
            "depend on $R$ in those of stem and head, where it does not vanish in general: from order two on the point "
            "is stationary in the units' weights alone.",
            {"R": 1, "d": 1, "p": 1, "m": 1},
            (_STEP, _GRADIENT_INSTANCES),
        ),
        Clause(
            r"Behind a frozen linear head, $l$ a function of $V f$, $D$ and $A$ are those with $g = V^{\mathsf T} g'$ and "
            r"$Q = V^{\mathsf T} Q' V$.",
            {"R": 1, "d": 1, "C": 1, "p": 1, "m": 1},
            (_FROZEN, _FROZEN_INSTANCES),
        ),
    ),
    notes="Eigenvalues are counted from the least. A stem or a head that is frozen has no rows; $g$, $Q$ and $T_1$ are then at "
    "what it makes of the data.",
)

STATEMENTS = (GEN_11,)
