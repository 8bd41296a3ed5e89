"""The web server of `controlplane view`: the list of runs, one or several runs, and their trials.

Pages update themselves while journals grow. The server only reads. Pages have no inline
scripts or styles, and text from journals is escaped.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from controlplane.errors import ControlPlaneError
from controlplane.report.page_templates import script_of_page, style_of_page
from controlplane.report.server.gatekeeper import Gatekeeper
from controlplane.report.server.html_pages import HtmlPages
from controlplane.report.server.trial_answers import TrialAnswers
from controlplane.report.server.version_events import VersionEvents
from controlplane.report.server.watched_folder import WatchedFolder
from controlplane.terminal_text import sanitize


def view_app(
    folder: WatchedFolder, page_of_loop: Callable[[Path], str], gatekeeper: Gatekeeper
) -> ASGIApp:
    """Return the application that serves the pages of a folder to whom the gatekeeper admits.

    In its routes, `{runs}` is the id of a run, or several ids that commas separate, and
    `{anchor}` names a trial on their page.

    `page_of_loop` returns the HTML page of an improvement loop, given the path of its record.
    """
    pages = HtmlPages(folder, page_of_loop)
    trials = TrialAnswers(folder)
    events = VersionEvents(folder)
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
