"""What is computed for GEN-7: attention blocks at zero weights, in index notation and written out.

Indices: i, j rows, s, r tokens, u samples; C_sr is the softmax at zero scores, token r's share of token s.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import prod

from resproof.architectures.activations import tanh
from resproof.architectures.algebra import layer_norm, rms_norm
from resproof.architectures.catalogue import attend, transformer
from resproof.architectures.forms.terms import COLUMN, ROW, SAMPLE, Opaque, Perturbation, SoftmaxValue, Tensor
from resproof.architectures.losses import Loss, generic_loss, squared
from resproof.architectures.nodes import Activation, Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.beyond.written_attention import Share, Written, bilinear, core, least_degree_with, loss_parts
from resproof.proofs.block.spectrum import spectrum
from resproof.proofs.routes.hessians import Claim, Forms, index_forms, same_sum
from resproof.proofs.routes.running_network import on_tokens
from resproof.proofs.statement import Computed, Context, Disagreement, Measurement
from resproof.proofs.theory.generic_units import MID, PRE
from resproof.proofs.theory.regimes import index_blocks
from resproof.symbolic.algebra.matrices import rank
from resproof.symbolic.algebra.rings import Element, Plain
from resproof.symbolic.index import sizes
from resproof.symbolic.index.claims import vocabulary
from resproof.symbolic.index.expansion import expansion
from resproof.symbolic.index.lift import (
    data,
    hessian_form,
    layout,
    network_series,
    perturbations,
    unit_series,
)
from resproof.symbolic.index.paths import along
from resproof.symbolic.index.series import Monomial, Sum, add, contract, differentiate, series, tensor, thaw
from resproof.symbolic.scope import Scope


def attention_unit(
    pre: Callable[[Input], Expression] = lambda h: h, heads: int = 1, *, causal: bool = False
) -> ResidualUnit:
    """h + sum_i O_i V_i pre(h) softmax((K_i pre(h))^T (Q_i pre(h)))."""
    h = Input("d")
    return ResidualUnit(attend(h, pre(h), heads, causal=causal))


def transformer_unit(heads: int, mid: Activation = MID, *, causal: bool = False, bias: bool = False) -> ResidualUnit:
    """The pre-norm transformer block; with `bias`, one more weight added to its output."""
    expression = transformer(mid, heads=heads, causal=causal)
    return ResidualUnit(expression + Weight("d", name="b") if bias else expression)


ONE_HEAD = attention_unit(PRE)
CAUSAL_HEAD = attention_unit(PRE, causal=True)
HEADS = (1, 2)
"""Numbers of heads that are computed one by one; an induction goes on from there."""
CAUSAL = {heads: attention_unit(PRE, heads, causal=True) for heads in HEADS}
BLOCKS = {heads: transformer_unit(heads, causal=True) for heads in HEADS}


def over_heads(units: Mapping[int, ResidualUnit]) -> Scope:
    """The sizes of what was computed for a unit with each of these numbers of heads."""
    return sizes.of_units(units.values()) & Scope.over(heads=units)


# D and A for every size.


@dataclass(frozen=True, slots=True)
class Attended:
    """D and A of a unit with a causal mask, and the tensor C of its softmax at zero scores."""

    forms: Forms
    weights: Tensor


def attended_forms(units: Mapping[int, ResidualUnit], loss: Loss) -> Callable[[Context], Computed]:
    """D and A of units with a causal mask in index notation, by their number of heads."""

    def compute(context: Context) -> Computed:
        found: dict[int, Attended] = {}
        for heads, unit in units.items():
            forms = index_forms(unit, loss)(context).value
            (weights,) = {t for _, factors in forms.diagonal for t, _ in factors if isinstance(t, SoftmaxValue)}
            found[heads] = Attended(forms, weights)
        return Computed(found, over_heads(units))

    return compute


def same_attended_forms(found: Mapping[int, Attended], claim: Callable[[int], Claim]) -> None:
    """Pass when both forms are those claimed for each number of heads, C standing for the softmax at zero scores."""
    for heads, one in found.items():
        known = {**vocabulary(one.forms.unit, one.forms.loss), "C": one.weights}
        claimed = claim(heads)
        same_sum(one.forms.diagonal, claimed.diagonal, known, name=f"{heads} heads, D")
        same_sum(one.forms.cross, claimed.cross, known, name=f"{heads} heads, A")


def columns_of_softmax(_: Context) -> Computed:
    """Of C = softmax at zero scores: its argument, its mask, and whether sum_s C_sr = 1 for every r."""
    form = thaw(hessian_form(CAUSAL_HEAD, squared).diagonal)
    (weights,) = {t for _, factors in form for t, _ in factors if isinstance(t, SoftmaxValue)}
    total = contract(tensor(weights, (-1, -2)), {-1: "t"})
    found = (weights.argument.terms, weights.mask, weights.slot, {m: int(c) for m, c in total.items()})
    return Computed(
        found, sizes.of_unit(CAUSAL_HEAD), r"C_{sr} = \frac{[s \le r]}{\sum_{q} [q \le r]} = \frac{[s \le r]}{r}"
    )


# The normalisation in front.

_NORMALISED: Mapping[str, Callable[[Input], Expression]] = {
    "LayerNorm": layer_norm,
    "RMSNorm": rms_norm,
    "nothing": lambda h: h,
}


def null_values(_: Context) -> Computed:
    """Whether H moves along V = a 1^T, by what stands in front of the attention; M 1 = 0 means that it does not."""
    a = tensor(Opaque("a", ("d",)), (ROW,))
    found = {}
    units = {name: attention_unit(pre) for name, pre in _NORMALISED.items()}
    for name, unit in units.items():
        form = along(unit, thaw(hessian_form(unit, generic_loss).diagonal), {"V": a})
        found[name] = bool(differentiate(form, perturbations(unit)["O"], (ROW, -2)))
    return Computed(
        found, sizes.of_units(units.values()), r"M \mathbf 1 = 0 \implies H\,(a \mathbf 1^{\mathsf T}, 0) = 0"
    )


# The rank of M.


def through_sequences(_: Context) -> Computed:
    """Whether rows and columns of M meet in the sample index alone, so that M is a sum of m products."""
    found = {}
    for causal in (False, True):
        (block,) = expansion(attention_unit(PRE, causal=causal), generic_loss).cores.cores
        found["causal" if causal else "all tokens"] = ("m",) in block.bounds.cuts[0]
    return Computed(found, sizes.of_unit(ONE_HEAD))


def _exact_rank(one: Written, seed: int) -> int:
    """The rank of the matrix of coefficients of O_ia V_aj in the exact loss, at whole-number data."""
    ring = one.ring
    plain = ring.plain(loss_parts(one)[2])
    values = {
        f"{x}_{i}_{s}_{u}": Fraction((seed * (n + 1) ** 2 + 3 * n) % 11 - 5)
        for n, (x, i, s, u) in enumerate(
            (x, i, s, u) for x in "xy" for i in range(one.d) for s in range(one.tokens) for u in range(one.samples)
        )
    }
    entries = [[Fraction(0)] * one.d for _ in range(one.d)]
    for monomial, coefficient in plain.items():
        moved = {name[0]: name for name, _ in monomial if name[0] in "OV"}
        for name, power in monomial:
            coefficient *= values.get(name, Fraction(1)) ** power
        if moved["O"].endswith("_0") and moved["V"].split("_")[2] == "0":
            entries[int(moved["O"].split("_")[2])][int(moved["V"].split("_")[3])] += coefficient
    return rank(tuple(tuple(row) for row in entries))


_ATTENTION = Written(1, 3, 1, 3)
_RANKED = {
    "all tokens, m=1": _ATTENTION,
    "all tokens, m=2": replace(_ATTENTION, samples=2),
    "causal, m=1": replace(_ATTENTION, causal=True),
}


def ranks_of_m(_: Context) -> Computed:
    """The exact rank of M without a mask, for one and two sequences, and with it."""
    found = {name: _exact_rank(one, 5) for name, one in _RANKED.items()}
    return Computed(found, Scope.of(*(f"{name}, d=t=3" for name in found)))


# Queries and keys.


def _with_scores(unit: ResidualUnit) -> tuple[Sum, list[Sum]]:
    """An arbitrary deviation u of the unit's input, and the terms of its output with a query or a key up to degree 5."""
    free = layout(unit).output
    u = tensor(Opaque("u", tuple(free.values())), tuple(free))
    return u, [
        {monomial: c for monomial, c in part.items() if "K" in _letters(monomial) or "Q" in _letters(monomial)}
        for part in unit_series(unit, series([data(unit), u], 5))
    ]


