"""What an exact Hessian cannot do without: its own sums and products at FLINT's speed, and storing its entries."""

from __future__ import annotations

import timeit
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from resproof.symbolic.algebra.rings import Ring, flint_ring
from resproof.symbolic.written.explicit import Hessian

REPEATS = 2000


@dataclass(frozen=True, slots=True, eq=False)
class CountedElement:
    """An element of a ring that counts what is done with it."""

    inner: Any
    counts: Counter[str]

    def _made(self, name: str, inner: Any) -> CountedElement:
        self.counts[name] += 1
        return CountedElement(inner, self.counts)

    def __add__(self, other: CountedElement) -> CountedElement:
        return self._made("sums", self.inner + other.inner)

    def __sub__(self, other: CountedElement) -> CountedElement:
        return self._made("sums", self.inner - other.inner)

    def __mul__(self, other: CountedElement) -> CountedElement:
        return self._made("products", self.inner * other.inner)

    def __neg__(self) -> CountedElement:
        return self._made("sums", -self.inner)

    def __bool__(self) -> bool:
        return bool(self.inner)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CountedElement) and bool(self.inner == other.inner)


def counting(counts: Counter[str]) -> Callable[[Sequence[str]], Ring]:
    """Rings over FLINT whose elements count."""

    def made(names: Sequence[str]) -> Ring:
        ring = flint_ring(names)

        def counted(inner: Any) -> CountedElement:
            return CountedElement(inner, counts)

        return Ring(
            ring.names,
            counted(ring.zero),
            counted(ring.one),
            {name: counted(one) for name, one in ring.generators.items()},
            lambda value: counted(ring.from_fraction(value)),
            lambda element: ring.monomials(element.inner),
        )

    return made


def limits(run: Callable[[Callable[[Sequence[str]], Ring]], Hessian]) -> dict[str, float]:
    """Milliseconds of the ring operations that `run(kind of ring)` performs, and of storing its entries."""
    counts = Counter[str]()
    found = run(counting(counts))
    entries = len(found.upper)
    pairs = [(a, a) for a in range(entries)]
    x, y = (flint_ring(["x", "y"]).symbol(name) for name in "xy")
    a, b = x - y, x * y
    each = {"sums": min(_milliseconds(lambda: a + b)), "products": min(_milliseconds(lambda: a * x))}
    stored = timeit.repeat(lambda: dict.fromkeys(pairs, x), number=1, repeat=5)
    return {"FLINT's sums and products": sum(counts[k] * each[k] for k in each), "entries": 1e3 * min(stored)}


def _milliseconds(work: Callable[[], object]) -> list[float]:
    return [1e3 * seconds / REPEATS for seconds in timeit.repeat(work, number=REPEATS, repeat=5)]
