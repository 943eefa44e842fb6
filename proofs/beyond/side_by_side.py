"""One more branch beside any number of others: the induction step for parallel branches and attention heads.

w are the weights of all branches so far, however many they are, v those of one more, z those of a further layer of the
unit that sees the sum of them all; each branch is arbitrary.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from resproof.proofs.routes.hessians import same_sums
from resproof.proofs.statement import Argument, Computed, Context
from resproof.symbolic.index import branches

Branches: TypeAlias = tuple[tuple[str, ...], frozenset[str]]
"""The letters of the branches of a unit, layer by layer, and the derivatives that vanish."""

_UNITS: Mapping[str, Branches] = {
    "order two": (("wv",), frozenset({"T1"})),
    "order two, another layer behind": (("wv", "z"), frozenset({"T1"})),
    "order one": (("wv",), frozenset()),
}


def added_to_the_loss(units: Mapping[str, Branches], shown: str = "") -> Callable[[Context], Computed]:
    """What one more unit with such branches adds to the loss after any number of units."""

    def compute(_: Context) -> Computed:
        added = {name: branches.one_more(layers, vanishing) for name, (layers, vanishing) in units.items()}
        scope = branches.sizes(*(part for one in added.values() for part in (*one.before, one.loss)))
        return Computed({name: one.loss for name, one in added.items()}, scope, shown)

    return compute


def _form(letter: str, *, curved: bool = False) -> str:
    """What the branch with these weights adds on its own; `curved`: with its first derivatives and x."""
    own = "1/2 * m^-1 * g[i,u] * T2[i,a,b,u] * dw(2)[a] * dw(2)[b]"
    if curved:
        own += (
            " + 1/2 * m^-1 * Q[i,k,u] * T1[i,a,u] * T1[k,b,u] * dw(2)[a] * dw(2)[b]"
            " + m^-1 * g[i,u] * S1[i,a,j,u] * x[j,u] * dw(2)[a] + m^-1 * Q[i,k,u] * T1[i,a,u] * x[k,u] * dw(2)[a]"
        )
    for name in ("T1", "T2", "S1"):
        own = own.replace(f"{name}[", f"{name}[" if letter == "w" else f"{name}{letter}[")
    return own.replace("dw(", f"d{letter}(")


_MEETING = "m^-1 * Q[i,k,u] * T1[i,a,u] * T1v[k,b,u] * dw(2)[a] * dv(2)[b]"
_ADDITIVE = {
    "order two": f"{_form('w')} + {_form('v')}",
    "order two, another layer behind": f"{_form('w')} + {_form('v')} + {_form('z')}",
    "order one": f"{_form('w', curved=True)} + {_form('v', curved=True)} + {_MEETING}",
}

SIDE_BY_SIDE = Argument(
    "One more branch beside any number of others",
    "index notation",
    added_to_the_loss(_UNITS, r"\tfrac12 w^{\mathsf T} D_w\, w + \tfrac12 v^{\mathsf T} D_v\, v"),
    _ADDITIVE,
    {
        "at order one too they do not meet": {
            **_ADDITIVE,
            "order one": _ADDITIVE["order one"].removesuffix(f" + {_MEETING}"),
        },
        "the others no longer count": {**_ADDITIVE, "order two": _form("v")},
        "a further layer sees the new one twice": {
            **_ADDITIVE,
            "order two, another layer behind": f"{_ADDITIVE['order two, another layer behind']} + {_form('v')}",
        },
    },
    same_sums(branches.TENSORS),
    explanation="At order two the unit adds $D_w$ and $D_v$, each as if alone, and nothing that names both or an earlier unit: so "
    "$D$ is the direct sum of those of the branches, whatever their number, and $A = 0$.",
)
