"""Spectra from the cores of a unit's Hessian against those of dense Hessians of running networks, block by block.

The data are whole numbers with fewer samples than components, so that each spectrum has exact zeros beside those of the
form. Where D and A are taken together, the extremes are had both from the list and by counting. At points where there is no
Hessian, a spectrum is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf, prod
from typing import NamedTuple

import numpy as np

from resproof.architectures.activations import relu, silu, softplus, tanh
from resproof.architectures.algebra import layer_norm, rms_norm, shift
from resproof.architectures.catalogue import attention, biased, fixup, n_shortcut, output_bias, pre_norm, rezero, tied
from resproof.architectures.losses import Loss, cross_entropy, squared
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit, Stage
from resproof.architectures.values import normal
from resproof.numeric.data import DataError, check_targets
from resproof.numeric.network.arithmetic import PRIME
from resproof.numeric.network.readout import through
from resproof.numeric.rounding import gamma
from resproof.numeric.spectra.cores import size
from resproof.numeric.spectra.toeplitz import RELATIVE
from resproof.proofs.beyond.depth_evidence import signs
from resproof.proofs.block.ritz import exact_zeros
from resproof.proofs.block.spectrum import Component, NoHessianError, Spectrum, decomposed, spectrum
from resproof.proofs.routes.running_network import Running, dense_hessian, starting
from resproof.proofs.statement import Argument, Computed, Context, Disagreement, Measurement, equal
from resproof.symbolic.scope import Scope

_X, _Y = np.array([[1.0, 2.0], [3.0, -1.0], [1.0, 1.0]]), np.array([[0.0, 1.0], [1.0, 2.0], [-1.0, 0.0]])
_TOKENS = (np.array([[[1.0, 2.0], [0.0, -1.0], [3.0, 1.0]]]), np.array([[[0.0, 1.0], [2.0, 1.0], [1.0, -1.0]]]))
_LABELS = np.array([2.0, 0.0])
_AT_REST = np.array([[1.0, 2.0], [3.0, -1.0], [0.0, 0.0]])
"""Targets of which _X meets the first two rows, so that no bias of theirs is pulled."""
_AWAY = _X + PRIME * _Y
"""Targets whose distance from _X vanishes modulo the prime by which a rank is first looked for."""
_ONE_SIDED = (np.array([[-3.0, -2.0], [-1.0, 0.0], [0.0, -1.0]]), np.array([[3.0, 1.0], [-2.0, -1.0], [-2.0, -2.0]]))
"""Data for which counts draw near an eigenvalue from one side, unless they are made on the other side of it, too."""
_h, _P = Input("d"), Weight("o", "d", initial=normal())


def _read(loss: Loss, head: Expression) -> Loss:
    """The loss of what a head of two outputs makes of the stream."""
    weights = {"W1": np.array([[1.0, -2.0, 1.0], [0.0, 1.0, 1.0]])}
    return through(loss, Stage(head), weights, {"o": 2, "d": 3, "m": 2}, "head")


def _product() -> ResidualUnit:
    """The branch is of degree four: the linear parts of a factor cancel, and the other is linear."""
    h, u, v, w = _h, Weight("k", "d"), Weight("k", "d"), Weight("d", "k")
    return ResidualUnit(h + w @ ((silu(u @ h) - Fraction(1, 2) * (u @ h)) * (v @ h)))


def _from_fractions() -> ResidualUnit:
    """A weight that starts at given numbers, a third among them, which no float is, and of rank two."""
    given = Weight(3, 3, initial=[[Fraction(1, 3), 1, 0], [1, 3, 0], [0, 0.5, -2]])
    h, w = Input(3), Weight(3, 3)
    return ResidualUnit(h + w @ (given @ h))


def _inside_and_outside() -> ResidualUnit:
    """Sums over the rows of W vanish where W writes to the output, and not where P does after it."""
    p, w, v, z = Weight("d", "d", initial=normal()), *(Weight("d", "d") for _ in range(3))
    return ResidualUnit(_h + p @ (w @ (v @ _h)) + w @ (z @ tanh(_h)))


def _of_two_branches() -> ResidualUnit:
    """One whose A is not zero, and one of two layers, whose Hessian is that of single units."""
    w, w1, w2 = (Weight("d", "d") for _ in range(3))
    return ResidualUnit(_h + w @ tanh(_h) + w2 @ tanh(w1 @ tanh(_h)))


def _of_a_wide_weight() -> ResidualUnit:
    """One that is joined to the others, and two that are not: the wider one has more entries than both of its partners."""
    w, wide, other, given = Weight("d", "d"), Weight("d", "w"), Weight("d", "d"), Weight("w", "d", initial=normal())
    return ResidualUnit(_h + w @ _h + (w + other) @ (wide @ (given @ _h)))


_CASES: Mapping[str, tuple[ResidualUnit, int, Loss, tuple[np.ndarray, np.ndarray]]] = {
    "n = 1": (ResidualUnit(n_shortcut(1, tanh, tanh, tanh)), 3, squared, (_X, _Y)),
    "n = 1, linear": (ResidualUnit(n_shortcut(1)), 3, squared, (_X, _Y)),
    "n = 2": (ResidualUnit(n_shortcut(2, tanh, tanh, tanh)), 3, squared, (_X, _Y)),
    "n = 2, linear": (ResidualUnit(n_shortcut(2)), 3, squared, (_X, _AWAY)),
    "n = 2, cross-entropy": (ResidualUnit(n_shortcut(2, tanh, tanh, tanh)), 2, cross_entropy, (_X, _LABELS)),
    "n = 3": (ResidualUnit(n_shortcut(3, tanh, tanh, tanh)), 2, squared, (_X, _Y)),
    "n = 3, at the targets": (ResidualUnit(n_shortcut(3, tanh, tanh, tanh)), 2, squared, (_X, _X)),
    "n = 7": (ResidualUnit(n_shortcut(7)), 1, squared, (_X, _Y)),
    "biased": (ResidualUnit(biased(softplus)), 2, squared, (_X, _AT_REST)),
    "an output's bias": (ResidualUnit(output_bias()), 2, squared, (_X, _Y)),
    "tied": (ResidualUnit(tied()), 2, squared, (_X, _Y)),
    "ReZero": (ResidualUnit(rezero()), 2, squared, (_X, _Y)),
    "Fixup": (ResidualUnit(fixup()), 2, squared, (_X, _Y)),
    "two branches": (_of_two_branches(), 3, squared, (np.hstack([_X, -_Y]), np.hstack([_Y, _X]))),
    "pre-norm": (ResidualUnit(pre_norm(tanh)), 2, squared, (_X, _Y)),
    "attention": (ResidualUnit(attention()), 2, squared, _TOKENS),
    "n = 1, cross-entropy": (ResidualUnit(n_shortcut(1, tanh, tanh, tanh)), 3, cross_entropy, (_X, np.eye(3)[:, :2])),
    "n = 1, near zero": (ResidualUnit(n_shortcut(1, tanh, tanh, tanh)), 3, squared, (_X * 2.0**-500, _Y)),
    "n = 1, a head": (ResidualUnit(n_shortcut(1)), 3, _read(cross_entropy, _P @ tanh(_h)), (_X, np.eye(2))),
    "n = 2, a head": (ResidualUnit(n_shortcut(2, tanh, tanh, tanh)), 2, _read(squared, _P @ tanh(_h)), (_X, _Y[:2])),
    "n = 2, linear, samples alike": (ResidualUnit(n_shortcut(2)), 2, squared, (_X[:, :1] * [1.0, 0.5], _Y)),
    "a given weight": (_from_fractions(), 2, squared, (_X, _Y)),
    "n = 2, inner width": (
        ResidualUnit(n_shortcut(2, tanh, tanh, tanh, "k")),
        2,
        squared,
        (np.hstack([_X, -_Y]), np.hstack([_Y, _X])),
    ),
    "bias inside": (
        ResidualUnit(_h + Weight("d", "d") @ tanh(Weight("d", "d") @ _h + Weight("d"))),
        2,
        cross_entropy,
        (_X, _LABELS),
    ),
    "bias outside": (
        ResidualUnit(n_shortcut(2, tanh, tanh, inner_width="k") + Weight("d")),
        2,
        cross_entropy,
        (_X, _LABELS),
    ),
    "bias alone": (ResidualUnit(_h + Weight("d")), 3, cross_entropy, (_X, _LABELS)),
    "inside and outside": (_inside_and_outside(), 1, cross_entropy, (_X, _LABELS)),
    "a product without its linear part": (_product(), 2, squared, (_X, _Y)),
    "at the targets": (ResidualUnit(n_shortcut(2)), 2, squared, (_X, _X)),
    "no targets": (ResidualUnit(n_shortcut(2)), 2, squared, (_X, 0.0 * _X)),
    "a product of entries": (
        ResidualUnit(Input("d", "t") + Weight("d", "t") * Weight("t", "d").T),
        2,
        squared,
        _TOKENS,
    ),
    "a wide weight": (_of_a_wide_weight(), 2, squared, (_X, _Y)),
    "n = 1, met from one side": (ResidualUnit(n_shortcut(1)), 3, squared, _ONE_SIDED),
    "n = 1, at the targets": (ResidualUnit(n_shortcut(1, tanh, tanh, tanh)), 2, squared, (_X, _X)),
}
_INNER = {"k": 2, "w": 7}
_KINKED = ResidualUnit(n_shortcut(1, relu))
_NORMALISED = ResidualUnit(_h + Weight("d", "d") @ (Weight("d", "d") @ layer_norm(_h)))
_MOVED_OUT = ResidualUnit(
    _h + Weight("d", "d") @ (Weight("d", "d") @ (Weight("d", "d") @ layer_norm(shift(3, "d") @ _h)))
)
"""A norm of zeros where d = 3, of which no second derivative at zero weights has anything."""
_FAR = 2**664 * _h
_OVERFLOWING = ResidualUnit(_h + Weight("d", "d") @ (Weight("d", "d") @ (_FAR * _FAR)))
"""No norm, and infinite at data that are not near zero."""
_POINTS: Mapping[str, tuple[ResidualUnit, np.ndarray]] = {
    "relu at 0": (_KINKED, np.array([[1.0, 2.0], [3.0, -1.0], [1.0, 0.0]])),
    "relu beside 0": (_KINKED, _X),
    "a layer norm of equal numbers": (_NORMALISED, np.array([[1.0, 2.0], [1.0, -1.0], [1.0, 1.0]])),
    "a layer norm of others": (_NORMALISED, _X),
    "a layer norm of zeros that reaches no form": (_MOVED_OUT, _X),
    "no identity": (ResidualUnit(_h + _h + Weight("d", "d") @ _h), _X),
    "numbers near zero": (ResidualUnit(n_shortcut(1)), _X * 2.0**-900),
    "numbers near zero, of which larger ones are made": (_OVERFLOWING, _X * 2.0**-664),
    "large numbers and zeros": (ResidualUnit(n_shortcut(1)), np.diag([1.0, 3.0, 0.0])[:, :2] * 2.0**400),
}
_INFINITE = ResidualUnit(_h + Weight("d", "d") @ silu(_h * _h)), np.array([[1.0, 2.0], [3.0, -1.0], [1.0, 1e200]])
"""An infinite value beside finite ones."""
_FACTORS = (2.0**520, 2.0**-520)
"""Numbers whose squares are no floats, or keep few digits."""
_BESIDE = frozenset(
    {
        "relu beside 0",
        "a layer norm of others",
        "numbers near zero",
        "numbers near zero, of which larger ones are made",
        "large numbers and zeros",
    }
)


@dataclass(frozen=True, eq=False)
class _Case:
    """Both ways to the spectrum of one network, the second by counting where it can, and the dense eigenvalues.

    `absent`: how many weights no core has, `from_sizes`: how many zeros there are whatever the data.
    """

    name: str
    found: tuple[Spectrum, ...]
    absent: int
    from_sizes: int
    dense: np.ndarray
    running: Running

    @property
    def rounding(self) -> float:
        """What the dense eigenvalues may be off by."""
        return gamma(len(self.dense) + self.running.chain) * float(np.linalg.norm(self.dense))


@dataclass(frozen=True, eq=False)
class _SpectraOfBlocks:
    """The spectra, at which points there is no Hessian, and of the data the least k with all moduli below 2^k.

    `multiples`: of all eigenvalues by the power of two that data or a branch are multiplied by; `infinite_refused`: whether a Hessian is
    whose entries are not all floats.
    """

    cases: Sequence[_Case]
    none_at: frozenset[str]
    exponents: Mapping[str, int]
    multiples: Mapping[float, frozenset[float]]
    infinite_refused: bool


def _has_none(unit: ResidualUnit, x: np.ndarray) -> bool:
    try:
        _ = spectrum(unit, 2, x, _Y, dense=1)
    except NoHessianError:
        return True
    return False


def _is_refused(unit: ResidualUnit, x: np.ndarray) -> bool:
    """Whether entries of the Hessian are said to be no floats."""
    try:
        return _has_none(unit, x)
    except DataError:
        return True


def _multiples(factor: float) -> frozenset[float]:
    """By what eigenvalues are multiplied where data are, or a branch: of norms without epsilon, forms are linear in either.

    One column is centred at its second row, one has negative entries alone.
    """
    x, found = np.array([[1.0, -1.0], [2.0, -2.0], [3.0, -1.0]]), set[float]()
    for norm in (layer_norm, rms_norm):
        plain, scaled = (
            ResidualUnit(_h + times * (Weight("d", "d") @ (Weight("d", "d") @ norm(_h))))
            for times in (1, Fraction(factor))
        )
        first, *others = (
            spectrum(unit, 2, times * x, times * _Y).eigenvalues or ()
            for unit, times in ((plain, 1.0), (plain, factor), (scaled, 1.0))
        )
        pairs = ((a.value, b.value) for other in others for a, b in zip(first, other, strict=True))
        found |= {b / a if a else inf for a, b in pairs if a or b}
    return frozenset(found)


def _spectra(context: Context) -> Computed:
    cases = list[_Case]()
    for name, (unit, units, loss, data) in _CASES.items():
        x, y = data if loss.reads else check_targets("spectra", unit, loss, *data)
        sizes = {"d": 3, "m": len(x) if x.ndim == 3 else x.shape[1], "t": x.shape[-1], **_INNER}
        running = starting(Network(unit, units, loss), x, y, sizes, "whole numbers", context)
        inner = {name: size for name, size in _INNER.items() if name in unit.dimensions}
        found = [spectrum(unit, units, x, y, loss, sizes=inner, dense=most) for most in (None, 1)]
        dense = np.linalg.eigvalsh(dense_hessian(running))
        cases.append(_Case(name, tuple(found), *_from_sizes(running), dense, running))
    none_at = frozenset(name for name, at in _POINTS.items() if _has_none(*at))
    at = {name: x for name, (_, _, _, (x, _)) in _CASES.items()} | {name: x for name, (_, x) in _POINTS.items()}
    exponents = {name: int(np.frexp(np.max(np.abs(x)))[1]) for name, x in at.items()}
    return Computed(
        _SpectraOfBlocks(
            cases, none_at, exponents, {factor: _multiples(factor) for factor in _FACTORS}, _is_refused(*_INFINITE)
        ),
        Scope.of(*(f"{one.name}: R={one.running.network.units}, d=3" for one in cases)),
    )


def _from_sizes(running: Running) -> tuple[int, int]:
    """How many weights no core has, and how many zeros sizes alone prove."""
    units, sizes = running.network.units, running.environment.sizes
    cut = decomposed(running.network.unit, running.network.loss, units)
    absent = units * sum(size(dims, sizes) for _, dims in cut.absent)
    return absent, absent + sum(exact_zeros(core, sizes, units) for core in cut.cores)


def _order_of(one: Component, units: int) -> int:
    """Of the part of the Hessian that a core stands for."""
    sides = {"bipartite": sum(one.shape), "symmetric": one.shape[0], "all units": units * one.shape[0]}
    return one.multiplicity * prod(size for _, size in one.labels) * sides[one.kind]


class _Counts(NamedTuple):
    """How many zeros of a spectrum are exact, how many of them by sizes alone, and how many derivatives vanish.

    `common`: how many lie in the common kernel of D, A and A^T, which is all that counting takes to be exact.
    """

    exact: int
    from_sizes: int
    order: int
    common: int | None = None


_EXPONENTS = {
    **dict.fromkeys((*_CASES, *_POINTS), 2),
    "n = 1, near zero": 2 - 500,
    "numbers near zero": 2 - 900,
    "numbers near zero, of which larger ones are made": 2 - 664,
    "large numbers and zeros": 2 + 400,
}
"""The greatest modulus of the data is 3, but where they are made smaller or larger."""


class _Claim(NamedTuple):
    """The counts of each spectrum, by what its eigenvalues are multiplied, where there is no Hessian, and which data are small or large."""

    counts: Mapping[str, _Counts]
    times: float = 1.0
    none_at: frozenset[str] = frozenset(_POINTS) - _BESIDE
    exponents: Mapping[str, int] = _EXPONENTS


def _as_dense(found: _SpectraOfBlocks, claim: _Claim) -> tuple[Measurement, ...]:
    """Everything that is said of each spectrum against the dense one.

    Raises:
        Disagreement: a count differs, or what follows from one; or there is a Hessian where none is claimed, or none; or the
            data are not what they are said to be.
    """
    if other := [factor for factor, by in found.multiples.items() if by != frozenset({factor})]:
        raise Disagreement(
            f"data or a branch times {other[0]:.3g} multiply eigenvalues by {sorted(found.multiples[other[0]])}"
        )
    if not found.infinite_refused:
        raise Disagreement("a Hessian that has infinite entries has a spectrum")
    if found.none_at != claim.none_at:
        raise Disagreement(f"no Hessian at {sorted(found.none_at)}; claimed {sorted(claim.none_at)}")
    equal(found.exponents, claim.exponents)
    measured = list[Measurement]()
    for case in found.cases:
        for way in case.found:
            _same_counts(case, way, claim.counts[case.name])
            measured += _distances(case, way, claim.times)
    return tuple(measured)


def _same_counts(case: _Case, found: Spectrum, claim: _Counts) -> None:
    counts, parameters = signs(case.dense, case.rounding), len(case.dense)
    zeros = claim.exact if found.eigenvalues is not None or claim.common is None else claim.common
    pseudo, ends = found.pseudo_condition_number, found.extremes
    said = {
        "zeros from sizes": (case.from_sizes, claim.from_sizes),
        "order": (found.stationary_order, claim.order),
        "signs": ((found.negative, found.zero, found.positive), counts),
        "exact and other zeros": ((found.zero_exact, found.zero_numerical), (zeros, counts[1] - zeros)),
        "parameters": (found.parameters, parameters),
        "weights of cores": (sum(_order_of(one, found.units) for one in found.core), parameters - case.absent),
        "strict saddle": (found.strict_saddle, counts[0] > 0 and claim.order != 0),
        "no pseudo-condition number": (pseudo is None, counts[1] == parameters),
        "condition number": (
            found.condition_number,
            pseudo if not counts[1] or pseudo is None else inf if zeros else None,
        ),
        "least modulus 0": (ends and ends.smallest_modulus == 0.0, counts[1] > 0),
    }
    if wrong := {name: pair for name, pair in said.items() if pair[0] != pair[1]}:
        raise Disagreement(f"{case.name}: found, and dense or claimed: {wrong}")


def _distances(case: _Case, found: Spectrum, times: float) -> Iterator[Measurement]:
    """Of the extremes, the condition number and all eigenvalues where there is a list; none where all are zero."""
    values, ends = case.dense, found.extremes
    above = np.abs(values)[np.abs(values) > case.rounding]
    if ends is None or not len(above):
        return
    greatest, least = float(np.max(above)), float(np.min(above))
    errors = sum(one.error or 0.0 for one in found.core)
    off = case.rounding + (RELATIVE * greatest if found.eigenvalues is None else errors)
    pairs = [(ends.largest, values[-1]), (ends.smallest, values[0])]
    if ends.smallest_modulus:
        pairs.append((ends.smallest_modulus, least))
    if found.eigenvalues is not None:
        listed = sorted(one.value for one in found.eigenvalues for _ in range(one.multiplicity))
        pairs += zip(listed, values, strict=True)
    mine, other = max(pairs, key=lambda one: abs(one[0] * times - one[1]))
    pseudo = (found.pseudo_condition_number or 0.0) * times
    for quantity, apart, bound in (
        ("|eigenvalue - dense|", abs(mine * times - float(other)) / greatest, off / greatest),
        (
            "|pseudo-condition number - dense|",
            abs(pseudo * least / greatest - 1.0),
            (1 + off / greatest) / (1 - off / least) - 1,
        ),
    ):
        at = f"{case.running.sizes}; {case.name}"
        why = r"$\gamma_N \lvert H\rvert_F$, $N = R p$ + chain, and the cores' errors; $10^{-10}$ where enclosed"
        yield Measurement(f"{case.name}: {quantity}, relative", apart, bound, at, case.running.seed, why, scale=1.0)


_COUNTS = {
    "n = 1": _Counts(0, 0, 0),
    "n = 1, linear": _Counts(5, 0, 0, common=3),
    "n = 2": _Counts(18, 18, 1),
    "n = 2, linear": _Counts(18, 18, 1),
    "n = 2, cross-entropy": _Counts(12, 12, 1),
    "n = 3": _Counts(54, 54, 2),
    "n = 3, at the targets": _Counts(54, 54, 5),
    "n = 7": _Counts(63, 63, 6),
    "biased": _Counts(6, 6, 0),
    "an output's bias": _Counts(11, 8, 0, common=8),
    "tied": _Counts(0, 0, 1),
    "ReZero": _Counts(22, 22, 0),
    "Fixup": _Counts(0, 0, 0),
    "two branches": _Counts(0, 0, 0),
    "pre-norm": _Counts(14, 14, 1),
    "attention": _Counts(48, 48, 1),
    "n = 1, cross-entropy": _Counts(3, 3, 0),
    "n = 1, near zero": _Counts(0, 0, 0),
    "n = 1, a head": _Counts(0, 0, 0),
    "n = 2, a head": _Counts(12, 12, 1),
    "n = 2, linear, samples alike": _Counts(24, 12, 1),
    "a given weight": _Counts(10, 0, 0, common=8),
    "n = 2, inner width": _Counts(0, 0, 1),
    "bias inside": _Counts(18, 18, 1),
    "bias outside": _Counts(10, 10, 0),
    "bias alone": _Counts(3, 3, 0),
    "inside and outside": _Counts(18, 18, 1),
    "a product without its linear part": _Counts(36, 36, 3),
    "at the targets": _Counts(36, 12, 3),
    "no targets": _Counts(12, 12, 1),
    "a product of entries": _Counts(0, 0, 1),
    "a wide weight": _Counts(48, 48, 0),
    "n = 1, met from one side": _Counts(5, 0, 0, common=3),
    "n = 1, at the targets": _Counts(0, 0, 1),
}

SPECTRA = Argument(
    "Spectra from cores against dense ones, block by block",
    "floating point",
    _spectra,
    _Claim(_COUNTS),
    {
        "all eigenvalues a millionth greater": _Claim(_COUNTS, 1.0 + 1e-6),
        "the order is one less": _Claim({name: one._replace(order=one.order - 1) for name, one in _COUNTS.items()}),
        "no zero is exact": _Claim({name: one._replace(exact=0) for name, one in _COUNTS.items()}),
        "all zeros below rounding are exact": _Claim({**_COUNTS, "n = 1": _Counts(5, 0, 0)}),
        "one bias that is pulled is none": _Claim({**_COUNTS, "biased": _Counts(6, 6, 1)}),
        "a kink is no matter": _Claim(_COUNTS, none_at=frozenset(_POINTS) - {*_BESIDE, "relu at 0"}),
        "no data are near zero": _Claim(_COUNTS, exponents={**_EXPONENTS, "n = 1, near zero": 2}),
        "all exact zeros are known from sizes": _Claim({**_COUNTS, "n = 2, linear, samples alike": _Counts(24, 24, 1)}),
    },
    _as_dense,
    explanation="Each eigenvalue with its multiplicity, the extremes by counting too, how many are negative, zero and positive, "
    "the zeros that are exact, both condition numbers, and how many derivatives vanish.",
)
