"""Demystifying ResNet on minima: linear residual networks with shortcut 1 have no spurious one (EX-2)."""

from __future__ import annotations

from resproof.architectures.catalogue import n_shortcut
from resproof.architectures.forms.terms import Delta, InitialWeight, Opaque
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.demystifying_resnet.documents import source
from resproof.proofs.identity_matters.local_minima import EX_10
from resproof.proofs.statement import Argument, Clause, Computed, Context, Statement
from resproof.proofs.theory.critical_points import Outcome, Small
from resproof.proofs.theory.linear_networks import FREE, any_value, plain_from
from resproof.proofs.theory.spurious_minima import ONE, TWO, classified, components, no_spurious
from resproof.symbolic.index import sizes
from resproof.symbolic.index.claims import parse, show
from resproof.symbolic.index.lift import data
from resproof.symbolic.index.series import Sum, substitute
from resproof.symbolic.scope import Scope

_SHORTCUT = {
    "R=1, d=1": (Small((1,), ONE, TWO, shortcut=True), (-2, -1, 0, 1)),
    "R=2, d=1": (Small((1, 1), ONE, TWO, shortcut=True), (-2, -1, 0, 1)),
    "R=3, d=1": (Small((1, 1, 1), ONE, TWO, shortcut=True), (-2, -1, 0, 1)),
    "R=2, d=2": (Small((1, 1), ((1, 0), (0, 1)), ((1, 0), (0, 1)), shortcut=True), (-1, 0)),
}


def _shifted(_: Context) -> Computed:
    """A plain layer V h with V = W + I and with V = W, against one unit h + W h and one with two layers."""
    plain, units = plain_from("identity"), {n: ResidualUnit(n_shortcut(n)) for n in (1, 2)}
    known = {"W": Opaque("W", ("d", "d")), "delta": Delta(("d", "d"))}
    layer = InitialWeight("W1", None, ("d", "d"))
    slots = {"i": FREE["i"], "j": FREE["j"]}
    opened = show(substitute(_opaque(units[1]), layer, parse("W[i,j]", known, slots)))
    found = {
        text: show(substitute(_opaque(plain), layer, parse(text, known, slots))) == opened
        for text in ("W[i,j] + delta[i,j]", "W[i,j]", "W[i,j] - delta[i,j]")
    }
    two = substitute(_opaque(units[2]), layer, parse("W[i,j]", known, slots))
    second = InitialWeight("W2", None, ("d", "d"))
    found["2 layers"] = show(two) == opened
    found["2 layers, the second one I"] = show(substitute(two, second, parse("delta[i,j]", known, slots))) == opened
    return Computed(found, sizes.of_unit(units[1]), r"h + W h = (W + I)\,h = V h")


def _opaque(unit: ResidualUnit) -> Sum:
    return any_value(unit, data(unit))


_SHIFTED = {
    "W[i,j] + delta[i,j]": True,
    "W[i,j]": False,
    "W[i,j] - delta[i,j]": False,
    "2 layers": False,
    "2 layers, the second one I": True,
}


def _shortcut_components(_: Context) -> Computed:
    found = {name: components(_SHORTCUT[name][0]) for name in ("R=1, d=1", "R=2, d=1")}
    return Computed(found, Scope.of(*(f"{name}, m=1, X=1, Y=2" for name in found)))


_SHORTCUT_COMPONENTS = {"R=1, d=1": ("w1 - 1",), "R=2, d=1": ("w1 + 1, w2 + 1", "w1*w2 + w1 + w2 - 1")}


def _shortcut_outcomes(_: Context) -> Computed:
    return Computed(classified(_SHORTCUT), Scope.of(*_SHORTCUT))


_SHORTCUT_OUTCOMES: dict[str, set[Outcome]] = {
    "R=1, d=1": {"least"},
    "R=2, d=1": {"least", 2},
    "R=3, d=1": {"least", 2, 3},
    "R=2, d=2": {"least", 2},
}

EX_2 = Statement(
    id="EX-2",
    title="Linear residual networks with shortcut 1 have no spurious local minimum",
    source=source(
        "A",
        "sections 1, 2",
        "the deep linear residual networks with shortcut 1 has no spurious local minimum (Hardt and Ma, 2016)",
    ),
    latex=r"W \text{ a local minimum of } \tfrac{1}{2m} \Bigl\|Y - \prod_{r=1}^{R} (W^r + I)\, X\Bigr\|_F^2 \implies W \text{ a global minimum}",
    uses=("EX-10",),
    clauses=(
        Clause(
            "A network of $R$ units $h + W h$ is the plain linear network of the $R$ layers $V = W + I$, with the same "
            "local minima.",
            {"R": 1, "d": 1, "m": 1},
            (
                Argument(
                    "A unit $h + W h$ is a plain layer $V h$, $V = W + I$",
                    "index notation",
                    _shifted,
                    _SHIFTED,
                    {
                        "$V = W$": {**_SHIFTED, "W[i,j]": True},
                        "$V = W - I$": {**_SHIFTED, "W[i,j] - delta[i,j]": True},
                        "so it is with two layers": {**_SHIFTED, "2 layers": True},
                    },
                    explanation=r"$W \to W + I$ is a bijection of the weights, continuous both ways: local minima correspond to local "
                    "minima of the plain network, $k = d$.",
                ),
                Argument(
                    "All critical points of the smallest networks",
                    "explicit",
                    _shortcut_components,
                    _SHORTCUT_COMPONENTS,
                    {
                        r"only global minima, as in the ball $\lvert W\rvert < 1$": {
                            **_SHORTCUT_COMPONENTS,
                            "R=2, d=1": ("w1*w2 + w1 + w2 - 1",),
                        },
                        "zero": {**_SHORTCUT_COMPONENTS, "R=2, d=1": ("w1*w2 + w1 + w2 - 1", "w1, w2")},
                    },
                    explanation="For $R = 2$ there is one critical point that is not global, $W = -I$: outside the ball in which "
                    "Hardt and Ma's theorem holds. It is a saddle.",
                ),
                Argument(
                    "At each critical point on a grid: the least loss, or the least degree with which the loss falls along a ray",
                    "explicit",
                    _shortcut_outcomes,
                    _SHORTCUT_OUTCOMES,
                    {
                        "every critical point is global": {**_SHORTCUT_OUTCOMES, "R=2, d=1": {"least"}},
                        "every other critical point is a strict saddle": {
                            **_SHORTCUT_OUTCOMES,
                            "R=3, d=1": {"least", 2},
                        },
                        "a spurious minimum": {**_SHORTCUT_OUTCOMES, "R=2, d=2": {"least", 2, None}},
                    },
                    no_spurious,
                ),
            ),
        ),
        *EX_10.claims,
    ),
    notes="True as printed, for all data; it is the reason given for it that does not suffice. The sentence is given to Hardt "
    r"and Ma (2016), whose theorem is about the ball $\max \lvert W^r\rvert_2 \le \tau < 1$, where there is no other "
    "critical point at all; outside of it there are, and that none of them is a local minimum is EX-10.",
)

STATEMENTS = (EX_2,)
