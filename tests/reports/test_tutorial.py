"""The tutorial: its files are written, its commands run, and every line it quotes is printed."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from resproof.cli import main

TUTORIAL = (Path(__file__).parents[2] / "reports" / "TUTORIAL.md").read_text(encoding="utf-8")
SECTIONS = re.split(r"^(?=## )", TUTORIAL, flags=re.MULTILINE)
TORCH = next(one for one in SECTIONS if one.startswith("## A transformer and a convolutional network"))
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def normal(line: str) -> str:
    return " ".join(line.split())


def run(command: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    words, _, comment = command.removeprefix("$ resproof ").partition("#")
    with pytest.raises(SystemExit) as ended:
        main(shlex.split(words))
    assert ended.value.code == (1 if "exit status 1" in comment else 0)
    return [normal(line) for line in capsys.readouterr().out.splitlines()]


def quoted_lines(text: str, capsys: pytest.CaptureFixture[str]) -> int:
    """How many lines are quoted: its files are written, its commands run, and each line is compared."""
    printed, quoted = list[str](), 0
    for language, body in FENCE.findall(text):
        if language == "python":
            Path(body.partition("\n")[0].removeprefix("# ")).write_text(body)
        elif language == "console":
            printed = run(body.strip(), capsys)
        elif language == "text":
            for line in body.splitlines():
                assert normal(line) in printed
                quoted += 1
    return quoted


def test_the_tutorial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    np.savez("data.npz", X=np.random.default_rng(0).standard_normal((3, 20)), Y=np.arange(20) % 3)
    assert quoted_lines("".join(one for one in SECTIONS if one != TORCH), capsys) > 15
    assert (tmp_path / "page" / "block.svg").exists()
    assert (tmp_path / "result.json").exists()
    for name in ("gated", "scaled", "centred", "test_blocks"):
        compile((tmp_path / f"{name}.py").read_text(), name, "exec")


@pytest.mark.filterwarnings("ignore")
def test_its_torch_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch", reason="the extra `torch` is not installed")
    monkeypatch.chdir(tmp_path)
    assert quoted_lines(TORCH, capsys) == 10


def test_every_link_leads_somewhere() -> None:
    written = {"REPORT.md", "CATALOGUE.md"}
    links = {link.partition("#")[0] for link in re.findall(r"\]\(([^)]+)\)", TUTORIAL)} - written
    assert [link for link in links if not (Path(__file__).parents[2] / "reports" / link).exists()] == []
