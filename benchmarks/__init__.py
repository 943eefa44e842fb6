"""Speed where users wait, beside other programs: `python -m benchmarks` writes reports/TIMINGS.md."""
