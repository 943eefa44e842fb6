"""Blocks that exist as JAX functions: read, shown, and compared before anything is said."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from resproof.architectures.activations import gelu, gelu_tanh, relu, sigmoid, silu, softplus, tanh
from resproof.architectures.errors import ArchitectureError
from resproof.architectures.importers.jaxprs import JaxProgram, read_function
from resproof.architectures.importers.modules import Asked, Module, read_module
from resproof.architectures.importers.reading import Reading
from resproof.architectures.importers.rules import exact
from resproof.architectures.rebuild import rebuilt
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.text import text
from resproof.architectures.values import Values, ones, zero
from resproof.cli import main
from resproof.proofs.block.modules import UnconfirmedReadingError, compared, from_target

Parameters = dict[str, Any]
D, K, T = 4, 6, 5


def arrays(**shapes: tuple[int, ...]) -> Parameters:
    generator = np.random.default_rng(0)
    return {name: generator.standard_normal(shape) for name, shape in shapes.items()}


MLP = arrays(W1=(D, K), b1=(K,), W2=(K, D), b2=(D,))
ATTENTION = arrays(Q=(D, K), K=(D, K), V=(D, K), O=(K, D))


def two_layers(activation: Callable[[Any], Any]) -> Callable[[Parameters, Any], Any]:
    return lambda p, x: x + activation(x @ p["W1"] + p["b1"]) @ p["W2"] + p["b2"]


def attention(p: Parameters, x: Any) -> Any:
    scores = (x @ p["Q"]) @ (x @ p["K"]).swapaxes(-1, -2) / 2
    shown = jnp.tril(jnp.ones(scores.shape[-2:], bool))
    return x + jax.nn.softmax(jnp.where(shown, scores, -jnp.inf), axis=-1) @ (x @ p["V"]) @ p["O"]


def heads(p: Parameters, x: Any) -> Any:
    b, t, d = x.shape
    q, k, v = jnp.moveaxis((x @ p["qkv"] + p["b"]).reshape(b, t, 3, 2, d // 2), 2, 0)
    weights = jax.nn.softmax(jnp.einsum("bthk,bshk->bhts", q, k), axis=-1)
    return x + jnp.einsum("bhts,bshk->bthk", weights, v).reshape(b, t, d) @ p["O"]


def norms(p: Parameters, x: Any) -> Any:
    n = jax.nn.standardize(x) * p["gain"] + p["offset"]
    u = (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5)
    r = x * jax.lax.rsqrt(jnp.mean(x**2, axis=-1, keepdims=True) + 1e-6) * p["gain"]
    return x + (n * u + r) @ p["W"]


def mixer(p: Parameters, x: Any) -> Any:
    return x + p["B"] @ jnp.tanh(p["A"] @ x)


def gated(p: Parameters, x: Any) -> Any:
    left, right = jnp.split(x @ p["W1"], 2, axis=-1)
    return x + (jax.nn.silu(left) * right) @ p["W2"]


def rotated(p: Parameters, x: Any) -> Any:
    """Half of the coordinates turned by a table, as in rotary position encoding."""
    q, angle = x @ p["W1"], np.arange(T * K).reshape(T, K)
    half = jnp.concatenate([-q[..., K // 2 :], q[..., : K // 2]], axis=-1)
    return x + (q * np.cos(angle) + half * np.sin(angle)) @ p["W2"]


def one_sample(p: Parameters, x: Any) -> Any:
    return x + p["W2"].T @ jnp.tanh(p["W1"].T @ x + p["b1"]) + p["b2"]


def tied(p: Parameters, x: Any) -> Any:
    return x + jnp.tanh(x @ p["W"]) @ p["W"].T


def filled(p: Parameters, x: Any) -> Any:
    return x + p["scale"] * jnp.tanh(x @ p["W"])


def conv(x: Any, kernel: Any, layout: str = "NCHW", padding: Any = "SAME", **others: Any) -> Any:
    kernels = "OIHW" if layout == "NCHW" else "HWIO"
    numbers = (layout, kernels, layout)
    return jax.lax.conv_general_dilated(x, kernel, (1, 1), padding, dimension_numbers=numbers, **others)


def channels_last(p: Parameters, x: Any) -> Any:
    u = jnp.tanh(conv(x, p["A"], "NHWC") + p["a"])
    return x + conv(u, p["B"], "NHWC") @ p["W"] + p["b"]


def grouped(p: Parameters, x: Any) -> Any:
    u = jnp.tanh(conv(x, p["A"], "NHWC", feature_group_count=2))
    return x + conv(u, p["B"], "NHWC", feature_group_count=4)


def turned_inside(p: Parameters, x: Any) -> Any:
    """Channels first outside, last within."""
    u = conv(jnp.moveaxis(x, 1, -1), p["A"], "NHWC")
    return x + jnp.moveaxis(jnp.tanh(u), -1, 1)


BLOCKS: dict[str, tuple[Callable[[Parameters, Any], Any], Parameters, tuple[int, ...], str]] = {
    "tanh": (two_layers(jnp.tanh), MLP, (T, D), "h + W2 @ tanh(W1 @ h + b1) + b2"),
    "relu": (two_layers(jax.nn.relu), MLP, (T, D), "h + W2 @ relu(W1 @ h + b1) + b2"),
    "sigmoid": (two_layers(jax.nn.sigmoid), MLP, (T, D), "h + W2 @ sigmoid(W1 @ h + b1) + b2"),
    "written sigmoid": (two_layers(lambda u: 1 / (1 + jnp.exp(-u))), MLP, (T, D), "h + W2 @ sigmoid(W1 @ h + b1) + b2"),
    "silu": (two_layers(jax.nn.silu), MLP, (T, D), "h + W2 @ silu(W1 @ h + b1) + b2"),
    "softplus": (two_layers(jax.nn.softplus), MLP, (T, D), "h + W2 @ softplus(W1 @ h + b1) + b2"),
    "gelu": (
        two_layers(lambda u: jax.nn.gelu(u, approximate=False)),
        MLP,
        (T, D),
        "h + W2 @ gelu(W1 @ h + b1) + b2",
    ),
    "written gelu": (
        two_layers(lambda u: u * 0.5 * (1 + jax.lax.erf(u / jnp.sqrt(2.0)))),
        MLP,
        (T, D),
        "h + W2 @ gelu(W1 @ h + b1) + b2",
    ),
    "gelu by tanh": (two_layers(jax.nn.gelu), MLP, (T, D), "h + W2 @ gelu_tanh(W1 @ h + b1) + b2"),
    "one sample": (one_sample, MLP, (D,), "h + W2 @ tanh(W1 @ h + b1) + b2"),
    "attention of one sample": (
        attention,
        ATTENTION,
        (T, D),
        "h + O @ (V @ h @ softmax(Fraction(1, 2) * ((K @ h).T @ (Q @ h)), axis=0, mask=causal_mask()))",
    ),
    "attention": (
        attention,
        ATTENTION,
        (3, T, D),
        "h + O @ (V @ h @ softmax(Fraction(1, 2) * ((K @ h).T @ (Q @ h)), axis=0, mask=causal_mask()))",
    ),
    "heads": (heads, arrays(qkv=(D, 3 * D), b=(3 * D,), O=(D, D)), (3, T, D), ""),
    "norms": (
        norms,
        arrays(gain=(D,), offset=(D,), W=(D, D)),
        (T, D),
        "h + W @ ((layer_norm(h, epsilon=Fraction(1, 100000)) * gain + offset) * layer_norm(h, epsilon=Fraction(1, "
        "100000)) + rms_norm(h, epsilon=Fraction(1, 1000000)) * gain)",
    ),
    "mixer": (mixer, arrays(A=(3, T), B=(T, 3)), (3, T, D), "h + tanh(h @ A) @ B"),
    "gated": (gated, arrays(W1=(D, 2 * K), W2=(K, D)), (T, D), "h + W2 @ (silu(W1_1 @ h) * (W1_2 @ h))"),
    "rotated": (rotated, arrays(W1=(D, K), W2=(K, D)), (3, T, D), ""),
    "quotient": (
        lambda p, x: x + (x / (1 + x * x)) @ p["W"],
        arrays(W=(D, D)),
        (T, D),
        "h + W @ (h * reciprocal(1 + h * h))",
    ),
    "sliced": (
        lambda p, x: x + jnp.concatenate([jnp.tanh(x[:, 2:]) @ p["W"], x[:, :2] @ p["V"]], axis=-1),
        arrays(W=(D - 2, 2), V=(2, D - 2)),
        (T, D),
        "",
    ),
    "convolutions": (
        lambda p, x: x + conv(jnp.tanh(conv(x, p["A"], padding=((1, 1), (0, 0)))), p["B"], padding=((0, 0), (2, 2))),
        arrays(A=(6, D, 3, 3), B=(D, 6, 1, 3)),
        (2, D, 3, 5),
        'h + einsum("o c a b, p a q b c -> o p q", B, einsum("y p a, q b c y -> p a q b c", '
        'Constant("window 1 0", "y", "y", 1), einsum("x q b, c y x -> q b c y", Constant("window 1 2", 3, 5, 3), '
        'tanh(einsum("o c a b, p a q b c -> o p q", A, einsum("y p a, q b c y -> p a q b c", '
        'Constant("window 1 1", "y", "y", 3), einsum("x q b, c y x -> q b c y", Constant("window 1 0", 5, 3, 3), '
        "h)))))))",
    ),
    "channels last": (
        channels_last,
        arrays(A=(3, 3, D, K), a=(K,), B=(3, 1, K, K), W=(K, D), b=(D,)),
        (2, 3, 5, D),
        'h + einsum("o c, c y x -> o y x", W, conv2d(tanh(conv2d(h, A) + a), B)) + b',
    ),
    "groups of channels": (
        grouped,
        arrays(A=(3, 3, D // 2, D), B=(3, 3, 1, D)),
        (2, 3, 5, D),
        'h + conv2d(einsum("c g k, g k y x -> c y x", Constant("split", "k*l", "k", "l"), tanh(einsum("g o i a b, p a '
        'q b g i -> g o p q", A, einsum("y p a, q b g i y -> p a q b g i", Constant("window 1 1", "y", "y", 3), '
        'einsum("x q b, g i y x -> q b g i y", Constant("window 1 1", "x", "x", 3), einsum("c g k, c y x -> g k y x", '
        'Constant("split", "k*l", "k", "l"), h)))))), B)',
    ),
    "channels last within": (turned_inside, arrays(A=(3, 3, D, D)), (2, D, 3, 5), "h + tanh(conv2d(h, A))"),
    "tied": (tied, arrays(W=(D, K)), (T, D), "h + W.T @ tanh(W @ h)"),
    "computed kernel": (
        lambda p, x: x + conv(x, jnp.tanh(p["A"][:D])) + conv(x, p["A"][D:]),
        arrays(A=(2 * D, D, 3, 3)),
        (2, D, 3, 5),
        "h + conv2d(h, tanh(A_1)) + conv2d(h, A_2)",
    ),
    "padded kernel": (
        lambda p, x: x + conv(x, jnp.pad(p["A"], ((0, 1), (0, 0), (0, 0), (0, 0)))),
        arrays(A=(D - 1, D, 3, 3)),
        (2, D, 3, 5),
        "",
    ),
    "exp": (lambda p, x: x + jnp.exp(x) @ p["W"], arrays(W=(D, D)), (T, D), "h + W @ exp(h)"),
    "choice": (
        lambda p, x: x + jnp.where(x > 0, x, 2 * x) @ p["W"],
        arrays(W=(D, D)),
        (T, D),
        "",
    ),
    "elu": (lambda p, x: x + jax.nn.elu(x) @ p["W"], arrays(W=(D, D)), (T, D), ""),
    "leaky relu": (lambda p, x: x + jax.nn.leaky_relu(x) @ p["W"], arrays(W=(D, D)), (T, D), ""),
    "hard swish": (lambda p, x: x + jax.nn.hard_swish(x) @ p["W"], arrays(W=(D, D)), (T, D), ""),
    "clipped": (lambda p, x: x + jnp.clip(x, -1.0, 0.5) @ p["W"], arrays(W=(D, D)), (T, D), ""),
    "absolute": (lambda p, x: x + jnp.abs(x) @ p["W"], arrays(W=(D, D)), (T, D), "h + W @ (relu(h) + relu(-h))"),
    "number": (lambda p, x: x + p["g"] * jnp.tanh(x @ p["W"]), arrays(g=(), W=(D, D)), (T, D), ""),
    "used whole and in parts": (
        lambda p, x: x + jnp.tanh(x @ p["W"]) * jnp.concatenate([(x @ p["W"])[:, 1:], (x @ p["W"])[:, :1]], axis=-1),
        arrays(W=(D, D)),
        (T, D),
        "",
    ),
    "filled": (
        filled,
        {"scale": np.full(D, np.float32(0.1)), "W": np.zeros((D, D))},
        (T, D),
        'h + (Constant(Fraction(1, 10), "d", 1) + scale) * tanh(W @ h)',
    ),
}


def read(name: str) -> Reading:
    function, parameters, shape, _ = BLOCKS[name]
    return read_function(function, parameters, shape, "blocks.py")


@pytest.mark.parametrize("name", BLOCKS)
def test_what_is_read_is_what_runs(name: str) -> None:
    found, expected = read(name), BLOCKS[name][3]
    assert not expected or text(found.unit.expression, found.unit.names) == expected
    assert found.unread == ()
    measured = compared(found, name)
    assert [m.quantity for m in measured] == ["output", "gradient", "Hessian-vector product"]
    assert all(m.value <= m.bound < 1e-6 * (m.scale or 1.0) for m in measured)


OTHERS = {gelu_tanh: gelu, tanh: silu, silu: gelu, gelu: silu, relu: softplus, softplus: relu, sigmoid: tanh}


@pytest.mark.parametrize("name", ["tanh", "gelu", "gelu by tanh", "attention", "gated"])
def test_another_expression_is_not_confirmed(name: str) -> None:
    found = read(name)
    wrong = rebuilt(found.unit.expression, activation=lambda a: OTHERS[a])
    if wrong is found.unit.expression or name == "attention":
        wrong = found.unit.expression * 2 - (found.unit.expression * 1)
        wrong = wrong * exact(1 + 1e-6)
    unit = ResidualUnit(wrong, found.unit.names)
    changed = Reading(unit, found.parts, found.sizes, found.parameters, found.shape, found.program)
    with pytest.raises(UnconfirmedReadingError, match="differ at random weights"):
        _ = compared(changed, name)


def test_a_function_that_mixes_samples_is_not_what_one_sample_says() -> None:
    def centred(p: Parameters, x: Any) -> Any:
        return x + jnp.tanh((x - x.mean(axis=0, keepdims=True)) @ p["W"])

    found = read_function(centred, arrays(W=(D, D)), (3, T, D), "blocks.py")
    with pytest.raises(UnconfirmedReadingError):
        _ = compared(found, "centred")


@pytest.mark.parametrize(
    ("convolve", "message"),
    [
        (lambda x, k: conv(x, k, padding=((0, 2), (1, 1))), "padding .* expected as much on either side"),
        (lambda x, k: conv(x, k, rhs_dilation=(2, 2)), "a convolution with dilation"),
        (lambda x, k: conv(x, k[:, :, ::-1]), "rev: the language has no such operation"),
    ],
    ids=["uneven", "dilated", "turned"],
)
def test_a_convolution_that_cannot_be_read_is_named(convolve: Callable[[Any, Any], Any], message: str) -> None:
    with pytest.raises(ArchitectureError, match=message):
        _ = read_function(lambda p, x: x + convolve(x, p["A"]), arrays(A=(D, D, 3, 3)), (2, D, 3, 5), "blocks.py")


def test_a_flax_module_with_convolutions() -> None:
    linen: Any = pytest.importorskip("flax.linen", reason="the extra `modules` is not installed: no Flax")

    class Block(linen.Module):  # type: ignore[misc]
        @linen.compact
        def __call__(self, x: Any) -> Any:
            u = linen.relu(linen.BatchNorm(use_running_average=True)(linen.Conv(K, (3, 3))(linen.LayerNorm()(x))))
            return x + linen.Conv(D, (1, 3), kernel_init=linen.initializers.zeros, use_bias=False)(u)

    found = read_module(Module("blocks.py", "block", Block(), {}), Asked("2x3x5x4"))
    assert found.shape == (2, D, 3, 5)
    assert text(found.unit.expression, found.unit.names).startswith("h + conv2d(relu(")
    assert {name: w.initial for w, name in found.unit.names.items()}["Conv_1"] == zero
    assert compared(found, "block")


@pytest.mark.parametrize("heads", [1, 2])
def test_flax_attention(heads: int) -> None:
    linen: Any = pytest.importorskip("flax.linen", reason="the extra `modules` is not installed: no Flax")

    class Block(linen.Module):  # type: ignore[misc]
        @linen.compact
        def __call__(self, x: Any) -> Any:
            normed, mask = linen.LayerNorm()(x), linen.make_causal_mask(jnp.ones(x.shape[:2]))
            return x + linen.MultiHeadDotProductAttention(num_heads=heads, qkv_features=8, out_features=4)(
                normed, mask=mask
            )

    found = read_module(Module("blocks.py", "block", Block(), {}), Asked("3x5x4"))
    assert "mask=causal_mask()" in text(found.unit.expression, found.unit.names)
    assert found.sizes == ({"d": D, "t": T, "k": 8, "l": 8} if heads == 1 else {"d": D, "t": T, "k": 2, "l": 4, "p": 4})
    assert compared(found, "block")


def test_an_equinox_module() -> None:
    equinox: Any = pytest.importorskip("equinox", reason="the extra `modules` is not installed: no Equinox")
    keys = jax.random.split(jax.random.key(0), 2)

    class Block(equinox.Module):  # type: ignore[misc]
        up: Any = equinox.nn.Linear(D, K, key=keys[0])
        down: Any = equinox.nn.Linear(K, D, key=keys[1])
        norm: Any = equinox.nn.LayerNorm(D)

        def __call__(self, x: Any) -> Any:
            return x + self.down(jax.nn.gelu(self.up(self.norm(x))))

    found = read_module(Module("blocks.py", "block", Block(), {}), Asked((D,)))
    shown = "h + (down @ gelu_tanh(up @ (norm * layer_norm(h, epsilon=Fraction(1, 100000)) + norm_bias) + up_bias)"
    assert text(found.unit.expression, found.unit.names) == f"{shown} + down_bias)"
    assert compared(found, "block")


@pytest.mark.parametrize("groups", [1, 2])
def test_groups_of_channels_are_normalised_together(groups: int) -> None:
    def block(p: Parameters, x: Any) -> Any:
        apart = x.reshape((*x.shape[:-1], groups, -1))
        centred = apart - apart.mean(axis=(1, 2, 4), keepdims=True)
        normed = centred / jnp.sqrt((centred**2).mean(axis=(1, 2, 4), keepdims=True) + 0.25)
        return x + conv_last(jnp.tanh(normed.reshape(x.shape) * p["g"]), p["A"])

    found = read_function(block, arrays(A=(3, 3, 4, 4), g=(4,)), (2, 3, 5, 4), "blocks.py")
    assert "epsilon=Fraction(1, 4)" in text(found.unit.expression, found.unit.names)
    assert compared(found, "block")


def conv_last(x: Any, kernel: Any) -> Any:
    return jax.lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


@pytest.mark.parametrize("given", [{"num_groups": 2}, {"num_groups": None, "group_size": 2, "use_scale": False}])
def test_a_flax_group_norm(given: dict[str, Any]) -> None:
    linen: Any = pytest.importorskip("flax.linen", reason="the extra `modules` is not installed: no Flax")

    class Block(linen.Module):  # type: ignore[misc]
        @linen.compact
        def __call__(self, x: Any) -> Any:
            return x + linen.Conv(4, (3, 3))(jnp.tanh(linen.GroupNorm(**given)(x)))

    assert compared(read_module(Module("blocks.py", "block", Block(), {}), Asked("2x3x5x4")), "block")
    assert compared(read_module(Module("blocks.py", "block", linen.GroupNorm(**given), {}), Asked("2x5x4")), "block")


def test_the_program_is_what_a_plain_loop_gives() -> None:
    """jax.hessian of the loss written out, times the direction."""
    function, parameters, _, _ = BLOCKS["tanh"]
    generator = np.random.default_rng(1)
    x, y = generator.standard_normal((2, 3, D))
    program = JaxProgram(
        lambda values, inputs: function(dict(zip(parameters, values, strict=True)), inputs), tuple(MLP)
    )
    flat, shapes = np.concatenate([a.ravel() for a in MLP.values()]), [a.shape for a in MLP.values()]

    def loss(vector: Any) -> Any:
        parts = jnp.split(vector, np.cumsum([int(np.prod(s)) for s in shapes])[:-1])
        values = {n: part.reshape(s) for n, part, s in zip(MLP, parts, shapes, strict=True)}
        return sum(0.5 * jnp.sum((function(values, row) - target) ** 2) for row, target in zip(x, y, strict=True))

    with jax.enable_x64(True):
        hessian, slope = jax.jit(lambda w: (jax.hessian(loss)(w), jax.grad(loss)(w)))(jnp.asarray(flat))
    change = {name: generator.standard_normal(a.shape) for name, a in MLP.items()}
    product = program.product(MLP, change, x, y)
    expected = np.asarray(hessian) @ np.concatenate([a.ravel() for a in change.values()])
    gradient = program.gradient(MLP, x, y)
    np.testing.assert_allclose(np.concatenate([np.ravel(a) for a in product.values()]), expected, rtol=1e-10)
    np.testing.assert_allclose(np.concatenate([np.ravel(a) for a in gradient.values()]), slope, rtol=1e-10)


def test_initial_values_are_the_parameters_own() -> None:
    parameters = {"W1": np.zeros((D, K)), "b1": np.ones(K), "W2": np.eye(K)[:, :D] * 0, "b2": arrays(b=(D,))["b"]}
    found = read_function(BLOCKS["tanh"][0], parameters, (T, D), "blocks.py")
    initial = {name: weight.initial for weight, name in found.unit.names.items()}
    assert (initial["W1"], initial["b1"], initial["W2"]) == (zero, ones, zero)
    assert isinstance(initial["b2"], Values)
    assert initial["b2"].floats == tuple(parameters["b2"])
    assert initial["b2"].words == "b2"


def test_parts_go_back_to_where_they_were_taken() -> None:
    found = read("heads")
    whole = np.arange(D * 3 * D, dtype=float).reshape(D, 3 * D)
    again = np.zeros_like(whole)
    for part in found.parts.values():
        if part.parameter == "qkv":
            part.whole(again)[part.place] += part.back(part.of(whole))
    np.testing.assert_array_equal(again, whole)


UNREADABLE: dict[str, tuple[str, str]] = {
    "sort": ("jnp.sort(x, axis=-1)", "sort: the language has no such operation"),
    "erf": ("jax.lax.erf(x)", "no word for erf outside a gelu"),
    "root": ("x / jnp.sqrt(1 + x * x)", "no word for a square root outside a normalisation"),
    "choice": ("jnp.where(x.sum() > 0, x, 2 * x)", "a choice that depends on the input"),
    "maximum": ("x - x.max(axis=-1, keepdims=True)", "no word for a maximum outside a softmax"),
    "power": ("x ** 1.5", "the power 1.5; expected a whole one"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_cannot_be_read_is_named_with_its_line(name: str, tmp_path: Path) -> None:
    source, message = UNREADABLE[name]
    path = tmp_path / "model.py"
    path.write_text(
        "import jax\nimport jax.numpy as jnp\nparams = {'W': jnp.zeros((4, 4))}\nexample_input = (5, 4)\n"
        f"def block(p, x):\n    u = {source}\n    return x + u @ p['W']\n"
    )
    with pytest.raises(ArchitectureError, match=message) as caught:
        _ = from_target(f"{path}:block")
    assert "model.py, line 6" in str(caught.value)


def test_bad_use_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "model.py"
    path.write_text(
        "import jax\ndef block(p, x):\n    return x\ndef other(p, x):\n    return x @ p\nother_params = 1\n"
    )
    for arguments, message in (
        ([f"{path}:block"], "block is a JAX module; expected samples x width"),
        ([f"{path}:block", "--input", "many"], "the shape of its input is 'many'"),
        ([f"{path}:block", "--input", "4x4"], "expected block(params, x) and its parameters"),
        ([f"{path}:other", "--input", "4x4x4x4x4"], "expected (samples, width)"),
        ([f"{path}:other", "--input", "4x4", "--evaluation"], "expected one of torch"),
    ):
        with pytest.raises(SystemExit) as ended:
            main(["check", *arguments])
        said = capsys.readouterr()
        assert ended.value.code == 2
        assert message in said.err, said.err
        assert len(said.err.splitlines()) == 1


def test_a_callable_tree_has_its_arrays_for_parameters() -> None:
    """As Equinox has modules: registered as a tree, called on one sample."""

    @jax.tree_util.register_pytree_with_keys_class
    class Layer:
        def __init__(self, weight: Any, bias: Any) -> None:
            self.weight, self.bias = weight, bias

        def tree_flatten_with_keys(self) -> Any:
            key = jax.tree_util.GetAttrKey
            return ((key("weight"), self.weight), (key("bias"), self.bias)), None

        @classmethod
        def tree_unflatten(cls, _: Any, children: Any) -> Any:
            return cls(*children)

        def __call__(self, x: Any) -> Any:
            return x + self.weight @ jnp.tanh(x) + self.bias

    layer = Layer(jnp.zeros((D, D)), jnp.zeros(D))
    found = read_module(Module("model.py", "layer", layer, {}), Asked((D,)))
    assert text(found.unit.expression, found.unit.names) == "h + weight @ tanh(h) + bias"
    assert compared(found, "layer")


def test_check_says_what_it_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "model.py"
    path.write_text(
        "import jax.numpy as jnp\nparams = {'W1': jnp.zeros((3, 4)), 'W2': jnp.zeros((4, 3))}\n"
        "def block(p, x):\n    return x + jnp.tanh(x @ p['W1']) @ p['W2']\n"
    )
    with pytest.raises(SystemExit) as ended:
        main(["check", f"{path}:block", "--input", "8x3", "--depth", "5"])
    said = capsys.readouterr().out
    assert ended.value.code == 0
    assert "h + W2 @ tanh(W1 @ h)" in said
    assert "Read from a JAX module on an input of 8 x 3: d = 3, k = 4." in said
    assert "W1.T" in said
    assert "the Hessian-vector products of both differ by" in said
    assert "GEN-1      PROVED          all R, d, k, m" in said


def test_numbers_are_what_their_shortest_decimals_say() -> None:
    assert str(exact(0.1)) == "1/10"
    assert str(exact(1e-5)) == "1/100000"
    assert str(exact(1 / 3)) == "1/3"
    with pytest.raises(ArchitectureError, match="finite"):
        _ = exact(float("nan"))
