"""A pattern of units of several kinds: what each kind is alone, and the blocks of every two of them (GEN-10).

The pattern, unit after unit, is one unit (`proofs.theory.patterns`), so that D and A of its repetitions come from the one
exact series. Their blocks, place by place, are compared with those of one and of two units alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, product
from string import ascii_lowercase
from typing import TypeAlias

from resproof.architectures.errors import ArchitectureError
from resproof.architectures.forms.terms import Perturbation
from resproof.architectures.losses import Loss, generic_loss
from resproof.architectures.nodes import Apply, nodes
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.text import short_text
from resproof.proofs.block.general import General, HypothesisError, Inapplicable, about, require_hypotheses, written_out
from resproof.proofs.statement import Argument, Computed, Disagreement
from resproof.proofs.theory.patterns import PATTERN, in_a_row
from resproof.proofs.theory.regimes import Regime, regime_of_blocks
from resproof.symbolic.index.expansion import expansion
from resproof.symbolic.index.lift import exchange_units, perturbations
from resproof.symbolic.index.series import Sum, add, collect, freeze
from resproof.symbolic.index.sizes import of_unit

Place: TypeAlias = tuple[str, str, bool]
"""The letters of the later and the earlier unit, and whether they stand in one repetition."""


@dataclass(frozen=True, slots=True)
class KindOfUnit:
    """A unit of a pattern: its places, and how a network of it alone depends on depth (None: it is not known)."""

    places: tuple[str, ...]
    expression: str
    order: int | None
    stationary: int | None
    regime: Regime | None


@dataclass(frozen=True, slots=True)
class PairOfKinds:
    """The form v^T A_kl w, as text, of a unit of one kind behind one of another, each by its first place; 0 where A_kl = 0.

    The later unit is numbered 2.
    """

    later: str
    earlier: str
    cross: str


def one_unit(pattern: Sequence[ResidualUnit]) -> ResidualUnit:
    """The pattern as one unit.

    Raises:
        ArchitectureError: it is too long, or different activations share a name.
    """
    found = dict.fromkeys(node.activation for u in pattern for node in nodes(u.expression) if isinstance(node, Apply))
    names = [activation.name for activation in found]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ArchitectureError(f"network: different activations are called {twice[0]}; expected a name for each")
    return in_a_row(pattern)


def kinds_of(pattern: Sequence[ResidualUnit], loss: Loss) -> tuple[KindOfUnit, ...]:
    """Each kind of the pattern alone, the first one first."""
    return tuple(_alone(unit, places, loss) for unit, places in _places(pattern).items())


def _places(pattern: Sequence[ResidualUnit]) -> dict[ResidualUnit, tuple[str, ...]]:
    found: dict[ResidualUnit, tuple[str, ...]] = {}
    for letter, unit in zip(ascii_lowercase, pattern, strict=False):
        found[unit] = (*found.get(unit, ()), letter)
    return found


def _alone(unit: ResidualUnit, places: tuple[str, ...], loss: Loss) -> KindOfUnit:
    shown = short_text(unit.expression, unit.names)
    if not _passes(unit):
        return KindOfUnit(places, shown, None, None, None)
    exact = expansion(unit, loss)
    regime = regime_of_blocks(bool(exact.forms[1, 1]), bool(exact.forms[1, 2]))
    return KindOfUnit(places, shown, exact.order, exact.stationary, regime)


def _passes(unit: ResidualUnit) -> bool:
    """Whether the unit alone has weights, is the identity at its initial point and has a Hessian there."""
    try:
        require_hypotheses(unit)
    except HypothesisError:
        return False
    return True


def pairs_of(pattern: Sequence[ResidualUnit], loss: Loss) -> tuple[PairOfKinds, ...]:
    """A_kl for every kind k behind every kind l, from the series of the whole pattern and its repetition."""
    if not pattern:
        return ()
    first = [places[0] for places in _places(pattern).values()]
    blocks = _blocks(in_a_row(pattern), loss, "".join(first))
    pairs = product(first, repeat=2)
    return tuple(PairOfKinds(k, one, freeze(blocks[k, one, False], {}).label) for k, one in pairs)


def _blocks(unit: ResidualUnit, loss: Loss, letters: str) -> dict[Place, Sum]:
    """The forms of all blocks of a pattern as one unit: within a repetition, and of a later one with an earlier one."""
    within, between = expansion(unit, loss).forms[1, 1], expansion(unit, loss).forms[1, 2]
    found = {(letter, letter, True): _part(within, {(letter, 1)}) for letter in letters}
    found |= {(k, one, True): _part(within, {(one, 1), (k, 1)}) for one, k in combinations(letters, 2)}
    return found | {(k, one, False): _part(between, {(one, 1), (k, 2)}) for k, one in product(letters, repeat=2)}


def _part(form: Sum, places: set[tuple[str, int]]) -> Sum:
    """The terms whose perturbations are of weights at these places, each by its letter and repetition."""
    return {
        monomial: coefficient
        for monomial, coefficient in form.items()
        if {(t.weight[-1], t.unit) for t, _ in monomial[1] if isinstance(t, Perturbation)} == places
    }


# What is said of the pattern, and what is offered for it.


def about_kinds(pattern: Sequence[ResidualUnit], name: str) -> General:
    """GEN-10 of this pattern: every block of its Hessian, against those of one and of two units alone, for any loss."""
    if not all(map(_passes, pattern)):
        return Inapplicable(PATTERN.id, name, "one of its units alone is not the identity at its initial point")
    whole, letters = in_a_row(pattern), ascii_lowercase[: len(pattern)]
    claim = _of_two(pattern, letters)
    argument = Argument(
        "Each block of the pattern and its repetition, from one and from two units alone",
        "index notation",
        lambda _: Computed(_blocks(whole, generic_loss, letters), of_unit(whole)),
        claim,
        _falsehoods(claim, whole),
        _same_blocks,
        explanation="a, b, ... are the places of the pattern; of two units the earlier one is named first.",
    )
    return about(PATTERN, name, whole, (argument, *written_out(whole)))


def _of_two(pattern: Sequence[ResidualUnit], letters: str) -> dict[Place, Sum]:
    """The same blocks, D_k from one unit of kind k, A_kl from a unit of kind l and one of kind k behind it."""
    units, found = dict(zip(letters, pattern, strict=True)), dict[Place, Sum]()
    for letter, unit in units.items():
        alone = expansion(in_a_row([unit], letter)).forms
        found |= {(letter, letter, True): alone[1, 1], (letter, letter, False): alone[1, 2]}
    for one, k in product(letters, repeat=2):
        if one == k:
            continue
        pair = expansion(in_a_row([units[one], units[k]], one + k)).forms[1, 1]
        form = _part(pair, {(one, 1), (k, 1)})
        found[k, one, False] = _later(form, k)
        if one < k:
            found[k, one, True] = form
    return found


def _later(form: Sum, letter: str) -> Sum:
    """The form with the perturbations of weights at this place in the repetition behind."""
    return collect(
        (
            coefficient,
            scalars,
            tuple(
                (replace(t, unit=2) if isinstance(t, Perturbation) and t.weight.endswith(letter) else t, slots)
                for t, slots in factors
            ),
        )
        for (scalars, factors), coefficient in form.items()
    )


def _falsehoods(claim: Mapping[Place, Sum], whole: ResidualUnit) -> dict[str, dict[Place, Sum]]:
    """What is false of these blocks: what would be true of them is left out."""
    first = next(iter(claim))
    moved = next(iter(perturbations(whole).values()))
    square = (moved, tuple(range(len(moved.dims))))
    squares = collect([(Fraction(1), (), (square, square))])
    found = {
        "D of the first place with |w|^2 more": {**claim, first: add(claim[first], squares)},
        "units at different places do not interact": {
            key: form if key[0] == key[1] else {} for key, form in claim.items()
        },
        "the earlier one sees the later one": {
            (k, one, same): form if same else exchange_units(claim[one, k, False])
            for (k, one, same), form in claim.items()
        },
    }
    return {name: other for name, other in found.items() if other != claim}


def _same_blocks(found: Mapping[Place, Sum], claim: Mapping[Place, Sum]) -> None:
    """Pass when every block is the one claimed.

    Raises:
        Disagreement: one is another.
    """
    for (k, one, same), form in found.items():
        if form != claim[k, one, same]:
            where = "in one repetition" if same else "in different repetitions"
            raise Disagreement(
                f"the unit at {k} behind the one at {one}, {where}: another block than that of two units"
            )
