"""Initial values as arrays and from checkpoints: what is recognised, what is kept, what is refused."""

from __future__ import annotations

import zipfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from resproof.architectures.errors import ArchitectureError
from resproof.architectures.files import of_opened, opened
from resproof.architectures.nodes import Input, Weight
from resproof.architectures.reading import looked_for_in
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.text import text
from resproof.architectures.values import Values, identity_initial, normal, ones, values_of, zero
from resproof.numeric.checkpoints import checkpoint


@pytest.mark.parametrize(
    ("given", "expected"),
    [(np.zeros((2, 3)), zero), ([[1, 1.0], [Fraction(1), 1]], ones), (np.eye(3, dtype=np.float32), identity_initial)],
)
def test_zeros_ones_and_the_identity_are_recognised(given: Any, expected: object) -> None:
    assert (
        Weight("d", "k" if given is not None and np.shape(given) == (2, 3) else "d", initial=given).initial == expected
    )


@pytest.mark.parametrize("given", [[[1, 1], [0, 1]], [[1, 0], [0, 2]], np.eye(2, 3), -np.eye(2)])
def test_what_is_near_is_not_recognised(given: Any) -> None:
    assert isinstance(Weight("d", "k", initial=given).initial, Values)


def test_entries_are_the_exact_numbers() -> None:
    found = values_of([[0.1, Fraction(1, 3)], [np.float32(0.1), np.int64(7)]])
    assert [Fraction(entry) for entry in found.entries] == [
        Fraction(0.1),
        Fraction(1, 3),
        Fraction(float(np.float32(0.1))),
        Fraction(7),
    ]
    assert not found.is_float
    assert values_of([[2**60 + 1, 1]]).entries == (Fraction(2**60 + 1), 1.0)


def test_equal_numbers_have_one_digest_and_other_ones_or_shapes_another() -> None:
    array = np.arange(6.0).reshape(2, 3)
    same = [array, array.tolist(), np.asfortranarray(array), array.astype(int), [[0, 1, 2], [3, Fraction(4), 5]]]
    assert len({values_of(one) for one in same}) == 1
    assert len({values_of(one).digest for one in (array, array.T, array.reshape(3, 2), array + 2.0**-50)}) == 4


def test_numbers_in_a_row_are_a_column_vector() -> None:
    assert Weight("d", initial=np.arange(3)).initial == values_of([[0], [1], [2]])


BAD = {
    "unequal": ([[1, 2], [3]], "rows of unequal lengths"),
    "nan": (np.full((2, 2), np.nan), "the entry nan at"),
    "infinite": ([[float("inf"), 0], [0, 0]], "the entry inf at"),
    "text": (np.array([["a", "b"], ["c", "d"]]), "the entry 'a' at"),
    "object": ([[None, 1], [1, 1]], "the entry None at"),
    "bool": ([[True, False], [False, True]], "the entry True at"),
    "complex": (np.full((2, 2), 1j), "the entry 1j at"),
    "beyond floats": ([[10**400, 1], [1, 1]], "at (0, 0)"),
    "scalar": (np.float64(1.0), "is empty or no matrix"),
    "empty": (np.zeros((0, 2)), "is empty or no matrix"),
    "three axes": (np.zeros((2, 2, 2)), "initial has shape (2, 2, 2); expected (2, 2)"),
    "mixed": ([1, [2]], "is empty or no matrix"),
    "shape": (np.ones((2, 3)), "initial has shape (2, 3); expected (2, 2), the weight's"),
    "number": (0.5, "initial is 0.5; expected zero, ones"),
}


@pytest.mark.parametrize(("given", "said"), BAD.values(), ids=BAD)
def test_a_bad_array_is_refused_in_one_line(given: Any, said: str) -> None:
    with pytest.raises(ArchitectureError) as caught:
        Weight(2, 2, initial=given)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) <= 180


def test_one_name_has_one_size() -> None:
    with pytest.raises(ArchitectureError, match=r"shape \(2, 3\); expected \(d, d\)"):
        Weight("d", "d", initial=[[1, 2, 3], [4, 5, 6]])


# Checkpoints.


