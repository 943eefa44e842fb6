"""Networks with a stem and a head in `check`: D and A through the head against jax.hessian of the whole network."""

from __future__ import annotations

import math
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from resproof.architectures.activations import polynomial, tanh
from resproof.architectures.algebra import layer_norm, softmax
from resproof.architectures.errors import ArchitectureError
from resproof.architectures.losses import LOSSES, loss
from resproof.architectures.networks import HEAD, Network, Stack
from resproof.architectures.nodes import Activation, Constant, Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import normal, ones
from resproof.architectures.variations import held_fixed
from resproof.numeric.backend import ops
from resproof.numeric.data import DataError
from resproof.numeric.network import adjoint, stacked
from resproof.numeric.network.adjoint import gradient, hvp, value
from resproof.numeric.network.parameters import initial_weights, random_weights
from resproof.numeric.network.readout import through
from resproof.numeric.network.running_error import bounded_product
from resproof.numeric.network.taylor import loss_series
from resproof.numeric.spectra.contract import environment, hessian_vector
from resproof.proofs.block.check import Check, check, requirement
from resproof.proofs.block.stacks import seen_from_units
from resproof.proofs.statement import Context, Data
from resproof.reporting.check import of_network
from resproof.reporting.spectrum import of_network as spectrum_of
from resproof.symbolic.index.expansion import expansion
from resproof.symbolic.index.lift import terms_of_forms
from tests.plain_blocks import nested
from tests.proofs.eigenvalues import listed

jax = pytest.importorskip("jax")
jax.config.update("jax_enable_x64", True)
jnp = jax.numpy
flatten_util = pytest.importorskip("jax.flatten_util")

UNITS = 3
SIZES = {"k": 2, "d": 3, "c": 2}
DRAW = np.random.default_rng(4)
X = DRAW.standard_normal((4, 9))
LABELS = DRAW.integers(2, size=9)
TARGETS = DRAW.standard_normal((2, 9))


def _two_layers() -> Expression:
    h = Input("d")
    return h + Weight("d", "k", name="V") @ tanh(Weight("k", "d", name="W") @ h)


def _one_layer() -> Expression:
    return _layer_of(tanh)


def _layer_of(activation: Activation) -> Expression:
    h = Input("d")
    return h + Weight("d", "d", name="W") @ activation(h)


PLAIN = {
    "two layers": (_two_layers, lambda h, w: h + w["V"] @ jnp.tanh(w["W"] @ h)),
    "one layer": (_one_layer, lambda h, w: h + w["W"] @ jnp.tanh(h)),
}


def _stack(name: str, of: str, *, trained: bool = False, normed: bool = False) -> Stack:
    x, h = Input("p"), Input("d")
    final = Weight("d", name="gain", initial=[[2], [-1], [3]], trainable=trained) * layer_norm(h, epsilon=1) + Weight(
        "d", name="shift", initial=ones, trainable=trained
    )
    return Stack(
        stem=tanh(Weight("d", "p", name="E", initial=normal(), trainable=False) @ x),
        units=[PLAIN[name][0]()] * UNITS,
        head=Weight("c", "d", name="C", initial=normal(1), trainable=trained) @ (final if normed else h)
        + Weight("c", name="o", initial=[[1], [-1]], trainable=False),
        loss=of,
    )


def _whole_hessian(name: str, stack: Stack, of: str) -> np.ndarray:
    """jax.hessian at the initial point in all parameters, in the order of `stacked.shapes`."""
    weights = stacked.initial_weights(stack, {**SIZES, "p": 4}, ops(np), 0, shared=True)
    known = stacked.shapes(stack, {**SIZES, "p": 4})

    def total(vector: Any) -> Any:
        w, start = dict(weights), 0
        for key, (rows, cols) in known.items():
            w[key] = vector[start : start + rows * cols].reshape(cols, rows).T
            start += rows * cols
        h = jnp.tanh(w["stem.E"] @ X)
        for r in range(1, UNITS + 1):
            h = PLAIN[name][1](h, {key: w[f"{r}.{key}"] for key in ("V", "W") if f"{r}.{key}" in w})
        if "head.gain" in w:
            centred = h - h.mean(axis=0)
            h = w["head.gain"] * centred / jnp.sqrt((centred**2).mean(axis=0) + 1) + w["head.shift"]
        f = w["head.C"] @ h + np.array([[1.0], [-1.0]])
        if of == "squared":
            return 0.5 * jnp.sum((f - TARGETS) ** 2) / 9
        return jnp.mean(jax.nn.logsumexp(f, axis=0) - f[LABELS, jnp.arange(9)])

    return np.asarray(jax.jit(jax.hessian(total))(stacked.flatten(stack, weights)))


