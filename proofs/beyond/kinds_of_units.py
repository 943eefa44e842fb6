"""Units of several kinds in any pattern, and units each with a draw of its own: two of them determine each block (GEN-10).

A unit of kind k is h + F_k(h; w) with T1_k = dF_k/dw, S1_k = d^2 F_k/(dh dw) and T2_k = d^2 F_k/dw^2 at the data and w_0. In index
strings w, v and z are the weights of three kinds; three units in a row can be of no more.

Explicit networks and the running one are in `proofs.beyond.kinds_evidence`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import product
from typing import TypeAlias

from resproof.architectures.losses import generic_loss
from resproof.proofs.beyond.depth_law import CORNER, COURANT, INTERLACING, PAIRS
from resproof.proofs.beyond.kinds_evidence import FLAT_PATTERNS, OBSERVED, OWN_DRAWS, REPEATED, WRITTEN_OUT
from resproof.proofs.beyond.two_units import (
    ANY_BLOCK,
    BRANCH_HYPOTHESIS,
    IDENTITY_HYPOTHESIS,
    LOSS_HYPOTHESIS,
    SCHWARZ,
    TAYLOR,
)
from resproof.proofs.routes.hessians import same_sum, same_sums
from resproof.proofs.statement import Argument, Clause, Computed, Context, Disagreement, Induction
from resproof.proofs.theory.coupled_blocks import NORMED, SCORED
from resproof.proofs.theory.patterns import PATTERN
from resproof.symbolic.certificates import Element, NotCertified, Orthant, occurring, orthant, standing_for
from resproof.symbolic.index import branches, sizes
from resproof.symbolic.index.claims import show
from resproof.symbolic.index.lift import pair_forms
from resproof.symbolic.index.series import Sum
from resproof.symbolic.scope import Scope

# Any branches.


def _of_kinds(text: str, later: str, earlier: str = "") -> str:
    """A form in T1_k, d_k, T1_l, ... with the letters of two kinds in place of k and l."""
    for mark, letter in (("k", later), ("l", earlier)):
        text = re.sub(rf"\b(T1|T2|S1)_{mark}\b", rf"\g<1>{'' if letter == 'w' else letter}", text)
        text = re.sub(rf"\bd_{mark}\b", f"d{letter}", text)
    return text


_SECOND = "1/2 * m^-1 * g[i,u] * T2_k[i,a,b,u] * d_k(1)[a] * d_k(1)[b]"
_SQUARE = "1/2 * m^-1 * Q[i,j,u] * T1_k[i,a,u] * T1_k[j,b,u] * d_k(1)[a] * d_k(1)[b]"
_SEEN = "m^-1 * g[i,u] * S1_k[i,a,j,u] * T1_l[j,b,u] * d_k(2)[a] * d_l(1)[b]"
_SEEN_BY_THE_EARLIER = "m^-1 * g[i,u] * S1_l[i,b,j,u] * T1_k[j,a,u] * d_k(2)[a] * d_l(1)[b]"
_CURVED = "m^-1 * Q[i,j,u] * T1_k[i,a,u] * T1_l[j,b,u] * d_k(2)[a] * d_l(1)[b]"

Block: TypeAlias = Callable[[str, int, int], str]
"""The index string of the pair of units (s, r), s <= r, of a pattern of letters."""


def _blocks(below: Callable[[str, str], str]) -> Block:
    """1/2 w^T D_k w, and for two units the form that is given for their kinds, the later one's first."""

    def block(pattern: str, s: int, r: int) -> str:
        later, earlier = pattern[r - 1], pattern[s - 1]
        form = f"{_SECOND} + {_SQUARE}" if r == s else below(later, earlier)
        return _of_kinds(form, later, earlier)

    return block


_OF_TWO = _blocks(lambda later, earlier: f"{_SEEN} + {_CURVED}")


def _patterns(_: Context) -> Computed:
    """The forms of every pair of units of every pattern of one to three units."""
    found = {
        "".join(letters): branches.hessian_forms(letters)
        for units in (1, 2, 3)
        for letters in product(branches.LETTERS, repeat=units)
    }
    forms = [form for one in found.values() for form in one.values()]
    shown = r"H_{rr} = D_{k_r},\qquad H_{rs} = A_{k_r k_s}\quad (r > s)"
    return Computed(found, branches.sizes(*forms) & Scope.over(R=(1, 2, 3)), shown)


