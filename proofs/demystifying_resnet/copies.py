"""Demystifying ResNet, after Theorem 2: how often each of +- sqrt(eigs(A^T A)) is an eigenvalue for n = 2 (DR-T2.2n).

DR-T2.2e counts by the singular values of M, R d times each. Here they are counted as printed, by those of the block A,
as multisets: q = d^2 eigenvalues of A^T A, so 2 q numbers, R copies of which are the 2 R q eigenvalues of H.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import sympy

from resproof.architectures.activations import polynomial, tanh
from resproof.architectures.catalogue import biased, n_shortcut
from resproof.architectures.forms.terms import COLUMN, ROW, IndexSum, Perturbation
from resproof.architectures.losses import generic_loss, squared
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.beyond.depth_instances import GENERAL
from resproof.proofs.demystifying_resnet.documents import source
from resproof.proofs.demystifying_resnet.few_derivatives import PARTIALS_OF_TWO
from resproof.proofs.demystifying_resnet.near_zero import same_polynomials
from resproof.proofs.demystifying_resnet.theorem2 import PARTIAL_DERIVATIVES
from resproof.proofs.routes.exact_spectra import dense
from resproof.proofs.statement import Argument, Citation, Computed, Condition, Context, Disagreement, Statement
from resproof.proofs.theory.generic_units import FLAT_AT_ZERO, SMOOTH, generic_unit
from resproof.symbolic.algebra.matrices import characteristic_polynomial, multiply, transpose
from resproof.symbolic.algebra.noncommutative import modulo, product, sizes, words
from resproof.symbolic.index import sizes as index_sizes
from resproof.symbolic.index.lift import hessian_block, hessian_form
from resproof.symbolic.scope import Scope
from resproof.symbolic.written.explicit import Instance

_UNIT = generic_unit(2)


def _moved(form: IndexSum) -> set[tuple[str, ...]]:
    """Which weights of which units move together in the terms of a form."""
    return {tuple(sorted(t.label for t, _ in term.factors if isinstance(t, Perturbation))) for term in form.terms}


def _couplings(_: Context) -> Computed:
    form = hessian_form(_UNIT, generic_loss)
    found = {"one unit": _moved(form.diagonal), "two units": _moved(form.cross)}
    shown = r"H = I_R \otimes \begin{pmatrix} 0 & A^{\mathsf T} \\ A & 0 \end{pmatrix}"
    return Computed(found, index_sizes.of_unit(_UNIT), shown)


_BOTH = ("dW1(1)", "dW2(1)")
_COUPLED = {"one unit": {_BOTH}, "two units": set[tuple[str, ...]]()}

BLOCKS = Argument(
    "Which weights interact",
    "index notation",
    _couplings,
    _COUPLED,
    {
        "a weight with itself": {**_COUPLED, "one unit": {_BOTH, ("dW1(1)", "dW1(1)")}},
        "weights of different units": {**_COUPLED, "two units": {("dW1(1)", "dW2(2)")}},
    },
    explanation="$W_1$ with $W_2$ of the same unit alone: $R$ equal diagonal blocks, each with zero blocks on its diagonal.",
)

_SHAPES: Mapping[str, tuple[str, str]] = dict.fromkeys(("U", "U'", "V", "V'", "S", "S'"), ("q", "q"))
_ORTHOGONAL = {"U' U": "", "V' V": ""}


def _pairing(_: Context) -> Computed:
    """[[0, A^T], [A, 0]] applied to [[V, V], [U, -U]], and A^T A to V, for A = U S V^T; S is diagonal, its own transpose."""
    a, a_transposed = words("U S V'"), words("V S U'")
    v, u = words("V"), words("U")
    found = {
        "A^T U": modulo(product(a_transposed, u), _ORTHOGONAL),
        "A V": modulo(product(a, v), _ORTHOGONAL),
        "A^T A V": modulo(product(a_transposed, a, v), _ORTHOGONAL),
    }
    shown = r"\begin{pmatrix} 0 & A^{\mathsf T} \\ A & 0 \end{pmatrix} \begin{pmatrix} V & V \\ U & -U \end{pmatrix} = \begin{pmatrix} V & V \\ U & -U \end{pmatrix} \begin{pmatrix} S & 0 \\ 0 & -S \end{pmatrix}, \qquad A^{\mathsf T} A\, V = V S^2"
    return Computed(found, sizes(_SHAPES, *found.values()), shown)


_PAIRED = {"A^T U": "V S", "A V": "U S", "A^T A V": "V S S"}


def _is_square(block: IndexSum) -> bool:
    """Whether the two weights of a block have equally many entries."""
    later = Counter(dimension for index, dimension in block.free if index in {ROW, COLUMN})
    return later == Counter(dimension for index, dimension in block.free if index not in {ROW, COLUMN})


def _second_block() -> IndexSum:
    """The block between W_2 and W_1 with an inner width k."""
    return hessian_block(ResidualUnit(n_shortcut(2, inner_width="k")), squared, ("W2", 1), ("W1", 1))


def _bias_block() -> IndexSum:
    """The block between W_2 and a bias."""
    return hessian_block(ResidualUnit(biased(tanh)), squared, ("W2", 1), ("b", 1))


@dataclass(frozen=True, slots=True)
class _Exact:
    """The characteristic polynomials of H_R and, with t^2 for its variable, of A^T A."""

    units: int
    d: int
    whole: sympy.Expr
    square: sympy.Expr


_T = sympy.Symbol("t")
_CURVED = {"pre": (0, 1, 2), "mid": (0, 3, 1), "post": (0, 2, 1)}
_PRE, _MID, _POST = (polynomial(*coefficients) for coefficients in _CURVED.values())


def _in_t(coefficients: Sequence[int]) -> str:
    return "+".join(f"{'' if c == 1 else c}t{'' if k == 1 else f'^{k}'}" for k, c in enumerate(coefficients) if c)


_CASES = {
    "linear, M regular": (ResidualUnit(n_shortcut(2)), GENERAL),
    "linear, M singular": (ResidualUnit(n_shortcut(2)), Instance([[1], [2]], [[0], [5]])),
    ", ".join(f"{name}(t)={_in_t(one)}" for name, one in _CURVED.items()): (
        ResidualUnit(n_shortcut(2, _PRE, _MID, _POST)),
        GENERAL,
    ),
}


def _exact_polynomials(_: Context) -> Computed:
    """A is read off the Hessian of one unit: rows of W2, columns of W1."""
    found = dict[str, _Exact]()
    for name, (unit, data) in _CASES.items():
        one = dense(unit, 1, data)
        q, d = len(one) // 2, len(data.x)
        block = tuple(row[:q] for row in one[q:])
        square = characteristic_polynomial(multiply(transpose(block), block), _T).subs(_T, _T**2)
        for units in (1, 2, 3):
            whole = characteristic_polynomial(dense(unit, units, data), _T)
            found[f"n=2, d={d}, m={len(data.x[0])}, {name}, R={units}"] = _Exact(units, d, whole, square)
    return Computed(found, Scope.of(*found), r"\det(t - H_R) = \det(t^2 - A^{\mathsf T} A)^R")


def _copies(found: Mapping[str, _Exact], claim: Callable[[int, int], int]) -> None:
    for name, one in found.items():
        stated = one.square ** claim(one.units, one.d)
        if sympy.expand(one.whole - stated) != 0:
            raise Disagreement(f"{name}: not {claim(one.units, one.d)} copies")


T2_2N = Statement(
    id="DR-T2.2n",
    title=r"For $n = 2$ the eigenvalues are $R$ copies of $\pm \sqrt{\mathrm{eigs}(A^{\mathsf T} A)}$",
    subject="n_shortcut",
    source=source(
        "A", "after Theorem 2", "the number of copies is equal to the number of shortcut connections", "after Theorem 1"
    ),
    sentence=r"For $n = 2$ the eigenvalues of the Hessian at zero, with multiplicities, are $R$ copies of $\pm$ the square roots "
    r"of the $d^2$ eigenvalues of $A^{\mathsf T} A$; $R$ is the number of shortcut connections.",
    latex=r"\det(t - H_R) = \det(t^2 - A^{\mathsf T} A)^R",
    hypotheses=(FLAT_AT_ZERO, SMOOTH),
    uses=("DR-T2.2", "DR-T2.2e", "GEN-1"),
    for_all={"R": 1, "d": 1, "m": 1},
    reading=PARTIAL_DERIVATIVES,
    arguments=(
        PARTIALS_OF_TWO,
        BLOCKS,
        Argument(
            "Eigenvectors of one block from the singular vectors of $A$",
            "identity",
            _pairing,
            _PAIRED,
            {
                "the squares of the singular values": {**_PAIRED, "A^T U": "V S S", "A V": "U S S"},
                r"$A^{\mathsf T} A$ has the same eigenvalues as $A$": {**_PAIRED, "A^T A V": "V S"},
            },
            same_polynomials,
            explanation=r"$\begin{pmatrix}V & V \\ U & -U\end{pmatrix} / \sqrt{2}$ is orthogonal. A zero of $S$ counts twice, as +0 "
            "and -0.",
        ),
        Citation(
            "svd",
            {
                "$A$ is square: $W_1$ and $W_2$ have equally many entries, whatever the inner width": Condition(
                    _is_square, _second_block, _bias_block
                )
            },
        ),
        Argument(
            "Exact characteristic polynomials",
            "explicit",
            _exact_polynomials,
            lambda units, d: units,
            {
                "one copy": lambda units, d: 1,
                "a copy for each weight": lambda units, d: 2 * units,
                r"$R d$ copies, as of $\pm c \sigma_i(M)$": lambda units, d: units * d,
            },
            _copies,
            explanation=r"A regular and a singular one, with nonlinear activations too. Each $\pm c \sigma_i(M)$ is $d$ times among "
            r"$\pm \sqrt{\mathrm{eigs}(A^{\mathsf T} A)}$, so $R d$ times in all, as DR-T2.2e says.",
        ),
    ),
    notes="DR-T2.2e has the eigenvectors and counts by the singular values of $M$: $R d$ times each, $d$ of them in every "
    "copy. Eq. 22 equates $H$'s eigenvalues with those of one block: as sets they agree.",
)

STATEMENTS = (T2_2N,)
