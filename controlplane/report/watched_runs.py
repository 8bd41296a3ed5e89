"""The journals of a folder, some of which running processes still write.

Each page that a browser requests reads them for a short time, in slices.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final
from urllib.parse import quote

from controlplane.errors import ControlPlaneError, UsageError
from controlplane.journal.journal_files import (
    LOOP_FILE,
    is_being_written,
    journal_id,
    newest_first,
    open_to_read,
)
from controlplane.journal.journal_reader import Journal
from controlplane.journal.line_parser import fields_of
from controlplane.journal.run_summary import RunSummary
from controlplane.report.run_facts import score_interval
from controlplane.sandbox.interface import bounds
from controlplane.score_statistics import Interval
from controlplane.terminal_text import count_text, one_line
from controlplane.view.run_results import DAMAGED, RunResult, run_result

SLICE_S: Final = 0.05
"""Seconds for which one journal is read before others get their turn."""


@dataclass(frozen=True, slots=True)
class RunRow:
    """The row of a journal, or of the record of an improvement loop, in the list of
    runs."""

    result: RunResult
    kind: str
    """`run`, `question` or `loop`."""
    address: str
    """The address of its page, without the first slash."""
    tag: str
    """The first word of its name, up to a `-`, `_`, `.` or blank. Users tend to name
    related runs alike."""
    interval: Interval | None
    """The confidence interval of its score. None while it runs, because computing it is
    slow."""
    time_ms: int
    """The time that the run has taken."""
    last_ms: int
    """The time of its last event or, without events, of the file's last change."""
    played: str
    """What was played: a benchmark, or the name of the folder that a question is
    about."""
    solver: str
    about: str
    """The text of its only question, the number of its trials, the result of a loop, or
    an error."""

    def fits(self, words: str) -> bool:
        """Return True if the row contains each of these words, in any case."""
        run = self.result
        texts = (run.run, run.name, self.played, run.model, self.solver, self.about)
        return has_words(words, *texts)


def has_words(words: str, *texts: str) -> bool:
    """Return True if each word is part of one of the texts, in any case."""
    text = " ".join(texts).lower()
    return all(word in text for word in words.lower().split())


