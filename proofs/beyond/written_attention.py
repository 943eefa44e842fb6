"""A tiny attention block written out in full: exact power series in the weights, softmax included.

Every weight is t times a symbol, and a quantity is the list of its coefficients of t^0, ..., t^K, polynomials over the
rationals in the weights and the data (SymPy's rings). At zero weights all scores vanish, so the softmax expands around
rational values,

    e^u = sum_k u^k / k!,        1 / (n + e) = sum_k (-e)^k / n^(k+1),        n the number of tokens that are seen.

Nothing here reads an expression: loops over heads, tokens and entries, as one would write them on paper.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import factorial
from typing import TypeAlias

from resproof.symbolic.algebra.rings import Element, Plain, Ring, sympy_ring

Entry: TypeAlias = tuple[Element, ...]
"""The coefficients of t^0, ..., t^K."""
Rows: TypeAlias = list[list[Entry]]
Numbers: TypeAlias = list[list[Element]]


@dataclass(frozen=True)
class Written:
    """Units of attention, causal or not, and with `mlp` an MLP W2 mid(W1 pre(u)) behind it; squared loss.

    pre(s) = s^pre; mid(s) = 3 s + s^2. Data are symbols. The series go up to degree `order` in the weights.
    """

    units: int
    d: int
    k: int
    tokens: int
    samples: int = 1
    heads: int = 1
    causal: bool = False
    mlp: bool = False
    pre: int = 1
    order: int = 2

    def __str__(self) -> str:
        kind = ("causal " if self.causal else "") + ("transformer block" if self.mlp else "attention")
        sizes = f"R={self.units}, d={self.d}, k={self.k}, t={self.tokens}, m={self.samples}"
        return f"{kind}, heads={self.heads}, {sizes}"

    def sides(self) -> dict[str, tuple[int, int]]:
        """The shapes of one unit's weights."""
        found: dict[str, tuple[int, int]] = {}
        for i in range(1, self.heads + 1):
            found.update({f"{letter}{i}": (self.k, self.d) for letter in "QKV"})
            found[f"O{i}"] = (self.d, self.k)
        if self.mlp:
            found.update({"W1": (self.k, self.d), "W2": (self.d, self.k)})
        return found

    @cached_property
    def ring(self) -> Ring:
        """Polynomials in all weights and all data."""
        weights = [
            self.name(w, r, i, j) for r in self.numbers for w, (n, c) in self.sides().items() for i, j in pairs(n, c)
        ]
        data = [f"{x}_{i}_{s}_{u}" for x in "xy" for u in range(self.samples) for i, s in pairs(self.d, self.tokens)]
        return sympy_ring([*weights, *data])

    @property
    def numbers(self) -> range:
        """The units, from 1."""
        return range(1, self.units + 1)

    def name(self, weight: str, unit: int, i: int, j: int) -> str:
        """The symbol of an entry of a weight."""
        return f"{weight}_{unit}_{i}_{j}"

    def weight(self, weight: str, unit: int) -> Numbers:
        """The symbols of a weight."""
        rows, cols = self.sides()[weight]
        return [[self.ring.symbol(self.name(weight, unit, i, j)) for j in range(cols)] for i in range(rows)]

    def data(self, name: str, sample: int) -> Numbers:
        """The symbols of one sample of X or Y."""
        return [[self.ring.symbol(f"{name}_{i}_{s}_{sample}") for s in range(self.tokens)] for i in range(self.d)]

    def sees(self, s: int, r: int) -> bool:
        """Whether token r attends to token s."""
        return s <= r or not self.causal


def pairs(rows: int, cols: int) -> Iterator[tuple[int, int]]:
    """The places of a matrix, row by row."""
    return ((i, j) for i in range(rows) for j in range(cols))


def loss_parts(one: Written) -> list[Element]:
    """The parts of degree 0, ..., K of (1/2m) sum |f - y|^2."""
    total = _constant(one, one.ring.zero)
    for sample in range(one.samples):
        h = [[_constant(one, value) for value in row] for row in one.data("x", sample)]
        for unit in one.numbers:
            h = _unit(one, h, unit)
        for i, s in pairs(one.d, one.tokens):
            apart = _plus(h[i][s], _constant(one, -one.data("y", sample)[i][s]))
            total = _plus(total, _times(one, apart, apart))
    share = one.ring.number(Fraction(1, 2 * one.samples))
    return [share * part for part in total]


def _unit(one: Written, h: Rows, unit: int) -> Rows:
    n = _power(one, h, one.pre)
    branch = [[_constant(one, one.ring.zero) for _ in row] for row in h]
    for i in range(1, one.heads + 1):
        q, k, v, o = (_moving(one, f"{letter}{i}", unit) for letter in "QKVO")
        scores = _product(one, _transposed(_product(one, k, n)), _product(one, q, n))
        head = _product(one, _product(one, o, _product(one, v, n)), _softmax(one, scores))
        branch = [[_plus(a, b) for a, b in zip(r, s, strict=True)] for r, s in zip(branch, head, strict=True)]
    u = [[_plus(a, b) for a, b in zip(r, s, strict=True)] for r, s in zip(h, branch, strict=True)]
    if not one.mlp:
        return u
    w1, w2 = (_moving(one, name, unit) for name in ("W1", "W2"))
    inner = [[_mid(one, a) for a in row] for row in _product(one, w1, _power(one, u, one.pre))]
    return [[_plus(a, b) for a, b in zip(r, s, strict=True)] for r, s in zip(u, _product(one, w2, inner), strict=True)]


