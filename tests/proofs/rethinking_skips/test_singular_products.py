"""Lemmas 2 and 3: for which shapes they hold by ranks, by brute force over all shapes up to 4."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from resproof.proofs.rethinking_skips.singular_products import L2, L3
from resproof.pytest_plugin import RunOnce

SHAPES = list(product(range(1, 5), repeat=3))


def subsets(n: int, most: int) -> list[frozenset[int]]:
    return [frozenset(one) for size in range(min(n, most) + 1) for one in combinations(range(n), size)]


@pytest.mark.parametrize(("m", "n", "p"), SHAPES)
def test_the_shapes_by_sets_of_coordinates(m: int, n: int, p: int) -> None:
    """X keeps the coordinates in S, V has its image on those in T: the ranks are |S|, |T| and |S & T|."""
    pairs = list(product(subsets(n, m), subsets(n, p)))
    lemma2 = all(len(t) == min(n, p) or len(s & t) < min(m, p) for s, t in pairs)
    lemma3 = all(len(s) < min(m, n) or len(t) < min(n, p) or len(s & t) == min(m, p) for s, t in pairs)
    assert lemma2 == (m >= min(n, p))
    assert lemma3 == (min(m, p) <= n <= max(m, p))


@pytest.mark.parametrize(("m", "n", "p"), SHAPES)
def test_where_they_hold_they_hold_for_matrices_drawn_at_random(m: int, n: int, p: int) -> None:
    generator = np.random.default_rng(m + 10 * n + 100 * p)
    rank = np.linalg.matrix_rank
    for a, b in product(range(min(m, n) + 1), range(min(n, p) + 1)):
        x = generator.integers(-3, 4, size=(m, a)) @ generator.integers(-3, 4, size=(a, n))
        v = generator.integers(-3, 4, size=(n, b)) @ generator.integers(-3, 4, size=(b, p))
        if m >= min(n, p) and rank(v) < min(n, p):
            assert rank(x @ v) < min(m, p)
        if min(m, p) <= n <= max(m, p) and rank(x) == min(m, n) and rank(v) == min(n, p):
            assert rank(x @ v) == min(m, p)


@pytest.mark.parametrize("statement", [L2, L3], ids=lambda one: one.id)
def test_each_sense_has_its_verdict(statement, statement_result: RunOnce) -> None:
    (clause,) = statement_result(statement, "exact").clauses
    assert (clause.verdict, clause.all_sizes) == ("PROVED", True)
    by_rank, by_condition = clause.other_readings
    assert (by_rank.verdict, by_rank.all_sizes) == ("REPAIRED", True)
    assert by_condition.verdict == ("REPAIRED" if statement is L2 else "PROVED")
    for one in (by_rank, by_condition):
        assert one.counterexample is None or all(held for _, held in one.counterexample.hypotheses)
