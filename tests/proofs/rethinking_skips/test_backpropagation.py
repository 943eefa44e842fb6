"""The statements on backpropagation, and what their proofs stand on, derived a second time by NumPy on small cases."""

from collections.abc import Mapping
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from resproof.architectures.stages import ResidualUnit
from resproof.proofs.registry import find
from resproof.proofs.results import CounterexampleResult, Result, readings_of
from resproof.proofs.rethinking_skips.dirac import _CHAINS as _DIRAC_CHAINS
from resproof.proofs.rethinking_skips.dirac import _NORMALISED, dirac_layer
from resproof.proofs.rethinking_skips.error_signals import _CHAIN, _written
from resproof.proofs.rethinking_skips.gradient_ranks import _COLLAPSED, _FADING, _shown_net, _tuned
from resproof.proofs.rethinking_skips.perturbed_systems import _FITS, _SYSTEMS
from resproof.proofs.rethinking_skips.residual_gradients import _RESNETS, _SQUARED, _TILTED, _headed
from resproof.proofs.rethinking_skips.singular_products import _L2, _L3
from resproof.proofs.statement import Statement
from resproof.pytest_plugin import RunOnce

VERDICTS = {
    **dict.fromkeys(("RS-D3", "RS-R4", "RS-R5", "RS-P3"), "REPAIRED"),
    "RS-DN": "REFUTED",
    "RS-DN2": "PROVED",
}
STATEMENTS = find([*VERDICTS])


@pytest.fixture(scope="module")
def results(statement_result: RunOnce) -> Mapping[str, Result]:
    return {one.id: statement_result(one, "exact", "evidence") for one in STATEMENTS}


@pytest.mark.parametrize("id_", VERDICTS)
def test_verdicts(results: Mapping[str, Result], id_: str) -> None:
    found = results[id_]
    assert found.reason.startswith("under a hypothesis that is not printed" if id_ == "RS-P3" else "")
    assert found.verdict == VERDICTS[id_]
    assert found.all_sizes == (found.verdict != "REFUTED")


def counterexamples(result: Result) -> list[CounterexampleResult]:
    """Those of the clauses and of their other readings."""
    clauses = [one for clause in result.clauses for one in (clause, *clause.other_readings)]
    return [one.counterexample for one in clauses if one.counterexample]


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda one: one.id)
def test_the_counterexamples_satisfy_every_hypothesis(results: Mapping[str, Result], statement: Statement) -> None:
    found = counterexamples(results[statement.id])
    assert (not found) == (statement.id == "RS-DN2")
    for one in found:
        assert one.outcome == "passed"
        assert all(held for _, held in one.hypotheses)


def test_each_reading_of_remarks_4_to_6_has_its_verdict(results: Mapping[str, Result]) -> None:
    verdicts = {
        id_: [(one.verdict, [other.verdict for other in one.other_readings]) for one in results[id_].clauses]
        for id_ in ("RS-D3", "RS-R4", "RS-R5")
    }
    assert verdicts == {
        "RS-D3": [("REPAIRED", []), ("PROVED", [])],
        "RS-R4": [("REPAIRED", ["PROVED", "REPAIRED"]), ("PROVED", ["REPAIRED"]), ("PROVED", ["REFUTED", "REFUTED"])],
        "RS-R5": [("REPAIRED", ["PROVED", "REFUTED", "PROVED"]), ("PROVED", [])],
    }


def array(a: object) -> np.ndarray:
    return np.array(a, dtype=float)


def test_equations_23_and_26_granted_on_drawn_matrices() -> None:
    generator = np.random.default_rng(3)
    for d, rank in product((2, 3, 4), (1, 2)):
        h = generator.normal(size=(d, rank)) @ generator.normal(size=(rank, d))
        signal = h @ (generator.normal(size=(d, d)) @ generator.normal(size=(d, d)))
        assert np.linalg.matrix_rank(signal) <= rank
        for tau in (0.3, 0.03):
            update = np.linalg.qr(generator.normal(size=(d, d)))[0] @ np.diag([1.0, *([1e-2] * (d - 1))])
            error = generator.normal(size=(d, d))
            w = update + 0.5 * tau * error / np.linalg.norm(error, 2)
            share = np.linalg.norm(w - update, 2) / np.linalg.norm(w, 2)
            assert share <= tau
            assert 1 / np.linalg.cond(w) <= share + (1 + share) / np.linalg.cond(update) + 1e-12
            assert 1 / np.linalg.cond(w) >= (1 - share) / np.linalg.cond(update) - share - 1e-12


