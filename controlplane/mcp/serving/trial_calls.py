"""The calls that a program makes in a trial."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Final

import re2

from controlplane.agent.loop import TrialSession
from controlplane.gates.surrogates import encodable
from controlplane.mcp.serving.call_queue import (
    OVER,
    CallQueue,
    CallResult,
    ClientCall,
    WaitingCall,
)
from controlplane.mcp.serving.call_scripts import is_submission, script_of
from controlplane.mcp.serving.client_tools import EXECUTE
from controlplane.sandbox.interface import bounds

# What a client is told after its call: objections in its own terms, and advice.

_CLIENT_WORDS: Final = (
    ("take it back with `scratchpad.uncite(path)`", "leave it out of `citations`"),
    ("`scratchpad.cite(path, reason)` for each", "an object of `citations` for each"),
    (
        "or quote it: `scratchpad.cite(path, reason, quote)`",
        "or quote it in `citations[].quote`",
    ),
    ("`scratchpad.cite(path, reason, quote)`", "`citations[].quote`"),
)
"""Advice of gates on a script's functions, each with the same advice on a client's arguments."""
_OBJECTION: Final = re2.compile(
    r"(?ms)^(?:GateRejection|ValueError): (.*?)^(?:while handling:|</error>)"
)
"""Finds the message of the exception that ended a submission's script.

In the script's output, the message ends at `</error>`, or before the cause of the
exception, which begins with `while handling:`.
"""


def _in_client_words(result: str) -> str:
    """Return only the objections to a submission, with the names of the client's arguments.

    For example, this output of a script

        <error>
        GateRejection: nothing is cited: add `scratchpad.cite(path, reason)` for each file
        </error>

    becomes "nothing is cited: add an object of `citations` for each file".
    """
    objection = _OBJECTION.search(encodable(result))
    if objection is None:
        return result
    text = str(objection[1]).strip()
    for script_words, client_words in _CLIENT_WORDS:
        text = text.replace(script_words, client_words)
    return text


def _advice_after_failure(tool: str) -> str:
    """Return advice for a client whose call failed; empty for a call of an operation."""
    if tool == EXECUTE:
        return f"Next: fix the script, and call `{EXECUTE}` again."
    if is_submission(tool):
        return f"Next: fix what the checks object to, and call `{tool}` again."
    return ""


class ProgramCalls:
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
        text = _in_client_words(text)
    advice = _advice_after_failure(tool)
    if result.failed and advice:
        text = f"{text}\n\n{advice}"
    return replace(result, text=text)
