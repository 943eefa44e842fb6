"""What every way through a network's units and back offers; which one is taken, `adjoint` computes from the unit."""

from __future__ import annotations

from typing import Protocol

from resproof.numeric.backend import Array
from resproof.numeric.network.program import Program
from resproof.numeric.network.run import Slope, UnitByUnit
from resproof.numeric.network.series import Series


class Engine(Protocol):
    """A network with its weights, as series w + t v of some order."""

    @property
    def program(self) -> Program:
        """The unit as it is read."""
        ...

    @property
    def units(self) -> int:
        """The number R of units."""
        ...

    @property
    def batch(self) -> tuple[int, ...]:
        """The axes in front of a tangent."""
        ...

    @property
    def by_unit(self) -> UnitByUnit:
        """The same network one unit after the other."""
        ...

    def otherwise(self) -> Engine | None:
        """The way to take where this one meets numbers, not the network's own, that are not finite."""
        ...

    def output(self, x: Array) -> Series:
        """The series of f(X)."""
        ...

    def pull(self, x: Array, slope: Slope, coefficient: int, memory: int) -> tuple[dict[str, Array], Array]:
        """One coefficient of the cotangents of the weights, ([k,] R, rows, columns), and of X."""
        ...