def _checked(stack: Stack, y: Any) -> Check:
    seen = seen_from_units(stack, Data(X, y, "data"), SIZES, Context())
    return check(seen.unit, "network", seen.setting)


@pytest.mark.parametrize("normed", [False, True])
@pytest.mark.parametrize("of", LOSSES)
@pytest.mark.parametrize("name", PLAIN)
def test_the_spectrum_under_a_frozen_head_is_that_of_the_whole_network(name: str, of: str, normed: bool) -> None:
    stack = _stack(name, of, normed=normed)
    found = _checked(stack, TARGETS if of == "squared" else LABELS)
    assert found.unconfirmed == ()
    verdicts = {one.id: result and result.verdict for one, result in found.statements}
    assert verdicts["GEN-1"] == verdicts["GEN-2"] == "PROVED"
    assert found.diagonal is not None
    assert "head.C[" in found.diagonal.label
    assert np.allclose(listed(found.spectrum), np.linalg.eigvalsh(_whole_hessian(name, stack, of)), atol=1e-12)


def test_tokens_and_draws_inside_the_unit() -> None:
    """Attention with a drawn V under a head that reads every token: the spectrum against jax.hessian."""
    h = Input("d", "t")
    n = layer_norm(h, epsilon=1)
    scores = (Weight("k", "d", name="K") @ n).T @ (Weight("k", "d", name="Q") @ n)
    inner = Weight("k", "d", name="V", initial=normal(1), trainable=False) @ n
    unit = h + Weight("d", "k", name="O") @ inner @ softmax(scores, axis=0)
    head = Weight("c", "d", name="C", initial=[[1, 2, 0], [0, -1, 1]], trainable=False) @ Input("d", "t")
    x, labels = DRAW.standard_normal((4, 3, 2)), DRAW.integers(2, size=(4, 2))
    stack = Stack(units=[unit] * 2, head=head, loss="cross-entropy")
    seen = seen_from_units(stack, Data(x, labels, "data"), {"k": 2}, Context())
    found = check(seen.unit, "network", seen.setting)
    assert found.unconfirmed == ()
    v = initial_weights(seen.unit, 2, {"d": 3, "k": 2, "t": 2}, ops(np), 0, shared=True)["V"][0]

    def norm(f: Any) -> Any:
        centred = f - f.mean(axis=0)
        return centred / jnp.sqrt((centred**2).mean(axis=0) + 1)

    def sample(w: Any, f: Any, label: Any) -> Any:
        for r in range(2):
            m = norm(f)
            f = f + w["O"][r] @ (v @ m) @ jax.nn.softmax((w["K"][r] @ m).T @ (w["Q"][r] @ m), axis=0)
        f = jnp.array([[1.0, 2.0, 0.0], [0.0, -1.0, 1.0]]) @ f
        return jnp.sum(jax.nn.logsumexp(f, axis=0) - f[label, jnp.arange(2)])

    start, back = flatten_util.ravel_pytree(
        {"K": jnp.zeros((2, 2, 3)), "Q": jnp.zeros((2, 2, 3)), "O": jnp.zeros((2, 3, 2))}
    )
    hessian = jax.jit(jax.hessian(lambda p: sum(sample(back(p), x[i], labels[i]) for i in range(4)) / 4))(start)
    assert np.allclose(listed(found.spectrum), np.linalg.eigvalsh(np.asarray(hessian)), atol=1e-12)


@pytest.mark.parametrize("normed", [False, True])
def test_a_trained_head_borders_the_hessian_and_is_not_stationary(normed: bool) -> None:
    stack = _stack("two layers", "cross-entropy", trained=True, normed=normed)
    found, whole = _checked(stack, LABELS), np.linalg.eigvalsh(_whole_hessian("two layers", stack, "cross-entropy"))
    border = found.setting.border
    assert border is not None
    trained = ("head.gain", "head.shift", "head.C") if normed else ("head.C",)
    assert (border.names, border.parameters, border.moves) == (trained, 12 if normed else 6, True)
    weights = stacked.initial_weights(stack, {**SIZES, "p": 4}, ops(np), 0, shared=True)
    slopes = adjoint.gradient(stack, weights, X, LABELS)
    assert border.gradient == pytest.approx(math.hypot(*(float(np.linalg.norm(slopes[name])) for name in trained)))
    inner, q = listed(found.spectrum)[::-1], border.parameters
    outer = whole[::-1]
    for k in range(len(inner)):
        assert outer[k] >= inner[k] - 1e-12
        assert k < q or outer[k] <= inner[k - q] + 1e-12
    assert not np.allclose(outer[: len(inner)], inner, atol=1e-3)
    assert f"in {', '.join(trained)}, trained as well, it is not stationary" in found.sentence
    assert not found.properties["strict-saddle"]
    assert requirement(found, "order>=1").holds is False
    assert requirement(found, "order>=0").holds is True
    assert found.spectrum is not None
    assert any("interlacing" in note for note in found.spectrum.notes)


