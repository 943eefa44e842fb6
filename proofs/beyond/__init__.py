"""Beyond the documents: any branch, any loss, any depth, attention, starts at the identity, scales, kinds, stem, head, sharing."""

PLACE = 1000
"""After every paper."""
MODULES = (
    "two_units",
    "trichotomy",
    "depth_law",
    "depth_spectrum",
    "starting_at_identity",
    "residual_scale",
    "kinds_of_units",
    "stem_and_head",
    "shared_weights",
)
"""The modules with statements, each under the name STATEMENTS, in the order of the text."""
