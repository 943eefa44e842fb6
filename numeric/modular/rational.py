"""Index terms on the floats as given, which are rational numbers: their value modulo a prime.

A float is k 2^e with whole k, e, so a polynomial in the data with rational coefficients has a residue modulo every
odd prime that divides no denominator. A piecewise linear activation with a kink at 0 is exact on a float. Whatever
else (an exponential, a square root, a quotient by data) has no residue: `Irrational`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from resproof.architectures.forms.cores import Core
from resproof.architectures.forms.terms import (
    ActivationValue,
    DataTensor,
    Delta,
    IndexSum,
    InitialWeight,
    LossDerivative,
    Pattern,
    SoftmaxValue,
    Tensor,
)
from resproof.architectures.losses import Loss
from resproof.architectures.values import Values
from resproof.numeric.backend import Array, Ops
from resproof.numeric.data import slots
from resproof.numeric.network.arithmetic import Residues
from resproof.numeric.network.parameters import as_matrix
from resproof.numeric.network.program import on_slots, pattern
from resproof.numeric.spectra.contract import Environment
from resproof.numeric.spectra.products import Labelled, slot_shape, sum_of_terms


class Irrational(ArithmeticError):
    """An index term is no polynomial of the data with rational coefficients."""


@dataclass(frozen=True, slots=True)
class Modular:
    """The data modulo a prime, as a source of numbers for index terms."""

    env: Environment
    arithmetic: Residues
    known: dict[str, Array] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def sizes(self) -> Mapping[str, int]:
        """The size of every dimension name."""
        return self.env.sizes

    @property
    def ops(self) -> Ops:
        """The array library."""
        return self.env.ops

    def tensor(self, tensor: Tensor) -> tuple[Array, tuple[int, ...]]:
        """The residues of a tensor.

        Raises:
            Irrational: it has none.
        """
        key = f"{type(tensor).__name__} {tensor.label}"
        if key not in self.known:
            self.known[key] = self.ops.xp.reshape(self._tensor(tensor), slot_shape(tensor.dims, self.sizes))
        return self.known[key], ()

    def symbol(self, name: str) -> Labelled:
        """Refused: named constants are irrational or unknown.

        Raises:
            Irrational: always.
        """
        raise Irrational(name)

    def _tensor(self, tensor: Tensor) -> Array:
        residues, x, y = self.arithmetic, self.env.x, self.env.y
        match tensor:
            case DataTensor(name=name):
                return slots(residues_of(residues, x if name == "X" else y))
            case Delta():
                return pattern("identity", slot_shape(tensor.dims, self.sizes))
            case Pattern(pattern=name):
                return pattern(name, slot_shape(tensor.shape, self.sizes))
            case InitialWeight(weight=name) if name in self.env.given:
                return residues_of_values(residues, self.env.given[name])
            case LossDerivative(order=1) if self.env.loss.quadratic:
                return slots(residues.add(residues_of(residues, x), -residues_of(residues, y)))
            case SoftmaxValue(argument=IndexSum(terms=()), mask=str() as mask):
                return self._uniform(tensor, mask)
            case ActivationValue(activation=name, order=order) if is_exact(tensor, self.env):
                return slots(residues_of(residues, self.env.activations[name].derivatives(self.ops, x, order)[order]))
            case _:
                raise Irrational(tensor.label)

    def _uniform(self, tensor: SoftmaxValue, mask: str) -> Array:
        """softmax of zeros over a mask: 1 / (the number of ones) on the mask."""
        lengths = slot_shape(tensor.dims, self.sizes)
        ones = on_slots(mask, lengths, tensor.masked)
        counts = ones.sum(axis=tensor.slot, keepdims=True)
        inverse = np.vectorize(lambda n: self.arithmetic.rational(Fraction(1, int(n))), otypes=[np.float64])(counts)
        return np.broadcast_to(ones * inverse, lengths)


def residue(terms: IndexSum, env: Environment, residues: Residues) -> np.ndarray:
    """The value of a sum of index terms modulo the prime.

    Raises:
        Irrational: it is no polynomial of the data with rational coefficients.
    """
    source = Modular(env, residues)
    return np.asarray(env.ops.numpy(sum_of_terms(source, terms, {})))


def residues_of(residues: Residues, a: Array) -> Array:
    """Finite floats modulo the prime: (k mod p) (2^e mod p) mod p, balanced."""
    p = residues.prime
    mantissas, exponents = np.frexp(residues.ops.numpy(a))
    powers = {e: pow(2, e - 53, p) for e in np.unique(exponents).tolist()}
    scale = np.vectorize(powers.__getitem__, otypes=[np.int64])(exponents) if exponents.size else exponents
    whole = np.ldexp(mantissas, 53).astype(np.int64) % p
    return residues.reduce(residues.ops.asarray((whole * scale).astype(np.float64)))


def residues_of_values(residues: Residues, values: Values) -> Array:
    """Given numbers modulo a prime that divides no denominator, fractions among them as they are."""
    if values.is_float:
        return residues_of(residues, residues.ops.asarray(np.asarray(values.floats).reshape(as_matrix(values.shape))))
    p = residues.prime
    pairs = [entry.as_integer_ratio() for entry in values.entries]
    found = np.asarray([float(above * pow(below, -1, p) % p) for above, below in pairs])
    return residues.reduce(residues.ops.asarray(found.reshape(as_matrix(values.shape))))


def is_exact(tensor: Tensor, env: Environment) -> bool:
    """Whether the activation's value at the data is a rational function of the floats as given: linear up to a kink."""
    if not isinstance(tensor, ActivationValue) or env.activations[tensor.activation].kinks != (Fraction(0),):
        return False
    terms = tensor.argument.terms
    if len(terms) != 1 or terms[0].coefficient != 1 or terms[0].scalars or len(terms[0].factors) != 1:
        return False
    inner, indices = terms[0].factors[0]
    return isinstance(inner, DataTensor) and inner.name == "X" and indices == tuple(i for i, _ in tensor.argument.free)


