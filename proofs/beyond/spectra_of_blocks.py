"""Spectra from the cores of a unit's Hessian against those of dense Hessians of running networks, block by block.

The data are whole numbers with fewer samples than components, so that each spectrum has exact zeros beside those of the
form. Where D and A are taken together, the extremes are had both from the list and by counting. At points where there is no
Hessian, a spectrum is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import numpy as np

from architectures.activations import relu, softplus, tanh
from architectures.catalogue import attention, biased, fixup, n_shortcut, output_bias, pre_norm, rezero, tied
from architectures.expressions import Input, Weight, layer_norm, shift
from architectures.losses import Loss, cross_entropy, squared
from architectures.networks import Network, ResidualUnit
from architectures.scope import Scope
from numeric.backend import device
from numeric.modular.rational import largest_primes
from numeric.rounding import gamma
from numeric.spectra.toeplitz import RELATIVE
from proofs.beyond.depth_evidence import signs
from proofs.block.spectrum import NoHessianError, Spectrum, spectrum
from proofs.routes.running_network import Running, dense_hessian, starting
from proofs.statement import Argument, Computed, Context, Disagreement, Measurement

_X, _Y = np.array([[1.0, 2.0], [3.0, -1.0], [1.0, 1.0]]), np.array([[0.0, 1.0], [1.0, 2.0], [-1.0, 0.0]])
_TOKENS = (np.array([[[1.0, 2.0], [0.0, -1.0], [3.0, 1.0]]]), np.array([[[0.0, 1.0], [2.0, 1.0], [1.0, -1.0]]]))
_LABELS = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]])
_AT_REST = np.array([[1.0, 2.0], [3.0, -1.0], [0.0, 0.0]])
"""Targets of which _X meets the first two rows, so that no bias of theirs is pulled."""
_AWAY = _X + next(largest_primes()) * _Y
"""Targets whose distance from _X vanishes modulo the prime by which a rank is first looked for."""
_h = Input("d")


def _of_two_branches() -> ResidualUnit:
    """One whose A is not zero, and one of two layers, whose Hessian is that of single units."""
    w, w1, w2 = (Weight("d", "d") for _ in range(3))
    return ResidualUnit(_h + w @ tanh(_h) + w2 @ tanh(w1 @ tanh(_h)))


_CASES: Mapping[str, tuple[ResidualUnit, int, Loss, tuple[np.ndarray, np.ndarray]]] = {
    "n = 1": (ResidualUnit(n_shortcut(1, tanh, tanh, tanh)), 3, squared, (_X, _Y)),
    "n = 1, linear": (ResidualUnit(n_shortcut(1)), 3, squared, (_X, _Y)),
    "n = 1, cross-entropy": (ResidualUnit(n_shortcut(1, tanh, tanh, tanh)), 2, cross_entropy, (_X, _LABELS)),
    "n = 2": (ResidualUnit(n_shortcut(2, tanh, tanh, tanh)), 3, squared, (_X, _Y)),
    "n = 2, linear": (ResidualUnit(n_shortcut(2)), 3, squared, (_X, _AWAY)),
    "n = 2, cross-entropy": (ResidualUnit(n_shortcut(2, tanh, tanh, tanh)), 2, cross_entropy, (_X, _LABELS)),
    "n = 3": (ResidualUnit(n_shortcut(3, tanh, tanh, tanh)), 2, squared, (_X, _Y)),
    "n = 3, on target": (ResidualUnit(n_shortcut(3, tanh, tanh, tanh)), 2, squared, (_X, _X)),
    "biased": (ResidualUnit(biased(softplus)), 2, squared, (_X, _AT_REST)),
    "an output's bias": (ResidualUnit(output_bias()), 2, squared, (_X, _Y)),
    "tied": (ResidualUnit(tied()), 2, squared, (_X, _Y)),
    "ReZero": (ResidualUnit(rezero()), 2, squared, (_X, _Y)),
    "Fixup": (ResidualUnit(fixup()), 2, squared, (_X, _Y)),
    "two branches": (_of_two_branches(), 3, squared, (_X, _Y)),
    "pre-norm": (ResidualUnit(pre_norm(tanh)), 2, squared, (_X, _Y)),
    "attention": (ResidualUnit(attention()), 2, squared, _TOKENS),
}
_INNER = {"k": 2}
_KINKED = ResidualUnit(n_shortcut(1, relu))
_NORMALISED = ResidualUnit(_h + Weight("d", "d") @ (Weight("d", "d") @ layer_norm(_h)))
_MOVED_OUT = ResidualUnit(
    _h + Weight("d", "d") @ (Weight("d", "d") @ (Weight("d", "d") @ layer_norm(shift(3, "d") @ _h)))
)
"""A norm of zeros where d = 3, of which no second derivative at zero weights has anything."""
_POINTS: Mapping[str, tuple[ResidualUnit, np.ndarray]] = {
    "relu at 0": (_KINKED, np.array([[1.0, 2.0], [3.0, -1.0], [1.0, 0.0]])),
    "relu beside 0": (_KINKED, _X),
    "a layer norm of equal numbers": (_NORMALISED, np.array([[1.0, 2.0], [1.0, -1.0], [1.0, 1.0]])),
    "a layer norm of others": (_NORMALISED, _X),
    "a layer norm of zeros that reaches no form": (_MOVED_OUT, _X),
    "no identity": (ResidualUnit(_h + _h + Weight("d", "d") @ _h), _X),
}
_BESIDE = frozenset({"relu beside 0", "a layer norm of others"})


@dataclass(frozen=True, eq=False)
class _Case:
    """Both ways to the spectrum of one network, the second by counting where it can, and the dense eigenvalues."""

    name: str
    found: tuple[Spectrum, ...]
    dense: np.ndarray
    running: Running

    @property
    def rounding(self) -> float:
        """What the dense eigenvalues may be off by."""
        size = max(float(np.linalg.norm(self.dense)), 1.0)
        return gamma(len(self.dense) + self.running.chain) * size


@dataclass(frozen=True, eq=False)
class _SpectraOfBlocks:
    """The spectra, and at which points there is no Hessian."""

    cases: Sequence[_Case]
    none_at: frozenset[str]


def _has_none(unit: ResidualUnit, x: np.ndarray) -> bool:
    try:
        _ = spectrum(unit, 2, x, _Y)
    except NoHessianError:
        return True
    return False


def _spectra(context: Context) -> Computed:
    cases = list[_Case]()
    for name, (unit, units, loss, data) in _CASES.items():
        x, y = (device("cpu").ops.asarray(a) for a in data)
        sizes = {"d": 3, "m": len(x) if x.ndim == 3 else x.shape[1], "t": x.shape[-1], **_INNER}
        running = starting(Network(unit, units, loss), x, y, sizes, "whole numbers", context)
        found = [spectrum(unit, units, x, y, loss, sizes=_INNER, dense=most) for most in (None, 1)]
        rows = dense_hessian(running)
        cases.append(_Case(name, tuple(found), np.linalg.eigvalsh((rows + rows.T) / 2), running))
    none_at = frozenset(name for name, at in _POINTS.items() if _has_none(*at))
    return Computed(
        _SpectraOfBlocks(cases, none_at),
        Scope.of(*(f"{one.name}: R={one.running.network.units}, d=3" for one in cases)),
    )


class _Claim(NamedTuple):
    """How many zeros of each spectrum are exact either way, stationary orders, multiples of eigenvalues, and where there are none."""

    zeros: Mapping[str, tuple[int, int]]
    orders: Mapping[str, int]
    times: float = 1.0
    none_at: frozenset[str] = frozenset(_POINTS) - _BESIDE


def _as_dense(found: _SpectraOfBlocks, claim: _Claim) -> tuple[Measurement, ...]:
    """Everything that is said of each spectrum against the dense one.

    Raises:
        Disagreement: a count differs, or what follows from one; or there is a Hessian where none is claimed, or none.
    """
    if found.none_at != claim.none_at:
        raise Disagreement(f"no Hessian at {sorted(found.none_at)}; claimed {sorted(claim.none_at)}")
    measured = list[Measurement]()
    for case in found.cases:
        for way, zeros in zip(case.found, claim.zeros[case.name], strict=True):
            if way.stationary_order != claim.orders[case.name]:
                raise Disagreement(f"{case.name}: order {way.stationary_order}; claimed {claim.orders[case.name]}")
            _same_counts(case, way, zeros)
            measured += _distances(case, way, claim.times)
    return tuple(measured)


def _same_counts(case: _Case, found: Spectrum, zeros: int) -> None:
    values, off = case.dense, case.rounding
    counts = signs(values, off)
    said = (found.negative, found.zero, found.positive, found.zero_exact, found.zero_numerical, found.parameters)
    expected = (*counts, zeros, counts[1] - zeros, len(values))
    saddle = counts[0] > 0 and found.stationary_order != 0
    if (*said, found.strict_saddle) != (*expected, saddle):
        raise Disagreement(f"{case.name}: found {said}; dense and claimed {expected}")
    pseudo = found.pseudo_condition_number
    known = pseudo if not counts[1] or pseudo is None else inf if zeros else None
    if (pseudo is None) != (counts[1] == len(values)) or found.condition_number != known:
        raise Disagreement(f"{case.name}: condition numbers {found.condition_number} and {pseudo}; expected {known}")
    if found.extremes is None or (found.extremes.smallest_modulus == 0.0) != bool(counts[1]):
        raise Disagreement(f"{case.name}: extremes {found.extremes}, with {counts[1]} zeros")


def _distances(case: _Case, found: Spectrum, times: float) -> Iterator[Measurement]:
    """Of the extremes, the condition number and all eigenvalues where there is a list; none where all are zero."""
    values, ends = case.dense, found.extremes
    above = np.abs(values)[np.abs(values) > case.rounding]
    if ends is None or not len(above):
        return
    greatest, least = float(np.max(above)), float(np.min(above))
    off = 2 * case.rounding + (RELATIVE * greatest if found.eigenvalues is None else 0.0)
    pairs = [("largest", ends.largest, values[-1]), ("smallest", ends.smallest, values[0])]
    if ends.smallest_modulus:
        pairs.append(("least modulus", ends.smallest_modulus, least))
    if found.eigenvalues is not None:
        listed = sorted(one.value for one in found.eigenvalues for _ in range(one.multiplicity))
        pairs += zip([f"number {k}" for k in range(len(values))], listed, values, strict=True)
    name, mine, other = max(pairs, key=lambda one: abs(one[1] * times - one[2]))
    pseudo = (found.pseudo_condition_number or 0.0) * times
    for quantity, apart, bound in (
        ("|eigenvalue - dense|", abs(mine * times - float(other)) / greatest, off / greatest),
        ("|pseudo-condition number - dense|", abs(pseudo * least / greatest - 1.0), 2 * off / least),
    ):
        at = f"{case.running.sizes}; {case.name}: {name}"
        why = r"$2 \gamma_N \lvert H\rvert_F$, $N = R p$ + chain; $10^{-10}$ where eigenvalues are enclosed"
        yield Measurement(f"{case.name}: {quantity}, relative", apart, bound, at, case.running.seed, why, scale=1.0)


_EXACT = {
    "n = 1": 0,
    "n = 1, cross-entropy": 3,
    "n = 2": 18,
    "n = 2, linear": 18,
    "n = 2, cross-entropy": 12,
    "n = 3": 54,
    "n = 3, on target": 54,
    "biased": 6,
    "tied": 0,
    "ReZero": 22,
    "Fixup": 0,
    "two branches": 18,
    "pre-norm": 14,
    "attention": 48,
}
# Counting takes the common kernel of D, A and A^T alone to be exact.
_ZEROS = {**{name: (n, n) for name, n in _EXACT.items()}, "n = 1, linear": (5, 3), "an output's bias": (11, 8)}
_STATIONARY = ("n = 2", "n = 2, linear", "n = 2, cross-entropy", "tied", "pre-norm", "attention")
_ORDERS = {**dict.fromkeys(_ZEROS, 0), **dict.fromkeys(_STATIONARY, 1), "n = 3": 2, "n = 3, on target": 5}

SPECTRA = Argument(
    "Spectra from cores against dense ones, block by block",
    "floating point",
    _spectra,
    _Claim(_ZEROS, _ORDERS),
    {
        "all eigenvalues a millionth greater": _Claim(_ZEROS, _ORDERS, 1.0 + 1e-6),
        "no zero is exact": _Claim(dict.fromkeys(_ZEROS, (0, 0)), _ORDERS),
        "all zeros below rounding are exact": _Claim({**_ZEROS, "n = 1": (5, 5)}, _ORDERS),
        "one bias that is pulled is none": _Claim(_ZEROS, {**_ORDERS, "biased": 1}),
        "a kink is no matter": _Claim(_ZEROS, _ORDERS, none_at=frozenset(_POINTS) - {*_BESIDE, "relu at 0"}),
    },
    _as_dense,
    explanation="Each eigenvalue with its multiplicity, the extremes by counting too, how many are negative, zero and positive, "
    "the zeros that are exact, and both condition numbers.",
)
