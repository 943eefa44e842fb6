"""`python -m benchmarks.gpu` without a GPU: everything but the device itself, at the least sizes."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchmarks.gpu import checks, peers
from benchmarks.gpu.__main__ import main
from benchmarks.gpu.claims import KINDS, activations, changes, exchanged_rows, part, shortcut_unit
from benchmarks.gpu.machine import describe, slug
from benchmarks.gpu.run import RunState, dumped, finish, told
from benchmarks.gpu.setting import DeviceSetting, DeviceTask, EndRequested, Record, TimeUp, judged
from benchmarks.gpu.tasks import tasks
from benchmarks.gpu.times import _compared, against_ceilings, product_time, run_peer
from resproof.architectures.losses import squared
from resproof.numeric.backend import Device, device, ops
from resproof.numeric.network import arrangement
from resproof.numeric.network.fused import Fused
from resproof.numeric.network.kernel import can_be_written
from resproof.numeric.network.tape import is_known
from resproof.symbolic.index.claims import parse, vocabulary
from tests.numeric.cases import first_of
from tests.numeric.cuda_on_cpu import COMPILER, Emulator

ROOT = Path(__file__).parents[1]
ABSENT = ("sympy", "flint", "pydantic", "typer", "jinja2", "sklearn", "matplotlib", "array_api_compat")
BLOCKED = f"""
import runpy, sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {ABSENT!r}:
            raise ImportError(name + " is blocked")
