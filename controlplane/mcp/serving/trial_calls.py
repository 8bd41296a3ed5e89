"""The calls that a program makes in a trial."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from controlplane.agent.loop import TrialSession
from controlplane.mcp.serving.call_queue import OVER, CallQueue, WaitingCall
from controlplane.mcp.serving.call_scripts import is_submission, script_of
from controlplane.mcp.serving.client_call import CallResult, ClientCall
from controlplane.mcp.serving.client_messages import (
    advice_after_failure,
    in_client_words,
)
from controlplane.sandbox.interface import bounds


class TrialCalls:
    """What a program can do in its trial: make calls of tools, or leave."""

    def __init__(self, session: TrialSession, queue: CallQueue) -> None:
        self._session = session
        self._queue = queue
        """Gives the calls to the trial's thread."""

    @property
    def are_over(self) -> bool:
        """True if no more calls are accepted."""
        return self._queue.is_closed

    async def result_of(self, call: ClientCall) -> CallResult:
        """Make a client's call of a tool after earlier calls, and return its result.

        A cancelled call ends at once, together with its script. Raises `CallError` for
        an invalid call.
        """
        script = script_of(call.tool, call.arguments, self._session.tool_schema)
        waiting = WaitingCall(call, script)
        if not self._queue.add(waiting):
            return CallResult(OVER, failed=True)
        try:
            result = await asyncio.wrap_future(waiting.result)
        except asyncio.CancelledError:
            await self._interrupt(waiting)
            raise
        return _shown_to_client(result, call.tool)

    async def _interrupt(self, waiting: WaitingCall) -> None:
        """End the script of a call that its client has cancelled."""
        # If the script has not begun yet, an interruption has no effect. So repeat it.
        while not waiting.result.done():
            self._session.interrupt("the client cancelled this call")
            await asyncio.sleep(bounds.MCP_POLL_S)

    def leave(self) -> None:
        """Make no more calls. If a script is running, it ends."""
        self._queue.close()
        self._session.interrupt("the client left")


def _shown_to_client(result: CallResult, tool: str) -> CallResult:
    """Return a result in the client's words, with advice if the call has failed."""
    text = result.text
    if is_submission(tool):
        text = in_client_words(text)
    advice = advice_after_failure(tool)
    if result.failed and advice:
        text = f"{text}\n\n{advice}"
    return replace(result, text=text)
