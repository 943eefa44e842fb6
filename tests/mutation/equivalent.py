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
        "proofs/block/spectrum.py",
        "rounded = [name for name, values in given.items() if not values.is_float]",
        "rounded = [name for name, values in given.items() if values.is_float]",
        "A note beside the spectrum of a block whose weights are given as arrays; no verdict is made of it.",
    ),
)
