"""An HTTP client that limits the time and the bytes of each exchange: a request and its reply.

`BoundedClient` runs each exchange on a separate thread, and stops waiting for it at a
deadline. It does not follow redirects, because they would carry the key to another host.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Final

import httpx2

from controlplane.agent.endpoint.bounded_body import TakePart, read_body, too_late
from controlplane.agent.endpoint.client_environment import (
    explained_errors,
    trusted_certificates,
    uses_proxy,
)
from controlplane.sandbox.interface import bounds

TRANSFER_HEADERS: Final = frozenset(
    {b"content-encoding", b"content-length", b"transfer-encoding"}
)
"""Headers about the transferred bytes, which do not hold for the decompressed reply."""


class BoundedClient(httpx2.Client):
    """An HTTP client whose `send` returns the whole reply, or fails at a deadline.

    A request and its reply are an *exchange*. Each exchange has a thread of its own. If a
    server is too slow, the thread keeps waiting, but the caller of `send` continues.
    """

    def __init__(self, *, exchanges: int) -> None:
        """Prepare the client for at most `exchanges` at a time, without connecting.

        Raises `ValueError` with one line if the environment variables name a proxy or
        certificates that cannot be used.
        """
        # Close idle connections before common servers do, so that none breaks in use.
        limits = httpx2.Limits(keepalive_expiry=bounds.IDLE_CONNECTION_S)
        with explained_errors():
            super().__init__(verify=trusted_certificates(), limits=limits)
        self._threads = ThreadPoolExecutor(exchanges, thread_name_prefix="exchange")
        self._take_part: TakePart | None = None
        """Gets each part of a reply while `parts_passed_to` lasts; None otherwise."""

    @contextmanager
    def parts_passed_to(self, take_part: TakePart) -> Iterator[None]:
        """Pass each part of a successful reply to a function as it arrives.

        Parts don't say to which exchange they belong, so use it only for one at a time.
        """
        self._take_part = take_part
        try:
            yield
        finally:
            self._take_part = None

    def send(self, request: httpx2.Request, **_: Any) -> httpx2.Response:
        """Send a request and return the whole reply, decompressed.

        The request's read time-out is the time limit of the whole exchange. The options
        of `httpx2.Client.send` (`stream`, `auth`, `follow_redirects`) have no effect.

        Raises `httpx2.TransportError`, or `httpx2.DecodingError` if the reply cannot be
        decoded or is too long.
        """
        limit_s = request.extensions["timeout"]["read"]
        exchange = self._threads.submit(self._exchange, request)
        # The thread watches the same limit, but only when a part of the reply arrives.
        # So this wait has a limit, too. It is a little longer, so that the thread can
        # report its own error first.
        try:
            return exchange.result(limit_s + bounds.REPLY_GRACE_S)
        except TimeoutError:
            raise too_late(request) from None

    def _exchange(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request and return the whole reply. This runs on the thread of the exchange.

        If no connection to a proxy can be made, it raises `ProxyError`, so that the user is
        told about the proxy and not about the server.
        """
        deadline = time.monotonic() + request.extensions["timeout"]["read"]
        try:
            response = super().send(request, stream=True)
        except httpx2.ConnectError as error:
            if uses_proxy(request.url):
                raise httpx2.ProxyError(str(error), request=request) from error
            raise
        try:
            take_part = self._pass_on if response.status_code == 200 else None
            content = read_body(response, deadline, take_part)
        finally:
            response.close()
        return whole_response(response, content)

    def _pass_on(self, part: bytes) -> None:
        """Pass a part of a reply on, unless `parts_passed_to` has ended.

        If `send` fails at its deadline, its caller leaves `parts_passed_to`, while this thread
        may still read.
        """
        take_part = self._take_part
        if take_part is not None:
            take_part(part)

    def close(self) -> None:
        """Close the connections."""
        self._threads.shutdown(wait=False)
        super().close()


def whole_response(response: httpx2.Response, content: bytes) -> httpx2.Response:
    """Return a response with its decompressed body."""
    headers = []
    for name, value in response.headers.raw:
        if name.lower() not in TRANSFER_HEADERS:
            headers.append((name, value))
    return httpx2.Response(
        response.status_code, headers=headers, content=content, request=response.request
    )
