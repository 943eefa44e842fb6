"""Blocks that exist as torch modules, of torch itself and, where they are installed, of libraries nobody here wrote."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra `torch` is not installed")

from resproof.architectures.errors import ArchitectureError  # noqa: E402
from resproof.architectures.importers.torch_graphs import TorchProgram, read_torch  # noqa: E402
from resproof.architectures.text import text  # noqa: E402
from resproof.architectures.values import Values, ones, zero  # noqa: E402
from resproof.cli import main  # noqa: E402
from resproof.proofs.block.modules import compared, from_target  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")
nn: Any = torch.nn
Tensor = Any


class Residual(nn.Module):
    def __init__(self, *layers: Any) -> None:
        super().__init__()
        self.layers = nn.Sequential(*layers)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.layers(x)


class SelfAttention(nn.Module):
    def __init__(self, mask: str = "") -> None:
        super().__init__()
        self.qkv, self.out, self.mask = nn.Linear(8, 24), nn.Linear(8, 8, bias=False), mask

    def forward(self, x: Tensor) -> Tensor:
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, 2, 4).permute(2, 0, 3, 1, 4).unbind(0)
        if self.mask:
            scores = q @ k.transpose(-2, -1) / 2
            hidden = torch.triu(torch.ones(t, t, dtype=torch.bool), diagonal=1)
            o = scores.masked_fill(hidden, float("-inf")).softmax(-1) @ v
        else:
            o = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return x + self.out(o.transpose(1, 2).reshape(b, t, d))


class Multihead(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm, self.attention = nn.LayerNorm(8), nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        n = self.norm(x)
        return x + self.attention(n, n, n, need_weights=False)[0]


class SharedKeys(nn.Module):
    """Two heads of queries with one head of keys and values."""

    def __init__(self) -> None:
        super().__init__()
        self.q, self.kv, self.out = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x: Tensor) -> Tensor:
        b, t, d = x.shape
        q = self.q(x).view(b, t, 2, 4).transpose(1, 2)
        both = self.kv(x).view(b, t, 2, 1, 4).permute(2, 0, 3, 1, 4)
        k, v = both[:, :, :, None].expand(2, b, 1, 2, t, 4).reshape(2, b, 2, t, 4).unbind(0)
        o = (q @ k.transpose(-2, -1)).softmax(-1) @ v
        return x + self.out(o.transpose(1, 2).reshape(b, t, d))


class ChannelsLast(nn.Module):
    """A kernel for each channel, then layers along the channels, as ConvNeXt has them."""

    def __init__(self) -> None:
        super().__init__()
        self.depthwise, self.norm = nn.Conv2d(4, 4, 3, padding=1, groups=4), nn.LayerNorm(4)
        self.up, self.down = nn.Linear(4, 6), nn.Linear(6, 4)
        self.gamma = nn.Parameter(1e-3 * torch.ones(4))

    def forward(self, x: Tensor) -> Tensor:
        u = self.norm(self.depthwise(x).permute(0, 2, 3, 1))
        u = self.gamma * self.down(nn.functional.gelu(self.up(u)))
        return x + u.permute(0, 3, 1, 2)


class Squeezed(nn.Module):
    """Channels weighted by what their means say, and an offset divided by one plus a square."""

    def __init__(self) -> None:
        super().__init__()
        self.pool, self.down, self.up = nn.AdaptiveAvgPool2d(1), nn.Conv2d(4, 2, 1), nn.Conv2d(2, 4, 1)

    def forward(self, x: Tensor) -> Tensor:
        gate = self.up(torch.relu(self.down(self.pool(x))))
        return x + x * torch.sigmoid(gate) / (1 + x.square())


def trained_norm(width: int) -> Any:
    """A BatchNorm with statistics of its own, in evaluation mode."""
    norm = nn.BatchNorm2d(width)
    norm.running_mean, norm.running_var = torch.linspace(-1, 1, width), torch.linspace(0.5, 2, width)
    return norm.eval()


class SingleInside(nn.Module):
    """A root mean square in single precision, as Llama takes it."""

    def __init__(self) -> None:
        super().__init__()
        self.gain, self.out = nn.Parameter(torch.ones(8)), nn.Linear(8, 8)

    def forward(self, x: Tensor) -> Tensor:
        u = x.to(torch.float32)
        u = u * torch.rsqrt(u.pow(2).mean(-1, keepdim=True) + 1e-6)
        return x + self.out(self.gain * u.to(x.dtype))


class Same(nn.Module):
    """A function of the input without parameters, a layer after it."""

    def __init__(self, function: Callable[[Tensor], Tensor], width: int = 8) -> None:
        super().__init__()
        self.function, self.out = function, nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.out(self.function(x))


class Gated(nn.Module):
    """A gate that is one number, and one layer used twice."""

    def __init__(self) -> None:
        super().__init__()
        layer = nn.Linear(8, 8)
        self.net, self.gate = nn.Sequential(layer, nn.Tanh(), layer), nn.Parameter(torch.tensor(0.0))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.gate * self.net(x)


class Pixels(nn.Module):
    """Attention over the places of an image."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(4, 2, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        places = x.flatten(2).transpose(1, 2)
        found = self.attention(places, places, places, need_weights=False)[0]
        return x + found.transpose(1, 2).reshape(x.shape)


