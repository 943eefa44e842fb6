"""A residual unit of anybody's: what it does where training starts, its spectrum, the general statements about it."""
