"""What a branch is made of beside sums and products: normalisation, softmax, convolution, patterns of axes.

A value may have more axes than rows and columns, each named by its dimension:

>>> from resproof import Input, Weight, einsum
>>> from resproof.layers import conv2d, mean
>>> h = Input("d", "t")
>>> einsum("g k d, d t -> g k t", Weight("heads", "k", "d"), h).shape
('heads', 'k', 't')
>>> image = Input("c", "y", "x")
>>> conv2d(image, Weight("f", "c", 3, 3)).shape
('f', 'y', 'x')
>>> mean(image, "x").shape
('c', 'y')

Data for an input of more than two axes are (samples, c, y, x).
"""

from __future__ import annotations

from resproof.architectures.algebra import (
    average_pool,
    batch_norm,
    causal_mask,
    concat,
    conv2d,
    identity,
    join,
    layer_norm,
    mean,
    rms_norm,
    shift,
    softmax,
    split,
    total,
)
from resproof.numeric.checkpoints import checkpoint

__all__ = [
    "average_pool",
    "batch_norm",
    "causal_mask",
    "checkpoint",
    "concat",
    "conv2d",
    "identity",
    "join",
    "layer_norm",
    "mean",
    "rms_norm",
    "shift",
    "softmax",
    "split",
    "total",
]
