"""Li, Jiao, Han, Weissman: Demystifying ResNet, both versions: the model, Theorems 1 and 2, and what surrounds them."""

PLACE = 1
"""Which of the papers it is in the report."""
MODULES = (
    "model",
    "theorem1",
    "lemmas",
    "sharp_hypotheses",
    "theorem2",
    "copies",
    "after_theorem2",
    "assumption3",
    "spurious_zero",
    "nonsmooth",
    "relu_and_biases",
    "small_norms",
    "local_minima",
    "escape",
    "deep_products",
    "admissible",
    "looking_at_zero",
    "initial_conditions",
    "shortcut_one",
)
"""The modules with statements, each under the name STATEMENTS, in the order of the text."""
KERNEL = ("formal.counterparts",)
"""The modules whose `checked` says what a proof kernel has of a statement."""
EXPERIMENTS = ("experiments", "relu_experiments", "convolution_experiments")
"""The modules with experiments, each under the name EXPERIMENTS."""
