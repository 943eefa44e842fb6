"""Theorems of others that a proof may lean on; a statement that cites one prints it as an assumption."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Theorem:
    """A theorem that is taken over without proof, and where its proof stands."""

    key: str
    sentence: str
    source: str


_THEOREMS = (
    Theorem(
        "svd",
        r"Every real matrix $M$ is $U\, \mathrm{diag}(s) V^{\mathsf T}$ with orthogonal $U$ and $V$ and $s \ge 0$.",
        "Horn and Johnson, Matrix Analysis, 2nd ed., Theorem 2.6.3",
    ),
    Theorem(
        "spectral",
        "Every normal matrix $A$, $A A^* = A^* A$, is $U D U^*$ with a unitary $U$ and a diagonal $D$, the eigenvalues "
        "of $A$.",
        "Horn and Johnson, Matrix Analysis, 2nd ed., Theorem 2.5.3",
    ),
    Theorem(
        "schwarz",
        "The second derivative of a function at a point where it is twice differentiable is symmetric.",
        "Dieudonne, Foundations of Modern Analysis, 8.12.2",
    ),
    Theorem(
        "taylor-peano",
        "A function that is $k$ times differentiable at a point equals its Taylor polynomial of degree $k$ there up to "
        r"$o(\lvert \cdot\rvert^k)$.",
        "H. Cartan, Differential Calculus, Hermann, 1971, Part I, section 5.6",
    ),
    Theorem(
        "taylor-unique",
        "A polynomial of degree at most $k$ that is $o(t^k)$ at zero is zero.",
        "Spivak, Calculus, 3rd ed., chapter 20, Theorem 3",
    ),
    Theorem(
        "courant-fischer",
        "The $i$-th eigenvalue of a symmetric matrix is the min-max of its Rayleigh quotient over subspaces; the "
        r"singular values are those of $A^{\mathsf T} A$.",
        "Horn and Johnson, Matrix Analysis, 2nd ed., Theorems 4.2.6 and 7.3.8",
    ),
    Theorem(
        "singular-interlacing",
        "If a matrix with $n$ columns maps a subspace of dimension $k$ with norm at most $t$, then at least $k$ of its "
        "$n$ singular values are at most $t$.",
        "Horn and Johnson, Matrix Analysis, 2nd ed., Theorem 7.3.8",
    ),
    Theorem(
        "block-gershgorin",
        "Each eigenvalue of a symmetric block matrix is within the sum of the spectral norms of the other blocks of some block "
        "row of an eigenvalue of that row's diagonal block.",
        "Feingold and Varga, Block diagonally dominant matrices and generalizations of the Gerschgorin circle theorem, Pacific "
        "J. Math. 12, 1962, Theorem 2",
    ),
    Theorem(
        "cauchy-interlacing",
        "If $B$ is a symmetric matrix $H$ without $q$ rows and the same columns, the $i$-th eigenvalue of $B$ is at "
        "least the $i$-th and at most the $(i + q)$-th of $H$, counted from the least.",
        "Horn and Johnson, Matrix Analysis, 2nd ed., Theorem 4.3.28",
    ),
    Theorem(
        "orthogonal-normal-form",
        r"Every real orthogonal matrix is $Z D Z^{\mathsf T}$ with an orthogonal $Z$ and a block diagonal $D$ of plane "
        "rotations, ones and minus ones.",
        "Horn and Johnson, Matrix Analysis, 2nd ed., Corollary 2.5.11",
    ),
    Theorem(
        "intermediate-value",
        "A continuous real function on an interval that vanishes nowhere has one sign there.",
        "Rudin, Principles of Mathematical Analysis, 3rd ed., Theorem 4.23",
    ),
    Theorem(
        "polynomial-zeros",
        "The zeros of a real polynomial that is not the zero polynomial have Lebesgue measure zero.",
        "Caron and Traynor, The Zero Set of a Polynomial, WSMR Report 05-02, University of Windsor, 2005",
    ),
    Theorem(
        "toeplitz-eigenvalues",
        "The eigenvalues of Hermitian Toeplitz matrices whose entries are absolutely summable are distributed like the values of "
        "their symbol.",
        "Gray, Toeplitz and Circulant Matrices: A Review, Foundations and Trends in Communications and Information Theory 2:3, 2006, "
        "155-239, section 4.4 (Wiener class Toeplitz matrices)",
    ),
    Theorem(
        "gaussian-products",
        r"For independent $d \times d$ matrices $W_1, W_2, \ldots$ with independent entries $N(0, s^2/d)$, "
        r"$P_L = W_L \cdots W_1$ and $\mu_i = (\log(2 s^2/d) + \psi((d - i + 1)/2))/2$, almost surely all $W_L$ are "
        r"invertible, $(1/L) \log \lvert W_L\rvert$ and $(1/L) \log \lvert W_L^{-1}\rvert$ tend to 0, "
        r"$(1/L) \log \lvert P_L\rvert$ and, for each fixed $v \ne 0$, $(1/L) \log \lvert P_L v\rvert$ to $\mu_1$, and "
        r"$(1/L) \log \lvert\det P_L\rvert$ to $\mu_1 + \cdots + \mu_d$.",
        "Newman, The distribution of Lyapunov exponents: exact results for random matrices, Commun. Math. Phys. 103, 1986, "
        "121-126; Cohen and Newman, The stability of large random matrices and their products, Ann. Probab. 12, 1984, 283-310",
    ),
    Theorem(
        "digamma",
        r"The digamma function $\psi$ increases strictly on $(0, \infty)$ and is less than the logarithm there.",
        "NIST Digital Library of Mathematical Functions, 5.7.6 and 5.9.13",
    ),
    Theorem(
        "independent-extremes",
        "The absolute values of infinitely many independent products of two independent normal variables, all with one law and "
        "a variance that is not zero, have almost surely supremum infinity and infimum zero.",
        "the second Borel-Cantelli lemma, Billingsley, Probability and Measure, 3rd ed., Theorem 4.4",
    ),
    Theorem(
        "bounded-flow",
        "$x' = F(x)$ with a continuously differentiable $F$ has one solution from every start, and it exists for all "
        "times if it stays bounded.",
        "Hartman, Ordinary Differential Equations, 2nd ed., Theorems II.1.1 (Picard-Lindelof) and II.3.1 (extension)",
    ),
    Theorem(
        "newman-exponents",
        r"The singular values of a product of $L$ independent $d \times d$ matrices with independent $N(0, x)$ entries "
        r"grow almost surely like $\exp(L \mu_i)$, $\mu_i = (\log(2 x) + \psi((d - i + 1)/2))/2$ for $i = 1, \ldots, d$.",
        "Newman, The distribution of Lyapunov exponents: exact results for random matrices, Commun. Math. Phys. 103, 1986, "
        "121-126",
    ),
    Theorem(
        "independent-expectations",
        "The expectation of a product of independent nonnegative random variables is the product of their expectations.",
        "Durrett, Probability: Theory and Examples, 5th ed., Section 2.1",
    ),
    Theorem(
        "summable-expectations",
        "Nonnegative random variables whose expectations have a finite sum tend to zero almost surely.",
        "Rudin, Real and Complex Analysis, 3rd ed., Theorem 1.38",
    ),
    Theorem(
        "strong-law",
        "The means of independent random variables with one law and a finite expectation of the modulus tend to the "
        "expectation almost surely.",
        "Durrett, Probability: Theory and Examples, 5th ed., Theorem 2.4.1",
    ),
    Theorem(
        "simple-lyapunov-spectrum",
        r"Let $A_1, A_2, \ldots$ be independent invertible real $d \times d$ matrices with one law, whose support "
        r"contains an open set, and with finite expectations of $\log^+ \lvert A\rvert$ and $\log^+ \lvert A^{-1}\rvert$. "
        r"Then $(1/L)$ log of the $i$-th singular value of $A_L \cdots A_1$ tends to a number, almost surely, and these "
        "$d$ numbers are different.",
        "Gol'dsheid and Margulis, Lyapunov indices of a product of random matrices, Russian Mathematical Surveys 44:5, 1989, 11-71: "
        "the exponents are different where the matrices generate a Zariski dense semigroup, as those of an open set do",
    ),
    Theorem(
        "gaussian-triangular",
        r"A $d \times d$ matrix with independent standard normal entries is $Q T$ with $Q$ orthogonal and $T$ upper "
        r"triangular, the $T_{kk}^2$ being independent $\chi$-squared variables with $d - k + 1$ degrees of freedom; an "
        "orthogonal factor does not change its law.",
        "Muirhead, Aspects of Multivariate Statistical Theory, 1982, Theorem 3.2.14",
    ),
)

THEOREMS = {theorem.key: theorem for theorem in _THEOREMS}


def theorem(key: str) -> Theorem:
    """The theorem that is registered under `key`.

    Raises:
        ValueError: no theorem has this key.
    """
    if key not in THEOREMS:
        raise ValueError(f"citation: {key!r} is no cited theorem; expected one of {', '.join(THEOREMS)}")
    return THEOREMS[key]
