"""Blocks of odd shapes: width one, vectors, rows and scalars, random or not."""

from __future__ import annotations

from resproof.architectures.activations import tanh
from resproof.architectures.nodes import Expression, Input, Weight
from resproof.architectures.values import normal


def odd_blocks() -> dict[str, Expression]:
    one, h = Input(1), Input("d")
    return {
        "two gates at width one": one + Weight(1, 1, name="v") * (Weight(1, 1, name="w") * one),
        "random vector": h + Weight("d", name="b") * tanh(Weight("d", initial=normal("1/d"), name="c") * h),
        "random row": h + Weight("d", name="b") @ tanh(Weight(1, "d", initial=normal("1/d"), name="c") @ h),
        "random scalar": h + Weight(1, 1, name="a") * tanh(Weight(1, 1, initial=normal(1), name="s") * h),
        "width one": one + Weight(1, "k", name="a") @ tanh(Weight("k", 1, initial=normal(1), name="s") @ one),
    }
