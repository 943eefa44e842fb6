"""Figures: drawn from the results alone, the same bytes every time, and left out where there is nothing to draw."""

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from resproof.proofs.experiments import experiments
from resproof.proofs.figures import figure_data
from resproof.proofs.registry import statements
from resproof.proofs.statement import Context, Data
from resproof.reporting.experiment_records import experiment_results
from resproof.reporting.figures.counterexamples import files, pictures
from resproof.reporting.figures.every import captions, figures
from resproof.reporting.figures.experiments.every import FIGURES
from resproof.reporting.figures.panels import Area, Line, Panel, Picture, Words, drawn, predicted
from resproof.reporting.markdown import with_formulas
from resproof.reporting.schema import Results
from resproof.reporting.verdict_bars import FILE, verdict_bars
from tests.proofs.test_pictures import offered

REPORTS = Path(__file__).parents[2] / "reports"
FILES = {
    *("blocks.svg", "condition.svg", "spectrum.svg", "error.svg"),
    *("deep.svg", "growth.svg", "hidden.svg", "norms.svg", "slices.svg", "sphere.svg"),
}


@pytest.fixture(scope="module")
def committed() -> Results:
    return Results.model_validate_json((REPORTS / "results.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def svgs(results: Results) -> dict[str, str]:
    return figures(results)


def test_a_panel_has_what_is_described() -> None:
    marks = [
        Line(x=[1, 2], y=[1, None], label="seen", dash="", marker="o"),
        predicted(y=3, label="theory"),
        Line(x=4, label="then"),
        Area(x=[1, 2, 2], y=[1, 1, 2], label="between"),
        Words(1, 1, "here"),
    ]
    beside = Panel([Line(x=[1], y=[9], label="aside")], {"ylabel": "other"})
    figure = drawn(Picture((4.0, 3.0), [Panel(marks, {"yscale": "log", "xticks": [1, 2]}, "best", beside)], below=2))
    axes, other = figure.axes
    for legend in (axes.get_legend(), figure.legends[0]):
        assert legend
        told = {text.get_text() for text in legend.get_texts()}
        assert told == {"seen", "theory", "then", "between", "aside"}
    assert (axes.get_yscale(), other.get_ylabel()) == ("log", "other")
    assert [text.get_text() for text in (*axes.get_xticklabels(), *axes.texts)] == ["1", "2", "here"]
    assert np.isnan(np.asarray(axes.lines[0].get_ydata())).tolist() == [False, True]


def test_every_figure_is_drawn_and_written(svgs: dict[str, str], folder: Path, results: Results) -> None:
    assert set(svgs) == FILES
    written = {path.name: path.read_text() for path in (folder / "figures").iterdir()}
    observed = {FIGURES[id_].file for id_ in experiment_results(experiments())}
    assert {name: svg for name, svg in written.items() if name not in observed} == {
        **svgs,
        FILE: verdict_bars(results),
    }
    assert observed <= set(written)


def test_two_runs_equal_bytes(folder: Path, svgs: dict[str, str]) -> None:
    script = (
        "import sys; from pathlib import Path\n"
        "from resproof.reporting.figures.every import figures; from resproof.reporting.schema import Results\n"
        "found = Results.model_validate_json(Path(sys.argv[1]).read_text())\n"
        "for name, svg in figures(found).items(): print(name); print(svg, end='')"
    )
    command = [sys.executable, "-c", script, str(folder / "results.json")]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONHASHSEED": "7"}
    )
    assert done.stdout == "".join(f"{name}\n{svg}" for name, svg in svgs.items())


def test_the_committed_figures_are_those_of_the_committed_results(committed: Results) -> None:
    of_counterexamples = pictures(committed)
    for path, svg in {**{Path(name): svg for name, svg in figures(committed).items()}, **of_counterexamples}.items():
        assert (REPORTS / "figures" / path).read_text(encoding="utf-8") == svg, path
        tags = {element.tag.rpartition("}")[2] for element in ElementTree.fromstring(svg).iter()}
        assert not tags & {"text", "image", "date", "creator"}
        assert "Matplotlib" not in svg
        assert "fill: #ffffff" in svg
    there = {path.name for path in (REPORTS / "figures/counterexamples").iterdir()}
    assert there == {path.name for path in of_counterexamples}


def test_the_report_shows_each_with_a_caption(report: str, results: Results) -> None:
    told = captions(results)
    assert {one.file for one in told} == FILES
    for one in told:
        assert f"](../figures/{one.file})" in report
        assert one.text
        assert one.source


def test_counterexamples_are_shown_with_what_one_sees(committed: Results) -> None:
    found = {one.sentence: one for statement in statements() for one in offered(statement.claims)}
    assert {sentence: one for sentence, (_, one) in files(committed).items()} == {
        sentence: one.picture(one.instance) for sentence, one in found.items() if one.picture
    }
    pages = [path.read_text(encoding="utf-8") for path in (REPORTS / "statements").iterdir()]
    for path, one in files(committed).values():
        shown = [page for page in pages if f"](../figures/{path.as_posix()})" in page]
        assert shown, path
        assert all(f"*{with_formulas(one.sees)}*" in page for page in shown)


@pytest.mark.parametrize(
    ("x", "y"),
    [
        (np.ones((2, 3)), np.zeros((2, 3))),
        (np.ones((2, 3)), np.ones((2, 3))),
        (np.zeros((1, 1)), np.zeros((1, 1))),
        (np.ones((60, 2)), np.zeros((60, 2))),
    ],
    ids=["singular", "nothing to learn", "no data to speak of", "too wide"],
)
def test_data_without_a_condition_number(results: Results, x: np.ndarray, y: np.ndarray) -> None:
    measured = figure_data(Context(load=lambda: Data(x, y, "own")))
    found = results.model_copy(update={"figures": measured})
    shown = set(figures(found))
    assert shown == {one.file for one in captions(found)} <= FILES
    assert "blocks.svg" in shown
