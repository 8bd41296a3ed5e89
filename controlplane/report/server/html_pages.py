"""The HTML pages of `controlplane view`: the list of runs, one or several runs, and loops."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Final
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from controlplane.program_invocation import invocation
from controlplane.report.page_templates import PageFrame, template
from controlplane.report.run_pages import (
    ShownTrials,
    page_title,
    run_page,
    run_page_html,
)
from controlplane.report.server.addressed_runs import AddressedRuns, journal_of
from controlplane.report.server.run_row import RunRow, has_words
from controlplane.report.server.watched_folder import WatchedFolder
from controlplane.report.server.watched_run import WatchedRun
from controlplane.report.shown_runs import ShownRun, shown_run
from controlplane.sandbox.interface import bounds

# The list of runs of `controlplane view`.

_MOST_TAGS: Final = 20
"""The list of runs offers at most this many tags to search for."""


@dataclass(frozen=True, slots=True)
class _ListPage:
    """The lists of runs and of questions."""

    frame: PageFrame
    folder: str
    runs: Sequence[RunRow]
    """The benchmark runs, and the loops of `improve`."""
    questions: Sequence[RunRow]
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


def _list_html(folder: WatchedFolder, words: str, versions: list[int]) -> str:
    """Return the list of the runs whose rows contain `words`."""
    runs = folder.runs.values()
    rows = [run.row for run in runs if run.row is not None]
    fitting = [row for row in rows if row.fits(words)]
    benchmark_runs = [row for row in fitting if row.kind != "question"]
    questions = [row for row in fitting if row.kind == "question"]
    shown_runs = benchmark_runs[: bounds.SHOWN_PAGE_ROWS]
    shown_questions = questions[: bounds.SHOWN_PAGE_ROWS]
    page = _ListPage(
        frame=PageFrame("Runs", events="/events", version=json.dumps(versions)),
        folder="/".join(folder.folder.absolute().parts[-2:]),
        runs=shown_runs,
        questions=shown_questions,
        left_out=len(fitting) - len(shown_runs) - len(shown_questions),
        found=words,
        unread=len(runs) - len(rows),
        tags=_common_tags(rows),
        command=invocation("run", "--limit", "6"),
    )
    return template("runs.html.j2").render(page=page, frame=page.frame)


def _common_tags(rows: Sequence[RunRow]) -> dict[str, str]:
    """Return a label for each tag that several runs share, the most frequent first."""
    counts = Counter(row.tag for row in rows if row.tag)
    tags = {}
    for tag, count in counts.most_common(_MOST_TAGS):
        if count > 1:
            tags[tag] = f"{tag} ({count})"
    return tags


# The page of one or several runs, as the server shows it while their journals grow.


def _live_page_html(
    runs: list[WatchedRun], source: str, words: str, versions: list[int]
) -> str:
    """Return the page of these runs, with the trials whose texts contain `words`.

    `versions` are written into the page. Its script compares them with those of the
    event stream, to learn whether the page is out of date.
    """
    shown_runs: list[ShownRun] = []
    # Each run needs a label that no earlier one has: two runs may have the same name.
    for number, run in enumerate(runs):
        labels = {facts.label for facts in shown_runs}
        shown_runs.append(_facts(run, number, labels))
    frame = PageFrame(
        title=page_title(shown_runs),
        source=source,
        events=f"{source}/events",
        version=json.dumps(versions),
    )
    return run_page_html(run_page(shown_runs, frame, _trials_with(shown_runs, words)))


def _facts(run: WatchedRun, number: int, labels: set[str]) -> ShownRun:
    """Return what the page shows of a run. `labels` are the names that earlier runs have."""
    facts = shown_run(journal_of(run), number, labels, is_running=run.is_running)
    if not run.has_more:
        return facts
    return replace(facts, status=f"{run.read_share:.0%} of the journal is read.")


def _trials_with(runs: list[ShownRun], words: str) -> ShownTrials:
    """Return the trials whose texts contain `words`, as many as a page shows."""
    fitting = []
    for run in runs:
        for trial in run.trials:
            if has_words(words, trial.summary.instruction, trial.summary.task_id):
                fitting.append(trial)
    shown = fitting[: bounds.SHOWN_PAGE_ROWS]
    return ShownTrials(shown, left_out=len(fitting) - len(shown), found=words)


# The cache of pages of `controlplane view`.

KEPT_PAGES: Final = 8
"""The number of pages in the cache."""


@dataclass(frozen=True, slots=True)
class _CachedPage:
    """A page in the cache. It is valid until something new is read of its runs."""

    versions: list[int]
    """The version of each run: how often something new was read of it."""
    html: str


class PageCache:
    """The pages that were rendered last, by address and searched words."""

    def __init__(self, lock: Lock) -> None:
        self._lock = lock
        """Held while a page is rendered, so that no journal is read meanwhile, and while
        `_pages` is changed, since several threads answer requests. To look up a page needs
        no lock: a page that another thread removes stays valid."""
        self._pages: dict[tuple[str, str], _CachedPage] = {}

    def html(
        self, source: str, words: str, versions: list[int], render: Callable[[], str]
    ) -> str:
        """Return a page from the cache, or render it if the `versions` of its runs differ."""
        address = (source, words)
        page = self._pages.get(address)
        if page is None or page.versions != versions:
            with self._lock:
                page = _CachedPage(versions, render())
                self._keep(address, page)
        return page.html

    def _keep(self, address: tuple[str, str], page: _CachedPage) -> None:
        """Put a page last, in place of an earlier one of its address or else of the oldest."""
        self._pages.pop(address, None)
        if len(self._pages) >= KEPT_PAGES:
            oldest = next(iter(self._pages))
            del self._pages[oldest]
        self._pages[address] = page


_READING_S: Final = 0.2
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
        self.folder.read(seconds=_READING_S)
        versions = [self.folder.version]

        def render() -> str:
            return _list_html(self.folder, words, versions)

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
        runs = self._addressed.runs(request, seconds=_READING_S)
        source = f"/runs/{quote(request.path_params['runs'], safe='')}"
        versions = [run.version for run in runs]

        def render() -> str:
            return _live_page_html(runs, source, words, versions)

        return HTMLResponse(self._cache.html(source, words, versions, render))