def _same_patterns(found: Mapping[str, Mapping[tuple[int, int], Sum]], claim: Block) -> None:
    """Pass when each form of each pattern is the one claimed.

    Raises:
        Disagreement: one is another.
    """
    for pattern, forms in found.items():
        for (s, r), form in forms.items():
            same_sum(form, claim(pattern, s, r), branches.TENSORS, name=f"{pattern}, units {s} and {r}")


_PATTERNS = Argument(
    "Branches of three kinds: every block of every pattern of one to three units",
    "index notation",
    _patterns,
    _OF_TWO,
    {
        "the earlier unit sees the later one": _blocks(lambda later, earlier: f"{_SEEN_BY_THE_EARLIER} + {_CURVED}"),
        "kinds that differ do not interact": _blocks(
            lambda later, earlier: f"{_SEEN} + {_CURVED}" if later == earlier else "0"
        ),
        "the loss's curvature joins units of one kind alone": _blocks(
            lambda later, earlier: f"{_SEEN} + {_CURVED}" if later == earlier else _SEEN
        ),
        "only adjacent units interact": lambda pattern, s, r: _OF_TWO(pattern, s, r) if r - s <= 1 else "0",
    },
    _same_patterns,
)


def _one_more(_: Context) -> Computed:
    """What one more unit, of another kind, adds to the output at first degree and to the loss."""
    added = branches.one_more(("v",))
    free = branches.sizes_of_kinds(*added.before, added.first, added.second, added.loss)
    shown = r"x_{r+1} = x_r + T_k w,\qquad L_{r+1} - L_r = \tfrac12 w^{\mathsf T} D_k w + w^{\mathsf T} A_k[x_r]"
    return Computed({"output": added.first, "loss": added.loss}, free, shown)


_X = "m^-1 * g[i,u] * S1_k[i,a,j,u] * x[j,u] * d_k(2)[a] + m^-1 * Q[i,j,u] * T1_k[i,a,u] * x[j,u] * d_k(2)[a]"
_ONE = {
    "output": _of_kinds("T1_k[i,a,u] * d_k(2)[a]", "v"),
    "loss": _of_kinds(f"{_SECOND} + {_SQUARE}".replace("(1)", "(2)") + f" + {_X}", "v"),
}


def _same_addition(found: Mapping[str, Sum], claim: Mapping[str, str]) -> None:
    free = {"i": branches.ROW, "u": branches.SAMPLE}
    for name, form in found.items():
        same_sum(form, claim[name], branches.TENSORS, free if name == "output" else {}, name=name)


_STEP = Argument(
    "One more unit, of any kind, after any number of units of any kinds",
    "index notation",
    _one_more,
    _ONE,
    {
        "it brings in derivatives of the kind before": {**_ONE, "loss": _ONE["loss"].replace("S1v", "S1")},
        "the earlier units do not enter": {**_ONE, "loss": _ONE["loss"].split(" + m^-1 * g[i,u] * S1v")[0]},
        "their kinds enter its own block": {**_ONE, "loss": f"{_ONE['loss']} + m^-1 * Q[i,j,u] * x[i,u] * x[j,u]"},
    },
    _same_addition,
    explanation="$x$ is what the units before, whatever their number and kinds, have added at first degree: by induction the sum of "
    "$T_{1,l} w$ over them, $l$ the kind of each. In what is linear in $x$ the unit $r$ has $S_{1,k}$ and $T_{1,k}$ of "
    "its own kind, and the unit $s$ the $T_{1,l}$ of its own: no third one.",
)
_EVERY_PATTERN = Induction("R", _PATTERNS, _STEP)

# A draw of its own in each unit.

_DRAWN = {"Fixup": ANY_BLOCK["Fixup"], "LayerNorm in front": NORMED, "softmax at random scores": SCORED}
_PAIRS_OF_THREE = [(s, r) for r in (1, 2, 3) for s in range(1, r + 1)]


def _draws(_: Context) -> Computed:
    """Whose draws occur in each block of three units, each of which has its own."""
    found = {}
    for name, unit in _DRAWN.items():
        forms = pair_forms(unit, generic_loss, 3, own_initial=True)
        found[name] = {pair: _numbers_of_draws(forms[pair]) for pair in _PAIRS_OF_THREE}
    return Computed(found, sizes.of_units(_DRAWN.values()))


def _numbers_of_draws(form: Sum) -> frozenset[int]:
    """The units whose random weights occur, also within values of functions."""
    return frozenset(int(number) for number in re.findall(r"(?<![d\w])[A-Z]\w*\((\d)\)", show(form)))


Draws: TypeAlias = Callable[[int, int], set[int]]


