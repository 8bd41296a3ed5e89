"""The time limit for the body of a request.

A client that sends its body very slowly, or never to its end, would hold a connection for
ever.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias

from connectrpc.code import Code
from connectrpc.errors import ConnectError

from controlplane.sandbox.interface import bounds

Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]


class TimelyBody:
    """Receives the body of one request, which must arrive within `bounds.LONGEST_BODY_S`."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._ends_at = asyncio.get_running_loop().time() + bounds.LONGEST_BODY_S
        self._is_complete = False
        """True after the whole body has arrived."""

    async def receive(self) -> MutableMapping[str, Any]:
        """Return the client's next message. Raises `ConnectError` if it arrives too late."""
        if self._is_complete:
            # The library now waits for the client to disconnect, which has no time limit.
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._ends_at):
                message = await self._receive()
        except TimeoutError:
            msg = f"the body did not arrive in {bounds.LONGEST_BODY_S:g} s"
            raise ConnectError(Code.DEADLINE_EXCEEDED, msg) from None
        if not message.get("more_body"):
            self._is_complete = True
        return message
