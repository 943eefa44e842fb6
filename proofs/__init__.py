"""Every statement of the papers: as printed, hypotheses, proof, numbers, counterexample, repair."""
