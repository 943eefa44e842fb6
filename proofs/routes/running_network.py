"""Evidence on the running network at great depth: what was proved, seen again in floating point and modulo a prime.

The network's value, derivatives and products go through all R units by NumPy or CuPy; only then are they compared with
a claim, given as index strings and contracted with the same data. Rounding bounds are derived, not guessed:

    gamma_N (contraction of the moduli),    gamma_N = N u / (1 - N u),  u = 2^-53,

with N the longest chain of roundings of either side. A unit at its initial point that passes numbers through unchanged, by
exact zeros (`Running.passes_exactly`, which is tried), rounds nothing that comes from other units: then N is that of one
unit and of the m samples, and what R units add up is off by at most u times the moduli of the partial sums, which are sums
of the direction. Elsewhere N is R times that of one unit. Source: Higham 2002, Sections 3.1, 3.5 and 4.2.

Each comparison gets, besides what a statement calls false, the claim itself moved by a thousand times the bound, or by a
millionth of itself where that is less (`Moved`): a bound that is looser than its derivation accepts it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from resproof.architectures.forms.terms import HessianTerms, IndexSum
from resproof.architectures.losses import Loss, squared
from resproof.architectures.networks import Network
from resproof.architectures.nodes import nodes
from resproof.architectures.stages import ResidualUnit, Stage
from resproof.numeric.backend import Array, Ops, device, largest_modulus
from resproof.numeric.data import size_of, width_of
from resproof.numeric.limits import NotFiniteError
from resproof.numeric.modular.identity import ModularExpansion, expand, held_against
from resproof.numeric.network.adjoint import hvp, outputs, vjp
from resproof.numeric.network.linear import is_linear
from resproof.numeric.network.parameters import (
    Weights,
    flatten,
    initial_weights,
    parameter_count,
    random_weights,
    unflatten,
)
from resproof.numeric.network.running_error import bounded_product
from resproof.numeric.network.taylor import loss_series
from resproof.numeric.rounding import LEAST, UNIT_ROUNDOFF, gamma
from resproof.numeric.spectra.bounds import chain_length, contraction_bound
from resproof.numeric.spectra.contract import Environment, contract, environment, hessian_vector
from resproof.proofs.formulas import literal
from resproof.proofs.routes.hessians import CHANGES, AddedForm, Change, Claim, unchanged
from resproof.proofs.statement import Argument, Computed, Context, Disagreement, Measurement
from resproof.symbolic.index.claims import parse, vocabulary, vocabulary_of_hessian
from resproof.symbolic.index.expansion import expansion
from resproof.symbolic.index.lift import terms_of_forms
from resproof.symbolic.index.series import freeze
from resproof.symbolic.scope import Scope

FOLLOWED = 1000
"""Units at most through which a product is followed with its rounding errors."""


@dataclass(frozen=True, eq=False)
class Running:
    """A network with data, weights at the initial point and one direction; `sizes` names them for the report."""

    network: Network
    x: Any
    y: Any
    weights: Weights
    direction: Weights
    dims: Mapping[str, int]
    data: str
    seed: int

    @property
    def sizes(self) -> str:
        """R, d, m and where the data come from."""
        shown = ", ".join(f"{name}={n}" for name, n in self.dims.items())
        return f"R={self.network.units}, {shown}; {self.data}"

    @property
    def chain(self) -> int:
        """The longest chain of roundings through the units that round and the columns that are summed."""
        units = 1 if self.passes_exactly else self.network.units
        read = self.network.loss.reads
        through = 0 if read is None else _chain(read.head, read.sizes, self.x)
        return units * self.chain_of_one + through + math.prod(map(int, self.x.shape)) // width_of(self.x)

    @property
    def chain_of_one(self) -> int:
        """The longest chain of roundings within a unit, there and back, sums of tangents included; a node counts eightfold."""
        return _chain(self.network.unit, self.dims, self.x)

    @property
    def moduli(self) -> float:
        """|X|_F (|X|_F + |Y|_F) / m."""
        x, y = (float(self.environment.ops.xp.sum(a * a)) ** 0.5 for a in (self.x, self.y))
        return x * (x + y) / self.dims["m"]

    @cached_property
    def passes_exactly(self) -> bool:
        """Whether one unit at the initial point returns its input, and a cotangent, bit by bit."""
        one = replace(self.network, units=1)
        weights = {name: value[:1] for name, value in self.weights.items()}
        cotangent = self.x if self.network.loss.reads is not None else self.y
        back = vjp(one, weights, self.x, cotangent)[1]
        return largest_modulus(outputs(one, weights, self.x) - self.x) == largest_modulus(back - cotangent) == 0.0

    @cached_property
    def environment(self) -> Environment:
        """The data as an environment of index terms; the values of its tensors are worked out once."""
        initial: dict[str | tuple[str, int], Any] = {name: value[0] for name, value in self.weights.items()}
        return environment(self.network, self.x, self.y, sizes=self.dims, initial=initial)


def on_data(
    unit: ResidualUnit, units: int, context: Context, *, samples: int | None = None, loss: Loss = squared, **dims: int
) -> Running:
    """The network on the first `samples` columns of the context's data, with a random direction of norm one."""
    data, ops = context.data, device(context.device).ops
    x, y = (ops.asarray(np.ascontiguousarray(array[:, :samples])) for array in (data.X, data.Y))
    sizes = {"d": int(x.shape[0]), "m": int(x.shape[1]), **dims}
    return starting(Network(unit, units, loss), x, y, sizes, data.name, context)


