"""The web server of `controlplane view`: the list of runs, one or several runs, and their trials.

Pages update themselves while journals grow. The server only reads. Pages have no inline
scripts or styles, and text from journals is escaped.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Final
from urllib.parse import quote

import re2
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware, RequestResponseEndpoint
from starlette.requests import Request
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route
from starlette.types import ASGIApp

from controlplane.errors import ControlPlaneError
from controlplane.journal.journal_reader import Journal
from controlplane.journal.trial_reader import RecordedTrial
from controlplane.report.model_requests import ShownRequest, model_requests
from controlplane.report.page_templates import (
    PageFrame,
    script_of_page,
    style_of_page,
)
from controlplane.report.run_pages import RunPage, ShownRun, page_title, shown_run
from controlplane.report.server.run_list import has_words, run_list_html
from controlplane.report.server.watched_folder import (
    WatchedFolder,
    WatchedRun,
    id_as_text,
    key_of,
)
from controlplane.report.trial_data import left_file, trial_json
from controlplane.sandbox.interface import bounds
from controlplane.terminal_text import one_line, sanitize
from controlplane.web_host import is_token

# Who may read the pages.
#
# The server listens on the loopback interface, and refuses every request that lacks its cookie, names
# another host, or comes from a page of another site.

_HEADERS: Final = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types view",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}
"""Headers that make a browser run only this server's script, and keep no copy of a page."""


class Gatekeeper:
    """Refuses requests of browsers that have not opened the address that the server printed.

    That address contains a token. A request with the token gets a cookie, which all later
    requests have to carry. `answer` is a middleware: it is called for every request.
    """

    def __init__(self, token: str, port: int) -> None:
        self.token = token
        self.hosts = frozenset([f"127.0.0.1:{port}", f"localhost:{port}"])
        self.cookie = f"controlplane_view_{port}"

    async def answer(
        self, request: Request, call_next: RequestResponseEndpoint
    ) -> Response:
        """Return the page or a refusal, with those `_HEADERS` that the page does not set itself."""
        response = self.refusal(request) or await call_next(request)
        for name, value in _HEADERS.items():
            response.headers.setdefault(name, value)
        return response

    def refusal(self, request: Request) -> Response | None:
        """Return the response to send instead of a page; None if the request is allowed."""
        if request.headers.get("host") not in self.hosts:
            return PlainTextResponse(
                "this server answers to 127.0.0.1 and localhost only", 421
            )
        origin = request.headers.get("origin")
        if origin is not None and origin.removeprefix("http://") not in self.hosts:
            return PlainTextResponse("this page belongs to another site", 403)
        if request.method not in ("GET", "HEAD"):
            return PlainTextResponse("nothing can be changed here", 405)
        if is_token(request.query_params.get("token", ""), self.token):
            return self._first_answer(request)
        if is_token(request.cookies.get(self.cookie, ""), self.token):
            return None
        return PlainTextResponse(
            "open the address that `controlplane view` printed, with its token", 403
        )

    def _first_answer(self, request: Request) -> Response:
        """Return a redirect to the same page without the token, together with the cookie."""
        path = f"/{request.url.path.lstrip('/')}"  # `//host/…` would redirect to another host.
        response = RedirectResponse(path, 303)
        response.set_cookie(self.cookie, self.token, httponly=True, samesite="strict")
        return response


# The cache of pages.

KEPT_PAGES: Final = 8
"""The number of pages in the cache."""


class PageCache:
    """The pages and trials that were rendered last, by address and searched words."""

    def __init__(self, lock: Lock) -> None:
        self._lock = lock
        """Held while a page is rendered, so that no journal is read meanwhile, and while
        `_pages` is changed, since several threads answer requests. To look up a page needs
        no lock: a page that another thread removes stays valid."""
        self._pages: dict[tuple[str, str], tuple[Sequence[object], str]] = {}
        """Each page with the version of each run on it, which is another one once something new was
        read of it."""

    def html(
        self,
        source: str,
        words: str,
        versions: Sequence[object],
        render: Callable[[], str],
    ) -> str:
        """Return a page from the cache, or render it if the `versions` of its runs differ.

        It then takes the place of an earlier one of its address, or else of the oldest.
        """
        address = (source, words)
        known, html = self._pages.get(address, (None, ""))
        if known != versions:
            with self._lock:
                html = render()
                self._pages.pop(address, None)
                self._pages[address] = (versions, html)
                for oldest in list(self._pages)[:-KEPT_PAGES]:
                    del self._pages[oldest]
        return html


