"""Index terms contracted with data, cores, and spectra at any depth."""
