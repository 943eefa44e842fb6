"""Section 6.5, (b) and (c): what would train a plain network; `hindsight_runs` has the runs.

The criteria were fixed before the runs.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from resproof.proofs.experiment import Criterion, Experiment, Ran, Runs, Seen, changed
from resproof.proofs.rethinking_skips.documents import source
from resproof.proofs.rethinking_skips.experiments import at_end
from resproof.proofs.rethinking_skips.hindsight_runs import PLAIN, by_start

Floats = NDArray[np.float64]


def _percent(runs: Runs, start: str, *, normalised: bool, name: str = "train accuracy") -> Floats:
    return 100 * at_end(by_start(runs, normalised=normalised)[start], name)


def _told(values: Floats) -> str:
    return f"{values.min():.1f} % to {values.max():.1f} %"


def _untrained(runs: Runs) -> Seen:
    found = _percent(runs, "He", normalised=False)
    return Seen(bool(np.all(found <= 20)), _told(found))


def _trained(start: str) -> Callable[[Runs], Seen]:
    def look(runs: Runs) -> Seen:
        found = _percent(runs, start, normalised=False)
        return Seen(bool(np.all(found >= 80)), _told(found))

    return look


def _with_accuracy(start: str, value: float) -> Callable[[Runs], Runs]:
    """Both accuracies of one start are constant."""

    def change(one: Ran) -> Ran:
        curves = dict(one.found["curves"])
        for name in ("train accuracy", "test accuracy"):
            curves[name] = np.full_like(np.array(curves[name], dtype=float), value).tolist()
        return one.but(curves=curves) if one.parameters["start"] == start else one

    return lambda runs: changed(runs, change)


def _trains(start: str, words: str) -> Criterion:
    return Criterion(
        f"{words} it ends with at least 80 %.", _trained(start), {"It learns a half.": _with_accuracy(start, 0.5)}
    )


_SETTING = (
    "PlainNets of 110 layers as in RS-Tab, 20 epochs at the rates 0.1, 0.01 and 0.001, of which the one with the least training "
    "loss counts, 2 seeds"
)

FLAT_SPECTRA = Experiment(
    id="RS-6.5b",
    title="Plain networks with flat spectra",
    source=source("section 6.5 (b)", "so that the largest eigenvalues are only slightly larger than others"),
    described="No figure: solutions for very deep PlainNets would be related to regularised weights whose largest eigenvalues are only slightly "
    "larger than the others.",
    protocol=f"{_SETTING}; no normalisation. Weights start at He's, at orthogonal ones times the root of 2, at the identity, or at He's with "
    r"a penalty of 0.01/4 on $\lvert W^{\mathsf T} W - \tau I\rvert^2$ in every layer, $\tau$ the mean of its squared singular values.",
    sweep=PLAIN,
    criteria=(
        Criterion(
            "From He's weights it ends with a training accuracy of at most 20 %.",
            _untrained,
            {"It learns a half.": _with_accuracy("He", 0.5)},
        ),
        _trains("orthogonal", "From orthogonal weights"),
        _trains("identity", "From the identity"),
        _trains("flattened", "With the penalty"),
    ),
    remark="With ReLUs a flat spectrum of $W$ is not one of the layer: they set about half of the directions to zero, and at orthogonal weights "
    "inputs are drawn to one direction all the same. Outputs are then on one ray: the loss is not much below the dashed line, that of one output for all, and the "
    "accuracy stays on it. At the identity, after a layer with ReLUs, nothing is set to zero: the first network is one of two layers. How fast it learns is not "
    "predicted here.",
)


def _better_than(other: str) -> Callable[[Runs], Seen]:
    def look(runs: Runs) -> Seen:
        found = {start: _percent(runs, start, normalised=True, name="test accuracy") for start in ("DiracNet", other)}
        return Seen(
            bool(np.mean(found["DiracNet"]) > np.mean(found[other]) + 20),
            "; ".join(f"{start} {_told(values)}" for start, values in found.items()),
        )

    return look


def _moves(runs: Runs) -> Seen:
    moved = by_start(runs, normalised=True)["DiracNet"].found["moved"]
    if None in moved:
        return Seen(False, "it diverged")
    return Seen(min(moved) >= 0.1, f"{min(moved):.3g} to {max(moved):.3g}")


def _unmoved(runs: Runs) -> Runs:
    return changed(runs, lambda one: one.but(moved=[0.01] * one.parameters["seeds"]) if "moved" in one.found else one)


def _below_full(runs: Runs) -> Seen:
    found = _percent(runs, "DiracNet", normalised=True)
    return Seen(bool(np.all(found < 95)), _told(found))


DIRAC = Experiment(
    id="RS-6.5c",
    title="DiracNet: where its diagonal goes, and how it trains",
    source=source("section 6.5 (c)", "can deviate from the desired initialized setting"),
    described=r"No figure: a DiracNet, $W + \mathrm{diag}(a)$ from $a = 1$, is like a residual network where training starts; $a$ then deviates from 1, and "
    "optimisation becomes difficult, so that it does worse than a ResNet.",
    protocol=rf"{_SETTING}; batch normalisation after each product; $W + \mathrm{{diag}}(a)$ in every layer, as printed, from He's $W$ and $a = 1$, both trained.",
    sweep=PLAIN,
    criteria=(
        Criterion(
            "It trains better than the PlainNet: its test accuracy is greater by 20 percentage points at least, in the mean over seeds.",
            _better_than("He"),
            {"It does as the PlainNet.": _with_accuracy("DiracNet", 0.1)},
        ),
        Criterion(
            r"When training ends, the mean of $\lvert a - 1\rvert$ is at least 0.1 in every seed.",
            _moves,
            {"It is 0.01.": _unmoved},
        ),
        Criterion(
            "It trains worse than the ResNet of RS-Tab is asked to: below 95 %.",
            _below_full,
            {"It learns all.": _with_accuracy("DiracNet", 1.0)},
        ),
    ),
    remark=r"Gradient descent without weight decay keeps $\mathrm{diag}(W) - a$ (RS-DN2), so that $a$ moves by half of what $\mathrm{diag}(W + \mathrm{diag}(a))$ does. "
    "How far that is nothing here predicts: the first gradients are the PlainNet's great ones (RS-F2..F6), which throw it off at once. The dashed line is one output for "
    "all samples, where both networks stay.",
)

EXPERIMENTS = (FLAT_SPECTRA, DIRAC)