def test_a_target_of_many_digits_is_shown_in_closed_form() -> None:
    shown = _shown_net(_COLLAPSED)
    assert "..." not in shown
    assert "Y = f(X) + diag(1, 1), f(X) = diag((1001/1000)^110, 0)" in shown
    assert _COLLAPSED.y[0][0] == Fraction(1001, 1000) ** 110 + 1


def test_products_that_refute_the_rank_reading() -> None:
    for pair, expected in ((_L2, 1), (_L3, 0)):
        assert np.linalg.matrix_rank(array(pair.x) @ array(pair.v)) == expected
    assert np.linalg.matrix_rank(array(_L2.v)) == 1
    assert array(_L2.v).shape == (2, 2)


def test_the_chain_by_hand() -> None:
    w1, w2, x, y = 2, 3, 1, 0
    assert (_CHAIN.weights, _CHAIN.x, _CHAIN.y) == ((w1, w2), x, y)
    f = w2 * w1 * x
    assert -18 == w2 * (y - f) == w2 * (y - f) * x
    assert _CHAIN.printed == (w1 * x * w2 * (y - f), w1 * x * w2 * (y - f) * x) == (-36, -36)


def test_written_networks_at_a_point_by_difference_quotients() -> None:
    one = _written((2, 3, 1), 2, 2)
    names = [str(g) for g in one.residual[0][0].ring.gens]
    values = {name: Fraction((7 * k) % 5 - 2, 1 + k % 2) for k, name in enumerate(names)}
    widths, x, y = (2, 3, 1), np.empty((2, 2)), np.empty((1, 2))
    weights = [np.empty((widths[k + 1], widths[k])) for k in range(2)]
    for name, value in values.items():
        head, *rest = name.split("_")
        place = tuple(map(int, rest))
        target = {"x": x, "y": y}.get(head)
        if target is None:
            target = weights[int(head[1:]) - 1]
        target[place] = float(value)

    def cost() -> float:
        return float(np.sum((y - weights[1] @ weights[0] @ x) ** 2)) / 2

    pairs = [(g, values[str(g)]) for g in one.residual[0][0].ring.gens]
    for layer, w in enumerate(weights):
        for place in np.ndindex(*w.shape):
            kept, found = w[place], []
            for move in (1.0, -1.0):
                w[place] = kept + move
                found.append(cost())
            w[place] = kept
            exact = one.updates[layer][place[0]][place[1]].evaluate(pairs)
            assert abs((found[1] - found[0]) / 2 - float(exact)) < 1e-12 * (1 + abs(found[0]))


def test_the_collapsed_plain_network() -> None:
    net = _COLLAPSED
    assert len(net.layers) == 110
    w, x, y = array(net.layers[0][0]), array(net.x), array(net.y)
    a = np.linalg.matrix_power(w, 109)
    signal = a.T @ (y - w @ a @ x)
    assert np.linalg.matrix_rank(x) == 1
    assert [float(v) for v in np.diag(array(net.signals()[-1]))] == [1.0, 1.0]
    assert np.allclose(array(net.signals()[0]), signal, rtol=1e-12, atol=1e-12)
    assert np.allclose(signal, np.diag([1.001**109, 1.0]), rtol=1e-12, atol=1e-12)
    assert max(np.linalg.cond(array(one)) for one in net.signals()) < 9 / 8


def test_signals_and_updates_of_fading_layers_by_numpy() -> None:
    w = np.diag([0.5, 0.25])
    signal = np.eye(2) - np.linalg.matrix_power(w, 110)
    assert np.linalg.cond(signal) < 9 / 8
    assert np.linalg.cond(w @ signal) < 9 / 4
    assert np.linalg.cond(np.diag([2.0**54, 1.0])) > 1e6
    for layer in (55, 100, 109, 110):
        above = np.linalg.matrix_power(w, 110 - layer)
        assert np.allclose(array(_FADING.signals()[layer - 1]), above @ signal, rtol=1e-12, atol=0)
        update = above @ signal @ np.linalg.matrix_power(w, layer - 1)
        assert np.allclose(array(_FADING.updates()[layer - 1]), update, rtol=1e-12, atol=0)
        assert np.linalg.cond(w + 0.1 * update) < 2.1
    assert all(np.array_equal(array(one), np.eye(2)) for one in _tuned().updates())


