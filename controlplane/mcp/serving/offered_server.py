"""An MCP server that offers tools to a client: it lists tools, makes calls, and asks the user."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Container, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from importlib.metadata import version
from itertools import count
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from controlplane.agent.model import ModelTool, object_schema
from controlplane.mcp.serving.calls import (
    QUESTION_ID,
    CallResult,
    ClientCall,
    session_of,
)
from controlplane.sandbox.interface import CallError, bounds

if TYPE_CHECKING:
    from mcp import types
    from mcp.server.lowlevel import Server

# The form in which a client's user approves a call that is held back.
#
# It has one field: a box labelled "Send it?", which is ticked at first.

_SEND: Final = "send"
"""The name of the question in the protocol, and of the one field of its form."""
_APPROVAL: Final = object_schema(
    {_SEND: {"type": "boolean", "title": "Send it?", "default": True}}, []
)
"""The JSON schema of the form."""


# Results of calls in the form that the protocol (MCP) has for them.
#
# The rest of this folder knows its own records (`ModelTool`, `CallResult`); the SDK's types are made here.

_OUTPUT: Final = object_schema(
    {
        "text": {"type": "string"},
        "ok": {"type": "boolean"},
        QUESTION_ID: {"type": "string"},
    },
    ["text", "ok"],
)
"""The JSON schema of a result's structured content."""


def _refusal(text: str) -> types.CallToolResult:
    """Return the result of a call that is not made, with the reason."""
    return _protocol_result(CallResult(text, failed=True))


def _protocol_result(result: CallResult) -> types.CallToolResult:
    """Return the result of a call in the protocol's form: as text, and as structured data.

    The data has the schema `_OUTPUT`: `{"text": "3 files", "ok": true, "question_id": "3f0c"}`.
    """
    from mcp import types

    structured: dict[str, Any] = {"text": result.text, "ok": not result.failed}
    if result.question_id:
        structured[QUESTION_ID] = result.question_id
    content: list[types.ContentBlock] = [types.TextContent(text=result.text)]
    return types.CallToolResult(
        content=content, structured_content=structured, is_error=result.failed
    )


# A client's call that runs in a task of the server, and may ask the client's user for approval.
#
# The trial's thread asks by `_approve` and waits. All other methods run in the event loop of the
# server. How the question gets to the user depends on the version of the client's protocol:
#
# - Recent: a server cannot ask. It ends the client's request with the question as the reply
#   (`questions`), and the client sends a further request with the answer.
# - Older: the server sends the client a form to fill in, while the client's request goes on.

_APPROVAL_S: Final = 300.0
"""The time that a client's user has to decide about a call."""

_MakeCall: TypeAlias = Callable[[ClientCall], Awaitable[CallResult]]
"""A function that makes a client's call. It raises `CallError` for a call that cannot be made."""
_Question: TypeAlias = tuple[str, asyncio.Future[Any]]
"""A question for a client's user, and the future of the answer to it."""


class _RunningCall:
    """A call of a client while it is made, with the questions to the client's user about it.

    Example: the call runs a script, which wants to send a mail to an address that it has read in a
    file. `_approve("May the script call …?")` asks the user, and the script's call waits for the answer.
    """

    def __init__(
        self, context: Any, params: types.CallToolRequestParams, make_call: _MakeCall
    ) -> None:
        """Make the call of a client's first request, in a new task."""
        self._context = context
        self._loop = asyncio.get_running_loop()
        self._make_call = make_call
        capabilities = context.session.client_capabilities
        can_show_forms = capabilities is not None and bool(capabilities.elicitation)
        call = ClientCall(
            tool=params.name,
            arguments=params.arguments or {},
            session=session_of(context.request),
            approve=self._approve if can_show_forms else None,
        )
        self.questions: asyncio.Queue[_Question | None] = asyncio.Queue()
        """The questions for the user of a recent client. None means that the call is over."""
        self.task = asyncio.ensure_future(self._result_of(call))
        """Ends with the result of the call."""

    async def _result_of(self, call: ClientCall) -> CallResult:
        try:
            return await self._make_call(call)
        except CallError as error:
            return CallResult(error.message, failed=True)
        finally:
            self.questions.put_nowait(None)

    def _approve(self, question: str) -> bool:
        """Ask the client's user, from the trial's thread. Return False if there is no answer."""
        # The client may have left, or the server may have ended.
        with suppress(CancelledError, RuntimeError):
            asking = asyncio.run_coroutine_threadsafe(self._ask(question), self._loop)
            return asking.result()
        return False

    async def _ask(self, question: str) -> bool:
        """Ask, and return True if the user approves before the time or the call is over."""
        from mcp_types.version import MODERN_PROTOCOL_VERSIONS

        answer: asyncio.Future[Any]
        if self._context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            answer = self._loop.create_future()
            self.questions.put_nowait((question, answer))
        else:
            form = self._context.session.elicit_form(
                question, _APPROVAL, self._context.request_id
            )
            answer = asyncio.ensure_future(form)
        await asyncio.wait(
            {answer, self.task},
            timeout=_APPROVAL_S,
            return_when=asyncio.FIRST_COMPLETED,
        )
        is_unanswered = answer.cancel()  # False if the answer is there
        if is_unanswered or answer.exception() is not None:
            return False
        reply = answer.result()
        if getattr(reply, "action", "") != "accept":
            return False
        fields = reply.content or {}
        return bool(fields.get(_SEND, True))  # In an empty form, the box is ticked.


