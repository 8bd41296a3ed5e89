"""An MCP server that offers tools to a client: it lists tools, makes calls, and asks
the user."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Container, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from itertools import count
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from controlplane.agent.model import Tool, object_schema
from controlplane.mcp.client_offers import session_of
from controlplane.mcp.client_tools import QUESTION_ID
from controlplane.mcp.tool_turns import CallResult, ClientCall
from controlplane.sandbox.interface import CallError, bounds

if TYPE_CHECKING:
    from mcp import types
    from mcp.server.lowlevel import Server

MakeCall: TypeAlias = Callable[[ClientCall], Awaitable[CallResult]]
"""A function that makes a client's call. It raises `CallError` for a call that cannot
be made."""
OUTPUT: Final = object_schema(
    {
        "text": {"type": "string"},
        "ok": {"type": "boolean"},
        QUESTION_ID: {"type": "string"},
    },
    ["text", "ok"],
)
"""The JSON schema of a result's structured content."""


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

    While a call runs, a client that asks for progress is told the elapsed seconds.
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

    A call may need the approval of the client's user. With recent clients, this takes
    two requests:

    1. The client calls a tool. The reply is a question for the user, with a random
       `state`.
    2. The client calls the tool again, with the user's answer and the same state, by
       which the waiting call is found in `self.asking`. The reply is the result, or the
       next question.
    """

    def __init__(self, offer: ServerOffer, make_call: MakeCall) -> None:
        self.offer = offer
        self.make_call = make_call
        self.free_places = asyncio.Semaphore(bounds.MOST_PENDING)
        self.asking: dict[str, _RunningCall] = {}
        """The calls that wait for an answer of the client's user, by their states."""

    async def list_tools(self, *_: Any) -> types.ListToolsResult:
        from mcp import types

        tools = []
        for tool in self.offer.tools:
            annotations = types.ToolAnnotations(
                read_only_hint=tool.name in self.offer.reading,
                destructive_hint=False,
                open_world_hint=False,
            )
            listed = types.Tool(
                name=tool.name,
                title=tool.name.replace("_", " ").capitalize(),
                description=tool.description,
                input_schema=tool.parameters,
                output_schema=OUTPUT,
                annotations=annotations,
            )
            tools.append(listed)
        return types.ListToolsResult(tools=tools)

    async def call_tool(
        self, context: Any, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Make a call, or continue a call whose question the client's user has
        answered."""
        state_of_question = params.request_state
        if state_of_question:  # This is the second request of a call.
            waiting = self.asking.pop(state_of_question, None)
            if waiting is None:
                text = "nothing waits for this answer any more"
                return _shown(CallResult(text, failed=True))
            running = waiting
            running.take_answer(params.input_responses or {})
        else:
            if self.free_places.locked():
                text = (
                    f"{bounds.MOST_PENDING} calls are under way: wait for their results"
                )
                return _shown(CallResult(text, failed=True))
            running = _RunningCall(context, params)
            running.start(self.make_call, self.free_places)

        question = await _with_progress(context, params.name, running)
        if question is None:
            return _shown(running.result())
        state = secrets.token_urlsafe(24)
        self.asking[state] = running
        return _input_required(question, state)


def _shown(result: CallResult) -> types.CallToolResult:
    """Return the result of a call in the protocol's form: as text, and as structured
    data."""
    from mcp import types

    structured: dict[str, Any] = {"text": result.text, "ok": not result.failed}
    if result.question_id:
        structured[QUESTION_ID] = result.question_id
    content: list[types.ContentBlock] = [types.TextContent(text=result.text)]
    return types.CallToolResult(
        content=content, structured_content=structured, is_error=result.failed
    )


async def _with_progress(context: Any, tool: str, running: _RunningCall) -> str | None:
    """Wait for a running call and report its progress to the client every second.

    Return the call's next question, or None when the call is over. Cancelling the
    request cancels the call.
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
            question = await running.next_question()
        except BaseException:  # The client has cancelled its request.
            running.cancel()
            raise
        finally:
            group.cancel_scope.cancel()  # This ends the reports.
    return question


# --- Asking the client's user ---


SEND: Final = "send"
"""The name of the form, and of its only field: whether to send a call that is held
back."""
APPROVAL: Final = object_schema(
    {SEND: {"type": "boolean", "title": "Send it?", "default": True}}, []
)
"""The JSON schema of the form in which a client's user approves a call."""
APPROVAL_S: Final = 300.0
"""The time that a client's user has to decide about a call."""


def _input_required(question: str, state: str) -> types.InputRequiredResult:
    """Return a reply that makes the client ask its user and send `state` back with the
    answer."""
    from mcp import types

    form = types.ElicitRequestFormParams(message=question, requested_schema=APPROVAL)
    request = types.ElicitRequest(params=form)
    return types.InputRequiredResult(
        input_requests={SEND: request}, request_state=state
    )


def _is_approved(answer: Any) -> bool:
    """Return True if the form approves the call. In an empty form, that is the
    default."""
    if getattr(answer, "action", "") != "accept":
        return False
    fields = answer.content or {}
    return bool(fields.get(SEND, True))


class _RunningCall:
    """A call that runs in a task, and may ask the client's user for approval.

    It is kept until the call is over. A question takes this way:

    1. The trial's thread calls `_approve`, which puts the question into `_questions`.
    2. `next_question` returns it, and it is sent to the client.
    3. The client's next request has the answer, which is passed to `take_answer`.
    4. `_approve` returns.
    """

    def __init__(self, context: Any, params: types.CallToolRequestParams) -> None:
        self.context = context
        self.params = params
        self.loop = asyncio.get_running_loop()
        self._questions: asyncio.Queue[str | None] = asyncio.Queue()
        """The questions for the user. None means that the call is over."""
        self._answer: asyncio.Future[Any] | None = None
        """Done when the user has answered the latest question."""
        self._task: asyncio.Task[CallResult] | None = None

    def start(self, make_call: MakeCall, free_places: asyncio.Semaphore) -> None:
        """Make the call in a task of its own, as soon as a place is free."""
        capabilities = self.context.session.client_capabilities
        can_ask = capabilities is not None and bool(capabilities.elicitation)
        call = ClientCall(
            tool=self.params.name,
            arguments=self.params.arguments or {},
            session=session_of(self.context.request),
            approve=self._approve if can_ask else None,
        )

        async def answer() -> CallResult:
            async with free_places:
                try:
                    return await make_call(call)
                except CallError as error:
                    return CallResult(error.message, failed=True)

        def note_end(_: object) -> None:
            self._questions.put_nowait(None)

        self._task = asyncio.ensure_future(answer())
        self._task.add_done_callback(note_end)

    async def next_question(self) -> str | None:
        """Return the next question for the client's user; None when the call is
        over."""
        return await self._questions.get()

    def take_answer(self, responses: Mapping[str, Any]) -> None:
        """Set the user's answer to the latest question."""
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(responses.get(SEND))

    def result(self) -> CallResult:
        assert self._task is not None
        return self._task.result()

    def cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def _approve(self, question: str) -> bool:
        """Ask the client's user, from the trial's thread. Return False if there is no
        answer."""
        with suppress(CancelledError, RuntimeError):  # The client may have left.
            asking = asyncio.run_coroutine_threadsafe(self._ask(question), self.loop)
            return asking.result()
        return False

    async def _ask(self, question: str) -> bool:
        """Ask the client's user in the way of the client's protocol version."""
        from mcp_types.version import MODERN_PROTOCOL_VERSIONS

        assert self._task is not None
        if self.context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            # The question is the reply to the call, and the client calls again with the
            # answer.
            answer: asyncio.Future[Any] = self.loop.create_future()
            self._answer = answer
            self._questions.put_nowait(question)
        else:
            elicitation = self.context.session.elicit_form(
                question, APPROVAL, self.context.request_id
            )
            answer = asyncio.ensure_future(elicitation)

        await asyncio.wait(
            {answer, self._task},
            timeout=APPROVAL_S,
            return_when=asyncio.FIRST_COMPLETED,
        )
        is_unanswered = answer.cancel()
        if is_unanswered or answer.exception() is not None:
            return False
        return _is_approved(answer.result())
