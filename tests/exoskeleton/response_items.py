"""Replies of OpenAI's Responses API, which are lists of items: thoughts and calls of tools.

`response(THOUGHT, function_call("read_0", "read", path="/a.md"))` is the HTTP response with a thought
and a call of the tool `read`.
"""

import json
from collections.abc import Mapping

from tests.support.endpoints import http_response

THOUGHT = {
    "type": "reasoning",
    "id": "r1",
    "summary": [],
    "encrypted_content": "sealed",
}
"""A thought of the model. The server encrypts it, and wants it back in the next request."""

USAGE = {
    "input_tokens": 900,
    "output_tokens": 7,
    "input_tokens_details": {"cached_tokens": 500},
}
"""How many tokens each reply says that it has used."""


def response(*items: Mapping[str, object]) -> bytes:
    """Return a reply of the Responses API with these items: thoughts and calls."""
    body = {
        "object": "response",
        "status": "completed",
        "output": items,
        "usage": USAGE,
    }
    return http_response(200, json.dumps(body))


def function_call(call_id: str, name: str, **arguments: object) -> dict[str, object]:
    """Return a call of a tool as an item of a reply."""
    return {
        "type": "function_call",
        "call_id": call_id,
        "name": name,
        "arguments": json.dumps(arguments),
    }
