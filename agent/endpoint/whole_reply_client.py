"""An HTTP client whose `send` returns the whole reply, or fails once the time is over.

A usual client waits again for each part of a reply, so a slow server could keep it for hours.
While a reply arrives, its parts may be passed on, so that the user sees the text grow:

    with client.parts_passed_to(show):
        client.send(request)    calls show(b"data: ...") for each part
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2

from controlplane.agent.endpoint.bounded_body import TakePart, read_body
from controlplane.agent.endpoint.client_environment import uses_proxy
from controlplane.agent.endpoint.whole_response import whole_response


class WholeReplyClient(httpx2.Client):
    """Sends requests and returns whole replies. It does not follow redirects."""

    _take_part: TakePart | None = None
    """Gets each part of a reply while `parts_passed_to` lasts; None otherwise."""

    @contextmanager
    def parts_passed_to(self, take_part: TakePart) -> Iterator[None]:
        """Pass each part of a successful reply to a function as it arrives.

        Parts don't say to which request they belong, so use it only for one at a time.
        """
        self._take_part = take_part
        try:
            yield
        finally:
            self._take_part = None

    def send(self, request: httpx2.Request, **_: Any) -> httpx2.Response:
        """Send a request and return the whole reply, decompressed.

        The request's read time-out limits the whole reply. If no connection to a proxy can be
        made, it raises `ProxyError`, so that the user is told about the proxy, not the server.
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
        """Pass a part on, unless `parts_passed_to` has ended, while a late reply still arrives."""
        take_part = self._take_part
        if take_part is not None:
            take_part(part)
