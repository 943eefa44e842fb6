"""Pictures of the counterexamples to the note on *Identity Matters*: the loss above its infimum."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from resproof.proofs.pictures import Plot, Stroke, between, graph, line


def least_excess(least: Callable[[int, Fraction], Fraction]) -> Plot:
    """The least f - C over all weights of modulus at most b, for several numbers of layers l."""
    places = between(0, Fraction(9, 4), 36)
    return Plot(
        "The least $f - C$ that weights of modulus at most $b$ reach: above 1 as long as $b < 1$, with any number of layers.",
        "$b$",
        "least $f - C$",
        tuple(graph(f"$l = {layers}$", lambda b, layers=layers: least(layers, b), places) for layers in (1, 2, 4)),
    )


def on_both_sides(values: Mapping[tuple[int, ...], tuple[float, ...]]) -> Plot:
    """Functions of one dimension by weights and values at 1 and -1, linear on both sides of zero, and |x|."""
    return Plot(
        "Three layers, some weights: as with two layers, $f$ is zero on one side of zero; so it is whatever the weights are.",
        "$x$",
        "$f(x)$",
        (
            *(
                line(f"weights {', '.join(map(str, weights))}", ((-1, left), (0, 0), (1, right)))
                for weights, (right, left) in values.items()
            ),
            line(r"$\lvert x\rvert$, which no weights give", ((-1, 1), (0, 0), (1, 1)), printed=True),
        ),
    )


def stuck(
    stepped: Callable[[float, int, Fraction], float], excess: Callable[[float, int], float], step: Fraction
) -> Plot:
    """f - C along gradient descent from u = 1, for several numbers of layers."""
    steps = 100

    def run(layers: int) -> Stroke:
        u, found = 1.0, list[float]()
        for _ in range(steps + 1):
            found.append(excess(u, layers))
            u = stepped(u, layers, step)
        return line(f"$l = {layers}$", enumerate(found))

    return Plot(
        "Gradient descent from zero weights: $f - C$ falls to 2 and no further.",
        f"steps of {step}",
        "$f - C$",
        (*map(run, (2, 3, 5)), line("global minimum", ((0, 0), (steps, 0)), printed=True)),
    )