# The answers to requests.

_READING_S: Final = 0.2
"""Seconds for which a page waits while its journals are read, and for which an event stream reads
them in each check. A page that is shown before they are read to their ends updates itself later."""
_READING_LIST_S: Final = 1.0
"""Seconds for which the event stream of the list of runs reads journals before it tells of them: each
time, the page is made again, which takes as long as reading a hundred short journals."""
READING_TRIAL_S: Final = 3.0
"""Seconds for which a trial's page waits while its journal is read. Mostly the page from which the
user came has read it; a trial that is read in parts would be sent again with each of them. A journal
of 2,000 steps takes about one second, and several on a busy machine."""
_BETWEEN_LOOKS_S: Final = 0.5
"""Seconds between two checks for changes, for each open page."""
_BETWEEN_READINGS_S: Final = 0.01
"""The same while its journals are not read to their ends."""
_ANCHOR: Final = re2.compile(r"trial-(\d{1,9})-(\d{1,9})")
"""The anchor of a trial: `trial-2-5` is the fifth trial of the second run of its page."""


class ViewPages:
    """The answers to requests about the runs, trials and improvement loops of one folder.

    `/runs/a,b/trial-2-5.json` is the fifth trial of run `b`, on the page that compares `a` and
    `b`. An address that names nothing raises `HTTPException`, which is answered as a page.

    Requests are answered in several threads. So pages are rendered under the folder's lock. They
    are rendered again only if one of their versions has changed: the numbers that count what was
    read of the folder or its runs.
    """

    def __init__(
        self, folder: WatchedFolder, page_of_loop: Callable[[Path], str]
    ) -> None:
        self.folder = folder
        self.page_of_loop = page_of_loop
        """Returns the HTML page of an improvement loop, given the path of its record."""
        self._cache = PageCache(folder.lock)

    def list_page(self, request: Request) -> Response:
        """Return the list of runs, or a redirect to the page of the runs that the user selected."""
        chosen = request.query_params.getlist("run")
        if chosen:
            return RedirectResponse(f"/runs/{quote(','.join(chosen), safe='')}", 303)
        words = request.query_params.get("find", "")
        self.folder.read(seconds=_READING_S)
        versions = [self.folder.version]

        def render() -> str:
            return run_list_html(self.folder, words, versions)

        return HTMLResponse(self._cache.html("/", words, versions, render))

    def list_events(self, request: Request) -> Response:
        """Return the event stream of the list of runs."""
        return self._event_stream((), seconds=_READING_LIST_S)

    def loop_page(self, request: Request) -> Response:
        """Return the page of an improvement loop (`controlplane improve`)."""
        loop_id = request.path_params["loop"]
        loop = self.folder.look_at(key_of(loop_id, is_loop=True))
        if loop is None:
            raise _not_here(loop_id)
        # The HTML itself contains a policy for styles and scripts, since it is also written
        # to a file. A policy about frames only works as a header.
        headers = {"content-security-policy": "frame-ancestors 'none'"}
        return HTMLResponse(self.page_of_loop(loop.path), headers=headers)

    def runs_page(self, request: Request) -> Response:
        """Return the page of one run, or of several side by side."""
        words = request.query_params.get("find", "")
        runs = self._runs(request, seconds=_READING_S)
        source = f"/runs/{quote(request.path_params['runs'], safe='')}"
        versions = [run.version for run in runs]

        def render() -> str:
            return _runs_html(runs, source, words, versions)

        return HTMLResponse(self._cache.html(source, words, versions, render))

    def runs_events(self, request: Request) -> Response:
        """Return the event stream of one run, or of several side by side."""
        runs = self._runs(request, seconds=0)
        return self._event_stream(runs, seconds=_READING_S)

    def _event_stream(self, runs: Sequence[WatchedRun], *, seconds: float) -> Response:
        """Return the event stream of these runs or, without any, of the folder's list.

        It tells their versions whenever one has changed, which is looked at after every few seconds
        of reading.
        """

        def read() -> bool:
            """Read in slices, between which other pages get their turn. Return True if there is more."""
            until = time.monotonic() + seconds
            while self.folder.read(runs, seconds=_READING_S):
                if time.monotonic() >= until:
                    return True
            return False

        async def lines() -> AsyncIterator[str]:
            sent: list[int] = []
            yield "retry: 2000\n"
            while True:
                has_more = await asyncio.to_thread(read)
                versions = [run.version for run in runs] or [self.folder.version]
                if versions == sent:
                    # This comment line is sent to find out if the browser has closed the page:
                    # sending then fails.
                    yield ": still here\n\n"
                else:
                    # The page compares this with its own version, and asks for what is new if they differ.
                    sent = versions
                    yield f"data: {json.dumps(sent)}\n\n"
                pause = _BETWEEN_READINGS_S if has_more else _BETWEEN_LOOKS_S
                await asyncio.sleep(pause)

        return StreamingResponse(lines(), media_type="text/event-stream")

    def trial(self, request: Request) -> Response:
        """Return a trial as JSON, which the script in the browser renders."""
        recorded = self.recorded_trial(request)
        journal = recorded.journal

        def render() -> str:
            name = one_line(journal.opened.name) or id_as_text(journal.path)
            return "".join(trial_json(name, recorded))

        text = self._cache.html(request.url.path, "", [journal.last_hash], render)
        return Response(text, media_type="application/json")

    def requests(self, request: Request) -> Response:
        """Return a trial's model requests as JSON, each with only its new messages."""
        recorded = self.recorded_trial(request)
        with self.folder.lock:
            requests = [_request_data(sent) for sent in model_requests(recorded)]
        return JSONResponse(requests)

    def left_file(self, request: Request) -> Response:
        """Return a file that a trial has left, as a text: nothing in it is run."""
        recorded = self.recorded_trial(request)
        name = request.path_params["name"]
        content = left_file(recorded, name)
        if content is None:
            raise HTTPException(404, f"the trial has left no file {sanitize(name)!r}")
        return Response(content, media_type="text/plain; charset=utf-8")

    def recorded_trial(self, request: Request) -> RecordedTrial:
        """Return the trial with the anchor `trial-RUN-PLACE`.

        Both numbers count from 1: RUN the runs of the page, PLACE the trials of the run's
        journal. Raises `HTTPException`.
        """
        runs = self._runs(request, seconds=READING_TRIAL_S)
        anchor = request.path_params["anchor"]
        run_number, trial_number = _numbers_of(anchor)
        if 1 <= run_number <= len(runs):
            run = runs[run_number - 1]
            trials = list(_journal_of(run).trials.values())
            if 1 <= trial_number <= len(trials):
                return trials[trial_number - 1]
            if run.has_more:
                raise _still_reading()
        raise HTTPException(404, f"there is no trial {anchor!r} here")

    def _runs(self, request: Request, *, seconds: float) -> list[WatchedRun]:
        """Return the runs that an address names, after reading in their journals for `seconds`.

        The address has one id, or several that commas separate. An id may
        contain commas itself, so the whole address is taken for an id first.
        Raises `HTTPException`.
        """
        text = request.path_params["runs"]
        run_ids = [text]
        is_one_id = key_of(text, is_loop=False) in self.folder.runs
        if not is_one_id:
            run_ids = list(dict.fromkeys(text.split(",")))  # each once, in order
        if len(run_ids) > bounds.SHOWN_RUNS:
            raise HTTPException(
                400, f"at most {bounds.SHOWN_RUNS} runs stand side by side"
            )
        runs = []
        for run_id in run_ids:
            run = self.folder.look_at(key_of(run_id, is_loop=False))
            if not isinstance(run, WatchedRun):
                raise _not_here(run_id)
            runs.append(run)
        self.folder.read(runs, seconds=seconds)
        return runs


