"""Mathematics that several papers' statements share, without ids of its own but for minima of linear networks."""
