"""How long gradient descent takes to leave a stationary point, by its order (EX-3).

The clock of the flow u' = c u^{n-1} is phi_n with phi_n'(u) u^{n-1} = 1: from eps to delta it takes J_n / c,

    J_n(eps, delta) = int_eps^delta s^{1-n} ds = log(delta/eps)  (n = 2),  (eps^{2-n} - delta^{2-n}) / (n - 2)  (n >= 3).

Linear n-shortcut networks, G(W) = W S - T, M = G(I). Let -M v = a w, -M^T w = a v, S v = b v with unit vectors v, w: a
singular pair of -M, on whitened data. With q_0 = v, q_n = w and unit vectors q_1, ..., q_{n-1} the weights W^{r,l} =
u q_l q_{l-1}^T in one unit and zero in all others stay of this form under the gradient flow, and
u' = u^{n-1} (a - b u^n). On this ray G = (b u^n - a) w v^T + N with N v = 0, w^T N = 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import sympy

from resproof.architectures.catalogue import n_shortcut
from resproof.architectures.losses import squared
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.changes import Change
from resproof.proofs.demystifying_resnet.documents import source
from resproof.proofs.demystifying_resnet.escape_cones import IN_THE_CONE, ON_POLYNOMIALS, TURNING
from resproof.proofs.demystifying_resnet.escape_times import escapes_on_digits, steps_within
from resproof.proofs.demystifying_resnet.gradient_steps import GRADIENT_STEP
from resproof.proofs.demystifying_resnet.lemmas import INDUCTION_STEP
from resproof.proofs.routes.predicates import matches
from resproof.proofs.statement import (
    PRINTED,
    Argument,
    Clause,
    Computed,
    Context,
    Disagreement,
    Hypothesis,
    Induction,
    Statement,
)
from resproof.proofs.theory.critical_points import Small, without
from resproof.proofs.theory.generic_units import over_depths
from resproof.proofs.theory.linear_networks import entry_symbol
from resproof.symbolic.algebra.noncommutative import Relations, Words, modulo, sizes, words
from resproof.symbolic.algebra.noncommutative import product as word_product
from resproof.symbolic.algebra.noncommutative import show as show_words
from resproof.symbolic.algebra.rings import value_at
from resproof.symbolic.certificates import of_symbols
from resproof.symbolic.index.lift import stationary_order
from resproof.symbolic.scope import Scope

# Where the lowest-degree part takes no negative value.


@dataclass(frozen=True, slots=True)
class Times:
    """How long the flow takes to leave the first and the second stationary point."""

    first: Fraction
    second: Fraction


def _times(_: Context) -> Computed:
    """f = x^2/2 - y^4/4 and g = -y^3/3 from (0, 1/10) to (0, 1), where y' = y^3 and y' = y^2: (eps^{1-k} - 1)/(k - 1)."""
    x, y = sympy.symbols("x y")
    found = []
    for function in (x**2 / 2 - y**4 / 4, -(y**3) / 3):
        assert function.diff(x).subs(x, 0) == 0
        speed = sympy.Poly(-function.diff(y).subs(x, 0), y)
        time = sympy.integrate(1 / speed.as_expr(), (y, sympy.Rational(1, 10), 1))
        found.append(Fraction(int(time.p), int(time.q)))
    return Computed(Times(*found), Scope.of("d = 2, eps = 1/10"))


def _takes_negative_values(form: tuple[int, Sequence[Fraction]]) -> bool:
    """Of n and c, for h = c_1 x_1^n + ... + c_d x_d^n."""
    n, coefficients = form
    return any(c < 0 or (c and n % 2) for c in coefficients)


# The clock, for every n.

_S, _Q, _Z, _T = (sympy.Symbol(name, positive=True) for name in "sqzt")
"""s > 0, q = n - 2 > 0, z = delta / eps, t = log z."""


def _speeds(_: Context) -> Computed:
    """ds/dphi = s^{n-1} for n = 2 and for n = q + 2 > 2, and the slope of s^{1-n} times s^n."""
    found = {
        "n = 2": _S,
        "n > 2": _S ** (_Q + 1),
        "slope": sympy.powsimp(sympy.diff(_S ** (-1 - _Q), _S) * _S ** (_Q + 2)),
    }
    shown = r"J_n = \frac{\epsilon^{2-n} - \delta^{2-n}}{n - 2}, \quad J_2 = \log\frac{\delta}{\epsilon}"
    return Computed(found, of_symbols({"n": _Q}, *found.values()), shown)


Clock = Mapping[str, sympy.Expr]
_CLOCK: Clock = {"n = 2": sympy.log(_S), "n > 2": -(_S ** (-_Q)) / _Q, "slope": -1 - _Q}


def _is_clock(found: Mapping[str, sympy.Expr], claim: Clock) -> None:
    """Pass when d(clock)/ds times the speed is 1, and the slope is as claimed.

    Raises:
        Disagreement: it is another.
    """
    for n in ("n = 2", "n > 2"):
        rate = sympy.powsimp(sympy.diff(claim[n], _S) * found[n])
        if rate != 1:
            raise Disagreement(f"{n}: the claimed clock runs at the rate {rate}")
    if sympy.expand(found["slope"] - claim["slope"]) != 0:
        raise Disagreement(f"the slope is {found['slope']} s^-n")


def _orderings(_: Context) -> Computed:
    """(z^{q+1} - 1) - z (z^q - 1), and for f = (e^{qt} - 1)/q - t - q t^2/2 its values and slopes at 0 and its third slope."""
    greater, less = _Z ** (_Q + 1) - 1, _Z * (_Z**_Q - 1)
    beyond, lowest = (sympy.exp(_Q * _T) - 1) / _Q, _T + _Q * _T**2 / 2
    slopes = [sympy.diff(beyond - lowest, _T, k) for k in range(4)]
    found = {
        "step": sympy.expand(sympy.powsimp(sympy.expand(greater - less))),
        "at 0": tuple(sympy.simplify(slope.subs(_T, 0)) for slope in slopes[:3]),
        "third slope": sympy.simplify(slopes[3]),
        "third slope is positive": bool(slopes[3].is_positive),
    }
    shown = (
        r"\frac{J_{n+1}}{J_n} \ge \frac{n-2}{n-1}\, \frac1\epsilon \ (n \ge 3), \qquad "
        r"\frac{J_n}{J_2} \ge 1 + \frac{n-2}{2} \log \frac\delta\epsilon \qquad (\epsilon < \delta \le 1)"
    )
    return Computed(found, of_symbols({"n": _Q}, greater, less) & of_symbols({"n": _Q}, beyond, lowest), shown)


_ORDERINGS: Mapping[str, object] = {
    "step": _Z - 1,
    "at 0": (0, 0, 0),
    "third slope": _Q**2 * sympy.exp(_Q * _T),
    "third slope is positive": True,
}

# The ray.


def _on_ray(n: int, layer: int, *, singular: bool = True) -> Words:
    """After^T G Before^T for layer `layer`, the number w^T G v put at 1: G = q_n q_0^T + N."""
    unit: Relations = {f"q{j}t q{j}": "" for j in range(n + 1)}
    after = [words(f"q{j - 1} q{j}t") for j in range(layer + 1, n + 1)]
    before = [words(f"q{j - 1} q{j}t") for j in range(1, layer)]
    found = modulo(word_product(*after, words(f"q{n} q0t + N"), *before), unit)
    return without(without(found, "N q0"), f"q{n}t N") if singular else found


_DEPTHS = (2, 3, 4, 5, 6)


def _shapes(*numbers: object) -> dict[str, tuple[str, str]]:
    """Rows and columns of the vectors q with these numbers, of their transposes and of N."""
    columns = {f"q{j}": ("d", "1") for j in numbers}
    return {**columns, **{f"q{j}t": ("1", "d") for j in numbers}, "N": ("d", "d")}


def _rays(_: Context) -> Computed:
    found: dict[object, str] = {(n, k): show_words(_on_ray(n, k)) for n in _DEPTHS for k in range(1, n + 1)}
    found["any v, w"] = show_words(_on_ray(2, 1, singular=False))
    scope = sizes(_shapes(*range(7)), *(_on_ray(n, k) for n in _DEPTHS for k in range(1, n + 1)))
    shown = r"\nabla_{W^{r,l}} L = u^{n-1} (w^{\mathsf T} G v)\, q_l q_{l-1}^{\mathsf T}"
    return Computed(found, Scope.over(n=_DEPTHS) & scope, shown)


_RAYS: dict[object, str] = {
    **{(n, k): f"+1 q{k} q{k - 1}t" for n in _DEPTHS for k in range(1, n + 1)},
    "any v, w": "+1 q1 q0t +1 q1 q2t N",
}


def _any_layer(_: Context) -> Computed:
    """A layer q_b q_a^T on a product q_a q_0^T of any number of them, and after^T G before^T around layer k.

    after = q_n q_k^T and before = q_j q_0^T, j = k - 1, are such products; for k = n or k = 1 there is none.
    """
    unit: Relations = {f"q{j}t q{j}": "" for j in ("a", "b", "j", "k", "n", "0")}
    grown = word_product(words("qb qat"), words("qa q0t"))
    middle, after, before = words("qn q0t + N"), words("qk qnt"), words("q0 qjt")
    placed = {
        "inner layer": word_product(after, middle, before),
        "last layer": word_product(middle, before),
        "first layer": word_product(after, middle),
    }
    square = word_product(words("qa qbt"), words("qb qat"))
    found = {"one more layer": show_words(modulo(grown, unit)), "its square": show_words(modulo(square, unit))}
    for name, value in placed.items():
        found[name] = show_words(without(without(modulo(value, unit), "N q0"), "qnt N"))
    return Computed(found, sizes(_shapes("a", "b", "j", "k", "n", "0"), grown, square, *placed.values()))


_ANY_LAYER = {
    "one more layer": "+1 qb q0t",
    "its square": "+1 qa qat",
    "inner layer": "+1 qk qjt",
    "last layer": "+1 qn qjt",
    "first layer": "+1 qk q0t",
}


def _in_one_norm(_: Context) -> Computed:
    """|w|' over |w|^{n-1} where |w| = sqrt(n) u and u' = u^{n-1}."""
    norm, n = sympy.Symbol("rho", positive=True), _Q + 2
    u = norm / sympy.sqrt(n)
    found = sympy.powsimp(sympy.expand_power_base(sympy.sqrt(n) * u ** (n - 1) / norm ** (n - 1)))
    return Computed(sympy.simplify(found), of_symbols({"n": _Q}, u), r"|w|' = n^{-(n-2)/2}\, |w|^{n-1}\,(a - b\,u^n)")


IN_ONE_NORM = Argument(
    "The speed on the ray in the norm of all weights",
    "identity",
    _in_one_norm,
    (_Q + 2) ** (-_Q / 2),
    {
        "that of one layer": sympy.Integer(1),
        "its inverse": (_Q + 2) ** (_Q / 2),
        "$n^{-(n-1)/2}$": (_Q + 2) ** (-(_Q + 1) / 2),
    },
    explanation=r"So the ray is left between $n^{(n-2)/2} J_n / a$ and twice that, $\varepsilon$ and $\delta$ being values of "
    r"$\lvert w\rvert$.",
)


def _linear(n: int) -> ResidualUnit:
    return ResidualUnit(n_shortcut(n))


def _linear_orders(_: Context) -> Computed:
    """The stationary order of zero of linear units."""
    return Computed({n: stationary_order(_linear(n), squared) for n in _DEPTHS}, over_depths(_DEPTHS, _linear))


_LINEAR_ORDERS = {n: n - 1 for n in _DEPTHS}

# Small networks.

_INNER = (Fraction(3, 5), Fraction(4, 5))
_DATA = (((1, 0), (0, 1)), ((1, -2), (4, 1)))
"""S = I/2 and M = [[0, 1], [-2, 0]]: -M e_1 = 2 e_2, so a = 2, b = 1/2."""


def _at_ray(net: Small, n: int, u: Fraction) -> dict[str, Fraction]:
    """The weights u q_l q_{l-1}^T in the first unit, zero in the others."""
    one, zero = Fraction(1), Fraction(0)
    ends = [(one, zero), *[_INNER] * (n - 1), (zero, one)] if net.d == 2 else [(one,)] * (n + 1)
    at = dict.fromkeys(net.names, zero)
    for layer in range(1, n + 1):
        for i, p in enumerate(ends[layer]):
            for j, q in enumerate(ends[layer - 1]):
                at[entry_symbol(f"W1_{layer}", i, j)] = u * p * q
    return at


@dataclass(frozen=True, slots=True)
class Ray:
    """The gradient of a small network at u = 0, 1/2, ..., 4, and the direction of the ray, all in parameter order."""

    n: int
    a: Fraction
    b: Fraction
    gradients: Mapping[Fraction, tuple[Fraction, ...]]
    direction: tuple[Fraction, ...]

    def along(self, speed: Callable[[Ray, Fraction], Fraction]) -> bool:
        """Whether -gradient = speed(u) times the direction for every u."""
        return all(
            gradient == tuple(-speed(self, u) * p for p in self.direction) for u, gradient in self.gradients.items()
        )


_SMALL = {
    **{
        (n, units, 2): (Small((n,) * units, *_DATA, shortcut=True), Fraction(2), Fraction(1, 2))
        for n, units in ((2, 1), (2, 2), (3, 1))
    },
    **{
        (n, units, 1): (Small((n,) * units, ((1,),), ((3,),), shortcut=True), Fraction(2), Fraction(1))
        for n, units in ((2, 2), (3, 2), (4, 1))
    },
}


def _small_rays(_: Context) -> Computed:
    found = {}
    for (n, units, d), (net, a, b) in _SMALL.items():
        slopes = net.gradient()
        grid = [Fraction(k, 2) for k in range(2 * n + 2)]
        at = {u: _at_ray(net, n, u) for u in grid}
        gradients = {u: tuple(value_at(s, point) for s in slopes) for u, point in at.items()}
        direction = tuple(_at_ray(net, n, Fraction(1))[name] for name in net.names)
        found[f"n={n}, R={units}, d={d}"] = Ray(n, a, b, gradients, direction)
    return Computed(found, Scope.of(*found), r"u' = u^{n-1} (a - b\, u^n)")


def _speed(ray: Ray, u: Fraction) -> Fraction:
    return u ** (ray.n - 1) * (ray.a - ray.b * u**ray.n)


def _all_along(found: Mapping[str, Ray], claim: Callable[[Ray, Fraction], Fraction]) -> None:
    for name, ray in found.items():
        if not ray.along(claim):
            raise Disagreement(f"{name}: the gradient on the ray is another")


def _least_degrees(_: Context) -> Computed:
    """The least degree of the monomials of the gradient, by n."""
    found = dict[int, set[int]]()
    for (n, _units, _d), (net, _a, _b) in _SMALL.items():
        degrees = {sum(power for _, power in monomial) for slope in net.gradient() for monomial in slope}
        found.setdefault(n, set()).add(min(degrees))
    return Computed(found, Scope.of(*(f"n={n}, R={units}, d={d}" for n, units, d in _SMALL)))


def _degrees(shift: int) -> dict[int, set[int]]:
    return {n: {n + shift} for n, _, _ in _SMALL}


_LAW = {r"$\log(1/\varepsilon)$ for every $n$": lambda n: 2, "one order higher": lambda n: n + 1}

CLOCK = Argument(
    "The clock of $u' = u^{n-1}$",
    "identity",
    _speeds,
    _CLOCK,
    {
        "$n - 1$ in place of $n - 2$": {**_CLOCK, "n > 2": -(_S ** (-_Q - 1)) / (_Q + 1)},
        "without the factor $1/(n - 2)$": {**_CLOCK, "n > 2": -(_S ** (-_Q))},
        "no logarithm": {**_CLOCK, "n = 2": -1 / _S},
        "$s^{1-n}$ increases": {**_CLOCK, "slope": 1 + _Q},
    },
    _is_clock,
    explanation=r"From $u'$ between $c u^{n-1}$ and $C u^{n-1}$ the time from $\varepsilon$ to $\delta$ lies between $J_n/C$ and "
    "$J_n/c$. As $s^{1-n}$ decreases, a step from $u$ to $u + h$ adds at most $h u^{1-n}$ to the clock: with "
    r"$h \le \eta C u^{n-1}$ at most $\eta C$.",
)

ORDERINGS = Argument(
    "The order of the $J_n$",
    "inequality",
    _orderings,
    _ORDERINGS,
    {
        "equal": {**_ORDERINGS, "step": sympy.Integer(0)},
        "$z^q - 1$": {**_ORDERINGS, "step": _Z**_Q - 1},
        "one more term": {**_ORDERINGS, "at 0": (0, 0, _Q)},
        "the third slope is constant": {**_ORDERINGS, "third slope": _Q**2},
    },
    explanation=r"With $z = \delta/\varepsilon$ and $q = n - 2$, $J_n = \delta^{-q} (z^q - 1)/q$. So "
    r"$J_{n+1}/J_n = q/(q+1) (z^{q+1} - 1)/(\delta (z^q - 1))$, and $z - 1 \ge 0$ makes it at least $q/(q+1) z/\delta$. "
    r"With $t = \log z \ge 0$ and $\delta \le 1$, $J_n \ge (e^{qt} - 1)/q \ge t + q t^2/2$: the difference vanishes at 0 "
    "with its first two derivatives, and the third one is positive.",
)

RAYS = Argument(
    "The gradient on the ray",
    "identity",
    _rays,
    _RAYS,
    {
        "for any $v$ and $w$": {**_RAYS, "any v, w": "+1 q1 q0t"},
        "transposed": {**_RAYS, (3, 2): "+1 q1 q2t"},
        "along the ends": {**_RAYS, (3, 2): "+1 q3 q0t"},
    },
    explanation=r"Of the $n$ layers $n - 1$ are around the one that moves: a factor $u^{n-1}$; and $w^{\mathsf T} G v = b u^n - a$. "
    r"The units at zero are the identity and stay at zero for $n \ge 2$ (DR-L3). So $u' = u^{n-1} (a - b u^n)$, between "
    r"$\tfrac{a}{2} u^{n-1}$ and $a u^{n-1}$ as long as $2 b u^n \le a$.",
)

ANY_LAYER = Argument(
    "Any number of layers after and before the one that moves",
    "identity",
    _any_layer,
    _ANY_LAYER,
    {
        "one more layer starts elsewhere": {**_ANY_LAYER, "one more layer": "+1 qb qat"},
        "along the ends": {**_ANY_LAYER, "inner layer": "+1 qn q0t"},
        "transposed": {**_ANY_LAYER, "inner layer": "+1 qj qkt"},
        "another norm": {**_ANY_LAYER, "its square": "+2 qa qat"},
    },
    explanation=r"Layer after layer the product stays of the form $q_b q_0^{\mathsf T}$ with unit vectors. The square of a layer has "
    r"the trace 1, so that $\lvert w\rvert^2 = n u^2$ with $n$ layers.",
)

EX_3 = Statement(
    id="EX-3",
    title="The fastest escape from a stationary point takes longer, the higher its order is",
    source=source(
        "I",
        "sections 2, 4.1",
        "the higher the order of a stationary point, the more difficult for a first order method to escape from it",
    ),
    latex=r"T_n(\epsilon) = \Theta(J_n), \quad J_2 = \log\frac{\delta}{\epsilon}, \quad J_n = \frac{\epsilon^{2-n} - \delta^{2-n}}{n-2} \ (n \ge 3)",
    uses=("DR-L3", "DR-M3", "DR-T2.1", "DR-T2.1s"),
    clauses=(
        Clause(
            r"Let $f = f(0) + h + r$, $h$ a homogeneous polynomial of degree $n \ge 2$ with $h(v) < 0$ for some $\lvert v\rvert = 1$, "
            r"$\lvert\nabla r\rvert \le K \lvert w\rvert^n$. From every start $\lvert w\rvert = \varepsilon$ the flow "
            r"needs at least $J_n/C$ to reach $\lvert w\rvert = \delta$, descent with steps $\eta$ at least "
            r"$J_n/(\eta C)$ steps; from $\varepsilon v$ the flow needs at most $J_n/c$, for small $\delta$. For "
            r"$\varepsilon < \delta \le 1$, $J_{n+1}/J_n \ge (n-2)/((n-1) \varepsilon)$ and "
            r"$J_n/J_2 \ge 1 + (n-2)/2 \log(\delta/\varepsilon)$. So the fastest escape from a point of higher order "
            r"takes longer, whatever the constants, if $\varepsilon$ is small.",
            {"n": 2, "d": 1},
            (TURNING, IN_THE_CONE, CLOCK, ORDERINGS, ON_POLYNOMIALS),
            changes=(
                Change(
                    "the more difficult",
                    r"the fastest escape from a point of higher order takes longer, whatever the constants, if $\varepsilon$ is small",
                ),
            ),
            hypotheses=(
                Hypothesis(
                    "$h$ takes negative values",
                    _takes_negative_values,
                    fails_on=(2, (Fraction(1, 2), Fraction(0))),
                    holds_on=(3, (Fraction(1, 3), Fraction(0))),
                    printed=False,
                    needed=Argument(
                        "$x^2/2 - y^4/4$, of order 1, against $-y^3/3$, of order 2, both left along $y$ from the same distance",
                        "instance",
                        _times,
                        Times(Fraction(99, 2), Fraction(9)),
                        {PRINTED: lambda t: t.first < t.second, "exchanged": Times(Fraction(9), Fraction(99, 2))},
                        matches,
                        explanation=r"$(\varepsilon^{-2} - 1)/2$ and $1/\varepsilon - 1$ at $\varepsilon = 1/10$. Here $h = x^2/2$ is "
                        "semidefinite, and the point no minimum.",
                    ),
                ),
            ),
        ),
        Clause(
            "Zero in linear $n$-shortcut networks is of order $n - 1$. On whitened data ($S v = b v$) the ray of a "
            "singular value $a > 0$ of $-M$ is left between $k J_n/a$ and $2 k J_n/a$, $k = n^{(n-2)/2}$, in the norm "
            r"$\lvert w\rvert$ of all weights, if $2 b (\delta^2/n)^{n/2} \le a$.",
            {"n": 2, "R": 1, "d": 1, "m": 1},
            (
                Induction(
                    "n",
                    Argument(
                        "Zero is of order $n - 1$ in linear networks, $n = 2..6$",
                        "index notation",
                        _linear_orders,
                        _LINEAR_ORDERS,
                        {"$n$": {n: n for n in _DEPTHS}, "$n - 2$": {n: n - 2 for n in _DEPTHS}},
                    ),
                    INDUCTION_STEP,
                ),
                Argument(
                    "The least degree of the gradient",
                    "explicit",
                    _least_degrees,
                    _degrees(-1),
                    {"$n$": _degrees(0), "$n - 2$": _degrees(-2)},
                    explanation="The gradient is a polynomial without terms of degree below $n - 1$ (DR-T2.1), so for "
                    r"$\lvert w\rvert \le 1$ its norm is at most $C \lvert w\rvert^{n-1}$, $C$ from its coefficients.",
                ),
                GRADIENT_STEP,
                Induction("n", RAYS, ANY_LAYER),
                IN_ONE_NORM,
                CLOCK,
                Argument(
                    "Gradients of small networks on the ray",
                    "explicit",
                    _small_rays,
                    _speed,
                    {
                        "$u^n$": lambda ray, u: u * _speed(ray, u),
                        "without $b$": lambda ray, u: u ** (ray.n - 1) * ray.a,
                        "the other sign": lambda ray, u: -_speed(ray, u),
                        "$b u^{n-1}$": lambda ray, u: u ** (ray.n - 1) * (ray.a - ray.b * u ** (ray.n - 1)),
                    },
                    _all_along,
                    explanation="At $2n + 2$ values of $u$, more than the degree $2n - 1$: equality of polynomials in $u$.",
                ),
            ),
            ours=True,
        ),
    ),
    evidence=(
        Argument(
            "Steps of gradient descent of running networks, $n = 2$, 3",
            "floating point",
            escapes_on_digits((2, 0.1), (3, 0.1)),
            lambda n: n,
            _LAW,
            steps_within,
        ),
        Argument(
            "Steps of gradient descent of running networks, $n = 2$, 3, 4, several starts",
            "floating point",
            escapes_on_digits((2, 0.01), (2, 0.001), (3, 0.05), (3, 0.025), (4, 0.1), (4, 0.07)),
            lambda n: n,
            _LAW,
            steps_within,
            deep=True,
        ),
    ),
    notes=r"'Harder' is read as the time that the gradient flow takes from the distance $\varepsilon$ to a fixed one; for "
    r"gradient descent the lower bound is proved, and running networks are measured (there $\varepsilon$ and $\delta$ are "
    r"norms of one layer, $\lvert w\rvert/\sqrt{n}$). From some starts a point of lower order may take longer. "
    r"$c = n \lvert h(v)\rvert / 4$, $C = A + K \delta$ with $\lvert\nabla h\rvert \le A \lvert w\rvert^{n-1}$.",
)

STATEMENTS = (EX_3,)