def _not_here(run_id: str) -> HTTPException:
    """Return the error for an id that no run of the folder has."""
    return HTTPException(404, f"there is no run {run_id!r} here")


def _still_reading() -> HTTPException:
    """Return the answer to a question that comes before the journal is read that far."""
    text = "the journal is being read; this page asks again"
    return HTTPException(503, text, {"refresh": "1"})


def _journal_of(run: WatchedRun) -> Journal:
    """Return the journal of a run, as far as it is read. Raises `HTTPException`."""
    if run.fault is not None:
        raise HTTPException(422, sanitize(str(run.fault)))
    if run.journal is None or run.journal.summary.opened is None:
        raise _still_reading()
    return run.journal


def _numbers_of(anchor: str) -> tuple[int, int]:
    """Return the two numbers in an anchor `trial-RUN-PLACE`; zeros for any other text."""
    match = _ANCHOR.fullmatch(anchor)
    return (int(match[1]), int(match[2])) if match else (0, 0)


def _runs_html(
    runs: list[WatchedRun], source: str, words: str, versions: list[int]
) -> str:
    """Return the page of these runs, with the trials whose texts contain `words`.

    `versions` are written into the page. Its script compares them with those of the
    event stream, to learn whether the page is out of date.
    """
    shown_runs: list[ShownRun] = []
    for number, run in enumerate(runs):
        # Each run needs a label that no earlier one has: two runs may have the same name.
        labels = {shown.label for shown in shown_runs}
        journal = _journal_of(run)
        shown = shown_run(journal, number, labels, is_running=run.is_running)
        if run.has_more:
            status = f"{run.read_share:.0%} of the journal is read."
            shown = replace(shown, status=status)
        shown_runs.append(shown)

    fitting = [
        trial
        for shown in shown_runs
        for trial in shown.trials
        if has_words(words, trial.facts.instruction, trial.facts.task_id)
    ]
    rows = fitting[: bounds.SHOWN_PAGE_ROWS]
    frame = PageFrame(
        title=page_title(shown_runs),
        source=source,
        events=f"{source}/events",
        version=json.dumps(versions),
    )
    page = RunPage(frame, shown_runs, rows, len(fitting) - len(rows), words)
    return "".join(page.html())


