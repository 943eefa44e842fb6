"""From which degree on each weight enters the output, and which never do."""

from __future__ import annotations

from resproof.architectures.algebra import softmax
from resproof.architectures.nodes import Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import normal
from resproof.symbolic.index.expansion import expansion


def attention(*, softly: bool) -> ResidualUnit:
    q, k = (Weight("d", "d", initial=normal("1/d"), name=name) for name in "QK")
    h, v, b, c = Input("d"), Weight("d", "d", name="V"), Weight("d", name="b"), Weight("d", name="c")
    scores: Expression = (k @ h + b).T @ (q @ h + c)
    return ResidualUnit(h + v @ h @ (softmax(scores, axis=0) if softly else scores))


def test_a_bias_of_the_keys_moves_all_scores_of_a_query_alike() -> None:
    found = expansion(attention(softly=True))
    assert found.without_effect == {"b"}
    assert found.entering == {"V": 1, "Q": 2, "K": 2, "c": 2, "b": None}


def test_without_a_softmax_it_has_an_effect() -> None:
    found = expansion(attention(softly=False))
    assert found.without_effect == frozenset()
    assert found.entering == {"V": 1, "Q": 2, "K": 2, "c": 2, "b": 2}