sys.meta_path.insert(0, Blocked())
runpy.run_module("benchmarks.gpu", run_name="__main__", alter_sys=True)
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a tiny run where nothing is installed that a GPU machine may lack."""
    out = tmp_path_factory.mktemp("gpu")
    command = [sys.executable, "-c", BLOCKED, "--tiny", "--device", "cpu", "--no-peers", "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr + done.stdout
    (file,) = out.iterdir()
    assert done.stdout.splitlines()[-1] == str(file)
    return file


@pytest.fixture
def setting() -> DeviceSetting:
    generator = np.random.default_rng(3)
    digits = generator.standard_normal((3, 11)), generator.standard_normal((3, 11))
    return DeviceSetting(device("cpu"), 2**28, digits, "test")


def test_every_check_passes_and_every_falsehood_is_rejected(ran: Path) -> None:
    found = json.loads(ran.read_text())
    checked = [one for one in found["records"] if one["kind"] == "check"]
    assert {one["status"] for one in checked} == {"passed"}
    assert {one["family"].partition(",")[0] for one in checked} == set(checks.CHECKS)
    for one in checked:
        assert one["value"] <= one["bound"]
        assert one["derivation"]
        assert one["neighbours"]
        assert all(wrong["rejected"] and wrong["value"] > wrong["bound"] for wrong in one["neighbours"])
    assert found["counts"] == {"measured": 7, "passed": len(checked)}


def test_the_file_says_what_it_was_measured_on(ran: Path) -> None:
    found = json.loads(ran.read_text())
    assert (found["schema_version"], found["program"], found["tiny"]) == (1, "benchmarks.gpu", True)
    assert set(found["sources"]) == {"numeric", "architectures"}
    machine = found["machine"]
    assert (machine["device"], machine["name"]) == ("cpu", "cpu")
    assert machine["packages"]["numpy"] == np.__version__
    assert ran.name == f"cpu-{found['date'][:10]}-tiny.json"


def test_times_come_with_counts_and_ceilings(ran: Path) -> None:
    found = {one["name"]: one for one in json.loads(ran.read_text())["records"]}
    ceilings = [one for one in found.values() if one["kind"] == "ceiling"]
    assert all(one["seconds"] > 0 for one in ceilings)
    assert len(ceilings) == 4
    product = found["time of H v, tanh, n = 2: units=5, d=3, m=11"]
    assert product["flops"] == 16 * 2 * 5 * 9 * 11
    assert 0 < product["flop_fraction"] < 1
    assert product["limit"]


def test_operations_of_a_product_are_counted(setting: DeviceSetting) -> None:
    """Forward over reverse written out for n = 2, linear, with a count of the products: the same H v, and 8 n R."""
    running = checks.DeviceNetwork(setting, 2, "linear", 5, 3, 11, at_zero=False)
    (x, y), w, v, count = running.xy, running.weights, running.direction, 0

    def mul(a: Any, b: Any) -> Any:
        nonlocal count
        count += 1
        return a @ b

    h, dh, kept = x, 0.0 * x, []
    for a, b, da, db in zip(w["W1"], w["W2"], v["W1"], v["W2"], strict=True):
        z, dz = mul(a, h), mul(da, h) + mul(a, dh)
        kept.append((h, dh, z, dz, a, b, da, db))
        h, dh = h + mul(b, z), dh + mul(db, z) + mul(b, dz)
    g, dg = (h - y) / x.shape[1], dh / x.shape[1]
    found: dict[str, list[Any]] = {"W1": [], "W2": []}
    for h, dh, z, dz, a, b, da, db in reversed(kept):
        found["W2"].append(mul(dg, z.T) + mul(g, dz.T))
        k, dk = mul(b.T, g), mul(db.T, g) + mul(b.T, dg)
        found["W1"].append(mul(dk, h.T) + mul(k, dh.T))
        g, dg = g + mul(a.T, k), dg + mul(da.T, k) + mul(a.T, dk)
    image = running.product(v)
    for name, parts in found.items():
        np.testing.assert_allclose(np.stack(parts[::-1]), image[name], rtol=0, atol=1e-14)
    assert count == 8 * 2 * 5


def test_which_limit_it_is(setting: DeviceSetting) -> None:
    assert against_ceilings(setting, 1.0, 1.0, 1.0)["limit"].startswith("unknown")
    setting.ceilings.update(flops=100.0, bytes=10.0, launch=0.01)
    assert against_ceilings(setting, 1.0, 50.0, 1.0)["limit"] == "arithmetic"
    assert against_ceilings(setting, 1.0, 50.0, 8.0)["limit"] == "memory"
    far = against_ceilings(setting, 1.0, 5.0, 0.5)
    assert far["limit"].startswith("neither")
    assert far["launches_in_that_time"] == 100


def test_a_mutated_form_is_rejected(setting: DeviceSetting, monkeypatch: pytest.MonkeyPatch) -> None:
    claim, wrong = checks.hessian_claims(2, "tanh")
    for name, other in wrong.items():
        monkeypatch.setattr(checks, "hessian_claims", lambda *_, other=other: (other, {"the form": claim}))
        found = checks.hessian_product(setting, 2, "tanh", 5, 3, 11)
        assert found["status"] == "failed", name
        assert found["value"] > found["bound"]


def test_a_mutated_form_is_rejected_modulo_a_prime(setting: DeviceSetting, monkeypatch: pytest.MonkeyPatch) -> None:
    claim, wrong = checks.modular_claims(3)
    for name, other in wrong.items():
        monkeypatch.setattr(checks, "modular_claims", lambda *_, other=other: (other, {"the form": claim}))
        found = checks.identity_modulo(setting, 3, 5, 3, 4)
        assert (found["status"], found["value"]) == ("failed", 6.0), name


@pytest.mark.parametrize("units", [50, 51, 800])
def test_a_neighbour_unit_is_as_far_off_at_every_depth(setting: DeviceSetting, units: int) -> None:
    found = checks.away_from_zero(setting, 1, "linear", units, 3, 11)
    apart = {one["name"]: one["value"] for one in found["neighbours"]}
    assert found["status"] == "passed"
    assert apart["that of the unit before"] > 0.2 * apart["the other sign"]


def test_an_accepted_falsehood_fails_the_check() -> None:
    assert judged(0.0, 1.0, "", {"a": (0.5, 1.0)}, "q")["status"] == "failed"
    assert judged(0.0, 1.0, "", {}, "q")["status"] == "failed"
    assert judged(float("nan"), 1.0, "", {"a": (2.0, 1.0)}, "q")["status"] == "failed"
    assert judged(0.0, 1.0, "", {"a": (2.0, 1.0)}, "q")["status"] == "passed"


@pytest.mark.parametrize("n", [1, 2, 3])
def test_falsehoods_differ_from_the_form(n: int) -> None:
    form = part(shortcut_unit(n, "generic"), max(n, 2))
    others = [change(form) for change in changes(n).values()]
    assert all(other != form for other in others)
    assert all(a != b for k, a in enumerate(others) for b in others[:k])


def test_m_transposed_as_printed() -> None:
    unit = shortcut_unit(2, "generic")
    known = vocabulary(unit, squared)
    transposed = "m^-1 * mid'(0) * post'(0) * g[j,u] * pre(X)[i,u] * dW2(1)[i,a] * dW1(1)[a,j]"
    assert exchanged_rows(part(unit, 2)) == parse(transposed, known)


def test_the_majorant_is_greater(setting: DeviceSetting) -> None:
    """No derivative of an activation is greater than the constant that stands for it."""
    z = np.linspace(-8.0, 8.0, 20001).reshape(1, -1)
    for name, slopes in checks.SLOPES.items():
        for f in {f for kind in KINDS for f in activations(kind) if f.name == name}:
            found = f.derivatives(setting.ops, z, 3)
            assert np.all(np.abs(found[0]) <= np.abs(f.derivatives(setting.ops, 0 * z, 0)[0]) + slopes[0] * np.abs(z))
            for k, bound in enumerate(slopes, start=1):
                assert np.max(np.abs(found[k])) <= bound, (name, k)


# Faults.


def test_no_gpu_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("resproof.numeric.backend._no_gpu", lambda: "there is no CUDA device")
    assert main(["--device", "cuda", "--tiny", "--out", str(tmp_path)]) == 2
    captured = capsys.readouterr()
    assert captured.err == (
        "benchmarks.gpu: device: cuda was asked for, but there is no CUDA device; expected cpu or auto here\n"
    )
    assert not captured.out
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--minutes", "0"], "--minutes is 0.0"),
        (["--minutes", "nan"], "--minutes is nan"),
        (["--memory", "0"], "--memory is 0"),
        (["--only", "no such task"], "--only is 'no such task'"),
        (["--data", "missing.npz"], "missing.npz"),
        (["--finish", "missing.jsonl"], "missing.jsonl"),
    ],
)
def test_wrong_use_is_one_line(
    arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--device", "cpu", "--tiny", "--out", str(tmp_path), *arguments]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("content", [b"no archive", b"PK\x03\x04 broken"])
def test_a_broken_data_file_is_one_line(content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "data.npz"
    file.write_bytes(content)
    assert main(["--device", "cpu", "--tiny", "--data", str(file), "--out", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_data_of_a_file_are_used(tmp_path: Path) -> None:
    file, out = tmp_path / "three.npz", tmp_path / "out"
    x = np.random.default_rng(5).standard_normal((3, 11))
    np.savez(file, X=x, Y=np.flip(x, axis=1))
    arguments = ["--tiny", "--device", "cpu", "--only", "H v, tanh, n = 2", "--no-peers"]
    assert main([*arguments, "--data", str(file), "--out", str(out)]) == 0
    (written,) = out.iterdir()
    assert json.loads(written.read_text())["data"] == "three"


def task(name: str, run: Callable[[DeviceSetting], Record], needs: int = 0, work: float = 1.0) -> DeviceTask:
    return DeviceTask(name, "check", {}, run, needs=needs, work=work)


def passed(_: DeviceSetting) -> Record:
    return judged(0.0, 1.0, "", {"a": (2.0, 1.0)}, "q")


def runner(setting: DeviceSetting, folder: Path, seconds: float = 60.0) -> RunState:
    lines = folder / "run.jsonl"
    lines.write_text(dumped({"program": "benchmarks.gpu", "schema_version": 1}) + "\n")
    return RunState(setting, time.monotonic() + seconds, lines, lambda _: None)


def test_an_interrupted_run_keeps_what_is_finished(setting: DeviceSetting, tmp_path: Path) -> None:
    def interrupt(_: DeviceSetting) -> Record:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(30)
        raise AssertionError

    before = signal.getsignal(signal.SIGTERM)
    run = runner(setting, tmp_path)
    begun = time.monotonic()
    run.all([task("first", passed), task("second", interrupt), task("third", passed)])
    assert time.monotonic() - begun < 10
    assert signal.getsignal(signal.SIGTERM) is before
    found = json.loads(finish(run.lines, interrupted=run.interrupted).read_text())
    told_of = [(one["name"], one["status"], one.get("reason")) for one in found["records"]]
    assert told_of == [
        ("first", "passed", None),
        ("second", "not run", "interrupted"),
        ("third", "not run", "interrupted"),
    ]
    assert found["interrupted"]
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


def test_an_interruption_between_tasks_loses_no_record(setting: DeviceSetting, tmp_path: Path) -> None:
    run = runner(setting, tmp_path)
    run.tell = lambda line: os.kill(os.getpid(), signal.SIGINT) if "first" in line else None
    run.all([task("first", passed), task("second", passed)])
    assert [(one["name"], one["status"]) for one in run.records] == [("first", "passed"), ("second", "not run")]


def test_a_killed_run_is_finished_from_its_lines(setting: DeviceSetting, tmp_path: Path) -> None:
    run = runner(setting, tmp_path)
    run.all([task("first", passed)])
    with run.lines.open("a") as file:
        file.write('{"name": "half of a li')
    assert main(["--finish", str(run.lines)]) == 0
    found = json.loads((tmp_path / "run.json").read_text())
    assert ([one["name"] for one in found["records"]], found["interrupted"]) == (["first"], True)


def test_too_little_memory_is_recorded_and_the_run_goes_on(setting: DeviceSetting, tmp_path: Path) -> None:
    def exhaust(_: DeviceSetting) -> Record:
        raise MemoryError("cannot allocate")

    run = runner(setting, tmp_path)
    run.all([task("large", passed, needs=2**40), task("larger than it looked", exhaust), task("small", passed)])
    assert [one["status"] for one in run.records] == ["out of memory", "out of memory", "passed"]
    assert run.records[0]["fits"] == 2**40
    assert run.records[1]["fits"] > setting.memory
    assert all("reason" in one for one in run.records[:2])


def test_little_memory_for_the_real_tasks(tmp_path: Path) -> None:
    arguments = ["--tiny", "--device", "cpu", "--only", "dense", "--no-peers", "--out", str(tmp_path)]
    assert main([*arguments, "--memory", "50000"]) == 0
    (written,) = tmp_path.iterdir()
    found = json.loads(written.read_text())["records"]
    assert {one["status"] for one in found} == {"out of memory"}
    assert all(one["fits"] > 50000 for one in found)


def test_what_does_not_fit_into_the_time_is_listed(setting: DeviceSetting, tmp_path: Path) -> None:
    def slow(_: DeviceSetting) -> Record:
        time.sleep(30)
        raise AssertionError

    run = runner(setting, tmp_path, seconds=0.3)
    run.seen["known"] = (3.0, 1.0)
    run.all([task("known", passed, work=100.0), task("slow", slow), task("late", passed)])
    assert [one["status"] for one in run.records] == ["not run"] * 3
    assert run.records[0]["reason"].startswith("100 s or more expected")
    assert run.records[1]["reason"].startswith("stopped")


def test_what_peers_take_predicts_nothing(setting: DeviceSetting, tmp_path: Path) -> None:
    run = runner(setting, tmp_path)
    run.all([task("time", lambda _: {"status": "measured", "seconds": 1e-3, "beside": 100.0})])
    assert run.expected(task("time", passed, work=10.0)) <= 0.0


def test_peers_come_last() -> None:
    every = tasks()
    beside = [one.name for one in every if one.family.startswith("H v beside peers")]
    assert [one.name for one in every][-len(beside) :] == beside
    assert [one.name for one in tasks(peers=False)] == [one.name for one in every][: -len(beside)]


def test_an_error_is_recorded_and_the_run_goes_on(setting: DeviceSetting, tmp_path: Path) -> None:
    def fail(_: DeviceSetting) -> Record:
        raise RuntimeError("a\nfault")

    run = runner(setting, tmp_path)
    run.all([task("wrong", fail), task("right", passed)])
    assert [(one["status"], one.get("reason")) for one in run.records] == [
        ("error", "RuntimeError: a fault"),
        ("passed", None),
    ]


def test_signals_are_no_ordinary_exceptions() -> None:
    assert not issubclass(TimeUp, Exception)
    assert not issubclass(EndRequested, Exception)


def test_numbers_that_are_not_finite_are_text() -> None:
    found: dict[str, Any] = {"a": float("inf"), "b": [float("nan"), -float("inf")], "c": np.float64(2.0)}
    assert json.loads(dumped(found)) == {"a": "Infinity", "b": ["NaN", "-Infinity"], "c": 2.0}


def test_the_device_is_described_and_its_memory_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is asked of CuPy beside arrays, on a stand-in that has exactly these functions."""
    asked: list[tuple[str, Any]] = []
    pool = SimpleNamespace(
        set_limit=lambda size: asked.append(("limit", size)), free_all_blocks=lambda: asked.append(("freed", None))
    )
    properties = {"name": b"STAND-IN 1", "major": 9, "minor": 0, "multiProcessorCount": 132}
    runtime = SimpleNamespace(
        getDeviceProperties=lambda number: properties if number == 0 else None,
        driverGetVersion=lambda: 13000,
        runtimeGetVersion=lambda: 12090,
        memGetInfo=lambda: (10**9, 2 * 10**9),
    )
    current = SimpleNamespace(id=0, synchronize=lambda: asked.append(("synchronised", None)))
    cuda = SimpleNamespace(runtime=runtime, Device=lambda: current)
    monkeypatch.setitem(
        sys.modules, "cupy", SimpleNamespace(cuda=cuda, get_default_memory_pool=lambda: pool, __version__="14.0.0")
    )
    monkeypatch.setattr("benchmarks.gpu.__main__.device", lambda _: Device("cuda", "cuda: STAND-IN", ops(np)))
    arguments = ["--tiny", "--device", "cuda", "--only", "H v, tanh, n = 2", "--no-peers", "--out", str(tmp_path)]
    assert main(arguments) == 0
    (written,) = tmp_path.iterdir()
    assert written.name.startswith("stand-in-1-")
    machine = json.loads(written.read_text())["machine"]
    assert (machine["driver"], machine["runtime"], machine["memory"]) == (13000, 12090, 2 * 10**9)
    assert machine["compute_capability"] == "9.0"
    assert asked[0] == ("limit", 8 * 10**8)
    assert {"synchronised", "freed"} <= {what for what, _ in asked}


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler to run the kernels with")
def test_the_checks_pass_through_the_kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    emulator = Emulator(tmp_path)
    monkeypatch.setattr(arrangement, "is_fused", lambda program: is_known(program) and can_be_written(program))
    monkeypatch.setattr(arrangement, "Fused", lambda run: Fused(run, emulator))
    out = tmp_path / "out"
    assert main(["--tiny", "--device", "cpu", "--only", ", tanh", "--no-peers", "--out", str(out)]) == 0
    (written,) = out.iterdir()
    found = json.loads(written.read_text())["records"]
    assert {"H v", "away from zero", "eigenvectors", "time of H v"} <= {
        one["family"].partition(",")[0] for one in found
    }
    (timed,) = (one for one in found if one["kind"] == "time")
    assert [one["peer"] for one in timed["peers"]] == ["ours, call by call"]
    assert set(emulator.started) == {"forward", "backward"}