class WatchedRun:
    """One journal of the folder, or the record of an improvement loop.

    It is created when the folder lists the file. `advance` reads the next part. `close`
    frees the memory; the run's row in the list of runs stays.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.is_loop = path.name == LOOP_FILE
        self.id = _id_as_text(path)
        self.row: RunRow | None = None
        """Its row in the list; None until it was read."""
        self.version = 0
        """The number of times that something new was read. Pages compare it with their
        own."""

        # How far the journal is read. Only `advance` and `close` change this.
        self.journal: Journal | None = None
        """The journal, as far as it is read; None before the first reading and after
        `close`."""
        self.has_more = True
        """True if the file is not read to its end."""
        self.fault = ""
        """The error of a file that cannot be read as a journal; empty without one."""

        # The file when it was last read.
        self.is_running = False
        """True if a process was writing it."""
        self._read_size = 0
        """Its size, in bytes."""
        self._read_change_ns = 0
        """The time of its last change."""

    @property
    def key(self) -> str:
        """Its key in the folder. The id alone is not unique: a loop and a run may have
        the same."""
        return key_of(self.id, is_loop=self.is_loop)

    @property
    def read_share(self) -> float:
        """The share of the file that was read, 0 to 1."""
        if self.journal is None or not self._read_size:
            return 0.0
        return min(self.journal.length / self._read_size, 1.0)

    def close(self) -> None:
        """Close the journal to free its memory. Its row stays."""
        if self.journal is not None:
            self.journal.close()
        self.journal = None

    def read_again_if_closed(self) -> None:
        """Make `advance` read the journal from its beginning if it was closed."""
        if self.journal is None:
            self.has_more = True

    def advance(self) -> bool:
        """Read for a short time, if there is more to read. Return True if something
        changed."""
        if self.is_loop:
            return self._note_loop()
        try:
            status = self.path.stat()
        except OSError:
            return False
        if not self._has_news(status):
            return False

        if status.st_size < self._read_size:  # Another file has replaced it.
            self.close()
        self._read_size = status.st_size
        self._read_change_ns = status.st_mtime_ns
        self.is_running = is_being_written(self.path)
        self._read_slice()
        self.version += 1
        return True

    def _has_news(self, status: os.stat_result) -> bool:
        """Return True if there is more to read, or the process that wrote the journal
        has ended.

        `status` is the current status of the file.
        """
        is_same_size = status.st_size == self._read_size
        is_unchanged = is_same_size and status.st_mtime_ns == self._read_change_ns
        if self.has_more or not is_unchanged:
            return True
        return self.is_running and not is_being_written(self.path)

    def _read_slice(self) -> None:
        """Read for a short time. Update the row if that reaches the end of the journal.

        A new journal has its row after the first slice, so that the list shows it soon.
        """
        self.fault = ""
        try:
            if self.journal is None:
                self.journal = Journal(self.path)
            self.has_more = self.journal.read(SLICE_S)
            if not self.has_more and not self.is_running:
                self.journal.summary.mark_stopped()
        except ControlPlaneError as error:
            self.fault = str(error)
            self.has_more = False
        is_at_end = not self.has_more
        if is_at_end or self.row is None:
            summary = RunSummary() if self.journal is None else self.journal.summary
            self.row = run_row(self, summary)

    def _note_loop(self) -> bool:
        """Update the row of a loop if it has begun or ended. Return True if it was
        updated."""
        is_running = is_being_written(self.path)
        if self.row is not None and is_running == self.is_running:
            return False
        self.is_running = is_running
        self.has_more = False
        result = _result_of_loop(self.path)
        # A row is made from the summary of a run. A loop has none, so it gets an empty
        # one that says only whether the loop has ended.
        summary = RunSummary(closed="finished" if result else "")
        self.row = run_row(self, summary, result)
        return True


def key_of(run_id: str, *, is_loop: bool) -> str:
    """Return the key of a run or a loop in its folder: `runs/ID` or `loops/ID`, its
    page's path."""
    return f"loops/{run_id}" if is_loop else f"runs/{run_id}"


def _id_as_text(path: Path) -> str:
    """Return the id of a journal as valid Unicode text.

    The name of a file may be bytes that are not UTF-8.
    """
    return os.fsencode(journal_id(path)).decode("utf-8", "backslashreplace")


# --- A row of the list ---


LAST_LINE_BYTES: Final = 1 << 16
"""Bytes at the end of a loop's record that contain its last line."""
SHOWN_QUESTION_CHARS: Final = 200
QUESTION_PREFIX: Final = "files:"
"""Begins what a run plays that answers a question about a folder:
`files:/home/me/docs`."""


def run_row(run: WatchedRun, summary: RunSummary, loop_result: str = "") -> RunRow:
    """Return the row of a journal or, with `loop_result`, of a loop."""
    # 1. The totals, with the state of the file as it is known here.
    result = run_result(summary, run.path)
    ended = result.ended
    if run.fault:
        ended = DAMAGED
    elif run.is_running:
        ended = "running"
    result = replace(
        result,
        run=run.id,
        name=one_line(result.name),
        model=one_line(result.model),
        ended=ended,
    )

    # 2. What was played. Of the folder that a question is about, only the name is shown.
    played = result.played
    if run.is_loop:
        kind = "loop"
    elif played.startswith(QUESTION_PREFIX):
        kind = "question"
        played = played.removeprefix(QUESTION_PREFIX).rpartition("/")[2]
    else:
        kind = "run"
    solver = summary.opened.setting("agent") if summary.opened else None

    return RunRow(
        result=result,
        kind=kind,
        address=quote(run.key),
        tag=_tag_of(result.name),
        interval=None if run.is_running else score_interval(summary),
        time_ms=summary.wall_ms,
        last_ms=summary.last_ms or run.path.stat().st_mtime_ns // 1_000_000,
        played=one_line(played),
        solver=one_line(str(solver or "")),
        about=one_line(loop_result or run.fault or _about(summary)),
    )


