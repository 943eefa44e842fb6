"""The Hessian at the initial point by both symbolic routes, and claims about it as index strings.

A claim gives the two quadratic forms 1/2 v_1^T D v_1 and v_2^T A v_1 (unit 2 the later one) as index strings. The
index-notation route compares canonical forms. The explicit route writes the claim out at the sizes of a small network
and compares every entry of I (x) D + L (x) A + L^T (x) A^T with the second derivatives that were computed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from resproof.architectures.errors import ArchitectureError
from resproof.architectures.forms.notation import latex_sum
from resproof.architectures.forms.terms import Tensor
from resproof.architectures.losses import Loss, generic_loss, squared
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Weight
from resproof.architectures.properties import dimension_names
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.statement import Argument, Computed, Context, Disagreement, Indistinct
from resproof.symbolic.algebra.rings import Plain
from resproof.symbolic.algebra.rings import show as show_plain
from resproof.symbolic.index import sizes
from resproof.symbolic.index.claims import parse, show, vocabulary_of_hessian
from resproof.symbolic.index.expansion import expansion
from resproof.symbolic.index.lift import exchange_units, hessian_form
from resproof.symbolic.index.series import Sum, add, scale, thaw
from resproof.symbolic.scope import Scope
from resproof.symbolic.written.explicit import hessian_at_initial_point
from resproof.symbolic.written.instances import Quadratic, hessian_entries
from resproof.symbolic.written.plans import Instance, parameter_number, weight_offsets
from resproof.symbolic.written.plans import size as plan_size
from resproof.symbolic.written.reduction import WeightPair, check_reducible, second_derivatives
from resproof.symbolic.written.roots import has_value, is_zero

_SHORT = 30
"""Entries of a shown matrix with more characters of LaTeX get a name."""


@dataclass(frozen=True, slots=True)
class Claim:
    """D and A as index strings: 1/2 v_1^T D v_1 and v_2^T A v_1."""

    diagonal: str = "0"
    cross: str = "0"


Change = Callable[[Sum, Sum], tuple[Sum, Sum]]
"""What is claimed of the computed forms (D, A) of the index route: the identity, or for a falsehood a change."""


@dataclass(frozen=True, slots=True)
class AddedForm:
    """A change that adds a form to D; `times` makes it as large as what it is to be told from."""

    form: Sum

    def __call__(self, diagonal: Sum, cross: Sum) -> tuple[Sum, Sum]:
        """The changed forms."""
        return add(diagonal, self.form), cross

    def times(self, factor: Fraction) -> AddedForm:
        """The change that adds a multiple."""
        return AddedForm(scale(factor, self.form))


CHANGES: dict[str, Change] = {
    "$D$ twice as large": lambda diagonal, cross: (scale(2, diagonal), cross),
    "$A$ twice as large": lambda diagonal, cross: (diagonal, scale(2, cross)),
    "$A$ transposed": lambda diagonal, cross: (diagonal, exchange_units(cross)),
    "units do not interact": lambda diagonal, _: (diagonal, {}),
}
"""Neighbours for units whose D and A are both nonzero and whose A is not symmetric."""


def unchanged(diagonal: Sum, cross: Sum) -> tuple[Sum, Sum]:
    """The forms as the index route found them."""
    return diagonal, cross


@dataclass(frozen=True, slots=True)
class Forms:
    """What the index-notation route found for one unit and loss."""

    unit: ResidualUnit
    loss: Loss
    diagonal: Sum
    cross: Sum


@dataclass(frozen=True, slots=True)
class Size:
    """The sizes of one explicit network: R units, m samples, a number for every named dimension."""

    units: int
    samples: int
    dims: tuple[tuple[str, int], ...]

    def __str__(self) -> str:
        return ", ".join([f"R={self.units}", *(f"{name}={n}" for name, n in self.dims), f"m={self.samples}"])


def size(units: int, samples: int = 1, **dims: int) -> Size:
    """The size R = units, m = samples and the dimensions by name."""
    return Size(units, samples, tuple(dims.items()))


@dataclass(frozen=True, slots=True)
class ExplicitHessian:
    """The upper triangle of the exact Hessian of one small network."""

    unit: ResidualUnit
    loss: Loss
    at: Size
    entries: Quadratic
    data: Instance | None = None


def index_forms(unit: ResidualUnit, loss: Loss = squared) -> Callable[[Context], Computed]:
    """D and A of the unit in index notation."""

    def compute(_: Context) -> Computed:
        found = hessian_form(unit, loss)
        shown = (
            rf"\tfrac12 v_1^{{\mathsf T}} D v_1 = {latex_sum(found.diagonal)}, \qquad "
            rf"v_2^{{\mathsf T}} A v_1 = {latex_sum(found.cross)}"
        )
        return Computed(Forms(unit, loss, thaw(found.diagonal), thaw(found.cross)), sizes.of_unit(unit), shown)

    return compute


def same_forms(found: Forms, claim: Claim) -> None:
    """Pass when both claimed forms equal those found.

    Raises:
        Disagreement: one of them differs.
    """
    known = vocabulary_of_hessian(found.unit, found.loss)
    same_sum(found.diagonal, claim.diagonal, known, name="D")
    same_sum(found.cross, claim.cross, known, name="A")


def same_sum(
    computed: Sum, claim: str, known: Mapping[str, Tensor], free: Mapping[str, int] | None = None, *, name: str = ""
) -> None:
    """Pass when an index string states the sum that was computed; `name` says in the message which one.

    Raises:
        Disagreement: it states another.
    """
    if computed != parse(claim, known, free):
        raise Disagreement(f"{name + ': ' if name else ''}computed {show(computed)}; claimed {claim}")


def same_sums(
    known: Mapping[str, Tensor], free: Mapping[str, int] | None = None
) -> Callable[[Mapping[str, Sum], Mapping[str, str]], None]:
    """The comparison of several sums with index strings of the same names."""

    def compare(found: Mapping[str, Sum], claim: Mapping[str, str]) -> None:
        for name, computed in found.items():
            same_sum(computed, claim[name], known, free, name=name)

    return compare


def explicit_hessians(unit: ResidualUnit, sizes: Sequence[Size], loss: Loss) -> Callable[[Context], Computed]:
    """The exact Hessians of small networks with symbolic data."""

    def compute(_: Context) -> Computed:
        found = [explicit_hessian(unit, loss, at) for at in sizes]
        return Computed(found, Scope.of(*(str(at) for at in sizes)), _show_smallest(found))

    return compute


def explicit_hessian(unit: ResidualUnit, loss: Loss, at: Size, data: Instance | None = None) -> ExplicitHessian:
    """The exact Hessian at one size, for symbolic data unless numbers are given."""
    return ExplicitHessian(unit, loss, at, explicit_entries(unit, loss, at, data), data)


def explicit_entries(unit: ResidualUnit, loss: Loss, at: Size, data: Instance | None = None) -> Quadratic:
    """The upper triangle of the same."""
    network = Network(unit, at.units, loss)
    return hessian_at_initial_point(network, dict(at.dims), samples=at.samples, data=data).plain()


def same_entries(found: Sequence[ExplicitHessian], claim: Claim) -> None:
    """Pass when the claim, written out at every size, equals the Hessian entry by entry.

    Raises:
        Disagreement: an entry differs; the message names the first one.
    """
    for one in found:
        known = vocabulary_of_hessian(one.unit, one.loss)
        diagonal, cross = parse(claim.diagonal, known), parse(claim.cross, known)
        claimed = hessian_entries(one.unit, one.loss, diagonal, cross, one.at.units, dict(one.at.dims), one.at.samples)
        if not same_hessian(claimed, one.entries):
            raise Disagreement(_first_difference(one, claimed))


def agrees_with_index_route(found: Sequence[ExplicitHessian], claim: Change) -> None:
    """Pass when the forms of the index route, changed as claimed and written out, give every explicit entry.

    Raises:
        Disagreement: an entry differs; the message names the first one.
        Indistinct: the change alters no entry, where the forms themselves give them all: it is as true.
    """
    for one in found:
        claimed = written_out_forms(one.unit, one.loss, one.at, claim, one.data)
        if not same_hessian(claimed, one.entries):
            raise Disagreement(_first_difference(one, claimed))
    if claim is not unchanged:
        raise Indistinct("the change alters no entry at these sizes")


def written_out_forms(unit: ResidualUnit, loss: Loss, at: Size, change: Change, data: Instance | None) -> Quadratic:
    """The forms of the index route, changed, at one size: the upper triangle of the Hessian that they claim."""
    forms = expansion(unit, loss).forms
    return hessian_entries(unit, loss, *change(forms[1, 1], forms[1, 2]), at.units, dict(at.dims), at.samples, data)


def differs(unit: ResidualUnit, loss: Loss, at: Size, change: Change, data: Instance | None) -> bool:
    """Whether the change alters the Hessian at this size: what it adds to the forms is written out, which is linear."""
    forms = expansion(unit, loss).forms
    before = forms[1, 1], forms[1, 2]
    gained = [add(after, scale(-1, form)) for after, form in zip(change(*before), before, strict=True)]
    entries = hessian_entries(unit, loss, gained[0], gained[1], at.units, dict(at.dims), at.samples, data)
    return any(map(has_value, entries.values()))


def same_hessian(claimed: Quadratic, found: Quadratic) -> bool:
    """Whether two Hessians agree entry by entry, r^2 = 1/q for every inverse root r = q^(-1/2) in them."""
    left = list(_differences(claimed, found))
    return not any(map(has_value, left)) and all(map(is_zero, left))


def _differences(a: Quadratic, b: Quadratic) -> Iterator[Plain]:
    """Where two Hessians are not the same polynomials, what they differ by."""
    for place in {*a, *b}:
        if a.get(place) != b.get(place):
            yield _difference(a.get(place, {}), b.get(place, {}))


def _difference(a: Plain, b: Plain) -> Plain:
    difference = {m: a.get(m, Fraction(0)) - b.get(m, Fraction(0)) for m in {*a, *b}}
    return {m: c for m, c in difference.items() if c}


@dataclass(frozen=True, slots=True)
class ReducedClaim:
    """A claim for every coincidence pattern; bell[k] is the number of patterns of k indices of one dimension."""

    claim: Claim
    bell: tuple[int, ...] = (1, 1, 2, 5, 15)


def pattern_count(unit: ResidualUnit, bell: Sequence[int]) -> int:
    """The number of patterns of two weights in units (1, 1) and (1, 2): a product over dimensions for each pair."""

    def count(first: Weight, second: Weight) -> int:
        named = [n for n in (*first.shape, *second.shape) if isinstance(n, str)]
        return prod(bell[named.count(name)] for name in set(named))

    weights = unit.weights
    within = sum(count(a, b) for k, a in enumerate(weights) for b in weights[k:])
    return within + sum(count(a, b) for a in weights for b in weights)


def reduced_derivatives(unit: ResidualUnit, loss: Loss) -> Callable[[Context], Computed]:
    """The second derivative of every coincidence pattern of two weights, by the small-model reduction."""

    def compute(_: Context) -> Computed:
        found = second_derivatives(unit, loss)
        # Only some of the coordinates are there, over which no derivative of the loss sums to zero.
        free = loss if loss.quadratic else generic_loss
        return Computed((unit, free, found), sizes.of_unit(unit), f"{len(found)} patterns")

    return compute


def same_patterns(reduced: tuple[ResidualUnit, Loss, Mapping[WeightPair, Plain]], claimed_for: ReducedClaim) -> None:
    """Pass when the claim gives every second derivative of the patterns, and no pattern is missing.

    Four values a dimension hold every pattern of two weights.

    Raises:
        Disagreement: a pattern differs, or their number does; the message says which.
    """
    unit, loss, found = reduced
    claim, expected = claimed_for.claim, pattern_count(unit, claimed_for.bell)
    if len(found) != expected:
        raise Disagreement(f"{len(found)} patterns; claimed {expected}")
    known = vocabulary_of_hessian(unit, loss)
    sizes = dict.fromkeys(dimension_names(unit.expression), 4)
    diagonal, cross = parse(claim.diagonal, known), parse(claim.cross, known)
    entries = hessian_entries(unit, loss, diagonal, cross, 2, sizes, 1)
    offsets, count = weight_offsets(unit, sizes)
    shapes = {name: tuple(plan_size(n, sizes) for n in weight.shape) for weight, name in unit.names.items()}
    first = {name: offsets[weight] for weight, name in unit.names.items()}
    for pattern, computed in found.items():
        numbers = sorted(
            (r - 1) * count + first[name] + parameter_number(tuple(i - 1 for i in place), shapes[name])
            for r, name, place in zip(pattern.units, pattern.weights, pattern.places, strict=True)
        )
        claimed = entries.get((numbers[0], numbers[1]), {})
        if computed != claimed:
            raise Disagreement(f"{pattern}: computed {show_plain(computed)}; claimed {show_plain(claimed)}")


def reduction_argument(unit: ResidualUnit, claim: Claim, neighbours: dict[str, Claim], loss: Loss) -> Argument:
    """The claim by the small-model reduction: a third derivation, independent of the other two."""
    return Argument(
        "Every coincidence pattern of two weights (small-model reduction)",
        "reduction",
        reduced_derivatives(unit, loss),
        ReducedClaim(claim),
        {
            **{name: ReducedClaim(falsehood) for name, falsehood in neighbours.items()},
            "one pattern fewer": ReducedClaim(claim, (1, 1, 1, 4, 14)),
        },
        same_patterns,
        explanation="One sample, two units, two weights moving: which of their indices coincide decides it.",
    )


def hessian_arguments(
    unit: ResidualUnit, claim: Claim, neighbours: dict[str, Claim], sizes: Sequence[Size], loss: Loss = squared
) -> tuple[Argument, ...]:
    """The claim by the index-notation route, the explicit one and, where it applies, the small-model reduction."""
    lifted = Argument(
        "Taylor series of two units in index notation",
        "index notation",
        index_forms(unit, loss),
        claim,
        neighbours,
        same_forms,
        explanation="The part of degree two of the loss, units named first and second; repeated indices are summed.",
    )
    written_out = Argument(
        "Hessians of small networks, entry by entry",
        "explicit",
        explicit_hessians(unit, sizes, loss),
        claim,
        neighbours,
        same_entries,
        explanation="Every entry over the rationals with symbolic data equals the claim written out at these sizes.",
    )
    reduced = (reduction_argument(unit, claim, neighbours, loss),) if _is_reducible(unit) else ()
    return (lifted, written_out, *reduced)


def _is_reducible(unit: ResidualUnit) -> bool:
    """Whether the small-model reduction applies; it does not to random weights that act on every coordinate, say."""
    try:
        check_reducible(unit)
    except ArchitectureError:
        return False
    return True


def _first_difference(one: ExplicitHessian, claimed: Quadratic) -> str:
    places = sorted({*one.entries, *claimed})
    place = next(p for p in places if has_value(_difference(one.entries.get(p, {}), claimed.get(p, {}))))
    computed, expected = (show_plain(entries.get(place, {})) for entries in (one.entries, claimed))
    return f"{one.at}, entry {place}: computed {computed}; claimed {expected}"


def _show_smallest(found: Sequence[ExplicitHessian]) -> str:
    """The smallest Hessian as a matrix, where it is small enough to read."""
    one = min(found, key=lambda hessian: len(hessian.entries))
    count = 1 + max((column for _, column in one.entries), default=-1)
    if not 0 < count <= 4:
        return ""
    shown = {
        (i, j): _latex_plain(show_plain(one.entries.get((min(i, j), max(i, j)), {})))
        for i in range(count)
        for j in range(count)
    }
    # Long entries get a name, and are written out beside the matrix.
    long = dict.fromkeys(entry for entry in shown.values() if len(entry) > _SHORT)
    names = {entry: f"h_{{{k}}}" for k, entry in enumerate(long, 1)}
    rows = [" & ".join(names.get(shown[i, j], shown[i, j]) for j in range(count)) for i in range(count)]
    body = r" \\ ".join(rows)
    definitions = "".join(rf", \qquad {name} = {entry}" for entry, name in names.items())
    return rf"H = \begin{{pmatrix}} {body} \end{{pmatrix}} \quad ({one.at}){definitions}"


def _latex_plain(shown: str) -> str:
    """Symbols such as x_1_1 and pre(x_1_1) with their subscripts grouped."""
    grouped = re.sub(r"\b([a-zA-Z])_(\d+(?:_\d+)*)", lambda m: f"{m[1]}_{{{m[2].replace('_', '')}}}", shown)
    named = re.sub(r"\b(pre|mid|post)\b", r"\\sigma_{\\mathrm{\1}}", grouped)
    fractions = re.sub(r"\b(\d+)/(\d+)\b", r"\\tfrac{\1}{\2}", named)
    return fractions.replace("*", r"\,")
