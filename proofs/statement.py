"""What a statement is made of: context, scopes, measurements, arguments, counterexample, repair; plain data.

An argument *computes* without seeing the claim, then *compares* the one computed object with the claim, and with each
neighbouring falsehood, every one of which has to be rejected by `Disagreement`. Nothing here decides a verdict.
Titles, sentences, readings, notes, explanations, the names of falsehoods, measured quantities and where their bounds
come from are texts with formulas in them (`proofs.formulas`): one that cannot be read is a `FormulaError` where it is
made. Quotations and sizes are texts that mean themselves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from math import isfinite
from numbers import Number
from typing import Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar

from resproof.architectures.names import a_kind, fractions
from resproof.proofs.changes import Change, require_printed, require_read
from resproof.proofs.cited import Theorem, theorem
from resproof.proofs.formulas import literal, occurrences, plain, readable
from resproof.proofs.pictures import Plot
from resproof.proofs.written import same
from resproof.symbolic.scope import Scope

ExactRoute: TypeAlias = Literal["index notation", "explicit", "reduction", "identity", "inequality", "instance"]
EvidenceRoute: TypeAlias = Literal["modular", "floating point"]
EXACT_ROUTES = ("index notation", "explicit", "reduction", "identity", "inequality", "instance")
CONTROLS = ("explicit", "reduction", "instance")
"""Exact routes that stand beside a proof for every size, at sizes of their own, and take nothing away from it."""
EVIDENCE_ROUTES = ("modular", "floating point")

POSITIVE = ("n", "R", "L", "l", "d", "m")
"""Sizes of which there is one at least: layers, units, widths and samples."""

Kind: TypeAlias = Literal["network", "algebra"]

T = TypeVar("T")
C = TypeVar("C")

PRINTED = "as printed"
"""The name of the neighbour that is the printed conclusion, in both routes of a counterexample."""


class Disagreement(Exception):
    """What was computed differs from what is claimed; the message is one line."""


class Indistinct(Exception):
    """A falsehood says the same as the claim on the instance at hand, so that nothing there could reject it."""


class Unavailable(Exception):
    """An optional package or device that the argument needs is not here; the message names it."""


class Unsuited(Exception):
    """The data are none that the argument is about, as where a theorem asks for more of them; the message says why."""


class Data(NamedTuple):
    """X and Y with the samples as columns, where they come from, and the images behind them where there are such.

    Images are square, of shape (samples, channels, side, side).
    """

    X: Any
    Y: Any
    name: str
    images: Any = None


def _digits() -> Data:
    from resproof.proofs.digits import digits

    return digits()


@dataclass(frozen=True, slots=True)
class Context:
    """What evidence runs on: a device, a seed and data, which are read when first asked for.

    `load` has to be picklable and to remember its answer. `memory` is the number of bytes that a product may take for
    intermediate values; None: the array side's own measure. Exact arguments ignore all of it.
    """

    device: str = "cpu"
    seed: int = 0
    load: Callable[[], Data] = _digits
    memory: int | None = None

    @property
    def data(self) -> Data:
        """X, Y and their name."""
        return self.load()

    @property
    def embedded(self) -> bool:
        """Whether these are the digits that are embedded, not data of somebody's own."""
        return self.load is _digits


@dataclass(frozen=True, slots=True)
class Measurement:
    """A measured number, the bound it has to stay below, and where the bound comes from.

    `failure_probability` is the chance that a falsehood passes, as text; randomised routes have to state it. Either the
    value is the distance of what is measured from what is claimed, and `scale` is the size of what is compared; or
    `at_most`: the claim is that the value itself is at most the bound.
    """

    quantity: str
    value: float
    bound: float
    sizes: str
    seed: int | None
    derivation: str
    failure_probability: str | None = None
    scale: float | None = None
    at_most: bool = False

    def __post_init__(self) -> None:
        readable(self.quantity, self.derivation, self.failure_probability or "", literal(self.sizes))
        if self.scale is not None and self.scale < 0:
            raise ValueError(f"{plain(self.quantity)}: scale {self.scale}; expected the size of what is compared")

    @property
    def caught(self) -> float | None:
        """The smallest relative error that would not have passed, where it is known."""
        if self.at_most:
            return self.bound / self.value - 1.0 if self.value > 0 else None
        return self.bound / self.scale if self.scale else None


