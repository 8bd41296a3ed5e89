"""The parameters of a tool, as scripts pass them.

A tool declares its parameters by a JSON schema. Scripts pass them as arguments of a
Python call, so a parameter such as `from` needs another name there: `from_`.
"""

from __future__ import annotations

import keyword
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from controlplane.sandbox.interface import REQUIRED, Parameter, Plain

# Names in scripts: a tool or an argument with any name gets a Python identifier.
#
# Tools may come from elsewhere, with names that Python does not allow: scripts call
# `get-order` as `harness.get_order(...)`, and pass its argument `from` as `from_=...`.

_MAX_NAME_CHARS: Final = 60
"""A longer name is cut, so that it takes little room in scripts and prompts."""
_NAME_OF_NOTHING: Final = "tool"
"""The name for a text without a letter or digit."""


def plain_name(text: str) -> str:
    """Return a text as ASCII letters, digits and underscores: `get-order` -> `get_order`.

    It has no underscore at its beginning, since scripts may not use such names.
    """
    characters = []
    for character in text:
        is_plain = character.isascii() and character.isalnum()
        characters.append(character if is_plain else "_")
    plain = "".join(characters)[:_MAX_NAME_CHARS].lstrip("_")
    return plain or _NAME_OF_NOTHING


def is_adapted(name: object) -> bool:
    """Return True if a name has characters that scripts cannot use, such as `get-order`."""
    return plain_name(str(name)) != name


def script_name(
    text: str, taken: Collection[str] = (), reserved: Collection[str] = ()
) -> str:
    """Return a name like `text` that is valid in scripts, and is neither reserved nor taken.

    - `2fa` -> `t_2fa`, since a name cannot begin with a digit.
    - `from` -> `from_`, since it is a keyword of Python.
    - `answer` -> `answer_` if it is reserved.
    - `get-order` -> `get_order_2` if `get_order` is taken.
    """
    plain = plain_name(text)
    if plain[0].isdigit():
        plain = f"t_{plain}"
    elif keyword.iskeyword(plain):
        plain = f"{plain}_"

    name = f"{plain}_" if plain in reserved else plain
    number = 2
    while name in taken:
        name = f"{plain}_{number}"
        number += 1
    return name


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
