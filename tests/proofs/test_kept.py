"""What is kept between runs is taken where it was derived from the same, and only whole."""

import os
import subprocess
import sys
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from resproof.proofs.kept import kept
from resproof.proofs.registry import files, find, ledgers, statements

ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "resproof"


class Derived:
    """Says how often it was derived."""

    def __init__(self, value: Any = "a value") -> None:
        self.times, self.value = 0, value

    def __call__(self) -> Any:
        self.times += 1
        return self.value


def taken(derived: Derived, source: str = "one") -> bool:
    """Whether it came from the file."""
    before = derived.times
    assert kept("table", lambda: source, derived) == derived.value
    return derived.times == before


def test_it_is_derived_once_for_each_source(folder: Path) -> None:
    derived = Derived([["a", 1], ["é\n", None]])
    assert [taken(derived, source) for source in ("one", "one", "two", "two", "one")] == [
        False,
        True,
        False,
        True,
        False,
    ]
    assert [path.name for path in folder.iterdir()] == ["table.json"]


def test_what_is_damaged_is_derived_again(folder: Path) -> None:
    derived = Derived("ten bytes.")
    assert not taken(derived)
    whole = (folder / "table.json").read_bytes()
    damages = [whole[:end] for end in range(len(whole))]
    damages += [whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :] for at in range(len(whole))]
    for damage in damages:
        (folder / "table.json").write_bytes(damage)
        assert not taken(derived), damage
        assert taken(derived)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_in_its_place_is_not_waited_for(folder: Path) -> None:
    folder.mkdir()
    os.mkfifo(folder / "table.json")
    assert not taken(Derived())


def test_where_nothing_can_be_kept_it_is_derived_every_time(folder: Path) -> None:
    folder.write_text("a file in the place of the folder")
    assert [taken(Derived()) for _ in range(2)] == [False, False]


def test_a_user_without_a_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "relative/folders/do/not/count")

    def nowhere() -> Path:
        raise RuntimeError("no home")

    monkeypatch.setattr(Path, "home", nowhere)
    assert [taken(Derived()) for _ in range(2)] == [False, False]


def test_what_is_derived_while_its_source_changes_is_not_kept(folder: Path) -> None:
    numbers = count()
    assert kept("table", lambda: str(next(numbers)), Derived(1)) == 1
    assert not folder.exists()


# The table of the statements.


def test_each_statement_is_found_by_its_file_alone() -> None:
    for one in statements():
        assert find([one.id]) == find([one.label]) == (one,)
        assert one.id in files()


LISTED = """
import sys
from resproof.cli import main
try:
    main(sys.argv[1:])
finally:
    heavy = ("resproof.proofs.demystifying_resnet.", "numpy", "sympy", "scipy", "flint", "matplotlib", "jinja2", "rich")
    print({name for name in sys.modules if name.startswith(heavy)} or "nothing", file=sys.stderr)
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout whose statements can be changed."""
    (tmp_path / "resproof").mkdir()
    for path in (ROOT / "resproof").iterdir():
        there = Path("..", "proofs") if path.name == "proofs" else path.resolve()
        (tmp_path / "resproof" / path.name).symlink_to(there)
    for file in (*(ROOT / "proofs").rglob("*.py"), *ledgers().values()):
        copy = tmp_path / file.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(file.read_bytes())
    return tmp_path


def resproof(folder: Path, *arguments: str) -> tuple[str, str]:
    environment = {**os.environ, "PYTHONPATH": str(folder), "XDG_CACHE_HOME": str(folder / "cache")}
    command = [sys.executable, "-B", "-c", LISTED, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=folder)
    return done.stdout, done.stderr


def test_list_says_what_the_sources_say_now(checkout: Path) -> None:
    listed, loaded = resproof(checkout, "list")
    assert "theorem2" in loaded
    assert resproof(checkout, "list") == (listed, "nothing\n")
    said, loaded = resproof(checkout, "prove", "--only", "DR-T2.22")
    assert (said, loaded.splitlines()[1]) == ("", "nothing")
    assert "unknown statement 'DR-T2.22'; did you mean DR-T2.2" in loaded
    title = "the Hessian is block diagonal"
    text = (checkout / "proofs/demystifying_resnet/theorem2.py").read_text(encoding="utf-8")
    (checkout / "proofs/demystifying_resnet/theorem2.py").write_text(text.replace(title, "zwölf"), encoding="utf-8")
    assert resproof(checkout, "list")[0] == listed.replace(title, "zwölf") != listed
    assert "zwölf" in resproof(checkout, "list", "ZWÖLF")[0]


def test_an_unknown_experiment_is_refused_without_the_modules_that_hold_experiments(checkout: Path) -> None:
    asked = ("reproduce", "--only", "DR-F44")
    (_, first), (said, loaded) = resproof(checkout, *asked), resproof(checkout, *asked)
    assert "unknown experiment 'DR-F44'; did you mean DR-F4" in first
    assert (said, loaded.splitlines()) == ("", [first.splitlines()[0], "nothing"])
