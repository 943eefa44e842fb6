"""Random points modulo a prime: data, directions, symbols, functions and a loss drawn as uniform residues.

Everything is drawn at T independent points at once, the first axis of every array. What is generic in a theorem is
arbitrary here:

- a coefficient of an activation at 0 that is no rational is a residue for its symbol ("mid'(0)", "log(2)");
- at data (a nonzero argument) an activation is any function: its derivatives are independent residues for every
  coordinate, the same wherever the same argument occurs. Polynomials are evaluated;
- a loss other than the squared one is any loss: g and Q are residues, Q symmetric, both orthogonal to 1 where the
  loss is centred.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import NoReturn, TypeAlias, assert_never

import numpy as np

from resproof.architectures.errors import ArchitectureError
from resproof.architectures.forms.terms import (
    COLUMN,
    ROW,
    SAMPLE,
    ActivationValue,
    DataTensor,
    Delta,
    IndexSum,
    InitialWeight,
    InverseRoot,
    InverseScale,
    LossDerivative,
    Normalised,
    Opaque,
    Pattern,
    Perturbation,
    Secant,
    SoftmaxValue,
    Tensor,
)
from resproof.architectures.networks import Network
from resproof.architectures.nodes import (
    Activation,
    Apply,
    Coefficient,
    Einsum,
    Normalize,
    Softmax,
    Weight,
    describe,
    nodes,
)
from resproof.architectures.properties import the_input
from resproof.architectures.text import text
from resproof.architectures.values import Identity, Normal, Ones, Values, Zero
from resproof.numeric.backend import Array, Ops
from resproof.numeric.data import SAMPLES, DataError
from resproof.numeric.network.arithmetic import Residues
from resproof.numeric.network.contraction import contract, contraction, permuted
from resproof.numeric.network.evaluate import forward
from resproof.numeric.network.program import Program, described, pattern, program
from resproof.numeric.network.series import Series, add, cauchy, compose, dense
from resproof.numeric.spectra.products import POINT, UNIT, Labelled, slot_shape, sum_of_terms

Direction: TypeAlias = Mapping[str, Array]
"""The residues of a chunk of units, weight -> (units, T, rows, columns), or of one unit without the first axis."""


@dataclass(frozen=True, slots=True)
class RandomPoints:
    """T random points: data, symbols, functions and initial weights, drawn when first asked for."""

    network: Network
    program: Program
    residues: Residues
    order: int
    points: int
    seed: tuple[int, ...]
    generator: np.random.Generator
    data: dict[str, Array] = field(default_factory=dict)
    scalars: dict[str, Array] = field(default_factory=dict)
    initial: dict[str, Array | None] = field(default_factory=dict)
    functions: dict[str, list[tuple[Array, list[Array]]]] = field(default_factory=dict)
    towers: dict[str, list[Array | None]] = field(default_factory=dict)
    loss_tensors: dict[int, Array] = field(default_factory=dict)

    @property
    def ops(self) -> Ops:
        """The array library."""
        return self.program.ops

    def draw(self, *shape: int) -> Array:
        """Uniform residues of this shape at every point."""
        return self.residues.draw(self.generator, (self.points, *shape))

    def datum(self, name: str) -> Array:
        """X or Y at every point, in the native layout."""
        if name not in self.data:
            shape = next(s for n, s in self.program.shapes.items() if n is the_input(self.program.root))
            self.data[name] = self.draw(*shape)
        return self.data[name]

    def scalar(self, name: str) -> Array:
        """The residue of a symbol, of shape (T, 1, 1)."""
        if name not in self.scalars:
            self.scalars[name] = self.draw(1, 1)
        return self.scalars[name]

    def initial_weight(self, name: str) -> Array | None:
        """The same initial value in every unit; None for zero."""
        if name not in self.initial:
            weight = next(w for w, n in self.network.unit.every_name.items() if n == name)
            self.initial[name] = self._initial(weight)
        return self.initial[name]

    def _initial(self, weight: Weight) -> Array | None:
        rows, cols = self.program.matrix(weight)
        match weight.initial:
            case Zero():
                return None
            case Ones():
                return self.ops.full((self.points, rows, cols), 1.0)
            case Identity():
                return self.ops.asarray(np.broadcast_to(np.eye(rows), (self.points, rows, cols)).copy())
            case Normal() | Values():
                return self.draw(rows, cols)
            case _:
                assert_never(weight.initial)

    def start(self) -> Series:
        """The network's input X as a series."""
        return (self.datum("X"), *[None] * self.order)

    def unit(self, stream: Series, direction: Direction) -> Series:
        """One unit of the network, exactly."""
        weights = {
            weight: (self._lift(self.initial_weight(name)), self._lift(direction.get(name)), *[None] * self.order)[
                : self.order + 1
            ]
            for weight, name in self.network.unit.every_name.items()
        }
        return forward(self.program, ResidueSeries(self), stream, weights)[self.program.root]

    def _lift(self, a: Array | None) -> Array | None:
        return a[:, None, ...] if a is not None and self.program.rank == 3 else a

    def directions(self, units: int, chunk: int) -> Iterator[dict[str, Array]]:
        """The directions of all units, a chunk at a time, so that they are never held together; the same every time."""
        generator = np.random.default_rng((*self.seed, 1))
        for first in range(0, units, chunk):
            count = min(chunk, units - first)
            yield {
                name: self.residues.draw(generator, (count, self.points, *self.program.matrix(weight)))
                for weight, name in self.network.unit.names.items()
            }

    def function(self, name: str, argument: Array, order: int) -> list[Array]:
        """Derivatives 0..order of an arbitrary function at an array: drawn for each coordinate, remembered."""
        table = self.functions.setdefault(name, [])
        derivatives = next((found for known, found in table if self._same(known, argument)), None)
        if derivatives is None:
            derivatives = []
            table.append((argument, derivatives))
        while len(derivatives) <= order:
            derivatives.append(self.residues.draw(self.generator, tuple(argument.shape)))
        return derivatives

    def _same(self, a: Array, b: Array) -> bool:
        return a is b or (tuple(a.shape) == tuple(b.shape) and self._equal(a, b))

    def _equal(self, a: Array, b: Array) -> bool:
        return self.vanishes(a - b)

    def vanishes(self, a: Array) -> bool:
        """Whether an array is zero at every point."""
        return not bool(self.ops.xp.any(self.residues.reduce(a) != 0))

    # The loss.

    def loss(self, f: Series) -> list[Array | None]:
        """The coefficients of the mean loss, of shape (T,); its constant only for the squared loss.

        Raises:
            ArchitectureError: a loss other than the squared one, and an output that is not X at the initial point or
                an order that needs the third derivative.
        """
        if self.network.loss.quadratic:
            residual: Series = add(self.residues, f, (self.residues.reduce(-self.datum("Y")), *[None] * self.order))
            halves = self._inner(residual, residual)
            return [None if c is None else self._mean(c, Fraction(1, 2)) for c in halves]
        change: Series = (None, *f[1:])
        if not self._equal(f[0], self.datum("X")):
            raise ArchitectureError(
                "identity test: the unit is not the identity at its initial point; expected f = X there"
            )
        g: Series = (self.loss_tensor(1), *[None] * self.order)
        linear = self._inner(g, change)
        bent = tuple(None if c is None else self._curve(c) for c in change)
        squares = self._inner(change, bent)
        first = next((k for k, c in enumerate(change) if c is not None), self.order + 1)
        if 3 * first <= self.order:
            raise ArchitectureError(
                f"identity test: order {self.order} needs the third derivative of the loss; expected the squared loss"
            )
        parts = [None if c is None else self._mean(c, Fraction(1)) for c in linear]
        bends = [None if c is None else self._mean(c, Fraction(1, 2)) for c in squares]
        return list(add(self.residues, tuple(parts), tuple(bends)))

    def _inner(self, a: Series, b: Series) -> Series:
        """<a, b> at every point."""

        def inner(p: Array, q: Array) -> Array:
            product = self.residues.multiply(p, q)
            return self.residues.total(self.ops.xp.reshape(product, (self.points, -1)), 1)

        return cauchy(self.residues, inner, a, b)

    def _mean(self, c: Array, factor: Fraction) -> Array:
        scale = self.residues.rational(factor / self.program.samples)
        return self.residues.multiply(c, self.ops.full((), scale))

    def loss_tensor(self, order: int) -> Array:
        """g, of X's layout, or Q with slots (row, row, [column,] sample); T in front.

        Raises:
            ArchitectureError: a derivative beyond the second.
        """
        if order > 2:
            raise ArchitectureError(f"identity test: derivative {order} of the loss; expected at most the second")
        if order not in self.loss_tensors:
            self.loss_tensors[order] = self._loss_tensor(order)
        return self.loss_tensors[order]

    def _loss_tensor(self, order: int) -> Array:
        r, ops, x, centred = self.residues, self.ops, self.datum("X"), self.network.loss.centred
        if order == 1:
            if self.network.loss.quadratic:
                return r.add(x, -self.datum("Y"))
            g = self.draw(*x.shape[1:])
            return self._centre(g, -2) if centred else g
        d, rest = int(x.shape[-2]), self._slots(x).shape[2:]
        half = self.draw(d, d, *rest)
        rank = len(half.shape)
        q = r.add(half, ops.permute(half, (0, 2, 1, *range(3, rank))))
        return self._centre(self._centre(q, 1), 2) if centred else q

    def _centre(self, a: Array, axis: int) -> Array:
        """a - mean(a) along an axis, the mean modulo p."""
        n = int(a.shape[axis])
        total = self.ops.xp.sum(a, axis=axis, keepdims=True)
        inverse = self.ops.full((), self.residues.rational(Fraction(1, n)))
        return self.residues.add(a, -self.residues.multiply(self.residues.reduce(total), inverse))

    def _slots(self, x: Array) -> Array:
        """(T, d, m) as it is, (T, m, d, t) as (T, d, t, m)."""
        return x if len(x.shape) == 3 else self.ops.permute(x, (0, 2, 3, 1))

    def _curve(self, v: Array) -> Array:
        """Q v, in X's layout."""
        q, mixes = self.loss_tensor(2), len(v.shape) == 4
        if mixes:
            moved = self.ops.permute(q, (0, 4, 3, 1, 2))  # (T, m, t, d, d)
            columns = self.ops.permute(v, (0, 1, 3, 2))[..., None]
            return self.ops.permute(self.residues.matmul(moved, columns)[..., 0], (0, 1, 3, 2))
        moved = self.ops.permute(q, (0, 3, 1, 2))
        columns = self.ops.permute(v, (0, 2, 1))[..., None]
        return self.ops.permute(self.residues.matmul(moved, columns)[..., 0], (0, 2, 1))

    # What index terms are contracted with.

    def tensor(self, tensor: Tensor, placed: Mapping[tuple[str, int], Array]) -> tuple[Array, tuple[int, ...]]:
        """The residues of a tensor and the labels of the axes in front of its slots.

        Raises:
            ArchitectureError: a tensor that is no polynomial in what is drawn.
        """
        xp, lengths = self.ops.xp, slot_shape(tensor.dims, self.program.sizes)
        match tensor:
            case Perturbation(weight=weight, unit=unit):
                array, front = placed[weight, unit], (UNIT, POINT)
            case DataTensor(name=name):
                array, front = self._slots(self.datum(name)), (POINT,)
            case Delta():
                array, front = self.ops.asarray(pattern("identity", lengths)), ()
            case Pattern(pattern=name):
                array, front = self.ops.asarray(pattern(name, slot_shape(tensor.shape, self.program.sizes))), ()
            case InitialWeight(weight=weight):
                array, front = self.initial_weight(weight), (POINT,)
                assert array is not None
            case LossDerivative(order=order):
                found = self.loss_tensor(order)
                array, front = (self._slots(found) if order == 1 else found), (POINT,)
            case ActivationValue(activation=name, order=order, argument=argument):
                array, front = self._activation_value(name, argument, order), (POINT,)
            case SoftmaxValue() | Normalised() | InverseScale() | InverseRoot() | Secant() | Opaque():
                raise ArchitectureError(f"identity test: {tensor.label} has no residue; expected an elementwise unit")
            case _:
                assert_never(tensor)
        return xp.reshape(array, (*array.shape[: len(front)], *lengths)), front

    def _activation_value(self, name: str, argument: IndexSum, order: int) -> Array:
        where = sum_of_terms(Placed(self, {}), argument, {POINT: self.points})
        # An axis of length one has no index.
        free, mixes = {i for i, _ in argument.free}, self.program.rank == 3
        axes = (ROW, COLUMN, SAMPLE) if mixes else (ROW, SAMPLE if SAMPLE in free else COLUMN)
        lengths = iter(where.shape[1:])
        whole = self.ops.xp.reshape(where, (self.points, *(next(lengths) if i in free else 1 for i in axes)))
        native = self.ops.permute(whole, (0, 3, 1, 2)) if mixes else whole
        activation = next(
            n.activation for n in nodes(self.program.root) if isinstance(n, Apply) and n.activation.name == name
        )
        found = self.derivatives(activation, native, order)[order]
        return self._slots(found)

    def tower(self, activation: Activation, u: Array | None) -> list[Array | None]:
        """f(u), f'(u), f''(u)/2, ..., at zero where u is None; remembered for the same argument."""
        if u is None:
            if activation.name not in self.towers:
                found = activation.taylor_at_zero(self.order)
                self.towers[activation.name] = [self._residue(c) for c in found]
            return self.towers[activation.name]
        derivatives = self.derivatives(activation, u, self.order)
        return [f if k < 2 else self._over_factorial(f, k) for k, f in enumerate(derivatives)]

    def _residue(self, coefficient: Coefficient) -> Array | None:
        """A Taylor coefficient at zero: None where it is 0."""
        if coefficient.rational == 0:
            return None
        scaled = self.ops.full((1, 1, 1), self.residues.rational(coefficient.rational))
        if coefficient.symbol is not None:
            scaled = self.residues.multiply(scaled, self.scalar(coefficient.symbol))
        return scaled[..., None] if self.program.rank == 3 else scaled

    def _over_factorial(self, f: Array, k: int) -> Array:
        scale = self.residues.rational(Fraction(1, math.factorial(k)))
        return self.residues.multiply(f, self.ops.full((), scale))

    def derivatives(self, activation: Activation, u: Array, order: int) -> list[Array]:
        """f(u), ..., f^(order)(u) at a nonzero argument."""
        if activation.degree is None:
            return self.function(activation.name, u, order)
        return [self._polynomial(activation, u, k) for k in range(order + 1)]

    def _polynomial(self, activation: Activation, u: Array, k: int) -> Array:
        """f^(k)(u) = sum_{j>=k} j!/(j-k)! a_j u^(j-k), by Horner's rule."""
        r, degree = self.residues, activation.degree or 0
        value = 0.0 * u
        for j in range(degree, k - 1, -1):
            factor = r.rational(activation.taylor(j).rational * math.perm(j, k))
            value = r.add(r.multiply(value, u), self.ops.full((), factor))
        return value