def test_the_gradient_in_a_trained_head_may_vanish() -> None:
    """One class: the softmax is 1 and the gradient zero, so nothing is said to move."""
    h = Input("d")
    stack = Stack(units=_two_layers(), head=Weight(1, "d", initial=normal(1)) @ h, loss="cross-entropy")
    seen = seen_from_units(stack, Data(X, np.zeros(9), "data"), {"k": 2}, Context())
    assert seen.setting.border is not None
    assert not seen.setting.border.moves


@pytest.mark.parametrize("of", LOSSES)
@pytest.mark.parametrize("normed", [False, True])
def test_a_loss_through_a_head_is_that_of_the_network_with_it(of: str, normed: bool, array_ops: Any) -> None:
    """Equal units under l(P(f)): value, gradient, products and index terms, against the network with the head P."""
    stack, unit = _stack("two layers", of, normed=normed), ResidualUnit(_two_layers())
    sizes = {**SIZES, "p": 4}
    drawn = stacked.initial_weights(stack, sizes, array_ops, 0)
    x = stacked.stream(stack, drawn, array_ops.asarray(X))
    y = array_ops.asarray(TARGETS if of == "squared" else np.eye(2)[LABELS].T)
    head = held_fixed(stack.stages[HEAD])
    read = through(loss(of), head, {name: drawn[f"head.{name}"] for name in head.every_name.values()}, sizes, HEAD)
    network = Network(unit, UNITS, read)
    for start in (0.0, 1.0):
        weights = {n: start * w for n, w in random_weights(unit, UNITS, sizes, array_ops, 5).items()}
        direction = random_weights(unit, UNITS, sizes, array_ops, 6)
        placed, moved = (
            {f"{r + 1}.{n}": a[r, ...] for n, a in one.items() for r in range(UNITS)} for one in (weights, direction)
        )
        frozen = {k: a for k, a in drawn.items() if k.startswith(("stem.", "head."))}
        data = (array_ops.asarray(X), y)
        assert value(network, weights, x, y) == pytest.approx(adjoint.value(stack, {**placed, **frozen}, *data))
        slopes = adjoint.gradient(stack, {**placed, **frozen}, *data)
        images = adjoint.hvp(stack, {**placed, **frozen}, moved, *data)
        found, image = gradient(network, weights, x, y), hvp(network, weights, direction, x, y)
        bounded = bounded_product(network, weights, direction, x, y)
        total = 0.0
        for n in found:
            for r in range(UNITS):
                key = f"{r + 1}.{n}"
                assert np.allclose(array_ops.numpy(found[n])[r], array_ops.numpy(slopes[key]), atol=1e-13)
                assert np.allclose(array_ops.numpy(image[n])[r], array_ops.numpy(images[key]), atol=1e-13)
                total += float(np.sum(array_ops.numpy(images[key]) * array_ops.numpy(moved[key])))
            off = np.abs(array_ops.numpy(bounded.product[n]) - array_ops.numpy(image[n]))
            assert np.all(off <= 2 * array_ops.numpy(bounded.error[n]) + 1e-300)
        assert loss_series(network, weights, direction, x, y, 2)[2] == pytest.approx(total / 2, rel=1e-11)
    exact = expansion(unit, read)
    env = environment(network, x, y, sizes={"k": 2})
    claimed = hessian_vector(terms_of_forms(unit, exact.forms[1, 1], exact.forms[1, 2]), env, direction)
    image = hvp(network, {n: 0.0 * w for n, w in direction.items()}, direction, x, y)
    for n, array in claimed.items():
        assert np.allclose(array_ops.numpy(array), array_ops.numpy(image[n]), atol=1e-13)


