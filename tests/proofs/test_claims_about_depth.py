"""The claims about depth, and what their proofs stand on, derived a second time by NumPy on small cases."""

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest

from resproof.proofs.identity_matters.attenuation import _traces, expected_square
from resproof.proofs.registry import find
from resproof.proofs.results import Result
from resproof.proofs.rethinking_skips.early_training import _DESCENT
from resproof.proofs.rethinking_skips.eigenvector_claims import _JOINT
from resproof.proofs.rethinking_skips.near_identity import _DISTANCE, _grown, _trained_plain
from resproof.proofs.statement import Context, Data, Unsuited
from resproof.pytest_plugin import RunOnce

VERDICTS: dict[str, str] = {
    **dict.fromkeys(("EX-4", "EX-6", "EX-8", "EX-11"), "REPAIRED"),
    "EX-7": "REFUTED",
}
UNPRINTED = {"EX-11": ["the entries are normal"]}
"""Repaired by hypotheses that are not printed, not by a counterexample."""
STATEMENTS = find([*VERDICTS])


@pytest.fixture(scope="module")
def results(statement_result: RunOnce) -> Mapping[str, Result]:
    return {one.id: statement_result(one, "exact", "evidence") for one in STATEMENTS}


@pytest.mark.parametrize("id_", VERDICTS)
def test_verdicts(results: Mapping[str, Result], id_: str) -> None:
    found = results[id_]
    added = [one for one in found.hypotheses if not one.printed]
    assert bool(found.reason) == (id_ in UNPRINTED or id_ == "EX-4")
    assert found.verdict == VERDICTS[id_]
    assert found.all_sizes == (found.verdict != "REFUTED")
    for one, words in zip(added, UNPRINTED.get(id_, []), strict=True):
        assert one.sentence.startswith(words)
        assert one.needed is not None
        assert one.needed.outcome == "passed"
    against = [clause.counterexample for clause in found.clauses if clause.counterexample]
    assert bool(against) == (id_ not in {*UNPRINTED, "EX-4"})
    for one in against:
        assert one.outcome == "passed"
        assert all(held for _, held in one.hypotheses)


def test_deep_evidence(statement_result: RunOnce) -> None:
    for one in STATEMENTS:
        for step in statement_result(one, "deep").evidence:
            assert step.outcome == "passed", f"{one.id}: {step.message}"


def test_rare_large_weights_make_gradients_grow() -> None:
    """w is 10 or -10 with probability 1/2000 each: the mean square of dE/dW_1, over all weights."""
    law = {10.0: 0.0005, -10.0: 0.0005, 0.0: 0.999}
    found = []
    for layers in (1, 2, 3):
        mean = 0.0
        for weights in product(law, repeat=layers):
            after = float(np.prod(weights[1:]))
            mean += float(np.prod([law[w] for w in weights])) * (after * after * weights[0]) ** 2
        found.append(mean)
    assert found == pytest.approx([0.1, 1.0, 10.0])


# Three-point Gauss-Hermite quadrature is exact for polynomials of degree five in each weight.
NODES, SHARES = (-(3.0**0.5), 0.0, 3.0**0.5), (1 / 6, 2 / 3, 1 / 6)


@pytest.mark.parametrize(("layers", "layer", "d"), [(2, 1, 1), (2, 2, 1), (3, 2, 1), (2, 1, 2), (2, 2, 2)])
def test_expected_squares_by_quadrature(layers: int, layer: int, d: int) -> None:
    s2, x, y = 0.5, np.array([0.7, -1.1])[:d], np.array([1.3, 0.4])[:d]
    count = layers * d * d
    total = 0.0
    for chosen in product(range(3), repeat=count):
        w = np.array([NODES[k] for k in chosen]).reshape(layers, d, d) * (s2 / d) ** 0.5
        share = float(np.prod([SHARES[k] for k in chosen]))
        before, after = x, np.eye(d)
        for matrix in w[: layer - 1]:
            before = matrix @ before
        for matrix in w[layer:]:
            after = matrix @ after
        signal = after.T @ (after @ w[layer - 1] @ before - y)
        total += share * float(signal @ signal) * float(before @ before)
    cross, fourth = expected_square(layers, layer, d, Fraction(1, 2))
    expected = float(cross) * (x @ x) * (y @ y) + float(fourth) * (x @ x) ** 2
    assert abs(total - expected) < 1e-12 * (1 + expected)


