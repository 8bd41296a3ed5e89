"""The web server of `controlplane view`: the list of runs, one or several runs, and their trials.

Pages update themselves while journals grow. The server only reads. Pages have no inline
scripts or styles, and text from journals is escaped.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Final, NamedTuple

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.requests import Request
from starlette.responses import (
    JSONResponse,
    PlainTextResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route
from starlette.types import ASGIApp

from controlplane.errors import ControlPlaneError
from controlplane.report.model_requests import ShownRequest, model_requests
from controlplane.report.page_templates import script_of_page, style_of_page
from controlplane.report.server.addressed_runs import AddressedRuns
from controlplane.report.server.gatekeeper import Gatekeeper
from controlplane.report.server.html_pages import HtmlPages
from controlplane.report.server.watched_folder import WatchedFolder
from controlplane.report.trial_data import left_file, trial_json
from controlplane.terminal_text import one_line, sanitize

# The data of a trial as JSON, which the script of a page asks for when a trial is opened.


class _TrialPageAnswers:
    """Answers requests about trials. The folder's lock is held while journals are read."""

    def __init__(self, folder: WatchedFolder) -> None:
        self.folder = folder
        self._addressed = AddressedRuns(folder)

    def trial(self, request: Request) -> Response:
        """Return a trial as JSON, which the script in the browser renders."""
        run, recorded = self._addressed.trial(request)
        name = one_line(recorded.journal.opened.name) or run.id
        with self.folder.lock:
            text = "".join(trial_json(name, recorded))
        return Response(text, media_type="application/json")

    def requests(self, request: Request) -> Response:
        """Return a trial's model requests as JSON, each with only its new messages."""
        _, recorded = self._addressed.trial(request)
        with self.folder.lock:
            requests = [_request_data(each) for each in model_requests(recorded)]
        return JSONResponse(requests)

    def left_file(self, request: Request) -> Response:
        """Return a file that a trial has left, as a text: nothing in it is run."""
        _, recorded = self._addressed.trial(request)
        name = request.path_params["name"]
        content = left_file(recorded, name)
        if content is None:
            raise HTTPException(404, f"the trial has left no file {sanitize(name)!r}")
        return Response(content, media_type="text/plain; charset=utf-8")


def _request_data(request: ShownRequest) -> dict[str, object]:
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


# The event streams by which open pages learn that their journals have grown.

_BETWEEN_LOOKS_S: Final = 0.5
"""Seconds between two checks for changes, for each open page."""
_BETWEEN_READINGS_S: Final = 0.05
"""The same while its journals are not read to their ends."""
_READING_S: Final = 0.2
"""Seconds for which journals are read in each check."""


class _VersionEvents:
    """Answers requests for event streams, which send versions whenever one of them changes."""

    def __init__(self, folder: WatchedFolder) -> None:
        self.folder = folder
        self._addressed = AddressedRuns(folder)

    def of_list(self, request: Request) -> Response:
        """Return the event stream of the list of runs."""

        def read_versions() -> _Versions:
            self.folder.read(seconds=_READING_S)
            has_more = any(run.has_more for run in self.folder.runs.values())
            return _Versions([self.folder.version], has_more)

        return _event_stream(read_versions)

    def of_runs(self, request: Request) -> Response:
        """Return the event stream of one run, or of several side by side."""
        runs = self._addressed.runs(request, seconds=0)

        def read_versions() -> _Versions:
            self.folder.read(runs, seconds=_READING_S)
            has_more = any(run.has_more for run in runs)
            return _Versions([run.version for run in runs], has_more)

        return _event_stream(read_versions)


class _Versions(NamedTuple):
    """The versions of what a page shows, after another part of its journals was read."""

    numbers: list[int]
    has_more: bool
    """True if one of the journals is not read to its end."""


def _event_stream(read_versions: Callable[[], _Versions]) -> Response:
    lines = _version_lines(read_versions)
    return StreamingResponse(lines, media_type="text/event-stream")


async def _version_lines(read_versions: Callable[[], _Versions]) -> AsyncIterator[str]:
    """Yield the lines of an event stream, without end."""
    versions = await asyncio.to_thread(read_versions)
    sent = versions.numbers
    # The page compares this event with its own version, and reloads if they differ.
    yield f"retry: 2000\ndata: {json.dumps(sent)}\n\n"
    while True:
        pause_s = _BETWEEN_READINGS_S if versions.has_more else _BETWEEN_LOOKS_S
        await asyncio.sleep(pause_s)
        versions = await asyncio.to_thread(read_versions)
        if versions.numbers == sent:
            # This comment line is sent to find out if the browser has closed the page:
            # sending then fails.
            yield ": still here\n\n"
        else:
            sent = versions.numbers
            yield f"data: {json.dumps(sent)}\n\n"


def view_app(
    folder: WatchedFolder, page_of_loop: Callable[[Path], str], gatekeeper: Gatekeeper
) -> ASGIApp:
    """Return the application that serves the pages of a folder to whom the gatekeeper admits.

    In its routes, `{runs}` is the id of a run, or several ids that commas separate, and
    `{anchor}` names a trial on their page.

    `page_of_loop` returns the HTML page of an improvement loop, given the path of its record.
    """
    pages = HtmlPages(folder, page_of_loop)
    trials = _TrialPageAnswers(folder)
    events = _VersionEvents(folder)
    routes = [
        Route("/", pages.list_page),
        Route("/events", events.of_list),
        Route("/favicon.ico", _no_icon),
        Route("/static/page.css", _style),
        Route("/static/page.js", _script),
        Route("/loops/{loop}", pages.loop_page),
        Route("/runs/{runs}", pages.runs_page),
        Route("/runs/{runs}/events", events.of_runs),
        Route("/runs/{runs}/{anchor}.json", trials.trial),
        Route("/runs/{runs}/{anchor}/requests.json", trials.requests),
        Route("/runs/{runs}/{anchor}/left/{name:path}", trials.left_file),
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
