"""The paper's experiments, each with the criteria by which it is judged; `training_runs` has the runs.

The criteria were fixed before the runs: they put numbers to the paper's own sentences. Where a sentence is about one
layer, it is the paper's, layer 1 or L - 2; medians are over layers, and a criterion has to hold in every seed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resproof.proofs.experiment import Criterion, Experiment, Ran, Runs, Seen, changed, exchanged
from resproof.proofs.rethinking_skips.documents import source
from resproof.proofs.rethinking_skips.training_runs import BARE, KINDS, LINEAR, RELU

Floats = NDArray[np.float64]

PLAIN = "PlainNet"
WITH = tuple(kind for kind in KINDS if kind != PLAIN)


# What is read from a run.


def deepest(runs: Runs) -> dict[str, Ran]:
    """The run of each kind with the most layers."""
    ordered = sorted(runs.values(), key=lambda one: one.parameters["layers"])
    found = {one.parameters["kind"]: one for one in ordered}
    return {kind: found[kind] for kind in KINDS}


def curve(one: Ran, name: str) -> Floats:
    """A curve at the best rate, of shape (seeds, epochs recorded); what is not finite is infinite."""
    return _numbers(one.found["curves"][name][one.found["best"]])


def at_end(one: Ran, name: str) -> Floats:
    """Its last value, of every seed."""
    return curve(one, name)[:, -1]


def last_epoch(one: Ran) -> str:
    """Under which the layers when training ends are kept."""
    return str(one.parameters["epochs"])


def layers(one: Ran, matrix: str, quantity: str, epoch: str | None = None) -> Floats:
    """A quantity of every seed and layer at an epoch, by default the last; an infinite condition number is infinite."""
    return _numbers(one.found["layers"][epoch or last_epoch(one)][matrix][quantity])


def hidden(one: Ran, matrix: str, quantity: str, epoch: str | None = None) -> Floats:
    """Of the layers in blocks, 2 to L - 1."""
    return layers(one, matrix, quantity, epoch)[:, 1 : one.parameters["layers"] - 1]


def greatest(one: Ran, what: str, place: int, epoch: str | None = None) -> Floats:
    """The greatest modulus in layer 1 (place 0) or L - 2 (place 1), of every seed."""
    return _numbers(one.found["layers"][epoch or last_epoch(one)]["greatest"][what])[:, place]


def _numbers(values: Any) -> Floats:
    found = np.array(values, dtype=float)
    return np.where(np.isnan(found), np.inf, found)


def _told(found: Mapping[str, Floats], form: str = "{:.3g}") -> str:
    def spelled(values: Floats) -> str:
        low, high = float(np.min(values)), float(np.max(values))
        return form.format(low) if low == high else f"{form.format(low)} to {form.format(high)}"

    return "; ".join(f"{kind} {spelled(values)}" for kind, values in found.items())


def _each(runs: Runs, read: Callable[[Ran], Floats]) -> dict[str, Floats]:
    return {kind: read(one) for kind, one in deepest(runs).items()}


# Falsehoods.


def _with_curve(kind: str, name: str, value: float) -> Callable[[Runs], Runs]:
    """A curve of one kind that is constant."""

    def change(one: Ran) -> Ran:
        curves = one.found["curves"]
        flat = np.full_like(np.array(curves[name], dtype=float), value).tolist()
        return one.but(curves={**curves, name: flat}) if one.parameters["kind"] == kind else one

    return lambda runs: changed(runs, change)


def _with_layers(kind: str, matrix: str, quantity: str, make: Callable[[Floats], Floats]) -> Callable[[Runs], Runs]:
    """A quantity of one kind made another at every epoch, from what it is: an array by seed and layer."""

    def change(one: Ran) -> Ran:
        if one.parameters["kind"] != kind:
            return one
        found = {
            epoch: {**every, matrix: {**every[matrix], quantity: make(_numbers(every[matrix][quantity])).tolist()}}
            for epoch, every in one.found["layers"].items()
        }
        return one.but(layers=found)

    return lambda runs: changed(runs, change)


_EXCHANGES = {f"PlainNet and {kind} exchanged.": exchanged(PLAIN, kind) for kind in WITH}


# Tables 1 to 4.


def _plain_fails(runs: Runs) -> Seen:
    found = at_end(deepest(runs)[PLAIN], "train accuracy")
    return Seen(bool(np.all(found <= 0.2)), _told({PLAIN: 100 * found}, "{:.1f} %"))


def _at_least(runs: Runs, percent: float) -> Seen:
    found = {kind: 100 * at_end(deepest(runs)[kind], "train accuracy") for kind in WITH}
    return Seen(all(bool(np.all(each >= percent)) for each in found.values()), _told(found, "{:.1f} %"))


def _others_train(runs: Runs) -> Seen:
    return _at_least(runs, 95)


def _others_test_better(runs: Runs) -> Seen:
    found = _each(runs, lambda one: 100 * at_end(one, "test accuracy"))
    return Seen(all(bool(np.all(found[kind] >= found[PLAIN] + 50)) for kind in WITH), _told(found, "{:.1f} %"))


def _resnext_best(runs: Runs) -> Seen:
    found = {kind: float(100 * np.mean(at_end(deepest(runs)[kind], "test accuracy"))) for kind in WITH}
    return Seen(
        found["ResNeXt"] >= found["ResNet"], "; ".join(f"{kind} {value:.2f} %" for kind, value in found.items())
    )


_TABLE_CRITERIA = (
    Criterion(
        "The deepest PlainNet ends with a training accuracy of at most 20 %, twice that of a guess.",
        _plain_fails,
        {"It learns a half.": _with_curve(PLAIN, "train accuracy", 0.5)},
    ),
    Criterion(
        "The deepest ResNet and ResNeXt end with at least 95 %.",
        _others_train,
        {f"{kind} learns nine tenths.": _with_curve(kind, "train accuracy", 0.9) for kind in WITH},
    ),
    Criterion(
        "Their test accuracies exceed the PlainNet's by 50 percentage points at least.",
        _others_test_better,
        {**_EXCHANGES, "The PlainNet is halfway.": _with_curve(PLAIN, "test accuracy", 0.6)},
    ),
)

_SETTING = (
    "Fully connected networks of width 32 on the digits, every fifth sample kept for the test: blocks of two layers, ReLUs, He's "
    "weights, ResNeXt as a sum of two paths, batches of 128, momentum 0.9, weight decay 0.0001, 20 epochs at the rates 0.1, 0.01 and "
    "0.001, of which the one with the least training loss counts, 3 seeds"
)

TABLES = Experiment(
    id="RS-Tab",
    title="Accuracies of Tables 1 to 4",
    source=source("Tables 1-4", "The unsuccessful training of the PlainNet is clearly reflected"),
    described="Training and test accuracies of networks of 110 and 101 layers on four sets of images: the PlainNet's are those of a guess or a "
    "little more, ResNet's and ResNeXt's high, ResNeXt's test accuracy the highest in every table.",
    protocol=f"{_SETTING}; batch normalisation after each product in a block; 20, 56 and 110 layers.",
    sweep=RELU,
    criteria=(
        *_TABLE_CRITERIA,
        Criterion(
            "The deepest ResNeXt's mean test accuracy is not below the ResNet's.",
            _resnext_best,
            {"ResNet and ResNeXt exchanged.": exchanged("ResNet", "ResNeXt")},
        ),
    ),
    remark="The text names no normalisation, the networks that it cites have one. Trials with one seed and 12 epochs, before the criteria, "
    "settled that: without it none of the three trains (RS-Bare). Those trials had accuracies like these.",
)

BARE_TABLES = Experiment(
    id="RS-Bare",
    title="The same accuracies without batch normalisation, as printed",
    source=source("section 6.1", "all model parameters are initialized as random Gaussian tensors using"),
    described="The same ordering; section 6.1 lists the settings, and batch normalisation is not among them.",
    protocol=f"{_SETTING}; no normalisation; 110 layers.",
    sweep=BARE,
    criteria=_TABLE_CRITERIA,
    remark="At He's weights a branch of $p$ paths has $2 p$ times the mean square of its input, so that a residual block multiplies it by $1 + 2 p$ "
    "before the last ReLU, and by half of that at least after it, for the input is not negative: through 54 blocks activations grow by more "
    "than $10^4$. Those lines are drawn.",
)


# Figures 2 to 6.


def _losses_apart(runs: Runs) -> Seen:
    ratios = {
        f"{part}, against {kind}": at_end(deepest(runs)[PLAIN], f"{part} loss")
        / at_end(deepest(runs)[kind], f"{part} loss")
        for part in ("train", "test")
        for kind in WITH
    }
    return Seen(all(bool(np.all(each >= 5)) for each in ratios.values()), f"ratios: {_told(ratios)}")


def _loss_extreme(runs: Runs) -> Seen:
    found = np.max(curve(deepest(runs)[PLAIN], "train loss"), axis=1)
    return Seen(bool(np.all(found >= 10 * log(10))), f"at most {_told({PLAIN: found})}")


def _ten_times(what: str) -> Callable[[Runs], Seen]:
    def look(runs: Runs) -> Seen:
        found = _each(runs, lambda one: greatest(one, what, 0))
        return Seen(all(bool(np.all(found[PLAIN] >= 10 * found[kind])) for kind in WITH), _told(found))

    return look


def _collapse(runs: Runs) -> Seen:
    found = _each(runs, lambda one: greatest(one, "weights", 1) / greatest(one, "weights", 1, "0"))
    plain, others = found[PLAIN] <= 0.1, [found[kind] >= 0.5 for kind in WITH]
    return Seen(bool(np.all(plain) and np.all(others)), f"in parts of its first value: {_told(found)}")


def _scaled_greatest(kind: str, what: str, place: int, factor: float) -> Callable[[Runs], Runs]:
    """The greatest modulus in a layer of one kind multiplied, but not where training starts."""

    def change(one: Ran) -> Ran:
        if one.parameters["kind"] != kind:
            return one
        found = dict(one.found["layers"])
        for epoch, every in found.items():
            values = _numbers(every["greatest"][what])
            values[:, place] *= factor if epoch != "0" else 1.0
            found[epoch] = {**every, "greatest": {**every["greatest"], what: values.tolist()}}
        return one.but(layers=found)

    return lambda runs: changed(runs, change)


def _range(what: str, told: str) -> Criterion:
    return Criterion(
        f"When training ends, the greatest {told} in layer 1 of the PlainNet is at least ten times those of the others.",
        _ten_times(what),
        {**_EXCHANGES, "It is zero.": _scaled_greatest(PLAIN, what, 0, 0.0)},
    )


RANGES = Experiment(
    id="RS-F2..F6",
    title="Training curves, and activations, weights and gradients along training",
    source=source(
        "Figures 2-6", "The difficult of optimizing the PlainNet is evident in the extremely large training loss"
    ),
    described="Losses and accuracies along training, and activations, weights and gradients of layers 1 and 108: extremely large losses of "
    "the PlainNet; in its first layer activations to $10^6$, weights in the hundred thousands and gradients from -5 to 5, against 6.5, 2.6 and 0.8 "
    "at most in the others; at layer 108 its weights collapse to zero and those of the others stay.",
    protocol=f"{_SETTING}; batch normalisation after each product in a block; layers 1 and 108 of 110, on all training samples.",
    sweep=RELU,
    criteria=(
        Criterion(
            "When training ends, the PlainNet's training and test losses are at least five times those of ResNet and ResNeXt.",
            _losses_apart,
            {**_EXCHANGES, "Its training loss is zero.": _with_curve(PLAIN, "train loss", 0.0)},
        ),
        Criterion(
            "Its training loss is extremely large: at some recorded epoch ten times log 10, that of a guess.",
            _loss_extreme,
            {"It is always that of a guess.": _with_curve(PLAIN, "train loss", log(10))},
        ),
        _range("activations", "activation"),
        _range("weights", "weight"),
        _range("gradients", "derivative in a weight"),
        Criterion(
            "At layer $L - 2$ the PlainNet's greatest weight falls to a tenth of its first value, the others' not below half.",
            _collapse,
            {
                "It stays.": _scaled_greatest(PLAIN, "weights", 1, 1e9),
                **{f"{kind}'s falls.": _scaled_greatest(kind, "weights", 1, 1e-9) for kind in WITH},
            },
        ),
    ),
    remark="The PlainNet's first gradients grow from the last layer to the first, and throw the first weights out of their range within an "
    "epoch; batch normalisation hides that from the layers behind, and lets no gradient back that would mend it. Samples that are as good as "
    "independent differ after a ReLU by the variance $1/2 - 1/(2 \\pi)$, and half of the slopes pass it: normalised again, a layer multiplies the mean "
    "square of a slope by $\\pi/(\\pi - 1)$. By that law the gradient of layer 1 is drawn from that of layer $L - 2$.",
)


# Figures 7 to 11: condition numbers.


def medians(one: Ran, matrix: str, quantity: str = "kappa", epoch: str | None = None) -> Floats:
    """The median over the layers in blocks, of every seed."""
    return np.median(hidden(one, matrix, quantity, epoch), axis=1)


def _third(one: Ran, matrix: str, part: int) -> Floats:
    """The median over the first (0) or the last (2) third of the layers in blocks, of every seed."""
    return np.median(np.array_split(hidden(one, matrix, "kappa"), 3, axis=1)[part], axis=1)


def _higher(matrix: str) -> Callable[[Runs], Seen]:
    def look(runs: Runs) -> Seen:
        found = _each(runs, lambda one: medians(one, matrix))
        holds = all(bool(np.all(found[PLAIN] > found[kind])) for kind in WITH)
        return Seen(holds, rf"medians of $\log_{{10}}$: {_told(found)}")

    return look


def _grows_with_layers(runs: Runs) -> Seen:
    one = deepest(runs)[PLAIN]
    first, last = _third(one, "W", 0), _third(one, "W", 2)
    return Seen(bool(np.all(last > first)), rf"$\log_{{10}}$: {_told({'first third': first, 'last third': last})}")


def singular_share(one: Ran) -> Floats:
    """In how many of the layers in blocks H is singular numerically, of every seed."""
    return np.mean(hidden(one, "H", "rank") < one.parameters["width"], axis=1)


def dead_share(one: Ran) -> Floats:
    """In how many of them a unit is dead on all samples, so that H is singular exactly."""
    return np.mean(hidden(one, "H", "dead") > 0, axis=1)


def _plain_singular(runs: Runs) -> Seen:
    one = deepest(runs)[PLAIN]
    found, dead = singular_share(one), dead_share(one)
    told = f"in {_told({'its layers': 100 * found}, '{:.0f} %')} by rank; with dead units in {_told({'': 100 * dead}, '{:.0f} %').strip()}"
    return Seen(bool(np.all(found >= 0.5)), told)


def _others_regular(runs: Runs) -> Seen:
    found = {
        kind: 100 * np.mean(stream(one, "rank") < one.parameters["width"], axis=1)
        for kind, one in deepest(runs).items()
        if kind in WITH
    }
    return Seen(all(not each.any() for each in found.values()), f"singular in {_told(found, '{:.0f} %')} of the blocks")


def stream(one: Ran, quantity: str, epoch: str | None = None) -> Floats:
    """Of the hidden representation after each block, of every seed: layers 3, 5, ..., L - 1."""
    return layers(one, "H", quantity, epoch)[:, 2 : one.parameters["layers"] - 1 : 2]


def _falls_along_layers(runs: Runs) -> Seen:
    found = dict[str, Floats]()
    for kind in WITH:
        parts = np.array_split(stream(deepest(runs)[kind], "kappa"), 3, axis=1)
        found[kind] = np.median(parts[2], axis=1) - np.median(parts[0], axis=1)
    return Seen(
        all(bool(np.all(each < 0)) for each in found.values()),
        rf"the change of the median of $\log_{{10}}$: {_told(found)}",
    )


def _reversed(values: Floats) -> Floats:
    return values[:, ::-1].copy()


_HIGH = {
    matrix: {
        "It is that of the identity.": _with_layers(PLAIN, matrix, "kappa", np.zeros_like),
        **_EXCHANGES,
    }
    for matrix in "WH"
}

_SINGULAR = Criterion(
    "The PlainNet's hidden representations are singular, by their numerical rank, in at least half of the layers.",
    _plain_singular,
    {"They have full rank.": _with_layers(PLAIN, "H", "rank", lambda values: np.full_like(values, 10_000))},
)
_REGULAR = Criterion(
    "ResNet's and ResNeXt's have full rank after every block.",
    _others_regular,
    {f"{kind}'s lack one.": _with_layers(kind, "H", "rank", lambda values: values - 1) for kind in WITH},
)
_WEIGHTS_HIGHER = Criterion(
    "When training ends, the median over layers of the weights' condition number is greater in the PlainNet than in the others.",
    _higher("W"),
    _HIGH["W"],
)
_HIDDEN_HIGHER = Criterion(
    "So is that of the hidden representations' condition numbers.",
    _higher("H"),
    _HIGH["H"],
)

CONDITIONS = Experiment(
    id="RS-F7..F11",
    title="Condition numbers of weights and hidden representations against depth",
    source=source("Figures 7-11", "the condition number of the PlainNet weights grows with depth"),
    described="Condition numbers of each layer's weights and hidden representations in trained networks of 110 and 200 layers: the "
    "PlainNet's weights have greater ones that grow with depth; its hidden representations have infinite ones from layer 1 to 70 or 80, "
    "those of ResNet and ResNeXt are high in early layers, finite everywhere, and fall.",
    protocol=f"{_SETTING}; batch normalisation after each product in a block; 110 layers. Singular exactly by dead units (zero on every "
    "sample) and singular to working precision are told apart.",
    sweep=RELU,
    criteria=(
        _WEIGHTS_HIGHER,
        Criterion(
            "In the PlainNet it is greater in the last third of the layers than in the first.",
            _grows_with_layers,
            {"The layers in the other order.": _with_layers(PLAIN, "W", "kappa", _reversed)},
        ),
        _HIDDEN_HIGHER,
        _SINGULAR,
        _REGULAR,
        Criterion(
            "In ResNet and ResNeXt the median of the last third of the blocks is below that of the first.",
            _falls_along_layers,
            {f"{kind}'s layers in the other order.": _with_layers(kind, "H", "kappa", _reversed) for kind in WITH},
        ),
    ),
    remark=r"Products of independent linear layers lose digits at the rate of their Lyapunov gap (RS-LG): the dashed line, which RS-F12..F13 keeps to. ReLUs and "
    r"normalisation between the layers are no part of that law: from the first layers on $\kappa(H)$ stays far below it, and nothing here predicts by how much, "
    r"nor $\kappa(W)$ of trained layers.",
)

LINEAR_CONDITIONS = Experiment(
    id="RS-F12..F13",
    title="The same with linear units",
    source=source(
        "Figures 12-13", "we train the PlainNet, ResNet and ResNeXt with 164 layers using the linear activation"
    ),
    described="The same in networks of 164 layers with linear units: the PlainNet's condition numbers are high as compared with the others', "
    "whose hidden representations have finite ones in every layer.",
    protocol=f"{_SETTING.replace('width 32', 'width 10').replace('ReLUs', 'linear units')}; batch normalisation after each product in a block; "
    "164 layers. They are as wide as the data have rows: in a wider linear network every hidden representation is singular. A first run took "
    "ResNeXt's paths together, 20 units that have rank 10 at most; each counts for itself now, and the criteria are as they were.",
    sweep=LINEAR,
    criteria=(_WEIGHTS_HIGHER, _HIDDEN_HIGHER, _SINGULAR, _REGULAR),
    remark=r"A product of $l$ independent normal matrices has a condition number whose logarithm grows by $(\psi(d/2) - \psi(1/2))/2$ a layer "
    "(RS-LG); that line is drawn, up to what float64 resolves.",
)


# Equation 26 and Remarks 4 to 6.


def _updates_are(within: Callable[[Floats], np.ndarray]) -> Callable[[Runs], Seen]:
    """Whether the PlainNet's median sizes of updates, over those of weights, are within these limits."""

    def look(runs: Runs) -> Seen:
        found = _each(runs, lambda one: _update(one, "0"))
        holds = bool(np.all(within(found[PLAIN])))
        return Seen(holds, rf"median of $\lvert\Delta W\rvert/\lvert W\rvert$: {_told(found)}")

    return look


