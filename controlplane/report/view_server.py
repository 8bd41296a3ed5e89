"""Serves the pages of `view`: the list of runs, a run or several, their trials, and news as journals grow.

It answers on the loopback only, to requests that carry the cookie of this start, name this server as their host, and
come from its own pages. No page has a script or style of its own in it, and no text of a journal becomes markup.
Journals are read when a page or a stream of news asks, in slices; those that nobody looks at are closed again, so that
memory holds a few of them at most. Nothing is changed.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any, Final, TypeAlias
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

from controlplane.errors import ControlPlaneError, UsageError, invocation
from controlplane.journal.journal_lines import (
    LOOP_FILE,
    is_being_written,
    journal_id,
    newest_first,
    open_to_read,
)
from controlplane.journal.journal_reader import Journal, RecordedTrial, fields_of
from controlplane.journal.run_summary import RunSummary
from controlplane.report.run_pages import (
    RunFacts,
    rendered,
    requests_of,
    run_facts,
    run_page,
    script_of_page,
    style_of_page,
    trial_data,
)
from controlplane.run_comparison import mean_interval, scores_by_task
from controlplane.sandbox.interface import bounds
from controlplane.terminal_text import count_text, one_line, sanitize

Row: TypeAlias = dict[str, Any]
"""What the list shows of a journal, by the names that `--json` has for it where it has one."""


@dataclass(eq=False)
class WatchedRun:
    """One journal of the folder, or the record of a loop."""

    path: Path
    row: Row | None = None
    """What the list shows of it; None until it was read."""
    version: int = 0
    """Grows with each change of the journal that was read."""
    has_more: bool = True
    """Some of the journal is not read yet."""
    fault: str = ""
    """Why the file cannot be read as a journal."""
    journal: Journal | None = None
    is_running: bool = False
    _seen: tuple[int, int] = (0, 0)
    """Size and time of change of what was read."""

    @property
    def id(self) -> str:
        return journal_id(self.path)

    @property
    def read_share(self) -> float:
        """The share of the file that was read, 0 to 1."""
        size = self._seen[0]
        return min(self.journal.length / size, 1.0) if self.journal is not None and size else 0.0

    def advance(self) -> bool:
        """Read a slice of the journal if it grew, or was not read yet; return whether something changed."""
        if self.path.name == LOOP_FILE:
            return self._note_loop()
        try:
            status = self.path.stat()
        except OSError:
            return False
        seen = (status.st_size, status.st_mtime_ns)
        is_old = seen == self._seen and not self.has_more
        if is_old and not self.is_running:
            return False
        is_running = is_being_written(self.path)
        if is_old and is_running:
            return False
        if seen[0] < self._seen[0]:  # another file under its name
            self.close()
        self._seen, self.is_running, self.fault = seen, is_running, ""
        try:
            if self.journal is None:
                self.journal = Journal(self.path)
            # Seconds for which one journal is read before a page, or another journal, has its turn.
            self.has_more = self.journal.read(0.05)
            if not self.has_more and not is_running:
                self.journal.summary.mark_stopped()
        except ControlPlaneError as error:
            self.fault, self.has_more = str(error), False
        summary = self.journal.summary if self.journal is not None else RunSummary()
        if not self.has_more or self.row is None:
            self.row = run_row(self, summary)
        self.version += 1
        return True

    def close(self) -> None:
        """Forget the journal's content; its row stays."""
        if self.journal is not None:
            self.journal.close()
        self.journal = None

    def _note_loop(self) -> bool:
        is_running = is_being_written(self.path)
        if self.row is not None and is_running == self.is_running:
            return False
        self.is_running, self.has_more = is_running, False
        result = _result_of_loop(self.path)
        self.row = run_row(self, RunSummary(closed="finished" if result else ""), result)
        return True


