"""The web server of `controlplane view`: the list of runs, one or several runs, and
their trials.

Pages update themselves while journals grow. The server only reads.

It listens on the loopback interface, and refuses every request that lacks this server's
cookie, names another host, or comes from a page of another site. Pages have no inline
scripts or styles, and text from journals is escaped.
"""

from __future__ import annotations

import asyncio
import hmac
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final
from urllib.parse import quote

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

from controlplane.errors import ControlPlaneError, invocation
from controlplane.journal.journal_reader import Journal, RecordedTrial
from controlplane.report.model_requests import ModelRequest, model_requests
from controlplane.report.run_facts import RunFacts, TrialFacts, run_facts
from controlplane.report.run_pages import (
    PageFrame,
    ShownTrials,
    page_title,
    run_page,
    run_page_html,
    script_of_page,
    style_of_page,
    template,
)
from controlplane.report.trial_data import trial_json
from controlplane.report.watched_runs import (
    RunRow,
    WatchedFolder,
    WatchedRun,
    has_words,
    key_of,
)
from controlplane.sandbox.interface import bounds
from controlplane.terminal_text import one_line, sanitize

# --- Who may read ---


HEADERS: Final = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types view",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}
"""The headers of responses. By them, a browser runs only this server's script and keeps
no copy."""


class Gatekeeper:
    """Refuses requests of browsers that have not opened the address that the server
    printed.

    That address contains a token. The first request with the token gets a cookie, which
    all later requests have to carry. Middleware: `answer` handles every request.
    """

    def __init__(self, token: str, port: int) -> None:
        self.token = token
        self.hosts = frozenset([f"127.0.0.1:{port}", f"localhost:{port}"])
        self.cookie = f"controlplane_view_{port}"

    async def answer(
        self, request: Request, call_next: RequestResponseEndpoint
    ) -> Response:
        """Return the page or a refusal, with those `HEADERS` that the page does not set
        itself."""
        response = self.refusal(request) or await call_next(request)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response

    def refusal(self, request: Request) -> Response | None:
        """Return the response to send instead of a page; None if the request is
        allowed."""
        if request.headers.get("host") not in self.hosts:
            return PlainTextResponse(
                "this server answers to 127.0.0.1 and localhost only", 421
            )
        origin = request.headers.get("origin")
        if origin is not None and origin.removeprefix("http://") not in self.hosts:
            return PlainTextResponse("this page belongs to another site", 403)
        if request.method not in ("GET", "HEAD"):
            return PlainTextResponse("nothing can be changed here", 405)
        if self._is_token(request.query_params.get("token", "")):
            return self._first_answer(request)
        if self._is_token(request.cookies.get(self.cookie, "")):
            return None
        return PlainTextResponse(
            "open the address that `controlplane view` printed, with its token", 403
        )

    def _first_answer(self, request: Request) -> Response:
        """Return a redirect to the same page without the token, together with the
        cookie."""
        path = f"/{request.url.path.lstrip('/')}"  # `//host/…` would redirect to another host.
        response = RedirectResponse(path, 303)
        response.set_cookie(self.cookie, self.token, httponly=True, samesite="strict")
        return response

    def _is_token(self, text: str) -> bool:
        return hmac.compare_digest(text.encode(), self.token.encode())


# --- The pages ---


READING_S: Final = 0.2
"""Seconds for which a page waits while its journals are read. It updates itself when
more is read."""
READING_TRIAL_S: Final = 0.1
"""The same for a trial's page. The page from which the user came has already read the
journal."""
BETWEEN_LOOKS_S: Final = 0.5
"""Seconds between two checks for changes, for each open page."""
KEPT_PAGES: Final = 8
"""The number of pages in the cache."""
MOST_TAGS: Final = 20
"""The list of runs offers at most this many tags to search for."""


