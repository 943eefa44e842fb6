"""The units that the statements are about, and the hypothesis they share.

Activations are generic: pre is evaluated at the data, mid and post have value 0 and symbolic derivatives at 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, reduce
from types import SimpleNamespace

from resproof.architectures.activations import generic, relu, sigmoid, tanh
from resproof.architectures.catalogue import n_shortcut
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.statement import Hypothesis
from resproof.symbolic.index import sizes
from resproof.symbolic.scope import Scope

PRE, MID, POST = generic("pre"), generic("mid"), generic("post")
DEPTHS = (1, 2, 3, 4, 5, 6)
"""The shortcut depths that are computed one by one; induction over layers covers the others."""

FLAT_AT_ZERO = Hypothesis(
    r"$\mathrm{mid}(0) = \mathrm{post}(0) = 0$",
    lambda instance: instance.mid.taylor(0).rational == 0 and instance.post.taylor(0).rational == 0,
    SimpleNamespace(mid=sigmoid, post=relu),
    holds_on=SimpleNamespace(mid=tanh, post=relu),
    quote="sigma_mid(0) = sigma_post(0) = 0",
    where="Assumption 3 of Demystifying ResNet",
)
"""The first half of Assumption 3; the instances of counterexamples carry their activations."""

SMOOTH = Hypothesis(
    r"pre, mid and post have derivatives of order $1, \ldots, \max(n - 1, 2)$ at 0, of which those of pre are not used",
    lambda instance: all(0 not in one.kinks for one in (instance.pre, instance.mid, instance.post)),
    SimpleNamespace(pre=relu, mid=tanh, post=sigmoid),
    holds_on=SimpleNamespace(pre=tanh, mid=tanh, post=sigmoid),
    quote="all of sigma_pre^(k)(0), sigma_mid^(k)(0), sigma_post^(k)(0), 1 <= k <= max(n-1, 2) exist",
    where="Assumption 3 of Demystifying ResNet",
)
"""The second half. What is asked of pre there is asked at 0, and pre is evaluated at the data alone."""


@cache
def generic_unit(shortcut_depth: int) -> ResidualUnit:
    """The n-shortcut unit with generic activations."""
    return ResidualUnit(n_shortcut(shortcut_depth, PRE, MID, POST))


def over_depths(depths: Sequence[int], unit: Callable[[int], ResidualUnit] = generic_unit) -> Scope:
    """The sizes of what was computed for the unit of each of these shortcut depths, by default the generic one."""
    return reduce(Scope.__or__, (sizes.of_unit(unit(n)) & Scope.over(n=n) for n in depths))