@dataclass(frozen=True, slots=True)
class Computed(Generic[T]):
    """What an engine found: the object that is compared, for which sizes it holds, and how it is shown.

    `shown` with a backslash in it is LaTeX, otherwise plain text.

    Raises:
        ValueError: `shown` has a control character, as a backslash before t makes where the string is not raw.
    """

    value: T
    scope: Scope
    shown: str = ""
    measurements: tuple[Measurement, ...] = ()

    def __post_init__(self) -> None:
        if not self.shown.replace("\n", "").isprintable():
            raise ValueError(f"shown: {self.shown!r} has a control character; expected LaTeX or plain text")


def equal(computed: Any, claim: Any) -> None:
    """Pass when both are equal.

    Raises:
        Disagreement: they differ.
        TypeError: they are of unrelated types, so that unequal would mean nothing.
    """
    if not _related(computed, claim):
        raise TypeError(f"computed {a_kind(computed)}, compared with {a_kind(claim)}")
    if computed != claim:
        raise Disagreement(f"computed {short(computed)}; claimed {short(claim)}")


def within(measurements: Iterable[Measurement]) -> None:
    """Pass when every measured value is at most its bound.

    Raises:
        Disagreement: a value exceeds its bound.
        ValueError: a value or a bound is not a finite number, or a distance is below zero.
    """
    for one in measurements:
        if not (isfinite(one.value) and isfinite(one.bound)):
            raise ValueError(f"{plain(one.quantity)}: measured {one.value}, bound {one.bound}; expected finite numbers")
        if one.value < 0 and not one.at_most:
            raise ValueError(f"{plain(one.quantity)}: the distance {one.value:.3g}; expected zero or more")
        if one.value > one.bound:
            raise Disagreement(f"{plain(one.quantity)}: measured {one.value:.3g}, above the bound {one.bound:.3g}")


def _related(left: Any, right: Any) -> bool:
    if isinstance(left, Number) and isinstance(right, Number):
        return isinstance(left, bool) is isinstance(right, bool)
    return bool((set(type(left).__mro__) & set(type(right).__mro__)) - {object})


@dataclass(frozen=True, slots=True, eq=False)
class Property:
    """A claim that is a predicate, objects of which it holds and others of which it does not: what might be computed."""

    holds: Callable[..., bool]
    of: Sequence[Any]
    not_of: Sequence[Any] = ()

    def __call__(self, *found: Any) -> bool:
        """Whether it holds."""
        return self.holds(*found)


Compared: TypeAlias = "Measurement | tuple[Measurement, ...] | None"


