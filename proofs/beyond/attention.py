"""Self-attention at zero weights: a 2-shortcut unit in the values and the output (GEN-7).

At zero all scores K^T Q vanish, so the softmax is uniform over the tokens that are seen: C_sr = 1/t, with a causal
mask C_sr = [s <= r]/r. What is left to second order is O V pre(h) C, and the queries and keys come in with the scores,
which are themselves of order two. Indices: i, j rows, s, r tokens, u samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product
from types import SimpleNamespace

from resproof.architectures.activations import silu
from resproof.architectures.losses import generic_loss
from resproof.proofs.beyond.attention_forms import (
    BLOCKS,
    CAUSAL,
    HEADS,
    ONE_HEAD,
    SMALL,
    Form,
    absent_weights,
    all_at_degree,
    attended_forms,
    columns_of_softmax,
    covariance,
    least_scored_degrees,
    null_values,
    orders_with_bias,
    ranks_of_m,
    same_attended_forms,
    same_count,
    same_parts,
    same_scored_part,
    same_written_parts,
    same_zeros,
    scored_degrees,
    scored_part,
    scores_of_one_more,
    through_sequences,
    transformer_unit,
    uniform_share,
    written_out,
    written_scored_parts,
    zeros_on_digits,
)
from resproof.proofs.beyond.side_by_side import SIDE_BY_SIDE
from resproof.proofs.beyond.trichotomy import CONTINUOUS, LOSS_ONCE, SLOPES
from resproof.proofs.routes.hessians import Claim, index_forms, same_forms
from resproof.proofs.routes.running_network import observed_product, on_tokens
from resproof.proofs.statement import Argument, Clause, Hypothesis, Induction, Statement
from resproof.proofs.theory.coupled_blocks import COUPLED_BLOCKS
from resproof.proofs.theory.generic_units import FLAT_AT_ZERO

_HEAD = "m^-1 * t^-1 * pre(X)[j,s,u] * g[i,r,u] * dO(1)[i,a] * dV(1)[a,j]"


def _heads(pre: str, heads: Sequence[tuple[str, str]], mask: str = "C[s,r]") -> str:
    return " + ".join(f"m^-1 * {pre}[j,s,u] * {mask} * g[i,r,u] * dO{o}(1)[i,a] * dV{v}(1)[a,j]" for o, v in heads)


_OWN = {1: (("", ""),), 2: (("1", "1"), ("2", "2"))}
_MLP = "m^-1 * mid'(0) * LN(X)[j,s,u] * g[i,s,u] * dW2(1)[i,a] * dW1(1)[a,j]"


def _causal(heads: int) -> str:
    return _heads("pre(X)", _OWN[heads])


def _block(heads: int) -> str:
    return f"{_heads('LN(X)', _OWN[heads])} + {_MLP}"


_SCORES = (
    "t^-1 * dO(1)[i,a] * dV(1)[a,j] * pre(X)[j,s,u] * dK(1)[k,l] * pre(X)[l,s,u] * dQ(1)[k,p] * pre(X)[p,r,u]"
    " - t^-2 * dO(1)[i,a] * dV(1)[a,j] * pre(X)[j,s,u] * dK(1)[k,l] * pre(X)[l,q,u] * dQ(1)[k,p] * pre(X)[p,r,u]"
)
_MOVES = {"LayerNorm": False, "RMSNorm": True, "nothing": True}

# Evidence on the running network.

_RUNNING = transformer_unit(1, silu)
_RUN_HEAD = _HEAD.replace("pre(X)", "LN(X)")
_RUN_MLP = _MLP.replace("mid'(0)", "1/2")
_RUN = f"{_RUN_HEAD} + {_RUN_MLP}"


def _by_bias(without: tuple[int, bool], with_bias: tuple[int, bool]) -> dict[tuple[int, str], tuple[int, bool]]:
    return {
        (heads, name): one
        for heads in HEADS
        for name, one in (("no output bias", without), ("with output bias", with_bias))
    }


_WIDTHS = {"R": 1, "d": 1, "k": 1, "t": 1, "m": 1}

_ONE_HEAD = Argument(
    "One head with any pre, any loss",
    "index notation",
    index_forms(ONE_HEAD, generic_loss),
    Claim(_HEAD),
    {
        "$M$ transposed": Claim(_HEAD.replace("pre(X)[j,s,u] * g[i,r,u]", "pre(X)[i,s,u] * g[j,r,u]")),
        "the sum over tokens in place of their mean": Claim(_HEAD.replace("t^-1 * ", "")),
        "each token attends to itself": Claim(_HEAD.replace("t^-1 * ", "").replace("g[i,r,u]", "g[i,s,u]")),
        "units interact": Claim(_HEAD, _HEAD.replace("dO(1)", "dO(2)")),
    },
    same_forms,
    explanation="The softmax at zero scores is $1/t$ exactly, whatever pre and the data are.",
)
_CAUSAL_HEADS = Argument(
    "One and two heads with a causal mask",
    "index notation",
    attended_forms(CAUSAL, generic_loss),
    lambda heads: Claim(_causal(heads)),
    {
        "tokens attend to later ones": lambda heads: Claim(_causal(heads).replace("C[s,r]", "C[r,s]")),
        "heads interact": lambda heads: Claim(
            _heads("pre(X)", (*_OWN[heads], ("1", "2")) if heads > 1 else _OWN[heads])
        ),
        "all tokens are seen": lambda heads: Claim(_heads("pre(X)", _OWN[heads], "t^-1")),
        "units interact": lambda heads: Claim(
            _causal(heads), _heads("pre(X)", _OWN[heads]).replace("V(1)", "V(2)").replace("V1(1)", "V1(2)")
        ),
    },
    same_attended_forms,
    explanation="$C$ is the softmax at zero scores over the tokens that are seen.",
)
_COLUMNS = Argument(
    "$C$: zero scores, the causal mask, columns that sum to one",
    "index notation",
    columns_of_softmax,
    ((), "causal", 0, {((), ()): 1}),
    {
        "rows sum to one": ((), "causal", 1, {((), ()): 1}),
        "no mask": ((), None, 0, {((), ()): 1}),
    },
    explanation="Equal scores give equal weights to the $r$ tokens that token $r$ sees.",
)
_NULL_VALUES = Argument(
    r"LayerNorm in front: $V = a \mathbf 1^{\mathsf T}$ is in the kernel",
    "index notation",
    null_values,
    _MOVES,
    {"RMSNorm too": {**_MOVES, "RMSNorm": False}, "in front or not": dict.fromkeys(_MOVES, False)},
    explanation=r"$d$ null directions $a$ for each unit; $M$ is then a singular square matrix, so that $O = u a^{\mathsf T}$ with "
    r"$M^{\mathsf T} u = 0$ is in the kernel as well: at least $2 d$ for each unit.",
)
_THROUGH_SEQUENCES = Argument(
    "$M$ without a mask is a sum of $m$ products of a column and a row",
    "index notation",
    through_sequences,
    {"all tokens": True, "causal": False},
    {"with a causal mask too": {"all tokens": True, "causal": True}},
    explanation=r"Only the sample index joins $g$ to $\mathrm{pre}(h)$, so $\mathrm{rank}\, M \le m$; with a mask tokens join them as "
    "well.",
)
_RANKS = Argument(
    "The rank of $M$, exactly",
    "explicit",
    ranks_of_m,
    {"all tokens, m=1": 1, "all tokens, m=2": 2, "causal, m=1": 3},
    {
        "at most $m$ with a causal mask": {"all tokens, m=1": 1, "all tokens, m=2": 2, "causal, m=1": 1},
        "one at any $m$": {"all tokens, m=1": 1, "all tokens, m=2": 1, "causal, m=1": 3},
    },
)
_EACH = dict.fromkeys(product(HEADS, ("all tokens", "causal")), (4, {"KOQV"}))
_SCORED = Argument(
    "Queries and keys enter with values and output, at degree four",
    "index notation",
    scored_degrees,
    _EACH,
    {
        "at degree three": dict.fromkeys(_EACH, (3, {"KOQ"})),
        "keys alone": {**_EACH, (1, "all tokens"): (4, {"KOQV", "KKOV"})},
    },
    explanation="The input is arbitrary, so this holds in a network of any depth: whatever composes units, a term "
    "with a query or a key has at least four weights of that unit.",
)
_SCORED_MORE = Argument(
    "One more head beside any others, after any units",
    "index notation",
    scores_of_one_more,
    (4, {"KOQV"}, False),
    {"at degree three": (3, {"KOQ"}, False), "other heads enter its scores": (4, {"KOQV"}, True)},
    explanation="$z$ is what other heads, however many, add to the output: heads see the same input, which is arbitrary.",
)
_SCORED_PART = Argument(
    "What queries and keys add at degree four: the covariance of values and scores over the tokens",
    "index notation",
    scored_part,
    _SCORES,
    {
        "without the mean": _SCORES.split(" - ")[0],
        "queries and keys exchanged": _SCORES.replace("dK(1)", "dK(0)")
        .replace("dQ(1)", "dK(1)")
        .replace("dK(0)", "dQ(1)"),
        "the first term twice": f"2 * {_SCORES}",
    },
    same_scored_part,
)
_WRITTEN_PART = Argument(
    "The same in tiny blocks",
    "explicit",
    written_scored_parts,
    covariance,
    {
        "without the mean": partial(covariance, centred=False),
        "of the other token": lambda one, r: covariance(one, one.tokens - 1 - r),
    },
    same_written_parts,
)
_ABSENT = Argument(
    "The weights that occur in no second derivative, counted",
    "index notation",
    absent_weights,
    lambda heads, d, k: 2 * heads * d * k,
    {
        "queries alone": lambda heads, d, k: heads * d * k,
        "whatever the heads": lambda heads, d, k: 2 * d * k,
        "values too": lambda heads, d, k: 3 * heads * d * k,
    },
    same_count,
    explanation=r"With $k = d / \mathrm{heads}$ that is $2 d^2$ a unit.",
)
_BLOCK_FORMS = Argument(
    r"A causal transformer block with one and two heads, any activation with $\mathrm{mid}(0) = 0$, any loss",
    "index notation",
    attended_forms(BLOCKS, generic_loss),
    lambda heads: Claim(_block(heads)),
    {
        "the MLP sees the attention": lambda heads: Claim(
            f"{_block(heads)} + {_MLP.replace('dW1(1)[a,j]', f'dV{_OWN[heads][0][1]}(1)[a,j]')}"
        ),
        "attention left out": lambda heads: Claim(_MLP),
        "without the normalisation": lambda heads: Claim(_block(heads).replace("LN(X)", "X")),
        "units interact": lambda heads: Claim(_block(heads), _MLP.replace("dW2(1)", "dW2(2)")),
    },
    same_attended_forms,
)
_ORDERS = Argument(
    "Order two without an output bias, order one with it",
    "index notation",
    orders_with_bias,
    _by_bias((2, False), (1, True)),
    {
        "a bias does not matter": _by_bias((2, False), (2, False)),
        "units interact": _by_bias((2, True), (1, True)),
    },
)
_TINY_HEADS = Argument(
    "Tiny heads written out, softmax expanded around equal scores",
    "explicit",
    written_out(SMALL[:4]),
    Form(uniform_share),
    {
        "$M$ transposed": Form(uniform_share, transposed=True),
        "the sum over tokens in place of their mean": Form(lambda one, s, r: Fraction(one.sees(s, r))),
        "the mask forgotten": Form(lambda one, s, r: Fraction(1, one.tokens)),
        "units interact": Form(uniform_share, units=lambda r, s: r >= s),
        "heads interact": Form(uniform_share, heads=lambda o, v: True),
    },
    same_parts,
    explanation="Symbolic data; loops over heads, tokens and entries share nothing with the index route.",
)
_TINY_BLOCK = Argument(
    "A tiny transformer block written out",
    "explicit",
    written_out(SMALL[4:]),
    Form(uniform_share),
    {
        "$M$ transposed": Form(uniform_share, transposed=True),
        "the mask forgotten": Form(lambda one, s, r: Fraction(1, one.tokens)),
        "units interact": Form(uniform_share, units=lambda r, s: r >= s),
    },
    same_parts,
)
_LEAST = Argument(
    "The least degree of queries and keys in tiny blocks",
    "explicit",
    least_scored_degrees,
    4,
    {"two": 2, "three": 3, "five": 5},
    all_at_degree,
)

_MID = (
    replace(
        FLAT_AT_ZERO,
        sentence=r"$\mathrm{mid}(0) = 0$",
        predicate=lambda one: one.mid.taylor(0).rational == 0,
        quote="",
        where="",
    ),
    replace(SLOPES, sentence="mid is differentiable at 0", predicate=lambda one: 0 not in one.mid.kinks),
)
_DIFFERENTIABLE = Hypothesis(
    "pre is differentiable at the data",
    lambda one: not {*one.kinks} & {*one.data},
    SimpleNamespace(kinks=(0,), data=(0,)),
    holds_on=SimpleNamespace(kinks=(0,), data=(1,)),
)

GEN_7 = Statement(
    id="GEN-7",
    title="Self-attention at zero weights is a 2-shortcut unit in its values and output",
    source=None,
    latex=r"M = \frac1m \sum_\mu \Big(\sum_t g^\mu_t\Big)\, \bar h^{\mu\,\mathsf T}, \qquad "
    r"\text{causal: } M = \frac1m \sum_\mu \sum_t g^\mu_t \Big(\frac1t \sum_{s \le t} \sigma_{\mathrm{pre}}(h^\mu)_s\Big)^{\mathsf T}",
    hypotheses=(LOSS_ONCE,),
    uses=("GEN-1", "GEN-2", "GEN-6"),
    setting=r"Attention is $h + W_o W_v\, \mathrm{pre}(h)\, \mathrm{softmax}(\cdots)$ with pre continuous "
    "at the data, and differentiable there where query and key weights are spoken of.",
    clauses=(
        Clause(
            "With zero weights attention is a 2-shortcut unit in $(W_v, W_o)$: $A = 0$, and $M = (1/m)$ sum over samples "
            r"of $(\sum_t g_t) \bar h^{\mathsf T}$, $\bar h$ the token mean of $\mathrm{pre}(h)$; with a causal mask "
            r"$\sum_t g_t\, (\text{mean over } s \le t \text{ of } \mathrm{pre}(h)_s)^{\mathsf T}$ in its place. Heads do "
            "not interact.",
            {"heads": 1, **_WIDTHS},
            (_ONE_HEAD, Induction("heads", _CAUSAL_HEADS, SIDE_BY_SIDE), _COLUMNS, _TINY_HEADS),
            (CONTINUOUS,),
        ),
        Clause(
            "Without a mask the rank of $M$ is at most the number of sequences.",
            {"d": 1, "t": 1, "m": 1},
            (_THROUGH_SEQUENCES, _RANKS),
        ),
        Clause(
            "Query and key weights enter the loss not before order four: $2 d d_k$ null directions a head.",
            {"heads": 1, **_WIDTHS},
            (
                Induction("heads", _SCORED, _SCORED_MORE),
                _SCORED_PART,
                _WRITTEN_PART,
                Induction("heads", _ABSENT, SIDE_BY_SIDE),
                _LEAST,
            ),
            (_DIFFERENTIABLE,),
        ),
        Clause(
            r"LayerNorm as pre (without gain and offset) makes $M \mathbf 1 = 0$.",
            _WIDTHS,
            (_NULL_VALUES, COUPLED_BLOCKS),
        ),
        Clause(
            r"A causal transformer block without biases, $\mathrm{mid}(0) = 0$ and mid differentiable at 0, is a "
            "2-shortcut network at zero.",
            {"heads": 1, "f": 1, **_WIDTHS},
            (
                Induction("heads", _BLOCK_FORMS, SIDE_BY_SIDE),
                Induction("heads", _ORDERS, SIDE_BY_SIDE),
                _TINY_BLOCK,
            ),
            (*_MID, CONTINUOUS),
        ),
    ),
    evidence=(
        observed_product(
            "$H v$ of a network of transformer blocks, $R = 1000$",
            lambda context: on_tokens(_RUNNING, 1000, context, samples=12, tokens=4, k=3, f=5),
            Claim(_RUN),
            {
                "each token attends to itself": Claim(
                    f"{_RUN_HEAD.replace('t^-1 * ', '').replace('g[i,r,u]', 'g[i,s,u]')} + {_RUN_MLP}"
                ),
                "the MLP left out": Claim(_RUN_HEAD),
                "units interact": Claim(_RUN, _RUN_MLP.replace("dW2(1)", "dW2(2)")),
            },
            deep=True,
        ),
        Argument(
            "Zeros of the Hessian of two-head attention on three sequences of digits",
            "floating point",
            zeros_on_digits,
            lambda one: 2 * one.heads * one.d * one.k + one.heads * one.k * 2 * (one.d - one.samples),
            {
                "queries and keys alone": lambda one: 2 * one.heads * one.d * one.k,
                "$M$ of full rank but one": lambda one: 2 * one.heads * one.d * one.k + one.heads * one.k * 2,
            },
            same_zeros,
            explanation=r"$2 d k$ a head for queries and keys, and $2 k (d - \mathrm{rank}\, M)$ a head with $\mathrm{rank}\, M = m = 3$.",
        ),
    ),
    notes="Any number of heads: a sum of branches, as in GEN-6; computed for up to four. The bound $m$ on the rank of $M$ "
    r"holds without a mask; with one rows and columns meet in the tokens as well. A factor $1 / \sqrt{d_k}$ of the scores "
    "changes nothing up to order three. Biases inside the MLP are those of DR-Eq3, and join $\\bar r$ to its $M$.",
)
