"""Independent Gaussian layers, plain W and residual 1 + W: how fast the condition number of their product grows (RS-LG).

The entries of W are independent N(0, x), so that x = s^2 v for weights scaled by s. The gap is what log kappa gains a layer,
the first Lyapunov exponent less the last one. A plain network's is (psi(d/2) - psi(1/2))/2 whatever x is; the expansion of a
residual one's begins with

    (d - 1) (x + 2 x^2 + (d^2 - 2 d + 24) x^3 / 3).

The frame E of k columns of 1 spans a volume that 1 + W multiplies by det(1 + G)^(1/2), with A the first k rows of W E, B the
p = d - k others, and

    1 + G = E^T (1 + W)^T (1 + W) E = (1 + A)^T (1 + A) + B^T B.

It is the expectation of the integrand's Taylor polynomial that is computed: an asymptotic expansion, not a convergent one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy

from resproof.architectures.forms.terms import Delta, InitialWeight, Opaque, Tensor
from resproof.proofs.rethinking_skips.joint_evidence import Measured, digamma_difference, inputs
from resproof.proofs.rethinking_skips.random_layers import gaussian_layers
from resproof.proofs.rethinking_skips.rescaled import log_conditions
from resproof.proofs.statement import (
    Argument,
    Citation,
    Clause,
    Computed,
    Condition,
    Context,
    Disagreement,
    Induction,
    Measurement,
    Statement,
    Unsuited,
)
from resproof.symbolic.algebra.matrices import add, eye, inverse, matrix, multiply, scale, sum_of_squares
from resproof.symbolic.algebra.noncommutative import Word, words
from resproof.symbolic.algebra.noncommutative import product as word_product
from resproof.symbolic.certificates import of_symbols
from resproof.symbolic.index import sizes
from resproof.symbolic.index.claims import parse, show
from resproof.symbolic.index.moments import expectation
from resproof.symbolic.index.series import Sum, rename, symbol
from resproof.symbolic.index.series import add as add_sums
from resproof.symbolic.index.series import multiply as multiply_sums
from resproof.symbolic.index.series import scale as scale_sum
from resproof.symbolic.scope import Scope

# Plain layers: their scale does not matter.

_W = InitialWeight("W", None, ("d", "d"))
_KNOWN: Mapping[str, Tensor] = {
    "W": _W,
    "delta": Delta(("d", "d")),
    **{name: Opaque(name, ("d", "d")) for name in ("V", "P", "R", "Q")},
}
_FREE = {"i": -1, "j": -2, "k": -3, "l": -4}


def _layers(product: str, inverses: str) -> tuple[dict[str, str], Sum]:
    found = {name: parse(text, _KNOWN, _FREE) for name, text in (("product", product), ("inverse", inverses))}
    return {name: show(value) for name, value in found.items()}, add_sums(*found.values())


def _one_layer(_: Context) -> Computed:
    """s W and its inverse, V being that of W."""
    found, total = _layers("s * W[i,j]", "s^-1 * V[i,j]")
    return Computed(found, Scope.over(L=1) & sizes.of_terms(total))


def _one_layer_more(_: Context) -> Computed:
    """s W after t P, t = s^L, with R the inverse of P, and the inverse of both."""
    found, total = _layers("s * W[i,a] * t * P[a,j]", "t^-1 * R[i,a] * s^-1 * V[a,j]")
    return Computed(found, sizes.of_terms(total), r"(s W)(s^L P) = s^{L+1} W P")


def _same_layers(found: Mapping[str, str], claim: Mapping[str, str]) -> None:
    for name, text in found.items():
        if text != show(parse(claim[name], _KNOWN, _FREE)):
            raise Disagreement(f"{name}: computed {text}; claimed {claim[name]}")


_ONE_LAYER = {"product": "s * W[i,j]", "inverse": "s^-1 * V[i,j]"}
_LAYER_MORE = {"product": "s * t * W[i,a] * P[a,j]", "inverse": "s^-1 * t^-1 * R[i,a] * V[a,j]"}


def _scaled_products(_: Context) -> Computed:
    """Whether |P|^2 |P^-1|^2, Frobenius, is the same at the scales 1, 1/3 and 7, for plain and for residual layers."""
    drawn = [matrix([[1, 2], [-1, 3]]), matrix([[2, 1], [1, -1]]), matrix([[1, -1], [2, 2]])]
    found = dict[str, list[bool]]()
    for name, shift in (("plain", 0), ("residual", 1)):
        for count in (1, 2, 3):
            seen = set[Fraction]()
            for s in (Fraction(1), Fraction(1, 3), Fraction(7)):
                total = eye(2)
                for w in drawn[:count]:
                    total = multiply(add(scale(s, w), scale(Fraction(shift), eye(2))), total)
                seen.add(sum_of_squares(total) * sum_of_squares(inverse(total)))
            found.setdefault(name, []).append(len(seen) == 1)
    return Computed(found, Scope.of("d=2, L=1..3, s = 1/3, 1, 7"))


_SCALED = {"plain": [True] * 3, "residual": [False] * 3}

# Plain layers: the gap.


def _mean_logarithms(_: Context) -> Computed:
    """(psi(d/2) - psi(1/2))/2 for d = 1, 2."""
    half = sympy.Rational(1, 2)
    found = {d: str((sympy.digamma(d * half) - sympy.digamma(half)) / 2) for d in (1, 2)}
    values = {d: str(sympy.simplify(sympy.sympify(text))) for d, text in found.items()}
    return Computed(values, Scope.over(d=found), r"\tfrac12\bigl(\psi(\tfrac d2) - \psi(\tfrac12)\bigr)")


def _two_degrees_more(_: Context) -> Computed:
    """E log chi^2 with d + 2 degrees of freedom less that with d, halved, by parts.

    The derivatives of x f and of x f log x, f = x^(d/2 - 1) e^(-x/2), integrate to zero; n and m are the integrals of f and
    f log x, more_n and more_m those of x f and x f log x.
    """
    x, d = sympy.symbols("x d", positive=True)
    n, m, more_n, more_m = unknown = sympy.symbols("n m more_n more_m")
    f = x ** (d / 2 - 1) * sympy.exp(-x / 2)
    integrals = dict(zip((sympy.Integer(1), sympy.log(x), x, x * sympy.log(x)), unknown, strict=True))

    def integrated(primitive: Any) -> Any:
        terms = sympy.expand(sympy.expand(sympy.diff(primitive, x) / f, power_exp=True)).as_coefficients_dict(
            x, sympy.log(x)
        )
        return sum(c * integrals[term] for term, c in terms.items())

    (solved,) = sympy.solve([integrated(x * f), integrated(x * f * sympy.log(x))], (more_n, more_m), dict=True)
    gain = sympy.simplify((solved[more_m] / solved[more_n] - m / n) / 2)
    return Computed(
        str(gain),
        of_symbols({"d": d}, gain),
        rf"\frac{{E \log \chi^2_{{d+2}} - E \log \chi^2_d}}{{2}} = {sympy.latex(gain)}",
    )


def _centred_and_isotropic(layer: Sum) -> bool:
    """Whether a layer with free indices i, j, in W, has mean zero and entries that are uncorrelated and of one variance."""
    other = rename(layer, {_FREE["i"]: _FREE["k"], _FREE["j"]: _FREE["l"]})
    covariance = expectation(multiply_sums(layer, other), _W, symbol("x"))
    return not expectation(layer, _W, symbol("x")) and covariance == parse("x * delta[i,k] * delta[j,l]", _KNOWN, _FREE)


_NEWMAN = Citation(
    "newman-exponents",
    {
        "the entries of a layer have mean zero, one variance, and no correlation": Condition(
            _centred_and_isotropic,
            of=lambda: parse("W[i,j]", _KNOWN, _FREE),
            fails_on=lambda: parse("delta[i,j] + W[i,j]", _KNOWN, _FREE),
        )
    },
)

# Residual layers.


def _turned_layer(_: Context) -> Computed:
    """The mean of Q^T (1 + W) Q and the covariance of its entries, for any matrix Q."""
    mean = parse("Q[a,i] * delta[a,b] * Q[b,j]", _KNOWN, _FREE)
    pair = parse("Q[a,i] * W[a,b] * Q[b,j] * Q[c,k] * W[c,e] * Q[e,l]", _KNOWN, _FREE)
    found = {"mean": mean, "covariance": expectation(pair, _W, symbol("x"))}
    shown = r"E\,(Q^{\mathsf T} W Q)_{ij} (Q^{\mathsf T} W Q)_{kl} = x\,(Q^{\mathsf T} Q)_{ik} (Q^{\mathsf T} Q)_{jl}"
    return Computed({name: show(value) for name, value in found.items()}, sizes.of_terms(*found.values()), shown)


_TURNED = {"mean": "Q[a,i] * Q[a,j]", "covariance": "x * Q[a,i] * Q[a,k] * Q[b,j] * Q[b,l]"}

_BLOCKS: Mapping[str, Tensor] = {"A": InitialWeight("A", None, ("k", "k")), "B": InitialWeight("B", None, ("p", "k"))}
_DEGREE = 6
_NOTHING: Sum = {}


def _trace(word: Word) -> Sum:
    """The trace of a product of A, At, B and Bt, a letter's second one being its transpose."""
    factors = list[str]()
    for place, letter in enumerate(word):
        ends = f"i{place}", f"i{(place + 1) % len(word)}"
        factors.append(f"{letter[0]}[{','.join(ends[::-1] if letter.endswith('t') else ends)}]")
    return parse(" * ".join(factors), _BLOCKS)


