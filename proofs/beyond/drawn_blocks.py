"""Small units drawn at random, of which all engines have to say the same, number by number and term by term.

Nobody chose them, so they meet what chosen blocks do not: sizes of one, weights added to weights, masks on what are no
scores, activations of constants. The index route and the written-out one follow each with symbols for the data. Those
that are polynomials are followed again on small whole numbers and halves, of which floats hold everything exactly: by
the running network in every way, by its Taylor arithmetic, by the index terms, by the Hessian's cores and their residues.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import starmap
from math import prod
from random import Random
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from resproof.architectures.activations import generic, relu, tanh
from resproof.architectures.algebra import causal_mask, identity, layer_norm, rms_norm, shift, softmax
from resproof.architectures.dimensions import SAMPLES
from resproof.architectures.errors import NotDifferentiableError
from resproof.architectures.forms.cores import Core
from resproof.architectures.forms.terms import IndexSum, Perturbation
from resproof.architectures.losses import Loss, cross_entropy, generic_loss, squared
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Apply, Constant, Expression, Input, Normalize, Softmax, Weight, nodes
from resproof.architectures.properties import dimension_names, the_input
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import Normal, Values, normal, ones, values_of
from resproof.architectures.variations import starting_at
from resproof.numeric.backend import Ops, device, largest_modulus
from resproof.numeric.data import size_of
from resproof.numeric.modular.identity import ModularExpansion, expand, held_against
from resproof.numeric.modular.rational import common_scale, has_residues, residue
from resproof.numeric.network.adjoint import gradient, hvp
from resproof.numeric.network.arithmetic import Residues
from resproof.numeric.network.parameters import flatten, initial_weights, parameter_count
from resproof.numeric.network.taylor import loss_series as taylor_series
from resproof.numeric.spectra.contract import Environment, environment, hessian_vector
from resproof.numeric.spectra.cores import assemble, matrices, on_all_units, shape, size
from resproof.proofs.block.ranks import MOST_ENTRIES, exact_ranks, primes_for
from resproof.proofs.block.spectrum import initial_environment
from resproof.proofs.routes.drawn_units import drawn_unit
from resproof.proofs.routes.hessians import (
    CHANGES,
    ExplicitHessian,
    Size,
    agrees_with_index_route,
    explicit_entries,
    explicit_hessian,
    unchanged,
)
from resproof.proofs.statement import Argument, Computed, Context, Disagreement, Measurement, equal
from resproof.symbolic.algebra.matrices import matrix, rank
from resproof.symbolic.algebra.rings import Plain, show
from resproof.symbolic.index.expansion import expansion
from resproof.symbolic.index.lift import NotIdentityError, loss_series, meets_kinks, require_identity, terms_of_forms
from resproof.symbolic.index.series import freeze, scale, thaw
from resproof.symbolic.scope import Scope
from resproof.symbolic.written.explicit import loss_series as written_series
from resproof.symbolic.written.explicit import output_at_initial_point
from resproof.symbolic.written.forward import entry_names
from resproof.symbolic.written.kinks import has_kinks
from resproof.symbolic.written.plans import Instance

_H, _U, _V, _W = Input("d"), *(Weight("d", "d") for _ in range(3))
NO_VALUES: Mapping[str, Fraction] = {}
_COUNT, _UNITS, _DEGREE, _BITS, _LARGE, _FEW, _MANY = 200, 2, 3, 60, 2**20, 8, 20
_POWERS, _POINTS = 4, 3


@dataclass(frozen=True, slots=True)
class _Block:
    """A unit with a loss, the sizes of a network, and data: m samples of d rows where columns mix, else d rows.

    The data are whole numbers, or floats near thirds of odd ones, of which none is zero.
    """

    unit: ResidualUnit
    loss: Loss
    at: Size
    seed: int
    thirds: bool = False

    @property
    def network(self) -> Network:
        return Network(self.unit, self.at.units, self.loss)

    @property
    def sizes(self) -> dict[str, int]:
        return {**dict(self.at.dims), str(SAMPLES): self.at.samples}

    @property
    def shape(self) -> tuple[int, ...]:
        rows, columns = (size_of(n, self.sizes) for n in the_input(self.unit.expression).shape)
        return (self.at.samples, rows, columns) if self.unit.mixes_columns else (rows, self.at.samples)

    @property
    def data(self) -> tuple[np.ndarray, np.ndarray]:
        draw = np.random.default_rng(self.seed)
        x, y = (draw.integers(-2, 3, self.shape) for _ in range(2))
        return ((2 * x + 1) / 3.0, (2 * y + 1) / 3.0) if self.thirds else (x + 0.0, y + 0.0)

    def instance(self, x: np.ndarray, y: np.ndarray, initial: Mapping[str, Fraction] = NO_VALUES) -> Instance:
        """Data for the written-out route, which takes samples one by one also where columns have a number."""
        apart = not self.unit.mixes_columns and isinstance(the_input(self.unit.expression).columns, int)
        x, y = (a.T[..., None] if apart else a for a in (x, y))
        return Instance(_fractions(x), _fractions(y), initial)

    @property
    def has_forms(self) -> bool:
        """Whether it is the identity at its initial point, with a Hessian.

        Raises:
            NotDifferentiableError: it has none, and is of those that have.
        """
        return _has_forms(self.unit, self.loss, chosen=self.seed >= _COUNT)


@lru_cache(maxsize=1024)
def _has_forms(unit: ResidualUnit, loss: Loss, *, chosen: bool) -> bool:
    try:
        return bool(expansion(unit, loss).forms)
    except NotIdentityError:
        return False
    except NotDifferentiableError:
        if chosen:
            raise
        return False


def _fractions(a: np.ndarray) -> Any:
    return [_fractions(one) for one in a] if a.ndim else Fraction(float(a))


@lru_cache(maxsize=1)
def _all() -> tuple[_Block, ...]:
    return (*map(_one, range(_COUNT)), *starmap(_chosen, enumerate(_seldom())))


def _at(one: _Block) -> Size:
    return one.at


@lru_cache(maxsize=2)
def _sizes(at: Callable[[_Block], Size] = _at) -> str:
    """What there is among them."""
    every = list(map(at, _all()))
    units, samples, others = (
        sorted(one)
        for one in ({at.units for at in every}, {at.samples for at in every}, {n for at in every for _, n in at.dims})
    )
    return (
        f"{_COUNT} units drawn at random, and a few that chance seldom makes; R={', '.join(map(str, units))}, "
        f"m={', '.join(map(str, samples))}; all other sizes {' or '.join(map(str, others))}"
    )


def _one(seed: int) -> _Block:
    r = Random(seed)
    return _sized(drawn_unit(r)[0], r, seed, (1, 2, 2))


def _chosen(number: int, branch: Expression) -> _Block:
    return _sized(ResidualUnit(branch), Random(number), _COUNT + number, (2,))


def _seldom() -> Iterator[Expression]:
    """What chance seldom makes: signs that are known, weights that stay where they start."""
    h, u, w = Input("d"), Weight("d", "d"), Weight("d", "d")
    yield h + w @ relu(h @ causal_mask())
    yield h + u @ relu(identity("d") + 1 + w) @ h
    yield h + u @ relu(-1 - identity("d") + w) @ h
    for fixed in (Weight("d", "d", initial=start, trainable=False) for start in (normal(), ones)):
        yield h + u @ (fixed @ (w @ (fixed @ h)) + fixed @ h)
    yield h + u @ ((h + w @ h + 1) ** 3)
    yield h + u @ relu(w - Fraction(1, 3) * identity("d") - Fraction(1, 2)) @ h
    yield h + u @ (h + (twice := w @ h) + (twice + twice))
    yield h + u @ softmax(identity("d") * w, axis=0, mask=Constant(1, "d", "d")) @ h
    inner = Weight("d", "d", initial=normal())
    yield h + w @ tanh(h) + u @ tanh(inner) @ h @ causal_mask()
    yield h + w @ tanh(inner @ h) + u @ tanh(inner) @ h
    three = Input(3)
    yield three + Weight(3, 1) @ (Weight(1, 1) @ tanh(three[2:3])) + Weight(3, 2) @ three[0:2]
    four, same, before = Input(4), Constant("identity", 4, 4), Constant("causal", "t", "t")
    yield four + Weight(4, 4) @ four + (rms_norm(same) - 2 * same) @ four
    yield h + u @ ((w @ h) / (1 + h * h))
    yield h + u @ rms_norm(h) + w @ rms_norm(h + 1, epsilon=1)
    for argument in (h, -h, 2 * h, h * h, h + h * h, Constant("mean", "d", "d") @ h):
        yield h + u @ (w @ relu(argument))
    yield (tokens := Input("d", "t")) + w @ tokens @ (before * before.T)
    yield tokens + ((moved := w @ tokens) + tokens) @ moved.T @ tokens
    near, far = (shift(k, "t") for k in (1, 2))
    yield tokens + w @ tokens @ (before * near) + u @ tokens @ (near * far)
    somewhere = generic("f", at_zero=None)
    yield h + w @ relu(somewhere(u @ h))
    yield h + w @ relu(Constant(1, "d", "d") @ somewhere(u @ h))
    yield h + w @ (h + h @ shift(10**9 - 1))
    yield h + w @ h + Constant(1, "d", "d") @ rms_norm(layer_norm(h, epsilon=1), epsilon=1)
    moved = h + w @ h
    yield h + layer_norm(moved, epsilon=1) - layer_norm(h, epsilon=1)
    yield h + rms_norm(moved, epsilon=1) - rms_norm(h, epsilon=1)
    yield h + softmax(moved, axis=0) - softmax(h, axis=0)
    yield h + inner @ (tanh(moved) - tanh(h))


def _sized(unit: ResidualUnit, r: Random, seed: int, choices: Sequence[int]) -> _Block:
    sizes = tuple((name, r.choice(choices)) for name in dimension_names(unit.expression) if name != SAMPLES)
    return _Block(unit, r.choice((squared, generic_loss)), Size(_UNITS, r.choice((1, 2)), sizes), seed)


def _classifying() -> tuple[_Block, ...]:
    """Some with cross-entropy, whose derivatives sum to zero: one adds the same to all rows, whose gradient vanishes."""
    h = Input("d")
    same = Constant(1, "d", 1) @ (Weight(1, "d") @ h)
    shifted = ResidualUnit(h + same + Weight("d", "d") @ tanh(Weight("d", "d") @ h))
    return _sized(shifted, Random(0), 0, (2,)), *_all()[:_FEW]


# With symbols for the data.


def _hessians(_: Context) -> Computed:
    blocks = (*_all(), *(replace(one, loss=cross_entropy) for one in _classifying()))
    found = [explicit_hessian(one.unit, one.loss, one.at) for one in blocks if one.has_forms]
    return Computed([*found, *filter(None, map(_at_data, _all()))], Scope.of(_sizes()))


def _at_data(one: _Block) -> ExplicitHessian | None:
    """The Hessian at numbers, zeros among them; None where there is no derivative at these."""
    try:
        return explicit_hessian(one.unit, one.loss, one.at, one.instance(*one.data)) if one.has_forms else None
    except NotDifferentiableError:
        return None


class _Start(NamedTuple):
    """The loss at the initial point, and the numbers of samples and of columns whose losses it is the sum of, over m."""

    loss: Plain
    samples: int
    columns: int


def _starts(_: Context) -> Computed:
    blocks = [one for one in _all() if one.loss is generic_loss and one.has_forms][:_MANY]
    found = []
    for one in blocks:
        series = written_series(one.network, dict(one.at.dims), samples=one.at.samples, order=1)
        rows = one.shape[1 if one.unit.mixes_columns else 0]
        found.append(_Start(series.plain(0)[()], one.at.samples, prod(one.shape) // rows))
    return Computed(found, Scope.of(_sizes()))


def _as_mean(found: Sequence[_Start], times: int) -> None:
    """Pass when each is so many times the mean over samples of the sum of a symbol for each column.

    Raises:
        Disagreement: one is not.
    """
    for one in found:
        if len(one.loss) != one.columns or {*one.loss.values()} != {Fraction(times, one.samples)}:
            raise Disagreement(f"the loss of {one.columns} columns in {one.samples} samples starts at {show(one.loss)}")


class _Answers(NamedTuple):
    """Whether a unit has a property at its initial point: in index notation, and written out on an instance."""

    lifted: bool
    written: bool


def _images(_: Context) -> Computed:
    found = [found for one in _all() if (found := _image(one)) is not None]
    return Computed(found, Scope.of(_sizes(_of_two)))


def _of_two(one: _Block) -> Size:
    return Size(1, 1, tuple((name, 2) for name, _ in one.at.dims))


def _image(one: _Block) -> _Answers | None:
    """At sizes of two and on numbers that nothing is equal to by accident."""
    one = replace(one, at=_of_two(one))
    x, lifted = np.arange(3.0, 3.0 + prod(one.shape)).reshape(one.shape), True
    try:
        written = output_at_initial_point(one.network, one.sizes, data=one.instance(x, x))
        try:
            require_identity(one.unit)
        except NotIdentityError:
            lifted = False
    except NotDifferentiableError:
        return None
    return _Answers(lifted, _is_input(x, written))


def _is_input(x: np.ndarray, written: Sequence[Sequence[Mapping[Any, Fraction]]]) -> bool:
    numbers = (x[0] if x.ndim == 3 else x).ravel().tolist()
    return [{(): number} for number in numbers] == [dict(entry) for row in written for entry in row]


def _kinked(_: Context) -> Computed:
    """Which units with a kink at 0, or a norm that may be 0/0, have second derivatives all the same."""
    blocks = (*_all(), *_beside_kinks().values(), *_norms_of_what_vanishes())
    found = [_smooth(one) for one in blocks if any(map(_is_rough, nodes(one.unit.expression)))]
    return Computed([one for one in found if one is not None], Scope.of(_sizes()))


def _beside_kinks() -> Mapping[str, _Block]:
    """Slopes beside a kink that cancel, being equal, and such that would if they were."""
    h, u, v, w = Input("d"), *(Weight("d", "d") for _ in range(3))
    a, b = u @ h, v @ h
    others = {
        "relu(2 a)/2": relu(2 * a) / 2,
        "relu(-a) + a": relu(-a) + a,
        "relu(-2 a)/2 + a": relu(-2 * a) / 2 + a,
        "relu(a + b)": relu(a + b),
        "relu(b)": relu(b),
        "relu(-a) - a": relu(-a) - a,
        "relu(2 a)": relu(2 * a),
    }
    branches: dict[str, Expression] = {
        f"relu(a) less {name}": (relu(a) - other) * (w @ h) for name, other in others.items()
    }
    branches["relu(a) b less relu(b) a"] = relu(a) * b - relu(b) * a
    return {name: _sized(ResidualUnit(h + one), Random(0), 0, (1,)) for name, one in branches.items()}


def _slopes(_: Context) -> Computed:
    found = {name: _smooth(one) for name, one in _beside_kinks().items()}
    return Computed(found, Scope.of("R=2, d=1, m=2"))


_IS_SMOOTH, _IS_BENT = _Answers(lifted=True, written=True), _Answers(lifted=False, written=False)
_SLOPES = {
    "relu(a) less relu(2 a)/2": _IS_SMOOTH,
    "relu(a) less relu(-a) + a": _IS_SMOOTH,
    "relu(a) less relu(-2 a)/2 + a": _IS_SMOOTH,
    "relu(a) less relu(-a) - a": _IS_SMOOTH,
    "relu(a) less relu(a + b)": _IS_BENT,
    "relu(a) less relu(b)": _IS_BENT,
    "relu(a) less relu(2 a)": _IS_BENT,
    "relu(a) b less relu(b) a": _IS_BENT,
}


def _norms_of_what_vanishes() -> Iterator[_Block]:
    """A norm of 0 where training starts, without a derivative there, and with an epsilon."""
    h, u, v, w = Input("d"), *(Weight("d", "d") for _ in range(3))
    for epsilon in (0, 1):
        yield _sized(ResidualUnit(h + (u @ v) @ rms_norm(w @ h, epsilon=epsilon)), Random(0), 0, (1,))


_OF_A_KINK: Mapping[str, tuple[Expression, bool]] = {
    "the argument is 0": (_H + relu(_U @ _H), True),
    "the argument is 0, times a weight at 0": (_H + _V @ relu(_U @ _H), True),
    "the argument is 0, times two": (_H + (_W @ _V) @ relu(_U @ _H - _H + _H), False),
    "the argument is not 0": (_H + _V @ relu(_H + _U @ _H), False),
    "the argument is 0, of a smooth function": (_H + tanh(_U @ _H), False),
}
"""Units, and whether the loss has a function at its kink in a part of degree one or two."""


def _met(_: Context) -> Computed:
    found = {name: meets_kinks(ResidualUnit(one)) for name, (one, _) in _OF_A_KINK.items()}
    return Computed(found, Scope.of("five units of order one to three"))


_MET = {name: met for name, (_, met) in _OF_A_KINK.items()}


def _has_kink(node: Expression) -> bool:
    return isinstance(node, Apply) and bool(node.activation.kinks)


def _is_rough(node: Expression) -> bool:
    return _has_kink(node) or (isinstance(node, Normalize) and not node.epsilon)


def _smooth(one: _Block) -> _Answers | None:
    try:
        return _Answers(
            _exists(lambda: expansion(one.unit, one.loss).forms),
            _exists(lambda: explicit_entries(one.unit, one.loss, one.at)),
        )
    except NotIdentityError:
        return None


def _exists(made: Callable[[], object]) -> bool:
    try:
        _ = made()
    except NotDifferentiableError:
        return False
    return True


def _same_answers(found: Sequence[_Answers], claim: Callable[[bool], bool]) -> None:
    """Pass when the one answer is what is claimed for the other.

    Raises:
        Disagreement: it is not.
    """
    if any(claim(one.lifted) != one.written for one in found):
        raise Disagreement("a unit has a property by one route, and not by the other")


# On whole numbers and halves.

_Pairs: TypeAlias = Iterator[tuple[str, np.ndarray, np.ndarray]]
"""What is compared, as one engine and as the written-out network has it."""


def _is_exact(node: Expression) -> bool:
    """Whether floats hold what a node makes of small whole numbers and halves."""
    match node:
        case Softmax() | Normalize() | Weight(initial=Normal(), trainable=False):
            return False
        case Constant(value=Fraction() as value):
            return value.denominator in {1, 2}
        case Apply(activation=f):
            degree = f.degree
            halves = degree is not None and all(f.taylor(k).rational.denominator in {1, 2} for k in range(degree + 1))
            return f == relu or halves
        case _:
            return True


def _on_numbers(context: Context) -> Computed:
    pairs: dict[str, list[tuple[np.ndarray, np.ndarray]]] = defaultdict(list)
    for one in _all():
        few = parameter_count(one.unit, one.sizes) <= _FEW
        if few and all(map(_is_exact, nodes(one.unit.expression))):
            for everywhere in (False, True):
                for name, found, expected in _compared(_with_values(one, everywhere), device(context.device).ops):
                    pairs[name].append((found, expected))
    return Computed(pairs, Scope.of(_sizes()))


def _with_values(one: _Block, everywhere: bool) -> _Block:
    """The unit with whole numbers for its random initial weights, or for all."""
    unit, draw = one.unit, np.random.default_rng((one.seed, 1))
    for weight, name in one.unit.names.items():
        if everywhere or isinstance(weight.initial, Normal):
            numbers = draw.choice([-1.0, 1.0, 2.0, 0.5], [size_of(n, one.sizes) for n in weight.shape])
            unit = starting_at(unit, name, values_of(numbers))
    return replace(one, unit=unit, loss=squared)


def _compared(one: _Block, ops: Ops) -> _Pairs:
    unit, network, (x, y) = one.unit, one.network, map(ops.asarray, one.data)
    weights = initial_weights(unit, _UNITS, one.sizes, ops)
    draw = np.random.default_rng((one.seed, 2))
    names = unit.names.values()
    v = {name: ops.asarray(draw.integers(-1, 2, tuple(weights[name].shape)) + 0.0) for name in names}
    along = ops.numpy(flatten(unit, v))
    parts, dense, first = (_written(one, range(degree + 1)) for degree in (_DEGREE, 2, 1))
    if parts is None or dense is None or first is None:
        return
    for some in (parts, dense, first):
        yield "loss", np.array(taylor_series(network, weights, v, x, y, 0)), _along(some[:1], along)
    yield "Taylor coefficients", np.array(taylor_series(network, weights, v, x, y, _DEGREE)), _along(parts, along)
    slope, hessian = _derivatives(dense, len(along))
    yield "gradient", _slope(first, len(along)), slope
    for by_unit in (True, False):
        found = gradient(network, weights, x, y, by_unit=by_unit)
        yield "gradient", ops.numpy(flatten(unit, found)), slope
        image = hvp(network, weights, v, x, y, by_unit=by_unit)
        yield "$H v$", ops.numpy(flatten(unit, image)), hessian @ along
    if one.has_forms:
        env = environment(network, x, y, sizes=one.sizes, initial={name: a[0] for name, a in weights.items()})
        forms = expansion(unit, squared).forms
        terms = terms_of_forms(unit, forms[1, 1], forms[1, 2])
        yield "index terms", ops.numpy(flatten(unit, hessian_vector(terms, env, v))), hessian @ along
        cores = expansion(unit, squared).cores.cores
        powers = [np.trace(np.linalg.matrix_power(hessian, k)) for k in range(1, 5)]
        yield "cores", sum((_powers(core, env) for core in cores), np.zeros(4)), np.array(powers)
        ranks = [_rank(core, env) for core in cores]
        if None not in ranks:
            yield "ranks", np.array(sum(filter(None, ranks))), np.array(rank(matrix(_fractions(hessian))))


_Part: TypeAlias = Mapping[tuple[int, ...], Fraction]
"""A homogeneous part of the loss: each monomial, as the numbers of its parameters, with its coefficient."""


def _written(one: _Block, degrees: range) -> Sequence[_Part] | None:
    """The Taylor coefficients of these degrees of the written-out network; None where it meets a kink, or large numbers.

    Up to degree two its jets are kept as matrices, beyond as polynomials.
    """
    initial = {
        symbol: Fraction(entry)
        for weight, name in one.unit.names.items()
        if isinstance(weight.initial, Values)
        for symbol, entry in zip(entry_names(name, weight.initial.shape), weight.initial.entries, strict=True)
    }
    try:
        found = written_series(one.network, one.sizes, order=degrees[-1], data=one.instance(*one.data, initial))
    except NotDifferentiableError:
        return None
    if has_kinks(found.ring.names):
        return None
    parts = [{place: value[()] for place, value in found.plain(k).items() if value} for k in degrees]
    return parts if all(abs(c) < _LARGE for part in parts for c in part.values()) else None


def _along(parts: Sequence[_Part], v: np.ndarray) -> np.ndarray:
    return np.array([sum(float(c) * prod(v[k] for k in place) for place, c in part.items()) for part in parts])


def _slope(parts: Sequence[_Part], count: int) -> np.ndarray:
    slope = np.zeros(count)
    for (k,), value in parts[1].items():
        slope[k] = float(value)
    return slope


def _derivatives(parts: Sequence[_Part], count: int) -> tuple[np.ndarray, np.ndarray]:
    """The gradient and the Hessian."""
    slope, hessian = _slope(parts, count), np.zeros((count, count))
    for (j, k), value in parts[2].items():
        hessian[j, k] += value
        hessian[k, j] += value
    return slope, hessian


def _powers(core: Core, env: Environment) -> np.ndarray:
    """The sums of the first four powers of the eigenvalues."""
    found, _ = matrices(core, env)
    whole = _both_ways(core, on_all_units(found, _UNITS) * 2.0**found.exponent)
    return _times(core, env) * np.array(
        [np.trace(np.linalg.matrix_power(whole, k), axis1=1, axis2=2).sum() for k in range(1, 5)]
    )


def _both_ways(core: Core, whole: np.ndarray) -> np.ndarray:
    """The symmetric matrices of a core: of a bipartite one, [[0, B], [B^T, 0]], with eigenvalues +-sigma."""
    if core.sides is None:
        return whole
    zero = np.zeros((len(whole), whole.shape[1], whole.shape[1])), np.zeros((len(whole), *2 * whole.shape[2:]))
    return np.block([[zero[0], whole], [whole.swapaxes(1, 2), zero[1]]])


def _times(core: Core, env: Environment) -> int:
    """How often each of its eigenvalues occurs."""
    return size(core.spectators, env.sizes) * (1 if core.cross else _UNITS)


def _rank(core: Core, env: Environment) -> int | None:
    """How many eigenvalues of the Hessian it has that are not 0; None where its numbers have no residues."""
    side = min(shape(core, env.sizes)) * (_UNITS if core.cross else 1)
    # Of a core that joins no units it is asked where a matrix of all units would be too large.
    found = exact_ranks(core, env, _UNITS if core.cross else MOST_ENTRIES, side, _BITS)
    return None if found is None else _times(core, env) * sum(found) * (1 if core.sides is None else 2)


_Found: TypeAlias = Mapping[str, Sequence[tuple[np.ndarray, np.ndarray]]]
_QUANTITIES = {"loss", "Taylor coefficients", "gradient", "$H v$", "index terms", "cores", "ranks"}


def _agree(found: _Found, part: float) -> tuple[Measurement, ...]:
    """What an engine finds, and such a part more, is what the written-out network has.

    Raises:
        Disagreement: one of the quantities was found for no unit.
    """
    equal(set(found), _QUANTITIES)
    return tuple(
        Measurement(
            f"{name}: differences from the written-out networks, summed",
            sum(largest_modulus(a * (1.0 + part) - b) for a, b in pairs),
            0.0,
            _sizes(),
            None,
            "exact arithmetic: floats hold these numbers",
            scale=sum(largest_modulus(b) for _, b in pairs),
        )
        for name, pairs in found.items()
    )


# Modulo a prime.


@dataclass(frozen=True, slots=True)
class _Residues:
    """Coefficients of networks along random directions, and closed forms of them by degree."""

    pairs: list[tuple[ModularExpansion, Mapping[int, IndexSum]]]
    seed: int


def _modulo_a_prime(context: Context) -> Computed:
    ops, found = device(context.device).ops, _Residues([], context.seed)
    for one in (*_all(), *(replace(one, loss=cross_entropy) for one in _classifying())):
        if one.has_forms and not any(map(_has_no_residues, nodes(one.unit.expression))):
            for units, forms in _closed_forms(one):
                network = Network(one.unit, units, one.loss)
                drawn = expand(network, max(forms), one.sizes, ops, points=_POINTS, seed=context.seed, chunk=2)
                found.pairs.append((drawn, forms))
    return Computed(found, Scope.of(_sizes()))


def _has_no_residues(node: Expression) -> bool:
    return isinstance(node, Softmax | Normalize) or _has_kink(node)


def _closed_form(unit: ResidualUnit, loss: Loss, order: int) -> IndexSum:
    """Derived in index notation for two units, the second one's own terms left out."""
    form = freeze(loss_series(unit, loss, 2, order)[order], {})
    return replace(form, terms=tuple(term for term in form.terms if any(_is_first(t) for t, _ in term.factors)))


