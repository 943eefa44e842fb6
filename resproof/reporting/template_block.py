"""`resproof new`: a commented template of a block, or of a paper's statements."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from resproof.reporting.files import OutputError, check_target, write

_TEMPLATES = Path(__file__).with_name("templates")


def write_template(path: Path, kind: Literal["block", "paper"] = "block") -> None:
    """Write a template to a new file.

    Raises:
        OutputError: it is there already, is no .py file, or cannot be written.
    """
    if path.suffix != ".py":
        raise OutputError(f"{path}: is no Python file; expected a name that ends in .py")
    if path.exists():
        raise OutputError(f"{path}: is there already; expected the name of a new file")
    if not path.parent.exists():
        raise OutputError(f"{path}: there is no folder {path.parent}; expected one that is there")
    check_target(path)
    write({path: (_TEMPLATES / f"{kind}.py.txt").read_text(encoding="utf-8").replace("{name}", path.name)})