def _log_volume() -> Sum:
    """The parts of even degree up to six of log det(1 + G) / 2 = sum_n (-1)^(n+1) tr G^n / (2 n)."""
    gram, power, total = words("A + At + At A + Bt B"), words("1"), _NOTHING
    for n in range(1, _DEGREE + 1):
        power = {word: c for word, c in word_product(power, gram).items() if len(word) <= _DEGREE}
        for word, c in power.items():
            if len(word) % 2 == 0:
                total = add_sums(total, scale_sum(Fraction((-1) ** (n + 1) * c, 2 * n), _trace(word)))
    return total


def _expected_log_volume() -> tuple[Sum, Sum]:
    """The expectation over A and B, and what it is taken of."""
    total = found = _log_volume()
    for block in _BLOCKS.values():
        found = expectation(found, block, symbol("x"))
    return found, total


Volume = Callable[[Any, Any, Any], Any]
"""(k, p, x) -> the expectation of the logarithm of the factor of a volume, up to x^3."""


def _at(summand: Sum, k: Any, p: Any, x: Any) -> Any:
    """A sum without tensors at these values of its scalars."""
    values, total = {"k": k, "p": p, "x": x}, sympy.Integer(0)
    for (scalars, factors), c in summand.items():
        assert not factors
        term = sympy.Rational(c.numerator, c.denominator)
        for name, power in scalars:
            term *= values[name] ** power
        total += term
    return sympy.expand(total)