# Peers.


def test_a_peer_equals_ours(setting: DeviceSetting) -> None:
    pytest.importorskip("jax")
    with_python = replace(setting, python=sys.executable)
    peers_found = product_time(with_python, 2, "tanh", 5, 3, 11, peers=("jax scan",))["peers"]
    assert [one["peer"] for one in peers_found] == ["jax scan"]
    for found in peers_found:
        assert found["status"] == "measured", found
        assert found["apart"] < 1e-10
        assert found["ratio"] > 0


def test_call_by_call_is_for_what_has_a_shorter_way(setting: DeviceSetting, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrangement, "fastest", first_of("scan", "tiles"))
    assert product_time(setting, 2, "linear", 5, 3, 11)["peers"] == []
    monkeypatch.setattr("benchmarks.gpu.times.CALLS", 4)
    assert product_time(setting, 2, "tanh", 5, 3, 11)["peers"] == []


def test_a_peer_with_another_result_has_no_time(tmp_path: Path) -> None:
    expected = np.ones((2, 1, 1, 1))
    for product, status in (
        (expected, "measured"),
        (2 * expected, "another result"),
        (np.nan * expected, "another result"),
    ):
        np.save(tmp_path / "product.npy", product)
        one = {"peer": "p", "status": "measured", "seconds": 2.0, "version": "1"}
        found = _compared(one, expected, 1.0, tmp_path)
        assert (found["status"], "ratio" in found) == (status, status == "measured")