@dataclass(frozen=True, slots=True)
class Argument(Generic[T, C]):
    """One derivation, the claim it has to meet and the neighbouring falsehoods it has to reject.

    `compute` sees the context and never the claim. `compare(computed.value, claim)` raises `Disagreement` when they
    differ; on an exact route it returns None, on an evidence route it may return measurements, which are held against
    their bounds for the claim and for each neighbour alike. `deep` evidence takes seconds: it runs for a report and
    under pytest, not when a statement is looked at. On an instance of somebody's own (`given`) a neighbour may be as true
    as the claim; where `compare` says so by `Indistinct`, it is skipped. Anywhere else that is a failure, as is a bound
    that says nothing. A neighbour PRINTED of an exact route that is a predicate must be able to hold: it is a `Property`, or
    it holds of another neighbour.

    Raises:
        ValueError: an unknown route, no neighbour, or one that is a table of other facts than the claim.
    """

    title: str
    route: ExactRoute | EvidenceRoute
    compute: Callable[[Context], Computed[T]]
    claim: C
    neighbours: Mapping[str, C]
    compare: Callable[[T, C], Compared] = equal
    explanation: str = ""
    latex: str = ""
    needs_gpu: bool = False
    deep: bool = False
    given: bool = False

    def __post_init__(self) -> None:
        readable(self.title, self.explanation, *self.neighbours)
        if self.route not in EXACT_ROUTES + EVIDENCE_ROUTES:
            raise ValueError(f"argument {self.title!r}: unknown route {self.route!r}")
        if not self.neighbours:
            raise ValueError(f"argument {self.title!r}: no neighbouring falsehood is given; expected at least one")
        if self.needs_gpu and self.route not in EVIDENCE_ROUTES:
            raise ValueError(f"argument {self.title!r}: only evidence can need a GPU, not {self.route!r}")
        if self.deep and self.route not in EVIDENCE_ROUTES:
            raise ValueError(f"argument {self.title!r}: only evidence can be deep, not {self.route!r}")
        for name, other in self.neighbours.items():
            if unlike := _other_facts(self.claim, other):
                raise ValueError(
                    f"argument {self.title!r}: the neighbour {name!r} is about other facts than the claim: {unlike}"
                )

    @property
    def part(self) -> Literal["exact", "evidence", "deep", "gpu"]:
        """The part of a statement that it belongs to, as in `proofs.verdict.run`."""
        return "exact" if self.exact else "gpu" if self.needs_gpu else "deep" if self.deep else "evidence"

    @property
    def exact(self) -> bool:
        """Whether its route is a proof rather than evidence."""
        return self.route in EXACT_ROUTES


def _other_facts(claim: Any, other: Any) -> str:
    """The names that only one of two tables of facts has: such a falsehood would be rejected for its name alone."""
    if not (isinstance(claim, Mapping) and isinstance(other, Mapping)):
        return ""
    return ", ".join(sorted(key for key in claim.keys() ^ other.keys() if isinstance(key, str)))


Evidence: TypeAlias = Argument
"""An argument on a modular or floating-point route."""


@dataclass(frozen=True, slots=True)
class Condition:
    """Whether something holds of an object, and an object of the same kind of which it does not.

    `of` and `fails_on` are made when they are asked for.
    """

    holds: Callable[[Any], bool]
    of: Callable[[], Any]
    fails_on: Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Citation:
    """A theorem of others used in a proof; each of its hypotheses is a sentence and a condition that is checked.

    Raises:
        ValueError: no such theorem in proofs/cited.py, or no hypothesis to check.
    """

    theorem: str
    hypotheses: Mapping[str, Condition]

    def __post_init__(self) -> None:
        readable(*self.hypotheses)
        theorem(self.theorem)
        if not self.hypotheses:
            raise ValueError(f"citation {self.theorem!r}: no hypothesis is checked; expected at least one")

    @property
    def cited(self) -> Theorem:
        """The theorem itself."""
        return theorem(self.theorem)


@dataclass(frozen=True, slots=True)
class Induction:
    """A claim for every value of one size: a base that ran over its first values, and a step on an arbitrary object.

    Raises:
        ValueError: one of them is not exact.
    """

    over: str
    base: Argument
    step: Argument

    def __post_init__(self) -> None:
        _only((self.base, self.step), exact=True, where=f"induction over {self.over}")


Offered: TypeAlias = "Argument | Citation | Induction"
"""What a clause may offer."""


@dataclass(frozen=True, slots=True)
class Erratum:
    """A misprint: what stands there, how it is read, and the words of the source elsewhere that settle it.

    `fails` rejects what stands there, the neighbour PRINTED.
    """

    printed: str
    read: str
    quote: str
    where: str
    fails: Argument | None = None

    def __post_init__(self) -> None:
        readable(self.printed, self.read, self.where)
        _quoted(self.quote, where=f"erratum {self.printed!r}")
        _faces_the_printed_form(self.fails, where=f"erratum {self.printed!r}")