def _update(one: Ran, epoch: str) -> Floats:
    values = _numbers(one.found["layers"][epoch]["update"])[:, 1 : one.parameters["layers"] - 1]
    return 10 ** np.median(values, axis=1)


def _other_updates(decades: float) -> Callable[[Runs], Runs]:
    """The same runs with updates that are so many orders of magnitude greater."""

    def change(one: Ran) -> Ran:
        found = one.found["layers"]
        return one.but(
            layers={
                epoch: {**every, "update": (_numbers(every["update"]) + decades).tolist()}
                for epoch, every in found.items()
            }
        )

    return lambda runs: changed(runs, change)


EARLY = Experiment(
    id="RS-Eq26",
    title="Weights are like their updates early in training",
    source=source(
        "Eq. 26",
        "large weight updates are made at the start of training. As such, if the total number of iterations is T, we can write W^l(t) ~ Delta W^l(t) : 1 <= t << T",
    ),
    described="No figure: early in training $W$ is taken to be like its update, for updates are large there; the singularity of the update "
    "is then said to be that of $W$.",
    protocol=f"{_SETTING}; batch normalisation after each product in a block; 110 layers. The update is the rate times the gradient on all "
    "training samples where training starts, its size the Frobenius norm.",
    sweep=RELU,
    criteria=(
        Criterion(
            "At the start the PlainNet's updates have at least half of the size of its weights, in the median over layers.",
            _updates_are(lambda found: found >= 0.5),
            {"They are ten orders of magnitude smaller.": _other_updates(-10)},
        ),
        Criterion(
            "They have at most twice that size: a limit that was added after the runs.",
            _updates_are(lambda found: found <= 2.0),
            {"They are ten orders of magnitude greater.": _other_updates(10)},
        ),
    ),
    remark="Equation 26 is the line. Before the runs the lower limit alone was fixed, which every larger update passes; to be like each "
    "other is to agree within a factor of two either way, and the upper limit was added after the runs, knowing them. The "
    "PlainNet's updates are greater than its weights where training starts, for its first gradients are large (RS-F2..F6), "
    "too great to be like them; those of the others are far below, so that Equation 26 holds for none of the three.",
)


