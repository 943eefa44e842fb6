"""`python -m resproof`: the command line."""

from __future__ import annotations

from resproof.cli import main

if __name__ == "__main__":
    main()