def _letters(monomial: Monomial) -> str:
    """The kinds of weights that move, in order."""
    return "".join(sorted(t.weight[0] for t, _ in monomial[1] if isinstance(t, Perturbation)))


def _least(parts: Sequence[Sum]) -> tuple[int, set[str]]:
    """The least degree in the weights of a term, and the weights of all such terms."""
    letters = {_letters(monomial) for part in parts for monomial in part}
    least = min(map(len, letters))
    return least, {one for one in letters if len(one) == least}


def scored_degrees(_: Context) -> Computed:
    """The terms with a query or a key in the output of a unit with an arbitrary input near the data, by heads and mask.

    The least degree in the unit's weights of such a term, and the weights that each of them has at that degree.
    """
    masks = {"causal": CAUSAL, "all tokens": {heads: attention_unit(PRE, heads) for heads in HEADS}}
    found = {(heads, mask): _least(_with_scores(units[heads])[1]) for mask, units in masks.items() for heads in HEADS}
    return Computed(found, over_heads(CAUSAL), r"K, Q \text{ occur first in } O\, V\, K\, Q")


def scores_of_one_more(_: Context) -> Computed:
    """The same for one head beside others, which add z to the output; and whether z meets a query or a key."""
    u, parts = _with_scores(ONE_HEAD)
    free = layout(ONE_HEAD).output
    z = tensor(Opaque("z", tuple(free.values())), tuple(free))
    output = [add(z, part) for part in parts]
    scored = [{monomial: c for monomial, c in part.items() if _letters(monomial)} for part in output]
    meets = "z" in {t.label for part in scored for _, factors in part for t, _ in factors}
    return Computed((*_least(scored), meets), sizes.of_terms(u, *output, products={"u": "R", "z": "heads"}))


