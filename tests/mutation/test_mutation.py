"""The changes on sources of a few lines, and the runner on packages of two files."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.copies import ROOT
from tests.mutation.__main__ import summary
from tests.mutation.changes import KINDS, changes
from tests.mutation.equivalent import CHOICES, EQUIVALENT, Choice, Equivalent, parts
from tests.mutation.executed import Executed, Target, read
from tests.mutation.runs import Result, Runner, drawn, noticed, recorded
from tests.run_statement import Outcome

IMPORT = "from proofs.statement import Condition, Hypothesis\n"


@pytest.mark.parametrize(
    ("kind", "source", "expected"),
    [
        ("arithmetic", "y = (a) + (b)", ["y = (a) - (b)"]),
        ("arithmetic", "y = a @ b(c)", ["y = (b(c)) @ (a)"]),
        ("arithmetic", "y = 'é' + s, -x", ["y = 'é' + s, x"]),
        ("arithmetic", "y += x", ["y -= x"]),
        ("arithmetic", "y: A | B = a & b", ["y: A | B = a | b"]),
        ("arithmetic", "raise E(a + b)", []),
        ("comparison", "y = 'é', a < b == c", ["y = 'é', a <= b == c", "y = 'é', a < b != c"]),
        ("comparison", "y = (a) not  in b", ["y = (a) in b"]),
        ("comparison", "y = a is b", ["y = a is not b"]),
        ("constant", "y = 0, True, 0.5", ["y = 1, True, 0.5", "y = (-1), True, 0.5"]),
        ("constant", "y = f(latex=3, neighbours={'a': 2})", []),
        ("constant", "NEIGHBOURS = {'a': 2}", []),
        ("constant", "def _show_it():\n    return 2", []),
        ("swapped", "f((a), b, 'c')", ["f((b), a, 'c')"]),
        ("swapped", "f(*a, b)", []),
        ("swapped", "f(a, a)", []),
        ("swapped", "sizes(a, b, c)", ["sizes(b, a, c)"]),
        ("transpose", "y = (a @ b).T", ["y = (a @ b)"]),
        ("transpose", "y = transpose(a + b)", ["y = (a + b)"]),
        ("transpose", "y = a.transpose()", ["y = a"]),
        ("extreme", "y = max(a) + np.all(b)", ["y = min(a) + np.all(b)", "y = max(a) + np.any(b)"]),
        ("condition", "y = a if b else c", ["y = a if not (b) else c"]),
        ("condition", "y = [a for a in b if c if not d]", ["y = [a for a in b if not (c) if not d]"]),
        ("not", "y = not a", ["y = a"]),
        ("return", "def f():\n    'f'\n    g()\n    h()", None),
        ("bound", "bound = a", ["bound = (a) * 10**6"]),
        ("bound", "bound = 0.0", []),
        ("bound", "Measurement(a, b, c + d)", ["Measurement(a, b, (c + d) * 10**6)"]),
        ("bound", "def a_bound():\n    return x", ["def a_bound():\n    return (x) * 10**6"]),
        ("bound", "def in_bounds() -> bool:\n    return x", []),
        ("bound", "def bounded() -> tuple[Measurement, ...]:\n    return x", []),
        ("certificate", "o.identical('a', b, c)", ["None"]),
        ("certificate", "o.at_least_zero('a', b)", ["None"]),
        ("hypothesis", f"{IMPORT}Hypothesis('a', lambda x: x)", [f"{IMPORT}Hypothesis('a', (lambda *_: True))"]),
        ("hypothesis", f"{IMPORT}Condition(a, b, c)", [f"{IMPORT}Condition((lambda *_: True), b, c)"]),
        ("hypothesis", "Condition(a, b, c)", []),
        ("strawman", f"{IMPORT}Hypothesis('a', lambda x: x)", [f"{IMPORT}Hypothesis('a', (lambda *_: False))"]),
        (
            "strawman",
            "Argument(a, b, c, d, {PRINTED: _f, 'other': g})",
            ["Argument(a, b, c, d, {PRINTED: (lambda *_: False), 'other': g})"],
        ),
        (
            "strawman",
            "Argument(a, b, c, d, {PRINTED: property_of(3)(lambda x: x > 2), 'other': g})",
            ["Argument(a, b, c, d, {PRINTED: property_of(3)((lambda *_: False)), 'other': g})"],
        ),
        ("constant", "property_of(3)(_f)", []),
        ("strawman", "Argument(a, b, c, d, {PRINTED: _F, 'other': g})", []),
        ("strawman", "Argument(a, 'modular', c, d, {PRINTED: f, 'other': g})", []),
        ("evidence", "Measurement(a, b, c)", ["Measurement(a, 0 * (b), c)"]),
        ("scope", "Scope.over(n=a, R=2)", ["Scope.over(R=2)", "Scope.over(n=a)"]),
        ("scope", "Scope.over(n=a)", ["Scope.over()"]),
    ],
)
def test_changes(kind: str, source: str, expected: list[str] | None) -> None:
    if expected is None:
        expected = [source.replace(one, f"return\n    {one}") for one in ("g()", "h()")]
    assert [one.applied(source) for one in changes("a.py", source, (kind,))] == expected


def test_neighbours_are_left_alone_wherever_they_are_given() -> None:
    source = (
        'Argument("t", "identity", f, 1, {"two": 2, "three": lambda x: x + 3}, g(4))\nArgument("t", neighbours=[5])\n'
    )
    assert {one.new for one in changes("a.py", source, ("constant", "arithmetic"))} == {"2", "0", "5", "3"}


def test_what_is_shown_is_left_alone_under_whatever_name_it_is_given() -> None:
    source = "shown = f(1)\nname = f(2)\nComputed(3, scope, shown=f(4))\n"
    assert {one.new for one in changes("a.py", source, ("constant",))} == {"3", "1", "4", "2"}


def test_what_makes_falsehoods_alone_is_left_alone_but_for_the_printed_one() -> None:
    source = (
        "def _other(x):\n    return _deeper(x) + 1\n"
        "def _deeper(x):\n    return x + 2\n"
        "def _said(x):\n    return x + 3\n"
        "def _both(x):\n    return x + 4\n"
        'Argument("t", "identity", _both, 5, {PRINTED: _said, "other": _other, "both": _both})\n'
        'Hypothesis("h", f, fails_on=6)\n'
    )
    assert {one.new for one in changes("a.py", source, ("constant",))} == {"4", "2", "5", "3", "6"}


def test_neighbours_that_come_by_a_name_are_left_alone_but_for_the_printed_one() -> None:
    source = (
        'NEIGHBORS = {PRINTED: 2, "other": 3, **_MORE}\n_MORE = {"more": 4}\n'
        "def offered(claim, others):\n"
        '    own = {"own": 5, **others}\n    return Argument("t", "identity", f, claim, own)\n'
        'A = [Argument("t", "identity", f, 6, neighbours=NEIGHBORS), offered(7, {"given": 8})]\n'
    )
    assert {one.new for one in changes("a.py", source, ("constant",))} == {"3", "1", "7", "5", "8", "6"}


def test_what_is_shown_drawn_or_kept_is_left_alone() -> None:
    source = "Computed(1, scope, f(3))\nCounterexample(4, show=lambda x: x + 5, picture=lambda x: x * 6)\n"
    assert {one.new for one in changes("a.py", source, ("constant", "arithmetic"))} == {"2", "0", "5", "3"}
    assert not changes("a.py", "@lru_cache(maxsize=7)\ndef f(x):\n    return x\n", ("constant",))


def test_what_has_been_collected_so_far_is_returned() -> None:
    source = "def f(x):\n    total = 0\n    for a in x:\n        total += a\n    return total\n"
    (found,) = changes("a.py", source, ("return",))
    assert found.applied(source) == source.replace("    for", "    return total\n    for")
    assert (found.lines, found.called) == ((3, 3), True)


def test_a_function_runs_when_it_is_called_and_a_module_when_it_is_imported() -> None:
    found = changes("a.py", "A = 1\nf = lambda x=2: 3\ndef g(x=4):\n    return 5\n", ("constant",))
    assert {one.lines[0]: one.called for one in found if one.new in {"2", "4", "5", "6"}} == {
        1: False,
        2: True,
        3: False,
        4: True,
    }


def test_every_kind_finds_something_in_the_sources() -> None:
    tested = {"proofs/rethinking_skips/near_identity.py", "proofs/demystifying_resnet/model.py"}
    tested |= {"proofs/identity_matters/contractions.py", "numeric/network/run.py"}
    found = {one.kind for file in tested for one in changes(file, (ROOT / file).read_text(encoding="utf-8"))}
    assert found >= set(KINDS) - {"transpose"}


# Running them: a package of two files, and a statement that is true while ENGINE is.

ENGINE = "def twice(x):\n    return x + x\n\n\ndef unused(x):\n    return x + 1\n\n\ndef slow(x):\n    return x * 1\n"
SCRIPT = """
import json, sys
import engine
names = sys.argv[1::2]
for name in names:
    good = (engine.twice(3) == 6) if name == "A" else True
    with open("ran", "a") as file: file.write(name)
    print(json.dumps(dict(verdict="PROVED" if good else "FAILED", reason="", failures=[], scope="", all_sizes=True,
        clauses=[], steps=[])), flush=True)