def _volumes(_: Context) -> Computed:
    found, whole = _expected_log_volume()
    return Computed(found, sizes.of_terms(whole), r"E \log \operatorname{vol}_k = " + show(found))


def _same_volumes(found: Sum, claim: Volume) -> None:
    k, p, x = sympy.symbols("k p x")
    if difference := sympy.expand(_at(found, k, p, x) - claim(k, p, x)):
        raise Disagreement(f"the expectation differs by {difference}")


def _volume(k: Any, p: Any, x: Any, *, first: int = 1) -> Any:
    """The claim, from tr log(1 + A) and from the rows of B."""
    second = p * (3 + k - p) - (k + 2)
    third = p * (13 + 9 * k + k**2 - 6 * p - 3 * k * p + p**2) - (k**2 + 6 * k + 8)
    return k * (first * (p - 1) * x / 2 + second * x**2 / 4 + third * x**3 / 6)


def _gap(_: Context) -> Computed:
    """The volume of one column, less what the last of d columns adds to that of the d - 1 before it."""
    volumes, _whole = _expected_log_volume()
    d, x = sympy.symbols("d x")
    parts = [
        _at(volumes, *sizes_, x)
        for sizes_ in ((sympy.Integer(1), d - 1), (d, sympy.Integer(0)), (d - 1, sympy.Integer(1)))
    ]
    found = sympy.expand(parts[0] - parts[1] + parts[2])
    return Computed(found, of_symbols({"d": d}, *parts), r"\gamma_1 - \gamma_d = " + sympy.latex(sympy.factor(found)))