@dataclass(frozen=True, slots=True)
class Placed:
    """The trial's tensors with perturbations in their places."""

    trial: RandomPoints
    perturbations: Mapping[tuple[str, int], Array]

    @property
    def arithmetic(self) -> Residues:
        """Residues."""
        return self.trial.residues

    @property
    def sizes(self) -> Mapping[str, int]:
        """The size of every dimension name."""
        return self.trial.program.sizes

    def tensor(self, tensor: Tensor) -> tuple[Array, tuple[int, ...]]:
        """The residues of a tensor and the labels of the axes in front of its slots."""
        return self.trial.tensor(tensor, self.perturbations)

    def symbol(self, name: str) -> Labelled:
        """The residue of a symbol."""
        return Labelled(self.trial.scalar(name)[:, 0, 0], (POINT,))


@dataclass(frozen=True, slots=True)
class ResidueSeries:
    """Series of residues, for the forward reading."""

    trial: RandomPoints

    @property
    def order(self) -> int:
        """The order of truncation."""
        return self.trial.order

    def add(self, a: Series, b: Series) -> Series:
        """a + b."""
        return add(self.trial.residues, a, b)

    def spread(self, a: Series, shape: tuple[int, ...]) -> Series:
        """Every coefficient broadcast to the shape of the value, which may itself be missing."""
        return tuple(c if c is None else dense(self.trial.ops, c, (*c.shape[: -len(shape)], *shape)) for c in a)

    def multiply(self, a: Series, b: Series) -> Series:
        """The elementwise product."""
        return cauchy(self.trial.residues, self.trial.residues.multiply, a, b)

    def einsum(self, node: Einsum, operands: Sequence[Series]) -> Series:
        """The contraction of two operands, or one with its axes in another order."""
        ops, residues = self.trial.ops, self.trial.residues
        if len(operands) == 1:
            moved = (None if x is None else permuted(ops, x, node.inputs[0], node.output) for x in operands[0])
            return tuple(moved)
        how = contraction(node.pattern)
        return cauchy(residues, partial(contract, how, ops, residues.matmul, residues.multiply), *operands)

    def apply(self, activation: Activation, u: Series, shape: tuple[int, ...]) -> Series:
        """The activation: at zero by its coefficients there, elsewhere any function."""
        start = u[0]
        if start is not None and self.trial.vanishes(start):
            start = None  # initial values may cancel, as in tanh(W - 1) for a W that starts at ones
        tower = self.trial.tower(activation, start)
        if start is None and tower[0] is not None:
            tower = [tower[0] + self.trial.ops.zeros((self.trial.points, *shape)), *tower[1:]]
        return compose(self.trial.residues, tower, u)

    def softmax(self, node: Softmax, u: Series, mask: Series | None) -> Series:
        """Refused, by name."""
        del u, mask
        _refuse(self.trial.network, node)

    def normalize(self, node: Normalize, u: Series) -> tuple[Series, Series]:
        """Refused, by name."""
        del u
        _refuse(self.trial.network, node)


