"""The pages that a running `controlplane view` serves, read by HTTP.

    view.text("/runs/a")                       the page of the run a, as text
    view.get("/runs/a", Origin="null").status  403

The server shows recorded runs. It answers only requests that carry its secret, the token.
"""

import http.client
import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from email.message import Message
from typing import Any, NamedTuple


class PageResponse(NamedTuple):
    """The response to one request."""

    status: int
    headers: Message
    body: bytes


class RunningView(NamedTuple):
    """A running `controlplane view`. It answers only requests that carry its secret, the token."""

    address: str
    """The address that it prints for the user, such as "http://127.0.0.1:8765/?token=3f2a"."""
    port: int
    token: str
    """The secret in the address. A request has it in its address or in a cookie."""

    def url(self, path: str) -> str:
        """Return the address of a page without the token: `view.url("/runs/a")`."""
        return f"http://127.0.0.1:{self.port}{path}"

    def get(
        self, path: str, *, method: str = "GET", cookie: bool = True, **headers: str
    ) -> PageResponse:
        """Send a request, with the token as a cookie, and return the response."""
        with self.open_response(
            path, method=method, cookie=cookie, **headers
        ) as response:
            return PageResponse(response.status, response.headers, response.read())

    @contextmanager
    def open_response(
        self, path: str, *, method: str = "GET", cookie: bool = True, **headers: str
    ) -> Iterator[http.client.HTTPResponse]:
        """Send a request, and yield the response before its body, such as a stream, is read."""
        if cookie:
            headers = {
                "Cookie": f"controlplane_view_{self.port}={self.token}",
                **headers,
            }
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        with closing(connection):
            connection.request(method, path, headers=headers)
            with connection.getresponse() as response:
                yield response

    def text(self, path: str) -> str:
        """Return the body of a page as text."""
        return self.get(path).body.decode()

    def json(self, path: str) -> Any:
        """Return what is at an address such as "/runs/a/trial-1-1.json".

        While the server still reads the journal, it answers 503, and is asked again.
        """
        response = self.get(path)
        while response.status == 503:
            response = self.get(path)
        return json.loads(response.body)