@pytest.mark.parametrize(("python", "status"), [("false", "failed"), ("true", "failed")])
def test_a_peer_that_fails_is_recorded(setting: DeviceSetting, tmp_path: Path, python: str, status: str) -> None:
    found = run_peer(replace(setting, python=python), "jax scan", "tanh", tmp_path)
    assert (found["peer"], found["status"]) == ("jax scan", status)
    assert found["reason"]


def test_a_peer_that_takes_too_long_is_recorded(setting: DeviceSetting, tmp_path: Path) -> None:
    sleeper = tmp_path / "sleeper"
    sleeper.write_text("#!/bin/sh\nexec sleep 30\n")
    sleeper.chmod(0o755)
    found = run_peer(replace(setting, python=str(sleeper)), "jax scan", "tanh", tmp_path, 0.2)
    assert found["status"] == "beyond 0 s"


def test_a_peer_without_its_package_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("weights", "direction", "x", "y"):
        np.save(tmp_path / f"{name}.npy", np.ones((2, 1, 1, 1)))
    monkeypatch.setitem(sys.modules, "torch", None)
    assert peers.measure("torch.func", "tanh", tmp_path, "cpu")["status"] == "not installed"


# The plan.


def test_the_plan_covers_what_it_should() -> None:
    every = tasks()
    names = [one.name for one in every]
    assert len(set(names)) == len(names)
    assert [one.stage for one in every] == sorted(one.stage for one in every)
    parameters = [
        int(one.family[-1]) * one.sizes["d"] ** 2 * one.sizes["units"]
        for one in every
        if one.family.startswith("identity modulo")
    ]
    assert sum(count > 10**8 for count in parameters) == 2
    sizes = {key: {one.sizes[key] for one in every if key in one.sizes and one.kind == "check"} for key in "dm"}
    assert {10, 100, 1024} <= sizes["d"]
    assert {1797, 100_000} <= sizes["m"]
    depths = {one.sizes["units"] for one in every if one.family == "H v, linear, n = 2"}
    assert {10**3, 10**4, 10**5, 10**6} <= depths


def test_a_run_is_told_line_by_line() -> None:
    check = {"name": "H v", "family": "H v", "kind": "check", "sizes": {}, **passed(None)}  # pyright: ignore[reportArgumentType]
    assert told(check) == "       passed  H v  0.0e+00 <= 1.0e+00, 1/1 falsehoods rejected"


def test_the_machine_is_described() -> None:
    found = describe(device("cpu"))
    assert found["memory"] > 0
    assert slug("NVIDIA H200") == "nvidia-h200"
