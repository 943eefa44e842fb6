"""Images and labels in files, as MNIST comes: whitened, ten greatest principal components, one-hot targets.

Taken are an .npz archive with X and Y (samples as columns, used as they are), one with x_train and y_train (a sample in
each first index), an IDX file of images with its labels beside it (train-images-idx3-ubyte and
train-labels-idx1-ubyte, packed with gzip or not), and a folder that has such a pair. Source of the format: LeCun,
Cortes, Burges: The MNIST database.
"""

from __future__ import annotations

import gzip
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resproof.architectures.names import printable
from resproof.architectures.reading import open_regular
from resproof.numeric.data import DataError, check_array
from resproof.proofs.digits import COMPONENTS, whiten
from resproof.proofs.statement import Data
from resproof.reporting.data import read_npz
from resproof.reporting.npz import MOST, read_arrays

_IMAGES = "train-images-idx3-ubyte"
_PACKED = b"\x1f\x8b"


def read_images(path: Path) -> Data:
    """X and Y of the files at `path`, samples as columns.

    Raises:
        DataError: no such file, a format that is none of these, or data of another shape.
    """
    if path.is_dir():
        found = [one for ending in ("", ".gz") if (one := path / f"{_IMAGES}{ending}").exists()]
        if not found:
            raise DataError(f"{path}: has no {_IMAGES}; expected MNIST's files, or the path of one")
        path = found[0]
    if path.suffix == ".npz":
        try:
            return _whitened(path, *read_arrays(path, ("x_train", "y_train")))
        except DataError as error:
            if not re.search("has no [xy]_train", str(error)):
                raise
            return read_npz(path)
    images = _idx(path)
    if "images" not in path.name or images.ndim < 2:
        raise DataError(f"{path}: has {images.ndim} axes; expected IDX images called such as {_IMAGES}")
    return _whitened(path, images, _idx(path.with_name(path.name.replace("images", "labels").replace("idx3", "idx1"))))


def _whitened(path: Path, images: NDArray[Any], labels: NDArray[Any]) -> Data:
    if images.ndim < 2 or labels.shape != images.shape[:1]:
        raise DataError(f"{path}: {images.shape} images and {labels.shape} labels; expected a label for each image")
    if not np.isin(labels, np.arange(COMPONENTS)).all():
        raise DataError(f"{path}: labels other than 0 to {COMPONENTS - 1}; expected those of {COMPONENTS} classes")
    pixels = check_array(str(path), "x_train", images).reshape(len(images), -1).T
    try:
        x = np.ascontiguousarray(whiten(pixels, COMPONENTS))
    except ValueError as error:
        raise DataError(f"{path}: {error}") from None
    y = np.ascontiguousarray(np.eye(COMPONENTS)[labels.astype(np.int64)].T)
    return Data(x, y, f"{printable(path.name)}, whitened, {COMPONENTS} principal components", _squares(images))


def _squares(images: NDArray[Any]) -> NDArray[Any] | None:
    """Square images, (samples, channels, side, side), of (samples, side, side) or (samples, side, side, channels)."""
    if images.ndim not in {3, 4} or images.shape[1] != images.shape[2]:
        return None
    return images[:, None] if images.ndim == 3 else np.moveaxis(images, -1, 1)


def _idx(path: Path) -> NDArray[np.uint8]:
    """The array of an IDX file of bytes: 0 0 8 and the number of axes, each length as four bytes, then the entries.

    Raises:
        DataError: it cannot be read, is no such file, or is too short, too long or too large.
    """
    try:
        with open_regular(path) as file:
            packed = file.read(2) == _PACKED
            file.seek(0)
            content = (gzip.GzipFile(fileobj=file) if packed else file).read(MOST // 8 + 1)
    except (OSError, EOFError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise DataError(f"{path}: cannot be read ({reason})") from None
    start = 4 + 4 * content[3] if content[:3] == b"\0\0\x08" and len(content) > 3 else len(content) + 1
    if len(content) < start:
        raise DataError(f"{path}: is no IDX file of bytes; expected .npz, or MNIST's own format")
    shape, there = tuple(np.frombuffer(content[4:start], ">u4").tolist()), len(content) - start
    if there != math.prod(shape):
        raise DataError(f"{path}: its shape {shape} asks for {math.prod(shape)} bytes and it has {there}")
    return np.frombuffer(content, np.uint8, offset=start).reshape(shape)
