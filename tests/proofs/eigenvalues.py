"""A spectrum as its eigenvalues one by one."""

from __future__ import annotations

import numpy as np

from resproof.proofs.block.spectrum import Spectrum
from resproof.reporting.spectrum_record import SpectrumRecord


def listed(found: Spectrum | SpectrumRecord | None) -> np.ndarray:
    """The eigenvalues in ascending order, each as often as it is one; distinct ones stand there once."""
    assert found is not None
    assert found.eigenvalues is not None
    values = [one.value for one in found.eigenvalues]
    assert values == sorted(set(values))
    return np.repeat(values, [one.multiplicity for one in found.eigenvalues])
