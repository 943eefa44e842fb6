"""Demystifying ResNet around Theorem 2: ReLU in place of a smooth activation (DR-ReLU), units with biases (DR-Eq3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce

from architectures.activations import Activation, identity_activation, polynomial, relu, softplus
from architectures.catalogue import biased, n_shortcut
from architectures.expressions import Expression, Input, Weight, normal
from architectures.losses import squared
from architectures.networks import Network, ResidualUnit
from architectures.terms import COLUMN, ROW, Opaque
from proofs.beyond.trichotomy import biased_instance
from proofs.demystifying_resnet.theorem2 import T2_2, T2_2C
from proofs.documents import source
from proofs.routes.exact_spectra import exact_spectrum
from proofs.routes.hessians import Claim, hessian_arguments, same_sum, size
from proofs.routes.predicates import matches
from proofs.routes.rays import one_sided, opposite_rays, running_loss, same_both_ways
from proofs.statement import (
    PRINTED,
    Argument,
    Clause,
    Computed,
    Context,
    Counterexample,
    Hypothesis,
    Repair,
    Scope,
    Statement,
)
from proofs.theory.generic_units import FLAT_AT_ZERO, MID, PRE
from symbolic.algebra.matrices import rank
from symbolic.index import sizes
from symbolic.index.claims import show, vocabulary
from symbolic.index.lift import hessian_form, loss_series, perturbations, stationary_order
from symbolic.index.paths import along
from symbolic.index.series import Sum, differentiate, multiply, tensor, thaw
from symbolic.written.explicit import Instance, hessian_at_initial_point
from symbolic.written.explicit import stationary_order as explicit_order

_ZERO, _ONE = Fraction(0), Fraction(1)


# DR-ReLU.


@dataclass(frozen=True, slots=True)
class ReluMid:
    """A 2-shortcut unit with ReLU at mid, R = d = m = 1, x = 1, y = 0."""

    mid: Activation = relu
    post: Activation = identity_activation

    def loss(self, first: Fraction, second: Fraction) -> Fraction:
        """L(w_1, w_2) = (1 + w_2 max(w_1, 0))^2 / 2, written out."""
        return (1 + second * max(first, _ZERO)) ** 2 / 2

    def __str__(self) -> str:
        return "n = 2, R = d = m = 1, ReLU at mid, x = 1, y = 0"


_RELU = ReluMid()


def _parallelogram(_: Context) -> Computed:
    """q(u+v) + q(u-v) - 2 q(u) - 2 q(v) for u = (0, 1), v = (1, 0), q the second-order part of the loss."""

    def q(*ray: int) -> Fraction:
        return one_sided(_RELU.loss, ray)

    value = q(1, 1) + q(-1, 1) - 2 * q(0, 1) - 2 * q(1, 0)
    return Computed(value, Scope.of("n=2, R=d=m=1"), r"q(u+v) + q(u-v) - 2q(u) - 2q(v) = 1 \ne 0")


_REPLACED = {"t/2 + t^2": polynomial(0, Fraction(1, 2), 1), "softplus": softplus}
"""A smooth function through zero, and one that is not zero there."""


def _smoothings(_: Context) -> Computed:
    """The stationary order with smooth replacements of ReLU, n = 2, any data."""
    units = {name: ResidualUnit(n_shortcut(2, PRE, mid)) for name, mid in _REPLACED.items()}
    found = {name: stationary_order(unit, squared) for name, unit in units.items()}
    return Computed(found, reduce(Scope.__or__, map(sizes.of_unit, units.values())))


def _small_smoothings(_: Context) -> Computed:
    """The same from exact derivatives of two units with d = m = 1 and symbolic data."""
    found = {
        name: explicit_order(Network(ResidualUnit(n_shortcut(2, PRE, mid)), 2), {"d": 1}, up_to=2).order
        for name, mid in _REPLACED.items()
    }
    return Computed(found, Scope.of("n=2, R=2, d=m=1"))


_ORDERS = {"t/2 + t^2": 1, "softplus": 0}

RELU = Statement(
    id="DR-ReLU",
    title="Assumption 3, and so Theorem 2, holds for ReLU",
    source=source(
        "A",
        "after Assumption 3",
        "The assumptions hold for most activation functions including tanh, symmetric sigmoid and ReLU",
    ),
    sentence="Assumption 3 holds for ReLU (after a local polynomial approximation, if need be), so that with ReLU at mid and "
    "n = 2 the Hessian at zero exists and has the form of Theorem 2.2.",
    latex=r"\sigma_{\mathrm{mid}} = \mathrm{ReLU},\; n = 2 \implies \nabla^2 L(0) = I_R \otimes "
    r"\begin{pmatrix} 0 & A^{\mathsf T} \\ A & 0 \end{pmatrix}",
    hypotheses=(
        Hypothesis("ReLU at mid", lambda one: one.mid is relu, fails_on=ReluMid(identity_activation)),
        FLAT_AT_ZERO,
    ),
    uses=("DR-T2.2", "DR-T2.2c"),
    counterexample=Counterexample(
        instance=_RELU,
        sentence="With ReLU itself the second-order part of the loss is w_2 max(w_1, 0), which is no quadratic form: the "
        "loss has no Hessian at zero.",
        latex=r"L(w_1, w_2) = \tfrac12 \left(1 + w_2 \max(w_1, 0)\right)^2",
        routes=(
            Argument(
                "Second-order coefficients along opposite rays",
                "instance",
                opposite_rays(
                    running_loss(n_shortcut(2, mid=relu), 1, 1, 0),
                    ((1, 1),),
                    "n=2, R=d=m=1",
                    r"1 \ne 0 \text{ along } \pm(1, 1)",
                ),
                {(1, 1): (_ONE, _ZERO)},
                {PRINTED: same_both_ways, "flat": {(1, 1): (_ZERO, _ZERO)}},
                matches,
                explanation="The network itself, run at dyadic weights where float64 is exact.",
            ),
            Argument(
                "The parallelogram law",
                "instance",
                _parallelogram,
                _ONE,
                {PRINTED: _ZERO, "twice": Fraction(2)},
            ),
        ),
    ),
    repair=Repair(
        sentence="Replaced near 0 by any smooth function with value 0 and slope k != 0 there, ReLU gives Theorem 2.2 with "
        "H proportional to k, so that cond(H) does not depend on the replacement. softplus, with softplus(0) = log 2, is "
        "none: zero is then no stationary point unless the mean residual vanishes.",
        latex=r"\sigma(0) = 0,\ \sigma'(0) = k \ne 0 \implies H = k\, H_{\mathrm{linear}}",
        arguments=(),
        clauses=(
            *T2_2.claims,
            *T2_2C.claims,
            Clause(
                "A smooth replacement of ReLU through zero leaves zero stationary, softplus does not.",
                {"R": 1, "d": 1, "m": 1},
                (
                    Argument(
                        "Orders with a smoothing through zero and with softplus",
                        "index notation",
                        _smoothings,
                        _ORDERS,
                        {"softplus will do": {**_ORDERS, "softplus": 1}, "neither will do": dict.fromkeys(_ORDERS, 0)},
                    ),
                    Argument(
                        "The same orders in a small network",
                        "explicit",
                        _small_smoothings,
                        _ORDERS,
                        {"softplus will do": {**_ORDERS, "softplus": 1}},
                    ),
                ),
            ),
        ),
        adds="Says which approximations will do, and that the condition number does not depend on the choice.",
    ),
    notes="Read literally, as a statement about the network with ReLU itself. The paper notes that ReLU has no derivative at 0 and "
    "offers an approximation in its place; the repair says which ones will do.",
)


# DR-Eq3.

_BIASED = ResidualUnit(biased(MID))
_FORM = Claim(
    "m^-1 * mid'(0) * g[i,u] * X[j,u] * dW2(1)[i,a] * dW1(1)[a,j] + m^-1 * mid'(0) * g[i,u] * dW2(1)[i,a] * db(1)[a]"
)


_SMOOTHED = polynomial(0, Fraction(1, 2), Fraction(1, 4))
"""t/2 + t^2/4: the Taylor polynomial at 0 of a smoothed ReLU through 0."""


@dataclass(frozen=True, slots=True)
class OneBiased:
    """A biased unit with a smoothed ReLU of slope 1/2 at 0, R = d = m = 1, x = 1, y = 0."""

    mid: Activation = _SMOOTHED
    post: Activation = identity_activation
    x: int = 1
    y: int = 0

    def loss(self, w1: Fraction, b: Fraction, w2: Fraction) -> Fraction:
        """L(w_1, b, w_2), written out."""
        u = w1 * self.x + b
        return (self.x + w2 * (u / 2 + u * u / 4) - self.y) ** 2 / 2

    def __str__(self) -> str:
        return "h + w2 sigma(w1 h + b), sigma(t) = t/2 + t^2/4 near 0, R = d = m = 1, x = 1, y = 0"


_ONE_BIASED = OneBiased()


def _biased_nullity(_: Context) -> Computed:
    unit = ResidualUnit(biased(_ONE_BIASED.mid))
    spectrum = exact_nullity(unit, Instance([[1]], [[0]]))
    return Computed(
        spectrum, Scope.of("R=d=m=1"), r"H = \tfrac12 \begin{pmatrix} 0 & 0 & 1 \\ 0 & 0 & 1 \\ 1 & 1 & 0 \end{pmatrix}"
    )


def exact_nullity(unit: ResidualUnit, data: Instance) -> int:
    """The dimension of the kernel of one unit's exact Hessian, by exact rank."""
    hessian = hessian_at_initial_point(Network(unit, 1), {"d": len(data.x)}, data=data)
    n = hessian.parameters
    number = {p: next(iter(hessian.ring.plain(v).values())) for p, v in hessian.entries().items()}
    return n - rank(tuple(tuple(number.get((i, j), _ZERO) for j in range(n)) for i in range(n)))


