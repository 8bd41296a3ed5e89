"""The rows of the list of runs that `controlplane view` shows, the page "/".

For example:

    rows_of_runs(view)    ->    ['... <a href="/runs/a">first</a> ... finished ...', ...]
"""

import http.client
import json
import re
import signal
from collections.abc import Iterator
from contextlib import closing, contextmanager
from email.message import Message
from pathlib import Path
from typing import Any, NamedTuple

from controlplane.errors import Interrupted
from tests.support.command import start_controlplane

# The pages that a running `controlplane view` serves, read by HTTP.
#
#     view.text("/runs/a")                       the page of the run a, as text
#     view.get("/runs/a", Origin="null").status  403
#
# The server shows recorded runs. It answers only requests that carry its secret, the token.


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


# Starts `controlplane view`, the web server that shows recorded runs.
#
#     with serving_view(folder) as view:
#         page = view.text("/runs/a")
#
# The server is a process of its own, on a free port of this machine. Its pages are read by HTTP, or
# opened in a real browser at `view.address`.


@contextmanager
def serving_view(folder: Path, journals: str = ".") -> Iterator[RunningView]:
    """Call `controlplane view` in this folder for the length of the block, and end it with Ctrl-C.

    `journals` names the folder with the journals, such as "runs". By default, `folder` has them.
    """
    process = start_controlplane("view", journals, "--no-open", cwd=folder)
    try:
        assert process.stdout is not None
        # The command prints its address, such as "http://127.0.0.1:8765/?token=3f2a".
        address = re.search(
            r"http://127\.0\.0\.1:(?P<port>\d+)\S*\?token=(?P<token>\S+)",
            process.stdout.readline(),
        )
        assert address is not None
        yield RunningView(address[0], int(address["port"]), address["token"])
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) in (0, Interrupted.exit_code)
        for stream in (process.stdout, process.stderr):
            assert stream is not None
            stream.close()


def rows_of_runs(view: RunningView) -> list[str]:
    """Return the rows of the list, each as HTML in one line."""
    start_of_row = '<tr role="row" data-is='
    _, *rows = view.text("/").split(start_of_row)
    return [" ".join(row.split()) for row in rows]
