"""Converts JSON schemas of other benchmarks, which use Python's type names (`dict`, `float`).

`{"type": "dict"}` becomes `{"type": "object"}`, as JSON Schema has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

JSON_TYPES: Final = (
    "array",
    "boolean",
    "integer",
    "null",
    "number",
    "object",
    "string",
)
TYPES_OF_DIALECTS: Final[Mapping[str, str]] = {
    "bool": "boolean",
    "dict": "object",
    "double": "number",
    "float": "number",
    "int": "integer",
    "list": "array",
    "none": "null",
    "str": "string",
    "tuple": "array",
}
"""The type of JSON Schema for each type name of another dialect, in lower case."""
UNTYPED: Final = ("any", "")
"""Type names that allow any value."""
MAX_LEVELS: Final = 50
"""The number of nested levels of a schema that are read. The arguments of no tool need more."""

MAPPINGS_OF_SCHEMAS: Final = ("properties", "patternProperties", "$defs", "definitions")
LISTS_OF_SCHEMAS: Final = ("anyOf", "oneOf", "allOf", "prefixItems")
SINGLE_SCHEMAS: Final = ("items", "additionalProperties", "not")


def in_json_schema(schema: Mapping[str, Any], level: int = 0) -> dict[str, Any]:
    """Return a schema with the types of JSON Schema. Raises `ValueError` for an unknown type."""
    if level > MAX_LEVELS:
        msg = f"a schema has at most {MAX_LEVELS} levels"
        raise ValueError(msg)
    translated = dict(schema)
    if "type" in schema:
        names = _type_names(schema["type"])
        del translated["type"]
        if names:
            translated["type"] = names[0] if len(names) == 1 else names

    for key in MAPPINGS_OF_SCHEMAS:
        if isinstance(schema.get(key), Mapping):
            parts = {name: _part(part, level) for name, part in schema[key].items()}
            translated[key] = parts
    for key in LISTS_OF_SCHEMAS:
        if isinstance(schema.get(key), list):
            translated[key] = [_part(part, level) for part in schema[key]]
    for key in SINGLE_SCHEMAS:
        if key in schema:
            translated[key] = _part(schema[key], level)
    return translated


def _part(part: Any, level: int) -> Any:
    """Return a part of a schema in the types of JSON Schema; `true` and `false` as they are."""
    return in_json_schema(part, level + 1) if isinstance(part, Mapping) else part


def _type_names(type_value: Any) -> list[str]:
    """Return the names of JSON Schema for a `type`; an empty list if every value is allowed."""
    given_names = type_value if isinstance(type_value, list) else [type_value]
    names = []
    for given_name in given_names:
        folded = str(given_name).strip().casefold()
        if folded in UNTYPED:
            return []
        name = TYPES_OF_DIALECTS.get(folded, folded)
        if name not in JSON_TYPES:
            known = ", ".join(JSON_TYPES)
            msg = f"the type {given_name!r} is not one of JSON Schema: {known}"
            raise ValueError(msg)
        names.append(name)
    return names
