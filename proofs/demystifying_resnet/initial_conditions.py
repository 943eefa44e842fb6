"""Demystifying ResNet, section 5.1: initial condition numbers at orthogonal and at Xavier weights (DR-init, DR-init2)."""

from __future__ import annotations

from resproof.proofs.beyond.depth_law import CONSTANT, CORNER, COURANT, INTERLACING, PAIRS
from resproof.proofs.beyond.linear_depth_law import LINEAR_INSTANCES, LINEAR_VECTORS
from resproof.proofs.demystifying_resnet.after_theorem2 import LINEAR_ENTRIES
from resproof.proofs.demystifying_resnet.documents import source
from resproof.proofs.demystifying_resnet.orthogonal_start import BOUNDED, FLAT, ISOMETRY, MOVED, NULL, SMALL_SPECTRA
from resproof.proofs.demystifying_resnet.plain_hessian import BALANCED, SMALL_IMAGES, STEEP
from resproof.proofs.demystifying_resnet.xavier_start import (
    DIGAMMA,
    NO_DATA,
    PRODUCTS,
    RATES,
    SOME_DATA,
    UNBOUNDED,
    VOLUME,
    WIDTH_ONE,
)
from resproof.proofs.statement import Clause, ExceptionalSet, Statement

INIT = Statement(
    id="DR-init",
    title="Whether condition numbers at orthogonal and at Xavier weights go to infinity with depth",
    source=source(
        "A",
        "section 5.1",
        "when using Xavier or orthogonal initialization in linear networks, the initial condition numbers will go to infinity "
        "as the depths become infinity",
    ),
    latex=r"\operatorname{cond}(H_L) \ge \frac{L\, \lambda_{\max}(S)}{\sigma_{\min}(S - P_L^{\mathsf T} T)}\ (\text{orthogonal}), \qquad "
    r"\liminf_L \tfrac1L \log \operatorname{cond}(H_L) \ge \tfrac{1}{d-1} \sum_{i=2}^{d} (\mu_1 - \mu_i)\ (\text{Xavier})",
    uses=("DR-M4", "GEN-3", "EX-4", "GEN-1"),
    setting="$H_L$ is the Hessian of a plain linear network of $L$ layers.",
    clauses=(
        Clause(
            r"At orthogonal weights $\mathrm{cond}(H_L)$ tends to infinity: for $d \ge 2$ it is at least "
            r"$L \lambda_{\max}(S) / \sigma_{\min}(S - P_L^{\mathsf T} T)$ with $P_L = W_L \cdots W_1$ and "
            r"$\sigma_{\min}(S - P_L^{\mathsf T} T)^2 \le 2 \lvert S\rvert^2 + 2 \lvert T\rvert^2$; for $d = 1$ at least "
            r"$\lfloor L/2\rfloor \lvert2S - P_L T\rvert / \lvert S - P_L T\rvert$.",
            {"L": 2, "d": 1, "m": 1},
            (
                MOVED,
                ISOMETRY,
                SMALL_SPECTRA,
                CONSTANT,
                PAIRS,
                LINEAR_VECTORS,
                CORNER,
                LINEAR_ENTRIES,
                COURANT,
                BOUNDED,
                LINEAR_INSTANCES,
            ),
            reading=ExceptionalSet("$X = 0$, and $d = 1$ with $T = 2S$ or $T = -2S$", FLAT, NULL),
        ),
        Clause(
            r"So does, at orthogonal weights and $d \ge 2$, the quotient of the greatest and the 10th percentile of "
            r"|eigenvalues|, which stands for the condition number in Figure 4: $d^2 \lfloor L/2\rfloor$ of the $d^2 L$ "
            r"singular values are at most $\lvert S - P_L^{\mathsf T} T\rvert$.",
            {"L": 2, "d": 2, "m": 1},
            (MOVED, ISOMETRY, SMALL_SPECTRA, CONSTANT, PAIRS, LINEAR_VECTORS, COURANT, INTERLACING, BOUNDED),
            reading=ExceptionalSet("$X = 0$", NO_DATA, SOME_DATA),
        ),
        Clause(
            r"With independent Gaussian weights of variance $1/d$, $d \ge 2$, almost surely lim inf "
            r"$(1/L) \log \mathrm{cond}(H_L)$ is at least the mean of $\mu_1 - \mu_i = (\psi(d/2) - \psi((d - i + 1)/2))/2$, $\psi$ the digamma function, over $i = 2, \ldots, d$, which is "
            "positive.",
            {"L": 2, "d": 2, "m": 1},
            (BALANCED, STEEP, SMALL_IMAGES, VOLUME, PRODUCTS, DIGAMMA, RATES),
            reading=ExceptionalSet("$X = 0$", NO_DATA, SOME_DATA),
        ),
        Clause(
            r"With independent Gaussian weights of variance 1 and $d = 1$ $\mathrm{cond}(H_L)$ tends to infinity almost surely.",
            {"L": 2, "m": 1},
            (BALANCED, STEEP, SMALL_IMAGES, WIDTH_ONE, UNBOUNDED),
            reading=ExceptionalSet("$X = 0$", NO_DATA, SOME_DATA),
        ),
        Clause(
            "With independent Gaussian weights of variance $1/d$ the quotient of the greatest and the 10th percentile of "
            "|eigenvalues|, which Figure 4 shows, tends to infinity almost surely.",
            {"L": 2, "d": 1, "m": 1},
            unsettled="the bounds are on the least singular value of $H_L$, and show one or two of the $d^2$ singular values that "
            r"belong to a pair of layers to be small: fewer than a tenth for $d \ge 3$; widths one and two are not worked "
            "out either",
        ),
    ),
    notes=r"Both are at the initial point of the plain network $W_L \cdots W_1$; $H_L$ is the Hessian of the squared loss in "
    "all $L$ matrices. Xavier's variance $2/(d + d)$ is $1/d$ for square layers; the paper calls it random Gaussian. The "
    "sentence speaks of Figure 4, where 'we calculated' the 10th percentile in place of the least |eigenvalue| (Appendix "
    "B).",
)

INIT2 = Statement(
    id="DR-init2",
    title="Whether the condition number grows slower at orthogonal than at Xavier weights",
    source=source("A", "section 5.1", "its initial condition number grows slower than the Xavier initialization"),
    latex=r"\operatorname{cond}(H_L^{\mathrm{orthogonal}}) = o\bigl(\operatorname{cond}(H_L^{\mathrm{Xavier}})\bigr)",
    uses=("DR-init",),
    clauses=(
        Clause(
            "At random orthogonal weights the condition number grows slower than at Xavier weights.",
            {"L": 2, "d": 2, "m": 1},
            unsettled="DR-init bounds both from below, the one like $L$, the other exponentially. An upper bound for random "
            r"orthogonal weights is missing: where $S - P_L^{\mathsf T} T$ is singular their condition number is infinite "
            "too",
        ),
    ),
    notes="Observed in DR-F4.",
)

STATEMENTS = (INIT, INIT2)