def _is_first(tensor: object) -> bool:
    return isinstance(tensor, Perturbation) and tensor.unit == 1


def _closed_forms(one: _Block) -> Iterator[tuple[int, Mapping[int, IndexSum]]]:
    """For three units up to degree two, for one beyond."""
    yield 3, {degree: _closed_form(one.unit, one.loss, degree) for degree in (1, 2)}
    if one.loss.quadratic:
        parts = enumerate(loss_series(one.unit, one.loss, 1, _DEGREE))
        yield 1, {degree: freeze(part, {}) for degree, part in parts if degree}


def _hold(found: _Residues, factor: int) -> Measurement:
    """How many coefficients are not that multiple of their closed form."""
    told = [
        held_against(drawn, {degree: freeze(scale(factor, thaw(form)), {}) for degree, form in forms.items()})
        for drawn, forms in found.pairs
    ]
    return Measurement(
        "coefficients that differ from their closed forms",
        float(sum(len(one.mismatches) for one in told)),
        0.0,
        _sizes(),
        found.seed,
        "exact arithmetic modulo a prime",
        f"at most $2^{{{math.floor(max(one.log2_false_acceptance for one in told))}}}$ for each",
    )


class _Traces(NamedTuple):
    """Traces of the first powers of one Hessian modulo a prime, and its rank: by its cores, and as it is written out."""

    cores: Sequence[int]
    written: Sequence[int]
    prime: int
    ranks: tuple[int, int]