@pytest.mark.parametrize("kind", ["<f8", ">f8", "<f4", "<f2", "<i8", "|u1", ">i4"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_an_entry_is_what_numpy_reads(tmp_path: Path, kind: str, order: str) -> None:
    array = np.asarray(np.arange(6).reshape(2, 3) + 3, dtype=kind, order=order)  # pyright: ignore[reportCallIssue, reportArgumentType]
    np.savez_compressed(tmp_path / "w.npz", A=array, b=np.arange(3.0))
    np.save(tmp_path / "w.npy", array)
    expected = values_of(np.load(tmp_path / "w.npz")["A"])
    assert checkpoint(tmp_path / "w.npz", "A") == checkpoint(tmp_path / "w.npy") == expected
    assert checkpoint(tmp_path / "w.npz", "b").shape == (3, 1)


@pytest.mark.parametrize("order", ["C", "F"])
def test_an_array_may_have_more_axes(tmp_path: Path, order: Any) -> None:
    array = np.asarray(np.arange(24.0).reshape(2, 3, 1, 4), order=order)
    np.save(tmp_path / "w.npy", array)
    found = checkpoint(tmp_path / "w.npy")
    assert found == values_of(array) != values_of(array.reshape(2, 3, 4))
    assert found.shape == array.shape
    assert found.floats == tuple(np.arange(24.0))
    assert Weight("o", "c", 1, 4, initial=found).initial == found
    assert Weight("o", "c", 2, initial=np.ones((2, 3, 2))).initial == ones


def test_a_checkpoint_lies_beside_the_file_that_names_it(tmp_path: Path) -> None:
    np.savez(tmp_path / "weights.npz", W1=[[1.0, 2.0], [3.0, 4.0]])
    _ = (tmp_path / "block.py").write_text(
        "from resproof import Input, Weight\nfrom resproof.layers import checkpoint\n"
        "h, W1, W2 = Input(2), Weight(2, 2, initial=checkpoint('weights.npz', 'W1')), Weight(2, 2)\n"
        "block = h + W2 @ W1 @ h\n"
    )
    unit = of_opened(opened(f"{tmp_path / 'block.py'}:block")).unit
    found = {name: weight.initial for weight, name in unit.names.items()}
    assert found["W1"] == values_of([[1, 2], [3, 4]])
    assert isinstance(found["W1"], Values)
    assert found["W1"].words == "weights.npz: W1"


def test_what_is_no_entry_is_refused_in_one_line(tmp_path: Path) -> None:
    np.savez(tmp_path / "w.npz", A=np.eye(2), t=np.array(["x"]), number=np.ones(()), nan=[[np.nan]])
    _ = (tmp_path / "text.npz").write_text("no archive")
    whole = (tmp_path / "w.npz").read_bytes()
    _ = (tmp_path / "cut.npz").write_bytes(whole[: len(whole) // 2])
    with zipfile.ZipFile(tmp_path / "odd.npz", "w") as archive:
        archive.writestr("A.npy", b"\x93NUMPY\x01\x00\x10\x00{'descr': 'O'}   ")
    np.savez(tmp_path / "pickled.npz", A=np.array([[object()]]))
    cases = {
        ("missing.npz", "A"): "cannot be read",
        ("w.npz", "B"): "has no entry B; it has A, t, number, nan",
        ("w.npz", "t"): "has entries of type <U1; expected real numbers",
        ("w.npz", "number"): "is a number; expected an array",
        ("w.npz", "nan"): "initial has the entry nan at (0, 0)",
        ("text.npz", "A"): "is no whole archive of arrays",
        ("cut.npz", "A"): "is no whole archive of arrays",
        ("odd.npz", "A"): "is no whole archive of arrays",
        ("pickled.npz", "A"): "has entries of type |O; expected real numbers",
    }
    with looked_for_in(tmp_path):
        for (name, entry), said in cases.items():
            with pytest.raises(ArchitectureError) as caught:
                checkpoint(name, entry)
            assert said in str(caught.value), (name, entry)
            assert "\n" not in str(caught.value)


# Variances.


def test_a_float_variance_is_offered_its_replacements() -> None:
    with pytest.raises(ArchitectureError) as caught:
        normal(0.02)  # pyright: ignore[reportArgumentType]
    said = str(caught.value)
    assert said == (
        "normal: takes an exact variance: normal(Fraction(1, 50)) for 0.02, normal(Fraction(1, 2500)) for standard "
        "deviation 0.02"
    )
    assert len(said) <= 130


@pytest.mark.parametrize("variance", [0.0, -0.5, float("nan"), float("inf"), 1e-9, 1e30])
def test_other_floats_are_refused_as_well(variance: float) -> None:
    with pytest.raises(ArchitectureError, match=r"normal: .*variance"):
        normal(variance)  # pyright: ignore[reportArgumentType]


# Frozen weights.


def test_frozen_weights_are_no_parameters_and_keep_their_names() -> None:
    h, w, frozen = Input("d"), Weight("d", "k"), Weight("k", "d", initial=normal(), trainable=False)
    unit = ResidualUnit(h + w @ frozen @ h, {w: "W", frozen: "F"})
    assert list(unit.names.values()) == ["W"]
    assert list(unit.frozen.values()) == ["F"]
    assert text(unit.expression, unit.names) == "h + W @ F @ h"
    again = ResidualUnit(unit.expression, unit.names)
    assert list(again.frozen.values()) == ["F"]


def test_frozen_weights_without_names_are_numbered_with_the_others() -> None:
    h = Input("d")
    block = h + Weight("d", "d", trainable=False) @ Weight("d", "d") @ Weight("d", "d", trainable=False) @ h
    unit = ResidualUnit(block)
    assert text(unit.expression, unit.names) == "h + W1 @ W2 @ W3 @ h"
    assert (list(unit.names.values()), list(unit.frozen.values())) == (["W2"], ["W3", "W1"])


def test_trainable_is_true_or_false() -> None:
    with pytest.raises(ArchitectureError, match="trainable is 1; expected True or False"):
        Weight("d", "d", trainable=1)  # pyright: ignore[reportArgumentType]


def test_weights_are_numbered_as_they_were_made() -> None:
    h, W1, W2 = Input("d"), Weight("d", "k"), Weight("k", "d")
    unit = ResidualUnit(h + W1 @ W2 @ h)
    assert {weight: unit.names[weight] for weight in (W1, W2)} == {W1: "W1", W2: "W2"}
    assert text(unit.expression, unit.names) == "h + W1 @ W2 @ h"
