"""The key under which the reply to a request is kept, so that the same request costs only once.

The key is a hash of all that shapes the reply: the request, and the settings of the model, such
as `{"model": "gpt-5-mini", "temperature": 0.2}`. With another temperature, the key is another.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Final

from pydantic import BaseModel

from controlplane.agent.model.model_request import ModelRequest

CACHE_VERSION: Final = 1
"""The version of a cache's keys and files. It is a part of each
key, so replies that another version kept are not found."""


def key_of_request(request: ModelRequest, settings: Mapping[str, object]) -> str:
    """Return the key of a request's reply: a hash of the request and the model's settings."""
    key_parts = [
        CACHE_VERSION,
        dict(settings),
        request.try_number,
        request.messages,
        request.role,
        request.schema,
        request.tools,
        request.tool_choice,
        request.min_temperature,
    ]
    # `json.dumps` escapes lone surrogates, which UTF-8 cannot encode.
    text = json.dumps(key_parts, sort_keys=True, default=_plain)
    return hashlib.sha256(text.encode()).hexdigest()


def _plain(value: object) -> object:
    """Return a value that JSON can hold: the fields of a `Tool`, or else the value as text."""
    return value.model_dump() if isinstance(value, BaseModel) else str(value)
