"""A page for each package: every statement, where it is printed, and the file that holds it. `python -m resproof.proofs.contents`."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from resproof.proofs.formulas import pieces
from resproof.proofs.registry import files, modules, packages
from resproof.proofs.statement import Statement

HERE = Path(__file__).parent


def file_of(one: Statement) -> str:
    """The file that holds a statement of ours, from the repository's root; empty for other people's."""
    return files().get(one.id, "")


def page(package: str) -> str:
    """The README of a package, in Markdown."""
    about = packages()[package].__doc__ or ""
    names = [name for name in modules() if name.split(".")[2] == package]
    found = [one for name in names for one in import_module(name).STATEMENTS]
    rows = [
        f"| {one.id} | {_printed(one)} | {_title(one)} | [{file}]({file}) |"
        for one in found
        for file in [Path(file_of(one)).name]
    ]
    return "\n".join(
        [
            f"# {about.strip().rstrip('.')}",
            "",
            "Written by `python -m resproof.proofs.contents`; a test compares.",
            "",
            "| Statement | Printed as | What it says | File |",
            "| --- | --- | --- | --- |",
            *rows,
            "",
        ]
    )


def _title(one: Statement) -> str:
    return "".join(f"$`{piece.text}`$" if piece.formula else piece.text for piece in pieces(one.title))


def _printed(one: Statement) -> str:
    return one.source.number.replace("|", r"\|") if one.source else ""


if __name__ == "__main__":
    for name in packages():
        (HERE / name / "README.md").write_text(page(name), encoding="utf-8")