def _constant_along(_: Context) -> Computed:
    """Whether the loss along (1, -1, 0), from several values of w_2, and along (1, 0, 0), stays constant."""
    loss, points = _ONE_BIASED.loss, [Fraction(k, 3) for k in (-2, -1, 1, 2)]

    def constant(*ray: int) -> bool:
        return all(
            loss(t * ray[0], t * ray[1], s + t * ray[2]) == loss(_ZERO, _ZERO, s) for t in points for s in points
        )

    return Computed({ray: constant(*ray) for ray in ((1, -1, 0), (1, 0, 0))}, Scope.of("R=d=m=1"))


def _augmented_images(_: Context) -> Computed:
    """H along W_1 = a v^T, b = beta a, and along W_2 = u a^T: the pairing with the core [M, rbar]."""
    form = thaw(hessian_form(_BIASED, squared).diagonal)
    a, u, v = (Opaque(name, ("d",)) for name in "auv")
    variables = perturbations(_BIASED)
    inner = {"W1": multiply(tensor(a, (ROW,)), tensor(v, (COLUMN,))), "b": tensor(a, (ROW,))}
    outer = {"W2": multiply(tensor(u, (ROW,)), tensor(a, (COLUMN,)))}
    found = {
        "W2": differentiate(along(_BIASED, form, inner), variables["W2"], (ROW, COLUMN)),
        "W1": differentiate(along(_BIASED, form, outer), variables["W1"], (ROW, COLUMN)),
        "b": differentiate(along(_BIASED, form, outer), variables["b"], (ROW,)),
    }
    shown = r"H\,(a v^{\mathsf T}, a, u a^{\mathsf T}) = k\left(a\,(M^{\mathsf T} u)^{\mathsf T},\ (\bar r^{\mathsf T} u)\, a,\ (M v + \bar r)\, a^{\mathsf T}\right)"
    return Computed(found, sizes.of_unit(_BIASED), shown)