def common_scale(core: Core, env: Environment) -> int:
    """A whole number s for which s times every entry of the core's matrices is whole."""
    sums = [block.entries for block in (*core.diagonal, *core.cross)]
    degree = max((_degree(terms) for terms in _factors(sums)), default=0)
    fractions = [denominator for terms in sums for denominator in _denominators(terms, env.sizes)]
    return math.lcm(*fractions) * _denominator(env) ** degree


def _factors(sums: Iterable[IndexSum]) -> Iterator[tuple[Tensor, ...]]:
    for terms in sums:
        for term in terms.terms:
            yield tuple(tensor for tensor, _ in term.factors)


def _degree(tensors: tuple[Tensor, ...]) -> int:
    return sum(isinstance(t, DataTensor | LossDerivative | ActivationValue | InitialWeight) for t in tensors)


def _denominators(terms: IndexSum, sizes: Mapping[str, int]) -> Iterator[int]:
    for term in terms.terms:
        value = term.coefficient
        for name, power in term.scalars:
            value *= Fraction(sizes[name]) ** power
        masked = [slot_shape(t.dims, sizes)[t.slot] for t, _ in term.factors if isinstance(t, SoftmaxValue)]
        yield value.denominator * math.prod(math.lcm(*range(1, n + 1)) for n in masked)


def _denominator(env: Environment) -> int:
    """A common denominator of the data and of the initial values that are known exactly."""
    data = (entry for a in (env.x, env.y) for entry in np.unique(env.ops.numpy(a)).tolist())
    given = (entry for values in env.given.values() for entry in values.entries)
    return math.lcm(*(entry.as_integer_ratio()[1] for entry in (*data, *given)))


def primes_for(env: Environment) -> Iterator[int]:
    """The primes below 2^24 that divide no denominator of the data and of what is given, the largest first."""
    denominator = _denominator(env)
    return (p for p in largest_primes() if denominator % p)


def largest_primes() -> Iterator[int]:
    """The primes below 2^24, the largest first."""
    for n in range(2**24 - 1, 3, -2):
        if all(n % k for k in range(3, math.isqrt(n) + 1, 2)):
            yield n


def has_residues(core: Core, env: Environment) -> bool:
    """Whether the core's entries are polynomials of the data with rational coefficients."""
    return all(
        _is_rational(tensor, env.loss, env)
        for tensors in _factors(block.entries for block in (*core.diagonal, *core.cross))
        for tensor in tensors
    ) and all(
        name in env.sizes
        for block in (*core.diagonal, *core.cross)
        for term in block.entries.terms
        for name, _ in term.scalars
    )


def vanishes(core: Core, env: Environment) -> bool:
    """Whether every term has a factor that is exactly zero: X, Y, or X - Y for the squared loss."""

    def zero(tensor: Tensor) -> bool:
        match tensor:
            case DataTensor(name=name):
                return not np.any(env.ops.numpy(env.x if name == "X" else env.y))
            case LossDerivative(order=1):
                return env.loss.quadratic and bool(np.array_equal(env.ops.numpy(env.x), env.ops.numpy(env.y)))
            case _:
                return False

    return all(any(map(zero, tensors)) for tensors in _factors(b.entries for b in (*core.diagonal, *core.cross)))


def _is_rational(tensor: Tensor, loss: Loss, env: Environment) -> bool:
    match tensor:
        case DataTensor() | Delta() | Pattern():
            return True
        case InitialWeight(weight=name):
            return name in env.given
        case LossDerivative(order=1):
            return loss.quadratic
        case SoftmaxValue(argument=IndexSum(terms=()), mask=str()):
            return True
        case _:
            return is_exact(tensor, env)
