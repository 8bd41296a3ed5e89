"""A client's call that runs in a task, and may ask the client's user for approval."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from controlplane.agent.model import object_schema
from controlplane.mcp.serving.client_offers import session_of
from controlplane.mcp.serving.tool_turns import CallResult, ClientCall
from controlplane.sandbox.interface import CallError

if TYPE_CHECKING:
    from mcp import types

MakeCall: TypeAlias = Callable[[ClientCall], Awaitable[CallResult]]
"""A function that makes a client's call. It raises `CallError` for a call that cannot be made."""
SEND: Final = "send"
"""The name of the form, and of its only field: whether to send a call that is held back."""
APPROVAL: Final = object_schema(
    {SEND: {"type": "boolean", "title": "Send it?", "default": True}}, []
)
"""The JSON schema of the form in which a client's user approves a call."""
APPROVAL_S: Final = 300.0
"""The time that a client's user has to decide about a call."""


def input_required(question: str, state: str) -> types.InputRequiredResult:
    """Return a reply that makes the client ask its user and send `state` back with the answer."""
    from mcp import types

    form = types.ElicitRequestFormParams(message=question, requested_schema=APPROVAL)
    request = types.ElicitRequest(params=form)
    return types.InputRequiredResult(
        input_requests={SEND: request}, request_state=state
    )


class RunningCall:
    """A call that runs in a task, and may ask the client's user for approval.

    The task runs in the server's thread. A question from the trial goes to the user and back:

    1. The trial's thread calls `_approve`, which waits for the answer.
    2. Meanwhile, in the server's thread, `_ask` puts the question into `_questions`.
    3. `next_question` returns the question, and the server sends it to the client.
    4. The client's next request has the answer. `take_answer` gives it to `_ask`.
    5. `_approve` returns whether the user approves.

    Clients of older protocols are asked by `_ask` itself, within the first request.
    """

    def __init__(self, context: Any, params: types.CallToolRequestParams) -> None:
        self.context = context
        """The SDK's context of the client's first request."""
        self.params = params
        self.loop = asyncio.get_running_loop()
        self._questions: asyncio.Queue[str | None] = asyncio.Queue()
        """The questions for the user. None means that the call is over."""
        self._answer: asyncio.Future[Any] | None = None
        """Done when the user has answered the latest question."""
        self._task: asyncio.Task[CallResult] | None = None

    def start(self, make_call: MakeCall, free_places: asyncio.Semaphore) -> None:
        """Make the call in a new task, as soon as fewer calls run than the server allows."""
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
            self._questions.put_nowait(None)  # `next_question` returns it.

        self._task = asyncio.ensure_future(answer())
        self._task.add_done_callback(note_end)

    async def next_question(self) -> str | None:
        """Return the next question for the client's user; None when the call is over."""
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
        """Ask the client's user, from the trial's thread. Return False if there is no answer."""
        # The client may have left, or the server may have ended.
        with suppress(CancelledError, RuntimeError):
            asking = asyncio.run_coroutine_threadsafe(self._ask(question), self.loop)
            return asking.result()
        return False

    async def _ask(self, question: str) -> bool:
        """Ask the client's user in the way of the client's protocol version."""
        from mcp_types.version import MODERN_PROTOCOL_VERSIONS

        assert self._task is not None
        if self.context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            # The question is the reply to the call, and the client calls again with the answer.
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


def _is_approved(answer: Any) -> bool:
    """Return True if the form approves the call. In an empty form, that is the default."""
    if getattr(answer, "action", "") != "accept":
        return False
    fields = answer.content or {}
    return bool(fields.get(SEND, True))
