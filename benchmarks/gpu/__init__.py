"""Checks and measurements on a GPU: `python -m benchmarks.gpu`, one call, one JSON file."""
