r"""LaTeX to MathML, which browsers set by themselves.

What the converter leaves undone is done here: delimiters behind \Bigl and the like; arrows, relations and brackets that
it takes for letters; bars and signs of numbers, which have no space beside them; and the places where a formula in a
line may be broken, since browsers never break one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from latex2mathml.converter import convert
from latex2mathml.symbols_parser import convert_symbol

_NAME = re.compile(r"\\mathop\{\\mathrm\{(\w+)\}\}")
_SANS = re.compile(r"\\mathsf *\{(\w)\}")
_GAP = re.compile(r"\\\\\[[^\]]*\]")
"""The end of a row, with the space behind it."""
_NAMESPACE = re.compile(r' xmlns="[^"]*"')
_OPERATORS = {"Sm", "Po", "Ps", "Pe"}
"""Unicode categories of relations, marks and brackets."""
_BARS = {"|", "\N{DOUBLE VERTICAL LINE}"}
_SCRIPTS = {"msub", "msup", "msubsup"}
_THIN = "0.167em"
_CLOSE = {"lspace": "0em", "rspace": "0em"}
_NOT, _STRUCK = "\N{BIG SOLIDUS}", "\N{COMBINING LONG SOLIDUS OVERLAY}"
_RELATIONS = {*"=<>≤≥≠≈≡≪≫∈→↦⟹⟺"}
_SIGNS = {*"+-\N{MINUS SIGN}±"}


@cache  # pages say the same formulas again and again
def in_a_line(latex: str) -> str:
    """The MathML of a formula within a line: one element for each part that may not be broken.

    Raises:
        ValueError: it has a command that is not known.
    """
    whole = _set(latex, "inline")
    return f'<span class="formula">{"".join(map(_written, _parts(whole)))}</span>'


def displayed(latex: str) -> str:
    """The MathML of a formula on a line of its own.

    Raises:
        ValueError: it has a command that is not known.
    """
    return f'<div class="formula">{_written(_set(latex, "block"))}</div>'


def _set(latex: str, display: str) -> Element:
    # The converter gives a name of several letters the space of an operator in this form only, rows in matrices only.
    gathered = r"\begin{gathered}" in latex
    rows = _GAP.sub(r"\\\\", latex.replace("{gathered}", "{matrix}")) if gathered else latex
    rows = _SANS.sub(r"\\mathsf \1", rows)
    found = ElementTree.fromstring(_NAMESPACE.sub("", convert(_NAME.sub(r"\\operatorname{\1}", rows), display=display)))
    if gathered:
        next(found.iter("mtable")).attrib |= {"class": "gathered", "displaystyle": "true"}
    for element in found.iter():
        _mend(element)
        if "\\" in (element.text or ""):
            raise ValueError(f"{element.text} in a formula is not known: {' '.join(latex.split())}")
    return found


def _mend(element: Element) -> None:
    text = element.text or ""
    if element.tag == "mo" and (code := convert_symbol(text) if text.startswith("\\") else None):
        element.text = chr(int(code, 16))
    elif element.tag == "mi" and len(text) == 1 and unicodedata.category(text) in _OPERATORS:
        element.tag = "mo"
        if _turn(text):
            element.set("stretchy", "false")
    if element.tag == "mo" and element.text in _BARS and element.get("stretchy") != "true":
        element.attrib |= {"stretchy": "false", **_CLOSE}
    if element.get("mathvariant") == "sans-serif":
        # Browsers know no other variant of a letter; the sign for "transposed" is upright at least.
        element.set("mathvariant", "normal")
    if element.get("minsize"):
        element.attrib |= _CLOSE
    if element.tag in _SCRIPTS and element[0].get("minsize"):
        # Browsers give a delimiter its size in a row alone.
        row = Element("mrow")
        row.append(element[0])
        element[0] = row
    _strike(element)
    _space(element)


def _strike(row: Element) -> None:
    """A slash and the relation behind it as one sign."""
    for child, after in reversed([*pairwise(row)]):
        if child.tag == "mpadded" and "".join(child.itertext()) == _NOT:
            after.text = unicodedata.normalize("NFC", (after.text or "") + _STRUCK)
            row.remove(child)


def _space(row: Element) -> None:
    """TeX's space beside a sign that stands for no difference, and between a name of several letters and a letter."""
    for before, child, after in zip([None, *row], row, [*row[1:], None], strict=False):
        left = _typed(before) if before is not None else ""
        if _typed(child) in _SIGNS and (_turn(left) > 0 or left in _RELATIONS | {","}):
            child.set("form", "prefix")
        if child.tag in {"mi", "mo"} and (child.text or "").isalpha() and len(child.text or "") > 1:
            child.tag = "mo"
            child.set("lspace", _THIN if before is not None and before.tag != "mo" else "0em")
            child.set("rspace", _THIN if after is not None and after.tag != "mo" else "0em")


def _parts(whole: Element) -> Iterator[Element]:
    """The formula, broken where TeX breaks one, behind relations and signs, and behind commas outside brackets."""
    row = next(iter(whole))
    part, opened, before = _empty_like(whole), 0, ""
    for child in row:
        held = next(iter(part))
        held.append(child)
        text = _typed(child)
        opened += _turn(text)
        between = len(held) > 1 and _turn(before) <= 0
        if text.removesuffix(_STRUCK) in _RELATIONS or (text in _SIGNS and between) or (text == "," and opened == 0):
            yield part
            part = _empty_like(whole)
        before = text
    if len(next(iter(part))):
        yield part


def _typed(element: Element) -> str:
    """The sign of an operator."""
    return element.text or "" if element.tag == "mo" else ""


def _turn(text: str) -> int:
    """By how many brackets more are open behind this."""
    return {"Ps": 1, "Pe": -1}.get(unicodedata.category(text), 0) if len(text) == 1 else 0


def _empty_like(whole: Element) -> Element:
    found = Element("math", whole.attrib)
    found.append(Element("mrow"))
    return found


def _written(element: Element) -> str:
    return ElementTree.tostring(element, encoding="unicode", short_empty_elements=False)