class Coupled(nn.Module):
    """Half of the coordinates moved by a function of the others."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Linear(4, 6), nn.Linear(6, 4)

    def forward(self, x: Tensor) -> Tensor:
        p, q = x.chunk(2, -1)
        return torch.cat([p, q + self.b(torch.tanh(self.a(p)))], -1)


class TalkingHeads(nn.Module):
    """Scores of heads mixed by a matrix."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv, self.mix, self.out = nn.Linear(8, 24), nn.Parameter(torch.randn(2, 2)), nn.Linear(8, 8)

    def forward(self, x: Tensor) -> Tensor:
        b, t, d = x.shape
        q, k, v = (u.view(b, t, 2, 4).transpose(1, 2) for u in self.qkv(x).chunk(3, -1))
        weights = torch.einsum("gh,bhts->bgts", self.mix, q @ k.transpose(-2, -1)).softmax(-1)
        return x + self.out((weights @ v).transpose(1, 2).reshape(b, t, d))


class Rotary(nn.Module):
    """Heads whose queries and keys are turned by tables."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv, self.out = nn.Linear(8, 24, bias=False), nn.Linear(8, 8, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        b, t, d = x.shape
        q, k, v = (u.view(b, t, 2, 4).transpose(1, 2) for u in self.qkv(x).chunk(3, -1))
        angle = torch.arange(t)[:, None] * torch.tensor([1.0, 0.01])
        table = torch.cat([angle, angle], -1)

        def turned(u: Tensor) -> Tensor:
            return u * table.cos() + torch.cat([-u[..., 2:], u[..., :2]], -1) * table.sin()

        o = nn.functional.scaled_dot_product_attention(turned(q), turned(k), v, is_causal=True)
        return x + self.out(o.transpose(1, 2).reshape(b, t, d))


class LowRank(nn.Module):
    """A layer that stays, and a product of two that is trained."""

    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Linear(8, 8).requires_grad_(False)
        self.a, self.b = nn.Parameter(torch.randn(2, 8)), nn.Parameter(torch.zeros(8, 2))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.w(x) + 2 * (x @ self.a.T @ self.b.T)


class Mixed(nn.Module):
    """Layers along the tokens, a gate between two halves."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.tokens, self.up, self.down = nn.LayerNorm(8), nn.Linear(5, 5), nn.Linear(8, 12), nn.Linear(6, 8)

    def forward(self, x: Tensor) -> Tensor:
        x = x + torch.tanh(self.tokens(self.norm(x).transpose(1, 2))).transpose(1, 2)
        u, v = self.up(x).chunk(2, -1)
        return x + self.down(nn.functional.silu(u) * v)


FUNCTIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "hardswish": nn.functional.hardswish,
    "hardsigmoid": nn.functional.hardsigmoid,
    "relu6": nn.functional.relu6,
    "leaky relu": nn.functional.leaky_relu,
    "elu": lambda x: nn.functional.elu(x, 0.5),
    "selu": nn.functional.selu,
    "celu": nn.functional.celu,
    "mish": nn.functional.mish,
    "log sigmoid": nn.functional.logsigmoid,
    "softsign": nn.functional.softsign,
    "tanhshrink": nn.functional.tanhshrink,
    "clamp": lambda x: x.clamp(-0.5, 1.0),
    "exp": torch.exp,
    "choice": lambda x: torch.where(x > 0, x, 0.1 * x),
    "glu": lambda x: torch.cat([nn.functional.glu(x), x[..., :4]], -1),
    "own softmax": lambda x: x.exp() / x.exp().sum(-1, keepdim=True),
    "variance": lambda x: (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True, correction=0) + 0.25).sqrt(),
    "padded": lambda x: nn.functional.pad(x[..., 2:], (1, 1)),
}


