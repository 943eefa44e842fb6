"""Toy statements for the verdict tests: one of each verdict and of each way to fail."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeAlias

from resproof.proofs.changes import Change
from resproof.proofs.registry import find
from resproof.proofs.statement import (
    PRINTED,
    Argument,
    Citation,
    Computed,
    Condition,
    Context,
    Counterexample,
    Evidence,
    Hypothesis,
    Measurement,
    Repair,
    Source,
    Statement,
    Unavailable,
)
from resproof.reporting.listed import Listed
from resproof.symbolic.scope import Scope

Patch: TypeAlias = Callable[[str, object], None]
"""Such as `pytest.MonkeyPatch.setattr`."""

ALL = Scope.leaving_free("R", "d")
SOME = Scope.of("R=1, d=2", "R=2, d=2")


def returns(value: Any, scope: Scope = ALL, shown: str = "") -> Callable[[Context], Computed]:
    return lambda _: Computed(value, scope, shown)


def raises(error: BaseException) -> Callable[[Context], Computed]:
    def compute(_: Context) -> Computed:
        raise error

    return compute


lift = Argument("two units", "index notation", returns(4), claim=4, neighbours={"twice": 8, "transposed": -4})
explicit = Argument("small networks", "explicit", returns(4, SOME, "x_{1} < 4"), claim=4, neighbours={"twice": 8})
unavailable = replace(explicit, title="optional", compute=raises(Unavailable("flint is not installed")))


def measured(value: float, bound: float = 1e-12, probability: str | None = None) -> Measurement:
    return Measurement("residual", value, bound, "R=1000, d=10", 0, "8 R d eps |X|", probability, 4.0)


def distance(computed: float, claim: float) -> Measurement:
    return measured(abs(computed - claim))


def _running(context: Context) -> Computed:
    return Computed(4.0 + 1e-15 * context.seed, Scope.of("R=1000, d=10"))


floating = Evidence("the running network", "floating point", _running, 4.0, {"twice": 8.0}, distance)
gpu = replace(floating, title="on a GPU", needs_gpu=True)
modular = Evidence(
    "modulo a prime",
    "modular",
    lambda _: Computed(7, Scope.of("R=100000, d=10")),
    7,
    {"wrong sign": -7},
    lambda computed, claim: measured(float(computed != claim), 0.0, "2^-168"),
)
real = Condition(lambda x: x.imag == 0, lambda: 1 + 0j, lambda: 1j)
svd = Citation("svd", {"M is real": real})

facing = (
    Argument("by hand", "instance", returns(Fraction(3, 2), SOME), Fraction(3, 2), {PRINTED: Fraction(1)}),
    Argument("by expansion", "explicit", returns(Fraction(3, 2), SOME), Fraction(3, 2), {PRINTED: Fraction(1)}),
)
positive = Hypothesis(
    "x is positive", lambda x: x > 0, fails_on=Fraction(-1), holds_on=Fraction(1, 2), quote="<always>"
)
unprinted = replace(positive, printed=False, quote="")
counterexample = Counterexample(Fraction(1, 2), "x = 1/2 has the value 3/2", facing)
repair = Repair(
    "It holds with 4 | in place of 3.",
    r"f(x) = 4 \mid x",
    (lift, explicit),
    changes=(Change("*zero*", "4 |", "the constant"),),
    for_all={"R": 1, "d": 1},
)
source = Source("demystifying-resnet.arxiv", "Theorem 2", "the Hessian is *zero* | <always>", "0" * 64)


def toy(id_: str, **offered: Any) -> Statement:
    if "counterexample" in offered:
        offered.setdefault("hypotheses", (positive,))
    if "arguments" in offered:
        offered.setdefault("for_all", {"R": 1, "d": 1})
    sentence = "" if offered.get("clauses") else "A sentence with a_b and |M|."
    printed = offered.pop("source", source)
    return Statement(id_, f"Toy {id_}", printed, sentence, r"H_{rs} < A^{\mathsf T}", **offered)


TOYS = (
    toy("T-proved", arguments=(lift, explicit, svd), evidence=(floating, modular), subject="n_shortcut"),
    toy("T-observed", evidence=(floating, modular)),
    toy("T-refuted", hypotheses=(positive,), counterexample=counterexample),
    toy("T-repaired", hypotheses=(positive,), counterexample=counterexample, repair=repair, uses=("T-proved",)),
    toy("T-failed", arguments=(replace(lift, claim=5), explicit)),
    toy("T-open", uses=("T-refuted",)),
    toy("T-unavailable", arguments=(lift, unavailable), notes="A note."),
    toy("T-error", arguments=(replace(lift, compute=raises(ZeroDivisionError("1/0 | 2"))), explicit)),
)


def only(toys: Sequence[Statement], patch: Patch) -> None:
    """Have these alone registered, and listed."""
    patch("resproof.proofs.registry.statements", lambda: tuple(toys))
    patch("resproof.proofs.registry.written", tuple)
    patch("resproof.proofs.registry._registered", lambda ids: tuple(toys))
    patch("resproof.reporting.listed.listed", lambda: tuple(Listed(one.id, one.title, one.said) for one in toys))


def find_toys(ids: Sequence[str]) -> Sequence[Statement]:
    return find(ids, TOYS)