Gap = Callable[[Any, Any], Any]


def residual_gap(d: Any, x: Any) -> Any:
    """gamma_1 - gamma_d of 1 + W up to x^3, the entries of W being N(0, x)."""
    return (d - 1) * (x + 2 * x**2) + _last_term(d, x)


def _last_term(d: Any, x: Any) -> Any:
    return (d - 1) * (d**2 - 2 * d + 24) * x**3 / 3


def _same_gap(found: Any, claim: Gap) -> None:
    d, x = sympy.symbols("d x")
    if sympy.expand(found - claim(d, x)) != 0:
        raise Disagreement(f"computed {sympy.factor(found)}; claimed {sympy.factor(claim(d, x))}")


# Evidence.


@dataclass(frozen=True, slots=True)
class Rate:
    """log kappa(H^L)/L as measured and as expected, how far apart they may be, and why."""

    measured: float
    expected: float
    bound: float
    derivation: str
    sizes: str
    seed: int


_DEPTH = 100_000
_ENDS = 2.0 * math.log(1e6)
"""|P u| |P^{-T} u'| of two random unit vectors falls short of kappa(P) by more with a probability of about 10^-5."""


def expected_rate(width: int, depth: int, s: float, *, shortcut: bool) -> tuple[float, float, str]:
    """The rate for entries N(0, 2 s^2/d), how far a network of this depth may be off, and why."""
    if not shortcut:
        chi = 6.0 * math.pi / math.sqrt(2.0 * depth)
        derivation = r"six standard deviations of the logarithms of chi variables, and $\log 10^6$ at each end"
        return digamma_difference(width) / 2.0, chi + _ENDS / depth, derivation
    x = 2.0 * s * s / width
    linear, cut = 6.0 * math.sqrt(2.0 * x / depth), float(_last_term(width, x))
    derivation = r"six standard deviations $\sqrt{2 x / L}$ of $W_{11} - W_{dd}$, $\log 10^6$ at each end, and the last term of the expansion"
    return float(residual_gap(width, x)), linear + _ENDS / depth + cut, derivation


def _rate(s: float, *, shortcut: bool, against_plain: bool = False) -> Measured:
    """log kappa(H^L)/L of layers with entries N(0, 2 s^2/d), on the data.

    Raises:
        Unsuited: the data have so few components that the rate could not be told from half of it.
    """

    def compute(context: Context) -> Computed:
        x = inputs(context)
        width = int(x.shape[0])
        expected, bound, derivation = expected_rate(width, _DEPTH, s, shortcut=shortcut and not against_plain)
        if 2.2 * bound > expected:
            raise Unsuited(f"the data have {width} components, too few to tell the rate from chance at L = {_DEPTH}")
        layers = gaussian_layers(_DEPTH, width, context.seed, scale=s, shortcut=shortcut)
        (found,) = log_conditions(layers, x, [_DEPTH])
        sizes_ = f"{'residual' if shortcut else 'plain'}, s={s:g}, L={_DEPTH}, d={width}; {context.data.name}"
        measured = found.log_condition / _DEPTH
        return Computed(Rate(measured, expected, bound, derivation, sizes_, context.seed), Scope.of(sizes_))

    return compute


def _near_rate(found: Rate, claim: float) -> Measurement:
    """The claim is the factor beside the expected rate."""
    off, name = abs(found.measured - claim * found.expected), r"$\lvert\log \kappa(H^L)/L - \text{rate}\rvert$"
    return Measurement(
        name, off, found.bound, found.sizes, found.seed, found.derivation, "about $10^{-5}$", scale=found.expected
    )


