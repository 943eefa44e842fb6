"""`resproof new`: a commented template of a block."""

from __future__ import annotations

from pathlib import Path

from reports.files import OutputError, check_target, write

_TEMPLATE = Path(__file__).with_name("templates") / "block.py.txt"


def write_template(path: Path) -> None:
    """Write the template to a new file.

    Raises:
        OutputError: it is there already, is no .py file, or cannot be written.
    """
    if path.suffix != ".py":
        raise OutputError(f"{path}: is no Python file; expected a name that ends in .py")
    if path.exists():
        raise OutputError(f"{path}: is there already; expected the name of a new file")
    check_target(path)
    write({path: _TEMPLATE.read_text(encoding="utf-8").replace("{name}", path.name)})
