"""Names that users give mean themselves wherever they stand: Markdown, tables, code, formulas, terminal, JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from resproof.architectures.activations import generic, polynomial
from resproof.architectures.errors import ArchitectureError, one_line, shortened
from resproof.architectures.forms.notation import latex_sum
from resproof.architectures.names import latex_words, printable
from resproof.architectures.nodes import Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.text import latex, text
from resproof.cli import main
from resproof.reporting.data import read_npz
from resproof.reporting.markdown import code, fenced, formula, named, prose
from resproof.symbolic.index.lift import hessian_form

HOSTILE = (
    "a|b",
    "$x",
    "`",
    "```",
    r"\end{matrix}",
    r"\input{x}",
    "<script>",
    "<!--",
    "a_b*c~d",
    "[x](y)",
    "x^(2",
    "f'(0)",
    "%#&~{}",
    "caf\u00e9",
    "a\nb",
    "\x1b[31m",
    "\u202ereversed",
    "",
)
FOLDERS = ("with space", "quo'te\"s", "new\nline", "\u00fcml\u00e4ut", "[red]", "a|b`c$d", "tail\udcff")


def balanced(formula_: str) -> bool:
    """Whether every brace closes, those that are escaped aside."""
    bare = re.sub(r"\\[{}\\]", "", formula_)
    depth = 0
    for each in bare:
        depth += {"{": 1, "}": -1}.get(each, 0)
        if depth < 0:
            return False
    return depth == 0


def unescaped(line: str) -> str:
    """What Markdown makes of escaped prose."""
    return re.sub(r"\\([\\`*_\[\]|~$#+>-])", r"\1", line).replace("&lt;", "<").replace("&amp;", "&")


@pytest.mark.parametrize("name", HOSTILE)
def test_prose_and_code_give_the_name_back(name: str) -> None:
    flat = " ".join(printable(name).split())
    assert unescaped(prose(flat)) == flat
    assert not re.search(r"(?<!\\)[|`$*_\[]", re.sub(r"\\\\", "", prose(flat)))
    assert "<" not in prose(flat)
    shown = code(flat)
    fence = re.match("`+", shown)
    assert fence is not None
    assert shown.endswith(fence[0])
    assert flat in shown
    block = fenced(f"{flat}\n```\nx")
    assert block.count(f"\n{block[: len(re.match('`+', block)[0])]}") == 1  # pyright: ignore[reportOptionalSubscript]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_in_a_formula_is_no_command(name: str) -> None:
    shown = latex_words(name)
    inside = shown.removeprefix(r"\mathrm{").removesuffix("}")
    assert balanced(shown)
    assert not re.search(r"(?<!\\)[$#%&_^~`<>]", inside)
    known = {"backslash", "wedge", "sim", "backprime", "lt", "gt"}
    assert set(re.findall(r"\\([A-Za-z]+)", inside)) <= known
    assert latex_words("LN") == r"\mathrm{LN}"


@pytest.mark.parametrize("name", HOSTILE)
def test_expressions_and_index_terms(name: str) -> None:
    h, w, v = Input("d"), Weight("d", "d", name="W_in"), Weight("d", "d", name="_")
    for f in (polynomial(0, 1, 1, name=name), generic(name)):
        unit = ResidualUnit(h + v @ f(w @ f(h)))
        plain, shown = text(unit.expression, unit.names), formula(latex(unit.expression, unit.names))
        assert "\n" not in plain
        assert plain.isprintable()
        assert shown.count("\n") == 2
        assert "operatorname" not in shown
        form = hessian_form(unit, generic_loss())
        for each in (shown, latex_sum(form.diagonal), latex_sum(form.cross)):
            assert balanced(each)
            assert not re.search(r"(?<!\\)[$#%&~<>]|`(?!`)(?<!``)(?!\w*$)", re.sub("```(math)?", "", each))


def generic_loss() -> Any:
    from resproof.architectures.losses import generic_loss as found

    return found


def test_a_name_before_a_sentence_is_code_and_the_rest_is_prose() -> None:
    assert named("a_1|b.py:x: W_1 >= 0", "a_1|b.py:x") == r"`a_1|b.py:x`: W\_1 >= 0"
    assert named("n-shortcut: a^T", "n-shortcut") == prose("n-shortcut: a^T")
    assert named("W_1 >= 0", "a") == prose("W_1 >= 0")


SOURCE = """
from resproof.architectures.activations import polynomial
from resproof.architectures.nodes import Input, Weight
h, W1, W_2 = Input("d"), Weight("d", "d"), Weight("d", "d")
block = h + W_2 @ polynomial(0, 1, 1, name={name!r})(W1 @ h)
"""


def status(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main([*arguments])
    assert isinstance(ended.value.code, int)
    return ended.value.code


@pytest.mark.parametrize("number", range(len(FOLDERS)))
def test_a_page_of_a_block_with_hostile_names(number: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import numpy as np

    folder, name = tmp_path / FOLDERS[number], HOSTILE[2 * number]
    folder.mkdir()
    target, data = folder / "my block's.py", folder / "x_1|$.npz"
    target.write_text(SOURCE.format(name=name), encoding="utf-8")
    x, y = np.random.default_rng(0).standard_normal((2, 3, 7))
    np.savez(data, X=x, Y=y)
    arguments = ("--depth", "3", "--out", str(tmp_path / "out"), "--data", str(data))
    assert status("check", f"{target}:block", *arguments, "--json", str(folder / "out.json")) == 0
    out, err = capsys.readouterr()
    assert err.count("\n") == 1
    assert "\x1b" not in out
    page = (tmp_path / "out" / "block.md").read_text(encoding="utf-8")
    assert page.startswith(f"# {prose(printable(f'{target}:block'))}\n")
    assert f"**{code(printable(f'{target}:block'))}: " in page
    assert r"x\_1\|\$.npz" in page
    record = json.loads((folder / "out.json").read_text(encoding="utf-8"))
    assert record["architecture"] == printable(f"{target}:block")
    assert record["data"]["name"] == "x_1|$.npz"
    rows = [line for line in page.splitlines() if line.startswith("|")]
    assert all(len(re.findall(r"(?<!\\)\|", row)) in {3, 4, 5, 6} for row in rows)
    assert page.count("```") % 2 == 0
    assert status("spectrum", f"{target}:block", "--units", "2", "--data", str(data)) == 0
    assert "x_1|$.npz" in capsys.readouterr().out


def test_two_blocks_with_one_name_have_two_pages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    told: list[str] = []
    for place in ("a", "b", "a", "c/../b", "c"):
        (tmp_path / place).mkdir(parents=True, exist_ok=True)
        (tmp_path / place / "blocks.py").write_text(SOURCE.format(name=place[-1]))
        assert status("check", f"{tmp_path / place}/blocks.py:block", "--set", "d=2", "--out", str(out)) == 0
        told.append(Path(capsys.readouterr().err.removesuffix(": written\n")).name)
    assert told == ["block.md", "blocks_block.md", "block.md", "blocks_block.md", "blocks_block_2.md"]
    (out / "two.md").write_text("own")
    (tmp_path / "a" / "blocks.py").write_text(SOURCE.format(name="f") + "two = block")
    assert status("check", f"{tmp_path}/a/blocks.py:two", "--set", "d=2", "--out", str(out)) == 0
    assert (out / "two.md").read_text() == "own"
    assert (out / "blocks_two.svg").exists()


def test_messages_are_short_and_on_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    long = "x" * 200
    deep = tmp_path
    for _ in range(4):
        deep /= long
    deep.mkdir(parents=True)
    (deep / "a.py").write_text(f"raise ValueError({long!r} * 9 + '\\n' + {long!r})")
    for arguments in (
        ("check", f"{deep}/a.py:block"),
        ("check", f"{deep}/none.py:block"),
        ("check", f"{deep}/a.py:block", "--data", f"{deep}/none.npz"),
        ("prove", "--only", long),
        ("prove", "--json", str(deep)),
        ("check", "x.py:b", "--require", long),
        ("report", "--device", long, "--out", str(deep)),
        (long,),
        ("prove", "--seed" + long),
    ):
        assert status(*arguments) == 2
        err = capsys.readouterr().err
        assert re.fullmatch(r"resproof: [^\n]+\n", err)
        assert len(err) <= 200
    with pytest.raises(ValueError, match="cannot be read") as caught:
        read_npz(deep / "none.npz")
    assert len(str(caught.value)) < 200


def test_shortening() -> None:
    assert shortened("abcdefghij", 7) == "ab...ij"
    assert one_line("a  b\n c") == "a b c"
    assert one_line(f"/tmp/{'x' * 300}: cannot be read", 60).endswith("xxx: cannot be read")
    assert len(one_line("word " * 100)) == len(one_line("w" * 1000)) == 180
    assert one_line("\x1b[31m \u202e \udcff") == r"\x1b[31m \u202e \udcff"
    assert str(ArchitectureError("x" * 1000)) == one_line("x" * 1000)
