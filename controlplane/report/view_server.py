"""The web server of `controlplane view`: the list of runs, one or several runs, and their trials.

Pages update themselves while journals grow. The server only reads. Pages have no inline
scripts or styles, and text from journals is escaped.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware
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
from controlplane.report.addressed_runs import AddressedRuns
from controlplane.report.gatekeeper import Gatekeeper
from controlplane.report.list_page import list_html
from controlplane.report.live_page import live_page_html
from controlplane.report.model_requests import ModelRequest, model_requests
from controlplane.report.page_cache import PageCache
from controlplane.report.run_pages import script_of_page, style_of_page
from controlplane.report.trial_data import trial_json
from controlplane.report.version_events import version_events
from controlplane.report.watched_run import WatchedRun
from controlplane.report.watched_runs import WatchedFolder
from controlplane.terminal_text import one_line, sanitize

READING_S: Final = 0.2
"""Seconds for which a page waits while its journals are read. It updates itself later."""


class Pages:
    """The pages about the runs of one folder.

    Each route of `app` calls a method with the request, in one of several threads. So
    pages are rendered under the folder's lock.
    """

    def __init__(
        self, folder: WatchedFolder, page_of_loop: Callable[[Path], str]
    ) -> None:
        self.folder = folder
        self.page_of_loop = page_of_loop
        """Returns the HTML page of an improvement loop, given the path of its record."""
        self.addressed = AddressedRuns(folder)
        self._cache = PageCache(folder.lock)

    def app(self, token: str, port: int) -> ASGIApp:
        """Return the application that serves the pages on `port` to holders of `token`."""
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
        """Return the list of runs, or a redirect to the page of the runs that the user selected."""
        chosen = request.query_params.getlist("run")
        if chosen:
            return RedirectResponse(f"/runs/{quote(','.join(chosen), safe='')}", 303)
        words = request.query_params.get("find", "")
        self.folder.read(seconds=READING_S)
        versions = [self.folder.version]

        def render() -> str:
            return list_html(self.folder, words, versions)

        return HTMLResponse(self._cache.html("/", words, versions, render))

    def loop_page(self, request: Request) -> Response:
        """Return the page of an improvement loop (`controlplane improve`)."""
        run = self.addressed.run(request.path_params["loop"], is_loop=True)
        # The HTML itself contains a policy for styles and scripts, since it is also written
        # to a file. A policy about frames only works as a header.
        headers = {"content-security-policy": "frame-ancestors 'none'"}
        return HTMLResponse(self.page_of_loop(run.path), headers=headers)

    def runs_page(self, request: Request) -> Response:
        """Return the page of one run, or of several side by side."""
        words = request.query_params.get("find", "")
        runs = self.addressed.runs(request, seconds=READING_S)
        source = f"/runs/{quote(request.path_params['runs'], safe='')}"
        versions = [run.version for run in runs]

        def render() -> str:
            return live_page_html(runs, source, words, versions)

        return HTMLResponse(self._cache.html(source, words, versions, render))

    def trial(self, request: Request) -> Response:
        """Return a trial as JSON, which the script in the browser renders."""
        run, recorded = self.addressed.trial(request)
        name = one_line(recorded.journal.opened.name) or run.id
        with self.folder.lock:
            text = "".join(trial_json(name, recorded))
        return Response(text, media_type="application/json")

    def requests(self, request: Request) -> Response:
        """Return a trial's model requests as JSON, each with only its new messages."""
        _, recorded = self.addressed.trial(request)
        with self.folder.lock:
            requests = [
                _request_data(model_request)
                for model_request in model_requests(recorded)
            ]
        return JSONResponse(requests)

    def events(self, request: Request) -> Response:
        """Return an event stream that sends the runs' versions whenever one of them changes."""
        chosen: list[WatchedRun] = []
        if "runs" in request.path_params:
            chosen = self.addressed.runs(request, seconds=0)

        def read_versions() -> list[int]:
            self.folder.read(chosen, seconds=READING_S)
            if chosen:
                return [run.version for run in chosen]
            return [self.folder.version]

        lines = version_events(read_versions)
        return StreamingResponse(lines, media_type="text/event-stream")


def _request_data(request: ModelRequest) -> dict[str, object]:
    """Return a request in the form that `2_trial_page.js` expects."""
    messages = []
    for message in request.new_messages:
        role = sanitize(message.role)
        messages.append({"role": role, "text": sanitize(message.text)})
    return {
        "step": request.step,
        "role": sanitize(request.role),
        "shared": request.shared,
        "new_messages": messages,
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
