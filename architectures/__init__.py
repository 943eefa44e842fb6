"""What a network is: expressions, activations, losses, the parameter order, the catalogue."""
