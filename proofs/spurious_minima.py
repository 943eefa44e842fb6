"""Linear networks have no local minimum that is not global (EX-10), with shortcut 1 neither (EX-2).

f = W_l ... W_1 x, hidden layers d x d, W_l of shape k x d, f's loss least where G = W S - T = 0. The proof, for every l:
let all W be a local minimum and P_j = W_j ... W_1.

1. Where P_{l-1} is invertible the gradient in W_l, G P_{l-1}^T, vanishes only for G = 0.
2. Else let P_s be the first singular one, and u_j a unit vector with u_j^T P_j = 0, j = s, ..., l - 1. For any vectors
   w_j and numbers e_j the layers W_j + e_j w_j u_{j-1}^T, j > s, have the same product, so for small e_j the loss is the
   same and the point a local minimum as well, hence critical.
3. The gradient in layer s there is (W_l + e_l w_l u_{l-1}^T ... W_{s+1} + e_{s+1} w_{s+1} u_s^T)^T G P_{s-1}^T, where P_{s-1} is
   invertible. It vanishes for all small e, so each of its coefficients does. With w_j = u_j for j < l the coefficient
   of e_{s+1} ... e_l is u_s w_l^T G, so w_l^T G = 0 for every w_l: G = 0.

The argument is that of Laurent and von Brecht, Deep Linear Networks with Arbitrary Loss (2018).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction

from architectures.catalogue import n_shortcut
from architectures.networks import ResidualUnit
from architectures.terms import Delta, InitialWeight, Opaque
from proofs.critical_points import (
    CANCEL,
    CONVEX,
    GRADIENT,
    Outcome,
    Small,
    chain_rays,
    outcomes,
    sign_rays,
    without,
)
from proofs.documents import source
from proofs.parts import Argument, Computed, Context, Disagreement, Scope, Statement
from proofs.written_out import FREE, any_value, plain_from
from symbolic.claims import parse, show
from symbolic.critical import show as show_component
from symbolic.lift import data
from symbolic.series import Sum, substitute
from symbolic.words import Relations, modulo, words
from symbolic.words import product as word_product
from symbolic.words import show as show_words

# Step 2: the product stays.


def _products(_: Context) -> Computed:
    """(W' + w u^T) P for a layer W' after the product P, with u^T P = 0 and without."""
    moved = word_product(words("W' + w ut"), words("P"))
    found = {"u^T P = 0": show_words(without(moved, "ut P")), "any u": show_words(moved)}
    return Computed(found, Scope.all("all l, j, d, k"), r"(W_{j+1} + \epsilon\, w u_j^{\mathsf T})\, P_j = P_{j+1}")


_PRODUCTS = {"u^T P = 0": "+1 W' P", "any u": "+1 W' P +1 w ut P"}

# Step 3: the coefficient of all changes.

_CHAINS = (1, 2, 3, 4, 5)


def _top(count: int, relations: Relations) -> str:
    """The words with all changes in (W_c + w_c u_{c-1}^T) ... (W_1 + w_1 u_0^T)."""
    layers = [words(f"W{j} + w{j} u{j - 1}t") for j in range(count, 0, -1)]
    whole = word_product(*layers)
    changed = {word: c for word, c in whole.items() if all(f"w{j}" in word for j in range(1, count + 1))}
    return show_words(modulo(changed, relations))


def _coefficients(_: Context) -> Computed:
    found: dict[object, str] = {c: _top(c, {f"u{j}t w{j}": "" for j in range(1, c)}) for c in _CHAINS}
    found["any w, 2 layers"] = _top(2, {})
    # One more layer on a product whose coefficient is w u_0^T already, w = u.
    following = word_product(words("W' + w' ut"), words("P + w u0t"))
    top = {word: c for word, c in following.items() if "w'" in word and "w" in word}
    found["one more layer"] = show_words(modulo(top, {"ut w": ""}))
    return Computed(
        found,
        Scope.all("every number of layers, all d, k"),
        r"[\epsilon_{s+1} \cdots \epsilon_l] = w_l\, u_s^{\mathsf T}",
    )


_COEFFICIENTS: dict[object, str] = {
    **{c: f"+1 w{c} u0t" for c in _CHAINS},
    "any w, 2 layers": "+1 w2 u1t w1 u0t",
    "one more layer": "+1 w' u0t",
}


def _slope(_: Context) -> Computed:
    """u^T (w u^T)^T G: what the coefficient of the gradient in layer s says, u u^T = 1 as a number."""
    vector = word_product(words("ut"), words("u wt G"))
    found = {"|u| = 1": show_words(modulo(vector, {"ut u": ""})), "any u": show_words(vector)}
    return Computed(found, Scope.all("all d, k"), r"u_s\, w_l^{\mathsf T} G = 0 \;\forall w_l \implies G = 0")


_SLOPE = {"|u| = 1": "+1 wt G", "any u": "+1 ut u wt G"}

PERTURBED = (
    Argument(
        "Layers that may change without changing the product",
        "identity",
        _products,
        _PRODUCTS,
        {
            "whatever u is": {**_PRODUCTS, "any u": "+1 W' P"},
            "the product changes": {**_PRODUCTS, "u^T P = 0": "+1 W' P +1 w ut P"},
        },
        explanation="Layer after layer from the first singular product P_s on, u_j^T P_j = 0: so all later products, and "
        "with them the loss, stay. A point near a local minimum with the same loss is a local minimum too.",
    ),
    Argument(
        "The coefficient of all changes together",
        "identity",
        _coefficients,
        _COEFFICIENTS,
        {
            "it has u_{l-1} in place of u_s": {**_COEFFICIENTS, 3: "+1 w3 u2t"},
            "for any w": {**_COEFFICIENTS, "any w, 2 layers": "+1 w2 u0t"},
            "it vanishes": {**_COEFFICIENTS, 4: "0"},
        },
        explanation="Chains of 1 to 5 layers and the induction step over one more layer; u_j^T w_j = 1 for w_j = u_j, |u_j| = 1.",
    ),
    Argument(
        "What is left says G = 0",
        "identity",
        _slope,
        _SLOPE,
        {"whatever u is": {**_SLOPE, "any u": "+1 wt G"}, "nothing": {**_SLOPE, "|u| = 1": "0"}},
        explanation="The gradient in layer s, (...)^T G P_{s-1}^T, is a polynomial in the e_j that vanishes for all small ones, "
        "and P_{s-1}^T cancels.",
    ),
)

# Every critical point of small networks.

_ONE, _TWO = ((1,),), ((2,),)


def _classified(nets: Mapping[str, tuple[Small, tuple[int, ...]]]) -> dict[str, dict[Outcome, int]]:
    """How many critical points on a grid have which outcome."""
    found = dict[str, dict[Outcome, int]]()
    for name, (net, values) in nets.items():
        least = _LEAST.get(name, Fraction(0))
        layers = sum(net.units)
        rays = sign_rays(layers) if net.d == 1 else chain_rays(net.d, layers)
        by_point = outcomes(net, net.critical_points(values), rays, least)
        found[name] = dict(Counter(by_point.values()))
    return found


_PLAIN = {
    "l=1, d=1": (Small((1,), _ONE, _TWO), (-2, -1, 0, 1, 2)),
    "l=2, d=1": (Small((2,), _ONE, _TWO), (-2, -1, 0, 1, 2)),
    "l=3, d=1": (Small((3,), _ONE, _TWO), (-2, -1, 0, 1, 2)),
    "l=2, d=2": (Small((2,), ((1, 0), (0, 1)), ((1, 0), (0, 1))), (0, 1)),
    "l=2, d=2, S singular": (Small((2,), ((1, 0), (0, 0)), ((1, 0), (0, 1))), (0, 1)),
}
_LEAST = {"l=2, d=2, S singular": Fraction(1, 4)}
"""The second sample is (0, 0), so the loss is at least |(0, 1)|^2 / 2m; elsewhere at least 0."""


def _plain_components(_: Context) -> Computed:
    """The components of the set of critical points for d = 1, X = 1, Y = 2."""
    found = {name: _short(net) for name, (net, _) in _PLAIN.items() if net.d == 1}
    return Computed(found, Scope.of(*(f"{name}, m=1, X=1, Y=2" for name in found)))


def _short(net: Small) -> tuple[str, ...]:
    """The components with the weights as w1, w2, ..."""
    shown = [show_component(one) for one in net.critical_components()]
    for number, name in enumerate(net.names, start=1):
        shown = [text.replace(name, f"w{number}") for text in shown]
    return tuple(sorted(shown))


_PLAIN_COMPONENTS = {
    "l=1, d=1": ("w1 - 2",),
    "l=2, d=1": ("w1*w2 - 2", "w1, w2"),
    "l=3, d=1": ("w1*w2*w3 - 2", "w1, w2", "w1, w3", "w2, w3"),
}


def _plain_outcomes(_: Context) -> Computed:
    return Computed(_classified(_PLAIN), Scope.of(*_PLAIN))


def _no_spurious(found: Mapping[str, Mapping[Outcome, int]], claim: Mapping[str, set[Outcome]]) -> None:
    """Pass when the outcomes that occur at each size are those claimed.

    Raises:
        Disagreement: others occur.
    """
    for name, counts in found.items():
        if set(counts) != claim[name]:
            raise Disagreement(f"{name}: the critical points are {dict(counts)}; claimed {claim[name]}")


_PLAIN_OUTCOMES: dict[str, set[Outcome]] = {
    "l=1, d=1": {"least"},
    "l=2, d=1": {"least", 2},
    "l=3, d=1": {"least", 2, 3},
    "l=2, d=2": {"least", 2},
    "l=2, d=2, S singular": {"least", 2},
}

EX_10 = Statement(
    id="EX-10",
    title="Linear networks have no local minimum that is not global",
    source=source("N", "Theoretically Awesome", "there are no sub-optimal local minima"),
    sentence="For f(x) = W_l ... W_1 x with W_1, ..., W_{l-1} of shape d x d and W_l of shape k x d every local minimum of the "
    "squared error is a global one.",
    latex=r"W \text{ a local minimum of } \mathbb E\,\|y - W_l \cdots W_1 x\|^2 \implies W \text{ a global minimum}",
    arguments=(
        GRADIENT,
        CONVEX,
        CANCEL,
        *PERTURBED,
        Argument(
            "All critical points of the smallest networks",
            "explicit",
            _plain_components,
            _PLAIN_COMPONENTS,
            {
                "only global minima": {**_PLAIN_COMPONENTS, "l=2, d=1": ("w1*w2 - 2",)},
                "all weights vanish": {**_PLAIN_COMPONENTS, "l=3, d=1": ("w1*w2*w3 - 2", "w1, w2, w3")},
            },
            explanation="Groebner bases of the gradient, split into components: the global minima, and where two weights "
            "vanish.",
        ),
        Argument(
            "At each critical point on a grid: the least loss, or the least degree with which the loss falls along a ray",
            "explicit",
            _plain_outcomes,
            _PLAIN_OUTCOMES,
            {
                "every critical point is global": {**_PLAIN_OUTCOMES, "l=2, d=1": {"least"}},
                "every other critical point is a strict saddle": {**_PLAIN_OUTCOMES, "l=3, d=1": {"least", 2}},
                "a spurious minimum": {**_PLAIN_OUTCOMES, "l=2, d=2": {"least", 2, None}},
            },
            _no_spurious,
            explanation="The loss is zero at the global minima (1/4 where S is singular). At w = 0 and l = 3 it falls with degree 3 only: the Hessian "
            "vanishes there, the saddle of zero curvature that the note speaks of.",
        ),
    ),
    notes="The note leans on Kawaguchi (2016, Theorem 2.3), who assumes X X^T and X Y^T of full rank, d_y <= d_x and distinct "
    "eigenvalues of T S^-1 T^T. The proof here, after Laurent and von Brecht (2018), needs no assumption on the data; "
    "it uses that no hidden layer is narrower than the input. The expectation is read as the mean over m samples; "
    "the factor 1/2 of the loss does not matter.",
)

# EX-2.

_SHORTCUT = {
    "R=1, d=1": (Small((1,), _ONE, _TWO, shortcut=True), (-2, -1, 0, 1)),
    "R=2, d=1": (Small((1, 1), _ONE, _TWO, shortcut=True), (-2, -1, 0, 1)),
    "R=3, d=1": (Small((1, 1, 1), _ONE, _TWO, shortcut=True), (-2, -1, 0, 1)),
    "R=2, d=2": (Small((1, 1), ((1, 0), (0, 1)), ((1, 0), (0, 1)), shortcut=True), (-1, 0)),
}


def _shifted(_: Context) -> Computed:
    """A plain layer V h with V = W + I and with V = W, against one unit h + W h and one with two layers."""
    plain, units = plain_from("identity"), {n: ResidualUnit(n_shortcut(n)) for n in (1, 2)}
    known = {"W": Opaque("W", ("d", "d")), "delta": Delta(("d", "d"))}
    layer = InitialWeight("W1", None, ("d", "d"))
    free = {"i": FREE["i"], "j": FREE["j"]}
    opened = show(substitute(any_value(units[1], data(units[1])), layer, parse("W[i,j]", known, free)))
    found = {
        text: show(substitute(_opaque(plain), layer, parse(text, known, free))) == opened
        for text in ("W[i,j] + delta[i,j]", "W[i,j]", "W[i,j] - delta[i,j]")
    }
    found["2 layers"] = show(any_value(units[2], data(units[2]))) == opened
    return Computed(found, Scope.all("all R, d, m"), r"h + W h = (W + I)\,h = V h")


def _opaque(unit: ResidualUnit) -> Sum:
    return any_value(unit, data(unit))


_SHIFTED = {"W[i,j] + delta[i,j]": True, "W[i,j]": False, "W[i,j] - delta[i,j]": False, "2 layers": False}


def _shortcut_components(_: Context) -> Computed:
    found = {name: _short(_SHORTCUT[name][0]) for name in ("R=1, d=1", "R=2, d=1")}
    return Computed(found, Scope.of(*(f"{name}, m=1, X=1, Y=2" for name in found)))


_SHORTCUT_COMPONENTS = {"R=1, d=1": ("w1 - 1",), "R=2, d=1": ("w1 + 1, w2 + 1", "w1*w2 + w1 + w2 - 1")}


def _shortcut_outcomes(_: Context) -> Computed:
    return Computed(_classified(_SHORTCUT), Scope.of(*_SHORTCUT))


_SHORTCUT_OUTCOMES: dict[str, set[Outcome]] = {
    "R=1, d=1": {"least"},
    "R=2, d=1": {"least", 2},
    "R=3, d=1": {"least", 2, 3},
    "R=2, d=2": {"least", 2},
}

EX_2 = Statement(
    id="EX-2",
    title="Linear residual networks with shortcut 1 have no spurious local minimum",
    source=source(
        "A",
        "sections 1, 2",
        "the deep linear residual networks with shortcut 1 has no spurious local minimum (Hardt and Ma, 2016)",
    ),
    sentence="For a linear network of R units h + W h every local minimum of the loss is a global one.",
    latex=r"W \text{ a local minimum of } \tfrac{1}{2m} \Bigl\|Y - \prod_{r=1}^{R} (W^r + I)\, X\Bigr\|_F^2 \implies W \text{ a global minimum}",
    uses=("EX-10",),
    arguments=(
        Argument(
            "A unit h + W h is a plain layer V h, V = W + I",
            "index notation",
            _shifted,
            _SHIFTED,
            {
                "V = W": {**_SHIFTED, "W[i,j]": True},
                "V = W - I": {**_SHIFTED, "W[i,j] - delta[i,j]": True},
                "so it is with two layers": {**_SHIFTED, "2 layers": True},
            },
            explanation="W -> W + I is a bijection of the weights, continuous both ways: local minima correspond to local minima "
            "of the plain network, k = d.",
        ),
        *EX_10.arguments,
        Argument(
            "All critical points of the smallest networks",
            "explicit",
            _shortcut_components,
            _SHORTCUT_COMPONENTS,
            {
                "only global minima, as in the ball |W| < 1": {
                    **_SHORTCUT_COMPONENTS,
                    "R=2, d=1": ("w1*w2 + w1 + w2 - 1",),
                },
                "zero": {**_SHORTCUT_COMPONENTS, "R=2, d=1": ("w1*w2 + w1 + w2 - 1", "w1, w2")},
            },
            explanation="For R = 2 there is one critical point that is not global, W = -I: outside the ball in which Hardt "
            "and Ma's theorem holds. It is a saddle.",
        ),
        Argument(
            "At each critical point on a grid: the least loss, or the least degree with which the loss falls along a ray",
            "explicit",
            _shortcut_outcomes,
            _SHORTCUT_OUTCOMES,
            {
                "every critical point is global": {**_SHORTCUT_OUTCOMES, "R=2, d=1": {"least"}},
                "every other critical point is a strict saddle": {**_SHORTCUT_OUTCOMES, "R=3, d=1": {"least", 2}},
                "a spurious minimum": {**_SHORTCUT_OUTCOMES, "R=2, d=2": {"least", 2, None}},
            },
            _no_spurious,
        ),
    ),
    errata=(
        "The sentence is given to Hardt and Ma (2016). Their theorem is about the ball max |W^r|_2 <= tau < 1, where there is "
        "no other critical point at all; outside of it there are, and that none of them is a local minimum is EX-10.",
    ),
    notes="True as printed, for all data; it is the reason given for it that does not suffice.",
)