class WatchedFolder:
    """The journals of a folder, or one of them. They are read when somebody looks, in slices."""

    def __init__(self, folder: Path, only: Path | None = None) -> None:
        """List the journals. Raises `UsageError` if the folder cannot be read."""
        self.folder = folder
        self.only = only
        self.runs: dict[str, WatchedRun] = {}
        """By id, the latest written first."""
        self.version = 0
        """Grows whenever a row changes."""
        self.lock = threading.Lock()
        """Held while journals are read, and while a page is made of them."""
        self._looked: list[WatchedRun] = []
        """The journals that somebody looked at last, as many as a page shows; they stay open."""
        self._list()

    def _list(self) -> None:
        paths = [self.only] if self.only else newest_first(self.folder, loops=True)
        known = {run.path: run for run in self.runs.values()}
        runs = [known.get(path) or WatchedRun(path) for path in paths]
        if [run.path for run in runs] != list(known):
            self.runs = {run.id: run for run in runs}
            self.version += 1

    def look_at(self, run_id: str) -> WatchedRun | None:
        """Return a journal, whose content is kept from now on; None if there is none of this id."""
        if run_id not in self.runs:
            self.read(seconds=0)
        run = self.runs.get(run_id)
        if run is not None and run.path.name != LOOP_FILE:
            self._looked = [*(other for other in self._looked if other is not run), run][
                -bounds.SHOWN_RUNS :
            ]
            run.has_more = run.has_more or run.journal is None
        return run

    def read(self, chosen: Sequence[WatchedRun] = (), *, seconds: float) -> None:
        """Read on in these journals, or in all of the folder, for about so long; close those nobody looks at."""
        until = time.monotonic() + seconds
        with (
            self.lock,
            suppress(OSError),
        ):  # A file that was removed meanwhile is gone from the next list.
            if not chosen:
                try:
                    self._list()
                except UsageError:
                    self.runs = {}
            for run in chosen or self.runs.values():
                while time.monotonic() < until and run.advance():
                    self.version += 1
                    if not run.has_more:
                        break
            for run in self.runs.values():
                if not (run.has_more or run.is_running or run in self._looked):
                    run.close()


def run_row(run: WatchedRun, summary: RunSummary, result: str = "") -> Row:
    """Return what the list shows of a journal; `result` is that of a loop.

    `kind` is `run`, `question` or `loop`, `state` how the run was left, or `running`, `over` or `damaged`. `tag` is the
    name up to its first - _ . or blank, which runs of one purpose have in common. `about` is the only question, the
    number of trials, or why the file is no journal.
    """
    opened, trials, spent = summary.opened, summary.trials, summary.spent
    name, played = (one_line(opened.name), opened.played) if opened else ("", "")
    is_question = played.startswith("files:")
    (only,) = trials.values() if len(trials) == 1 else (None,)
    about = result or run.fault or (only.instruction[:200] if only else "")
    ended = "over" if summary.ended == "finished" else summary.ended or "interrupted"
    interval = None  # A bootstrap is slow.
    if not run.is_running:
        interval = mean_interval(
            [fmean(scores) for scores in scores_by_task(trials.values()).values()]
        )
    return {
        "run": run.id,
        "kind": "loop" if run.path.name == LOOP_FILE else "question" if is_question else "run",
        "name": name,
        "tag": next(iter(name.translate(str.maketrans("-_.", "   ")).split()), ""),
        "state": "damaged" if run.fault else "running" if run.is_running else ended,
        "trials_over": summary.over,
        "trials_total": len(trials),
        "score": summary.score,
        "interval": interval,
        "tokens": spent.tokens,
        "cost_usd": spent.cost_usd,
        "time_ms": summary.wall_ms,
        "last_ms": summary.last_ms or run.path.stat().st_mtime_ns // 1_000_000,
        "model": one_line(opened.model) if opened else "",
        "solver": one_line(str(opened.setting("agent") or "")) if opened else "",
        "played": one_line(
            played.removeprefix("files:").rpartition("/")[2] if is_question else played
        ),
        "about": one_line(about or (count_text(len(trials), "trial") if trials else "")),
    }


def _result_of_loop(path: Path) -> str:
    """Return the result that the last line of a loop's record gives; empty before its end."""
    try:
        with open_to_read(path) as file:
            # Bytes of the last line of a loop's record.
            file.seek(max(path.stat().st_size - (1 << 16), 0))
            last = fields_of(file.read().splitlines()[-1])
        return one_line(str(last.get("text", ""))) if last.get("kind") == "loop_ended" else ""
    except (
        OSError,
        ControlPlaneError,
        ValueError,
        KeyError,
        IndexError,
    ):  # its page says what is wrong
        return ""


HEADERS: Final = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types view",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}


class Gatekeeper:
    """Lets a request pass if it comes from a browser that opened this server's first address."""

    def __init__(self, token: str, port: int) -> None:
        self.token = token
        self.hosts = frozenset(f"{name}:{port}" for name in ("127.0.0.1", "localhost"))
        self.cookie = f"controlplane_view_{port}"

    async def answer(self, request: Request, call_next: RequestResponseEndpoint) -> Response:
        """Return the page, or why there is none, with `HEADERS` that it does not set itself."""
        response = self.refusal(request) or await call_next(request)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response

    def refusal(self, request: Request) -> Response | None:
        """Return what to answer instead of a page; None if the request may pass."""
        origin = request.headers.get("origin")
        if request.headers.get("host") not in self.hosts:
            return PlainTextResponse("this server answers to 127.0.0.1 and localhost only", 421)
        if origin is not None and origin.removeprefix("http://") not in self.hosts:
            return PlainTextResponse("this page belongs to another site", 403)
        if request.method not in ("GET", "HEAD"):
            return PlainTextResponse("nothing can be changed here", 405)
        given = request.query_params.get("token", "")
        if self._fits(given):
            answer = RedirectResponse(
                f"/{request.url.path.lstrip('/')}", 303
            )  # never another host's address
            answer.set_cookie(self.cookie, self.token, httponly=True, samesite="strict")
            return answer
        if self._fits(request.cookies.get(self.cookie, "")):
            return None
        return PlainTextResponse(
            "open the address that `controlplane view` printed, with its token", 403
        )

    def _fits(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self.token.encode())


