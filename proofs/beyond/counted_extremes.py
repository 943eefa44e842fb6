"""Evidence for GEN-4: eigenvalues that are counted, at depths where no matrix is formed, against closed forms.

Where D = A, and D = 0 with a rotation for A, H_R = 1 1^T (x) A and Sigma (x) A have known spectra. There the bounds from the
summands of H_R are reached as well: each of them in one case at least. One unit has D alone, whatever A is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from resproof.numeric.rounding import UNIT_ROUNDOFF, gamma
from resproof.numeric.spectra.toeplitz import ExtremeEigenvalues, ceilings, count_below, extremes
from resproof.proofs.statement import Argument, Computed, Context, Disagreement, Measurement
from resproof.symbolic.scope import Scope


class _AtDepth(NamedTuple):
    """D and A of so many units, the error that they are said to have, and the width that is left without their kernel."""

    diagonal: list[list[float]]
    below: list[list[float]]
    units: int
    off: float = 0.0
    widest: int | None = None


class _ClosedForm(NamedTuple):
    """Largest and smallest eigenvalue, the least modulus; how many are negative, zero and positive; which ends are reached."""

    values: tuple[float, float, float]
    inertia: tuple[int, int, int]
    reached: tuple[bool, bool] = (True, True)


_DEPTH = 10**5
_SYMMETRIC, _ROTATION, _STEP = [[2.0, -1.0], [-1.0, 2.0]], [[0.0, -3.0], [3.0, 0.0]], [[0.0, 0.0], [2.0, 0.0]]
_NOTHING = [[0.0, 0.0], [0.0, 0.0]]
_NEAR = 2.0**-40
_CASES: Mapping[str, tuple[_AtDepth, _ClosedForm]] = {
    "$D = A$ symmetric": (
        _AtDepth(_SYMMETRIC, _SYMMETRIC, _DEPTH),
        _ClosedForm((3.0 * _DEPTH, 0.0, _DEPTH), (0, 2 * _DEPTH - 2, 2)),
    ),
    "$D = 0$, $A$ a rotation": (
        _AtDepth(_NOTHING, _ROTATION, _DEPTH),
        # cot((2 j + 1) pi / 2 R), each twice
        _ClosedForm(
            (
                3.0 / math.tan(math.pi / (2 * _DEPTH)),
                -3.0 / math.tan(math.pi / (2 * _DEPTH)),
                3.0 * math.tan(math.pi / (2 * _DEPTH)),
            ),
            (_DEPTH, 0, _DEPTH),
        ),
    ),
    "$D$ alone": (
        _AtDepth([[2.0, 3.0], [3.0, 2.0]], _NOTHING, _DEPTH),
        _ClosedForm((5.0, -1.0, 1.0), (_DEPTH, 0, _DEPTH)),
    ),
    "$D$ diagonal": (
        _AtDepth([[2.0, 0.0], [0.0, -1.0]], _NOTHING, _DEPTH),
        _ClosedForm((2.0, -1.0, 1.0), (_DEPTH, 0, _DEPTH)),
    ),
    "$A$ nilpotent": (_AtDepth(_NOTHING, _STEP, 2), _ClosedForm((2.0, -2.0, 2.0), (1, 2, 1))),
    "$D$ of one unit beside a far greater skew $A$": (
        _AtDepth(
            [[-1.0, 2.0, 2.0], [2.0, -1.0, 2.0], [2.0, 2.0, -1.0]],
            [[0.0, 1e8, -4e7], [-1e8, 0.0, 6e7], [4e7, -6e7, 0.0]],
            1,
        ),
        _ClosedForm((3.0, -3.0, 3.0), (2, 0, 1)),
    ),
    "$D$ and $A$ with a kernel": (
        _AtDepth(
            [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, -2.0]],
            [[3.0, 0.0, 0.0], [0.0] * 3, [0.0] * 3],
            _DEPTH,
            0.0,
            2,
        ),
        _ClosedForm((3.0 * _DEPTH - 2.0, -2.0, 2.0), (2 * _DEPTH - 1, _DEPTH, 1), (False, False)),
    ),
    "$D - A$ near zero": (
        _AtDepth([[1.0 + _NEAR, -1.0], [-1.0, 1.0 + _NEAR]], [[1.0, -1.0], [-1.0, 1.0]], 5),
        _ClosedForm((10.0 + _NEAR, _NEAR, _NEAR), (0, 0, 10)),
    ),
    "$D - A$ nearer to zero than $D$ and $A$ are known": (
        _AtDepth([[1.0 + _NEAR, -1.0], [-1.0, 1.0 + _NEAR]], [[1.0, -1.0], [-1.0, 1.0]], 5, 4 * _NEAR),
        _ClosedForm((10.0 + _NEAR, _NEAR, 10.0 + _NEAR), (0, 9, 1)),
    ),
}


@dataclass(frozen=True, slots=True)
class _CountedEnds:
    """What was counted, and the bounds from the summands."""

    counted: ExtremeEigenvalues
    within: tuple[float, float]


def _computed(_: Context) -> Computed:
    found = {}
    for name, (case, _known) in _CASES.items():
        d, a = np.asarray(case.diagonal), np.asarray(case.below)
        one = extremes(d, a, case.units, off=case.off, widest=case.widest)
        found[name] = _CountedEnds(one, ceilings(d, a, case.units, off=case.off))
    return Computed(
        found, Scope.of(*(f"{name}: R={case.units}, p={len(case.below)}" for name, (case, _) in _CASES.items()))
    )


class _Multiple(NamedTuple):
    """By what the known eigenvalues are multiplied, and how many of the zeros are positive."""

    times: float = 1.0
    more: int = 0


def _as_known(found: Mapping[str, _CountedEnds], claim: _Multiple) -> tuple[Measurement, ...]:
    """The three eigenvalues and the bounds of each case; the first against the errors that are said of them.

    Raises:
        Disagreement: another number of negative, zero or positive ones, or other condition numbers than those have.
    """
    measured = list[Measurement]()
    for name, one in found.items():
        case, known = _CASES[name]
        counted, (negative, zero, positive) = one.counted, known.inertia
        if (counted.negative, counted.zero, counted.positive) != (negative, zero - claim.more, positive + claim.more):
            raise Disagreement(f"{name}: {counted.negative} negative, {counted.zero} zero, {counted.positive} positive")
        pseudo = max(abs(counted.largest), abs(counted.smallest)) / counted.smallest_modulus
        numbers = counted.condition_number, counted.pseudo_condition_number
        if numbers != (math.inf if zero > claim.more else pseudo, pseudo):
            raise Disagreement(f"{name}: condition numbers {numbers} beside {zero - claim.more} zeros and {pseudo}")
        at = f"{name}: R={case.units}, p={len(case.below)}"
        mine = (counted.largest, counted.smallest, counted.smallest_modulus)
        pairs = list(zip(mine, (claim.times * value for value in known.values), counted.errors, strict=True))
        apart, error = max(((abs(a - b), e) for a, b, e in pairs), key=lambda each: each[0] / each[1])
        why = "half the distance of two counts and their rounding error"
        measured.append(
            Measurement(f"{name}: |eigenvalue - closed form|", apart, error, at, None, why, scale=pairs[0][1])
        )
        measured.append(_bounds(name, one.within, claim.times))
    return tuple(measured)


def _bounds(name: str, within: tuple[float, float], times: float) -> Measurement:
    """How far the bounds of an end are from it where they are reached; below or above it otherwise."""
    case, known = _CASES[name]
    pairs = zip((within[1], -within[0]), (known.values[0], -known.values[1]), known.reached, strict=True)
    over = [(times * value - bound, reached) for bound, value, reached in pairs]
    apart = max(abs(by) if reached else max(by, 0.0) for by, reached in over)
    p, norms = len(case.below), [float(np.linalg.norm(np.asarray(one))) for one in (case.diagonal, case.below)]
    size = norms[0] + case.units * norms[1]
    why = r"$32 p u (\lvert D\rvert_F + R \lvert A\rvert_F)$, and what $D$ and $A$ are said to be off by"
    bound = case.off + 32.0 * p * UNIT_ROUNDOFF * size
    at = f"{name}: R={case.units}, p={p}"
    return Measurement(f"{name}: |bound - eigenvalue|", apart, bound, at, None, why, scale=abs(known.values[0]))


COUNTED = Argument(
    "Counted eigenvalues against closed forms, $R = 10^5$",
    "floating point",
    _computed,
    _Multiple(),
    {"a millionth greater": _Multiple(1.0 + 1e-6), "a zero is positive": _Multiple(more=1)},
    _as_known,
    explanation=r"$H_R = 1 1^{\mathsf T} \otimes A$, $H_R = \Sigma \otimes A$ with the cotangents of $(2 j + 1) \pi / 2 R$, and the "
    "bounds from the summands where they are reached.",
)


# The error of a count, by a second way.

_TURNED, _ODD_DEPTH, _SHIFTS = 3.0, 1003, (2.5, -0.4, 40.0)


@dataclass(frozen=True, slots=True)
class _CountAt:
    """How many eigenvalues lie below a shift, and the error of the shift that rounding amounts to."""

    shift: float
    negative: int
    error: float


def _counts(_: Context) -> Computed:
    found = [_CountAt(z, *count_below(np.zeros((2, 2)), np.asarray(_ROTATION), _ODD_DEPTH, z)) for z in _SHIFTS]
    return Computed(found, Scope.of(f"R={_ODD_DEPTH}, p=2"))


def _by_numbers(shift: float) -> float:
    """The same error where every form is a number c times I, and K a rotation by k: C_{a+b} = a - (a^2 + k^2)/(a + b).

    Each merge counts its length, or |K^-1 E|^2 = 1 + (z/k)^2 where that is less, times the size of what it rounds.
    """
    k, rho, reach = _TURNED, 8.0 * math.sqrt(2.0) * UNIT_ROUNDOFF, min(_ODD_DEPTH, 1.0 + (shift / _TURNED) ** 2)

    def merged(a: float, b: float, length: int, both: float) -> tuple[float, float]:
        q = a + b
        size = both + (abs(q) + both + k) * (1.0 + (abs(a) + k) / abs(q))
        return a - (a * a + k * k) / q, min(length, reach) * size

    def stretch(length: int) -> tuple[float, float]:
        if length == 1:
            return -shift, 0.0
        half, before = stretch(length // 2)
        form, error = merged(half, half, length - length % 2, 2.0 * abs(half))
        if length % 2 == 0:
            return form, before + error
        longer, more = merged(form, -shift, length, abs(form) + abs(shift))
        return longer, before + error + more

    return rho * (abs(shift) + stretch(_ODD_DEPTH)[1])


def _with_error(found: list[_CountAt], times: float) -> tuple[Measurement, ...]:
    """The error of each count, held against that of numbers.

    Raises:
        Disagreement: a count is not that of the cotangents.
    """
    measured = list[Measurement]()
    for one in found:
        angles = [(2 * j + 1) * math.pi / (2 * _ODD_DEPTH) for j in range(_ODD_DEPTH)]
        below = 2 * sum(_TURNED / math.tan(angle) < one.shift for angle in angles)
        if one.negative != below:
            raise Disagreement(f"{one.negative} eigenvalues below {one.shift}; claimed {below}")
        expected = times * _by_numbers(one.shift)
        why = r"$R\, \gamma_{1000}$ times the error: an angle that is doubled is off by twice as much"
        bound, at = _ODD_DEPTH * gamma(1000) * expected, f"R={_ODD_DEPTH}, p=2, z={one.shift}"
        apart = abs(one.error - expected)
        measured.append(Measurement(f"error of a count at {one.shift}", apart, bound, at, None, why, scale=expected))
    return tuple(measured)


COUNT_ERRORS = Argument(
    "What rounding may do to a count, by numbers in the place of matrices",
    "floating point",
    _counts,
    1.0,
    {"half of it": 0.5, "twice as much": 2.0, "a millionth more": 1.0 + 1e-6},
    _with_error,
    explanation="$D = 0$ and a rotation for $A$: the bound that is derived for a count, merge by merge.",
)