@pytest.mark.parametrize("d", [1, 2, 3, 7])
def test_a_layer_more_leaves_the_share_up_to_the_threshold(d: int) -> None:
    """(L, l) to (L + 1, l) and (L + 1, l + 1) at s^2 = d/(2d + 1), and a little beyond it."""
    s2 = Fraction(d, 2 * d + 1)
    beyond = s2 + Fraction(1, 1000)
    for layers, layer in product(range(1, 7), range(1, 7)):
        if layer <= layers:
            cross, fourth = expected_square(layers, layer, d, s2)
            for deeper in (layer, layer + 1):
                after = expected_square(layers + 1, deeper, d, s2)
                assert after[0] == s2 * cross
                assert after[1] <= s2 * fourth
        if layer == layers:
            more, now = (expected_square(n, layer, d, beyond)[1] for n in (layers + 1, layers))
            assert more > beyond * now


def test_traces_of_random_products() -> None:
    d, layers, size = 3, 2, 40000
    w = np.random.default_rng(0).normal(scale=d**-0.5, size=(layers, size, d, d))
    a = w[1] @ w[0]
    gram = np.swapaxes(a, 1, 2) @ a
    expected = _traces(d, (1 + 2 / d) ** layers, (1 - 1 / d) ** layers)
    square, trace = gram @ gram, np.trace(gram, axis1=1, axis2=2)
    for values, value in ((np.trace(square, axis1=1, axis2=2), expected[0]), (trace**2, expected[1])):
        assert abs(float(np.mean(values)) - value) < 6 * float(np.std(values)) / size**0.5


def test_second_volume_of_random_products() -> None:
    d, layers, size = 3, 4, 40000
    product_ = np.broadcast_to(np.eye(d), (size, d, d))
    for w in np.random.default_rng(1).normal(scale=d**-0.5, size=(layers, size, d, d)):
        product_ = w @ product_
    squares = np.linalg.svd(product_, compute_uv=False) ** 2
    e2 = sum(squares[:, i] * squares[:, j] for i in range(d) for j in range(i))
    expected = comb(d, 2) * (1 - 1 / d) ** layers
    assert abs(float(np.mean(e2)) - expected) < 6 * float(np.std(e2)) / size**0.5
    assert np.all(squares[:, 1] ** 2 <= e2 * (1 + 1e-12))


def test_the_two_matrices() -> None:
    first, second = (np.array(w, dtype=float) for w in _JOINT.weights)
    assert np.array_equal(second @ first, 2 * np.eye(2))
    assert np.array_equal(first, [[2, -1], [0, 1]])
    assert np.array_equal(second, [[1, 1], [0, 2]])
    for w, values in ((first, (2, 1)), (second, (1, 2))):
        for v, value in zip(([1, 0], [1, 1]), values, strict=True):
            assert np.array_equal(w @ v, value * np.array(v))


def test_no_index_is_dominant_for_eigenvalues_nearby() -> None:
    drawn = np.array(_JOINT.eigenvalues) + np.random.default_rng(0).uniform(-0.25, 0.25, size=(200, 2, 2))
    assert np.all(np.argmax(np.abs(drawn), axis=2) == [0, 1])


@pytest.mark.parametrize("layers", [3, 5])
def test_the_first_update_is_small_beside_small_weights(layers: int) -> None:
    def share(eps: float) -> float:
        return (1 - eps**layers) * eps ** (layers - 1) / eps

    assert abs(np.log2(share(1e-3) / share(5e-4)) - (layers - 2)) < 1e-6


