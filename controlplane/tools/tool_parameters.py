"""The parameters of a tool, as scripts pass them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from controlplane.sandbox.interface import REQUIRED, Parameter, Plain
from controlplane.tools.script_names import is_adapted, script_name


@dataclass(frozen=True, slots=True)
class ToolParameters:
    """The parameters of a tool, each with a name that is valid in scripts."""

    in_scripts: tuple[Parameter, ...]
    """The parameters, with the required ones first."""
    own_names: Mapping[str, str]
    """The tool's own name of each parameter, by its name in scripts: `from_` -> `from`."""

    def own_arguments(self, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return a script's arguments with the tool's own names."""
        return {self.own_names[name]: value for name, value in arguments.items()}

    @classmethod
    def of_schema(
        cls, schema: Mapping[str, Any], limit: int | None = None
    ) -> ToolParameters:
        """Return the first `limit` parameters that a JSON schema declares.

        Anyone may have written the schema, so any part of it may have another type.
        """
        properties = _properties(schema, limit)
        required = _required(schema)
        names = _names_in_scripts(properties)
        first = []
        last = []
        own_names = {}
        for own_name, property_schema in properties.items():
            name = names[own_name]
            own_names[name] = str(own_name)
            full_schema = _full_schema(property_schema, schema)
            if own_name in required:
                first.append(Parameter(name, "any", REQUIRED, schema=full_schema))
            else:
                default = full_schema.get("default")
                last.append(Parameter(name, "any", default, schema=full_schema))
        return cls((*first, *last), own_names)


def _properties(schema: Mapping[str, Any], limit: int | None) -> dict[str, Any]:
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        return {}
    return dict(list(properties.items())[:limit])


def _required(schema: Mapping[str, Any]) -> set[str]:
    required = schema.get("required")
    return set(required) if isinstance(required, Iterable) else set()


def _full_schema(property_schema: object, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a property, with the definitions to which a `$ref` in it may refer."""
    full_schema: dict[str, Any] = {}
    if isinstance(property_schema, Mapping):
        full_schema.update(property_schema)
    for key in ("$defs", "definitions"):
        if schema.get(key):
            full_schema[key] = schema[key]
    return full_schema


def _names_in_scripts(own_names: Iterable[str]) -> dict[str, str]:
    """Return the name in scripts of each parameter: `from` -> `from_`.

    Parameters whose own names are valid get theirs first. So if there are both `from`
    and `from_`, the latter keeps its name.
    """
    taken: set[str] = set()
    names = {}
    for own_name in sorted(own_names, key=is_adapted):
        names[own_name] = script_name(str(own_name), taken)
    return names
