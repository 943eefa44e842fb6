"""A statement lies in the package of the document that it is about."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pkgutil import iter_modules

import pytest

from resproof.proofs.contents import HERE, page
from resproof.proofs.execution import place
from resproof.proofs.formulas import plain
from resproof.proofs.registry import find, ledgers, modules, packages, statements, written
from resproof.proofs.statement import Statement
from resproof.reporting.listed import listed
from resproof.reporting.schema import Paper
from tests.proofs.offered import arguments

FILES = {one.id: name for name in modules() for one in import_module(name).STATEMENTS}
EXPERIMENTS = {one.id: name for name in modules("EXPERIMENTS") for one in import_module(name).EXPERIMENTS}
PAPERS = tuple(packages())


def package_of(module: str) -> str:
    """The paper's package that a module lies in."""
    return module.split(".")[2]


@pytest.mark.parametrize("package", PAPERS)
def test_all_that_a_paper_lists_is_there_and_nothing_else(package: str) -> None:
    """A statement that is lost is noticed here; a misprint has the statement that it is in."""
    paper = Paper.model_validate_json(ledgers()[package].read_text(encoding="utf-8"))
    entries = [entry for section in paper.sections for entry in section.entries]
    here = {id_ for id_, module in FILES.items() if package_of(module) == package}
    assert {one.id for one in entries if not (one.experiment or one.erratum_of)} == here
    assert {one.erratum_of for one in entries if one.erratum_of} <= here
    run = {id_ for id_, module in EXPERIMENTS.items() if package_of(module) == package}
    assert {one.id for one in entries if one.experiment} == run


def test_a_document_and_a_prefix_of_ids_have_one_package() -> None:
    """EX statements are about the text that they quote."""
    of_document = {(one.source.document, package_of(FILES[one.id])) for one in statements() if one.source}
    of_prefix = {(id_.partition("-")[0], package_of(module)) for id_, module in FILES.items()}
    for found in (of_document, {(prefix, package) for prefix, package in of_prefix if prefix != "EX"}):
        assert len(found) == len({key for key, _ in found})


def test_what_lists_modules_is_a_paper() -> None:
    own = {name: import_module(f"resproof.proofs.{name}") for _, name, package in iter_modules([str(HERE)]) if package}
    assert {name for name, package in own.items() if hasattr(package, "MODULES")} == set(PAPERS)


@pytest.mark.parametrize("statement", statements(), ids=lambda one: one.id)
def test_each_step_names_the_function_that_computes_it(statement: Statement) -> None:
    for one in (*arguments(statement), *statement.evidence):
        file, function = place(one.compute)
        text = (HERE.parent / file).read_text("utf-8")
        *_, name = function.split(".")
        assert f"def {name}(" in text or f"class {name}" in text or not name, (one.title, file, function)


def test_the_order_is_that_of_the_packages() -> None:
    places = [package.PLACE for package in packages().values()]
    assert places == sorted(set(places))
    assert (PAPERS[0], PAPERS[-1]) == ("demystifying_resnet", "beyond")
    assert list(dict.fromkeys(map(package_of, modules()))) == list(PAPERS)
    assert [one.id for one in statements()] == list(FILES)


@pytest.mark.parametrize(
    ("ids", "name"),
    [
        (("DR-T1", "DR-L1"), "theorem1"),
        (("DR-T2.1", "DR-T2.2", "DR-T2.3"), "theorem2"),
        (("DR-L3", "DR-L4"), "lemmas"),
        (("DR-A3n",), "assumption3"),
        (("RS-DN",), "dirac"),
        (("IM-3",), "zero_start"),
    ],
)
def test_a_reader_finds_the_file_by_its_name(ids: tuple[str, ...], name: str) -> None:
    assert {FILES[id_].rpartition(".")[2] for id_ in ids} == {name}


@pytest.mark.parametrize("package", PAPERS)
def test_each_package_has_a_page_from_statement_to_file(package: str) -> None:
    """Written by `python -m resproof.proofs.contents`."""
    assert (HERE / package / "README.md").read_text(encoding="utf-8") == page(package)


def test_one_statement_takes_the_modules_of_its_proof_alone() -> None:
    script = (
        "import sys\n"
        "from resproof.cli import main\n"
        "try: main(['prove', '--only', 'DR-T2.2'])\n"
        "except SystemExit: pass\n"
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    proved, last = done.stdout.splitlines()
    loaded = set(last.split())
    assert proved.startswith("PROVED   DR-T2.2")
    assert loaded.isdisjoint({"sympy", "scipy", "sklearn", "matplotlib", "jinja2", "rich", "jax", "torch"})
    assert loaded.isdisjoint(
        {
            "resproof.proofs.rethinking_skips",
            "resproof.proofs.identity_matters",
            "resproof.proofs.beyond",
            "resproof.proofs.block",
        }
    )
    of_its_paper = {name.rpartition(".")[2] for name in loaded.intersection(modules())}
    assert of_its_paper == {"theorem2", "lemmas", "sharp_hypotheses"}


def test_each_statement_is_found_by_its_file_alone() -> None:
    assert set(written()) == set(FILES)
    assert set(written("EXPERIMENTS")) == set(EXPERIMENTS)
    for one in statements():
        assert find([one.id]) == find([one.label]) == (one,)


def test_what_is_listed_is_what_the_statements_say() -> None:
    """The list is read from the results that ship with the program."""
    for one, row in zip(statements(), listed(), strict=True):
        assert (row.id, row.title) == (one.id, one.title)
        assert row.says([one.id.casefold(), *plain(one.said).casefold().split()])
