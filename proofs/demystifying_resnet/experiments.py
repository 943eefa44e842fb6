"""The paper's experiments on linear networks, each with the criteria by which it is judged.

The criteria were fixed before the runs: they put numbers to the paper's own sentences. `training_runs` has the runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from math import inf, log, log10
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resproof.proofs.demystifying_resnet.documents import source
from resproof.proofs.demystifying_resnet.leaving_zero import crossing, half_gone, loss_taken_by
from resproof.proofs.demystifying_resnet.training_runs import ALONG, INITIAL, KINDS, NORMS, RATES, SPECTRA
from resproof.proofs.experiment import Criterion, Experiment, Ran, Runs, Seen, changed, exchanged

Floats = NDArray[np.float64]
Curve = dict[int, float]
"""A value at each depth."""


# Figure 4: initial condition numbers.


def logarithms(runs: Runs, kind: str, of: Callable[[Ran], Any]) -> dict[int, Floats]:
    """Of what each run of a kind has found, to base ten, by depth."""
    found = {one.parameters["layers"]: np.log10(of(one)) for one in runs.values() if one.parameters["kind"] == kind}
    return dict(sorted(found.items()))


def initial_conditions(runs: Runs, kind: str) -> dict[int, Floats]:
    """The logarithms of the condition numbers of every draw, by depth."""
    return logarithms(runs, kind, lambda one: np.divide(one.found["greatest"], one.found["tenth"]))


def means(values: Mapping[int, Floats]) -> Curve:
    """The mean at each depth."""
    return {depth: float(np.mean(each)) for depth, each in values.items()}


def slope(curve: Mapping[int, float]) -> float:
    """Of values, which are logarithms to base ten, against the logarithm of the depth, by least squares."""
    return float(np.polyfit(np.log10(list(curve)), list(curve.values()), 1)[0])


def constant(conditions: Callable[[Runs, str], dict[int, Floats]], factor: float) -> Callable[[Runs], Seen]:
    """Whether those of 2-shortcut networks lie within this factor of each other."""

    def look(runs: Runs) -> Seen:
        found = means(conditions(runs, "2-shortcut"))
        low, high = 10 ** min(found.values()), 10 ** max(found.values())
        return Seen(high <= factor * low, f"from {low:.4g} to {high:.4g}, over depths {min(found)} to {max(found)}")

    return look


def _grows(runs: Runs) -> Seen:
    found = means(initial_conditions(runs, "orthogonal"))
    values = list(found.values())
    rising = all(late > early for early, late in pairwise(values))
    return Seen(rising, f"{'rising' if rising else 'not rising'} from {10 ** values[0]:.4g} to {10 ** values[-1]:.4g}")


def _grows_faster(runs: Runs) -> Seen:
    ours, theirs = (slope(means(initial_conditions(runs, kind))) for kind in ("Xavier", "orthogonal"))
    return Seen(ours > theirs, f"like the depth to the power {ours:.2f}, against {theirs:.2f}")


def grown(kind: str, power: float) -> Callable[[Runs], Runs]:
    """Condition numbers of this kind multiplied by the depth to some power."""

    def change(one: Ran) -> Ran:
        if one.parameters["kind"] != kind:
            return one
        factor = one.parameters["layers"] ** power
        return one.but(greatest=[value * factor for value in one.found["greatest"]])

    return lambda runs: changed(runs, change)


def _as_slow(runs: Runs) -> Runs:
    """Xavier weights with the condition numbers of orthogonal ones."""
    orthogonal = {
        one.parameters["layers"]: one.found for one in runs.values() if one.parameters["kind"] == "orthogonal"
    }
    return changed(
        runs,
        lambda one: one.but(**orthogonal[one.parameters["layers"]]) if one.parameters["kind"] == "Xavier" else one,
    )


def flat(runs: Runs) -> Runs:
    """Orthogonal weights at every depth with the condition numbers of the least depth."""
    mine = [one for one in runs.values() if one.parameters["kind"] == "orthogonal"]
    least = min(mine, key=lambda one: one.parameters["layers"]).found
    return changed(runs, lambda one: one.but(**least) if one.parameters["kind"] == "orthogonal" else one)


FIGURE_4 = Experiment(
    id="DR-F4",
    title="Initial condition numbers against depth",
    source=source(
        "A", "Figure 4", "2-shortcut linear networks have constant condition numbers as expected", "Figure 5"
    ),
    described="Condition numbers of the Hessian where training starts, against depth up to about 100, means and standard "
    "deviations of 10 draws: constant for 2-shortcut networks, growing for orthogonal weights, faster for Xavier weights.",
    protocol="10 draws; the condition number is the greatest modulus of an eigenvalue over the tenth percentile, of the "
    "whole Hessian; its logarithm is averaged.",
    sweep=INITIAL,
    criteria=(
        Criterion(
            "Those of 2-shortcut networks differ by at most 5 % between any two depths.",
            constant(initial_conditions, 1.05),
            {"They grow like the root of the depth.": grown("2-shortcut", 0.5)},
        ),
        Criterion(
            "Those at orthogonal weights rise with every step in depth.",
            _grows,
            {"They stay as they are at the least depth.": flat, "They fall.": grown("orthogonal", -3)},
        ),
        Criterion(
            "Those at Xavier weights grow with a greater power of the depth than those at orthogonal weights.",
            _grows_faster,
            {"They grow like those at orthogonal weights.": _as_slow},
        ),
    ),
    remark=r"Theorem 2 predicts the 2-shortcut networks' value at zero, $\sigma_{\max}(M)/\sigma_{\min}(M)$ with $M = S - T$, and GEN-3 a "
    "lower bound at orthogonal weights that grows like the depth (DR-init); both are drawn.",
)


# Figure 3: norms.


def final_norms(runs: Runs) -> Curve:
    """The mean Frobenius norm of a layer when training ends, over seeds, by depth."""
    found = {
        one.parameters["layers"]: float(np.mean([each[-1] for each in one.found["norms"]])) for one in runs.values()
    }
    return dict(sorted(found.items()))


def half_lives(runs: Runs) -> dict[int, tuple[list[float], float]]:
    """By depth, the epoch at which half of the loss above the least one is gone: of every seed, and as predicted near zero."""
    found: dict[int, tuple[list[float], float]] = {}
    for one in runs.values():
        core, blocks = one.found["core"], one.parameters["layers"] // 2
        excess, first = np.array(one.found["excess"], dtype=float), np.array([each[0] for each in one.found["norms"]])
        seen = [crossing(one.found["epochs"], -each, -each[0] / 2) for each in excess]
        variance = float(np.mean(first**2)) / len(core) ** 2
        expected = half_gone(core, one.parameters["rate"], blocks, variance, float(np.mean(excess[:, 0])))
        found[one.parameters["layers"]] = seen, expected
    return dict(sorted(found.items()))


def falls_with_depth(runs: Runs) -> Seen:
    """Whether every deeper network ends with the smaller norm."""
    found = final_norms(runs)
    values = list(found.values())
    exponent = slope({depth: log10(value) for depth, value in found.items()})
    return Seen(
        all(late < early for early, late in pairwise(values)),
        f"from {values[0]:.3g} at depth {min(found)} to {values[-1]:.3g} at depth {max(found)}, "
        f"like the depth to the power {exponent:.2f}",
    )


def ordered_along(runs: Runs) -> Seen:
    """Whether deeper networks have smaller norms at every recorded epoch after all norms have doubled."""
    ordered = [one for _, one in sorted(runs.items(), key=lambda item: item[1].parameters["layers"])]
    along = np.array([np.mean(np.array(one.found["norms"], dtype=float), axis=0) for one in ordered])
    after = np.all(along >= 2 * along[:, :1], axis=0)
    if not after.any():
        return Seen(False, "the norms never doubled in all networks")
    steps = np.max(along[1:, after] / along[:-1, after] - 1, axis=0)  # of a depth over the one before it
    epochs = np.asarray(ordered[0].found["epochs"])[after]
    falling = steps < 0
    told = f"at {falling.sum()} of {falling.size} recorded epochs, from epoch {epochs[0]} on"
    if not falling.all():
        told += f"; a deeper network's norm is greater last at epoch {epochs[~falling][-1]}, by {100 * steps.max():.2g} % at most"
    return Seen(bool(falling.all()), told)


def shuffled_depths(runs: Runs) -> Runs:
    """The norms of the deepest network exchanged with those of the shallowest."""
    names = sorted(runs, key=lambda name: runs[name].parameters["layers"])
    first, last = runs[names[0]], runs[names[-1]]
    return {**runs, names[0]: first.but(**last.found), names[-1]: last.but(**first.found)}


def late_crossing(runs: Runs) -> Runs:
    """Two neighbouring depths exchanged before the end."""
    names = sorted(runs, key=lambda name: runs[name].parameters["layers"])
    one, other = (runs[name].found["norms"] for name in names[:2])
    mixed = (
        [[*b[:-1], a[-1]] for a, b in zip(one, other, strict=True)],
        [[*a[:-1], b[-1]] for a, b in zip(one, other, strict=True)],
    )
    return {**runs, names[0]: runs[names[0]].but(norms=mixed[0]), names[1]: runs[names[1]].but(norms=mixed[1])}


FIGURE_3 = Experiment(
    id="DR-F3",
    title="Frobenius norms against depth",
    source=source("A", "Figure 3", "The average Frobenius norms of 2-shortcut networks of different", "Figure 3"),
    described="Average Frobenius norms of the weights of 2-shortcut networks along training from near zero, linear on the "
    "left, with ReLUs on the right: the deeper the network, the smaller, during training and when it ends.",
    protocol="Linear 2-shortcut networks (the left half of the figure); gradient descent, 1000 epochs at the rate 0.1, 5 "
    "seeds; the norm is averaged over layers and seeds.",
    sweep=NORMS,
    criteria=(
        Criterion(
            "When training ends, every deeper network has the smaller average norm.",
            falls_with_depth,
            {"The deepest network has the greatest.": shuffled_depths},
        ),
        Criterion(
            "So it is at every recorded epoch after the norms have doubled in all networks.",
            ordered_along,
            {
                "Two depths come in the other order until the last epoch.": late_crossing,
                "The deepest network has the greatest.": shuffled_depths,
            },
        ),
    ),
    remark="Near zero all depths grow alike, by Theorem 2's eigenvalues: the Hessian is made of the same blocks at every depth. So their "
    "norms cannot come in an order before the weights have left zero; that growth is drawn. Theorem 1 says that weights of order "
    "$R^{-1/2}$ suffice; that slope is drawn beside the norms at the end. Escape times: by the same eigenvalues half of the loss is gone after "
    r"about $\log(1/R)/(2 \log(1 + \eta \sigma_{\max}))$ epochs and a constant that is the same at every depth, the sooner the deeper (EX-3). The runs "
    "keep to that dependence on depth and are later by about the same number of epochs everywhere, for growth slows before half is gone.",
)


# Figure 7: learning rates.


def optimal(runs: Runs, kind: str) -> dict[int, tuple[float, float]]:
    """The least mean over seeds of the final loss above the optimum, and the rate it was found at, by depth.

    A rate at which a seed diverges is out of the question; infinity where they all are.
    """
    found: dict[int, tuple[float, float]] = {}
    for one in runs.values():
        table = [
            (_mean(values), rate)
            for rate, values in zip(one.parameters["rates"], one.found["excess"][kind], strict=True)
        ]
        found[one.parameters["layers"]] = min(table)
    return dict(sorted(found.items()))


def _mean(values: Sequence[float | None]) -> float:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if len(known) == len(values) else inf


def _near_optimal(runs: Runs) -> Seen:
    least = next(iter(runs.values())).found["least"]
    found = {depth: excess / least for depth, (excess, _) in optimal(runs, "2-shortcut").items()}
    worst = max(found, key=lambda depth: found[depth])
    return Seen(found[worst] <= 0.01, f"at most {100 * found[worst]:.2g} % above the optimum, at depth {worst}")


def _best_when_deep(runs: Runs) -> Seen:
    found = {kind: optimal(runs, kind) for kind in KINDS}
    deepest = max(found["2-shortcut"])
    at_end = {kind: each[deepest][0] for kind, each in found.items()}
    told = ", ".join(f"{kind} {value:.2g}" for kind, value in sorted(at_end.items(), key=lambda item: item[1]))
    holds = all(at_end["2-shortcut"] < value for kind, value in at_end.items() if kind != "2-shortcut")
    return Seen(holds, f"at depth {deepest}, above the optimum: {told}")


def _higher_rates(runs: Runs) -> Seen:
    found = {kind: optimal(runs, kind) for kind in ("2-shortcut", "orthogonal", "Xavier")}
    deepest = max(found["2-shortcut"])
    rates = {kind: each[deepest][1] for kind, each in found.items()}
    last = max(next(iter(runs.values())).parameters["rates"])
    edge = {kind: ", the greatest that was tried" if rate == last else "" for kind, rate in rates.items()}
    told = "; ".join(f"{kind} {rate:.3g}{edge[kind]}" for kind, rate in rates.items())
    return Seen(rates["2-shortcut"] > max(rates["orthogonal"], rates["Xavier"]), f"at depth {deepest}: {told}")


def _alike(runs: Runs) -> Seen:
    ours, theirs = optimal(runs, "1-shortcut"), optimal(runs, "orthogonal")
    ratios = {depth: ours[depth][1] / theirs[depth][1] for depth in ours}
    worst = max(ratios, key=lambda depth: abs(log10(ratios[depth])))
    return Seen(
        abs(log10(ratios[worst])) <= log10(2),
        f"at most the factor {max(ratios[worst], 1 / ratios[worst]):.3g}, at depth {worst}",
    )


def _with_excess(
    change: Callable[[Mapping[str, list[list[float | None]]]], Mapping[str, object]],
) -> Callable[[Runs], Runs]:
    """Runs with other final losses."""
    return lambda runs: changed(
        runs, lambda one: one.but(excess={**one.found["excess"], **change(one.found["excess"])})
    )


def _exchanged(one: str, other: str) -> Callable[[Runs], Runs]:
    return _with_excess(lambda excess: {one: excess[other], other: excess[one]})


def _all_diverged(kind: str) -> Callable[[Runs], Runs]:
    return _with_excess(lambda excess: {kind: [[None] * len(values) for values in excess[kind]]})


def _at_lower_rates(kind: str, steps: int) -> Callable[[Runs], Runs]:
    """What was found at a rate is found some steps of the grid below it."""
    return _with_excess(lambda excess: {kind: [*excess[kind][steps:], *([[None] * len(excess[kind][0])] * steps)]})


FIGURE_7 = Experiment(
    id="DR-F7",
    title="Final losses and learning rates against depth, linear",
    source=source("A", "Figure 7", "the final losses of 2-shortcut linear networks stay close", "Figure 9"),
    described="Final losses at the optimal learning rate, and that rate, against depth to 96, for linear networks with "
    "shortcut depth 1, 2, 3 and plain ones with orthogonal and Xavier weights: those of 2-shortcut networks stay close to "
    "optimal, at higher rates; 1-shortcut networks train like orthogonal weights (section 5).",
    protocol="Gradient descent, 1000 epochs, 5 seeds, learning rates from 0.001 to 3.16, four to a decade; the optimal rate has "
    "the least mean loss, and none at which a seed diverges counts.",
    sweep=RATES,
    criteria=(
        Criterion(
            "The 2-shortcut networks' final losses are within 1 % of the optimum at every depth.",
            _near_optimal,
            {
                "They diverge.": _all_diverged("2-shortcut"),
                "They end a tenth above it.": _with_excess(
                    lambda excess: {"2-shortcut": [[0.1] * len(values) for values in excess["2-shortcut"]]}
                ),
            },
        ),
        Criterion(
            "At the greatest depth they are below those of every other kind.",
            _best_when_deep,
            {
                f"{kind} and 2-shortcut exchanged.": _exchanged(kind, "2-shortcut")
                for kind in KINDS
                if kind != "2-shortcut"
            },
        ),
        Criterion(
            "At the greatest depth their optimal rate is higher than at orthogonal and at Xavier weights.",
            _higher_rates,
            {"Orthogonal and 2-shortcut exchanged.": _exchanged("orthogonal", "2-shortcut")},
        ),
        Criterion(
            "The optimal rates of 1-shortcut networks and of orthogonal weights differ by at most the factor 2 at every depth.",
            _alike,
            {"1-shortcut networks take rates three steps of the grid lower.": _at_lower_rates("1-shortcut", 3)},
        ),
    ),
    remark="Where a rate exceeds 2 over the greatest eigenvalue, the first steps go uphill along it. At orthogonal weights the "
    r"greatest modulus of an eigenvalue is at least $\lfloor L/2\rfloor \lvert A\rvert$ (GEN-3): rates above the line drawn are "
    "unstable from the start where that eigenvalue is positive, of which GEN-3 says nothing.",
)


# Figures 5 and 6: spectra along training.


ZERO = 1e-11
"""A tenth percentile below this part of the greatest modulus is zero to rounding, and counts as this part."""


def height(one: Ran) -> list[float]:
    """The loss above the optimum at the points of a run; the loss itself where no optimum is known."""
    return one.found["excess"] if "excess" in one.found else one.found["loss"]


def leaves_zero(one: Ran) -> float:
    """The epoch at which half of the loss would be gone that a run takes, did its gradient go on as near zero."""
    gradient, loss = one.found["gradient"], height(one)
    known = [(epoch, value) for epoch, value in zip(gradient["epochs"], gradient["near zero"], strict=True) if value]
    every = np.arange(known[-1][0] + 1)
    norms = np.exp(np.interp(every, [epoch for epoch, _ in known], [log(value) for _, value in known]))
    return crossing(every, loss_taken_by(norms, one.parameters["rate"]), (loss[0] - min(loss)) / 2)


def common_losses(runs: Runs) -> Floats:
    """Heights that every run passes, from the greatest to the least, evenly spaced in the logarithm."""
    high = min(max(height(one)) for one in runs.values())
    low = max(min(height(one)) for one in runs.values())
    return np.geomspace(high, low, 25)


def at_losses(one: Ran, values: Sequence[float] | Floats, losses: Floats) -> Floats:
    """Values along a run at these heights: linear interpolation in their logarithm."""
    order = np.argsort(height(one), kind="stable")
    known = np.log(np.asarray(height(one), dtype=float)[order])
    return np.interp(np.log(losses), known, np.asarray(values, dtype=float)[order])


def mean_at(runs: Runs, kind: str, read: Callable[[Ran], Sequence[float]], losses: Floats) -> Floats:
    """The mean over the seeds of one kind."""
    return np.mean(
        [at_losses(one, read(one), losses) for one in runs.values() if one.parameters["kind"] == kind], axis=0
    )


def condition(one: Ran) -> list[float]:
    """The greatest modulus over the tenth percentile, at the points of a run."""
    return [high / max(low, ZERO * high) for high, low in zip(one.found["greatest"], one.found["tenth"], strict=True)]


def negative(one: Ran) -> list[float]:
    """The ratio of negative eigenvalues, at the points of a run."""
    return one.found["negative"]


def _ratios(runs: Runs) -> Floats:
    losses = common_losses(runs)
    ours, theirs = (mean_at(runs, kind, condition, losses) for kind in ("2-shortcut", "orthogonal"))
    return theirs / ours


def _always_better_conditioned(runs: Runs) -> Seen:
    found = _ratios(runs)
    return Seen(
        bool((found > 1).all()),
        f"orthogonal over 2-shortcut: {found.min():.3g} at least, below 1 at {int((found <= 1).sum())} of {found.size} losses",
    )


def _better_at_large_losses(runs: Runs) -> Seen:
    found = _ratios(runs)
    return Seen(
        bool(found[0] > found[-1]), f"the ratio is {found[0]:.3g} at the greatest loss and {found[-1]:.3g} at the least"
    )


def _same_at_the_end(runs: Runs) -> Seen:
    last = float(_ratios(runs)[-1])
    return Seen(0.5 <= last <= 2, f"the ratio is {last:.3g} at the least loss")


def _conditioned(conditions: Mapping[str, float]) -> Callable[[Runs], Runs]:
    """Condition numbers that stay what they are given by kind."""

    def change(one: Ran) -> Ran:
        always, count = conditions.get(one.parameters["kind"]), len(one.found["greatest"])
        return one.but(greatest=[always] * count, tenth=[1.0] * count) if always else one

    return lambda runs: changed(runs, change)


_KINDS_EXCHANGED = exchanged(*ALONG, beside="seed")
_ALONG_PROTOCOL = (
    "Linear networks of 16 layers, 3 seeds, gradient descent, 1000 epochs at the rates "
    f"{' and '.join(f'{rate:g} ({kind})' for kind, rate in ALONG.items())}; all eigenvalues of the Hessian at 24 points along each run, "
    "interpolated between them at equal losses above the optimum, and averaged over seeds."
)

FIGURE_5 = Experiment(
    id="DR-F5",
    title="Greatest and tenth-percentile eigenvalues along training",
    source=source("A", "Figure 5", "the condition numbers of 2-shortcut networks at dif", "Figure 6"),
    described="Maxima and tenth percentiles of the moduli of the Hessian's eigenvalues against the loss at depth 16: the condition "
    "numbers of 2-shortcut networks are always smaller, especially when the loss is large, and roughly evolve to the same value "
    "as those from orthogonal weights.",
    protocol=_ALONG_PROTOCOL,
    sweep=SPECTRA,
    criteria=(
        Criterion(
            "At every loss the 2-shortcut networks' condition number is below that from orthogonal weights.",
            _always_better_conditioned,
            {
                "The kinds exchanged.": _KINDS_EXCHANGED,
                "It is infinite.": _conditioned({"2-shortcut": 1e15}),
            },
        ),
        Criterion(
            "It is smaller by a greater factor at the greatest loss than at the least.",
            _better_at_large_losses,
            {"Both are one all along.": _conditioned({"2-shortcut": 1.0, "orthogonal": 1.0})},
        ),
        Criterion(
            "At the least loss the two differ by at most the factor 2.",
            _same_at_the_end,
            {"Orthogonal weights end ten times worse.": _conditioned({"2-shortcut": 1.0, "orthogonal": 10.0})},
        ),
    ),
    remark=r"At the start, Theorem 2 gives the 2-shortcut networks' two curves: $\sigma_{\max}(M)$ and $\sigma_{\min}(M)$ with $M = S - T$. Where $F S = T$, at "
    "the least loss, the Hessian is the Gauss-Newton matrix, of rank at most $d^2$ among $16 d^2$ eigenvalues: the tenth percentile is zero there, "
    "and condition numbers end wherever the loss does.",
)


def _smaller_index(runs: Runs) -> Seen:
    losses = common_losses(runs)
    ours, theirs = (mean_at(runs, kind, negative, losses) for kind in ("2-shortcut", "orthogonal"))
    above = losses[ours >= theirs]
    where = f", from {above.min():.2g} to {above.max():.2g}" if above.size else ""
    return Seen(not above.size, f"not smaller at {above.size} of {losses.size} losses{where}")


def _drops_early(runs: Runs) -> Seen:
    shares: list[float] = []
    for one in _two_shortcut(runs):
        index = np.asarray(one.found["negative"])
        tenth = at_losses(one, index, np.array([height(one)[0] / 10]))[0]
        fall = index[0] - index.min()
        shares.append(float((index[0] - tenth) / fall) if fall else 0.0)
    return Seen(min(shares) >= 0.5, f"{100 * min(shares):.0f} % of the fall by then, in the run where it is least")


def _peak_while_dropping(runs: Runs) -> Seen:
    inside: list[bool] = []
    told: list[str] = []
    for one in _two_shortcut(runs):
        index, epochs = np.asarray(one.found["negative"]), one.found["epochs"]
        fallen = index[0] - np.minimum.accumulate(index)
        total = float(fallen[-1])
        begun = epochs[max(int(np.argmax(fallen > 0.1 * total)) - 1, 0)]
        ended = epochs[int(np.argmax(fallen >= 0.9 * total))]
        peak = one.found["steepest_epoch"]
        inside.append(total > 0 and begun < peak <= ended)
        told.append(
            f"epoch {peak} within {begun} to {ended}" if inside[-1] else f"epoch {peak} outside {begun} to {ended}"
        )
    return Seen(all(inside), "; ".join(told))


def _two_shortcut(runs: Runs) -> list[Ran]:
    return [one for one in runs.values() if one.parameters["kind"] == "2-shortcut"]


def _late_drop(runs: Runs) -> Runs:
    """An index that stays up until the last point."""
    return changed(
        runs, lambda one: one.but(negative=[one.found["negative"][0]] * (len(one.found["negative"]) - 1) + [0.0])
    )


def _peak_at(epoch: Callable[[Ran], int]) -> Callable[[Runs], Runs]:
    return lambda runs: changed(runs, lambda one: one.but(steepest_epoch=epoch(one)))


FIGURE_6 = Experiment(
    id="DR-F6",
    title="Ratio of negative eigenvalues along training",
    source=source("A", "Figure 6", "the dynamics of gradient and index of a 2-shortcut linear", "Figure 8"),
    described="Ratio of negative eigenvalues (index) against the loss at depth 16: always smaller for the 2-shortcut network, and "
    "dropping dramatically at the beginning; in a 2-shortcut run the gradient reaches its maximum while the index drops.",
    protocol=_ALONG_PROTOCOL,
    sweep=SPECTRA,
    criteria=(
        Criterion(
            "At every loss the 2-shortcut networks' index is smaller than that from orthogonal weights.",
            _smaller_index,
            {"The kinds exchanged.": _KINDS_EXCHANGED},
        ),
        Criterion(
            "In every 2-shortcut run half of the index's fall has happened when the loss above the optimum is a tenth of its first.",
            _drops_early,
            {"The index drops at the last point.": _late_drop},
        ),
        Criterion(
            "In every 2-shortcut run the gradient is greatest after the last point at which the index has done less than a tenth of its "
            "fall, and no later than the first at which it has done nine tenths.",
            _peak_while_dropping,
            {
                "It is greatest at the start.": _peak_at(lambda one: 0),
                "It is greatest at the end.": _peak_at(lambda one: one.found["epochs"][-1]),
            },
        ),
    ),
    remark="At zero half of the eigenvalues of a 2-shortcut network are negative (Theorem 2): the index starts at 1/2. Near it the gradient grows "
    "by those eigenvalues, which is drawn beside it; the two part where it peaks, for there the weights have left zero. The vertical line is the "
    "escape time: the epoch at which half of the loss would be gone, did the gradient go on as near zero.",
)

EXPERIMENTS = (FIGURE_3, FIGURE_4, FIGURE_5, FIGURE_6, FIGURE_7)
