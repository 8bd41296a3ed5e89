"""Reads the tool calls in a model's reply.

They are native calls, in a field of the protocol, or JSON in the reply's text:
`{"calls": [{"name": "read", "arguments": {"path": "/docs/a.md"}}]}`
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from controlplane.agent.events import ModelReplied
from controlplane.agent.exoskeleton.replies.reply_objects import objects_of
from controlplane.agent.exoskeleton.replies.written_call import written_call
from controlplane.agent.model import ToolCall, object_schema

CALLS_SCHEMA: Final = object_schema(
    {
        "calls": {
            "type": "array",
            "items": object_schema(
                {"name": {"type": "string"}, "arguments": {"type": "object"}}
            ),
        }
    }
)
"""The JSON schema of a reply with calls as text, for endpoints without native tool calls."""


def calls_of(replied: ModelReplied) -> Sequence[ToolCall]:
    """Return the calls of a reply in order.

    A reply that was cut off at the length limit has none, because its last call may
    lack arguments.
    """
    if replied.finish_reason == "length":
        return ()
    if replied.tool_calls:
        return replied.tool_calls

    calls = []
    for value in _possible_calls(replied.reply):
        call = written_call(value)
        if call is not None:
            calls.append(call)
    return calls


def _possible_calls(reply: str) -> Sequence[object]:
    """Return the JSON values in a reply's text that may be calls.

    They are the items of `{"calls": [{...}, {...}]}`, and objects after it are examples. If
    the text does not begin with this form, each object in it may be a call.
    """
    objects = objects_of(reply)
    if objects:
        calls = objects[0].get("calls")
        if isinstance(calls, list):
            return calls
    return objects
