"""Reads the tool calls of a reply's message.

Some servers don't keep to the protocol: they leave out the inner object `function`, or send
the arguments as an object instead of JSON text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from controlplane.agent.endpoint.json_parts import objects_of, text_or_empty
from controlplane.agent.model import ToolCall


def function_calls(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the calls of a message, including the older field `function_call`.

    A call is `{"id": "c1", "function": {"name": "look", "arguments":
    "{}"}}`. Some servers leave out the inner object: `{"id": "c1", "name":
    "look", "arguments": "{}"}`.
    """
    calls = []
    for call in objects_of(message.get("tool_calls")):
        if isinstance(function_of(call), dict):
            calls.append(call)
    older_call = message.get("function_call")
    if isinstance(older_call, dict):
        calls.append({"function": older_call})
    return calls


def function_of(call: Mapping[str, Any]) -> Any:
    """Return what has a call's name and arguments: its `function`, or the call itself."""
    return call.get("function", call)


def tool_call(call: Mapping[str, Any]) -> ToolCall:
    """Return a call in our form, with the bare name of its tool."""
    function = function_of(call)
    arguments = function.get("arguments")
    if isinstance(arguments, dict | list):
        arguments = json.dumps(arguments)  # some servers send them decoded
    return ToolCall(
        name=bare_name(text_or_empty(function.get("name"))),
        arguments=text_or_empty(arguments),
        id=text_or_empty(call.get("id")),
    )


def bare_name(name: str) -> str:
    """Return the name of a tool without what some models add to it.

    look<|channel|>json  -> look
    functions.look       -> look
    functions.look:0     -> look
    """
    name = name.partition("<|")[0].strip().removeprefix("functions.")
    before_colon, _, number = name.rpartition(":")
    return before_colon if number.isdigit() else name