def test_the_bound_on_updates_for_matrices_drawn_at_random() -> None:
    """kappa(P M Q)^(d-1) >= |m_11|^d / |det M| prod |p_1 q_1 / (p_i q_i)|."""
    rng = np.random.default_rng(0)
    for d in (2, 3, 5):
        for _ in range(50):
            m, p, q = rng.normal(size=(d, d)), *rng.uniform(0.3, 3.0, size=(2, d))
            bound = abs(m[0, 0]) ** d / abs(np.linalg.det(m)) * np.prod(p[0] * q[0] / (p[1:] * q[1:]))
            assert np.linalg.cond(np.diag(p) @ m @ np.diag(q)) ** (d - 1) >= bound * (1 - 1e-9)


def test_updates_with_the_squared_cost_by_numpy() -> None:
    for net in _SQUARED.values():
        x, y = array(net.x), array(net.y)
        maps = [np.eye(2) + array(w) for (w,) in net.layers]
        missing = y - maps[1] @ maps[0] @ x
        assert np.allclose(array(net.updates()[0]), maps[1].T @ missing @ x.T)
        assert np.allclose(array(net.updates()[1]), missing @ (maps[0] @ x).T)
        expected = np.linalg.matrix_rank(missing @ x.T)
        assert [np.linalg.matrix_rank(array(one)) for one in net.updates()] == [expected] * 2


def test_softmax_and_ranks_of_the_residual_networks() -> None:
    resnet, resnext = _RESNETS
    assert [resnet.hidden(), resnet.signals(), resnet.updates()] == [
        resnext.hidden(),
        resnext.signals(),
        resnext.updates(),
    ]
    f = np.log(2) * array(resnet.hidden()[-1])
    p = np.exp(f) / np.exp(f).sum(axis=0)
    assert np.allclose(array(resnet.signal()), np.eye(2) - p, rtol=0, atol=1e-15)
    third = Fraction(1, 3)
    assert resnet.signal() == ((third, -third), (-third, third))
    assert len(resnet.layers) == 110
    assert max(np.linalg.cond(array(h)) for h in resnet.hidden()) <= 2
    for update in resnet.updates():
        assert np.linalg.matrix_rank(array(update)) == 1


def test_residual_networks_with_a_tilted_target_by_numpy() -> None:
    for net in _TILTED:
        maps = [np.eye(2) + sum(array(w) for w in layer) for layer in net.layers]
        for layer in (0, 55, 109):
            above, below = np.eye(2), np.eye(2)
            for one in maps[layer + 1 :]:
                above = one @ above
            for one in maps[:layer]:
                below = one @ below
            signal = above.T @ np.diag([1.0, 1e-9])
            assert np.allclose(array(net.signals()[layer]), signal, rtol=1e-12, atol=0)
            assert np.allclose(array(net.updates()[layer]), signal @ below.T, rtol=1e-12, atol=0)
            assert min(map(np.linalg.cond, (signal, signal @ below.T))) > 1e8


@pytest.mark.parametrize("size", [(3, 3, 3), (4, 4, 6), (3, 2, 4)])
def test_headed_networks(size: tuple[int, int, int]) -> None:
    net = _headed(*size)
    maps = [np.eye(size[1]) + array(w) for (w,) in net.layers]
    h0, h1 = array(net.x), maps[0] @ array(net.x)
    f = np.log(2) * array(net.head) @ maps[1] @ h1
    signal = array(net.y) - np.exp(f) / np.exp(f).sum(axis=0)
    last = array(net.head).T @ signal
    for found, expected in zip(net.updates(), (maps[1].T @ last @ h0.T, last @ h1.T), strict=True):
        assert np.allclose(array(found), expected, rtol=1e-12, atol=1e-12)
        assert np.linalg.matrix_rank(array(found), tol=1e-9) <= size[0] - 1