def _softmax(one: Written, scores: Rows) -> Rows:
    """Down each column over the tokens that are seen."""
    found = [[_constant(one, one.ring.zero) for _ in range(one.tokens)] for _ in range(one.tokens)]
    for r in range(one.tokens):
        seen = [s for s in range(one.tokens) if one.sees(s, r)]
        powers = {s: _exponential(one, scores[s][r]) for s in seen}
        total = _constant(one, one.ring.zero)
        for s in seen:
            total = _plus(total, powers[s])
        inverse = _inverse(one, total, len(seen))
        for s in seen:
            found[s][r] = _times(one, powers[s], inverse)
    return found


def _exponential(one: Written, u: Entry) -> Entry:
    """e^u for a u without constant part.

    Raises:
        ValueError: it has one.
    """
    if u[0]:
        raise ValueError("a score at zero weights is not zero")
    return _series(one, u, [Fraction(1, factorial(k)) for k in range(one.order + 1)])


def _inverse(one: Written, total: Entry, count: int) -> Entry:
    """1 / (n + e).

    Raises:
        ValueError: the constant part is not n.
    """
    if total[0] != one.ring.number(Fraction(count)):
        raise ValueError("the softmax at zero scores does not count the tokens")
    rest = (one.ring.zero, *total[1:])
    return _series(one, rest, [Fraction((-1) ** k, count ** (k + 1)) for k in range(one.order + 1)])


def _series(one: Written, u: Entry, coefficients: Sequence[Fraction]) -> Entry:
    total, power = _constant(one, one.ring.number(coefficients[0])), _constant(one, one.ring.one)
    for coefficient in coefficients[1:]:
        power = _times(one, power, u)
        total = _plus(total, tuple(one.ring.number(coefficient) * part for part in power))
    return total


def _mid(one: Written, u: Entry) -> Entry:
    """3 u + u^2."""
    return _plus(tuple(one.ring.number(Fraction(3)) * part for part in u), _times(one, u, u))


def _power(one: Written, a: Rows, exponent: int) -> Rows:
    found = a
    for _ in range(exponent - 1):
        found = [[_times(one, x, y) for x, y in zip(r, s, strict=True)] for r, s in zip(found, a, strict=True)]
    return found


def _moving(one: Written, weight: str, unit: int) -> Rows:
    zero = one.ring.zero
    return [[(zero, value, *[zero] * (one.order - 1)) for value in row] for row in one.weight(weight, unit)]


def _constant(one: Written, value: Element) -> Entry:
    return (value, *[one.ring.zero] * one.order)


def _plus(a: Entry, b: Entry) -> Entry:
    return tuple(x + y for x, y in zip(a, b, strict=True))


def _times(one: Written, a: Entry, b: Entry) -> Entry:
    found = [one.ring.zero] * (one.order + 1)
    for i, x in enumerate(a):
        if x:
            for j in range(one.order + 1 - i):
                found[i + j] += x * b[j]
    return tuple(found)


def _product(one: Written, a: Rows, b: Rows) -> Rows:
    found = [[_constant(one, one.ring.zero) for _ in b[0]] for _ in a]
    for i, j in pairs(len(a), len(b[0])):
        for k in range(len(b)):
            found[i][j] = _plus(found[i][j], _times(one, a[i][k], b[k][j]))
    return found


def _transposed(a: Rows) -> Rows:
    return [list(row) for row in zip(*a, strict=True)]


# What is read off.


def least_degree_with(one: Written, letters: str) -> int | None:
    """The least degree in the weights of a term of the loss that has a weight with one of these letters."""
    weights = {one.name(w, r, i, j) for r in one.numbers for w, (n, c) in one.sides().items() for i, j in pairs(n, c)}
    wanted = {name for name in weights if name[0] in letters}
    for degree, part in enumerate(loss_parts(one)):
        plain: Plain = one.ring.plain(part)
        if any(name in wanted for monomial in plain for name, _ in monomial):
            return degree
    return None


def bilinear(one: Written, inner: str, outer: str, matrix: Numbers, units: Sequence[tuple[int, int]]) -> Element:
    """sum over (r, s) of sum_ia,j outer^r_ia inner^s_aj M_ij."""
    total = one.ring.zero
    for r, s in units:
        o, v = one.weight(outer, r), one.weight(inner, s)
        for i, j in pairs(one.d, one.d):
            for a in range(one.k):
                total += o[i][a] * v[a][j] * matrix[i][j]
    return total


Share: TypeAlias = Callable[["Written", int, int], Fraction]
"""How much token r takes from token s."""


def core(one: Written, share: Share) -> Numbers:
    """(1/m) sum over samples and tokens r, s of share(s, r) g_r pre(h_s)^T, g = x - y."""
    found = [[one.ring.zero for _ in range(one.d)] for _ in range(one.d)]
    for sample in range(one.samples):
        x, y = one.data("x", sample), one.data("y", sample)
        for i, j in pairs(one.d, one.d):
            for s, r in pairs(one.tokens, one.tokens):
                weight = one.ring.number(share(one, s, r) / one.samples)
                found[i][j] += weight * (x[i][r] - y[i][r]) * x[j][s] ** one.pre
    return found
