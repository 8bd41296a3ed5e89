"""Asks a client's user whether to make a call that a script makes and that is held back.

The trial's thread asks by `approve` and waits. All other methods run in the event loop of the
server. How the question gets to the user depends on the version of the client's protocol:

- Recent: a server cannot ask. It ends the client's request with the question as the reply
  (`next_question`), and the client sends a further request with the answer (`take_answer`).
- Older: the server sends the client a form to fill in, while the client's request goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import Any, Final

from controlplane.mcp.serving.approval_form import APPROVAL, SEND, is_approved

APPROVAL_S: Final = 300.0
"""The time that a client's user has to decide about a call."""


class UserApproval:
    """The questions to a client's user while one call of the client is running.

    Example: the call runs a script, which wants to send a mail to an address that it has read in a
    file. `approve("May the script call …?")` asks the user, and the script's call waits for the answer.
    """

    def __init__(self, context: Any) -> None:
        self.context = context
        """The SDK's context of the client's first request."""
        self._loop = asyncio.get_running_loop()
        self._questions: asyncio.Queue[str | None] = asyncio.Queue()
        """The questions for recent clients. None means that the call is over."""
        self._answer: asyncio.Future[Any] | None = None
        """Done when the user of a recent client has answered the latest question."""
        self._call_end: asyncio.Future[None] = self._loop.create_future()
        """Done when the call is over."""

    @property
    def is_possible(self) -> bool:
        """True if the client can show forms."""
        capabilities = self.context.session.client_capabilities
        return capabilities is not None and bool(capabilities.elicitation)

    def approve(self, question: str) -> bool:
        """Ask the client's user, from the trial's thread. Return False if there is no answer."""
        # The client may have left, or the server may have ended.
        with suppress(CancelledError, RuntimeError):
            asking = asyncio.run_coroutine_threadsafe(self._ask(question), self._loop)
            return asking.result()
        return False

    async def _ask(self, question: str) -> bool:
        """Ask, and return True if the user approves before the time or the call is over."""
        from mcp_types.version import MODERN_PROTOCOL_VERSIONS

        if self.context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            answer = self._ask_by_reply(question)
        else:
            answer = self._ask_by_form(question)
        await asyncio.wait(
            {answer, self._call_end},
            timeout=APPROVAL_S,
            return_when=asyncio.FIRST_COMPLETED,
        )
        is_unanswered = answer.cancel()  # False if the answer is there
        if is_unanswered or answer.exception() is not None:
            return False
        return is_approved(answer.result())

    def _ask_by_reply(self, question: str) -> asyncio.Future[Any]:
        """Pass the question to `next_question`. Return the answer, which `take_answer` will set."""
        answer: asyncio.Future[Any] = self._loop.create_future()
        self._answer = answer
        self._questions.put_nowait(question)
        return answer

    def _ask_by_form(self, question: str) -> asyncio.Future[Any]:
        """Send the client a form with the question. Return the answer to come."""
        elicitation = self.context.session.elicit_form(
            question, APPROVAL, self.context.request_id
        )
        answer: asyncio.Future[Any] = asyncio.ensure_future(elicitation)
        return answer

    async def next_question(self) -> str | None:
        """Return the next question for the client's user; None when the call is over."""
        return await self._questions.get()

    def take_answer(self, responses: Mapping[str, Any]) -> None:
        """Set the user's answer to the latest question. Without one, it counts as refused."""
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(responses.get(SEND))

    def end(self) -> None:
        """Ask no more, since the call is over."""
        self._questions.put_nowait(None)
        self._call_end.set_result(None)
