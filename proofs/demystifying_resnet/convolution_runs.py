"""The runs behind Figures 2 and 9: convolutional residual networks on images, by shortcut depth and number of layers.

As the paper has it: units that are activated first (BN, ReLU, convolution), the number of parameters the same for every shortcut depth,
momentum 0.9, weight decay 0.0001, the rate 0.1, a tenth of it after 81/200 of the epochs and a hundredth after 122/200. Different: the
images that are at hand, one width throughout (eight channels, positions halved once, by the first convolution's stride), batch
normalisation without parameters, and no augmentation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resproof.numeric.training.descent import Schedule, momentum_descent
from resproof.numeric.training.networks import Weights, accuracy, normalised, outputs, units
from resproof.numeric.training.start import normal
from resproof.proofs.experiment import Parameters, Scale, Sweep, digits10
from resproof.proofs.statement import Data

Floats = NDArray[np.float64]

SHORTCUT_DEPTHS = (1, 2, 3)
COUNTED = 4096
_LAYERS: Mapping[Scale, Sequence[int]] = {"default": (12, 48, 192), "paper": (24, 96, 408)}
_SIZES: Mapping[Scale, Mapping[str, Any]] = {
    "default": {"training": [1, 3], "batch": 64, "epochs": 20, "seeds": 2},
    "paper": {"training": [4, 5], "batch": 128, "epochs": 200, "seeds": 5},
}


@dataclass(frozen=True, slots=True)
class Convolutions:
    """3 x 3 convolutions W * H that keep the side, zero outside; the stem takes every `stride`-th position.

    H_0 = W_stem * X, H_r = W_{r,n} * phi(N( ... W_{r,1} * phi(N(H_{r-1})))) + H_{r-1}, f = W_head mean(phi(N(H_R))), the mean over
    positions. Axes are channels, two of positions, samples; a filter's columns are its places, each with all channels.
    Source: He et al. 2016, Identity mappings in deep residual networks, Figure 1 (b).
    """

    shortcut_depth: int
    stride: int = 1

    def __call__(self, one: Any, x: Any, counted: int | None) -> Any:
        """F, of weights `stem`, `layers` and `head`."""
        import jax

        def convolved(filters: Any, h: Any, stride: int = 1) -> Any:
            side, padded = h.shape[1], jax.numpy.pad(h, ((0, 0), (1, 1), (1, 1), (0, 0)))
            nine = [padded[:, i : i + side : stride, j : j + side : stride] for i in range(3) for j in range(3)]
            return jax.numpy.tensordot(filters, jax.numpy.concatenate(nine), 1)

        def activated(h: Any) -> Any:
            return jax.nn.relu(normalised(h, counted))

        first = convolved(one["stem"], x, self.stride)
        last = units(self.shortcut_depth, one["layers"], first, lambda layer, h: convolved(layer, activated(h)))
        return one["head"] @ activated(last).mean(axis=(1, 2))


def _runs(scale: Scale) -> dict[str, Parameters]:
    return {
        f"{depth}-shortcut-{layers:03}": {
            "shortcut_depth": depth,
            "layers": layers,
            "channels": 8,
            "stride": 2,
            "rate": 0.1,
            **_SIZES[scale],
        }
        for layers in _LAYERS[scale]
        for depth in SHORTCUT_DEPTHS
    }


def convolutional(data: Data, run: Parameters) -> dict[str, Any]:
    """The mean Frobenius norm of the layers' weights at every epoch, and both accuracies at the end, by seed.

    Of as many samples as `training` says the first so many are for training, the others for the test; in the test the training samples
    give the means and variances.
    """
    images = np.asarray(data.images, dtype=np.float64)
    x, y = np.moveaxis((images - images.mean()) / images.std(), 0, -1), np.asarray(data.Y)
    first, of = run["training"]
    chosen = np.arange(x.shape[-1]) % of < first
    order = np.argsort(~chosen, kind="stable")
    x, y, count = np.ascontiguousarray(x[..., order]), y[:, order], int(np.sum(chosen))
    seeds, epochs = list(range(run["seeds"])), run["epochs"]
    net = Convolutions(run["shortcut_depth"], run["stride"])
    start = he_start(seeds, run["layers"], images.shape[1], run["channels"], len(y))
    how = Schedule(epochs, run["batch"], falls=(round(0.405 * epochs), round(0.61 * epochs)))
    norms, last = list[Floats](), start
    rates = [run["rate"]] * len(seeds)
    for _, now in momentum_descent(net, start, x[..., :count], y[:, :count], rates, seeds, how):
        norms.append(np.mean(np.linalg.norm(now["layers"], axis=(-2, -1)), axis=0))
        last = now
    ends = _outputs(net, last, x, count)
    return digits10(
        {
            "epochs": list(range(epochs + 1)),
            "norms": np.stack(norms, axis=1),
            "train accuracy": accuracy(ends[..., :count], y[:, :count]),
            "test accuracy": accuracy(ends[..., count:], y[:, count:]),
        }
    )


def he_start(seeds: Sequence[int], layers: int, inputs: int, channels: int, outputs: int) -> Weights:
    """Independent normal entries of variance 2/columns, 1/columns in stem and head. Source: He et al. 2015, Equation 10."""
    sizes = {
        "stem": (1.0 / (9 * inputs), (channels, 9 * inputs)),
        "layers": (2.0 / (9 * channels), (layers, channels, 9 * channels)),
        "head": (1.0 / channels, (outputs, channels)),
    }
    return normal(seeds, sizes)


def _outputs(net: Convolutions, weights: Weights, x: Floats, count: int) -> Floats:
    """At all samples, in portions, of which each comes behind the training samples that give means and variances.

    Where there are more than COUNTED for training, the first so many give them.
    """
    counted, samples = min(count, COUNTED), x.shape[-1]
    first, found = x[..., :counted], list[Floats]()
    for start in range(counted, samples, COUNTED):
        each = outputs(net, weights, np.concatenate([first, x[..., start : start + COUNTED]], axis=-1), counted)
        found += [each] if not found else [each[..., counted:]]
    return np.concatenate(found, axis=-1)


CONVOLUTIONS = Sweep("convolutions", _runs, convolutional, images=True)
