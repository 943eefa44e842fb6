"""Which units have kernels of their own, and that nvcc takes the source where it is installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from resproof.architectures import catalogue
from resproof.architectures.activations import tanh
from resproof.architectures.nodes import Activation, Expression, Input, Weight
from resproof.numeric.backend import ops
from resproof.numeric.network.adjoint import start
from resproof.numeric.network.fused import is_fused
from resproof.numeric.network.kernel import WIDEST, can_be_written, kernels
from resproof.numeric.network.program import Program
from tests.numeric.cases import make
from tests.numeric.network.test_sample_tiles import TAKEN

NVCC = shutil.which("nvcc")


def program_of(expression: Expression) -> Program:
    case = make(expression, ops(np))
    return start("test", case.network, case.weights, case.direction, case.x, scan=False).program


def test_which_units_have_kernels() -> None:
    case = make(catalogue.n_shortcut(2, tanh), ops(np))
    assert not is_fused(program_of(case.network.unit.expression))  # its arrays are NumPy's
    for d in (WIDEST, WIDEST + 1):
        weights = {name: np.zeros((2, d, d)) for name in case.weights}
        sized = start("test", case.network, weights, None, np.zeros((d, 2)), scan=False).program
        assert can_be_written(sized) == (d == WIDEST)

    def another(ops: Any, x: Any, order: int) -> list[Any]:
        return [np.sinh(x), np.cosh(x), np.sinh(x)][: order + 1]

    def with_a_number(ops: Any, x: Any, order: int) -> list[Any]:
        return [x, 1.0, 0.0][: order + 1]

    h = Input("d")
    for derivatives in (another, with_a_number):
        f = Activation("mine", tanh.taylor, derivatives)
        assert not can_be_written(program_of(h + Weight("d", "d") @ f(h)))


@pytest.mark.skipif(NVCC is None, reason="nvcc is not installed")
@pytest.mark.parametrize("name", ["tanh", "gelu", "uneven"])
def test_nvcc_takes_the_kernels(name: str, tmp_path: Path) -> None:
    program = program_of(TAKEN[name]())
    for kernel in kernels(program, 1):
        source = tmp_path / f"{kernel.name}.cu"
        source.write_text(kernel.source)
        command = [
            str(NVCC),
            "-w",
            "-cubin",
            "-arch=sm_90",
            "-Xptxas=-v",
            "-o",
            str(tmp_path / "kernel.cubin"),
            str(source),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert " 0 bytes spill stores" in done.stderr