def _cores_modulo_a_prime(_: Context) -> Computed:
    """At thirds, as floats and as given fractions: none of them is a whole number of quarters, say.

    Raises:
        Disagreement: a polynomial of the data with rational coefficients is said to have no residue.
    """
    found = list[_Traces]()
    for one in map(_at_thirds, _all()):
        few, every = parameter_count(one.unit, one.sizes) <= _FEW, nodes(one.unit.expression)
        if few and not any(isinstance(node, Normalize) for node in every) and one.has_forms:
            if (traces := _traced(one)) is not None:
                found.append(traces)
            elif all(map(_is_exact, every)) and not any(map(_has_no_residues, every)):
                raise Disagreement("a unit that is a polynomial has no residues")
    return Computed(found, Scope.of(_sizes()))


def _at_thirds(one: _Block) -> _Block:
    """The data over three, with thirds for random initial weights: fractions, or floats near them."""
    unit, draw = one.unit, np.random.default_rng((one.seed, 3))
    for weight, name in one.unit.names.items():
        if isinstance(weight.initial, Normal):
            numbers = draw.integers(-2, 5, [size_of(n, one.sizes) for n in weight.shape])
            unit = starting_at(unit, name, values_of(numbers / 3.0 if one.seed % 2 else _thirds(numbers.tolist())))
    return replace(one, unit=unit, loss=squared, thirds=True)


