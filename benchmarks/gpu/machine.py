"""What the numbers were measured on, without anything that names the machine itself."""

from __future__ import annotations

import os
import platform
import re
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.gpu.setting import cupy
from resproof.numeric.backend import Device
from resproof.numeric.limits import free_memory

PACKAGES = ("numpy", "scipy", "cupy-cuda12x", "cupy-cuda13x", "cupy", "jax", "jaxlib", "torch", "array-api-compat")


def describe(device: Device) -> dict[str, Any]:
    """The device, its memory and versions, the processor, and the packages."""
    return {
        "device": device.name,
        "name": _name(device),
        "description": device.description,
        "memory": memory(device),
        **_cuda(device),
        "processor": _processor(),
        "cores": os.cpu_count() or 0,
        "platform": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "packages": {name: found for name in PACKAGES if (found := _version(name))},
    }


def slug(name: str) -> str:
    """A name for a file."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "unknown"


def memory(device: Device) -> int:
    """Bytes that the device has, or where nothing tells, that are free on it."""
    if device.name == "cuda":
        return int(cupy().cuda.runtime.memGetInfo()[1])
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return free_memory(device.ops) or 0


def budget(device: Device) -> int:
    """Bytes to be used where the caller does not say: four fifths of what is free on a GPU, at most 1 GiB elsewhere."""
    if device.name == "cuda":
        return int(0.8 * cupy().cuda.runtime.memGetInfo()[0])
    free = free_memory(device.ops)
    return min(2**30, (free or 2**30) // 2)


def _name(device: Device) -> str:
    if device.name == "cuda":
        runtime = cupy().cuda.runtime
        return str(runtime.getDeviceProperties(cupy().cuda.Device().id)["name"].decode())
    return "cpu"


def _cuda(device: Device) -> dict[str, Any]:
    if device.name != "cuda":
        return {}
    runtime = cupy().cuda.runtime
    properties = runtime.getDeviceProperties(cupy().cuda.Device().id)
    return {
        "driver": int(runtime.driverGetVersion()),
        "runtime": int(runtime.runtimeGetVersion()),
        "compute_capability": f"{properties['major']}.{properties['minor']}",
        "multiprocessors": int(properties["multiProcessorCount"]),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
