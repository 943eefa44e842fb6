"""Why linear networks have no local minimum that is not global, with any weights and with shortcut 1.

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
from functools import reduce

from resproof.proofs.statement import Argument, Computed, Context, Disagreement, Induction
from resproof.proofs.theory.critical_points import Outcome, Small, chain_rays, outcome, sign_rays, without
from resproof.symbolic.algebra.critical import show as show_component
from resproof.symbolic.algebra.noncommutative import Relations, Words, modulo, sizes, words
from resproof.symbolic.algebra.noncommutative import product as word_product
from resproof.symbolic.algebra.noncommutative import show as show_words
from resproof.symbolic.scope import Scope

_LAST = {"W'": ("k", "d"), "w": ("k", "1"), "ut": ("1", "d")}
"""A layer W' and its change w u^T: of shape k x d, which is that of every layer where k = d."""

# Step 2: the product stays.


def _products(_: Context) -> Computed:
    """(W' + w u^T) P for a layer W' after the product P, with u^T P = 0 and without."""
    moved = word_product(words("W' + w ut"), words("P"))
    found = {"u^T P = 0": show_words(without(moved, "ut P")), "any u": show_words(moved)}
    free = sizes({**_LAST, "P": ("d", "d")}, moved, products={"P": "l"})
    return Computed(found, free, r"(W_{j+1} + \epsilon\, w u_j^{\mathsf T})\, P_j = P_{j+1}")


_PRODUCTS = {"u^T P = 0": "+1 W' P", "any u": "+1 W' P +1 w ut P"}

# Step 3: the coefficient of all changes.

_CHAINS = (1, 2, 3, 4, 5)


def _chain(count: int) -> Words:
    """(W_c + w_c u_{c-1}^T) ... (W_1 + w_1 u_0^T)."""
    return word_product(*(words(f"W{j} + w{j} u{j - 1}t") for j in range(count, 0, -1)))


def _top(count: int, relations: Relations) -> str:
    """The words with all changes in the product of a chain of layers."""
    changed = {word: c for word, c in _chain(count).items() if all(f"w{j}" in word for j in range(1, count + 1))}
    return show_words(modulo(changed, relations))


def _chain_sizes(count: int) -> Scope:
    """The last layer is k x d, the others are d x d."""
    shapes = dict[str, tuple[str, str]]()
    for j in range(1, count + 1):
        rows = "k" if j == count else "d"
        shapes |= {f"W{j}": (rows, "d"), f"w{j}": (rows, "1"), f"u{j - 1}t": ("1", "d")}
    return sizes(shapes, _chain(count)) & Scope.over(l=count)


def _coefficients(_: Context) -> Computed:
    found: dict[object, str] = {c: _top(c, {f"u{j}t w{j}": "" for j in range(1, c)}) for c in _CHAINS}
    found["any w, 2 layers"] = _top(2, {})
    free = reduce(Scope.__or__, map(_chain_sizes, _CHAINS))
    return Computed(found, free, r"[\epsilon_{s+1} \cdots \epsilon_l] = w_l\, u_s^{\mathsf T}")


_COEFFICIENTS: dict[object, str] = {**{c: f"+1 w{c} u0t" for c in _CHAINS}, "any w, 2 layers": "+1 w2 u1t w1 u0t"}


def _one_more(_: Context) -> Computed:
    """One more layer on a product P + w u_0^T, P being the part without some of the changes."""
    following = word_product(words("W' + w' ut"), words("P + w u0t"))
    top = {word: c for word, c in following.items() if "w'" in word and "w" in word}
    found = {"u^T w = 1": show_words(modulo(top, {"ut w": ""})), "any w": show_words(top)}
    shapes = {"W'": ("k", "d"), "w'": ("k", "1"), "ut": ("1", "d"), "P": ("d", "d"), "w": ("d", "1"), "u0t": ("1", "d")}
    free = sizes(shapes, following)
    return Computed(found, free, r"w' u_l^{\mathsf T}\, w_l\, u_s^{\mathsf T} = w' u_s^{\mathsf T}")


_ONE_MORE = {"u^T w = 1": "+1 w' u0t", "any w": "+1 w' ut w u0t"}