class Pages:
    """The pages over one watched folder."""

    def __init__(self, folder: WatchedFolder, page_of_loop: Callable[[Path], str]) -> None:
        self.folder = folder
        self.page_of_loop = page_of_loop
        """Makes the page of the loop of a record."""
        self._made: dict[tuple[str, str], tuple[tuple[int, ...], str]] = {}
        """The latest pages by address and search, with the versions of their runs."""

    def app(self, token: str, port: int) -> ASGIApp:
        """Return the application, which answers to `token` on `port` only."""
        routes = [
            Route("/", self.list_page),
            Route("/events", self.events),
            Route("/favicon.ico", lambda _: Response(status_code=204)),
            Route("/static/page.css", lambda _: Response(style_of_page(), media_type="text/css")),
            Route(
                "/static/page.js",
                lambda _: Response(script_of_page(live=True), media_type="text/javascript"),
            ),
            Route("/loops/{loop}", self.loop),
            Route("/runs/{runs}", self.runs_page),
            Route("/runs/{runs}/events", self.events),
            Route("/runs/{runs}/{anchor}.json", self.trial),
            Route("/runs/{runs}/{anchor}/requests.json", self.requests),
        ]
        gatekeeper = Middleware(BaseHTTPMiddleware, dispatch=Gatekeeper(token, port).answer)
        return Starlette(
            routes=routes, middleware=[gatekeeper], exception_handlers={ControlPlaneError: _told}
        )

    def list_page(self, request: Request) -> Response:
        if chosen := request.query_params.getlist("run"):
            return RedirectResponse(f"/runs/{quote(','.join(chosen), safe='')}", 303)
        found = request.query_params.get("find", "")
        self.folder.read(seconds=0.2)
        version = (self.folder.version,)
        return self._page("/", found, version, lambda: self._made_list(found, version))

    def _made_list(self, found: str, version: tuple[int, ...]) -> str:
        runs = list(self.folder.runs.values())
        rows = [run.row for run in runs if run.row is not None]
        searched = ("run", "name", "played", "model", "solver", "about")
        fitting = [row for row in rows if _fits(found, *(row[name] for name in searched))]
        counts = Counter(row["tag"] for row in rows if row["tag"])
        return rendered(
            "runs.html.j2",
            title="Runs",
            events="/events",
            version=json.dumps(version),
            folder=sanitize("/".join(self.folder.folder.absolute().parts[-2:])),
            rows=fitting[: bounds.SHOWN_PAGE_ROWS],
            left_out=len(fitting[bounds.SHOWN_PAGE_ROWS :]),
            found=sanitize(found),
            unread=len(runs) - len(rows),
            tags={tag: f"{tag} ({count})" for tag, count in counts.most_common(20) if count > 1},
            command=invocation("run", "--limit", "6"),
        )

    def loop(self, request: Request) -> Response:
        run = self._run(request.path_params["loop"], is_loop=True)
        # The page is a file's, with a policy of its own that allows its style and no script.
        return HTMLResponse(
            self.page_of_loop(run.path),
            headers={"content-security-policy": "frame-ancestors 'none'"},
        )

    def runs_page(self, request: Request) -> Response:
        # Seconds that a page waits for its journals; what is not read by then follows as news.
        runs, found = self._runs(request, seconds=0.2), request.query_params.get("find", "")
        source, versions = (
            f"/runs/{quote(request.path_params['runs'], safe='')}",
            tuple(run.version for run in runs),
        )
        return self._page(
            source, found, versions, lambda: self._made_page(runs, source, found, versions)
        )

    def _page(
        self, source: str, found: str, versions: tuple[int, ...], make: Callable[[], str]
    ) -> Response:
        """Return the page of an address and a search, which is made again for other `versions` of its runs."""
        made = self._made.get((source, found))
        if made is None or made[0] != versions:
            with self.folder.lock:
                made = versions, make()
            if len(self._made) >= 8:
                self._made.pop(next(iter(self._made)))
            self._made[source, found] = made
        return HTMLResponse(made[1])

    def _made_page(
        self, runs: list[WatchedRun], source: str, found: str, versions: tuple[int, ...]
    ) -> str:
        facts: list[RunFacts] = []
        for number, run in enumerate(runs):
            labels = {each.label for each in facts}
            one = run_facts(self._journal(run), number, labels, is_running=run.is_running)
            status = f"{run.read_share:.0%} of the journal is read." if run.has_more else one.status
            facts.append(replace(one, status=status))
        trials = (trial for one in facts for trial in one.trials)
        fitting = [
            trial
            for trial in trials
            if _fits(found, trial.summary.instruction, trial.summary.task_id)
        ]
        return run_page(
            facts,
            source=source,
            events=f"{source}/events",
            version=json.dumps(versions),
            rows=fitting[: bounds.SHOWN_PAGE_ROWS],
            left_out=len(fitting[bounds.SHOWN_PAGE_ROWS :]),
            found=sanitize(found),
        )

    def trial(self, request: Request) -> Response:
        run, recorded = self._trial(request)
        name = one_line(recorded.journal.opened.name) or run.id
        with self.folder.lock:
            return JSONResponse(trial_data(name, recorded))

    def requests(self, request: Request) -> Response:
        _, recorded = self._trial(request)
        with self.folder.lock:
            asked = requests_of(recorded)
        shown = (
            (
                one.step,
                sanitize(one.role),
                [tuple(map(sanitize, message)) for message in one.messages],
                one.known,
            )
            for one in asked
        )
        return JSONResponse(
            [dict(zip(("step", "role", "messages", "known"), one, strict=True)) for one in shown]
        )

    def events(self, request: Request) -> Response:
        """Return a stream with a line whenever what is shown has changed, at most two a second."""
        chosen = self._runs(request, seconds=0) if "runs" in request.path_params else []

        def versions() -> list[int]:
            self.folder.read(chosen, seconds=0.2)
            return [run.version for run in chosen] or [self.folder.version]

        async def lines() -> AsyncIterator[str]:
            known = await asyncio.to_thread(versions)
            yield f"retry: 2000\ndata: {json.dumps(known)}\n\n"  # by which a page sees that it is out of date
            while True:
                # Seconds between two looks for news of one reader.
                await asyncio.sleep(0.5)
                if (now := await asyncio.to_thread(versions)) != known:
                    known = now
                    yield f"data: {json.dumps(now)}\n\n"
                else:
                    yield ": still here\n\n"  # by which a reader who is gone is noticed

        return StreamingResponse(lines(), media_type="text/event-stream")

    def _run(self, run_id: str, *, is_loop: bool = False) -> WatchedRun:
        run = self.folder.look_at(run_id)
        if run is None or (run.path.name == LOOP_FILE) != is_loop:
            raise HTTPException(404, f"there is no run {run_id!r} here")
        return run

    def _runs(self, request: Request, *, seconds: float) -> list[WatchedRun]:
        """Return the runs of an address, after reading on in their journals for so long."""
        whole = request.path_params["runs"]
        names = [whole] if whole in self.folder.runs else whole.split(",")
        if len(names) > bounds.SHOWN_RUNS:
            raise HTTPException(400, f"at most {bounds.SHOWN_RUNS} runs stand side by side")
        runs = [self._run(name) for name in dict.fromkeys(names)]
        self.folder.read(runs, seconds=seconds)
        return runs

    def _journal(self, run: WatchedRun) -> Journal:
        if run.fault:
            raise HTTPException(422, sanitize(run.fault))
        if run.journal is None or run.journal.summary.opened is None:
            raise HTTPException(
                503, "the journal is being read; this page asks again", {"refresh": "1"}
            )
        return run.journal

    def _trial(self, request: Request) -> tuple[WatchedRun, RecordedTrial]:
        """Return a trial by its anchor `trial-RUN-PLACE`, from its journal as far as it is read."""
        runs, anchor = self._runs(request, seconds=0.1), request.path_params["anchor"]
        parts = anchor.split("-")
        if (
            len(parts) == 3
            and parts[0] == "trial"
            and parts[1].isdecimal()
            and parts[2].isdecimal()
        ):
            number, place = int(parts[1]), int(parts[2])
            if 1 <= number <= len(runs):
                run = runs[number - 1]
                trials = list(self._journal(run).trials.values())
                if 1 <= place <= len(trials):
                    return run, trials[place - 1]
        raise HTTPException(404, f"there is no trial {anchor!r} here")


def _told(request: Request, error: Exception) -> Response:
    """Return the answer about a journal that cannot be read."""
    del request
    return PlainTextResponse(sanitize(str(error)), 422)


def _fits(words: str, *texts: str) -> bool:
    """Say whether each word stands in one of the texts, whatever its case."""
    text = " ".join(texts).lower()
    return all(word in text for word in words.lower().split())
