"""Residual networks: a note on Identity Matters in Deep Learning."""

MODULES = (
    "deeper_networks",
    "small_minimisers",
    "gradient_bounds",
    "zero_start",
    "flat_saddles",
    "relu_depth",
    "local_minima",
    "attenuation",
    "residual_shapes",
)
"""The modules with statements, each under the name STATEMENTS, in the order of the text."""
