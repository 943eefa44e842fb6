"""Tables of facts, each fact written down once: on a terminal, where everything stands for itself, and in Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from resproof.proofs.formulas import plain
from resproof.reporting import markdown

if TYPE_CHECKING:
    from rich.table import Table as Drawn


class Number(NamedTuple):
    """A measured number, None where it is not known, and the digits that a terminal shows."""

    value: float | None
    digits: int = 6

    def __str__(self) -> str:
        """A hyphen for what is not known."""
        return "-" if self.value is None else f"{self.value:.{self.digits}g}"


class Formulas(str):
    """A text with formulas between dollar signs."""

    __slots__ = ()


Cell: TypeAlias = "str | int | Number | Sequence[Cell] | None"
"""Several stand behind each other with commas; None is what is not known."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under headers, or, without any, names and values."""

    headers: tuple[str, ...]
    rows: Sequence[Sequence[Cell]]

    @property
    def markdown(self) -> str:
        """The table in Markdown, measured numbers on the right."""
        headers = self.headers or ("", "")
        right = [any(isinstance(row[k], Number | int) for row in self.rows) for k in range(len(headers))]
        rule = ("---:" if to_the_right else "---" for to_the_right in right)
        lines = (map(_in_markdown, row) for row in self.rows)
        return "\n".join((_line(headers), f"|{'|'.join(rule)}|", *map(_line, lines)))


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |".replace("  ", " ")


def _in_markdown(cell: Cell) -> str:
    match cell:
        case Formulas():
            return markdown.with_formulas(cell)
        case str():
            return cell if cell == "-" else markdown.powers(markdown.prose(cell))
        case Number():
            return markdown.number_or(cell.value, "-")
        case int() | None:
            return _shown(cell)
        case _:
            return ", ".join(map(_in_markdown, cell))


def _shown(cell: Cell) -> str:
    match cell:
        case Formulas():
            return plain(cell)
        case None:
            return "-"
        case str() | Number() | int():
            return str(cell)
        case _:
            return ", ".join(map(_shown, cell))


def teller() -> Callable[[str | Table], None]:
    """What prints a line, brackets no markup and not cut, or a table, where what is too wide goes on below."""
    from rich.console import Console

    console = Console(highlight=False, emoji=False)

    def tell(one: str | Table) -> None:
        if isinstance(one, str):
            console.print(one, markup=False, soft_wrap=True)
        elif one.rows:
            console.print(_drawn(one))

    return tell


def _drawn(one: Table) -> Drawn:
    from rich.markup import escape
    from rich.table import Table as Drawn

    drawn = Drawn(box=None, pad_edge=not one.headers, show_header=bool(one.headers))
    for header in one.headers:
        drawn.add_column(header, overflow="fold")
    for row in one.rows:
        drawn.add_row(*(escape(_shown(cell)) for cell in row))
    return drawn
