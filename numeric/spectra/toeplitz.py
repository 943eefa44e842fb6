"""Extreme eigenvalues and inertia of H_R = I (x) D + L (x) A + L^T (x) A^T at any depth R, from p x p matrices.

With W and -K the symmetric and skew parts of A, so A = W - K, and F = D - W, Sigma_rs = sign(r - s),

    H_R = I (x) F + 11^T (x) W - Sigma (x) K.

Let C_R be the form whose value at s is the stationary value of v^T (H_R - z) v - s^T W s under sum_r v_r = s. Two
stretches of a and b units with sums s - u and u meet in a quadratic form in u, so that

    C_1 = F - z,    Q = C_a + C_b,    C_{a+b} = C_a - (C_a - K) Q^-1 (C_a + K),

and the number of eigenvalues of H_R below z is that of negative eigenvalues of C_R + W and of the Q of all R - 1
joints. Stretches of one length are alike, so log2 R doublings (C_2a = (C_a + K C_a^-1 K)/2, Newton's iteration for the
sign) count the eigenvalues below z at every R: O(p^3 log R). Directions that K maps to 0 need no doubling: there
C_R = C_1/R.

Eigenvalues are enclosed by counts on both sides; between two that differ in C_R + W only, one eigenvalue of that matrix
falls with z, and its zero is sought by interpolation.

Rounding, to first order. Sums of p products are taken to be off by rho = 8 sqrt(p) u times those of moduli, as they
are with probability close to one (Higham and Mary 2019, A New Approach to Probabilistic Rounding Error Analysis). A
merge is off by rho (|C_a| + |C_b| + (|Q| + |C_a + K|) |Y|), Y = Q^-1 (C_a + K). A form that is off by e in every
stretch of length a moves eigenvalues by at most e a, and by at most e |K^-1 E|^2, E = F - z + K, because for the sum s
of a stretch of an eigenvector 2 K s = E v_last - E^T v_first.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from resproof.numeric.backend import Array, largest_modulus, ops_of
from resproof.numeric.rounding import UNIT_ROUNDOFF

Matrix: TypeAlias = NDArray[np.float64]

RELATIVE = 1e-10
"""Unless asked otherwise, eigenvalues are enclosed to this relative width, or to their rounding error if greater."""
STEPS = 200


@dataclass(frozen=True, slots=True)
class ExtremeEigenvalues:
    """Extreme eigenvalues of H_R and how many are negative, zero and positive.

    `smallest_modulus` is the least modulus among the nonzero ones; 0.0 where all are zero. An eigenvalue counts as zero
    up to `tolerance`, the rounding error of a count there. `errors` are those of `largest`, `smallest` and
    `smallest_modulus`: half the distance of the counts that enclose it, and their rounding error.
    """

    largest: float
    smallest: float
    smallest_modulus: float
    negative: int
    zero: int
    positive: int
    tolerance: float
    errors: tuple[float, float, float]

    def times(self, factor: float) -> ExtremeEigenvalues:
        """Those of a positive multiple of H_R."""
        largest, smallest, modulus = (factor * x for x in (self.largest, self.smallest, self.smallest_modulus))
        errors = (factor * self.errors[0], factor * self.errors[1], factor * self.errors[2])
        inertia = (self.negative, self.zero, self.positive)
        return ExtremeEigenvalues(largest, smallest, modulus, *inertia, factor * self.tolerance, errors)

    @property
    def greatest_modulus(self) -> float:
        """The spectral norm."""
        return max(abs(self.largest), abs(self.smallest))

    @property
    def condition_number(self) -> float | None:
        """Greatest over least modulus: infinite where an eigenvalue is zero, None where all are."""
        return self.pseudo_condition_number if not self.zero or self.smallest_modulus == 0.0 else math.inf

    @property
    def pseudo_condition_number(self) -> float | None:
        """Greatest over least nonzero modulus; None where all are zero."""
        return None if self.smallest_modulus == 0.0 else self.greatest_modulus / self.smallest_modulus


class TooWideError(ValueError):
    """D and A are wider than what the caller has time for."""


def extremes(
    diagonal: Array,
    below: Array,
    units: int,
    *,
    relative: float = RELATIVE,
    off: float = 0.0,
    widest: int | None = None,
) -> ExtremeEigenvalues:
    """Extreme eigenvalues and inertia of I (x) D + L (x) A + L^T (x) A^T with R x R blocks.

    The common kernel of D, A and A^T is split off first; it gives R zeros a dimension.

    Args:
        diagonal: D, symmetric, (p, p).
        below: A, (p, p).
        units: R >= 1; 10^6 costs 20 doublings.
        relative: the relative width to which eigenvalues are enclosed.
        widest: beyond which width counting is refused: a count costs its cube.
        off: a bound of |H_R - what is meant|, as the entries of D and A may be rounded: it moves no eigenvalue by more.

    Raises:
        ValueError: shapes that do not fit, an entry that is not finite, D not symmetric, or no unit.
        TooWideError: more than `widest` dimensions are left without the common kernel.
    """
    d, a = _checked(diagonal, below, units)
    kept, lost = _without_common_kernel(d, a)
    if widest is not None and d.shape[0] - lost > widest:
        raise TooWideError(
            f"toeplitz: D and A have {d.shape[0] - lost} dimensions besides their kernel; {widest} at most"
        )
    problem = _RangeProblem.of(d, a, units, relative, kept)
    total, zeros = units * problem.f.shape[0], units * lost
    if total == 0 or not (d.any() or a.any()):
        return ExtremeEigenvalues(0.0, 0.0, 0.0, 0, zeros + total, 0, 0.0, (0.0, 0.0, 0.0))
    tolerance, at_minus, at_plus = _zero_tolerance(problem, off)
    negative, positive = at_minus.negative, total - at_plus.negative
    outer = problem.norm
    low, high = problem.count(-outer), problem.count(outer)
    ends = [_kth(problem, k, *_around(k, (low, at_minus, at_plus, high))) for k in (total, 1)]
    modulus = _least_modulus(problem, low, at_minus, at_plus, high)
    zero = total - negative - positive
    largest, smallest = (max(ends[0][0], 0.0), min(ends[1][0], 0.0)) if lost else (ends[0][0], ends[1][0])
    errors = (ends[0][1] + off, ends[1][1] + off, modulus[1] + off)
    return ExtremeEigenvalues(largest, smallest, modulus[0], negative, zeros + zero, positive, tolerance, errors)


def ceilings(diagonal: Array, below: Array, units: int, *, off: float = 0.0) -> tuple[float, float]:
    """A lower bound of the smallest and an upper bound of the largest eigenvalue of H_R, from those of its summands.

    H_R = I (x) F + 11^T (x) W - Sigma (x) K with |Sigma| = cot(pi / 2R); where that is less, |D| + (R - 1) |A|.
    `off` is a bound of |H_R - what is meant|.

    Raises:
        ValueError: as `extremes`.
    """
    d, a = _checked(diagonal, below, units)
    outer = _norm(d) + (units - 1) * _norm(a)
    # What is added up is as large as |D| + R |A|, also where it cancels.
    slack = off + 16.0 * d.shape[0] * UNIT_ROUNDOFF * (outer + _norm(a))
    w, k = _symmetric(a), _skew(a)
    f, w = np.linalg.eigvalsh(d - w), np.linalg.eigvalsh(w)
    turned = float(np.linalg.norm(k, 2)) / math.tan(math.pi / (2 * units))
    lowest = float(f[0]) + units * min(float(w[0]), 0.0) - turned
    highest = float(f[-1]) + units * max(float(w[-1]), 0.0) + turned
    return max(lowest, -outer) - slack, min(highest, outer) + slack


def count_below(diagonal: Array, below: Array, units: int, shift: float) -> tuple[int, float]:
    """How many eigenvalues of H_R lie below `shift`, and the error of `shift` that rounding amounts to.

    Raises:
        ValueError: as `extremes`.
    """
    found = _RangeProblem.of(*_checked(diagonal, below, units), units).count(shift)
    return found.negative, found.error


# Counting.


@dataclass(frozen=True, slots=True)
class _DoubledForm:
    """C_R of the directions that K moves, the negative eigenvalues of its joints, and its rounding error over rho."""

    form: Matrix
    joints: int
    error: float


@dataclass(frozen=True, slots=True)
class _Count:
    """How many eigenvalues lie below `shift`: those of the joints, and the negative ones among `last`, of C_R + W."""

    shift: float
    joints: int
    last: Matrix
    error: float

    @property
    def negative(self) -> int:
        return self.joints + int(np.count_nonzero(self.last < 0.0))


@dataclass(frozen=True, slots=True)
class _RangeProblem:
    """F, W and K in an orthonormal basis whose first `moved` vectors span the range of K, the others its kernel.

    On that kernel F is diagonal. What the basis leaves of K and of F off the diagonal there is `dropped` and `blurred`.
    """

    units: int
    f: Matrix
    w: Matrix
    k: Matrix
    moved: int
    dropped: float
    blurred: float
    norm: float
    relative: float

    @staticmethod
    def of(d: Matrix, a: Matrix, units: int, relative: float = RELATIVE, kept: Matrix | None = None) -> _RangeProblem:
        """The problem on the span of `kept`; D - W comes first, for it may be far smaller than D and W."""
        w, k = (a + a.T) / 2, (a.T - a) / 2
        f = d - w
        if kept is not None:
            f, w, k = _symmetric(kept.T @ f @ kept), _symmetric(kept.T @ w @ kept), _skew(kept.T @ k @ kept)
        size = f.shape[0]
        basis, sigma, _ = np.linalg.svd(k)
        moved = int(np.count_nonzero(sigma > size * UNIT_ROUNDOFF * _norm(a)))
        moved -= moved % 2  # a skew matrix has even rank
        turned = basis.T @ k @ basis
        dropped = float(sigma[moved]) if moved < size else 0.0
        turned[moved:, :] = turned[:, moved:] = 0.0
        norm = 1.0001 * (_norm(d) + (units - 1) * _norm(a))
        basis[:, moved:] = basis[:, moved:] @ np.linalg.eigh(_symmetric(basis[:, moved:].T @ f @ basis[:, moved:]))[1]
        f, w = (_symmetric(basis.T @ one @ basis) for one in (f, w))
        diagonal = np.diag(np.diag(f[moved:, moved:]))
        blurred = _norm(f[moved:, moved:] - diagonal)
        f[moved:, moved:] = diagonal
        return _RangeProblem(units, f, w, _skew(turned), moved, dropped, blurred, norm, relative)

    def count(self, shift: float) -> _Count:
        """The eigenvalues below `shift`; a shift at which a matrix is singular is moved, and the move counted as error.

        Raises:
            LinAlgError: moving it did not help.
        """
        scale = UNIT_ROUNDOFF * (abs(shift) + _norm(self.f) + _norm(self.k))
        for nudge in (0.0, 2.0**4, 2.0**12, 2.0**20, 2.0**28):
            at = shift + nudge * scale
            try:
                return self._count(at, shift)
            except np.linalg.LinAlgError:
                continue
        raise np.linalg.LinAlgError(f"toeplitz: a joint is singular at every shift near {shift}")

    def _count(self, at: float, shift: float) -> _Count:
        q, size, units = self.moved, self.f.shape[0], self.units
        f, k, rho = self.f - at * np.eye(size), self.k[:q, :q], _rounding(size)
        kernel = np.diagonal(f)[q:]
        joints = (units - 1) * int(np.count_nonzero(kernel < 0.0))
        top, change = _decoupled(f, kernel)
        bent = _norm(change) if change.size else 0.0
        reduced = largest_modulus(kernel) * bent * bent
        error = abs(at - shift) + rho * (_norm(f) + reduced) + 2.0 * units * self.dropped + self.blurred
        last = _congruent(self.w, change)
        last[q:, q:] += np.diag(kernel / units)
        reach = float(units)
        if q:
            reach = _reach(_solve(k, top + k), units)
            found = _doublings(top, k, units, reach)
            joints += found.joints
            last[:q, :q] += found.form
            error += rho * found.error
        last = _symmetric(last)
        values = np.asarray(np.linalg.eigvalsh(last), dtype=np.float64)
        noise = rho * largest_modulus(values)
        unsure = np.abs(values) <= noise
        if np.any(unsure):
            _, vectors = np.linalg.eigh(last)
            error += noise * max(_displacement(s, q, units, reach) for s in vectors[:, unsure].T)
        return _Count(shift, joints, values, error)


def _displacement(s: Matrix, moved: int, units: int, reach: float) -> float:
    """1/|v|^2 at most, for the stationary v of sum s: |v|^2 >= |s|^2/R in the kernel of K, |s|^2/reach elsewhere."""
    return 1.0 / (float(np.sum(s[:moved] ** 2)) / reach + float(np.sum(s[moved:] ** 2)) / units)


def _decoupled(f: Matrix, kernel: Matrix) -> tuple[Matrix, Matrix]:
    """F on the range of K with its kernel eliminated, where F is diagonal: v = (m, n + B m), B = -F_nn^-1 F_nm.

    Raises:
        LinAlgError: F is singular there.
    """
    q = f.shape[0] - len(kernel)
    if q and not kernel.all():
        raise np.linalg.LinAlgError("toeplitz: F is singular on the kernel of K")
    change: Matrix = -f[q:, :q] / kernel[:, None]
    return _symmetric(f[:q, :q] + f[:q, q:] @ change), change


def _congruent(w: Matrix, change: Matrix) -> Matrix:
    """U^T W U for U = [[1, 0], [B, 1]]."""
    q = change.shape[1]
    bent = w[:, q:] @ change
    total = w.copy()
    total[:, :q] += bent
    total[:q, :] += change.T @ total[q:, :]
    return total


def _reach(quotient: Matrix, units: int) -> float:
    """min(R, |K^-1 E|^2); |K^-1 E| is at least the root mean square of its singular values, which is had at once."""
    least = float(np.sum(quotient * quotient)) / len(quotient)
    if least >= units:
        return float(units)
    growth = float(np.linalg.norm(quotient, 2))
    return min(float(units), growth * growth)  # a product may be infinite; a power raises


def _doublings(first: Matrix, k: Matrix, units: int, reach: float) -> _DoubledForm:
    """C_R and the negative eigenvalues of all joints, by the binary digits of R."""
    form, joints, length, error = first, 0, 1, 0.0
    for digit in bin(units)[3:]:
        form, negative, size = _merge(form, form, k)
        joints, length = 2 * joints + negative, 2 * length
        error += min(length, reach) * size
        if digit == "1":
            form, negative, size = _merge(form, first, k)
            joints, length = joints + negative, length + 1
            error += min(length, reach) * size
    return _DoubledForm(form, joints, error)


def _merge(a: Matrix, b: Matrix, k: Matrix) -> tuple[Matrix, int, float]:
    """C_{a+b}, the negative eigenvalues of the joint Q, and the size of what was rounded."""
    joint = a + b
    values = np.linalg.eigvalsh(joint)
    share = _solve(joint, a + k)
    form = _symmetric(a - (a - k) @ share)
    greatest = largest_modulus(values)
    both = greatest if a is b else _norm(a) + _norm(b)
    size = both + (greatest + both + _norm(k)) * (1.0 + _norm(share))
    return form, int(np.count_nonzero(values < 0.0)), size


# Searching.


def _zero_tolerance(problem: _RangeProblem, off: float) -> tuple[float, _Count, _Count]:
    """The least t (within a factor of 3) at which the counts at -t and t are off by at most t/2, and these counts.

    It is at least 2 `off`, so that eigenvalues that may be zero lie within.
    """
    t = 2.0 * off + _rounding(problem.f.shape[0]) * (_norm(problem.f) + _norm(problem.k) + _norm(problem.w))
    minus, plus = problem.count(-t), problem.count(t)
    while 2.0 * max(minus.error, plus.error) > t:
        t *= 3.0
        minus, plus = problem.count(-t), problem.count(t)
    return t, minus, plus


def _around(k: int, counts: tuple[_Count, ...]) -> tuple[_Count, _Count]:
    """The neighbours among counts at ascending shifts that have the k-th eigenvalue between them."""
    place = next((i for i, count in enumerate(counts) if count.negative >= k), len(counts) - 1)
    return counts[max(place - 1, 0)], counts[place]


def _least_modulus(
    problem: _RangeProblem, low: _Count, minus: _Count, plus: _Count, high: _Count
) -> tuple[float, float]:
    """The least modulus of the eigenvalues outside [minus.shift, plus.shift], and its error."""
    found: list[tuple[float, float]] = []
    if plus.negative < high.negative:
        found.append(_kth(problem, plus.negative + 1, plus, high))
    if minus.negative > 0:
        nearest = problem.count(-found[0][0]) if found else low
        if nearest.negative < minus.negative:
            value, error = _kth(problem, minus.negative, nearest, minus)
            found.append((-value, error))
    return min(found, default=(0.0, 0.0))


def _kth(problem: _RangeProblem, k: int, low: _Count, high: _Count) -> tuple[float, float]:
    """The k-th eigenvalue, low.negative < k <= high.negative, and its error.

    Where both counts have the same joints it is the zero of one eigenvalue of C_R + W, which falls with the shift.
    """
    last, before = high, None  # the end that moved last, and the one that it replaced
    for _ in range(STEPS):
        error = max(low.error, high.error)
        least = max(problem.relative * max(abs(low.shift), abs(high.shift)), 2.0 * error)
        if high.shift - low.shift <= least:
            break
        middle = _interpolated(k, last, low if last is high else high, before)
        if middle is None:
            middle = _middle(low.shift, high.shift)
        # A quarter off the ends: where the zero is found all but exactly, the next step is on its other side.
        middle = min(max(middle, low.shift + least / 4), high.shift - least / 4)
        if not low.shift < middle < high.shift:
            break
        found = _sharp(problem, middle, low, high)
        if found.negative >= k:
            before, high = high, found
        else:
            before, low = low, found
        last = found
    least, most = low.shift - low.error, high.shift + high.error
    return (least + most) / 2, (most - least) / 2


def _interpolated(k: int, last: _Count, other: _Count, before: _Count | None) -> float | None:
    """The zero by inverse quadratic interpolation through three counts; None where that is unsafe.

    Source: Chandrupatla 1997, Advances in Engineering Software 28, 145-149.
    Between shifts of one sign the values are taken times the shift: where D has a zero block, the eigenvalue of C_R + W
    is about -c/z near z = 0.
    """
    if before is None or not last.joints == other.joints == before.joints:
        return None
    place, signed = k - last.joints - 1, last.shift * other.shift > 0.0 and before.shift * last.shift > 0.0
    f1, f2, f3 = (float(c.last[place]) * (abs(c.shift) if signed else 1.0) for c in (last, other, before))
    x1, x2, x3 = last.shift, other.shift, before.shift
    if len({f1, f2, f3}) < 3:
        return None
    xi, phi = (x1 - x2) / (x3 - x2), (f1 - f2) / (f3 - f2)
    if not (phi * phi < xi and (1.0 - phi) ** 2 < 1.0 - xi):
        return None
    t = f1 / (f2 - f1) * f3 / (f2 - f3) + (x3 - x1) / (x2 - x1) * f1 / (f3 - f1) * f2 / (f3 - f2)
    return x1 + t * (x2 - x1)


def _sharp(problem: _RangeProblem, shift: float, low: _Count, high: _Count) -> _Count:
    """The count at `shift`, or at another point between low and high where rounding moves it too far there.

    Counts are inaccurate near the poles of the joints; at 0, say, where D has a zero block.
    """
    best, width = problem.count(shift), high.shift - low.shift
    usual = max(width / 8, 1e3 * max(low.error, high.error))
    for share in (0.44, 0.57, 0.31, 0.69):
        if best.error <= usual:
            break
        best = min(best, problem.count(low.shift + share * width), key=lambda one: one.error)
    return best


def _middle(low: float, high: float) -> float:
    """The geometric mean of far ends of one sign, else the arithmetic mean."""
    if low * high > 0 and not 0.25 < low / high < 4.0:
        return math.copysign(math.sqrt(abs(low)) * math.sqrt(abs(high)), low)
    return (low + high) / 2


# Helpers.


def _checked(diagonal: Array, below: Array, units: int) -> tuple[Matrix, Matrix]:
    d, a = (ops_of(one).numpy(one).astype(np.float64) for one in (diagonal, below))
    if d.ndim != 2 or d.shape[0] != d.shape[1] or d.shape != a.shape:
        raise ValueError(f"toeplitz: D has shape {d.shape}, A has shape {a.shape}; expected one square shape")
    if not (np.isfinite(d).all() and np.isfinite(a).all()):
        raise ValueError("toeplitz: D or A has entries that are not finite; expected finite ones")
    asymmetry = largest_modulus(d - d.T)
    if asymmetry > 1e-12 * largest_modulus(d):
        raise ValueError(f"toeplitz: D differs from its transpose by {asymmetry:.3g}; expected a symmetric matrix")
    if units < 1:
        raise ValueError(f"toeplitz: {units} units; expected at least one")
    return _symmetric(d), a


def _without_common_kernel(d: Matrix, a: Matrix) -> tuple[Matrix | None, int]:
    """A basis of the complement of what D, A and A^T map to zero, None for everything, and the dimensions lost."""
    _, sigma, vt = np.linalg.svd(np.concatenate([d, a, a.T]), full_matrices=False)
    kept = vt[sigma > 8 * d.shape[0] * UNIT_ROUNDOFF * largest_modulus(sigma)].T
    lost = d.shape[0] - kept.shape[1]
    return (kept if lost else None), lost


def _solve(a: Matrix, b: Matrix) -> Matrix:
    return np.asarray(np.linalg.solve(a, b), dtype=np.float64)


def _rounding(size: int) -> float:
    """rho: what a sum of `size` products may be off by, relative to that of moduli."""
    return 8.0 * math.sqrt(size) * UNIT_ROUNDOFF


def _symmetric(a: Matrix) -> Matrix:
    return (a + a.T) / 2


def _skew(a: Matrix) -> Matrix:
    return (a - a.T) / 2


def _norm(a: Matrix) -> float:
    """An upper bound of the spectral norm, the root of the product of the greatest row and column sums of moduli."""
    moduli = np.abs(a)
    return math.sqrt(float(np.max(moduli.sum(axis=0), initial=0.0)) * float(np.max(moduli.sum(axis=1), initial=0.0)))