def starting(network: Network, x: Any, y: Any, sizes: Mapping[str, int], name: str, context: Context) -> Running:
    """The network on data of this name, at its initial point and with a random direction of norm one."""
    unit, units, ops = network.unit, network.units, device(context.device).ops
    weights = initial_weights(unit, units, sizes, ops, context.seed, shared=True)
    direction = random_weights(unit, units, sizes, ops, context.seed + 1)
    norm = sum(float(ops.xp.sum(v * v)) for v in direction.values()) ** 0.5
    unit_length = {key: v / norm for key, v in direction.items()}
    return Running(network, x, y, weights, unit_length, sizes, name, context.seed)


def on_tokens(unit: ResidualUnit, units: int, context: Context, *, samples: int, tokens: int, **dims: int) -> Running:
    """The network of a unit that mixes columns: successive columns of the data are the tokens of one sample."""
    data, ops = context.data, device(context.device).ops

    def sequences(array: Any) -> Any:
        first = np.asarray(array)[:, : samples * tokens]
        return ops.asarray(np.ascontiguousarray(first.reshape(first.shape[0], samples, tokens).transpose(1, 0, 2)))

    sizes = {"d": int(data.X.shape[0]), "m": samples, "t": tokens, **dims}
    name = f"{data.name}, in sequences of {tokens}"
    return starting(Network(unit, units), sequences(data.X), sequences(data.Y), sizes, name, context)


# Hessian-vector products.


MOVED = "moved by 1000 times the bound"
MOVED_LITTLE = "moved by 1000 times the bound, a millionth at most"
"""The names of the neighbours that every comparison has to reject: the first where the data are somebody's own."""


@dataclass(frozen=True, slots=True)
class Shift:
    """A number moved by so many bounds, but by no more than a part of itself where one is given."""

    times: float = 1000.0
    part: float | None = 2.0**-20

    def of(self, bound: Any, size: Any) -> Any:
        """How far a number of this size moves."""
        far = self.times * bound
        return far if self.part is None else np.minimum(far, self.part * size)


def _chain(stage: Stage, dims: Mapping[str, int], x: Any) -> int:
    """The longest chain of roundings within a stage that takes x, as `Running.chain_of_one`."""
    sides = [[size_of(n, dims) for n in w.shape] for w in stage.every_name]
    inner = sum(sum(side) if len(side) <= 2 else math.prod(side) for side in sides)
    tokens = math.prod(map(int, x.shape[2:])) if stage.mixes_columns else 0
    return 2 * (inner + tokens) + 8 * len(nodes(stage.expression))


