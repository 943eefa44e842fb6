"""Index terms on the floats as given, which are rational numbers: their value modulo a prime.

A float is k 2^e with whole k, e, so a polynomial in the data with rational coefficients has a residue modulo every
odd prime that divides no denominator. A piecewise linear activation with a kink at 0 is exact on a float. Whatever
else (an exponential, a square root, a quotient by data) has no residue: `Irrational`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
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
    Term,
)
from resproof.architectures.values import Values
from resproof.numeric.backend import Array
from resproof.numeric.data import slots
from resproof.numeric.network.arithmetic import Residues
from resproof.numeric.network.parameters import as_matrix
from resproof.numeric.network.program import on_slots
from resproof.numeric.spectra.contract import Environment
from resproof.numeric.spectra.products import KINDS, Labelled, NumberSource, patterns, slot_shape, sum_of_terms


class Irrational(ArithmeticError):
    """An index term is no polynomial of the data with rational coefficients."""


def modular(env: Environment, residues: Residues) -> NumberSource:
    """The data modulo a prime, as a source of numbers for index terms."""
    readers: Mapping[type, Callable[..., Array]] = {
        DataTensor: lambda tensor: slots(residues_of(residues, env.x if tensor.name == "X" else env.y)),
        InitialWeight: lambda tensor: residues_of_values(residues, env.given[tensor.weight]),
        LossDerivative: lambda _: slots(residues.add(residues_of(residues, env.x), -residues_of(residues, env.y))),
        SoftmaxValue: lambda tensor: _uniform(tensor, env.sizes, residues),
        ActivationValue: lambda tensor: slots(residues_of(residues, _exact_value(tensor, env))),
    }

    def of_data(tensor: Tensor) -> Labelled:
        if not _is_rational(tensor, env):
            raise Irrational(tensor.label)
        return Labelled(readers[type(tensor)](tensor), ())

    def symbol(name: str) -> Labelled:
        raise Irrational(name)  # named constants are irrational or unknown

    kinds = dict.fromkeys(KINDS, of_data) | patterns(env.ops, env.sizes)
    return NumberSource(residues, env.sizes, kinds, symbol)


def _exact_value(tensor: ActivationValue, env: Environment) -> Array:
    return env.activations[tensor.activation].derivatives(env.ops, env.x, tensor.order)[tensor.order]


def _uniform(tensor: SoftmaxValue, sizes: Mapping[str, int], residues: Residues) -> Array:
    """softmax of zeros over a mask: 1 / (the number of ones) on the mask."""
    lengths = slot_shape(tensor.dims, sizes)
    assert tensor.mask is not None  # else it is no constant of its own
    ones = on_slots(tensor.mask, lengths, tensor.masked)
    counts = ones.sum(axis=tensor.slot, keepdims=True)
    inverse = np.vectorize(lambda n: residues.rational(Fraction(1, int(n))), otypes=[np.float64])(counts)
    return np.broadcast_to(ones * inverse, lengths)


def residue(terms: IndexSum, env: Environment, residues: Residues) -> np.ndarray:
    """The value of a sum of index terms modulo the prime.

    Raises:
        Irrational: it is no polynomial of the data with rational coefficients.
    """
    return np.asarray(env.ops.numpy(sum_of_terms(modular(env, residues), terms, {})))


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
    degree = max((_degree(term) for term in _terms(core)), default=0)
    return math.lcm(*(_denominator(term, env.sizes) for term in _terms(core))) * _of_data(env) ** degree


def _terms(core: Core) -> Iterator[Term]:
    return (term for block in (*core.diagonal, *core.cross) for term in block.entries.terms)


def _degree(term: Term) -> int:
    return sum(isinstance(t, DataTensor | LossDerivative | ActivationValue | InitialWeight) for t, _ in term.factors)


def _denominator(term: Term, sizes: Mapping[str, int]) -> int:
    """A denominator of what a term has besides the data."""
    value = math.prod((Fraction(sizes[name]) ** power for name, power in term.scalars), start=term.coefficient)
    masked = [slot_shape(t.dims, sizes)[t.slot] for t, _ in term.factors if isinstance(t, SoftmaxValue)]
    return value.denominator * math.prod(math.lcm(*range(1, n + 1)) for n in masked)


def _of_data(env: Environment) -> int:
    """A common denominator of the data and of the initial values that are known exactly."""
    data = (entry for a in (env.x, env.y) for entry in np.unique(env.ops.numpy(a)).tolist())
    given = (entry for values in env.given.values() for entry in values.entries)
    return math.lcm(*(entry.as_integer_ratio()[1] for entry in (*data, *given)))


def has_residues(core: Core, env: Environment) -> bool:
    """Whether the core's entries are polynomials of the data with rational coefficients."""
    return all(
        all(_is_rational(tensor, env) for tensor, _ in term.factors)
        and all(name in env.sizes for name, _ in term.scalars)
        for term in _terms(core)
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

    return all(any(zero(tensor) for tensor, _ in term.factors) for term in _terms(core))


def _is_rational(tensor: Tensor, env: Environment) -> bool:
    match tensor:
        case DataTensor() | Delta() | Pattern():
            return True
        case InitialWeight(weight=name):
            return name in env.given
        case LossDerivative(order=1):
            return env.loss.quadratic
        case SoftmaxValue(argument=IndexSum(terms=()), mask=str()):
            return True
        case _:
            return is_exact(tensor, env)
