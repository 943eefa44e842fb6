"""Exact algebra that knows nothing of networks: rings, matrices, words, powers."""