MODULES: dict[str, tuple[Callable[[], Any], tuple[int, ...], str]] = {
    "mlp": (
        lambda: Residual(nn.LayerNorm(8), nn.Linear(8, 12), nn.GELU(), nn.Linear(12, 8)),
        (5, 8),
        "h + (layers_3 @ gelu(layers_1 @ (layer_norm(h, epsilon=Fraction(1, 100000)) * layers_0 + layers_0_bias) + "
        "layers_1_bias) + layers_3_bias)",
    ),
    "one sample": (lambda: Residual(nn.Linear(8, 8), nn.Tanh()), (8,), "h + tanh(layers_0 @ h + layers_0_bias)"),
    "gelu by tanh": (
        lambda: Residual(nn.Linear(8, 12), nn.GELU("tanh"), nn.Linear(12, 8)),
        (5, 8),
        "h + (layers_2 @ gelu_tanh(layers_0 @ h + layers_0_bias) + layers_2_bias)",
    ),
    "softplus": (
        lambda: Residual(nn.Linear(8, 8), nn.Softplus()),
        (5, 8),
        "h + softplus(layers_0 @ h + layers_0_bias)",
    ),
    "batch norm": (lambda: Residual(nn.Linear(8, 8), nn.BatchNorm1d(8), nn.ReLU()).eval(), (5, 8), ""),
    "fused attention": (SelfAttention, (3, 5, 8), ""),
    "masked attention": (lambda: SelfAttention("masked"), (3, 5, 8), ""),
    "multi-head attention": (Multihead, (3, 5, 8), ""),
    "encoder layer": (
        lambda: nn.TransformerEncoderLayer(8, 2, 12, dropout=0.0, batch_first=True, norm_first=True),
        (3, 5, 8),
        "",
    ),
    "shared keys": (SharedKeys, (3, 5, 8), ""),
    "convolutions": (
        lambda: Residual(
            nn.Conv2d(4, 6, 3, padding=1, bias=False),
            trained_norm(6),
            nn.ReLU(),
            nn.Conv2d(6, 4, (1, 3), padding=(0, 1)),
        ).eval(),
        (2, 4, 3, 5),
        "h + (conv2d(relu((conv2d(h, layers_0) * table1 + table2) * layers_1 + layers_1_bias), layers_3) + "
        "layers_3_bias)",
    ),
    "groups": (
        lambda: Residual(nn.GroupNorm(2, 4), nn.Conv2d(4, 6, 3, padding=1, groups=2), nn.Tanh(), nn.Conv2d(6, 4, 1)),
        (2, 4, 3, 5),
        "",
    ),
    "groups before a whole convolution": (
        lambda: Residual(nn.GroupNorm(2, 4), nn.Tanh(), nn.Conv2d(4, 4, 3, padding=1)),
        (2, 4, 3, 5),
        "",
    ),
    "one group": (
        lambda: Residual(nn.GroupNorm(1, 4), nn.Conv2d(4, 4, 3, padding="same"), nn.Softplus(), nn.GroupNorm(1, 4)),
        (2, 4, 3, 5),
        "",
    ),
    "up and down in size": (
        lambda: Residual(nn.Conv2d(4, 4, 3, stride=1, padding=2), nn.Tanh(), nn.Conv2d(4, 4, 3)),
        (2, 4, 3, 5),
        "h + (conv2d(tanh(conv2d(h, layers_0, stride=1, padding=2) + layers_0_bias), layers_2, stride=1, padding=0) + "
        "layers_2_bias)",
    ),
    "channels last": (
        ChannelsLast,
        (2, 4, 3, 5),
        'h + (Constant(Fraction(1, 1000), "c", 1, 1) + gamma) * (einsum("o c, c y x -> o y x", down, '
        'gelu(einsum("o c, c y x -> o y x", up, layer_norm(conv2d(h, depthwise) + depthwise_bias, '
        "epsilon=Fraction(1, 100000)) * norm + norm_bias) + up_bias)) + down_bias)",
    ),
    "squeeze and excitation": (Squeezed, (2, 4, 3, 5), ""),
    **{name: (lambda f=f: Same(f), (5, 8), "") for name, f in FUNCTIONS.items()},
    "own slope": (lambda: Residual(nn.Linear(8, 8), nn.PReLU()), (5, 8), ""),
    "one layer twice, one number": (Gated, (5, 8), "h + gate * (net_0 @ tanh(net_0 @ h + net_0_bias) + net_0_bias)"),
    "rotary": (Rotary, (3, 5, 8), ""),
    "low rank": (LowRank, (5, 8), "h + (w @ h + w_bias) + 2 * (b @ (a @ h))"),
    "mixed": (Mixed, (3, 5, 8), ""),
    "coupled": (Coupled, (5, 8), ""),
    "talking heads": (TalkingHeads, (3, 5, 8), ""),
    "attention over pixels": (Pixels, (2, 4, 3, 3), ""),
    "convolution along tokens": (lambda: Residual(nn.Conv1d(5, 5, 3, padding=1), nn.Tanh()), (3, 5, 8), ""),
    "instance norm": (lambda: Residual(nn.InstanceNorm2d(4, affine=True), nn.Conv2d(4, 4, 1)), (2, 4, 3, 5), ""),
    "pooled": (lambda: Residual(nn.Conv2d(4, 4, 1), nn.AvgPool2d(3, 1, 1)), (2, 4, 3, 5), ""),
    "single precision inside": (
        SingleInside,
        (3, 5, 8),
        "h + (out @ (gain * rms_norm(h, epsilon=Fraction(1, 1000000))) + out_bias)",
    ),
}


