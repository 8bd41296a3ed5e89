"""An HTTP client that waits for each reply only until a deadline.

Each request has a thread of its own. If a server is so slow that even the operating system does
not return, the thread keeps waiting, but the caller of `send` continues:

    client = BoundedClient(exchanges=2_000)
    client.send(request)    a reply, or `ReadTimeout` after the request's read time-out
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2

from controlplane.agent.endpoint.bounded_body import too_late
from controlplane.agent.endpoint.client_environment import (
    explained_errors,
    trusted_certificates,
)
from controlplane.agent.endpoint.whole_reply_client import WholeReplyClient
from controlplane.sandbox.interface import bounds


class BoundedClient(WholeReplyClient):
    """An HTTP client whose `send` returns the whole reply, or fails at a deadline.

    Redirects are not followed, because they would carry the key to another host.
    """

    def __init__(self, *, exchanges: int) -> None:
        """Prepare the client for at most `exchanges` at a time, without connecting.

        An exchange is a request and its reply. Raises `ValueError` with one line if the
        environment variables name a proxy or certificates that cannot be used.
        """
        # Close idle connections before common servers do, so that none breaks in use.
        limits = httpx2.Limits(keepalive_expiry=bounds.IDLE_CONNECTION_S)
        with explained_errors():
            super().__init__(verify=trusted_certificates(), limits=limits)
        self._threads = ThreadPoolExecutor(exchanges, thread_name_prefix="exchange")

    def send(self, request: httpx2.Request, **_: Any) -> httpx2.Response:
        """Send a request and return the whole reply, decompressed.

        The request's read time-out is the time limit of the whole exchange. The options
        of `httpx2.Client.send` (`stream`, `auth`, `follow_redirects`) have no effect.

        Raises `httpx2.TransportError`, or `httpx2.DecodingError` if the reply cannot be
        decoded or is too long.
        """
        limit_s = request.extensions["timeout"]["read"]
        exchange = self._threads.submit(super().send, request)
        # The thread watches the same limit, but only when a part of the reply arrives.
        # So this wait has a limit, too. It is a little longer, so that the thread can
        # report its own error first.
        try:
            return exchange.result(limit_s + bounds.REPLY_GRACE_S)
        except TimeoutError:
            raise too_late(request) from None

    def close(self) -> None:
        """Close the connections."""
        self._threads.shutdown(wait=False)
        super().close()
