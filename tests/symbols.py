"""The value of a symbol of the explicit route, from its name: tanh'(1/2*W1[1,1]), softmax2(0, 1), (3)^(-1/2)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import factorial
from typing import Any

import numpy as np

from resproof.architectures.nodes import Activation
from tests.reference import activate

_NAME = re.compile(r"[A-Za-z_]\w*(?:\[\d+,\d+\])?(?:'{1,2}|\^\((?P<order>\d+)\))?")
_NUMBER = re.compile(r"\d+(?:/\d+)?")


@dataclass
class Symbols:
    """Reads names; `known` are the values of symbols without arguments."""

    activations: Mapping[str, Activation]
    known: Callable[[str], float]

    def value(self, text: str) -> float:
        """The value of a symbol or of a polynomial in symbols."""
        found, rest = self._sum(text)
        if rest:
            raise ValueError(f"symbol {text!r}: cannot read {rest!r}")
        return found

    def _sum(self, text: str) -> tuple[float, str]:
        total, sign = 0.0, 1.0
        if text.startswith("-"):
            sign, text = -1.0, text[1:]
        while True:
            product, text = self._factor(text)
            while text.startswith("*"):
                factor, text = self._factor(text[1:])
                product *= factor
            total += sign * product
            if text[:3] not in {" + ", " - "}:
                return total, text
            sign, text = (1.0 if text[1] == "+" else -1.0), text[3:]

    def _factor(self, text: str) -> tuple[float, str]:
        found, rest = self._atom(text)
        power = re.match(r"\^(\d+)", rest)
        return (found ** int(power[1]), rest[power.end() :]) if power else (found, rest)

    def _atom(self, text: str) -> tuple[float, str]:
        if number := _NUMBER.match(text):
            top, _, bottom = number[0].partition("/")
            return int(top) / int(bottom or 1), text[number.end() :]
        if text.startswith("("):
            inside, rest = self._sum(text[1:])
            assert rest.startswith(")^(-1/2)"), rest
            return inside**-0.5, rest.removeprefix(")^(-1/2)")
        name = _NAME.match(text)
        if name is None:
            raise ValueError(f"symbol: cannot read {text!r}")
        rest = text[name.end() :]
        if not rest.startswith("("):
            return self.known(name[0]), rest
        arguments: list[float] = []
        while rest[0] in "(,":
            argument, rest = self._sum(rest.removeprefix("(").removeprefix(", "))
            arguments.append(argument)
        return self._function(name[0], int(name["order"] or name[0].count("'")), arguments), rest[1:]

    def _function(self, name: str, order: int, arguments: list[float]) -> float:
        base = name.rstrip("'").partition("^")[0]
        if base == "log":
            return math.log(arguments[0])
        if base == "phi":
            return math.exp(-(arguments[0] ** 2) / 2) / math.sqrt(2 * math.pi)
        if base in self.activations:
            point: list[Any] = [np.array(arguments[0]), np.array(1.0), *[None] * order][: order + 1]
            found = activate(self.activations[base], point)[order]
            return 0.0 if found is None else float(found) * factorial(order)
        assert base.startswith("softmax"), name
        e = [math.exp(a - max(arguments)) for a in arguments]
        return e[int(base.removeprefix("softmax")) - 1] / sum(e)