STAYS = Shift(0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Moved:
    """A claim, each number of which is moved."""

    claim: Any
    shift: Shift = Shift()


def claim_and_shift(claim: Any) -> tuple[Any, Shift]:
    """The claim itself, and how far its numbers are moved."""
    return (claim.claim, claim.shift) if isinstance(claim, Moved) else (claim, STAYS)


@dataclass(frozen=True, eq=False)
class Product:
    """H v of a running network, v its direction."""

    running: Running
    image: Weights

    @cached_property
    def derived(self) -> HessianTerms:
        """D, A and A^T as the index route has them."""
        network = self.running.network
        forms = expansion(network.unit, network.loss).forms
        return terms_of_forms(network.unit, forms[1, 1], forms[1, 2])

    @cached_property
    def against_derived(self) -> Against:
        """The product of these, which several claims are held against."""
        return against(self, self.derived)

    @cached_property
    def moduli_bound(self) -> bool:
        """Whether the bound of moduli holds for the derived product, so that it can tell true from false.

        Where terms cancel that the forms do not show, their moduli bound nothing.
        """
        apart = _distance(self, self.against_derived)
        return apart.value <= apart.bound

    @cached_property
    def followed(self) -> Weights:
        """A bound of the error of each entry of H v, from a running error analysis.

        Raises:
            NotFiniteError: it exceeds what floats hold.
        """
        one = self.running
        return bounded_product(one.network, one.weights, one.direction, one.x, one.y).error


@dataclass(frozen=True, slots=True)
class Against:
    """What H v is claimed to be, how far rounding may move each entry, and where that bound comes from."""

    claimed: Weights
    bound: Weights
    derivation: str


def hessian_product(make: Callable[[Context], Running], *, by_unit: bool = False) -> Callable[[Context], Computed]:
    """H v through all units: forward over reverse; `by_unit` on the samples even where the units are linear."""

    def compute(context: Context) -> Computed:
        running = make(context)
        network, memory = running.network, context.memory
        image = hvp(network, running.weights, running.direction, running.x, running.y, memory=memory, by_unit=by_unit)
        return Computed(Product(running, image), Scope.of(running.sizes))

    return compute


def near_product(found: Product, claim: Claim | Moved) -> Measurement:
    """The distance of H v from the claimed form's, entry by entry against the rounding bound.

    Reported is the entry that differs most, in units of its bound; zero maps have to be zero exactly.
    """
    network, (form, shift) = found.running.network, claim_and_shift(claim)
    return _distance(found, against(found, claimed_terms(network.unit, network.loss, form)), shift)


def near_index_route(found: Product, claim: Change | Moved) -> Measurement:
    """The distance of H v from that of the index route's forms, changed as claimed.

    What a change adds is made as large as the product and a thousand times the bound. Where moduli do not bound the error,
    the product is followed with its own rounding errors; so it is where they do not tell what a change adds.
    """
    running, (change, shift) = found.running, claim_and_shift(claim)
    followed = running.network.units <= FOLLOWED
    if isinstance(change, AddedForm):
        apart = _from_added(found, change, None) if found.moduli_bound or not followed else None
        if apart is not None and (apart.value > apart.bound or not followed):
            return apart
        return _from_added(found, change, _followed_or_none(found))
    if change is unchanged:
        terms, plain = found.derived, found.against_derived
    else:
        forms = expansion(running.network.unit, running.network.loss).forms
        terms = terms_of_forms(running.network.unit, *change(forms[1, 1], forms[1, 2]))
        plain = against(found, terms)
    if followed and not found.moduli_bound:
        plain = against(found, terms, found.followed)
    return _distance(found, plain, shift)


def _from_added(found: Product, change: AddedForm, error: Weights | None) -> Measurement:
    """The distance from the derived forms with another one added, by the bound of moduli where no error is given."""
    bound = found.against_derived.bound if error is None else _bounds(found.running, found.derived, error)
    added = terms_of_forms(found.running.network.unit, change.times(_telling(found, bound)).form, {})
    return _distance(found, _with_added(found, bound, added, followed=error is not None))


def _telling(found: Product, bound: Weights) -> Fraction:
    """A power of two, at least one, above every entry of H v and a thousand bounds for an entry of v."""
    image, v = found.image, found.running.direction
    moved = min(largest_modulus(a) for a in v.values()) or 1.0
    size = max(
        *(largest_modulus(a) for a in image.values()), 1000 * max(largest_modulus(a) for a in bound.values()) / moved
    )
    return Fraction(2) ** max(math.frexp(size)[1], 0)


def _followed_or_none(found: Product) -> Weights | None:
    """The error of each entry, where it is finite: a falsehood is as large as it is made, and the moduli bound it too."""
    try:
        return found.followed
    except NotFiniteError:
        return None


def against(found: Product, terms: HessianTerms, error: Weights | None = None) -> Against:
    """The product of terms with the same direction; `error` bounds that of H v, where it was followed."""
    running = found.running
    claimed = hessian_vector(terms, running.environment, running.direction)
    return Against(claimed, _bounds(running, terms, error), _derivation(running, followed=error is not None))


def _with_added(found: Product, bound: Weights, added: HessianTerms, *, followed: bool) -> Against:
    """The product of the derived terms and `added`: products are linear in them, and the sum rounds once more."""
    running, derived = found.running, found.against_derived.claimed
    more = hessian_vector(added, running.environment, running.direction)
    off = _product_bound(added, running, claim_only=True)
    total = {name: derived[name] + more[name] for name in derived}
    size = {name: UNIT_ROUNDOFF * running.environment.ops.abs(one) for name, one in total.items()}
    wider = {name: bound[name] + off[name] + size[name] for name in total}
    return Against(total, wider, _derivation(running, followed=followed))


def _derivation(running: Running, *, followed: bool) -> str:
    if followed:
        return "running error analysis of the product through all units, an entry of %s"
    return rf"$\gamma_N$ times the contraction of moduli, an entry of %s, $N = {running.chain}$"


def _distance(found: Product, other: Against, shift: Shift = STAYS) -> Measurement:
    running, ops = found.running, found.running.environment.ops
    rounds = sum(float(ops.xp.sum(bound)) for bound in other.bound.values())
    least = 0.0 if rounds else LEAST  # what is exact is moved where nothing else can be
    entries = {
        name: _Entries.of(ops, image, other.claimed[name], other.bound[name], shift, least)
        for name, image in found.image.items()
    }
    name, worst = max(entries.items(), key=lambda one: one[1].excess)
    scale = worst.bound * max(one.digits for one in entries.values())
    return Measurement(
        r"$\lvert H v - \text{claim}\rvert$ where it is largest for its bound",
        worst.apart,
        worst.bound,
        running.sizes,
        running.seed,
        other.derivation % literal(name),
        scale=scale or None,
    )


@dataclass(frozen=True, slots=True)
class _Entries:
    """The entry of an array that is off most, for its bound; and the greatest quotient of a claimed number and its bound."""

    excess: float
    apart: float
    bound: float
    digits: float

    @staticmethod
    def of(ops: Ops, image: Array, claimed: Array, bound: Array, shift: Shift, least: float) -> _Entries:
        """Of an image and what is claimed, moved as said, and by so much at least."""
        measured, stated = ops.numpy(image).ravel(), ops.numpy(claimed).ravel()
        allowed = np.broadcast_to(ops.numpy(bound), image.shape).ravel()
        far = shift.of(allowed, np.abs(stated))
        moved = stated if shift is STAYS else stated + np.copysign(np.maximum(far, least), stated)
        apart = np.abs(measured - moved)
        with np.errstate(over="ignore"):
            excess = apart / np.maximum(allowed, LEAST)
        place = int(np.argmax(excess))
        known = np.divide(np.abs(stated), allowed, out=np.zeros_like(stated), where=allowed > 0.0)
        return _Entries(float(excess[place]), float(apart[place]), float(allowed[place]), float(known.max()))


def _bounds(running: Running, terms: HessianTerms, error: Weights | None) -> Weights:
    """How far H v and the terms' product may lie apart by rounding, with the errors followed where they are known."""
    if error is not None:
        own = _product_bound(terms, running, claim_only=True)
        return {name: own[name] + error[name] for name in own}
    return _product_bound(terms, running)


def claimed_terms(unit: ResidualUnit, loss: Loss, claim: Claim) -> HessianTerms:
    """A claim's D, A and A^T as linear maps."""
    known = vocabulary_of_hessian(unit, loss)
    return terms_of_forms(unit, parse(claim.diagonal, known), parse(claim.cross, known))


def _product_bound(terms: HessianTerms, running: Running, *, claim_only: bool = False) -> Weights:
    """gamma_(N + contraction) times |D| |v|, and |A| and |A^T| times how far the sums over units are off, each in moduli.

    `claim_only`: the error of the contraction alone.
    """
    env, v = running.environment, running.direction
    ops, chain = env.ops, 0 if claim_only else running.chain
    total = {name: ops.zeros((1,)) for name in v}
    moduli = {name: ops.abs(a) for name, a in v.items()}
    for part, summed in ((terms.diagonal, False), (terms.later, True), (terms.earlier, True)):
        for name, index_sum in part:
            if index_sum.terms:
                own = chain_length(index_sum, env.sizes)
                grown = gamma(chain + own)
                off = sums_over_units(running, grown) if summed else {key: grown * a for key, a in moduli.items()}
                error = contraction_bound(index_sum, _placed(env, off)) / gamma(own)
                total[name] = total[name] + ops.xp.reshape(error, tuple(off[name].shape))
    return total


def sums_over_units(running: Running, grown: float) -> Weights:
    """How far sums of the direction over units, from either end, are off after all, with `grown` for what follows them.

    With P_k the partial sums: gamma_c sum |v| from each unit by itself, u sum |P_k| from adding up, twice, for the network and
    the claim, and `grown` times the greatest |P_k|. A scan over linear units adds up in about 2 sqrt(R) steps, in another
    order. Where units round, `grown` times sum |v|.
    """
    xp = running.environment.ops.xp
    steps = 2 * math.isqrt(running.network.units) + 4 if is_linear(running.network.unit) else 0
    found = {}
    for name, a in running.direction.items():
        whole = xp.sum(xp.abs(a), axis=0)
        before = xp.cumsum(a, axis=0)
        ends = [xp.abs(before), xp.abs(before[-1:, ...] - before)]
        if not running.passes_exactly:
            found[name] = grown * whole
            continue
        adding = 2 * xp.maximum(*(xp.sum(one, axis=0) for one in ends)) + steps * whole
        greatest = sum(xp.max(one, axis=0) for one in ends)
        found[name] = gamma(running.chain_of_one) * whole + UNIT_ROUNDOFF * adding + grown * greatest
    return found


def _placed(env: Environment, moduli: Weights) -> Environment:
    return env.along({(name, 1): array for name, array in moduli.items()})


def dense_hessian(running: Running, together: int = 100) -> np.ndarray:
    """The Hessian at the initial point by its products with unit vectors, so many of which go through together, as rows."""
    network, ops = running.network, running.environment.ops
    count = network.units * parameter_count(network.unit, running.dims)
    rows: list[Any] = []
    for first in range(0, count, together):
        some = np.eye(min(together, count - first), count, first)
        tangents = unflatten(network.unit, ops.asarray(some), network.units, running.dims)
        image = hvp(network, running.weights, tangents, running.x, running.y)
        rows.append(ops.numpy(flatten(network.unit, image)))
    return np.concatenate(rows)


# Taylor coefficients.


@dataclass(frozen=True, slots=True)
class Coefficients:
    """Taylor coefficients 0..K of t -> L(w_0 + t v)."""

    running: Running
    values: list[float]


def taylor_coefficients(make: Callable[[Context], Running], order: int) -> Callable[[Context], Computed]:
    """Coefficients of the loss along positive multiples of one unit's direction, through all units by Taylor arithmetic.

    So no two units cancel each other, which would leave a small number with the rounding of large ones.
    """

    def compute(context: Context) -> Computed:
        running = _without_cancelling(make(context))
        values = loss_series(running.network, running.weights, running.direction, running.x, running.y, order)
        return Computed(Coefficients(running, values), Scope.of(running.sizes))

    return compute


def _without_cancelling(running: Running) -> Running:
    """The same with a direction that is the first unit's in all units, times random numbers from 1/2 to 3/2."""
    ops, units = running.environment.ops, running.network.units
    factors = ops.asarray(np.random.default_rng(running.seed).uniform(0.5, 1.5, size=(units, 1, 1)))
    direction = {name: factors * a[:1, ...] for name, a in running.direction.items()}
    norm = sum(float(ops.xp.sum(a * a)) for a in direction.values()) ** 0.5
    return replace(running, direction={name: a / norm for name, a in direction.items()})


def vanish_below(found: Coefficients, claim: tuple[int, str] | Moved) -> tuple[Measurement, ...]:
    """Coefficients 1..n-1 vanish and the n-th is the claimed form's: claim is (n, index string of the part in unit 1).

    Where units pass numbers through exactly, those below are sums of exact zeros.

    Raises:
        Disagreement: the coefficient of degree n is not above its bound, so the order is higher.
    """
    running, (stated, shift) = found.running, claim_and_shift(claim)
    degree, text = stated
    if degree >= len(found.values):
        raise Disagreement(f"coefficients up to {len(found.values) - 1} were computed; claimed degree {degree}")
    form = freeze(parse(text, vocabulary(running.network.unit, running.network.loss)), {})
    expected, bound = _form_and_bound(form, running)
    if abs(expected) <= bound:
        raise Disagreement(f"the coefficient of degree {degree} is {expected:.3g}, within its rounding bound")
    allowed = 0.0 if running.passes_exactly else bound
    moved = 0.0 if shift is STAYS else max(shift.of(allowed, abs(expected)), LEAST)
    below = [
        Measurement(
            f"|coefficient of $t^{{{k}}}$|",
            abs(found.values[k] - moved),
            allowed,
            running.sizes,
            running.seed,
            rf"products with zero, or $\gamma_N$ times the contraction of moduli of degree {degree}, $N = {running.chain}$",
            scale=abs(expected),
        )
        for k in range(1, degree)
    ]
    difference = abs(found.values[degree] - expected - shift.of(bound, abs(expected)))
    derivation = rf"$\gamma_N$ times the contraction of moduli, $N = {running.chain}$ and the sum over units"
    named = f"|coefficient of $t^{{{degree}}}$ - claim|"
    return (*below, Measurement(named, difference, bound, running.sizes, running.seed, derivation, scale=abs(expected)))


def _form_and_bound(form: IndexSum, running: Running) -> tuple[float, float]:
    """The form summed over all units, and gamma_N times the sum of its moduli."""
    env = running.environment
    placed = _placed(env, running.direction)
    own = chain_length(form, env.sizes)
    value = float(env.ops.xp.sum(contract(form, placed)))
    moduli = float(env.ops.xp.sum(contraction_bound(form, placed)))
    return value, moduli * gamma(running.chain + own + running.network.units) / gamma(own)


# Eigenpairs.


class Residual(NamedTuple):
    """A unit vector w with its predicted eigenvalue: rho = <w, H w> and |H w - rho w|."""

    predicted: float
    quotient: float
    apart: float


@dataclass(frozen=True, slots=True)
class Residuals:
    """Images of predicted eigenvectors of a running network, and how far the triples they are made of are off."""

    running: Running
    pairs: tuple[Residual, ...]
    triples: float


def eigenpairs(
    make: Callable[[Context], Running], pre: Callable[[Any], Any], *, block: bool = False
) -> Callable[[Context], Computed]:
    """H w for w = (a_r v^T, +-u a_r^T) in every unit, with the extreme singular triples of M and random a_r.

    |H w - lambda w|^2 = |H w - rho w|^2 + (rho - lambda)^2, so that only two numbers are kept. In a block the four
    vectors go through the network together.
    """

    def compute(context: Context) -> Computed:
        running = make(context)
        ops, network = device(context.device).ops, running.network
        x, y = (ops.numpy(a).astype(np.longdouble) for a in (running.x, running.y))
        m = (x - y) @ pre(x).T / x.shape[1]
        left, singular, right = np.linalg.svd(m.astype(np.float64))
        off = sum(
            largest_modulus(one) for one in (m @ right.T - left * singular, left.T @ m - right * singular[:, None])
        )
        a = np.random.default_rng(running.seed).normal(size=(network.units, left.shape[0]))
        a /= np.linalg.norm(a) * np.sqrt(2.0)
        places = [(k, sign) for k in (0, -1) for sign in (1.0, -1.0)]
        values = [sign * float(singular[k]) for k, sign in places]

        def vectors(some: list[tuple[int, float]]) -> dict[str, Any]:
            first = np.stack([a[:, :, None] * right[k][None, None, :] for k, _ in some])
            second = np.stack([sign * left[:, k][None, :, None] * a[:, None, :] for k, sign in some])
            return {"W1": ops.asarray(first), "W2": ops.asarray(second)}

        pairs: list[Residual] = []
        for some in [places] if block else [[place] for place in places]:
            w = vectors(some)
            image = hvp(network, running.weights, w, running.x, running.y)
            quotients = ops.xp.sum(w["W1"] * image["W1"] + w["W2"] * image["W2"], axis=(1, 2, 3))
            for k in range(len(some)):
                rho = float(quotients[k])
                squares = sum(float(ops.xp.sum((image[n][k, ...] - rho * w[n][k, ...]) ** 2)) for n in w)
                pairs.append(Residual(values[len(pairs)], rho, squares**0.5))
        return Computed(Residuals(running, tuple(pairs), off * len(m)), Scope.of(running.sizes))

    return compute


def are_eigenpairs(found: Residuals, claim: float | Moved) -> Measurement:
    """The greatest |H w - lambda w| for lambda = sign sigma^power (the claim is power 1), |w| = 1."""
    running, (power, shift) = found.running, claim_and_shift(claim)
    bound = gamma(running.chain) * running.moduli + found.triples
    worst = 0.0
    for one in found.pairs:
        size = abs(one.predicted) ** power
        claimed = math.copysign(size + shift.of(bound, size), one.predicted)
        worst = max(worst, math.hypot(one.apart, one.quotient - claimed))
    derivation = rf"$\gamma_N \lvert X\rvert_F (\lvert X\rvert_F + \lvert Y\rvert_F)/m$, $N = {running.chain}$ roundings; residuals of the SVD in extended precision"
    quantity, largest = r"$\max \lvert H w - \lambda w\rvert$", found.pairs[0].predicted
    return Measurement(quantity, worst, bound, running.sizes, running.seed, derivation, scale=largest)


# The exact identity test.


def identity_modulo(
    unit: ResidualUnit,
    units: int,
    orders: Mapping[int, str],
    neighbours: Mapping[str, Mapping[int, str]],
    *,
    points: int = 8,
    loss: Loss = squared,
    deep: bool = False,
    **dims: int,
) -> Argument:
    """The Taylor coefficients of the network along random directions equal the claim modulo a prime, at depth R."""
    shown = ", ".join(f"{name}={n}" for name, n in dims.items())
    sizes, highest = f"R={units}, {shown}; random data, generic activations", max(orders)

    def compute(context: Context) -> Computed:
        ops = device(context.device).ops
        found = expand(Network(unit, units, loss), highest, dims, ops, points=points, seed=context.seed)
        return Computed((found, context.seed), Scope.of(sizes))

    def compare(computed: tuple[ModularExpansion, int], claim: Mapping[int, str]) -> Measurement:
        found, seed = computed
        known = vocabulary(unit, loss)
        outcome = held_against(found, {order: freeze(parse(text, known), {}) for order, text in claim.items()})
        return Measurement(
            "mismatches modulo $p$",
            float(len(outcome.mismatches)),
            0.0,
            sizes,
            seed,
            f"exact arithmetic modulo $p = {outcome.prime}$, {outcome.points} random points",
            f"at most $2^{{{outcome.log2_false_acceptance:.0f}}}$",
        )

    return Argument(
        f"Taylor coefficients modulo a prime at $R = {units}$",
        "modular",
        compute,
        orders,
        neighbours,
        compare,
        deep=deep,
    )


def observed_product(
    title: str,
    make: Callable[[Context], Running],
    claim: Claim,
    neighbours: Mapping[str, Claim],
    *,
    deep: bool = False,
    by_unit: bool = False,
) -> Argument:
    """H v of the running network equals the claim's."""
    compute = hessian_product(make, by_unit=by_unit)
    others = {**neighbours, MOVED_LITTLE: Moved(claim)}
    return Argument(title, "floating point", compute, claim, others, near_product, deep=deep)


def observed_index_route(title: str, make: Callable[[Context], Running]) -> Argument:
    """H v of the running network equals that of the forms the index route derives: D and A both nonzero."""
    return Argument(
        title,
        "floating point",
        hessian_product(make),
        unchanged,
        {**CHANGES, MOVED_LITTLE: Moved(unchanged)},
        near_index_route,
        explanation="Derived in index notation for every size, contracted with the data; random initial weights, the "
        "same in every unit.",
    )


def observed_order(
    title: str,
    make: Callable[[Context], Running],
    degree: int,
    part: str,
    neighbours: Mapping[str, tuple[int, str] | Moved],
    *,
    deep: bool = False,
) -> Argument:
    """The first nonvanishing Taylor coefficient of the running network, and its value."""
    compute = taylor_coefficients(make, degree + 1)
    others = {**neighbours, MOVED_LITTLE: Moved((degree, part))}
    return Argument(title, "floating point", compute, (degree, part), others, vanish_below, deep=deep)
