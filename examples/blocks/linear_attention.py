"""Linear attention with its normaliser: what key and query have in common, over its sum for each query.

    resproof check examples/blocks/linear_attention.py:block --units 12 --set d=4 --set k=2 --set t=3

The divisor is not zero, for keys and queries go through a positive function. Source: Katharopoulos et al. 2020,
Transformers are RNNs, Section 3.2, with softplus as feature map.
"""

from resproof import Input, Weight, normal
from resproof.activations import softplus
from resproof.layers import total

h = Input("d", "t")
Q, K = (Weight("k", "d", initial=normal("1/d")) for _ in range(2))
V, O = Weight("d", "d"), Weight("d", "d")  # noqa: E741

common = softplus(K @ h).T @ softplus(Q @ h)
block = h + O @ (V @ h @ common / total(common, 0, keep=True))