def test_perturbed_systems_by_least_squares() -> None:
    for one in _SYSTEMS:
        x, e, v = array(one.x), array(one.e), array(one.v)
        w = np.linalg.lstsq(x.T, (v @ (x + e)).T, rcond=None)[0].T
        assert np.allclose(array(one.w), w, rtol=1e-10, atol=1e-10)
        assert np.allclose(array(one.g), np.linalg.pinv(x), rtol=1e-10, atol=1e-10)
        bound = np.linalg.norm(x, 2) * np.linalg.norm(np.linalg.pinv(x), 2) * np.linalg.norm(e, 2)
        assert np.linalg.norm(v - w, 2) / np.linalg.norm(v, 2) <= bound / np.linalg.norm(x, 2) * (1 + 1e-12)


def test_the_readings_of_proposition_3(results: Mapping[str, Result]) -> None:
    (clause,) = results["RS-P3"].clauses
    assert readings_of(results["RS-P3"].clauses) == ("sense",)
    assert [(one.verdict, one.all_sizes) for one in clause.other_readings] == [("REPAIRED", True)] * 2
    for one in clause.other_readings:
        assert one.counterexample is not None
        assert all(held for _, held in one.counterexample.hypotheses)


def test_fits_by_least_squares_and_wedin_s_bound() -> None:
    for one in _FITS:
        x, y, e = array(one.x), array(one.y), array(one.e)
        w, v = (np.linalg.lstsq(a.T, y.T, rcond=None)[0].T for a in (x, x + e))
        assert np.allclose(array(one.w), w, rtol=1e-12, atol=1e-12)
        assert np.allclose(array(one.v), v, rtol=1e-12, atol=1e-12)
    generator = np.random.default_rng(0)
    worst = 0.0
    for size in (1e-1, 1e-3, 1e-5):
        x, y, e = (generator.normal(size=(3, 7)) for _ in range(3))
        x, e = np.diag([1.0, 1.0, 1e-2]) @ x, size * 1e-2 * e
        w, v = (y @ np.linalg.pinv(a) for a in (x, x + e))
        norms = [float(np.linalg.norm(a, 2)) for a in (x, np.linalg.pinv(x), e, w, y - w @ x, v - w)]
        kappa, q = norms[0] * norms[1], norms[1] * norms[2]
        rho = norms[4] / (norms[3] * norms[0])
        bound = q / (1 - q) + kappa * rho * q / (1 - q) ** 2
        assert q < 1
        assert norms[5] / norms[3] <= bound
        worst = max(worst, norms[5] / norms[3] / bound)
    assert worst > 0.01


def test_which_condition_number_bounds_frobenius_norms() -> None:
    for e in (1e-2, 1e-4, 1e-6):
        x, change, w = np.eye(2), np.diag([-e, 0.0]), np.diag([1.0, 0.0])
        moved = w @ x @ np.linalg.inv(x + change) - w
        left = np.linalg.norm(moved) / np.linalg.norm(w)
        right = np.linalg.norm(change) / np.linalg.norm(x)
        assert (
            np.linalg.cond(x) * right < 0.8 * left < left < np.linalg.norm(x) * np.linalg.norm(np.linalg.inv(x)) * right
        )


def test_the_ratio_of_proposition_3_tends_to_t() -> None:
    for t in (2.0, 50.0):
        moved = [np.array([[1.0, t]]) @ np.linalg.pinv([[1.0, e]]) - 1 for e in (1e-3, 1e-5)]
        assert abs(float(moved[1][0, 0]) / 1e-5 - t) < 1e-4
        assert abs(float(moved[0][0, 0]) / 1e-3 - t) < 1e-3 * (1 + t)


def test_the_dirac_layer_is_written_as_in_the_paper() -> None:
    assert [w.shape for w in ResidualUnit(dirac_layer()).names] == [("d", "d"), ("d", 1)]


