"""The embedded data: scikit-learn's handwritten digits, whitened, ten principal components, one-hot targets.

With the samples as columns, x^mu in R^64 centred, C = (1/m) X X^T = V diag(lambda) V^T with lambda descending:

    X <- diag(lambda_1..10)^{-1/2} V_{1..10}^T X,    so that (1/m) X X^T = I.

An eigenvector's sign is free; here its entry of greatest modulus (the first such) is positive. Y has a one in the row
of the digit. Source: Demystifying ResNet, appendix B, which does the same with MNIST. The images, packed in `digits.npz`,
are those of `sklearn.datasets.load_digits`: E. Alpaydin and C. Kaynak, Optical Recognition of Handwritten Digits, UCI
Machine Learning Repository 1998, CC BY 4.0.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from resproof.proofs.statement import Data

COMPONENTS = 10


@cache
def digits() -> Data:
    """X (10 x 1797) and Y (10 x 1797), and the images of 8 x 8 pixels, float64 and read-only."""
    pixels, labels = table()
    x = np.ascontiguousarray(whiten(pixels.T, COMPONENTS))
    y = np.ascontiguousarray(np.eye(10)[labels].T)
    images = pixels.reshape(-1, 1, 8, 8)
    x.flags.writeable = y.flags.writeable = images.flags.writeable = False
    return Data(x, y, "scikit-learn digits, whitened, 10 principal components", images)


@cache
def table() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """What `sklearn.datasets.load_digits` returns: pixels (1797 x 64), whole numbers up to 16, and the digits."""
    with np.load(Path(__file__).with_name("digits.npz"), allow_pickle=False) as file:
        return file["pixels"].astype(np.float64), file["labels"].astype(np.int64)


def whiten(x: NDArray[np.float64], components: int) -> NDArray[np.float64]:
    """The greatest principal components of the columns of x, centred and scaled to the unit covariance.

    Raises:
        ValueError: fewer components than asked for have positive variance.
    """
    centred = x - x.mean(axis=1, keepdims=True)
    variances, vectors = np.linalg.eigh(centred @ centred.T / x.shape[1])
    variances, vectors = variances[::-1][:components], vectors[:, ::-1][:, :components]
    if len(variances) < components or variances[-1] <= len(x) * np.finfo(float).eps * variances[0]:
        raise ValueError(f"whiten: x has shape {x.shape}; expected {components} components of positive variance")
    largest = vectors[np.argmax(np.abs(vectors), axis=0), np.arange(components)]
    return (vectors * np.sign(largest) / np.sqrt(variances)).T @ centred
