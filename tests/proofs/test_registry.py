"""A statement lies in the package of the document that it is about."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

from proofs.contents import HERE, page
from proofs.execution import place
from proofs.registry import PACKAGES, modules, statements
from proofs.statement import Statement
from tests.proofs.offered import arguments

PACKAGE = {"DR": "demystifying_resnet", "RS": "rethinking_skips", "IM": "identity_matters", "GEN": "beyond"}
QUOTED = {
    "Demystifying ResNet": "demystifying_resnet",
    "Rethinking the Role of Skip Connections": "rethinking_skips",
    "Identity Matters": "identity_matters",
}
FILES = {one.id: name for name in modules() for one in import_module(name).STATEMENTS}


def expected(statement: Statement) -> str:
    """By the id; an EX statement is about the text that it quotes."""
    prefix = statement.id.partition("-")[0]
    if prefix in PACKAGE:
        return PACKAGE[prefix]
    assert statement.source is not None
    document = statement.source.document
    return next(package for title, package in QUOTED.items() if title in document)


@pytest.mark.parametrize("statement", statements(), ids=lambda one: one.id)
def test_its_package_is_that_of_its_document(statement: Statement) -> None:
    assert FILES[statement.id].split(".")[1] == expected(statement)


@pytest.mark.parametrize("statement", statements(), ids=lambda one: one.id)
def test_each_step_names_the_function_that_computes_it(statement: Statement) -> None:
    for one in (*arguments(statement), *statement.evidence):
        file, function = place(one.compute)
        text = (HERE.parent / file).read_text("utf-8")
        *_, name = function.split(".")
        assert f"def {name}(" in text or f"class {name}" in text or not name, (one.title, file, function)


def test_the_order_is_that_of_the_packages() -> None:
    packages = [name.split(".")[1] for name in modules()]
    assert list(dict.fromkeys(packages)) == list(PACKAGES)
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


@pytest.mark.parametrize("package", PACKAGES)
def test_each_package_has_a_page_from_statement_to_file(package: str) -> None:
    """Written by `python -m proofs.contents`."""
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
    assert loaded.isdisjoint({"proofs.rethinking_skips", "proofs.identity_matters", "proofs.beyond", "proofs.block"})
    of_its_paper = {name.rpartition(".")[2] for name in loaded.intersection(modules())}
    assert of_its_paper == {"theorem2", "lemmas", "sharp_hypotheses"}
