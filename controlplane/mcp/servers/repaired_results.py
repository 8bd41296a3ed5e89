"""Repairs messages of MCP servers that the client would refuse.

The client refuses a whole result if a part of it does not have the protocol's form. Two
such faults are common, and are repaired before the client sees them:

- A listed tool does not have the form: the tool is left out, and the other tools stay.
- Structured content is not an object but, for example, a list: it is wrapped in an object.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

from pydantic import ValidationError

from controlplane.mcp.servers.server_texts import line_of

MAX_NAME_CHARS: Final = 60
"""The name of a tool that is left out is cut to this length."""
LISTING_VERSION: Final = "2025-11-25"
"""The version of the protocol that listed tools are checked against."""
WRAPPED: Final = "controlplane:value"
"""The field that holds structured content which had to be wrapped in an object."""


class RepairedMessages:
    """The messages of one server, repaired on their way to the client."""

    def __init__(self) -> None:
        self.left_out: list[str] = []
        """The names of listed tools that do not have the protocol's form."""
        self.have_ended = False
        """True when the server sends no more messages, since it has ended."""

    @asynccontextmanager
    async def streams(self, transport: Any) -> AsyncIterator[Any]:
        """Yield the streams of a transport, with the server's messages repaired."""
        import anyio

        async def repair_messages(from_server: Any, to_client: Any) -> None:
            async with to_client:
                async for message in from_server:
                    self.left_out += _repair_reply(message)
                    await to_client.send(message)
                self.have_ended = True

        # A transport yields the stream of the server's messages, and further streams.
        async with (
            transport as (from_server, *other_streams),
            anyio.create_task_group() as group,
        ):
            to_client, repaired = anyio.create_memory_object_stream[Any]()
            group.start_soon(repair_messages, from_server, to_client)
            yield (repaired, *other_streams)
            group.cancel_scope.cancel()


def _repair_reply(message: Any) -> list[str]:
    """Repair both faults in a message of a server, if it has them.

    This changes the message. Returns the names of the listed tools that were left out: `["search"]`.
    """
    # 1. Only the reply to a request may have them. The SDK wraps a message in an object with
    #    the field `message`, and only a reply has the field `result`. The stream may also
    #    contain exceptions, which have neither.
    reply = getattr(message, "message", None)
    result = getattr(reply, "result", None)
    if not isinstance(result, dict):
        return []

    # 2. Wrap structured content that is not an object. `unwrapped` undoes that.
    structured = result.get("structuredContent")
    if structured is not None and not isinstance(structured, dict):
        result["structuredContent"] = {WRAPPED: structured}

    # 3. Leave out listed tools that do not have the protocol's form.
    tools = result.get("tools")
    if not isinstance(tools, list):
        return []
    valid_tools = []
    left_out = []
    for tool in tools:
        if _is_valid(tool):
            valid_tools.append(tool)
        else:
            left_out.append(_name_of(tool))
    result["tools"] = valid_tools
    return left_out


def _name_of(tool: Any) -> str:
    """Return the name of a tool that may have any form; `?` if it has no name."""
    name = tool.get("name") if isinstance(tool, dict) else None
    return line_of(str(name or "?"), MAX_NAME_CHARS)


def _is_valid(tool: object) -> bool:
    """Return True if a listed tool has the protocol's form: a name, and an `inputSchema`."""
    from mcp_types.methods import validate_server_result

    try:
        validate_server_result("tools/list", LISTING_VERSION, {"tools": [tool]})
    except ValidationError:
        return False
    return True


def unwrapped(structured: Any) -> Any:
    """Return structured content as the server sent it: `{"controlplane:value": [1, 2]}` -> `[1, 2]`."""
    if isinstance(structured, dict) and structured.keys() == {WRAPPED}:
        return structured[WRAPPED]
    return structured
