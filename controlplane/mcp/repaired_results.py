"""Repairs messages of MCP servers that the client would refuse.

The client refuses a whole result if a part of it does not have the protocol's form. Two
such faults are common, and are repaired before the client sees them:

- A listed tool does not have the form: the tool is left out, and the other tools stay.
- Structured content is not an object but, for example, a list: it is wrapped in an object.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from threading import Event
from typing import Any, Final

from pydantic import ValidationError

from controlplane.mcp.server_texts import line_of

MAX_NAME_CHARS: Final = 60
"""The name of a tool that is left out is cut to this length."""
LISTING_VERSION: Final = "2025-11-25"
"""The version of the protocol that listed tools are checked against."""
WRAPPED: Final = "controlplane:value"
"""The field that holds structured content which had to be wrapped in an object."""


@asynccontextmanager
async def with_repaired_results(
    transport: Any, on_left_out: Callable[[str], None], ended: Event
) -> AsyncIterator[Any]:
    """Yield the streams of a transport, with results repaired so that the client accepts them.

    `on_left_out` is called with the name of each tool that is left out. `ended` is set
    when the server's stream ends.
    """
    import anyio

    async def repair_messages(from_server: Any, to_client: Any) -> None:
        async with to_client:
            async for message in from_server:
                _repair(message, on_left_out)
                await to_client.send(message)
            ended.set()

    # A transport yields the stream of the server's messages, and further streams.
    async with (
        transport as (from_server, *other_streams),
        anyio.create_task_group() as group,
    ):
        to_client, repaired_messages = anyio.create_memory_object_stream[Any]()
        group.start_soon(repair_messages, from_server, to_client)
        yield (repaired_messages, *other_streams)
        group.cancel_scope.cancel()


def _repair(message: Any, on_left_out: Callable[[str], None]) -> None:
    """Repair a message that is the reply to a request, so that the client accepts it.

    Other messages are unchanged.
    """
    # The SDK wraps a message in an object with the field `message`. Only a reply has
    # the field `result`. The stream may also contain exceptions, which have neither.
    reply = getattr(message, "message", None)
    result = getattr(reply, "result", None)
    if not isinstance(result, dict):
        return
    tools = result.get("tools")
    if isinstance(tools, list):
        result["tools"] = _valid_tools(tools, on_left_out)
    structured = result.get("structuredContent")
    if structured is not None and not isinstance(structured, dict):
        result["structuredContent"] = {WRAPPED: structured}


def _valid_tools(tools: list[Any], on_left_out: Callable[[str], None]) -> list[Any]:
    """Return the listed tools that have the protocol's form."""
    valid_tools = []
    for tool in tools:
        if _is_valid(tool):
            valid_tools.append(tool)
        else:
            name = tool.get("name") if isinstance(tool, dict) else None
            on_left_out(line_of(str(name or "?"), MAX_NAME_CHARS))
    return valid_tools


def _is_valid(tool: object) -> bool:
    """Return True if a listed tool has the protocol's form."""
    from mcp_types.methods import validate_server_result

    try:
        validate_server_result("tools/list", LISTING_VERSION, {"tools": [tool]})
    except ValidationError:
        return False
    return True


def unwrapped(structured: Any) -> Any:
    """Return structured content as the server sent it, before it was wrapped."""
    if isinstance(structured, dict) and structured.keys() == {WRAPPED}:
        return structured[WRAPPED]
    return structured
