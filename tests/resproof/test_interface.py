"""`import resproof`: every name is there, documented, with an example that runs; results show themselves."""

from __future__ import annotations

import doctest
import inspect
import json
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

import resproof
import resproof.activations
import resproof.layers
from resproof import Input, Weight, check, interface, prove, reproduce, spectrum, tanh
from resproof.architectures.errors import ArchitectureError
from resproof.numeric.data import DataError
from resproof.proofs.registry import UnknownStatementError
from tests.proofs.toys import TOYS

h, W1, W2 = Input("d"), Weight("k", "d"), Weight("d", "k")
BLOCK = h + W2 @ tanh(W1 @ h)
X, Y = np.random.default_rng(0).normal(size=(2, 3, 8))


def test_every_name_is_there_and_is_what_its_home_has() -> None:
    assert set(resproof.__all__) == set(resproof._HOME) <= set(dir(resproof))
    for name in resproof.__all__:
        assert getattr(resproof, name) is not None
    with pytest.raises(AttributeError, match="'chekc'"):
        _ = resproof.chekc  # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.parametrize("module", [resproof, resproof.activations, resproof.layers, interface])
def test_the_examples_are_what_comes_out(module: object) -> None:
    found = doctest.testmod(module)  # pyright: ignore[reportArgumentType]
    assert found.attempted
    assert not found.failed


@pytest.mark.parametrize("name", ["check", "spectrum", "prove", "report", "reproduce", "statements"])
def test_every_verb_says_what_it_does(name: str) -> None:
    verb = getattr(resproof, name)
    assert inspect.getdoc(verb)
    assert name == "report" or ">>>" in (inspect.getdoc(verb) or "")


class TestCheck:
    def test_from_arrays_a_file_and_a_unit_it_is_the_same(self, tmp_path: Path) -> None:
        np.savez(tmp_path / "data.npz", X=X, Y=Y)
        found = [
            check(BLOCK, data=(X, Y), units=5),
            check(BLOCK, data=tmp_path / "data.npz", units=5),
            check(resproof.ResidualUnit(BLOCK), data=str(tmp_path / "data.npz"), units=5),
        ]
        assert {one.regime for one in found} == {"depth-invariant"}
        assert len({str(one.spectrum and one.spectrum.eigenvalues) for one in found}) == 1

    def test_a_file_may_be_named(self, tmp_path: Path) -> None:
        (tmp_path / "mine.py").write_text(
            "from resproof import Input, Weight\nh = Input('d')\nblock = h + Weight('d', 'd') @ h\n"
        )
        found = check(f"{tmp_path / 'mine.py'}:block", data=(X, Y), units=2, require=["depth-invariant"])
        assert (found.regime, found.holds, found.requirements[0].holds) == ("grows with depth", False, False)

    def test_sizes_and_requirements(self) -> None:
        found = check(BLOCK, data=(X, Y), sizes={"k": 7}, require=["depth-invariant", "order>=2"], units=2)
        assert found.parameters == 2 * 2 * 3 * 7
        assert [one.holds for one in found.requirements] == [True, False]

    def test_it_shows_itself(self) -> None:
        found = check(BLOCK, data=(X, Y), name="mine")
        assert found._repr_markdown_().startswith("# mine\n")
        assert "](" not in found._repr_markdown_().partition("GEN-")[0]
        assert isinstance(found.plot(), Figure)
        assert json.loads(found.to_json())["regime"] == "depth-invariant"
        assert check(h, data=(X, Y)).branch_order is None
        without = check(h + W2 @ resproof.activations.relu(W1 @ h), data=(X, Y))
        with pytest.raises(ValueError, match="nothing to draw: "):
            without.plot()

    @pytest.mark.parametrize(
        ("arguments", "error", "message"),
        [
            ({"block": 3}, ArchitectureError, "expected an expression"),
            ({"block": BLOCK, "data": (X, Y[:2])}, DataError, "shape"),
            ({"block": BLOCK, "data": (X, Y), "loss": "cubed"}, ArchitectureError, "cubed"),
            ({"block": BLOCK, "data": (X, Y), "require": ["good"]}, ArchitectureError, "good"),
        ],
    )
    def test_what_cannot_be_is_refused(
        self, arguments: dict[str, object], error: type[Exception], message: str
    ) -> None:
        with pytest.raises(error, match=message):
            check(**arguments)  # pyright: ignore[reportArgumentType]


def test_a_spectrum_shows_itself() -> None:
    found = spectrum(BLOCK, 4, data=(X, Y))
    assert "| negative, zero, positive |" in found._repr_markdown_()
    assert found.plot()._repr_svg_().startswith("<?xml")
    assert json.loads(found.to_json())["units"] == 4


def test_experiments_show_themselves_and_are_run_once(tmp_path: Path) -> None:
    (found,) = reproduce("IM-F3", folder=tmp_path)
    files = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.json")}
    (again,) = reproduce("IM-F3", folder=tmp_path)
    assert again.judged == found.judged
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.json")} == files
    assert f"**{found.judged.verdict}**" in found._repr_markdown_()
    assert found.plot().axes
    with pytest.raises(UnknownStatementError, match="IM-F3"):
        _ = reproduce("IM-F33", folder=tmp_path)
    with pytest.raises(DataError, match="nowhere"):
        _ = reproduce("IM-F3", data=tmp_path / "nowhere.npz", folder=tmp_path)


class TestProve:
    def test_ids_and_statements_of_ones_own(self) -> None:
        found = prove("DR-M7", TOYS[0])
        assert [one.id for one in found] == ["DR-M7", "T-proved"]
        assert found[1].verdict == "PROVED"
        assert "\n# T-proved: " in f"\n{found[1]._repr_markdown_()}"

    def test_an_unknown_id(self) -> None:
        with pytest.raises(UnknownStatementError, match=r"did you mean DR-M\d"):
            prove("DR-M77")


def test_expressions_are_short_and_typeset() -> None:
    assert repr(BLOCK) == "h + W2 @ tanh(W1 @ h) of shape (d, t)"
    assert BLOCK._repr_latex_().startswith("$h + W_{2}")
