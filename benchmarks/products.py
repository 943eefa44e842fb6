"""One Hessian-vector product at depth beside JAX, PyTorch, curvlinops and PyHessian, all of which find the same.

The 2-shortcut network at random weights of size 0.01 with standard normal data in float64. "covariances" are linear
units on d columns that have the covariances of the data, all that linear units see. Of JAX's forms, a scan over units
and an associative scan over their Jacobians, both are shown. Peers do what their user would do.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.alone import Row, alone, in_turn, rows, timed

CELLS = (("covariances", 4096, 10, 1000), ("tanh", 4096, 10, 1000), ("gelu", 4096, 256, 100))
"""Task, units R, width d, samples m."""
GROWTH = (
    *(("tanh", units, 10, 1000) for units in (64, 256, 1024, 4096, 16384)),
    *(("tanh", 256, width, 1000) for width in (10, 32, 100, 256)),
    *(("tanh", 256, 10, samples) for samples in (100, 1000, 10000)),
)
PEERS = ("ours", "ours on JAX", "jax scan", "jax associative scan", "torch.func", "curvlinops", "pyhessian")
LINEAR = ("covariances",)
TOLERANCE = 1e-9

Pair = tuple[Any, Any]


def instance(task: str, units: int, width: int, samples: int) -> tuple[dict[str, Any], dict[str, Any], Any, Any]:
    """Weights and a direction of shape (R, d, d) by name, and the data."""
    draw = np.random.default_rng(units).standard_normal
    weights = {name: 0.01 * draw((units, width, width)) for name in ("W1", "W2")}
    direction = {name: draw((units, width, width)) for name in ("W1", "W2")}
    x, y = draw((width, samples)), draw((width, samples))
    if task in LINEAR:
        # X X^T = U^T U and Y X^T = (Y Q) U; the scale keeps 1/(2 m) at m = d columns.
        q, u = np.linalg.qr(x.T)
        x, y = ((width / samples) ** 0.5 * a for a in (u.T, y @ q))
    return weights, direction, np.ascontiguousarray(x), np.ascontiguousarray(y)


def network(task: str, units: int) -> Any:
    """The n-shortcut network of a task."""
    from resproof.architectures.activations import activation
    from resproof.architectures.catalogue import n_shortcut
    from resproof.architectures.networks import Network
    from resproof.architectures.stages import ResidualUnit

    f = activation("identity" if task in LINEAR else task)
    return Network(ResidualUnit(n_shortcut(2, f, f, f)), units)


def ours(task: str, *sizes: int) -> Callable[[], Pair]:
    """The run of this program, on NumPy."""
    from resproof.numeric.network.adjoint import hvp

    net, (w, v, x, y) = network(task, sizes[0]), instance(task, *sizes)

    def product() -> Pair:
        found = hvp(net, w, v, x, y)
        return found["W1"], found["W2"]

    return product


def ours_on_jax(task: str, *sizes: int) -> Callable[[], Pair]:
    """The same readings on JAX's namespace."""
    from resproof.numeric.jax import hvp

    net, (w, v, x, y) = network(task, sizes[0]), instance(task, *sizes)

    def product() -> Pair:
        found = hvp(net, w, v, x, y)
        return np.asarray(found["W1"]), np.asarray(found["W2"])

    return product


def with_jax(associative: bool, task: str, *sizes: int) -> Callable[[], Pair]:
    """JAX, as its user would write it."""
    import jax

    jax.config.update("jax_enable_x64", True)
    jnp = jax.numpy
    known = {"tanh": jnp.tanh, "gelu": partial(jax.nn.gelu, approximate=False)}
    f = known.get(task, lambda h: h)
    w, v, x, y = instance(task, *sizes)

    def loss(w: Pair) -> Any:
        if associative:
            units = jnp.eye(x.shape[0]) + w[1] @ w[0]
            h = jax.lax.associative_scan(lambda a, b: b @ a, units)[-1] @ x
        else:
            h, _ = jax.lax.scan(lambda h, u: (h + f(u[1] @ f(u[0] @ f(h))), None), jnp.asarray(x), w)
        return ((h - y) ** 2).sum() / (2 * x.shape[1])

    compiled = jax.jit(lambda w, v: jax.jvp(jax.grad(loss), (w,), (v,))[1])
    point, change = ((jnp.asarray(part["W1"]), jnp.asarray(part["W2"])) for part in (w, v))
    return lambda: jax.block_until_ready(compiled(point, change))


def _torch(task: str, *sizes: int) -> tuple[Any, list[Any], list[Any], Any, Any]:
    import torch  # pyright: ignore[reportMissingImports]

    known = {"tanh": torch.tanh, "gelu": torch.nn.functional.gelu}
    f = known.get(task, lambda h: h)
    w, v, x, y = instance(task, *sizes)

    def forward(h: Any, w1: Any, w2: Any) -> Any:
        # Indexing W[r] would make the way back quadratic in R.
        for a, b in zip(w1.unbind(), w2.unbind(), strict=True):
            h = h + f(b @ f(a @ f(h)))
        return h

    point, change = ([torch.tensor(part[name]) for name in ("W1", "W2")] for part in (w, v))
    return forward, point, change, torch.tensor(x), torch.tensor(y)


