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
from tests.support.command import started
from tests.support.scored_journal import OPENED


class Answer(NamedTuple):
    """The answer to one request."""

    status: int
    headers: Message
    body: bytes


class View(NamedTuple):
    """A running view."""

    address: str
    """The first address, with its token."""
    port: int
    token: str

    def get(
        self, path: str, *, method: str = "GET", cookie: bool = True, **headers: str
    ) -> Answer:
        """Return the answer to a request, which has the token as a cookie unless `cookie`
        is false: `view.get("/runs/a", Origin="null")`."""
        with self.asking(path, method=method, cookie=cookie, **headers) as answer:
            return Answer(answer.status, answer.headers, answer.read())

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


ON_TRIAL = "!document.getElementById('trial').hidden"
NO_OVERFLOW = (
    "document.documentElement.scrollWidth <= innerWidth && [...document.querySelectorAll('body *')].every("
    "e => e.scrollWidth <= e.clientWidth + 1 || !/auto|scroll/.test(getComputedStyle(e).overflowX))"
)
"""Nothing scrolls sideways: neither the page nor a frame in it."""


def choose(page: Browser, field: str, value: str) -> None:
    """Type `value` into a field of the page, or choose it."""
    page.value(
        f"(() => {{ const e = document.getElementById({field!r}); e.value = {value!r};"
        "e.dispatchEvent(new Event('input')); })()"
    )


@contextmanager
def growing(path: Path, *trials: str) -> Iterator[JournalWriter]:
    """Yield the writer of a journal that begins with a run of these trials."""
    opened = OPENED.model_copy(update={"run": path.stem, "name": path.stem})
    with JournalWriter(path, create=True) as writer:
        writer.write(opened)
        allotted = tuple(
            AllottedTrial(trial_id=trial, task_id=trial) for trial in trials
        )
        writer.write(RunStarted(run_id="r", trials=allotted))
        yield writer


@contextmanager
def viewing(folder: Path, *words: str) -> Iterator[View]:
    """Serve the journals of `folder` for the length of the block;
    Ctrl-C must end the server with 130 or 0."""
    process = started("view", *(words or (".",)), "--no-open", cwd=folder)
    try:
        assert process.stdout is not None
        # Such as "http://127.0.0.1:8765/?token=3f2a".
        address = re.search(
            r"http://127\.0\.0\.1:(?P<port>\d+)\S*\?token=(?P<token>\S+)",
            process.stdout.readline(),
        )
        assert address is not None
        yield View(address[0], int(address["port"]), address["token"])
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) in (0, 130)
        for stream in (process.stdout, process.stderr):
            assert stream is not None
            stream.close()