def test_nullity_of_a_dirac_network_by_difference_quotients() -> None:
    # L = 2, d = 1, one sample: E = ((w1 + a1)(w2 + a2) x - y)^2 / 2 has the gradient (g1, g1, g2, g2).
    generator = np.random.default_rng(0)
    point, x, y = generator.normal(size=4), 1.3, 0.4

    def gradient(p: np.ndarray) -> np.ndarray:
        first, second = p[0] + p[1], p[2] + p[3]
        missing = first * second * x - y
        return missing * x * np.array([second, second, first, first])

    step = 1e-5
    hessian = np.array([(gradient(point + step * e) - gradient(point - step * e)) / (2 * step) for e in np.eye(4)])
    assert np.linalg.matrix_rank(hessian, tol=1e-6) == 2
    assert np.allclose(hessian @ [1, -1, 0, 0], 0, atol=1e-8)


def test_the_clauses_on_the_dirac_net(results: Mapping[str, Result]) -> None:
    start, free, far = results["RS-DN"].clauses
    assert [one.verdict for one in (start, free, far)] == ["PROVED", "PROVED", "REFUTED"]
    assert far.repair is not None
    assert (far.repair.verdict, far.repair.all_sizes) == ("PROVED", True)
    assert readings_of((start,)) == ("erratum",)
    assert far.counterexample is not None
    assert all(held for _, held in far.counterexample.hypotheses)


def test_trained_dirac_nets_by_numpy() -> None:
    """At other depths, targets and rates and for more steps than run exactly; from equal weights and from others."""
    exact = {len(net.states[0][0]): net.states for net in _DIRAC_CHAINS}
    for layers in (1, 2, 3, 30, 200):
        drawn = np.random.default_rng(layers).uniform(1e-6, 0.05 / layers, layers)
        for w, y, share in ((np.full(layers, 0.04 / layers), 1.1, 0.1), (drawn, 1.1, 0.1), (drawn, 1.0901, 0.03)):
            a, x = np.ones(layers), 1.0
            equal = layers in exact and w is not drawn
            for step in range(1, 60):
                m = w + a
                pull = share / layers * (y - np.prod(m) * x) * np.prod(m) * x / m
                w, a = w + pull, a + pull
                assert np.all(a > 1)
                assert 0 < np.prod(w + a) - 1 < 0.1
                if equal and step <= 3:
                    assert np.allclose(w, array(exact[layers][step][0]), rtol=1e-12)
                    assert np.allclose(a, array(exact[layers][step][1]), rtol=1e-12)


def test_descent_on_a_dirac_net_is_that_of_a_residual_one() -> None:
    generator = np.random.default_rng(0)
    layers, d, m = 4, 3, 5
    x, y = generator.normal(size=(2, d, m))
    w, a = generator.normal(scale=0.1, size=(layers, d, d)), np.ones((layers, d))
    z, kept = w.copy(), np.diagonal(w, axis1=1, axis2=2) - a

    def slopes(full: np.ndarray) -> np.ndarray:
        def cost(stack: np.ndarray) -> float:
            h = x
            for one in stack:
                h = one @ h
            return float(np.sum((h - y) ** 2)) / 2

        found, step = np.empty_like(full), 1e-5
        for place in np.ndindex(*full.shape):
            moved = np.zeros_like(full)
            moved[place] = step
            found[place] = (cost(full + moved) - cost(full - moved)) / (2 * step)
        return found

    for rate in (0.02, 0.005, 0.03):
        g = slopes(w + np.einsum("lk,kj->lkj", a, np.eye(d)))
        w, a = w - rate * g, a - rate * np.diagonal(g, axis1=1, axis2=2)
        g = slopes(z + np.eye(d))
        z = z - rate * g * (1 + np.eye(d))
    assert np.allclose(w + np.einsum("lk,kj->lkj", a - 1, np.eye(d)), z, atol=1e-8)
    assert np.allclose(np.diagonal(w, axis1=1, axis2=2) - a, kept, atol=1e-12)


def test_the_gradient_of_a_normalised_row_by_difference_quotients() -> None:
    row, g, b, step = np.array([3.0, 4.0]), np.array([1.0, 0.0]), 2.0, 1e-5

    def pairing(moved: np.ndarray) -> float:
        return float(b * g @ moved / np.linalg.norm(moved))

    found = [(pairing(row + step * e) - pairing(row - step * e)) / (2 * step) for e in np.eye(2)]
    assert abs(found[0] - float(_NORMALISED["by W_11"])) < 1e-8
    assert abs(float(row @ found)) < 1e-8