def _thirds(a: Any) -> Any:
    return [_thirds(each) for each in a] if isinstance(a, list) else Fraction(a, 3)


def _traced(one: _Block) -> _Traces | None:
    """None where something has no residue, or no second derivative at these data."""
    env, _ = initial_environment(one.network, *one.data, one.sizes, 0)
    cores = expansion(one.unit, one.loss).cores.cores
    if not all(has_residues(core, env) for core in cores) or (parts := _written(one, range(2, 3))) is None:
        return None
    residues = Residues(env.ops, next(primes_for(math.lcm(*(common_scale(core, env) for core in cores)))))
    traces, ranked = np.zeros(_POWERS, dtype=np.int64), 0
    for core in cores:
        found = on_all_units(assemble(core, env.sizes, lambda terms: residue(terms, env, residues)), _UNITS)
        traces += _times(core, env) * _traces(_both_ways(core, residues.canonical(found)), residues.prime)
        ranked += _rank(core, env) or 0
    hessian = _exact_hessian(parts[0], _UNITS * parameter_count(one.unit, one.sizes))
    modulo = [[a.numerator * pow(a.denominator, -1, residues.prime) for a in row] for row in hessian]
    written = _traces(np.array(modulo)[None], residues.prime)
    ranks = ranked, rank(matrix(hessian))
    return _Traces((traces % residues.prime).tolist(), written.tolist(), residues.prime, ranks)


