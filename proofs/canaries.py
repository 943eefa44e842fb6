"""Statements that are false, run beside the true ones: where one of them is proved, no verdict of that run means anything.

Each of them fails in another way: the wrong closed form, sizes that nothing carries, a list passed off as every size, a
condition that cannot fail, evidence whose bound lets everything pass; and some cannot even be written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from architectures.activations import tanh
from architectures.catalogue import n_shortcut
from architectures.networks import ResidualUnit
from architectures.scope import Scope
from proofs.routes.hessians import Claim, hessian_arguments, size
from proofs.statement import (
    Argument,
    Citation,
    Computed,
    Condition,
    Context,
    Evidence,
    Induction,
    Measurement,
    Offered,
    Statement,
)
from proofs.verdict import run
from symbolic.algebra.matrices import eye, rank


def _false(id_: str, sentence: str, for_all: Mapping[str, int], *arguments: Offered) -> Statement:
    return Statement(
        id=f"FALSE-{id_}",
        title=sentence,
        source=None,
        sentence=sentence,
        latex="",
        for_all=for_all,
        arguments=arguments,
        kind="algebra",
    )


_TWO_SHORTCUT = ResidualUnit(n_shortcut(2, tanh, tanh, tanh))
_TWICE = Claim("2 * m^-1 * g[i,u] * tanh(X)[j,u] * dW2(1)[i,a] * dW1(1)[a,j]")


def _sum(_: Context) -> Computed:
    return Computed(1 + 1, Scope())


def _greatest_rank(_: Context) -> Computed:
    widths = (1, 2, 3)
    return Computed(max(rank(eye(d)) for d in widths), Scope.over(d=widths))


_IDENTITY_HAS_RANK_D = Argument("Ranks of I_d", "identity", _greatest_rank, 3, {"at most 2": 2})

CANARIES = (
    _false(
        "FORM",
        "The Hessian of a 2-shortcut network is twice what it is.",
        {"R": 1, "d": 1, "m": 1},
        *hessian_arguments(
            _TWO_SHORTCUT, _TWICE, {"thrice": Claim(_TWICE.diagonal.replace("2", "3", 1))}, [size(1, d=1)]
        ),
    ),
    _false(
        "SIZES",
        "The Hessian of every network has condition number one.",
        {"R": 1, "d": 1},
        Argument("1 + 1 = 2", "identity", _sum, 2, {"3": 3}),
    ),
    _false("LIST", "The identity matrix of every width has rank at most 3.", {"d": 1}, _IDENTITY_HAS_RANK_D),
    _false(
        "CONDITION",
        "Every matrix is diagonal.",
        {"d": 1},
        _IDENTITY_HAS_RANK_D,
        Citation(
            "spectral",
            {
                r"$A^{\mathsf T} A = A A^{\mathsf T}$": Condition(
                    lambda _: True, lambda: eye(2), lambda: [[0, 1], [0, 0]]
                )
            },
        ),
    ),
)


def _four(_: Context) -> Computed:
    return Computed(4.0, Scope.of("one number"))


def _measured(
    id_: str, bound: float, claim: float = 4.0, far: float = 100.0, *, scale: float | None = 4.0, at_most: bool = False
) -> Statement:
    """The number 4, said to be the claim within a bound, or at most the bound; a number far off is the neighbour."""

    def compare(found: float, stated: float) -> Measurement:
        value = found if at_most and stated == claim else abs(found - stated)
        return Measurement("a number", value, bound, "one number", None, "made up", scale=scale, at_most=at_most)

    evidence = Argument("4", "floating point", _four, claim, {"far off": far}, compare)
    return Statement(id=f"FALSE-{id_}", title="A number", source=None, sentence="A number is 4.", evidence=(evidence,))


UNSEEN = (
    _measured("MEASURED", 1e-12, 5.0),
    _measured("NEIGHBOUR", 1000.0, scale=None),
    _measured("LOOSE", 1e-6),
    _measured("FAR", 50.0 * 10**6, far=1e12, at_most=True),
)
"""Evidence that says nothing, or something else."""

_SEEN: Evidence = UNSEEN[0].evidence[0]
UNWRITABLE: Mapping[str, Callable[[], object]] = {
    "an argument without falsehoods": lambda: replace(_IDENTITY_HAS_RANK_D, neighbours={}),
    "a falsehood about another fact": lambda: Argument("1", "identity", _sum, {"sum": 2}, {"3": {"product": 3}}),
    "a proof that needs a device": lambda: replace(_IDENTITY_HAS_RANK_D, needs_gpu=True),
    "a citation whose hypotheses nobody checks": lambda: Citation("spectral", {}),
    "an induction by evidence": lambda: Induction("d", _IDENTITY_HAS_RANK_D, _SEEN),
    "evidence as a proof": lambda: _false("EVIDENCE", "A number is 4.", {"d": 1}, _SEEN),
    "a proof as evidence": lambda: replace(UNSEEN[0], evidence=(_IDENTITY_HAS_RANK_D,)),
}


def require_canaries(canaries: Iterable[Statement] = CANARIES) -> None:
    """Pass when none of them is proved for all sizes, no evidence that says nothing is taken, and nothing unwritable is.

    Raises:
        RuntimeError: one is.
    """
    for one in canaries:
        result = run(one, parts=("exact",))
        if result.verdict in {"PROVED", "REPAIRED"} and result.all_sizes:
            raise RuntimeError(
                f"{one.id}, which is false, came out {result.verdict} for all sizes: no verdict can be trusted"
            )
    for one in UNSEEN:
        if (verdict := run(one).verdict) != "FAILED":
            raise RuntimeError(f"{one.id}, which shows nothing, came out {verdict}: no verdict can be trusted")
    for name, write in UNWRITABLE.items():
        if not _refused(write):
            raise RuntimeError(f"{name} is not refused: no verdict can be trusted")


def _refused(write: Callable[[], object]) -> bool:
    try:
        write()
    except ValueError:
        return True
    return False