def torch_func(task: str, *sizes: int) -> Callable[[], Pair]:
    """PyTorch: forward over reverse."""
    import torch  # pyright: ignore[reportMissingImports]

    forward, w, v, x, y = _torch(task, *sizes)
    gradient = torch.func.grad(lambda *w: ((forward(x, *w) - y) ** 2).sum() / (2 * x.shape[1]), argnums=(0, 1))
    return lambda: torch.func.jvp(gradient, tuple(w), tuple(v))[1]


def _module(task: str, *sizes: int) -> tuple[Any, list[Any], Any, Any]:
    """The network as a module on rows, as curvlinops and PyHessian want it, and the direction."""
    import torch  # pyright: ignore[reportMissingImports]

    forward, w, v, x, y = _torch(task, *sizes)

    class ResidualModule(torch.nn.Module):  # pyright: ignore[reportUntypedBaseClass]
        def __init__(self) -> None:
            super().__init__()
            self.w1, self.w2 = map(torch.nn.Parameter, w)

        def forward(self, rows: Any) -> Any:
            return forward(rows.T, self.w1, self.w2).T

    return ResidualModule(), v, x.T.contiguous(), y.T.contiguous()


def curvlinops(task: str, *sizes: int) -> Callable[[], Pair]:
    """Its Hessian as an operator; MSELoss divides by m d, the loss here by 2 m."""
    import torch  # pyright: ignore[reportMissingImports]
    from curvlinops import HessianLinearOperator  # pyright: ignore[reportMissingImports]

    module, v, x, y = _module(task, *sizes)
    operator = HessianLinearOperator(
        module, torch.nn.MSELoss(), list(module.parameters()), [(x, y)], check_deterministic=False
    )
    vector = torch.cat([part.flatten() for part in v])

    def product() -> Pair:
        found = x.shape[1] / 2 * (operator @ vector)
        first, second = found.split(v[0].numel())
        return first.reshape(v[0].shape), second.reshape(v[0].shape)

    return product


def pyhessian(task: str, *sizes: int) -> Callable[[], Pair]:
    """Its product, with the graph of the gradient, which a new point costs."""
    import torch  # pyright: ignore[reportMissingImports]
    from pyhessian import hessian  # pyright: ignore[reportMissingImports]
    from pyhessian.utils import hessian_vector_product  # pyright: ignore[reportMissingImports]

    module, v, x, y = _module(task, *sizes)

    def product() -> Pair:
        module.zero_grad()
        operator = hessian(module, torch.nn.MSELoss(), data=(x, y), cuda=False)
        first, second = hessian_vector_product(operator.gradsH, operator.params, v)
        return x.shape[1] / 2 * first.detach(), x.shape[1] / 2 * second.detach()

    return product


RUNNERS: dict[str, Callable[..., Callable[[], Pair]]] = {
    "ours": ours,
    "ours on JAX": ours_on_jax,
    "jax scan": partial(with_jax, False),
    "jax associative scan": partial(with_jax, True),
    "torch.func": torch_func,
    "curvlinops": curvlinops,
    "pyhessian": pyhessian,
}


def cell(peer: str, task: str, *sizes: int) -> dict[str, Any]:
    """In a process of its own: the time of a program's product, and a number that says which product it is."""
    product = RUNNERS[peer](task, *sizes)
    check = float(sum(np.vdot(np.sin(np.arange(part.size)), np.ravel(part)) for part in map(np.asarray, product())))
    return {**timed(product), "found": {"check": check}}


def measure(rounds: int, *, growth: bool = True) -> list[Row]:
    """Every peer in the cells; ours and JAX's scan as depth, width and samples grow.

    Raises:
        AssertionError: two programs find different products.
    """
    found = list[Row]()
    for task, *sizes in (*CELLS, *(GROWTH if growth else ())):
        in_cells = (task, *sizes) in CELLS
        peers = [peer for peer in PEERS if in_cells or peer in ("ours", "jax scan")]
        peers = [peer for peer in peers if task in LINEAR or peer != "jax associative scan"]
        cells = {peer: partial(alone, "benchmarks.products:cell", peer, task, *sizes) for peer in peers}
        units, width, samples = sizes
        size = f"R = {units}, d = {width}" + ("" if task in LINEAR else f", m = {samples}")
        measured = rows(f"H v, {task}", size, in_turn(cells, rounds if in_cells else 1))
        checks = [row.found["check"] for row in measured if not row.note]
        if checks and max(checks) - min(checks) > TOLERANCE * max(map(abs, checks)) * units:
            raise AssertionError(f"benchmarks: {task}, {size}: products differ: {checks}")
        found += measured
    return found