def least_scored_degrees(_: Context) -> Computed:
    """The least degree in the weights of a term of the loss with a query or a key, in tiny blocks."""
    sizes = (
        Written(2, 1, 1, 2, order=4),
        Written(1, 2, 1, 2, order=4, causal=True),
        Written(1, 1, 1, 2, order=4, heads=2),
        Written(1, 1, 1, 2, order=4, mlp=True),
    )
    found = {str(one): least_degree_with(one, "QK") for one in sizes}
    return Computed(found, Scope.of(*found))


def all_at_degree(found: Mapping[str, int | None], claim: int) -> None:
    """Pass when every block has this least degree.

    Raises:
        Disagreement: one has another.
    """
    for name, degree in found.items():
        if degree != claim:
            raise Disagreement(f"{name}: queries and keys enter at degree {degree}; claimed {claim}")


def scored_part(_: Context) -> Computed:
    """The terms of degree four of one head's output that have a query or a key."""
    found = {
        monomial: coefficient
        for monomial, coefficient in network_series([ONE_HEAD], 4)[-1].items()
        if any(isinstance(t, Perturbation) and t.weight in "QK" for t, _ in monomial[1])
    }
    return Computed(found, sizes.of_unit(ONE_HEAD))


def same_scored_part(found: Sum, claim: str) -> None:
    """Pass when the claim, with free i, r, u, equals what was found.

    Raises:
        Disagreement: it does not.
    """
    same_sum(found, claim, vocabulary(ONE_HEAD, squared), {"i": ROW, "r": COLUMN, "u": SAMPLE})


