"""The arguments of a tool, from its function's signature.

For `def pay(amount: Decimal)`, the schema for prompts and the conversion of arguments both
come from the signature, by pydantic.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Final, get_type_hints

from pydantic import TypeAdapter

UNNAMED_KINDS: Final = (
    inspect.Parameter.VAR_POSITIONAL,
    inspect.Parameter.VAR_KEYWORD,
    inspect.Parameter.POSITIONAL_ONLY,
)
"""Parameters that cannot be passed by name, as scripts do."""


def check_signature(tool: str, function: Callable[..., object]) -> None:
    """Raise `ValueError` if scripts cannot call a function, since it is async, or has `*args`.

    `tool` is the tool's name, for the message.
    """
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