_K = "m^-1 * mid'(0)"
_AUGMENTED = {
    "W2": f"{_K} * g[i,w] * X[k,w] * v[k] * a[j] + {_K} * g[i,w] * a[j]",
    "W1": f"{_K} * a[i] * g[k,w] * u[k] * X[j,w]",
    "b": f"{_K} * a[i] * g[k,w] * u[k]",
}


def _same_augmented(found: Mapping[str, Sum], claim: Mapping[str, str]) -> None:
    known = {**vocabulary(_BIASED, squared), **{name: Opaque(name, ("d",)) for name in "auv"}}
    for weight, image in found.items():
        same_sum(image, claim[weight], known, {"i": ROW, "j": COLUMN}, name=weight)


def _biased_spectra(_: Context) -> Computed:
    unit = ResidualUnit(biased(polynomial(0, 3, 1)))
    found = {units: exact_spectrum(unit, units, biased_instance()) for units in (1, 2)}
    return Computed(found, Scope.of(*(f"R={units}, d=2, m=3" for units in found)))


def _biased_claim(units: int, nonzero: int = 2, zero: int = 2, slope: int = 3) -> dict[Fraction, int]:
    """+- slope sigma_i each R d times, zero R d times, sigma = (2, 1/3)."""
    values = [sign * slope * s for s in (Fraction(2), Fraction(1, 3)) for sign in (1, -1)]
    return dict(sorted({**dict.fromkeys(values, units * nonzero), _ZERO: units * zero}.items()))


