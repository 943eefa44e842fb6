"""The list of tasks, small ones first: whatever the time allows, every family has been seen at its least size.

Peers come last: most of their time goes into starting and compiling them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator

from benchmarks.gpu import checks, times
from benchmarks.gpu.claims import KINDS
from benchmarks.gpu.setting import DeviceSetting, DeviceTask, Kind, Record

SAMPLES = 1797
JAX = ("jax scan", "jax associative scan")
DEEP = ("jax associative scan",)
SCANS = ("jax scan", "torch.func")


BESIDE = 5
"""The stage of the peers."""


def tasks(*, tiny: bool = False, peers: bool = True) -> list[DeviceTask]:
    """Every task, in the order in which they are run."""
    listed = sorted(_tiny() if tiny else _full(), key=lambda task: task.stage)
    return [task for task in listed if peers or task.stage != BESIDE]


def _task(
    family: str, kind: Kind, run: Callable[..., Record], stage: int, work: float = 1.0, needs: int = 0, **sizes: int
) -> DeviceTask:
    def call(setting: DeviceSetting) -> Record:
        return run(setting, **sizes)

    return DeviceTask(family, kind, sizes, call, stage, work, needs)


def _network(
    family: str,
    kind: Kind,
    run: Callable[..., Record],
    stage: int,
    activation: str,
    *,
    n: int,
    units: int,
    d: int,
    m: int,
    copies: int = 8,
) -> DeviceTask:
    """A task on an n-shortcut network; `copies` arrays of the size of the weights are held at once."""
    columns = min(m, d) if activation == "linear" else m
    # Per unit: products, and about as much as a device does of them in the 10 us that a narrow unit takes at least.
    work = units * (n * d * d * columns + 4e7)
    needs = 8 * (copies * n * units * d * d + 40 * d * columns)
    call = functools.partial(run, n=n, kind=activation)
    name = f"{family}, {activation}, n = {n}"
    return _task(
        name,
        kind,
        lambda setting, units, d, m: call(setting, units=units, d=d, m=m),
        stage,
        work,
        needs,
        units=units,
        d=d,
        m=m,
    )


def _ceilings(*, tiny: bool) -> Iterator[DeviceTask]:
    ceiling = functools.partial(_task, kind="ceiling", stage=0)
    yield ceiling("copy", run=times.bandwidth, count=2**16 if tiny else 2**26, needs=16 * 2**26 * (not tiny))
    yield ceiling("matrix product", run=times.large_product, size=64 if tiny else 4096)
    yield ceiling("small products", run=times.small_products, count=50 if tiny else 200_000, d=3 if tiny else 10)
    yield ceiling("launches", run=times.launches, count=50 if tiny else 1000)


def _eigen(stage: int, activation: str, **sizes: int) -> DeviceTask:
    def run(setting: DeviceSetting, n: int, kind: str, units: int, d: int, m: int) -> Record:
        assert n == 2
        return checks.eigenpairs(setting, kind, units, d, m)

    return _network("eigenvectors", "check", run, stage, activation, n=2, **sizes)


def _modular(stage: int, n: int, units: int, d: int, m: int) -> DeviceTask:
    work = n * d * d * units + 2e5 * units
    run = functools.partial(checks.identity_modulo, n=n)
    family = f"identity modulo a prime, n = {n}"
    return _task(family, "check", run, stage, work, needs=2**30 if d > 100 else 2**26, units=units, d=d, m=m)


def _dense(
    family: str, kind: Kind, run: Callable[..., Record], stage: int, units: int, d: int, m: int, n: int
) -> DeviceTask:
    p = n * units * d * d
    return _task(family, kind, run, stage, float(p) ** 3, 8 * 6 * p * p, units=units, d=d, m=m)


def _dense_checks(stage: int, units: int, d: int, m: int) -> Iterator[DeviceTask]:
    for n in (1, 2):
        run = functools.partial(checks.dense_eigenpairs, n=n)
        yield _dense(f"dense eigenpairs, n = {n}", "check", run, stage, units, d, m, n)
    yield _dense("dense eigenvalues", "check", checks.dense_spectrum, stage, units, d, m, 2)


def _time(stage: int, activation: str, **sizes: int) -> DeviceTask:
    return _network("time of H v", "time", times.product_time, stage, activation, n=2, copies=12, **sizes)


def _beside(peers: tuple[str, ...], activation: str, **sizes: int) -> DeviceTask:
    run = functools.partial(times.product_time, peers=peers)
    return _network("H v beside peers", "time", run, BESIDE, activation, n=2, copies=12, **sizes)


def _tiny() -> Iterator[DeviceTask]:
    yield from _ceilings(tiny=True)
    small = {"units": 5, "d": 3, "m": 11}
    for activation in KINDS:
        for n in (1, 2, 3):
            yield _network("H v", "check", checks.hessian_product, 1, activation, n=n, **small)
            yield _network("Taylor coefficient", "check", checks.taylor_coefficient, 1, activation, n=n, **small)
            yield _network("away from zero", "check", checks.away_from_zero, 1, activation, n=n, **small)
        yield _eigen(1, activation, **small)
    yield from _dense_checks(1, **small)
    for n in (1, 2, 3):
        yield _modular(1, n, 20, 3, 4)
    for activation in ("linear", "tanh"):
        yield _time(2, activation, **small)
        yield _beside(SCANS if activation == "tanh" else (*JAX, "torch.func"), activation, **small)
    yield _dense("time of dense eigenvalues", "time", times.dense_time, 2, n=2, **small)


def _full() -> Iterator[DeviceTask]:
    yield from _ceilings(tiny=False)
    base = {"units": 1000, "d": 10, "m": SAMPLES}
    for activation in KINDS:
        # Taylor coefficients go call by call, and every call of a nonlinear network waits for the one before.
        first = {"linear": 1, "tanh": 1, "gelu": 2}.get(activation, 4)
        for n in (1, 2, 3):
            late = first if n == 2 or activation == "linear" else 4
            yield _network("H v", "check", checks.hessian_product, 1, activation, n=n, **base)
            yield _network("Taylor coefficient", "check", checks.taylor_coefficient, late, activation, n=n, **base)
            yield _network("away from zero", "check", checks.away_from_zero, late, activation, n=n, **base)
        yield _eigen(1, activation, **base)
    yield from _dense_checks(1, units=12, d=10, m=SAMPLES)
    for n in (1, 2, 3):
        yield _modular(1, n, 1000, 10, 20)
    yield from _times()
    yield from _larger()


def _times() -> Iterator[DeviceTask]:
    usual = {"d": 10, "m": SAMPLES}
    for activation, depths in (("linear", 6), ("tanh", 5), ("gelu", 4)):
        for power in range(3, depths + 1):
            yield _time(2 if power < 5 else 3, activation, units=10**power, **usual)
    yield _time(3, "smoothed relu", units=10**4, **usual)
    yield _time(3, "tanh", units=10**3, d=32, m=SAMPLES)
    for d, units in ((256, 40), (1024, 10)):
        for activation in ("linear", "tanh"):
            yield _time(3, activation, units=units, d=d, m=SAMPLES)
    yield _beside((*JAX, "torch.func"), "linear", units=10**3, **usual)
    yield _beside(SCANS, "tanh", units=10**3, **usual)
    yield _beside(DEEP, "linear", units=10**6, **usual)
    yield _beside(("jax scan",), "tanh", units=10**4, **usual)
    yield _beside(SCANS, "gelu", units=10**3, **usual)
    for activation in ("linear", "tanh"):
        yield _beside(SCANS, activation, units=10, d=1024, m=SAMPLES)
    yield _beside(JAX, "linear", units=10**4, **usual)
    yield _beside(DEEP, "linear", units=10**5, **usual)
    yield _beside(SCANS, "tanh", units=10**3, d=32, m=SAMPLES)
    yield _beside(("jax scan",), "gelu", units=10**4, **usual)
    for units, stage in ((12, 2), (24, 3), (48, 4)):
        yield _dense("time of dense eigenvalues", "time", times.dense_time, stage, units, 10, SAMPLES, 2)


def _larger() -> Iterator[DeviceTask]:
    # Depth.
    for units, stage in ((10**4, 2), (10**5, 3), (10**6, 3)):
        for n in (1, 2, 3):
            deep = {"units": units, "d": 10, "m": SAMPLES}
            yield _network("H v", "check", checks.hessian_product, stage, "linear", n=n, **deep)
            if units <= 10**5:
                yield _network("away from zero", "check", checks.away_from_zero, stage, "linear", n=n, **deep)
        yield _eigen(stage, "linear", units=units, d=10, m=SAMPLES)
    deep = {"units": 10**4, "d": 10, "m": SAMPLES}
    for activation in ("tanh", "gelu", "smoothed relu"):
        for n in (1, 2, 3):
            yield _network("H v", "check", checks.hessian_product, 2, activation, n=n, **deep)
    for units in (10**5, 10**6):
        yield _network("H v", "check", checks.hessian_product, 3, "tanh", n=2, units=units, d=10, m=SAMPLES)
    yield _network("Taylor coefficient", "check", checks.taylor_coefficient, 3, "linear", n=2, **deep)
    yield _network("Taylor coefficient", "check", checks.taylor_coefficient, 4, "tanh", n=2, **deep)
    yield _eigen(3, "tanh", **deep)
    # Parameters: 10^8 of them.
    for n, units in ((2, 763), (3, 509)):
        yield _modular(2, n, units // 50, 256, 16)
        yield _modular(4, n, units, 256, 16)
    # Width.
    for d, units in ((100, 100), (1024, 10)):
        for activation in ("linear", "tanh"):
            wide = {"units": units, "d": d, "m": SAMPLES}
            yield _network("H v", "check", checks.hessian_product, 3, activation, n=2, **wide)
            yield _network("Taylor coefficient", "check", checks.taylor_coefficient, 3, activation, n=2, **wide)
            yield _network("away from zero", "check", checks.away_from_zero, 3, activation, n=2, **wide)
            yield _eigen(3, activation, **wide)
    # Samples.
    for m in (10**4, 10**5):
        for activation in ("tanh", "gelu"):
            many = {"units": 100, "d": 10, "m": m}
            yield _network("H v", "check", checks.hessian_product, 3, activation, n=2, **many)
            yield _network("away from zero", "check", checks.away_from_zero, 3, activation, n=2, **many)
