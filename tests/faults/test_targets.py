"""Targets and the loss: labels and distributions for cross-entropy, anything of X's shape for the squared loss."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import array_api_strict
import numpy as np
import pytest

from resproof.architectures.catalogue import attention, n_shortcut
from resproof.architectures.losses import cross_entropy, squared
from resproof.architectures.stages import ResidualUnit
from resproof.cli import main
from resproof.numeric.data import DataError, check_targets
from resproof.proofs.samples import data_for

UNIT, TOKENS = ResidualUnit(n_shortcut(2)), ResidualUnit(attention())
X = np.random.default_rng(0).standard_normal((3, 7))
LABELS = np.arange(7) % 3
ONE_HOT = np.eye(3)[LABELS].T


def test_labels_become_one_hot_columns() -> None:
    for labels in (LABELS, LABELS.astype(np.uint8), LABELS.astype(float), LABELS.tolist()):
        x, y = check_targets("check", UNIT, cross_entropy, X, labels)
        np.testing.assert_array_equal(x, X)
        np.testing.assert_array_equal(y, ONE_HOT)
    tokens, labels = np.ones((2, 3, 4)), np.array([[0, 1, 2, 0], [2, 2, 1, 1]])
    _, y = check_targets("check", TOKENS, cross_entropy, tokens, labels)
    assert y.shape == (2, 3, 4)
    for sample in range(2):
        for token in range(4):
            np.testing.assert_array_equal(y[sample, :, token], np.eye(3)[labels[sample, token]])
    strict, _ = array_api_strict.asarray(X), array_api_strict
    _, other = check_targets("check", UNIT, cross_entropy, strict, array_api_strict.asarray(LABELS))
    np.testing.assert_array_equal(np.asarray(other), ONE_HOT)


def test_distributions_and_what_the_squared_loss_takes() -> None:
    smooth = 0.7 * ONE_HOT + 0.1
    for y in (ONE_HOT, smooth, smooth.astype(np.float32), ONE_HOT.astype(bool)):
        _, found = check_targets("check", UNIT, cross_entropy, X, y)
        np.testing.assert_array_equal(found, y.astype(float))
    for y in (X, -X, 0 * X, ONE_HOT):
        np.testing.assert_array_equal(check_targets("check", UNIT, squared, X, y)[1], y)
    # Rounded to single precision, whatever the number of classes.
    many = np.random.default_rng(0).dirichlet(np.ones(1000), size=50).T.astype(np.float32)
    _ = check_targets("check", UNIT, cross_entropy, np.zeros((1000, 50)), many)


EXPECTED = "cross-entropy takes columns of entries from 0 to 1 that add up to 1, or labels"
REFUSED: dict[str, tuple[Any, Any, str]] = {
    "negative": (cross_entropy, ONE_HOT - 0.5, f"Y has the entry -0.5; {EXPECTED}"),
    "a sum": (cross_entropy, 2 * ONE_HOT, f"Y has a column that adds up to 2; {EXPECTED}"),
    "one sum of many": (cross_entropy, ONE_HOT * [1, 1, 1, 0.999, 1, 1, 1], "Y has a column that adds up to 0.999; "),
    "zeros": (cross_entropy, 0 * ONE_HOT, "Y has a column that adds up to 0; "),
    "too large a label": (cross_entropy, LABELS + 1, "Y has labels from 1 to 3; expected 0 to 2, for X has 3 rows"),
    "a negative label": (cross_entropy, LABELS - 1, "Y has labels from -1 to 1; expected 0 to 2, for X has 3 rows"),
    "half a label": (cross_entropy, LABELS + 0.5, "Y has labels that are no whole numbers; expected 0 to 2, the rows"),
    "too few labels": (cross_entropy, LABELS[:5], "Y has (5,) labels; expected (7,), one for each column of X"),
    "labels as a row": (cross_entropy, LABELS[None], "X has shape (3, 7), Y has shape (1, 7); expected equal shapes"),
    "labels for the squared loss": (
        squared,
        LABELS,
        "Y has shape (7,), as labels have; the squared loss takes targets of X's shape, (3, 7): make them one-hot, or "
        "ask for cross-entropy",
    ),
    "not finite": (cross_entropy, np.nan * ONE_HOT, "Y has entries that are not finite"),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_refused(case: tuple[Any, Any, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    loss, y, message = case
    with pytest.raises(DataError) as caught:
        _ = check_targets("check", UNIT, loss, X, y)
    assert f"check: {message}" in str(caught.value)
    np.savez(tmp_path / "data.npz", X=X, Y=y)
    (tmp_path / "a.py").write_text(BLOCK)
    for command in (("check", f"{tmp_path}/a.py:block"), ("spectrum", f"{tmp_path}/a.py:block", "--units", "2")):
        assert status(*command, "--data", f"{tmp_path}/data.npz", "--loss", loss.name) == 2
        out, err = capsys.readouterr()
        assert not out
        assert err.count("\n") == 1
        assert err.startswith("resproof: ")
        assert len(err) <= 200
    good = ("--data", f"{tmp_path}/good.npz", "--loss", "cross-entropy", "--json", "-")
    found: list[Any] = []
    for labels in (LABELS, ONE_HOT):
        np.savez(tmp_path / "good.npz", X=X, Y=labels)
        assert status("check", f"{tmp_path}/a.py:block", "--depth", "2", *good) == 0
        found.append(json.loads(capsys.readouterr().out)["spectrum"]["eigenvalues"])
    assert found[0] == found[1]


def test_a_report_runs_on_targets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.savez(tmp_path / "data.npz", X=X, Y=LABELS)
    assert status("report", "--out", f"{tmp_path}/out", "--data", f"{tmp_path}/data.npz") == 2
    err = capsys.readouterr().err
    assert "Y has shape (7,), as labels have; expected targets of X's shape, (3, 7)" in err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("width", [3, 10, 70])
def test_the_embedded_data_suit_every_loss(width: int) -> None:
    unit = ResidualUnit(n_shortcut(2, width=width))
    found = data_for(unit, {})
    for loss in (squared, cross_entropy):
        _ = check_targets("check", unit, loss, found.X, found.Y)


BLOCK = """
from resproof.architectures.nodes import Input, Weight
h, W1, W2 = Input("d"), Weight("d", "d"), Weight("d", "d")
block = h + W2 @ (W1 @ h)
"""


def status(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main([*arguments])
    assert isinstance(ended.value.code, int)
    return ended.value.code
