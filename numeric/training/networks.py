"""Networks that are trained, in JAX, and the derivatives of their losses.

A network is a function of the weights of one run, of X and of how many samples count; it gives f. With phi the units'
activation, N batch normalisation (or nothing), s = 1 with shortcuts and 0 without:

    linear    h_r = W_{r,n} ... W_{r,1} h_{r-1} + s h_{r-1},    h_0 = X,    f = h_R
    blocks    H_0 = phi(W_stem X),    U_b = phi(N(W_inner,b H_{b-1})),
              H_b = psi(N(W_outer,b U_b) + s H_{b-1}),    f = W_head H_B,    psi being phi or the identity

N(a) = (a - mean(a)) (var(a) + epsilon)^(-1/2), over the samples that count, or all of them. Samples are the last axis.
Weights are arrays by name, (runs, rows, columns) or (layers, runs, rows, columns). Runs are made one after the other in
one program, so that what becomes of one does not depend on those beside it.
Sources: Li et al. 2016, Definition 1; He et al. 2016, Figure 2; Ioffe and Szegedy 2015, Algorithm 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from resproof.numeric.data import DataError

Floats = NDArray[np.float64]
Weights: TypeAlias = dict[str, Floats]
Net: TypeAlias = Callable[[Any, Any, int | None], Any]
Loss = Literal["cross-entropy", "squared"]
EPSILON = 1e-5  # that of batch normalisation
NO_JAX = "training needs JAX, which is not installed: pip install 'resproof[experiments]'"


def losses(loss: Loss, output: Any, y: Any, xp: Any = np) -> Any:
    """The mean over samples of -sum_i y_i log softmax(f)_i, or of |f - y|^2/2, of each run; `xp` may be `jax.numpy`."""
    if loss == "squared":
        return 0.5 * xp.sum((output - y) ** 2, axis=(-2, -1)) / output.shape[-1]
    centred = output - xp.max(output, axis=-2, keepdims=True)
    logarithms = centred - xp.log(xp.sum(xp.exp(centred), axis=-2, keepdims=True))
    return -xp.sum(y * logarithms, axis=(-2, -1)) / output.shape[-1]


def accuracy(output: Floats, y: Floats) -> Floats:
    """The share of samples whose greatest output is at the greatest target, of each run; 0 where one is not finite."""
    right = np.argmax(output, axis=-2) == np.argmax(y, axis=-2)
    return np.mean(right & np.isfinite(output).all(axis=-2), axis=-1)


def outputs(net: Net, weights: Weights, x: Floats, counted: int | None = None) -> Floats:
    """f of every run at X; the first `counted` samples give means and variances, all of them by default."""
    return each_run(_output, (net, counted), turned(weights), x)


def gradients(net: Net, loss: Loss, weights: Weights, x: Floats, y: Floats) -> tuple[Floats, Weights]:
    """The loss of every run, and its gradient in the weights, each in the shape of its own."""
    values, found = each_run(value_and_slope, (net, loss), turned(weights), x, y)
    return values, turned(found)


def hessians(net: Net, loss: Loss, weights: Weights, x: Floats, y: Floats) -> Floats:
    """H of every run by its columns H v, weights read by name and row by row; the ReLU's derivative at 0 is 0."""
    return each_run(_hessian, (net, loss), turned(weights), x, y)


def turned(weights: Mapping[str, Any]) -> dict[str, Any]:
    """Weights with the axis of the runs first, and such as they were."""
    return {name: one.swapaxes(0, -3) for name, one in weights.items()}


def each_run(function: Callable[..., Any], how: tuple[Any, ...], own: Any, *shared: Any) -> Any:
    """`function(*how, mine, *shared)` in double precision: `mine` is what a run has of the arrays in `own`, runs first.

    Raises:
        DataError: JAX is not installed.
    """
    try:
        import jax
    except ModuleNotFoundError as error:
        raise DataError(NO_JAX) from error
    with jax.enable_x64(True):
        return jax.tree.map(np.asarray, _program(function, how)(own, *shared))


