"""Statements that are false, run beside the true ones: where one of them is proved, no verdict of that run means anything.

Each of them fails in another way: the wrong closed form, sizes that nothing carries, a list passed off as every size, a
condition that cannot fail, evidence whose bound lets everything pass; some cannot even be written, and some units, data and
sizes (`proofs/refusals.py`) an engine has to refuse. Most of them would be proved for all sizes but for that one defect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from math import inf, nan
from textwrap import indent

from resproof.architectures.activations import sigmoid, tanh
from resproof.architectures.catalogue import attention, fixup, n_shortcut, pre_norm
from resproof.architectures.nodes import Constant, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import normal, ones
from resproof.proofs.changes import Change
from resproof.proofs.coverage import require_numbers
from resproof.proofs.known_verdicts import require_known
from resproof.proofs.provenance import require_own_sizes
from resproof.proofs.refusals import REFUSED
from resproof.proofs.routes.hessians import Claim, hessian_arguments, size
from resproof.proofs.routes.predicates import matches
from resproof.proofs.routes.running_network import MOVED_LITTLE, Moved, claim_and_shift
from resproof.proofs.statement import (
    PRINTED,
    Argument,
    Citation,
    Clause,
    Computed,
    Condition,
    Context,
    Counterexample,
    Erratum,
    Evidence,
    ExceptionalSet,
    Hypothesis,
    Induction,
    Kind,
    Measurement,
    Offered,
    Repair,
    Sense,
    Source,
    Statement,
    equal,
    within,
)
from resproof.proofs.verdict import run
from resproof.symbolic.algebra.matrices import Matrix, eye, matrix, multiply, rank, transpose
from resproof.symbolic.scope import Scope
from resproof.symbolic.written.reduction import check_reducible

_EVERY_SIZE = {"R": 1, "d": 1, "m": 1}


def _false(
    id_: str,
    sentence: str,
    *arguments: Offered,
    for_all: Mapping[str, int] = _EVERY_SIZE,
    hypotheses: tuple[Hypothesis, ...] = (),
    kind: Kind = "algebra",
) -> Statement:
    return Statement(
        id=f"FALSE-{id_}",
        title=sentence,
        source=None,
        sentence=sentence,
        latex="",
        for_all=for_all,
        hypotheses=hypotheses,
        arguments=arguments,
        kind=kind,
    )


_TWO_SHORTCUT = ResidualUnit(n_shortcut(2, tanh, tanh, tanh))
_ONCE = Claim("m^-1 * g[i,u] * tanh(X)[j,u] * dW2(1)[i,a] * dW1(1)[a,j]")
_TWICE, _THRICE = Claim(f"2 * {_ONCE.diagonal}"), Claim(f"3 * {_ONCE.diagonal}")
PROVED = hessian_arguments(_TWO_SHORTCUT, _ONCE, {"thrice": _THRICE}, [size(1, d=1)])[:2]
"""What is true and proved for all sizes."""
_LIFTED = PROVED[0]


def _sum(_: Context) -> Computed:
    return Computed(1 + 1, Scope())


def _greatest_rank(_: Context) -> Computed:
    widths = (1, 2, 3)
    return Computed(max(rank(eye(d)) for d in widths), Scope.over(d=widths))


_IDENTITY_HAS_RANK_D = Argument("Ranks of I_d", "identity", _greatest_rank, 3, {"at most 2": 2})

_NORMAL, _NOT_NORMAL = eye(2), matrix([[0, 1], [0, 0]])


def _spectral(holds: Callable[[Matrix], bool], of: Matrix, fails_on: Matrix) -> Citation:
    return Citation(
        "spectral", {r"$A^{\mathsf T} A = A A^{\mathsf T}$": Condition(holds, lambda: of, lambda: fails_on)}
    )


def _is_normal(a: Matrix) -> bool:
    return multiply(transpose(a), a) == multiply(a, transpose(a))


def _at_two_units(argument: Argument) -> Argument:
    """The same at R = 2 alone."""

    def compute(context: Context) -> Computed:
        found = argument.compute(context)
        return replace(found, scope=found.scope & Scope.over(R=2))

    return replace(argument, compute=compute)


def _ranks(_: Context) -> Computed:
    return Computed({d: rank(eye(d)) for d in (1, 2)}, Scope.over(d=(1, 2, 3)))


def _ranks_at_any_depth(context: Context) -> Computed:
    return replace(_ranks(context), scope=_LIFTED.compute(context).scope & Scope.over(d=(1, 2, 3)))


def _unsaid(_: Context) -> Computed:
    return Computed(4, Scope.over(R=2, d=1))


def _whatever_is_found(_: object, claim: Claim) -> None:
    equal(claim, _ONCE)


def _handed(claim: tuple[int, ...], _: Context) -> Computed:
    return Computed(claim, Scope())


_PAIR = (1, 2)
_POSITIVE = Hypothesis("$x$ is positive", lambda x: x > 0, fails_on=-1, holds_on=1)
_ONE_POSITIVE = Hypothesis(
    "each of them is positive",
    lambda several: any(one.value > 0 for one in several),
    fails_on=(Computed(-1, Scope()),),
    holds_on=(Computed(1, Scope()),),
)
_ROUTES = (
    Argument("1 + 1 = 2", "instance", lambda _: Computed(1 + 1, Scope.over(d=2)), 2, {PRINTED: 3}),
    Argument("$I_2$ has rank 2", "instance", lambda _: Computed(rank(eye(2)), Scope.over(d=2)), 2, {PRINTED: 3}),
)
_REFUTED = Counterexample(1, "One is no counterexample.", _ROUTES)
_MENDED = Repair("It is otherwise.", arguments=PROVED, for_all={"d": 1})
_DIAGONAL = "Every matrix is diagonal."
CANARIES = (
    _false(
        "FORM",
        "The Hessian of a 2-shortcut network is twice what it is.",
        *(replace(one, claim=_TWICE) for one in PROVED),
    ),
    _false(
        "SIZES",
        "The Hessian of every network has condition number one.",
        Argument("1 + 1 = 2", "identity", _sum, 2, {"3": 3}),
    ),
    _false("LIST", "The identity matrix of every width has rank at most 3.", _IDENTITY_HAS_RANK_D, for_all={"d": 1}),
    _false("CONDITION", _DIAGONAL, *PROVED, _spectral(lambda _: True, _NORMAL, _NOT_NORMAL)),
    _false("CITED", _DIAGONAL, *PROVED, _spectral(_is_normal, _NOT_NORMAL, _NOT_NORMAL)),
    _false(
        "HYPOTHESIS",
        "It is so whatever $x$ is.",
        *PROVED,
        hypotheses=(replace(_POSITIVE, predicate=lambda _: True),),
    ),
    _false(
        "VACUOUS",
        "It is so where nothing is.",
        *PROVED,
        hypotheses=(replace(_POSITIVE, predicate=lambda _: False),),
    ),
    _false(
        "NEEDED",
        "It needs $x$ to be positive.",
        *PROVED,
        hypotheses=(replace(_POSITIVE, needed=Argument("1 + 1 = 2", "instance", _sum, 2, {PRINTED: 2})),),
    ),
    _false(
        "STRAWMAN",
        "Nobody says what is refuted.",
        *PROVED,
        hypotheses=(
            replace(
                _POSITIVE,
                needed=Argument("1 + 1 = 2", "instance", _sum, 2, {PRINTED: lambda _: False, "3": 3}, matches),
            ),
        ),
    ),
    _false("NEIGHBOUR", "It is so and otherwise.", *(replace(one, neighbours={"the same": _ONCE}) for one in PROVED)),
    _false("NOT-SEEN", "It is so whatever is found.", *(replace(one, compare=_whatever_is_found) for one in PROVED)),
    _false(
        "HANDED", "One is two.", *PROVED, Argument("1, 2", "identity", partial(_handed, _PAIR), _PAIR, {"2": (2, 2)})
    ),
    _false(
        "ONE-FALSEHOOD",
        "It is none of two things, which are one.",
        *(replace(one, neighbours={"thrice": _THRICE, "three times": _THRICE}) for one in PROVED),
    ),
    _false("PART", "Two units are any number.", *PROVED, _at_two_units(_LIFTED)),
    _false("NETWORK", "It is so without a small network.", _LIFTED, kind="network"),
    _false(
        "UNSAID",
        "A small network has any number of samples.",
        _LIFTED,
        Argument("4", "explicit", _unsaid, 4, {"5": 5}),
        kind="network",
    ),
    *(
        _false(
            id_,
            "Two widths are three.",
            *PROVED,
            Argument("Ranks of $I_d$", "instance", compute, {1: 1, 2: 2}, {"one": {1: 1, 2: 1}}),
        )
        for id_, compute in (("TABLE", _ranks), ("TABLE-OF-ALL", _ranks_at_any_depth))
    ),
    _false("BASE", "Two units are the first.", Induction("R", _at_two_units(_LIFTED), _LIFTED)),
    replace(
        _false("INSTANCE", "It is so where $x$ is positive.", hypotheses=(_POSITIVE,), for_all={"d": 1}),
        counterexample=replace(_REFUTED, instance=-1),
        repair=_MENDED,
    ),
    replace(
        _false("SEVERAL", "It is so where one is positive.", hypotheses=(_ONE_POSITIVE,), for_all={"d": 1}),
        counterexample=replace(_REFUTED, instance=_ONE_POSITIVE.holds_on),
        repair=_MENDED,
    ),
    _false("NO-BASE", "There are no first units.", Induction("R", _LIFTED, _LIFTED)),
)


def _four(_: Context) -> Computed:
    return Computed(4.0, Scope.of("one number"))


def _measured(
    id_: str,
    bound: float,
    claim: float = 4.0,
    far: float = 100.0,
    *,
    scale: float | None = 4.0,
    at_most: bool = False,
    idle: bool = False,
) -> Statement:
    """The number 4, said to be the claim within a bound, or at most the bound; a number far off is the neighbour.

    `idle`: beside it stands a number that is zero whatever is claimed.
    """

    def compare(found: float, stated: float) -> tuple[Measurement, ...]:
        value = found if at_most and stated == claim else abs(found - stated)
        one = Measurement("a number", value, bound, "one number", None, "made up", scale=scale, at_most=at_most)
        return (one, replace(one, quantity="another number", value=0.0)) if idle else (one,)

    evidence = Argument("4", "floating point", _four, claim, {"far off": far}, compare)
    return Statement(id=f"FALSE-{id_}", title="A number", source=None, sentence="A number is 4.", evidence=(evidence,))


def _moved(found: float, stated: float | Moved) -> Measurement:
    claim, shift = claim_and_shift(stated)
    apart = abs(found - claim - shift.of(0.01, claim))
    return Measurement("a number", apart, 0.01, "one number", None, "made up", scale=4.0)


UNSEEN = (
    _measured("MEASURED", 1e-12, 5.0),
    _measured("NEIGHBOUR", 1000.0, scale=1e15),
    _measured("NO-SIZE", 1000.0, far=1e6, scale=None),
    _measured("LOOSE", 1e-6),
    _measured("FAR", 50.0 * 10**6, far=1e12, at_most=True),
    _measured("IDLE", 1e-12, idle=True),
    Statement(
        id="FALSE-MOVED",
        title="A number",
        source=None,
        sentence="A number is 4, to a hundredth.",
        evidence=(Argument("4", "floating point", _four, 4.0, {MOVED_LITTLE: Moved(4.0)}, _moved),),
    ),
)
"""Evidence that says nothing, or something else."""

_HALF = "$x is positive."
"""A text whose formula does not end."""
_TRUE = _false("TRUE", "It is so.", *PROVED)
_h, _ONES = Input("d"), Weight("d", "d", initial=ones)
_SEEN: Evidence = UNSEEN[0].evidence[0]
_CLAUSE, _CHANGE = Clause("It is so.", {"d": 1}), Change("thus", "otherwise altogether")


def _source(quote: str) -> Source:
    return Source("nowhere", "1", quote, "")


_MODULE = """
TWO = Scope.of('d=2')
SHARED = unit()
def both():
    return forms(SHARED)