def _below_plain(found: Rate, claim: float) -> Measurement:
    derivation, bound = "the rate of a plain network: an ordering", claim * found.expected
    return Measurement(
        r"$\log \kappa(H^L)/L$", found.measured, bound, found.sizes, found.seed, derivation, at_most=True
    )


def _plain(s: float) -> Argument:
    return Argument(
        f"Plain layers at scale {s:g}",
        "floating point",
        _rate(s, shortcut=False),
        1.0,
        {"no growth": 0.0, "nine tenths of the rate": 0.9},
        _near_rate,
        explanation=r"The claim is the factor beside $(\psi(d/2) - \psi(1/2))/2$, whatever the scale.",
        deep=True,
    )


def _residual(s: float) -> Argument:
    return Argument(
        f"Residual layers at scale {s:g}",
        "floating point",
        _rate(s, shortcut=True),
        1.0,
        {"no growth": 0.0, "half the rate": 0.5, "in proportion to the scale": 1.0 / s},
        _near_rate,
        explanation="The claim is the factor beside the expansion at $x = 2 s^2/d$.",
        deep=True,
    )


LG = Statement(
    id="RS-LG",
    title="The Lyapunov gap of plain random products, and an expansion for residual ones",
    source=None,
    latex=r"\gamma_1 - \gamma_d = \tfrac12\bigl(\psi(\tfrac d2) - \psi(\tfrac12)\bigr) \ \text{(plain)}, \qquad (d - 1)\,x + \dots \ \text{(residual: the Taylor polynomial's)}",
    setting="Layers are independent, with independent $N(0, x)$ entries.",
    clauses=(
        Clause(
            "Layers $s W^l$ instead of $W^l$, $s > 0$, multiply a plain network's product by $s^L$ and the inverse of it "
            "by $s^{-L}$: its condition number stays, in any norm.",
            {"L": 1, "d": 1},
            (
                Induction(
                    "L",
                    Argument(
                        "One layer and its inverse",
                        "index notation",
                        _one_layer,
                        _ONE_LAYER,
                        {"the inverse grows too": {**_ONE_LAYER, "inverse": "s * V[i,j]"}},
                        _same_layers,
                    ),
                    Argument(
                        "One layer more",
                        "index notation",
                        _one_layer_more,
                        _LAYER_MORE,
                        {
                            "the inverse grows too": {**_LAYER_MORE, "inverse": "s * t * R[i,a] * V[a,j]"},
                            "the scale counts once": {**_LAYER_MORE, "product": "t * W[i,a] * P[a,j]"},
                        },
                        _same_layers,
                        explanation="$s t$ and $1/(s t)$ are numbers, $t = s^L$: they leave both norms, and their product is one.",
                    ),
                ),
                Argument(
                    "Rational layers at three scales, plain and residual",
                    "explicit",
                    _scaled_products,
                    _SCALED,
                    {
                        "residual products do not feel the scale either": {**_SCALED, "residual": [True] * 3},
                        "plain products do": {**_SCALED, "plain": [False] * 3},
                    },
                ),
            ),
        ),
        Clause(
            r"In a plain network with independent Gaussian layers the gap is $(\psi(d/2) - \psi(1/2))/2$: 0 for $d = 1$, "
            r"$\log 2$ for $d = 2$, and $1/d$ more for $d + 2$ than for $d$.",
            {"d": 1},
            (
                _NEWMAN,
                Induction(
                    "d",
                    Argument(
                        "Widths one and two",
                        "identity",
                        _mean_logarithms,
                        {1: "0", 2: "log(2)"},
                        {"half of it": {1: "0", 2: "log(2)/2"}, "a gap at width one": {1: "1", 2: "log(2)"}},
                    ),
                    Argument(
                        "Two more",
                        "identity",
                        _two_degrees_more,
                        "1/d",
                        {"twice as much": "2/d", "one less": "1/(d + 1)"},
                        explanation=r"The squares of the diagonal are $\chi$-squared with $d, \ldots, 1$ degrees of freedom, times $x$.",
                    ),
                ),
            ),
        ),
        Clause(
            r"$Q^{\mathsf T} (1 + W) Q$, Gaussian as $1 + W$, has the same mean and covariance, and so the same law, for "
            "every orthogonal $Q$.",
            {"d": 1},
            (
                Argument(
                    "A residual layer in another orthonormal basis",
                    "index notation",
                    _turned_layer,
                    _TURNED,
                    {
                        "one factor is turned alone": {**_TURNED, "covariance": "x * Q[a,i] * Q[a,k] * delta[j,l]"},
                        "the rows mix with the columns": {
                            **_TURNED,
                            "covariance": "x * Q[a,i] * Q[a,l] * Q[b,j] * Q[b,k]",
                        },
                        "the mean is lost": {**_TURNED, "mean": "0"},
                    },
                    _same_layers,
                    explanation=r"With $Q^{\mathsf T} Q = 1$ both are those of $1 + W$. $W$ is independent of the layers before, "
                    "which have turned the frame by $Q$: volumes of dimension $k$ grow by factors that are independent "
                    "from layer to layer and of one law.",
                ),
            ),
        ),
        Clause(
            "The expectation of the Taylor polynomial of degree six, in $W$, of the logarithm of the factor by which "
            "$1 + W$ multiplies a volume of dimension $k = d - p$ is $k ((p - 1) x/2 + (p (3 + k - p) - k - 2) x^2/4 + "
            "(p (13 + 9 k + k^2 - 6 p - 3 k p + p^2) - k^2 - 6 k - 8) x^3/6)$.",
            {"k": 1, "p": 0},
            (
                Argument(
                    "The logarithm of a Gram determinant, expanded to degree six",
                    "index notation",
                    _volumes,
                    _volume,
                    {
                        "without the rows below": lambda k, p, x: _volume(k, 0, x),
                        "as in expectation of the volume squared": lambda k, p, x: k * (p + k) * x / 2,
                        "twice the first term": lambda k, p, x: _volume(k, p, x, first=2),
                    },
                    _same_volumes,
                    explanation=r"$\log \det(1 + G) = \sum (-1)^{n+1}\, \mathrm{tr}\, G^n / n$, every trace by Isserlis' theorem.",
                ),
            ),
        ),
        Clause(
            "What this is for $k = 1$, less what it gains from $k = d - 1$ to $k = d$, is "
            "$(d - 1)(x + 2 x^2 + (d^2 - 2 d + 24) x^3/3)$.",
            {"d": 1},
            (
                Argument(
                    "The polynomial of the first dimension less that of the last",
                    "identity",
                    _gap,
                    residual_gap,
                    {
                        "$d x$": lambda d, x: residual_gap(d, x) + x,
                        "of first order in the scale alone": lambda d, x: (d - 1) * x,
                        "without $d$ in the third order": lambda d, x: (d - 1) * (x + 2 * x**2 + 8 * x**3),
                    },
                    _same_gap,
                    explanation="Polynomials are compared; that the exponents of products are such expectations is not used.",
                ),
            ),
        ),
    ),
    evidence=(
        _plain(1.0),
        _plain(0.03),
        Argument(
            "Residual layers at scale 1",
            "floating point",
            _rate(1.0, shortcut=True, against_plain=True),
            1.0,
            {"at most nine tenths of it": 0.9},
            _below_plain,
            explanation="Where the expansion says nothing any more: the residual network's rate is a little below the plain one's.",
            deep=True,
        ),
        _residual(0.3),
        _residual(0.1),
        _residual(0.03),
    ),
    kind="algebra",
    notes="At small scales ($s \\le 0.3$ for $d = 10$) condition numbers of residual products are observed to grow at about the "
    "rate of the last clause, at He's scale not. "
    "The measured networks have entries $N(0, 2 s^2/d)$, $s = 1$ being He's initialisation, so $x = 2 s^2/d$. That the "
    "exponents of residual products are these expectations (the strong law, and volumes as products of singular values), "
    r"and that the expectations have the expansion of the integrand as $x \to 0$, is not proved here; what the running "
    r"networks show, $\log \kappa$ itself, uses neither.",
)

STATEMENTS = (LG,)