def _ranks(one: Ran, matrix: str, epoch: str) -> Floats:
    """The share of the layers in blocks in which a matrix lacks rank, of every seed."""
    return np.mean(hidden(one, matrix, "rank", epoch) < one.parameters["width"], axis=1)


def _signals(runs: Runs) -> dict[str, dict[str, Floats]]:
    """By matrix, then kind: the greatest share over the epochs at which layers were measured, of every seed."""
    return {
        matrix: {
            kind: np.max([_ranks(one, matrix, epoch) for epoch in one.found["layers"]], axis=0)
            for kind, one in deepest(runs).items()
        }
        for matrix in ("Delta", "G")
    }


def _plain_updates_singular(runs: Runs) -> Seen:
    found = {matrix: 100 * each[PLAIN] for matrix, each in _signals(runs).items()}
    return Seen(all(bool(np.all(each >= 50)) for each in found.values()), _told(found, "{:.0f} %"))


def _other_updates_regular(runs: Runs) -> Seen:
    found = {f"{matrix} of {kind}": 100 * each[kind] for matrix, each in _signals(runs).items() for kind in WITH}
    return Seen(all(bool(np.all(each <= 10)) for each in found.values()), _told(found, "{:.0f} %"))


def _ranked(kinds: Sequence[str], by: float) -> Callable[[Runs], Runs]:
    """Every rank of Delta and of the gradient multiplied."""

    def falsify(runs: Runs) -> Runs:
        for kind in kinds:
            for matrix in ("Delta", "G"):
                runs = _with_layers(kind, matrix, "rank", lambda values: values * by)(runs)
        return runs

    return falsify


