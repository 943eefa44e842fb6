"""Demystifying ResNet: the minimum of a linear network by least squares, and the condition number of normal matrices.

S = (1/m) X X^T, T = (1/m) Y X^T, L(W) = 1/(2m) |Y - W X|^2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any, TypeAlias

import sympy

from resproof.architectures.catalogue import plain
from resproof.architectures.forms.terms import Delta, InitialWeight, Opaque
from resproof.architectures.losses import squared
from resproof.architectures.nodes import Expression, Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import identity_initial
from resproof.proofs.demystifying_resnet.descent import least_squares_on_digits, near_minimum
from resproof.proofs.demystifying_resnet.documents import source
from resproof.proofs.routes.hessians import same_sum
from resproof.proofs.statement import (
    Argument,
    Citation,
    Clause,
    Computed,
    Condition,
    Context,
    Disagreement,
    Induction,
    Statement,
)
from resproof.proofs.theory.generic_units import DEPTHS, generic_unit, over_depths
from resproof.proofs.theory.linear_networks import (
    FREE,
    any_value,
    entries,
    loss_between,
    minus,
    outputs,
    plain_from,
    written_out,
)
from resproof.symbolic.algebra.matrices import (
    Matrix,
    add,
    block_diagonal,
    cayley,
    characteristic_polynomial,
    dot,
    eye,
    inverse,
    matrix,
    multiply,
    rank,
    scale,
    transpose,
)
from resproof.symbolic.algebra.noncommutative import Relations, modulo, words
from resproof.symbolic.algebra.noncommutative import product as word_product
from resproof.symbolic.algebra.noncommutative import show as show_words
from resproof.symbolic.algebra.noncommutative import sizes as word_sizes
from resproof.symbolic.algebra.rings import Plain, value_at
from resproof.symbolic.index import sizes
from resproof.symbolic.index.claims import parse, show, vocabulary
from resproof.symbolic.index.lift import data, unit_series
from resproof.symbolic.index.paths import identity_without
from resproof.symbolic.index.series import Series, series, substitute
from resproof.symbolic.scope import Scope

# DR-M6: least squares.

_INNER: Relations = {"S G S": "S", "S H S": "S"}
_OUTER: Relations = {"G S G": "G", "H S H": "H"}
"""G is a generalised inverse of the symmetric S, and H = G^T is one as well."""


def _gram_of_error(_: Context) -> Computed:
    """(1/m) E E^T for E = X - S H X, where (1/m) X X^T = S."""
    gram = word_product(words("1 - S H"), words("S"), words("1 - G S"))
    found = {"S G S = S": modulo(gram, _INNER), "G S G = G": modulo(gram, _OUTER)}
    shown = r"\tfrac1m E E^{\mathsf T} = (I - S G^{\mathsf T})\, S\, (I - G S) = " + show_words(found["S G S = S"])
    scope = word_sizes(dict.fromkeys("SGH", ("d", "d")), gram)
    return Computed({name: not value for name, value in found.items()}, scope, shown)


def _around_any_w(_: Context) -> Computed:
    """The loss of a matrix W + V, by degree in V."""
    unit = ResidualUnit(plain())
    found = loss_between(unit, "W1", 2, around=False)
    shown = r"L(W + V) - L(W) = \langle V,\, W S - T \rangle + \tfrac{1}{2m} \|V X\|_F^2"
    return Computed((unit, found[1:]), sizes.of_terms(*found[1:]), shown)


_EXPANSION = (
    "m^-1 * dW1(1)[i,j] * W1[i,k] * X[k,u] * X[j,u] - m^-1 * dW1(1)[i,j] * Y[i,u] * X[j,u]",
    "1/2 * m^-1 * dW1(1)[i,j] * X[j,u] * dW1(1)[i,k] * X[k,u]",
)


def same_parts(found: tuple[ResidualUnit, Series], claim: tuple[str, ...]) -> None:
    """Pass when index strings state the parts of a unit's squared loss, from degree one on.

    Raises:
        Disagreement: a part is another.
    """
    unit, parts = found
    for degree, (part, text) in enumerate(zip(parts, claim, strict=True), start=1):
        same_sum(part, text, vocabulary(unit, squared), name=f"degree {degree}")


_ATTAIN = ("W1 = W - I, all others I", "W1 = W, all others I")


def _constructions(_: Context) -> Computed:
    """What one unit does to X with W1 replaced as named and the other layers at I; and units at zero."""
    known = {"W": Opaque("W", ("d", "d")), "delta": Delta(("d", "d"))}
    w1 = {
        _ATTAIN[0]: parse("W[i,j] - delta[i,j]", known, FREE),
        _ATTAIN[1]: parse("W[i,j]", known, FREE),
    }
    found: dict[object, object] = {}
    for n in DEPTHS:
        unit = _starts_at_identity(n)
        value = unit_series(unit, series([data(unit)], 0), perturbed=(), opaque=("W1",))[-1]
        for name, replacement in w1.items():
            found[n, name] = show(substitute(value, InitialWeight("W1", None, ("d", "d")), replacement))
        found[n, "one layer at zero"] = {identity_without(generic_unit(n), w) for w in generic_unit(n).names.values()}
    scope = over_depths(DEPTHS) & over_depths(DEPTHS, _starts_at_identity)
    return Computed(found, scope, r"\bigl(I \cdots I\,(W - I) + I\bigr) X = W X")


def _one_more_layer(_: Context) -> Computed:
    """A layer at I and one at zero on an arbitrary input, and any layer on the input zero."""
    one, stream = plain_from("identity"), data(plain_from("identity"))
    found = {
        "at I": unit_series(one, series([stream], 0), perturbed=())[-1],
        "at zero": unit_series(plain_from("zero"), series([stream], 0), perturbed=())[-1],
        "any layer on zero": any_value(one, {}),
    }
    return Computed({name: show(value) for name, value in found.items()}, sizes.of_terms(stream, found["at I"]))


_ONE_MORE_LAYER = {"at I": "X[i,u]", "at zero": "0", "any layer on zero": "0"}


def _starts_at_identity(n: int) -> ResidualUnit:
    h: Expression = Input("d")
    path: Expression = h
    for number in range(1, n + 1):
        path = Weight("d", "d", initial=identity_initial, name=f"W{number}") @ path
    return ResidualUnit(h + path)


_CONSTRUCTED: dict[object, object] = {
    **{(n, _ATTAIN[0]): "W[i,a] * X[a,u]" for n in DEPTHS},
    **{(n, _ATTAIN[1]): "W[i,a] * X[a,u] + X[i,u]" for n in DEPTHS},
    **{(n, "one layer at zero"): {True} for n in DEPTHS},
}


@dataclass(frozen=True, slots=True)
class _Problem:
    """Rational data of a least-squares problem, the generalised inverses of S to try, and its least value."""

    x: Matrix
    y: Matrix
    inverses: tuple[Matrix, ...]
    least: Fraction

    def __str__(self) -> str:
        return f"d={len(self.x)}, m={len(self.x[0])}, rank S = {rank(self.s)}"

    @property
    def s(self) -> Matrix:
        """S = (1/m) X X^T."""
        return scale(Fraction(1, len(self.x[0])), multiply(self.x, transpose(self.x)))

    @property
    def t(self) -> Matrix:
        """T = (1/m) Y X^T."""
        return scale(Fraction(1, len(self.x[0])), multiply(self.y, transpose(self.x)))


_SAMPLES = (
    (((1,),), ((2,),)),
    (((1, 2), (2, 4)), ((1, 0), (0, 3))),
    (((1, 2, 0), (2, 4, 1)), ((1, 0, 1), (0, 3, 2))),
    (((0, 0), (0, 0)), ((1, 2), (3, 4))),
    (((1, 1), (0, 2), (1, 3)), ((1, 0), (2, 5), (0, 1))),
    (((1, 2, 3, 5), (2, 1, 0, 1), (0, 1, 4, 1)), ((1, 0, 2, 1), (0, 3, 1, 1), (1, 1, 0, 2))),
)


@cache
def _problems() -> tuple[_Problem, ...]:
    found = []
    for x, y in _SAMPLES:
        data_x, data_y = matrix(x), matrix(y)
        s = scale(Fraction(1, len(x[0])), multiply(data_x, transpose(data_x)))
        found.append(_Problem(data_x, data_y, tuple(_generalised_inverses(s)), _least(data_x, data_y)))
    return tuple(found)


def _generalised_inverses(s: Matrix) -> list[Matrix]:
    """G_0 + U - G_0 S U S G_0 for some U, with G_0 the inverse of a largest nonsingular principal block, else zero."""
    d, best = len(s), tuple[int, ...]()
    for chosen in product((False, True), repeat=d):
        rows = tuple(k for k in range(d) if chosen[k])
        if len(rows) > len(best) and rank(_block(s, rows)) == len(rows):
            best = rows
    inner = inverse(_block(s, best)) if best else ()
    first = matrix(
        [[inner[best.index(i)][best.index(j)] if {i, j} <= set(best) else 0 for j in range(d)] for i in range(d)]
    )
    found = []
    for seed in range(3):
        u = matrix([[(3 * i + 5 * j * seed + 7 * seed) % 4 - 1 if seed else 0 for j in range(d)] for i in range(d)])
        middle = multiply(multiply(multiply(multiply(first, s), u), s), first)
        g = add(first, u, scale(-1, middle))
        assert multiply(multiply(s, g), s) == s
        found.append(g)
    return found


def _block(a: Matrix, rows: Sequence[int]) -> Matrix:
    return tuple(tuple(a[i][j] for j in rows) for i in rows)


def _least(x: Matrix, y: Matrix) -> Fraction:
    """1/(2m) times the squared distance of the rows of Y from the row space of X, by orthogonalisation."""
    basis = list[tuple[Fraction, ...]]()
    for row in x:
        rest = _without_components(row, basis)
        if any(rest):
            basis.append(rest)
    distance = sum((dot(rest, rest) for row in y for rest in [_without_components(row, basis)]), Fraction(0))
    return distance / (2 * len(x[0]))


def _without_components(row: Sequence[Fraction], basis: Sequence[Sequence[Fraction]]) -> tuple[Fraction, ...]:
    rest = tuple(row)
    for q in basis:
        share = dot(rest, q) / dot(q, q)
        rest = tuple(a - share * b for a, b in zip(rest, q, strict=True))
    return rest


def _loss_of(problem: _Problem, output: Matrix) -> Fraction:
    residual = minus(problem.y, output)
    return sum((dot(row, row) for row in residual), Fraction(0)) / (2 * len(problem.x[0]))


def _least_values(_: Context) -> Computed:
    found = _problems()
    return Computed(found, Scope.of(*map(str, found)))


Solution: TypeAlias = Callable[[_Problem, Matrix], Matrix]


def _reached(found: Sequence[_Problem], claim: tuple[Solution, Fraction]) -> None:
    """Pass when factor |Y - W X|^2 / 2m with the claimed W is the least value, for every generalised inverse.

    Raises:
        Disagreement: it is not.
    """
    solution, factor = claim
    for problem in found:
        for g in problem.inverses:
            value = factor * _loss_of(problem, multiply(solution(problem, g), problem.x))
            if value != problem.least:
                raise Disagreement(f"{problem}: the least value is {problem.least}; claimed {value}")


def _t_g(problem: _Problem, g: Matrix) -> Matrix:
    return multiply(problem.t, g)


_NETWORKS = tuple(product((1, 2, 3), (1, 2, 3)))


def _attained(_: Context) -> Computed:
    """The outputs of linear networks of R units and n layers as polynomials in their weights, and the problems."""
    found = {}
    for n, units in _NETWORKS:
        d = 2 if (n, units) != (3, 3) else 1
        found[n, units] = (d, outputs(written_out((n,) * units), d))
    return Computed(found, Scope.of(*(f"n={n}, R={units}, d={d}" for (n, units), (d, _) in found.items())))


Construction: TypeAlias = Callable[[Matrix, int, int], Mapping[tuple[int, int], Matrix]]


def _construction(w: Matrix, n: int, units: int, *, shift: int = 1, others: int = 0) -> dict[tuple[int, int], Matrix]:
    """(W - I) I ... I in the last unit, the others zero."""
    one = eye(len(w))
    last = {(units, number): one for number in range(2, n + 1)}
    rest = {(r, number): scale(Fraction(others), one) for r in range(1, units) for number in range(1, n + 1)}
    return {**rest, (units, 1): add(w, scale(Fraction(-shift), one)), **last}


def _networks_reach(found: Mapping[tuple[int, int], tuple[int, list[list[Plain]]]], claim: Construction) -> None:
    """Pass when every network at the constructed weights has the least loss on every problem of its width.

    Raises:
        Disagreement: one has not.
    """
    for (n, units), (d, polynomials) in found.items():
        for problem in (p for p in _problems() if len(p.x) == d):
            w = _t_g(problem, problem.inverses[-1])
            weights = {
                k: v for (r, number), a in claim(w, n, units).items() for k, v in entries(f"W{r}_{number}", a).items()
            }
            columns = []
            for column in transpose(problem.x):
                at = {**weights, **{f"x_{i}_1": value for i, value in enumerate(column, start=1)}}
                columns.append(tuple(value_at(row[0], at) for row in polynomials))
            if (value := _loss_of(problem, transpose(tuple(columns)))) != problem.least:
                raise Disagreement(f"n={n}, R={units}, {problem}: loss {value}, least {problem.least}")


M6 = Statement(
    id="DR-M6",
    title="Least squares, its minimum, and that $n$-shortcut linear networks attain it",
    source=source(
        "I",
        "Eq. 15, 16",
        "The optimal weights of an n-shortcut linear network can be easily computed via least squares, which leads to W = Y X^T (X X^T)^-1 ... and the minimum of the loss function is L_min = 1/(2m) |Y - Sigma^{YX} (Sigma^{XX})^-1 X|_F^2, where ... denotes any kind of generalized inverse",
    ),
    latex=r"W = \Sigma_{YX} \Sigma_{XX}^{-}, \qquad L_{\min} = \frac{1}{2m} \left\| Y - \Sigma_{YX} \Sigma_{XX}^{-} X \right\|_F^2",
    uses=("DR-M2",),
    clauses=(
        Clause(
            "For any generalised inverse $S^-$ of $S$ the matrix $W = T S^-$ minimises the loss of a linear map, with "
            r"minimum $1/(2m) \lvert Y - T S^- X\rvert_F^2$.",
            {"d": 1, "m": 1},
            (
                Argument(
                    "$S S^- X = X$ for every generalised inverse",
                    "identity",
                    _gram_of_error,
                    {"S G S = S": True, "G S G = G": False},
                    {
                        "an outer inverse does as well": {"S G S = S": True, "G S G = G": True},
                        "it does not hold": {"S G S = S": False, "G S G = G": False},
                    },
                    explanation=r"With $G = S^-$ and $E = X - S G^{\mathsf T} X$, $E E^{\mathsf T}$ vanishes, hence $E$: its trace is "
                    r"the sum of the squares of the entries of $E$. So $X^{\mathsf T} G S = X^{\mathsf T}$ and "
                    r"$T G S = (1/m) Y X^{\mathsf T} G S = T$: $W = T G$ solves $W S = T$. $S$ is symmetric, so "
                    r"$G^{\mathsf T}$ is a generalised inverse with $G$.",
                ),
                Argument(
                    "The loss around any matrix $W$",
                    "index notation",
                    _around_any_w,
                    _EXPANSION,
                    {
                        "the quadratic part without the half": (_EXPANSION[0], _EXPANSION[1].removeprefix("1/2 * ")),
                        "$S W$ in place of $W S$": (
                            _EXPANSION[0].replace("W1[i,k] * X[k,u] * X[j,u]", "W1[k,j] * X[k,u] * X[i,u]"),
                            _EXPANSION[1],
                        ),
                        "$T$ transposed": (_EXPANSION[0].replace("Y[i,u] * X[j,u]", "Y[j,u] * X[i,u]"), _EXPANSION[1]),
                    },
                    same_parts,
                    explanation=r"Where $W S = T$ the linear part vanishes and the quadratic one, $1/(2m) \lvert V X\rvert^2$, is a "
                    "sum of squares: $W$ is a minimum, and every minimum has the same $W X$.",
                ),
                Argument(
                    "The least value by orthogonalisation, singular $S$ included",
                    "explicit",
                    _least_values,
                    (_t_g, Fraction(1)),
                    {
                        "without the half": (_t_g, Fraction(2)),
                        "$S^- T$": (lambda problem, g: multiply(g, problem.t), Fraction(1)),
                        "$T$ transposed": (lambda problem, g: multiply(transpose(problem.t), g), Fraction(1)),
                        "the outer inverse 0": (lambda problem, g: scale(Fraction(0), g), Fraction(1)),
                    },
                    _reached,
                    explanation="Three generalised inverses for each $S$, symmetric or not, against the distance of the rows of $Y$ "
                    "from the row space of $X$.",
                ),
            ),
        ),
        Clause(
            r"$n$-shortcut linear networks attain it for every $R \ge 1$ and $n \ge 1$.",
            {"n": 1, "R": 1, "d": 1, "m": 1},
            (
                Induction(
                    "n",
                    Argument(
                        "Weights that give any matrix $W$",
                        "index notation",
                        _constructions,
                        _CONSTRUCTED,
                        {
                            "without subtracting $I$": {**_CONSTRUCTED, (3, _ATTAIN[1]): "W[i,a] * X[a,u]"},
                            "the shortcut has to be undone twice": {
                                **_CONSTRUCTED,
                                (2, _ATTAIN[0]): "W[i,a] * X[a,u] - X[i,u]",
                            },
                        },
                        explanation="$W^{r,1} = W - I$ and all further layers at $I$ in one unit, any other unit with a layer at "
                        "zero, which makes it the identity. The network is a linear map for all weights (DR-M2), so it "
                        "cannot do better.",
                    ),
                    Argument(
                        "Induction over the layers of a path: one more layer at $I$ or at zero",
                        "index notation",
                        _one_more_layer,
                        _ONE_MORE_LAYER,
                        {
                            "at $I$ it doubles": {**_ONE_MORE_LAYER, "at I": "2 * X[i,u]"},
                            "at zero it passes its input on": {**_ONE_MORE_LAYER, "at zero": "X[i,u]"},
                        },
                        explanation="A layer at $I$ passes its input on, and a path with a layer at zero stays zero.",
                    ),
                ),
                Argument(
                    "Small networks at the constructed weights",
                    "explicit",
                    _attained,
                    _construction,
                    {
                        "without subtracting $I$": lambda w, n, units: _construction(w, n, units, shift=0),
                        "the other units at $I$": lambda w, n, units: _construction(w, n, units, others=1),
                    },
                    _networks_reach,
                ),
            ),
        ),
    ),
    evidence=(
        Argument(
            "The loss of a running linear network at the constructed weights, $n = 2$, $R = 1000$",
            "floating point",
            least_squares_on_digits(2, 1000),
            0.0,
            {
                r"one per cent of $\lvert Y\rvert^2 / 2m$ more": 0.01,
                r"one per cent of $\lvert Y\rvert^2 / 2m$ less": -0.01,
            },
            near_minimum,
        ),
    ),
    notes="Where $S$ is singular $W$ is not unique: $W + Z (I - S S^-)$ does as well for every $Z$, but $W X$ is. An inverse "
    "with only $S^- S S^- = S^-$, such as $S^- = 0$, is not enough.",
)

# DR-M7: condition numbers of normal matrices.

_UNITARY: Relations = {"U* U": "", "U U*": ""}


def _gram_of_normal(_: Context) -> Computed:
    """A* A for A = U D U*, with and without U* U = I."""
    gram = word_product(words("U D* U*"), words("U D U*"))
    found = {"unitary": show_words(modulo(gram, _UNITARY)), "any U": show_words(modulo(gram, {}))}
    scope = word_sizes({letter: ("d", "d") for word in gram for letter in word}, gram)
    return Computed(found, scope, r"A^* A = U D^* U^* U D U^* = U\,|D|^2\,U^*")


_GRAM = {"unitary": "+1 U D* D U*", "any U": "+1 U D* U* U D U*"}

_ROTATION = cayley(matrix([[0, Fraction(1, 2), 1], [Fraction(-1, 2), 0, Fraction(1, 3)], [-1, Fraction(-1, 3), 0]]))
"""A rational orthogonal matrix."""


def _normal(kind: str, *eigenvalues: tuple[int, int]) -> tuple[str, Matrix]:
    """Q D Q^T with the eigenvalues a + i b and, where b is not 0, a - i b; and what it is called."""
    shown = ", ".join(f"{a} +- {b}i" if b else f"{a}" for a, b in eigenvalues)
    blocks = (matrix([[a, -b], [b, a]]) if b else matrix([[a]]) for a, b in eigenvalues)
    turned = multiply(multiply(_ROTATION, block_diagonal(*blocks)), transpose(_ROTATION))
    return f"{kind}, eigenvalues {shown}", turned


def _not_normal(rows: list[list[int]]) -> tuple[str, Matrix]:
    return f"not normal: {rows}", matrix(rows)


_MATRICES: Mapping[str, Matrix] = dict(
    (
        _normal("symmetric", (3, 0), (-2, 0), (1, 0)),
        _normal("normal", (3, 4), (2, 0)),
        ("orthogonal", _ROTATION),
        ("skew-symmetric, eigenvalues +- 2i", matrix([[0, -2], [2, 0]])),
        _normal("normal and singular", (1, 1), (0, 0)),
        _not_normal([[0, 4], [1, 0]]),
        _not_normal([[2, 3], [0, 2]]),
    )
)


def _is_normal(a: Matrix) -> bool:
    return multiply(a, transpose(a)) == multiply(transpose(a), a)


def _all_normal(matrices: Sequence[Matrix]) -> bool:
    return all(_is_normal(a) for a in matrices)


def _named_normal() -> list[Matrix]:
    """The matrices that are normal by their names."""
    return [a for name, a in _MATRICES.items() if not name.startswith("not")]


def _named_not_normal() -> list[Matrix]:
    return [a for name, a in _MATRICES.items() if name.startswith("not")]


def _moduli(a: Matrix) -> list[Any]:
    """The squared moduli of the eigenvalues, with multiplicities, by factorisation over the Gaussian rationals."""
    t = sympy.Symbol("t")
    found = []
    for root, multiplicity in sympy.roots(sympy.Poly(characteristic_polynomial(a, t), t)).items():
        real, imaginary = root.as_real_imag()
        found += [sympy.nsimplify(sympy.expand(real**2 + imaginary**2))] * multiplicity
    assert len(found) == len(a)
    return sorted(found)


def _two_numbers(_: Context) -> Computed:
    """For every matrix: whether it is normal, (sigma_max/sigma_min)^2 and (|lambda|_max/|lambda|_min)^2."""
    found = {}
    for name, a in _MATRICES.items():
        moduli, singular = _moduli(a), _moduli(multiply(transpose(a), a))
        # The eigenvalues of A^T A are the squares of the singular values; their moduli come squared once more.
        both = tuple(s[-1] / s[0] if s[0] else sympy.oo for s in ([sympy.sqrt(q) for q in singular], moduli))
        found[name] = (_is_normal(a), *both)
    return Computed(found, Scope.of(*_MATRICES))


def _agree_exactly_for(found: Mapping[str, tuple[bool, Any, Any]], claim: Callable[[str, bool], bool]) -> None:
    for name, (normal, by_singular_values, by_eigenvalues) in found.items():
        agree = (
            sympy.simplify(by_singular_values - by_eigenvalues) == 0
            if by_eigenvalues != sympy.oo
            else by_singular_values == sympy.oo
        )
        if agree != claim(name, normal):
            raise Disagreement(f"{name}: the squares of the two numbers are {by_singular_values} and {by_eigenvalues}")


M7 = Statement(
    id="DR-M7",
    title="For normal matrices the two condition numbers agree",
    source=source(
        "I", "Definition 1, Eq. 2, 3", "if A is normal, i.e. A^T A = A A^T, the definition can be simplified"
    ),
    sentence="For a normal matrix, so for a symmetric one, "
    r"$\sigma_{\max} / \sigma_{\min} = \lvert\lambda\rvert_{\max} / \lvert\lambda\rvert_{\min}$.",
    latex=r"A^{\mathsf T} A = A A^{\mathsf T} \implies \operatorname{cond}(A) = \frac{\sigma_{\max}(A)}{\sigma_{\min}(A)} = \frac{|\lambda(A)|_{\max}}{|\lambda(A)|_{\min}}",
    for_all={"d": 1},
    arguments=(
        Citation(
            "spectral",
            {
                r"$A^{\mathsf T} A = A A^{\mathsf T}$": Condition(
                    _all_normal, _named_normal, lambda: [*_named_normal(), *_named_not_normal()]
                )
            },
        ),
        Argument(
            "$A^* A$ is diagonalised by the same $U$",
            "identity",
            _gram_of_normal,
            _GRAM,
            {
                "to $D$ squared": {**_GRAM, "unitary": "+1 U D D U*"},
                "whatever $U$ is": {**_GRAM, "any U": _GRAM["unitary"]},
            },
            explanation=r"The eigenvalues of $A^* A$, the squares of the singular values, are $\lvert\lambda_i\rvert^2$: each "
            r"$\sigma_i$ is a $\lvert\lambda_i\rvert$, and so are the greatest and the least. Where $A$ is singular both "
            "numbers are infinite.",
        ),
        Argument(
            "Exact eigenvalues and singular values",
            "instance",
            _two_numbers,
            lambda name, normal: normal,
            {
                "for every matrix": lambda name, normal: True,
                "for symmetric matrices only": lambda name, normal: name.startswith("symmetric"),
                "for nonsingular matrices only": lambda name, normal: normal and "singular" not in name,
            },
            _agree_exactly_for,
            explanation="Symmetric, orthogonal, skew-symmetric and singular normal matrices; "
            r"$\begin{pmatrix}0 & 4 \\ 1 & 0\end{pmatrix}$ has $\lvert\lambda\rvert = 2$, 2 and $\sigma = 4$, 1.",
        ),
    ),
    kind="algebra",
    notes="Normality is sufficient; equality of the two ratios does not imply it.",
)
