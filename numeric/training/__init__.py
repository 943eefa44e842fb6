"""Training of linear networks from the covariances of the data, many runs in one program, and spectra along it."""
