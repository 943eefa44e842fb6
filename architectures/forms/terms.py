"""Index terms: what the exact side finds, as plain data that the array side can contract.

A term is a rational x scalar symbols x tensor factors with repeated indices summed. Indices are numbers: negative
ones are free (ROW, COLUMN, SAMPLE and, for derivatives, the slots of a weight), the others are summed over. Nothing
here can name a coordinate, so whatever holds for a sum of terms holds for every width and every number of samples.
An index may occur more than twice: the sample index occurs in every factor that depends on the sample.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import TypeAlias

from resproof.architectures.activations import prime
from resproof.architectures.dimensions import Dimension
from resproof.architectures.forms.hessian_blocks import Block

ROW, COLUMN, SAMPLE = -1, -2, -3


def axis_index(position: int) -> int:
    """The free index of an axis of a value: -1 and -2 for rows and columns, then -6, -7, ..., -10."""
    return (ROW, COLUMN)[position] if position < 2 else -4 - position


def other_index(index: int) -> int:
    """The free index of the same axis of a second value: -4 and -5 for rows and columns, then -21, -22, ..., -25."""
    return index - 3 if index in {ROW, COLUMN} else index - 15


SAMPLES: Dimension = "m"
"""The dimension of the sample index."""

Scalars: TypeAlias = tuple[tuple[str, int], ...]
Factor: TypeAlias = tuple["Tensor", tuple[int, ...]]
"""A tensor and the index in each of its slots."""


@dataclass(frozen=True, slots=True)
class Term:
    """coefficient * prod(symbol^power) * prod(tensor[indices]), summed over the indices that are not free."""

    coefficient: Fraction
    scalars: Scalars
    factors: tuple[Factor, ...]


@dataclass(frozen=True, slots=True)
class IndexSum:
    """A sum of terms in canonical form; `free` lists the free indices with their dimensions."""

    free: tuple[tuple[int, Dimension], ...]
    terms: tuple[Term, ...]

    @property
    def label(self) -> str:
        """One line that two sums share exactly when they are equal."""
        return " + ".join(show_term(term) for term in self.terms) or "0"


OWN_SYMBOLS = frozenset({"X", "Y", "g", "Q", "D", "A", "L", "H", "R", "m", "delta"})
"""What stands for itself in a form; the initial value of a weight that is called so is shown as W_0."""


@dataclass(frozen=True, slots=True, eq=False)
class _Tensor:
    """Equality, order and hash by `key`, which is worked out once: the label, then every field.

    The label alone is for people; tensors of different dimensions may share it.
    """

    label: str = field(init=False, repr=False)
    key: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "label", self._label())
        object.__setattr__(self, "key", f"{self.label} {self!r}")

    def _label(self) -> str:
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Tensor) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


@dataclass(frozen=True, slots=True, eq=False)
class DataTensor(_Tensor):
    """The data X (the network's input) or Y (the targets): slots (row, [column,] sample)."""

    name: str
    dims: tuple[Dimension, ...]

    def _label(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True, eq=False)
class Delta(_Tensor):
    """The identity matrix; it survives only between two free indices."""

    dims: tuple[Dimension, Dimension]

    def _label(self) -> str:
        return "delta"


@dataclass(frozen=True, slots=True, eq=False)
class Perturbation(_Tensor):
    """The change of a weight of the unit numbered `unit` (1 is the earliest) from its initial value."""

    weight: str
    unit: int
    dims: tuple[Dimension, ...]

    def _label(self) -> str:
        return f"d{self.weight}({self.unit})"


@dataclass(frozen=True, slots=True, eq=False)
class InitialWeight(_Tensor):
    """A random initial value; `unit` is None where every unit starts from the same one."""

    weight: str
    unit: int | None
    dims: tuple[Dimension, ...]

    def _label(self) -> str:
        name = f"{self.weight}_0" if self.weight in OWN_SYMBOLS else self.weight
        return name if self.unit is None else f"{name}({self.unit})"


@dataclass(frozen=True, slots=True, eq=False)
class Pattern(_Tensor):
    """A constant given by a pattern ("causal", "shift k", ...); `whole` is its shape where an axis has length 1."""

    pattern: str
    dims: tuple[Dimension, ...]
    whole: tuple[Dimension, ...] = ()

    def _label(self) -> str:
        square = len(self.shape) == 2 and self.shape[0] == self.shape[1]
        shown = ",".join(map(str, self.shape[:1] if square else self.shape))
        return f"{self.pattern.replace(' ', '_')}<{shown}>"

    @property
    def shape(self) -> tuple[Dimension, ...]:
        """All dimensions, those of length 1 too."""
        return self.whole or self.dims

    def place(self, where: tuple[int, ...]) -> tuple[int, ...]:
        """The place of an entry among all axes."""
        given = iter(where)
        return tuple(0 if n == 1 and self.whole else next(given) for n in self.shape)


@dataclass(frozen=True, slots=True, eq=False)
class LossDerivative(_Tensor):
    """The k-th derivative of the per-sample loss at the initial output: slots (row) * k + ([column,] sample).

    Symmetric in its first k slots. k = 1 is the gradient g, k = 2 the Hessian Q. A `scalar` stream, of width 1, has no
    row slots.
    """

    order: int
    dims: tuple[Dimension, ...]
    centred: bool = False
    scalar: bool = False

    def _label(self) -> str:
        return {1: "g", 2: "Q"}.get(self.order, f"L^({self.order})")

    @property
    def row_slots(self) -> int:
        """The number of leading slots that are rows."""
        return 0 if self.scalar else self.order


@dataclass(frozen=True, slots=True, eq=False)
class ActivationValue(_Tensor):
    """The k-th derivative of an activation at a nonzero argument, elementwise: slots as the argument's free indices."""

    activation: str
    order: int
    argument: IndexSum
    dims: tuple[Dimension, ...]

    def _label(self) -> str:
        return f"{self.activation}{prime(self.order)}({_inside(self.argument)})"


@dataclass(frozen=True, slots=True, eq=False)
class Secant(_Tensor):
    """(f(u) - f(0)) / u for an activation with a kink at 0 and a u that vanishes at the initial point: it is bounded.

    `argument` holds the parts of u of degree 1, 2, ...; `shown` is f(u) as the user wrote it. Where one of them occurs
    in a part of degree one or two, the loss has no second-order expansion.
    """

    activation: str
    argument: tuple[IndexSum, ...]
    dims: tuple[Dimension, ...]
    shown: str = field(repr=False)

    def _label(self) -> str:
        first = next(part for part in self.argument if part.terms)
        return f"{self.activation}/({first.label})"


@dataclass(frozen=True, slots=True, eq=False)
class SoftmaxValue(_Tensor):
    """softmax of the argument along one slot, over the entries where `mask` (a pattern's name) is 1.

    `masked` are the two slots of the mask.
    """

    argument: IndexSum
    slot: int
    mask: str | None
    dims: tuple[Dimension, ...]
    masked: tuple[int, ...] = (0, 1)

    def _label(self) -> str:
        mask = "" if self.mask is None else f", {self.mask}"
        return f"softmax_{self.slot}({_inside(self.argument)}{mask})"


@dataclass(frozen=True, slots=True, eq=False)
class Normalised(_Tensor):
    """(u - mean u) / sqrt(var u + epsilon) of the argument along one slot; uncentred without the mean."""

    argument: IndexSum
    slot: int
    centred: bool
    epsilon: Fraction
    dims: tuple[Dimension, ...]

    def _label(self) -> str:
        return _norm_label("LN" if self.centred else "RMS", self.slot, self.epsilon, self.argument)


@dataclass(frozen=True, slots=True, eq=False)
class InverseScale(_Tensor):
    """1 / sqrt(var u + epsilon) of the argument along one slot (mean u^2 where uncentred): the other slots."""

    argument: IndexSum
    slot: int
    centred: bool
    epsilon: Fraction
    dims: tuple[Dimension, ...]

    def _label(self) -> str:
        return _norm_label("1/std" if self.centred else "1/rms", self.slot, self.epsilon, self.argument)


@dataclass(frozen=True, slots=True, eq=False)
class InverseRoot(_Tensor):
    """q^(-1/2) of a number q made of sizes: no slots."""

    argument: IndexSum
    dims: tuple[Dimension, ...] = ()

    def _label(self) -> str:
        return f"({self.argument.label})^(-1/2)"


@dataclass(frozen=True, slots=True, eq=False)
class Opaque(_Tensor):
    """Any tensor of these dimensions, about which nothing is known; `degree` is its order of smallness."""

    name: str
    dims: tuple[Dimension, ...]
    degree: int = 0

    def _label(self) -> str:
        return self.name


Tensor: TypeAlias = (
    DataTensor
    | Delta
    | Perturbation
    | InitialWeight
    | Pattern
    | LossDerivative
    | ActivationValue
    | Secant
    | SoftmaxValue
    | Normalised
    | InverseScale
    | InverseRoot
    | Opaque
)


@dataclass(frozen=True, slots=True)
class HessianTerms:
    """The Hessian at the initial point as a map on perturbations, for every number of units.

    For a perturbation v with one part v_r per unit,

        (H v)_r = D v_r + A sum_{s < r} v_s + A^T sum_{s > r} v_s.

    Each field maps a weight's name to the sum whose free indices are that weight's slots (-1, -2); the perturbation
    it is linear in carries unit number 1. Units' initial weights are the same (GEN-1's hypothesis).
    """

    diagonal: tuple[tuple[str, IndexSum], ...]
    later: tuple[tuple[str, IndexSum], ...]
    earlier: tuple[tuple[str, IndexSum], ...]

    @property
    def blocks(self) -> Mapping[Block, tuple[tuple[str, IndexSum], ...]]:
        """The sums of D, of A, which takes a later unit's rows, and of A^T."""
        return {"D": self.diagonal, "A": self.later, "A^T": self.earlier}


def show_term(term: Term, named: Mapping[Tensor, str] = MappingProxyType({})) -> str:
    """A term as text: 1/2 * c * m^-1 * s^2 * g[i,u] * X[j,u]; some tensors under a name of their own."""
    names = index_names(term)
    numbers = Counter(t.label for t, slots in term.factors if isinstance(t, InitialWeight) and not slots)
    scalars = (*term.scalars, *numbers.items())
    parts = [f"{symbol}" if power == 1 else f"{symbol}^{power}" for symbol, power in scalars]
    tensors = [(t, slots) for t, slots in term.factors if slots or not isinstance(t, InitialWeight)]
    parts += [f"{named.get(t, t.label)}[{','.join(names[i] for i in slots)}]" for t, slots in tensors]
    if term.coefficient != 1 or not parts:
        parts.insert(0, str(term.coefficient))
    return " * ".join(parts)


_FREE_NAMES = {ROW: "i", COLUMN: "j", SAMPLE: "u", -4: "k", -5: "l"}
_SUMMED_NAMES = "abcdefghnopqrsvwxyz"


def index_names(term: Term) -> dict[int, str]:
    """A letter for every index of a term: i, j, u for row, column and sample, a, b, ... for the summed ones."""
    indices = sorted({i for _, slots in term.factors for i in slots})
    return {i: _FREE_NAMES.get(i, f"i{-i}") if i < 0 else _summed_name(i) for i in indices}


def _summed_name(index: int) -> str:
    letter, round_ = _SUMMED_NAMES[index % len(_SUMMED_NAMES)], index // len(_SUMMED_NAMES)
    return letter + (str(round_) if round_ else "")


def _inside(argument: IndexSum) -> str:
    match argument.terms:
        case (
            Term(coefficient=Fraction(numerator=1, denominator=1), scalars=(), factors=((DataTensor(name=name), _),)),
        ):
            return name
        case _:
            return argument.label


def _norm_label(name: str, slot: int, epsilon: Fraction, argument: IndexSum) -> str:
    tail = f"; {epsilon}" if epsilon else ""
    return f"{name}{slot or ''}({_inside(argument)}{tail})"