SIGNALS = Experiment(
    id="RS-R4..R6",
    title="Error signals and updates along training",
    source=source("Remarks 4-6", "the error gradient estimate"),
    described=r"No figure: the PlainNet's error signals $\Delta$ and its updates are singular, those of ResNet and ResNeXt are not.",
    protocol=f"{_SETTING}; batch normalisation after each product in a block; 110 layers. Numerical ranks on all training samples, at the start, "
    "after one epoch and at the end, at the epoch with most singular layers.",
    sweep=RELU,
    criteria=(
        Criterion(
            r"The PlainNet's $\Delta$ and its updates lack rank in at least half of the layers.",
            _plain_updates_singular,
            {"They never do.": _ranked((PLAIN,), 10_000)},
        ),
        Criterion(
            "Those of ResNet and ResNeXt lack rank in at most a tenth of the layers.",
            _other_updates_regular,
            {"Their ranks are halved.": _ranked(WITH, 0.5)},
        ),
    ),
    remark=r"With a softmax over $C$ classes and linear units every $\Delta$ has a rank of at most $C - 1$, so that Remarks 5 and 6 fail (RS-R5). ReLUs and "
    "batch normalisation act on each entry and each unit, and lift that bound, the dotted line, in every layer but the last.",
)


# Proposition 3, and section 6.5 (a).


