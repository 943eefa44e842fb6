"""The exact Hessian at zero against symengine and SymPy, results proved equal first.

The peers do what their user would do: write the loss as an expression in all weights, with the activations' Taylor
polynomials to second order in symbolic coefficients (exact for a second derivative), then differentiate twice and
set the weights to zero. Of three ways to do that in symengine the fastest on each instance counts:
differentiate the loss as written; for each pair of weights set the others to zero first; expand the loss first (tried
on the smallest instance only: it loses there, then takes minutes, then exhausts the memory).
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import symengine
import sympy

from architectures.activations import derivative_symbol, generic, prime
from architectures.catalogue import n_shortcut
from architectures.networks import Network, ResidualUnit
from symbolic.written.explicit import Hessian, hessian_at_initial_point, parameter_labels

INSTANCES = (
    (2, 2, 2, 1),
    (2, 3, 2, 2),
    (2, 4, 2, 2),
    (2, 2, 3, 2),
    (2, 3, 3, 2),
    (2, 2, 4, 1),
    (1, 3, 2, 1),
    (1, 4, 3, 1),
    (3, 2, 2, 1),
    (3, 3, 2, 1),
    (4, 2, 2, 1),
)
"""(n, R, d, m)."""

Table = list[list[Any]]
"""A matrix of a peer's expressions."""


@dataclass(frozen=True, slots=True)
class ExactRow:
    """Median milliseconds of one instance; the peers' names with their times."""

    instance: tuple[int, int, int, int]
    activations: str
    ours: float
    symengine: dict[str, float]
    sympy: float | None = None

    @property
    def ratio(self) -> float:
        """How many times the fastest symengine way takes longer."""
        return min(self.symengine.values()) / self.ours


def network(n: int, units: int, *, symbolic: bool) -> Network:
    """The n-shortcut network, linear or with generic activations."""
    if not symbolic:
        return Network(ResidualUnit(n_shortcut(n)), units)
    pre, mid, post = generic("pre", at_zero=None), generic("mid"), generic("post")
    return Network(ResidualUnit(n_shortcut(n, pre, mid, post)), units)


def peer_loss(cas: Any, n: int, units: int, d: int, m: int, *, symbolic: bool) -> tuple[Any, list[Any]]:
    """The loss written out in `cas` (symengine or SymPy), and its weights in parameter order."""
    labels = parameter_labels(network(n, units, symbolic=False), {"d": d})
    weights = [cas.Symbol(label) for label in labels]
    loss = cas.Integer(0)
    for u in range(1, m + 1):
        x = [cas.Symbol(f"x_{i}_{u}") for i in range(1, d + 1)]
        h = list(x)
        for unit in range(units):
            path = (
                [_pre(cas, value, at, i, u) for i, (value, at) in enumerate(zip(h, x, strict=True), 1)]
                if symbolic
                else h
            )
            for layer in range(n):
                first = (unit * n + layer) * d * d
                path = [sum(weights[first + j * d + i] * path[j] for j in range(d)) for i in range(d)]
                if symbolic:
                    name = "mid" if layer < n - 1 else "post"
                    path = [_at_zero(cas, name, value) for value in path]
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


def expanded(loss: Any, weights: Sequence[Any]) -> Table:
    """Second derivatives of the expanded loss."""
    return as_written(loss.expand(), weights)


def pair_by_pair(loss: Any, weights: Sequence[Any]) -> Table:
    """For each pair of weights, the others set to zero before differentiating."""
    zeros = dict.fromkeys(weights, 0)
    table: Table = []
    for a, first in enumerate(weights):
        row: list[Any] = []
        for second in weights[a:]:
            others = {w: 0 for w in weights if w not in (first, second)}
            row.append(loss.subs(others).diff(first).diff(second).subs(zeros))
        table.append(row)
    return table


WAYS: dict[str, Callable[[Any, Sequence[Any]], Table]] = {
    "as written": as_written,
    "pair by pair": pair_by_pair,
    "expanded": expanded,
}


def _is_tried(way: str, instance: tuple[int, int, int, int], *, symbolic: bool) -> bool:
    return way != "expanded" or (instance == INSTANCES[0] and not symbolic)


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
                raise AssertionError(f"exact_hessian: entry {(a, b)} is {ours}, the peer has {value}")


def measure(
    instance: tuple[int, int, int, int],
    *,
    symbolic: bool,
    with_sympy: bool = False,
    runs: int = 7,
    patience: float = 2.0,
) -> ExactRow:
    """One row of the table; a way that took longer than `patience` seconds is not repeated."""
    n, units, d, m = instance
    net = network(n, units, symbolic=symbolic)
    hessian = hessian_at_initial_point(net, {"d": d}, samples=m)
    ours = _median(lambda: hessian_at_initial_point(net, {"d": d}, samples=m), 5 * runs, patience)

    def timed(cas: Any, way: Callable[[Any, Sequence[Any]], Table]) -> float:
        def run() -> Table:
            return way(*peer_loss(cas, n, units, d, m, symbolic=symbolic))

        start = time.perf_counter()
        table = run()
        once = time.perf_counter() - start
        assert_equal(hessian, table, cas)
        return 1e3 * once if once > patience else _median(run, runs, patience)

    ways = {name: timed(symengine, way) for name, way in WAYS.items() if _is_tried(name, instance, symbolic=symbolic)}
    return ExactRow(
        instance, "generic" if symbolic else "linear", ours, ways, timed(sympy, as_written) if with_sympy else None
    )


def _median(run: Callable[[], object], runs: int, patience: float) -> float:
    """Median milliseconds of `runs` runs, fewer where they take long."""
    times: list[float] = []
    while len(times) < runs and sum(times) < patience:
        start = time.perf_counter()
        _ = run()
        times.append(time.perf_counter() - start)
    return 1e3 * statistics.median(times)


def report(instances: Sequence[tuple[int, int, int, int]] = INSTANCES, *, runs: int = 7) -> str:
    """The comparison as a Markdown table, with the geometric mean of the ratios, and one wide network."""
    rows = [
        measure(instance, symbolic=symbolic, with_sympy=instance == INSTANCES[0] and not symbolic, runs=runs)
        for instance in instances
        for symbolic in (False, True)
    ]
    ways = " | ".join(f"symengine, {way}" for way in WAYS)
    lines = [f"| (n,R,d,m) | activations | ours, ms | {ways} | sympy | ratio |"]
    lines.append("|---|---|" + "---:|" * (len(WAYS) + 3))
    for row in rows:
        peers = " | ".join(f"{row.symengine[way]:.1f}" if way in row.symengine else "" for way in WAYS)
        slow = "" if row.sympy is None else f"{row.sympy:.0f}"
        shown = ",".join(map(str, row.instance))
        lines.append(f"| {shown} | {row.activations} | {row.ours:.3f} | {peers} | {slow} | {row.ratio:.0f} |")
    mean = math.exp(statistics.fmean(math.log(row.ratio) for row in rows))
    start = time.perf_counter()
    wide = hessian_at_initial_point(network(2, 2, symbolic=False), {"d": 64})
    seconds = time.perf_counter() - start
    lines += ["", f"Geometric mean of the ratios to the fastest symengine way: {mean:.0f}."]
    lines += [f"Linear, n = 2, R = 2, d = 64, m = 1: {seconds:.2f} s for {len(wide.upper)} nonzero entries."]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> str:
    """The table for the command line."""
    parser = argparse.ArgumentParser(prog="exact_hessian")
    _ = parser.add_argument("--runs", type=int, default=7)
    return report(runs=parser.parse_args(arguments).runs)
