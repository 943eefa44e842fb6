"""Explicit networks against the loss written out by hand and differentiated twice."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from resproof.architectures import catalogue
from resproof.architectures.activations import gelu, generic, polynomial, relu, sigmoid, softplus, tanh
from resproof.architectures.algebra import causal_mask, shift
from resproof.architectures.errors import ArchitectureError, NotDifferentiableError
from resproof.architectures.losses import Loss, cross_entropy, generic_loss, squared
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Activation, Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import identity_initial, ones
from resproof.symbolic.algebra.rings import Plain, RingKind, as_sympy, flint_ring, sympy_ring
from resproof.symbolic.written.explicit import (
    Instance,
    hessian_at_initial_point,
    loss_series,
    parameter_labels,
    stationary_order,
)
from tests.oracles import second_derivative_at, second_derivatives, written_out_loss

PRE = polynomial(1, 2, Fraction(1, 2), name="pre")
MID = polynomial(0, 3, -1, 1, name="mid")
POST = polynomial(0, 1, Fraction(1, 3), name="post")
FUNCTIONS = {
    "pre": lambda t: t * t * Fraction(1, 2) + t * 2 + 1,
    "mid": lambda t: t * t * t - t * t + t * 3,
    "post": lambda t: t * t * Fraction(1, 3) + t,
}


def gated() -> Expression:
    h, w1, w2, w3 = Input("d"), Weight("k", "d"), Weight("k", "d"), Weight("d", "k")
    return h + w3 @ (MID(w1 @ h) * (w2 @ h))


BLOCKS: dict[str, Expression] = {
    **{f"shortcut{n}": catalogue.n_shortcut(n, PRE, MID, POST, "k") for n in (1, 2, 3, 4)},
    "biased": catalogue.biased(MID),
    "tied": catalogue.tied(MID),
    "rezero": catalogue.rezero(MID),
    "fixup": catalogue.fixup(MID),
    "gated": gated(),
}


def network(expression: Expression, units: int = 1, loss: Loss = squared) -> Network:
    return Network(ResidualUnit(expression), units, loss)


def symbols(name: str, rows: int, samples: int) -> list[list[Any]]:
    return [[sympy.Symbol(f"{name}_{i}_{u}") for u in range(1, samples + 1)] for i in range(1, rows + 1)]


@pytest.mark.parametrize(
    ("block", "units", "d", "k", "m"),
    [
        ("shortcut1", 2, 1, 1, 2),
        ("shortcut1", 1, 2, 2, 1),
        ("shortcut2", 2, 1, 1, 1),
        ("shortcut2", 1, 1, 2, 2),
        ("shortcut3", 1, 1, 1, 1),
        ("biased", 1, 1, 1, 1),
        ("tied", 2, 1, 2, 1),
        ("rezero", 1, 1, 2, 1),
        ("fixup", 2, 1, 1, 1),
        ("gated", 1, 1, 1, 1),
    ],
)
def test_symbolic_networks_against_sympy(block: str, units: int, d: int, k: int, m: int) -> None:
    net, sizes = network(BLOCKS[block], units), {"d": d, "k": k}
    labels = parameter_labels(net, sizes)
    weights = [sympy.Symbol(label) for label in labels]
    random_weight = {"rezero": ("W1", "W2"), "fixup": ("W1",)}.get(block, ())
    initial: dict[Any, Any] = {}
    for w, label in zip(weights, labels, strict=True):
        name, _, place = label.partition("(")
        entry = place.partition("_")[2].replace("_", ",")
        initial[w] = sympy.Symbol(f"{name}[{entry}]") if name in random_weight else 0
    # Opaque pre-activations do not occur: every activation is a polynomial and expanded exactly.
    loss = written_out_loss(block, weights, symbols("x", d, m), symbols("y", d, m), units, sizes, FUNCTIONS)
    expected = second_derivatives(loss, weights, initial)
    for kind in (flint_ring, sympy_ring):
        found = hessian_at_initial_point(net, sizes, samples=m, ring=kind)
        for (a, b), value in expected.items():
            assert sympy.expand(as_sympy(found.ring.plain(found[a, b])) - value) == 0, (block, labels[a], labels[b])


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from([b for b in BLOCKS if b not in ("rezero", "fixup")]),
    st.integers(1, 3), st.integers(1, 2), st.integers(1, 3), st.integers(1, 2), st.integers(0, 10**6),
)  # fmt: skip
def test_rational_instances_against_hyper_dual_numbers(
    block: str, units: int, d: int, k: int, m: int, seed: int
) -> None:
    r = random.Random(seed)
    net, sizes = network(BLOCKS[block], units), {"d": d, "k": k}
    x, y = ([[Fraction(r.randint(-4, 4), r.randint(1, 3)) for _ in range(m)] for _ in range(d)] for _ in "xy")
    found = hessian_at_initial_point(net, sizes, data=Instance(x, y))

    def loss(w: Any) -> Any:
        return written_out_loss(block, w, x, y, units, sizes, FUNCTIONS)

    point = [Fraction(0)] * found.parameters
    places = {(r.randrange(found.parameters), r.randrange(found.parameters)) for _ in range(12)} | set(found.upper)
    for a, b in sorted(places)[:25]:
        plain = found.ring.plain(found[a, b])
        assert plain.get((), Fraction(0)) == second_derivative_at(loss, point, a, b), (a, b)
        assert set(plain) <= {()}


@pytest.mark.parametrize("loss", [squared, cross_entropy, generic_loss])
@pytest.mark.parametrize("block", ["shortcut1", "shortcut2", "biased", "tied", "rezero", "fixup"])
def test_both_rings_and_both_jets_agree(block: str, loss: Loss) -> None:
    s = generic("s")
    expression = {
        "shortcut1": catalogue.n_shortcut(1, generic("pre", at_zero=None), s, generic("post")),
        "shortcut2": catalogue.n_shortcut(2, generic("pre", at_zero=None), s, generic("post")),
        "biased": catalogue.biased(s),
        "tied": catalogue.tied(s),
        "rezero": catalogue.rezero(s),
        "fixup": catalogue.fixup(s),
    }[block]
    net, sizes = network(expression, 2, loss), {"d": 2, "k": 2}
    choices: list[tuple[RingKind, bool]] = [
        (kind, graded) for kind in (flint_ring, sympy_ring) for graded in (False, True)
    ]
    series = [loss_series(net, sizes, ring=kind, graded=graded) for kind, graded in choices]
    for degree in range(3):
        assert all(one.plain(degree) == series[0].plain(degree) for one in series)


@pytest.mark.parametrize("n", [1, 2])
def test_generic_symbols_take_the_values_of_a_definite_activation(n: int) -> None:
    sizes = {"d": 2}
    opaque = hessian_at_initial_point(
        network(catalogue.n_shortcut(n, generic("pre", at_zero=None), generic("mid"), generic("post")), 2), sizes
    )
    definite = hessian_at_initial_point(network(catalogue.n_shortcut(n, PRE, MID, POST), 2), sizes)
    t, values = sympy.Symbol("t"), {}
    for name, activation in (("mid", MID), ("post", POST)):
        for k, mark in enumerate(["", "'", "''"]):
            at_zero = activation.taylor(k).rational * sympy.factorial(k)
            values[sympy.Symbol(f"{name}{mark}(0)")] = at_zero
    p = 1 + 2 * t + t**2 / 2
    for i in (1, 2):
        x = sympy.Symbol(f"x_{i}_1")
        for k, mark in enumerate(["", "'", "''"]):
            values[sympy.Symbol(f"pre{mark}({x})")] = p.diff(t, k).subs(t, x)
    for a in range(opaque.parameters):
        for b in range(a, opaque.parameters):
            ours = as_sympy(opaque.ring.plain(opaque[a, b])).subs(values)
            assert sympy.expand(ours - as_sympy(definite.ring.plain(definite[a, b]))) == 0


@pytest.mark.parametrize(
    ("activation", "value", "slope", "curvature"),
    [
        (tanh, "0", "1", "0"),
        (sigmoid, "1/2", "1/4", "0"),
        (softplus, "log2", "1/2", "1/4"),
        (gelu, "0", "1/2", "phi0*2"),
    ],
)
def test_activations_at_zero(activation: Activation, value: str, slope: str, curvature: str) -> None:
    """f(w x) with one weight: L = (x + f(w x) - y)^2 / 2 in one variable."""
    h, w = Input("d"), Weight("d", "d")
    series = loss_series(network(h + activation(w @ h)), {"d": 1}, order=2)
    x, y, t = sympy.symbols("x_1_1 y_1_1 t")
    f = sympy.sympify(value) + sympy.sympify(slope) * t * x + sympy.sympify(curvature) * (t * x) ** 2 / 2
    named = [(sympy.Symbol("log(2)"), sympy.Symbol("log2")), (sympy.Symbol("phi(0)"), sympy.Symbol("phi0"))]
    expected = sympy.expand((x + f - y) ** 2 / 2)
    for degree in range(3):
        found = as_sympy(series.ring.plain(series.parts[degree].get((0,) * degree, series.ring.zero))).subs(named)
        assert sympy.expand(found - expected.coeff(t, degree)) == 0


@pytest.mark.parametrize("loss", [cross_entropy, generic_loss])
def test_other_losses_keep_their_derivatives_as_symbols(loss: Loss) -> None:
    found = hessian_at_initial_point(network(catalogue.n_shortcut(1), 2, loss), {"d": 2})
    x = [sympy.Symbol(f"x_{i}_1") for i in (1, 2)]
    q = [[sympy.Symbol(f"Q_{min(i, j)}_{max(i, j)}_1") for j in (1, 2)] for i in (1, 2)]
    g = [sympy.Symbol(f"g_{i}_1") for i in (1, 2)]
    if loss is cross_entropy:
        # Derivatives of cross-entropy sum to zero over each slot.
        g, q = [g[0], -g[0]], [[q[0][0], -q[0][0]], [-q[0][0], q[0][0]]]
    h = found.matrix()
    for a, b in ((a, b) for a in range(4) for b in range(4)):
        (j, i), (t, s) = divmod(a, 2), divmod(b, 2)
        assert sympy.expand(h[a, b] - x[j] * x[t] * q[i][s]) == 0
        # Later unit in the row: d^2/dW2_ij dW1_st, its path reads what the earlier one wrote to coordinate j = s.
        assert sympy.expand(h[4 + a, b] - x[j] * x[t] * q[i][s] - (g[i] * x[t] if j == s else 0)) == 0


def test_theorem_2_printed_form() -> None:
    """n = 2: blockdiag over units of [[0, A^T], [A, 0]], A = c blockdiag(M, ..., M) P^T."""
    d, m = 2, 2
    net = network(catalogue.n_shortcut(2, generic("pre", at_zero=None), generic("mid"), generic("post")), 3)
    h = hessian_at_initial_point(net, {"d": d}, samples=m).matrix()
    x, y = sympy.Matrix(symbols("x", d, m)), sympy.Matrix(symbols("y", d, m))
    c = sympy.Symbol("mid'(0)") * sympy.Symbol("post'(0)")
    big_m = (x - y) * x.applyfunc(lambda t: sympy.Symbol(f"pre({t})")).T / m
    p = sympy.Matrix(d * d, d * d, lambda i, j: int(i == (j % d) * d + j // d))
    a = c * sympy.diag(*[big_m] * d) * p.T
    zero = sympy.zeros(d * d, d * d)
    unit = sympy.Matrix(sympy.BlockMatrix([[zero, a.T], [a, zero]]))
    assert (h - sympy.diag(unit, unit, unit)).expand() == sympy.zeros(*h.shape)


def test_linear_one_shortcut_printed_form() -> None:
    """n = 1: B = P blockdiag(S) P^T, A = blockdiag(S - T) P^T + B."""
    d, m = 2, 2
    h = hessian_at_initial_point(network(catalogue.n_shortcut(1), 2), {"d": d}, samples=m).matrix()
    x, y = sympy.Matrix(symbols("x", d, m)), sympy.Matrix(symbols("y", d, m))
    s, t = x * x.T / m, y * x.T / m
    p = sympy.Matrix(d * d, d * d, lambda i, j: int(i == (j % d) * d + j // d))
    b = p * sympy.diag(s, s) * p.T
    a = sympy.diag(s - t, s - t) * p.T + b
    assert (h - sympy.Matrix(sympy.BlockMatrix([[b, a.T], [a, b]]))).expand() == sympy.zeros(*h.shape)


@pytest.mark.parametrize(("n", "order"), [(1, "0"), (2, "1"), (3, "2"), (4, "3")])
def test_stationary_order_of_n_shortcut(n: int, order: str) -> None:
    net = network(catalogue.n_shortcut(n, generic("pre", at_zero=None), generic("mid"), generic("post")))
    assert str(stationary_order(net, {"d": 2}, up_to=5)) == order


def test_stationary_order_with_data_that_are_fitted() -> None:
    data = Instance([[1, 2]], [[1, 2]])
    assert str(stationary_order(network(catalogue.n_shortcut(2)), {"d": 1}, up_to=3, data=data)) == ">=3"
    assert str(stationary_order(network(catalogue.n_shortcut(2)), {"d": 1}, up_to=4, data=data)) == "3"


def test_higher_order_against_sympy() -> None:
    net = network(catalogue.n_shortcut(2, mid=MID), 2)
    series = loss_series(net, {"d": 1}, order=4)
    w = sympy.symbols("w0:4")
    functions = {**FUNCTIONS, "pre": lambda t: t, "post": lambda t: t}
    loss = sympy.Poly(
        written_out_loss("shortcut2", w, symbols("x", 1, 1), symbols("y", 1, 1), 2, {"d": 1}, functions), *w
    )
    expected: dict[tuple[int, ...], sympy.Expr] = {}
    for powers, coefficient in loss.terms():
        if sum(powers) <= 4:
            expected[tuple(k for k, power in enumerate(powers) for _ in range(power))] = coefficient
    found = {m: as_sympy(plain) for degree in range(5) for m, plain in series.plain(degree).items()}
    assert found.keys() == expected.keys()
    assert all(sympy.expand(found[m] - expected[m]) == 0 for m in found)


def test_opaque_derivatives_of_higher_order() -> None:
    """n = 1, R = 2, d = 1: the degree-4 part contains the third derivative of pre, exact for a cubic."""
    cubic = polynomial(1, 2, Fraction(1, 2), 5, name="pre")
    x, t = sympy.Symbol("x_1_1"), sympy.Symbol("t")
    p = 1 + 2 * t + t**2 / 2 + 5 * t**3
    marks = ("", "'", "''", "^(3)", "^(4)")
    values: dict[Any, Any] = {
        sympy.Symbol(f"pre{mark}(x_1_1)"): p.diff(t, k).subs(t, x) for k, mark in enumerate(marks)
    }
    opaque, exact = (
        loss_series(network(catalogue.n_shortcut(1, pre), 2), {"d": 1}, order=4)
        for pre in (generic("pre", at_zero=None), cubic)
    )
    assert sympy.Symbol("pre^(3)(x_1_1)") in as_sympy(opaque.plain(4)[0, 0, 0, 1]).free_symbols
    for degree in range(5):
        found, expected = opaque.plain(degree), exact.plain(degree)
        for monomial in found.keys() | expected.keys():
            ours = as_sympy(found.get(monomial, {})).subs(values)
            assert sympy.expand(ours - as_sympy(expected.get(monomial, {}))) == 0


def test_initial_identity_and_ones() -> None:
    """A plain layer at identity weights has the 1-shortcut Hessian; a gain at ones passes data on."""
    h, w = Input("d"), Weight("d", "d", initial=identity_initial)
    plain = hessian_at_initial_point(network(w @ h, 2), {"d": 2})
    shortcut = hessian_at_initial_point(network(catalogue.n_shortcut(1), 2), {"d": 2})
    assert plain.plain() == shortcut.plain()
    gain, v = Weight("d", initial=ones), Weight("d", "d")
    scaled = loss_series(network(h + v @ (gain * h)), {"d": 2}).plain(1)
    assert scaled.keys() == {(k,) for k in range(2, 6)}


def test_tokens_are_columns_of_a_sample() -> None:
    """h + W h C with the causal C: two tokens, each in its own symbols; the first sees itself alone."""
    h, w = Input("d"), Weight("d", "d")
    net = network(h + w @ h @ causal_mask())
    series = loss_series(net, {"d": 1, "t": 2}, samples=2)
    x, y = ({(t, u): sympy.Symbol(f"{s}_1_{t}_{u}") for t in (1, 2) for u in (1, 2)} for s in "xy")
    gradient = sum((x[1, u] - y[1, u]) * x[1, u] + (x[2, u] - y[2, u]) * (x[1, u] + x[2, u]) for u in (1, 2)) / 2
    assert sympy.expand(as_sympy(series.plain(1)[0,]) - gradient) == 0
    data = Instance([[[1, 2]], [[3, 5]]], [[[0, 0]], [[0, 0]]])
    assert loss_series(net, {"d": 1, "t": 2}, data=data).plain(1)[0,] == {(): Fraction(1 + 6 + 9 + 40, 2)}


def test_shift_moves_columns_to_the_right() -> None:
    h, w = Input("d"), Weight("d", "d")
    net = network(h + w @ h @ shift(1))
    data = Instance([[[1, 2, 4]]], [[[1, 0, 0]]])
    assert loss_series(net, {"d": 1, "t": 3}, data=data).plain(1)[0,] == {(): Fraction(2 * 1 + 4 * 2)}


def test_the_residual_stream_is_not_spoilt_by_growing_in_place() -> None:
    """Units that use their input after the sum, twice, or transposed."""
    h, w, v = Input("d"), Weight("d", "d"), Weight("d", "d")
    s = h + w @ h
    x, y = [[1, 2], [3, -1]], [[0, 1], [1, 1]]

    def plain(expression: Expression) -> dict[tuple[int, int], Plain]:
        net = network(expression, 2)
        data = Instance([x], [y]) if net.unit.mixes_columns else Instance(x, y)
        return hessian_at_initial_point(net, {"d": 2, "t": 2}, data=data).plain()

    assert plain(s + v @ h) == plain(h + (w @ h + v @ h))
    assert plain((h + h) + (w @ h - h)) == plain(s)
    # The double transpose still shows the product's entries after the inner sum has been formed.
    product = w @ h
    assert plain(h + (product.T.T + (product + v @ h))) == plain(h + (((w @ h + v @ h) + w @ h) + 0 * h.T.T))
    mixing = v @ h @ shift(1)
    assert plain(s.T.T + mixing) == plain(h + (w @ h + mixing))


def test_variables_restrict_the_hessian() -> None:
    net = network(catalogue.n_shortcut(2), 2)
    full = hessian_at_initial_point(net, {"d": 2})
    some = hessian_at_initial_point(net, {"d": 2}, variables=[0, 4, 9])
    assert some.plain() == {place: v for place, v in full.plain().items() if set(place) <= {0, 4, 9}}


def test_hessian_is_symmetric_and_its_entries_agree() -> None:
    found = hessian_at_initial_point(network(catalogue.n_shortcut(1)), {"d": 2})
    assert found.matrix() == found.matrix().T
    assert found.entries().keys() == {(a, b) for a in range(4) for b in range(4) if found.matrix()[a, b] != 0}


def test_relu() -> None:
    with pytest.raises(NotDifferentiableError, match="relu has no derivative at 0"):
        _ = hessian_at_initial_point(network(catalogue.n_shortcut(2, mid=relu)), {"d": 2})
    assert not hessian_at_initial_point(network(catalogue.n_shortcut(3, mid=relu)), {"d": 2}).upper
    rational = Instance([[2, -3]], [[0, 0]])
    as_pre = hessian_at_initial_point(network(catalogue.n_shortcut(2, pre=relu)), {"d": 1}, data=rational)
    assert as_pre.plain() == {(0, 1): {(): Fraction(2 * 2, 2)}}
    symbolic = hessian_at_initial_point(network(catalogue.n_shortcut(2, pre=relu)), {"d": 1})
    assert set(symbolic.ring.names) >= {"relu(x_1_1)"}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: loss_series(network(catalogue.attention()), {"d": 2, "k": 2}), "dimension 't' has size None"),
        (lambda: loss_series(network(catalogue.n_shortcut(2)), {}), "dimension 'd' has size None"),
        (lambda: loss_series(network(catalogue.n_shortcut(2)), {"d": 0}), "dimension 'd' has size 0"),
        (lambda: parameter_labels(network(catalogue.tied()), {"d": 1}), "dimension 'k' has size None"),
        (
            lambda: loss_series(network(catalogue.n_shortcut(2)), {"d": 2}, data=Instance([[1, 2]], [[1, 2]])),
            "x has 1 rows of lengths .2.; expected 2 rows of 2 entries",
        ),
        (lambda: loss_series(network(catalogue.n_shortcut(2)), {"d": 1}, data=Instance([[]], [[]])), "no samples"),
        (
            lambda: loss_series(network(catalogue.n_shortcut(2)), {"d": 1}, data=Instance([[1]], [[1], [1]])),
            "expected equal lengths",
        ),
    ],
)
def test_refusals(call: Any, message: str) -> None:
    with pytest.raises(ArchitectureError, match=message):
        _ = call()


def test_up_to_must_be_positive() -> None:
    with pytest.raises(ValueError, match="up_to is 0"):
        _ = stationary_order(network(catalogue.n_shortcut(2)), {"d": 1}, up_to=0)