@pytest.mark.parametrize("name", MODULES)
def test_what_is_read_is_what_runs(name: str) -> None:
    make, shape, expected = MODULES[name]
    found = read_torch(make(), shape, "model.py")
    assert not expected or text(found.unit.expression, found.unit.names) == expected
    assert found.unread == ()
    assert all(m.value <= m.bound < 1e-6 * (m.scale or 1.0) for m in compared(found, name))


def test_the_program_is_what_torch_func_gives() -> None:
    module = Residual(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 3)).double()
    x, y = np.random.default_rng(0).standard_normal((2, 5, 3))
    values = {name: p.detach().numpy() for name, p in module.named_parameters()}
    change = {name: np.random.default_rng(1).standard_normal(a.shape) for name, a in values.items()}

    def loss(weights: Any) -> Any:
        return (
            0.5 * ((torch.func.functional_call(module, weights, (torch.as_tensor(x),)) - torch.as_tensor(y)) ** 2).sum()
        )

    hessian = torch.func.hessian(loss)({name: torch.as_tensor(a) for name, a in values.items()})
    product = TorchProgram(module).product(values, change, x, y)
    for name, row in hessian.items():
        expected = sum(np.tensordot(row[k].numpy(), change[k], axes=change[k].ndim) for k in change)
        np.testing.assert_allclose(product[name], expected, rtol=1e-10, atol=1e-12)


def test_initial_values_and_what_is_not_trained() -> None:
    module = Residual(nn.LayerNorm(8), nn.Linear(8, 8), nn.Linear(8, 8, bias=False))
    nn.init.zeros_(module.layers[1].weight)
    module.layers[2].weight.requires_grad_(False)
    found = read_torch(module, (5, 8), "model.py")
    initial = {name: weight.initial for weight, name in found.unit.names.items()}
    assert (initial["layers_0"], initial["layers_0_bias"], initial["layers_1"]) == (ones, zero, zero)
    assert isinstance(initial["layers_1_bias"], Values)
    assert list(found.unit.frozen.values()) == ["layers_2"]
    assert compared(found, "frozen")


@pytest.mark.parametrize(
    ("layer", "message"),
    [
        (nn.Dropout(0.1), "Dropout with p = 0.1 in training mode draws"),
        (nn.BatchNorm1d(8), "BatchNorm in training mode couples the samples"),
        (Same(lambda x: x.cumsum(-1)), "cumsum: the language has no such operation"),
    ],
    ids=["dropout", "batch norm", "sum"],
)
def test_what_cannot_be_read_is_named_with_its_line(layer: Any, message: str) -> None:
    with pytest.raises(ArchitectureError, match=message) as caught:
        _ = read_torch(Residual(nn.Linear(8, 8), layer), (5, 8), __file__)
    assert f"{Path(__file__).name}, line " in str(caught.value)
    if not isinstance(layer, Same):
        assert read_torch(Residual(nn.Linear(8, 8), layer), (5, 8), __file__, evaluation=True)