def test_the_runs_of_near_identity_are_what_they_are_called() -> None:
    one = _trained_plain(Context()).value
    assert set(one.losses) == {"orthogonal", "9/10 I", "I/2", "Xavier"}
    assert all(len(values) == 3 for values in one.losses.values())
    assert max(one.losses["orthogonal"]) < min(one.losses["Xavier"]) / 2
    assert abs(one.losses["I/2"][0] - 1) < 1e-8
    own = Context(load=lambda: Data(np.eye(2), np.eye(2), "own"))
    with pytest.raises(Unsuited, match="embedded"):
        _ = _trained_plain(own)


@pytest.mark.parametrize("layers", [1, 2, 3, 10, 50, 400])
def test_gradient_descent_of_width_one(layers: int) -> None:
    weight, missing = float(_DESCENT.weight), float(_DESCENT.y) - 0.5**layers
    update = float(_DESCENT.rate) * 0.5 ** (layers - 1) * missing
    error = weight / (weight + update)
    assert error == pytest.approx(float(_DESCENT.error(_DESCENT.weight**layers)), rel=1e-14)
    assert error >= 10 / 13 * (1 - 1e-15)
    assert missing > float(_DESCENT.y) / 2
    if layers == 2:
        assert (update, error) == (pytest.approx(7 / 80), pytest.approx(40 / 47))


@pytest.mark.parametrize("q", [0.0, 0.3, 0.9])
def test_the_share_of_the_last_update(q: float) -> None:
    weight = 0.0
    for t in range(1, 20):
        update = (1 - q) * (1 - weight)
        weight += update
        assert update <= weight / t * (1 + 1e-12)


def test_two_great_layers_may_undo_each_other_and_small_ones_stay_close() -> None:
    w = np.array([[1.0, 2.0], [0.0, 1.0]])
    undo = np.linalg.inv(np.eye(2) + w) - np.eye(2)
    assert np.allclose((np.eye(2) + undo) @ (np.eye(2) + w), np.eye(2))
    assert np.linalg.norm(w, 2) + np.linalg.norm(undo, 2) > np.log(2)
    sizes = [Fraction(69, 1000)] * 10
    assert float(sum(sizes)) < np.log(2)
    assert _grown(sizes) <= 1


def test_the_distance_from_the_input() -> None:
    assert abs(float(_DISTANCE) - (1.1**110 - 1)) < 1e-12 * float(_DISTANCE)
    generator = np.random.default_rng(0)
    for layers in (1, 3, 6):
        w = generator.normal(size=(layers, 3, 3)) / 3
        h = x = generator.normal(size=3)
        for one in w:
            h = h + one @ h
        norms = [Fraction(float(np.linalg.norm(one, 2))) for one in w]
        assert np.linalg.norm(h - x) <= float(_grown(norms)) * np.linalg.norm(x)


def test_each_layer_has_its_own_dominant_eigenvalue(results: Mapping[str, Result]) -> None:
    """Of drawn eigenvalues one is the greatest in modulus in each layer, seldom the same; then it is in the product."""
    orthogonal, dominates = results["EX-6"].clauses
    assert (orthogonal.verdict, dominates.verdict) == ("REPAIRED", "REPAIRED")
    assert [one.verdict for one in dominates.other_readings] == ["PROVED"]
    moduli = np.abs(np.random.default_rng(0).normal(size=(2000, 3, 4)))  # draws, layers, eigenvalues
    ordered = np.sort(moduli, axis=2)
    assert np.all(ordered[..., -1] > ordered[..., -2])
    first = np.argmax(moduli, axis=2)
    same = np.all(first == first[:, :1], axis=1)
    assert np.mean(same) == pytest.approx(1 / 16, abs=0.02)
    assert np.array_equal(np.argmax(np.prod(moduli[same], axis=1), axis=1), first[same, 0])
