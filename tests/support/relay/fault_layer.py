"""The rule of a relay by which calls meet faults, now and then, as a seed decides.

Two equal sequences of calls meet equal faults. The layer counts the faults that it made, and notes
whether clients wait as long as a refusal has told them to.
"""

import asyncio
import random
import socket
import struct
import time
from collections import Counter

from tests.support.relay.faults import SHARES, Faults
from tests.support.relay.relayed_calls import (
    RelayedCall,
    ReplacedReply,
    injected_response,
    protocol_refusal,
)


class FaultLayer:
    """The rule of a relay that passes calls on, except those that a fault hits.

    It also notes whether clients wait: a refusal of the kind "too_many" has the header
    Retry-After, and a client should not make the same call again before this time is over.
    """

    def __init__(self, faults: Faults) -> None:
        self.use(faults)

    def use(self, faults: Faults) -> None:
        """Make these faults from now on, and reset the counts."""
        self._faults = faults
        self._calls_seen: Counter[str] = Counter()
        """The number of calls that a fault could have hit, by method."""
        self._outage_began_at: dict[str, float] = {}
        """When an outage of a method began, on the monotonic clock."""
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
        """Pass a call on, or let the fault happen that is drawn for it; `Faults` describes each kind."""
        path_and_body = path_and_body_of(call.request)
        retry_not_before = self._retry_not_before.pop(path_and_body, 0.0)
        if time.monotonic() < retry_not_before:
            self.calls_too_early += 1
        fault = self._draw_fault(call.method)
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

    def _draw_fault(self, method: str) -> str | None:
        """Return the fault that hits the next call of a method, or None.

        It follows from the seed, the method and the number of the call, so that two equal
        sequences of calls meet equal faults.
        """
        faults = self._faults
        if self._is_in_outage(method):
            return "outage"
        if faults.methods and method not in faults.methods:
            return None
        self._calls_seen[method] += 1
        number = self._calls_seen[method]
        drawn = random.Random(f"{faults.seed}/{method}/{number}").random()
        # Each kind of fault has a part of the numbers from 0 to 1, as large as its share. With shares
        # of 0.1 and 0.2, numbers below 0.1 mean the first kind, and those from there to 0.3 the second.
        upper_end = 0.0
        for kind in SHARES:
            upper_end += getattr(faults, kind)
            if drawn < upper_end:
                return kind
        return None

    def _is_in_outage(self, method: str) -> bool:
        """Return True if an outage of this method lasts; its first call begins the outage."""
        for outage in self._faults.outages:
            if outage.method != method:
                continue
            now = time.monotonic()
            began_at = self._outage_began_at.setdefault(method, now)
            if now - began_at < outage.duration_s:
                return True
        return False


END_OF_HEAD = b"\r\n\r\n"


def path_and_body_of(request: bytes) -> tuple[bytes, bytes]:
    """Return what makes a call the same one again: the path and the body of its request."""
    path = request.split(b" ", 2)[1]
    body = request.partition(END_OF_HEAD)[2]
    return path, body


def reset(writer: asyncio.StreamWriter) -> None:
    """Reset the connection, so that the client sees an error instead of an orderly end."""
    connection = writer.get_extra_info("socket")
    # With this option, closing the connection resets it.
    linger_for_no_time = struct.pack("ii", 1, 0)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger_for_no_time)
    writer.transport.abort()
