"""Side-by-side timings with the peers; `python -m benchmarks [name]` prints them as Markdown tables."""