def _exact_hessian(part: _Part, count: int) -> list[list[Fraction]]:
    hessian = [[Fraction(0)] * count for _ in range(count)]
    for (j, k), value in part.items():
        hessian[j][k] += value
        hessian[k][j] += value
    return hessian


def _traces(whole: np.ndarray, prime: int) -> np.ndarray:
    """The traces of the first powers, summed over the labels; products of numbers below 2^24 are summed below 2^63."""
    residues = (whole % prime).astype(np.int64)
    power, found = residues, list[int]()
    for _ in range(_POWERS):
        found.append(int(np.trace(power, axis1=1, axis2=2).sum()) % prime)
        power = power @ residues % prime
    return np.array(found)


def _same_traces(found: Sequence[_Traces], factor: int) -> tuple[Measurement, ...]:
    """How many traces of powers, and ranks, of such a multiple are not those of the written-out Hessian."""
    traces = sum(
        (factor**k * mine - expected) % one.prime != 0
        for one in found
        for k, (mine, expected) in enumerate(zip(one.cores, one.written, strict=True), start=1)
    )
    ranks = sum(factor * one.ranks[0] != one.ranks[1] for one in found)
    return tuple(
        Measurement(
            f"{name} that differ from those of the written-out networks",
            float(apart),
            0.0,
            _sizes(),
            None,
            "exact arithmetic modulo primes",
            missed,
        )
        for name, apart, missed in (
            ("traces", traces, "$2^{-23}$ for a residue at random"),
            ("ranks", ranks, "none: as many primes as the numbers have digits"),
        )
    )


