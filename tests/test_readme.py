"""The README is checked against the program: its code runs, its commands parse, its excerpt is what the report says."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest
import typer

from resproof.cli import app
from resproof.proofs.registry import find
from resproof.proofs.results import VERDICTS
from resproof.proofs.statement import Context
from resproof.reporting.build import build
from resproof.reporting.markdown import outside_measured
from resproof.reporting.schema import ledger

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def commands() -> list[str]:
    """What stands after a prompt, without its comment."""
    lines = [line for block in blocks("console") for line in block.splitlines()]
    assert all(line.startswith("$ ") for line in lines)
    return [line.removeprefix("$ ").partition(" # ")[0].strip() for line in lines]


def test_every_python_block_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert len(blocks("python")) >= 3
    for block in blocks("python"):
        exec(compile(block, "README.md", "exec"), {})
    assert (tmp_path / "data.npz").exists()


@pytest.mark.parametrize("line", [line for line in commands() if line.startswith("resproof")])
def test_every_command_parses(line: str) -> None:
    name, *arguments = shlex.split(line)[1:]
    command = typer.main.get_command(app).commands[name]  # pyright: ignore[reportAttributeAccessIssue]
    given = command.make_context(name, arguments).params
    assert given


def test_the_commands_on_ones_own_block_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for block in blocks("python"):
        name = re.match(r"# (\S+\.py)\n", block)
        if name:
            (tmp_path / name[1]).write_text(block)
        else:
            exec(compile(block, "README.md", "exec"), {})
    lines = [line for line in commands() if line.startswith(("resproof spectrum", "resproof check"))]
    assert len(lines) == 3
    for line in lines:
        assert app(shlex.split(line)[1:], standalone_mode=False) == 0
        printed = capsys.readouterr().out
        assert "eigenvalue" in printed
        if line.startswith("resproof check"):
            shown = {" ".join(each.split()) for each in printed.splitlines()}
            assert {" ".join(each.split()) for block in blocks("text") for each in block.splitlines()} <= shown


@pytest.mark.parametrize("line", [line for line in commands() if line.startswith("make")])
def test_every_make_target_is_there(line: str) -> None:
    assert re.search(rf"^{line.split()[1]}:", (ROOT / "Makefile").read_text(), re.MULTILINE)


def test_every_command_and_option_named_is_there_and_every_command_is_named() -> None:
    table = dict(re.findall(r"^\| `resproof (\w+)` \| (.*) \|$", README, re.MULTILINE))
    known = typer.main.get_command(app).commands  # pyright: ignore[reportAttributeAccessIssue]
    assert list(table) == list(known)
    for name, text in table.items():
        options = {option for parameter in known[name].params for option in parameter.opts}
        assert set(re.findall(r"`(--\w+)`", text)) <= options


def test_every_verdict_is_explained_in_order() -> None:
    assert tuple(re.findall(r"^\| ([A-Z]+) \| [a-z]", README, re.MULTILINE)) == VERDICTS


def test_every_link_leads_somewhere() -> None:
    written = {"reports/REPORT.md", "reports/CATALOGUE.md", "reports/results.json"}  # by make report
    links = {link.partition("#")[0] for link in re.findall(r"\]\(([^)]+)\)", README)} - written
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


EXCERPT = re.compile(r"<!-- report: (\S+) (#+ [^\n]*) -->\n(.*?)<!-- end -->", re.DOTALL)


@pytest.mark.usefixtures("without_figures")
def test_the_excerpts_are_what_the_report_says(tmp_path: Path) -> None:
    assert len(EXCERPT.findall(README)) == 2
    assert with_excerpts(tmp_path) == README, "run python -m tests.test_readme"


def with_excerpts(folder: Path) -> str:
    """The README with its excerpts taken anew from a report of the statements that they are about."""
    named = [Path(page).stem for page, _, _ in EXCERPT.findall(README) if page.startswith("statements/")]
    chosen = find(with_all_they_use([*ledger().asked, *named]))
    _ = build(folder, [replace(one, evidence=()) for one in chosen], Context(), "cpu")

    def taken(match: re.Match[str]) -> str:
        page = outside_measured((folder / match[1]).read_text(encoding="utf-8")).splitlines()
        body = "\n".join(opening(page, match[2]))
        body = re.sub(r"\]\((?=statements/|papers/|results)", "](reports/", body)
        return f"<!-- report: {match[1]} {match[2]} -->\n\n{body}\n\n<!-- end -->"

    return EXCERPT.sub(taken, README)


def opening(report: list[str], heading: str) -> list[str]:
    """What stands below a heading, up to the first list, picture or next heading, as a quotation."""
    below = report[report.index(heading) + 2 :]
    until = next(n for n, line in enumerate(below) if re.match(r"- |\d+\. |#|!\[", line))
    return [f"> {line}".rstrip() for line in below[: until - 1]]


def with_all_they_use(ids: list[str]) -> list[str]:
    found: dict[str, None] = {}
    pending = list(ids)
    while pending:
        id_ = pending.pop()
        if id_ not in found:
            found[id_] = None
            pending += find([id_])[0].uses
    return list(found)


def test_length() -> None:
    assert README.count("\n") < 200


if __name__ == "__main__":
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as scratch:
        _ = (ROOT / "README.md").write_text(with_excerpts(Path(scratch)), encoding="utf-8")
