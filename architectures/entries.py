"""The catalogue by name: what `--architecture` takes, and what reports and tests go through.

An entry says what a block is and where it comes from. What it *does* (its order, its Hessian, whether it is the
identity at its initial point) is computed from the block and stands nowhere here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from types import MappingProxyType

from resproof.architectures import catalogue
from resproof.architectures.nodes import Expression


@dataclass(frozen=True, slots=True)
class Entry:
    """A block of the catalogue.

    `build` has a default for every parameter. `formula` writes the block as its source does; `not_computed` names what
    the source has beyond the block that is built, with LaTeX between dollar signs.
    """

    title: str
    build: Callable[..., Expression]
    formula: str
    source: str
    not_computed: str = ""


_DR = "Li et al. 2016, Demystifying ResNet"

CATALOGUE: Mapping[str, Entry] = MappingProxyType(
    {
        "n-shortcut": Entry(
            "n-shortcut unit", catalogue.n_shortcut, "h + post(W_n mid(... W_1 pre(h)))", f"{_DR}, Definitions 1 and 2"
        ),
        "biased": Entry(
            "Biased unit with a smoothed ReLU",
            catalogue.smoothed_biased,
            "h + W_2 sigma(W_1 h + b)",
            f"{_DR}, Equation 3",
            "plain ReLU, which has no derivative at 0",
        ),
        "wide": Entry(
            "Wide inner layer",
            catalogue.wide,
            "h + W_2 sigma(W_1 h)",
            "Zagoruyko and Komodakis 2016, Wide residual networks",
            "batch normalisation, convolutions",
        ),
        "bottleneck": Entry(
            "Bottleneck",
            catalogue.bottleneck,
            "h + W_3 sigma(W_2 sigma(W_1 h))",
            "He et al. 2016, Deep residual learning, Figure 5 right",
            "batch normalisation, convolutions, the ReLU after the sum",
        ),
        "resnext": Entry(
            "ResNeXt: parallel branches",
            catalogue.resnext,
            "h + sum_b V_b sigma(U_b h)",
            "Xie et al. 2017, Aggregated residual transformations, Equation 3",
            "batch normalisation, convolutions",
        ),
        "convolution": Entry(
            "Convolutions along the columns",
            catalogue.convolution,
            "h + sum_j W_2j sigma(sum_k W_1k h S_k) S_j",
            "He et al. 2016, Deep residual learning, Figure 5 left",
            "batch normalisation, two-dimensional images, strides, the ReLU after the sum",
        ),
        "tied": Entry("Tied weights", catalogue.tied, "h + W^T sigma(W h)", "one weight used twice"),
        "output-bias": Entry(
            "A bias on the branch's output", catalogue.output_bias, "h + W_2 sigma(W_1 h) + b", "common practice"
        ),
        "highway": Entry(
            "Highway layer",
            catalogue.highway,
            "H(h) T(h) + h (1 - T(h))",
            "Srivastava, Greff and Schmidhuber 2015, Highway networks, Equation 3",
            "a negative initial gate bias, which no exact initial value stands for",
        ),
        "nested": Entry(
            "A shortcut over shortcuts",
            catalogue.nested,
            "h + (u + W_4 sigma(W_3 u)), u = h + W_2 sigma(W_1 h)",
            "Zhang et al. 2017, Residual networks of residual networks",
            "the final projection",
        ),
        "dirac-net": Entry(
            "DiracNet from W = 0",
            catalogue.dirac_net,
            "(W + diag(a)) h",
            "Zagoruyko and Komodakis 2017, DiracNets",
            "the normalisation of W",
        ),
        "dirac-net-random": Entry(
            "DiracNet from a random W",
            partial(catalogue.dirac_net, random=True),
            "(W + diag(a)) h",
            "Zagoruyko and Komodakis 2017, DiracNets",
            "the normalisation of W",
        ),
        "fixup": Entry(
            "Fixup without its scales: the last layer starts at zero",
            catalogue.fixup,
            "h + W_2 sigma(W_1 h)",
            "Zhang, Dauphin and Ma 2019, Fixup initialization",
            "scalar biases and multipliers, the factor R^(-1/(2n-2)) of the inner weights, a draw for each unit",
        ),
        "rezero": Entry(
            "ReZero: a scalar gate at zero",
            catalogue.rezero,
            "h + a W_2 sigma(W_1 h)",
            "Bachlechner et al. 2021, ReZero is all you need",
            "a draw for each unit",
        ),
        "skip-init": Entry(
            "SkipInit: a scalar gate at zero behind a pre-activation branch",
            catalogue.skip_init,
            "h + a W_2 sigma(W_1 sigma(h))",
            "De and Smith 2020, Batch normalization biases residual blocks",
            "a draw for each unit",
        ),
        "layer-scale": Entry(
            "LayerScale",
            catalogue.layer_scale,
            "h + diag(epsilon + s) W_2 sigma(W_1 h)",
            "Touvron et al. 2021, Going deeper with image transformers, Equation 4",
            "LayerNorm, a draw for each unit",
        ),
        "layer-scale-zero": Entry(
            "LayerScale in the limit of scale zero",
            partial(catalogue.layer_scale, epsilon=Fraction(0)),
            "h + diag(s) W_2 sigma(W_1 h)",
            "Touvron et al. 2021, Going deeper with image transformers, Equation 4",
            "LayerNorm, a draw for each unit",
        ),
        "pre-norm": Entry(
            "Pre-norm MLP block",
            catalogue.pre_norm,
            "h + W_2 sigma(W_1 (gain * LN(h)))",
            "Xiong et al. 2020, On layer normalization in the transformer architecture",
            "biases, the epsilon under the root",
        ),
        "swiglu": Entry(
            "SwiGLU block",
            catalogue.swiglu,
            "h + W_3 (silu(W_1 h) * (W_2 h))",
            "Shazeer 2020, GLU variants improve transformer, Equation 6",
        ),
        "attention": Entry(
            "Self-attention, one head",
            catalogue.attention,
            "h + O V h softmax((K h)^T (Q h))",
            "Vaswani et al. 2017, Attention is all you need, Equation 1",
            r"the factor $1/\sqrt{k}$, which Q takes up; biases",
        ),
        "multi-head": Entry(
            "Causal self-attention, two heads",
            partial(catalogue.attention, causal=True, heads=2),
            "h + sum_i O_i V_i h softmax((K_i h)^T (Q_i h))",
            "Vaswani et al. 2017, Attention is all you need, Section 3.2.2",
            r"the factor $1/\sqrt{k}$, which Q takes up; biases",
        ),
        "transformer": Entry(
            "Pre-norm transformer block",
            catalogue.transformer,
            "u + W_2 sigma(W_1 LN(u)), u = h + O V n softmax((K n)^T (Q n)), n = LN(h)",
            "Xiong et al. 2020, On layer normalization in the transformer architecture, Figure 1b",
            "gains and biases, dropout, the epsilon under the root",
        ),
        "transformer-heads": Entry(
            "Causal pre-norm transformer block, two heads",
            partial(catalogue.transformer, heads=2, causal=True),
            "u + W_2 sigma(W_1 LN(u)), u = h + sum_i O_i V_i n softmax((K_i n)^T (Q_i n)), n = LN(h)",
            "Xiong et al. 2020, On layer normalization in the transformer architecture, Figure 1b",
            "gains and biases, dropout, the epsilon under the root",
        ),
    }
)
"""Name -> entry."""
