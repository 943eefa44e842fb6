"""The committed report, the guides and the Python interface as a static site that works from a folder, offline.

MkDocs builds it (`make site`) with the hooks in `hooks.py`. Pages lie in the site where they lie in the repository, so
that every link means what it means on GitHub; formulas become MathML and diagrams SVG while the site is built.
"""
