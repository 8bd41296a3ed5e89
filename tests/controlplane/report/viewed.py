"""Reads the pages of recorded runs in tests: those of `controlplane view`, and report files.

    with serving_view(folder) as view:
        page = view.text("/runs/a")

The server is a process of its own, on a free port of this machine. Its pages are read by HTTP, or
opened in a real browser at `view.address`. `packed_data` unpacks the data in a report file.
"""

import base64
import http.client
import json
import re
import signal
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from email.message import Message
from pathlib import Path
from typing import Any, NamedTuple

from controlplane.errors import Interrupted
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import AllottedTrial, RunStarted
from tests.support.browser import Browser
from tests.support.command import start_controlplane
from tests.support.scored_journal import RUN_OPENED


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

    def get(
        self, path: str, *, method: str = "GET", cookie: bool = True, **headers: str
    ) -> PageResponse:
        """Send a request and return the response: `view.get("/runs/a", Origin="null")`.

        The token is sent as a cookie unless `cookie` is false.
        """
        with self.open_response(
            path, method=method, cookie=cookie, **headers
        ) as response:
            return PageResponse(response.status, response.headers, response.read())

    @contextmanager
    def open_response(
        self, path: str, *, method: str = "GET", cookie: bool = True, **headers: str
    ) -> Iterator[http.client.HTTPResponse]:
        """Send a request, and yield the response before its body is read.

        This is for event streams, whose body does not end.
        """
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
        """Return what is at an address such as "/runs/a/trial-1-1.json"."""
        return json.loads(self.text(path))

    def rows(self) -> list[str]:
        """Return the rows of the list of runs, the page "/", each as HTML in one line."""
        start_of_row = '<tr role="row" data-is='
        _, *rows = self.text("/").split(start_of_row)
        return [" ".join(row.split()) for row in rows]


def packed_data(html: str) -> dict[str, Any]:
    """Return the data packed into a report: `{"data-trial-1-1": {"task": "right", ...}, ...}`.

    Each is compressed JSON in an element `<script type="text/plain" id="data-trial-1-1">`.
    """
    blocks = re.findall(
        r'<script type="text/plain" id="([\w-]+)">([^<]*)</script>', html
    )
    data = {}
    for name, text in blocks:
        data[name] = json.loads(zlib.decompress(base64.b64decode(text)))
    return data


# JavaScript that browser tests evaluate in a page.
TRIAL_IS_SHOWN = "!document.getElementById('trial').hidden"
NOTHING_SCROLLS_SIDEWAYS = """
    document.documentElement.scrollWidth <= innerWidth
    && [...document.querySelectorAll('body *')].every(
        element =>
            element.scrollWidth <= element.clientWidth + 1
            || !/auto|scroll/.test(getComputedStyle(element).overflowX)
    )
"""
"""True if the page fits its window, and each element that could scroll fits its content."""


def fill_in_field(page: Browser, field: str, value: str) -> None:
    """Set the value of a form field, as if the user had typed or chosen it.

    `fill_in_field(page, "search", "alpha")`: `field` is the id of the HTML element.
    """
    page.value(f"""
        (() => {{
            const element = document.getElementById({field!r});
            element.value = {value!r};
            element.dispatchEvent(new Event('input'));
        }})()
    """)


@contextmanager
def unfinished_journal(path: Path, *trials: str) -> Iterator[JournalWriter]:
    """Write the beginning of a run of these trials, and yield the journal's writer.

    While the block lasts, the run counts as running, since its journal is locked.
    """
    opened = RUN_OPENED.model_copy(update={"run": path.stem, "name": path.stem})
    allotted = tuple(AllottedTrial(trial_id=trial, task_id=trial) for trial in trials)
    with JournalWriter(path, create=True) as writer:
        writer.write(opened)
        writer.write(RunStarted(run_id="r", trials=allotted))
        yield writer


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
