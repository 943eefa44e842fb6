"""Figure 3, right, and Figure 8: ReLUs at the mid positions; `relu_runs` has the runs.

The criteria were fixed before the runs.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf

from proofs.demystifying_resnet.experiments import FIGURE_3 as LINEAR
from proofs.demystifying_resnet.relu_runs import NORMS, RATES, RELU_KINDS
from proofs.documents import source
from proofs.experiment import Criterion, Experiment, Ran, Runs, Seen, changed

FIGURE_3 = Experiment(
    id="DR-F3r",
    title="Frobenius norms against depth, ReLU",
    source=source("A", "Figure 3, right", "With ReLUs at mid positions"),
    described="Average Frobenius norms of the weights of 2-shortcut networks with ReLUs along training from near zero: the deeper the "
    "network, the smaller.",
    protocol="2-shortcut networks with a ReLU in each branch, on every sixth digit; gradient descent, 1000 epochs at the rate 0.1, 3 seeds; "
    "the norm is averaged over layers and seeds. The criteria are those of DR-F3.",
    sweep=NORMS,
    criteria=LINEAR.criteria,
)


def mean_losses(runs: Runs, kind: str) -> dict[int, list[tuple[float, float]]]:
    """By depth, the rates and the means over seeds of the last loss, infinite at a rate at which a seed diverges."""
    found: dict[int, list[tuple[float, float]]] = {}
    for one in runs.values():
        if one.parameters["kind"] == kind:
            found[one.parameters["layers"]] = [
                (rate, inf if None in values else sum(values) / len(values))
                for rate, values in zip(one.parameters["rates"], one.found["losses"], strict=True)
            ]
    return dict(sorted(found.items()))


def least(runs: Runs, kind: str) -> dict[int, float]:
    """By depth, the least of them."""
    return {depth: min(loss for _, loss in each) for depth, each in mean_losses(runs, kind).items()}


def _best_when_deep(runs: Runs) -> Seen:
    found = {kind: least(runs, kind) for kind in RELU_KINDS}
    deepest = max(found["2-shortcut"])
    at_end = {kind: each[deepest] for kind, each in found.items()}
    holds = all(at_end["2-shortcut"] < loss for kind, loss in at_end.items() if kind != "2-shortcut")
    return Seen(holds, f"at depth {deepest}: " + ", ".join(f"{kind} {loss:.3g}" for kind, loss in at_end.items()))


def _as_good_when_deep(runs: Runs) -> Seen:
    found = list(least(runs, "2-shortcut").values())
    return Seen(max(found) <= 1.2 * found[0], f"at most {max(found) / found[0]:.3g} times that of the least depth")


def _same_at_all_rates(runs: Runs) -> Seen:
    told, holds = list[str](), True
    for kind in ("orthogonal", "Xavier"):
        depth, each = max(mean_losses(runs, kind).items())
        losses = [loss for _, loss in each if loss < inf]
        holds = holds and bool(losses) and max(losses) <= 1.05 * min(losses)
        told.append(f"{kind} {min(losses):.3g} to {max(losses):.3g}" if losses else f"{kind} diverged")
    return Seen(holds, f"at depth {depth}: {'; '.join(told)}")


def _with_losses(kind: str, change: Callable[[Ran], list[list[float | None]]]) -> Callable[[Runs], Runs]:
    return lambda runs: changed(
        runs, lambda one: one.but(losses=change(one)) if one.parameters["kind"] == kind else one
    )


def _constant(loss: float) -> Callable[[Ran], list[list[float | None]]]:
    return lambda one: [[loss for _ in values] for values in one.found["losses"]]


def _like_the_depth(one: Ran) -> list[list[float | None]]:
    return [[one.parameters["layers"] for _ in values] for values in one.found["losses"]]


def _apart(one: Ran) -> list[list[float | None]]:
    return [[0.1 * (place + 1) for _ in values] for place, values in enumerate(one.found["losses"])]


FIGURE_8 = Experiment(
    id="DR-F8",
    title="Final losses and learning rates against depth, ReLU",
    source=source("A", "Figure 8", "Optimal final losses of different networks with ReLUs in mid"),
    described="Final losses at the optimal learning rate, and that rate, against depth to 64, with ReLUs at the mid positions: orthogonal and "
    "Xavier weights have difficulties finding the optimum, and at depth 64 their losses are basically the same at every rate; 2-shortcut "
    "networks find it as easily as without ReLUs.",
    protocol="Gradient descent on every sixth digit, 1000 epochs, 3 seeds, learning rates from 0.01 to 1, two to a decade; the optimal rate has "
    "the least mean loss, and none at which a seed diverges counts. Plain networks have their ReLUs at the same places.",
    sweep=RATES,
    criteria=(
        Criterion(
            "At the greatest depth the 2-shortcut networks' final loss is below those from orthogonal and Xavier weights.",
            _best_when_deep,
            {"It is that of no finite rate.": _with_losses("2-shortcut", _constant(1e9))},
        ),
        Criterion(
            "At no depth it exceeds that of the least depth by more than a fifth.",
            _as_good_when_deep,
            {"It grows like the depth.": _with_losses("2-shortcut", _like_the_depth)},
        ),
        Criterion(
            "At the greatest depth those from orthogonal and Xavier weights differ by at most 5 % between the rates that do not diverge.",
            _same_at_all_rates,
            {f"They differ from {kind} weights.": _with_losses(kind, _apart) for kind in ("orthogonal", "Xavier")},
        ),
    ),
    remark="Near zero the branch of a 2-shortcut network with a ReLU is as small as without: at zero there is no Hessian, but the loss still "
    "goes down to second order (DR-ReLU).",
)

EXPERIMENTS = (FIGURE_3, FIGURE_8)
