import pickle
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from resproof.numeric.data import DataError
from resproof.reporting.data import EITHER, read_npz, remembered

X = np.ones((3, 7))


def archive(path: Path, **arrays: Any) -> Path:
    np.savez(path / "data.npz", **{key: np.asanyarray(array) for key, array in arrays.items()})
    return path / "data.npz"


def test_reads_x_and_y(tmp_path: Path) -> None:
    data = read_npz(archive(tmp_path, X=X.astype("int8"), Y=2 * X, other=X))
    assert data.name == "data.npz"
    assert data.X.dtype == np.float64
    np.testing.assert_array_equal(data.Y, 2 * X)


BAD = {
    "no Y": ({"X": X}, "has no Y; its keys are X; expected X and Y"),
    "neither": ({}, "has no X; its keys are none"),
    "objects": ({"X": np.array([[None]]), "Y": X}, "X cannot be read .it holds objects.; expected an array of numbers"),
    "text": ({"X": np.array([["a"]]), "Y": X}, "expected real numbers"),
    "complex": ({"X": X, "Y": 1j * X}, "Y has entries of type complex128; expected real numbers"),
    "not a number": ({"X": X, "Y": np.nan * X}, "Y has entries that are not finite"),
    "infinite": ({"X": np.inf * X, "Y": X}, "X has entries that are not finite"),
    "no samples": ({"X": X[:, :0], "Y": X[:, :0]}, r"X has shape \(3, 0\); expected at least one sample"),
    "one dimension": ({"X": X[0], "Y": X[0]}, r"X has shape \(7,\); expected \(d, m\)"),
    "tokens": ({"X": X[None], "Y": X[None]}, r"X has shape \(1, 3, 7\); expected \(d, m\)"),
    "shapes": ({"X": X, "Y": X[:, :6]}, r"X has shape \(3, 7\), Y has shape \(3, 6\); expected equal shapes"),
}


@pytest.mark.parametrize("case", BAD.values(), ids=BAD)
def test_bad_arrays(case: tuple[dict[str, Any], str], tmp_path: Path) -> None:
    arrays, message = case
    with pytest.raises(DataError, match=message) as caught:
        read_npz(archive(tmp_path, **arrays))
    assert "\n" not in str(caught.value)


def test_tokens_where_they_are_expected(tmp_path: Path) -> None:
    assert read_npz(archive(tmp_path, X=X[None], Y=X[None]), EITHER).X.shape == (1, 3, 7)


def test_reading_can_be_handed_to_another_process(tmp_path: Path) -> None:
    load = pickle.loads(pickle.dumps(partial(remembered, archive(tmp_path, X=X, Y=X))))
    assert load().X.shape == (3, 7)


def test_bad_files(tmp_path: Path) -> None:
    for name, content, message in [
        ("text.npz", b"X,Y", "is no .npz archive"),
        ("empty.npz", b"", "is no .npz archive"),
    ]:
        (tmp_path / name).write_bytes(content)
        with pytest.raises(DataError, match=message):
            read_npz(tmp_path / name)
    np.save(tmp_path / "one.npy", X)
    with pytest.raises(DataError, match=r"is no \.npz archive"):
        read_npz(tmp_path / "one.npy")
    with pytest.raises(DataError, match=r"cannot be read \(no such file"):
        read_npz(tmp_path / "missing.npz")
    with pytest.raises(DataError, match=r"cannot be read \(is a directory"):
        read_npz(tmp_path)


def test_a_damaged_archive(tmp_path: Path) -> None:
    path = archive(tmp_path, X=np.arange(999.0).reshape(3, 333), Y=X)
    content = bytearray(path.read_bytes())
    content[500:520] = bytes(20)
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"X cannot be read"):
        read_npz(path)
