"""Names that users give mean themselves wherever they stand: Markdown, tables, code, formulas, terminal, JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from resproof.architectures.activations import generic, polynomial
from resproof.architectures.errors import ArchitectureError, one_line, shortened
from resproof.architectures.forms.notation import latex_sum
from resproof.architectures.losses import generic_loss
from resproof.architectures.names import latex_words, printable
from resproof.architectures.nodes import Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.text import latex, text
from resproof.cli import main
from resproof.reporting.markdown import code, fenced, formula, named, prose
from resproof.symbolic.index.lift import hessian_form

HOSTILE = [
    *("a|b", "$x", "`", "```", r"\end{matrix}", r"\input{x}", "<script>", "<!--", "a_b*c~d", "[x](y)", "x^(2", "f'(0)"),
    *("%#&~{}", "caf\u00e9", "a\nb", "\x1b[31m", "\u202ereversed", ""),
]
FOLDERS = ("with space", "quo'te\"s", "new\nline", "\u00fcml\u00e4ut", "[red]", "a|b`c$d", "tail\udcff")
SOURCE = """
from resproof import Input, Weight
from resproof.activations import polynomial
h, W1, W_2 = Input("d"), Weight("d", "d"), Weight("d", "d")
block = h + W_2 @ polynomial(0, 1, 1, name={name!r})(W1 @ h)
"""


def status(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main([*arguments])
    assert isinstance(ended.value.code, int)
    return ended.value.code


def balanced(formula_: str) -> bool:
    """Whether every brace closes, those that are escaped aside."""
    bare = re.sub(r"\\[{}\\]|[^{}]", "", formula_)
    while "{}" in bare:
        bare = bare.replace("{}", "")
    return not bare


@pytest.mark.parametrize("name", HOSTILE)
def test_prose_and_code_give_the_name_back(name: str) -> None:
    flat = " ".join(printable(name).split())
    unescaped = re.sub(r"\\([\\`*_\[\]|~$#+>-])", r"\1", prose(flat)).replace("&lt;", "<").replace("&amp;", "&")
    assert unescaped == flat
    assert not re.search(r"(?<!\\)[|`$*_\[]|<", re.sub(r"\\\\", "", prose(flat)))
    (fence,) = re.findall("^`+", code(flat))
    assert flat in code(flat)
    assert code(flat).endswith(fence)
    (fence,) = re.findall("^`+", block := fenced(f"{flat}\n```\nx"))
    assert block.count(f"\n{fence}") == 1
    assert named(f"{flat} W_1 >= 0", "a") == prose(f"{flat} W_1 >= 0")


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_in_a_formula_is_no_command(name: str) -> None:
    shown = latex_words(name)
    inside = shown.removeprefix(r"\mathrm{").removesuffix("}")
    assert balanced(shown)
    assert not re.search(r"(?<!\\)[$#%&_^~`<>]", inside)
    assert {*re.findall(r"\\([A-Za-z]+)", inside)} <= {"backslash", "wedge", "sim", "backprime", "lt", "gt"}
    h, w, v = Input("d"), Weight("d", "d", name="W_in"), Weight("d", "d", name="_")
    for f in (polynomial(0, 1, 1, name=name), generic(name)):
        unit = ResidualUnit(h + v @ f(w @ f(h)))
        plain, shown = text(unit.expression, unit.names), formula(latex(unit.expression, unit.names))
        assert plain.isprintable()
        assert shown.count("\n") == 2
        assert "operatorname" not in shown
        form = hessian_form(unit, generic_loss)
        for each in (shown, latex_sum(form.diagonal), latex_sum(form.cross)):
            assert balanced(each)
            assert not re.search(r"(?<!\\)[$#%&~<>]|`(?!`)(?<!``)(?!\w*$)", re.sub("```(math)?", "", each))


@pytest.mark.parametrize("number", range(len(FOLDERS)))
def test_a_page_of_a_block_with_hostile_names(number: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, name = tmp_path / FOLDERS[number], HOSTILE[2 * number]
    folder.mkdir()
    target, data = folder / "my block's.py", folder / "x_1|$.npz"
    target.write_text(SOURCE.format(name=name), encoding="utf-8")
    x, y = np.random.default_rng(0).standard_normal((2, 3, 7))
    np.savez(data, X=x, Y=y)
    arguments = ("--depth", "3", "--out", f"{tmp_path}/out", "--data", str(data), "--json", f"{folder}/out.json")
    assert status("check", f"{target}:block", *arguments) == 0
    out, err = capsys.readouterr()
    assert (err.count("\n"), "\x1b" in out) == (1, False)
    page, shown = (tmp_path / "out" / "block.md").read_text(encoding="utf-8"), printable(f"{target}:block")
    assert page.startswith(f"# {prose(shown)}\n")
    assert f"**{code(shown)}: " in page
    assert r"x\_1\|\$.npz" in page
    assert page.count("```") % 2 == 0
    rows = [line for line in page.splitlines() if line.startswith("|")]
    assert all(len(re.findall(r"(?<!\\)\|", row)) in {3, 4, 5, 6} for row in rows)
    record = json.loads((folder / "out.json").read_text(encoding="utf-8"))
    assert (record["architecture"], record["data"]["name"]) == (shown, "x_1|$.npz")


def test_two_blocks_with_one_name_have_two_pages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "blocks_block_2.md").write_text("own")
    told: list[str] = []
    for place in ("a", "b", "a", "c/../b", "c"):
        (tmp_path / place).mkdir(parents=True, exist_ok=True)
        (tmp_path / place / "blocks.py").write_text(SOURCE.format(name=place[-1]))
        assert status("check", f"{tmp_path / place}/blocks.py:block", "--set", "d=2", "--out", f"{tmp_path}/out") == 0
        told.append(Path(capsys.readouterr().err.removesuffix(": written\n")).name)
    assert told == ["block.md", "blocks_block.md", "block.md", "blocks_block.md", "blocks_block_3.md"]
    assert (tmp_path / "out" / "blocks_block_2.md").read_text() == "own"


def test_messages_are_short_and_on_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    long = "x" * 200
    deep = tmp_path / long / long / long / long
    deep.mkdir(parents=True)
    (deep / "a.py").write_text(f"raise ValueError({long!r} * 9 + '\\n' + {long!r})")
    for command in (
        f"check {deep}/a.py:block",
        f"check {deep}/a.py:block --data {deep}/none.npz",
        f"prove --only {long}",
        f"prove --json {deep}",
        f"check x.py:b --require {long}",
        f"report --device {long} --out {deep}",
        long,
    ):
        assert status(*command.split()) == 2
        assert re.fullmatch(r"resproof: [^\n]{1,189}\n", capsys.readouterr().err)
    assert shortened("abcdefghij", 7) == "ab...ij"
    assert one_line(f"/tmp/{long * 2}: cannot be read", 60).endswith("xxx: cannot be read")
    assert len(one_line("word " * 100)) == len(one_line("w" * 1000)) == 180
    assert one_line("\x1b[31m \u202e \udcff\n c") == r"\x1b[31m \u202e \udcff c"
    assert str(ArchitectureError("x" * 1000)) == one_line("x" * 1000)
