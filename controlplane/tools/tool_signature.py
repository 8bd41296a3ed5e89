"""The arguments of a tool, from a function's signature or a given schema.

For `def pay(amount: Decimal)`, the schema for prompts and the conversion of arguments both
come from the signature, by pydantic.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any, Final, get_type_hints

from pydantic import TypeAdapter

from controlplane.tools.schema_dialects import in_json_schema

SHOWN_VALUE_CHARS: Final = 200
UNNAMED_KINDS: Final = (
    inspect.Parameter.VAR_POSITIONAL,
    inspect.Parameter.VAR_KEYWORD,
    inspect.Parameter.POSITIONAL_ONLY,
)
"""Parameters that cannot be passed by name, as scripts do."""


def check_signature(tool: str, function: Callable[..., object]) -> None:
    """Raise `ValueError` if scripts cannot call a function."""
    if inspect.iscoroutinefunction(function):
        msg = f"the tool {tool} is async: give a function that returns its result"
        raise ValueError(msg)
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in UNNAMED_KINDS:
            msg = f"the tool {tool} takes {parameter}: name its parameters, or give it a schema"
            raise ValueError(msg)


def signature_schema(converter: TypeAdapter[Any]) -> Mapping[str, Any]:
    """Return the JSON schema of the arguments that an `argument_converter` takes."""
    schema = converter.json_schema()
    for property_schema in schema["properties"].values():
        property_schema.pop("title", None)
    return schema


def argument_converter(function: Callable[..., object]) -> TypeAdapter[Any]:
    """Return an adapter that converts arguments to the types in a function's signature.

    For `def pay(amount: Decimal)`, it converts `{"amount": 12.5}` to `{"amount":
    Decimal("12.5")}`. Pydantic's own adapter of a function would also call it. So this
    one is made for another function, with the same signature, that returns its arguments.
    """

    def return_arguments(**arguments: object) -> dict[str, object]:
        return arguments

    same_signature: Any = wraps(function)(return_arguments)
    # Annotations may be texts with names of the function's module, which pydantic does
    # not see. So put in the types themselves.
    same_signature.__annotations__ = get_type_hints(function, include_extras=True)
    return TypeAdapter(same_signature)


def given_schema(tool: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema that a tool was given, as JSON schema.

    Raises `ValueError` if it does not describe an object.
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
