"""Run the registered benchmarks, all of them or the one that is named, and print Markdown."""

from __future__ import annotations

import sys
from importlib import import_module

BENCHMARKS = ("exact_hessian", "dense_hessian", "hvp", "start")
"""Modules of this folder with a function main(arguments) that returns Markdown."""


def main(arguments: list[str]) -> int:
    """Print the tables; 2 for an unknown name."""
    chosen = arguments[:1] or list(BENCHMARKS)
    for name in chosen:
        if name not in BENCHMARKS:
            print(f"benchmarks: {name!r} is unknown; expected one of {', '.join(BENCHMARKS)}", file=sys.stderr)
            return 2
        print(f"## {name}\n\n{import_module(f'benchmarks.{name}').main(arguments[1:])}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
