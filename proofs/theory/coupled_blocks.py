"""Blocks whose coordinates are coupled by a softmax or a normalisation: both symbolic routes to their Hessian.

At zero weights the scores of an attention block vanish and its softmax is 1/t, or 1/(number of tokens seen) under a
mask. Random inner weights give softmax values and derivatives of LayerNorm that enter D and A.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from resproof.architectures.activations import tanh
from resproof.architectures.algebra import causal_mask, layer_norm, softmax
from resproof.architectures.catalogue import attention, pre_norm, transformer
from resproof.architectures.forms.terms import Factor, InverseScale, Perturbation, SoftmaxValue
from resproof.architectures.losses import generic_loss
from resproof.architectures.nodes import Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import normal, ones
from resproof.proofs.routes.hessians import (
    CHANGES,
    Change,
    Size,
    agrees_with_index_route,
    explicit_hessian,
    size,
    unchanged,
)
from resproof.proofs.statement import Argument, Computed, Context
from resproof.symbolic.index.series import Sum, collect
from resproof.symbolic.scope import Scope


def scored(*, causal: bool = False, values: bool = True) -> ResidualUnit:
    """Attention with random queries, keys and values (or the tokens for values), whose output weight starts at zero."""
    h = Input("d")
    q, k = Weight("k", "d", initial=normal("1/d"), name="Q"), Weight("k", "d", initial=normal("1/d"), name="K")
    v, o = Weight("d", "d", initial=normal("1/d"), name="V"), Weight("d", "d", name="O")
    scores = softmax((k @ h).T @ (q @ h), axis=0, mask=causal_mask() if causal else None)
    return ResidualUnit(h + o @ (v @ h if values else h) @ scores)


def normed() -> ResidualUnit:
    """A pre-norm block whose inner weights are random and whose outer weight starts at zero."""
    h, gain = Input("d"), Weight("d", initial=ones, name="gain")
    w1, w2 = Weight("k", "d", initial=normal("1/d")), Weight("d", "k")
    return ResidualUnit(h + w2 @ tanh(w1 @ (gain * layer_norm(h))))


SCORED, NORMED = scored(), normed()

_SMALL = size(2, 1, d=2, k=1, t=2, f=1)
# A LayerNorm of two entries is +-1, with no derivative.
_THREE_ROWS = size(2, 1, d=3, k=1)
# With random values too, entries have hundreds of terms at d = 2.
_NARROW = size(2, 1, d=1, k=2, t=2)

_BLOCKS: Mapping[str, tuple[ResidualUnit, Size]] = {
    "attention": (ResidualUnit(attention()), _SMALL),
    "causal attention": (ResidualUnit(attention(causal=True)), _SMALL),
    "pre-norm": (ResidualUnit(pre_norm(tanh)), _SMALL),
    "transformer block": (ResidualUnit(transformer()), _SMALL),
    "LayerNorm in front of random weights": (NORMED, _THREE_ROWS),
    "softmax at random scores": (SCORED, _NARROW),
    "softmax at random scores, the tokens for values": (scored(values=False), _SMALL),
    "causal softmax at random scores, the tokens for values": (scored(causal=True, values=False), _SMALL),
}


def _coupled_blocks(_: Context) -> Computed:
    """Exact Hessians of two units of each block, for any loss."""
    found = [explicit_hessian(unit, generic_loss, at) for unit, at in _BLOCKS.values()]
    return Computed(found, Scope.of(*(f"{name}: {at}" for name, (_, at) in _BLOCKS.items())))


def _each(change: Callable[[tuple[Factor, ...]], tuple[Factor, ...] | None]) -> Change:
    """The forms with the factors of every term changed; a term without any is left out."""

    def changed(form: Sum) -> Sum:
        terms = ((coefficient, scalars, change(factors)) for (scalars, factors), coefficient in form.items())
        return collect(
            (coefficient, scalars, factors) for coefficient, scalars, factors in terms if factors is not None
        )

    return lambda diagonal, cross: (changed(diagonal), changed(cross))


_COUPLED_CHANGES: Mapping[str, Change] = {
    "every token sees all others": _each(
        lambda factors: tuple((replace(t, mask=None) if isinstance(t, SoftmaxValue) else t, i) for t, i in factors)
    ),
    "the scores are constants": _each(
        lambda factors: (
            None if any(isinstance(t, Perturbation) and t.weight in {"Q", "K"} for t, _ in factors) else factors
        )
    ),
    "the derivative of a normalisation is its projection alone": _each(
        lambda factors: tuple((t, i) for t, i in factors if not isinstance(t, InverseScale))
    ),
}

COUPLED_BLOCKS = Argument(
    "The same for blocks with a softmax or a normalisation",
    "explicit",
    _coupled_blocks,
    unchanged,
    {**CHANGES, **_COUPLED_CHANGES},
    agrees_with_index_route,
    explanation="On explicit coordinates softmax and normalisation are expanded by their differential equations, in index "
    "notation by composing power series. Softmax values at unequal scores are symbols with sum 1.",
)
