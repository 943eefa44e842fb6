"""Sizes with formulas, from what was computed, beside the same in words."""

from dataclasses import dataclass

import pytest

from resproof.proofs.formulas import plain
from resproof.proofs.registry import find
from resproof.proofs.statement import Context
from resproof.proofs.verdict import run
from resproof.reporting.scopes import few_sizes, shortened, sizes, symbol
from resproof.symbolic.scope import Scope
from tests.proofs.toys import TOYS

FREE = Scope.leaving_free("R", "d", "m")


@dataclass(frozen=True)
class Held:
    scope: str
    sizes: Scope | tuple[Scope, ...]


@pytest.mark.parametrize(
    ("scopes", "written"),
    [
        (FREE, "all $R, d, m$"),
        (Scope.over(n=range(2, 7)) & FREE, r"$n = 2, \ldots, 6$, all $R, d, m$"),
        (Scope.over(n=(1, 2, 3), R=4), "$n = 1, 2, 3$, $R = 4$"),
        (Scope.leaving_free("heads", "k1_2", "d3"), r"all $\mathrm{heads}, d_{3}, k_{1,2}$"),
        ((FREE, Scope.of("n=2, R=1; $5", "d=1"), FREE), r"all $R, d, m$; n=2, R=1; \$5; d=1"),
        ((), ""),
        (Scope(), ""),
    ],
)
def test_sizes_with_formulas(scopes: Scope | tuple[Scope, ...], written: str) -> None:
    each = scopes if isinstance(scopes, tuple) else (scopes,)
    words = "; ".join(dict.fromkeys(filter(None, map(str, each))))
    assert sizes(Held(words, scopes)) == written
    plain(written)


def test_words_that_say_more_stand_alone() -> None:
    assert sizes(Held("all R; not carried through: $d", (FREE,))) == r"all R; not carried through: \$d"


def test_a_few_of_many() -> None:
    listed = Scope.of("R=1", "R=2", "R=3", "R=4")
    assert few_sizes(Held(str(listed), listed)) == shortened(str(listed)) == "R=1; R=2 and 2 more"
    assert shortened("R=1; R=2; R=3") == "R=1; R=2; R=3"
    assert symbol("R") == "R"


@pytest.mark.parametrize("one", [*TOYS, *find(["DR-L4", "EX-6", "IM-1"])], ids=lambda one: one.id)
def test_what_a_run_says_in_words_is_what_it_computed(one: object) -> None:
    result = run(one, Context())  # pyright: ignore[reportArgumentType]
    for each in (result, *result.clauses, *(clause.repair for clause in result.clauses if clause.repair)):
        assert each.scope == "; ".join(dict.fromkeys(filter(None, map(str, each.sizes))))
