"""Data files: every kind of number is read; what is damaged, too large or no regular file is refused in one line."""

from __future__ import annotations

import io
import os
import pickle
import struct
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.lib import format as npy

from resproof.architectures.catalogue import attention, n_shortcut
from resproof.architectures.losses import cross_entropy, squared
from resproof.architectures.stages import ResidualUnit
from resproof.numeric.data import DataError, check_targets
from resproof.proofs.samples import data_for
from resproof.reporting.data import EITHER, read_npz, remembered

X = np.arange(21.0).reshape(3, 7)


def packed(array: Any, **header: Any) -> bytes:
    """An .npy file, with a header that may say something else."""
    told = {"descr": npy.dtype_to_descr(array.dtype), "fortran_order": False, "shape": array.shape, **header}
    target = io.BytesIO()
    npy.write_array_header_1_0(target, told)
    return target.getvalue() + array.tobytes()


def archive(path: Path, content: bytes, method: int = zipfile.ZIP_STORED) -> Path:
    with zipfile.ZipFile(path, "w", method) as file:
        for name, each in (("X.npy", content), ("Y.npy", packed(X))):
            file.writestr(name, each)
    return path


def saved(path: Path, **arrays: Any) -> Path:
    np.savez(path, **arrays)
    return path


def header(**told: Any) -> Callable[[Path], Path]:
    return lambda path: archive(path, packed(X, **told))


def changed(at: bytes, by: Callable[[bytes], bytes]) -> Callable[[Path], object]:
    """An archive in which the bytes from `at` on are others."""

    def make(path: Path) -> None:
        before, after = (whole := archive(path, packed(X)).read_bytes()).split(at, 1)
        _ = path.write_bytes(before + at + by(after))
        assert path.read_bytes() != whole

    return make


def lying(path: Path) -> None:
    """A member that claims gigabytes, in the directory and before itself."""
    content = packed(np.zeros((1, 1000)))
    whole = archive(path, content, zipfile.ZIP_DEFLATED).read_bytes()
    _ = path.write_bytes(whole.replace(struct.pack("<L", len(content)), struct.pack("<L", 3 * 10**9)))


@pytest.mark.parametrize("kind", ["<f8", ">f8", "<f4", ">f2", "<i8", ">i4", ">u2", "i1", "?", "float128"])
@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_every_kind_of_number(kind: str, save: Callable[..., None], tmp_path: Path) -> None:
    array = X.astype(kind)
    save(tmp_path / "data.npz", X=array, Y=np.asfortranarray(array), other=X)
    found = read_npz(tmp_path / "data.npz")
    assert (found.X.dtype, found.name) == (np.float64, "data.npz")
    np.testing.assert_array_equal(found.X, array.astype(np.float64))
    np.testing.assert_array_equal(found.Y, found.X)


def test_tokens_where_they_are_expected_and_reading_in_another_process(tmp_path: Path) -> None:
    tokens = saved(tmp_path / "tokens.npz", X=X[None], Y=X[None])
    assert read_npz(tokens, EITHER).X.shape == (1, 3, 7)
    load = pickle.loads(pickle.dumps(partial(remembered, saved(tmp_path / "data.npz", X=X, Y=X))))
    assert load().X.shape == (3, 7)


