"""A block as in GPT-2: LayerNorm before causal attention of several heads and before an MLP; both start at zero.

    resproof check examples/blocks/gpt2.py:block --units 12 --set d=4 --set heads=2 --set k=2 --set f=6 --set t=3

GPT-2 small has d=768, heads=12, k=64, f=3072: with data of that width, --data FILE.npz, the numbers are of its own
block. The branches are of order one in O and W2, so that the Hessian grows with depth. Source: Radford et al. 2019,
Language Models are Unsupervised Multitask Learners, Section 2.3, with output weights at zero, as Fixup starts them.
"""

from fractions import Fraction

from resproof import Input, Weight, einsum, gelu, normal, ones
from resproof.layers import causal_mask, layer_norm, softmax

SPREAD = normal(Fraction(1, 2500))
h = Input("d", "t")
g1, b1, g2, b2 = Weight("d", initial=ones), Weight("d"), Weight("d", initial=ones), Weight("d")
Q, K, V = (Weight("heads", "k", "d", initial=SPREAD) for _ in range(3))
O = Weight("d", "heads", "k")  # noqa: E741
W1, c1 = Weight("f", "d", initial=SPREAD), Weight("f")
W2, c2 = Weight("d", "f"), Weight("d")

n = g1 * layer_norm(h, epsilon=Fraction(1, 10**5)) + b1
q, k, v = (einsum("g k d, d t -> g k t", part, n) for part in (Q, K, V))
scores = einsum("g k s, g k t -> g s t", k, q)
attended = h + einsum("d g k, g k s, g s t -> d t", O, v, softmax(scores, axis=1, mask=causal_mask()))
u = g2 * layer_norm(attended, epsilon=Fraction(1, 10**5)) + b2
block = attended + W2 @ gelu(W1 @ u + c1) + c2
