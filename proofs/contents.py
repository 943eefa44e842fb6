"""A page for each package: every statement, where it is printed, and the file that holds it. `python -m proofs.contents`."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

from proofs.registry import PACKAGES, modules
from proofs.statement import Statement

HERE = Path(__file__).parent


def page(package: str) -> str:
    """The README of a package, in Markdown."""
    about = import_module(f"proofs.{package}").__doc__ or ""
    names = [name for name in modules() if name.split(".")[1] == package]
    found = [one for name in names for one in import_module(name).STATEMENTS]
    texts = {path.name: path.read_text("utf-8") for path in sorted((HERE / package).glob("*.py"))}
    rows = [
        f"| {one.id} | {_printed(one)} | {one.title} | [{file}]({file}) |"
        for one in found
        for file in [_file(texts, one)]
    ]
    return "\n".join(
        [
            f"# {about.strip().rstrip('.')}",
            "",
            "Written by `python -m proofs.contents`; a test compares.",
            "",
            "| Statement | Printed as | What it says | File |",
            "| --- | --- | --- | --- |",
            *rows,
            "",
        ]
    )


def _printed(one: Statement) -> str:
    return one.source.number.replace("|", r"\|") if one.source else ""


def _file(texts: Mapping[str, str], one: Statement) -> str:
    """The file of the package that writes the id down; statements may be gathered elsewhere."""
    written = [name for name, text in texts.items() if f'id="{one.id}"' in text]
    assert len(written) == 1, (one.id, written)
    return written[0]


if __name__ == "__main__":
    for name in PACKAGES:
        (HERE / name / "README.md").write_text(page(name), encoding="utf-8")
