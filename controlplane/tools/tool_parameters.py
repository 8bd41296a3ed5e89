"""The parameters of a tool, as scripts pass them.

A tool declares its parameters by a JSON schema. Scripts pass them as arguments of a
Python call, so a parameter such as `from` needs another name there: `from_`.
"""

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

    def with_own_names(self, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return a script's arguments with the tool's own names: `from_` -> `from`."""
        return {self.own_names[name]: value for name, value in arguments.items()}

    @classmethod
    def of_schema(
        cls, schema: Mapping[str, Any], limit: int | None = None
    ) -> ToolParameters:
        """Return the parameters that a JSON schema declares; of many only the first `limit`.

        `{"properties": {"id": {"type": "integer"}}, "required": ["id"]}` declares one.
        Anyone may have written the schema, so any part of it may have another type.
        """
        properties = _properties(schema, limit)
        required_names = _required_names(schema)
        names_in_scripts = _names_in_scripts(properties)
        required = []
        optional = []
        own_names = {}
        for own_name, property_schema in properties.items():
            name = names_in_scripts[own_name]
            own_names[name] = str(own_name)
            # The type `any` checks nothing. The schema is checked instead.
            full_schema = _full_schema(property_schema, schema)
            if own_name in required_names:
                required.append(Parameter(name, "any", REQUIRED, schema=full_schema))
            else:
                default = full_schema.get("default")
                optional.append(Parameter(name, "any", default, schema=full_schema))
        return cls((*required, *optional), own_names)


def _properties(schema: Mapping[str, Any], limit: int | None) -> dict[str, Any]:
    """Return the schemas of the first parameters by name; none if that part is malformed."""
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        return {}
    return dict(list(properties.items())[:limit])


def _required_names(schema: Mapping[str, Any]) -> set[str]:
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

    Parameters whose own names are valid get theirs first. So if there are both `to-do`
    and `to_do`, the latter keeps its name, and the former is `to_do_2`.
    """
    taken: set[str] = set()
    names = {}
    for own_name in sorted(own_names, key=is_adapted):
        name = script_name(str(own_name), taken)
        names[own_name] = name
        taken.add(name)
    return names