def _about(summary: RunSummary) -> str:
    """Return the text of a run's only task, or the number of its trials."""
    trials = list(summary.trials.values())
    if len(trials) == 1 and trials[0].instruction:
        return trials[0].instruction[:SHOWN_QUESTION_CHARS]
    if trials:
        return count_text(len(trials), "trial")
    return ""


def _tag_of(name: str) -> str:
    """Return the first word of a run's name: `"hard-gpt5.2"` -> `"hard"`."""
    for separator in "-_.":
        name = name.replace(separator, " ")
    words = name.split()
    return words[0] if words else ""


def _result_of_loop(path: Path) -> str:
    """Return the result in the last line of a loop's record; empty if the loop has not
    ended."""
    try:
        with open_to_read(path) as file:
            file.seek(max(path.stat().st_size - LAST_LINE_BYTES, 0))
            last_line = fields_of(file.read().splitlines()[-1])
    except (OSError, ControlPlaneError, ValueError, KeyError, IndexError):
        return ""  # The page of the loop shows the error.
    if last_line.get("kind") != "loop_ended":
        return ""
    return one_line(str(last_line.get("text", "")))


# --- The folder ---


class WatchedFolder:
    """The journals of a folder, or a single one.

    `view` creates one when it starts, and each request reads in what is new. To save
    memory, a journal is closed when it is read to its end, unless it is running or was
    viewed recently.
    """

    def __init__(self, folder: Path, only: Path | None = None) -> None:
        """List the journals. Raises `UsageError` if the folder cannot be read."""
        self.folder = folder
        self.only = only
        self.runs: dict[str, WatchedRun] = {}
        """The journals by key, the last written first."""
        self.version = 0
        """Increases with every change of the list: of its journals, or of what was read
        of one."""
        self.lock = threading.Lock()
        """Held while journals are read. A page holds it while it is rendered from
        them."""
        self._looked_at: list[WatchedRun] = []
        """The journals that were viewed last, as many as a page shows. They stay
        open."""
        self._list()

    def _list(self) -> None:
        """Update the list if journals were added, removed or written."""
        paths = [self.only] if self.only else newest_first(self.folder, loops=True)
        known = {run.path: run for run in self.runs.values()}
        if paths == list(known):
            return
        runs = {}
        for path in paths:
            run = known.get(path) or WatchedRun(path)
            runs[run.key] = run
        self.runs = runs
        self.version += 1

    def look_at(self, key: str) -> WatchedRun | None:
        """Return the journal with this key, and keep it open; None if there is none."""
        if key not in self.runs:
            # It may be new. Reading for 0 seconds updates the list, and reads no
            # journal.
            self.read(seconds=0)
        run = self.runs.get(key)
        if run is None or run.is_loop:
            return run
        if run in self._looked_at:
            self._looked_at.remove(run)
        self._looked_at.append(run)
        del self._looked_at[: -bounds.SHOWN_RUNS]
        run.read_again_if_closed()
        return run

    def read(self, chosen: Sequence[WatchedRun] = (), *, seconds: float) -> None:
        """Read in the `chosen` journals, or in all of the folder, for about
        `seconds`."""
        until = time.monotonic() + seconds
        # Reading a file that was removed fails. The next list does not contain it any
        # more.
        with self.lock, suppress(OSError):
            if not chosen:
                try:
                    self._list()
                except UsageError:
                    self.runs = {}
            for run in chosen or self.runs.values():
                self._read_run(run, until)
            self._close_unwatched()

    def _read_run(self, run: WatchedRun, until: float) -> None:
        while time.monotonic() < until and run.advance():
            self.version += 1
            if not run.has_more:
                return

    def _close_unwatched(self) -> None:
        for run in self.runs.values():
            is_needed = run.has_more or run.is_running or run in self._looked_at
            if not is_needed:
                run.close()