def _slope(_: Context) -> Computed:
    """u^T (w u^T)^T G: what the coefficient of the gradient in layer s says, u u^T = 1 as a number."""
    vector = word_product(words("ut"), words("u wt G"))
    found = {"|u| = 1": show_words(modulo(vector, {"ut u": ""})), "any u": show_words(vector)}
    free = sizes({"ut": ("1", "d"), "u": ("d", "1"), "wt": ("1", "k"), "G": ("k", "d")}, vector)
    return Computed(found, free, r"u_s\, w_l^{\mathsf T} G = 0 \;\forall w_l \implies G = 0")


_SLOPE = {"|u| = 1": "+1 wt G", "any u": "+1 ut u wt G"}

PERTURBED = (
    Argument(
        "Layers that may change without changing the product",
        "identity",
        _products,
        _PRODUCTS,
        {
            "whatever $u$ is": {**_PRODUCTS, "any u": "+1 W' P"},
            "the product changes": {**_PRODUCTS, "u^T P = 0": "+1 W' P +1 w ut P"},
        },
        explanation=r"Layer after layer from the first singular product $P_s$ on, $u_j^{\mathsf T} P_j = 0$: so all later products, "
        "and with them the loss, stay. A point near a local minimum with the same loss is a local minimum too.",
    ),
    Induction(
        "l",
        Argument(
            "The coefficient of all changes together",
            "identity",
            _coefficients,
            _COEFFICIENTS,
            {
                "it has $u_{l-1}$ in place of $u_s$": {**_COEFFICIENTS, 3: "+1 w3 u2t"},
                "for any $w$": {**_COEFFICIENTS, "any w, 2 layers": "+1 w2 u0t"},
                "it vanishes": {**_COEFFICIENTS, 4: "0"},
            },
            explanation=r"Chains of 1 to 5 layers; $u_j^{\mathsf T} w_j = 1$ for $w_j = u_j$, $\lvert u_j\rvert = 1$.",
        ),
        Argument(
            "One layer more after a chain",
            "identity",
            _one_more,
            _ONE_MORE,
            {
                "for any $w$": {**_ONE_MORE, "any w": "+1 w' u0t"},
                "it has $u_l$ in place of $u_s$": {**_ONE_MORE, "u^T w = 1": "+1 w' ut"},
                "it vanishes": {**_ONE_MORE, "u^T w = 1": "0"},
            },
            explanation=r"The chain's own coefficient of all changes is $w_l u_s^{\mathsf T}$, $w_l = u_l$.",
        ),
    ),
    Argument(
        "What is left says $G = 0$",
        "identity",
        _slope,
        _SLOPE,
        {"whatever $u$ is": {**_SLOPE, "any u": "+1 wt G"}, "nothing": {**_SLOPE, "|u| = 1": "0"}},
        explanation=r"The gradient in layer $s$, $(\cdots)^{\mathsf T} G P_{s-1}^{\mathsf T}$, is a polynomial in the $e_j$ that "
        r"vanishes for all small ones, and $P_{s-1}^{\mathsf T}$ cancels.",
    ),
)

# Every critical point of small networks.

ONE, TWO = ((1,),), ((2,),)


def classified(nets: Mapping[str, tuple[Small, tuple[int, ...]]]) -> dict[str, dict[Outcome, int]]:
    """How many critical points on a grid have which outcome."""
    found = dict[str, dict[Outcome, int]]()
    for name, (net, values) in nets.items():
        layers = sum(net.units)
        rays = sign_rays(layers) if net.d == 1 else chain_rays(net.d, layers)
        found[name] = dict(Counter(outcome(net, point, rays) for point in net.critical_points(values)))
    return found


def components(net: Small) -> tuple[str, ...]:
    """The components with the weights as w1, w2, ..."""
    shown = [show_component(one) for one in net.critical_components()]
    for number, name in enumerate(net.names, start=1):
        shown = [text.replace(name, f"w{number}") for text in shown]
    return tuple(sorted(shown))


def no_spurious(found: Mapping[str, Mapping[Outcome, int]], claim: Mapping[str, set[Outcome]]) -> None:
    """Pass when the outcomes that occur at each size are those claimed.

    Raises:
        Disagreement: others occur.
    """
    for name, counts in found.items():
        if set(counts) != claim[name]:
            raise Disagreement(f"{name}: the critical points are {dict(counts)}; claimed {claim[name]}")
