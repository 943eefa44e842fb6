"""The runs behind the note's sentence on attenuation: squared gradients of the first layer of many random networks.

Linear networks W_L ... W_1 x and (I + W_L) ... (I + W_1) x with independent entries N(0, s^2/d), on one sample of the data.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from resproof.proofs.experiment import Parameters, Scale, Sweep, digits10
from resproof.proofs.identity_matters.plain_gradients import first_gradients, random_layers
from resproof.proofs.statement import Data

VARIANCES = {"plain": 0.4, "residual": 0.01}
"""s^2."""
_NETWORKS: Mapping[Scale, int] = {"default": 20_000, "paper": 200_000}
_PORTION = 1000


def _runs(scale: Scale) -> dict[str, Parameters]:
    return {
        f"{kind}-{layers:02}": {"kind": kind, "layers": layers, "s2": s2, "networks": _NETWORKS[scale]}
        for layers in (1, 2, 4, 8, 16)
        for kind, s2 in VARIANCES.items()
    }


def squared_gradients(data: Data, run: Parameters) -> dict[str, Any]:
    """The mean of |dE/dW_1|_F^2 over networks, its standard error, and |x|^2, |y|^2, x . y of the sample, the first one."""
    x, y = data.X[:, 0], data.Y[:, 0]
    own = np.eye(len(x)) if run["kind"] == "residual" else 0.0
    found = np.concatenate(
        [
            first_gradients(own + random_layers(_PORTION, run["layers"], len(x), run["s2"], seed), x, y)
            for seed in range(run["networks"] // _PORTION)
        ]
    )
    return digits10(
        {
            "mean": np.mean(found),
            "error": np.std(found, ddof=1) / len(found) ** 0.5,
            "sample": {"width": len(x), "xx": x @ x, "yy": y @ y, "xy": x @ y},
        }
    )


GRADIENTS = Sweep("first-gradients", _runs, squared_gradients, trained=False)
