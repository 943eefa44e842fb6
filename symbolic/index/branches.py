"""Any branch whatever: the Hessian of a residual network whose branch is known only by its derivatives.

A unit is h + F(h; w) with w in R^p and F(h; w_0) = 0 for every h. To second order in w and in the deviation x of its
input from the data,

    F(X + x; w) = T1 w + S1 w x + 1/2 T2 w w,

with T1[i,a,u] = dF_i/dw_a, S1[i,a,j,u] = d^2 F_i/dh_j dw_a and T2[i,a,b,u] = d^2 F_i/dw_a dw_b at the data; pure
derivatives in h vanish with F(.; w_0). Units are composed from this alone, x_{r+1} = x_r + F(X + x_r; w_r), so what
follows holds for every branch that is twice differentiable near the data. Other branches, in v and z, have derivatives
T1v, ..., S1z and numbers of parameters of their own. Where a scale is given, units are h + s F(h; w), s a symbol.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from resproof.architectures.forms.terms import Delta, LossDerivative, Opaque, Perturbation, Tensor
from resproof.symbolic.index import sizes as index_sizes
from resproof.symbolic.index.claims import parse
from resproof.symbolic.index.lift import by_pairs_of_units
from resproof.symbolic.index.series import Sum, add, constant, contract, multiply, rename, scale, size, symbol, tensor
from resproof.symbolic.scope import Scope

WIDTH, PARAMETERS, SAMPLES = "d", "p", "m"
ROW, SAMPLE, OTHER_ROW = -1, -3, -4
_JOINT = -5


def _derivatives(letter: str, parameters: str) -> dict[str, Tensor]:
    """T1, T2 and S1 of the branch whose weights have this letter, by these names."""
    mark = "" if letter == "w" else letter
    return {
        "T1": Opaque(f"T1{mark}", (WIDTH, parameters, SAMPLES)),
        "T2": Opaque(f"T2{mark}", (WIDTH, parameters, parameters, SAMPLES)),
        "S1": Opaque(f"S1{mark}", (WIDTH, parameters, WIDTH, SAMPLES)),
    }


_COUNTS = {"w": PARAMETERS, "v": "q", "z": "o"}
_BRANCHES = {letter: _derivatives(letter, count) for letter, count in _COUNTS.items()}
_BEFORE = (Opaque("x", (WIDTH, SAMPLES)), Opaque("y", (WIDTH, SAMPLES)))
TENSORS: dict[str, Tensor] = {
    **{one.label: one for derivatives in _BRANCHES.values() for one in derivatives.values()},
    "g": LossDerivative(1, (WIDTH, SAMPLES)),
    "Q": LossDerivative(2, (WIDTH, WIDTH, SAMPLES)),
    **{f"d{letter}({r})": Perturbation(letter, r, (count,)) for letter, count in _COUNTS.items() for r in (1, 2)},
    "delta": Delta((WIDTH, WIDTH)),
    **{one.label: one for one in _BEFORE},
}
"""What a claim about an arbitrary branch may name."""

LETTERS = tuple(_COUNTS)
"""The letters of branches that are different."""

_FREE = {"i": ROW, "u": SAMPLE}
_NONE = frozenset[str]()


def branch(
    number: int,
    deviation: tuple[Sum, Sum],
    vanishing: frozenset[str] = _NONE,
    letter: str = "w",
    scaled_by: str = "",
) -> tuple[Sum, Sum]:
    """The parts of degree one and two of F(X + x; w) in unit `number`, given those of x.

    T2 is symmetric in its parameters; one order of them stands for both. `vanishing` names derivatives that are
    zero, T1 those of every branch and T1w that of one. `scaled_by`: the symbol in front of the branch, "" for none.
    """
    known = {**_BRANCHES[letter], "dw": Perturbation(letter, number, (_COUNTS[letter],))}
    factor = symbol(scaled_by) if scaled_by else constant(1)

    def term(claim: str, name: str) -> Sum:
        absent = vanishing & {name, f"{name}{letter}"}
        return {} if absent else multiply(factor, parse(claim, known, {**_FREE, "j": _JOINT}))

    first = term("T1[i,a,u] * dw[a]", "T1")
    moved = multiply(term("S1[i,a,j,u] * dw[a]", "S1"), rename(deviation[0], {ROW: _JOINT}))
    second = add(term("1/2 * T2[i,a,b,u] * dw[a] * dw[b]", "T2"), contract(moved, {_JOINT: WIDTH}))
    return first, second


def output_parts(letters: Sequence[str], vanishing: frozenset[str] = _NONE, scaled_by: str = "") -> tuple[Sum, Sum]:
    """The parts of degree one and two of the output of units in a row, less X: their branches by letter."""
    deviation: tuple[Sum, Sum] = ({}, {})
    for number, letter in enumerate(letters, start=1):
        first, second = branch(number, deviation, vanishing, letter, scaled_by)
        deviation = (add(deviation[0], first), add(deviation[1], second))
    return deviation


def hessian_forms(
    units: int | Sequence[str], vanishing: frozenset[str] = _NONE, scaled_by: str = ""
) -> Mapping[tuple[int, int], Sum]:
    """The degree-two part of the loss by pairs of units (r, s), r <= s, renamed to units 1 and 2.

    E[g f_2 + 1/2 Q f_1 f_1], f_k the part of degree k of the output. `units`: how many equal ones, or the letters of
    their branches, the earliest first.
    """
    letters = "w" * units if isinstance(units, int) else units
    return by_pairs_of_units(_part_of_loss(output_parts(letters, vanishing, scaled_by)), len(letters))


def hessian_form_of_shared(units: int, vanishing: frozenset[str] = _NONE) -> Sum:
    """The degree-two part of the loss of equal units that have one and the same w: one form, in dw(1)."""
    deviation: tuple[Sum, Sum] = ({}, {})
    for _ in range(units):
        first, second = branch(1, deviation, vanishing)
        deviation = (add(deviation[0], first), add(deviation[1], second))
    return _part_of_loss(deviation)


def _part_of_loss(output: tuple[Sum, Sum]) -> Sum:
    """E[g f_2 + 1/2 Q f_1 f_1]."""
    first, second = output
    gradient = multiply(tensor(TENSORS["g"], (ROW, SAMPLE)), second)
    half_q = parse("1/2 * Q[i,k,u]", TENSORS, {"i": ROW, "k": OTHER_ROW, "u": SAMPLE})
    curvature = multiply(multiply(half_q, first), rename(first, {ROW: OTHER_ROW}))
    return add(_mean(gradient, (ROW,)), _mean(curvature, (ROW, OTHER_ROW)))


def _mean(summand: Sum, rows: tuple[int, ...]) -> Sum:
    """The sum over rows and the mean over samples."""
    return multiply(size(SAMPLES, -1), contract(summand, {**dict.fromkeys(rows, WIDTH), SAMPLE: SAMPLES}))


class Added(NamedTuple):
    """What one more unit adds after any number of others: to the output, by degree, and to the loss at degree two."""

    before: tuple[Sum, Sum]
    first: Sum
    second: Sum
    loss: Sum


def one_more(layers: Sequence[str] = ("w",), vanishing: frozenset[str] = _NONE, scaled_by: str = "") -> Added:
    """One more unit, number 2, after units whose output deviates from X by x + y, of degree one and two.

    Nothing says how many they are, or of which kinds. `layers`: within the unit, one after the other, the branches that
    stand side by side there by their letters. Where T1 vanishes, x does, as the sum of what units before have added.
    """
    x, y = ({} if "T1" in vanishing else tensor(_BEFORE[0], (ROW, SAMPLE)), tensor(_BEFORE[1], (ROW, SAMPLE)))
    after = (x, y)
    for letters in layers:
        beside = [branch(2, after, vanishing, letter, scaled_by) for letter in letters]
        after = (add(after[0], *(one for one, _ in beside)), add(after[1], *(two for _, two in beside)))
    first, second, loss = (
        add(new, scale(-1, old))
        for new, old in (*zip(after, (x, y), strict=True), (_part_of_loss(after), _part_of_loss((x, y))))
    )
    return Added((x, y), first, second, loss)


def one_more_of_shared(vanishing: frozenset[str] = _NONE) -> Added:
    """One more unit with the w of those before: they are n, a symbol, and each has added T1 w at first degree."""
    x = multiply(symbol("n"), branch(1, ({}, {}), vanishing)[0])
    before = (x, tensor(_BEFORE[1], (ROW, SAMPLE)))
    first, second = branch(1, before, vanishing)
    after = _part_of_loss((add(x, first), add(before[1], second)))
    return Added(before, first, second, add(after, scale(-1, _part_of_loss(before))))


def sizes(*sums: Sum) -> Scope:
    """The dimensions that the tensors name; R where y occurs, which any number of units before may have made."""
    there = {factor.label for one in sums for _, factors in one for factor, _ in factors}
    return index_sizes.of_terms(*sums, products={"y": "R"} if "y" in there else {})


def sizes_of_kinds(*sums: Sum) -> Scope:
    """The same, and K: the units that made x may be of any number of kinds.

    Raises:
        ValueError: x does not occur.
    """
    return sizes(*sums) & index_sizes.of_terms(*sums, products={"x": "K"})