@dataclass(frozen=True, slots=True)
class ListPage:
    """The list of runs."""

    frame: PageFrame
    folder: str
    rows: Sequence[RunRow]
    left_out: int
    """The number of rows that did not fit on the page."""
    found: str
    """The words that the user searched for; empty without a search."""
    unread: int
    """The number of journals that are not read yet."""
    tags: Mapping[str, str]
    """The label of each tag that several runs share, by tag: `{"hard": "hard (3)"}`."""
    command: str
    """A command that starts a run, for a user who has none yet."""


@dataclass(frozen=True, slots=True)
class CachedPage:
    """A page in the cache. It is valid until something new is read of its runs.

    The version of a run counts how often that happened.
    """

    versions: list[int]
    html: str


class Pages:
    """The pages about the runs of one folder.

    Each route of `app` calls a method with the request, in one of several threads.
    """

    def __init__(
        self, folder: WatchedFolder, page_of_loop: Callable[[Path], str]
    ) -> None:
        self.folder = folder
        self.page_of_loop = page_of_loop
        """Returns the HTML page of an improvement loop, given the path of its
        record."""
        self._cache: dict[tuple[str, str], CachedPage] = {}
        """The cache of pages, by address and searched words."""

    def app(self, token: str, port: int) -> ASGIApp:
        """Return the application that serves the pages on `port` to holders of
        `token`."""
        routes = [
            Route("/", self.list_page),
            Route("/events", self.events),
            Route("/favicon.ico", _no_icon),
            Route("/static/page.css", _style),
            Route("/static/page.js", _script),
            Route("/loops/{loop}", self.loop_page),
            Route("/runs/{runs}", self.runs_page),
            Route("/runs/{runs}/events", self.events),
            Route("/runs/{runs}/{anchor}.json", self.trial),
            Route("/runs/{runs}/{anchor}/requests.json", self.requests),
        ]
        gatekeeper = Gatekeeper(token, port)
        return Starlette(
            routes=routes,
            middleware=[Middleware(BaseHTTPMiddleware, dispatch=gatekeeper.answer)],
            exception_handlers={ControlPlaneError: _unreadable},
        )

    def list_page(self, request: Request) -> Response:
        """Return the list of runs, or a redirect to the page of the runs that the user
        selected."""
        chosen = request.query_params.getlist("run")
        if chosen:
            return RedirectResponse(f"/runs/{quote(','.join(chosen), safe='')}", 303)
        words = request.query_params.get("find", "")
        self.folder.read(seconds=READING_S)
        versions = [self.folder.version]

        def render() -> str:
            return self._list_html(words, versions)

        return self._cached_page("/", words, versions, render)

    def _list_html(self, words: str, versions: list[int]) -> str:
        """Return the list of the runs whose rows contain `words`."""
        runs = list(self.folder.runs.values())
        rows = [run.row for run in runs if run.row is not None]
        fitting = [row for row in rows if row.fits(words)]
        shown = fitting[: bounds.SHOWN_PAGE_ROWS]
        page = ListPage(
            frame=PageFrame("Runs", events="/events", version=json.dumps(versions)),
            folder="/".join(self.folder.folder.absolute().parts[-2:]),
            rows=shown,
            left_out=len(fitting) - len(shown),
            found=words,
            unread=len(runs) - len(rows),
            tags=_common_tags(rows),
            command=invocation("run", "--limit", "6"),
        )
        return template("runs.html.j2").render(page=page, frame=page.frame)

    def loop_page(self, request: Request) -> Response:
        """Return the page of an improvement loop (`controlplane improve`)."""
        run = self._run(request.path_params["loop"], is_loop=True)
        # The page is also written to a file, so its HTML contains a policy for styles
        # and scripts.
        headers = {"content-security-policy": "frame-ancestors 'none'"}
        return HTMLResponse(self.page_of_loop(run.path), headers=headers)

    def runs_page(self, request: Request) -> Response:
        """Return the page of one run, or of several side by side."""
        words = request.query_params.get("find", "")
        runs = self._runs(request, seconds=READING_S)
        source = f"/runs/{quote(request.path_params['runs'], safe='')}"
        versions = [run.version for run in runs]

        def render() -> str:
            return self._runs_html(runs, source, words, versions)

        return self._cached_page(source, words, versions, render)

    def _runs_html(
        self, runs: list[WatchedRun], source: str, words: str, versions: list[int]
    ) -> str:
        """Return the page of these runs, with the trials whose texts contain `words`.

        `versions` are written into the page. Its script compares them with those of the
        event stream, to learn whether the page is out of date.
        """
        all_facts: list[RunFacts] = []
        for number, run in enumerate(runs):
            labels = {facts.label for facts in all_facts}
            facts = run_facts(
                self._journal(run), number, labels, is_running=run.is_running
            )
            if run.has_more:
                facts = replace(
                    facts, status=f"{run.read_share:.0%} of the journal is read."
                )
            all_facts.append(facts)

        fitting: list[TrialFacts] = []
        for facts in all_facts:
            for trial in facts.trials:
                if has_words(words, trial.summary.instruction, trial.summary.task_id):
                    fitting.append(trial)
        shown = fitting[: bounds.SHOWN_PAGE_ROWS]
        frame = PageFrame(
            title=page_title(all_facts),
            source=source,
            events=f"{source}/events",
            version=json.dumps(versions),
        )
        trials = ShownTrials(shown, left_out=len(fitting) - len(shown), found=words)
        return run_page_html(run_page(all_facts, frame, trials))

    def _cached_page(
        self, source: str, words: str, versions: list[int], render: Callable[[], str]
    ) -> Response:
        """Return a page from the cache, or render it if the `versions` of its runs
        differ.

        No journal is read while a page is rendered from it. A page of the cache needs
        no lock.
        """
        cached = self._cache.get((source, words))
        if cached is None or cached.versions != versions:
            with self.folder.lock:
                cached = CachedPage(versions, render())
            if len(self._cache) >= KEPT_PAGES:
                oldest = next(iter(self._cache))
                del self._cache[oldest]
            self._cache[source, words] = cached
        return HTMLResponse(cached.html)

    def trial(self, request: Request) -> Response:
        """Return a trial as JSON, which the script in the browser renders."""
        run, recorded = self._trial(request)
        name = one_line(recorded.journal.opened.name) or run.id
        with self.folder.lock:
            text = "".join(trial_json(name, recorded))
        return Response(text, media_type="application/json")

    def requests(self, request: Request) -> Response:
        """Return a trial's model requests as JSON, each with only the messages that are
        new in it."""
        _, recorded = self._trial(request)
        with self.folder.lock:
            requests = [_request_data(each) for each in model_requests(recorded)]
        return JSONResponse(requests)

    def events(self, request: Request) -> Response:
        """Return an event stream of the runs' versions, with an event whenever one
        changes."""
        chosen: list[WatchedRun] = []
        if "runs" in request.path_params:
            chosen = self._runs(request, seconds=0)

        def read_and_return_versions() -> list[int]:
            self.folder.read(chosen, seconds=READING_S)
            if chosen:
                return [run.version for run in chosen]
            return [self.folder.version]

        async def lines() -> AsyncIterator[str]:
            known = await asyncio.to_thread(read_and_return_versions)
            # The page compares this event with its own version, and reloads if they
            # differ.
            yield f"retry: 2000\ndata: {json.dumps(known)}\n\n"
            while True:
                await asyncio.sleep(BETWEEN_LOOKS_S)
                latest = await asyncio.to_thread(read_and_return_versions)
                if latest == known:
                    yield ": still here\n\n"  # Sending fails if the browser has closed the page.
                else:
                    known = latest
                    yield f"data: {json.dumps(known)}\n\n"

        return StreamingResponse(lines(), media_type="text/event-stream")

    def _run(self, run_id: str, *, is_loop: bool = False) -> WatchedRun:
        """Return the run with this id. Raises `HTTPException`."""
        run = self.folder.look_at(key_of(run_id, is_loop=is_loop))
        if run is None:
            raise HTTPException(404, f"there is no run {run_id!r} here")
        return run

    def _runs(self, request: Request, *, seconds: float) -> list[WatchedRun]:
        """Return the runs that an address names, after reading in their journals for
        `seconds`.

        The address has one id, or several that commas separate. An id may contain
        commas itself, so the whole address is taken for an id first. Raises
        `HTTPException`.
        """
        ids_text = request.path_params["runs"]
        is_one_id = key_of(ids_text, is_loop=False) in self.folder.runs
        run_ids = [ids_text] if is_one_id else list(dict.fromkeys(ids_text.split(",")))
        if len(run_ids) > bounds.SHOWN_RUNS:
            raise HTTPException(
                400, f"at most {bounds.SHOWN_RUNS} runs stand side by side"
            )
        runs = [self._run(run_id) for run_id in run_ids]
        self.folder.read(runs, seconds=seconds)
        return runs

    def _journal(self, run: WatchedRun) -> Journal:
        """Return the journal of a run, as far as it is read. Raises `HTTPException`."""
        if run.fault:
            raise HTTPException(422, sanitize(run.fault))
        if run.journal is None or run.journal.summary.opened is None:
            raise HTTPException(
                503, "the journal is being read; this page asks again", {"refresh": "1"}
            )
        return run.journal

    def _trial(self, request: Request) -> tuple[WatchedRun, RecordedTrial]:
        """Return the trial with the anchor `trial-RUN-PLACE`, and its run. Raises
        `HTTPException`.

        Both numbers count from 1: the run on the page, and the trial in its journal.
        """
        runs = self._runs(request, seconds=READING_TRIAL_S)
        anchor = request.path_params["anchor"]
        numbers = _numbers_of(anchor)
        if numbers is not None:
            run_number, place = numbers
            if 1 <= run_number <= len(runs):
                run = runs[run_number - 1]
                trials = list(self._journal(run).trials.values())
                if 1 <= place <= len(trials):
                    return run, trials[place - 1]
        raise HTTPException(404, f"there is no trial {anchor!r} here")


