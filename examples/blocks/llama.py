"""A block as in Llama: RMSNorm before causal attention and before a gated MLP, the two output weights starting at zero.

    resproof check examples/blocks/llama.py:block --units 12 --set d=8 --set k=4 --set f=12 --set t=6

The branches are of order one in O and down, so that the Hessian grows with depth. Source: Touvron et al. 2023, LLaMA,
Section 2.2, one head, without rotary positions.
"""

from resproof import Input, Weight, normal, ones
from resproof.activations import silu
from resproof.layers import causal_mask, rms_norm, softmax

h = Input("d")
g1, g2 = Weight("d", initial=ones), Weight("d", initial=ones)
Q, K, V = (Weight("k", "d", initial=normal("1/d")) for _ in range(3))
O = Weight("d", "k")  # noqa: E741
gate, up = (Weight("f", "d", initial=normal("1/d")) for _ in range(2))
down = Weight("d", "f")

n = g1 * rms_norm(h)
attended = h + O @ (V @ n) @ softmax((K @ n).T @ (Q @ n), axis=0, mask=causal_mask())
u = g2 * rms_norm(attended)
block = attended + down @ (silu(gate @ u) * (up @ u))
