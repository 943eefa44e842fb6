"""Hessians and spectra of every entry of the catalogue against JAX and PyTorch on plainly written networks.

Two derivations of ours, the contracted index terms and the Hessian-vector products of the running network, and two of
others: `jax.hessian` and `torch.func.hessian` of `tests.plain_catalogue`. What fails GEN-1's hypothesis is not typed
here either: the tool and the plain function at the initial weights have to agree on it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from math import erf
from typing import Any

import numpy as np
import pytest

from resproof.architectures.catalogue import CATALOGUE
from resproof.architectures.forms.terms import IndexSum
from resproof.architectures.losses import LOSSES, loss
from resproof.architectures.networks import Network
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import Normal
from resproof.numeric.backend import ops
from resproof.numeric.data import bind
from resproof.numeric.network.adjoint import hvp
from resproof.numeric.network.parameters import flatten, initial_weights, parameter_count, shapes, unflatten
from resproof.numeric.rounding import UNIT_ROUNDOFF
from resproof.numeric.spectra.contract import contract, environment, hessian_vector
from resproof.proofs.block.spectrum import NoHessianError, spectrum
from resproof.symbolic.index.lift import NotIdentityError, pair_forms, require_identity, terms_of_forms
from tests import plain_catalogue
from tests.index_terms import hessian_terms
from tests.plain_catalogue import PLAIN, Library, Plain, split
from tests.proofs.eigenvalues import listed

RELATIVE = 1e-10
INNER = {"k": 2, "f": 2}
UNITS = 2
# JAX compiles for seconds, so these carry the cross-entropy.
BOTH_LOSSES = ("n-shortcut", "biased", "output-bias", "rezero", "pre-norm", "attention")


@dataclass(frozen=True)
class Case:
    """A network of one entry at its initial point, with random data; `own` draws random weights for each unit."""

    name: str
    kind: str
    units: int = UNITS
    own: bool = False

    @property
    def unit(self) -> ResidualUnit:
        return _unit(self.name)

    @property
    def network(self) -> Network:
        return Network(self.unit, self.units, loss(self.kind))

    @property
    def data(self) -> tuple[np.ndarray, np.ndarray]:
        x, y = np.random.default_rng(7).standard_normal((2, 2, 3, 2) if self.unit.mixes_columns else (2, 3, 4))
        return x, y

    @property
    def inner(self) -> dict[str, int]:
        present = {n for w in self.unit.weights for n in w.shape}
        return {name: n for name, n in INNER.items() if name in present}

    @property
    def sizes(self) -> dict[str, int]:
        return bind("test", self.unit, self.data[0], self.inner)

    @property
    def weights(self) -> dict[str, Any]:
        return initial_weights(self.unit, self.units, self.sizes, ops(np), shared=not self.own)

    @property
    def point(self) -> np.ndarray:
        return np.asarray(flatten(self.unit, self.weights))

    @property
    def directions(self) -> dict[str, Any]:
        """Every unit vector, as one block of perturbations."""
        count = self.units * parameter_count(self.unit, self.sizes)
        return unflatten(self.unit, np.eye(count), self.units, self.sizes)

    def plain_loss(self, library: Library) -> Callable[[Any], Any]:
        block, sides = PLAIN[self.name], shapes(self.unit, self.sizes)
        x, y = (library.constant(a) for a in self.data)
        return lambda v: plain_catalogue.loss(library, block, self.kind, split(v, self.units, sides), x, y)


@cache
def _unit(name: str) -> ResidualUnit:
    return ResidualUnit(CATALOGUE[name].build())


# Ours.


@cache
def from_index_terms(case: Case) -> np.ndarray:
    x, y = case.data
    initial: dict[str | tuple[str, int], Any] = {name: array[0] for name, array in case.weights.items()}
    env = environment(case.network, x, y, sizes=case.inner, initial=initial)
    terms = hessian_terms(case.unit, case.network.loss)
    return np.asarray(flatten(case.unit, hessian_vector(terms, env, case.directions)))


@cache
def from_running_network(case: Case) -> np.ndarray:
    x, y = case.data
    return np.asarray(flatten(case.unit, hvp(case.network, case.weights, case.directions, x, y)))


# Theirs.


def _with_jax(case: Case) -> np.ndarray:
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    hessian = jax.jit(jax.hessian(case.plain_loss(_jax_library())), compiler_options=_QUICK)
    return np.asarray(hessian(case.point))


# Compiling takes nearly all of the time.
_QUICK = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}


def _jax_library() -> Library:
    jnp, special = pytest.importorskip("jax.numpy"), pytest.importorskip("jax.scipy.special")
    return Library(jnp.tanh, jnp.exp, jnp.log, special.erf, lambda parts: jnp.concatenate(parts, axis=-1), jnp.asarray)


def _with_torch(case: Case) -> np.ndarray:
    torch = pytest.importorskip("torch")
    library = Library(torch.tanh, torch.exp, torch.log, torch.erf, lambda parts: torch.cat(parts, -1), torch.from_numpy)
    return torch.func.hessian(case.plain_loss(library))(torch.from_numpy(case.point)).numpy()


_ALL: dict[str, Callable[[Case], np.ndarray]] = {"jax": _with_jax, "torch": _with_torch}
PEERS = {name: hessian for name, hessian in _ALL.items() if find_spec(name) is not None}


@cache
def theirs(peer: str, case: Case) -> np.ndarray:
    return PEERS[peer](case)


NUMPY = Library(np.tanh, np.exp, np.log, np.vectorize(erf), lambda p: np.concatenate(p, -1), np.array)


def starts_as_identity(name: str) -> bool:
    """Whether the plain block at its initial weights returns its input, bit by bit."""
    case = Case(name, "squared", units=1)
    units = split(case.point, 1, shapes(case.unit, case.sizes))
    x = case.data[0]
    return np.array_equal(plain_catalogue.output(NUMPY, PLAIN[name], units, x), x)


WITH_HESSIAN = [name for name in CATALOGUE if starts_as_identity(name)]
WITHOUT = [name for name in CATALOGUE if name not in WITH_HESSIAN]


# The comparisons.


def assert_same(found: np.ndarray, expected: np.ndarray, structural: np.ndarray) -> None:
    """Zeros where the index terms have none, equal to RELATIVE elsewhere, entry by entry."""
    floor = 64 * UNIT_ROUNDOFF * float(np.max(np.abs(expected)))
    assert float(np.max(np.abs(expected[structural]), initial=0.0)) <= floor
    assert not np.any(found[structural])
    apart = np.abs(found - expected)[~structural]
    worst = float(np.max(apart / (np.abs(expected[~structural]) + floor / RELATIVE), initial=0.0))
    assert worst <= RELATIVE, f"off by {worst:.2e} relative to the entry"


def test_both_peers_are_installed() -> None:
    """Says in one line which of them is not; the tests below go through those that are."""
    for name in _ALL:
        _ = pytest.importorskip(name)


def test_every_entry_is_written_plainly() -> None:
    assert set(PLAIN) == set(CATALOGUE)
    assert WITH_HESSIAN
    assert WITHOUT


@pytest.mark.parametrize("kind", LOSSES)
@pytest.mark.parametrize("name", WITH_HESSIAN)
def test_index_terms_and_running_network_agree(name: str, kind: str) -> None:
    case = Case(name, kind)
    found = from_index_terms(case)
    assert_same(found, from_running_network(case), found == 0.0)


@pytest.mark.parametrize("peer", PEERS)
@pytest.mark.parametrize(
    ("name", "kind"), [(n, k) for n in WITH_HESSIAN for k in LOSSES if k == "squared" or n in BOTH_LOSSES]
)
def test_hessians_equal_those_of_the_peers(name: str, kind: str, peer: str) -> None:
    case = Case(name, kind)
    expected, found = theirs(peer, case), from_index_terms(case)
    assert_same(found, expected, found == 0.0)
    assert_same(from_running_network(case), expected, found == 0.0)


@pytest.mark.parametrize("peer", PEERS)
@pytest.mark.parametrize("name", WITH_HESSIAN)
def test_spectra_equal_those_of_the_peers(name: str, peer: str) -> None:
    case = Case(name, "squared")
    expected = np.linalg.eigvalsh(theirs(peer, case))
    found = spectrum(case.unit, case.units, *case.data, case.network.loss, sizes=case.inner)
    values = listed(found)
    scale = max(float(np.max(np.abs(expected))), UNIT_ROUNDOFF)
    np.testing.assert_allclose(values, expected, rtol=0.0, atol=RELATIVE * scale)
    counts = [int(np.sum(expected < -RELATIVE * scale)), int(np.sum(expected > RELATIVE * scale))]
    assert [found.negative, found.positive] == counts


@pytest.mark.parametrize("name", WITHOUT)
def test_what_is_no_identity_is_noticed(name: str) -> None:
    case = Case(name, "squared")
    with pytest.raises(NotIdentityError, match="expected X itself"):
        require_identity(case.unit)
    with pytest.raises(NoHessianError, match="not the identity at its initial point"):
        _ = spectrum(case.unit, case.units, *case.data, case.network.loss, sizes=case.inner)


@pytest.mark.parametrize("name", WITH_HESSIAN)
def test_what_is_the_identity_passes(name: str) -> None:
    require_identity(_unit(name))


def _drawn(name: str) -> bool:
    return any(isinstance(weight.initial, Normal) for weight in _unit(name).weights)


@pytest.mark.parametrize("name", [n for n in WITH_HESSIAN if _drawn(n)])
def test_a_draw_for_each_unit(name: str) -> None:
    """With random weights of its own in each unit, block (r, s) is a contraction with the draws of units r and s."""
    case = Case(name, "squared", own=True)
    expected, (x, y), unit = theirs(next(iter(PEERS)), case), case.data, case.unit
    initial: dict[str | tuple[str, int], Any] = {
        (weight, r + 1): array[r] for weight, array in case.weights.items() for r in range(UNITS)
    }
    count = parameter_count(unit, case.sizes)
    moved = {(n, 1): array for n, array in unflatten(unit, np.eye(count), 1, case.sizes).items()}
    env = environment(case.network, x, y, sizes=case.inner, initial=initial, perturbations=moved)
    forms = pair_forms(unit, case.network.loss, own_initial=True)

    def block(part: tuple[tuple[str, IndexSum], ...]) -> np.ndarray:
        """Row k is the image of the k-th unit vector."""
        whole = {n: np.zeros(moved[n, 1].shape) for n, _ in part}
        whole.update({n: np.reshape(contract(terms, env), whole[n].shape) for n, terms in part if terms.terms})
        return np.asarray(flatten(unit, whole))

    first, second = (block(terms_of_forms(unit, forms[r, r], {}).diagonal) for r in (1, 2))
    later = block(terms_of_forms(unit, {}, forms[1, 2]).later).T
    found = np.block([[first, later.T], [later, second]])
    assert_same(found, expected, found == 0.0)
    assert float(np.max(np.abs(first - second))) > RELATIVE * float(np.max(np.abs(first)))


def test_a_wrong_network_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison can fail: with the causal mask left out of the plain block it does."""
    case = Case("multi-head", "squared")
    wrong: Plain = plain_catalogue.attention(["1", "2"], causal=False)
    monkeypatch.setitem(PLAIN, "multi-head", wrong)
    found, expected = from_index_terms(case), _with_jax(case)
    with pytest.raises(AssertionError):
        assert_same(found, expected, found == 0.0)