BAD = {
    "27 kinds": (
        lambda: Stack(units=[_one_layer() for _ in range(27)]),
        "units in a row: 27; expected at most 26, a letter for each",
    ),
    "activations": (
        lambda: Stack(units=[_layer_of(polynomial(0, slope, name="f")) for slope in (1, 2)]),
        "different activations are called f",
    ),
    "activations of the head": (
        lambda: Stack(units=_layer_of(polynomial(0, 1, name="f")), head=polynomial(0, 2, name="f")(Input("d"))),
        "network: head: an activation is called f, and so is another one in a unit; expected two names",
    ),
    "enormous head": (
        lambda: Stack(units=_one_layer(), head=reduce(lambda f, _: softmax(f, 0), range(12), Input("d"))),
        "network: head: ",
    ),
}


@pytest.mark.parametrize(("make", "said"), BAD.values(), ids=BAD)
def test_what_has_no_exact_blocks_here_is_refused_in_one_line(make: Any, said: str) -> None:
    with pytest.raises(ArchitectureError) as caught:
        seen_from_units(make(), Data(X[:3], X[:3], "data"), SIZES, Context())
    assert said in str(caught.value)


def test_a_head_without_a_value_on_the_data_is_named() -> None:
    head = Weight("c", "d", name="C", initial=normal(1)) @ layer_norm(Input("d"))
    x = np.where(np.arange(9) == 4, 1.0, X[:3])
    with pytest.raises(DataError, match="check: the output of head is not finite on these data; expected finite"):
        seen_from_units(Stack(units=_one_layer(), head=head), Data(x, TARGETS, "data"), SIZES, Context())


def test_a_head_that_is_zero_leaves_no_derivative_in_the_units() -> None:
    """C = 0, as where a classifier starts at zero: all D, A and the gradient vanish, exactly."""
    head = Weight("c", "d", name="C") @ layer_norm(Input("d"), epsilon=1)
    found = _checked(Stack(units=[_one_layer()] * 2, head=head, loss="cross-entropy", stem=_stem()), LABELS)
    assert (found.regime, found.stationary, found.unconfirmed) == ("flat", None, ())
    assert found.spectrum is not None
    assert (found.spectrum.zero_exact, found.spectrum.parameters) == (18, 18)
    assert found.setting.border is not None
    assert found.setting.border.moves


def _stem() -> Expression:
    return Weight("d", "p", name="E", initial=normal(), trainable=False) @ Input("p")


def test_a_dimension_that_nothing_gives_is_named() -> None:
    with pytest.raises(DataError, match="the dimension d has no size"):
        seen_from_units(_stack("one layer", "squared"), Data(X, TARGETS, "data"), {"c": 2}, Context())


