"""The rule of a relay by which calls meet faults, now and then, as a seed decides.

Two equal sequences of calls meet equal faults. The layer counts the faults that it made, and notes
whether clients wait as long as a refusal has told them to.
"""

import asyncio
import time
from collections import Counter

from tests.support.relay.connection_faults import END_OF_HEAD, path_and_body_of, reset
from tests.support.relay.drawn_faults import DrawnFaults
from tests.support.relay.faults import Faults
from tests.support.relay.relayed_calls import (
    RelayedCall,
    ReplacedReply,
    injected_response,
    protocol_refusal,
)


class FaultLayer:
    """The rule of a relay that passes calls on, except those that `DrawnFaults` lets a fault hit.

    The layer also notes whether clients wait: a refusal of the kind "too_many" has the header
    Retry-After, and a client should not make the same call again before this time is over.
    """

    def __init__(self, faults: Faults) -> None:
        self.use(faults)

    def use(self, faults: Faults) -> None:
        """Make these faults from now on, and reset the counts."""
        self._faults = faults
        self._drawn_faults = DrawnFaults(faults)
        self._retry_not_before: dict[tuple[bytes, bytes], float] = {}
        """When a call that was refused as "too_many" may be made again, on the monotonic clock, by
        its path and body."""
        self.made: Counter[str] = Counter()
        """Number of faults made, by kind."""
        self.calls_too_early = 0
        """Calls made again before the Retry-After of their last reply had passed."""

    def __call__(self, call: RelayedCall) -> ReplacedReply:
        """Answer each call by `_answer`, as the rule of a relay does."""
        return self._answer

    async def _answer(self, call: RelayedCall, writer: asyncio.StreamWriter) -> None:
        """Pass a call on, or let the fault happen that is drawn for it; see `Faults`."""
        path_and_body = path_and_body_of(call.request)
        retry_not_before = self._retry_not_before.pop(path_and_body, 0.0)
        if time.monotonic() < retry_not_before:
            self.calls_too_early += 1
        fault = self._drawn_faults.next(call.method)
        if fault is not None:
            self.made[fault] += 1

        match fault:
            case None:
                writer.write(await call.forward())
            case "outage" | "unavailable":
                message = "the platform is not available"
                writer.write(protocol_refusal(503, "unavailable", message))
            case "bare_unavailable":
                # As a proxy says it: without the code of the protocol.
                page = "<html><h1>Service Unavailable</h1></html>"
                writer.write(injected_response(503, page, "text/html"))
            case "too_many":
                wait_s = self._faults.retry_after_s
                self._retry_not_before[path_and_body] = time.monotonic() + wait_s
                refusal = protocol_refusal(
                    429,
                    "resource_exhausted",
                    "too many calls",
                    retry_after=f"{wait_s:g}",
                )
                writer.write(refusal)
            case "reset_before":
                reset(writer)
            case "reset_after":
                await call.forward()
                reset(writer)
            case "hang":
                await call.gone()  # The server never sees the call.
            case "stall":
                head, _, body = (await call.forward()).partition(END_OF_HEAD)
                half_body = body[: len(body) // 2]
                writer.write(head + END_OF_HEAD + half_body)
                await writer.drain()
                await call.gone()
