"""Theorem 2 in Coq: the sources, what was checked, and the definitions evaluated."""
