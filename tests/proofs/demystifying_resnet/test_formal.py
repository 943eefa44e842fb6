"""Theorem 2 in Coq: what the record says of the sources, the log's parsing, the examples against the array side."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from resproof.proofs.demystifying_resnet.formal import clauses, examples, identities, kernel, reading
from resproof.proofs.demystifying_resnet.formal.counterparts import COUNTERPARTS, checked, sizes
from resproof.proofs.demystifying_resnet.formal.kernel import FOLDER, BuildRecord, FormalError, FormalTheorem
from resproof.proofs.demystifying_resnet.theorem2 import T2_2
from resproof.proofs.registry import find
from resproof.proofs.routes.hessians import Claim
from resproof.proofs.statement import Statement

needs_coq = pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed (see `make formal`)")

LOG = """\
@ first
first
     : forall n : nat,
       n = n
@ assumes
Closed under the global context
@ second
second : 1 = 1
@ assumes
Axioms:
choice
  : forall A : Prop,
    A
excluded : True
"""
FIRST, SECOND = (
    FormalTheorem("first", "forall n : nat, n = n", ()),
    FormalTheorem("second", "1 = 1", ("choice : forall A : Prop, A", "excluded : True")),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A development of two files that states two theorems."""
    (tmp_path / "_CoqProject").write_text("-R . Shortcut\nDefinitions.v\nTheorems.v\n")
    (tmp_path / "Definitions.v").write_text("Definition one := 1.\n")
    (tmp_path / "Theorems.v").write_text("Theorem first : one = 1.\nProof. by []. Qed.\nTheorem second' : True.\n")
    return tmp_path


def record(folder: Path, *theorems: FormalTheorem) -> None:
    kernel.write(folder, BuildRecord(kernel.sources(folder), kernel.digest(folder), {"coq": "8"}, theorems))


def test_theorems_of_no_record_are_absent(folder: Path) -> None:
    assert kernel.status(folder) == {"first": "absent", "second'": "absent"}


def test_a_recorded_theorem_is_checked_and_others_are_absent(folder: Path) -> None:
    record(folder, FIRST)
    assert kernel.status(folder) == {"first": "kernel-checked", "second'": "absent"}


@pytest.mark.parametrize("name", ["Definitions.v", "Theorems.v", "_CoqProject"])
def test_a_changed_source_makes_the_record_stale(folder: Path, name: str) -> None:
    record(folder, FIRST, FormalTheorem("second'", "True", ()))
    (folder / name).write_text((folder / name).read_text() + "\n")
    assert set(kernel.status(folder).values()) == {"stale"}


def test_a_renamed_source_makes_the_record_stale(folder: Path) -> None:
    record(folder, FIRST)
    (folder / "Definitions.v").rename(folder / "Words.v")
    (folder / "_CoqProject").write_text("-R . Shortcut\nWords.v\nTheorems.v\n")
    assert kernel.status(folder)["first"] == "stale"


def test_a_theorem_with_an_axiom_is_not_checked(folder: Path) -> None:
    record(folder, FormalTheorem("first", "one = 1", ("choice : forall A : Prop, A",)))
    assert kernel.status(folder)["first"] == "absent"


def test_a_theorem_that_is_no_longer_stated_is_still_listed(folder: Path) -> None:
    record(folder, FIRST)
    (folder / "Theorems.v").write_text("")
    assert kernel.status(folder) == {"first": "stale"}


def test_the_record_reads_back(folder: Path) -> None:
    record(folder, FIRST, SECOND)
    found = kernel.read(folder)
    assert found is not None
    assert found.theorems == (FIRST, SECOND)
    assert found.sources == ("Definitions.v", "Theorems.v")


def test_the_log_is_read() -> None:
    assert kernel.answers(LOG) == (FIRST, SECOND)


@pytest.mark.parametrize(
    "bad", ["@ first\nfirst : True\n", "@ first\nother : True\n@ assumes\nx\n", "@ a\na : b\n@ b\nx\n"]
)
def test_a_log_of_another_form_is_refused(bad: str) -> None:
    with pytest.raises((FormalError, ValueError)):
        kernel.answers(bad)