MOST_DIGITS: Final = 9
"""The most digits of a number in an anchor. `int` raises an exception for thousands of
digits."""


def _numbers_of(anchor: str) -> tuple[int, int] | None:
    """Return the two numbers in an anchor `trial-RUN-PLACE`; None for any other
    text."""
    words = anchor.split("-")
    if len(words) != 3 or words[0] != "trial":
        return None
    for number in words[1:]:
        if not (number.isascii() and number.isdecimal() and len(number) <= MOST_DIGITS):
            return None
    return int(words[1]), int(words[2])


def _common_tags(rows: Sequence[RunRow]) -> dict[str, str]:
    """Return a label for each tag that several runs share, the most frequent first."""
    counts = Counter(row.tag for row in rows if row.tag)
    tags = {}
    for tag, count in counts.most_common(MOST_TAGS):
        if count > 1:
            tags[tag] = f"{tag} ({count})"
    return tags


def _request_data(request: ModelRequest) -> dict[str, object]:
    """Return a request in the form that `2_trial_page.js` expects."""
    new_messages = []
    for message in request.new_messages:
        new_messages.append(
            {"role": sanitize(message.role), "text": sanitize(message.text)}
        )
    return {
        "step": request.step,
        "role": sanitize(request.role),
        "shared": request.shared,
        "new_messages": new_messages,
    }


def _no_icon(request: Request) -> Response:
    return Response(status_code=204)


def _style(request: Request) -> Response:
    return Response(style_of_page(), media_type="text/css")


def _script(request: Request) -> Response:
    return Response(script_of_page(live=True), media_type="text/javascript")


def _unreadable(request: Request, error: Exception) -> Response:
    """Return the response for a journal that cannot be read."""
    return PlainTextResponse(sanitize(str(error)), 422)