def solutions(one: Ran, quantity: str, epoch: str | None = None) -> Floats:
    """Of the last hidden representation at an epoch, by default the last, of every seed; infinite where it lacks rank."""
    return _numbers([each[quantity] for each in one.found["layers"][epoch or last_epoch(one)]["solutions"]])


def _within_kappa(runs: Runs) -> Seen:
    def parts(one: Ran) -> Floats:
        change, kappa = (
            np.concatenate([solutions(one, name, epoch) for epoch in one.found["layers"]])
            for name in ("change", "kappa")
        )
        known = np.isfinite(change) & np.isfinite(kappa)
        return change[known] / kappa[known]

    some = {kind: each for kind, each in _each(runs, parts).items() if each.size}
    return Seen(
        bool(some) and all(bool(np.all(each <= 1)) for each in some.values()),
        rf"in parts of $\kappa$, where $H$ has full rank: {_told(some) or 'nowhere'}",
    )


def _plain_fragile(runs: Runs) -> Seen:
    found = _each(runs, lambda one: solutions(one, "change"))
    return Seen(all(bool(np.all(found[PLAIN] > found[kind])) for kind in WITH), _told(found))


def _changes(kind: str, factor: float) -> Callable[[Runs], Runs]:
    """The changes of one kind's solutions made another multiple of kappa."""

    def change(one: Ran) -> Ran:
        if one.parameters["kind"] != kind:
            return one
        every = one.found["layers"]
        last = every[last_epoch(one)]
        moved = [
            {"change": factor * (each["kappa"] or 1.0), "kappa": each["kappa"] or 1.0} for each in last["solutions"]
        ]
        return one.but(layers={**every, last_epoch(one): {**last, "solutions": moved}})

    return lambda runs: changed(runs, change)


