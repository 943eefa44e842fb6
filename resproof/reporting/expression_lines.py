"""An expression and its forms for a reader: what is short as it stands, what is long in lines with names for its parts.

A part of the expression that occurs more than once gets a name, and so does a value at a nonzero point (softmax, an
activation, a normalisation) in a form; a form of many terms is told pair of weights by pair of weights.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import count

from resproof.architectures.forms.terms import (
    OWN_SYMBOLS,
    ActivationValue,
    IndexSum,
    InverseRoot,
    InverseScale,
    Normalised,
    Perturbation,
    Secant,
    SoftmaxValue,
    Tensor,
    Term,
    show_term,
)
from resproof.architectures.nodes import Expression, Weight, nodes, operands
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.text import inside, text

HEADS = ("  branch      ", "  1/2 w_r^T D w_r = ", "  w_r^T A w_s     = ")
LONG = 240
"""Characters beyond which an expression or a form is told in lines."""
LINE = 160
"""Characters beyond which the terms of one pair of weights are counted, and the shortest shown."""
PART = 100
"""Characters of a line beyond which a part of it gets a name, where the whole is told in lines."""
PAIRS = 16
"""Pairs of weights shown at most."""
NAMED = 12
"""Characters beyond which a value in a form gets a name."""
_VALUES = (ActivationValue, SoftmaxValue, Normalised, InverseScale, InverseRoot, Secant)


def expression_lines(unit: ResidualUnit) -> tuple[str, ...]:
    """The expression; of a long one first a line for each part that occurs more than once or makes a line too long."""
    root, names = unit.expression, unit.names
    whole = text(root, names)
    if len(whole) <= LONG:
        return (whole,)
    taken = {"h", *names.values()}
    free = (name for number in count(1) if (name := f"n{number}") not in taken)
    known: dict[Expression, str] = {}
    lines: list[str] = []
    shared, hidden = set(_shared(root)), {part for node in nodes(root) for part in inside(node)}

    def tell(node: Expression) -> None:
        lines.append(text(node, names, known))
        known[node] = next(free)

    for node in nodes(root):
        if node in hidden:
            continue
        while len(text(node, names, known)) > PART and (part := _longest(node, names, known)) is not None:
            tell(part)
        if node in shared:
            tell(node)
    return (*(f"{name} = {line}" for name, line in zip(known.values(), lines, strict=True)), text(root, names, known))


def _longest(node: Expression, names: Mapping[Weight, str], known: Mapping[Expression, str]) -> Expression | None:
    """The part of a node that is longest to write, where it is no word by itself."""
    parts = [part for one in (node, *inside(node)) for part in operands(one) if part not in inside(node)]
    lengths = {part: len(text(part, names, known)) for part in parts if operands(part) and part not in known}
    longest = max(lengths, key=lambda part: lengths[part], default=None)
    return longest if longest is not None and lengths[longest] > NAMED else None


def _shared(root: Expression) -> list[Expression]:
    """Parts made of others that occur more than once, what they are made of before them."""
    found = nodes(root)
    used = Counter(operand for node in found for operand in operands(node))
    return [node for node in found if used[node] > 1 and operands(node)]


def form_lines(branch: IndexSum | None, diagonal: IndexSum | None, cross: IndexSum | None) -> tuple[str, ...]:
    """The branch's leading part, D and A; long ones pair by pair of weights, their values named before them."""
    told = zip(HEADS, (branch, diagonal, cross), (" + higher orders", "", ""), strict=True)
    forms = [(head, form, tail) for head, form, tail in told if form is not None]
    lines = [f"  where       {line}" for line in _symbols([form for _, form, _ in forms])]
    known: dict[Tensor, str] = {}
    if any(len(form.label) > LONG for _, form, _ in forms):
        for _, form, _ in forms:
            _name(form, known)
    if known:
        lines.append("  with, i row, j column, u sample, k, l, i6, ... further axes, and other letters summed over,")
        lines += [f"    {name} = {tensor.label}" for tensor, name in known.items()]
    for head, form, tail in forms:
        whole = " + ".join(show_term(term, known) for term in form.terms) or "0"
        lines += [f"{head}{whole}{tail}"] if len(whole) <= LONG else _by_weights(head, form, tail, known)
    rounded = [_FRACTION.sub(_decimal, line) for line in lines]
    if rounded != lines:
        rounded.insert(
            0, "  where       ~ marks a coefficient that is rounded here, exact in the forms that --json has"
        )
    return tuple(rounded)


