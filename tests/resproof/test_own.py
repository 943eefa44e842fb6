"""Statements of somebody's own: `new --paper`, `prove FILE.py` or an installed paper, `report`, and what is refused."""

import re
from pathlib import Path

import pytest

from resproof.cli import main
from resproof.proofs.own import statements_of


def status(*arguments: object) -> int:
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    assert isinstance(ended.value.code, int)
    return ended.value.code


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    assert status("new", tmp_path / "my_paper.py", "--paper") == 0
    return tmp_path / "my_paper.py"


def test_the_template_has_one_that_passes_and_one_to_mend(paper: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert status("prove", paper) == 1
    assert re.findall(r"^\w+ +[\w-]+", capsys.readouterr().out, re.MULTILINE) == ["PROVED   MY-1", "FAILED   MY-2"]
    assert status("prove", paper, "--only", "MY-1") == 0
    assert status("prove", paper, "--only", "DR-M1") == 2
    assert "unknown statement 'DR-M1'" in capsys.readouterr().err
    assert status("new", paper, "--paper") == 2
    assert "is there already" in capsys.readouterr().err
    paper.write_text(paper.read_text().replace("claim=scale(-1, eye(4))", "claim=eye(4)"))
    assert status("prove", paper, "--jobs", "2") == 0


def test_its_report_is_about_them_alone(paper: Path, tmp_path: Path) -> None:
    assert status("report", paper, "--out", tmp_path / "out", "--jobs", "1") == 1
    pages = {str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out").rglob("*.md")}
    assert pages == {"REPORT.md", "LIMITS.md", "papers/paper.md", "statements/MY-1.md", "statements/MY-2.md"}
    index = (tmp_path / "out" / "REPORT.md").read_text()
    assert r"[my\_paper.py](papers/paper.md)" in index
    assert "Theorem 2" not in index


def install(folder: Path, entry: str) -> None:
    """A package with statements, and what pip would write beside it."""
    (folder / "shipped.py").write_text("from tests.proofs.toys import TOYS\nSTATEMENTS = TOYS[:1]\nNONE = 3\n")
    (folder / "shipped-1.dist-info").mkdir()
    (folder / "shipped-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: shipped\nVersion: 1\n")
    (folder / "shipped-1.dist-info" / "entry_points.txt").write_text(f"[resproof.papers]\nshipped-paper = {entry}\n")


INSTALLED = {
    "shipped": "",
    "shipped:STATEMENTS": "",
    "shipped:NONE": "shipped-paper: has no STATEMENTS; expected a tuple of resproof.proofs.statement.Statement",
    "shipped:nothing": "shipped-paper: the entry point shipped:nothing fails: AttributeError",
    "not_there": "shipped-paper: the entry point not_there fails: ModuleNotFoundError",
}


@pytest.mark.parametrize("entry", INSTALLED)
@pytest.mark.parametrize("jobs", [1, 2])
def test_an_installed_paper(
    entry: str, jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install(tmp_path, entry)
    monkeypatch.syspath_prepend(tmp_path)
    statements_of.cache_clear()
    message = INSTALLED[entry]
    assert status("prove", "shipped-paper", "--jobs", jobs) == (2 if message else 0)
    out, err = capsys.readouterr()
    assert message in err
    assert out.startswith("" if message else "PROVED   T-proved")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1", "has no STATEMENTS; expected a tuple of resproof.proofs.statement.Statement"),
        ("STATEMENTS = ()", "has no STATEMENTS"),
        ("STATEMENTS = (3,)", "STATEMENTS holds an int"),
        ("STATEMENTS = 1 / 0", "fails with ZeroDivisionError: division by zero"),
        (
            "from resproof.proofs.statement import *\nSTATEMENTS = (Statement('../MY-1', '', None, 'So.'),)",
            "expected letters",
        ),
        ("from tests.proofs.toys import *\nSTATEMENTS = TOYS\nFREE = Scope.leaving_free('d')", "has 'leaving_free'"),
        ("from tests.proofs.toys import *\nSTATEMENTS = TOYS\nFREE = SOME.lifted('d', 1)", "has '.lifted('"),
        (
            "from tests.proofs.toys import *\nSTATEMENTS = (toy('T', evidence=(replace(floating, given=True),)),)",
            "evidence for T is `given`",
        ),
        (
            "from tests.proofs.toys import *\nSTATEMENTS = TOYS\nONE = lambda _: Computed(1 + 1, SOME)",
            "line 3: 1 + 1 with the sizes SOME; expected those of what it is made of",
        ),
        (
            "from tests.proofs.toys import *\nSTATEMENTS = (replace(TOYS[0], uses=('DR-T9',)),)",
            "uses 'DR-T9'; expected a statement of its own or of the papers",
        ),
        (
            "from tests.proofs.toys import *\nSTATEMENTS = (replace(TOYS[0], uses=('DR-T2.2', 'T-proved')),)",
            "T-proved uses T-proved; expected no circle",
        ),
        ("from tests.proofs.toys import TOYS\nSTATEMENTS = (TOYS[0], TOYS[0])", "the id T-proved is given twice"),
    ],
)
def test_what_is_none_is_refused(text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.py").write_text(text)
    assert status("prove", tmp_path / "bad.py") == 2
    out, err = capsys.readouterr()
    assert not out
    assert message in err
    assert err.count("\n") == 1


def test_a_statement_that_names_no_sizes_says_so(paper: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paper.write_text(paper.read_text().replace('for_all={"R": 1, "d": 1, "k": 1, "m": 1}', "for_all={}"))
    capsys.readouterr()
    assert status("prove", paper, "--only", "MY-1") == 0
    assert " for no sizes: it names none in for_all (" in capsys.readouterr().out
