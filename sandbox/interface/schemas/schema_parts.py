"""The parts of a JSON schema. A part that has another form than a schema may have is left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from controlplane.sandbox.interface import bounds

Schema: TypeAlias = Mapping[str, Any]


def type_names(schema: Schema) -> list[str]:
    """Return the names of the types that a schema allows; empty if the schema does not say."""
    declared = schema.get("type")
    if isinstance(declared, str):
        return [declared]
    if isinstance(declared, list):
        return [str(name) for name in declared]
    return []


def alternatives(schema: Schema) -> list[Any]:
    """Return the schemas of `anyOf` or `oneOf`; empty if there are none."""
    declared = schema.get("anyOf") or schema.get("oneOf")
    return declared if isinstance(declared, list) else []


def allowed_values(schema: Schema) -> list[Any] | None:
    """Return the values of `enum` or `const`; None if the schema does not list values."""
    if "enum" in schema:
        declared = schema["enum"]
        return declared if isinstance(declared, list) else None
    if "const" in schema:
        return [schema["const"]]
    return None


def resolved(schema: Any, root: Schema, level: int = 0) -> Schema:
    """Return the schema that a reference stands for; any other schema as it is.

    `{"$ref": "#/$defs/Size"}` stands for `root["$defs"]["Size"]`. Anything other than a
    schema becomes `{}`, which accepts every value.
    """
    if not isinstance(schema, Mapping):
        return {}
    reference = schema.get("$ref")
    if not isinstance(reference, str) or level > bounds.MOST_LEVELS:
        return schema
    if not reference.startswith(("#/$defs/", "#/definitions/")):
        # `root` is the schema of one parameter. Of its tool's whole schema, it has only
        # the definitions, so another reference cannot be followed.
        return {}

    target: Any = root
    for key in reference.removeprefix("#/").split("/"):
        target = target.get(key, {}) if isinstance(target, Mapping) else {}
    return resolved(target, root, level + 1)


def declared_keys(schema: Schema) -> Mapping[str, Any]:
    """Return the schemas of the keys that a schema declares, by key."""
    declared = schema.get("properties")
    return declared if isinstance(declared, Mapping) else {}


def schema_of_further_keys(schema: Schema) -> Any:
    """Return the schema of keys that are not declared.

    False forbids such keys; None means that any value is accepted.
    """
    if "patternProperties" in schema:
        return None
    return schema.get("additionalProperties")
