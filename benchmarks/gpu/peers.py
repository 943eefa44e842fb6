"""One peer's Hessian-vector product on the same arrays, in a process of its own; one JSON line on stdout.

Peers do what their user would do: forward over reverse, jitted where there is a compiler, float64, weights unbound
(indexing W[r] makes torch's way back quadratic in R). JAX comes in two forms, a scan over units and, for linear units,
an associative scan over their Jacobians.
"""

from __future__ import annotations

import functools
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

SECONDS = 1.0
Arrays = dict[str, Any]


class PeerUnavailable(Exception):
    """The peer cannot run here; the message says why."""


def _jax(given: Arrays, kind: str, device: str, *, associative: bool) -> tuple[Callable[[], Any], str]:
    import jax
    import jax.numpy as jnp

    platform = str(jax.devices()[0].platform)
    if device == "cuda" and platform != "gpu":
        raise PeerUnavailable(f"jax {jax.__version__} sees no GPU here (platform {platform})")
    jax.config.update("jax_enable_x64", True)
    f: Any = {
        "linear": lambda h: h,
        "tanh": jnp.tanh,
        "gelu": functools.partial(jax.nn.gelu, approximate=False),
    }[kind]
    x, y = jnp.asarray(given["x"]), jnp.asarray(given["y"])
    d = x.shape[0]

    def loss(w: Any) -> Any:
        if associative:
            jacobians = jnp.eye(d) + w[1] @ w[0]
            h = jax.lax.associative_scan(lambda a, b: b @ a, jacobians)[-1] @ x
        else:
            h, _ = jax.lax.scan(lambda h, u: (h + f(u[1] @ f(u[0] @ f(h))), None), x, (w[0], w[1]))
        return ((h - y) ** 2).sum() / (2 * x.shape[1])

    compiled = jax.jit(lambda w, v: jax.jvp(jax.grad(loss), (w,), (v,))[1])
    w, v = ((jnp.asarray(given[name][0]), jnp.asarray(given[name][1])) for name in ("weights", "direction"))
    return lambda: jax.block_until_ready(compiled(w, v)), f"jax {jax.__version__} on {platform}"


def _torch(given: Arrays, kind: str, device: str) -> tuple[Callable[[], Any], str]:
    import torch  # pyright: ignore[reportMissingImports]

    if device == "cuda" and not torch.cuda.is_available():
        raise PeerUnavailable(f"torch {torch.__version__} sees no GPU here")
    where = "cuda" if device == "cuda" else "cpu"
    f: Any = {"linear": lambda h: h, "tanh": torch.tanh, "gelu": torch.nn.functional.gelu}[kind]
    arrays = {name: torch.tensor(np.asarray(array), device=where) for name, array in given.items()}
    x, y = arrays["x"], arrays["y"]

    def loss(w1: Any, w2: Any) -> Any:
        h = x
        for a, b in zip(w1.unbind(), w2.unbind(), strict=True):
            h = h + f(b @ f(a @ f(h)))
        return ((h - y) ** 2).sum() / (2 * x.shape[1])

    gradient = torch.func.grad(loss, argnums=(0, 1))

    def product() -> Any:
        found = torch.func.jvp(gradient, tuple(arrays["weights"]), tuple(arrays["direction"]))[1]
        if where == "cuda":
            torch.cuda.synchronize()
        return found

    return product, f"torch {torch.__version__} on {where}"


PEERS: dict[str, Callable[[Arrays, str, str], tuple[Callable[[], Any], str]]] = {
    "jax scan": functools.partial(_jax, associative=False),
    "jax associative scan": functools.partial(_jax, associative=True),
    "torch.func": _torch,
}


def measure(peer: str, kind: str, folder: Path, device: str) -> dict[str, Any]:
    """The peer's times after a first run, whose product is saved as product.npy; or why there are none."""
    given = {name: np.load(folder / f"{name}.npy") for name in ("weights", "direction", "x", "y")}
    begun = time.perf_counter()
    try:
        product, version = PEERS[peer](given, kind, device)
        first = product()
    except ImportError as error:
        return {"status": "not installed", "reason": str(error)[:200]}
    except PeerUnavailable as error:
        return {"status": "no GPU", "reason": str(error)}
    except Exception as error:  # whatever a peer fails with is what is recorded
        return {"status": "failed", "reason": f"{type(error).__name__}: {' '.join(str(error).split())}"[:200]}
    warm = time.perf_counter() - begun
    np.save(
        folder / "product.npy", np.stack([np.asarray(part.cpu() if hasattr(part, "cpu") else part) for part in first])
    )
    times: list[float] = []
    while len(times) < 2 or (sum(times) < SECONDS and len(times) < 20):
        begun = time.perf_counter()
        _ = product()
        times.append(time.perf_counter() - begun)
    return {
        "status": "measured",
        "seconds": statistics.median(times),
        "least": min(times),
        "runs": len(times),
        "first": warm,
        "version": version,
    }


def main(arguments: Sequence[str]) -> int:
    """One JSON line: `PEER KIND FOLDER DEVICE`."""
    peer, kind, folder, device = arguments
    print(json.dumps(measure(peer, kind, Path(folder), device)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
