"""Closed forms written out by hand as index terms, for units whose Hessian at zero the papers state."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from resproof.architectures.forms.terms import DataTensor, IndexSum, LossDerivative, Perturbation, Tensor, Term

G = LossDerivative(1, ("d", "m"))
X = DataTensor("X", ("d", "m"))


def change(weight: str, unit: int) -> Perturbation:
    """The perturbation of a d x d weight."""
    return Perturbation(weight, unit, ("d", "d"))


def form(
    *terms: tuple[Fraction | int, tuple[tuple[Tensor, tuple[int, ...]], ...]], scalars: tuple[tuple[str, int], ...] = ()
) -> IndexSum:
    """A mean over samples without free indices."""
    return IndexSum((), tuple(Term(Fraction(c), (*scalars, ("m", -1)), factors) for c, factors in terms))


def two_shortcut(scalars: tuple[tuple[str, int], ...] = (), data: Tensor = X) -> IndexSum:
    """(1/m) sum_u g_iu dW2_ia dW1_aj pre(X)_ju times the scalars."""
    i, a, j, u = range(4)
    factors = ((G, (i, u)), (change("W2", 1), (i, a)), (change("W1", 1), (a, j)), (data, (j, u)))
    return form((1, factors), scalars=scalars)


def one_shortcut_first() -> IndexSum:
    """(1/m) sum_u g_iu dW_ij X_ju: the gradient of a linear 1-shortcut unit."""
    i, j, u = range(3)
    return form((1, ((G, (i, u)), (change("W1", 1), (i, j)), (X, (j, u)))))


def one_shortcut_second() -> tuple[IndexSum, IndexSum]:
    """1/2 |dW X|^2 within a unit; g dW(2) dW(1) X + <dW(2) X, dW(1) X> between two."""
    i, j, k, u = range(4)
    square = form((Fraction(1, 2), ((change("W1", 1), (i, j)), (X, (j, u)), (change("W1", 1), (i, k)), (X, (k, u)))))
    cross = form(
        (1, ((G, (i, u)), (change("W1", 2), (i, j)), (change("W1", 1), (j, k)), (X, (k, u)))),
        (1, ((change("W1", 2), (i, j)), (X, (j, u)), (change("W1", 1), (i, k)), (X, (k, u)))),
    )
    return square, cross


def scaled(index_sum: IndexSum, factor: Fraction | int) -> IndexSum:
    """The sum with every coefficient multiplied."""
    return replace(index_sum, terms=tuple(replace(t, coefficient=t.coefficient * factor) for t in index_sum.terms))


def transposed(index_sum: IndexSum) -> IndexSum:
    """The sum with the slots of every perturbation of W1 exchanged."""

    def swap(term: Term) -> Term:
        factors = tuple(
            (t, slots[::-1] if isinstance(t, Perturbation) and t.weight == "W1" else slots) for t, slots in term.factors
        )
        return replace(term, factors=factors)

    return replace(index_sum, terms=tuple(swap(t) for t in index_sum.terms))


ZERO = IndexSum((), ())