@dataclass(frozen=True, slots=True)
class ExceptionalSet:
    """The null set off which a clause is meant: `where` names it.

    `fails` shows on an instance in it that the printed form, the neighbour PRINTED, is false there. `null` shows that a
    polynomial in the instance which vanishes on the set does not vanish everywhere; or `hedge` quotes the words of the
    source that leave room for exceptions. Without a hedge the clause is proved for those sizes alone for which `null` is.

    Raises:
        ValueError: neither `null` nor `hedge`.
    """

    where: str
    fails: Argument
    null: Argument | Induction | None = None
    hedge: str = ""

    def __post_init__(self) -> None:
        readable(self.where)
        _faces_the_printed_form(self.fails, where=f"exceptional set {self.where!r}")
        if isinstance(self.null, Argument):
            _only((self.null,), exact=True, where=f"exceptional set {self.where!r}")
        if not (self.null or self.hedge):
            raise ValueError(f"exceptional set {self.where!r}: neither shown null nor allowed by words of the source")


@dataclass(frozen=True, slots=True)
class Sense:
    """A word of a clause, the sense in which its source takes it, and the words there that fix it."""

    word: str
    sense: str
    quote: str
    where: str

    def __post_init__(self) -> None:
        readable(self.word, self.sense, self.where)
        _quoted(self.quote, where=f"sense of {self.word!r}")