def offered_server(
    tools: Sequence[ModelTool],
    make_call: _MakeCall,
    *,
    instructions: str,
    reading: Container[str],
    handlers: Mapping[str, Any] | None = None,
) -> Server[Any]:
    """Return an MCP server that offers tools to its clients.

    - `make_call` makes the calls of the clients. While a call runs, a client that asks for
      progress is told the elapsed seconds.
    - `reading` are the names of the tools that change nothing.
    - `handlers` are those of prompts and resources, as the SDK's server takes them.
    """
    from mcp.server.lowlevel import Server

    tool_handlers = _ToolHandlers(tools, reading, make_call)
    return Server(
        "controlplane",
        version=version("grounded-control-plane"),
        instructions=instructions,
        on_list_tools=tool_handlers.list_tools,
        on_call_tool=tool_handlers.call_tool,
        **(handlers or {}),
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

    def __init__(
        self, tools: Sequence[ModelTool], reading: Container[str], make_call: _MakeCall
    ) -> None:
        self.tools = tools
        self.reading = reading
        self.make_call = make_call
        self.under_way: set[asyncio.Task[CallResult]] = set()
        """The calls that are not over."""
        self.asking: dict[str, tuple[_RunningCall, asyncio.Future[Any]]] = {}
        """The calls that wait for an answer of the client's user, and the answers, by their states.

        A question that is not answered in time counts as refused, and its call goes on. The
        call stays here: by a late answer, its client still gets the result.
        """

    async def list_tools(self, *_: Any) -> types.ListToolsResult:
        """Return the tools as clients see them. `execute_script` has the title "Execute script".

        Those that change nothing have a hint: a client may call them without asking its user.
        """
        from mcp import types

        listed = []
        for tool in self.tools:
            hints = types.ToolAnnotations(
                read_only_hint=tool.name in self.reading,
                destructive_hint=False,
                open_world_hint=False,
            )
            listed_tool = types.Tool(
                name=tool.name,
                title=tool.name.replace("_", " ").capitalize(),
                description=tool.description,
                input_schema=tool.parameters,
                output_schema=_OUTPUT,
                annotations=hints,
            )
            listed.append(listed_tool)
        return types.ListToolsResult(tools=listed)

    async def call_tool(
        self, context: Any, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Make a call, or continue a call whose question the client's user has answered."""
        from mcp import types

        if params.request_state:
            waiting = self.asking.pop(params.request_state, None)
            if waiting is None:
                return _refusal("nothing waits for this answer any more")
            running, answer = waiting
            # A late answer decides nothing: neither its own question, nor a later one.
            if not answer.done():
                answer.set_result((params.input_responses or {}).get(_SEND))
        elif len(self.under_way) >= bounds.MOST_PENDING_MCP_CALLS:
            return _refusal(
                f"{bounds.MOST_PENDING_MCP_CALLS} calls are under way: wait for their results"
            )
        else:
            running = _RunningCall(context, params, self.make_call)
            self.under_way.add(running.task)
            running.task.add_done_callback(self.under_way.discard)

        asked = await _question_or_end(context, params.name, running)
        if asked is None:
            return _protocol_result(await running.task)
        question, answer = asked
        # This makes the client ask its user, and send `state` back with the answer.
        state = secrets.token_urlsafe(24)
        self.asking[state] = (running, answer)
        form = types.ElicitRequestFormParams(
            message=question, requested_schema=_APPROVAL
        )
        return types.InputRequiredResult(
            input_requests={_SEND: types.ElicitRequest(params=form)},
            request_state=state,
        )


async def _question_or_end(
    context: Any, tool: str, running: _RunningCall
) -> _Question | None:
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
            question = await running.questions.get()
        except BaseException:  # The client has cancelled its request.
            running.task.cancel()
            raise
        finally:
            group.cancel_scope.cancel()  # This ends the reports.
    return question
