"""What is proved beyond the documents is so for all sizes, by arguments that tell every neighbour from the claim."""

from __future__ import annotations

import pytest

from resproof.proofs.beyond.depth_law import GEN_3
from resproof.proofs.beyond.depth_spectrum import GEN_4
from resproof.proofs.beyond.kinds_of_units import GEN_10
from resproof.proofs.beyond.residual_scale import GEN_9
from resproof.proofs.beyond.starting_at_identity import GEN_8
from resproof.proofs.beyond.stem_and_head import GEN_11
from resproof.proofs.beyond.trichotomy import GEN_2, GEN_5, GEN_6
from resproof.proofs.beyond.two_units import GEN_1
from resproof.proofs.demystifying_resnet.after_theorem2 import T2_3X
from resproof.proofs.formulas import plain
from resproof.proofs.statement import Argument, Statement
from resproof.pytest_plugin import RunOnce
from tests.proofs.offered import arguments, rejects_neighbours

PROVED = (GEN_1, GEN_2, GEN_3, GEN_4, GEN_5, GEN_6, GEN_8, GEN_9, GEN_10, GEN_11)
OFFERED = [
    pytest.param(one, id=f"{statement.id}-{plain(one.title)[:40]}")
    for statement in (GEN_2, GEN_3, GEN_4, GEN_5, GEN_9, GEN_10, GEN_11)
    for one in arguments(statement)
    if not one.title.startswith("The catalogue's blocks")
]


@pytest.mark.parametrize("statement", PROVED, ids=lambda one: one.id)
def test_proved_for_all_sizes(statement: Statement, statement_result: RunOnce) -> None:
    result = statement_result(statement, "exact")
    assert (result.verdict, result.all_sizes, result.reason) == ("PROVED", True, "")


def test_growth_of_one_shortcut_asks_for_what_is_not_printed(statement_result: RunOnce) -> None:
    result = statement_result(T2_3X, "exact")
    assert (result.verdict, result.all_sizes) == ("REPAIRED", True)
    assert [one.verdict for one in result.clauses] == ["REPAIRED", "PROVED", "PROVED"]


@pytest.mark.parametrize("argument", OFFERED)
def test_a_neighbour_in_place_of_the_claim_fails(argument: Argument) -> None:
    rejects_neighbours(argument)
