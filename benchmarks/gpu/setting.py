"""What a run is made of: the setting, the tasks in their order, and the record that each leaves."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal, TypeAlias

import numpy as np

from resproof.numeric.backend import Array, Device, Ops
from resproof.numeric.network.adjoint import MEMORY

Kind: TypeAlias = Literal["check", "ceiling", "time"]
Record: TypeAlias = dict[str, Any]
"""One line of the results; see reports/gpu/README.md for its keys."""


def cupy() -> Any:
    """CuPy, on a machine that has it."""
    return import_module("cupy")


class TimeUp(BaseException):
    """The task's time is up; no handler of ordinary exceptions may keep it."""


class EndRequested(BaseException):
    """The run was asked to end."""


@dataclass(frozen=True, slots=True)
class DeviceSetting:
    """Where and with what everything runs. `memory` is the budget in bytes, `ceilings` what the device was seen to do.

    `python` runs the peers, each in a process of its own; none run where it is empty.
    """

    device: Device
    memory: int
    digits: tuple[np.ndarray, np.ndarray]
    data: str
    seed: int = 0
    python: str = ""
    ceilings: dict[str, float] = field(default_factory=dict)

    @property
    def ops(self) -> Ops:
        """The array library."""
        return self.device.ops

    @property
    def kept(self) -> int:
        """Bytes of intermediate values that one product may keep: more only pays where memory is not cached."""
        return max(self.memory // 4, MEMORY) if self.device.name == "cuda" else MEMORY

    def columns(self, d: int, m: int) -> tuple[Array, Array]:
        """X and Y, d x m: the first columns of the data given where they suffice, else standard normal ones.

        The targets of synthetic data are one-hot, in the row of the sample's greatest entry.
        """
        x, y = self.digits
        if d != x.shape[0] or m > x.shape[1]:
            x = np.random.default_rng((self.seed, d, m)).standard_normal((d, m))
            y = np.zeros((d, m))
            y[np.argmax(x, axis=0), np.arange(m)] = 1.0
        return self.ops.asarray(np.ascontiguousarray(x[:, :m])), self.ops.asarray(np.ascontiguousarray(y[:, :m]))

    def covariances(self, d: int, m: int) -> tuple[Array, Array]:
        """D columns with the covariances X X^T / m and Y X^T / m of `columns`: all that linear units see."""
        x, y = (np.asarray(self.ops.numpy(a)) for a in self.columns(d, m))
        if m <= d:
            return self.ops.asarray(x), self.ops.asarray(y)
        q, u = np.linalg.qr(x.T)
        scale = math.sqrt(d / m)
        return self.ops.asarray(scale * u.T.copy()), self.ops.asarray(scale * (y @ q))

    def synchronise(self) -> None:
        """Wait until the device has done what it was asked to do."""
        if self.device.name == "cuda":
            cupy().cuda.Device().synchronize()

    def release(self) -> None:
        """Give back the device's memory that is not in use."""
        if self.device.name == "cuda":
            self.synchronise()
            cupy().get_default_memory_pool().free_all_blocks()


@dataclass(frozen=True, slots=True)
class DeviceTask:
    """One check or measurement.

    Tasks of one `family` differ in their `work` alone: what one took predicts the next. `needs` is an estimate of the
    bytes it allocates. `stage` 1 runs first.
    """

    family: str
    kind: Kind
    sizes: Mapping[str, int]
    run: Callable[[DeviceSetting], Record]
    stage: int = 1
    work: float = 1.0
    needs: int = 0

    @property
    def name(self) -> str:
        """The family and the sizes."""
        shown = ", ".join(f"{key}={size}" for key, size in self.sizes.items())
        return f"{self.family}: {shown}" if shown else self.family

    def record(self, status: str, **found: Any) -> Record:
        """A line of the results."""
        head = {"name": self.name, "family": self.family, "kind": self.kind, "sizes": dict(self.sizes)}
        return {**head, "status": status, **found}


def judged(
    value: float, bound: float, derivation: str, neighbours: Mapping[str, tuple[float, float]], quantity: str
) -> Record:
    """A check's outcome: below the bound, and every falsehood next to the claim, (value, bound), above its own."""
    wrong = [
        {"name": name, "value": apart, "bound": allowed, "rejected": apart > allowed}
        for name, (apart, allowed) in neighbours.items()
    ]
    holds = value <= bound and bool(wrong) and all(one["rejected"] for one in wrong)
    return {
        "status": "passed" if holds else "failed",
        "quantity": quantity,
        "value": value,
        "bound": bound,
        "derivation": derivation,
        "neighbours": wrong,
    }