_FRACTION = re.compile(r"(?<![\w.])(\d+)/(\d{10,})(?![\w.])")
"""A coefficient with more digits than anybody reads, such as 1 / sqrt(variance + epsilon)."""


def _decimal(found: re.Match[str]) -> str:
    return f"~{Decimal(found[1]) / Decimal(found[2]):.6g}"


_LOSS = "g and Q the gradient and the Hessian of the loss at the output"
_MEANINGS = {"X": "X the data", "Y": "Y the targets", "g": _LOSS, "Q": _LOSS}


def _symbols(forms: Sequence[IndexSum]) -> Iterator[str]:
    """What the symbols of the forms stand for; weights that are called alike are told apart."""
    moved = sorted(
        {f for form in forms for t in form.terms for f, _ in t.factors if isinstance(f, Perturbation)},
        key=lambda t: (t.unit, t.label),
    )
    if not moved:
        return
    whole = " ".join(form.label for form in forms)
    said = dict.fromkeys(words for name, words in _MEANINGS.items() if re.search(rf"\b{name}\[", whole))
    first = f"{moved[0].label} the change of {moved[0].weight} in unit {moved[0].unit}"
    yield f"{', '.join([first, *said])}; repeated indices are summed over"
    alike = [name for name in sorted(OWN_SYMBOLS) if name in {t.weight for t in moved} or f"{name}_0[" in whole]
    if alike:
        yield f"{', '.join(alike)} by itself is none of the weights called so; {alike[0]}_0 is where {alike[0]} starts"


def _name(form: IndexSum, known: dict[Tensor, str]) -> None:
    """Names for the long values of a form: the function's, capital, and numbered where it has several arguments."""
    for tensor in (t for term in form.terms for t, _ in term.factors):
        if isinstance(tensor, _VALUES) and len(tensor.label) > NAMED and tensor not in known:
            stem = tensor.label.partition("(")[0].partition("_")[0].capitalize() or "Root"
            numbered = (stem if number == 1 else f"{stem}{number}" for number in count(1))
            known[tensor] = next(name for name in numbered if name not in known.values())


def _by_weights(head: str, form: IndexSum, tail: str, known: Mapping[Tensor, str]) -> tuple[str, ...]:
    """A line for each pair of weights, in the order of the terms."""
    pairs: dict[str, list[Term]] = {}
    for term in form.terms:
        moved = sorted((t.unit, t.weight) for t, _ in term.factors if isinstance(t, Perturbation))
        pairs.setdefault(", ".join(weight for _, weight in reversed(moved)), []).append(term)
    shown = [f"    {pair}: {_terms(terms, known)}" for pair, terms in sorted(pairs.items())]
    hidden = len(shown) - PAIRS
    more = (f"    and {hidden} more pairs of weights",) if hidden > 0 else ()
    counted = f"{len(form.terms)} terms, by the weights in them (--json has them in full){tail}:"
    return (f"{head}{counted}", *shown[:PAIRS], *more)


def shortened_form(label: str) -> str:
    """The form, or how many terms it has where it is long."""
    return label if len(label) <= LINE else f"{label.count(' + ') + 1} terms (--json has them in full)"


def _terms(terms: list[Term], known: Mapping[Tensor, str]) -> str:
    shown = [show_term(term, known) for term in terms]
    whole = " + ".join(shown)
    if len(whole) <= LINE:
        return whole
    shortest = min(shown, key=len)
    return f"{len(shown)} terms, the shortest {shortest}" if len(shown) > 1 else whole
