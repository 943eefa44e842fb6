"""Lines and tables on a terminal, where everything stands for itself: brackets are no markup, and no line is cut."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


def console() -> Console:
    """Standard output."""
    from rich.console import Console

    return Console(highlight=False, emoji=False)


def printer(where: Console) -> Callable[[str], None]:
    """What prints a line there."""
    return lambda text: where.print(text, markup=False, soft_wrap=True)


def pairs(rows: Mapping[str, str]) -> Table:
    """A table of names and values."""
    from rich.table import Table

    table = Table(show_header=False, box=None)
    for name, value in rows.items():
        add(table, name, value)
    return table


def headed(*headers: str) -> Table:
    """A table with these headers and no rows yet; what is too wide goes on below."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for header in headers:
        table.add_column(header, overflow="fold")
    return table


def add(table: Table, *cells: str) -> None:
    """Add a row."""
    from rich.markup import escape

    table.add_row(*map(escape, cells))


def number(value: float | str | None, digits: int) -> str:
    """A number with so many digits, a word as it is, and a hyphen for what is not known."""
    match value:
        case None:
            return "-"
        case float():
            return f"{value:.{digits}g}"
        case _:
            return str(value)