def _only_of(found: Mapping[str, Mapping[tuple[int, int], frozenset[int]]], claim: Draws) -> None:
    """Pass when in each block the draws are those of the units claimed.

    Raises:
        Disagreement: others occur, or one of them does not.
    """
    for name, by_pair in found.items():
        for (s, r), numbers in by_pair.items():
            if {*numbers} != claim(s, r):
                raise Disagreement(f"{name}, units {s} and {r}: the draws of {sorted(numbers)} occur")


_DRAWS = Argument(
    "Three units, each with random weights of its own: whose draws a block has",
    "index notation",
    _draws,
    lambda s, r: {s, r},
    {
        "the later unit's alone": lambda s, r: {r},
        "all of them": lambda s, r: {1, 2, 3},
        "those of the units up to the later one": lambda s, r: {*range(1, r + 1)},
    },
    _only_of,
    explanation="A unit with a draw of its own is of a kind of its own. So block $(r, s)$ is $A$ of the two draws $w_r$ and $w_s$: "
    "$R$ blocks $D$ and $R (R - 1) / 2$ blocks $A$, all different.",
)

# Kinds of order two.

_FLAT = {
    "T1 = S1 = 0": frozenset({"T1v", "S1v"}),
    "T1 = S1 = T2 = 0": frozenset({"T1v", "S1v", "T2v"}),
    "T1 = 0 at the data alone": frozenset({"T1v"}),
}


def _flat_kind(_: Context) -> Computed:
    """D_k, A_kl and A_lk for a kind v with vanishing derivatives and any kind w, and what it adds after any others."""
    found: dict[str, Sum] = {}
    parts: list[Sum] = []
    for case, vanishing in _FLAT.items():
        behind, before = branches.hessian_forms("wv", vanishing), branches.hessian_forms("vw", vanishing)
        added = branches.one_more(("v",), vanishing)
        found |= {f"{case}, D_k": behind[2, 2], f"{case}, A_kl": behind[1, 2], f"{case}, A_lk": before[1, 2]}
        found |= {f"{case}, after others": added.loss, f"{case}, to the output": added.first}
        parts += [*behind.values(), *before.values(), *added.before, added.loss]
    return Computed(found, branches.sizes_of_kinds(*parts), r"T_k = S_k = 0:\quad A_{kl} = A_{lk} = 0")


_OWN_SECOND = _of_kinds(_SECOND, "v")
_LEFT = _of_kinds(_SEEN, "v", "w")
_LEFT_OF_X = "m^-1 * g[i,u] * S1v[i,a,j,u] * x[j,u] * dv(2)[a]"
_FLAT_FORMS = {
    **{f"{case}, {name}": "0" for case in _FLAT for name in ("D_k", "A_kl", "A_lk", "after others", "to the output")},
    "T1 = S1 = 0, D_k": _OWN_SECOND,
    "T1 = S1 = 0, after others": _OWN_SECOND.replace("(1)", "(2)"),
    "T1 = 0 at the data alone, D_k": _OWN_SECOND,
    "T1 = 0 at the data alone, A_kl": _LEFT,
    "T1 = 0 at the data alone, after others": f"{_OWN_SECOND.replace('(1)', '(2)')} + {_LEFT_OF_X}",
}
_FLAT_KIND = Argument(
    "A kind whose first derivatives vanish, before and behind any other",
    "index notation",
    _flat_kind,
    _FLAT_FORMS,
    {
        "$T_1 = 0$ at the data is enough": {
            **_FLAT_FORMS,
            "T1 = 0 at the data alone, A_kl": "0",
            "T1 = 0 at the data alone, after others": _OWN_SECOND.replace("(1)", "(2)"),
        },
        "units of order one behind it see it": {**_FLAT_FORMS, "T1 = S1 = 0, A_lk": _of_kinds(_SEEN, "w", "v")},
        "$D_k$ stays from order three on": {**_FLAT_FORMS, "T1 = S1 = T2 = 0, D_k": _OWN_SECOND},
    },
    same_sums(branches.TENSORS),
    explanation="It adds nothing to the output at first degree, so that $x$, which all that others see of it, is what it is without "
    "it; and with $S_{1,k} = 0$ it does not see $x$. The rest of the Hessian is that of the network without its units.",
)

# A pattern again and again.


def _places(_: Context) -> Computed:
    """Place P + k of a unit in the second of two repetitions, less place l of one in the first: k = 1 + a, P = l + b."""
    o = orthant("", "a b c")
    place, period, other = 1 + o["a"], 1 + o["c"] + o["b"], 1 + o["c"]
    gap = period + place - other
    return Computed((o, gap), standing_for(occurring(gap), {"b": "P"}), r"P + k - l \ge 1,\quad 1 \le k, l \le P")