def _request_data(request: ShownRequest) -> dict[str, object]:
    """Return a request in the form that `2_trial_page.js` expects."""
    messages = [
        {"role": sanitize(message.role), "text": sanitize(message.text)}
        for message in request.messages[request.shared :]
    ]
    return {
        "step": request.step,
        "role": sanitize(request.role),
        "shared": request.shared,
        "new_messages": messages,
    }


def view_app(
    folder: WatchedFolder, page_of_loop: Callable[[Path], str], gatekeeper: Gatekeeper
) -> ASGIApp:
    """Return the application that serves the pages of a folder to whom the gatekeeper admits.

    In its routes, `{runs}` is the id of a run, or several ids that commas separate, and
    `{anchor}` names a trial on their page.

    `page_of_loop` returns the HTML page of an improvement loop, given the path of its record.
    """
    pages = ViewPages(folder, page_of_loop)
    routes = [
        Route("/", pages.list_page),
        Route("/events", pages.list_events),
        Route("/favicon.ico", _no_icon),
        Route("/static/page.css", _style),
        Route("/static/page.js", _script),
        Route("/loops/{loop}", pages.loop_page),
        Route("/runs/{runs}", pages.runs_page),
        Route("/runs/{runs}/events", pages.runs_events),
        Route("/runs/{runs}/{anchor}.json", pages.trial),
        Route("/runs/{runs}/{anchor}/requests.json", pages.requests),
        Route("/runs/{runs}/{anchor}/left/{name:path}", pages.left_file),
    ]
    return Starlette(
        routes=routes,
        middleware=[Middleware(BaseHTTPMiddleware, dispatch=gatekeeper.answer)],
        exception_handlers={ControlPlaneError: _unreadable},
    )


def _no_icon(request: Request) -> Response:
    return Response(status_code=204)


def _style(request: Request) -> Response:
    return Response(style_of_page(), media_type="text/css")


def _script(request: Request) -> Response:
    return Response(script_of_page(live=True), media_type="text/javascript")


def _unreadable(request: Request, error: Exception) -> Response:
    """Return the response for a journal that cannot be read."""
    return PlainTextResponse(sanitize(str(error)), 422)
