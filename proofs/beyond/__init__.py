"""Beyond the documents: any branch, any loss, any depth, attention, and the common ways to start at the identity."""

MODULES = ("two_units", "trichotomy", "depth_law", "depth_spectrum", "starting_at_identity")
"""The modules with statements, each under the name STATEMENTS, in the order of the text."""
