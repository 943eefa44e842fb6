"""Plain linear networks with Gaussian weights: what the statements on their products and gradients share.

f(x) = W_L ... W_1 x, independent entries N(0, s^2/d), s^2 = 1 for Xavier's initialisation. In index strings W is one
such layer, A, h and y are anything that does not depend on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from resproof.architectures.forms.terms import InitialWeight, Opaque, Tensor
from resproof.proofs.statement import Disagreement
from resproof.symbolic.index import sizes
from resproof.symbolic.index.claims import parse, show
from resproof.symbolic.index.moments import expectation
from resproof.symbolic.index.series import Sum, symbol
from resproof.symbolic.index.series import multiply as multiply_sums
from resproof.symbolic.index.series import size as count
from resproof.symbolic.scope import Scope

_VARIANCE = multiply_sums(symbol("s", 2), count("d", -1))
_W = InitialWeight("W", None, ("d", "d"))
KNOWN: Mapping[str, Tensor] = {
    "W": _W,
    "A": Opaque("A", ("d", "d")),
    "h": Opaque("h", ("d",)),
    "y": Opaque("y", ("d",)),
}
"""What index strings may name."""


def over_layer(text: str) -> str:
    """The expectation over W of an index string."""
    return show(expected(text))


def expected(text: str) -> Sum:
    """The expectation over W of an index string, as a sum."""
    return expectation(parse(text, KNOWN), _W, _VARIANCE)


def sizes_of(text: str, products: Mapping[str, str]) -> Scope:
    """The sizes of an index string; `products`: what stands for a product of any number of layers, and that number."""
    return sizes.of_terms(parse(text, KNOWN), products=products)


def canonical(text: str) -> str:
    """An index string in canonical form."""
    return show(parse(text, KNOWN))


def same_strings(found: Mapping[str, Any], claim: Mapping[str, Any]) -> None:
    """Pass when every index string of the claim is, in canonical form, what was computed under its name.

    Raises:
        Disagreement: one is not.
    """
    for name, value in found.items():
        if value != canonical(claim[name]):
            raise Disagreement(f"{name}: computed {value}; claimed {claim[name]}")
