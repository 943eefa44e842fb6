"""The exact Hessian of a small network at zero weights beside symengine and SymPy, results proved equal.

The peers do what their user would do: write the loss as an expression in all weights, with the activations' Taylor
polynomials to second order in symbolic coefficients (exact for a second derivative), differentiate twice and set the
weights to zero; symengine also pair by pair, the other weights set to zero first. The faster of its two ways counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from benchmarks.alone import Row, alone, in_turn, rows, timed
from resproof.architectures.activations import derivative_symbol, generic, prime
from resproof.architectures.catalogue import n_shortcut
from resproof.architectures.networks import Network
from resproof.architectures.stages import ResidualUnit
from resproof.symbolic.written.explicit import Hessian, hessian_at_initial_point, parameter_labels

INSTANCES = ((2, 2, 2, 1), (2, 4, 2, 2), (2, 3, 3, 2), (1, 4, 3, 1), (3, 3, 2, 1), (4, 2, 2, 1))
"""(n, R, d, m)."""
PEERS = ("ours", "symengine", "symengine, pair by pair", "sympy")

Table = list[list[Any]]


def network(n: int, units: int) -> Network:
    """The n-shortcut network with any activations."""
    pre, mid, post = generic("pre", at_zero=None), generic("mid"), generic("post")
    return Network(ResidualUnit(n_shortcut(n, pre, mid, post)), units)


def peer_loss(cas: Any, n: int, units: int, d: int, m: int) -> tuple[Any, list[Any]]:
    """The loss written out in `cas` (symengine or SymPy), and its weights in parameter order."""
    weights = [cas.Symbol(label) for label in parameter_labels(network(n, units), {"d": d})]
    loss = cas.Integer(0)
    for u in range(1, m + 1):
        x = [cas.Symbol(f"x_{i}_{u}") for i in range(1, d + 1)]
        h = list(x)
        for unit in range(units):
            path = [_pre(cas, value, at, i, u) for i, (value, at) in enumerate(zip(h, x, strict=True), 1)]
            for layer in range(n):
                first = (unit * n + layer) * d * d
                path = [sum(weights[first + j * d + i] * path[j] for j in range(d)) for i in range(d)]
                path = [_at_zero(cas, "mid" if layer < n - 1 else "post", value) for value in path]
            h = [a + b for a, b in zip(h, path, strict=True)]
        loss += sum((cas.Symbol(f"y_{i + 1}_{u}") - h[i]) ** 2 for i in range(d)) / (2 * m)
    return loss, weights


def _at_zero(cas: Any, name: str, t: Any) -> Any:
    return cas.Symbol(derivative_symbol(name, 1)) * t + cas.Symbol(derivative_symbol(name, 2)) * t**2 / 2


def _pre(cas: Any, h: Any, x: Any, i: int, u: int) -> Any:
    value, slope, curvature = (cas.Symbol(f"pre{prime(k)}(x_{i}_{u})") for k in range(3))
    return value if h is x else value + slope * (h - x) + curvature * (h - x) ** 2 / 2


def as_written(loss: Any, weights: Sequence[Any]) -> Table:
    """Second derivatives of the loss as it stands, upper triangle."""
    zeros = dict.fromkeys(weights, 0)
    gradient = [loss.diff(w) for w in weights]
    return [[g.diff(w).subs(zeros) for w in weights[a:]] for a, g in enumerate(gradient)]


def pair_by_pair(loss: Any, weights: Sequence[Any]) -> Table:
    """For each pair of weights, the others set to zero before differentiating."""
    zeros = dict.fromkeys(weights, 0)
    return [
        [
            loss.subs({w: 0 for w in weights if w not in (first, second)}).diff(first).diff(second).subs(zeros)
            for second in weights[a:]
        ]
        for a, first in enumerate(weights)
    ]


def assert_equal(hessian: Hessian, table: Table, cas: Any) -> None:
    """Raise unless the peer's table is this Hessian, entry by entry."""
    for a, row in enumerate(table):
        for b, value in enumerate(row, start=a):
            ours = sum(
                (
                    cas.Rational(c.numerator, c.denominator) * math.prod(cas.Symbol(name) ** k for name, k in monomial)
                    for monomial, c in hessian.ring.plain(hessian[a, b]).items()
                ),
                cas.Integer(0),
            )
            if cas.expand(value - ours) != 0:
                raise AssertionError(f"entry {(a, b)} is {ours}, the peer has {value}")


def cell(peer: str, n: int, units: int, d: int, m: int) -> dict[str, Any]:
    """In a process of its own: the time of a program that finds the Hessian, compared with ours."""
    mine: Callable[[], Hessian] = partial(hessian_at_initial_point, network(n, units), {"d": d}, samples=m)
    if peer == "ours":
        return timed(mine)
    cas = __import__("sympy" if peer == "sympy" else "symengine")
    way = pair_by_pair if peer.endswith("by pair") else as_written

    def program() -> Table:
        return way(*peer_loss(cas, n, units, d, m))

    assert_equal(mine(), program(), cas)
    return timed(program)


def measure(rounds: int) -> list[Row]:
    """All programs on all instances; SymPy on the smallest alone."""
    found = list[Row]()
    for n, units, d, m in INSTANCES:
        peers = [peer for peer in PEERS if peer != "sympy" or (n, units, d, m) == INSTANCES[0]]
        cells = {peer: partial(alone, "benchmarks.exact:cell", peer, n, units, d, m) for peer in peers}
        size = f"n = {n}, R = {units}, d = {d}, m = {m}"
        found += rows("exact Hessian in symbols, any activations", size, in_turn(cells, rounds))
    return found
