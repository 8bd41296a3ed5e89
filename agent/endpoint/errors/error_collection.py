"""Collects what an error says from all of its parts, as vendors and gateways wrap their errors.

`{"error": {"message": "too long", "code": 400}, "detail": [{"loc": ["body", "seed"]}]}` ->

    ErrorContents(messages=("too long",), codes=("400",), parameters=("body", "seed"))
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controlplane.agent.endpoint.errors.error_contents import ErrorContents
from controlplane.agent.endpoint.errors.error_parts import parts_of

MAX_MESSAGES: Final = 20
CODE_KEYS: Final = ("type", "status", "reason", "code")
"""Keys of an error object that may hold a code, such as `invalid_request_error` or 429."""


def contents_of(error: object) -> ErrorContents:
    """Return the contents of an error: a decoded JSON value, or a text that may be JSON."""
    messages: list[str] = []
    codes: list[str] = []
    parameters: list[str] = []
    for part in parts_of(error):
        if isinstance(part, dict):
            codes += codes_in(part)
            parameters += parameters_in(part)
        elif part and part not in messages and len(messages) < MAX_MESSAGES:
            messages.append(part)
    return ErrorContents(tuple(messages), tuple(codes), tuple(parameters))


def codes_in(error: Mapping[str, object]) -> list[str]:
    """Return the codes of one error object: `{"type": "busy", "code": 429}` has two."""
    values = [error.get(key) for key in CODE_KEYS]
    return [str(value) for value in values if isinstance(value, str | int)]


def parameters_in(error: Mapping[str, object]) -> list[str]:
    """Return the parameters that one error object names in `param`, or in FastAPI's `loc`."""
    names = [error.get("param")]
    location = error.get("loc")  # ["body", "max_tokens"]
    if isinstance(location, list | tuple):
        names += location
    return [name for name in names if isinstance(name, str)]
