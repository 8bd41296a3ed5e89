"""A tool's arguments as a schema that the tool was given, instead of its function's signature.

The schema may be a JSON schema, or a whole tool definition in the form of a model's API.
"""

from __future__ import annotations

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