SOLUTIONS = Experiment(
    id="RS-P3f",
    title="How solutions change with hidden representations",
    source=source("Proposition 3", "translates to a relative change in solution"),
    described=r"No figure: the relative change of a solution is at most $\kappa(H)$ times that of $H$, and networks with skip connections, whose "
    r"$\kappa(H)$ is smaller, have the more stable solutions.",
    protocol=rf"{_SETTING}; batch normalisation after each product in a block; 110 layers. The solution is that of $\Theta H = Y$ by least squares "
    "for the last hidden $H$, its change the greatest for 11 changes of $H$ of the relative size $10^{-6}$: 10 random ones and the one "
    "that the residual magnifies most.",
    sweep=RELU,
    criteria=(
        Criterion(
            r"Wherever $H$ has full rank, at the start, after one epoch and at the end, the relative change is at most $\kappa(H)$ "
            "times that of $H$.",
            _within_kappa,
            {f"{kind}'s is twice that.": _changes(kind, 2.0) for kind in KINDS},
        ),
        Criterion(
            "The PlainNet's solution changes more than those of the others; where its $H$ lacks rank, without bound.",
            _plain_fragile,
            {"It does not change.": _changes(PLAIN, 0.0), **_EXCHANGES},
        ),
    ),
    remark=r"For least squares the first-order bound has $\kappa$ squared beside a residual (RS-P3), which shows where training starts "
    "already. Earlier counts looked at random changes alone: whether all of the PlainNet's keep to $\\kappa$ then depends on rounding "
    "errors, which great weights magnify in its training.",
)

LINEAR_TABLES = Experiment(
    id="RS-6.5a",
    title="Training problems without activations",
    source=source("section 6.5 (a)", "Training problem is beyond activation function"),
    described="No figure: with linear units the three networks train as with ReLUs, so that the PlainNet's problems are not those of its "
    "activations.",
    protocol=f"{_SETTING.replace('width 32', 'width 10').replace('ReLUs', 'linear units')}; batch normalisation after each product in a block; "
    "164 layers.",
    sweep=LINEAR,
    criteria=(
        _TABLE_CRITERIA[0],
        Criterion(
            "The others end with a training accuracy of at least 80 %; linear maps do not reach much more.",
            lambda runs: _at_least(runs, 80),
            {f"{kind} learns a half.": _with_curve(kind, "train accuracy", 0.5) for kind in WITH},
        ),
    ),
    remark="On one batch a normalised network of linear units is a linear map: its product of layers has the Lyapunov gap that RS-F12..F13 draws.",
)


EXPERIMENTS = (
    TABLES,
    BARE_TABLES,
    RANGES,
    CONDITIONS,
    LINEAR_CONDITIONS,
    EARLY,
    SIGNALS,
    SOLUTIONS,
    LINEAR_TABLES,
)