def test_a_class_in_a_file_is_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "model.py"
    path.write_text(
        "from __future__ import annotations\nimport torch\n"
        "class Block(torch.nn.Module):\n"
        "    def __init__(self, d: int = 3):\n"
        "        super().__init__()\n"
        "        self.up, self.down = torch.nn.Linear(d, 4, bias=False), torch.nn.Linear(4, d, bias=False)\n"
        "        for one in (self.up, self.down):\n            torch.nn.init.zeros_(one.weight)\n"
        "    def forward(self, x):\n        return x + self.down(torch.tanh(self.up(x)))\n"
        "example_input = (8, 3)\n"
    )
    assert text(from_target(f"{path}:Block")[0].unit.expression) == "h + down @ tanh(up @ h)"
    with pytest.raises(SystemExit) as ended:
        main(["check", f"{path}:Block", "--depth", "5"])
    said = capsys.readouterr().out
    assert ended.value.code == 0
    assert "Read from a torch module on an input of 8 x 3: d = 3, k = 4." in said
    assert "up.weight" in said
    assert "GEN-1      PROVED          all R, d, k, m" in said


def imported(module: str, library: str) -> Any:
    """A library's module, if the library is there: they are for development only."""
    return pytest.importorskip(module, reason=f"the extra `modules` is not installed: no {library}")


def mixer() -> Any:
    return imported("timm.models.mlp_mixer", "timm").MixerBlock(8, 5)


def vision() -> Any:
    return imported("torchvision.models.vision_transformer", "torchvision").EncoderBlock(2, 8, 12, 0.0, 0.0)


def timm_block() -> Any:
    return imported("timm.models.vision_transformer", "timm").Block(8, 2, init_values=1e-5, qkv_bias=True)


def convnext() -> Any:
    return imported("timm.models.convnext", "timm").ConvNeXtBlock(4, kernel_size=3)


def basic() -> Any:
    block = imported("torchvision.models.resnet", "torchvision").BasicBlock(4, 4)
    nn.init.zeros_(block.bn2.weight)
    return block.eval()


def gpt2() -> Any:
    models = imported("transformers.models.gpt2.modeling_gpt2", "transformers")
    config = imported("transformers", "transformers").GPT2Config(
        n_embd=8, n_head=2, n_positions=16, attn_implementation="sdpa"
    )
    return models.GPT2Block(config, layer_idx=0).eval()


class Llama(nn.Module):
    """A decoder layer with its rotary tables, on one tensor."""

    def __init__(self, keys: int) -> None:
        super().__init__()
        models = imported("transformers.models.llama.modeling_llama", "transformers")
        config = imported("transformers", "transformers").LlamaConfig(
            hidden_size=8,
            intermediate_size=12,
            num_attention_heads=2,
            num_key_value_heads=keys,
            attn_implementation="sdpa",
        )
        self.layer, self.rotary = models.LlamaDecoderLayer(config, 0), models.LlamaRotaryEmbedding(config)

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x, position_embeddings=self.rotary(x, torch.arange(x.shape[1])[None]))


def llama() -> Any:
    return Llama(2)


def llama_with_shared_keys() -> Any:
    return Llama(1)


TOKENS, IMAGE = (3, 5, 8), (2, 4, 3, 5)
FOREIGN: dict[Callable[[], Any], tuple[tuple[int, ...], str]] = {
    mixer: (TOKENS, ""),
    vision: (TOKENS, ""),
    timm_block: (TOKENS, ""),
    gpt2: (TOKENS, "gelu_tanh(mlp_c_fc @"),
    llama: (TOKENS, "causal_mask()"),
    llama_with_shared_keys: (TOKENS, "causal_mask()"),
    basic: (IMAGE, "relu(conv2d(h, conv1)"),
    convnext: (IMAGE, "conv2d(h, conv_dw)"),
}


@pytest.mark.parametrize("make", FOREIGN, ids=lambda make: make.__name__)
def test_blocks_of_other_libraries(make: Callable[[], Any]) -> None:
    shape, part = FOREIGN[make]
    found = read_torch(make(), shape, "model.py")
    assert found.unread == ()
    assert part in text(found.unit.expression, found.unit.names)
    assert compared(found, make.__name__)
