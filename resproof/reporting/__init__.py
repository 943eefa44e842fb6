"""Verdicts written up: records, Markdown pages, figures and the site, which read `results.json` alone.

The package is not named after the verb `report`, which would be hidden by it as soon as it is imported.
"""

from pathlib import Path

REPORTS = Path(__file__).parents[1] / "reports"
"""The committed report: pages, figures, `results.json` and the records of experiments; it ships with the program."""