def _with_fixed_bias(value: int) -> Expression:
    """The unit of Equation 3 with the bias a constant."""
    h, w1, w2 = Input("d"), Weight("d", "d"), Weight("d", "d")
    return h + w2 @ polynomial(0, 1, 1)(w1 @ h + value)


def _with_any_bias(_: Context) -> Computed:
    """The part of degree one of the loss where every unit has the bias b, in the changes of W1 and W2."""
    h, w1, w2, bias = Input("d"), Weight("d", "d"), Weight("d", "d"), Weight("d", initial=normal(1), name="b")
    unit = ResidualUnit(h + w2 @ MID(w1 @ h + bias))
    linear = loss_series(unit, squared, 2, 1)[1]
    return Computed(show(linear), sizes.of_unit(unit), r"\nabla_{W_2} L(0) = \bar r\, \sigma(b)^{\mathsf T}")


_RBAR_SIGMA = " + ".join(f"m^-1 * dW2({r})[a,b] * g[a,c] * mid(b[i])[b]" for r in (1, 2))


def _fixed_biases(_: Context) -> Computed:
    found = {b: explicit_order(Network(ResidualUnit(_with_fixed_bias(b)), 2), {"d": 1}, up_to=3).order for b in (0, 1)}
    return Computed(found, Scope.of(*(f"b = {b}: R=2, d=m=1" for b in found)))


FIXED_BIAS = Argument(
    "The linear part of the loss of two units with any fixed bias",
    "index notation",
    _with_any_bias,
    _RBAR_SIGMA,
    {"it vanishes": "0", "it needs the data": _RBAR_SIGMA.replace("g[a,c] *", "X[b,c] * g[a,c] *")},
    explanation="b is any vector: the gradient is rbar sigma(b)^T in W2 and zero in W1.",
)

