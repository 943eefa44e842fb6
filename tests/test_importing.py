"""What a fork imports anew after a change: whatever has something from the changed file, and nothing else."""

from pathlib import Path

import pytest

from tests.importing import Imports

SOURCES = {
    "engine/__init__.py": "",
    "engine/sign.py": "SIGN = 1",
    "engine/other.py": "",
    "above.py": "from engine.sign import SIGN",
    "by_package.py": "from engine import sign",
    "further.py": "import above",
    "late.py": "def f():\n    from engine import sign\n",
    "by_name.py": "from importlib import import_module\nimport_module('engine.sign')",
    "by_any_name.py": "from importlib import import_module\nimport_module('engine.' + 'sign')",
    "of_the_package.py": "import engine.other",
    "alone.py": "import math",
}


@pytest.fixture
def imports(tmp_path: Path) -> Imports:
    for name, text in SOURCES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Imports.within(tmp_path)


def test_everything_above_a_module(imports: Imports) -> None:
    expected = {"engine.sign", "above", "by_package", "further", "late", "by_name", "by_any_name"}
    assert imports.dependents("engine/sign.py") == expected


def test_a_package_is_under_its_modules(imports: Imports) -> None:
    found = imports.dependents("engine/__init__.py")
    assert {"engine", "of_the_package", "by_name", "further"} <= found
    assert "alone" not in found


def test_a_relative_import_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("from . import other", encoding="utf-8")
    with pytest.raises(AssertionError, match="relative import"):
        _ = Imports.within(tmp_path)
