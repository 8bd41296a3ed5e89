"""Injects the faults of networks and platforms in front of the wire server, chosen by a seed."""

from __future__ import annotations

import asyncio
import random
import socket
import struct
import time
from collections import Counter
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any, Final
from weakref import WeakKeyDictionary

from benchmarks.bitgn.server import wire_codec
from benchmarks.bitgn.server.refused_call import Refused
from benchmarks.bitgn.server.server_options import SHARES, Faults
from benchmarks.bitgn.server.wire_app import Receive, Scope, Send, send_reply
from benchmarks.bitgn.server.wire_codec import HttpReply
from sandbox.interface import error_codes

LINK: Final = "link"
"""The key under which a request's scope state holds its `Link`."""

App = Callable[[Scope, Receive, Send], Awaitable[None]]


@dataclass(eq=False)
class Link:
    """One connection."""

    transport: asyncio.Transport


class FaultLayer:
    """Passes calls on to the application, except those that a fault hits."""

    def __init__(self, app: App, faults: Faults) -> None:
        self._app = app
        self.stopping = asyncio.Event()
        """Set when the server ends, so that hanging calls end too."""
        self.use(faults)

    def use(self, faults: Faults) -> None:
        """Make these faults from now on, and reset the counts."""
        self._faults = faults
        self._is_calm = not any(getattr(faults, kind) for kind in SHARES)
        self._seen: Counter[str] = Counter()
        self._outage_began: dict[str, float] = {}
        self._pushed_back: WeakKeyDictionary[Link, float] = WeakKeyDictionary()
        """Connections whose last call got a Retry-After, with its end on the monotonic clock."""
        self.made: Counter[str] = Counter()
        """Number of faults made, by kind."""
        self.calls = 0
        self.too_early = 0
        """Calls sent before the Retry-After of the previous reply on the same connection had passed.

        Only the same connection counts: there the client has read that reply before it sends the next call. A call on
        another connection may have been on its way already.
        """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or inject a fault."""
        self.calls += 1
        link: Link = scope["state"][LINK]
        self.too_early += time.monotonic() < self._pushed_back.pop(link, 0.0)
        method = scope["path"].rpartition("/")[2]
        if self._is_out(method):
            await self._refuse("outage", link, send)
            return
        fault = self._chosen(method)
        if fault is None:
            await self._app(scope, receive, send)
            return
        self.made[fault] += 1
        if fault in ("unavailable", "bare_unavailable", "too_many"):
            await self._refuse(fault, link, send)
        elif fault == "hang":
            await self._hang(scope, receive)
        elif fault == "stall":
            await self._app(scope, receive, self._stalling(scope, receive, send))
        else:
            if fault == "reset_after":
                await self._app(scope, receive, _swallow)
            await _reset(scope, receive)

    def _chosen(self, method: str) -> str | None:
        """Choose by the seed, the method and its number of calls, so that equal sequences meet equal faults."""
        faults = self._faults
        if self._is_calm or (faults.methods and method not in faults.methods):
            return None
        self._seen[method] += 1
        drawn = random.Random(f"{faults.seed}/{method}/{self._seen[method]}").random()
        for kind in SHARES:
            drawn -= getattr(faults, kind)
            if drawn < 0:
                return kind
        return None

    def _is_out(self, method: str) -> bool:
        for outage in self._faults.outages:
            if outage.method == method:
                began = self._outage_began.setdefault(method, time.monotonic())
                if time.monotonic() - began < outage.duration_s:
                    self.made["outage"] += 1
                    return True
        return False

    async def _refuse(self, kind: str, link: Link, send: Send) -> None:
        if kind == "bare_unavailable":
            reply = HttpReply(503, (("content-type", "text/html"),), b"<html><h1>Service Unavailable</h1></html>")
        elif kind == "too_many":
            retry_after_s = self._faults.retry_after_s
            reply = wire_codec.refused(
                Refused(error_codes.RESOURCE_EXHAUSTED, "too many calls", retry_after_s=retry_after_s)
            )
            self._pushed_back[link] = time.monotonic() + float(dict(reply.headers)["retry-after"])
        else:
            reply = wire_codec.refused(Refused(error_codes.UNAVAILABLE, "the platform is not available"))
        await send_reply(reply, send)

    async def _hang(self, scope: Scope, receive: Receive) -> None:
        """Wait until the client goes away, or the server ends."""
        stopping = asyncio.ensure_future(self.stopping.wait())
        gone = asyncio.ensure_future(_disconnected(receive))
        _, left = await asyncio.wait({stopping, gone}, return_when=asyncio.FIRST_COMPLETED)
        for task in left:
            task.cancel()
        await _reset(scope, receive)

    def _stalling(self, scope: Scope, receive: Receive, send: Send) -> Send:
        async def stalled(message: MutableMapping[str, Any]) -> None:
            if message["type"] != "http.response.body":
                await send(message)
                return
            half = message["body"][: len(message["body"]) // 2]
            await send({**message, "body": half, "more_body": True})
            await self._hang(scope, receive)

        return stalled


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _swallow(_: MutableMapping[str, Any]) -> None:
    """Discard a reply."""


async def _reset(scope: Scope, receive: Receive) -> None:
    """Reset the connection, so that the client sees an error instead of an orderly end; wait until it is closed."""
    transport = scope["state"][LINK].transport
    if not transport.is_closing():
        connection = transport.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        transport.abort()
    await _disconnected(receive)
