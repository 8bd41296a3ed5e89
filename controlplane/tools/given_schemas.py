"""A tool's arguments as a schema that the tool was given, instead of its function's signature.

The schema may be a JSON schema, or a whole tool definition in the form of a model's API.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from controlplane.tools.schema_dialects import in_json_schema

SHOWN_VALUE_CHARS: Final = 200


def given_schema(tool: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema that a tool was given, as JSON schema: the type `float` becomes `number`.

    `tool` is its name, for the message. Raises `ValueError` if it does not describe an object.
    """
    try:
        schema = in_json_schema(given)
    except ValueError as error:
        msg = f"the schema of the tool {tool}: {error}"
        raise ValueError(msg) from None
    is_object = schema.get("type", "object") == "object" and "$ref" not in schema
    if is_object and isinstance(schema.get("properties", {}), Mapping):
        return schema
    shown = repr(given)[:SHOWN_VALUE_CHARS]
    msg = f"the schema of the tool {tool} describes no object of arguments: {shown}"
    raise ValueError(msg)


def plain_schema(tool: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a schema as JSON holds it. The journal and the prompt contain it.

    `tool` is its name, for the message. Raises `ValueError` if a value in it is not JSON, such as a
    set, or contains itself.
    """
    try:
        copy: dict[str, Any] = json.loads(json.dumps(given, default=_as_dict))
    except (TypeError, ValueError) as error:
        msg = f"the schema of the tool {tool} is not JSON: {error}"
        raise ValueError(msg) from None
    except RecursionError:
        msg = f"the schema of the tool {tool} is nested too deeply"
        raise ValueError(msg) from None
    return copy


def _as_dict(value: object) -> dict[Any, Any]:
    """Return a mapping that is not a dict as one. Raises `TypeError` for anything else."""
    if isinstance(value, Mapping):
        return dict(value)
    msg = f"it has a {type(value).__name__}"
    raise TypeError(msg)


@dataclass(frozen=True, slots=True)
class ApiTool:
    """A tool definition in the form of a model's API."""

    name: str
    description: str
    schema: Mapping[str, Any]

    @classmethod
    def of(cls, schema: Mapping[str, Any]) -> ApiTool | None:
        """Return the tool definition in `schema`, or None if `schema` is a JSON schema.

        OpenAI's forms are `{"function": {"name", "description", "parameters"}}`
        and the inner mapping alone. Anthropic's form has `input_schema`
        in place of `parameters`.
        """
        function = schema.get("function")
        definition = function if isinstance(function, Mapping) else schema
        parameters = definition.get("parameters", definition.get("input_schema"))
        if not isinstance(parameters, Mapping):
            return None
        name = definition.get("name", "")
        return cls(name, definition.get("description") or "", parameters)
