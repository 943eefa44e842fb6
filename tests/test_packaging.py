"""What imports from where, what stays light, what is pinned."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import distribution, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from setuptools import find_packages

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PACKAGES = find_packages(str(ROOT), include=PROJECT["tool"]["setuptools"]["packages"]["find"]["include"])
PINS = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text().split())


def python(script: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", PACKAGES)
def test_each_package_imports_from_this_checkout(name: str) -> None:
    found = import_module(name)
    assert Path(found.__path__[0]) == ROOT.joinpath(*name.split("."))
    assert found.__doc__


def test_the_program_takes_one_import_name() -> None:
    """The folders of the tree are links below it, of which only `reports` is no package."""
    assert {name.partition(".")[0] for name in PACKAGES} == {"resproof"}
    assert (ROOT / "resproof" / "py.typed").exists()
    links = {path.name: path.readlink() for path in (ROOT / "resproof").iterdir() if path.is_symlink()}
    assert links == {name: Path("..", name) for name in ("architectures", "symbolic", "numeric", "proofs", "reports")}


def test_imports_go_one_way() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    if not linter.exists():
        pytest.skip("import-linter is not installed")
    done = subprocess.run([linter, "--no-cache"], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stdout


BLOCKED = """
import importlib, pkgutil, sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked}:
            raise ImportError(name + " is blocked")
sys.meta_path.insert(0, Blocked())
for name in {packages}:
    package = importlib.import_module(name)
    for module in pkgutil.walk_packages(package.__path__, name + "."):
        if module.name in ("resproof.numeric.balls", "resproof.numeric.jax"):  # FLINT's and JAX's own
            continue
        importlib.import_module(module.name)
        print(module.name)
"""


def test_the_array_side_needs_nothing_that_a_gpu_machine_may_lack() -> None:
    blocked = {"typer", "pydantic", "flint", "sympy", "jinja2", "matplotlib", "rich", "sklearn", "pytest", "jax"}
    found = python(BLOCKED.format(blocked=blocked, packages=["resproof.architectures", "resproof.numeric"]))
    assert {"resproof.architectures.catalogue", "resproof.numeric.network.adjoint"} <= set(found.split())


def test_experiments_are_known_and_judged_without_jax() -> None:
    found = python(
        BLOCKED.format(blocked={"jax"}, packages=[])
        + "from resproof.reporting.experiment_records import experiment_results\n"
        + "from resproof.proofs.experiments import experiments\n"
        + "print(*{one.judged.verdict for one in experiment_results(experiments()).values()})"
    )
    assert set(found.split()) <= {"OBSERVED", "NOT"}


def test_the_exact_side_needs_no_numpy() -> None:
    found = python(
        BLOCKED.format(blocked={"numpy", "scipy", "jax"}, packages=["resproof.architectures", "resproof.symbolic"])
    )
    assert {"resproof.symbolic.index.lift", "resproof.symbolic.written.explicit"} <= set(found.split())


@pytest.mark.parametrize(
    "module",
    [
        "resproof.proofs",
        "resproof.pytest_plugin",
        "resproof.reporting",
        "resproof.cli",
        "resproof.numeric",
        "resproof.symbolic",
    ],
)
def test_these_stay_light(module: str) -> None:
    heavy = {"sympy", "flint", "numpy", "scipy", "sklearn", "matplotlib", "jinja2", "pydantic", "jax"}
    if module == "resproof.cli":
        heavy -= {"pydantic"}  # the argument parser may bring it
    loaded = python(f"import sys, {module}; print(*{{name.partition('.')[0] for name in sys.modules}})")
    assert not heavy & set(loaded.split())


def requirements() -> Iterator[Requirement]:
    """Everything that `make` installs, and what builds it."""
    groups = PROJECT["dependency-groups"]
    installed = [one for name in ("test", "lint", "site") for one in groups[name]]
    for text in [*PROJECT["build-system"]["requires"], *PROJECT["project"]["dependencies"], *installed]:
        yield Requirement(text)


def closure() -> set[str]:
    """The names of all distributions that these need here."""
    found, pending = set[str](), [(canonicalize_name(one.name), one.extras) for one in requirements()]
    while pending:
        name, extras = pending.pop()
        if name in found:
            continue
        found.add(name)
        for text in distribution(name).requires or ():
            needed = Requirement(text)
            if needed.marker is None or any(needed.marker.evaluate({"extra": extra}) for extra in (*extras, "")):
                pending.append((canonicalize_name(needed.name), needed.extras))
    return found


def test_everything_is_pinned() -> None:
    pytest.importorskip("ruff", reason="the group `lint` is not installed")
    pytest.importorskip("jax", reason="the group `test` is not installed")
    pytest.importorskip("mkdocs", reason="the group `site` is not installed")
    pins = {canonicalize_name(name): pin for name, pin in PINS.items()}
    assert sorted(closure() - set(pins)) == []
    for one in requirements():
        assert one.specifier.contains(pins[canonicalize_name(one.name)]), one


def test_gpu_extras_are_pinned_where_they_can_be() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    names = {name for extra in ("cuda12", "cuda13") for name in (Requirement(text).name for text in extras[extra])}
    assert names & set(PINS)


def test_libraries_whose_blocks_are_tried_are_pinned_and_not_installed_by_make() -> None:
    """Those of the group `modules`, which the tests do without."""
    extras = PROJECT["project"]["optional-dependencies"] | PROJECT["dependency-groups"]
    pins = {canonicalize_name(name): pin for name, pin in PINS.items()}
    for one in (Requirement(text) for text in (*extras["torch"], *extras["modules"])):
        assert one.specifier.contains(pins[canonicalize_name(one.name)]), one
    assert not {"torch", "torchvision", "timm", "transformers", "flax", "equinox"} & {
        one.name for one in requirements()
    }


def test_pins_name_versions_and_no_places() -> None:
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        assert re.fullmatch(r"[\w.-]+==[\w.]+", line), line


def test_one_version_everywhere() -> None:
    assert version("resproof") == PROJECT["project"]["version"]
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"\nversion: {PROJECT['project']['version']}\n" in citation
    assert "## [Unreleased]" in (ROOT / "CHANGELOG.md").read_text()


def test_data_files_are_shipped() -> None:
    patterns = PROJECT["tool"]["setuptools"]["package-data"]
    folders = [ROOT.joinpath(*name.split(".")) for name in PACKAGES]
    shipped = {path for pattern in patterns["*"] for folder in folders for path in folder.glob(pattern)}
    shipped |= {path for pattern in patterns["resproof"] for path in (ROOT / "resproof").glob(pattern)}
    data = {path for folder in folders for name in ("*", "templates/*", "assets/*") for path in folder.glob(name)}
    data |= {*(ROOT / "resproof/reports").glob("*.json")}
    assert {path for path in data if path.is_file() and path.suffix not in {".py", ".md"}} <= shipped


def test_the_tool_needs_no_pytest() -> None:
    """The plugin does, which pytest loads, and the file with every statement as a test."""
    names = {Requirement(text).name for text in PROJECT["project"]["dependencies"]}
    assert "pytest" not in names
    script = BLOCKED.format(blocked={"pytest", "_pytest"}, packages=["resproof.architectures", "resproof.symbolic"])
    commands = """
from typer.testing import CliRunner
from resproof.cli import app
assert CliRunner().invoke(app, {}).exit_code == 0
"""
    python("\n".join([script, *(commands.format(words) for words in (["prove", "--only", "DR-L4"], ["list"]))]))