def through(z):
    y = z
    return y
def compute(context, x, y):
"""
OWN = {
    "the same object": "found = expand(UNIT)\nreturn Computed(rank(found), sizes.of_terms(found))",
    "what both are made of": "return Computed(order(UNIT), sizes.of_unit(UNIT))",
    "by way of a loop": "found = {}\nfor n in DEPTHS:\n    found[n] = made(n)\nreturn Computed(found, over(DEPTHS))",
    "what is appended": "found = []\nfound.append(x)\nreturn Computed(found, sizes.of(x))",
    "by way of functions": "return Computed(rank(both()), sizes.of_unit(SHARED))",
    "what is made without arguments": "return Computed(entry().row, entry().sizes)",
    "one object unpacked": "return Computed(*found('A'), shown)",
    "numbers": "return Computed(1 + 1, Scope.over(d=2))",
    "numbers by name": "return Computed(1 + 1, TWO)",
    "its own scope and numbers": "found = g(x)\nreturn replace(found, scope=found.scope & SOME)",
}
"""Functions whose values have the sizes of what they are made of, or numbers."""
BORROWED = {
    "1 + 1 = 2": "return Computed(1 + 1, sizes.of_unit(UNIT))",
    "in a lambda": "return lambda _: Computed(2, sizes.of_unit(UNIT))",
    "by names": "return Computed(value=2, scope=sizes.of_unit(UNIT))",
    "another unit": "return Computed(order(LINEAR), sizes.of_unit(TANH))",
    "the same engine": "a, b = one(), other()\nreturn Computed(expand(a), sizes.of_terms(expand(b)))",
    "the same helper": "return Computed(through(x), through(y))",
    "the context alone": "return Computed(context.seed, sizes.of(context))",
    "as it is handed over": "return lambda _: Computed(x, y)",
    "a scope exchanged": "return replace(found(2), scope=sizes.of_unit(UNIT))",
    "numbers beside a size that is free": "return Computed(2, sizes.of_unit(UNIT) & Scope.over(R=2))",
}
"""Those whose values have the sizes of something else."""


def within_module(body: str) -> str:
    """A module with a function of this body, what it calls, and a constant."""
    return _MODULE + indent(body, "    ")


UNWRITABLE: Mapping[str, Callable[[], object]] = {
    "an argument without falsehoods": lambda: replace(_IDENTITY_HAS_RANK_D, neighbours={}),
    "an argument by a route that is none": partial(replace, _IDENTITY_HAS_RANK_D, route="hearsay"),
    "a proof that is put off": lambda: replace(_IDENTITY_HAS_RANK_D, deep=True),
    **{
        f"half a formula for the {name} of a {type(one).__name__}": partial(replace, one, **{name: _HALF})
        for one, names in (
            (_TRUE, ("title", "sentence", "notes")),
            (_CLAUSE, ("sentence", "unsettled")),
            (_MENDED, ("sentence",)),
            (_REFUTED, ("sentence",)),
            (_POSITIVE, ("sentence",)),
            (_CHANGE, ("read", "why")),
            (_LIFTED, ("title", "explanation")),
            (Measurement("4", 0.0, 1.0, "", None, "made up"), ("quantity", "derivation", "failure_probability")),
            (Sense("so", "thus", "so", "here"), ("word", "sense", "where")),
            (Erratum("2", "3", "3", "there"), ("printed", "read", "where")),
            (ExceptionalSet("$x = 0$", _REFUTED.routes[0], hedge="almost all"), ("where",)),
        )
        for name in names
    },
    "half a formula for a falsehood": lambda: replace(_LIFTED, neighbours={_HALF: _THRICE}),
    "half a formula for a citation's hypothesis": lambda: Citation(
        "svd", {_HALF: Condition(bool, lambda: 1, lambda: 0)}
    ),
    "a measurement of a negative size": lambda: Measurement("4", 0.0, 1.0, "", None, "made up", scale=-1.0),
    "a distance below zero": lambda: within([Measurement("4", -1.0, 1.0, "", None, "made up")]),
    "sizes from zero on": lambda: require_numbers(Scope.over(d=0)),
    "every depth of none": lambda: Clause("It is so at every depth.", {"d": 1}),
    "all $d$ of none": lambda: Clause("So it is for all $n$ and $d$.", {"n": 1}),
    "fewer sizes than are proved": lambda: Clause(r"So it is for $n \ge 2$.", {"n": 3}),
    "room for exceptions in words that nobody printed": lambda: replace(
        _TRUE, source=_source("It is so."), reading=ExceptionalSet("$x = 0$", _REFUTED.routes[0], hedge="almost all")
    ),
    "a sense of a word that nobody says": lambda: replace(_TRUE, reading=Sense("cucumber", "thus", "so", "here")),
    "a measurement that is no number": lambda: within([Measurement("4", nan, 1.0, "", None, "made up")]),
    "a bound that is no number": lambda: within([Measurement("4", 0.0, inf, "", None, "made up")]),
    "a computed object that cannot be shown": lambda: Computed(4, Scope(), "\tau"),
    "a theorem that nobody knows": lambda: Citation("hearsay", {"$x$": Condition(bool, lambda: 1, lambda: 0)}),
    "a falsehood about another fact": lambda: Argument("1", "identity", _sum, {"sum": 2}, {"3": {"product": 3}}),
    **{
        f"a value with the sizes of something else, {name}": partial(require_own_sizes, within_module(body))
        for name, body in BORROWED.items()
    },
    "a proof that needs a device": lambda: replace(_IDENTITY_HAS_RANK_D, needs_gpu=True),
    "a hypothesis without an instance": lambda: _false("EMPTY", "So it is.", hypotheses=(Hypothesis("$x$", bool),)),
    "a citation whose hypotheses nobody checks": lambda: Citation("spectral", {}),
    "an induction by evidence": lambda: Induction("d", _IDENTITY_HAS_RANK_D, _SEEN),
    "evidence as a proof": lambda: _false("EVIDENCE", "A number is 4.", _SEEN),
    "a statement about networks without units": lambda: _false("NOTHING", "It is so.", *PROVED, for_all={"R": 0}),
    **{
        f"a change of {what}": partial(Change, *given)
        for what, given in {
            "nothing": (" ", "more"),
            "words into nothing": ("less", " "),
            "no words": ("so", "$so$"),
        }.items()
    },
    **{
        f"a clause that is {what}": partial(Clause, "It is so.", {"d": 1}, **given)
        for what, given in {
            "unsettled and proved": {"arguments": PROVED, "unsettled": "nobody knows"},
            "unsettled and refuted": {"counterexample": _REFUTED, "unsettled": "nobody knows"},
            "unsettled and repaired": {"repair": _MENDED, "unsettled": "nobody knows"},
            "of our own, and repaired": {"ours": True, "repair": _MENDED},
            "of our own, with printed words changed": {"ours": True, "changes": (_CHANGE,)},
            "not refuted, with something beside": {"repair": replace(_MENDED, beside=True)},
            "proved by evidence": {"arguments": (_SEEN,)},
            "about nothing": {"hypotheses": (Hypothesis("$x$", bool),)},
        }.items()
    },
    **{
        f"a repair {what}": partial(replace, _MENDED, **given)
        for what, given in {
            "without a sentence": {"sentence": ""},
            "by evidence": {"arguments": (_SEEN,)},
            "with arguments beside clauses": {"sentence": "", "clauses": (_CLAUSE,)},
            "that does not say what it changes": {"changes": (_CHANGE,)},
        }.items()
    },
    **{
        f"a statement with {what}": partial(replace, _TRUE, **given)
        for what, given in {
            "a sentence beside clauses": {"clauses": (_CLAUSE,), "arguments": ()},
            "neither a sentence nor clauses": {"sentence": ""},
            "a setting of nothing": {"setting": "Let it be."},
            "arguments beside clauses": {"sentence": "", "clauses": (_CLAUSE,)},
            "a reading of nothing": {"reading": Sense("so", "thus", "so", "here"), "arguments": ()},
            "a counterexample to no hypothesis": {"counterexample": _REFUTED, "arguments": ()},
            "a repair of what is proved": {"repair": _MENDED},
            "a repair beside clauses": {"sentence": "", "clauses": (_CLAUSE,), "arguments": (), "repair": _MENDED},
            "a change that it does not make": {"changes": (_CHANGE,), "source": _source("It is thus.")},
            "a change of words that nobody printed": {"changes": (replace(_CHANGE, read="so"),)},
            "a printed hypothesis that nobody prints": {"hypotheses": (_POSITIVE,), "source": _source("It is thus.")},
            "a printed hypothesis in words of nobody": {
                "hypotheses": (replace(_POSITIVE, quote="positive"),),
                "source": _source("It is thus."),
            },
            "a change of words printed twice": {
                "changes": (replace(_CHANGE, read="so"),),
                "source": _source("It is thus, and thus."),
            },
        }.items()
    },
    "a counterexample by one route twice": lambda: replace(_REFUTED, routes=_REFUTED.routes[:1] * 2),
    "a counterexample by evidence": lambda: replace(_REFUTED, routes=(_REFUTED.routes[0], _SEEN)),
    "a counterexample that does not face the claim": lambda: replace(_REFUTED, routes=(_REFUTED.routes[0], PROVED[0])),
    "a smallest counterexample by evidence": lambda: replace(_REFUTED, searched=_SEEN),
    "a misprint that is not faced": lambda: Erratum("2", "3", "3", "there", PROVED[0]),
    "a hypothesis that is quoted and not printed": lambda: replace(_POSITIVE, quote="positive", printed=False),
    "a hypothesis that is printed in no words": lambda: replace(_POSITIVE, quote="...", where="there"),
    "a hypothesis whose need is not shown of what is printed": lambda: replace(_POSITIVE, needed=PROVED[0]),
    "an exception that nobody shows null": lambda: ExceptionalSet("$x = 0$", _REFUTED.routes[0]),
    "an exception that is not faced": lambda: ExceptionalSet("$x = 0$", PROVED[0], hedge="almost all"),
    "an exception shown null by evidence": lambda: ExceptionalSet("$x = 0$", _REFUTED.routes[0], _SEEN),
    "a proof as evidence": lambda: replace(UNSEEN[0], evidence=(_IDENTITY_HAS_RANK_D,)),
    **{
        f"the small-model reduction of a unit that {why}": partial(check_reducible, ResidualUnit(unit))
        for why, unit in {
            "sums over all of its width": fixup(),
            "adds up its input": _h + Constant(1, "d", "d") @ _h,
            "has an average for a factor": _h + Constant("mean", "d") * (Weight("d", "d") @ _h),
            "has one factor for every coordinate": _h + Weight(1, 1) * _h,
            "has a function of one for a factor": _h + tanh(Weight(1, 1)) * _h,
            "mixes a column of weights into all coordinates": _h
            + Weight("d", "k", initial=normal()) @ (Weight("k", "d") @ _h),
            "takes an activation of zeros that is none": _h
            + Weight("d", "d") @ (_ONES @ sigmoid(Weight("d", "d") @ _h)),
            "normalises": pre_norm(),
            "mixes columns": attention(),
        }.items()
    },
}


def require_canaries(canaries: Iterable[Statement] = CANARIES) -> None:
    """Pass when none of them is proved for all sizes, no evidence that says nothing is taken, and nothing unwritable is.

    Raises:
        RuntimeError: one is.
    """
    require_known()
    for name, body in OWN.items():
        if _refused(partial(require_own_sizes, within_module(body))):
            raise RuntimeError(f"sizes of its own are taken for another's: {name}; no verdict can be trusted")
    for one in canaries:
        result = run(one, parts=("exact",))
        if result.verdict in {"PROVED", "REPAIRED"} and result.all_sizes:
            raise RuntimeError(
                f"{one.id}, which is false, came out {result.verdict} for all sizes: no verdict can be trusted"
            )
    for one in UNSEEN:
        if (verdict := run(one).verdict) != "FAILED":
            raise RuntimeError(f"{one.id}, which shows nothing, came out {verdict}: no verdict can be trusted")
    for name, write in {**UNWRITABLE, **REFUSED}.items():
        if not _refused(write):
            raise RuntimeError(f"{name} is not refused: no verdict can be trusted")


def _refused(write: Callable[[], object]) -> bool:
    try:
        write()
    except ValueError:
        return True
    return False
