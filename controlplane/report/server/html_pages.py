"""The HTML pages of `controlplane view`: the list of runs, one or several runs, and loops."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from controlplane.report.server.addressed_runs import AddressedRuns
from controlplane.report.server.list_page import list_html
from controlplane.report.server.live_page import live_page_html
from controlplane.report.server.page_cache import PageCache
from controlplane.report.server.watched_folder import WatchedFolder

READING_S: Final = 0.2
"""Seconds for which a page waits while its journals are read.

A page that is shown before they are read to their ends updates itself later.
"""


class HtmlPages:
    """The pages about the runs of one folder.

    Each method answers a request, in one of several threads. So pages are rendered under
    the folder's lock, which the cache takes. A page is rendered again only if one of its
    `versions` has changed: the numbers that count what was read of the folder or its runs.
    """

    def __init__(
        self, folder: WatchedFolder, page_of_loop: Callable[[Path], str]
    ) -> None:
        self.folder = folder
        self.page_of_loop = page_of_loop
        """Returns the HTML page of an improvement loop, given the path of its record."""
        self._addressed = AddressedRuns(folder)
        self._cache = PageCache(folder.lock)

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
        path = self._addressed.loop_record(request.path_params["loop"])
        # The HTML itself contains a policy for styles and scripts, since it is also written
        # to a file. A policy about frames only works as a header.
        headers = {"content-security-policy": "frame-ancestors 'none'"}
        return HTMLResponse(self.page_of_loop(path), headers=headers)

    def runs_page(self, request: Request) -> Response:
        """Return the page of one run, or of several side by side."""
        words = request.query_params.get("find", "")
        runs = self._addressed.runs(request, seconds=READING_S)
        source = f"/runs/{quote(request.path_params['runs'], safe='')}"
        versions = [run.version for run in runs]

        def render() -> str:
            return live_page_html(runs, source, words, versions)

        return HTMLResponse(self._cache.html(source, words, versions, render))
