"""Series in index notation: one computation for every size."""