def test_an_axiom_is_refused() -> None:
    kernel.check([FIRST], ["first"])
    with pytest.raises(FormalError, match="second assumes choice"):
        kernel.check([FIRST, SECOND], ["first", "second"])
    with pytest.raises(FormalError, match="states 2"):
        kernel.check([FIRST], ["first", "second"])


def test_without_coq_make_formal_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "")
    assert kernel.main() == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert all(package in said for package in kernel.PACKAGES)


def test_the_committed_record_is_of_the_committed_sources() -> None:
    assert set(kernel.status().values()) == {"kernel-checked"}


def test_every_source_is_built_and_none_admits() -> None:
    assert set(kernel.sources(FOLDER)) == {path.name for path in FOLDER.glob("*.v")}
    for name in kernel.sources(FOLDER):
        words = (FOLDER / name).read_text().split()
        assert not {"Admitted.", "admit.", "Axiom", "Parameter", "Conjecture"} & set(words), name


def test_the_committed_examples_are_the_array_sides_numbers_today() -> None:
    assert examples.PATH.read_text() == examples.text()


def test_the_committed_identities_are_the_exact_sides_polynomials_today() -> None:
    assert identities.PATH.read_text() == identities.text()


def test_the_committed_clauses_are_the_statements_claims_today() -> None:
    assert clauses.PATH.read_text() == clauses.text()


def test_what_is_to_be_read_is_what_the_sources_say_today() -> None:
    assert reading.PATH.read_text() == reading.text()
    assert reading.stripped("From a Require Import b.\nLemma c : 1 = 1.\nProof.\nby []. Qed.\n") == "Lemma c : 1 = 1."
    assert kernel.theorem_names(reading.text()) == kernel.theorem_names((FOLDER / "Theorems.v").read_text())


def definitions() -> dict[str, str]:
    """What Definitions.v defines, with the text up to the next definition."""
    parts = re.split(
        r"^(?:Definition|Fixpoint|Record)\s+(\w+)", (FOLDER / "Definitions.v").read_text(), flags=re.MULTILINE
    )
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_every_definition_is_evaluated() -> None:
    """By name in Examples.v, or inside one that is."""
    defined, seen = definitions(), set[str]()
    todo = set(re.findall(r"\w+", (FOLDER / "Examples.v").read_text())) & defined.keys()
    while todo:
        seen |= todo
        todo = {word for name in todo for word in re.findall(r"\w+", defined[name])} & defined.keys() - seen
    assert seen == defined.keys()


def compiles(folder: Path, name: str) -> bool:
    done = subprocess.run(
        ["coqc", "-w", "none", "-R", ".", kernel.LIBRARY, name], cwd=folder, capture_output=True, check=False
    )
    return done.returncode == 0


@needs_coq
def test_the_kernel_tells_right_numbers_from_wrong_ones(tmp_path: Path) -> None:
    shutil.copy(FOLDER / "Definitions.v", tmp_path)
    assert compiles(tmp_path, "Definitions.v")
    found = examples.HEADER + examples.network_example(examples.CASES[1])
    (tmp_path / "Right.v").write_text(found)
    assert compiles(tmp_path, "Right.v")
    last = found.rindex("880")
    (tmp_path / "Wrong.v").write_text(found[:last] + "881" + found[last + 3 :])
    assert not compiles(tmp_path, "Wrong.v")


@needs_coq
def test_what_was_compiled_before_is_not_taken_for_the_source(folder: Path) -> None:
    (folder / "Theorems.v").write_text("Theorem first : 1 = 1.\nProof. reflexivity. Qed.\n")
    assert compiles(folder, "Theorems.v")
    (folder / "Theorems.v").write_text("Theorem first : 1 = 2.\nProof. reflexivity. Qed.\n")
    os.utime(folder / "Theorems.v", (0, 0))
    with pytest.raises(FormalError, match="make failed"):
        kernel.build(folder)
    assert kernel.status(folder) == {"first": "absent"}


@needs_coq
@pytest.mark.parametrize(("extra", "accepted"), [("x", True), ("0", False)])
def test_an_identity_needs_a_twin_that_is_rejected(tmp_path: Path, extra: str, accepted: bool) -> None:
    start = identities.HEADER.index("Ltac settle")
    tactic = identities.HEADER[start:]
    (tmp_path / "Twin.v").write_text(
        "From mathcomp Require Import all_ssreflect all_algebra ring.\nLocal Open Scope ring_scope.\n"
        f"{tactic}\nLemma same (K : comRingType) (x y : K) : (x + y) * (x + y) = x * x + 2%:R * x * y + y * y.\n"
        f"Proof. settle ({extra} : K). Qed.\n"
    )
    assert compiles(tmp_path, "Twin.v") == accepted