@cache
def _program(function: Callable[..., Any], how: tuple[Any, ...]) -> Callable[..., Any]:
    import jax

    return jax.jit(lambda own, *shared: jax.lax.map(lambda mine: function(*how, mine, *shared), own))


# Of one run, in JAX.


def _output(net: Net, counted: int | None, one: Any, x: Any) -> Any:
    return net(one, x, counted)


def value_and_slope(net: Net, loss: Loss, one: Any, x: Any, y: Any) -> Any:
    """The loss and its gradient."""
    import jax

    return jax.value_and_grad(lambda at: losses(loss, net(at, x, None), y, jax.numpy))(one)


def _hessian(net: Net, loss: Loss, one: Any, x: Any, y: Any) -> Any:
    import jax
    from jax.flatten_util import ravel_pytree

    flat, restored = ravel_pytree(one)

    def column(v: Any) -> Any:
        return jax.jvp(lambda at: ravel_pytree(value_and_slope(net, loss, restored(at), x, y)[1])[0], (flat,), (v,))[1]

    return jax.lax.map(column, jax.numpy.eye(len(flat)), batch_size=64)


def units(depth: int, layers: Any, h: Any, layer: Callable[[Any, Any], Any]) -> Any:
    """The last H of units with shortcuts over `depth` layers, 0 for none; `layer` is of a layer's weights and H."""
    import jax

    def unit(h: Any, mine: Any) -> Any:
        branch = h
        for each in mine:
            branch = layer(each, branch)
        return (branch + h if depth else branch), None

    return jax.lax.scan(unit, h, layers.reshape(-1, depth or 1, *layers.shape[1:]))[0]


def normalised(a: Any, counted: int | None) -> Any:
    """N(a), row by row or channel by channel."""
    axes, seen = tuple(range(1, a.ndim)), a[..., :counted]
    return (a - seen.mean(axes, keepdims=True)) / (seen.var(axes, keepdims=True) + EPSILON) ** 0.5


@dataclass(frozen=True, slots=True)
class Linear:
    """Shortcuts over so many layers, 0 for none; weights are `layers`."""

    shortcut_depth: int

    def __call__(self, one: Any, x: Any, _: int | None) -> Any:
        """F."""
        return units(self.shortcut_depth, one["layers"], x, lambda layer, h: layer @ h)


@dataclass(frozen=True, slots=True)
class Blocks:
    """Weights are `inner` and `outer`, with `stem` and `head` or without; `after` has phi follow the sum as well."""

    shortcut: bool
    activation: Literal["relu", "linear"] = "relu"
    normalised: bool = True
    after: bool = True

    def __call__(self, one: Any, x: Any, counted: int | None) -> Any:
        """F."""
        return self.passed(one, x, counted, {name: np.zeros((*each.shape[:-1], 1)) for name, each in one.items()})[0]

    def passed(self, one: Any, x: Any, counted: int | None, shifts: Any) -> tuple[Any, ...]:
        """F, H_0, and U_b and H_b of all blocks; `shifts` are added to the products of weights."""
        import jax

        def activated(a: Any) -> Any:
            return jax.nn.relu(a) if self.activation == "relu" else a

        def normal(a: Any) -> Any:
            return normalised(a, counted) if self.normalised else a

        def block(h: Any, mine: Any) -> Any:
            weights, shift = mine
            inside = activated(normal(weights["inner"] @ h + shift["inner"]))
            total = normal(weights["outer"] @ inside + shift["outer"]) + (h if self.shortcut else 0.0)
            after = activated(total) if self.after else total
            return after, (inside, after)

        both = tuple({name: each[name] for name in ("inner", "outer")} for each in (one, shifts))
        first = activated(one["stem"] @ x + shifts["stem"]) if "stem" in one else x
        last, (inside, states) = jax.lax.scan(block, first, both)
        return one["head"] @ last + shifts["head"] if "head" in one else last, first, inside, states
