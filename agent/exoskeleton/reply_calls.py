"""Reads the tool calls in a model's reply.

They are native calls, in a field of the protocol, or JSON in the reply's text:
`{"calls": [{"name": "read", "arguments": {"path": "/docs/a.md"}}]}`
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from controlplane.agent.events import ModelReplied
from controlplane.agent.model import ToolCall, object_schema
from controlplane.agent.reply.object_text import read_object
from controlplane.agent.reply.thinking_text import without_thoughts
from controlplane.agent.reply.wrapped_action import WRITTEN_ARGUMENTS
from controlplane.agent.reply.written_objects import objects_in
from controlplane.sandbox.interface import bounds

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
    for entry in _call_entries(replied.reply):
        call = _written_call(entry)
        if call is not None:
            calls.append(call)
    return calls


def _call_entries(reply: str) -> Sequence[object]:
    """Return the JSON values in a reply's text that may be calls.

    They are the items of `{"calls": [{...}, {...}]}`, and objects after it are examples. If
    the text does not begin with this form, each object in it may be a call.
    """
    objects = _objects_in_reply(reply)
    if objects:
        calls = objects[0].get("calls")
        if isinstance(calls, list):
            return calls
    return objects


def _written_call(entry: object) -> ToolCall | None:
    """Return the call that a JSON value describes; None if it describes none.

    Models use several forms. These are the same call:

        {"name": "read", "arguments": {...}}
        {"tool": "read", "parameters": {...}}
        {"function": {"name": "read", "arguments": "..."}}
    """
    if not isinstance(entry, dict):
        return None
    function = entry.get("function")
    fields = function if isinstance(function, dict) else entry
    name = fields.get("name") or fields.get("tool")
    if not isinstance(name, str) or not name:
        return None
    arguments = _written_arguments(fields)
    if arguments is None:
        return None
    return ToolCall(name=name, arguments=arguments)


def _written_arguments(fields: Mapping[str, Any]) -> str | None:
    """Return the arguments in the fields of a written call, as the text of a JSON object.

    {"tool": "read", "parameters": {"path": "/docs/a.md"}} -> '{"path": "/docs/a.md"}'

    None if they are missing or null, as in an example or a template of a call.
    """
    for spelling in WRITTEN_ARGUMENTS:  # `arguments`, `parameters` ...
        if spelling not in fields:
            continue
        arguments = fields[spelling]
        if arguments is None or isinstance(arguments, str):
            return arguments
        return json.dumps(arguments)
    return None


def arguments_of(call: ToolCall) -> dict[str, Any]:
    """Return the arguments of a call by name. Raises `TypeError` if they are not a JSON object.

    The text should be an object: `{"path": "/docs/a.md"}`. Some models write something around
    it, such as a code fence; then the first object in the text counts.
    """
    arguments = read_object(call.arguments or "{}")
    if arguments is None:
        arguments = object_of(call.arguments)
    if arguments is None:
        msg = f"its arguments are no JSON object: {call.arguments[:80]}"
        raise TypeError(msg)
    return arguments


def object_of(text: str) -> dict[str, Any] | None:
    """Return the first JSON object in a model's text; None if it has none."""
    objects = _objects_in_reply(text)
    return objects[0] if objects else None


def _objects_in_reply(text: str) -> list[dict[str, Any]]:
    """Return the JSON objects in a reply, except objects in its thinking."""
    answer = without_thoughts(text[: bounds.MOST_PARSED_CHARS])
    return [written.fields for written in objects_in(answer) if written.fields]