DRAWN = (
    Argument(
        "Units drawn at random: the loss where training starts is the mean of the losses of its samples",
        "explicit",
        _starts,
        1,
        {"each counts twice": 2},
        _as_mean,
    ),
    Argument(
        "Units drawn at random: which return their input",
        "explicit",
        _images,
        bool,
        {"all do": lambda _: True, "none does": lambda _: False},
        _same_answers,
    ),
    Argument(
        "Units with a kink or a norm that may be 0/0, drawn at random: which have second derivatives",
        "explicit",
        _kinked,
        bool,
        {"all do": lambda _: True, "none does": lambda _: False},
        _same_answers,
    ),
    Argument(
        "Kinks beside each other: where second derivatives exist all the same",
        "explicit",
        _slopes,
        _SLOPES,
        {
            "wherever they are of one number": {**_SLOPES, "relu(a) less relu(2 a)": _IS_SMOOTH},
            "nowhere": dict.fromkeys(_SLOPES, _IS_BENT),
            "as the index route has it alone": dict.fromkeys(_SLOPES, _Answers(lifted=True, written=False)),
        },
        explanation=r"$a = U h$ and $b = V h$ in front of a layer $W h$ that starts at zero, or alone: by either route.",
    ),
    Argument(
        "Units with a function at its kink where training starts: whether the loss meets it up to degree two",
        "instance",
        _met,
        _MET,
        {
            "at any degree": {**_MET, "the argument is 0, times two": True},
            "at degree one alone": {**_MET, "the argument is 0, times a weight at 0": False},
        },
    ),
    Argument(
        "Units drawn at random: the forms of the index route, written out, against exact Hessians",
        "explicit",
        _hessians,
        unchanged,
        CHANGES,
        agrees_with_index_route,
        explanation="Both routes once more, on units that nobody chose.",
    ),
)
DRAWN_NUMBERS = (
    Argument(
        "Units drawn at random, on whole numbers and halves",
        "floating point",
        _on_numbers,
        0.0,
        {"a rounding more": 2.0**-52, "twice as large": 1.0},
        _agree,
        explanation="The loss, its Taylor coefficients, gradient and $H v$ each way through the network, also away from the "
        "initial point; the index terms; sums of powers of the eigenvalues, and ranks, by the cores of the Hessian.",
    ),
    Argument(
        "Units drawn at random, modulo a prime",
        "modular",
        _modulo_a_prime,
        1,
        {"twice as large": 2},
        _hold,
        explanation="Coefficients of degree one to three along random directions against closed forms in index notation.",
    ),
    Argument(
        "Units drawn at random, at thirds modulo a prime",
        "modular",
        _cores_modulo_a_prime,
        1,
        {"twice as large": 2},
        _same_traces,
        explanation="Data are floats near thirds, and so are initial weights, or thirds themselves. Traces of powers of the "
        "Hessian by the residues of its cores, of which ranks are computed, against those of exact Hessians.",
    ),
)
