"""Small statements about the numbers 4 and -1 whose verdict, scope and reason are known: they run beside every other.

What they are made of is true or false at sight, so that each shows one rule by which a verdict comes about: where one comes
out otherwise, no verdict of that run means anything.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

from resproof.architectures.activations import tanh
from resproof.architectures.catalogue import n_shortcut
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.changes import Change
from resproof.proofs.execution import HALF_THE_DIGITS, LEAST_SHARE
from resproof.proofs.results import Verdict
from resproof.proofs.routes.predicates import at_most, matches, property_of
from resproof.proofs.statement import (
    PRINTED,
    Argument,
    Citation,
    Clause,
    Computed,
    Condition,
    Context,
    Counterexample,
    ExceptionalSet,
    Hypothesis,
    Induction,
    Measurement,
    Repair,
    Source,
    Statement,
    Unavailable,
)
from resproof.proofs.told import told
from resproof.proofs.verdict import run
from resproof.proofs.written import written
from resproof.symbolic.index import sizes
from resproof.symbolic.scope import Scope


class KnownVerdict(NamedTuple):
    """A statement, its verdict and scope, words of the reason, and whether these are all sizes that it speaks of."""

    statement: Statement
    verdict: Verdict
    scope: str = ""
    reason: str = ""
    everywhere: bool | None = None

    @property
    def difference(self) -> str:
        """How it comes out otherwise; nothing where it does not."""
        found = run(self.statement)
        everywhere = self.scope == "all R, d" if self.everywhere is None else self.everywhere
        expected = (self.verdict, self.scope, everywhere)
        came_out = (found.verdict, found.scope, found.all_sizes)
        wrong = came_out != expected or self.reason not in found.reason or bool(self.reason) != bool(found.reason)
        return f"{came_out}, {found.reason!r} in place of {expected}, {self.reason!r}" if wrong else ""


_FREE = sizes.of_unit(ResidualUnit(n_shortcut(2, tanh, tanh, tanh)))
_SIZES = {"R": 1, "d": 1}
_AT = Scope.over(R=1, d=1)


def _gives(value: Any, scope: Scope) -> Callable[[Context], Computed]:
    return lambda _: Computed(value, scope)


def _raises(error: Exception) -> Callable[[Context], Computed]:
    def compute(_: Context) -> Computed:
        raise error

    return compute


def _four(scope: Scope = _FREE, claim: int = 4, **changed: Any) -> Argument:
    return replace(Argument("4", "identity", _gives(4, scope), claim, {"another": claim + 1}), **changed)


_BROKEN = _four(compute=_raises(ZeroDivisionError("1/0")))
_MISSING = _four(compute=_raises(Unavailable("something is not installed")))
_FALSE = _four(claim=5)
_CITED = Citation("svd", {"4 is real": Condition(lambda x: x.imag == 0, lambda: 4, lambda: 4j)})
_NO_SUCH = Citation("svd", {"4 is real": Condition(lambda x: x.imag == 0, lambda: 4j, lambda: 4j)})
_IS_ODD = {"4 is odd": Condition(lambda x: x % 2 == 1, lambda: 4, lambda: 6)}
_IS_NUMBER = {"4 is a number": Condition(lambda _: True, lambda: 4, lambda: 6)}
_POSITIVE = Hypothesis("$x$ is positive", lambda x: x > 0, fails_on=-1, holds_on=1)
_ADDED = replace(_POSITIVE, printed=False)
_FORMULAS = (
    r"\$5, $\sqrt{\mathrm{cond}(A^{\mathsf T})} = \sqrt{\bar h}$, $\begin{pmatrix}0 & W_b^{l-1} \\ 10^{-9} & a_{12}'\end{pmatrix}$, "
    r"$\mathbb R$, $\frac{a + b}{c}$, $\log \lvert \Delta x_{ab}\rvert^{-T/2}$"
)
_SHOWN = (
    "$5, √(cond(Aᵀ)) = √(h\N{COMBINING MACRON}), [[0, W_b^(l-1)], [10⁻⁹, a_12']], "
    "\N{DOUBLE-STRUCK CAPITAL R}, (a + b)/c, log |Δx_ab|^(-T/2)"
)


def _route(value: int = 4, scope: Scope = _AT, **changed: Any) -> Argument:
    return replace(Argument("4", "instance", _gives(value, scope), 4, {PRINTED: -1}), **changed)


def _against(instance: int = 1, first: Argument | None = None, **changed: Any) -> Counterexample:
    return replace(Counterexample(instance, "It is 4.", (first or _route(), _route())), **changed)


_UNNEEDED = replace(_POSITIVE, needed=_route(-1))
_MENDED = Repair("It is 4.", arguments=(_four(),), for_all=_SIZES)


def _clause(*offered: Any, **more: Any) -> Clause:
    return Clause("It is so.", _SIZES, offered, **more)


def _said(*clauses: Clause, **more: Any) -> Statement:
    return Statement("KNOWN", "A number", None, clauses=clauses, kind="algebra", **more)


def _failed(reason: str, *clauses: Clause, **more: Any) -> KnownVerdict:
    return KnownVerdict(_said(*clauses, **more), "FAILED", "", reason)


def _error(reason: str, *clauses: Clause, **more: Any) -> KnownVerdict:
    return KnownVerdict(_said(*clauses, **more), "ERROR", "", reason)


def _open(reason: str, *clauses: Clause, **more: Any) -> KnownVerdict:
    return KnownVerdict(_said(*clauses, **more), "OPEN", "", reason)


def _apart(value: float, bound: float = 1e-12, **more: Any) -> Measurement:
    return Measurement("a number", value, bound, "one number", None, "made up", scale=4.0, **more)


def _measured(**changed: Any) -> Argument:
    one = Argument(
        "4", "floating point", _gives(4.0, Scope.of("one number")), 4.0, {"5": 5.0}, lambda x, y: _apart(abs(x - y))
    )
    return replace(one, **changed)


def _within(part: float) -> Argument:
    """The number 4 within this part of itself."""
    return _measured(compare=lambda x, y: _apart(abs(x - y), 4.0 * part))


def _at_most(share: float) -> Argument:
    """The number 4 is at most one of which it is this share."""
    return _measured(claim=4.0 / share, neighbours={"3": 3.0}, compare=lambda x, bound: _apart(x, bound, at_most=True))


def _far_off(share: float) -> Argument:
    """The number 4 in trillionths, within two of them, and beside it this share of the distance, for which none is allowed."""
    beside = Measurement("another", 0.0, 0.0, "one number", None, "made up", scale=4.0)
    return _measured(
        neighbours={"5": 5.0},
        compare=lambda x, y: (
            replace(_apart(1e12 * abs(x - y), 2.0), scale=4e12),
            replace(beside, value=share * abs(x - y)),
        ),
    )


def _modular(*probabilities: str | None) -> Argument:
    return _measured(
        route="modular",
        compare=lambda x, y: tuple(_apart(abs(x - y), failure_probability=one) for one in probabilities),
    )


_MISSED = _measured(compute=_raises(Unavailable("no device")))
_IS_EVEN = property_of(2, not_of=(3,))(lambda x: x % 2 == 0)
_AT_MOST = partial(at_most, at="4")
_EVEN = Argument("4", "identity", _gives(4, _FREE), _IS_EVEN, {"odd": lambda x: x % 2 == 1}, matches)
_ODD_PRINTED = {PRINTED: lambda x: x % 2 == 1, "3": 3, "6, were it odd": lambda x: x == 6, "8": 8}
_REFUTED = _clause(counterexample=_against())
_OTHERWISE = _clause(counterexample=_against(), repair=_MENDED)
_NOTHING = _clause(unsettled="nobody knows")
_ROUTES_SAY = "the instance does not satisfy"
_UNPRINTED = "under a hypothesis that is not printed: x is positive"

KNOWN = (
    # What arguments cover.
    KnownVerdict(_said(_clause(_four())), "PROVED", "all R, d"),
    KnownVerdict(_said(_clause(_four(), _CITED)), "PROVED", "all R, d"),
    KnownVerdict(_said(_clause(_four(), _four(Scope.over(R=3)))), "PROVED", "R = 3, all d"),
    KnownVerdict(
        _said(_clause(_four(_FREE & Scope.over(d=2)), _four(_FREE & Scope.over(R=3)))), "PROVED", "R = 3, d = 2"
    ),
    KnownVerdict(_said(_clause(_four(Scope.over(R=3)))), "PROVED", "R = 3; not carried through: d"),
    KnownVerdict(_said(_clause(_four(Scope.of("one number")))), "PROVED", "one number"),
    KnownVerdict(_said(_clause(_four(_AT, route="instance"))), "PROVED", "R = 1, d = 1"),
    KnownVerdict(_said(_clause(_four(), _four(_AT, route="instance"))), "PROVED", "all R, d"),
    KnownVerdict(_said(Clause("It is so.", {"R": 2, "d": 1}, (_four(),))), "PROVED", "all R >= 2, d", everywhere=True),
    KnownVerdict(_said(_clause(Induction("R", _four(_FREE & Scope.over(R=(1, 2))), _four()))), "PROVED", "all R, d"),
    KnownVerdict(
        _said(_clause(Induction("R", _four(Scope.over(R=(1, 2))), _four()))), "PROVED", "all R; not carried through: d"
    ),
    KnownVerdict(
        _said(_clause(Induction("R", _four(_FREE & Scope.over(R=(2, 3))), _four()))), "PROVED", "R = 2, 3, all d"
    ),
    KnownVerdict(_said(_clause(_four()), _clause(_four(_AT))), "PROVED", "all R, d; R = 1, d = 1"),
    KnownVerdict(_said(_clause(_four(_AT)), _clause(_four())), "PROVED", "R = 1, d = 1; all R, d"),
    KnownVerdict(
        _said(Clause("It is so.", {"R": 1}, (_four(_FREE & Scope.over(d=2)),), at={"d": 2})),
        "PROVED",
        "d = 2, all R",
        everywhere=True,
    ),
    _open("d = 2", Clause("It is so.", {"R": 1}, (_four(_FREE & Scope.over(d=3)),), at={"d": 2})),
    _open(
        "d = 2", Clause("So.", {"R": 1}, (_four(_FREE & Scope.over(d=2)), _four(_FREE & Scope.over(d=3))), at={"d": 2})
    ),
    KnownVerdict(
        _said(_clause(Induction("n", _four(_FREE & Scope.over(n=(1, 2))), _four()))),
        "PROVED",
        "n = 1, 2, all R, d",
        everywhere=True,
    ),
    _open("no step speaks of R, d", _clause(_four(Scope()))),
    _open("no argument is offered", _clause()),
    _open("only a citation", _clause(_CITED)),
    _open("nobody knows", _NOTHING),
    # What does not go through.
    _failed("computed 4; claimed 5", _clause(_four(), _FALSE)),
    _error("1/0", _clause(_four(), _BROKEN)),
    _failed("claimed 5", _clause(_BROKEN, _FALSE)),
    _open("not installed", _clause(_four(), _MISSING)),
    _failed("does not apply", _clause(_four(), _NO_SUCH)),
    _failed("does not apply: 4 is odd", _clause(_four(), replace(_CITED, hypotheses={**_CITED.hypotheses, **_IS_ODD}))),
    _failed(
        "cannot fail: 4 is a number", _clause(_four(), replace(_CITED, hypotheses={**_CITED.hypotheses, **_IS_NUMBER}))
    ),
    _failed("was accepted", _clause(_four(neighbours={"the same": 4}))),
    _failed("was accepted", _clause(_four(neighbours={"nothing": 3, "the same": 4}))),
    *(_error("compared with", _clause(_four(neighbours={"no number": one}))) for one in ("4", (4,), True)),
    KnownVerdict(_said(_clause(_four(neighbours={"a half more": Fraction(9, 2)}))), "PROVED", "all R, d"),
    _error("no size free", _clause(Induction("R", _four(_FREE & Scope.over(R=1)), _four(Scope())))),
    *(
        _error("did not run over first values of R", _clause(Induction("R", _four(at), _four())))
        for at in (_FREE, Scope.over(R=(1, 3)))
    ),
    _error("expected a name, and values from one on", _clause(_four(Scope.over(R=0)))),
    _error(
        "said to be for no size",
        _clause(Argument("4", "identity", _gives({1: 4}, Scope()), {1: 4}, {"another": {1: 5}})),
    ),
    KnownVerdict(_said(_clause(_EVEN)), "PROVED", "all R, d"),
    KnownVerdict(_said(_clause(replace(_EVEN, claim=4, neighbours={"3": 3}, compare=_AT_MOST))), "PROVED", "all R, d"),
    _failed("the claim is False of 3", _clause(replace(_EVEN, claim=replace(_IS_EVEN, of=(3,))))),
    _failed("the claim is True of 2", _clause(replace(_EVEN, claim=replace(_IS_EVEN, not_of=(2,))))),
    KnownVerdict(_said(_clause(replace(_EVEN, neighbours=_ODD_PRINTED))), "PROVED", "all R, d"),
    _failed(
        "the printed conclusion is False of 4",
        _clause(replace(_EVEN, neighbours={PRINTED: replace(_IS_EVEN, holds=lambda x: x > 4, of=(4,))})),
    ),
    _error(
        "a table over 2",
        _clause(Argument("4", "identity", _gives({(1, 2): 4}, Scope.over(R=1)), {(1, 2): 4}, {"5": {(1, 2): 5}})),
    ),
    # Hypotheses.
    KnownVerdict(_said(_clause(_four()), hypotheses=(_POSITIVE,)), "PROVED", "all R, d"),
    KnownVerdict(_said(_clause(_four()), hypotheses=(_ADDED,)), "REPAIRED", "all R, d", _UNPRINTED),
    KnownVerdict(_said(_clause(_four(), hypotheses=(_ADDED,)), _clause(_four())), "REPAIRED", "all R, d", _UNPRINTED),
    _failed("cannot fail", _clause(_four(), hypotheses=(replace(_POSITIVE, fails_on=1),))),
    _failed(
        f"does not satisfy it: {_SHOWN}",
        _clause(_four(), hypotheses=(replace(_POSITIVE, holds_on=-1, sentence=_FORMULAS),)),
    ),
    _failed("claimed 4", _clause(_four()), hypotheses=(_UNNEEDED,)),
    _error("True or False", _clause(_four()), hypotheses=(replace(_POSITIVE, predicate=lambda _: 1),)),
    # Counterexamples and repairs.
    KnownVerdict(_said(_REFUTED, hypotheses=(_POSITIVE,)), "REFUTED", "R = 1, d = 1"),
    KnownVerdict(_said(_OTHERWISE, hypotheses=(_POSITIVE,)), "REPAIRED", "all R, d"),
    KnownVerdict(
        replace(
            _said(_NOTHING),
            source=Source("A paper", "1", "It is so.", ""),
            clauses=(_clause(repair=replace(_MENDED, changes=(Change("so", "4", "nobody is."),))),),
        ),
        "REPAIRED",
        "all R, d",
        "incomplete as printed: nobody is",
    ),
    KnownVerdict(_said(_OTHERWISE, _clause(_four()), hypotheses=(_POSITIVE,)), "REPAIRED", "all R, d"),
    KnownVerdict(
        _said(_clause(counterexample=_against(), repair=replace(_MENDED, beside=True)), hypotheses=(_POSITIVE,)),
        "REFUTED",
        "R = 1, d = 1",
    ),
    _open("the repair is not proved", _clause(repair=replace(_MENDED, arguments=()))),
    _failed("repair: 4", _clause(repair=replace(_MENDED, arguments=(_FALSE,)))),
    _failed(
        "repair: 4",
        _clause(repair=Repair(clauses=(_clause(_four()), _clause(_four(), hypotheses=(_UNNEEDED,))))),
    ),
    _failed(
        "the proof and the counterexample both went through",
        _clause(_four(), counterexample=_against()),
        hypotheses=(_POSITIVE,),
    ),
    _failed(_ROUTES_SAY, _clause(counterexample=_against(-1)), hypotheses=(_POSITIVE,)),
    _failed(
        _ROUTES_SAY, _clause(counterexample=_against(2, even_if=(replace(_POSITIVE, predicate=lambda x: x == 1),)))
    ),
    _failed("counterexample: 4", _clause(counterexample=_against(first=_route(-1)))),
    _failed("does not say its d", _clause(counterexample=_against(first=_route(scope=Scope.over(R=1))))),
    _failed("at R = 1, of which the clause", Clause("It is so.", {"R": 2, "d": 1}, counterexample=_against())),
    _open(
        "not installed", _clause(counterexample=_against(first=_route(compute=_raises(Unavailable("not installed")))))
    ),
    # Readings.
    KnownVerdict(
        _said(_clause(_four(), reading=ExceptionalSet("$x = 0$", _route(), null=_four()))), "PROVED", "all R, d"
    ),
    KnownVerdict(
        _said(_clause(_four(), reading=ExceptionalSet("$x = 0$", _route(), null=_four(_AT)))), "PROVED", "R = 1, d = 1"
    ),
    _open("speaks of no size", _clause(_four(), reading=ExceptionalSet("$x = 0$", _route(), null=_four(Scope())))),
    _failed("reading: 4", _clause(_four(), reading=ExceptionalSet("$x = 0$", _route(-1), null=_four()))),
    KnownVerdict(_said(_clause(_four(), other_readings=(_REFUTED,))), "PROVED", "all R, d"),
    _failed("claimed 5", _clause(_four(), other_readings=(_clause(_FALSE),))),
    # The worst of several.
    KnownVerdict(_said(_clause(_four()), _NOTHING, _REFUTED), "REFUTED", "R = 1, d = 1"),
    _open("nobody knows", _clause(_four()), _NOTHING),
    # Evidence.
    KnownVerdict(_said(evidence=(_measured(),), sentence="So."), "OBSERVED", "one number"),
    KnownVerdict(_said(evidence=(_measured(), _MISSED), sentence="So."), "OBSERVED", "one number"),
    KnownVerdict(_said(evidence=(_within(HALF_THE_DIGITS * 0.99),), sentence="So."), "OBSERVED", "one number"),
    _failed("says nothing", evidence=(_within(HALF_THE_DIGITS * 1.01),), sentence="So."),
    KnownVerdict(_said(evidence=(_at_most(LEAST_SHARE * 1.01),), sentence="So."), "OBSERVED", "one number"),
    _failed("says nothing", evidence=(_at_most(LEAST_SHARE * 0.99),), sentence="So."),
    KnownVerdict(_said(evidence=(_modular("2^-60", "2^-60"),), sentence="So."), "OBSERVED", "one number"),
    _error("states no failure probability", evidence=(_modular("2^-60", None),), sentence="So."),
    _failed("no neighbouring falsehood exceeds", evidence=(_far_off(0.0),), sentence="So."),
    KnownVerdict(_said(evidence=(_far_off(0.5),), sentence="So."), "OBSERVED", "one number"),
    _open("no device", evidence=(_MISSED,), sentence="So."),
    KnownVerdict(_said(_clause(_four()), evidence=(_measured(),)), "PROVED", "all R, d"),
    _failed("evidence: 4", _clause(_four()), evidence=(_measured(claim=5.0, neighbours={"6": 6.0}),)),
    _error("without a measurement", _clause(_four()), evidence=(_measured(compare=lambda x, y: ()),)),
    _error("the distance -1", _clause(_four()), evidence=(_measured(compare=lambda x, y: _apart(x - y)),)),
)
"""Statements and what has to come of them."""


class _Near(NamedTuple):
    number: Fraction
    is_near: bool


_LONG = "x" * 30
_TOLD: tuple[tuple[Any, str], ...] = (
    (Fraction(-1, 2), "-1/2"),
    (0.125, "0.125"),
    (10**23, f"1{'0' * 23}"),
    (10**24, "about 1e+24"),
    ("a**2", "a^2"),
    ((1, Fraction(1, 3)), "(1, 1/3)"),
    (((2, 0), (0, 2)), "((2, 0), (0, 2))"),
    ([[1], (1,)], ""),
    ({3, 1, 2}, "{1, 2, 3}"),
    ((), "none"),
    ({(2, "d=1"): 3, "$c$ = 0": (1, 2)}, "2, d=1: 3; c = 0: (1, 2)"),
    (_Near(Fraction(4), is_near=True), "number: 4; is_near: yes"),
    ({"plain": True, "other": False}, "plain: yes; other: no"),
    ({"plain": True, "other": True}, ""),
    ({"one": (1, True), "two": 2}, ""),
    (dict.fromkeys(range(6), _LONG), f"0: {_LONG}; 1: {_LONG}; 2: {_LONG}; 3: {_LONG}; and 2 more"),
    ("x" * 158, "x" * 158),
    ("x" * 159, ""),
    (True, ""),
    ((1, True), ""),
)
"""What may be computed, and what a page tells of it."""


def require_known(known: tuple[KnownVerdict, ...] = KNOWN) -> None:
    """Pass when each comes out as it has to.

    Raises:
        RuntimeError: one does not.
    """
    of_nothing = replace(_apart(0.0, 3.0), scale=0.0)
    measured = _apart(2.0, 3.0, at_most=True), _apart(0.0, 3.0), _apart(0.0, 3.0, at_most=True), of_nothing
    if [one.caught for one in measured] != [0.5, 0.75, None, None]:
        raise RuntimeError("the relative error that would have passed is another: no measurement can be trusted")
    put_together = " ".join(("A", "number", "of", "them"))
    texts = ("A number", _gives), (put_together, _gives), (put_together, partial(_gives, put_together))
    if [written(*one) for one in texts] != [True, False, True]:
        raise RuntimeError("which formulas are printed from what was computed is told wrongly: no page can be trusted")
    for found, text in _TOLD:
        if told(found) != text:
            raise RuntimeError(
                f"of {found!r} a page tells {told(found)!r} in place of {text!r}: no page can be trusted"
            )
    for number, one in enumerate(known, 1):
        if difference := one.difference:
            raise RuntimeError(f"known verdict {number} came out as {difference}: no verdict can be trusted")
