"""The list of all statements, made of the rows of the papers' own pages; assets/statements.js filters it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from resproof.reporting.markdown import unbroken
from resproof.reporting.site.markup import headings

_TABLE = re.compile(r"^(\|.*\|)\n\|[-:| ]+\|\n((?:\|.*\|\n)+)", re.MULTILINE)
_STATEMENT = re.compile(r"\(\.\./statements/([^)]+)\.md\)")
_ABOVE = """\
# Statements

<div class="filters" id="filters" hidden>
<label>Paper <select name="paper"></select></label>
<label>Verdict <select name="verdict"></select></label>
<label>Words <input type="search" name="words" placeholder="condition number, Eq. 9, GEN-1"></label>
<output></output>
</div>

"""
_BELOW = '\n<script src="../../statements.js"></script>\n'


def statement_list(papers: Iterable[str]) -> str:
    """The Markdown of the list, from the Markdown of the papers' pages.

    It lies in a folder beside theirs, so that the links of their rows lead where they lead there.

    Raises:
        ValueError: two of their tables have different columns.
    """
    found = list(_rows(papers))
    heads = {head for head, _ in found}
    if len(heads) != 1:
        raise ValueError(f"the papers' pages list statements in tables of different columns: {sorted(heads)}")
    head = f"{heads.pop()} id | paper |"
    rule = "|---" * (head.count("|") - 1) + "|"
    return _ABOVE + "\n".join([head, rule, *(row for _, row in found)]) + "\n" + _BELOW


def _rows(papers: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The head of a table, and each of its rows that is about a statement."""
    for text in papers:
        for table in _TABLE.finditer(text):
            for row in table[2].splitlines():
                if found := _STATEMENT.search(row):
                    yield table[1], f"{row} {unbroken(found[1])} | {headings(text)[0].text} |"
