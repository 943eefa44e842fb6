"""What every record is, and that of data, which several others hold."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

if TYPE_CHECKING:
    from resproof.proofs.statement import Data


def later(module: str, name: str) -> Any:
    """What shows a record rests on it, and is imported when the record is shown."""
    return getattr(import_module(f"resproof.reporting.{module}"), name)


class AsJson:
    """What is written as JSON."""

    __slots__ = ()

    def to_json(self) -> str:
        """Indented JSON that ends in a newline."""
        return f"{TypeAdapter(type(self)).dump_json(self, indent=2).decode()}\n"

    @classmethod
    def described(cls) -> str:
        """The JSON schema of `to_json`."""
        return f"{json.dumps(TypeAdapter(cls).json_schema(mode='serialization'), indent=2, sort_keys=True)}\n"


class Record(AsJson, BaseModel):
    """Plain data without extra keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, ser_json_inf_nan="strings")


class Excerpt(BaseModel):
    """Plain data of which the report reads a part; other keys may be there."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    @classmethod
    def all_in(cls, folder: Path) -> tuple[dict[str, Self], tuple[str, ...]]:
        """What the .json files of a folder hold, by their names; and the files that hold no such thing."""
        found: dict[str, Self] = {}
        unreadable: list[str] = []
        for path in sorted(folder.glob("*.json")):
            try:
                found[path.name] = cls.model_validate_json(path.read_bytes())
            except (OSError, ValidationError):
                unreadable.append(path.name)
        return found, tuple(unreadable)


class DataRecord(Record):
    """What the evidence ran on."""

    name: str
    shape: tuple[int, ...]

    @classmethod
    def of(cls, data: Data) -> DataRecord:
        """The name of the data and the shape of X."""
        return cls(name=data.name, shape=tuple(int(size) for size in data.X.shape))

    @property
    def shown(self) -> str:
        """The name and the shape."""
        return f"{self.name} ({' x '.join(map(str, self.shape))})"