def _behind(found: tuple[Orthant, Element], claim: int) -> None:
    """Pass when a unit stands so many places behind those of the repetition before, at least.

    Raises:
        Disagreement: it can be fewer.
    """
    o, gap = found
    try:
        o.at_least_zero(f"at least {claim}", gap - claim)
    except NotCertified as error:
        raise Disagreement(str(error)) from error


_BEHIND = Argument(
    "Each unit of a repetition stands behind all of the one before",
    "inequality",
    _places,
    1,
    {"two places behind": 2},
    _behind,
    explanation="The pattern is a unit that passes its input through, as a composition of such, so GEN-1 holds for it, with $D$ and "
    "$A$ from two repetitions. Its $D$ is the Hessian of $P$ units; and every block of its $A$ lies below the diagonal, "
    "so it is $A_{kl}$ with $k$ the kind in the later repetition.",
)

GEN_10 = replace(
    PATTERN,
    id="GEN-10",  # by which the registry finds the file
    sentence="",
    hypotheses=(IDENTITY_HYPOTHESIS, BRANCH_HYPOTHESIS, LOSS_HYPOTHESIS),
    uses=("GEN-1", "GEN-2", "GEN-3", "GEN-4"),
    setting="Unit $r$ is $h + F_k(h; w)$, $k = k_r$ its kind; at the data and $w_0$ $T_{1,k}$ and $T_{2,k}$ are the first and the second "
    "derivative of $F_k$ in $w$, $S_{1,k}$ the mixed one in $h$ and $w$.",
    clauses=(
        Clause(
            "Block $(r, r)$ is $D_k$ and block $(r, s)$, $r > s$, is $A_{kl}$, $k$ and $l$ the kinds of units $r$ and "
            r"$s$, for every depth and pattern: $w^{\mathsf T} D_k w = E[g^{\mathsf T} T_{2,k} w w + (T_{1,k} w)^{\mathsf "
            r"T} Q T_{1,k} w]$, $v^{\mathsf T} A_{kl} w = E[g^{\mathsf T} S_{1,k} v T_{1,l} w + (T_{1,k} v)^{\mathsf T} Q "
            "T_{1,l} w]$.",
            {"R": 1, "K": 1, "d": 1, "p": 1, "m": 1},
            (TAYLOR, SCHWARZ, _EVERY_PATTERN, WRITTEN_OUT),
        ),
        Clause(
            "Where every unit has a draw of its own, block $(r, s)$ is $A$ of the draws of units $r$ and $s$, whatever "
            "those of the others.",
            {"R": 1, "d": 1, "m": 1},
            (_STEP, _DRAWS, OWN_DRAWS),
        ),
        Clause(
            "Where $T_{1,k}$ and $S_{1,k}$ vanish, as at order two for every $h$ near the data, $A_{kl} = A_{lk} = 0$ "
            "for every $l$: the Hessian is that of the network without units of this kind, beside as many blocks $D_k$, "
            "which are zero from order three on. With $T_{1,k} = 0$ at the data alone, "
            r"$A_{kl} = E[g^{\mathsf T} S_{1,k} v T_{1,l} w]$ can be left.",
            {"R": 1, "K": 1, "d": 1, "p": 1, "m": 1},
            (_EVERY_PATTERN, _FLAT_KIND, FLAT_PATTERNS),
        ),
        Clause(
            "A pattern of $P$ units repeated $R$ times has "
            r"$H = I \otimes D + L \otimes A + L^{\mathsf T} \otimes A^{\mathsf T}$ with $D_k$ and $A_{kl}$, $k$ behind "
            "$l$, in $D$ and all $A_{kl}$ in $A$, $k$ and $l$ the kinds of its places; so GEN-2 to GEN-4 hold with $R$ "
            r"repetitions, as $\mathrm{cond}(H) \ge \lfloor R/2\rfloor \lvert A\rvert / \lvert D - A\rvert$.",
            {"R": 1, "P": 1, "d": 1, "p": 1, "m": 1},
            (_EVERY_PATTERN, _BEHIND, PAIRS, CORNER, COURANT, INTERLACING, WRITTEN_OUT, REPEATED),
        ),
    ),
    evidence=OBSERVED,
    notes="A kind is a branch with its initial point: two units of one block with different draws or scales are of two kinds. "
    "With branches $c_r F$, $c_r$ depending on the place, $D$ has $c_r B + c_r^2 C$ and block $(r, s)$ $c_r c_s A$, $B$, "
    "$C$ and $A$ of $F$ (GEN-9).",
)

STATEMENTS = (GEN_10,)
