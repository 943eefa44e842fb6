"""Networks with units of several kinds, exact and running, for GEN-10: a pattern is written as one unit (`in_a_row`).

a: h + post(W pre(h)), n = 1 and generic, order one; b: h + W2 softplus(W1 h + b), order one; c: h + W^T (V + V^2), V = W h, order
two for every h; f: Fixup, order one, with random inner weights of its own at every place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate
from string import ascii_lowercase

from resproof.architectures.activations import silu, softplus, tanh
from resproof.architectures.catalogue import biased
from resproof.architectures.losses import squared
from resproof.architectures.nodes import Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.beyond.two_units import ANY_BLOCK, assembled, in_toeplitz_form
from resproof.proofs.routes.hessians import Claim, explicit_entries, size
from resproof.proofs.routes.running_network import observed_product, on_data
from resproof.proofs.statement import Argument, Computed, Context, Disagreement
from resproof.proofs.theory.patterns import in_a_row
from resproof.symbolic.scope import Scope
from resproof.symbolic.written.instances import Quadratic
from resproof.symbolic.written.plans import weight_offsets

KINDS: Mapping[str, ResidualUnit] = {
    "a": ANY_BLOCK["n = 1"],
    "b": ANY_BLOCK["biased"],
    "c": ANY_BLOCK["tied weights"],
    "f": ANY_BLOCK["Fixup"],
}
_DIMS = {"d": 2, "k": 1}


@lru_cache
def _entries(pattern: str) -> Quadratic:
    """The upper triangle of the exact Hessian of the pattern, d = 2, one sample, symbolic data."""
    return explicit_entries(in_a_row([KINDS[kind] for kind in pattern]), squared, size(1, d=2, k=1))


def _block(pattern: str, s: int, r: int) -> Quadratic:
    """Block (s, r), s <= r, of the upper triangle: earlier row, later column, from 1 on."""
    counts = [weight_offsets(KINDS[kind], _DIMS)[1] for kind in pattern]
    starts = [0, *accumulate(counts)]
    rows, columns = (range(starts[one - 1], starts[one]) for one in (s, r))
    return {
        (i - rows.start, j - columns.start): value
        for (i, j), value in _entries(pattern).items()
        if i in rows and j in columns
    }


@dataclass(frozen=True, slots=True)
class Place:
    """Where block (s, r) of a pattern stands in a smaller network: a pattern and two places in it; none where it is zero.

    `draws`: the places in the larger one whose random weights stand for those of the two; None: s and r.
    """

    pattern: str
    earlier: int
    later: int
    draws: tuple[int, int] | None = None


Source = Callable[[str, int, int], "Place | None"]


def _of_two(pattern: str, s: int, r: int) -> Place:
    """D_k of one unit, A_kl of a unit of kind l and one of kind k behind it."""
    if r == s:
        return Place(pattern[r - 1], 1, 1)
    return Place(pattern[s - 1] + pattern[r - 1], 1, 2)


def _from_small(found: tuple[str, ...], claim: Source) -> None:
    """Pass when every block of every pattern is the one that the claim names.

    Raises:
        Disagreement: one is another.
    """
    for pattern in found:
        for r in range(1, len(pattern) + 1):
            for s in range(1, r + 1):
                place = claim(pattern, s, r)
                expected = {} if place is None else _drawn(place, place.draws or (s, r))
                if _block(pattern, s, r) != expected:
                    raise Disagreement(f"{pattern}, units {s} and {r}: another block than that of {place}")


def _drawn(place: Place, draws: tuple[int, int]) -> Quadratic:
    """The block of the smaller network, its random weights W1a[1,2] named after the places of the larger one."""
    letters = dict(zip((place.earlier, place.later), draws, strict=True))
    names = {ascii_lowercase[own - 1]: ascii_lowercase[other - 1] for own, other in letters.items()}

    def renamed(symbol: str) -> str:
        return re.sub(r"\b([A-Z]\w*)([a-z])\[", lambda m: f"{m[1]}{names[m[2]]}[", symbol)

    return {
        where: {tuple(sorted((renamed(x), power) for x, power in monomial)): c for monomial, c in value.items()}
        for where, value in _block(place.pattern, place.earlier, place.later).items()
    }


_PATTERNS = ("aba", "bab", "acb", "bca", "cab", "abab", "aabb")


def _of(patterns: tuple[str, ...]) -> Callable[[Context], Computed]:
    """The Hessians of these patterns, which `_entries` keeps."""

    def compute(_: Context) -> Computed:
        for pattern in patterns:
            _entries(pattern)
        return Computed(patterns, Scope.of(*(f"{pattern}: R={len(pattern)}, d=2, m=1" for pattern in patterns)))

    return compute


def _swapped(pattern: str, s: int, r: int) -> Place | None:
    return Place(pattern[r - 1] + pattern[s - 1], 1, 2) if r > s else _of_two(pattern, s, r)


WRITTEN_OUT = Argument(
    "Seven patterns of three kinds, block by block, from networks of one and two units",
    "explicit",
    _of(_PATTERNS),
    _of_two,
    {
        "in the other order": _swapped,
        "units of two kinds do not interact": lambda pattern, s, r: (
            _of_two(pattern, s, r) if pattern[r - 1] == pattern[s - 1] else None
        ),
        "only adjacent units interact": lambda pattern, s, r: _of_two(pattern, s, r) if r - s <= 1 else None,
        "$D$ is that of the first unit": lambda pattern, s, r: (
            Place(pattern[0], 1, 1) if r == s else _of_two(pattern, s, r)
        ),
    },
    _from_small,
)


def _with_draws(draws: Callable[[int, int], tuple[int, int]]) -> Source:
    return lambda pattern, s, r: replace(_of_two(pattern, s, r), draws=draws(s, r))


OWN_DRAWS = Argument(
    "Units with random weights of their own, block by block, from networks of one and two units",
    "explicit",
    _of(("fff", "faf", "ffb")),
    _of_two,
    {
        "the draw of the earlier unit in both": _with_draws(lambda s, r: (s, s)),
        "the draws of the two exchanged": _with_draws(lambda s, r: (r, s)),
        "units with different draws do not interact": lambda pattern, s, r: _of_two(pattern, s, r) if r == s else None,
    },
    _from_small,
)


def _without(flat: str) -> Source:
    """As in the network without units of these kinds, beside D of each of those."""

    def source(pattern: str, s: int, r: int) -> Place | None:
        kept = [one for one, kind in enumerate(pattern, 1) if kind not in flat]
        if r in kept and s in kept:
            return Place("".join(pattern[one - 1] for one in kept), kept.index(s) + 1, kept.index(r) + 1)
        return Place(pattern[r - 1], 1, 1) if r == s else None

    return source


FLAT_PATTERNS = Argument(
    "The same patterns without their units of order two, beside the blocks of these",
    "explicit",
    _of(_PATTERNS),
    _without("c"),
    {
        "without the biased ones too": _without("bc"),
        "without those with $n = 1$ too": _without("ac"),
        "a unit of order two parts those before it from those behind": lambda pattern, s, r: (
            None if "c" in pattern[s : r - 1] else _without("c")(pattern, s, r)
        ),
    },
    _from_small,
)


def _repeated(_: Context) -> Computed:
    """Patterns repeated one to three times, the pattern as one unit."""
    found = {}
    for pattern in ("ab", "bca"):
        unit = in_a_row([KINDS[kind] for kind in pattern])
        hessians = {times: explicit_entries(unit, squared, size(times, d=2, k=1)) for times in (1, 2, 3)}
        found[pattern] = (weight_offsets(unit, _DIMS)[1], hessians)
    return Computed(found, Scope.of(*(f"{pattern}: R=1..3, d=2, m=1" for pattern in found)))


REPEATED = Argument(
    "Patterns as one unit, repeated one to three times",
    "explicit",
    _repeated,
    in_toeplitz_form,
    {
        "$A$ and its transpose exchanged": lambda r, s: "D" if r == s else "At" if r > s else "A",
        "only adjacent repetitions interact": lambda r, s: in_toeplitz_form(r, s) if abs(r - s) <= 1 else "0",
        "repetitions do not interact": lambda r, s: "D" if r == s else "0",
    },
    assembled,
)


# The running network: n = 1 with silu and tanh, and the biased unit with softplus, one after the other.


def alternating() -> ResidualUnit:
    """h + silu(W tanh(h)), then h + W2 softplus(W1 h + b)."""
    h, w = Input("d"), Weight("d", "d", name="W1")
    return in_a_row([ResidualUnit(h + silu(w @ tanh(h))), ResidualUnit(biased(softplus))])


_D_A = (
    "1/4 * m^-1 * dW1a(1)[i,j] * dW1a(1)[i,k] * g[i,u] * tanh(X)[j,u] * tanh(X)[k,u]"
    " + 1/8 * m^-1 * dW1a(1)[i,j] * dW1a(1)[i,k] * tanh(X)[j,u] * tanh(X)[k,u]"
)
_D_B = (
    "1/2 * m^-1 * X[j,u] * dW1b(1)[a,j] * dW2b(1)[i,a] * g[i,u] + 1/2 * m^-1 * dW2b(1)[i,a] * dbb(1)[a] * g[i,u]"
    " + 1/2 * log(2)^2 * dW2b(1)[i,a] * dW2b(1)[i,b]"
)


def _b_after_a(later: int) -> str:
    return f"1/2 * log(2) * m^-1 * dW1a(1)[i,j] * dW2b({later})[i,b] * tanh(X)[j,u]"


_A_AA = (
    "1/4 * m^-1 * dW1a(1)[i,j] * dW1a(2)[i,k] * tanh(X)[j,u] * tanh(X)[k,u]"
    " + 1/4 * m^-1 * dW1a(1)[i,j] * dW1a(2)[k,i] * g[k,u] * tanh'(X)[i,u] * tanh(X)[j,u]"
)
_A_AB_CURVED = "1/2 * log(2) * m^-1 * dW1a(2)[i,j] * dW2b(1)[i,b] * tanh(X)[j,u]"
_A_AB_SEEN = "1/2 * log(2) * m^-1 * dW1a(2)[i,j] * dW2b(1)[j,b] * g[i,u] * tanh'(X)[j,u]"
_A_BB = "log(2)^2 * dW2b(1)[i,a] * dW2b(2)[i,b]"

_WITHIN = f"{_D_A} + {_D_B} + {_b_after_a(1)}"
_BETWEEN = f"{_A_AA} + {_b_after_a(2)} + {_A_AB_CURVED} + {_A_AB_SEEN} + {_A_BB}"

OBSERVED = (
    observed_product(
        "$H v$ of 1000 units of two kinds in turn: $D_k$, and $A_{kl}$ for every two of them",
        lambda context: on_data(alternating(), 500, context, samples=200),
        Claim(_WITHIN, _BETWEEN),
        {
            "kinds that differ do not interact": Claim(f"{_D_A} + {_D_B}", f"{_A_AA} + {_A_BB}"),
            "within a repetition units do not interact": Claim(f"{_D_A} + {_D_B}", _BETWEEN),
            "$A_{kl}$ is that of the loss's curvature alone where kinds differ": Claim(
                _WITHIN, f"{_A_AA} + {_b_after_a(2)} + {_A_AB_CURVED} + {_A_BB}"
            ),
            "$A_{kl}$ and $A_{lk}$ alike": Claim(
                _WITHIN, f"{_BETWEEN} + {_A_AB_SEEN.replace('dW1a(2)', 'dW1a(1)').replace('dW2b(1)', 'dW2b(2)')}"
            ),
        },
    ),
)
