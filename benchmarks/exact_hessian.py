"""The exact Hessian at zero against symengine and SymPy, results proved equal first.

The peers do what their user would do: write the loss as an expression in all weights, with the activations' Taylor
polynomials to second order in symbolic coefficients (exact for a second derivative), then differentiate twice and
set the weights to zero. Of three ways to do that in symengine the fastest on each instance counts:
differentiate the loss as written; for each pair of weights set the others to zero first; expand the loss first (tried
on the smallest instance only: it loses there, then takes minutes, then exhausts the memory).

Times are those of the processor: all programs run in one thread, and where others are at work as well, those that take
longer would be interrupted more often.
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import struct
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import symengine
import sympy

from benchmarks.exact_limits import limits
from benchmarks.results import write
from benchmarks.rounds import median_seconds
from resproof.architectures.activations import derivative_symbol, generic, prime
from resproof.architectures.catalogue import n_shortcut
from resproof.architectures.losses import generic_loss
from resproof.architectures.networks import Network
from resproof.architectures.stages import ResidualUnit
from resproof.symbolic.index.lift import hessian_form
from resproof.symbolic.written.explicit import Hessian, hessian_at_initial_point, parameter_labels

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


GROWTH = ((2, 8), (2, 16), (2, 32), (2, 64), (2, 128), (4, 8), (8, 8), (16, 8))
"""(R, d) of linear networks with n = 2 and one sample that are written out alone."""
DEPTHS = range(1, 7)
COMPARED = "exact Hessian written out, in symbols of the data"
WRITTEN = "exact Hessian written out, linear, n = 2"
EVERY_SIZE = "exact Hessian in index notation, for every R, d and m at once, any activations and loss"


@dataclass(frozen=True, slots=True)
class ExactRow:
    """Median milliseconds of one program on one instance, or of one run in a process of its own, with its memory."""

    peer: str
    task: str
    ms: float
    command: str = ""
    size: dict[str, int] | None = None
    gigabytes: float | None = None
    note: str = ""
    limits: dict[str, float] = field(default_factory=dict[str, float])


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
    instance: tuple[int, int, int, int], *, symbolic: bool, rounds: int, patience: float = 2.0
) -> list[ExactRow]:
    """Ours and every way of the peers on one instance, in turn in every round; first what they find is compared.

    A way that took longer than `patience` seconds is not repeated. Of symengine's ways the fastest counts.
    """
    n, units, d, m = instance
    net = network(n, units, symbolic=symbolic)
    hessian = hessian_at_initial_point(net, {"d": d}, samples=m)
    found: dict[str, list[float]] = {}
    again: dict[str, Callable[[], object]] = {}
    for name, (cas, way) in _ways(instance, symbolic=symbolic).items():

        def run(cas: Any = cas, way: Callable[[Any, Sequence[Any]], Table] = way) -> Table:
            return way(*peer_loss(cas, n, units, d, m, symbolic=symbolic))

        begun = time.process_time()
        table = run()
        found[name] = [time.process_time() - begun]
        assert_equal(hessian, table, cas)
        if found[name][0] <= patience:
            again[name], found[name] = run, []
    ours = dict.fromkeys(range(20), partial(hessian_at_initial_point, net, {"d": d}, samples=m))
    times: list[float] = []
    for _ in range(rounds):
        times += median_seconds(ours, 1, time.process_time).values()
        for name, seconds in median_seconds(again, 1, time.process_time).items():
            found[name].append(seconds)
    middle = {name: 1e3 * statistics.median(each) for name, each in found.items()}
    peers = {"symengine": min(middle[way] for way in WAYS if way in middle)}
    peers |= {name: ms for name, ms in middle.items() if name not in WAYS}
    command = f"n = {n}, R = {units}, d = {d}, m = {m}, {'any activations' if symbolic else 'linear'}"
    bounds = limits(lambda kind: hessian_at_initial_point(net, {"d": d}, samples=m, ring=kind))
    mine = ExactRow("ours", COMPARED, 1e3 * statistics.median(times), command, limits=bounds)
    return [mine, *(ExactRow(name, COMPARED, ms, command) for name, ms in peers.items())]


def _ways(
    instance: tuple[int, int, int, int], *, symbolic: bool
) -> dict[str, tuple[Any, Callable[[Any, Sequence[Any]], Table]]]:
    found = {name: (symengine, way) for name, way in WAYS.items() if _is_tried(name, instance, symbolic=symbolic)}
    smallest = instance == INSTANCES[0] and not symbolic
    return {**found, "sympy": (sympy, as_written)} if smallest else found


def growth() -> list[ExactRow]:
    """Ours alone: in R and d, and in n for every size at once, each in a process of its own."""
    rows: list[ExactRow] = []
    for units, d in GROWTH:
        net = network(2, units, symbolic=False)
        ms, gigabytes = _alone(partial(hessian_at_initial_point, net, {"d": d}))
        bounds = limits(lambda kind, net=net, d=d: hessian_at_initial_point(net, {"d": d}, ring=kind))
        size = {"units": units, "width": d, "samples": 1}
        rows.append(ExactRow("ours", WRITTEN, ms, size=size, gigabytes=gigabytes, limits=bounds))
    for n in DEPTHS:
        ms, gigabytes = _alone(lambda n=n: hessian_form(network(n, 1, symbolic=True).unit, generic_loss))
        rows.append(ExactRow("ours", EVERY_SIZE, ms, f"n = {n}", gigabytes=gigabytes))
    return rows


def _alone(work: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds and peak gigabytes of a process that does this."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            begun = time.process_time()
            _ = work()
            _ = os.write(writer, struct.pack("d", 1e3 * (time.process_time() - begun)))
        except BaseException:
            os._exit(1)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        content = stream.read()
    _, status, usage = os.wait4(child, 0)
    if status:
        raise RuntimeError(
            f"exact_hessian: a process ended with status {os.waitstatus_to_exitcode(status)}; expected 0"
        )
    return struct.unpack("d", content)[0], usage.ru_maxrss / 2**20


def report(rows: Sequence[ExactRow]) -> str:
    """The comparison as a Markdown table with the geometric mean of the ratios, and the growth."""
    lines = [
        "| | ours, ms | symengine, ms | ratio | sympy, ms | limit, of our time |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    ratios: list[float] = []
    for mine in (row for row in rows if row.peer == "ours" and row.task == COMPARED):
        peers = {row.peer: row.ms for row in rows if row.command == mine.command and row.peer != "ours"}
        ratios.append(peers["symengine"] / mine.ms)
        slow = f"{peers['sympy']:.0f}" if "sympy" in peers else ""
        share = max(mine.limits.values()) / mine.ms
        lines.append(
            f"| {mine.command} | {mine.ms:.3f} | {peers['symengine']:.1f} | {ratios[-1]:.0f} | {slow} | {share:.2f} |"
        )
    mean = math.exp(statistics.fmean(map(math.log, ratios)))
    lines += [
        "",
        f"Geometric mean of the ratios to the fastest symengine way: {mean:.0f}; least: {min(ratios):.0f}.",
        "",
    ]
    lines += ["| | ms | GB |", "|---|---:|---:|"]
    for row in (row for row in rows if row.task != COMPARED):
        at = row.command if row.size is None else f"R = {row.size['units']}, d = {row.size['width']}"
        lines.append(f"| {row.task}: {at} | {row.ms:.1f} | {row.gigabytes:.2f} |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> str:
    """The table for the command line."""
    parser = argparse.ArgumentParser(prog="exact_hessian")
    _ = parser.add_argument("--rounds", type=int, default=7)
    _ = parser.add_argument("--json", default="", help="where the rows go as well")
    chosen = parser.parse_args(arguments)
    compared = [
        row
        for instance in INSTANCES
        for symbolic in (False, True)
        for row in measure(instance, symbolic=symbolic, rounds=chosen.rounds)
    ]
    rows = [*compared, *growth()]
    write(chosen.json, "exact_hessian", rows)
    return report(rows)
