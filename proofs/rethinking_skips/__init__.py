"""Oyedotun, Al Ismaeil, Aouada: Rethinking the Role of Skip Connections."""

PLACE = 2
"""Which of the papers it is in the report."""
MODULES = (
    "joint_products",
    "contrast",
    "singular_products",
    "error_signals",
    "gradient_ranks",
    "residual_gradients",
    "perturbed_systems",
    "dirac",
    "eigenvector_claims",
    "early_training",
    "near_identity",
    "lyapunov_gaps",
)
"""The modules with statements, each under the name STATEMENTS, in the order of the text."""
EXPERIMENTS = ("experiments", "hindsight")
"""The modules with experiments, each under the name EXPERIMENTS."""
