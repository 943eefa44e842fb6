"""A whole network as in GPT-2: tokens in, attention and MLP in turn, a final LayerNorm, and logits for each token.

    resproof check examples/blocks/small_gpt.py:network --data FILE.npz --set d=6 --set k=3 --set f=8

X of FILE.npz are one-hot tokens, (samples, v, t), and Y the next ones, (samples, t), whole numbers from 0 to v - 1. The
units see the loss through the final LayerNorm and the readout, which are trained as well. Source: Radford et al. 2019,
Language Models are Unsupervised Multitask Learners, Section 2.3, with output weights at zero, as Fixup starts them.
"""

from fractions import Fraction

from resproof import Input, Network, Weight, gelu, normal, ones
from resproof.layers import causal_mask, layer_norm, softmax

h = Input("d", "t")
normed = layer_norm(h, epsilon=Fraction(1, 10**5))
g1, b1, g2, b2 = Weight("d", initial=ones), Weight("d"), Weight("d", initial=ones), Weight("d")
g3, b3 = Weight("d", initial=ones), Weight("d")
n, u = g1 * normed + b1, g2 * normed + b2
Q, K, V = (Weight("k", "d", initial=normal("1/d")) for _ in range(3))
O = Weight("d", "k")  # noqa: E741
W1, c1 = Weight("f", "d", initial=normal("1/d")), Weight("f")
W2, c2 = Weight("d", "f"), Weight("d")
E, C = Weight("d", "v", initial=normal("1/v")), Weight("v", "d", initial=normal("1/d"))

attention = h + O @ (V @ n) @ softmax((K @ n).T @ (Q @ n), axis=0, mask=causal_mask())
mlp = h + W2 @ gelu(W1 @ u + c1) + c2
network = Network(
    stem=E @ Input("v", "t"), units=[attention, mlp] * 3, head=C @ (g3 * normed + b3), loss="cross-entropy"
)
