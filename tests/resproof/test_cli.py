"""The command line: exit statuses, one line for every wrong use, and what is imported."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from resproof.cli import main
from resproof.proofs.figures import no_figures
from resproof.reporting.schema import Proved
from tests.proofs.toys import TOYS, table_of
from tests.reports.conftest import WRITTEN

GOOD = tuple(one for one in TOYS if one.id not in {"T-failed", "T-error"})


@pytest.fixture(autouse=True)
def toys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("resproof.proofs.registry.statements", lambda: TOYS)
    monkeypatch.setattr("resproof.proofs.registry.table", lambda: table_of(TOYS))
    monkeypatch.setattr("resproof.reporting.build.entries", lambda *_: ())
    monkeypatch.setattr("resproof.reporting.build.experiment_figures", lambda _: {})


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """A report without figures."""
    monkeypatch.setattr("resproof.reporting.build.figure_data", no_figures)
    monkeypatch.setattr("resproof.reporting.build._drawn", lambda _: {})


def status(*arguments: str | Path) -> int:
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    assert isinstance(ended.value.code, int)
    return ended.value.code


class TestProve:
    def test_one(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert status("prove", "--only", "T-proved") == 0
        out, err = capsys.readouterr()
        assert out.startswith("PROVED   T-proved")
        assert "for all R, d" in out
        assert not err

    def test_a_failure_is_status_1(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert status("prove", "--only", "T-failed", "--only", "T-proved") == 1
        assert "computed 4; claimed 5" in capsys.readouterr().out

    def test_json_on_stdout_and_nothing_else(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert status("prove", "--json", "-") == 1
        out, err = capsys.readouterr()
        assert [one.id for one in Proved.model_validate_json(out).statements] == [one.id for one in TOYS]
        assert err.startswith("resproof: T-error is ERROR (two units: ZeroDivisionError: 1/0 | 2)")

    def test_an_error_is_status_3(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert status("prove", "--only", "T-error", "--only", "T-proved") == 3
        assert "ERROR    T-error      Toy T-error: two units: ZeroDivisionError: 1/0 | 2" in capsys.readouterr().out

    def test_json_to_a_file(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert status("prove", "--only", "T-open", "--json", tmp_path / "new" / "out.json") == 0
        assert json.loads((tmp_path / "new" / "out.json").read_text())["statements"][0]["verdict"] == "OPEN"
        assert "OPEN" in capsys.readouterr().out


class TestReport:
    @pytest.mark.usefixtures("small_figures")
    def test_writes_both_files(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr("resproof.proofs.registry.statements", lambda: GOOD)
        assert status("report", "--out", tmp_path, "--seed", "3", "--device", "cpu", "--jobs", "1") == 0
        assert sorted(path.name for path in tmp_path.iterdir()) == WRITTEN
        results = json.loads((tmp_path / "results.json").read_text())
        assert (results["seed"], results["data"]["shape"]) == (3, [10, 1797])
        assert "1 PROVED" in capsys.readouterr().out

    @pytest.mark.usefixtures("undrawn")
    def test_a_failed_statement_is_status_1_and_still_reported(self, tmp_path: Path) -> None:
        assert status("report", "--out", tmp_path, "--seed", "3", "--device", "cpu", "--jobs", "1") == 1
        text = (tmp_path / "LIMITS.md").read_text()
        assert "](statements/T-failed.md) is FAILED: two units" in (tmp_path / "REPORT.md").read_text()
        assert "](statements/T-failed.md) is FAILED: two units" in text
        assert r"](statements/T-error.md) is ERROR: two units: ZeroDivisionError: 1/0 \| 2." in text
        assert "| ERROR | 1 | The program broke" in text

    @pytest.mark.usefixtures("undrawn")
    def test_data_of_ones_own(self, tmp_path: Path) -> None:
        np.savez(tmp_path / "own.npz", X=np.ones((2, 3)), Y=np.zeros((2, 3)))
        assert status("report", "--out", tmp_path / "out", "--data", tmp_path / "own.npz", "--jobs", "1") == 1
        assert "own.npz (2 x 3)" in (tmp_path / "out" / "LIMITS.md").read_text()

    def test_bad_data_leave_no_file(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        np.savez(tmp_path / "own.npz", X=np.ones((2, 3)))
        assert status("report", "--out", tmp_path / "out", "--data", tmp_path / "own.npz") == 2
        assert not (tmp_path / "out").exists()
        assert "has no Y" in capsys.readouterr().err


def test_without_arguments_it_helps(capsys: pytest.CaptureFixture[str]) -> None:
    assert status() == 0
    assert "Commands:" in capsys.readouterr().out


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("--version") == 0
    assert re.fullmatch(r"resproof \d+\.\d+\.\d+\n", capsys.readouterr().out)


def test_show(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("show", "T-repaired") == 0
    assert "What holds instead (PROVED)" in capsys.readouterr().out


def test_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("list") == 0
    assert capsys.readouterr().out.splitlines()[0] == "T-proved     Toy T-proved"


def test_list_with_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("list", "toy", "REPAIRED") == 0
    assert capsys.readouterr().out.splitlines() == ["T-repaired   Toy T-repaired"]


WRONG = {
    "an unknown command": (["repor"], "No such command 'repor'"),
    "an unknown option": (["prove", "--onyl", "x"], "No such option: --onyl"),
    "an option without its value": (["prove", "--only"], "requires an argument"),
    "an argument too many": (["show", "T-proved", "x.py", "y"], "unexpected extra argument"),
    "words that none says": (
        ["list", "toy", "xyzzy"],
        "no statement says toy and xyzzy; `resproof list` shows them all",
    ),
    "an unknown statement": (["prove", "--only", "T-prove"], "unknown statement 'T-prove'; did you mean T-proved"),
    "a negative seed": (["report", "--seed", "-1"], "'--seed'"),
    "a seed in words": (["report", "--seed", "one"], "'--seed'"),
    "no jobs": (["report", "--jobs", "0"], "'--jobs'"),
    "an unknown device": (["report", "--device", "tpu"], "device: 'tpu' is unknown; expected one of auto, cpu, cuda"),
    "no such data": (["report", "--out", "{tmp}/out", "--data", "{tmp}/no.npz"], "no.npz: cannot be read"),
    "a file for a folder": (["report", "--out", "{tmp}/file"], "file: cannot be written to"),
    "json under a file": (["prove", "--json", "{tmp}/file/x.json"], "file: cannot be written to"),
    "json onto a folder": (["prove", "--only", "T-open", "--json", "{tmp}"], "it is a folder"),
}


@pytest.mark.parametrize("case", WRONG.values(), ids=WRONG)
def test_wrong_use_is_one_line(case: tuple[list[str], str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments, message = case
    (tmp_path / "file").write_text("")
    assert status(*(argument.format(tmp=tmp_path) for argument in arguments)) == 2
    out, err = capsys.readouterr()
    assert not out
    assert message in err
    assert err.count("\n") == 1
    assert err.startswith("resproof: ")


def test_prove_imports_nothing_it_does_not_need() -> None:
    script = (
        "import sys, resproof.proofs.registry; resproof.proofs.registry.statements = lambda: ()\n"
        "from resproof.cli import main\n"
        "try: main(['prove'])\n"
        "except SystemExit: pass\n"
        "print({'numpy', 'sklearn', 'matplotlib', 'jinja2', 'rich'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n", done.stderr


def test_check_of_a_block_without_a_scale_imports_nothing_it_does_not_need(tmp_path: Path) -> None:
    (tmp_path / "block.py").write_text(
        "from resproof import Input, Weight, tanh\n"
        "h, W1, W2 = Input('d'), Weight('k', 'd'), Weight('d', 'k')\n"
        "block = h + W2 @ tanh(W1 @ h)\n"
    )
    script = (
        "import sys\n"
        "from resproof.cli import main\n"
        "try: main(['check', 'block.py:block', '--json', '-'])\n"
        "except SystemExit: pass\n"
        "print({'sympy', 'scipy', 'sklearn', 'matplotlib', 'jinja2', 'torch', 'jax'} & set(sys.modules))"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.endswith("}\nset()\n"), done.stderr


@pytest.mark.parametrize(
    ("words", "completed"), [("resproof sp", "spectrum"), ("resproof check --re", "--require"), ("resproof zz", "")]
)
def test_a_shell_completes_commands_and_options(words: str, completed: str) -> None:
    """As the script that --install-completion writes asks for it."""
    asked = {"_RESPROOF_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
    command = [sys.executable, "-c", "from resproof.cli import main; main()"]
    done = subprocess.run(command, env={**os.environ, **asked}, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, completed.split(), "")


def test_shells_complete_commands_options_and_ids() -> None:
    """The protocol of click: words and the place of the cursor in the environment, one candidate a line."""
    for words, expected in (
        ("resproof sp", {"spectrum"}),
        ("resproof check --req", {"--require"}),
        ("resproof prove --only DR-T2.2", {"DR-T2.2", "DR-T2.2c", "DR-T2.2e", "DR-T2.2n", "DR-T2.2s"}),
        ("resproof show GEN-1", {"GEN-1", "GEN-10", "GEN-11"}),
    ):
        place = {"COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
        asked = subprocess.run(
            [sys.executable, "-c", "from resproof.cli import main; main()"],
            env={**os.environ, **place, "_RESPROOF_COMPLETE": "complete_bash"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert expected <= set(asked.stdout.split()), asked.stderr
        assert all(one.startswith(words.split()[-1]) for one in asked.stdout.split())
