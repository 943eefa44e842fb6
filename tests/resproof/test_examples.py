"""Every file of examples/ is a paper whose statements go through; those of examples/blocks/ are blocks."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from resproof import check
from resproof.architectures.files import of_opened, opened
from resproof.architectures.losses import squared
from resproof.architectures.networks import Network
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.backend import ops
from resproof.numeric.data import bind
from resproof.numeric.network.adjoint import hvp
from resproof.numeric.network.parameters import flatten, initial_weights, parameter_count, random_weights, unflatten
from resproof.proofs.block import general
from resproof.proofs.block.spectrum import spectrum
from resproof.proofs.own import statements_of
from resproof.proofs.verdict import run

FOLDER = Path(__file__).parents[2] / "examples"
FILES = sorted(FOLDER.glob("*.py"))
GPT2 = f"{FOLDER / 'blocks' / 'gpt2.py'}:block"
LLAMA = f"{FOLDER / 'blocks' / 'llama.py'}:block"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_its_statements_are_proved_for_all_sizes(path: Path) -> None:
    found = [run(one) for one in statements_of(str(path))]
    assert len(found) >= 3
    assert {(one.verdict, one.all_sizes) for one in found} == {("PROVED", True)}, [one.reason for one in found]


def test_a_llama_block_is_proved_has_a_spectrum_and_is_told_in_lines() -> None:
    found = check(LLAMA, units=12, sizes={"d": 8, "k": 4, "f": 12, "t": 6})
    assert found.parameters == 5184
    assert [(one.id, one.verdict) for one in found.statements][:2] == [("GEN-1", "PROVED"), ("GEN-2", "PROVED")]
    assert found.regime == "grows with depth"
    assert found.spectrum is not None
    assert found.spectrum.extremes is not None
    assert found.spectrum.extremes.smallest < 0.0 < found.spectrum.extremes.largest
    assert (found.spectrum.negative, found.spectrum.zero, found.spectrum.positive) == (1536, 2112, 1536)
    assert [row.largest is not None for row in found.depths] == [True] * 3
    assert max(map(len, (*found.expression_lines, *found.form_lines))) < 250
    assert found.expression_lines[-1] == "n2 + down @ (silu(gate @ n3) * (up @ n3))"


def test_linear_attention_with_its_normaliser_has_one_spectrum_at_every_depth() -> None:
    found = check(f"{FOLDER / 'blocks' / 'linear_attention.py'}:block", units=12, sizes={"d": 4, "k": 2, "t": 3})
    assert (found.regime, found.unconfirmed) == ("depth-invariant", ())
    assert [(one.id, one.verdict) for one in found.statements][:2] == [("GEN-1", "PROVED"), ("GEN-2", "PROVED")]
    assert "reciprocal(" in (found.diagonal or "")


def test_a_small_gpt_is_seen_through_its_final_norm() -> None:
    draw = np.random.default_rng(3)
    x, y = np.eye(4)[draw.integers(4, size=(3, 3))].swapaxes(1, 2), draw.integers(4, size=(3, 3))
    target = f"{FOLDER / 'blocks' / 'small_gpt.py'}:network"
    found = check(target, data=(x, y), sizes={"d": 4, "k": 2, "f": 3})
    assert found.unconfirmed == ()
    verdicts = {one.id: one.verdict for one in found.statements}
    assert [verdicts[name] for name in ("GEN-1", "GEN-2", "GEN-10")] == ["PROVED"] * 3
    assert "head.C[" in (found.diagonal or "")
    assert "head.g3, head.b3, head.C, trained too" in " ".join(found.spectrum.notes if found.spectrum else ())


GPT2_SIZES = {"d": 4, "heads": 2, "k": 2, "f": 3, "t": 3}


def test_a_gpt2_block_is_proved_for_all_sizes() -> None:
    found = check(GPT2, units=12, sizes=GPT2_SIZES)
    assert (found.regime, found.unconfirmed) == ("grows with depth", ())
    assert [(one.id, one.verdict) for one in found.statements][:2] == [("GEN-1", "PROVED"), ("GEN-2", "PROVED")]
    assert found.statements[0].scope == "all R, heads, d, k, f, t, m"


def test_products_of_a_gpt2_block_are_those_of_the_plain_network() -> None:
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    jnp = jax.numpy
    unit = of_opened(opened(GPT2), every=True).unit
    x, y = np.random.default_rng(1).standard_normal((2, 2, 4, 3))
    weights, moved = (random_weights(unit, 2, {**GPT2_SIZES, "m": 2}, ops(np), seed, scale=0.7) for seed in (2, 3))
    mask = jnp.arange(3)[:, None] <= jnp.arange(3)[None, :]

    def normed(f: Any) -> Any:
        return (f - f.mean(axis=0)) / jnp.sqrt(f.var(axis=0) + 1e-5)

    def block(f: Any, w: Any) -> Any:
        n = w["g1"] * normed(f) + w["b1"]
        for g in (0, 1):
            q, k, v = (w[name].reshape(2, 2, 4)[g] @ n for name in "QKV")
            attend = jax.nn.softmax(jnp.where(mask, k.T @ q, -jnp.inf), axis=0)
            f = f + w["O"].reshape(4, 2, 2)[:, g] @ v @ attend
        hidden = jax.nn.gelu(w["W1"] @ (w["g2"] * normed(f) + w["b2"]) + w["c1"], approximate=False)
        return f + w["W2"] @ hidden + w["c2"]

    def loss(w: Any) -> Any:
        ends = [block(block(x[i], {n: a[0] for n, a in w.items()}), {n: a[1] for n, a in w.items()}) for i in (0, 1)]
        return sum(0.5 * jnp.sum((f - y[i]) ** 2) for i, f in enumerate(ends)) / 2

    plain = jax.jvp(jax.grad(loss), (weights,), (moved,))[1]
    for name, image in hvp(Network(unit, 2), weights, moved, x, y).items():
        assert np.allclose(image, plain[name], atol=1e-10)


def test_a_large_block_has_its_products_compared_at_small_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(general, "MOST", 50)
    found = check(GPT2, units=3, sizes={**GPT2_SIZES, "f": 9})
    assert found.unconfirmed == ()
    assert any("heads=3, k=3, f=3" in m.sizes for one in found.statements[:1] for m in one.measurements)


def test_its_extremes_are_those_of_the_dense_hessian() -> None:
    given = of_opened(opened(LLAMA), ["d=4", "k=2", "f=3", "t=3"], every=True)
    x, y = np.random.default_rng(1).standard_normal((2, 3, 4, 3))
    counted = spectrum(given.unit, 4, x, y, sizes=given.sizes, dense=50)
    assert counted.eigenvalues is None
    assert counted.extremes is not None
    sizes = bind("spectrum", given.unit, x, given.sizes)
    values = np.linalg.eigvalsh(_dense(given.unit, 4, x, y, sizes))
    scale = float(np.abs(values).max())
    assert abs(counted.extremes.largest - values[-1]) <= 1e-9 * scale
    assert abs(counted.extremes.smallest - values[0]) <= 1e-9 * scale
    zero = np.abs(values) <= 1e-12 * scale
    counts = (np.sum(values[~zero] < 0), np.sum(zero), np.sum(values[~zero] > 0))
    assert (counted.negative, counted.zero, counted.positive) == counts


def _dense(unit: ResidualUnit, units: int, x: np.ndarray, y: np.ndarray, sizes: Mapping[str, int]) -> np.ndarray:
    """The running network's Hessian, column by column, all of which go through together."""
    one, count = Network(unit, units, squared), units * parameter_count(unit, sizes)
    weights = initial_weights(unit, units, sizes, ops(np), shared=True)
    dense = np.asarray(flatten(unit, hvp(one, weights, unflatten(unit, np.eye(count), units, sizes), x, y)))
    return (dense + dense.T) / 2