def test_the_command_line_takes_a_network(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from resproof.cli import main

    _ = (tmp_path / "net.py").write_text(
        "from resproof import Input, Network, Weight, normal, tanh\n"
        "h, W1, W2 = Input(3), Weight('k', 3), Weight(3, 'k')\n"
        "E, C = (Weight(*shape, initial=normal(1), trainable=False) for shape in ((3, 4), (2, 3)))\n"
        "block = h + W2 @ tanh(W1 @ h)\n"
        "net = Network(stem=E @ Input(4), units=[block] * 5, head=C @ Input(3), loss='cross-entropy')\n"
    )
    np.savez(tmp_path / "data.npz", X=X, Y=LABELS)
    target = f"{tmp_path / 'net.py'}:net"
    with pytest.raises(SystemExit) as ended:
        main(["check", target, "--data", str(tmp_path / "data.npz")])
    said = capsys.readouterr()
    assert (ended.value.code, said.err) == (0, "")
    assert "the loss is that of" in said.out
    assert "R = 5 units" in said.out
    np.savez(tmp_path / "same.npz", X=X[:3], Y=X[:3])
    with pytest.raises(SystemExit) as ended:
        main(["spectrum", target, "--data", str(tmp_path / "data.npz")])
    said = capsys.readouterr()
    assert (ended.value.code, said.err) == (0, "")
    assert "h what the last unit gives" in said.out
    for arguments, words in (
        (["check", target], "check: no data; expected X and Y, or labels"),
        (["spectrum", f"{tmp_path / 'net.py'}:block", "--data", str(tmp_path / "same.npz")], "spectrum: no --units"),
    ):
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        said = capsys.readouterr()
        assert ended.value.code == 2
        assert words in said.err
        assert said.err.count("\n") == 1


@pytest.mark.parametrize("tokens", [False, True])
def test_an_affine_head_is_a_linear_one(tokens: bool) -> None:
    """Frozen parts and weights one after the other: the spectrum is that under their product, C (2 s h + 1) + o."""
    h = Input("d", "t")
    kind: dict[str, Any] = {"initial": normal(1), "trainable": False}
    unit = _tokens()[0] if tokens else _two_layers()
    s, o = Weight("d", name="s", **kind), Weight("c", name="o", **kind)
    inner = Weight("c", "d", name="C", **kind) @ (s * h * 2 + 1)
    stack = Stack(units=[unit] * 2, head=inner + o, loss="cross-entropy")
    x = DRAW.standard_normal((5, 3, 2)) if tokens else X[:3]
    y = DRAW.integers(2, size=(5, 2)) if tokens else LABELS
    seen = seen_from_units(stack, Data(x, y, "data"), SIZES, Context())
    weights = stacked.initial_weights(stack, {**SIZES, "t": 2}, ops(np), 0, shared=True)
    c, s_value = weights["head.C"], weights["head.s"]
    plain = Stack(
        units=[unit] * 2,
        head=Weight("c", "d", name="C", initial=2 * c * s_value.T, trainable=False) @ h
        + Weight("c", name="o", initial=(c @ np.ones((3, 1)) + weights["head.o"]).ravel(), trainable=False),
        loss="cross-entropy",
    )
    other = seen_from_units(plain, Data(x, y, "data"), SIZES, Context())
    found, expected = (check(one.unit, "network", one.setting) for one in (seen, other))
    assert found.unconfirmed == ()
    assert np.allclose(listed(found.spectrum), listed(expected.spectrum), atol=1e-12)
    assert found.diagonal is not None
    assert "head.s[" in found.diagonal.label


# Units of several kinds in a pattern.


def _tokens() -> tuple[Expression, Expression]:
    """Attention, of order two, and a layer of order one with a drawn weight, both on tokens."""
    h = Input("d", "t")
    weights = {name: Weight("k", "d", name=name) for name in "KQ"}
    inner = Weight("d", "d", name="O") @ Weight("d", "d", name="V") @ h
    attended = h + inner @ softmax((weights["K"] @ h).T @ (weights["Q"] @ h), axis=0)
    return attended, h + Weight("d", "k", name="B") @ tanh(Weight("k", "d", name="A", initial=normal(1)) @ h)


def _attended(h: Any, w: Any) -> Any:
    return h + w["O"] @ w["V"] @ h @ jax.nn.softmax((w["K"] @ h).T @ (w["Q"] @ h), axis=0)


PATTERNS = {
    "one layer, one layer, two layers": (
        lambda: [_one_layer(), _two_layers()],
        (0, 0, 1),
        (PLAIN["one layer"][1], PLAIN["two layers"][1]),
        DRAW.standard_normal((3, 9)),
    ),
    "attention, layer": (
        lambda: list(_tokens()),
        (0, 1),
        (_attended, lambda h, w: h + w["B"] @ jnp.tanh(w["A"] @ h)),
        DRAW.standard_normal((5, 3, 2)),
    ),
}


@pytest.mark.parametrize("name", PATTERNS)
def test_a_pattern_of_kinds_has_the_spectrum_of_the_plain_network(name: str) -> None:
    make, places, plain, x = PATTERNS[name]
    kinds, y, times = make(), DRAW.standard_normal(x.shape), 2
    stack = Stack(units=[kinds[one] for one in places] * times)
    seen = seen_from_units(stack, Data(x, y, "data"), SIZES, Context())
    found = check(seen.unit, "network", seen.setting)
    assert (found.unconfirmed, found.setting.units) == ((), times)
    assert {one.id: result and result.verdict for one, result in found.statements}["GEN-10"] == "PROVED"
    one_row = initial_weights(seen.unit, 1, {**SIZES, "t": 2}, ops(np), 0, shared=True)
    start, back = flatten_util.ravel_pytree([{key: jnp.asarray(a[0]) for key, a in one_row.items()}] * times)

    def sample(w: Any, h: Any) -> Any:
        for repetition in w:
            for letter, one in zip("abc", places, strict=False):
                h = plain[one](h, {key[:-1]: a for key, a in repetition.items() if key[-1] == letter})
        return h

    def total(vector: Any) -> Any:
        w = back(vector)
        f = jax.vmap(lambda one: sample(w, one))(x) if x.ndim == 3 else sample(w, x)
        return 0.5 * jnp.sum((f - y) ** 2) / (len(x) if x.ndim == 3 else x.shape[1])

    _, gradient_there, hessian = nested(total, start)
    values = np.linalg.eigvalsh(hessian)
    assert np.allclose(listed(found.spectrum), values, atol=1e-11)
    assert found.spectrum is not None
    assert (found.spectrum.stationary_order == 0) == bool(np.linalg.norm(gradient_there) > 1e-12)
    assert found.regime == "grows with depth"
    record = of_network(stack, "network", Data(x, y, "data"), SIZES, (), Context())
    assert [kind.regime for kind in record.kinds] == [
        "grows with depth" if kind.order == 1 else "depth-invariant" for kind in record.kinds
    ]
    nonzero = {(pair.later, pair.earlier) for pair in record.pairs if pair.cross != "0"}
    first = next(kind.places[0] for kind in record.kinds if kind.order == 1)
    assert nonzero == {(first, first)}
    deeper = spectrum_of(stack, "network", 3, Data(x, y, "data"), SIZES, 0, "one")
    assert deeper.parameters == 3 * len(start) // times
    assert spectrum_of(stack, "network", None, Data(x, y, "data"), SIZES, 0, "one").extremes == found.spectrum.extremes


def test_a_kind_of_order_one_sees_one_of_another() -> None:
    """A_kl and A_lk are both there, and differ, where both kinds are of order one; the digits fit."""
    h = Input(3)
    other = h + tanh(Weight(3, 3, name="V") @ h)
    stack = Stack(units=[_one_layer_of(3), other] * 2)
    record = of_network(stack, "network", None, {}, (), Context())
    assert record.holds
    assert record.unconfirmed == ()
    forms = {(pair.later, pair.earlier): pair.cross for pair in record.pairs}
    assert all(form != "0" for form in forms.values())
    assert "tanh'" in forms["a", "b"]
    assert "tanh'" not in forms["b", "a"]
    assert record.repeated == "2 repetitions of 2 units"
    assert record.data.name.startswith("scikit-learn digits 0 to 2")


def _one_layer_of(width: int) -> Expression:
    h = Input(width)
    return h + Weight(width, width, name="W") @ tanh(h)


def test_kinds_that_undo_one_another_have_no_blocks_of_their_own() -> None:
    h = Input(2)
    there, back = h + Weight(2, 2, name="W") @ h + Constant(1, 2, 1), h + Weight(2, 2, name="W") @ h - Constant(1, 2, 1)
    record = of_network(Stack(units=[there, back]), "network", None, {}, (), Context())
    assert [kind.regime for kind in record.kinds] == [None, None]
    said = {one.id: one.reason for one in record.statements}
    assert "not the identity" in said["GEN-10"]


def test_the_command_line_takes_a_pattern(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from resproof.cli import main

    _ = (tmp_path / "net.py").write_text(
        "from resproof import Input, Network, Weight, tanh\n"
        "h, W1, W2, W = Input(3), Weight('k', 3), Weight(3, 'k'), Weight(3, 3)\n"
        "net = Network(units=[h + W2 @ tanh(W1 @ h), h + W @ tanh(h)] * 4)\n"
    )
    with pytest.raises(SystemExit) as ended:
        main(["check", f"{tmp_path / 'net.py'}:net", "--set", "k=2", "--out", str(tmp_path / "page")])
    said = capsys.readouterr()
    assert ended.value.code == 0
    assert "R = 4 repetitions of 2 units" in said.out
    assert "depth-invariant" in said.out
    assert "8 units in all" in said.out
    page = (tmp_path / "page" / "net.md").read_text()
    assert "| a | b | 0 |" in page
    assert "| b | b | m^-1 " in page


def test_kinds_behind_normalisations_are_written_out_where_these_have_derivatives() -> None:
    """Attention, and a layer with a drawn weight, each behind a LayerNorm: they are written out with numbers."""
    h = Input("d", "t")
    n = layer_norm(h)
    scores = (Weight("k", "d", name="K") @ n).T @ (Weight("k", "d", name="Q") @ n)
    attended = h + Weight("d", "k", name="O") @ (Weight("k", "d", name="V") @ n) @ softmax(scores, axis=0)
    layer = h + Weight("d", "k", name="B") @ tanh(Weight("k", "d", name="A", initial=normal("1/d")) @ n)
    record = of_network(Stack(units=[attended, layer] * 3), "network", None, {"d": 3, "k": 2}, (), Context())
    assert record.unconfirmed == ()
    assert {one.id: one.verdict for one in record.statements}["GEN-10"] == "PROVED"
