"""An MCP server that offers tools to a client: it lists tools, makes calls, and asks the user."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from itertools import count
from typing import TYPE_CHECKING, Any

from controlplane.agent.model import Tool
from controlplane.mcp.serving.approval_form import input_required
from controlplane.mcp.serving.protocol_forms import (
    listed_tool,
    protocol_result,
    refusal,
)
from controlplane.mcp.serving.running_call import MakeCall, RunningCall
from controlplane.sandbox.interface import bounds

if TYPE_CHECKING:
    from mcp import types
    from mcp.server.lowlevel import Server


@dataclass(frozen=True, slots=True)
class ServerOffer:
    """The tools, prompts and resources that a server offers to its clients."""

    tools: Sequence[Tool]
    instructions: str
    reading: Container[str] = ()
    """The names of the tools that change nothing."""
    handlers: Mapping[str, Any] | None = None
    """The handlers of prompts and resources, as the SDK's server takes them."""


def offered_server(offer: ServerOffer, make_call: MakeCall) -> Server[Any]:
    """Return an MCP server with these tools.

    `make_call` makes the calls of its clients. While a call runs, a client that asks for
    progress is told the elapsed seconds.
    """
    from mcp.server.lowlevel import Server

    handlers = _ToolHandlers(offer, make_call)
    return Server(
        "controlplane",
        version=version("grounded-control-plane"),
        instructions=offer.instructions,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        **(offer.handlers or {}),
    )


class _ToolHandlers:
    """Answers a client's requests about tools.

    A call may need the approval of the client's user.
    With recent clients, this takes two requests:

    1. The client calls a tool. The reply is a question for the user, with a random `state`.
    2. The client calls the tool again, with the user's answer and the same state, by
       which the waiting call is found in `self.asking`. The reply is the result, or the
       next question.
    """

    def __init__(self, offer: ServerOffer, make_call: MakeCall) -> None:
        self.offer = offer
        self.make_call = make_call
        self.free_places = asyncio.Semaphore(bounds.MOST_PENDING_MCP_CALLS)
        """Limits the calls that run at once. Each takes a place until it is over. If all
        places are taken, the semaphore is locked."""
        self.asking: dict[str, RunningCall] = {}
        """The calls whose questions wait for an answer of the client's user, by their states.

        A question that is not answered in time counts as refused, and its call goes on. The
        call stays here: by a late answer, its client still gets the result.
        """

    async def list_tools(self, *_: Any) -> types.ListToolsResult:
        """Return the tools, with the hint which of them change nothing."""
        from mcp import types

        tools = []
        for tool in self.offer.tools:
            only_reads = tool.name in self.offer.reading
            tools.append(listed_tool(tool, only_reads=only_reads))
        return types.ListToolsResult(tools=tools)

    async def call_tool(
        self, context: Any, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Make a call, or continue a call whose question the client's user has answered."""
        if params.request_state:
            running = self.asking.pop(params.request_state, None)
            if running is None:
                return refusal("nothing waits for this answer any more")
            running.approval.take_answer(params.input_responses or {})
        elif self.free_places.locked():
            return refusal(
                f"{bounds.MOST_PENDING_MCP_CALLS} calls are under way: wait for their results"
            )
        else:
            running = RunningCall.of_request(context, params)
            running.start(self.make_call, self.free_places)  # takes a place

        question = await _question_or_end(context, params.name, running)
        if question is None:
            return protocol_result(running.result())
        state = secrets.token_urlsafe(24)
        self.asking[state] = running
        return input_required(question, state)


async def _question_or_end(context: Any, tool: str, running: RunningCall) -> str | None:
    """Wait until a running call has a question for the client's user, or is over.

    Returns the question, or None when the call is over. Meanwhile, the client is told every second
    that the call of `tool` is at work. If the client cancels its request, the call is cancelled.
    """
    import anyio

    async def report() -> None:
        for seconds in count(1):
            await anyio.sleep(1.0)
            message = f"{tool} is at work for {seconds} s"
            await context.session.report_progress(seconds, None, message)

    async with anyio.create_task_group() as group:
        group.start_soon(report)
        try:
            question = await running.approval.next_question()
        except BaseException:  # The client has cancelled its request.
            running.cancel()
            raise
        finally:
            group.cancel_scope.cancel()  # This ends the reports.
    return question