_SCORED = (Written(1, 1, 1, 2, order=4), Written(1, 1, 1, 3, causal=True, order=4))


def written_scored_parts(_: Context) -> Computed:
    """The terms of degree four of the loss with a query or a key, d = k = 1."""
    found = []
    for one in _SCORED:
        plain = one.ring.plain(loss_parts(one)[4])
        found.append((one, {m: c for m, c in plain.items() if any(name[0] in "QK" for name, _ in m)}))
    return Computed(found, Scope.of(*map(str, _SCORED)))


def covariance(one: Written, r: int, *, centred: bool = True) -> Element:
    """sum_s C_sr h_s^2 - (sum_s C_sr h_s)^2, d = 1."""
    ring, (h,) = one.ring, one.data("x", 0)
    shares = [ring.number(uniform_share(one, s, r)) for s in range(one.tokens)]
    square = sum((c * a * a for c, a in zip(shares, h, strict=True)), ring.zero)
    mean = sum((c * a for c, a in zip(shares, h, strict=True)), ring.zero)
    return square - mean * mean if centred else square


def same_written_parts(found: Sequence[tuple[Written, Plain]], claim: Callable[[Written, int], Element]) -> None:
    """Pass when the part is O V K Q sum_r g_r h_r claim(r).

    Raises:
        Disagreement: it is another polynomial.
    """
    for one, part in found:
        (x,), (y,) = one.data("x", 0), one.data("y", 0)
        total = one.ring.zero
        for r in range(one.tokens):
            total += (x[r] - y[r]) * x[r] * claim(one, r)
        for letter in "OVKQ":
            total *= one.weight(f"{letter}1", 1)[0][0]
        if part != one.ring.plain(total):
            raise Disagreement(f"{one}: the part of degree four with queries and keys is another polynomial")


def absent_weights(_: Context) -> Computed:
    """The weights that occur nowhere in D and A, as products of dimensions with their number, by heads."""
    units = {heads: attention_unit(PRE, heads) for heads in HEADS}
    blocks = {heads: transformer_unit(heads, causal=True) for heads in units}
    found = {
        f"{kind}, heads={heads}": (
            heads,
            Counter(tuple(sorted(map(str, dims))) for _, dims in expansion(u, generic_loss).cores.absent),
        )
        for kind, among in (("attention", units), ("transformer block", blocks))
        for heads, u in among.items()
    }
    scope = over_heads(units) & over_heads(blocks)
    return Computed(found, scope, "; ".join(f"{name}: {dict(dims)}" for name, (_, dims) in found.items()))


