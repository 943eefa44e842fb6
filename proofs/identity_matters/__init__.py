"""Residual networks: a note on Identity Matters in Deep Learning."""

PLACE = 3
"""Which of the papers it is in the report."""
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
EXPERIMENTS = ("experiments", "gradient_experiments", "from_zero_experiments")
"""The modules with experiments, each under the name EXPERIMENTS."""
