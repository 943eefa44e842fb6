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
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any, NoReturn, TypeAlias, assert_never

import numpy as np

from resproof.architectures.errors import ArchitectureError
from resproof.architectures.forms.terms import (
    COLUMN,
    ROW,
    SAMPLE,
    ActivationValue,
    DataTensor,
    InitialWeight,
    LossDerivative,
    Perturbation,
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
from resproof.numeric.network.program import Program, described, program
from resproof.numeric.network.series import Series, add, cauchy, compose, dense
from resproof.numeric.spectra.products import (
    KINDS,
    POINT,
    UNIT,
    Labelled,
    NumberSource,
    patterns,
    product_of,
    sum_of_terms,
)

Direction: TypeAlias = Mapping[str, Array]
"""The residues of a chunk of units, weight -> (units, T, rows, columns), or of one unit without the first axis."""


@dataclass(frozen=True, slots=True)
class RandomPoints:
    """T random points: data, symbols, functions and initial weights, drawn when first asked for, by name."""

    network: Network
    program: Program
    residues: Residues
    order: int
    points: int
    seed: tuple[int, ...]
    generator: np.random.Generator
    drawn: dict[Hashable, Any] = field(default_factory=dict)
    functions: dict[str, list[tuple[Array, list[Array]]]] = field(default_factory=dict)
    known: dict[str, Labelled] = field(default_factory=dict)

    @property
    def ops(self) -> Ops:
        """The array library."""
        return self.program.ops

    def once(self, name: Hashable, make: Callable[[], Any]) -> Any:
        """What is called so, made when first asked for."""
        if name not in self.drawn:
            self.drawn[name] = make()
        return self.drawn[name]

    def draw(self, *shape: int) -> Array:
        """Uniform residues of this shape at every point."""
        return self.residues.draw(self.generator, (self.points, *shape))

    def datum(self, name: str) -> Array:
        """X or Y at every point, in the layout of the forward reading."""
        return self.once(name, lambda: self.draw(*self.program.shapes[the_input(self.program.root)]))

    def scalar(self, name: str) -> Array:
        """The residue of a symbol, of shape (T, 1, 1)."""
        return self.once(name, lambda: self.draw(1, 1))

    def initial_weight(self, name: str) -> Array | None:
        """The same initial value in every unit; None for zero."""
        return self.once(("initial", name), lambda: self._initial(name))

    def _initial(self, name: str) -> Array | None:
        weight = next(w for w, n in self.network.unit.every_name.items() if n == name)
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
        rest = [None] * self.order
        weights = {
            weight: (*(self._lift(a, weight) for a in (self.initial_weight(name), direction.get(name))), *rest)
            for weight, name in self.network.unit.every_name.items()
        }
        series = {weight: a[: self.order + 1] for weight, a in weights.items()}
        return forward(self.program, _ResidueSeries(self), stream, series)[self.program.root]

    def _lift(self, a: Array | None, weight: Weight) -> Array | None:
        """A weight's matrix behind as many axes as values have in front."""
        front = [1] * (len(self.program.shapes[weight]) - len(weight.shape))
        return None if a is None else self.ops.reshape(a, (a.shape[0], *front, *a.shape[1:]))

    def directions(self, chunk: int) -> Iterator[dict[str, Array]]:
        """The directions of all units, a chunk at a time, so that they are never held together; the same every time."""
        generator, units = np.random.default_rng((*self.seed, 1)), self.network.units
        for first in range(0, units, chunk):
            count = min(chunk, units - first)
            yield {
                name: self.residues.draw(generator, (count, self.points, *self.program.matrix(weight)))
                for weight, name in self.network.unit.names.items()
            }

    def vanishes(self, a: Array) -> bool:
        """Whether an array is zero at every point."""
        return not bool(self.ops.xp.any(self.residues.reduce(a) != 0))

    def slots(self, x: Array) -> Array:
        """X's layout as (T, d, m), or (T, d, t, m)."""
        if self.network.unit.mixes_columns:
            return self.ops.permute(x, (0, 2, 3, 1))
        return self.ops.reshape(x, (x.shape[0], *x.shape[-2:]))

    @property
    def _rank(self) -> int:
        """The number of axes of X's layout."""
        return len(self.program.shapes[the_input(self.program.root)])

    def in_layout(self, x: Array) -> Array:
        """The inverse of `slots`."""
        moved = self.ops.permute(x, (0, 3, 1, 2)) if self.network.unit.mixes_columns else x
        return self.ops.reshape(moved, (*moved.shape[:1], *[1] * (self._rank + 1 - len(moved.shape)), *moved.shape[1:]))

    # Functions.

    def tower(self, activation: Activation, u: Array | None) -> list[Array | None]:
        """f(u), f'(u), f''(u)/2, ..., at zero where u is None; remembered for the same argument."""
        if u is None:
            at_zero = activation.taylor_at_zero
            return self.once(("tower", activation.name), lambda: [*map(self._coefficient, at_zero(self.order))])
        derivatives = self.derivatives(activation, u, self.order)
        return [self._times(f, Fraction(1, math.factorial(k))) for k, f in enumerate(derivatives)]

    def _coefficient(self, coefficient: Coefficient) -> Array | None:
        """A Taylor coefficient at zero: None where it is 0."""
        if coefficient.rational == 0:
            return None
        symbol = 1.0 if coefficient.symbol is None else self.scalar(coefficient.symbol)
        scaled = self._times(symbol + self.ops.zeros((1, 1, 1)), coefficient.rational)
        return self.ops.reshape(scaled, (scaled.shape[0], *[1] * self._rank))

    def _times(self, a: Array, factor: Fraction) -> Array:
        return a if factor == 1 else self.residues.multiply(a, self.ops.full((), self.residues.rational(factor)))

    def derivatives(self, activation: Activation, u: Array, order: int) -> list[Array]:
        """f(u), ..., f^(order)(u) at a nonzero argument: of a polynomial, or drawn for each coordinate and argument."""
        if activation.degree is not None:
            return [self._polynomial(activation, u, k) for k in range(order + 1)]
        table = self.functions.setdefault(activation.name, [])
        found = next((f for at, f in table if at is u or (at.shape == u.shape and self.vanishes(at - u))), None)
        if found is None:
            found = []
            table.append((u, found))
        found += [self.residues.draw(self.generator, tuple(u.shape)) for _ in range(order + 1 - len(found))]
        return found

    def _polynomial(self, activation: Activation, u: Array, k: int) -> Array:
        """f^(k)(u) = sum_{j>=k} j!/(j-k)! a_j u^(j-k), by Horner's rule."""
        r, degree = self.residues, activation.degree or 0
        value = 0.0 * u
        for j in range(degree, k - 1, -1):
            factor = r.rational(activation.taylor(j).rational * math.perm(j, k))
            value = r.add(r.multiply(value, u), self.ops.full((), factor))
        return value

    # The loss.

    def loss(self, f: Series) -> Series:
        """The coefficients of the mean loss, of shape (T,); its constant only for the squared loss.

        Raises:
            ArchitectureError: a loss other than the squared one, and an output that is not X at the initial point or
                an order that needs the third derivative.
        """
        if self.network.loss.quadratic:
            residual = add(self.residues, f, (self.residues.reduce(-self.datum("Y")), *[None] * self.order))
            return self._mean(self._inner(residual, residual), Fraction(1, 2))
        if not self.vanishes(f[0] - self.datum("X")):
            raise ArchitectureError(
                "identity test: the unit is not the identity at its initial point; expected f = X there"
            )
        change: Series = (None, *(None if c is None else self.slots(c) for c in f[1:]))
        first = next((k for k, c in enumerate(change) if c is not None), self.order + 1)
        if 3 * first <= self.order:
            raise ArchitectureError(
                f"identity test: order {self.order} needs the third derivative of the loss; expected the squared loss"
            )
        linear = self._inner((self.loss_tensor(1), *[None] * self.order), change)
        squares = self._inner(change, tuple(None if c is None else self._curve(c) for c in change))
        return add(self.residues, self._mean(linear, Fraction(1)), self._mean(squares, Fraction(1, 2)))

    def _inner(self, a: Series, b: Series) -> Series:
        """<a, b> at every point."""

        def inner(p: Array, q: Array) -> Array:
            product = self.residues.multiply(p, q)
            return self.residues.total(self.ops.xp.reshape(product, (self.points, -1)), 1)

        return cauchy(self.residues, inner, a, b)

    def _mean(self, found: Series, factor: Fraction) -> Series:
        return tuple(None if c is None else self._times(c, factor / self.program.samples) for c in found)

    def loss_tensor(self, order: int) -> Array:
        """g, with slots (row, [column,] sample), or Q, with slots (row, row, [column,] sample); T in front.

        Raises:
            ArchitectureError: a derivative beyond the second.
        """
        if order > 2:
            raise ArchitectureError(f"identity test: derivative {order} of the loss; expected at most the second")
        return self.once(("loss", order), lambda: self._loss_tensor(order))

    def _loss_tensor(self, order: int) -> Array:
        r, x, loss = self.residues, self.slots(self.datum("X")), self.network.loss
        if order == 1 and loss.quadratic:
            return r.add(x, -self.slots(self.datum("Y")))
        drawn = self.draw(*[int(x.shape[1])] * (order - 1), *x.shape[1:])
        if order == 2:
            drawn = r.add(drawn, self.ops.permute(drawn, (0, 2, 1, *range(3, len(drawn.shape)))))
        for axis in range(1, order + 1) if loss.centred else ():
            drawn = self._centre(drawn, axis)
        return drawn

    def _centre(self, a: Array, axis: int) -> Array:
        """a - mean(a) along an axis, the mean modulo p."""
        total = self.residues.reduce(self.ops.xp.sum(a, axis=axis, keepdims=True))
        return self.residues.add(a, -self._times(total, Fraction(1, int(a.shape[axis]))))

    def _curve(self, v: Array) -> Array:
        """Q v, in slots."""
        row, of, *rest = range(len(v.shape))
        q = Labelled(self.loss_tensor(2), (POINT, row, of, *rest))
        return product_of(self.residues, [q, Labelled(v, (POINT, of, *rest))], (POINT, row, *rest))


# What index terms are contracted with.


def placed(trial: RandomPoints, perturbations: Mapping[tuple[str, int], Array]) -> NumberSource:
    """The residues of a trial, with perturbations in their places; what is no polynomial is refused."""

    def refused(tensor: Tensor) -> NoReturn:
        raise ArchitectureError(f"identity test: {tensor.label} has no residue; expected an elementwise unit")

    kinds = dict.fromkeys(KINDS, refused) | patterns(trial.ops, trial.program.sizes)
    kinds |= {
        Perturbation: lambda tensor: Labelled(perturbations[tensor.weight, tensor.unit], (UNIT, POINT)),
        DataTensor: lambda tensor: Labelled(trial.slots(trial.datum(tensor.name)), (POINT,)),
        InitialWeight: lambda tensor: Labelled(trial.initial_weight(tensor.weight), (POINT,)),
        LossDerivative: lambda tensor: Labelled(trial.loss_tensor(tensor.order), (POINT,)),
        ActivationValue: lambda tensor: Labelled(_activation_value(trial, tensor), (POINT,)),
    }

    return NumberSource(
        trial.residues,
        trial.program.sizes,
        kinds,
        lambda name: Labelled(trial.scalar(name)[:, 0, 0], (POINT,)),
        trial.known,
    )


def _activation_value(trial: RandomPoints, tensor: ActivationValue) -> Array:
    argument, mixes = tensor.argument, trial.network.unit.mixes_columns
    where = sum_of_terms(placed(trial, {}), argument, {POINT: trial.points})
    # An axis of length one has no index.
    free = {i for i, _ in argument.free}
    axes = (ROW, COLUMN, SAMPLE) if mixes else (ROW, SAMPLE if SAMPLE in free else COLUMN)
    lengths = iter(where.shape[1:])
    whole = trial.ops.xp.reshape(where, (trial.points, *(next(lengths) if i in free else 1 for i in axes)))
    applied = (node.activation for node in nodes(trial.program.root) if isinstance(node, Apply))
    activation = next(one for one in applied if one.name == tensor.activation)
    return trial.slots(trial.derivatives(activation, trial.in_layout(whole), tensor.order)[tensor.order])


@dataclass(frozen=True, slots=True)
class _ResidueSeries:
    """Series of residues, for the forward reading."""

    trial: RandomPoints

    @property
    def order(self) -> int:
        return self.trial.order

    def add(self, a: Series, b: Series) -> Series:
        return add(self.trial.residues, a, b)

    def spread(self, a: Series, shape: tuple[int, ...]) -> Series:
        # The value may itself be missing.
        return tuple(c if c is None else dense(self.trial.ops, c, (*c.shape[: -len(shape)], *shape)) for c in a)

    def multiply(self, a: Series, b: Series) -> Series:
        return cauchy(self.trial.residues, self.trial.residues.multiply, a, b)

    def einsum(self, node: Einsum, operands: Sequence[Series]) -> Series:
        ops, residues = self.trial.ops, self.trial.residues
        if len(operands) == 1:
            return tuple(x if x is None else permuted(ops, x, node.inputs[0], node.output) for x in operands[0])
        times = partial(contract, contraction(node.pattern), ops, residues.matmul, residues.multiply)
        return cauchy(residues, times, *operands)

    def apply(self, activation: Activation, u: Series, shape: tuple[int, ...]) -> Series:
        start = u[0]
        if start is not None and self.trial.vanishes(start):
            start = None  # initial values may cancel, as in tanh(W - 1) for a W that starts at ones
        tower = self.trial.tower(activation, start)
        if start is None and tower[0] is not None:
            tower = [tower[0] + self.trial.ops.zeros((self.trial.points, *shape)), *tower[1:]]
        return compose(self.trial.residues, tower, u)

    def softmax(self, node: Softmax, u: Series, mask: Series | None) -> Series:
        del u, mask
        _refuse(self.trial.network, node)

    def normalize(self, node: Normalize, u: Series) -> tuple[Series, Series]:
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
    unit, every = network.unit, nodes(network.unit.expression)
    for node in every:
        if isinstance(node, Softmax | Normalize):
            _refuse(network, node)
    for node in every:
        if len(node.shape) != 2:
            raise ArchitectureError(
                f"identity test: {describe(node)} has {len(node.shape)} axes; expected two everywhere"
            )
    names = {d for node in every for d in node.shape if isinstance(d, str)}
    names -= set() if unit.mixes_columns else {the_input(unit.expression).columns}
    missing = sorted(names - sizes.keys()) or [SAMPLES]
    if missing[0] not in sizes:
        raise DataError(f"identity test: no size of {missing[0]}; expected one for every dimension")
    residues = Residues(ops, prime)
    read = program(network.unit, ops, sizes, residues.rational)
    return RandomPoints(network, read, residues, order, points, (seed,), np.random.default_rng(seed))
