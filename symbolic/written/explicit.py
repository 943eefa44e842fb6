"""A small network written out: the exact Taylor series of its loss, entry by entry, at its initial point.

Sizes are given for every dimension name; the entries of each node are then jets in the perturbations of the weights
(`jets`), numbered in the papers' order: lexicographic in (r, l, j, i) for w^{r,l}_{i,j}, each weight column by column.

Symbols: data `x_i_u`, `y_i_u` (row i, sample u; `x_i_t_u` with the token t where columns are tokens) unless rational
data are given; random initial weights `W1_i_j`, the same in every unit; derivatives of activations (`expansions`);
values of softmax and inverse scales of normalisations (`coupled`). Where columns stay apart they are the samples;
otherwise each sample has sizes[...] columns of its own.

The loss is (1/m) sum over samples and columns of l(f, y), expanded in the increment v of the output column f:

    l(f_0 + v) = sum_alpha (D^alpha l / alpha!) v^alpha.

Squared loss: D l = f_0 - y, D^2 l = I, exactly. Any other loss: opaque symbols of the column, `l_u`, `g_i_u`,
`Q_i_j_u` (i <= j) and from the third order on `L^(3)_i_j_k_u`, symmetric in the rows.

Work that is not done: nodes beyond their needed order (`orders`), products of absent parts (`jets`), and copies of
the residual stream (`plans`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain, combinations_with_replacement, product
from math import factorial, prod
from typing import TYPE_CHECKING, Any, TypeVar

from resproof.architectures.errors import ArchitectureError
from resproof.architectures.losses import Loss
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Apply, Input, Weight
from resproof.architectures.properties import the_input
from resproof.architectures.values import Normal, Values
from resproof.symbolic.algebra.rings import (
    Element,
    Plain,
    Ring,
    RingKind,
    as_sympy,
    flint_ring,
    with_numbers,
    with_symbols,
)
from resproof.symbolic.written.activation_series import symbols_at, symbols_at_zero
from resproof.symbolic.written.forward import entry_names, forward
from resproof.symbolic.written.jets import GradedJets, Jet, Jets, Part, SparseJet, SparseJets
from resproof.symbolic.written.kinks import has_kinks, refuse_kinks
from resproof.symbolic.written.names import loss_derivative
from resproof.symbolic.written.plans import Instance, Sizes, UnitPlan, plan, size, weight_offsets

if TYPE_CHECKING:
    import sympy

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class LossSeries:
    """The Taylor series of the loss: parts[k] maps ascending parameter numbers to the coefficient of that monomial."""

    ring: Ring
    parameters: int
    parts: tuple[Part, ...]

    def plain(self, degree: int) -> dict[tuple[int, ...], Plain]:
        """One part with its coefficients in plain form, comparable between rings."""
        return {monomial: self.ring.plain(value) for monomial, value in self.parts[degree].items()}


@dataclass(frozen=True, slots=True)
class Hessian:
    """A sparse symmetric matrix: `upper` holds the nonzero entries (row, col), row <= col, numbered from 0."""

    ring: Ring
    parameters: int
    upper: Mapping[tuple[int, int], Element] = field(repr=False)

    def __getitem__(self, place: tuple[int, int]) -> Element:
        row, col = place
        return self.upper.get((row, col) if row <= col else (col, row), self.ring.zero)

    def entries(self) -> dict[tuple[int, int], Element]:
        """The nonzero entries of both triangles."""
        return {**self.upper, **{(col, row): value for (row, col), value in self.upper.items()}}

    def plain(self) -> dict[tuple[int, int], Plain]:
        """The nonzero entries of the upper triangle in plain form, comparable between rings."""
        return {place: self.ring.plain(value) for place, value in self.upper.items()}

    def matrix(self) -> sympy.Matrix:
        """The dense SymPy matrix, for display."""
        import sympy

        dense = sympy.zeros(self.parameters, self.parameters)
        for (row, col), value in self.upper.items():
            dense[row, col] = dense[col, row] = as_sympy(self.ring.plain(value))
        return dense


@dataclass(frozen=True, slots=True)
class StationaryOrder:
    """The largest k such that derivatives 1..k vanish; where not `exact`, the largest k that was looked at."""

    order: int
    exact: bool

    def __str__(self) -> str:
        return str(self.order) if self.exact else f">={self.order}"


def loss_series(
    network: Network,
    sizes: Sizes,
    *,
    samples: int = 1,
    order: int = 2,
    data: Instance | None = None,
    ring: RingKind = flint_ring,
    graded: bool | None = None,
    variables: Collection[int] | None = None,
) -> LossSeries:
    """The Taylor series of the loss at the initial point up to degree `order`.

    Symbolic data unless `data` are given, which then decide the number of samples. `variables` keeps all other
    parameters at their initial values. `graded` chooses the representation of the jets; sparse up to order two.

    Raises:
        ArchitectureError: a size that is missing or no positive int, data of another shape, a mask without an entry.
        NotDifferentiableError: an activation has a kink where a derivative is needed, or a normalisation has zero
            scale; the message names the node.
    """

    def read_off(jets: Jets, total: Jet, parameters: int) -> LossSeries:
        return LossSeries(jets.ring, parameters, tuple(jets.part(total, degree) for degree in range(order + 1)))

    sparse = order <= 2 if graded is None else not graded
    return _loss_jet(network, sizes, samples, order, data, ring, variables, read_off, sparse=sparse)


def _loss_jet(
    network: Network,
    sizes: Sizes,
    samples: int,
    order: int,
    data: Instance | None,
    ring: RingKind,
    variables: Collection[int] | None,
    read_off: Callable[[Jets, Jet, int], Found],
    *,
    sparse: bool,
    least: int = 0,
) -> Found:
    """read_off(jets, the loss's jet, number of parameters); parts of degree below `least` matter only at kinks."""
    made = plan(network.unit, sizes, order, samples if data is None else _count(network, data))
    parameters = network.units * made.parameters
    varied = range(parameters) if variables is None else sorted(set(variables))
    labels = {} if sparse else _labels(network, sizes, varied)

    def run(found: Ring) -> Found:
        jets = SparseJets(found, order) if sparse else GradedJets(found, order, labels)
        total = jets.number(found.zero)
        for tags, x, y in _batches(made, found, data):
            h = [jets.number(value) for row in x for value in row]
            output = _rows(made, forward(made, network.units, jets, h, variables))
            needed = 0 if has_kinks(found.names) else least
            _add_loss(jets, total, network.loss, output, y, tags, made.samples, needed)
        return read_off(jets, total, parameters)

    kind = ring if data is None else with_numbers(ring, data.initial)
    return with_symbols(kind, [*_symbols(made, network, order, symbolic=data is None), *labels.values()], run)


def _rows(made: UnitPlan, entries: Sequence[Jet]) -> list[Sequence[Jet]]:
    """A stream's entries row by row."""
    columns = prod(made.shape[1:])
    return [entries[first : first + columns] for first in range(0, len(entries), columns)]


def hessian_at_initial_point(
    network: Network,
    sizes: Sizes,
    *,
    samples: int = 1,
    data: Instance | None = None,
    ring: RingKind = flint_ring,
    variables: Collection[int] | None = None,
) -> Hessian:
    """The matrix of second derivatives of the loss at the initial point, in the papers' parameter order.

    Raises:
        ArchitectureError: as `loss_series`.
        NotDifferentiableError: as `loss_series`.
    """

    def read_off(jets: Jets, total: SparseJet, parameters: int) -> Hessian:
        upper = {place: value for place, value in total.hessian.items() if value}
        if has_kinks(jets.ring.names):
            refuse_kinks(_names_in(jets.ring, (*total.linear.values(), *upper.values())))
        return Hessian(jets.ring, parameters, upper)

    return _loss_jet(network, sizes, samples, 2, data, ring, variables, read_off, sparse=True, least=2)


def stationary_order(
    network: Network,
    sizes: Sizes,
    *,
    up_to: int,
    samples: int = 1,
    data: Instance | None = None,
    ring: RingKind = flint_ring,
) -> StationaryOrder:
    """The largest k <= `up_to` such that the derivatives 1..k of the loss vanish at the initial point.

    Raises:
        ArchitectureError: as `loss_series`.
        NotDifferentiableError: as `loss_series`.
        ValueError: `up_to` is less than 1.
    """
    if up_to < 1:
        raise ValueError(f"stationary_order: up_to is {up_to}; expected at least 1")
    for degree in range(1, up_to + 1):

        def vanishes(jets: Jets, total: Jet, _: int, degree: int = degree) -> bool:
            return jets.vanishes(total, degree)

        if not _loss_jet(network, sizes, samples, degree, data, ring, None, vanishes, sparse=degree <= 2):
            return StationaryOrder(degree - 1, exact=True)
    return StationaryOrder(up_to, exact=False)


def output_at_initial_point(
    network: Network, sizes: Sizes, *, samples: int = 1, data: Instance | None = None, ring: RingKind = flint_ring
) -> list[list[Plain]]:
    """The network's output at the initial weights, in plain form: d x m, or all samples' columns side by side.

    Raises:
        ArchitectureError: as `loss_series`.
    """
    made = plan(network.unit, sizes, 0, samples if data is None else _count(network, data))

    def run(found: Ring) -> list[list[Plain]]:
        jets = SparseJets(found, 0)
        rows: list[list[Plain]] = [[] for _ in range(made.shape[0])]
        for _, x, _ in _batches(made, found, data):
            h = [jets.number(value) for row in x for value in row]
            for row, jets_of_row in zip(rows, _rows(made, forward(made, network.units, jets, h, None)), strict=True):
                row += (found.plain(jets.value(jet)) for jet in jets_of_row)
        return rows

    return with_symbols(ring, _symbols(made, network, 0, symbolic=data is None), run)


def parameter_labels(network: Network, sizes: Sizes) -> list[str]:
    """A name for every parameter in order: `W1(2)_3_4` is the entry (3, 4) of W1 in the second unit.

    Raises:
        ArchitectureError: a size is missing.
    """
    _, parameters = weight_offsets(network.unit, sizes)
    return list(_labels(network, sizes, range(network.units * parameters)).values())


def _labels(network: Network, sizes: Sizes, numbers: Sequence[int]) -> dict[int, str]:
    entries = [
        (network.unit.names[weight], (*place[-1:], *place[:-1]))
        for weight in network.unit.weights
        for place in product(*(range(1, size(n, sizes) + 1) for n in (*weight.shape[1:], *weight.shape[:1])))
    ]
    found: dict[int, str] = {}
    for number in numbers:
        unit, place = divmod(number, len(entries))
        name, indices = entries[place]
        found[number] = f"{name}({unit + 1})_{'_'.join(map(str, indices))}"
    return found


def _symbols(made: UnitPlan, network: Network, order: int, *, symbolic: bool) -> list[str]:
    """The symbols that can be foreseen: data, loss derivatives, random weights, activations at zero and at the data."""
    rows, loss, found = made.shape[0], network.loss, list[str]()
    tags = [tag for several in _column_tags(made) for tag in several]
    inputs = [f"x_{i}_{tag}" for i in range(1, rows + 1) for tag in tags] if symbolic else []
    found += (name for x in inputs for name in (x, f"y{x[1:]}"))
    if not loss.quadratic:
        derivatives = [a for k in range(order + 1) for a in combinations_with_replacement(range(rows), k)]
        plains = (_loss_derivative(a, tag, rows, loss) for tag in tags for a in derivatives)
        found += (name for plain in plains for name in _symbols_of(plain))
    for step in made.steps:
        match step.node:
            case Weight(initial=Normal() | Values()):
                found += entry_names(made.unit.every_name[step.node], step.shape)
            case Apply():
                if not (symbolic and isinstance(step.node.operand, Input)):
                    found += symbols_at_zero(step.node.activation, step.order)
                else:  # the stream moves with the weights of the units before
                    moved = step.order if network.units > 1 else 0
                    found += (name for x in inputs for name in symbols_at(step.node.activation, x, moved))
            case _:
                pass
    return found


def _column_tags(made: UnitPlan) -> list[list[str]]:
    """How each column is named, for every batch: one batch of all samples, or each sample's own columns."""
    samples, columns = range(1, made.samples + 1), made.shape[1:]
    if not made.by_sample:
        return [[str(u) for u in samples]]
    if columns == (1,) and not made.unit.mixes_columns:
        return [[str(u)] for u in samples]
    places = list(product(*(range(1, n + 1) for n in columns)))
    return [[f"{'_'.join(map(str, place))}_{u}" for place in places] for u in samples]


def _batches(
    made: UnitPlan, ring: Ring, data: Instance | None
) -> Iterator[tuple[list[str], list[list[Element]], list[list[Element]]]]:
    """The names of the columns, their inputs and targets; see `_column_tags`."""
    rows = range(1, made.shape[0] + 1)
    for number, tags in enumerate(_column_tags(made)):
        if data is None:
            x, y = ([ring.symbols([f"{side}_{i}_{tag}" for tag in tags]) for i in rows] for side in "xy")
        else:
            x, y = (_numbers(name, side, made, number, ring) for name, side in (("x", data.x), ("y", data.y)))
        yield tags, x, y


def _numbers(name: str, side: Sequence[Any], made: UnitPlan, number: int, ring: Ring) -> list[list[Element]]:
    matrix = side[number] if made.by_sample else side
    rows, cols = made.shape[0], prod(made.shape[1:])
    if len(matrix) != rows or any(len(row) != cols for row in matrix):
        given = f"{len(matrix)} rows of lengths {sorted({len(row) for row in matrix})}"
        raise ArchitectureError(f"data: {name} has {given}; expected {rows} rows of {cols} entries")
    return [[ring.number(value) for value in row] for row in matrix]


def _count(network: Network, data: Instance) -> int:
    """The number of samples in the data.

    Raises:
        ArchitectureError: none, or inputs and targets of different lengths.
    """
    by_sample = network.unit.mixes_columns or isinstance(the_input(network.unit.expression).columns, int)
    if len(data.x) != len(data.y):
        raise ArchitectureError(f"data: x has length {len(data.x)}, y has {len(data.y)}; expected equal lengths")
    count = len(data.x) if by_sample else len(data.x[0]) if data.x else 0
    if not count:
        raise ArchitectureError("data: no samples; expected at least one")
    return count


def _loss_derivative(rows: tuple[int, ...], tag: str, width: int, loss: Loss) -> Plain:
    return loss_derivative(rows, tag, width=width, centred=loss.centred)


def _names_in(ring: Ring, values: Iterable[Element]) -> Iterator[str]:
    return (name for value in values for name in _symbols_of(ring.plain(value)))


def _symbols_of(plain: Plain) -> Iterator[str]:
    return (name for monomial in plain for name, _ in monomial)


def _add_loss(
    jets: Jets,
    total: Jet,
    loss: Loss,
    output: Sequence[Sequence[Jet]],
    targets: list[list[Element]],
    tags: list[str],
    samples: int,
    least: int,
) -> None:
    """total += 1/samples * sum over the columns of l(f, y)."""
    if loss.quadratic:
        half = jets.ring.number(Fraction(1, 2 * samples))
        for jet, y in zip(chain.from_iterable(output), chain.from_iterable(targets), strict=True):
            jets.add_square(total, half, jets.with_value(jet, jets.value(jet) - y), jets.order, least)
        return
    for place, tag in enumerate(tags):
        column = [row[place] for row in output]
        increments = [jets.increment(jet) for jet in column]
        for rows in _loss_monomials([jets.least_degree(jet) for jet in column], jets.order):
            derivative = jets.ring.element(_loss_derivative(rows, tag, len(output), loss))
            scale = Fraction(1, samples * prod(factorial(count) for count in Counter(rows).values()))
            coefficient = derivative if scale == 1 else derivative * jets.ring.number(scale)
            _add_monomial(jets, total, coefficient, [increments[i] for i in rows])


def _loss_monomials(least: list[int], order: int) -> Iterator[tuple[int, ...]]:
    """The monomials v^alpha that reach degree `order`, as ascending rows."""
    alive = [i for i, degree in enumerate(least) if degree <= order]
    yield ()
    for k in range(1, order + 1):
        if not alive or k * min(least[i] for i in alive) > order:
            return
        for rows in combinations_with_replacement(alive, k):
            if sum(least[i] for i in rows) <= order:
                yield rows


def _add_monomial(jets: Jets, total: Jet, coefficient: Element, factors: Sequence[Jet]) -> None:
    """total += coefficient * product of the factors."""
    whole = jets.number(coefficient)
    for factor in factors[:-1]:
        following = jets.number(jets.ring.zero)
        jets.add_product(following, whole, factor, jets.order)
        whole = following
    if factors:
        jets.add_product(total, whole, factors[-1], jets.order)
    else:
        jets.add(total, whole)
