"""The parameters of a declared call: `Parameter("path", "str")`, `Parameter("limit", "int", 20)`.

A script passes arguments by place or name, as in Python. Their types are declared by name, since
prompts, schemas and the checks of arguments all need them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from controlplane.sandbox.interface.plain_data import Plain

# Parameters


class Required:
    """The type of `REQUIRED`, the default of a parameter that every call must pass."""

    def __repr__(self) -> str:
        return "REQUIRED"


REQUIRED: Final = Required()


TYPES: Final[Mapping[str, Mapping[str, Any]]] = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "bool": {"type": "boolean"},
    "list[str]": {"type": "array", "items": {"type": "string"}},
}
"""The JSON schemas of the types that have a short name."""


class Parameter(NamedTuple):
    """One parameter of an operation, passed by position or by name."""

    name: str
    type: str
    """One of `TYPES`. With any other text, only `schema` decides which values are accepted."""
    default: Plain | Required = REQUIRED
    schema: Mapping[str, Any] | None = None
    """The JSON schema that prompts show and a value must fit; None for the schema of `type`."""

    @property
    def is_required(self) -> bool:
        """True if every call must pass it."""
        return self.default is REQUIRED

    @property
    def json_schema(self) -> Mapping[str, Any]:
        """Its own schema, or that of its type; empty if every value is accepted."""
        return self.schema or TYPES.get(self.type, {})

    @property
    def description(self) -> str:
        """The description in its schema, on one line; may be empty."""
        schema = self.schema or {}
        words = str(schema.get("description", "")).split()
        return " ".join(words)


CHECK: Final = Parameter("check", "bool", False)
"""An argument that scripts may pass to every operation with an exit code,
so that the call raises if the exit code is not 0. The environment never sees it."""