Reading: TypeAlias = "Erratum | ExceptionalSet | Sense"
"""How a printed clause is read, where it is not word for word."""


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A hypothesis, whether a given instance satisfies it, and an instance that does not; `printed`: as in the source.

    `quote` are the words that print it, as exactly or as vaguely as they do; without a `where` they stand in the quotation
    of its statement. `needed` shows on an instance without it that the conclusion, the neighbour PRINTED, is false there.
    `holds_on` is an instance that satisfies it, at best one that satisfies nothing stronger; that of a counterexample does
    as well.

    Raises:
        ValueError: words of what is not printed, or a place of no words.
    """

    sentence: str
    predicate: Callable[[Any], bool]
    fails_on: Any = None
    printed: bool = True
    needed: Argument | None = None
    holds_on: Any = None
    quote: str = ""
    where: str = ""

    def __post_init__(self) -> None:
        readable(self.sentence, self.where)
        _faces_the_printed_form(self.needed, where=f"hypothesis {self.sentence!r}")
        if self.quote and not self.printed:
            raise ValueError(f"hypothesis {self.sentence!r}: not printed, and yet quoted; expected one of both")
        if self.quote or self.where:
            _quoted(self.quote, where=f"hypothesis {self.sentence!r}")


@dataclass(frozen=True, slots=True)
class Counterexample:
    """An instance of every printed hypothesis of its statement on which the printed conclusion fails.

    Each of the two routes is an exact argument whose claim is what is true on the instance and which has the printed
    conclusion among its neighbours, under the name PRINTED: rejecting it is what refutes. `searched` backs the word
    "smallest": an argument that no smaller instance does it within the search it states. `even_if` are conditions that nobody
    asks for and that the instance satisfies too, so that they would not mend the claim. `picture` makes a picture of the
    instance, which decides nothing.

    Raises:
        ValueError: the routes are not two different exact ones, or one of them does not face the printed conclusion.
    """

    instance: Any
    sentence: str
    routes: tuple[Argument, Argument]
    latex: str = ""
    show: Callable[[Any], str] = str
    searched: Argument | None = None
    even_if: tuple[Hypothesis, ...] = ()
    picture: Callable[[Any], Plot] | None = None

    def __post_init__(self) -> None:
        readable(self.sentence)
        if len(self.routes) != 2 or same(*(one.compute for one in self.routes)):
            raise ValueError(f"counterexample {self.sentence!r}: expected two routes that compute differently")
        _only(
            self.routes if self.searched is None else (*self.routes, self.searched), exact=True, where="counterexample"
        )
        for route in self.routes:
            _faces_the_printed_form(route, where=f"counterexample {self.sentence!r}")


@dataclass(frozen=True, slots=True)
class Clause:
    """One sentence, the sizes it speaks of with the least value of each, and what is offered for it or against it.

    `at` are sizes that it fixes: every step has to be about that value, and every route of a counterexample says it.
    `hypotheses` are further ones, of this clause alone. `unsettled` says why nothing is offered. `other_readings` are the
    same words read otherwise: each has a verdict of its own, which does not count for the statement. `changes` says which
    printed words a hypothesis that is not printed bears upon; a repair has changes of its own. `ours`: no document
    prints it, it stands beside what is printed, so that there is nothing in it to repair.
    """

    sentence: str
    for_all: Mapping[str, int]
    arguments: tuple[Offered, ...] = ()
    hypotheses: tuple[Hypothesis, ...] = ()
    reading: Reading | None = None
    counterexample: Counterexample | None = None
    repair: Repair | None = None
    unsettled: str = ""
    other_readings: tuple[Clause, ...] = ()
    changes: tuple[Change, ...] = ()
    at: Mapping[str, int] = field(default_factory=dict)
    ours: bool = False

    def __post_init__(self) -> None:
        readable(self.sentence, self.unsettled)
        _only(self.arguments, exact=True, where=self.sentence)
        _within_sizes(self.sentence, self.for_all)
        _quantified(self.sentence, self.for_all.keys())
        if not self.sentence.strip():
            raise ValueError("a clause says nothing; expected a sentence")
        if both := self.at.keys() & self.for_all.keys():
            raise ValueError(f"{self.sentence}: {', '.join(sorted(both))} fixed and for all; expected one of both")
        if self.repair and self.repair.said == self.sentence:
            raise ValueError(f"{self.sentence}: repaired by itself; expected another sentence")
        if empty := [name for name, least in self.for_all.items() if least < 1 and name in POSITIVE]:
            raise ValueError(f"{self.sentence}: {', '.join(empty)} from zero on; expected sizes from one on")
        if self.unsettled and (self.arguments or self.counterexample or self.repair):
            raise ValueError(f"{self.sentence}: unsettled, and yet something is offered; expected one of both")
        if self.ours and (self.repair or self.changes):
            raise ValueError(f"{self.sentence}: of our own, and yet printed words are changed; expected one of both")
        if self.repair and self.repair.beside and not self.counterexample:
            raise ValueError(f"{self.sentence}: something beside a refutation without a counterexample; expected one")
        _satisfied(self.hypotheses, (self,), where=self.sentence)

    @property
    def changed(self) -> tuple[Change, ...]:
        """What it and its repair change in the printed words."""
        return (*self.changes, *(self.repair.changes if self.repair else ()))


@dataclass(frozen=True, slots=True)
class Repair:
    """The corrected statement, what it changes in the printed one, and its proof; sentence and setting as of a statement.

    A repair keeps something of what the clause concludes, under other hypotheses or in a weaker form. `beside`: it keeps
    nothing, so that the clause stays REFUTED and this is what holds beside it.
    """

    sentence: str = ""
    latex: str = ""
    arguments: tuple[Offered, ...] = ()
    changes: tuple[Change, ...] = ()
    for_all: Mapping[str, int] = field(default_factory=dict)
    clauses: tuple[Clause, ...] = ()
    setting: str = ""
    beside: bool = False

    def __post_init__(self) -> None:
        _one_or_the_other(self, where="repair")
        readable(self.sentence, self.setting)
        _only(self.arguments, exact=True, where="repair")
        _either(self.arguments, self.clauses, where="repair")
        hypotheses = (each.sentence for one in self.claims for each in one.hypotheses)
        require_read(self.changes, (self.setting, *(one.sentence for one in self.claims), *hypotheses))

    @property
    def said(self) -> str:
        """Its sentence; of one that is taken apart, what its setting and its clauses say."""
        return _said(self)

    @property
    def claims(self) -> tuple[Clause, ...]:
        """Its clauses; the whole of it, where it is not taken apart."""
        return self.clauses or (Clause(self.sentence, self.for_all, self.arguments),)


@dataclass(frozen=True, slots=True)
class Source:
    """Where a statement is printed: document, number, its words, and the SHA-256 of the document's text."""

    document: str
    number: str
    quote: str
    sha256: str

    def __post_init__(self) -> None:
        if not self.number or not all(part.strip() == part for part in self.number.split("; ")):
            raise ValueError(
                f"{self.document}: the place is {self.number!r}; expected one or more, with '; ' between them"
            )


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement with all that is offered for it and against it.

    `for_all` names the sizes that its sentence speaks of, with the least value of each. A sentence that says several things
    is taken apart into clauses, each with sizes, arguments, a reading, a counterexample and a repair of its own; it holds
    where all of them do, and its sentence is theirs after its `setting`, which says what their words mean and claims
    nothing. Otherwise these stand on the statement, which is then one clause.

    `kind` is "network" for statements about networks of every size: a proof for all sizes then needs an explicit
    route beside it. For matrix facts and inequalities, "algebra", one exact argument suffices. `subject` names the
    architecture, as in DR-T2.2-n_shortcut.

    Raises:
        ValueError: an id that names no page, evidence among the arguments or the reverse, a repair beside arguments for the
            printed form without a counterexample to it, a sentence beside clauses that make it up, a hypothesis without an
            instance, a printed one without the words of the source, or an exception for which the words of another leave
            room.
    """

    id: str
    title: str
    source: Source | None
    sentence: str = ""
    latex: str = ""
    for_all: Mapping[str, int] = field(default_factory=dict)
    clauses: tuple[Clause, ...] = ()
    hypotheses: tuple[Hypothesis, ...] = ()
    uses: tuple[str, ...] = ()
    arguments: tuple[Offered, ...] = ()
    evidence: tuple[Argument, ...] = ()
    counterexample: Counterexample | None = None
    repair: Repair | None = None
    reading: Reading | None = None
    changes: tuple[Change, ...] = ()
    notes: str = ""
    kind: Kind = "network"
    subject: str = ""
    setting: str = ""

    def __post_init__(self) -> None:
        if not re.fullmatch(r"\w[\w.*-]*", self.id):
            raise ValueError(f"id {self.id!r}: expected letters, digits and - . * _ behind a letter or a digit")
        _one_or_the_other(self, where=self.id)
        readable(self.title, self.sentence, self.setting, self.notes)
        _only(self.arguments, exact=True, where=self.id)
        _only(self.evidence, exact=False, where=self.id)
        _either(self.arguments, self.clauses, where=self.id)
        if self.clauses and (self.counterexample or self.repair):
            raise ValueError(f"{self.id}: a counterexample or a repair beside clauses; expected each within a clause")
        if self.reading and not self.arguments:
            raise ValueError(f"{self.id}: a reading without arguments for what is read; expected some, or clauses")
        if self.counterexample and not self.hypotheses:
            raise ValueError(f"{self.id}: a counterexample without hypotheses to check; expected at least one")
        if self.repair and self.arguments and not self.counterexample:
            raise ValueError(f"{self.id}: arguments for the printed form and a repair; expected a counterexample too")
        clauses = [each for claim in self.claims for each in _as_read(claim)]
        _satisfied(self.hypotheses, clauses, where=self.id)
        quotation = self.source.quote if self.source else ""
        if self.source:
            _printed(
                (*self.hypotheses, *(each for one in clauses if not one.ours for each in one.hypotheses)),
                quotation,
                where=self.id,
            )
        for one in clauses:
            added = (each.sentence for each in (*self.hypotheses, *one.hypotheses) if not each.printed)
            require_read(one.changes, (one.sentence, *added))
            require_printed(one.changed, quotation)
            if self.source and one.repair and not (one.changed or one.repair.beside):
                raise ValueError(f"{self.id}: a repair that changes none of the printed words; expected which, and how")
            if isinstance(one.reading, Sense):
                _occurs(one.reading.word, f"{self.title} {self.setting} {one.sentence} {quotation}", where=self.id)
            if isinstance(one.reading, ExceptionalSet) and (strange := _strange(one.reading.hedge, quotation)):
                raise ValueError(f"{self.id}: {strange[0]!r} is not in the quotation; expected words of the source")

    @property
    def said(self) -> str:
        """Its sentence; of one that is taken apart, what its setting and its clauses say."""
        return _said(self)

    @property
    def claims(self) -> tuple[Clause, ...]:
        """Its clauses; the whole of it, where it is not taken apart; none, where evidence is all that is offered."""
        if self.clauses or not (self.arguments or self.counterexample or self.repair):
            return self.clauses
        whole = Clause(
            self.sentence,
            self.for_all,
            self.arguments,
            reading=self.reading,
            counterexample=self.counterexample,
            repair=self.repair,
            changes=self.changes,
        )
        return (whole,)

    @property
    def label(self) -> str:
        """The id and, where there is one, the architecture: DR-T2.2-n_shortcut."""
        return f"{self.id}-{self.subject}" if self.subject else self.id


def _one_or_the_other(whole: Statement | Repair, *, where: str) -> None:
    """A sentence, or clauses and perhaps their setting: what is taken apart says what its clauses say and no word more.

    Raises:
        ValueError: both, neither, or a setting of nothing.
    """
    if bool(whole.sentence) == bool(whole.clauses) or (whole.setting and not whole.clauses):
        raise ValueError(f"{where}: expected a sentence, or clauses, which make up its sentence")


def _said(whole: Statement | Repair) -> str:
    """The sentence; with clauses, their setting and theirs."""
    parts = (whole.setting, *(clause.sentence for clause in whole.clauses))
    return whole.sentence or " ".join(ended(part) for part in parts if part)


def ended(sentence: str) -> str:
    """`sentence` with a full stop, where it has none; nothing stays nothing."""
    return sentence if not sentence or sentence.endswith((".", "!", "?")) else f"{sentence}."


def _faces_the_printed_form(argument: Argument | None, *, where: str) -> None:
    if argument is None:
        return
    _only((argument,), exact=True, where=where)
    if PRINTED not in argument.neighbours:
        raise ValueError(
            f"{where}: {argument.title!r} lacks the neighbour {PRINTED!r}, the printed conclusion on this instance"
        )


def _satisfied(hypotheses: Iterable[Hypothesis], clauses: Iterable[Clause], *, where: str) -> None:
    """Each hypothesis has an instance of its own, or a counterexample to one of the clauses is one.

    Raises:
        ValueError: one has none.
    """
    if any(one.counterexample for one in clauses):
        return
    for one in hypotheses:
        if one.holds_on is None:
            raise ValueError(
                f"{where}: nothing is offered that satisfies {one.sentence!r}; expected an instance of it, holds_on"
            )


def _as_read(clause: Clause) -> Iterator[Clause]:
    """A clause and its other readings, and theirs."""
    yield clause
    for other in clause.other_readings:
        yield from _as_read(other)


def _printed(hypotheses: Iterable[Hypothesis], quotation: str, *, where: str) -> None:
    """Each hypothesis that is said to be printed has words of the source, in the quotation or where it says.

    Raises:
        ValueError: one has none, or its words are not in the quotation.
    """
    for one in hypotheses:
        if one.printed and not one.quote:
            raise ValueError(
                f"{where}: no words of the source print {one.sentence!r}; expected quote, or printed=False"
            )
        if not one.where and (strange := _strange(one.quote, quotation)):
            raise ValueError(f"{where}: {strange[0]!r} is not in the quotation; expected where it is printed")


def _strange(words: str, quotation: str) -> list[str]:
    """The parts of these words, around "...", that a quotation has not."""
    parts = filter(None, map(str.strip, words.split("...")))
    return [part for part in parts if not occurrences(part, " ".join(quotation.split()))]


def _quoted(words: str, *, where: str) -> None:
    if not words.replace("...", "").strip():
        raise ValueError(f"{where}: no words of the source are quoted; expected those that settle it")


def _occurs(word: str, text: str, *, where: str) -> None:
    """A word that is taken in a sense stands in what is stated or quoted, with each of its parts.

    Raises:
        ValueError: it does not.
    """
    if strange := [one for one in re.findall(r"\w{3,}", plain(word).lower()) if one not in plain(text).lower()]:
        raise ValueError(f"{where}: the sense of {word!r}, but {strange[0]!r} is neither stated nor quoted")


def _within_sizes(sentence: str, for_all: Mapping[str, int]) -> None:
    """A sentence that gives a least value of its own to a size speaks of no smaller ones than are proved.

    Raises:
        ValueError: it does.
    """
    for name, least in for_all.items():
        for sign, value in re.findall(rf"(?<![\\\w{{]){re.escape(name)} *(\\ge|>) *(\d+)", sentence):
            if (said := int(value) + (sign == ">")) < least:
                raise ValueError(f"{sentence}: speaks of {name} = {said}; expected {least} or more, as in for_all")


_FOR_ALL = re.compile(r"\b(?:for|at) (?:all|every|each|any) ((?:\$[^$]*\$(?:, | and |, and )?)+)", re.IGNORECASE)
_SIZE_NAMED = re.compile(r"(?<![\\\w{^])[nLdm](?![\w}^])")
_SIZES_IN_WORDS = {
    "depth": "RLln",
    "width": "dknpN",
    "dimension": "dkn",
    "number of units": "R",
    "number of samples": "m",
}
"""Words for a size, and its names."""


def _quantified(sentence: str, sizes: AbstractSet[str]) -> None:
    """A sentence that says "for every n", or "at every depth", quantifies that size.

    Raises:
        ValueError: it does not.
    """
    for named in _FOR_ALL.findall(sentence):
        if missing := [name for name in _SIZE_NAMED.findall(named) if name not in sizes]:
            raise ValueError(f"{sentence}: says all {', '.join(missing)}; expected them among for_all")
    for word, names in _SIZES_IN_WORDS.items():
        if re.search(rf"\b(?:every|any|all|each) {word}", sentence) and sizes.isdisjoint(names):
            raise ValueError(f"{sentence}: says every {word}; expected one of {', '.join(names)} among for_all")


def _either(arguments: tuple[Offered, ...], clauses: tuple[Clause, ...], *, where: str) -> None:
    if arguments and clauses:
        raise ValueError(f"{where}: arguments beside clauses; expected each argument within a clause")


def _only(arguments: Iterable[Offered], *, exact: bool, where: str) -> None:
    for argument in arguments:
        if isinstance(argument, Argument) and argument.exact is not exact:
            expected = "exact routes" if exact else "evidence routes"
            raise ValueError(f"{where}: {argument.title!r} has the route {argument.route!r}; expected {expected}")


def short(value: Any, limit: int = 120) -> str:
    """`value` as one line of at most `limit` characters; a fraction inside a tuple as one writes it, -1 or 2/3."""
    text = fractions(" ".join(str(value).split()))
    return text if len(text) <= limit else f"{text[: limit - 3]}..."