def _refuse(network: Network, node: Softmax | Normalize) -> NoReturn:
    unit = network.unit
    shown = text(unit.expression, unit.names)
    raise ArchitectureError(f"identity test: {shown} has a {described(node)}; expected an elementwise unit")


def random_points(
    network: Network, sizes: Mapping[str, int], ops: Ops, points: int, seed: int, prime: int, order: int
) -> RandomPoints:
    """T random points of a network; one with a softmax, a normalisation or another number of axes is refused.

    Raises:
        ArchitectureError: a value has more or less than two axes.
        DataError: a dimension without a size.
    """
    refused = next((n for n in nodes(network.unit.expression) if isinstance(n, Softmax | Normalize)), None)
    if refused is not None:
        _refuse(network, refused)
    tensor = next((n for n in nodes(network.unit.expression) if len(n.shape) != 2), None)
    if tensor is not None:
        raise ArchitectureError(
            f"identity test: {describe(tensor)} has {len(tensor.shape)} axes; expected two everywhere"
        )
    missing = [d for n in nodes(network.unit.expression) for d in n.shape if isinstance(d, str) and d not in sizes]
    columns = the_input(network.unit.expression).columns
    missing = [d for d in missing if network.unit.mixes_columns or d != columns]
    if missing or SAMPLES not in sizes:
        raise DataError(f"identity test: no size of {(missing or [SAMPLES])[0]}; expected one for every dimension")
    residues = Residues(ops, prime)
    read = program(network.unit, ops, sizes, residues.rational)
    return RandomPoints(network, read, residues, order, points, (seed,), np.random.default_rng(seed))
