"""What a network is: expressions, activations, losses, the parameter order, the catalogue."""

from resproof.architectures import text as text  # which says how nodes are shown
