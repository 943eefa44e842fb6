"""Running experiments: each run once, kept as it ends, taken over by the next command; on processes and executors."""

from __future__ import annotations

import gzip
import json
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from resproof.cli import main
from resproof.numeric.data import DataError
from resproof.numeric.training.networks import NO_JAX
from resproof.proofs.experiment import Experiment
from resproof.proofs.experiments import experiments, find_experiments
from resproof.proofs.statement import Data
from resproof.reporting import experiment_records
from resproof.reporting.cluster import ClusterError, cluster
from resproof.reporting.experiment_records import EXPERIMENT_RESULTS, experiment_results, folder_of, result_in
from resproof.reporting.figures.experiments.every import FIGURES, experiment_figures
from resproof.reporting.image_data import read_images
from resproof.reporting.progress import Watch
from resproof.reporting.reproduce import plan, reproduce, told
from resproof.reporting.schema import ledger
from tests.proofs.ideal_runs import ideal
from tests.reports.sweep_calls import logged, toy_experiment

DATA = Data(np.zeros((2, 3)), np.zeros((2, 3)), "zeros")


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A scheduler that does not answer at once is none."""
    monkeypatch.setattr("resproof.reporting.cluster.PATIENCE", 0.3)


def test_runs_are_made_once_and_kept(tmp_path: Path) -> None:
    toy = toy_experiment(tmp_path)
    (result,) = reproduce(plan([toy], "default", DATA, tmp_path))
    assert result.judged.verdict == "OBSERVED"
    assert logged(tmp_path) == [0, 1, 2, 3]
    (again,) = reproduce(plan([toy], "default", DATA, tmp_path))
    assert again.judged == result.judged
    assert logged(tmp_path) == [0, 1, 2, 3]
    assert next(told([again])).startswith("OBSERVED     T-1    Squares")
    record = json.loads((tmp_path / "default" / "squares" / "run-3.json").read_text())
    assert record["found"] == {"square": 9.0}
    assert {"code", "data_sha256", "date", "machine", "parameters", "seconds"} <= set(record)


def test_a_record_says_by_what_networks_were_trained(tmp_path: Path) -> None:
    jax = pytest.importorskip("jax", reason="the extra `experiments` is not installed")
    (result,) = reproduce(plan([toy_experiment(tmp_path)], "default", DATA, tmp_path))
    assert f"jax {jax.__version__}" in result.made
    assert not result.earlier
    (before,) = find_experiments(["DR-F3"])
    assert experiment_results([before])["DR-F3"].earlier


def test_without_jax_the_command_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("resproof.reporting.reproduce.find_spec", lambda _: None)
    with pytest.raises(SystemExit) as ended:
        main(["reproduce", "--only", "DR-F4", "--out", str(tmp_path)])
    assert ended.value.code == 2
    assert capsys.readouterr().err == f"resproof: {NO_JAX}\n"
    toy = toy_experiment(tmp_path)
    assert plan([replace(toy, sweep=replace(toy.sweep, trained=False))], "default", DATA, tmp_path).tasks


def test_data_are_the_same_whatever_machine_has_rounded_them() -> None:
    x, y = np.random.default_rng(1).normal(size=(2, 10, 200))
    same = Data(x * (1 + 2.0**-51), y, "rounded otherwise")
    other = Data(np.where(x == x.max(), 1.001 * x, x), y, "other")
    hashes = [experiment_records.data_hash(each) for each in (Data(x, y, "data"), same, other)]
    assert hashes[0] == hashes[1] != hashes[2]


@pytest.mark.parametrize(
    ("damage", "made"),
    [
        (lambda path: path.unlink(), [1]),
        (lambda path: path.write_text("{"), [1]),
        (lambda path: path.write_text(path.read_text().replace('"code":"', '"code":"0')), []),
        (lambda path: path.write_text(path.read_text().replace('"x":1', '"x":7')), [1]),
        (lambda path: None, []),
    ],
)
def test_only_what_is_missing_damaged_or_stale_is_run_again(tmp_path: Path, damage: Any, made: list[int]) -> None:
    toy = toy_experiment(tmp_path)
    _ = reproduce(plan([toy], "default", DATA, tmp_path))
    (tmp_path / "log").unlink()
    damage(tmp_path / "default" / "squares" / "run-1.json")
    _ = reproduce(plan([toy], "default", DATA, tmp_path))
    assert logged(tmp_path) == made


def test_other_data_are_run_anew(tmp_path: Path) -> None:
    toy = toy_experiment(tmp_path)
    _ = reproduce(plan([toy], "default", DATA, tmp_path))
    (result,) = reproduce(plan([toy], "default", DATA._replace(X=np.ones((2, 3))), tmp_path))
    assert logged(tmp_path) == [0, 0, 1, 1, 2, 2, 3, 3]
    assert result.judged.verdict == "NOT OBSERVED"
    assert plan([toy], "default", DATA, tmp_path, "a/b c").folder == tmp_path / "default-a-b-c"


def test_a_sweep_that_broke_goes_on_where_it_stopped(tmp_path: Path) -> None:
    flag = tmp_path / "bad"
    flag.touch()
    toy = toy_experiment(tmp_path, bad=str(flag))
    good = replace(toy, sweep=replace(toy.sweep, runs=lambda scale: _only_last_is_bad(toy.sweep.runs(scale))))
    with pytest.raises(ArithmeticError, match="the run broke"):
        _ = reproduce(plan([good], "default", DATA, tmp_path))
    assert logged(tmp_path) == [0, 1, 2]
    assert result_in(folder_of(tmp_path, "default"), good, "default") is None
    flag.unlink()
    (result,) = reproduce(plan([good], "default", DATA, tmp_path))
    assert result.judged.verdict == "OBSERVED"
    assert logged(tmp_path) == [0, 1, 2, 3]


def test_what_is_interrupted_says_what_is_kept(tmp_path: Path) -> None:
    def interrupt(key: str) -> None:
        if key.endswith("run-2"):
            raise KeyboardInterrupt

    toy = toy_experiment(tmp_path)
    with pytest.raises(KeyboardInterrupt) as stopped:
        _ = reproduce(plan([toy], "default", DATA, tmp_path), watch=Watch(interrupt))
    assert stopped.value.__notes__ == ["2 of 4 runs are kept: the same command goes on from there"]
    assert [task.run for task in plan([toy], "default", DATA, tmp_path).tasks] == ["run-2", "run-3"]


def _only_last_is_bad(runs: Any) -> dict[str, Any]:
    return {name: run if run["x"] == 3 else {**run, "bad": ""} for name, run in runs.items()}


def test_experiments_on_images_are_left_out_where_there_are_none(tmp_path: Path) -> None:
    toy = toy_experiment(tmp_path)
    other = replace(toy, id="T-2", sweep=replace(toy.sweep, images=True))
    assert plan([toy, other], "default", DATA, tmp_path).experiments == (toy,)
    with_images = DATA._replace(images=np.ones((3, 1, 2, 2)))
    assert plan([toy, other], "default", with_images, tmp_path).experiments == (toy, other)
    with pytest.raises(DataError, match=r"T-2: .* has no square images"):
        _ = plan([other], "default", DATA, tmp_path)


def test_experiments_share_the_runs_of_a_sweep(tmp_path: Path) -> None:
    toy = toy_experiment(tmp_path)
    found = reproduce(plan([toy, replace(toy, id="T-2")], "default", DATA, tmp_path), jobs=2)
    assert [one.id for one in found] == ["T-1", "T-2"]
    assert logged(tmp_path) == [0, 1, 2, 3]


def test_on_an_executor(tmp_path: Path) -> None:
    toy = toy_experiment(tmp_path)
    with ThreadPoolExecutor(2) as executor:
        (result,) = reproduce(plan([toy], "default", DATA, tmp_path), executor=executor)
    assert result.judged.verdict == "OBSERVED"
    assert logged(tmp_path) == [0, 1, 2, 3]


def test_on_a_cluster_that_loses_a_worker(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
    toy = toy_experiment(tmp_path, count=8, slow=0.2, dies=4, once=str(tmp_path / "died"))
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50, processes=True
        ) as local,
        cluster(local.scheduler_address) as executor,
    ):
        (result,) = reproduce(plan([toy], "default", DATA, tmp_path), executor=executor)
    assert result.judged.verdict == "OBSERVED"
    assert (tmp_path / "died").exists()
    assert [one.found for one in result.records.values()] == [{"square": float(x * x)} for x in range(8)]
    made = logged(tmp_path)
    assert set(made) == set(range(8))
    assert made.count(4) == 1
    (tmp_path / "log").unlink()
    assert not plan([toy], "default", DATA, tmp_path).tasks


def test_statements_on_a_cluster(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    distributed = pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
    only = ["--only", "DR-T2.2c", "--only", "EX-8"]
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50, processes=True
    ) as local:
        told = list[str]()
        for where in ([], ["--scheduler", local.scheduler_address]):
            with pytest.raises(SystemExit) as ended:
                main(["prove", *only, *where])
            assert ended.value.code == 0
            told.append(capsys.readouterr().out)
        with pytest.raises(SystemExit) as ended:
            main(["report", "examples/rezero.py", "--out", str(tmp_path), "--scheduler", local.scheduler_address])
    assert ended.value.code == 0
    assert (tmp_path / "REPORT.md").is_file()
    assert _without_seconds(told[0]) == _without_seconds(told[1])


def _without_seconds(text: str) -> str:
    return re.sub(r"[\d.]+ m?s\b", "", text)


@pytest.mark.usefixtures("impatient")
def test_without_a_cluster() -> None:
    with pytest.raises(ClusterError, match=r"not installed|no scheduler answers"), cluster("tcp://127.0.0.1:9"):
        pass


def test_the_page_of_a_run_at_the_papers_sizes_says_so() -> None:
    (one,) = find_experiments(["DR-F8"])
    data, found = DATA._replace(X=np.ones((2, 3))), ideal(one, "paper")
    runs = one.sweep.runs("paper")
    records = {
        name: experiment_records.record_of(one.sweep, name, dict(run), data, dict(found[name].found), 1.0, {})
        for name, run in runs.items()
    }
    paper = experiment_records.ExperimentResult(one, "paper", records)
    assert paper.sizes == "layers 4, 8, 16, 32, 64; epochs 1000; seeds 10; every 1"
    assert not paper.stale


# Files of images.


def idx(array: np.ndarray) -> bytes:
    shape = b"".join(size.to_bytes(4, "big") for size in array.shape)
    return bytes([0, 0, 8, array.ndim]) + shape + array.astype(np.uint8).tobytes()


def images() -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(0)
    return generator.integers(0, 256, (60, 4, 4)), np.arange(60) % 10


def test_images_in_every_format(tmp_path: Path) -> None:
    pictures, labels = images()
    (tmp_path / "train-images-idx3-ubyte.gz").write_bytes(gzip.compress(idx(pictures)))
    (tmp_path / "train-labels-idx1-ubyte.gz").write_bytes(gzip.compress(idx(labels)))
    np.savez(tmp_path / "mnist.npz", x_train=pictures, y_train=labels, x_test=pictures)
    one = read_images(tmp_path)
    np.testing.assert_allclose(one.X @ one.X.T / 60, np.eye(10), atol=1e-12)
    np.testing.assert_array_equal(np.argmax(one.Y, axis=0), labels)
    for path in ("train-images-idx3-ubyte.gz", "mnist.npz"):
        np.testing.assert_array_equal(read_images(tmp_path / path).X, one.X)
    np.savez(tmp_path / "own.npz", X=one.X, Y=one.Y)
    np.testing.assert_array_equal(read_images(tmp_path / "own.npz").X, one.X)


def _bad_files(tmp_path: Path) -> dict[str, Path]:
    pictures, labels = images()
    np.savez(tmp_path / "many.npz", x_train=pictures, y_train=labels + 5)
    np.savez(tmp_path / "few.npz", x_train=pictures, y_train=labels[:-1])
    np.savez(tmp_path / "other.npz", a=pictures)
    np.savez(tmp_path / "flat.npz", x_train=np.zeros((20, 4, 4)), y_train=np.arange(20) % 10)
    for name, content in {
        "images-short": idx(pictures)[:-1],
        "images-text": b"hello",
        "images-alone": idx(pictures),
        "images-damaged.gz": gzip.compress(idx(pictures))[:-9],
        "labels-only": idx(labels),
    }.items():
        (tmp_path / name).write_bytes(content)
    return {path.name: path for path in tmp_path.iterdir()} | {"": tmp_path, "nowhere": tmp_path / "nowhere"}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("many.npz", "labels other than 0 to 9"),
        ("few.npz", "a label for each image"),
        ("other.npz", "has no X"),
        ("flat.npz", "expected 10 components"),
        ("images-short", "asks for 960 bytes and it has 959"),
        ("images-text", "is no IDX file"),
        ("images-alone", "cannot be read"),
        ("images-damaged.gz", "cannot be read"),
        ("labels-only", "expected IDX images"),
        ("", "has no train-images"),
        ("nowhere", "cannot be read"),
    ],
)
def test_bad_files(tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        _ = read_images(_bad_files(tmp_path)[name])


# The command.


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "DR-F44"], "unknown experiment 'DR-F44'; did you mean DR-F4"),
        (["--data", "nowhere.npz"], "nowhere.npz: cannot be read"),
        (["--jobs", "0"], "expected a whole number"),
        (["--only", "DR-F4", "--scheduler", "tcp://127.0.0.1:9"], "--scheduler: "),
        (["--only", "DR-F4", "--scheduler", "nowhere"], "--scheduler nowhere: has no port"),
    ],
)
def test_wrong_use_is_one_line_and_status_2(
    tmp_path: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["reproduce", *arguments, "--out", str(tmp_path / "out")])
    assert ended.value.code == 2
    out, err = capsys.readouterr()
    assert not out
    assert message in err
    assert err.count("\n") == 1
    assert not list(tmp_path.rglob("*.json"))


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("command", ["prove", "report"])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [([], "--scheduler: "), (["--timeout", "5"], "--timeout with --scheduler; expected one of them")],
)
def test_statements_without_a_cluster(
    tmp_path: Path, command: str, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [command, "examples/rezero.py", "--scheduler", "tcp://127.0.0.1:9", *arguments]
    with pytest.raises(SystemExit) as ended:
        main([*given, *(["--out", str(tmp_path / "out")] if command == "report" else [])])
    assert ended.value.code == 2
    out, err = capsys.readouterr()
    assert not out
    assert message in err
    assert err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_the_command_tells_verdicts_and_runs_nothing_twice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    toy = toy_experiment(tmp_path)
    monkeypatch.setattr("resproof.proofs.experiments.experiments", lambda: (toy,))
    for _ in range(2):
        with pytest.raises(SystemExit) as ended:
            main(["reproduce", "--out", str(tmp_path)])
        assert ended.value.code == 0
        out, err = capsys.readouterr()
        assert not err  # no terminal
        assert out.splitlines()[0].startswith(("NOT OBSERVED T-1", "OBSERVED"))
    assert logged(tmp_path) == [0, 1, 2, 3]


# What the report shows.


def test_every_experiment_is_in_the_ledger_and_has_a_figure() -> None:
    listed = {entry.id for entry in ledger().entries if entry.experiment}
    assert {one.id for one in experiments()} == set(FIGURES) <= listed


def test_the_committed_runs_have_verdicts_and_todays_parameters() -> None:
    found = experiment_results(experiments(), EXPERIMENT_RESULTS)
    assert set(found) == {one.id for one in experiments()}
    for one in found.values():
        assert one.judged.verdict in {"OBSERVED", "NOT OBSERVED"}, one.judged.accepted
        assert not one.stale, f"{one.id}: run `resproof reproduce --only {one.id}`"


def test_figures_are_drawn_from_the_runs_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(experiment_records.ExperimentResult, "runs", property(lambda one: ideal(one.experiment)))
    results: Any = {one.id: experiment_records.ExperimentResult(one, "default", {}) for one in experiments()}
    drawn = experiment_figures(results)
    assert set(drawn) == {one.file for one in FIGURES.values()}
    assert all("<svg" in text and "nan" not in text for text in drawn.values())
    again = experiment_figures({"DR-F4": results["DR-F4"]})
    assert again.items() <= drawn.items()


@pytest.mark.parametrize("one", experiments(), ids=lambda one: one.id)
def test_the_figure_of_the_committed_runs_is_drawn(one: Experiment) -> None:
    drawn = experiment_figures(experiment_results([one]))
    assert set(drawn) == {FIGURES[one.id].file}
    assert all("<svg" in text and "nan" not in text for text in drawn.values())