def same_count(
    found: Mapping[str, tuple[int, Counter[tuple[str, ...]]]], claim: Callable[[int, int, int], int]
) -> None:
    """Pass when the absent weights of a unit have claim(heads, d, k) entries, at more sizes than the count's degree.

    Raises:
        Disagreement: they have another number.
    """
    for name, (heads, dims) in found.items():
        for d, k in ((2, 1), (3, 5), (12, 12 // heads)):
            sizes = {"d": d, "k": k}
            count = sum(n * prod(sizes[side] for side in sides) for sides, n in dims.items())
            if count != claim(heads, d, k):
                raise Disagreement(f"{name}, d={d}, k={k}: {count} null directions; claimed {claim(heads, d, k)}")


# A transformer block.


def orders_with_bias(_: Context) -> Computed:
    """Order of the branch and whether units interact, without and with an output bias, by heads."""
    found = {}
    for heads, bias in product(HEADS, (False, True)):
        unit = transformer_unit(heads, causal=True, bias=bias)
        order, _diagonal, interact = index_blocks(unit)
        found[heads, "with output bias" if bias else "no output bias"] = order, interact
    return Computed(found, over_heads(BLOCKS))


# The second route: blocks written out.

SMALL = (
    Written(2, 2, 1, 2),
    Written(1, 2, 1, 3, samples=2, pre=2),
    Written(2, 1, 1, 3, causal=True),
    Written(2, 2, 1, 2, causal=True, heads=2),
    Written(2, 2, 1, 2, causal=True, mlp=True, pre=2),
)


def written_out(cases: Sequence[Written]) -> Callable[[Context], Computed]:
    """The exact parts of the loss of tiny blocks, softmax expanded around equal scores."""
    return lambda _: Computed([(one, loss_parts(one)) for one in cases], Scope.of(*map(str, cases)))


@dataclass(frozen=True, slots=True)
class Form:
    """A claim about the part of degree two: who attends to whom, which heads and which units meet."""

    share: Share
    units: Callable[[int, int], bool] = lambda r, s: r == s
    heads: Callable[[int, int], bool] = lambda o, v: o == v
    transposed: bool = False

    def of(self, one: Written) -> Element:
        """The claimed polynomial: the heads' part and, where there is one, the MLP's."""
        numbers = [(r, s) for r in one.numbers for s in one.numbers if self.units(r, s)]
        attended = core(one, self.share)
        if self.transposed:
            attended = [list(row) for row in zip(*attended, strict=True)]
        total = one.ring.zero
        every = range(1, one.heads + 1)
        for o, v in ((o, v) for o in every for v in every if self.heads(o, v)):
            total += bilinear(one, f"V{v}", f"O{o}", attended, numbers)
        if one.mlp:
            same = core(one, lambda _, s, r: Fraction(3 * (s == r)))
            total += bilinear(one, "W1", "W2", same, numbers)
        return total


def uniform_share(one: Written, s: int, r: int) -> Fraction:
    """1 over the number of tokens that r sees, if it sees s."""
    return Fraction(one.sees(s, r), r + 1 if one.causal else one.tokens)


def same_parts(found: Sequence[tuple[Written, Sequence[Element]]], claim: Form) -> None:
    """Pass when the part of degree one vanishes and that of degree two is the claimed one, at every size.

    Raises:
        Disagreement: one of them is another polynomial.
    """
    for one, parts in found:
        if parts[1] or parts[2] != claim.of(one):
            raise Disagreement(f"{one}: the part of degree two is another polynomial")


# Zeros counted.


@dataclass(frozen=True, slots=True)
class Zeros:
    """The zero eigenvalues that `spectrum` counted, those that it proves by sizes alone for pre = tanh, and the sizes."""

    counted: int
    proved: int
    units: int
    heads: int
    d: int
    k: int
    samples: int
    shown: str
    seed: int


def zeros_on_digits(context: Context) -> Computed:
    """The zeros of the Hessian of two-head attention on three sequences of digits."""
    heads, units, k, samples = 2, 1000, 4, 3
    running = on_tokens(attention_unit(heads=heads), 1, context, samples=samples, tokens=5, k=k)
    found, bent = (
        spectrum(unit, units, running.x, running.y, squared, sizes={"k": k})
        for unit in (attention_unit(heads=heads), attention_unit(tanh, heads))
    )
    d = running.dims["d"]
    shown = f"R={units}, d={d}, k={k}, heads={heads}, m={samples}, t=5; {running.data}"
    counted = Zeros(found.zero or 0, bent.zero_exact or 0, units, heads, d, k, samples, shown, context.seed)
    return Computed(counted, Scope.of(shown))


def same_zeros(found: Zeros, claim: Callable[[Zeros], int]) -> tuple[Measurement, ...]:
    """How far the counts are from the claimed one; they have to be equal."""
    counts = {"|zeros - claim|": found.counted, r"|zeros proved by sizes alone for pre = tanh - claim|": found.proved}
    return tuple(
        Measurement(
            name, float(abs(count - found.units * claim(found))), 0.0, found.shown, found.seed, "a count: equality"
        )
        for name, count in counts.items()
    )
