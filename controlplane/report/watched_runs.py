"""Follows the journals of a folder for `view`: a row for each, and the open ones as far as they were read.

One thread reads all of them, in slices, the ones that somebody looks at first. Journals that nobody looks at are closed
again, so that memory holds a few of them at most. Reading changes nothing.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, TypeAlias

from controlplane.comparison.run_comparison import mean_interval, scores_by_task
from controlplane.errors import ControlPlaneError, UsageError
from controlplane.journal.journal_lines import LOOP_FILE, is_being_written, journal_id, newest_first, open_to_read
from controlplane.journal.journal_reader import Journal, fields_of
from controlplane.journal.run_summary import RunSummary
from controlplane.view.display_text import count_text, one_line

Row: TypeAlias = dict[str, Any]
"""What the list shows of a journal, by the names that `--json` has for it where it has one."""


@dataclass
class WatchedRun:
    """One journal of the folder."""

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
    looked_at: float = 0.0
    """When somebody last asked for it, by `time.monotonic`."""
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


class WatchedFolder:
    """The journals of a folder, or one of them."""

    def __init__(self, folder: Path, only: Path | None = None) -> None:
        self.folder = folder
        self.only = only
        self.runs: dict[str, WatchedRun] = {}
        """By id, the latest written first."""
        self.version = 0
        """Grows whenever a row changes."""
        self.stop = threading.Event()
        self._lock = threading.RLock()
        self._waiting: list[None] = []
        """An item for each page that waits; adding and taking one is atomic."""
        self._wake = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="journals", daemon=True)

    def start(self) -> None:
        """Begin to read. Raises `UsageError` if the folder cannot be read."""
        self._list()
        self._thread.start()

    @contextmanager
    def reading_paused(self) -> Iterator[None]:
        """Hold the journals as they are for the length of the block, in which a page is made of them."""
        self._waiting.append(None)
        try:
            with self._lock:
                yield
        finally:
            self._waiting.pop()

    def look_at(self, run_id: str) -> WatchedRun | None:
        """Return a journal, which is read before all others from now on; None if there is none of this id."""
        run = self.runs.get(run_id)
        if run is not None:
            run.looked_at = time.monotonic()
            if run.journal is None and run.path.name != LOOP_FILE:
                run.has_more = True
                self._wake.set()
        return run

    def _list(self) -> None:
        paths = [self.only] if self.only else newest_first(self.folder, loops=True)
        known = {run.path: run for run in self.runs.values()}
        runs = [known.get(path) or WatchedRun(path) for path in paths]
        if [run.path for run in runs] != list(known):
            self.runs = {run.id: run for run in runs}
            self.version += 1

    def _watch(self) -> None:
        while not self.stop.is_set():
            self._wake.clear()
            try:
                self._list()
            except UsageError:
                self.runs = {}
            while self._waiting:
                time.sleep(0.005)
            is_behind = False
            with self._lock, suppress(OSError):  # A file that was removed meanwhile is gone from the next list.
                is_behind = self._read_slices()
            if not is_behind:
                # Seconds between two looks at the folder: news are at most twice a second.
                self._wake.wait(0.4)

    def _read_slices(self) -> bool:
        """Give each journal a turn, the looked at first; return whether one of them has more to read."""
        now = time.monotonic()
        by_look = sorted(self.runs.values(), key=lambda run: -run.looked_at)
        # Journals that stay open after somebody looked at them.
        for run in by_look[4:]:
            if run.journal is not None and not run.has_more and not run.is_running:
                run.close()
        for run in by_look:
            if run.path.name == LOOP_FILE:
                self.version += self._note_loop(run)
                continue
            # Seconds for which a journal is followed after somebody looked at it.
            is_looked_at = now - run.looked_at < 60.0
            if run.advance():
                self.version += 1
                if run.has_more or self._waiting:
                    return True
            if run.journal is not None and not (run.is_running or is_looked_at):
                run.close()
        return False

    def _note_loop(self, run: WatchedRun) -> bool:
        is_running = is_being_written(run.path)
        if run.row is not None and is_running == run.is_running:
            return False
        run.is_running, run.has_more = is_running, False
        result = _result_of_loop(run.path)
        run.row = run_row(run, RunSummary(closed="finished" if result else ""), result)
        return True


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
        interval = mean_interval([fmean(scores) for scores in scores_by_task(trials.values()).values()])
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
        "played": one_line(played.removeprefix("files:").rpartition("/")[2] if is_question else played),
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
    except (OSError, ControlPlaneError, ValueError, KeyError, IndexError):  # its page says what is wrong
        return ""