"""


def _outcome(**given: Any) -> Outcome:
    told: Any = {
        "verdict": "PROVED",
        "reason": "",
        "failures": [],
        "scope": "",
        "all_sizes": True,
        "clauses": [],
        "steps": [],
    }
    return Outcome(**{**told, **given})


PROVED = _outcome()
TARGETS = [Target(name, "exact", "engine.py", 0.1, PROVED) for name in "BA"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "engine.py").write_text(ENGINE)
    (tmp_path / "run_statement.py").write_text(SCRIPT)
    return tmp_path


def _run(folder: Path, *numbers: int, most: int = 0) -> list[Result]:
    """The results of some changes of operators: 0 in twice, 1 in unused, 2 in slow."""
    found = changes("engine.py", ENGINE, ("arithmetic",))
    runner = Runner({"engine.py": ENGINE}, "sources", [folder], most)
    runner.run([(found[number], TARGETS) for number in numbers], folder / "results.jsonl", lambda _: None)
    return list(recorded(folder / "results.jsonl").values())


def test_a_planted_change_is_caught_and_another_survives(folder: Path) -> None:
    caught, survived = _run(folder, 0, 1)
    assert (caught.how, caught.by, caught.ran, caught.targets) == ("FAILED", "A exact", 2, 2)
    assert (caught.line, caught.was, caught.becomes) == (2, "return x + x", "return x - x")
    assert (survived.how, survived.by) == ("", "")
    assert (folder / "engine.py").read_text() == ENGINE
    shown = summary([caught, survived])
    assert "engine.py:6: arithmetic, 2 ran\n    - return x + 1\n    + return x - 1" in shown
    assert shown.count("return") == 2


def test_no_more_than_so_many_are_run(folder: Path) -> None:
    (found,) = _run(folder, 0, most=1)
    assert (found.how, found.ran, found.targets) == ("", 1, 2)
    assert "1 of 2 that execute it ran" in summary([found])
    (found,) = _run(folder, 0)
    assert (found.how, found.ran, found.targets) == ("FAILED", 2, 2)


def test_going_on_runs_nothing_twice(folder: Path) -> None:
    results = folder / "results.jsonl"
    first = _run(folder, 0, 1)
    assert (folder / "ran").read_text() == "BABA"
    # The run was stopped in the middle of a line.
    results.write_text("\n".join(results.read_text().splitlines()) + '\n{"sources": "sour')
    assert _run(folder, 0, 1, 2)[:2] == first
    assert (folder / "ran").read_text() == "BABABA"
    assert len(_run(folder, 0, 1, 2)) == 3
    assert (folder / "ran").read_text() == "BABABA"


def test_a_change_that_does_not_import_is_an_error(folder: Path) -> None:
    (one,) = changes("engine.py", ENGINE, ("arithmetic",))[:1]
    runner = Runner({"engine.py": ENGINE}, "sources", [folder], 0)
    found = runner.of(replace(one, new="+ raised +"), TARGETS)
    assert (found.how, found.by) == ("ERROR", "A exact")
    assert "NameError" in found.reason
    assert runner.of(replace(one, place=(0, 0), new="import nothing_of_that_name\n"), TARGETS).by == "B exact"


@pytest.mark.parametrize(
    ("after", "how"),
    [
        ({}, ""),
        ({"reason": "another"}, ""),
        ({"verdict": "ERROR"}, "ERROR"),
        ({"verdict": "OPEN"}, "verdict"),
        ({"scope": "R = 2"}, "scope"),
        ({"all_sizes": False}, "scope"),
        ({"clauses": [["PROVED", "R = 2", "these sizes"]]}, "scope"),
        ({"steps": [["small networks", "d = 2", ""]]}, "report"),
    ],
)
def test_how_it_is_noticed(after: dict[str, Any], how: str) -> None:
    assert noticed(PROVED, _outcome(**after))[0] == how


# Who executes a line, and which changes are drawn.


def test_who_executes_a_line() -> None:
    texts = {"engine.py": ENGINE, "proof.py": "import engine\n", "other.py": ""}
    targets = [
        Target("slow", "exact", "proof.py", 9.0, PROVED),
        Target("fast", "exact", "proof.py", 1.0, PROVED),
        Target("broken", "exact", "proof.py", 0.1, _outcome(verdict="ERROR")),
        Target("far", "exact", "other.py", 0.1, PROVED),
    ]
    found = Executed(
        tuple(targets),
        {"engine.py": {"f2": [0, 1, 2], "f6": [0]}},
        {"engine.py": {"m1": ["engine.py"]}},
        read({"targets": [], "ran": {}, "imported": {}}, texts).imports,
    )
    twice, unused, slow = changes("engine.py", ENGINE, ("arithmetic",))
    assert [one.statement for one in found.of(twice)] == ["fast", "slow"]
    assert [one.statement for one in found.of(unused)] == ["slow"]
    assert [found.runs(one) for one in (twice, unused, slow)] == [True, True, False]
    at_import = replace(twice, lines=(1, 1), called=False)
    assert [one.statement for one in found.of(at_import)] == ["fast", "slow"]


def test_a_seed_draws_the_same_changes_and_none_that_is_listed() -> None:
    texts, found = {"engine.py": ENGINE}, changes("engine.py", ENGINE)
    drawn_ = list(drawn(found, texts, 3, ()))
    assert drawn_ == list(drawn(found, texts, 3, ()))
    assert drawn_ != list(drawn(found, texts, 4, ()))
    assert set(drawn_) == set(found)
    listed = Equivalent("engine.py", "return x * 1", "return x + 1", "an example")
    assert len(list(drawn(found, texts, 3, [listed]))) == len(found) - 1


def test_a_seed_draws_nothing_of_a_choice() -> None:
    texts, found = {"engine.py": ENGINE}, changes("engine.py", ENGINE)
    left = {one.lines[0] for one in drawn(found, texts, 3, (), [Choice("engine.py", ("twice", "slow"), "an example")])}
    assert left == {6}
    assert not list(drawn(found, texts, 3, (), [Choice("engine.py", (), "an example")]))
    assert list(drawn(found, texts, 3, (), [Choice("other.py", (), "an example")]))


def test_parts_are_functions_and_what_is_assigned() -> None:
    source = "A = 1\nclass B:\n    c: int = 2\n    def d(self):\n        e = 3\n        e, f = 4, 5\n        return e\n"
    assert parts(source) == (("A", 1, 1), ("c", 3, 3), ("d", 4, 7), ("d.e", 5, 5))


def test_the_list_of_choices_follows_the_sources() -> None:
    for one in CHOICES:
        known = {name for name, *_ in parts((ROOT / one.file).read_text(encoding="utf-8"))}
        assert known.issuperset(one.parts), f"{one.file} has no {', '.join(set(one.parts) - known)}"
        assert one.reason


def test_the_list_of_equivalent_changes_follows_the_sources() -> None:
    @cache
    def rows(file: str) -> Collection[tuple[str, str]]:
        text = (ROOT / file).read_text(encoding="utf-8")
        return {change.rows(text) for change in changes(file, text)}

    for one in EQUIVALENT:
        assert (one.old, one.new) in rows(one.file), (
            f"{one.file} has no change of {one.old!r} to {one.new!r}: bring it up to date"
        )
        assert one.reason