@needs_coq
def test_an_axiom_shows_in_what_coq_prints(folder: Path) -> None:
    (folder / "Definitions.v").write_text("Axiom choice : 1 = 2.\n")
    (folder / "Theorems.v").write_text(
        "From Shortcut Require Import Definitions.\nTheorem first : 1 = 2.\nProof. exact choice. Qed.\n"
    )
    with pytest.raises(FormalError, match="first assumes choice : 1%N = 2%N"):
        kernel.build(folder)
    assert kernel.status(folder) == {"first": "absent"}


class TestClauses:
    """Claims as sentences for Coq."""

    def test_a_claim_is_written_with_its_indices(self) -> None:
        (one,) = clauses.claims(T2_2)
        assert one.blocks(Claim("m^-1 * mid'(0)^2 * g[i,u] * pre(X)[j,u] * dW2(1)[i,a] * dW1(1)[a,j]")) == {
            ("D", "W1", "W1"): "0",
            ("D", "W2", "W1"): "sum m (fun mu => inv_m * f1 mid 0 ^+ 2 * (j1 == i2)%:R * (x mu i1 - y mu i1) * "
            "f0 pre (x mu j2))",
            ("D", "W2", "W2"): "0",
            **{("A", row, column): "0" for row in ("W1", "W2") for column in ("W1", "W2")},
        }

    @pytest.mark.parametrize(
        "claim", ["1/3 * g[i,u] * dW2(1)[i,a] * dW1(1)[a,a]", "Q[i,j,u] * dW2(1)[i,a] * dW1(1)[a,j]"]
    )
    def test_what_has_no_words_is_refused(self, claim: str) -> None:
        (one,) = clauses.claims(T2_2)
        with pytest.raises(ValueError, match="clauses: "):
            one.blocks(Claim(claim))

    @pytest.mark.parametrize("statement", clauses.STATEMENTS, ids=lambda statement: statement.id)
    def test_sizes_start_where_the_clause_does(self, statement: Statement) -> None:
        for one in clauses.claims(statement):
            text = clauses.setting(one)
            assert all(f"({least} <= {size})%N" in text for size, least in one.clause.for_all.items())

    @pytest.mark.parametrize("id_", [id_ for id_ in COUNTERPARTS if id_.startswith("DR-")])
    def test_every_claim_in_index_notation_is_written(self, id_: str) -> None:
        (statement,) = find([id_])
        assert statement in clauses.STATEMENTS or not list(clauses.claims(statement))


class TestCounterparts:
    """A formal sentence against the clause that it is shown beside."""

    @pytest.mark.parametrize("id_", COUNTERPARTS)
    def test_it_is_bound_over_every_size_of_the_clauses(self, id_: str) -> None:
        (statement,) = find([id_])
        found = checked(id_)
        assert found is not None
        numbers = found.counterpart.clauses or range(len(statement.claims))
        quantified = {size for number in numbers for size in statement.claims[number].for_all}
        for name, sentence in found.theorems.items():
            assert quantified <= sizes(sentence), (name, quantified - sizes(sentence))

    @pytest.mark.parametrize("id_", COUNTERPARTS)
    def test_every_theorem_named_is_in_the_record(self, id_: str) -> None:
        found = checked(id_)
        assert found is not None
        assert list(found.theorems) == list(found.counterpart.theorems)
        assert found.status in {"kernel-checked", "stale"}

    def test_a_sentence_at_one_depth_is_not_bound_over_depth(self) -> None:
        assert sizes("forall (n : nat) (width : nat -> nat) (m : nat), f n 3 = 0") == {
            "n",
            "d",
            "k",
            "m",
        }
        inside = "forall (m : nat), m = 1 -> (forall (R : nat) (k : nat), R = k) -> forall (n : nat) (p : param), n = 3"
        assert sizes(inside) == {"m", "n"}
        assert sizes("f 2 = 0") == frozenset()

    def test_what_the_kernel_does_not_say_has_no_counterpart(self) -> None:
        assert checked("DR-M1") is None
