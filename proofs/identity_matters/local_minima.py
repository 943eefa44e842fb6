"""Identity Matters: linear networks have no local minimum that is not global (EX-10)."""

from __future__ import annotations

from fractions import Fraction

from resproof.proofs.identity_matters.documents import source
from resproof.proofs.statement import Argument, Computed, Context, Statement
from resproof.proofs.theory.critical_points import CANCEL, CONVEX, GRADIENT, Outcome, Small
from resproof.proofs.theory.spurious_minima import ONE, PERTURBED, TWO, classified, components, no_spurious
from resproof.symbolic.scope import Scope

_PLAIN = {
    "l=1, d=1": (Small((1,), ONE, TWO), (-2, -1, 0, 1, 2)),
    "l=2, d=1": (Small((2,), ONE, TWO), (-2, -1, 0, 1, 2)),
    "l=3, d=1": (Small((3,), ONE, TWO), (-2, -1, 0, 1, 2)),
    "l=2, d=2": (Small((2,), ((1, 0), (0, 1)), ((1, 0), (0, 1))), (0, 1)),
    # The second sample is (0, 0), so the loss is at least |(0, 1)|^2 / 2m.
    "l=2, d=2, S singular": (Small((2,), ((1, 0), (0, 0)), ((1, 0), (0, 1)), least=Fraction(1, 4)), (0, 1)),
}


def _plain_components(_: Context) -> Computed:
    """The components of the set of critical points for d = 1, X = 1, Y = 2."""
    found = {name: components(net) for name, (net, _) in _PLAIN.items() if net.d == 1}
    return Computed(found, Scope.of(*(f"{name}, m=1, X=1, Y=2" for name in found)))


_PLAIN_COMPONENTS = {
    "l=1, d=1": ("w1 - 2",),
    "l=2, d=1": ("w1*w2 - 2", "w1, w2"),
    "l=3, d=1": ("w1*w2*w3 - 2", "w1, w2", "w1, w3", "w2, w3"),
}


def _plain_outcomes(_: Context) -> Computed:
    return Computed(classified(_PLAIN), Scope.of(*_PLAIN))


_PLAIN_OUTCOMES: dict[str, set[Outcome]] = {
    "l=1, d=1": {"least"},
    "l=2, d=1": {"least", 2},
    "l=3, d=1": {"least", 2, 3},
    "l=2, d=2": {"least", 2},
    "l=2, d=2, S singular": {"least", 2},
}

EX_10 = Statement(
    id="EX-10",
    title="Linear networks have no local minimum that is not global",
    source=source("Theoretically Awesome", "there are no sub-optimal local minima"),
    sentence=r"For $f(x) = W_l \cdots W_1 x$ with $W_1, \ldots, W_{l-1}$ of shape $d \times d$ and $W_l$ of shape $k \times d$ "
    "every local minimum of the squared error is a global one.",
    latex=r"W \text{ a local minimum of } \mathbb E\,\|y - W_l \cdots W_1 x\|^2 \implies W \text{ a global minimum}",
    for_all={"l": 1, "d": 1, "k": 1, "m": 1},
    arguments=(
        GRADIENT,
        CONVEX,
        CANCEL,
        *PERTURBED,
        Argument(
            "All critical points of the smallest networks",
            "explicit",
            _plain_components,
            _PLAIN_COMPONENTS,
            {
                "only global minima": {**_PLAIN_COMPONENTS, "l=2, d=1": ("w1*w2 - 2",)},
                "all weights vanish": {**_PLAIN_COMPONENTS, "l=3, d=1": ("w1*w2*w3 - 2", "w1, w2, w3")},
            },
            explanation="Groebner bases of the gradient, split into components: the global minima, and where two weights "
            "vanish.",
        ),
        Argument(
            "At each critical point on a grid: the least loss, or the least degree with which the loss falls along a ray",
            "explicit",
            _plain_outcomes,
            _PLAIN_OUTCOMES,
            {
                "every critical point is global": {**_PLAIN_OUTCOMES, "l=2, d=1": {"least"}},
                "every other critical point is a strict saddle": {**_PLAIN_OUTCOMES, "l=3, d=1": {"least", 2}},
                "a spurious minimum": {**_PLAIN_OUTCOMES, "l=2, d=2": {"least", 2, None}},
            },
            no_spurious,
            explanation="The loss is zero at the global minima (1/4 where $S$ is singular). At $w = 0$ and $l = 3$ it falls with "
            "degree 3 only: the Hessian vanishes there, the saddle of zero curvature that the note speaks of.",
        ),
    ),
    notes=r"The note leans on Kawaguchi (2016, Theorem 2.3), who assumes $X X^{\mathsf T}$ and $X Y^{\mathsf T}$ of full rank, "
    r"$d_y \le d_x$ and distinct eigenvalues of $T S^{-1} T^{\mathsf T}$. The proof here, after Laurent and von Brecht "
    "(2018), needs no assumption on the data; it uses that no hidden layer is narrower than the input. The expectation "
    "is read as the mean over $m$ samples; the factor 1/2 of the loss does not matter.",
)

STATEMENTS = (EX_10,)
