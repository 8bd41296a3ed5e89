"""A real `controlplane view` over a folder, on a free port
of the loopback, and what browsers ask of its pages."""

import http.client
import json
import re
import signal
from collections.abc import Iterator
from contextlib import closing, contextmanager
from email.message import Message
from pathlib import Path
from typing import Any, NamedTuple

from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import AllottedTrial, RunStarted
from tests.support.browser import Browser
from tests.support.command import start_controlplane
from tests.support.scored_journal import RUN_OPENED


class PageResponse(NamedTuple):
    """The answer to one request."""

    status: int
    headers: Message
    body: bytes


class RunningView(NamedTuple):
    """A running view."""

    address: str
    """The first address, with its token."""
    port: int
    token: str

    def get(
        self, path: str, *, method: str = "GET", cookie: bool = True, **headers: str
    ) -> PageResponse:
        """Return the answer to a request, which has the token as a cookie unless `cookie`
        is false: `view.get("/runs/a", Origin="null")`."""
        with self.asking(path, method=method, cookie=cookie, **headers) as answer:
            return PageResponse(answer.status, answer.headers, answer.read())

    @contextmanager
    def asking(
        self, path: str, *, method: str = "GET", cookie: bool = True, **headers: str
    ) -> Iterator[http.client.HTTPResponse]:
        """Yield the answer to a request, its body not read yet."""
        if cookie:
            headers = {
                "Cookie": f"controlplane_view_{self.port}={self.token}"
            } | headers
        with closing(
            http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        ) as connection:
            connection.request(method, path, headers=headers)
            with connection.getresponse() as answer:
                yield answer

    def text(self, path: str) -> str:
        return self.get(path).body.decode()

    def rows(self) -> list[str]:
        """Return the rows of the list of runs, as markup in one line each."""
        return [
            " ".join(row.split())
            for row in self.text("/").split('<tr role="row" data-is=')[1:]
        ]

    def json(self, path: str) -> Any:
        return json.loads(self.text(path))


TRIAL_IS_SHOWN = "!document.getElementById('trial').hidden"
NOTHING_SCROLLS_SIDEWAYS = (
    "document.documentElement.scrollWidth <= innerWidth && [...document.querySelectorAll('body *')].every("
    "e => e.scrollWidth <= e.clientWidth + 1 || !/auto|scroll/.test(getComputedStyle(e).overflowX))"
)
"""Nothing scrolls sideways: neither the page nor a frame in it."""


def fill_in_field(page: Browser, field: str, value: str) -> None:
    """Type `value` into a field of the page, or choose it."""
    page.value(
        f"(() => {{ const e = document.getElementById({field!r}); e.value = {value!r};"
        "e.dispatchEvent(new Event('input')); })()"
    )


@contextmanager
def unfinished_journal(path: Path, *trials: str) -> Iterator[JournalWriter]:
    """Yield the writer of a journal that begins with a run of these trials."""
    opened = RUN_OPENED.model_copy(update={"run": path.stem, "name": path.stem})
    with JournalWriter(path, create=True) as writer:
        writer.write(opened)
        allotted = tuple(
            AllottedTrial(trial_id=trial, task_id=trial) for trial in trials
        )
        writer.write(RunStarted(run_id="r", trials=allotted))
        yield writer


@contextmanager
def serving_view(folder: Path, *words: str) -> Iterator[RunningView]:
    """Serve the journals of `folder` for the length of the block;
    Ctrl-C must end the server with 130 or 0."""
    process = start_controlplane("view", *(words or (".",)), "--no-open", cwd=folder)
    try:
        assert process.stdout is not None
        # Such as "http://127.0.0.1:8765/?token=3f2a".
        address = re.search(
            r"http://127\.0\.0\.1:(?P<port>\d+)\S*\?token=(?P<token>\S+)",
            process.stdout.readline(),
        )
        assert address is not None
        yield RunningView(address[0], int(address["port"]), address["token"])
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) in (0, 130)
        for stream in (process.stdout, process.stderr):
            assert stream is not None
            stream.close()
