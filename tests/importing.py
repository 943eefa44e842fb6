"""Which modules may have anything from a file: those that import it, anywhere in their text, and what imports these."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Set
from pathlib import Path
from typing import NamedTuple


class Imports(NamedTuple):
    """The modules of a folder by their names: the file of each, and the modules that import it."""

    files: Mapping[str, str]
    importers: Mapping[str, frozenset[str]]

    @classmethod
    def within(cls, folder: Path) -> Imports:
        """Those of the packages in a folder, and the scripts beside them."""
        texts = {path.relative_to(folder): path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.py"))}
        files = {_module(path): path.as_posix() for path in texts}
        imported = {_module(path): _imported(text, files.keys()) for path, text in texts.items()}
        importers = {name: frozenset(one for one, names in imported.items() if name in names) for name in files}
        return cls(files, importers)

    def dependents(self, file: str) -> set[str]:
        """The module that is written in a file, and each that imports it or another of these."""
        found, waiting = set[str](), {name for name, path in self.files.items() if path == file}
        while waiting:
            found |= waiting
            waiting = {one for name in waiting for one in self.importers[name]} - found
        return found


def _module(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def imported_names(tree: ast.AST) -> set[str]:
    """What the import statements of a text name: modules, and what is taken from them, which may be a module."""
    found = set[str]()
    for node in ast.walk(tree):
        match node:
            case ast.Import(names):
                found |= {one.name for one in names}
            case ast.ImportFrom(module=str(module), names=names):
                found |= {module, *(f"{module}.{one.name}" for one in names)}
            case ast.ImportFrom():
                raise AssertionError(f"a relative import: {ast.unparse(node)}")
            case _:
                pass
    return found


def _imported(text: str, known: Set[str]) -> Set[str]:
    """The known modules that a text may import: all of them where it computes a name."""
    tree = ast.parse(text)
    found = imported_names(tree)
    for node in ast.walk(tree):
        match node:
            case ast.Call(ast.Name("import_module"), [ast.Constant(str(module)), *_]):
                found.add(module)
            case ast.Call(ast.Name("import_module")):
                return {*known}
            case _:
                pass
    return {name for one in found for name in _with_packages(one)} & known


def _with_packages(name: str) -> set[str]:
    parts = name.split(".")
    return {".".join(parts[:end]) for end in range(1, len(parts) + 1)}
