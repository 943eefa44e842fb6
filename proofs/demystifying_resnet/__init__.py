"""Li, Jiao, Han, Weissman: Demystifying ResNet (arXiv 1611.01186)."""
