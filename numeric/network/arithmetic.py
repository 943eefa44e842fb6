"""Two number systems on float64 arrays: the floating-point numbers, and the residues modulo a prime.

A residue is kept balanced, |a| <= p/2 + 4. One matrix product of inner length n is exact while n (p/2 + 4)^2 < 2^53,
for every partial sum, in any order and with or without fused multiply-add, is then a whole number below 2^53. With
p < 2^24 this holds for n <= 127; longer products are summed in pieces. A product is reduced by

    a - p rint(a / p),

where the rounded quotient is off by less than |a| / p * 2^-51 + 1/2 <= 2^-21 + 1/2, whence the 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from resproof.numeric.backend import Array, Ops

PRIME = 16777213
"""The largest prime below 2^24."""

_EXACT = 2**53


@dataclass(frozen=True, slots=True)
class Floats:
    """The floating-point numbers."""

    ops: Ops

    def add(self, a: Array, b: Array) -> Array:
        """The sum."""
        return a + b

    def multiply(self, a: Array, b: Array) -> Array:
        """The elementwise product."""
        return a * b

    def matmul(self, a: Array, b: Array) -> Array:
        """The matrix product."""
        return a @ b

    def total(self, a: Array, axis: int) -> Array:
        """The sum along an axis."""
        return self.ops.xp.sum(a, axis=axis)

    def rational(self, value: Fraction | int) -> float:
        """An exact number as an element."""
        return float(value)


@dataclass(frozen=True, slots=True)
class Residues:
    """The integers modulo `prime`, balanced, in float64."""

    ops: Ops
    prime: int = PRIME

    def __post_init__(self) -> None:
        p = self.prime  # a^(p-1) = 1 by Fermat, which few composites meet
        if not (3 <= p < 2**24 and pow(2, p - 1, p) == pow(3, p - 1, p) ** (p > 3) == 1):
            raise ValueError(f"residues: the modulus is {self.prime}; expected a prime from 3 to 2^24")

    @property
    def longest(self) -> int:
        """The longest inner product that is exact without an intermediate reduction."""
        return (_EXACT - 1) // (self.prime // 2 + 4) ** 2

    def reduce(self, a: Array) -> Array:
        """The balanced residue of a whole number below 2^53."""
        if self.ops.xp is np and isinstance(a, np.ndarray):
            quotient = a * (1.0 / self.prime)
            np.rint(quotient, out=quotient)
            quotient *= self.prime
            return np.subtract(a, quotient, out=quotient)
        return a - self.prime * self.ops.xp.round(a * (1.0 / self.prime))

    def add(self, a: Array, b: Array) -> Array:
        """The sum."""
        return self.reduce(a + b)

    def multiply(self, a: Array, b: Array) -> Array:
        """The elementwise product."""
        return self.reduce(a * b)

    def matmul(self, a: Array, b: Array) -> Array:
        """The matrix product, in exact pieces."""
        inner, longest = a.shape[-1], self.longest
        if inner <= longest:
            return self.reduce(a @ b)
        result = self.reduce(a[..., :longest] @ b[..., :longest, :])
        for start in range(longest, inner, longest):
            stop = min(start + longest, inner)
            result = self.add(result, self.reduce(a[..., start:stop] @ b[..., start:stop, :]))
        return result

    def total(self, a: Array, axis: int) -> Array:
        """The sum along an axis."""
        return self.reduce(self.ops.xp.sum(a, axis=axis))

    def rational(self, value: Fraction | int) -> float:
        """numerator / denominator modulo the prime.

        Raises:
            ZeroDivisionError: the prime divides the denominator.
        """
        value = Fraction(value)
        if value.denominator % self.prime == 0:
            raise ZeroDivisionError(f"residues: {value} has no value modulo {self.prime}")
        return self.balance(value.numerator * pow(value.denominator, -1, self.prime))

    def balance(self, value: int) -> float:
        """The balanced residue of an int."""
        half = self.prime // 2
        return float((value + half) % self.prime - half)

    def canonical(self, a: Array) -> np.ndarray:
        """The residues 0..p - 1 as NumPy integers."""
        return np.mod(self.ops.numpy(a).astype(np.int64), self.prime)

    def draw(self, generator: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Independent uniform residues."""
        half = self.prime // 2
        if self.ops.library == "cupy":
            # They are drawn on the host, five times as fast in half of the bits, and become floats on the device.
            drawn = generator.integers(-half, half, size=shape, endpoint=True, dtype=np.int32)
            return self.ops.asarray(self.ops.xp.asarray(drawn))
        return self.ops.asarray(generator.integers(-half, half, size=shape, endpoint=True).astype(np.float64))
