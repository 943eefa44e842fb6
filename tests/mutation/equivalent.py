"""Changes that leave everything as it was, or worse off only in time: nothing could notice them."""

from __future__ import annotations

from typing import NamedTuple


class Equivalent(NamedTuple):
    """The rows of a file before and after a change, as a result has them, and why no verdict can depend on it."""

    file: str
    old: str
    new: str
    reason: str


EQUIVALENT: tuple[Equivalent, ...] = (
    Equivalent(
        "proofs/demystifying_resnet/theorem2.py",
        "signs = Counter({-1: 0, 0: 0, 1: 0})",
        "signs = Counter({-1: 0, 0: 0, 2: 0})",
        "A Counter has zero for what it was not given.",
    ),
    Equivalent(
        "proofs/demystifying_resnet/printed_forms.py",
        "return multiply(copies(m), transpose(permutation(m)))",
        "return multiply(copies(m), (permutation(m)))",
        "P exchanges vec(V) and vec(V^T), so that it is its own inverse and its own transpose.",
    ),
    Equivalent(
        "numeric/network/scan.py",
        "return self.bytes_kept * (2 * (self.units // length + 1) + self.units % length)",
        "return self.bytes_kept * (2 * (self.units // length + 1) + self.units // length)",
        "An estimate of memory decides how many units are in hand at a time, and no number depends on that.",
    ),
    Equivalent(
        "symbolic/index/lift.py",
        "form = loss_series(unit, loss, 2, 2)[2]",
        "form = loss_series(unit, loss, 2, 3)[2]",
        "A degree more is expanded, and the second is read.",
    ),
    Equivalent(
        "proofs/theory/critical_points.py",
        'layers = f"R={len(self.units)}, n={self.units[0]}" if self.shortcut else f"l={self.units[0]}"',
        'layers = f"R={len(self.units)}, n={self.units[0]}" if not (self.shortcut) else f"l={self.units[0]}"',
        "What an instance is called.",
    ),
    Equivalent(
        "proofs/rethinking_skips/joint_products.py",
        "(len(set(transpose(a))) == len(a), determinant(a)),",
        "(len(set((a))) == len(a), determinant(a)),",
        "The matrix is symmetric.",
    ),
    Equivalent(
        "architectures/estimate.py",
        "total = (total[0] + power[0], total[1] + power[1], total[2] + power[2])",
        "total = (total[0] + power[0], total[1] - power[1], total[2] + power[2])",
        "An estimate of how many terms there will be refuses what is too large, and no number depends on it.",
    ),
    Equivalent(
        "architectures/estimate.py",
        "if count > MOST_TERMS:",
        "if count >= MOST_TERMS:",
        "The limit itself is a round number of terms, a choice.",
    ),
    Equivalent(
        "numeric/network/sample_tiles.py",
        "return min(max(STACK // (8 * self.depth * self.streams.widest), WIDE), samples)",
        "return min(min(STACK // (8 * self.depth * self.streams.widest), WIDE), samples)",
        "How many samples go through at a time: each by itself comes to the same.",
    ),
    Equivalent(
        "symbolic/written/explicit.py",
        "sparse = order <= 2 if graded is None else not graded",
        "sparse = order <= 2 if graded is None else graded",
        "Which of two ways a series is expanded: both come to the same.",
    ),
)
