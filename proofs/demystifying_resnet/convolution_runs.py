"""The runs behind Figures 2 and 9: convolutional residual networks on images, by shortcut depth and number of layers.

As the paper has it: units that are activated first (BN, ReLU, convolution), the number of parameters the same for every shortcut depth,
momentum 0.9, weight decay 0.0001, the rate 0.1, a tenth of it after 81/200 of the epochs and a hundredth after 122/200. Different: the
images that are at hand, one width throughout (eight channels, positions halved once, by the first convolution's stride), batch
normalisation without parameters, and no augmentation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resproof.numeric.training.blocks import Weights
from resproof.numeric.training.convolutions import ConvolutionForm, convolve, he_convolutions, patches
from resproof.numeric.training.momentum import Schedule, accuracy, momentum_descent
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
    x, y = patches((images - images.mean()) / images.std(), run["stride"]), np.asarray(data.Y)
    first, of = run["training"]
    chosen = np.arange(x.shape[1]) % of < first
    order = np.argsort(~chosen, kind="stable")
    x, y, count = np.ascontiguousarray(x[:, order]), y[:, order], int(np.sum(chosen))
    seeds, epochs = list(range(run["seeds"])), run["epochs"]
    net = ConvolutionForm(run["shortcut_depth"], -(-images.shape[-1] // run["stride"]))
    weights = he_convolutions(seeds, run["layers"], 9 * images.shape[1], run["channels"], len(y))
    how = Schedule(epochs, run["batch"], falls=(round(0.405 * epochs), round(0.61 * epochs)))
    norms = list[Floats]()
    rates = [run["rate"]] * len(seeds)
    for _, now in momentum_descent(net, weights, x[:, :count], y[:, :count], rates, seeds, how):
        norms.append(np.mean(np.linalg.norm(now["layers"], axis=(-2, -1)), axis=0))
    with np.errstate(all="ignore"):
        outputs = np.concatenate([_outputs(net, weights, x, count, seed) for seed in seeds])
    return digits10(
        {
            "epochs": list(range(epochs + 1)),
            "norms": np.stack(norms, axis=1),
            "train accuracy": accuracy(outputs[..., :count], y[:, :count]),
            "test accuracy": accuracy(outputs[..., count:], y[:, count:]),
        }
    )


def _outputs(net: ConvolutionForm, weights: Weights, x: Floats, count: int, seed: int) -> Floats:
    """Of one seed at all samples, in portions, of which each comes behind the training samples that give means and variances.

    Where there are more than COUNTED for training, the first so many give them.
    """
    mine = {name: one[..., seed : seed + 1, :, :] for name, one in weights.items()}
    counted, samples = min(count, COUNTED), x.shape[1]
    first, found = x[:, :counted], list[Floats]()
    for start in range(counted, samples, COUNTED):
        passed = convolve(
            net, mine, np.concatenate([first, x[:, start : start + COUNTED]], axis=1), counted, keep=False
        )
        found += [passed.output] if not found else [passed.output[..., counted:]]
    return np.concatenate(found, axis=-1)


CONVOLUTIONS = Sweep(
    "convolutions",
    _runs,
    convolutional,
    (
        "resproof.proofs.digits",
        *(f"resproof.numeric.training.{name}" for name in ("blocks", "convolutions", "momentum")),
    ),
    images=True,
)
