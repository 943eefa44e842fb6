"""What the report's figures are drawn from: every number of them, measured by the papers that they are about."""

from __future__ import annotations

from dataclasses import dataclass

from resproof.proofs.beyond.figure_data import (
    DeepConditionNumbers,
    SpectrumGrowth,
    deep_condition_numbers,
    spectrum_growth,
)
from resproof.proofs.block.dense_hessians import ConditionNumbers, DenseSpectrum
from resproof.proofs.demystifying_resnet.figure_data import (
    ErrorCurve,
    ExactBlocks,
    LossSlice,
    NormCurve,
    SpherePath,
    condition_numbers,
    error_curves,
    exact_blocks,
    loss_slices,
    norm_curves,
    spectra,
    sphere_path,
)
from resproof.proofs.rethinking_skips.figure_data import HiddenCurve, hidden_curves
from resproof.proofs.statement import Context


@dataclass(frozen=True, slots=True)
class Figures:
    """What the figures are drawn from: all but the blocks are measured, on the data where it does not say otherwise.

    The data have this width and number. Some figures take their first components only, and say how many.
    """

    width: int
    samples: int
    blocks: tuple[ExactBlocks, ...] = ()
    condition_numbers: tuple[ConditionNumbers, ...] = ()
    spectra: tuple[DenseSpectrum, ...] = ()
    errors: tuple[ErrorCurve, ...] = ()
    norms: tuple[NormCurve, ...] = ()
    sphere: SpherePath | None = None
    deep_condition_numbers: tuple[DeepConditionNumbers, ...] = ()
    growth: SpectrumGrowth | None = None
    hidden: tuple[HiddenCurve, ...] = ()
    slices: tuple[LossSlice, ...] = ()


def figure_data(context: Context) -> Figures:
    """The data of every figure; what the data are too large for is left out."""
    return Figures(
        *context.data.X.shape,
        blocks=exact_blocks(),
        condition_numbers=condition_numbers(context),
        spectra=spectra(context),
        errors=error_curves(context),
        norms=norm_curves(context),
        sphere=sphere_path(context),
        deep_condition_numbers=deep_condition_numbers(context),
        growth=spectrum_growth(context),
        hidden=hidden_curves(context),
        slices=loss_slices(context),
    )


def no_figures(context: Context) -> Figures:
    """For statements that are not those of the papers, which the figures are about."""
    return Figures(*context.data.X.shape)