REFUSED: dict[str, tuple[Callable[[Path], object], str]] = {
    "no Y": (lambda p: saved(p, X=X), "has no Y; its keys are X; expected X and Y"),
    "neither": (saved, "has no X; its keys are none"),
    "text": (lambda p: saved(p, X=np.array([["a"]]), Y=X), "expected real numbers"),
    "complex": (lambda p: saved(p, X=X, Y=1j * X), "Y has entries of type complex128; expected real numbers"),
    "dates": (
        lambda p: saved(p, X=np.zeros((3, 7), "M8[s]"), Y=X),
        "X has entries of type datetime64[s]; expected real",
    ),
    "records": (lambda p: saved(p, X=np.zeros((3, 7), "f8,i4"), Y=X), "X has entries of type [('f0', '<f8'), ('f1', '"),
    "not a number": (lambda p: saved(p, X=X, Y=np.nan * X), "Y has entries that are not finite"),
    "no samples": (lambda p: saved(p, X=X[:, :0], Y=X[:, :0]), "X has shape (3, 0); expected at least one sample"),
    "one dimension": (lambda p: saved(p, X=X[0], Y=X[0]), "X has shape (7,); expected (d, m)"),
    "tokens": (lambda p: saved(p, X=X[None], Y=X[None]), "X has shape (1, 3, 7); expected (d, m)"),
    "shapes": (lambda p: saved(p, X=X, Y=X[:, :6]), "X has shape (3, 7), Y has shape (3, 6); expected equal shapes"),
    "labels": (lambda p: saved(p, X=X, Y=X[0]), "Y has shape (7,), as labels have; expected targets of X's shape"),
    "objects": (header(descr="|O"), "X cannot be read (it holds objects); expected an array of numbers"),
    "gigabytes, it claims": (lying, "X cannot be read (it unpacks to 3 GB, above 2.15 GB)"),
    "a shape beyond memory": (header(shape=(10**6, 10**9)), "(it takes 8 PB in double precision, above 2.15 GB)"),
    "a shape beyond its numbers": (header(shape=(3, 8)), "its shape asks for 192 bytes and it has 168"),
    "a shape within its numbers": (header(shape=(3, 6)), "its shape asks for 144 bytes and it has 168"),
    "a negative shape": (header(shape=(-3, -7)), "X cannot be read"),
    "a wrong checksum": (changed(b"NUMPY", lambda after: after[:200] + b"\1" + after[201:]), "Bad CRC-32 for file 'X."),
    "no array": (lambda p: archive(p, b"3"), "X cannot be read"),
    "an unknown version": (lambda p: archive(p, b"\x93NUMPY\x09\0" + bytes(200)), "its format has the version 9.0)"),
    "an endless header": (lambda p: archive(p, b"\x93NUMPY\2\0" + struct.pack("<L", 2**31)), "X cannot be read"),
    "cut short": (
        changed(b"PK\1\2", lambda after: after[:-60]),
        "is no .npz archive; expected one with the keys X and Y",
    ),
    "one array": (lambda p: p.write_bytes(packed(X)), "is no .npz archive"),
    "a hole of a terabyte": (lambda p: os.truncate(p.touch() or p, 2**40), "is no .npz archive"),
    "a folder": (lambda p: p.mkdir(), "cannot be read (is a directory)"),
    "a pipe": (os.mkfifo, "cannot be read (it is a pipe, not a regular file)"),
    "a device that never ends": (lambda p: p.symlink_to("/dev/zero"), "cannot be read (it is a device, not a regular"),
    "a link to itself": (lambda p: p.symlink_to(p), "cannot be read (too many levels of symbolic links)"),
    "nothing": (lambda p: None, "cannot be read (no such file or directory)"),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_refused_in_one_line(case: tuple[Callable[[Path], object], str], tmp_path: Path) -> None:
    make, message = case
    _ = make(tmp_path / "data.npz")
    with pytest.raises(DataError) as caught:
        _ = read_npz(tmp_path / "data.npz")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    np.savez_compressed(tmp_path / "data.npz", X=np.zeros((3, 10**6)), Y=X)
    monkeypatch.setattr("resproof.reporting.npz.MOST", 2**24)
    monkeypatch.setattr("zipfile.ZipFile.open", lambda *_: pytest.fail("it was opened"))
    with pytest.raises(DataError, match=r"X cannot be read \(it unpacks to 24 MB, above 16.8 MB\)"):
        _ = read_npz(tmp_path / "data.npz")


# Targets and the loss.

UNIT, TOKENS = ResidualUnit(n_shortcut(2)), ResidualUnit(attention())
LABELS = np.arange(7) % 3
ONE_HOT = np.eye(3)[LABELS].T


def test_targets_that_suit_their_loss() -> None:
    for labels in (LABELS, LABELS.astype(np.uint8), LABELS.astype(float), LABELS.tolist()):
        np.testing.assert_array_equal(check_targets("check", UNIT, cross_entropy, X, labels)[1], ONE_HOT)
    for y in (ONE_HOT, (0.7 * ONE_HOT + 0.1).astype(np.float32), ONE_HOT.astype(bool)):
        np.testing.assert_array_equal(check_targets("check", UNIT, cross_entropy, X, y)[1], y.astype(float))
    for y in (X, -X, 0 * X, ONE_HOT):
        np.testing.assert_array_equal(check_targets("check", UNIT, squared, X, y)[1], y)
    labels = np.array([[0, 1, 2, 0], [2, 2, 1, 1]])
    _, y = check_targets("check", TOKENS, cross_entropy, np.ones((2, 3, 4)), labels)
    np.testing.assert_array_equal(y, np.eye(3)[labels].transpose(0, 2, 1))
    many = np.random.default_rng(0).dirichlet(np.ones(1000), size=50).T.astype(np.float32)  # rounded
    _ = check_targets("check", UNIT, cross_entropy, np.zeros((1000, 50)), many)


@pytest.mark.parametrize("width", [3, 10, 70])
@pytest.mark.parametrize("loss", [squared, cross_entropy])
def test_the_embedded_data_suit_every_loss(width: int, loss: Any) -> None:
    found = data_for(unit := ResidualUnit(n_shortcut(2, width=width)), {})
    _ = check_targets("check", unit, loss, found.X, found.Y)


EXPECTED = "cross-entropy takes columns of entries from 0 to 1 that add up to 1, or labels"
TARGETS: dict[str, tuple[Any, str]] = {
    "negative": (ONE_HOT - 0.5, f"Y has the entry -0.5; {EXPECTED}"),
    "a sum": (2 * ONE_HOT, f"Y has a column that adds up to 2; {EXPECTED}"),
    "one sum of many": (ONE_HOT * [1, 1, 1, 0.999, 1, 1, 1], "Y has a column that adds up to 0.999; "),
    "too large a label": (LABELS + 1, "Y has labels from 1 to 3; expected 0 to 2, for X has 3 rows"),
    "half a label": (LABELS + 0.5, "Y has labels that are no whole numbers; expected 0 to 2, the rows"),
    "too few labels": (LABELS[:5], "Y has (5,) labels; expected (7,), one for each column of X"),
    "labels as a row": (LABELS[None], "X has shape (3, 7), Y has shape (1, 7); expected equal shapes"),
    "not finite": (np.nan * ONE_HOT, "Y has entries that are not finite"),
}


@pytest.mark.parametrize("case", TARGETS.values(), ids=TARGETS)
def test_targets_that_do_not(case: tuple[Any, str]) -> None:
    y, message = case
    with pytest.raises(DataError) as caught:
        _ = check_targets("check", UNIT, cross_entropy, X, y)
    assert f"check: {message}" in str(caught.value)
    with pytest.raises(DataError, match="the squared loss takes targets of X's shape"):
        _ = check_targets("check", UNIT, squared, X, LABELS)