EQ3 = Statement(
    id="DR-Eq3",
    title="Units with biases have the Hessian of Theorem 2 and a depth-invariant condition number",
    source=source(
        "A",
        "after Equation 3",
        "its Hessian still follow the form of Theorem 2, thus its condition number is still depth-invariant",
    ),
    sentence="The biased units h + W2 sigma(W1 h + b), sigma smooth with sigma(0) = 0, have the Hessian of Theorem 2.2, "
    "and cond(H) = sigma_max(M) / sigma_min(M), at every depth, for M nonsingular and sigma'(0) != 0.",
    latex=r"\operatorname{cond}(H) = \sigma_{\max}(M) / \sigma_{\min}(M) \text{ for every } R",
    hypotheses=(
        FLAT_AT_ZERO,
        Hypothesis(
            "sigma'(0) != 0",
            lambda one: one.mid.taylor(1).rational != 0,
            fails_on=replace(_ONE_BIASED, mid=polynomial(0, 0, 1)),
        ),
        Hypothesis(
            "M = (x - y) x nonsingular",
            lambda one: (one.x - one.y) * one.x != 0,
            fails_on=replace(_ONE_BIASED, y=_ONE_BIASED.x),
        ),
    ),
    uses=("DR-T2.2", "DR-T2.2e", "GEN-1", "GEN-2"),
    counterexample=Counterexample(
        instance=_ONE_BIASED,
        sentence="M = 1 is nonsingular, so the printed formula gives 1. But W1 and b enter only through W1 h + b: H has "
        "the kernel vector (1, -1, 0), and cond(H) as defined is infinite.",
        latex=r"L = \tfrac12 \left(1 + w_2\, \sigma(w_1 + b)\right)^2, \qquad H\,(1, -1, 0)^{\mathsf T} = 0",
        routes=(
            Argument(
                "The exact rank of the Hessian", "explicit", _biased_nullity, 1, {PRINTED: 0, "two null directions": 2}
            ),
            Argument(
                "The loss itself is constant along (1, -1, 0)",
                "instance",
                _constant_along,
                {(1, -1, 0): True, (1, 0, 0): False},
                {
                    PRINTED: {(1, -1, 0): False, (1, 0, 0): False},
                    "constant along both": {(1, -1, 0): True, (1, 0, 0): True},
                },
            ),
        ),
    ),
    repair=Repair(
        sentence="H is block diagonal over units with blocks [[0, A^T], [A, 0]], A of size d^2 x (d^2 + d): at least d "
        "zero eigenvalues a unit, so cond(H) is infinite. The nonzero eigenvalues are +- sigma'(0) sigma_i([M, rbar]), "
        "rbar the mean of x - y, each R d times: pseudo-condition number and spectrum are depth-invariant. With b fixed "
        "at 0 Theorem 2.2 holds as it stands; fixed at b != 0 with sigma(b) != 0 zero is no stationary point unless rbar = 0.",
        latex=r"\operatorname{eigs}(H) \setminus \{0\} = \pm \sigma'(0)\, \sigma_i\!\left([M, \bar r]\right), \text{ each } R d \text{ times}, "
        r"\qquad \dim\ker H \ge R d",
        arguments=(),
        clauses=(
            Clause(
                "With b trained H is block diagonal over units with blocks [[0, A^T], [A, 0]], A of size d^2 x (d^2 + d), so that it "
                "has at least d zero eigenvalues a unit; the nonzero ones are +- sigma'(0) sigma_i([M, rbar]), each R d times.",
                {"R": 1, "d": 1, "m": 1},
                (
                    *hessian_arguments(
                        _BIASED,
                        _FORM,
                        {
                            "the bias does not enter": Claim(_FORM.diagonal.split(" + ")[0]),
                            "the bias counts twice": Claim(_FORM.diagonal.replace(" + m^-1", " + 2 * m^-1")),
                            "units interact": Claim(_FORM.diagonal, "m^-1 * mid'(0) * g[i,u] * dW2(2)[i,a] * db(1)[a]"),
                        },
                        (size(1, d=1), size(2, d=2), size(1, 2, d=2)),
                    ),
                    Argument(
                        "The images of (a v^T, a, u a^T): the core is [M, rbar]",
                        "index notation",
                        _augmented_images,
                        _AUGMENTED,
                        {
                            "without rbar": {**_AUGMENTED, "W2": _AUGMENTED["W2"].split(" + ")[0]},
                            "M transposed": {**_AUGMENTED, "W1": f"{_K} * a[i] * X[k,w] * u[k] * g[j,w]"},
                        },
                        _same_augmented,
                        explanation="With (v; beta) a right and u a left singular vector of [M, rbar] the vectors (a v^T, beta a, "
                        "+- u a^T) are eigenvectors, for any a: d values of i and d of a, both signs, in each unit. That is 2 d^2 "
                        "of 2 d^2 + d dimensions; the other d are null.",
                    ),
                    Argument(
                        "Exact spectra with zeros",
                        "explicit",
                        _biased_spectra,
                        {units: _biased_claim(units) for units in (1, 2)},
                        {
                            "no zeros": {
                                units: {v: k for v, k in _biased_claim(units).items() if v} for units in (1, 2)
                            },
                            "multiplicity R": {units: _biased_claim(units, nonzero=1) for units in (1, 2)},
                            "zeros at any depth d": {units: {**_biased_claim(units), _ZERO: 2} for units in (1, 2)},
                            "without the slope": {units: _biased_claim(units, slope=1) for units in (1, 2)},
                        },
                    ),
                ),
            ),
            Clause(
                "With b fixed at 0 the unit is that of Theorem 2.2; fixed at b != 0 with sigma(b) != 0 zero is no stationary point unless "
                "rbar = 0.",
                {"R": 1, "d": 1, "m": 1},
                (
                    FIXED_BIAS,
                    Argument(
                        "The order with the bias fixed at 0 and at 1",
                        "explicit",
                        _fixed_biases,
                        {0: 1, 1: 0},
                        {"any fixed bias": {0: 1, 1: 1}},
                    ),
                ),
            ),
        ),
        adds="Counts the zeros, gives the core with the mean residual, and says for which bias the printed sentence is right.",
    ),
    errata=("Equation 3 prints ReLU, with which there is no Hessian at zero (DR-ReLU); read a smoothing through 0.",),
    notes="Read with cond(H) = sigma_max/sigma_min as defined in the paper. An infinite condition number at every depth "
    "is depth-invariant too, but is not Equation 9.",
)

STATEMENTS = (RELU, EQ3)
